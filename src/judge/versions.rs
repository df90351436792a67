//! Versions of one document: pairs, the most certain first, join pages into groups with one page in each language. A pair must not join two
//! groups that both have a page in some language, since these two pages show that the groups are different documents.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::odds::sigmoid;
use crate::types::{Lang, PagePair};

/// Groups of pages that are versions of one document.
#[derive(Debug, Default)]
pub struct Documents {
    /// The number of the group of each page that is in one.
    group: FxHashMap<u32, usize>,
    /// The pages of each group, by language; empty where the group was joined to another one.
    groups: Vec<Vec<(Lang, u32)>>,
}

impl Documents {
    /// Whether the groups of a pair's two pages are the same, or have no language in common. Time: the number of languages of both groups.
    pub fn agree(&mut self, pair: PagePair) -> bool {
        let [small, large] = self.groups_of(pair);
        small == large || self.are_apart(small, large)
    }

    /// Joins the groups of a pair's two pages. `false`, and nothing changes, where they do not [agree](Documents::agree). Time: the number
    /// of languages of both groups; moving pages from group to group takes the logarithm of a document's pages for each page in all.
    pub fn join(&mut self, pair: PagePair) -> bool {
        let [small, large] = self.groups_of(pair);
        if small == large {
            return true;
        }
        if !self.are_apart(small, large) {
            return false;
        }
        let moved = std::mem::take(&mut self.groups[small]);
        for &(_, page) in &moved {
            self.group.insert(page, large);
        }
        self.groups[large].extend(moved);
        self.groups[large].sort_unstable();
        true
    }

    /// The pages of each group, by language.
    pub fn into_groups(self) -> impl Iterator<Item = Vec<(Lang, u32)>> {
        self.groups.into_iter().filter(|group| !group.is_empty())
    }

    /// The groups of a pair's two pages, the smaller one first.
    fn groups_of(&mut self, pair: PagePair) -> [usize; 2] {
        let [of_a, of_b] = pair.sides().map(|version| self.group_of(version));
        if self.groups[of_a].len() < self.groups[of_b].len() { [of_a, of_b] } else { [of_b, of_a] }
    }

    /// True for groups that have no language in common.
    fn are_apart(&self, small: usize, large: usize) -> bool {
        let has = |lang: Lang| self.groups[large].binary_search_by_key(&lang, |version| version.0).is_ok();
        !self.groups[small].iter().any(|version| has(version.0))
    }

    /// The group of a page, which is made if there is none.
    fn group_of(&mut self, (lang, page): (Lang, u32)) -> usize {
        let next = self.groups.len();
        let group = *self.group.entry(page).or_insert(next);
        if group == next {
            self.groups.push(vec![(lang, page)]);
        }
        group
    }
}

/// The partners that accepted pairs give to each page.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// Language, page and log odds of each partner.
    partners: FxHashMap<u32, Vec<(Lang, u32, f64)>>,
}

impl Versions {
    /// From accepted pairs, each with the log odds that it is right, in nats.
    pub fn new(accepted: impl Iterator<Item = (PagePair, f64)>) -> Versions {
        let mut partners: FxHashMap<u32, Vec<(Lang, u32, f64)>> = FxHashMap::default();
        for (PagePair { langs, a, b }, log_odds) in accepted {
            partners.entry(a).or_default().push((langs.b, b, log_odds));
            partners.entry(b).or_default().push((langs.a, a, log_odds));
        }
        Versions { partners }
    }

    /// The probability that two pages are versions of two different documents: that they have different versions in a language, and that
    /// both of these are right. The language where this is most probable counts; 0 where there is none. Time: the square of the number of
    /// languages.
    pub fn differ(&self, (lang_a, a): (Lang, u32), (lang_b, b): (Lang, u32)) -> f64 {
        let [of_a, of_b] = [(lang_a, a), (lang_b, b)].map(|page| self.surest(page));
        let both = of_a.iter().filter_map(|(lang, (x, surety_x))| {
            let (y, surety_y) = of_b.get(lang)?;
            (x != y).then(|| sigmoid(*surety_x) * sigmoid(*surety_y))
        });
        both.fold(0.0, f64::max)
    }

    /// The most certain version of a page in each language, with the log odds of the least certain pair on the way to it.
    fn surest(&self, (lang, page): (Lang, u32)) -> FxHashMap<Lang, (u32, f64)> {
        let mut found: FxHashMap<Lang, (u32, f64)> = FxHashMap::default();
        // The best version that is known so far of each language; of equally certain ones, the page with the smaller number.
        let mut open = FxHashMap::from_iter([(lang, (f64::INFINITY, Reverse(page)))]);
        let is_better = |x: &(f64, Reverse<u32>), y: &(f64, Reverse<u32>)| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1));
        while let Some((&lang, &(surety, Reverse(page)))) = open.iter().max_by(|x, y| is_better(x.1, y.1)) {
            open.remove(&lang);
            found.insert(lang, (page, surety));
            for &(lang, page, log_odds) in self.partners.get(&page).into_iter().flatten() {
                if !found.contains_key(&lang) {
                    let next = (surety.min(log_odds), Reverse(page));
                    let known = open.entry(lang).or_insert(next);
                    *known = std::cmp::max_by(*known, next, is_better);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::judge::odds::logit;
    use crate::types::LangPair;

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    fn pair((of_x, x): (Lang, u32), (of_y, y): (Lang, u32)) -> PagePair {
        let langs = LangPair::new(of_x, of_y).expect("two languages");
        if langs.a == of_x { PagePair { langs, a: x, b: y } } else { PagePair { langs, a: y, b: x } }
    }

    #[test]
    fn two_documents_have_different_versions_in_a_third_language() {
        let [en, fr, de] = ["en", "fr", "de"].map(lang);
        let pairs =
            [(pair((en, 1), (fr, 10)), 0.9375), (pair((fr, 10), (de, 20)), 0.75), (pair((en, 2), (fr, 11)), 0.875)];
        let versions = Versions::new(pairs.into_iter().map(|(pair, score)| (pair, logit(score))));
        // English 1 has French 10, and English 2 has French 11; German 20 has English 1 by way of French 10.
        let differ = |x, y| versions.differ(x, y);
        assert!((differ((de, 20), (en, 2)) - 0.75).abs() < 1e-9);
        // English 1 has another German version than 21.
        assert!((differ((de, 21), (en, 1)) - 0.75).abs() < 1e-9);
        assert_eq!((differ((de, 20), (en, 1)), differ((de, 21), (en, 3))), (0.0, 0.0));
        let mut documents = Documents::default();
        assert!(pairs.iter().all(|(pair, _)| documents.join(*pair)));
        assert!(!documents.join(pair((de, 20), (en, 2))) && documents.join(pair((de, 20), (en, 1))));
        assert!(documents.join(pair((de, 21), (en, 2))));
        let groups: Vec<_> =
            documents.into_groups().map(|group| group.iter().map(|version| version.1).sum::<u32>()).collect();
        let mut documents = Documents::default();
        assert!(groups.contains(&(1 + 10 + 20)) && groups.contains(&(2 + 11 + 21)) && groups.len() == 2, "{groups:?}");
        assert!(pairs.iter().all(|(pair, _)| documents.join(*pair)));
        assert!(!documents.join(pair((de, 21), (fr, 10))));
    }

    proptest! {
        #[test]
        fn groups_are_those_of_the_pairs_that_join_them_and_have_one_page_a_language(
            pairs in proptest::collection::vec((0u32..4, 0u32..3, 0u32..4, 0u32..3), 0..40)
        ) {
            let langs = ["de", "en", "fr", "ja"].map(lang);
            let mut documents = Documents::default();
            // The slow way: all groups are searched for each pair.
            let mut groups: Vec<Vec<(u32, u32)>> = (0..4).flat_map(|lang| (0..3).map(move |page| vec![(lang, page)])).collect();
            for (lang_x, x, lang_y, y) in pairs.into_iter().filter(|(lang_x, _, lang_y, _)| lang_x != lang_y) {
                let id = |lang: u32, page: u32| (langs[lang as usize], 3 * lang + page);
                let joined = documents.join(pair(id(lang_x, x), id(lang_y, y)));
                let at = |page: (u32, u32)| groups.iter().position(|group| group.contains(&page)).expect("each is in one");
                let (p, q) = (at((lang_x, x)), at((lang_y, y)));
                let fits = p == q || groups[p].iter().all(|one| groups[q].iter().all(|other| one.0 != other.0));
                prop_assert_eq!(joined, fits);
                if fits && p != q {
                    let moved = groups[p].clone();
                    groups[q].extend(moved);
                    groups.swap_remove(p);
                }
            }
        }
    }

    #[test]
    fn the_surest_way_from_page_to_page_is_taken() {
        let [en, fr, de] = ["en", "fr", "de"].map(|tag| Lang::parse(tag).expect("a tag"));
        let pair = |(of_x, x): (Lang, u32), (of_y, y): (Lang, u32)| {
            let langs = LangPair::new(of_x, of_y).expect("two");
            if langs.a == of_x { PagePair { langs, a: x, b: y } } else { PagePair { langs, a: y, b: x } }
        };
        let pairs =
            [(pair((en, 1), (fr, 10)), 0.9375), (pair((fr, 10), (de, 20)), 0.9375), (pair((en, 1), (de, 21)), 0.75)];
        let versions = Versions::new(pairs.into_iter().map(|(pair, score)| (pair, logit(score))));
        assert_eq!(versions.differ((en, 1), (de, 20)), 0.0);
    }
}
