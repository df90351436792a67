//! Sites of a family of domains, and removing results.

use std::collections::BTreeSet;

use super::catalog::{Changes, Keyspace};
use super::record_kinds::Store;
use super::token_index::TokenIndex;
use super::{TOKENS, model_key};
use crate::error::Result;
use crate::types::{LangPair, SiteId, family, meant, nearest_name, registrable_domain};

/// The tables of sites and of results about them.
pub(crate) const OF_SITES: &[Keyspace] = &[
    Keyspace::Site,
    Keyspace::Domain,
    Keyspace::Result,
    Keyspace::Credibility,
    Keyspace::Taught,
    Keyspace::Graph,
    Keyspace::Web,
    Keyspace::Verified,
    Keyspace::Resolved,
    Keyspace::Learnt,
    Keyspace::Bitext,
    Keyspace::Model,
    Keyspace::Score,
];

impl Store {
    /// The domains of a family ([`crate::types::family`]) that the store has, each with its site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn sites_of_family(&self, name: &str) -> Result<Vec<(String, SiteId)>> {
        // A host without a public suffix has the same name as its family.
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

    /// What somebody may have meant who asked for a host that the store does not have, as the end of a sentence: the same host with a port, or
    /// a host or domain of a like name. Nothing where there is neither.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn meant_host(&self, asked: &str) -> Result<String> {
        let domain = registrable_domain(asked);
        let mut known: Vec<(String, SiteId)> = Vec::new();
        self.catalog.for_each(Keyspace::Domain, |name, site: u32| {
            known.push((String::from_utf8_lossy(name).into_owned(), SiteId(site)));
            Ok(())
        })?;
        let is_with_port = |name: &str, host: &str| {
            let port = name.strip_prefix(host).and_then(|rest| rest.strip_prefix(':'));
            port.is_some_and(|port| port.parse::<u16>().is_ok())
        };
        // The domain that was asked for, with whatever port, or else one of a like name.
        let names = || known.iter().map(|(name, _)| name.as_str());
        let is_here = |name: &str| name == domain || is_with_port(name, &domain);
        let near = if names().any(is_here) { None } else { meant(&domain, names()) };
        let near = known.iter().filter(|(name, _)| is_here(name) || near == Some(name));
        let mut hosts: Vec<String> = Vec::new();
        for (name, site) in near {
            hosts.extend(self.site(*site)?.into_iter().flat_map(|head| head.hosts).map(|host| host.host));
            hosts.push(name.clone());
        }
        hosts.sort_unstable();
        hosts.dedup();
        let with_port: Vec<&str> = hosts.iter().map(String::as_str).filter(|host| is_with_port(host, asked)).collect();
        if !with_port.is_empty() {
            return Ok(format!(", but of {}", with_port.join(", ")));
        }
        Ok(nearest_name(asked, hosts.iter().map(String::as_str)))
    }

    /// Removes all results of a stage, which are in these tables, and marks the stage as never run.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn forget_results(&mut self, stage: &str, tables: &[Keyspace]) -> Result<()> {
        // The mark comes first: if the program stops in between, the stage counts as never run, and removes the rest before it runs.
        if self.stage(stage)?.fingerprint != 0 {
            let mut changes = Changes::default();
            changes.remove(Keyspace::Stage, stage.as_bytes());
            self.commit(changes)?;
        }
        tables.iter().try_for_each(|&table| self.forget_table(table))?;
        if tables.contains(&Keyspace::Site) { self.forget_tokens() } else { Ok(()) }
    }

    /// Empties the token index.
    pub(super) fn forget_tokens(&mut self) -> Result<()> {
        let mut changes = Changes::default();
        changes.remove(Keyspace::Meta, TOKENS);
        self.commit(changes)?;
        // sled lets go of its files only when it is closed.
        self.tokens = None;
        self.tokens = Some(TokenIndex::empty(&self.folder)?);
        Ok(())
    }

    /// Removes all entries of a table.
    fn forget_table(&mut self, table: Keyspace) -> Result<()> {
        // Changes are held in memory until they are committed.
        const BATCH: usize = 100_000;
        for keys in self.catalog.keys(table)?.chunks(BATCH) {
            let mut changes = Changes::default();
            keys.iter().for_each(|key| changes.remove(table, key));
            self.commit(changes)?;
        }
        Ok(())
    }

    /// Removes the entries of all language pairs but these from a table of language pairs.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn keep_langs(&mut self, table: Keyspace, langs: impl Iterator<Item = LangPair>) -> Result<()> {
        let wanted: BTreeSet<[u8; 16]> = langs.map(model_key).collect();
        let mut changes = Changes::default();
        for key in self.catalog.keys(table)?.iter().filter(|key| !wanted.contains(key.as_slice())) {
            changes.remove(table, key);
        }
        if changes.is_empty() { Ok(()) } else { self.commit(changes) }
    }
}

#[cfg(test)]
mod tests {
    use super::OF_SITES;
    use crate::store::live_records::HEADS;

    #[test]
    fn whatever_names_records_of_sites_is_a_table_of_sites() {
        assert!(HEADS.iter().all(|head| OF_SITES.contains(head)));
    }
}
