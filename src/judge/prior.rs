//! How often each source of candidates is right: expectation-maximisation over the evidence of its pairs.

use super::odds::{logit, sigmoid};

/// What is believed of a source before its pairs are seen.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Share of right pairs of a strong key, and how many pairs that belief is worth. Default 0.9, 4.
    pub strong: (f64, f64),
    /// Of a weak key. Default 0.1, 4.
    pub weak: (f64, f64),
    /// Of links, words and whatever else proposes pairs without a URL. Default 0.1, 4.
    pub other: (f64, f64),
    /// Pairs of keys that are right from which pages without a key are believed to have no partner. Default 10.
    pub many_pairs: usize,
    /// … if these are at least this share of the smaller language's pages. Default 0.5.
    pub min_share: f64,
    /// The largest share of right pairs of `other` sources then. Default 0.0005.
    pub beside_keys: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            strong: (0.9, 4.0),
            weak: (0.1, 4.0),
            other: (0.1, 4.0),
            many_pairs: 10,
            min_share: 0.5,
            beside_keys: 0.0005,
        }
    }
}

/// The share of a source's pairs that are right, from the evidence of each pair in nats: the fixed point of
/// π = (n₀·π₀ + Σ σ(eᵢ + logit π)) / (n₀ + n), the mean of the posterior under a Beta prior worth n₀ pairs.
/// Cost: pairs × rounds.
pub fn share_right(evidence: &[f64], (first, worth): (f64, f64)) -> f64 {
    let mut share = first;
    for _ in 0..MOST_ROUNDS {
        let prior = logit(share.clamp(LEAST, 1.0 - LEAST));
        let right: f64 = evidence.iter().map(|e| sigmoid(e + prior)).sum();
        let next = (worth * first + right) / (worth + evidence.len() as f64);
        let change = (next - share).abs();
        share = next;
        if change < 1e-6 {
            break;
        }
    }
    share.clamp(LEAST, 1.0 - LEAST)
}

/// The probability of a pair from its evidence and the share of right pairs of its source.
pub fn probability(evidence: f64, share: f64) -> f64 {
    sigmoid(evidence + logit(share.clamp(LEAST, 1.0 - LEAST)))
}

const MOST_ROUNDS: usize = 200;
/// No source is ever wrong or always wrong for sure.
const LEAST: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_lies_for_half_of_its_pairs_is_half_right() {
        let evidence: Vec<f64> = (0..100).map(|at| if at % 2 == 0 { 6.0 } else { -6.0 }).collect();
        let share = share_right(&evidence, (0.9, 4.0));
        assert!((0.47..0.56).contains(&share), "{share}");
        assert!(probability(6.0, share) > 0.99 && probability(-6.0, share) < 0.01);
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
}
