//! Files that hold the work of people. They have one writer at a time, and replacing one leaves either the old or the new content, even if
//! the program stops in between.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::access::not_opened;
use super::disk::{self, Step};
use crate::error::{Error, Result};
use crate::files;

/// A file that nobody else writes meanwhile.
pub struct Held {
    /// The file, open for reading and appending.
    pub file: File,
    path: PathBuf,
}

impl Held {
    /// Replaces the file atomically. Whoever waits for the lock then opens the new file.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn replace(self, content: &[u8]) -> Result<()> {
        replace(&self.path, content)
    }
}

/// Opens a file for one writer at a time; makes it where there is none.
///
/// # Errors
/// When it cannot be opened or locked.
pub fn hold(path: &Path) -> Result<Held> {
    loop {
        let is_new = !path.exists();
        let opened = files::open_with(OpenOptions::new().read(true).append(true).create(true), path);
        let file = opened.map_err(|error| not_opened(path, error))?;
        file.lock().map_err(Error::io(path, "locking"))?;
        if is_new {
            sync_folders(folder_of(path))?;
        }
        // A previous holder of the lock may have replaced the file; what is written must go into the file that now has the name.
        if is_at(&file, path) {
            return Ok(Held { file, path: path.to_owned() });
        }
    }
}

/// Replaces a file atomically, even if the program stops.
///
/// # Errors
/// When the disk does not take it.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let folder = folder_of(path);
    let temporary = beside(path, folder).map_err(Error::io(folder, "writing"))?;
    let write = || {
        disk::before(Step::Write, path)?;
        temporary.as_file().write_all(content)?;
        disk::before(Step::Sync, path)?;
        temporary.as_file().sync_data()?;
        disk::before(Step::Rename, path)
    };
    write().map_err(Error::io(path, "writing"))?;
    temporary.persist(path).map_err(|why| Error::io(path, "writing")(why.error))?;
    sync_folders(folder)
}

/// A new file in the folder of an old one, readable and writable for the same people as the old one.
fn beside(path: &Path, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    disk::before(Step::Open, path)?;
    let mut making = tempfile::Builder::new();
    // Where there is no old file, the new one gets the rights of any new file.
    #[cfg(unix)]
    making.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let made = making.tempfile_in(folder)?;
    if let Ok(old) = fs::metadata(path) {
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::gid(&old) != std::os::unix::fs::MetadataExt::gid(&made.as_file().metadata()?)
        {
            // A user who is not of that group cannot give the file to it; the file then stays in the group of its writer.
            let _ = std::os::unix::fs::fchown(made.as_file(), None, Some(std::os::unix::fs::MetadataExt::gid(&old)));
        }
        made.as_file().set_permissions(old.permissions())?;
    }
    Ok(made)
}

/// Makes the names in a folder durable, and that of the folder.
///
/// # Errors
/// When the disk does not take it.
pub fn sync_folders(folder: &Path) -> Result<()> {
    for folder in [Some(folder), folder.parent()].into_iter().flatten().filter(|folder| folder.is_dir()) {
        disk::sync_folder(folder).map_err(Error::io(folder, "syncing"))?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// True when the open file is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |found: fs::Metadata| (found.dev(), found.ino());
    file.metadata().map(number).ok() == fs::metadata(path).map(number).ok()
}

/// On other systems an open file cannot be replaced.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_is_held_under_its_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file");
        hold(&path).expect("a new file").replace(b"one").expect("room on disk");
        assert_eq!(fs::read(&path).expect("a file"), b"one");
        let held = hold(&path).expect("the file");
        assert!(is_at(&held.file, &path));
        held.replace(b"two").expect("room on disk");
        assert_eq!(fs::read(&path).expect("a file"), b"two");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_rights_and_a_new_one_has_those_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mode = |name: &str| fs::metadata(folder.path().join(name)).expect("a file").permissions().mode() & 0o777;
        let path = folder.path().join("file");
        fs::write(folder.path().join("any"), "").expect("room on disk");
        replace(&path, b"one").expect("room on disk");
        assert_eq!(mode("file"), mode("any"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).expect("it is ours");
        replace(&path, b"two").expect("room on disk");
        assert_eq!(mode("file"), 0o664);
    }
}
