//! How much is learnt, and from what.

use crate::keys::least::MIN_CREDIBILITY;
use crate::lexicon::LearnParams;

/// Settings of learning.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Training pairs of a language pair, at most. Default 400.
    pub max_pairs: usize,
    /// No more sites are searched for training pairs once so many sites have given `max_pairs` in all. Default 8.
    pub max_sites: usize,
    /// Least number of training pairs of a language pair. Default 20 (an estimate).
    pub min_pairs: usize,
    /// Training pairs that are compared with their near misses, at most, beside the first few of each key. Default 50.
    pub tested_pairs: usize,
    /// How words are learnt.
    pub words: LearnParams,
    /// Least probability, in both directions, of a word translation that verification uses. Default 0.1.
    pub min_probability: f32,
    /// Least credibility C(p, w) of the key of a training pair. Default 0.1.
    pub min_credibility: f64,
    /// Entries of the learnt lexicon that are listed, at most. Default 20,000.
    pub max_lexicon: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            max_pairs: 400,
            max_sites: 8,
            min_pairs: 20,
            tested_pairs: 50,
            words: LearnParams::of_pages(),
            min_probability: 0.1,
            min_credibility: MIN_CREDIBILITY,
            max_lexicon: 20_000,
        }
    }
}
