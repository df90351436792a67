//! Recognises sentence pairs that other stores have, so that an export can leave them out.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::align::clean::{hash_of_sentences, hash_of_text};
use crate::config::Memory;
use crate::error::{Error, Result};
use crate::index::sorter::{Entry, Sorter};
use crate::site::bitext::{SiteBitext, are_compared};
use crate::site::frequency::hash_of_bead;
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::BitextLine;

/// Hashes in a block of the file.
const BLOCK: usize = 512;

/// Sentence pairs that stores keep, by hashes of 64 bits of their languages and their texts without white space. They lie sorted in a
/// temporary file without a name, 8 bytes each, and 16 more while they are sorted; one in 512 is in memory.
pub struct KnownSentences {
    file: File,
    /// The first hash of each block.
    firsts: Vec<u64>,
    count: usize,
    folder: PathBuf,
    /// The block that was read last.
    block: (usize, Vec<u64>),
}

impl KnownSentences {
    /// The sentence pairs that these stores keep. Texts are not read.
    ///
    /// # Errors
    /// When a store cannot be read, or the temporary folder does not take the file.
    pub fn of(stores: &[Store], memory: Memory) -> Result<KnownSentences> {
        let folder = std::env::temp_dir();
        let mut sorter = Sorter::new(memory.sorted_beads(), &folder);
        for store in stores {
            for_each_hash(store, |key| sorter.push(Entry { key, value: 0, page: 0 }))?;
        }
        KnownSentences::sorted(sorter, folder)
    }

    fn sorted(sorter: Sorter, folder: PathBuf) -> Result<KnownSentences> {
        let failed = |action| Error::io(&folder, action);
        let file = tempfile::tempfile_in(&folder).map_err(failed("making a temporary file"))?;
        let mut out = BufWriter::new(file);
        let (mut firsts, mut count) = (Vec::new(), 0);
        sorter.for_each_group(|group| {
            let hash = group[0].key;
            if count % BLOCK == 0 {
                firsts.push(hash);
            }
            count += 1;
            out.write_all(&hash.to_le_bytes()).map_err(failed("writing a temporary file"))
        })?;
        let file = out.into_inner().map_err(|error| failed("writing a temporary file")(error.into_error()))?;
        Ok(KnownSentences { file, firsts, count, folder, block: (usize::MAX, Vec::new()) })
    }

    /// True for a sentence pair that one of the stores keeps too, on whatever pages.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn has(&mut self, line: &BitextLine) -> Result<bool> {
        self.has_hash(hash_of(line))
    }

    fn has_hash(&mut self, hash: u64) -> Result<bool> {
        let Some(at) = self.firsts.partition_point(|first| *first <= hash).checked_sub(1) else { return Ok(false) };
        if self.block.0 != at {
            let read = self.read(at).map_err(Error::io(&self.folder, "reading a temporary file"))?;
            self.block = (at, read);
        }
        Ok(self.block.1.binary_search(&hash).is_ok())
    }

    fn read(&mut self, at: usize) -> std::io::Result<Vec<u64>> {
        let mut bytes = vec![0; (self.count - at * BLOCK).min(BLOCK) * 8];
        self.file.seek(SeekFrom::Start((at * BLOCK * 8) as u64))?;
        self.file.read_exact(&mut bytes)?;
        let (hashes, _) = bytes.as_chunks();
        Ok(hashes.iter().map(|hash| u64::from_le_bytes(*hash)).collect())
    }
}

/// Calls `each` with the hash of every sentence pair that a store keeps.
fn for_each_hash(store: &Store, mut each: impl FnMut(u64) -> Result<()>) -> Result<()> {
    let are_compared = are_compared(store)?;
    for id in sites(store, &Scope::all())? {
        let site = Site::open(store, id)?;
        let Some(bitext) = SiteBitext::open(store, &site)? else { continue };
        for chunk in 0..bitext.chunk_count() {
            let (first, pairs) = bitext.coded(chunk, are_compared);
            for (row, beads) in bitext.pairs_from(first).zip(&pairs) {
                beads.iter().filter(|bead| bead.reason == 0).try_for_each(|bead| each(hash_of_bead(row, bead)))?;
            }
        }
    }
    Ok(())
}

/// The hash of a sentence pair, as [`hash_of_bead`] makes it of its row.
fn hash_of(line: &BitextLine) -> u64 {
    let [a, b] = [(line.lang_a, &line.text_a), (line.lang_b, &line.text_b)];
    let (a, b) = if b.0 < a.0 { (b, a) } else { (a, b) };
    hash_of_sentences((a.0, b.0), (hash_of_text(a.1), hash_of_text(b.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_found_in_all_blocks() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut sorter = Sorter::new(1 << 14, folder.path());
        let hash = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for number in 0..3000 {
            for _ in 0..=number % 2 {
                sorter.push(Entry { key: hash(number), value: 0, page: 0 }).expect("room on the disk");
            }
        }
        let mut known = KnownSentences::sorted(sorter, folder.path().to_owned()).expect("room on the disk");
        assert_eq!((known.count, known.firsts.len()), (3000, 6));
        assert!((0..3000).all(|number| known.has_hash(hash(number)).expect("a file")));
        assert!((0..3000).all(|number| !known.has_hash(hash(number) - 1).expect("a file")));
        assert!(!known.has_hash(0).expect("a file") && !known.has_hash(u64::MAX - 1).expect("a file"));
        let none = KnownSentences::sorted(Sorter::new(0, folder.path()), folder.path().to_owned());
        assert!(!none.expect("room on the disk").has_hash(7).expect("a file"));
    }
}
