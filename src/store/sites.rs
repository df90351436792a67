//! Sites of a family of domains, and how all sites are forgotten.

use super::catalog::{Changes, Keyspace};
use super::kinds::{KINDS, Store};
use crate::error::Result;
use crate::types::{SiteId, family};

impl Store {
    /// The domains of a family ([`crate::types::family`]) that the store has, with the site of each.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn sites_of_family(&self, name: &str) -> Result<Vec<(String, SiteId)>> {
        // The name of a host without a public suffix is that of its family.
        let start = name.split_once('*').map_or(name, |(start, _)| start);
        let mut found = Vec::new();
        self.catalog.for_each_below(Keyspace::Domain, start.as_bytes(), |rest, site: u32| {
            let domain = format!("{start}{}", String::from_utf8_lossy(rest));
            if family(&domain) == name {
                found.push((domain, SiteId(site)));
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Forgets all sites and what was made of them; archives, settings and requests stay.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn forget_sites(&mut self) -> Result<()> {
        // Sled keeps what a large batch replaces for long.
        const BATCH: usize = 5000;
        let mut changes = Changes::default();
        for &keyspace in KINDS.iter().filter(|kind| !kind.is_source).flat_map(|kind| kind.heads) {
            for key in self.catalog.keys(keyspace)? {
                changes.remove(keyspace, &key);
                if changes.len() >= BATCH {
                    self.commit(std::mem::take(&mut changes))?;
                }
            }
        }
        self.commit(changes)?;
        // The stages last, and at once: until they are gone, the next run begins here again.
        let mut changes = Changes::default();
        for key in self.catalog.keys(Keyspace::Stage)?.into_iter().filter(|key| key != b"ingest") {
            changes.remove(Keyspace::Stage, &key);
        }
        self.commit(changes)
    }
}
