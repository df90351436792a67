//! Precision, recall and F1, from counts.

/// right / (right + wrong), in 0..=1; `None` when nothing was found.
pub(super) fn precision(right: u64, wrong: u64) -> Option<f64> {
    ratio(right, right + wrong)
}

/// right / (right + missed), in 0..=1; `None` when there is nothing to find.
pub(super) fn recall(right: u64, missed: u64) -> Option<f64> {
    ratio(right, right + missed)
}

/// The harmonic mean of precision P and recall R, 2·P·R / (P + R), written with counts. So it is defined, and 0, also where nothing was
/// found although there was something to find. `None` where nothing was found and there was nothing to find.
pub(super) fn f1(right: u64, wrong: u64, missed: u64) -> Option<f64> {
    ratio(2 * right, 2 * right + wrong + missed)
}

/// part / whole; `None` when `whole` is 0.
pub(super) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: P = 3/4, R = 3/5, F1 = 2·(3/4)·(3/5) / (3/4 + 3/5) = (9/10) / (27/20) = 2/3.
    #[test]
    fn shares_by_hand_and_where_nothing_is_there() {
        assert_eq!((precision(3, 1), recall(3, 2), f1(3, 1, 2)), (Some(0.75), Some(0.6), Some(2.0 / 3.0)));
        assert_eq!((precision(0, 0), recall(0, 2), f1(0, 0, 2)), (None, Some(0.0), Some(0.0)));
        assert_eq!((recall(0, 0), f1(0, 0, 0)), (None, None));
    }
}
