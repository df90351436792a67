//! Pages that are numbered in both languages: `node5.html`, `node6.html`. Where a page was inserted in one language, all numbers behind it are
//! off, and a key that pairs equal numbers is wrong. Both languages have their pages in the same order all the same.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::Xxh3;

use crate::types::{Candidate, Compared, Lang, LangPair, Measure, Method, PagePair};
use crate::verify::SiteView;

/// Pages of two languages that are numbered in one way each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series {
    /// The two languages.
    pub langs: LangPair,
    /// Hashes of the URLs without their number, in either language.
    ids: (u64, u64),
}

/// Pairs of a key that a series has, at the least.
const MIN_PAIRS: usize = 8;
/// How far beside equal places pages are compared, beside the difference of their numbers.
const SLACK: usize = 4;
/// … and at the most.
const MAX_BAND: usize = 24;
/// Pairs that are compared for the series of a site, at the most.
const MAX_CELLS: usize = 20_000;
/// What it costs to leave a page out, in nats, and with it to go on at another distance (an estimate): a page was inserted.
const GAP: f64 = 3.0;
/// The most that one pair speaks for its place or against it, in nats: the neighbours have a say.
const MAX_SAY: f64 = 5.0;

/// The hash of a URL without its last number, and that number; `None` where it has none.
fn numbered(identity: &str) -> Option<(u64, u64)> {
    let before = identity.split_once('?').map_or(identity, |(before, _)| before);
    let part = if before.bytes().skip_while(|&b| b != b'/').any(|b| b.is_ascii_digit()) { before } else { identity };
    let end = part.bytes().rposition(|b| b.is_ascii_digit())? + 1;
    let start = part[..end].bytes().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
    if start < identity.find('/')? {
        return None;
    }
    let mut hasher = Xxh3::new();
    hasher.update(&identity.as_bytes()[..start]);
    hasher.update(&[0]);
    hasher.update(&identity.as_bytes()[end..]);
    Some((hasher.digest(), part[start..end].parse().ok()?))
}

/// The series in which the pairs of keys that `is_doubtful` lie.
pub fn series(site: &SiteView<'_>, compared: &[Compared], is_doubtful: impl Fn(&Candidate) -> bool) -> Vec<Series> {
    let mut counts: BTreeMap<(LangPair, u64, u64), usize> = BTreeMap::new();
    let of_keys = compared.iter().map(|one| &one.candidate).filter(|one| one.method == Method::Key && is_doubtful(one));
    for PagePair { langs, a, b } in of_keys.map(|candidate| candidate.pair) {
        let [x, y] = [a, b].map(|page| numbered(site.pages().identity(page)));
        if let (Some((x, _)), Some((y, _))) = (x, y) {
            *counts.entry((langs, x, y)).or_default() += 1;
        }
    }
    let enough = counts.into_iter().filter(|(_, pairs)| *pairs >= MIN_PAIRS);
    enough.map(|((langs, x, y), _)| Series { langs, ids: (x, y) }).collect()
}

/// The pages of each language in a series, by their numbers.
struct Pages {
    a: Vec<u32>,
    b: Vec<u32>,
}

impl Pages {
    fn band(&self) -> usize {
        (self.a.len().abs_diff(self.b.len()) + SLACK).min(MAX_BAND)
    }

    /// The pairs that are looked at: those of places that are no further apart than the band.
    fn cells(&self, langs: LangPair) -> impl Iterator<Item = PagePair> + '_ {
        let band = self.band();
        self.a.iter().enumerate().flat_map(move |(i, &a)| {
            let to = self.b.len().min(i + band + 1);
            self.b[i.saturating_sub(band).min(to)..to].iter().map(move |&b| PagePair { langs, a, b })
        })
    }
}

fn pages_of(site: &SiteView<'_>, series: &[Series]) -> Vec<Pages> {
    let mut by_series: FxHashMap<(Lang, u64), Vec<(u64, u32)>> = FxHashMap::default();
    for of in series {
        by_series.insert((of.langs.a, of.ids.0), Vec::new());
        by_series.insert((of.langs.b, of.ids.1), Vec::new());
    }
    for page in (0..site.pages().count()).filter(|&page| site.langs[page as usize].is_known()) {
        if let Some((id, number)) = numbered(site.pages().identity(page))
            && let Some(pages) = by_series.get_mut(&(site.langs[page as usize], id))
        {
            pages.push((number, page));
        }
    }
    let sorted = |lang, id| {
        let mut pages = by_series.get(&(lang, id)).cloned().unwrap_or_default();
        pages.sort_unstable();
        pages.into_iter().map(|(_, page)| page).collect()
    };
    series.iter().map(|of| Pages { a: sorted(of.langs.a, of.ids.0), b: sorted(of.langs.b, of.ids.1) }).collect()
}

/// Pairs of pages near the same place of their series, beside those that are compared already. Series with too many of them are left out of `series`.
pub fn of_series(site: &SiteView<'_>, series: &mut Vec<Series>, compared: &[Compared]) -> Vec<Candidate> {
    let known: FxHashSet<PagePair> = compared.iter().map(|one| one.candidate.pair).collect();
    let (mut found, mut taken) = (Vec::new(), Vec::new());
    for (of, pages) in series.iter().zip(pages_of(site, series)) {
        let cells: Vec<PagePair> = pages.cells(of.langs).filter(|pair| !known.contains(pair)).collect();
        if found.len() + cells.len() <= MAX_CELLS {
            found.extend(cells.into_iter().map(|pair| Candidate { pair, method: Method::Order, key: None }));
            taken.push(*of);
        }
    }
    *series = taken;
    found
}

/// Sets of the pairs in series whether they lie on the best way through both orders (1) or beside it (0), and leaves out those that order alone
/// has proposed and that lie beside it. `evidence` is that of a pair, in nats.
pub fn set_order(
    site: &SiteView<'_>,
    series: &[Series],
    compared: &mut Vec<Compared>,
    evidence: impl Fn(&Compared) -> f64,
) {
    let mut places: FxHashMap<PagePair, usize> = FxHashMap::default();
    for (at, one) in compared.iter().enumerate() {
        places.insert(one.candidate.pair, at);
    }
    let mut on_way: FxHashMap<PagePair, bool> = FxHashMap::default();
    for (of, pages) in series.iter().zip(pages_of(site, series)) {
        let say = |pair: PagePair| {
            let one = &compared[*places.get(&pair)?];
            (!one.same_text).then(|| evidence(one).clamp(-MAX_SAY, MAX_SAY))
        };
        pages.cells(of.langs).for_each(|pair| {
            on_way.insert(pair, false);
        });
        let cell = |i: usize, j: usize| say(PagePair { langs: of.langs, a: pages.a[i], b: pages.b[j] });
        for (i, j) in best_way(pages.a.len(), pages.b.len(), pages.band(), &cell) {
            on_way.insert(PagePair { langs: of.langs, a: pages.a[i], b: pages.b[j] }, true);
        }
    }
    for one in compared.iter_mut() {
        if let Some(&is_on) = on_way.get(&one.candidate.pair) {
            one.similarities.set(Measure::Order, Some(if is_on { 1.0 } else { 0.0 }));
        }
    }
    compared.retain(|one| one.candidate.method != Method::Order || on_way.get(&one.candidate.pair) == Some(&true));
}

/// The pairs of places on the way that has most to be said for it, of n and m pages, no further apart than `band`: both in rising order, what is
/// left out at a price each. `cell` says how much speaks for a pair; `None`: nothing is known. Time: n · band.
fn best_way(n: usize, m: usize, band: usize, cell: &dyn Fn(usize, usize) -> Option<f64>) -> Vec<(usize, usize)> {
    const FAR: f64 = f64::NEG_INFINITY;
    let width = 2 * band + 3;
    // Column of j beside row i, shifted so that the band lies inside.
    let column = |i: usize, j: usize| (j + band + 1).checked_sub(i).filter(|&at| at < width);
    let mut best = vec![vec![FAR; width]; n + 1];
    let mut from = vec![vec![0u8; width]; n + 1];
    for i in 0..=n {
        for j in i.saturating_sub(band + 1)..=m.min(i + band + 1) {
            let Some(at) = column(i, j) else { continue };
            let before = |x: usize, y: usize| column(x, y).map_or(FAR, |at| best[x][at]);
            let mut found = if (i, j) == (0, 0) { (0.0, 0) } else { (FAR, 0) };
            if i > 0 && j > 0 && (i - 1).abs_diff(j - 1) <= band {
                let score = before(i - 1, j - 1) + cell(i - 1, j - 1).unwrap_or(-GAP);
                found = if score > found.0 { (score, 1) } else { found };
            }
            if i > 0 && before(i - 1, j) - GAP > found.0 {
                found = (before(i - 1, j) - GAP, 2);
            }
            if j > 0 && before(i, j - 1) - GAP > found.0 {
                found = (before(i, j - 1) - GAP, 3);
            }
            (best[i][at], from[i][at]) = found;
        }
    }
    // Behind the band, the rest of one order is left out.
    let of_first = (0..=n).map(|i| (i, m)).chain((0..=m).map(|j| (n, j)));
    let ends = of_first.filter_map(|(i, j)| Some(((i, j), best[i][column(i, j)?] - GAP * (n - i + m - j) as f64)));
    let Some(((mut i, mut j), _)) = ends.filter(|end| end.1 > FAR).max_by(|x, y| x.1.total_cmp(&y.1)) else {
        return Vec::new();
    };
    let mut way = Vec::new();
    while let Some(at) = column(i, j) {
        match from[i][at] {
            1 => {
                (i, j) = (i - 1, j - 1);
                way.push((i, j));
            }
            2 => i -= 1,
            3 => j -= 1,
            _ => break,
        }
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_number_of_a_url_is_its_place() {
        let id = |url: &str| {
            numbered(url).map(|(id, number)| (id == numbered("x9.org/en/node1.html").expect("a number").0, number))
        };
        assert_eq!(id("x9.org/en/node22.html"), Some((true, 22)));
        assert_eq!(id("x9.org/de/node22.html"), Some((false, 22)));
        assert_eq!((id("x9.org/en/node.html"), id("x9.org/en/?id=7")), (None, Some((false, 7))));
    }

    #[test]
    fn a_page_that_was_inserted_is_left_out_and_the_rest_goes_on() {
        // Ten pages, of which the fourth has no partner; equal contents speak for 4, others against by 4.
        let cell = |i: usize, j: usize| Some(if i == 3 || j != if i < 3 { i } else { i - 1 } { -4.0 } else { 4.0 });
        let expected: Vec<(usize, usize)> =
            (0..10).filter(|i| *i != 3).map(|i| (i, if i < 3 { i } else { i - 1 })).collect();
        assert_eq!(best_way(10, 9, 5, &cell), expected);
        // What neighbours say carries a pair of which nothing speaks.
        let silent = |i: usize, j: usize| if i == 6 { Some(-1.0) } else { cell(i, j) };
        assert!(best_way(10, 9, 5, &silent).contains(&(6, 5)));
        assert_eq!(best_way(0, 4, 4, &cell), []);
        // Many more pages on one side than the band is wide.
        let equal = |i: usize, j: usize| Some(if i == j { 4.0 } else { -4.0 });
        let expected: Vec<(usize, usize)> = (0..30).map(|at| (at, at)).collect();
        assert_eq!((best_way(60, 30, 24, &equal), best_way(30, 60, 24, &equal)), (expected.clone(), expected));
    }

    /// The best sum over all ways, by trying them all.
    fn slow(i: usize, j: usize, n: usize, m: usize, cell: &dyn Fn(usize, usize) -> Option<f64>) -> f64 {
        if i == n || j == m {
            return -GAP * (n - i + m - j) as f64;
        }
        let paired = cell(i, j).unwrap_or(-GAP) + slow(i + 1, j + 1, n, m, cell);
        paired.max(slow(i + 1, j, n, m, cell) - GAP).max(slow(i, j + 1, n, m, cell) - GAP)
    }

    proptest! {
        #[test]
        fn no_way_is_better(n in 0usize..6, m in 0usize..6, says in prop::collection::vec(-5.0f64..5.0, 36)) {
            let cell = |i: usize, j: usize| Some(says[6 * i + j]);
            let way = best_way(n, m, 6, &cell);
            let sum: f64 = way.iter().map(|&(i, j)| says[6 * i + j]).sum::<f64>() - GAP * (n + m - 2 * way.len()) as f64;
            prop_assert!((sum - slow(0, 0, n, m, &cell)).abs() < 1e-9);
            prop_assert!(way.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }
    }
}
