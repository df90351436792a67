//! Page pairs → sentence pairs: what there is to learn of each pair of languages, then site after site. Unit of work: some
//! page pairs, and the repeats of a site.

use std::collections::{BTreeMap, BinaryHeap};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::groups::{begin, finish};
use super::shared;
use crate::align::clean::{Reason, hashes};
use crate::align::train::{self, Lesson, samples};
use crate::align::{Aligned, Document, Params, Table, align_pages, translation};
use crate::config::Config;
use crate::error::Result;
use crate::index::sorter::{Entry, Sorter};
use crate::pipeline::{Context, Stage, fingerprint};
use crate::query::bitext::{accepted_pairs, document, hash_of_pairs, order, page_place, page_record, table};
use crate::query::{Scope, Site, sites};
use crate::store::catalog::{Changes, Table as CatalogTable};
use crate::store::layout::{
    BeadRow, BitextHead, BitextRecord, ModelHead, ModelRecord, PairBitextRow, RepeatRecord, RepeatRow, VocabularyRow,
};
use crate::store::records::{Mapped, RecordRef};
use crate::store::{Store, model_key};
use crate::text::words::Words;
use crate::types::{LangPair, PagePair, SiteId};

/// Page pairs → sentence pairs.
pub struct Align;

/// Page pairs aligned at once, in parallel, and committed together.
const GROUP_PAIRS: usize = 256;
/// Models held in memory, a few tens of megabytes each.
const MODELS: usize = 8;
/// Memory for the hashes of a site's sentence pairs; sorted on disk beyond it.
const REPEATS_BYTES: usize = 64 << 20;
/// Rows of a repeat record, at the most.
const REPEAT_ROWS: usize = 1 << 16;

impl Stage for Align {
    fn name(&self) -> &'static str {
        "align"
    }

    fn version(&self) -> u32 {
        3
    }

    fn settings(&self, config: &Config) -> String {
        format!("{:?}", config.align)
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let survey = Survey::new(store, config, fingerprint(self, config))?;
        let (models, sites) = (survey.stale_models(store)?.len(), survey.stale_sites(store)?.len());
        Ok(match (models, sites) {
            (0, 0) if survey.is_compared(store)? => String::new(),
            (0, 0) => "what several sites say to be found".to_owned(),
            (0, sites) => format!("{sites} sites to do"),
            (models, sites) => format!("{models} pairs of languages to learn, {sites} sites to do"),
        })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let params = fingerprint(self, context.config);
        let survey = Survey::new(store, context.config, params)?;
        let (models, sites) = (survey.stale_models(store)?, survey.stale_sites(store)?);
        let record = store.stage(self.name())?;
        let is_fresh = record.finished && record.fingerprint == params && survey.is_compared(store)?;
        if models.is_empty() && sites.is_empty() && is_fresh {
            return Ok(());
        }
        begin(self, store, context.config)?;
        for (langs, sample) in models {
            self.learn(store, context, *langs, sample, params)?;
            context.check_stop()?;
        }
        self.align(store, context, &sites)?;
        let ids: Vec<SiteId> = survey.sites.iter().map(|work| work.site).collect();
        shared::find(store, &ids, survey.compared())?;
        finish(self, store, context.config)
    }
}

/// What there is to do: the pairs of each site, and the pages each model is to learn from.
struct Survey {
    samples: BTreeMap<LangPair, Sample>,
    sites: Vec<SiteWork>,
    params: u64,
}

/// One site with pairs.
struct SiteWork {
    site: SiteId,
    domain: String,
    generation: u64,
    pairs: u64,
    langs: Vec<LangPair>,
    count: u32,
    /// Hash of what the models of its languages are learnt from.
    models: u64,
}

/// The page pairs of two languages with the smallest hashes: a sample that does not depend on the order in which archives
/// came, and of a bounded size.
#[derive(Default)]
struct Sample {
    pairs: BinaryHeap<Sampled>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sampled {
    /// Of the two addresses.
    hash: u64,
    /// Of what the pages hold.
    digests: (u64, u64),
    site: SiteId,
    pair: PagePair,
}

impl Sample {
    fn offer(&mut self, sampled: Sampled, max: usize) {
        if self.pairs.len() < max {
            self.pairs.push(sampled);
        } else if self.pairs.peek().is_some_and(|worst| sampled < *worst) {
            self.pairs.pop();
            self.pairs.push(sampled);
        }
    }

    /// In the order they are learnt from.
    fn in_order(&self) -> Vec<Sampled> {
        let mut pairs = self.pairs.clone().into_vec();
        pairs.sort_unstable();
        pairs
    }

    /// Hash of the pages; numbers of sites and pages are not in it.
    fn input(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for sampled in self.in_order() {
            for number in [sampled.hash, sampled.digests.0, sampled.digests.1] {
                hasher.update(&number.to_le_bytes());
            }
        }
        hasher.digest()
    }
}

impl Survey {
    fn new(store: &Store, config: &Config, params: u64) -> Result<Survey> {
        let mut survey = Survey { samples: BTreeMap::new(), sites: Vec::new(), params };
        // By domain, so that of what several sites say the first does not depend on the order in which archives came.
        for id in sites(store, &Scope::all())? {
            let site = Site::open(store, id)?;
            let pairs = accepted_pairs(&site);
            let mut langs: Vec<LangPair> = Vec::new();
            for &pair in &pairs {
                if langs.last() != Some(&pair.langs) {
                    langs.push(pair.langs);
                }
                let digest = |page: u32| {
                    let (chunk, at) = site.pages.chunk(page);
                    chunk.digests[at].to_native()
                };
                let sampled =
                    Sampled { hash: order(&site, &pair), digests: (digest(pair.a), digest(pair.b)), site: id, pair };
                survey.samples.entry(pair.langs).or_default().offer(sampled, config.align.train.max_pages);
            }
            if !pairs.is_empty() {
                survey.sites.push(SiteWork {
                    site: id,
                    domain: site.head.domain.clone(),
                    generation: site.head.generation,
                    pairs: hash_of_pairs(&pairs),
                    langs,
                    count: pairs.len() as u32,
                    models: 0,
                });
            }
        }
        store.sites.unmap();
        store.results.unmap();
        let inputs: BTreeMap<LangPair, u64> = survey.samples.iter().map(|(&langs, s)| (langs, s.input())).collect();
        for site in &mut survey.sites {
            let bytes: Vec<u8> = site.langs.iter().flat_map(|langs| inputs[langs].to_le_bytes()).collect();
            site.models = xxh3_64(&bytes);
        }
        Ok(survey)
    }

    fn stale_models(&self, store: &Store) -> Result<Vec<(&LangPair, &Sample)>> {
        let mut stale = Vec::new();
        for (langs, sample) in &self.samples {
            let head = store.model_head(*langs)?.unwrap_or_default();
            if (head.input, head.params) != (sample.input(), self.params) {
                stale.push((langs, sample));
            }
        }
        Ok(stale)
    }

    fn stale_sites(&self, store: &Store) -> Result<Vec<(&SiteWork, BitextHead)>> {
        let mut stale = Vec::new();
        for work in &self.sites {
            let mut head = store.bitext_head(work.site)?.unwrap_or_default();
            let wanted = (work.generation, self.params, work.pairs, work.models);
            if (head.generation, head.params, head.pairs, head.models) != wanted {
                let (generation, params, pairs, models) = wanted;
                head = BitextHead { generation, params, pairs, models, ..BitextHead::default() };
            }
            if !head.finished {
                stale.push((work, head));
            }
        }
        Ok(stale)
    }

    /// Hash of what the sentence pairs of all sites are made from.
    fn compared(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for site in &self.sites {
            hasher.update(site.domain.as_bytes());
            for number in [site.generation, self.params, site.pairs, site.models] {
                hasher.update(&number.to_le_bytes());
            }
        }
        hasher.digest()
    }

    /// True when it was looked for what these very sites have in common.
    fn is_compared(&self, store: &Store) -> Result<bool> {
        let compared = self.compared();
        for work in &self.sites {
            if store.bitext_head(work.site)?.unwrap_or_default().compared != compared {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Two pages in mapped memory.
type Pages = (Mapped<crate::store::layout::PageRecord>, Mapped<crate::store::layout::PageRecord>);

fn documents<'p>(pages: &'p Pages, langs: LangPair, words: &Words, params: &Params) -> (Document<'p>, Document<'p>) {
    (document(&pages.0, langs.a, words, params), document(&pages.1, langs.b, words, params))
}

impl Align {
    /// Learns one pair of languages from its sample, and keeps what was learnt. It is not stopped in between: what a part of the
    /// sample taught cannot be gone on with, and the sample is bounded.
    fn learn(
        &self,
        store: &mut Store,
        context: &Context<'_>,
        langs: LangPair,
        sample: &Sample,
        fingerprint: u64,
    ) -> Result<()> {
        let params = &context.config.align;
        let sampled = sample.in_order();
        let what = format!("learning {}-{}", langs.a, langs.b);
        context.observer.begin(self.name(), &what, "page pairs", Some(2 * sampled.len() as u64));
        let words = Words::new();
        let pages = |store: &Store, sampled: &Sampled| -> Result<Pages> {
            let site = Site::open(store, sampled.site)?;
            Ok((page_record(store, &site, sampled.pair.a)?, page_record(store, &site, sampled.pair.b)?))
        };
        let mut seen = 0;
        let mut trainer = train::learn(langs, sampled.len(), params, |portion, table| -> Result<Vec<Lesson>> {
            let open: Vec<Pages> =
                sampled[portion].iter().map(|sampled| pages(store, sampled)).collect::<Result<_>>()?;
            let lesson = |pages: &Pages| {
                let (a, b) = documents(pages, langs, &words, params);
                Lesson::new(a, b, table, params)
            };
            let lessons: Vec<Lesson> = open.par_iter().map(lesson).collect();
            store.pages.unmap();
            seen += lessons.len() as u64;
            context.observer.progress(seen, "");
            Ok(lessons)
        })?;
        let first = &sampled[..sampled.len().min(params.train.calibrate_pages)];
        let open: Vec<Pages> = first.iter().map(|sampled| pages(store, sampled)).collect::<Result<_>>()?;
        let found: Vec<Vec<_>> = open
            .par_iter()
            .map(|pages| {
                let (a, b) = documents(pages, langs, &words, params);
                samples(&a, &b, trainer.table(), params)
            })
            .collect();
        drop(open);
        trainer.calibrate(&found.concat());
        store.pages.unmap();
        let record = model_record(langs, trainer.into_table());
        let head = ModelHead { record: store.models.append(&record)?.0, input: sample.input(), params: fingerprint };
        let mut changes = Changes::default();
        changes.put(CatalogTable::Model, &model_key(langs), &head);
        store.commit(changes)
    }

    /// Aligns the pairs of the given sites, group by group.
    fn align(&self, store: &mut Store, context: &Context<'_>, sites: &[(&SiteWork, BitextHead)]) -> Result<()> {
        let total: u64 = sites.iter().map(|(work, head)| u64::from(work.count - head.done.min(work.count))).sum();
        context.observer.begin(self.name(), "sentences of page pairs", "page pairs", Some(total));
        let words = Words::new();
        let folder = store.temporary()?;
        let mut models: BTreeMap<LangPair, Arc<Table>> = BTreeMap::new();
        let mut heads: Vec<BitextHead> = sites.iter().map(|(_, head)| head.clone()).collect();
        let (mut at, mut done) = (0, 0);
        let mut open: Option<(usize, Site, Vec<PagePair>)> = None;
        while at < sites.len() {
            let first = at;
            let mut tasks: Vec<Task> = Vec::new();
            let mut needed: BTreeMap<LangPair, Arc<Table>> = BTreeMap::new();
            while at < sites.len() && tasks.len() < GROUP_PAIRS {
                let (_, site, pairs) = match &mut open {
                    Some(open) if open.0 == at => open,
                    other => {
                        let site = Site::open(store, sites[at].0.site)?;
                        let pairs = accepted_pairs(&site);
                        other.insert((at, site, pairs))
                    }
                };
                let next = heads[at].done as usize + tasks.iter().filter(|task| task.site == at).count();
                for (place, &pair) in pairs.iter().enumerate().skip(next) {
                    let is_new = !needed.contains_key(&pair.langs);
                    if tasks.len() == GROUP_PAIRS || (is_new && needed.len() == MODELS) {
                        break;
                    }
                    if is_new {
                        needed.insert(pair.langs, model(store, &models, pair.langs)?);
                    }
                    let pages = (page_record(store, site, pair.a)?, page_record(store, site, pair.b)?);
                    let places = (page_place(site, pair.a), page_place(site, pair.b));
                    tasks.push(Task { site: at, place: place as u32, pair, places, pages });
                }
                let reached = tasks.iter().rfind(|task| task.site == at).map_or(next, |task| task.place as usize + 1);
                if reached < pairs.len() {
                    break;
                }
                at += 1;
            }
            models = needed;
            let work = |task: &Task| task.run(&models[&task.pair.langs], &words, &context.config.align);
            let rows: Vec<PairBitextRow> = tasks.par_iter().map(work).collect();
            done += rows.len() as u64;
            let end = (at + 1).min(sites.len());
            self.keep(store, sites, first..end, &mut heads, tasks, rows)?;
            let mut changes = Changes::default();
            for site in first..end {
                if heads[site].done == sites[site].0.count && !heads[site].finished {
                    repeats(store, &mut heads[site], &folder, &context.config.align)?;
                    changes.put(CatalogTable::Bitext, &sites[site].0.site.0.to_be_bytes(), &heads[site]);
                }
            }
            if !changes.is_empty() {
                store.commit(changes)?;
            }
            store.pages.unmap();
            store.sites.unmap();
            store.results.unmap();
            store.bitexts.unmap();
            context.observer.progress(done, "");
            context.check_stop()?;
        }
        Ok(())
    }

    /// Commits the rows of a group.
    fn keep(
        &self,
        store: &mut Store,
        sites: &[(&SiteWork, BitextHead)],
        range: std::ops::Range<usize>,
        heads: &mut [BitextHead],
        tasks: Vec<Task>,
        rows: Vec<PairBitextRow>,
    ) -> Result<()> {
        let mut changes = Changes::default();
        let mut rows = tasks.iter().map(|task| task.site).zip(rows).peekable();
        for site in range {
            let mut record =
                BitextRecord { site: sites[site].0.site.0, first: heads[site].done, ..BitextRecord::default() };
            while let Some((_, row)) = rows.next_if(|row| row.0 == site) {
                record.pairs.push(row);
            }
            if !record.pairs.is_empty() {
                heads[site].done += record.pairs.len() as u32;
                heads[site].chunks.push(store.bitexts.append(&record)?.0);
                changes.put(CatalogTable::Bitext, &sites[site].0.site.0.to_be_bytes(), &heads[site]);
            }
        }
        if changes.is_empty() { Ok(()) } else { store.commit(changes) }
    }
}

fn model(store: &Store, known: &BTreeMap<LangPair, Arc<Table>>, langs: LangPair) -> Result<Arc<Table>> {
    match known.get(&langs) {
        Some(table) => Ok(table.clone()),
        None => Ok(Arc::new(table(store, langs)?.unwrap_or_default())),
    }
}

fn model_record(langs: LangPair, table: Table) -> ModelRecord {
    let row = |vocabulary: translation::Vocabulary| VocabularyRow {
        words: vocabulary.words,
        shares: vocabulary.shares,
        ends: vocabulary.ends,
        targets: vocabulary.targets,
        probabilities: vocabulary.probabilities,
    };
    ModelRecord {
        lang_a: langs.a.to_bytes(),
        lang_b: langs.b.to_bytes(),
        ratio: table.lengths.ratio,
        variance: table.lengths.variance,
        weights: table.weights,
        a: row(table.a),
        b: row(table.b),
    }
}

/// One page pair to align.
struct Task {
    /// Position among the sites of the run.
    site: usize,
    /// Place among the pairs of the site.
    place: u32,
    pair: PagePair,
    /// References to the records of both pages.
    places: (u64, u64),
    pages: Pages,
}

impl Task {
    fn run(&self, table: &Table, words: &Words, params: &Params) -> PairBitextRow {
        let PagePair { langs, a, b } = self.pair;
        let (document_a, document_b) = documents(&self.pages, langs, words, params);
        let Aligned { beads, score } = align_pages(&document_a, &document_b, (langs.a, langs.b), table, params);
        let row = |judged: &crate::align::Judged| {
            let (side_a, side_b) = (judged.bead.a_start..judged.bead.a_end, judged.bead.b_start..judged.bead.b_end);
            let (bytes_a, bytes_b) = (document_a.bytes_of(side_a.clone()), document_b.bytes_of(side_b.clone()));
            let (m, n) = judged.bead.shape();
            let texts = (document_a.text_of(side_a), document_b.text_of(side_b));
            // What is left out anyway is not looked for again.
            let (near, exact) =
                if judged.reason.is_none() { hashes((langs.a, langs.b), texts.0, texts.1) } else { (0, 0) };
            BeadRow {
                near,
                exact,
                a_start: bytes_a.start,
                a_end: bytes_a.end,
                b_start: bytes_b.start,
                b_end: bytes_b.end,
                score: judged.score,
                m: m as u8,
                n: n as u8,
                reason: judged.reason.map_or(0, |reason| reason as u8),
            }
        };
        let beads = beads.iter().map(row).collect();
        let (page_a, page_b) = self.places;
        let (lang_a, lang_b) = (langs.a.to_bytes(), langs.b.to_bytes());
        PairBitextRow { page_a, page_b, a, b, lang_a, lang_b, score, beads }
    }
}

/// Finds what is said more than once among the aligned pairs of a site, and finishes its head.
fn repeats(store: &mut Store, head: &mut BitextHead, folder: &Path, params: &Params) -> Result<()> {
    let chunks: Vec<Mapped<BitextRecord>> =
        head.chunks.iter().map(|&at| store.bitexts.read(RecordRef(at))).collect::<Result<_>>()?;
    let mut by_hash = Sorter::new(REPEATS_BYTES, folder);
    let mut pages: BTreeMap<([u8; 8], [u8; 8]), u32> = BTreeMap::new();
    let mut dropped: BTreeMap<u8, u64> = BTreeMap::new();
    head.kept = 0;
    let rows = || chunks.iter().flat_map(|chunk| chunk.pairs.iter()).zip(0u32..);
    for (row, pair) in rows() {
        *pages.entry((row.lang_a, row.lang_b)).or_default() += 1;
        for (bead, number) in row.beads.iter().zip(0u32..) {
            if bead.reason == 0 {
                head.kept += 1;
                by_hash.push(Entry { key: bead.near.to_native(), filler: pair, page: number })?;
            } else {
                *dropped.entry(bead.reason).or_default() += 1;
            }
        }
    }
    let row_of = |pair: u32| {
        let at = chunks.partition_point(|chunk| chunk.first <= pair).saturating_sub(1);
        &chunks[at].pairs[(pair - chunks[at].first.to_native()) as usize]
    };
    // Key: the bead. Then a number that says what is told of it, and a page pair or reason.
    let mut by_bead = Sorter::new(REPEATS_BYTES, folder);
    let id = |pair: u32, bead: u32| u64::from(pair) << 32 | u64::from(bead);
    const SAID_BY: u32 = 0;
    const LEFT_OUT: u32 = 1;
    by_hash.for_each_group(|group| {
        if group.len() < 2 {
            return Ok(());
        }
        let first = group[0];
        let row = row_of(first.filler);
        let mut on = 1;
        for pair in group.windows(2) {
            on += u32::from(pair[0].filler != pair[1].filler);
        }
        let all = pages.get(&(row.lang_a, row.lang_b)).copied().unwrap_or(0);
        let is_boilerplate = on >= params.clean.boilerplate_pages
            && f64::from(on) > f64::from(params.clean.boilerplate_share) * f64::from(all);
        let exact = |entry: &Entry| row_of(entry.filler).beads[entry.page as usize].exact.to_native();
        let first_exact = exact(&first);
        for (number, entry) in group.iter().enumerate() {
            let reason = match (is_boilerplate, number) {
                (true, _) => Reason::Boilerplate,
                (false, 0) => continue,
                (false, _) if exact(entry) == first_exact => Reason::Duplicate,
                (false, _) => Reason::NearDuplicate,
            };
            let bead = id(entry.filler, entry.page);
            by_bead.push(Entry { key: bead, filler: LEFT_OUT, page: reason as u32 })?;
            if !is_boilerplate {
                by_bead.push(Entry { key: id(first.filler, first.page), filler: SAID_BY, page: entry.filler })?;
            }
        }
        Ok(())
    })?;
    let mut record = RepeatRecord::default();
    head.repeats.clear();
    by_bead.for_each_group(|group| {
        let (pair, bead) = ((group[0].key >> 32) as u32, group[0].key as u32);
        let mut row = RepeatRow { pair, bead, ..RepeatRow::default() };
        for entry in group {
            if entry.filler == LEFT_OUT {
                row.reason = entry.page as u8;
                *dropped.entry(row.reason).or_default() += 1;
                head.kept -= 1;
            } else {
                row.others.push(entry.page);
            }
        }
        record.rows.push(row);
        if record.rows.len() == REPEAT_ROWS {
            head.repeats.push(store.repeats.append(&std::mem::take(&mut record))?.0);
        }
        Ok(())
    })?;
    if !record.rows.is_empty() {
        head.repeats.push(store.repeats.append(&record)?.0);
    }
    head.dropped = dropped.into_iter().collect();
    head.finished = true;
    Ok(())
}
