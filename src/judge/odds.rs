//! Probabilities and their log odds.

pub use crate::logistic::sigmoid;

/// Even odds: above it, something is more probable than not.
pub const EVEN: f64 = 0.5;

/// A number that grows with `x` and stays within ±`bound`: x / (1 + (x/bound)ᵖ)^(1/p), where p is `power`, an even number. The larger p is,
/// the longer the result stays near `x`.
pub fn bounded(x: f64, bound: f64, power: i32) -> f64 {
    x / (1.0 + (x / bound).powi(power)).powf(1.0 / f64::from(power))
}

/// ln(p / (1 − p)).
pub fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_and_probability_are_inverse() {
        assert_eq!((sigmoid(0.0), logit(0.5)), (0.5, 0.0));
        for p in [0.001, 0.25, 0.9] {
            assert!((sigmoid(logit(p)) - p).abs() < 1e-12);
        }
        assert!((logit(0.9) - 9f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn what_is_bounded_keeps_its_order_and_its_small_numbers() {
        let values = [-40.0, -9.0, -1.0, 0.0, 0.5, 3.0, 9.0, 12.6, 40.0];
        let bounded = values.map(|x| bounded(x, 9.0, 4));
        assert!(bounded.windows(2).all(|two| two[0] < two[1]) && bounded.iter().all(|x| x.abs() < 9.0), "{bounded:?}");
        assert!(
            (bounded[4] - 0.5).abs() < 1e-5 && (bounded[6] - 7.568).abs() < 1e-3 && (bounded[7] - 8.494).abs() < 1e-3
        );
    }
}
