//! What it costs to say that sentences are translations.

use super::span::{Span, join};
use crate::sequence::band::Band;
use crate::sequence::path::Move;

/// The units of two pages that are to be aligned: consecutive blocks, or sentences of matched blocks.
#[derive(Clone, Copy)]
pub struct Units<'s> {
    /// Those of the first page. The words of each begin where those of the one before end.
    pub a: &'s [Span],
    /// Those of the second.
    pub b: &'s [Span],
}

impl Units<'_> {
    /// The two sides of the step that ends before units `i` and `j`.
    pub(super) fn sides(&self, i: u32, j: u32, step: Move) -> (Span, Span) {
        (join(&self.a[(i - step.0) as usize..i as usize]), join(&self.b[(j - step.1) as usize..j as usize]))
    }
}

/// What it costs to say that two spans are translations.
pub trait Cost {
    /// The cost, in nats; negative where the spans speak for each other.
    fn cost(&self, a: &Span, b: &Span) -> f32;

    /// Called before [`Cost::step`] is, for the cells of a band: what they have in common can be looked up once.
    fn enter(&mut self, _units: &Units<'_>, _band: &Band) {}

    /// The cost of the step that ends before units `i` and `j` of those entered last, a cell of its band; so is the cell
    /// it comes from. Both sides of the step have units.
    fn step(&self, units: &Units<'_>, i: u32, j: u32, step: Move) -> f32 {
        let (a, b) = units.sides(i, j, step);
        self.cost(&a, &b)
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
        assert_eq!(MoreChars.step(&units, 3, 2, (2, 1)), 58.0);
        assert_eq!(MoreChars.step(&units, 1, 2, (1, 2)), 7.0);
    }
}
