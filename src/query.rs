//! What a store answers: pairs, keys, hosts and pages, in an order that depends on addresses only.

pub mod bitext;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::site::{Pages, Urls};
use crate::keys::{State, credibility};
use crate::store::catalog::Keyspace;
use crate::store::layout::{
    ArchivedKeyRow, ArchivedPairRow, ArchivedResultRecord, BitextHead, JudgedHead, JudgedRecord, RequestedRecord,
    SiteHead, SkipEntry,
};
use crate::store::records::{Mapped, RecordRef};
use crate::store::{SitePages, Store};
use crate::types::{
    self, CanonicalUrl, FetchLine, JudgedPair, Key, Lang, Method, Outcome, PairLine, SiteId, host_of,
    registrable_domain,
};

/// One key of one site, for listing.
#[derive(Clone, Debug)]
pub struct KeyLine {
    /// Host it works in; the registrable domain for keys in host labels.
    pub site: String,
    /// The key, in the order of listing of its languages.
    pub key: Key,
    /// True when the languages were turned round for listing.
    pub turned: bool,
    /// Linking power: URL pairs matched.
    pub power: u64,
    /// Pairs taken in the competition.
    pub taken: u64,
    /// Local credibility C(p, w).
    pub credibility: f64,
    /// Global credibility C(p), in pages.
    pub global: f64,
    /// What became of it.
    pub state: State,
    /// Share of its pairs that are right, as verification estimates it; `None` before.
    pub right: Option<f64>,
    /// Pairs of it that were accepted; before verification those it took.
    pub accepted: u64,
}

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
    /// C(w), the credibility of its best key.
    pub credibility: f64,
}

/// Which sites and hosts are asked for.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Registrable domain; `None`: all.
    domain: Option<String>,
    /// One host of it; `None`: all.
    host: Option<String>,
    /// One registrable domain of a family; `None`: all.
    part: Option<String>,
}

impl Scope {
    /// Everything the store has.
    pub fn all() -> Scope {
        Scope::default()
    }

    /// A host, a registrable domain, or the host of an address.
    ///
    /// # Errors
    /// When the store has no page of it.
    pub fn of(store: &Store, text: &str) -> Result<Scope> {
        let host = match CanonicalUrl::parse(text) {
            Ok(url) => url.host().to_owned(),
            Err(_) => CanonicalUrl::parse(&format!("http://{text}/"))
                .map(|url| url.host().to_owned())
                .map_err(|_| Error::input(text, "expected a host name, such as fr.example.org"))?,
        };
        let domain = registrable_domain(&host).into_owned();
        let unknown = || Error::input(text, "the store has no page of this host; `diglot hosts` lists those it has");
        let site = store
            .site_of_domain(&domain)?
            .and_then(|id| store.site(id).transpose())
            .transpose()?
            .ok_or_else(unknown)?;
        if site.hosts.iter().any(|known| known.host == host) {
            return Ok(Scope { domain: Some(domain), host: Some(host), part: None });
        }
        if host == domain && site.hosts.iter().any(|known| registrable_domain(&known.host) == domain) {
            let part = (site.domain != domain).then(|| domain.clone());
            return Ok(Scope { domain: Some(domain), host: None, part });
        }
        Err(unknown())
    }

    /// True when it is everything the store has.
    pub fn is_all(&self) -> bool {
        self.domain.is_none()
    }

    /// True when an address (without scheme) is of the scope's host.
    pub fn has_host(&self, identity: &str) -> bool {
        let host = host_of(identity);
        self.host.as_deref().is_none_or(|wanted| wanted == host)
            && self.part.as_deref().is_none_or(|wanted| wanted == registrable_domain(host))
    }
}

/// One site, opened.
pub struct Site {
    /// Its number.
    pub id: SiteId,
    /// What the catalog holds of it.
    pub head: SiteHead,
    /// Its pages.
    pub pages: SitePages,
    /// What key discovery left, if it has seen these very pages.
    pub result: Option<Mapped<crate::store::layout::ResultRecord>>,
    /// What verification or iteration left, whichever was last, if made from these keys.
    pub judged: Option<Mapped<JudgedRecord>>,
    /// What crawlers were asked for, by address without scheme.
    pub asked: BTreeMap<String, RequestedRecord>,
}

impl Site {
    /// Opens a site.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: &Store, id: SiteId) -> Result<Site> {
        let head = store.site(id)?.unwrap_or_default();
        let pages = store.site_pages(&head)?;
        // Results of pages that have changed since would point at the wrong ones.
        let fresh = store.result_head(id)?.is_some_and(|result| result.generation == head.generation);
        let result = if fresh { store.result(id)? } else { None };
        let judged = if result.is_some() { judged(store, id, &head)? } else { None };
        let domains: BTreeSet<_> = head.hosts.iter().map(|host| registrable_domain(&host.host)).collect();
        let mut asked = BTreeMap::new();
        for domain in domains {
            asked.extend(store.requested(&domain)?);
        }
        Ok(Site { id, head, pages, result, judged, asked })
    }

    /// The page that an untranslated copy is a copy of, whether its address told or its links.
    pub fn copy_of(&self, page: u32) -> Option<u32> {
        let by_address = self.result.as_ref().and_then(|result| {
            let at = result.copies.binary_search_by_key(&page, |copy| copy.0.to_native()).ok()?;
            Some(result.copies[at].1.to_native())
        });
        by_address.or_else(|| self.judged.as_ref()?.copy_of(page))
    }

    /// The language a page counts for: as detected, or as settled by keys.
    pub fn lang(&self, page: u32) -> Lang {
        let settled = self.result.as_ref().and_then(|result| {
            let at = result.relabelled.binary_search_by_key(&page, |row| row.0.to_native()).ok()?;
            Some(Lang::from_bytes(result.relabelled[at].1))
        });
        settled.unwrap_or_else(|| self.pages.facts(page).detected)
    }

    /// True when a page was asked for because of a key, and that key pairs it.
    pub fn is_recovered(&self, page: u32) -> bool {
        let Some(asked) = self.asked.get(self.pages.identity(page)) else { return false };
        let Some(result) = &self.result else { return false };
        let mut pairs = result.pairs.iter().filter(|pair| pair.a == page || pair.b == page);
        pairs.any(|pair| result.keys.get(pair.key.to_native() as usize).is_some_and(|row| is_pattern(row, asked)))
    }

    /// Captures left out, of one address.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn skipped(&self, store: &Store, identity: &str) -> Result<Vec<SkipEntry>> {
        let mut found = Vec::new();
        for &at in &self.head.skipped {
            let chunk = store.skips.read(RecordRef(at))?;
            let first = chunk.entries.partition_point(|entry| entry.identity.as_str() < identity);
            let here = chunk.entries[first..].iter().take_while(|entry| entry.identity.as_str() == identity);
            found.extend(here.map(|entry| entry.to_owned()));
        }
        Ok(found)
    }

    /// The host of a page.
    pub fn host(&self, page: u32) -> &str {
        host_of(self.pages.identity(page))
    }
}

fn is_pattern(row: &ArchivedKeyRow, asked: &RequestedRecord) -> bool {
    row.key().is_some_and(|key| key.pattern() == asked.pattern)
}

/// How many pages of each language are copies by their links, and by no address: of each host.
fn copies_by_links(site: &Site) -> BTreeMap<String, BTreeMap<Lang, u32>> {
    let mut copies: BTreeMap<String, BTreeMap<Lang, u32>> = BTreeMap::new();
    for page in site.judged.iter().flat_map(|judged| judged.copies()) {
        let by_address = site
            .result
            .as_ref()
            .is_some_and(|result| result.copies.binary_search_by_key(&page, |copy| copy.0.to_native()).is_ok());
        let lang = site.lang(page);
        if !by_address && lang.is_known() {
            *copies.entry(site.host(page).to_owned()).or_default().entry(lang).or_default() += 1;
        }
    }
    copies
}

/// What iteration left of a site, or else verification, if it was made from its present keys.
fn judged(store: &Store, id: SiteId, head: &SiteHead) -> Result<Option<Mapped<JudgedRecord>>> {
    let Some((table, found)) = judged_head(store, id, head)? else { return Ok(None) };
    let file = if table == Keyspace::Verified { &store.verified } else { &store.resolved };
    Ok(Some(file.read(RecordRef(found.record))?))
}

fn judged_head(store: &Store, id: SiteId, head: &SiteHead) -> Result<Option<(Keyspace, JudgedHead)>> {
    let keys = store.result_head(id)?.map_or(0, |result| result.record);
    let of_these = |found: &JudgedHead| (found.generation, found.result) == (head.generation, keys);
    for table in [Keyspace::Resolved, Keyspace::Verified] {
        if let Some(found) = store.judged_head(table, id)?.filter(of_these) {
            return Ok(Some((table, found)));
        }
    }
    Ok(None)
}

/// How many pairs a site has, by the last stage that was done.
///
/// # Errors
/// When the store cannot be read.
pub fn pair_count(store: &Store, id: SiteId, head: &SiteHead) -> Result<u64> {
    let Some(result) = store.result_head(id)?.filter(|result| result.generation == head.generation) else {
        return Ok(0);
    };
    Ok(judged_head(store, id, head)?.map_or(result.pairs, |(_, judged)| judged.pairs))
}

/// How many sentence pairs a site has, and how many were left out for which reason ([`Reason`](crate::align::clean::Reason) codes);
/// with `are_compared` ([`bitext::are_compared`]), what other sites say too is left out.
///
/// # Errors
/// When the store cannot be read.
pub fn sentence_counts(
    store: &Store,
    id: SiteId,
    head: &SiteHead,
    are_compared: bool,
) -> Result<(u64, BTreeMap<u8, u64>)> {
    let found = store.bitext_head(id)?.filter(|found| found.finished && found.generation == head.generation);
    let Some(BitextHead { mut kept, dropped, shared_dropped, .. }) = found else { return Ok(Default::default()) };
    let mut counts: BTreeMap<u8, u64> = dropped.into_iter().collect();
    for (code, count) in shared_dropped.into_iter().filter(|_| are_compared) {
        kept = kept.saturating_sub(count);
        *counts.entry(code).or_default() += count;
    }
    Ok((kept, counts))
}

/// Numbers of the sites of a scope, by domain.
///
/// # Errors
/// When the store cannot be read.
pub fn sites(store: &Store, scope: &Scope) -> Result<Vec<SiteId>> {
    if let Some(domain) = &scope.domain {
        return Ok(store.site_of_domain(domain)?.into_iter().collect());
    }
    let mut sites = Vec::new();
    // Of the domains of a family, the first stands for all.
    let mut met = FxHashSet::default();
    store.catalog().for_each(crate::store::catalog::Keyspace::Domain, |_, id: u32| {
        if met.insert(id) {
            sites.push(SiteId(id));
        }
        Ok(())
    })?;
    Ok(sites)
}

/// Calls `each` with every pair of a scope: by domain, language pair, then address.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_pair(
    store: &Store,
    config: &Config,
    scope: &Scope,
    mut each: impl FnMut(PairLine) -> Result<()>,
) -> Result<()> {
    walk(store, config, scope, false, |pair, _| each(pair))
}

/// As [`for_each_pair`], with the pairs that were judged and not accepted, and what became of each; `None` where pairs are
/// those of keys, not judged.
///
/// # Errors
/// As [`for_each_pair`].
pub fn for_each_judged(
    store: &Store,
    config: &Config,
    scope: &Scope,
    each: impl FnMut(PairLine, Option<Outcome>) -> Result<()>,
) -> Result<()> {
    walk(store, config, scope, true, each)
}

fn walk(
    store: &Store,
    config: &Config,
    scope: &Scope,
    all: bool,
    mut each: impl FnMut(PairLine, Option<Outcome>) -> Result<()>,
) -> Result<()> {
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        let is_asked =
            |a: u32, b: u32| scope.has_host(site.pages.identity(a)) || scope.has_host(site.pages.identity(b));
        if let Some(judged) = &site.judged {
            for judged in judged.pairs().filter(|judged| all || judged.is_accepted()) {
                if is_asked(judged.pair.a, judged.pair.b) {
                    each(judged_line(&site, result, config, &judged), Some(judged.outcome))?;
                }
            }
            continue;
        }
        for pair in result.pairs.iter() {
            if is_asked(pair.a.to_native(), pair.b.to_native()) {
                each(pair_line(&site, result, config, pair), None)?;
            }
        }
    }
    Ok(())
}

/// One pair of a site as a line.
pub fn pair_line(site: &Site, result: &ArchivedResultRecord, config: &Config, pair: &ArchivedPairRow) -> PairLine {
    let (a, b) = (pair.a.to_native(), pair.b.to_native());
    let row = result.keys.get(pair.key.to_native() as usize);
    let langs = row.and_then(|row| row.key()).map_or((site.lang(a), site.lang(b)), |key| (key.langs.a, key.langs.b));
    let score = row.map_or(0.0, |row| row.credibility.to_native());
    line(site, config, [(a, langs.0), (b, langs.1)], row, score, Method::Key.name())
}

/// One judged pair of a site as a line.
pub fn judged_line(site: &Site, result: &ArchivedResultRecord, config: &Config, judged: &JudgedPair) -> PairLine {
    let pages = [judged.pair.a, judged.pair.b].map(|page| (page, site.lang(page)));
    let key = judged.key.and_then(|key| result.keys.get(key as usize));
    let score = (f64::from(judged.score) * 1e4).round() / 1e4;
    line(site, config, pages, key, score, judged.method.name())
}

/// A line of two pages with their languages, in the order the languages were asked for.
fn line(
    site: &Site,
    config: &Config,
    [(a, lang_a), (b, lang_b)]: [(u32, Lang); 2],
    row: Option<&ArchivedKeyRow>,
    score: f64,
    method: &'static str,
) -> PairLine {
    let of_asked = |page: u32| site.asked.get(site.pages.identity(page));
    let asked = if site.asked.is_empty() { None } else { of_asked(a).or_else(|| of_asked(b)) };
    let recovered = asked.zip(row).is_some_and(|(asked, row)| is_pattern(row, asked));
    let turned = config.lang_rank(lang_b) < config.lang_rank(lang_a);
    let pattern = row.and_then(|row| row.key()).map(|key| {
        let backwards = key.langs.a != lang_a;
        types::pattern(&if turned != backwards { key.turned() } else { key.edits })
    });
    let (first, second) = if turned { ((b, lang_b), (a, lang_a)) } else { ((a, lang_a), (b, lang_b)) };
    PairLine {
        url_a: site.pages.url(first.0),
        url_b: site.pages.url(second.0),
        lang_a: first.1,
        lang_b: second.1,
        score,
        method: if recovered { "recovered" } else { method },
        key: pattern.unwrap_or_default(),
    }
}

/// The captures to fetch so that the pairs of a scope, in languages that are wanted, have text: by file and offset, each once.
///
/// # Errors
/// When the store cannot be read.
pub fn fetch(store: &Store, scope: &Scope, wants: &dyn Fn([Lang; 2]) -> bool) -> Result<Vec<FetchLine>> {
    let mut lines = Vec::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        let in_scope = |page: u32| scope.has_host(site.pages.identity(page));
        let pairs = result.pairs.iter().map(|pair| [pair.a.to_native(), pair.b.to_native()]);
        let is_wanted =
            |pair: &[u32; 2]| pair.iter().any(|page| in_scope(*page)) && wants(pair.map(|page| site.lang(page)));
        let mut pages: Vec<u32> = pairs.filter(is_wanted).flatten().collect();
        pages.sort_unstable();
        pages.dedup();
        for page in pages {
            let (chunk, at) = site.pages.chunk(page);
            if chunk.form(at).has_text() {
                continue;
            }
            let record = store.pages.read(crate::store::records::RecordRef(chunk.pages[at].to_native()))?;
            if !record.file.is_empty() {
                let (offset, length) = (record.offset.to_native(), record.length.to_native());
                lines.push(FetchLine { file: record.file.to_string(), offset, length, url: site.pages.url(page) });
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    Ok(lines)
}

/// The keys of a scope: by domain, then strongest first; weak ones only when asked for.
///
/// # Errors
/// When the store cannot be read.
pub fn keys(store: &Store, config: &Config, scope: &Scope, weak: bool) -> Result<Vec<KeyLine>> {
    let mut lines = Vec::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        for (row, at) in result.keys.iter().zip(0u32..) {
            let Some(state) = State::from_code(row.state).filter(|state| weak || *state != State::Weak) else {
                continue;
            };
            let Some(key) = row.key() else { continue };
            let (start, end) = (row.scope_start.to_native(), row.scope_end.to_native());
            let one_host = end > start && site.host(start) == site.host(end - 1);
            if end <= start || (one_host && !scope.has_host(site.pages.identity(start))) {
                continue;
            }
            let global = credibility::global(store.credibility(&key.pattern())?.sum);
            let of_key = |judged: &Mapped<JudgedRecord>| judged.sources().find(|source| source.key == Some(at));
            let judged = site.judged.as_ref().and_then(of_key);
            lines.push(KeyLine {
                right: judged.map(|source| f64::from(source.precision)),
                accepted: judged.map_or(row.assigned.to_native(), |source| u64::from(source.accepted)),
                site: if one_host { site.host(start).to_owned() } else { site.head.domain.clone() },
                turned: config.lang_rank(key.langs.b) < config.lang_rank(key.langs.a),
                key,
                power: row.power.to_native(),
                taken: row.assigned.to_native(),
                credibility: row.credibility.to_native(),
                global,
                state,
            });
        }
    }
    Ok(lines)
}

/// All hosts of the store, by name.
///
/// # Errors
/// When the store cannot be read.
pub fn hosts(store: &Store) -> Result<Vec<HostLine>> {
    let mut lines: Vec<HostLine> = Vec::new();
    for id in sites(store, &Scope::all())? {
        let head = store.site(id)?.unwrap_or_default();
        let fresh = store.result_head(id)?.is_some_and(|result| result.generation == head.generation);
        let result = if fresh { store.result(id)? } else { None };
        let judged = if fresh { judged(store, id, &head)? } else { None };
        let copies = if judged.as_ref().is_some_and(|judged| !judged.copies.is_empty()) {
            copies_by_links(&Site::open(store, id)?)
        } else {
            BTreeMap::new()
        };
        for host in &head.hosts {
            let row = result.as_ref().and_then(|result| result.hosts.iter().find(|row| row.host == host.host.as_str()));
            let mut langs: BTreeMap<Lang, u32> = match row {
                Some(row) => row.langs.iter().map(|l| (Lang::from_bytes(l.0), l.1.to_native())).collect(),
                None => host.langs.iter().map(|l| (Lang::from_bytes(l.0), l.1)).collect(),
            };
            // Keys have counted the copies that addresses tell as of no language; so are those that links tell.
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
                    Some(judged) => {
                        let here = judged.hosts.iter().find(|row| row.0 == host.host.as_str());
                        here.map_or(0, |row| row.1.to_native())
                    }
                    None => row.map_or(0, |row| row.pairs.to_native()),
                },
                credibility: row.map_or(0.0, |row| row.credibility.to_native()),
            });
        }
    }
    lines.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(lines)
}
