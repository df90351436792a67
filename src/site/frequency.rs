//! How many page pairs of a site have a sentence pair.

use rustc_hash::FxHashMap;

use super::repetitions::Cursor;
use crate::align::clean::{Reason, hash_of_sentences};
use crate::store::layout::{ArchivedBitextPairRow, ArchivedRepeatRow, BeadRow};
use crate::types::Lang;

/// A sentence pair is no furniture if fewer page pairs than this have it.
const FURNITURE_PAGES: u32 = 5;
/// A sentence pair is furniture if more than this share of the site's page pairs in its languages have it,
const FURNITURE_SHARE: f64 = 0.1;
/// or if this many of them have it, which may be a small share on a large site.
const CERTAIN_PAGES: u32 = 100;

/// How many page pairs a site has, and how many of them have a sentence pair.
pub struct Frequency {
    /// The number of page pairs of two languages.
    all: FxHashMap<[[u8; 8]; 2], u32>,
    /// The number of page pairs that have a sentence pair, by its hash, for those that were left out as repetitions.
    repeated: FxHashMap<u64, u32>,
}

impl Frequency {
    /// Of the page pairs of a site.
    pub fn new<'r>(pairs: impl Iterator<Item = &'r ArchivedBitextPairRow>) -> Frequency {
        let mut all: FxHashMap<_, u32> = FxHashMap::default();
        for row in pairs {
            *all.entry([row.lang_a, row.lang_b]).or_default() += 1;
        }
        Frequency { all, repeated: FxHashMap::default() }
    }

    /// The same, for uses that also need beads that were left out as repetitions. All beads of the site and its repetitions are given, both
    /// in order.
    pub fn with_repeated<'r>(
        self,
        aligned: impl Iterator<Item = (&'r ArchivedBitextPairRow, Vec<BeadRow>)>,
        repeats: impl Iterator<Item = &'r ArchivedRepeatRow>,
    ) -> Frequency {
        let mut counts: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
        let mut repeats = Cursor::new(repeats);
        for ((row, beads), place) in aligned.zip(0u32..) {
            for (bead, number) in beads.iter().zip(0u32..) {
                if repeats.of(place, number).is_some() {
                    // The page pair that has it last, and how many have it.
                    let (last, count) = counts.entry(hash_of_bead(row, bead)).or_insert((u32::MAX, 0));
                    *count += u32::from(*last != place);
                    *last = place;
                }
            }
        }
        Frequency { repeated: counts.into_iter().map(|(hash, (_, count))| (hash, count)).collect(), ..self }
    }

    /// How many page pairs of the site have a bead; `None` for one that was left out before repetitions were looked for.
    pub fn of(&self, row: &ArchivedBitextPairRow, bead: &BeadRow, repeat: Option<&ArchivedRepeatRow>) -> Option<u32> {
        match repeat {
            _ if bead.reason != 0 => None,
            None => Some(1),
            Some(repeat) if repeat.reason == 0 => Some(repeat.others.len() as u32 + 1),
            Some(repeat) if repeat.reason == Reason::Duplicate as u8 => {
                self.repeated.get(&hash_of_bead(row, bead)).copied()
            }
            Some(_) => None,
        }
    }

    /// True for a bead of a page pair that is likely furniture: five page pairs of the site or more have it, and these are more than
    /// a tenth of those in its languages; or a hundred have it.
    pub fn is_furniture(&self, row: &ArchivedBitextPairRow, page_pairs: Option<u32>) -> bool {
        let all = self.all.get(&[row.lang_a, row.lang_b]).copied().unwrap_or(0);
        page_pairs.is_some_and(|count| is_furniture(count, all))
    }
}

/// The hash by which equal sentence pairs are found.
pub fn hash_of_bead(row: &ArchivedBitextPairRow, bead: &BeadRow) -> u64 {
    hash_of_sentences((Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b)), bead.texts.into())
}

fn is_furniture(page_pairs: u32, all: u32) -> bool {
    let is_share = page_pairs >= FURNITURE_PAGES && f64::from(page_pairs) > FURNITURE_SHARE * f64::from(all);
    is_share || page_pairs >= CERTAIN_PAGES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_part_of_the_pages_says_is_furniture() {
        assert!(is_furniture(5, 5) && is_furniture(5, 49) && is_furniture(11, 109) && is_furniture(100, 9000));
        assert!(!is_furniture(4, 4) && !is_furniture(5, 50) && !is_furniture(99, 9000));
    }
}
