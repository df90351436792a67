//! Keys and pages → verified pairs, in two passes: what each language pair teaches, then every site by itself.
//! Units of work: a language pair, a site.

use rayon::prelude::*;

use super::groups::{begin, finish};
use super::judged::{self, Stale};
use crate::config::{Config, Method};
use crate::error::Result;
use crate::pipeline::judging::{beside_rivals, judge};
use crate::pipeline::learn::{Lessons, Models};
use crate::pipeline::site::SiteView;
use crate::pipeline::{Context, Stage, all_pairs, candidates, fingerprint, one_measure};
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::LearntHead;
use crate::store::{Store, model_key};
use crate::types::{JudgedSite, LangPair, SiteId};

/// Pairs of keys → verified pairs.
pub struct Verify;

impl Stage for Verify {
    fn name(&self) -> &'static str {
        "verify"
    }

    fn version(&self) -> u32 {
        3
    }

    fn settings(&self, config: &Config) -> String {
        format!(
            "{:?} {:?} {:?} {} {:?} {:?} {:?} {:?} {:?}",
            config.verify,
            config.judge,
            config.learn,
            config.method,
            config.without_keys,
            config.lexicons,
            config.verifier,
            config.without_content,
            config.webmining
        )
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let record = store.stage(self.name())?;
        if record.fingerprint != fingerprint(self, config) || !record.finished {
            return Ok(if store.site_count()? == 0 { String::new() } else { "models to learn".into() });
        }
        let stale = stale_sites(self, store, config)?.len();
        Ok(if stale == 0 { String::new() } else { format!("{stale} sites to do") })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        if self.remaining(store, context.config)?.is_empty() {
            return Ok(());
        }
        begin(self, store, context.config)?;
        if !context.config.verifies() {
            judged::forget(store, Keyspace::Verified)?;
            return finish(self, store, context.config);
        }
        if context.config.learns() {
            self.learn(store, context)?;
        }
        let models = Models::of(store, context.config)?;
        let stale = stale_sites(self, store, context.config)?;
        let work = |store: &Store, id| verify(store, context, &models, id);
        judged::judge_sites((self, "pairs of each site"), store, context, (Keyspace::Verified, stale), work)?;
        finish(self, store, context.config)
    }
}

impl Verify {
    /// Learns the language pairs whose lessons have changed, and forgets those that have too few.
    fn learn(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let lessons = Lessons::gather(store, context.config)?;
        let mut stale = Vec::new();
        for langs in lessons.langs() {
            let inputs = lessons.inputs(langs, store, context.config, self)?;
            if store.learnt_head(langs)?.is_none_or(|head| head.inputs != inputs) {
                stale.push((langs, inputs));
            }
        }
        let known: Vec<LangPair> = lessons.langs().collect();
        let mut forgotten = Vec::new();
        store.catalog().for_each(Keyspace::Learnt, |key, _: LearntHead| {
            if !known.iter().any(|langs| model_key(*langs) == key) {
                forgotten.push(key.to_vec());
            }
            Ok(())
        })?;
        let mut changes = Changes::default();
        forgotten.iter().for_each(|key| changes.remove(Keyspace::Learnt, key));
        store.commit(changes)?;
        context.observer.begin(self.name(), "what language pairs teach", "language pairs", Some(stale.len() as u64));
        let mut done = 0;
        for portion in stale.chunks(rayon::current_num_threads().max(1)) {
            let learn = |&(langs, inputs): &(LangPair, u64)| lessons.learn(langs, inputs, store, context);
            let learnt: Vec<_> = portion.par_iter().map(learn).collect::<Result<_>>()?;
            let mut changes = Changes::default();
            for (record, &(langs, inputs)) in learnt.into_iter().zip(portion) {
                let head = LearntHead { record: store.learnt.append(&record)?.0, inputs };
                changes.put(Keyspace::Learnt, &model_key(langs), &head);
            }
            store.commit(changes)?;
            done += portion.len() as u64;
            context.observer.progress(done, "");
            context.check_stop()?;
        }
        Ok(())
    }
}

/// Sites whose judged pairs are missing, or were made from other pages, keys, models or settings.
fn stale_sites(stage: &dyn Stage, store: &Store, config: &Config) -> Result<Vec<Stale>> {
    let mut stale = Vec::new();
    if !config.verifies() {
        return Ok(stale);
    }
    for id in (0..store.site_count()?).map(SiteId) {
        let generation = store.site(id)?.map_or(0, |head| head.generation);
        let head = store.judged_head(Keyspace::Verified, id)?.unwrap_or_default();
        let inputs = judged::inputs_of(stage, store, config, id)?;
        if (head.generation, head.inputs) != (generation, inputs) {
            stale.push((id, inputs));
        }
    }
    Ok(stale)
}

/// Judges what addresses, declarations and language bars propose in one site.
fn verify(store: &Store, context: &Context<'_>, models: &Models, id: SiteId) -> Result<Option<JudgedSite>> {
    let config = context.config;
    let Some(view) = SiteView::open(store, config, id)? else { return Ok(None) };
    let mut site = JudgedSite { site: id, generation: view.head.generation, ..JudgedSite::default() };
    if let Some(name) = &config.verifier {
        site.pairs = one_measure::judged(&view, config, models, name)?;
    } else if config.method == Method::Webmining {
        site.pairs = all_pairs::judged(&view, context)?;
    } else if let candidates = candidates::direct(&view, !config.without_keys)?
        && !candidates.is_empty()
    {
        let weights = view.word_weights()?;
        let compared = view.compared(&candidates, models, &weights)?;
        let mut judged = judge(&compared, |langs| models.scorer(langs), |langs| view.smaller(langs), config);
        beside_rivals(&mut judged.pairs);
        (site.pairs, site.sources) = (judged.pairs, judged.sources);
    }
    site.hosts = view.pairs_of_hosts(&site.pairs);
    Ok(Some(site))
}
