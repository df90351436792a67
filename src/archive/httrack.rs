//! Mirrors made by HTTrack: a folder with the saved files of each host, and a cache of what the servers sent.
//!
//! The cache (`hts-cache/new.zip`) has each page as it came, its address and its headers, so it goes first. What it does
//! not hold, because it was cut off, damaged or thrown away, is taken from the saved files: HTTrack noted in
//! each page which address it came from, so the links it turned into file names are turned back into addresses, and what
//! it added is taken out.
//!
//! A record's offset and length are those of its entry in the zip, header and data; for a saved file they are its number
//! in the reading order and its size. Positions are numbers in the reading order too.

mod cache;
mod links;
mod saved;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::http::is_html_type;
use super::{Archive, Format, Item, Params};
use crate::error::{Error, Result};
use crate::types::{RawRecord, Skip, SkipReason};

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
    /// Saved file, as a path below the root → the address it came from.
    addresses: HashMap<String, String>,
    /// When the mirror was last written, for pages that do not tell.
    written_ms: i64,
    next: usize,
    max_record_bytes: u64,
}

impl Mirror {
    /// Lists what a mirror holds: entries of the cache in their order, then saved files by path.
    fn read(root: &Path, params: &Params) -> Result<Mirror> {
        let cache_path = ["new.zip", "old.zip"].map(|name| root.join("hts-cache").join(name));
        let cache_path = cache_path.into_iter().find(|path| path.is_file());
        let mut directory = cache::Directory::default();
        let mut cache = None;
        if let Some(path) = cache_path {
            let mut file = File::open(&path).map_err(Error::io(&path, "opening"))?;
            directory = cache::Directory::read(&mut file).map_err(Error::io(&path, "reading"))?;
            cache = Some((path, file));
        }
        let mut addresses = HashMap::new();
        for entry in &directory.entries {
            if let Some(saved) = &entry.saved {
                addresses.insert(saved.clone(), entry.url.clone());
            }
        }
        let mut sources: Vec<Source> = directory.entries.into_iter().map(Source::Cached).collect();
        // A cache that was closed whole has everything: other files are HTTrack's own, and error pages.
        if !directory.whole {
            let known: HashSet<&str> = addresses.keys().map(String::as_str).collect();
            let files = saved::list(root, &known)?;
            for file in &files {
                addresses.entry(file.path.clone()).or_insert_with(|| file.url.clone());
            }
            sources.extend(files.into_iter().map(Source::Saved));
        }
        let written = ["hts-cache/new.txt", "hts-cache/new.zip", "hts-log.txt", "index.html"];
        let written_ms = written.iter().map(|name| saved::modified_ms(&root.join(name))).find(|ms| *ms > 0);
        Ok(Mirror {
            root: root.to_owned(),
            cache,
            sources,
            addresses,
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
        let local = entry.saved.as_deref().map(|local| (local, self.root.join(local)));
        record.date_ms = local.as_ref().map_or(0, |(_, path)| saved::mirrored_ms(path));
        if record.date_ms == 0 {
            record.date_ms = self.written_ms;
        }
        if !entry.in_cache || problem.is_some() {
            let restored = local.and_then(|(local, path)| {
                saved::restore(&path, local, &self.addresses, self.max_record_bytes).ok().flatten()
            });
            match (restored, problem) {
                (Some(restored), _) => {
                    record.block = restored.body;
                    record.content_type = restored.content_type.or(record.content_type);
                }
                (None, Some(problem)) => return Ok(skip(SkipReason::BadCompression, problem)),
                (None, None) => return Ok(skip(SkipReason::EmptyBody, "headers only in the cache".to_owned())),
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
        match saved::restore(&self.root.join(&file.path), &file.path, &self.addresses, self.max_record_bytes) {
            Ok(Some(restored)) => Item::Record(RawRecord {
                url: file.url.clone(),
                date_ms: if file.date_ms == 0 { self.written_ms } else { file.date_ms },
                offset,
                length: file.bytes,
                http: false,
                content_type: restored.content_type,
                block: restored.body,
            }),
            Ok(None) => skip(SkipReason::TooLong, format!("grown past the limit of {}", self.max_record_bytes)),
            // One file that cannot be read says nothing about the others.
            Err(error) => skip(SkipReason::BadRecord, format!("{}: {error}", file.path)),
        }
    }
}

impl Archive for Mirror {
    fn next(&mut self) -> Result<Option<Item>> {
        let ordinal = self.next;
        let Some(source) = self.sources.get_mut(ordinal) else { return Ok(None) };
        // Taken out while it is read, so that reading may use the rest of the mirror.
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
