//! Algorithms 1 to 3 as the paper writes them, on full tables of all pairs, to be compared with the program's results.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::papers::ets::Weights;

type Full = Vec<Vec<f64>>;

/// Both sets of pages, their links, and their internal similarities; `None` for a pair that the size ratio rules out.
#[derive(Clone, Debug)]
struct Site {
    links: [Vec<(u32, u32)>; 2],
    inner: Vec<Vec<Option<f64>>>,
}

/// PG of each page: the pages it links to and the pages that link to it.
fn page_groups(count: usize, links: &[(u32, u32)]) -> Vec<BTreeSet<usize>> {
    let mut groups = vec![BTreeSet::new(); count];
    for &(from, to) in links {
        if from != to {
            groups[from as usize].insert(to as usize);
            groups[to as usize].insert(from as usize);
        }
    }
    groups
}

/// Algorithm 1, with line 9 as changed by "Weight 1", and with the input as changed by "Weight 2".
fn algorithm_1(e: usize, c: usize, groups: &[Vec<BTreeSet<usize>>; 2], ets: &Full, params: &Params) -> f64 {
    let weight = |side: usize, page: usize| {
        let (pages, popularity) = (groups[side].len() as f64, groups[side][page].len() as f64);
        ((pages + params.smoothing) / (popularity + params.smoothing)).ln()
    };
    let input = |side: usize, page: usize| -> Vec<usize> {
        let is_kept = |one: &usize| params.weights != Weights::Second || weight(side, *one) >= params.min_weight;
        groups[side][page].iter().copied().filter(is_kept).collect()
    };
    let (mut e_set, mut c_set) = (input(0, e), input(1, c));
    let size = e_set.len() + c_set.len();
    let mut sum = 0.0;
    while !e_set.is_empty() && !c_set.is_empty() {
        let (mut x, mut y) = (e_set[0], c_set[0]);
        for &i in &e_set {
            for &j in &c_set {
                if ets[i][j] > ets[x][y] {
                    (x, y) = (i, j);
                }
            }
        }
        sum += match params.weights {
            Weights::First => ets[x][y] * (weight(0, x) + weight(1, y)) / 2.0,
            _ => ets[x][y],
        };
        e_set.retain(|&one| one != x);
        c_set.retain(|&one| one != y);
    }
    if size == 0 { 0.0 } else { 2.0 * sum / size as f64 }
}

/// Algorithm 2: S_ext of the last round and ETS.
fn algorithm_2(site: &Site, params: &Params) -> (Full, Full) {
    let (rows, columns) = (site.inner.len(), site.inner[0].len());
    let groups = [page_groups(rows, &site.links[0]), page_groups(columns, &site.links[1])];
    let mut ets: Full = site.inner.iter().map(|row| row.iter().map(|inner| inner.unwrap_or(0.0)).collect()).collect();
    let mut external = vec![vec![0.0; columns]; rows];
    for _ in 0..params.rounds {
        let mut next = vec![vec![0.0; columns]; rows];
        let mut most: f64 = 0.0;
        for e in 0..rows {
            for c in 0..columns {
                if let Some(inner) = site.inner[e][c] {
                    external[e][c] = algorithm_1(e, c, &groups, &ets, params);
                    next[e][c] = params.alpha * external[e][c] + (1.0 - params.alpha) * inner;
                    most = most.max(next[e][c]);
                }
            }
        }
        let mut change: f64 = 0.0;
        for e in 0..rows {
            for c in 0..columns {
                if most > 0.0 {
                    next[e][c] /= most;
                }
                change = change.max((next[e][c] - ets[e][c]).abs());
            }
        }
        ets = next;
        if change <= params.stable {
            break;
        }
    }
    (external, ets)
}

/// Algorithm 3.
fn algorithm_3(site: &Site, ets: &Full, params: &Params) -> BTreeSet<(u32, u32)> {
    let (rows, columns) = (ets.len(), ets[0].len());
    let (mut left_e, mut left_c): (Vec<usize>, Vec<usize>) = ((0..rows).collect(), (0..columns).collect());
    let mut found = BTreeSet::new();
    loop {
        let mut best: Option<(usize, usize)> = None;
        for &e in &left_e {
            for &c in &left_c {
                if site.inner[e][c].is_some() && best.is_none_or(|(x, y)| ets[e][c] > ets[x][y]) {
                    best = Some((e, c));
                }
            }
        }
        let Some((e, c)) = best else { return found };
        let is_end = match params.min_sim {
            Some(least) => ets[e][c] < least,
            None => found.len() == rows.min(columns),
        };
        if is_end {
            return found;
        }
        found.insert((e as u32, c as u32));
        left_e.retain(|&one| one != e);
        left_c.retain(|&one| one != c);
    }
}

/// Sites of a few pages, with few different values, so that there are many ties.
fn sites() -> impl Strategy<Value = Site> {
    let value = prop_oneof![6 => (0u32..6).prop_map(|v| Some(f64::from(v) / 5.0)), 1 => Just(None)];
    (1u32..8, 1u32..7).prop_flat_map(move |(rows, columns)| {
        let links = |count: u32| prop::collection::vec((0..count, 0..count), 0..20);
        let row = prop::collection::vec(value.clone(), columns as usize);
        let inner = prop::collection::vec(row, rows as usize);
        (links(rows), links(columns), inner).prop_map(|(e, c, inner)| Site { links: [e, c], inner })
    })
}

fn settings() -> impl Strategy<Value = Params> {
    let weights = prop_oneof![Just(Weights::None), Just(Weights::First), Just(Weights::Second)];
    let min_sim = prop_oneof![Just(None), (0u32..10).prop_map(|tenths| Some(f64::from(tenths) / 10.0))];
    (0u32..5, 0usize..5, weights, min_sim, 0u32..3).prop_map(|(alpha, rounds, weights, min_sim, least)| Params {
        alpha: f64::from(alpha) / 4.0,
        rounds,
        weights,
        min_sim,
        min_weight: f64::from(least) / 4.0,
        // No limit: Algorithm 1 uses all similarities.
        seen: usize::MAX,
        ..Params::default()
    })
}

proptest! {
    #[test]
    fn rounds_are_algorithms_1_to_3_word_for_word(site in sites(), params in settings()) {
        let (rows, columns) = (site.inner.len(), site.inner[0].len());
        let cells: Vec<Cell> = site.inner.iter().zip(0u32..).flat_map(|(row, a)| {
            let cell = move |(inner, b): (&Option<f64>, u32)| {
                inner.map(|inner| Cell { a, b, content: f32::NAN, structure: 0.0, inner })
            };
            row.iter().zip(0u32..).filter_map(cell)
        }).collect();
        let [links_a, links_b] = site.links.clone();
        let (a, b) = (Neighbours::new(rows as u32, links_a), Neighbours::new(columns as u32, links_b));
        let mut seen_rounds = 0;
        let (values, outer) = rounds_of(&cells, &a, &b, &params, &mut seen_rounds);
        prop_assert!(seen_rounds <= params.rounds);
        let (slow_outer, slow_values) = algorithm_2(&site, &params);
        for (at, cell) in cells.iter().enumerate() {
            let place = (cell.a as usize, cell.b as usize);
            prop_assert_eq!(outer[at], slow_outer[place.0][place.1], "S_ext of {:?}", place);
            prop_assert_eq!(values[at], slow_values[place.0][place.1], "ETS of {:?}", place);
        }
        let outcomes = best(&cells, &values, (rows, columns), &params);
        let taken = cells.iter().zip(outcomes).filter(|(_, outcome)| *outcome == Outcome::Accepted);
        let taken: BTreeSet<(u32, u32)> = taken.map(|(cell, _)| (cell.a, cell.b)).collect();
        prop_assert_eq!(taken, algorithm_3(&site, &slow_values, &params));
    }
}

fn rounds_of(
    cells: &[Cell],
    a: &Neighbours,
    b: &Neighbours,
    params: &Params,
    count: &mut usize,
) -> (Vec<f64>, Vec<f64>) {
    rounds(cells, &Networks { a, b }, params, |_, _, _| *count += 1)
}
