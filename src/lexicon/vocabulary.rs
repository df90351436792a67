//! What is stored of a translation model: for each word, its share of all words and its most probable translations.

use super::em::{Corpus, KnownPair, LearnParams, Numbering, Translation, WordCounts};
use crate::index::numbers::{Reader, put};

/// The words of one language, and their translations into another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vocabulary {
    /// Hashes, sorted.
    pub words: Vec<u64>,
    /// The share of each word in all words of its language, 0..=1.
    pub shares: Vec<f32>,
    /// For each word, where its translations end in `targets`.
    pub ends: Vec<u32>,
    /// Translations: positions in the other language's `words`.
    pub targets: Vec<u32>,
    /// Their probabilities p(target | word), 0..=1.
    pub probabilities: Vec<f32>,
    /// For each value of the hashes' first bits, and for the end, how many words are below it. Empty before [`Vocabulary::index`].
    index: Vec<u32>,
}

impl Vocabulary {
    /// Makes [`Vocabulary::find`] fast, by noting where words begin for each value of the first bits of their hashes.
    pub fn index(&mut self) {
        let bits = self.words.len().max(2).next_power_of_two().trailing_zeros();
        self.index.clear();
        let mut at = 0;
        for beginning in 0..1u64 << bits {
            while self.words.get(at).is_some_and(|word| word >> (64 - bits) < beginning) {
                at += 1;
            }
            self.index.push(at as u32);
        }
        self.index.push(self.words.len() as u32);
    }

    /// The position of a word.
    pub fn find(&self, word: u64) -> Option<usize> {
        let parts = self.index.len().saturating_sub(1);
        let (start, end) = match parts {
            0 => (0, self.words.len()),
            _ => {
                let part = (word >> (64 - parts.trailing_zeros())) as usize;
                (self.index[part] as usize, self.index[part + 1] as usize)
            }
        };
        self.words[start..end].binary_search(&word).ok().map(|at| start + at)
    }

    /// The translations of the word at a position: positions in the other language's words, and their probabilities.
    #[inline]
    pub fn translations(&self, at: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        let range = start..self.ends[at] as usize;
        self.targets[range.clone()].iter().copied().zip(self.probabilities[range].iter().copied())
    }

    /// The vocabulary in few bytes: eleven for each word, and three or four for each translation. The root of a probability is kept in
    /// steps of 1/255 ([`rounded`]), of a share the upper half of its bits ([`rounded_share`]).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut plain = Vec::new();
        put(&mut plain, self.words.len() as u64);
        for word in &self.words {
            plain.extend(word.to_le_bytes());
        }
        self.shares.iter().for_each(|share| plain.extend(((share.to_bits() >> 16) as u16).to_le_bytes()));
        let mut start = 0;
        for &end in &self.ends {
            put(&mut plain, u64::from(end - start));
            start = end;
        }
        self.targets.iter().for_each(|&target| put(&mut plain, u64::from(target)));
        plain.extend(self.probabilities.iter().map(|&p| step(p)));
        plain
    }

    /// Reads the bytes of [`Vocabulary::to_bytes`]; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Vocabulary> {
        let mut reader = Reader::new(bytes);
        let count = usize::try_from(reader.number()?).ok().filter(|&count| count <= bytes.len())?;
        let mut vocabulary = Vocabulary::default();
        for _ in 0..count {
            vocabulary.words.push(u64::from_le_bytes(reader.array()?));
        }
        for _ in 0..count {
            vocabulary.shares.push(f32::from_bits(u32::from(u16::from_le_bytes(reader.array()?)) << 16));
        }
        let mut end = 0u32;
        for _ in 0..count {
            end = end.checked_add(reader.number_u32()?)?;
            vocabulary.ends.push(end);
        }
        for _ in 0..end {
            vocabulary.targets.push(reader.number_u32()?);
        }
        vocabulary.probabilities = reader.take(end as usize)?.iter().map(|&step| of_step(step)).collect();
        vocabulary.index();
        reader.is_at_end().then_some(vocabulary)
    }

    /// True when all lists have lengths that fit together and all translations exist; `others` is the number of words of the other
    /// language.
    pub fn is_sound(&self, others: usize) -> bool {
        let counts = self.words.len() == self.shares.len() && self.words.len() == self.ends.len();
        let targets = self.targets.len() == self.probabilities.len();
        let ends = self.ends.is_sorted() && self.ends.last().map_or(0, |&end| end as usize) == self.targets.len();
        counts && targets && ends && self.targets.iter().all(|&target| (target as usize) < others)
    }
}

fn step(p: f32) -> u8 {
    (p.clamp(0.0, 1.0).sqrt() * 255.0).round() as u8
}

fn of_step(step: u8) -> f32 {
    (f32::from(step) / 255.0).powi(2)
}

/// A probability as it is stored, 0..=1.
pub fn rounded(p: f32) -> f32 {
    of_step(step(p))
}

/// A share as it is stored, with eight significant bits.
pub fn rounded_share(share: f32) -> f32 {
    f32::from_bits(share.to_bits().saturating_add(0x8000) & 0xffff_0000)
}

/// Which translations are kept of a model.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Kept {
    /// Translations of a word, at most.
    pub max_translations: usize,
    /// Probability of a translation, at least, 0..=1.
    pub min_probability: f32,
}

/// The positions of a word and of its translation, and p(translation | word).
type Link = (u32, u32, f32);

/// The vocabularies of both languages of a corpus, with the translations that were learnt and those known [`beside`](Corpus::beside) it.
pub fn vocabularies(
    corpus: &Corpus,
    counts: &WordCounts,
    beside: &[Translation],
    params: &LearnParams,
    kept: Kept,
) -> [Vocabulary; 2] {
    let orders = [0, 1].map(|side: usize| order(&corpus.sides[side]));
    let places = [0, 1].map(|side: usize| {
        let mut places = vec![0u32; orders[side].len() + 1];
        (0u32..).zip(&orders[side]).for_each(|(place, &number)| places[number as usize] = place);
        places
    });
    let mut links: [Vec<Link>; 2] = Default::default();
    let mut note = |a: u32, b: u32, [forth, back]: [f32; 2]| {
        let (a, b) = (places[0][a as usize], places[1][b as usize]);
        for (links, link) in links.iter_mut().zip([(a, b, forth), (b, a, back)]) {
            if link.2 >= kept.min_probability {
                links.push(link);
            }
        }
    };
    counts.for_each(corpus, params, kept.min_probability, &mut note);
    beside.iter().for_each(|&(a, b, p)| note(a, b, p));
    let [of_a, of_b] = links;
    let side = |side: usize, links| vocabulary(&corpus.sides[side], &orders[side], links, kept.max_translations);
    [side(0, of_a), side(1, of_b)]
}

/// The vocabularies of both languages of a corpus, with known translations only.
pub fn known_vocabularies(corpus: &Corpus, known: &[KnownPair]) -> [Vocabulary; 2] {
    let orders = [0, 1].map(|side: usize| order(&corpus.sides[side]));
    let place = |side: usize, word: u64| {
        let hashes = corpus.sides[side].hashes();
        orders[side].binary_search_by_key(&word, |&number| hashes[number as usize]).ok().map(|place| place as u32)
    };
    let mut links: [Vec<Link>; 2] = Default::default();
    for &(a, b, forth, back) in known {
        if let (Some(a), Some(b)) = (place(0, a), place(1, b)) {
            links[0].push((a, b, forth));
            links[1].push((b, a, back));
        }
    }
    let [of_a, of_b] = links;
    let side = |side: usize, links| vocabulary(&corpus.sides[side], &orders[side], links, usize::MAX);
    [side(0, of_a), side(1, of_b)]
}

/// The numbers of words in the order of their hashes; NULL is left out.
fn order(numbering: &Numbering) -> Vec<u32> {
    let hashes = numbering.hashes();
    let mut order: Vec<u32> = (1..hashes.len() as u32).collect();
    order.sort_unstable_by_key(|&number| hashes[number as usize]);
    order
}

fn vocabulary(numbering: &Numbering, order: &[u32], links: Vec<Link>, max_translations: usize) -> Vocabulary {
    let total: f64 = numbering.counts().iter().map(|&count| f64::from(count)).sum();
    let share = |&number: &u32| rounded_share((f64::from(numbering.counts()[number as usize]) / total.max(1.0)) as f32);
    let mut side = Vocabulary {
        words: order.iter().map(|&number| numbering.hashes()[number as usize]).collect(),
        shares: order.iter().map(share).collect(),
        ..Vocabulary::default()
    };
    let mut ends = vec![0usize; side.words.len() + 1];
    links.iter().for_each(|link| ends[link.0 as usize + 1] += 1);
    (0..side.words.len()).for_each(|word| ends[word + 1] += ends[word]);
    let mut of_word = vec![(0.0, 0); links.len()];
    for (word, target, p) in links {
        of_word[ends[word as usize]] = (p, target);
        ends[word as usize] += 1;
    }
    let mut start = 0;
    for &end in &ends[..side.words.len()] {
        // The most probable translation comes first, and of equally probable ones that with the smaller hash.
        let translations = &mut of_word[start..end];
        translations.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then_with(|| x.1.cmp(&y.1)));
        for &(p, target) in translations.iter().take(max_translations) {
            side.targets.push(target);
            side.probabilities.push(rounded(p));
        }
        side.ends.push(side.targets.len() as u32);
        start = end;
    }
    side.index();
    side
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words 10 and 20. Words 0 and 2 of the other language translate 10, word 1 translates 20.
    fn vocabulary() -> Vocabulary {
        Vocabulary {
            words: vec![10, 20],
            shares: vec![0.7, 0.3],
            ends: vec![2, 3],
            targets: vec![0, 2, 1],
            probabilities: vec![0.5, 0.25, 1.0],
            ..Vocabulary::default()
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
        fn what_is_written_is_read_again(
            rows in prop::collection::btree_map(any::<u64>(), (1u32..500, prop::collection::vec((0u32..70_000, 0.0f32..1.0), 0..5)), 0..40),
            cut in 0usize..400,
        ) {
            let mut vocabulary = Vocabulary::default();
            for (word, (count, translations)) in rows {
                vocabulary.words.push(word);
                vocabulary.shares.push(rounded_share(count as f32 / 1000.0));
                for (target, p) in translations {
                    vocabulary.targets.push(target);
                    vocabulary.probabilities.push(rounded(p));
                    prop_assert!((rounded(p).sqrt() - p.sqrt()).abs() <= 0.5 / 255.0 + 1e-6);
                }
                vocabulary.ends.push(vocabulary.targets.len() as u32);
            }
            let bytes = vocabulary.to_bytes();
            let read = Vocabulary::from_bytes(&bytes).expect("it was just written");
            prop_assert_eq!((&read.words, &read.ends, &read.targets), (&vocabulary.words, &vocabulary.ends, &vocabulary.targets));
            prop_assert_eq!(&read.probabilities, &vocabulary.probabilities);
            prop_assert_eq!(&read.shares, &vocabulary.shares);
            // Bytes that were cut off give no vocabulary, and nothing panics.
            if cut < bytes.len() {
                prop_assert!(Vocabulary::from_bytes(&bytes[..cut]).is_none());
            }
        }

        #[test]
        fn words_are_found_however_they_lie(
            even in prop::collection::btree_set(any::<u64>(), 0..300), dense in prop::collection::btree_set(0u64..400, 0..100),
        ) {
            for words in [&even, &dense, &even.union(&dense).copied().collect()] {
                let mut vocabulary = Vocabulary { words: words.iter().copied().collect(), ..Vocabulary::default() };
                prop_assert!(words.iter().all(|&word| vocabulary.find(word).is_some()));
                vocabulary.index();
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
