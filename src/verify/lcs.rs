//! Longest common subsequence of tags (Liu et al. 2014, §3.2).

use super::structure::trim;

/// Length of the longest common subsequence divided by the average length of two sequences: 2·LCS(a, b) / (|a| + |b|), 0..=1. `None` when
/// both are empty.
///
/// Each sequence is cut to its first `max_tags` entries.
///
/// By hand: `div p p a` and `div p a li` have the subsequence `div p a` in common: 2·3/(4 + 4) = 0.75.
pub fn similarity(a: &[u16], b: &[u16], max_tags: usize) -> Option<f64> {
    let (a, b) = (&a[..a.len().min(max_tags)], &b[..b.len().min(max_tags)]);
    let whole = a.len() + b.len();
    (whole > 0).then(|| 2.0 * length(a, b) as f64 / whole as f64)
}

/// Length of the longest common subsequence.
///
/// Bit-parallel (Hyyrö 2004): a column of the table is a row of bits, 64 cells a step. O(|a|·|b|/64).
pub fn length(a: &[u16], b: &[u16]) -> usize {
    let whole = a.len();
    let (a, b) = trim(a, b);
    let trimmed = whole - a.len();
    if a.is_empty() || b.is_empty() {
        return trimmed;
    }
    let words = a.len().div_ceil(64);
    let mut codes: Vec<u16> = a.to_vec();
    codes.sort_unstable();
    codes.dedup();
    // For each code, the positions where it stands in `a`, as bits.
    let mut places = vec![0u64; codes.len() * words];
    for (at, code) in a.iter().enumerate() {
        if let Ok(row) = codes.binary_search(code) {
            places[row * words + at / 64] |= 1 << (at % 64);
        }
    }
    let mut column = vec![u64::MAX; words];
    for code in b {
        let Ok(row) = codes.binary_search(code) else { continue };
        let mut carry = false;
        for (cells, places) in column.iter_mut().zip(&places[row * words..]) {
            let matched = *cells & places;
            let (sum, first) = cells.overflowing_add(matched);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *cells = sum | (*cells & !places);
        }
    }
    // Each cleared bit adds one to the length.
    let unused = words * 64 - a.len();
    let last = column[words - 1] | (u64::MAX.checked_shl(64 - unused as u32).unwrap_or(0));
    let steps: u32 = column[..words - 1].iter().chain(&[last]).map(|cells| cells.count_zeros()).sum();
    trimmed + steps as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::tag_code;

    fn naive(a: &[u16], b: &[u16]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 1..=a.len() {
            for j in 1..=b.len() {
                table[i][j] =
                    if a[i - 1] == b[j - 1] { table[i - 1][j - 1] + 1 } else { table[i - 1][j].max(table[i][j - 1]) };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn the_example_by_hand_is_three_quarters() {
        let tags = |names: [&str; 4]| names.map(tag_code);
        let (a, b) = (tags(["div", "p", "p", "a"]), tags(["div", "p", "a", "li"]));
        assert_eq!(similarity(&a, &b, 100), Some(0.75));
        assert_eq!(similarity(&[], &[], 100), None);
        assert_eq!(similarity(&a, &b, 2), Some(1.0));
    }

    proptest! {
        #[test]
        fn bits_count_what_the_table_counts(
            a in prop::collection::vec(0u16..5, 0..150),
            b in prop::collection::vec(0u16..5, 0..150),
        ) {
            prop_assert_eq!(length(&a, &b), naive(&a, &b));
        }
    }
}
