//! Sentence pairs of one site, what is repeated among them, and what was learnt of a pair of languages.

use rkyv::{Archive, Deserialize, Serialize};

/// Aligned page pairs of one site, in the order of languages, then of URLs, as they are written. Kind 11.
#[derive(Clone, Debug, Default)]
pub struct BitextRecord {
    /// Number of the site.
    pub site: u32,
    /// Place of the first of its page pairs among those of the site.
    pub first: u32,
    /// The page pairs.
    pub pairs: Vec<PairBitextRow>,
}

/// One aligned page pair.
#[derive(Clone, Debug, Default)]
pub struct PairBitextRow {
    /// Reference to the record of the page in the first language.
    pub page_a: u64,
    /// To that of the page in the second.
    pub page_b: u64,
    /// Ordinal of the page in the first language.
    pub a: u32,
    /// Of the page in the second.
    pub b: u32,
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Share of aligned text.
    pub score: f32,
    /// Its beads, in order.
    pub beads: Vec<BeadRow>,
}

/// One bead. What is stored of it is in [`super::beads`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BeadRow {
    /// Hash of what near duplicates have in common, as far as it is kept: 48 bits; 0 where a reason is given.
    pub near: u64,
    /// Hash of the very texts: 16 bits.
    pub exact: u64,
    /// First byte of the first side in its page's text.
    pub a_start: u32,
    /// One past the last.
    pub a_end: u32,
    /// First byte of the second side.
    pub b_start: u32,
    /// One past the last.
    pub b_end: u32,
    /// Probability that the sides are translations, to four places.
    pub score: f32,
    /// Sentences of the first side.
    pub m: u8,
    /// Sentences of the second.
    pub n: u8,
    /// Code of the reason it is left out for, as far as it tells by itself; 0: none.
    pub reason: u8,
}

/// A [`BitextRecord`] as it lies in the store.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct BitextChunk {
    /// Number of the site.
    pub site: u32,
    /// Place of the first of its page pairs among those of the site.
    pub first: u32,
    /// The page pairs.
    pub pairs: Vec<BitextPairRow>,
    /// The beads of all of them, packed.
    pub beads: Vec<u8>,
}

/// A [`PairBitextRow`] as it lies in the store.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct BitextPairRow {
    /// Reference to the record of the page in the first language.
    pub page_a: u64,
    /// To that of the page in the second.
    pub page_b: u64,
    /// Ordinal of the page in the first language.
    pub a: u32,
    /// Of the page in the second.
    pub b: u32,
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Share of aligned text.
    pub score: f32,
    /// How many beads it has.
    pub beads: u32,
}

/// What is said more than once, on a site or on several, in the order of the beads of a site. Kind 12.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct RepeatRecord {
    /// One row a bead.
    pub rows: Vec<RepeatRow>,
}

/// A bead that is said again, or says again.
#[derive(Archive, Serialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RepeatRow {
    /// Place of its page pair among those of the site.
    pub pair: u32,
    /// Its place among the beads of the page pair.
    pub bead: u32,
    /// Code of the reason it is left out for; 0: it is the first that says so.
    pub reason: u8,
    /// Of the first: the page pairs of the site that say so too, in order, each once.
    pub others: Vec<u32>,
    /// Of the first: the page pairs of other sites that do, by site and in order.
    pub elsewhere: Vec<PagePlaces>,
}

/// A page pair of any site.
#[derive(Archive, Serialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PagePlaces {
    /// Reference to the record of the page in the first language.
    pub a: u64,
    /// To that of the page in the second.
    pub b: u64,
}

/// What was learnt of a pair of languages. Kind 13.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct ModelRecord {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Characters of the second language for one of the first.
    pub ratio: f32,
    /// Variance of the second length for each character of the first.
    pub variance: f32,
    /// Weights of the score; empty: the built-in ones.
    pub weights: Vec<f32>,
    /// Words of the first language.
    pub a: VocabularyRow,
    /// Words of the second.
    pub b: VocabularyRow,
}

/// Words of a language and their translations.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct VocabularyRow {
    /// As [`Vocabulary::to_bytes`](crate::lexicon::Vocabulary::to_bytes) writes them.
    pub bytes: Vec<u8>,
}

/// Where the sentence pairs of a site are. Key `b` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct BitextHead {
    /// Its bitext records, in order.
    pub chunks: Vec<u64>,
    /// Its repeat records, in order.
    pub repeats: Vec<u64>,
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Fingerprint of the settings.
    pub params: u64,
    /// The record that its page pairs were last seen in.
    pub source: u64,
    /// Key of the table whose head names that record: `i`, `v` or `r`.
    pub source_table: u8,
    /// Hash of the page pairs it was made from.
    pub pairs: u64,
    /// Hash of what the models of its languages were learnt from.
    pub models: u64,
    /// Page pairs that are aligned.
    pub done: u32,
    /// All are aligned, and repeats were looked for.
    pub finished: bool,
    /// Sentence pairs kept.
    pub kept: u64,
    /// Code of each reason something was left out for, and how often.
    pub dropped: Vec<(u8, u64)>,
    /// Records of what other sites say too, in the order of its beads.
    pub shared: Vec<u64>,
    /// Hash of what was compared: the sentence pairs of all sites.
    pub compared: u64,
    /// Code of each reason something kept was left out for, as a site before it says so, and how often.
    pub shared_dropped: Vec<(u8, u64)>,
}

/// Where the model of a pair of languages is. Key `y` the two tags, 8 bytes each.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelHead {
    /// Its record.
    pub record: u64,
    /// Hash of the page pairs it was learnt from.
    pub input: u64,
    /// Fingerprint of the settings.
    pub params: u64,
}
