//! Probabilities and their log odds.

/// 1 / (1 + e^−x).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
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
}
