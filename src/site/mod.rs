//! One site of the store as the stages and queries see it: its pages, and the results of the stages on it.
//!
//! [`Site`] is a site with all results, and the only place that says which language a page counts for; [`OpenSite`] is one whose pages the
//! methods compare. [`Scope`] says which sites and hosts are meant. `bitext` reads the sentence pairs of a site, `paragraphs` their texts on the
//! pages, `repetitions` and `frequency` where else they stand, `scores` what a program of the user says of them. What was learnt from several sites is read
//! here too: `languages`, `learnt` and `models`.

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
