//! The part of a store that a query is about.

use rustc_hash::FxHashSet;

use crate::error::{Error, Result};
use crate::store::Store;
use crate::store::records::START;
use crate::types::{CanonicalUrl, SiteId, host_of, registrable_domain};

/// The message about a page that the user has removed.
pub const REMOVED: &str = "removed: `diglot remove` took this URL, its host or its domain out of the store";
/// The message about a page or host that is unknown as long as not everything that was read is indexed.
pub const NOT_INDEXED: &str = "not known yet: some of what was read is not indexed; `diglot run` indexes it";

/// True where everything that was read is indexed, and nothing was removed since.
///
/// # Errors
/// When the store cannot be read.
pub fn is_indexed(store: &Store) -> Result<bool> {
    Ok(store.stage("index")?.cursor.max(START.0) >= store.batches.end().0)
}

/// The sites and hosts that a query is about.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Registrable domain; `None`: all.
    domain: Option<String>,
    /// One host of it; `None`: all.
    host: Option<String>,
    /// One registrable domain of a family; `None`: all of the family.
    part: Option<String>,
}

impl Scope {
    /// The whole store.
    pub fn all() -> Scope {
        Scope::default()
    }

    /// A host, a registrable domain, or the host of a URL, given as text.
    ///
    /// # Errors
    /// When the store has no page of this host.
    pub fn of(store: &Store, text: &str) -> Result<Scope> {
        let host = match CanonicalUrl::parse(text) {
            Ok(url) => url.host().to_owned(),
            Err(_) => CanonicalUrl::parse(&format!("http://{text}/"))
                .map(|url| url.host().to_owned())
                .map_err(|_| Error::input(text, "expected a host name, such as fr.example.org"))?,
        };
        let unknown = || match is_indexed(store).and_then(|is_indexed| Ok((is_indexed, store.meant_host(&host)?))) {
            Ok((false, _)) => Error::input(text, NOT_INDEXED),
            Ok((true, meant)) => Error::input(
                text,
                format!("the store has no page of this host{meant}; `diglot hosts` lists those it has"),
            ),
            Err(error) => error,
        };
        match Scope::of_host(store, &host)? {
            Some(scope) => Ok(scope),
            None => Err(unknown()),
        }
    }

    /// The scope of a host or a registrable domain; `None` where the store has no page of it.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn of_host(store: &Store, host: &str) -> Result<Option<Scope>> {
        let domain = registrable_domain(host).into_owned();
        let Some(id) = store.site_of_domain(&domain)? else { return Ok(None) };
        let Some(site) = store.site(id)? else { return Ok(None) };
        if site.hosts.iter().any(|known| known.host == host) {
            return Ok(Some(Scope { domain: Some(domain), host: Some(host.to_owned()), part: None }));
        }
        if host == domain && site.hosts.iter().any(|known| registrable_domain(&known.host) == domain) {
            let part = (site.domain != domain).then(|| domain.clone());
            return Ok(Some(Scope { domain: Some(domain), host: None, part }));
        }
        Ok(None)
    }

    /// True when the scope is the whole store.
    pub fn is_all(&self) -> bool {
        self.domain.is_none()
    }

    /// True when a URL (without scheme) is on the scope's host.
    pub fn has_host(&self, identity: &str) -> bool {
        let host = host_of(identity);
        self.host.as_deref().is_none_or(|wanted| wanted == host)
            && self.part.as_deref().is_none_or(|wanted| wanted == registrable_domain(host))
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
    for_each_site(store, |_, id| sites.push(id))?;
    Ok(sites)
}

/// Calls `each` with all sites, in the order of their domains; the first domain of a family stands for the whole family.
///
/// # Errors
/// When the store cannot be read.
pub fn for_each_site(store: &Store, mut each: impl FnMut(&str, SiteId)) -> Result<()> {
    let mut met = FxHashSet::default();
    store.for_each_domain(|domain, id| {
        if met.insert(id) {
            each(domain, id);
        }
    })
}
