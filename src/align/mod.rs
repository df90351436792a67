//! Two pages → beads: which sentences are translations of which.
//!
//! ```text
//! Document ─┐            blocks of both       sentences of
//!           ├─ Evidence ─▶ pages, by tag, ───▶ matched blocks ─▶ beads ─▶ score ─▶ clean
//! Document ─┘    ▲        lengths, words                                              │
//!                Model ◀──────── train: lengths, words, calibration ◀─────────────────╯
//! ```
//! [`align`] finds the cheapest alignment of two pages ([`path`](crate::sequence::path)) twice: first of their blocks, then of the
//! sentences of blocks that belong together. The cost of a bead is the sum of the [`Cost`]s in [`COSTS`]: that of its [`lengths`], and that
//! of a word [`translation`] model (with [`matches`] for many beads at once), which [`train`] learns from a [`sample`] of these same pages.
//! [`scoring`] turns the facts about a bead into a probability; alphabetical [`lists`] are not learnt from, and those that each language sorts itself are put in one order ([`moved`]); [`clean`] says which beads are
//! not good bitext, and why; [`repeats`] finds beads that occur more than once; [`units`] joins beads
//! of all versions of a document to units of several languages.

mod beads;
mod calibrate;
pub mod clean;
mod composed;
mod cost;
mod costs;
mod document;
mod features;
mod judged;
pub mod lengths;
mod lists;
pub mod matches;
mod model;
mod moved;
mod numbers;
mod params;
pub mod repeats;
mod resorted;
pub mod routes;
pub mod sample;
pub mod scoring;
mod span;
pub mod train;
pub mod translation;
pub mod units;
pub mod untranslated;
mod via;
mod widen;

pub use beads::align;
pub use composed::{WithHub, compose_pages};
pub use document::Document;
pub use judged::{AlignPage, Aligned, JudgedBead, align_pages};
pub use lengths::Lengths;
pub use model::{Model, Vocabulary};
pub use params::Params;
pub use scoring::Scoring;
pub use translation::WordEvidence;
pub use via::{Known, Via};
pub use {beads::align_by, cost::Cost, span::Span};
