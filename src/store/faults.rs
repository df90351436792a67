//! Disk failures on demand, for tests.

use std::io;
use std::path::Path;
#[cfg(test)]
use std::path::PathBuf;
#[cfg(test)]
use std::sync::{Mutex, PoisonError};

/// A step that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Opening a file to write.
    Open,
    /// Writing into a file, or cutting it.
    Write,
    /// Making a file durable.
    Sync,
    /// Renaming a file.
    Rename,
    /// Removing a file.
    Remove,
    /// Mapping a file.
    Map,
}

/// Called before a step is taken.
///
/// # Errors
/// When the step is planned to fail.
#[cfg(not(test))]
pub fn before(_: Step, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Called before bytes are written; returns how many of them are to be written.
///
/// # Errors
/// When none are to be written.
#[cfg(not(test))]
pub fn before_write(length: usize, _: &Path) -> io::Result<usize> {
    Ok(length)
}

/// Called once the names in a folder are durable.
#[cfg(not(test))]
pub fn names_synced(_: &Path) {}

/// How a step fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg(test)]
pub enum Failure {
    /// The disk is full.
    Full,
    /// The disk does not answer.
    Broken,
    /// A write takes a part of the bytes, then the disk is full.
    Short,
    /// There is no memory to map files; all else succeeds, and counts as no step.
    NoMap,
}

#[cfg(test)]
struct Plan {
    folder: PathBuf,
    /// Steps left before the one that fails.
    left: u64,
    failure: Failure,
    steps: u64,
    failed: Option<(Step, PathBuf)>,
}

#[cfg(test)]
static PLANS: Mutex<Vec<Plan>> = Mutex::new(Vec::new());

/// Lets the steps in a folder fail from the `nth` on, counted from 0.
#[cfg(test)]
pub fn plan(folder: &Path, nth: u64, failure: Failure) {
    let plan = Plan { folder: folder.to_owned(), left: nth, failure, steps: 0, failed: None };
    PLANS.lock().unwrap_or_else(PoisonError::into_inner).push(plan);
}

/// Ends the plan of a folder; returns how many steps there were, and the first that failed.
#[cfg(test)]
pub fn end(folder: &Path) -> (u64, Option<(Step, PathBuf)>) {
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = plans.iter().position(|plan| plan.folder == folder);
    at.map(|at| plans.swap_remove(at)).map_or((0, None), |plan| (plan.steps, plan.failed))
}

/// Names of files and folders: path and inode number.
#[cfg(test)]
type Names = std::collections::BTreeSet<(PathBuf, u64)>;

/// The folders that are watched, and the durable names below each.
#[cfg(test)]
static WATCHED: Mutex<Vec<(PathBuf, Names)>> = Mutex::new(Vec::new());

/// Records from now on which names below a folder are durable.
#[cfg(test)]
pub fn watch(folder: &Path) {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push((folder.to_owned(), Names::new()));
}

/// The files and folders below a watched folder that would be missing, or have another name, if the power failed now.
#[cfg(test)]
pub fn unsynced(folder: &Path) -> Vec<PathBuf> {
    let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for (path, number) in names_in(&folder) {
            let is_durable = |(_, names): &(_, Names)| names.contains(&(path.clone(), number));
            if !watched.iter().any(is_durable) {
                found.push(path.clone());
            }
            waiting.extend(path.is_dir().then_some(path));
        }
    }
    found
}

#[cfg(test)]
fn names_in(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    #[cfg(unix)]
    let number = |entry: &std::fs::DirEntry| std::os::unix::fs::DirEntryExt::ino(entry);
    #[cfg(not(unix))]
    let number = |_: &std::fs::DirEntry| 0;
    entries.map(|entry| (entry.path(), number(&entry))).collect()
}

/// Called once the names in a folder are durable.
#[cfg(test)]
pub fn names_synced(folder: &Path) {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, names)) = watched.iter_mut().find(|(of, _)| folder.starts_with(of)) {
        names.retain(|(path, _)| path.parent() != Some(folder));
        names.extend(names_in(folder));
    }
}

/// Called before a step is taken.
///
/// # Errors
/// When the step is planned to fail.
#[cfg(test)]
pub fn before(step: Step, path: &Path) -> io::Result<()> {
    match fails(step, path) {
        None => Ok(()),
        Some(Failure::Broken) => Err(io::Error::from_raw_os_error(5)),
        Some(Failure::NoMap) => Err(io::Error::from_raw_os_error(12)),
        Some(_) => Err(io::Error::from_raw_os_error(28)),
    }
}

/// Called before bytes are written; returns how many of them are to be written.
///
/// # Errors
/// When none are to be written.
#[cfg(test)]
pub fn before_write(length: usize, path: &Path) -> io::Result<usize> {
    match fails(Step::Write, path) {
        None => Ok(length),
        Some(Failure::Broken) => Err(io::Error::from_raw_os_error(5)),
        Some(Failure::Short) if length > 1 && is_first(path) => Ok(length / 2),
        Some(_) => Err(io::Error::from_raw_os_error(28)),
    }
}

#[cfg(test)]
fn is_first(path: &Path) -> bool {
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    let plan = plans.iter_mut().find(|plan| path.starts_with(&plan.folder));
    plan.is_some_and(|plan| std::mem::replace(&mut plan.failure, Failure::Full) == Failure::Short)
}

#[cfg(test)]
fn fails(step: Step, path: &Path) -> Option<Failure> {
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    let plan = plans.iter_mut().find(|plan| path.starts_with(&plan.folder))?;
    if plan.failure == Failure::NoMap && step != Step::Map {
        return None;
    }
    plan.steps += 1;
    if plan.left > 0 {
        plan.left -= 1;
        return None;
    }
    plan.failed.get_or_insert_with(|| (step, path.to_owned()));
    Some(plan.failure)
}
