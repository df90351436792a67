//! Sentences of two pages that are translations of each other.

use std::sync::OnceLock;

use super::{BlockKind, Lang, Provenance};

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
    /// Position of the block among the page's blocks, from 0, and its tag: `17:p`; empty where there is no text.
    pub block: String,
    /// What the block is; `None` where there is no text.
    pub kind: Option<BlockKind>,
    /// The paragraph (block) of the first sentence, from 0; `None` where there is no text.
    pub paragraph: Option<u32>,
    /// The number of the first sentence in that paragraph, from 0; `None` where there is no text.
    pub sentence: Option<u32>,
    /// The number of sentences.
    pub count: u32,
    /// Where the text of the page comes from.
    pub provenance: Provenance,
    /// The bytes of the page's text where the sentences begin and end; 0 and 0 where there is no text.
    pub span: (u32, u32),
    /// A hash of the page's text; 0 where it was not asked for.
    pub page: u64,
    /// How many paragraphs the page has, and how many sentences the paragraph of the first sentence has; `None` where this was not asked
    /// for, or where there is no text.
    pub totals: Option<(u32, u32)>,
}

/// The language that a text is in by itself, and how sure this is, 0..=1; `None` where the text does not tell. It is found when it is first
/// asked for.
pub type Told = OnceLock<Option<(Lang, f32)>>;

/// One sentence pair, for listing and export; or several that were joined.
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
    /// Why it was left out; `None` if it was kept.
    pub reason: Option<&'static str>,
    /// Where the first text comes from.
    pub a: Place,
    /// Where the second text comes from.
    pub b: Place,
    /// Other page pairs with the same sentence pair: their URLs, each pair once, in the order of the languages. Each of them would keep the
    /// sentence pair if it were not listed here.
    pub others: Vec<(String, String)>,
    /// How many page pairs of the site have the sentence pair, this one included; `None` where it was left out before they were counted.
    pub page_pairs: Option<u32>,
    /// True where so many of the site's page pairs have it that it is likely part of a template: a menu, a header, a footer.
    pub is_furniture: bool,
    /// How many different texts are kept as translations of the first text, on the whole site and in the second language; `None` where this
    /// was not counted.
    pub targets: Option<u32>,
    /// How many are kept as translations of the second.
    pub sources: Option<u32>,
    /// For each text, the language that it is in by itself, once this was asked for.
    pub told: [Told; 2],
    /// The score of the user's scorer; `None` where it was not asked.
    pub scorer: Option<f64>,
    /// What stands between the sentence pair before this one and this one, on both sides, if the two can be joined: they follow one another
    /// on both pages, and the one before was kept.
    pub joint: Option<[&'static str; 2]>,
}

impl BitextLine {
    /// Both languages and texts.
    pub fn texts(&self) -> [(Lang, &str); 2] {
        [(self.lang_a, &self.text_a), (self.lang_b, &self.text_b)]
    }
}
