//! Pairs of pages of two languages that link to each other.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::types::{Candidate, LangPair, Method, PagePair};
use crate::verify::SiteView;

/// If a page exchanges links with more pages of another language, the links do not mean translations: a language bar has one such link for
/// each language, a menu has many.
const MUTUAL_LINKS: usize = 2;

/// Pairs of pages that link to each other, where few pages of that language do so with a page: language bars.
pub fn of_mutual_links(site: &SiteView<'_>) -> Vec<Candidate> {
    let targets = |page: u32| {
        let mut targets = Vec::new();
        site.links().for_each_link(page, &mut |link| targets.push(link.to));
        targets.retain(|&other| site.ordered(page, other).is_some());
        targets.sort_unstable();
        targets.dedup();
        targets
    };
    let all: Vec<Vec<u32>> = (0..site.pages().count()).into_par_iter().map(targets).collect();
    let links_to = |from: u32, to: u32| all[from as usize].binary_search(&to).is_ok();
    let mut found = Vec::new();
    for page in 0..site.pages().count() {
        let mut by_langs: FxHashMap<LangPair, Vec<PagePair>> = FxHashMap::default();
        for &other in all[page as usize].iter().filter(|&&other| links_to(other, page)) {
            if let Some(pair) = site.ordered(page, other) {
                by_langs.entry(pair.langs).or_default().push(pair);
            }
        }
        for pairs in by_langs.into_values().filter(|pairs| pairs.len() <= MUTUAL_LINKS) {
            found.extend(pairs.into_iter().map(|pair| Candidate { pair, method: Method::Link, key: None }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn a_language_bar_proposes_and_a_menu_does_not() {
        let urls = ["a", "b", "c", "d", "e"];
        let pages: Vec<_> = urls.iter().map(|url| (*url, if *url < "c" { "en" } else { "fr" }, "")).collect();
        // Page 0 and page 2 link to each other, and so do page 1 and each French page.
        let mut site = ListedSite::new(&pages).link(0, 2).link(2, 0).link(0, 3);
        for page in 2..5 {
            site = site.link(1, page).link(page, 1);
        }
        let found = of_mutual_links(&site.view());
        let pairs: std::collections::BTreeSet<(u32, u32)> = found.iter().map(|one| (one.pair.a, one.pair.b)).collect();
        // Each French page exchanges links with at most two English ones, but page 1 with three French ones.
        assert_eq!(pairs, [(0, 2), (1, 2), (1, 3), (1, 4)].into());
        assert!(found.iter().all(|one| one.method == Method::Link));
    }
}
