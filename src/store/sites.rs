//! Sites of a family of domains, and removing results.

use std::collections::BTreeSet;

use super::TOKENS;
use super::catalog::{Changes, Keyspace};
use super::record_kinds::Store;
use super::token_index::TokenIndex;
use super::values::{Results, model_key};
use crate::error::Result;
use crate::types::{LangPair, SiteId, family, meant, nearest_name, registrable_domain};

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

    /// What a person may have meant who asked for a host that the store does not have, in words that end a sentence: the same host with a
    /// port, or a host or domain with a similar name. Empty where there is neither.
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
        // The domain that was asked for, whatever its port, or else one with a similar name.
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

    /// Removes all results of a stage, and marks the stage as never run.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn forget_results(&mut self, stage: &str, results: Results) -> Result<()> {
        // The mark comes first: if the program stops in between, the stage counts as never run, and removes the rest before it runs.
        if self.stage(stage)?.fingerprint != 0 {
            let mut changes = Changes::default();
            changes.remove_stage(stage);
            self.commit(changes)?;
        }
        let mut changes = Changes::default();
        for &table in results.tables() {
            for key in self.catalog.keys(table)? {
                changes.remove(table, &key);
                self.commit_many(&mut changes)?;
            }
        }
        if !changes.is_empty() {
            self.commit(changes)?;
        }
        if results == Results::Sites {
            // The removed entries would slow down every search for the last site. A single merged run holds nothing of them.
            if self.publisher()?.names().len() > 1 {
                self.publisher()?.merge_behind(0)?;
                self.write_manifest()?;
            }
            if self.token_mark()? != 0 {
                self.forget_tokens()?;
            }
        }
        Ok(())
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

    /// Removes what verification learnt, except for these language pairs.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn keep_learnt(&mut self, langs: impl Iterator<Item = LangPair>) -> Result<()> {
        self.keep_langs(Keyspace::Learnt, langs)
    }

    /// Removes the models of alignment, except those of these language pairs.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn keep_models(&mut self, langs: impl Iterator<Item = LangPair>) -> Result<()> {
        self.keep_langs(Keyspace::Model, langs)
    }

    fn keep_langs(&mut self, table: Keyspace, langs: impl Iterator<Item = LangPair>) -> Result<()> {
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
    use super::*;
    use crate::store::layout::{JudgedHead, SiteHead, StageRecord};
    use crate::store::{Access, Judged};

    #[test]
    fn a_store_whose_token_index_could_not_be_made_anew_says_so() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        store.tokens = None;
        let of_tokens = folder.path().join(crate::store::token_index::FOLDER);
        std::fs::remove_dir_all(&of_tokens).expect("it is there");
        std::fs::write(&of_tokens, "").expect("room on disk");
        store.forget_tokens().expect_err("a file is in its place");
        let told = store.has_no_tokens().expect_err("there is none").to_string();
        assert!(told.contains("could not be made anew"), "{told}");
    }

    #[test]
    fn what_is_forgotten_is_what_the_stage_made_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let (mut changes, id) = (Changes::default(), SiteId(0));
        changes.put_stage("verify", &StageRecord { fingerprint: 1, ..StageRecord::default() });
        changes.put_site(id, &SiteHead { pages: 2, ..SiteHead::default() });
        [Judged::Verified, Judged::Resolved].iter().for_each(|&by| changes.put_judged(by, id, &JudgedHead::default()));
        store.change_tokens(&mut vec![(1, id, true)], &mut changes).expect("an index");
        store.commit(changes).expect("room on disk");
        store.forget_results("verify", Results::Verified).expect("room on disk");
        assert_eq!(store.stage("verify").expect("a catalog"), StageRecord::default());
        let judged = |by| store.judged_head(by, id).expect("a catalog").is_some();
        assert_eq!([Judged::Verified, Judged::Resolved].map(judged), [false, true]);
        assert!(store.site(id).expect("a catalog").is_some() && !store.has_no_tokens().expect("an index"));
        store.forget_results("index", Results::Sites).expect("room on disk");
        assert!(store.site(id).expect("a catalog").is_none() && store.has_no_tokens().expect("an index"));
    }

    #[test]
    fn nothing_is_left_of_sites_that_are_forgotten() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let mut changes = Changes::default();
        (0..10_000).for_each(|number| changes.put_site(SiteId(number), &SiteHead::default()));
        store.commit(changes).expect("room on disk");
        store.forget_results("index", Results::Sites).expect("room on disk");
        assert_eq!(store.site_count().expect("a catalog"), 0);
        let runs = std::fs::read_dir(folder.path().join("view")).expect("a folder").flatten();
        let bytes: u64 = runs.map(|run| run.metadata().map_or(0, |found| found.len())).sum();
        assert!(bytes < 1000, "{bytes}");
    }
}
