//! An export of many files in a folder, which appears complete or not at all.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use diglot::error::Error;
use diglot::export::{Exporter, Files, Format, Job, Output, Row, sync_folder};
use diglot::types::Lang;
use tempfile::TempDir;

use super::card::Card;
use super::output::{Written, compressed, raw, refuse_within_store};
use super::shape::Shape;

/// How many parts have files open at once. Where there are more, the one that waited longest goes on in a file of its own.
const MAX_OPEN: usize = 128;
/// After how many rows of a part it is looked at how much it holds, and how long its file is.
const LOOK: u64 = 64;

/// A folder that is being filled under another name.
pub struct Folder {
    made: TempDir,
    path: PathBuf,
    written: Cell<Written>,
}

impl Folder {
    /// Makes the folder, beside its final place.
    ///
    /// # Errors
    /// When there is something in its final place already, that lies in a store, or the disk does not take it.
    pub fn new(path: &Path) -> anyhow::Result<Folder> {
        refuse_within_store(path)?;
        let problem = |problem: &str| Error::input(path.display().to_string(), problem);
        match fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
            Ok(true) => {
                return Err(problem("is a folder with files in it; give a new one, or remove it").into());
            }
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) if path.exists() => {
                return Err(problem("is no folder, as several files need; give a new one").into());
            }
            Err(error) => return Err(Error::io(path, "opening")(error).into()),
        }
        let Some(name) = path.file_name() else { return Err(problem("is no name of a new folder").into()) };
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let prefix = format!(".{}.", name.to_string_lossy());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let made = builder.tempdir_in(parent).map_err(Error::io(&path, "creating"))?;
        Ok(Folder { made, path, written: Cell::default() })
    }

    /// Makes a file in it; folders in its name are made too.
    pub fn create(&self, name: &str) -> io::Result<File> {
        let path = self.made.path().join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        File::create_new(path)
    }

    /// Gives the folder its name, or removes it after an error, or if the store was changed by others meanwhile.
    pub fn finish(self, written: anyhow::Result<()>) -> anyhow::Result<Written> {
        written.and_then(|()| Ok(super::touched::check()?))?;
        let Folder { made, path, written } = self;
        sync(made.path()).map_err(Error::io(&path, "syncing"))?;
        // An empty one may lie there.
        let _ = fs::remove_dir(&path);
        fs::rename(made.path(), &path).map_err(Error::io(&path, "naming"))?;
        // There is nothing left to remove.
        let _ = made.keep();
        let parent = path.parent().unwrap_or(&path);
        sync_folder(parent).map_err(Error::io(parent, "syncing"))?;
        Ok(written.get())
    }
}

/// Makes durable what a folder has.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { sync(&path)? } else { File::open(&path)?.sync_all()? }
    }
    sync_folder(folder)
}

/// What rows of one file have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    langs: Option<(Lang, Option<Lang>)>,
    /// The number of its part for training or tests.
    split: usize,
}

/// A part with its file.
struct Open {
    exporter: Box<dyn Exporter>,
    /// The same files, to look at how long they are.
    files: Vec<File>,
    rows: u64,
    held: usize,
    used: u64,
}

impl Open {
    fn file_bytes(&self) -> io::Result<u64> {
        self.files.iter().map(|file| Ok(file.metadata()?.len())).sum()
    }
}

/// Deals rows out to files.
pub struct Parts<'f> {
    folder: &'f Folder,
    format: &'f Format,
    job: Job,
    shape: &'f Shape,
    /// Bytes of rows that may wait to be written.
    budget: usize,
    open: BTreeMap<Part, Open>,
    /// How many files of each part there were.
    files: BTreeMap<Part, usize>,
    /// Bytes that all open parts hold.
    held: usize,
    rows: u64,
    written: Written,
    /// What is said of all files in one more.
    card: Option<Card>,
}

impl<'f> Parts<'f> {
    /// Without any files yet.
    pub fn new(folder: &'f Folder, format: &'f Format, job: Job, shape: &'f Shape, budget: usize) -> Parts<'f> {
        let (open, files, written) = Default::default();
        Parts { folder, format, job, shape, budget, open, files, held: 0, rows: 0, written, card: None }
    }

    /// The same, with a card that describes them.
    pub fn with_card(self, card: Option<Card>) -> Parts<'f> {
        Parts { card, ..self }
    }

    fn begin(&mut self, part: Part) -> io::Result<Open> {
        let number = self.files.entry(part).or_default();
        let name = name(self.format, self.shape, part, *number);
        *number += 1;
        let ending = self.shape.ending(self.format);
        let langs = part.langs.and_then(|(a, b)| Some([a, b?]));
        let names = match (self.format.files, langs) {
            (Files::OneALanguage, Some(langs)) => langs.map(|lang| format!("{name}.{lang}{ending}")).to_vec(),
            _ => vec![format!("{name}{ending}")],
        };
        let (mut outputs, mut files): (Vec<Output>, Vec<File>) = Default::default();
        for name in names {
            let file = self.folder.create(&name)?;
            files.push(file.try_clone()?);
            outputs.push(if ending.is_empty() || self.format.bytes == diglot::export::Bytes::Members {
                raw(file)
            } else {
                compressed(Path::new(&name), file)?
            });
        }
        let exporter = (self.format.make)(&Job { langs, ..self.job }, outputs)?;
        Ok(Open { exporter, files, rows: 0, held: 0, used: 0 })
    }

    fn end(&mut self, part: Part, open: Open) -> io::Result<()> {
        let Open { exporter, files, held, .. } = open;
        self.held -= held;
        exporter.finish()?;
        self.written.files += files.len() as u64;
        let bytes = files.iter().map(|file| Ok(file.metadata()?.len())).sum::<io::Result<u64>>()?;
        self.written.bytes += bytes;
        if let (Some(card), Some((a, Some(b)))) = (&mut self.card, part.langs) {
            card.file([a, b], self.shape.part(part.split), bytes);
        }
        Ok(())
    }

    /// Looks at how much a part holds, and gives it to the disk where all hold too much; ends its file where it is long.
    fn look(&mut self, part: Part) -> io::Result<()> {
        let Some(open) = self.open.get_mut(&part) else { return Ok(()) };
        let held = open.exporter.held();
        self.held = self.held - open.held + held;
        open.held = held;
        let is_long = match self.shape.shard_bytes {
            Some(most) => open.file_bytes()? + held as u64 >= most,
            None => false,
        };
        if is_long {
            return self.open.remove(&part).map_or(Ok(()), |open| self.end(part, open));
        }
        while self.held > self.budget {
            let Some(most) = self.open.values_mut().max_by_key(|open| open.held).filter(|open| open.held > 0) else {
                break;
            };
            most.exporter.relieve()?;
            self.held -= std::mem::take(&mut most.held);
        }
        Ok(())
    }
}

/// The name of a file, without endings of languages and compression.
fn name(format: &Format, shape: &Shape, part: Part, number: usize) -> String {
    let folder = part.langs.map_or(String::new(), |(a, b)| {
        let langs = b.map_or(a.to_string(), |b| format!("{a}-{b}"));
        // So that what reads partitions finds them as a column.
        if format.has_columns() { format!("langs={langs}/") } else { format!("{langs}/") }
    });
    let name = shape.part(part.split);
    let number = if shape.shard_bytes.is_some() || number > 0 { format!("-{number:05}") } else { String::new() };
    let ending = format.endings.first().map_or(String::new(), |ending| format!(".{ending}"));
    format!("{folder}{name}{number}{ending}")
}

impl Exporter for Parts<'_> {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let part = Part {
            langs: row.langs().filter(|_| self.shape.by_langs),
            split: self.shape.split.as_ref().map_or(0, |split| split.of(row)),
        };
        self.rows += 1;
        if !self.open.contains_key(&part) {
            if self.open.len() >= MAX_OPEN
                && let Some(oldest) = self.open.iter().min_by_key(|(_, open)| open.used).map(|(part, _)| *part)
                && let Some(open) = self.open.remove(&oldest)
            {
                self.end(oldest, open)?;
            }
            let open = self.begin(part)?;
            self.open.insert(part, open);
        }
        let Some(open) = self.open.get_mut(&part) else { return Ok(()) };
        open.exporter.row(row)?;
        if let Some(card) = &mut self.card {
            card.row(self.shape.part(part.split), row);
        }
        (open.rows, open.used) = (open.rows + 1, self.rows);
        if open.rows % LOOK == 0 { self.look(part) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        for (part, open) in std::mem::take(&mut self.open) {
            self.end(part, open)?;
        }
        if let Some(card) = &self.card {
            self.folder.create("README.md")?.write_all(card.text().as_bytes())?;
        }
        self.folder.written.set(self.written);
        Ok(())
    }
}
