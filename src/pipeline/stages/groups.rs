//! What stages that go from site to site have in common: which sites are worked on together, and records of how far a stage is.

use std::iter::Peekable;
use std::vec;

use rayon::prelude::*;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::store::Store;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::StageRecord;
use crate::types::SiteId;

/// Work that is done in groups of tasks: those of a group are done in parallel, and what comes of them is one commit, or a few.
pub trait Groups: Sync {
    /// What one thread does.
    type Task: Send + Sync;
    /// What comes of it.
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

    /// Commits what came of the tasks of a group, which is given in their order. What was left for another run is missing.
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

/// Tasks, each for one site, in groups.
pub struct SiteTasks<T> {
    tasks: Peekable<vec::IntoIter<T>>,
    /// Sites of a group, at most.
    sites: usize,
    /// Pages of a group, at most, unless one site has more.
    pages: u64,
}

impl<T> SiteTasks<T> {
    /// All `tasks`, in their order; those of a group have `pages` pages, unless one site has more.
    pub fn new(tasks: Vec<T>, pages: u64) -> SiteTasks<T> {
        SiteTasks { tasks: tasks.into_iter().peekable(), sites: 256, pages }
    }

    /// The next group; none at the end.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn next(&mut self, store: &Store, site: impl Fn(&T) -> SiteId) -> Result<Option<Vec<T>>> {
        let mut group = Vec::new();
        let mut sum = 0;
        while group.len() < self.sites && sum < self.pages {
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

/// Records that a stage is done with all sites.
///
/// # Errors
/// When the store cannot be read or written.
pub fn finish(stage: &dyn Stage, store: &mut Store, config: &Config) -> Result<()> {
    let cursor = u64::from(store.site_count()?);
    note(stage, store, StageRecord { fingerprint: fingerprint(stage, config), cursor, finished: true })
}

/// Records how far a stage is.
///
/// # Errors
/// When the store cannot be written.
pub fn note(stage: &dyn Stage, store: &mut Store, record: StageRecord) -> Result<()> {
    let mut changes = Changes::default();
    changes.put(Keyspace::Stage, stage.name().as_bytes(), &record);
    store.commit(changes)
}
