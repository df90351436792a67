//! Edit distance of tag sequences (Tomás et al. 2008, §2.2).

use crate::types::TEXT_TOKEN;

/// A tenth of the cost of an insertion: costs are counted in these, so that sums are exact.
const TENTHS: u32 = 10;

/// Which distance is the limit, for pages of so many tags.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The limit for a page without tags, in insertions (an estimate).
    pub base: f64,
    /// What each entry of the longer sequence adds. In Tomás et al. the limit grows with the number of tags (figure 3,
    /// which gives no formula); a fifth is the share by which their numbers of tags may differ.
    pub per_tag: f64,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { base: 10.0, per_tag: 0.2 }
    }
}

impl Limit {
    /// The limit for two sequences, in insertions.
    pub fn of(&self, a: &[u16], b: &[u16]) -> f64 {
        self.base + self.per_tag * a.len().max(b.len()) as f64
    }
}

/// How alike two sequences are: 1 − distance/limit, 0 at the limit and beyond.
///
/// So a page passes the third filter of Tomás et al. when this is above 0.
pub fn similarity(a: &[u16], b: &[u16], limit: &Limit) -> Option<f64> {
    if a.is_empty() && b.is_empty() {
        return None;
    }
    let limit = limit.of(a, b);
    let alike = distance(a, b, limit).map_or(0.0, |distance| 1.0 - distance / limit.max(f64::MIN_POSITIVE));
    Some(alike.max(0.0))
}

/// The least cost of turning one tag sequence into the other; `None` when it is more than `limit`.
///
/// To insert, delete or replace costs 1; to replace ⟨text_n⟩ by ⟨text_m⟩ |n − m|/10. The paper does not cap the latter;
/// from n − m = 20 on, deleting one and inserting the other is cheaper.
///
/// By hand: `<p> text_12 <br>` → `<p> text_9 <hr> <br>` is 3/10 for the text and 1 for `<hr>`: 1.3.
///
/// O(n·limit) time, O(limit) memory: a cell further than `limit` from the diagonal costs more than `limit`.
pub fn distance(a: &[u16], b: &[u16], limit: f64) -> Option<f64> {
    let limit = (limit * f64::from(TENTHS)) as u32;
    let (a, b) = trim(a, b);
    let band = ((limit / TENTHS) as usize).min(a.len().max(b.len()));
    if a.len().abs_diff(b.len()) > band {
        return None;
    }
    // Row i holds the cells j of max(0, i − band) ..= min(|b|, i + band), the cell i + band at the end.
    let width = 2 * band + 1;
    let beyond = u32::MAX / 2;
    let mut row = vec![beyond; width + 1];
    let mut above = vec![beyond; width + 1];
    for j in 0..=band.min(b.len()) {
        above[band + j] = j as u32 * TENTHS;
    }
    for i in 1..=a.len() {
        row.fill(beyond);
        let first = i.saturating_sub(band);
        let last = (i + band).min(b.len());
        let mut least = beyond;
        for j in first..=last {
            let at = j + band - i;
            // The cell above stands one further in its row; the one before it at the same place.
            let mut cost = above[at + 1].saturating_add(TENTHS);
            if j > 0 {
                cost = cost.min(above[at].saturating_add(replace(a[i - 1], b[j - 1])));
                if at > 0 {
                    cost = cost.min(row[at - 1].saturating_add(TENTHS));
                }
            }
            row[at] = cost;
            least = least.min(cost);
        }
        if least > limit {
            return None;
        }
        std::mem::swap(&mut row, &mut above);
    }
    let cost = above[b.len() + band - a.len()];
    (cost <= limit).then(|| f64::from(cost) / f64::from(TENTHS))
}

/// The sequences without their common beginning and end, which cost nothing in a cheapest way.
pub(super) fn trim<'s>(a: &'s [u16], b: &'s [u16]) -> (&'s [u16], &'s [u16]) {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same..], &b[same..]);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (&a[..a.len() - same], &b[..b.len() - same])
}

fn replace(x: u16, y: u16) -> u32 {
    if x == y {
        0
    } else if x & y & TEXT_TOKEN != 0 {
        u32::from((x & !TEXT_TOKEN).abs_diff(y & !TEXT_TOKEN))
    } else {
        TENTHS
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::tag_code;

    /// Every cell of the table.
    fn naive(a: &[u16], b: &[u16]) -> f64 {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                let mut ways = Vec::new();
                if i > 0 {
                    ways.push(table[i - 1][j] + TENTHS);
                }
                if j > 0 {
                    ways.push(table[i][j - 1] + TENTHS);
                }
                if i > 0 && j > 0 {
                    ways.push(table[i - 1][j - 1] + replace(a[i - 1], b[j - 1]));
                }
                table[i][j] = ways.into_iter().min().unwrap_or(0);
            }
        }
        f64::from(table[a.len()][b.len()]) / f64::from(TENTHS)
    }

    #[test]
    fn the_example_by_hand_costs_one_and_three_tenths() {
        let [p, br, hr] = ["p", "br", "hr"].map(tag_code);
        let (a, b) = ([p, TEXT_TOKEN | 12, br], [p, TEXT_TOKEN | 9, hr, br]);
        assert_eq!(distance(&a, &b, 5.0), Some(1.3));
        assert_eq!(distance(&a, &b, 1.2), None);
        assert_eq!(distance(&a, &a, 0.0), Some(0.0));
        // Long texts: delete and insert.
        assert_eq!(distance(&[TEXT_TOKEN | 500], &[TEXT_TOKEN | 9], 5.0), Some(2.0));
        assert_eq!(similarity(&[], &[], &Limit::default()), None);
        assert_eq!(similarity(&a, &b, &Limit { base: 2.6, per_tag: 0.0 }), Some(0.5));
        assert_eq!(similarity(&a, &[], &Limit { base: 2.0, per_tag: 0.0 }), Some(0.0));
    }

    fn sequence() -> impl Strategy<Value = Vec<u16>> {
        prop::collection::vec(prop_oneof![0u16..4, (0u16..40).prop_map(|n| TEXT_TOKEN | n)], 0..30)
    }

    proptest! {
        #[test]
        fn the_band_gives_what_the_whole_table_gives(a in sequence(), b in sequence(), limit in 0u32..40) {
            let limit = f64::from(limit) / 2.0;
            let whole = naive(&a, &b);
            prop_assert_eq!(distance(&a, &b, limit), (whole <= limit).then_some(whole));
            prop_assert_eq!(distance(&a, &b, limit), distance(&b, &a, limit));
        }
    }
}
