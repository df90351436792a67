//! `manifest.json`: which commit a store holds, where its record files end, and its settings.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::access::{fault, not_opened};
use super::disk;
use super::format::{FORMAT_VERSION, other_format};
use super::layout::{Sentinel, StoredSettings};
use super::view::RunName;
use crate::error::{Error, Result};
use crate::files;

/// The name of the file.
pub const NAME: &str = "manifest.json";

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
    /// Folder of the catalog.
    pub catalog: String,
    /// How many archives the store knew.
    pub archives: u32,
    /// Set by an interrupted rebuild: the kinds of records of which it found some lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    crc: u32,
    /// A second copy of the settings, which survives the loss of the catalog.
    pub settings: StoredSettings,
}

/// The name of the catalog's folder in a new store.
pub fn first_catalog() -> String {
    "catalog".to_owned()
}

/// True for names that a catalog's folder may have.
pub fn is_catalog(name: &str) -> bool {
    let number = name.strip_prefix("catalog-");
    name == first_catalog() || number.is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// True where a store is, or was, judging by the files that outlive a manifest.
pub fn was_at(folder: &Path) -> bool {
    folder.join("batches/000000.rec").exists()
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
    pub fn new(
        sentinel: Sentinel,
        view: Vec<RunName>,
        catalog: String,
        archives: u32,
        settings: StoredSettings,
    ) -> Manifest {
        let format = FORMAT_VERSION;
        Manifest { format, sentinel, view, catalog, archives, lost: Vec::new(), crc: 0, settings }.with_checksum()
    }

    /// The same manifest, with the kinds of which a rebuild found records lost; written before anything is mended.
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
        // A damaged catalog is deleted, so any other name is refused: it might be any folder.
        if !is_catalog(&manifest.catalog) {
            return Err(self::damaged(folder, "it names another folder as its catalog"));
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
    fault(
        folder,
        format!("manifest.json is damaged ({why}); delete that file and run again: what the record files hold is kept"),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_not_named_as_a_catalog_is_none() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = folder.path().join("store");
        fs::create_dir(&store).expect("room on disk");
        let read = |name: &str| {
            let sentinel = Sentinel::default();
            let manifest = Manifest::new(sentinel, Vec::new(), name.to_owned(), 0, StoredSettings::default());
            manifest.write(&store).expect("room on disk");
            Manifest::read(&store).map(|manifest| manifest.catalog).map_err(|error| error.to_string())
        };
        for name in ["catalog", "catalog-7"] {
            assert_eq!(read(name), Ok(name.to_owned()));
        }
        for name in ["", ".", "..", "../catalog", "/tmp", "pages", "catalog-7/..", "catalog-x"] {
            assert!(read(name).is_err_and(|error| error.contains("another folder")), "{name}");
        }
        let other = folder.path().join("other");
        fs::create_dir(&other).expect("room on disk");
        assert!(read("../other").is_err());
        let opened = crate::store::Store::open(&store, crate::store::Access::Write);
        assert!(opened.is_err() && other.exists(), "it is not removed");
    }
}
