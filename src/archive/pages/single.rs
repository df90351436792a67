//! A page by itself: MHTML, or HTML in which a browser or SingleFile noted its URL.

use std::io::Read;
use std::path::Path;

use super::mhtml;
use super::notes::{NOTE_BYTES, Note};
use crate::archive::format::{Archive, Format, Item, Params};
use crate::error::{Error, Result};
use crate::files;
use crate::types::{RawRecord, Skip, SkipReason};

/// The format of saved pages.
pub(in crate::archive) struct PageFormat;

impl Format for PageFormat {
    fn name(&self) -> &'static str {
        "saved page (MHTML, SingleFile)"
    }

    fn takes_pages(&self) -> bool {
        true
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        let head = &head[..head.len().min(NOTE_BYTES)];
        mhtml::begins(head) || Note::find(head).is_some()
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        let page = if position == 0 { Some(read(path, params).map_err(Error::io(path, "reading"))?) } else { None };
        Ok(Box::new(Single(page)))
    }
}

fn read(path: &Path, params: &Params) -> std::io::Result<Item> {
    let file = files::open(path)?;
    let metadata = file.metadata()?;
    let modified_ms = files::modified_ms(&metadata);
    let mut bytes = Vec::new();
    file.take(params.max_record_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    let place = Place { offset: 0, length: metadata.len(), modified_ms };
    if bytes.len() as u64 > params.max_record_bytes {
        let detail = format!("{} bytes, the limit is {}", metadata.len(), params.max_record_bytes);
        return Ok(place.skip(SkipReason::TooLong, String::new(), detail));
    }
    if mhtml::begins(&bytes[..bytes.len().min(NOTE_BYTES)]) {
        return Ok(of_mhtml(&bytes, place, None));
    }
    Ok(match Note::find(&bytes[..bytes.len().min(NOTE_BYTES)]) {
        Some(note) => {
            let date_ms = if note.date_ms == 0 { modified_ms } else { note.date_ms };
            place.record(note.url, date_ms, "text/html".to_owned(), bytes)
        }
        None => place.skip(SkipReason::FileNotRead, String::new(), "changed while it was read".to_owned()),
    })
}

/// Where the file of a page lies, and when it was last changed.
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) modified_ms: i64,
}

impl Place {
    fn record(self, url: String, date_ms: i64, content_type: String, block: Vec<u8>) -> Item {
        let (offset, length) = (self.offset, self.length);
        Item::Record(RawRecord {
            url,
            date_ms,
            offset,
            length,
            content_type: Some(content_type),
            block,
            ..RawRecord::default()
        })
    }

    fn skip(self, reason: SkipReason, url: String, detail: String) -> Item {
        Item::Skip(Skip { reason, offset: self.offset, length: self.length, url, detail })
    }
}

/// The page in an MHTML file. Where the file notes no URL, the page has the URL `named` that follows from the name of the file.
pub(super) fn of_mhtml(bytes: &[u8], place: Place, named: Option<String>) -> Item {
    let Some(page) = mhtml::page(bytes) else {
        return place.skip(
            SkipReason::NotHtml,
            String::new(),
            "MHTML in which no part is a page, or damaged".to_owned(),
        );
    };
    let date_ms = if page.date_ms == 0 { place.modified_ms } else { page.date_ms };
    match page.url.or(named) {
        Some(url) => place.record(url, date_ms, page.content_type, page.body),
        None => place.skip(SkipReason::BadUrl, String::new(), "MHTML that names no address".to_owned()),
    }
}

/// The page, until it has been read.
struct Single(Option<Item>);

impl Archive for Single {
    fn next(&mut self) -> Result<Option<Item>> {
        Ok(self.0.take())
    }

    fn position(&self) -> u64 {
        u64::from(self.0.is_none())
    }

    fn end(&self) -> Option<u64> {
        Some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{format_of, open};

    #[test]
    fn a_saved_page_is_an_archive_of_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page");
        let mhtml = "From: x\nSnapshot-Content-Location: http://ex.org/m\nMIME-Version: 1.0\n\
            Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>m\n--b--\n";
        let noted = "<html><!-- Page saved with SingleFile\n url: http://ex.org/s\n--><p>s";
        for (text, url) in [(mhtml, "http://ex.org/m"), (noted, "http://ex.org/s")] {
            std::fs::write(&path, text).expect("room on the disk");
            assert!(format_of(&path).expect("known").name().starts_with("saved page"));
            let mut archive = open(&path, 0, &Params::default()).expect("there");
            let Some(Item::Record(record)) = archive.next().expect("readable") else { panic!("a page") };
            assert_eq!((record.url.as_str(), record.date_ms > 0), (url, true));
            assert!(String::from_utf8_lossy(&record.block).contains("<p>"));
            assert_eq!((archive.next().expect("readable"), archive.position()), (None, 1));
            assert_eq!(open(&path, 1, &Params::default()).expect("there").next().expect("readable"), None);
            let short = Params { max_record_bytes: 10, ..Params::default() };
            let Some(Item::Skip(skip)) = open(&path, 0, &short).expect("there").next().expect("readable") else {
                panic!()
            };
            assert_eq!(skip.reason, SkipReason::TooLong);
        }
    }
}
