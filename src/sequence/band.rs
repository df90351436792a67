//! The cells of a table that lie around its diagonal.

/// Some cells (i, j) of a table, 0 ≤ i ≤ n and 0 ≤ j ≤ m: in each row i those from a first j to a last j, neither of which decreases from
/// one row to the next.
#[derive(Clone, Debug)]
pub struct Band {
    /// Length of the first sequence.
    pub n: u32,
    /// Length of the second sequence.
    pub m: u32,
    /// First and last j of each row.
    rows: Vec<(u32, u32)>,
    row_length: usize,
}

impl Band {
    /// The cells with |j − i·m/n| ≤ `width`, around the line from (0, 0) to (n, m). If n is 0, the whole of the only row.
    pub fn along(n: u32, m: u32, width: u32) -> Band {
        let reach = if n == 0 { m } else { width };
        Band::of(n, m, |i| {
            let middle = if n == 0 { 0 } else { (u64::from(i) * u64::from(m) / u64::from(n)) as u32 };
            (middle.saturating_sub(reach), middle.saturating_add(reach))
        })
    }

    /// The cells with |j − i| ≤ |n − m| + `width`, for sequences that are out of step by no more than `width` in addition to the difference
    /// of their lengths.
    pub fn in_step(n: u32, m: u32, width: u32) -> Band {
        Band::within(n, m, n.abs_diff(m).saturating_add(width))
    }

    /// The cells with |j − i| ≤ `reach`; a row without such a cell gets its last one.
    pub fn within(n: u32, m: u32, reach: u32) -> Band {
        Band::of(n, m, |i| (i.saturating_sub(reach), i.saturating_add(reach)))
    }

    fn of(n: u32, m: u32, row: impl Fn(u32) -> (u32, u32)) -> Band {
        let row = |i: u32| {
            let (first, last) = row(i);
            (first.min(m), last.min(m))
        };
        let rows: Vec<(u32, u32)> = (0..=n).map(row).collect();
        let row_length = rows.iter().map(|&(first, last)| (last - first) as usize + 1).max().unwrap_or(0);
        Band { n, m, rows, row_length }
    }

    /// The band with one more cell on each side of each row.
    pub fn wider(&self) -> Band {
        Band::of(self.n, self.m, |i| {
            let (first, last) = self.row(i);
            (first.saturating_sub(1), last.saturating_add(1))
        })
    }

    /// First and last j of a row.
    pub fn row(&self, i: u32) -> (u32, u32) {
        self.rows[i as usize]
    }

    /// Number of a cell, below [`Band::cells`]. The cells of a row have consecutive numbers.
    pub fn cell(&self, i: u32, j: u32) -> usize {
        i as usize * self.row_length + (j - self.rows[i as usize].0) as usize
    }

    /// How many numbers cells have, including unused ones.
    pub fn cells(&self) -> usize {
        self.rows.len() * self.row_length
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn cells(band: &Band) -> BTreeSet<(u32, u32)> {
        (0..=band.n).flat_map(|i| (band.row(i).0..=band.row(i).1).map(move |j| (i, j))).collect()
    }

    proptest! {
        #[test]
        fn bands_hold_the_cells_of_their_definition(n in 0u32..20, m in 0u32..20, width in 0u32..25) {
            let all = || (0..=n).flat_map(|i| (0..=m).map(move |j| (i, j)));
            let along = |&(i, j): &(u32, u32)| n == 0 || j.abs_diff(i * m / n) <= width;
            prop_assert_eq!(cells(&Band::along(n, m, width)), all().filter(along).collect());
            let in_step = |&(i, j): &(u32, u32)| j.abs_diff(i) <= n.abs_diff(m) + width;
            prop_assert_eq!(cells(&Band::in_step(n, m, width)), all().filter(in_step).collect());
            prop_assert_eq!(cells(&Band::along(n, m, width).wider()), cells(&Band::along(n, m, width + 1)));
        }

        #[test]
        fn each_cell_has_a_number_of_its_own(n in 0u32..20, m in 0u32..20, width in 0u32..25) {
            let band = Band::in_step(n, m, width);
            let numbers: BTreeSet<usize> = cells(&band).iter().map(|&(i, j)| band.cell(i, j)).collect();
            prop_assert_eq!(numbers.len(), cells(&band).len());
            prop_assert!(numbers.last().is_none_or(|&last| last < band.cells()));
        }
    }
}
