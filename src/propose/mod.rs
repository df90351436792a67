//! What may be a pair: candidates, from whatever proposes them.
//!
//! | file | proposes |
//! |---|---|
//! | `keys` | the pairs of keys; among pages that no key pairs, those of weak keys and of marks of languages in other places |
//! | `hreflang` | pages that declare each other as translations |
//! | `links` | pages that link to each other, where a page has few such links: language bars |
//! | `order` | pages that are numbered, near the same place in both languages, where their numbers do not agree |
//! | `words` | pages that share rare words, numbers, images, links and runs of tags |
//! | `votes` | pages that aligned links of accepted pairs lead to, and translations of one page |
//!
//! Beside them [`Partners`] keeps who is paired, [`Network`] the links inside each language, [`aligned_links`] aligns the links
//! of two pages, and [`neighbours`] tells how many neighbours of two pages are partners. [`Signs`] say what URLs and declarations tell
//! of a pair beside proposing it.

pub mod aligned_links;
mod direct;
mod hreflang;
pub mod keys;
mod links;
pub mod neighbours;
mod network;
mod order;
mod partners;
mod signs;
pub mod votes;
mod words;

#[cfg(feature = "internals")]
pub use direct::direct;
pub use direct::judge_direct;
pub use network::Network;
pub use partners::Partners;
pub use signs::Signs;
pub use words::of_words;
