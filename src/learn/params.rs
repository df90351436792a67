//! How much is learnt, and from what.

/// Settings of learning.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Training pairs of a language pair, at the most. Default 400: a few hundred thousand words.
    pub max_pairs: usize,
    /// Words of one language that translations of a language pair are learnt from, at the most. Default 400,000.
    pub max_words: usize,
    /// Passes of EM over them. Default 4.
    pub passes: usize,
    /// Least probability, in both directions, of a translation that is used. Default 0.1.
    pub min_probability: f64,
    /// Least credibility C(p, w) of the key of a training pair. Default 0.1.
    pub min_credibility: f64,
    /// Entries of the learnt lexicon that are kept in words, at the most. Default 20,000.
    pub max_lexicon: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            max_pairs: 400,
            max_words: 400_000,
            passes: 4,
            min_probability: 0.1,
            min_credibility: 0.1,
            max_lexicon: 20_000,
        }
    }
}
