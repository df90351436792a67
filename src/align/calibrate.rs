//! Learns to score beads from pages that are aligned with the finished model.
//!
//! What a model says of the beads that it has found is no proof, since it looks for beads that it likes. So these are compared with beads
//! that it finds on two pages that do not belong together: those are wrong, and chosen in the same way.

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use super::beads::align;
use super::document::Document;
use super::model::Model;
use super::params::Params;
use super::resorted::Resorted;
use super::score::{FEATURES, Scored, Scoring, classes, features};
use super::train::Pages;
use super::translation::Evidence;
use crate::types::Bead;

/// Pages of different pairs of which more than one bead in this many stands on both are versions of each other, and no source of wrong
/// beads.
const COMMON: usize = 5;
/// With fewer wrong beads of different pages, sides of neighbouring beads are put together too.
const MIN_WRONG: usize = 50;

/// Learns from pages how to score beads. Untranslated text is left out, because equal words on both sides give far more evidence than
/// translations do, and so are lists that each language sorts itself.
pub fn calibrate(model: &Model, pages: &[&Pages<'_>], params: &Params) -> Scoring {
    let of_pair = |(a, b): &&Pages<'_>| Found::new(a, b, model, params);
    let found: Vec<Found> = pages.par_iter().map(of_pair).collect();
    let known: FxHashSet<u64> = found.iter().flat_map(|found| found.counted.iter().map(|bead| bead.words)).collect();
    let of_strangers = |at: usize| {
        let beads = Found::new(&pages[at].0, &pages[(at + 1) % pages.len()].1, model, params).counted;
        let is_known = |bead: &Counted| known.contains(&bead.words);
        let are_versions = beads.iter().filter(|bead| is_known(bead)).count() * COMMON > beads.len();
        let new = beads.into_iter().filter(|bead| !are_versions && !is_known(bead));
        new.map(|bead| bead.features).collect()
    };
    let strangers: Vec<Vec<_>> = match pages.len() {
        0 | 1 => Vec::new(),
        count => (0..count).into_par_iter().map(of_strangers).collect(),
    };
    let mut wrong: Vec<[f32; FEATURES]> = strangers.concat();
    if wrong.len() < MIN_WRONG {
        wrong.extend(found.iter().flat_map(|found| &found.beside));
    }
    let right: Vec<_> = found.iter().flat_map(|found| found.counted.iter().map(|bead| bead.features)).collect();
    let classes = |scoring: &Scoring| {
        let of_page = |found: &Found| -> Vec<_> {
            let classes = classes(scoring, &found.beads);
            found.counted.iter().map(|bead| (bead.features, classes[bead.number])).collect()
        };
        found.iter().flat_map(of_page).collect()
    };
    Scoring::fit(&right, &wrong, classes).unwrap_or_default()
}

/// The beads of two pages.
struct Found {
    beads: Vec<Option<Scored>>,
    /// Those from which is learnt.
    counted: Vec<Counted>,
    /// The features of the first side of each of these beside the second side of the next.
    beside: Vec<[f32; FEATURES]>,
}

/// A bead from which is learnt.
struct Counted {
    /// Its position among the beads of the pages.
    number: usize,
    features: [f32; FEATURES],
    /// Hash of the words of both sides.
    words: u64,
}

impl Found {
    fn new(a: &Document<'_>, b: &Document<'_>, model: &Model, params: &Params) -> Found {
        let evidence = Evidence::new(a, b, model, &params.translation);
        let beads = align(a, b, &evidence, &model.lengths, params);
        let resorted = Resorted::new(a, b);
        let scored: Vec<Option<Scored>> =
            beads.iter().map(|bead| Scored::new((a, b), bead, &evidence, &model.lengths)).collect();
        let spans = |bead: &Bead| (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
        let mut counted: Vec<Counted> = Vec::new();
        let mut beside = Vec::new();
        for (number, (bead, scored)) in beads.iter().zip(&scored).enumerate() {
            let Some(scored) = scored.as_ref().filter(|_| !resorted.has(bead)) else { continue };
            let (side_a, side_b) = spans(bead);
            let (words_a, words_b) = (a.words_in(side_a.words), b.words_in(side_b.words.clone()));
            if words_a == words_b {
                continue;
            }
            if let Some(before) = counted.last() {
                beside.push(features(&spans(&beads[before.number]).0, &side_b, &evidence, &model.lengths));
            }
            let length = words_a.len() as u64;
            let bytes: Vec<u8> =
                [length].iter().chain(words_a).chain(words_b).flat_map(|word| word.to_le_bytes()).collect();
            counted.push(Counted { number, features: scored.features, words: xxh3_64(&bytes) });
        }
        Found { beads: scored, counted, beside }
    }
}
