//! The saved files of a mirror: the URL from which each came, and its page without HTTrack's changes.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use memchr::memmem;

use super::cache::with_scheme;
use crate::archive::head::read_up_to;
use crate::archive::links;
use crate::archive::mime::{ending_of, is_other_ending};
use crate::error::{Error, Result};
use crate::files;
use crate::types::SkipReason;

/// How many bytes of a page are searched for HTTrack's note, which stands before the head.
const NOTE_BYTES: usize = 16 << 10;
/// A file of the mirror.
#[derive(Debug, Default)]
pub(super) struct SavedFile {
    /// Its path below the mirror's folder, parts joined by `/`.
    pub(super) path: String,
    pub(super) url: String,
    pub(super) bytes: u64,
    /// When it was fetched; 0 where it does not say.
    pub(super) date_ms: i64,
    /// The reason why it is not a page.
    pub(super) refusal: Option<(SkipReason, String)>,
}

impl SavedFile {
    /// Stands for something below the mirror's folder that is not read. It has no URL.
    pub(super) fn refused(path: &str, why: &io::Error) -> SavedFile {
        let refusal = Some((SkipReason::FileNotRead, format!("{path}: {why}")));
        SavedFile { path: path.to_owned(), refusal, ..SavedFile::default() }
    }
}

/// HTTrack's note in a page: `<!-- Mirrored from ADDRESS by HTTrack …, DATE -->`.
#[derive(Debug, PartialEq, Eq)]
struct Note {
    url: String,
    date_ms: i64,
}

const NOTE_START: &[u8] = b"<!-- Mirrored from ";

impl Note {
    fn find(bytes: &[u8]) -> Option<Note> {
        memmem::find_iter(bytes, NOTE_START).find_map(|at| {
            let text = &bytes[at + NOTE_START.len()..];
            let text = String::from_utf8_lossy(&text[..memmem::find(text, b"-->")?]).into_owned();
            let (url, rest) = text.rsplit_once(" by HTTrack")?;
            let date = rest.rsplit_once("], ").map_or("", |(_, date)| date.trim());
            let date = jiff::fmt::rfc2822::parse(date);
            Some(Note { url: with_scheme(url), date_ms: date.map_or(0, |date| date.timestamp().as_millisecond()) })
        })
    }
}

/// True when the folder's `index.html` is the one HTTrack writes above the hosts' folders.
pub(super) fn has_start_page(root: &Path) -> bool {
    let head = head(root, "index.html").unwrap_or_default();
    let is_start_page = memmem::find(&head, b"HTTrack").is_some() && Note::find(&head).is_none();
    is_start_page && hosts(root).is_ok_and(|hosts| !hosts.is_empty())
}

fn head(root: &Path, local: &str) -> io::Result<Vec<u8>> {
    let mut head = vec![0; NOTE_BYTES];
    let count = read_up_to(&mut files::open_below(root, local)?, &mut head)?;
    head.truncate(count);
    Ok(head)
}

/// The folders of hosts: all folders in the mirror but HTTrack's own.
fn hosts(root: &Path) -> io::Result<Vec<String>> {
    let mut hosts = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && !name.starts_with("hts-") {
            hosts.push(name);
        }
    }
    hosts.sort();
    Ok(hosts)
}

/// The saved files that are not among `known`, by path.
///
/// A page's URL is the one that HTTrack noted in it, else the one in HTTrack's log, else the path. HTTrack does not note URLs in error
/// pages, so in a mirror with notes, a page without a note is an error page. Links, pipes and devices are added to `refused`.
pub(super) fn list(root: &Path, known: &HashSet<&str>, refused: &mut Vec<SavedFile>) -> Result<Vec<SavedFile>> {
    let hosts = hosts(root).map_err(Error::io(root, "listing"))?;
    let logged = log(root, &hosts, refused);
    let mut files = Vec::new();
    let mut has_notes = known.iter().any(|path| mirrored_note(root, path).is_some());
    let mut waiting: Vec<String> = hosts.into_iter().rev().collect();
    while let Some(path) = waiting.pop() {
        let full = root.join(&path);
        let metadata = fs::symlink_metadata(&full).map_err(Error::io(&full, "reading"))?;
        if metadata.is_dir() {
            waiting.extend(below(&full, &path).map_err(Error::io(&full, "listing"))?);
        } else if known.contains(path.as_str()) {
            // The cache already says what this file is.
        } else if metadata.is_file() {
            let (file, has_note) = examine(root, path, metadata.len(), &logged);
            has_notes |= has_note;
            files.push((file, has_note));
        } else if let Err(error) = files::open_below(root, &path) {
            refused.push(SavedFile::refused(&path, &error));
        }
    }
    let refuse = |(mut file, has_note): (SavedFile, bool)| {
        let is_logged = logged.get(&file.path).is_some_and(|(_, status)| matches!(status, 200 | 304));
        if has_notes && !has_note && !is_logged && file.refusal.is_none() {
            let detail = "saved without HTTrack's note, as error pages are".to_owned();
            file.refusal = Some((SkipReason::Status, detail));
        }
        file
    };
    Ok(files.into_iter().map(refuse).collect())
}

/// The names in a folder in reverse order, since the walk takes the last one first.
fn below(full: &Path, path: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(full)? {
        // HTTrack cannot link to a name that is not Unicode.
        if let Ok(name) = entry?.file_name().into_string() {
            names.push(format!("{path}/{name}"));
        }
    }
    names.sort_by(|a, b| b.cmp(a));
    Ok(names)
}

/// What one file is, and whether it contains a note.
fn examine(root: &Path, path: String, bytes: u64, logged: &HashMap<String, (String, u16)>) -> (SavedFile, bool) {
    let logged = logged.get(&path);
    let url = logged.map_or_else(|| format!("http://{path}"), |(url, _)| url.clone());
    let mut file = SavedFile { path, url, bytes, date_ms: 0, refusal: None };
    let ending = ending_of(&file.path);
    if is_other_ending(&ending) {
        file.refusal = Some((SkipReason::NotHtml, ending));
        return (file, false);
    }
    let note = mirrored_note(root, &file.path);
    let has_note = note.is_some();
    if let Some(note) = note {
        file.url = note.url;
        file.date_ms = note.date_ms;
    }
    if let Some((_, status)) = logged
        && !matches!(status, 200 | 304)
    {
        file.refusal = Some((SkipReason::Status, status.to_string()));
    }
    (file, has_note)
}

const LOG: &str = "hts-cache/new.txt";

/// HTTrack's log of responses: saved file → URL and status. Empty where there is no log; a log that cannot be read to its end is noted.
fn log(root: &Path, hosts: &[String], refused: &mut Vec<SavedFile>) -> HashMap<String, (String, u16)> {
    let mut logged = HashMap::new();
    match read_log(root, hosts, &mut logged) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => refused.push(SavedFile::refused(LOG, &error)),
        _ => {}
    }
    logged
}

fn read_log(root: &Path, hosts: &[String], logged: &mut HashMap<String, (String, u16)>) -> io::Result<()> {
    let log = BufReader::new(files::text(files::open_below(root, LOG)?));
    for line in log.split(b'\n').skip(1) {
        let line = line?;
        let line = String::from_utf8_lossy(line.trim_ascii_end());
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, _, _, status, _, _, _, url, local, ..] = columns.as_slice() else { continue };
        // The path of the file is relative to the folder where HTTrack was started.
        let parts: Vec<&str> = local.split('/').collect();
        let host = parts.iter().position(|part| hosts.iter().any(|host| host == part));
        if let (Some(host), Ok(status)) = (host, status.parse()) {
            logged.insert(parts[host..].join("/"), (with_scheme(url), status));
        }
    }
    Ok(())
}

/// When the page in a saved file was fetched, by HTTrack's note in it; 0 where there is none.
pub(super) fn mirrored_ms(root: &Path, local: &str) -> i64 {
    mirrored_note(root, local).map_or(0, |note| note.date_ms)
}

fn mirrored_note(root: &Path, local: &str) -> Option<Note> {
    Note::find(&head(root, local).ok()?)
}

/// When a file was last changed; 0 where it does not exist.
pub(super) fn modified_ms(root: &Path, local: &str) -> i64 {
    let metadata = files::open_below(root, local).and_then(|file| file.metadata());
    metadata.map_or(0, |metadata| files::modified_ms(&metadata))
}

/// A page as it was before HTTrack saved it, as far as that can be known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Restored {
    pub(super) body: Vec<u8>,
    /// The content type that the server sent, where HTTrack wrote it into the page.
    pub(super) content_type: Option<String>,
}

/// Reads a saved file, removes HTTrack's additions, and turns links to saved files back into URLs. `None` when the file is longer than
/// `max_bytes`.
pub(super) fn restore(
    root: &Path,
    local: &str,
    urls: &HashMap<String, String>,
    max_bytes: u64,
) -> io::Result<Option<Restored>> {
    let mut bytes = Vec::new();
    files::open_below(root, local)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Ok(None);
    }
    let (bytes, content_type) = without_additions(&bytes);
    let linked = |file: &str, escaped: &str, query: &str| {
        // A page outside the mirror, to which HTTrack leads through a page with a warning.
        if escaped == "external.html" {
            return query.strip_prefix("?link=").map(str::to_owned);
        }
        urls.get(file).or_else(|| urls.get(escaped)).cloned()
    };
    Ok(Some(Restored { body: links::restore(&bytes, local, &linked), content_type }))
}

/// The page without HTTrack's notes and without its `meta` element; also returns the content type in that element.
fn without_additions(bytes: &[u8]) -> (Vec<u8>, Option<String>) {
    const ADDED: &[u8] = b"<!-- Added by HTTrack -->";
    const ADDED_END: &[u8] = b"<!-- /Added by HTTrack -->";
    let mut kept = Vec::with_capacity(bytes.len());
    let mut content_type = None;
    let mut rest = bytes;
    while let Some(at) = memmem::find(rest, b"<!-- ") {
        let (before, comment) = rest.split_at(at);
        let length = if comment.starts_with(ADDED) {
            memmem::find(comment, ADDED_END).map(|end| end + ADDED_END.len())
        } else if comment.starts_with(NOTE_START) {
            let end = memmem::find(comment, b"-->").map(|end| end + 3);
            end.filter(|end| memmem::find(&comment[..*end], b" by HTTrack").is_some())
        } else {
            None
        };
        let Some(length) = length else {
            kept.extend_from_slice(before);
            kept.extend_from_slice(b"<!-- ");
            rest = &comment[5..];
            continue;
        };
        if comment.starts_with(ADDED) {
            content_type = content_type.or_else(|| added_content_type(&comment[..length]));
        }
        // HTTrack puts its notes on lines of their own.
        let is_note = comment.starts_with(NOTE_START);
        kept.extend_from_slice(if is_note { before.strip_suffix(b"\n").unwrap_or(before) } else { before });
        let behind = &comment[length..];
        rest = behind.strip_prefix(b"\n").unwrap_or(behind);
    }
    kept.extend_from_slice(rest);
    (kept, content_type)
}

fn added_content_type(meta: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(meta);
    let (_, value) = text.split_once("content=\"")?;
    value.split_once('"').map(|(value, _)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &[u8] = b"<html>\n\n<!-- Mirrored from ex.org/a?b=c&d by HTTrack Website Copier/3.x [XR&CO'2014], Sat, 21 \
        Nov 2026 22:11:06 GMT -->\n<!-- Added by HTTrack --><meta http-equiv=\"content-type\" content=\"text/html;charset=big5\" />\
        <!-- /Added by HTTrack -->\n<head></head><!-- Mirrored from nowhere --><body>x</body>";

    #[test]
    fn the_note_gives_url_and_date() {
        let note = Note::find(PAGE).expect("a note");
        assert_eq!(note, Note { url: "http://ex.org/a?b=c&d".to_owned(), date_ms: 1_795_299_066_000 });
        let secure = b"<!-- Mirrored from https://ex.org/ by HTTrack Website Copier/3.x [XR&CO'2014], nonsense -->";
        assert_eq!(Note::find(secure), Some(Note { url: "https://ex.org/".to_owned(), date_ms: 0 }));
    }

    #[test]
    fn what_httrack_added_is_taken_out() {
        let (page, content_type) = without_additions(PAGE);
        let expected = "<html>\n<head></head><!-- Mirrored from nowhere --><body>x</body>";
        assert_eq!(String::from_utf8_lossy(&page), expected);
        assert_eq!(content_type.as_deref(), Some("text/html;charset=big5"));
    }
}
