//! What may be a pair: candidates, from whatever proposes them.
//!
//! | file | proposes |
//! |---|---|
//! | `keys` | the pairs of keys, and those of weak keys among pages that no key pairs |
//! | `hreflang` | pages that declare each other as translations |
//! | `links` | pages that link to each other, where a page has few such links: language bars |
//! | `words` | pages that share rare words, numbers, images, links and runs of tags |
//! | `votes` | pages that aligned links of accepted pairs lead to, and translations of one page |
//!
//! Beside them [`Partners`] keeps who is paired, [`Network`] the links inside each language, [`aligned_links`] aligns the links
//! of two pages, and [`neighbours`] tells how many neighbours of two pages are partners.

pub mod aligned_links;
mod direct;
mod hreflang;
pub mod keys;
mod links;
pub mod neighbours;
mod network;
mod partners;
pub mod votes;
mod words;

pub use direct::direct;
pub use network::Network;
pub use partners::Partners;
pub use words::of_words;
