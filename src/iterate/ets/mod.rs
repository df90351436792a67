//! Enhanced translation similarity, link-2014: every page of one language against every page of the other (Liu et al. 2014).
//!
//! `formulas` are Algorithms 1 and 2 as the paper gives them; `site` runs them over the pages of a site.

mod formulas;
mod site;

pub use formulas::{Params, Weights};
pub use site::{History, Inputs, histories, judged};
