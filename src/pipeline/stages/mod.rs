//! The stages, in the order of the work. A stage file is glue: read a batch, call the method, commit.

mod align;
mod index;
mod ingest;
mod keys;
mod links;

use super::Stage;

/// All stages, in order.
pub const STAGES: &[&dyn Stage] = &[&ingest::Ingest, &index::Index, &links::Links, &keys::Keys, &align::Align];
