//! What a store does to files, in one place, so that every failure of a disk can be tried.
//!
//! After a failed write nothing is known of what the file holds: whoever writes must not go on (`RecordFile`, `Store::commit`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is written.
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
        faults::before(Step::Sync, &self.path)?;
        self.file.sync_data()
    }

    /// Cuts the file, or makes it longer by a hole.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        faults::before(Step::Write, &self.path)?;
        self.file.set_len(length)
    }

    /// How long it is.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = faults::before_write(bytes.len(), &self.path)?;
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

/// What can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Opening a file to write.
    Open,
    /// Writing into it, or cutting it.
    Write,
    /// Making it durable.
    Sync,
    /// Giving it its name.
    Rename,
    /// Removing it.
    Remove,
    /// Mapping it.
    Map,
}

/// Makes a file, empty where there is one.
///
/// # Errors
/// When it cannot be made.
pub fn create(path: &Path) -> io::Result<Writing> {
    faults::before(Step::Open, path)?;
    Ok(Writing { file: File::create(path)?, path: path.to_owned() })
}

/// Opens a file to write on, and makes it where there is none.
///
/// # Errors
/// When it cannot be opened.
pub fn open(path: &Path) -> io::Result<Writing> {
    faults::before(Step::Open, path)?;
    let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
    Ok(Writing { file, path: path.to_owned() })
}

/// Gives a file another name, that of a file there is, if any; durably.
///
/// # Errors
/// When the disk does not take it.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    faults::before(Step::Rename, to)?;
    fs::rename(from, to)?;
    sync_folder(to.parent().unwrap_or(to));
    Ok(())
}

/// Removes a file.
///
/// # Errors
/// When it cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    faults::before(Step::Remove, path)?;
    fs::remove_file(path)
}

/// Is asked before a step that something else takes: sled, or the mapping of a file.
///
/// # Errors
/// When that is to fail.
pub fn before(step: Step, path: &Path) -> io::Result<()> {
    faults::before(step, path)
}

/// Makes the names in a folder durable, where the system can.
pub fn sync_folder(folder: &Path) {
    // Not every system opens folders; where it does not, names are durable by themselves or not at all.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(not(any(test, feature = "internals")))]
mod faults {
    use super::*;

    pub fn before(_: Step, _: &Path) -> io::Result<()> {
        Ok(())
    }

    pub fn before_write(length: usize, _: &Path) -> io::Result<usize> {
        Ok(length)
    }
}

/// Failures on demand.
#[cfg(any(test, feature = "internals"))]
pub mod faults {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// How a step fails.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Failure {
        /// The disk is full.
        Full,
        /// The disk does not answer.
        Broken,
        /// A write takes a part of the bytes, then the disk is full.
        Short,
    }

    struct Plan {
        folder: PathBuf,
        /// Steps left before the one that fails.
        left: u64,
        failure: Failure,
        steps: u64,
        failed: Option<(Step, PathBuf)>,
    }

    static PLANS: Mutex<Vec<Plan>> = Mutex::new(Vec::new());

    /// Lets the steps in a folder fail from the `nth` on, counted from 0.
    pub fn plan(folder: &Path, nth: u64, failure: Failure) {
        let plan = Plan { folder: folder.to_owned(), left: nth, failure, steps: 0, failed: None };
        PLANS.lock().unwrap_or_else(PoisonError::into_inner).push(plan);
    }

    /// Ends the plan of a folder: how many steps there were, and the first that failed.
    pub fn end(folder: &Path) -> (u64, Option<(Step, PathBuf)>) {
        let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        let at = plans.iter().position(|plan| plan.folder == folder);
        at.map(|at| plans.swap_remove(at)).map_or((0, None), |plan| (plan.steps, plan.failed))
    }

    pub(super) fn before(step: Step, path: &Path) -> io::Result<()> {
        match fails(step, path) {
            None => Ok(()),
            Some(Failure::Broken) => Err(io::Error::from_raw_os_error(5)),
            Some(_) => Err(io::Error::from_raw_os_error(28)),
        }
    }

    pub(super) fn before_write(length: usize, path: &Path) -> io::Result<usize> {
        match fails(Step::Write, path) {
            None => Ok(length),
            Some(Failure::Broken) => Err(io::Error::from_raw_os_error(5)),
            Some(Failure::Short) if length > 1 && is_first(path) => Ok(length / 2),
            Some(_) => Err(io::Error::from_raw_os_error(28)),
        }
    }

    fn is_first(path: &Path) -> bool {
        let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = plans.iter_mut().find(|plan| path.starts_with(&plan.folder));
        plan.is_some_and(|plan| std::mem::replace(&mut plan.failure, Failure::Full) == Failure::Short)
    }

    fn fails(step: Step, path: &Path) -> Option<Failure> {
        let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = plans.iter_mut().find(|plan| path.starts_with(&plan.folder))?;
        plan.steps += 1;
        if plan.left > 0 {
            plan.left -= 1;
            return None;
        }
        plan.failed.get_or_insert_with(|| (step, path.to_owned()));
        Some(plan.failure)
    }
}
