//! Who may write a store: one process at a time. Readers need no leave.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Queries, as of the last commit: any number of processes, beside one that writes. Nothing is written.
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
    fault(folder, "another process writes it; wait until that ends (queries need not wait)")
}

/// The lock of the one process that writes.
pub(super) fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(Error::io(&path, "opening"))?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(TryLockError::WouldBlock) => return Err(in_use(folder)),
            Err(TryLockError::Error(source)) => return Err(Error::Io { path, action: "locking", source }),
        }
    }
}

/// True when a process holds the lock.
pub(super) fn is_written(folder: &Path) -> bool {
    File::open(folder.join("lock")).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
