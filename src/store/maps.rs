//! Maps of files, and a list of which file is mapped where, so that a fault in a map can be traced to its file.
//!
//! Stages map the large records they read; they hold the lock of the store, and what is committed is never rewritten. If another program
//! cuts such a file all the same, the pages of the map are gone, and the system sends SIGBUS to whoever accesses them. [`file_at`] tells
//! which file that was.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::{Deref, Range};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use memmap2::{Mmap, MmapOptions, UncheckedAdvice};

use super::disk;
use crate::error::{Error, Result};

/// A file, or the beginning of one, mapped into memory.
pub(crate) struct Map {
    map: Mmap,
    /// The entry of this map in the list of maps.
    listed: Option<&'static Listed>,
}

/// An entry of the list of current maps. Entries and paths stay where they are in memory, because a signal handler may read them at any
/// time.
struct Listed {
    is_taken: AtomicBool,
    start: AtomicUsize,
    /// End address; 0 while the entry is free.
    end: AtomicUsize,
    path: AtomicPtr<&'static str>,
}

/// The list of current maps. When it is full, further files are mapped all the same, but a fault in them is reported without the name of
/// the file.
static LISTED: [Listed; 1024] = [const {
    Listed {
        is_taken: AtomicBool::new(false),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        path: AtomicPtr::new(null_mut()),
    }
}; 1024];

/// All paths that were ever listed, each once; there are few.
static PATHS: Mutex<BTreeMap<String, &'static &'static str>> = Mutex::new(BTreeMap::new());

impl Map {
    /// Maps the first bytes of a file.
    ///
    /// # Errors
    /// When the system does not map it.
    #[expect(unsafe_code, reason = "memory maps")]
    pub fn of(file: &File, path: &Path, length: u64) -> Result<Map> {
        let length = usize::try_from(length)
            .map_err(|_| Error::Store { path: path.to_owned(), problem: "too long to map".into() })?;
        disk::before(disk::Step::Map, path).map_err(Error::io(path, "mapping"))?;
        // SAFETY: whoever maps a file holds the lock of the store, or only looks at its bytes as bytes. This program replaces what is
        // committed and never rewrites or cuts it, and no byte beyond `length` is mapped. That other programs leave the files alone is the
        // contract of docs/trust.md; `RecordFile::check_in_place` checks whether they have.
        let mapped = unsafe { MmapOptions::new().len(length).map(file) };
        let map = mapped.map_err(|error| match error.kind() {
            std::io::ErrorKind::OutOfMemory => {
                let problem = "the system gives no more memory; allow more (`ulimit -v`, the limit of a container), or give a smaller --memory";
                Error::Store { path: path.to_owned(), problem: problem.into() }
            }
            _ => Error::io(path, "mapping")(error),
        })?;
        let listed = list(map.as_ptr() as usize, map.len(), path);
        Ok(Map { map, listed })
    }

    /// Removes from memory the memory pages that lie wholly in a range; the system reads them again from its page cache or the disk when
    /// they are accessed.
    #[expect(unsafe_code, reason = "advice about a memory map")]
    pub fn release(&self, range: Range<usize>) {
        const PAGE: usize = 4096;
        let (start, end) = (range.start.next_multiple_of(PAGE), range.end / PAGE * PAGE);
        if start >= end {
            return;
        }
        // SAFETY: the map is of a file, shared and never written through, so dropped pages come back the same, and existing borrows read
        // what they read before. If the system ignores the advice, nothing changes.
        let _ = unsafe { self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start) };
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if let Some(listed) = self.listed {
            listed.end.store(0, Ordering::Release);
            listed.is_taken.store(false, Ordering::Release);
        }
    }
}

/// Enters a map into the list where an entry is free.
fn list(start: usize, length: usize, path: &Path) -> Option<&'static Listed> {
    let is_free = |listed: &&Listed| !listed.is_taken.swap(true, Ordering::AcqRel);
    let listed = LISTED.iter().find(is_free)?;
    let mut paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = *paths.entry(path.display().to_string()).or_insert_with_key(|path| {
        let path: &'static str = Box::leak(path.clone().into_boxed_str());
        Box::leak(Box::new(path))
    });
    listed.path.store(std::ptr::from_ref(kept).cast_mut(), Ordering::Release);
    listed.start.store(start, Ordering::Release);
    listed.end.store(start + length, Ordering::Release);
    Some(listed)
}

/// The path of the file that is mapped at an address; `None` where there is no map. Safe in signal handlers: it neither allocates nor
/// waits.
pub fn file_at(address: usize) -> Option<&'static str> {
    let is_there = |listed: &&Listed| {
        address < listed.end.load(Ordering::Acquire) && listed.start.load(Ordering::Acquire) <= address
    };
    let path = LISTED.iter().find(is_there)?.path.load(Ordering::Acquire);
    #[expect(unsafe_code, reason = "a path that was leaked for the handler of a signal")]
    // SAFETY: the pointer is null, or was leaked by `list` and is never freed or changed.
    unsafe {
        path.as_ref().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_a_map_tells_its_file_as_long_as_it_is_mapped() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 10_000]).expect("room on disk");
        let file = File::open(&path).expect("it was written");
        let map = Map::of(&file, &path, 10_000).expect("it is there");
        let address = map.as_ptr() as usize;
        let name = path.display().to_string();
        assert_eq!(file_at(address), Some(name.as_str()));
        assert_eq!(file_at(address + 9_999), Some(name.as_str()));
        assert_ne!(file_at(address + 10_000), Some(name.as_str()));
        drop(map);
        assert_ne!(file_at(address), Some(name.as_str()));
    }
}
