//! Whole pages with their texts, alone and in pairs, for export.

use super::{Lang, PairLine, Provenance};

/// What texts in a language look like, as the sites of a store show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageLine {
    /// The language.
    pub lang: Lang,
    /// The domains that it was learnt from.
    pub domains: u32,
    /// How often each of 256 kinds of pairs of letters occurs in their texts, as numbers with spaces between them.
    pub letters: String,
}

/// A page with its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLine {
    /// Its URL.
    pub url: String,
    /// The language of its text; for a page of a pair, the language that it counts for.
    pub lang: Lang,
    /// `<title>`.
    pub title: String,
    /// Its paragraphs (blocks), each on a line of its own: the number of a paragraph is that of its line, from 0.
    pub text: String,
    /// The tag of each paragraph: `p`, `li`, `td`, `h1` …
    pub tags: Vec<&'static str>,
    /// When it was fetched: milliseconds since 1970 UTC; `None` where the archive does not say.
    pub date_ms: Option<i64>,
    /// The archive, as it was named when it was read.
    pub archive: String,
    /// Where the page's record begins in it.
    pub offset: u64,
    /// Where its text comes from.
    pub provenance: Provenance,
}

/// Two pages that are translations, and their aligned sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentLine {
    /// The pair.
    pub pair: PairLine,
    /// Score of the page pair: the share of its text that is in good sentence pairs, 0..=1.
    pub page_score: f64,
    /// The page in the language listed first.
    pub a: PageLine,
    /// Its translation.
    pub b: PageLine,
    /// Aligned sentences, in the order of the pages.
    pub sentences: Vec<AlignedSentences>,
}

/// Sentences of two pages that are said to be translations.
#[derive(Clone, Debug, PartialEq)]
pub struct AlignedSentences {
    /// The sentences of the first page; `None` where those of the second have no counterpart.
    pub a: Option<SentencePlace>,
    /// The sentences of the second page; `None` where those of the first have no counterpart.
    pub b: Option<SentencePlace>,
    /// Probability that the two are translations, 0..=1.
    pub score: f64,
    /// Why they are left out of bitext; `None` if they are not.
    pub reason: Option<&'static str>,
}

/// Some consecutive sentences of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentencePlace {
    /// Their text.
    pub text: String,
    /// The paragraph of the first of them, from 0.
    pub paragraph: u32,
    /// The number of the first sentence in that paragraph, from 0.
    pub sentence: u32,
    /// The number of sentences.
    pub count: u32,
}
