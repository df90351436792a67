//! Whole pages with their texts, alone and in pairs, for export.

use super::{Lang, PairLine};

/// A page with its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLine {
    /// Its URL.
    pub url: String,
    /// The language of its text; of a page of a pair, that it counts for.
    pub lang: Lang,
    /// `<title>`.
    pub title: String,
    /// Its paragraphs, which are its blocks, each on a line of its own: the number of a paragraph is that of its line, from 0.
    pub text: String,
    /// The tag of each paragraph: `p`, `li`, `td`, `h1` …
    pub tags: Vec<&'static str>,
    /// When it was fetched: milliseconds since 1970 UTC; `None` where the archive does not say.
    pub date_ms: Option<i64>,
    /// The archive, as it was named when it was read.
    pub archive: String,
    /// Where the page's record begins in it.
    pub offset: u64,
}

/// Two pages that are translations, and the sentences of theirs that are.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentLine {
    /// The pair.
    pub pair: PairLine,
    /// Share of aligned text of the two pages, 0..=1.
    pub page_score: f64,
    /// The page in the language listed first.
    pub a: PageLine,
    /// Its translation.
    pub b: PageLine,
    /// Aligned sentences, in the order of the pages.
    pub sentences: Vec<AlignedSentences>,
}

/// Sentences of two pages said to be translations.
#[derive(Clone, Debug, PartialEq)]
pub struct AlignedSentences {
    /// Those of the first page; `None` where the second says more than it.
    pub a: Option<SentencePlace>,
    /// Those of the second.
    pub b: Option<SentencePlace>,
    /// Probability that the two are translations, 0..=1.
    pub score: f64,
    /// Why they are left out of bitext; `None` when they are good.
    pub reason: Option<&'static str>,
}

/// Some consecutive sentences of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentencePlace {
    /// Their text.
    pub text: String,
    /// The paragraph of the first of them, from 0.
    pub paragraph: u32,
    /// Its number in that paragraph, from 0.
    pub sentence: u32,
    /// How many sentences they are.
    pub count: u32,
}
