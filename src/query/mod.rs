//! What a store answers: pairs, keys, hosts and pages, in an order that depends on URLs only.
//!
//! A question is about a [`Scope`]: all sites, a domain or a host. [`Site`] is one site with what the stages left of it, and the one
//! place that says which language a page counts for. [`for_each_pair`], [`keys`], [`hosts`], [`bitext`] and [`fetch()`] list;
//! [`explain`] says why a page has a partner, or has none.

pub mod bitext;
mod counts;
pub mod explain;
mod fetch;
mod hosts;
mod keys;
pub mod known_site;
pub mod numbered;
mod pairs;
mod scope;
pub mod site;

pub use counts::{pair_count, sentence_counts};
pub use fetch::fetch;
pub use hosts::{HostLine, hosts};
pub use keys::{KeyLine, keys};
pub use pairs::{for_each_judged, for_each_pair, judged_line, pair_line};
pub use scope::{Scope, sites};
pub use site::Site;
