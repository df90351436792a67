//! What of the pages and batches counts no more.

use rkyv::{Archive, Deserialize, Serialize};

/// What was removed at one time. Kind 15.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RemovalRecord {
    /// Batches that count no more, as a whole.
    pub batches: Vec<u64>,
    /// Hosts, and registrable domains for all of theirs.
    pub hosts: Vec<String>,
    /// URLs without scheme.
    pub urls: Vec<String>,
    /// Hosts and URLs count no more in the batches before it.
    pub before: u64,
    /// It stands for all records before it.
    pub replaces: bool,
}
