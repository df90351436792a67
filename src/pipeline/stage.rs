//! The trait of stages, what they are given, and the fingerprint of their settings.

use std::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::Xxh3;

use super::observer::Observer;
use crate::archive::Inputs;
use crate::config::{Config, fields};
use crate::error::{Error, Result};
use crate::store::{Results, Store};
use crate::types::Watch;

/// What every stage is given.
pub struct Context<'c> {
    /// The settings.
    pub config: &'c Config,
    /// Archives to ingest; without any, the stages work on what the store has.
    pub inputs: &'c Inputs,
    /// Receives reports of progress.
    pub observer: &'c dyn Observer,
    /// If it is set, the run stops at the next commit or before.
    pub stop: &'c AtomicBool,
}

impl Context<'_> {
    /// An error once the run was asked to stop.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn check_stop(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl Watch for Context<'_> {
    fn step(&self, what: &str, done: u64, total: u64) {
        self.observer.step(what, done, total);
    }
}

/// One step of the work.
pub trait Stage: Sync {
    /// Its name on the command line and in `status`.
    fn name(&self) -> &'static str;

    /// Must grow when the stage would give other results for the same input, because of other code or because the default of a field in its
    /// [`sections`](Stage::sections) changed. (A fingerprint contains only what differs from the default. So a new field leaves old results
    /// fresh, but a changed default does not show in it.)
    fn version(&self) -> u32;

    /// The sections of the configuration on which its results depend, by name: `keys`, or a single field, `keys.across_suffixes`.
    fn sections(&self) -> &'static [&'static str];

    /// The part of the store that this stage alone fills and that depends on its settings. It is removed when these change.
    fn results(&self) -> Results {
        Results::None
    }

    /// The work that is left, as text for `status`; empty when nothing is left.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn remaining(&self, store: &Store, config: &Config) -> Result<String>;

    /// Does the work that is left.
    ///
    /// # Errors
    /// Problems that stop a run: those of the environment, and a stop that the user asked for.
    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()>;
}

/// Fingerprint of a stage: a hash of its name, its version, and the fields of its sections that differ from the default.
pub fn fingerprint(stage: &dyn Stage, config: &Config) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(format!("{} {}\n", stage.name(), stage.version()).as_bytes());
    for (name, value) in fields::changed(config, stage.sections()) {
        hasher.update(format!("{name}={value}\n").as_bytes());
    }
    // 0 stands for "never run".
    hasher.digest() | 1
}
