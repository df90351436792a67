//! One site of the store as the stages and queries see it: its pages, and the results of the stages on it.
//!
//! [`Site`] is a site with all results, and the only place that decides which language a page counts for; [`OpenSite`] is a site whose
//! pages the methods compare. [`Scope`] says which sites and hosts are meant. `bitext` reads the sentence pairs of a site, `paragraphs`
//! their texts on the pages, `repetitions` and `frequency` the other places where they stand, and `scores` the scores that a program of the
//! user gave them. What was learnt from several sites is read here too: `languages`, `learnt` and `models`.

pub mod bitext;
pub mod frequency;
pub mod hosts;
pub mod languages;
pub mod learnt;
pub mod model_cache;
pub mod models;
pub mod numbered;
pub mod open;
pub mod paired;
pub mod paragraphs;
pub mod repetitions;
pub mod results;
pub mod scope;
pub mod scores;
pub mod teaching;
pub mod verdicts;

pub use open::OpenSite;
pub use results::Site;
pub use scope::{Scope, sites};
