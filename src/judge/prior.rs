//! How often each source of candidates is right: expectation-maximisation over the evidence of its pairs.

use super::odds::{bounded, logit, sigmoid};

/// What is believed of a source before its pairs are seen.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Share of right pairs of a strong key, of marks of languages and of declarations, and how many pairs that belief is worth. Default 0.9, 4.
    pub strong: (f64, f64),
    /// Of a weak key, the order of numbered pages, links, words and whatever else proposes pairs. Default 0.1, 4.
    pub other: (f64, f64),
    /// For how many pages a part of a site borrows the share of pages that keys pair round it. Default 4.
    pub borrowed: f64,
    /// The share of the smaller language's pages that keys pair rightly, from which pages without a key are believed to have no partner. Default 0.5.
    pub min_share: f64,
    /// The share of right pairs that is then believed of `other` sources at the most, where keys pair no page: it falls with the
    /// share of pages that they pair, and with their number, see [`Params::beside_keys`]. Default 0.5.
    pub beside_keys: f64,
    /// Share of pairs of addresses that belong together, and both name their pages, that have a name in common, and how many pairs that belief is worth.
    /// Default 0.5, 4.
    pub names: (f64, f64),
    /// The same of candidates that do not belong together. Default 0.05, 4.
    pub names_by_chance: (f64, f64),
    /// What speaks against a pair of a page that stands under another language than its text is in, in nats. Default 8.
    pub misplaced: f64,
    /// Share of the pairs of addresses that belong together whose contents are translations, and not editions of another age or other
    /// texts, and how many pairs that belief is worth. Default 0.95, 4.
    pub contents: (f64, f64),
    /// What [counts](super::score::FitParams::counted) of the contents of right pairs, in nats, and how many pairs that belief is worth in a part, where they lie round a mean of
    /// their own. Default 6, 4: on sites whose pairs are known, the means of language pairs are 5.7 ± 1.6.
    pub usual: (f64, f64),
    /// The variance of what counts among the right pairs of one part, in square nats, before they are seen. Default 2: on the same sites, deviations are 1.2 ± 0.7.
    pub usual_variance: f64,
    /// What the log odds of a pair grow towards, in nats, however sure everything is: some pairs are wrong for reasons that no measure sees.
    /// Default 6.5, a probability of 0.9985.
    pub max_log_odds: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            strong: (0.9, 4.0),
            other: (0.1, 4.0),
            borrowed: 4.0,
            min_share: 0.5,
            beside_keys: 0.5,
            names: (0.5, 4.0),
            names_by_chance: (0.05, 4.0),
            misplaced: 8.0,
            contents: (0.95, 4.0),
            usual: (6.0, 4.0),
            usual_variance: 2.0,
            max_log_odds: 6.5,
        }
    }
}

impl Params {
    /// The share of right pairs that is believed of what proposes pairs without a URL, at the most, where `right` pairs of keys are right and
    /// the smaller language has `pages` pages: b·(1 − right/pages)/(right + 2). A page that the keys leave alone would be the first that
    /// breaks their rule (1 in right + 2, the rule of succession), and the fewer are left, the more likely they are alone.
    ///
    /// By hand, b = 0.5: 40 of 50 pages paired: 0.5·0.2/42 = 0.0024.
    pub fn beside_keys(&self, right: f64, pages: f64) -> f64 {
        let left = (1.0 - right / pages).max(1.0 / (pages + 1.0));
        self.beside_keys * left / (right + 2.0)
    }

    /// The probability of a pair from the log odds that it is right, in nats: those of a pair never reach [`Self::max_log_odds`], and their order stays.
    pub fn probability(&self, log_odds: f64) -> f64 {
        sigmoid(bounded(log_odds, self.max_log_odds, 2))
    }

    /// The log odds that a [probability](Self::probability) was made from.
    pub fn log_odds(&self, probability: f64) -> f64 {
        let shown = logit(probability);
        let share = shown / self.max_log_odds;
        shown / (1.0 - share * share).max(f64::EPSILON).sqrt()
    }
}

/// The share of a source's pairs that are right, from the evidence of each pair that [counts](super::score::FitParams::counted), in nats: the
/// fixed point of π = (n₀·π₀ + Σ σ(eᵢ + logit π)) / (n₀ + n), the mean of the posterior under a Beta prior worth n₀ pairs. Never 0 or 1, as
/// the belief is neither.
/// Cost: pairs × rounds.
pub fn share_right(evidence: &[f64], (first, worth): (f64, f64)) -> f64 {
    let mut share = first;
    for _ in 0..MOST_ROUNDS {
        let prior = logit(share);
        let right: f64 = evidence.iter().map(|e| sigmoid(e + prior)).sum();
        let next = (worth * first + right) / (worth + evidence.len() as f64);
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
        assert!((share_right(&[], (0.1, 4.0)) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn one_round_by_hand() {
        // One pair of evidence ln 9, π₀ = 0.5 worth 1: σ(ln 9) = 0.9, so π = (0.5 + 0.9) / 2 = 0.7 after one round; the
        // fixed point solves π = (0.5 + 9π/(8π + 1)) / 2, i.e. 16π² − 11π − 0.5 = 0.
        let share = share_right(&[9f64.ln()], (0.5, 1.0));
        let expected = (11.0 + (121.0f64 + 32.0).sqrt()) / 32.0;
        assert!((share - expected).abs() < 1e-5, "{share} {expected}");
    }

    #[test]
    fn where_all_pages_are_paired_hardly_another_pair_is_right() {
        assert!((Params::default().beside_keys(20.0, 20.0) - 0.5 / 21.0 / 22.0).abs() < 1e-12);
    }
}
