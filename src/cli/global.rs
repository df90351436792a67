//! What every command is given: which store, how many threads, how much is said.

use std::path::PathBuf;

use clap::Args;
use diglot::config::Config;
use diglot::config::settings::configuration;
use diglot::store::{Access, Store};

use super::freshness::{Lists, STORE};

#[derive(Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Folder of the store.
    #[arg(long, global = true, env = "DIGLOT_STORE", default_value = STORE, value_name = "DIR")]
    pub store: PathBuf,
    /// Number of threads; by default one per core.
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<usize>,
    /// Print neither progress nor what is stale on stderr.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

impl Global {
    /// Opens the store for a query, which answers from what is committed: it runs nothing, and says what is stale.
    pub fn query(&self, lists: Lists) -> anyhow::Result<(Store, Config)> {
        let (store, config) = self.read()?;
        self.note_stale(lists, &store, &config)?;
        Ok((store, config))
    }

    /// Says what is stale of what is listed.
    pub fn note_stale(&self, lists: Lists, store: &Store, config: &Config) -> anyhow::Result<()> {
        if !self.quiet
            && let Some(notice) = lists.notice(store, config)?
        {
            eprintln!("diglot: {notice}");
        }
        Ok(())
    }

    pub fn read(&self) -> anyhow::Result<(Store, Config)> {
        let store = self.open(Access::Read)?;
        let (config, unusable) = configuration(&store.settings().values);
        for unusable in unusable.iter().filter(|_| !self.quiet) {
            eprintln!("diglot: {unusable}");
        }
        Ok((store, config))
    }

    pub fn write(&self) -> anyhow::Result<Store> {
        self.open(Access::Write)
    }

    fn open(&self, access: Access) -> anyhow::Result<Store> {
        let store = Store::open(&self.store, access)?;
        if store.was_rebuilt {
            eprintln!(
                "diglot: the catalog was damaged and was made again from the record files; `diglot run` makes the results again"
            );
        }
        if let Some(format) = store.upgraded_from {
            eprintln!("diglot: upgraded the store from format {format}; `diglot run` makes the results again");
        }
        Ok(store)
    }
}
