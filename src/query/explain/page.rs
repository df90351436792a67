//! Explains one page: where it came from, its pairs, and why it has no others.

use std::collections::BTreeSet;

use super::computed::Computed;
use super::facts::{
    CandidateRounds, CaptureFacts, Lead, LeftOut, OwnText, PageExplanation, PageLanguages, RecordPlace, UrlLanguage,
};
use super::named::NamedPair;
use super::opened::Opened;
use super::verdict::{KeysSay, LanguageReason, LeadOutcome, PageVerdict};
use super::weighing::Weighing;
use crate::config::{LabelMode, Strategy};
use crate::corrections::Line;
use crate::error::Result;
use crate::index::graph::Links;
use crate::index::site::{Pages, Urls};
use crate::keys::State;
use crate::labels::{own_language, told_by_letters};
use crate::language::profiles::Profiles;
use crate::pipeline::stale;
use crate::site::languages;
use crate::site::open::OpenSite;
use crate::site::scope::is_indexed;
use crate::store::Store;
use crate::store::layout::{ArchivedKeyRow, SkipEntry};
use crate::text::counterpart;
use crate::types::{CanonicalUrl, Key, Lang, LinkKind, Method, PagePair, SkipReason, TEXT_TOKEN};

/// Explains a page. `opened` is its site; `None` where the store has nothing of its domain.
pub fn explain(
    store: &Store,
    opened: Option<&Opened<'_>>,
    evidence: &Computed<'_>,
    url: &CanonicalUrl,
) -> Result<PageExplanation> {
    let unknown = |verdict| -> Result<PageVerdict> {
        Ok(match () {
            () if store.removed().has(url.identity()) => PageVerdict::Removed,
            () if is_indexed(store)? => verdict,
            () => PageVerdict::NotIndexed,
        })
    };
    let Some(opened) = opened else {
        let verdict = PageVerdict::UnknownDomain { domain: url.domain().into_owned() };
        return Ok(PageExplanation::bare(url.as_str(), unknown(verdict)?));
    };
    let mut found = PageExplanation::bare(url.as_str(), unknown(PageVerdict::NotCaptured)?);
    found.corrections = store.corrections().of_page(url.identity()).map(Line::told).collect();
    for entry in opened.site.skipped(opened.store, url.identity())? {
        found.left_out.push(left_out(opened, &entry)?);
    }
    let Some(page) = opened.site.pages.find(url.identity()) else {
        if !found.left_out.is_empty() {
            found.verdict = PageVerdict::CapturesLeftOut;
        }
        return Ok(found);
    };
    describe(opened, page, &mut found)?;
    found.copy_of = opened.site.copy_of(page).map(|original| opened.site.pages.url(original));
    let mut candidates = opened.candidates(page);
    Weighing::new(opened, evidence).weigh_refused(&mut candidates)?;
    found.candidates = candidates.into_iter().map(|(candidate, _)| candidate).collect();
    if opened.config.iterates() && opened.config.strategy == Strategy::Links {
        found.rounds = rounds(opened, evidence, page)?;
    }
    let of_keys = OfKeys { opened, page, lang: opened.site.lang(page) };
    found.url_languages = of_keys.url_languages();
    found.verdict = match decided(opened, page, &found, declared_copy(opened, page)?) {
        Some(verdict) => verdict,
        None => of_keys.why_alone(&mut found)?,
    };
    Ok(found)
}

fn left_out(opened: &Opened<'_>, entry: &SkipEntry) -> Result<LeftOut> {
    let archive = opened.archive(entry.archive)?;
    Ok(LeftOut {
        reason: SkipReason::from_code(entry.reason),
        detail: entry.detail.clone(),
        place: RecordPlace { archive, offset: entry.offset, length: entry.length },
    })
}

/// Fills in the capture of a page and its languages.
fn describe(opened: &Opened<'_>, page: u32, found: &mut PageExplanation) -> Result<()> {
    let site = &opened.site;
    let (chunk, at) = site.pages.chunk(page);
    let record = opened.store.page(chunk.page(at))?;
    let date_ms = record.date_ms;
    let captured = jiff::Timestamp::from_millisecond(date_ms).ok().filter(|_| date_ms != 0);
    found.capture = Some(CaptureFacts {
        place: RecordPlace { archive: opened.archive(record.archive)?, offset: record.offset, length: record.length },
        captured: captured.map(|date| date.to_string()),
        title: record.title().to_owned(),
        text_bytes: record.text().len(),
        blocks: record.blocks().count(),
        tags: record.tags().filter(|tag| tag & TEXT_TOKEN == 0).count(),
        links: record.links().iter().filter(|link| link.kind != LinkKind::Own).count(),
        images: record.images().len(),
        charset: record.charset().to_owned(),
    });
    found.languages = Some(PageLanguages {
        detected: record.detected,
        confidence: record.confidence,
        is_guess: chunk.facts(at).is_guess,
        is_by_program: record.is_by_program,
        declared: record.declared.clone(),
        counts_for: site.lang(page),
        reason: language_reason(opened, page)?,
        own_text: own_text(opened, page)?,
    });
    Ok(())
}

/// The languages of the own text of a page; `None` where keys have not been searched, or the page is in no language.
fn own_text(opened: &Opened<'_>, page: u32) -> Result<Option<OwnText>> {
    let Some(open) = OpenSite::open(opened.store, opened.site.id)? else { return Ok(None) };
    Ok(open.view(opened.config).own_text(page)?.map(|(shares, bytes)| OwnText { bytes, shares }))
}

fn language_reason(opened: &Opened<'_>, page: u32) -> Result<LanguageReason> {
    let site = &opened.site;
    let lang = site.lang(page);
    let own = own_language(&site.pages, page, opened.config.keys.labels);
    Ok(if site.result.is_none() {
        LanguageReason::KeysNotSearched
    } else if site.copy_of(page).is_some() {
        LanguageReason::Copy
    } else if site.foreign(page).is_some() {
        LanguageReason::OwnText
    } else if lang.is_known() {
        let detected = site.pages.detected(page);
        let stated = opened.store.corrections_on(&site.head, &site.pages).language(site.pages.identity(page));
        match lang {
            _ if stated == Some(lang) => LanguageReason::Stated,
            _ if lang == detected => LanguageReason::Detected,
            _ if lang == own => LanguageReason::Letters,
            _ if lang.is_unnamed() => LanguageReason::Unnamed,
            _ => reason_by_letters(opened, page, lang)?.unwrap_or(LanguageReason::Site),
        }
    } else if !own.is_known() || opened.config.keys.labels == LabelMode::Detected && site.pages.facts(page).is_guess {
        LanguageReason::Unknown
    } else if !opened.is_requested(own) || site.not_requested(page, &opened.config.keys).is_some() {
        LanguageReason::NotRequested
    } else if stale(opened.store, opened.config, "keys")?.is_empty() {
        LanguageReason::Doubted
    } else {
        LanguageReason::LanguagesChanged
    })
}

/// Why the letters of a page tell its language: by what is known of it, or by what other sites show.
fn reason_by_letters(opened: &Opened<'_>, page: u32, lang: Lang) -> Result<Option<LanguageReason>> {
    let pages = &opened.site.pages;
    if told_by_letters(pages, Profiles::shipped(), page) == Some(lang) {
        return Ok(Some(LanguageReason::Profile));
    }
    if told_by_letters(pages, &languages::profiles(opened.store, opened.config)?, page) != Some(lang) {
        return Ok(None);
    }
    Ok(Some(LanguageReason::Learnt))
}

/// The canonical URL that a copy names, if it is the page of which it is a copy, or another copy of that page.
fn declared_copy(opened: &Opened<'_>, page: u32) -> Result<Option<u32>> {
    let site = &opened.site;
    let Some(of) = site.copy_of(page) else { return Ok(None) };
    let Some(links) = opened.store.site_links(site.id, site.head.generation)? else { return Ok(None) };
    let named = links.canonical(page);
    Ok(named.filter(|&named| named != page && (named == of || site.copy_of(named) == Some(of))))
}

/// The verdict, if the stored decisions give one; `None` for a page that takes part and has no partner.
fn decided(opened: &Opened<'_>, page: u32, found: &PageExplanation, named: Option<u32>) -> Option<PageVerdict> {
    let site = &opened.site;
    let Some(result) = &site.result else { return Some(PageVerdict::KeysNotSearched) };
    let own = own_language(&site.pages, page, opened.config.keys.labels);
    if let Some(of) = found.copy_of.clone() {
        let by_url = result.copies.binary_search_by_key(&page, |copy| copy.0.to_native()).is_ok();
        let lang = site.copy_of(page).map_or(own, |original| site.lang(original));
        if let Some(named) = named {
            return Some(PageVerdict::CopyByCanonical { named: site.pages.url(named), of, lang });
        }
        return Some(if by_url { PageVerdict::CopyByUrl { of, lang } } else { PageVerdict::CopyByLinks { of, lang } });
    }
    if let Some(lang) = site.foreign(page) {
        return Some(PageVerdict::ForeignText { lang, counts_for: site.lang_by_keys(page) });
    }
    match found.partners().count() {
        0 => {}
        pages => return Some(PageVerdict::Paired { pages }),
    }
    let requested = || opened.config.keys.langs.clone();
    match found.languages.as_ref().map_or(LanguageReason::Unknown, |languages| languages.reason) {
        LanguageReason::Unknown => {
            let guess = Some(own).filter(|own| own.is_known() && !opened.config.keys.langs.is_empty());
            Some(PageVerdict::LanguageUnknown { guess, requested: requested() })
        }
        LanguageReason::NotRequested => Some(PageVerdict::LanguageNotRequested { lang: own, requested: requested() }),
        LanguageReason::LanguagesChanged => Some(PageVerdict::LanguagesChanged { lang: own }),
        LanguageReason::Doubted => Some(PageVerdict::LanguageDoubted { lang: own }),
        _ => None,
    }
}

/// `link-2014`: how the candidates of a page got their similarities.
fn rounds(opened: &Opened<'_>, evidence: &Computed<'_>, page: u32) -> Result<Vec<CandidateRounds>> {
    let mut pairs: Vec<PagePair> = opened.judged_pairs(page).map(|judged| judged.pair).collect();
    pairs.sort_unstable();
    let mut found = Vec::new();
    for of_langs in pairs.chunk_by(|x, y| x.langs == y.langs) {
        for (pair, rounds) in of_langs.iter().zip(evidence.rounds(&opened.site, of_langs)?) {
            if let Some(rounds) = rounds {
                let other = if pair.a == page { pair.b } else { pair.a };
                let url = opened.site.pages.url(other);
                found.push(CandidateRounds { url, rounds: opened.rounds(rounds) });
            }
        }
    }
    Ok(found)
}

/// True for a key that pairs pages.
fn acts(row: &ArchivedKeyRow) -> bool {
    State::from_code(row.state).is_some_and(|state| !state.is_out())
}

/// What the keys of its site say about a page: which language its URL names and, where it has no partner, where they lead.
struct OfKeys<'o, 's> {
    opened: &'o Opened<'s>,
    page: u32,
    lang: Lang,
}

impl OfKeys<'_, '_> {
    /// Fills in where keys lead from the page; returns the verdict that follows from that and from its candidates.
    fn why_alone(&self, found: &mut PageExplanation) -> Result<PageVerdict> {
        let pairs = found.candidates.len();
        let of_keys = self.leads(found)?;
        // If the URL of the page is one of another language, candidates that only words or links propose are not worth mentioning.
        let by_urls = self.opened.judged_pairs(self.page).any(|judged| judged.method < Method::Link);
        Ok(match of_keys {
            PageVerdict::TextNotInUrlLanguage { .. } if !by_urls => of_keys,
            _ if pairs == 0 => of_keys,
            _ => {
                found.keys = match of_keys {
                    PageVerdict::NoStrongKey => Some(KeysSay::NoneStrong),
                    PageVerdict::KeysLeadNowhere if !by_urls => Some(KeysSay::LeadNowhere),
                    _ => None,
                };
                PageVerdict::CandidatesRejected { pairs }
            }
        })
    }

    /// The languages whose pages have URLs of this form, by keys that lead from it to known pages; none where it has the form of those in its own
    /// language, or takes no part.
    fn url_languages(&self) -> Vec<UrlLanguage> {
        let mut found: Vec<UrlLanguage> = Vec::new();
        for (key, forward, side) in self.keys() {
            if found.iter().any(|known| known.lang == side) {
                continue;
            }
            let leads = counterpart::counterparts(self.identity(), &key, forward);
            if leads.iter().any(|other| self.opened.site.pages.find(other).is_some()) {
                if side == self.lang {
                    return Vec::new();
                }
                found.push(UrlLanguage { lang: side, key: key.pattern() });
            }
        }
        found
    }

    /// The keys that act where the page is, each from both of its sides: forward or back, from pages in which language.
    fn keys(&self) -> impl Iterator<Item = (Key, bool, Lang)> + '_ {
        let result = self.opened.site.result.as_ref().filter(|_| self.lang.is_known() && self.opened.asks_keys());
        let rows = result.into_iter().flat_map(|result| result.keys.iter());
        let rows = rows.filter(|row| acts(row) && self.is_in_scope(row));
        rows.filter_map(ArchivedKeyRow::key).flat_map(|key| {
            let sides = [(true, key.langs.a), (false, key.langs.b)];
            sides.map(|(forward, side)| (key.clone(), forward, side))
        })
    }

    /// Fills in where keys lead from the page, apart from its candidates; returns the verdict that follows from that alone.
    fn leads(&self, found: &mut PageExplanation) -> Result<PageVerdict> {
        let Some(result) = self.opened.site.result.as_ref().filter(|_| self.opened.asks_keys()) else {
            return Ok(PageVerdict::NothingProposed);
        };
        let mut seen: BTreeSet<String> = found.candidates.iter().map(|candidate| candidate.url.clone()).collect();
        let strong = result.keys.iter().any(acts);
        for (key, forward, _) in self.keys().filter(|(.., side)| *side == self.lang) {
            for other in counterpart::counterparts(self.identity(), &key, forward) {
                if let Some(outcome) = self.outcome(&key, forward, &other)?
                    && seen.insert(self.url(&other))
                {
                    found.leads.push(Lead { url: self.url(&other), key: key.pattern(), outcome });
                }
            }
        }
        Ok(match (strong, found.leads.len()) {
            (false, _) => PageVerdict::NoStrongKey,
            (true, 0) if found.url_languages.is_empty() => PageVerdict::KeysLeadNowhere,
            (true, 0) => {
                let url = found.url_languages.iter().map(|known| known.lang).collect();
                PageVerdict::TextNotInUrlLanguage { lang: self.lang, url }
            }
            (true, urls) => PageVerdict::LeadsAreNoPartners { urls },
        })
    }

    fn identity(&self) -> &str {
        self.opened.site.pages.identity(self.page)
    }

    fn is_in_scope(&self, row: &ArchivedKeyRow) -> bool {
        row.scope().contains(self.page)
    }

    /// The URL of a page; a URL that is not a known page gets the scheme of the page that is explained.
    fn url(&self, identity: &str) -> String {
        let pages = &self.opened.site.pages;
        let own = pages.url(self.page);
        let scheme = own.split_once("://").map_or("http", |(scheme, _)| scheme);
        pages.find(identity).map_or_else(|| format!("{scheme}://{identity}"), |page| pages.url(page))
    }

    /// Why `other`, to which a key leads, is no partner. `None` for an unknown URL made by a key with an open place, since (null) allows
    /// many of these.
    fn outcome(&self, key: &Key, forward: bool, other: &str) -> Result<Option<LeadOutcome>> {
        let site = &self.opened.site;
        if let Some(page) = site.pages.find(other) {
            let expected = if forward { key.langs.b } else { key.langs.a };
            let lang = site.lang(page);
            return Ok(Some(if let Some(of) = site.copy_of(page) {
                LeadOutcome::CopyOf { of: site.pages.url(of) }
            } else if lang != expected {
                LeadOutcome::OtherLanguage { lang, expected }
            } else if let Some(pair) = self.listed_elsewhere(page) {
                LeadOutcome::PairedElsewhere { pair }
            } else if let Some(pair) = self.assigned_elsewhere(page) {
                LeadOutcome::AssignedElsewhere { pair }
            } else {
                LeadOutcome::NotMatched
            }));
        }
        if let Some(entry) = self.opened.skipped(other)?.into_iter().next() {
            let reason = SkipReason::from_code(entry.reason);
            return Ok(Some(LeadOutcome::LeftOut { reason, detail: entry.detail }));
        }
        if self.opened.store.removed().has(other) {
            return Ok(Some(LeadOutcome::Removed));
        }
        let is_open = key.edits.iter().any(|edit| if forward { edit.from.is_empty() } else { edit.to.is_empty() });
        Ok((!is_open).then_some(LeadOutcome::NotInArchives))
    }

    /// A pair that `pairs` lists, of `page` and a page of the language of the page that is explained.
    fn listed_elsewhere(&self, page: u32) -> Option<NamedPair> {
        let mut listed = self.opened.listed(page).into_iter();
        let is_rival = |(a, b): (u32, u32)| {
            let other = if a == page { b } else { a };
            self.opened.config.keys.one_partner || self.opened.site.lang(other) == self.lang
        };
        listed.find(|listed| is_rival(listed.pages)).map(|listed| listed.named)
    }

    /// A pair of keys with `page`, or with the page that is explained, and a page of the other's language.
    fn assigned_elsewhere(&self, page: u32) -> Option<NamedPair> {
        let site = &self.opened.site;
        let result = site.result.as_ref()?;
        let one_partner = self.opened.config.keys.one_partner;
        let langs = [self.lang, site.lang(page)];
        let is_rival = |a: u32, b: u32| {
            let touches = [a, b].iter().any(|one| [self.page, page].contains(one));
            touches && (one_partner || [a, b].iter().all(|&one| langs.contains(&site.lang(one))))
        };
        let row = result.pairs.iter().find(|row| is_rival(row.a.to_native(), row.b.to_native()))?;
        let score = result.keys.get(row.key.to_native() as usize).map_or(0.0, |key| key.credibility.to_native());
        let [url_a, url_b] = [row.a, row.b].map(|page| site.pages.url(page.to_native()));
        Some(NamedPair { url_a, url_b, score: score as f32 })
    }
}
