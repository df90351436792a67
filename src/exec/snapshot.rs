//! Writes a store as rows, and makes a store of rows.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::job::{OnePart, StepJob};
use super::rows::{EngineRow, Input, Output};
use crate::error::{Error, Result};
use crate::files;
use crate::store::{Access, Store};

/// The kind of these rows. Name: file; number: offset in it; count: rows of the whole store.
pub const KIND: &str = "store";
/// Bytes of the file in a row.
const CHUNK: usize = 256 << 10;
/// Files of a store that are not copied, since they hold no data.
const LEFT_BEHIND: [&str; 2] = ["lock", "tmp"];

/// Closes a store, and writes all its files.
///
/// # Errors
/// When a file cannot be read, or the output does not take it.
pub fn write(part: i32, store: Store, output: &mut Output<'_>) -> Result<()> {
    let folder = store.folder().to_owned();
    drop(store);
    let mut files = Vec::new();
    list(&folder, &folder, &mut files)?;
    files.sort();
    let rows: u64 = files.iter().map(|(_, bytes)| bytes.div_ceil(CHUNK as u64).max(1)).sum();
    for (name, bytes) in files {
        let path = folder.join(&name);
        let mut file = files::open(&path).map_err(Error::io(&path, "opening"))?;
        let mut at = 0;
        while at < bytes.max(1) {
            let mut chunk = vec![0; (bytes - at).min(CHUNK as u64) as usize];
            file.read_exact(&mut chunk).map_err(Error::io(&path, "reading"))?;
            let row = EngineRow {
                part,
                kind: KIND.to_owned(),
                name: name.clone(),
                number: at as i64,
                count: rows as i64,
                data: Some(chunk),
            };
            output.put(&row)?;
            at += CHUNK as u64;
        }
    }
    Ok(())
}

/// The files of a folder with their lengths, by their names below `root`.
fn list(root: &Path, folder: &Path, files: &mut Vec<(String, u64)>) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(Error::io(folder, "listing"))? {
        let path = entry.map_err(Error::io(folder, "listing"))?.path();
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if LEFT_BEHIND.contains(&name.as_str()) {
            continue;
        }
        let metadata = fs::metadata(&path).map_err(Error::io(&path, "reading"))?;
        if metadata.is_dir() { list(root, &path, files)? } else { files.push((name, metadata.len())) }
    }
    Ok(())
}

/// A store that is being restored from rows.
#[derive(Default)]
pub struct Restoring {
    part: OnePart,
    folder: PathBuf,
    files: BTreeMap<String, File>,
    /// By file and offset: how many bytes.
    rows: BTreeMap<(String, i64), i64>,
    expected: Option<i64>,
}

/// A restored store, and its part.
pub struct Restored {
    /// The part.
    pub part: i32,
    /// The store, open for writing.
    pub store: Store,
}

impl Restoring {
    /// Restores into a folder in the scratch folder.
    pub fn new(job: &StepJob<'_>) -> Restoring {
        Restoring { folder: job.folder("store"), ..Restoring::default() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When it is of another part or kind, or the disk does not take it.
    pub fn take(&mut self, row: &EngineRow) -> Result<()> {
        self.part.check(row, &[KIND])?;
        if *self.expected.get_or_insert(row.count) != row.count {
            return Err(Error::input("store rows", "they are of several stores"));
        }
        let bytes = row.bytes()?;
        if self.rows.insert((row.name.clone(), row.number), bytes.len() as i64).is_some() {
            return Err(Error::input("store rows", format!("part {} has {} twice", row.part, row.name)));
        }
        let path = self.folder.join(&row.name);
        let is_inside = Path::new(&row.name).components().all(|part| matches!(part, Component::Normal(_)));
        if row.name.is_empty() || !is_inside {
            return Err(Error::input("store rows", format!("{} is no file of a store", row.name)));
        }
        if !self.files.contains_key(&row.name) {
            let parent = path.parent().unwrap_or(&self.folder);
            fs::create_dir_all(parent).map_err(Error::io(parent, "making the folder"))?;
            let file = File::create(&path).map_err(Error::io(&path, "making"))?;
            self.files.insert(row.name.clone(), file);
        }
        let Some(file) = self.files.get(&row.name) else { return Ok(()) };
        let at = u64::try_from(row.number).ok().filter(|at| at.is_multiple_of(CHUNK as u64) && bytes.len() <= CHUNK);
        let at = at.filter(|at| at / (CHUNK as u64) < row.counted().unwrap_or(0)).ok_or_else(|| row.senseless())?;
        write_at(file, bytes, at).map_err(Error::io(&path, "writing"))
    }

    /// The part, if there were any rows.
    pub fn part(&self) -> Option<i32> {
        self.part.0
    }

    /// Opens the store; `None` when there was no row.
    ///
    /// # Errors
    /// When rows are missing or doubled, or it cannot be opened.
    pub fn finish(self) -> Result<Option<Restored>> {
        let (Some(part), Some(expected)) = (self.part.0, self.expected) else { return Ok(None) };
        if self.rows.len() as i64 != expected {
            let problem = format!("part {part} has {} rows, expected {expected}", self.rows.len());
            return Err(Error::input("store rows", problem));
        }
        let mut end = ("", 0);
        for ((name, at), bytes) in &self.rows {
            let expected = if name == end.0 { end.1 } else { 0 };
            if *at != expected {
                return Err(Error::input(
                    "store rows",
                    format!("part {part} lacks bytes of {name} from {expected} on"),
                ));
            }
            end = (name, at + bytes);
        }
        drop(self.files);
        let store = Store::open(&self.folder, Access::Write)?;
        if store.was_rebuilt {
            let problem = format!("those of part {part} are no whole store of this release: do the step anew");
            return Err(Error::input("store rows", problem));
        }
        Ok(Some(Restored { part, store }))
    }
}

/// Restores the store that all rows of a step make up; `None` when there are none.
///
/// # Errors
/// As [`Restoring`].
pub fn read(job: &StepJob<'_>, input: &mut Input) -> Result<Option<Restored>> {
    let mut restoring = Restoring::new(job);
    while let Some(row) = input.read()? {
        restoring.take(&row)?;
    }
    restoring.finish()
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], at: u64) -> std::io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}
