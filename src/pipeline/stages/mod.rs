//! The stages, in the order of the work. A stage file is glue: read a batch, call the method, commit.

pub(crate) mod align;
mod groups;
pub(crate) mod index;
pub(crate) mod ingest;
pub(crate) mod iterate;
mod judged;
pub(crate) mod keys;
pub(crate) mod links;
mod shared;
pub(crate) mod verify;

use super::Stage;

/// All stages, in order.
pub const STAGES: &[&dyn Stage] =
    &[&ingest::Ingest, &index::Index, &links::Links, &keys::Keys, &verify::Verify, &iterate::Iterate, &align::Align];
