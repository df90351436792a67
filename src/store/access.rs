//! Who may write a store: one process at a time. Readers need no lock, except that a query of the token index shares the lock, so that a
//! process that wants to write waits until the query is done.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::error::{Error, Result};
use crate::files;

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read-only queries on the last commit. Any number of processes may do so, even while another process writes.
    Read,
    /// Reading and writing, by one process at a time. Makes the store where there is none.
    Write,
}

/// How long to wait for another process that holds the store.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait for queries that ask the token index; opening it may take seconds.
const PATIENCE_WITH_QUERIES: Duration = Duration::from_secs(60);

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
    refuse_others_than_files(folder)?;
    let path = folder.join(LOCK);
    // NFS shares the lock only of a file that may be read.
    let file = files::open_with(OpenOptions::new().create(true).truncate(false).read(true).write(true), &path);
    let file = file.map_err(|error| not_opened(&path, error))?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => {
                // The new time of the lock file tells readers that somebody has opened the store to write, even if no commit follows. Where
                // the time cannot be set, readers are not told.
                let _ = file.set_modified(SystemTime::now());
                return Ok(file);
            }
            Err(TryLockError::WouldBlock) => {
                let is_asked = is_shared(&file);
                if since.elapsed() > if is_asked { PATIENCE_WITH_QUERIES } else { PATIENCE } {
                    let asked = || fault(folder, "a query reads its token index; wait until that ends");
                    return Err(if is_asked { asked() } else { in_use(folder) });
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::Error(source)) => return Err(Error::Io { path, action: "locking", source }),
        }
    }
}

/// True when no process holds the lock alone, so that whoever holds it only shares it.
fn is_shared(file: &File) -> bool {
    let is_shared = file.try_lock_shared().is_ok();
    // The shared lock is given back at once: two processes that both wait to write would otherwise keep each other waiting.
    let _ = file.unlock();
    is_shared
}

/// Takes the shared lock for a query of the token index, so that processes that want to write wait; `None` where a process writes already,
/// or where this cannot be found out.
pub(super) fn lock_to_ask(folder: &Path) -> Option<File> {
    let file = files::open(&folder.join(LOCK)).ok()?;
    file.try_lock_shared().ok().map(|()| file)
}

/// Why a file of a store cannot be opened.
pub(super) fn not_opened(path: &Path, error: io::Error) -> Error {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    if files::is_refusal(&error) {
        return no_file(path, &error.to_string());
    }
    if path.ends_with(LOCK) && matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) {
        let problem = format!(
            "this command writes the store, and may not: {error}; get the right to write the folder, or give a copy of it as \
             --store (queries need no right to write)"
        );
        return fault(path, problem);
    }
    Error::io(path, "opening")(error)
}

fn no_file(path: &Path, found: &str) -> Error {
    fault(
        path,
        format!(
            "is {found}; take it away, and restore the file of that name from a copy of the store if there was one"
        ),
    )
}

/// Refuses a store in which a pipe, a device or a folder has the name of a file, because opening a pipe may block for ever. Links to files
/// count as files.
///
/// # Errors
/// With the first such name that is found.
pub(super) fn refuse_others_than_files(folder: &Path) -> Result<()> {
    const FILES: [&str; 6] = [LOCK, "manifest.json", "manifest.new", "marks.jsonl", "conf", "db"];
    let mut waiting = vec![(folder.to_owned(), true)];
    while let Some((folder, is_whole)) = waiting.pop() {
        // A folder that cannot be listed gives an error later, when it is opened.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(kind) = fs::metadata(&path).map(|found| found.file_type()) else { continue };
            let name = entry.file_name();
            let is_of_file = FILES.iter().any(|file| name == *file)
                || path.extension().is_some_and(|ending| ending == "rec" || ending == "run")
                || path.parent().is_some_and(|above| above.ends_with("blobs"));
            if !kind.is_file() && !kind.is_dir() {
                return Err(no_file(&path, "a pipe or device, expected a file"));
            }
            if kind.is_dir() && is_of_file {
                return Err(no_file(&path, "a folder, expected a file"));
            }
            // sled keeps long values in the folder `blobs`.
            if kind.is_dir() && (is_whole && name != "tmp" || name == "blobs") {
                waiting.push((path, false));
            }
        }
    }
    Ok(())
}

/// Whether a process holds, or has held, the lock.
#[derive(PartialEq, Eq)]
pub(super) enum Held {
    /// A process holds it now.
    Now,
    /// No process holds it now; the last one took it at this time, if any ever did.
    Before(Option<SystemTime>),
}

/// Looks whether a process holds the lock.
pub(super) fn held(folder: &Path) -> Held {
    let Ok(file) = files::open(&folder.join(LOCK)) else { return Held::Before(None) };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Held::Now,
        _ => Held::Before(file.metadata().and_then(|metadata| metadata.modified()).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_may_not_be_written_says_so_and_what_to_do() {
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
            let told = not_opened(Path::new("s/lock"), kind.into()).to_string();
            assert!(
                told.contains("s/lock: this command writes the store, and may not: ") && told.contains("--store"),
                "{told}"
            );
        }
    }

    #[test]
    fn who_would_write_waits_for_queries_and_not_for_who_writes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path();
        let writing = lock(folder).expect("nobody has it");
        assert!(held(folder) == Held::Now && lock_to_ask(folder).is_none());
        drop(writing);
        let queries = [(); 2].map(|()| lock_to_ask(folder).expect("nobody writes"));
        assert!(held(folder) != Held::Now, "nobody writes");
        std::thread::scope(|scope| {
            let writing = scope.spawn(|| lock(folder));
            std::thread::sleep(PATIENCE + Duration::from_millis(300));
            assert!(!writing.is_finished());
            drop(queries);
            let writing = writing.join().expect("no panic").expect("the queries have ended");
            assert!(lock(folder).expect_err("it is held").to_string().contains("another process writes it"));
            drop(writing);
        });
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_and_a_link_to_one_is_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("pages")).expect("room on disk");
        fs::write(at("elsewhere"), "").expect("room on disk");
        std::os::unix::fs::symlink(at("elsewhere"), at(LOCK)).expect("a link");
        drop(lock(folder.path()).expect("a link to a file is a file"));
        fs::create_dir(at("pages/000000.rec")).expect("room on disk");
        let told = lock(folder.path()).expect_err("a folder").to_string();
        assert!(told.contains("pages/000000.rec: is a folder, expected a file; take it away"), "{told}");
    }
}
