//! Enhanced translation similarity, link-2014: compares every page of one language with every page of the other (Liu et al. 2014).
//!
//! `formulas` has Algorithms 1 and 2 of the paper; `site` applies them to the pages of a site.

mod formulas;
mod site;

pub use formulas::{Params, Weights};
pub use site::{History, Inputs, histories, judged};
