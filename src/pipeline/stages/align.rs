//! Makes sentence pairs from page pairs: first models of language pairs are learnt, then sites are aligned one after another, each document by
//! document. Units of work: some documents, and the repeats of a site.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::slice::Chunks;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::align_order::{append, put_in_order};
use super::align_survey::{Sample, SiteWork, Survey};
use super::align_tasks::{Task, Version, composed_by, missing, with};
use super::groups::{Groups, begin, do_groups, finish};
use super::{scores, shared};
use crate::align::clean::{Reason, SideText};
use crate::align::repeats::{BeadId, Finder};
use crate::align::routes::Routes;
use crate::align::sample::SampledPair;
use crate::align::train::{self, KnownWords};
use crate::align::untranslated::Untranslated;
use crate::align::{
    AlignPage, Aligned, Document, JudgedBead, Model, Params, WithHub, align_pages, compose_pages, untranslated,
};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Pages as _;
use crate::judge::hubs::{Planned, by_languages, planned};
use crate::language;
use crate::language::foreign::Untold;
use crate::language::letters::Letters;
use crate::learn::SurePair;
use crate::lexicon::LexiconSet;
use crate::pipeline::{Context, Stage, fingerprint};
use crate::site::Site;
use crate::site::bitext::{accepted, document, is_of_source, model_record, page_place, text_bytes};
use crate::site::frequency::hash_of_bead;
use crate::site::learnt::learnt_pairs;
use crate::site::model_cache::ModelCache;
use crate::site::results::pair_source;
use crate::store::catalog::Changes;
use crate::store::layout::{
    BeadRow, BitextChunk, BitextHead, ModelHead, PairBitextRow, RepeatRecord, RepeatRow, StoredPage,
};
use crate::store::records::{Mapped, RecordRef};
use crate::store::{Results, Store};
use crate::text::words::Words;
use crate::types::{Lang, LangPair, PagePair, SiteId, Step, Watch, counted};

/// The stage that makes sentence pairs from page pairs.
pub struct Align;

/// The page pairs that are aligned in parallel and committed together: a second or two of work, and results of some 64 MiB.
const WINDOW: Most = Most { pairs: 16_384, bytes: 128 << 20 };
/// One thread aligns documents one after another until they have this many page pairs.
const BATCH_PAIRS: usize = 64;
/// How many pages or page pairs of a document one thread does one after another at least. Threads that wait for others begin documents of
/// their own, so a document with fewer is done entirely by the thread that has begun it.
const AT_ONCE: usize = 16;
/// Language pairs that are learnt in parallel. Each takes some 40 MB, and five times as much if it has many page pairs.
const LEARNT_AT_ONCE: usize = 4;
/// Rows of a repeat record, at most.
const REPEAT_ROWS: usize = 1 << 11;

/// How much there is in a window, at most.
#[derive(Clone, Copy)]
struct Most {
    pairs: usize,
    /// Bytes of the text of all their pages. The results take about half as much memory.
    bytes: u64,
}

impl Stage for Align {
    fn name(&self) -> &'static str {
        "align"
    }

    fn version(&self) -> u32 {
        23
    }

    fn sections(&self) -> &'static [&'static str] {
        &["align", "lexicons"]
    }

    fn results(&self) -> Results {
        Results::Bitext
    }

    fn remaining(&self, store: &Store, config: &Config) -> Result<String> {
        let remaining = self.unaligned(store, config)?;
        if !remaining.is_empty() {
            return Ok(remaining);
        }
        Ok(match scores::waiting(store)? {
            0 => String::new(),
            sites => counted(sites as u64, "site") + " to be scored",
        })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        self.make(store, context, WINDOW)?;
        scores::ask(store, self.name(), context)
    }
}

/// The pages of a pair.
type PagesOfPair = (StoredPage, StoredPage);

fn documents<'p>(
    pages: &'p PagesOfPair,
    langs: LangPair,
    words: &Words,
    params: &Params,
) -> (Document<'p>, Document<'p>) {
    (document(&pages.0, langs.a, words, params), document(&pages.1, langs.b, words, params))
}

/// Learns one language pair from its sample.
fn learn_pair(
    store: &Store,
    langs: LangPair,
    sample: &Sample,
    context: &Context<'_>,
    (words, lexicons): (&Words, &LexiconSet),
) -> Result<Model> {
    let read = |pair: &SampledPair| -> Result<PagesOfPair> {
        Ok((store.page(RecordRef(pair.places.0))?, store.page(RecordRef(pair.places.1))?))
    };
    let pages: Vec<PagesOfPair> = sample.pairs.iter().map(read).collect::<Result<_>>()?;
    Ok(learn_pages(
        (&pages, sample.learnt),
        langs,
        (&learnt_pairs(store, langs)?, lexicons),
        (&context.config.align, words),
        context,
    ))
}

/// Learns one language pair from page pairs, beginning with the words that verification has learnt, and with those of the user's word lists.
/// Words are learnt from the first `learnt` page pairs.
pub(crate) fn learn_pages(
    (pages, learnt): (&[PagesOfPair], usize),
    langs: LangPair,
    (known, lexicons): (&[SurePair], &LexiconSet),
    (params, words): (&Params, &Words),
    watch: &dyn Watch,
) -> Model {
    let told = Step::new(watch, "cutting pages that are learnt from", pages.len());
    let cut = |pages| {
        let documents = documents(pages, langs, words, params);
        told.did(1);
        documents
    };
    let cut: Vec<_> = pages.par_iter().map(cut).collect();
    let (learnt, held_out) = cut.split_at(learnt.min(cut.len()));
    let learnt_words = known.iter().map(|pair| (pair.a, pair.b, pair.forth, pair.back)).collect();
    let given = lexicons.between(langs).map(|lists| lists.pairs()).unwrap_or_default();
    let known = KnownWords { learnt: learnt_words, given };
    train::learn(learnt, held_out, &known, params, watch)
}

impl Align {
    /// What is left to be learnt and aligned, as text.
    fn unaligned(&self, store: &Store, config: &Config) -> Result<String> {
        let params = fingerprint(self, config);
        if self.is_unchanged(store, params)? {
            return Ok(String::new());
        }
        let survey = Survey::new(store, config, params)?;
        let models = survey.stale_models(store)?.len();
        let sites = survey.stale_sites(store)?.len() + survey.pairless_sites(store)?;
        Ok(match (models, sites) {
            (0, 0) if survey.is_compared(store)? => String::new(),
            (0, 0) => "what several sites say to be found".to_owned(),
            (0, sites) => counted(sites as u64, "site") + " to do",
            (models, sites) => counted(models as u64, "language pair") + " to learn, " + &counted(sites as u64, "site"),
        })
    }

    /// Makes the sentence pairs, as far as they are not fresh.
    fn make(&self, store: &mut Store, context: &Context<'_>, most: Most) -> Result<()> {
        let params = fingerprint(self, context.config);
        if self.is_unchanged(store, params)? {
            return Ok(());
        }
        let survey = Survey::new(store, context.config, params)?;
        let (models, sites) = (survey.stale_models(store)?, survey.stale_sites(store)?);
        let record = store.stage(self.name())?;
        let is_fresh = record.finished && record.fingerprint == params && survey.is_compared(store)?;
        if models.is_empty() && sites.is_empty() && is_fresh {
            return survey.note_sources(store);
        }
        begin(self, store, context.config)?;
        store.keep_models(survey.samples.keys().copied())?;
        self.learn(store, context, &models, params)?;
        self.align(store, context, &survey.routes, &sites, most)?;
        let ids: Vec<SiteId> = survey.sites.iter().map(|work| work.site).collect();
        context.observer.begin(self.name(), "what several sites say", "sites", Some(ids.len() as u64));
        shared::find(store, &ids, survey.compared(), context)?;
        survey.note_sources(store)?;
        finish(self, store, context.config)
    }

    /// Aligns all sites with the models in the store, wherever they were learnt; `routes` says which were learnt in all. Sentence pairs that
    /// sites have in common are not looked for.
    ///
    /// # Errors
    /// As [`Stage::run`].
    #[cfg(feature = "exec")]
    pub(crate) fn align_alone(&self, store: &mut Store, context: &Context<'_>, routes: &Routes) -> Result<()> {
        let survey = Survey::new(store, context.config, fingerprint(self, context.config))?;
        begin(self, store, context.config)?;
        self.align(store, context, routes, &survey.stale_sites(store)?, WINDOW)?;
        survey.note_sources(store)?;
        finish(self, store, context.config)
    }

    /// True when the heads of all sites show that nothing has changed since the stage was done. No site is opened for this: each head names
    /// the record with the page pairs of its site, and the settings. Models and the sentence pairs in common follow from these.
    fn is_unchanged(&self, store: &Store, params: u64) -> Result<bool> {
        let record = store.stage(self.name())?;
        if !record.finished || record.fingerprint != params {
            return Ok(false);
        }
        for id in (0..store.site_count()?).map(SiteId) {
            let site = store.site(id)?.unwrap_or_default();
            let source = pair_source(store, id, &site)?.filter(|source| source.pairs > 0);
            let is_same = match (source, store.bitext_head(id)?) {
                (None, None) => true,
                (source, Some(head)) => {
                    let is_made_from = (head.generation, head.params) == (site.generation, params);
                    head.finished && is_made_from && is_of_source(&head, source)
                }
                (Some(_), None) => false,
            };
            if !is_same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Learns language pairs from their samples, several at a time, and stores their models.
    fn learn(
        &self,
        store: &mut Store,
        context: &Context<'_>,
        stale: &[(&LangPair, &Sample)],
        params: u64,
    ) -> Result<()> {
        context.observer.begin(self.name(), "learning language pairs", "language pairs", Some(stale.len() as u64));
        let (words, done) = (Words::new(), AtomicU64::new(0));
        let lexicons = LexiconSet::read(&context.config.lexicons)?;
        let stale = stale.chunks(LEARNT_AT_ONCE);
        do_groups(&mut Learning { stale, params, context, words, lexicons, done }, store, context)
    }

    /// Aligns the pairs of the given sites, window by window.
    fn align(
        &self,
        store: &mut Store,
        context: &Context<'_>,
        routes: &Routes,
        sites: &[(&SiteWork, BitextHead)],
        most: Most,
    ) -> Result<()> {
        let total: u64 = sites.iter().map(|(work, head)| u64::from(work.count - head.done.min(work.count))).sum();
        context.observer.begin(self.name(), "sentences of page pairs", "page pairs", Some(total));
        let mut aligning = Aligning {
            sites,
            context,
            folder: store.temporary()?,
            words: Words::new(),
            models: ModelCache::new(routes.clone()),
            heads: sites.iter().map(|(_, head)| head.clone()).collect(),
            window: 0..0,
            open: None,
            most,
            tasks: Vec::new(),
            again: Vec::new(),
            untold: BTreeMap::new(),
            done: AtomicU64::new(0),
        };
        do_groups(&mut aligning, store, context)
    }
}

/// The language pairs that are learnt.
struct Learning<'l> {
    stale: Chunks<'l, (&'l LangPair, &'l Sample)>,
    params: u64,
    context: &'l Context<'l>,
    words: Words,
    lexicons: LexiconSet,
    done: AtomicU64,
}

impl<'l> Groups for Learning<'l> {
    type Task = (&'l LangPair, &'l Sample);
    type Done = Model;

    fn next(&mut self, _: &Store) -> Result<Option<Vec<Self::Task>>> {
        Ok(self.stale.next().map(<[_]>::to_vec))
    }

    fn work(&self, store: &Store, &(&langs, sample): &Self::Task) -> Result<Model> {
        let model = learn_pair(store, langs, sample, self.context, (&self.words, &self.lexicons));
        let note = format!("{}-{}", langs.a, langs.b);
        self.context.observer.progress(self.done.fetch_add(1, Ordering::Relaxed) + 1, &note);
        model
    }

    fn keep(&mut self, store: &mut Store, done: Vec<(Self::Task, Model)>) -> Result<()> {
        let mut changes = Changes::default();
        for ((&langs, sample), model) in done {
            let record = store.models.append_packed(&model_record(langs, model))?.0;
            let head = ModelHead { record, input: sample.input, params: self.params };
            changes.put_model(langs, &head);
        }
        store.commit(changes)
    }
}

/// The sites that are aligned, and the window in work.
struct Aligning<'a> {
    sites: &'a [(&'a SiteWork, BitextHead)],
    context: &'a Context<'a>,
    folder: PathBuf,
    words: Words,
    models: ModelCache,
    /// The heads of the sites, as they are by now.
    heads: Vec<BitextHead>,
    /// The sites of the window. It may begin in the midst of the first, and end before the last.
    window: Range<usize>,
    /// The last of these, with its pairs in the order of its documents.
    open: Option<(usize, Site, Vec<Planned>)>,
    most: Most,
    /// The page pairs of the window.
    tasks: Vec<Task>,
    /// If the window begins with a part of a document, the page pairs outside that part of which it is composed.
    again: Vec<Task>,
    /// For each site in the window, the languages that words cannot tell.
    untold: BTreeMap<usize, Untold>,
    /// Page pairs that were aligned.
    done: AtomicU64,
}

impl Aligning<'_> {
    /// Takes the next window, and sets its end to the first site that has page pairs left. A document is divided only if it does not fit
    /// into a window by itself: its parts are then windows of their own, and the page pairs that a part is composed of are aligned once
    /// more for it.
    fn take_window(&mut self, store: &Store) -> Result<()> {
        let mut at = self.window.end;
        self.window.start = at;
        self.tasks.clear();
        self.again.clear();
        let mut bytes = 0;
        while at < self.sites.len() {
            self.window.end = at;
            let (_, site, plan) = match &mut self.open {
                Some(open) if open.0 == at => open,
                other => {
                    let site = Site::open(store, self.sites[at].0.site)?;
                    let mut plan = planned(&accepted(&site));
                    if !self.models.holds(store, plan.iter().map(|planned| planned.pair.langs))? {
                        let documents = plan.chunk_by(|x, y| x.document == y.document);
                        let composes =
                            |of: &&[Planned]| composed_by(of, self.models.routes()).iter().any(Option::is_some);
                        let composing = documents.filter(composes).map(|of| of[0].document).collect();
                        by_languages(&mut plan, &composing);
                    }
                    self.untold.insert(at, untold_languages(&site, &plan));
                    other.insert((at, site, plan))
                }
            };
            let mut done = self.heads[at].done as usize;
            while let Some(next) = plan.get(done) {
                let start = plan.partition_point(|planned| planned.document < next.document);
                let document = &plan[start..plan.partition_point(|planned| planned.document <= next.document)];
                let (from, is_first) = (done - start, self.tasks.is_empty());
                let mut to = from;
                for &Planned { pair, .. } in &document[from..] {
                    let is_full = self.tasks.len() + to - from >= self.most.pairs
                        || bytes >= self.most.bytes
                        || !self.models.has_room(pair.langs);
                    if is_first && to == from {
                        self.models.make_room(pair.langs);
                    } else if is_full {
                        break;
                    }
                    self.models.read(store, pair.langs)?;
                    bytes += text_bytes(site, pair.a) + text_bytes(site, pair.b);
                    to += 1;
                }
                let (is_begun, is_ended) = (from > 0, to == document.len());
                if !is_first && (is_begun || !is_ended) {
                    return Ok(());
                }
                let by = composed_by(document, self.models.routes());
                let task = |place: usize| {
                    let Planned { pair, document, .. } = document[place];
                    let places = (page_place(site, pair.a), page_place(site, pair.b));
                    Task { site: at, pair, document, by: by[place], places }
                };
                self.tasks.extend((from..to).map(task));
                if is_begun || !is_ended {
                    self.again.extend(missing(document, &by, from..to).into_iter().map(task));
                    self.again.iter().try_for_each(|task| self.models.read(store, task.pair.langs))?;
                }
                if !is_ended {
                    return Ok(());
                }
                done = start + to;
            }
            at += 1;
        }
        self.window.end = at;
        Ok(())
    }

    /// Divides the window into batches of whole documents.
    fn batches(&self) -> Vec<Range<usize>> {
        let mut batches: Vec<Range<usize>> = Vec::new();
        let mut end = 0;
        for document in self.tasks.chunk_by(Task::is_of_document) {
            let start = end;
            end += document.len();
            match batches.last_mut().filter(|batch| batch.len() < BATCH_PAIRS) {
                Some(batch) => batch.end = end,
                None => batches.push(start..end),
            }
        }
        batches
    }
}

impl Groups for Aligning<'_> {
    type Task = Range<usize>;
    type Done = Vec<PairBitextRow>;

    fn next(&mut self, store: &Store) -> Result<Option<Vec<Range<usize>>>> {
        if self.window.end == self.sites.len() {
            return Ok(None);
        }
        self.take_window(store)?;
        Ok(Some(self.batches()))
    }

    fn work(&self, store: &Store, batch: &Range<usize>) -> Result<Vec<PairBitextRow>> {
        let mut rows = Vec::with_capacity(batch.len());
        for document in self.tasks[batch.clone()].chunk_by(Task::is_of_document) {
            // When the user wants to stop, the rest of the batch is left out; see `keep`.
            if !rows.is_empty() && self.context.check_stop().is_err() {
                break;
            }
            self.align_document(store, document, &mut rows)?;
        }
        let before = self.done.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.context.observer.progress(before + batch.len() as u64, "");
        Ok(rows)
    }

    fn keep(&mut self, store: &mut Store, done: Vec<(Range<usize>, Vec<PairBitextRow>)>) -> Result<()> {
        // When the user wants to stop, some documents are missing. Those after the first missing one are dropped, and the next run makes
        // them again.
        let mut next = 0;
        let mut by_site: BTreeMap<usize, Vec<PairBitextRow>> = BTreeMap::new();
        for (batch, rows) in done {
            if batch.start != next {
                break;
            }
            next += rows.len();
            for (task, row) in self.tasks[batch].iter().zip(rows) {
                by_site.entry(task.site).or_default().push(row);
            }
        }
        let mut changes = Changes::default();
        for (site, rows) in by_site {
            let (work, head) = (self.sites[site].0, &mut self.heads[site]);
            append(store, head, work.site, rows)?;
            changes.put_bitext(work.site, head);
        }
        commit(store, changes)?;
        let mut changes = Changes::default();
        for site in self.window.start..(self.window.end + 1).min(self.sites.len()) {
            let (work, head) = (self.sites[site].0, &mut self.heads[site]);
            if head.done == work.count && !head.finished {
                let untold = self.untold.remove(&site).unwrap_or_default();
                while put_in_order(store, head, work.site)? {
                    // Records are read once they are committed.
                    let mut sorted = Changes::default();
                    sorted.put_bitext(work.site, head);
                    store.commit(sorted)?;
                }
                repeats(store, head, &untold, &self.folder, self.context.config)?;
                changes.put_bitext(work.site, head);
            }
        }
        commit(store, changes)
    }
}

/// Commits what there is.
fn commit(store: &mut Store, changes: Changes) -> Result<()> {
    if changes.is_empty() { Ok(()) } else { store.commit(changes) }
}

/// The languages of the pairs of a site that words cannot tell, by the letters of its pages.
fn untold_languages(site: &Site, plan: &[Planned]) -> Untold {
    let sides = || plan.iter().flat_map(|planned| planned.pair.sides());
    let langs: BTreeSet<Lang> = sides().map(|side| side.0).collect();
    let untold: BTreeSet<Lang> = langs.into_iter().filter(|&lang| !language::is_told(lang)).collect();
    let of_untold = sides().filter(|side| untold.contains(&side.0));
    let pages: BTreeMap<u32, Lang> = of_untold.map(|(lang, page)| (page, lang)).collect();
    let mut shown: BTreeMap<Lang, Letters> = BTreeMap::new();
    for (page, lang) in pages {
        if let Some(letters) = Letters::of(site.pages.letters(page)) {
            shown.entry(lang).or_default().add(&letters);
        }
    }
    Untold::new(shown)
}

impl Aligning<'_> {
    /// Aligns the page pairs of a document, beginning with those that are not composed. Each page is divided into sentences once.
    fn align_document(&self, store: &Store, tasks: &[Task], rows: &mut Vec<PairBitextRow>) -> Result<()> {
        let params = &self.context.config.align;
        let again: Vec<&Task> = self.again.iter().filter(|task| task.is_of_document(&tasks[0])).collect();
        let mut records: BTreeMap<Version, StoredPage> = BTreeMap::new();
        for task in again.iter().copied().chain(tasks) {
            for (version, place) in task.sides().into_iter().zip([task.places.0, task.places.1]) {
                if let Entry::Vacant(entry) = records.entry(version) {
                    entry.insert(store.page(RecordRef(place))?);
                }
            }
        }
        let records: Vec<(Version, StoredPage)> = records.into_iter().collect();
        let untold = &self.untold[&tasks[0].site];
        let cut = records.par_iter().with_min_len(AT_ONCE).map(|(version, record)| {
            let document = document(record, version.0, &self.words, params);
            (*version, AlignPage::new(document, version.0, untold))
        });
        let pages: BTreeMap<Version, AlignPage<'_>> = cut.collect();
        let sides = |task: &Task| task.sides().map(|version| &pages[&version]);
        let align = |task: &Task| {
            let [a, b] = sides(task);
            align_pages(a, b, &self.models.of(task.pair.langs), params)
        };
        let direct: Vec<&Task> = again.iter().copied().chain(tasks.iter().filter(|task| task.by.is_none())).collect();
        let aligned: Vec<Aligned> = direct.par_iter().with_min_len(AT_ONCE).map(|task| align(task)).collect();
        let own = direct.iter().zip(&aligned).skip(again.len());
        rows.extend(own.map(|(task, aligned)| row(task, sides(task), aligned)));
        let aligned: BTreeMap<[Version; 2], &Aligned> = direct.iter().map(|task| task.sides()).zip(&aligned).collect();
        let compose = |task: &Task| {
            let hub = task.by?;
            let with_hub = |version: Version| {
                let aligned = aligned.get(&with(hub, version))?;
                Some(WithHub { aligned, is_hub_first: hub < version })
            };
            let composed = match task.sides().map(with_hub) {
                [Some(a), Some(b)] => compose_pages(sides(task), [a, b], &self.models.of(task.pair.langs), params),
                _ => align(task),
            };
            Some(row(task, sides(task), &composed))
        };
        rows.par_extend(tasks.par_iter().with_min_len(AT_ONCE).filter_map(compose));
        Ok(())
    }
}

/// The row of an aligned page pair, as it is stored.
fn row(task: &Task, [page_a, page_b]: [&AlignPage<'_>; 2], aligned: &Aligned) -> PairBitextRow {
    let PagePair { langs, a, b } = task.pair;
    let row = |judged: &JudgedBead| {
        let bytes_a = page_a.document.bytes_of(judged.bead.a_start..judged.bead.a_end);
        let bytes_b = page_b.document.bytes_of(judged.bead.b_start..judged.bead.b_end);
        let (m, n) = judged.bead.shape();
        BeadRow {
            texts: judged.texts.map(|text| text.hash),
            are_foreign: judged.texts.map(|text| text.is_foreign),
            are_long: judged.texts.map(|text| text.is_long),
            is_copy: judged.is_copy,
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
    let mut beads: Vec<BeadRow> = aligned.beads.iter().map(row).collect();
    let left_out = BeadRow { reason: Reason::NotCompared as u8, ..BeadRow::default() };
    let [rest_a, rest_b] = [page_a, page_b].map(|page| page.document.rest.clone());
    if !rest_a.is_empty() {
        beads.push(BeadRow { a_start: rest_a.start, a_end: rest_a.end, m: 1, ..left_out });
    }
    if !rest_b.is_empty() {
        beads.push(BeadRow { b_start: rest_b.start, b_end: rest_b.end, n: 1, ..left_out });
    }
    let (page_a, page_b) = task.places;
    let (lang_a, lang_b) = (langs.a.to_bytes(), langs.b.to_bytes());
    PairBitextRow { page_a, page_b, a, b, lang_a, lang_b, score: aligned.score, beads }
}

/// The texts of a site that nobody has translated. The texts of a page are taken from all of its pairs, because one sentence beside one
/// page may be a part of two beside another. A text that differs from the one beside it only in a number or in quotation marks stands on
/// both pages. A text with another hyphen or capital letter belongs to its own page, though the two teach nothing.
fn untranslated_texts(
    chunks: &[Mapped<BitextChunk>],
    untold: &Untold,
    folder: &Path,
    config: &Config,
) -> Result<Untranslated> {
    let mut finder = untranslated::Finder::new(config.memory.sorted_beads(), folder);
    let rows = chunks.iter().flat_map(|chunk| chunk.pairs.iter().zip(chunk.beads()));
    for ((row, beads), place) in rows.zip(0u32..) {
        let langs = [row.lang_a, row.lang_b].map(Lang::from_bytes);
        for bead in &beads {
            let text = |side: usize| SideText {
                hash: bead.texts[side],
                is_foreign: bead.are_foreign[side],
                is_long: bead.are_long[side],
            };
            let (texts, are_same) = ([text(0), text(1)], bead.is_copy);
            for side in 0..2 {
                finder.add(texts[side], langs[side])?;
                // Numbers of tables and quotation marks belong to the page, whoever wrote the text: so the text stands on the other page,
                // too.
                if are_same && texts[0].hash != texts[1].hash {
                    finder.add(SideText { is_foreign: texts[1 - side].is_foreign, ..texts[side] }, langs[1 - side])?;
                }
            }
            if are_same || bead.reason == 0 {
                finder.add_pair(texts, langs, place, are_same)?;
            }
        }
    }
    finder.finish(untold)
}

/// Finds sentence pairs that occur several times among the aligned pairs of a site, or that have an untranslated side, and finishes the
/// site's head.
fn repeats(store: &mut Store, head: &mut BitextHead, untold: &Untold, folder: &Path, config: &Config) -> Result<()> {
    let chunks: Vec<Mapped<BitextChunk>> =
        head.chunks.iter().map(|&at| store.bitexts.read(RecordRef(at))).collect::<Result<_>>()?;
    let untranslated = untranslated_texts(&chunks, untold, folder, config)?;
    let mut finder = Finder::new(config.memory.sorted_beads(), folder);
    let mut dropped: BTreeMap<u8, u64> = BTreeMap::new();
    head.kept = 0;
    let rows = chunks.iter().flat_map(|chunk| chunk.pairs.iter().zip(chunk.beads()));
    for ((row, beads), unit) in rows.zip(0u32..) {
        let langs = (Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b));
        for (bead, number) in beads.iter().zip(0u32..) {
            if bead.reason != 0 {
                *dropped.entry(bead.reason).or_default() += 1;
                continue;
            }
            head.kept += 1;
            let [a, b] = bead.texts;
            let id = BeadId { unit, number };
            if untranslated.has(a, langs.0, untold) || untranslated.has(b, langs.1, untold) {
                finder.leave_out(id, Reason::Untranslated)?;
            } else {
                finder.add(hash_of_bead(row, bead), bead.score, id)?;
            }
        }
    }
    let mut record = RepeatRecord::default();
    head.repeats.clear();
    finder.for_each(|repeat| {
        let (pair, bead) = (repeat.bead.unit, repeat.bead.number);
        let reason = repeat.reason.map_or(0, |reason| reason as u8);
        if reason != 0 {
            *dropped.entry(reason).or_default() += 1;
            head.kept -= 1;
        }
        let others = repeat.others.iter().map(|other| other.unit).collect();
        record.rows.push(RepeatRow { pair, bead, reason, others, elsewhere: Vec::new() });
        if record.rows.len() == REPEAT_ROWS {
            head.repeats.push(store.repeats.append_short_or_packed(&std::mem::take(&mut record))?.0);
        }
        Ok(())
    })?;
    if !record.rows.is_empty() {
        head.repeats.push(store.repeats.append_short_or_packed(&record)?.0);
    }
    head.dropped = dropped.into_iter().collect();
    head.finished = true;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::archive::Inputs;
    use crate::pipeline::{self, Silent};
    use crate::site::bitext::SiteBitext;
    use crate::store::Access;

    #[test]
    fn it_does_not_matter_where_documents_are_divided() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path(), Access::Write).expect("a new store");
        let (config, inputs) = (Config::default(), Inputs::from(&[PathBuf::from("data/sites/packaging")][..]));
        let context = Context { config: &config, inputs: &inputs, observer: &Silent, stop: &AtomicBool::new(false) };
        pipeline::run(&mut store, &context, "iterate").expect("a sound archive");
        let mut aligned = |most: Most| {
            store.forget_results("align", Results::Bitext).expect("it can be written");
            Align.make(&mut store, &context, most).expect("a sound store");
            let head = store.bitext_head(SiteId(0)).expect("it can be read").expect("it is aligned");
            let bitext = SiteBitext::read(&store, &head).expect("it is sound");
            let rows: Vec<_> = bitext
                .aligned()
                .map(|(row, beads)| (row.lang_a, row.lang_b, row.a.to_native(), row.score.to_native(), beads))
                .collect();
            (head.done, head.kept, rows)
        };
        let whole = aligned(WINDOW);
        assert!(whole.1 > 500 && whole.2.len() > 20, "{} {}", whole.1, whole.2.len());
        for most in [Most { pairs: 2, ..WINDOW }, Most { bytes: 1, ..WINDOW }, Most { pairs: 5, bytes: 20_000 }] {
            assert!(aligned(most) == whole, "{} page pairs, {} bytes", most.pairs, most.bytes);
        }
    }
}
