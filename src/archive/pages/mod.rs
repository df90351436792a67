//! Folders of pages: what `wget -m`, curl or SiteSucker have saved, an unpacked export, or pages that a browser has saved.
//!
//! The URL of a page is the one that was noted in it when it was saved ([`notes`], or in MHTML, [`mhtml`]); else it follows from the path
//! of its file ([`names`]). In the folder of a host, a note of a browser that has no date is older than the mirror, so the path counts
//! before the note. Links to files of the folder are turned back into URLs. Reading is lazy: the files are listed, and each is read when it
//! comes up.
//!
//! The offset of a record is the number of its file in the order of their paths, and its length is that of the file. Entries that are no
//! files come after all files, since they are no part of what identifies the folder. A position is the number of files read, together with
//! a hash of the base URL if the addresses follow from it: with another base URL, the rest would not belong to the pages that were read
//! before.
//!
//! As with mirrors of HTTrack, only regular files below the folder are read, and symbolic links are not followed; everything else is
//! skipped as [`SkipReason::FileNotRead`].

mod mhtml;
pub(super) mod names;
mod notes;
mod single;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::format::{Archive, Format, Item, Params};
use super::head::read_up_to;
use super::links;
use super::mime::{ending_of, is_other_ending, is_page_ending, looks_like_markup};
use super::position::Base;
use crate::error::{Error, Result};
use crate::files;
use crate::types::{RawRecord, Skip, SkipReason};
use names::Names;
use notes::{NOTE_BYTES, Note};
pub(super) use single::PageFormat;
use single::Place;

/// The name of the format of folders of pages, which stores keep.
pub const NAME: &str = "folder of pages";

/// The format of folders of pages.
pub(super) struct PagesFormat;

/// How many entries of a folder are examined at most to find a page in it.
const LOOKED_AT: usize = 1 << 20;
/// How many pages are opened at most to find one that notes its URL.
const LOOKED_INTO: usize = 100;

impl Format for PagesFormat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn takes_pages(&self) -> bool {
        true
    }

    fn recognises(&self, path: &Path, _head: &[u8]) -> bool {
        path.is_dir() && pages_of(path).next().is_some()
    }

    fn origin(&self, path: &Path) -> Option<String> {
        names::host_of_folder(path)
    }

    fn check(&self, path: &Path, params: &Params) -> std::result::Result<(), String> {
        let names = Names::new(path, params.base_url.as_deref())?;
        for (at, page) in pages_of(path).enumerate() {
            let has_note =
                || head_of(path, &page.path()).is_ok_and(|head| mhtml::begins(&head) || Note::find(&head).is_some());
            if names.url_of(&page.name, false).is_some() || (at < LOOKED_INTO && has_note()) {
                return Ok(());
            }
        }
        Err("nothing says which addresses its pages have: no folder in it has the name of a host (example.org/…), and none is \
             noted in the pages; say from where it was saved, as in `--base-url https://example.org/`"
            .to_owned())
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        let of_input = |problem| Error::input(path.display().to_string(), problem);
        let names = Names::new(path, params.base_url.as_deref()).map_err(of_input)?;
        let (mut files, mut others) = (Vec::new(), Vec::new());
        for met in Walk::new(path) {
            match met {
                Met::File(file) => files.push(file),
                Met::Other(name, why) => others.push((name, why)),
            }
        }
        // Two paths may have the same name, because bytes that are not UTF-8 are escaped in names.
        files.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.path.cmp(&b.path)));
        others.sort();
        let has_queries = files.iter().any(|file| file.name.contains('?'));
        // A base counts only where addresses follow from it.
        let counts = files.iter().any(|file| names.follows_from_base(&file.name));
        let base = Base::new(params.base_url.as_deref().filter(|_| counts));
        let next = base.count(position).map_err(of_input)?;
        let next = usize::try_from(next).unwrap_or(usize::MAX).min(files.len() + others.len());
        let (root, max_bytes) = (path.to_owned(), params.max_record_bytes);
        Ok(Box::new(Pages { root, files, others, names, has_queries, base, next, max_bytes }))
    }
}

/// Something below the folder.
#[derive(Debug)]
enum Met {
    File(Saved),
    /// Something that is not read: its path below the folder, parts joined by `/`, and the reason.
    Other(String, String),
}

/// A file of the folder.
#[derive(Debug)]
struct Saved {
    /// Its path below the folder, parts joined by `/`; what is not UTF-8 in it is escaped as in URLs.
    name: String,
    /// The path of the file below the folder, where it differs from the name.
    path: Option<Box<Path>>,
    bytes: u64,
    modified_ms: i64,
}

impl Saved {
    /// Its path below the folder.
    fn path(&self) -> PathBuf {
        self.path.as_deref().unwrap_or(Path::new(&self.name)).to_owned()
    }

    /// True for a name that only pages have.
    fn is_page(&self) -> bool {
        is_page_ending(&ending_of(&self.name))
    }
}

/// The pages in a folder: the files that have the name of a page, or else those among the first files that begin like one.
fn pages_of(root: &Path) -> impl Iterator<Item = Saved> {
    let files = Walk::new(root).take(LOOKED_AT).filter_map(|met| match met {
        Met::File(file) => Some(file),
        Met::Other(..) => None,
    });
    let mut looked = 0;
    files.filter(move |file| {
        let ending = ending_of(&file.name);
        if file.is_page() || mhtml::ENDINGS.contains(&ending.as_str()) {
            return true;
        }
        looked += usize::from(!is_other_ending(&ending));
        let begins_as_page = || head_of(root, &file.path()).is_ok_and(|head| looks_like_markup(&head));
        !is_other_ending(&ending) && looked <= LOOKED_INTO && begins_as_page()
    })
}

/// Walks a folder, without following links.
struct Walk {
    root: PathBuf,
    /// Folders that were not listed yet, as paths below the root, and their names.
    folders: Vec<(PathBuf, String)>,
    met: Vec<Met>,
}

impl Walk {
    fn new(root: &Path) -> Walk {
        Walk { root: root.to_owned(), folders: vec![(PathBuf::new(), String::new())], met: Vec::new() }
    }

    fn list(&mut self, folder: &Path, above: &str) -> io::Result<()> {
        let mut entries = fs::read_dir(self.root.join(folder))?.collect::<io::Result<Vec<_>>>()?;
        // The walk takes the last entries of the list first. Without sorting, the file system would decide which entries are examined.
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
        for entry in entries {
            let last = entry.file_name();
            let name = above.to_owned() + &escaped(&last);
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.folders.push((folder.join(&last), name + "/"));
            } else if kind.is_file() {
                let metadata = entry.metadata()?;
                let modified_ms = files::modified_ms(&metadata);
                let path = folder.join(&last);
                let path = (path.to_str() != Some(&name)).then(|| path.into_boxed_path());
                self.met.push(Met::File(Saved { name, path, bytes: metadata.len(), modified_ms }));
            } else {
                let what =
                    if kind.is_symlink() { "a symbolic link, which is not followed" } else { "a pipe or device" };
                self.met.push(Met::Other(name, what.to_owned()));
            }
        }
        Ok(())
    }
}

impl Iterator for Walk {
    type Item = Met;

    fn next(&mut self) -> Option<Met> {
        while self.met.is_empty() {
            let (folder, name) = self.folders.pop()?;
            if let Err(error) = self.list(&folder, &name) {
                self.met.push(Met::Other(name, error.to_string()));
            }
        }
        self.met.pop()
    }
}

/// A name, with the bytes that are not UTF-8 escaped as in URLs.
fn escaped(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

/// The first bytes of a file.
fn head_of(root: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let mut head = vec![0; NOTE_BYTES];
    let count = read_up_to(&mut files::open_below(root, path)?, &mut head)?;
    head.truncate(count);
    Ok(head)
}

/// A folder being read.
struct Pages {
    root: PathBuf,
    /// In the order of their names.
    files: Vec<Saved>,
    /// The entries that are not read, each with the reason.
    others: Vec<(String, String)>,
    names: Names,
    /// Whether the names of files have queries behind `?`. If so, an `@` in a name does not stand for a `?`.
    has_queries: bool,
    base: Base,
    next: usize,
    max_bytes: u64,
}

impl Pages {
    fn item(&self, ordinal: usize) -> Option<Item> {
        let Some(after) = ordinal.checked_sub(self.files.len()) else {
            return Some(self.of_file(ordinal, &self.files[ordinal]));
        };
        let (name, why) = self.others.get(after)?;
        let (reason, detail) = (SkipReason::FileNotRead, format!("{name}: {why}"));
        Some(Item::Skip(Skip { reason, offset: ordinal as u64, length: 0, url: String::new(), detail }))
    }

    fn of_file(&self, ordinal: usize, file: &Saved) -> Item {
        let url = self.url_of(&file.name);
        let skip = |reason, detail| {
            let url = url.clone().unwrap_or_default();
            Item::Skip(Skip { reason, offset: ordinal as u64, length: file.bytes, url, detail })
        };
        // `wget -K` keeps such a copy beside each page whose links it changed.
        if file.name.strip_suffix(".orig").is_some_and(|changed| self.has(changed)) {
            return skip(SkipReason::NotHtml, "kept beside the page in which links were changed".to_owned());
        }
        if is_other_ending(&ending_of(&file.name)) {
            return skip(SkipReason::NotHtml, ending_of(&file.name));
        }
        if file.bytes > self.max_bytes {
            return skip(SkipReason::TooLong, format!("{} bytes, the limit is {}", file.bytes, self.max_bytes));
        }
        let bytes = match self.read(&file.path()) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return skip(SkipReason::TooLong, format!("grown past the limit of {}", self.max_bytes)),
            // If one file cannot be read, the others may still be.
            Err(error) => return skip(SkipReason::FileNotRead, format!("{}: {error}", file.name)),
        };
        if mhtml::begins(&bytes[..bytes.len().min(NOTE_BYTES)]) {
            let place = Place { offset: ordinal as u64, length: file.bytes, modified_ms: file.modified_ms };
            return single::of_mhtml(&bytes, place, url.clone());
        }
        let note = Note::find(&bytes[..bytes.len().min(NOTE_BYTES)]);
        let date_ms = note.as_ref().map(|note| note.date_ms).filter(|date| *date != 0).unwrap_or(file.modified_ms);
        let note = note.filter(|note| note.date_ms != 0 || !self.names.is_of_host(&file.name));
        let Some(url) = note.map(|note| note.url).or(url.clone()) else {
            let detail = format!("{}: in no folder of a host; `--base-url` says from where it was saved", file.name);
            return skip(SkipReason::FileNotRead, detail);
        };
        // `wget --save-headers` writes the headers of the response before the page.
        let http = bytes.starts_with(b"HTTP/1.");
        let content_type = (file.is_page() && !http).then(|| "text/html".to_owned());
        // Where the folder is that of a single host, links may lead to the folders of other hosts beside it.
        let local = self.names.host_of_root().map(|host| format!("{host}/{}", file.name));
        let block = links::restore(&bytes, local.as_ref().unwrap_or(&file.name), &|path, escaped, query| {
            self.linked(path, query).or_else(|| self.linked(escaped, query))
        });
        Item::Record(RawRecord {
            url,
            date_ms,
            offset: ordinal as u64,
            length: file.bytes,
            http,
            content_type,
            block,
            ..RawRecord::default()
        })
    }

    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        files::open_below(&self.root, path)?.take(self.max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= self.max_bytes))
    }

    fn has(&self, name: &str) -> bool {
        self.files.binary_search_by(|file| file.name.as_str().cmp(name)).is_ok()
    }

    /// The URL that the name of a file stands for.
    fn url_of(&self, name: &str) -> Option<String> {
        // wget appends a number to the name of a file that it fetched again.
        let first = name.rsplit_once('.').filter(|(first, number)| {
            !number.is_empty() && number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit()) && self.has(first)
        });
        self.names.url_of(first.map_or(name, |(first, _)| first), !self.has_queries)
    }

    /// The URL of the file that a link names.
    fn linked(&self, path: &str, query: &str) -> Option<String> {
        let name = format!("{path}{query}");
        let Some(host) = self.names.host_of_root() else { return self.url_of(&name).filter(|_| self.has(&name)) };
        match name.strip_prefix(host).and_then(|rest| rest.strip_prefix('/')) {
            Some(name) => self.url_of(name).filter(|_| self.has(name)),
            None if self.names.is_of_host(&name) => self.url_of(&name),
            None => None,
        }
    }
}

impl Archive for Pages {
    fn next(&mut self) -> Result<Option<Item>> {
        let item = self.item(self.next);
        self.next += usize::from(item.is_some());
        Ok(item)
    }

    fn position(&self) -> u64 {
        self.base.position(self.next as u64)
    }

    fn end(&self) -> Option<u64> {
        Some((self.files.len() + self.others.len()) as u64)
    }

    fn progress(&self) -> u64 {
        self.next as u64
    }
}

/// True for an address from which a folder of pages can have been saved.
pub fn is_base_url(text: &str) -> bool {
    names::base_url(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{FORMATS, fingerprint, format_of, open};

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    fn items(root: &Path, position: u64, params: &Params) -> Vec<(Item, u64)> {
        let mut archive = open(root, position, params).expect("a folder of pages");
        let mut items = Vec::new();
        while let Some(item) = archive.next().expect("readable") {
            items.push((item, archive.position()));
            assert!(items.len() < 100);
        }
        assert_eq!(archive.end(), Some(archive.progress()));
        items
    }

    /// URLs and texts of the pages, and details of what is left out.
    fn told(root: &Path, params: &Params) -> Vec<String> {
        let told = |(item, _)| match item {
            Item::Record(record) => format!("{} {}", record.url, String::from_utf8_lossy(&record.block)),
            Item::Skip(skip) => skip.detail,
        };
        items(root, 0, params).into_iter().map(told).collect()
    }

    #[test]
    fn pages_have_the_urls_of_their_paths_and_links_to_them_too() {
        let folder = folder(&[
            ("ex.org/index.html", "<a href=fr/index.html><a href='page%3Fx=1.html#a'><a href=gone.html><a href='/'>"),
            ("ex.org/page?x=1.html", "<a href=index.html>"),
            ("ex.org/page?x=1.html.1", "<p>again"),
            ("ex.org/fr/index.html.orig", "<p>fr"),
            ("ex.org/fr/index.html", "<p>fr"),
            ("ex.org/a.css", "p {}"),
            ("robots.txt", ""),
            ("top.html", "<p>top"),
        ]);
        assert_eq!(format_of(folder.path()).expect("known").name(), "folder of pages");
        let expected = [
            "css",
            "http://ex.org/fr/ <p>fr",
            "kept beside the page in which links were changed",
            "http://ex.org/ <a href=\"http://ex.org/fr/\"><a href=\"http://ex.org/page?x=1#a\"><a href=gone.html><a href='/'>",
            "http://ex.org/page?x=1 <a href=\"http://ex.org/\">",
            "http://ex.org/page?x=1 <p>again",
            "txt",
            "top.html: in no folder of a host; `--base-url` says from where it was saved",
        ];
        assert_eq!(told(folder.path(), &Params::default()), expected);
        let items = items(folder.path(), 0, &Params::default());
        assert!(
            items.iter().all(|(item, _)| !matches!(item, Item::Record(record) if record.date_ms < 1_700_000_000_000))
        );
        for (done, (_, position)) in items.iter().enumerate() {
            assert_eq!(self::items(folder.path(), *position, &Params::default()), items[done + 1..]);
        }
    }

    #[test]
    fn a_base_is_needed_where_nothing_else_says_the_addresses() {
        let folder = folder(&[("en/a.html", "<p>en"), ("fr/a.html", "<p>fr")]);
        let with = |base: Option<&str>| Params { base_url: base.map(str::to_owned), ..Params::default() };
        let problem = PagesFormat.check(folder.path(), &with(None)).expect_err("no address");
        assert!(problem.contains("--base-url https://example.org/"), "{problem}");
        assert!(PagesFormat.check(folder.path(), &with(Some("x"))).is_err());
        let base = with(Some("https://ex.org/docs"));
        PagesFormat.check(folder.path(), &base).expect("addresses");
        assert_eq!(
            told(folder.path(), &base),
            ["https://ex.org/docs/en/a.html <p>en", "https://ex.org/docs/fr/a.html <p>fr"]
        );
        let (_, position) = items(folder.path(), 0, &base)[0];
        assert_eq!(items(folder.path(), position, &base).len(), 1);
        let other =
            open(folder.path(), position, &with(Some("https://else.org/"))).map(|_| ()).expect_err("another base");
        assert!(other.to_string().contains("another `--base-url`"), "{other}");
        // The scheme of hosts follows from a base too.
        let hosts = self::folder(&[("ex.org/a.html", "<p>a"), ("ex.org/b.html", "<p>b")]);
        let base = with(Some("https://ex.org/"));
        assert_eq!(told(hosts.path(), &base), ["https://ex.org/a.html <p>a", "https://ex.org/b.html <p>b"]);
        let position = items(hosts.path(), 0, &base)[0].1;
        for (other, is_same) in [(None, false), (Some("http://ex.org/"), false), (Some("https://ex.org/"), true)] {
            assert_eq!(open(hosts.path(), position, &with(other)).is_ok(), is_same, "{other:?}");
        }
        let position = items(hosts.path(), 0, &with(None))[0].1;
        assert!(open(hosts.path(), position, &with(Some("https://else.org/"))).is_ok());
    }

    #[test]
    fn the_first_pages_are_those_of_the_first_names() {
        let folder = folder(&[
            ("c/1.html", ""),
            ("b.html", ""),
            ("a/2.html", ""),
            ("d.html", ""),
            ("a/1.html", ""),
            ("c/0.html", ""),
        ]);
        let names: Vec<String> = pages_of(folder.path()).map(|page| page.name).collect();
        assert_eq!(names, ["b.html", "d.html", "a/1.html", "a/2.html", "c/0.html", "c/1.html"]);
    }

    #[test]
    fn folders_of_two_hosts_are_two_archives_whatever_they_hold() {
        let folder =
            folder(&[("a.org/x.html", "<p>"), ("b.org/x.html", "<p>"), ("c/x.html", "<p>"), ("d/x.html", "<p>")]);
        let of = |name: &str| fingerprint(&folder.path().join(name), &|_| Ok(())).expect("readable");
        assert!(of("a.org") != of("b.org") && of("a.org") != of("c"));
        assert_eq!(of("c"), of("d"));
        std::fs::rename(folder.path().join("b.org"), folder.path().join("A.org")).expect("a folder");
        assert_eq!(of("a.org"), of("A.org"));
    }

    #[test]
    fn notes_in_pages_and_saved_headers_count() {
        let folder = folder(&[
            ("a.html", "<!-- saved from url=(0016)https://ex.org/a --><p>x"),
            (
                "m.mht",
                "A: b\nMIME-Version: 1\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\
                Content-Location: http://ex.org/m\n\n<p>m\n--b--\n",
            ),
            ("b.org/h.html", "HTTP/1.1 404 Not Found\r\n\r\n<p>x"),
        ]);
        PagesFormat.check(folder.path(), &Params::default()).expect("addresses");
        let items = items(folder.path(), 0, &Params::default());
        let Item::Record(first) = &items[0].0 else { panic!("a page") };
        assert_eq!((first.url.as_str(), first.http), ("https://ex.org/a", false));
        let Item::Record(second) = &items[1].0 else { panic!("a response") };
        assert!(second.http && second.content_type.is_none());
        let Item::Record(third) = &items[2].0 else { panic!("a page in MHTML") };
        assert_eq!((third.url.as_str(), third.block.as_slice()), ("http://ex.org/m", b"<p>m".as_slice()));
        // A site may have pages that its owner once saved from elsewhere.
        let note = "<!-- saved from url=(0017)http://old.org/a -->";
        let single = "<!-- SingleFile\n url: http://new.org/\n saved date: Sat Nov 28 2026 12:00:00 GMT+0100 -->";
        let mirror = self::folder(&[("ex.org/a.html", note), ("ex.org/b.html", single)]);
        let expected = [format!("http://ex.org/a.html {note}"), format!("http://new.org/ {single}")];
        assert_eq!(told(mirror.path(), &Params::default()), expected);
    }

    #[test]
    fn a_folder_of_a_host_knows_those_beside_it() {
        let folder = folder(&[("en.ex.org/a.html", "<a href=../fr.ex.org/a.html><a href=a.html><a href=../x/a.html>")]);
        let expected = "http://en.ex.org/a.html <a href=\"http://fr.ex.org/a.html\"><a href=\"http://en.ex.org/a.html\">\
            <a href=../x/a.html>";
        assert_eq!(told(&folder.path().join("en.ex.org"), &Params::default()), [expected]);
    }

    #[test]
    fn folders_without_pages_are_none() {
        let empty =
            folder(&[("notes.txt", "<p>"), ("data", "x"), ("tool.py", "print()"), ("a.php", "x"), ("b.exe", "MZ")]);
        assert!(format_of(empty.path()).is_err());
        for name in ["ex.org/view?id=1", "ex.org/view.php"] {
            let dynamic = folder(&[(name, "<p>x")]);
            assert_eq!(format_of(dynamic.path()).expect("a page").name(), "folder of pages");
        }
        assert_eq!(FORMATS.iter().filter(|format| format.takes_pages()).count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_odd_names_stay_in_the_folder() {
        use std::os::unix::ffi::OsStrExt;
        let folder = folder(&[("ex.org/a.html", "<a href='%E9.html'>")]);
        let at = |name: &[u8]| folder.path().join("ex.org").join(OsStr::from_bytes(name));
        fs::write(at(b"\xe9.html"), "<p>odd").expect("a file");
        std::os::unix::fs::symlink(folder.path(), at(b"UP")).expect("a link");
        let expected = [
            "http://ex.org/%E9.html <p>odd",
            "http://ex.org/a.html <a href=\"http://ex.org/%E9.html\">",
            "ex.org/UP: a symbolic link, which is not followed",
        ];
        assert_eq!(told(folder.path(), &Params::default()), expected);
        // Another symbolic link does not make another folder, so it must not change the numbers of the files in it.
        let before = (items(folder.path(), 0, &Params::default()), fingerprint(folder.path(), &|_| Ok(())));
        std::os::unix::fs::symlink(folder.path(), at(b"A")).expect("a link");
        let after = (items(folder.path(), 0, &Params::default()), fingerprint(folder.path(), &|_| Ok(())));
        assert_eq!(
            (before.0[..2].to_vec(), before.1.expect("readable")),
            (after.0[..2].to_vec(), after.1.expect("readable"))
        );
    }
}
