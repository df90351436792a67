//! The cost of a bead by the lengths of its sides.

use std::sync::LazyLock;

use super::cost::{Cost, SHAPES, StepCosts, Units};
use super::span::Span;
use crate::sequence::band::Band;

/// How the lengths of translations are related, in a language pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// c: characters of the second language for each character of the first.
    pub ratio: f32,
    /// s²: variance of the second length, for each character of the first.
    pub variance: f32,
}

impl Default for Lengths {
    /// Gale & Church's: c = 1 and s² = 6.8 (1993, §3.2), as for two European languages.
    fn default() -> Lengths {
        Lengths { ratio: 1.0, variance: 6.8 }
    }
}

/// How many times longer one language may be than the other at most; texts that differ more are not translations.
const MAX_RATIO: f64 = 10.0;

/// The variance is limited to this range.
const MIN_VARIANCE: f32 = 1.0;
const MAX_VARIANCE: f32 = 30.0;

/// Characters of the second language for each character of the first, limited to 0.1 to 10.
pub(super) fn ratio_of(chars_a: u64, chars_b: u64) -> f32 {
    (chars_b as f64 / chars_a as f64).clamp(1.0 / MAX_RATIO, MAX_RATIO) as f32
}

/// −ln of erfc(δ/√2).
fn cost_of(delta: f32) -> f32 {
    let x = delta / std::f32::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = t * (0.254_829_6 + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152_1 + t * 1.061_405_4))));
    (x * x - series.ln()).clamp(0.0, MAX_COST)
}

/// Costs are limited to this, in nats, so that sums stay finite.
pub const MAX_COST: f32 = 30.0;

impl Lengths {
    /// The same, seen from the second language: δ stays as it is, but for its sign.
    pub(super) fn reversed(&self) -> Lengths {
        Lengths { ratio: 1.0 / self.ratio, variance: self.variance / self.ratio.powi(3) }
    }

    /// The lengths of translations of translations: `next` begins with the second language of this one. The variances are added, as if they
    /// were independent.
    pub(super) fn then(&self, next: &Lengths) -> Lengths {
        let variance = next.ratio.powi(2) * self.variance + next.variance * self.ratio;
        Lengths { ratio: self.ratio * next.ratio, variance: variance.clamp(MIN_VARIANCE, MAX_VARIANCE) }
    }

    /// δ = (l2 − l1·c) / √(l·s²), in standard deviations.
    ///
    /// Departure from the paper's δ: the variance uses the mean length l = (l1 + l2/c)/2 in place of l1, as the program in the paper's
    /// appendix does, so that l1 = 0 is defined. For two empty sides δ is 0.
    pub fn delta(&self, l1: u32, l2: u32) -> f32 {
        let (l1, l2) = (l1 as f32, l2 as f32);
        let mean = (l1 + l2 / self.ratio) / 2.0;
        if mean == 0.0 { 0.0 } else { (l2 - l1 * self.ratio) / (mean * self.variance).sqrt() }
    }

    /// Cost of aligning `l1` characters of the first language with `l2` of the second: −ln(2·(1 − Φ(|δ|))), in nats, from 0
    /// to [`MAX_COST`] (Gale & Church 1993, §3.1).
    ///
    /// 2·(1 − Φ(x)) is erfc(x/√2), here by formula 7.1.26 of Abramowitz & Stegun (error below 1.5·10⁻⁷), whose logarithm
    /// stays finite where the probability itself would be 0.
    ///
    /// By hand: for lengths 100 and 126, c = 1, s² = 6.8: δ = 26/√(113·6.8) = 0.938, Φ = 0.826, cost −ln 0.348 = 1.055.
    pub fn cost(&self, l1: u32, l2: u32) -> f32 {
        cost_of(self.delta(l1, l2).abs())
    }

    /// [`Lengths::cost`] from a table, with an error below a thousandth of 1 + the cost: the search needs it very often.
    fn near_cost(&self, l1: u32, l2: u32) -> f32 {
        let at = self.delta(l1, l2).abs() * TABLE_STEPS;
        let costs = &COSTS[..];
        let below = at as usize;
        match (costs.get(below), costs.get(below + 1)) {
            (Some(low), Some(high)) => low + (high - low) * (at - below as f32),
            _ => MAX_COST,
        }
    }

    /// Estimates the lengths from pairs that are known to be translations; `None` when there are too few.
    ///
    /// c is the ratio of the sums. s² is the mean of (l2 − l1·c)²/l over those nine tenths of the pairs that are nearest to c, times
    /// `TRIMMED`, since the rest may not be translations; it is limited to `MIN_VARIANCE` to `MAX_VARIANCE`.
    pub fn estimate(pairs: &[(u32, u32)]) -> Option<Lengths> {
        const MIN_PAIRS: usize = 20;
        /// Variance of a normal distribution, divided by the variance of its inner nine tenths.
        const TRIMMED: f32 = 1.79;
        let sums = pairs.iter().fold((0u64, 0u64), |(a, b), &(l1, l2)| (a + u64::from(l1), b + u64::from(l2)));
        if pairs.len() < MIN_PAIRS || sums.0 == 0 || sums.1 == 0 {
            return None;
        }
        let ratio = ratio_of(sums.0, sums.1);
        let unit = Lengths { ratio, variance: 1.0 };
        let mut squares: Vec<f32> = pairs.iter().map(|&(l1, l2)| unit.delta(l1, l2).powi(2)).collect();
        squares.sort_by(f32::total_cmp);
        squares.truncate(squares.len() * 9 / 10);
        let mean = squares.iter().sum::<f32>() / squares.len() as f32;
        Some(Lengths { ratio, variance: (mean * TRIMMED).clamp(MIN_VARIANCE, MAX_VARIANCE) })
    }
}

impl Cost for Lengths {
    fn cost(&self, a: &Span, b: &Span) -> f32 {
        self.near_cost(a.chars, b.chars)
    }

    fn add(&mut self, units: &Units<'_>, band: &Band, costs: &mut [StepCosts]) {
        for i in 1..=band.n {
            let (low, high) = band.row(i);
            let chars_a = last_two(units.a, i);
            for j in low.max(1)..=high {
                let chars_b = last_two(units.b, j);
                for (cost, (m, n)) in costs[band.cell(i, j)].iter_mut().zip(SHAPES) {
                    *cost += self.near_cost(chars_a[m as usize - 1], chars_b[n as usize - 1]);
                }
            }
        }
    }
}

/// The characters of the unit that ends at a place, and of the last two units together.
fn last_two(units: &[Span], end: u32) -> [u32; 2] {
    let end = end as usize;
    let last = units[end - 1].chars;
    [last, if end > 1 { last.saturating_add(units[end - 2].chars) } else { last }]
}

/// Steps of the table of costs per unit of δ.
const TABLE_STEPS: f32 = 64.0;

/// Costs of δ = 0, 1/64, 2/64, … up to where they reach [`MAX_COST`].
static COSTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let costs = (0u16..).map(|step| cost_of(f32::from(step) / TABLE_STEPS));
    let mut costs: Vec<f32> = costs.take_while(|&cost| cost < MAX_COST).collect();
    costs.push(MAX_COST);
    costs
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_costs_what_it_does_by_hand() {
        let lengths = Lengths::default();
        assert!((lengths.delta(100, 126) - 0.938).abs() < 1e-3);
        assert!((lengths.cost(100, 126) - 1.055).abs() < 2e-3, "{}", lengths.cost(100, 126));
        assert!(lengths.cost(0, 0) < 1e-6);
    }

    #[test]
    fn the_table_gives_the_costs_of_the_formula() {
        let lengths = Lengths { ratio: 1.3, variance: 5.0 };
        for (l1, l2) in (0..200).flat_map(|l1| (0..300).map(move |l2| (l1, l2))) {
            let (fast, slow) = (lengths.near_cost(l1, l2), lengths.cost(l1, l2));
            assert!((fast - slow).abs() < 1e-3 * (1.0 + slow), "{l1} {l2}: {fast} {slow}");
        }
        assert_eq!(lengths.near_cost(0, u32::MAX), MAX_COST);
    }

    #[test]
    fn costs_grow_with_the_distance_and_stay_finite() {
        let lengths = Lengths::default();
        let costs: Vec<f32> = (100..400).map(|l2| lengths.cost(100, l2)).collect();
        assert!(costs.is_sorted(), "{costs:?}");
        assert_eq!(lengths.cost(0, 1_000_000), MAX_COST);
        assert!(lengths.cost(u32::MAX, 0).is_finite());
    }

    #[test]
    fn lengths_are_learnt_from_translations() {
        let pairs: Vec<(u32, u32)> = (20..120).flat_map(|l| [(l, l * 2 - 3), (l, l * 2 + 3)]).collect();
        let lengths = Lengths::estimate(&pairs).expect("enough");
        assert!((lengths.ratio - 2.0).abs() < 0.01);
        assert_eq!(lengths.variance, 1.0);
        assert_eq!(Lengths::estimate(&pairs[..10]), None);
    }
}
