//! Makes the catalog again from the record files, and records what was lost.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use super::archives::{NAMELESS, REMOVALS, REQUESTS};
use super::catalog::{Catalog, Changes, Keyspace};
use super::frames::FRAME_HEADER;
use super::layout::{
    ArchiveRecord, ArchivedBatchRecord, BatchRecord, LossRecord, RemovalRecord, Sentinel, StoredSettings,
};
use super::manifest::{Manifest, SENTINEL, SETTINGS};
use super::pages::PagesThere;
use super::record_kinds::{KINDS, RecordKind, end_of, survey};
use super::records::{Mapped, Owned, RecordRef, START, UNKNOWN, aligned};
use super::removed::Removed;
use super::requests::put_request;
use super::rewriting::{Damaged, Kept};
use super::survey_damage::fill;
use super::token_index::TokenIndex;
use super::view::{Publisher, RunName, Salvaged, readable_runs, salvage};
use super::{Access, Store};
use crate::error::{Error, Result};

/// How many samples of each reason are kept, for a batch and for an archive.
pub const SAMPLES: usize = 8;

/// What was known of the store before, as far as it can be read.
pub struct Known {
    /// The archives, by number.
    archives: Archives,
    /// The losses, by key.
    losses: BTreeMap<u32, LossRecord>,
    settings: Option<StoredSettings>,
    /// Number of the last commit.
    commit: u64,
    /// False where something cannot be read.
    is_whole: bool,
}

type Archives = BTreeMap<u32, ArchiveRecord>;

impl Known {
    /// True where archives may have lost pages without anything else saying so. `count` is the least number of archives that there were,
    /// `now` has what is left of each, and `removed` has what a user removed.
    fn misses_archives(&self, now: &Archives, removed: &Removed, count: u32, has_lost: bool) -> bool {
        let told = self.losses.keys().filter(|&&number| number < REQUESTS);
        let count = now.keys().chain(self.archives.keys()).chain(told).max().map_or(0, |last| last + 1).max(count);
        // An archive that has lost pages does not count as done until it is given again.
        let is_done = |number: u32| now.get(&number).is_some_and(|archive| archive.done);
        let is_told = |number: u32| match self.archives.get(&number) {
            Some(known) => {
                known.done || known.is_removed() || !now.contains_key(&number) || self.losses.contains_key(&number)
            }
            // Nothing is known of this archive: it may be one that was removed.
            None => {
                let is_unknown = !now.contains_key(&number) && !self.losses.contains_key(&number);
                is_unknown && removed.has_names() && !has_lost
            }
        };
        let is_missed = (0..count).any(|number| !is_done(number) && !is_told(number));
        !self.is_whole && (is_missed || has_lost && self.archives.is_empty())
    }

    /// True of an archive that a user removed. What is known of it may be from before the removal.
    fn is_removed(&self, number: u32, removed: &Removed) -> bool {
        let is_removed =
            |known: &ArchiveRecord| known.is_removed() || removed.takes_archive(number, &known.identity.path);
        self.archives.get(&number).is_some_and(is_removed)
    }
}

/// What some runs of the view know of the store.
fn known_of(folder: &Path, names: &[RunName]) -> Known {
    fn read<T: Owned>(bytes: &[u8]) -> Option<T> {
        rkyv::from_bytes::<T, rkyv::rancor::Error>(&aligned(bytes)).ok()
    }
    fn all<T: Owned>(found: &Salvaged, space: Keyspace) -> BTreeMap<u32, T> {
        let entries = found.range(vec![space as u8]..vec![space as u8 + 1]);
        entries.filter_map(|(key, value)| Some((u32::from_be_bytes(*key[1..].first_chunk()?), read(value)?))).collect()
    }
    let wanted = [Keyspace::Archive, Keyspace::Loss, Keyspace::Meta];
    let is_wanted = |key: &[u8]| wanted.iter().any(|&space| key.first() == Some(&(space as u8)));
    let (found, is_whole) = salvage(folder, names, is_wanted);
    let meta = |name: &[u8]| found.get(&Keyspace::Meta.key(name));
    Known {
        archives: all(&found, Keyspace::Archive),
        losses: all(&found, Keyspace::Loss),
        settings: meta(SETTINGS).and_then(|bytes| read(bytes)),
        commit: meta(SENTINEL).and_then(|bytes| read(bytes)).map_or(0, |sentinel: Sentinel| sentinel.commit),
        is_whole,
    }
}

/// What was known of a store: by the view of the manifest, or else by the runs that are there.
fn known_before(folder: &Path, manifest: Option<&Manifest>) -> Known {
    let (names, is_whole) = readable_runs(folder);
    let last = known_of(folder, &names);
    let named = manifest.map(|manifest| known_of(folder, &manifest.view));
    let is_whole = named.as_ref().map_or(last.is_whole && is_whole && !names.is_empty(), |named| named.is_whole);
    let commit = last.commit.max(manifest.map_or(0, |manifest| manifest.sentinel.commit));
    Known { commit, is_whole, ..named.filter(|named| !named.archives.is_empty()).unwrap_or(last) }
}

/// The state of the source files.
struct Left {
    sentinel: Sentinel,
    /// The source kinds in which unreadable parts must become holes.
    torn: Vec<&'static RecordKind>,
    /// The source kinds that have lost records that were committed.
    less: Vec<&'static str>,
}

/// Makes a new catalog from the batches that are whole. From its first damaged batch on, an archive must be read again. What is known to be
/// lost of each archive is recorded. Sites and results are dropped; indexing makes them again from the batches. Requests and removals are
/// kept, since they cannot be made again.
pub fn rebuild(folder: &Path, lock: File, manifest: Option<Manifest>) -> Result<Store> {
    let known = known_before(folder, manifest.as_ref());
    let left = clear(folder, manifest.as_ref(), known.commit)?;
    let is_mended = !left.less.is_empty() || !left.torn.is_empty();
    if let Some(manifest) = manifest.as_ref().filter(|_| is_mended) {
        let lost = left.less.iter().map(|name| (*name).to_owned()).collect();
        manifest.clone().with_lost(lost).write(folder)?;
    }
    for (kind, &end) in KINDS.iter().zip(&left.sentinel.ends).filter(|(kind, _)| kind.is_source) {
        fill(&folder.join(kind.name), kind.number, RecordRef(end))?;
    }
    let catalog = Catalog::open_checked(folder, &[])?;
    let mut store = Store::with_catalog(folder, Some(lock), catalog, left.sentinel.clone(), Access::Write)?;
    store.publisher = Some(Publisher::open(folder, &[])?);
    store.tokens = Some(TokenIndex::empty(folder)?);
    for kind in &left.torn {
        store.close_gaps_of(kind)?;
    }
    store.removed = store.read_removals()?;
    let mut changes = Changes::default();
    let mut there = PagesThere::new(true);
    let has = |page: RecordRef| there.has(&store, page);
    let (mut archives, mut torn) = whole_archives(store.batches_from(START), store.removed(), has)?;
    let short =
        archives.extract_if(.., |number, now| known.archives.get(number).is_some_and(|known| lacks_pages(now, known)));
    let short: BTreeMap<u32, ArchiveRecord> = short.collect();
    if !short.is_empty() {
        for found in store.batches_from(START) {
            let (at, batch) = found?;
            torn.extend(short.contains_key(&batch.archive.to_native()).then_some(at.0));
        }
        torn.sort_unstable();
        torn.dedup();
    }
    let archives_known = manifest.as_ref().map_or(0, |manifest| manifest.archives);
    put_archives(&archives, &known, archives_known, &store.removed, &mut changes);
    if known.misses_archives(&archives, &store.removed, archives_known, !left.less.is_empty()) {
        let is_gone = |&number: &u32| !archives.contains_key(&number) && known.is_removed(number, &store.removed);
        let there = archives_known - (0..archives_known).filter(is_gone).count() as u32;
        // An earlier loss may be recorded as a mere number of archives, of which nothing else is known.
        let before = known.losses.get(&NAMELESS).map_or(0, |loss| loss.archives);
        let loss = LossRecord { pages: 0, archives: there.max(archives.len() as u32).max(before) };
        changes.put(Keyspace::Loss, &NAMELESS.to_be_bytes(), &loss);
    }
    for (name, key) in [("removals", REMOVALS), ("requests", REQUESTS)] {
        if left.less.contains(&name) {
            changes.put(Keyspace::Loss, &key.to_be_bytes(), &LossRecord::default());
        }
    }
    for found in store.requests.records_from(START) {
        let mut request = found?.1.get().to_owned();
        request.requested.retain(|request| !store.removed.has_request(request));
        put_request(&request, &mut changes);
    }
    let settings = manifest.map(|manifest| manifest.settings).or(known.settings);
    store.set_settings(settings.unwrap_or_default(), &mut changes);
    if torn.is_empty() {
        store.commit(changes)?;
    } else {
        store.commit_removal(&RemovalRecord { batches: torn, ..RemovalRecord::default() }, changes)?;
    }
    store.was_rebuilt = true;
    Ok(store)
}

/// Removes the files that can be made again, and surveys those that cannot. The number of the commit only grows, so that data of an earlier
/// commit is never taken for data of a later one.
fn clear(folder: &Path, manifest: Option<&Manifest>, commit: u64) -> Result<Left> {
    let mut sentinel = Sentinel { commit, ends: vec![START.0; KINDS.len()], ..Sentinel::default() };
    let (mut torn, mut less) = (Vec::new(), Vec::new());
    for (kind, end) in KINDS.iter().zip(&mut sentinel.ends) {
        let path = folder.join(kind.name);
        if kind.is_source {
            // Without a manifest, everything in the file counts.
            let limit = manifest.map_or(UNKNOWN, |manifest| end_of(kind.number, &manifest.sentinel));
            let found = survey(folder, kind, limit)?;
            *end = if limit == UNKNOWN { found.end.0 } else { limit.0 };
            let mut gaps: Vec<u64> = found.lost.iter().map(|lost| lost.end.0 - lost.start.0).collect();
            gaps.push(*end - found.end.0.min(*end));
            if found.has_torn_header || gaps.iter().any(|&bytes| bytes > 0) {
                torn.push(kind);
            }
            // Every record takes more bytes than the header of a frame. A gap of just that length is a lost seal.
            let has_lost = gaps.iter().any(|&bytes| bytes > FRAME_HEADER);
            // The records are lost now, or an interrupted rebuild found them lost and had already put holes in their place.
            if has_lost || manifest.is_some_and(|manifest| manifest.lost.iter().any(|lost| lost == kind.name)) {
                less.push(kind.name);
            }
        } else if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::io(&path, "clearing"))?;
        }
    }
    let has = |name: &str| KINDS.iter().zip(&sentinel.ends).any(|(kind, &end)| kind.name == name && end > START.0);
    if manifest.is_none() && has("pages") && !has("batches") && !less.contains(&"batches") {
        less.push("batches");
    }
    Ok(Left { sentinel, torn, less })
}

impl Store {
    /// Turns the unreadable parts of a kind's file into holes.
    pub(super) fn close_gaps_of(&mut self, kind: &RecordKind) -> Result<()> {
        let decide = &mut |_: RecordRef, payload: &[u8], is_packed: bool| {
            Ok(if (kind.is_sound)(payload, is_packed) { Kept::Same } else { Kept::Gone })
        };
        self.rewrite_kind(kind.number, Damaged::Hole, 0.0, decide).map(drop)
    }
}

/// The archives that the batches describe, by number, and the batches that cannot count. If a batch of an archive is missing, or a page of
/// it is missing (`has`), this batch and all later ones of the archive do not count.
pub fn whole_archives(
    batches: impl Iterator<Item = Result<(RecordRef, Mapped<BatchRecord>)>>,
    removed: &Removed,
    mut has: impl FnMut(RecordRef) -> bool,
) -> Result<(Archives, Vec<u64>)> {
    let (mut archives, mut torn) = (Archives::new(), Vec::new());
    for found in batches {
        let (at, batch) = found?;
        let number = batch.archive.to_native();
        let archive = archives.entry(number).or_default();
        let follows = archive.position == batch.from.to_native();
        let mut is_whole = || {
            let mut counted = batch.pages.iter().filter(|page| !removed.takes(number, &page.identity));
            // Unreadable parts have become holes.
            counted.all(|page| has(RecordRef(page.page.to_native())))
        };
        if follows && is_whole() {
            add_batch(archive, &batch, removed);
        } else {
            torn.push(at.0);
        }
    }
    archives.retain(|_, archive| archive.records > 0 || archive.done);
    Ok((archives, torn))
}

/// True of an archive whose batches are all there, but have fewer pages than were known. They are of a later state of the store, in which
/// pages were removed. The archive must be given again.
fn lacks_pages(now: &ArchiveRecord, known: &ArchiveRecord) -> bool {
    now.position >= known.position && now.done == known.done && now.pages < known.pages
}

/// Stores all archives, and what the `known` ones have lost. There were `count` archives; the removed ones get an empty record, so that
/// their numbers are not given to others.
fn put_archives(archives: &Archives, known: &Known, count: u32, removed: &Removed, changes: &mut Changes) {
    let last = archives.keys().chain(known.archives.keys()).max().map_or(0, |last| last + 1);
    for number in (0..last.max(count)).filter(|number| !archives.contains_key(number)) {
        changes.put(Keyspace::Archive, &number.to_be_bytes(), &ArchiveRecord::default());
    }
    let mut put = |number: u32, archive: &ArchiveRecord| {
        changes.put(Keyspace::Archive, &number.to_be_bytes(), archive);
        changes.put(Keyspace::Fingerprint, &archive.identity.fingerprint.to_be_bytes(), &number);
    };
    archives.iter().for_each(|(&number, archive)| put(number, archive));
    let may_lack = |number: u32| match archives.get(&number) {
        // An archive that is done has been given again, so its loss was made good.
        Some(now) => !now.done,
        None => known.archives.contains_key(&number) && !known.is_removed(number, removed),
    };
    let mut losses = known.losses.clone();
    losses.retain(|&number, _| number >= REQUESTS || may_lack(number));
    for (&number, before) in &known.archives {
        let now = archives.get(&number);
        if now.is_some_and(|now| now.position >= before.position && now.done >= before.done) {
            continue;
        }
        if now.is_none() {
            if known.is_removed(number, removed) {
                continue;
            }
            put(number, &ArchiveRecord { identity: before.identity.clone(), ..ArchiveRecord::default() });
        }
        let pages = before.pages.saturating_sub(now.map_or(0, |now| now.pages));
        losses.entry(number).or_default().pages += pages;
    }
    for (number, loss) in losses {
        changes.put(Keyspace::Loss, &number.to_be_bytes(), &loss);
    }
}

/// Adds the content of a batch to the record of its archive, without what was removed from it.
pub fn add_batch(archive: &mut ArchiveRecord, batch: &ArchivedBatchRecord, removed: &Removed) {
    let number = batch.archive.to_native();
    archive.identity = batch.identity();
    archive.position = batch.to.to_native();
    archive.done = batch.done;
    archive.records += batch.records.to_native();
    archive.pages += batch.pages.iter().filter(|page| !removed.takes(number, &page.identity)).count() as u64;
    for (reason, count) in batch.skips.iter().map(|skip| (skip.0, skip.1.to_native())) {
        match archive.skips.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, sum)) => *sum += count,
            None => archive.skips.push((reason, count)),
        }
    }
    archive.skips.sort_unstable();
    for sample in batch.samples().filter(|sample| !removed.takes_sample(number, sample)) {
        if archive.samples.iter().filter(|known| known.reason == sample.reason).count() < SAMPLES {
            archive.samples.push(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::ArchiveIdentity;
    use super::super::removed::archive_hash;
    use super::*;

    fn archive(path: &str, pages: u64, done: bool) -> ArchiveRecord {
        let identity = ArchiveIdentity { path: path.into(), ..ArchiveIdentity::default() };
        ArchiveRecord { identity, pages, position: pages, done, ..ArchiveRecord::default() }
    }

    fn known(archives: Archives, losses: BTreeMap<u32, LossRecord>) -> Known {
        Known { archives, losses, settings: None, commit: 1, is_whole: false }
    }

    #[test]
    fn what_was_removed_or_made_good_since_what_is_known_does_not_come_back() {
        let mut removed = Removed::default();
        removed.note(archive_hash("/gone.warc"), 0..2);
        let before = [archive("/gone.warc", 5, true), archive("/here.warc", 5, false), archive("/lost.warc", 5, true)];
        let lost = [0, 1, NAMELESS].map(|number| (number, LossRecord { pages: 3, archives: 0 }));
        let known = known((0..).zip(before).collect(), lost.into());
        let now: Archives = [(1, archive("/here.warc", 8, true))].into();
        let [mut changes, mut expected] = [(); 2].map(|()| Changes::default());
        put_archives(&now, &known, 3, &removed, &mut changes);
        expected.put(Keyspace::Loss, &2u32.to_be_bytes(), &LossRecord { pages: 5, archives: 0 });
        expected.put(Keyspace::Loss, &NAMELESS.to_be_bytes(), &LossRecord { pages: 3, archives: 0 });
        let losses: Vec<_> = changes.delta.iter().filter(|(key, _)| key[0] == Keyspace::Loss as u8).collect();
        assert_eq!(losses, expected.delta.iter().collect::<Vec<_>>());
        let mut expected = Changes::default();
        expected.put(Keyspace::Archive, &0u32.to_be_bytes(), &ArchiveRecord::default());
        assert!(expected.delta.iter().all(|(key, value)| changes.delta.get(key) == Some(value)), "it stays removed");
    }

    #[test]
    fn a_removal_explains_an_archive_that_is_missing_only_where_nothing_was_lost() {
        let mut removed = Removed::default();
        removed.note(archive_hash("/gone.warc"), 0..1);
        let known = known(Archives::new(), BTreeMap::new());
        let now: Archives = [(1, archive("/here.warc", 8, true))].into();
        let misses = |has_lost| known.misses_archives(&now, &removed, 2, has_lost);
        assert_eq!([false, true].map(misses), [false, true]);
    }
}
