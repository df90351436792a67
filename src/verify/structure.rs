//! Edit distance of tag sequences (Tomás et al. 2008, §2.2).

use rustc_hash::FxHashMap;

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
/// At most O(n·limit) time, and O(n·d) for a distance of d; O(n) memory. Pages with other numbers of the same tags are told by
/// the numbers alone.
pub fn distance(a: &[u16], b: &[u16], limit: f64) -> Option<f64> {
    let limit = (limit * f64::from(TENTHS)) as u32;
    let (a, b) = trim(a, b);
    if at_least(a, b) > limit {
        return None;
    }
    // Most pairs are either near, or further than any limit.
    let mut tried = FIRST_LIMIT.min(limit);
    loop {
        match within(a, b, tried) {
            Some(cost) => return Some(f64::from(cost) / f64::from(TENTHS)),
            None if tried >= limit => return None,
            None => tried = tried.saturating_mul(4).min(limit),
        }
    }
}

/// The limit that is tried first, in tenths.
const FIRST_LIMIT: u32 = 16 * TENTHS;

/// What the distance is at least: a step that costs 1 takes away one tag that one side has more of, and adds one that the
/// other side has more of. All texts count as one tag.
fn at_least(a: &[u16], b: &[u16]) -> u32 {
    let kind = |tag: u16| if tag & TEXT_TOKEN == 0 { tag } else { TEXT_TOKEN };
    let mut counts: FxHashMap<u16, i64> = FxHashMap::default();
    a.iter().for_each(|&tag| *counts.entry(kind(tag)).or_default() += 1);
    b.iter().for_each(|&tag| *counts.entry(kind(tag)).or_default() -= 1);
    let more = counts.values().filter(|&&count| count > 0).sum::<i64>();
    let less = -counts.values().filter(|&&count| count < 0).sum::<i64>();
    u32::try_from(more.max(less)).unwrap_or(u32::MAX).saturating_mul(TENTHS)
}

/// The distance in tenths, if it is no more than `limit`. Only cells are filled from which the end may still be reached
/// within the limit: what is left to insert or delete counts (Ukkonen 1985).
fn within(a: &[u16], b: &[u16], limit: u32) -> Option<u32> {
    const DEAD: u32 = u32::MAX / 2;
    let rest = |i: usize, j: usize| (a.len() - i).abs_diff(b.len() - j) as u32 * TENTHS;
    let live = |cost: u32, i: usize, j: usize| cost < DEAD && cost + rest(i, j) <= limit;
    if rest(0, 0) > limit {
        return None;
    }
    // The row above: cells `low..=high` are live, all others dead.
    let mut row = vec![DEAD; b.len() + 1];
    let (mut low, mut high) = (0, 0);
    for (j, cell) in row.iter_mut().enumerate() {
        let cost = j as u32 * TENTHS;
        if cost > limit {
            break;
        }
        if live(cost, 0, j) {
            *cell = cost;
            high = j;
        }
    }
    for i in 1..=a.len() {
        let mut diagonal = if low > 0 { row[low - 1] } else { DEAD };
        let mut left = DEAD;
        let mut found: Option<(usize, usize)> = None;
        for j in low..=b.len() {
            let above = row[j];
            let mut cost = above.min(left) + TENTHS;
            if j > 0 {
                cost = cost.min(diagonal + replace(a[i - 1], b[j - 1]));
            }
            diagonal = above;
            if live(cost, i, j) {
                found = Some((found.map_or(j, |(first, _)| first), j));
            } else {
                cost = DEAD;
                if j > high {
                    // Nothing above, nothing to the left.
                    row[j] = DEAD;
                    break;
                }
            }
            row[j] = cost;
            left = cost;
        }
        (low, high) = found?;
        if low > 0 {
            row[low - 1] = DEAD;
        }
    }
    (high == b.len()).then(|| row[b.len()]).filter(|&cost| cost <= limit)
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
