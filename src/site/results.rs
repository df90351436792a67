//! One site of the store: its pages, and the results of the stages on it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::index::site::{Pages, Urls};
use crate::keys;
use crate::store::layout::{
    ArchivedKeyRow, ArchivedPairRow, ArchivedResultRecord, JudgedHead, JudgedRecord, RequestedRecord, ResultRecord,
    SiteHead, SkipEntry, StoredPage,
};
use crate::store::records::{Mapped, RecordRef};
use crate::store::{Judged, PairsOf, SitePages, Store};
use crate::types::{Lang, Provenance, Signals, SiteId, SkipReason, host_of, registrable_domain};

/// One site, opened.
pub struct Site {
    /// Its number.
    pub id: SiteId,
    /// What the catalog holds of it.
    pub head: SiteHead,
    /// Its pages.
    pub pages: SitePages,
    /// The result of key discovery, if it was made from these very pages.
    pub result: Option<Mapped<ResultRecord>>,
    /// The result of verification or iteration, whichever was last, if it was made from these keys.
    pub judged: Option<Mapped<JudgedRecord>>,
    /// Where its page pairs are.
    pub source: Option<PairSource>,
    /// The URLs that were requested of crawlers, without scheme.
    pub requested: BTreeMap<String, RequestedRecord>,
}

impl Site {
    /// Opens a site.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: &Store, id: SiteId) -> Result<Site> {
        let head = store.site(id)?.unwrap_or_default();
        let pages = store.site_pages(&head)?;
        // Results of older pages would refer to the wrong pages.
        let fresh = store.result_head(id)?.is_some_and(|result| result.generation == head.generation);
        let result = if fresh { store.result(id)? } else { None };
        let judged = if result.is_some() { judged(store, id, &head)? } else { None };
        let source = pair_source(store, id, &head)?;
        let domains: BTreeSet<_> = head.hosts.iter().map(|host| registrable_domain(&host.host)).collect();
        let mut requested = BTreeMap::new();
        for domain in domains {
            requested.extend(store.requested(&domain)?);
        }
        Ok(Site { id, head, pages, result, judged, source, requested })
    }

    /// The page of which an untranslated copy is a copy, whether its URL or its links show that.
    pub fn copy_of(&self, page: u32) -> Option<u32> {
        let by_address = self.result.as_ref().and_then(|result| {
            let at = result.copies.binary_search_by_key(&page, |copy| copy.0.to_native()).ok()?;
            Some(result.copies[at].1.to_native())
        });
        by_address.or_else(|| self.judged.as_ref()?.copy_of(page))
    }

    /// The language of a page's own text, where it differs from the one the page would count for.
    pub fn foreign(&self, page: u32) -> Option<Lang> {
        self.judged.as_ref()?.foreign(page)
    }

    /// The language that a page counts for: none (`und`) for an untranslated copy, whether its URL or its links show that, and for a page
    /// whose own text is in another language; else the language that its keys show, or the detected one.
    pub fn lang(&self, page: u32) -> Lang {
        let is_out = |judged: &Mapped<JudgedRecord>| judged.copy_of(page).is_some() || judged.foreign(page).is_some();
        if self.judged.as_ref().is_some_and(is_out) { Lang::UNKNOWN } else { self.lang_by_keys(page) }
    }

    /// The language of a page's text, whether the page counts for it or not: that of the page of which it is a copy, that of its own text, or the
    /// one that was detected, if it was not requested. `und` for a page whose detected language is in doubt: it was only guessed and nothing on
    /// the site confirms it, or letters or names speak against it.
    pub fn lang_of_text(&self, page: u32, keys: &keys::Params) -> Lang {
        let lang = self.lang(page);
        if lang.is_known() {
            return lang;
        }
        let of_another = self.copy_of(page).map(|original| self.lang(original)).or_else(|| self.foreign(page));
        of_another.filter(|lang| lang.is_known()).or_else(|| self.not_requested(page, keys)).unwrap_or(Lang::UNKNOWN)
    }

    /// The detected language of a page that counts for none, if the reason is that this language, or the script that the page is in, was not
    /// requested. What is only guessed may be another one.
    pub fn not_requested(&self, page: u32, keys: &keys::Params) -> Option<Lang> {
        let detected = self.pages.detected(page);
        let is_told = detected.is_known() && !self.pages.facts(page).is_guess;
        // Texts are detected without a script where several are usual.
        let is_requested = keys.langs.is_empty() || keys.langs.iter().any(|wanted| is_in_full(*wanted, detected));
        (is_told && !is_requested).then_some(detected)
    }

    /// The language that a page counts for before links show which pages are copies.
    pub fn lang_by_keys(&self, page: u32) -> Lang {
        let resolved = self.result.as_ref().and_then(|result| lang_of_keys(result, page));
        resolved.unwrap_or_else(|| self.pages.detected(page))
    }

    /// The pages that were requested by a key, and that this key now pairs. Each pair is looked at once.
    pub fn recovered(&self) -> FxHashSet<u32> {
        let Some(result) = self.result.as_ref().filter(|_| !self.requested.is_empty()) else {
            return FxHashSet::default();
        };
        let is_recovered = |page: u32, row: &ArchivedKeyRow| {
            self.requested.get(self.pages.identity(page)).is_some_and(|request| is_of_request(row, request))
        };
        let pages_of = |pair: &ArchivedPairRow| {
            let pages = [pair.a.to_native(), pair.b.to_native()];
            let row = result.keys.get(pair.key.to_native() as usize);
            row.into_iter().flat_map(move |row| pages.into_iter().filter(move |&page| is_recovered(page, row)))
        };
        result.pairs.iter().flat_map(pages_of).collect()
    }

    /// Captures of one URL (without scheme) that were left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn skipped(&self, store: &Store, identity: &str) -> Result<Vec<SkipEntry>> {
        let mut found = Vec::new();
        for &at in &self.head.skipped {
            let chunk = store.skips.read(RecordRef(at))?;
            let first = chunk.entries.partition_point(|entry| entry.identity.as_str() < identity);
            let here = chunk.entries[first..].iter().take_while(|entry| entry.identity.as_str() == identity);
            found.extend(here.map(|entry| entry.to_owned()));
        }
        if !self.head.withheld.is_empty() {
            found.extend(self.withheld(store, identity)?);
        }
        Ok(found)
    }

    /// The page of one URL that settings leave out, as a left-out capture.
    fn withheld(&self, store: &Store, identity: &str) -> Result<Option<SkipEntry>> {
        let pages = store.withheld_pages(&self.head)?;
        let Some(page) = pages.find(identity) else { return Ok(None) };
        let (chunk, at) = pages.chunk(page);
        let record = store.page(chunk.page(at))?;
        let (reason, detail) = self.why_withheld(&pages.signals(page));
        let (archive, offset, length) = (record.archive, record.offset, record.length);
        let identity = identity.to_owned();
        Ok(Some(SkipEntry { identity, reason: reason as u8, detail, archive, offset, length, declared: Vec::new() }))
    }

    /// Why settings leave out a page with these signals, and which signals decide. If several settings apply, those about owners come
    /// first.
    pub fn why_withheld(&self, signals: &Signals) -> (SkipReason, String) {
        let opted_out = self.head.left_out.iter().any(|(code, _)| *code == SkipReason::OptedOut as u8);
        match signals.translated {
            Some(found) if !(opted_out && signals.opt_outs.concern_text()) => {
                (SkipReason::MachineTranslated, found.mark.name().to_owned())
            }
            _ => (SkipReason::OptedOut, signals.opt_outs.names()),
        }
    }

    /// Where the text of a page comes from, without what only its record has.
    pub fn provenance(&self, page: u32) -> Provenance {
        Provenance { signals: self.pages.signals(page), ..Provenance::default() }
    }

    /// The same, together with what only the record of the page has.
    pub fn provenance_in(&self, page: u32, record: &StoredPage) -> Provenance {
        let (record_id, payload_digest) = (record.record_id(), record.payload_digest());
        Provenance { record_id, payload_digest, ..self.provenance(page) }
    }

    /// The host of a page.
    pub fn host(&self, page: u32) -> &str {
        host_of(self.pages.identity(page))
    }
}

/// The languages that all pages of a site count for before links show which pages are copies: [`Site::lang_by_keys`] of each.
pub fn langs_by_keys(pages: &SitePages, result: &ArchivedResultRecord) -> Vec<Lang> {
    let lang = |page| lang_of_keys(result, page).unwrap_or_else(|| pages.detected(page));
    (0..pages.count()).map(lang).collect()
}

/// True where a request asks for all pages in a language, and not only for those in one script.
fn is_in_full(wanted: Lang, lang: Lang) -> bool {
    wanted.agrees(lang) && (wanted == lang || wanted.script().is_none())
}

/// What keys say about the language of a page; `None` where they say nothing. A page that is a copy by its URL is `und`.
fn lang_of_keys(result: &ArchivedResultRecord, page: u32) -> Option<Lang> {
    if result.copies.binary_search_by_key(&page, |copy| copy.0.to_native()).is_ok() {
        return Some(Lang::UNKNOWN);
    }
    let at = result.relabelled.binary_search_by_key(&page, |row| row.0.to_native()).ok()?;
    Some(Lang::from_bytes(result.relabelled[at].1))
}

/// True when a key is the one by which a page was requested.
pub fn is_of_request(row: &ArchivedKeyRow, request: &RequestedRecord) -> bool {
    row.key().is_some_and(|key| key.pattern() == request.pattern)
}

/// The result of iteration for a site, or else of verification, if it was made from the present keys.
///
/// # Errors
/// When the store cannot be read.
pub fn judged(store: &Store, id: SiteId, head: &SiteHead) -> Result<Option<Mapped<JudgedRecord>>> {
    let Some((by, found)) = judged_head(store, id, head)? else { return Ok(None) };
    let judged = store.judged(by, &found)?;
    if judged.is_of(head.pages) { Ok(Some(judged)) } else { Err(store.senseless("page pairs", head)) }
}

/// Where the result of iteration, or else of verification, is, and which of the two it is.
///
/// # Errors
/// When the store cannot be read.
pub fn judged_head(store: &Store, id: SiteId, head: &SiteHead) -> Result<Option<(Judged, JudgedHead)>> {
    let keys = store.result_head(id)?.map_or(0, |result| result.record);
    let of_these = |found: &JudgedHead| (found.generation, found.result) == (head.generation, keys);
    for by in [Judged::Resolved, Judged::Verified] {
        if let Some(found) = store.judged_head(by, id)?.filter(of_these) {
            return Ok(Some((by, found)));
        }
    }
    Ok(None)
}

/// Where the page pairs of a site are, according to the last stage that has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairSource {
    /// The stage whose head names the record.
    pub of: PairsOf,
    /// The record.
    pub record: u64,
    /// How many pairs the record has.
    pub pairs: u64,
}

/// Where the page pairs of a site are, found without opening records; `None` while its keys are those of other pages.
///
/// # Errors
/// When the catalog cannot be read.
pub fn pair_source(store: &Store, id: SiteId, head: &SiteHead) -> Result<Option<PairSource>> {
    let Some(result) = store.result_head(id)?.filter(|result| result.generation == head.generation) else {
        return Ok(None);
    };
    let (of, record, pairs) = match judged_head(store, id, head)? {
        Some((by, judged)) => (by.into(), judged.record, judged.pairs),
        None => (PairsOf::Keys, result.record, result.pairs),
    };
    Ok(Some(PairSource { of, record, pairs }))
}
