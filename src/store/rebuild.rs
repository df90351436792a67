//! Making the catalog again from the record files.

use std::fs::{self, File};
use std::path::Path;

use super::catalog::{Catalog, Changes, OpenFailure, Table};
use super::layout::{ArchiveRecord, ArchivedBatchRecord, BatchRecord, PageRecord, RequestRecord, RunConfig, Sentinel};
use super::records::{RecordFile, RecordRef, START, Stored};
use super::requests::put_request;
use super::{Access, KINDS, PATIENCE, Store, fault, in_use};
use crate::error::{Error, Result};

/// Places among the kinds of the record files that a rebuild keeps.
const PAGES: usize = place_of("pages");
const BATCHES: usize = place_of("batches");
const REQUESTS: usize = place_of("requests");

const fn place_of(name: &str) -> usize {
    let mut at = 0;
    while at < KINDS.len() {
        if is_same(KINDS[at].0.as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("no record file has this name")
}

/// Equality of texts, which constants cannot ask for otherwise.
const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    a.len() == b.len() && at == a.len()
}

/// Samples kept of each reason, an archive.
const SAMPLES: usize = 8;

/// Makes a new catalog from the batches that are whole; what stands behind the first damaged record is read from its
/// archive again. Sites and results are not kept: indexing makes them again from the batches. What was asked of crawlers is
/// kept: nothing else tells it.
pub fn rebuild(folder: &Path, lock: File, known: Option<Sentinel>, config: RunConfig) -> Result<Store> {
    let catalog_path = folder.join("catalog");
    match fs::remove_dir_all(&catalog_path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::Io { path: catalog_path, action: "removing the damaged catalog", source: error });
        }
        _ => {}
    }
    let limit = |kind: usize| known.as_ref().and_then(|known| known.ends.get(kind)).copied().unwrap_or(u64::MAX >> 1);
    let pages = sound::<PageRecord>(folder, PAGES, limit(PAGES))?;
    let batches = sound::<BatchRecord>(folder, BATCHES, limit(BATCHES))?;
    let requests = sound::<RequestRecord>(folder, REQUESTS, limit(REQUESTS))?;
    for (_, (name, _)) in KINDS.iter().enumerate().filter(|(at, _)| ![PAGES, BATCHES, REQUESTS].contains(at)) {
        let path = folder.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::io(&path, "clearing"))?;
        }
    }
    let batches = whole_batches(folder, pages, batches)?;
    let catalog = match Catalog::open(&catalog_path, Access::Write, PATIENCE) {
        Ok(catalog) => catalog,
        Err(OpenFailure::Locked) => return Err(in_use(folder)),
        Err(OpenFailure::Environment(error)) => return Err(error),
        Err(OpenFailure::Damaged(why)) => return Err(fault(folder, format!("a new catalog cannot be made: {why}"))),
    };
    let mut ends = vec![START.0; KINDS.len()];
    (ends[PAGES], ends[BATCHES], ends[REQUESTS]) = (pages.0, batches.0, requests.0);
    let mut store = Store::with_catalog(folder, lock, catalog, Sentinel { commit: 0, ends }, Access::Write)?;
    let mut archives: Vec<ArchiveRecord> = Vec::new();
    let mut at = START;
    while at < batches {
        let (batch, next) = store.batches.read_next(at)?;
        let number = batch.archive.to_native() as usize;
        if archives.len() <= number {
            archives.resize_with(number + 1, ArchiveRecord::default);
        }
        add_batch(&mut archives[number], &batch);
        at = next;
    }
    let mut changes = Changes::default();
    for (archive, number) in archives.iter().zip(0u32..) {
        changes.put(Table::Archive, &number.to_be_bytes(), archive);
        changes.put(Table::Fingerprint, &archive.identity.fingerprint.to_be_bytes(), &number);
    }
    let mut at = START;
    while at < requests {
        let (request, next) = store.requests.read_next(at)?;
        put_request(&request.get().to_owned(), &mut changes);
        at = next;
    }
    store.set_config(config, &mut changes);
    store.commit(changes)?;
    store.was_rebuilt = true;
    Ok(store)
}

/// Adds what a batch tells to what is known of its archive.
pub fn add_batch(archive: &mut ArchiveRecord, batch: &ArchivedBatchRecord) {
    archive.identity = batch.identity();
    archive.position = batch.to.to_native();
    archive.done = batch.done;
    archive.records += batch.records.to_native();
    archive.pages += batch.pages.len() as u64;
    for skip in batch.skips.iter() {
        let (reason, count) = (skip.0, skip.1.to_native());
        match archive.skips.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, sum)) => *sum += count,
            None => archive.skips.push((reason, count)),
        }
    }
    archive.skips.sort_unstable();
    for sample in batch.samples() {
        if archive.samples.iter().filter(|known| known.reason == sample.reason).count() < SAMPLES {
            archive.samples.push(sample);
        }
    }
}

fn sound<T: Stored>(folder: &Path, kind: usize, limit: u64) -> Result<RecordRef>
where
    T::Archived: super::records::Checked,
{
    RecordFile::<T>::sound_end(&folder.join(KINDS[kind].0), KINDS[kind].1, RecordRef(limit))
}

/// The end of the last batch all of whose pages are there.
fn whole_batches(folder: &Path, pages: RecordRef, batches: RecordRef) -> Result<RecordRef> {
    let file = RecordFile::<BatchRecord>::open(&folder.join(KINDS[BATCHES].0), KINDS[BATCHES].1, batches, false)?;
    let mut at = START;
    while at < batches {
        let (batch, next) = file.read_next(at)?;
        if batch.pages.iter().any(|page| page.page.to_native() >= pages.0) {
            break;
        }
        at = next;
    }
    Ok(at)
}
