//! How likely a page is to have a partner: as likely as its neighbours that have been translated into as many other languages.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::types::Lang;

/// Of the pages of each folder, how many there are and how many have a partner; of one language towards another.
#[derive(Clone, Debug, Default)]
pub(super) struct Chances {
    /// By a hash of the group: addresses may be long, and deep.
    counts: FxHashMap<(Lang, Lang, u64), (u32, u32)>,
}

impl Chances {
    /// Counts a page of `own` language, which has partners in `others` languages beside `other`, for its folder and all above
    /// it.
    pub(super) fn add(&mut self, own: Lang, other: Lang, (identity, others): (&str, u32), has_partner: bool) {
        for group in groups(identity, others) {
            let (all, with) = self.counts.entry((own, other, hash(group))).or_default();
            *all += 1;
            *with += u32::from(has_partner);
        }
    }

    /// The chance that a page has a partner: the share of the pages of its folder, with partners in as many other languages, that
    /// have one; drawn towards that of the whole folder as `prior` more pages would draw it, this towards that of the folder
    /// above, and so on up to the site, which is drawn towards one half.
    pub(super) fn of(&self, own: Lang, other: Lang, (identity, others): (&str, u32), prior: f64) -> f64 {
        groups(identity, others).fold(0.5, |above, group| {
            let (all, with) = self.counts.get(&(own, other, hash(group))).copied().unwrap_or_default();
            (f64::from(with) + prior * above) / (f64::from(all) + prior)
        })
    }
}

/// The groups that a page is in, each inside the one before: the site, its host, each directory down to its own, and there the
/// pages with partners in as many other languages. A group is a folder, and 0 or one more than the number of languages.
///
/// Of very deep folders, as a crawler that goes in circles finds them, the first [`MOST_FOLDERS`] count.
fn groups(identity: &str, others: u32) -> impl Iterator<Item = (&str, u64)> {
    let path = identity.split('?').next().unwrap_or("");
    let ends = path.match_indices('/').map(|(at, _)| &path[..=at]).take(MOST_FOLDERS);
    let own = ends.clone().last().unwrap_or("");
    std::iter::once("").chain(ends).map(|folder| (folder, 0)).chain([(own, u64::from(others) + 1)])
}

fn hash((folder, languages): (&str, u64)) -> u64 {
    xxh3_64_with_seed(folder.as_bytes(), languages)
}

/// Folders of an address that count.
const MOST_FOLDERS: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_go_down_to_that_of_the_page() {
        let found: Vec<(&str, u64)> = groups("x.org/a/b/c.html?d=/e/", 2).collect();
        assert_eq!(found, [("", 0), ("x.org/", 0), ("x.org/a/", 0), ("x.org/a/b/", 0), ("x.org/a/b/", 3)]);
        assert_eq!(groups(&"a/".repeat(1000), 0).count(), MOST_FOLDERS + 2);
    }

    /// By hand, prior 2: the site has 1 partner of 4 pages, (1 + 2·0.5)/(4 + 2) = 1/3, and so has its host, (1 + 2/3)/6 = 5/18;
    /// folder a has 1 of 2, (1 + 5/9)/4 = 7/18, folder b 0 of 2, (5/9)/4 = 5/36. In a, the page with a partner has others in two
    /// languages, and the one without has none: (1 + 7/9)/3 = 16/27 and (7/9)/3 = 7/27; in b both are alike: (5/18)/4 = 5/72.
    #[test]
    fn a_page_is_as_likely_to_have_a_partner_as_its_neighbours() {
        let mut chances = Chances::default();
        let fr = Lang::parse("fr").expect("a tag");
        for (page, has_partner) in
            [(("x/a/1", 2), true), (("x/a/2", 0), false), (("x/b/1", 0), false), (("x/b/2", 0), false)]
        {
            chances.add(Lang::EN, fr, page, has_partner);
        }
        for (page, expected) in [(("x/a/3", 2), 16.0 / 27.0), (("x/a/2", 0), 7.0 / 27.0), (("x/b/1", 0), 5.0 / 72.0)] {
            assert!((chances.of(Lang::EN, fr, page, 2.0) - expected).abs() < 1e-12, "{page:?}");
        }
        assert_eq!(chances.of(fr, Lang::EN, ("x/a/2", 0), 2.0), 0.5);
    }
}
