//! Where the translations of words come from.

use crate::lexicon::Translations;
use crate::types::LangPair;

/// Translations of words, by language pair.
pub trait Dictionaries: Sync {
    /// What is known of a language pair, for a page of the first language, given by its URL without scheme.
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>>;

    /// How many bytes of text the second language takes for one of the first.
    fn length_ratio(&self, langs: LangPair) -> Option<f64>;
}
