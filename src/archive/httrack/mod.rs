//! Mirrors made by HTTrack: a folder with the saved files of each host, and a cache of what the servers sent.
//!
//! The cache (`hts-cache/new.zip`) has each page as it was received, with its URL and headers, so it is read first. Pages that it lacks,
//! because it was cut off, damaged or deleted, are taken from the saved files: HTTrack noted in each page the URL from which it came, so
//! links that were turned into file names are turned back into URLs, and HTTrack's additions are removed.
//!
//! The offset and length of a record are those of its entry in the zip, header and data; for a saved file they are its number in the
//! reading order and its size. Positions are numbers in the reading order too.
//!
//! The names and links in a mirror come from whoever made it. Only regular files below its folder are read, and symbolic links are not
//! followed; everything else is skipped as [`SkipReason::FileNotRead`].

mod cache;
mod saved;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::format::{Archive, Format, Item, Params};
use super::mime::is_html_type;
use crate::error::{Error, Result};
use crate::files;
use crate::types::{Lang, RawRecord, Skip, SkipReason};

/// The format of mirrors.
pub(super) struct HttrackFormat;

impl Format for HttrackFormat {
    fn name(&self) -> &'static str {
        "HTTrack mirror"
    }

    fn recognises(&self, path: &Path, _head: &[u8]) -> bool {
        path.is_dir()
            && (path.join("hts-cache").is_dir() || path.join("hts-log.txt").is_file() || saved::has_start_page(path))
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        let mut mirror = Mirror::read(path, params)?;
        mirror.next = usize::try_from(position).unwrap_or(usize::MAX).min(mirror.sources.len());
        Ok(Box::new(mirror))
    }
}

/// Where a capture comes from.
enum Source {
    Cached(cache::Entry),
    Saved(saved::SavedFile),
}

struct Mirror {
    root: PathBuf,
    cache: Option<(PathBuf, File)>,
    sources: Vec<Source>,
    /// Saved file, as a path below the root → the URL it came from.
    urls: HashMap<String, String>,
    /// Time of the last change in the mirror, for pages that have no date.
    written_ms: i64,
    next: usize,
    max_record_bytes: u64,
}

impl Mirror {
    /// Lists the captures of a mirror: the cache's entries in their order, then the saved files by path.
    fn read(root: &Path, params: &Params) -> Result<Mirror> {
        let mut refused = Vec::new();
        let mut cache = cache_of(root, &mut refused)?;
        let directory = match &mut cache {
            Some((path, file)) => cache::Directory::read(file).map_err(Error::io(path, "reading"))?,
            None => cache::Directory::default(),
        };
        let mut urls = HashMap::new();
        for entry in &directory.entries {
            if let Some(saved) = &entry.saved {
                urls.insert(saved.clone(), entry.url.clone());
            }
        }
        let mut sources: Vec<Source> = directory.entries.into_iter().map(Source::Cached).collect();
        // A cache that was closed properly is complete: all other files are HTTrack's own, or error pages.
        if !directory.whole {
            let known: HashSet<&str> = urls.keys().map(String::as_str).collect();
            let files = saved::list(root, &known, &mut refused)?;
            for file in &files {
                urls.entry(file.path.clone()).or_insert_with(|| file.url.clone());
            }
            sources.extend(files.into_iter().map(Source::Saved));
        }
        sources.extend(refused.into_iter().map(Source::Saved));
        let written = ["hts-cache/new.txt", "hts-cache/new.zip", "hts-log.txt", "index.html"];
        let written_ms = written.iter().map(|name| saved::modified_ms(root, name)).find(|ms| *ms > 0);
        Ok(Mirror {
            root: root.to_owned(),
            cache,
            sources,
            urls,
            written_ms: written_ms.unwrap_or(0),
            next: 0,
            max_record_bytes: params.max_record_bytes,
        })
    }

    fn cached(&mut self, entry: &cache::Entry) -> Result<Item> {
        let skip = |reason, detail: String| {
            let (offset, length, url) = (entry.offset, entry.length, entry.url.clone());
            Item::Skip(Skip { reason, offset, length, url, detail })
        };
        if entry.status != 200 {
            return Ok(skip(SkipReason::Status, entry.status.to_string()));
        }
        if let Some(content_type) = &entry.content_type
            && !is_html_type(content_type)
        {
            return Ok(skip(SkipReason::NotHtml, content_type.clone()));
        }
        if entry.bytes > self.max_record_bytes {
            let detail = format!("{} bytes, the limit is {}", entry.bytes, self.max_record_bytes);
            return Ok(skip(SkipReason::TooLong, detail));
        }
        let Some((path, file)) = &mut self.cache else { return Ok(skip(SkipReason::Truncated, String::new())) };
        let mut problem = None;
        let mut record = RawRecord {
            url: entry.url.clone(),
            offset: entry.offset,
            length: entry.length,
            content_type: entry.content_type.clone(),
            ..RawRecord::default()
        };
        if entry.in_cache {
            match entry.body(file).map_err(Error::io(&*path, "reading"))? {
                Ok(body) => record.block = body,
                Err(found) => problem = Some(found),
            }
        }
        record.date_ms = entry.saved.as_deref().map_or(0, |local| saved::mirrored_ms(&self.root, local));
        if record.date_ms == 0 {
            record.date_ms = self.written_ms;
        }
        if !entry.in_cache || problem.is_some() {
            let restore = |local| saved::restore(&self.root, local, &self.urls, self.max_record_bytes);
            match (entry.saved.as_deref().map_or(Ok(None), restore), problem) {
                (Ok(Some(restored)), _) => {
                    record.block = restored.body;
                    record.content_type = restored.content_type.or(record.content_type);
                }
                (Err(error), _) if files::is_refusal(&error) => {
                    let local = entry.saved.as_deref().unwrap_or_default();
                    return Ok(skip(SkipReason::FileNotRead, format!("{local}: {error}")));
                }
                (_, Some(problem)) => return Ok(skip(SkipReason::BadCompression, problem)),
                (_, None) => return Ok(skip(SkipReason::EmptyBody, "headers only in the cache".to_owned())),
            }
        }
        Ok(Item::Record(record))
    }

    fn saved(&self, ordinal: usize, file: &saved::SavedFile) -> Item {
        let offset = ordinal as u64;
        let skip = |reason, detail: String| {
            Item::Skip(Skip { reason, offset, length: file.bytes, url: file.url.clone(), detail })
        };
        if let Some((reason, detail)) = &file.refusal {
            return skip(*reason, detail.clone());
        }
        if file.bytes > self.max_record_bytes {
            return skip(SkipReason::TooLong, format!("{} bytes, the limit is {}", file.bytes, self.max_record_bytes));
        }
        match saved::restore(&self.root, &file.path, &self.urls, self.max_record_bytes) {
            Ok(Some(restored)) => Item::Record(RawRecord {
                form: crate::types::Form::Page,
                url: file.url.clone(),
                date_ms: if file.date_ms == 0 { self.written_ms } else { file.date_ms },
                offset,
                length: file.bytes,
                content_type: restored.content_type,
                language: Lang::UNKNOWN,
                block: restored.body,
                ..RawRecord::default()
            }),
            Ok(None) => skip(SkipReason::TooLong, format!("grown past the limit of {}", self.max_record_bytes)),
            // If one file cannot be read, the others may still be.
            Err(error) => skip(SkipReason::BadRecord, format!("{}: {error}", file.path)),
        }
    }
}

/// The cache of a mirror; the newer one if both can be read. Notes what is not read.
fn cache_of(root: &Path, refused: &mut Vec<saved::SavedFile>) -> Result<Option<(PathBuf, File)>> {
    for name in ["hts-cache/new.zip", "hts-cache/old.zip"] {
        let path = root.join(name);
        match files::open_below(root, name) {
            Ok(file) => return Ok(Some((path, file))),
            Err(error) if files::is_refusal(&error) => refused.push(saved::SavedFile::refused(name, &error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(&path, "opening")(error)),
        }
    }
    Ok(None)
}

impl Archive for Mirror {
    fn next(&mut self) -> Result<Option<Item>> {
        let ordinal = self.next;
        let Some(source) = self.sources.get_mut(ordinal) else { return Ok(None) };
        // The source is taken out while it is read, so that reading may use the rest of the mirror.
        let source = std::mem::replace(source, Source::Saved(saved::SavedFile::default()));
        let item = match &source {
            Source::Cached(entry) => self.cached(entry)?,
            Source::Saved(file) => self.saved(ordinal, file),
        };
        self.sources[ordinal] = source;
        self.next += 1;
        Ok(Some(item))
    }

    fn position(&self) -> u64 {
        self.next as u64
    }

    fn end(&self) -> Option<u64> {
        Some(self.sources.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use proptest::prelude::*;

    use super::*;
    use crate::archive::{capture, open};

    const ORIGINAL: &str = "<html><head></head><body><a href=\"/d/?x=1&amp;y=2\">b</a></body></html>";
    const SAVED: &str = "<html>\n<!-- Mirrored from ex.org/ by HTTrack Website Copier/3.x [XR&CO'2014], \
        Sat, 21 Nov 2026 22:11:06 GMT -->\n<head></head><body><a href=\"d/index1234.html?x=1&amp;y=2\">b</a></body></html>";
    const OTHER: &str = "<html>\n<!-- Mirrored from ex.org/d/?x=1&y=2 by HTTrack Website Copier/3.x [XR&CO'2014], \
        Sat, 21 Nov 2026 22:11:07 GMT -->\n<body>other</body></html>";

    /// A zip entry as HTTrack writes it, with the headers in the local extra field.
    fn entry(url: &str, headers: &str, body: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let data = encoder.write_all(body).and_then(|()| encoder.finish()).expect("memory");
        let extra = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
        let mut entry = b"PK\x03\x04\x14\x00\x00\x00\x08\x00\x00\x00\x00\x00".to_vec();
        entry.extend(libdeflater::crc32(body).to_le_bytes());
        entry.extend((data.len() as u32).to_le_bytes());
        entry.extend((body.len() as u32).to_le_bytes());
        entry.extend((url.len() as u16).to_le_bytes());
        entry.extend((extra.len() as u16).to_le_bytes());
        [entry.as_slice(), url.as_bytes(), extra.as_bytes(), &data].concat()
    }

    fn cache() -> Vec<u8> {
        let html = "X-In-Cache: 1\r\nX-StatusCode: 200\r\nContent-Type: text/html\r\n";
        [
            entry(
                "http://ex.org/",
                &format!("{html}X-Charset: utf-8\r\nX-Save: ex.org/index.html\r\n"),
                ORIGINAL.as_bytes(),
            ),
            entry(
                "ex.org/d/?x=1&y=2",
                "X-In-Cache: 0\r\nX-StatusCode: 200\r\nX-Save: ex.org/d/index1234.html\r\n",
                b"",
            ),
            entry("http://ex.org/gone", "X-In-Cache: 0\r\nX-StatusCode: 404\r\nContent-Type: text/html\r\n", b""),
            entry(
                "http://ex.org/x.css",
                "X-StatusCode: 200\r\nContent-Type: text/css\r\nX-Save: ex.org/x.css\r\n",
                b"p {}",
            ),
            b"PK\x01\x02".to_vec(),
        ]
        .concat()
    }

    fn mirror(cache: &[u8]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, data: &[u8]| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, data).expect("a file");
        };
        put("hts-cache/new.zip", cache);
        put("ex.org/index.html", SAVED.as_bytes());
        put("ex.org/d/index1234.html", OTHER.as_bytes());
        put("ex.org/gone.html", b"<html><head><title>404</title></head></html>");
        put("ex.org/x.css", b"p {}");
        folder
    }

    fn items(root: &Path, position: u64) -> Vec<Item> {
        let mut archive = open(root, position, &Params::default()).expect("a mirror");
        let mut items = Vec::new();
        while let Some(item) = archive.next().expect("readable") {
            items.push(item);
            assert!(items.len() < 100);
        }
        assert_eq!(archive.end(), Some(archive.position()));
        items
    }

    /// URLs and bodies of the pages.
    fn pages(items: Vec<Item>) -> Vec<(String, String)> {
        let page = |item| match item {
            Item::Record(record) => capture(record, &Params::default()).ok(),
            Item::Skip(_) => None,
        };
        let pages = items.into_iter().filter_map(page);
        let mut pages: Vec<_> =
            pages.map(|page| (page.url, String::from_utf8_lossy(&page.body).into_owned())).collect();
        pages.sort();
        pages
    }

    #[test]
    fn the_cache_gives_pages_as_they_came() {
        let folder = mirror(&cache());
        let items = items(folder.path(), 0);
        let Item::Record(first) = &items[0] else { panic!("{items:?}") };
        assert_eq!(first.content_type.as_deref(), Some("text/html; charset=utf-8"));
        assert_eq!((first.offset, first.date_ms), (0, 1_795_299_066_000));
        let pages = pages(items);
        assert_eq!(pages[0], ("http://ex.org/".to_owned(), ORIGINAL.to_owned()));
        // The cache has only the headers of this page.
        assert_eq!(pages[1], ("http://ex.org/d/?x=1&y=2".to_owned(), "<html><body>other</body></html>".to_owned()));
        assert_eq!(pages.len(), 2);
    }

    #[test]
    fn saved_files_stand_in_for_a_cache_that_is_damaged() {
        let cache = cache();
        let expected = pages(items(mirror(&cache).path(), 0));
        for cut in 0..cache.len() {
            let found = pages(items(mirror(&cache[..cut]).path(), 0));
            let urls_of = |pages: &[(String, String)]| pages.iter().map(|page| page.0.clone()).collect::<Vec<_>>();
            assert_eq!(urls_of(&found), urls_of(&expected), "cut at {cut}");
            assert!(
                found[0].1.contains("=\"/d/?x=1&amp;y=2") || found[0].1.contains("=\"http://ex.org/d/?x=1&amp;y=2")
            );
        }
    }

    #[test]
    fn reading_goes_on_from_every_position() {
        let cache = cache();
        let folder = mirror(&cache[..cache.len() / 2]);
        let all = items(folder.path(), 0);
        for position in 0..=all.len() {
            assert_eq!(items(folder.path(), position as u64), all[position..]);
        }
    }

    proptest! {
        #[test]
        fn a_cache_of_arbitrary_bytes_never_panics(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        ) {
            let mut cache = cache();
            for (at, byte) in changes {
                let at = at.index(cache.len());
                cache[at] = byte;
            }
            items(mirror(&cache).path(), 0);
        }
    }
}
