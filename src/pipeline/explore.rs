//! The graph of sites, out of the links of all pages, and the rounds of exploring it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::Context;
use crate::error::Result;
use crate::explore::{self, By, Next, Rank};
use crate::index::web::Web;
use crate::query;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::{RequestRecord, RoundRecord, WebHead, WebRecord};
use crate::store::{SiteWeb, Store};
use crate::types::{SiteId, registrable_domain};

/// Links of one record, at the most, unless one site has more.
const RECORD_LINKS: usize = 1 << 24;

/// What a site is.
fn kind(by_domain: bool) -> &'static str {
    if by_domain { "domain" } else { "host" }
}

/// Hash of what the graph of sites is made from.
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

/// True when the graph of sites is that of the present links and pairs.
///
/// # Errors
/// When the store cannot be read.
pub fn is_fresh(store: &Store, by_domain: bool) -> Result<bool> {
    let head = store.web_head(kind(by_domain))?.unwrap_or_default();
    Ok(head.fingerprint == fingerprint(store)?)
}

/// Makes the graph of sites, unless it is fresh.
///
/// Memory: 12 bytes a pair of linked sites, and the names of sites.
///
/// # Errors
/// When the store cannot be read or written.
pub fn make_web(store: &mut Store, context: &Context<'_>, by_domain: bool) -> Result<()> {
    if is_fresh(store, by_domain)? {
        return Ok(());
    }
    context.observer.begin("explore", "links between sites", "sites", Some(u64::from(store.site_count()?)));
    // Of each stored site: C(w), the best of its hosts', and pairs.
    let name = |host: &str| if by_domain { registrable_domain(host).into_owned() } else { host.to_owned() };
    let mut stored: BTreeMap<String, (f64, u64)> = BTreeMap::new();
    for host in query::hosts(store)? {
        let site = stored.entry(name(&host.host)).or_default();
        *site = (site.0.max(host.credibility), site.1 + host.pairs);
    }
    let mut outside: BTreeSet<String> = BTreeSet::new();
    let mut named: FxHashMap<(String, String), u32> = FxHashMap::default();
    for id in (0..store.site_count()?).map(SiteId) {
        let generation = store.site(id)?.map_or(0, |head| head.generation);
        let Some(graph) = store.site_links(id, generation)? else { continue };
        for row in graph.chunks().flat_map(|chunk| chunk.outside.iter()) {
            let (from, to) = (name(&row.from), name(&row.host));
            if from != to && !to.is_empty() {
                if !stored.contains_key(&to) && !outside.contains(&to) {
                    outside.insert(to.clone());
                }
                let links = named.entry((from, to)).or_default();
                *links = links.saturating_add(row.links.to_native());
            }
        }
        context.observer.progress(u64::from(id.0) + 1, "");
        context.check_stop()?;
    }
    let first = stored.len();
    let numbers: FxHashMap<&str, u32> =
        stored.keys().chain(&outside).zip(0u32..).map(|(name, number)| (name.as_str(), number)).collect();
    let number = |name: &str| numbers.get(name).copied();
    let mut links: Vec<(u32, u32, u32)> = named
        .iter()
        .filter_map(|((from, to), &links)| Some((number(from)?, number(to)?, links)))
        .filter(|(from, ..)| (*from as usize) < first)
        .collect();
    links.sort_unstable();
    let mut records = records(first as u32, &links);
    let head = &mut records[0];
    for name in stored.keys().chain(&outside) {
        head.names.push_str(name);
        head.name_ends.push(head.names.len() as u32);
    }
    head.credibility = stored.values().map(|site| site.0).collect();
    head.pairs = stored.values().map(|site| site.1).collect();
    let chunks = records.iter().map(|record| Ok(store.webs.append(record)?.0)).collect::<Result<_>>()?;
    let head = WebHead { fingerprint: fingerprint(store)?, chunks };
    let mut changes = Changes::default();
    changes.put(Keyspace::Web, kind(by_domain).as_bytes(), &head);
    store.commit(changes)
}

/// Links by site and site linked to, as records.
pub fn records(stored: u32, links: &[(u32, u32, u32)]) -> Vec<WebRecord> {
    let mut records = vec![WebRecord::default()];
    let mut at = 0;
    for site in 0..stored {
        let end = at + links[at..].partition_point(|link| link.0 == site);
        if records.last().is_some_and(|record| record.targets.len() + (end - at) > RECORD_LINKS && site > record.first)
        {
            records.push(WebRecord { first: site, ..WebRecord::default() });
        }
        let record = records.last_mut().expect("there is a first one");
        record.targets.extend(links[at..end].iter().map(|link| link.1));
        record.links.extend(links[at..end].iter().map(|link| link.2));
        record.ends.push(record.targets.len() as u32);
        at = end;
    }
    records
}

/// Hash of a graph's sites, links and pairs: the same for equal graphs, wherever their records are.
fn content(web: &SiteWeb) -> u64 {
    let mut hasher = Xxh3::new();
    for site in 0..web.count() {
        hasher.update(web.name(site).as_bytes());
        hasher.update(&[0]);
    }
    for site in 0..web.stored() {
        hasher.update(&web.credibility(site).to_le_bytes());
        hasher.update(&web.pairs(site).to_le_bytes());
    }
    web.for_each_link(|from, to, links| {
        [from, to, links].iter().for_each(|number| hasher.update(&number.to_le_bytes()));
    });
    hasher.digest()
}

/// The graph of sites with the ranks of its seeds.
pub struct Explored {
    /// The graph.
    pub web: SiteWeb,
    /// Hash of its sites, links and pairs.
    pub fingerprint: u64,
    /// Which stored sites are seeds: those with a pair.
    pub seeds: Vec<bool>,
    /// Their ranks.
    pub ranks: Vec<Rank>,
}

impl Explored {
    /// Ranks the sites of the graph that [`make_web`] made. Seeds are the bilingual sites: those with a pair.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(store: &Store, params: &explore::Params, by_domain: bool) -> Result<Explored> {
        let head = store.web_head(kind(by_domain))?.unwrap_or_default();
        let web = store.web(&head)?;
        let seeds: Vec<bool> = (0..web.stored()).map(|site| web.pairs(site) > 0).collect();
        let ranks = explore::rank(&web, &|site| web.credibility(site), &seeds, params);
        Ok(Explored { fingerprint: content(&web), web, seeds, ranks })
    }

    /// The sites to explore next, best first.
    pub fn next(&self, by: By) -> Vec<Next> {
        explore::next(&self.web, &self.ranks, &self.seeds, by)
    }

    /// The rank of a stored site, by its name.
    pub fn rank_of(&self, name: &str) -> Option<Rank> {
        let (mut low, mut high) = (0, self.web.stored());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.web.name(middle).cmp(name) {
                std::cmp::Ordering::Equal => return self.ranks.get(middle as usize).copied(),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// Remembers the sites that were named as those to explore next. The same graph asked again in the same way is the same round.
///
/// # Errors
/// When the disk does not take it.
pub fn remember(
    store: &mut Store,
    explored: &Explored,
    by: &str,
    by_domain: bool,
    requested: Vec<String>,
) -> Result<()> {
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

/// What a round has brought so far.
pub struct Gain {
    /// The round.
    pub round: RoundRecord,
    /// Sites it named that the store has now.
    pub came: u32,
    /// Those of them with a pair.
    pub bilingual: u32,
    /// Their pairs.
    pub pairs: u64,
}

/// The rounds, and what each has brought.
///
/// # Errors
/// When the store cannot be read.
pub fn gains(store: &Store) -> Result<Vec<Gain>> {
    let hosts = query::hosts(store)?;
    let mut by_kind: [BTreeMap<String, u64>; 2] = Default::default();
    for host in hosts {
        *by_kind[1].entry(registrable_domain(&host.host).into_owned()).or_default() += host.pairs;
        by_kind[0].insert(host.host, host.pairs);
    }
    let gain = |round: RoundRecord| {
        let known = &by_kind[usize::from(round.by_domain)];
        let came: Vec<u64> = round.requested.iter().filter_map(|site| known.get(site).copied()).collect();
        Gain {
            came: came.len() as u32,
            bilingual: came.iter().filter(|pairs| **pairs > 0).count() as u32,
            pairs: came.iter().sum(),
            round,
        }
    };
    Ok(store.rounds()?.into_iter().map(gain).collect())
}
