//! Two pages that are said to be translations.

use super::{Lang, LangPair, Provenance};

/// Two pages of one site, as ordinals of its page table. Invariant: `a` is in `langs.a`, `b` in `langs.b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PagePair {
    /// The two languages.
    pub langs: LangPair,
    /// The page in the first language.
    pub a: u32,
    /// The page in the second language.
    pub b: u32,
}

impl PagePair {
    /// Both pages, each with its language.
    pub fn sides(self) -> [(Lang, u32); 2] {
        [(self.langs.a, self.a), (self.langs.b, self.b)]
    }
}

/// One pair of pages, for listing.
#[derive(Clone, Debug, PartialEq)]
pub struct PairLine {
    /// URL of the page in the language listed first.
    pub url_a: String,
    /// URL of its translation.
    pub url_b: String,
    /// Language of the first.
    pub lang_a: Lang,
    /// Language of the second.
    pub lang_b: Lang,
    /// How far it can be trusted, 0..=1: its probability once pairs are verified; before that the local credibility of its key.
    pub score: f64,
    /// What proposed it.
    pub method: &'static str,
    /// The key's pattern, from the first URL to the second.
    pub key: String,
    /// The mean score that the user's scorer gave to its sentence pairs; `None` where it was not asked.
    pub scorer: Option<f64>,
    /// Where the two texts come from.
    pub provenance: [Provenance; 2],
}

/// A capture to fetch: a page of a pair that is known from an index or a WAT only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FetchLine {
    /// Archive file, as the index names it.
    pub file: String,
    /// Where its record begins there.
    pub offset: u64,
    /// Bytes it takes there; 0 where the index does not say.
    pub length: u64,
    /// Its URL.
    pub url: String,
}
