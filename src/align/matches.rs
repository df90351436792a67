//! Cost of beads from their words, for all beads of a band at once.
//!
//! What [`Evidence`] says of a bead is a sum over the words of one side, and each word's part hangs on the sum of p(word | e)
//! over the words e of the other side. So the words of two units have their parts added, and those of two units on the other side
//! their p. Each word gets a row of the units that may translate it, made once; a cell of the band then takes time
//! as the words that do have translations there.

use super::cost::{Cost, Units};
use super::span::Span;
use super::translation::{Evidence, Side};
use crate::sequence::band::Band;
use crate::sequence::path::Move;

/// The cost of [`Evidence`], made ready for the beads of a band.
pub struct Matches<'e> {
    evidence: &'e Evidence,
    /// A cell wider than the band that was entered: beads of two units look at neighbours.
    band: Band,
    /// For each cell, of the units before it: L(b|a), L(b|a, the one before), L(a|b), L(a|b, the one before), but for α.
    logs: Vec<[f32; 4]>,
    /// Rows of the words of each page.
    rows: [Rows; 2],
}

impl<'e> Matches<'e> {
    /// One that has not entered a band.
    pub fn new(evidence: &'e Evidence) -> Matches<'e> {
        let rows = [&evidence.a, &evidence.b].map(|side| Rows { ids: vec![0; side.distinct()], ..Rows::default() });
        Matches { evidence, band: Band::along(0, 0, 0), logs: Vec::new(), rows }
    }
}

impl Cost for Matches<'_> {
    fn cost(&self, a: &Span, b: &Span) -> f32 {
        self.evidence.cost(a, b)
    }

    fn enter(&mut self, units: &Units<'_>, band: &Band) {
        self.band = band.wider();
        self.logs.clear();
        self.logs.resize(self.band.cells(), [0.0; 4]);
        let (evidence, band, logs) = (self.evidence, &self.band, &mut self.logs);
        let between = |first: u32, last: u32| first.max(1) as usize - 1..last as usize;
        let of_a = |i: usize| {
            let (low, high) = band.row(i as u32 + 1);
            between(low, high)
        };
        sums(&mut self.rows[0], (&evidence.a, units.a), (&evidence.b, units.b), &evidence.params, of_a, |i, j, log| {
            logs[band.cell(i as u32 + 1, j as u32 + 1)][2..].copy_from_slice(&log);
        });
        // Rows of the band that hold column j + 1: neither of their ends ever falls.
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
        sums(&mut self.rows[1], (&evidence.b, units.b), (&evidence.a, units.a), &evidence.params, of_b, |j, i, log| {
            logs[band.cell(i as u32 + 1, j as u32 + 1)][..2].copy_from_slice(&log);
        });
    }

    fn step(&self, units: &Units<'_>, i: u32, j: u32, step: Move) -> f32 {
        let at = |i: u32, j: u32| &self.logs[self.band.cell(i, j)];
        let sum = match step {
            (1, 1) => at(i, j)[0] + at(i, j)[2],
            (2, 1) => at(i, j)[1] + at(i, j)[2] + at(i - 1, j)[2],
            (1, 2) => at(i, j)[0] + at(i, j - 1)[0] + at(i, j)[3],
            (2, 2) => at(i, j)[1] + at(i, j - 1)[1] + at(i, j)[3] + at(i - 1, j)[3],
            _ => {
                let (a, b) = units.sides(i, j, step);
                return self.cost(&a, &b);
            }
        };
        let alpha = self.evidence.params.alpha;
        if alpha == 1.0 {
            return -sum / 2.0;
        }
        let (a, b) = units.sides(i, j, step);
        -sum / 2.0 - a.words.len().abs_diff(b.words.len()) as f32 * alpha.ln()
    }
}

/// For each word of some units, the units of the other page that may translate it.
#[derive(Default)]
struct Rows {
    /// For each word of the page: 0, or one more than the number of its row.
    ids: Vec<u32>,
    /// The words that have a row.
    words: Vec<u32>,
    /// Row, unit, Σ p(word | e) over the words e of the unit, in the order of the units.
    found: Vec<(u32, u32, f32)>,
    /// The same, row after row.
    sorted: Vec<(u32, f32)>,
    /// Where rows begin, as far as they are still of use, and where they end.
    ranges: Vec<(u32, u32)>,
}

impl Rows {
    fn fill(&mut self, to: &Side, targets: &[Span], from: &Side, sources: &[Span]) {
        for word in self.words.drain(..) {
            self.ids[word as usize] = 0;
        }
        for &word in words(to, targets) {
            let id = &mut self.ids[word as usize];
            if *id == 0 {
                self.words.push(word);
                *id = self.words.len() as u32;
            }
        }
        self.found.clear();
        self.ranges.clear();
        self.ranges.resize(self.words.len(), (0, 0));
        for (span, unit) in sources.iter().zip(0u32..) {
            for &word in &from.words[span.words.start as usize..span.words.end as usize] {
                for &(target, p) in from.targets(word as usize) {
                    if let Some(row) = self.ids[target as usize].checked_sub(1) {
                        self.found.push((row, unit, p));
                        self.ranges[row as usize].1 += 1;
                    }
                }
            }
        }
        let mut sum = 0;
        for range in &mut self.ranges {
            sum += range.1;
            *range = (sum - range.1, sum - range.1);
        }
        self.sorted.clear();
        self.sorted.resize(self.found.len(), (0, 0.0));
        for &(row, unit, p) in &self.found {
            let (start, end) = &mut self.ranges[row as usize];
            match self.sorted[*start as usize..*end as usize].last_mut() {
                Some(last) if last.0 == unit => last.1 += p,
                _ => {
                    self.sorted[*end as usize] = (unit, p);
                    *end += 1;
                }
            }
        }
    }

    /// The part of a row that begins at `unit` or the one before it. Units never fall from one call to the next.
    fn from(&mut self, row: usize, unit: usize) -> &[(u32, f32)] {
        let (start, end) = &mut self.ranges[row];
        while start < end && (self.sorted[*start as usize].0 as usize) + 1 < unit {
            *start += 1;
        }
        &self.sorted[*start as usize..*end as usize]
    }
}

fn words<'s>(side: &'s Side, spans: &[Span]) -> &'s [u32] {
    match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => &side.words[first.words.start as usize..last.words.end as usize],
        _ => &[],
    }
}

/// Gives, for each target unit and each source unit in its `window`, L(target | source) and L(target | source and the one before).
/// Neither end of the window may fall from one unit to the next.
fn sums(
    rows: &mut Rows,
    (to, targets): (&Side, &[Span]),
    (from, sources): (&Side, &[Span]),
    params: &super::translation::Params,
    mut window: impl FnMut(usize) -> std::ops::Range<usize>,
    mut each: impl FnMut(usize, usize, [f32; 2]),
) {
    rows.fill(to, targets, from, sources);
    let free = params.free_words;
    let none = free.ln();
    let max_ratio = params.max_word.exp();
    let over = |length: usize| (1.0 - free) / (length + 1) as f32;
    let alone: Vec<f32> = sources.iter().map(|span| over(span.words.len())).collect();
    let with_last = |unit: usize| if unit == 0 { 0 } else { sources[unit - 1].words.len() };
    let paired: Vec<f32> = (0..sources.len()).map(|unit| over(sources[unit].words.len() + with_last(unit))).collect();
    // Products of so many words stay far inside the range of f64; one logarithm does for all of them.
    let chunk = (500.0 / (params.max_word.abs() - none).max(1.0)).max(1.0) as usize;
    let mut products: Vec<[f64; 2]> = Vec::new();
    let mut logs: Vec<[f32; 2]> = Vec::new();
    for (unit, span) in targets.iter().enumerate() {
        let window = window(unit);
        let (low, high) = (window.start, window.end.min(sources.len()));
        let count = high.saturating_sub(low);
        logs.clear();
        logs.resize(count, [0.0; 2]);
        products.clear();
        products.resize(count, [1.0; 2]);
        let mut known = 0;
        for part in to.words[span.words.start as usize..span.words.end as usize].chunks(chunk) {
            for &word in part {
                let word = word as usize;
                // A word with no translation in a unit says ln ε there; where it has one, that is taken back.
                let factor = if to.known[word] { 1.0 / free } else { 1.0 };
                known += u32::from(to.known[word]);
                let over_share = 1.0 / to.shares[word];
                let term = |p: f32| f64::from((free + p * over_share).min(max_ratio) * factor);
                let row = rows.from(rows.ids[word] as usize - 1, low);
                let mut before = (usize::MAX, 0.0);
                for (at, &(source, p)) in row.iter().enumerate() {
                    let source = source as usize;
                    if source >= high {
                        break;
                    }
                    if source >= low {
                        let both = if before.0.wrapping_add(1) == source { p + before.1 } else { p };
                        let product = &mut products[source - low];
                        product[0] *= term(p * alone[source]);
                        product[1] *= term(both * paired[source]);
                    }
                    let next = source + 1;
                    if next < high && row.get(at + 1).is_none_or(|entry| entry.0 as usize != next) {
                        products[next - low][1] *= term(p * paired[next]);
                    }
                    before = (source, p);
                }
            }
            for (log, product) in logs.iter_mut().zip(&mut products) {
                log[0] += product[0].ln() as f32;
                log[1] += product[1].ln() as f32;
                *product = [1.0; 2];
            }
        }
        for (source, log) in (low..high).zip(&logs) {
            each(unit, source, log.map(|log| log + known as f32 * none));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::model::{Model, Vocabulary};
    use super::super::translation::Params;
    use super::*;
    use crate::align::Document;

    /// A model in which word 10 + n is translated by 20 + n, and a little by its neighbours; word 5 is the same in both.
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
        let mut document = Document { text: "", blocks: Vec::new(), sentences: Vec::new(), words: Vec::new() };
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
            let evidence = Evidence::new(&page_a, &page_b, &model(), &params);
            let (n, m) = (spans_a.len() as u32, spans_b.len() as u32);
            let mut matches = Matches::new(&evidence);
            // A part of the page, then all of it: nothing is left over from the units before.
            let parts = [(n / 3, m / 4), (0, 0)];
            for (from_a, from_b) in parts {
                let units = Units { a: &spans_a[from_a as usize..], b: &spans_b[from_b as usize..] };
                let (n, m) = (n - from_a, m - from_b);
                let band = Band::along(n, m, width + m / n.max(1));
                matches.enter(&units, &band);
                for i in 1..=n {
                    let (low, high) = band.row(i);
                    for j in low.max(1)..=high {
                        for step in [(1, 1), (2, 1), (1, 2), (2, 2)] {
                            let Some((from_i, from_j)) = i.checked_sub(step.0).zip(j.checked_sub(step.1)) else { continue };
                            let (low, high) = band.row(from_i);
                            if from_j < low || from_j > high {
                                continue;
                            }
                            let (side_a, side_b) = units.sides(i, j, step);
                            let (fast, slow) = (matches.step(&units, i, j, step), evidence.cost(&side_a, &side_b));
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
            let evidence = Evidence::new(&page_a, &page_b, &model(), &params);
            let units = Units { a: &spans_a, b: &spans_b };
            let mut matches = Matches::new(&evidence);
            matches.enter(&units, &Band::along(2, 2, 3));
            for (i, j, step) in [(1, 1, (1, 1)), (2, 2, (2, 2)), (2, 1, (1, 1))] {
                let (a, b) = units.sides(i, j, step);
                let (fast, slow) = (matches.step(&units, i, j, step), evidence.cost(&a, &b));
                assert!((fast - slow).abs() < slow.abs() * 1e-3 + 0.01, "{fast} {slow}");
            }
        }
    }
}
