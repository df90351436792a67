//! Deep pages: URLs that keys make for pages without a partner are looked up in the store, then in indexes. URLs that are still missing can
//! be requested, and requests are stored. The method is [`crate::recover`]; this file reads and writes the store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Context;
use crate::archive;
use crate::config::Config;
use crate::error::Result;
use crate::recover::{self, DeepPage, Filter, Outcome, Requested};
use crate::site::paired::{PairedSite, active_keys, link_targets};
use crate::site::{Scope, Site, sites};
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::{RequestRecord, RequestedRecord};
use crate::types::{CanonicalUrl, Lang, Pointer, RawRecord, without_scheme};

/// What to look for.
pub struct Request<'r> {
    /// The sites to look at.
    pub scope: &'r Scope,
    /// Indexes of larger archives, in which missing URLs are looked up.
    pub indexes: &'r [PathBuf],
    /// How many missing URLs are listed, at most; the likeliest ones are.
    pub top: Option<usize>,
    /// Missing and requested URLs with a smaller chance are left out.
    pub min_chance: f64,
    /// True if URLs that were requested before, but have not arrived, count as missing again.
    pub again: bool,
}

/// The URLs that were found.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The URLs, the likeliest first.
    pub pages: Vec<DeepPage>,
    /// How many missing and requested URLs were left out because they are too unlikely.
    pub unlikely: usize,
}

/// Every URL that a key makes for a page without a partner, and what became of it, the likeliest first.
///
/// # Errors
/// When the store or an index cannot be read.
pub fn plan(store: &Store, context: &Context<'_>, request: &Request<'_>) -> Result<Plan> {
    let mut pages = Vec::new();
    let sites = sites(store, request.scope)?;
    context.observer.begin("recover", "pages without a partner", "sites", Some(sites.len() as u64));
    for (id, done) in sites.into_iter().zip(1..) {
        let site = PairedSite::open(store, Site::open(store, id)?)?;
        pages.extend(of_site(store, context.config, &site, request)?);
        context.observer.progress(done, "");
        context.check_stop()?;
    }
    recover::rank(&mut pages);
    for index in request.indexes {
        look_up(index, context, &mut pages)?;
    }
    let unlikely = recover::choose(&mut pages, request.top, request.min_chance);
    Ok(Plan { pages, unlikely })
}

/// Stores that the missing URLs were requested.
///
/// # Errors
/// When the disk cannot be written.
pub fn remember(store: &mut Store, pages: &[DeepPage]) -> Result<()> {
    remember_in(store, pages, RECORD_URLS)
}

/// URLs in one record. Each has a few hundred bytes as a rule, and 4 KiB at most, so a record stays far below its limit.
const RECORD_URLS: usize = 1 << 16;

fn remember_in(store: &mut Store, pages: &[DeepPage], record_urls: usize) -> Result<()> {
    let requested = |page: &DeepPage| {
        let from = without_scheme(&page.from);
        let record = RequestedRecord {
            from: from.to_owned(),
            pattern: page.key.clone(),
            lang: page.lang.to_bytes(),
            credibility: page.credibility,
            https: page.url.starts_with("https:"),
        };
        (page.identity.clone(), record)
    };
    let missing: Vec<&DeepPage> = pages.iter().filter(|page| page.outcome == Outcome::Missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    // All of it goes into one commit: if half of a list were stored, the other half would become a list of its own.
    let mut changes = Changes::default();
    for part in missing.chunks(record_urls) {
        let requested = part.iter().map(|page| requested(page)).collect();
        store.remember(&RequestRecord { requested, ..RequestRecord::default() }, &mut changes)?;
    }
    store.commit(changes)
}

fn of_site(store: &Store, config: &Config, site: &PairedSite, request: &Request<'_>) -> Result<Vec<DeepPage>> {
    let requested: BTreeMap<String, Requested> =
        site.site.requested.iter().map(|(identity, record)| (identity.clone(), requested(record))).collect();
    let keys = active_keys(&site.site).unwrap_or_default();
    let mut proposals = recover::propose(site, &keys, &config.recover);
    if let Some(targets) = link_targets(store, &site.site, &proposals)? {
        recover::weigh(&mut proposals, site, &targets, &config.recover);
    }
    let filter = Filter {
        has_host: &|identity| request.scope.has_host(identity),
        is_removed: &|identity| store.removed().has(identity),
        again: request.again,
    };
    Ok(recover::deep_pages(site, &requested, (&keys, proposals), &filter))
}

fn requested(record: &RequestedRecord) -> Requested {
    Requested {
        from: record.from.clone(),
        pattern: record.pattern.clone(),
        lang: Lang::from_bytes(record.lang),
        credibility: record.credibility,
        https: record.https,
    }
}

/// Marks those of the missing and requested URLs that an index has.
fn look_up(path: &Path, context: &Context<'_>, pages: &mut [DeepPage]) -> Result<()> {
    let sought: FxHashMap<String, usize> = pages
        .iter()
        .enumerate()
        .filter(|(_, page)| matches!(page.outcome, Outcome::Missing | Outcome::Requested))
        .map(|(at, page)| (page.identity.clone(), at))
        .collect();
    let mut index = archive::open(path, 0, &context.config.archive)?;
    let place = path.display().to_string();
    context.observer.begin("recover", &place, "bytes", index.end());
    let mut found: BTreeMap<usize, (i64, Pointer)> = BTreeMap::new();
    loop {
        let (portion, is_over) = archive::index_lines(&mut *index, &place)?;
        let hit = |record: RawRecord| {
            let capture = archive::capture(record, &context.config.archive).ok()?;
            let url = CanonicalUrl::parse(&capture.url).ok()?;
            Some((*sought.get(url.identity())?, capture.date_ms, capture.pointer?))
        };
        // The newest capture of a URL counts; of captures with the same time, the first in the index.
        for (at, date_ms, pointer) in portion.into_par_iter().filter_map(hit).collect::<Vec<_>>() {
            if found.get(&at).is_none_or(|(known, _)| *known < date_ms) {
                found.insert(at, (date_ms, pointer));
            }
        }
        context.observer.progress(index.position(), &format!("{} found", found.len()));
        context.check_stop()?;
        if is_over {
            break;
        }
    }
    for (at, (_, pointer)) in found {
        pages[at].outcome = Outcome::Indexed(pointer);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;

    /// Five URLs in records of two each: the catalog knows all of them, and so does a catalog rebuilt from the records.
    #[test]
    fn a_long_list_is_remembered_in_several_records() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = |name: u32, outcome: Outcome| DeepPage {
            url: format!("https://x.org/fr/{name}"),
            lang: Lang::EN,
            key: "path:en:fr".into(),
            credibility: 0.5,
            chance: 0.9,
            is_linked: Some(true),
            from: format!("https://x.org/en/{name}"),
            outcome,
            identity: format!("x.org/fr/{name}"),
        };
        let mut pages: Vec<DeepPage> = (0..5).map(|name| page(name, Outcome::Missing)).collect();
        pages.insert(2, page(9, Outcome::Arrived));
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let start = store.requests.end();
        remember_in(&mut store, &pages, 2).expect("room on the disk");
        let records = store.requests.records_from(start).collect::<Result<Vec<_>>>().expect("they were written");
        assert_eq!(records.len(), 3);
        let known = |store: &Store| store.requested("x.org").expect("readable").into_keys().collect::<Vec<_>>();
        let expected: Vec<String> = (0..5).map(|name| format!("x.org/fr/{name}")).collect();
        assert_eq!(known(&store), expected);
        drop(store);
        ["tokens", "view"].iter().for_each(|name| std::fs::remove_dir_all(folder.path().join(name)).expect("there"));
        let store = Store::open(folder.path(), Access::Write).expect("it is made again");
        assert!(store.was_rebuilt);
        assert_eq!(known(&store), expected);
    }
}
