//! Takes results of other processes into a store: pages of archives, credibility of patterns, and what was learnt.

use std::collections::BTreeMap;

use super::Store;
use super::catalog::Changes;
use super::layout::{
    ArchiveIdentity, ArchiveRecord, BLOCK_PAGES, BatchRecord, Credibility, LearntHead, LearntRecord, ModelHead,
    ModelRecord, PageEntry, SkipEntry, StoredPage, encode, page_of_block,
};
use super::packing::unpack;
use super::pages::packed_blocks;
use super::records::RecordRef;
use crate::error::{Error, Result};
use crate::types::{ArchiveId, Capture, LangPair, Page, SkipReason, host_of};

/// Pages, each with its record as bytes, and the captures that were left out.
pub(crate) type Unpacked = (Vec<(PageEntry, Vec<u8>)>, Vec<SkipEntry>);

/// Pages of one archive, packed as they lie in a store, and the captures that were left out.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    /// The pages. The field for the page record holds the number of the block times [`BLOCK_PAGES`], plus the place in the block.
    pub pages: Vec<PageEntry>,
    /// Left-out captures that have a web URL.
    pub skipped: Vec<SkipEntry>,
    /// The blocks.
    pub blocks: Vec<Vec<u8>>,
}

impl Captures {
    /// Packs pages, each with its record as bytes, into portions of about `max_bytes`; the first portion has the captures that were left
    /// out.
    ///
    /// # Errors
    /// When a page is longer than the format allows.
    pub fn pack(pages: Vec<(PageEntry, Vec<u8>)>, skipped: Vec<SkipEntry>, max_bytes: usize) -> Result<Vec<Captures>> {
        let places = pages.iter().map(|(entry, bytes)| (host_of(&entry.identity), bytes.as_slice())).collect();
        let blocks = packed_blocks(places).map_err(Error::io("memory", "compressing pages"))?;
        let mut portions = vec![Captures { skipped, ..Captures::default() }];
        let mut bytes = 0;
        for block in blocks {
            if bytes > 0 && bytes + block.bytes.len() > max_bytes {
                portions.push(Captures::default());
                bytes = 0;
            }
            let Some(portion) = portions.last_mut() else { continue };
            bytes += block.bytes.len();
            for (&page, place) in block.pages.iter().zip(0u64..) {
                let at = (portion.blocks.len() * BLOCK_PAGES) as u64 + place;
                portion.pages.push(PageEntry { page: at, ..pages[page].0.clone() });
            }
            portion.blocks.push(block.bytes);
        }
        Ok(portions)
    }

    /// True when each page can be read at its place in the blocks, and all pages and left-out captures are of the given archive.
    pub fn is_sound(&self, archive: u32) -> bool {
        let blocks: Vec<_> = self.blocks.iter().map(|block| unpack(block)).collect();
        let page = |entry: &PageEntry| {
            let place = usize::try_from(entry.page).ok()?;
            let bytes = page_of_block(blocks.get(place / BLOCK_PAGES)?.as_ref()?, place % BLOCK_PAGES)?;
            Some(StoredPage::decode(bytes)?.archive == archive && entry.links == 0)
        };
        let skip = |entry: &SkipEntry| entry.archive == archive && SkipReason::from_code(entry.reason).is_some();
        self.pages.iter().all(|entry| page(entry) == Some(true)) && self.skipped.iter().all(skip)
    }

    /// The pages, each with its record as bytes, and the left-out captures, as they were packed; `None` where they make no sense.
    pub fn unpack(self) -> Option<Unpacked> {
        let blocks = self.blocks.iter().map(|block| unpack(block)).collect::<Option<Vec<_>>>()?;
        let page = |entry: PageEntry| {
            let place = usize::try_from(entry.page).ok()?;
            let bytes = page_of_block(blocks.get(place / BLOCK_PAGES)?, place % BLOCK_PAGES)?.to_vec();
            Some((entry, bytes))
        };
        Some((self.pages.into_iter().map(page).collect::<Option<_>>()?, self.skipped))
    }
}

/// Captures on their way into a store.
#[derive(Default)]
pub(crate) struct Imports {
    /// Batches that are not committed yet, by the number of the archive.
    batches: BTreeMap<u32, BatchRecord>,
    waiting: usize,
}

/// How many captures wait for one commit, at most; each takes some hundred bytes.
const WAITING: usize = 200_000;

impl Imports {
    /// Takes captures of the archive of this number. Pages are appended at once; their entries are committed from time to time.
    ///
    /// # Errors
    /// When the captures make no sense, or the disk does not take them.
    pub fn add(
        &mut self,
        store: &mut Store,
        archive: u32,
        captures: Captures,
        identities: &BTreeMap<u32, ArchiveIdentity>,
    ) -> Result<()> {
        let mut places = Vec::with_capacity(captures.blocks.len());
        for block in &captures.blocks {
            places.push(store.pages.append_packed_bytes(block)?);
        }
        let count = captures.pages.len() + captures.skipped.len();
        self.waiting += count;
        let batch = self.batches.entry(archive).or_insert_with(|| BatchRecord {
            archive,
            done: true,
            ..BatchRecord::default()
        });
        batch.records += count as u64;
        for entry in captures.pages {
            let (block, place) = (entry.page as usize / BLOCK_PAGES, entry.page as usize % BLOCK_PAGES);
            let at: &RecordRef =
                places.get(block).ok_or_else(|| Error::input("page rows", "a page names a block that is not there"))?;
            batch.pages.push(PageEntry { page: at.with_place(place).0, ..entry });
        }
        batch.skipped.extend(captures.skipped);
        if self.waiting >= WAITING { self.commit(store, identities) } else { Ok(()) }
    }

    /// Commits the captures that wait.
    ///
    /// # Errors
    /// When an archive has no identity, or the disk does not take it.
    pub fn commit(&mut self, store: &mut Store, identities: &BTreeMap<u32, ArchiveIdentity>) -> Result<()> {
        let mut changes = Changes::default();
        for (number, mut batch) in std::mem::take(&mut self.batches) {
            let identity = identities.get(&number).ok_or_else(|| {
                Error::input("page rows", format!("nothing is known of archive {number}; give its row by --with"))
            })?;
            batch.identity = identity.clone();
            let (pages, records) = (batch.pages.len() as u64, batch.records);
            store.batches.append_packed(&batch)?;
            let known = store.archive(ArchiveId(number))?;
            let mut archive = known.unwrap_or(ArchiveRecord { identity: identity.clone(), ..ArchiveRecord::default() });
            archive.done = true;
            archive.pages += pages;
            archive.records += records;
            changes.put_archive(number, &archive);
        }
        self.waiting = 0;
        if changes.is_empty() { Ok(()) } else { store.commit(changes) }
    }
}

impl Store {
    /// Replaces the global credibility of patterns in this store.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn import_credibility(&mut self, known: &[(String, Credibility)]) -> Result<()> {
        let mut changes = Changes::default();
        known.iter().for_each(|(pattern, sum)| changes.put_credibility(pattern, sum));
        self.commit(changes)
    }

    /// Takes what verification has learnt of language pairs.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn import_learnt(&mut self, learnt: Vec<(LangPair, LearntRecord)>) -> Result<()> {
        let mut changes = Changes::default();
        for (langs, record) in learnt {
            let head = LearntHead { record: self.learnt.append_packed(&record)?.0, inputs: record.inputs };
            changes.put_learnt(langs, &head);
        }
        self.commit(changes)
    }

    /// Takes what alignment has learnt of language pairs.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn import_models(&mut self, models: Vec<(LangPair, ModelRecord)>) -> Result<()> {
        let mut changes = Changes::default();
        for (langs, record) in models {
            let head = ModelHead { record: self.models.append_packed(&record)?.0, ..ModelHead::default() };
            changes.put_model(langs, &head);
        }
        self.commit(changes)
    }

    /// Appends pages of which only the URLs are known, for references from other sites. They exist from the next commit on.
    ///
    /// # Errors
    /// When the disk does not take them.
    pub(crate) fn append_strangers(&mut self, urls: &[&str]) -> Result<Vec<RecordRef>> {
        let record = |url: &&str| encode(url, 0, &Capture::default(), &Page::default());
        let records: Vec<Vec<u8>> = urls.iter().map(record).collect();
        self.append_pages(records.iter().map(|record| ("", record.as_slice())).collect())
    }
}
