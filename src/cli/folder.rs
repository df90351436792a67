//! A folder that appears complete or not at all: an export of many files, or a store.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use diglot::error::Error;
use diglot::export::{Bytes, Compression, Exporter, Files, Format, Job, Output, Row, sides, sync_folder};
use diglot::types::Lang;
use tempfile::TempDir;

use super::card::Card;
use super::output::{Written, refuse_within_store};
use super::part_file::PartFile;
use super::say::say;
use super::shape::Shape;

/// How many files are open at once. Those that were written longest ago are closed, and opened again when rows for them come.
const MAX_OPEN: usize = 128;
/// How often a part is examined for how much it holds and how long its file is: after this many rows,
const LOOK_ROWS: u64 = 64;
/// or after this many bytes of rows.
const LOOK_BYTES: usize = 256 << 10;

/// A folder that is being filled under another name.
pub struct Folder {
    made: TempDir,
    /// Locked, to show other processes that the folder is being filled.
    _lock: Option<File>,
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
        if is_mounted(&path, parent) {
            return Err(problem("is where another disk begins; give a new folder in it").into());
        }
        let name = format!(".{}.part", name.to_string_lossy());
        clear(&parent.join(&name))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(&name).rand_bytes(0);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let made = builder.tempdir_in(parent).map_err(Error::io(&path, "creating"))?;
        let lock = lock(made.path())?;
        Ok(Folder { made, _lock: lock, path, written: Cell::default() })
    }

    /// The path of a file in it; folders in its name are made.
    fn file(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.made.path().join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(path)
    }

    /// The path of the folder before it has its final name.
    pub fn path(&self) -> &Path {
        self.made.path()
    }

    /// Gives the folder its final name. Removes it after an error, or if another program has changed the store meanwhile.
    pub fn finish(self, written: anyhow::Result<()>) -> anyhow::Result<Written> {
        let files = self.written.get();
        self.finish_with(written).map(|()| files)
    }

    /// Does the same, and returns what `written` has.
    pub fn finish_with<T>(self, written: anyhow::Result<T>) -> anyhow::Result<T> {
        let told = written.and_then(|told| {
            super::touched::check()?;
            Ok(told)
        })?;
        let Folder { made, path, written, _lock } = self;
        sync_all(made.path(), written.get().files).map_err(Error::io(&path, "syncing"))?;
        // The work of hours is not removed, whatever happens from here on.
        let made = made.keep();
        // An empty one may lie there.
        let _ = fs::remove_dir(&path);
        fs::rename(&made, &path).map_err(Error::io(&path, "naming")).with_context(|| {
            format!("everything is written, and lies in {}; give it a name yourself", made.display())
        })?;
        let parent = path.parent().unwrap_or(&path);
        sync_folder(parent).map_err(Error::io(parent, "syncing"))?;
        Ok(told)
    }
}

/// True for a folder that is on another disk than the folder above it; no other folder can be renamed to take its place.
fn is_mounted(path: &Path, parent: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let disk = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.dev());
        path.exists() && disk(path) != disk(parent)
    }
    #[cfg(not(unix))]
    {
        let _ = (path, parent);
        false
    }
}

/// Removes the folder that a killed command has left.
fn clear(made: &Path) -> anyhow::Result<()> {
    if !made.is_dir() {
        return Ok(());
    }
    let _lock = lock(made)?;
    Ok(fs::remove_dir_all(made).map_err(Error::io(made, "removing"))?)
}

/// Locks a folder, where the system can.
fn lock(made: &Path) -> Result<Option<File>, Error> {
    let Ok(file) = File::open(made) else { return Ok(None) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let problem = "is being written by another command; wait for it, or give another folder";
            Err(Error::input(made.display().to_string(), problem))
        }
        Err(TryLockError::Error(_)) => Ok(None),
        Ok(()) => Ok(Some(file)),
    }
}

/// From this many files on the whole disk is synced, which takes less time than waiting for each file.
#[cfg(target_os = "linux")]
const MANY_FILES: u64 = 256;

/// Makes the `files` files of a folder durable.
fn sync_all(folder: &Path, files: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if files >= MANY_FILES {
        return Ok(rustix::fs::syncfs(File::open(folder)?)?);
    }
    let _ = files;
    sync(folder)
}

/// Makes what a folder has durable, file by file.
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

/// A part with its files.
struct Open {
    exporter: Box<dyn Exporter>,
    files: Vec<PartFile>,
    /// False where all of these are closed for now.
    is_awake: bool,
    rows: u64,
    /// Bytes of rows since the part was last examined.
    bytes: usize,
    held: usize,
    used: u64,
}

impl Open {
    fn file_bytes(&self) -> io::Result<u64> {
        self.files.iter().map(PartFile::bytes).sum()
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
    /// How many files are open at most.
    most: usize,
    open: BTreeMap<Part, Open>,
    /// How many files of each part there were.
    files: BTreeMap<Part, usize>,
    /// Bytes that all open parts hold.
    held: usize,
    /// How many of their files may be open.
    awake: usize,
    rows: u64,
    written: Written,
    /// The card that describes all files, in a file of its own.
    card: Option<Card>,
}

impl<'f> Parts<'f> {
    /// Begins without any files. Half of `budget`, in bytes, is for the compression of open files, and half for rows that wait.
    pub fn new(folder: &'f Folder, format: &'f Format, job: Job, shape: &'f Shape, budget: usize) -> Parts<'f> {
        let (open, files, written) = Default::default();
        let budget = budget / 2;
        // A part has up to two files.
        let most = (budget / PartFile::open_bytes(coding(format, shape))).clamp(2, MAX_OPEN);
        let (held, awake, rows, card) = (0, 0, 0, None);
        Parts { folder, format, job, shape, budget, most, open, files, held, awake, rows, written, card }
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
            (Files::OneALanguage, Some(langs)) => sides(langs).map(|side| format!("{name}.{side}{ending}")).to_vec(),
            _ => vec![format!("{name}{ending}")],
        };
        let coding = coding(self.format, self.shape);
        let file = |name: String| PartFile::create(self.folder.file(&name)?, coding);
        let files: Vec<PartFile> = names.into_iter().map(file).collect::<io::Result<_>>()?;
        let outputs = files.iter().map(|file| Box::new(file.clone()) as Output).collect();
        self.wake(files.len())?;
        let exporter = (self.format.make)(&Job { langs, ..self.job }, outputs)?;
        Ok(Open { exporter, files, is_awake: true, rows: 0, bytes: 0, held: 0, used: self.rows })
    }

    /// Reports the parts for training and tests to which no domain has fallen.
    fn say_empty(&self) {
        let Some(split) = self.shape.split.as_ref().filter(|_| !self.files.is_empty()) else { return };
        let filled: BTreeSet<usize> = self.files.keys().map(|part| part.split).collect();
        let empty: Vec<&str> =
            split.names().enumerate().filter(|(number, _)| !filled.contains(number)).map(|(_, name)| name).collect();
        if !empty.is_empty() {
            say(format!(
                "--split has no rows in {}: it deals out whole domains, and none fell to that share; take more domains or \
                 larger shares",
                empty.join(", ")
            ));
        }
    }

    /// Makes room for so many open files, by closing those that were written longest ago.
    fn wake(&mut self, files: usize) -> io::Result<()> {
        while self.awake + files > self.most {
            let awake = self.open.values_mut().filter(|open| open.is_awake);
            let Some(oldest) = awake.min_by_key(|open| open.used) else { break };
            oldest.files.iter().try_for_each(PartFile::close)?;
            oldest.is_awake = false;
            self.awake -= oldest.files.len();
        }
        self.awake += files;
        Ok(())
    }

    fn end(&mut self, part: Part, open: Open) -> io::Result<()> {
        let Open { mut exporter, files, is_awake, held, .. } = open;
        let documents = exporter.documents(true)?;
        self.write(documents)?;
        self.held -= held;
        self.awake -= if is_awake { files.len() } else { 0 };
        exporter.finish()?;
        self.written.files += files.len() as u64;
        let bytes = files.iter().map(PartFile::bytes).sum::<io::Result<u64>>()?;
        self.written.bytes += bytes;
        if let (Some(card), Some((a, Some(b)))) = (&mut self.card, part.langs) {
            card.file([a, b], self.shape.part(part.split), bytes);
        }
        Ok(())
    }

    /// Writes documents that lie beside the files of a part.
    fn write(&mut self, documents: Vec<(String, Vec<u8>)>) -> io::Result<()> {
        for (name, bytes) in documents {
            let mut file = PartFile::create(self.folder.file(&name)?, coding(self.format, self.shape))?;
            file.write_all(&bytes)?;
            file.close()?;
            self.written.files += 1;
            self.written.bytes += file.bytes()?;
        }
        Ok(())
    }

    /// Examines how much a part holds. Where all parts together hold too much, the fullest are written to disk; where the part's file is
    /// long enough, it is ended.
    fn look(&mut self, part: Part) -> io::Result<()> {
        let Some(open) = self.open.get_mut(&part) else { return Ok(()) };
        let held = open.exporter.held();
        self.held = self.held - open.held + held;
        (open.held, open.bytes) = (held, 0);
        let is_long = match self.shape.shard_bytes {
            Some(most) => open.file_bytes()? + held as u64 >= most,
            None => false,
        };
        if is_long {
            return self.open.remove(&part).map_or(Ok(()), |open| self.end(part, open));
        }
        while self.held > self.budget {
            let fullest = self.open.iter_mut().max_by_key(|(_, open)| open.held).filter(|(_, open)| open.held > 0);
            let Some((&part, most)) = fullest else { break };
            self.held -= std::mem::take(&mut most.held);
            self.rouse(part)?;
            self.open.get_mut(&part).map_or(Ok(()), |most| most.exporter.relieve())?;
        }
        Ok(())
    }

    /// Lets the files of a part be open.
    fn rouse(&mut self, part: Part) -> io::Result<()> {
        self.rows += 1;
        let Some(open) = self.open.get_mut(&part) else { return Ok(()) };
        open.used = self.rows;
        if open.is_awake {
            return Ok(());
        }
        open.is_awake = true;
        let files = open.files.len();
        self.wake(files)
    }
}

/// The compression that this program applies to the files of a folder; other formats compress by themselves.
fn coding(format: &Format, shape: &Shape) -> Compression {
    match format.bytes {
        Bytes::Packed | Bytes::Members => Compression::None,
        Bytes::Text | Bytes::Binary => shape.compression,
    }
}

/// The name of a file, without endings of languages and compression.
fn name(format: &Format, shape: &Shape, part: Part, number: usize) -> String {
    if let (Files::Documents, Some((a, Some(b)))) = (format.files, part.langs) {
        // OPUS calls the alignment so, beside the folders of documents.
        let part = shape.split.as_ref().map_or(String::new(), |_| format!(".{}", shape.part(part.split)));
        return format!("{a}-{b}{part}.xml");
    }
    let folder = part.langs.map_or(String::new(), |(a, b)| {
        let langs = b.map_or(a.to_string(), |b| format!("{a}-{b}"));
        // Programs that read partitioned folders then find the languages as a column.
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
        if self.open.contains_key(&part) {
            self.rouse(part)?;
        } else {
            let open = self.begin(part)?;
            self.open.insert(part, open);
        }
        let Some(open) = self.open.get_mut(&part) else { return Ok(()) };
        open.exporter.row(row)?;
        let documents = open.exporter.documents(false)?;
        (open.rows, open.bytes) = (open.rows + 1, open.bytes + row.bytes());
        let is_due = open.rows % LOOK_ROWS == 0 || open.bytes >= LOOK_BYTES;
        self.write(documents)?;
        if let Some(card) = &mut self.card {
            card.row(self.shape.part(part.split), row);
        }
        if is_due { self.look(part) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        for (part, open) in std::mem::take(&mut self.open) {
            self.end(part, open)?;
        }
        self.say_empty();
        if let Some(card) = &self.card {
            fs::write(self.folder.file("README.md")?, card.text())?;
        }
        self.folder.written.set(self.written);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use diglot::export::{self, Content, Extra};
    use diglot::types::BitextLine;

    use super::super::card::tests::line;
    use super::super::shape::ShapeArgs;
    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        shape: ShapeArgs,
    }

    /// Fills a folder with rows; returns the names of its files.
    fn filled(folder: &Path, format: &str, arguments: &str, budget: usize, rows: &[BitextLine]) -> BTreeSet<String> {
        let (_, format) = export::format(Some(Content::Bitext), Some(format), None).expect("a format");
        let arguments = ["x", "--partition-by", "langs"].into_iter().chain(arguments.split_whitespace());
        let shape = Line::parse_from(arguments).shape.of_folder(Content::Bitext, format).expect("a shape");
        let now = jiff::Timestamp::from_second(0).expect("a date");
        let extra = Extra::default();
        let job = Job { content: Content::Bitext, langs: None, extra, compression: shape.compression, now };
        let made = Folder::new(folder).expect("room on the disk");
        let mut parts = Box::new(Parts::new(&made, format, job, &shape, budget));
        let mut written = Ok(());
        for row in rows {
            written = written.and_then(|()| parts.row(Row::Sentences(row)));
            assert!(parts.awake <= parts.most && parts.most <= MAX_OPEN);
        }
        let written = written.and_then(|()| parts.finish()).map_err(anyhow::Error::from);
        made.finish(written).expect("room on the disk");
        names(folder, folder)
    }

    fn names(folder: &Path, root: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
        let of = |path: PathBuf| {
            if path.is_dir() {
                return names(&path, root);
            }
            BTreeSet::from([path.strip_prefix(root).expect("below it").display().to_string()])
        };
        entries.flat_map(of).collect()
    }

    fn text(path: PathBuf) -> String {
        String::from_utf8_lossy(&zstd::decode_all(File::open(path).expect("a file")).expect("zstd")).into_owned()
    }

    #[test]
    fn languages_that_nothing_names_have_files_of_their_own() {
        let outside = tempfile::tempdir().expect("a folder");
        let [a, b] = [0, 1].map(|number| Lang::unnamed(number).expect("a letter"));
        let row = |lang_a, lang_b| BitextLine { lang_a, ..line(lang_b, "", Default::default()) };
        let rows = [row(Lang::EN, a), row(Lang::EN, b), row(a, b)];
        let found = filled(&outside.path().join("moses"), "moses", "", 1 << 20, &rows);
        let expected = [("en", "und-x-a"), ("en", "und-x-b"), ("und-x-a", "und-x-b")];
        let expected: BTreeSet<String> =
            expected.into_iter().flat_map(|(a, b)| [a, b].map(|side| format!("{a}-{b}/part.{side}"))).collect();
        assert_eq!(found, expected);
        filled(&outside.path().join("hf"), "hf", "", 1 << 20, &rows);
        let both = fs::read_to_string(outside.path().join("hf/und-x-a-und-x-b/part.jsonl")).expect("it was written");
        assert_eq!(both, "{\"translation\":{\"und-x-a\":\"a\",\"und-x-b\":\"b\"}}\n");
    }

    #[test]
    fn a_part_has_one_file_however_many_parts_there_are() {
        let outside = tempfile::tempdir().expect("a folder");
        let langs: Vec<Lang> =
            ('a'..='t').flat_map(|a| ('a'..='j').filter_map(move |b| Lang::parse(&format!("q{a}{b}")))).collect();
        assert_eq!(langs.iter().collect::<BTreeSet<_>>().len(), 200);
        // Domain by domain, as exports go.
        let rows: Vec<BitextLine> =
            (0..10).flat_map(|_| langs.iter().map(|lang| line(*lang, "", Default::default()))).collect();
        for (format, arguments) in [("jsonl", "--compression zstd"), ("moses", "--compression zstd"), ("tsv", "")] {
            let folder = outside.path().join(format);
            let found = filled(&folder, format, arguments, 64 << 20, &rows);
            assert_eq!(found.len(), if format == "moses" { 400 } else { 200 }, "{format}");
            for name in found {
                let bytes = if format == "tsv" {
                    fs::read_to_string(folder.join(&name)).expect("it was written")
                } else {
                    text(folder.join(&name))
                };
                assert_eq!(bytes.lines().count(), if format == "tsv" { 11 } else { 10 }, "{name}");
            }
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn rows_that_wait_take_no_more_than_their_budget() {
        let outside = tempfile::tempdir().expect("a folder");
        let others = vec![("u".repeat(100 << 10), "v".repeat(100 << 10))];
        let rows: Vec<BitextLine> = ["fr", "de", "nl", "it"]
            .into_iter()
            .cycle()
            .take(400)
            .map(|lang| BitextLine {
                others: others.clone(),
                ..line(Lang::parse(lang).expect("a tag"), "", Default::default())
            })
            .collect();
        for format in ["arrow", "parquet"] {
            let (_, format) = export::format(Some(Content::Bitext), Some(format), None).expect("a format");
            let shape = Line::parse_from(["x", "--partition-by", "langs"]).shape;
            let shape = shape.of_folder(Content::Bitext, format).expect("a shape");
            let now = jiff::Timestamp::from_second(0).expect("a date");
            let job = Job {
                content: Content::Bitext,
                langs: None,
                extra: Extra::default(),
                compression: shape.compression,
                now,
            };
            let made = Folder::new(&outside.path().join(format.name)).expect("room on the disk");
            let mut parts = Parts::new(&made, format, job, &shape, 8 << 20);
            for row in &rows {
                parts.row(Row::Sentences(row)).expect("room on the disk");
                let held: usize = parts.open.values().map(|open| open.exporter.held()).sum();
                assert!(held < (4 << 20) + 4 * (LOOK_BYTES + (300 << 10)), "{held} bytes of {}", format.name);
            }
        }
    }

    #[test]
    fn what_was_killed_is_cleared_and_what_is_being_written_is_left() {
        let outside = tempfile::tempdir().expect("a folder");
        let (out, hidden) = (outside.path().join("out"), outside.path().join(".out.part"));
        fs::create_dir_all(hidden.join("en-fr")).expect("room on the disk");
        fs::write(hidden.join("en-fr/part.tsv"), "left").expect("room on the disk");
        let first = Folder::new(&out).expect("what was left is cleared");
        assert!(hidden.is_dir() && !hidden.join("en-fr").exists());
        if cfg!(unix) {
            let problem = Folder::new(&out).err().expect("it is being written").to_string();
            assert!(problem.contains("is being written by another command"), "{problem}");
        }
        drop(first);
        assert!(!hidden.exists());
    }

    #[test]
    fn a_complete_export_stays_where_its_place_is_taken_meanwhile() {
        let outside = tempfile::tempdir().expect("a folder");
        let out = outside.path().join("out");
        let made = Folder::new(&out).expect("room on the disk");
        fs::write(made.file("en-fr/part.tsv").expect("room on the disk"), "rows").expect("room on the disk");
        fs::create_dir(&out).and_then(|()| fs::write(out.join("x"), "of others")).expect("room on the disk");
        let problem = format!("{:#}", made.finish(Ok(())).expect_err("the place is taken"));
        let kept = outside.path().join(".out.part/en-fr/part.tsv");
        assert!(problem.contains("everything is written, and lies in ") && kept.is_file(), "{problem}");
        if Path::new("/proc").is_dir() && cfg!(target_os = "linux") {
            assert!(is_mounted(Path::new("/proc"), Path::new("/")) && !is_mounted(outside.path(), outside.path()));
        }
    }
}
