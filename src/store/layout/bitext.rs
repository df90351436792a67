//! Sentence pairs of one site, repetitions among them, and what was learnt of a language pair.

use rkyv::{Archive, Deserialize, Serialize};

/// Aligned page pairs of one site, ordered by languages, then by URLs. Kind 11.
#[derive(Clone, Debug, Default)]
pub struct BitextRecord {
    /// Number of the site.
    pub site: u32,
    /// Position of its first page pair among those of the site.
    pub first: u32,
    /// The page pairs.
    pub pairs: Vec<PairBitextRow>,
}

/// One aligned page pair.
#[derive(Clone, Debug, Default)]
pub struct PairBitextRow {
    /// Reference to the record of the page in the first language.
    pub page_a: u64,
    /// Reference to the record of the page in the second language.
    pub page_b: u64,
    /// Ordinal of the page in the first language.
    pub a: u32,
    /// Ordinal of the page in the second language.
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

/// One bead. [`super::beads`] says how it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BeadRow {
    /// Hashes of both texts, of 40 bits each; 0 for no text.
    pub texts: [u64; 2],
    /// For each text, whether its function words are those of another language.
    pub are_foreign: [bool; 2],
    /// For each text, whether it is so long that a translation of it would not read the same.
    pub are_long: [bool; 2],
    /// Whether one text is a copy of the other one: both are the same apart from numbers, quotation marks and signs beside spaces, or one
    /// is mostly in the language of the other page.
    pub is_copy: bool,
    /// First byte of the first side in its page's text.
    pub a_start: u32,
    /// One past the last byte of the first side.
    pub a_end: u32,
    /// First byte of the second side.
    pub b_start: u32,
    /// One past the last byte of the second side.
    pub b_end: u32,
    /// Probability that the sides are translations, to four places.
    pub score: f32,
    /// Sentences of the first side.
    pub m: u8,
    /// Sentences of the second.
    pub n: u8,
    /// Code of the reason for leaving the bead out, as far as the bead by itself shows one; 0: none.
    pub reason: u8,
}

/// A [`BitextRecord`] as it lies in the store.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct BitextChunk {
    /// Number of the site.
    pub site: u32,
    /// Position of its first page pair among those of the site.
    pub first: u32,
    /// The page pairs.
    pub pairs: Vec<BitextPairRow>,
    /// The beads of all page pairs, packed.
    pub beads: Vec<u8>,
}

/// A [`PairBitextRow`] as it lies in the store.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct BitextPairRow {
    /// Reference to the record of the page in the first language.
    pub page_a: u64,
    /// Reference to the record of the page in the second language.
    pub page_b: u64,
    /// Ordinal of the page in the first language.
    pub a: u32,
    /// Ordinal of the page in the second language.
    pub b: u32,
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Share of aligned text.
    pub score: f32,
    /// How many beads the page pair has.
    pub beads: u32,
}

/// Sentence pairs that occur more than once, on a site or on several, in the order of the site's beads. Kind 12.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct RepeatRecord {
    /// One row for each sentence pair that is repeated.
    pub rows: Vec<RepeatRow>,
}

/// A bead that is repeated later, or that repeats an earlier one.
#[derive(Archive, Serialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct RepeatRow {
    /// Position of its page pair among those of the site.
    pub pair: u32,
    /// Position of the bead in the page pair.
    pub bead: u32,
    /// Code of the reason for leaving the bead out; 0: it is the first occurrence.
    pub reason: u8,
    /// For a first occurrence: the other page pairs of the site that have the same bead, in order, each once.
    pub others: Vec<u32>,
    /// For a first occurrence: the page pairs of other sites that have the same bead, by site and in order.
    pub elsewhere: Vec<PagePlaces>,
}

/// A page pair of any site.
#[derive(Archive, Serialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PagePlaces {
    /// Reference to the record of the page in the first language.
    pub a: u64,
    /// Reference to the record of the page in the second language.
    pub b: u64,
}

/// What was learnt of a language pair. Kind 13.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct ModelRecord {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Characters of the second language for each character of the first.
    pub ratio: f32,
    /// Variance of the second length for each character of the first.
    pub variance: f32,
    /// The numbers of [`Scoring`](crate::align::Scoring).
    pub scoring: Vec<f32>,
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
    /// Reference to the record from which the page pairs were last read.
    pub source: u64,
    /// Key byte of the keyspace whose head names that record: `i`, `v` or `r`.
    pub source_table: u8,
    /// Hash of the page pairs it was made from.
    pub pairs: u64,
    /// Hash of the data that the models of its languages were learnt from, and of its documents and their hubs.
    pub models: u64,
    /// Page pairs that are aligned.
    pub done: u32,
    /// True when all page pairs are aligned and repetitions were looked for.
    pub finished: bool,
    /// Sentence pairs kept.
    pub kept: u64,
    /// Code of each reason for which sentence pairs were left out, and how many there were.
    pub dropped: Vec<(u8, u64)>,
    /// Records of the repetitions on other sites, in the order of the beads.
    pub shared: Vec<u64>,
    /// Hash of the sentence pairs of all sites, which were compared.
    pub compared: u64,
    /// Code of each reason for which sentence pairs were left out because an earlier site has them, and how many there were.
    pub shared_dropped: Vec<(u8, u64)>,
}

/// Scores that the user's scorer gave to sentence pairs of one site. Kind 16.
#[derive(Archive, Serialize, Clone, Debug, Default, PartialEq)]
pub struct ScoreRecord {
    /// Hashes of the lines that were asked, rising.
    pub lines: Vec<u64>,
    /// The scores, in the same order.
    pub scores: Vec<f32>,
    /// In the first record of a site that is finished: the mean score of the sentence pairs of each page pair, in the order of page pairs;
    /// no number where none was asked about.
    pub pages: Vec<f32>,
}

/// Where the scores of a site are. Key `p` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoreHead {
    /// Its score records, in order.
    pub chunks: Vec<u64>,
    /// Hash of the scorer's command.
    pub scorer: u64,
    /// Hash of what the sentence pairs were made from.
    pub bitext: u64,
    /// True when all sentence pairs of the site have a score.
    pub finished: bool,
}

/// Where the model of a language pair is. Key `y` the two tags, 8 bytes each.
#[derive(Archive, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelHead {
    /// Reference to its record.
    pub record: u64,
    /// Hash of the page pairs it was learnt from.
    pub input: u64,
    /// Fingerprint of the settings.
    pub params: u64,
}
