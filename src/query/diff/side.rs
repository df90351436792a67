//! One of two stores that are compared: its sites, opened one at a time, and what was decided there on two pages.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::query::explain::min_score;
use crate::query::pairs::{judged_line, pair_line};
use crate::site::bitext::are_compared;
use crate::site::results::Site;
use crate::site::scope::{Scope, for_each_site, sites};
use crate::store::Store;
use crate::types::{JudgedPair, Lang, Outcome, PairLine, SiteId, SkipReason, host_of, registrable_domain};

/// One of two stores.
pub struct Side<'s> {
    /// The store.
    pub store: &'s Store,
    /// Its settings.
    pub config: &'s Config,
    /// The part of the store that is compared; `None` where the store has nothing of it.
    pub scope: Option<Scope>,
    /// The site that was asked for last.
    open: Option<OpenSite>,
}

/// What a store decided on two pages.
pub struct Found {
    /// The pair, if it was proposed.
    pub line: Option<PairLine>,
    /// True where the two pages are a pair.
    pub is_accepted: bool,
    /// `accepted`, or the reason why the two pages are no pair.
    pub status: String,
}

impl<'s> Side<'s> {
    /// One side of a comparison: a store with its settings, or only a host or registrable domain of it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of(store: &'s Store, config: &'s Config, host: Option<&str>) -> Result<Side<'s>> {
        let scope = match host {
            None => Some(Scope::all()),
            Some(host) => Scope::of_host(store, host)?,
        };
        Ok(Side { store, config, scope, open: None })
    }

    /// True where all sites of the store are being compared, and the store knows which sentence pairs repeat those of other sites.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_compared(&self) -> Result<bool> {
        Ok(self.scope.as_ref().is_some_and(|scope| scope.is_all()) && are_compared(self.store)?)
    }

    /// The sites to be compared, by the domains that stand for them.
    fn sites(&self) -> Result<Vec<(Box<str>, SiteId)>> {
        let Some(scope) = &self.scope else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        if scope.is_all() {
            for_each_site(self.store, |domain, id| found.push((domain.into(), id)))?;
        } else {
            for id in sites(self.store, scope)? {
                found.push((self.store.site(id)?.unwrap_or_default().domain.into(), id));
            }
        }
        Ok(found)
    }

    /// Opens a site.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn site(&mut self, id: SiteId) -> Result<&OpenSite> {
        let known = self.open.take().filter(|open| open.site.id == id);
        let open = match known {
            Some(open) => open,
            None => OpenSite { site: Site::open(self.store, id)?, rows: OnceCell::new() },
        };
        Ok(self.open.insert(open))
    }

    /// The number of the site of a URL without scheme.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn site_of(&self, identity: &str) -> Result<Option<SiteId>> {
        self.store.site_of_domain(&registrable_domain(host_of(identity)))
    }

    /// True when one of two URLs (without scheme) is to be compared.
    pub fn has(&self, [a, b]: [&str; 2]) -> bool {
        self.scope.as_ref().is_some_and(|scope| scope.has_host(a) || scope.has_host(b))
    }

    /// What was decided on two pages, given by their URLs without scheme. Languages are in the order of `order`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn find(&mut self, identities: [&str; 2], order: &Config) -> Result<Found> {
        let [first, second] = [self.site_of(identities[0])?, self.site_of(identities[1])?];
        let (Some(id), Some(other)) = (first, second) else {
            let unknown = if first.is_none() { identities[0] } else { identities[1] };
            return Ok(Found::none(not_captured(unknown)));
        };
        if id != other {
            return Ok(Found::none("the pages are of two sites".into()));
        }
        let (store, config) = (self.store, self.config);
        let open = self.site(id)?;
        let mut pages = [0; 2];
        for (page, identity) in pages.iter_mut().zip(identities) {
            match open.site.pages.find(identity) {
                Some(found) => *page = found,
                None => return Ok(Found::none(why_no_page(store, &open.site, identity)?)),
            }
        }
        Ok(match open.row(pages) {
            Some(at) => {
                let status = open.status(at, config);
                Found { line: open.line(at, order), is_accepted: status == ACCEPTED, status }
            }
            None => Found::none(open.why_no_pair(pages, config)),
        })
    }
}

/// The status of a pair that a store has.
pub const ACCEPTED: &str = "accepted";

impl Found {
    fn none(status: String) -> Found {
        Found { line: None, is_accepted: false, status }
    }
}

fn not_captured(identity: &str) -> String {
    format!("{identity} is not captured")
}

fn why_no_page(store: &Store, site: &Site, identity: &str) -> Result<String> {
    let left_out = site.skipped(store, identity)?.into_iter().find_map(|entry| SkipReason::from_code(entry.reason));
    Ok(left_out.map_or_else(|| not_captured(identity), |reason| format!("{identity} is left out: {}", reason.name())))
}

/// The domains of two stores in order, each with the numbers of the sites for which it stands.
///
/// # Errors
/// When a store cannot be read.
pub fn domains(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<[Option<SiteId>; 2]>> {
    let (before, after) = (before.sites()?, after.sites()?);
    let mut found = Vec::with_capacity(before.len().max(after.len()));
    let (mut before, mut after) = (before.into_iter().peekable(), after.into_iter().peekable());
    loop {
        let next = match (before.peek(), after.peek()) {
            (None, None) => return Ok(found),
            (Some((a, _)), Some((b, _))) => [a <= b, b <= a],
            (a, b) => [a.is_some(), b.is_some()],
        };
        let a = if next[0] { before.next() } else { None };
        let b = if next[1] { after.next() } else { None };
        found.push([a.map(|(_, id)| id), b.map(|(_, id)| id)]);
    }
}

/// An open site with its pairs, each by its position in the record that has it.
pub struct OpenSite {
    /// The site.
    pub site: Site,
    rows: OnceCell<Rows>,
}

/// Where pairs stand in the record.
#[derive(Default)]
struct Rows {
    /// By the two pages, the lower one first.
    of_pages: FxHashMap<(u32, u32), u32>,
    /// The accepted pairs, by a page and the language of the other page.
    of_page: FxHashMap<(u32, Lang), u32>,
}

impl OpenSite {
    /// How many pairs the record has.
    fn count(&self) -> usize {
        match (&self.site.judged, &self.site.result) {
            (Some(judged), _) => judged.pairs.len(),
            (None, Some(result)) => result.pairs.len(),
            (None, None) => 0,
        }
    }

    /// The positions of the pairs that `pairs` lists.
    pub fn accepted(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.count() as u32).filter(|&at| self.judged(at).is_none_or(|judged| judged.is_accepted()))
    }

    fn judged(&self, at: u32) -> Option<JudgedPair> {
        self.site.judged.as_ref()?.pair_at(at as usize)
    }

    /// The two pages of a pair.
    pub fn pages(&self, at: u32) -> Option<[u32; 2]> {
        if self.site.judged.is_some() {
            return self.judged(at).map(|judged| [judged.pair.a, judged.pair.b]);
        }
        let row = self.site.result.as_ref()?.pairs.get(at as usize)?;
        Some([row.a.to_native(), row.b.to_native()])
    }

    /// The URLs of two pages, without scheme.
    pub fn identities(&self, pages: [u32; 2]) -> [&str; 2] {
        pages.map(|page| self.site.pages.identity(page))
    }

    /// A pair as a line.
    pub fn line(&self, at: u32, order: &Config) -> Option<PairLine> {
        let result = self.site.result.as_ref()?;
        if self.site.judged.is_some() {
            return self.judged(at).map(|judged| judged_line(&self.site, result, order, &judged));
        }
        result.pairs.get(at as usize).map(|row| pair_line(&self.site, result, order, row))
    }

    fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| {
            let mut rows = Rows::default();
            for at in 0..self.count() as u32 {
                let Some([a, b]) = self.pages(at) else { continue };
                rows.of_pages.insert((a.min(b), a.max(b)), at);
                if let Some(judged) = self.judged(at).filter(JudgedPair::is_accepted) {
                    rows.of_page.insert((a, judged.pair.langs.b), at);
                    rows.of_page.insert((b, judged.pair.langs.a), at);
                }
            }
            rows
        })
    }

    /// The position of the pair of two pages.
    fn row(&self, [a, b]: [u32; 2]) -> Option<u32> {
        self.rows().of_pages.get(&(a.min(b), a.max(b))).copied()
    }

    /// The status of a judged pair: what was decided on it.
    fn status(&self, at: u32, config: &Config) -> String {
        let Some(judged) = self.judged(at) else { return ACCEPTED.into() };
        let name = judged.outcome.name();
        match judged.outcome {
            Outcome::LowScore => match min_score(config, judged.score) {
                Some(min) => format!("{name}: {:.4} is below {min}", judged.score),
                None => name.into(),
            },
            Outcome::LostToBetter => match self.better(&judged) {
                Some([a, b]) => format!("{name}: {a} and {b}"),
                None => name.into(),
            },
            _ => name.into(),
        }
    }

    /// The URLs of an accepted pair that has a page of a pair which lost to a better one.
    fn better(&self, lost: &JudgedPair) -> Option<[String; 2]> {
        let (rows, pair) = (self.rows(), lost.pair);
        let at = rows.of_page.get(&(pair.a, pair.langs.b)).or_else(|| rows.of_page.get(&(pair.b, pair.langs.a)))?;
        Some(self.pages(*at)?.map(|page| self.site.pages.url(page)))
    }

    /// Why nothing was decided on two pages.
    fn why_no_pair(&self, pages: [u32; 2], config: &Config) -> String {
        let site = &self.site;
        if site.result.is_none() {
            return "keys have not been searched since the pages were read".into();
        }
        for page in pages {
            let identity = site.pages.identity(page);
            if site.copy_of(page).is_some() {
                return format!("{identity} is an untranslated copy");
            }
            if let Some(lang) = site.foreign(page) {
                return format!("the text of {identity} is in {lang}");
            }
            if !site.lang(page).is_known() {
                return format!("the language of {identity} is not known");
            }
        }
        let [a, b] = pages.map(|page| site.lang(page));
        match () {
            () if a == b => format!("both pages are in {a}"),
            () if ![a, b].iter().all(|&lang| config.keys.wants(lang)) => format!("{a} and {b} are not both requested"),
            () if site.judged.is_none() && (config.verifies() || config.iterates()) => "not judged yet".into(),
            () => "nothing proposes it".into(),
        }
    }
}
