//! What a sample of judged pairs says about all pairs: how many to draw from each stratum, precision with its 95 % interval, and how far
//! two reviewers agree.

use statrs::function::beta::inv_beta_reg;

use crate::types::Verdict;

/// One stratum of all pairs, and the judgements on its sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    /// Number of pairs in the stratum.
    pub population: u64,
    /// Number of pairs judged right.
    pub right: u64,
    /// Number of pairs judged wrong.
    pub wrong: u64,
}

impl Stratum {
    /// Number of pairs judged right or wrong.
    pub fn judged(&self) -> u64 {
        self.right + self.wrong
    }

    fn share(&self) -> f64 {
        self.right as f64 / self.judged() as f64
    }

    /// The size of a sample from an infinite population that would say as much. A sample without replacement says more than one of its own
    /// size (the finite population correction, Cochran 1977, § 2.6).
    fn effective(&self) -> f64 {
        let (judged, population) = (self.judged() as f64, self.population as f64);
        judged * (population - 1.0) / (population - judged)
    }
}

/// Precision, with an interval that contains the true value in 95 of 100 samples.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// Share of right pairs, 0..=1, in which each stratum has the weight of its part of all pairs.
    pub precision: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The 97.5th percentile of the normal distribution: 95 % lie within so many standard deviations.
const Z: f64 = 1.959_963_984_540_054;

/// The share that lies beyond each end of an interval.
const TAIL: f64 = 0.025;

/// Least number of draws from a stratum, since one draw says nothing about the variance.
const MIN_DRAWN: u64 = 2;

/// Draws that make a separate stratum worthwhile.
const DRAWS_A_STRATUM: u64 = 20;

/// The largest number of strata for a sample of so many pairs; if there are more, they have to be merged.
pub fn max_strata(size: u64) -> usize {
    usize::try_from((size / DRAWS_A_STRATUM).max(1)).unwrap_or(usize::MAX)
}

/// How many pairs to draw from each stratum: in proportion to the square roots of their populations, so that a large stratum does not take
/// all draws, and at least two from each, if there are enough draws.
///
/// By hand: of 10 draws, populations of 900 and 100 get 8 and 2 (3 : 1, rounded by the largest quotient).
pub fn allocate(populations: &[u64], size: u64) -> Vec<u64> {
    let least = MIN_DRAWN.min(size / populations.len().max(1) as u64);
    let mut drawn: Vec<u64> = populations.iter().map(|&population| population.min(least)).collect();
    while drawn.iter().sum::<u64>() < size {
        let quotient = |at: &usize| (populations[*at] as f64).sqrt() / (drawn[*at] + 1) as f64;
        let open = (0..drawn.len()).filter(|&at| drawn[at] < populations[at]);
        let Some(next) = open.max_by(|x, y| quotient(x).total_cmp(&quotient(y)).then(y.cmp(x))) else { break };
        drawn[next] += 1;
    }
    drawn
}

/// The precision of all pairs, from what was judged of each stratum; `None` while a stratum has no judged pair.
///
/// With one stratum: the score interval (Wilson 1927). With several: limits are computed for each stratum, and their distances from the
/// estimate, weighted by the stratum's part of all pairs, are added as squares (Zou, Huang & Zhang 2009, eq. 3). The limits of a stratum
/// lie midway between those of Clopper & Pearson (1934) and those of Jeffreys, since no interval from few draws has exactly 95 %. In both
/// cases a sample counts as larger, the larger its share of the stratum is; a stratum that was judged completely has no interval.
pub fn estimate(strata: &[Stratum]) -> Option<Estimate> {
    let whole = strata.iter().map(|stratum| stratum.population).sum::<u64>() as f64;
    let mut strata = strata.iter().filter(|stratum| stratum.population > 0);
    let first = strata.next()?;
    let Some(second) = strata.next() else { return (first.judged() > 0).then(|| wilson(first)) };
    let (mut precision, mut below, mut above) = (0.0, 0.0, 0.0);
    for stratum in [first, second].into_iter().chain(strata) {
        if stratum.judged() == 0 {
            return None;
        }
        let part = stratum.population as f64 / whole;
        let (low, high) = limits(stratum);
        precision += part * stratum.share();
        below += (part * (stratum.share() - low)).powi(2);
        above += (part * (high - stratum.share())).powi(2);
    }
    Some(Estimate { precision, low: (precision - below.sqrt()).max(0.0), high: (precision + above.sqrt()).min(1.0) })
}

/// The score interval of one stratum.
///
/// By hand: 95 of 100, from a very large population: (0.95 + 1.9208/100) / 1.038415 = 0.9333, and 1.95996/1.038415 · √(0.0475/100 +
/// 0.0000960) = 0.0451, so 0.8882 to 0.9785.
fn wilson(stratum: &Stratum) -> Estimate {
    let share = stratum.share();
    if stratum.judged() >= stratum.population {
        return Estimate { precision: share, low: share, high: share };
    }
    let n = stratum.effective();
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    Estimate { precision: share, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

/// The limits of one stratum among several.
fn limits(stratum: &Stratum) -> (f64, f64) {
    let share = stratum.share();
    if stratum.judged() >= stratum.population {
        return (share, share);
    }
    let n = stratum.effective();
    let (right, wrong) = (share * n, (1.0 - share) * n);
    let low = if stratum.right == 0 {
        0.0
    } else {
        (inv_beta_reg(right, wrong + 1.0, TAIL) + inv_beta_reg(right + 0.5, wrong + 0.5, TAIL)) / 2.0
    };
    let high = if stratum.wrong == 0 {
        1.0
    } else {
        (inv_beta_reg(right + 1.0, wrong, 1.0 - TAIL) + inv_beta_reg(right + 0.5, wrong + 0.5, 1.0 - TAIL)) / 2.0
    };
    (low, high)
}

/// How far two reviewers agree on what both have judged.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Agreement {
    /// Number of pairs that both have judged.
    pub both: u64,
    /// Share of these on which they agree, 0..=1.
    pub observed: f64,
    /// Cohen's κ: the share of the possible agreement beyond chance that they reach; `None` where they would always agree by chance.
    pub kappa: Option<f64>,
}

/// Cohen's κ (1960) over right, wrong and unsure; `None` if no pair was judged by both.
///
/// By hand: of 50 pairs, both call 20 right and 15 wrong; 5 are right for the first and wrong for the second, and 10 the other way round.
/// They agree on 0.7, and by chance on 0.5 · 0.6 + 0.5 · 0.4 = 0.5, so κ = 0.4.
pub fn agreement(pairs: impl IntoIterator<Item = (Verdict, Verdict)>) -> Option<Agreement> {
    let mut table = [[0u64; 3]; 3];
    for (x, y) in pairs {
        table[x as usize][y as usize] += 1;
    }
    let both = table.iter().flatten().sum::<u64>();
    if both == 0 {
        return None;
    }
    let share = |count: u64| count as f64 / both as f64;
    let observed = share((0..3).map(|at| table[at][at]).sum());
    let row = |at: usize| share(table[at].iter().sum());
    let column = |at: usize| share(table.iter().map(|row| row[at]).sum());
    let chance: f64 = (0..3).map(|at| row(at) * column(at)).sum();
    let kappa = (chance < 1.0).then(|| (observed - chance) / (1.0 - chance));
    Some(Agreement { both, observed, kappa })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stratum(population: u64, right: u64, wrong: u64) -> Stratum {
        Stratum { population, right, wrong }
    }

    fn near(x: f64, y: f64) {
        assert!((x - y).abs() < 5e-4, "{x} is not {y}");
    }

    #[test]
    fn the_examples_by_hand() {
        let found = estimate(&[stratum(1_000_000_000, 95, 5)]).expect("enough was judged");
        near(found.low, 0.8882);
        near(found.high, 0.9785);
        assert_eq!(allocate(&[900, 100], 10), [8, 2]);
        let says = |x, y, count| std::iter::repeat_n((x, y), count);
        use Verdict::{Right, Wrong};
        let judged = says(Right, Right, 20).chain(says(Wrong, Wrong, 15)).chain(says(Right, Wrong, 5));
        let found = agreement(judged.chain(says(Wrong, Right, 10))).expect("enough was judged");
        assert_eq!((found.both, found.observed), (50, 0.7));
        near(found.kappa.expect("enough was judged"), 0.4);
        assert_eq!(agreement(says(Right, Right, 4)).expect("enough was judged").kappa, None);
        assert_eq!(agreement(says(Right, Right, 0)), None);
    }

    #[test]
    fn limits_lie_midway_between_those_of_tables() {
        // 95 of 100: Clopper & Pearson 0.8872 to 0.9836; Jeffreys 0.8943 to 0.9807 (both from tables).
        let (low, high) = limits(&stratum(1_000_000_000, 95, 5));
        near(low, (0.8872 + 0.8943) / 2.0);
        near(high, (0.9836 + 0.9807) / 2.0);
        // All of 20: 0.025^(1/20) = 0.8316 by Clopper & Pearson, and 0.8830 by Jeffreys.
        near(limits(&stratum(1_000_000_000, 20, 0)).0, (0.8316 + 0.8830) / 2.0);
        let none = limits(&stratum(1_000_000_000, 0, 20));
        near(none.1, 1.0 - (0.8316 + 0.8830) / 2.0);
        assert_eq!(none.0, 0.0);
    }

    #[test]
    fn what_was_judged_as_a_whole_is_certain() {
        let found = estimate(&[stratum(10, 9, 1), stratum(30, 30, 0)]).expect("enough was judged");
        assert_eq!((found.precision, found.low, found.high), (39.0 / 40.0, 39.0 / 40.0, 39.0 / 40.0));
        assert_eq!(estimate(&[stratum(10, 9, 1), stratum(30, 0, 0)]), None);
        assert_eq!(estimate(&[stratum(0, 0, 0)]), None);
    }

    #[test]
    fn a_sample_takes_no_more_than_there_is() {
        assert_eq!(allocate(&[3, 1, 0], 10), [3, 1, 0]);
        assert_eq!(allocate(&[100, 100, 100], 7), [3, 2, 2]);
        assert_eq!((allocate(&[1_000], 1), allocate(&[9, 9], 3)), (vec![1], vec![2, 1]));
        assert_eq!(max_strata(100), 5);
        assert_eq!(max_strata(5), 1);
    }

    /// A random generator that always gives the same numbers (Steele, Lea & Flood 2014: splitmix64).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }

        /// How many right pairs are among `draws` from a population.
        fn drawn(&mut self, population: u64, right: u64, draws: u64) -> u64 {
            let (mut left, mut good, mut found) = (population, right, 0);
            for _ in 0..draws {
                let is_good = self.next() % left < good;
                found += u64::from(is_good);
                good -= u64::from(is_good);
                left -= 1;
            }
            found
        }
    }

    /// The share of 10,000 samples whose interval contains the true value.
    fn coverage(strata: &[(u64, f64)], size: u64) -> f64 {
        const SAMPLES: u32 = 10_000;
        let populations: Vec<u64> = strata.iter().map(|stratum| stratum.0).collect();
        let right: Vec<u64> =
            strata.iter().map(|&(population, share)| (population as f64 * share).round() as u64).collect();
        let truth = right.iter().sum::<u64>() as f64 / populations.iter().sum::<u64>() as f64;
        let draws = allocate(&populations, size);
        let mut random = Random(size ^ populations.len() as u64);
        let mut limits = rustc_hash::FxHashMap::default();
        let mut held = 0;
        for _ in 0..SAMPLES {
            let drawn: Vec<Stratum> = (0..strata.len())
                .map(|at| {
                    let found = random.drawn(populations[at], right[at], draws[at]);
                    stratum(populations[at], found, draws[at] - found)
                })
                .collect();
            let key: Vec<u64> = drawn.iter().map(|stratum| stratum.right).collect();
            let found = *limits.entry(key).or_insert_with(|| estimate(&drawn).expect("all strata have draws"));
            held += u32::from(found.low <= truth && truth <= found.high);
        }
        f64::from(held) / f64::from(SAMPLES)
    }

    #[test]
    fn intervals_hold_the_truth_in_93_to_97_of_100_samples() {
        let wholes: [(&str, &[(u64, f64)]); 8] = [
            ("simple, .9", &[(20_000, 0.9)]),
            ("simple, .95", &[(20_000, 0.95)]),
            ("simple, .98", &[(20_000, 0.98)]),
            ("bins of scores", &[(400, 0.4), (600, 0.6), (1_000, 0.8), (2_000, 0.95), (16_000, 0.99)]),
            ("bins of good scores", &[(400, 0.8), (600, 0.9), (1_000, 0.95), (2_000, 0.98), (16_000, 0.995)]),
            ("keys", &[(8_100, 0.99), (2_700, 0.97), (900, 0.95), (300, 0.9), (200, 0.4)]),
            ("hosts", &[(3_000, 0.99), (1_000, 0.9), (800, 0.95), (700, 1.0), (600, 0.97)]),
            ("few", &[(20, 0.5), (30, 0.7), (40, 0.9), (100, 0.96)]),
        ];
        for (name, strata) in wholes {
            for size in [100, 200, 400] {
                if size * 2 > strata.iter().map(|stratum| stratum.0).sum() && strata.len() > 1 && size > 100 {
                    continue;
                }
                let held = coverage(strata, size);
                assert!((0.93..=0.97).contains(&held), "{name}, {size} draws: {held}");
            }
        }
    }
}
