//! Similarities → a probability, and the pairs that are accepted.
//!
//! [`judge`] is the step that verification and iteration share: candidates, with what the measures say of them, become judged pairs.
//! [`score`] weighs what the measures say of two pages: a regularised logistic model, fitted where a run has pairs that
//! are surely good and surely bad, and shipped weights where it has not. [`prior`] learns how often each source of
//! candidates (a key, links, words) is right in a site, which together with the weight of the evidence is a probability.
//! [`versions`] joins the pages of pairs, from the surest on, to documents with one page a language; [`best_two`] tells which candidates lead all others of
//! their pages.
//!
//! Two other ways of judging stand beside it: [`one_measure`] alone, and [`webmining`], which compares all pages with all others; they and the links of
//! Liu et al. [`decide`] one language pair at a time.

pub mod best_two;
pub mod decide;
mod judging;
mod names;
pub mod odds;
pub mod one_measure;
mod params;
pub mod prior;
pub mod score;
mod shares;
mod usual;
pub mod versions;
pub mod webmining;

pub use judging::{Judged, beside_rivals, judge, unique};
#[cfg(feature = "internals")]
pub use odds::sigmoid;
pub use params::Params;
