//! Settings of iteration.

use super::{copies, ets};
use crate::propose::aligned_links;

/// Settings of iteration in the default.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Rounds, at the most; they end when nothing changes. Default 6.
    pub rounds: usize,
    /// Least probability of a pair that only words or links proposed, for it to be kept with its reasons. Below it, what is kept is the best
    /// that a page without any partner has in a few languages. Default 0.01.
    pub min_kept: f32,
    /// Aligning links.
    pub propose: aligned_links::Params,
    /// The paper's method.
    pub ets: ets::Params,
    /// Untranslated copies.
    pub copies: copies::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            rounds: 6,
            min_kept: 0.01,
            propose: aligned_links::Params::default(),
            ets: ets::Params::default(),
            copies: copies::Params::default(),
        }
    }
}
