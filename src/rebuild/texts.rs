//! The texts of pages, taken out of archives and put into a temporary file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::archive::{self, Archive, Item, Limits, STREAM, Stream};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::intake::{self, Sink};
use crate::site::paragraphs::sentence_text;
use crate::store::layout::{PageEntry, StoredPage};
use crate::types::{CanonicalUrl, Place, Skip, SkipReason, without_scheme};

/// A page: hashes of its URL without scheme, and of its text.
type Page = (u64, u64);

/// How many texts that were asked for last are kept in memory: those of a page pair, and those of the one before.
const KEPT: usize = 4;

/// What was found in archives in place of a page. Of several such findings the last one in this list tells most.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Instead {
    #[default]
    Nothing,
    OtherText,
    TooLong,
}

impl Instead {
    fn reason(self) -> &'static str {
        match self {
            Instead::Nothing => "whose page is not in the archives",
            Instead::OtherText => "whose page has another text in the archives",
            Instead::TooLong => "whose record is longer than --max-record-bytes",
        }
    }
}

/// The texts of wanted pages. Memory grows with the number of pages, by some 100 bytes each, and not with their texts.
pub struct Texts {
    /// Where the text of each page lies in the file, once it was found.
    pages: FxHashMap<Page, Option<(u64, usize)>>,
    /// The URLs of these pages, each with what was found in place of the page.
    urls: FxHashMap<u64, Instead>,
    file: File,
    bytes: u64,
    kept: Vec<(Page, StoredPage)>,
}

fn page(place: &Place) -> Page {
    (xxh3_64(without_scheme(&place.url).as_bytes()), place.page)
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

    /// True where no text was found yet.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(super) fn want(&mut self, place: &Place) {
        let page = page(place);
        self.pages.entry(page).or_default();
        self.urls.entry(page.0).or_default();
    }

    /// Takes the texts of wanted pages out of an archive, or out of standard input; returns whether it is sound. The inner error says why it was not
    /// read to its end.
    ///
    /// # Errors
    /// When the texts cannot be written, and what `stop` returns.
    pub fn read(
        &mut self,
        path: &Path,
        config: &Config,
        stop: &dyn Fn() -> Result<()>,
    ) -> Result<std::result::Result<bool, Error>> {
        let source = match open(path, config, stop)? {
            Ok(source) => source,
            Err(error) => return Ok(Err(error)),
        };
        let limits = Limits { bytes: config.ingest.portion_bytes, records: config.ingest.portion_records };
        let (mut is_sound, mut is_done) = (true, false);
        for portion in archive::portions(source, limits, stop) {
            let mut portion = match portion {
                Ok(portion) => portion,
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => return Ok(Err(error)),
            };
            is_done = portion.done;
            portion.items.retain(|item| match item {
                Item::Record(record) => self.url(&record.url).is_some(),
                Item::Skip(skip) => {
                    is_sound &= !skip.reason.is_damage();
                    self.skipped(skip);
                    false
                }
            });
            intake::take(&mut Found(self), config, None, portion, &|| ())?;
            stop()?;
        }
        Ok(if is_done { Ok(is_sound) } else { Err(archive::unforeseen(&path.display().to_string())) })
    }

    /// What was found for a URL; `None` where the URL is not wanted.
    fn url(&mut self, url: &str) -> Option<&mut Instead> {
        self.urls.get_mut(&xxh3_64(CanonicalUrl::parse(url).ok()?.identity().as_bytes()))
    }

    fn skipped(&mut self, skip: &Skip) {
        if matches!(skip.reason, SkipReason::TooLong | SkipReason::BodyTooLong)
            && let Some(instead) = self.url(&skip.url)
        {
            *instead = Instead::TooLong;
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(found) = StoredPage::decode(bytes) else { return Ok(()) };
        let page = (xxh3_64(without_scheme(found.url()).as_bytes()), xxh3_64(found.text().as_bytes()));
        match self.pages.get_mut(&page) {
            Some(place @ None) => {
                self.file.write_all(bytes).map_err(on_disk("writing a temporary file"))?;
                *place = Some((self.bytes, bytes.len()));
                self.bytes += bytes.len() as u64;
            }
            Some(Some(_)) => {}
            None => {
                self.urls.entry(page.0).and_modify(|instead| *instead = Instead::OtherText.max(*instead));
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
                    return Ok(Err(self.urls.get(&page.0).copied().unwrap_or_default().reason()));
                };
                let mut bytes = vec![0; length];
                let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut bytes));
                read.map_err(on_disk("reading a temporary file"))?;
                let Some(stored) = StoredPage::decode(&bytes) else {
                    return Ok(Err(Instead::Nothing.reason()));
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

/// Opens an archive; the inner error says why it cannot be read.
fn open(
    path: &Path,
    config: &Config,
    stop: &dyn Fn() -> Result<()>,
) -> Result<std::result::Result<Box<dyn Archive>, Error>> {
    if path.as_os_str() != STREAM {
        return Ok(archive::open(path, 0, &config.archive));
    }
    let params = config.archive.clone();
    archive::patiently(move || Stream::of_standard_input()?.open(0, &params), stop)
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
    fn skip(&mut self, skip: Skip, _: Option<String>, _: Vec<u8>) {
        self.0.skipped(&skip);
    }
    fn weigh(&mut self, _: usize) {}
}
