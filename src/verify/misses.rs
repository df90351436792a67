//! Near misses: pairs beside those that are proposed, which are hardly right.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::site::{PageIds, SiteView};

/// Where near misses are taken from.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// How many pages or pairs before and after count as near.
    pub near: usize,
    /// Whether there is one from far away, too.
    pub far: bool,
}

/// Near misses: each is the first page of a pair with another page of the second language that is hardly its partner. The other pages
/// come from the same part of the site: the partners of the nearest pairs before and after in `pairs`, of the two most alike in length, and
/// of one pair far away; and the nearest pages before and after in the list of pages. Only pairs for which `is_wanted` is true at the
/// same place get near misses.
pub fn near_misses(site: &SiteView<'_>, pairs: &[PageIds], is_wanted: &[bool], reach: Reach) -> Vec<PageIds> {
    let parts = site.parts();
    let mut by_part: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, &(a, b)) in pairs.iter().enumerate() {
        by_part.entry(parts.common(a, b)).or_default().push(at);
    }
    let of_part = |places: Vec<usize>| {
        let pairs: Vec<PageIds> = places.iter().map(|&at| pairs[at]).collect();
        let is_wanted: Vec<bool> = places.iter().map(|&at| is_wanted[at]).collect();
        near_misses_of_part(site, &pairs, &is_wanted, reach)
    };
    let found: BTreeSet<PageIds> = by_part.into_values().flat_map(of_part).collect();
    found.into_iter().collect()
}

/// The pairs of which no miss is clearly better by the evidence of contents (`said`, in nats). Where a miss is better, the page is probably
/// not what its address says, and the miss may be its translation. A miss belongs to the pairs with the same first page. Misses that are pairs
/// themselves are left out.
pub fn undoubted<T>(
    pairs: Vec<(PageIds, T)>,
    misses: Vec<(PageIds, T)>,
    said: impl Fn(&T) -> f64,
) -> FxHashSet<PageIds> {
    let are_pairs: FxHashSet<PageIds> = pairs.iter().map(|(pages, _)| *pages).collect();
    let mut best: FxHashMap<u32, f64> = FxHashMap::default();
    for ((page, _), miss) in misses.iter().filter(|(pages, _)| !are_pairs.contains(pages)) {
        let best = best.entry(*page).or_insert(f64::NEG_INFINITY);
        *best = best.max(said(miss));
    }
    let is_sure = |((page, _), pair): &(PageIds, T)| best.get(page).is_none_or(|best| *best <= said(pair) + DOUBT);
    pairs.into_iter().filter(is_sure).map(|(pages, _)| pages).collect()
}

/// If a near miss is better by more than this, in nats, the pair is in doubt.
const DOUBT: f64 = 0.5;

fn near_misses_of_part(site: &SiteView<'_>, pairs: &[PageIds], is_wanted: &[bool], reach: Reach) -> BTreeSet<PageIds> {
    let mut by_length: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
    by_length.sort_unstable_by_key(|&page| (site.facts(page).text_bytes, page));
    by_length.dedup();
    let places: FxHashMap<u32, usize> = by_length.iter().enumerate().map(|(at, &page)| (page, at)).collect();
    let mut found: BTreeSet<PageIds> = BTreeSet::new();
    for (at, &(a, b)) in pairs.iter().enumerate().filter(|(at, _)| is_wanted[*at]) {
        let round = (1..=reach.near).flat_map(|by| [at.checked_sub(by), Some(at + by)]);
        let near = round.chain([reach.far.then_some((at + pairs.len() / 2) % pairs.len())]);
        let others = near.flatten().filter_map(|at| pairs.get(at)).map(|pair| pair.1);
        let place = places.get(&b).copied().unwrap_or(0);
        let alike = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
        let alike = alike.filter_map(|at| by_length.get(at)).copied();
        // The next pages in the order of URLs mostly stand in the same folder.
        let neighbours = (1..=reach.near as u32)
            .flat_map(|by| [b.checked_sub(by), Some(b + by)])
            .flatten()
            .filter(|&other| site.langs.get(other as usize).is_some_and(|&lang| lang == site.langs[b as usize]));
        found.extend(others.chain(alike).chain(neighbours).filter(|&other| other != b).map(|other| (a, other)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn a_pair_with_a_better_miss_is_left_out() {
        let pairs = vec![((0, 10), 3.0), ((1, 11), 1.0), ((2, 12), 2.0), ((2, 13), 2.0)];
        let misses = vec![((0, 11), 3.25), ((1, 10), 1.75), ((1, 12), -4.0), ((2, 13), 9.0)];
        let mut left: Vec<PageIds> = undoubted(pairs, misses, |said| *said).into_iter().collect();
        left.sort_unstable();
        assert_eq!(left, [(0, 10), (2, 12), (2, 13)]);
    }

    #[test]
    fn near_misses_are_partners_of_neighbours_and_pages_beside_the_right_one() {
        let urls = ["en/a", "en/b", "fr/a", "fr/b", "fr/c"];
        let site = ListedSite::new(&urls.map(|url| (url, &url[..2], "text")));
        let misses = near_misses(&site.view(), &[(0, 2), (1, 3)], &[true; 2], Reach { near: 3, far: true });
        assert_eq!(misses, [(0, 3), (0, 4), (1, 2), (1, 4)]);
    }
}
