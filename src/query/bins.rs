//! Bins of scores.

/// Number of bins for scores.
pub const BINS: usize = 16;

/// Where the bins of scores begin and end: narrow near 1, where most scores lie. A bin includes its beginning, and the last one 1.
pub const EDGES: [f64; BINS + 1] =
    [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0];

/// The bin of a score.
pub(super) fn bin(score: f64) -> usize {
    EDGES.partition_point(|edge| *edge <= score).saturating_sub(1).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_includes_its_beginning_and_the_last_one_its_end() {
        assert_eq!(
            [-1.0, 0.0, 0.05, 0.4999, 0.5, 0.9989, 0.999, 1.0, f64::NAN].map(bin),
            [0, 0, 1, 5, 6, 14, 15, 15, 0]
        );
    }
}
