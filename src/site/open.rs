//! One site of the store, opened for the methods.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::graph::Links;
use crate::index::parts::Tree;
use crate::index::site::{Pages, Urls};
use crate::keys::{FoundPair, KnownKey, KnownKeys, State};
use crate::labels::folders;
use crate::site::results::langs_by_keys;
use crate::store::layout::{ArchivedKeyRow, ResultRecord, SiteHead};
use crate::store::records::Mapped;
use crate::store::{SiteLinks, SitePages, Store};
use crate::types::{JudgedPair, Key, Lang, LangPair, PagePair, SiteId, host_of};
use crate::verify::{PageText, SiteData, SiteView};

/// A site whose keys have been searched.
pub struct OpenSite<'s> {
    store: &'s Store,
    /// Its number.
    pub id: SiteId,
    /// What the catalog holds of it.
    pub head: SiteHead,
    /// Its pages.
    pub pages: SitePages,
    /// The result of key discovery.
    pub result: Mapped<ResultRecord>,
    links: SiteLinks,
}

impl<'s> OpenSite<'s> {
    /// Opens a site; `None` where keys or links are not up to date.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: &'s Store, id: SiteId) -> Result<Option<OpenSite<'s>>> {
        let head = store.site(id)?.unwrap_or_default();
        let Some(result) = store.result(id)? else { return Ok(None) };
        let Some(links) = store.site_links(id, head.generation)? else { return Ok(None) };
        let links = links.standing_for(result.copies.iter().map(|copy| (copy.0.to_native(), copy.1.to_native())));
        let pages = store.site_pages(&head)?;
        Ok(Some(OpenSite { store, id, head, pages, result, links }))
    }

    /// The site in the form that methods use.
    pub fn view<'v>(&'v self, config: &'v Config) -> SiteView<'v> {
        SiteView::new(self.id, self, self.langs(), &config.verify, config.without_content)
            .corrected(self.store.corrections_on(&self.head, &self.pages))
            .without_keys(config.without_keys)
            .within(config.memory.bytes)
    }

    /// The language that each page counts for; unknown for pages that take no part, such as copies.
    fn langs(&self) -> Vec<Lang> {
        langs_by_keys(&self.pages, &self.result)
    }

    /// The language pairs of which its keys may have pairs.
    pub fn langs_of_pairs(&self) -> Vec<LangPair> {
        let langs = |row: &ArchivedKeyRow| LangPair::new(Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b));
        let mut all: Vec<LangPair> = self.result.keys.iter().filter_map(langs).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Its keys and their pairs.
    ///
    /// # Errors
    /// When a key makes no sense.
    pub fn known_keys(&self) -> Result<KnownKeys> {
        let pair = |row: &crate::store::layout::ArchivedPairRow| FoundPair {
            a: row.a.to_native(),
            b: row.b.to_native(),
            key: row.key.to_native(),
        };
        Ok(KnownKeys {
            keys: self.result.keys.iter().map(|row| self.known_key(row)).collect::<Result<_>>()?,
            pairs: self.result.pairs.iter().map(pair).collect(),
        })
    }

    fn known_key(&self, row: &ArchivedKeyRow) -> Result<KnownKey> {
        let problem = || Error::Store {
            path: self.store.folder().to_owned(),
            problem: format!("a key of {} is damaged; delete the folder results and run again", self.head.domain),
        };
        Ok(KnownKey {
            key: row.key().ok_or_else(problem)?,
            scope: row.scope(),
            credibility: row.credibility.to_native(),
            state: State::from_code(row.state).ok_or_else(problem)?,
        })
    }

    /// How many accepted pairs have a page on each host, by host.
    pub fn pairs_of_hosts(&self, pairs: &[JudgedPair]) -> Vec<(String, u64)> {
        let host = |page: u32| host_of(self.pages.identity(page));
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for PagePair { a, b, .. } in pairs.iter().filter(|judged| judged.is_accepted()).map(|judged| judged.pair) {
            let (a, b) = (host(a), host(b));
            *counts.entry(a).or_default() += 1;
            if a != b {
                *counts.entry(b).or_default() += 1;
            }
        }
        counts.into_iter().map(|(host, count)| (host.to_owned(), count)).collect()
    }
}

impl SiteData for OpenSite<'_> {
    fn pages(&self) -> &dyn Pages {
        &self.pages
    }

    fn links(&self) -> &dyn Links {
        &self.links
    }

    fn folders(&self, langs: &[Lang], by_keys: bool) -> Tree {
        let is_used = |row: &&ArchivedKeyRow| by_keys && State::from_code(row.state).is_some_and(State::takes_pairs);
        let keys: Vec<Key> = self.result.keys.iter().filter(is_used).filter_map(ArchivedKeyRow::key).collect();
        folders::tree(&self.pages, keys.iter(), langs)
    }

    fn read(&self, page: u32) -> Result<PageText> {
        let (chunk, at) = self.pages.chunk(page);
        let record = self.store.page(chunk.page(at))?;
        Ok(PageText { url: record.url().to_owned(), page: record.page() })
    }
}
