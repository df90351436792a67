//! What a person knows better than the program: corrections of pairs, keys, languages and sites, which runs apply.
//!
//! `correction` is one correction and the [`Place`] for which it holds; `list` is the file with its lines, in which nothing contradicts
//! anything else; `of_site` is what corrections say of one site, in the form in which methods ask.

mod correction;
mod list;
mod of_site;

pub use correction::{Correction, Place, Said};
pub use list::{Corrections, HEAD, JOINED, Line};
pub use of_site::OfSite;
