//! How often each source of candidates is right, estimated from the evidence of its pairs by expectation–maximisation.

use super::odds::{EVEN, bounded, logit, sigmoid};
use super::rivals::beside;
use crate::index::parts::WORTH;

/// The share of right pairs of any source: the default of [`Params::other`].
const OTHER: f64 = 0.1;
/// The share of right pairs of a source that one has reason to believe: the default of [`Params::strong`]. As many of its pairs are wrong as
/// are right of another one.
pub const STRONG: f64 = 1.0 - OTHER;
/// Fewer examples teach nothing: twice as many as a belief is worth.
pub const LEAST: usize = 2 * WORTH as usize;

/// What is believed of sources, names and contents before pairs are seen.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// How many pairs, or pages, each of these beliefs is worth. Default 4.
    pub worth: f64,
    /// Share of right pairs of a key in use, of marks of languages and of declarations. Default 0.9.
    pub strong: f64,
    /// The same for sitemaps, which programs make, and which nobody sees. Default 0.5: they have to be right first.
    pub listed: f64,
    /// The same for weak keys, the order of numbered pages, links, words and all other sources. Default 0.1.
    pub other: f64,
    /// If keys pair this share of the smaller language's pages rightly, or more, other pages are believed to have hardly any partner.
    /// Default 0.5.
    pub min_share: f64,
    /// The factor b of [`Params::beside_keys`]: other sources are then believed to be right in no larger share of their pairs than b/2, and
    /// in less the more pages keys pair. Default 0.5.
    pub beside_keys: f64,
    /// Share of pairs that have a name in common, of pairs that belong together and whose URLs both name their pages. Default 0.5.
    pub names: f64,
    /// The same for candidates that do not belong together. Default 0.05.
    pub names_by_chance: f64,
    /// How much it speaks against a pair that one of its pages stands under another language than that of its text, in nats. Default 8.
    pub misplaced: f64,
    /// Share of pairs whose contents are translations, and not other editions or other texts, of pairs whose addresses belong together.
    /// Default 0.95.
    pub contents: f64,
    /// The mean, over right pairs of all sites, of what [counts](super::score::FitParams::counted) of the evidence of contents, in nats.
    /// Default 7: on 32 web sites, the means are 7.0 ± 0.9.
    pub usual: f64,
    /// The variance of that evidence among the right pairs of one part, in square nats, as believed before pairs are seen. Default 1.2: on
    /// the same sites, standard deviations are 1.1 ± 0.6.
    pub usual_variance: f64,
    /// The log odds of a pair stay below this, in nats, however certain it is, because some pairs are wrong for reasons that no measure
    /// shows. Default 6.5, a probability of 0.9985.
    pub max_log_odds: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            worth: WORTH,
            strong: STRONG,
            listed: EVEN,
            other: OTHER,
            min_share: EVEN,
            beside_keys: EVEN,
            names: EVEN,
            names_by_chance: 0.05,
            misplaced: 8.0,
            contents: 0.95,
            usual: 7.0,
            usual_variance: 1.2,
            max_log_odds: 6.5,
        }
    }
}

impl Params {
    /// The highest share of right pairs that is believed of sources other than addresses, where `right` pairs of keys are right and the
    /// smaller language has `pages` pages: b·(1 − right/pages)/(right + 2), where b is the setting of the same name. A page that the keys
    /// leave alone would be the first exception to their rule (1 in right + 2, by the rule of succession); and the fewer pages are left,
    /// the likelier they have no partner. At least 1/(pages + 1) of the pages count as left.
    ///
    /// By hand, with b = 0.5: 40 of 50 pages are paired: 0.5·0.2/42 = 0.0024.
    pub fn beside_keys(&self, right: f64, pages: f64) -> f64 {
        let left = (1.0 - right / pages).max(1.0 / (pages + 1.0));
        self.beside_keys * left / (right + 2.0)
    }

    /// The probability of a pair from its log odds in nats. These are limited to [`Self::max_log_odds`], which keeps their order.
    pub fn probability(&self, log_odds: f64) -> f64 {
        sigmoid(bounded(log_odds, self.max_log_odds, 2))
    }

    /// The log odds from which [`Self::probability`] made this probability, in nats.
    pub fn log_odds(&self, probability: f64) -> f64 {
        let shown = logit(probability);
        let share = shown / self.max_log_odds;
        shown / (1.0 - share * share).max(f64::EPSILON).sqrt()
    }
}

/// What is said of a pair when it is asked how often its source is right.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The evidence of the pair that [counts](super::score::FitParams::counted), in nats.
    pub evidence: f64,
    /// How many times as probable other partners of its pages are ([`Rivals`](super::rivals::Rivals)).
    pub rivals: f64,
}

impl Shown {
    /// The probability of the pair, where `prior` are the log odds of its source, in nats: 1 / (1 + e⁻ᵉ·(1 − π)/π + ρ), with the evidence e, the
    /// share π of right pairs and the odds ρ of rivals.
    pub fn probability(self, prior: f64) -> f64 {
        beside(sigmoid(self.evidence + prior), self.rivals)
    }
}

impl From<f64> for Shown {
    fn from(evidence: f64) -> Shown {
        Shown { evidence, rivals: 0.0 }
    }
}

/// The share of a source's pairs that are right, from what is shown of each pair: the fixed point of π = (n₀·π₀ + Σ P(pair i | π)) / (n₀ + n),
/// which is the mean of the posterior under a Beta prior worth n₀ pairs. `first` is π₀ and `worth` is n₀. The share is never 0 or 1, since
/// π₀ is not. Cost: pairs × rounds.
pub fn share_right<S: Copy + Into<Shown>>(pairs: &[S], (first, worth): (f64, f64)) -> f64 {
    let mut share = first;
    for _ in 0..MOST_ROUNDS {
        let prior = logit(share);
        let right: f64 = pairs.iter().map(|&pair| pair.into().probability(prior)).sum();
        let next = (worth * first + right) / (worth + pairs.len() as f64);
        let change = (next - share).abs();
        share = next;
        if change < 1e-6 {
            break;
        }
    }
    share
}

const MOST_ROUNDS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_lies_for_half_of_its_pairs_is_half_right() {
        let evidence: Vec<f64> = (0..100).map(|at| if at % 2 == 0 { 6.0 } else { -6.0 }).collect();
        let share = share_right(&evidence, (0.9, 4.0));
        assert!((0.47..0.56).contains(&share), "{share}");
        let probability = |evidence: f64| Params::default().probability(evidence + logit(share));
        assert!(probability(6.0) > 0.98 && probability(-6.0) < 0.02);
    }

    #[test]
    fn log_odds_come_back_from_probabilities_that_keep_their_order() {
        let params = Params::default();
        let all = [-20.0, -3.0, 0.0, 1.0, 5.0, 12.0, 13.0, 40.0];
        let probabilities = all.map(|log_odds| params.probability(log_odds));
        assert!(probabilities.windows(2).all(|two| two[0] < two[1]) && probabilities[7] < 0.9985, "{probabilities:?}");
        for (log_odds, probability) in all.into_iter().zip(probabilities).take(7) {
            assert!((params.log_odds(probability) - log_odds).abs() < 1e-6, "{log_odds}");
        }
    }

    #[test]
    fn the_more_pages_keys_pair_the_less_is_believed_of_the_others() {
        let beside = |right: f64, pages: f64| Params::default().beside_keys(right, pages);
        assert!((beside(40.0, 50.0) - 0.5 * 0.2 / 42.0).abs() < 1e-12);
        assert!(beside(12.0, 23.0) > 0.01 && beside(990.0, 1000.0) < 1e-5 && beside(20.0, 20.0) > 0.0);
    }

    #[test]
    fn a_source_without_a_right_pair_is_believed_less_the_more_it_proposes() {
        let share = |count: usize| share_right(&vec![-8.0; count], (0.9, 4.0));
        assert!(share(1000) < 0.004 && share(100_000) < 1e-4 && share(100_000) > 0.0);
    }

    #[test]
    fn without_evidence_the_belief_stays() {
        assert!((share_right(&[0.0; 50], (0.9, 4.0)) - 0.9).abs() < 1e-9);
        assert!((share_right::<f64>(&[], (0.1, 4.0)) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn one_round_by_hand() {
        // One pair with evidence ln 9, and π₀ = 0.5 worth one pair: σ(ln 9) = 0.9, so π = (0.5 + 0.9) / 2 = 0.7 after one round. The fixed
        // point solves π = (0.5 + 9π/(8π + 1)) / 2, i.e. 16π² − 11π − 0.5 = 0.
        let share = share_right(&[9f64.ln()], (0.5, 1.0));
        let expected = (11.0 + (121.0f64 + 32.0).sqrt()) / 32.0;
        assert!((share - expected).abs() < 1e-5, "{share} {expected}");
    }

    #[test]
    fn where_all_pages_are_paired_hardly_another_pair_is_right() {
        assert!((Params::default().beside_keys(20.0, 20.0) - 0.5 / 21.0 / 22.0).abs() < 1e-12);
    }
}
