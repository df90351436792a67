//! Measures how likely two pages are translations of each other, in many respects.
//!
//! A [`Profile`] has the facts about a page that the measures use; it is made once. [`VERIFIERS`] has all measures by name; each gives a
//! number from 0 to 1 for two profiles, or `None`. [`With`] has what measures need besides the pages: settings, and a source of
//! [translations](crate::lexicon::Translations), if there is one. The table of the measures is `types/measures.rs`. A [`SiteView`] compares
//! the pages of one site, which it reads through [`SiteData`]; [`own_text`] tells the text of a page's own from text that stands on many
//! pages.
//!
//! | file | measures |
//! |---|---|
//! | `size` | `size`, `tags`, `paragraphs`: Tomás et al.; `length`: Liu et al. |
//! | `language` | `language`: Tomás et al. |
//! | `structure` | `structure`: edit distance of tags, Tomás et al. |
//! | `lcs` | `lcs`: longest common subsequence of tags, Liu et al. |
//! | `overlap` | `numbers`, `links`, `images`, `equal-text` |
//! | `links` | `hreflang`, `link`: what the pages declare about each other |
//! | `words` | `words`: words that both languages of the site have |
//! | `content` | `content`, `s_cb` (Liu et al.), `strand`, `bits`, `cognates` |

mod blocks;
mod content;
#[cfg(test)]
pub mod fixture;
mod language;
mod lcs;
mod links;
pub mod misses;
mod overlap;
pub mod own_text;
mod params;
mod profile;
mod site;
mod size;
mod structure;
mod verifiers;
mod weights;
mod with;
mod word_filter;
mod words;

pub use blocks::aligned_blocks;
pub use params::Params;
pub use profile::{BlockShape, Profile};
pub use profile::{Own, ProfileParams};
pub use site::{MAX_PROFILES, PageIds, PageText, SiteData, SiteView};
pub use size::text_ratio;
pub use verifiers::{VERIFIERS, Verifier, similarities_by_words, verifier};
pub use weights::WordWeights;
pub use with::{Dictionaries, With};
pub use words::same_text;
#[cfg(test)]
pub use {profile::stem, structure::distance};
