//! The evidence that two pages are translations: a logistic model of their similarities.

use super::odds::{bounded, logit};
use super::prior::{STRONG, share_right};
use crate::index::parts::WORTH;
use crate::logistic::{self, dot, sigmoid};
use crate::types::measures::measures;
use crate::types::{MEASURES, Measure, Similarities};

/// Number of inputs of the model: a constant, and for each measure whether it is defined, and its value.
pub const INPUTS: usize = 2 * Similarities::COUNT + 1;

/// Settings of fitting.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FitParams {
    /// The weights before anything is learnt: those of the table of measures.
    pub shipped: Scorer,
    /// Least number of good pairs, and of bad ones, for weights to be fitted. Default 20 (an estimate).
    pub min_good: usize,
    /// Share of the good examples that are right, and how many pairs that belief is worth. Default 0.9, 4, as for a strong key.
    pub good: (f64, f64),
    /// Precision of the normal prior around the shipped weights, or around those that the run has learnt: a weight that is one unit away
    /// costs half of this many nats. Default 4, the worth of a belief, which a few dozen clear examples outweigh.
    pub stiffness: f64,
    /// So many pairs that people judged right weigh as much as all good pairs of a run, and so many wrong ones as all bad pairs. Default 200:
    /// ten verdicts weigh a twentieth of them, a few hundred as much.
    pub verdicts: f64,
    /// Evidence that counts stays below this, in nats, however much the measures say, since they are not independent of each other. Default
    /// 9: pages that agree in everything are wrong once in 8,000 times. See [`Self::counted`].
    pub max_evidence: f64,
}

impl Default for FitParams {
    fn default() -> FitParams {
        FitParams {
            shipped: Scorer::default(),
            min_good: 20,
            good: (STRONG, WORTH),
            stiffness: WORTH,
            verdicts: 200.0,
            max_evidence: 9.0,
        }
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

/// Measures that serve when a pair is judged, but are not part of the evidence.
const SIGNS: [usize; 2] = [Measure::Named as usize, Measure::Place as usize];

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

    /// The evidence of all measures, of contents and of addresses, in nats.
    pub fn evidence(&self, similarities: &Similarities) -> f64 {
        dot(&self.weights, &inputs(similarities))
    }

    /// The evidence of contents, in nats: ln P(similarities | the texts translate each other) − ln P(similarities | they do not). Only [a
    /// part](FitParams::counted) of it counts.
    pub fn contents(&self, similarities: &Similarities) -> f64 {
        self.contents_and_all(similarities).0
    }

    /// [`Self::contents`] and [`Self::evidence`].
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

    /// Fits weights of contents that tell `good` from `bad` pairs. Good pairs together weigh as much as bad pairs together, so that the
    /// result is evidence, and contains no prior probability. Some of the good pairs may be wrong: each counts as good with the probability
    /// that it is right, by the weights of the round before, and as bad with the rest (expectation–maximisation, beginning with `prior`).
    /// So the more of them are wrong, the more cautious the weights become. `None` where there are fewer than [`FitParams::min_good`] good
    /// or bad pairs. Time grows with the number of pairs.
    pub fn fit(good: &[Similarities], bad: &[Similarities], prior: &Scorer, params: &FitParams) -> Option<Scorer> {
        Scorer::fit_with(good, bad, &[], prior, params)
    }

    /// As [`Self::fit`], also to pairs that people judged right or wrong. Each of them weighs the same: [`FitParams::verdicts`] right ones
    /// together as much as all good pairs. Where people judged more pairs right than wrong, or the other way round, the bad or the good
    /// pairs weigh so much more that both sides still weigh the same.
    pub fn fit_with(
        good: &[Similarities],
        bad: &[Similarities],
        judged: &[(Similarities, bool)],
        prior: &Scorer,
        params: &FitParams,
    ) -> Option<Scorer> {
        if good.len() < params.min_good || bad.len() < params.min_good {
            return None;
        }
        // Good and bad pairs each weigh as much as the rarer of the two has examples.
        let effective = good.len().min(bad.len()) as f64;
        let of_verdict = effective / params.verdicts;
        let said = |truth: bool| of_verdict * judged.iter().filter(|(_, is_right)| *is_right == truth).count() as f64;
        let whole = effective + said(true).max(said(false));
        let of_good = (whole - said(true)) / good.len() as f64;
        let of_bad = (whole - said(false)) / bad.len() as f64;
        let rows = |list: &[Similarities], truth: f64, weight: f64| {
            let row = |one: &Similarities| Example { inputs: of_contents(inputs(one)), truth, weight };
            list.iter().map(row).collect::<Vec<_>>()
        };
        let verdict = |(one, is_right): &(Similarities, bool)| rows(&[*one], f64::from(*is_right), of_verdict);
        let mut rows = [rows(good, 1.0, of_good), rows(good, 0.0, of_good), rows(bad, 0.0, of_bad)].concat();
        rows.extend(judged.iter().flat_map(verdict));
        let mut scorer = prior.clone();
        for _ in 0..TRUST_ROUNDS {
            let (are_right, others) = rows.split_at_mut(good.len());
            // Only the good examples may be wrong; they stand twice, first.
            let contents = |row: &Example| params.counted(dot(&scorer.weights, &row.inputs));
            let evidence: Vec<f64> = are_right.iter().map(contents).collect();
            let share = logit(share_right(&evidence, params.good));
            for ((is_right, is_wrong), evidence) in are_right.iter_mut().zip(others).zip(evidence) {
                let right = sigmoid(evidence + share);
                (is_right.weight, is_wrong.weight) = (of_good * right, of_good * (1.0 - right));
            }
            scorer = Scorer::fit_rows(&rows, prior, params);
        }
        Some(scorer)
    }

    /// The weights of the greatest posterior probability under a normal prior around `prior`, among those by which it never counts against a
    /// pair that its pages are alike: near misses that are more alike than wrong examples are must not teach that.
    pub fn fit_rows(rows: &[Example], prior: &Scorer, params: &FitParams) -> Scorer {
        let of_value = |at: usize| at > 0 && at.is_multiple_of(2);
        let least = std::array::from_fn(|at| if of_value(at) { 0.0 } else { f64::NEG_INFINITY });
        Scorer { weights: logistic::fit(rows, &prior.weights, &[params.stiffness; INPUTS], &least) }
    }
}

/// An example that weights are fitted to.
pub type Example = logistic::Example<INPUTS>;

/// Rounds that estimate which of the good examples are right; later rounds hardly change the weights.
const TRUST_ROUNDS: usize = 4;
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

    #[test]
    fn a_measure_that_tells_good_from_bad_gets_weight_and_others_none() {
        let flat = Scorer { weights: [0.0; INPUTS] };
        let fitted = Scorer::fit(&examples(0.6, 1.0), &examples(0.0, 0.7), &flat, &FitParams::default())
            .expect("examples enough");
        let structure = fitted.weights[2 + 2 * Measure::Lcs as usize];
        assert!(structure > 2.0, "{structure}");
        assert!(fitted.weights[2 + 2 * Measure::Numbers as usize].abs() < 0.1);
        let evidence = |s: f32| fitted.evidence(&pair(s, None));
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
    fn a_few_verdicts_move_little_and_hundreds_count_like_the_examples() {
        let params = FitParams::default();
        let (good, bad) = (examples(0.6, 1.0), examples(0.0, 0.7));
        let fit = |judged: &[(Similarities, bool)]| {
            Scorer::fit_with(&good, &bad, judged, &Scorer::default(), &params).expect("examples enough")
        };
        assert_eq!(Some(fit(&[])), Scorer::fit(&good, &bad, &Scorer::default(), &params));
        // People find right what the examples find wrong, and the other way round.
        let against = |count: usize| -> Vec<(Similarities, bool)> {
            let one = |at: usize| if at.is_multiple_of(2) { (pair(0.2, None), true) } else { (pair(0.9, None), false) };
            (0..count).map(one).collect()
        };
        let tells = |scorer: &Scorer| scorer.contents(&pair(0.9, None)) - scorer.contents(&pair(0.2, None));
        let [none, few, many] = [0, 10, 400].map(|count| tells(&fit(&against(count))));
        assert!(few < none && few > 0.7 * none && many < 0.3 * none, "{none} {few} {many}");
        // Verdicts of one kind say nothing of how many pairs are right.
        let alike: Vec<_> = (0..400).map(|at| (good[at % good.len()], true)).collect();
        let (without, with) = (fit(&[]), fit(&alike));
        let middle = pair(0.65, None);
        assert!((without.contents(&middle) - with.contents(&middle)).abs() < 0.5);
    }

    #[test]
    fn nothing_is_fitted_to_too_few_examples() {
        let prior = Scorer { weights: [0.25; INPUTS] };
        let fit = |good: &[Similarities], prior: &Scorer| {
            Scorer::fit(good, &examples(0.0, 0.7), prior, &FitParams::default())
        };
        assert_eq!(fit(&examples(0.6, 1.0)[..5], &prior), None);
        assert!(fit(&examples(0.6, 1.0), &prior).is_some());
    }

    #[test]
    fn good_examples_that_are_wrong_do_not_make_the_measures_mean_less() {
        let alike = |low: f32| examples(low, low + 0.2);
        let shipped = Scorer::default();
        let fit = |good: &[Similarities]| {
            Scorer::fit(good, &alike(0.1), &shipped, &FitParams::default()).expect("examples enough")
        };
        let mixed = [alike(0.8), alike(0.1)[..20].to_vec()].concat();
        let row = |one: &Similarities, truth: f64| Example { inputs: inputs(one), truth, weight: 1.0 };
        let bad = alike(0.1);
        let rows = mixed.iter().map(|one| row(one, 1.0)).chain(bad.iter().map(|one| row(one, 0.0)));
        let believed = Scorer::fit_rows(&rows.collect::<Vec<_>>(), &shipped, &FitParams::default());
        let wrong = pair(0.1, None);
        let [clean, doubted, believed] =
            [fit(&alike(0.8)), fit(&mixed), believed].map(|scorer| scorer.contents(&wrong));
        assert!(doubted < believed - 0.2 && clean < doubted, "{clean} {doubted} {believed}");
    }

    #[test]
    fn the_more_good_examples_are_believed_the_more_it_is_worth_to_be_like_them() {
        let fit = |share: f64| {
            let params = FitParams { good: (share, 1e12), ..FitParams::default() };
            Scorer::fit(&examples(0.3, 1.0), &examples(0.0, 0.7), &Scorer::default(), &params).expect("examples enough")
        };
        let [doubted, believed] = [0.6, 0.95].map(|share| fit(share).contents(&pair(0.65, None)));
        assert!(believed > doubted + 0.1, "{doubted} {believed}");
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
        assert!((sum - scorer.evidence(&pair)).abs() < 1e-12);
    }

    #[test]
    fn what_counts_of_evidence_by_hand() {
        let counted = |x: f64| FitParams::default().counted(x);
        assert!((counted(-12.6) + 8.494).abs() < 1e-3 && (counted(9.0) - 7.568).abs() < 1e-3, "{}", counted(-12.6));
    }

    #[test]
    fn inputs_by_hand() {
        let mut s = Similarities::default();
        assert_eq!(Scorer::default().evidence(&s), 1.0);
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
    fn a_fit_asks_for_examples_of_both_kinds() {
        let fit =
            |good, bad| Scorer::fit(&so_many(0.6, good), &so_many(0.1, bad), &Scorer::default(), &FitParams::default());
        assert!(fit(20, 20).is_some() && fit(19, 20).is_none() && fit(20, 19).is_none());
    }

    #[test]
    fn the_more_frequent_kind_counts_no_more_than_the_other() {
        let params = FitParams { good: (0.5, 1e12), ..FitParams::default() };
        let fit = |copies: usize| {
            let bad: Vec<_> = std::iter::repeat_n(so_many(0.2, 20), copies).flatten().collect();
            Scorer::fit(&so_many(0.5, 20), &bad, &Scorer::default(), &params).expect("enough").weights
        };
        let (one, ten) = (fit(1), fit(10));
        assert!(one.iter().zip(&ten).all(|(x, y)| (x - y).abs() < 1e-6), "{one:?} {ten:?}");
    }
}
