//! Similarities → a probability, and the pairs that are accepted.
//!
//! [`score`] weighs what the measures say of two pages: a regularised logistic model, fitted where a run has pairs that
//! are surely good and surely bad, and shipped weights where it has not. [`prior`] learns how often each source of
//! candidates (a key, links, words) is right in a site, which together with the weight of the evidence is a probability.
//! [`decide`] takes the best first, one partner a page in each language pair; [`versions`] tells which of these pairs those with a
//! third language speak against.

pub mod best_two;
pub mod decide;
pub mod lessons;
pub mod prior;
pub mod score;
pub mod versions;

/// Settings of judging.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Least probability of a pair. Default 0.5: with calibrated probabilities F1 is highest at half of itself, and F1
    /// is near 1.
    pub min_score: f64,
    /// Share of words that both sides may have in common before the pair counts as untranslated. Default 0.9: a text
    /// and its translation share names, numbers and code, not nine words of ten.
    pub most_same_text: f32,
    /// Fitting the weights.
    pub fit: score::FitParams,
    /// What is believed of a source before its pairs are seen.
    pub prior: prior::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            min_score: 0.5,
            most_same_text: 0.9,
            fit: score::FitParams::default(),
            prior: prior::Params::default(),
        }
    }
}

/// 1 / (1 + e^−x).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln(p / (1 − p)).
pub fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}
