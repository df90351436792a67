//! Stores of an older format: what has kept its layout stays, what follows from it is made again by the next run.

use std::fs;
use std::path::Path;

use super::catalog::{Catalog, Changes, Keyspace};
use super::format::{FORMAT_VERSION, OLDEST_FORMAT};
use super::kinds::KINDS;
use super::layout::{Sentinel, StoredSettings, UnsealedSentinel};
use super::manifest;
use super::records::START;
use crate::error::{Error, Result};

/// The first format whose record files have seals.
const SEALED_SINCE: u32 = 12;
/// Stages whose results are dropped with the records that a format changed.
const STAGES: &[(u32, &[&str])] =
    &[(6, &["verify", "iterate", "align"]), (7, &["links", "verify", "iterate"]), (11, &["verify", "iterate"])];
/// Folders that have another name since a format.
pub const GONE: &[(u32, &str)] = &[(5, "settled")];
/// Changes applied together: sled keeps what a large batch replaces for long.
const BATCH: usize = 5000;

/// The format that a catalog is written in.
fn format_of(catalog: &Catalog) -> Result<Option<u32>> {
    catalog.get(Keyspace::Meta, b"format")
}

/// Which commit a catalog of any format holds.
///
/// # Errors
/// When it cannot be read.
pub fn sentinel_of(catalog: &Catalog) -> Result<Option<Sentinel>> {
    if format_of(catalog)?.is_some_and(|format| format >= SEALED_SINCE) {
        return catalog.get(Keyspace::Meta, b"sentinel");
    }
    let before: Option<UnsealedSentinel> = catalog.get(Keyspace::Meta, b"sentinel")?;
    Ok(before.map(|UnsealedSentinel { commit, ends }| Sentinel { commit, ends, ..Sentinel::default() }))
}

/// The error of a reader whose store must be upgraded first.
pub fn needed(folder: &Path, format: u32) -> Error {
    let advice = format!("`diglot run --store {}` upgrades it; archives are not read again", folder.display());
    manifest::other_format(folder, u64::from(format), &advice)
}

/// Makes a catalog of an older format one of this: drops the heads of records whose layout has changed, moves the ends of
/// their files to the start, and puts the settings in. Returns the format it had, if it was another.
///
/// What is dropped follows from what is kept, so that a store is sound wherever this is interrupted; `sentinel` is made the
/// one after `known`, that of the manifest, and goes with the last change.
///
/// # Errors
/// When the catalog cannot be read or written.
pub fn upgrade(
    folder: &Path,
    catalog: &Catalog,
    sentinel: &mut Sentinel,
    known: Option<&Sentinel>,
    settings: &StoredSettings,
) -> Result<Option<u32>> {
    let is_new = sentinel.commit == 0;
    let format = format_of(catalog)?.unwrap_or(if is_new { FORMAT_VERSION } else { OLDEST_FORMAT });
    if format >= FORMAT_VERSION {
        return Ok(None);
    }
    let mut changes = Changes::default();
    for kind in KINDS.iter().filter(|kind| kind.since > format) {
        for &keyspace in kind.heads {
            for key in catalog.keys(keyspace)? {
                changes.remove(keyspace, &key);
                if changes.len() >= BATCH {
                    catalog.apply(&std::mem::take(&mut changes))?;
                }
            }
        }
        if let Some(end) = sentinel.ends.get_mut(kind.number as usize - 1) {
            *end = START.0;
        }
    }
    for stage in STAGES.iter().filter(|(since, _)| *since > format).flat_map(|(_, stages)| *stages) {
        changes.remove(Keyspace::Stage, stage.as_bytes());
    }
    for (_, name) in GONE.iter().filter(|(since, _)| *since > format) {
        let path = folder.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::io(&path, "removing"))?;
        }
    }
    sentinel.commit = known.map_or(sentinel.commit, |known| known.commit) + 1;
    changes.remove(Keyspace::Meta, b"config");
    changes.put(Keyspace::Meta, b"settings", settings);
    changes.put(Keyspace::Meta, b"format", &FORMAT_VERSION);
    changes.put(Keyspace::Meta, b"sentinel", sentinel);
    catalog.apply(&changes)?;
    Ok(Some(format))
}
