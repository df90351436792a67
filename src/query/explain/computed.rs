//! What an explanation must ask of the judging methods: the store has the decisions, these methods show what led to them.

use crate::error::Result;
use crate::judge::score::Scorer;
use crate::papers::ets::History;
use crate::propose::votes::Support;
use crate::query::site::Site;
use crate::types::{LangPair, PagePair};

/// Facts that the store does not have; they are computed when they are asked for.
pub trait ComputedFacts {
    /// The weights of the score for a language pair, as the run has learnt them.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn scorer(&self, langs: LangPair) -> Result<Scorer>;

    /// What accepted pairs say of a pair; `None` where links have not been read.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn support(&self, site: &Site, pair: PagePair) -> Result<Option<Support>>;

    /// `link-2014`: how pairs of one language pair got their similarities, in the order of `pairs`; `None` for pairs that are not compared.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn rounds(&self, site: &Site, pairs: &[PagePair]) -> Result<Vec<Option<History>>>;
}
