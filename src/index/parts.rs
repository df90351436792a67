//! The parts of a site: hosts and folders, regardless of the languages of their pages.
//!
//! A registrable domain may hold one site or a hundred: departments, manuals, projects. Estimates about pages are made for a part of the
//! domain if the part has enough pages, else for the part that contains it. A [`Tree`] has every folder of a site, with language markers
//! cut out of the names, so that `/en/law/` and `/fr/law/` are one folder; [`Parts`] are those of its folders that have enough pages for
//! estimates of their own.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::types::{Lang, LangPair};

/// How many observations a belief is worth that is held before anything is seen, for example one that comes from the part around a part.
/// Half a dozen observations outweigh it.
pub const WORTH: f64 = 4.0;

/// A rate in a part. `expected` is the rate that is expected there, which is worth [`WORTH`] observations; `sum` is the sum of `count`
/// observations in the part.
pub fn pooled(expected: f64, sum: f64, count: f64) -> f64 {
    (WORTH * expected + sum) / (WORTH + count)
}

/// The part that is the whole site and contains all others.
pub const WHOLE: u32 = 0;

/// The nested hosts and folders of a site.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The folder that contains each folder; the first, which is the site, contains itself. A folder comes after the one that contains it.
    parents: Vec<u32>,
    /// The folder of each page.
    of_page: Vec<u32>,
}

impl Tree {
    /// Builds the tree from the path of each page, given as hashes of its steps from the outermost on. Cost: one lookup for each step.
    pub fn new<P: IntoIterator<Item = u64>>(paths: impl Iterator<Item = P>) -> Tree {
        let mut tree = Tree { parents: vec![WHOLE], of_page: Vec::new() };
        let mut known: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        for path in paths {
            let mut at = WHOLE;
            for step in path {
                at = *known.entry((at, step)).or_insert_with(|| {
                    tree.parents.push(at);
                    tree.parents.len() as u32 - 1
                });
            }
            tree.of_page.push(at);
        }
        tree
    }

    /// A site with this many pages and no folders.
    #[cfg(test)]
    pub fn flat(pages: u32) -> Tree {
        Tree { parents: vec![WHOLE], of_page: vec![WHOLE; pages as usize] }
    }
}

/// How many pages a part must have (an estimate): twice as many as a belief is worth, so that what is expected of it is a third of what is
/// known.
pub const MIN_PAGES: u32 = 2 * WORTH as u32;

/// The parts of a site: folders with enough pages, in two languages or more, and with fewer pages than the part that contains them.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The part that contains each part, and the depth; a part comes after the one that contains it.
    parents: Vec<(u32, u16)>,
    of_page: Vec<u32>,
    /// How many pages of each language each part has, including the parts inside it.
    sizes: Vec<BTreeMap<Lang, u32>>,
    /// How many of these are in no part inside it.
    own_sizes: Vec<BTreeMap<Lang, u32>>,
    /// The pages that are in a language, ordered so that those of a part are together; `places` says where the pages of each part are,
    /// including the parts inside it.
    members: Vec<u32>,
    places: Vec<Range<u32>>,
}

impl Parts {
    /// Finds the parts among the folders of a site, by the language of each page; pages of unknown language do not count. Cost: folders,
    /// and pages times their depth.
    pub fn new(tree: &Tree, langs: &[Lang]) -> Parts {
        // For each folder, the number of pages and up to two different languages.
        let mut folders: Vec<(u32, [Lang; 2])> = vec![(0, [Lang::UNKNOWN; 2]); tree.parents.len()];
        let add = |(pages, known): &mut (u32, [Lang; 2]), more: u32, langs: [Lang; 2]| {
            *pages += more;
            for lang in langs.into_iter().filter(|lang| lang.is_known()) {
                if !known[0].is_known() {
                    known[0] = lang;
                } else if known[0] != lang {
                    known[1] = lang;
                }
            }
        };
        for (&folder, &lang) in tree.of_page.iter().zip(langs).filter(|(_, lang)| lang.is_known()) {
            add(&mut folders[folder as usize], 1, [lang, Lang::UNKNOWN]);
        }
        for at in (1..folders.len()).rev() {
            let (pages, langs) = folders[at];
            add(&mut folders[tree.parents[at] as usize], pages, langs);
        }
        let mut parts = Parts {
            parents: vec![(WHOLE, 0)],
            of_page: Vec::new(),
            sizes: Vec::new(),
            own_sizes: Vec::new(),
            members: Vec::new(),
            places: Vec::new(),
        };
        // The part of each folder, and the number of its pages.
        let mut part_of: Vec<(u32, u32)> = vec![(WHOLE, folders[0].0)];
        for at in 1..folders.len() {
            let (outer, outer_pages) = part_of[tree.parents[at] as usize];
            let (pages, langs) = folders[at];
            let is_part = pages >= MIN_PAGES && pages < outer_pages && langs[1].is_known();
            part_of.push(if is_part {
                parts.parents.push((outer, parts.parents[outer as usize].1 + 1));
                (parts.parents.len() as u32 - 1, pages)
            } else {
                (outer, outer_pages)
            });
        }
        parts.of_page = tree.of_page.iter().map(|&folder| part_of[folder as usize].0).collect();
        parts.sizes = vec![BTreeMap::new(); parts.parents.len()];
        for (&part, &lang) in parts.of_page.iter().zip(langs).filter(|(_, lang)| lang.is_known()) {
            *parts.sizes[part as usize].entry(lang).or_default() += 1;
        }
        parts.own_sizes = parts.sizes.clone();
        for at in (1..parts.parents.len()).rev() {
            let inner = parts.sizes[at].clone();
            let outer = &mut parts.sizes[parts.parents[at].0 as usize];
            inner.into_iter().for_each(|(lang, pages)| *outer.entry(lang).or_default() += pages);
        }
        parts.place_members(langs);
        parts
    }

    /// Orders the pages so that those of a part are together: first its own, then those of the parts inside it.
    fn place_members(&mut self, langs: &[Lang]) {
        let count = |part: usize| self.sizes[part].values().sum::<u32>();
        self.places = vec![0..count(0); self.parents.len()];
        // For each part, where the next part inside it begins.
        let mut next: Vec<u32> = self.own_sizes.iter().map(|own| own.values().sum()).collect();
        for at in 1..self.parents.len() {
            let outer = self.parents[at].0 as usize;
            let start = next[outer];
            next[outer] += count(at);
            self.places[at] = start..start + count(at);
            next[at] += start;
        }
        let mut free: Vec<u32> = self.places.iter().map(|place| place.start).collect();
        self.members = vec![0; count(0) as usize];
        for (page, _) in (0u32..).zip(langs).filter(|(_, lang)| lang.is_known()) {
            let free = &mut free[self.of_page[page as usize] as usize];
            self.members[*free as usize] = page;
            *free += 1;
        }
    }

    /// The pages of a part that are in a language, in the order of their URLs. Cost: n log n.
    pub fn members(&self, part: u32) -> Vec<u32> {
        let Range { start, end } = self.places[part as usize];
        let mut members = self.members[start as usize..end as usize].to_vec();
        members.sort_unstable();
        members
    }

    /// How many parts there are; they are numbered from 0, and a part comes after the one that contains it.
    pub fn count(&self) -> u32 {
        self.parents.len() as u32
    }

    /// The innermost part that a page is in.
    pub fn of(&self, page: u32) -> u32 {
        self.of_page[page as usize]
    }

    /// The part that contains a part; `None` for the whole.
    pub fn outer(&self, part: u32) -> Option<u32> {
        (part != WHOLE).then(|| self.parents[part as usize].0)
    }

    /// A part and all parts that contain it, from the inside out.
    pub fn chain(&self, part: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(part), |&part| self.outer(part))
    }

    /// The same parts from the outside in, as what is expected of a part comes from the one around it.
    pub fn inwards(&self, part: u32) -> impl Iterator<Item = u32> {
        let mut chain: Vec<u32> = self.chain(part).collect();
        chain.reverse();
        chain.into_iter()
    }

    /// Sums values given for single parts into all parts that contain them; outer parts come first. Cost: number of values × depth of the
    /// parts.
    pub fn summed<const N: usize>(&self, added: impl Iterator<Item = (u32, [f64; N])>) -> BTreeMap<u32, [f64; N]> {
        let mut sums: BTreeMap<u32, [f64; N]> = BTreeMap::new();
        for (part, added) in added {
            for part in self.chain(part) {
                let sums = sums.entry(part).or_insert([0.0; N]);
                sums.iter_mut().zip(added).for_each(|(sum, add)| *sum += add);
            }
        }
        sums
    }

    /// The innermost part that contains both pages.
    pub fn common(&self, a: u32, b: u32) -> u32 {
        let (mut x, mut y) = (self.of(a), self.of(b));
        while x != y {
            // The deeper part cannot contain the other.
            if self.parents[x as usize].1 >= self.parents[y as usize].1 {
                x = self.parents[x as usize].0;
            } else {
                y = self.parents[y as usize].0;
            }
        }
        x
    }

    /// How many languages the pages of a part are in.
    pub fn langs(&self, part: u32) -> usize {
        self.sizes[part as usize].len()
    }

    /// How many pages of a language a part has.
    pub fn pages(&self, part: u32, lang: Lang) -> u32 {
        self.sizes[part as usize].get(&lang).copied().unwrap_or(0)
    }

    /// The page count in a part of whichever of two languages has fewer pages there.
    pub fn smaller(&self, part: u32, langs: LangPair) -> u32 {
        self.pages(part, langs.a).min(self.pages(part, langs.b))
    }

    /// The same of the pages of a part that are in no part inside it.
    pub fn smaller_own(&self, part: u32, langs: LangPair) -> u32 {
        let own = |lang: Lang| self.own_sizes[part as usize].get(&lang).copied().unwrap_or(0);
        own(langs.a).min(own(langs.b))
    }
}

/// Two folders of 20 pages in two languages, and `beside` further pages.
#[cfg(test)]
pub(crate) fn two_folders(beside: u64) -> Parts {
    let paths = (0..40 + beside).map(|at| (at < 40).then_some(at / 20));
    let langs: Vec<Lang> = (0..40 + beside).map(|at| if at % 2 == 0 { Lang::EN } else { Lang::ZH }).collect();
    Parts::new(&Tree::new(paths), &langs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn langs(text: &str) -> Vec<Lang> {
        let lang = |c| match c {
            'e' => Lang::EN,
            'z' => Lang::ZH,
            _ => Lang::UNKNOWN,
        };
        text.chars().map(lang).collect()
    }

    #[test]
    fn a_folder_with_pages_enough_in_two_languages_is_a_part() {
        // 24 pages in folder 1 › 2, 4 in 1 › 3, 30 English ones in 4, and 2 in none of these.
        let paths = std::iter::repeat_n(vec![1u64, 2], 24)
            .chain(std::iter::repeat_n(vec![1, 3], 4))
            .chain(std::iter::repeat_n(vec![4], 30))
            .chain(std::iter::repeat_n(vec![], 2));
        let tree = Tree::new(paths);
        let spoken = "ez".repeat(12) + "ezez" + &"e".repeat(30) + "zz";
        let parts = Parts::new(&tree, &langs(&spoken));
        // The whole, folder 1, and folder 2 inside it.
        assert_eq!(parts.count(), 3);
        assert_eq!([0, 24, 28, 59].map(|page| parts.of(page)), [2, 1, WHOLE, WHOLE]);
        assert_eq!([parts.common(0, 5), parts.common(0, 25), parts.common(0, 30)], [2, 1, WHOLE]);
        assert_eq!((parts.pages(1, Lang::EN), parts.pages(WHOLE, Lang::EN), parts.pages(2, Lang::ZH)), (14, 44, 12));
        let pair = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        assert_eq!([0, 1, 2].map(|part| parts.smaller(part, pair)), [16, 14, 12]);
        assert_eq!(parts.chain(2).collect::<Vec<_>>(), [2, 1, WHOLE]);
        let parts = Parts::new(&Tree::flat(60), &langs(&spoken));
        assert_eq!((parts.count(), parts.common(3, 59)), (1, WHOLE));
    }

    proptest! {
        #[test]
        fn parts_hold_what_their_folders_hold(
            pages in proptest::collection::vec((proptest::collection::vec(0u64..3, 0..4), 0u8..3), 1..300)
        ) {
            let spoken: Vec<Lang> = pages.iter().map(|page| [Lang::EN, Lang::ZH, Lang::UNKNOWN][usize::from(page.1)]).collect();
            let parts = Parts::new(&Tree::new(pages.iter().map(|page| page.0.iter().copied())), &spoken);
            for part in 0..parts.count() {
                let under = |page: usize| parts.chain(parts.of(page as u32)).any(|one| one == part);
                let count = |lang| (0..pages.len()).filter(|&page| spoken[page] == lang && under(page)).count() as u32;
                prop_assert_eq!((parts.pages(part, Lang::EN), parts.pages(part, Lang::ZH)), (count(Lang::EN), count(Lang::ZH)));
                let members: Vec<u32> =
                    (0..pages.len()).filter(|&page| spoken[page].is_known() && under(page)).map(|page| page as u32).collect();
                prop_assert_eq!(parts.members(part), members);
                if let Some(outer) = parts.outer(part) {
                    prop_assert!(outer < part);
                    let all = |part: u32| parts.sizes[part as usize].values().sum::<u32>();
                    prop_assert!(all(part) >= MIN_PAGES && all(part) < all(outer) && parts.sizes[part as usize].len() > 1);
                }
            }
            // The common part of two pages contains both, and no part inside it does.
            for (a, b) in [(0, pages.len() - 1), (pages.len() / 2, pages.len() / 3)] {
                let (a, b) = (a as u32, b as u32);
                let both = |part: u32| [a, b].iter().all(|&page| parts.chain(parts.of(page)).any(|one| one == part));
                let common = parts.common(a, b);
                prop_assert!(both(common) && (0..parts.count()).all(|part| !both(part) || parts.chain(common).any(|one| one == part)));
            }
        }
    }
}
