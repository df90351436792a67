//! What a run learns of each language pair: the weights of the score, the usual ratio of lengths, and which words are translations of
//! each other.
//!
//! [`TrainingPairs`] samples pairs of strong keys; [`near_misses`] are pairs that are surely wrong, and near them. A [`Trainer`] learns
//! words and lengths from texts, a [`Learner`] all there is to learn of language pairs, [`learn_from_site`] words from the surest pairs of
//! parts of one site. [`Models`] are what was learnt, and what the user gave, for comparing pages; [`WithOwn`] adds what a site teaches itself.

mod halves;
mod learning;
#[cfg(feature = "exec")]
mod lesson;
mod misses;
mod models;
mod own;
mod params;
mod trainer;
mod training_pairs;

pub use halves::{Halves, SurePair};
#[cfg(feature = "exec")]
pub use learning::lessons;
pub use learning::{Learner, Learnt, Settings, Training};
#[cfg(feature = "exec")]
pub use lesson::Lesson;
pub use misses::{near_misses, undoubted};
pub use models::{Model, Models};
pub use own::{ByPart, WithOwn, learn_from_site};
pub use params::Params;
pub use training_pairs::{TrainingPair, TrainingPairs};
