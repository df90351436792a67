//! The format of stores.

/// Format of stores this program writes and reads. None before it was released.
pub const FORMAT_VERSION: u32 = 13;
