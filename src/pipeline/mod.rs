//! Which stages run, in what order, and how they resume.
//!
//! [`run`] walks [`STAGES`] up to the one asked for. A stage skips what is fresh, goes on where it stopped, and commits as
//! it goes; a commit holds the outputs and the cursor that covers them, so a run that is killed at any instant loses what
//! was not committed and nothing else. What a stage leaves depends on its inputs only: not on threads, interruptions, or the
//! order in which archives came.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::Xxh3;

use crate::config::{Config, fields};
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
mod stale;

use observer::Observer;
pub use stages::STAGES;
pub use stale::{StageState, StageStatus, progress, stale};

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

    /// Grows when the stage would give other results for the same input: by other code, or because the default of a field in
    /// its [`sections`](Stage::sections) changed. (A fingerprint holds only what differs from the default, so that a new field
    /// leaves old results fresh; a changed default it cannot see.)
    fn version(&self) -> u32;

    /// The sections of the configuration its results depend on, by name: `keys`, or a single field, `keys.across_suffixes`.
    fn sections(&self) -> &'static [&'static str];

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

/// Fingerprint of a stage: of its name, its version, and the fields of its sections that differ from the default.
pub fn fingerprint(stage: &dyn Stage, config: &Config) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(format!("{} {}\n", stage.name(), stage.version()).as_bytes());
    for (name, value) in fields::changed(config, stage.sections()) {
        hasher.update(format!("{name}={value}\n").as_bytes());
    }
    // 0 stands for "never run".
    hasher.digest() | 1
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SETTINGS;
    use crate::config::settings::configuration;

    /// The stages whose fingerprints differ between two configurations.
    fn differing(a: &Config, b: &Config) -> Vec<&'static str> {
        let differs = |stage: &&&dyn Stage| fingerprint(**stage, a) != fingerprint(**stage, b);
        STAGES.iter().filter(differs).map(|stage| stage.name()).collect()
    }

    #[test]
    fn a_setting_changes_the_fingerprints_of_the_stages_it_names_and_no_others() {
        for setting in SETTINGS {
            let stored = [(setting.name.to_owned(), setting.example.to_owned())];
            let found = differing(&configuration(&stored).0, &configuration(&[]).0);
            assert_eq!(found, setting.stages, "{}", setting.name);
        }
    }

    #[test]
    fn every_section_of_a_stage_is_in_the_configuration() {
        let known = fields::of(&Config::default());
        for (stage, section) in STAGES.iter().flat_map(|stage| stage.sections().iter().map(move |s| (stage, s))) {
            assert!(known.keys().any(|name| fields::lies_in(name, section)), "{}: {section}", stage.name());
        }
    }

    #[test]
    fn a_field_at_its_default_leaves_no_trace_in_a_fingerprint() {
        for stage in STAGES {
            let plain = xxhash_rust::xxh3::xxh3_64(format!("{} {}\n", stage.name(), stage.version()).as_bytes()) | 1;
            assert_eq!(fingerprint(*stage, &Config::default()), plain, "{}", stage.name());
        }
    }
}
