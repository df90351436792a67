//! What a run learns of each language pair from the pairs of strong keys: the weights of the score, the usual ratio of
//! lengths, and which words are translations of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::site::{PageIds, SiteView, Sources, WordWeights};
use super::{Context, Stage, fingerprint};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::judge::score::Scorer;
use crate::keys::State;
use crate::lexicon::{Between, Lexicon, LexiconSet, ModelParams, Side, TranslationModel, Translations};
use crate::store::Store;
use crate::store::layout::LearntRecord;
use crate::text::words::Words;
use crate::types::{Lang, LangPair, Page, Similarities, SiteId};

/// Pairs that teach, of one language pair: by a hash of their addresses, so that which of many are taken depends on
/// neither archives nor threads.
type Lesson = BTreeMap<u64, (SiteId, PageIds)>;

/// The pairs that teach each language pair.
pub struct Lessons {
    by_langs: BTreeMap<LangPair, Lesson>,
    /// Words of a site are counted once, whatever the number of its language pairs.
    weights: Mutex<FxHashMap<SiteId, Arc<WordWeights>>>,
}

impl Lessons {
    /// Gathers them from all sites whose keys are found. Cost: a hash for each pair of the store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn gather(store: &Store, config: &Config) -> Result<Lessons> {
        let mut lessons: BTreeMap<LangPair, Lesson> = BTreeMap::new();
        // Without addresses nobody knows which pairs are sure.
        let count = if config.without_keys { 0 } else { store.site_count()? };
        for id in (0..count).map(SiteId) {
            if store.result_head(id)?.is_none_or(|head| head.pairs == 0) {
                continue;
            }
            let Some(view) = SiteView::open(store, config, id)? else { continue };
            for pair in view.result.pairs.iter() {
                let Some(key) = view.result.keys.get(pair.key.to_native() as usize) else { continue };
                let credible = key.credibility.to_native() >= config.learn.least_credibility;
                let (a, b) = (pair.a.to_native(), pair.b.to_native());
                let Some(found) = view.ordered(a, b).filter(|_| credible && key.state != State::Weak as u8) else {
                    continue;
                };
                let (langs, pages) = (found.langs, (found.a, found.b));
                if view.declared_otherwise(found) {
                    continue;
                }
                let hash = hash_of(view.pages.identity(pages.0), view.pages.identity(pages.1));
                let lesson = lessons.entry(langs).or_default();
                lesson.insert(hash, (id, pages));
                if lesson.len() > config.learn.pairs {
                    lesson.pop_last();
                }
            }
            store.results.unmap();
            store.sites.unmap();
        }
        lessons.retain(|_, lesson| lesson.len() >= config.judge.fit.min_good);
        Ok(Lessons { by_langs: lessons, weights: Mutex::default() })
    }

    /// The language pairs that can be learnt.
    pub fn langs(&self) -> impl Iterator<Item = LangPair> {
        self.by_langs.keys().copied()
    }

    /// Hash of what would be learnt from, and of the settings.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn inputs(&self, langs: LangPair, store: &Store, config: &Config, stage: &dyn Stage) -> Result<u64> {
        let mut hasher = Xxh3::new();
        hasher.update(&fingerprint(stage, config).to_le_bytes());
        let mut pages: FxHashMap<SiteId, crate::store::SitePages> = FxHashMap::default();
        for (hash, (site, (a, b))) in self.by_langs.get(&langs).into_iter().flatten() {
            hasher.update(&hash.to_le_bytes());
            if !pages.contains_key(site) {
                let head = store.site(*site)?.unwrap_or_default();
                pages.insert(*site, store.site_pages(&head)?);
                // Near misses and the weights of words come from all pages of the site.
                hasher.update(&head.generation.to_le_bytes());
                hasher.update(&store.result_head(*site)?.map_or(0, |head| head.record).to_le_bytes());
            }
            for page in [*a, *b] {
                let (chunk, at) = pages[site].chunk(page);
                hasher.update(&chunk.digests[at].to_native().to_le_bytes());
            }
        }
        Ok(hasher.digest())
    }

    /// Learns one language pair.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn learn(&self, langs: LangPair, inputs: u64, store: &Store, context: &Context<'_>) -> Result<LearntRecord> {
        let config = context.config;
        let empty = Lesson::new();
        let lesson = self.by_langs.get(&langs).unwrap_or(&empty);
        let mut by_site: BTreeMap<u64, (SiteId, Vec<PageIds>)> = BTreeMap::new();
        for (site, pages) in lesson.values() {
            let domain = store.site(*site)?.unwrap_or_default().domain;
            by_site.entry(xxh3_64(domain.as_bytes())).or_insert_with(|| (*site, Vec::new())).1.push(*pages);
        }
        let mut teacher = Teacher::new(langs, config);
        let mut views = Vec::new();
        for (_, (site, mut pairs)) in by_site {
            let Some(view) = SiteView::open(store, config, site)? else { continue };
            pairs.sort_unstable_by_key(|&(a, b)| (view.pages.identity(a).to_owned(), b));
            let (pairs, misses) = self.sure(&view, pairs, config)?;
            for &pages in &pairs {
                teacher.hear(&view, pages)?;
            }
            views.push((view, pairs, misses));
        }
        let length_ratio = teacher.length_ratio();
        let (halves, lexicon) = teacher.translations();
        let lexicons = halves.clone().map(|pairs| Lexicon::new(langs, pairs));
        let learnt = Learnt { langs, halves: lexicons, length_ratio, scorer: Scorer::default() };
        let sources = Models { learnt: BTreeMap::from([(langs, learnt)]), given: LexiconSet::default() };
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for (view, pairs, misses) in &views {
            let weights = self.weights_of(view)?;
            let compare =
                |pairs: &[PageIds]| -> Result<Vec<Similarities>> { view.similarities(pairs, &sources, &weights) };
            good.extend(compare(pairs)?);
            bad.extend(compare(misses)?);
        }
        let scorer = Scorer::fit(&good, &bad, &Scorer::default(), &config.judge.fit);
        let fitted = good.len() >= config.judge.fit.min_good && bad.len() >= config.judge.fit.min_good;
        Ok(LearntRecord {
            lang_a: langs.a.to_bytes(),
            lang_b: langs.b.to_bytes(),
            inputs,
            pairs: good.len() as u32,
            weights: if fitted { scorer.weights.to_vec() } else { Vec::new() },
            length_ratio,
            halves,
            lexicon,
        })
    }
}

impl Lessons {
    /// The pairs that are sure even if their key lies, and their near misses: without what is learnt of words, and with the
    /// shipped weights, no near miss of the page is clearly better.
    fn sure(&self, view: &SiteView<'_>, pairs: Vec<PageIds>, config: &Config) -> Result<(Vec<PageIds>, Vec<PageIds>)> {
        let (misses, weights) = (near_misses(view, &pairs), self.weights_of(view)?);
        let (nothing, shipped) = (Models::default(), Scorer::default());
        let evidence = |pairs: &[PageIds]| -> Result<Vec<f64>> {
            let found = view.similarities(pairs, &nothing, &weights)?;
            Ok(found.iter().map(|similarities| shipped.evidence(similarities, &config.judge.fit)).collect())
        };
        let mut best: FxHashMap<u32, f64> = FxHashMap::default();
        for (&(a, _), evidence) in misses.iter().zip(evidence(&misses)?) {
            let best = best.entry(a).or_insert(f64::NEG_INFINITY);
            *best = best.max(evidence);
        }
        let of_pairs = evidence(&pairs)?;
        let is_sure = |a: u32, evidence: f64| best.get(&a).is_none_or(|best| *best <= evidence + DOUBT);
        let mut sure = Vec::new();
        for (&(a, b), &evidence) in pairs.iter().zip(&of_pairs) {
            if is_sure(a, evidence) {
                sure.push((a, b));
            }
        }
        let pages: BTreeSet<u32> = sure.iter().map(|pair| pair.0).collect();
        let misses = misses.into_iter().filter(|(a, _)| pages.contains(a)).collect();
        Ok((sure, misses))
    }

    fn weights_of(&self, view: &SiteView<'_>) -> Result<Arc<WordWeights>> {
        let known = || self.weights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(weights) = known().get(&view.id) {
            return Ok(weights.clone());
        }
        let weights = Arc::new(view.word_weights()?);
        // The weights of a few large sites are what most language pairs ask for.
        let mut known = known();
        if known.len() >= KEPT_WEIGHTS {
            known.clear();
        }
        known.insert(view.id, weights.clone());
        Ok(weights)
    }
}

/// How much better a near miss must be for a pair to be in doubt, in nats.
const DOUBT: f64 = 0.5;

/// Sites whose words stay counted.
const KEPT_WEIGHTS: usize = 64;

/// What a site teaches of language pairs by pairs that are sure: words and lengths. The weights are the shipped ones.
///
/// # Errors
/// When the store cannot be read.
pub fn teach_site(view: &SiteView<'_>, sure: &BTreeMap<LangPair, Vec<PageIds>>, config: &Config) -> Result<Models> {
    let learn = |(&langs, pairs): (&LangPair, &Vec<PageIds>)| -> Result<(LangPair, Learnt)> {
        let mut pairs: Vec<(u64, PageIds)> =
            pairs.iter().map(|&(a, b)| (hash_of(view.pages.identity(a), view.pages.identity(b)), (a, b))).collect();
        pairs.sort_unstable();
        pairs.truncate(config.learn.pairs);
        let mut teacher = Teacher::new(langs, config);
        for (_, pages) in pairs {
            teacher.hear(view, pages)?;
        }
        let length_ratio = teacher.length_ratio();
        let halves = teacher.halves(&teacher.models()).map(|pairs| Lexicon::new(langs, pairs));
        Ok((langs, Learnt { langs, halves, length_ratio, scorer: Scorer::default() }))
    };
    let learnt: Vec<(LangPair, Learnt)> = sure.par_iter().map(learn).collect::<Result<_>>()?;
    Ok(Models { learnt: learnt.into_iter().collect(), ..Models::default() })
}

/// The lexicons that the user gave.
fn given(config: &Config) -> Result<LexiconSet> {
    let mut set = LexiconSet::default();
    let words = Words::new();
    for path in &config.lexicons {
        let file = std::fs::File::open(path).map_err(crate::error::Error::io(path, "opening"))?;
        let (lexicon, _) = Lexicon::read(std::io::BufReader::new(file), &path.display().to_string(), &words)?;
        set.add(lexicon);
    }
    Ok(set)
}

/// Pairs that are surely bad, and near: the partners of the three pages before and after in the list, of those most alike in
/// length, of one far away, and the next pages of the folder.
fn near_misses(view: &SiteView<'_>, pairs: &[PageIds]) -> Vec<PageIds> {
    let mut by_length: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
    by_length.sort_unstable_by_key(|&page| (view.facts(page).text_bytes, page));
    let places: FxHashMap<u32, usize> = by_length.iter().enumerate().map(|(at, &page)| (page, at)).collect();
    let mut found: BTreeSet<PageIds> = BTreeSet::new();
    for (at, &(a, b)) in pairs.iter().enumerate() {
        let round = (1..=NEAR).flat_map(|by| [at.checked_sub(by), Some(at + by)]);
        let near = round.chain([Some((at + pairs.len() / 2) % pairs.len())]);
        let others = near.flatten().filter_map(|at| pairs.get(at)).map(|pair| pair.1);
        let place = places.get(&b).copied().unwrap_or(0);
        let alike = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
        let alike = alike.filter_map(|at| by_length.get(at)).copied();
        // The next pages of the site itself stand in the same folder.
        let neighbours = (1..=NEAR as u32)
            .flat_map(|by| [b.checked_sub(by), Some(b + by)])
            .flatten()
            .filter(|&other| view.langs.get(other as usize).is_some_and(|&lang| lang == view.langs[b as usize]));
        found.extend(others.chain(alike).chain(neighbours).filter(|&other| other != b).map(|other| (a, other)));
    }
    found.into_iter().collect()
}

/// Pages before and after that are near.
const NEAR: usize = 3;

/// Text of pairs, as it is learnt from.
struct Teacher<'c> {
    langs: LangPair,
    config: &'c Config,
    /// Words of aligned blocks, of each half of the pairs.
    halves: [Vec<(Vec<u64>, Vec<u64>)>; 2],
    /// Words by language and hash.
    names: BTreeMap<(bool, u64), String>,
    words: usize,
    segments: Words,
    /// Bytes of text of the second page for one of the first, of every pair heard.
    ratios: Vec<f64>,
}

impl<'c> Teacher<'c> {
    fn new(langs: LangPair, config: &'c Config) -> Teacher<'c> {
        let (halves, names) = (Default::default(), BTreeMap::new());
        Teacher { langs, config, halves, names, words: 0, segments: Words::new(), ratios: Vec::new() }
    }

    fn hear(&mut self, view: &SiteView<'_>, (a, b): PageIds) -> Result<()> {
        let (length_a, length_b) = (view.facts(a).text_bytes, view.facts(b).text_bytes);
        self.ratios.push(f64::from(length_b.max(1)) / f64::from(length_a.max(1)));
        if self.words >= self.config.learn.words {
            return Ok(());
        }
        let half = half_of(view.pages.identity(a));
        let (first, second) = (view.page(a)?, view.page(b)?);
        for (left, right) in aligned_blocks(&first, &second) {
            let mut read = |page: &Page, block: usize, is_b: bool| {
                let block = page.blocks[block];
                let mut found = Vec::new();
                let text = page.text.get(block.start as usize..block.end as usize).unwrap_or("");
                self.segments.for_each(text, |surface, word| {
                    found.push(word);
                    self.names.entry((is_b, word)).or_insert_with(|| surface.to_lowercase());
                });
                found
            };
            let pair = (read(&first, left, false), read(&second, right, true));
            if !pair.0.is_empty() && !pair.1.is_empty() {
                self.words += pair.0.len();
                self.halves[half].push(pair);
            }
        }
        Ok(())
    }

    /// The median of the ratios; 1 when nothing was heard.
    fn length_ratio(&self) -> f64 {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
    }

    fn train(&self, pairs: &[(Vec<u64>, Vec<u64>)]) -> TranslationModel {
        let pairs: Vec<(&[u64], &[u64])> = pairs.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
        let mut model = TranslationModel::new(self.langs, ModelParams::default());
        model.train(&pairs, self.config.learn.passes);
        model
    }

    /// What each half teaches.
    fn models(&self) -> [TranslationModel; 2] {
        [0, 1].map(|half| self.train(&self.halves[half]))
    }

    /// What to ask about each half: the other one answers, so that what a pair taught does not speak for the pair.
    fn halves(&self, models: &[TranslationModel; 2]) -> Halves {
        [1, 0].map(|half| models[half].to_lexicon(self.config.learn.least_probability).pairs().collect())
    }

    /// What each half teaches, and both in words.
    fn translations(&self) -> (Halves, Vec<(String, String, f32)>) {
        let params = &self.config.learn;
        let models = self.models();
        let halves = self.halves(&models);
        let known: BTreeSet<(u64, u64)> = halves.iter().flatten().copied().collect();
        let mut named: Vec<(String, String, f32)> = Vec::new();
        for (a, b) in known {
            let (Some(first), Some(second)) = (self.names.get(&(false, a)), self.names.get(&(true, b))) else {
                continue;
            };
            // A third training on all of it would cost as much as the two, for what both halves say together.
            let of = |model: &TranslationModel| model.p(Side::A, b, a).min(model.p(Side::B, a, b));
            let p = models.iter().map(of).sum::<f64>() / 2.0;
            if first != second {
                named.push((first.clone(), second.clone(), p as f32));
            }
        }
        named.sort_by(|x, y| y.2.total_cmp(&x.2).then_with(|| (&x.0, &x.1).cmp(&(&y.0, &y.1))));
        named.truncate(params.lexicon);
        (halves, named)
    }
}

/// Translations that the other half of the pairs teaches, of each half.
type Halves = [Vec<(u64, u64)>; 2];

/// Which half of the pairs a page's pair belongs to, by its address.
fn half_of(identity: &str) -> usize {
    (xxh3_64(identity.as_bytes()) & 1) as usize
}

fn hash_of(a: &str, b: &str) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(a.as_bytes());
    hasher.update(&[0]);
    hasher.update(b.as_bytes());
    hasher.digest()
}

/// Blocks of two pages that correspond, by their tags and lengths: the cheapest way to walk both lists, where leaving a
/// block out costs 1 and pairing two blocks |ln(length ratio)|, more than leaving both out when their tags differ.
/// Only in a band round the diagonal, so the cost grows with the number of blocks.
pub(crate) fn aligned_blocks(a: &Page, b: &Page) -> Vec<(usize, usize)> {
    let (n, m) = (a.blocks.len(), b.blocks.len());
    if n == 0 || m == 0 {
        return Vec::new();
    }
    let tags = |page: &Page| page.blocks.iter().map(|block| block.tag).collect::<Vec<u16>>();
    if tags(a) == tags(b) {
        return (0..n).map(|at| (at, at)).collect();
    }
    let band = n.abs_diff(m) + BAND_BLOCKS;
    let width = 2 * band + 1;
    if n.saturating_mul(width) > MOST_CELLS {
        return Vec::new();
    }
    let length = |page: &Page, at: usize| f64::from(page.blocks[at].end - page.blocks[at].start).max(1.0);
    // Row i holds columns i − band … i + band.
    let mut cost = vec![f64::INFINITY; (n + 1) * width];
    let mut step = vec![0u8; (n + 1) * width];
    let cell = |i: usize, j: usize| (j + band).checked_sub(i).filter(|&k| k < width).map(|k| i * width + k);
    for i in 0..=n {
        for j in i.saturating_sub(band)..=(i + band).min(m) {
            let Some(here) = cell(i, j) else { continue };
            if i == 0 && j == 0 {
                cost[here] = 0.0;
                continue;
            }
            let mut best = (f64::INFINITY, 0);
            let mut offer = |from: Option<usize>, price: f64, kind: u8| {
                if let Some(from) = from.filter(|&from| cost[from] + price < best.0) {
                    best = (cost[from] + price, kind);
                }
            };
            if i > 0 && j > 0 {
                let alike = a.blocks[i - 1].tag == b.blocks[j - 1].tag;
                let price = (length(a, i - 1) / length(b, j - 1)).ln().abs().min(3.0);
                offer(cell(i - 1, j - 1), if alike { price } else { 2.5 + price }, 1);
            }
            if i > 0 {
                offer(cell(i - 1, j), 1.0, 2);
            }
            if j > 0 {
                offer(cell(i, j - 1), 1.0, 3);
            }
            (cost[here], step[here]) = best;
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (n, m);
    while i > 0 || j > 0 {
        match cell(i, j).map_or(0, |here| step[here]) {
            1 => {
                (i, j) = (i - 1, j - 1);
                pairs.push((i, j));
            }
            2 => i -= 1,
            3 => j -= 1,
            _ => return Vec::new(),
        }
    }
    pairs.reverse();
    pairs
}

/// Blocks by which two pages may be out of step, beside the difference of their numbers.
const BAND_BLOCKS: usize = 50;
/// Cells of an alignment, at the most; beyond it nothing is learnt from a pair.
const MOST_CELLS: usize = 4 << 20;

/// What was learnt of a language pair.
pub struct Learnt {
    /// The two languages.
    pub langs: LangPair,
    /// What to ask about each half of the pages.
    pub halves: [Lexicon; 2],
    /// Bytes of text of the second language for one of the first.
    pub length_ratio: f64,
    /// Weights of the score.
    pub scorer: Scorer,
}

/// A lexicon that is borrowed.
struct Learning<'l>(&'l Lexicon);

impl Translations for Learning<'_> {
    fn langs(&self) -> LangPair {
        self.0.langs()
    }

    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64)) {
        self.0.for_each_translation(side, word, each);
    }

    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool {
        self.0.is_translation(side, word, other)
    }
}

/// What was learnt and what was given, together.
struct Both<'l> {
    learnt: &'l Lexicon,
    given: Between<'l>,
}

impl Translations for Both<'_> {
    fn langs(&self) -> LangPair {
        self.learnt.langs()
    }

    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64)) {
        self.learnt.for_each_translation(side, word, each);
        self.given.for_each_translation(side, word, &mut |other| {
            if !self.learnt.is_translation(side, word, other) {
                each(other);
            }
        });
    }

    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool {
        self.learnt.is_translation(side, word, other) || self.given.is_translation(side, word, other)
    }
}

/// What is known of all language pairs: learnt, and given by the user.
#[derive(Default)]
pub struct Models {
    /// Learnt.
    pub learnt: BTreeMap<LangPair, Learnt>,
    /// Given.
    pub given: LexiconSet,
}

impl Models {
    /// What pairs are judged by: what the user gave, and what was learnt where the settings have it learnt.
    ///
    /// # Errors
    /// When the store, or a file, cannot be read.
    pub fn of(store: &Store, config: &Config) -> Result<Models> {
        if config.learns() { Models::read(store, config) } else { Models::given(config) }
    }

    /// What the user gave, and nothing learnt.
    ///
    /// # Errors
    /// When a word list cannot be read.
    pub fn given(config: &Config) -> Result<Models> {
        Ok(Models { learnt: BTreeMap::new(), given: given(config)? })
    }

    /// Reads what was learnt of all language pairs.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read(store: &Store, config: &Config) -> Result<Models> {
        let mut models = Models::given(config)?;
        let mut heads = Vec::new();
        store.catalog().for_each(
            crate::store::catalog::Table::Learnt,
            |_, head: crate::store::layout::LearntHead| {
                heads.push(head);
                Ok(())
            },
        )?;
        for head in heads {
            let record = store.learnt.read(crate::store::records::RecordRef(head.record))?;
            let pair = LangPair::new(Lang::from_bytes(record.lang_a), Lang::from_bytes(record.lang_b));
            let Some(langs) = pair else { continue };
            let half = |at: usize| {
                let pairs = record.halves[at].iter().map(|pair| (pair.0.to_native(), pair.1.to_native()));
                Lexicon::new(langs, pairs)
            };
            let weights: Vec<f64> = record.weights.iter().map(|weight| weight.to_native()).collect();
            let scorer = Scorer::of_weights(&weights).unwrap_or_default();
            let learnt =
                Learnt { langs, halves: [half(0), half(1)], length_ratio: record.length_ratio.to_native(), scorer };
            models.learnt.insert(langs, learnt);
        }
        Ok(models)
    }

    /// True when something was learnt or given of a language pair.
    pub fn knows(&self, langs: LangPair) -> bool {
        self.learnt.contains_key(&langs) || self.given.between(langs).is_some()
    }

    /// The weights of a language pair.
    pub fn scorer(&self, langs: LangPair) -> Scorer {
        self.learnt.get(&langs).map_or_else(Scorer::default, |learnt| learnt.scorer.clone())
    }
}

impl Sources for Models {
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>> {
        let learnt = self.learnt.get(&langs).map(|learnt| &learnt.halves[half_of(page)]);
        match (learnt.filter(|half| !half.is_empty()), self.given.between(langs)) {
            (Some(learnt), Some(given)) => Some(Box::new(Both { learnt, given })),
            (Some(learnt), None) => Some(Box::new(Learning(learnt))),
            (None, Some(given)) => Some(Box::new(given)),
            (None, None) => None,
        }
    }

    fn length_ratio(&self, langs: LangPair) -> Option<f64> {
        self.learnt.get(&langs).map(|learnt| learnt.length_ratio)
    }
}
