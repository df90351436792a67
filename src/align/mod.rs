//! Two pages → beads: which sentences are translations of which.
//!
//! ```text
//! Document ─┐            blocks of both       sentences of
//!           ├─ Evidence ─▶ pages, by tag, ───▶ matched blocks ─▶ beads ─▶ score ─▶ clean
//! Document ─┘    ▲        lengths, words                                              │
//!                Table ◀──────── train: lengths, words, calibration ◀─────────────────╯
//! ```
//! [`align`] looks for the cheapest way through two pages ([`path`]) twice: first over their blocks, then over the sentences
//! of blocks that belong together. What a bead costs is told by the [`Cost`]s of [`COSTS`]: its [`lengths`], and a word
//! [`translation`] model that [`train`] learns from the very pages. [`score`] makes a probability of what is known of a bead;
//! [`clean`] says which beads are no bitext, and why.

use std::ops::Range;

use crate::types::{Bead, Lang};

pub mod clean;
mod document;
pub mod lengths;
pub mod path;
pub mod score;
pub mod train;
pub mod translation;

pub use document::{Document, DocumentBlock, Sentence};
pub use lengths::Lengths;
pub use translation::{Evidence, Table};

/// Settings of alignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Names of the costs that are added up, of [`COSTS`].
    pub costs: Vec<&'static str>,
    /// Match blocks first. Without it a page is one block, as for Gale & Church.
    pub blocks: bool,
    /// The band of the search.
    pub path: path::Params,
    /// Sentences of a page that are looked at. Default 20,000: a page of 2 MB.
    pub max_sentences: u32,
    /// Cost of matching blocks of different tags, in nats. Default 2, an estimate: a page and its translation mostly have
    /// the same tags.
    pub tag_cost: f32,
    /// How much of the cost of lengths l and 0 a block without a counterpart costs. Default ½, an estimate: whole paragraphs
    /// are left out more often than sentences.
    pub missing_block: f32,
    /// The translation model.
    pub translation: translation::Params,
    /// Training.
    pub train: train::Params,
    /// What is left out.
    pub clean: clean::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            costs: COSTS.iter().map(|(name, _)| *name).collect(),
            blocks: true,
            path: path::Params::default(),
            max_sentences: 20_000,
            tag_cost: 2.0,
            missing_block: 0.5,
            translation: translation::Params::default(),
            train: train::Params::default(),
            clean: clean::Params::default(),
        }
    }
}

impl Params {
    /// Gale & Church (1993): lengths alone, over the whole page.
    pub fn gale_church() -> Params {
        Params { costs: vec!["lengths"], blocks: false, ..Params::default() }
    }
}

/// Some consecutive sentences of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Characters that are no white space.
    pub chars: u32,
    /// Its words in the [`Document`].
    pub words: Range<u32>,
}

/// What it costs to say that two spans are translations.
pub trait Cost {
    /// The cost, in nats; negative where the spans speak for each other.
    fn cost(&self, a: &Span, b: &Span) -> f32;
}

/// Makes a cost for two pages.
pub type MakeCost = for<'e> fn(&'e Evidence, &'e Lengths) -> Box<dyn Cost + 'e>;

/// All costs, by name.
pub const COSTS: &[(&str, MakeCost)] =
    &[("lengths", |_, lengths| Box::new(*lengths)), ("translation", |evidence, _| Box::new(evidence))];

/// How sentences may be joined, and what that costs by itself: −ln of how often it is seen (Gale & Church 1993, table 5).
/// The paper's number for 1–0 and 0–1 together, and for 2–1 and 1–2 together, is divided by two.
const SENTENCE_MOVES: &[(path::Move, f32)] =
    &[((1, 1), 0.117), ((1, 0), 5.308), ((0, 1), 5.308), ((2, 1), 3.112), ((1, 2), 3.112), ((2, 2), 4.510)];

/// The same for blocks: −ln of 0.9, 0.04, 0.04, 0.01, 0.01. An estimate: blocks are left out more often than sentences, and
/// seldom joined.
const BLOCK_MOVES: &[(path::Move, f32)] =
    &[((1, 1), 0.105), ((1, 0), 3.219), ((0, 1), 3.219), ((2, 1), 4.605), ((1, 2), 4.605)];

/// Aligns two pages: beads that hold each sentence of both once, in order.
///
/// Time and memory grow as the length of the pages where they are parallel. The cost of a bead is that of its shape, and the
/// sum of the [`Params::costs`]. A bead joins sentences of one block only.
pub fn align(a: &Document<'_>, b: &Document<'_>, evidence: &Evidence, lengths: &Lengths, params: &Params) -> Vec<Bead> {
    let costs: Vec<Box<dyn Cost + '_>> =
        COSTS.iter().filter(|(name, _)| params.costs.contains(name)).map(|(_, make)| make(evidence, lengths)).collect();
    let aligner = Aligner { a, b, costs, lengths, params };
    let mut beads = Vec::with_capacity(a.sentences.len().max(b.sentences.len()));
    let (mut i, mut j) = (0, 0);
    for step in aligner.blocks() {
        let blocks = (i..i + step.0, j..j + step.1);
        (i, j) = (blocks.0.end, blocks.1.end);
        aligner.sentences(a.sentences_of(blocks.0), b.sentences_of(blocks.1), &mut beads);
    }
    beads
}

struct Aligner<'d> {
    a: &'d Document<'d>,
    b: &'d Document<'d>,
    costs: Vec<Box<dyn Cost + 'd>>,
    lengths: &'d Lengths,
    params: &'d Params,
}

impl Aligner<'_> {
    fn cost(&self, a: &Span, b: &Span) -> f32 {
        self.costs.iter().map(|cost| cost.cost(a, b)).sum()
    }

    /// The cost of spans one of which is empty: words have nothing to say of it.
    fn missing(&self, a: &Span, b: &Span) -> f32 {
        if self.params.costs.contains(&"lengths") { self.lengths.cost(a.chars, b.chars) } else { 0.0 }
    }

    fn blocks(&self) -> Vec<path::Move> {
        let (n, m) = (self.a.blocks.len() as u32, self.b.blocks.len() as u32);
        if !self.params.blocks {
            return if n == 0 && m == 0 { Vec::new() } else { vec![(n, m)] };
        }
        cheapest(n, m, BLOCK_MOVES, &self.params.path, |i, j, step| {
            let (blocks_a, blocks_b) = (i - step.0..i, j - step.1..j);
            if step.0 == 0 || step.1 == 0 {
                let missing = self.missing(&self.a.block_span(blocks_a), &self.b.block_span(blocks_b));
                return self.params.missing_block * missing;
            }
            let tag = |document: &Document<'_>, block: u32| document.blocks[block as usize].tag;
            let tags_differ = tag(self.a, blocks_a.start) != tag(self.b, blocks_b.start);
            let tag_cost = if tags_differ { self.params.tag_cost } else { 0.0 };
            tag_cost + self.cost(&self.a.block_span(blocks_a), &self.b.block_span(blocks_b))
        })
    }

    fn sentences(&self, a: Range<u32>, b: Range<u32>, beads: &mut Vec<Bead>) {
        let (n, m) = (a.end - a.start, b.end - b.start);
        let (mut i, mut j) = (a.start, b.start);
        let mut push = |step: path::Move| {
            beads.push(Bead { a_start: i, a_end: i + step.0, b_start: j, b_end: j + step.1 });
            (i, j) = (i + step.0, j + step.1);
        };
        if n == 1 && m == 1 {
            // The blocks were matched by this very cost.
            return push((1, 1));
        }
        let is_joined = |document: &Document<'_>, last: u32| {
            document.sentences[last as usize].block == document.sentences[last as usize - 1].block
        };
        let path = cheapest(n, m, SENTENCE_MOVES, &self.params.path, |i, j, step| {
            let (i, j) = (a.start + i, b.start + j);
            if step.0 == 0 || step.1 == 0 {
                return self.missing(&self.a.span(i - step.0..i), &self.b.span(j - step.1..j));
            }
            let crosses = (step.0 == 2 && !is_joined(self.a, i - 1)) || (step.1 == 2 && !is_joined(self.b, j - 1));
            if crosses {
                return f32::INFINITY;
            }
            self.cost(&self.a.span(i - step.0..i), &self.b.span(j - step.1..j))
        });
        path.into_iter().for_each(push);
    }
}

fn cheapest(
    n: u32,
    m: u32,
    moves: &[(path::Move, f32)],
    params: &path::Params,
    mut cost: impl FnMut(u32, u32, path::Move) -> f32,
) -> Vec<path::Move> {
    let steps: Vec<path::Move> = moves.iter().map(|(step, _)| *step).collect();
    path::cheapest(n, m, &steps, params, |i, j, step| {
        let shape = moves.iter().find(|(known, _)| *known == step).map_or(0.0, |(_, cost)| *cost);
        shape + cost(i, j, step)
    })
}

/// One sentence pair of an aligned page pair, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The sentences.
    pub bead: Bead,
    /// Probability that they are translations, 0..=1; 0 where a side is empty.
    pub score: f32,
    /// Why it is no bitext; `None`: it is kept.
    pub reason: Option<clean::Reason>,
}

/// Two pages, aligned and judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aligned {
    /// Sentence pairs in order; each sentence of both pages once.
    pub beads: Vec<Judged>,
    /// Share of aligned text: characters in pairs that score ½ or more, of all characters of both pages, 0..=1.
    pub score: f32,
}

/// Aligns two pages and judges every bead.
pub fn align_pages(a: &Document<'_>, b: &Document<'_>, langs: (Lang, Lang), table: &Table, params: &Params) -> Aligned {
    let evidence = Evidence::new(a, b, table, &params.translation);
    let beads = align(a, b, &evidence, &table.lengths, params);
    let mut aligned = Aligned::default();
    let (mut paired, mut all) = (0u64, 0u64);
    for bead in beads {
        let (span_a, span_b) = (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
        let chars = u64::from(span_a.chars) + u64::from(span_b.chars);
        all += chars;
        let score = if bead.is_paired() {
            table.score(&score::features(&span_a, &span_b, &evidence, &table.lengths))
        } else {
            0.0
        };
        if score >= 0.5 {
            paired += chars;
        }
        let texts = (a.text_of(bead.a_start..bead.a_end), b.text_of(bead.b_start..bead.b_end));
        let facts = clean::Facts {
            texts,
            langs,
            score,
            length_delta: table.lengths.delta(span_a.chars, span_b.chars),
            foreign: (evidence.foreign_a(span_a.words), evidence.foreign_b(span_b.words)),
        };
        aligned.beads.push(Judged { bead, score, reason: clean::judge(&facts, &params.clean) });
    }
    aligned.score = if all == 0 { 0.0 } else { (paired as f64 / all as f64) as f32 };
    aligned
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::words::Words;
    use crate::types::Block;

    fn block_of(start: usize, text: &str, tag: u16) -> Block {
        Block { start: start as u32, end: (start + text.len()) as u32, tag, at: 0 }
    }

    fn document<'t>(text: &'t str, words: &Words) -> Document<'t> {
        let mut start = 0;
        let blocks: Vec<Block> = text
            .split_inclusive('\n')
            .map(|line| {
                let block = block_of(start, line.trim_end_matches('\n'), (line.len() % 2) as u16);
                start += line.len();
                block
            })
            .collect();
        Document::new(text, blocks.into_iter(), Lang::EN, words, 1000)
    }

    fn beads_of(a: &str, b: &str, params: &Params) -> Vec<Bead> {
        let words = Words::new();
        let (a, b) = (document(a, &words), document(b, &words));
        let evidence = Evidence::new(&a, &b, &Table::default(), &params.translation);
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
                    prop_assert!(SENTENCE_MOVES.iter().any(|(step, _)| *step == shape), "{:?}", bead);
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

    #[test]
    fn a_block_that_one_page_lacks_is_left_alone() {
        let a = "Install Debian 12 now.\nWarning about 77 dragons in Kyoto.\nReboot into GRUB.\n";
        let b = "Installez Debian 12 maintenant.\nRedémarrez dans GRUB.\n";
        let beads = beads_of(a, b, &Params::default());
        let shapes: Vec<(u32, u32)> = beads.iter().map(Bead::shape).collect();
        assert_eq!(shapes, [(1, 1), (1, 0), (1, 1)]);
    }
}
