//! What can be looked up: sorted entries within a memory budget, token → bitmap postings, a site's addresses, and its
//! links.

pub mod graph;
pub mod postings;
pub mod site;
pub mod sorter;
