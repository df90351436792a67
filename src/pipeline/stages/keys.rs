//! Finds keys and pairs in sites, in two passes: first in every site by itself, then with what other sites show: weak keys that are credible across
//! sites, and the letters of languages that no list of words tells. Unit of work: one site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;

use super::groups::{Groups, SiteTasks, begin, do_groups, finish};
use crate::config::Config;
use crate::error::Result;
use crate::keys::hosts::{self, HostSummary};
use crate::keys::{self, FoundKey, GlobalSum, credibility, rescue};
use crate::language::profiles::{Line, Profiles};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::site::languages::{self, Shown};
use crate::store::catalog::Changes;
use crate::store::layout::{
    ArchivedResultRecord, Credibility, HostRow, KeyRow, PairRow, ResultHead, ResultRecord, Taught,
};
use crate::store::records::RecordRef;
use crate::store::{Results, Store, TaughtKey};
use crate::types::{Lang, SiteId, counted};
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
        21
    }

    fn sections(&self) -> &'static [&'static str] {
        &["keys"]
    }

    fn results(&self) -> Results {
        Results::Keys
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
        let shown = languages::shown(store)?;
        self.second_pass(store, context, shown)
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
        let nothing = |site| (site, Some(BTreeSet::new()));
        let alone = Elsewhere { profiles: context.config.keys.given_profiles()?, languages: 0, is_searched: false };
        self.discover(store, context, stale.into_iter().map(nothing).collect(), &alone)
    }

    /// Searches again where weak keys may be rescued, because their patterns are credible across sites, and where languages are guesses that
    /// the letters of texts on other sites may change: `shown` is what all sites show.
    ///
    /// # Errors
    /// As [`Stage::run`].
    pub(crate) fn second_pass(&self, store: &mut Store, context: &Context<'_>, shown: Shown) -> Result<()> {
        let params = &context.config.keys;
        let mut again: BTreeMap<SiteId, Option<BTreeSet<String>>> = BTreeMap::new();
        if params.rescue_above.is_some() {
            upkeep::complete_tokens(store, || context.check_stop())?;
            let rescue = self.sites_to_rescue(store, context)?;
            again = rescue.into_iter().map(|(site, patterns)| (site, Some(patterns))).collect();
        }
        let elsewhere = Elsewhere::of(shown, context.config)?;
        for site in (0..store.site_count()?).map(SiteId) {
            let head = store.result_head(site)?.unwrap_or_default();
            if head.languages != elsewhere.languages_for(head.is_asked) {
                again.entry(site).or_default();
            }
        }
        self.discover(store, context, again.into_iter().collect(), &elsewhere)?;
        finish(self, store, context.config)
    }

    /// Stores results that were found elsewhere, for all sites; an error is one of the store.
    #[cfg(feature = "exec")]
    pub(crate) fn import(&self, store: &mut Store, config: &Config, found: Vec<ResultRecord>) -> Result<()> {
        let found = found.into_iter().map(|record| Found {
            params: record.params,
            record,
            taught: None,
            languages: 0,
            is_asked: false,
        });
        self.commit(store, found.collect())?;
        finish(self, store, config)
    }

    /// Sites whose results are missing, or were made from other pages or with other settings.
    fn stale_sites(&self, store: &Store, config: &Config) -> Result<Vec<SiteId>> {
        let params = fingerprint(self, config);
        let mut stale = Vec::new();
        for site in (0..store.site_count()?).map(SiteId) {
            let of_site = store.site(site)?.unwrap_or_default();
            let head = store.result_head(site)?.unwrap_or_default();
            let params = params ^ store.corrections_of(&of_site)?.hash_of_keys();
            if (head.generation, head.params) != (of_site.generation, params) {
                stale.push(site);
            }
        }
        Ok(stale)
    }

    /// Searches the given sites for keys and commits group by group. Each site is also searched for the given patterns, or, without any,
    /// for those of the last time.
    fn discover(
        &self,
        store: &mut Store,
        context: &Context<'_>,
        sites: Vec<(SiteId, Option<BTreeSet<String>>)>,
        elsewhere: &Elsewhere,
    ) -> Result<()> {
        let what = if elsewhere.is_searched { "keys and languages that others show" } else { "keys of each site" };
        context.observer.begin(self.name(), what, "sites", Some(sites.len() as u64));
        let folder = store.temporary()?;
        let params = fingerprint(self, context.config);
        let sites = SiteTasks::new(sites, GROUP_PAGES);
        let done = AtomicU64::new(0);
        do_groups(&mut Discovering { stage: self, sites, context, params, elsewhere, folder, done }, store, context)
    }

    fn commit(&self, store: &mut Store, results: Vec<Found>) -> Result<()> {
        let mut changes = Changes::default();
        let mut sums = rescue::Changes::default();
        for result in results {
            let Found { record: result, params, taught, languages, is_asked } = result;
            let site = SiteId(result.site);
            let old = store.result(site)?;
            if let Some(old) = &old {
                old.contributions().for_each(|(pattern, sum, _)| sums.take_back(pattern, sum));
            }
            if let Some(taught) = taught {
                for (lang, witness) in old.iter().flat_map(|old| old.shown()) {
                    changes.remove_taught(TaughtKey { lang: Lang::from_bytes(lang), witness, site });
                }
                for (&(lang, witness), line) in result.taught.iter().zip(&taught) {
                    let letters = Taught { letters: line.letters.counts().to_vec() };
                    changes.put_taught(TaughtKey { lang: Lang::from_bytes(lang), witness, site }, &letters);
                }
            }
            result.alone.iter().for_each(|(pattern, sum, _)| sums.add(pattern, *sum));
            // A result that equals the old one is not stored again, so that what later stages made from it stays fresh.
            let before = store.result_head(site)?.filter(|_| old.is_some()).map(|head| RecordRef(head.record));
            let head = ResultHead {
                record: store.results.append_if_new(&result, before)?.0,
                generation: result.generation,
                params,
                considered: rescue::hash_of(&result.considered),
                pairs: result.pairs.len() as u64,
                languages,
                is_asked,
            };
            changes.put_result(site, &head);
        }
        let known = |pattern: &str| store.credibility(pattern).map(|known| (known.sum, known.sites));
        sums.for_each(known, |pattern, sum, sites| {
            changes.put_credibility(pattern, &Credibility { sum, sites });
            Ok(())
        })?;
        store.commit(changes)
    }

    /// The sites where weak keys may be rescued, and the patterns to search for there.
    fn sites_to_rescue(&self, store: &Store, context: &Context<'_>) -> Result<Vec<(SiteId, BTreeSet<String>)>> {
        let params = &context.config.keys;
        let mut credible: BTreeMap<String, GlobalSum> = BTreeMap::new();
        store.for_each_pattern(|pattern, known| {
            if params.rescue_above.is_some_and(|min| credibility::global(known.sum) > min) {
                credible.insert(pattern, known.sum);
            }
        })?;
        rescue::tasks(&credible, &AllSites(store), params)
    }
}

/// The results of all sites.
struct AllSites<'s>(&'s Store);

impl rescue::Sites for AllSites<'_> {
    fn count(&self) -> Result<u32> {
        self.0.site_count()
    }

    fn with_token(&self, token: &str) -> Result<RoaringBitmap> {
        self.0.sites_with_token(token)
    }

    fn considered(&self, site: SiteId) -> Result<u64> {
        Ok(self.0.result_head(site)?.unwrap_or_default().considered)
    }

    fn for_each_contribution(&self, site: SiteId, each: &mut dyn FnMut(&str, GlobalSum, bool)) -> Result<()> {
        if let Some(result) = self.0.result(site)? {
            result.contributions().for_each(|(pattern, sum, is_strong)| each(pattern, sum, is_strong));
        }
        Ok(())
    }
}

/// The sites that are searched.
struct Discovering<'d> {
    stage: &'d Keys,
    /// The sites, each with the patterns for which it is searched besides; `None`: those of the last time.
    sites: SiteTasks<(SiteId, Option<BTreeSet<String>>)>,
    context: &'d Context<'d>,
    params: u64,
    elsewhere: &'d Elsewhere,
    folder: PathBuf,
    done: AtomicU64,
}

impl Groups for Discovering<'_> {
    type Task = (SiteId, Option<BTreeSet<String>>);
    type Done = Found;

    fn next(&mut self, store: &Store) -> Result<Option<Vec<Self::Task>>> {
        self.sites.next(store, |task| task.0)
    }

    fn work(&self, store: &Store, (site, considered): &Self::Task) -> Result<Found> {
        let found = self.found(store, *site, considered.as_ref());
        self.context.observer.progress(self.done.fetch_add(1, Ordering::Relaxed) + 1, "");
        found
    }

    fn keep(&mut self, store: &mut Store, done: Vec<(Self::Task, Found)>) -> Result<()> {
        self.stage.commit(store, done.into_iter().map(|(_, found)| found).collect())
    }
}

/// What was found in a site.
struct Found {
    record: ResultRecord,
    /// The settings and the corrections of the site, as a hash.
    params: u64,
    /// What the site shows of languages; `None` where that is known already.
    taught: Option<Vec<Line>>,
    /// See [`ResultHead`].
    languages: u64,
    is_asked: bool,
}

/// What a site has found without help from others: what it adds to global credibility, and the languages that it shows.
struct Alone {
    patterns: Vec<(String, u64, bool)>,
    taught: Vec<([u8; 8], u64)>,
}

impl Alone {
    fn of(result: &ArchivedResultRecord) -> Alone {
        let owned = |(pattern, sum, is_strong): (&str, u64, bool)| (pattern.to_owned(), sum, is_strong);
        Alone { patterns: result.contributions().map(owned).collect(), taught: result.shown().collect() }
    }
}

/// What other sites have shown of languages when a site is searched.
struct Elsewhere {
    profiles: Profiles,
    /// A hash of what other sites show of them.
    languages: u64,
    /// True in the second pass.
    is_searched: bool,
}

impl Elsewhere {
    fn of(shown: Shown, config: &Config) -> Result<Elsewhere> {
        let learnt = languages::learnt(shown);
        let profiles = config.keys.given_profiles()?.with(learnt.iter().map(|learnt| &learnt.line));
        Ok(Elsewhere { profiles, languages: languages::hash_of(&learnt), is_searched: true })
    }

    /// The hash of what other sites show, if anything is asked about the languages of a site; otherwise 0.
    fn languages_for(&self, is_asked: bool) -> u64 {
        if is_asked { self.languages } else { 0 }
    }
}

impl Discovering<'_> {
    fn found(&self, store: &Store, site: SiteId, considered: Option<&BTreeSet<String>>) -> Result<Found> {
        let (config, elsewhere) = (self.context.config, self.elsewhere);
        let head = store.site(site)?.unwrap_or_default();
        let last = if elsewhere.is_searched { store.result(site)? } else { None };
        let considered: Vec<String> = match (considered, &last) {
            (Some(patterns), _) => patterns.iter().cloned().collect(),
            (None, Some(last)) => last.considered.iter().map(|pattern| pattern.to_string()).collect(),
            (None, None) => Vec::new(),
        };
        // In the second pass, what the site has found by itself in the first.
        let alone = last.map(|result| Alone::of(&result));
        let links = store.site_links(site, head.generation)?;
        let pages = store.site_pages(&head)?.with_canonical(links.as_ref());
        let rescue: FxHashSet<String> = considered.iter().cloned().collect();
        let corrections = store.corrections_on(&head, &pages);
        let known = keys::Elsewhere { rescue: &rescue, profiles: &elsewhere.profiles, corrections: &corrections };
        let mut found = keys::discover(&pages, &config.keys, known, &self.folder, self.context)?;
        let taught = alone.is_none().then(|| std::mem::take(&mut found.taught));
        let witness = languages::witness(&head.domain);
        let shown = |lines: &Vec<Line>| lines.iter().map(|line| (line.lang.to_bytes(), witness)).collect();
        let alone = alone.as_ref();
        let record = ResultRecord {
            site: site.0,
            generation: head.generation,
            params: self.params,
            considered,
            relabelled: found.relabelled(&pages).map(|(page, lang)| (page, lang.to_bytes())).collect(),
            alone: alone.map_or_else(|| contributions(&found.keys, config), |alone| alone.patterns.clone()),
            taught: taught.as_ref().map(shown).or_else(|| Some(alone?.taught.clone())).unwrap_or_default(),
            hosts: hosts::summaries(&pages, &found, &config.keys).into_iter().map(host_row).collect(),
            keys: found.keys.iter().map(|key| key_row(key, config)).collect(),
            pairs: found.pairs.iter().map(|pair| PairRow { a: pair.a, b: pair.b, key: pair.key }).collect(),
            copies: found.copies,
        };
        let params = self.params ^ corrections.hash_of_keys();
        Ok(Found {
            record,
            params,
            taught,
            languages: elsewhere.languages_for(found.is_asked),
            is_asked: found.is_asked,
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
        scope: found.scope.ranges().map(|range| (range.start, range.end)).collect(),
        power: found.evidence.power,
        site_pages: found.evidence.site_pages(&config.keys),
        credibility: found.evidence.credibility(&config.keys),
        assigned: found.assigned,
        state: found.state as u8,
        ..KeyRow::new(&found.key)
    }
}
