//! What stages have in common that work through many tasks, such as sites: the runner of groups of tasks, the choice of sites that are
//! worked on together, and the records of how far a stage has come.

use std::vec;

use rayon::prelude::*;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::StageRecord;
use crate::types::SiteId;

/// Work that is done in groups of tasks. The tasks of a group are done in parallel, and their results are one commit, or a few.
pub trait Groups: Sync {
    /// What one thread does.
    type Task: Send + Sync;
    /// The result of a task.
    type Done: Send;

    /// The tasks of the next group; none at the end.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn next(&mut self, store: &Store) -> Result<Option<Vec<Self::Task>>>;

    /// Does a task.
    ///
    /// # Errors
    /// When the store cannot be read, or [`Error::Interrupted`]: the task is left for another run.
    fn work(&self, store: &Store, task: &Self::Task) -> Result<Self::Done>;

    /// Commits the results of the tasks of a group, which are given in the order of the tasks. Results of tasks that were left for another
    /// run are missing.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    fn keep(&mut self, store: &mut Store, done: Vec<(Self::Task, Self::Done)>) -> Result<()>;
}

/// Does all groups. When the user wants to stop, no further task is begun, and what is done is kept.
///
/// # Errors
/// When the store cannot be read or written, or the run was stopped.
pub fn do_groups(groups: &mut impl Groups, store: &mut Store, context: &Context<'_>) -> Result<()> {
    while let Some(tasks) = groups.next(store)? {
        let (shared, working) = (&*store, &*groups);
        let work = |task| {
            if context.check_stop().is_err() {
                return Ok(None);
            }
            match working.work(shared, task) {
                Err(Error::Interrupted) => Ok(None),
                done => done.map(Some),
            }
        };
        let done: Vec<Option<_>> = tasks.par_iter().map(work).collect::<Result<_>>()?;
        let done = tasks.into_iter().zip(done).filter_map(|(task, done)| Some((task, done?)));
        groups.keep(store, done.collect())?;
        store.unmap();
        context.check_stop()?;
    }
    Ok(())
}

/// Sites of a group, at most.
const SITES: usize = 2048;

/// Tasks, each for one site, in groups.
pub struct SiteTasks<T> {
    tasks: vec::IntoIter<T>,
    /// Sites are added to a group until they have so many pages.
    pages: u64,
}

impl<T> SiteTasks<T> {
    /// All `tasks`, in their order. Sites are added to a group until they have `pages` pages, or are [`SITES`].
    pub fn new(tasks: Vec<T>, pages: u64) -> SiteTasks<T> {
        SiteTasks { tasks: tasks.into_iter(), pages }
    }

    /// The next group; none at the end.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn next(&mut self, store: &Store, site: impl Fn(&T) -> SiteId) -> Result<Option<Vec<T>>> {
        let mut group = Vec::new();
        let mut sum = 0;
        while group.len() < SITES && sum < self.pages {
            let Some(task) = self.tasks.next() else { break };
            sum += u64::from(store.site(site(&task))?.unwrap_or_default().pages);
            group.push(task);
        }
        Ok((!group.is_empty()).then_some(group))
    }
}

/// Records that a stage is at work, with its settings.
///
/// # Errors
/// When the store cannot be written.
pub fn begin(stage: &dyn Stage, store: &mut Store, config: &Config) -> Result<()> {
    note(stage, store, StageRecord { fingerprint: fingerprint(stage, config), cursor: 0, finished: false })
}

/// Records that a stage has finished with all sites.
///
/// # Errors
/// When the store cannot be read or written.
pub fn finish(stage: &dyn Stage, store: &mut Store, config: &Config) -> Result<()> {
    let cursor = u64::from(store.site_count()?);
    note(stage, store, StageRecord { fingerprint: fingerprint(stage, config), cursor, finished: true })
}

/// Records how far a stage has come.
///
/// # Errors
/// When the store cannot be written.
pub fn note(stage: &dyn Stage, store: &mut Store, record: StageRecord) -> Result<()> {
    let mut changes = Changes::default();
    changes.put_stage(stage.name(), &record);
    store.commit(changes)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::archive::Inputs;
    use crate::pipeline::Silent;
    use crate::store::Access;

    /// Numbers, of which the stop is asked for in one.
    struct Numbers<'s> {
        groups: Vec<Vec<u32>>,
        stop: &'s AtomicBool,
        stops_in: u32,
        kept: Vec<(u32, u32)>,
    }

    impl Groups for Numbers<'_> {
        type Task = u32;
        type Done = u32;

        fn next(&mut self, _: &Store) -> Result<Option<Vec<u32>>> {
            Ok(self.groups.pop())
        }

        fn work(&self, _: &Store, &task: &u32) -> Result<u32> {
            if task == self.stops_in {
                self.stop.store(true, Ordering::Relaxed);
                return Err(Error::Interrupted);
            }
            Ok(task * task)
        }

        fn keep(&mut self, _: &mut Store, done: Vec<(u32, u32)>) -> Result<()> {
            self.kept.extend(done);
            Ok(())
        }
    }

    #[test]
    fn what_is_done_of_a_group_that_is_stopped_is_kept_and_no_other_group_is_begun() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let (config, stop) = (Config::default(), AtomicBool::new(false));
        let context = Context { config: &config, inputs: &Inputs::default(), observer: &Silent, stop: &stop };
        let groups = vec![vec![9], vec![3, 4], vec![1, 2]];
        let mut numbers = Numbers { groups, stop: &stop, stops_in: 4, kept: Vec::new() };
        let ended = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let ended = ended.install(|| do_groups(&mut numbers, &mut store, &context));
        assert!(matches!(ended, Err(Error::Interrupted)), "{ended:?}");
        assert_eq!((numbers.kept, numbers.groups), (vec![(1, 1), (2, 4), (3, 9)], vec![vec![9]]));
        stop.store(false, Ordering::Relaxed);
        let mut rest = Numbers { groups: vec![vec![9], vec![4]], stop: &stop, stops_in: 0, kept: Vec::new() };
        do_groups(&mut rest, &mut store, &context).expect("nothing stops it");
        assert_eq!(rest.kept, [(4, 16), (9, 81)]);
    }
}
