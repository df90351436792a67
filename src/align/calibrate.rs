//! Learns to score beads from pages that are aligned with the finished model.
//!
//! What a model says of the beads that it has found is no proof, since it looks for beads that it likes. So blocks are taken away from the
//! pages, a few here and a few there, and the pages are aligned again: whatever a sentence is paired with whose partner was taken away is
//! wrong, and was chosen in the same way.

use rayon::prelude::*;

use super::document::{Document, Pages};
use super::features::scored;
use super::model::Model;
use super::moved::align_anywhere;
use super::params::Params;
use super::scoring::{MIN_SAMPLES, Scored, Scoring, Seen, classes};
use super::translation::WordEvidence;
use crate::types::Bead;

/// Of this many blocks of a page that have a partner, one is taken away.
const TAKEN_OF: usize = 8;

/// Learns from pages how to score beads. Untranslated text is left out, because equal words on both sides give far more evidence than
/// translations do, and so are lists that each language sorts itself.
pub fn calibrate(model: &Model, pages: &[&Pages<'_>], params: &Params) -> Scoring {
    let of_pair = |(a, b): &&Pages<'_>| {
        let found = Found::new(a, b, model, params);
        let orphans = Orphans::new((a, b), &found, model, params);
        (found, orphans)
    };
    let found: Vec<(Found, Orphans)> = pages.par_iter().map(of_pair).collect();
    let right: Vec<_> = found.iter().flat_map(|(found, _)| found.of(&found.counted)).collect();
    let mut wrong: Vec<_> = found.iter().flat_map(|(_, orphans)| orphans.left.of(&orphans.wrong)).collect();
    if wrong.len() < MIN_SAMPLES {
        let beside = |((a, b), (found, _)): (&&Pages<'_>, &(Found, _))| beside((a, b), found, model, params);
        wrong.extend(pages.iter().zip(&found).flat_map(beside));
    }
    // A long part that nobody translated says little of the others: a page counts for as many sentences as it has beads.
    let alone_of = |(found, orphans): &(Found, Orphans)| [found.alone.len().min(found.counted.len()), orphans.alone];
    let alone = found.iter().map(alone_of).fold([0, 0], |sum, of| [sum[0] + of[0], sum[1] + of[1]]);
    let classes = |scoring: &Scoring| {
        let of = |found: &Found, numbers: &[usize]| -> Vec<usize> {
            let known: Vec<Seen> = found.scored.iter().map(|scored| scored.map_or(Seen::Alone, Seen::Words)).collect();
            let classes = classes(scoring, &known);
            numbers.iter().map(|&number| classes[number]).collect()
        };
        let right = found.iter().flat_map(|(found, _)| of(found, &found.counted)).collect();
        [right, found.iter().flat_map(|(_, orphans)| of(&orphans.left, &orphans.wrong)).collect()]
    };
    Scoring::fit(&right, &wrong, alone, classes).unwrap_or_default()
}

/// The beads of two pages.
struct Found {
    beads: Vec<Bead>,
    scored: Vec<Option<Scored>>,
    /// The positions of the beads that are learnt from; these have two sides.
    counted: Vec<usize>,
    /// The positions of beads with one side, in runs beside a bead that is learnt from.
    alone: Vec<usize>,
}

impl Found {
    fn new(a: &Document<'_>, b: &Document<'_>, model: &Model, params: &Params) -> Found {
        let evidence = WordEvidence::new(a, b, model, &params.translation);
        let found = align_anywhere([a, b], (&evidence, model), &model.lengths, params, &[]);
        let beads = found.beads;
        let scored: Vec<Option<Scored>> =
            beads.iter().map(|bead| scored((a, b), bead, &evidence, &model.lengths)).collect();
        let mut counted = Vec::new();
        for (number, ((bead, scored), in_list)) in beads.iter().zip(&scored).zip(found.in_lists).enumerate() {
            if scored.is_none() || in_list.is_some() {
                continue;
            }
            let (side_a, side_b) = (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
            if a.words_in(side_a.words) != b.words_in(side_b.words) {
                counted.push(number);
            }
        }
        let alone = alone(&beads, &counted);
        Found { beads, scored, counted, alone }
    }

    /// The beads from which is learnt.
    fn counted(&self) -> impl Iterator<Item = &Bead> {
        self.counted.iter().map(|&number| &self.beads[number])
    }

    /// What scoring needs to know of some of the beads.
    fn of(&self, numbers: &[usize]) -> impl Iterator<Item = Scored> {
        numbers.iter().filter_map(|&number| self.scored[number])
    }
}

/// The positions of beads with one side, in runs beside one of the `counted` ones.
fn alone(beads: &[Bead], counted: &[usize]) -> Vec<usize> {
    let is_counted = |number: usize| counted.binary_search(&number).is_ok();
    let (mut found, mut end) = (Vec::new(), 0);
    for run in beads.chunk_by(|one, next| one.is_paired() == next.is_paired()) {
        let start = end;
        end += run.len();
        if !run[0].is_paired() && (start > 0 && is_counted(start - 1) || is_counted(end)) {
            found.extend(start..end);
        }
    }
    found
}

/// Wrong beads: the first side of each bead that is learnt from, with the second side of the next one.
fn beside((a, b): (&Document<'_>, &Document<'_>), found: &Found, model: &Model, params: &Params) -> Vec<Scored> {
    let evidence = WordEvidence::new(a, b, model, &params.translation);
    let beads: Vec<&Bead> = found.counted().collect();
    let together = |two: &[&Bead]| {
        let bead = Bead { b_start: two[1].b_start, b_end: two[1].b_end, ..*two[0] };
        scored((a, b), &bead, &evidence, &model.lengths)
    };
    beads.windows(2).filter_map(together).collect()
}

/// For each block of both pages, whether it is taken away. Of every [`TAKEN_OF`] blocks with a partner, one is taken from the second page,
/// and the one half way to the next is taken from the first page.
fn taken((a, b): (&Document<'_>, &Document<'_>), found: &Found) -> [Vec<bool>; 2] {
    let mut taken = [vec![false; a.blocks.len()], vec![false; b.blocks.len()]];
    // The first block is a title on most pages, so counting begins at another number on each page.
    let (mut at, mut last) = (a.sentences.len() + b.sentences.len(), None);
    for bead in found.counted() {
        let blocks = (a.sentences[bead.a_start as usize].block, b.sentences[bead.b_start as usize].block);
        at += usize::from(last.is_some_and(|last| last != blocks));
        last = Some(blocks);
        match at % TAKEN_OF {
            0 => taken[1][blocks.1 as usize] = true,
            place if place == TAKEN_OF / 2 => taken[0][blocks.0 as usize] = true,
            _ => {}
        }
    }
    taken
}

/// The beads of two pages from which blocks were taken away.
struct Orphans {
    left: Found,
    /// The positions of the beads with a side whose partner was taken away.
    wrong: Vec<usize>,
    /// How many sentences whose partner was taken away are paired with nothing.
    alone: usize,
}

impl Orphans {
    fn new((a, b): (&Document<'_>, &Document<'_>), found: &Found, model: &Model, params: &Params) -> Orphans {
        let taken = taken((a, b), found);
        let is_taken = |side: usize, document: &Document<'_>, sentence: u32| {
            taken[side][document.sentences[sentence as usize].block as usize]
        };
        // For each sentence, whether everything that it was paired with is taken away.
        let mut are_orphans = [vec![false; a.sentences.len()], vec![false; b.sentences.len()]];
        for bead in found.counted() {
            if (bead.b_start..bead.b_end).all(|at| is_taken(1, b, at)) {
                are_orphans[0][bead.a_start as usize..bead.a_end as usize].fill(true);
            }
            if (bead.a_start..bead.a_end).all(|at| is_taken(0, a, at)) {
                are_orphans[1][bead.b_start as usize..bead.b_end as usize].fill(true);
            }
        }
        let (left_a, places_a) = a.without(|block| taken[0][block as usize]);
        let (left_b, places_b) = b.without(|block| taken[1][block as usize]);
        let left = Found::new(&left_a, &left_b, model, params);
        let orphans = |bead: &Bead| {
            let of = |side: usize, places: &[u32]| places.iter().filter(|&&at| are_orphans[side][at as usize]).count();
            let (of_a, of_b) = (bead.a_start as usize..bead.a_end as usize, bead.b_start as usize..bead.b_end as usize);
            [(of_a.len(), of(0, &places_a[of_a])), (of_b.len(), of(1, &places_b[of_b]))]
        };
        let is_wrong = |number: &usize| orphans(&left.beads[*number]).iter().any(|(all, orphans)| all == orphans);
        let wrong = left.counted.iter().copied().filter(is_wrong).collect();
        let has_orphans = |bead: &Bead| orphans(bead).iter().any(|(_, orphans)| *orphans > 0);
        let alone = left.alone.iter().filter(|&&number| has_orphans(&left.beads[number])).count();
        Orphans { left, wrong, alone }
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::of_blocks;
    use super::*;

    /// Pages of which every fourth line has numbers in common with its translation, and the others only words that nobody knows.
    fn pages(count: usize) -> Vec<Pages<'static>> {
        let line = |words: [&str; 2], page: usize, at: usize| match at % 4 {
            0 => format!("{} {} {} {}.\n", words[0], page * 100 + at, words[1], 7000 + page * 100 + at),
            _ => format!("{} {} {}.\n", words[at % 2], words[1], words[0]),
        };
        let of = |words, page| of_blocks(&(0..48).map(|at| line(words, page, at)).collect::<Vec<_>>());
        (0..count).map(|at| (of(["house", "river"], at), of(["maison", "fleuve"], at))).collect()
    }

    #[test]
    fn what_lost_its_partner_is_wrong_wherever_it_is_put() {
        let (model, params) = (Model::default(), Params::default());
        let (a, b) = &pages(1)[0];
        let found = Found::new(a, b, &model, &params);
        let beside = beside((a, b), &found, &model, &params);
        assert_eq!((found.counted.len(), beside.len()), (48, 47));
        let Orphans { left, wrong, .. } = Orphans::new((a, b), &found, &model, &params);
        let wrong: Vec<Scored> = left.of(&wrong).collect();
        // Six blocks of each page are taken away, so six sentences of each page have lost their partners.
        assert!(!wrong.is_empty() && wrong.len() <= 12, "{}", wrong.len());
        assert!(wrong.iter().all(|wrong| wrong.features[3] <= 0.0), "no words in common: {wrong:?}");
    }

    #[test]
    fn of_long_paragraphs_too_one_in_eight_is_taken_away() {
        let of = |word: &str| {
            let sentence = |number: usize| format!("{number} {word} {number}. ");
            let block = |block: usize| (0..9).map(|at| sentence(7000 + block * 100 + at)).collect::<String>() + "\n";
            of_blocks(&(0..16).map(block).collect::<Vec<_>>())
        };
        let (a, b) = (of("house"), of("maison"));
        let found = Found::new(&a, &b, &Model::default(), &Params::default());
        assert_eq!(found.counted.len(), 16 * 9);
        let taken = taken((&a, &b), &found).map(|side| side.into_iter().filter(|&is| is).count());
        assert_eq!(taken, [2, 2]);
    }

    #[test]
    fn sentences_without_a_partner_count_where_they_are_beside_others() {
        let bead = |paired: bool| Bead { a_start: 0, a_end: 1, b_start: 0, b_end: u32::from(paired) };
        let beads = [true, false, false, true, false, true, true, false].map(bead);
        assert_eq!(alone(&beads, &[0, 3]), [1, 2, 4]);
        assert_eq!(alone(&beads, &[6]), [7]);
    }

    #[test]
    fn pages_teach_how_beads_are_scored() {
        let (model, params) = (Model::default(), Params::default());
        let pages = pages(12);
        let all: Vec<&Pages<'_>> = pages.iter().collect();
        let scoring = calibrate(&model, &all, &params);
        assert_ne!(scoring, Scoring::default());
        let found = Found::new(&pages[0].0, &pages[0].1, &model, &params);
        let scored: Vec<Scored> = found.of(&found.counted).collect();
        let score = |number: usize| scoring.probability(&scored[number], scoring.wrong[0]);
        assert!(score(0) > 0.9 && score(0) > score(1), "{} {}", score(0), score(1));
        assert_eq!(calibrate(&model, &[], &params), Scoring::default());
    }
}
