//! Pairs of one site that something proposes: keys, weak keys, declared translations, links between the two, rare words.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::site::{SiteView, Sources};
use crate::error::Result;
use crate::index::graph::Links;
use crate::index::retrieval::{self, Rare};
use crate::index::site::{Pages, Urls};
use crate::keys::{State, counterpart};
use crate::lexicon::{Side, Translations};
use crate::types::{Candidate, Lang, LangPair, Method, PagePair};

/// Weak keys of a language pair that are tried, the strongest first.
const WEAK_KEYS: usize = 16;
/// Pages of one other language that a page may link to and be linked back by, for the links to mean a translation: a
/// language bar has one, a menu many.
const MUTUAL_LINKS: usize = 2;

/// The pairs of keys that are strong or rescued.
pub fn of_keys(view: &SiteView<'_>) -> Vec<Candidate> {
    let pairs = view.result.pairs.iter().filter_map(|pair| {
        let found = view.ordered(pair.a.to_native(), pair.b.to_native())?;
        Some(Candidate { pair: found, method: Method::Key, key: Some(pair.key.to_native()) })
    });
    pairs.collect()
}

/// The pairs of the strongest weak keys, among pages that no strong key pairs in the key's languages. `paired` tells
/// those. Cost: an address made and looked up for each such page and key.
pub fn of_weak_keys(view: &SiteView<'_>, paired: &Partners) -> Vec<Candidate> {
    let mut used: FxHashMap<LangPair, usize> = FxHashMap::default();
    let mut keys = Vec::new();
    for (row, at) in view.result.keys.iter().zip(0u32..).filter(|(row, _)| row.state == State::Weak as u8) {
        let Some(key) = row.key() else { continue };
        let used = used.entry(key.langs).or_default();
        if *used < WEAK_KEYS {
            *used += 1;
            keys.push((key, at, row.scope_start.to_native()..row.scope_end.to_native()));
        }
    }
    let found = keys.par_iter().flat_map_iter(|(key, at, scope)| {
        let from = scope
            .clone()
            .filter(|&page| view.langs.get(page as usize) == Some(&key.langs.a) && !paired.has(key.langs, page));
        from.flat_map(move |page| {
            let addresses = counterpart::counterparts(view.pages.identity(page), key, true);
            let pages = addresses.into_iter().filter_map(|address| view.pages.find(&address));
            let free =
                pages.filter(|&other| view.langs[other as usize] == key.langs.b && !paired.has(key.langs, other));
            let pair = |other: u32| PagePair { langs: key.langs, a: page, b: other };
            free.map(|other| Candidate { pair: pair(other), method: Method::WeakKey, key: Some(*at) })
                .collect::<Vec<_>>()
        })
    });
    found.collect()
}

/// The pairs that a page declares (`hreflang`).
pub fn of_hreflang(view: &SiteView<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for page in 0..view.pages.count() {
        view.links.for_each_alternate(page, &mut |other, lang| {
            if lang.agrees(view.langs[other as usize])
                && let Some(pair) = view.ordered(page, other)
            {
                found.push(Candidate { pair, method: Method::Hreflang, key: None });
            }
        });
    }
    found
}

/// Pages of two languages that link to each other, where there are few such pages: a language bar.
pub fn of_mutual_links(view: &SiteView<'_>) -> Vec<Candidate> {
    let targets = |page: u32| {
        let mut targets = Vec::new();
        view.links.for_each_link(page, &mut |link| targets.push(link.to));
        targets.retain(|&other| view.ordered(page, other).is_some());
        targets.sort_unstable();
        targets.dedup();
        targets
    };
    let all: Vec<Vec<u32>> = (0..view.pages.count()).into_par_iter().map(targets).collect();
    let links_to = |from: u32, to: u32| all[from as usize].binary_search(&to).is_ok();
    let mut found = Vec::new();
    for page in 0..view.pages.count() {
        let mut by_langs: FxHashMap<LangPair, Vec<PagePair>> = FxHashMap::default();
        for &other in all[page as usize].iter().filter(|&&other| links_to(other, page)) {
            if let Some(pair) = view.ordered(page, other) {
                by_langs.entry(pair.langs).or_default().push(pair);
            }
        }
        for pairs in by_langs.into_values().filter(|pairs| pairs.len() <= MUTUAL_LINKS) {
            found.extend(pairs.into_iter().map(|pair| Candidate { pair, method: Method::Link, key: None }));
        }
    }
    found
}

/// Pages of two languages that share rare words, numbers, images, link targets or runs of tags, and words with a known
/// translation: for each page without a partner the most similar ones. Cost: as the number of pages, by
/// [`retrieval::Params`].
///
/// # Errors
/// When the store cannot be read.
pub fn of_words(
    view: &SiteView<'_>,
    paired: &Partners,
    sources: &dyn Sources,
    params: &retrieval::Params,
) -> Result<Vec<Candidate>> {
    let by_lang = view.by_lang();
    let langs: Vec<Lang> = by_lang.keys().copied().collect();
    let mut alone: Vec<(LangPair, Vec<u32>, Vec<u32>)> = Vec::new();
    let mut wanted: Vec<u32> = Vec::new();
    for (at, &first) in langs.iter().enumerate() {
        for &second in &langs[at + 1..] {
            let Some(pair) = LangPair::new(first, second) else { continue };
            // Of a page known by an index or its links only, no word tells anything: all such pages would be alike.
            let is_left = |page: &u32| !paired.has(pair, *page) && view.pages.facts(*page).form.has_text();
            let left = |lang: Lang| by_lang[&lang].iter().copied().filter(is_left).collect();
            let (a, b): (Vec<u32>, Vec<u32>) = (left(pair.a), left(pair.b));
            if !a.is_empty() && !b.is_empty() {
                wanted.extend(a.iter().chain(&b));
                alone.push((pair, a, b));
            }
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    let tokens = view.tokens(&wanted)?;
    let mut found = Vec::new();
    for (langs, a, b) in alone {
        let of = |page: &u32| tokens.get(page).map_or(&[][..], Vec::as_slice);
        let with_translations = |page: u32| {
            let mut all = of(&page).to_vec();
            if let Some(source) = sources.translations(langs, view.pages.identity(page)) {
                let side = if view.langs[page as usize] == langs.a { Side::A } else { Side::B };
                for &word in of(&page) {
                    source.for_each_translation(side, word, &mut |other| all.push(other));
                }
                all.sort_unstable();
                all.dedup();
            }
            all
        };
        let search = |queries: &[u32], pages: &[u32]| -> Vec<(u32, u32)> {
            let rare = Rare::new(pages.iter().map(of), params);
            let best = queries.par_iter().flat_map_iter(|&query| {
                let best = rare.most_similar(&with_translations(query));
                best.into_iter().map(move |(at, _)| (query, pages[at as usize])).collect::<Vec<_>>()
            });
            best.collect()
        };
        let there = search(&a, &b).into_iter();
        let back = search(&b, &a).into_iter().map(|(b, a)| (a, b));
        let pair = |(a, b)| PagePair { langs, a, b };
        found.extend(there.chain(back).map(pair).map(|pair| Candidate { pair, method: Method::Words, key: None }));
    }
    Ok(super::judging::unique(found))
}

/// Two sources, the second where the first knows nothing.
pub struct Either<'s> {
    /// Asked first.
    pub first: &'s dyn Sources,
    /// Asked then.
    pub second: &'s dyn Sources,
}

impl Sources for Either<'_> {
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>> {
        self.first.translations(langs, page).or_else(|| self.second.translations(langs, page))
    }

    fn length_ratio(&self, langs: LangPair) -> Option<f64> {
        self.first.length_ratio(langs).or_else(|| self.second.length_ratio(langs))
    }
}

/// Which pages have a partner in which language pair.
#[derive(Default)]
pub struct Partners(FxHashMap<LangPair, FxHashMap<u32, u32>>);

impl Partners {
    /// The partners that pairs give.
    pub fn of(pairs: impl Iterator<Item = PagePair>) -> Partners {
        let mut partners = Partners::default();
        pairs.for_each(|pair| partners.add(pair));
        partners
    }

    /// Makes two pages partners.
    pub fn add(&mut self, PagePair { langs, a, b }: PagePair) {
        let of = self.0.entry(langs).or_default();
        of.insert(a, b);
        of.insert(b, a);
    }

    /// True when a page has a partner in the other language of the pair.
    pub fn has(&self, langs: LangPair, page: u32) -> bool {
        self.get(langs, page).is_some()
    }

    /// The partner of a page in the other language of the pair.
    pub fn get(&self, langs: LangPair, page: u32) -> Option<u32> {
        self.0.get(&langs)?.get(&page).copied()
    }
}

/// All that addresses, declarations and language bars propose.
///
/// # Errors
/// When the store cannot be read.
pub fn direct(view: &SiteView<'_>, with_keys: bool) -> Result<Vec<Candidate>> {
    let mut found = if with_keys { of_keys(view) } else { Vec::new() };
    if with_keys {
        let paired = Partners::of(found.iter().map(|candidate| candidate.pair));
        found.extend(of_weak_keys(view, &paired));
    }
    found.extend(of_hreflang(view));
    found.extend(of_mutual_links(view));
    Ok(super::judging::unique(found))
}
