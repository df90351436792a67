//! The whole method on one domain, step after step.

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::candidate::{KeyCandidate, Scan, Values};
use super::competition::{Matched, compete};
use super::credibility::{self, KeyEvidence, State};
use super::found::{Discovery, FoundKey, FoundPair};
use super::hosts::{HostSizes, host_at, host_ranges};
use super::linking_power::{self, Ranked};
use super::params::{CoreMode, Order, Params, SiteUnit};
use super::slots::Shape;
use super::{doubtful, rescue, unlabelled};
use crate::copies;
use crate::corrections::{OfSite, Said};
use crate::error::Result;
use crate::index::parts::MIN_PAGES;
use crate::index::site::{NO_LABEL, Pages, SiteIndex};
use crate::labels::{self, folders};
use crate::language::profiles::Profiles;
use crate::text::counterpart;
use crate::types::{Field, KeyScope, Lang, LangPair, PagePair, Step, Watch};

/// What is known from elsewhere when a domain is searched.
#[derive(Clone, Copy)]
pub struct Elsewhere<'e> {
    /// The patterns ([`Key::pattern`](crate::types::Key::pattern)) that are credible across sites.
    pub rescue: &'e FxHashSet<String>,
    /// What the letters of languages are.
    pub profiles: &'e Profiles,
    /// What people corrected of the domain.
    pub corrections: &'e OfSite,
}

/// Nothing but the profiles that are part of the program.
impl Default for Elsewhere<'_> {
    fn default() -> Self {
        static NONE: LazyLock<(FxHashSet<String>, OfSite)> = LazyLock::new(Default::default);
        Elsewhere { rescue: &NONE.0, profiles: Profiles::shipped(), corrections: &NONE.1 }
    }
}

/// Finds the keys and pairs of one domain. `watch` is told how far the steps are.
///
/// # Errors
/// When entries beyond the memory budget cannot be written to `folder`.
pub fn discover(
    pages: &dyn Pages,
    params: &Params,
    Elsewhere { rescue, profiles, corrections }: Elsewhere<'_>,
    folder: &Path,
    watch: &dyn Watch,
) -> Result<Discovery> {
    let (mut site, shown) = labels::initial(pages, params.labelling(), profiles);
    state(pages, params, corrections, &mut site);
    unlabelled::label(pages, params, &mut site);
    state(pages, params, corrections, &mut site);
    let copies = if params.copies { copies::copies(pages, &site, watch) } else { Vec::new() };
    for &(copy, _) in &copies {
        site.set(copy, None);
    }
    let scopes = Scopes::new(pages, &site, params);
    let mut exempt = rescue::sides(rescue);
    exempt.extend(rescue::sides(&corrections.named_patterns().cloned().collect()));
    let search = Search { pages, params, rescue, corrections, folder, exempt, scopes, watch };
    let mut taken = search.single_keys(&site)?;
    if params.resolve_labels && doubtful::resolve(pages, (params, corrections), &mut site, &copies, &taken.keys) {
        taken = search.single_keys(&site)?;
    }
    for (wanted, shape) in [(params.cores == CoreMode::Leftover, Shape::Cores), (params.compound, Shape::Compound)] {
        if wanted {
            search.scopes.all().try_for_each(|scopes| search.leftover_keys(&site, shape, scopes, &mut taken))?;
        }
    }
    let labels = (site.langs, site.labels);
    let labels::Shown { taught, is_asked } = shown;
    let mut discovery = Discovery { keys: taken.keys, pairs: taken.pairs, labels, copies, taught, is_asked };
    discovery.drop_weakest(params.max_weak_keys);
    Ok(discovery)
}

/// Pages count for the languages that people state, whatever text and URLs say.
fn state(pages: &dyn Pages, params: &Params, corrections: &OfSite, site: &mut SiteIndex<'_>) {
    if !corrections.states_languages() {
        return;
    }
    for page in 0..pages.count() {
        if let Some(lang) = corrections.language(pages.identity(page)) {
            site.set(page, Some(lang).filter(|&lang| params.wants(lang)));
        }
    }
}

/// Pages of either language for which a folder borrows what is known of a key round it: that it pairs nothing.
const BORROWED: u32 = 10;

/// Pages among which keys are sought.
struct Scope {
    /// In order.
    pages: Vec<u32>,
    /// The same pages, and those between them that have no language.
    all: KeyScope,
    /// A folder, which is part of a host, or the same folder of several hosts that stand for languages; keys are sought among those of its
    /// pages that those of the host, or between hosts, leave alone.
    is_folder: bool,
}

impl Scope {
    /// Pages of a domain or host.
    fn of(range: Range<u32>) -> Scope {
        Scope { pages: range.clone().collect(), all: range.into(), is_folder: false }
    }

    /// The pages of a folder that are in a language, `told` being [`told_before`] each page.
    fn folder(pages: Vec<u32>, told: &[u32]) -> Scope {
        let is_next = |x: &u32, y: &u32| told[*x as usize] + 1 == told[*y as usize];
        let runs = pages.chunk_by(is_next).filter_map(|run| Some(*run.first()?..*run.last()? + 1));
        Scope { all: KeyScope::new(runs), pages, is_folder: true }
    }
}

/// How many pages with a language stand before each page of a site.
fn told_before(site: &SiteIndex<'_>) -> Vec<u32> {
    let is_told = |label: &u16| u32::from(*label != NO_LABEL);
    let count = |before: &mut u32, label| Some(std::mem::replace(before, *before + is_told(label)));
    site.labels.iter().scan(0, count).collect()
}

/// What is a site: hosts, or all of a domain; then the folders that can speak for themselves, the outer ones first.
struct Scopes {
    hosts: Vec<Scope>,
    /// Those of each depth.
    folders: Vec<Vec<Scope>>,
    /// The folders that several hosts share, of each depth. Their pages are paired by what stands in the labels of the hosts.
    shared: Vec<Vec<Scope>>,
}

impl Scopes {
    fn new(pages: &dyn Pages, site: &SiteIndex<'_>, params: &Params) -> Scopes {
        let mut scopes = Scopes {
            hosts: match params.site {
                SiteUnit::Domain => vec![Scope::of(0..pages.count())],
                SiteUnit::Host => host_ranges(pages).into_iter().map(Scope::of).collect(),
            },
            folders: Vec::new(),
            shared: Vec::new(),
        };
        if params.folders && pages.count() > MIN_PAGES {
            let parts = folders::parts(pages, [].iter(), site);
            let has_keys_of_hosts = params.fields.contains(&Field::Host);
            let told = told_before(site);
            let depths = (1..parts.count()).map(|part| parts.chain(part).count()).max().unwrap_or(0);
            for of_depth in [&mut scopes.folders, &mut scopes.shared] {
                of_depth.resize_with(depths, Vec::new);
            }
            for part in 1..parts.count() {
                let members = parts.members(part);
                let hosts = members.chunk_by(|&x, &y| host_at(pages, x) == host_at(pages, y)).count();
                let of_depth = match hosts {
                    0 => continue,
                    1 => &mut scopes.folders,
                    // Hosts may stand for languages: a language has no more than two on average, such as `en` and `www`.
                    _ if has_keys_of_hosts && hosts <= 2 * parts.langs(part) => &mut scopes.shared,
                    _ => continue,
                };
                of_depth[parts.chain(part).count() - 1].push(Scope::folder(members, &told));
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
    corrections: &'s OfSite,
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
            keys.extend(self.keys_of(site, &Scope::of(0..self.pages.count()), Shape::HostSpans, None)?);
        }
        let matched = Matched::new(self.params.one_partner);
        let mut taken = Taken { keys: Vec::new(), pairs: Vec::new(), matched };
        taken.compete(keys, self.params.order());
        for (folders, shared) in self.scopes.folders.iter().zip(&self.scopes.shared) {
            self.leftover_keys(site, Shape::Spans, folders, &mut taken)?;
            self.leftover_keys(site, Shape::HostSpans, shared, &mut taken)?;
        }
        Ok(taken)
    }

    /// Adds keys of some scopes, among pages that have no partner yet.
    fn leftover_keys(&self, site: &SiteIndex<'_>, shape: Shape, scopes: &[Scope], taken: &mut Taken) -> Result<()> {
        if scopes.is_empty() {
            return Ok(());
        }
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
        // The pages of a key that is forbidden are left over: it is found again, and is the same.
        let is_known = |new: &FoundKey| taken.keys.iter().any(|key| key.key == new.key && key.scope == new.scope);
        keys.retain(|new| new.state != State::Forbidden || !is_known(new));
        taken.compete(keys, self.params.order());
        Ok(())
    }

    /// Ranks the keys of one scope and judges them. With `matched`, only pairs of pages that are still free count.
    fn keys_of(
        &self,
        site: &SiteIndex<'_>,
        Scope { pages, all, is_folder }: &Scope,
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
        let min_count =
            |c: &KeyCandidate| self.params.min_count(sizes[usize::from(c.label_a)].min(sizes[usize::from(c.label_b)]));
        let keep = |c: &KeyCandidate, values: &Values, estimate: u64| {
            estimate >= u64::from(min_count(c)) || self.has_privilege(&scan, c, values)
        };
        let hosts = (shape == Shape::HostSpans).then(|| HostSizes::new(leftover.map_or(site, |(_, all)| all), pages));
        let ranked = linking_power::rank(&scan, self.folder, &keep)?;
        let mut keys = Vec::new();
        for (candidate, power) in &ranked.candidates {
            let Some(key) = scan.key(candidate, &ranked.values) else { continue };
            let mut found = FoundKey {
                evidence: match &hosts {
                    Some(hosts) => hosts.evidence(&key, *power),
                    None => KeyEvidence {
                        power: *power,
                        pages: (sizes[usize::from(candidate.label_a)], sizes[usize::from(candidate.label_b)]),
                        all_pages: pages.len() as u32,
                    },
                },
                key,
                state: State::Weak,
                assigned: 0,
                scope: all.clone(),
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

    /// True for candidates that are looked at with a single pair: they name their languages, are credible elsewhere, or somebody says
    /// something of them.
    fn has_privilege(&self, scan: &Scan<'_, '_>, candidate: &KeyCandidate, values: &Values) -> bool {
        scan.key(candidate, values).is_some_and(|key| {
            credibility::names_languages(&key)
                || self.rescue.contains(&key.pattern())
                || !self.corrections.of_key(&key).is_empty()
        })
    }

    fn judge(
        &self,
        found: &mut FoundKey,
        ranked: &Ranked,
        c: &KeyCandidate,
        (shape, is_folder): (Shape, bool),
        matched: Option<&Matched>,
    ) {
        let rescued = self.rescue.contains(&found.key.pattern());
        let is_corrected = !self.corrections.of_key(&found.key).is_empty();
        let state = |found: &FoundKey| {
            let mut evidence = found.evidence;
            if is_folder {
                // Round the folder nobody knows the key: so many pages have been seen without it.
                evidence.pages = (evidence.pages.0 + BORROWED, evidence.pages.1 + BORROWED);
            }
            credibility::judge(&found.key, &evidence, rescued, self.params)
        };
        if state(found) == State::Weak && !is_corrected {
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
        // What is forbidden in some place is evidence all the same: the key is as good elsewhere as it was.
        found.evidence.power = pairs.len() as u64;
        let by_all = state(found);
        let (mut is_named, mut forbidden) = (false, 0);
        if is_corrected {
            pairs.retain(|&(a, b)| {
                let said = self.corrections.of_key_at(&found.key, [a, b].map(|page| self.pages.identity(page)));
                is_named |= said == Some(Said::Named);
                forbidden += u64::from(said == Some(Said::Forbidden));
                said.map_or(by_all != State::Weak, |said| said == Said::Named)
            });
        }
        found.state = match by_all {
            _ if forbidden > 0 && forbidden == found.evidence.power => State::Forbidden,
            State::Weak if is_named => State::Named,
            state => state,
        };
        if !found.state.is_out() {
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::index::site::{ListedPages, Urls};
    use crate::keys::linking_power::tests::by_definition as matches_by_definition;
    use crate::keys::small_sites::{any_params, any_rescue, config, labelled, site, small_site};
    use crate::text::tokens::Anatomy;
    use crate::types::{Edit, Key};

    /// Keys with their scope, linking power, state and assigned pairs; and pairs.
    type Listed = (Vec<(Key, KeyScope, u64, State, u64)>, BTreeSet<(PagePair, Key, KeyScope)>);

    fn listed(keys: &[FoundKey], pairs: BTreeSet<(PagePair, Key, KeyScope)>) -> Listed {
        let of = |k: &FoundKey| (k.key.clone(), k.scope.clone(), k.evidence.power, k.state, k.assigned);
        let mut keys: Vec<_> = keys.iter().map(of).collect();
        keys.sort();
        (keys, pairs)
    }

    fn pair_of(keys: &[FoundKey], pair: &FoundPair) -> (PagePair, Key, KeyScope) {
        let FoundKey { key, scope, .. } = &keys[pair.key as usize];
        (PagePair { langs: key.langs, a: pair.a, b: pair.b }, key.clone(), scope.clone())
    }

    fn found(site: &ListedPages, params: &Params, rescue: &FxHashSet<String>) -> Listed {
        let elsewhere = Elsewhere { rescue, ..Elsewhere::default() };
        let found =
            discover(site, params, elsewhere, &std::env::temp_dir(), &()).expect("a folder for temporary files");
        listed(&found.keys, found.pairs.iter().map(|pair| pair_of(&found.keys, pair)).collect())
    }

    /// The steps of the method, over keys counted from every two pages. What single layers decide is compared with its
    /// definition beside each of them.
    fn by_definition(site: &ListedPages, params: &Params, rescue: &FxHashSet<String>) -> Listed {
        let (index, everything) = (labelled(site, params), (0..site.count()).collect::<Vec<u32>>());
        let host = |page: u32| site.identity(page).split('/').next();
        let is_one = |x: &u32, y: &u32| params.site == SiteUnit::Domain || host(*x) == host(*y);
        let of_scopes = |shape| everything.chunk_by(is_one).map(move |pages| (shape, pages)).collect::<Vec<_>>();
        let mut first = of_scopes(Shape::Spans);
        first.extend(if params.cores == CoreMode::Joint { of_scopes(Shape::Cores) } else { Vec::new() });
        first.push((Shape::HostSpans, &everything));
        let mut rounds = vec![first];
        rounds.extend((params.cores == CoreMode::Leftover).then(|| of_scopes(Shape::Cores)));
        rounds.extend(params.compound.then(|| of_scopes(Shape::Compound)));
        let (mut matched, mut keys, mut pairs) = (Matched::new(params.one_partner), Vec::new(), BTreeSet::new());
        for (round, scans) in rounds.into_iter().enumerate() {
            // After the first round, the pages that lack a partner in some language.
            let lacks = |page: u32, lang: Lang| {
                let mut others = index.langs.iter().filter_map(|&other| LangPair::new(lang, other));
                others.any(|langs| !matched.has_partner(langs, page))
            };
            let left =
                SiteIndex::collect(site, |page| index.lang(page).filter(|&lang| round == 0 || lacks(page, lang)));
            let mut found = Vec::new();
            for (shape, pages) in scans {
                let scan = Scan { site: &left, pages, shape, params, exempt: &FxHashSet::default(), watch: &() };
                for (key, matches) in matches_by_definition(&scan) {
                    let is_free = |&(a, b): &(u32, u32)| matched.is_free(PagePair { langs: key.langs, a, b });
                    let all = matches.len() as u64;
                    let mut free: Vec<(u32, u32)> = matches.into_values().collect();
                    free.retain(|pair| round == 0 || is_free(pair));
                    found.extend(judged(&index, rescue, &scan, key, all, free));
                }
            }
            let taken = compete(&mut found, &mut matched, params.order());
            pairs.extend(taken.iter().map(|pair| pair_of(&found, pair)));
            keys.extend(found);
        }
        listed(&keys, pairs)
    }

    /// A key that matches so many pairs, some of which are free, if it is listed: it is frequent, names its languages or is
    /// rescued. It is judged by all of its pairs first, then by those that are free.
    fn judged(
        index: &SiteIndex<'_>,
        rescue: &FxHashSet<String>,
        scan: &Scan<'_, '_>,
        key: Key,
        power: u64,
        mut pairs: Vec<(u32, u32)>,
    ) -> Option<FoundKey> {
        let params = scan.params;
        let size = |lang| scan.pages.iter().filter(|&&page| index.lang(page) == Some(lang)).count() as u32;
        let (sizes, rescued) = ((size(key.langs.a), size(key.langs.b)), rescue.contains(&key.pattern()));
        let least = u64::from(params.min_count(sizes.0.min(sizes.1)));
        if power < least && !credibility::names_languages(&key) && !rescued {
            return None;
        }
        let mut evidence = match scan.shape {
            Shape::HostSpans => HostSizes::new(index, scan.pages).evidence(&key, power),
            _ => KeyEvidence { power, pages: sizes, all_pages: scan.pages.len() as u32 },
        };
        let mut state = credibility::judge(&key, &evidence, rescued, params);
        // A core must unite keys of tokens.
        let tokens = |page: u32| {
            let mut url = Anatomy::default();
            url.read(index.urls.identity(page), params.separators);
            let all = url.segments().iter().flat_map(|segment| url.tokens(segment));
            all.map(|&token| url.text(token).to_owned()).collect::<Vec<String>>()
        };
        let differing = |&(a, b): &(u32, u32)| tokens(a).into_iter().zip(tokens(b)).find(|(x, y)| x != y);
        let unites = || pairs.iter().filter_map(differing).collect::<BTreeSet<_>>().len() > 1;
        if state != State::Weak && (scan.shape != Shape::Cores || unites()) {
            evidence.power = pairs.len() as u64;
            state = credibility::judge(&key, &evidence, rescued, params);
        } else {
            state = State::Weak;
        }
        if state == State::Weak {
            pairs.clear();
        }
        let scope = (scan.pages[0]..scan.pages[scan.pages.len() - 1] + 1).into();
        let is_listed = state != State::Weak || evidence.power >= least;
        is_listed.then_some(FoundKey { key, evidence, state, assigned: 0, scope, pairs })
    }

    proptest! {
        #![proptest_config(config(600, 4000))]
        #[test]
        fn keys_and_pairs_of_a_site_are_those_of_the_definitions(
            (site, params, rescue) in (small_site(), any_params(), any_rescue()),
        ) {
            prop_assert_eq!(found(&site, &params, &rescue), by_definition(&site, &params, &rescue));
        }
    }

    #[test]
    fn a_key_between_hosts_is_as_strong_in_a_folder_as_the_hosts_share_there() {
        let page = |host: &str, folder: &str, n: u32, lang| (format!("{host}.x.org/{folder}/{n}"), lang);
        let de = Lang::parse("de").expect("a tag");
        let shared = (0..24).flat_map(|n| [page("de", "law", n, de), page("www", "law", n, Lang::EN)]);
        let lone = (0..2000).map(|n| page("www", "art", n, Lang::EN));
        let other = (0..2000).map(|n| page("de", "sport", n, de));
        let mut pages: Vec<(String, Lang)> = shared.chain(lone).chain(other).collect();
        pages.sort();
        let with = |folders| pairs_of(&pages, &Params { folders, ..Params::default() });
        let found = with(true);
        assert!(
            found.len() == 24 && found.iter().all(|(a, b, key)| key == "host:de:www" && a[2..] == b[3..]),
            "{found:?}"
        );
        assert_eq!(with(false), []);
        // The key acts in the folder, on either host, and nowhere else.
        let listed = site(pages.clone());
        let keys = discover(&listed, &Params::default(), Elsewhere::default(), &std::env::temp_dir(), &());
        let keys = keys.expect("a folder for temporary files").keys.into_iter();
        let scopes: Vec<KeyScope> = keys.filter(|key| key.assigned > 0).map(|key| key.scope).collect();
        let is_of_folder = |page: &u32| listed.identity(*page).contains("/law/");
        let all: Vec<u32> = (0..listed.count()).filter(is_of_folder).collect();
        assert!(scopes.len() == 1 && scopes[0].pages().eq(all) && scopes[0].ranges().count() == 2, "{scopes:?}");
    }

    /// Guards the tests of all layers: sites on which nothing is found would agree too.
    #[test]
    fn small_sites_hold_strong_keys_of_every_kind() {
        let mut runner = TestRunner::deterministic();
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let is_null = |edit: &&Edit| edit.from.is_empty() || edit.to.is_empty();
        for _ in 0..3000 {
            let cases = (small_site(), any_params(), any_rescue());
            let (site, params, rescue) = cases.new_tree(&mut runner).expect("a case").current();
            let keys = found(&site, &params, &rescue).0.into_iter();
            let kinds = keys.filter(|key| key.3 != State::Strong || key.2 > 1).map(|(key, _, _, state, _)| {
                let (first, last) = (&key.edits[0], &key.edits[key.edits.len() - 1]);
                let what = match key.edits.len() {
                    _ if state != State::Strong => return state.name().to_owned(),
                    _ if last.to == "co.uk" => "suffix",
                    _ if first.core => "core",
                    _ => first.field.name(),
                };
                let two = if key.edits.len() == 2 && first.field != Field::Host { "two" } else { what };
                format!("{two} {}", key.edits.iter().filter(is_null).count())
            });
            kinds.collect::<BTreeSet<String>>().into_iter().for_each(|kind| *seen.entry(kind).or_default() += 1);
        }
        let kinds = "host 0,host 1,path 0,path 1,file 0,file 1,query 0,query 1,core 0,core 1,two 0,two 1,two 2,suffix 0,suffix 1,";
        for kind in kinds.split(',').chain(["rescued", "lost", "weak"]) {
            assert!(kind.is_empty() || seen.get(kind).is_some_and(|&sites| sites >= 5), "{kind}: {seen:#?}");
        }
    }

    /// The pairs of a site as URLs, with the patterns of their keys.
    fn pairs_of(pages: &[(String, Lang)], params: &Params) -> Vec<(String, String, String)> {
        let site = site(pages.to_vec());
        let pairs = found(&site, params, &FxHashSet::default()).1.into_iter();
        pairs
            .map(|(pair, key, _)| (site.identity(pair.a).into(), site.identity(pair.b).into(), key.pattern()))
            .collect()
    }

    /// Kit & Ng 2007, §2.
    #[test]
    fn a_directory_that_is_null_on_the_other_side_makes_a_key() {
        let (text, chinese) =
            ("www.logisticshk.gov.hk/text.html".to_owned(), "www.logisticshk.gov.hk/chinese/text.html".to_owned());
        let expected = [(text.clone(), chinese.clone(), "path:(null):chinese".to_owned())];
        let pages = [(text, Lang::EN), (chinese, Lang::ZH)];
        for params in [Params::kit_ng_2007(), Params::pupsniffer_2013()] {
            assert_eq!(pairs_of(&pages, &params), expected);
        }
    }

    /// Kit & Ng 2007, §4: 06e:06c, 07e:07c and 08e:08c are lost one by one; the core ⟨e, c⟩ they share is not (Zhang et al.
    /// 2013, §2.1, 1).
    #[test]
    fn a_core_unites_keys_that_are_too_weak_one_by_one() {
        let page = |n, (mark, lang)| (format!("ex.org/{n:02}{mark}.htm"), lang);
        let pages = |n| [("e", Lang::EN), ("c", Lang::ZH)].map(|of| page(n, of));
        let pages: Vec<(String, Lang)> = (1..=12).flat_map(pages).collect();
        assert_eq!(pairs_of(&pages, &Params::kit_ng_2007()), []);
        let united = pairs_of(&pages, &Params::pupsniffer_2013());
        let is_right = |(a, b, key): &(String, String, String)| a.replace("e.", "c.") == *b && key == "file:~e:~c";
        assert!(united.len() == 12 && united.iter().all(is_right), "{united:?}");
    }

    #[test]
    fn keys_of_pages_that_are_left_are_judged_by_all_pages() {
        let page = |n, (folder, mark, lang): (&str, &str, Lang)| (format!("ex.org/{folder}{n}{mark}.html"), lang);
        let paired = (0..40).flat_map(|n| [("en/", "", Lang::EN), ("zh/", "", Lang::ZH)].map(|of| page(n, of)));
        let left = (1..=2).flat_map(|n| [("", "e", Lang::EN), ("", "c", Lang::ZH)].map(|of| page(n, of)));
        assert_eq!(pairs_of(&left.clone().collect::<Vec<_>>(), &Params::default()).len(), 2);
        assert_eq!(pairs_of(&paired.chain(left).collect::<Vec<_>>(), &Params::default()).len(), 40);
    }

    #[test]
    fn a_sample_and_spilled_entries_lead_to_the_strong_keys_and_pairs_that_all_entries_lead_to() {
        let mut pages = Vec::new();
        for (n, lang) in (0..640).flat_map(|n| (0..3).map(move |lang| (n, lang))) {
            let (short, long) = (["en", "de", "fr"][lang], ["english", "deutsch", "fr-CA"][lang]);
            let address = match n {
                0..200 => format!("ex.org/{short}/news/{n}.html"),
                200..380 => format!("ex.org/about/{n}-{long}.html"),
                380..480 if lang == 0 => format!("ex.org/shop/item{n}"),
                380..480 => format!("ex.org/{short}/shop/item{n}"),
                480..560 => format!("{short}.ex.org/blog/{n}.html"),
                _ => format!("ex.org/{long}/list/{n}-{short}.html"),
            };
            pages.push((address, Lang::parse(short).expect("a tag")));
        }
        let (site, none) = (site(pages), FxHashSet::default());
        let strong = |params: &Params| {
            let (keys, pairs) = found(&site, params, &none);
            (keys.into_iter().filter(|key| key.3 == State::Strong).collect::<Vec<_>>(), pairs)
        };
        let all = strong(&Params::default());
        assert_eq!(all.1.len(), 640 * 3);
        let index = labelled(&site, &Params::default());
        for sample_entries in [4096, 1024] {
            let params = Params { sample_entries, memory_bytes: 0, ..Params::default() };
            let pages: Vec<u32> = (0..site.count()).collect();
            let scan =
                Scan { site: &index, pages: &pages, shape: Shape::Spans, params: &params, exempt: &none, watch: &() };
            assert!(scan.sample().2 > 1, "nothing is left out of a sample of {sample_entries}");
            assert_eq!(strong(&params), all);
        }
    }
}
