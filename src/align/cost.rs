//! The cost of aligning sentences with each other.

use super::span::{Span, join};
use crate::sequence::band::Band;
use crate::sequence::path::Move;

/// The units of two pages that are to be aligned: consecutive blocks, or sentences of matched blocks.
#[derive(Clone, Copy)]
pub struct Units<'s> {
    /// The units of the first page. The words of each begin where those of the one before end.
    pub a: &'s [Span],
    /// The units of the second page.
    pub b: &'s [Span],
}

impl Units<'_> {
    /// The two sides of the step that ends before units `i` and `j`.
    pub(super) fn sides(&self, i: u32, j: u32, step: Move) -> (Span, Span) {
        (join(&self.a[(i - step.0) as usize..i as usize]), join(&self.b[(j - step.1) as usize..j as usize]))
    }
}

/// The shapes of beads that have two full sides.
pub const SHAPES: [Move; 4] = [(1, 1), (2, 1), (1, 2), (2, 2)];

/// The cost of the step of each of [`SHAPES`] that ends in a cell.
pub type StepCosts = [f32; SHAPES.len()];

/// The cost of aligning two spans.
pub trait Cost {
    /// The cost, in nats; negative where the spans look like translations, infinite where they cannot belong together.
    fn cost(&self, a: &Span, b: &Span) -> f32;

    /// Adds the costs of the steps that end in each cell (i, j) of a band, before units `i` and `j`. Doing this for the whole band allows
    /// shared data to be looked up once. Steps that begin before the first units are ignored.
    fn add(&mut self, units: &Units<'_>, band: &Band, costs: &mut [StepCosts]) {
        for i in 1..=band.n {
            let (low, high) = band.row(i);
            for j in low.max(1)..=high {
                let cell = &mut costs[band.cell(i, j)];
                for (cost, step) in cell.iter_mut().zip(SHAPES).filter(|(_, step)| step.0 <= i && step.1 <= j) {
                    let (a, b) = units.sides(i, j, step);
                    *cost += self.cost(&a, &b);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct MoreChars;

    impl Cost for MoreChars {
        fn cost(&self, a: &Span, b: &Span) -> f32 {
            a.chars as f32 - b.chars as f32
        }
    }

    #[test]
    fn a_step_costs_what_its_sides_cost_together() {
        let span = |chars: u32, at: u32| Span { chars, words: at..at + 1 };
        let (a, b) = ([span(10, 0), span(20, 1), span(40, 2)], [span(1, 0), span(2, 1)]);
        let units = Units { a: &a, b: &b };
        assert_eq!(units.sides(3, 1, (2, 1)), (Span { chars: 60, words: 1..3 }, span(1, 0)));
        let band = Band::along(3, 2, 3);
        let mut costs = vec![StepCosts::default(); band.cells()];
        MoreChars.add(&units, &band, &mut costs);
        assert_eq!(costs[band.cell(3, 2)], [38.0, 58.0, 37.0, 57.0]);
        assert_eq!(costs[band.cell(1, 2)], [8.0, 0.0, 7.0, 0.0]);
    }
}
