//! The formats of stores.

/// Format of stores this program writes and reads.
pub const FORMAT_VERSION: u32 = 12;
/// The oldest format that a store is upgraded from.
pub const OLDEST_FORMAT: u32 = 4;
