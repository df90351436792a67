//! Edit distance of tag sequences (Tomás et al. 2008, §2.2).

use rustc_hash::FxHashMap;

use crate::types::TEXT_TOKEN;

/// Costs are counted in tenths of the cost of an insertion, so that sums are exact.
const TENTHS: u32 = 10;

/// How the limit of the distance depends on the number of tags.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Limit {
    /// The limit for a page without tags, in insertions (an estimate).
    pub base: f64,
    /// How much each entry of the longer sequence adds to the limit. In Tomás et al. the limit grows with the number of tags (figure 3,
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

/// The similarity of two sequences: 1 − distance/limit; 0 at the limit and beyond.
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

/// The lowest cost of turning one tag sequence into the other; `None` when it is more than `limit`.
///
/// To insert, delete or replace costs 1; to replace ⟨text_n⟩ by ⟨text_m⟩ costs |n − m|/10. The paper sets no limit to the latter; from |n −
/// m| = 20 on, deleting one and inserting the other is cheaper.
///
/// By hand: `<p> text_12 <br>` → `<p> text_9 <hr> <br>` is 3/10 for the text and 1 for `<hr>`: 1.3.
///
/// At most O(n·limit) time, and O(n·d) for a distance of d; O(n) memory. Pages whose tag counts differ too much are rejected by the counts
/// alone.
pub fn distance(a: &[u16], b: &[u16], limit: f64) -> Option<f64> {
    let limit = (limit * f64::from(TENTHS)) as u32;
    let (a, b) = trim(a, b);
    if lower_bound(a, b) > limit {
        return None;
    }
    // The distances of most pairs are either small, or beyond any limit.
    let mut tried = FIRST_LIMIT.min(limit).min(upper_bound(a, b));
    loop {
        let found = if tried <= <i16 as Cost>::MAX { within::<i16>(a, b, tried) } else { within::<i32>(a, b, tried) };
        match found {
            Ok(cost) => return Some(f64::from(cost) / f64::from(TENTHS)),
            Err(_) if tried >= limit => return None,
            Err(share) => {
                // The limit at which the rest may cost as much as the part so far, and somewhat more.
                let guess = (f64::from(tried) / share.max(0.1) * 1.25) as u32;
                tried = guess.max(tried.saturating_mul(2)).min(limit);
            }
        }
    }
}

/// The limit that is tried first, in tenths.
const FIRST_LIMIT: u32 = 16 * TENTHS;

/// A lower bound of the distance: a step of cost 1 removes one tag that one side has in excess, and adds one that the other side has in
/// excess. All texts count as the same tag.
fn lower_bound(a: &[u16], b: &[u16]) -> u32 {
    let kind = |tag: u16| if tag & TEXT_TOKEN == 0 { tag } else { TEXT_TOKEN };
    let mut counts: FxHashMap<u16, i64> = FxHashMap::default();
    a.iter().for_each(|&tag| *counts.entry(kind(tag)).or_default() += 1);
    b.iter().for_each(|&tag| *counts.entry(kind(tag)).or_default() -= 1);
    let more = counts.values().filter(|&&count| count > 0).sum::<i64>();
    let less = -counts.values().filter(|&&count| count < 0).sum::<i64>();
    u32::try_from(more.max(less)).unwrap_or(u32::MAX).saturating_mul(TENTHS)
}

/// An upper bound of the distance of sequences of equal length: each entry is replaced by the one in its place.
fn upper_bound(a: &[u16], b: &[u16]) -> u32 {
    if a.len() != b.len() {
        return u32::MAX;
    }
    let costs = a.iter().zip(b).map(|(&x, &y)| <i32 as Cost>::replace(x, y) as u32);
    costs.fold(0, u32::saturating_add)
}

/// A cost in tenths, in a type of which several fit into a processor register.
trait Cost: Copy + Ord + Into<i64> {
    /// More than any cost that can occur in a result.
    const FAR: Self;
    /// The largest limit, in tenths, for which sums stay below [`FAR`](Cost::FAR).
    const MAX: u32;

    fn of(cost: u32) -> Self;

    /// The sum, or the largest number of the type if that is smaller.
    fn plus(self, more: Self) -> Self;

    /// The cost of replacing one entry by the other.
    fn replace(x: u16, y: u16) -> Self;
}

macro_rules! cost {
    ($number:ty) => {
        impl Cost for $number {
            const FAR: $number = <$number>::MAX;
            const MAX: u32 = (<$number>::MAX / 2) as u32;

            fn of(cost: u32) -> $number {
                <$number>::try_from(cost).unwrap_or(Self::FAR)
            }

            #[inline(always)]
            fn plus(self, more: $number) -> $number {
                self.saturating_add(more)
            }

            #[inline(always)]
            fn replace(x: u16, y: u16) -> $number {
                let texts = (x & !TEXT_TOKEN).abs_diff(y & !TEXT_TOKEN) as $number;
                let others = if x == y { 0 } else { TENTHS as $number };
                if x & y & TEXT_TOKEN != 0 { texts } else { others }
            }
        }
    };
}

cost!(i16);
cost!(i32);

/// The distance in tenths, if it is no more than `limit`; else the share of the sequences that was covered within the limit.
///
/// The table is filled along the diagonals with constant i + j, whose cells do not depend on each other, so that several are filled at
/// once. Only those cells are filled from which the end can still be reached within the limit, counting the insertions or deletions that
/// remain (Ukkonen 1985).
fn within<C: Cost>(a: &[u16], b: &[u16], limit: u32) -> Result<u32, f64> {
    let (n, m) = (a.len() as isize, b.len() as isize);
    let steps = (limit / TENTHS) as isize;
    let spare = steps - (n - m).abs();
    if spare < 0 {
        return Err(0.0);
    }
    // Cells with i − j outside of this range need more insertions or deletions than allowed. At least two such lines are kept, since each
    // has cells on every second diagonal only.
    let detour = (spare / 2).max(1);
    let (min, max) = ((n - m).min(0) - detour, (n - m).max(0) + detour);
    // With b reversed, column j = d − i of b lies beside row i; both sequences get one more entry, for j = 0 and i = 0.
    let rows: Vec<u16> = std::iter::once(0).chain(a.iter().copied()).collect();
    let columns: Vec<u16> = b.iter().rev().copied().chain([0]).collect();
    // Row i of a diagonal is stored at i + EDGE.
    const EDGE: isize = 2;
    let at = |i: isize| (i + EDGE) as usize;
    let mut diagonals = [0; 3].map(|_| vec![C::FAR; at(n + EDGE) + 1]);
    let one = C::of(TENTHS);
    // The filled rows of the last diagonal, and of the one before it; empty when the first is greater than the last.
    const NONE: (isize, isize) = (isize::MAX / 2, isize::MIN / 2);
    let (mut last, mut last_but_one) = ((0, 0), NONE);
    diagonals[1][at(0)] = C::of(0);
    for d in 1..=n + m {
        let start = (d - m).max(0).max((d + min + 1).div_euclid(2)).max(last.0.min(last_but_one.0 + 1));
        let end = n.min(d).min((d + max).div_euclid(2)).min(last.1.max(last_but_one.1) + 1);
        if start > end {
            return Err(d as f64 / (n + m) as f64);
        }
        let [beyond, before, now] = &mut diagonals;
        let len = (end - start + 1) as usize;
        let fill = now[at(start)..][..len].iter_mut();
        let (above, left) = (&before[at(start - 1)..][..len], &before[at(start)..][..len]);
        let diagonal = &beyond[at(start - 1)..][..len];
        let (rows, columns) = (&rows[start as usize..][..len], &columns[(m - d + start) as usize..][..len]);
        for (k, cell) in fill.enumerate() {
            let inserted = above[k].min(left[k]).plus(one);
            *cell = inserted.min(diagonal[k].plus(C::replace(rows[k], columns[k])));
        }
        let is_live = |i: isize, cost: C| {
            let rest = ((n - i) - (m - (d - i))).abs() * TENTHS as isize;
            cost != C::FAR && Into::<i64>::into(cost) + rest as i64 <= i64::from(limit)
        };
        let (mut first, mut final_row) = (start, end);
        while first <= end && !is_live(first, now[at(first)]) {
            now[at(first)] = C::FAR;
            first += 1;
        }
        while final_row >= first && !is_live(final_row, now[at(final_row)]) {
            now[at(final_row)] = C::FAR;
            final_row -= 1;
        }
        // Removes what older diagonals left in the neighbouring cells.
        for beside in [start - 2, start - 1, end + 1, end + 2] {
            now[at(beside)] = C::FAR;
        }
        last_but_one = last;
        last = if first <= final_row { (first, final_row) } else { NONE };
        let [beyond, before, now] = &mut diagonals;
        std::mem::swap(beyond, before);
        std::mem::swap(before, now);
    }
    let cost = Into::<i64>::into(diagonals[1][at(n)]);
    if cost <= i64::from(limit) { Ok(cost as u32) } else { Err(1.0) }
}

/// The sequences without their common beginning and end, which cost nothing in an optimal alignment.
pub(super) fn trim<'s>(a: &'s [u16], b: &'s [u16]) -> (&'s [u16], &'s [u16]) {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same..], &b[same..]);
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (&a[..a.len() - same], &b[..b.len() - same])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::tag_code;

    fn replace(x: u16, y: u16) -> u32 {
        if x == y {
            0
        } else if x & y & TEXT_TOKEN != 0 {
            u32::from((x & !TEXT_TOKEN).abs_diff(y & !TEXT_TOKEN))
        } else {
            TENTHS
        }
    }

    /// Fills every cell of the table.
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
        // With this limit, replacing one entry is possible, but inserting one and deleting another is not.
        assert_eq!(distance(&[p], &[br], 1.0), Some(1.0));
        assert_eq!(distance(&[TEXT_TOKEN | 12], &[TEXT_TOKEN | 9], 0.5), Some(0.3));
        // For long texts, deleting and inserting is cheaper.
        assert_eq!(distance(&[TEXT_TOKEN | 500], &[TEXT_TOKEN | 9], 5.0), Some(2.0));
        assert_eq!(similarity(&[], &[], &Limit::default()), None);
        assert_eq!(similarity(&a, &b, &Limit { base: 2.6, per_tag: 0.0 }), Some(0.5));
        assert_eq!(similarity(&a, &[], &Limit { base: 2.0, per_tag: 0.0 }), Some(0.0));
    }

    fn sequence() -> impl Strategy<Value = Vec<u16>> {
        prop::collection::vec(prop_oneof![0u16..4, (0u16..40).prop_map(|n| TEXT_TOKEN | n)], 0..30)
    }

    /// Two sequences that differ in a few entries only, for testing limits near the distance.
    fn near() -> impl Strategy<Value = (Vec<u16>, Vec<u16>)> {
        (sequence(), prop::collection::vec((0usize..30, 0u8..3, 0u16..4, any::<bool>()), 0..4)).prop_map(
            |(a, edits)| {
                let mut b = a.clone();
                for (at, edit, entry, is_text) in edits {
                    let entry = if is_text { TEXT_TOKEN | entry } else { entry };
                    let at = at % (b.len() + 1);
                    match edit {
                        0 if at < b.len() => b[at] = entry,
                        1 if at < b.len() => _ = b.remove(at),
                        _ => b.insert(at, entry),
                    }
                }
                (a, b)
            },
        )
    }

    proptest! {
        #[test]
        fn wide_costs_are_as_narrow_ones(a in sequence(), b in sequence(), limit in 0u32..400) {
            prop_assert_eq!(within::<i16>(&a, &b, limit), within::<i32>(&a, &b, limit));
        }

        #[test]
        fn the_band_gives_what_the_whole_table_gives(a in sequence(), b in sequence(), limit in 0u32..40) {
            let limit = f64::from(limit) / 2.0;
            let whole = naive(&a, &b);
            prop_assert_eq!(distance(&a, &b, limit), (whole <= limit).then_some(whole));
            prop_assert_eq!(distance(&a, &b, limit), distance(&b, &a, limit));
        }

        #[test]
        fn near_sequences_too((a, b) in near(), limit in 0u32..40) {
            let limit = f64::from(limit) / 10.0;
            let whole = naive(&a, &b);
            prop_assert_eq!(distance(&a, &b, limit), (whole <= limit).then_some(whole));
        }
    }
}
