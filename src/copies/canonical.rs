//! Copies that declare themselves: pages that name the URL of another page of the site as their own (`rel=canonical` and its like).
//!
//! Sites make mistakes in many ways: every page names the home page, a translation names its original, or two pages name each other. So a
//! page is believed only if the page that it names has nearly the same text in the same language.

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::nearly_same;
use crate::index::site::{Pages, SiteIndex};

/// Pages that are copies according to what they declare.
#[derive(Default)]
pub struct Canonical {
    /// The page that stands for each of them: one that is no such copy itself.
    pub stands: FxHashMap<u32, u32>,
    /// Pages that name themselves, or that copies name.
    named: FxHashSet<u32>,
}

impl Canonical {
    /// Follows what pages name from page to page: from a copy to what that one is a copy of. Pages that name each other in a circle
    /// say nothing.
    pub fn new(pages: &dyn Pages, site: &SiteIndex<'_>) -> Canonical {
        let mut next: FxHashMap<u32, u32> = FxHashMap::default();
        let mut named: FxHashSet<u32> = FxHashSet::default();
        let is_copy = |page: u32, of: u32| {
            let lang = site.lang(page);
            lang.is_some() && lang == site.lang(of) && nearly_same(&pages.facts(page), &pages.facts(of))
        };
        for page in 0..pages.count() {
            match pages.canonical(page) {
                Some(other) if other == page => _ = named.insert(page),
                Some(other) if is_copy(page, other) => _ = next.insert(page, other),
                _ => {}
            }
        }
        pages.release();
        let mut stands: FxHashMap<u32, u32> = FxHashMap::default();
        for (page, last) in ends(&next) {
            let last = last.filter(|&last| is_copy(page, last));
            stands.extend(last.map(|last| (page, last)));
        }
        named.extend(stands.values());
        Canonical { stands, named }
    }

    /// True for a page whose URL is named by itself or by its copies.
    pub fn is_named(&self, page: u32) -> bool {
        self.named.contains(&page)
    }
}

/// The page at the end of the way from each page that names another one; `None` where the way leads back to itself. Every page is passed
/// once.
fn ends(next: &FxHashMap<u32, u32>) -> FxHashMap<u32, Option<u32>> {
    let mut ends: FxHashMap<u32, Option<u32>> = FxHashMap::default();
    let mut way: Vec<u32> = Vec::new();
    for &page in next.keys() {
        let mut at = page;
        let end = loop {
            match (ends.get(&at), next.get(&at)) {
                (Some(&end), _) => break end,
                (None, None) => break Some(at),
                (None, Some(&to)) => {
                    // A page that is met again before the end of its way is known lies on a circle.
                    ends.insert(at, None);
                    way.push(at);
                    at = to;
                }
            }
        };
        ends.extend(way.drain(..).map(|passed| (passed, end)));
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{PageFacts, SKETCH, Urls};
    use crate::types::Lang;

    /// Pages with a text (a number), a language, and the page that each names.
    struct Named(Vec<(u32, Lang, Option<u32>)>);

    impl Urls for Named {
        fn count(&self) -> u32 {
            self.0.len() as u32
        }

        fn identity(&self, _: u32) -> &str {
            ""
        }
    }

    impl Pages for Named {
        fn facts(&self, page: u32) -> PageFacts {
            let (text, detected, _) = self.0[page as usize];
            PageFacts { detected, text_bytes: 100, sketch: [text + 1; SKETCH], ..PageFacts::default() }
        }

        fn canonical(&self, page: u32) -> Option<u32> {
            self.0[page as usize].2
        }
    }

    fn stands(pages: Vec<(u32, Lang, Option<u32>)>) -> Vec<(u32, u32)> {
        let pages = Named(pages);
        let site = SiteIndex::collect(&pages, |page| Some(pages.facts(page).detected).filter(|lang| lang.is_known()));
        let mut found: Vec<(u32, u32)> = Canonical::new(&pages, &site).stands.into_iter().collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_page_is_a_copy_of_the_page_it_names_if_that_has_its_text_and_language() {
        let (en, zh) = (Lang::EN, Lang::ZH);
        // Page 0 is the home page, which all name; 4 is a translation that names its original; 5 is in no known language.
        let home = (0, en, Some(0));
        assert_eq!(
            stands(vec![
                home,
                (0, en, Some(0)),
                (1, en, Some(0)),
                (2, en, None),
                (0, zh, Some(0)),
                (0, Lang::UNKNOWN, Some(0))
            ]),
            [(1, 0)]
        );
    }

    #[test]
    fn ways_are_followed_to_their_end_and_circles_say_nothing() {
        let page = |names: u32| (0, Lang::EN, Some(names));
        assert_eq!(stands(vec![page(1), page(2), page(2)]), [(0, 2), (1, 2)]);
        assert_eq!(stands(vec![page(1), page(0), page(0)]), []);
    }
}
