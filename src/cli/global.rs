//! Options of all commands: the store, threads, memory, and messages.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ColorChoice};
use diglot::config::settings::{SIZE, configuration, size};
use diglot::config::{Config, Memory};
use diglot::error::Error;
use diglot::store::{Access, Store};

use super::freshness::{Lists, STORE, STORE_VARIABLE};
use super::listing::count;
use super::progress::{Progress, Shown};
use super::say::{say, tell};

#[derive(Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Folder of the store.
    #[arg(long, global = true, env = STORE_VARIABLE, hide_env_values = true, default_value = STORE, value_name = "DIR",
          value_parser = OsStringValueParser::new().try_map(folder))]
    pub store: PathBuf,
    /// Number of threads; by default one per core.
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub threads: Option<usize>,
    /// Memory a run may take, about: 512M, 2G; results do not vary.
    #[arg(long, global = true, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    pub memory: Memory,
    /// Progress on stderr: auto, json (an object each second), none.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "HOW",
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub progress: Shown,
    /// Colour: auto (where a terminal takes it), always, never.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub color: ColorChoice,
    /// Print results only: no progress, messages, or summary of a run.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print how long each stage took.
    #[arg(short, long, global = true, hide_short_help = true)]
    pub verbose: bool,
}

/// The folder of the store. An empty variable counts as not set.
fn folder(text: OsString) -> Result<PathBuf, &'static str> {
    match text.is_empty() {
        false => Ok(text.into()),
        true if std::env::var_os(STORE_VARIABLE).is_some_and(|set| set.is_empty()) => Ok(STORE.into()),
        true => Err("expected a folder"),
    }
}

/// The size that `--memory` gives.
fn memory(text: &str) -> Result<Memory, String> {
    let bytes = size(text).and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| format!("expected {SIZE}"))?;
    if bytes < Memory::MIN_BYTES {
        return Err(format!("expected {}M or more", Memory::MIN_BYTES >> 20));
    }
    Ok(Memory { bytes })
}

impl Global {
    /// Opens the store for a query on the last commit. A query runs no stage, and tells which results are stale.
    pub fn query(&self, lists: Lists) -> anyhow::Result<(Store, Config)> {
        let (store, config) = self.read()?;
        self.note_stale(lists, &store, &config)?;
        Ok((store, config))
    }

    /// Tells which of the listed results are stale.
    pub fn note_stale(&self, lists: Lists, store: &Store, config: &Config) -> anyhow::Result<()> {
        if !self.quiet
            && let Some(notice) = lists.notice(store, config)?
        {
            say(notice);
        }
        Ok(())
    }

    pub fn read(&self) -> anyhow::Result<(Store, Config)> {
        super::touched::forget();
        self.read_too(&self.store)
    }

    /// Opens a store to read it beside the store of the command.
    pub fn read_too(&self, folder: &Path) -> anyhow::Result<(Store, Config)> {
        let store = self.open_at(folder, Access::Read)?;
        super::touched::watch(&store);
        super::losses::tell(&store)?;
        let (config, unusable) = configuration(&store.settings().values);
        unusable.iter().for_each(say);
        Ok((store, config))
    }

    /// Shows progress.
    pub fn progress(&self) -> Progress {
        Progress::new(self.shown(), self.verbose, None)
    }

    /// Shows the progress of a run, also to processes that watch the store.
    pub fn progress_of_run(&self) -> Progress {
        Progress::new(self.shown(), self.verbose, Some(&self.store))
    }

    /// How progress is shown.
    pub fn shown(&self) -> Shown {
        if self.quiet { Shown::None } else { self.progress }
    }

    /// Whether there is a store.
    pub fn has_store(&self) -> Result<bool, Error> {
        see_that_it_can_be_looked_at(&self.store)?;
        Ok(Store::is_at(&self.store))
    }

    pub fn write(&self) -> anyhow::Result<Store> {
        // What is written now may depend on what was read from the store, so nobody may have changed that meanwhile.
        super::touched::check()?;
        super::touched::forget();
        self.open(Access::Write)
    }

    /// Opens the store, and tells what had to be repaired.
    pub fn open(&self, access: Access) -> anyhow::Result<Store> {
        self.open_at(&self.store, access)
    }

    fn open_at(&self, folder: &Path, access: Access) -> anyhow::Result<Store> {
        see_that_it_can_be_looked_at(folder)?;
        let store = Store::open(folder, access)?;
        if store.was_rebuilt {
            tell(
                "diglot: something of the store was damaged or missing, and was made again of the rest; `diglot run` makes the results again",
            );
        }
        Ok(store)
    }
}

/// A folder that cannot be read must not be taken for one without a store.
fn see_that_it_can_be_looked_at(folder: &Path) -> Result<(), Error> {
    let manifest = folder.join("manifest.json");
    match std::fs::metadata(&manifest).map_err(|error| (error.kind(), error)) {
        Err((ErrorKind::NotFound | ErrorKind::NotADirectory, _)) | Ok(_) => Ok(()),
        Err((ErrorKind::PermissionDenied, error)) => {
            let problem = format!("the store cannot be looked at: {error}; get the right to read the folder");
            Err(Error::Store { path: folder.to_owned(), problem })
        }
        Err((_, error)) => Err(Error::io(manifest, "looking for a store")(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_enough_to_work_in() {
        assert_eq!(memory("512M").map(|memory| memory.bytes), Ok(512 << 20));
        assert_eq!(memory("1.5G"), memory("1536MB"));
        assert!(memory("63M").is_err() && memory("x").is_err());
    }
}
