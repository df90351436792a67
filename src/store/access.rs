//! Who may write a store: one process at a time. Readers need no leave.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

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

/// The file that is locked.
pub(super) const LOCK: &str = "lock";

/// The lock of the one process that writes.
pub(super) fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(Error::io(&path, "opening"))?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => {
                // Tells readers that somebody has written, though nothing may come of it. Where it cannot be set, it tells nothing.
                let _ = file.set_modified(SystemTime::now());
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(TryLockError::WouldBlock) => return Err(in_use(folder)),
            Err(TryLockError::Error(source)) => return Err(Error::Io { path, action: "locking", source }),
        }
    }
}

/// Who has held the lock.
#[derive(PartialEq, Eq)]
pub(super) enum Held {
    /// A process holds it now.
    Now,
    /// One took it last at this time, if any did.
    Before(Option<SystemTime>),
}

/// Looks whether a process holds the lock.
pub(super) fn held(folder: &Path) -> Held {
    let Ok(file) = File::open(folder.join(LOCK)) else { return Held::Before(None) };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Held::Now,
        _ => Held::Before(file.metadata().and_then(|metadata| metadata.modified()).ok()),
    }
}
