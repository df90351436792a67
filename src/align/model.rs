//! What is learnt of a pair of languages.

use super::lengths::Lengths;
pub use crate::lexicon::Vocabulary;

/// What was learnt of a pair of languages, cut down to what alignment asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Words of the first language.
    pub a: Vocabulary,
    /// Words of the second.
    pub b: Vocabulary,
    /// How long translations are.
    pub lengths: Lengths,
    /// Weights of [`super::score`]; empty: the shipped ones.
    pub weights: Vec<f32>,
}
