//! What names in URLs tell of two pages: how often pages that belong together have one in common, and others, in each part of a site.
//!
//! Where a site keeps its names in all languages, two that differ speak against a pair; where it translates them, they say nothing; and what one in common
//! is worth depends on how many pages of the part have it that do not belong together.

use super::prior;
use crate::index::parts::Parts;

/// A candidate whose URLs both name their pages.
pub struct Seen {
    /// The part of the site that it is in.
    pub part: u32,
    /// They have a name in common.
    pub shared: bool,
    /// The probability that the two addresses belong together.
    pub right: f64,
    /// It was proposed whatever its names are, so that it tells how often wrong pairs share one.
    pub is_free: bool,
}

/// How often names are shared, by part.
#[derive(Clone, Debug)]
pub struct Names {
    /// By pairs that are right, and by those that are wrong.
    rates: Vec<(f64, f64)>,
}

impl Names {
    /// From what was seen: the mean of the candidates of a part, each with the probability that it is right, or wrong, and of what is expected there, which is
    /// worth so many candidates as the belief: what `all` languages show in the part, or, without these, what is seen round it and not in it, and round the whole
    /// site the belief itself. Cost: candidates × depth of the parts, and parts.
    pub fn new(seen: impl Iterator<Item = Seen>, parts: &Parts, params: &prior::Params, all: Option<&Names>) -> Names {
        // Those with a name in common and all, of right and of wrong pairs.
        let mut sums = vec![[0.0; 4]; parts.count() as usize];
        for Seen { part, shared, right, is_free } in seen {
            let wrong = if is_free { 1.0 - right } else { 0.0 };
            let shared = f64::from(u8::from(shared));
            for part in parts.chain(part) {
                let sums = &mut sums[part as usize];
                let added = [shared * right, right, shared * wrong, wrong];
                sums.iter_mut().zip(added).for_each(|(sum, add)| *sum += add);
            }
        }
        let mean = |expected: f64, worth: f64, shared: f64, all: f64| (worth * expected + shared) / (worth + all);
        let (of_right, of_wrong) = (params.names, params.names_by_chance);
        let means = |expected: (f64, f64), [right, all_right, wrong, all_wrong]: [f64; 4]| {
            (mean(expected.0, of_right.1, right, all_right), mean(expected.1, of_wrong.1, wrong, all_wrong))
        };
        // What is expected of each part before its own candidates are seen.
        let mut expected: Vec<(f64, f64)> = Vec::with_capacity(sums.len());
        for (part, own) in (0u32..).zip(&sums) {
            let round = || {
                let Some(outer) = parts.outer(part) else { return (of_right.0, of_wrong.0) };
                let outer = outer as usize;
                means(expected[outer], std::array::from_fn(|at| (sums[outer][at] - own[at]).max(0.0)))
            };
            let round = all.map_or_else(round, |all| all.rates[part as usize]);
            expected.push(round);
        }
        let rates = expected.into_iter().zip(sums).map(|(expected, sums)| means(expected, sums)).collect();
        Names { rates }
    }

    /// What names say of a pair in a part, in nats: ln P(names | its pages belong together) − ln P(names | they do not).
    pub fn evidence(&self, part: u32, shared: bool) -> f64 {
        let (right, wrong) = self.rates[part as usize];
        if shared { (right / wrong).ln() } else { ((1.0 - right) / (1.0 - wrong)).ln() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::{Tree, WHOLE};
    use crate::types::Lang;

    #[test]
    fn what_names_say_by_hand() {
        // Two folders of 20 pages in two languages.
        let langs: Vec<Lang> = (0..40).map(|at| if at % 2 == 0 { Lang::EN } else { Lang::ZH }).collect();
        let parts = Parts::new(&Tree::new((0..40u64).map(|at| Some(at / 20))), &langs);
        let params = prior::Params { names: (0.5, 4.0), names_by_chance: (0.125, 4.0), ..prior::Params::default() };
        let seen = |part, shared, right, is_free| Seen { part, shared, right, is_free };
        // Four right pairs of the first folder share names; of eight wrong ones of words one does, and one of a key.
        let right = (0..4).map(|_| seen(1, true, 1.0, false));
        let wrong = (0..8).map(|at| seen(1, at == 0, 0.0, true)).chain([seen(1, true, 0.0, false)]);
        let names = Names::new(right.chain(wrong), &parts, &params, None);
        // Nothing was seen round the first folder; all of it is round the second.
        let first: (f64, f64) = ((2.0 + 4.0) / 8.0, (0.5 + 1.0) / 12.0);
        let second: (f64, f64) = ((4.0 * 0.75) / 4.0, (4.0 * 0.125) / 4.0);
        for (part, (right, wrong)) in [(WHOLE, first), (1, first), (2, second)] {
            assert!((names.evidence(part, true) - (right / wrong).ln()).abs() < 1e-12, "{part}");
            assert!((names.evidence(part, false) - ((1.0 - right) / (1.0 - wrong)).ln()).abs() < 1e-12, "{part}");
        }
        // One language of which nothing is known is expected to be as all are.
        let none = Names::new([].into_iter(), &parts, &params, Some(&names));
        assert!((none.evidence(1, true) - names.evidence(1, true)).abs() < 1e-12);
    }

    #[test]
    fn folders_in_each_other_that_have_the_same_pages_say_what_one_says() {
        let langs: Vec<Lang> = (0..80).map(|at| if at % 2 == 0 { Lang::EN } else { Lang::ZH }).collect();
        // Four folders in each other, and one beside them.
        let parts =
            Parts::new(&Tree::new((0..80u64).map(|at| if at < 40 { vec![1, 2, 3, 4] } else { vec![9] })), &langs);
        let params = prior::Params::default();
        let seen = |part| (0..100_000).map(move |_| Seen { part, shared: true, right: 1.0, is_free: false });
        let names = |depth: usize| {
            let part = parts.chain(parts.of(0)).nth(depth).expect("a part");
            Names::new(seen(part), &parts, &params, None).evidence(part, false)
        };
        let innermost = names(0);
        assert!(innermost.is_finite() && (innermost - names(1)).abs() < 1e-9, "{innermost}");
    }
}
