//! Results against gold: how many of the pairs and keys found are right, and how many of the right ones are found.
//!
//! [`GoldPairs`] and [`GoldKeys`] read what was judged beforehand (`gold.rs` describes the files), [`pairs()`] and
//! [`keys()`] hold results against them. Both count in the same terms: what is *true*, what is *wrong*, what was
//! *missed*, and what gold is silent about and therefore stays out of every figure. From the counts come
//!
//! ```text
//! precision = true / (true + wrong)
//! recall    = true / (true + missed)                       (van Rijsbergen 1979, ch. 7)
//! F1        = 2·true / (2·true + wrong + missed)
//! ```
//!
//! each of them `None` where its denominator is 0: nothing was given out, or there was nothing to find.
//!
//! Pairs that have scores also give a [`curve()`] of both over thresholds, and a [`calibration()`], which tells whether a
//! score is a probability. [`plot`] draws.

mod bitext;
mod calibration;
mod curve;
mod gold;
mod keys;
mod pairs;
pub mod plot;

pub use bitext::{BitextCounts, GoldBitext};
pub use calibration::{Bin, Calibration, CalibrationParams, calibration};
pub use curve::{CurveParams, CurvePoint, ScoredPair, ScoredPairs, best, curve, scored};
pub use gold::{GoldKey, GoldKeys, GoldPair, GoldPairs, GreyReason};
pub use keys::{KeyReport, keys};
pub use pairs::{Counts, FalsePair, OutPair, Report, pairs};

/// true / (true + wrong), in 0..=1; `None` when nothing was given out.
fn precision(right: u64, wrong: u64) -> Option<f64> {
    ratio(right, right + wrong)
}

/// true / (true + missed), in 0..=1; `None` when there is nothing to find.
fn recall(right: u64, missed: u64) -> Option<f64> {
    ratio(right, right + missed)
}

/// The harmonic mean of precision P and recall R, 2·P·R / (P + R), written in counts: it is then defined, and 0, also
/// where nothing was given out though there was something to find. `None` when there is neither.
fn f1(right: u64, wrong: u64, missed: u64) -> Option<f64> {
    ratio(2 * right, 2 * right + wrong + missed)
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
