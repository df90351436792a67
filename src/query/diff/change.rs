//! The differences that are reported for a row that one of two stores has, or both.

use crate::types::{Lang, PairLine};

/// How two stores differ in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Both have it, and it is the same.
    Same,
    /// Only the second has it.
    Gained,
    /// Only the first has it.
    Lost,
    /// Both have it, and something of it differs.
    Changed,
}

impl Change {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Change::Same => "same",
            Change::Gained => "gained",
            Change::Lost => "lost",
            Change::Changed => "changed",
        }
    }
}

/// A pair of pages in two stores.
#[derive(Clone, Debug, PartialEq)]
pub struct PairChange {
    /// How they differ.
    pub change: Change,
    /// The pair as the first and the second store have it, accepted or rejected; `None` where it was not proposed. In both, the languages
    /// stand in the order of the second store.
    pub lines: [Option<PairLine>; 2],
    /// What each store decided: `accepted`, or why there is no such pair.
    pub status: [String; 2],
    /// Why it was gained or lost, which is the status in the store without it; or the columns that changed.
    pub why: String,
}

impl PairChange {
    /// The line of the store that has the pair; that of the second store where both have it.
    pub fn line(&self) -> Option<&PairLine> {
        let [before, after] = &self.lines;
        if self.change == Change::Lost { before.as_ref() } else { after.as_ref() }
    }
}

/// A sentence pair of two pages in two stores: the same two pages, and the same two texts but for white space.
#[derive(Clone, Debug, PartialEq)]
pub struct SentenceChange<'c> {
    /// How they differ.
    pub change: Change,
    /// URLs of the two pages, in the order of the languages.
    pub urls: [&'c str; 2],
    /// Their languages, in the order of the second store.
    pub langs: [Lang; 2],
    /// The two texts; empty where it is the same in both stores, or texts were not asked for.
    pub texts: [String; 2],
    /// Its score in the first and the second store, 0..=1; `None` where its pages are not aligned so.
    pub scores: [Option<f64>; 2],
    /// Why it was gained or lost, or what changed.
    pub why: String,
}
