//! Sentences of two pages that are translations of each other.

use super::Lang;

/// Some consecutive sentences of one page said to be the translation of some of the other: m–n, either side perhaps empty.
///
/// Sentences are counted from the beginning of each page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bead {
    /// First sentence of the first page.
    pub a_start: u32,
    /// One past its last.
    pub a_end: u32,
    /// First sentence of the second page.
    pub b_start: u32,
    /// One past its last.
    pub b_end: u32,
}

impl Bead {
    /// Sentences of each side: (1, 2) for a 1–2 bead.
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
    /// Place of the block among the page's blocks, from 0, and its tag: `17:p`.
    pub block: String,
}

/// One sentence pair, for listing and export.
#[derive(Clone, Debug, PartialEq)]
pub struct BitextLine {
    /// Text in the language listed first; empty where the other side has no counterpart.
    pub text_a: String,
    /// Its translation.
    pub text_b: String,
    /// Language of the first.
    pub lang_a: Lang,
    /// Language of the second.
    pub lang_b: Lang,
    /// Probability that the two are translations, 0..=1.
    pub score: f64,
    /// Share of aligned text of the two pages, 0..=1.
    pub page_score: f64,
    /// Sentences of each side.
    pub shape: (u32, u32),
    /// Why it is left out; `None` when it is kept.
    pub reason: Option<&'static str>,
    /// Source of the first.
    pub a: Place,
    /// Source of the second.
    pub b: Place,
    /// Other page pairs with the same sentence pair, exactly or nearly, each once: their URLs, in the order of the languages. There it
    /// would be kept too if it were not said here already.
    pub others: Vec<(String, String)>,
}
