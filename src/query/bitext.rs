//! Sentence pairs: which page pairs they are made from, and the pairs themselves.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3;

use super::{Scope, Site, sites};
use crate::align::clean::Reason;
use crate::align::{Document, Evidence, Lengths, Params, Table, align, translation};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::site::Addresses;
use crate::store::Store;
use crate::store::layout::{
    ArchivedBeadRow, ArchivedPageRecord, ArchivedPairBitextRow, ArchivedRepeatRow, ArchivedVocabularyRow, BitextRecord,
    PageRecord, RepeatRecord,
};
use crate::store::records::{Mapped, RecordRef};
use crate::text::words::Words;
use crate::types::{ArchiveId, Bead, BitextLine, Block, Lang, LangPair, PagePair, Place, tag_name};

/// The page pairs of a site that are taken for translations, by languages, then addresses: what bitext is made from.
pub fn accepted_pairs(site: &Site) -> Vec<PagePair> {
    let Some(result) = &site.result else { return Vec::new() };
    if let Some(judged) = &site.judged {
        let accepted = judged.pairs.iter().filter(|row| row.is_accepted());
        let pair = |row: &crate::store::layout::ArchivedJudgedRow| {
            let (a, b) = (row.a.to_native(), row.b.to_native());
            Some(PagePair { langs: LangPair::new(site.lang(a), site.lang(b))?, a, b })
        };
        let mut pairs: Vec<PagePair> = accepted.filter_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        return pairs;
    }
    let langs: Vec<Option<LangPair>> = result
        .keys
        .iter()
        .map(|key| LangPair::new(Lang::from_bytes(key.lang_a), Lang::from_bytes(key.lang_b)))
        .collect();
    let pair = |row: &crate::store::layout::ArchivedPairRow| {
        let langs = (*langs.get(row.key.to_native() as usize)?)?;
        Some(PagePair { langs, a: row.a.to_native(), b: row.b.to_native() })
    };
    let mut pairs: Vec<PagePair> = result.pairs.iter().filter_map(pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A hash that tells one list of page pairs from another.
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
pub fn page_record(store: &Store, site: &Site, page: u32) -> Result<Mapped<PageRecord>> {
    let (chunk, at) = site.pages.chunk(page);
    store.pages.read(RecordRef(chunk.pages[at].to_native()))
}

/// The blocks of a page.
pub fn blocks(page: &ArchivedPageRecord) -> impl Iterator<Item = Block> + '_ {
    page.blocks.iter().map(|block| Block {
        start: block.start.to_native(),
        end: block.end.to_native(),
        tag: block.tag.to_native(),
        at: block.at.to_native(),
    })
}

/// What was learnt of a pair of languages; `None` where nothing was.
///
/// # Errors
/// When the store cannot be read, or the record makes no sense.
pub fn table(store: &Store, langs: LangPair) -> Result<Option<Table>> {
    let Some(head) = store.model_head(langs)? else { return Ok(None) };
    let record = store.models.read(RecordRef(head.record))?;
    let vocabulary = |row: &ArchivedVocabularyRow| translation::Vocabulary {
        words: row.words.iter().map(|word| word.to_native()).collect(),
        shares: row.shares.iter().map(|share| share.to_native()).collect(),
        ends: row.ends.iter().map(|end| end.to_native()).collect(),
        targets: row.targets.iter().map(|target| target.to_native()).collect(),
        probabilities: row.probabilities.iter().map(|p| p.to_native()).collect(),
    };
    let table = Table {
        a: vocabulary(&record.a),
        b: vocabulary(&record.b),
        lengths: Lengths { ratio: record.ratio.to_native(), variance: record.variance.to_native() },
        weights: record.weights.iter().map(|weight| weight.to_native()).collect(),
    };
    if !table.a.is_sound(table.b.words.len()) || !table.b.is_sound(table.a.words.len()) {
        let problem =
            format!("the model of {}-{} is damaged; delete the catalog folder and run again", langs.a, langs.b);
        return Err(Error::Store { path: store.folder().to_owned(), problem });
    }
    Ok(Some(table))
}

/// The sentence pairs of a site as they lie in the store, with what is repeated among them.
pub struct SiteBitext {
    chunks: Vec<Mapped<BitextRecord>>,
    repeats: Vec<Mapped<RepeatRecord>>,
}

impl SiteBitext {
    /// Opens those of a site; `None` when there are none, or they were made from other pages or page pairs.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: &Store, site: &Site) -> Result<Option<SiteBitext>> {
        let Some(head) = store.bitext_head(site.id)? else { return Ok(None) };
        let is_fresh = head.finished && head.generation == site.head.generation;
        if !is_fresh || head.pairs != hash_of_pairs(&accepted_pairs(site)) {
            return Ok(None);
        }
        Ok(Some(SiteBitext {
            chunks: head.chunks.iter().map(|&at| store.bitexts.read(RecordRef(at))).collect::<Result<_>>()?,
            repeats: head.repeats.iter().map(|&at| store.repeats.read(RecordRef(at))).collect::<Result<_>>()?,
        }))
    }

    /// The aligned page pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = &ArchivedPairBitextRow> {
        self.chunks.iter().flat_map(|chunk| chunk.pairs.iter())
    }

    /// A page pair by its place.
    pub fn pair(&self, place: u32) -> Option<&ArchivedPairBitextRow> {
        let at = self.chunks.partition_point(|chunk| chunk.first <= place).checked_sub(1)?;
        let chunk = &self.chunks[at];
        chunk.pairs.get((place - chunk.first.to_native()) as usize)
    }

    /// What is repeated, in the order of the beads.
    pub fn repeats(&self) -> impl Iterator<Item = &ArchivedRepeatRow> {
        self.repeats.iter().flat_map(|record| record.rows.iter())
    }
}

/// Calls `each` with every sentence pair of a scope: by domain, languages, addresses, then in the order of the page. Those
/// that were left out come too when `all` is true, each with its reason.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_bead(
    store: &Store,
    config: &Config,
    scope: &Scope,
    all: bool,
    mut each: impl FnMut(BitextLine) -> Result<()>,
) -> Result<()> {
    let mut archives = BTreeMap::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(bitext) = SiteBitext::open(store, &site)? else { continue };
        let mut repeats = bitext.repeats().peekable();
        for (row, place) in bitext.pairs().zip(0u32..) {
            let is_wanted = |page: u32| page < site.pages.count() && scope.has_host(site.pages.identity(page));
            let wanted = is_wanted(row.a.to_native()) || is_wanted(row.b.to_native());
            let pair = if wanted { Some(OpenPair::new(store, config, &site, row, &mut archives)?) } else { None };
            for (bead, number) in row.beads.iter().zip(0u32..) {
                let here = (place, number);
                let repeat = repeats.next_if(|repeat| (repeat.pair.to_native(), repeat.bead.to_native()) == here);
                let Some(pair) = &pair else { continue };
                let code = if bead.reason != 0 { bead.reason } else { repeat.map_or(0, |repeat| repeat.reason) };
                if all || code == 0 {
                    let others = repeat.filter(|repeat| repeat.reason == 0).map_or(&[][..], |repeat| &repeat.others);
                    let others = others.iter().filter_map(|other| bitext.pair(other.to_native()));
                    each(pair.line(bead, code, others))?;
                }
            }
        }
        store.pages.unmap();
    }
    Ok(())
}

/// An aligned page pair with both of its pages.
struct OpenPair<'s> {
    site: &'s Site,
    row: &'s ArchivedPairBitextRow,
    langs: (Lang, Lang),
    is_turned: bool,
    pages: (Mapped<PageRecord>, Mapped<PageRecord>),
    archives: (String, String),
}

impl<'s> OpenPair<'s> {
    fn new(
        store: &Store,
        config: &Config,
        site: &'s Site,
        row: &'s ArchivedPairBitextRow,
        archives: &mut BTreeMap<u32, String>,
    ) -> Result<OpenPair<'s>> {
        let langs = (Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b));
        let pages = (page_record(store, site, row.a.to_native())?, page_record(store, site, row.b.to_native())?);
        let mut archive = |number: u32| -> Result<String> {
            if let Some(path) = archives.get(&number) {
                return Ok(path.clone());
            }
            let path = store.archive(ArchiveId(number))?.map(|archive| archive.identity.path).unwrap_or_default();
            Ok(archives.entry(number).or_insert(path).clone())
        };
        let archives = (archive(pages.0.archive.to_native())?, archive(pages.1.archive.to_native())?);
        let is_turned = config.lang_rank(langs.1) < config.lang_rank(langs.0);
        Ok(OpenPair { site, row, langs, is_turned, pages, archives })
    }

    fn line<'r>(
        &self,
        bead: &ArchivedBeadRow,
        code: u8,
        others: impl Iterator<Item = &'r ArchivedPairBitextRow>,
    ) -> BitextLine {
        let side = |page: &ArchivedPageRecord, archive: &str, range: (u32, u32)| {
            let text = page.text.get(range.0 as usize..range.1 as usize).unwrap_or("").to_owned();
            let at = page.blocks.partition_point(|block| block.end <= range.0);
            let tag = page.blocks.get(at).map_or("?", |block| tag_name(block.tag.to_native()));
            let place = Place {
                url: page.url.to_string(),
                archive: archive.to_owned(),
                offset: page.offset.to_native(),
                block: if text.is_empty() { String::new() } else { format!("{at}:{tag}") },
            };
            (text, place)
        };
        let turn = |first, second| if self.is_turned { (second, first) } else { (first, second) };
        let a = side(&self.pages.0, &self.archives.0, (bead.a_start.to_native(), bead.a_end.to_native()));
        let b = side(&self.pages.1, &self.archives.1, (bead.b_start.to_native(), bead.b_end.to_native()));
        let others = others.map(|other| {
            let urls = (self.site.pages.url(other.a.to_native()), self.site.pages.url(other.b.to_native()));
            if self.is_turned { (urls.1, urls.0) } else { urls }
        });
        let others = others.collect();
        let ((text_a, place_a), (text_b, place_b)) = turn(a, b);
        let (lang_a, lang_b) = if self.is_turned { (self.langs.1, self.langs.0) } else { self.langs };
        let shape = if self.is_turned { (bead.n, bead.m) } else { (bead.m, bead.n) };
        BitextLine {
            text_a,
            text_b,
            lang_a,
            lang_b,
            score: f64::from(bead.score.to_native()),
            page_score: f64::from(self.row.score.to_native()),
            shape: (u32::from(shape.0), u32::from(shape.1)),
            reason: Reason::from_code(code).map(Reason::name),
            a: place_a,
            b: place_b,
            others,
        }
    }
}

/// Calls `each` with the pages of every page pair of a scope that bitext is made from.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_page_pair(
    store: &Store,
    scope: &Scope,
    mut each: impl FnMut(LangPair, &ArchivedPageRecord, &ArchivedPageRecord) -> Result<()>,
) -> Result<()> {
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        for pair in accepted_pairs(&site) {
            if scope.has_host(site.pages.identity(pair.a)) || scope.has_host(site.pages.identity(pair.b)) {
                let (a, b) = (page_record(store, &site, pair.a)?, page_record(store, &site, pair.b)?);
                each(pair.langs, &a, &b)?;
            }
        }
        store.pages.unmap();
    }
    Ok(())
}

/// Aligns the pages of a scope by lengths alone, as Gale & Church do, and calls `each` with both texts of every bead that
/// has two sides: what the other means add is seen beside it. The lengths are those learnt with the model.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_by_lengths(
    store: &Store,
    scope: &Scope,
    mut each: impl FnMut(LangPair, &str, &str) -> Result<()>,
) -> Result<()> {
    let params = Params::gale_church();
    let words = Words::new();
    let mut lengths: BTreeMap<LangPair, Lengths> = BTreeMap::new();
    for_each_page_pair(store, scope, |langs, page_a, page_b| {
        let known = match lengths.get(&langs) {
            Some(known) => *known,
            None => *lengths.entry(langs).or_insert(table(store, langs)?.unwrap_or_default().lengths),
        };
        let (text_a, text_b) = (page_a.text.as_str(), page_b.text.as_str());
        let a = Document::new(text_a, blocks(page_a), langs.a, &words, params.max_sentences).without_blocks();
        let b = Document::new(text_b, blocks(page_b), langs.b, &words, params.max_sentences).without_blocks();
        let evidence = Evidence::new(&a, &b, &Table::default(), &params.translation);
        for bead in align(&a, &b, &evidence, &known, &params).into_iter().filter(Bead::is_paired) {
            each(langs, a.text_of(bead.a_start..bead.a_end), b.text_of(bead.b_start..bead.b_end))?;
        }
        Ok(())
    })
}
