//! Pairs settle with their neighbours, and pairs no address reveals: link-based iteration (Liu et al. 2014).
//!
//! [`ets`] is the paper's method as it stands: every page of one language against every page of the other.
//! [`neighbours`] is what the default takes of it, over candidates only: the share of a pair's neighbours that are
//! paired with each other. [`propose`] goes further: the links of a pair, aligned, lead to pairs.

pub mod copies;
pub mod ets;
pub mod neighbours;
pub mod propose;

/// Settings of iteration in the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Rounds, at the most; they end when nothing changes. Default 6.
    pub rounds: usize,
    /// Least probability of a pair that only words or links proposed, for it to be kept with its reasons. Default 0.01.
    pub least_kept: f32,
    /// Aligning links.
    pub propose: propose::Params,
    /// The paper's method.
    pub ets: ets::Params,
    /// Untranslated copies.
    pub copies: copies::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            rounds: 6,
            least_kept: 0.01,
            propose: propose::Params::default(),
            ets: ets::Params::default(),
            copies: copies::Params::default(),
        }
    }
}
