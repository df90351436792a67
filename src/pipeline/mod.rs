//! Which stages run, in what order, and how they resume.
//!
//! [`run`] walks [`STAGES`] up to the one asked for. A stage skips what is fresh, goes on where it stopped, and commits as
//! it goes; a commit holds the outputs and the cursor that covers them, so a run that is killed at any instant loses what
//! was not committed and nothing else. What a stage leaves depends on its inputs only: not on threads, interruptions, or the
//! order in which archives came.

use std::hash::Hasher;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHasher;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::store::Store;

pub mod evidence;
pub mod explore;
pub mod models;
pub mod observer;
pub mod realign;
pub mod recover;
pub mod site;
pub mod stages;

use observer::Observer;
pub use stages::STAGES;

/// What every stage is given.
pub struct Context<'c> {
    /// Settings.
    pub config: &'c Config,
    /// Archives to take in; empty: those the store has.
    pub inputs: &'c [PathBuf],
    /// Who is told of progress.
    pub observer: &'c dyn Observer,
    /// Set it, and the run stops at the next commit.
    pub stop: &'c AtomicBool,
}

impl Context<'_> {
    /// `Err(Interrupted)` once a stop was asked for.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn check_stop(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// One step of the work.
pub trait Stage: Sync {
    /// Its name on the command line and in `status`.
    fn name(&self) -> &'static str;

    /// Grows when the stage would give other results for the same input.
    fn version(&self) -> u32;

    /// The settings its results depend on, as text.
    fn settings(&self, config: &Config) -> String;

    /// What of its work is left, as text for `status`; empty when all is fresh.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn remaining(&self, store: &Store, config: &Config) -> Result<String>;

    /// Does what is not done yet.
    ///
    /// # Errors
    /// What stops a run: the environment, or the user.
    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()>;
}

/// Fingerprint of a stage: of its version and settings.
pub fn fingerprint(stage: &dyn Stage, config: &Config) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(stage.name().as_bytes());
    hasher.write_u32(stage.version());
    hasher.write(stage.settings(config).as_bytes());
    // 0 stands for "never run".
    hasher.finish() | 1
}

/// Runs the stages from the first to `until`, both inclusive.
///
/// # Errors
/// What stopped it; everything committed before stays.
pub fn run(store: &mut Store, context: &Context<'_>, until: &str) -> Result<()> {
    for stage in STAGES {
        run_stage(*stage, store, context)?;
        if stage.name() == until {
            return Ok(());
        }
    }
    Ok(())
}

/// Runs one stage.
///
/// # Errors
/// As [`run`].
pub fn run_stage(stage: &dyn Stage, store: &mut Store, context: &Context<'_>) -> Result<()> {
    context.check_stop()?;
    let outcome = stage.run(store, context);
    context.observer.end(stage.name(), outcome.is_ok());
    outcome
}

/// The stage of a name.
pub fn stage(name: &str) -> Option<&'static dyn Stage> {
    STAGES.iter().copied().find(|stage| stage.name() == name)
}
