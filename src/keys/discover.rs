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
use super::params::{CoreMode, Order, Params, SiteUnit};
use super::slots::Shape;
use super::{copies, folders, labels, rescue};
use crate::error::Result;
use crate::index::parts::{MIN_PAGES, Parts};
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
    let scopes = Scopes::new(pages, &site, params);
    let search = Search { pages, params, rescue, folder, exempt: rescue::sides(rescue), scopes, watch };
    let mut taken = search.single_keys(&site)?;
    if params.resolve_labels && labels::resolve(pages, params, &mut site, &copies, &taken.keys) {
        taken = search.single_keys(&site)?;
    }
    for (wanted, shape) in [(params.cores == CoreMode::Leftover, Shape::Cores), (params.compound, Shape::Compound)] {
        if wanted {
            search.scopes.all().try_for_each(|scopes| search.leftover_keys(&site, shape, scopes, &mut taken))?;
        }
    }
    let labels = (site.langs, site.labels);
    let mut discovery = Discovery { keys: taken.keys, pairs: taken.pairs, labels, copies };
    discovery.drop_weakest(params.max_weak_keys);
    Ok(discovery)
}

/// Pages of either language for which a folder borrows what is known of a key round it: that it pairs nothing.
const BORROWED: u32 = 10;

/// Pages among which keys are sought.
struct Scope {
    /// In order.
    pages: Vec<u32>,
    /// A folder, which is part of a host; keys are sought among those of its pages that those of the host leave alone.
    is_folder: bool,
}

/// What is a site: hosts, or all of a domain; then the folders that can speak for themselves, the outer ones first.
struct Scopes {
    hosts: Vec<Scope>,
    /// Those of each depth.
    folders: Vec<Vec<Scope>>,
}

impl Scopes {
    fn new(pages: &dyn Pages, site: &SiteIndex<'_>, params: &Params) -> Scopes {
        let whole = || Scope { pages: (0..pages.count()).collect(), is_folder: false };
        let host = |range: Range<u32>| Scope { pages: range.collect(), is_folder: false };
        let mut scopes = Scopes {
            hosts: match params.site {
                SiteUnit::Domain => vec![whole()],
                SiteUnit::Host => host_ranges(pages).into_iter().map(host).collect(),
            },
            folders: Vec::new(),
        };
        if params.folders && pages.count() > MIN_PAGES {
            let langs: Vec<Lang> = (0..pages.count()).map(|page| site.lang(page).unwrap_or(Lang::UNKNOWN)).collect();
            let parts = Parts::new(&folders::tree(pages, [].iter(), &langs), &langs);
            for part in 1..parts.count() {
                let members = parts.members(part);
                let (Some(&first), Some(&last)) = (members.first(), members.last()) else { continue };
                // Pages of several hosts are paired by what stands in their labels.
                if host_at(pages, first) == host_at(pages, last) {
                    let depth = parts.chain(part).count();
                    scopes.folders.resize_with(scopes.folders.len().max(depth), Vec::new);
                    scopes.folders[depth - 1].push(Scope { pages: members, is_folder: true });
                }
            }
        }
        scopes
    }

    /// Hosts, then folders by depth.
    fn all(&self) -> impl Iterator<Item = &[Scope]> {
        std::iter::once(&self.hosts).chain(&self.folders).map(Vec::as_slice)
    }
}

/// Keys, and the pairs that they took.
struct Taken {
    keys: Vec<FoundKey>,
    pairs: Vec<FoundPair>,
    matched: Matched,
}

impl Taken {
    /// Lets keys take what is left.
    fn compete(&mut self, mut keys: Vec<FoundKey>, by: Order) {
        let first = self.keys.len() as u32;
        let pairs = compete(&mut keys, &mut self.matched, by);
        self.pairs.extend(pairs.into_iter().map(|pair| FoundPair { key: first + pair.key, ..pair }));
        self.keys.extend(keys);
    }
}

struct Search<'s> {
    pages: &'s dyn Pages,
    params: &'s Params,
    rescue: &'s FxHashSet<String>,
    folder: &'s Path,
    exempt: FxHashSet<String>,
    scopes: Scopes,
    watch: &'s dyn Watch,
}

impl Search<'_> {
    /// Keys of one span, and of cores where they compete with them: those of hosts and between hosts; then, among the pages that these leave
    /// alone, those of folders.
    fn single_keys(&self, site: &SiteIndex<'_>) -> Result<Taken> {
        let mut keys = Vec::new();
        let told = Step::new(self.watch, "keys of hosts", self.scopes.hosts.len());
        for scope in &self.scopes.hosts {
            keys.extend(self.keys_of(site, scope, Shape::Spans, None)?);
            if self.params.cores == CoreMode::Joint {
                keys.extend(self.keys_of(site, scope, Shape::Cores, None)?);
            }
            told.did(1);
        }
        let several_hosts = host_at(self.pages, 0) != host_at(self.pages, self.pages.count().saturating_sub(1));
        if self.params.fields.contains(&Field::Host) && several_hosts {
            let domain = Scope { pages: (0..self.pages.count()).collect(), is_folder: false };
            keys.extend(self.keys_of(site, &domain, Shape::HostSpans, None)?);
        }
        let matched = Matched::new(self.params.one_partner);
        let mut taken = Taken { keys: Vec::new(), pairs: Vec::new(), matched };
        taken.compete(keys, self.params.order());
        for scopes in &self.scopes.folders {
            self.leftover_keys(site, Shape::Spans, scopes, &mut taken)?;
        }
        Ok(taken)
    }

    /// Adds keys of some scopes, among pages that have no partner yet.
    fn leftover_keys(&self, site: &SiteIndex<'_>, shape: Shape, scopes: &[Scope], taken: &mut Taken) -> Result<()> {
        let alone = |page: u32, lang: Lang| {
            let mut others = site.langs.iter().filter_map(|&other| LangPair::new(lang, other));
            others.any(|pair| !taken.matched.has_partner(pair, page))
        };
        let mut left = site.clone();
        for page in 0..self.pages.count() {
            if site.lang(page).is_some_and(|lang| !alone(page, lang)) {
                left.labels[page as usize] = NO_LABEL;
            }
        }
        let mut keys = Vec::new();
        let told = Step::new(self.watch, "keys of pages that are left", scopes.len());
        for scope in scopes {
            keys.extend(self.keys_of(&left, scope, shape, Some((&taken.matched, site)))?);
            told.did(1);
        }
        taken.compete(keys, self.params.order());
        Ok(())
    }

    /// Ranks the keys of one scope and judges them. With `matched`, only pairs of pages that are still free count.
    fn keys_of(
        &self,
        site: &SiteIndex<'_>,
        Scope { pages, is_folder }: &Scope,
        shape: Shape,
        leftover: Option<(&Matched, &SiteIndex<'_>)>,
    ) -> Result<Vec<FoundKey>> {
        let of_scope = pages.iter().map(|&page| site.labels[page as usize]).filter(|&label| label != NO_LABEL);
        let first = of_scope.clone().next();
        if of_scope.clone().all(|label| Some(label) == first) {
            return Ok(Vec::new());
        }
        let scan = Scan { site, pages, shape, params: self.params, exempt: &self.exempt, watch: self.watch };
        let sizes = leftover.map_or(site, |(_, all)| all).sizes(pages.iter().copied());
        let range = pages.first().map_or(0, |&page| page)..pages.last().map_or(0, |&page| page + 1);
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
                        all_pages: pages.len() as u32,
                    },
                },
                key,
                state: State::Weak,
                assigned: 0,
                scope: range.clone(),
                pairs: Vec::new(),
            };
            self.judge(&mut found, &ranked, candidate, (shape, *is_folder), leftover.map(|l| l.0));
            // A weak key of a folder says no more than one of its host.
            let is_listed = !is_folder && found.evidence.power >= u64::from(min_count(candidate));
            if found.state != State::Weak || is_listed {
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

    fn judge(
        &self,
        found: &mut FoundKey,
        ranked: &Ranked,
        c: &Candidate,
        (shape, is_folder): (Shape, bool),
        matched: Option<&Matched>,
    ) {
        let rescued = self.rescue.contains(&found.key.pattern());
        let state = |found: &FoundKey| {
            let mut evidence = found.evidence;
            if is_folder {
                // Round the folder nobody knows the key: so many pages have been seen without it.
                evidence.pages = (evidence.pages.0 + BORROWED, evidence.pages.1 + BORROWED);
            }
            credibility::judge(&found.key, &evidence, rescued, self.params)
        };
        if state(found) == State::Weak {
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
        found.state = state(found);
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
