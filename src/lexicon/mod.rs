//! Which words mean the same: what all methods ask is [`Translations`].
//!
//! [`Lexicon`] is a word list, read from a file or learnt, [`LexiconSet`] several of them. [`TranslationModel`] learns from
//! sentence pairs as they come.

mod cells;
mod em;
mod model;
#[cfg(test)]
mod reference;
mod side;
mod translations;
mod vocabulary;
mod word_list;

pub use em::{Corpus, KnownPair, LearnParams};
pub use model::{ModelParams, SentencePair, TranslationModel};
pub use side::Side;
pub use translations::Translations;
pub use vocabulary::{Kept, Vocabulary, known_vocabularies, vocabularies};
pub use word_list::{Lexicon, LexiconSet, WordList};
