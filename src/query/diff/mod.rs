//! What differs between two stores: pairs and sentence pairs gained, lost and changed, each with the reason that the store without it has.
//!
//! `side.rs` is one of the two stores: it opens one site at a time and says what was decided there on two pages; `change.rs` has the
//! differences that are reported, `pairs.rs` compares pairs, and `sentences.rs` compares sentence pairs. Pages are known by their URLs, so
//! that it does not matter in which order the stores were given their archives.

mod change;
mod pairs;
mod sentences;
mod side;

pub use change::{Change, PairChange, SentenceChange};
pub use pairs::for_each_pair_change;
pub use sentences::for_each_sentence_change;
pub use side::{Side, domains};
