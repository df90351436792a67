//! What can be looked up: sorted entries within a memory budget, token → bitmap postings, and a site's addresses.

pub mod postings;
pub mod site;
pub mod sorter;
