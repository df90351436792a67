//! Maps of files, and which file lies where in memory: a fault in a map is a fault of its file.
//!
//! What stages read at large is mapped; they hold the lock of the store, and what is committed is never rewritten. Another program that
//! cuts such a file all the same takes the pages of the map with it, and the system then sends SIGBUS to whoever looks at them. [`file_at`]
//! tells which file that was.

use std::fs::File;
use std::ops::{Deref, Range};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use memmap2::{Mmap, MmapOptions, UncheckedAdvice};

use super::disk;
use crate::error::{Error, Result};

/// A file, or its beginning, in memory.
pub struct Map {
    map: Mmap,
    /// Where it is listed.
    listed: Option<&'static AtomicPtr<Listed>>,
}

/// A map that is there.
struct Listed {
    addresses: Range<usize>,
    path: Box<str>,
}

/// The maps that are there. More than these are maps all the same, but a fault in them is told without their names.
static LISTED: [AtomicPtr<Listed>; 1024] = [const { AtomicPtr::new(null_mut()) }; 1024];

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
        // SAFETY: whoever maps a file holds the lock of the store or reads bytes as bytes, with a check of each; what is committed is
        // replaced and never rewritten or cut by this program, and no byte beyond `length` is mapped. That others keep their hands off
        // is the contract of docs/trust.md; `Store::commit` looks whether they have.
        let mapped = unsafe { MmapOptions::new().len(length).map(file) };
        let map = mapped.map_err(|error| match error.kind() {
            std::io::ErrorKind::OutOfMemory => {
                let problem = "the system gives no more memory; allow more (`ulimit -v`, the limit of a container), or give a smaller --memory";
                Error::Store { path: path.to_owned(), problem: problem.into() }
            }
            _ => Error::io(path, "mapping")(error),
        })?;
        let start = map.as_ptr() as usize;
        let listed = Listed { addresses: start..start + map.len(), path: path.display().to_string().into() };
        Ok(Map { map, listed: list(listed) })
    }

    /// Maps a file as it is.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn whole(path: &Path) -> Result<Map> {
        let file = File::open(path).map_err(Error::io(path, "opening"))?;
        let length = file.metadata().map_err(Error::io(path, "reading its length"))?.len();
        Map::of(&file, path, length)
    }

    /// Takes the pages that lie in a range whole out of memory; they are read again from the page cache or the disk when they are looked
    /// at.
    #[expect(unsafe_code, reason = "advice about a memory map")]
    pub fn release(&self, range: Range<usize>) {
        const PAGE: usize = 4096;
        let (start, end) = (range.start.next_multiple_of(PAGE), range.end / PAGE * PAGE);
        if start >= end {
            return;
        }
        // SAFETY: the map is of a file, shared and never written through, so what is dropped comes back the same.
        // Advice that the system does not take changes nothing.
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
    #[expect(unsafe_code, reason = "what was leaked for the handler of a signal")]
    fn drop(&mut self) {
        let Some(place) = self.listed else { return };
        let listed = place.swap(null_mut(), Ordering::AcqRel);
        if !listed.is_null() {
            // SAFETY: it was leaked by `list`, and only this map took it from its place. A handler that reads it at this moment ends
            // the process.
            drop(unsafe { Box::from_raw(listed) });
        }
    }
}

/// Puts a map down where a free place is.
fn list(listed: Listed) -> Option<&'static AtomicPtr<Listed>> {
    let listed = Box::into_raw(Box::new(listed));
    let is_free = |place: &&AtomicPtr<Listed>| {
        place.compare_exchange(null_mut(), listed, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    let found = LISTED.iter().find(is_free);
    if found.is_none() {
        #[expect(unsafe_code, reason = "it was leaked a moment ago")]
        // SAFETY: nobody else has it.
        drop(unsafe { Box::from_raw(listed) });
    }
    found
}

/// Gives the path of the file that is mapped at an address to `tell`; `None` where there is no map. For handlers of signals: it neither
/// allocates nor waits.
pub fn file_at<T>(address: usize, tell: impl FnOnce(&str) -> T) -> Option<T> {
    for place in &LISTED {
        let listed = place.load(Ordering::Acquire);
        #[expect(unsafe_code, reason = "what was leaked for the handler of a signal")]
        // SAFETY: it is null, or was leaked by `list` and is freed only when its map goes, which the fault in it shows to be there.
        let Some(listed) = (unsafe { listed.as_ref() }) else { continue };
        if listed.addresses.contains(&address) {
            return Some(tell(&listed.path));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_a_map_tells_its_file_as_long_as_it_is_mapped() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 10_000]).expect("room on disk");
        let map = Map::whole(&path).expect("it is there");
        let address = map.as_ptr() as usize;
        let is_it = |name: &str| name == path.display().to_string();
        assert_eq!(file_at(address, is_it), Some(true));
        assert_eq!(file_at(address + 9_999, is_it), Some(true));
        assert_eq!(file_at(address + 10_000, is_it).filter(|is_it| *is_it), None);
        drop(map);
        assert_eq!(file_at(address, is_it).filter(|is_it| *is_it), None);
    }
}
