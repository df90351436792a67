//! Blocks of two pages that correspond.

use crate::types::Page;

/// Blocks of two pages that correspond, by their tags and lengths: the cheapest way to walk both lists, where leaving a
/// block out costs 1 and pairing two blocks |ln(length ratio)|, more than leaving both out when their tags differ.
/// Only in a band round the diagonal, so the cost grows with the number of blocks.
pub fn aligned_blocks(a: &Page, b: &Page) -> Vec<(usize, usize)> {
    let (n, m) = (a.blocks.len(), b.blocks.len());
    if n == 0 || m == 0 {
        return Vec::new();
    }
    let tags = |page: &Page| page.blocks.iter().map(|block| block.tag).collect::<Vec<u16>>();
    if tags(a) == tags(b) {
        return (0..n).map(|at| (at, at)).collect();
    }
    let band = n.abs_diff(m) + BAND_BLOCKS;
    let width = 2 * band + 1;
    if n.saturating_mul(width) > MAX_CELLS {
        return Vec::new();
    }
    let length = |page: &Page, at: usize| f64::from(page.blocks[at].end - page.blocks[at].start).max(1.0);
    // Row i holds columns i − band … i + band.
    let mut cost = vec![f64::INFINITY; (n + 1) * width];
    let mut step = vec![0u8; (n + 1) * width];
    let cell = |i: usize, j: usize| (j + band).checked_sub(i).filter(|&k| k < width).map(|k| i * width + k);
    for i in 0..=n {
        for j in i.saturating_sub(band)..=(i + band).min(m) {
            let Some(here) = cell(i, j) else { continue };
            if i == 0 && j == 0 {
                cost[here] = 0.0;
                continue;
            }
            let mut best = (f64::INFINITY, 0);
            let mut offer = |from: Option<usize>, price: f64, kind: u8| {
                if let Some(from) = from.filter(|&from| cost[from] + price < best.0) {
                    best = (cost[from] + price, kind);
                }
            };
            if i > 0 && j > 0 {
                let alike = a.blocks[i - 1].tag == b.blocks[j - 1].tag;
                let price = (length(a, i - 1) / length(b, j - 1)).ln().abs().min(3.0);
                offer(cell(i - 1, j - 1), if alike { price } else { 2.5 + price }, 1);
            }
            if i > 0 {
                offer(cell(i - 1, j), 1.0, 2);
            }
            if j > 0 {
                offer(cell(i, j - 1), 1.0, 3);
            }
            (cost[here], step[here]) = best;
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (n, m);
    while i > 0 || j > 0 {
        match cell(i, j).map_or(0, |here| step[here]) {
            1 => {
                (i, j) = (i - 1, j - 1);
                pairs.push((i, j));
            }
            2 => i -= 1,
            3 => j -= 1,
            _ => return Vec::new(),
        }
    }
    pairs.reverse();
    pairs
}

/// Blocks by which two pages may be out of step, beside the difference of their numbers.
const BAND_BLOCKS: usize = 50;
/// Cells of an alignment, at the most; beyond it nothing is learnt from a pair.
const MAX_CELLS: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Block;

    /// A page of blocks of these tags and lengths.
    fn page(blocks: &[(u16, u32)]) -> Page {
        let mut end = 0;
        let block = |&(tag, length): &(u16, u32)| {
            let start = end;
            end += length;
            Block { start, end, tag, at: 0 }
        };
        Page { blocks: blocks.iter().map(block).collect(), ..Page::default() }
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
}
