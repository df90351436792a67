//! Finds the archives that the user's inputs stand for, and the files that are not read, with the reasons.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::codec::Codec;
use super::covered_indexes::Archives;
use super::detect::Formats;
use super::format::{Format, Params};
use super::head::head_of;
use super::mime::{ending_of, is_page_ending};
use super::multi_wacz;
use super::packed::{is_document, packed};
use super::stream::STREAM;
use super::tally::{READ_ITSELF, Refused, lines_of};
use super::zim;
use crate::error::{Error, Result};
use crate::files;

/// Why a URL is no input.
const NOT_FETCHED: &str = "nothing is fetched: download the archive, or make one of the site: `wget --recursive --level=inf --warc-file=site URL`, \
                           then `diglot run site.warc.gz`";
/// How deeply lists may name lists.
const MAX_LIST_DEPTH: usize = 8;
/// How many lists are read at most.
const MAX_LISTS: usize = 10_000;

/// The archives that the inputs of a run stand for.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// The archives to read, each once, in the order named.
    pub archives: Vec<PathBuf>,
    /// The inputs that are not read.
    pub refused: Vec<Refused>,
    /// The files and folders that the user named one by one, by their canonical paths; the others were found in folders and by patterns.
    pub named: HashSet<PathBuf>,
    /// Whether all bytes of all archives are read to see if they were read before, even where the file system reports no change.
    pub reread: bool,
    /// Whether the other archives are read when one cannot be.
    pub keep_going: bool,
}

impl From<&[PathBuf]> for Inputs {
    fn from(archives: &[PathBuf]) -> Inputs {
        Inputs { archives: archives.to_vec(), ..Inputs::default() }
    }
}

/// Which indexes that are found in folders and by patterns are kept among the archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indexes {
    /// All.
    All,
    /// Only those with captures in archives that are not all among the inputs.
    BesideNothing,
}

/// The archives of `formats` that `inputs` stand for: see [`super::expand`].
pub(super) fn expand(
    inputs: &[OsString],
    keep_going: bool,
    is_known: &dyn Fn(&Path) -> bool,
    (formats, indexes, params): (Formats, Indexes, &Params),
) -> Result<Inputs> {
    let mut found = Found {
        formats,
        params,
        is_known,
        archives: Vec::new(),
        refused: Vec::new(),
        problems: Vec::new(),
        seen: HashSet::new(),
        lists: HashSet::new(),
        open_lists: Vec::new(),
        indexes: Vec::new(),
        named: HashSet::new(),
    };
    for input in inputs {
        found.input(input, None);
    }
    if indexes == Indexes::BesideNothing {
        found.leave_out_indexes();
    }
    if !keep_going && !found.problems.is_empty() {
        return Err(all_of(found.problems));
    }
    let mut refused = found.refused;
    for problem in found.problems {
        refused.push(problem.refused);
        refused.extend(problem.within);
    }
    Ok(Inputs { archives: found.archives, refused, named: found.named, keep_going, ..Inputs::default() })
}

/// A single error for all inputs that cannot be read.
fn all_of(problems: Vec<Problem>) -> Error {
    let told = |problem: &Problem| format!("{}{}", problem.refused.reason, lines_of(problem.within.iter()));
    if let [problem] = problems.as_slice() {
        return Error::input(&problem.place, told(problem));
    }
    let line = |problem: &Problem| format!("\n  {}: {}", problem.place, told(problem).replace('\n', "\n  "));
    let lines: String = problems.iter().map(line).collect();
    Error::input(format!("{} inputs", problems.len()), format!("cannot be read, so that none was:{lines}"))
}

/// An input of the user that cannot be read.
struct Problem {
    /// The input as the user gave it, and where.
    place: String,
    refused: Refused,
    /// The files in it that seem to be archives, and why they are not read.
    within: Vec<Refused>,
}

/// Why an input cannot be read, and what was found in it instead.
struct Reason {
    reason: String,
    within: Vec<Refused>,
}

impl<T: Into<String>> From<T> for Reason {
    fn from(reason: T) -> Reason {
        Reason { reason: reason.into(), within: Vec::new() }
    }
}

struct Found<'f> {
    formats: Formats,
    params: &'f Params,
    /// True of a file that was read before and has not changed since; it is then known to be an archive.
    is_known: &'f dyn Fn(&Path) -> bool,
    archives: Vec<PathBuf>,
    /// Files that were found in folders and by patterns, and are not read.
    refused: Vec<Refused>,
    problems: Vec<Problem>,
    seen: HashSet<PathBuf>,
    /// Lists that were read, by their canonical paths: each is read once.
    lists: HashSet<PathBuf>,
    /// The lists that are being read now, each named by the one before.
    open_lists: Vec<PathBuf>,
    /// Indexes that were found in folders and by patterns, each once.
    indexes: Vec<(PathBuf, &'static dyn Format)>,
    /// Files and folders that the user named, by their canonical paths.
    named: HashSet<PathBuf>,
}

/// A line of a list.
#[derive(Clone, Copy)]
struct Line<'l> {
    list: &'l Path,
    number: usize,
}

impl Found<'_> {
    fn input(&mut self, input: &OsStr, line: Option<Line<'_>>) {
        let folder = line.and_then(|line| line.list.parent());
        let path = resolve(input, folder);
        let looked_at = if input == STREAM {
            self.add(Path::new(STREAM));
            Ok(())
        } else if let Some(list) = list_name(input) {
            self.list(&resolve(&list, folder))
        } else if path.exists() {
            self.path(&path)
        } else if input.to_str().is_some_and(|text| text.starts_with("http://") || text.starts_with("https://")) {
            Err(NOT_FETCHED.into())
        } else if is_pattern(input) {
            self.pattern(&path)
        } else {
            Err("no such file or folder".into())
        };
        if let Err(Reason { reason, within }) = looked_at {
            let mut place = input.display().to_string();
            if let Some(Line { list, number }) = line {
                place = format!("{}:{number}: {place}", list.display());
            }
            let path = full_name(&path);
            self.problems.push(Problem { place, refused: Refused { path, reason, is_fault: true }, within });
        }
    }

    fn path(&mut self, path: &Path) -> Result<(), Reason> {
        if !path.is_dir() && !path.is_file() {
            return Err(
                "a pipe or device, expected a file; `-` reads standard input, as in `diglot run - < PIPE`".into()
            );
        }
        if !path.is_dir() {
            let head = head_of(path).map_err(|error| error.reason())?;
            return match multi_wacz::resources(path, &head) {
                Some(names) => self.resources(path, &names),
                None => self.file(path),
            };
        }
        self.named.insert(true_name(path));
        let before = self.refused.len();
        if self.folder(path)? == 0 {
            let problem = "the folder holds neither an archive nor pages";
            return Err(Reason { reason: problem.to_owned(), within: self.refused.split_off(before) });
        }
        Ok(())
    }

    /// Adds an archive that is named.
    fn file(&mut self, path: &Path) -> Result<(), Reason> {
        // The problem is reported now, since reading the inputs before it may take days.
        if !(self.is_known)(path) {
            let format = self.formats.of(path).map_err(|error| error.reason())?;
            format.check(path, self.params)?;
        }
        self.named.insert(true_name(path));
        self.add(path);
        Ok(())
    }

    /// Adds the WACZ files that a multi-WACZ names.
    fn resources(&mut self, package: &Path, names: &[String]) -> Result<(), Reason> {
        let folder = package.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if names.is_empty() {
            return Err("a multi-WACZ that names no files".into());
        }
        for name in names {
            let path = folder.join(name);
            let looked_at = multi_wacz::check(folder, name).map_err(Reason::from).and_then(|()| self.file(&path));
            if let Err(Reason { reason, within }) = looked_at {
                let (place, path) = (format!("{}: {name}", package.display()), full_name(&path));
                self.problems.push(Problem { place, refused: Refused { path, reason, is_fault: true }, within });
            }
        }
        Ok(())
    }

    /// Adds the archives of a folder, or the folder itself if it has none, and pages; returns how many there are, including those that were
    /// named before.
    fn folder(&mut self, path: &Path) -> Result<usize, Reason> {
        if (self.is_known)(path) {
            self.add(path);
            return Ok(1);
        }
        let before = self.refused.len();
        let count = self.archives_in(path);
        let taker = self.formats.recognise(path, &[]).filter(|_| count == 0);
        let Some(format) = taker else { return Ok(count) };
        format.check(path, self.params).map_err(|reason| Reason { reason, within: self.refused.split_off(before) })?;
        // A packed file deeper between the pages belongs to the site; one beside the first page may be what the user meant, so it is
        // reported.
        let folder = true_name(path);
        let within = self.refused.split_off(before);
        let is_kept = |refused: &Refused| seems_archive(&refused.path) || refused.path.parent() == Some(&folder);
        self.refused.extend(within.into_iter().filter(is_kept));
        self.add(path);
        Ok(1)
    }

    /// Adds the archives of a folder; returns how many it has, including those that were named before.
    fn archives_in(&mut self, folder: &Path) -> usize {
        // Links may lead back up, so each folder is visited once, by its canonical path.
        let mut visited = HashSet::new();
        let mut waiting = vec![folder.to_owned()];
        let (mut count, mut page) = (0, None);
        while let Some(path) = waiting.pop() {
            if !path.is_dir() {
                let is_archive = self.found(&path);
                count += usize::from(is_archive);
                if !is_archive && page.is_none() && has_name_of_page(&path) && path.is_file() {
                    page = Some(path);
                }
                continue;
            }
            if !visited.insert(true_name(&path)) {
                continue;
            }
            if self.formats.recognise_alone(&path, &[]).is_some() {
                count += 1;
                self.add(&path);
                continue;
            }
            let listed = fs::read_dir(&path).and_then(|entries| entries.collect::<std::io::Result<Vec<_>>>());
            match listed {
                Ok(entries) => {
                    let mut below: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
                    // The last folder in the list is visited first.
                    below.sort_by(|a, b| b.cmp(a));
                    waiting.extend(below);
                }
                Err(error) => self.refuse(&path, format!("listing the folder failed: {error}")),
            }
        }
        if let Some(page) = page.filter(|_| count > 0) {
            self.refuse(&page, BESIDE_ARCHIVES.to_owned());
        }
        count
    }

    fn pattern(&mut self, pattern: &Path) -> Result<(), Reason> {
        let text = pattern.to_str().ok_or("no such file or folder, and a pattern must be UTF-8")?;
        let paths = glob::glob(text).map_err(|error| format!("not a pattern: {}", error.msg))?;
        let before = self.refused.len();
        let mut matches = 0;
        let mut count = 0;
        for path in paths {
            matches += 1;
            match path {
                Ok(path) if path.is_dir() => match self.folder(&path) {
                    Ok(found) => count += found,
                    // The other matches are read all the same.
                    Err(Reason { reason, within }) => {
                        self.refuse(&path, reason);
                        self.refused.extend(within);
                    }
                },
                Ok(path) => count += usize::from(self.found(&path)),
                Err(error) => self.refuse(error.path(), format!("listing failed: {}", error.error())),
            }
        }
        match (matches, count) {
            (0, _) => Err("no such file or folder, and nothing matches it as a pattern".into()),
            (_, 0) => {
                let reason = format!("none of the {matches} files it matches is an archive");
                Err(Reason { reason, within: self.refused.split_off(before) })
            }
            _ => Ok(()),
        }
    }

    fn list(&mut self, list: &Path) -> Result<(), Reason> {
        let name = true_name(list);
        if self.open_lists.contains(&name) {
            return Err("the list names itself, or a list that names it".into());
        }
        if self.open_lists.len() == MAX_LIST_DEPTH {
            return Err(format!("lists name lists more than {MAX_LIST_DEPTH} deep").into());
        }
        if !list.exists() {
            return Err("no such list".into());
        }
        if self.lists.contains(&name) {
            return Ok(());
        }
        if self.lists.len() == MAX_LISTS {
            return Err(format!("more than {MAX_LISTS} lists").into());
        }
        self.lists.insert(name.clone());
        let mut text = Vec::new();
        let read = files::open(list).and_then(|file| files::text(file).read_to_end(&mut text));
        read.map_err(|error| format!("reading failed: {error}"))?;
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
        self.open_lists.push(name);
        for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
            let line_of = Line { list, number };
            if let Some(input) = input_of(line.trim_ascii(), list.parent()) {
                self.input(&input, Some(line_of));
            }
        }
        self.open_lists.pop();
        Ok(())
    }

    /// Considers a file that the user did not name. An archive is added. A file that only seems to be an archive, by its name or because it
    /// is compressed or packed, is refused with a reason; other files are ignored.
    fn found(&mut self, path: &Path) -> bool {
        let seems = seems_archive(path);
        if !path.is_file() {
            // Such as a broken link or a pipe.
            if seems {
                self.refuse(
                    path,
                    if path.exists() { "a pipe or device, expected a file" } else { "a link that leads nowhere" }
                        .to_owned(),
                );
            }
            return false;
        }
        if (self.is_known)(path) {
            self.add(path);
            return true;
        }
        let head = match head_of(path) {
            Ok(head) => head,
            Err(error) => {
                self.refuse(path, error.reason());
                return false;
            }
        };
        let format = if head.is_empty() { None } else { self.formats.recognise_alone(path, &head) };
        if let Some(format) = format {
            if let Err(reason) = format.check(path, self.params) {
                self.refuse(path, reason);
                return false;
            }
            if self.add(path) && format.is_index() {
                self.indexes.push((path.to_owned(), format));
            }
            return true;
        }
        let is_packed = packed(&head).is_some() && !is_document(&head);
        if seems || is_packed || Codec::of(&head) != Codec::Plain {
            self.refuse(path, self.formats.no_format_of(path, &head));
        }
        false
    }

    fn refuse(&mut self, path: &Path, reason: String) {
        // A link may lead to something that is not a file.
        let path = if path.is_symlink() {
            std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
        } else {
            full_name(path)
        };
        if self.seen.insert(path.clone()) {
            self.refused.push(Refused { path, reason, is_fault: false });
        }
    }

    /// Adds an archive; true when it is new.
    fn add(&mut self, path: &Path) -> bool {
        let is_new = self.seen.insert(true_name(path));
        if is_new {
            self.archives.push(path.to_owned());
        }
        is_new
    }

    /// Leaves out indexes all of whose archives are among the inputs: the archives have more information, and captures that were left out
    /// of them must not come back through the index.
    fn leave_out_indexes(&mut self) {
        let indexes: Vec<_> = std::mem::take(&mut self.indexes)
            .into_iter()
            .filter(|(path, _)| !self.named.contains(&true_name(path)))
            .collect();
        if indexes.is_empty() {
            return;
        }
        let of_indexes: HashSet<&PathBuf> = indexes.iter().map(|(path, _)| path).collect();
        let others = self.archives.iter().filter(|path| !of_indexes.contains(path));
        let archives = Archives::of(others.map(|path| true_name(path)));
        let mut left_out: HashSet<PathBuf> = HashSet::new();
        for (path, format) in indexes {
            if archives.have_all_of(&true_name(&path), format).unwrap_or(false) {
                left_out.insert(path.clone());
                self.refused.push(Refused { path: full_name(&path), reason: READ_ITSELF.to_owned(), is_fault: false });
            }
        }
        self.archives.retain(|archive| !left_out.contains(archive));
    }
}

/// Why pages are not read in a folder that has archives too.
const BESIDE_ARCHIVES: &str =
    "pages beside archives are not read; give the folder of pages itself to have them read too";

/// True when a file's name is that of a page.
fn has_name_of_page(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_page_ending(&ending_of(&name.to_string_lossy())))
}

/// Parts of file names by which archives are recognized.
const ARCHIVE_NAMES: &[&str] = &["warc", "arc", "wacz", "wat", "wet", "cdx", "cdxj", "parquet", "zim"];

/// True when a file's name looks like that of an archive: `crawl.warc.gz`, `CC-MAIN-0.warc.wet.gz`, `x.warc.gz.open`.
fn seems_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.split('.').skip(1).any(|part| ARCHIVE_NAMES.contains(&part)) || zim::is_part(path)
}

/// The input that a line of a list names; `None` for an empty line or a comment. A comment begins with `#`, at the start of a line or after
/// a blank, unless it is part of the name of a file that exists.
fn input_of(line: &[u8], folder: Option<&Path>) -> Option<OsString> {
    if line.is_empty() || line.starts_with(b"#") {
        return None;
    }
    let comments: Vec<usize> =
        line.windows(2).enumerate().filter(|(_, two)| matches!(*two, [b' ' | b'\t', b'#'])).map(|(at, _)| at).collect();
    let up_to = |end: usize| os_name(line[..end].trim_ascii_end());
    let names = std::iter::once(line.len()).chain(comments.iter().rev().copied()).map(up_to);
    let there = names.into_iter().find(|name| !comments.is_empty() && resolve(name, folder).exists());
    Some(there.unwrap_or_else(|| up_to(comments.first().copied().unwrap_or(line.len()))))
}

/// The list that `@LIST` names, unless a file has this very name.
fn list_name(input: &OsStr) -> Option<OsString> {
    let list = input.as_encoded_bytes().strip_prefix(b"@")?;
    (!Path::new(input).exists()).then(|| os_name(list))
}

/// A name given in bytes, which need not be UTF-8 where the system does not require it.
fn os_name(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).to_owned();
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

/// `name` relative to the list that names it, if such a file exists; else unchanged.
fn resolve(name: &OsStr, folder: Option<&Path>) -> PathBuf {
    let beside = folder.map(|folder| folder.join(name));
    match beside {
        Some(path) if path.exists() || (is_pattern(name) && !Path::new(name).exists()) => path,
        _ => PathBuf::from(name),
    }
}

fn is_pattern(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// The absolute path, whether or not a file is there.
fn full_name(path: &Path) -> PathBuf {
    fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

fn true_name(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, inputs: &[&str]) -> Result<Vec<String>> {
        Ok(all(folder, inputs, false)?.0)
    }

    /// Names, and whether each is a fault.
    type Refusals = Vec<(String, bool)>;

    /// The names of the archives, and, where bad inputs are skipped, the names of those that are refused.
    fn all(folder: &Path, inputs: &[&str], keep_going: bool) -> Result<(Vec<String>, Refusals)> {
        let inputs: Vec<OsString> = inputs
            .iter()
            .map(|input| match input.strip_prefix('@') {
                Some(list) => format!("@{}", folder.join(list).display()).into(),
                None => folder.join(input).into_os_string(),
            })
            .collect();
        let name = |path: PathBuf| path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let found = expand(
            &inputs,
            keep_going,
            &|_| false,
            (Formats(crate::archive::FORMATS), Indexes::BesideNothing, &Params::default()),
        )?;
        let refused = found.refused.into_iter().map(|refused| (name(refused.path), refused.is_fault)).collect();
        Ok((found.archives.into_iter().map(name).collect(), refused))
    }

    fn sample() -> tempfile::TempDir {
        let folder = tempfile::Builder::new().tempdir_in(true_name(&std::env::temp_dir())).expect("a folder");
        let put = |name: &str, data: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, data).expect("a file");
        };
        put("b.warc", "WARC/1.0\r\n");
        put("a.data", "WARC/1.1\r\n");
        put("deep/c.arc", "filedesc://x 0.0.0.0 20140301000000 text/plain 0\n");
        put("deep/notes.txt", "nothing");
        put("deep/empty.warc", "");
        put("mirror/hts-cache/new.txt", "");
        put("mirror/ex.org/index.html", "<html>");
        put("none/notes.txt", "nothing");
        put("site/en/a.html", "<p>x");
        put("wget/ex.org/a.html", "<p>x");
        put("list.txt", "# all of them\n\nb.warc # the first\nde*/*\n@more.txt\n");
        put("more.txt", "mirror\nb.warc\n");
        put("loop.txt", "@loop.txt\n");
        folder
    }

    #[test]
    fn a_folder_stands_for_the_archives_in_it() {
        let folder = sample();
        assert_eq!(names(folder.path(), &["."]).expect("all"), ["a.data", "b.warc", "deep/c.arc", "mirror"]);
        assert_eq!(names(folder.path(), &["mirror"]).expect("one"), ["mirror"]);
        // Pages are read where there is nothing else.
        assert_eq!(names(folder.path(), &["wget"]).expect("one"), ["wget"]);
        assert_eq!(names(folder.path(), &["wget/*"]).expect("one"), ["wget/ex.org"]);
        // A folder that was read before is not looked into.
        let expand = |is_known: &dyn Fn(&Path) -> bool| {
            let inputs = [folder.path().join("site").into_os_string()];
            let formats = (Formats(crate::archive::FORMATS), Indexes::All, &Params::default());
            super::expand(&inputs, false, is_known, formats).map(|found| found.archives)
        };
        assert_eq!(expand(&|_| true).expect("one"), [folder.path().join("site")]);
        assert!(expand(&|_| false).is_err());
    }

    #[test]
    fn a_folder_whose_pages_have_no_address_does_not_hide_what_else_a_pattern_matches() {
        let folder = sample();
        let (archives, refused) = all(folder.path(), &["[b-w]*"], false).expect("the others");
        assert_eq!(archives, ["b.warc", "deep/c.arc", "mirror", "wget"]);
        assert_eq!(refused, ["deep/empty.warc", "site"].map(|name| (name.to_owned(), false)));
        let error = names(folder.path(), &["s*"]).expect_err("no address").to_string();
        assert!(error.contains("none of the 1 files") && error.contains("nothing says which addresses"), "{error}");
    }

    #[test]
    fn what_seems_an_archive_between_pages_is_told() {
        let folder = sample();
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, bytes).expect("room on the disk");
        };
        put("wget/crawl.tar.gz", &[0x1f, 0x8b, 8, 0, 9, 9]);
        put("wget/site.7z", b"7z\xbc\xaf\x27\x1c");
        put("wget/ex.org/old.warc.gz", &[0x1f, 0x8b, 8, 0, 9, 9]);
        put("wget/ex.org/load/program.zip", b"PK\x03\x04");
        let (archives, refused) = all(folder.path(), &["wget"], false).expect("a folder of pages");
        assert_eq!(archives, ["wget"]);
        let told = ["wget/crawl.tar.gz", "wget/ex.org/old.warc.gz", "wget/site.7z"];
        assert_eq!(refused, told.map(|name| (name.to_owned(), false)));
    }

    #[test]
    fn pages_beside_archives_are_told_once() {
        let folder = sample();
        let (_, refused) = all(folder.path(), &["."], false).expect("archives");
        assert_eq!(refused, ["deep/empty.warc", "site/en/a.html"].map(|name| (name.to_owned(), false)));
        let (archives, refused) = all(folder.path(), &["mirror", "wget"], false).expect("two");
        assert_eq!((archives.len(), refused.len()), (2, 0), "pages of a mirror are read");
    }

    #[test]
    fn files_patterns_and_lists_keep_their_order() {
        let folder = sample();
        assert_eq!(names(folder.path(), &["b.warc", "*.data", "b.warc"]).expect("two"), ["b.warc", "a.data"]);
        assert_eq!(names(folder.path(), &["@list.txt"]).expect("three"), ["b.warc", "deep/c.arc", "mirror"]);
    }

    #[test]
    fn what_is_missing_says_so() {
        let folder = sample();
        for (input, problem) in [
            ("gone.warc", "no such file or folder"),
            ("none", "the folder holds neither"),
            ("site", "nothing says which addresses its pages have"),
            ("gone*", "nothing matches"),
            ("none/*", "none of the 1 files"),
            ("@gone.txt", "no such list"),
            ("@loop.txt", "loop.txt:1: @loop.txt: the list names itself"),
        ] {
            let error = names(folder.path(), &[input]).expect_err(input).to_string();
            assert!(error.contains(problem), "{input}: {error}");
        }
    }

    #[test]
    fn a_multi_wacz_stands_for_the_files_that_it_names() {
        let folder = sample();
        let package = |names: &[&str]| {
            let resources: Vec<String> = names.iter().map(|name| format!("{{\"path\": \"{name}\"}}")).collect();
            let text = format!("{{\"profile\": \"multi-wacz-package\", \"resources\": [{}]}}", resources.join(","));
            fs::write(folder.path().join("multi.json"), text).expect("a file");
        };
        package(&["b.warc", "deep/c.arc", "b.warc"]);
        assert_eq!(names(folder.path(), &["multi.json"]).expect("two"), ["b.warc", "deep/c.arc"]);
        package(&["b.warc", "../x.wacz", "https://ex.org/y.wacz", "multi.json"]);
        let error = names(folder.path(), &["multi.json"]).expect_err("files elsewhere").to_string();
        for part in ["3 inputs", "../x.wacz: cannot be opened", "y.wacz: lies elsewhere", "multi.json: found a file"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        package(&[]);
        assert!(names(folder.path(), &["multi.json"]).is_err());
    }

    #[test]
    fn lists_are_each_read_once_and_only_so_deep() {
        let folder = sample();
        // Each list names the next one 20 times; read as often as they are named, these would be 20 to the power of 7 inputs.
        for depth in 0..9 {
            let lines = if depth < 7 { format!("@{}.txt\n", depth + 1).repeat(20) } else { "b.warc\n".repeat(20) };
            fs::write(folder.path().join(format!("{depth}.txt")), lines).expect("room on the disk");
            fs::write(folder.path().join(format!("d{depth}.txt")), format!("@d{}.txt\n", depth + 1)).expect("a file");
        }
        assert_eq!(names(folder.path(), &["@0.txt", "@./0.txt"]).expect("one"), ["b.warc"]);
        let error = names(folder.path(), &["@d0.txt"]).expect_err("too deep").to_string();
        assert!(error.contains("d7.txt:1: @d8.txt: lists name lists more than 8 deep"), "{error}");
    }

    #[test]
    fn a_found_file_that_seems_an_archive_is_refused_and_others_are_passed_over() {
        let folder = sample();
        fs::write(folder.path().join("deep/log.gz"), [0x1f, 0x8b, 8, 0, 9, 9]).expect("a file");
        let (archives, refused) = all(folder.path(), &["deep"], false).expect("one archive");
        assert_eq!(archives, ["deep/c.arc"]);
        assert_eq!(refused, [("deep/empty.warc".to_owned(), false), ("deep/log.gz".to_owned(), false)]);
        let (_, refused) = all(folder.path(), &["deep/*", "deep"], false).expect("one archive");
        assert_eq!(refused.len(), 2, "each once");
        fs::remove_file(folder.path().join("deep/c.arc")).expect("it is there");
        let error = names(folder.path(), &["deep"]).expect_err("nothing to read").to_string();
        assert!(error.contains("holds neither") && error.contains("empty.warc: found an empty file"), "{error}");
    }

    #[test]
    fn all_bad_inputs_are_told_at_once_or_passed_over() {
        let folder = sample();
        fs::write(folder.path().join("bad.txt"), "b.warc\ngone.warc\ndeep/empty.warc # no bytes\n").expect("a file");
        let error = names(folder.path(), &["@bad.txt", "none"]).expect_err("three bad inputs").to_string();
        for part in [
            "3 inputs: ",
            "bad.txt:2: gone.warc: no such file",
            "bad.txt:3: deep/empty.warc: found an empty file",
            "holds neither",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        let (archives, refused) = all(folder.path(), &["@bad.txt", "none"], true).expect("one archive");
        assert_eq!(archives, ["b.warc"]);
        assert_eq!(refused.len(), 3);
        assert!(refused.iter().all(|(_, is_fault)| *is_fault) && refused[1].0 == "deep/empty.warc", "{refused:?}");
    }

    #[test]
    fn a_comment_does_not_begin_within_the_name_of_a_file() {
        let folder = sample();
        fs::write(folder.path().join("a #1.warc"), "WARC/1.0\r\n").expect("a file");
        fs::write(folder.path().join("x.txt"), "a #1.warc\na #1.warc # again\nb.warc\t# a tab\n# b #1\n")
            .expect("a file");
        assert_eq!(names(folder.path(), &["@x.txt"]).expect("two"), ["a #1.warc", "b.warc"]);
    }

    #[test]
    fn an_index_beside_all_its_archives_is_left_out_unless_it_is_named() {
        let folder = sample();
        let line = |file: &str| {
            format!("test,ex)/ 20240101000000 {{\"url\": \"http://ex.test/\", \"filename\": \"{file}\"}}\n")
        };
        let put = |name: &str, lines: &[&str]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, lines.iter().map(|file| line(file)).collect::<String>()).expect("a file");
        };
        put("deep/c.cdxj", &["c.arc", "crawl/c.arc", "c.arc"]);
        put("part.cdxj", &["c.arc", "gone.arc"]);
        put("none.cdxj", &[""]);
        put("set/indexes/index.cdxj", &["d.warc"]);
        fs::create_dir(folder.path().join("set/archive")).expect("a folder");
        fs::write(folder.path().join("set/archive/d.warc"), "WARC/1.0\r\n").expect("a file");
        let (archives, refused) = all(folder.path(), &["."], false).expect("archives");
        let read = ["a.data", "b.warc", "deep/c.arc", "mirror", "none.cdxj", "part.cdxj", "set/archive/d.warc"];
        assert_eq!(archives, read);
        let left_out = ["deep/empty.warc", "site/en/a.html", "deep/c.cdxj", "set/indexes/index.cdxj"];
        assert_eq!(refused, left_out.map(|name| (name.to_owned(), false)));
        // The archive of the index is given by another input; it need not be new.
        assert_eq!(names(folder.path(), &["deep/*.cdxj", "deep/c.arc"]).expect("one"), ["deep/c.arc"]);
        // The index is named, or its archive is not among the inputs.
        for inputs in [["deep/c.cdxj", "deep"], ["deep", "deep/c.cdxj"]] {
            let mut archives = names(folder.path(), &inputs).expect("two");
            archives.sort();
            assert_eq!(archives, ["deep/c.arc", "deep/c.cdxj"]);
        }
        assert_eq!(names(folder.path(), &["deep/*.cdxj"]).expect("one"), ["deep/c.cdxj"]);
        // Files of the same name in two folders are different archives.
        put("twins/index.cdxj", &["x/e.warc", "y/e.warc"]);
        for (name, left) in [("twins/x/e.warc", true), ("twins/y/e.warc", false)] {
            fs::create_dir_all(folder.path().join(name).parent().expect("a parent")).expect("a folder");
            fs::write(folder.path().join(name), "WARC/1.0\r\n").expect("a file");
            let found = names(folder.path(), &["twins"]).expect("archives");
            assert_eq!(found.contains(&"twins/index.cdxj".to_owned()), left, "{found:?}");
        }
        let with_indexes = super::super::expand_with_indexes(&[folder.path().join("twins").into()]);
        assert_eq!(with_indexes.expect("archives").archives.len(), 3, "captures are looked up in indexes");
        put("below/c.cdxj", &["c.arc"]);
        assert_eq!(names(folder.path(), &["deep/c.arc", "below"]).expect("two"), ["deep/c.arc", "below/c.cdxj"]);
    }

    #[cfg(unix)]
    #[test]
    fn names_need_not_be_utf_8() {
        let folder = sample();
        let name = folder.path().join(os_name(b"\xff.warc"));
        fs::write(&name, "WARC/1.0\r\n").expect("a file");
        fs::write(folder.path().join("x.txt"), b"\xff.warc\n").expect("a file");
        let list = OsString::from(format!("@{}", folder.path().join("x.txt").display()));
        let found = expand(
            &[list, name.clone().into()],
            false,
            &|_| false,
            (Formats(crate::archive::FORMATS), Indexes::BesideNothing, &Params::default()),
        );
        assert_eq!(found.expect("one").archives, [name]);
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_up_do_not_loop() {
        let folder = sample();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("deep/up")).expect("a link");
        assert_eq!(names(folder.path(), &["deep"]).expect("archives").len(), 4);
    }
}
