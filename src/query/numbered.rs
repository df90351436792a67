//! The sentence pairs of a site, numbered through all of its page pairs.

use super::bitext::SiteBitext;
use crate::error::Result;
use crate::store::Store;
use crate::store::layout::{ArchivedBeadRow, ArchivedPairBitextRow, ArchivedRepeatRow, BitextHead, PagePlaces};

/// The sentence pairs of one site. Beads are numbered through all its page pairs.
pub struct NumberedBitext {
    bitext: SiteBitext,
    /// Number of the first bead of every 16th page pair.
    starts: Vec<u32>,
}

/// Page pairs from one number that is kept to the next.
const STRIDE: usize = 16;

impl NumberedBitext {
    /// Opens what a head names.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(store: &Store, head: &BitextHead) -> Result<NumberedBitext> {
        let bitext = SiteBitext::read(store, head)?;
        let (mut starts, mut sum) = (Vec::new(), 0);
        for (pair, place) in bitext.pairs().zip(0usize..) {
            if place.is_multiple_of(STRIDE) {
                starts.push(sum);
            }
            sum += pair.beads.len() as u32;
        }
        Ok(NumberedBitext { bitext, starts })
    }

    /// Calls `each` with every bead that the site keeps, and its number.
    ///
    /// # Errors
    /// What `each` returns.
    pub fn for_each_kept(&self, mut each: impl FnMut(&ArchivedBeadRow, u32) -> Result<()>) -> Result<()> {
        let mut repeats = self.bitext.repeats().peekable();
        let mut flat = 0;
        for (row, pair) in self.bitext.pairs().zip(0u32..) {
            for (bead, number) in row.beads.iter().zip(0u32..) {
                let is_here = |row: &&_| place_of(row) == (pair, number);
                let is_left_out = repeats.next_if(is_here).is_some_and(|repeat| repeat.reason != 0);
                if bead.reason == 0 && !is_left_out {
                    each(bead, flat)?;
                }
                flat += 1;
            }
        }
        Ok(())
    }

    /// The page pair of a bead, by its number, with its place and that of the bead in it.
    pub fn find(&self, flat: u32) -> Option<(&ArchivedPairBitextRow, u32, u32)> {
        let stride = self.starts.partition_point(|&start| start <= flat).checked_sub(1)?;
        let mut start = self.starts[stride];
        for place in (stride * STRIDE) as u32.. {
            let row = self.bitext.pair(place)?;
            let count = row.beads.len() as u32;
            if flat - start < count {
                return Some((row, place, flat - start));
            }
            start += count;
        }
        None
    }

    /// The hash of all that a bead says, by its number.
    pub fn exact(&self, flat: u32) -> Option<u64> {
        let (row, _, bead) = self.find(flat)?;
        Some(row.beads.get(bead as usize)?.exact.to_native())
    }

    /// The page pairs that say what a bead says, its own first.
    pub fn places(&self, flat: u32) -> Vec<PagePlaces> {
        let Some((row, pair, bead)) = self.find(flat) else { return Vec::new() };
        let repeats = self.bitext.repeats_of(pair, bead).into_iter().flat_map(|row| row.others.iter());
        let others = repeats.filter_map(|other| self.bitext.pair(other.to_native()));
        let places = |row: &ArchivedPairBitextRow| PagePlaces { a: row.page_a.to_native(), b: row.page_b.to_native() };
        std::iter::once(row).chain(others).map(places).collect()
    }
}

fn place_of(row: &ArchivedRepeatRow) -> (u32, u32) {
    (row.pair.to_native(), row.bead.to_native())
}
