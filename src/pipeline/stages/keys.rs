//! Sites → keys and pairs, in two passes: every site by itself, then weak keys that are credible across sites.
//! Unit of work: one site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::groups::{begin, finish, next_group};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::{Addresses, Pages};
use crate::keys::{self, Discovery, FoundKey, GlobalSum, State, credibility};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::store::catalog::{Changes, Table};
use crate::store::layout::{HostRow, KeyRow, PairRow, ResultHead, ResultRecord, SiteHead};
use crate::store::{SitePages, Store, tokens};
use crate::types::{Lang, SiteId, host_of};

/// Sites → keys and pairs.
pub struct Keys;

/// Pages worked on at once, at the most, unless one site has more.
const GROUP_PAGES: u64 = 200_000;

impl Stage for Keys {
    fn name(&self) -> &'static str {
        "keys"
    }

    fn version(&self) -> u32 {
        3
    }

    fn settings(&self, config: &Config) -> String {
        format!("{:?}", config.keys)
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let stale = self.stale_sites(store, config)?.len();
        let record = store.stage(self.name())?;
        Ok(match (stale, record.finished) {
            (0, true) => String::new(),
            (0, false) if store.site_count()? == 0 => String::new(),
            (0, false) => "weak keys to rescue".into(),
            (stale, _) => format!("{stale} sites to do"),
        })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let stale = self.stale_sites(store, context.config)?;
        let record = store.stage(self.name())?;
        if stale.is_empty() && record.finished && record.fingerprint == fingerprint(self, context.config) {
            return Ok(());
        }
        begin(self, store, context.config)?;
        let nothing = |site| (site, BTreeSet::new());
        self.discover(store, context, stale.into_iter().map(nothing).collect(), false)?;
        if context.config.keys.rescue_above.is_some() {
            let rescue = self.sites_to_rescue(store, context)?;
            self.discover(store, context, rescue, true)?;
        }
        finish(self, store, context.config)
    }
}

impl Keys {
    /// Sites whose results are missing, or were made from other pages or settings.
    fn stale_sites(&self, store: &Store, config: &Config) -> Result<Vec<SiteId>> {
        let params = fingerprint(self, config);
        let mut stale = Vec::new();
        for site in (0..store.site_count()?).map(SiteId) {
            let generation = store.site(site)?.map_or(0, |head| head.generation);
            let head = store.result_head(site)?.unwrap_or_default();
            if (head.generation, head.params) != (generation, params) {
                stale.push(site);
            }
        }
        Ok(stale)
    }

    /// Discovers keys in the given sites, looking besides for the given patterns, and commits group by group.
    fn discover(
        &self,
        store: &mut Store,
        context: &Context<'_>,
        sites: Vec<(SiteId, BTreeSet<String>)>,
        second_pass: bool,
    ) -> Result<()> {
        let what = if second_pass { "weak keys that are credible elsewhere" } else { "keys of each site" };
        context.observer.begin(self.name(), what, "sites", Some(sites.len() as u64));
        let folder = store.temporary()?;
        let params = fingerprint(self, context.config);
        let mut done = 0;
        let mut sites = sites.into_iter().peekable();
        while sites.peek().is_some() {
            let mut group = Vec::new();
            for (site, considered) in next_group(store, &mut sites, GROUP_PAGES, |task| task.0)? {
                let head = store.site(site)?.unwrap_or_default();
                let alone = if second_pass { found_alone(store, site)? } else { None };
                group.push(Task { site, pages: store.site_pages(&head)?, head, considered, alone });
            }
            let work = |task: &Task| task.run(context.config, params, &folder);
            let results: Vec<Result<ResultRecord>> = group.par_iter().map(work).collect();
            done += group.len() as u64;
            drop(group);
            self.commit(store, results)?;
            store.sites.unmap();
            store.results.unmap();
            context.observer.progress(done, "");
            context.check_stop()?;
        }
        Ok(())
    }

    fn commit(&self, store: &mut Store, results: Vec<Result<ResultRecord>>) -> Result<()> {
        let mut changes = Changes::default();
        let mut deltas: BTreeMap<String, (i128, i64)> = BTreeMap::new();
        for result in results {
            let result = result?;
            let site = SiteId(result.site);
            if let Some(old) = store.result(site)? {
                for alone in old.alone.iter() {
                    let delta = deltas.entry(alone.0.to_string()).or_default();
                    *delta = (delta.0 - i128::from(alone.1.to_native()), delta.1 - 1);
                }
            }
            for (pattern, sum, _) in &result.alone {
                let delta = deltas.entry(pattern.clone()).or_default();
                *delta = (delta.0 + i128::from(*sum), delta.1 + 1);
            }
            let head = ResultHead {
                record: store.results.append(&result)?.0,
                generation: result.generation,
                params: result.params,
                considered: hash_of(result.considered.iter()),
                pairs: result.pairs.len() as u64,
            };
            changes.put(Table::Result, &site.0.to_be_bytes(), &head);
        }
        for (pattern, (sum, sites)) in deltas.into_iter().filter(|(_, delta)| *delta != (0, 0)) {
            let mut known = store.credibility(&pattern)?;
            known.sum = GlobalSum::try_from(i128::from(known.sum) + sum).unwrap_or(0);
            known.sites = u32::try_from(i64::from(known.sites) + sites).unwrap_or(0);
            if known.sites == 0 {
                changes.remove(Table::Credibility, pattern.as_bytes());
            } else {
                changes.put(Table::Credibility, pattern.as_bytes(), &known);
            }
        }
        store.commit(changes)
    }

    /// The sites where patterns that are credible across sites may match more than was found, and those patterns; and
    /// the sites where patterns were looked for that are no longer credible.
    fn sites_to_rescue(&self, store: &Store, context: &Context<'_>) -> Result<Vec<(SiteId, BTreeSet<String>)>> {
        let least = context.config.keys.rescue_above.unwrap_or(f64::INFINITY);
        let mut credible: BTreeMap<String, GlobalSum> = BTreeMap::new();
        store.catalog().for_each(Table::Credibility, |pattern, known: crate::store::layout::Credibility| {
            if credibility::global(known.sum) > least {
                credible.insert(String::from_utf8_lossy(pattern).into_owned(), known.sum);
            }
            Ok(())
        })?;
        let mut wanted: BTreeMap<SiteId, BTreeSet<String>> = BTreeMap::new();
        for pattern in credible.keys() {
            let mut sites: Option<roaring::RoaringBitmap> = None;
            for text in keys::texts_of_pattern(pattern) {
                let with = tokens::sites_with(store.catalog(), &text)?;
                sites = Some(sites.map_or(with.clone(), |sites| sites & with));
            }
            // Cores are no tokens: any site may have them.
            let sites = sites.unwrap_or_else(|| (0..store.site_count().unwrap_or(0)).collect());
            for site in sites.iter().map(SiteId) {
                wanted.entry(site).or_default().insert(pattern.clone());
            }
        }
        let mut tasks = Vec::new();
        for site in (0..store.site_count()?).map(SiteId) {
            let head = store.result_head(site)?.unwrap_or_default();
            let mut patterns = wanted.remove(&site).unwrap_or_default();
            if patterns.is_empty() && head.considered == 0 {
                continue;
            }
            if let Some(result) = store.result(site)? {
                let by_others = |pattern: &str, own: GlobalSum| {
                    let sum = credible.get(pattern).copied().unwrap_or(0);
                    !context.config.keys.rescue_by_others || credibility::global(sum.saturating_sub(own)) > least
                };
                for alone in result.alone.iter() {
                    if alone.2 || !by_others(alone.0.as_str(), alone.1.to_native()) {
                        patterns.remove(alone.0.as_str());
                    }
                }
            }
            if hash_of(patterns.iter()) != head.considered {
                tasks.push((site, patterns));
            }
        }
        Ok(tasks)
    }
}

fn hash_of<'s>(patterns: impl Iterator<Item = &'s String>) -> u64 {
    patterns.fold(0, |hash, pattern| xxh3_64(format!("{hash} {pattern}").as_bytes()) | 1)
}

struct Task {
    site: SiteId,
    head: SiteHead,
    pages: SitePages,
    considered: BTreeSet<String>,
    /// What was found without help from other sites, in the second pass.
    alone: Option<Vec<(String, u64, bool)>>,
}

impl Task {
    fn run(&self, config: &Config, params: u64, folder: &Path) -> Result<ResultRecord> {
        let rescue: FxHashSet<String> = self.considered.iter().cloned().collect();
        let found = keys::discover(&self.pages, &config.keys, &rescue, folder)?;
        let settled = (0..self.pages.count()).filter_map(|page| {
            let lang = found.lang(page).unwrap_or(Lang::UNKNOWN);
            (lang != self.pages.detected(page)).then_some((page, lang.to_bytes()))
        });
        Ok(ResultRecord {
            site: self.site.0,
            generation: self.head.generation,
            params,
            considered: self.considered.iter().cloned().collect(),
            settled: settled.collect(),
            alone: self.alone.clone().unwrap_or_else(|| of_keys(&found.keys, config)),
            hosts: self.hosts(&found, config),
            keys: found.keys.iter().map(|key| key_row(key, config)).collect(),
            pairs: found.pairs.iter().map(|pair| PairRow { a: pair.a, b: pair.b, key: pair.key }).collect(),
            copies: found.copies,
        })
    }

    fn hosts(&self, found: &Discovery, config: &Config) -> Vec<HostRow> {
        let ranges = keys::host_ranges(&self.pages);
        let range_of = |page: u32| ranges.partition_point(|range| range.end <= page);
        let mut rows: Vec<HostRow> = ranges
            .iter()
            .map(|range| {
                let mut langs: BTreeMap<Lang, u32> = BTreeMap::new();
                for page in range.clone() {
                    *langs.entry(found.lang(page).unwrap_or(Lang::UNKNOWN)).or_default() += 1;
                }
                HostRow {
                    host: host_of(self.pages.identity(range.start)).to_owned(),
                    pages: range.end - range.start,
                    pairs: 0,
                    credibility: 0.0,
                    langs: langs.into_iter().map(|(lang, pages)| (lang.to_bytes(), pages)).collect(),
                }
            })
            .collect();
        for pair in &found.pairs {
            let credibility = found.keys[pair.key as usize].evidence.credibility(&config.keys);
            let (a, b) = (range_of(pair.a), range_of(pair.b));
            for host in [Some(a), Some(b).filter(|b| *b != a)].into_iter().flatten() {
                rows[host].pairs += 1;
                rows[host].credibility = rows[host].credibility.max(credibility);
            }
        }
        rows
    }
}

/// What each pattern of a site adds to its global credibility, and whether it is strong there.
fn of_keys(found: &[FoundKey], config: &Config) -> Vec<(String, u64, bool)> {
    let mut sums: BTreeMap<String, (u64, bool)> = BTreeMap::new();
    for key in found {
        let sum = sums.entry(key.key.pattern()).or_default();
        sum.0 += credibility::contribution(&key.evidence, &config.keys);
        sum.1 |= key.state != State::Weak;
    }
    sums.into_iter().map(|(pattern, (sum, strong))| (pattern, sum, strong)).collect()
}

fn found_alone(store: &Store, site: SiteId) -> Result<Option<Vec<(String, u64, bool)>>> {
    let rows = |result: crate::store::records::Mapped<ResultRecord>| {
        result.alone.iter().map(|alone| (alone.0.to_string(), alone.1.to_native(), alone.2)).collect()
    };
    Ok(store.result(site)?.map(rows))
}

fn key_row(found: &FoundKey, config: &Config) -> KeyRow {
    KeyRow {
        scope_start: found.scope.start,
        scope_end: found.scope.end,
        power: found.evidence.power,
        site_pages: found.evidence.site_pages(&config.keys),
        credibility: found.evidence.credibility(&config.keys),
        taken: found.taken,
        state: found.state as u8,
        ..KeyRow::new(&found.key)
    }
}
