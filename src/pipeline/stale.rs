//! Which stages are stale. Runs, `status` and queries all use this.

use super::{STAGES, Stage, fingerprint};
use crate::config::Config;
use crate::error::Result;
use crate::store::{Reviews, Store};

/// The stage up to which a run goes by default.
pub const LAST_STAGE: &str = "align";

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageState {
    /// Its results were made with the present settings, from the present results of earlier stages.
    Fresh,
    /// It never ran on this store.
    NotRun,
    /// It was stopped, and the next run continues it.
    Partial,
    /// Its settings, or the results of an earlier stage, have changed since it ran.
    Stale,
}

impl StageState {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            StageState::Fresh => "fresh",
            StageState::NotRun => "not run",
            StageState::Partial => "partial",
            StageState::Stale => "stale",
        }
    }
}

/// A stage, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageStatus {
    /// Name of the stage.
    pub name: &'static str,
    /// How far it has come.
    pub state: StageState,
    /// The work that is left, as text; empty where this is not known before earlier stages have run.
    pub remaining: String,
    /// True where it ran with other settings of its own than it would now, or with other contents of a file that one of them names.
    pub is_set_anew: bool,
}

/// How far each stage has come, from the first to `until`.
///
/// An archive of which only a part was read makes nothing stale: the pages read so far are pages like others.
///
/// # Errors
/// When the store cannot be read.
pub fn progress(store: &Store, config: &Config, until: &str) -> Result<Vec<StageStatus>> {
    progress_with(store, config, until, by_people(store)?)
}

fn progress_with(store: &Store, config: &Config, until: &str, by_people: u64) -> Result<Vec<StageStatus>> {
    let mut found: Vec<StageStatus> = Vec::new();
    let mut is_behind = false;
    let known = store.known_fresh()?;
    for (at, stage) in STAGES.iter().enumerate() {
        let settings = fingerprint(*stage, config);
        let is_known = || known.iter().any(|(name, known)| name == stage.name() && *known == settings ^ by_people);
        let remaining = if !is_behind && is_known() { String::new() } else { stage.remaining(store, config)? };
        let record = store.stage(stage.name())?;
        let was_stopped = at == 0 || (!record.finished && record.fingerprint == settings);
        let state = if record.fingerprint == 0 {
            StageState::NotRun
        } else if is_behind {
            StageState::Stale
        } else if remaining.is_empty() {
            StageState::Fresh
        } else if was_stopped {
            StageState::Partial
        } else {
            StageState::Stale
        };
        is_behind |= at > 0 && state != StageState::Fresh;
        let is_set_anew = record.fingerprint != 0 && record.fingerprint != settings;
        found.push(StageStatus { name: stage.name(), state, remaining, is_set_anew });
        if stage.name() == until {
            break;
        }
    }
    Ok(found)
}

/// A hash of what people have corrected and judged, which no commit covers.
fn by_people(store: &Store) -> Result<u64> {
    Ok(store.corrections().hash() ^ Reviews::of(store.folder()).hash()?)
}

/// True when a stage has run on a store at any time.
///
/// # Errors
/// When the store cannot be read.
pub fn has_run(store: &Store, stage: &dyn Stage) -> Result<bool> {
    Ok(store.stage(stage.name())?.fingerprint != 0)
}

/// Stores which stages are fresh, so that a query knows it at once, however many sites there are. Does nothing if this is already stored
/// for the last commit.
///
/// # Errors
/// When the store cannot be read, or the disk cannot be written.
pub fn note_fresh(store: &mut Store, config: &Config) -> Result<()> {
    if !store.known_fresh()?.is_empty() {
        return Ok(());
    }
    let is_fresh = |status: &StageStatus| status.state == StageState::Fresh;
    // This comes before anything is compared: marks that reviewers make meanwhile must not count as seen.
    let by_people = by_people(store)?;
    let progress = progress_with(store, config, LAST_STAGE, by_people)?;
    let fresh = STAGES.iter().zip(&progress).filter(|(_, status)| is_fresh(status));
    let with = |stage: &dyn Stage| fingerprint(stage, config) ^ by_people;
    let fresh: Vec<_> = fresh.map(|(stage, _)| (stage.name().to_owned(), with(*stage))).collect();
    if fresh.is_empty() { Ok(()) } else { store.keep_fresh(fresh) }
}

/// The stages up to `until` that are not fresh, in order.
///
/// # Errors
/// When the store cannot be read.
pub fn stale(store: &Store, config: &Config, until: &str) -> Result<Vec<StageStatus>> {
    let mut found = progress(store, config, until)?;
    found.retain(|stage| stage.state != StageState::Fresh);
    Ok(found)
}
