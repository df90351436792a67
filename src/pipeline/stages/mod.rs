//! The stages, in their order. A stage file only connects: it reads a batch, calls the method and commits.

pub(crate) mod align;
mod align_order;
pub(crate) mod align_survey;
mod align_tasks;
mod groups;
pub(crate) mod index;
pub(crate) mod ingest;
pub(crate) mod iterate;
mod judged;
pub(crate) mod keys;
pub(crate) mod links;
mod listed;
mod owners;
mod scores;
mod shared;
mod together;
pub(crate) mod verify;

use super::Stage;

/// All stages, in their order.
pub const STAGES: &[&dyn Stage] =
    &[&ingest::Ingest, &index::Index, &links::Links, &keys::Keys, &verify::Verify, &iterate::Iterate, &align::Align];
