//! Turns the features of beads into the probability that their sides are translations.

use crate::logistic::{Row, fit};

/// How many numbers describe a bead.
pub const FEATURES: usize = 5;
/// The fewest beads that were found, and wrong ones, from which scoring is learnt.
pub const MIN_SAMPLES: usize = 50;

/// How many classes of beads there are, by their length and by their neighbours.
pub const CLASSES: usize = 2 * LEVELS;
/// How many beads before and behind a bead are its neighbours.
const NEIGHBOURS: usize = 4;
/// Shares of sure neighbours are told apart in so many steps.
const LEVELS: usize = 4;
/// Beads with fewer words on a side are labels.
const SENTENCE_WORDS: usize = 4;
/// ln of the odds from which a bead is sure enough to vouch for its neighbours: 9 to 1.
const SURE: f32 = 2.197_224_6;

/// What scoring needs to know of a bead with two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The [`features`](super::features::features).
    pub features: [f32; FEATURES],
    /// The number of words of the side that has fewer.
    pub words: usize,
}

/// The class of each bead of two pages: whether it is a sentence, and how many of its neighbours are sure.
pub fn classes(scoring: &Scoring, beads: &[Option<Scored>]) -> Vec<usize> {
    // For each bead and for the end, how many beads before it are sure.
    let mut sure_before = vec![0usize];
    for bead in beads {
        let is_sure = bead.is_some_and(|bead| scoring.log_odds(&bead.features) >= SURE);
        sure_before.push(sure_before[sure_before.len() - 1] + usize::from(is_sure));
    }
    let class = |at: usize| {
        let (start, end) = (at.saturating_sub(NEIGHBOURS), (at + 1 + NEIGHBOURS).min(beads.len()));
        let own = sure_before[at + 1] - sure_before[at];
        let (sure, all) = (sure_before[end] - sure_before[start] - own, end - start - 1);
        let is_sentence = beads[at].is_some_and(|bead| bead.words >= SENTENCE_WORDS);
        let level = (sure * LEVELS).checked_div(all).map_or(LEVELS - 1, |level| level.min(LEVELS - 1));
        LEVELS * usize::from(is_sentence) + level
    };
    (0..beads.len()).map(class).collect()
}

/// How beads are scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoring {
    /// Weights of the features.
    pub weights: [f32; FEATURES],
    /// The share of wrong beads in each class, 0..=1.
    pub wrong: [f32; CLASSES],
}

impl Default for Scoring {
    /// An estimate, for where there is too little data to learn: words count in favour in both directions, differences of length against,
    /// and one bead in twenty is wrong.
    fn default() -> Scoring {
        Scoring { weights: [0.5, 1.0, 1.0, 1.0, -0.5], wrong: [0.05; CLASSES] }
    }
}

impl Scoring {
    /// All its numbers in one list.
    pub fn to_numbers(&self) -> Vec<f32> {
        [&self.weights[..], &self.wrong].concat()
    }

    /// From what [`Scoring::to_numbers`] gives; `None` for anything else.
    pub fn from_numbers(numbers: &[f32]) -> Option<Scoring> {
        let (weights, wrong) = numbers.split_first_chunk()?;
        let is_sound =
            weights.iter().all(|weight| weight.is_finite()) && wrong.iter().all(|share| (0.0..=1.0).contains(share));
        Some(Scoring { weights: *weights, wrong: wrong.try_into().ok()? }).filter(|_| is_sound)
    }

    /// ln of how much likelier the features are for a bead that was found than for a wrong one.
    fn log_odds(&self, features: &[f32; FEATURES]) -> f32 {
        self.weights.iter().zip(features).map(|(w, x)| w * x).sum()
    }

    /// The probability that the sides of a bead are translations, 0..=1.
    ///
    /// Of the beads of a class that were found, a share w is wrong. Where features are o times as likely for a bead that was found as for a
    /// wrong one, the share of wrong ones among beads with these features is w/o. In lists that each language sorts itself (no class) the
    /// place of a bead says nothing, so that w is ½.
    pub fn probability(&self, features: &[f32; FEATURES], class: Option<usize>) -> f32 {
        let wrong = class.map_or(0.5, |class| self.wrong[class]);
        (1.0 - wrong * (-self.log_odds(features)).exp()).max(0.0)
    }

    /// Fits the weights to beads that were found and to wrong ones, and estimates the share of wrong ones of each class. `classes` gives
    /// the class of each bead that was found. `None` for fewer than [`MIN_SAMPLES`] of either kind.
    pub fn fit(
        found: &[[f32; FEATURES]],
        wrong: &[[f32; FEATURES]],
        classes: impl FnOnce(&Scoring) -> Vec<usize>,
    ) -> Option<Scoring> {
        if found.len() < MIN_SAMPLES || wrong.len() < MIN_SAMPLES {
            return None;
        }
        let row = |features: &[f32; FEATURES], truth: f64| Row { inputs: features.map(f64::from), truth, weight: 1.0 };
        let rows: Vec<Row<FEATURES>> =
            found.iter().map(|one| row(one, 1.0)).chain(wrong.iter().map(|one| row(one, 0.0))).collect();
        // All weights but that of the constant have a ridge of 1.
        let mut stiffness = [1.0; FEATURES];
        stiffness[0] = 1e-6;
        let mut scoring =
            Scoring { weights: fit(&rows, &[0.0; FEATURES], &stiffness).map(|w| w as f32), ..Scoring::default() };
        if scoring.weights.iter().any(|weight| !weight.is_finite()) {
            return None;
        }
        // As if there were as many of either kind.
        scoring.weights[0] -= (found.len() as f32 / wrong.len() as f32).ln();
        scoring.wrong = shares_of_wrong(&scoring, found.iter().zip(classes(&scoring)), wrong);
        Some(scoring)
    }
}

/// Estimates the share of wrong beads of each class: `found` are beads with their classes, `wrong` sides that do not belong together.
///
/// A tenth of the wrong beads have odds below some limit, so at most ten times as many beads are wrong as were found below it; and at
/// most four times as many as were found below the limit of a quarter. The least of such bounds is taken. A class with few beads borrows
/// from the whole.
fn shares_of_wrong<'f>(
    scoring: &Scoring,
    found: impl Iterator<Item = (&'f [f32; FEATURES], usize)>,
    wrong: &[[f32; FEATURES]],
) -> [f32; CLASSES] {
    /// Shares of the wrong beads.
    const QUANTILES: [f32; 3] = [0.1, 0.25, 0.5];
    /// How many beads the estimate for the whole counts for in each class.
    const BORROWED: f32 = 20.0;
    let mut odds: Vec<f32> = wrong.iter().map(|features| scoring.log_odds(features)).collect();
    odds.sort_by(f32::total_cmp);
    let limits = QUANTILES.map(|quantile| odds[(odds.len() as f32 * quantile) as usize]);
    let mut all = [0u32; CLASSES];
    let mut low = [[0u32; QUANTILES.len()]; CLASSES];
    for (features, class) in found {
        all[class] += 1;
        let odds = scoring.log_odds(features);
        low[class].iter_mut().zip(limits).for_each(|(low, limit)| *low += u32::from(odds <= limit));
    }
    let share = |low: [u32; QUANTILES.len()], all: u32, prior: f32| {
        let bounds = low.into_iter().zip(QUANTILES).map(|(low, quantile)| low as f32 / quantile);
        let least = bounds.fold(f32::INFINITY, f32::min);
        ((least + BORROWED * prior) / (all as f32 + BORROWED)).min(1.0)
    };
    let sum = low.iter().fold([0; QUANTILES.len()], |sum, low| std::array::from_fn(|at| sum[at] + low[at]));
    let whole = share(sum, all.iter().sum(), Scoring::default().wrong[0]);
    std::array::from_fn(|class| share(low[class], all[class], whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE_ONE: [f32; FEATURES] = [1.0, 5.0, 5.0, 2.0, 0.0];
    const POOR_ONE: [f32; FEATURES] = [1.0, -1.0, -1.0, -1.0, 1.0];

    #[test]
    fn a_bead_is_as_good_as_its_words_and_its_class() {
        let mut scoring = Scoring { weights: [0.0, 1.0, 0.0, 0.0, 0.0], ..Scoring::default() };
        (scoring.wrong[0], scoring.wrong[1]) = (0.4, 0.02);
        let p = |x: f32, class| scoring.probability(&[1.0, x, 0.0, 0.0, 0.0], class);
        assert_eq!((p(0.0, Some(0)), p(0.0, Some(1)), p(0.0, None)), (0.6, 0.98, 0.5));
        assert!((p(1.0, Some(0)) - (1.0 - 0.4 / std::f32::consts::E)).abs() < 1e-6);
        assert_eq!(p(-9.0, Some(1)), 0.0);
        let numbers = scoring.to_numbers();
        assert_eq!(Scoring::from_numbers(&numbers), Some(scoring));
        let spoilt = |at: usize, number: f32| {
            let mut numbers = numbers.clone();
            numbers[at] = number;
            numbers
        };
        let bad = [numbers[1..].to_vec(), spoilt(0, f32::NAN), spoilt(FEATURES, 1.5), [&numbers[..], &[0.0]].concat()];
        assert!(bad.iter().all(|numbers| Scoring::from_numbers(numbers).is_none()));
    }

    #[test]
    fn neighbours_make_the_class() {
        let scoring = Scoring::default();
        let bead = |features, words| Some(Scored { features, words });
        let beads = |one: Option<Scored>, count: usize| vec![one; count];
        let all_sure = classes(&scoring, &beads(bead(SURE_ONE, 9), 12));
        assert!(all_sure.iter().all(|&class| class == CLASSES - 1), "{all_sure:?}");
        let labels = classes(&scoring, &beads(bead(SURE_ONE, 1), 12));
        assert!(labels.iter().all(|&class| class == LEVELS - 1), "{labels:?}");
        let alone =
            classes(&scoring, &[beads(None, 5), beads(bead(SURE_ONE, 9), 1), beads(bead(POOR_ONE, 9), 5)].concat());
        assert_eq!(alone[5], LEVELS);
        assert_eq!(classes(&scoring, &beads(bead(POOR_ONE, 9), 1)), [CLASSES - 1], "the only bead of a page");
    }

    #[test]
    fn the_share_of_wrong_beads_is_found_without_knowing_which_they_are() {
        // Right beads have features from 0 to 9 and wrong ones from −6 to 3. In class 7 one bead in ten is wrong, in class 4 one in two.
        let features = |x: f32| [1.0, x, 0.0, 0.0, 0.0];
        let right = |n: usize| features((n % 90) as f32 / 10.0);
        let wrong = |n: usize| features((n * 7 % 90) as f32 / 10.0 - 6.0);
        let mut found: Vec<([f32; FEATURES], usize)> = Vec::new();
        for (class, one_in) in [(7, 10), (4, 2)] {
            found.extend((0..900).map(|n| (if n % one_in == 0 { wrong(n / one_in) } else { right(n) }, class)));
        }
        let random: Vec<_> = (0..900).map(wrong).collect();
        let (all, classes): (Vec<_>, Vec<usize>) = found.into_iter().unzip();
        let scoring = Scoring::fit(&all, &random, |_| classes).expect("enough");
        assert!((scoring.wrong[7] - 0.1).abs() < 0.03 && (scoring.wrong[4] - 0.5).abs() < 0.08, "{:?}", scoring.wrong);
        // A class without beads has the share of all.
        assert!((scoring.wrong[0] - 0.3).abs() < 0.05, "{:?}", scoring.wrong);
        assert_eq!(Scoring::fit(&all[..49], &random, |_| Vec::new()), None);
    }
}
