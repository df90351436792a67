//! What several sites say, found once all of them are aligned: the first that says it keeps it, with the places where the others
//! do.

use std::collections::BTreeMap;

use crate::align::repeats::{BeadId, Beads, Finder};
use crate::error::Result;
use crate::query::bitext::SiteBitext;
use crate::store::Store;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::{ArchivedBeadRow, ArchivedPairBitextRow, BitextHead, PagePlaces, RepeatRecord, RepeatRow};
use crate::types::SiteId;

/// Memory for the hashes of all sentence pairs; sorted on disk beyond it.
const SHARED_BYTES: usize = 64 << 20;
/// Rows of a record, at the most.
const ROWS: usize = 1 << 16;
/// Heads committed together: sled keeps what a large batch replaces for long.
const HEADS: usize = 5000;

/// Finds what several of the sites say, given in the order in which the first counts, and notes in their heads that they were
/// compared.
///
/// Memory beyond the budget of the sorter: a few bytes for each 16 page pairs.
///
/// # Errors
/// When the store cannot be read or written.
pub fn find(store: &mut Store, sites: &[SiteId], compared: u64) -> Result<()> {
    let folder = store.temporary()?;
    let mut heads: Vec<BitextHead> = Vec::with_capacity(sites.len());
    for &site in sites {
        let head = store.bitext_head(site)?.unwrap_or_default();
        heads.push(BitextHead { shared: Vec::new(), shared_dropped: Vec::new(), compared, ..head });
    }
    if sites.len() > 1 {
        let open = heads.iter().map(|head| Open::new(store, head)).collect::<Result<Vec<Open>>>()?;
        let mut finder = Finder::new(SHARED_BYTES, &folder);
        for (site, unit) in open.iter().zip(0u32..) {
            site.for_each_kept(|bead, number| finder.add(bead.near.to_native(), BeadId { unit, number }))?;
        }
        keep(store, &mut heads, &open, finder)?;
    }
    let mut changes = Changes::default();
    for (site, head) in sites.iter().zip(&heads) {
        if store.bitext_head(*site)?.as_ref() != Some(head) {
            changes.put(Keyspace::Bitext, &site.0.to_be_bytes(), head);
        }
        if changes.len() >= HEADS {
            store.commit(std::mem::take(&mut changes))?;
        }
    }
    if !changes.is_empty() {
        store.commit(changes)?;
    }
    store.bitexts.unmap();
    store.repeats.unmap();
    Ok(())
}

/// The sentence pairs of one site. Beads are numbered through all its page pairs.
struct Open {
    bitext: SiteBitext,
    /// Number of the first bead of every 16th page pair.
    starts: Vec<u32>,
}

/// Page pairs from one number that is kept to the next.
const STRIDE: usize = 16;

impl Open {
    fn new(store: &Store, head: &BitextHead) -> Result<Open> {
        let bitext = SiteBitext::read(store, head)?;
        let (mut starts, mut sum) = (Vec::new(), 0);
        for (pair, place) in bitext.pairs().zip(0usize..) {
            if place.is_multiple_of(STRIDE) {
                starts.push(sum);
            }
            sum += pair.beads.len() as u32;
        }
        Ok(Open { bitext, starts })
    }

    /// Calls `each` with every bead that the site keeps, and its number.
    fn for_each_kept(&self, mut each: impl FnMut(&ArchivedBeadRow, u32) -> Result<()>) -> Result<()> {
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
    fn find(&self, flat: u32) -> Option<(&ArchivedPairBitextRow, u32, u32)> {
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

    fn exact(&self, flat: u32) -> Option<u64> {
        let (row, _, bead) = self.find(flat)?;
        Some(row.beads.get(bead as usize)?.exact.to_native())
    }

    /// The page pairs that say what a bead says, its own first.
    fn places(&self, flat: u32) -> Vec<PagePlaces> {
        let Some((row, pair, bead)) = self.find(flat) else { return Vec::new() };
        let repeats = self.bitext.repeats_of(pair, bead).into_iter().flat_map(|row| row.others.iter());
        let others = repeats.filter_map(|other| self.bitext.pair(other.to_native()));
        let places = |row: &ArchivedPairBitextRow| PagePlaces { a: row.page_a.to_native(), b: row.page_b.to_native() };
        std::iter::once(row).chain(others).map(places).collect()
    }
}

fn place_of(row: &crate::store::layout::ArchivedRepeatRow) -> (u32, u32) {
    (row.pair.to_native(), row.bead.to_native())
}

impl Beads for &[Open] {
    fn exact(&self, bead: BeadId) -> Option<u64> {
        self[bead.unit as usize].exact(bead.number)
    }
}

/// Writes what was found, and notes it in the heads.
fn keep(store: &mut Store, heads: &mut [BitextHead], open: &[Open], finder: Finder<'_>) -> Result<()> {
    let mut record = RepeatRecord::default();
    let mut at = 0;
    let mut dropped: BTreeMap<(usize, u8), u64> = BTreeMap::new();
    let mut write = |record: &mut RepeatRecord, site: usize| -> Result<()> {
        if !record.rows.is_empty() {
            heads[site].shared.push(store.repeats.append(&std::mem::take(record))?.0);
        }
        Ok(())
    };
    finder.for_each(&open, |repeat| {
        let (site, number) = (repeat.bead.unit as usize, repeat.bead.number);
        if site != at || record.rows.len() == ROWS {
            write(&mut record, at)?;
            at = site;
        }
        let Some((_, pair, bead)) = open[site].find(number) else { return Ok(()) };
        let reason = repeat.reason.map_or(0, |reason| reason as u8);
        if reason != 0 {
            *dropped.entry((site, reason)).or_default() += 1;
        }
        let places = |other: &BeadId| open[other.unit as usize].places(other.number);
        let elsewhere = repeat.others.iter().flat_map(places).collect();
        record.rows.push(RepeatRow { pair, bead, reason, others: Vec::new(), elsewhere });
        Ok(())
    })?;
    write(&mut record, at)?;
    for ((site, reason), count) in dropped {
        heads[site].shared_dropped.push((reason, count));
    }
    Ok(())
}
