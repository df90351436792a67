//! Which stages run, in what order, and how they resume.
//!
//! [`run`] walks [`STAGES`] up to the one asked for. A stage skips what is fresh, goes on where it stopped, and commits as
//! it goes; a commit holds the outputs and the cursor that covers them, so a run that is killed at any instant loses what
//! was not committed and nothing else. What a stage leaves depends on its inputs only: not on threads, interruptions, or the
//! order in which archives came.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use crate::archive;
use crate::config::Config;
use crate::error::Result;
use crate::store::Store;
use crate::upkeep::Given;

mod evidence;
pub mod explore;
#[cfg(not(feature = "internals"))]
pub(crate) mod models;
#[cfg(feature = "internals")]
pub mod models;
mod observer;
pub mod recover;
mod stage;
#[cfg(not(feature = "internals"))]
pub(crate) mod stages;
#[cfg(feature = "internals")]
pub mod stages;
mod stale;

pub use evidence::explain;
pub use observer::{Observer, Silent};
pub use stage::{Context, Stage, fingerprint};
pub use stages::STAGES;
pub use stale::{LAST_STAGE, StageState, StageStatus, has_run, note_fresh, progress, stale};

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

/// Takes archives in and runs every stage: the words of `diglot run`, said without progress. Gives what the settings come to, which queries ask
/// for.
///
/// The store keeps settings, by the names of their options (a list: one value after another); what is not given is as in the run before.
/// Inputs are files, folders, patterns or `@LIST`, as on the command line; none: goes on with what the store has.
///
/// # Errors
/// When a setting makes no sense or an input is no archive, or as [`run`].
pub fn run_all(store: &mut Store, settings: &[(&str, &str)], inputs: &[&str]) -> Result<Config> {
    let inputs: Vec<OsString> = inputs.iter().map(|&input| input.into()).collect();
    let inputs = archive::expand(&inputs, false, &|_| false)?;
    let config = Given::of(settings)?.apply(store)?;
    let context = Context { config: &config, inputs: &inputs, observer: &Silent, stop: &AtomicBool::new(false) };
    STAGES.iter().try_for_each(|stage| run_stage(*stage, store, &context))?;
    note_fresh(store, &config)?;
    Ok(config)
}

/// Runs one stage, in a store that has nothing any more of what other settings made of it.
///
/// # Errors
/// As [`run`].
pub fn run_stage(stage: &dyn Stage, store: &mut Store, context: &Context<'_>) -> Result<()> {
    context.check_stop()?;
    forget_other_settings(stage, store, context.config)?;
    let outcome = stage.run(store, context);
    context.observer.end(stage.name(), outcome.is_ok());
    outcome
}

/// Forgets what a stage, and those after it, made with other settings than these: no stage and no query reads it any more.
fn forget_other_settings(stage: &dyn Stage, store: &mut Store, config: &Config) -> Result<()> {
    for later in STAGES.iter().skip_while(|later| later.name() != stage.name()) {
        if !later.tables().is_empty() && store.stage(later.name())?.fingerprint != fingerprint(*later, config) {
            store.forget_results(later.name(), later.tables())?;
        }
    }
    Ok(())
}

/// The stage of a name.
pub fn stage(name: &str) -> Option<&'static dyn Stage> {
    STAGES.iter().copied().find(|stage| stage.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::configuration;
    use crate::config::{Config, SETTINGS, fields};

    /// The stages whose fingerprints differ between two configurations.
    fn differing(a: &Config, b: &Config) -> Vec<&'static str> {
        let differs = |stage: &&&dyn Stage| fingerprint(**stage, a) != fingerprint(**stage, b);
        STAGES.iter().filter(differs).map(|stage| stage.name()).collect()
    }

    #[test]
    fn a_setting_changes_the_fingerprints_of_the_stages_that_it_says_and_no_others() {
        for setting in SETTINGS {
            let stored = [(setting.name.to_owned(), setting.example.to_owned())];
            let found = differing(&configuration(&stored).0, &configuration(&[]).0);
            let told: Vec<&str> =
                STAGES.iter().map(|stage| stage.name()).filter(|stage| setting.changes(stage)).collect();
            assert_eq!(found, told, "{}", setting.name);
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
