//! The sentence pairs of a site, numbered through all of its page pairs.

use std::cell::RefCell;

use super::bitext::SiteBitext;
use super::frequency::hash_of_bead;
use crate::error::Result;
use crate::store::Store;
use crate::store::layout::{ArchivedBitextPairRow, ArchivedRepeatRow, BitextHead, PagePlaces, RepeatRecord};
use crate::store::records::{Mapped, RecordRef};

/// The sentence pairs of one site. Beads are numbered through all its page pairs.
pub struct NumberedBitext {
    bitext: SiteBitext,
    /// Number of the first bead of every 16th page pair.
    starts: Vec<u32>,
    repeats: Vec<Repeats>,
    /// The record of repetitions that was read last, by its position.
    read: RefCell<Option<(usize, Mapped<RepeatRecord>)>>,
}

/// A record of the repetitions on a site.
struct Repeats {
    record: RecordRef,
    /// Its last bead.
    last: (u32, u32),
}

/// How many page pairs lie between two bead numbers that are stored.
const STRIDE: usize = 16;

impl NumberedBitext {
    /// Opens the records that a head refers to.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(store: &Store, head: &BitextHead) -> Result<NumberedBitext> {
        let bitext = SiteBitext::without_repeats(store, head)?;
        let (mut starts, mut sum) = (Vec::new(), 0);
        for (pair, place) in bitext.pairs().zip(0usize..) {
            if place.is_multiple_of(STRIDE) {
                starts.push(sum);
            }
            sum += pair.beads.to_native();
        }
        let mut repeats = Vec::with_capacity(head.repeats.len());
        for &record in &head.repeats {
            let record = RecordRef(record);
            let last = store.repeats.read(record)?.rows.last().map_or((0, 0), place_of);
            repeats.push(Repeats { record, last });
        }
        Ok(NumberedBitext { bitext, starts, repeats, read: RefCell::default() })
    }

    /// Calls `each` with the hash of every bead that was not left out on the site
    /// ([`hash_of_bead`]), its number, and its score.
    ///
    /// # Errors
    /// When the store cannot be read, or what `each` returns.
    pub fn for_each_kept(&self, store: &Store, mut each: impl FnMut(u64, u32, f32) -> Result<()>) -> Result<()> {
        let mut records = self.repeats.iter();
        let mut left_out: Vec<((u32, u32), bool)> = Vec::new();
        let mut next = 0;
        let mut flat = 0;
        for ((row, beads), pair) in self.bitext.aligned().zip(0u32..) {
            for (bead, number) in beads.iter().zip(0u32..) {
                while next == left_out.len()
                    && let Some(repeats) = records.next()
                {
                    let record = store.repeats.read(repeats.record)?;
                    left_out = record.rows.iter().map(|row| (place_of(row), row.reason != 0)).collect();
                    next = 0;
                }
                let repeat = left_out.get(next).filter(|repeat| repeat.0 == (pair, number));
                next += usize::from(repeat.is_some());
                if bead.reason == 0 && !repeat.is_some_and(|repeat| repeat.1) {
                    each(hash_of_bead(row, bead), flat, bead.score)?;
                }
                flat += 1;
            }
        }
        Ok(())
    }

    /// The page pair of a bead, given the bead's number, with the position of the page pair and that of the bead in it.
    pub fn find(&self, flat: u32) -> Option<(&ArchivedBitextPairRow, u32, u32)> {
        let stride = self.starts.partition_point(|&start| start <= flat).checked_sub(1)?;
        let mut start = self.starts[stride];
        let first = (stride * STRIDE) as u32;
        for (row, place) in self.bitext.pairs_from(first).zip(first..) {
            let count = row.beads.to_native();
            if flat - start < count {
                return Some((row, place, flat - start));
            }
            start += count;
        }
        None
    }

    /// The page pairs that have the same bead, its own first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn places(&self, store: &Store, flat: u32) -> Result<Vec<PagePlaces>> {
        let mut found = Vec::new();
        self.for_each_place(store, flat, |_, row| {
            found.push(PagePlaces { a: row.page_a.to_native(), b: row.page_b.to_native() });
        })?;
        Ok(found)
    }

    /// Calls `each` with the page pairs that have the same bead, its own first, and their places.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn for_each_place(
        &self,
        store: &Store,
        flat: u32,
        mut each: impl FnMut(u32, &ArchivedBitextPairRow),
    ) -> Result<()> {
        let Some((row, pair, bead)) = self.find(flat) else { return Ok(()) };
        each(pair, row);
        let at = self.repeats.partition_point(|repeats| repeats.last < (pair, bead));
        let Some(repeats) = self.repeats.get(at) else { return Ok(()) };
        let mut read = self.read.borrow_mut();
        let (_, record) = match &mut *read {
            Some(read) if read.0 == at => read,
            other => other.insert((at, store.repeats.read(repeats.record)?)),
        };
        if let Ok(row) = record.rows.binary_search_by_key(&(pair, bead), place_of) {
            for other in record.rows[row].others.iter().map(|other| other.to_native()) {
                if let Some(row) = self.bitext.pair(other) {
                    each(other, row);
                }
            }
        }
        Ok(())
    }
}

fn place_of(row: &ArchivedRepeatRow) -> (u32, u32) {
    (row.pair.to_native(), row.bead.to_native())
}
