//! Settings of alignment.

use super::{clean, costs, translation};
use crate::lexicon::LearnParams;
use crate::sequence::path;

/// Settings of alignment.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Names of the costs to be added up, from `COSTS`.
    pub costs: Vec<&'static str>,
    /// Whether to match blocks first. If not, a page is a single block, as for Gale & Church.
    pub blocks: bool,
    /// Settings of the band in which alignments are searched.
    pub path: path::Params,
    /// How many sentences of a page are compared; the rest of the page is left out as a whole. Default 1,000,000: no page of a web archive
    /// has as many.
    pub max_sentences: u32,
    /// Cost of matching blocks of different tags, in nats. Default 2, an estimate: a page and its translation mostly have
    /// the same tags.
    pub tag_cost: f32,
    /// The cost of a block without a counterpart, as a share of the cost of lengths l and 0. Default ½, an estimate: whole paragraphs are
    /// left out more often than sentences.
    pub missing_block: f32,
    /// The translation model.
    pub translation: translation::Params,
    /// Training.
    pub train: TrainParams,
    /// What cleaning leaves out.
    pub clean: clean::Params,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            costs: costs::COSTS.iter().map(|(name, _)| *name).collect(),
            blocks: true,
            path: path::Params::default(),
            max_sentences: 1_000_000,
            tag_cost: 2.0,
            missing_block: 0.5,
            translation: translation::Params::default(),
            train: TrainParams::default(),
            clean: clean::Params::default(),
        }
    }
}

impl Params {
    /// Gale & Church (1993): lengths alone, over the whole page.
    pub fn gale_church() -> Params {
        Params { costs: vec!["lengths"], ..Params::whole_pages() }
    }

    /// All costs, over the whole page.
    pub fn whole_pages() -> Params {
        Params { blocks: false, ..Params::default() }
    }
}

/// Settings of training.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TrainParams {
    /// How many page pairs of each language pair are learnt from at most. Default 1,000.
    pub max_pages: usize,
    /// Settings of learning words; [`portions`](super::sample::portions) says from how many pages they are learnt.
    pub words: LearnParams,
    /// How many page pairs the calibration uses. Default 30.
    pub calibrate_pages: usize,
}

impl TrainParams {
    /// How many page pairs a sample has at most.
    pub fn sampled(&self) -> usize {
        self.max_pages + self.calibrate_pages
    }
}

impl Default for TrainParams {
    fn default() -> TrainParams {
        TrainParams { max_pages: 1000, words: LearnParams::of_sentences(5), calibrate_pages: 30 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gale_and_church_look_at_lengths_over_the_whole_page() {
        let known: Vec<&str> = costs::COSTS.iter().map(|(name, _)| *name).collect();
        assert_eq!(Params::default().costs, known);
        let classic = Params::gale_church();
        assert_eq!((classic.costs, classic.blocks), (vec!["lengths"], false));
        assert_eq!(Params { blocks: true, ..Params::whole_pages() }, Params::default());
    }
}
