//! How often each source of candidates is right in each part of a site, and what share of a part's pages keys pair.
//!
//! A pair is judged in the innermost part that has both of its pages. A part with few pairs borrows from the parts around and beside it:
//! what is seen there is expected here before the pairs are seen (partial pooling, with a Beta prior at each part).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::prior::{Shown, share_right};
use crate::index::parts::Parts;

/// How often one source is right, by part.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// The share for pairs that lie in a part and in no part inside it.
    here: FxHashMap<u32, f64>,
    /// The share expected of a pair in a part that belongs to none of the groups seen there.
    expected: FxHashMap<u32, f64>,
    belief: f64,
}

impl Shares {
    /// From the part of each pair of the source, with what is shown of it. `belief` is the share that is believed without any evidence,
    /// `worth` how many pairs this belief is worth.
    ///
    /// The pairs of a part form groups: those of each part inside it, and those that lie across these parts. Groups may differ from each
    /// other. Before the pairs of a group are seen, the share expected of it is the mean of the share expected of the part and of the
    /// shares of the other groups, each counted once however many pairs it has. Cost: pairs × depth of the parts × rounds.
    pub fn new<S: Copy + Into<Shown>>(pairs: &[(u32, S)], parts: &Parts, (belief, worth): (f64, f64)) -> Shares {
        // Outer parts come first.
        let mut within: BTreeMap<u32, Vec<S>> = BTreeMap::new();
        let mut here: BTreeMap<u32, Vec<S>> = BTreeMap::new();
        for &(part, evidence) in pairs {
            here.entry(part).or_default().push(evidence);
            parts.chain(part).for_each(|part| within.entry(part).or_default().push(evidence));
        }
        let shown = |pairs: &Vec<S>| share_right(pairs, (belief, worth));
        let shown_within: BTreeMap<u32, f64> = within.iter().map(|(&part, evidence)| (part, shown(evidence))).collect();
        // How many groups each part has, and the sum of their shares.
        let mut groups: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (&part, &share) in &shown_within {
            if let Some(outer) = parts.outer(part) {
                let groups = groups.entry(outer).or_default();
                *groups = (groups.0 + 1.0, groups.1 + share);
            }
        }
        let mut shares = Shares { belief, ..Shares::default() };
        let mut expected_of: BTreeMap<u32, f64> = BTreeMap::new();
        for &part in within.keys() {
            let (count, sum) = groups.get(&part).copied().unwrap_or_default();
            let across = here.get(&part).map(|evidence| (evidence, shown(evidence)));
            let (count, sum) = across.map_or((count, sum), |(_, share)| (count + 1.0, sum + share));
            let expected = match parts.outer(part) {
                None => belief,
                Some(outer) => {
                    let (round, count, sum) = (expected_of[&outer], groups[&outer].0, groups[&outer].1);
                    (round + sum - shown_within[&part]) / count
                }
            };
            expected_of.insert(part, expected);
            groups.insert(part, (count, sum));
            shares.expected.insert(part, (expected + sum) / (1.0 + count));
            if let Some((evidence, share)) = across {
                let expected = (expected + sum - share) / count;
                shares.here.insert(part, share_right(evidence, (expected, worth)));
            }
        }
        shares
    }

    /// How often a pair is right that lies in this part and in no part inside it.
    pub fn at(&self, part: u32, parts: &Parts) -> f64 {
        let round = || parts.chain(part).find_map(|part| self.expected.get(&part)).copied();
        self.here.get(&part).copied().or_else(round).unwrap_or(self.belief)
    }
}

/// By part, how many pages of the smaller of two languages have a partner by keys.
#[derive(Clone, Debug, Default)]
pub struct Paired {
    /// Of all pages of a part.
    within: BTreeMap<u32, Rate>,
    /// Of its own pages, which are in no part inside it.
    own: BTreeMap<u32, Rate>,
}

/// How many pages have a partner, including those borrowed from what is around them, and the share of the pages that these are, 0..=1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// Pages with a partner.
    pub paired: f64,
    /// The share.
    pub share: f64,
}

impl Rate {
    /// Of `pages` that `around` is expected of, which counts for `worth` pages.
    fn beside(paired: f64, pages: f64, around: Rate, worth: f64) -> Rate {
        let paired = paired.min(pages) + worth * around.share;
        Rate { paired, share: paired / (pages + worth) }
    }
}

/// A candidate that keys may pair.
#[derive(Clone, Copy, Debug)]
pub struct OfKeys {
    /// The innermost part that has both pages.
    pub part: u32,
    /// True where neither page is in a part inside it.
    pub is_own: bool,
    /// The probability that it is a right pair of a key.
    pub right: f64,
}

impl Paired {
    /// From the candidates. `smaller` gives the pages of the smaller language in a part, and of its own pages. The share of the surrounding part
    /// counts for `worth` pages of a part, and that of a part for as many of its own pages: they are siblings, and the parts inside it may be
    /// other sites. Only parts with candidates, and the parts around them, are known. Cost: candidates × depth.
    pub fn new(
        pairs: impl Iterator<Item = OfKeys>,
        parts: &Parts,
        smaller: impl Fn(u32) -> [u32; 2],
        worth: f64,
    ) -> Paired {
        let mut own_pairs: BTreeMap<u32, f64> = BTreeMap::new();
        let counted = pairs.map(|OfKeys { part, is_own, right }| {
            *own_pairs.entry(part).or_default() += if is_own { right } else { 0.0 };
            (part, [right])
        });
        let within_pairs = parts.summed(counted);
        let mut paired = Paired::default();
        // Outer parts come first.
        for (part, [right]) in within_pairs {
            let [pages, own_pages] = smaller(part).map(f64::from);
            let within = match parts.outer(part) {
                None if pages == 0.0 => Rate::default(),
                None => Rate { paired: right.min(pages), share: right.min(pages) / pages },
                Some(outer) => Rate::beside(right, pages, paired.within[&outer], worth),
            };
            paired.within.insert(part, within);
            let own = match own_pages < pages {
                true => Rate::beside(own_pairs.get(&part).copied().unwrap_or(0.0), own_pages, within, worth),
                false => within,
            };
            paired.own.insert(part, own);
        }
        paired
    }

    /// The rate for pairs whose innermost common part this is: of all its pages, or of its own if neither page is in a part inside it. Panics for
    /// a part that is not known.
    pub fn at(&self, part: u32, is_own: bool) -> Rate {
        if is_own { self.own[&part] } else { self.within[&part] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::{WHOLE, two_folders};

    #[test]
    fn a_part_with_many_pairs_stands_by_itself_and_one_with_few_borrows() {
        let parts = two_folders(20);
        let (right, wrong) = (8.0, -8.0);
        let pairs: Vec<(u32, f64)> = std::iter::repeat_n((1, right), 40)
            .chain(std::iter::repeat_n((2, wrong), 40))
            .chain([(WHOLE, wrong)])
            .collect();
        let shares = Shares::new(&pairs, &parts, (0.1, 4.0));
        assert!(shares.at(1, &parts) > 0.9 && shares.at(2, &parts) < 0.1, "{shares:?}");
        // A thousand pairs across parts have no more weight than one group.
        let across: Vec<(u32, f64)> = std::iter::repeat_n((WHOLE, wrong), 1000).chain([(1, 1.0), (2, right)]).collect();
        let shares = Shares::new(&across, &parts, (0.1, 4.0));
        assert!(shares.at(1, &parts) > 0.05 && shares.at(WHOLE, &parts) < 1e-2, "{shares:?}");
    }

    #[test]
    fn what_is_expected_of_a_group_by_hand() {
        let parts = two_folders(20);
        let belief = (0.1, 4.0);
        let shown = |evidence: &[f64]| share_right(evidence, belief);
        let shares = Shares::new(&[(1, 3.0), (2, 3.0), (2, -3.0), (WHOLE, -3.0)], &parts, belief);
        let [one, two, across] = [shown(&[3.0]), shown(&[3.0, -3.0]), shown(&[-3.0])];
        assert!((shares.at(1, &parts) - share_right(&[3.0], ((0.1 + two + across) / 3.0, 4.0))).abs() < 1e-12);
        assert!((shares.at(2, &parts) - share_right(&[3.0, -3.0], ((0.1 + one + across) / 3.0, 4.0))).abs() < 1e-12);
        assert!((shares.at(WHOLE, &parts) - share_right(&[-3.0], ((0.1 + one + two) / 3.0, 4.0))).abs() < 1e-12);
        // With all pairs in one part, the belief alone is known of others.
        let alone = Shares::new(&[(1, 3.0), (1, -3.0)], &parts, belief);
        assert_eq!(alone.at(1, &parts), two);
        assert!((alone.at(2, &parts) - (0.1 + two) / 2.0).abs() < 1e-12);
        assert_eq!(Shares::new::<f64>(&[], &parts, belief).at(2, &parts), 0.1);
    }

    #[test]
    fn the_share_of_paired_pages_by_hand() {
        let parts = two_folders(20);
        let smaller = |part: u32| if part == WHOLE { [30, 10] } else { [10, 10] };
        let of = |part, right| OfKeys { part, is_own: true, right };
        let pairs = std::iter::repeat_n(of(1, 1.0), 10).chain([of(2, 0.0)]);
        let paired = Paired::new(pairs, &parts, smaller, 4.0);
        let share = |part| paired.at(part, false).share;
        assert!((share(WHOLE) - 10.0 / 30.0).abs() < 1e-12);
        // Part 1: 10 pages and 4/3 borrowed ones, of 14. Part 2: none and 4/3, of 14.
        assert!((share(1) - (10.0 + 4.0 / 3.0) / 14.0).abs() < 1e-12);
        assert!((share(2) - 4.0 / 3.0 / 14.0).abs() < 1e-12);
        assert!((paired.at(2, false).paired - 4.0 / 3.0).abs() < 1e-12);
        // Parts without parts inside them have no other pages than their own; of the site's own ten pages none is paired.
        assert_eq!(paired.at(1, true).share, share(1));
        assert!((paired.at(WHOLE, true).share - 4.0 / 3.0 / 14.0).abs() < 1e-12);
    }

    #[test]
    fn a_part_whose_pairs_are_in_none_of_its_groups_is_expected_as_they_show() {
        let parts = two_folders(20);
        let belief = (0.1, 4.0);
        let shown = |evidence: &[f64]| share_right(evidence, belief);
        let shares = Shares::new(&[(WHOLE, 3.0)], &parts, belief);
        let (found, wanted) = (shares.at(1, &parts), (0.1 + shown(&[3.0])) / 2.0);
        assert!(
            (found - wanted).abs() < 1e-12,
            "found {found}, by the documentation {wanted}, belief 0.1, shown {}",
            shown(&[3.0])
        );
    }

    #[test]
    fn one_group_and_what_lies_across_by_hand() {
        let parts = two_folders(20);
        let belief = (0.1, 4.0);
        let shown = |evidence: &[f64]| share_right(evidence, belief);
        let shares = Shares::new(&[(1, 3.0), (WHOLE, -3.0)], &parts, belief);
        assert!((shares.at(1, &parts) - share_right(&[3.0], ((0.1 + shown(&[-3.0])) / 2.0, 4.0))).abs() < 1e-12);
        assert!((shares.at(2, &parts) - (0.1 + shown(&[3.0]) + shown(&[-3.0])) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_part_without_pages_has_no_share() {
        let parts = two_folders(20);
        let pair = || [OfKeys { part: WHOLE, is_own: true, right: 1.0 }].into_iter();
        assert_eq!(Paired::new(pair(), &parts, |_| [0, 0], 4.0).at(WHOLE, true).share, 0.0);
        assert_eq!(Paired::new(pair(), &parts, |_| [1, 1], 4.0).at(WHOLE, true).share, 1.0);
    }
}
