//! What every command is given: which store, how many threads, how much memory, how much is said.

use std::path::PathBuf;

use clap::Args;
use diglot::config::settings::configuration;
use diglot::config::{Config, Memory};
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
    /// Memory a run may take, about: 512M, 2G; results do not vary.
    #[arg(long, global = true, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    pub memory: Memory,
    /// Print neither progress nor what is stale on stderr.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// The size that `--memory` gives.
fn memory(text: &str) -> Result<Memory, String> {
    let (number, shift) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let bytes = number.parse::<usize>().ok().and_then(|number| number.checked_mul(1 << shift));
    let bytes = bytes.ok_or("expected bytes, or a number with K, M or G, such as 512M")?;
    if bytes < Memory::MIN_BYTES {
        return Err(format!("expected {}M or more", Memory::MIN_BYTES >> 20));
    }
    Ok(Memory { bytes })
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
        super::losses::tell(&store)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bytes_or_have_a_unit() {
        let bytes = |text| memory(text).map(|memory| memory.bytes);
        assert_eq!([bytes("100000000"), bytes("512M"), bytes("2g")], [Ok(100_000_000), Ok(512 << 20), Ok(2 << 30)]);
        for wrong in ["", "M", "1.5G", "63M", "99999999999G", "1é"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }
}
