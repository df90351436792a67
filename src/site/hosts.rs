//! Hosts as lines.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::results::{Site, judged};
use super::scope::{Scope, sites};
use crate::error::Result;
use crate::store::Store;
use crate::store::layout::JudgedRecord;
use crate::store::records::Mapped;
use crate::types::{Lang, SiteId, registrable_domain};

/// One host, for listing.
#[derive(Clone, Debug)]
pub struct HostLine {
    /// Host name.
    pub host: String,
    /// Registrable domain.
    pub domain: String,
    /// Pages.
    pub pages: u32,
    /// Pages of each language.
    pub langs: BTreeMap<Lang, u32>,
    /// Pairs with a page on it.
    pub pairs: u64,
    /// C(w), the credibility of the host's best key.
    pub credibility: f64,
}

/// All hosts of the store, by name.
///
/// # Errors
/// When the store cannot be read.
pub fn hosts(store: &Store) -> Result<Vec<HostLine>> {
    let mut lines: Vec<HostLine> = Vec::new();
    for id in sites(store, &Scope::all())? {
        lines.extend(hosts_of(store, id, |_| true)?);
    }
    lines.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(lines)
}

/// The hosts of a scope, by name.
///
/// # Errors
/// When the store cannot be read.
pub fn hosts_in(store: &Store, scope: &Scope) -> Result<Vec<HostLine>> {
    let mut lines: Vec<HostLine> = Vec::new();
    for id in sites(store, scope)? {
        lines.extend(hosts_of(store, id, |host| scope.has_host(host))?);
    }
    lines.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(lines)
}

/// The hosts of these names that the store has; each site is looked at once.
///
/// # Errors
/// When the store cannot be read.
pub fn hosts_named(store: &Store, names: &[&str]) -> Result<BTreeMap<String, HostLine>> {
    let wanted: FxHashSet<&str> = names.iter().copied().collect();
    let mut ids = BTreeSet::new();
    for name in names {
        ids.extend(store.site_of_domain(&registrable_domain(name))?);
    }
    let mut found = BTreeMap::new();
    for id in ids {
        let lines = hosts_of(store, id, |host| wanted.contains(host))?;
        found.extend(lines.into_iter().map(|line| (line.host.clone(), line)));
    }
    Ok(found)
}

/// The hosts of a site that are wanted.
pub fn hosts_of(store: &Store, id: SiteId, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<HostLine>> {
    let head = store.site(id)?.unwrap_or_default();
    let fresh = store.result_head(id)?.is_some_and(|result| result.generation == head.generation);
    let result = if fresh { store.result(id)? } else { None };
    let judged = if fresh { judged(store, id, &head)? } else { None };
    let copies = if judged.as_ref().is_some_and(|judged| !judged.copies.is_empty() || !judged.foreign.is_empty()) {
        out_of_competition(&Site::open(store, id)?)
    } else {
        BTreeMap::new()
    };
    // A site may have a million hosts.
    let rows = result.iter().flat_map(|result| result.hosts.iter()).map(|row| (row.host.as_str(), row));
    let rows: FxHashMap<&str, _> = rows.filter(|row| is_wanted(row.0)).collect();
    let pairs = judged.iter().flat_map(|judged| judged.hosts.iter()).map(|row| (row.0.as_str(), row.1.to_native()));
    let pairs: FxHashMap<&str, u64> = pairs.filter(|row| is_wanted(row.0)).collect();
    let mut lines = Vec::new();
    for host in head.hosts.iter().filter(|host| is_wanted(&host.host)) {
        let row = rows.get(host.host.as_str()).copied();
        let mut langs: BTreeMap<Lang, u32> = match row {
            Some(row) => row.langs.iter().map(|l| (Lang::from_bytes(l.0), l.1.to_native())).collect(),
            None => host.langs.iter().map(|l| (Lang::from_bytes(l.0), l.1)).collect(),
        };
        // In the result of keys, copies by URL already count as of no language; copies by links and pages of foreign text are moved there
        // now.
        for (lang, copies) in copies.get(host.host.as_str()).into_iter().flatten() {
            if let Some(pages) = langs.get_mut(lang).filter(|pages| **pages >= *copies) {
                *pages -= copies;
                *langs.entry(Lang::UNKNOWN).or_default() += copies;
            }
        }
        langs.retain(|_, pages| *pages > 0);
        lines.push(HostLine {
            host: host.host.clone(),
            domain: registrable_domain(&host.host).into_owned(),
            pages: host.langs.iter().map(|l| l.1).sum(),
            langs,
            pairs: match &judged {
                Some(_) => pairs.get(host.host.as_str()).copied().unwrap_or(0),
                None => row.map_or(0, |row| row.pairs.to_native()),
            },
            credibility: row.map_or(0.0, |row| row.credibility.to_native()),
        });
    }
    Ok(lines)
}

/// For each host and language, how many pages are copies by their links but not by their URLs, or have their own text in another language.
fn out_of_competition(site: &Site) -> BTreeMap<String, BTreeMap<Lang, u32>> {
    let mut copies: BTreeMap<String, BTreeMap<Lang, u32>> = BTreeMap::new();
    let pages = |judged: &Mapped<JudgedRecord>| {
        let mut pages: Vec<u32> = judged.copies().chain(judged.foreign_pages().map(|(page, _)| page)).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    };
    for page in site.judged.iter().flat_map(pages) {
        let by_url = site
            .result
            .as_ref()
            .is_some_and(|result| result.copies.binary_search_by_key(&page, |copy| copy.0.to_native()).is_ok());
        let lang = site.lang_by_keys(page);
        if !by_url && lang.is_known() {
            *copies.entry(site.host(page).to_owned()).or_default().entry(lang).or_default() += 1;
        }
    }
    copies
}
