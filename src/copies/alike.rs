//! Whether two pages have nearly the same text, by their sketches.

use crate::index::site::{PageFacts, SKETCH};

/// Share of the sketch two pages must have in common to be copies.
const COPY_SHARE: f64 = 0.75;
/// The lengths of copies' texts differ by no more than this share.
const COPY_LENGTH: f64 = 0.1;
/// True for pages with nearly equal texts.
pub(super) fn nearly_same(x: &PageFacts, y: &PageFacts) -> bool {
    let (long, other) = (f64::from(x.text_bytes), f64::from(y.text_bytes));
    shared(&x.sketch, &y.sketch) >= COPY_SHARE && (long - other).abs() <= COPY_LENGTH * long.max(other)
}

/// Share of the smallest hashes of both sketches that both have.
pub(super) fn shared(a: &[u32; SKETCH], b: &[u32; SKETCH]) -> f64 {
    let mut union: Vec<u32> = a.iter().chain(b).copied().filter(|&hash| hash != 0).collect();
    union.sort_unstable();
    union.dedup();
    union.truncate(SKETCH);
    let both = union.iter().filter(|hash| a.contains(hash) && b.contains(hash)).count();
    if union.is_empty() { 0.0 } else { both as f64 / union.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_share_most_blocks_and_are_as_long_are_nearly_the_same() {
        let facts = |first: u32, text_bytes| {
            let sketch = std::array::from_fn(|at| first + at as u32);
            PageFacts { sketch, text_bytes, ..PageFacts::default() }
        };
        // Of the 8 smallest of 1..=9, both have 2..=8: 7 of 8. Of those of 1..=11, 4..=8: 5 of 8.
        assert!(nearly_same(&facts(1, 1000), &facts(2, 920)));
        assert!(!nearly_same(&facts(1, 1000), &facts(2, 890)));
        assert!(!nearly_same(&facts(1, 1000), &facts(4, 1000)));
        assert!(!nearly_same(&PageFacts::default(), &PageFacts::default()), "pages without text");
    }
}
