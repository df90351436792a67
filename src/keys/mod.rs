//! Site → keys → candidate pairs (Kit & Ng 2007; Zhang, Yao & Kit 2013).
//!
//! [`discover`] does one registrable domain. Its pages get their languages and lose untranslated copies ([`labels`]);
//! every host is scanned for keys in path, file and query, the whole domain for keys in host labels ([`candidate`]);
//! their linking power is counted exactly ([`linking_power`]); [`credibility`] tells which are strong; [`search`] lets
//! them compete for pages. What single keys leave alone is scanned once more for character cores and compound keys.
//! A second call with the keys that are credible across sites rescues weak ones.

use std::ops::Range;
use std::path::Path;

use rustc_hash::FxHashSet;

use crate::error::Result;
use crate::index::site::{Addresses, NO_LABEL, SiteIndex};
pub use crate::index::site::{PageFacts, Pages};
pub use crate::text::counterpart;
use crate::text::tokens::Separators;
use crate::types::{Field, Key, Lang, LangPair, NULL, PagePair, host_of, unescape};

pub mod candidate;
pub mod credibility;
pub mod holes;
pub mod labels;
pub mod linking_power;
pub mod search;
pub mod suffixes;
#[cfg(test)]
mod twin;
pub mod unlabelled;

use candidate::{Candidate, Fillers, Scan};
pub use credibility::{Evidence, GlobalSum, State};
use holes::Shape;
use linking_power::Ranked;
use search::Matched;

/// When keys below the token (Zhang et al. 2013, §2.1, 1) are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreMode {
    /// Never.
    Off,
    /// Beside token keys, in one competition.
    Joint,
    /// Among the pages that token keys left alone.
    Leftover,
}

/// What tells a page's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelMode {
    /// The language of its text.
    Detected,
    /// English where more than half of the letters are A–Z, else Chinese (Kit & Ng 2007, §3).
    LatinShare,
}

/// What makes a key strong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// p(κ) > share·|U| (Kit & Ng 2007: 1/10).
    PairsOfUrls {
        /// Share of the site's URLs.
        least_share: f64,
    },
    /// C(p, w) > least, |w| being all pages of the site (Zhang et al. 2013: 0.1).
    PagesOfSite {
        /// Least local credibility.
        least_credibility: f64,
    },
    /// C(p, w) > least, |w| being the pages of the key's two languages; or a good
    /// share of the smaller language matched.
    PagesOfLanguages {
        /// Least local credibility (Zhang et al. 2013: 0.1).
        least_credibility: f64,
        /// Least share of the smaller language's pages that makes a key strong on its own: partly translated sites.
        least_coverage: f64,
        /// Least local credibility of keys that only tell numbers apart.
        number_credibility: f64,
    },
}

/// Which pages may be paired with which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteUnit {
    /// Those of one host, and across hosts of one registrable domain by keys in host labels.
    Host,
    /// Those of one registrable domain.
    Domain,
}

/// Settings of key discovery.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Languages looked at, in the order of listing; empty: all.
    pub langs: Vec<Lang>,
    /// What ends a token.
    pub separators: Separators,
    /// Tokens of the longest span beside the whole segment. Default 4: `pt-BR.utf8` and one to spare.
    pub max_span_tokens: usize,
    /// Tokens that mark nothing (Kit & Ng 2007, §3: htm, html).
    pub ignored_tokens: Vec<String>,
    /// Fields keys may work in.
    pub fields: Vec<Field>,
    /// Keys below the token.
    pub cores: CoreMode,
    /// Longest core, in bytes. Default 8: `francais`, `japanese`.
    pub max_core_bytes: usize,
    /// Whether compound keys are sought among the pages that single keys left alone.
    pub compound: bool,
    /// What tells a page's language.
    pub labels: LabelMode,
    /// Whether untranslated copies are found and left out.
    pub copies: bool,
    /// Whether doubtful languages are settled by the marks of strong keys.
    pub settle_labels: bool,
    /// Confidence of a language, 0..=1, below which a text may be in two, and its letters are asked. Default 0.75: where the
    /// alphabets differ it is the share of the language's letters, so that a quarter is in other ones.
    pub least_confidence: f64,
    /// How much of the way from the letters of its language to those of the language of its address a text must have come, 0..=1, to
    /// count for that one. Default ⅓, an estimate: a third is translated.
    pub least_way: f64,
    /// What marks must show where there are neither text nor languages.
    pub unlabelled: unlabelled::Thresholds,
    /// What makes a key strong.
    pub strength: Strength,
    /// Global credibility that rescues a weak key, in pages; `None`: no rescue. Zhang et al. 2013: 500, for 12,800 sites:
    /// scale it to the archive.
    pub rescue_above: Option<f64>,
    /// A site's own part of the sum does not count when its weak keys are judged: a large site would rescue them itself.
    pub rescue_by_others: bool,
    /// What a site is.
    pub site: SiteUnit,
    /// Whether domains that differ in their public suffix only may be one site, and keys turn one into the other.
    pub across_suffixes: bool,
    /// What such domains must show to be one site.
    pub suffixes: suffixes::Thresholds,
    /// A page has one partner in all (Kit & Ng 2007), not one a language.
    pub one_partner: bool,
    /// Least linking power of a key that is listed, unless it names its languages or is rescued.
    pub min_power: u32,
    /// The same as a share of a language's pages. Default 0.005: a twentieth of what a strong key matches at least, where
    /// both languages have as many pages.
    pub min_share: f64,
    /// Weak keys kept for listing and for global credibility, a site, the strongest first.
    pub max_weak_keys: usize,
    /// Pages on which the frequency of fillers is counted; larger sites are counted on every n-th page. Default 131,072.
    pub count_pages: usize,
    /// Entries of 16 bytes that the search for candidates holds; beyond it skeletons are sampled. Default 2 M (32 MiB).
    pub sample_entries: usize,
    /// Bytes of entries that exact counting holds; beyond it they are sorted on disk. Default 192 MiB.
    pub memory_bytes: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            langs: Vec::new(),
            separators: Separators::Punctuation,
            max_span_tokens: 4,
            ignored_tokens: Vec::new(),
            fields: Field::ALL.to_vec(),
            cores: CoreMode::Leftover,
            max_core_bytes: 8,
            compound: true,
            labels: LabelMode::Detected,
            copies: true,
            settle_labels: true,
            least_confidence: 0.75,
            least_way: 1.0 / 3.0,
            unlabelled: unlabelled::Thresholds::default(),
            strength: Strength::PagesOfLanguages {
                least_credibility: 0.1,
                least_coverage: 0.3,
                number_credibility: 0.5,
            },
            rescue_above: Some(500.0),
            rescue_by_others: true,
            site: SiteUnit::Host,
            across_suffixes: false,
            suffixes: suffixes::Thresholds::default(),
            one_partner: false,
            min_power: 2,
            min_share: 0.005,
            max_weak_keys: 256,
            count_pages: 1 << 17,
            sample_entries: 2 << 20,
            memory_bytes: 192 << 20,
        }
    }
}

impl Params {
    /// The method of Kit & Ng 2007; departures in docs/methods.md.
    pub fn kit_ng_2007() -> Params {
        Params {
            separators: Separators::KitNg,
            max_span_tokens: 1,
            ignored_tokens: vec!["htm".into(), "html".into()],
            fields: vec![Field::Path, Field::File],
            cores: CoreMode::Off,
            compound: false,
            labels: LabelMode::LatinShare,
            copies: false,
            settle_labels: false,
            strength: Strength::PairsOfUrls { least_share: 0.1 },
            rescue_above: None,
            rescue_by_others: false,
            one_partner: true,
            min_power: 1,
            ..Params::default()
        }
    }

    /// The method of Zhang, Yao & Kit 2013 up to pairs; departures in docs/methods.md.
    pub fn pupsniffer_2013() -> Params {
        Params {
            cores: CoreMode::Joint,
            labels: LabelMode::Detected,
            strength: Strength::PagesOfSite { least_credibility: 0.1 },
            rescue_above: Some(500.0),
            one_partner: false,
            ignored_tokens: Vec::new(),
            ..Params::kit_ng_2007()
        }
    }

    /// The least linking power of a listed key in a language of `size` pages.
    pub fn least_count(&self, size: u32) -> u32 {
        self.min_power.max((f64::from(size) * self.min_share).ceil() as u32)
    }
}

/// A key of one site.
#[derive(Clone, Debug)]
pub struct FoundKey {
    /// The key.
    pub key: Key,
    /// What it is judged by.
    pub evidence: Evidence,
    /// What became of it.
    pub state: State,
    /// How many pairs it took in the competition.
    pub taken: u64,

    /// Pages it was found among: one host, or the whole domain.
    pub scope: Range<u32>,
    /// The pairs it matches; empty for weak keys, and after the competition.
    pub pairs: Vec<(u32, u32)>,
}

/// A pair of one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPair {
    /// Page in the key's first language.
    pub a: u32,
    /// Page in its second.
    pub b: u32,
    /// Position of its key.
    pub key: u32,
}

/// What key discovery finds in one domain.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// Keys: strong, rescued, outdone, and the strongest of the weak ones.
    pub keys: Vec<FoundKey>,
    /// Pairs by language pair and page.
    pub pairs: Vec<FoundPair>,
    /// The languages that pages count for, and the position among them of each page's ([`NO_LABEL`]: none).
    labels: (Vec<Lang>, Vec<u16>),
    /// Untranslated copies, and the page that stands for each.
    pub copies: Vec<(u32, u32)>,
}

/// Finds the keys and pairs of one domain. `rescue` holds the patterns ([`Key::pattern`]) credible across sites.
///
/// # Errors
/// When entries beyond the memory budget cannot be written to `folder`.
pub fn discover(pages: &dyn Pages, params: &Params, rescue: &FxHashSet<String>, folder: &Path) -> Result<Discovery> {
    let mut site = labels::initial(pages, params);
    let copies = if params.copies { labels::copies(pages, &site) } else { Vec::new() };
    for &(copy, _) in &copies {
        site.set(copy, None);
    }
    let search = Search { pages, params, rescue, folder, exempt: exempt_texts(rescue) };
    let mut keys = search.single_keys(&site)?;
    if params.settle_labels && labels::settle(pages, params, &mut site, &copies, &keys) {
        keys = search.single_keys(&site)?;
    }
    let mut matched = Matched::new(params.one_partner);
    let mut pairs = search::compete(&mut keys, &mut matched);
    for (wanted, shape) in [(params.cores == CoreMode::Leftover, Shape::Cores), (params.compound, Shape::Compound)] {
        if wanted {
            let mut more = search.leftover_keys(&site, shape, &matched)?;
            let first = keys.len() as u32;
            pairs.extend(
                search::compete(&mut more, &mut matched).into_iter().map(|p| FoundPair { key: first + p.key, ..p }),
            );
            keys.extend(more);
        }
    }
    let labels = (site.langs, site.labels);
    let mut discovery = Discovery { keys, pairs, labels, copies };
    discovery.drop_weakest(params.max_weak_keys);
    Ok(discovery)
}

fn exempt_texts(rescue: &FxHashSet<String>) -> FxHashSet<String> {
    let sides = rescue.iter().flat_map(|pattern| pattern.split(['+', ':']));
    sides.map(|text| unescape(text.trim_start_matches('~'))).collect()
}

/// The texts that an address must have for a pattern ([`Key::pattern`]) to apply: tokens, and no (null) or core.
pub fn texts_of_pattern(pattern: &str) -> impl Iterator<Item = String> {
    let sides = pattern.split('+').flat_map(|edit| edit.split(':').skip(1));
    sides.filter(|text| *text != NULL && !text.starts_with('~')).map(unescape)
}

struct Search<'s> {
    pages: &'s dyn Pages,
    params: &'s Params,
    rescue: &'s FxHashSet<String>,
    folder: &'s Path,
    exempt: FxHashSet<String>,
}

impl Search<'_> {
    /// Keys of one span, and of cores where they compete with them.
    fn single_keys(&self, site: &SiteIndex<'_>) -> Result<Vec<FoundKey>> {
        let mut keys = Vec::new();
        for scope in self.scopes() {
            keys.extend(self.keys_of(site, scope.clone(), Shape::Spans, None)?);
            if self.params.cores == CoreMode::Joint {
                keys.extend(self.keys_of(site, scope, Shape::Cores, None)?);
            }
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
        for scope in scopes {
            keys.extend(self.keys_of(&left, scope, shape, Some((matched, site)))?);
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
        let scan = Scan { site, pages: scope.clone(), shape, params: self.params, exempt: &self.exempt };
        let sizes = leftover.map_or(site, |(_, all)| all).sizes(scope.clone());
        let least =
            |c: &Candidate| self.params.least_count(sizes[usize::from(c.label_a)].min(sizes[usize::from(c.label_b)]));
        let keep = |c: &Candidate, fillers: &Fillers, estimate: u64| {
            estimate >= u64::from(least(c)) || self.has_privilege(&scan, c, fillers)
        };
        let hosts = (shape == Shape::HostSpans).then(|| labels::HostSizes::new(site));
        let ranked = linking_power::rank(&scan, self.folder, &keep)?;
        let mut keys = Vec::new();
        for (candidate, power) in &ranked.candidates {
            let Some(key) = scan.key(candidate, &ranked.fillers) else { continue };
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
                taken: 0,
                scope: scope.clone(),
                pairs: Vec::new(),
            };
            self.judge(&mut found, &ranked, candidate, shape, leftover.map(|l| l.0));
            if found.state != State::Weak || found.evidence.power >= u64::from(least(candidate)) {
                keys.push(found);
            }
        }
        Ok(keys)
    }

    /// True for candidates that are looked at with a single pair: they name their languages, or are credible elsewhere.
    fn has_privilege(&self, scan: &Scan<'_, '_>, candidate: &Candidate, fillers: &Fillers) -> bool {
        scan.key(candidate, fillers)
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

/// The pages of each host, as ranges of a list sorted by address.
pub fn host_ranges<A: Addresses + ?Sized>(addresses: &A) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    let mut start = 0;
    while start < addresses.count() {
        let host = host_at(addresses, start);
        let end = end_of_host(addresses, start, host);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Host of a page; empty where there is no such page.
fn host_at<A: Addresses + ?Sized>(addresses: &A, page: u32) -> &str {
    if page >= addresses.count() { "" } else { host_of(addresses.identity(page)) }
}

/// Gallops from `start` to the first page of another host: pages of one host stand together.
fn end_of_host<A: Addresses + ?Sized>(addresses: &A, start: u32, host: &str) -> u32 {
    let (mut low, mut step) = (start, 1);
    let mut high = loop {
        let probe = low.saturating_add(step).min(addresses.count());
        if probe == addresses.count() || host_at(addresses, probe) != host {
            break probe;
        }
        low = probe;
        step *= 2;
    };
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if host_at(addresses, middle) == host {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

impl Discovery {
    /// The language a page counts for, if any.
    pub fn lang(&self, page: u32) -> Option<Lang> {
        self.labels.0.get(usize::from(self.labels.1[page as usize])).copied()
    }

    /// A pair with its languages.
    pub fn page_pair(&self, pair: &FoundPair) -> PagePair {
        PagePair { langs: self.keys[pair.key as usize].key.langs, a: pair.a, b: pair.b }
    }

    fn drop_weakest(&mut self, max_weak: usize) {
        let mut order: Vec<u32> = (0..self.keys.len() as u32).collect();
        order.sort_by(|&x, &y| {
            let (x, y) = (&self.keys[x as usize], &self.keys[y as usize]);
            let weak = |k: &FoundKey| k.state == State::Weak;
            let rank = weak(x).cmp(&weak(y)).then(y.evidence.power.cmp(&x.evidence.power));
            rank.then_with(|| x.key.cmp(&y.key)).then_with(|| x.scope.start.cmp(&y.scope.start))
        });
        let strong = self.keys.iter().filter(|key| key.state != State::Weak).count();
        order.truncate(strong.saturating_add(max_weak));
        let mut position = vec![0; self.keys.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old as usize] = new as u32;
        }
        for pair in &mut self.pairs {
            pair.key = position[pair.key as usize];
        }
        let mut keys: Vec<Option<FoundKey>> = std::mem::take(&mut self.keys).into_iter().map(Some).collect();
        self.keys = order.iter().filter_map(|&old| keys[old as usize].take()).collect();
        let keys = &self.keys;
        self.pairs.sort_unstable_by_key(|pair| (keys[pair.key as usize].key.langs, pair.a, pair.b));
    }
}
