//! Cost of a bead from the words of its sides: a word translation model like IBM-1, against chance.

use std::cell::RefCell;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::cost::Cost;
use super::document::Document;
use super::model::{Model, Vocabulary};
use super::span::Span;

/// Settings of the cost.
///
/// The defaults were chosen on the test sites, where neighbouring values change little.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// How often a word is no translation of any word of the other side, 0..=1: ε. Default 0.35: at 0.2 free
    /// translations are taken for none.
    pub free_words: f32,
    /// What one word may speak for a bead, at the most, in nats. Default 6.
    pub max_word: f32,
    /// α of eq. 1: how likely a difference of one more word is, 0..=1. Default 1, as the cost of lengths, which knows the
    /// variance of the two languages, says the same better; Tomás et al. do not give a number.
    pub alpha: f32,
    /// Translations of a word that are kept, at the most. Default 12.
    pub max_translations: usize,
    /// Probability of a translation from which it is kept, 0..=1. Default 0.02.
    pub min_probability: f32,
}

impl Default for Params {
    fn default() -> Params {
        Params { free_words: 0.35, max_word: 6.0, alpha: 1.0, max_translations: 12, min_probability: 0.02 }
    }
}

/// What the words of two pages say about each other.
///
/// The cost of a bead is −½·(L(b|a) + L(a|b)), with
///
/// L(f|e) = |m − l|·ln α + Σ_j ln(ε + (1 − ε)·Σ_i p(f_j|e_i) / ((l + 1)·p(f_j)))          (Tomás et al. 2008, eq. 1)
///
/// which is eq. 1 with each word set against its share p(f_j) in the language, so that beads of different lengths can be
/// compared and an unaligned sentence costs 0; ε is the share of words that are no translations at all. A word the model has not met
/// and no equal word answers says nothing. Equal words have p = 1, as the paper starts, where the model knows no better.
pub struct Evidence {
    pub(super) a: Side,
    pub(super) b: Side,
    pub(super) params: Params,
}

/// The words of one page, numbered from 0 in the order they are met.
#[derive(Default)]
pub(super) struct Side {
    /// Number of each word of the page.
    pub(super) words: Vec<u32>,
    /// For each number: share among the words of the language, or of the page where that is more.
    pub(super) shares: Vec<f32>,
    /// For each number: the model has translations for it.
    pub(super) known: Vec<bool>,
    /// For each number: ln(own share / share in the other language); 0 where neither language knows it.
    foreign: Vec<f32>,
    /// For each number: the model has it in either language.
    judged: Vec<bool>,
    /// For each number: 0, but while the words of a span are counted.
    counts: RefCell<Vec<u32>>,
    /// For each number: where its sources end in `sources`.
    source_ends: Vec<u32>,
    /// Words of the other page it may be a translation of, and p(this | that).
    sources: Vec<(u32, f32)>,
    /// For each number: where its targets end in `targets`.
    target_ends: Vec<u32>,
    /// Words of the other page that may be translations of it, and p(that | this).
    targets: Vec<(u32, f32)>,
}

impl Evidence {
    /// Looks up the words of both pages. Time grows as their lengths.
    pub fn new(a: &Document<'_>, b: &Document<'_>, model: &Model, params: &Params) -> Evidence {
        let (numbers_a, distinct_a) = number(&a.words);
        let (numbers_b, distinct_b) = number(&b.words);
        let found_a: Vec<Option<usize>> = distinct_a.iter().map(|&word| model.a.find(word)).collect();
        let found_b: Vec<Option<usize>> = distinct_b.iter().map(|&word| model.b.find(word)).collect();
        // p(b | a) for the words of these pages, and p(a | b).
        let from_a = links(&distinct_a, &found_a, &distinct_b, &found_b, &model.a);
        let from_b = links(&distinct_b, &found_b, &distinct_a, &found_a, &model.b);
        Evidence {
            a: Side::new(numbers_a, &distinct_a, &found_a, (&model.a, &model.b), (&from_a, &from_b)),
            b: Side::new(numbers_b, &distinct_b, &found_b, (&model.b, &model.a), (&from_b, &from_a)),
            params: params.clone(),
        }
    }

    /// L(b|a) and L(a|b) of two spans, and how many words of each the model can judge.
    pub fn logs(&self, a: &Range<u32>, b: &Range<u32>) -> Logs {
        let (b_given_a, known_b) = self.log(&self.b, b, &self.a, a);
        let (a_given_b, known_a) = self.log(&self.a, a, &self.b, b);
        Logs { b_given_a, a_given_b, known_a, known_b }
    }

    fn log(&self, to: &Side, target: &Range<u32>, from: &Side, source: &Range<u32>) -> (f32, u32) {
        let (l, m) = (source.end - source.start, target.end - target.start);
        let free = self.params.free_words;
        let none = free.ln();
        let mut sum = l.abs_diff(m) as f32 * self.params.alpha.ln();
        let mut judged = 0;
        let sources = &from.words[source.start as usize..source.end as usize];
        let mut counts = from.counts.borrow_mut();
        sources.iter().for_each(|&word| counts[word as usize] += 1);
        for &word in &to.words[target.start as usize..target.end as usize] {
            let word = word as usize;
            let mut p = 0.0;
            for &(other, probability) in to.sources(word) {
                p += probability * counts[other as usize] as f32;
            }
            if p > 0.0 {
                let ratio = p / ((l + 1) as f32 * to.shares[word]);
                sum += (free + (1.0 - free) * ratio).ln().min(self.params.max_word);
                judged += 1;
            } else if to.known[word] {
                sum += none;
                judged += 1;
            }
        }
        sources.iter().for_each(|&word| counts[word as usize] = 0);
        (sum, judged)
    }

    /// How much the words of a span of the first page look like the second language: the mean of ln(share in the other
    /// language / share in its own); `None` for fewer than four words the model knows.
    pub fn foreign_a(&self, words: Range<u32>) -> Option<f32> {
        self.a.foreign(words)
    }

    /// The same for the second page.
    pub fn foreign_b(&self, words: Range<u32>) -> Option<f32> {
        self.b.foreign(words)
    }
}

/// What the words of two spans say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Logs {
    /// L(b|a), in nats.
    pub b_given_a: f32,
    /// L(a|b).
    pub a_given_b: f32,
    /// Words of the first that say anything.
    pub known_a: u32,
    /// Of the second.
    pub known_b: u32,
}

impl Cost for Evidence {
    fn cost(&self, a: &Span, b: &Span) -> f32 {
        let logs = self.logs(&a.words, &b.words);
        -(logs.b_given_a + logs.a_given_b) / 2.0
    }
}

impl Side {
    fn new(
        words: Vec<u32>,
        distinct: &[u64],
        found: &[Option<usize>],
        (own, other): (&Vocabulary, &Vocabulary),
        (links_from, links_to): (&[Link], &[Link]),
    ) -> Side {
        /// Share of a word that was never seen; a language of a million words is met seldom.
        const UNSEEN: f32 = 1e-6;
        let count = distinct.len();
        let mut occurs = vec![0u32; count];
        words.iter().for_each(|&word| occurs[word as usize] += 1);
        let length = words.len().max(1) as f32;
        let mut side = Side { words, ..Side::default() };
        for (word, (hash, at)) in distinct.iter().zip(found).enumerate() {
            let share = at.map_or(0.0, |at| own.shares[at]);
            let elsewhere = other.find(*hash).map_or(0.0, |at| other.shares[at]);
            // The first time a word is met on a page says nothing about how frequent it is.
            let here = (occurs[word] - 1) as f32 / length;
            side.shares.push(share.max(here).max(UNSEEN));
            side.known.push(at.is_some_and(|at| own.translations(at).next().is_some()));
            side.judged.push(at.is_some() || elsewhere > 0.0);
            side.foreign.push((elsewhere.max(UNSEEN) / share.max(UNSEEN)).ln());
        }
        (side.target_ends, side.targets) = by_word(links_from, count, |link| (link.0, link.1));
        (side.source_ends, side.sources) = by_word(links_to, count, |link| (link.1, link.0));
        occurs.fill(0);
        side.counts = occurs.into();
        side
    }

    fn sources(&self, word: usize) -> &[(u32, f32)] {
        let start = if word == 0 { 0 } else { self.source_ends[word - 1] as usize };
        &self.sources[start..self.source_ends[word] as usize]
    }

    /// Words of the other page that may be translations of a word, and p(that | this).
    pub(super) fn targets(&self, word: usize) -> &[(u32, f32)] {
        let start = if word == 0 { 0 } else { self.target_ends[word - 1] as usize };
        &self.targets[start..self.target_ends[word] as usize]
    }

    /// How many different words there are.
    pub(super) fn distinct(&self) -> usize {
        self.shares.len()
    }

    fn foreign(&self, range: Range<u32>) -> Option<f32> {
        const MIN_WORDS: u32 = 4;
        let (mut sum, mut judged) = (0.0, 0);
        for &word in &self.words[range.start as usize..range.end as usize] {
            if self.judged[word as usize] {
                sum += self.foreign[word as usize];
                judged += 1;
            }
        }
        (judged >= MIN_WORDS).then(|| sum / judged as f32)
    }
}

/// The number of every word, and the word of every number.
fn number(words: &[u64]) -> (Vec<u32>, Vec<u64>) {
    let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
    let mut distinct = Vec::new();
    let numbered = words.iter().map(|&word| {
        *numbers.entry(word).or_insert_with(|| {
            distinct.push(word);
            distinct.len() as u32 - 1
        })
    });
    (numbered.collect(), distinct)
}

/// Two words by their numbers, and p(second | first).
type Link = (u32, u32, f32);

/// Links in the order of one of their words, and where those of each end; `split` gives it and the other.
fn by_word(links: &[Link], count: usize, split: impl Fn(&Link) -> (u32, u32)) -> (Vec<u32>, Vec<(u32, f32)>) {
    let mut ends = vec![0u32; count];
    links.iter().for_each(|link| ends[split(link).0 as usize] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum - *end;
    }
    let mut sorted = vec![(0, 0.0); links.len()];
    for link in links {
        let (word, other) = split(link);
        let at = &mut ends[word as usize];
        sorted[*at as usize] = (other, link.2);
        *at += 1;
    }
    (ends, sorted)
}

/// (from, to, p(to | from)) for words of two pages, by their numbers: what the model says, and 1 for equal words of which it
/// says nothing.
fn links(
    from: &[u64],
    found_from: &[Option<usize>],
    to: &[u64],
    found_to: &[Option<usize>],
    vocabulary: &Vocabulary,
) -> Vec<Link> {
    let in_model: FxHashMap<u32, u32> =
        found_to.iter().zip(0u32..).filter_map(|(at, number)| Some(((*at)? as u32, number))).collect();
    let by_hash: FxHashMap<u64, u32> = to.iter().copied().zip(0u32..).collect();
    let mut links = Vec::new();
    for ((hash, found), source) in from.iter().zip(found_from).zip(0u32..) {
        let mut is_translated = false;
        if let Some(at) = *found {
            for (target, p) in vocabulary.translations(at) {
                is_translated = true;
                if let Some(&target) = in_model.get(&target) {
                    links.push((source, target, p));
                }
            }
        }
        if let (false, Some(&target)) = (is_translated, by_hash.get(hash)) {
            links.push((source, target, 1.0));
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn document(words: &[u64]) -> Document<'static> {
        Document { text: "", blocks: Vec::new(), sentences: Vec::new(), words: words.to_vec() }
    }

    /// Word, share, translations.
    type Row<'r> = (u64, f32, &'r [(u32, f32)]);

    fn vocabulary(rows: &[Row<'_>]) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for (word, share, targets) in rows {
            vocabulary.words.push(*word);
            vocabulary.shares.push(*share);
            vocabulary.targets.extend(targets.iter().map(|target| target.0));
            vocabulary.probabilities.extend(targets.iter().map(|target| target.1));
            vocabulary.ends.push(vocabulary.targets.len() as u32);
        }
        vocabulary
    }

    fn model() -> Model {
        Model {
            a: vocabulary(&[(10, 0.1, &[(0, 0.8), (1, 0.2)]), (20, 0.01, &[(1, 0.5)])]),
            b: vocabulary(&[(11, 0.1, &[(0, 0.9)]), (21, 0.02, &[(1, 0.7)])]),
            ..Model::default()
        }
    }

    #[test]
    fn the_worked_example_gives_what_it_does_by_hand() {
        // a: 10 20, b: 11. Σ p(11|e) = 0.8; L(b|a) = ln(0.2 + 0.8·0.8/(3·0.1)) = ln 2.3333 = 0.8473.
        // L(a|b): 10: ln(0.2 + 0.8·0.9/(2·0.1)) = ln 3.8; 20: no translation here, ln 0.2; sum 1.3350 − 1.6094 = −0.2744.
        let params = Params { free_words: 0.2, ..Params::default() };
        let evidence = Evidence::new(&document(&[10, 20]), &document(&[11]), &model(), &params);
        let logs = evidence.logs(&(0..2), &(0..1));
        assert!((logs.b_given_a - 0.8473).abs() < 1e-3, "{logs:?}");
        assert!((logs.a_given_b + 0.2744).abs() < 1e-3, "{logs:?}");
        assert_eq!((logs.known_a, logs.known_b), (2, 1));
    }

    #[test]
    fn equal_words_speak_for_a_bead_before_anything_is_learnt() {
        let evidence =
            Evidence::new(&document(&[1, 2, 3]), &document(&[7, 2, 8]), &Model::default(), &Params::default());
        let logs = evidence.logs(&(0..3), &(0..3));
        assert_eq!((logs.known_a, logs.known_b), (1, 1));
        assert_eq!(logs.b_given_a, Params::default().max_word);
        assert_eq!(evidence.logs(&(0..1), &(0..3)), Logs::default());
    }

    #[test]
    fn words_of_the_other_language_are_foreign() {
        let evidence = Evidence::new(&document(&[11, 21, 11, 11]), &document(&[11]), &model(), &Params::default());
        assert!(evidence.foreign_a(0..4).is_some_and(|foreign| foreign > 5.0));
        assert_eq!(evidence.foreign_b(0..1), None);
    }

    /// L(f|e) word by word, from the model itself.
    fn reference(f: &[u64], e: &[u64], page_f: &[u64], from: &Vocabulary, to: &Vocabulary, params: &Params) -> f32 {
        let p = |f: u64, e: u64| match from.find(e) {
            Some(at) if from.translations(at).next().is_some() => {
                from.translations(at).filter(|row| to.words[row.0 as usize] == f).map(|row| row.1).sum()
            }
            _ => f32::from(f == e),
        };
        let mut sum = 0.0;
        for &word in f {
            let total: f32 = e.iter().map(|&e| p(word, e)).sum();
            let at = to.find(word);
            let here = (page_f.iter().filter(|w| **w == word).count() - 1) as f32 / page_f.len() as f32;
            let share = at.map_or(0.0, |at| to.shares[at]).max(here).max(1e-6);
            if total > 0.0 {
                let ratio = total / ((e.len() + 1) as f32 * share);
                sum += (params.free_words + (1.0 - params.free_words) * ratio).ln().min(params.max_word);
            } else if at.is_some_and(|at| to.translations(at).next().is_some()) {
                sum += params.free_words.ln();
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn evidence_is_what_the_formula_says(
            a in prop::collection::vec(prop::sample::select(vec![10u64, 20, 30, 40]), 1..30),
            b in prop::collection::vec(prop::sample::select(vec![11u64, 21, 30, 50]), 1..30),
            cuts in (0usize..30, 0usize..30),
        ) {
            let (model, params) = (model(), Params::default());
            let evidence = Evidence::new(&document(&a), &document(&b), &model, &params);
            let (i, j) = (cuts.0.min(a.len()), cuts.1.min(b.len()));
            let logs = evidence.logs(&(0..i as u32), &(j as u32..b.len() as u32));
            let forward = reference(&b[j..], &a[..i], &b, &model.a, &model.b, &params);
            let back = reference(&a[..i], &b[j..], &a, &model.b, &model.a, &params);
            prop_assert!((logs.b_given_a - forward).abs() < 1e-3, "{} {}", logs.b_given_a, forward);
            prop_assert!((logs.a_given_b - back).abs() < 1e-3, "{} {}", logs.a_given_b, back);
        }
    }
}
