//! Inputs: the bytes of each file, as far as the file system tells, and the inputs that were not read, with the reason.

use std::path::{Path, PathBuf};

use super::catalog::{Changes, Keyspace};
use super::layout::{ArchiveRecord, HintRecord, RefusedRecord};
use super::record_kinds::Store;
use crate::error::Result;
use crate::types::ArchiveId;

impl Store {
    /// What was known of the file at `path` (a full path) when its bytes were last looked at.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn hint(&self, path: &Path) -> Result<Option<HintRecord>> {
        self.catalog.get(Keyspace::Hint, key(path))
    }

    /// The number and the record of an archive; a new archive gets the next number.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn known_archive(&self, id: Option<ArchiveId>) -> Result<(u32, ArchiveRecord)> {
        Ok(match id {
            Some(id) => (id.0, self.archive(id)?.unwrap_or_default()),
            None => (self.archive_count()?, ArchiveRecord::default()),
        })
    }

    /// Commits the notes, if there are any.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn keep_notes(&mut self, notes: &mut InputNotes) -> Result<()> {
        let mut changes = Changes::default();
        notes.put(&mut changes);
        if changes.is_empty() { Ok(()) } else { self.commit(changes) }
    }

    /// The inputs that were not read, or not to their end, by path.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn refused(&self) -> Result<Vec<RefusedRecord>> {
        self.catalog.values(Keyspace::Refused)
    }
}

/// Notes on inputs, to be stored with the next commit.
#[derive(Default)]
pub(crate) struct InputNotes(Vec<Note>);

enum Note {
    Hint(PathBuf, HintRecord),
    Refused(PathBuf, RefusedRecord),
    Read(PathBuf),
}

impl InputNotes {
    /// Notes that the file at `path`, in the state of `stamp`, has the bytes of `fingerprint`.
    pub(crate) fn hint(&mut self, path: &Path, stamp: u64, fingerprint: u64) {
        self.0.push(Note::Hint(path.to_owned(), HintRecord { stamp, fingerprint }));
    }

    /// Notes that the file at `path` is not read, or not to its end.
    pub(crate) fn refused(&mut self, path: &Path, reason: String, is_fault: bool) {
        let record = RefusedRecord { path: path.display().to_string(), reason, is_fault };
        self.0.push(Note::Refused(path.to_owned(), record));
    }

    /// Notes that the file at `path` is read to its end.
    pub(crate) fn read(&mut self, path: &Path) {
        self.0.push(Note::Read(path.to_owned()));
    }

    /// How many notes there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Moves the notes into the changes of a commit.
    pub(crate) fn put(&mut self, changes: &mut Changes) {
        for note in self.0.drain(..) {
            match note {
                Note::Hint(path, hint) => changes.put(Keyspace::Hint, key(&path), &hint),
                Note::Refused(path, record) => changes.put(Keyspace::Refused, key(&path), &record),
                Note::Read(path) => changes.remove(Keyspace::Refused, key(&path)),
            }
        }
    }
}

/// The bytes of a path, which may not be UTF-8.
fn key(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;

    #[test]
    fn what_is_read_is_refused_no_longer() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a store");
        let [a, b] = [Path::new("/a.warc"), Path::new("/b.warc")];
        let mut notes = InputNotes::default();
        notes.refused(a, "an empty file".into(), false);
        notes.refused(b, "no such file or folder".into(), true);
        notes.hint(a, 1, 2);
        let mut changes = Changes::default();
        notes.put(&mut changes);
        store.commit(changes).expect("room on the disk");
        assert_eq!(notes.len(), 0);
        let refused = |store: &Store| -> Vec<(String, bool)> {
            store.refused().expect("a catalog").into_iter().map(|refused| (refused.path, refused.is_fault)).collect()
        };
        assert_eq!(refused(&store), [("/a.warc".to_owned(), false), ("/b.warc".to_owned(), true)]);
        assert_eq!(store.hint(a).expect("a catalog"), Some(HintRecord { stamp: 1, fingerprint: 2 }));
        notes.read(a);
        let mut changes = Changes::default();
        notes.put(&mut changes);
        store.commit(changes).expect("room on the disk");
        assert_eq!(refused(&store), [("/b.warc".to_owned(), true)]);
    }
}
