//! The cheapest path through two sequences.

use std::ops::Add;

use super::band::Band;

/// A step of a path: how many units of the first sequence, and of the second, it goes on.
pub type Move = (u32, u32);

/// How the path is searched for.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// How far the first band reaches on each side of the diagonal, in units of the second sequence. Default 8: most translated pages stay
    /// within it.
    pub band: u32,
    /// The band is not widened beyond so many cells. Default 500,000: some seconds for two pages that do not belong together.
    pub max_cells: u64,
}

impl Default for Params {
    fn default() -> Params {
        Params { band: 8, max_cells: 500_000 }
    }
}

/// A number type for costs.
pub trait Number: Copy + PartialOrd + Add<Output = Self> {
    /// The cost of no steps.
    const ZERO: Self;
    /// The cost of a step that is not allowed.
    const INFINITY: Self;
}

impl Number for f32 {
    const ZERO: f32 = 0.0;
    const INFINITY: f32 = f32::INFINITY;
}

impl Number for f64 {
    const ZERO: f64 = 0.0;
    const INFINITY: f64 = f64::INFINITY;
}

/// The costs of steps.
pub trait Steps<N> {
    /// Called before the costs in a band are asked for, so that they may be computed at once.
    fn enter(&mut self, _band: &Band) {}

    /// The cost of the step that ends before unit `i` of the first sequence and unit `j` of the second; infinite where the step is not
    /// allowed.
    fn cost(&self, i: u32, j: u32, step: Move) -> N;
}

impl<N, F: Fn(u32, u32, Move) -> N> Steps<N> for F {
    fn cost(&self, i: u32, j: u32, step: Move) -> N {
        self(i, j, step)
    }
}

/// The cheapest path from (0, 0) to (`n`, `m`) in a band along the diagonal. The band is doubled until the path does not touch its edges,
/// so time and memory are linear for parallel texts.
///
/// `moves` must contain (1, 0) and (0, 1), and these must be allowed everywhere, so that there is always a path. Of equally cheap paths the
/// one is taken whose last differing step comes first in `moves`.
pub fn cheapest<N: Number, const K: usize>(
    n: u32,
    m: u32,
    moves: &[Move; K],
    params: &Params,
    steps: &mut impl Steps<N>,
) -> Vec<Move> {
    // The cells of neighbouring rows must be connected: the diagonal advances by m/n a row.
    let mut width = params.band.max(1).saturating_add(m / n.max(1));
    loop {
        let band = Band::along(n, m, width);
        steps.enter(&band);
        let path = cheapest_in(&band, moves, steps).expect("steps over one unit are allowed everywhere");
        let wider = width.saturating_mul(2);
        if !touches(&band, &path) || cells_along(n, m, wider) > params.max_cells {
            return path;
        }
        width = wider;
    }
}

/// How many cells a band along the diagonal has, at most.
fn cells_along(n: u32, m: u32, width: u32) -> u64 {
    let reach = if n == 0 { u64::from(m) } else { u64::from(width) };
    (u64::from(n) + 1) * (2 * reach + 1).min(u64::from(m) + 1)
}

/// True when a path runs along an edge of the band that is not an edge of the table.
fn touches(band: &Band, path: &[Move]) -> bool {
    let (mut i, mut j) = (0, 0);
    path.iter().any(|step| {
        (i, j) = (i + step.0, j + step.1);
        let (low, high) = band.row(i);
        (j == low && low > 0) || (j == high && high < band.m)
    })
}

/// The cheapest path from (0, 0) to the last cell of a band; `None` if the band contains no path. Ties are resolved as in [`cheapest`].
/// Time grows with the cells times the moves, memory with the cells.
pub fn cheapest_in<N: Number, const K: usize>(
    band: &Band,
    moves: &[Move; K],
    steps: &impl Steps<N>,
) -> Option<Vec<Move>> {
    let mut sums = vec![N::INFINITY; band.cells()];
    // The last step of the cheapest path to each cell, by its number in `moves`.
    let mut last_steps = vec![u8::MAX; sums.len()];
    sums[band.cell(0, 0)] = N::ZERO;
    for i in 0..=band.n {
        let origins = moves.map(|step| Origin::new(band, i, step));
        let (low, high) = band.row(i);
        let first = band.cell(i, low);
        for j in low..=high {
            let here = first + (j - low) as usize;
            let (mut best, mut best_step) = (sums[here], u8::MAX);
            for (origin, number) in origins.iter().zip(0u8..) {
                // For a j before the first column, this wraps to a number far beyond the last column.
                let from = j.wrapping_sub(origin.low);
                if from < origin.cells {
                    let sum = sums[origin.first + from as usize] + steps.cost(i, j, origin.step);
                    if sum < best {
                        (best, best_step) = (sum, number);
                    }
                }
            }
            (sums[here], last_steps[here]) = (best, best_step);
        }
    }
    trace(band, &last_steps, moves)
}

/// The cells of a row from which a move can start.
struct Origin {
    step: Move,
    /// The column to which the move leads from the first of these cells.
    low: u32,
    /// How many of these cells there are.
    cells: u32,
    /// Number of the first of these cells.
    first: usize,
}

impl Origin {
    /// The cells from which a move leads to row `i`; none if they would be above the first row.
    fn new(band: &Band, i: u32, step: Move) -> Origin {
        let Some(from) = i.checked_sub(step.0) else { return Origin { step, low: 0, cells: 0, first: 0 } };
        let (low, high) = band.row(from);
        Origin { step, low: low + step.1, cells: high - low + 1, first: band.cell(from, low) }
    }
}

fn trace(band: &Band, last_steps: &[u8], moves: &[Move]) -> Option<Vec<Move>> {
    let (mut i, mut j) = (band.n, band.m);
    let mut path = Vec::with_capacity(i.max(j) as usize);
    while (i, j) != (0, 0) {
        let step = *moves.get(usize::from(last_steps[band.cell(i, j)]))?;
        path.push(step);
        (i, j) = (i - step.0, j - step.1);
    }
    path.reverse();
    Some(path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOVES: &[Move; 6] = &[(1, 1), (1, 0), (0, 1), (2, 1), (1, 2), (2, 2)];

    /// The least sum over all paths, without a band.
    fn reference(n: u32, m: u32, cost: &impl Fn(u32, u32, Move) -> f32) -> f32 {
        let mut sums = vec![vec![f32::INFINITY; m as usize + 1]; n as usize + 1];
        sums[0][0] = 0.0;
        for i in 0..=n {
            for j in 0..=m {
                for &(di, dj) in MOVES.iter().filter(|step| step.0 <= i && step.1 <= j) {
                    let sum = sums[(i - di) as usize][(j - dj) as usize] + cost(i, j, (di, dj));
                    sums[i as usize][j as usize] = sums[i as usize][j as usize].min(sum);
                }
            }
        }
        sums[n as usize][m as usize]
    }

    fn walk(path: &[Move], cost: &impl Fn(u32, u32, Move) -> f32) -> (u32, u32, f32) {
        path.iter().fold((0, 0, 0.0), |(i, j, sum), step| {
            let (i, j) = (i + step.0, j + step.1);
            (i, j, sum + cost(i, j, *step))
        })
    }

    /// A cost that depends on its arguments only, in quarters, so that sums are exact.
    fn noise(seed: u64) -> impl Fn(u32, u32, Move) -> f32 {
        move |i, j, (di, dj)| {
            let bytes = [seed, u64::from(i), u64::from(j), u64::from(di * 3 + dj)].map(u64::to_le_bytes).concat();
            (xxhash_rust::xxh3::xxh3_64(&bytes) % 40) as f32 / 4.0
        }
    }

    proptest! {
        #[test]
        fn a_band_over_everything_gives_the_cheapest_of_all_paths(n in 0u32..12, m in 0u32..12, seed: u64) {
            let cost = noise(seed);
            let path = cheapest(n, m, MOVES, &Params { band: 12, ..Params::default() }, &mut |i, j, step| cost(i, j, step));
            prop_assert_eq!(walk(&path, &cost), (n, m, reference(n, m, &cost)));
        }

        #[test]
        fn every_band_gives_a_whole_path(n in 0u32..30, m in 0u32..90, band in 0u32..4, max_cells in 0u64..500, seed: u64) {
            let cost = noise(seed);
            let path = cheapest(n, m, MOVES, &Params { band, max_cells }, &mut |i, j, step| cost(i, j, step));
            let (i, j, sum) = walk(&path, &cost);
            prop_assert_eq!((i, j), (n, m));
            prop_assert!(sum >= reference(n, m, &cost));
        }
    }

    proptest! {
        #[test]
        fn a_narrow_band_gives_the_cheapest_of_its_paths(n in 0u32..12, m in 0u32..12, width in 0u32..4, seed: u64) {
            let noise = noise(seed);
            let is_inside = |i: u32, j: u32| j.abs_diff(i) <= n.abs_diff(m) + width;
            // Steps that end outside the band are not allowed, and some others are not either.
            let cost = |i: u32, j: u32, step: Move| match noise(i, j, step) {
                _ if !is_inside(i, j) => f32::INFINITY,
                cost if cost > 8.0 => f32::INFINITY,
                cost => cost,
            };
            let path = cheapest_in(&Band::in_step(n, m, width), MOVES, &cost);
            let cheapest = reference(n, m, &cost);
            prop_assert_eq!(path.is_some(), cheapest.is_finite());
            if let Some(path) = path {
                prop_assert_eq!(walk(&path, &cost), (n, m, cheapest));
            }
        }
    }

    #[test]
    fn of_equally_cheap_steps_the_first_of_the_list_is_last() {
        let equal = |_: u32, _: u32, _: Move| 1.0f64;
        let band = Band::in_step(1, 2, 0);
        assert_eq!(cheapest_in(&band, &[(1, 1), (1, 0), (0, 1)], &equal), Some(vec![(0, 1), (1, 1)]));
        assert_eq!(cheapest_in(&band, &[(0, 1), (1, 1), (1, 0)], &equal), Some(vec![(1, 1), (0, 1)]));
        assert_eq!(cheapest_in(&band, &[(1, 0)], &equal), None);
    }

    #[test]
    fn a_gap_wider_than_the_band_is_found() {
        // The second text has 40 more units at its beginning.
        let cost = |i: u32, j: u32, step: Move| match step {
            (1, 1) if j == i + 40 => 0.0,
            (1, 1) => 5.0,
            _ => 1.0,
        };
        let path = cheapest(60, 100, MOVES, &Params { band: 4, ..Params::default() }, &mut { cost });
        assert_eq!(path.iter().filter(|step| **step == (1, 1)).count(), 60);
        assert!(path[..40].iter().all(|step| *step == (0, 1)));
    }

    #[test]
    fn parallel_texts_take_cells_as_their_length() {
        let calls = std::cell::Cell::new(0u32);
        let path = cheapest(1000, 1000, MOVES, &Params::default(), &mut |_, _, step| {
            calls.set(calls.get() + 1);
            if step == (1, 1) { 0.0 } else { 1.0 }
        });
        assert!(path.iter().all(|step| *step == (1, 1)));
        assert!(calls.get() < 1001 * 19 * 6, "{calls:?}");
    }
}
