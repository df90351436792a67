//! Estimates how likely a URL is to exist: as likely as the counterparts of the pages near its page that have been translated into the same
//! other languages.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::types::Lang;

/// The other languages in which a page has partners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Others {
    count: u32,
    /// The languages, hashed; their order does not matter.
    set: u64,
}

impl Others {
    /// The same with one more language.
    pub(super) fn with(self, lang: Lang) -> Others {
        Others { count: self.count + 1, set: self.set ^ hash((lang.as_str(), 0)) }
    }

    /// The same without one of its languages.
    pub(super) fn without(self, lang: Lang) -> Others {
        Others { count: self.count - 1, set: self.set ^ hash((lang.as_str(), 0)) }
    }
}

/// For each group of pages and two languages, the number of pages, and how many of them have an existing counterpart.
#[derive(Clone, Debug, Default)]
pub(super) struct Chances {
    /// By a hash of the group, since URLs may be long and have many folders.
    counts: FxHashMap<(Lang, Lang, u64), (u32, u32)>,
}

impl Chances {
    /// Counts a page of language `own` in all of its groups. It has partners in `others` besides `other`.
    pub(super) fn add(&mut self, own: Lang, other: Lang, (identity, others): (&str, Others), exists: bool) {
        for group in groups(identity, others) {
            let (all, with) = self.counts.entry((own, other, hash(group))).or_default();
            *all += 1;
            *with += u32::from(exists);
        }
    }

    /// The chance that a page's counterpart exists: the share of existing counterparts among the pages of its folder that have partners in
    /// the same other languages. Small groups say little, so this share is drawn, with the weight of `prior` pages, towards the share among
    /// the pages of the folder with partners in as many other languages. That share is drawn towards the share of the whole folder, this
    /// one towards the share of the folder above, and so on up to the site, whose share is drawn towards one half.
    pub(super) fn of(&self, own: Lang, other: Lang, (identity, others): (&str, Others), prior: f64) -> f64 {
        groups(identity, others).fold(0.5, |above, group| {
            let (all, with) = self.counts.get(&(own, other, hash(group))).copied().unwrap_or_default();
            (f64::from(with) + prior * above) / (f64::from(all) + prior)
        })
    }
}

/// The groups that a page is in, each inside the one before: the site, its host, each directory down to its own, in that directory the
/// pages with partners in as many other languages, and of these the ones with partners in the same languages. A group is a folder and a
/// number, which is 0 for all pages of the folder.
///
/// Only the first [`MAX_FOLDERS`] folders count; a crawler in a loop may find URLs with many more.
fn groups(identity: &str, others: Others) -> impl Iterator<Item = (&str, u64)> {
    let path = identity.split('?').next().unwrap_or("");
    let ends = path.match_indices('/').map(|(at, _)| &path[..=at]).take(MAX_FOLDERS);
    let own = ends.clone().last().unwrap_or("");
    let inner = [(own, u64::from(others.count) + 1), (own, others.set | 1 << 63)];
    std::iter::once("").chain(ends).map(|folder| (folder, 0)).chain(inner)
}

fn hash((text, kind): (&str, u64)) -> u64 {
    xxh3_64_with_seed(text.as_bytes(), kind)
}

/// Folders of a URL that count, at most.
const MAX_FOLDERS: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    fn others(langs: &[&str]) -> Others {
        langs.iter().fold(Others::default(), |others, lang| others.with(Lang::parse(lang).expect("a tag")))
    }

    #[test]
    fn groups_go_down_to_that_of_the_page() {
        let two = others(&["it", "de"]);
        let found: Vec<(&str, u64)> = groups("x.org/a/b/c.html?d=/e/", two).collect();
        let set = two.set | 1 << 63;
        let expected =
            [("", 0), ("x.org/", 0), ("x.org/a/", 0), ("x.org/a/b/", 0), ("x.org/a/b/", 3), ("x.org/a/b/", set)];
        assert_eq!(found, expected);
        assert_eq!(groups(&"a/".repeat(1000), Others::default()).count(), MAX_FOLDERS + 3);
    }

    #[test]
    fn languages_are_a_set() {
        let [it, de] = ["it", "de"].map(|lang| Lang::parse(lang).expect("a tag"));
        assert_eq!(others(&["it", "de"]), others(&["de", "it"]));
        assert_eq!(others(&["it", "de"]).without(it), Others::default().with(de));
        assert_ne!(others(&["it"]), others(&["de"]));
    }

    /// By hand, with prior 2: the site has 1 partner of 4 pages, (1 + 2·0.5)/(4 + 2) = 1/3, and so has its host, (1 + 2/3)/6 = 5/18. Folder
    /// a has 1 of 2, (1 + 5/9)/4 = 7/18, folder b 0 of 2, (5/9)/4 = 5/36. In a, the page with a partner has partners in two other
    /// languages, and the page without has none: (1 + 7/9)/3 = 16/27 and (7/9)/3 = 7/27. Each of them is alone with its languages, so the
    /// same pages count again: (1 + 32/27)/3 = 59/81 and (14/27)/3 = 14/81. In b both pages are alike: (5/18)/4 = 5/72 and (5/36)/4 =
    /// 5/144. A page with two other languages, but not the same ones, stays at 16/27.
    #[test]
    fn a_page_is_as_likely_to_have_a_partner_as_its_neighbours() {
        let mut chances = Chances::default();
        let fr = Lang::parse("fr").expect("a tag");
        let (none, two, other) = (others(&[]), others(&["it", "de"]), others(&["it", "ru"]));
        for (page, has_partner) in
            [(("x/a/1", two), true), (("x/a/2", none), false), (("x/b/1", none), false), (("x/b/2", none), false)]
        {
            chances.add(Lang::EN, fr, page, has_partner);
        }
        let expected = [
            (("x/a/3", two), 59.0 / 81.0),
            (("x/a/3", other), 16.0 / 27.0),
            (("x/a/2", none), 14.0 / 81.0),
            (("x/b/1", none), 5.0 / 144.0),
        ];
        for (page, expected) in expected {
            assert!((chances.of(Lang::EN, fr, page, 2.0) - expected).abs() < 1e-12, "{page:?}");
        }
        assert_eq!(chances.of(fr, Lang::EN, ("x/a/2", none), 2.0), 0.5);
    }
}
