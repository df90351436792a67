//! Lists over all sites, one part at a time: from a given place, forwards or backwards, over the sites that may have rows of the list.

use std::collections::BTreeSet;

use super::bins::bin;
use super::browse::{PairFilter, pass, passed_line};
use super::lone::{LoneFilter, LonePage, LoneReason, lone_of};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::site::results::Site;
use crate::site::scope::Scope;
use crate::store::Store;
use crate::types::{JudgedPair, LangPair, Method, Outcome, PairLine, SiteId};

/// What lists may find on a site, in a few bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The site.
    pub site: SiteId,
    /// The language pairs of its page pairs.
    langs: Box<[LangPair]>,
    /// A bit for each method of its page pairs.
    methods: u16,
    /// A bit for each outcome of its judged pairs.
    outcomes: u8,
    /// A bit for each bin of scores that a judged pair lies in.
    bins: u32,
    /// A bit for each reason for which its pages have no partner.
    reasons: u16,
}

impl Digest {
    /// The digest of a site whose pages have no partner for these reasons.
    pub(super) fn of(site: &Site, reasons: impl Iterator<Item = LoneReason>) -> Digest {
        match (&site.judged, &site.result) {
            (None, Some(result)) => {
                let keys = result.keys.iter().filter_map(|row| row.key());
                let langs: BTreeSet<LangPair> = keys.map(|key| key.langs).collect();
                let found = Digest::new(site.id, std::iter::empty(), reasons);
                let (methods, outcomes) = (1 << Method::Key as u16, 1 << Outcome::Accepted as u8);
                Digest { langs: langs.into_iter().collect(), methods, outcomes, bins: u32::MAX, ..found }
            }
            (judged, _) => Digest::new(site.id, judged.iter().flat_map(|judged| judged.pairs()), reasons),
        }
    }

    fn new(site: SiteId, pairs: impl Iterator<Item = JudgedPair>, reasons: impl Iterator<Item = LoneReason>) -> Digest {
        let mut found = Digest { site, langs: Box::default(), methods: 0, outcomes: 0, bins: 0, reasons: 0 };
        let mut langs: Vec<LangPair> = Vec::new();
        for pair in pairs {
            if langs.last() != Some(&pair.pair.langs) {
                langs.push(pair.pair.langs);
            }
            found.methods |= 1 << pair.method as u16;
            found.outcomes |= 1 << pair.outcome as u8;
            found.bins |= 1 << bin(f64::from(pair.score));
        }
        langs.sort_unstable();
        langs.dedup();
        found.langs = langs.into_boxed_slice();
        found.reasons = reasons.fold(0, |mask, reason| mask | 1 << reason.place());
        found
    }

    /// False where the site certainly has no pair that passes a filter.
    fn may_have(&self, filter: &PairFilter) -> bool {
        let outcomes = Outcome::ALL.into_iter().filter(|outcome| filter.decided.takes(*outcome));
        let (first, last) = (bin(filter.scores.0), bin(filter.scores.1));
        let bins = (first..=last).fold(0u32, |mask, bin| mask | 1 << bin);
        filter.langs.is_none_or(|langs| self.langs.contains(&langs))
            && filter.method.is_none_or(|method: Method| self.methods & (1 << method as u16) != 0)
            && self.outcomes & outcomes.fold(0u8, |mask, outcome| mask | 1 << outcome as u8) != 0
            && self.bins & bins != 0
    }

    /// False where the site certainly has no page without a partner for a reason.
    fn may_have_lone(&self, filter: LoneFilter) -> bool {
        filter.reason.map_or(self.reasons != 0, |reason| self.reasons & (1 << reason.place()) != 0)
    }
}

/// A place in a list over sites: the item with this number among those of the list on this site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The site.
    pub site: SiteId,
    /// Number of the item, from 0 on.
    pub at: usize,
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The first item; backwards: the one before which to begin. `None`: the beginning of the list.
    pub from: Option<Spot>,
    /// True to go towards the beginning of the list; the items come in that order too.
    pub is_back: bool,
    /// How many items at most.
    pub count: usize,
}

/// A part of a list.
#[derive(Clone, Debug)]
pub struct Part<T> {
    /// Its items, each with its place.
    pub items: Vec<(Spot, T)>,
    /// Where the list goes on; `None` where it ends.
    pub next: Option<Spot>,
}

/// How many pages all the sites that are opened for one part of a list may have. Where few rows pass the filter, a part has few rows or
/// none, and says where to go on.
const MOST_PAGES: u64 = 50_000;

/// Opening a site takes as long as examining so many pages (an estimate).
const OPENING: u64 = 100;

/// A part of the pairs that pass a filter, of all sites in the order of their digests, and on each by languages and URL.
///
/// # Errors
/// When the store cannot be read.
pub fn pairs_from(
    store: &Store,
    config: &Config,
    digests: &[Digest],
    filter: &PairFilter,
    steps: Steps,
) -> Result<Part<(PairLine, Option<Outcome>)>> {
    let places = |site: &Site| {
        let mut passed = Vec::new();
        pass(site, 0, &Scope::all(), filter, &mut passed);
        passed.into_iter().map(|(_, _, at)| at).collect::<Vec<usize>>()
    };
    let wanted = |digest: &Digest| digest.may_have(filter);
    walk(store, digests, steps, wanted, places, |site, at| passed_line(site, config, *at))
}

/// A part of the pages without a partner, of all sites in the order of their digests, and on each by URL.
///
/// # Errors
/// When the store cannot be read.
pub fn lone_from(
    store: &Store,
    config: &Config,
    digests: &[Digest],
    filter: LoneFilter,
    steps: Steps,
) -> Result<Part<LonePage>> {
    let wanted = |digest: &Digest| digest.may_have_lone(filter);
    let line = |site: &Site, &(page, reason): &(u32, LoneReason)| {
        Some(LonePage { url: site.pages.url(page), lang: site.lang(page), reason })
    };
    walk(store, digests, steps, wanted, |site| lone_of(site, config, filter), line)
}

/// Goes from site to site. `places` gives the items of a site, and `line` makes a row of an item.
fn walk<P, T>(
    store: &Store,
    digests: &[Digest],
    steps: Steps,
    wanted: impl Fn(&Digest) -> bool,
    places: impl Fn(&Site) -> Vec<P>,
    line: impl Fn(&Site, &P) -> Option<T>,
) -> Result<Part<T>> {
    let mut part = Part { items: Vec::new(), next: None };
    let mut looked = 0;
    for at in order(digests, steps) {
        let digest = &digests[at];
        let begins = steps.from.filter(|from| from.site == digest.site).map(|from| from.at);
        if !wanted(digest) {
            continue;
        }
        if looked >= MOST_PAGES {
            part.next = Some(Spot { site: digest.site, at: if steps.is_back { usize::MAX } else { 0 } });
            break;
        }
        let site = Site::open(store, digest.site)?;
        looked += u64::from(site.pages.count()) + OPENING;
        let all = places(&site);
        let numbers: Box<dyn Iterator<Item = usize>> = if steps.is_back {
            Box::new((0..begins.unwrap_or(usize::MAX).min(all.len())).rev())
        } else {
            Box::new(begins.unwrap_or(0)..all.len())
        };
        for number in numbers {
            let spot = Spot { site: digest.site, at: number };
            if part.items.len() == steps.count {
                part.next = Some(if steps.is_back { Spot { at: number + 1, ..spot } } else { spot });
                return Ok(part);
            }
            part.items.extend(line(&site, &all[number]).map(|line| (spot, line)));
        }
    }
    Ok(part)
}

/// The positions of the sites in the order in which a walk comes to them.
fn order(digests: &[Digest], steps: Steps) -> Box<dyn Iterator<Item = usize>> {
    let first = steps.from.and_then(|from| digests.iter().position(|digest| digest.site == from.site));
    match (steps.is_back, first) {
        (true, Some(first)) => Box::new((0..=first).rev()),
        (true, None) => Box::new(std::iter::empty()),
        (false, first) => Box::new(first.unwrap_or(0)..digests.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::browse::Decided;
    use crate::types::{Candidate, Lang, PagePair, Similarities};

    fn digest(site: u32, pairs: &[(Lang, Lang, Outcome, f32)]) -> Digest {
        let pair = |&(a, b, outcome, score): &(Lang, Lang, Outcome, f32)| {
            let langs = LangPair::new(a, b).expect("two languages");
            let candidate = Candidate { pair: PagePair { langs, a: 0, b: 1 }, method: Method::Key, key: None };
            JudgedPair::new(candidate, f64::from(score), Similarities::default(), outcome)
        };
        Digest::new(SiteId(site), pairs.iter().map(pair), [LoneReason::Copy].into_iter())
    }

    #[test]
    fn a_digest_tells_which_sites_have_nothing_of_a_list() {
        let fr = Lang::parse("fr").expect("a language");
        let site = digest(1, &[(Lang::EN, fr, Outcome::Accepted, 0.97), (Lang::EN, fr, Outcome::LowScore, 0.2)]);
        let filter = PairFilter { scores: (0.0, 1.0), ..PairFilter::default() };
        assert!(site.may_have(&filter));
        assert!(!site.may_have(&PairFilter { langs: LangPair::new(Lang::EN, Lang::ZH), ..filter.clone() }));
        assert!(!site.may_have(&PairFilter { method: Some(Method::Words), ..filter.clone() }));
        assert!(!site.may_have(&PairFilter { scores: (0.6, 0.65), ..filter.clone() }));
        assert!(site.may_have(&PairFilter { decided: Decided::As(Outcome::LowScore), ..filter.clone() }));
        assert!(!site.may_have(&PairFilter { decided: Decided::As(Outcome::SameText), ..filter }));
        assert!(site.may_have_lone(LoneFilter::default()));
        assert!(!site.may_have_lone(LoneFilter { reason: Some(LoneReason::OneLanguage), ..LoneFilter::default() }));
    }

    #[test]
    fn a_walk_begins_at_its_site_and_goes_either_way() {
        let digests: Vec<Digest> = [4, 2, 9].map(|site| digest(site, &[])).into();
        let of = |site: Option<u32>, is_back| {
            let from = site.map(|site| Spot { site: SiteId(site), at: 0 });
            order(&digests, Steps { from, is_back, count: 1 }).collect::<Vec<usize>>()
        };
        assert_eq!(of(None, false), [0, 1, 2]);
        assert_eq!(of(Some(2), false), [1, 2]);
        assert_eq!(of(Some(2), true), [1, 0]);
        assert_eq!(of(None, true), [0usize; 0]);
    }
}
