//! Finds keys and pairs in sites, in two passes: first in every site by itself, then with what other sites show: weak keys that are credible across
//! sites, and the letters of languages that no list of words tells. Unit of work: one site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::groups::{begin, finish, next_group};
use crate::config::Config;
use crate::error::Result;
use crate::keys::hosts::{self, HostSummary};
use crate::keys::{self, FoundKey, GlobalSum, credibility, rescue};
use crate::language::profiles::{Line, Profiles};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::query::languages::{self, learnt_languages, taught_key};
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::{Credibility, HostRow, KeyRow, PairRow, ResultHead, ResultRecord, SiteHead, Taught};
use crate::store::records::Mapped;
use crate::store::{SitePages, Store, tokens};
use crate::types::{SiteId, counted};
use crate::upkeep;

/// The stage that finds keys and pairs.
pub struct Keys;

/// Pages that are worked on together, at most, unless one site has more.
const GROUP_PAGES: u64 = 200_000;

impl Stage for Keys {
    fn name(&self) -> &'static str {
        "keys"
    }

    fn version(&self) -> u32 {
        10
    }

    fn sections(&self) -> &'static [&'static str] {
        &["keys"]
    }

    fn tables(&self) -> &'static [Keyspace] {
        &[Keyspace::Result, Keyspace::Credibility, Keyspace::Taught]
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let stale = self.stale_sites(store, config)?.len();
        let record = store.stage(self.name())?;
        Ok(match (stale, record.finished) {
            (0, true) => String::new(),
            (0, false) if store.site_count()? == 0 => String::new(),
            (0, false) => "what other sites show".into(),
            (stale, _) => counted(stale as u64, "site") + " to do",
        })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let stale = self.stale_sites(store, context.config)?;
        let record = store.stage(self.name())?;
        if stale.is_empty() && record.finished && record.fingerprint == fingerprint(self, context.config) {
            return Ok(());
        }
        self.first_pass(store, context)?;
        self.second_pass(store, context)
    }
}

impl Keys {
    /// Finds the keys of each site by itself.
    ///
    /// # Errors
    /// As [`Stage::run`].
    pub(crate) fn first_pass(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let stale = self.stale_sites(store, context.config)?;
        begin(self, store, context.config)?;
        let nothing = |site| (site, BTreeSet::new());
        let alone = Elsewhere { profiles: context.config.keys.given_profiles()?, languages: 0, is_searched: false };
        self.discover(store, context, stale.into_iter().map(nothing).collect(), &alone)
    }

    /// Searches again where weak keys may be rescued, because their patterns are credible across sites, and where languages are guesses that
    /// the letters of texts on other sites may change.
    ///
    /// # Errors
    /// As [`Stage::run`].
    pub(crate) fn second_pass(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let params = &context.config.keys;
        let mut again = BTreeMap::new();
        if params.rescue_above.is_some() {
            upkeep::complete_tokens(store, || context.check_stop())?;
            again = self.sites_to_rescue(store, context)?.into_iter().collect();
        }
        let elsewhere = Elsewhere::of(store, context.config)?;
        for site in (0..store.site_count()?).map(SiteId) {
            let head = store.result_head(site)?.unwrap_or_default();
            if head.languages != elsewhere.languages_for(head.has_guesses)
                && !again.contains_key(&site)
                && let Some(result) = store.result(site)?
            {
                again.insert(site, result.considered.iter().map(|pattern| pattern.to_string()).collect());
            }
        }
        self.discover(store, context, again.into_iter().collect(), &elsewhere)?;
        finish(self, store, context.config)
    }

    /// Stores results for all sites that were found elsewhere; an error is one of the store.
    #[cfg(feature = "exec")]
    pub(crate) fn import(&self, store: &mut Store, config: &Config, found: Vec<ResultRecord>) -> Result<()> {
        let found =
            found.into_iter().map(|record| Ok(Found { record, taught: None, languages: 0, has_guesses: false }));
        self.commit(store, found.collect())?;
        finish(self, store, config)
    }

    /// Sites whose results are missing, or were made from other pages or with other settings.
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

    /// Searches the given sites for keys, each also for the given patterns, and commits group by group.
    fn discover(
        &self,
        store: &mut Store,
        context: &Context<'_>,
        sites: Vec<(SiteId, BTreeSet<String>)>,
        elsewhere: &Elsewhere,
    ) -> Result<()> {
        let what = if elsewhere.is_searched { "keys and languages that others show" } else { "keys of each site" };
        context.observer.begin(self.name(), what, "sites", Some(sites.len() as u64));
        let folder = store.temporary()?;
        let params = fingerprint(self, context.config);
        let done = AtomicU64::new(0);
        let mut sites = sites.into_iter().peekable();
        while sites.peek().is_some() {
            let mut group = Vec::new();
            for (site, considered) in next_group(store, &mut sites, GROUP_PAGES, |task| task.0)? {
                let head = store.site(site)?.unwrap_or_default();
                let alone = if elsewhere.is_searched { Alone::of(store, site)? } else { None };
                let links = store.site_links(site, head.generation)?;
                let pages = store.site_pages(&head)?.with_canonical(links.as_ref());
                group.push(Task { site, pages, head, considered, alone });
            }
            let work = |task: &Task| {
                let found = task.run(context, params, elsewhere, &folder);
                context.observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, "");
                found
            };
            let results: Vec<Result<Found>> = group.par_iter().map(work).collect();
            drop(group);
            self.commit(store, results)?;
            store.sites.unmap();
            store.graphs.unmap();
            store.results.unmap();
            context.check_stop()?;
        }
        Ok(())
    }

    fn commit(&self, store: &mut Store, results: Vec<Result<Found>>) -> Result<()> {
        let mut changes = Changes::default();
        let mut sums = rescue::Changes::default();
        for result in results {
            let Found { record: result, taught, languages, has_guesses } = result?;
            let site = SiteId(result.site);
            if let Some(old) = store.result(site)? {
                old.alone.iter().for_each(|alone| sums.take_back(alone.0.as_str(), alone.1.to_native()));
                for shown in old.taught.iter().filter(|_| taught.is_some()) {
                    changes.remove(Keyspace::Taught, &taught_key(shown.0, shown.1.to_native()));
                }
            }
            for (&(lang, domain), line) in result.taught.iter().zip(taught.iter().flatten()) {
                let letters = Taught { letters: line.letters.counts().to_vec() };
                changes.put(Keyspace::Taught, &taught_key(lang, domain), &letters);
            }
            result.alone.iter().for_each(|(pattern, sum, _)| sums.add(pattern, *sum));
            let head = ResultHead {
                record: store.results.append(&result)?.0,
                generation: result.generation,
                params: result.params,
                considered: rescue::hash_of(&result.considered),
                pairs: result.pairs.len() as u64,
                languages,
                has_guesses,
            };
            changes.put(Keyspace::Result, &site.0.to_be_bytes(), &head);
        }
        let known = |pattern: &str| store.credibility(pattern).map(|known| (known.sum, known.sites));
        sums.for_each(known, |pattern, sum, sites| {
            if sites == 0 {
                changes.remove(Keyspace::Credibility, pattern.as_bytes());
            } else {
                changes.put(Keyspace::Credibility, pattern.as_bytes(), &Credibility { sum, sites });
            }
            Ok(())
        })?;
        store.commit(changes)
    }

    /// The sites where weak keys may be rescued, and the patterns to search for there.
    fn sites_to_rescue(&self, store: &Store, context: &Context<'_>) -> Result<Vec<(SiteId, BTreeSet<String>)>> {
        let params = &context.config.keys;
        let mut credible: BTreeMap<String, GlobalSum> = BTreeMap::new();
        store.catalog().for_each(Keyspace::Credibility, |pattern, known: Credibility| {
            if params.rescue_above.is_some_and(|min| credibility::global(known.sum) > min) {
                credible.insert(String::from_utf8_lossy(pattern).into_owned(), known.sum);
            }
            Ok(())
        })?;
        rescue::tasks(&credible, &Results(store), params)
    }
}

/// The results of all sites.
struct Results<'s>(&'s Store);

impl rescue::Sites for Results<'_> {
    fn count(&self) -> Result<u32> {
        self.0.site_count()
    }

    fn with_token(&self, token: &str) -> Result<RoaringBitmap> {
        tokens::sites_with(self.0.catalog(), token)
    }

    fn considered(&self, site: SiteId) -> Result<u64> {
        Ok(self.0.result_head(site)?.unwrap_or_default().considered)
    }

    fn for_each_contribution(&self, site: SiteId, each: &mut dyn FnMut(&str, GlobalSum, bool)) -> Result<()> {
        if let Some(result) = self.0.result(site)? {
            result.alone.iter().for_each(|alone| each(alone.0.as_str(), alone.1.to_native(), alone.2));
        }
        Ok(())
    }
}

struct Task {
    site: SiteId,
    head: SiteHead,
    pages: SitePages,
    considered: BTreeSet<String>,
    /// In the second pass, what the site has found by itself in the first.
    alone: Option<Alone>,
}

/// What was found in a site.
struct Found {
    record: ResultRecord,
    /// What the site shows of languages; `None` where that is known already.
    taught: Option<Vec<Line>>,
    /// See [`ResultHead`].
    languages: u64,
    has_guesses: bool,
}

/// What a site has found by itself: what it adds to global credibility, and the languages that it shows.
struct Alone {
    patterns: Vec<(String, u64, bool)>,
    taught: Vec<([u8; 8], u64)>,
}

impl Alone {
    fn of(store: &Store, site: SiteId) -> Result<Option<Alone>> {
        let row = |alone: &rkyv::Archived<(String, u64, bool)>| (alone.0.to_string(), alone.1.to_native(), alone.2);
        let of = |result: Mapped<ResultRecord>| Alone {
            patterns: result.alone.iter().map(row).collect(),
            taught: result.taught.iter().map(|shown| (shown.0, shown.1.to_native())).collect(),
        };
        Ok(store.result(site)?.map(of))
    }
}

/// What is known of languages when sites are searched.
struct Elsewhere {
    profiles: Profiles,
    /// A hash of what other sites show of them.
    languages: u64,
    /// True in the second pass.
    is_searched: bool,
}

impl Elsewhere {
    fn of(store: &Store, config: &Config) -> Result<Elsewhere> {
        let given = config.keys.given_profiles()?;
        let learnt = if config.keys.names_languages() { learnt_languages(store, &given)? } else { Vec::new() };
        let profiles = given.with(learnt.iter().map(|learnt| &learnt.line));
        Ok(Elsewhere { profiles, languages: languages::hash_of(&learnt), is_searched: true })
    }

    /// The hash of what is asked about the languages of a site.
    fn languages_for(&self, has_guesses: bool) -> u64 {
        if has_guesses { self.languages } else { 0 }
    }
}

impl Task {
    fn run(&self, context: &Context<'_>, params: u64, elsewhere: &Elsewhere, folder: &Path) -> Result<Found> {
        let config = context.config;
        let rescue: FxHashSet<String> = self.considered.iter().cloned().collect();
        let known = keys::Elsewhere { rescue: &rescue, profiles: &elsewhere.profiles };
        let mut found = keys::discover(&self.pages, &config.keys, known, folder, context)?;
        let taught = self.alone.is_none().then(|| std::mem::take(&mut found.taught));
        let domain = xxh3_64(self.head.domain.as_bytes());
        let shown = |lines: &Vec<Line>| lines.iter().map(|line| (line.lang.to_bytes(), domain)).collect();
        let alone = self.alone.as_ref();
        let record = ResultRecord {
            site: self.site.0,
            generation: self.head.generation,
            params,
            considered: self.considered.iter().cloned().collect(),
            relabelled: found.relabelled(&self.pages).map(|(page, lang)| (page, lang.to_bytes())).collect(),
            alone: alone.map_or_else(|| contributions(&found.keys, config), |alone| alone.patterns.clone()),
            taught: taught.as_ref().map(shown).or_else(|| Some(alone?.taught.clone())).unwrap_or_default(),
            hosts: hosts::summaries(&self.pages, &found, &config.keys).into_iter().map(host_row).collect(),
            keys: found.keys.iter().map(|key| key_row(key, config)).collect(),
            pairs: found.pairs.iter().map(|pair| PairRow { a: pair.a, b: pair.b, key: pair.key }).collect(),
            copies: found.copies,
        };
        Ok(Found {
            record,
            taught,
            languages: elsewhere.languages_for(found.has_guesses),
            has_guesses: found.has_guesses,
        })
    }
}

fn host_row(summary: HostSummary) -> HostRow {
    HostRow {
        host: summary.host,
        pages: summary.pages,
        pairs: summary.pairs,
        credibility: summary.credibility,
        langs: summary.langs.into_iter().map(|(lang, pages)| (lang.to_bytes(), pages)).collect(),
    }
}

fn contributions(keys: &[FoundKey], config: &Config) -> Vec<(String, u64, bool)> {
    let found = rescue::contributions(keys, &config.keys).into_iter();
    found.map(|added| (added.pattern, added.sum, added.is_strong)).collect()
}

fn key_row(found: &FoundKey, config: &Config) -> KeyRow {
    KeyRow {
        scope_start: found.scope.start,
        scope_end: found.scope.end,
        power: found.evidence.power,
        site_pages: found.evidence.site_pages(&config.keys),
        credibility: found.evidence.credibility(&config.keys),
        assigned: found.assigned,
        state: found.state as u8,
        ..KeyRow::new(&found.key)
    }
}
