//! `manifest.json`: which commit a store holds, where its record files end, and its settings.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::access::fault;
use super::format::{FORMAT_VERSION, OLDEST_FORMAT};
use super::layout::{Sentinel, StoredSettings};
use crate::error::{Error, Result};

/// The name of the file.
pub const NAME: &str = "manifest.json";

/// What the file holds.
#[derive(Serialize, Deserialize)]
pub struct Manifest {
    /// Format of the store.
    pub format: u32,
    /// The last commit.
    #[serde(flatten)]
    pub sentinel: Sentinel,
    crc: u32,
    /// Kept here too, so that it outlives the catalog.
    #[serde(default)]
    pub settings: StoredSettings,
}

impl Manifest {
    /// A manifest of the present format.
    pub fn new(sentinel: Sentinel, settings: StoredSettings) -> Manifest {
        Manifest { format: FORMAT_VERSION, crc: crc_of(FORMAT_VERSION, &sentinel), sentinel, settings }
    }

    /// Reads that of a store of any format that this program knows.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or of a format that is not known.
    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(NAME);
        let text = fs::read(&path).map_err(Error::io(&path, "reading"))?;
        let damaged = |error: serde_json::Error| damaged(folder, &error.to_string());
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(damaged)?;
        let Some(format) = value.get("format").and_then(serde_json::Value::as_u64) else {
            return Err(self::damaged(folder, "no format is given"));
        };
        if !(u64::from(OLDEST_FORMAT)..=u64::from(FORMAT_VERSION)).contains(&format) {
            let is_newer = format > u64::from(FORMAT_VERSION);
            let advice = if is_newer { "use a newer release" } else { "ingest its archives again" };
            return Err(other_format(folder, format, advice));
        }
        let settings_of_4 = (format == 4).then(|| StoredSettings::from_format_4(&value["config"]));
        let mut manifest: Manifest = serde_json::from_value(value).map_err(damaged)?;
        if let Some(settings) = settings_of_4 {
            manifest.settings = settings;
        }
        if manifest.crc != crc_of(manifest.format, &manifest.sentinel) {
            return Err(self::damaged(folder, "its checksum does not fit"));
        }
        Ok(manifest)
    }

    /// Replaces the file: whole, or not at all.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(NAME);
        let text = serde_json::to_string_pretty(self).expect("numbers serialise");
        let fresh = folder.join("manifest.new");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&fresh)?;
            file.write_all(text.as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_data()?;
            fs::rename(&fresh, &path)
        };
        write().map_err(Error::io(&path, "writing"))
    }
}

fn crc_of(format: u32, sentinel: &Sentinel) -> u32 {
    let numbers = [u64::from(format), sentinel.commit].into_iter().chain(sentinel.ends.iter().copied());
    numbers.fold(0, |crc, number| crc32c::crc32c_append(crc, &number.to_le_bytes()))
}

/// The store is written in another format than this program's.
pub fn other_format(folder: &Path, format: u64, advice: &str) -> Error {
    fault(folder, format!("written in format {format}, this program reads {FORMAT_VERSION}; {advice}"))
}

fn damaged(folder: &Path, why: &str) -> Error {
    fault(
        folder,
        format!("manifest.json is damaged ({why}); delete that file and run again: what the record files hold is kept"),
    )
}
