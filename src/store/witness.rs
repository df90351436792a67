//! The files that a reader has opened, so that it can find out in the end whether other programs have changed them.
//!
//! Readers copy what they read, so that later changes of a file do not affect them. But while another program overwrites several files, as
//! `cp -r BACKUP/. STORE/` does, a reader may have read some of them before and some after. The holder of the lock only appends to the last
//! segments and replaces files; if anything else has changed since the store was opened, the answer is not to be trusted.

use std::path::{Path, PathBuf};

use super::access::{Held, held};
use super::manifest::{self, Manifest};
use super::seen::{Seen, Since};
use super::view;
use crate::error::{Error, Result};

/// The files of a store that a reader opened.
pub struct Witness {
    folder: PathBuf,
    manifest: Manifest,
    files: Vec<Seen>,
    /// Whether the lock was held before the files were opened.
    held: Held,
}

impl Witness {
    /// A witness of a store that was opened by a manifest, and of its files.
    pub(super) fn new(folder: &Path, manifest: Manifest, files: Vec<Seen>, held: Held) -> Witness {
        Witness { folder: folder.to_owned(), manifest, files, held }
    }

    /// Checks that only the holder of the lock has changed the files since they were opened. Cost: a system call for each file.
    ///
    /// # Errors
    /// [`Error::Store`] with the file that was changed.
    pub fn check(&self) -> Result<()> {
        let mut is_worked_on = None;
        for seen in &self.files {
            let is_own = match seen.look_again()? {
                Since::Same => true,
                Since::MayHaveGrown => *is_worked_on.get_or_insert_with(|| self.is_worked_on()),
                Since::Touched => self.is_as_it_was(seen.path()),
                Since::Changed => false,
            };
            if !is_own {
                let problem = "another program changed it while it was read, so that the answer may be wrong; ask again, and restore copies \
                               of a store when nobody reads it";
                return Err(Error::Store { path: seen.path().to_owned(), problem: problem.into() });
            }
        }
        Ok(())
    }

    /// True when what was read of a file is right although its time has changed. This holds for files of the view: each block was checked
    /// when it was read, and the manifest has the checksum of their checksums. It does not hold for record files: the last seal may be
    /// right again although an earlier read was from another file.
    fn is_as_it_was(&self, path: &Path) -> bool {
        if path == self.folder.join(manifest::NAME) {
            return Manifest::read(&self.folder).is_ok_and(|manifest| manifest == self.manifest);
        }
        path.starts_with(self.folder.join(view::FOLDER))
    }

    /// A number that two commits share only if their manifests are equal, even when their commit numbers are the same.
    pub fn commit_hash(&self) -> u64 {
        self.manifest.hash()
    }

    /// True when a process holds the lock, or has held it since the store was opened, even if it committed nothing.
    fn is_worked_on(&self) -> bool {
        let now = held(&self.folder);
        self.held == Held::Now
            || now != self.held
            || Manifest::read(&self.folder).is_ok_and(|manifest| manifest != self.manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::Changes;
    use super::super::{Access, Store};

    #[test]
    fn what_others_change_is_told_and_what_a_commit_changes_is_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path().join("store");
        let write = || Store::open(&folder, Access::Write).expect("nobody else has it");
        let commit = |store: &mut Store| {
            store.requests.append(&Default::default()).expect("room on disk");
            store.commit(Changes::default()).expect("room on disk");
        };
        commit(&mut write());
        let open = || Store::open(&folder, Access::Read).expect("it was made").witness().expect("readers have one");
        let reader = open();
        reader.check().expect("nothing happened");
        let mut writer = write();
        commit(&mut writer);
        reader.check().expect("a commit is no surprise");
        writer.requests.append(&Default::default()).expect("room on disk");
        reader.check().expect("nor is what may become one");
        drop(writer);
        reader.check().expect("nor is what became none");
        for _ in 0..2 {
            // The first writer leaves a tail that is never committed, and the second one cuts it off when it opens the store.
            let reader = open();
            let mut writer = write();
            writer.requests.append(&Default::default()).expect("room on disk");
            drop(writer);
            reader.check().expect("nor is what came to nothing");
        }
        let changed = std::fs::read_dir(folder.join("view")).expect("it is there").flatten().map(|entry| entry.path());
        for path in changed.chain(["manifest.json", "requests/000000.rec"].map(|name| folder.join(name))) {
            let reader = open();
            let mut bytes = std::fs::read(&path).expect("it is there");
            let write = |bytes: &[u8]| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                std::fs::write(&path, bytes).expect("room on disk");
                reader.check().err().map(|error| error.to_string()).unwrap_or_default()
            };
            // The same bytes are written again, which changes only the time, as `touch` does: other records may have been read in between.
            let told = write(&bytes);
            assert_eq!(told.contains(&path.display().to_string()), path.ends_with("000000.rec"), "{told}");
            let sound = bytes.clone();
            if path.ends_with("manifest.json") {
                bytes.extend(b"x");
            } else {
                bytes.pop();
            }
            assert!(write(&bytes).contains(&path.display().to_string()), "{}", path.display());
            write(&sound);
        }
    }
}
