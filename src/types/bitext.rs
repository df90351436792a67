//! Sentences of two pages that are translations of each other.

use super::Lang;

/// Consecutive sentences of one page that are said to translate consecutive sentences of the other: m–n, where m or n may be 0. Sentences
/// are counted from the beginning of each page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bead {
    /// First sentence of the first page.
    pub a_start: u32,
    /// One past the last sentence of the first page.
    pub a_end: u32,
    /// First sentence of the second page.
    pub b_start: u32,
    /// One past the last sentence of the second page.
    pub b_end: u32,
}

impl Bead {
    /// Number of sentences on each side: (1, 2) for a 1–2 bead.
    pub fn shape(&self) -> (u32, u32) {
        (self.a_end - self.a_start, self.b_end - self.b_start)
    }

    /// True when both sides have a sentence.
    pub fn is_paired(&self) -> bool {
        self.a_end > self.a_start && self.b_end > self.b_start
    }
}

/// Where one side of a sentence pair comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// URL of the page.
    pub url: String,
    /// The archive, as it was named when it was read.
    pub archive: String,
    /// Where the page's record begins in it.
    pub offset: u64,
    /// Position of the block among the page's blocks, from 0, and its tag: `17:p`.
    pub block: String,
}

/// One sentence pair, for listing and export.
#[derive(Clone, Debug, PartialEq)]
pub struct BitextLine {
    /// Text in the language listed first; empty where the other text has no counterpart.
    pub text_a: String,
    /// Its translation.
    pub text_b: String,
    /// Language of the first.
    pub lang_a: Lang,
    /// Language of the second.
    pub lang_b: Lang,
    /// Probability that the two are translations, 0..=1.
    pub score: f64,
    /// Score of the page pair: the share of its text that is in good sentence pairs, 0..=1.
    pub page_score: f64,
    /// Number of sentences on each side.
    pub shape: (u32, u32),
    /// Why it was left out; `None` if it was kept.
    pub reason: Option<&'static str>,
    /// Where the first text comes from.
    pub a: Place,
    /// Where the second text comes from.
    pub b: Place,
    /// Other page pairs with the same sentence pair, exactly or nearly: their URLs, each pair once, in the order of the languages. It would
    /// have been kept there too if it were not listed here.
    pub others: Vec<(String, String)>,
}
