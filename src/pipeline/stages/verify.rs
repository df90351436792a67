//! Keys and pages → verified pairs, in two passes: what each language pair teaches, then every site by itself.
//! Units of work: a language pair, a site.

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::config::{Config, Method};
use crate::error::Result;
use crate::pipeline::judging::{Compared, judge};
use crate::pipeline::learn::{Lessons, Models};
use crate::pipeline::site::{PageIds, SiteView};
use crate::pipeline::{Context, Stage, all_pairs, candidates, fingerprint, one_measure};
use crate::store::catalog::{Changes, Table};
use crate::store::layout::{JudgedHead, JudgedRecord, LearntHead, StageRecord};
use crate::store::{Store, model_key};
use crate::types::{LangPair, SiteId};

/// Pairs of keys → verified pairs.
pub struct Verify;

/// Sites worked on at once, at the most.
const GROUP_SITES: usize = 256;
/// Pages worked on at once, at the most, unless one site has more.
const GROUP_PAGES: u64 = 20_000;

impl Stage for Verify {
    fn name(&self) -> &'static str {
        "verify"
    }

    fn version(&self) -> u32 {
        1
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
        let record = |finished, count| StageRecord {
            fingerprint: fingerprint(self, context.config),
            cursor: u64::from(count),
            finished,
        };
        set_stage(self, store, record(false, 0))?;
        if !context.config.verifies() {
            forget_judged(store, Table::Verified)?;
            return set_stage(self, store, record(true, store.site_count()?));
        }
        let models = if context.config.learns() {
            self.learn(store, context)?;
            Models::read(store, context.config)?
        } else {
            Models::given(context.config)?
        };
        let stale = stale_sites(self, store, context.config)?;
        context.observer.begin(self.name(), "pairs of each site", "sites", Some(stale.len() as u64));
        let mut done = 0;
        let mut stale = stale.into_iter().peekable();
        while stale.peek().is_some() {
            let mut group = Vec::new();
            let mut pages = 0;
            for id in stale.by_ref() {
                let head = store.site(id)?.unwrap_or_default();
                pages += u64::from(head.pages);
                group.push((id, inputs_of(self, store, context.config, id)?));
                if group.len() >= GROUP_SITES || pages >= GROUP_PAGES {
                    break;
                }
            }
            let work = |&(id, inputs): &(SiteId, u64)| verify(store, context, &models, id, inputs);
            let results: Vec<_> = group.par_iter().map(work).collect::<Result<_>>()?;
            done += group.len() as u64;
            let mut changes = Changes::default();
            for (record, inputs) in results.into_iter().flatten() {
                put_judged(store, Table::Verified, record, inputs, &mut changes)?;
            }
            store.commit(changes)?;
            store.unmap();
            context.observer.progress(done, "");
            context.check_stop()?;
        }
        set_stage(self, store, record(true, store.site_count()?))
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
        store.catalog().for_each(Table::Learnt, |key, _: LearntHead| {
            if !known.iter().any(|langs| model_key(*langs) == key) {
                forgotten.push(key.to_vec());
            }
            Ok(())
        })?;
        let mut changes = Changes::default();
        forgotten.iter().for_each(|key| changes.remove(Table::Learnt, key));
        store.commit(changes)?;
        context.observer.begin(self.name(), "what language pairs teach", "language pairs", Some(stale.len() as u64));
        let mut done = 0;
        for portion in stale.chunks(rayon::current_num_threads().max(1)) {
            let learn = |&(langs, inputs): &(LangPair, u64)| lessons.learn(langs, inputs, store, context);
            let learnt: Vec<_> = portion.par_iter().map(learn).collect::<Result<_>>()?;
            let mut changes = Changes::default();
            for (record, &(langs, inputs)) in learnt.into_iter().zip(portion) {
                let head = LearntHead { record: store.learnt.append(&record)?.0, inputs };
                changes.put(Table::Learnt, &model_key(langs), &head);
            }
            store.commit(changes)?;
            done += portion.len() as u64;
            context.observer.progress(done, "");
            context.check_stop()?;
        }
        Ok(())
    }
}

/// Notes how far a stage is.
pub fn set_stage(stage: &dyn Stage, store: &mut Store, record: StageRecord) -> Result<()> {
    let mut changes = Changes::default();
    changes.put(Table::Stage, stage.name().as_bytes(), &record);
    store.commit(changes)
}

/// Takes back what a stage judged by another method, so that nobody takes it for the outcome of this one.
pub fn forget_judged(store: &mut Store, table: Table) -> Result<()> {
    let mut known = Vec::new();
    store.catalog().for_each(table, |key, _: JudgedHead| {
        known.push(key.to_vec());
        Ok(())
    })?;
    let mut changes = Changes::default();
    known.iter().for_each(|key| changes.remove(table, key));
    store.commit(changes)
}

/// Appends what was judged of a site, and notes where.
pub fn put_judged(
    store: &mut Store,
    table: Table,
    record: JudgedRecord,
    inputs: u64,
    changes: &mut Changes,
) -> Result<()> {
    let accepted = record.pairs.iter().filter(|row| row.fate == 0).count() as u64;
    let file = if table == Table::Verified { &mut store.verified } else { &mut store.settled };
    let place = file.append(&record)?.0;
    let result = store.result_head(SiteId(record.site))?.map_or(0, |head| head.record);
    let head = JudgedHead { record: place, generation: record.generation, result, inputs, pairs: accepted };
    changes.put(table, &record.site.to_be_bytes(), &head);
    Ok(())
}

/// Sites whose judged pairs are missing, or were made from other pages, keys, models or settings.
fn stale_sites(stage: &dyn Stage, store: &Store, config: &Config) -> Result<Vec<SiteId>> {
    let mut stale = Vec::new();
    if !config.verifies() {
        return Ok(stale);
    }
    for id in (0..store.site_count()?).map(SiteId) {
        let generation = store.site(id)?.map_or(0, |head| head.generation);
        let head = store.judged_head(Table::Verified, id)?.unwrap_or_default();
        if (head.generation, head.inputs) != (generation, inputs_of(stage, store, config, id)?) {
            stale.push(id);
        }
    }
    Ok(stale)
}

/// What the judged pairs of a site depend on, as one number: settings, its keys, the models of its language pairs.
pub fn inputs_of(stage: &dyn Stage, store: &Store, config: &Config, id: SiteId) -> Result<u64> {
    let mut hasher = Xxh3::new();
    hasher.update(&fingerprint(stage, config).to_le_bytes());
    hasher.update(&store.result_head(id)?.map_or(0, |head| head.record).to_le_bytes());
    if let Some(result) = store.result(id)? {
        let mut langs: Vec<_> = result.hosts.iter().flat_map(|host| host.langs.iter().map(|lang| lang.0)).collect();
        langs.sort_unstable();
        langs.dedup();
        let langs: Vec<_> = langs.into_iter().map(crate::types::Lang::from_bytes).collect();
        for (at, &first) in langs.iter().enumerate() {
            for &second in &langs[at + 1..] {
                if let Some(pair) = LangPair::new(first, second)
                    && let Some(head) = store.learnt_head(pair)?
                {
                    hasher.update(&head.inputs.to_le_bytes());
                }
            }
        }
    }
    // 0 stands for "never made".
    Ok(hasher.digest() | 1)
}

/// Judges what addresses, declarations and language bars propose in one site.
fn verify(
    store: &Store,
    context: &Context<'_>,
    models: &Models,
    id: SiteId,
    inputs: u64,
) -> Result<Option<(JudgedRecord, u64)>> {
    let config = context.config;
    let Some(view) = SiteView::open(store, config, id)? else { return Ok(None) };
    let mut record = JudgedRecord { site: id.0, generation: view.head.generation, ..JudgedRecord::default() };
    if let Some(name) = &config.verifier {
        record.pairs = one_measure::judged(&view, config, models, name)?;
    } else if config.method == Method::Webmining {
        record.pairs = all_pairs::judged(&view, context)?;
    } else if let candidates = candidates::direct(&view, !config.without_keys)?
        && !candidates.is_empty()
    {
        let weights = view.word_weights()?;
        let pairs: Vec<PageIds> = candidates.iter().map(|one| (one.a, one.b)).collect();
        let similarities = view.similarities(&pairs, models, &weights)?;
        let compared: Vec<Compared> = candidates
            .into_iter()
            .zip(similarities)
            .map(|(candidate, (similarities, same_text))| Compared { candidate, similarities, same_text })
            .collect();
        let judged = judge(&compared, |langs| models.scorer(langs), |langs| view.smaller(langs), config);
        record.pairs = judged.rows.into_iter().map(|(_, row)| row).collect();
        record.sources = judged.sources.into_iter().map(|(_, row)| row).collect();
    }
    record.hosts = view.pairs_of_hosts(&record.pairs);
    Ok(Some((record, inputs)))
}
