//! What is learnt from, and how much of it.

/// Settings of learning.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Pairs of pages that are learnt from, a language pair. Default 400: a few hundred thousand words.
    pub pairs: usize,
    /// Words of one language that translations are learnt from, a language pair. Default 400,000.
    pub words: usize,
    /// Passes of EM over them. Default 4.
    pub passes: usize,
    /// Least probability, in both directions, of a translation that is used. Default 0.1.
    pub least_probability: f64,
    /// Pages of a pair that teach must be at least this credible by their key: C(p, w). Default 0.1.
    pub least_credibility: f64,
    /// Entries of the learnt lexicon that are kept in words. Default 20,000.
    pub lexicon: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            pairs: 400,
            words: 400_000,
            passes: 4,
            least_probability: 0.1,
            least_credibility: 0.1,
            lexicon: 20_000,
        }
    }
}
