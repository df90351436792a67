//! Data structures for lookup: sorting within a memory budget, token → bitmap postings, the choice of the capture that counts for a URL,
//! the URLs and links of a site, the smallest few of many items, compact numbers, and sets that are joined pairwise.

pub mod addresses;
pub mod captures;
pub mod clusters;
pub mod graph;
pub mod numbers;
pub mod order;
pub mod parts;
pub mod postings;
pub mod retrieval;
pub mod site;
pub mod smallest;
pub mod sorter;
pub mod web;

/// Default of the memory that a run may take, approximately, in bytes: 1 GiB.
pub const MEMORY_BYTES: usize = 1 << 30;
