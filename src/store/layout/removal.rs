//! What of the pages and batches counts no more.

use rkyv::{Archive, Deserialize, Serialize};

/// What was removed at one time. Kind 15.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovalRecord {
    /// Batches that count no more, as a whole.
    pub batches: Vec<u64>,
    /// XXH3 of hosts, of registrable domains for all of theirs, and of URLs without scheme; each counts no more in the archives
    /// whose number is less than the one beside it. And of the archives that are removed, by their paths and the last parts of these, each
    /// with `archive ` before it. Their texts are nowhere.
    pub names: Vec<(u64, u32)>,
    /// It stands for all records before it.
    pub replaces: bool,
    /// Compaction has taken from the files what it names.
    pub purged: bool,
}
