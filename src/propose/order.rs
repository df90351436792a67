//! Pairs of pages that are numbered in both languages: `node5.html`, `node6.html`. Where a page was inserted in one language, all numbers
//! after it are shifted, and a key that pairs equal numbers is wrong. But the pages still have the same order in both languages.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::Xxh3;

use crate::judge::odds::{logit, sigmoid};
use crate::judge::prior::LEAST;
use crate::sequence::band::Band;
use crate::types::{Candidate, Compared, Lang, LangPair, Measure, Method, PagePair};
use crate::verify::SiteView;

/// Numbered pages of two languages: in each language, URLs that differ only in their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series {
    /// The two languages.
    pub langs: LangPair,
    /// Hashes of the URLs without their number, in the first language and in the second.
    ids: (u64, u64),
}

/// How many places apart pages are compared, in addition to the difference of the numbers of pages …
const SLACK: u32 = 4;
/// … and at most.
const MAX_BAND: u32 = 24;
/// Pairs that are compared for all series of a site, at most.
const MAX_CELLS: usize = 20_000;
/// The cost of leaving a page out, in nats, because it was inserted in one language; all later pairs are then shifted by one (an estimate).
const GAP: f64 = 3.0;
/// The most that the contents of one pair may count for or against its place, in nats, so that its neighbours have some influence.
const MAX_SAY: f64 = 5.0;

/// The hash of a URL without its last number, and that number; `None` where it has none. The number stands in the path; in the query only
/// where the path has none.
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

/// The series that have enough pairs of keys for which `is_doubtful` is true.
pub fn series(site: &SiteView<'_>, compared: &[Compared], is_doubtful: impl Fn(&Compared) -> bool) -> Vec<Series> {
    let mut counts: BTreeMap<(LangPair, u64, u64), usize> = BTreeMap::new();
    let of_keys = compared.iter().filter(|one| one.candidate.method == Method::Key && is_doubtful(one));
    for PagePair { langs, a, b } in of_keys.map(|one| one.candidate.pair) {
        let [x, y] = [a, b].map(|page| numbered(site.pages().identity(page)));
        if let (Some((x, _)), Some((y, _))) = (x, y) {
            *counts.entry((langs, x, y)).or_default() += 1;
        }
    }
    let enough = counts.into_iter().filter(|(_, pairs)| *pairs >= LEAST);
    enough.map(|((langs, x, y), _)| Series { langs, ids: (x, y) }).collect()
}

/// The pages of each language in a series, by their numbers.
struct Pages {
    a: Vec<u32>,
    b: Vec<u32>,
}

impl Pages {
    fn ways(&self) -> Ways {
        let (n, m) = (self.a.len() as u32, self.b.len() as u32);
        Ways { n, m, band: (n.abs_diff(m) + SLACK).min(MAX_BAND) }
    }

    fn pair(&self, langs: LangPair, (i, j): Place) -> PagePair {
        PagePair { langs, a: self.a[i as usize], b: self.b[j as usize] }
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

/// Pairs of pages near the same place of their series that are not among those `compared` already. Series that would bring too many pairs
/// are removed from `series`.
pub fn of_series(site: &SiteView<'_>, series: &mut Vec<Series>, compared: &[Compared]) -> Vec<Candidate> {
    let known: FxHashSet<PagePair> = compared.iter().map(|one| one.candidate.pair).collect();
    let (mut found, mut taken) = (Vec::new(), Vec::new());
    for (of, pages) in series.iter().zip(pages_of(site, series)) {
        let cells = pages.ways().places().map(|place| pages.pair(of.langs, place));
        let cells: Vec<PagePair> = cells.filter(|pair| !known.contains(pair)).collect();
        if found.len() + cells.len() <= MAX_CELLS {
            found.extend(cells.into_iter().map(|pair| Candidate { pair, method: Method::Order, key: None }));
            taken.push(*of);
        }
    }
    *series = taken;
    found
}

/// Sets the measure `order` of the pairs of all series: how probable it is, by the other pairs of the series, that their places correspond.
/// Pairs that only the order proposed are removed unless they are more probable than not. `evidence` is that of a pair's contents, in nats.
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
    let mut found: FxHashMap<PagePair, Cell> = FxHashMap::default();
    for (of, pages) in series.iter().zip(pages_of(site, series)) {
        let say = |place: Place| {
            let one = &compared[*places.get(&pages.pair(of.langs, place))?];
            (!one.same_text).then(|| evidence(one).clamp(-MAX_SAY, MAX_SAY))
        };
        let cells = pages.ways().cells(&say);
        found.extend(cells.into_iter().map(|cell| (pages.pair(of.langs, cell.place), cell)));
    }
    for one in compared.iter_mut() {
        if let Some(cell) = found.get(&one.candidate.pair) {
            one.similarities.set(Measure::Order, Some(sigmoid(cell.log_odds - cell.said) as f32));
        }
    }
    let is_likely = |pair: &PagePair| found.get(pair).is_some_and(|cell| cell.log_odds > 0.0);
    compared.retain(|one| one.candidate.method != Method::Order || is_likely(&one.candidate.pair));
}

/// A place in the order of the first language, and one in the order of the second.
type Place = (u32, u32);

/// Two places, and what is known of them.
#[derive(Clone, Copy, Debug)]
struct Cell {
    place: Place,
    /// The evidence of the contents of the two pages, in nats.
    said: f64,
    /// The log odds that the places correspond, by their own contents and by those of all others.
    log_odds: f64,
}

/// The alignments of two orders, of `n` and `m` pages. Each pairs places in ascending order, no further apart than `band`, and leaves out
/// the other pages. Its log-probability, up to a constant, is the sum of what the contents of its pairs say, less a cost for each page that
/// it leaves out.
struct Ways {
    n: u32,
    m: u32,
    band: u32,
}

/// A number for each corner of a band.
struct Table<'b> {
    corners: &'b Band,
    values: Vec<f64>,
}

impl<'b> Table<'b> {
    /// A table of zero probabilities, as logarithms.
    fn new(corners: &'b Band) -> Table<'b> {
        Table { corners, values: vec![f64::NEG_INFINITY; corners.cells()] }
    }

    fn at(&self, i: u32, j: u32) -> f64 {
        let (first, last) = self.corners.row(i);
        if (first..=last).contains(&j) { self.values[self.corners.cell(i, j)] } else { f64::NEG_INFINITY }
    }

    fn set(&mut self, i: u32, j: u32, value: f64) {
        self.values[self.corners.cell(i, j)] = value;
    }
}

impl Ways {
    /// The pairs of places that are compared: those no further apart than the band.
    fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let Ways { n, m, band } = *self;
        (0..n).flat_map(move |i| (i.saturating_sub(band)..m.min(i + band + 1)).map(move |j| (i, j)))
    }

    /// All pairs of places, with the log odds that they correspond, from sums over all alignments, forward and backward (Rabiner 1989).
    /// `say` gives the evidence for two places, in nats; `None` where nothing is known. Time and memory: n · band.
    fn cells(&self, say: &dyn Fn(Place) -> Option<f64>) -> Vec<Cell> {
        let Ways { n, m, band } = *self;
        let corners = Band::within(n, m, band + 1);
        let columns = |i: u32| corners.row(i).0..=corners.row(i).1;
        let mut said = Table::new(&corners);
        for (i, j) in self.places() {
            said.set(i, j, say((i, j)).unwrap_or(-GAP));
        }
        // So that each alignment counts once, pages of the first order that are left out come before those of the second. After a corner of
        // `open` pages of the first may still be left out, after one of `closed` they may not.
        let (mut open, mut closed) = (Table::new(&corners), Table::new(&corners));
        open.set(0, 0, 0.0);
        for i in 0..=n {
            for j in columns(i) {
                if i > 0 {
                    let mut sum = open.at(i - 1, j) - GAP;
                    if j > 0 {
                        sum =
                            ln_sum(sum, ln_sum(open.at(i - 1, j - 1), closed.at(i - 1, j - 1)) + said.at(i - 1, j - 1));
                    }
                    open.set(i, j, sum);
                }
                if j > 0 {
                    closed.set(i, j, ln_sum(open.at(i, j - 1), closed.at(i, j - 1)) - GAP);
                }
            }
        }
        // The same sums from each corner to the end. Where one order has ended, the rest of the other is left out.
        let (mut from_open, mut from_closed) = (Table::new(&corners), Table::new(&corners));
        for i in (0..=n).rev() {
            for j in columns(i).rev() {
                let rest = -GAP * f64::from(n - i + m - j);
                let (after_open, after_closed) = if i == n {
                    (rest, rest)
                } else if j == m {
                    (rest, f64::NEG_INFINITY)
                } else {
                    let paired = said.at(i, j) + from_open.at(i + 1, j + 1);
                    let closed = ln_sum(paired, from_closed.at(i, j + 1) - GAP);
                    (ln_sum(closed, from_open.at(i + 1, j) - GAP), closed)
                };
                from_open.set(i, j, after_open);
                from_closed.set(i, j, after_closed);
            }
        }
        let all = from_open.at(0, 0);
        let cell = |(i, j): Place| {
            let before = ln_sum(open.at(i, j), closed.at(i, j));
            let share = (before + said.at(i, j) + from_open.at(i + 1, j + 1) - all).exp();
            Cell { place: (i, j), said: said.at(i, j), log_odds: logit(share.clamp(1e-12, 1.0 - 1e-12)) }
        };
        self.places().map(cell).collect()
    }
}

/// ln(eˣ + eʸ).
fn ln_sum(x: f64, y: f64) -> f64 {
    let (less, more) = if x < y { (x, y) } else { (y, x) };
    if less == f64::NEG_INFINITY { more } else { more + (less - more).exp().ln_1p() }
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

    /// The places that correspond more probably than not.
    fn likely(n: u32, m: u32, band: u32, say: &dyn Fn(Place) -> Option<f64>) -> Vec<Place> {
        let cells = Ways { n, m, band }.cells(say);
        cells.iter().filter(|cell| cell.log_odds > 0.0).map(|cell| cell.place).collect()
    }

    #[test]
    fn a_page_that_was_inserted_is_left_out_and_the_rest_goes_on() {
        // Ten pages, of which the fourth has no partner. Equal contents count 4 nats for a pair, different ones 4 nats against it.
        let cell = |(i, j): Place| Some(if i == 3 || j != if i < 3 { i } else { i - 1 } { -4.0 } else { 4.0 });
        let expected: Vec<Place> = (0..10).filter(|i| *i != 3).map(|i| (i, if i < 3 { i } else { i - 1 })).collect();
        assert_eq!(likely(10, 9, 5, &cell), expected);
        // A pair with contents of little evidence is accepted because of its neighbours, and they count more for it than it counts for
        // itself.
        let silent = |(i, j): Place| if i == 6 { Some(-1.0) } else { cell((i, j)) };
        let cells = Ways { n: 10, m: 9, band: 5 }.cells(&silent);
        let at = |place| *cells.iter().find(|cell| cell.place == place).expect("a cell");
        let (silent, beside) = (at((6, 5)), at((6, 4)));
        assert!(silent.log_odds > 0.0 && silent.log_odds - silent.said > 3.0, "{silent:?}");
        assert!(beside.log_odds - beside.said < -3.0, "{beside:?}");
        assert_eq!(likely(0, 4, 4, &cell), []);
        // One side has many more pages than the band is wide.
        let equal = |(i, j): Place| Some(if i == j { 4.0 } else { -4.0 });
        let expected: Vec<Place> = (0..30).map(|at| (at, at)).collect();
        assert_eq!((likely(60, 30, 24, &equal), likely(30, 60, 24, &equal)), (expected.clone(), expected));
    }

    #[test]
    fn one_page_in_either_order() {
        // Pairing the two weighs e^s, leaving both out e^(−2·GAP): with s = −GAP the odds are e^GAP.
        let cells = Ways { n: 1, m: 1, band: 4 }.cells(&|_| None);
        assert!((cells[0].log_odds - GAP).abs() < 1e-9, "{cells:?}");
    }

    type Way = Vec<Place>;

    /// All alignments, found by trying everything.
    fn all_ways(i: u32, n: u32, m: u32, way: &Way, found: &mut Vec<Way>) {
        found.push(way.clone());
        for next in i..n {
            for j in way.last().map_or(0, |last| last.1 + 1)..m {
                let longer = [&way[..], &[(next, j)]].concat();
                all_ways(next + 1, n, m, &longer, found);
            }
        }
    }

    proptest! {
        #[test]
        fn sums_are_those_over_all_ways(n in 0u32..6, m in 0u32..6, says in prop::collection::vec(-5.0f64..5.0, 36)) {
            let say = |(i, j): Place| says[(6 * i + j) as usize];
            let mut ways = Vec::new();
            all_ways(0, n, m, &Vec::new(), &mut ways);
            let weight = |way: &Way| (way.iter().map(|&place| say(place)).sum::<f64>() - GAP * f64::from(n + m - 2 * way.len() as u32)).exp();
            let all: f64 = ways.iter().map(weight).sum();
            let cells = Ways { n, m, band: 6 }.cells(&|place| Some(say(place)));
            prop_assert_eq!(cells.len(), (n * m) as usize);
            for cell in cells {
                let through: f64 = ways.iter().filter(|way| way.contains(&cell.place)).map(weight).sum();
                prop_assert!((through / all - sigmoid(cell.log_odds)).abs() < 1e-9, "{:?}", cell);
            }
        }
    }
}
