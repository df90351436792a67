//! What stages that go from site to site have in common: which sites are worked on together, and records of how far a stage is.

use std::iter::Peekable;

use crate::config::Config;
use crate::error::Result;
use crate::pipeline::{Stage, fingerprint};
use crate::store::Store;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::StageRecord;
use crate::types::SiteId;

/// Sites that are worked on together, at most.
const SITES: usize = 256;

/// Takes the next of `tasks`, each for one site, that are worked on together: until they have `pages` pages. Takes at least one, unless
/// there is none.
///
/// # Errors
/// When the store cannot be read.
pub fn next_group<T>(
    store: &Store,
    tasks: &mut Peekable<impl Iterator<Item = T>>,
    pages: u64,
    site: impl Fn(&T) -> SiteId,
) -> Result<Vec<T>> {
    let mut group = Vec::new();
    let mut sum = 0;
    while group.len() < SITES && sum < pages {
        let Some(task) = tasks.next() else { break };
        sum += u64::from(store.site(site(&task))?.unwrap_or_default().pages);
        group.push(task);
    }
    Ok(group)
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
