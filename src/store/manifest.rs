//! `manifest.json`: which commit a store holds, where its record files end, and its settings.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::access::{fault, not_opened};
use super::catalog::{Catalog, Keyspace};
use super::disk;
use super::format::{FORMAT_VERSION, other_format};
use super::frames::FILE_HEADER;
use super::layout::{Sentinel, StoredSettings};
use super::view::{self, RunName};
use crate::error::{Error, Result};
use crate::files;

/// The name of the file.
pub const NAME: &str = "manifest.json";

/// The key of the commit's number and of the ends of its record files, in the catalog.
pub const SENTINEL: &[u8] = b"sentinel";
/// The key of the settings there.
pub const SETTINGS: &[u8] = b"settings";

/// The content of the file.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format of the store.
    pub format: u32,
    /// The last commit.
    #[serde(flatten)]
    pub sentinel: Sentinel,
    /// The view of that commit: its runs, the oldest first.
    pub view: Vec<RunName>,
    /// How many archives the store knew.
    pub archives: u32,
    /// Set by an interrupted rebuild: the kinds of records of which it found some lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    crc: u32,
    /// The settings. The view has them too, and `sentinel` as well, so that a lost manifest can be made again.
    pub settings: StoredSettings,
}

/// The folders of the records that cannot be made again. The table of kinds has them too, but it depends on this file; a test compares the
/// two.
/// from there.
pub const SOURCES: [&str; 4] = ["pages", "batches", "requests", "removals"];

/// True where a store is or was. The sign is any file that outlives a manifest: records that cannot be made again, or a file that cannot be
/// read.
pub fn was_at(folder: &Path) -> bool {
    SOURCES.iter().any(|name| match fs::read_dir(folder.join(name)) {
        Ok(segments) => segments.flatten().any(|entry| {
            let is_segment = entry.path().extension().is_some_and(|ending| ending == "rec");
            is_segment && fs::metadata(entry.path()).is_ok_and(|found| found.len() > FILE_HEADER)
        }),
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    })
}

/// Checks that a folder is that of a store.
///
/// # Errors
/// Where there is none.
pub fn check_store(folder: &Path) -> Result<()> {
    if folder.join(NAME).exists() || was_at(folder) { Ok(()) } else { Err(missing(folder)) }
}

fn missing(folder: &Path) -> Error {
    let problem = if was_at(folder) {
        "manifest.json is missing; `diglot run` makes it again"
    } else {
        "there is no store here; make one with `diglot run INPUT... --store DIR`"
    };
    fault(folder, problem)
}

impl Manifest {
    /// A manifest of the current format.
    pub fn new(sentinel: Sentinel, view: Vec<RunName>, archives: u32, settings: StoredSettings) -> Manifest {
        let format = FORMAT_VERSION;
        Manifest { format, sentinel, view, archives, lost: Vec::new(), crc: 0, settings }.with_checksum()
    }

    /// The manifest of the commit that these runs of the view belong to; `None` where the runs do not tell which commit that is.
    pub fn of_runs(folder: &Path, view: Vec<RunName>) -> Option<Manifest> {
        let catalog = Catalog::open_checked(folder, &view).ok()?;
        let sentinel = catalog.get(Keyspace::Meta, SENTINEL).ok()??;
        let settings = catalog.get(Keyspace::Meta, SETTINGS).ok()?.unwrap_or_default();
        Some(Manifest::new(sentinel, view, catalog.count(Keyspace::Archive).ok()?, settings))
    }

    /// The same manifest, with a note of the kinds of which a rebuild found records lost. It is written before anything is mended.
    pub fn with_lost(mut self, lost: Vec<String>) -> Manifest {
        self.lost = lost;
        // Mending may remove the seals.
        self.sentinel.seals.clear();
        self.with_checksum()
    }

    /// The same manifest, with the checksum of its content.
    pub(crate) fn with_checksum(mut self) -> Manifest {
        self.crc = self.checksum();
        self
    }

    /// A hash of the whole content.
    pub fn hash(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(serde_json::to_string(self).expect("numbers and text serialise").as_bytes())
    }

    fn checksum(&self) -> u32 {
        let bare = Manifest { crc: 0, ..self.clone() };
        crc32c::crc32c(serde_json::to_string(&bare).expect("numbers and text serialise").as_bytes())
    }

    /// Reads the manifest of a store.
    ///
    /// # Errors
    /// When it is missing, cannot be read, is damaged, or of another format.
    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(NAME);
        let why = |error| if path.exists() { not_opened(&path, error) } else { missing(folder) };
        let text = files::read(&path).map_err(why)?;
        let damaged = |error: serde_json::Error| damaged(folder, &error.to_string());
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(damaged)?;
        let Some(format) = value.get("format").and_then(serde_json::Value::as_u64) else {
            return Err(self::damaged(folder, "no format is given"));
        };
        if format != u64::from(FORMAT_VERSION) {
            return Err(other_format(folder, format));
        }
        let manifest: Manifest = serde_json::from_value(value).map_err(damaged)?;
        if manifest.crc != manifest.checksum() {
            return Err(self::damaged(folder, "its checksum does not fit"));
        }
        Ok(manifest)
    }

    /// Replaces the file, atomically.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(NAME);
        let mut text = serde_json::to_string_pretty(self).expect("numbers and text serialise");
        text.push('\n');
        let fresh = folder.join("manifest.new");
        let write = || -> std::io::Result<()> {
            let mut file = disk::create(&fresh)?;
            file.write_all(text.as_bytes())?;
            file.sync_data()?;
            disk::rename(&fresh, &path)
        };
        write().map_err(Error::io(&path, "writing"))
    }
}

fn damaged(folder: &Path, why: &str) -> Error {
    // Other programs have files of this name, too.
    if ![view::FOLDER, "batches"].iter().any(|name| folder.join(name).exists()) {
        let problem = "holds manifest.json, which is none of a store; give an empty or new folder as --store";
        return fault(folder, problem);
    }
    fault(
        folder,
        format!("manifest.json is damaged ({why}); delete that file and run again: what the record files hold is kept"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::view::last_runs;
    use super::*;

    #[test]
    fn a_manifest_of_another_program_is_not_to_be_deleted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join(NAME), "{\"name\": \"an extension\"}").expect("room on disk");
        let told = || Manifest::read(folder.path()).map(|_| ()).expect_err("it is none of a store").to_string();
        assert!(told().contains("none of a store") && !told().contains("delete"), "{}", told());
        fs::create_dir(folder.path().join("batches")).expect("a folder");
        assert!(told().contains("is damaged (no format is given); delete"), "{}", told());
    }

    #[test]
    fn what_a_manifest_said_is_told_by_the_view_too() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = folder.path().join("store");
        let mut open = crate::store::Store::open(&store, crate::store::Access::Write).expect("a new store");
        let of_view = || Manifest::of_runs(&store, last_runs(&store)?);
        assert!(of_view().is_none(), "nothing is committed");
        for langs in ["en", "fr", "de"] {
            let values = vec![("langs".to_owned(), langs.to_owned())];
            open.keep_settings(StoredSettings { values }).expect("room on disk");
            let (told, read) = (of_view(), Manifest::read(&store).expect("it was written"));
            assert!(told == Some(read), "{langs}");
        }
        let last = fs::read_dir(store.join("view")).expect("a folder").flatten().map(|entry| entry.path()).max();
        let last = last.expect("a run");
        let length = fs::metadata(&last).expect("it is there").len();
        fs::OpenOptions::new().write(true).open(&last).and_then(|file| file.set_len(length - 1)).expect("a disk");
        assert!(of_view().is_none(), "an unfinished run says nothing");
    }
}
