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
    /// The place of a word. Hashes lie evenly, so it is guessed, and guessed again from what stands there; where they do not, all
    /// words are halved again and again.
    pub(super) fn find(&self, word: u64) -> Option<usize> {
        const GUESSES: usize = 3;
        /// Places looked at on either side of the last guess.
        const NEAR: usize = 16;
        let (words, count) = (&self.words[..], self.words.len());
        let places = |distance: u64| (u128::from(distance) * count as u128 >> 64) as usize;
        let mut at = places(word);
        for _ in 0..GUESSES {
            let here = *words.get(at)?;
            let step = places(word.abs_diff(here));
            at = if word < here { at.saturating_sub(step) } else { (at + step).min(count - 1) };
        }
        let (mut start, mut end) = (at.saturating_sub(NEAR), (at + NEAR).min(count));
        if words[start] > word {
            start = 0;
        }
        if words[end - 1] < word {
            end = count;
        }
        words[start..end].binary_search(&word).ok().map(|at| start + at)
    }

    #[inline]
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words 10 and 20; 10 is translated by 0 and 2 of the other side, 20 by 1.
    fn vocabulary() -> Vocabulary {
        Vocabulary {
            words: vec![10, 20],
            shares: vec![0.7, 0.3],
            ends: vec![2, 3],
            targets: vec![0, 2, 1],
            probabilities: vec![0.5, 0.25, 1.0],
        }
    }

    #[test]
    fn each_word_has_the_translations_up_to_its_end() {
        let vocabulary = vocabulary();
        assert_eq!((vocabulary.find(20), vocabulary.find(15)), (Some(1), None));
        assert_eq!(vocabulary.translations(0).collect::<Vec<_>>(), [(0, 0.5), (2, 0.25)]);
        assert_eq!(vocabulary.translations(1).collect::<Vec<_>>(), [(1, 1.0)]);
    }

    proptest! {
        #[test]
        fn words_are_found_however_they_lie(
            even in prop::collection::btree_set(any::<u64>(), 0..300), dense in prop::collection::btree_set(0u64..400, 0..100),
        ) {
            for words in [&even, &dense, &even.union(&dense).copied().collect()] {
                let vocabulary = Vocabulary { words: words.iter().copied().collect(), ..Vocabulary::default() };
                for word in even.iter().chain(&dense).flat_map(|&word| [word, word.wrapping_add(1), !word]) {
                    prop_assert_eq!(vocabulary.find(word), vocabulary.words.binary_search(&word).ok());
                }
            }
        }
    }

    #[test]
    fn a_vocabulary_that_points_nowhere_is_not_sound() {
        assert!(vocabulary().is_sound(3) && Vocabulary::default().is_sound(0));
        assert!(!vocabulary().is_sound(2));
        assert!(!Vocabulary { ends: vec![2, 4], ..vocabulary() }.is_sound(3));
        assert!(!Vocabulary { ends: vec![3], ..vocabulary() }.is_sound(3));
        assert!(!Vocabulary { probabilities: vec![1.0], ..vocabulary() }.is_sound(3));
    }
}
