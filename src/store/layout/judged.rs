//! Pairs that were judged, and the models they were judged by.

use rkyv::{Archive, Deserialize, Serialize};

use crate::types::{Fate, Similarities};

/// The pairs of one site that verification or iteration looked at. Kinds 8 and 9.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct JudgedRecord {
    /// Number of the site.
    pub site: u32,
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// Pairs, by language pair, then page; those accepted first.
    pub pairs: Vec<JudgedRow>,
    /// How often each source of candidates was right.
    pub sources: Vec<SourceRow>,
    /// What `hosts` lists.
    pub hosts: Vec<(String, u64)>,
    /// Untranslated copies that stand among pages of another language: the copy, and the page it is a copy of.
    pub copies: Vec<(u32, u32)>,
    /// Weights of the score that were fitted to the site, of language pairs that the run has learnt nothing of.
    pub fitted: Vec<FittedRow>,
}

/// Weights of the score in one site.
#[derive(Archive, Serialize, Clone, Debug, PartialEq)]
pub struct FittedRow {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// One for each input ([`crate::judge::score::inputs`]).
    pub weights: Vec<f64>,
}

/// One judged pair.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq)]
pub struct JudgedRow {
    /// Page in the language that sorts first.
    pub a: u32,
    /// Page in the other.
    pub b: u32,
    /// Position of its key in the site's result; `u32::MAX`: none.
    pub key: u32,
    /// Weight of the evidence, in nats.
    pub evidence: f32,
    /// Probability.
    pub score: f32,
    /// What the measures say, in the order of [`crate::types::MEASURES`]; NaN: nothing.
    pub similarities: [f32; Similarities::COUNT],
    /// What proposed it ([`crate::types::Method`]).
    pub method: u8,
    /// What became of it ([`Fate`]).
    pub fate: u8,
}

impl JudgedRow {
    /// True for a pair that was taken.
    pub fn is_accepted(&self) -> bool {
        self.fate == Fate::Accepted as u8
    }
}

impl ArchivedJudgedRow {
    /// True for a pair that was taken.
    pub fn is_accepted(&self) -> bool {
        self.fate == Fate::Accepted as u8
    }

    /// The row, owned.
    pub fn to_row(&self) -> JudgedRow {
        JudgedRow {
            a: self.a.to_native(),
            b: self.b.to_native(),
            key: self.key.to_native(),
            evidence: self.evidence.to_native(),
            score: self.score.to_native(),
            similarities: self.similarities.map(|value| value.to_native()),
            method: self.method,
            fate: self.fate,
        }
    }
}

/// One source of candidates: a key, or a method.
#[derive(Archive, Serialize, Clone, Copy, Debug, PartialEq)]
pub struct SourceRow {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Position of the key; `u32::MAX`: none.
    pub key: u32,
    /// What proposed the pairs.
    pub method: u8,
    /// Pairs it proposed.
    pub pairs: u32,
    /// Accepted ones.
    pub accepted: u32,
    /// Share that is right, as estimated.
    pub share: f32,
}

/// What a stage left of judging a site. Keys `v` and `i` number.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgedHead {
    /// Its record.
    pub record: u64,
    /// [`super::SiteHead::generation`] it was made from.
    pub generation: u64,
    /// The result record of the keys it was made from.
    pub result: u64,
    /// Hash of settings and models, and of what it was made from.
    pub inputs: u64,
    /// Accepted pairs.
    pub pairs: u64,
}

/// What a run has learnt of one language pair. Kind 10.
#[derive(Archive, Serialize, Clone, Debug, Default)]
pub struct LearntRecord {
    /// First language.
    pub lang_a: [u8; 8],
    /// Second language.
    pub lang_b: [u8; 8],
    /// Hash of the pairs it was learnt from, and of the settings.
    pub inputs: u64,
    /// Page pairs it was learnt from.
    pub pairs: u32,
    /// Weights of the score; empty: the shipped ones.
    pub weights: Vec<f64>,
    /// Bytes of text of the second language for one of the first.
    pub length_ratio: f64,
    /// Translations, as hashes of words, sorted: each list learnt from one half of the pairs and asked about the other.
    pub halves: [Vec<(u64, u64)>; 2],
    /// The learnt lexicon in words, the most probable first, with the probability that is less of both directions.
    pub lexicon: Vec<(String, String, f32)>,
}

/// Where the model of a language pair is. Key `o` the two languages, 8 bytes each.
#[derive(Archive, Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct LearntHead {
    /// Its record.
    pub record: u64,
    /// [`LearntRecord::inputs`].
    pub inputs: u64,
}
