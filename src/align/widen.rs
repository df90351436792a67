//! Puts sentences that were left out into the bead beside them.
//!
//! The search groups two sentences of a side at most. One sentence may be the translation of more: in Thai, where nothing marks the end of a
//! sentence, a paragraph is one.

use std::ops::Range;

use super::document::Document;
use crate::types::Bead;

/// How many sentences of a side a bead has at most.
const MOST: u32 = 16;

/// True for the numbers of sentences that a bead may have: up to two on each side, or more on one side if there is one on the other.
pub fn is_possible((m, n): (u32, u32)) -> bool {
    m.max(n) <= if m.min(n) == 1 { MOST } else { 2 }
}

/// Widens beads, from `first` on, which are those of matched blocks. A bead with one sentence on a side takes, on the other side, sentences
/// of its block beside it that were left out, if this costs less in all. `cost` gives the cost of a bead.
pub fn widen(beads: &mut Vec<Bead>, first: usize, documents: [&Document<'_>; 2], cost: impl Fn(&Bead) -> f32) {
    for side in [0, 1] {
        // Most pages have nothing to take.
        if beads[first..].iter().any(|bead| is_left_out(bead, side)) {
            let widened = widen_side(&beads[first..], side, documents[side], &cost);
            beads.truncate(first);
            beads.extend(widened);
        }
    }
}

/// The sentences of a bead on a side.
fn sentences(bead: &Bead, side: usize) -> Range<u32> {
    if side == 0 { bead.a_start..bead.a_end } else { bead.b_start..bead.b_end }
}

/// True for a bead that consists of one sentence of this side, without a partner.
fn is_left_out(bead: &Bead, side: usize) -> bool {
    sentences(bead, side).len() == 1 && sentences(bead, 1 - side).is_empty()
}

/// The bead that has all sentences of consecutive beads.
fn joined(beads: &[Bead]) -> Option<Bead> {
    let (first, last) = (beads.first()?, beads.last()?);
    Some(Bead { a_start: first.a_start, a_end: last.a_end, b_start: first.b_start, b_end: last.b_end })
}

/// Beads with one sentence on the other side take sentences of this side.
fn widen_side(beads: &[Bead], side: usize, document: &Document<'_>, cost: &impl Fn(&Bead) -> f32) -> Vec<Bead> {
    let mut widened: Vec<Bead> = Vec::with_capacity(beads.len());
    // The position of the next bead, and the end of the last bead that was widened.
    let (mut at, mut end) = (0, 0);
    while let Some(bead) = beads.get(at) {
        let best = (sentences(bead, 1 - side).len() == 1).then(|| best_of(beads, at, at - end, side, document, cost));
        let taken = best.flatten();
        if let Some((before, behind, bead)) = taken {
            widened.truncate(widened.len() - before);
            widened.push(bead);
            at += behind;
            end = at + 1;
        } else {
            widened.push(*bead);
        }
        at += 1;
    }
    widened
}

/// How many beads before and behind it the bead at `at` should take, and the bead that this makes; `None` where it should stay as it is. At
/// most `free` of the beads before it may be taken.
fn best_of(
    beads: &[Bead],
    at: usize,
    free: usize,
    side: usize,
    document: &Document<'_>,
    cost: &impl Fn(&Bead) -> f32,
) -> Option<(usize, usize, Bead)> {
    let room = MOST.saturating_sub(sentences(&beads[at], side).len() as u32) as usize;
    let may_be_taken = |bead: &&Bead| is_left_out(bead, side);
    let before = beads[..at].iter().rev().take(room.min(free)).take_while(may_be_taken).count();
    let behind = beads[at + 1..].iter().take(room).take_while(may_be_taken).count();
    let mut best: Option<(f32, (usize, usize, Bead))> = None;
    for first in at - before..=at {
        for last in at..=at + behind {
            let taken = &beads[first..=last];
            let Some(whole) = joined(taken).filter(|whole| {
                let inside = sentences(whole, side);
                let blocks = &document.sentences[inside.start as usize..inside.end as usize];
                let is_one = blocks.windows(2).all(|two| two[0].block == two[1].block);
                taken.len() > 1 && inside.len() <= MOST as usize && is_one
            }) else {
                continue;
            };
            let gain = taken.iter().map(cost).sum::<f32>() - cost(&whole);
            if gain > best.map_or(0.0, |best| best.0) {
                best = Some((gain, (at - first, last - at, whole)));
            }
        }
    }
    best.map(|best| best.1)
}

#[cfg(test)]
mod tests {
    use super::super::document::of_blocks;
    use super::*;

    fn bead(a: Range<u32>, b: Range<u32>) -> Bead {
        Bead { a_start: a.start, a_end: a.end, b_start: b.start, b_end: b.end }
    }

    /// The cost of a bead is the difference of the lengths of its sides.
    fn by_difference(bead: &Bead) -> f32 {
        (f32::from(bead.a_end as u16 - bead.a_start as u16) * 3.0 - f32::from(bead.b_end as u16 - bead.b_start as u16))
            .abs()
    }

    fn widened(found: &[Bead], documents: [&Document<'_>; 2], cost: impl Fn(&Bead) -> f32) -> Vec<Bead> {
        let mut beads = found.to_vec();
        widen(&mut beads, 0, documents, cost);
        beads
    }

    #[test]
    fn one_sentence_takes_the_sentences_of_its_block_that_were_left_out() {
        let a = of_blocks(&["Everything.".to_owned()]);
        let b = of_blocks(&["One. Two. Three. Four.".to_owned(), "Five.".to_owned()]);
        let found = vec![bead(0..0, 0..1), bead(0..1, 1..2), bead(1..1, 2..3), bead(1..1, 3..4), bead(1..1, 4..5)];
        let wide = widened(&found, [&a, &b], by_difference);
        // Three sentences are as long as the one, and the first three are taken.
        assert_eq!(wide, [bead(0..1, 0..3), bead(1..1, 3..4), bead(1..1, 4..5)]);
        assert_eq!(widened(&found, [&a, &b], |_| 1.0)[0], bead(0..1, 0..4), "never beyond the block");
        assert_eq!(widened(&found, [&a, &b], |bead| if bead.is_paired() { 9.0 } else { 0.0 }), found);
        let turned = |beads: &[Bead]| -> Vec<Bead> {
            beads.iter().map(|one| bead(one.b_start..one.b_end, one.a_start..one.a_end)).collect()
        };
        let by_turned = |bead: &Bead| by_difference(&turned(&[*bead])[0]);
        assert_eq!(widened(&turned(&found), [&b, &a], by_turned), turned(&wide));
    }

    #[test]
    fn a_sentence_without_a_partner_takes_them_too() {
        let a = of_blocks(&["Everything.".to_owned()]);
        let b = of_blocks(&["One. Two. Three.".to_owned()]);
        let found = vec![bead(0..1, 0..0), bead(1..1, 0..1), bead(1..1, 1..2), bead(1..1, 2..3)];
        assert_eq!(widened(&found, [&a, &b], by_difference), [bead(0..1, 0..3)]);
        // Sentences that the first bead has taken are not left for the second.
        let a = of_blocks(&["Everything. All.".to_owned()]);
        let b = of_blocks(&["One. Two. Three. Four.".to_owned()]);
        let found = vec![bead(0..1, 0..1), bead(1..1, 1..2), bead(1..1, 2..3), bead(1..2, 3..4)];
        assert_eq!(widened(&found, [&a, &b], by_difference), [bead(0..1, 0..3), bead(1..2, 3..4)]);
        assert!(widened(&[], [&a, &b], by_difference).is_empty());
    }
}
