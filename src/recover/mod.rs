//! Keys, and pages without a partner → the URLs that their partners would have (Zhang, Yao & Kit 2013, §2.2): deep pages.
//!
//! [`propose`] makes the URLs of one site. Where a key leaves open at which place of a URL its value goes ((null) on one side, or a
//! value that occurs twice), the pairs that the key has made decide: a URL is proposed only when enough of these pairs have
//! their partner at the same place. [`weigh`] corrects how likely each URL is to exist by the links of the site's pages.
//! [`deep_pages`] says what became of each URL, and [`choose`] keeps the likeliest ones. What is known of the site comes in
//! through [`KnownSite`].

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
