//! Two pages said to be translations.

use super::{Lang, LangPair};

/// Two pages of one site, as ordinals of its page table. Invariant: `a` is in `langs.a`, `b` in `langs.b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PagePair {
    /// The two languages.
    pub langs: LangPair,
    /// The page in the first.
    pub a: u32,
    /// The page in the second.
    pub b: u32,
}

/// What proposed a pair. Codes are stored: only append.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Method {
    /// A key that is strong or rescued.
    Key = 0,
    /// A weak key.
    WeakKey = 1,
    /// A page declares the other as its translation.
    Hreflang = 2,
    /// The two pages link to each other.
    Link = 3,
    /// Rare words, numbers, images and tags in common.
    Words = 4,
    /// Aligned links of a pair lead to them.
    Votes = 5,
    /// All pages are compared with all others.
    All = 6,
}

impl Method {
    /// The method of a stored code.
    pub fn from_code(code: u8) -> Option<Method> {
        use Method::*;
        [Key, WeakKey, Hreflang, Link, Words, Votes, All].get(usize::from(code)).copied()
    }

    /// As it is listed.
    pub fn name(self) -> &'static str {
        match self {
            Method::Key => "key",
            Method::WeakKey => "weak-key",
            Method::Hreflang => "hreflang",
            Method::Link => "link",
            Method::Words => "words",
            Method::Votes => "aligned-links",
            Method::All => "all-pairs",
        }
    }
}

/// What became of a pair that was judged. Codes are stored: only append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
    /// Taken.
    Accepted = 0,
    /// Below the least score.
    LowScore = 1,
    /// A page of it has a better partner.
    Outdone = 2,
    /// Both sides have the same text.
    SameText = 3,
    /// Its pages have different partners in a third language.
    Contradicted = 4,
}

impl Fate {
    /// The fate of a stored code.
    pub fn from_code(code: u8) -> Option<Fate> {
        [Fate::Accepted, Fate::LowScore, Fate::Outdone, Fate::SameText, Fate::Contradicted]
            .get(usize::from(code))
            .copied()
    }

    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Accepted => "accepted",
            Fate::LowScore => "low score",
            Fate::Outdone => "outdone",
            Fate::SameText => "same text",
            Fate::Contradicted => "contradicted",
        }
    }
}

/// One pair of pages, for listing.
#[derive(Clone, Debug, PartialEq)]
pub struct PairLine {
    /// Address of the page in the language listed first.
    pub url_a: String,
    /// Address of its translation.
    pub url_b: String,
    /// Language of the first.
    pub lang_a: Lang,
    /// Language of the second.
    pub lang_b: Lang,
    /// How far it is to be trusted, 0..=1: its probability once pairs are verified, before that the local credibility of
    /// its key.
    pub score: f64,
    /// What proposed it.
    pub method: &'static str,
    /// The key's pattern, from the first address to the second.
    pub key: String,
}
