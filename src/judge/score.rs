//! The evidence that two pages are translations: a logistic model of their similarities.

use super::odds::{bounded, logit};
use crate::index::parts::WORTH;
use crate::logistic::{self, dot};
use crate::types::measures::measures;
use crate::types::{MEASURES, Measure, Similarities};

/// Number of inputs of the model: a constant, and for each measure whether it is defined, and its value.
pub const INPUTS: usize = 2 * Similarities::COUNT + 1;

/// Settings of fitting.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FitParams {
    /// The weights before anything is learnt: those of the table of measures.
    pub shipped: Scorer,
    /// Least number of pairs that people judged right, and of those they judged wrong, for weights to be fitted. Default 20 (an estimate).
    pub min_verdicts: usize,
    /// Precision of the normal prior around the shipped weights: a weight that is one unit away costs half of this many nats. Default 4, the
    /// worth of a belief, which a few dozen clear verdicts outweigh.
    pub stiffness: f64,
    /// Evidence that counts stays below this, in nats, however much the measures say, since they are not independent of each other. Default
    /// 9: pages that agree in everything are wrong once in 8,000 times. See [`Self::counted`].
    pub max_evidence: f64,
}

impl Default for FitParams {
    fn default() -> FitParams {
        FitParams { shipped: Scorer::default(), min_verdicts: 20, stiffness: WORTH, max_evidence: 9.0 }
    }
}

impl FitParams {
    /// How much of the evidence counts: nearly all of it where it is small, never more than [`Self::max_evidence`] M, and always more for
    /// more evidence: e / (1 + (e/M)⁴)^¼. By hand, with M = 9: 4.5 nats count for 4.43, 9 for 7.57, 12.6 for 8.49.
    pub fn counted(&self, evidence: f64) -> f64 {
        bounded(evidence, self.max_evidence, 4)
    }
}

/// The weights of the model: a constant, then for each measure a weight that counts where it is defined, and a weight of its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorer {
    /// The weights, in nats.
    pub weights: [f64; INPUTS],
}

impl serde::Serialize for Scorer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.weights)
    }
}

impl Default for Scorer {
    fn default() -> Scorer {
        Scorer { weights: SHIPPED }
    }
}

/// The shipped weight of the constant, which all pairs have.
const BIAS: f64 = 1.0;

macro_rules! shipped {
    (
        scored { $($(#[$doc:meta])* $name:ident = $text:literal $(weight $weight:literal)? $(by $by:expr)?;)* }
        $($alone:tt)*
    ) => {
        /// The weights in the table of measures. That a measure is defined has the weight 0.
        const SHIPPED: [f64; INPUTS] = [BIAS, $(0.0, 0.0 $(+ $weight)?,)*];
    };
}
measures!(shipped);

/// Measures that serve when a pair is judged, but are not inputs of the model.
const SIGNS: [usize; 3] = [Measure::Named as usize, Measure::Place as usize, Measure::Near as usize];

/// Similarities within ε of 0 or 1 are taken as ε or 1 − ε.
const EPSILON: f64 = 0.02;

/// The inputs of the model: similarities as log odds, so that the step from 0.90 to 0.95 counts as much as that from 0.05 to 0.10; divided
/// by 4 to be about as large as 1.
pub fn inputs(similarities: &Similarities) -> [f64; INPUTS] {
    let mut inputs = [0.0; INPUTS];
    inputs[0] = 1.0;
    for (at, &value) in similarities.0.iter().enumerate() {
        if !value.is_nan() && !SIGNS.contains(&at) {
            let value = f64::from(value).clamp(EPSILON, 1.0 - EPSILON);
            inputs[1 + 2 * at] = 1.0;
            inputs[2 + 2 * at] = logit(value) / 4.0;
        }
    }
    inputs
}

/// The inputs without those of measures of addresses, which become 0.
fn of_contents(mut inputs: [f64; INPUTS]) -> [f64; INPUTS] {
    let of_addresses = MEASURES.iter().filter(|measure| measure.is_of_addresses());
    of_addresses.for_each(|&measure| inputs[1 + 2 * measure as usize..3 + 2 * measure as usize].fill(0.0));
    inputs
}

impl Scorer {
    /// The scorer with stored weights; `None` if there are none. Measures that were added after the weights were stored get the weight 0.
    pub fn of_weights(weights: &[f64]) -> Option<Scorer> {
        let mut scorer = Scorer { weights: [0.0; INPUTS] };
        scorer.weights.iter_mut().zip(weights).for_each(|(weight, stored)| *weight = *stored);
        (!weights.is_empty()).then_some(scorer)
    }

    /// The evidence of contents, in nats: ln P(similarities | the texts translate each other) − ln P(similarities | they do not). Only [a
    /// part](FitParams::counted) of it counts.
    pub fn contents(&self, similarities: &Similarities) -> f64 {
        self.contents_and_all(similarities).0
    }

    /// [`Self::contents`], and the evidence of all measures, of contents and of addresses, in nats.
    pub fn contents_and_all(&self, similarities: &Similarities) -> (f64, f64) {
        let inputs = inputs(similarities);
        (dot(&self.weights, &of_contents(inputs)), dot(&self.weights, &inputs))
    }

    /// What each measure adds to the evidence, in nats, and as the last number the constant that all pairs have.
    pub fn parts(&self, similarities: &Similarities) -> Vec<f64> {
        let inputs = inputs(similarities);
        let part = |at: usize| self.weights[at] * inputs[at];
        (0..Similarities::COUNT).map(|at| part(1 + 2 * at) + part(2 + 2 * at)).chain([part(0)]).collect()
    }

    /// Fits weights of contents to pairs that people judged right or wrong, near those of `prior`. Right pairs together weigh as much as wrong
    /// ones together, namely as much as the rarer of the two has pairs, so that the result is evidence, and contains no prior probability.
    /// `None` where there are fewer than [`FitParams::min_verdicts`] of either.
    pub fn fit(judged: &[(Similarities, bool)], prior: &Scorer, params: &FitParams) -> Option<Scorer> {
        let right = judged.iter().filter(|(_, is_right)| *is_right).count();
        let wrong = judged.len() - right;
        let rarer = right.min(wrong);
        if rarer < params.min_verdicts {
            return None;
        }
        let row = |(one, is_right): &(Similarities, bool)| Example {
            inputs: of_contents(inputs(one)),
            truth: f64::from(*is_right),
            weight: rarer as f64 / if *is_right { right } else { wrong } as f64,
        };
        Some(Scorer::fit_rows(&judged.iter().map(row).collect::<Vec<_>>(), prior, params))
    }

    /// The weights of the greatest posterior probability under a normal prior around `prior`, among those by which it never counts against a
    /// pair that its pages are alike.
    pub fn fit_rows(rows: &[Example], prior: &Scorer, params: &FitParams) -> Scorer {
        let of_value = |at: usize| at > 0 && at.is_multiple_of(2);
        let least = std::array::from_fn(|at| if of_value(at) { 0.0 } else { f64::NEG_INFINITY });
        Scorer { weights: logistic::fit(rows, &prior.weights, &[params.stiffness; INPUTS], &least) }
    }
}

/// An example that weights are fitted to.
pub type Example = logistic::Example<INPUTS>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Measure;

    fn pair(structure: f32, numbers: Option<f32>) -> Similarities {
        let mut pair = Similarities::default();
        pair.set(Measure::Lcs, Some(structure));
        pair.set(Measure::Numbers, numbers);
        pair
    }

    fn examples(from: f32, to: f32) -> Vec<Similarities> {
        (0..100).map(|i| pair(from + (to - from) * i as f32 / 99.0, (i % 2 == 0).then_some(0.5))).collect()
    }

    /// The weights that are fitted to so many right and wrong pairs.
    fn fitted(right: &[Similarities], wrong: &[Similarities], prior: &Scorer) -> Option<Scorer> {
        let of = |list: &[Similarities], is_right: bool| list.iter().map(|one| (*one, is_right)).collect::<Vec<_>>();
        Scorer::fit(&[of(right, true), of(wrong, false)].concat(), prior, &FitParams::default())
    }

    #[test]
    fn a_measure_that_tells_right_from_wrong_gets_weight_and_others_none() {
        let flat = Scorer { weights: [0.0; INPUTS] };
        let fitted = fitted(&examples(0.6, 1.0), &examples(0.0, 0.7), &flat).expect("examples enough");
        let structure = fitted.weights[2 + 2 * Measure::Lcs as usize];
        assert!(structure > 2.0, "{structure}");
        assert!(fitted.weights[2 + 2 * Measure::Numbers as usize].abs() < 0.1);
        let evidence = |s: f32| fitted.contents_and_all(&pair(s, None)).1;
        assert!(evidence(0.95) > 1.0 && evidence(0.2) < -1.0 && evidence(0.9) < evidence(0.95));
    }

    #[test]
    fn it_never_counts_against_pages_that_they_are_alike() {
        let row = |one: &Similarities, truth: f64| Example { inputs: inputs(one), truth, weight: 1.0 };
        let (right, wrong) = (examples(0.2, 0.5), examples(0.4, 0.9));
        let rows = right.iter().map(|one| row(one, 1.0)).chain(wrong.iter().map(|one| row(one, 0.0)));
        let fitted = Scorer::fit_rows(&rows.collect::<Vec<_>>(), &Scorer::default(), &FitParams::default());
        assert_eq!(fitted.weights[2 + 2 * Measure::Lcs as usize], 0.0);
        assert_eq!(fitted.contents(&pair(0.9, None)), fitted.contents(&pair(0.1, None)));
    }

    #[test]
    fn a_few_verdicts_move_nothing_and_the_more_there_are_the_more_they_count() {
        let tells = |[right, wrong]: [f32; 2], count: usize| {
            let fitted = fitted(&vec![pair(right, None); count], &vec![pair(wrong, None); count], &Scorer::default());
            let scorer = fitted.unwrap_or_default();
            scorer.contents(&pair(0.9, None)) - scorer.contents(&pair(0.2, None))
        };
        let [none, few, some, many] = [0, 10, 20, 400].map(|count| tells([0.9, 0.2], count));
        assert!(few == none && some > 1.1 * none && many > 1.5 * some, "{none} {few} {some} {many}");
        // People find wrong what the shipped weights find right, and the other way round.
        assert_eq!(tells([0.2, 0.9], 20), 0.0);
    }

    #[test]
    fn weights_learnt_before_a_measure_was_added_are_those_of_the_others() {
        let stored: Vec<f64> = (1..INPUTS - 2).map(|at| at as f64).collect();
        let scorer = Scorer::of_weights(&stored).expect("weights");
        assert_eq!((scorer.weights[..stored.len()].to_vec(), scorer.weights[INPUTS - 1]), (stored, 0.0));
        assert_eq!(Scorer::of_weights(&[]), None);
    }

    #[test]
    fn parts_add_up_to_the_evidence() {
        let scorer = Scorer { weights: std::array::from_fn(|at| (at as f64 - 10.0) / 20.0) };
        let pair = pair(0.8, Some(0.3));
        let sum: f64 = scorer.parts(&pair).iter().sum();
        assert!((sum - scorer.contents_and_all(&pair).1).abs() < 1e-12);
    }

    #[test]
    fn what_counts_of_evidence_by_hand() {
        let counted = |x: f64| FitParams::default().counted(x);
        assert!((counted(-12.6) + 8.494).abs() < 1e-3 && (counted(9.0) - 7.568).abs() < 1e-3, "{}", counted(-12.6));
    }

    #[test]
    fn inputs_by_hand() {
        let mut s = Similarities::default();
        assert_eq!(Scorer::default().contents_and_all(&s).1, 1.0);
        s.set(Measure::Lcs, Some(0.9));
        s.set(Measure::Hreflang, Some(0.0));
        let (lcs, href) = (Measure::Lcs as usize, Measure::Hreflang as usize);
        let mut wanted = [0.0; INPUTS];
        (wanted[0], wanted[1 + 2 * lcs], wanted[2 + 2 * lcs]) = (1.0, 1.0, logit(f64::from(0.9f32)) / 4.0);
        assert_eq!(of_contents(inputs(&s)), wanted);
        (wanted[1 + 2 * href], wanted[2 + 2 * href]) = (1.0, logit(0.02) / 4.0);
        assert_eq!(inputs(&s), wanted);
    }

    #[test]
    fn contents_leave_out_addresses_alone() {
        let inputs = of_contents([1.0; INPUTS]);
        for (at, measure) in MEASURES.iter().enumerate() {
            let kept = if measure.is_of_addresses() { 0.0 } else { 1.0 };
            assert_eq!(inputs[1 + 2 * at..3 + 2 * at], [kept; 2], "{measure:?}");
        }
    }

    #[test]
    fn every_measure_has_its_part_of_the_evidence() {
        assert_eq!(Scorer::default().parts(&Similarities::default()).len(), Similarities::COUNT + 1);
    }

    fn so_many(from: f32, count: usize) -> Vec<Similarities> {
        (0..count)
            .map(|i| {
                let mut s = Similarities::default();
                s.set(Measure::Lcs, Some(from + 0.3 * i as f32 / count as f32));
                s
            })
            .collect()
    }

    #[test]
    fn a_fit_asks_for_verdicts_of_both_kinds() {
        let fit = |right, wrong| fitted(&so_many(0.6, right), &so_many(0.1, wrong), &Scorer::default());
        assert!(fit(20, 20).is_some() && fit(19, 20).is_none() && fit(20, 19).is_none());
    }

    #[test]
    fn the_more_frequent_kind_counts_no_more_than_the_other() {
        let fit = |copies: usize| {
            let wrong: Vec<_> = std::iter::repeat_n(so_many(0.2, 20), copies).flatten().collect();
            fitted(&so_many(0.5, 20), &wrong, &Scorer::default()).expect("enough").weights
        };
        let (one, ten) = (fit(1), fit(10));
        assert!(one.iter().zip(&ten).all(|(x, y)| (x - y).abs() < 1e-6), "{one:?} {ten:?}");
    }
}
