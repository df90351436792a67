//! What several sites say, found once all of them are aligned: the first that says it keeps it, with the places where the others
//! do.

use std::collections::BTreeMap;

use crate::align::clean::Reason;
use crate::error::Result;
use crate::index::sorter::{Entry, Sorter};
use crate::query::bitext::SiteBitext;
use crate::store::Store;
use crate::store::catalog::{Changes, Table};
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
        let mut by_hash = Sorter::new(SHARED_BYTES, &folder);
        for (site, number) in open.iter().zip(0u32..) {
            site.for_each_kept(|bead, flat| {
                by_hash.push(Entry { key: bead.near.to_native(), filler: number, page: flat })
            })?;
        }
        let by_bead = compare(by_hash, &open, &folder)?;
        keep(store, &mut heads, &open, by_bead)?;
    }
    let mut changes = Changes::default();
    for (site, head) in sites.iter().zip(&heads) {
        if store.bitext_head(*site)?.as_ref() != Some(head) {
            changes.put(Table::Bitext, &site.0.to_be_bytes(), head);
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

/// In the place of a site: the bead is left out, and the third number is the reason.
const LEFT_OUT: u32 = u32::MAX;

/// By site and bead: that it is left out, or which bead of which site says it too.
fn compare(by_hash: Sorter, open: &[Open], folder: &std::path::Path) -> Result<Sorter> {
    let mut by_bead = Sorter::new(SHARED_BYTES, folder);
    by_hash.for_each_group(|group| {
        let [first, others @ ..] = group else { return Ok(()) };
        let id = |entry: &Entry| u64::from(entry.filler) << 32 | u64::from(entry.page);
        let exact = |entry: &Entry| open[entry.filler as usize].exact(entry.page);
        for other in others {
            let reason = if exact(other) == exact(first) { Reason::Duplicate } else { Reason::NearDuplicate };
            by_bead.push(Entry { key: id(other), filler: LEFT_OUT, page: reason as u32 })?;
            by_bead.push(Entry { key: id(first), filler: other.filler, page: other.page })?;
        }
        Ok(())
    })?;
    Ok(by_bead)
}

/// Writes what was found, and notes it in the heads.
fn keep(store: &mut Store, heads: &mut [BitextHead], open: &[Open], by_bead: Sorter) -> Result<()> {
    let mut record = RepeatRecord::default();
    let mut at = 0;
    let mut dropped: BTreeMap<(usize, u8), u64> = BTreeMap::new();
    let mut write = |record: &mut RepeatRecord, site: usize| -> Result<()> {
        if !record.rows.is_empty() {
            heads[site].shared.push(store.repeats.append(&std::mem::take(record))?.0);
        }
        Ok(())
    };
    by_bead.for_each_group(|group| {
        let (site, flat) = ((group[0].key >> 32) as usize, group[0].key as u32);
        if site != at || record.rows.len() == ROWS {
            write(&mut record, at)?;
            at = site;
        }
        let Some((_, pair, bead)) = open[site].find(flat) else { return Ok(()) };
        let mut row = RepeatRow { pair, bead, ..RepeatRow::default() };
        for entry in group {
            if entry.filler == LEFT_OUT {
                row.reason = entry.page as u8;
                *dropped.entry((site, row.reason)).or_default() += 1;
            } else {
                row.elsewhere.extend(open[entry.filler as usize].places(entry.page));
            }
        }
        record.rows.push(row);
        Ok(())
    })?;
    write(&mut record, at)?;
    for ((site, reason), count) in dropped {
        heads[site].shared_dropped.push((reason, count));
    }
    Ok(())
}
