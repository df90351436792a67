//! Pairs of pages that have something rare in common.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::partners::Partners;
use crate::error::Result;
use crate::index::parts::Parts;
use crate::index::retrieval::{self, Numbered, Rare, Slots};
use crate::judge::unique;
use crate::lexicon::Side;
use crate::types::{Candidate, Lang, LangPair, Method, PagePair};
use crate::verify::{Dictionaries, SiteView};

/// Pairs of pages that share rare words, numbers, images, link targets or runs of tags, or words with a known translation. For each page
/// without a partner these are the most similar pages in each part of the site that the page is in, since what is rare in a part need not
/// be rare on the whole site. `is_asked` tells which language pairs are searched. Cost: grows with the number of pages times the depth of
/// the parts ([`retrieval::Params`]).
///
/// # Errors
/// When a page cannot be read.
pub fn of_words(
    site: &SiteView<'_>,
    paired: &Partners,
    dictionaries: &dyn Dictionaries,
    (is_asked, params): (&dyn Fn(LangPair) -> bool, &retrieval::Params),
) -> Result<Vec<Candidate>> {
    let by_lang = site.by_lang();
    let langs: Vec<Lang> = by_lang.keys().copied().collect();
    let parts = site.parts();
    let all_pairs = langs.iter().enumerate().flat_map(|(at, &first)| {
        langs[at + 1..].iter().filter_map(move |&second| LangPair::new(first, second)).filter(|&pair| is_asked(pair))
    });
    let all_pairs: Vec<LangPair> = all_pairs.collect();
    // Pages known only by an index or by links have no words, and would all look alike.
    let is_left = |pair: LangPair, page: u32| !paired.has(pair, page) && site.facts(page).form.has_text();
    let left = |pair: LangPair| -> [Vec<u32>; 2] {
        [pair.a, pair.b].map(|lang| by_lang[&lang].iter().copied().filter(|&page| is_left(pair, page)).collect())
    };
    let mut is_alone = vec![false; site.pages().count() as usize];
    for &pair in &all_pairs {
        let [a, b] = left(pair);
        if !a.is_empty() && !b.is_empty() {
            a.into_iter().chain(b).for_each(|page| is_alone[page as usize] = true);
        }
    }
    let pages: Vec<u32> = (0u32..).zip(is_alone).filter(|(_, is_alone)| *is_alone).map(|(page, _)| page).collect();
    let tokens = Numbered::new(site.tokens(&pages)?);
    let mut slots = Slots::new(tokens.count());
    let alone = all_pairs.into_iter().flat_map(|pair| {
        let [a, b] = left(pair).map(|pages| by_part(parts, &pages));
        let sizes = |part: u32| [&a, &b].map(|of| of.get(&part).map_or(0, Vec::len));
        // A part that has the same pages left as the part around it would give the same pairs.
        let is_new = |part: u32| parts.outer(part).is_none_or(|outer| sizes(outer) != sizes(part));
        let in_both = a.iter().filter(|(part, _)| is_new(**part));
        let in_both = in_both.filter_map(|(part, pages)| Some((pair, pages.clone(), b.get(part)?.clone())));
        in_both.collect::<Vec<_>>()
    });
    let mut found = Vec::new();
    for (langs, a, b) in alone {
        let with_translations = |page: u32| {
            let mut all = tokens.of(page).to_vec();
            if let Some(source) = dictionaries.translations(langs, site.pages().identity(page)) {
                let side = if site.langs[page as usize] == langs.a { Side::A } else { Side::B };
                for &word in tokens.of(page) {
                    let mut add = |other| all.extend(tokens.number(other));
                    source.for_each_translation(side, tokens.token(word), &mut add);
                }
                all.sort_unstable();
                all.dedup();
            }
            all
        };
        let mut search = |queries: &[u32], pages: &[u32]| -> Vec<(u32, Vec<u32>)> {
            let rare = Rare::new(pages.iter().map(|&page| tokens.of(page)), &mut slots, params);
            let told = site.step("looking up pages by rare words", queries.len());
            let best = queries.par_iter().map(|&query| {
                let best = rare.nearest(&with_translations(query));
                told.did(1);
                (query, best.into_iter().map(|(at, _)| pages[at as usize]).collect())
            });
            best.collect()
        };
        let (of_a, of_b) = (search(&a, &b), search(&b, &a));
        let there = near_enough(&of_a, &of_b, parts).map(|(a, b)| PagePair { langs, a, b });
        let back = near_enough(&of_b, &of_a, parts).map(|(b, a)| PagePair { langs, a, b });
        found.extend(there.chain(back).map(|pair| Candidate { pair, method: Method::Words, key: None }));
    }
    Ok(unique(found))
}

/// Pages of a language, each with the nearest pages of another one, the nearest first.
type Nearest = [(u32, Vec<u32>)];

/// The pairs of pages that count: pairs within one part, and pairs across two parts if each page finds the other. A domain may hold many
/// sites in many languages: the pages of a site that lacks a language would otherwise be paired with those of all other sites that have it.
fn near_enough<'n>(finders: &'n Nearest, found: &Nearest, parts: &'n Parts) -> impl Iterator<Item = (u32, u32)> + 'n {
    let back = found.iter().flat_map(|(page, near)| near.iter().map(move |&other| (other, *page)));
    let back: FxHashSet<(u32, u32)> = back.collect();
    finders.iter().flat_map(move |&(finder, ref near)| {
        let is_near = |page: u32| parts.of(page) == parts.of(finder) || back.contains(&(finder, page));
        near.iter().copied().filter(|&page| is_near(page)).map(|page| (finder, page)).collect::<Vec<_>>()
    })
}

/// The pages of each part of a site, in the given order.
fn by_part(parts: &Parts, pages: &[u32]) -> BTreeMap<u32, Vec<u32>> {
    let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &page in pages {
        parts.chain(parts.of(page)).for_each(|part| found.entry(part).or_default().push(page));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture::{ListedSite, NoWords};

    #[test]
    fn pages_that_share_rare_words_are_proposed_and_paired_ones_are_not() {
        let texts = ["kernel 4711", "editor 1234", "window 9999"];
        let mut pages: Vec<(String, &str, &str)> = Vec::new();
        for lang in ["en", "fr"] {
            pages.extend(texts.iter().zip(0..).map(|(text, at)| (format!("{lang}/{at}"), lang, *text)));
        }
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, *text)).collect();
        let site = ListedSite::new(&listed);
        let view = site.view();
        let paired = Partners::of(view.ordered(2, 5).into_iter());
        let nothing = NoWords;
        let found =
            of_words(&view, &paired, &nothing, (&|_| true, &retrieval::Params::default())).expect("pages in memory");
        let pairs: Vec<(u32, u32)> = found.iter().map(|one| (one.pair.a, one.pair.b)).collect();
        assert!(pairs.contains(&(0, 3)) && pairs.contains(&(1, 4)), "{pairs:?}");
        assert!(!pairs.iter().any(|&(a, b)| a == 2 || b == 5), "{pairs:?}");
        let params = retrieval::Params::default();
        assert_eq!(of_words(&view, &paired, &nothing, (&|_| false, &params)).expect("pages in memory"), []);
    }

    #[test]
    fn pages_of_two_parts_are_compared_where_they_find_each_other() {
        // English pages, from 0 on, are in folder a, with Chinese ones from 40 on; French pages, from 60 on, are in folder b.
        let paths = (0..100).map(|page| [u64::from(page >= 50)]);
        let langs: Vec<Lang> = (0..100u32)
            .map(|page| match page {
                0..40 => Lang::EN,
                60..100 => Lang::parse("fr").expect("a tag"),
                _ => Lang::ZH,
            })
            .collect();
        let parts = Parts::new(&crate::index::parts::Tree::new(paths), &langs);
        assert_ne!(parts.of(0), parts.of(60));
        let english = [(0, vec![60, 61, 62, 63, 64]), (1, vec![70, 71]), (2, vec![41, 42, 43, 44, 45])];
        let found = [(61, vec![0, 9]), (70, vec![5, 6, 7, 8, 1])];
        let near: Vec<_> = near_enough(&english, &found, &parts).collect();
        // Page 61 finds page 0, page 70 finds page 1, but 71 finds nothing. What page 2 finds is in its own part.
        let of_two = (41..46).map(|page| (2, page));
        assert_eq!(near, [(0, 61), (1, 70)].into_iter().chain(of_two).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_common_on_a_site_may_be_rare_in_a_part_of_it() {
        // In folder a one page of each language has the word; in folder b all pages do.
        let text = |folder: &str, lang: &str, page: u32| {
            let own: String =
                [page / 26, page % 26].iter().filter_map(|at| char::from_u32(u32::from('a') + at)).collect();
            match folder {
                "a" if page != 3 => format!("{lang}a{own}"),
                _ => format!("kernel {lang}{folder}{own}"),
            }
        };
        let pages: Vec<(String, &str, String)> = [("a", 12), ("b", 50)]
            .into_iter()
            .flat_map(|(folder, count)| ["en", "fr"].into_iter().map(move |lang| (folder, lang, count)))
            .flat_map(|(folder, lang, count)| (0..count).map(move |page| (folder, lang, page)))
            .map(|(folder, lang, page)| (format!("s/{folder}/{lang}/{page:02}"), lang, text(folder, lang, page)))
            .collect();
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let proposed = |site: ListedSite| {
            let view = site.view();
            let nothing = NoWords;
            let found = of_words(&view, &Partners::default(), &nothing, (&|_| true, &retrieval::Params::default()));
            found.expect("pages in memory").iter().any(|one| (one.pair.a, one.pair.b) == (3, 15))
        };
        assert!(proposed(ListedSite::new(&listed).in_folders()));
        assert!(!proposed(ListedSite::new(&listed)));
    }
}
