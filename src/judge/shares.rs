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
    by_part: BTreeMap<u32, (f64, f64)>,
}

impl Paired {
    /// From the part of each candidate, with the probability that it is a right pair of a key. `smaller` gives the pages of the smaller
    /// language in a part. The share of the surrounding part counts for `worth` pages of a part. Only parts with candidates, and the parts
    /// around them, are known. Cost: candidates × depth.
    pub fn new(
        pairs: impl Iterator<Item = (u32, f64)>,
        parts: &Parts,
        smaller: impl Fn(u32) -> f64,
        worth: f64,
    ) -> Paired {
        let right = parts.summed(pairs.map(|(part, probability)| (part, [probability])));
        // Outer parts come first.
        let mut by_part: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (part, [right]) in right {
            let pages = smaller(part);
            let right = right.min(pages);
            let paired = match parts.outer(part) {
                None => (right, if pages == 0.0 { 0.0 } else { right / pages }),
                Some(outer) => {
                    let borrowed = worth * by_part[&outer].1;
                    (right + borrowed, (right + borrowed) / (pages + worth))
                }
            };
            by_part.insert(part, paired);
        }
        Paired { by_part }
    }

    /// How many pages of a part have a partner, including those borrowed from the surrounding part. Panics for a part that is not known.
    pub fn pages(&self, part: u32) -> f64 {
        self.by_part[&part].0
    }

    /// The share of a part's pages that have a partner, 0..=1. Panics for a part that is not known.
    pub fn share(&self, part: u32) -> f64 {
        self.by_part[&part].1
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
        let smaller = |part: u32| if part == WHOLE { 30.0 } else { 10.0 };
        let paired = Paired::new(std::iter::repeat_n((1, 1.0), 10).chain([(2, 0.0)]), &parts, smaller, 4.0);
        assert!((paired.share(WHOLE) - 10.0 / 30.0).abs() < 1e-12);
        // Part 1: 10 pages and 4/3 borrowed ones, of 14. Part 2: none and 4/3, of 14.
        assert!((paired.share(1) - (10.0 + 4.0 / 3.0) / 14.0).abs() < 1e-12);
        assert!((paired.share(2) - 4.0 / 3.0 / 14.0).abs() < 1e-12);
        assert!((paired.pages(2) - 4.0 / 3.0).abs() < 1e-12);
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
        assert_eq!(Paired::new([(WHOLE, 1.0)].into_iter(), &parts, |_| 0.0, 4.0).share(WHOLE), 0.0);
        assert_eq!(Paired::new([(WHOLE, 1.0)].into_iter(), &parts, |_| 1.0, 4.0).share(WHOLE), 1.0);
    }
}
