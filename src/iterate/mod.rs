//! Link-based iteration (Liu et al. 2014): pairs are judged together with their neighbours, and new pairs are found that no URL shows.
//!
//! [`rounds`] is the default method: judge, let the links of accepted pairs vote, compare the pages that they propose. The paper's own
//! method, which compares every page of one language with every page of the other, is `papers::ets`. [`copies`] finds untranslated copies
//! that URLs do not show. [`sitemaps`] tells which of the pairs that sitemaps declare are borne out by the pages.

pub mod copies;
mod params;
pub mod rounds;
mod sitemaps;

pub use params::Params;
