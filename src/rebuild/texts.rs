//! The texts of pages, taken out of archives and put into a temporary file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::archive::{self, Item, Limits};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::intake::{self, Sink};
use crate::query::sentence_text;
use crate::store::layout::{PageEntry, StoredPage};
use crate::types::{CanonicalUrl, Place, Skip};

/// A page: hashes of its URL without scheme, and of its text.
type Page = (u64, u64);

/// How many texts that were asked for last are kept in memory: those of a page pair, and those of the one before.
const KEPT: usize = 4;

/// The texts of wanted pages. Memory grows with the number of pages, by some 60 bytes each, and not with their texts.
pub struct Texts {
    /// Where the text of each page lies in the file, once it was found.
    pages: FxHashMap<Page, Option<(u64, usize)>>,
    /// The URLs of these pages, each with whether it was found with another text.
    urls: FxHashMap<u64, bool>,
    file: File,
    bytes: u64,
    kept: Vec<(Page, StoredPage)>,
}

fn page(place: &Place) -> Page {
    let identity = place.url.split_once("://").map_or(place.url.as_str(), |(_, identity)| identity);
    (xxh3_64(identity.as_bytes()), place.page)
}

fn on_disk(action: &'static str) -> impl FnOnce(std::io::Error) -> Error {
    Error::io(std::env::temp_dir(), action)
}

impl Texts {
    pub(super) fn new() -> Result<Texts> {
        let file = tempfile::tempfile().map_err(on_disk("making a temporary file"))?;
        let (pages, urls) = Default::default();
        Ok(Texts { pages, urls, file, bytes: 0, kept: Vec::new() })
    }

    pub(super) fn want(&mut self, place: &Place) {
        let page = page(place);
        self.pages.entry(page).or_default();
        self.urls.entry(page.0).or_default();
    }

    /// Takes the texts of wanted pages out of an archive.
    ///
    /// # Errors
    /// When it cannot be read, and what `stop` returns.
    pub fn read(&mut self, path: &Path, config: &Config, stop: &dyn Fn() -> Result<()>) -> Result<()> {
        let source = archive::open(path, 0, &config.archive)?;
        let limits = Limits { bytes: config.ingest.portion_bytes, records: config.ingest.portion_records };
        for portion in archive::portions(source, limits, stop) {
            let mut portion = portion?;
            portion.items.retain(|item| match item {
                Item::Record(record) => CanonicalUrl::parse(&record.url)
                    .is_ok_and(|url| self.urls.contains_key(&xxh3_64(url.identity().as_bytes()))),
                Item::Skip(_) => false,
            });
            intake::take(&mut Found(self), config, None, portion)?;
            stop()?;
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(found) = StoredPage::decode(bytes) else { return Ok(()) };
        let identity = found.url().split_once("://").map_or(found.url(), |(_, identity)| identity);
        let page = (xxh3_64(identity.as_bytes()), xxh3_64(found.text().as_bytes()));
        match self.pages.get_mut(&page) {
            Some(place @ None) => {
                self.file.write_all(bytes).map_err(on_disk("writing a temporary file"))?;
                *place = Some((self.bytes, bytes.len()));
                self.bytes += bytes.len() as u64;
            }
            Some(Some(_)) => {}
            None => {
                self.urls.entry(page.0).and_modify(|is_other| *is_other = true);
            }
        }
        Ok(())
    }

    /// The text of a place; the inner error says why there is none.
    pub(super) fn text(&mut self, place: &Place) -> Result<std::result::Result<String, &'static str>> {
        let page = page(place);
        let at = match self.kept.iter().position(|(known, _)| *known == page) {
            Some(at) => at,
            None => {
                let Some(&Some((start, length))) = self.pages.get(&page) else {
                    let is_other = self.urls.get(&page.0).is_some_and(|is_other| *is_other);
                    let reason = if is_other {
                        "whose page has another text in the archives"
                    } else {
                        "whose page is not in the archives"
                    };
                    return Ok(Err(reason));
                };
                let mut bytes = vec![0; length];
                let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut bytes));
                read.map_err(on_disk("reading a temporary file"))?;
                let Some(stored) = StoredPage::decode(&bytes) else {
                    return Ok(Err("whose page is not in the archives"));
                };
                if self.kept.len() == KEPT {
                    self.kept.remove(0);
                }
                self.kept.push((page, stored));
                self.kept.len() - 1
            }
        };
        let text = sentence_text(&self.kept[at].1, place.span);
        Ok(if text.is_empty() { Err("whose place is not on the page") } else { Ok(text) })
    }
}

/// Receives the pages of an archive.
struct Found<'t>(&'t mut Texts);

impl Sink for Found<'_> {
    fn archive(&self) -> u32 {
        0
    }
    fn records(&mut self, _: u64, _: u64, _: bool) {}
    fn pages(&mut self, pages: Vec<(PageEntry, Vec<u8>)>) -> Result<()> {
        pages.iter().try_for_each(|(_, bytes)| self.0.put(bytes))
    }
    fn skip(&mut self, _: Skip, _: Option<String>, _: Vec<u8>) {}
    fn weigh(&mut self, _: usize) {}
}
