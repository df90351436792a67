//! What is learnt of a pair of languages.

use super::lengths::Lengths;

/// One side of a [`Model`]: the words of a language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vocabulary {
    /// Hashes, sorted.
    pub words: Vec<u64>,
    /// Share of each in all words of the side, 0..=1.
    pub shares: Vec<f32>,
    /// Where the translations of each end in `targets`.
    pub ends: Vec<u32>,
    /// Its translations: positions in the other side's `words`.
    pub targets: Vec<u32>,
    /// Their probabilities p(target | word), 0..=1.
    pub probabilities: Vec<f32>,
}

impl Vocabulary {
    pub(super) fn find(&self, word: u64) -> Option<usize> {
        self.words.binary_search(&word).ok()
    }

    pub(super) fn translations(&self, at: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        let range = start..self.ends[at] as usize;
        self.targets[range.clone()].iter().copied().zip(self.probabilities[range].iter().copied())
    }

    /// True when every number in it points at something; `others` is the number of words of the other side.
    pub fn is_sound(&self, others: usize) -> bool {
        let counts = self.words.len() == self.shares.len() && self.words.len() == self.ends.len();
        let targets = self.targets.len() == self.probabilities.len();
        let ends = self.ends.is_sorted() && self.ends.last().map_or(0, |&end| end as usize) == self.targets.len();
        counts && targets && ends && self.targets.iter().all(|&target| (target as usize) < others)
    }
}

/// What was learnt of a pair of languages, cut down to what alignment asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Words of the first language.
    pub a: Vocabulary,
    /// Words of the second.
    pub b: Vocabulary,
    /// How long translations are.
    pub lengths: Lengths,
    /// Weights of [`super::score`]; empty: the shipped ones.
    pub weights: Vec<f32>,
}
