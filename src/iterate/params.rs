//! Settings of iteration.

use super::copies;
use crate::propose::aligned_links;

/// Settings of iteration by the default method.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// How many rounds there are at most; they end earlier when nothing changes. Default 6.
    pub rounds: usize,
    /// A pair that only words or links proposed is kept, with its reasons, if its probability is at least this. Of pairs below, only the
    /// best ones of a page without any partner are kept, in a few languages. Default 0.01.
    pub min_kept: f32,
    /// Aligning links.
    pub propose: aligned_links::Params,
    /// Untranslated copies.
    pub copies: copies::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            rounds: 6,
            min_kept: 0.01,
            propose: aligned_links::Params::default(),
            copies: copies::Params::default(),
        }
    }
}
