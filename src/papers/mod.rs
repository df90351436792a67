//! Methods of papers that compare or judge pages in a way of their own. Each has a preset or a setting; the default method uses none of them.
//!
//! [`webmining`] compares all pages of a site with each other, by structure and then by content (Tomás et al. 2008), with a translation
//! model that learns on the way ([`incremental`]); [`best_two`] tells which candidates lead all others of their pages. [`ets`] compares all pages, in rounds over links (Liu et al. 2014). [`one_measure`]
//! judges the pairs of keys by a single measure. All three decide each language pair by itself ([`decide`]): the best pairs are accepted
//! first, and each page gets one partner. The papers' methods of finding keys are settings of `keys`.

mod best_two;
pub mod decide;
pub mod ets;
pub mod incremental;
pub mod one_measure;
pub mod webmining;
