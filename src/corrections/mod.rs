//! What a person knows better than the program: corrections of pairs, keys, languages and sites, which runs apply.
//!
//! `correction` has one correction and the [`Place`] for which it holds; `list` is the file with its lines, no two of which contradict each
//! other; `of_site` has the corrections that concern one site, in the form in which methods ask for them.

mod correction;
mod list;
mod of_site;

pub use correction::{Correction, Place, Said};
pub use list::{Corrections, HEAD, JOINED, Line};
pub use of_site::OfSite;
