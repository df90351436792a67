//! The graph of sites, made from the links of all pages, and the sites that were requested. The method is [`crate::explore`]; this file
//! reads and writes the store.

use serde_json::{Value, json};
use xxhash_rust::xxh3::Xxh3;

use super::Context;
use crate::error::Result;
use crate::explore::{self, By, Next, Rank, WebBuilder};
use crate::index::web::Web;
use crate::site::hosts::hosts;
use crate::store::catalog::Changes;
use crate::store::layout::{RequestRecord, RoundRecord, WebHead, WebRecord, web_records};
use crate::store::{SiteWeb, Store};
use crate::types::SiteId;
use crate::types::number;

/// What a site of the graph is: a domain or a host.
fn kind(by_domain: bool) -> &'static str {
    if by_domain { "domain" } else { "host" }
}

/// Hash of everything from which the graph of sites is made.
fn fingerprint(store: &Store) -> Result<u64> {
    let mut hasher = Xxh3::new();
    for id in (0..store.site_count()?).map(SiteId) {
        let graph = store.graph_head(id)?.unwrap_or_default();
        let result = store.result_head(id)?.unwrap_or_default();
        graph.chunks.iter().for_each(|chunk| hasher.update(&chunk.to_le_bytes()));
        hasher.update(&result.record.to_le_bytes());
    }
    Ok(hasher.digest() | 1)
}

/// Calls `each` with a host of the store, another host to which it links, and the number of links.
///
/// # Errors
/// When the store cannot be read, the run was stopped, or `each` returns an error.
pub(crate) fn for_each_link(
    store: &Store,
    context: &Context<'_>,
    mut each: impl FnMut(&str, &str, u32) -> Result<()>,
) -> Result<()> {
    context.observer.begin("explore", "links between sites", "sites", Some(u64::from(store.site_count()?)));
    for id in (0..store.site_count()?).map(SiteId) {
        let generation = store.site(id)?.map_or(0, |head| head.generation);
        let Some(graph) = store.site_links(id, generation)? else { continue };
        for row in graph.chunks().flat_map(|chunk| chunk.outside.iter()) {
            each(&row.from, &row.host, row.links.to_native())?;
        }
        context.observer.progress(u64::from(id.0) + 1, "");
        context.check_stop()?;
    }
    Ok(())
}

/// Makes the graph of sites from the present links and pairs.
///
/// Memory: two names for each pair of linked sites while it is made; afterwards 12 bytes for each pair, and the names of sites.
fn make_web(store: &Store, context: &Context<'_>, by_domain: bool) -> Result<Vec<WebRecord>> {
    let mut builder = WebBuilder::new(by_domain);
    for host in hosts(store)? {
        builder.add_host(&host.host, host.credibility, host.pairs);
    }
    for_each_link(store, context, |from, to, links| {
        builder.add_links(from, to, links);
        Ok(())
    })?;
    Ok(records(builder))
}

/// A graph of sites as records.
fn records(builder: WebBuilder) -> Vec<WebRecord> {
    let web = builder.finish();
    let mut records = web_records(web.stored.len() as u32, &web.links);
    let head = &mut records[0];
    for name in web.stored.iter().map(|site| &site.name).chain(&web.outside) {
        head.names.push_str(name);
        head.name_ends.push(head.names.len() as u32);
    }
    head.credibility = web.stored.iter().map(|site| site.credibility).collect();
    head.pairs = web.stored.iter().map(|site| site.pairs).collect();
    records
}

/// Stores a graph that was made and is not stored yet, so that it need not be made again.
///
/// # Errors
/// When the disk cannot be written.
pub fn keep(store: &mut Store, explored: &Explored, by_domain: bool) -> Result<()> {
    let Some(fingerprint) = explored.made_from else { return Ok(()) };
    let records = explored.web.records();
    let chunks = records.iter().map(|record| Ok(store.webs.append(record)?.0)).collect::<Result<_>>()?;
    let head = WebHead { fingerprint, chunks };
    let mut changes = Changes::default();
    changes.put_web(kind(by_domain), &head);
    store.commit(changes)
}

/// The graph of sites with the ranks of its seeds.
pub struct Explored {
    web: SiteWeb,
    /// Hash of its sites, links and pairs.
    fingerprint: u64,
    /// For each stored site, whether it is a seed: whether it has a pair.
    seeds: Vec<bool>,
    ranks: Vec<Rank>,
    /// Hash of everything from which the graph was made; `None` if it is in the store.
    made_from: Option<u64>,
}

impl Explored {
    /// The graph of the present links and pairs with its ranks, from the store if it is there, else made anew. Seeds are the bilingual
    /// sites: those with a pair. The store is only read.
    ///
    /// # Errors
    /// When the store cannot be read, or the run was stopped.
    pub fn open(store: &Store, context: &Context<'_>, by_domain: bool) -> Result<Explored> {
        let head = store.web_head(kind(by_domain))?.unwrap_or_default();
        let present = fingerprint(store)?;
        let is_kept = head.fingerprint == present;
        let web = if is_kept { store.web(&head)? } else { SiteWeb::new(make_web(store, context, by_domain)?) };
        let explored = Explored::new(web, &context.config.explore);
        Ok(Explored { made_from: (!is_kept).then_some(present), ..explored })
    }

    /// The graph of hosts and links that were collected, with its ranks.
    #[cfg(feature = "exec")]
    pub(crate) fn of(builder: WebBuilder, params: &explore::Params) -> Explored {
        Explored::new(SiteWeb::new(records(builder)), params)
    }

    fn new(web: SiteWeb, params: &explore::Params) -> Explored {
        let seeds: Vec<bool> = (0..web.stored()).map(|site| web.pairs(site) > 0).collect();
        let ranks = explore::rank(&web, &|site| web.credibility(site), &seeds, params);
        Explored { fingerprint: web.content(), web, seeds, ranks, made_from: None }
    }

    /// The sites to explore next, the best first.
    pub fn next(&self, by: By) -> Vec<Next> {
        explore::next(&self.web, &self.ranks, &self.seeds, by)
    }

    /// The names of the columns of [`Explored::values`].
    pub const COLUMNS: [&'static str; 6] = ["site", "linkout", "pagerank", "weighted", "seeds", "links"];

    /// A site to explore as a row of a listing.
    pub fn values(&self, next: &Next) -> [Value; 6] {
        [
            json!(self.name(next.site)),
            json!(next.linkout),
            number(next.pagerank, 9),
            number(next.weighted, 9),
            json!(next.seeds),
            json!(next.links),
        ]
    }

    /// The name of a site.
    pub fn name(&self, site: u32) -> &str {
        self.web.name(site)
    }

    /// True when at least one site has pairs.
    pub fn has_seeds(&self) -> bool {
        self.seeds.contains(&true)
    }

    /// The rank of a stored site, by its name.
    pub fn rank_of(&self, name: &str) -> Option<Rank> {
        self.ranks.get(self.web.find_stored(name)? as usize).copied()
    }
}

/// Stores which sites were requested. Requests with the same graph and the same ranking belong to one round.
///
/// # Errors
/// When the disk cannot be written.
pub fn remember(store: &mut Store, explored: &Explored, by: By, by_domain: bool, requested: Vec<String>) -> Result<()> {
    let by = by.name();
    let rounds = store.rounds()?;
    let is_same =
        |round: &RoundRecord| round.web == explored.fingerprint && round.by == by && round.by_domain == by_domain;
    let number = rounds.iter().position(is_same).unwrap_or(rounds.len());
    let record = RoundRecord {
        by: by.to_owned(),
        by_domain,
        web: explored.fingerprint,
        seeds: explored.seeds.iter().filter(|seed| **seed).count() as u32,
        pairs: (0..explored.web.stored()).map(|site| explored.web.pairs(site)).sum(),
        requested,
    };
    if rounds.get(number) == Some(&record) {
        return Ok(());
    }
    let mut changes = Changes::default();
    let request = RequestRecord { rounds: vec![(number as u32, record)], ..RequestRecord::default() };
    store.remember(&request, &mut changes)?;
    store.commit(changes)
}
