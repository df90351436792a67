//! What can be looked up: sorted entries within a memory budget, token → bitmap postings, which capture of a URL counts, a
//! site's URLs and its links; the smallest few of many; and numbers in few bytes.

pub mod addresses;
pub mod captures;
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

/// Bytes of memory that a run may take, about, where nothing else is said: 1 GiB.
pub const MEMORY_BYTES: usize = 1 << 30;
