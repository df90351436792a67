//! Finds sentence pairs that occur more than once: the best of them is kept, with a list of the places where the others are.

use std::path::Path;

use super::clean::Reason;
use crate::error::Result;
use crate::index::sorter::{Entry, Sorter};

/// A sentence pair, identified by two numbers: its page pair and its number there, or its site and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BeadId {
    /// Number of its page pair or of its site; below `u32::MAX`.
    pub unit: u32,
    /// Its own number within this unit.
    pub number: u32,
}

/// The result for one sentence pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The sentence pair.
    pub bead: BeadId,
    /// The reason for leaving it out; `None`: it is the best of several, and is kept.
    pub reason: Option<Reason>,
    /// For the best: an occurrence in each other unit, in order.
    pub others: Vec<BeadId>,
}

/// This number stands in place of a unit where the sentence pair is left out; the other number is then the reason.
const LEFT_OUT: u32 = u32::MAX;

/// How many of the lowest bits of a sentence pair's hash are replaced by its rank.
const RANK_BITS: u32 = 3;
/// From these odds on, counted in steps of e, a sentence pair is as good as any other: this is a score of .993, which hardly differs from
/// 1.
const BEST: i64 = 5;

/// How far the odds of a sentence pair are below [`BEST`], in steps of e. Of equal sentence pairs the one with the lowest rank is kept, and
/// of several with the same rank the first, so that sentences which stand together are kept together.
fn rank(score: f32) -> u64 {
    let steps = (score / (1.0 - score)).ln() as i64;
    (BEST - steps.clamp(0, BEST)) as u64
}

/// A sentence pair as one number.
fn key_of(bead: BeadId) -> u64 {
    u64::from(bead.unit) << 32 | u64::from(bead.number)
}

/// Finds repetitions, in memory of at most twice `budget_bytes`; beyond it, entries are sorted on disk.
pub struct Finder {
    /// Key: hash of the sentence pair, and its rank in the lowest bits.
    by_hash: Sorter,
    /// Key: the sentence pair. The rest: another occurrence of it, or the reason why it is left out.
    by_bead: Sorter,
}

impl Finder {
    /// An empty finder. `folder` is only used when the budget is exceeded.
    pub fn new(budget_bytes: usize, folder: &Path) -> Finder {
        Finder { by_hash: Sorter::new(budget_bytes, folder), by_bead: Sorter::new(budget_bytes, folder) }
    }

    /// Adds a sentence pair with its hash ([`clean::hash_of_sentences`](super::clean::hash_of_sentences)) and its score, 0..=1.
    ///
    /// # Errors
    /// When entries cannot be written.
    pub fn add(&mut self, hash: u64, score: f32, bead: BeadId) -> Result<()> {
        let key = hash >> RANK_BITS << RANK_BITS | rank(score);
        self.by_hash.push(Entry { key, value: bead.unit, page: bead.number })
    }

    /// Adds a sentence pair that is left out for another reason than being repeated.
    ///
    /// # Errors
    /// When entries cannot be written.
    pub fn leave_out(&mut self, bead: BeadId, reason: Reason) -> Result<()> {
        self.by_bead.push(Entry { key: key_of(bead), value: LEFT_OUT, page: reason as u32 })
    }

    /// Calls `each`, in order, with every sentence pair that is left out, and with every one that also occurs in other units.
    ///
    /// # Errors
    /// When entries cannot be written or read, or what `each` returns.
    pub fn for_each(self, mut each: impl FnMut(Repeat) -> Result<()>) -> Result<()> {
        let Finder { by_hash, mut by_bead } = self;
        let id = |entry: &Entry| BeadId { unit: entry.value, number: entry.page };
        by_hash.for_each_group_of(RANK_BITS, |group| {
            // The best comes first, and of those as good the first.
            let [best, others @ ..] = group else { return Ok(()) };
            let mut unit = best.value;
            for other in others {
                by_bead.push(Entry { key: key_of(id(other)), value: LEFT_OUT, page: Reason::Duplicate as u32 })?;
                if other.value != unit && other.value != best.value {
                    by_bead.push(Entry { key: key_of(id(best)), value: other.value, page: other.page })?;
                }
                unit = other.value;
            }
            Ok(())
        })?;
        by_bead.for_each_group(|group| {
            let bead = BeadId { unit: (group[0].key >> 32) as u32, number: group[0].key as u32 };
            let mut repeat = Repeat { bead, reason: None, others: Vec::new() };
            for entry in group {
                if entry.value == LEFT_OUT {
                    repeat.reason = Reason::from_code(entry.page as u8);
                } else if repeat.others.last().is_none_or(|other| other.unit != entry.value) {
                    repeat.others.push(id(entry));
                }
            }
            each(repeat)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The number itself as a hash; its lowest bits stay free for the rank.
    fn hash(number: u64) -> u64 {
        number << RANK_BITS
    }

    /// What is found among page pairs whose sentence pairs are given by their hashes; 0 stands for one that is left out.
    fn repeats(pages: &[Vec<u64>]) -> Vec<Repeat> {
        let scored = |page: &Vec<u64>| page.iter().map(|&number| (number, 0.9)).collect();
        scored_repeats(&pages.iter().map(scored).collect::<Vec<_>>())
    }

    /// The same, each with its score.
    fn scored_repeats(pages: &[Vec<(u64, f32)>]) -> Vec<Repeat> {
        let mut finder = Finder::new(1 << 20, &std::env::temp_dir());
        for (page, unit) in pages.iter().zip(0..) {
            for (&(of, score), number) in page.iter().zip(0..) {
                let bead = BeadId { unit, number };
                let added = match of {
                    0 => finder.leave_out(bead, Reason::Untranslated),
                    of => finder.add(hash(of), score, bead),
                };
                added.expect("nothing is written");
            }
        }
        let mut found = Vec::new();
        let each = |repeat| {
            found.push(repeat);
            Ok(())
        };
        finder.for_each(each).expect("nothing is written");
        found
    }

    fn id(unit: u32, number: u32) -> BeadId {
        BeadId { unit, number }
    }

    fn left_out(bead: BeadId, reason: Reason) -> Repeat {
        Repeat { bead, reason: Some(reason), others: Vec::new() }
    }

    #[test]
    fn the_first_keeps_what_others_say_again() {
        assert_eq!(
            repeats(&[vec![1, 2, 1, 0], vec![0, 3, 1]]),
            [
                Repeat { bead: id(0, 0), reason: None, others: vec![id(1, 2)] },
                left_out(id(0, 2), Reason::Duplicate),
                left_out(id(0, 3), Reason::Untranslated),
                left_out(id(1, 0), Reason::Untranslated),
                left_out(id(1, 2), Reason::Duplicate),
            ]
        );
    }

    #[test]
    fn a_page_pair_that_says_something_often_is_one_other_place_of_it() {
        let found = repeats(&[vec![1, 1], vec![1, 2, 1, 1], vec![1]]);
        assert_eq!(found[0], Repeat { bead: id(0, 0), reason: None, others: vec![id(1, 0), id(2, 0)] });
        assert_eq!(found.len(), 6);
        assert!(found[1..].iter().all(|repeat| *repeat == left_out(repeat.bead, Reason::Duplicate)));
    }

    #[test]
    fn of_equal_pairs_the_best_is_kept() {
        let found = scored_repeats(&[vec![(1, 0.6), (2, 0.99)], vec![(2, 0.6), (1, 0.99)], vec![(1, 0.97), (1, 0.6)]]);
        let best: Vec<&Repeat> = found.iter().filter(|repeat| repeat.reason.is_none()).collect();
        let kept = |bead, others| Repeat { bead, reason: None, others };
        assert_eq!(best, [&kept(id(0, 1), vec![id(1, 0)]), &kept(id(1, 1), vec![id(0, 0), id(2, 0)])]);
        assert_eq!(found.len(), 6);
        // A sentence pair with hardly better odds does not win over one that comes first.
        let found = scored_repeats(&[vec![(1, 0.985)], vec![(1, 0.99)]]);
        assert_eq!(found, [kept(id(0, 0), vec![id(1, 0)]), left_out(id(1, 0), Reason::Duplicate)]);
        assert_eq!([0.0, 0.5, 0.9, 0.95, 0.99, 0.995, 1.0].map(rank), [5, 5, 3, 3, 1, 0, 0]);
    }

    proptest! {
        #[test]
        fn all_are_kept_once(pages in prop::collection::vec(prop::collection::vec(0u64..6, 0..6), 0..8)) {
            let found = repeats(&pages);
            prop_assert!(found.is_sorted_by_key(|repeat| repeat.bead));
            let hash_of = |bead: BeadId| pages[bead.unit as usize][bead.number as usize];
            for hash in 0..6 {
                let all: Vec<BeadId> = (0u32..).zip(&pages)
                    .flat_map(|(unit, page)| (0..page.len() as u32).map(move |number| id(unit, number)))
                    .filter(|&bead| hash_of(bead) == hash)
                    .collect();
                let said: Vec<&Repeat> = found.iter().filter(|repeat| hash_of(repeat.bead) == hash).collect();
                if hash == 0 {
                    prop_assert!(said.iter().all(|repeat| **repeat == left_out(repeat.bead, Reason::Untranslated)));
                    prop_assert_eq!(said.len(), all.len());
                    continue;
                }
                if all.len() < 2 {
                    prop_assert!(said.is_empty());
                    continue;
                }
                let mut units = all.clone();
                units.dedup_by_key(|bead| bead.unit);
                // For a first occurrence there is no result if it occurs in no other unit.
                let told = &all[usize::from(units.len() == 1)..];
                prop_assert_eq!(said.iter().map(|repeat| repeat.bead).collect::<Vec<_>>(), told);
                let (kept, others) = said.split_at(told.len() + 1 - all.len());
                prop_assert!(others.iter().all(|repeat| **repeat == left_out(repeat.bead, Reason::Duplicate)));
                let kept: Vec<_> = kept.iter().map(|first| (first.reason, &first.others[..])).collect();
                prop_assert_eq!(kept, if units.len() > 1 { vec![(None, &units[1..])] } else { Vec::new() });
            }
        }
    }
}
