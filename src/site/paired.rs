//! A site in the form that the search for deep pages needs.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::results::Site;
use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::State;
use crate::recover::{self, ActiveKey, KnownSite, LinkTargets, Proposal};
use crate::store::Store;
use crate::store::layout::SkipEntry;
use crate::store::records::RecordRef;
use crate::types::{Form, Key, Lang, SkipReason};

/// A site of the store, with the reasons why some URLs in its archives are not pages.
pub struct PairedSite {
    /// The site.
    pub site: Site,
    skipped: FxHashMap<String, String>,
    recovered: FxHashSet<u32>,
}

impl PairedSite {
    /// Reads the reasons.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: &Store, site: Site) -> Result<PairedSite> {
        let skipped = skipped(store, &site)?;
        let recovered = site.recovered();
        Ok(PairedSite { site, skipped, recovered })
    }
}

impl Urls for PairedSite {
    fn count(&self) -> u32 {
        self.site.pages.count()
    }

    fn identity(&self, page: u32) -> &str {
        self.site.pages.identity(page)
    }

    fn release(&self) {
        self.site.pages.release();
    }
}

impl KnownSite for PairedSite {
    fn page_of(&self, identity: &str) -> Option<u32> {
        self.site.pages.find(identity)
    }

    fn lang(&self, page: u32) -> Lang {
        self.site.lang(page)
    }

    fn copy_of(&self, page: u32) -> Option<u32> {
        self.site.copy_of(page)
    }

    fn url(&self, page: u32) -> String {
        self.site.pages.url(page)
    }

    fn is_recovered(&self, page: u32) -> bool {
        self.recovered.contains(&page)
    }

    fn skip_reason(&self, identity: &str) -> Option<&str> {
        self.skipped.get(identity).map(String::as_str)
    }
}

/// The strong and rescued keys of a site that were assigned pairs, with their pairs.
pub fn active_keys(site: &Site) -> Option<Vec<ActiveKey>> {
    let result = site.result.as_ref()?;
    let keys: Vec<Option<Key>> = result.keys.iter().map(|row| row.key()).collect();
    let mut pairs: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for pair in result.pairs.iter() {
        pairs.entry(pair.key.to_native()).or_default().push((pair.a.to_native(), pair.b.to_native()));
    }
    let of = |(at, pairs): (u32, Vec<(u32, u32)>)| {
        let row =
            result.keys.get(at as usize).filter(|row| State::from_code(row.state).is_some_and(State::takes_pairs))?;
        Some(ActiveKey {
            key: keys[at as usize].clone()?,
            credibility: row.credibility.to_native(),
            scope: row.scope(),
            pairs,
        })
    };
    Some(pairs.into_iter().filter_map(of).collect())
}

/// For each URL of a site that was left out, the first of the reasons.
fn skipped(store: &Store, site: &Site) -> Result<FxHashMap<String, String>> {
    let mut found = FxHashMap::default();
    for &at in &site.head.skipped {
        let chunk = store.skips.read(RecordRef(at))?;
        for entry in chunk.entries.iter() {
            let SkipEntry { identity, reason, detail, .. } = entry.to_owned();
            let reason = SkipReason::from_code(reason).map_or("?", SkipReason::name);
            found.entry(identity).or_insert(why(reason, detail.lines().next().unwrap_or("")));
        }
    }
    let withheld = store.withheld_pages(&site.head)?;
    for page in 0..withheld.count() {
        let (reason, detail) = site.why_withheld(&withheld.signals(page));
        found.insert(withheld.identity(page).to_owned(), why(reason.name(), &detail));
    }
    Ok(found)
}

fn why(reason: &str, detail: &str) -> String {
    if detail.is_empty() { reason.to_owned() } else { format!("{reason}: {detail}") }
}

/// The pages, and the proposed URLs that are not pages, to which links of the site lead; `None` before links are read.
///
/// # Errors
/// When the store cannot be read.
pub fn link_targets(store: &Store, site: &Site, proposals: &[Proposal]) -> Result<Option<LinkTargets>> {
    let Some(links) = store.site_links(site.id, site.head.generation)? else { return Ok(None) };
    let names = proposals.iter().map(|proposal| proposal.identity.as_str());
    let missing: FxHashSet<&str> = names.filter(|identity| site.pages.find(identity).is_none()).collect();
    let pages = recover::linked_pages(site.pages.count(), &links);
    let all = if missing.is_empty() { 0 } else { site.pages.count() };
    let firsts: Vec<u32> = (0..all).step_by(LINKS_PORTION).collect();
    let of = |first: u32| linked_from(store, site, first, &missing);
    let found: Vec<FxHashSet<&str>> = firsts.into_par_iter().map(of).collect::<Result<_>>()?;
    Ok(Some(LinkTargets { pages, missing: found.into_iter().flatten().map(str::to_owned).collect() }))
}

/// The URLs in `missing` to which the pages of one portion, from `first` on, link.
fn linked_from<'m>(store: &Store, site: &Site, first: u32, missing: &FxHashSet<&'m str>) -> Result<FxHashSet<&'m str>> {
    let mut found = FxHashSet::default();
    for page in first..site.pages.count().min(first + LINKS_PORTION as u32) {
        let (chunk, at) = site.pages.chunk(page);
        // Pages that come from an index have no links.
        if chunk.form(at) == Form::Index {
            continue;
        }
        store.page(RecordRef(chunk.link_record(at)))?.for_each_link(|url, _| {
            found.extend(url.split_once("://").and_then(|(_, identity)| missing.get(identity)));
        });
    }
    Ok(found)
}

/// How many pages' links are read at a time.
const LINKS_PORTION: usize = 1024;
