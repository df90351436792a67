//! Two pages → beads: which sentences are translations of which.
//!
//! ```text
//! Document ─┐            blocks of both       sentences of
//!           ├─ Evidence ─▶ pages, by tag, ───▶ matched blocks ─▶ beads ─▶ score ─▶ clean
//! Document ─┘    ▲        lengths, words                                              │
//!                Model ◀──────── train: lengths, words, calibration ◀─────────────────╯
//! ```
//! [`align`] looks for the cheapest way through two pages ([`path`](crate::sequence::path)) twice: first over their blocks, then
//! over the sentences of blocks that belong together. What a bead costs is the sum of the [`Cost`]s of [`COSTS`]: its [`lengths`],
//! and a word [`translation`] model (its [`matches`] for many beads at once) that [`train`] learns from a [`sample`] of the very
//! pages. [`score`] makes a probability of what is known of a bead; what stands in alphabetical [`lists`] teaches nothing; [`clean`] says which beads are no bitext, and why; [`repeats`]
//! finds what is said more than once.

mod beads;
pub mod clean;
mod cost;
mod costs;
mod document;
mod judged;
pub mod lengths;
mod lists;
pub mod matches;
mod model;
pub mod neighbourhoods;
mod params;
pub mod repeats;
pub mod sample;
pub mod score;
mod span;
pub mod train;
pub mod translation;

pub use beads::align;
pub use document::Document;
pub use judged::{AlignPage, Aligned, Judged, align_pages};
pub use lengths::Lengths;
pub use model::{Model, Vocabulary};
pub use params::Params;
pub use translation::Evidence;
#[cfg(feature = "internals")]
pub use {beads::align_by, cost::Cost, params::TrainParams, span::Span};
