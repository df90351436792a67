//! Finds the corresponding blocks of two pages.

use super::profile::BlockShape;
use crate::sequence::band::Band;
use crate::sequence::path::{Move, cheapest_in};

/// By how many blocks two pages may be out of step, in addition to the difference between their numbers of blocks. An estimate.
const BAND_BLOCKS: u32 = 50;
/// How many cells an alignment may have: for pages with more blocks, no corresponding blocks are found.
const MAX_CELLS: usize = 4 << 20;
/// The cost of leaving out a block.
const LEFT_OUT: f64 = 1.0;

/// The corresponding blocks of two pages, by tags and lengths: the cheapest way through both lists, where leaving out a block costs 1, and
/// pairing two blocks costs |ln(length ratio)|; blocks with different tags are never paired. Only a band around the diagonal is
/// searched, so the cost grows with the number of blocks.
pub fn aligned_blocks(a: &[BlockShape], b: &[BlockShape]) -> Vec<(usize, usize)> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    if a.iter().map(|block| block.tag).eq(b.iter().map(|block| block.tag)) {
        return (0..a.len()).map(|at| (at, at)).collect();
    }
    let width = 2 * (a.len().abs_diff(b.len()) + BAND_BLOCKS as usize) + 1;
    if a.len().saturating_mul(width) > MAX_CELLS {
        return Vec::new();
    }
    let band = Band::in_step(a.len() as u32, b.len() as u32, BAND_BLOCKS);
    let cost = |i: u32, j: u32, step: Move| match step {
        (1, 1) => cost(&a[i as usize - 1], &b[j as usize - 1]),
        _ => LEFT_OUT,
    };
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    for step in cheapest_in(&band, &[(1, 1), (1, 0), (0, 1)], &cost).unwrap_or_default() {
        if step == (1, 1) {
            pairs.push((i, j));
        }
        (i, j) = (i + step.0 as usize, j + step.1 as usize);
    }
    pairs
}

/// The cost of pairing two blocks.
fn cost(a: &BlockShape, b: &BlockShape) -> f64 {
    let length = |block: &BlockShape| f64::from(block.bytes).max(1.0);
    if a.tag == b.tag { (length(a) / length(b)).ln().abs() } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with blocks of these tags and lengths.
    fn page(blocks: &[(u16, u32)]) -> Vec<BlockShape> {
        blocks.iter().map(|&(tag, bytes)| BlockShape { tag, bytes, words_end: 0 }).collect()
    }

    #[test]
    fn blocks_of_equal_tags_correspond_one_by_one() {
        let (a, b) = (page(&[(1, 5), (2, 90)]), page(&[(1, 50), (2, 9)]));
        assert_eq!(aligned_blocks(&a, &b), [(0, 0), (1, 1)]);
        assert_eq!(aligned_blocks(&a, &page(&[])), []);
    }

    #[test]
    fn a_block_of_one_page_only_is_left_out() {
        let (a, b) = (page(&[(1, 40), (3, 10), (2, 90)]), page(&[(1, 44), (2, 80)]));
        assert_eq!(aligned_blocks(&a, &b), [(0, 0), (2, 1)]);
        assert_eq!(aligned_blocks(&b, &a), [(0, 0), (1, 2)]);
    }

    #[test]
    fn of_blocks_with_equal_tags_those_of_like_length_correspond() {
        let (a, b) = (page(&[(1, 10), (1, 100)]), page(&[(1, 105)]));
        assert_eq!(aligned_blocks(&a, &b), [(1, 0)]);
    }

    #[test]
    fn pages_that_differ_by_too_many_blocks_have_none_that_correspond() {
        let (a, b) = (page(&[(1, 10); 3000]), page(&[(2, 10); 10]));
        assert_eq!(aligned_blocks(&a, &b), []);
    }
}
