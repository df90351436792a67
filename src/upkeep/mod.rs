//! Keeping a store for years: giving it settings, and taking down what must not be in it.
//!
//! What a store itself can do for its upkeep, it does ([`Store::check`](crate::store::Store::check), `repair`, `compact`); what needs the
//! methods is here.

#[cfg(test)]
mod faulty_disk;
mod given;
mod remove;
mod tokens;

pub use given::Given;
pub use remove::{Removal, Taken, accept_losses, remove};
pub(crate) use tokens::complete_tokens;
