//! Compaction: removes dead data from the files, that is, records that nothing refers to and whatever a user has removed.
//!
//! After each step the store is whole and answers the same: segments are replaced one by one ([`super::rewriting`]), the runs of the view
//! by one that holds nothing of what was removed, and the token index by a copy. The list of removals is shortened last.

use rustc_hash::FxHashMap;

use super::catalog::{Changes, Keyspace};
use super::layout::{BLOCK_PAGES, RequestRecord, block, page_of_block};
use super::live_records::Live;
use super::packing::{packed_within, unpack};
use super::record_kinds::KINDS;
use super::records::{RecordRef, START, aligned};
use super::rewriting::{Damaged, Kept};
use super::{Store, fault};
use crate::error::{Error, Result};
use crate::types::Watch;

/// With fewer dead bytes than this, compaction does not start by itself.
const LEAST_DEAD_BYTES: u64 = 16 << 20;
/// The share of a segment that must be dead before the segment is rewritten without being asked for.
const DEAD_SHARE: f64 = 0.25;

/// How many bytes of the results are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of records that the catalog refers to.
    pub live: u64,
    /// Bytes of all other records, which waste space.
    pub dead: u64,
}

impl Usage {
    /// True when more bytes are dead than live.
    pub fn wants_compaction(self) -> bool {
        self.dead > self.live.max(LEAST_DEAD_BYTES)
    }
}

impl Store {
    /// How many bytes are in use, of the records that can be made again.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn usage(&self) -> Result<Usage> {
        self.usage_of(&self.live()?)
    }

    fn usage_of(&self, live: &Live) -> Result<Usage> {
        let mut usage = Usage::default();
        let holes = self.hole_bytes()?;
        for kind in KINDS.iter().filter(|kind| !kind.is_source) {
            let (all, named) = self.bytes_of_kind(kind.number, live.of(kind.number));
            usage.live += named;
            usage.dead += all.saturating_sub(named + holes.get(kind.number as usize - 1).copied().unwrap_or(0));
        }
        Ok(usage)
    }

    /// Bytes that compaction has freed, by kind.
    fn hole_bytes(&self) -> Result<Vec<u64>> {
        Ok(self.catalog.get(Keyspace::Meta, b"holes")?.unwrap_or_default())
    }

    /// Removes dead results where more is dead than alive, from segments with a large share of dead records. Returns how many bytes of
    /// records were freed.
    ///
    /// # Errors
    /// When the disk does not take it; the store is whole nevertheless.
    pub fn compact_if_worthwhile(&mut self) -> Result<u64> {
        let live = self.live()?;
        if self.usage_of(&live)?.wants_compaction() { self.compact_results(&live, DEAD_SHARE, &()) } else { Ok(0) }
    }

    /// Removes all dead records and everything that users have removed, and makes the view and the token index anew. Reports its progress
    /// to `watch`. Returns how many bytes of records were freed.
    ///
    /// # Errors
    /// When the disk does not take it; the store is whole nevertheless.
    pub fn compact(&mut self, watch: &dyn Watch) -> Result<u64> {
        let live = self.live()?;
        let mut freed = self.compact_results(&live, 0.0, watch)?;
        if self.removed.is_in_files() {
            watch.step("sources", 0, 1);
            freed += self.compact_sources()?;
        }
        watch.step("catalog", 0, 1);
        self.publisher()?.merge_behind(0)?;
        self.write_manifest()?;
        watch.step("tokens", 0, 1);
        if let Some(tokens) = self.tokens.take() {
            self.tokens = Some(tokens.compact(&self.folder)?);
        }
        Ok(freed)
    }

    fn compact_results(&mut self, live: &Live, least_share: f64, watch: &dyn Watch) -> Result<u64> {
        let mut holes = self.hole_bytes()?;
        holes.resize(KINDS.len(), 0);
        let mut sum = 0;
        for (kind, done) in KINDS.iter().zip(0..).filter(|(kind, _)| !kind.is_source) {
            watch.step(kind.name, done, KINDS.len() as u64);
            let freed = self.rewrite_kind(kind.number, Damaged::Stays, least_share, &mut |at, _, _| {
                Ok(if live.has(kind.number, at) { Kept::Same } else { Kept::Gone })
            })?;
            holes[kind.number as usize - 1] += freed;
            sum += freed;
        }
        if sum > 0 {
            let mut changes = Changes::default();
            changes.put(Keyspace::Meta, b"holes", &holes);
            self.commit(changes)?;
        }
        Ok(sum)
    }

    /// Removes pages, batches and requests that a user has removed. The list of removals remains, so that these are left out when an
    /// archive is read again.
    fn compact_sources(&mut self) -> Result<u64> {
        let dead = self.dead_pages()?;
        let removed = self.removed.clone();
        self.page_blocks.forget();
        let folder = self.folder.clone();
        let mut freed = self.pages.rewrite(Damaged::Stays, 0.0, |at, payload, _| {
            Ok(match dead.get(&at.0) {
                None => Kept::Same,
                Some(&places) => without(payload, places).map_err(Error::io(&folder, "compressing"))?,
            })
        })?;
        let damaged =
            |kind: &str| fault(&folder.join(kind), "a record is damaged; `diglot check --repair` says what is lost");
        let unreadable = |kind: &'static str| {
            let error = damaged(kind);
            move |_: rkyv::rancor::Error| error
        };
        freed += self.batches.rewrite(Damaged::Stays, 0.0, |at, payload, _| {
            if removed.has_batch(at) {
                return Ok(Kept::Gone);
            }
            let unpacked = unpack(payload).ok_or_else(|| damaged("batches"))?;
            let batch =
                rkyv::access::<super::layout::ArchivedBatchRecord, _>(&unpacked).map_err(unreadable("batches"))?;
            let Some(rest) = removed.rest(batch) else { return Ok(Kept::Same) };
            let rest = rkyv::to_bytes::<rkyv::rancor::Error>(&rest).map_err(unreadable("batches"))?;
            packed_within(&rest, payload.len()).map(Kept::Instead).map_err(Error::io(&folder, "compressing"))
        })?;
        freed += self.requests.rewrite(Damaged::Stays, 0.0, |_, payload, _| {
            let request = rkyv::from_bytes::<RequestRecord, _>(&aligned(payload)).map_err(unreadable("requests"))?;
            let all = request.requested.len();
            let requested: Vec<_> =
                request.requested.into_iter().filter(|request| !removed.has_request(request)).collect();
            if requested.len() == all {
                return Ok(Kept::Same);
            }
            let rest = RequestRecord { requested, rounds: request.rounds };
            Ok(Kept::Instead(rkyv::to_bytes::<rkyv::rancor::Error>(&rest).map_err(unreadable("requests"))?.to_vec()))
        })?;
        let last = self.removals.end();
        self.commit_removal(&removed.purged(), Changes::default())?;
        self.removals.rewrite(Damaged::Stays, 0.0, |at, _, _| Ok(if at < last { Kept::Gone } else { Kept::Same }))?;
        Ok(freed)
    }

    /// The blocks that hold removed pages, each with the places of those pages as a bit mask.
    fn dead_pages(&self) -> Result<FxHashMap<u64, u16>> {
        let mut dead: FxHashMap<u64, u16> = FxHashMap::default();
        for found in self.batches.records_from(START) {
            let (at, batch) = found?;
            let (is_gone, archive) = (self.removed.has_batch(at), batch.archive.to_native());
            for page in batch.pages.iter().filter(|page| is_gone || self.removed.takes(archive, &page.identity)) {
                let page = RecordRef(page.page.to_native());
                *dead.entry(page.frame().0).or_default() |= 1 << page.place();
            }
        }
        Ok(dead)
    }
}

/// A block without the pages at some places; these places stay, and are empty.
fn without(payload: &[u8], places: u16) -> std::io::Result<Kept> {
    let Some(old) = unpack(payload) else { return Ok(Kept::Gone) };
    let pages: Vec<&[u8]> = (0..BLOCK_PAGES).map_while(|place| page_of_block(&old, place)).collect();
    let rest: Vec<&[u8]> =
        pages.iter().enumerate().map(|(place, page)| if places & 1 << place == 0 { *page } else { &[][..] }).collect();
    if rest.iter().all(|page| page.is_empty()) {
        return Ok(Kept::Gone);
    }
    if rest == pages {
        return Ok(Kept::Same);
    }
    packed_within(&block(&rest), payload.len()).map(Kept::Instead)
}

#[cfg(test)]
mod tests {
    use super::super::packing::pack;
    use super::*;

    #[test]
    fn pages_keep_their_places_when_others_go() {
        let texts: Vec<Vec<u8>> = (0..5u8).map(|at| vec![at; 300 + usize::from(at)]).collect();
        let pages: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let packed = pack(&block(&pages)).expect("memory");
        let Ok(Kept::Instead(rest)) = without(&packed, 0b01010) else { panic!("some pages are left") };
        let rest = unpack(&rest).expect("it was packed");
        for (place, page) in pages.iter().enumerate() {
            let expected: &[u8] = if place == 1 || place == 3 { &[] } else { page };
            assert_eq!(page_of_block(&rest, place), Some(expected));
        }
        assert_eq!(without(&packed, 0b11111).expect("memory"), Kept::Gone);
        assert_eq!(without(&packed, 0).expect("memory"), Kept::Same);
    }
}
