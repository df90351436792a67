//! Candidates: pairs of pages that may be translations, and what proposes them.
//!
//! | file | proposes |
//! |---|---|
//! | `keys` | the pairs of keys; for pages that no key pairs, also those of weak keys, and of marks of languages in other places |
//! | `hreflang` | pages of which one declares the other as its translation |
//! | `sitemaps` | pages that a sitemap declares as versions of each other |
//! | `links` | pages that link to each other, where a page has few such links: language bars |
//! | `order` | numbered pages near the same place in both languages, where equal numbers do not go together |
//! | `words` | pages that share rare words, numbers, images, links and runs of tags |
//! | `votes` | pages that aligned links of accepted pairs lead to, and translations of one page |
//!
//! Pairs that people pin are candidates too, and those that they forbid are none; [`impose`] sees to this where a preset of a paper judges.
//! [`Partners`] keeps which pages are paired, and [`Network`] the links inside each language. [`aligned_links`] aligns the links of two
//! pages, and [`neighbours`] tells how many neighbours of two pages are partners. [`Signs`] are what URLs say of a pair besides proposing
//! it.

pub mod aligned_links;
mod direct;
mod hreflang;
mod imposed;
pub mod keys;
mod links;
pub mod neighbours;
mod network;
mod order;
mod partners;
mod signs;
mod sitemaps;
pub mod votes;
mod words;

pub use direct::direct;
pub use direct::judge_direct;
pub use imposed::impose;
pub use network::Network;
pub use partners::Partners;
pub use signs::Signs;
pub use sitemaps::of_sitemaps;
pub use words::of_words;
