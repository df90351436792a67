//! What a store does to files, in one place, so that tests can make every step fail.
//!
//! After a failed write, the content of the file is unknown, so the writer must not go on (`RecordFile`, `Store::commit`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files;

/// Also called before steps that other code takes: sled, or the mapping of a file.
pub use super::faults::{Step, before};
use super::faults::{before_write, names_synced};

/// `ENFILE` and `EMFILE`: the system, or the process, opens no more files.
const OUT_OF_FILES: &[i32] = if cfg!(windows) { &[4] } else { &[23, 24] };

/// True of an error that says that file handles or memory have run out.
pub fn is_shortage(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory || error.raw_os_error().is_some_and(|code| OUT_OF_FILES.contains(&code))
}

/// A file that is open for writing.
pub struct Writing {
    file: File,
    path: PathBuf,
}

impl Writing {
    /// Makes what was written durable.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn sync_data(&self) -> io::Result<()> {
        before(Step::Sync, &self.path)?;
        self.file.sync_data()
    }

    /// Cuts the file, or lengthens it by a hole.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        before(Step::Write, &self.path)?;
        self.file.set_len(length)
    }

    /// As [`check_name`].
    ///
    /// # Errors
    /// As there.
    pub fn check_name(&self) -> Result<(), Error> {
        check_name(&self.file, &self.path)
    }

    /// The length of the file.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = before_write(bytes.len(), &self.path)?;
        self.file.write(&bytes[..count])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Writing {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Checks that a path still names the open file: a commit into files that were removed or replaced would be lost.
///
/// # Errors
/// When the path names another file, or none. Where the system cannot tell files apart, there is no error.
pub fn check_name(file: &File, path: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    let is_same = {
        use std::os::unix::fs::MetadataExt;
        let of = |found: io::Result<fs::Metadata>| found.map(|found| (found.dev(), found.ino())).ok();
        let open = of(file.metadata());
        open.is_some() && open == of(fs::metadata(path))
    };
    #[cfg(not(unix))]
    let is_same = file.metadata().is_ok() && path.exists();
    if is_same {
        return Ok(());
    }
    let problem = "another program has removed it, or put another file in its place, while this one wrote the store; nothing is kept since \
                   the last commit: put it back, and run again";
    Err(Error::Store { path: path.to_owned(), problem: problem.into() })
}

/// Creates a file; empties it if it exists.
///
/// # Errors
/// When it cannot be made.
pub fn create(path: &Path) -> io::Result<Writing> {
    before(Step::Open, path)?;
    let file = files::open_with(OpenOptions::new().create(true).truncate(true).write(true), path)?;
    Ok(Writing { file, path: path.to_owned() })
}

/// Opens a file for writing, and creates it if it does not exist.
///
/// # Errors
/// When it cannot be opened.
pub fn open(path: &Path) -> io::Result<Writing> {
    before(Step::Open, path)?;
    let file = files::open_with(OpenOptions::new().create(true).truncate(false).read(true).write(true), path)?;
    Ok(Writing { file, path: path.to_owned() })
}

/// Renames a file, replacing the file of the new name if there is one; durably.
///
/// # Errors
/// When the disk does not take it.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    before(Step::Rename, to)?;
    fs::rename(from, to)?;
    sync_name(to)
}

/// Removes a file.
///
/// # Errors
/// When it cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    before(Step::Remove, path)?;
    fs::remove_file(path)
}

/// Creates a folder, and those above it that are missing; durably, though what is put into it later is not.
///
/// # Errors
/// When the disk does not take it.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().skip(1).take_while(|above| !above.exists()).collect();
    fs::create_dir_all(folder)?;
    [folder].into_iter().chain(missing).try_for_each(sync_name)
}

/// Makes the name of a file or folder durable.
///
/// # Errors
/// When the disk does not take it.
pub fn sync_name(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes the names in a folder durable, where the system can.
///
/// # Errors
/// When the disk does not take it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    before(Step::Sync, folder)?;
    files::sync_folder(folder)?;
    names_synced(folder);
    Ok(())
}
