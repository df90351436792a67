//! What names in URLs say of two pages, in each part of a site: how often pages that belong together have a name in common, and how often
//! other pages do.
//!
//! Where a site keeps its names in all languages, two different names speak against a pair. Where a site translates its names, different
//! names say nothing. How much a common name is worth depends on how many candidates of the part have one although their pages do not
//! belong together.

use std::collections::BTreeMap;

use super::prior;
use crate::index::parts::{Parts, WHOLE};

/// A candidate whose URLs both name their pages.
pub struct Seen {
    /// The innermost part of the site that has both pages.
    pub part: u32,
    /// True when the URLs have a name in common.
    pub shared: bool,
    /// The probability that the two addresses belong together.
    pub right: f64,
    /// True when it was proposed whatever its names are, so that it shows how often wrong pairs share a name.
    pub is_free: bool,
}

/// By part, how many candidates have a name in common, and how many there are: first of the right ones, then of the wrong ones.
#[derive(Clone, Debug, Default)]
pub struct NameCounts(BTreeMap<u32, [f64; 4]>);

impl NameCounts {
    /// Counts the candidates seen. Cost: candidates × depth of the parts.
    pub fn new(seen: impl Iterator<Item = Seen>, parts: &Parts) -> NameCounts {
        let counted = |Seen { part, shared, right, is_free }| {
            let wrong = if is_free { 1.0 - right } else { 0.0 };
            let shared = f64::from(u8::from(shared));
            (part, [shared * right, right, shared * wrong, wrong])
        };
        NameCounts(parts.summed(seen.map(counted)))
    }

    fn at(&self, part: u32) -> [f64; 4] {
        self.0.get(&part).copied().unwrap_or_default()
    }
}

fn minus(x: [f64; 4], y: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|at| (x[at] - y[at]).max(0.0))
}

/// How often names are shared in one language pair, by part.
#[derive(Clone, Debug)]
pub struct Names {
    /// For each part with candidates, the share of right pairs with a common name, and that of wrong pairs. Other parts have the rates of
    /// the part around them.
    rates: BTreeMap<u32, (f64, f64)>,
    /// The same two rates, as expected where nothing is seen.
    belief: (f64, f64),
}

impl Names {
    /// Estimates the rates of the language pair whose candidates are `seen`. A rate is the mean of two things: the candidates of the part,
    /// each with the probability that it is right (or wrong), and what is expected there, which is worth as many candidates as the belief.
    /// What is expected comes from other languages in the part; their prior is what is seen around the part and not in it; and for the
    /// whole site the prior is the belief in `params`. `all` counts the pairs of keys in all languages, `of_all` those of this language
    /// pair. No rate is more certain than all candidates of the site and the belief together make it. Cost: parts with candidates, times
    /// their depth.
    pub fn new(
        seen: &NameCounts,
        (all, of_all): (&NameCounts, &NameCounts),
        parts: &Parts,
        params: &prior::Params,
    ) -> Names {
        let worth = params.worth;
        let mean = |expected: f64, shared: f64, all: f64| (worth * expected + shared) / (worth + all);
        let means = |expected: (f64, f64), [right, all_right, wrong, all_wrong]: [f64; 4]| {
            (mean(expected.0, right, all_right), mean(expected.1, wrong, all_wrong))
        };
        let others = |part: u32| minus(all.at(part), of_all.at(part));
        let [whole, whole_others] = [seen.at(WHOLE), others(WHOLE)];
        let within = |rate: f64, belief: f64, at: usize| {
            let count = whole[at] + whole_others[at];
            rate.clamp(mean(belief, 0.0, count), mean(belief, count, count))
        };
        let belief = (params.names, params.names_by_chance);
        // What the surroundings of each part let expect. Outer parts come first.
        let mut expected: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        let mut rates = BTreeMap::new();
        for (&part, &own) in &seen.0 {
            let round = parts.outer(part).map_or(belief, |outer| {
                let by_others = means(expected[&outer], minus(others(outer), others(part)));
                means(by_others, minus(seen.at(outer), own))
            });
            expected.insert(part, round);
            let (right, wrong) = means(means(round, others(part)), own);
            rates.insert(part, (within(right, belief.0, 1), within(wrong, belief.1, 3)));
        }
        Names { rates, belief }
    }

    /// What names say of a pair in a part, in nats: ln P(names | the pages belong together) − ln P(names | they do not).
    pub fn evidence(&self, part: u32, parts: &Parts, shared: bool) -> f64 {
        let seen = parts.chain(part).find_map(|part| self.rates.get(&part));
        let (right, wrong) = *seen.unwrap_or(&self.belief);
        if shared { (right / wrong).ln() } else { ((1.0 - right) / (1.0 - wrong)).ln() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::{Tree, two_folders};
    use crate::types::Lang;

    fn seen(part: u32, shared: bool, right: f64, is_free: bool) -> Seen {
        Seen { part, shared, right, is_free }
    }

    #[test]
    fn what_names_say_by_hand() {
        let parts = two_folders(0);
        let params = prior::Params { names: 0.5, names_by_chance: 0.125, worth: 4.0, ..prior::Params::default() };
        // In the first folder four right pairs share names. Of the eight wrong pairs that words propose one shares a name, and so does one
        // of a key. The only candidate of the second folder shares none.
        let right = (0..4).map(|_| seen(1, true, 1.0, false));
        let wrong = (0..8).map(|at| seen(1, at == 0, 0.0, true)).chain([seen(1, true, 0.0, false)]);
        let own = NameCounts::new(right.chain(wrong).chain([seen(2, false, 0.0, true)]), &parts);
        let none = NameCounts::default();
        let names = Names::new(&own, (&none, &none), &parts, &params);
        // The first folder is surrounded by the second, with one wrong candidate, and the second by the first.
        let round: (f64, f64) = (0.5, 0.5 / 5.0);
        let first: (f64, f64) = ((2.0 + 4.0) / 8.0, (4.0 * round.1 + 1.0) / 12.0);
        let round: (f64, f64) = (0.75, 1.5 / 12.0);
        let second: (f64, f64) = (0.75, 4.0 * round.1 / 5.0);
        let whole: (f64, f64) = (0.75, 1.5 / 13.0);
        for (part, (right, wrong)) in [(WHOLE, whole), (1, first), (2, second)] {
            assert!((names.evidence(part, &parts, true) - (right / wrong).ln()).abs() < 1e-12, "{part}");
            let differ = ((1.0 - right) / (1.0 - wrong)).ln();
            assert!((names.evidence(part, &parts, false) - differ).abs() < 1e-12, "{part}");
        }
    }

    #[test]
    fn what_other_languages_show_is_expected_and_counts_once() {
        let (parts, params, none) = (two_folders(0), prior::Params::default(), NameCounts::default());
        let keys = |count: usize| NameCounts::new((0..count).map(|_| seen(1, true, 1.0, false)), &parts);
        let candidate = NameCounts::new([seen(1, true, 0.0, true)].into_iter(), &parts);
        let says = |own: &NameCounts, all: &NameCounts, of_all: &NameCounts| {
            Names::new(own, (all, of_all), &parts, &params).evidence(1, &parts, false)
        };
        // Beside 500 pairs that share names, 2 of 504 are expected not to, whether the 500 are of this language pair or of another.
        let wrong = 1.0 - (0.05 * 4.0 + 1.0) / 5.0;
        let of_other = says(&candidate, &keys(500), &none);
        assert!((of_other - (2.0f64 / 504.0 / wrong).ln()).abs() < 1e-9, "{of_other}");
        let own = says(&keys(500), &keys(500), &keys(500));
        assert!((own - (2.0f64 / 504.0 / 0.95).ln()).abs() < 1e-9, "{own}");
    }

    #[test]
    fn folders_in_each_other_are_no_surer_than_all_that_was_seen() {
        // Four nested folders, each with 40 pages more than the next inner one.
        let langs: Vec<Lang> = (0..160).map(|at| if at % 2 == 0 { Lang::EN } else { Lang::ZH }).collect();
        let parts = Parts::new(&Tree::new((0..160u64).map(|at| (0..at / 40).collect::<Vec<_>>())), &langs);
        let chain: Vec<u32> = parts.chain(parts.of(159)).collect();
        assert_eq!(chain.len(), 4);
        let (params, none) = (prior::Params::default(), NameCounts::default());
        let all = chain.iter().flat_map(|&part| (0..100_000).map(move |_| seen(part, true, 1.0, false)));
        let names = Names::new(&NameCounts::new(all, &parts), (&none, &none), &parts, &params);
        let least = (2.0f64 / 400_004.0 / 0.95).ln();
        for &part in &chain {
            let said = names.evidence(part, &parts, false);
            assert!((said - least).abs() < 1e-6 || said > least, "{said} {least}");
        }
    }

    #[test]
    fn a_candidate_that_may_be_right_counts_in_part() {
        let counts =
            NameCounts::new([Seen { part: 1, shared: true, right: 0.25, is_free: true }].into_iter(), &two_folders(0));
        assert_eq!(counts.at(1), [0.25, 0.25, 0.75, 0.75]);
    }
}
