//! Pages that have something rare in common.

use rayon::prelude::*;

use super::partners::Partners;
use crate::error::Result;
use crate::index::retrieval::{self, Rare};
use crate::judge::unique;
use crate::lexicon::Side;
use crate::types::{Candidate, Lang, LangPair, Method, PagePair};
use crate::verify::{Dictionaries, SiteView};

/// Pages of two languages that share rare words, numbers, images, link targets or runs of tags, and words with a known
/// translation: for each page without a partner the most similar ones. Cost: as the number of pages, by
/// [`retrieval::Params`].
///
/// # Errors
/// When a page cannot be read.
pub fn of_words(
    site: &SiteView<'_>,
    paired: &Partners,
    dictionaries: &dyn Dictionaries,
    params: &retrieval::Params,
) -> Result<Vec<Candidate>> {
    let by_lang = site.by_lang();
    let langs: Vec<Lang> = by_lang.keys().copied().collect();
    let mut alone: Vec<(LangPair, Vec<u32>, Vec<u32>)> = Vec::new();
    let mut pages: Vec<u32> = Vec::new();
    for (at, &first) in langs.iter().enumerate() {
        for &second in &langs[at + 1..] {
            let Some(pair) = LangPair::new(first, second) else { continue };
            // Of a page known by an index or its links only, no word tells anything: all such pages would be alike.
            let is_left = |page: &u32| !paired.has(pair, *page) && site.facts(*page).form.has_text();
            let left = |lang: Lang| by_lang[&lang].iter().copied().filter(is_left).collect();
            let (a, b): (Vec<u32>, Vec<u32>) = (left(pair.a), left(pair.b));
            if !a.is_empty() && !b.is_empty() {
                pages.extend(a.iter().chain(&b));
                alone.push((pair, a, b));
            }
        }
    }
    pages.sort_unstable();
    pages.dedup();
    let tokens = site.tokens(&pages)?;
    let mut found = Vec::new();
    for (langs, a, b) in alone {
        let of = |page: &u32| tokens.get(page).map_or(&[][..], Vec::as_slice);
        let with_translations = |page: u32| {
            let mut all = of(&page).to_vec();
            if let Some(source) = dictionaries.translations(langs, site.pages().identity(page)) {
                let side = if site.langs[page as usize] == langs.a { Side::A } else { Side::B };
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
            let told = site.step("looking up pages by rare words", queries.len());
            let best = queries.par_iter().flat_map_iter(|&query| {
                let best = rare.nearest(&with_translations(query));
                told.did(1);
                best.into_iter().map(move |(at, _)| (query, pages[at as usize])).collect::<Vec<_>>()
            });
            best.collect()
        };
        let there = search(&a, &b).into_iter();
        let back = search(&b, &a).into_iter().map(|(b, a)| (a, b));
        let pair = |(a, b)| PagePair { langs, a, b };
        found.extend(there.chain(back).map(pair).map(|pair| Candidate { pair, method: Method::Words, key: None }));
    }
    Ok(unique(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::Either;
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
        let nothing = Either { first: &NoWords(None), second: &NoWords(None) };
        let found = of_words(&view, &paired, &nothing, &retrieval::Params::default()).expect("pages in memory");
        let pairs: Vec<(u32, u32)> = found.iter().map(|one| (one.pair.a, one.pair.b)).collect();
        assert!(pairs.contains(&(0, 3)) && pairs.contains(&(1, 4)), "{pairs:?}");
        assert!(!pairs.iter().any(|&(a, b)| a == 2 || b == 5), "{pairs:?}");
    }
}
