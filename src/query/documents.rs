//! Whole pages with their texts, and page pairs with their aligned sentences.

use std::collections::BTreeMap;

use super::archives::ArchiveNames;
use super::pairs::{judged_line, pair_line};
use crate::align::clean::Reason;
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::site::bitext::{SiteBitext, page_record};
use crate::site::paragraphs::{Paragraphs, sentence_text};
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::store::layout::{ArchivedBitextPairRow, BeadRow, StoredPage};
use crate::types::{AlignedSentences, DocumentLine, JudgedPair, Lang, PageLine, PairLine, Provenance, tag_name};

/// Calls `each` with every aligned page pair of a scope that `is_wanted`: by domain, languages, then URLs. Their sentences are the ones in
/// bitext, including those that other pages repeat; with `all`, also those that cleaning left out, with the reason.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_document(
    store: &Store,
    config: &Config,
    scope: &Scope,
    all: bool,
    is_wanted: &dyn Fn(&PairLine) -> bool,
    mut each: impl FnMut(DocumentLine) -> Result<()>,
) -> Result<()> {
    let mut archives = ArchiveNames::default();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(bitext) = SiteBitext::open(store, &site)? else { continue };
        let lines = PairLines::new(&site, config);
        for (row, beads) in bitext.aligned() {
            let (a, b) = (row.a.to_native(), row.b.to_native());
            let is_here = |page: u32| page < site.pages.count() && scope.has_host(site.pages.identity(page));
            if !is_here(a) && !is_here(b) {
                continue;
            }
            let Some(pair) = lines.of(a, b).filter(is_wanted) else { continue };
            let is_turned =
                config.lang_rank(Lang::from_bytes(row.lang_b)) < config.lang_rank(Lang::from_bytes(row.lang_a));
            each(document(store, &site, (row, &beads), pair, (is_turned, all), &mut archives)?)?;
        }
    }
    Ok(())
}

/// Calls `each` with every page of a scope that has a text: by domain, then URL.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_page(
    store: &Store,
    config: &Config,
    scope: &Scope,
    is_wanted: &dyn Fn(Lang) -> bool,
    mut each: impl FnMut(PageLine) -> Result<()>,
) -> Result<()> {
    let mut archives = ArchiveNames::default();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        for page in 0..site.pages.count() {
            let (chunk, at) = site.pages.chunk(page);
            if !chunk.form(at).has_text() || !scope.has_host(site.pages.identity(page)) {
                continue;
            }
            let lang = site.lang_of_text(page, &config.keys);
            if is_wanted(lang) {
                let record = page_record(store, &site, page)?;
                each(page_line(&record, lang, archives.of(store, &record)?, site.provenance_in(page, &record)))?;
            }
        }
    }
    Ok(())
}

/// The accepted pairs of a site, for lookup by their pages.
struct PairLines<'s> {
    site: &'s Site,
    config: &'s Config,
    /// The judged pairs by their pages; empty before pairs are judged.
    judged: Vec<JudgedPair>,
    /// The position of each pair that a key was assigned, by its pages.
    assigned: BTreeMap<(u32, u32), usize>,
}

impl<'s> PairLines<'s> {
    fn new(site: &'s Site, config: &'s Config) -> PairLines<'s> {
        let mut judged: Vec<JudgedPair> = site.judged.iter().flat_map(|judged| judged.accepted()).collect();
        judged.sort_by_key(|judged| (judged.pair.a, judged.pair.b));
        let result = site.result.as_ref().filter(|_| site.judged.is_none());
        let rows = result.iter().flat_map(|result| result.pairs.iter());
        let assigned = rows.enumerate().map(|(at, row)| ((row.a.to_native(), row.b.to_native()), at)).collect();
        PairLines { site, config, judged, assigned }
    }

    fn of(&self, a: u32, b: u32) -> Option<PairLine> {
        let result = self.site.result.as_ref()?;
        if self.site.judged.is_some() {
            let at = self.judged.binary_search_by_key(&(a, b), |judged| (judged.pair.a, judged.pair.b)).ok()?;
            return Some(judged_line(self.site, result, self.config, &self.judged[at]));
        }
        Some(pair_line(self.site, result, self.config, &result.pairs[*self.assigned.get(&(a, b))?]))
    }
}

fn document(
    store: &Store,
    site: &Site,
    (row, beads): (&ArchivedBitextPairRow, &[BeadRow]),
    pair: PairLine,
    (is_turned, all): (bool, bool),
    archives: &mut ArchiveNames,
) -> Result<DocumentLine> {
    let langs = [Lang::from_bytes(row.lang_a), Lang::from_bytes(row.lang_b)];
    let sides = [
        Paragraphs::new(page_record(store, site, row.a.to_native())?, langs[0]),
        Paragraphs::new(page_record(store, site, row.b.to_native())?, langs[1]),
    ];
    let sentences = beads.iter().filter_map(|bead| {
        if !all && bead.reason != 0 {
            sides[0].pass((bead.a_start, bead.a_end), bead.m);
            sides[1].pass((bead.b_start, bead.b_end), bead.n);
            return None;
        }
        let a = sides[0].place((bead.a_start, bead.a_end), bead.m);
        let b = sides[1].place((bead.b_start, bead.b_end), bead.n);
        let (a, b) = if is_turned { (b, a) } else { (a, b) };
        let reason = Reason::from_code(bead.reason).map(Reason::name);
        Some(AlignedSentences { a, b, score: f64::from(bead.score), reason })
    });
    let sentences = sentences.collect();
    let mut page = |at: usize| -> Result<PageLine> {
        let (record, number) = (&sides[at].page, [row.a, row.b][at].to_native());
        Ok(page_line(record, langs[at], archives.of(store, record)?, site.provenance_in(number, record)))
    };
    let (a, b) = (page(0)?, page(1)?);
    let (a, b) = if is_turned { (b, a) } else { (a, b) };
    let pair = PairLine { provenance: [a.provenance.clone(), b.provenance.clone()], ..pair };
    Ok(DocumentLine { pair, page_score: f64::from(row.score.to_native()), a, b, sentences })
}

fn page_line(record: &StoredPage, lang: Lang, archive: String, provenance: Provenance) -> PageLine {
    let mut text = String::with_capacity(record.text().len());
    let mut tags = Vec::new();
    for block in record.blocks() {
        if !tags.is_empty() {
            text.push('\n');
        }
        // A paragraph takes one line, even if it has line feeds in it.
        text.push_str(&sentence_text(record, (block.start, block.end)));
        tags.push(tag_name(block.tag));
    }
    PageLine {
        url: record.url().to_owned(),
        lang,
        title: record.title().to_owned(),
        text,
        tags,
        date_ms: Some(record.date_ms).filter(|date| *date != 0),
        archive,
        offset: record.offset,
        provenance,
    }
}
