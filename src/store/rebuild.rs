//! Making the catalog again from the record files.

use std::fs::{self, File};
use std::path::Path;

use super::access::{Access, PATIENCE, fault, in_use};
use super::catalog::{Catalog, Changes, Keyspace, OpenFailure};
use super::kinds::{KINDS, Store, end_of, sound_end};
use super::layout::{ArchiveRecord, ArchivedBatchRecord, BatchRecord, Sentinel, StoredSettings};
use super::records::{RecordFile, RecordRef, START};
use super::requests::put_request;
use super::upgrade::GONE;
use crate::error::{Error, Result};

/// Samples kept of each reason, an archive.
const SAMPLES: usize = 8;

/// Makes a new catalog from the batches that are whole; what stands behind the first damaged record is read from its
/// archive again. Sites and results are not kept: indexing makes them again from the batches. What was requested of crawlers is
/// kept: nothing else tells it.
pub fn rebuild(folder: &Path, lock: File, known: Option<Sentinel>, settings: StoredSettings) -> Result<Store> {
    let catalog_path = folder.join("catalog");
    match fs::remove_dir_all(&catalog_path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::Io { path: catalog_path, action: "removing the damaged catalog", source: error });
        }
        _ => {}
    }
    let mut sentinel = Sentinel { commit: 0, ends: vec![START.0; KINDS.len()] };
    for (kind, end) in KINDS.iter().zip(&mut sentinel.ends) {
        let path = folder.join(kind.name);
        if kind.is_source {
            // Without a manifest, all that is there.
            let limit = known.as_ref().map_or(RecordRef(u64::MAX >> 1), |known| end_of(kind.number, known));
            *end = sound_end(folder, kind, limit)?.0;
        } else if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::io(&path, "clearing"))?;
        }
    }
    for (_, name) in GONE {
        let path = folder.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::io(&path, "clearing"))?;
        }
    }
    keep_whole_batches(folder, &mut sentinel)?;
    let catalog = match Catalog::open(&catalog_path, Access::Write, PATIENCE) {
        Ok(catalog) => catalog,
        Err(OpenFailure::Locked) => return Err(in_use(folder)),
        Err(OpenFailure::Environment(error)) => return Err(error),
        Err(OpenFailure::Damaged(why)) => return Err(fault(folder, format!("a new catalog cannot be made: {why}"))),
    };
    let mut store = Store::with_catalog(folder, lock, catalog, sentinel, Access::Write)?;
    let mut archives: Vec<ArchiveRecord> = Vec::new();
    let mut at = START;
    while at < store.batches.end() {
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
        changes.put(Keyspace::Archive, &number.to_be_bytes(), archive);
        changes.put(Keyspace::Fingerprint, &archive.identity.fingerprint.to_be_bytes(), &number);
    }
    let mut at = START;
    while at < store.requests.end() {
        let (request, next) = store.requests.read_next(at)?;
        put_request(&request.get().to_owned(), &mut changes);
        at = next;
    }
    store.set_settings(settings, &mut changes);
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

/// Moves the end of the batches behind the last one all of whose pages are there.
fn keep_whole_batches(folder: &Path, sentinel: &mut Sentinel) -> Result<()> {
    let [pages, batches] = ["pages", "batches"]
        .map(|name| KINDS.iter().find(|kind| kind.name == name).expect("a record file has this name"));
    let (pages_end, end) = (end_of(pages.number, sentinel), end_of(batches.number, sentinel));
    let file = RecordFile::<BatchRecord>::open(&folder.join(batches.name), batches.number, end, false)?;
    let mut at = START;
    while at < end {
        let (batch, next) = file.read_next(at)?;
        if batch.pages.iter().any(|page| page.page.to_native() >= pages_end.0) {
            break;
        }
        at = next;
    }
    sentinel.ends[batches.number as usize - 1] = at.0;
    Ok(())
}
