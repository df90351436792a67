//! From similarities to probabilities, and to the pairs that are accepted.
//!
//! [`judge`] is the step that verification and iteration share: it turns candidates, with what the measures say of them, into judged pairs.
//! [`score`] weighs what the measures say of two pages. Its logistic model has the shipped weights, or is fitted to what people judged,
//! where that is enough. [`prior`] learns how often each source of candidates (a key, links, words) is right on a site;
//! with the evidence of a pair this gives its probability. [`near`] asks whether the pages beside a pair are as much alike.
//! [`versions`] joins the pages of pairs, the most certain first, into documents with one page in each language, and [`hubs`] says by
//! which version the others are aligned. Other ways of judging are in `papers`.

pub mod hubs;
mod judging;
mod names;
pub mod near;
pub mod odds;
mod params;
pub mod prior;
mod rivals;
pub mod score;
mod shares;
mod usual;
pub mod versions;

pub use judging::{JudgedPairs, beside_versions, judge, refused, unique};
pub use params::Params;
