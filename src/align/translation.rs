//! The cost of a bead by the words of its sides: a word translation model like IBM-1, compared with chance.

use std::cell::RefCell;
use std::ops::Range;

use super::cost::Cost;
use super::document::Document;
use super::model::{Model, Vocabulary};
use super::span::Span;

/// Settings of the cost.
///
/// The defaults were chosen on the test sites, where neighbouring values change little.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// The probability that a word is not a translation of any word of the other side, 0..=1: ε. Default 0.35: at 0.2, free translations
    /// are not recognized.
    pub free_words: f32,
    /// The same for words that both pages have and both languages have equally often. Default 0.1: names, codes and numbers are seldom left out; at 0.03, one that
    /// is left out says too much where little else is known.
    pub free_shared: f32,
    /// How much a single word may count for a bead at most, in nats. Default 6.
    pub max_word: f32,
    /// α of eq. 1: the probability of a difference of one more word, 0..=1. Default 1, because the cost of lengths says the same better,
    /// knowing the variance for the two languages; Tomás et al. do not give a number.
    pub alpha: f32,
    /// How many translations of a word are kept at most. Default 12.
    pub max_translations: usize,
    /// Least probability of a translation that is kept, 0..=1. Default 0.02.
    pub min_probability: f32,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            free_words: 0.35,
            free_shared: 0.1,
            max_word: 6.0,
            alpha: 1.0,
            max_translations: 12,
            min_probability: 0.02,
        }
    }
}

/// The evidence of the words of two pages.
///
/// The cost of a bead is −½·(L(b|a) + L(a|b)), with
///
/// L(f|e) = |m − l|·ln α + Σ_j ln(ε + (1 − ε)·Σ_i p(f_j|e_i) / ((l + 1)·p(f_j)))          (Tomás et al. 2008, eq. 1)
///
/// which is eq. 1 with the probability of each word divided by its share p(f_j) in the language, so that beads of different lengths can be
/// compared and an unaligned sentence costs 0; ε is the share of words that are not translations at all, less for words that both pages have and
/// both languages have equally often: they are names, codes and numbers, whose translations are the same words. A word that the model does not know, and that has no equal word on the other page, counts for nothing. As in the paper's initial state, equal words have p = 1 where
/// the model has no translation; where it has one, they have the least probability of a translation that is kept, since a name may be an
/// ordinary word elsewhere.
pub struct WordEvidence {
    pub(super) a: Side,
    pub(super) b: Side,
    pub(super) params: Params,
    /// Working space of [`Side::add`]: one number for each word of the first page, and of the second.
    sums: RefCell<(Sums, Sums)>,
    /// Cached results for spans, in slots chosen by the start of the first span: what the search asks for is asked again for the score.
    memo: RefCell<Vec<Said>>,
}

/// A number for each word of a page.
type Sums = Vec<[f32; 1]>;

/// The result for two spans.
type Said = (Range<u32>, Range<u32>, Logs);

/// The words of a page, numbered from 0 in the order in which they first occur. The numbers do not depend on the other page.
pub struct PageWords {
    /// Number of each word of the page.
    numbers: Vec<u32>,
    /// The hash for each number.
    distinct: Vec<u64>,
    /// The number of occurrences for each number.
    occurs: Vec<u32>,
    /// The number for each hash.
    table: Table,
}

impl PageWords {
    /// Numbers the words of a page.
    pub fn new(words: &[u64]) -> PageWords {
        let (numbers, table) = (Vec::with_capacity(words.len()), Table::new(words.len()));
        let mut page = PageWords { numbers, distinct: Vec::new(), occurs: Vec::new(), table };
        for &word in words {
            let number = page.table.get_or_insert(word, page.distinct.len() as u32);
            if number as usize == page.distinct.len() {
                page.distinct.push(word);
                page.occurs.push(0);
            }
            page.numbers.push(number);
            page.occurs[number as usize] += 1;
        }
        page
    }
}

/// Facts about one word of a page.
#[derive(Clone, Copy)]
pub(super) struct WordFacts {
    /// 1 / share among the words of the language, or among those of the page if that is larger.
    over_share: f32,
    /// ε of the word.
    free: f32,
    /// The factor of the word in a product: 1/ε where the word is known, since such a word counts ln ε if no translation of it
    /// occurs; else 1.
    factor: f32,
    /// ln(own share / share in the other language); 0 where neither language has the word.
    foreign: f32,
    /// True when the model has the word in either language.
    judged: bool,
    /// True when the model has translations for the word, or the other page has an equal word.
    known: bool,
    /// True when the other page has an equal word, and both languages have it equally often.
    shared: bool,
}

/// The words of one page.
#[derive(Default)]
pub(super) struct Side {
    /// Number of each word of the page.
    words: Vec<u32>,
    /// Facts for each number.
    facts: Vec<WordFacts>,
    /// For each position among the words, and for the end: how many of the words before it are known.
    known_before: Vec<u32>,
    /// … and how many are shared by both pages and both languages.
    shared_before: Vec<u32>,
    /// The positions of words that may be translations of any word of the other page, in order.
    linked: Vec<u32>,
    /// For each position among the words, and for the end: how many of the words before it are linked.
    linked_before: Vec<u32>,
    /// For each number, where its targets end in `targets`.
    target_ends: Vec<u32>,
    /// Words of the other page that may be translations of the word, with p(that | this).
    targets: Vec<(u32, f32)>,
}

/// Constants shared by all products of a page pair.
pub(super) struct Limits {
    free: f32,
    /// ln ε of a word, and how much more that of a shared word is.
    none: f32,
    none_shared: f32,
    max_ratio: f32,
    /// Products of this many words stay well inside the range of f64, so one logarithm is enough for all of them.
    chunk: usize,
}

impl Limits {
    pub(super) fn new(params: &Params) -> Limits {
        let none = params.free_words.ln();
        let none_shared = params.free_shared.ln() - none;
        let most = params.max_word.abs() - none - none_shared.min(0.0);
        let chunk = (500.0 / most.max(1.0)).max(1.0) as usize;
        Limits { free: params.free_words, none, none_shared, max_ratio: params.max_word.exp(), chunk }
    }

    /// (1 − ε)/(l + 1).
    pub(super) fn over(&self, length: usize) -> f32 {
        (1.0 - self.free) / (length + 1) as f32
    }
}

impl WordEvidence {
    /// Looks up the words of both pages. Time grows with their lengths.
    pub fn new(a: &Document<'_>, b: &Document<'_>, model: &Model, params: &Params) -> WordEvidence {
        WordEvidence::of_words(&PageWords::new(&a.words), &PageWords::new(&b.words), model, params)
    }

    /// As [`WordEvidence::new`], for pages whose words are numbered.
    pub fn of_words(a: &PageWords, b: &PageWords, model: &Model, params: &Params) -> WordEvidence {
        let found = |page: &PageWords, vocabulary: &Vocabulary| -> Vec<u32> {
            page.distinct.iter().map(|&word| vocabulary.find(word).map_or(NOWHERE, |at| at as u32)).collect()
        };
        let (a_in_a, a_in_b) = (found(a, &model.a), found(a, &model.b));
        let (b_in_b, b_in_a) = (found(b, &model.b), found(b, &model.a));
        let mut side_a = Side::new((a, b), (&model.a, &a_in_a), (&model.b, &a_in_b), params);
        let mut side_b = Side::new((b, a), (&model.b, &b_in_b), (&model.a, &b_in_a), params);
        // p(b | a) for the words of these pages, and p(a | b).
        let is_linked_b = side_a.link(a, &a_in_a, (b, &b_in_b), &model.a, params);
        let is_linked_a = side_b.link(b, &b_in_b, (a, &a_in_a), &model.b, params);
        side_a.note_linked(&is_linked_a);
        side_b.note_linked(&is_linked_b);
        let sums = RefCell::new((vec![[0.0]; a.distinct.len()], vec![[0.0]; b.distinct.len()]));
        let memo = vec![(0..0, 0..0, Logs::default()); (a.numbers.len() / SPAN_WORDS).next_power_of_two()];
        WordEvidence { a: side_a, b: side_b, params: params.clone(), sums, memo: RefCell::new(memo) }
    }

    /// L(b|a) and L(a|b) of two spans, and how many words of each the model can judge.
    pub fn logs(&self, a: &Range<u32>, b: &Range<u32>) -> Logs {
        let mut memo = self.memo.borrow_mut();
        let place = (a.start as usize / SPAN_WORDS) & (memo.len() - 1);
        let known = &mut memo[place];
        if known.0 != *a || known.1 != *b {
            *known = (a.clone(), b.clone(), self.logs_anew(a, b));
        }
        known.2
    }

    fn logs_anew(&self, a: &Range<u32>, b: &Range<u32>) -> Logs {
        let limits = Limits::new(&self.params);
        let (sums_a, sums_b) = &mut *self.sums.borrow_mut();
        let alpha = (a.end - a.start).abs_diff(b.end - b.start) as f32 * self.params.alpha.ln();
        let log = |to: &Side, target: &Range<u32>, from: &Side, source: &Range<u32>, sums: &mut [[f32; 1]]| {
            from.add(source, sums, [1.0]);
            let over = limits.over(source.len());
            let [log] = to.logs(target, sums, [over], &limits);
            from.clear(source, sums);
            (log + alpha, to.known(target))
        };
        let (b_given_a, known_b) = log(&self.b, b, &self.a, a, sums_b);
        let (a_given_b, known_a) = log(&self.a, a, &self.b, b, sums_a);
        Logs { b_given_a, a_given_b, known_a, known_b }
    }

    /// The number of each word of a page: of the first for 0, of the second for 1.
    pub(super) fn numbers(&self, side: usize) -> &[u32] {
        if side == 0 { &self.a.words } else { &self.b.words }
    }

    /// Calls `each` with every word of the other page that may be a translation of a word of a span of this one (0: the first page), and
    /// with how much this says, in nats.
    pub(super) fn for_each_link(&self, side: usize, span: &Range<u32>, mut each: impl FnMut(u32, f32)) {
        let (own, other) = if side == 0 { (&self.a, &self.b) } else { (&self.b, &self.a) };
        for &word in own.words(span) {
            for &(target, p) in own.targets(word) {
                let ratio = 1.0 + p * other.facts[target as usize].over_share;
                each(target, ratio.ln().min(self.params.max_word));
            }
        }
    }

    /// How much the words of a span of the first page look like the second language: the mean of ln(share in the other language / share in
    /// its own); `None` if the model knows fewer than four of the words.
    pub fn foreign_a(&self, words: Range<u32>) -> Option<f32> {
        self.a.foreign(words)
    }

    /// The same for the second page.
    pub fn foreign_b(&self, words: Range<u32>) -> Option<f32> {
        self.b.foreign(words)
    }
}

/// The cost of words that miss each other, in nats, up to which each of them counts in full. An estimate.
const FULL_COST: f32 = 10.0;

/// The cost of a bead by its words. Beyond [`FULL_COST`] it grows ever more slowly, and never to twice as much: whether the model knows the
/// words of a text is uncertain for all of them together, so that a hundred words that miss each other do not say ten times as much as ten.
/// To leave out two long texts costs more.
pub(super) fn bounded(cost: f32) -> f32 {
    if cost <= FULL_COST { cost } else { FULL_COST * (2.0 - FULL_COST / cost) }
}

/// The evidence of the words of two spans.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Logs {
    /// L(b|a), in nats.
    pub b_given_a: f32,
    /// L(a|b), in nats.
    pub a_given_b: f32,
    /// Number of words of the first span that count.
    pub known_a: u32,
    /// Number of words of the second span that count.
    pub known_b: u32,
}

impl Cost for WordEvidence {
    fn cost(&self, a: &Span, b: &Span) -> f32 {
        let logs = self.logs(&a.words, &b.words);
        bounded(-(logs.b_given_a + logs.a_given_b) / 2.0)
    }
}

/// About the number of words in a short span.
const SPAN_WORDS: usize = 4;
/// Stands for a word that is not in a vocabulary.
const NOWHERE: u32 = u32::MAX;

impl Side {
    /// The words of a page, with their positions in the vocabularies of its own and of the other language. They are not linked yet.
    fn new(
        (page, other_page): (&PageWords, &PageWords),
        own: (&Vocabulary, &[u32]),
        other: (&Vocabulary, &[u32]),
        params: &Params,
    ) -> Side {
        let length = page.numbers.len().max(1) as f32;
        let share = |(vocabulary, places): (&Vocabulary, &[u32]), word: usize| {
            vocabulary.shares.get(places[word] as usize).copied().unwrap_or(0.0)
        };
        let fact = |word: usize| {
            let (here, elsewhere) = (share(own, word), share(other, word));
            // The first occurrence of a word on a page says nothing about its frequency.
            let on_page = (page.occurs[word] - 1) as f32 / length;
            let is_translated = own.1[word] != NOWHERE && own.0.translations(own.1[word] as usize).next().is_some();
            let is_known = is_translated || other_page.table.get(page.distinct[word]).is_some();
            let is_judged = own.1[word] != NOWHERE || elsewhere > 0.0;
            let foreign = if is_judged { foreign(here, elsewhere) } else { 0.0 };
            let is_shared = foreign.abs() < SHARED && other_page.table.get(page.distinct[word]).is_some();
            let free = if is_shared { params.free_shared } else { params.free_words };
            WordFacts {
                over_share: 1.0 / here.max(on_page).max(UNSEEN),
                free,
                factor: if is_known { 1.0 / free } else { 1.0 },
                foreign,
                judged: is_judged,
                known: is_known,
                shared: is_shared,
            }
        };
        let facts: Vec<WordFacts> = (0..page.distinct.len()).map(fact).collect();
        let known_before = before(&page.numbers, |word| facts[word].known);
        let shared_before = before(&page.numbers, |word| facts[word].shared);
        Side { words: page.numbers.clone(), facts, known_before, shared_before, ..Side::default() }
    }

    /// Notes which words of the other page may be translations of which words here: those in the model, and equal words. Returns, for each
    /// word of the other page, whether it is such a translation.
    fn link(
        &mut self,
        own: &PageWords,
        found: &[u32],
        (other, found_other): (&PageWords, &[u32]),
        vocabulary: &Vocabulary,
        params: &Params,
    ) -> Vec<bool> {
        /// Size in bits of a filter that rejects most translations, which are not on the other page.
        const BITS: usize = 1 << 14;
        let mut filter = [0u64; BITS / 64];
        let mut in_model = Table::new(other.distinct.len());
        for (&place, number) in found_other.iter().zip(0u32..).filter(|(place, _)| **place != NOWHERE) {
            filter[place as usize % BITS / 64] |= 1 << (place % 64);
            in_model.get_or_insert(u64::from(place), number);
        }
        let mut is_linked = vec![false; other.distinct.len()];
        self.target_ends.reserve_exact(own.distinct.len());
        for (&hash, &place) in own.distinct.iter().zip(found) {
            let mut is_translated = false;
            let first = self.targets.len();
            if place != NOWHERE {
                for (target, p) in vocabulary.translations(place as usize) {
                    is_translated = true;
                    let may_be = filter[target as usize % BITS / 64] & (1 << (target % 64)) != 0;
                    if may_be && let Some(target) = in_model.get(u64::from(target)) {
                        self.targets.push((target, p));
                        is_linked[target as usize] = true;
                    }
                }
            }
            if let Some(target) = other.table.get(hash)
                && self.targets[first..].iter().all(|known| known.0 != target)
            {
                self.targets.push((target, if is_translated { params.min_probability } else { 1.0 }));
                is_linked[target as usize] = true;
            }
            self.target_ends.push(self.targets.len() as u32);
        }
        is_linked
    }

    fn note_linked(&mut self, is_linked: &[bool]) {
        self.linked_before = before(&self.words, |word| is_linked[word]);
        self.linked = self.words.iter().copied().filter(|&word| is_linked[word as usize]).collect();
    }

    /// Words of the other page that may be translations of a word, with p(that | this).
    #[inline]
    fn targets(&self, word: u32) -> &[(u32, f32)] {
        let word = word as usize;
        let start = if word == 0 { 0 } else { self.target_ends[word - 1] as usize };
        &self.targets[start..self.target_ends[word] as usize]
    }

    fn words(&self, range: &Range<u32>) -> &[u32] {
        &self.words[range.start as usize..range.end as usize]
    }

    /// The number of different words.
    pub(super) fn distinct(&self) -> usize {
        self.facts.len()
    }

    /// Adds p(f | e) to each word f of the other page, for the words e of a span of this page, multiplied by `weights` for each of K sums.
    pub(super) fn add<const K: usize>(&self, span: &Range<u32>, sums: &mut [[f32; K]], weights: [f32; K]) {
        for &word in self.words(span) {
            for &(target, p) in self.targets(word) {
                for (sum, weight) in sums[target as usize].iter_mut().zip(weights) {
                    *sum += p * weight;
                }
            }
        }
    }

    /// Resets to 0 what [`Side::add`] has added for a span.
    pub(super) fn clear<const K: usize>(&self, span: &Range<u32>, sums: &mut [[f32; K]]) {
        for &word in self.words(span) {
            for &(target, _) in self.targets(word) {
                sums[target as usize] = [0.0; K];
            }
        }
    }

    /// L(span | e) without α, for K sides e of the other page: from the sums of p(f | e), and the [`Limits::over`] of each.
    pub(super) fn logs<const K: usize>(
        &self,
        span: &Range<u32>,
        sums: &[[f32; K]],
        over: [f32; K],
        limits: &Limits,
    ) -> [f32; K] {
        let mut logs = [0.0; K];
        let linked = self.linked_before[span.start as usize]..self.linked_before[span.end as usize];
        for part in self.linked[linked.start as usize..linked.end as usize].chunks(limits.chunk) {
            let mut products = [1f64; K];
            for &word in part {
                let (facts, sum) = (&self.facts[word as usize], &sums[word as usize]);
                for k in 0..K {
                    let ratio = facts.free + sum[k] * over[k] * facts.over_share;
                    let factor = f64::from(ratio.min(limits.max_ratio) * facts.factor);
                    products[k] *= if sum[k] > 0.0 { factor } else { 1.0 };
                }
            }
            for (log, product) in logs.iter_mut().zip(products) {
                if product != 1.0 {
                    *log += product.ln() as f32;
                }
            }
        }
        let none = self.known(span) as f32 * limits.none + self.shared(span) as f32 * limits.none_shared;
        logs.map(|log| log + none)
    }

    /// How many words of a span have translations in the model, or an equal word on the other page.
    fn known(&self, span: &Range<u32>) -> u32 {
        self.known_before[span.end as usize] - self.known_before[span.start as usize]
    }

    /// How many words of a span are shared by both pages and both languages.
    fn shared(&self, span: &Range<u32>) -> u32 {
        self.shared_before[span.end as usize] - self.shared_before[span.start as usize]
    }

    fn foreign(&self, range: Range<u32>) -> Option<f32> {
        let (mut sum, mut judged) = (0.0, 0);
        for &word in self.words(&range) {
            let facts = &self.facts[word as usize];
            sum += facts.foreign;
            judged += u32::from(facts.judged);
        }
        mean_foreign(sum, judged)
    }
}

/// A word is equally frequent in both languages where the shares differ by less than a factor of e (an estimate).
const SHARED: f32 = 1.0;
/// Share of a word that was never seen; most words of a language of a million words are rare.
const UNSEEN: f32 = 1e-6;

/// How much a word with these shares looks like the other language: ln(share there / share here).
fn foreign(here: f32, elsewhere: f32) -> f32 {
    (elsewhere.max(UNSEEN) / here.max(UNSEEN)).ln()
}

/// The mean of so many words; `None` for too few.
fn mean_foreign(sum: f32, judged: u32) -> Option<f32> {
    const MIN_WORDS: u32 = 4;
    (judged >= MIN_WORDS).then(|| sum / judged as f32)
}

/// How much some words look like the other language, as [`WordEvidence::foreign_a`] says of words that are compared. `own` has the words
/// that are known of their own language, `other` those of the other one. Time grows with the words.
pub fn foreign_words(own: &Vocabulary, other: &Vocabulary, words: &[u64]) -> Option<f32> {
    let share = |vocabulary: &Vocabulary, word| vocabulary.find(word).and_then(|at| vocabulary.shares.get(at).copied());
    let (mut sum, mut judged) = (0.0, 0);
    for &word in words {
        let (here, elsewhere) = (share(own, word), share(other, word).unwrap_or(0.0));
        if here.is_some() || elsewhere > 0.0 {
            sum += foreign(here.unwrap_or(0.0), elsewhere);
            judged += 1;
        }
    }
    mean_foreign(sum, judged)
}

/// For each position among some words, and for the end: how many of the words before it satisfy `counts`.
fn before(words: &[u32], counts: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut sum = 0;
    let mut before = Vec::with_capacity(words.len() + 1);
    before.push(0);
    before.extend(words.iter().map(|&word| {
        sum += u32::from(counts(word as usize));
        sum
    }));
    before
}

/// A map from hashes to numbers, with open addressing, at most half full.
struct Table {
    slots: Vec<(u64, u32)>,
    shift: u32,
}

impl Table {
    /// An empty map with room for `count` hashes.
    fn new(count: usize) -> Table {
        let bits = (2 * count).max(2).next_power_of_two().trailing_zeros();
        Table { slots: vec![(0, u32::MAX); 1 << bits], shift: 64 - bits }
    }

    fn slot(&self, hash: u64) -> usize {
        let mut at = (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        while self.slots[at].1 != u32::MAX && self.slots[at].0 != hash {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    fn get(&self, hash: u64) -> Option<u32> {
        let number = self.slots[self.slot(hash)].1;
        (number != u32::MAX).then_some(number)
    }

    /// The number of a hash; a new hash gets `number`.
    fn get_or_insert(&mut self, hash: u64, number: u32) -> u32 {
        let at = self.slot(hash);
        if self.slots[at].1 == u32::MAX {
            self.slots[at] = (hash, number);
        }
        self.slots[at].1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn document(words: &[u64]) -> Document<'static> {
        Document { text: "", blocks: Vec::new(), sentences: Vec::new(), words: words.to_vec(), rest: 0..0 }
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
        let evidence = WordEvidence::new(&document(&[10, 20]), &document(&[11]), &model(), &params);
        let logs = evidence.logs(&(0..2), &(0..1));
        assert!((logs.b_given_a - 0.8473).abs() < 1e-3, "{logs:?}");
        assert!((logs.a_given_b + 0.2744).abs() < 1e-3, "{logs:?}");
        assert_eq!((logs.known_a, logs.known_b), (2, 1));
    }

    #[test]
    fn equal_words_speak_for_a_bead_before_anything_is_learnt() {
        let evidence =
            WordEvidence::new(&document(&[1, 2, 3]), &document(&[7, 2, 8]), &Model::default(), &Params::default());
        let logs = evidence.logs(&(0..3), &(0..3));
        assert_eq!((logs.known_a, logs.known_b), (1, 1));
        assert!((logs.b_given_a - Params::default().max_word).abs() < 1e-5);
        // Without it, the equal word on the other page misses its partner.
        let none = Params::default().free_shared.ln();
        let missed = Logs { b_given_a: none, a_given_b: 0.0, known_a: 0, known_b: 1 };
        assert_eq!(evidence.logs(&(0..1), &(0..3)), missed);
        assert_eq!(evidence.logs(&(0..1), &(0..1)), Logs::default());
    }

    #[test]
    fn a_hundred_words_that_miss_each_other_do_not_say_ten_times_as_much_as_ten() {
        assert_eq!((bounded(-40.0), bounded(3.0), bounded(FULL_COST)), (-40.0, 3.0, FULL_COST));
        assert!((bounded(100.0) - 19.0).abs() < 1e-4 && bounded(10.1) > 10.09 && bounded(1e9) <= 2.0 * FULL_COST);
    }

    #[test]
    fn words_of_the_other_language_are_foreign() {
        let evidence = WordEvidence::new(&document(&[11, 21, 11, 11]), &document(&[11]), &model(), &Params::default());
        assert!(evidence.foreign_a(0..4).is_some_and(|foreign| foreign > 5.0));
        assert_eq!(evidence.foreign_b(0..1), None);
    }

    /// L(f|e) computed word by word from the model itself.
    fn reference(
        [f, page_f]: [&[u64]; 2],
        [e, page_e]: [&[u64]; 2],
        (from, to): (&Vocabulary, &Vocabulary),
        params: &Params,
    ) -> f32 {
        let p = |f: u64, e: u64| match from.find(e) {
            Some(at) if from.translations(at).next().is_some() => {
                let mut found = from.translations(at).filter(|row| to.words[row.0 as usize] == f).map(|row| row.1);
                found.next().unwrap_or(if f == e { params.min_probability } else { 0.0 })
            }
            _ => f32::from(f == e),
        };
        let mut sum = 0.0;
        for &word in f {
            let total: f32 = e.iter().map(|&e| p(word, e)).sum();
            let at = to.find(word);
            let here = (page_f.iter().filter(|w| **w == word).count() - 1) as f32 / page_f.len() as f32;
            let share = at.map_or(0.0, |at| to.shares[at]).max(here).max(1e-6);
            let (own, there) = (at.map_or(0.0, |at| to.shares[at]), from.find(word).map_or(0.0, |at| from.shares[at]));
            let is_shared = page_e.contains(&word) && (own.max(1e-6) / there.max(1e-6)).ln().abs() < 1.0;
            let free = if is_shared { params.free_shared } else { params.free_words };
            if total > 0.0 {
                let ratio = total / ((e.len() + 1) as f32 * share);
                sum += (free + (1.0 - params.free_words) * ratio).ln().min(params.max_word);
            } else if page_e.contains(&word) || at.is_some_and(|at| to.translations(at).next().is_some()) {
                sum += free.ln();
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn evidence_is_what_the_formula_says(
            a in prop::collection::vec(prop::sample::select(vec![10u64, 20, 30, 40, 11]), 1..30),
            b in prop::collection::vec(prop::sample::select(vec![11u64, 21, 30, 50, 20]), 1..30),
            cuts in (0usize..30, 0usize..30),
        ) {
            let (model, params) = (model(), Params::default());
            let evidence = WordEvidence::new(&document(&a), &document(&b), &model, &params);
            let (i, j) = (cuts.0.min(a.len()), cuts.1.min(b.len()));
            let logs = evidence.logs(&(0..i as u32), &(j as u32..b.len() as u32));
            let forward = reference([&b[j..], &b], [&a[..i], &a], (&model.a, &model.b), &params);
            let back = reference([&a[..i], &a], [&b[j..], &b], (&model.b, &model.a), &params);
            prop_assert!((logs.b_given_a - forward).abs() < 1e-3, "{} {}", logs.b_given_a, forward);
            prop_assert!((logs.a_given_b - back).abs() < 1e-3, "{} {}", logs.a_given_b, back);
        }
    }
}
