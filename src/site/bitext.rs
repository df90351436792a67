//! The sentence pairs of one site as they lie in the store, and the page pairs they are made from.

use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::paragraphs::sentence_text;
use super::repetitions::Cursor;
use super::results::{PairSource, Site, pair_source};
use crate::align::clean::Reason;
use crate::align::{Document, Lengths, Model, Params, Scoring, Vocabulary};
use crate::error::{Error, Result};
use crate::judge::hubs::{Accepted, is_whole};
use crate::store::Store;
use crate::store::layout::{
    ArchivedBitextPairRow, ArchivedRepeatRow, BeadRow, BitextChunk, BitextHead, ModelRecord, RepeatRecord, SiteHead,
    StoredPage, VocabularyRow,
};
use crate::store::records::{Mapped, RecordRef};
use crate::text::words::Words;
use crate::types::{JudgedPair, Lang, LangPair, PagePair, SiteId};

/// The accepted page pairs of a site, by languages, then URLs: bitext is made from these.
pub fn accepted_pairs(site: &Site) -> Vec<PagePair> {
    accepted(site).into_iter().map(|accepted| accepted.pair).collect()
}

/// The same, with what was judged.
pub fn accepted(site: &Site) -> Vec<Accepted> {
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
pub fn hash_of_pairs(pairs: &[PagePair]) -> u64 {
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
pub fn page_record(store: &Store, site: &Site, page: u32) -> Result<StoredPage> {
    store.page(RecordRef(page_place(site, page)))
}

/// The reference to the record of a page of a site.
pub fn page_place(site: &Site, page: u32) -> u64 {
    let (chunk, at) = site.pages.chunk(page);
    chunk.pages[at].to_native()
}

/// Bytes of text of a page of a site.
pub fn text_bytes(site: &Site, page: u32) -> u64 {
    let (chunk, at) = site.pages.chunk(page);
    u64::from(chunk.text_bytes[at].to_native())
}

/// A page in the form that alignment needs.
pub fn document<'p>(page: &'p StoredPage, lang: Lang, words: &Words, params: &Params) -> Document<'p> {
    let document = Document::new(page.text(), page.blocks(), lang, words, params.max_sentences);
    if params.blocks { document } else { document.without_blocks() }
}

/// The model of a pair of languages; `None` where nothing was learnt.
///
/// # Errors
/// When the store cannot be read, or the record makes no sense.
pub fn model(store: &Store, langs: LangPair) -> Result<Option<Model>> {
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
pub fn model_of(record: &ModelRecord) -> Option<Model> {
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

/// The record of what was learnt of a pair of languages, as `model` reads it.
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
pub struct SiteBitext {
    chunks: Vec<Mapped<BitextChunk>>,
    repeats: Vec<Mapped<RepeatRecord>>,
    shared: Vec<Mapped<RepeatRecord>>,
}

/// True when sentence pairs were made from the present pages and page pairs of a site.
pub fn is_fresh(head: &BitextHead, site: &Site) -> bool {
    let is_of_pages = head.finished && head.generation == site.head.generation;
    is_of_pages && (is_of_source(head, site.source) || head.pairs == hash_of_pairs(&accepted_pairs(site)))
}

/// Where the sentence pairs of a site are; `None` where there are none of its present page pairs.
///
/// # Errors
/// When the store cannot be read.
pub fn fresh_head(store: &Store, id: SiteId, site: &SiteHead) -> Result<Option<BitextHead>> {
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
pub fn are_compared(store: &Store) -> Result<bool> {
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

    /// The page pairs of the chunk that has this position, and all that follow it in the chunk, each with its position and its beads.
    pub fn aligned_from(&self, place: u32) -> impl Iterator<Item = (u32, &ArchivedBitextPairRow, Vec<BeadRow>)> {
        self.chunks[self.chunk_of(place)..].iter().flat_map(|chunk| {
            let pairs = chunk.pairs.iter().zip(chunk.beads());
            let first = chunk.first.to_native();
            pairs.zip(0u32..).map(move |((row, beads), at)| (first.wrapping_add(at), row, beads))
        })
    }

    /// The position of the chunk that has a page pair.
    pub fn chunk_of(&self, place: u32) -> usize {
        self.chunks.partition_point(|chunk| chunk.first <= place).saturating_sub(1)
    }

    /// How many chunks there are.
    pub fn chunk_count(&self) -> usize {
        self.chunks.len()
    }

    /// The page pairs of a chunk: the position of the first one, and for each its beads with the reasons for leaving them out. Repetition
    /// on the site counts as a reason; repetition on other sites only if `are_compared`.
    pub fn coded(&self, chunk: usize, are_compared: bool) -> (u32, Vec<Vec<BeadRow>>) {
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

    /// Calls `each`, in order, with every bead of some page pairs that is kept, or that is left out only because another page pair has it.
    pub fn for_each_translation(&self, places: &Range<u32>, each: &mut dyn FnMut(&ArchivedBitextPairRow, &BeadRow)) {
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

/// The rows of the page pair at a position and of all that follow it.
fn rows_from(records: &[Mapped<RepeatRecord>], place: u32) -> impl Iterator<Item = &ArchivedRepeatRow> {
    let is_before = |record: &Mapped<RepeatRecord>| record.rows.last().is_none_or(|row| row.pair < place);
    let behind = records[records.partition_point(is_before)..].iter().flat_map(|record| record.rows.iter());
    behind.skip_while(move |row| row.pair < place)
}

/// True for a bead that is kept, or left out only since another page pair has it.
pub fn is_translation(bead: &BeadRow, repeat: Option<&ArchivedRepeatRow>) -> bool {
    bead.reason == 0 && repeat.is_none_or(|row| row.reason == 0 || row.reason == Reason::Duplicate as u8)
}

/// The stored score, without the digits that converting it to a longer number adds.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

/// A sentence pair that was kept, as its texts stand on the pages.
pub struct Kept<'k> {
    /// The position of its page pair.
    pub place: u32,
    /// Languages and texts.
    pub texts: [(Lang, &'k str); 2],
    /// The URLs of the pages.
    pub urls: [&'k str; 2],
}

/// Calls `each` with the sentence pairs that were kept on a site, whatever other sites have: those of the page pair at a position and of
/// all that follow it, until `each` returns false.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_kept(
    store: &Store,
    id: SiteId,
    from: u32,
    mut each: impl FnMut(&Kept<'_>) -> Result<bool>,
) -> Result<()> {
    let site = Site::open(store, id)?;
    let Some(bitext) = SiteBitext::open(store, &site)? else { return Ok(()) };
    let mut repeats = Cursor::new(bitext.repeats());
    for (place, row, beads) in bitext.aligned_from(from).skip_while(|(place, ..)| *place < from) {
        let (a, b) = (page_record(store, &site, row.a.to_native())?, page_record(store, &site, row.b.to_native())?);
        let langs = [row.lang_a, row.lang_b].map(Lang::from_bytes);
        for (bead, number) in beads.iter().zip(0u32..) {
            if bead.reason != 0 || repeats.of(place, number).is_some_and(|row| row.reason != 0) {
                continue;
            }
            let texts = [sentence_text(&a, (bead.a_start, bead.a_end)), sentence_text(&b, (bead.b_start, bead.b_end))];
            let texts = [(langs[0], &*texts[0]), (langs[1], &*texts[1])];
            if !each(&Kept { place, texts, urls: [a.url(), b.url()] })? {
                return Ok(());
            }
        }
    }
    Ok(())
}
