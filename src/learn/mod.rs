//! What a run learns of each language pair: the usual ratio of lengths, which words translate each other, and from verdicts of
//! people the weights of the score.
//!
//! [`TrainingPairs`] samples pairs of credible keys, which are compared with their [near misses](crate::verify::misses). A
//! [`Trainer`](trainer::Trainer) learns words and lengths from texts, a [`Learner`] everything that is learnt of language pairs.
//! [`learn_from_site`] learns words and lengths from the most certain pairs in parts of one site. [`Models`] hold what was learnt and what
//! the user gave, for comparing pages; [`WithOwn`] adds what a site teaches.

mod halves;
mod learning;
mod models;
mod own;
mod params;
mod trainer;
mod training_pairs;

pub use halves::{Halves, SurePair};
pub use learning::{Learner, Learnt, Settings, Training};
#[cfg(feature = "exec")]
pub use learning::{Lesson, lessons};
pub use models::{Model, Models};
pub use own::{ByPart, WithOwn, learn_from_site};
pub use params::Params;
pub use training_pairs::{TrainingPair, TrainingPairs};
