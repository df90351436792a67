//! Learns which words of two languages translate each other from many pairs of texts at once: IBM model 1 in both directions.
//!
//! The formulas are those of eq. 1 of Tomás et al. 2008, whose own model learns from pairs that come one by one
//! ([`TranslationModel`](crate::papers::incremental::TranslationModel)); tests compare both with the same reference implementation. Here
//! all texts are known before the first pass. So words have dense numbers, and the counts of a word of the first language lie
//! together: a pass goes through the words of the first language, and for each through the texts in which it occurs.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// What is assumed about words before anything is learnt, and how long a text may be.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ModelParams {
    /// Probability of a translation before anything is learnt, unless the two words are equal: one over a vocabulary of ten thousand words
    /// (an estimate).
    pub initial_p: f32,
    /// How many observations the initial probability counts for (an estimate). Because of it, a word that is first seen late can still
    /// become a translation of a word that is known already.
    pub prior_count: f32,
    /// Texts are cut to so many words, since the cost is the product of both lengths. Longer sentences are rare, and often lists (an
    /// estimate).
    pub max_sentence_words: usize,
}

impl Default for ModelParams {
    fn default() -> ModelParams {
        ModelParams { initial_p: 1e-4, prior_count: 0.5, max_sentence_words: 100 }
    }
}

/// The words of one language, numbered from 1 in the order in which they come. Number 0 is NULL, which accounts for words that no word of
/// the other text explains.
#[derive(Clone, Debug)]
pub struct Numbering {
    numbers: FxHashMap<u64, u32>,
    hashes: Vec<u64>,
    counts: Vec<u32>,
}

impl Default for Numbering {
    fn default() -> Numbering {
        Numbering { numbers: FxHashMap::default(), hashes: vec![0], counts: vec![0] }
    }
}

impl Numbering {
    fn number(&mut self, word: u64) -> u32 {
        let number = self.named(word);
        self.counts[number as usize] += 1;
        number
    }

    /// The number of a word that need not occur anywhere.
    fn named(&mut self, word: u64) -> u32 {
        let new = self.hashes.len() as u32;
        let number = *self.numbers.entry(word).or_insert(new);
        if number == new {
            self.hashes.push(word);
            self.counts.push(0);
        }
        number
    }

    /// The number of a word. A word that was not there yet gets one, and counts as having occurred once.
    fn known(&mut self, word: u64) -> u32 {
        match self.numbers.get(&word) {
            Some(&number) => number,
            None => self.number(word),
        }
    }

    fn has(&self, word: u64) -> bool {
        self.numbers.contains_key(&word)
    }

    /// The hash of each word, by its number.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// How often each word occurred, by its number.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }
}

/// Two words that translate each other, as hashes, with p(second | first) and p(first | second).
pub type KnownPair = (u64, u64, f32, f32);

/// Two words, as numbers, with p(second | first) and p(first | second).
pub type Translation = (u32, u32, [f32; 2]);

/// Pairs of texts, in two halves, from which a model is learnt.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The words of the first language, and of the second.
    pub sides: [Numbering; 2],
    words: Vec<u32>,
    /// For each pair, where its words begin in `words`, where those of its second text begin, where they end, and its half.
    pairs: Vec<TextPair>,
    /// Hashes of these pairs with their halves.
    known: FxHashSet<u64>,
}

#[derive(Clone, Copy, Debug)]
struct TextPair {
    start: u32,
    middle: u32,
    end: u32,
    half: u8,
    /// True for an entry of a word list, which needs no other to confirm it.
    is_given: bool,
}

impl Corpus {
    /// Adds a pair of texts, as hashes of words. Texts are cut to `max_words`. A pair with an empty text is left out, and so is a pair that
    /// the half already has: a text that stands on every page of a site, such as its menu, says no more than if it stood on one.
    pub fn add(&mut self, a: &[u64], b: &[u64], half: usize, max_words: usize) {
        let (a, b) = (&a[..a.len().min(max_words)], &b[..b.len().min(max_words)]);
        if a.is_empty() || b.is_empty() || !self.known.insert(hash_of_texts(a, b, half)) {
            return;
        }
        let start = self.words.len() as u32;
        let [first, second] = &mut self.sides;
        self.words.extend(a.iter().map(|&word| first.number(word)));
        let middle = self.words.len() as u32;
        self.words.extend(b.iter().map(|&word| second.number(word)));
        self.push(start, middle, half, false);
    }

    /// Adds entries of word lists to a half: pairs of texts of one word each. Their words do not count as having occurred.
    pub fn give(&mut self, entries: &[KnownPair], half: usize) {
        for &(a, b, ..) in entries {
            let start = self.words.len() as u32;
            let [first, second] = &mut self.sides;
            self.words.extend([first.named(a), second.named(b)]);
            self.push(start, start + 1, half, true);
        }
    }

    fn push(&mut self, start: u32, middle: u32, half: usize, is_given: bool) {
        self.pairs.push(TextPair { start, middle, end: self.words.len() as u32, half: half as u8, is_given });
    }

    /// The known translations of which at least one word occurs in no text. Their words get numbers.
    pub fn beside(&mut self, known: &[KnownPair]) -> Vec<Translation> {
        let stand = |(a, b, ..): &&KnownPair| self.sides[0].has(*a) && self.sides[1].has(*b);
        let others: Vec<&KnownPair> = known.iter().filter(|known| !stand(known)).collect();
        let [first, second] = &mut self.sides;
        others.into_iter().map(|&(a, b, forth, back)| (first.known(a), second.known(b), [forth, back])).collect()
    }

    /// The number of words of all texts, of both languages.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// Learns from one half of the pairs.
    pub fn learn(&self, half: usize, params: &LearnParams) -> WordCounts {
        let mut counts = WordCounts::empty(self, half);
        let mut pass = Pass::new(self, half);
        let stop = &params.stop;
        let mut before = f64::NEG_INFINITY;
        for at in 0..stop.max_passes {
            let likelihood = pass.run(self, &mut counts, &params.model);
            if at + 1 >= stop.min_passes && likelihood - before < stop.min_gain {
                break;
            }
            before = likelihood;
        }
        counts
    }
}

fn hash_of_texts(a: &[u64], b: &[u64], half: usize) -> u64 {
    let ends = [a.len() as u64, half as u64];
    let bytes: Vec<u8> = ends.iter().chain(a).chain(b).flat_map(|number| number.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// When learning ends.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Stop {
    /// Passes, at least.
    pub min_passes: usize,
    /// Passes, at most.
    pub max_passes: usize,
    /// Learning ends after a pass that raises the mean log-probability of a word by less than this, in nats.
    pub min_gain: f64,
}

/// How words are learnt, from pages and from sentences.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LearnParams {
    /// Words of both languages together from which a language pair is learnt, at most.
    pub max_words: usize,
    /// Settings of the formulas.
    pub model: ModelParams,
    /// When passes of EM end.
    pub stop: Stop,
    /// Whether words that are not equal must occur together in more than one pair of texts to be translations. Where what was learnt is
    /// applied to the very texts that it was learnt from, words that were seen together once would confirm their own pairing.
    pub repeated: bool,
}

impl LearnParams {
    /// For comparing pages: 40,000 words and at most three passes; what one half teaches is applied to the other. More passes do not change
    /// F1 on the test sites; with twice as many words, or half, it is the same within .001.
    pub fn of_pages() -> LearnParams {
        LearnParams { max_words: 40_000, repeated: false, ..LearnParams::of_sentences(3) }
    }

    /// For aligning sentences: 200,000 words, and at most `max_passes` passes. With fewer words more pairs are missed; more words change
    /// little.
    pub fn of_sentences(max_passes: usize) -> LearnParams {
        // The cost grows with the square of this length, and few sentences are longer.
        let model = ModelParams { max_sentence_words: 60, ..ModelParams::default() };
        LearnParams {
            max_words: 200_000,
            model,
            stop: Stop { min_passes: 2, max_passes, min_gain: 0.02 },
            repeated: true,
        }
    }
}

/// C(e, f) and C(e) of both directions, learnt from one half of a [`Corpus`].
#[derive(Clone, Debug, Default)]
pub struct WordCounts {
    /// Where the cells of each word of the first language begin; one more at the end.
    starts: Vec<u32>,
    /// For each word of the first language, the words of the second that occur beside it in some pair of texts; the first is NULL.
    words: Vec<u32>,
    /// C(e, f) for each of these: of the second language's word given the first's, and the other way round.
    cells: Vec<[f32; 2]>,
    /// For each of these, whether both words occur in more than one pair of texts, or in an entry of a word list.
    repeated: Vec<bool>,
    /// C(e) of the words of the first language, and of the second.
    totals: [Vec<f64>; 2],
}

impl WordCounts {
    /// Counts of 0 for all pairs of words that occur together in a half.
    fn empty(corpus: &Corpus, half: usize) -> WordCounts {
        let places = Places::new(corpus, half);
        let [first, second] = &corpus.sides;
        let mut counts = WordCounts {
            totals: [vec![0.0; first.hashes.len()], vec![0.0; second.hashes.len()]],
            ..WordCounts::default()
        };
        // For each word of the second language, one more than the last word of the first language beside which it was seen, the pair of
        // texts where that was, and its cell.
        let mut seen = vec![(0u32, 0u32, 0u32); second.hashes.len()];
        for word in 0..first.hashes.len() as u32 {
            counts.starts.push(counts.words.len() as u32);
            let pairs = places.of(word);
            if pairs.is_empty() {
                continue;
            }
            counts.words.push(0);
            counts.repeated.push(true);
            for &(pair, _) in pairs {
                let TextPair { middle, end, is_given, .. } = corpus.pairs[pair as usize];
                for &other in &corpus.words[middle as usize..end as usize] {
                    let seen = &mut seen[other as usize];
                    if seen.0 != word + 1 {
                        *seen = (word + 1, pair, counts.words.len() as u32);
                        counts.words.push(other);
                        counts.repeated.push(is_given);
                    } else if seen.1 != pair {
                        counts.repeated[seen.2 as usize] = true;
                    }
                }
            }
        }
        counts.starts.push(counts.words.len() as u32);
        counts.cells = vec![[0.0; 2]; counts.words.len()];
        counts
    }

    fn row(&self, word: usize) -> std::ops::Range<usize> {
        self.starts[word] as usize..self.starts[word + 1] as usize
    }

    /// Calls `each` with the numbers of two words, t(second|first) and t(first|second), for all pairs of words of which one of these is at
    /// least `min`. With [`repeated`](LearnParams::repeated), only pairs count whose words are equal or occur together in more than one
    /// pair of texts. NULL is left out.
    pub fn for_each(&self, corpus: &Corpus, params: &LearnParams, min: f32, mut each: impl FnMut(u32, u32, [f32; 2])) {
        let (repeated, params) = (params.repeated, &params.model);
        let prior = params.prior_count;
        let [first, second] = &corpus.sides;
        let [totals_first, totals_second] =
            self.totals.each_ref().map(|totals| totals.iter().map(|&total| total as f32 + prior).collect::<Vec<f32>>());
        for (word, &total) in totals_first.iter().enumerate().skip(1) {
            let own = first.hashes[word];
            let row = self.row(word);
            for ((&other, cell), &is_repeated) in
                self.words[row.clone()].iter().zip(&self.cells[row.clone()]).zip(&self.repeated[row])
            {
                let is_equal = own == second.hashes[other as usize];
                if repeated && !is_repeated && !is_equal {
                    continue;
                }
                let initial = prior * if is_equal { 1.0 } else { params.initial_p };
                let (totals, counts) = ([total, totals_second[other as usize]], cell.map(|count| count + initial));
                if other != 0 && (counts[0] >= min * totals[0] || counts[1] >= min * totals[1]) {
                    each(word as u32, other, [counts[0] / totals[0], counts[1] / totals[1]]);
                }
            }
        }
    }
}

/// For each word of the first language, the pairs of a half in which it occurs, and where. NULL occurs in all of them.
struct Places {
    starts: Vec<u32>,
    /// The pair, and the position of the word in the words of the corpus; `u32::MAX` for NULL.
    places: Vec<(u32, u32)>,
}

impl Places {
    fn new(corpus: &Corpus, half: usize) -> Places {
        let words = corpus.sides[0].hashes.len();
        let mut starts = vec![0u32; words + 1];
        let each = |each: &mut dyn FnMut(u32, u32, u32)| {
            for (pair, number) in corpus.pairs.iter().zip(0u32..).filter(|(pair, _)| usize::from(pair.half) == half) {
                each(0, number, u32::MAX);
                for place in pair.start..pair.middle {
                    each(corpus.words[place as usize], number, place);
                }
            }
        };
        each(&mut |word, _, _| starts[word as usize + 1] += 1);
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        let mut ends = starts.clone();
        let mut places = vec![(0, 0); starts[words] as usize];
        each(&mut |word, pair, place| {
            let end = &mut ends[word as usize];
            places[*end as usize] = (pair, place);
            *end += 1;
        });
        Places { starts, places }
    }

    fn of(&self, word: u32) -> &[(u32, u32)] {
        &self.places[self.starts[word as usize] as usize..self.starts[word as usize + 1] as usize]
    }
}

/// The buffers of a pass.
struct Pass {
    places: Places,
    /// For each word of the second language, its position in the present row.
    columns: Vec<u32>,
    /// Σ_i t(f|e_i) for each word of the corpus, of both languages.
    sums: Vec<f32>,
    /// For each cell of the present row, Σ 1/Σ_i t(f|e_i) in both directions.
    row: Vec<[f32; 2]>,
    /// 1/(C(e) + κ) for each word of the second language.
    over: Vec<f32>,
}

impl Pass {
    fn new(corpus: &Corpus, half: usize) -> Pass {
        Pass {
            places: Places::new(corpus, half),
            columns: vec![0; corpus.sides[1].hashes.len()],
            sums: vec![0.0; corpus.words.len()],
            row: Vec::new(),
            over: Vec::new(),
        }
    }

    /// Replaces the counts by their expectation under the present counts. Returns the mean of ln Σ t over the words of both languages.
    fn run(&mut self, corpus: &Corpus, counts: &mut WordCounts, params: &ModelParams) -> f64 {
        self.over.clear();
        self.over.extend(counts.totals[1].iter().map(|&total| 1.0 / (total as f32 + params.prior_count)));
        self.sums.fill(0.0);
        let words = corpus.sides[0].hashes.len() as u32;
        for word in 0..words {
            if !self.places.of(word).is_empty() {
                self.enter(corpus, counts, params, word);
                self.add_up(corpus, counts, word);
            }
        }
        let (mut likelihood, mut count) = (0.0, 0u32);
        for sum in self.sums.iter_mut().filter(|sum| **sum > 0.0) {
            likelihood += f64::from(sum.ln());
            count += 1;
            *sum = 1.0 / *sum;
        }
        counts.totals[1].fill(0.0);
        for word in 0..words {
            if !self.places.of(word).is_empty() {
                self.share(corpus, counts, word);
            }
        }
        likelihood / f64::from(count.max(1))
    }

    /// Computes t for the row of a word. It is stored in place of the counts until [`Pass::share`].
    fn enter(&mut self, corpus: &Corpus, counts: &mut WordCounts, params: &ModelParams, word: u32) {
        let [first, second] = &corpus.sides;
        let own = first.hashes[word as usize];
        let over = 1.0 / (counts.totals[0][word as usize] as f32 + params.prior_count);
        let range = counts.row(word as usize);
        let WordCounts { cells, words, .. } = counts;
        for ((cell, &other), column) in cells[range.clone()].iter_mut().zip(&words[range]).zip(0u32..) {
            self.columns[other as usize] = column;
            let is_equal = own == second.hashes[other as usize];
            let initial = params.prior_count * if is_equal { 1.0 } else { params.initial_p };
            *cell = [(cell[0] + initial) * over, (cell[1] + initial) * self.over[other as usize]];
        }
    }

    fn add_up(&mut self, corpus: &Corpus, counts: &WordCounts, word: u32) {
        let Pass { places, columns, sums, .. } = self;
        let row = &counts.cells[counts.row(word as usize)];
        for &(pair, place) in places.of(word) {
            let TextPair { middle, end, .. } = corpus.pairs[pair as usize];
            let others = &corpus.words[middle as usize..end as usize];
            // Two sums, of which neither waits for the other.
            let mut own = [row[0][1], 0.0];
            let add = |other: u32, sum: &mut f32, own: &mut f32| {
                let [forth, back] = row[columns[other as usize] as usize];
                *sum += forth;
                *own += back;
            };
            let (others, rest) = others.as_chunks::<2>();
            let (two_sums, last) = sums[middle as usize..end as usize].as_chunks_mut::<2>();
            for (&[first, second], [of_first, of_second]) in others.iter().zip(two_sums) {
                add(first, of_first, &mut own[0]);
                add(second, of_second, &mut own[1]);
            }
            rest.iter().zip(last).for_each(|(&other, sum)| add(other, sum, &mut own[0]));
            // NULL itself is not explained by any word.
            if place != u32::MAX {
                sums[place as usize] = own[0] + own[1];
            }
        }
    }

    /// Computes the new counts of a word: its share in each word of the texts in which it occurs.
    fn share(&mut self, corpus: &Corpus, counts: &mut WordCounts, word: u32) {
        let range = counts.row(word as usize);
        let WordCounts { cells, words, totals, .. } = counts;
        let Pass { places, columns, sums, row, .. } = self;
        for (&other, column) in words[range.clone()].iter().zip(0u32..) {
            columns[other as usize] = column;
        }
        row.clear();
        row.resize(range.len(), [0.0; 2]);
        for &(pair, place) in places.of(word) {
            let TextPair { middle, end, .. } = corpus.pairs[pair as usize];
            let others = &corpus.words[middle as usize..end as usize];
            let over = if place == u32::MAX { 0.0 } else { sums[place as usize] };
            row[0][1] += over;
            for (&other, sum) in others.iter().zip(&sums[middle as usize..end as usize]) {
                let cell = &mut row[columns[other as usize] as usize];
                *cell = [cell[0] + sum, cell[1] + over];
            }
        }
        let mut total = 0.0;
        for ((cell, over), &other) in cells[range.clone()].iter_mut().zip(row.iter()).zip(&words[range]) {
            // All summands of a cell have the same t.
            *cell = [cell[0] * over[0], cell[1] * over[1]];
            total += f64::from(cell[0]);
            totals[1][other as usize] += f64::from(cell[1]);
        }
        totals[0][word as usize] = total;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::super::reference::{Owned, Reference, corpus, turned};
    use super::*;

    proptest! {
        #[test]
        fn what_is_learnt_at_once_is_what_is_learnt_pair_by_pair(texts in corpus(), passes in 1usize..5, max_words in 3usize..9, repeated: bool) {
            let model = ModelParams { max_sentence_words: max_words, ..ModelParams::default() };
            let mut references: [[Reference; 2]; 2] = Default::default();
            let mut corpus = Corpus::default();
            for (half, [forth, back]) in references.iter_mut().enumerate() {
                let own: Vec<_> = texts.iter().skip(half).step_by(2).map(|(a, b)| (&a[..], &b[..])).collect();
                // Of equal pairs of texts, one counts.
                let mut known = HashSet::new();
                let cut = |text: &'_ [u64]| text[..text.len().min(max_words)].to_vec();
                let distinct = own.iter().map(|(a, b)| (cut(a), cut(b))).filter(|pair| known.insert(pair.clone()));
                let distinct: Owned = distinct.collect();
                forth.train(&distinct, passes, &model);
                back.train(&turned(&distinct), passes, &model);
                own.iter().for_each(|(a, b)| corpus.add(a, b, half, max_words));
            }
            let stop = Stop { min_passes: passes, max_passes: passes, min_gain: 0.0 };
            let params = LearnParams { model: model.clone(), stop, repeated, ..LearnParams::of_pages() };
            for (half, [slow_forth, slow_back]) in references.iter().enumerate() {
                let counts = corpus.learn(half, &params);
                let [first, second] = &corpus.sides;
                // Words that are not equal must meet in more than one pair of texts.
                let own: HashSet<_> = texts.iter().skip(half).step_by(2).map(|(a, b)| {
                    (&a[..a.len().min(max_words)], &b[..b.len().min(max_words)])
                }).collect();
                let meet = |x: u64, y: u64| own.iter().filter(|(a, b)| a.contains(&x) && b.contains(&y)).count();
                let mut seen = 0;
                counts.for_each(&corpus, &params, 0.0, |a, b, [forth, back]| {
                    let (a, b) = (first.hashes()[a as usize], second.hashes()[b as usize]);
                    let slow = (slow_forth.p(b, a, &model), slow_back.p(a, b, &model));
                    assert!((f64::from(forth) - slow.0).abs() < 1e-4, "t({b}|{a}): {forth} {}", slow.0);
                    assert!((f64::from(back) - slow.1).abs() < 1e-4, "t({a}|{b}): {back} {}", slow.1);
                    seen += 1;
                });
                let all = (1..16).flat_map(|a| (1..16).map(move |b| (a, b)));
                let is_given = |a: u64, b: u64| slow_forth.has(a, b) && (!repeated || a == b || meet(a, b) > 1);
                prop_assert_eq!(seen, all.filter(|&(a, b)| is_given(a, b)).count());
            }
        }
    }

    #[test]
    fn entries_of_word_lists_are_learnt_without_having_occurred() {
        let mut corpus = Corpus::default();
        corpus.add(&[1, 2], &[11, 12], 0, 9);
        corpus.give(&[(1, 11, 1.0, 1.0), (5, 15, 1.0, 1.0)], 0);
        let params = LearnParams { repeated: true, ..LearnParams::of_sentences(3) };
        let counts = corpus.learn(0, &params);
        let [first, second] = &corpus.sides;
        let mut found = Vec::new();
        counts.for_each(&corpus, &params, 0.1, |a, b, _| {
            found.push((first.hashes()[a as usize], second.hashes()[b as usize]));
        });
        assert_eq!(found, [(1, 11), (5, 15)], "others met once, in a text");
        assert_eq!((first.counts(), second.counts()), (&[0, 1, 1, 0][..], &[0, 1, 1, 0][..]));
    }

    #[test]
    fn learning_ends_when_nothing_changes() {
        let mut corpus = Corpus::default();
        (0..40u64).for_each(|n| corpus.add(&[n % 7, 20 + n % 5], &[100 + n % 7, 120 + n % 5], 0, 100));
        let pass = |max_passes: usize, min_gain: f64| {
            let stop = Stop { min_passes: 1, max_passes, min_gain };
            corpus.learn(0, &LearnParams { stop, ..LearnParams::of_pages() }).cells
        };
        assert_eq!(pass(200, 1e-3), pass(400, 1e-3));
        assert_ne!(pass(2, 0.0), pass(30, 0.0));
    }
}
