//! The whole method on one domain, step after step.

use std::ops::Range;
use std::path::Path;

use rustc_hash::FxHashSet;

use super::candidate::{Candidate, Scan, Values};
use super::competition::{Matched, compete};
use super::credibility::{self, Evidence, State};
use super::found::{Discovery, FoundKey, FoundPair};
use super::hosts::{HostSizes, host_at, host_ranges};
use super::linking_power::{self, Ranked};
use super::params::{CoreMode, Params, SiteUnit};
use super::slots::Shape;
use super::{copies, labels, rescue};
use crate::error::Result;
use crate::index::site::{NO_LABEL, Pages, SiteIndex};
use crate::text::counterpart;
use crate::types::{Field, Lang, LangPair, PagePair, Step, Watch};

/// Finds the keys and pairs of one domain. `rescue` holds the patterns ([`Key::pattern`](crate::types::Key::pattern)) credible across sites;
/// `watch` is told how far the steps are.
///
/// # Errors
/// When entries beyond the memory budget cannot be written to `folder`.
pub fn discover(
    pages: &dyn Pages,
    params: &Params,
    rescue: &FxHashSet<String>,
    folder: &Path,
    watch: &dyn Watch,
) -> Result<Discovery> {
    let mut site = labels::initial(pages, params);
    let copies = if params.copies { copies::copies(pages, &site, watch) } else { Vec::new() };
    for &(copy, _) in &copies {
        site.set(copy, None);
    }
    let search = Search { pages, params, rescue, folder, exempt: rescue::sides(rescue), watch };
    let mut keys = search.single_keys(&site)?;
    if params.resolve_labels && labels::resolve(pages, params, &mut site, &copies, &keys) {
        keys = search.single_keys(&site)?;
    }
    let mut matched = Matched::new(params.one_partner);
    let by = params.order();
    let mut pairs = compete(&mut keys, &mut matched, by);
    for (wanted, shape) in [(params.cores == CoreMode::Leftover, Shape::Cores), (params.compound, Shape::Compound)] {
        if wanted {
            let mut more = search.leftover_keys(&site, shape, &matched)?;
            let first = keys.len() as u32;
            pairs.extend(
                compete(&mut more, &mut matched, by).into_iter().map(|p| FoundPair { key: first + p.key, ..p }),
            );
            keys.extend(more);
        }
    }
    let labels = (site.langs, site.labels);
    let mut discovery = Discovery { keys, pairs, labels, copies };
    discovery.drop_weakest(params.max_weak_keys);
    Ok(discovery)
}

struct Search<'s> {
    pages: &'s dyn Pages,
    params: &'s Params,
    rescue: &'s FxHashSet<String>,
    folder: &'s Path,
    exempt: FxHashSet<String>,
    watch: &'s dyn Watch,
}

impl Search<'_> {
    /// Keys of one span, and of cores where they compete with them.
    fn single_keys(&self, site: &SiteIndex<'_>) -> Result<Vec<FoundKey>> {
        let mut keys = Vec::new();
        let scopes = self.scopes();
        let told = Step::new(self.watch, "keys of hosts", scopes.len());
        for scope in scopes {
            keys.extend(self.keys_of(site, scope.clone(), Shape::Spans, None)?);
            if self.params.cores == CoreMode::Joint {
                keys.extend(self.keys_of(site, scope, Shape::Cores, None)?);
            }
            told.did(1);
        }
        let several_hosts = host_at(self.pages, 0) != host_at(self.pages, self.pages.count().saturating_sub(1));
        if self.params.fields.contains(&Field::Host) && several_hosts {
            keys.extend(self.keys_of(site, 0..self.pages.count(), Shape::HostSpans, None)?);
        }
        Ok(keys)
    }

    /// Keys of cores or of two spans, among pages that have no partner yet.
    fn leftover_keys(&self, site: &SiteIndex<'_>, shape: Shape, matched: &Matched) -> Result<Vec<FoundKey>> {
        let alone = |page: u32, lang: Lang| {
            let mut others = site.langs.iter().filter_map(|&other| LangPair::new(lang, other));
            others.any(|pair| !matched.has_partner(pair, page))
        };
        let mut left = site.clone();
        for page in 0..self.pages.count() {
            if site.lang(page).is_some_and(|lang| !alone(page, lang)) {
                left.labels[page as usize] = NO_LABEL;
            }
        }
        let scopes = if shape == Shape::Compound { self.domain() } else { self.scopes() };
        let mut keys = Vec::new();
        let told = Step::new(self.watch, "keys of pages that are left", scopes.len());
        for scope in scopes {
            keys.extend(self.keys_of(&left, scope, shape, Some((matched, site)))?);
            told.did(1);
        }
        Ok(keys)
    }

    /// The page ranges that are sites: one a host, or one for all.
    fn scopes(&self) -> Vec<Range<u32>> {
        if self.params.site == SiteUnit::Domain { self.domain() } else { host_ranges(self.pages) }
    }

    /// All pages as one scope.
    fn domain(&self) -> Vec<Range<u32>> {
        std::iter::once(0..self.pages.count()).collect()
    }

    /// Ranks the keys of one scope and judges them. With `matched`, only pairs of pages that are still free count.
    fn keys_of(
        &self,
        site: &SiteIndex<'_>,
        scope: Range<u32>,
        shape: Shape,
        leftover: Option<(&Matched, &SiteIndex<'_>)>,
    ) -> Result<Vec<FoundKey>> {
        let of_scope = site.labels[scope.start as usize..scope.end as usize].iter().filter(|&&l| l != NO_LABEL);
        let first = of_scope.clone().next();
        if of_scope.clone().all(|label| Some(label) == first) {
            return Ok(Vec::new());
        }
        let scan =
            Scan { site, pages: scope.clone(), shape, params: self.params, exempt: &self.exempt, watch: self.watch };
        let sizes = leftover.map_or(site, |(_, all)| all).sizes(scope.clone());
        let min_count =
            |c: &Candidate| self.params.min_count(sizes[usize::from(c.label_a)].min(sizes[usize::from(c.label_b)]));
        let keep = |c: &Candidate, values: &Values, estimate: u64| {
            estimate >= u64::from(min_count(c)) || self.has_privilege(&scan, c, values)
        };
        let hosts = (shape == Shape::HostSpans).then(|| HostSizes::new(site));
        let ranked = linking_power::rank(&scan, self.folder, &keep)?;
        let mut keys = Vec::new();
        for (candidate, power) in &ranked.candidates {
            let Some(key) = scan.key(candidate, &ranked.values) else { continue };
            let mut found = FoundKey {
                evidence: match &hosts {
                    Some(hosts) => hosts.evidence(&key, *power),
                    None => Evidence {
                        power: *power,
                        pages: (sizes[usize::from(candidate.label_a)], sizes[usize::from(candidate.label_b)]),
                        all_pages: scope.end - scope.start,
                    },
                },
                key,
                state: State::Weak,
                assigned: 0,
                scope: scope.clone(),
                pairs: Vec::new(),
            };
            self.judge(&mut found, &ranked, candidate, shape, leftover.map(|l| l.0));
            if found.state != State::Weak || found.evidence.power >= u64::from(min_count(candidate)) {
                keys.push(found);
            }
        }
        Ok(keys)
    }

    /// True for candidates that are looked at with a single pair: they name their languages, or are credible elsewhere.
    fn has_privilege(&self, scan: &Scan<'_, '_>, candidate: &Candidate, values: &Values) -> bool {
        scan.key(candidate, values)
            .is_some_and(|key| credibility::names_languages(&key) || self.rescue.contains(&key.pattern()))
    }

    fn judge(&self, found: &mut FoundKey, ranked: &Ranked, c: &Candidate, shape: Shape, matched: Option<&Matched>) {
        let rescued = self.rescue.contains(&found.key.pattern());
        let state = credibility::judge(&found.key, &found.evidence, rescued, self.params);
        if state == State::Weak {
            return;
        }
        let langs = found.key.langs;
        let mut pairs = ranked.postings.pairs((c.from, c.label_a), (c.to, c.label_b));
        if let Some(matched) = matched {
            pairs.retain(|&(a, b)| matched.is_free(PagePair { langs, a, b }));
        }
        if shape == Shape::Cores && !self.unites_tokens(&pairs) {
            return;
        }
        found.evidence.power = pairs.len() as u64;
        found.state = credibility::judge(&found.key, &found.evidence, rescued, self.params);
        if found.state != State::Weak {
            found.pairs = pairs;
        }
    }

    /// True when the pairs of a core come from two token keys or more.
    fn unites_tokens(&self, pairs: &[(u32, u32)]) -> bool {
        let mut tokens = pairs.iter().map(|&(a, b)| {
            counterpart::differing_tokens(self.pages.identity(a), self.pages.identity(b), self.params.separators)
        });
        let first = tokens.next();
        tokens.any(|other| Some(other) != first)
    }
}
