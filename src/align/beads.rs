//! Finds the cheapest alignment of two pages: first of their blocks, then of the sentences of blocks that belong together.

use std::ops::Range;

use super::cost::{Cost, SHAPES, StepCosts, Units};
use super::costs::COSTS;
use super::document::Document;
use super::lengths::Lengths;
use super::params::Params;
use super::span::Span;
use super::translation::WordEvidence;
use super::widen::widen;
use crate::sequence::band::Band;
use crate::sequence::path::{Move, Steps, cheapest};
use crate::types::Bead;

/// The ways in which sentences can be grouped into a bead, each with a cost of its own: −ln of its frequency (Gale & Church 1993, table 5).
/// The paper gives one number for 1–0 and 0–1 together, and one for 2–1 and 1–2 together; each is divided by two.
const SENTENCE_MOVES: [(Move, f32); 6] =
    [((1, 1), 0.117), ((1, 0), 5.308), ((0, 1), 5.308), ((2, 1), 3.112), ((1, 2), 3.112), ((2, 2), 4.510)];

/// The same for grouping blocks: −ln of 0.9, 0.04, 0.04, 0.01, 0.01. An estimate: blocks are left out more often than sentences, and seldom
/// grouped.
const BLOCK_MOVES: [(Move, f32); 5] =
    [((1, 1), 0.105), ((1, 0), 3.219), ((0, 1), 3.219), ((2, 1), 4.605), ((1, 2), 4.605)];

/// What each sentence beyond two adds to the cost of a bead, in nats (an estimate).
const WIDER: f32 = 1.4;

/// Aligns two pages: returns beads that contain each sentence of both pages once, in order.
///
/// Time and memory grow with the length of the pages where they are parallel. The cost of a bead is the cost of its shape plus the sum of
/// the [`Params::costs`]. A bead groups sentences of a single block only.
pub fn align(
    a: &Document<'_>,
    b: &Document<'_>,
    evidence: &WordEvidence,
    lengths: &Lengths,
    params: &Params,
) -> Vec<Bead> {
    let costs = COSTS.iter().filter(|(name, _)| params.costs.contains(name)).map(|(_, make)| make(evidence, lengths));
    align_by(a, b, costs.collect(), lengths, params)
}

/// As [`align`], with the sum of any costs.
pub fn align_by<'e>(
    a: &Document<'_>,
    b: &Document<'_>,
    mut costs: Vec<Box<dyn Cost + 'e>>,
    lengths: &'e Lengths,
    params: &'e Params,
) -> Vec<Bead> {
    let mut beads = Vec::with_capacity(a.sentences.len().max(b.sentences.len()));
    let sentences = (a.sentence_spans(), b.sentence_spans());
    let (mut i, mut j) = (0, 0);
    for step in match_blocks(a, b, &mut costs, lengths, params) {
        let inside = (a.sentences_of(i..i + step.0), b.sentences_of(j..j + step.1));
        (i, j) = (i + step.0, j + step.1);
        let (start_a, start_b) = (inside.0.start, inside.1.start);
        let part = |spans: &'_ [Span], range: &Range<u32>| range.start as usize..(range.end as usize).min(spans.len());
        let units =
            Units { a: &sentences.0[part(&sentences.0, &inside.0)], b: &sentences.1[part(&sentences.1, &inside.1)] };
        let (mut at_a, mut at_b) = (start_a, start_b);
        let joined = |document: &Document<'_>, last: u32| {
            document.sentences[last as usize].block == document.sentences[last as usize - 1].block
        };
        let is_allowed = |i: u32, j: u32, step: Move| {
            (step.0 < 2 || joined(a, start_a + i - 1)) && (step.1 < 2 || joined(b, start_b + j - 1))
        };
        let first = beads.len();
        for step in match_sentences(&units, is_allowed, &mut costs, lengths, params) {
            beads.push(Bead { a_start: at_a, a_end: at_a + step.0, b_start: at_b, b_end: at_b + step.1 });
            (at_a, at_b) = (at_a + step.0, at_b + step.1);
        }
        widen(&mut beads, first, [a, b], |bead| bead_cost(bead, [a, b], &costs, lengths, params));
    }
    beads
}

/// What a bead costs, however many sentences it groups.
fn bead_cost(
    bead: &Bead,
    [a, b]: [&Document<'_>; 2],
    costs: &[Box<dyn Cost + '_>],
    lengths: &Lengths,
    params: &Params,
) -> f32 {
    let (side_a, side_b) = (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
    let shape = shape_cost(bead.shape());
    if bead.is_paired() {
        return shape + costs.iter().map(|cost| cost.cost(&side_a, &side_b)).sum::<f32>();
    }
    shape + left_out_cost((side_a.chars, side_b.chars), lengths, params)
}

/// The cost of the lengths of two sides of which one is empty. There are no words to compare.
fn left_out_cost((a, b): (u32, u32), lengths: &Lengths, params: &Params) -> f32 {
    if params.costs.contains(&"lengths") { lengths.cost(a, b) } else { 0.0 }
}

/// The cost of the shape of a bead; each sentence beyond two makes it [`WIDER`].
fn shape_cost((m, n): Move) -> f32 {
    let known = SENTENCE_MOVES.iter().find(|(step, _)| *step == (m.min(2), n.min(2)));
    known.map_or(f32::INFINITY, |(_, cost)| cost + WIDER * (m.saturating_sub(2) + n.saturating_sub(2)) as f32)
}

fn match_blocks(
    a: &Document<'_>,
    b: &Document<'_>,
    costs: &mut [Box<dyn Cost + '_>],
    lengths: &Lengths,
    params: &Params,
) -> Vec<Move> {
    let (n, m) = (a.blocks.len() as u32, b.blocks.len() as u32);
    if !params.blocks {
        return if n == 0 && m == 0 { Vec::new() } else { vec![(n, m)] };
    }
    let (spans_a, spans_b) = (a.block_spans(), b.block_spans());
    let tag = |document: &Document<'_>, block: u32| document.blocks[block as usize].tag;
    let same_tags = |i: u32, j: u32| tag(a, i) == tag(b, j);
    let search = |inside: (Range<u32>, Range<u32>), costs: &mut [Box<dyn Cost + '_>]| {
        let (first_a, first_b) = (inside.0.start, inside.1.start);
        let units = Units { a: &spans_a[within(&inside.0)], b: &spans_b[within(&inside.1)] };
        let extra = |i: u32, j: u32, step: Move| {
            if same_tags(first_a + i - step.0, first_b + j - step.1) { 0.0 } else { params.tag_cost }
        };
        let mut steps = BeadCosts::new(&units, &BLOCK_MOVES, costs, extra);
        steps.leave_out(lengths, params, params.missing_block);
        cheapest(
            inside.0.len() as u32,
            inside.1.len() as u32,
            &BLOCK_MOVES.map(|(step, _)| step),
            &params.path,
            &mut steps,
        )
    };
    // The common tags of both pages, from the start and from the end.
    let fewer = n.min(m);
    let start = (0..fewer).take_while(|&k| same_tags(k, k)).count() as u32;
    let end = (0..fewer - start).take_while(|&k| same_tags(n - 1 - k, m - 1 - k)).count() as u32;
    let mut moves = Vec::with_capacity(n.max(m) as usize);
    let (mut i, mut j) = (0, 0);
    let diagonals = [(0..start, 0..start), (n - end..n, m - end..m)];
    for (of_a, of_b) in diagonals {
        let sides = || spans_a[within(&of_a)].iter().zip(&spans_b[within(&of_b)]);
        for (k, is_anchor) in (0u32..).zip(anchors(sides(), costs)) {
            let (at_a, at_b) = (of_a.start + k, of_b.start + k);
            if is_anchor {
                if (i, j) != (at_a, at_b) {
                    moves.extend(search((i..at_a, j..at_b), costs));
                }
                moves.push((1, 1));
                (i, j) = (at_a + 1, at_b + 1);
            }
        }
    }
    if (i, j) != (n, m) {
        moves.extend(search((i..n, j..m), costs));
    }
    moves
}

fn within(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Two units whose cost, in nats, is no more than this surely belong together, if their neighbours do too. Units that are not translations
/// cost more than 0. An estimate.
const SURE_COST: f32 = -1.0;
/// In a run of this many sure pairs, no other alignment is searched for. An estimate.
const SURE_RUN: usize = 3;

/// For pairs of units of two pages, whether they belong together as far as their costs show.
fn sure<'s>(pairs: impl Iterator<Item = (&'s Span, &'s Span)>, costs: &[Box<dyn Cost + '_>]) -> Vec<bool> {
    let cost = |(a, b): (&Span, &Span)| costs.iter().map(|cost| cost.cost(a, b)).sum::<f32>();
    pairs.map(|pair| cost(pair) <= SURE_COST).collect()
}

/// The same, but only for pairs in a run of sure ones.
fn anchors<'s>(pairs: impl Iterator<Item = (&'s Span, &'s Span)>, costs: &[Box<dyn Cost + '_>]) -> Vec<bool> {
    let mut sure = sure(pairs, costs);
    for run in sure.chunk_by_mut(|x, y| x == y) {
        if run.len() < SURE_RUN {
            run.fill(false);
        }
    }
    sure
}

fn match_sentences(
    units: &Units<'_>,
    is_allowed: impl Fn(u32, u32, Move) -> bool,
    costs: &mut [Box<dyn Cost + '_>],
    lengths: &Lengths,
    params: &Params,
) -> Vec<Move> {
    let (n, m) = (units.a.len() as u32, units.b.len() as u32);
    match (n, m) {
        // The blocks were matched by this very cost.
        (1, 1) => return vec![(1, 1)],
        (_, 0) => return vec![(1, 0); n as usize],
        (0, _) => return vec![(0, 1); m as usize],
        _ if n == m && sure(units.a.iter().zip(units.b), costs).iter().all(|&sure| sure) => {
            return vec![(1, 1); n as usize];
        }
        _ => {}
    }
    let extra = |i: u32, j: u32, step: Move| if is_allowed(i, j, step) { 0.0 } else { f32::INFINITY };
    let mut steps = BeadCosts::new(units, &SENTENCE_MOVES, costs, extra);
    steps.leave_out(lengths, params, 1.0);
    cheapest(n, m, &SENTENCE_MOVES.map(|(step, _)| step), &params.path, &mut steps)
}

/// The costs of beads.
struct BeadCosts<'d, 'e, F> {
    units: &'d Units<'d>,
    costs: &'d mut [Box<dyn Cost + 'e>],
    /// The cost of each of [`SHAPES`] by itself.
    shapes: StepCosts,
    /// The cost of leaving out each unit of either page.
    left_out: [Vec<f32>; 2],
    /// An additional cost of beads with two full sides.
    extra: F,
    band: Band,
    /// The sum of the costs of the steps that end in each cell of the band.
    table: Vec<StepCosts>,
}

impl<'d, 'e, F> BeadCosts<'d, 'e, F> {
    fn new(
        units: &'d Units<'d>,
        moves: &[(Move, f32)],
        costs: &'d mut [Box<dyn Cost + 'e>],
        extra: F,
    ) -> BeadCosts<'d, 'e, F> {
        let shape =
            |step: Move| moves.iter().find(|(known, _)| *known == step).map_or(f32::INFINITY, |(_, cost)| *cost);
        let left_out = [vec![shape((1, 0)); units.a.len()], vec![shape((0, 1)); units.b.len()]];
        let (band, table) = (Band::along(0, 0, 0), Vec::new());
        BeadCosts { units, costs, shapes: SHAPES.map(shape), left_out, extra, band, table }
    }

    /// Adds to the cost of leaving out each unit: `share` of the cost of its length.
    fn leave_out(&mut self, lengths: &Lengths, params: &Params, share: f32) {
        let cost = |chars: (u32, u32)| share * left_out_cost(chars, lengths, params);
        let [of_a, of_b] = &mut self.left_out;
        of_a.iter_mut().zip(self.units.a).for_each(|(sum, span)| *sum += cost((span.chars, 0)));
        of_b.iter_mut().zip(self.units.b).for_each(|(sum, span)| *sum += cost((0, span.chars)));
    }
}

impl<F: Fn(u32, u32, Move) -> f32> Steps<f32> for BeadCosts<'_, '_, F> {
    fn enter(&mut self, band: &Band) {
        self.band = band.clone();
        self.table.clear();
        self.table.resize(band.cells(), self.shapes);
        self.costs.iter_mut().for_each(|cost| cost.add(self.units, band, &mut self.table));
    }

    fn cost(&self, i: u32, j: u32, step: Move) -> f32 {
        let shape = match step {
            (1, 0) => return self.left_out[0][i as usize - 1],
            (0, 1) => return self.left_out[1][j as usize - 1],
            (1, 1) => 0,
            (2, 1) => 1,
            (1, 2) => 2,
            _ => 3,
        };
        self.table[self.band.cell(i, j)][shape] + (self.extra)(i, j, step)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::align::model::Model;
    use crate::text::words::Words;
    use crate::types::{Block, Lang};

    fn block_of(start: usize, text: &str, tag: u16) -> Block {
        Block { start: start as u32, end: (start + text.len()) as u32, tag, at: 0 }
    }

    fn document<'t>(text: &'t str, words: &Words) -> Document<'t> {
        document_of(text, words, 1000)
    }

    fn document_of<'t>(text: &'t str, words: &Words, max_sentences: u32) -> Document<'t> {
        let mut start = 0;
        let blocks: Vec<Block> = text
            .split_inclusive('\n')
            .map(|line| {
                let block = block_of(start, line.trim_end_matches('\n'), (line.len() % 2) as u16);
                start += line.len();
                block
            })
            .collect();
        Document::new(text, blocks.into_iter(), Lang::EN, words, max_sentences)
    }

    fn beads_of(a: &str, b: &str, params: &Params) -> Vec<Bead> {
        let words = Words::new();
        let (a, b) = (document(a, &words), document(b, &words));
        let evidence = WordEvidence::new(&a, &b, &Model::default(), &params.translation);
        align(&a, &b, &evidence, &Lengths::default(), params)
    }

    proptest! {
        #[test]
        fn beads_cover_each_sentence_once_in_order(
            a in r"([A-Z][a-c]{1,5}( [a-c0-9]{1,5}){0,6}[.?\n]{1,2} ?){0,12}",
            b in r"([A-Z][a-c]{1,5}( [a-c0-9]{1,5}){0,6}[.?\n]{1,2} ?){0,12}",
        ) {
            let words = Words::new();
            let (n, m) = (document(&a, &words), document(&b, &words));
            for params in [Params::default(), Params::gale_church()] {
                let (mut i, mut j) = (0, 0);
                for bead in beads_of(&a, &b, &params) {
                    prop_assert_eq!((bead.a_start, bead.b_start), (i, j));
                    let shape = bead.shape();
                    prop_assert!(shape_cost(shape) < f32::INFINITY && (shape.0.min(shape.1) < 2 || shape == (2, 2)), "{:?}", bead);
                    let blocks = |document: &Document<'_>, range: Range<u32>| {
                        let inside = &document.sentences[range.start as usize..range.end as usize];
                        inside.windows(2).all(|pair| pair[0].block == pair[1].block)
                    };
                    prop_assert!(!params.blocks || blocks(&n, bead.a_start..bead.a_end) && blocks(&m, bead.b_start..bead.b_end));
                    (i, j) = (bead.a_end, bead.b_end);
                }
                prop_assert_eq!((i, j), (n.sentences.len() as u32, m.sentences.len() as u32));
            }
        }
    }

    #[test]
    fn a_sentence_that_was_translated_by_two_makes_one_bead() {
        let a = "The first sentence says one thing and it also says another thing. It ends here at 42.\n";
        let b = "La première phrase dit une chose. Elle en dit aussi une autre ici. Elle finit ici à 42.\n";
        let shapes: Vec<(u32, u32)> = beads_of(a, b, &Params::default()).iter().map(Bead::shape).collect();
        assert_eq!(shapes, [(1, 2), (1, 1)]);
    }

    /// How many sentences of the first page are aligned with the equal sentence of the other, and how many sentences there are.
    fn aligned_right(texts: &[String; 2]) -> (usize, usize) {
        let (words, params) = (Words::new(), Params::default());
        let [a, b] = [0, 1].map(|at| document_of(&texts[at], &words, params.max_sentences));
        let evidence = WordEvidence::new(&a, &b, &Model::default(), &params.translation);
        let beads = align(&a, &b, &evidence, &Lengths::default(), &params);
        assert_eq!(beads.last().map(|bead| bead.a_end), Some(a.sentences.len() as u32), "each sentence once");
        let is_right = |bead: &&Bead| {
            a.text_of(bead.a_start..bead.a_end).trim() == b.text_of(bead.b_start..bead.b_end).trim() && bead.is_paired()
        };
        (beads.iter().filter(is_right).count(), a.sentences.len())
    }

    #[test]
    fn a_page_of_many_short_sentences_is_aligned_to_its_end() {
        assert_eq!(
            aligned_right(
                &[(); 2].map(|()| (0..25_000).map(|at| format!("Room {at} of house {}.\n", at * 7)).collect())
            ),
            (25_000, 25_000)
        );
    }

    #[test]
    fn a_block_that_one_page_lacks_is_left_alone() {
        let a = "Install Debian 12 now.\nWarning about 77 dragons in Kyoto.\nReboot into GRUB.\n";
        let b = "Installez Debian 12 maintenant.\nRedémarrez dans GRUB.\n";
        let beads = beads_of(a, b, &Params::default());
        let shapes: Vec<(u32, u32)> = beads.iter().map(Bead::shape).collect();
        assert_eq!(shapes, [(1, 1), (1, 0), (1, 1)]);
    }
}
