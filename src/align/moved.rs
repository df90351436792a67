//! Aligns pages of which parts stand in another order: the entries of glossaries and of lists of functions, which each language sorts for
//! itself.
//!
//! The search for an alignment takes it for granted that both pages have the same order. Where blocks whose words leave no doubt cross
//! each other, they do not. Then the blocks of the second page are put in the order of the first: each of those blocks, with what stands around it, to the
//! place of its partner. The pages are aligned once more in this order.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::beads::align;
use super::cost::Cost;
use super::document::Document;
use super::lengths::Lengths;
use super::model::Model;
use super::params::Params;
use super::resorted::Resorted;
use super::span::Span;
use super::translation::WordEvidence;
use crate::types::{Bead, tag_name};

/// This many blocks that stand elsewhere make another order. Fewer may be alike by chance. An estimate.
const MIN_MOVED: usize = 3;
/// What two blocks that belong together gain at least, in nats, wherever they stand. An estimate: one rare word and its translation.
const MIN_GAIN: f32 = 3.0;
/// … and how much more than with any other block. An estimate.
const MARGIN: f32 = 1.5;
/// Beads of the search that gain as much, in nats, count as sure.
const SURE_GAIN: f32 = 1.0;
/// What two blocks gain that third versions show to belong together.
const TOLD_GAIN: f32 = 20.0;
/// Words that stand in more blocks of a page than this lead to none.
const MOST_BLOCKS: usize = 8;
/// With how many blocks, those to which the most words lead, each block is compared.
const CANDIDATES: usize = 4;
/// A block that is more than so many times as long as another one, in characters, does not translate it, and is not compared with it, however
/// many of its words that one has: so the time that blocks take does not grow with the length of others.
const MOST_TIMES: u32 = 4;
/// So many characters more or less are no difference in length.
const SHORT: u32 = 20;

/// Two pages that were aligned, whatever the order of their blocks.
pub struct Found {
    /// The beads: in the order of the first page, and of the second one as far as it is the same. Each sentence of both pages occurs once.
    pub beads: Vec<Bead>,
    /// For each bead that stands in lists that each language sorts itself, so that its place says nothing: how many entries may stand at its place. One
    /// where the words of the entries have shown their order, or it is not clear that each language has sorted its own.
    pub in_lists: Vec<Option<u32>>,
}

/// Aligns two pages. `told` are blocks of both that belong together as third versions of the document tell.
///
/// Pages with three blocks or more without a sure partner, on both sides, are looked at once more, in time that grows with their words and with n·log n of
/// their blocks; where they have another order, they are aligned twice. The other order counts if beads gain more in it than
/// it costs, or if third versions tell it.
pub fn align_anywhere(
    documents: [&Document<'_>; 2],
    (evidence, model): (&WordEvidence, &Model),
    lengths: &Lengths,
    params: &Params,
    told: &[(u32, u32)],
) -> Found {
    let [a, b] = documents;
    let beads = align(a, b, evidence, lengths, params);
    let in_lists = |b: &Document<'_>, beads: &[Bead], entries: Option<u32>| {
        let resorted = Resorted::new(a, b);
        let entries = entries.unwrap_or_else(|| resorted.entries());
        beads.iter().map(|bead| resorted.has(bead).then_some(entries)).collect()
    };
    if params.blocks && params.costs.contains(&"translation") {
        let gain = |bead: &Bead| gain(documents, bead, evidence, lengths);
        let gains: Vec<f32> = beads.iter().map(gain).collect();
        let searched = Searched::new(documents, beads.iter().zip(&gains));
        if let Some(order) = searched.order(evidence, lengths, told) {
            let cost = order_cost(&order);
            let (order, places) = b.in_order(&order);
            let moved = WordEvidence::new(a, &order, model, &params.translation);
            let again = align(a, &order, &moved, lengths, params);
            let in_lists = in_lists(&order, &again, Some(1));
            let again: Vec<Bead> = again.into_iter().map(|bead| at_home(bead, &places)).collect();
            if told.len() >= MIN_MOVED || again.iter().map(gain).sum::<f32>() > gains.iter().sum::<f32>() + cost {
                return Found { beads: again, in_lists };
            }
        }
    }
    Found { in_lists: in_lists(b, &beads, None), beads }
}

/// What a bead gains by its words and lengths, in nats.
fn gain([a, b]: [&Document<'_>; 2], bead: &Bead, evidence: &WordEvidence, lengths: &Lengths) -> f32 {
    if !bead.is_paired() {
        return 0.0;
    }
    gain_of([&a.span(bead.a_start..bead.a_end), &b.span(bead.b_start..bead.b_end)], evidence, lengths)
}

fn gain_of([a, b]: [&Span; 2], evidence: &WordEvidence, lengths: &Lengths) -> f32 {
    -evidence.cost(a, b) - lengths.cost(a.chars, b.chars)
}

/// What an order of blocks costs, in nats: ln m for each run of blocks that is moved to another one of m places. As much may be gained by the best
/// of m places by chance.
fn order_cost(order: &[u32]) -> f32 {
    let breaks = order.windows(2).filter(|two| two[0] + 1 != two[1]).count();
    breaks as f32 * (order.len() as f32).ln()
}

/// A bead with the places that its sentences of the second page had before. Beads do not cross the ends of blocks.
fn at_home(bead: Bead, places: &[u32]) -> Bead {
    let start = match places.get(bead.b_start as usize) {
        Some(&place) => place,
        None => places.last().map_or(0, |last| last + 1),
    };
    Bead { b_start: start, b_end: start + (bead.b_end - bead.b_start), ..bead }
}

/// What the search says of the blocks of two pages.
struct Searched<'d, 't> {
    documents: [&'d Document<'t>; 2],
    /// The blocks that it has paired, with what they gain.
    pairs: Vec<(u32, u32, f32)>,
    /// For each block of each page, whether it is without a sure partner.
    is_loose: [Vec<bool>; 2],
}

/// Two blocks that may belong together.
#[derive(Clone, Copy, Debug)]
struct Edge {
    a: u32,
    b: u32,
    gain: f32,
    /// True where the search has not paired them.
    is_moved: bool,
}

/// The block in which some sentences stand.
fn block_of(document: &Document<'_>, sentences: Range<u32>) -> Option<u32> {
    document.sentences.get(sentences.start as usize).filter(|_| !sentences.is_empty()).map(|sentence| sentence.block)
}

fn span_of(document: &Document<'_>, block: u32) -> Span {
    document.span(document.blocks[block as usize].sentences.clone())
}

impl<'d, 't> Searched<'d, 't> {
    /// Takes the beads of two pages, in order, each with what it gains in nats.
    fn new<'b>(documents: [&'d Document<'t>; 2], beads: impl Iterator<Item = (&'b Bead, &'b f32)>) -> Searched<'d, 't> {
        let mut pairs: Vec<(u32, u32, f32)> = Vec::new();
        for (bead, gain) in beads {
            let blocks =
                (block_of(documents[0], bead.a_start..bead.a_end), block_of(documents[1], bead.b_start..bead.b_end));
            let (Some(a), Some(b)) = blocks else { continue };
            match pairs.last_mut() {
                Some(last) if (last.0, last.1) == (a, b) => last.2 += gain,
                _ => pairs.push((a, b, *gain)),
            }
        }
        let mut is_loose = documents.map(|document| -> Vec<bool> {
            let has_words = |block: u32| !span_of(document, block).words.is_empty();
            (0..document.blocks.len() as u32).map(has_words).collect()
        });
        for &(a, b, _) in pairs.iter().filter(|pair| pair.2 >= SURE_GAIN) {
            is_loose[0][a as usize] = false;
            is_loose[1][b as usize] = false;
        }
        Searched { documents, pairs, is_loose }
    }

    /// The blocks of the second page in the order of the first; `None` where the two have one order as far as can be seen.
    fn order(&self, evidence: &WordEvidence, lengths: &Lengths, told: &[(u32, u32)]) -> Option<Vec<u32>> {
        let loose = |side: &Vec<bool>| side.iter().filter(|&&is_loose| is_loose).count();
        if told.len() < MIN_MOVED && self.is_loose.iter().any(|side| loose(side) < MIN_MOVED) {
            return None;
        }
        let gain = |a: u32, b: u32| {
            gain_of([&span_of(self.documents[0], a), &span_of(self.documents[1], b)], evidence, lengths)
        };
        let sure = self.clear(self.edges(evidence, &gain, told));
        let mut anchors: Vec<(u32, u32)> = Vec::new();
        for part in parts(&sure) {
            let is_list = part.iter().filter(|pair| pair.is_moved).count() >= MIN_MOVED;
            anchors.extend(part.iter().filter(|pair| is_list || !pair.is_moved).map(|pair| (pair.a, pair.b)));
        }
        (!anchors.is_sorted_by_key(|pair| pair.1)).then(|| self.in_runs(&anchors, &gain))
    }

    /// Pairs of blocks that gain much: those of the search, those that are told, and for each loose block those to which its words lead.
    fn edges(&self, evidence: &WordEvidence, gain: &impl Fn(u32, u32) -> f32, told: &[(u32, u32)]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = Vec::new();
        let tag = |side: usize, block: u32| self.documents[side].blocks[block as usize].tag;
        let chars = self.documents.map(|document| -> Vec<u32> {
            (0..document.blocks.len() as u32).map(|block| span_of(document, block).chars).collect()
        });
        let are_as_long = |[x, y]: [u32; 2]| x.max(y) <= MOST_TIMES * x.min(y) + SHORT;
        for side in [0, 1] {
            let places = Places::new(self.documents[1 - side], evidence.numbers(1 - side));
            for (block, _) in (0u32..).zip(&self.is_loose[side]).filter(|(_, is_loose)| **is_loose) {
                let mut votes: FxHashMap<u32, f32> = FxHashMap::default();
                evidence.for_each_link(side, &span_of(self.documents[side], block).words, |word, weight| {
                    let blocks = Some(places.of(word)).filter(|blocks| blocks.len() <= MOST_BLOCKS);
                    blocks.unwrap_or_default().iter().for_each(|&other| *votes.entry(other).or_default() += weight);
                });
                votes.retain(|&other, _| {
                    tag(side, block) == tag(1 - side, other)
                        && are_as_long([chars[side][block as usize], chars[1 - side][other as usize]])
                });
                let mut votes: Vec<(u32, f32)> = votes.into_iter().collect();
                votes.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
                for &(other, _) in votes.iter().take(CANDIDATES) {
                    let (a, b) = if side == 0 { (block, other) } else { (other, block) };
                    edges.push(Edge { a, b, gain: gain(a, b), is_moved: true });
                }
            }
        }
        edges.retain(|edge| edge.gain >= MIN_GAIN);
        edges.extend(told.iter().map(|&(a, b)| Edge { a, b, gain: gain(a, b).max(TOLD_GAIN), is_moved: true }));
        let mut is_asked = self.documents.map(|document| vec![false; document.blocks.len()]);
        for edge in &edges {
            is_asked[0][edge.a as usize] = true;
            is_asked[1][edge.b as usize] = true;
        }
        // Gains are compared with those of whole blocks.
        edges.extend(self.pairs.iter().filter(|pair| pair.2 >= SURE_GAIN).map(|&(a, b, by_beads)| {
            let is_asked = is_asked[0][a as usize] || is_asked[1][b as usize];
            let gain = if is_asked { by_beads.max(gain(a, b)) } else { by_beads };
            Edge { a, b, gain, is_moved: false }
        }));
        // What the search has paired, stands at its place.
        edges.sort_by_key(|edge| (edge.a, edge.b, edge.is_moved));
        edges.dedup_by(|next, first| {
            let is_same = (next.a, next.b) == (first.a, first.b);
            first.gain = if is_same { first.gain.max(next.gain) } else { first.gain };
            is_same
        });
        edges
    }

    /// The edges that gain clearly more than all others of both their blocks, rising on the first page.
    fn clear(&self, edges: Vec<Edge>) -> Vec<Edge> {
        // For each block, what the best edge gains, and the next one.
        let mut best = self.documents.map(|document| vec![[f32::NEG_INFINITY; 2]; document.blocks.len()]);
        for edge in &edges {
            for (side, block) in [(0, edge.a), (1, edge.b)] {
                let of = &mut best[side][block as usize];
                if edge.gain > of[0] {
                    *of = [edge.gain, of[0]];
                } else {
                    of[1] = of[1].max(edge.gain);
                }
            }
        }
        let is_clear = |edge: &Edge| {
            let of = [best[0][edge.a as usize], best[1][edge.b as usize]];
            of.iter().all(|[first, next]| edge.gain >= *first && edge.gain >= next + MARGIN)
        };
        edges.into_iter().filter(is_clear).collect()
    }

    /// The blocks of the second page, divided into runs round the blocks that belong to some of the first page, given these pairs as they rise on the first
    /// page, and the runs in the order of the first page.
    fn in_runs(&self, anchors: &[(u32, u32)], gain: &impl Fn(u32, u32) -> f32) -> Vec<u32> {
        // What stands before all of them, and behind them, has runs of its own.
        let [n, m] = self.documents.map(|document| document.blocks.len() as i64);
        let mut all = vec![(-1, -1)];
        all.extend(anchors.iter().map(|&(a, b)| (i64::from(a), i64::from(b))));
        all.push((n, m));
        let mut by_b: Vec<usize> = (0..all.len()).collect();
        by_b.sort_by_key(|&number| all[number].1);
        let mut runs = vec![0..0; all.len()];
        let mut start = 0;
        for two in by_b.windows(2) {
            let (before, after) = (two[0], two[1]);
            let end = if after == before + 1 {
                all[after].1.min(m)
            } else {
                let free = |from: usize| all[from].0 + 1..all[from + 1].0;
                self.border([all[before].1, all[after].1], [free(before), free(after - 1)], gain)
            };
            runs[before] = start..end;
            start = end;
        }
        runs[by_b[by_b.len() - 1]] = start..m;
        runs.into_iter().flatten().map(|block| block as u32).collect()
    }

    /// Where the run of one block of the second page ends and that of a later one begins, given the blocks of the first page that follow the partner of
    /// the one, and those before the partner of the other: where most of what stands between has a counterpart there.
    fn border(
        &self,
        [before, after]: [i64; 2],
        [behind, ahead]: [Range<i64>; 2],
        gain: &impl Fn(u32, u32) -> f32,
    ) -> i64 {
        let alike = |a: i64, b: i64, among: &Range<i64>| {
            if !among.contains(&a) {
                return 0.0;
            }
            let (a, b) = (a as u32, b as u32);
            let is_same = self.documents[0].blocks[a as usize].tag == self.documents[1].blocks[b as usize].tag;
            if is_same { 1.0 + gain(a, b).clamp(-2.0, 2.0) / 2.0 } else { -1.0 }
        };
        let forward = |b: i64| alike(behind.start + (b - before - 1), b, &behind);
        let backward = |b: i64| alike(ahead.end - (after - b), b, &ahead);
        // At first all that stands between belongs to the later one.
        let mut sum: f32 = (before + 1..after).map(backward).sum();
        let (mut best, mut most) = (before + 1, f32::NEG_INFINITY);
        for border in before + 1..=after {
            // A heading belongs to what follows it.
            let is_heading = self.documents[1].blocks.get(border as usize).is_some_and(|block| heads(block.tag));
            let worth = sum + if is_heading { 0.5 } else { 0.0 };
            if worth > most {
                (best, most) = (border, worth);
            }
            if border < after {
                sum += forward(border) - backward(border);
            }
        }
        best
    }
}

/// True for the tags of headings and of terms that are explained.
fn heads(tag: u16) -> bool {
    matches!(tag_name(tag), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt")
}

/// Divides pairs that rise on the first page into the smallest parts that stand in the same order on both pages.
fn parts(pairs: &[Edge]) -> Vec<&[Edge]> {
    // For each pair, the least block of the second page from it on.
    let mut least: Vec<u32> = pairs.iter().map(|pair| pair.b).collect();
    for at in (1..least.len()).rev() {
        least[at - 1] = least[at - 1].min(least[at]);
    }
    let (mut found, mut start, mut most) = (Vec::new(), 0, 0);
    for (at, pair) in pairs.iter().enumerate() {
        most = most.max(pair.b);
        if least.get(at + 1).is_none_or(|&next| most <= next) {
            found.push(&pairs[start..=at]);
            start = at + 1;
        }
    }
    found
}

/// The blocks in which each word of a page stands.
struct Places {
    ends: Vec<u32>,
    blocks: Vec<u32>,
}

impl Places {
    fn new(document: &Document<'_>, numbers: &[u32]) -> Places {
        let mut of: Vec<(u32, u32)> = Vec::with_capacity(numbers.len());
        for block in 0..document.blocks.len() as u32 {
            let words = span_of(document, block).words;
            of.extend(numbers[words.start as usize..words.end as usize].iter().map(|&word| (word, block)));
        }
        of.sort_unstable();
        of.dedup();
        let mut ends = vec![0; of.last().map_or(0, |last| last.0 as usize + 1)];
        of.iter().zip(1u32..).for_each(|((word, _), end)| ends[*word as usize] = end);
        Places { ends, blocks: of.into_iter().map(|(_, block)| block).collect() }
    }

    fn of(&self, word: u32) -> &[u32] {
        let word = word as usize;
        let start = word.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        self.ends.get(word).and_then(|&end| self.blocks.get(start..end as usize)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::document::of_blocks;
    use super::*;

    /// Entries of two blocks: a term that mostly has nothing in common with its translation, and an explanation with a name and a number.
    fn entries(word: &str, numbers: &[u32]) -> Document<'static> {
        let entry = |&number: &u32| {
            let term = if number < 2 { format!("{word} Called{number}\n") } else { format!("{word}{number}\n") };
            [term, format!("{word} tells name{} and {}\n", number + 50, 7000 + number)]
        };
        let mut page = of_blocks(&numbers.iter().flat_map(entry).collect::<Vec<String>>());
        page.blocks.iter_mut().for_each(|block| block.tag = 7 + block.number as u16 % 2);
        page
    }

    fn found(a: &Document<'_>, b: &Document<'_>, told: &[(u32, u32)]) -> Vec<(Range<u32>, Range<u32>)> {
        let (model, params) = (Model::default(), Params::default());
        let evidence = WordEvidence::new(a, b, &model, &params.translation);
        let found = align_anywhere([a, b], (&evidence, &model), &Lengths::default(), &params, told);
        assert_eq!(found.beads.len(), found.in_lists.len());
        found.beads.iter().map(|bead| (bead.a_start..bead.a_end, bead.b_start..bead.b_end)).collect()
    }

    #[test]
    fn entries_that_cross_are_paired_with_their_terms() {
        let orders: [&[u32]; 2] = [&[0, 1, 2, 3, 4, 5], &[4, 2, 5, 0, 1, 3]];
        let (a, b) = (entries("word", orders[0]), entries("mot", orders[1]));
        let place = |number: u32| orders[1].iter().position(|&other| other == number).expect("it is there") as u32;
        let right: Vec<_> =
            (0..12u32).map(|at| (at..at + 1, 2 * place(at / 2) + at % 2..2 * place(at / 2) + at % 2 + 1)).collect();
        assert_eq!(found(&a, &b, &[]), right);
    }

    #[test]
    fn pages_in_one_order_are_left_and_so_is_a_single_entry_elsewhere() {
        let numbers: Vec<u32> = (0..12).collect();
        let a = entries("word", &numbers);
        let in_order: Vec<_> = (0..24).map(|at| (at..at + 1, at..at + 1)).collect();
        assert_eq!(found(&a, &entries("mot", &numbers), &[]), in_order);
        let mut elsewhere = numbers;
        elsewhere.rotate_left(1);
        let beads = found(&a, &entries("mot", &elsewhere), &[]);
        assert!(beads.windows(2).all(|two| two[0].1.end <= two[1].1.start), "{beads:?}");
        assert_eq!(found(&of_blocks(&[]), &a, &[]).len(), 24);
    }

    #[test]
    fn what_is_alike_in_several_places_stays_where_it_is() {
        let same = |word: &str| of_blocks(&(0..8).map(|_| format!("{word} tells name50\n")).collect::<Vec<_>>());
        let in_order: Vec<_> = (0..8).map(|at| (at..at + 1, at..at + 1)).collect();
        assert_eq!(found(&same("word"), &same("mot"), &[]), in_order);
    }

    #[test]
    fn what_third_versions_tell_puts_blocks_in_order_that_have_no_words_in_common() {
        let page = |word: &str, order: &[u32]| {
            let text = |number: &u32| format!("{word} {}\n", word.repeat(2 + *number as usize));
            of_blocks(&order.iter().map(text).collect::<Vec<_>>())
        };
        let (a, b) = (page("ab", &[0, 1, 2, 3, 4]), page("xy", &[3, 1, 4, 0, 2]));
        let told = [(0, 3), (1, 1), (2, 4), (3, 0), (4, 2)];
        assert_eq!(found(&a, &b, &told), told.map(|(a, b)| (a..a + 1, b..b + 1)));
    }

    #[test]
    fn parts_are_the_smallest_that_keep_their_order() {
        let edge = |(a, b): (u32, u32)| Edge { a, b, gain: 1.0, is_moved: false };
        let lengths = |pairs: &[(u32, u32)]| -> Vec<usize> {
            let edges: Vec<Edge> = pairs.iter().copied().map(edge).collect();
            parts(&edges).iter().map(|part| part.len()).collect()
        };
        assert_eq!(lengths(&[(0, 0), (1, 2), (2, 1), (5, 5), (6, 9), (7, 8), (8, 7)]), [1, 2, 1, 3]);
        assert_eq!(lengths(&[(0, 4), (1, 0), (2, 1)]), [3]);
        assert_eq!(lengths(&[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn each_sentence_is_in_one_bead(
            shuffled in Just((0u32..14).collect::<Vec<_>>()).prop_shuffle(),
            of_b in 0usize..14,
        ) {
            let numbers: Vec<u32> = (0..14).collect();
            let (a, b) = (entries("word", &numbers), entries("mot", &shuffled[..of_b]));
            let beads = found(&a, &b, &[]);
            let mut seconds: Vec<u32> = beads.iter().flat_map(|bead| bead.1.clone()).collect();
            seconds.sort_unstable();
            prop_assert_eq!(seconds, (0..b.sentences.len() as u32).collect::<Vec<_>>());
            prop_assert_eq!(beads.iter().flat_map(|bead| bead.0.clone()).collect::<Vec<_>>(), (0..28).collect::<Vec<_>>());
        }
    }
}
