//! Makes verified pairs from keys and pages, in two passes: first models of language pairs are learnt, then every site is judged by itself.
//! Units of work: all language pairs that have changed, and a site.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::groups::{begin, finish};
use super::judged::{self, Stale};
use crate::config::{Config, Strategy};
use crate::error::{Error, Result};
use crate::judge::unique;
use crate::learn::{Learner, Models, Settings, Training, TrainingPair, TrainingPairs};
use crate::papers::{one_measure, webmining};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::propose::{impose, judge_direct, keys};
use crate::site::learnt::{learnt_record, training_places};
use crate::site::models;
use crate::site::open::OpenSite;
use crate::site::teaching::{for_each_teaching, order_of};
use crate::site::verdicts::{Verdicts, verdicts};
use crate::store::catalog::Changes;
use crate::store::layout::LearntHead;
use crate::store::{Judged, Results, SitePages, Store};
use crate::types::{JudgedSite, LangPair, SiteId, counted};
use crate::verify::verifier;

/// The stage that verifies the pairs of keys.
pub struct Verify;

impl Stage for Verify {
    fn name(&self) -> &'static str {
        "verify"
    }

    fn version(&self) -> u32 {
        29
    }

    fn sections(&self) -> &'static [&'static str] {
        &["verify", "judge", "learn", "method", "without_keys", "without_content", "lexicons", "verifier", "webmining"]
    }

    fn results(&self) -> Results {
        Results::Verified
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let record = store.stage(self.name())?;
        if record.fingerprint != fingerprint(self, config) || !record.finished {
            return Ok(if store.site_count()? == 0 { String::new() } else { "models to learn".into() });
        }
        let stale = stale_sites(self, store, config)?.len();
        Ok(if stale == 0 { String::new() } else { counted(stale as u64, "site") + " to do" })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        if self.remaining(store, context.config)?.is_empty() {
            return Ok(());
        }
        if context.config.verifies() && context.config.learns() {
            begin(self, store, context.config)?;
            self.learn(store, context)?;
        }
        self.judge(store, context)
    }
}

impl Verify {
    /// Judges the pairs of all sites with what is known of their languages, wherever that was learnt.
    ///
    /// # Errors
    /// As [`Stage::run`].
    pub(crate) fn judge(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        begin(self, store, context.config)?;
        if !context.config.verifies() {
            return finish(self, store, context.config);
        }
        let models = models::for_judging(store, context.config)?;
        let stale = stale_sites(self, store, context.config)?;
        let work = |store: &Store, id| verify(store, context, &models, id);
        judged::judge_sites((self, "pairs of each site"), store, context, (Judged::Verified, stale), work)?;
        finish(self, store, context.config)
    }

    /// Learns the language pairs whose training pairs have changed, and removes those that have too few.
    fn learn(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let config = context.config;
        let mut by_langs = training_pairs(store, config)?;
        store.keep_learnt(by_langs.keys().copied())?;
        let mut inputs = BTreeMap::new();
        let verdicts = verdicts(store, config.judge.fit.min_verdicts)?;
        for (&langs, pairs) in &by_langs {
            let wanted = inputs_of(pairs, store, fingerprint(self, config))? ^ verdicts.hash_of(langs);
            if store.learnt_head(langs)?.is_none_or(|head| head.inputs != wanted) {
                inputs.insert(langs, wanted);
            }
        }
        by_langs.retain(|langs, _| inputs.contains_key(langs));
        if by_langs.is_empty() {
            return Ok(());
        }
        let sites = by_site(store, &by_langs, config.learn.tested_pairs)?;
        // What only some of the sites have taught cannot be stored, so progress counts language pairs.
        context.observer.begin(self.name(), "learning language pairs", "language pairs", Some(by_langs.len() as u64));
        let mut learner = Learner::new(Settings { learn: &config.learn, fit: &config.judge.fit });
        let teaching = sites.len() as u64;
        for ((id, pairs), done) in sites.into_values().zip(1..) {
            if let Some(site) = OpenSite::open(store, id)? {
                learner.add_site(&site.view(config).watched(context), pairs)?;
            }
            store.unmap();
            context.observer.step("sites that teach", done, teaching);
            context.check_stop()?;
        }
        add_verdicts(store, config, &verdicts, by_langs.keys().copied(), &mut learner)?;
        let mut changes = Changes::default();
        for (langs, learnt) in learner.finish(&config.verify, config.without_content) {
            let record = learnt_record(langs, inputs[&langs], learnt, training_places(store, &by_langs[&langs])?);
            let head = LearntHead { record: store.learnt.append_packed(&record)?.0, inputs: inputs[&langs] };
            changes.put_learnt(langs, &head);
        }
        store.commit(changes)?;
        context.observer.progress(by_langs.len() as u64, "");
        context.check_stop()
    }
}

type ByLangs = BTreeMap<LangPair, Vec<TrainingPair>>;

/// The training pairs of each site, by the hash of its domain, which is the order in which sites teach.
type BySite = BTreeMap<u64, (SiteId, BTreeMap<LangPair, Vec<Training>>)>;

fn by_site(store: &Store, by_langs: &ByLangs, tested_pairs: usize) -> Result<BySite> {
    let mut sites = BySite::new();
    let mut domains: FxHashMap<SiteId, u64> = FxHashMap::default();
    for (&langs, pairs) in by_langs {
        for (pair, place) in pairs.iter().zip(0..) {
            let domain = match domains.entry(pair.site) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(order_of(store, pair.site)?),
            };
            let training = Training { pages: (pair.a, pair.b), key: pair.key, is_tested: place < tested_pairs };
            let of_site = &mut sites.entry(domain).or_insert_with(|| (pair.site, BTreeMap::new())).1;
            of_site.entry(langs).or_default().push(training);
        }
    }
    Ok(sites)
}

/// Adds what reviewers said of pairs whose pages still count for the same languages.
fn add_verdicts(
    store: &Store,
    config: &Config,
    verdicts: &Verdicts,
    langs: impl Iterator<Item = LangPair>,
    learner: &mut Learner<'_>,
) -> Result<()> {
    for (domain, by_langs) in verdicts.by_domain(langs) {
        let Some(site) = store.site_of_domain(&domain)?.map_or(Ok(None), |id| OpenSite::open(store, id))? else {
            continue;
        };
        let view = site.view(config);
        for (langs, judged) in by_langs {
            let pair = |([a, b], is_right): ([String; 2], bool)| {
                let pair = view.ordered(site.pages.find(&a)?, site.pages.find(&b)?)?;
                (pair.langs == langs).then_some(((pair.a, pair.b), is_right))
            };
            learner.add_verdicts(&view, langs, &judged.into_iter().filter_map(pair).collect::<Vec<_>>())?;
        }
        store.unmap();
    }
    Ok(())
}

/// The training pairs of language pairs, from as many sites with keys as are needed.
fn training_pairs(store: &Store, config: &Config) -> Result<ByLangs> {
    let mut pairs = TrainingPairs::new(&config.learn);
    for_each_teaching(store, config, &mut pairs, |_| Ok(()))?;
    Ok(pairs.finish(config.learn.min_pairs))
}

/// Hash of everything from which a language pair is learnt, and of the settings.
fn inputs_of(pairs: &[TrainingPair], store: &Store, fingerprint: u64) -> Result<u64> {
    let mut hasher = Xxh3::new();
    hasher.update(&fingerprint.to_le_bytes());
    let mut pages: FxHashMap<SiteId, SitePages> = FxHashMap::default();
    for TrainingPair { hash, site, a, b, .. } in pairs {
        hasher.update(&hash.to_le_bytes());
        if !pages.contains_key(site) {
            let head = store.site(*site)?.unwrap_or_default();
            pages.insert(*site, store.site_pages(&head)?);
            // Near misses and the weights of words are taken from all pages of the site.
            hasher.update(&head.generation.to_le_bytes());
            hasher.update(&store.result_head(*site)?.map_or(0, |head| head.record).to_le_bytes());
        }
        for page in [*a, *b] {
            let (chunk, at) = pages[site].chunk(page);
            hasher.update(&chunk.digest(at).to_le_bytes());
        }
    }
    Ok(hasher.digest())
}

/// Sites whose judged pairs are missing, or were made from other pages, keys or models, or with other settings.
fn stale_sites(stage: &dyn Stage, store: &Store, config: &Config) -> Result<Vec<Stale>> {
    let mut stale = Vec::new();
    if !config.verifies() {
        return Ok(stale);
    }
    let params = fingerprint(stage, config);
    let verdicts = verdicts(store, config.judge.fit.min_verdicts)?;
    for id in (0..store.site_count()?).map(SiteId) {
        let generation = store.site(id)?.map_or(0, |head| head.generation);
        let head = store.judged_head(Judged::Verified, id)?.unwrap_or_default();
        let inputs = judged::inputs_of(params, store, &verdicts, id)?;
        if (head.generation, head.inputs) != (generation, inputs) {
            stale.push((id, inputs));
        }
    }
    Ok(stale)
}

/// Judges the pairs that URLs, declarations and language bars propose on one site.
fn verify(store: &Store, context: &Context<'_>, models: &Models, id: SiteId) -> Result<Option<JudgedSite>> {
    let config = context.config;
    let Some(open) = OpenSite::open(store, id)? else { return Ok(None) };
    let mut view = open.view(config).watched(context);
    let mut site = JudgedSite { site: id, generation: open.head.generation, ..JudgedSite::default() };
    let known = if config.without_keys { None } else { Some(open.known_keys()?) };
    if let Some(name) = &config.verifier {
        let verifier = verifier(name).ok_or_else(|| Error::Config(format!("there is no verifier {name}")))?;
        let candidates = unique(known.map_or_else(Vec::new, |known| keys::of_keys(&view, &known)));
        site.pairs = one_measure::judged(&view, &candidates, verifier, models, config.judge.min_score)?;
        impose(&view, &mut site.pairs);
    } else if config.strategy == Strategy::Webmining {
        let lang_pairs = view.lang_pairs(&config.keys.langs);
        let pages = webmining::pages_of(&lang_pairs).len();
        if pages <= config.webmining.max_pages {
            let (params, stop) = (&config.webmining, || context.check_stop());
            site.pairs = webmining::judged(&view, lang_pairs, config.judge.min_score, params, &stop)?;
        } else {
            let problem = format!("{}: {pages} pages are too many to compare all with all; left out", open.head.domain);
            context.observer.message(&problem);
        }
        impose(&view, &mut site.pairs);
    } else {
        let foreign = view.foreign_texts()?.into_iter().filter(|found| !view.is_stated(found.page));
        site.foreign = foreign.map(|found| (found.page, found.lang)).collect();
        view.leave_out(site.foreign.iter().map(|found| found.0));
        let judged = judge_direct(&view, known.as_ref(), (models, &|langs| models.scorer(langs)), &config.judge)?;
        (site.pairs, site.sources) = (judged.pairs, judged.sources);
    }
    site.hosts = open.pairs_of_hosts(&site.pairs);
    Ok(Some(site))
}
