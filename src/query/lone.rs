//! Pages without a partner, each with the reason.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::browse::{pages_of, paired};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::{JudgedPair, Lang, Outcome};

/// Why a page has no partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoneReason {
    /// Something proposed partners, and none was accepted; this is the decision on the best of them.
    Candidate(Outcome),
    /// Nothing proposed a partner.
    NotProposed,
    /// No page of its site takes part in another language.
    OneLanguage,
    /// It is an untranslated copy of another page.
    Copy,
    /// Its own text is in another language than the one it would count for.
    ForeignText,
    /// Its language is not among those that were requested.
    NotRequested,
    /// Its language is not known.
    UnknownLanguage,
}

impl LoneReason {
    /// Every reason; a page whose best candidate was accepted has a partner.
    pub const ALL: [LoneReason; 12] = {
        use LoneReason::*;
        [
            Candidate(Outcome::LowScore),
            Candidate(Outcome::LostToBetter),
            Candidate(Outcome::SameText),
            Candidate(Outcome::Contradicted),
            Candidate(Outcome::Edition),
            Candidate(Outcome::Forbidden),
            NotProposed,
            OneLanguage,
            Copy,
            ForeignText,
            NotRequested,
            UnknownLanguage,
        ]
    };

    /// The reason in words.
    pub fn name(self) -> &'static str {
        match self {
            LoneReason::Candidate(Outcome::LowScore | Outcome::Accepted) => "candidates score too low",
            LoneReason::Candidate(Outcome::LostToBetter) => "candidates have better partners",
            LoneReason::Candidate(Outcome::SameText) => "candidates have the same text",
            LoneReason::Candidate(Outcome::Contradicted) => "candidates contradicted by a third language",
            LoneReason::Candidate(Outcome::Edition) => "candidates of other contents",
            LoneReason::Candidate(Outcome::Forbidden) => "candidates forbidden by a correction",
            LoneReason::NotProposed => "nothing proposes a partner",
            LoneReason::OneLanguage => "site of one language",
            LoneReason::Copy => "untranslated copy",
            LoneReason::ForeignText => "own text in another language",
            LoneReason::NotRequested => "language not requested",
            LoneReason::UnknownLanguage => "language unknown",
        }
    }

    /// The reason of a name.
    pub fn parse(name: &str) -> Option<LoneReason> {
        LoneReason::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// True for a page that takes part: it is in a language of which it may have partners.
    pub fn takes_part(self) -> bool {
        matches!(self, LoneReason::Candidate(_) | LoneReason::NotProposed | LoneReason::OneLanguage)
    }

    /// Its position in [`LoneReason::ALL`].
    pub(super) fn place(self) -> usize {
        LoneReason::ALL.into_iter().position(|known| known == self).unwrap_or(0)
    }
}

/// A page without a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LonePage {
    /// Its URL.
    pub url: String,
    /// The language it counts for; unknown: it takes no part.
    pub lang: Lang,
    /// Why it has none.
    pub reason: LoneReason,
}

/// A part of the pages that have no partner.
#[derive(Clone, Debug, Default)]
pub struct LonePages {
    /// How many lone pages there are in all, by the language that they count for; those of unknown language take no part.
    pub langs: BTreeMap<Lang, usize>,
    /// How many there are in all, by reason.
    pub reasons: BTreeMap<LoneReason, usize>,
    /// How many are of the language and have the reason that were asked for.
    pub total: usize,
    /// The pages of this part.
    pub lines: Vec<LonePage>,
}

/// The pages without a partner that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoneFilter {
    /// Only pages that count for this language; unknown: those that take no part.
    pub lang: Option<Lang>,
    /// Only pages that have none for this reason.
    pub reason: Option<LoneReason>,
}

impl LoneFilter {
    fn takes(&self, lang: Lang, reason: LoneReason) -> bool {
        self.lang.is_none_or(|wanted| wanted == lang) && self.reason.is_none_or(|wanted| wanted == reason)
    }
}

/// The pages of a scope that are in no accepted pair, by URL. Untranslated copies and others that take no part count as of unknown
/// language. The cost is that of reading the page tables and judged pairs of the scope's sites.
///
/// # Errors
/// When the store cannot be read.
pub fn lone_pages(
    store: &Store,
    config: &Config,
    scope: &Scope,
    filter: LoneFilter,
    range: Range<usize>,
) -> Result<LonePages> {
    let mut found = LonePages::default();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let reasons = reasons(&site, config);
        for page in pages_of(&site, scope).into_iter().flatten() {
            let Some(reason) = reasons.get(page as usize).copied().flatten() else { continue };
            let lang = site.lang(page);
            *found.langs.entry(lang).or_default() += 1;
            *found.reasons.entry(reason).or_default() += 1;
            if filter.takes(lang, reason) {
                if range.contains(&found.total) {
                    found.lines.push(LonePage { url: site.pages.url(page), lang, reason });
                }
                found.total += 1;
            }
        }
    }
    Ok(found)
}

/// The pages of a site that have no partner and pass the filter, by their ordinals, each with the reason.
pub(super) fn lone_of(site: &Site, config: &Config, filter: LoneFilter) -> Vec<(u32, LoneReason)> {
    let reasons = reasons(site, config).into_iter().zip(0u32..);
    let lone = reasons.filter_map(|(reason, page)| Some((page, reason?)));
    lone.filter(|&(page, reason)| filter.takes(site.lang(page), reason)).collect()
}

/// For each page of a site the reason why it has no partner; `None` where it has one.
pub(super) fn reasons(site: &Site, config: &Config) -> Vec<Option<LoneReason>> {
    let paired = paired(site);
    let mut best: FxHashMap<u32, JudgedPair> = FxHashMap::default();
    for pair in site.judged.iter().flat_map(|judged| judged.pairs()).filter(|pair| !pair.is_accepted()) {
        for page in [pair.pair.a, pair.pair.b] {
            if !paired.get(page as usize).is_some_and(|paired| *paired) {
                let known = best.entry(page).or_insert(pair);
                if pair.score > known.score {
                    *known = pair;
                }
            }
        }
    }
    let langs: Vec<Lang> = (0..site.pages.count()).map(|page| site.lang(page)).collect();
    let first = langs.iter().find(|lang| lang.is_known()).copied().unwrap_or(Lang::UNKNOWN);
    let has_two = langs.iter().any(|lang| lang.is_known() && *lang != first);
    let reason = |(page, (&lang, is_paired)): (u32, (&Lang, bool))| {
        if is_paired {
            return None;
        }
        let taking_part = || match best.get(&page) {
            Some(pair) => LoneReason::Candidate(pair.outcome),
            None if has_two => LoneReason::NotProposed,
            None => LoneReason::OneLanguage,
        };
        Some(if site.copy_of(page).is_some() {
            LoneReason::Copy
        } else if site.foreign(page).is_some() {
            LoneReason::ForeignText
        } else if lang.is_known() {
            taking_part()
        } else {
            match site.not_requested(page, &config.keys) {
                Some(_) => LoneReason::NotRequested,
                None => LoneReason::UnknownLanguage,
            }
        })
    };
    (0..).zip(langs.iter().zip(paired)).map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_read_by_its_name() {
        for (reason, at) in LoneReason::ALL.into_iter().zip(0..) {
            assert_eq!(LoneReason::parse(reason.name()), Some(reason));
            assert_eq!(reason.place(), at);
        }
        assert_eq!(LoneReason::parse("bad luck"), None);
    }

    #[test]
    fn a_filter_takes_what_fits_both_its_parts() {
        let filter = LoneFilter { lang: Some(Lang::EN), reason: Some(LoneReason::Copy) };
        assert!(filter.takes(Lang::EN, LoneReason::Copy));
        assert!(!filter.takes(Lang::ZH, LoneReason::Copy) && !filter.takes(Lang::EN, LoneReason::OneLanguage));
        assert!(LoneFilter::default().takes(Lang::UNKNOWN, LoneReason::UnknownLanguage));
    }
}
