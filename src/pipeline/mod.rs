//! Which stages run, in what order, and how they resume.
//!
//! [`run`] goes through [`STAGES`] up to the one asked for. A stage skips what is fresh, resumes where it stopped, and commits as it goes.
//! A commit contains outputs together with the cursor that covers them, so a run that is killed loses only what was not committed. What a
//! stage leaves depends on its inputs only: not on threads, interruptions, or the order in which archives came.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use crate::archive;
use crate::config::Config;
use crate::error::Result;
use crate::program::SCORES;
use crate::store::{Results, Store};
use crate::upkeep::Given;

pub mod explore;
mod observer;
pub mod recover;
mod stage;
pub(crate) mod stages;
mod stale;

pub use observer::{Observer, Silent};
pub use stage::{Context, Stage, fingerprint};
pub use stages::STAGES;
pub use stale::{LAST_STAGE, StageState, StageStatus, has_run, note_fresh, progress, stale};

/// Runs the stages from the first to `until`, both inclusive.
///
/// # Errors
/// The error that stopped it. Everything committed before stays.
pub fn run(store: &mut Store, context: &Context<'_>, until: &str) -> Result<()> {
    // A scorer that is missing is reported now: it is needed at the very end, which may be hours away.
    SCORES.look_for(&context.config.scorer)?;
    for stage in STAGES {
        run_stage(*stage, store, context)?;
        if stage.name() == until {
            return Ok(());
        }
    }
    Ok(())
}

/// Ingests archives and runs every stage, as `diglot run` does, but without reporting progress. Returns the configuration that results from
/// the settings, which queries need.
///
/// The store keeps settings by the names of their options (of a list, one value after another). A setting that is not given stays as it was
/// in the run before. Inputs are files, folders, patterns or `@LIST`, as on the command line; with none, the run continues with what the
/// store has.
///
/// # Errors
/// When a setting is not possible or an input is not an archive, and as [`run`].
pub fn run_all(store: &mut Store, settings: &[(&str, &str)], inputs: &[&str]) -> Result<Config> {
    let inputs: Vec<OsString> = inputs.iter().map(|&input| input.into()).collect();
    let given = Given::of(settings)?;
    let inputs = archive::expand(&inputs, false, &given.settled(store.settings())?.1.archive, &|_| false)?;
    let config = given.apply(store)?;
    let context = Context { config: &config, inputs: &inputs, observer: &Silent, stop: &AtomicBool::new(false) };
    run(store, &context, LAST_STAGE)?;
    note_fresh(store, &config)?;
    Ok(config)
}

/// Runs one stage. Before that, everything that this stage and later ones have made with other settings is removed from the store.
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

/// Removes the results that a stage, and the stages after it, made with other settings. No stage and no query would read them any more.
fn forget_other_settings(stage: &dyn Stage, store: &mut Store, config: &Config) -> Result<()> {
    for later in STAGES.iter().skip_while(|later| later.name() != stage.name()) {
        let results = later.results();
        if results != Results::None && store.stage(later.name())?.fingerprint != fingerprint(*later, config) {
            store.forget_results(later.name(), results)?;
        }
    }
    Ok(())
}

/// The stage with a name.
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
