//! Parts of long listings: the pairs of a scope that a reader asks for.

use std::collections::BTreeMap;
use std::ops::Range;

use super::pairs::{judged_line, pair_line};
use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::keys::hosts::host_ranges;
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::{self, CanonicalUrl, JudgedPair, LangPair, Method, Outcome, PairLine, host_of};

/// Which pairs are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairFilter {
    /// Only pairs of these languages.
    pub langs: Option<LangPair>,
    /// Only pairs that this method proposed.
    pub method: Option<Method>,
    /// Only pairs of this key, given by its pattern, from either language to the other.
    pub key: Option<String>,
    /// Only pairs with a score in this range, both ends included.
    pub scores: (f64, f64),
    /// Only pairs with a score below the end of this range: bins of scores do not include their ends.
    pub below: bool,
    /// Only pairs with this decision.
    pub decided: Decided,
}

impl PairFilter {
    fn takes_score(&self, score: f64) -> bool {
        let (least, greatest) = self.scores;
        score >= least && score <= greatest && !(self.below && score == greatest)
    }
}

/// Which decisions on pairs are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decided {
    /// They were accepted.
    #[default]
    Accepted,
    /// They were judged and rejected.
    Rejected,
    /// They have this outcome.
    As(Outcome),
}

impl Decided {
    /// True for an outcome that is asked for.
    pub fn takes(self, outcome: Outcome) -> bool {
        match self {
            Decided::Accepted => outcome == Outcome::Accepted,
            Decided::Rejected => outcome != Outcome::Accepted,
            Decided::As(wanted) => outcome == wanted,
        }
    }
}

/// A part of the pairs.
#[derive(Clone, Debug, Default)]
pub struct PairPage {
    /// How many pairs pass the filter.
    pub total: usize,
    /// The pairs of this part, each with the decision on it, if it was judged.
    pub lines: Vec<(PairLine, Option<Outcome>)>,
}

/// The order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairOrder {
    /// By domain, languages, URLs.
    #[default]
    Url,
    /// The lowest score first.
    LowScore,
    /// The highest score first.
    HighScore,
}

/// A pair that passed the filter: its score, its site, and its position among the pairs of the site.
pub(super) type Passed = (f64, usize, usize);

/// The pairs of a scope that pass a filter, from the one at `range.start` on.
///
/// Lines are made only for the pairs in `range`; any other pair costs the reading of a row.
///
/// # Errors
/// When the store cannot be read.
pub fn pairs_page(
    store: &Store,
    config: &Config,
    scope: &Scope,
    filter: &PairFilter,
    order: PairOrder,
    range: Range<usize>,
) -> Result<PairPage> {
    let opened: Vec<Site> = sites(store, scope)?.into_iter().map(|id| Site::open(store, id)).collect::<Result<_>>()?;
    let mut passed: Vec<Passed> = Vec::new();
    for (site, number) in opened.iter().zip(0..) {
        pass(site, number, scope, filter, &mut passed);
    }
    match order {
        PairOrder::Url => {}
        PairOrder::LowScore => passed.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2))),
        PairOrder::HighScore => passed.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2))),
    }
    let start = range.start.min(passed.len());
    let end = range.end.clamp(start, passed.len());
    let line = |&(_, site, at): &Passed| passed_line(&opened[site], config, at);
    Ok(PairPage { total: passed.len(), lines: passed[start..end].iter().filter_map(line).collect() })
}

/// The line of the pair at a position among the pairs of a site, with the decision on it.
pub(super) fn passed_line(site: &Site, config: &Config, at: usize) -> Option<(PairLine, Option<Outcome>)> {
    let result = site.result.as_ref()?;
    match &site.judged {
        Some(judged) => {
            let pair = judged.pair_at(at)?;
            Some((judged_line(site, result, config, &pair), Some(pair.outcome)))
        }
        None => Some((pair_line(site, result, config, result.pairs.get(at)?), None)),
    }
}

/// The number of the pair of two pages among the accepted pairs of a scope, as [`pairs_page`] lists them by URL; `None` where it is none.
///
/// # Errors
/// When the store cannot be read.
pub fn place_of(store: &Store, scope: &Scope, urls: [&CanonicalUrl; 2]) -> Result<Option<usize>> {
    let filter = PairFilter { scores: (0.0, 1.0), ..PairFilter::default() };
    let mut before = 0;
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let mut passed: Vec<Passed> = Vec::new();
        pass(&site, 0, scope, &filter, &mut passed);
        let pages = urls.map(|url| site.pages.find(url.identity()));
        if let [Some(one), Some(other)] = pages {
            let is_it = |&(_, _, at): &Passed| {
                match (&site.judged, &site.result) {
                    (Some(judged), _) => judged.pair_at(at).map(|pair| (pair.pair.a, pair.pair.b)),
                    (None, Some(result)) => result.pairs.get(at).map(|row| (row.a.to_native(), row.b.to_native())),
                    (None, None) => None,
                }
                .is_some_and(|pair| pair == (one, other) || pair == (other, one))
            };
            return Ok(passed.iter().position(is_it).map(|at| before + at));
        }
        before += passed.len();
    }
    Ok(None)
}

/// For each key of a scope, by pattern and languages as it is listed, its first accepted pair by URL.
///
/// # Errors
/// When the store cannot be read.
pub fn key_examples(store: &Store, config: &Config, scope: &Scope) -> Result<BTreeMap<(String, LangPair), PairLine>> {
    let mut found = BTreeMap::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let (Some(result), Some(judged)) = (&site.result, &site.judged) else { continue };
        let here = pages_of(&site, scope);
        let mut met = vec![false; result.keys.len()];
        for pair in judged.accepted().filter(|pair| lies_in(&here, pair.pair.a) || lies_in(&here, pair.pair.b)) {
            if let Some(is_met) = pair.key.and_then(|key| met.get_mut(key as usize)).filter(|is_met| !**is_met) {
                *is_met = true;
                let line = judged_line(&site, result, config, &pair);
                found.entry((line.key.clone(), pair.pair.langs)).or_insert(line);
            }
        }
    }
    Ok(found)
}

/// Adds the pairs of a site that pass the filter.
pub(super) fn pass(site: &Site, number: usize, scope: &Scope, filter: &PairFilter, passed: &mut Vec<Passed>) {
    let Some(result) = &site.result else { return };
    let here = pages_of(site, scope);
    let is_here = |a: u32, b: u32| lies_in(&here, a) || lies_in(&here, b);
    let wanted_keys: Option<Vec<u32>> = filter.key.as_ref().map(|wanted| {
        let is_wanted = |key: &types::Key| *wanted == key.pattern() || *wanted == types::pattern(&key.turned());
        let rows = result.keys.iter().zip(0u32..);
        rows.filter(|(row, _)| row.key().is_some_and(|key| is_wanted(&key))).map(|(_, at)| at).collect()
    });
    let has_key = |key: Option<u32>| {
        wanted_keys.as_ref().is_none_or(|wanted| key.is_some_and(|key| wanted.binary_search(&key).is_ok()))
    };
    let is_of = |langs: Option<LangPair>| filter.langs.is_none() || filter.langs == langs;
    if let Some(judged) = &site.judged {
        let wanted = |pair: &JudgedPair| {
            filter.decided.takes(pair.outcome)
                && filter.method.is_none_or(|method| method == pair.method)
                && is_of(Some(pair.pair.langs))
                && has_key(pair.key)
                && filter.takes_score(f64::from(pair.score))
                && is_here(pair.pair.a, pair.pair.b)
        };
        let found = judged.pairs().zip(0..).filter(|(pair, _)| wanted(pair));
        passed.extend(found.map(|(pair, at)| (f64::from(pair.score), number, at)));
        return;
    }
    if !filter.decided.takes(Outcome::Accepted) || filter.method.is_some_and(|method| method != Method::Key) {
        return;
    }
    for (row, at) in result.pairs.iter().zip(0..) {
        let key = result.keys.get(row.key.to_native() as usize);
        let score = key.map_or(0.0, |key| key.credibility.to_native());
        let langs = key.and_then(|row| row.key()).map(|key| key.langs);
        let is_wanted = is_of(langs) && has_key(Some(row.key.to_native())) && filter.takes_score(score);
        if is_wanted && is_here(row.a.to_native(), row.b.to_native()) {
            passed.push((score, number, at));
        }
    }
}

/// The pages of a site that are in a scope, as ranges: pages are sorted by URL, so those of a host stand together.
pub(super) fn pages_of(site: &Site, scope: &Scope) -> Vec<Range<u32>> {
    ranges_of(&site.pages, |host| scope.has_host(host))
}

/// The ranges of pages whose hosts are wanted; adjacent ranges are joined.
fn ranges_of(urls: &(impl Urls + ?Sized), is_wanted: impl Fn(&str) -> bool) -> Vec<Range<u32>> {
    let mut found: Vec<Range<u32>> = Vec::new();
    let wanted = |range: &Range<u32>| is_wanted(host_of(urls.identity(range.start)));
    for range in host_ranges(urls).into_iter().filter(wanted) {
        match found.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => found.push(range),
        }
    }
    found
}

/// True when a page lies in one of the ranges, which are in ascending order.
pub(super) fn lies_in(ranges: &[Range<u32>], page: u32) -> bool {
    let after = ranges.partition_point(|range| range.start <= page);
    after > 0 && ranges[after - 1].contains(&page)
}

/// Of each page of a site whether it has a partner.
pub(super) fn paired(site: &Site) -> Vec<bool> {
    let mut paired = vec![false; site.pages.count() as usize];
    let mut mark = |page: u32| {
        if let Some(page) = paired.get_mut(page as usize) {
            *page = true;
        }
    };
    match (&site.judged, &site.result) {
        (Some(judged), _) => {
            judged.accepted().for_each(|pair| [pair.pair.a, pair.pair.b].into_iter().for_each(&mut mark))
        }
        (None, Some(result)) => {
            result.pairs.iter().for_each(|row| [row.a.to_native(), row.b.to_native()].into_iter().for_each(&mut mark));
        }
        (None, None) => {}
    }
    paired
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_between_two_bins_is_in_the_list_of_one() {
        let of = |scores, below| PairFilter { scores, below, ..PairFilter::default() };
        assert!(!of((0.4, 0.5), true).takes_score(0.5) && of((0.5, 0.6), true).takes_score(0.5));
        assert!(of((0.4, 0.5), false).takes_score(0.5) && of((0.999, 1.0), false).takes_score(1.0));
    }

    #[test]
    fn hosts_of_a_scope_are_ranges_of_the_sorted_pages() {
        let pages = ["a.ex.org/1", "a.ex.org/2", "ex.fr/1", "ex.fr/2", "ex.fr/3", "www.ex.org/1", "www.ex.org/2"];
        let of = |wanted: &dyn Fn(&str) -> bool| ranges_of(pages.as_slice(), wanted);
        assert_eq!(of(&|host| host.ends_with("ex.org")), [0..2, 5..7]);
        assert_eq!(of(&|host| host == "ex.fr"), std::slice::from_ref(&(2..5)));
        assert_eq!(of(&|_| true), std::slice::from_ref(&(0..7)));
        assert_eq!(of(&|_| false), []);
        let some = of(&|host| host.ends_with("ex.org"));
        assert_eq!((0..8).filter(|&page| lies_in(&some, page)).collect::<Vec<_>>(), [0, 1, 5, 6]);
    }

    #[test]
    fn a_long_host_ends_where_the_next_begins() {
        let url = |page: u32| {
            if page < 1000 {
                format!("a.org/{page:04}")
            } else if page < 1001 {
                format!("b.org/{page:04}")
            } else {
                format!("c.org/{page:04}")
            }
        };
        let urls: Vec<String> = (0..5000).map(url).collect();
        let of = |wanted: &str| ranges_of(urls.as_slice(), |host| host == wanted);
        assert_eq!(of("b.org"), std::slice::from_ref(&(1000..1001)));
        assert_eq!(of("a.org"), std::slice::from_ref(&(0..1000)));
        assert_eq!(of("c.org"), std::slice::from_ref(&(1001..5000)));
    }
}
