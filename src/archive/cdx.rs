//! Indexes of archives, with one capture a line: CDXJ as pywb and Common Crawl write it, the JSON objects of CDXJ alone, and CDX with a
//! legend as wget and Heritrix write it; and what a CDX server answers (see [`cdx_server`]); plain or compressed.
//!
//! A line becomes a page without text: its URL, its languages where the index names them (Common Crawl's `languages`), and the place of the
//! capture. Lines of captures that are not pages are left out for the same reasons as the captures themselves would be. Walking an index
//! only finds the lines; [`capture`] parses them, in parallel.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::cdx_server;
use super::codec::Codec;
use super::dates::date_ms;
use super::format::{Archive, Format, Item, Params};
use super::head::{BUFFER_BYTES, codec_of, content_head, decoded};
use super::mime::is_html_type;
use crate::error::{Error, Result};
use crate::files;
use crate::types::{Capture, Form, Pointer, RawRecord, Skip, SkipReason};

/// The format of CDX and CDXJ files.
pub(super) struct CdxFormat;

/// The longest line, in bytes; URLs are far shorter.
const MAX_LINE_BYTES: usize = 64 << 10;

impl Format for CdxFormat {
    fn name(&self) -> &'static str {
        "CDX"
    }

    fn is_index(&self) -> bool {
        true
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        if path.is_dir() || head.is_empty() {
            return false;
        }
        let content = content_head(head);
        let mut lines = content.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"!"));
        let is_index = |line: &[u8]| {
            legend(line).is_some() || json_of(line).is_some_and(looks_like_an_entry) || cdx_server::is_line(line)
        };
        lines.next().is_some_and(is_index) || cdx_server::names(&content).is_some()
    }

    fn open(&self, path: &Path, position: u64, _: &Params) -> Result<Box<dyn Archive>> {
        open(path, position)
    }
}

/// The lines of a file from a position on.
///
/// # Errors
/// When it cannot be read.
pub(super) fn open(path: &Path, position: u64) -> Result<Box<dyn Archive>> {
    let mut lines = Lines::new(path).map_err(Error::io(path, "opening"))?;
    lines.go_to(position).map_err(Error::io(path, "reading"))?;
    Ok(Box::new(lines))
}

/// The JSON of a CDXJ line: what follows key and time, or the whole line.
fn json_of(line: &[u8]) -> Option<&[u8]> {
    if line.starts_with(b"{") {
        return Some(line);
    }
    let key = memchr::memchr(b' ', line)?;
    let digits = line[key + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &line[key + 1 + digits..];
    ((4..=17).contains(&digits) && rest.starts_with(b" {")).then(|| &rest[1..])
}

fn looks_like_an_entry(json: &[u8]) -> bool {
    let has = |name: &[u8]| memchr::memmem::find(json, name).is_some();
    has(b"\"url\"") && (has(b"\"filename\"") || has(b"\"status\"") || has(b"\"offset\"") || has(b"\"timestamp\""))
}

/// The letters of a CDX legend, which say what each column holds.
fn legend(line: &[u8]) -> Option<&[u8]> {
    let letters = line.trim_ascii_start().strip_prefix(b"CDX ")?;
    let is_letter = |word: &[u8]| word.len() == 1 && word[0].is_ascii_alphabetic();
    let letters = letters.trim_ascii_end();
    (letters.split(|byte| *byte == b' ').all(is_letter) && letters.contains(&b'a')).then_some(letters)
}

/// The position after data that cannot be decompressed, when nothing follows.
const BEHIND_DAMAGE: u64 = 1 << 62;

/// An index, being read.
struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    codec: Codec,
    /// Length of the file.
    file_bytes: u64,
    /// First line of a CDX file, or row of names; it is put before each line that is handed on for parsing.
    legend: Vec<u8>,
    /// True for the rows of a JSON array, in which line ends mean nothing.
    in_rows: bool,
    /// True for the first row, if it is one of names.
    names_first: bool,
    /// How many decompressed bytes were read.
    position: u64,
}

impl Lines {
    fn new(path: &Path) -> io::Result<Lines> {
        let mut file = files::open(path)?;
        let file_bytes = file.metadata()?.len();
        let codec = codec_of(&mut file)?;
        let reader = decoded(path, codec)?;
        let (in_rows, names_first) = (false, false);
        let path = path.to_owned();
        let mut lines =
            Lines { path, reader, codec, file_bytes, legend: Vec::new(), in_rows, names_first, position: 0 };
        let path = lines.path.clone();
        if let Ok(Some((names, is_first))) = lines.names() {
            (lines.legend, lines.in_rows, lines.names_first) = ([&names[..], b"\n"].concat(), true, is_first);
            return Ok(lines);
        }
        match lines.line() {
            Ok(Ok(first)) if legend(&first).is_some() => lines.legend = [first.trim_ascii(), b"\n"].concat(),
            Ok(Ok(first)) if cdx_server::is_line(first.trim_ascii()) => {
                lines.legend = cdx_server::LEGEND.to_vec();
                (lines.reader, lines.position) = (decoded(&path, codec)?, 0);
            }
            // The first line is an ordinary line, so it is read again; damage is reported when it is read again.
            _ => (lines.reader, lines.position) = (decoded(&path, codec)?, 0),
        }
        Ok(lines)
    }

    /// The row of names of a JSON array, and whether it is the first row; looks only at what is in the buffer.
    fn names(&mut self) -> io::Result<Option<(Vec<u8>, bool)>> {
        let head = self.reader.fill_buf()?;
        Ok(cdx_server::names(head[..head.len().min(MAX_LINE_BYTES)].trim_ascii_start()))
    }

    /// The next row of a JSON array, in the form in which [`Lines::line`] returns lines. Data that is no row is returned at the end of the
    /// array.
    fn row(&mut self) -> io::Result<std::result::Result<Vec<u8>, u64>> {
        let mut bytes = Vec::new();
        let mut brackets = 0;
        loop {
            let left = MAX_LINE_BYTES - bytes.len();
            let count = self.reader.by_ref().take(left as u64).read_until(b']', &mut bytes)?;
            self.position += count as u64;
            let row = cdx_server::row_in(&bytes);
            if cdx_server::cells(row).is_some() {
                let between = bytes.len() - row.len();
                bytes.drain(..between);
                return Ok(Ok(bytes));
            }
            brackets += 1;
            if count == 0 || bytes.len() >= MAX_LINE_BYTES || brackets == cdx_server::MAX_BRACKETS {
                // After the last row stands the end of the array.
                let is_end = count == 0 && row.trim_ascii() == b"]";
                return Ok(if is_end || row.trim_ascii().is_empty() {
                    Ok(Vec::new())
                } else {
                    Err(bytes.len() as u64)
                });
            }
        }
    }

    /// Skips what was read before.
    fn go_to(&mut self, position: u64) -> io::Result<()> {
        if position <= self.position {
            return Ok(());
        }
        if position == BEHIND_DAMAGE {
            self.reader = Box::new(io::empty());
        } else if self.codec == Codec::Plain {
            let mut file = files::open(&self.path)?;
            file.seek(SeekFrom::Start(position))?;
            self.reader = Box::new(BufReader::with_capacity(BUFFER_BYTES, file));
        } else {
            let left = position - self.position;
            io::copy(&mut self.reader.by_ref().take(left), &mut io::sink())?;
        }
        self.position = position;
        Ok(())
    }

    /// The next line without its line end; `Err` with its length when it is too long. Empty at the end of the file.
    fn line(&mut self) -> io::Result<std::result::Result<Vec<u8>, u64>> {
        let mut line = Vec::new();
        let count = self.reader.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line)?;
        self.position += count as u64;
        if count < MAX_LINE_BYTES || line.ends_with(b"\n") {
            return Ok(Ok(line));
        }
        let mut length = count as u64;
        loop {
            let (used, done) = {
                let buffer = self.reader.fill_buf()?;
                match memchr::memchr(b'\n', buffer) {
                    Some(at) => (at + 1, true),
                    None => (buffer.len(), buffer.is_empty()),
                }
            };
            self.reader.consume(used);
            self.position += used as u64;
            length += used as u64;
            if done {
                return Ok(Err(length));
            }
        }
    }

    fn item(&mut self) -> io::Result<Option<Item>> {
        loop {
            let offset = self.position;
            let skip = |reason, length, detail: String| {
                Ok(Some(Item::Skip(Skip { reason, offset, length, url: String::new(), detail })))
            };
            let line = match if self.in_rows { self.row() } else { self.line() } {
                Ok(Ok(line)) => line,
                Ok(Err(length)) if self.in_rows => {
                    let detail = format!("row: none within {MAX_LINE_BYTES} bytes");
                    return skip(SkipReason::BadRecord, length, detail);
                }
                Ok(Err(length)) => {
                    return skip(SkipReason::BadRecord, length, format!("line: longer than {MAX_LINE_BYTES} bytes"));
                }
                // The rest of the file cannot be decompressed.
                Err(error) if self.codec != Codec::Plain && error.kind() != io::ErrorKind::Interrupted => {
                    self.reader = Box::new(io::empty());
                    self.position = BEHIND_DAMAGE;
                    return skip(SkipReason::BadCompression, 0, format!("line: {error}"));
                }
                Err(error) => return Err(error),
            };
            if line.is_empty() {
                return Ok(None);
            }
            let text = line.trim_ascii();
            if text.is_empty() || text.starts_with(b"!") || legend(text).is_some() {
                continue;
            }
            if self.names_first && offset == 0 {
                continue;
            }
            let block = if self.legend.is_empty() { text.to_vec() } else { [&self.legend, text].concat() };
            let length = line.len() as u64;
            return Ok(Some(Item::Record(RawRecord {
                form: Form::Index,
                offset,
                length,
                block,
                ..RawRecord::default()
            })));
        }
    }
}

impl Archive for Lines {
    fn next(&mut self) -> Result<Option<Item>> {
        let path = self.path.clone();
        self.item().map_err(Error::io(path, "reading"))
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn end(&self) -> Option<u64> {
        (self.codec == Codec::Plain).then_some(self.file_bytes)
    }
}

/// A parsed line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    url: String,
    date_ms: i64,
    /// As written; empty or `-` where it is not given.
    status: String,
    mime: String,
    /// Comma-separated codes.
    languages: String,
    pointer: Pointer,
}

/// Numbers as JSON numbers or as texts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(u64),
    Other(serde::de::IgnoredAny),
}

impl Scalar {
    fn text(this: Option<Scalar>) -> String {
        match this {
            Some(Scalar::Text(text)) => text,
            Some(Scalar::Number(number)) => number.to_string(),
            Some(Scalar::Other(_)) | None => String::new(),
        }
    }

    /// An offset or length; 0 where the number is impossible for a file.
    fn number(this: Option<Scalar>) -> u64 {
        let number = match this {
            Some(Scalar::Number(number)) => number,
            Some(Scalar::Text(text)) => text.parse().unwrap_or(0),
            _ => 0,
        };
        if i64::try_from(number).is_ok() { number } else { 0 }
    }
}

#[derive(Deserialize)]
struct Entry {
    url: Option<String>,
    timestamp: Option<Scalar>,
    status: Option<Scalar>,
    mime: Option<Scalar>,
    #[serde(rename = "mime-detected")]
    mime_detected: Option<Scalar>,
    languages: Option<Scalar>,
    filename: Option<Scalar>,
    offset: Option<Scalar>,
    length: Option<Scalar>,
}

impl Line {
    fn read(block: &[u8]) -> std::result::Result<Line, String> {
        let first = block.split(|byte| *byte == b'\n').next().unwrap_or(block);
        if first.starts_with(b"[") {
            return Line::of_row(first, block.get(first.len() + 1..).unwrap_or(&[]));
        }
        match legend(first) {
            Some(letters) => Line::of_columns(letters, block.get(first.len() + 1..).unwrap_or(&[])),
            None => Line::of_json(block),
        }
    }

    fn of_json(line: &[u8]) -> std::result::Result<Line, String> {
        let json = json_of(line).ok_or("line: neither CDXJ nor under a legend")?;
        let entry: Entry = serde_json::from_slice(json).map_err(|error| format!("line: {error}"))?;
        let time = match Scalar::text(entry.timestamp) {
            given if !given.is_empty() => given,
            _ => line.split(|byte| *byte == b' ').nth(1).map_or(String::new(), lossy),
        };
        let mime = match Scalar::text(entry.mime_detected) {
            detected if detected.is_empty() => Scalar::text(entry.mime),
            detected => detected,
        };
        Ok(Line {
            url: entry.url.ok_or("line: no URL")?,
            date_ms: date_ms(&time),
            status: Scalar::text(entry.status),
            mime,
            languages: Scalar::text(entry.languages),
            pointer: Pointer {
                file: Scalar::text(entry.filename),
                offset: Scalar::number(entry.offset),
                length: Scalar::number(entry.length),
            },
        })
    }

    fn of_row(names: &[u8], row: &[u8]) -> std::result::Result<Line, String> {
        let cells = |row| cdx_server::cells(row).ok_or("row: not an array of values");
        let (names, cells) = (cells(names)?, cells(row)?);
        let value = |name| cdx_server::value(&names, &cells, name);
        let number = |name| value(name).parse().ok().filter(|number| i64::try_from(*number).is_ok()).unwrap_or(0);
        let url = value("original");
        if url.is_empty() {
            return Err("row: no URL".to_owned());
        }
        Ok(Line {
            url: url.to_owned(),
            date_ms: date_ms(value("timestamp")),
            status: value("statuscode").to_owned(),
            mime: value("mimetype").to_owned(),
            languages: String::new(),
            pointer: Pointer { file: value("filename").to_owned(), offset: number("offset"), length: number("length") },
        })
    }

    /// The columns are those of the CDX file format of 2015 (iipc); only some of them are used.
    fn of_columns(letters: &[u8], line: &[u8]) -> std::result::Result<Line, String> {
        let mut found = Line::default();
        let letters = letters.split(|byte| *byte == b' ');
        let mut columns = line.split(|byte| *byte == b' ').filter(|column| !column.is_empty());
        for letter in letters {
            let Some(column) = columns.next() else { break };
            let value = || Some(lossy(column)).filter(|value| value != "-").unwrap_or_default();
            let number = || value().parse().unwrap_or(0);
            match letter.first() {
                Some(b'a') => found.url = value(),
                Some(b'b') => found.date_ms = date_ms(&value()),
                Some(b'm') => found.mime = value(),
                Some(b's') => found.status = value(),
                Some(b'g') => found.pointer.file = value(),
                Some(b'V') => found.pointer.offset = number(),
                Some(b'S') => found.pointer.length = number(),
                _ => {}
            }
        }
        if found.url.is_empty() { Err("line: no URL".to_owned()) } else { Ok(found) }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The URL of the capture that a line describes, and the place of the capture; the file is empty where the line does not name one.
pub(super) fn place_of(block: &[u8]) -> std::result::Result<(String, Pointer), String> {
    Line::read(block).map(|line| (line.url, line.pointer))
}

/// A capture without a body, made from a line, or the reason why the capture is not a page.
pub(super) fn capture(record: RawRecord) -> std::result::Result<Capture, Skip> {
    let RawRecord { offset, length, block, .. } = record;
    let refuse = |reason, url: &str, detail| Err(Skip { reason, offset, length, url: url.to_owned(), detail });
    let line = match Line::read(&block) {
        Ok(line) => line,
        Err(problem) => return refuse(SkipReason::BadRecord, "", problem),
    };
    if line.mime.eq_ignore_ascii_case("warc/revisit") {
        return refuse(SkipReason::Revisit, &line.url, String::new());
    }
    let status = line.status.parse().unwrap_or(200);
    if status != 200 {
        return refuse(SkipReason::Status, &line.url, line.status);
    }
    let no_type = line.mime.is_empty() || line.mime == "-" || line.mime == "unk";
    if !no_type && !is_html_type(&line.mime) {
        return refuse(SkipReason::NotHtml, &line.url, line.mime);
    }
    Ok(Capture {
        form: Form::Index,
        pointer: Some(line.pointer),
        url: line.url,
        date_ms: line.date_ms,
        offset,
        length,
        status,
        content_type: Some(line.mime),
        content_language: Some(line.languages).filter(|languages| !languages.is_empty()),
        ..Capture::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMON_CRAWL: &str = r#"org,ex)/fr/a 20240518015810 {"url": "https://ex.org/fr/a", "mime": "text/html", "mime-detected": "application/xhtml+xml", "status": "200", "digest": "RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU", "length": "17423", "offset": "80610731", "filename": "crawl-data/CC-MAIN-2024-22/a.warc.gz", "charset": "UTF-8", "languages": "fra,eng"}"#;
    const PYWB: &str = r#"org,ex)/fr/a 20240518015810 {"url": "https://ex.org/fr/a", "mime": "text/html", "status": 200, "length": 17423, "offset": 80610731, "filename": "a.warc.gz"}"#;
    const WGET: &str = " CDX a b a m s k r M V g u\nhttps://ex.org/fr/a 20240518015810 https://ex.org/fr/a text/html 200 Q2ZCP - - 80610731 a.warc.gz <urn:uuid:1>";

    fn read(block: &str) -> std::result::Result<Capture, Skip> {
        capture(RawRecord { form: Form::Index, block: block.as_bytes().to_vec(), ..RawRecord::default() })
    }

    #[test]
    fn each_flavour_gives_the_same_page() {
        for (block, file, length, languages) in [
            (COMMON_CRAWL, "crawl-data/CC-MAIN-2024-22/a.warc.gz", 17423, Some("fra,eng")),
            (PYWB, "a.warc.gz", 17423, None),
            (WGET, "a.warc.gz", 0, None),
        ] {
            let capture = read(block).expect("a page");
            assert_eq!(capture.url, "https://ex.org/fr/a");
            assert_eq!(capture.date_ms, 1_715_997_490_000);
            assert_eq!(capture.pointer, Some(Pointer { file: file.into(), offset: 80_610_731, length }));
            assert_eq!(capture.content_language.as_deref(), languages);
        }
    }

    #[test]
    fn lines_of_what_is_no_page_say_why() {
        let with = |from: &str, to: &str| read(&PYWB.replace(from, to)).map_err(|skip| skip.reason).err();
        assert_eq!(with("200", "404"), Some(SkipReason::Status));
        assert_eq!(with("text/html", "image/png"), Some(SkipReason::NotHtml));
        assert_eq!(with("text/html", "warc/revisit"), Some(SkipReason::Revisit));
        assert_eq!(with("{", "["), Some(SkipReason::BadRecord));
        assert_eq!(with("\"url\"", "\"uri\""), Some(SkipReason::BadRecord));
        assert_eq!(with("text/html", "unk"), None);
    }

    #[test]
    fn reading_goes_on_at_any_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let line = |n: usize| PYWB.replace("fr/a", &format!("fr/{n}"));
        let text = |first: &str| first.to_owned() + &(0..50).map(|n| line(n) + "\n").collect::<String>();
        let gzip = |text: &str| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut encoder, text.as_bytes()).expect("memory");
            encoder.finish().expect("memory")
        };
        let wget: String = WGET.lines().next().expect("a legend").to_owned()
            + "\n"
            + &(0..50)
                .map(|n| WGET.lines().nth(1).expect("a line").replace("fr/a", &format!("fr/{n}")) + "\n")
                .collect::<String>();
        // 49 lines, and damage.
        let lines = text("");
        let lines = &lines[..lines.trim_end().rfind('\n').expect("lines") + 1];
        let damaged = [gzip(lines).as_slice(), &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0xff]].concat();
        for bytes in [
            text("").into_bytes(),
            text("!meta 0 {}\n").into_bytes(),
            gzip(&text("")),
            gzip(&wget),
            wget.into_bytes(),
            damaged,
        ] {
            std::fs::write(&path, &bytes).expect("room on the disk");
            assert_eq!(super::super::format_of(&path).expect("known").name(), "CDX");
            let mut from_start = Vec::new();
            let mut positions = vec![0];
            let mut archive = CdxFormat.open(&path, 0, &Params::default()).expect("there");
            while let Some(item) = archive.next().expect("readable") {
                from_start.push(item);
                positions.push(archive.position());
            }
            assert_eq!(from_start.len(), 50);
            for (done, &position) in positions.iter().enumerate() {
                let mut archive = CdxFormat.open(&path, position, &Params::default()).expect("there");
                assert_eq!(archive.next().expect("readable").as_ref(), from_start.get(done));
            }
        }
    }

    #[test]
    fn answers_of_servers_are_read_from_any_row() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("answer");
        let cells = |n: usize| {
            [
                "org,ex)/".into(),
                "20020120142510".into(),
                format!("http://ex.org:80/fr/a[{n}]"),
                "text/html".into(),
                "200".into(),
            ]
            .into_iter()
            .chain(["HT2D".to_owned(), "1792".to_owned()])
            .collect::<Vec<String>>()
        };
        let rows: Vec<String> = (0..5).map(|n| serde_json::to_string(&cells(n)).expect("JSON")).collect();
        let head = r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;
        let text: String = (0..5).map(|n| cells(n).join(" ") + "\n").collect();
        for answer in [
            format!("[{head},\n{}]\n", rows.join(",\n")),
            format!("[{}]", rows.join(",")),
            format!("[\n  {head} ,\n  {}\n]\n\n", rows.join(" ,\n  ")),
            text,
        ] {
            std::fs::write(&path, &answer).expect("room on the disk");
            assert_eq!(super::super::format_of(&path).expect("known").name(), "CDX");
            let (mut items, mut positions) = (Vec::new(), vec![0]);
            let mut archive = CdxFormat.open(&path, 0, &Params::default()).expect("there");
            while let Some(item) = archive.next().expect("readable") {
                items.push(item);
                positions.push(archive.position());
            }
            for (done, &position) in positions.iter().enumerate() {
                let mut archive = CdxFormat.open(&path, position, &Params::default()).expect("there");
                assert_eq!(archive.next().expect("readable").as_ref(), items.get(done), "{answer}");
            }
            let urls: Vec<String> = items
                .into_iter()
                .map(|item| match item {
                    Item::Record(line) => capture(line).expect("a page").url,
                    Item::Skip(skip) => skip.detail,
                })
                .collect();
            assert_eq!(urls, [0, 1, 2, 3, 4].map(|n| format!("http://ex.org:80/fr/a[{n}]")), "{answer}");
        }
        // The answer ends with a key to go on from, and with data that is no row.
        std::fs::write(&path, format!("[{head},{},[],[\"org%2Cex\"],{}", rows[0], rows[1].repeat(2000))).expect("room");
        let mut archive = CdxFormat.open(&path, 0, &Params::default()).expect("there");
        let items: Vec<Item> = std::iter::from_fn(|| archive.next().expect("readable")).collect();
        assert_eq!(items.len(), 3 + 2000);
        std::fs::write(&path, format!("[{},{}", rows[0], "x".repeat(200_000))).expect("room on the disk");
        let mut archive = CdxFormat.open(&path, 0, &Params::default()).expect("there");
        let items: Vec<Item> = std::iter::from_fn(|| archive.next().expect("readable")).collect();
        assert_eq!(items.iter().filter(|item| matches!(item, Item::Record(_))).count(), 1);
    }

    #[test]
    fn a_line_without_end_is_passed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        std::fs::write(&path, format!("{PYWB}\n{}\n{PYWB}", "x".repeat(200_000))).expect("room on the disk");
        let mut archive = CdxFormat.open(&path, 0, &Params::default()).expect("there");
        let mut kinds = Vec::new();
        while let Some(item) = archive.next().expect("readable") {
            kinds.push(matches!(item, Item::Record(_)));
        }
        assert_eq!(kinds, [true, false, true]);
    }

    proptest! {
        #[test]
        fn any_line_is_taken_apart_or_refused(line in proptest::collection::vec(any::<u8>(), 0..200), kind in 0..4usize) {
            let head: &[u8] = [&b""[..], b" CDX a b V g\n", b"k 20240518015810 {", b"{\"url\": \""][kind];
            let block = [head, &line].concat();
            let _ = capture(RawRecord { form: Form::Index, block, ..RawRecord::default() });
            let _ = legend(&line).is_some() || json_of(&line).is_some_and(looks_like_an_entry);
        }
    }
}
