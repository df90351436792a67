//! Which words translate each other. Methods ask through the trait [`Translations`].
//!
//! A [`Lexicon`] is a word list, read from a file or learnt; a [`LexiconSet`] is several of them. A [`TranslationModel`] learns from
//! sentence pairs that come one by one, a [`Corpus`] from all pairs of texts at once. A [`Vocabulary`] is what is stored of a learnt model.

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
pub use word_list::{Lexicon, LexiconSet};
