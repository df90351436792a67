//! Whether a score is a probability: pairs are put into bins by score, and the right ones of each bin are counted.

use super::curve::ScoredPairs;
use super::ratios::ratio;

/// Settings of calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationParams {
    /// Where the bins begin and the last one ends: growing scores in 0..=1. Default: tenths; the last tenth is divided further, since
    /// scores of certain pairs lie close together there (an estimate).
    pub edges: Vec<f64>,
}

impl Default for CalibrationParams {
    fn default() -> CalibrationParams {
        CalibrationParams { edges: vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0] }
    }
}

/// The pairs whose scores lie in `from..to`; in the last bin, `to` is included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// The lowest score.
    pub from: f64,
    /// Where the next bin begins.
    pub to: f64,
    /// Pairs in it.
    pub pairs: u64,
    /// Those of them that are right.
    pub right: u64,
    /// Sum of their scores.
    pub sum: f64,
}

impl Bin {
    /// conf(B), the mean score, in 0..=1; `None` for an empty bin.
    pub fn mean_score(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.sum / self.pairs as f64)
    }

    /// acc(B), the share of right pairs, in 0..=1; `None` for an empty bin.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.right, self.pairs)
    }

    /// |acc(B) − conf(B)|, in 0..=1; `None` for an empty bin.
    pub fn gap(&self) -> Option<f64> {
        Some((self.precision()? - self.mean_score()?).abs())
    }
}

/// The bins, and the calibration error that follows from them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// The bins in the order of scores, including empty ones.
    pub bins: Vec<Bin>,
    /// All pairs as one bin.
    pub total: Bin,
    /// The expected calibration error, ECE = Σ |B|/n · |acc(B) − conf(B)| over the bins B (Naeini et al. 2015; Guo et
    /// al. 2017, eq. 3), in 0..=1; `None` without pairs.
    pub error: Option<f64>,
}

/// Puts pairs into bins by score. Scores outside the edges go to the first or the last bin. With fewer than two edges there are no bins.
///
/// Departure from Guo et al.: a bin contains its lower edge and not its upper one, and bins are not of equal width.
pub fn calibration(scored: &ScoredPairs, params: &CalibrationParams) -> Calibration {
    let edges = &params.edges;
    let mut bins: Vec<Bin> =
        edges.windows(2).map(|edge| Bin { from: edge[0], to: edge[1], ..Bin::default() }).collect();
    let (Some(first), Some(last)) = (bins.first(), bins.last()) else { return Calibration::default() };
    let mut total = Bin { from: first.from, to: last.to, ..Bin::default() };
    for pair in &scored.pairs {
        let at =
            edges.partition_point(|edge| edge.total_cmp(&pair.score).is_le()).saturating_sub(1).min(bins.len() - 1);
        for bin in [&mut bins[at], &mut total] {
            bin.pairs += 1;
            bin.right += u64::from(pair.right);
            bin.sum += pair.score;
        }
    }
    let share = |bin: &Bin| Some(bin.gap()? * bin.pairs as f64 / total.pairs as f64);
    let error = (total.pairs > 0).then(|| bins.iter().filter_map(share).sum());
    Calibration { bins, total, error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::curve::ScoredPair;
    use proptest::prelude::*;

    fn given(pairs: &[(f64, bool)]) -> ScoredPairs {
        ScoredPairs { pairs: pairs.iter().map(|&(score, right)| ScoredPair { score, right }).collect(), gold: 9 }
    }

    #[test]
    fn the_error_is_as_counted_by_hand() {
        let params = CalibrationParams { edges: vec![0.0, 0.5, 0.75, 1.0] };
        let found = calibration(&given(&[(1.0, true), (0.75, true), (0.75, false), (0.25, false)]), &params);
        let bins: Vec<_> = found.bins.iter().map(|bin| (bin.pairs, bin.right, bin.mean_score())).collect();
        // 0.75 begins the last bin, and 1 ends it: (1 + 0.75 + 0.75) / 3 = 5/6.
        assert_eq!(bins, [(1, 0, Some(0.25)), (0, 0, None), (3, 2, Some(2.5 / 3.0))]);
        // 1/4 · |0 − 1/4| + 3/4 · |2/3 − 5/6| = 1/16 + 3/4 · 1/6 = 3/16.
        let error = found.error.expect("there are pairs");
        assert!((error - 3.0 / 16.0).abs() < 1e-12, "{error}");
        // All together: 2 of 4, mean (1 + 0.75 + 0.75 + 0.25) / 4 = 11/16.
        assert_eq!((found.total.precision(), found.total.mean_score()), (Some(0.5), Some(11.0 / 16.0)));
    }

    #[test]
    fn nothing_to_judge_has_no_error() {
        let found = calibration(&given(&[]), &CalibrationParams::default());
        assert_eq!((found.bins.len(), found.error, found.total.gap()), (13, None, None));
        let no_bins = CalibrationParams { edges: vec![0.5] };
        assert_eq!(calibration(&given(&[(0.5, true)]), &no_bins), Calibration::default());
    }

    proptest! {
        #[test]
        fn every_pair_is_in_the_bin_a_search_finds(pairs in prop::collection::vec((-0.5f64..1.5, any::<bool>()), 0..40)) {
            let params = CalibrationParams::default();
            let found = calibration(&given(&pairs), &params);
            let last = found.bins.len() - 1;
            for (at, bin) in found.bins.iter().enumerate() {
                let is_in = |score: f64| (at == 0 || score >= bin.from) && (at == last || score < bin.to);
                let count = pairs.iter().filter(|(score, _)| is_in(*score)).count() as u64;
                prop_assert_eq!(bin.pairs, count, "bin {}", at);
            }
        }
    }
}
