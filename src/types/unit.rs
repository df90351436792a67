//! Sentences of several languages that are translations of each other, for export.

use super::{Lang, Place};

/// A unit: sentences of one document in two languages or more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitLine {
    /// Its number: a hash of the pages and places of its texts.
    pub id: u64,
    /// The number of its document: a hash of the first URL among those of the document's versions.
    pub document: u64,
    /// The languages, with commas between them, in the order of the texts.
    pub langs: String,
    /// Sentence pairs of at least this score hold it together, 0..=1.
    pub score: f64,
    /// How many sentence pairs contradict it.
    pub contradictions: u32,
    /// True where all sentence pairs of the unit are left out of bitext because other page pairs have them.
    pub is_repeated: bool,
    /// The texts, one in each language, in the order of listing.
    pub texts: Vec<UnitText>,
    /// Its sentence pairs, by languages, in that order.
    pub pairs: Vec<UnitPair>,
}

/// A text of a unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitText {
    /// Its language.
    pub lang: Lang,
    /// The text.
    pub text: String,
    /// Where it comes from.
    pub place: Place,
}

/// The alignment of two languages of a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitPair {
    /// The language listed first.
    pub lang_a: Lang,
    /// The other one.
    pub lang_b: Lang,
    /// The probability that the texts are translations, 0..=1; where there are several sentence pairs, the lowest of their probabilities.
    pub score: f64,
}
