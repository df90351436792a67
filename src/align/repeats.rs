//! Finds sentence pairs that occur more than once: the first occurrence is kept, with a list of the places where the others are.

use std::path::Path;

use super::clean::{self, Reason};
use crate::error::Result;
use crate::index::sorter::{Entry, Sorter};

/// A sentence pair, identified by two numbers: its page pair and its number there, or its site and its number there. The first occurrence
/// is the one with the smallest numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BeadId {
    /// Number of its page pair or of its site; below `u32::MAX`.
    pub unit: u32,
    /// Its own number within this unit.
    pub number: u32,
}

/// What [`Finder::for_each`] needs to know of the sentence pairs.
pub trait Beads {
    /// True where a sentence pair that occurs in `units` units is boilerplate; `first` is one of its occurrences.
    fn is_boilerplate(&self, _first: BeadId, _units: u32) -> bool {
        false
    }
}

/// The result for one sentence pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The sentence pair.
    pub bead: BeadId,
    /// The reason for leaving it out; `None`: it is the first occurrence, and is kept.
    pub reason: Option<Reason>,
    /// For a first occurrence: the first occurrence in each other unit, in order.
    pub others: Vec<BeadId>,
}

/// True for a sentence pair that stands on so many of a site's `all` page pairs of two languages that it is part of the page template.
pub fn is_boilerplate(page_pairs: u32, all: u32, params: &clean::Params) -> bool {
    page_pairs >= params.boilerplate_pages
        && f64::from(page_pairs) > f64::from(params.boilerplate_share) * f64::from(all)
}

/// Stands in place of a unit: the sentence pair is left out, and the number is the reason.
const LEFT_OUT: u32 = u32::MAX;

/// How many bits of the hash of the exact texts are kept: only near duplicates are compared by it.
const EXACT_BITS: u32 = 16;

/// Finds repetitions, in memory of at most twice `budget_bytes`; beyond it, entries are sorted on disk.
pub struct Finder<'f> {
    budget_bytes: usize,
    folder: &'f Path,
    by_near: Sorter,
}

impl<'f> Finder<'f> {
    /// An empty finder. `folder` is only used when the budget is exceeded.
    pub fn new(budget_bytes: usize, folder: &'f Path) -> Finder<'f> {
        Finder { budget_bytes, folder, by_near: Sorter::new(budget_bytes, folder) }
    }

    /// Adds a sentence pair with its hashes ([`clean::hashes`]): the one that duplicates have in common, of which the low 48 bits are used,
    /// and that of the exact texts, of which the low 16 are used.
    ///
    /// # Errors
    /// When entries cannot be written.
    pub fn add(&mut self, (near, exact): (u64, u64), bead: BeadId) -> Result<()> {
        let key = near << EXACT_BITS | exact & ((1 << EXACT_BITS) - 1);
        self.by_near.push(Entry { key, value: bead.unit, page: bead.number })
    }

    /// Calls `each`, in order, with every sentence pair that is left out as a repetition, and with every one that also occurs in other
    /// units.
    ///
    /// # Errors
    /// When entries cannot be written or read, or what `each` returns.
    pub fn for_each(self, beads: &dyn Beads, mut each: impl FnMut(Repeat) -> Result<()>) -> Result<()> {
        // Key: the sentence pair. The rest: another occurrence of it, or the reason why it is left out.
        let mut by_bead = Sorter::new(self.budget_bytes, self.folder);
        let id = |entry: &Entry| BeadId { unit: entry.value, number: entry.page };
        let key = |entry: &Entry| u64::from(entry.value) << 32 | u64::from(entry.page);
        let mut in_order = Vec::new();
        self.by_near.for_each_group_without(EXACT_BITS, |group| {
            if group.len() < 2 {
                return Ok(());
            }
            in_order.clear();
            in_order.extend_from_slice(group);
            in_order.sort_unstable_by_key(id);
            let group = &in_order;
            let [first, others @ ..] = &group[..] else { return Ok(()) };
            let units = group.chunk_by(|x, y| x.value == y.value).count() as u32;
            if beads.is_boilerplate(id(first), units) {
                return group.iter().try_for_each(|entry| {
                    by_bead.push(Entry { key: key(entry), value: LEFT_OUT, page: Reason::Boilerplate as u32 })
                });
            }
            let mut unit = first.value;
            for other in others {
                let reason = if other.key == first.key { Reason::Duplicate } else { Reason::NearDuplicate };
                by_bead.push(Entry { key: key(other), value: LEFT_OUT, page: reason as u32 })?;
                if other.value != unit {
                    unit = other.value;
                    by_bead.push(Entry { key: key(first), value: unit, page: other.page })?;
                }
            }
            Ok(())
        })?;
        by_bead.for_each_group(|group| {
            let bead = BeadId { unit: (group[0].key >> 32) as u32, number: group[0].key as u32 };
            let mut repeat = Repeat { bead, reason: None, others: Vec::new() };
            for entry in group {
                if entry.value == LEFT_OUT {
                    repeat.reason = Reason::from_code(entry.page as u8);
                } else {
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

    /// Page pairs whose sentence pairs are given as (near hash, exact hash).
    struct Pages(Vec<Vec<(u64, u64)>>, clean::Params);

    impl Beads for Pages {
        fn is_boilerplate(&self, _: BeadId, units: u32) -> bool {
            is_boilerplate(units, self.0.len() as u32, &self.1)
        }
    }

    impl Pages {
        fn repeats(&self) -> Vec<Repeat> {
            let folder = std::env::temp_dir();
            let mut finder = Finder::new(1 << 20, &folder);
            for (page, unit) in self.0.iter().zip(0..) {
                for (&hashes, number) in page.iter().zip(0..) {
                    finder.add(hashes, BeadId { unit, number }).expect("nothing is written");
                }
            }
            let mut found = Vec::new();
            let each = |repeat| {
                found.push(repeat);
                Ok(())
            };
            finder.for_each(self, each).expect("nothing is written");
            found
        }
    }

    fn id(unit: u32, number: u32) -> BeadId {
        BeadId { unit, number }
    }

    #[test]
    fn the_first_keeps_what_others_say_again() {
        let pages = Pages(vec![vec![(1, 10), (2, 20), (1, 11)], vec![(3, 30), (1, 10)]], clean::Params::default());
        let left_out = |bead, reason| Repeat { bead, reason: Some(reason), others: Vec::new() };
        assert_eq!(
            pages.repeats(),
            [
                Repeat { bead: id(0, 0), reason: None, others: vec![id(1, 1)] },
                left_out(id(0, 2), Reason::NearDuplicate),
                left_out(id(1, 1), Reason::Duplicate),
            ]
        );
    }

    #[test]
    fn a_page_pair_that_says_something_often_is_one_other_place_of_it() {
        let menu = (1, 10);
        let pages =
            Pages(vec![vec![menu, menu], vec![menu, (2, 20), menu, menu], vec![menu]], clean::Params::default());
        let found = pages.repeats();
        assert_eq!(found[0], Repeat { bead: id(0, 0), reason: None, others: vec![id(1, 0), id(2, 0)] });
        assert_eq!(found.len(), 6);
        assert!(found[1..].iter().all(|repeat| repeat.reason == Some(Reason::Duplicate) && repeat.others.is_empty()));
    }

    #[test]
    fn what_stands_on_most_pages_is_boilerplate() {
        let params = clean::Params { boilerplate_pages: 3, boilerplate_share: 0.5, ..clean::Params::default() };
        let pages = Pages((0..5).map(|n| vec![(1, 10), (100 + n, 0)]).collect(), params.clone());
        let found = pages.repeats();
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|repeat| repeat.reason == Some(Reason::Boilerplate) && repeat.others.is_empty()));
        assert!(!is_boilerplate(2, 2, &params));
        assert!(!is_boilerplate(3, 6, &params));
        assert!(is_boilerplate(4, 6, &params));
    }

    proptest! {
        #[test]
        fn all_are_kept_once(pages in prop::collection::vec(prop::collection::vec((0u64..6, 0u64..3), 0..6), 0..8)) {
            let pages = Pages(pages, clean::Params { boilerplate_pages: u32::MAX, ..clean::Params::default() });
            let found = pages.repeats();
            prop_assert!(found.is_sorted_by_key(|repeat| repeat.bead));
            let near = |bead: BeadId| pages.0[bead.unit as usize][bead.number as usize].0;
            for hash in 0..6 {
                let all: Vec<BeadId> = (0u32..).zip(&pages.0)
                    .flat_map(|(unit, page)| (0..page.len() as u32).map(move |number| id(unit, number)))
                    .filter(|&bead| near(bead) == hash)
                    .collect();
                let said: Vec<&Repeat> = found.iter().filter(|repeat| near(repeat.bead) == hash).collect();
                if all.len() < 2 {
                    prop_assert!(said.is_empty());
                    continue;
                }
                let mut units = all.clone();
                units.dedup_by_key(|bead| bead.unit);
                // For a first occurrence there is no result if it occurs in no other unit.
                let told = &all[usize::from(units.len() == 1)..];
                prop_assert_eq!(said.iter().map(|repeat| repeat.bead).collect::<Vec<_>>(), told);
                let (kept, left_out) = said.split_at(told.len() + 1 - all.len());
                prop_assert!(left_out.iter().all(|repeat| repeat.reason.is_some() && repeat.others.is_empty()));
                let kept: Vec<_> = kept.iter().map(|first| (first.reason, &first.others[..])).collect();
                prop_assert_eq!(kept, if units.len() > 1 { vec![(None, &units[1..])] } else { Vec::new() });
            }
        }
    }
}
