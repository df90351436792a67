//! Turns the facts about a bead into the probability that its sides are translations.

use super::lengths::Lengths;
use super::model::Model;
use super::span::Span;
use super::translation::Evidence;

/// How many numbers describe a bead.
pub const FEATURES: usize = 5;

/// Default weights, used where there is too little data to learn them. An estimate: words count in favour in both directions, differences
/// of length against.
pub const WEIGHTS: [f32; FEATURES] = [0.5, 1.0, 1.0, 1.0, -0.5];

/// The features that distinguish translations from other pairs: 1; L(b|a) per word; L(a|b) per word; half their sum, in tens of nats,
/// limited to ±4; |δ| of the lengths, limited to 6. "Per word" divides by the number of words that the model can judge plus two, so that
/// few words give less evidence.
pub fn features(a: &Span, b: &Span, evidence: &Evidence, lengths: &Lengths) -> [f32; FEATURES] {
    let logs = evidence.logs(&a.words, &b.words);
    let mean = |log: f32, known: u32| log / (known + 2) as f32;
    [
        1.0,
        mean(logs.b_given_a, logs.known_b),
        mean(logs.a_given_b, logs.known_a),
        ((logs.b_given_a + logs.a_given_b) / 20.0).clamp(-4.0, 4.0),
        lengths.delta(a.chars, b.chars).abs().min(6.0),
    ]
}

/// 1/(1 + e^(−w·x)), 0..=1.
pub fn probability(weights: &[f32], features: &[f32; FEATURES]) -> f32 {
    let sum: f32 = weights.iter().zip(features).map(|(w, x)| w * x).sum();
    1.0 / (1.0 + (-sum).exp())
}

impl Model {
    /// The probability that the sides of a bead with these features are translations.
    pub fn score(&self, features: &[f32; FEATURES]) -> f32 {
        let weights = if self.weights.len() == FEATURES { &self.weights[..] } else { &WEIGHTS };
        probability(weights, features)
    }
}

/// Weights that distinguish beads that were found (`true`) from sides that were put together at random (`false`): logistic regression by
/// Newton's method, with a ridge of 1 on all weights but the bias. `None` for fewer than 50 examples of either kind.
///
/// If both kinds are equally many, the result is calibrated for even odds.
pub fn fit(samples: &[([f32; FEATURES], bool)]) -> Option<Vec<f32>> {
    const MIN_SAMPLES: usize = 50;
    const ROUNDS: usize = 25;
    let right = samples.iter().filter(|sample| sample.1).count();
    if right < MIN_SAMPLES || samples.len() - right < MIN_SAMPLES {
        return None;
    }
    let mut weights = [0f64; FEATURES];
    for _ in 0..ROUNDS {
        let mut gradient = [0f64; FEATURES];
        let mut curvature = [[0f64; FEATURES]; FEATURES];
        for (features, is_right) in samples {
            let x = features.map(f64::from);
            let sum: f64 = weights.iter().zip(&x).map(|(w, x)| w * x).sum();
            let p = 1.0 / (1.0 + (-sum).exp());
            let error = f64::from(u8::from(*is_right)) - p;
            for i in 0..FEATURES {
                gradient[i] += error * x[i];
                for j in 0..FEATURES {
                    curvature[i][j] += p * (1.0 - p) * x[i] * x[j];
                }
            }
        }
        for i in 0..FEATURES {
            let ridge = if i == 0 { 1e-6 } else { 1.0 };
            gradient[i] -= ridge * weights[i];
            curvature[i][i] += ridge;
        }
        let step = solve(curvature, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step.clamp(-2.0, 2.0);
        }
    }
    weights.iter().all(|weight| weight.is_finite()).then(|| weights.iter().map(|&weight| weight as f32).collect())
}

/// Solves A·x = y by elimination; A is positive definite.
fn solve(mut a: [[f64; FEATURES]; FEATURES], mut y: [f64; FEATURES]) -> [f64; FEATURES] {
    for i in 0..FEATURES {
        for row in i + 1..FEATURES {
            let factor = a[row][i] / a[i][i];
            let above = a[i];
            for (value, above) in a[row].iter_mut().zip(above).skip(i) {
                *value -= factor * above;
            }
            y[row] -= factor * y[i];
        }
    }
    for i in (0..FEATURES).rev() {
        let rest: f64 = (i + 1..FEATURES).map(|column| a[i][column] * y[column]).sum();
        y[i] = (y[i] - rest) / a[i][i];
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_system_is_solved() {
        let mut a = [[0.0; FEATURES]; FEATURES];
        for (i, row) in a.iter_mut().enumerate() {
            row[i] = 2.0;
        }
        a[0][1] = 1.0;
        a[1][0] = 1.0;
        // 2x + y = 4, x + 2y = 5: x = 1, y = 2.
        let x = solve(a, [4.0, 5.0, 2.0, 0.0, 6.0]);
        for (found, expected) in x.iter().zip([1.0, 2.0, 1.0, 0.0, 3.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn scores_are_calibrated() {
        // Where the second number is 1, three of four are right; where it is 0, one of four.
        let sample = |x: f32, is_right: bool| ([1.0, x, 0.0, 0.0, 0.0], is_right);
        let samples: Vec<_> =
            (0..4000).map(|n| if n % 2 == 0 { sample(1.0, n % 8 != 0) } else { sample(0.0, n % 8 == 1) }).collect();
        let weights = fit(&samples).expect("enough");
        assert!((probability(&weights, &[1.0, 1.0, 0.0, 0.0, 0.0]) - 0.75).abs() < 0.01);
        assert!((probability(&weights, &[1.0, 0.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 0.01);
        assert_eq!(fit(&samples[..60]), None);
    }
}
