//! Patterns of keys as lines.

use crate::error::Result;
use crate::keys::credibility;
use crate::store::Store;

/// A pattern of keys, for listing.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternLine {
    /// The pattern.
    pub pattern: String,
    /// C(p), its global credibility, in pages.
    pub credibility: f64,
    /// Number of sites with a key of this pattern.
    pub sites: u32,
}

/// The patterns of all keys of the store, in alphabetical order.
///
/// # Errors
/// When the catalog cannot be read.
pub fn patterns(store: &Store) -> Result<Vec<PatternLine>> {
    let mut lines = Vec::new();
    store.for_each_pattern(|pattern, known| {
        lines.push(PatternLine { pattern, credibility: credibility::global(known.sum), sites: known.sites });
    })?;
    Ok(lines)
}
