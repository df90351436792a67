//! The model of a language pair.

use super::lengths::Lengths;
pub use crate::lexicon::Vocabulary;

/// What was learnt of a language pair, reduced to what alignment needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Words of the first language.
    pub a: Vocabulary,
    /// Words of the second.
    pub b: Vocabulary,
    /// How the lengths of translations are related.
    pub lengths: Lengths,
    /// Weights of [`super::score`]; empty: the default weights.
    pub weights: Vec<f32>,
}
