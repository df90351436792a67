//! Who may have a store: one writer, or readers.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Queries, while nobody writes. Any number of processes; they take turns with the catalog.
    Read,
    /// Everything: one process. Makes the store where there is none.
    Write,
}

/// How long to wait for another process that holds the store.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

pub(super) fn fault(folder: &Path, problem: impl Into<String>) -> Error {
    Error::Store { path: folder.to_owned(), problem: problem.into() }
}

pub(super) fn in_use(folder: &Path) -> Error {
    fault(folder, "in use by another process; wait until it ends")
}

pub(super) fn lock(folder: &Path, access: Access) -> Result<File> {
    let path = folder.join("lock");
    let file = match access {
        Access::Write => File::options().create(true).truncate(false).write(true).open(&path),
        Access::Read => {
            File::open(&path).or_else(|_| File::options().create(true).truncate(false).write(true).open(&path))
        }
    };
    let file = file.map_err(Error::io(&path, "opening"))?;
    let since = Instant::now();
    loop {
        let tried = if access == Access::Write { file.try_lock() } else { file.try_lock_shared() };
        match tried {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(TryLockError::WouldBlock) => return Err(in_use(folder)),
            Err(TryLockError::Error(source)) => return Err(Error::Io { path, action: "locking", source }),
        }
    }
}
