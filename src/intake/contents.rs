//! What an archive holds, record by record, for whoever wants to look into it.

use std::path::Path;

use crate::archive::{self, Copier, Item, Params};
use crate::error::{Error, Result};
use crate::types::{CanonicalUrl, RawRecord, Skip};

/// What a record is that may become a page.
const PAGE: &str = "page";

/// A record of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Where it begins, in bytes of the file; inside a compressed stream of many records, that of the stream and the bytes since.
    pub offset: u64,
    /// How many bytes of the file it takes; 0 where one compressed stream holds many records.
    pub length: u64,
    /// `page`, or why it is none.
    pub kind: &'static str,
    /// What was found, for what is no page; may be empty.
    pub detail: String,
    /// Its URL; empty if it has none.
    pub url: String,
    /// Milliseconds since 1970 UTC, 0 where unknown.
    pub date_ms: i64,
    /// HTTP status of a page.
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
        Err(skip) => Entry { url, date_ms, ..left_out(skip) },
    }
}

fn left_out(skip: Skip) -> Entry {
    let Skip { reason, offset, length, url, detail } = skip;
    Entry { offset, length, kind: reason.name(), detail, url, ..Entry::default() }
}

/// Which records are meant.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// That which begins here.
    pub offset: Option<u64>,
    /// Those of this URL.
    pub url: Option<CanonicalUrl>,
    /// The body alone, with codings undone.
    pub body: bool,
}

/// Calls `each` with the bytes of the records that are meant: of a WARC file header and block, else what the archive has of them. Records that
/// hold no page are left out where their bytes are not kept by reading.
///
/// # Errors
/// When the archive cannot be read, a body is asked for of a record that is no page, or what `each` returns.
pub fn copies(path: &Path, params: &Params, wanted: &Wanted, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut copier = Copier::open(path, params).ok().filter(|_| path.is_file());
    // A record that begins where a member of the file does is found there.
    if let Some(offset) = wanted.offset
        && let Ok(mut records) = archive::open(path, offset, params)
        && let Ok(Some(item)) = records.next()
        && place(&item).0 == offset
    {
        return copy(path, params, wanted, (item, &mut copier), &mut each);
    }
    let mut records = archive::open(path, 0, params)?;
    while let Some(item) = records.next()? {
        let is_there = wanted.offset.is_none_or(|offset| offset == place(&item).0);
        let has_url = |url: &CanonicalUrl| {
            CanonicalUrl::parse(place(&item).2).is_ok_and(|found| found.identity() == url.identity())
        };
        if is_there && wanted.url.as_ref().is_none_or(has_url) {
            copy(path, params, wanted, (item, &mut copier), &mut each)?;
        }
    }
    Ok(())
}

/// Offset, length and URL.
fn place(item: &Item) -> (u64, u64, &str) {
    match item {
        Item::Record(record) => (record.offset, record.length, &record.url),
        Item::Skip(skip) => (skip.offset, skip.length, &skip.url),
    }
}

fn copy(
    path: &Path,
    params: &Params,
    wanted: &Wanted,
    (item, copier): (Item, &mut Option<Copier>),
    each: &mut impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let (offset, length, _) = place(&item);
    if wanted.body {
        let Item::Record(record) = item else { return Ok(()) };
        return match archive::capture(record, params) {
            Ok(capture) => each(&capture.body),
            // Of all records, those that are no pages are left out.
            Err(_) if wanted.offset.is_none() => Ok(()),
            Err(skip) => {
                let place = format!("{}: record at byte {offset}", path.display());
                Err(Error::input(place, format!("no page: {} {}", skip.reason, skip.detail).trim_end().to_owned()))
            }
        };
    }
    let date_ms = if let Item::Record(record) = &item { record.date_ms } else { 0 };
    let copied = match copier {
        Some(copier) if length > 0 => copier.copy(offset, length, date_ms).unwrap_or_default(),
        _ => None,
    };
    match (copied, item) {
        (Some(copied), _) => each(&copied.record),
        (None, Item::Record(RawRecord { block, .. })) => each(&block),
        (None, Item::Skip(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WARC file of a page, and of one that is gone.
    fn warc() -> tempfile::NamedTempFile {
        let record = |url: &str, status: &str, html: &str| {
            let block = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{html}");
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
                 WARC-Record-ID: <urn:x>\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n\
                 {block}\r\n\r\n",
                block.len()
            )
        };
        let text =
            record("http://ex.org/a", "200 OK", "<p>one") + &record("http://ex.org/b", "404 Not Found", "<p>two");
        let file = tempfile::Builder::new().suffix(".warc").tempfile().expect("a file");
        std::fs::write(file.path(), text).expect("room on disk");
        file
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
        let mut found = Vec::new();
        contents(file.path(), &Params::default(), |entry| {
            found.push(entry);
            Ok(())
        })
        .expect("an archive");
        let told: Vec<(&str, &str, Option<u16>)> =
            found.iter().map(|entry| (entry.kind, entry.url.as_str(), entry.status)).collect();
        assert_eq!(told, [("page", "http://ex.org/a", Some(200)), ("http status not 200", "http://ex.org/b", None)]);
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
        let url = CanonicalUrl::parse("https://ex.org/a").expect("a URL");
        let body = Wanted { url: Some(url), body: true, ..Wanted::default() };
        assert_eq!(bytes(file.path(), &body).expect("an archive"), ["<p>one"]);
        let no_page = Wanted { body: true, ..second };
        let told = bytes(file.path(), &no_page).expect_err("no page").to_string();
        assert!(told.contains("no page: http status not 200"), "{told}");
        assert!(bytes(file.path(), &Wanted { offset: Some(7), ..Wanted::default() }).expect("an archive").is_empty());
    }
}
