//! Results compared with gold: how many of the pairs and keys found are right, and how many of the right ones are found.
//!
//! [`GoldPairs`] and [`GoldKeys`] read what was judged beforehand (`gold.rs` describes the files); [`pairs()`] and [`keys()`] compare
//! results with them. Both count what is *right*, what is *wrong* and what was *missed*. What gold says nothing about is left out of all
//! figures. The figures are
//!
//! ```text
//! precision = right / (right + wrong)
//! recall    = right / (right + missed)                     (van Rijsbergen 1979, ch. 7)
//! F1        = 2·right / (2·right + wrong + missed)
//! ```
//!
//! Each is `None` where its denominator is 0, because nothing was found or there was nothing to find.
//!
//! Pairs that have scores also give a [`curve()`] of precision and recall over thresholds, and a [`calibration()`], which shows whether a
//! score is a probability. [`plot`] draws pictures. Where there is no gold, [`estimate()`] estimates precision from a sample that people
//! have judged.

mod bitext;
mod calibration;
mod curve;
mod gold;
mod keys;
mod marked;
mod pairs;
pub mod plot;
mod ratios;
mod sampling;

pub use bitext::{BitextCounts, GoldBitext};
pub use calibration::{Bin, Calibration, CalibrationParams, calibration};
pub use curve::{CurveParams, CurvePoint, ScoredPair, ScoredPairs, best, curve, scored};
pub use gold::{GoldKey, GoldKeys, GoldPair, GoldPairs, IgnoredReason};
pub use keys::{KeyReport, keys};
pub use marked::MarkedGold;
pub use pairs::{Counts, FalsePair, OutPair, Report, pairs};
pub use sampling::{Agreement, Estimate, Stratum, agreement, allocate, estimate, max_strata};
