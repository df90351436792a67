//! Pages of a store: written in blocks, read one by one.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::Store;
use super::kept_blocks::KeptBlocks;
use super::layout::{BLOCK_BYTES, BLOCK_PAGES, StoredPage, block, page_of_block};
use super::packing::pack;
use super::records::RecordRef;
use crate::error::{Error, Result};

/// Divides pages into blocks: ranges of a list of encoded pages that are stored one after the other.
fn blocks_of(pages: &[&[u8]]) -> Vec<std::ops::Range<usize>> {
    let (mut blocks, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, page) in pages.iter().enumerate() {
        bytes += page.len();
        if at + 1 - start == BLOCK_PAGES || bytes >= BLOCK_BYTES {
            blocks.push(start..at + 1);
            (start, bytes) = (at + 1, 0);
        }
    }
    if start < pages.len() {
        blocks.push(start..pages.len());
    }
    blocks
}

/// A block, and the pages in it.
pub(crate) struct PackedBlock {
    /// The block as it lies in the store.
    pub bytes: Vec<u8>,
    /// The pages in it, as positions in the list that was packed.
    pub pages: Vec<usize>,
}

/// Packs pages, each given with its host, so that those of a host lie together.
///
/// # Errors
/// When one is longer than the format allows.
pub(crate) fn packed_blocks(pages: Vec<(&str, &[u8])>) -> std::io::Result<Vec<PackedBlock>> {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by_key(|&at| pages[at].0);
    let sorted: Vec<&[u8]> = order.iter().map(|&at| pages[at].1).collect();
    let blocks = blocks_of(&sorted);
    let packed = |range: &std::ops::Range<usize>| {
        Ok(PackedBlock { bytes: pack(&block(&sorted[range.clone()]))?, pages: order[range.clone()].to_vec() })
    };
    blocks.par_iter().map(packed).collect()
}

/// Tells which pages exist: a block may lack some that were removed. Each block is read once.
pub(super) struct PagesThere {
    /// By block, a bit for each place that has a page.
    blocks: BTreeMap<u64, u32>,
    has_holes: bool,
}

impl PagesThere {
    /// In a file without holes, all blocks are whole and need not be read.
    pub(super) fn new(has_holes: bool) -> PagesThere {
        PagesThere { blocks: BTreeMap::new(), has_holes }
    }

    /// True when a page exists.
    pub(super) fn has(&mut self, store: &Store, page: RecordRef) -> bool {
        let places = self.blocks.entry(page.frame().0).or_insert_with(|| match self.has_holes {
            true => places_of(store, page.frame()),
            false if store.pages.has(page.frame()) => u32::MAX,
            false => 0,
        });
        *places >> page.place() & 1 == 1
    }
}

fn places_of(store: &Store, block: RecordRef) -> u32 {
    let Ok(Some(block)) = store.pages.read_packed(block) else { return 0 };
    let is_there = |place: usize| page_of_block(&block, place).is_some_and(|page| !page.is_empty());
    (0..BLOCK_PAGES).filter(|&place| is_there(place)).fold(0, |places, place| places | 1 << place)
}

impl Store {
    /// Sets how many bytes of blocks of pages are kept in memory.
    pub fn keep_blocks(&mut self, max_bytes: usize) {
        self.page_blocks = KeptBlocks::new(max_bytes);
    }

    /// A page.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn page(&self, at: RecordRef) -> Result<StoredPage> {
        self.page_as(at, StoredPage::decode)
    }

    /// The URL of a page, at a fraction of the cost of reading the page.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn page_url(&self, at: RecordRef) -> Result<String> {
        self.page_as(at, |bytes| StoredPage::url_of(bytes).map(str::to_owned))
    }

    /// Reads the bytes of a page, and decodes them with `decode`.
    fn page_as<T>(&self, at: RecordRef, decode: impl Fn(&[u8]) -> Option<T>) -> Result<T> {
        let block = match self.page_blocks.get(at.frame()) {
            Some(block) => block,
            None => {
                let block = self.pages.read_packed(at)?.ok_or_else(|| self.pages.senseless(at))?;
                let block = Arc::new(block);
                self.page_blocks.keep(at.frame(), &block);
                block
            }
        };
        page_of_block(&block, at.place()).and_then(decode).ok_or_else(|| self.pages.senseless(at))
    }

    /// Appends pages, each given with its host, so that those of a host lie together. Returns the place of each, in the order given.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn append_pages(&mut self, pages: Vec<(&str, &[u8])>) -> Result<Vec<RecordRef>> {
        let count = pages.len();
        let packed = packed_blocks(pages).map_err(Error::io(&self.folder, "compressing pages"))?;
        let mut places = vec![RecordRef::default(); count];
        for PackedBlock { bytes, pages } in packed {
            let at = self.pages.append_packed_bytes(&bytes)?;
            for (place, &page) in pages.iter().enumerate() {
                places[page] = at.with_place(place);
            }
        }
        Ok(places)
    }

    /// The bytes of a page, as [`StoredPage::decode`] reads them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn page_bytes(&self, at: RecordRef) -> Result<Vec<u8>> {
        self.page_as(at, |bytes| Some(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_when_they_are_full() {
        let (short, long) = (vec![0; 10], vec![0; BLOCK_BYTES / 2]);
        let mut pages: Vec<&[u8]> = vec![&short; BLOCK_PAGES + 1];
        pages.extend([&long[..], &long, &short]);
        assert_eq!(blocks_of(&pages), [0..16, 16..19, 19..20]);
        assert!(blocks_of(&[]).is_empty());
    }
}
