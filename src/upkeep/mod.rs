//! Keeping a store for years: giving it settings, removing what must not be in it, and merging it with others.
//!
//! Upkeep that needs nothing but the store is in `store` ([`Store::check`](crate::store::Store::check), `repair`, `compact`); upkeep that
//! needs the methods is here.

#[cfg(test)]
mod faulty_disk;
mod given;
mod merge;
mod remove;
mod tokens;

pub use given::Given;
pub use merge::{Merged, merge};
pub(crate) use remove::empty_sites;
pub use remove::{Removal, Taken, accept_losses, remove};
pub(crate) use tokens::complete_tokens;
