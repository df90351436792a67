//! One site as verification and iteration see it: its pages with their languages, and what the measures say of pairs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::Config;
use crate::error::Result;
use crate::index::graph::Links;
use crate::index::retrieval;
use crate::index::site::{PageFacts, Pages, Urls};
use crate::lexicon::Translations;
use crate::store::layout::{ResultRecord, SiteHead};
use crate::store::records::{Mapped, RecordRef};
use crate::store::{SiteLinks, SitePages, Store};
use crate::text::words::Words;
use crate::types::{Candidate, Compared, JudgedPair, Lang, LangPair, Page, PagePair, Similarities, SiteId, host_of};
use crate::verify::{self, Profile, With};

/// A site whose keys are found, opened for comparing its pages.
pub struct SiteView<'s> {
    store: &'s Store,
    config: &'s Config,
    /// Its number.
    pub id: SiteId,
    /// What the catalog holds of it.
    pub head: SiteHead,
    /// Its pages.
    pub pages: SitePages,
    /// What key discovery left.
    pub result: Mapped<ResultRecord>,
    /// Its links.
    pub links: SiteLinks,
    /// The language each page counts for; unknown for those out of the competition, copies among them.
    pub langs: Vec<Lang>,
    profiles: Mutex<Kept>,
}

/// Profiles that one step of a site made, for the next.
#[derive(Default)]
struct Kept {
    by_page: FxHashMap<u32, Arc<Profile>>,
    bytes: usize,
}

/// Says something of two pages, given each with its profile.
pub type Compare<'c, T> = dyn Fn((u32, &Profile), (u32, &Profile)) -> T + Sync + 'c;

/// Two pages, in the order of their languages.
pub type PageIds = (u32, u32);

/// Where the translations of words come from, by language pair.
pub trait Sources: Sync {
    /// What is known of a language pair, for a page of the first language.
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>>;

    /// How many bytes of text the second language takes for one of the first.
    fn length_ratio(&self, langs: LangPair) -> Option<f64>;
}

/// Profiles held at once; a site with more pages is compared in portions.
pub const PROFILES: usize = 20_000;
/// Bytes of profiles that are kept from one step to the next; the profiles of other pages are made again.
const KEPT_BYTES: usize = 256 << 20;
/// Pages on which words are counted.
const COUNTED_PAGES: usize = 20_000;

impl<'s> SiteView<'s> {
    /// Opens a site; `None` where keys or links are not up to date.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: &'s Store, config: &'s Config, id: SiteId) -> Result<Option<SiteView<'s>>> {
        let head = store.site(id)?.unwrap_or_default();
        let Some(result) = store.result(id)? else { return Ok(None) };
        let Some(links) = store.site_links(id, head.generation)? else { return Ok(None) };
        let pages = store.site_pages(&head)?;
        let mut langs: Vec<Lang> = (0..pages.count()).map(|page| pages.detected(page)).collect();
        for row in result.settled.iter() {
            langs[row.0.to_native() as usize] = Lang::from_bytes(row.1);
        }
        for copy in result.copies.iter() {
            langs[copy.0.to_native() as usize] = Lang::UNKNOWN;
        }
        let profiles = Mutex::default();
        Ok(Some(SiteView { store, config, id, head, pages, result, links, langs, profiles }))
    }

    /// Takes pages out of the competition.
    pub fn leave_out(&mut self, pages: impl Iterator<Item = u32>) {
        pages.for_each(|page| self.langs[page as usize] = Lang::UNKNOWN);
        // A profile has the language of its page.
        self.profiles = Mutex::default();
    }

    /// Two pages in the order of their languages; `None` for pages of one language.
    pub fn ordered(&self, x: u32, y: u32) -> Option<PagePair> {
        let (lang_x, lang_y) = (self.langs[x as usize], self.langs[y as usize]);
        if !lang_x.is_known() || !lang_y.is_known() {
            return None;
        }
        let langs = LangPair::new(lang_x, lang_y)?;
        let (a, b) = if langs.a == lang_x { (x, y) } else { (y, x) };
        Some(PagePair { langs, a, b })
    }

    /// How many accepted pairs have a page on each host, by host.
    pub fn pairs_of_hosts(&self, pairs: &[JudgedPair]) -> Vec<(String, u64)> {
        let host = |page: u32| host_of(self.pages.identity(page));
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for PagePair { a, b, .. } in pairs.iter().filter(|judged| judged.is_accepted()).map(|judged| judged.pair) {
            let (a, b) = (host(a), host(b));
            *counts.entry(a).or_default() += 1;
            if a != b {
                *counts.entry(b).or_default() += 1;
            }
        }
        counts.into_iter().map(|(host, count)| (host.to_owned(), count)).collect()
    }

    /// The language pairs of the site, among the languages asked for, with the pages of each language, in order.
    pub fn lang_pairs(&self) -> Vec<(LangPair, Vec<u32>, Vec<u32>)> {
        let wanted = &self.config.keys.langs;
        let mut by_lang = self.by_lang();
        by_lang.retain(|&lang, _| wanted.is_empty() || wanted.iter().any(|wanted| wanted.agrees(lang)));
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

    /// How many pages the smaller of two languages has.
    pub fn smaller(&self, langs: LangPair) -> usize {
        let count = |wanted: Lang| self.langs.iter().filter(|&&lang| lang == wanted).count();
        count(langs.a).min(count(langs.b))
    }

    /// The pages of each language that competes.
    pub fn by_lang(&self) -> BTreeMap<Lang, Vec<u32>> {
        let mut by_lang: BTreeMap<Lang, Vec<u32>> = BTreeMap::new();
        for (page, lang) in (0u32..).zip(&self.langs).filter(|(_, lang)| lang.is_known()) {
            by_lang.entry(*lang).or_default().push(page);
        }
        by_lang
    }

    /// What the page table has of a page.
    pub fn facts(&self, page: u32) -> PageFacts {
        self.pages.facts(page)
    }

    /// The text and structure of a page.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn page(&self, page: u32) -> Result<Page> {
        let (chunk, at) = self.pages.chunk(page);
        Ok(self.store.pages.read(RecordRef(chunk.pages[at].to_native()))?.page())
    }

    /// True when a page declares another page of the site as its translation (`hreflang`) than the one of the pair.
    pub fn declared_otherwise(&self, PagePair { a, b, .. }: PagePair) -> bool {
        let other = |from: u32, to: u32| {
            let (mut this, mut that) = (false, false);
            self.links.for_each_alternate(from, &mut |page, lang| {
                if lang.agrees(self.langs[to as usize]) {
                    this |= page == to;
                    that |= page != to;
                }
            });
            that && !this
        };
        other(a, b) || other(b, a)
    }

    /// The profile of a page.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn profile(&self, page: u32, words: &Words) -> Result<Profile> {
        let (chunk, at) = self.pages.chunk(page);
        let record = self.store.pages.read(RecordRef(chunk.pages[at].to_native()))?;
        let lang = self.langs[page as usize];
        Ok(Profile::new(
            &record.page(),
            record.body_bytes.to_native(),
            &record.url,
            lang,
            words,
            &self.config.verify.profile,
        ))
    }

    /// The same; it is not made again by the next step as long as there is room for it.
    fn kept_profile(&self, page: u32, words: &Words) -> Result<Arc<Profile>> {
        if let Some(known) = self.kept().by_page.get(&page) {
            return Ok(Arc::clone(known));
        }
        let profile = Arc::new(self.profile(page, words)?);
        let mut kept = self.kept();
        if kept.bytes + profile.bytes() <= KEPT_BYTES {
            let is_new = kept.by_page.insert(page, Arc::clone(&profile)).is_none();
            kept.bytes += if is_new { profile.bytes() } else { 0 };
        }
        Ok(profile)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.profiles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The profiles of some pages.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn profiles(&self, pages: &[u32]) -> Result<FxHashMap<u32, Arc<Profile>>> {
        let made = pages.par_iter().map_init(Words::new, |words, &page| Ok((page, self.kept_profile(page, words)?)));
        made.collect::<Result<Vec<_>>>().map(|made| made.into_iter().collect())
    }

    /// What pages are looked up by: their different words, images, links out of the site and runs of tags, as hashes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn tokens(&self, pages: &[u32]) -> Result<FxHashMap<u32, Vec<u64>>> {
        let of = |words: &mut Words, page: u32| -> Result<(u32, Vec<u64>)> {
            let profile = self.kept_profile(page, words)?;
            let mut tokens: Vec<u64> = profile.bag.entries().iter().map(|entry| entry.0).collect();
            tokens.extend(&profile.images);
            tokens.extend(&profile.links);
            // Runs of tags of three lengths, and those of the page as a whole.
            for length in [6, 12, 24] {
                tokens.extend(profile.structure.windows(length).map(hash_of_tags));
            }
            tokens.push(hash_of_tags(&profile.structure));
            tokens.sort_unstable();
            tokens.dedup();
            Ok((page, tokens))
        };
        let made = pages.par_iter().map_init(Words::new, |words, &page| of(words, page));
        made.collect::<Result<Vec<_>>>().map(|made| made.into_iter().collect())
    }

    /// On how many pages each word stands, counted on a sample of pages spread evenly.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn word_weights(&self) -> Result<WordWeights> {
        let all: Vec<u32> = (0..self.pages.count()).filter(|&page| self.langs[page as usize].is_known()).collect();
        let sample: Vec<u32> = all.iter().copied().step_by(all.len() / COUNTED_PAGES + 1).collect();
        let mut counts: FxHashMap<u64, Count> = FxHashMap::default();
        for portion in sample.chunks(512) {
            let made = portion.par_iter().map_init(Words::new, |words, &page| self.kept_profile(page, words));
            for profile in made.collect::<Result<Vec<_>>>()? {
                for &(word, _) in profile.bag.entries() {
                    let count = counts.entry(word).or_insert(Count { pages: 0, lang: profile.lang, shared: false });
                    count.pages += 1;
                    count.shared |= count.lang != profile.lang;
                }
            }
        }
        // Words of one page in the sample are as rare as words that are not in it.
        counts.retain(|_, count| count.pages > 1);
        Ok(WordWeights { counts, pages: sample.len() as u32 })
    }

    /// What the measures say of pairs of pages, in their order.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn similarities(
        &self,
        pairs: &[PageIds],
        sources: &dyn Sources,
        weights: &WordWeights,
    ) -> Result<Vec<Similarities>> {
        self.compare_each(pairs, &|a, b| self.compare(a, b, sources, weights))
    }

    /// Candidates with what the measures say of them, in their order.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn compared(
        &self,
        candidates: &[Candidate],
        sources: &dyn Sources,
        weights: &WordWeights,
    ) -> Result<Vec<Compared>> {
        let pairs: Vec<PageIds> = candidates.iter().map(|candidate| (candidate.pair.a, candidate.pair.b)).collect();
        let limit = self.config.judge.most_same_text;
        let found = self.compare_each(&pairs, &|a, b| {
            let same_text = LangPair::new(a.1.lang, b.1.lang).is_some() && verify::same_text(a.1, b.1) as f32 > limit;
            (self.compare(a, b, sources, weights), same_text)
        })?;
        let compared = |(&candidate, (similarities, same_text))| Compared { candidate, similarities, same_text };
        Ok(candidates.iter().zip(found).map(compared).collect())
    }

    /// What `compare` says of pairs of pages, in their order, given the page and profile of each; its default where a page is
    /// not in the store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn compare_each<T: Send + Default>(&self, pairs: &[PageIds], compare: &Compare<'_, T>) -> Result<Vec<T>> {
        let mut found = Vec::with_capacity(pairs.len());
        let mut rest = pairs;
        while !rest.is_empty() {
            let mut pages: FxHashSet<u32> = FxHashSet::default();
            let fits = rest.iter().take_while(|&&(a, b)| {
                pages.insert(a);
                pages.insert(b);
                pages.len() <= PROFILES
            });
            let (portion, after) = rest.split_at(fits.count().max(1));
            let mut pages: Vec<u32> = portion.iter().flat_map(|&(a, b)| [a, b]).collect();
            pages.sort_unstable();
            pages.dedup();
            let profiles = self.profiles(&pages)?;
            let compared = portion.par_iter().map(|&(a, b)| match (profiles.get(&a), profiles.get(&b)) {
                (Some(first), Some(second)) => compare((a, first), (b, second)),
                _ => T::default(),
            });
            found.extend(compared.collect::<Vec<_>>());
            rest = after;
        }
        Ok(found)
    }

    fn compare(
        &self,
        (a, first): (u32, &Profile),
        (_, second): (u32, &Profile),
        sources: &dyn Sources,
        weights: &WordWeights,
    ) -> Similarities {
        let Some(langs) = LangPair::new(first.lang, second.lang) else { return Similarities::default() };
        let weight = |word: u64| weights.of(word);
        let shared = |word: u64| weights.shared(word);
        let translations = sources.translations(langs, self.pages.identity(a));
        let translations = translations.as_deref().filter(|_| !self.config.without_content);
        let with = With {
            params: &self.config.verify,
            translations,
            weights: Some(&weight),
            shared: Some(&shared),
            length_ratio: sources.length_ratio(langs),
        };
        verify::similarities(first, second, &with)
    }
}

fn hash_of_tags(tags: &[u16]) -> u64 {
    let bytes: Vec<u8> = tags.iter().flat_map(|tag| tag.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// How much the words of a site tell.
pub struct WordWeights {
    counts: FxHashMap<u64, Count>,
    pages: u32,
}

struct Count {
    pages: u32,
    lang: Lang,
    /// Two languages have it.
    shared: bool,
}

impl WordWeights {
    /// ln(1 + N/df) of a word.
    pub fn of(&self, word: u64) -> f32 {
        retrieval::weight(self.pages, self.counts.get(&word).map_or(1, |count| count.pages as usize))
    }

    /// The same, and 0 for a word that only one language has.
    pub fn shared(&self, word: u64) -> f32 {
        self.counts.get(&word).filter(|count| count.shared).map_or(0.0, |_| self.of(word))
    }
}
