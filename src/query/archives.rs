//! Archives as lines.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::archive::{self, Inputs, Refused, STREAM};
use crate::error::Result;
use crate::store::layout::{ArchiveRecord, StoredPage};
use crate::store::{Store, archive_hash};
use crate::types::{ArchiveId, SkipReason};

/// One archive, for listing.
#[derive(Clone, Debug)]
pub struct ArchiveLine {
    /// Its path.
    pub path: String,
    /// Name of its format.
    pub format: String,
    /// Its size.
    pub bytes: u64,
    /// True when the whole archive has been read.
    pub is_read: bool,
    /// The byte at which reading continues.
    pub position: u64,
    /// Records read.
    pub records: u64,
    /// Captures taken as pages.
    pub pages: u64,
    /// How many captures were left out, by reason.
    pub left_out: Vec<(SkipReason, u64)>,
    /// A few records that were left out.
    pub samples: Vec<SkipSample>,
}

/// A record that was left out.
#[derive(Clone, Debug)]
pub struct SkipSample {
    /// Reason.
    pub reason: SkipReason,
    /// Details; may be empty.
    pub detail: String,
    /// Where the record begins in its archive.
    pub offset: u64,
}

/// All archives of the store, in the order in which they were added.
///
/// # Errors
/// When the catalog cannot be read.
pub fn archives(store: &Store) -> Result<Vec<ArchiveLine>> {
    let line = |archive: ArchiveRecord| {
        let left_out =
            archive.skips.into_iter().filter_map(|(code, count)| Some((SkipReason::from_code(code)?, count)));
        let samples = archive.samples.into_iter().filter_map(|sample| {
            let reason = SkipReason::from_code(sample.reason)?;
            Some(SkipSample { reason, detail: sample.detail, offset: sample.offset })
        });
        ArchiveLine {
            path: archive.identity.path,
            format: archive.identity.format,
            bytes: archive.identity.bytes,
            is_read: archive.done,
            position: archive.position,
            records: archive.records,
            pages: archive.pages,
            left_out: left_out.collect(),
            samples: samples.collect(),
        }
    };
    let archives = store.archives()?.into_iter().filter(|archive| !archive.is_removed());
    Ok(archives.map(line).collect())
}

/// The names of archives, each looked up once.
#[derive(Default)]
pub(super) struct ArchiveNames(BTreeMap<u32, String>);

impl ArchiveNames {
    /// The name of the archive that a page lies in; empty if the store does not have the archive.
    pub fn of(&mut self, store: &Store, page: &StoredPage) -> Result<String> {
        if !page.file().is_empty() {
            return Ok(page.file().to_owned());
        }
        if let Some(path) = self.0.get(&page.archive) {
            return Ok(path.clone());
        }
        let path = store.archive(ArchiveId(page.archive))?.map(|archive| archive.identity.path).unwrap_or_default();
        Ok(self.0.entry(page.archive).or_insert(path).clone())
    }
}

/// The inputs that earlier runs did not read, or not to their end, by path; without those that were read since.
///
/// # Errors
/// When the catalog cannot be read.
pub fn refused(store: &Store) -> Result<Vec<Refused>> {
    let refused = store.refused()?.into_iter();
    Ok(refused
        .map(|refused| Refused {
            path: PathBuf::from(refused.path),
            reason: refused.reason,
            is_fault: refused.is_fault,
        })
        .collect())
}

/// The inputs that `named` stands for, as [`crate::inputs::expand`] finds them. Archives that the store has read, and that have not changed
/// according to the file system, are not opened, except with `reread`. Archives that were removed from the store are refused, by their paths,
/// unless the user names them one by one.
///
/// # Errors
/// As there.
pub fn inputs(
    store: Option<&Store>,
    params: &archive::Params,
    named: &[OsString],
    (keep_going, reread): (bool, bool),
) -> Result<Inputs> {
    let is_known = |path: &Path| {
        let Some(store) = store.filter(|_| !reread) else { return false };
        let Ok(stat) = archive::stat(path) else { return false };
        let hint = store.hint(&stat.path).ok().flatten().filter(|hint| hint.stamp == stat.stamp);
        hint.is_some_and(|hint| store.archive_by_fingerprint(hint.fingerprint).is_ok_and(|archive| archive.is_some()))
    };
    let mut inputs = Inputs { reread, ..archive::expand(named, keep_going, params, &is_known)? };
    if let Some(store) = store {
        refuse_removed(store, &mut inputs)?;
    }
    Ok(inputs)
}

/// Why an archive is not read that the user removed and does not name.
const REMOVED: &str = "an archive of this path was removed from the store; give this very path to read what is there";

fn refuse_removed(store: &Store, inputs: &mut Inputs) -> Result<()> {
    let there: BTreeSet<String> = match store.removed().has_names() {
        true => archives(store)?.into_iter().map(|archive| archive.path).collect(),
        false => return Ok(()),
    };
    for path in std::mem::take(&mut inputs.archives) {
        let full = path.canonicalize().unwrap_or_else(|_| path.clone());
        let name = full.display().to_string();
        // Nobody knows what comes by standard input before it is read.
        let is_known = path != Path::new(STREAM) && !there.contains(&name);
        let is_removed = is_known && store.removed().names(archive_hash(&name));
        if is_removed && !inputs.named.contains(&full) {
            inputs.refused.push(Refused { path: full, reason: REMOVED.to_owned(), is_fault: false });
        } else {
            inputs.archives.push(path);
        }
    }
    Ok(())
}

/// What a store knows of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The store has not read it.
    New,
    /// It was read up to this byte.
    Partial(u64),
    /// It was read to its end.
    Read,
}

/// What a store knows of the archive at `path`, even if the archive has been moved since. The whole file is read only where the file system
/// cannot tell: if the store knows an archive of the same length, and this file has changed or moved.
///
/// # Errors
/// When the archive or the store cannot be read.
pub fn known(store: &Store, path: &Path) -> Result<Known> {
    let stat = archive::stat(path)?;
    let hint = store.hint(&stat.path)?.filter(|hint| hint.stamp == stat.stamp);
    let fingerprint = match hint {
        Some(hint) => hint.fingerprint,
        None if store.archives()?.iter().all(|archive| archive.identity.bytes != stat.bytes) => return Ok(Known::New),
        None => archive::fingerprint(path, &|_| Ok(()))?,
    };
    let id = store.archive_by_fingerprint(fingerprint)?;
    let (_, archive) = store.known_archive(id)?;
    Ok(match (id, archive.done) {
        (None, _) => Known::New,
        (Some(_), true) => Known::Read,
        (Some(_), false) => Known::Partial(archive.position),
    })
}
