//! Finds the sites to explore next from the graph of sites (Zhang, Yao & Kit 2013, §2.3), since bilingual sites link to bilingual sites.
//!
//! [`WebBuilder`] makes the graph from links between hosts. [`rank()`] gives each seed site its Linkout, PageRank and WeightedPageRank,
//! from links among seeds only, as in the paper. [`next()`] adds up each of the three for every site outside the store, over the seeds that
//! link to it. [`arrivals`] counts what an earlier round has brought.

mod graph;
mod next;
mod rank;
mod rounds;

pub use graph::{NamedWeb, StoredSite, WebBuilder, site_name};
pub use next::{By, Next, next};
pub use rank::{Params, Rank, rank};
pub use rounds::{Arrivals, arrivals};

#[cfg(test)]
mod tests;
