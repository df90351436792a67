//! What a stage is: what it is given, what it tells, and the fingerprint of its settings.

use std::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::Xxh3;

use super::observer::Observer;
use crate::archive::Inputs;
use crate::config::{Config, fields};
use crate::error::{Error, Result};
use crate::store::Store;
use crate::store::catalog::Keyspace;
use crate::types::Watch;

/// What every stage is given.
pub struct Context<'c> {
    /// Settings.
    pub config: &'c Config,
    /// Archives to take in; none: those the store has.
    pub inputs: &'c Inputs,
    /// Who is told of progress.
    pub observer: &'c dyn Observer,
    /// Set it, and the run stops at the next commit, or before it.
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

impl Watch for Context<'_> {
    fn step(&self, what: &str, done: u64, total: u64) {
        self.observer.step(what, done, total);
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

    /// The tables of the store that it alone fills, in which its settings stand for what was made: when they change, all of it goes.
    /// None where it sees itself which of its results are of other settings.
    fn tables(&self) -> &'static [Keyspace] {
        &[]
    }

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
