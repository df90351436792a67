//! Precision and recall at every threshold of the score.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;

use super::gold::{GoldPairs, unordered};
use super::pairs::{OutPair, Verdict, verdicts};
use super::ratios::{f1, precision, recall};

/// One pair that can be judged, with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredPair {
    /// Its score.
    pub score: f64,
    /// True for a gold pair, false for a wrong pair.
    pub right: bool,
}

/// Pairs that can be judged, and the number of gold pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredPairs {
    /// The pairs, the best first, each once.
    pub pairs: Vec<ScoredPair>,
    /// The number of gold pairs, found or not.
    pub gold: u64,
}

/// Settings of the curve.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveParams {
    /// Points of the curve, at most; 3 or more. Default 200, more than can be told apart in a picture of usual size (an estimate).
    pub max_points: usize,
}

impl Default for CurveParams {
    fn default() -> CurveParams {
        CurveParams { max_points: 200 }
    }
}

/// The result of accepting every pair with a score of `threshold` or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The score.
    pub threshold: f64,
    /// Right pairs with that score or more.
    pub right: u64,
    /// Wrong pairs with that score or more.
    pub wrong: u64,
    /// The number of gold pairs, found or not.
    pub gold: u64,
}

impl CurvePoint {
    /// right / (right + wrong), in 0..=1.
    pub fn precision(&self) -> Option<f64> {
        precision(self.right, self.wrong)
    }

    /// right / gold, in 0..=1; `None` when there is no gold pair.
    pub fn recall(&self) -> Option<f64> {
        recall(self.right, self.gold - self.right)
    }

    /// Harmonic mean of precision and recall, in 0..=1.
    pub fn f1(&self) -> Option<f64> {
        f1(self.right, self.wrong, self.gold - self.right)
    }
}

/// Judges pairs with their scores, by the rules of [`super::pairs()`]. Pairs that are ignored or unscored there are left out. If a pair
/// occurs several times, its best score counts. Cost: sorting the pairs.
pub fn scored(out: impl IntoIterator<Item = (OutPair, f64)>, gold: &GoldPairs) -> ScoredPairs {
    let mut out: Vec<(OutPair, f64)> = out.into_iter().collect();
    out.sort_by(|x, y| y.1.total_cmp(&x.1));
    let mut seen = FxHashSet::default();
    out.retain(|(pair, _)| seen.insert(unordered(&pair.url_a, &pair.url_b)));
    let scores: Vec<f64> = out.iter().map(|(_, score)| *score).collect();
    let judged = verdicts(out.into_iter().map(|(pair, _)| pair), gold);
    let pairs = scores.into_iter().zip(judged).filter_map(|(score, verdict)| match verdict {
        Verdict::Right => Some(ScoredPair { score, right: true }),
        Verdict::Wrong => Some(ScoredPair { score, right: false }),
        Verdict::Ignored => None,
    });
    let found = gold.rows().iter().filter(|row| row.ignored.is_none()).count() as u64;
    ScoredPairs { pairs: pairs.collect(), gold: found }
}

/// A point for every score that occurs, the highest first, so that recall grows from point to point.
///
/// If there are more than [`CurveParams::max_points`], points are left out evenly, but never the first, the last and the best ([`best`]).
/// Pairs with equal scores are one point, since no threshold separates them.
pub fn curve(scored: &ScoredPairs, params: &CurveParams) -> Vec<CurvePoint> {
    let mut points: Vec<CurvePoint> = Vec::new();
    let (mut right, mut wrong) = (0, 0);
    for pair in &scored.pairs {
        right += u64::from(pair.right);
        wrong += u64::from(!pair.right);
        let point = CurvePoint { threshold: pair.score, right, wrong, gold: scored.gold };
        match points.last_mut() {
            Some(last) if last.threshold.total_cmp(&pair.score).is_eq() => *last = point,
            _ => points.push(point),
        }
    }
    let kept = params.max_points.max(3);
    if points.len() <= kept {
        return points;
    }
    let last = points.len() - 1;
    let mut places: Vec<usize> = (0..kept).map(|at| at * last / (kept - 1)).collect();
    if let Some(best) = best_place(&points)
        && !places.contains(&best)
        && let Some(nearest) = (1..kept - 1).min_by_key(|&at| places[at].abs_diff(best))
    {
        places[nearest] = best;
        places.sort_unstable();
    }
    places.into_iter().map(|at| points[at]).collect()
}

/// The point with the highest F1; of several, the one with the highest threshold.
pub fn best(points: &[CurvePoint]) -> Option<CurvePoint> {
    best_place(points).map(|at| points[at])
}

fn best_place(points: &[CurvePoint]) -> Option<usize> {
    let scores = points.iter().enumerate().filter_map(|(at, point)| Some((point.f1()?, Reverse(at))));
    let best = scores.max_by(|(x, x_at), (y, y_at)| x.total_cmp(y).then(x_at.cmp(y_at)));
    best.map(|(_, Reverse(at))| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{CanonicalUrl, Lang};
    use proptest::prelude::*;

    fn given(pairs: &[(f64, bool)], gold: u64) -> ScoredPairs {
        ScoredPairs { pairs: pairs.iter().map(|&(score, right)| ScoredPair { score, right }).collect(), gold }
    }

    #[test]
    fn five_pairs_give_the_points_counted_by_hand() {
        let scored = given(&[(0.9, true), (0.8, false), (0.8, true), (0.5, true), (0.1, false)], 4);
        let points = curve(&scored, &CurveParams::default());
        let found: Vec<_> = points.iter().map(|p| (p.threshold, p.precision(), p.recall(), p.f1())).collect();
        // 1 of 1; 2 of 3, with both pairs of 0.8; 3 of 4; 3 of 5. There are 4 gold pairs.
        // F1: 2/(2 + 3) = 2/5, 4/(4 + 1 + 2) = 4/7, 6/(6 + 1 + 1) = 3/4, 6/(6 + 2 + 1) = 2/3.
        assert_eq!(
            found,
            [
                (0.9, Some(1.0), Some(0.25), Some(0.4)),
                (0.8, Some(2.0 / 3.0), Some(0.5), Some(4.0 / 7.0)),
                (0.5, Some(0.75), Some(0.75), Some(0.75)),
                (0.1, Some(0.6), Some(0.75), Some(6.0 / 9.0)),
            ]
        );
        assert_eq!(best(&points).map(|point| point.threshold), Some(0.5));
        assert_eq!(curve(&given(&[], 4), &CurveParams::default()), []);
    }

    #[test]
    fn a_long_curve_is_thinned_and_keeps_its_ends_and_its_best() {
        let pairs: Vec<_> = (0..1000).map(|at| (1.0 - f64::from(at) / 1000.0, at < 333)).collect();
        let scored = given(&pairs, 333);
        let whole = curve(&scored, &CurveParams { max_points: 5000 });
        let thin = curve(&scored, &CurveParams { max_points: 10 });
        assert_eq!((whole.len(), thin.len()), (1000, 10));
        assert_eq!((thin.first(), thin.last()), (whole.first(), whole.last()));
        assert_eq!(best(&thin), best(&whole));
        assert_eq!(best(&thin).and_then(|point| point.f1()), Some(1.0));
    }

    #[test]
    fn ignored_pairs_stay_out_and_the_best_score_of_a_pair_counts() {
        let mut gold = GoldPairs::default();
        gold.read_pairs("pairs", "http://x.org/en/1\thttp://x.org/fr/1\ten\tfr\n".as_bytes()).expect("sound rows");
        let ignored = "http://x.org/en/2\thttp://x.org/fr/2\ten\tfr\tmixed\n\
                    http://x.org/en/3\thttp://x.org/fr/3\ten\tfr\tuntranslated\n";
        gold.read_ignored("ignored", ignored.as_bytes()).expect("sound rows");
        let pair = |a: &str, b: &str| {
            let url = |path: &str| CanonicalUrl::parse(&format!("http://x.org/{path}")).expect("a URL");
            OutPair { url_a: url(a), url_b: url(b), lang_a: Lang::EN, lang_b: Lang::parse("fr").expect("a tag") }
        };
        let out = [
            (pair("en/1", "fr/1"), 0.2),
            (pair("fr/1", "en/1"), 0.7),
            (pair("en/2", "fr/2"), 0.9),
            (pair("en/3", "fr/3"), 0.8),
        ];
        assert_eq!(scored(out, &gold), given(&[(0.8, false), (0.7, true)], 1));
    }

    proptest! {
        #[test]
        fn every_point_is_what_its_threshold_gives(pairs in prop::collection::vec((0u8..20, any::<bool>()), 0..60)) {
            let mut pairs: Vec<(f64, bool)> = pairs.into_iter().map(|(s, right)| (f64::from(s) / 20.0, right)).collect();
            pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
            let gold = pairs.iter().filter(|pair| pair.1).count() as u64 + 2;
            for point in curve(&given(&pairs, gold), &CurveParams::default()) {
                let count = |wanted| pairs.iter().filter(|(s, r)| *s >= point.threshold && *r == wanted).count() as u64;
                prop_assert_eq!((point.right, point.wrong), (count(true), count(false)));
            }
        }
    }
}
