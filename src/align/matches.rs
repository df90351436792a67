//! The cost of beads by their words, for all beads of a band at once.
//!
//! The cost of [`WordEvidence`] for a bead is a sum over the words of one side; the contribution of each word depends on the sum of p(word | e)
//! over the words e of the other side. So for a side of two units, the contributions of their words are added, and for two units on the
//! other side, their p. The p of a unit, and of a unit together with the one before it, are added up once for all units in the band that
//! may be aligned with it.
//!
//! A unit is not compared with a unit that has very many more words. So the time for all cells of a band together grows with the words of
//! its rows and columns, whatever these words are.

use std::ops::Range;

use super::cost::{Cost, SHAPES, StepCosts, Units};
use super::span::Span;
use super::translation::{Limits, Side, WordEvidence, bounded};
use crate::sequence::band::Band;

/// The cost of [`WordEvidence`], prepared for the beads of a band.
pub struct Matches<'e> {
    evidence: &'e WordEvidence,
    limits: Limits,
    /// For each cell of a band that is wider by one, for the units before the cell: L(b|a), L(b|a and the one before), L(a|b), L(a|b and
    /// the one before), all without α.
    logs: Vec<[f32; 4]>,
    /// Working space of [`Side::add`].
    sums: [Vec<[f32; 2]>; 2],
}

/// A translation has at most this many times as many words as the other side, plus …
const MAX_TIMES: usize = 8;
/// … this many. Both are estimates; the cost of lengths rules out such beads long before.
const MAX_MORE: usize = 32;

/// False for sides that cannot be translations because their numbers of words differ too much.
fn is_plausible(words_a: usize, words_b: usize) -> bool {
    words_a.max(words_b) <= MAX_TIMES * words_a.min(words_b) + MAX_MORE
}

impl<'e> Matches<'e> {
    /// For the words of two pages; no band is prepared yet.
    pub fn new(evidence: &'e WordEvidence) -> Matches<'e> {
        let sums = [&evidence.a, &evidence.b].map(|side| vec![[0.0; 2]; side.distinct()]);
        Matches { evidence, limits: Limits::new(&evidence.params), logs: Vec::new(), sums }
    }

    /// Computes L for all cells of a band.
    fn enter(&mut self, units: &Units<'_>, band: &Band) {
        self.logs.clear();
        self.logs.resize(band.cells(), [0.0; 4]);
        let (evidence, logs, limits) = (self.evidence, &mut self.logs, &self.limits);
        let between = |first: u32, last: u32| first.max(1) as usize - 1..last as usize;
        let of_a = |i: usize| {
            let (low, high) = band.row(i as u32 + 1);
            between(low, high)
        };
        let (a, b) = ((&evidence.a, units.a), (&evidence.b, units.b));
        sums(b, a, (limits, &mut self.sums[1]), of_a, |j, i, log| {
            logs[band.cell(i as u32 + 1, j as u32 + 1)][..2].copy_from_slice(&log);
        });
        // The rows of the band that contain column j + 1; neither end of this range ever decreases.
        let (mut first, mut last) = (0, 0);
        let of_b = |j: usize| {
            let j = j as u32 + 1;
            while first <= band.n && band.row(first).1 < j {
                first += 1;
            }
            while last < band.n && band.row(last + 1).0 <= j {
                last += 1;
            }
            between(first, last)
        };
        sums(a, b, (limits, &mut self.sums[0]), of_b, |i, j, log| {
            logs[band.cell(i as u32 + 1, j as u32 + 1)][2..].copy_from_slice(&log);
        });
    }
}

impl Cost for Matches<'_> {
    fn cost(&self, a: &Span, b: &Span) -> f32 {
        if is_plausible(a.words.len(), b.words.len()) { self.evidence.cost(a, b) } else { f32::INFINITY }
    }

    fn add(&mut self, units: &Units<'_>, band: &Band, costs: &mut [StepCosts]) {
        // Beads of two units need the neighbouring cells.
        let wider = band.wider();
        self.enter(units, &wider);
        let alpha = self.evidence.params.alpha;
        let words = |spans: &[Span], last: u32, count: u32| -> usize {
            spans[(last - count) as usize..last as usize].iter().map(|span| span.words.len()).sum()
        };
        for i in 1..=band.n {
            let (low, high) = band.row(i);
            for j in low.max(1)..=high {
                let at = |i: u32, j: u32| &self.logs[wider.cell(i, j)];
                let here = at(i, j);
                let above = if i > 1 { at(i - 1, j) } else { here };
                let left = if j > 1 { at(i, j - 1) } else { here };
                let sums = [
                    here[0] + here[2],
                    here[1] + here[2] + above[2],
                    here[0] + left[0] + here[3],
                    here[1] + left[1] + here[3] + above[3],
                ];
                let costs = &mut costs[band.cell(i, j)];
                for ((cost, sum), (m, n)) in costs.iter_mut().zip(sums).zip(SHAPES) {
                    if m > i || n > j {
                        continue;
                    }
                    let (words_a, words_b) = (words(units.a, i, m), words(units.b, j, n));
                    *cost += match is_plausible(words_a, words_b) {
                        true if alpha == 1.0 => bounded(-sum / 2.0),
                        true => bounded(-sum / 2.0 - words_a.abs_diff(words_b) as f32 * alpha.ln()),
                        false => f32::INFINITY,
                    };
                }
            }
        }
    }
}

/// Calls `each` for each source unit and each target unit in its `window`, with L(target | source) and L(target | source and the one
/// before); targets with too many words for either are skipped. Neither end of the window may decrease from one unit to the next.
fn sums(
    (to, targets): (&Side, &[Span]),
    (from, sources): (&Side, &[Span]),
    (limits, sums): (&Limits, &mut Vec<[f32; 2]>),
    mut window: impl FnMut(usize) -> Range<usize>,
    mut each: impl FnMut(usize, usize, [f32; 2]),
) {
    let mut before = 0..0;
    for (unit, source) in sources.iter().enumerate() {
        let source = &source.words;
        from.add(source, sums, [1.0, 1.0]);
        from.add(&before, sums, [0.0, 1.0]);
        let length = source.len() + before.len();
        let over = [limits.over(source.len()), limits.over(length)];
        let window = window(unit);
        let end = window.end.min(targets.len());
        for (target, number) in targets[window.start.min(end)..end].iter().zip(window.start..) {
            if target.words.len() <= MAX_TIMES * length + MAX_MORE {
                each(number, unit, to.logs(&target.words, sums, over, limits));
            }
        }
        from.clear(source, sums);
        from.clear(&before, sums);
        before = source.clone();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::model::{Model, Vocabulary};
    use super::super::translation::Params;
    use super::*;
    use crate::align::Document;

    /// A model in which word 10 + n is translated by 20 + n, with small probabilities for its neighbours; word 5 is the same in both
    /// languages.
    fn model() -> Model {
        let side = |first: u64| {
            let mut side = Vocabulary::default();
            for n in 0..8u32 {
                side.words.push(first + u64::from(n));
                side.shares.push(0.002 + n as f32 * 0.02);
                side.targets.extend([n, (n + 1) % 8, (n + 5) % 8]);
                side.probabilities.extend([0.6, 0.2, 0.05]);
                side.ends.push(side.targets.len() as u32);
            }
            side
        };
        Model { a: side(10), b: side(20), ..Model::default() }
    }

    /// A page of units with these words.
    fn page(units: &[Vec<u64>]) -> (Document<'static>, Vec<Span>) {
        let mut document =
            Document { text: "", blocks: Vec::new(), sentences: Vec::new(), words: Vec::new(), rest: 0..0 };
        let mut spans = Vec::new();
        for unit in units {
            let start = document.words.len() as u32;
            document.words.extend(unit);
            spans.push(Span { chars: 6 * unit.len() as u32, words: start..document.words.len() as u32 });
        }
        (document, spans)
    }

    fn units(first: u64) -> impl Strategy<Value = Vec<Vec<u64>>> {
        let word = prop_oneof![8 => first..first + 8, 1 => Just(5u64), 1 => 90u64..93];
        prop::collection::vec(prop::collection::vec(word, 0..9), 0..14)
    }

    proptest! {
        #[test]
        fn every_step_of_a_band_costs_what_it_does_alone(
            a in units(10), b in units(20), width in 1u32..6, alpha in prop::sample::select(vec![1.0f32, 0.8]),
            max_word in prop::sample::select(vec![0.5f32, 6.0, 40.0]),
        ) {
            let ((page_a, spans_a), (page_b, spans_b)) = (page(&a), page(&b));
            let params = Params { alpha, max_word, ..Params::default() };
            let evidence = WordEvidence::new(&page_a, &page_b, &model(), &params);
            let (n, m) = (spans_a.len() as u32, spans_b.len() as u32);
            let mut matches = Matches::new(&evidence);
            // First a part of the page, then the whole page: nothing may be left over from the units before.
            let parts = [(n / 3, m / 4), (0, 0)];
            for (from_a, from_b) in parts {
                let units = Units { a: &spans_a[from_a as usize..], b: &spans_b[from_b as usize..] };
                let (n, m) = (n - from_a, m - from_b);
                let band = Band::along(n, m, width + m / n.max(1));
                let mut costs = vec![StepCosts::default(); band.cells()];
                matches.add(&units, &band, &mut costs);
                for i in 1..=n {
                    let (low, high) = band.row(i);
                    for j in low.max(1)..=high {
                        for (step, shape) in SHAPES.into_iter().zip(0..) {
                            let Some((from_i, from_j)) = i.checked_sub(step.0).zip(j.checked_sub(step.1)) else { continue };
                            let (low, high) = band.row(from_i);
                            if from_j < low || from_j > high {
                                continue;
                            }
                            let (side_a, side_b) = units.sides(i, j, step);
                            let (fast, slow) = (costs[band.cell(i, j)][shape], evidence.cost(&side_a, &side_b));
                            prop_assert!((fast - slow).abs() < 1e-3, "{i} {j} {step:?}: {fast} {slow}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn long_units_do_not_overflow() {
        let long: Vec<u64> = (0..4000).map(|n| 10 + n % 8).collect();
        let other: Vec<u64> = (0..4000).map(|n| 20 + n % 8).collect();
        let ((page_a, spans_a), (page_b, spans_b)) = (page(&[long, vec![10]]), page(&[other, vec![20]]));
        for free_words in [0.35, 1e-6] {
            let params = Params { free_words, max_word: 40.0, ..Params::default() };
            let evidence = WordEvidence::new(&page_a, &page_b, &model(), &params);
            let units = Units { a: &spans_a, b: &spans_b };
            let mut matches = Matches::new(&evidence);
            let band = Band::along(2, 2, 3);
            let mut costs = vec![StepCosts::default(); band.cells()];
            matches.add(&units, &band, &mut costs);
            for (i, j, shape) in [(1, 1, 0), (2, 2, 3)] {
                let (a, b) = units.sides(i, j, SHAPES[shape]);
                let (fast, slow) = (costs[band.cell(i, j)][shape], evidence.cost(&a, &b));
                assert!((fast - slow).abs() < slow.abs() * 1e-3 + 0.01, "{fast} {slow}");
            }
            assert_eq!(costs[band.cell(2, 1)][0], f32::INFINITY, "one word and four thousand");
        }
    }
}
