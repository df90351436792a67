//! What methods want to know of words.

use super::side::Side;
use crate::types::LangPair;

/// Translations of single words between two languages. Words are [hashes](crate::text::words::hash).
pub trait Translations: Send + Sync {
    /// The two languages.
    fn langs(&self) -> LangPair;

    /// Calls `each` with the translations of a word of language `side`, in an order that depends on the words only.
    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64));

    /// True when `other`, of the other language, is a translation of `word`, of language `side`.
    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool;
}
