//! Packed records that a stage reads in any order: unpacked, in a temporary file that is mapped, so that they take no memory of the heap.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rkyv::Archive;

use super::mapped::{Checked, Mapped};
use super::maps::Map;
use crate::error::{Error, Result};

/// Records begin on multiples of so many bytes, which is the alignment of archives.
const ALIGNMENT: u64 = 16;

/// Records that are being written to the file. It has no name, so that it vanishes with the process and no other program finds it.
pub struct Spilling<T> {
    folder: PathBuf,
    file: BufWriter<File>,
    at: u64,
    ranges: Vec<Range<usize>>,
    of: PhantomData<fn() -> T>,
}

impl<T: Archive> Spilling<T>
where
    T::Archived: Checked,
{
    /// An empty file in a folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(folder: &Path) -> Result<Spilling<T>> {
        let file = tempfile::tempfile_in(folder).map_err(Error::io(folder, "making a temporary file"))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(Spilling { folder: folder.to_owned(), file, at: 0, ranges: Vec::new(), of: PhantomData })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn push(&mut self, record: &Mapped<T>) -> Result<()> {
        let payload: &[u8] = record.payload();
        let padding = (self.at.next_multiple_of(ALIGNMENT) - self.at) as usize;
        let written =
            self.file.write_all(&[0; ALIGNMENT as usize][..padding]).and_then(|()| self.file.write_all(payload));
        written.map_err(Error::io(&self.folder, "writing a temporary file"))?;
        let start = self.at + padding as u64;
        self.at = start + payload.len() as u64;
        self.ranges.push(start as usize..self.at as usize);
        Ok(())
    }

    /// The records, in the order in which they were added.
    ///
    /// # Errors
    /// When the disk does not take them, or the system does not map the file.
    pub fn finish(self) -> Result<Vec<Mapped<T>>> {
        if self.ranges.is_empty() {
            return Ok(Vec::new());
        }
        let file = self.file.into_inner().map_err(|error| error.into_error());
        let file = file.map_err(Error::io(&self.folder, "writing a temporary file"))?;
        let map = Arc::new(Map::of(&file, &self.folder, self.at)?);
        Ok(self.ranges.into_iter().map(|range| Mapped::spilled(&map, range)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::mapped::{Payload, aligned};
    use super::*;

    #[test]
    fn records_are_as_they_were() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut spilling = Spilling::<Vec<String>>::new(folder.path()).expect("room on disk");
        let records: Vec<Vec<String>> = (0..50).map(|at| vec![at.to_string(), "x".repeat(at * 7)]).collect();
        for record in &records {
            let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(record).expect("memory");
            let record = Mapped::check(Payload::Own(Arc::new(aligned(&bytes)))).expect("it is one");
            spilling.push(&record).expect("room on disk");
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "it has no name");
        let found = spilling.finish().expect("room on disk");
        for _ in 0..2 {
            let texts = |record: &Mapped<Vec<String>>| record.iter().map(|text| text.to_string()).collect::<Vec<_>>();
            assert_eq!(found.iter().map(texts).collect::<Vec<_>>(), records);
            found.iter().for_each(Mapped::release);
        }
        assert!(Spilling::<Vec<String>>::new(folder.path()).expect("room").finish().expect("nothing").is_empty());
    }
}
