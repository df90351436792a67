//! Makes a graph of links from the pages of each site. Unit of work: a site; of a large one, [`CHUNK_PAGES`] pages at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::groups::{Groups, SiteTasks, do_groups, finish};
use super::listed::Listed;
use crate::config::Config;
use crate::error::Result;
use crate::extract::canonical::Named;
use crate::extract::versions::labelled;
use crate::index::addresses::Addresses;
use crate::index::site::{Pages, Urls};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::store::catalog::Changes;
use crate::store::layout::{AlternateRow, CHUNK_PAGES, CanonicalRow, GraphHead, GraphRecord};
use crate::store::layout::{OutsideRow, SiteHead};
use crate::store::records::RecordRef;
use crate::store::{SitePages, Store};
use crate::types::{Form, Lang, SiteId, counted, host_of, registrable_domain};

/// The stage that makes link graphs from pages.
pub struct Links;

/// Sites are worked on together until they have so many pages.
const GROUP_PAGES: u64 = 20_000;
/// Pages that each thread reads between two reports.
const TOLD_PAGES: u32 = 64;

impl Stage for Links {
    fn name(&self) -> &'static str {
        "links"
    }

    fn version(&self) -> u32 {
        7
    }

    fn sections(&self) -> &'static [&'static str] {
        &[]
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let stale = self.stale_sites(store, config)?.len();
        Ok(if stale == 0 { String::new() } else { counted(stale as u64, "site") + " to do" })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let stale = self.stale_sites(store, context.config)?;
        let params = fingerprint(self, context.config);
        if stale.is_empty() {
            // No site is stale: the stage is done, also in a store without sites.
            return if store.stage(self.name())?.fingerprint == params {
                Ok(())
            } else {
                finish(self, store, context.config)
            };
        }
        let mut all = 0;
        for id in &stale {
            all += u64::from(store.site(*id)?.unwrap_or_default().pages);
        }
        context.observer.begin(self.name(), "links between pages", "pages", Some(all));
        let sites = SiteTasks::new(stale, GROUP_PAGES);
        do_groups(&mut Linking { sites, params, context, done: AtomicU64::new(0) }, store, context)?;
        finish(self, store, context.config)
    }
}

impl Links {
    /// Sites whose graph is missing, or was made from other pages or by another version of this stage.
    fn stale_sites(&self, store: &Store, config: &Config) -> Result<Vec<SiteId>> {
        let params = fingerprint(self, config);
        let mut stale = Vec::new();
        for id in (0..store.site_count()?).map(SiteId) {
            let generation = store.site(id)?.map_or(0, |head| head.generation);
            let graph = store.graph_head(id)?.unwrap_or_default();
            if (graph.generation, graph.params) != (generation, params) {
                stale.push(id);
            }
        }
        Ok(stale)
    }
}

struct Linking<'l> {
    sites: SiteTasks<SiteId>,
    params: u64,
    context: &'l Context<'l>,
    /// Pages that were read.
    done: AtomicU64,
}

impl Groups for Linking<'_> {
    type Task = SiteId;
    type Done = Linked;

    fn next(&mut self, store: &Store) -> Result<Option<Vec<SiteId>>> {
        self.sites.next(store, |&id| id)
    }

    fn work(&self, store: &Store, &id: &SiteId) -> Result<Linked> {
        let did = |pages: u32| {
            let before = self.done.fetch_add(u64::from(pages), Ordering::Relaxed);
            self.context.observer.progress(before + u64::from(pages), "");
        };
        let head = store.site(id)?.unwrap_or_default();
        let (chunks, dropped) = chunks_of(store, id, &head, self.context, &did)?;
        Ok(Linked { generation: head.generation, chunks, dropped, domain: head.domain })
    }

    fn keep(&mut self, store: &mut Store, done: Vec<(SiteId, Linked)>) -> Result<()> {
        let mut changes = Changes::default();
        for (id, Linked { generation, chunks, dropped, domain }) in done {
            if dropped > 0 {
                let versions = counted(dropped, "version");
                let what = "that sitemaps declare are left out: pages have too many in one language, or in all";
                self.context.observer.message(&format!("{domain}: {versions} {what}"));
            }
            let chunks = chunks.iter().map(|chunk| Ok(store.graphs.append_short(chunk)?.0)).collect::<Result<_>>()?;
            let graph = GraphHead { generation, params: self.params, chunks };
            changes.put_graph(id, &graph);
        }
        store.commit(changes)
    }
}

/// The link graph of one site, and how many versions that its sitemaps declare are left out. `did` is called with the number of pages that were read.
fn chunks_of(
    store: &Store,
    id: SiteId,
    head: &SiteHead,
    context: &Context<'_>,
    did: &(dyn Fn(u32) + Sync),
) -> Result<(Vec<GraphRecord>, u64)> {
    let pages = store.site_pages(head)?;
    let addresses = Addresses::new(&pages);
    let domains = head.hosts.iter().map(|host| registrable_domain(&host.host).into_owned()).collect();
    let site = LinkedSite { store, id, generation: head.generation, domains, pages: &pages, addresses: &addresses };
    let firsts: Vec<u32> = (0..head.pages).step_by(CHUNK_PAGES).collect();
    let chunks = firsts.into_par_iter().map(|first| site.chunk(first, did)).collect::<Result<_>>()?;
    let mut chunks = GraphRecord::with_answered(chunks);
    let listed = Listed::of(store, head, &addresses, &|| context.check_stop())?;
    let dropped = listed.dropped;
    for row in listed.into_rows() {
        if let Some(chunk) = chunks.get_mut(row.from as usize / CHUNK_PAGES) {
            chunk.listed.push(row);
        }
    }
    Ok((chunks, dropped))
}

/// The link graph of one site.
struct Linked {
    generation: u64,
    chunks: Vec<GraphRecord>,
    /// How many versions that its sitemaps declare are left out.
    dropped: u64,
    domain: String,
}

struct LinkedSite<'s> {
    store: &'s Store,
    id: SiteId,
    generation: u64,
    domains: BTreeSet<String>,
    pages: &'s SitePages,
    addresses: &'s Addresses<'s>,
}

impl LinkedSite<'_> {
    /// The links of some pages; and separately, versions that are only named by the text of a link.
    fn chunk(&self, first: u32, did: &dyn Fn(u32)) -> Result<(GraphRecord, Vec<AlternateRow>)> {
        let end = self.pages.count().min(first + CHUNK_PAGES as u32);
        let mut graph = GraphRecord { site: self.id.0, generation: self.generation, first, ..GraphRecord::default() };
        let mut labels = Vec::new();
        let mut outside: BTreeMap<(String, String), u32> = BTreeMap::new();
        // Most links lead to the same few hosts, so it is kept whether a host is inside the site.
        let mut domains: FxHashMap<String, bool> = FxHashMap::default();
        for page in first..end {
            if page > first && (page - first).is_multiple_of(TOLD_PAGES) {
                did(TOLD_PAGES);
            }
            let (chunk, at) = self.pages.chunk(page);
            // An index has no links.
            if chunk.form(at) == Form::Index {
                graph.ends.push(graph.targets.len() as u32);
                continue;
            }
            let record = self.store.page(RecordRef(chunk.link_record(at)))?;
            let (from, own) = (host_of(self.pages.identity(page)), chunk.detected(at));
            record.for_each_link(|url, link| {
                let Some(identity) = url.split_once("://").map(|(_, identity)| identity) else { return };
                if let Some(to) = self.addresses.page(identity) {
                    graph.targets.push(to);
                    graph.at.push(link.at);
                    graph.kinds.push(link.kind as u8);
                    let langs = [own, self.pages.detected(to)];
                    let version = |lang: Lang| AlternateRow { from: page, to, lang: lang.to_bytes() };
                    match link.hreflang {
                        _ if to == page => {}
                        Some(lang) => graph.alternates.push(version(lang)),
                        None => labels.extend(labelled(link.anchor, link.rel, langs).map(version)),
                    }
                    return;
                }
                let host = host_of(identity);
                let inside = match domains.get(host) {
                    Some(&inside) => inside,
                    None => {
                        let inside = self.domains.contains(registrable_domain(host).as_ref());
                        domains.insert(host.to_owned(), inside);
                        inside
                    }
                };
                if !inside {
                    *outside.entry((from.to_owned(), host.to_owned())).or_default() += 1;
                }
            });
            graph.ends.push(graph.targets.len() as u32);
            let mut named = Named::default();
            record.for_each_name(|url, rel, version| named.take(url, rel, version, own));
            let named = named.page(page, self.pages.identity(page), self.addresses);
            graph.canonical.extend(named.map(|to| CanonicalRow { from: page, to }));
        }
        did((end - first - 1) % TOLD_PAGES + 1);
        graph.outside = outside.into_iter().map(|((from, host), links)| OutsideRow { from, host, links }).collect();
        Ok((graph, labels))
    }
}
