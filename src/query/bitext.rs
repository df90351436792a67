//! Sentence pairs: which page pairs they are made from, and the pairs themselves.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::alternatives::{Alternatives, Texts};
use super::archives::ArchiveNames;
use super::frequency::Frequency;
use super::paragraphs::Paragraphs;
use super::repetitions::Cursor;
use super::scope::{Scope, sites};
use super::scores::{SiteScores, UserScorer};
use super::site::{PairSource, Site, pair_source};
use crate::align::clean::Reason;
use crate::align::{Document, Lengths, Model, Params, Scoring, Vocabulary};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::site::Urls;
use crate::judge::hubs::{Accepted, is_whole};
use crate::store::Store;
use crate::store::layout::{
    ArchivedBitextPairRow, ArchivedRepeatRow, BeadRow, BitextChunk, BitextHead, ModelRecord, RepeatRecord, SiteHead,
    StoredPage, VocabularyRow,
};
use crate::store::records::{Mapped, RecordRef};
use crate::text::scored;
use crate::text::words::Words;
use crate::types::{BitextLine, JudgedPair, Lang, LangPair, PagePair, Place, Provenance, SiteId, Told};

/// The accepted page pairs of a site, by languages, then URLs: bitext is made from these.
pub(crate) fn accepted_pairs(site: &Site) -> Vec<PagePair> {
    accepted(site).into_iter().map(|accepted| accepted.pair).collect()
}

/// The same, with what was judged.
pub(crate) fn accepted(site: &Site) -> Vec<Accepted> {
    let Some(result) = &site.result else { return Vec::new() };
    let mut pairs: Vec<Accepted> = if let Some(judged) = &site.judged {
        let accepted = |JudgedPair { pair, score, similarities, .. }: JudgedPair| {
            let langs = LangPair::new(site.lang(pair.a), site.lang(pair.b))?;
            Some(Accepted { pair: PagePair { langs, ..pair }, score, is_whole: is_whole(&similarities) })
        };
        judged.accepted().filter_map(accepted).collect()
    } else {
        let langs: Vec<Option<LangPair>> = result
            .keys
            .iter()
            .map(|key| LangPair::new(Lang::from_bytes(key.lang_a), Lang::from_bytes(key.lang_b)))
            .collect();
        let accepted = |row: &crate::store::layout::ArchivedPairRow| {
            let langs = (*langs.get(row.key.to_native() as usize)?)?;
            let pair = PagePair { langs, a: row.a.to_native(), b: row.b.to_native() };
            Some(Accepted { pair, score: 1.0, is_whole: false })
        };
        result.pairs.iter().filter_map(accepted).collect()
    };
    pairs.sort_unstable_by(|x, y| x.pair.cmp(&y.pair).then(y.score.total_cmp(&x.score)));
    pairs.dedup_by_key(|accepted| accepted.pair);
    pairs
}

/// A hash of a list of page pairs.
pub(crate) fn hash_of_pairs(pairs: &[PagePair]) -> u64 {
    let mut hasher = Xxh3::new();
    for pair in pairs {
        hasher.update(&pair.langs.a.to_bytes());
        hasher.update(&pair.langs.b.to_bytes());
        hasher.update(&pair.a.to_le_bytes());
        hasher.update(&pair.b.to_le_bytes());
    }
    hasher.digest()
}

/// The record of a page of a site.
///
/// # Errors
/// When the store cannot be read.
pub(crate) fn page_record(store: &Store, site: &Site, page: u32) -> Result<StoredPage> {
    store.page(RecordRef(page_place(site, page)))
}

/// The reference to the record of a page of a site.
pub(crate) fn page_place(site: &Site, page: u32) -> u64 {
    let (chunk, at) = site.pages.chunk(page);
    chunk.pages[at].to_native()
}

/// Bytes of text of a page of a site.
pub(crate) fn text_bytes(site: &Site, page: u32) -> u64 {
    let (chunk, at) = site.pages.chunk(page);
    u64::from(chunk.text_bytes[at].to_native())
}

/// A page as alignment sees it.
pub(crate) fn document<'p>(page: &'p StoredPage, lang: Lang, words: &Words, params: &Params) -> Document<'p> {
    let document = Document::new(page.text(), page.blocks(), lang, words, params.max_sentences);
    if params.blocks { document } else { document.without_blocks() }
}

/// What was learnt of a pair of languages; `None` where nothing was.
///
/// # Errors
/// When the store cannot be read, or the record makes no sense.
pub(crate) fn model(store: &Store, langs: LangPair) -> Result<Option<Model>> {
    let Some(head) = store.model_head(langs)? else { return Ok(None) };
    let record = store.models.read(RecordRef(head.record))?;
    let damaged = || {
        let problem =
            format!("the model of {}-{} is damaged; delete the folder models and run again", langs.a, langs.b);
        Error::Store { path: store.folder().to_owned(), problem }
    };
    let lengths = Lengths { ratio: record.ratio.to_native(), variance: record.variance.to_native() };
    let scoring: Vec<f32> = record.scoring.iter().map(|number| number.to_native()).collect();
    sound_model([&record.a.bytes, &record.b.bytes], lengths, &scoring).map(Some).ok_or_else(damaged)
}

/// The model of a record; `None` where it makes no sense.
#[cfg(feature = "exec")]
pub(crate) fn model_of(record: &ModelRecord) -> Option<Model> {
    let lengths = Lengths { ratio: record.ratio, variance: record.variance };
    sound_model([&record.a.bytes, &record.b.bytes], lengths, &record.scoring)
}

fn sound_model([a, b]: [&[u8]; 2], lengths: Lengths, scoring: &[f32]) -> Option<Model> {
    let (a, b) = (Vocabulary::from_bytes(a)?, Vocabulary::from_bytes(b)?);
    let is_sound = a.is_sound(b.words.len()) && b.is_sound(a.words.len());
    let are_numbers = [lengths.ratio, lengths.variance].iter().all(|&number| number.is_finite() && number > 0.0);
    let scoring = Scoring::from_numbers(scoring)?;
    (is_sound && are_numbers).then_some(Model { a, b, lengths, scoring })
}

/// What was learnt of a pair of languages, as `model` reads it.
pub fn model_record(langs: LangPair, model: Model) -> ModelRecord {
    ModelRecord {
        lang_a: langs.a.to_bytes(),
        lang_b: langs.b.to_bytes(),
        ratio: model.lengths.ratio,
        variance: model.lengths.variance,
        scoring: model.scoring.to_numbers(),
        a: VocabularyRow { bytes: model.a.to_bytes() },
        b: VocabularyRow { bytes: model.b.to_bytes() },
    }
}

/// The sentence pairs of a site as they lie in the store, with what is repeated among them.
pub(crate) struct SiteBitext {
    chunks: Vec<Mapped<BitextChunk>>,
    repeats: Vec<Mapped<RepeatRecord>>,
    shared: Vec<Mapped<RepeatRecord>>,
}

/// True when sentence pairs were made from the present pages and page pairs of a site.
pub(super) fn is_fresh(head: &BitextHead, site: &Site) -> bool {
    let is_of_pages = head.finished && head.generation == site.head.generation;
    is_of_pages && (is_of_source(head, site.source) || head.pairs == hash_of_pairs(&accepted_pairs(site)))
}

/// Where the sentence pairs of a site are; `None` where there are none of its present page pairs.
///
/// # Errors
/// When the store cannot be read.
pub(crate) fn fresh_head(store: &Store, id: SiteId, site: &SiteHead) -> Result<Option<BitextHead>> {
    let is_of_pages = |head: &BitextHead| head.finished && head.generation == site.generation;
    let Some(head) = store.bitext_head(id)?.filter(is_of_pages) else { return Ok(None) };
    // The same page pairs may now stand in another record.
    let is_fresh = is_of_source(&head, pair_source(store, id, site)?) || is_fresh(&head, &Site::open(store, id)?);
    Ok(is_fresh.then_some(head))
}

/// True when the page pairs of a site are still in the record from which they were last read.
pub fn is_of_source(head: &BitextHead, source: Option<PairSource>) -> bool {
    source.is_some_and(|source| (source.of as u8, source.record) == (head.source_table, head.source))
}

/// True when repetitions across sites are known: all sites have been compared, and none has changed since.
///
/// # Errors
/// When the store cannot be read.
pub(crate) fn are_compared(store: &Store) -> Result<bool> {
    if !store.stage("align")?.finished {
        return Ok(false);
    }
    for id in (0..store.site_count()?).map(SiteId) {
        if store.bitext_head(id)?.is_none_or(|head| head.compared == 0) {
            continue;
        }
        let site = store.site(id)?.unwrap_or_default();
        if fresh_head(store, id, &site)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

impl SiteBitext {
    /// Opens the sentence pairs of a site; `None` when there are none, or they were made from other pages or page pairs.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: &Store, site: &Site) -> Result<Option<SiteBitext>> {
        let Some(head) = store.bitext_head(site.id)? else { return Ok(None) };
        if !is_fresh(&head, site) {
            return Ok(None);
        }
        let found = SiteBitext::read(store, &head)?;
        let pages = site.head.pages;
        let is_of = |row: &ArchivedBitextPairRow| row.a < pages && row.b < pages;
        if found.pairs().all(is_of) { Ok(Some(found)) } else { Err(store.senseless("sentence pairs", &site.head)) }
    }

    /// Opens the records that a head refers to.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read(store: &Store, head: &BitextHead) -> Result<SiteBitext> {
        let repeats =
            |places: &[u64]| places.iter().map(|&at| store.repeats.read(RecordRef(at))).collect::<Result<_>>();
        Ok(SiteBitext {
            chunks: head.chunks.iter().map(|&at| store.bitexts.read(RecordRef(at))).collect::<Result<_>>()?,
            repeats: repeats(&head.repeats)?,
            shared: repeats(&head.shared)?,
        })
    }

    /// The same, without the repetitions.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn without_repeats(store: &Store, head: &BitextHead) -> Result<SiteBitext> {
        let head = BitextHead { chunks: head.chunks.clone(), ..BitextHead::default() };
        SiteBitext::read(store, &head)
    }

    /// The aligned page pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = &ArchivedBitextPairRow> {
        self.chunks.iter().flat_map(|chunk| chunk.pairs.iter())
    }

    /// The same page pairs, each with its beads.
    pub fn aligned(&self) -> impl Iterator<Item = (&ArchivedBitextPairRow, Vec<BeadRow>)> {
        self.chunks.iter().flat_map(|chunk| chunk.pairs.iter().zip(chunk.beads()))
    }

    /// The page pairs of the chunk that has a position and of those behind it, each with its position and its beads.
    fn aligned_from(&self, place: u32) -> impl Iterator<Item = (u32, &ArchivedBitextPairRow, Vec<BeadRow>)> {
        self.chunks[self.chunk_of(place)..].iter().flat_map(|chunk| {
            let pairs = chunk.pairs.iter().zip(chunk.beads());
            let first = chunk.first.to_native();
            pairs.zip(0u32..).map(move |((row, beads), at)| (first.wrapping_add(at), row, beads))
        })
    }

    /// The position of the chunk that has a page pair.
    pub(super) fn chunk_of(&self, place: u32) -> usize {
        self.chunks.partition_point(|chunk| chunk.first <= place).saturating_sub(1)
    }

    /// How many chunks there are.
    pub(super) fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// The page pairs of a chunk: the position of the first, and the beads of each with the reason for leaving it out, repetition included;
    /// that on other sites only if sites `are_compared`.
    pub(super) fn coded(&self, chunk: usize, are_compared: bool) -> (u32, Vec<Vec<BeadRow>>) {
        let Some(chunk) = self.chunks.get(chunk) else { return (0, Vec::new()) };
        let first = chunk.first.to_native();
        let mut repeats = Cursor::new(rows_from(&self.repeats, first));
        let mut shared = Cursor::new(rows_from(&self.shared, first).filter(|_| are_compared));
        let coded = |(mut beads, place): (Vec<BeadRow>, u32)| {
            for (bead, number) in beads.iter_mut().zip(0u32..) {
                let rows = [repeats.of(place, number), shared.of(place, number)];
                let codes = [bead.reason].into_iter().chain(rows.into_iter().flatten().map(|row| row.reason));
                bead.reason = codes.into_iter().find(|&code| code != 0).unwrap_or(0);
            }
            beads
        };
        (first, chunk.beads().zip(first..).map(coded).collect())
    }

    /// Calls `each` with every bead of some page pairs that is kept, or left out only since another page pair has it, in order.
    fn for_each_translation(&self, places: &Range<u32>, each: &mut dyn FnMut(&ArchivedBitextPairRow, &BeadRow)) {
        let mut repeats = Cursor::new(self.repeats());
        let behind = self.aligned_from(places.start).take_while(|(place, ..)| *place < places.end);
        for (place, row, beads) in behind.filter(|(place, ..)| *place >= places.start) {
            for (bead, number) in beads.iter().zip(0u32..) {
                if is_translation(bead, repeats.of(place, number)) {
                    each(row, bead);
                }
            }
        }
    }

    /// The beads of one page pair in the order of the page, each with the reason for leaving it out, including repetition on the site;
    /// `None` where the two pages were not aligned.
    pub fn of_pair(&self, a: u32, b: u32) -> Option<(&ArchivedBitextPairRow, Vec<BeadRow>)> {
        for chunk in &self.chunks {
            let Some(at) = chunk.pairs.iter().position(|row| (row.a.to_native(), row.b.to_native()) == (a, b)) else {
                continue;
            };
            let mut beads = chunk.beads().nth(at)?;
            let place = chunk.first.to_native() + at as u32;
            for row in self.repeats().filter(|row| row.pair.to_native() == place) {
                if let Some(bead) = beads.get_mut(row.bead.to_native() as usize).filter(|bead| bead.reason == 0) {
                    bead.reason = row.reason;
                }
            }
            return Some((&chunk.pairs[at], beads));
        }
        None
    }

    /// The page pair at a position.
    pub fn pair(&self, place: u32) -> Option<&ArchivedBitextPairRow> {
        let at = self.chunks.partition_point(|chunk| chunk.first <= place).checked_sub(1)?;
        let chunk = &self.chunks[at];
        chunk.pairs.get((place - chunk.first.to_native()) as usize)
    }

    /// The page pairs from a position on, in order.
    pub fn pairs_from(&self, place: u32) -> impl Iterator<Item = &ArchivedBitextPairRow> {
        let at = self.chunk_of(place);
        let skipped = self.chunks.get(at).map_or(0, |chunk| place.saturating_sub(chunk.first.to_native()));
        self.chunks[at.min(self.chunks.len())..].iter().flat_map(|chunk| chunk.pairs.iter()).skip(skipped as usize)
    }

    /// The beads that occur more than once on the site, in order.
    pub fn repeats(&self) -> impl Iterator<Item = &ArchivedRepeatRow> {
        self.repeats.iter().flat_map(|record| record.rows.iter())
    }

    /// The beads that also occur on other sites, in order.
    pub fn shared(&self) -> impl Iterator<Item = &ArchivedRepeatRow> {
        self.shared.iter().flat_map(|record| record.rows.iter())
    }
}

/// The rows of the page pair at a position and of those behind it.
fn rows_from(records: &[Mapped<RepeatRecord>], place: u32) -> impl Iterator<Item = &ArchivedRepeatRow> {
    let is_before = |record: &Mapped<RepeatRecord>| record.rows.last().is_none_or(|row| row.pair < place);
    let behind = records[records.partition_point(is_before)..].iter().flat_map(|record| record.rows.iter());
    behind.skip_while(move |row| row.pair < place)
}

/// True for a bead that is kept, or left out only since another page pair has it.
pub(super) fn is_translation(bead: &BeadRow, repeat: Option<&ArchivedRepeatRow>) -> bool {
    bead.reason == 0 && repeat.is_none_or(|row| row.reason == 0 || row.reason == Reason::Duplicate as u8)
}

/// A score as it is stored, without the digits that a longer number adds.
pub(super) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

/// The columns that say how many translations a text has, which takes a look at all sentence pairs of a site.
pub const ALTERNATIVES: &[&str] = &["targets", "sources"];

/// The columns with what the records of pages are called.
pub const RECORDS: &[&str] = &["record_id_a", "record_id_b", "payload_digest_a", "payload_digest_b"];

/// What is asked for of sentence pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// True for those that were left out too, each with its reason.
    pub all: bool,
    /// True where it is to be counted how many translations their texts have.
    pub alternatives: bool,
    /// True where the names and digests of the pages' records are wanted.
    pub records: bool,
    /// True where hashes of the pages' texts are wanted.
    pub pages: bool,
    /// True where it is wanted how many paragraphs pages have, and these sentences.
    pub totals: bool,
}

/// How many URLs of pages of other sites are kept in memory, at most: some 10 MB.
const KNOWN_URLS: usize = 1 << 16;

/// Calls `each` with every sentence pair of a scope: by domain, languages, URLs, then in the order of the page. A sentence pair that several sites have is left out of all but the first, but only if the
/// scope is the whole store.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_bead(
    store: &Store,
    config: &Config,
    scope: &Scope,
    asked: Asked,
    mut each: impl FnMut(BitextLine) -> Result<()>,
) -> Result<()> {
    let scorer = UserScorer::of(store);
    let mut caches = Caches::default();
    // Until all sites are aligned, repetitions across sites are unknown, or were found among other sites.
    let are_compared = scope.is_all() && are_compared(store)?;
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(bitext) = SiteBitext::open(store, &site)? else { continue };
        let wanted = Wanted { scope, asked, scorer: Some(&scorer), are_compared, from: 0 };
        wanted.for_each(store, config, (&site, &bitext), &mut caches, |_, line| each(line).map(|()| true))?;
    }
    Ok(())
}

/// Calls `each` with the sentence pairs that were kept on a site, whatever other sites say: those of the page pair at a position and of all
/// behind it, each with the position of its page pair, until `each` wants no more. Nothing is said of repetitions elsewhere.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub(crate) fn for_each_kept(
    store: &Store,
    config: &Config,
    id: SiteId,
    from: u32,
    each: impl FnMut(u32, BitextLine) -> Result<bool>,
) -> Result<()> {
    let site = Site::open(store, id)?;
    let Some(bitext) = SiteBitext::open(store, &site)? else { return Ok(()) };
    let wanted = Wanted { scope: &Scope::all(), asked: Asked::default(), scorer: None, are_compared: false, from };
    wanted.for_each(store, config, (&site, &bitext), &mut Caches::default(), each)
}

/// What is kept from site to site.
#[derive(Default)]
struct Caches {
    archives: ArchiveNames,
    urls: KnownUrls,
}

/// Which sentence pairs of a site are wanted.
struct Wanted<'w> {
    scope: &'w Scope,
    asked: Asked,
    /// Whose scores are looked up, if anyone's.
    scorer: Option<&'w UserScorer>,
    /// Repetitions across sites are known and count.
    are_compared: bool,
    /// From the page pair at this position on.
    from: u32,
}

impl Wanted<'_> {
    /// Calls `each` with these sentence pairs and the positions of their page pairs, until it returns false.
    fn for_each(
        &self,
        store: &Store,
        config: &Config,
        (site, bitext): (&Site, &SiteBitext),
        caches: &mut Caches,
        mut each: impl FnMut(u32, BitextLine) -> Result<bool>,
    ) -> Result<()> {
        let &Wanted { scope, asked: Asked { all, .. }, are_compared, from, .. } = self;
        let frequency = Frequency::new(bitext.pairs());
        let frequency = if all { frequency.with_repeated(bitext.aligned(), bitext.repeats()) } else { frequency };
        let mut known = Known::default();
        let mut repeats = Cursor::new(bitext.repeats());
        let mut shared = Cursor::new(bitext.shared().filter(|_| are_compared));
        for (place, row, beads) in bitext.aligned_from(from) {
            if place >= known.end {
                known = self.known(store, config, (site, bitext), place)?;
            }
            let is_wanted = |page: u32| page < site.pages.count() && scope.has_host(site.pages.identity(page));
            let wanted = place >= from && (is_wanted(row.a.to_native()) || is_wanted(row.b.to_native()));
            let pair = if wanted {
                Some(OpenPair::new(store, config, site, row, (&mut caches.archives, self.asked))?)
            } else {
                None
            };
            // The sentence pair before, if it was kept.
            let mut before: Option<&BeadRow> = None;
            for (bead, number) in beads.iter().zip(0u32..) {
                let (repeat, share) = (repeats.of(place, number), shared.of(place, number));
                let Some(pair) = &pair else { continue };
                let reasons = [Some(bead.reason), repeat.map(|row| row.reason), share.map(|row| row.reason)];
                let code = reasons.into_iter().flatten().find(|&code| code != 0).unwrap_or(0);
                if all || code == 0 {
                    let mut line = pair.line(bead, code);
                    for other in repeat.iter().filter(|row| row.reason == 0).flat_map(|row| row.others.iter()) {
                        line.others.extend(bitext.pair(other.to_native()).map(|other| pair.urls(other)));
                    }
                    for other in share.iter().flat_map(|row| row.elsewhere.iter()) {
                        let mut url = |at: u64| caches.urls.of(store, at);
                        line.others.push(pair.turned(url(other.a.to_native())?, url(other.b.to_native())?));
                    }
                    line.page_pairs = frequency.of(row, bead, repeat);
                    line.is_furniture = frequency.is_furniture(row, line.page_pairs);
                    if let Some(found) = known.alternatives.as_ref().filter(|_| is_translation(bead, repeat)) {
                        let [targets, sources] = found.of(([row.lang_a, row.lang_b], bead.texts));
                        (line.targets, line.sources) = pair.turned(Some(targets), Some(sources));
                    }
                    line.joint = before.filter(|_| code == 0).and_then(|before| pair.joint(before, bead));
                    line.scorer = self.scorer.and_then(|scorer| known.scores.of(scorer, &line));
                    if !each(place, line)? {
                        return Ok(());
                    }
                } else {
                    pair.pages.0.pass((bead.a_start, bead.a_end), bead.m);
                    pair.pages.1.pass((bead.b_start, bead.b_end), bead.n);
                }
                before = Some(bead).filter(|_| code == 0);
            }
        }
        Ok(())
    }

    /// What is known of the page pair at a position and of those behind it, of as many as the memory allows.
    fn known(&self, store: &Store, config: &Config, of: (&Site, &SiteBitext), from: u32) -> Result<Known> {
        let (site, bitext) = of;
        let scorer = self.scorer.filter(|scorer| scorer.command().is_some());
        if scorer.is_none() && !self.asked.alternatives {
            return Ok(Known { end: u32::MAX, ..Known::default() });
        }
        let budget = config.memory.sorted_beads();
        let mut beads = 0;
        let rows = bitext.pairs_from(from).take_while(|row| {
            let is_first = beads == 0;
            beads += row.beads.to_native() as usize;
            is_first || beads <= budget / KNOWN_BYTES
        });
        let places = from..from.saturating_add(rows.count() as u32);
        let is_all = places.start == 0 && bitext.pair(places.end).is_none();
        let translations = |places: &Range<u32>, each: &mut dyn FnMut(Texts)| {
            bitext.for_each_translation(places, &mut |row, bead| each(([row.lang_a, row.lang_b], bead.texts)));
        };
        let these = |each: &mut dyn FnMut(Texts)| translations(&places, each);
        let alternatives = self.asked.alternatives.then(|| {
            Alternatives::new((!is_all).then_some(&these), budget, &|each| translations(&(0..u32::MAX), each))
        });
        let scores = match scorer {
            None => SiteScores::default(),
            Some(scorer) if is_all => scorer.of_site(store, site.id, |_| true)?,
            Some(scorer) => {
                let lines = self.lines(store, config, of, (scorer, &places))?;
                scorer.of_site(store, site.id, |line| lines.contains(&line))?
            }
        };
        Ok(Known { end: places.end, alternatives, scores })
    }

    /// What a scorer is asked of some page pairs, by hashes.
    fn lines(
        &self,
        store: &Store,
        config: &Config,
        of: (&Site, &SiteBitext),
        (scorer, places): (&UserScorer, &Range<u32>),
    ) -> Result<FxHashSet<u64>> {
        let mut lines = FxHashSet::default();
        let asked = Asked { alternatives: false, ..self.asked };
        let wanted = Wanted { asked, scorer: None, from: places.start, ..*self };
        wanted.for_each(store, config, of, &mut Caches::default(), |place, line| {
            lines.extend(scorer.question(&line).map(|question| scored::hash(&question)).filter(|_| place < places.end));
            Ok(place < places.end)
        })?;
        Ok(lines)
    }
}

/// What is looked up of the sentence pairs of consecutive page pairs before these are read.
#[derive(Default)]
struct Known {
    /// One past the position of the last page pair.
    end: u32,
    alternatives: Option<Alternatives>,
    scores: SiteScores,
}

/// Bytes of what is known of a sentence pair and its two texts, at most.
const KNOWN_BYTES: usize = 128;

/// URLs of pages of other sites, by the places of the pages. They are kept because repetitions come from the same pages again and again.
#[derive(Default)]
struct KnownUrls(FxHashMap<u64, String>);

impl KnownUrls {
    fn of(&mut self, store: &Store, at: u64) -> Result<String> {
        if let Some(url) = self.0.get(&at) {
            return Ok(url.clone());
        }
        if self.0.len() >= KNOWN_URLS {
            self.0.clear();
        }
        let url = store.page_url(RecordRef(at))?;
        self.0.insert(at, url.clone());
        Ok(url)
    }
}

/// An aligned page pair with both of its pages.
struct OpenPair<'s> {
    site: &'s Site,
    row: &'s ArchivedBitextPairRow,
    langs: (Lang, Lang),
    is_turned: bool,
    pages: (Paragraphs, Paragraphs),
    archives: (String, String),
    provenance: (Provenance, Provenance),
    hashes: (u64, u64),
    asked: Asked,
}

impl<'s> OpenPair<'s> {
    fn new(
        store: &Store,
        config: &Config,
        site: &'s Site,
        row: &'s ArchivedBitextPairRow,
        (archives, asked): (&mut ArchiveNames, Asked),
    ) -> Result<OpenPair<'s>> {
        let langs = (Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b));
        let pages = (page_record(store, site, row.a.to_native())?, page_record(store, site, row.b.to_native())?);
        let archives = (archives.of(store, &pages.0)?, archives.of(store, &pages.1)?);
        let provenance = |page: u32, record: &StoredPage| {
            if asked.records { site.provenance_in(page, record) } else { site.provenance(page) }
        };
        let provenance = (provenance(row.a.to_native(), &pages.0), provenance(row.b.to_native(), &pages.1));
        let hash = |record: &StoredPage| if asked.pages { xxh3_64(record.text().as_bytes()) } else { 0 };
        let hashes = (hash(&pages.0), hash(&pages.1));
        let is_turned = config.lang_rank(langs.1) < config.lang_rank(langs.0);
        let pages = (Paragraphs::new(pages.0, langs.0), Paragraphs::new(pages.1, langs.1));
        Ok(OpenPair { site, row, langs, is_turned, pages, archives, provenance, hashes, asked })
    }

    /// The URLs of another page pair of the site.
    fn urls(&self, other: &ArchivedBitextPairRow) -> (String, String) {
        self.turned(self.site.pages.url(other.a.to_native()), self.site.pages.url(other.b.to_native()))
    }

    /// Two values, of the first and the second language, in the order of listing.
    fn turned<T>(&self, a: T, b: T) -> (T, T) {
        if self.is_turned { (b, a) } else { (a, b) }
    }

    /// What stands between two consecutive beads on the pages, in the order of listing; `None` where they cannot be joined.
    fn joint(&self, before: &BeadRow, bead: &BeadRow) -> Option<[&'static str; 2]> {
        let a = self.pages.0.joint(before.a_end, bead.a_start, before.a_start)?;
        let b = self.pages.1.joint(before.b_end, bead.b_start, before.b_start)?;
        Some(self.turned(a, b).into())
    }

    /// A bead as a line, without what other page pairs say.
    fn line(&self, bead: &BeadRow, code: u8) -> BitextLine {
        let side =
            |side: &Paragraphs, (archive, provenance, page): (&str, &Provenance, u64), range: (u32, u32), count| {
                let found = side.place(range, count);
                let paragraph = found.as_ref().map(|found| found.paragraph);
                let block = paragraph.map(|paragraph| format!("{paragraph}:{}", side.tag(paragraph)));
                let place = Place {
                    url: side.page.url().to_owned(),
                    archive: archive.to_owned(),
                    offset: side.page.offset,
                    block: block.unwrap_or_default(),
                    kind: paragraph.map(|paragraph| side.kind(paragraph)),
                    paragraph,
                    sentence: found.as_ref().map(|found| found.sentence),
                    count: u32::from(count),
                    provenance: provenance.clone(),
                    span: if found.is_some() { range } else { (0, 0) },
                    page,
                    totals: paragraph.filter(|_| self.asked.totals).map(|paragraph| side.totals(paragraph)),
                };
                (found.map_or(String::new(), |found| found.text), place)
            };
        let a = side(
            &self.pages.0,
            (&self.archives.0, &self.provenance.0, self.hashes.0),
            (bead.a_start, bead.a_end),
            bead.m,
        );
        let b = side(
            &self.pages.1,
            (&self.archives.1, &self.provenance.1, self.hashes.1),
            (bead.b_start, bead.b_end),
            bead.n,
        );
        let ((text_a, place_a), (text_b, place_b)) = self.turned(a, b);
        let (lang_a, lang_b) = self.turned(self.langs.0, self.langs.1);
        BitextLine {
            text_a,
            text_b,
            lang_a,
            lang_b,
            // As it is stored, without the digits that a longer number adds.
            score: rounded(bead.score),
            page_score: f64::from(self.row.score.to_native()),
            reason: Reason::from_code(code).map(Reason::name),
            a: place_a,
            b: place_b,
            others: Vec::new(),
            page_pairs: None,
            is_furniture: false,
            targets: None,
            sources: None,
            told: <[Told; 2]>::default(),
            scorer: None,
            joint: None,
        }
    }
}

/// The languages of the accepted page pairs of a scope.
///
/// # Errors
/// When the store cannot be read.
pub fn langs_of_page_pairs(store: &Store, scope: &Scope) -> Result<BTreeSet<LangPair>> {
    let mut found = BTreeSet::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let is_here = |page: u32| scope.has_host(site.pages.identity(page));
        let pairs = accepted_pairs(&site);
        found.extend(pairs.iter().filter(|pair| is_here(pair.a) || is_here(pair.b)).map(|pair| pair.langs));
    }
    Ok(found)
}

/// Calls `each` with the texts of every accepted page pair of a scope.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_page_pair(
    store: &Store,
    scope: &Scope,
    mut each: impl FnMut(LangPair, &str, &str) -> Result<()>,
) -> Result<()> {
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        for pair in accepted_pairs(&site) {
            if scope.has_host(site.pages.identity(pair.a)) || scope.has_host(site.pages.identity(pair.b)) {
                let (a, b) = (page_record(store, &site, pair.a)?, page_record(store, &site, pair.b)?);
                each(pair.langs, a.text(), b.text())?;
            }
        }
    }
    Ok(())
}
