//! The pages and batches that were removed.

use rkyv::{Archive, Deserialize, Serialize};

/// One removal. Kind 15.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovalRecord {
    /// Batches that are removed as a whole.
    pub batches: Vec<u64>,
    /// XXH3 hashes of what was removed, each with the first number of the archives from which it is removed, and the number behind the
    /// last. Hashed are hosts, registrable domains (with all their hosts), and URLs without scheme. Removed archives stand here too, by
    /// `archive ` and their path, and by `archive ` and the last part of the path. Only hashes are stored, not the names. A name may have
    /// several entries, as in merged stores.
    pub names: Vec<(u64, u32, u32)>,
    /// True when this record replaces all records before it.
    pub replaces: bool,
    /// True when compaction has deleted from the files all that it names.
    pub purged: bool,
}
