//! How usual the contents of a pair are among the right pairs of its part of the site.
//!
//! The weights say what contents are worth on all sites. They do not know how much the right pairs of one part vary. Where all languages
//! keep a template and every paragraph, a pair that has much less in common is something else, though on another site it would be a good
//! one. Where editors are free, it is one pair of many.

use std::collections::BTreeMap;

use super::prior;
use crate::index::parts::{Parts, WHOLE};

/// The number of pairs, the sum of the evidence of their contents in nats, the sum of its squares, and how many of the pairs are not like the
/// others.
#[derive(Clone, Copy, Default)]
struct Sums([f64; 4]);

impl Sums {
    fn of(right: f64, said: f64, unlike: f64) -> Sums {
        Sums([right, right * said, right * said * said, right * unlike])
    }

    /// The sums without those of `other`. They are 0 where nothing but rounding errors would be left.
    fn minus(self, other: Sums) -> Sums {
        let left = Sums(std::array::from_fn(|at| self.0[at] - other.0[at]));
        if left.0[0] > 1e-9 { left } else { Sums::default() }
    }
}

/// What is known of a normal distribution, in nats, how many pairs this knowledge is worth, and how many of them are not like the others.
#[derive(Clone, Copy, Debug)]
struct Normal {
    mean: f64,
    variance: f64,
    pairs: f64,
    unlike: f64,
}

impl Normal {
    /// What is known after pairs were seen: the mean and the variance have a conjugate prior (normal and scaled inverse χ²).
    fn after(self, Sums([count, sum, squares, unlike]): Sums) -> Normal {
        let worth = self.pairs;
        let pairs = worth + count;
        let mean = (worth * self.mean + sum) / pairs;
        let squares = worth * (self.variance + self.mean * self.mean) + squares;
        // Rounding errors must not take the variance below the share that the prior contributes.
        let variance = (squares / pairs - mean * mean).max(worth * self.variance / pairs);
        Normal { mean, variance, pairs, unlike: self.unlike + unlike }
    }

    /// The log density of the next pair's evidence, without the constant −½·ln 2π: Student's t. Γ((ν + 1)/2) / Γ(ν/2) is taken as
    /// √(ν/2)·e^(−1/4ν), which is accurate to 1 in 1,000 from ν = 4 on.
    fn log_density_of_next(self, x: f64) -> f64 {
        let (freedom, scale) = (self.pairs, self.variance * (1.0 + 1.0 / self.pairs));
        let away = (x - self.mean) * (x - self.mean) / scale;
        -0.25 / freedom - 0.5 * scale.ln() - 0.5 * (freedom + 1.0) * (away / freedom).ln_1p()
    }

    /// The log of the normal density, without the constant −½·ln 2π.
    fn log_density(self, x: f64) -> f64 {
        -0.5 * ((x - self.mean) * (x - self.mean) / self.variance + self.variance.ln())
    }
}

/// The distribution of the evidence of right pairs' contents, by part.
#[derive(Clone, Debug)]
pub struct Usual {
    /// The distribution believed for right pairs of all sites.
    all: Normal,
    /// The sums for each part that has pairs, and each part around one.
    sums: BTreeMap<u32, [f64; 4]>,
    /// What is expected of each of these parts before its pairs are seen.
    expected: BTreeMap<u32, Normal>,
}

impl Usual {
    /// From the part of each pair, the probability that it is right, and what [counts](super::score::FitParams::counted) of the evidence of
    /// its contents, in nats. What is seen around a part and not in it is expected of the part; for the whole site the belief is. Cost:
    /// pairs × depth of the parts.
    ///
    /// The evidence is ln P(measures | right) − ln P(measures | wrong). If it is normal in right and in wrong pairs with one variance, its
    /// means are ±μ and its variance is 2μ. This is believed of the right pairs of all sites, with μ from `params`.
    pub fn new(pairs: &[(u32, f64, f64)], parts: &Parts, params: &prior::Params) -> Usual {
        let alike = Usual::of(pairs.iter().map(|&pair| (pair, 0.0)), parts, params);
        let unlike =
            pairs.iter().map(|&(part, right, said)| ((part, right, said), alike.unlike(part, parts, right, said)));
        Usual::of(unlike, parts, params)
    }

    /// From the pairs, each with the probability that it is not like the others.
    fn of(pairs: impl Iterator<Item = ((u32, f64, f64), f64)>, parts: &Parts, params: &prior::Params) -> Usual {
        let (mean, variance) = (params.usual, params.usual_variance);
        let all = Normal { mean, variance: 2.0 * mean, pairs: params.worth, unlike: 0.0 };
        let sums = parts.summed(pairs.map(|((part, right, said), unlike)| (part, Sums::of(right, said, unlike).0)));
        let mut usual = Usual { all, sums, expected: BTreeMap::new() };
        // Outer parts come first.
        for (&part, &own) in &usual.sums {
            let round = |outer: u32| usual.as_belief(usual.without(outer, Sums(own)));
            let expected = parts.outer(part).map_or(Normal { variance, ..all }, round);
            usual.expected.insert(part, expected);
        }
        usual
    }

    /// What is known of a part without some of its pairs.
    fn without(&self, part: u32, some: Sums) -> Normal {
        self.expected[&part].after(Sums(self.sums[&part]).minus(some))
    }

    /// What is known of a part, as a prior for the parts inside it.
    fn as_belief(&self, known: Normal) -> Normal {
        Normal { pairs: self.all.pairs, unlike: known.unlike * self.all.pairs / known.pairs, ..known }
    }

    /// What is known of the innermost part around a pair of which anything is known, without the pair itself. `None` where there is no
    /// other pair.
    fn beside(&self, part: u32, parts: &Parts, own: Sums) -> Option<Normal> {
        self.sums.get(&WHOLE).filter(|&&all| Sums(all).minus(own).0[0] > 0.0)?;
        let known = parts.chain(part).find(|part| self.sums.contains_key(part)).unwrap_or(WHOLE);
        let known_of = self.without(known, own);
        Some(if known == part { known_of } else { self.as_belief(known_of) })
    }

    /// P(x | right, like the others of the part) / P(x | right), where x is the smaller of `said` and the mean in the part.
    fn ratio(&self, normal: Normal, said: f64) -> f64 {
        let said = said.min(normal.mean);
        (normal.log_density_of_next(said) - self.all.log_density(said)).exp()
    }

    /// The probability that a right pair is not like the others of its part, if one in n + 1 is not. n is the number of pairs that are seen
    /// and believed. `right` is the weight with which the pair was counted, which is left out here.
    fn unlike(&self, part: u32, parts: &Parts, right: f64, said: f64) -> f64 {
        let Some(normal) = self.beside(part, parts, Sums::of(right, said, 0.0)) else { return 0.0 };
        1.0 / (1.0 + normal.pairs * self.ratio(normal, said))
    }

    /// How much to take off the evidence of a pair's contents, in nats, because it is unusual among the right pairs of its part. The result
    /// is 0 or less: ln P(x | right, in this part) − ln P(x | right), where x is the smaller of `said` and the mean in the part. `right` is
    /// the weight with which the pair itself was counted, which is left out here. If n pairs are seen and believed, and u of them are not
    /// like the others, (1 + u)/(n + 1) of the right pairs are taken to be unlike the others, and to be distributed as on all sites. So the
    /// result is never below ln((1 + u)/(n + 1)). It is 0 where no other pair was counted.
    ///
    /// Nothing is ever added: where the right pairs of a part have little evidence, wrong ones may too, and many similar wrong pairs would
    /// confirm each other.
    pub fn evidence(&self, part: u32, parts: &Parts, right: f64, said: f64) -> f64 {
        let own = Sums::of(right, said, self.unlike(part, parts, right, said));
        let Some(normal) = self.beside(part, parts, own) else { return 0.0 };
        let unlike = (1.0 + normal.unlike) / (1.0 + normal.pairs);
        ((1.0 - unlike) * self.ratio(normal, said) + unlike).ln().min(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::{WHOLE, two_folders};

    fn params() -> prior::Params {
        prior::Params { worth: 4.0, usual: 6.0, usual_variance: 2.0, ..prior::Params::default() }
    }

    fn usual_of(pairs: &[(u32, f64, f64)], parts: &Parts) -> Usual {
        Usual::new(pairs, parts, &params())
    }

    #[test]
    fn a_pair_among_those_of_its_part_by_hand() {
        let parts = two_folders(20);
        let usual = usual_of(&[(1, 1.0, 4.0); 5], &parts);
        let t = |x: f64, mean: f64, variance: f64, freedom: f64, gammas: f64| {
            let scale = variance * (freedom + 1.0) / freedom;
            gammas / (freedom * std::f64::consts::PI * scale).sqrt()
                * (1.0 + (x - mean) * (x - mean) / scale / freedom).powf(-0.5 * (freedom + 1.0))
        };
        let normal = |x: f64| (-(x - 6.0) * (x - 6.0) / 24.0).exp() / (24.0 * std::f64::consts::PI).sqrt();
        // Each of the five has four pairs at 4 beside it, and four believed at 6 with variance 2: mean 5, variance 2. Γ(4.5) / Γ(4).
        let unlike = 1.0 / (1.0 + 8.0 * t(4.0, 5.0, 2.0, 8.0, 11.631728396567448 / 6.0) / normal(4.0));
        // Five pairs at 4; the squares sum up to 5·16 + 4·(2 + 36).
        let mean: f64 = (5.0 * 4.0 + 4.0 * 6.0) / 9.0;
        let variance = (5.0 * 16.0 + 4.0 * 38.0) / 9.0 - mean * mean;
        let unlike = (1.0 + 5.0 * unlike) / 10.0;
        // Γ(5) / Γ(4.5).
        let like = t(-2.0, mean, variance, 9.0, 24.0 / 11.631728396567448) / normal(-2.0);
        let expected = ((1.0 - unlike) * like + unlike).ln();
        let found = usual.evidence(1, &parts, 0.0, -2.0);
        assert!((found - expected).abs() < 2e-3, "{found} {expected}");
        assert_eq!([4.0, 6.0, 9.0].map(|said| usual.evidence(1, &parts, 0.0, said)), [0.0; 3]);
    }

    #[test]
    fn the_more_right_pairs_are_unlike_the_others_the_less_that_counts_however_many_pairs_there_are() {
        let parts = two_folders(20);
        let taken_off = |pairs: u32, odd: u32| {
            let pairs: Vec<_> =
                (0..pairs).map(|at| (1, 1.0, if at < odd { -1.0 } else { 7.0 + 0.5 * f64::from(at % 3) })).collect();
            usual_of(&pairs, &parts).evidence(1, &parts, 1.0, -1.0)
        };
        let [few, many] = [(1000, 20), (10_000, 200)].map(|(pairs, odd)| taken_off(pairs, odd));
        assert!((few - many).abs() < 0.1 && (many - 0.02f64.ln()).abs() < 0.2, "{few} {many}");
        assert!(taken_off(10_000, 1) < -8.0);
    }

    #[test]
    fn what_is_far_from_all_pairs_of_its_part_is_unusual_and_where_these_differ_it_is_not() {
        let parts = two_folders(20);
        let close = (0..100).map(|at| (1, 1.0, 5.0 + f64::from(at % 3)));
        let wide = (0..100).map(|at| (2, 1.0, -4.0 + f64::from(at % 12)));
        let usual = usual_of(&close.chain(wide).collect::<Vec<_>>(), &parts);
        let said = |part: u32| usual.evidence(part, &parts, 0.0, -2.0);
        assert!(said(1) < -4.0 && said(1) >= -(104f64.ln()) && said(2) == 0.0);
    }

    #[test]
    fn a_part_without_pairs_expects_what_is_round_it_and_a_site_without_any_nothing() {
        let parts = two_folders(20);
        let mut pairs: Vec<_> = (0..50).map(|at| (1, 1.0, 5.0 + f64::from(at % 2))).collect();
        let without = usual_of(&pairs, &parts).evidence(2, &parts, 0.0, -3.0);
        // One pair of the folder's own hardly changes the result, since the prior is worth four.
        pairs.push((2, 1.0, 5.0));
        let with_one = usual_of(&pairs, &parts).evidence(2, &parts, 0.0, -3.0);
        assert!((without - with_one).abs() < 0.5 && without < -1.0 && without >= -(5f64.ln()), "{without} {with_one}");
        let nothing = |pairs: &[(u32, f64, f64)]| usual_of(pairs, &parts);
        assert_eq!(nothing(&[]).evidence(2, &parts, 0.0, -3.0), 0.0);
        assert_eq!(nothing(&[(WHOLE, 0.5, -3.0)]).evidence(WHOLE, &parts, 0.5, -3.0), 0.0);
    }

    #[test]
    fn the_own_pair_tells_hardly_anything_of_itself() {
        let parts = two_folders(20);
        let others = || (0..10).map(|_| (1, 1.0, 6.0));
        let [with, without] = [vec![(1, 0.75, -3.0)], vec![]].map(|own| others().chain(own).collect::<Vec<_>>());
        let [with, without] = [with, without].map(|pairs| usual_of(&pairs, &parts));
        let [with, without] = [with.evidence(1, &parts, 0.75, -3.0), without.evidence(1, &parts, 0.0, -3.0)];
        // The others look a little less odd beside it.
        assert!((with - without).abs() < 0.25, "{with} {without}");
    }
}
