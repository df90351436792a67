//! Deep pages: addresses that keys make of pages without a partner, looked up in the store, then in indexes; what nobody has is
//! asked for once, and remembered.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Context;
use crate::archive::{self, Item};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::graph::Links;
use crate::index::site::Urls;
use crate::keys::State;
use crate::query::{self, Scope, Site};
use crate::recover::linked::Linked;
use crate::recover::{self, ActiveKey, Proposal};
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::{AskedRecord, RequestRecord, SkipEntry};
use crate::store::records::RecordRef;
use crate::types::{CanonicalUrl, Form, Key, Lang, Pointer, RawRecord, SkipReason};

/// What became of an address that a key makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was asked for, it came, and the key pairs it.
    Recovered,
    /// It was asked for, it came, and nothing pairs it by that key.
    Came,
    /// The store has it, and it is no partner: why.
    Present(String),
    /// The store's archives have it, and it is no page: why.
    LeftOut(String),
    /// An index has it: where it can be fetched.
    Indexed(Pointer),
    /// It was asked for, and has not come.
    Asked,
    /// Nobody has it: a crawler may.
    Wanted,
}

impl Fate {
    /// The name in listings.
    pub fn name(&self) -> &'static str {
        match self {
            Fate::Recovered => "recovered",
            Fate::Came => "came",
            Fate::Present(_) => "present",
            Fate::LeftOut(_) => "left-out",
            Fate::Indexed(_) => "indexed",
            Fate::Asked => "asked",
            Fate::Wanted => "wanted",
        }
    }
}

/// One address, for listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The address.
    pub url: String,
    /// The language it would be in.
    pub lang: Lang,
    /// Pattern of the key, from the language that sorts first.
    pub key: String,
    /// Local credibility of the key.
    pub credibility: f64,
    /// How likely the page is to be there, 0..=1; 1 for addresses asked for before.
    pub chance: f64,
    /// Whether pages of the store link to it; `None` for addresses asked for before.
    pub is_linked: Option<bool>,
    /// The page that lacks it.
    pub from: String,
    /// What became of it.
    pub fate: Fate,
    identity: String,
}

/// What to look for.
pub struct Request<'r> {
    /// Which sites.
    pub scope: &'r Scope,
    /// Indexes of larger archives.
    pub indexes: &'r [PathBuf],
    /// How many addresses are wanted at the most: the likeliest ones.
    pub top: Option<usize>,
    /// Wanted addresses that are less likely are left out.
    pub min_chance: f64,
    /// Ask again for what was asked for before.
    pub again: bool,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The likeliest first.
    pub lines: Vec<Line>,
    /// How many wanted addresses were left out because they are too unlikely.
    pub unlikely: usize,
}

/// Every address that a key makes of a page without a partner, and what became of it: the likeliest first.
///
/// # Errors
/// When the store or an index cannot be read.
pub fn plan(store: &Store, context: &Context<'_>, request: &Request<'_>) -> Result<Plan> {
    let mut lines = Vec::new();
    let sites = query::sites(store, request.scope)?;
    context.observer.begin("recover", "pages without a partner", "sites", Some(sites.len() as u64));
    for (id, done) in sites.into_iter().zip(1..) {
        let site = Site::open(store, id)?;
        lines.extend(of_site(store, context.config, &site, request)?);
        context.observer.progress(done, "");
        context.check_stop()?;
    }
    lines.sort_by(|a, b| {
        let by_trust = b.chance.total_cmp(&a.chance).then(b.credibility.total_cmp(&a.credibility));
        by_trust.then_with(|| a.identity.cmp(&b.identity))
    });
    for index in request.indexes {
        look_up(index, context, &mut lines)?;
    }
    let (mut left, mut unlikely) = (request.top.unwrap_or(usize::MAX), 0);
    lines.retain(|line| {
        let wanted = line.fate == Fate::Wanted;
        if wanted && line.chance < request.min_chance {
            unlikely += 1;
            return false;
        }
        let keep = !wanted || left > 0;
        left -= usize::from(wanted && keep);
        keep
    });
    Ok(Plan { lines, unlikely })
}

/// Remembers that the wanted addresses were asked for.
///
/// # Errors
/// When the disk does not take it.
pub fn remember(store: &mut Store, lines: &[Line]) -> Result<()> {
    remember_in(store, lines, RECORD_ADDRESSES)
}

/// Addresses of one record, of a few hundred bytes each as a rule and of 4 KiB at the most: far below what a record may have.
const RECORD_ADDRESSES: usize = 1 << 16;

fn remember_in(store: &mut Store, lines: &[Line], record_addresses: usize) -> Result<()> {
    let asked = |line: &Line| {
        let from = line.from.split_once("://").map_or(line.from.as_str(), |(_, identity)| identity);
        let asked = AskedRecord {
            from: from.to_owned(),
            pattern: line.key.clone(),
            lang: line.lang.to_bytes(),
            credibility: line.credibility,
            https: line.url.starts_with("https:"),
        };
        (line.identity.clone(), asked)
    };
    let wanted: Vec<&Line> = lines.iter().filter(|line| line.fate == Fate::Wanted).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    // One commit: of a list half of which is remembered, the other half would make a new list.
    let mut changes = Changes::default();
    for part in wanted.chunks(record_addresses) {
        let asked = part.iter().map(|line| asked(line)).collect();
        store.remember(&RequestRecord { asked, ..RequestRecord::default() }, &mut changes)?;
    }
    store.commit(changes)
}

fn of_site(store: &Store, config: &Config, site: &Site, request: &Request<'_>) -> Result<Vec<Line>> {
    let skipped = skipped(store, site)?;
    let mut lines = Vec::new();
    for (identity, asked) in site.asked.iter().filter(|(identity, _)| request.scope.has_host(identity)) {
        let scheme = if asked.https { "https://" } else { "http://" };
        let fate = match (site.pages.find(identity), skipped.get(identity)) {
            (Some(page), _) if site.is_recovered(page) => Fate::Recovered,
            (Some(_), _) => Fate::Came,
            (None, Some(why)) => Fate::LeftOut(why.clone()),
            // Wanted again by the pages that lack it still.
            (None, None) if request.again => continue,
            (None, None) => Fate::Asked,
        };
        lines.push(Line {
            url: format!("{scheme}{identity}"),
            lang: Lang::from_bytes(asked.lang),
            key: asked.pattern.clone(),
            credibility: asked.credibility,
            chance: 1.0,
            is_linked: None,
            from: format!("{scheme}{}", asked.from),
            fate,
            identity: identity.clone(),
        });
    }
    let Some(keys) = active_keys(site) else { return Ok(lines) };
    let lang = |page: u32| Some(site.lang(page)).filter(|lang| lang.is_known() && site.copy_of(page).is_none());
    let is_there = |identity: &str| site.pages.find(identity).is_some();
    let mut proposals = recover::propose(&site.pages, &keys, &lang, &is_there, &config.recover);
    weigh_links(store, site, &mut proposals, &skipped, &config.recover)?;
    for proposal in proposals {
        let from = site.pages.url(proposal.page);
        let asked_before = site.asked.contains_key(&proposal.identity);
        if !request.scope.has_host(site.pages.identity(proposal.page)) || (asked_before && !request.again) {
            continue;
        }
        let key = &keys[proposal.key].key;
        let fate = match (site.pages.find(&proposal.identity), skipped.get(&proposal.identity)) {
            (Some(_), _) if asked_before => continue,
            (Some(page), _) => Fate::Present(why_no_partner(site, page, &proposal)),
            (None, Some(_)) if asked_before => continue,
            (None, Some(why)) => Fate::LeftOut(why.clone()),
            (None, None) => Fate::Wanted,
        };
        let scheme = if from.starts_with("https:") { "https://" } else { "http://" };
        // An address that cannot stand in a crawler's list is none.
        let Ok(url) = CanonicalUrl::parse(&format!("{scheme}{}", proposal.identity)) else { continue };
        lines.push(Line {
            url: url.as_str().to_owned(),
            lang: proposal.lang,
            key: key.pattern(),
            credibility: proposal.credibility,
            chance: proposal.chance,
            is_linked: Some(proposal.is_linked),
            from,
            fate,
            identity: proposal.identity,
        });
    }
    Ok(lines)
}

/// Lets the links of the pages say which of the proposed addresses are there, where pages have links.
fn weigh_links(
    store: &Store,
    site: &Site,
    proposals: &mut [Proposal],
    skipped: &FxHashMap<String, String>,
    params: &recover::Params,
) -> Result<()> {
    let missing: FxHashMap<&str, Lang> = proposals
        .iter()
        .filter(|proposal| site.pages.find(&proposal.identity).is_none())
        .map(|proposal| (proposal.identity.as_str(), proposal.lang))
        .collect();
    let Some(links) = store.site_links(site.id, site.head.generation)? else { return Ok(()) };
    let mut is_linked = vec![false; site.pages.count() as usize];
    for page in 0..site.pages.count() {
        links.for_each_link(page, &mut |link| {
            if let Some(is_linked) = is_linked.get_mut(link.to as usize).filter(|_| link.to != page) {
                *is_linked = true;
            }
        });
    }
    let all = if missing.is_empty() { 0 } else { site.pages.count() };
    let firsts: Vec<u32> = (0..all).step_by(LINKS_PORTION).collect();
    let of = |first: u32| linked_from(store, site, first, &missing);
    let found: Vec<FxHashSet<&str>> = firsts.into_par_iter().map(of).collect::<Result<_>>()?;
    let hit: FxHashSet<String> = found.into_iter().flatten().map(str::to_owned).collect();
    if hit.is_empty() && !is_linked.contains(&true) {
        return Ok(());
    }
    let mut linked = Linked::default();
    for page in (0..site.pages.count()).filter(|&page| site.copy_of(page).is_none()) {
        linked.add_page(site.lang(page), is_linked[page as usize]);
    }
    for (identity, lang) in missing.iter().filter(|(identity, _)| hit.contains(**identity)) {
        if skipped.contains_key(*identity) {
            linked.add_dead(*lang);
        }
    }
    let is_linked = |identity: &str| {
        hit.contains(identity) || site.pages.find(identity).is_some_and(|page| is_linked[page as usize])
    };
    recover::linked::weigh(proposals, &linked, &is_linked, params);
    store.pages.unmap();
    Ok(())
}

/// Those of `missing` that some pages, from `first` on, link to.
fn linked_from<'m>(
    store: &Store,
    site: &Site,
    first: u32,
    missing: &FxHashMap<&'m str, Lang>,
) -> Result<FxHashSet<&'m str>> {
    let mut hit = FxHashSet::default();
    for page in first..site.pages.count().min(first + LINKS_PORTION as u32) {
        let (chunk, at) = site.pages.chunk(page);
        // An index tells of no links.
        if chunk.form(at) == Form::Index {
            continue;
        }
        store.pages.read(RecordRef(chunk.link_record(at)))?.for_each_link(|url, _, _, _| {
            let known = url.split_once("://").and_then(|(_, identity)| missing.get_key_value(identity));
            hit.extend(known.map(|(identity, _)| *identity));
        });
    }
    Ok(hit)
}

/// Pages whose links are read together.
const LINKS_PORTION: usize = 1024;

/// The keys of a site that took pairs, and those pairs.
fn active_keys(site: &Site) -> Option<Vec<ActiveKey>> {
    let result = site.result.as_ref()?;
    let keys: Vec<Option<Key>> = result.keys.iter().map(|row| row.key()).collect();
    let mut pairs: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for pair in result.pairs.iter() {
        pairs.entry(pair.key.to_native()).or_default().push((pair.a.to_native(), pair.b.to_native()));
    }
    let strong = [State::Strong as u8, State::Rescued as u8];
    let of = |(at, pairs): (u32, Vec<(u32, u32)>)| {
        let row = result.keys.get(at as usize).filter(|row| strong.contains(&row.state))?;
        Some(ActiveKey {
            key: keys[at as usize].clone()?,
            credibility: row.credibility.to_native(),
            scope: row.scope_start.to_native()..row.scope_end.to_native(),
            pairs,
        })
    };
    Some(pairs.into_iter().filter_map(of).collect())
}

fn why_no_partner(site: &Site, page: u32, proposal: &Proposal) -> String {
    let copy = site.copy_of(page).map(|original| site.pages.identity(original));
    let lang = site.lang(page);
    match copy {
        Some(original) => format!("an untranslated copy of {original}"),
        None if lang != proposal.lang => format!("its text is {lang}"),
        None => "another page is its partner".to_owned(),
    }
}

/// The reason why each left-out address of a site is no page: the first of several.
fn skipped(store: &Store, site: &Site) -> Result<FxHashMap<String, String>> {
    let mut found = FxHashMap::default();
    for &at in &site.head.skipped {
        let chunk = store.skips.read(RecordRef(at))?;
        for entry in chunk.entries.iter() {
            let SkipEntry { identity, reason, detail, .. } = entry.to_owned();
            let reason = SkipReason::from_code(reason).map_or("?", SkipReason::name);
            let why = if detail.is_empty() { reason.to_owned() } else { format!("{reason}: {detail}") };
            found.entry(identity).or_insert(why);
        }
    }
    Ok(found)
}

/// Lines of an index that are looked at together.
const PORTION: usize = 1 << 16;

/// Marks the wanted addresses that an index has.
fn look_up(path: &std::path::Path, context: &Context<'_>, lines: &mut [Line]) -> Result<()> {
    let wanted: FxHashMap<String, usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| matches!(line.fate, Fate::Wanted | Fate::Asked))
        .map(|(at, line)| (line.identity.clone(), at))
        .collect();
    let mut index = archive::open(path, 0, &context.config.archive)?;
    let place = path.display().to_string();
    context.observer.begin("recover", &place, "bytes", index.end());
    let mut found: BTreeMap<usize, (i64, Pointer)> = BTreeMap::new();
    loop {
        let mut portion: Vec<RawRecord> = Vec::new();
        let mut is_over = false;
        while portion.len() < PORTION {
            match index.next()? {
                Some(Item::Record(record)) if record.form == Form::Index => portion.push(record),
                Some(Item::Record(_)) => {
                    return Err(Error::input(place, "is an archive, expected an index of one (CDX, CDXJ, Parquet)"));
                }
                Some(Item::Skip(_)) => {}
                None => {
                    is_over = true;
                    break;
                }
            }
        }
        let hit = |record: RawRecord| {
            let capture = archive::capture(record, &context.config.archive).ok()?;
            let url = CanonicalUrl::parse(&capture.url).ok()?;
            Some((*wanted.get(url.identity())?, capture.date_ms, capture.pointer?))
        };
        // The newest capture of an address; of one instant the first in the index.
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
        lines[at].fate = Fate::Indexed(pointer);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;

    /// Five addresses in records of two: all are known to the catalog, and to one that is made again from the records.
    #[test]
    fn a_long_list_is_remembered_in_several_records() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = |name: u32, fate: Fate| Line {
            url: format!("https://x.org/fr/{name}"),
            lang: Lang::EN,
            key: "path:en:fr".into(),
            credibility: 0.5,
            chance: 0.9,
            is_linked: Some(true),
            from: format!("https://x.org/en/{name}"),
            fate,
            identity: format!("x.org/fr/{name}"),
        };
        let mut lines: Vec<Line> = (0..5).map(|name| line(name, Fate::Wanted)).collect();
        lines.insert(2, line(9, Fate::Came));
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let start = store.requests.end();
        remember_in(&mut store, &lines, 2).expect("room on the disk");
        let (mut at, mut records) = (start, 0);
        while at < store.requests.end() {
            at = store.requests.read_next(at).expect("it was written").1;
            records += 1;
        }
        assert_eq!(records, 3);
        let known = |store: &Store| store.asked("x.org").expect("readable").into_keys().collect::<Vec<_>>();
        let expected: Vec<String> = (0..5).map(|name| format!("x.org/fr/{name}")).collect();
        assert_eq!(known(&store), expected);
        drop(store);
        std::fs::remove_dir_all(folder.path().join("catalog")).expect("it is there");
        let store = Store::open(folder.path(), Access::Write).expect("it is made again");
        assert!(store.was_rebuilt);
        assert_eq!(known(&store), expected);
    }
}
