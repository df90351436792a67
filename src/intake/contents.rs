//! Lists and copies what an archive holds, record by record, for users who want to look into it.

use std::path::Path;

use crate::archive::{self, Copier, Item, Params};
use crate::error::{Error, Result};
use crate::types::{CanonicalUrl, RawRecord, Skip, SkipReason};

/// The kind of a record that may become a page.
const PAGE: &str = "page";

/// A record of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Where the record begins, in bytes of the file. Inside a compressed stream of many records, the offset of the stream plus the
    /// decompressed bytes before the record.
    pub offset: u64,
    /// How many bytes of the file it takes; 0 where one compressed stream holds many records.
    pub length: u64,
    /// `page`, or the reason why the record is no page.
    pub kind: &'static str,
    /// Details of what was found, for a record that is no page; may be empty.
    pub detail: String,
    /// Its URL; empty if it has none.
    pub url: String,
    /// Milliseconds since 1970 UTC, 0 where unknown.
    pub date_ms: i64,
    /// HTTP status of a page, and of a record that is no page because of its status.
    pub status: Option<u16>,
    /// Its type of content, as sent.
    pub content_type: Option<String>,
    /// Bytes of its body, with codings undone.
    pub bytes: Option<u64>,
}

/// Calls `each` with every record of an archive, in order.
///
/// # Errors
/// When the archive cannot be read, or what `each` returns.
pub fn contents(path: &Path, params: &Params, mut each: impl FnMut(Entry) -> Result<()>) -> Result<()> {
    let mut records = archive::open(path, 0, params)?;
    while let Some(item) = records.next()? {
        each(entry(item, params))?;
    }
    Ok(())
}

fn entry(item: Item, params: &Params) -> Entry {
    let record = match item {
        Item::Record(record) => record,
        Item::Skip(skip) => return left_out(skip),
    };
    let (url, date_ms) = (record.url.clone(), record.date_ms);
    match archive::capture(record, params) {
        Ok(capture) => Entry {
            offset: capture.offset,
            length: capture.length,
            kind: PAGE,
            detail: String::new(),
            url: capture.url,
            date_ms: capture.date_ms,
            status: Some(capture.status),
            content_type: capture.content_type,
            bytes: Some(capture.body.len() as u64),
        },
        // Lines of an index have their URL inside.
        Err(skip) if url.is_empty() => Entry { date_ms, ..left_out(skip) },
        Err(skip) => Entry { url, date_ms, ..left_out(skip) },
    }
}

fn left_out(skip: Skip) -> Entry {
    let Skip { reason, offset, length, url, detail } = skip;
    let status = if reason == SkipReason::Status { detail.parse().ok() } else { None };
    Entry { offset, length, kind: reason.name(), detail, url, status, ..Entry::default() }
}

/// Which records are meant.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only the record that begins here.
    pub offset: Option<u64>,
    /// Only records of this URL.
    pub url: Option<CanonicalUrl>,
    /// Only records of this time, in milliseconds since 1970 UTC, 0 where unknown.
    pub date_ms: Option<i64>,
    /// The body alone, with codings undone.
    pub body: bool,
}

/// Calls `each` with the bytes of the wanted records: of a WARC file header and block, or the block alone where one compressed stream holds
/// many records; of other archives, whatever they have of the record. Returns how many other records were wanted that cannot be copied,
/// because they are damaged or too long, or because they hold no page and lie among others in one compressed stream.
///
/// # Errors
/// When the archive cannot be read, a body is asked for of a record that is no page, or what `each` returns.
pub fn copies(path: &Path, params: &Params, wanted: &Wanted, each: impl FnMut(&[u8]) -> Result<()>) -> Result<u64> {
    let copier = Copier::open(path, params).ok().filter(|_| path.is_file());
    let is_plain = copier.as_ref().is_some_and(|copier| !copier.is_container());
    let mut copying = Copying { path, params, wanted, copier, each, lost: 0 };
    // A record that begins where a member of the file does can be read from there. Inside a container this is not known, and reading from
    // the middle of a stream would look like damage.
    if let Some(offset) = wanted.offset.filter(|_| is_plain)
        && let Ok(mut records) = archive::open(path, offset, params)
        && let Ok(Some(item)) = records.next()
        && !matches!(&item, Item::Skip(skip) if skip.reason.is_damage())
        && is_meant(&item, params, wanted)
    {
        copying.copy(item)?;
        return Ok(copying.lost);
    }
    let mut records = archive::open(path, 0, params)?;
    while let Some(item) = records.next()? {
        if is_meant(&item, params, wanted) {
            copying.copy(item)?;
        }
    }
    Ok(copying.lost)
}

/// Offset and length.
fn place(item: &Item) -> (u64, u64) {
    match item {
        Item::Record(record) => (record.offset, record.length),
        Item::Skip(skip) => (skip.offset, skip.length),
    }
}

fn is_meant(item: &Item, params: &Params, wanted: &Wanted) -> bool {
    if wanted.offset.is_some_and(|offset| offset != place(item).0) {
        return false;
    }
    let (url, date_ms) = match item {
        _ if wanted.url.is_none() && wanted.date_ms.is_none() => return true,
        // Lines of an index have their URL inside, and a WAT has the date of the response.
        Item::Record(record) if !record.form.has_text() => match archive::capture(record.clone(), params) {
            Ok(capture) => (capture.url, capture.date_ms),
            Err(skip) => (skip.url, record.date_ms),
        },
        Item::Record(record) => (record.url.clone(), record.date_ms),
        Item::Skip(skip) => (skip.url.clone(), 0),
    };
    let is_its =
        |wanted: &CanonicalUrl| CanonicalUrl::parse(&url).is_ok_and(|found| found.identity() == wanted.identity());
    wanted.url.as_ref().is_none_or(is_its) && wanted.date_ms.is_none_or(|wanted| wanted == date_ms)
}

/// Records on their way out of an archive.
struct Copying<'c, E> {
    path: &'c Path,
    params: &'c Params,
    wanted: &'c Wanted,
    copier: Option<Copier>,
    each: E,
    lost: u64,
}

impl<E: FnMut(&[u8]) -> Result<()>> Copying<'_, E> {
    fn copy(&mut self, item: Item) -> Result<()> {
        let (offset, length) = place(&item);
        if self.wanted.body {
            let captured = match item {
                Item::Record(record) => archive::capture(record, self.params),
                Item::Skip(skip) => Err(skip),
            };
            return match captured {
                Ok(capture) => (self.each)(&capture.body),
                // If all records are wanted, those that are no pages are left out.
                Err(_) if self.wanted.offset.is_none() => Ok(()),
                Err(skip) => {
                    let place = format!("{}: record at byte {offset}", self.path.display());
                    Err(Error::input(place, format!("no page: {} {}", skip.reason, skip.detail).trim_end().to_owned()))
                }
            };
        }
        let date_ms = if let Item::Record(record) = &item { record.date_ms } else { 0 };
        let copied = match &mut self.copier {
            Some(copier) if length > 0 => {
                copier.copy(offset, length, date_ms).map_err(Error::io(self.path, "reading"))?
            }
            _ => None,
        };
        match (copied, item) {
            (Some(copied), _) => (self.each)(&copied.record),
            (None, Item::Record(RawRecord { block, .. })) => (self.each)(&block),
            (None, Item::Skip(_)) => {
                self.lost += 1;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(url: &str, status: &str, html: &str) -> String {
        let block = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{html}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
             WARC-Record-ID: <urn:x>\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n\
             {block}\r\n\r\n",
            block.len()
        )
    }

    /// Records of a page, and of one that is gone.
    fn two() -> [String; 2] {
        [record("http://ex.org/a", "200 OK", "<p>one"), record("http://ex.org/b", "404 Not Found", "<p>two")]
    }

    fn file(suffix: &str, bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::Builder::new().suffix(suffix).tempfile().expect("a file");
        std::fs::write(file.path(), bytes).expect("room on disk");
        file
    }

    /// A WARC file of these records.
    fn warc() -> tempfile::NamedTempFile {
        file(".warc", two().concat().as_bytes())
    }

    fn listed(file: &Path) -> Vec<Entry> {
        let mut found = Vec::new();
        contents(file, &Params::default(), |entry| {
            found.push(entry);
            Ok(())
        })
        .expect("an archive");
        found
    }

    fn url(url: &str) -> Option<CanonicalUrl> {
        CanonicalUrl::parse(url).ok()
    }

    fn bytes(file: &Path, wanted: &Wanted) -> Result<Vec<String>> {
        let mut found = Vec::new();
        copies(file, &Params::default(), wanted, |bytes| {
            found.push(String::from_utf8_lossy(bytes).into_owned());
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn every_record_is_listed_with_what_it_is() {
        let file = warc();
        let found = listed(file.path());
        let told: Vec<(&str, &str, Option<u16>)> =
            found.iter().map(|entry| (entry.kind, entry.url.as_str(), entry.status)).collect();
        assert_eq!(
            told,
            [("page", "http://ex.org/a", Some(200)), ("http status not 200", "http://ex.org/b", Some(404))]
        );
        assert_eq!((found[0].offset, found[0].bytes, found[1].offset), (0, Some(6), found[0].length));
    }

    #[test]
    fn a_record_is_found_by_its_place_or_its_url() {
        let file = warc();
        let all = bytes(file.path(), &Wanted::default()).expect("an archive");
        assert_eq!(all.len(), 2);
        let second = Wanted { offset: Some(all[0].len() as u64), ..Wanted::default() };
        assert_eq!(bytes(file.path(), &second).expect("an archive"), all[1..]);
        assert!(all[1].starts_with("WARC/1.0\r\n") && all[1].contains("<p>two"), "{}", all[1]);
        let body = Wanted { url: url("https://ex.org/a"), body: true, ..Wanted::default() };
        assert_eq!(bytes(file.path(), &body).expect("an archive"), ["<p>one"]);
        let no_page = Wanted { body: true, ..second };
        let told = bytes(file.path(), &no_page).expect_err("no page").to_string();
        assert!(told.contains("no page: http status not 200"), "{told}");
        let others = [
            Wanted { offset: Some(7), ..Wanted::default() },
            Wanted { offset: Some(0), url: url("http://ex.org/b"), ..Wanted::default() },
            Wanted { offset: Some(0), date_ms: Some(1), ..Wanted::default() },
        ];
        for wanted in others {
            assert!(bytes(file.path(), &wanted).expect("an archive").is_empty(), "{wanted:?}");
        }
    }

    #[test]
    fn records_in_one_compressed_stream_are_found_and_those_that_are_not_copied_are_counted() {
        use std::io::Write;
        let request =
            "WARC/1.0\r\nWARC-Type: request\r\nWARC-Target-URI: http://ex.org/a\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let stream = encoder.write_all((two().concat() + request).as_bytes()).and_then(|()| encoder.finish());
        let file = file(".warc.gz", &stream.expect("memory"));
        let found = listed(file.path());
        assert_eq!(found.len(), 3);
        for (entry, html) in found.iter().zip(["<p>one", "<p>two"]) {
            let wanted = Wanted { offset: Some(entry.offset), ..Wanted::default() };
            let found = bytes(file.path(), &wanted).expect("an archive");
            assert!(found.len() == 1 && found[0].ends_with(html), "{found:?}");
        }
        let lost = copies(file.path(), &Params::default(), &Wanted::default(), |_| Ok(())).expect("an archive");
        assert_eq!(lost, 1);
    }

    #[test]
    fn a_record_too_long_to_be_read_is_counted() {
        let text = record("http://ex.org/long", "200 OK", &"a".repeat(200_000)) + &two()[0];
        let file = file(".warc", text.as_bytes());
        let (params, mut copied) = (Params { max_record_bytes: 1 << 10, ..Params::default() }, 0);
        let lost = copies(file.path(), &params, &Wanted::default(), |_| {
            copied += 1;
            Ok(())
        });
        assert_eq!((lost.expect("an archive"), copied), (1, 1));
    }

    #[test]
    fn records_of_each_warc_file_of_a_wacz_are_found() {
        use std::io::Write;
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        // The two records have the same length, and their dates are of different years.
        let both = ["a", "b"].map(|name| record(&format!("http://ex.org/{name}"), "200 OK", name));
        let both = [both[0].clone(), both[1].replace("2024", "2025")];
        for (name, record) in [("archive/a.warc", &both[0]), ("archive/b.warc", &both[1])] {
            zip.start_file(name, options).and_then(|()| Ok(zip.write_all(record.as_bytes())?)).expect("memory");
        }
        let file = file(".wacz", &zip.finish().expect("memory").into_inner());
        let at_0 = Wanted { offset: Some(0), ..Wanted::default() };
        assert_eq!(bytes(file.path(), &at_0).expect("an archive"), both);
        let second = Wanted { url: url("http://ex.org/b"), ..at_0 };
        assert_eq!(bytes(file.path(), &second).expect("an archive"), both[1..]);
    }

    #[test]
    fn lines_of_an_index_have_urls() {
        let line = |name: &str, status: u16| {
            format!(
                "org,ex)/{name} 20240506070809 {{\"url\": \"http://ex.org/{name}\", \"mime\": \"text/html\", \
                 \"status\": \"{status}\", \"offset\": \"5\", \"length\": \"9\", \"filename\": \"x.warc.gz\"}}\n"
            )
        };
        let lines = [line("a", 200), line("b", 404)];
        let file = file(".cdxj", lines.concat().as_bytes());
        let told: Vec<(String, Option<u16>)> =
            listed(file.path()).into_iter().map(|entry| (entry.url, entry.status)).collect();
        assert_eq!(told, [("http://ex.org/a".to_owned(), Some(200)), ("http://ex.org/b".to_owned(), Some(404))]);
        for (name, line) in ["a", "b"].iter().zip(&lines) {
            let wanted = Wanted { url: url(&format!("http://ex.org/{name}")), ..Wanted::default() };
            assert_eq!(bytes(file.path(), &wanted).expect("an archive").concat().trim_end(), line.trim_end());
        }
    }
}
