//! The model of a language pair.

use super::lengths::Lengths;
use super::scoring::Scoring;
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
    /// How beads are scored.
    pub scoring: Scoring,
}
