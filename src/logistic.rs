//! Logistic regression: which weights of some numbers tell the right from the wrong.

/// 1 / (1 + e^−x).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The sum of the products.
pub fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// An example that weights are fitted to.
#[derive(Clone, Debug)]
pub struct Example<const N: usize> {
    /// The inputs of the model.
    pub inputs: [f64; N],
    /// 1 for an example that is right, 0 for one that is wrong.
    pub truth: f64,
    /// How many examples it counts as.
    pub weight: f64,
}

/// Newton's method ends after so many steps at most.
const MOST_STEPS: usize = 100;
/// How often a step is halved at most.
const MOST_HALVES: usize = 40;

/// The weights of the greatest posterior probability under a normal prior around `prior`, by Newton's method. A weight that is one unit away
/// from its prior costs half of its `stiffness`, in nats. No weight is below its `least`, which may be −∞: where the slope leads below, the
/// weight stays there, and the step is that of the others (projected Newton method, Bertsekas 1982). Newton's method goes too far where the
/// curve is flat, so a step is halved until it leads to a greater probability.
pub fn fit<const N: usize>(rows: &[Example<N>], prior: &[f64; N], stiffness: &[f64; N], least: &[f64; N]) -> [f64; N] {
    let mut weights: [f64; N] = std::array::from_fn(|at| prior[at].max(least[at]));
    let mut reached = log_posterior(rows, &weights, prior, stiffness);
    for _ in 0..MOST_STEPS {
        let (mut gradient, mut hessian) = slope(rows, &weights, prior, stiffness);
        for at in 0..N {
            if weights[at] <= least[at] && gradient[at] < 0.0 {
                hold(at, &mut gradient, &mut hessian);
            }
        }
        let Some(step) = solve(hessian, gradient) else { break };
        let after = |share: f64| std::array::from_fn(|at| (weights[at] + share * step[at]).max(least[at]));
        let steps = std::iter::successors(Some(1.0), |share| Some(0.5 * share)).take(MOST_HALVES);
        let better = steps.map(after).find_map(|next| {
            let found = log_posterior(rows, &next, prior, stiffness);
            (found > reached).then_some((next, found))
        });
        let Some((next, found)) = better else { break };
        let gained = found - reached;
        (weights, reached) = (next, found);
        if gained < 1e-12 * (1.0 + reached.abs()) {
            break;
        }
    }
    weights
}

/// The logarithm of the posterior probability of some weights, but for a constant.
fn log_posterior<const N: usize>(
    rows: &[Example<N>],
    weights: &[f64; N],
    prior: &[f64; N],
    stiffness: &[f64; N],
) -> f64 {
    // ln p = −ln(1 + e^−x), and ln(1 − p) = ln p − x, which is exact also where p is next to 0 or 1.
    let of_row = |row: &Example<N>| {
        let x = dot(weights, &row.inputs);
        let ln_p = x.min(0.0) - (-x.abs()).exp().ln_1p();
        row.weight * (ln_p - (1.0 - row.truth) * x)
    };
    let away: f64 = (0..N).map(|at| stiffness[at] * (weights[at] - prior[at]).powi(2)).sum();
    rows.iter().map(of_row).sum::<f64>() - 0.5 * away
}

/// Takes a weight out of the system: its step is 0, and it has no influence on the others.
fn hold<const N: usize>(at: usize, gradient: &mut [f64; N], hessian: &mut [[f64; N]]) {
    gradient[at] = 0.0;
    hessian[at][..at].fill(0.0);
    hessian[at + 1..].iter_mut().for_each(|row| row[at] = 0.0);
    hessian[at][at] = 1.0;
}

/// The gradient of the log posterior, and the lower triangle of its negative Hessian.
fn slope<const N: usize>(
    rows: &[Example<N>],
    weights: &[f64; N],
    prior: &[f64; N],
    stiffness: &[f64; N],
) -> ([f64; N], Vec<[f64; N]>) {
    let mut gradient = [0.0; N];
    let mut hessian = vec![[0.0; N]; N];
    for Example { inputs, truth, weight: weigh } in rows {
        let p = sigmoid(dot(weights, inputs));
        let (error, curve) = (weigh * (truth - p), weigh * p * (1.0 - p));
        for i in 0..N {
            if inputs[i] == 0.0 {
                continue;
            }
            gradient[i] += error * inputs[i];
            for j in 0..=i {
                hessian[i][j] += curve * inputs[i] * inputs[j];
            }
        }
    }
    for i in 0..N {
        gradient[i] -= stiffness[i] * (weights[i] - prior[i]);
        hessian[i][i] += stiffness[i];
    }
    (gradient, hessian)
}

/// Solves a symmetric positive definite system by Cholesky decomposition. `m` needs only its lower triangle. `None` if it is not positive
/// definite.
fn solve<const N: usize>(mut m: Vec<[f64; N]>, mut v: [f64; N]) -> Option<[f64; N]> {
    for i in 0..N {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| m[i][k] * m[j][k]).sum();
            let rest = m[i][j] - sum;
            if i == j {
                if rest <= 0.0 {
                    return None;
                }
                m[i][i] = rest.sqrt();
            } else {
                m[i][j] = rest / m[j][j];
            }
        }
    }
    for i in 0..N {
        let sum: f64 = (0..i).map(|k| m[i][k] * v[k]).sum();
        v[i] = (v[i] - sum) / m[i][i];
    }
    for i in (0..N).rev() {
        let sum: f64 = (i + 1..N).map(|k| m[k][i] * v[k]).sum();
        v[i] = (v[i] - sum) / m[i][i];
    }
    Some(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved_and_one_without_a_pivot_is_not() {
        const N: usize = 17;
        let mut m = vec![[0.0; N]; N];
        for (i, row) in m.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate().take(i + 1) {
                *cell = if i == j { 8.0 + i as f64 } else { 1.0 / (1.0 + i as f64 + j as f64) };
            }
        }
        let x: [f64; N] = std::array::from_fn(|at| at as f64 - 7.0);
        let at = |i: usize, j: usize| if i >= j { m[i][j] } else { m[j][i] };
        let v: [f64; N] = std::array::from_fn(|i| (0..N).map(|j| at(i, j) * x[j]).sum());
        let found = solve(m.clone(), v).expect("definite");
        assert!(found.iter().zip(&x).all(|(f, x)| (f - x).abs() < 1e-9), "{found:?}");
        m[3][3] = 0.0;
        assert_eq!(solve(m, v), None);
    }

    #[test]
    fn slope_and_curvature_by_hand() {
        let row = Example { inputs: [1.0, 3.0], truth: 1.0, weight: 2.0 };
        let (g, h) = slope(&[row], &[0.0; 2], &[0.0; 2], &[4.0; 2]);
        assert_eq!((g[0], g[1], h[0][0], h[1][0], h[1][1]), (1.0, 3.0, 4.5, 1.5, 8.5));
    }

    /// Where right and wrong examples are far apart the curve is flat, and full steps lead to and fro between worse places.
    #[test]
    fn the_optimum_is_found_where_full_steps_go_too_far() {
        let row = |n: u32| {
            let side = if n.is_multiple_of(3) { 1.0 } else { -1.0 };
            let value = |by: u32| side * (1.0 + f64::from(n * by % 11) / 5.0);
            Example {
                inputs: [1.0, value(3), value(5), value(7)],
                truth: f64::from(u32::from(side > 0.0)),
                weight: 1.0,
            }
        };
        let mut rows: Vec<Example<4>> = (0..300).map(row).collect();
        // One in forty is not what it seems.
        rows.iter_mut().step_by(40).for_each(|row| row.truth = 1.0 - row.truth);
        let (prior, stiffness) = ([1.0, 30.0, 30.0, 30.0], [0.1; 4]);
        let fitted = fit(&rows, &prior, &stiffness, &[f64::NEG_INFINITY; 4]);
        let (gradient, _) = slope(&rows, &fitted, &prior, &stiffness);
        assert!(gradient.iter().all(|slope| slope.abs() < 1e-4), "{fitted:?} {gradient:?}");
    }

    #[test]
    fn the_optimum_is_where_the_slope_is_nothing() {
        let row = |n: u32| Example {
            inputs: [1.0, f64::from(n % 7), f64::from(n % 5)],
            truth: f64::from(u32::from(n % 7 + n % 3 > 4)),
            weight: 1.0 + f64::from(n % 2),
        };
        let rows: Vec<Example<3>> = (0..200).map(row).collect();
        let (prior, stiffness) = ([0.1; 3], [1e-6, 1.0, 4.0]);
        let free = [f64::NEG_INFINITY; 3];
        let fitted = fit(&rows, &prior, &stiffness, &free);
        // The log posterior, written out.
        let posterior = |weights: &[f64; 3]| {
            let of = |row: &Example<3>| {
                let p = sigmoid(dot(weights, &row.inputs));
                row.weight * (row.truth * p.ln() + (1.0 - row.truth) * (1.0 - p).ln())
            };
            let away: f64 = (0..3).map(|at| stiffness[at] * (weights[at] - prior[at]).powi(2)).sum();
            rows.iter().map(of).sum::<f64>() - 0.5 * away
        };
        for at in 0..3 {
            for step in [-0.01, 0.01] {
                let mut other = fitted;
                other[at] += step;
                assert!(posterior(&other) < posterior(&fitted), "weight {at} {step}");
            }
        }
        // A bound that the optimum respects changes nothing. With a bound above the optimum, the slope of all other weights is zero.
        let kept = fit(&rows, &prior, &stiffness, &[f64::NEG_INFINITY, fitted[1] - 1.0, f64::NEG_INFINITY]);
        assert!(kept.iter().zip(&fitted).all(|(a, b)| (a - b).abs() < 1e-9), "{kept:?} {fitted:?}");
        let bound = fitted[1] + 1.0;
        let held = fit(&rows, &prior, &stiffness, &[f64::NEG_INFINITY, bound, f64::NEG_INFINITY]);
        assert_eq!(held[1], bound);
        for (at, step) in [(0, -0.01), (0, 0.01), (1, 0.01), (2, -0.01), (2, 0.01)] {
            let mut other = held;
            other[at] += step;
            assert!(posterior(&other) < posterior(&held), "weight {at} {step}");
        }
    }
}
