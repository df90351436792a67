//! What a store answers: pairs, keys, hosts and pages, in an order that depends on addresses only.

pub mod bitext;

use std::collections::BTreeMap;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::site::{Addresses, Pages};
use crate::keys::{State, credibility};
use crate::store::layout::{ArchivedPairRow, ArchivedResultRecord, SiteHead, SkipEntry};
use crate::store::records::{Mapped, RecordRef};
use crate::store::{SitePages, Store};
use crate::types::{CanonicalUrl, Key, Lang, PairLine, SiteId, registrable_domain};

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
            return Ok(Scope { domain: Some(domain), host: Some(host) });
        }
        if host == domain && !site.hosts.is_empty() {
            return Ok(Scope { domain: Some(domain), host: None });
        }
        Err(unknown())
    }

    fn has_host(&self, identity: &str) -> bool {
        let host = identity.split('/').next().unwrap_or("");
        self.host.as_deref().is_none_or(|wanted| wanted == host)
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
        Ok(Site { id, head, pages, result })
    }

    /// The language a page counts for: as detected, or as settled by keys.
    pub fn lang(&self, page: u32) -> Lang {
        let settled = self.result.as_ref().and_then(|result| {
            let at = result.settled.binary_search_by_key(&page, |row| row.0.to_native()).ok()?;
            Some(Lang::from_bytes(result.settled[at].1))
        });
        settled.unwrap_or_else(|| self.pages.facts(page).detected)
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
        self.pages.identity(page).split('/').next().unwrap_or("")
    }
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
    store.catalog().for_each(crate::store::catalog::Table::Domain, |_, id: u32| {
        sites.push(SiteId(id));
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
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        for pair in result.pairs.iter() {
            let (a, b) = (pair.a.to_native(), pair.b.to_native());
            if scope.has_host(site.pages.identity(a)) || scope.has_host(site.pages.identity(b)) {
                each(pair_line(&site, result, config, pair))?;
            }
        }
    }
    Ok(())
}

/// One pair of a site as a line.
pub fn pair_line(site: &Site, result: &ArchivedResultRecord, config: &Config, pair: &ArchivedPairRow) -> PairLine {
    let (a, b) = (pair.a.to_native(), pair.b.to_native());
    let row = result.keys.get(pair.key.to_native() as usize);
    let found = row.and_then(|row| row.key());
    let (lang_a, lang_b) = found.as_ref().map_or((site.lang(a), site.lang(b)), |key| (key.langs.a, key.langs.b));
    let turned = config.lang_rank(lang_b) < config.lang_rank(lang_a);
    let key = found.map(|key| if turned { key.turned() } else { key.edits });
    let pattern = key.map(|edits| crate::types::pattern(&edits)).unwrap_or_default();
    let (first, second) = if turned { ((b, lang_b), (a, lang_a)) } else { ((a, lang_a), (b, lang_b)) };
    PairLine {
        url_a: site.pages.url(first.0),
        url_b: site.pages.url(second.0),
        lang_a: first.1,
        lang_b: second.1,
        score: row.map_or(0.0, |row| row.credibility.to_native()),
        method: "key",
        key: pattern,
    }
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
        for row in result.keys.iter() {
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
            lines.push(KeyLine {
                site: if one_host { site.host(start).to_owned() } else { site.head.domain.clone() },
                turned: config.lang_rank(key.langs.b) < config.lang_rank(key.langs.a),
                key,
                power: row.power.to_native(),
                taken: row.taken.to_native(),
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
        for host in &head.hosts {
            let row = result.as_ref().and_then(|result| result.hosts.iter().find(|row| row.host == host.host.as_str()));
            let langs = match row {
                Some(row) => row.langs.iter().map(|l| (Lang::from_bytes(l.0), l.1.to_native())).collect(),
                None => host.langs.iter().map(|l| (Lang::from_bytes(l.0), l.1)).collect(),
            };
            lines.push(HostLine {
                host: host.host.clone(),
                domain: head.domain.clone(),
                pages: host.langs.iter().map(|l| l.1).sum(),
                langs,
                pairs: row.map_or(0, |row| row.pairs.to_native()),
                credibility: row.map_or(0.0, |row| row.credibility.to_native()),
            });
        }
    }
    lines.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(lines)
}
