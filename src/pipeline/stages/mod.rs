//! The stages, in the order of the work. A stage file is glue: read a batch, call the method, commit.

mod align;
mod groups;
mod index;
mod ingest;
mod iterate;
mod judged;
mod keys;
mod links;
mod shared;
mod verify;

use super::Stage;
#[cfg(feature = "exec")]
pub(crate) use {
    align::{Align, Samples, learn_pages, samples},
    ingest::{Sink, take},
    keys::Keys,
    verify::Verify,
};

/// All stages, in order.
pub const STAGES: &[&dyn Stage] =
    &[&ingest::Ingest, &index::Index, &links::Links, &keys::Keys, &verify::Verify, &iterate::Iterate, &align::Align];
