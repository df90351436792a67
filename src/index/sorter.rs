//! Many small entries sorted within a memory budget: runs that do not fit go to temporary files and are merged.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// One entry: 16 bytes. Sorted by `key`, then `value`, then `page`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The number by which entries are grouped (a skeleton's hash, a site).
    pub key: u64,
    /// The number of the value in the slot, or any other number.
    pub value: u32,
    /// The page, or any other number.
    pub page: u32,
}

const ENTRY_BYTES: usize = 16;

/// Collects entries in any order; [`Sorter::for_each_group`] gives them sorted.
///
/// Holds at most `budget_bytes` of entries; beyond it, sorted runs of that size are written to unnamed temporary files
/// in `folder`, and merged at the end with 64 KiB of buffer a run.
pub struct Sorter {
    entries: Vec<Entry>,
    capacity: usize,
    folder: PathBuf,
    runs: Vec<File>,
    /// Whether equal entries are one.
    is_set: bool,
}

impl Sorter {
    /// An empty sorter. `folder` is only used when the budget is exceeded.
    pub fn new(budget_bytes: usize, folder: &Path) -> Sorter {
        let capacity = (budget_bytes / ENTRY_BYTES).max(1024);
        Sorter { entries: Vec::new(), capacity, folder: folder.to_owned(), runs: Vec::new(), is_set: false }
    }

    /// An empty sorter that keeps only one of equal entries: a group never takes more memory than its different entries.
    pub fn of_different(budget_bytes: usize, folder: &Path) -> Sorter {
        Sorter { is_set: true, ..Sorter::new(budget_bytes, folder) }
    }

    /// Allocates room for about `count` entries, so that the buffer need not grow by doubling.
    pub fn expect(&mut self, count: usize) {
        self.entries.reserve_exact(count.min(self.capacity).saturating_sub(self.entries.len()));
    }

    /// Adds one entry.
    ///
    /// # Errors
    /// When a run cannot be written.
    pub fn push(&mut self, entry: Entry) -> Result<()> {
        if self.entries.len() == self.capacity {
            self.spill()?;
        }
        self.entries.push(entry);
        Ok(())
    }

    /// How many runs were written to disk so far.
    #[cfg(test)]
    pub fn spilled_runs(&self) -> usize {
        self.runs.len()
    }

    fn sort(&mut self) {
        self.entries.sort_unstable();
        if self.is_set {
            self.entries.dedup();
        }
    }

    fn spill(&mut self) -> Result<()> {
        self.sort();
        let mut file =
            tempfile::tempfile_in(&self.folder).map_err(Error::io(&self.folder, "making a temporary file"))?;
        let mut writer = BufWriter::with_capacity(1 << 16, &mut file);
        let write = |writer: &mut BufWriter<&mut File>, entries: &[Entry]| -> std::io::Result<()> {
            for entry in entries {
                writer.write_all(&entry.key.to_le_bytes())?;
                writer.write_all(&entry.value.to_le_bytes())?;
                writer.write_all(&entry.page.to_le_bytes())?;
            }
            writer.flush()
        };
        write(&mut writer, &self.entries).map_err(Error::io(&self.folder, "writing a temporary file"))?;
        drop(writer);
        file.rewind().map_err(Error::io(&self.folder, "rewinding a temporary file"))?;
        self.runs.push(file);
        self.entries.clear();
        Ok(())
    }

    /// Calls `each` with every run of entries that share a key, in the order of the keys. Duplicates are kept, except by a sorter made by
    /// [`Sorter::of_different`].
    ///
    /// # Errors
    /// When a run cannot be written or read back, or what `each` returns.
    pub fn for_each_group(self, each: impl FnMut(&[Entry]) -> Result<()>) -> Result<()> {
        self.for_each_group_of(0, each)
    }

    /// The same, but entries whose keys differ only in some of their lowest bits form one group. Within a group, entries are sorted by
    /// these bits first.
    ///
    /// # Errors
    /// As [`Sorter::for_each_group`].
    pub fn for_each_group_of(mut self, low_bits: u32, mut each: impl FnMut(&[Entry]) -> Result<()>) -> Result<()> {
        let of = |entry: &Entry| entry.key >> low_bits;
        if self.runs.is_empty() {
            self.sort();
            for group in self.entries.chunk_by(|a, b| of(a) == of(b)) {
                each(group)?;
            }
            return Ok(());
        }
        if !self.entries.is_empty() {
            self.spill()?;
        }
        self.entries = Vec::new();
        let folder = self.folder.clone();
        let mut merge = Merge::new(self.runs).map_err(Error::io(&folder, "reading a temporary file"))?;
        let mut group: Vec<Entry> = Vec::new();
        while let Some(entry) = merge.next().map_err(Error::io(&folder, "reading a temporary file"))? {
            if group.first().is_some_and(|first| of(first) != of(&entry)) {
                each(&group)?;
                group.clear();
            }
            if !(self.is_set && group.last() == Some(&entry)) {
                group.push(entry);
            }
        }
        if !group.is_empty() {
            each(&group)?;
        }
        Ok(())
    }
}

struct Merge {
    readers: Vec<BufReader<File>>,
    heap: std::collections::BinaryHeap<std::cmp::Reverse<(Entry, usize)>>,
}

impl Merge {
    fn new(runs: Vec<File>) -> std::io::Result<Merge> {
        let readers = runs.into_iter().map(|file| BufReader::with_capacity(1 << 16, file)).collect();
        let mut merge = Merge { readers, heap: Default::default() };
        for run in 0..merge.readers.len() {
            merge.refill(run)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, run: usize) -> std::io::Result<()> {
        let mut bytes = [0; ENTRY_BYTES];
        match self.readers[run].read_exact(&mut bytes) {
            Ok(()) => {
                let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                let key = u64::from(word(0)) | u64::from(word(4)) << 32;
                self.heap.push(std::cmp::Reverse((Entry { key, value: word(8), page: word(12) }, run)));
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn next(&mut self) -> std::io::Result<Option<Entry>> {
        let Some(std::cmp::Reverse((entry, run))) = self.heap.pop() else { return Ok(None) };
        self.refill(run)?;
        Ok(Some(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn groups(sorter: Sorter) -> Vec<Vec<Entry>> {
        groups_of(sorter, 0)
    }

    fn groups_of(sorter: Sorter, low_bits: u32) -> Vec<Vec<Entry>> {
        let mut groups = Vec::new();
        sorter
            .for_each_group_of(low_bits, |group| {
                groups.push(group.to_vec());
                Ok(())
            })
            .expect("temporary files can be written");
        groups
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn spilling_gives_the_groups_that_memory_gives(keys in proptest::collection::vec(0u64..500, 0..5000)) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut small = Sorter::new(0, folder.path());
            let mut large = Sorter::new(1 << 20, folder.path());
            for (page, &key) in keys.iter().enumerate() {
                let entry = Entry { key, value: key as u32 % 7, page: page as u32 };
                small.push(entry).expect("a writable folder");
                large.push(entry).expect("a writable folder");
            }
            prop_assert_eq!(small.spilled_runs() > 0, keys.len() > 1024);
            let all = groups(large);
            prop_assert_eq!(groups(small), all.clone());
            // Of every eight keys one group.
            let [mut small, mut large] = [0, 1 << 20].map(|budget| Sorter::new(budget, folder.path()));
            for &entry in all.iter().flatten() {
                small.push(entry).expect("a writable folder");
                large.push(entry).expect("a writable folder");
            }
            let eights = groups_of(large, 3);
            prop_assert_eq!(groups_of(small, 3), eights.clone());
            prop_assert!(eights.is_sorted_by_key(|group| group[0].key >> 3));
            prop_assert!(eights.iter().all(|group| group.is_sorted() && group.iter().all(|entry| entry.key >> 3 == group[0].key >> 3)));
            for budget in [0, 1 << 20] {
                let mut twice = Sorter::of_different(budget, folder.path());
                for entry in all.iter().chain(&all).flatten() {
                    twice.push(*entry).expect("a writable folder");
                }
                prop_assert_eq!(groups(twice), all.clone());
            }
        }
    }
}
