//! A site whose pages are compared: its languages, the profiles of its pages, and the measures of pairs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::own_text::{self, ForeignText, Furniture, Shares, foreign_texts};
use super::params::Params;
use super::profile::{self, Own, Profile};
use super::verifiers;
use super::weights::WordWeights;
use super::with::{Dictionaries, With};
use super::words::same_text;
use crate::corrections::{OfSite, Said};
use crate::error::Result;
use crate::index::MEMORY_BYTES;
use crate::index::graph::Links;
use crate::index::parts::{Parts, Tree};
use crate::index::site::{PageFacts, Pages, hash_of_pair};
use crate::language::is_told;
use crate::text::addresses::is_same;
use crate::text::words::Words;
use crate::types::{Candidate, Compared, Key, Lang, LangPair, Page, PagePair, Similarities, SiteId, Step, Watch};

/// The text and structure of a page, with its URL.
#[derive(Clone, Debug, Default)]
pub struct PageText {
    /// Its URL, with the scheme.
    pub url: String,
    /// What was extracted from it.
    pub page: Page,
}

/// What methods need to read of a site. Implemented by a site of the store, and by a list of pages for tests.
pub trait SiteData: Sync {
    /// Its URLs, and the facts about its pages that are known without reading them.
    fn pages(&self) -> &dyn Pages;

    /// Its links.
    fn links(&self) -> &dyn Links;

    /// Its hosts and folders, with language markers removed from their names, given the language of each page; with `by_keys`, the keys of
    /// the site help to recognize markers.
    fn folders(&self, langs: &[Lang], by_keys: bool) -> Tree;

    /// Reads a page.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, page: u32) -> Result<PageText>;
}

/// A site whose pages are compared.
pub struct SiteView<'s> {
    /// Its number.
    pub id: SiteId,
    /// The language that each page counts for; unknown for pages that take no part, such as copies.
    pub langs: Vec<Lang>,
    data: &'s dyn SiteData,
    params: &'s Params,
    /// What people corrected.
    corrections: OfSite,
    /// True when known translations of words are not used.
    without_content: bool,
    /// True when the keys of the site are not used.
    without_keys: bool,
    memory_bytes: usize,
    /// Is told the progress of comparing.
    watch: &'s dyn Watch,
    profiles: Mutex<Kept>,
    parts: OnceLock<Parts>,
    weights: Mutex<FxHashMap<u32, Arc<WordWeights>>>,
    furniture: OnceLock<Furniture>,
    /// Pages that have the contents of another address.
    strayed: OnceLock<FxHashSet<u32>>,
    /// Declared versions, as (page, page it declares), that are ignored.
    empty_words: OnceLock<FxHashSet<PageIds>>,
}

/// Profiles made in one step and kept for the next.
#[derive(Default)]
struct Kept {
    by_page: FxHashMap<u32, Arc<Profile>>,
    bytes: usize,
}

/// Compares two pages, given each with its profile.
pub type Compare<'c, T> = dyn Fn((u32, &Profile), (u32, &Profile)) -> T + Sync + 'c;

/// Two pages, in the order of their languages.
pub type PageIds = (u32, u32);

/// How many profiles are held at once; a site with more pages is compared in portions.
pub const MAX_PROFILES: usize = 20_000;
/// The fraction (1/8) of the given memory for profiles that are kept from one step to the next; other profiles are made again.
const KEPT_SHARE: usize = 8;
/// The fraction (1/4) of the given memory for the profiles of a portion.
const PORTION_SHARE: usize = 4;
/// Bytes of a profile, as measured on ten sites.
const PROFILE_BYTES: usize = 25_000;
/// How many pages are used for counting words at most.
const COUNTED_PAGES: usize = 250;
/// How many pages' own texts one thread examines at a time.
const PAGES_AT_ONCE: usize = 16;
/// Lengths of the runs of tags by which pages are looked up.
const TAG_RUNS: [usize; 3] = [6, 12, 24];

impl<'s> SiteView<'s> {
    /// A site with the language that each page counts for; with `without_content`, translations of words are not used.
    pub fn new(
        id: SiteId,
        data: &'s dyn SiteData,
        langs: Vec<Lang>,
        params: &'s Params,
        without_content: bool,
    ) -> SiteView<'s> {
        SiteView {
            id,
            langs,
            data,
            params,
            corrections: OfSite::default(),
            without_content,
            without_keys: false,
            memory_bytes: MEMORY_BYTES,
            watch: &(),
            profiles: Mutex::default(),
            parts: OnceLock::new(),
            weights: Mutex::default(),
            furniture: OnceLock::new(),
            strayed: OnceLock::new(),
            empty_words: OnceLock::new(),
        }
    }

    /// The same site, with what people corrected.
    pub fn corrected(self, corrections: OfSite) -> SiteView<'s> {
        SiteView { corrections, ..self }
    }

    /// The pairs that people pin, in order, where both pages take part and are in different languages.
    pub fn pins(&self) -> Vec<PagePair> {
        let mut pins: Vec<PagePair> = self.corrections.pins.iter().filter_map(|pages| self.pair_of(pages)).collect();
        pins.sort_unstable();
        pins
    }

    /// The pairs that people forbid.
    pub fn forbidden(&self) -> FxHashSet<PagePair> {
        self.corrections.forbidden.iter().filter_map(|pages| self.pair_of(pages)).collect()
    }

    fn pair_of(&self, [a, b]: &[String; 2]) -> Option<PagePair> {
        self.ordered(self.pages().find(a)?, self.pages().find(b)?)
    }

    /// True where people say which language a page is in, or which partner it has.
    pub fn is_stated(&self, page: u32) -> bool {
        let identity = self.pages().identity(page);
        self.corrections.language(identity).is_some() || self.corrections.is_pinned(identity)
    }

    /// True where people forbid a key to pair two pages.
    pub fn forbids_key(&self, key: &Key, a: u32, b: u32) -> bool {
        let pages = [a, b].map(|page| self.pages().identity(page));
        self.corrections.of_key_at(key, pages) == Some(Said::Forbidden)
    }

    /// The same site, with about this much memory.
    pub fn within(self, memory_bytes: usize) -> SiteView<'s> {
        SiteView { memory_bytes, ..self }
    }

    /// The same site; with `without`, its keys are not used for finding its parts.
    pub fn without_keys(self, without: bool) -> SiteView<'s> {
        SiteView { without_keys: without, ..self }
    }

    /// The same site; `watch` is told the progress of each step.
    pub fn watched(self, watch: &'s dyn Watch) -> SiteView<'s> {
        SiteView { watch, ..self }
    }

    /// A step of work on the site that has `total` units.
    pub fn step(&self, what: &'static str, total: usize) -> Step<'s> {
        Step::new(self.watch, what, total)
    }

    /// Reports the progress of a step whose units take long.
    pub fn tell(&self, what: &str, done: u64, total: u64) {
        self.watch.step(what, done, total);
    }

    /// Its URLs, and the facts about its pages that are known without reading them.
    pub fn pages(&self) -> &'s dyn Pages {
        self.data.pages()
    }

    /// Its links.
    pub fn links(&self) -> &'s dyn Links {
        self.data.links()
    }

    /// The settings of the measures.
    pub fn params(&self) -> &'s Params {
        self.params
    }

    /// True when translations of words are not used.
    pub fn without_content(&self) -> bool {
        self.without_content
    }

    /// Excludes pages from the competition.
    pub fn leave_out(&mut self, pages: impl Iterator<Item = u32>) {
        pages.for_each(|page| self.langs[page as usize] = Lang::UNKNOWN);
        // A profile contains the language of its page, so profiles must be made again.
        self.profiles = Mutex::default();
        self.strayed = OnceLock::new();
        self.empty_words = OnceLock::new();
        self.parts = OnceLock::new();
        self.weights = Mutex::default();
        self.furniture = OnceLock::new();
    }

    /// Its parts, computed once.
    pub fn parts(&self) -> &Parts {
        let find = || Parts::new(&self.data.folders(&self.langs, !self.without_keys), &self.langs);
        self.parts.get_or_init(find)
    }

    /// Two pages in the order of their languages; `None` for pages of the same language.
    pub fn ordered(&self, x: u32, y: u32) -> Option<PagePair> {
        let (lang_x, lang_y) = (self.langs[x as usize], self.langs[y as usize]);
        if !lang_x.is_known() || !lang_y.is_known() {
            return None;
        }
        let langs = LangPair::new(lang_x, lang_y)?;
        let (a, b) = if langs.a == lang_x { (x, y) } else { (y, x) };
        Some(PagePair { langs, a, b })
    }

    /// The language pairs of the site, with the pages of each language, in order. `requested` are the requested languages; empty: all.
    pub fn lang_pairs(&self, requested: &[Lang]) -> Vec<(LangPair, Vec<u32>, Vec<u32>)> {
        let mut by_lang = self.by_lang();
        by_lang.retain(|&lang, _| requested.is_empty() || requested.iter().any(|one| one.agrees(lang)));
        let mut found = Vec::new();
        for (at, first) in by_lang.keys().enumerate() {
            for second in by_lang.keys().skip(at + 1) {
                if let Some(langs) = LangPair::new(*first, *second) {
                    found.push((langs, by_lang[&langs.a].clone(), by_lang[&langs.b].clone()));
                }
            }
        }
        found
    }

    /// The pages of each language that takes part.
    pub fn by_lang(&self) -> BTreeMap<Lang, Vec<u32>> {
        let mut by_lang: BTreeMap<Lang, Vec<u32>> = BTreeMap::new();
        for (page, lang) in (0u32..).zip(&self.langs).filter(|(_, lang)| lang.is_known()) {
            by_lang.entry(*lang).or_default().push(page);
        }
        by_lang
    }

    /// The facts about a page in the page table.
    pub fn facts(&self, page: u32) -> PageFacts {
        self.pages().facts(page)
    }

    /// The languages of the own text of a page, as shares of its bytes, and the number of bytes; `None` for a page in no language, and
    /// where the settings use the whole text.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn own_text(&self, page: u32) -> Result<Option<Shares>> {
        let lang = self.langs[page as usize];
        match &self.params.own_text {
            Some(params) if lang.is_known() => {
                Ok(Some(self.furniture()?.shares(&self.page(page)?, self.place(page), params)))
            }
            _ => Ok(None),
        }
    }

    /// The text and structure of a page.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn page(&self, page: u32) -> Result<Page> {
        Ok(self.data.read(page)?.page)
    }

    /// True when a page of the pair declares a third page of the site as its translation (`hreflang`), instead of the other page.
    pub fn declared_otherwise(&self, pair: PagePair) -> bool {
        [(pair.a, pair.b), (pair.b, pair.a)].into_iter().any(|(from, to)| {
            let (mut this, mut others) = (false, false);
            self.for_each_version(from, &mut |page, lang| {
                if lang.agrees(self.langs[to as usize]) {
                    this |= page == to;
                    others |= page != to;
                }
            });
            others && !this
        })
    }

    /// The hash of two of its pages ([`hash_of_pair`]). Samples of the smallest hashes depend neither on the order of archives nor on
    /// threads.
    pub fn hash_of_pair(&self, (a, b): PageIds) -> u64 {
        hash_of_pair(self.pages().identity(a), self.pages().identity(b))
    }

    /// Calls `each` with the pages that a page declares as versions of itself in other languages (`hreflang`), except those that mean
    /// nothing: a version that does not name the page in turn, and that other pages of its language also name, is just the target of a
    /// language switch, not a version of each of these pages; and a page that [has strayed](Self::has_strayed) declares the versions of
    /// another one.
    pub fn for_each_version(&self, page: u32, each: &mut dyn FnMut(u32, Lang)) {
        if self.has_strayed(page) {
            return;
        }
        let empty = self.empty_words();
        self.links().for_each_alternate(page, &mut |other, lang| {
            if !empty.contains(&(page, other)) {
                each(other, lang);
            }
        });
    }

    /// True for a page that was found at another address than its own. It names the address of another page of its language as its own; the
    /// page there names a third one, and so does not bear that out; and its own address is named by another page, whose contents belong here.
    /// A page that names an address which names itself may be a copy, or one of many whose template is wrong. Cost of all pages: linear.
    pub fn has_strayed(&self, page: u32) -> bool {
        let find = || {
            let named = |page: u32| self.links().canonical(page).filter(|&other| other != page);
            let (pages, langs) = (self.pages().count(), &self.langs);
            let named_by_others: FxHashSet<u32> = (0..pages).filter_map(named).collect();
            let is_elsewhere = |&page: &u32| {
                let lang = langs[page as usize];
                let other = named(page).filter(|&other| lang.is_known() && langs[other as usize] == lang);
                other.and_then(named).is_some()
            };
            named_by_others.iter().copied().filter(is_elsewhere).collect()
        };
        self.strayed.get_or_init(find).contains(&page)
    }

    fn empty_words(&self) -> &FxHashSet<PageIds> {
        self.empty_words.get_or_init(|| {
            let mut said: FxHashSet<PageIds> = FxHashSet::default();
            for page in (0..self.pages().count()).filter(|&page| self.langs[page as usize].is_known()) {
                self.links().for_each_alternate(page, &mut |other, _| _ = said.insert((page, other)));
            }
            let lang = |page: u32| self.langs[page as usize];
            let mut speakers: FxHashMap<(u32, Lang), u32> = FxHashMap::default();
            said.iter().for_each(|&(page, other)| *speakers.entry((other, lang(page))).or_default() += 1);
            let is_empty =
                |&(page, other): &PageIds| speakers[&(other, lang(page))] > 1 && !said.contains(&(other, page));
            said.iter().copied().filter(is_empty).collect()
        })
    }

    /// The profile of a page.
    ///
    /// # Errors
    /// When the page cannot be read.
    pub fn profile(&self, page: u32, words: &Words) -> Result<Profile> {
        let lang = self.langs[page as usize];
        let furniture = self.furniture()?.of(self.parts().of(page), lang);
        let own = self.params.own_text.as_ref();
        let own = own.map_or_else(Own::default, |own| Own {
            furniture,
            min_bytes: own.min_bytes,
            min_share: own.min_own_share,
        });
        let PageText { url, page: text } = self.data.read(page)?;
        let mut profile = Profile::new(&text, &url, lang, &own, words, &self.params.profile);
        // Declared versions that are pages of the site are kept only if they mean something; of versions elsewhere nothing else is known, so
        // they are all kept.
        profile.alternates.clear();
        let mut versions = vec![page];
        self.links().for_each_alternate(page, &mut |other, _| versions.push(other));
        let is_page = |identity: &str| {
            self.pages().find(identity).is_some()
                || versions.iter().any(|&version| is_same(self.pages().identity(version), identity))
        };
        for link in &text.links {
            let identity = link.url.split_once("://").map_or("", |(_, identity)| identity);
            if let Some(lang) = link.hreflang.filter(|_| !is_page(identity)) {
                profile.alternates.push((profile::identity(&link.url), lang));
            }
        }
        self.for_each_version(page, &mut |other, lang| {
            profile.alternates.push((xxh3_64(self.pages().identity(other).as_bytes()), lang));
        });
        profile.alternates.sort_unstable();
        profile.alternates.dedup();
        Ok(profile)
    }

    /// The furniture of each part of the site, computed once. Reads some pages of each language in each part.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn furniture(&self) -> Result<&Furniture> {
        if let Some(known) = self.furniture.get() {
            return Ok(known);
        }
        let mut found = Furniture::default();
        if let Some(params) = &self.params.own_text {
            let parts = self.parts();
            for part in 0..parts.count() {
                let mut by_lang: BTreeMap<Lang, Vec<u32>> = BTreeMap::new();
                for page in parts.members(part) {
                    by_lang.entry(self.langs[page as usize]).or_default().push(page);
                }
                let sample = |pages: Vec<u32>| {
                    let most = pages.len().min(params.sample);
                    (0..most).map(|at| pages[at * pages.len() / most]).collect::<Vec<_>>()
                };
                let pages: Vec<(Lang, u32)> = by_lang
                    .into_iter()
                    .flat_map(|(lang, pages)| sample(pages).into_iter().map(move |page| (lang, page)))
                    .collect();
                let things = pages.par_iter().map(|&(lang, page)| Ok((lang, own_text::things(&self.page(page)?))));
                found.add((part, parts.outer(part)), &things.collect::<Result<Vec<_>>>()?, params);
            }
        }
        Ok(self.furniture.get_or_init(|| found))
    }

    /// Pages whose own text is in another language of their part of the site than the one for which they count: only their labels are
    /// translated. Reads the pages whose language is in doubt.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn foreign_texts(&self) -> Result<Vec<ForeignText>> {
        let Some(params) = &self.params.own_text else { return Ok(Vec::new()) };
        let parts = self.parts();
        let is_doubtful = |&page: &u32| {
            let lang = self.langs[page as usize];
            let facts = self.facts(page);
            // What a program of the user has told, detection would take for something else.
            let is_beyond = !facts.is_guess && !is_told(facts.detected);
            let is_sure = (facts.confidence >= params.sure || is_beyond) && facts.detected.agrees(lang);
            lang.is_known() && facts.form.has_text() && !is_sure
        };
        let doubtful = (0..self.pages().count()).filter(is_doubtful);
        let doubtful: Vec<(u32, (u32, Lang))> = doubtful.map(|page| (page, self.place(page))).collect();
        if doubtful.is_empty() {
            return Ok(Vec::new());
        }
        let furniture = self.furniture()?;
        let step = self.step("looking at languages of pages", doubtful.len());
        let found = doubtful.par_chunks(PAGES_AT_ONCE).map(|pages| {
            let count = |part, lang| parts.pages(part, lang);
            let found = foreign_texts(pages, |page| self.page(page), furniture, count, params);
            step.did(pages.len());
            found
        });
        Ok(found.collect::<Result<Vec<_>>>()?.concat())
    }

    /// The part of a page, and the language for which it counts.
    fn place(&self, page: u32) -> (u32, Lang) {
        (self.parts().of(page), self.langs[page as usize])
    }

    /// The profile of a page, kept for the next step as long as there is room.
    fn kept_profile(&self, page: u32, words: &Words) -> Result<Arc<Profile>> {
        if let Some(known) = self.kept().by_page.get(&page) {
            return Ok(Arc::clone(known));
        }
        let profile = Arc::new(self.profile(page, words)?);
        let mut kept = self.kept();
        if kept.bytes + profile.bytes() <= self.memory_bytes / KEPT_SHARE {
            let is_new = kept.by_page.insert(page, Arc::clone(&profile)).is_none();
            kept.bytes += if is_new { profile.bytes() } else { 0 };
        }
        Ok(profile)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.profiles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The profiles of some pages.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn profiles(&self, pages: &[u32]) -> Result<FxHashMap<u32, Arc<Profile>>> {
        let step = self.step("reading pages", pages.len());
        let made = pages.par_iter().map_init(Words::new, |words, &page| {
            let profile = self.kept_profile(page, words)?;
            step.did(1);
            Ok((page, profile))
        });
        made.collect::<Result<Vec<_>>>().map(|made| made.into_iter().collect())
    }

    /// The hashes by which similar pages are found: of different words, images, links out of the site, and runs of tags.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn tokens(&self, pages: &[u32]) -> Result<FxHashMap<u32, Vec<u64>>> {
        let step = self.step("reading words of pages", pages.len());
        let of = |words: &mut Words, page: u32| -> Result<(u32, Vec<u64>)> {
            let profile = self.kept_profile(page, words)?;
            step.did(1);
            let mut tokens: Vec<u64> = profile.bag.entries().iter().map(|entry| entry.0).collect();
            tokens.extend(&profile.numbers);
            tokens.extend(&profile.images);
            tokens.extend(&profile.links);
            for length in TAG_RUNS {
                tokens.extend(profile.structure.windows(length).map(hash_of_tags));
            }
            // The structure of the page as a whole.
            tokens.push(hash_of_tags(&profile.structure));
            tokens.sort_unstable();
            tokens.dedup();
            Ok((page, tokens))
        };
        let made = pages.par_iter().map_init(Words::new, |words, &page| of(words, page));
        made.collect::<Result<Vec<_>>>().map(|made| made.into_iter().collect())
    }

    /// On how many pages of a part each word stands, counted once on a sample of its pages that is spread evenly.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn word_weights(&self, part: u32) -> Result<Arc<WordWeights>> {
        let known = || self.weights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&part) {
            return Ok(Arc::clone(known));
        }
        let all = self.parts().members(part);
        let sample: Vec<u32> = all.iter().copied().step_by(all.len() / COUNTED_PAGES + 1).collect();
        let mut weights = WordWeights::default();
        let made = sample.par_iter().map_init(Words::new, |words, &page| self.kept_profile(page, words));
        made.collect::<Result<Vec<_>>>()?.iter().for_each(|profile| weights.add(profile));
        weights.finish();
        let weights = Arc::new(weights);
        known().insert(part, Arc::clone(&weights));
        Ok(weights)
    }

    /// The weights of words, for the parts that contain some pairs.
    fn weights_of(&self, pairs: &[PageIds]) -> Result<FxHashMap<u32, Arc<WordWeights>>> {
        let mut parts: Vec<u32> = pairs.iter().map(|&(a, b)| self.parts().common(a, b)).collect();
        parts.sort_unstable();
        parts.dedup();
        parts.into_iter().map(|part| Ok((part, self.word_weights(part)?))).collect()
    }

    /// The measures of pairs of pages, in their order.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn similarities(&self, pairs: &[PageIds], dictionaries: &dyn Dictionaries) -> Result<Vec<Similarities>> {
        let weights = self.weights_of(pairs)?;
        self.compare_each(pairs, &|a, b| self.compare(a, b, dictionaries, &weights))
    }

    /// Candidates with their measures, in their order.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn compared(&self, candidates: &[Candidate], dictionaries: &dyn Dictionaries) -> Result<Vec<Compared>> {
        let pairs: Vec<PageIds> = candidates.iter().map(|candidate| (candidate.pair.a, candidate.pair.b)).collect();
        let weights = self.weights_of(&pairs)?;
        let limit = self.params.max_same_text;
        let found = self.compare_each(&pairs, &|a, b| {
            let is_told = !a.1.is_mostly_furniture && !b.1.is_mostly_furniture;
            let is_same = is_told && LangPair::new(a.1.lang, b.1.lang).is_some() && same_text(a.1, b.1) as f32 > limit;
            (self.compare(a, b, dictionaries, &weights), is_same)
        })?;
        let compared = |(&candidate, (similarities, same_text))| Compared { candidate, similarities, same_text };
        Ok(candidates.iter().zip(found).map(compared).collect())
    }

    /// The results of `compare` for pairs of pages, in their order; it is given the number and profile of each page.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn compare_each<T: Send + Default>(&self, pairs: &[PageIds], compare: &Compare<'_, T>) -> Result<Vec<T>> {
        let mut found = Vec::with_capacity(pairs.len());
        let step = self.step("comparing pairs", pairs.len());
        let max_profiles = (self.memory_bytes / PORTION_SHARE / PROFILE_BYTES).clamp(2, MAX_PROFILES);
        let mut rest = pairs;
        while !rest.is_empty() {
            let mut pages: FxHashSet<u32> = FxHashSet::default();
            let fits = rest.iter().take_while(|&&(a, b)| {
                pages.insert(a);
                pages.insert(b);
                pages.len() <= max_profiles
            });
            let (portion, after) = rest.split_at(fits.count().max(1));
            let mut pages: Vec<u32> = portion.iter().flat_map(|&(a, b)| [a, b]).collect();
            pages.sort_unstable();
            pages.dedup();
            let profiles = self.profiles(&pages)?;
            let compared = portion.par_iter().map(|&(a, b)| {
                let both = profiles.get(&a).zip(profiles.get(&b));
                let found = both.map_or_else(T::default, |(first, second)| compare((a, first), (b, second)));
                step.did(1);
                found
            });
            found.extend(compared.collect::<Vec<_>>());
            rest = after;
        }
        Ok(found)
    }

    fn compare(
        &self,
        (a, first): (u32, &Profile),
        (b, second): (u32, &Profile),
        dictionaries: &dyn Dictionaries,
        weights: &FxHashMap<u32, Arc<WordWeights>>,
    ) -> Similarities {
        let Some(langs) = LangPair::new(first.lang, second.lang) else { return Similarities::default() };
        let weights = weights.get(&self.parts().common(a, b));
        let weight = |word: u64| weights.map_or(1.0, |weights| weights.of(word));
        let shared = |word: u64| weights.map_or(0.0, |weights| weights.shared(word));
        let translations = dictionaries.translations(langs, self.pages().identity(a));
        let with = With {
            params: self.params,
            translations: translations.as_deref().filter(|_| !self.without_content),
            weights: Some(&weight),
            shared: Some(&shared),
            length_ratio: dictionaries.length_ratio(langs),
        };
        verifiers::similarities(first, second, &with)
    }
}

fn hash_of_tags(tags: &[u16]) -> u64 {
    let bytes: Vec<u8> = tags.iter().flat_map(|tag| tag.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::parts::WHOLE;
    use crate::types::{Measure, Method};
    use crate::verify::fixture::{ListedSite, NoWords};

    fn site() -> ListedSite {
        ListedSite::new(&[
            ("x.org/1", "en", "Linux 2024 costs 77 dollars\n"),
            ("x.org/2", "en", "Nothing of the kind 31\n"),
            ("x.org/3", "fr", "Linux 2024 vaut 77 dollars\n"),
            ("x.org/4", "fr", "Linux 2024 costs 77 dollars\n"),
            ("x.org/5", "und", "???"),
        ])
    }

    fn fr() -> Lang {
        Lang::parse("fr").expect("a tag")
    }

    #[test]
    fn pages_are_ordered_by_their_languages_and_paired_across_them_only() {
        let site = site();
        let mut view = site.view();
        let langs = LangPair::new(Lang::EN, fr()).expect("two languages");
        assert_eq!(view.ordered(2, 0), Some(PagePair { langs, a: 0, b: 2 }));
        assert_eq!((view.ordered(0, 1), view.ordered(0, 4)), (None, None));
        assert_eq!(view.lang_pairs(&[]), [(langs, vec![0, 1], vec![2, 3])]);
        assert_eq!(view.lang_pairs(&[Lang::EN]), []);
        view.leave_out([3].into_iter());
        assert_eq!((view.ordered(0, 3), view.parts().smaller(WHOLE, langs)), (None, 1));
    }

    #[test]
    fn a_page_that_declares_another_version_is_not_a_partner() {
        let site = site().alternate(0, 2);
        let view = site.view();
        let declared = |a, b| view.declared_otherwise(view.ordered(a, b).expect("two languages"));
        assert!(!declared(0, 2) && declared(0, 3) && !declared(1, 3));
    }

    /// Three English pages of a list all name the first French page, which names only the first English page.
    #[test]
    fn a_version_that_many_pages_name_says_nothing_unless_it_names_them_too() {
        let pages = ["en/1", "en/2", "en/3", "fr/1", "fr/2"].map(|path| format!("x.org/{path}"));
        let listed: Vec<_> = pages.iter().map(|url| (url.as_str(), &url[6..8], "")).collect();
        let site = ListedSite::new(&listed).alternate(0, 3).alternate(1, 3).alternate(2, 3).alternate(3, 0);
        let view = site.view();
        let ordered = |a, b| view.ordered(a, b).expect("two languages");
        assert!(view.declared_otherwise(ordered(1, 3)), "the French page names another one");
        assert!(!view.declared_otherwise(ordered(1, 4)));
        let words = Words::new();
        let profiles = [0, 1, 2, 3, 4].map(|page| view.profile(page, &words).expect("pages in memory"));
        let hreflang = |a: usize, b: usize| super::super::links::hreflang(&profiles[a], &profiles[b]);
        assert_eq!([hreflang(0, 3), hreflang(1, 3), hreflang(1, 4)], [Some(1.0), Some(0.0), None]);
    }

    #[test]
    fn pairs_are_compared_in_their_order_and_equal_texts_are_noticed() {
        let site = site();
        let view = site.view();
        let candidate =
            |a, b| Candidate { pair: view.ordered(a, b).expect("two languages"), method: Method::All, key: None };
        let compared = view.compared(&[candidate(1, 2), candidate(0, 3), candidate(0, 2)], &NoWords);
        let compared = compared.expect("pages in memory");
        let numbers: Vec<_> = compared.iter().map(|one| one.similarities.get(Measure::Numbers)).collect();
        assert_eq!(numbers, [Some(0.2), Some(2.5 / 3.0), Some(2.5 / 3.0)]);
        assert_eq!(compared.iter().map(|one| one.same_text).collect::<Vec<_>>(), [false, true, false]);
        let pairs: Vec<PageIds> = compared.iter().map(|one| (one.candidate.pair.a, one.candidate.pair.b)).collect();
        let again = view.similarities(&pairs, &NoWords).expect("pages in memory");
        assert_eq!(again, compared.iter().map(|one| one.similarities).collect::<Vec<_>>());
    }

    #[test]
    fn pages_with_equal_words_share_tokens() {
        let site = site();
        let tokens = site.view().tokens(&[0, 1, 2]).expect("pages in memory");
        let shared = |a: u32, b: u32| tokens[&a].iter().filter(|token| tokens[&b].contains(token)).count();
        assert!(shared(0, 2) > shared(1, 2));
        assert!(tokens.values().all(|list| list.is_sorted()));
    }
}
