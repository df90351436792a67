//! Deep pages: addresses that keys make of pages without a partner, looked up in the store, then in indexes; what nobody has is
//! asked for once, and remembered.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Context;
use crate::archive::{self, Item};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::site::Addresses;
use crate::keys::State;
use crate::query::{self, Scope, Site};
use crate::recover::{self, ActiveKey, Proposal};
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::{AskedRecord, RequestRecord, SkipEntry};
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
    /// Ask again for what was asked for before.
    pub again: bool,
}

/// Every address that a key makes of a page without a partner, and what became of it: the likeliest first.
///
/// # Errors
/// When the store or an index cannot be read.
pub fn plan(store: &Store, context: &Context<'_>, request: &Request<'_>) -> Result<Vec<Line>> {
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
    let mut left = request.top.unwrap_or(usize::MAX);
    lines.retain(|line| {
        let wanted = line.fate == Fate::Wanted;
        let keep = !wanted || left > 0;
        left -= usize::from(wanted && keep);
        keep
    });
    Ok(lines)
}

/// Remembers that the wanted addresses were asked for.
///
/// # Errors
/// When the disk does not take it.
pub fn remember(store: &mut Store, lines: &[Line]) -> Result<()> {
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
    let asked: Vec<_> = lines.iter().filter(|line| line.fate == Fate::Wanted).map(asked).collect();
    if asked.is_empty() {
        return Ok(());
    }
    // One commit: of a list half of which is remembered, the other half would make a new list.
    let mut changes = Changes::default();
    store.remember(&RequestRecord { asked, ..RequestRecord::default() }, &mut changes)?;
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
            from: format!("{scheme}{}", asked.from),
            fate,
            identity: identity.clone(),
        });
    }
    let Some(keys) = active_keys(site) else { return Ok(lines) };
    let lang = |page: u32| Some(site.lang(page)).filter(|lang| lang.is_known() && site.copy_of(page).is_none());
    for proposal in recover::propose(&site.pages, &keys, &lang, &config.recover) {
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
            from,
            fate,
            identity: proposal.identity,
        });
    }
    Ok(lines)
}

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
        let chunk = store.skips.read(crate::store::records::RecordRef(at))?;
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
