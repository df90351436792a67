//! How far a run is.

/// How far a run is, in words.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Working {
    /// "stage 5 of 7, verify".
    pub stage: String,
    /// What is done now, with its amounts, rate and time left: "pairs: 30 of 90 sites, 3.0 sites/s, 20s left".
    pub text: String,
    /// The part of it that is done, 0..=1; `None` where that is not known.
    pub share: Option<f64>,
}
