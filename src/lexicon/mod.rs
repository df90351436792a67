//! Which words mean the same: what all methods ask is [`Translations`].
//!
//! [`Lexicon`] is a word list read from a file, [`LexiconSet`] several of them. [`TranslationModel`] learns from sentence
//! pairs as they come, and can be stored as [`ModelParts`]. A [`Vocabulary`] remembers how words are written, which
//! the others know by hash only.

mod cells;
mod model;
mod table;
#[cfg(test)]
mod twin;
mod vocabulary;

pub use model::{ModelEntry, ModelParams, ModelParts, SentencePair, TranslationModel};
pub use table::{Between, Lexicon, LexiconSet, Reading};
pub use vocabulary::{Vocabulary, export};

use crate::types::{Lang, LangPair};

/// One of the two languages of a [`LangPair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The language that sorts first.
    A,
    /// The other.
    B,
}

impl Side {
    /// The other side.
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }

    /// The side of `langs` that a language can be; `None` where it is neither.
    pub fn of(langs: LangPair, lang: Lang) -> Option<Side> {
        if langs.a.agrees(lang) { Some(Side::A) } else { langs.b.agrees(lang).then_some(Side::B) }
    }
}

/// Translations of single words between two languages. Words are [hashes](crate::text::words::hash).
pub trait Translations: Send + Sync {
    /// The two languages.
    fn langs(&self) -> LangPair;

    /// Calls `each` with the translations of a word of language `side`, in an order that depends on the words only.
    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64));

    /// True when `other`, of the other language, is a translation of `word`, of language `side`.
    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool;
}
