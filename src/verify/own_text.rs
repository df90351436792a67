//! Finds the own text and pictures of a page: those that do not stand on many pages of the site. Menus, footers and labels are furniture;
//! they say nothing about the subject or the language of a page.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::profile::{hash_of_block, identity};
use crate::error::Result;
use crate::language::{self, Run, RunKind, are_relatives, is_taken_for, is_told_as};
use crate::types::{Lang, Page, tag_name};

/// Settings for finding a page's own text.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// A block of text, or a picture, is furniture if it stands on at least this share of a language's pages. Default 0.2.
    pub min_share: f64,
    /// It must also stand on at least this many of the sampled pages. Default 4: a text may well occur on three pages by itself.
    pub min_pages: u32,
    /// How many pages of a language are sampled, spread evenly. Default 100: what stands on a fifth of all pages is then found on ten or
    /// more of them with a probability of 0.998.
    pub sample: usize,
    /// If the own text has fewer bytes than this, the whole text is used instead. Default 100, the least text of a page.
    pub min_bytes: u32,
    /// The share of a page's text that must be its own for the own text to decide on the page's language. Default 0.4: a page that is
    /// mostly translated, including menus and labels, counts as half-translated.
    pub min_own_share: f64,
    /// If the own text is at least this share of the page's text, it is in the language of the whole text. Default 0.9.
    pub all_own: f64,
    /// If the confidence in a page's language is at least this, its own text is not examined. Default 0.92: two models that agree give a
    /// confidence of 0.9 at most.
    pub sure: f32,
    /// The confidence in another language that the own text must reach, and the least share of that language in the part whose language is
    /// known. Default 0.6.
    pub min_confidence: f32,
    /// The largest share of that part that may be in the language for which the page counts. Default 0.35.
    pub max_labels: f64,
    /// Settings of detecting the language of the own text.
    pub language: language::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            min_share: 0.2,
            min_pages: 4,
            sample: 100,
            min_bytes: 100,
            min_own_share: 0.4,
            all_own: 0.9,
            sure: 0.92,
            min_confidence: 0.6,
            max_labels: 0.35,
            language: language::Params::default(),
        }
    }
}

/// The languages of a text: shares of its bytes, the largest first, unknown for blocks that are too short; and the number of its bytes.
pub type Shares = (Vec<(Lang, f64)>, usize);

/// The furniture of each part of a site and language, including that of the parts around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Furniture(FxHashMap<(u32, Lang), Arc<FxHashSet<u64>>>);

/// The different blocks and pictures of a page, as hashes.
pub fn things(page: &Page) -> Vec<u64> {
    let mut things: Vec<u64> = blocks(page).map(|(_, text)| hash_of_block(text)).collect();
    things.extend(page.images.iter().map(|image| identity(&image.url)));
    things.sort_unstable();
    things.dedup();
    things
}

/// The text blocks of a page, with the code of their tag.
fn blocks(page: &Page) -> impl Iterator<Item = (u16, &str)> {
    page.blocks.iter().filter_map(|block| Some((block.tag, page.text.get(block.start as usize..block.end as usize)?)))
}

impl Furniture {
    /// Adds a part, given the [`things`] of some of its pages in each language; `outer` is the part around it, which must have been added
    /// before.
    pub fn add(&mut self, (part, outer): (u32, Option<u32>), pages: &[(Lang, Vec<u64>)], params: &Params) {
        let mut counts: BTreeMap<Lang, (u32, FxHashMap<u64, u32>)> = BTreeMap::new();
        for (lang, things) in pages {
            let (looked_at, counts) = counts.entry(*lang).or_default();
            *looked_at += 1;
            things.iter().for_each(|&thing| *counts.entry(thing).or_default() += 1);
        }
        for (lang, (looked_at, counts)) in counts {
            let is_furniture =
                |count: u32| count >= params.min_pages && f64::from(count) / f64::from(looked_at) >= params.min_share;
            let round = outer.and_then(|outer| self.0.get(&(outer, lang)));
            let is_new = |thing: &u64| round.is_none_or(|round| !round.contains(thing));
            let mut own: FxHashSet<u64> = counts
                .into_iter()
                .filter(|(_, count)| is_furniture(*count))
                .map(|(thing, _)| thing)
                .filter(is_new)
                .collect();
            let all = match round {
                Some(round) if own.is_empty() => Arc::clone(round),
                round => {
                    own.extend(round.into_iter().flat_map(|round| round.iter()));
                    Arc::new(own)
                }
            };
            self.0.insert((part, lang), all);
        }
    }

    /// The furniture on the pages of a language in a part.
    pub fn of(&self, part: u32, lang: Lang) -> Option<&FxHashSet<u64>> {
        self.0.get(&(part, lang)).map(Arc::as_ref)
    }

    /// The own text of a page, and the ranges of it that are prose.
    pub fn own_text(&self, page: &Page, (part, lang): (u32, Lang)) -> (String, Vec<Run>) {
        let furniture = self.of(part, lang);
        let (mut text, mut runs) = (String::new(), Vec::new());
        for (tag, block) in blocks(page) {
            if furniture.is_some_and(|known| known.contains(&hash_of_block(block))) {
                continue;
            }
            let start = text.len() as u32;
            text.push_str(block);
            let kind = if LISTINGS.contains(&tag_name(tag)) { RunKind::Listing } else { RunKind::Prose };
            runs.push(Run { start, end: text.len() as u32, kind });
            text.push('\n');
        }
        (text, runs)
    }

    /// The language that the own text of a page is certainly in, if there is enough of it and hardly any of it is in the language for which
    /// the page counts.
    pub fn own_language(&self, page: &Page, (part, lang): (u32, Lang), params: &Params) -> Option<Lang> {
        let (text, runs) = self.own_text(page, (part, lang));
        let is_most = text.len() as f64 >= params.min_own_share * page.text.len() as f64;
        // The own text is nearly all of the text, from which the page's language was detected.
        let is_all = text.len() as f64 >= params.all_own * page.text.len() as f64 && page.detected.agrees(lang);
        if text.len() < params.min_bytes as usize || !is_most || is_all {
            return None;
        }
        let found = language::detect(&text, &runs, &params.language);
        if !found.lang.is_known() || found.lang.agrees(lang) || found.confidence < params.min_confidence {
            return None;
        }
        // A relative whose texts are taken for this language, and which nothing tells from it, is not contradicted by a text that is told
        // to be in this language.
        let is_like = is_taken_for(lang, found.lang) || are_relatives(lang, found.lang);
        if is_like && !is_told_as(lang, found.latin_share) {
            return None;
        }
        // Over a whole text, letters of one script may outnumber those of another, so the languages of single blocks decide.
        let mut blocks: Vec<Run> = runs;
        blocks.sort_by_key(|run| (std::cmp::Reverse(run.end - run.start), run.start));
        blocks.truncate(LOOKED_AT);
        let shares = shares_of(&text, &blocks, params).0;
        let share = |wanted: &dyn Fn(Lang) -> bool| {
            shares.iter().filter(|(lang, _)| lang.is_known() && wanted(*lang)).map(|(_, share)| share).sum::<f64>()
        };
        let told = share(&|_| true);
        let is_own = share(&|other| other.agrees(found.lang)) >= f64::from(params.min_confidence) * told;
        (told > 0.0 && is_own && share(&|other| other.agrees(lang)) <= params.max_labels * told).then_some(found.lang)
    }

    /// The languages of the own text of a page: shares of its bytes, the largest first, unknown for blocks that are too short; and the
    /// number of its bytes.
    pub fn shares(&self, page: &Page, place: (u32, Lang), params: &Params) -> Shares {
        let (text, runs) = self.own_text(page, place);
        shares_of(&text, &runs, params)
    }
}

/// How many blocks of a page are examined for their languages, the longest ones: a block costs up to half a millisecond.
const LOOKED_AT: usize = 16;

/// The languages of ranges of a text, as shares of their bytes, and the number of bytes.
fn shares_of(text: &str, runs: &[Run], params: &Params) -> Shares {
    let mut bytes: BTreeMap<Lang, usize> = BTreeMap::new();
    for run in runs {
        let block = &text[run.start as usize..run.end as usize];
        let whole = Run { start: 0, end: block.len() as u32, kind: run.kind };
        *bytes.entry(language::detect(block, &[whole], &params.language).lang).or_default() += block.len();
    }
    let all: usize = bytes.values().sum();
    let mut shares: Vec<(Lang, f64)> =
        bytes.into_iter().map(|(lang, bytes)| (lang, bytes as f64 / all.max(1) as f64)).collect();
    shares.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
    (shares, all)
}

/// Elements whose text is not in any natural language.
const LISTINGS: &[&str] = &["pre", "code", "samp", "kbd"];

/// A page whose own text is in another language than the one for which the page counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForeignText {
    /// The page.
    pub page: u32,
    /// The language of its own text.
    pub lang: Lang,
}

/// Of the pages whose language is in doubt, finds those whose own text is in another language of their part of the site, so that only their
/// labels are translated. `pages` are (page, (part, language for which it counts)); `count` gives the number of pages of a part that count
/// for a language. A language with few pages in the part compared with the page's language is ignored: it is usually a related language,
/// detected by mistake.
///
/// # Errors
/// When a page cannot be read.
pub fn foreign_texts(
    pages: &[(u32, (u32, Lang))],
    read: impl Fn(u32) -> Result<Page>,
    furniture: &Furniture,
    count: impl Fn(u32, Lang) -> u32,
    params: &Params,
) -> Result<Vec<ForeignText>> {
    let mut found = Vec::new();
    for &(page, (part, lang)) in pages {
        let Some(own) = furniture.own_language(&read(page)?, (part, lang), params) else { continue };
        let (pages, others) = (count(part, own), count(part, lang));
        if pages.saturating_mul(MUCH) >= others && pages >= params.min_pages {
            found.push(ForeignText { page, lang: own });
        }
    }
    Ok(found)
}

/// By what factor the pages in the page's language may outnumber those in the language of its own text.
const MUCH: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Block, tag_code};

    fn page(texts: &[&str]) -> Page {
        let mut page = Page::default();
        for text in texts {
            let start = page.text.len() as u32;
            page.text.push_str(text);
            page.blocks.push(Block { start, end: page.text.len() as u32, tag: tag_code("p"), at: 0 });
            page.text.push('\n');
        }
        page
    }

    const MENU: &str =
        "Die Übersicht aller Seiten, die es hier über dieses Thema noch gibt, und was sonst noch wichtig ist";
    const ENGLISH: &str = "The old miller has always loved the house by the river, and he will never forget what it was like when \
         he saw it first with his sister and her three children in the summer of that year.";

    fn furniture() -> Furniture {
        let pages: Vec<(Lang, Vec<u64>)> =
            (0..10).map(|at| (Lang::parse("de").expect("a tag"), things(&page(&[MENU, &format!("{at}")])))).collect();
        of(&pages)
    }

    fn of(pages: &[(Lang, Vec<u64>)]) -> Furniture {
        let mut furniture = Furniture::default();
        furniture.add((0, None), pages, &Params::default());
        furniture
    }

    #[test]
    fn what_stands_on_a_fifth_of_the_pages_is_furniture() {
        let de = Lang::parse("de").expect("a tag");
        assert_eq!(furniture().of(0, de).map(|known| known.len()), Some(1));
        assert_eq!(furniture().own_text(&page(&[MENU, "7", MENU, "x"]), (0, de)).0, "7\nx\n");
        assert_eq!(furniture().own_text(&page(&[MENU]), (0, Lang::EN)).0, format!("{MENU}\n"));
        // Three of ten pages may be chance.
        let few: Vec<(Lang, Vec<u64>)> = (0..10).map(|at| (de, vec![u64::from(at < 3)])).collect();
        assert_eq!(of(&few).of(0, de).map(|known| known.len()), Some(1));
    }

    #[test]
    fn a_part_has_its_own_furniture_and_that_of_the_part_round_it() {
        let (de, params) = (Lang::parse("de").expect("a tag"), Params::default());
        let pages = |things: &dyn Fn(u64) -> Vec<u64>| (0..10).map(|at| (de, things(at))).collect::<Vec<_>>();
        let mut furniture = of(&pages(&|at| vec![1, 100 + at]));
        furniture.add((1, Some(0)), &pages(&|at| vec![2, 200 + at]), &params);
        furniture.add((2, Some(1)), &pages(&|at| vec![300 + at]), &params);
        let has = |part: u32| [1, 2, 3].map(|thing| furniture.of(part, de).is_some_and(|known| known.contains(&thing)));
        assert_eq!([0, 1, 2].map(has), [[true, false, false], [true, true, false], [true, true, false]]);
    }

    #[test]
    fn a_page_of_german_labels_is_in_the_language_of_its_own_text() {
        let (de, params) = (Lang::parse("de").expect("a tag"), Params::default());
        let pages = [page(&[MENU, ENGLISH]), page(&[MENU, MENU, "short"])];
        let found = |english: u32| {
            let count = |_, lang: Lang| if lang == de { 40 } else { english };
            let read = |at: u32| Ok(pages[at as usize].clone());
            foreign_texts(&[(0, (0, de)), (1, (0, de))], read, &furniture(), count, &params).expect("pages in memory")
        };
        assert_eq!(found(30), [ForeignText { page: 0, lang: Lang::EN }]);
        // Texts in Scots are taken for English.
        let count = |_, _| 40;
        let read = |at: u32| Ok(pages[at as usize].clone());
        let sco = Lang::parse("sco").expect("a tag");
        assert_eq!(foreign_texts(&[(0, (0, sco))], read, &furniture(), count, &params).expect("pages in memory"), []);
        // The site hardly has pages in this language.
        assert_eq!(found(3), []);
        let (shares, bytes) = furniture().shares(&pages[0], (0, de), &params);
        assert_eq!((shares, bytes), (vec![(Lang::EN, 1.0)], ENGLISH.len()));
    }
}
