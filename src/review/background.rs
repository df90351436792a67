//! Figures that no request has time to count are counted in the background. Until a count is finished, the result of the count before it is
//! shown.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use diglot::store::{Access, Store};

use super::failure::Failure;

/// The result of a count.
pub trait Background: Send + Sync + 'static {
    /// True when the count is of the same commit as an open store.
    fn is_of(&self, store: &Store) -> bool;
}

/// What counts.
type Count<T> = Box<dyn Fn(&Store) -> diglot::Result<T> + Send + Sync>;

/// The last finished count, and whether another one is running.
pub struct Counting<T> {
    /// Folder of the store.
    folder: PathBuf,
    /// What the program cannot do where the count fails, for messages.
    job: &'static str,
    count: Count<T>,
    last: Mutex<Option<Arc<T>>>,
    /// Why the last one failed, if it did.
    problem: Mutex<Option<String>>,
    is_running: AtomicBool,
    /// When the last count ended, and how long it took.
    took: Mutex<Option<(Instant, Duration)>>,
}

/// After a count, this many times its duration must pass before a store that has changed is counted again.
const REST: u32 = 5;

/// How long a page waits for the first count.
const PATIENCE: Duration = Duration::from_millis(60);

/// A count that was faster than this is treated as if it had taken this long.
const LEAST_REST: Duration = Duration::from_millis(200);

/// Marks a count as running, until it ends in any way.
struct Running<'c>(&'c AtomicBool);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Background> Counting<T> {
    /// A counting of the store in a folder by `count`; nothing is counted yet. `job` says, for messages, what cannot be done where it
    /// fails.
    pub fn of(
        folder: &Path,
        job: &'static str,
        count: impl Fn(&Store) -> diglot::Result<T> + Send + Sync + 'static,
    ) -> Arc<Counting<T>> {
        let (last, problem, took) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (folder, count) = (folder.to_owned(), Box::new(count));
        Arc::new(Counting { folder, job, count, last, problem, is_running: AtomicBool::new(false), took })
    }

    /// The last count; `None` while there is none yet. Starts another if the store has changed since.
    ///
    /// # Errors
    /// When there is none, and the last attempt failed.
    pub fn known(self: &Arc<Self>) -> Result<Option<Arc<T>>, Failure> {
        let last = self.last();
        let problem = held(&self.problem).clone();
        match (last, problem) {
            (None, Some(problem)) => Err(Failure::Broken(problem)),
            (last, _) => Ok(last),
        }
    }

    /// The last count, if there is one. Starts another if the store has changed since.
    pub fn last(self: &Arc<Self>) -> Option<Arc<T>> {
        let began = Instant::now();
        loop {
            let last = held(&self.last).clone();
            if let Some(last) = last {
                self.renew(&last);
                return Some(last);
            }
            self.begin();
            if began.elapsed() > PATIENCE {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn renew(self: &Arc<Self>, last: &T) {
        if self.is_rested() && self.open().is_ok_and(|store| !last.is_of(&store)) {
            self.begin();
        }
    }

    fn is_rested(&self) -> bool {
        held(&self.took).is_none_or(|(at, took)| at.elapsed() > took * REST)
    }

    fn open(&self) -> diglot::Result<Store> {
        Store::open(&self.folder, Access::Read)
    }

    /// Starts a count, unless one is running.
    pub fn begin(self: &Arc<Self>) {
        if !self.is_rested() || self.is_running.swap(true, Ordering::Relaxed) {
            return;
        }
        let counting = self.clone();
        std::thread::spawn(move || {
            let _running = Running(&counting.is_running);
            let began = Instant::now();
            match counting.open().and_then(|store| (counting.count)(&store)) {
                Ok(counted) => {
                    *held(&counting.last) = Some(Arc::new(counted));
                    *held(&counting.problem) = None;
                }
                Err(why) => {
                    let problem = format!("{}: {why}", counting.job);
                    let _ = writeln!(std::io::stderr(), "diglot: {problem}");
                    *held(&counting.problem) = Some(problem);
                }
            }
            // After a failure, the next count waits as well.
            *held(&counting.took) = Some((Instant::now(), began.elapsed().max(LEAST_REST)));
        });
    }
}

/// True where the store has changed since it was counted.
pub fn is_older<T: Background>(last: Option<&T>, store: &Store) -> bool {
    last.is_some_and(|last| !last.is_of(store))
}

/// The hash of the commit at which a store is open: a store that replaced another may have a commit of the same number.
pub fn commit_hash(store: &Store) -> Option<u64> {
    store.witness().map(|witness| witness.commit_hash())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Background for Nothing {
        fn is_of(&self, _: &Store) -> bool {
            true
        }
    }

    #[test]
    fn what_fails_is_told_with_the_job_and_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let counting = Counting::<Nothing>::of(folder.path(), "the figures cannot be counted", |_| Ok(Nothing));
        let began = Instant::now();
        loop {
            match counting.known() {
                Err(Failure::Broken(why)) => {
                    break assert!(why.starts_with("the figures cannot be counted: "), "{why}");
                }
                Err(_) | Ok(Some(_)) => panic!("there is no store"),
                Ok(None) => assert!(began.elapsed() < Duration::from_secs(60), "nothing is told"),
            }
        }
    }
}
