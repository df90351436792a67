//! What ingestion collects for one commit.

use std::collections::BTreeMap;

use super::catalog::{Changes, Keyspace};
use super::known_inputs::InputNotes;
use super::layout::{ArchiveIdentity, ArchiveRecord, BatchRecord, PageEntry, SkipEntry, SkipSample};
use super::rebuild::{SAMPLES, add_batch};
use super::record_kinds::Store;
use crate::error::Result;
use crate::types::{ArchiveId, Skip, SkipReason, host_of};

/// A batch that is not committed yet.
pub(crate) struct OpenBatch {
    record: BatchRecord,
    skips: BTreeMap<SkipReason, u64>,
    bytes: usize,
}

impl OpenBatch {
    /// The first batch of an archive that is read from a position on.
    pub(crate) fn new(archive: u32, identity: ArchiveIdentity, from: u64) -> OpenBatch {
        let record = BatchRecord { archive, identity, from, to: from, ..BatchRecord::default() };
        OpenBatch { record, skips: BTreeMap::new(), bytes: 0 }
    }

    /// Number of the archive.
    pub(crate) fn archive(&self) -> u32 {
        self.record.archive
    }

    /// True when the archive ends with this batch.
    pub(crate) fn is_done(&self) -> bool {
        self.record.done
    }

    /// The bytes of the records that were read, or of the pages made from them, whichever are more.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many pages it has.
    pub(crate) fn page_count(&self) -> u64 {
        self.record.pages.len() as u64
    }

    /// Counts records that were read, up to the position `to`.
    pub(crate) fn count(&mut self, records: u64, to: u64, done: bool) {
        self.record.to = to;
        self.record.done = done;
        self.record.records += records;
    }

    /// Adds to the bytes of the batch.
    pub(crate) fn weigh(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Adds pages, each with its record as bytes; pages that were removed from the archive are left out.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn pages(&mut self, store: &mut Store, mut pages: Vec<(PageEntry, Vec<u8>)>) -> Result<()> {
        let archive = self.record.archive;
        pages.retain(|(entry, _)| !store.removed().takes(archive, &entry.identity));
        let places = pages.iter().map(|(entry, bytes)| (host_of(&entry.identity), bytes.as_slice())).collect();
        let places = store.append_pages(places)?;
        for ((mut entry, _), at) in pages.into_iter().zip(places) {
            entry.page = at.0;
            self.record.pages.push(entry);
        }
        Ok(())
    }

    /// Counts a skip; `identity` is the URL without scheme, where there is one, and `declared` what a sitemap declares.
    pub(crate) fn skip(&mut self, skip: Skip, identity: Option<String>, declared: Vec<u8>) {
        let count = self.skips.entry(skip.reason).or_default();
        *count += 1;
        let code = skip.reason as u8;
        if *count <= SAMPLES as u64 {
            // The rules of an owner (`robots.txt`) take many lines, of which the first one has the date.
            let is_long = skip.reason == SkipReason::OwnerFile;
            let detail = if is_long { skip.detail.lines().next().unwrap_or("") } else { skip.detail.as_str() };
            let detail = if skip.url.is_empty() { detail.to_owned() } else { format!("{} {detail}", skip.url) };
            self.record.samples.push(SkipSample { reason: code, offset: skip.offset, detail });
        }
        if let Some(identity) = identity.filter(|_| skip.reason.is_of_page()) {
            let (offset, length, archive) = (skip.offset, skip.length, self.record.archive);
            let entry = SkipEntry { identity, reason: code, detail: skip.detail, archive, offset, length, declared };
            self.record.skipped.push(entry);
        }
    }

    /// Makes the batch durable, together with the notes on inputs, and begins the next batch.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn commit(
        &mut self,
        store: &mut Store,
        notes: &mut InputNotes,
        known: &mut ArchiveRecord,
    ) -> Result<()> {
        // The end of an archive is recorded only once.
        if self.record.records == 0 && (!self.record.done || known.done) {
            return Ok(());
        }
        let outcome = self.put(store, notes, known);
        // On failure the record may already be appended, and must not become part of another commit.
        store.has_failed |= outcome.is_err();
        outcome?;
        let next = OpenBatch::new(self.record.archive, self.record.identity.clone(), self.record.to);
        let done = self.record.done;
        *self = next;
        self.record.done = done;
        Ok(())
    }

    fn put(&mut self, store: &mut Store, notes: &mut InputNotes, known: &mut ArchiveRecord) -> Result<()> {
        let (archive, removed) = (self.record.archive, store.removed());
        self.record.skipped.retain(|skip| !removed.takes(archive, &skip.identity));
        self.record.samples.retain(|sample| !removed.takes_sample(archive, sample));
        self.record.skips = self.skips.iter().map(|(&reason, &count)| (reason as u8, count)).collect();
        let at = store.batches.append_packed(&self.record)?;
        store.batches.sync()?;
        store.pages.sync()?;
        let batch = store.batches.read(at)?;
        add_batch(known, &batch, store.removed());
        let mut changes = Changes::default();
        notes.put(&mut changes);
        changes.put(Keyspace::Archive, &self.record.archive.to_be_bytes(), known);
        changes.put(Keyspace::Fingerprint, &self.record.identity.fingerprint.to_be_bytes(), &self.record.archive);
        if self.record.done {
            store.regain(ArchiveId(self.record.archive), &mut changes)?;
        }
        store.commit(changes)
    }
}
