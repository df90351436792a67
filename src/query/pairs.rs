//! Pairs of pages as lines, in the order of domains, languages and URLs.

use rustc_hash::FxHashMap;

use crate::config::Config;
use crate::error::Result;
use crate::index::site::Urls;
use crate::site::bitext::{accepted_pairs, is_fresh, page_record};
use crate::site::results::{Site, is_of_request};
use crate::site::scope::{Scope, sites};
use crate::site::scores::{UserScorer, shortest};
use crate::store::Store;
use crate::store::layout::{ArchivedKeyRow, ArchivedPairRow, ArchivedResultRecord};
use crate::types::{self, CanonicalUrl, JudgedPair, Lang, Method, Outcome, PairLine};

/// Calls `each` with every pair of a scope: by domain, language pair, then URL.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn for_each_pair(
    store: &Store,
    config: &Config,
    scope: &Scope,
    mut each: impl FnMut(PairLine) -> Result<()>,
) -> Result<()> {
    for_each_of(store, config, scope, &[Outcome::Accepted], |pair, _| each(pair))
}

/// Looks up the names and digests of the records of the pages of pairs.
pub struct PairRecords<'s> {
    store: &'s Store,
    /// The site that was asked for last.
    site: Option<Site>,
}

impl<'s> PairRecords<'s> {
    /// Looks them up in a store.
    pub fn of(store: &'s Store) -> PairRecords<'s> {
        PairRecords { store, site: None }
    }

    /// Adds names and digests to a pair; both of its pages are read for that.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn add(&mut self, pair: &mut PairLine) -> Result<()> {
        for (url, provenance) in [&pair.url_a, &pair.url_b].into_iter().zip(&mut pair.provenance) {
            let Ok(url) = CanonicalUrl::parse(url) else { continue };
            let known = self.site.take().filter(|site| site.pages.find(url.identity()).is_some());
            let site = match known {
                Some(site) => site,
                None => match self.store.site_of_domain(&url.domain())? {
                    Some(id) => Site::open(self.store, id)?,
                    None => continue,
                },
            };
            if let Some(page) = site.pages.find(url.identity()) {
                *provenance = site.provenance_in(page, &page_record(self.store, &site, page)?);
            }
            self.site = Some(site);
        }
        Ok(())
    }
}

/// The pairs of a scope, in the order of [`for_each_pair`].
///
/// # Errors
/// When the store cannot be read.
pub fn pairs(store: &Store, config: &Config, scope: &Scope) -> Result<Vec<PairLine>> {
    let mut found = Vec::new();
    for_each_pair(store, config, scope, |pair| {
        found.push(pair);
        Ok(())
    })?;
    Ok(found)
}

/// The pairs that keys were assigned, whatever verification decided on them later.
///
/// # Errors
/// When the store cannot be read.
pub fn assigned(store: &Store, config: &Config, scope: &Scope) -> Result<Vec<PairLine>> {
    let mut found = Vec::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        let is_here = |pair: &&ArchivedPairRow| {
            [pair.a, pair.b].iter().any(|page| scope.has_host(site.pages.identity(page.to_native())))
        };
        found.extend(result.pairs.iter().filter(is_here).map(|pair| pair_line(&site, result, config, pair)));
    }
    Ok(found)
}

/// As [`for_each_pair`], also with the pairs that were rejected, and with the outcome of each; `None` for pairs of keys that are not judged
/// yet.
///
/// # Errors
/// As [`for_each_pair`].
pub fn for_each_judged(
    store: &Store,
    config: &Config,
    scope: &Scope,
    each: impl FnMut(PairLine, Option<Outcome>) -> Result<()>,
) -> Result<()> {
    for_each_of(store, config, scope, &Outcome::ALL, each)
}

/// As [`for_each_judged`], for some outcomes only. Pairs of keys that are not judged count as accepted.
///
/// # Errors
/// As [`for_each_pair`].
pub fn for_each_of(
    store: &Store,
    config: &Config,
    scope: &Scope,
    outcomes: &[Outcome],
    mut each: impl FnMut(PairLine, Option<Outcome>) -> Result<()>,
) -> Result<()> {
    let scorer = UserScorer::of(store);
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let Some(result) = &site.result else { continue };
        let means = means(store, &scorer, &site)?;
        let scored = |line: PairLine, a: u32, b: u32| PairLine { scorer: means.get(&(a, b)).copied(), ..line };
        let is_in_scope =
            |a: u32, b: u32| scope.has_host(site.pages.identity(a)) || scope.has_host(site.pages.identity(b));
        if let Some(judged) = &site.judged {
            for judged in judged.pairs().filter(|judged| outcomes.contains(&judged.outcome)) {
                if is_in_scope(judged.pair.a, judged.pair.b) {
                    let line = judged_line(&site, result, config, &judged);
                    each(scored(line, judged.pair.a, judged.pair.b), Some(judged.outcome))?;
                }
            }
            continue;
        }
        let is_asked = outcomes.contains(&Outcome::Accepted);
        for pair in result.pairs.iter().filter(|_| is_asked) {
            if is_in_scope(pair.a.to_native(), pair.b.to_native()) {
                let line = pair_line(&site, result, config, pair);
                each(scored(line, pair.a.to_native(), pair.b.to_native()), None)?;
            }
        }
    }
    Ok(())
}

/// The mean scores that the sentence pairs of each page pair of a site have, by the two pages.
fn means(store: &Store, scorer: &UserScorer, site: &Site) -> Result<FxHashMap<(u32, u32), f64>> {
    let mut found = FxHashMap::default();
    if scorer.command().is_none() {
        return Ok(found);
    }
    let Some(head) = store.bitext_head(site.id)?.filter(|head| is_fresh(head, site)) else { return Ok(found) };
    let means = scorer.means(store, site.id, &head)?;
    let pairs = accepted_pairs(site).into_iter().zip(means).filter(|(_, mean)| !mean.is_nan());
    found.extend(pairs.map(|(pair, mean)| ((pair.a, pair.b), shortest(mean))));
    Ok(found)
}

/// One pair of a site as a line.
pub fn pair_line(site: &Site, result: &ArchivedResultRecord, config: &Config, pair: &ArchivedPairRow) -> PairLine {
    let (a, b) = (pair.a.to_native(), pair.b.to_native());
    let row = result.keys.get(pair.key.to_native() as usize);
    let langs = row.and_then(|row| row.key()).map_or((site.lang(a), site.lang(b)), |key| (key.langs.a, key.langs.b));
    let score = row.map_or(0.0, |row| row.credibility.to_native());
    line(site, config, [(a, langs.0), (b, langs.1)], row, score, Method::Key.name())
}

/// One judged pair of a site as a line.
pub fn judged_line(site: &Site, result: &ArchivedResultRecord, config: &Config, judged: &JudgedPair) -> PairLine {
    let pages = [judged.pair.a, judged.pair.b].map(|page| (page, site.lang(page)));
    let key = judged.key.and_then(|key| result.keys.get(key as usize));
    let score = (f64::from(judged.score) * 1e4).round() / 1e4;
    line(site, config, pages, key, score, judged.method.name())
}

/// A line of two pages with their languages, in the order in which languages are listed.
fn line(
    site: &Site,
    config: &Config,
    [(a, lang_a), (b, lang_b)]: [(u32, Lang); 2],
    row: Option<&ArchivedKeyRow>,
    score: f64,
    method: &'static str,
) -> PairLine {
    let of_page = |page: u32| site.requested.get(site.pages.identity(page));
    let request = if site.requested.is_empty() { None } else { of_page(a).or_else(|| of_page(b)) };
    let is_recovered = request.zip(row).is_some_and(|(request, row)| is_of_request(row, request));
    let turned = config.lang_rank(lang_b) < config.lang_rank(lang_a);
    let pattern = row.and_then(|row| row.key()).map(|key| {
        let backwards = key.langs.a != lang_a;
        types::pattern(&if turned != backwards { key.turned() } else { key.edits })
    });
    let (first, second) = if turned { ((b, lang_b), (a, lang_a)) } else { ((a, lang_a), (b, lang_b)) };
    PairLine {
        url_a: site.pages.url(first.0),
        url_b: site.pages.url(second.0),
        lang_a: first.1,
        lang_b: second.1,
        score,
        method: if is_recovered { "recovered" } else { method },
        key: pattern.unwrap_or_default(),
        scorer: None,
        provenance: [first.0, second.0].map(|page| site.provenance(page)),
    }
}
