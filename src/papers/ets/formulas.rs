//! Enhanced translation similarity, as Liu et al. (2014) give it: Algorithms 1 and 2.

use crate::index::graph::Neighbours;

/// Settings, with the paper's defaults.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// α, the share of the external similarity (eq. 1). The paper: 0.6.
    pub alpha: f64,
    /// β, the share of the content in the internal similarity (eq. 2). The paper: 0.6.
    pub beta: f64,
    /// How many rounds there are at most. The paper: 3.
    pub rounds: usize,
    /// If no similarity changes by more than this in a round, the round is the last.
    pub stable: f64,
    /// How pages are weighted by their popularity (eq. 6).
    pub weights: Weights,
    /// c of eq. 6. The paper gives no value; 1.
    pub smoothing: f64,
    /// With [`Weights::Second`]: pages with a smaller weight do not count as neighbours. The paper gives no value; 1, the weight of a page
    /// that has a little more than a third of all pages of its language as neighbours.
    pub min_weight: f64,
    /// Least similarity of a pair. With `None`, as many pairs are accepted as the smaller language has pages (MAX_P).
    pub min_sim: Option<f64>,
    /// Pages whose texts differ in length by more than this share, after correction by the usual ratio of the languages, are not
    /// candidates. The paper filters by a size ratio and gives no value; 0.5.
    pub max_length_difference: f64,
    /// How many bytes of text a page must have. The paper, §4.1: 100.
    pub min_text: u32,
    /// How many of each page's similarities, the best ones, are used in the next round's search for pairs of neighbours. A page in a menu
    /// has hundreds of neighbours, and Algorithm 1 would sort all their pairs for every pair of pages. Default 16.
    pub seen: usize,
    /// All pairs are compared as long as the full table, |P_e|·|P_c|, has no more cells than this; beyond it, only candidates. Default 25
    /// M.
    pub max_cells: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            alpha: 0.6,
            beta: 0.6,
            rounds: 3,
            stable: 1e-4,
            weights: Weights::None,
            smoothing: 1.0,
            min_weight: 1.0,
            min_sim: None,
            max_length_difference: 0.5,
            min_text: 100,
            seen: 16,
            max_cells: 25_000_000,
        }
    }
}

/// How the popularity of pages is used (Liu et al. 2014, §4.2, "The weight of pages").
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Weights {
    /// Not at all.
    None,
    /// A pair of neighbours is weighted by the mean of their weights ("Weight 1").
    First,
    /// Pages of small weight do not count as neighbours ("Weight 2").
    Second,
}

impl Weights {
    /// The variant with a name on the command line.
    pub fn of_name(name: &str) -> Option<Weights> {
        match name {
            "none" => Some(Weights::None),
            "first" => Some(Weights::First),
            "second" => Some(Weights::Second),
            _ => None,
        }
    }
}

/// Similarities of pairs of pages as a sparse table: a missing pair has 0. A row is a page of the first language, by position, sorted by
/// page of the second language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    ends: Vec<u32>,
    columns: Vec<u32>,
    /// The similarities, in the order of the rows.
    pub values: Vec<f64>,
}

impl Table {
    /// A table of `rows` rows from (row, column, similarity), sorted by row and column, each once.
    pub fn new(rows: usize, cells: &[(u32, u32, f64)]) -> Table {
        let mut ends = vec![0u32; rows];
        for &(row, _, _) in cells {
            ends[row as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let (columns, values) = cells.iter().map(|&(_, column, value)| (column, value)).unzip();
        Table { ends, columns, values }
    }

    /// The range of the cells of a row.
    pub fn row(&self, row: u32) -> std::ops::Range<usize> {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        start as usize..self.ends[row] as usize
    }
}

/// The link networks of both languages: for each, the neighbours of pages in the same language, by position in that language.
pub struct Networks<'g> {
    /// Of the first language.
    pub a: &'g Neighbours,
    /// Of the second.
    pub b: &'g Neighbours,
}

/// w(p) = ln((N + c)/(Freq(p) + c)) (eq. 6). Freq(p), the number of pages that point to p, is taken as the number of its neighbours; N is
/// the number of pages of the language.
pub fn weight(network: &Neighbours, page: u32, smoothing: f64) -> f64 {
    ((f64::from(network.count()) + smoothing) / (network.of(page).len() as f64 + smoothing)).ln()
}

/// S_ext of two pages (Algorithm 1): takes the best pair of neighbours by the similarities of the round before, then the best pair among
/// the remaining neighbours, and so on; the result is 2·Σ / (|PG(e)| + |PG(c)|). Ties go to pages of smaller number. 0 when neither page
/// has neighbours. Cost: k log k for k known pairs of neighbours.
pub fn external(
    pages: (u32, u32),
    networks: &Networks<'_>,
    before: &Table,
    params: &Params,
    scratch: &mut Scratch,
) -> f64 {
    external_by(pages, networks, before, params, scratch, |_, _, _| {})
}

/// S_ext as in [`external`], and calls `each` with the pairs of neighbours that contribute to it, the best first, each with its
/// contribution to Σ.
pub fn external_by(
    (e, c): (u32, u32),
    networks: &Networks<'_>,
    before: &Table,
    params: &Params,
    scratch: &mut Scratch,
    mut each: impl FnMut(u32, u32, f64),
) -> f64 {
    let counts = |network: &Neighbours, page: u32| {
        params.weights != Weights::Second || weight(network, page, params.smoothing) >= params.min_weight
    };
    scratch.pairs.clear();
    let neighbours_c = networks.b.of(c);
    let (mut size_e, mut size_c) = (0usize, 0usize);
    for &y in neighbours_c {
        size_c += usize::from(counts(networks.b, y));
    }
    for &x in networks.a.of(e).iter().filter(|&&x| counts(networks.a, x)) {
        size_e += 1;
        let range = before.row(x);
        let columns = &before.columns[range.clone()];
        let mut push = |at: usize, y: u32| {
            let value = before.values[range.start + at];
            if value > 0.0 && counts(networks.b, y) {
                scratch.pairs.push((value, x, y));
            }
        };
        // The shorter list is traversed, and the longer one is searched.
        if columns.len() <= neighbours_c.len() {
            for (at, &y) in columns.iter().enumerate() {
                if neighbours_c.binary_search(&y).is_ok() {
                    push(at, y);
                }
            }
        } else {
            for &y in neighbours_c {
                if let Ok(at) = columns.binary_search(&y) {
                    push(at, y);
                }
            }
        }
    }
    if size_e + size_c == 0 {
        return 0.0;
    }
    scratch.pairs.sort_unstable_by(|l, r| r.0.total_cmp(&l.0).then((l.1, l.2).cmp(&(r.1, r.2))));
    scratch.used_e.clear();
    scratch.used_c.clear();
    let mut sum = 0.0;
    for &(value, x, y) in &scratch.pairs {
        if scratch.used_e.contains(&x) || scratch.used_c.contains(&y) {
            continue;
        }
        scratch.used_e.insert(x);
        scratch.used_c.insert(y);
        let part = match params.weights {
            Weights::First => {
                value * (weight(networks.a, x, params.smoothing) + weight(networks.b, y, params.smoothing)) / 2.0
            }
            _ => value,
        };
        each(x, y, part);
        sum += part;
    }
    2.0 * sum / (size_e + size_c) as f64
}

/// Buffers of [`external`], reused from pair to pair.
#[derive(Default)]
pub struct Scratch {
    pairs: Vec<(f64, u32, u32)>,
    used_e: rustc_hash::FxHashSet<u32>,
    used_c: rustc_hash::FxHashSet<u32>,
}

/// ETS of a pair (eq. 1): α·S_ext + (1 − α)·S_in.
pub fn enhanced(external: f64, internal: f64, params: &Params) -> f64 {
    params.alpha * external + (1.0 - params.alpha) * internal
}

/// "Parameters normalization" of Algorithm 2, which the paper does not specify: divides all values by the largest, so that the best pair
/// has 1 in each round. Returns the largest.
pub fn normalise(values: &mut [f64]) -> f64 {
    let most = values.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        values.iter_mut().for_each(|value| *value /= most);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Algorithm 1 word by word, on a full table.
    fn slow(e: &[u32], c: &[u32], ets: &[Vec<f64>]) -> f64 {
        let (mut e_set, mut c_set) = (e.to_vec(), c.to_vec());
        let total = e_set.len() + c_set.len();
        let mut sum = 0.0;
        while !e_set.is_empty() && !c_set.is_empty() {
            let (mut best, mut at) = (f64::NEG_INFINITY, (0, 0));
            for (i, &x) in e_set.iter().enumerate() {
                for (j, &y) in c_set.iter().enumerate() {
                    if ets[x as usize][y as usize] > best {
                        (best, at) = (ets[x as usize][y as usize], (i, j));
                    }
                }
            }
            sum += best;
            e_set.remove(at.0);
            c_set.remove(at.1);
        }
        if total == 0 { 0.0 } else { 2.0 * sum / total as f64 }
    }

    fn table(full: &[Vec<f64>]) -> Table {
        let mut cells = Vec::new();
        for (row, values) in full.iter().enumerate() {
            for (column, &value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
                cells.push((row as u32, column as u32, value));
            }
        }
        Table::new(full.len(), &cells)
    }

    #[test]
    fn figure_1_by_hand() {
        // C has the neighbours A, B, D, E (0, 1, 3, 4), and C' the neighbours A', B', D', E'. Their pairs have the similarities 0.9, 0.8,
        // 0.7 and 0.6. A and B' have 0.85, but A with A' is taken first.
        let edges = vec![(2, 0), (2, 1), (2, 3), (2, 4)];
        let (a, b) = (Neighbours::new(5, edges.clone()), Neighbours::new(5, edges));
        let cells = [(0, 0, 0.9), (0, 1, 0.85), (1, 1, 0.8), (3, 3, 0.7), (4, 4, 0.6)];
        let networks = Networks { a: &a, b: &b };
        let found = external((2, 2), &networks, &Table::new(5, &cells), &Params::default(), &mut Scratch::default());
        assert!((found - 2.0 * (0.9 + 0.8 + 0.7 + 0.6) / 8.0).abs() < 1e-12);
        assert!((enhanced(found, 0.5, &Params::default()) - (0.6 * 0.75 + 0.4 * 0.5)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn sparse_rounds_give_what_algorithm_1_gives(
            edges_a in proptest::collection::vec((0u32..6, 0u32..6), 0..15),
            edges_b in proptest::collection::vec((0u32..5, 0u32..5), 0..15),
            full in proptest::collection::vec(proptest::collection::vec(0u32..40, 5), 6),
        ) {
            // The values are distinct, so that ties do not matter; some are zero.
            let full: Vec<Vec<f64>> = full.iter().enumerate().map(|(i, row)| {
                row.iter().enumerate().map(|(j, &v)| {
                    if v < 15 { 0.0 } else { f64::from(v) / 40.0 + (i * 5 + j) as f64 * 1e-6 }
                }).collect()
            }).collect();
            let (a, b) = (Neighbours::new(6, edges_a), Neighbours::new(5, edges_b));
            let sparse = table(&full);
            for e in 0..6 {
                for c in 0..5 {
                    let fast = external((e, c), &Networks { a: &a, b: &b }, &sparse, &Params::default(), &mut Scratch::default());
                    prop_assert!((fast - slow(a.of(e), b.of(c), &full)).abs() < 1e-9);
                }
            }
        }
    }
}
