//! Capture → page: charset, HTML, language.

/// Settings of extraction.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Pages with less text than this, in bytes of UTF-8, are left out (Liu et al. 2014, §4.1: 100).
    pub min_text_bytes: u32,
}
