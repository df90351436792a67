//! Settings of judging.

use super::odds::EVEN;
use super::prior;
use super::score::FitParams;

/// Settings of judging.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Least probability of an accepted pair. Default 0.5: with calibrated probabilities F1 is highest at half of its own value, and F1 is
    /// near 1.
    pub min_score: f64,
    /// How the weights are fitted.
    pub fit: FitParams,
    /// What is believed of sources, names and contents before pairs are seen.
    pub prior: prior::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params { min_score: EVEN, fit: FitParams::default(), prior: prior::Params::default() }
    }
}
