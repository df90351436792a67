//! Deep pages: the URLs that the partners of pages without one would have, made by keys (Zhang, Yao & Kit 2013, §2.2).
//!
//! [`propose`] makes the URLs of one site. A key may leave open where in a URL its value goes, because one side is (null) or a value occurs
//! twice. Then the pairs that the key has made decide: a URL is proposed only if enough of these pairs have their partner at the same
//! place. [`weigh`] corrects the chance of each URL by the links of the site's pages. [`deep_pages`] says what became of each URL, and
//! [`choose`] keeps the likeliest ones. What is known of the site is asked through [`KnownSite`].

mod chance;
mod deep;
mod known;
mod linked;
mod markers;
mod params;
mod place;
mod proposal;
mod propose;

pub use deep::{DeepPage, Filter, Outcome, Requested, choose, deep_pages, rank};
pub use known::KnownSite;
pub use linked::{LinkTargets, linked_pages, weigh};
pub use params::Params;
pub use proposal::{ActiveKey, Proposal};
pub use propose::propose;
