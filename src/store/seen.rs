//! A file as it was when it was opened.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::{Error, Result};
use crate::files;

/// The length of a file, and the time of its last change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub(super) length: u64,
    pub(super) modified: Option<SystemTime>,
}

impl Stamp {
    /// The stamp of an open file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(file: &File) -> io::Result<Stamp> {
        let metadata = file.metadata()?;
        Ok(Stamp { length: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// A file as it was when it was opened.
pub struct Seen {
    path: PathBuf,
    file: Arc<File>,
    stamp: Stamp,
    /// Length of the committed part, for files that the process that holds the lock may append to.
    committed: Option<u64>,
}

impl Seen {
    /// Remembers the state of an open file.
    ///
    /// # Errors
    /// When its length cannot be read.
    pub fn new(path: PathBuf, file: Arc<File>, committed: Option<u64>) -> Result<Seen> {
        let stamp = Stamp::of(&file).map_err(Error::io(&path, "reading its length"))?;
        Ok(Seen { path, file, stamp, committed })
    }

    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: PathBuf) -> Result<Seen> {
        let file = files::open(&path).map_err(Error::io(&path, "opening"))?;
        Seen::new(path, Arc::new(file), None)
    }

    /// What has happened to the file since.
    ///
    /// # Errors
    /// When its length cannot be read.
    pub fn look_again(&self) -> Result<Since> {
        let now = Stamp::of(&self.file).map_err(Error::io(&self.path, "reading its length"))?;
        Ok(if now == self.stamp {
            Since::Same
        } else if self.committed.is_some_and(|committed| now.length >= committed) {
            Since::MayHaveGrown
        } else if now.length == self.stamp.length {
            Since::Touched
        } else {
            Since::Changed
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What has happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Nothing has.
    Same,
    /// It was changed in the way in which the holder of the store's lock changes it.
    MayHaveGrown,
    /// Its time has changed but not its length: it was overwritten, or only touched (`touch`).
    Touched,
    /// It was changed in a way that is not allowed.
    Changed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_grow_behind_what_is_committed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "0123456789").expect("room on disk");
        let file = || Arc::new(File::open(&path).expect("it was written"));
        let seen = |committed| Seen::new(path.clone(), file(), committed).expect("it was written");
        let (fixed, growing) = (seen(None), seen(Some(8)));
        let look = |seen: &Seen| seen.look_again().expect("it is open");
        assert_eq!((look(&fixed), look(&growing)), (Since::Same, Since::Same));
        std::fs::write(&path, "0123456789ab").expect("room on disk");
        assert_eq!((look(&fixed), look(&growing)), (Since::Changed, Since::MayHaveGrown));
        let later = SystemTime::now() + std::time::Duration::from_secs(9);
        let touched = seen(None);
        File::options().write(true).open(&path).and_then(|file| file.set_modified(later)).expect("it is there");
        assert_eq!(look(&touched), Since::Touched);
        std::fs::write(&path, "0123456").expect("room on disk");
        assert_eq!(look(&growing), Since::Changed);
    }
}
