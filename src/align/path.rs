//! Cheapest path in a band round the diagonal.

/// A step of a path: so many units of the first side with so many of the second.
pub type Move = (u32, u32);

/// How the path is sought.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Half the width of the first band, in units of the second side. Default 8: most translated pages stay within it.
    pub band: u32,
    /// The band is not widened beyond so many cells. Default 500,000: some seconds for two pages that do not belong together.
    pub max_cells: u64,
}

impl Default for Params {
    fn default() -> Params {
        Params { band: 8, max_cells: 500_000 }
    }
}

/// What steps cost.
pub trait Steps {
    /// Called before costs are asked for in a band: those of the band may be made at once.
    fn enter(&mut self, _band: &Band) {}

    /// The cost of the step that ends before unit `i` of the first side and `j` of the second; infinite where it is not
    /// allowed.
    fn cost(&self, i: u32, j: u32, step: Move) -> f32;
}

impl<F: Fn(u32, u32, Move) -> f32> Steps for F {
    fn cost(&self, i: u32, j: u32, step: Move) -> f32 {
        self(i, j, step)
    }
}

/// The steps from (0, 0) to (`n`, `m`) whose costs add up to the least, among the paths in a band round the diagonal. The
/// band is doubled until the path does not touch it, so parallel texts take time and memory as their length.
///
/// `moves` must hold (1, 0) and (0, 1), and these must be allowed everywhere: so there is always a path.
/// Of equally cheap paths the one whose last differing step stands first in `moves` is taken.
pub fn cheapest(n: u32, m: u32, moves: &[Move], params: &Params, steps: &mut impl Steps) -> Vec<Move> {
    // Rows must meet: the diagonal goes on by m/n a row.
    let mut width = params.band.max(1).saturating_add(m / n.max(1));
    loop {
        let band = Band::new(n, m, width);
        steps.enter(&band);
        let (path, touches) = band.cheapest(moves, steps);
        let wider = width.saturating_mul(2);
        if !touches || Band::count(n, m, wider) > params.max_cells {
            return path;
        }
        width = wider;
    }
}

/// The cells (i, j) with |j − i·m/n| ≤ a width: a row for each i from 0 to n.
pub struct Band {
    /// Units of the first side.
    pub n: u32,
    /// Units of the second.
    pub m: u32,
    width: u32,
    /// First and last j of each row.
    rows: Vec<(u32, u32)>,
    row_length: usize,
}

impl Band {
    /// The band of a width, in units of the second side. Without units on the first side the only row is the whole.
    pub fn new(n: u32, m: u32, width: u32) -> Band {
        let reach = if n == 0 { m } else { width };
        let row = |i: u32| {
            let middle = if n == 0 { 0 } else { (u64::from(i) * u64::from(m) / u64::from(n)) as u32 };
            (middle.saturating_sub(reach), middle.saturating_add(reach).min(m))
        };
        Band { n, m, width, rows: (0..=n).map(row).collect(), row_length: Band::row_length(n, m, width) }
    }

    /// The band with a cell more on each side.
    pub fn wider(&self) -> Band {
        Band::new(self.n, self.m, self.width.saturating_add(1))
    }

    /// First and last j of a row; neither ever falls from one row to the next.
    pub fn row(&self, i: u32) -> (u32, u32) {
        self.rows[i as usize]
    }

    /// Number of a cell, below [`Band::cells`].
    pub fn cell(&self, i: u32, j: u32) -> usize {
        i as usize * self.row_length + (j - self.rows[i as usize].0) as usize
    }

    /// Numbers for cells, some of them unused.
    pub fn cells(&self) -> usize {
        self.rows.len() * self.row_length
    }

    fn row_length(n: u32, m: u32, width: u32) -> usize {
        let reach = if n == 0 { u64::from(m) } else { u64::from(width) };
        (2 * reach + 1).min(u64::from(m) + 1) as usize
    }

    fn count(n: u32, m: u32, width: u32) -> u64 {
        (u64::from(n) + 1) * Band::row_length(n, m, width) as u64
    }

    fn cheapest(&self, moves: &[Move], costs: &impl Steps) -> (Vec<Move>, bool) {
        let mut sums = vec![f32::INFINITY; self.cells()];
        let mut steps = vec![u8::MAX; sums.len()];
        for i in 0..=self.n {
            let (low, high) = self.row(i);
            for j in low..=high {
                let here = self.cell(i, j);
                if i == 0 && j == 0 {
                    sums[here] = 0.0;
                    continue;
                }
                for (number, &step) in moves.iter().enumerate() {
                    let Some((from_i, from_j)) = i.checked_sub(step.0).zip(j.checked_sub(step.1)) else { continue };
                    let (from_low, from_high) = self.row(from_i);
                    if from_j < from_low || from_j > from_high {
                        continue;
                    }
                    let before = sums[self.cell(from_i, from_j)];
                    if before.is_finite() {
                        let sum = before + costs.cost(i, j, step);
                        if sum < sums[here] {
                            sums[here] = sum;
                            steps[here] = number as u8;
                        }
                    }
                }
            }
        }
        self.trace(&steps, moves)
    }

    fn trace(&self, steps: &[u8], moves: &[Move]) -> (Vec<Move>, bool) {
        let (mut i, mut j) = (self.n, self.m);
        let mut path = Vec::with_capacity(self.n.max(self.m) as usize);
        let mut touches = false;
        while (i, j) != (0, 0) {
            let (low, high) = self.row(i);
            touches |= (j == low && low > 0) || (j == high && high < self.m);
            let step = moves[usize::from(steps[self.cell(i, j)])];
            path.push(step);
            (i, j) = (i - step.0, j - step.1);
        }
        path.reverse();
        (path, touches)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MOVES: &[Move] = &[(1, 1), (1, 0), (0, 1), (2, 1), (1, 2), (2, 2)];

    /// The least sum over all paths, without a band.
    fn twin(n: u32, m: u32, cost: &impl Fn(u32, u32, Move) -> f32) -> f32 {
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

    /// A cost that hangs on nothing but its arguments, in quarters so that sums are exact.
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
            prop_assert_eq!(walk(&path, &cost), (n, m, twin(n, m, &cost)));
        }

        #[test]
        fn every_band_gives_a_whole_path(n in 0u32..30, m in 0u32..90, band in 0u32..4, max_cells in 0u64..500, seed: u64) {
            let cost = noise(seed);
            let path = cheapest(n, m, MOVES, &Params { band, max_cells }, &mut |i, j, step| cost(i, j, step));
            let (i, j, sum) = walk(&path, &cost);
            prop_assert_eq!((i, j), (n, m));
            prop_assert!(sum >= twin(n, m, &cost));
        }
    }

    #[test]
    fn a_gap_wider_than_the_band_is_found() {
        // The second text has 40 units more at its beginning.
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
        let asked = std::cell::Cell::new(0u32);
        let path = cheapest(1000, 1000, MOVES, &Params::default(), &mut |_, _, step| {
            asked.set(asked.get() + 1);
            if step == (1, 1) { 0.0 } else { 1.0 }
        });
        assert!(path.iter().all(|step| *step == (1, 1)));
        assert!(asked.get() < 1001 * 19 * 6, "{asked:?}");
    }
}
