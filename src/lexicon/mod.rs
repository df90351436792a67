//! Which words translate each other. Methods ask through the trait [`Translations`].
//!
//! A [`Lexicon`] is a word list, read from a file or learnt; a [`LexiconSet`] is several of them. A [`Corpus`] learns from
//! all pairs of texts at once. A [`Vocabulary`] is what is stored of a learnt model.

mod composed;
mod em;
#[cfg(test)]
pub(crate) mod reference;
mod side;
mod translations;
mod vocabulary;
mod word_list;

pub use composed::{Halfway, composed};
pub use em::{Corpus, KnownPair, LearnParams, ModelParams};
pub use side::Side;
pub use translations::Translations;
pub use vocabulary::{Kept, Vocabulary, known_vocabularies, vocabularies};
pub use word_list::{Lexicon, LexiconSet};
