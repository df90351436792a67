//! Settings of comparing pages.

use super::own_text;
use super::profile::ProfileParams;
use super::size::Limits;
use super::structure::Limit;

/// Settings of the measures.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// What a profile keeps of a page.
    pub profile: ProfileParams,
    /// How much sizes may differ, for `Limits::allow`.
    pub sizes: Limits,
    /// The edit distance at which two tag sequences count as having nothing in common.
    pub structure: Limit,
    /// The longest common subsequence is computed on this many tags of each page at most. An estimate: the cost is the product of the two
    /// lengths over 64. Profiles keep fewer tags ([`ProfileParams::max_tags`]) unless that is changed, so by default this limit has no
    /// effect.
    pub max_lcs_tags: usize,
    /// Whether equal words, such as names and numbers, count as translations of each other in `s_cb`, `strand` and `bits`. None of the
    /// papers says so.
    pub equal_words: bool,
    /// Share of words that both sides may have in common before the pair counts as untranslated. Default 0.9: a text and its translation
    /// share names, numbers and code, but not nine words of ten.
    pub max_same_text: f32,
    /// Settings for finding the own text of a page; `None`: the whole text is used, as in the papers.
    pub own_text: Option<own_text::Params>,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            profile: ProfileParams::default(),
            sizes: Limits::default(),
            structure: Limit::default(),
            max_lcs_tags: 4096,
            equal_words: false,
            max_same_text: 0.9,
            own_text: Some(own_text::Params::default()),
        }
    }
}
