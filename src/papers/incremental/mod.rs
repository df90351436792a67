//! A word-to-word translation model that learns from sentence pairs that come one by one (Tomás et al. 2008, §2.3, eq. 1).

use rustc_hash::FxHashMap;

use self::cells::{Cell, Cells, key};
use crate::lexicon::{ModelParams, Side};

mod cells;
#[cfg(test)]
mod tests;

/// Settings of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What is assumed about words before anything is learnt, and how long a sentence may be.
    pub model: ModelParams,
    /// α of eq. 1, 0..=1: the factor of a sentence's probability for each word that it is longer or shorter than the other. The paper gives
    /// no value; this one is an estimate.
    pub alpha: f64,
    /// Pairs of words that are kept. During an update there may be twice as many, each of at most 64 bytes, and again as much memory is
    /// taken while pairs are dropped. An estimate: 256 MiB of pairs.
    pub max_entries: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params { model: ModelParams::default(), alpha: 0.9, max_entries: 2_000_000 }
    }
}

/// A pair of sentences: the words of A, and those of B.
pub type SentencePair<'s> = (&'s [u64], &'s [u64]);

/// Probabilities that a word translates a word of the other language, in both directions.
///
/// t(f|e) = (C(e, f) + κ·t₀(f|e)) / (C(e) + κ)
///
/// C are counts, added up by incremental EM; κ is `prior_count`. t₀ is the probability before anything is
/// learnt: 1 where e and f are equal, else `initial_p`. So a word about which nothing was learnt has the paper's
/// initial values, and these lose weight as counts grow.
///
/// An update takes each pair of sentences and each word f of one of them. It adds to C(e, f), for each word e of the other sentence and for
/// NULL, the share of f that e explains under the present t: t(f|e) / Σ_i t(f|e_i). Then t is computed from C.
///
/// By hand, with t₀ = 0.01 and κ = 0.5: *house* beside *maison*. NULL and *house* each explain half of *maison*, so
/// t(maison|house) = (0.5 + 0.005)/(0.5 + 0.5) = 0.505. Then *the house* beside *la maison*. For *maison*, t is 0.505
/// from NULL and *house* and 0.01 from *the*: *house* gets 0.505/1.02 = 0.4951, *the* 0.0098. For *la*, t is
/// 0.005/1 from NULL and *house* and 0.01 from *the*: *house* gets 0.25, *the* 0.5. So C(house) = 0.5 + 0.4951 + 0.25
/// and t(maison|house) = (0.9951 + 0.005)/(1.2451 + 0.5) = 0.5731; t(la|the) = (0.5 + 0.005)/(0.5098 + 0.5) = 0.5001.
///
/// Sums are made in the order of the sentences, by addition, multiplication and division only, so the same updates give the same bits on
/// every machine.
#[derive(Debug)]
pub struct TranslationModel {
    params: Params,
    a: Numbered,
    b: Numbered,
    cells: Cells,
    /// Numbers of the cells that the present pass has changed, perhaps twice; not valid once `has_moved` is true.
    touched: Vec<u32>,
    /// True when the present update has renumbered cells.
    has_moved: bool,
    /// True when the present update has dropped pairs of words, so that some words may be in no pair.
    has_dropped: bool,
    work: Work,
}

/// The words of one language. Number 0 is NULL.
#[derive(Clone, Debug)]
struct Numbered {
    hashes: Vec<u64>,
    numbers: FxHashMap<u64, u32>,
    totals: Vec<Total>,
}

/// C(e) of a word, in the same three parts as in a [`Cell`].
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    kept: f64,
    fitted: f64,
    next: f64,
}

/// The hash that stands for NULL, which accounts for words that no word of the sentence explains. A real word has this hash with a
/// probability of 2⁻⁶⁴, and is then left out.
const NULL_WORD: u64 = 0;

impl Numbered {
    fn new() -> Numbered {
        Numbered { hashes: vec![NULL_WORD], numbers: FxHashMap::default(), totals: vec![Total::default()] }
    }

    fn number(&self, word: u64) -> Option<u32> {
        if word == NULL_WORD { Some(0) } else { self.numbers.get(&word).copied() }
    }

    fn number_or_new(&mut self, word: u64) -> u32 {
        let new = self.hashes.len() as u32;
        let number = *self.numbers.entry(word).or_insert(new);
        if number == new {
            self.hashes.push(word);
            self.totals.push(Total::default());
        }
        number
    }
}

/// Buffers of one sentence pair, kept for the next one.
#[derive(Clone, Debug, Default)]
struct Work {
    a: Vec<u32>,
    b: Vec<u32>,
    cells: Vec<u32>,
    buffers: Buffers,
}

#[derive(Clone, Debug, Default)]
struct Buffers {
    shares: Vec<[f32; 2]>,
    /// 1/(C(e) + κ) of each word of A and of B.
    over_a: Vec<f32>,
    over_b: Vec<f32>,
    /// Σ_i t(f|e_i) of each word f of A and of B.
    sums_a: Vec<f32>,
    sums_b: Vec<f32>,
}

/// The cells that a pass has looked up, sentence pair by sentence pair, for the passes after it.
#[derive(Default)]
struct Plan {
    /// True when it holds all sentence pairs, and the numbers of its cells are valid.
    is_whole: bool,
    /// Number of words of A and of B, NULL included.
    lengths: Vec<(u32, u32)>,
    words: Vec<u32>,
    cells: Vec<u32>,
}

impl Plan {
    /// Cells that are written down, at most: 64 MB.
    const MAX_CELLS: usize = 1 << 24;

    fn clear(&mut self) {
        *self = Plan::default();
    }

    fn write(&mut self, a: &[u32], b: &[u32], cells: &[u32]) {
        self.is_whole &= self.cells.len() + cells.len() <= Plan::MAX_CELLS;
        if self.is_whole {
            self.lengths.push((a.len() as u32, b.len() as u32));
            self.words.extend(a.iter().chain(b));
            self.cells.extend_from_slice(cells);
        }
    }
}

impl TranslationModel {
    /// A model that has learnt nothing.
    pub fn new(params: Params) -> TranslationModel {
        TranslationModel {
            params,
            a: Numbered::new(),
            b: Numbered::new(),
            cells: Cells::with_room(0),
            touched: Vec::new(),
            has_moved: false,
            has_dropped: false,
            work: Work::default(),
        }
    }

    /// How many pairs of words are kept.
    #[allow(
        clippy::len_without_is_empty,
        reason = "a count of pairs, not of a collection; public for the laboratory only"
    )]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True when the two words are kept as a pair.
    #[cfg(test)]
    pub(super) fn has(&self, a: u64, b: u64) -> bool {
        let numbers = self.a.number(a).zip(self.b.number(b));
        numbers.is_some_and(|(a, b)| self.cells.get(key(a, b)).is_some())
    }

    /// Learns from new sentence pairs in several passes. The counts of each pass replace those of the pass before, and what was known
    /// before the update stays. Afterwards at most [`max_entries`](Params::max_entries) pairs of words are kept.
    pub fn train(&mut self, pairs: &[SentencePair<'_>], passes: usize) {
        self.has_moved = false;
        let mut plan = Plan::default();
        self.touched.clear();
        for pass in 0..passes {
            self.touched.clear();
            if plan.is_whole && !self.has_moved {
                self.expect_again(&plan);
            } else {
                plan.clear();
                // The passes after this one use what it looks up.
                plan.is_whole = pass + 1 < passes;
                for (a, b) in pairs {
                    self.expect(a, b, &mut plan);
                }
            }
            self.maximise();
        }
        let keep = |cell: &mut Cell| {
            for (kept, fitted) in cell.kept.iter_mut().zip(&mut cell.fitted) {
                *kept += std::mem::take(fitted);
            }
        };
        if self.has_moved {
            self.cells.iter_mut().for_each(keep);
        } else {
            // All passes change the same cells.
            self.touched.iter().for_each(|number| keep(self.cells.at(*number as usize)));
        }
        for total in self.a.totals.iter_mut().chain(&mut self.b.totals) {
            total.kept += std::mem::take(&mut total.fitted);
        }
        let is_full = self.drop_cells(self.params.max_entries);
        if std::mem::take(&mut self.has_dropped) || is_full {
            self.forget_words();
        }
    }

    /// t(target|source), 0..=1: the probability that `source`, a word of language `side`, is translated by `target`.
    pub fn p(&self, side: Side, target: u64, source: u64) -> f64 {
        let (direction, own, other) = self.direction(side);
        let (number, target_number) = (own.number(source), other.number(target));
        let count = match (number, target_number) {
            (Some(number), Some(target)) => {
                let key = if side == Side::A { key(number, target) } else { key(target, number) };
                self.cells.get(key).map_or(0.0, |cell| f64::from(cell.counts()[direction]))
            }
            _ => 0.0,
        };
        let total = number.map_or(0.0, |number| own.totals[number as usize].kept);
        self.probability(count, total, source, target)
    }

    /// t(f|e) of two words, given C(e, f) and C(e).
    fn probability(&self, count: f64, total: f64, e: u64, f: u64) -> f64 {
        let prior = f64::from(self.params.model.prior_count);
        (count + prior * f64::from(self.initial(e, f))) / (total + prior)
    }

    /// ln Pr(f|e) of eq. 1, in nats: ln α^|m−l| + Σ_j ln Σ_i t(f_j|e_i), where e_0 is NULL. `e` is in language `side`, `f` in the other.
    ///
    /// By hand, with nothing learnt, t₀ = 0.01 and α = 0.9: f is `x y`, e is `x`. The factor for x is 0.01 + 1, for y 0.01 + 0.01, so Pr =
    /// 0.9¹ · 1.01 · 0.02. As in the paper this is not a distribution: equal words may take it above 1.
    ///
    /// The last digit may differ between machines, since logarithms do.
    pub fn log_prob(&self, side: Side, f: &[u64], e: &[u64]) -> f64 {
        let mut log = self.params.alpha.ln() * f.len().abs_diff(e.len()) as f64;
        let mut product = 1.0;
        for &target in f {
            let sum: f64 = self.p(side, target, NULL_WORD) + e.iter().map(|&e| self.p(side, target, e)).sum::<f64>();
            product *= sum;
            // Logarithms cost more than products.
            if !(1e-200..1e200).contains(&product) {
                log += product.ln();
                product = 1.0;
            }
        }
        log + product.ln()
    }

    /// Keeps at most so many pairs of words, those that tell most; true if pairs were dropped.
    ///
    /// What a pair tells is C(e, f)²/C(e), which is how often it occurs times how certain it is, in the direction in which this is larger.
    /// Ties go by hash. C(e) keeps what the dropped pairs contributed, so that the other pairs do not become more probable.
    fn drop_cells(&mut self, max_entries: usize) -> bool {
        let Some(surplus) = self.cells.len().checked_sub(max_entries).filter(|&surplus| surplus > 0) else {
            return false;
        };
        // The bits of floats that are not negative sort as the floats do.
        let worths: Vec<u32> = self.cells.iter().map(|cell| self.worth(cell).to_bits()).collect();
        let mut ranked = worths.clone();
        ranked.select_nth_unstable(surplus - 1);
        let limit = ranked[surplus - 1];
        let dropped_below = ranked[..surplus].iter().filter(|&&worth| worth < limit).count();
        let hashes = |cell: &Cell| {
            let (a, b) = cell.words();
            (self.a.hashes[a as usize], self.b.hashes[b as usize])
        };
        let among = |&(cell, worth): &(&Cell, &u32)| (*worth == limit).then(|| hashes(cell));
        let mut equal: Vec<_> = self.cells.iter().zip(&worths).filter_map(|each| among(&each)).collect();
        equal.sort_unstable();
        let kept_equal = equal.len() - (surplus - dropped_below);
        let end = equal.get(kept_equal);
        let mut cells = Cells::with_room(self.cells.len());
        for (cell, worth) in self.cells.iter().zip(&worths) {
            if *worth > limit || (*worth == limit && end.is_none_or(|end| hashes(cell) < *end)) {
                cells.put(*cell);
            }
        }
        self.cells = cells;
        self.has_moved = true;
        true
    }

    /// C(e, f)²/C(e), in the direction in which it is larger.
    fn worth(&self, cell: &Cell) -> f32 {
        let (a, b) = cell.words();
        let in_direction = |direction: usize, total: &Total| {
            let count = cell.kept[direction] + cell.fitted[direction] + cell.next[direction];
            let total = total.kept + total.fitted + total.next;
            if total > 0.0 { count * count / total as f32 } else { 0.0 }
        };
        in_direction(0, &self.a.totals[a as usize]).max(in_direction(1, &self.b.totals[b as usize]))
    }

    /// Keeps at most so many pairs of words, and only words that are in one.
    #[cfg(test)]
    pub(super) fn prune(&mut self, max_entries: usize) {
        if self.drop_cells(max_entries) {
            self.forget_words();
        }
    }

    /// Forgets the words that are in no pair, NULL excepted.
    fn forget_words(&mut self) {
        let mut renumbered = [&self.a, &self.b].map(|old| {
            let mut side = Numbered::new();
            side.totals[0] = old.totals[0];
            side
        });
        let [a, b] = &mut renumbered;
        let mut cells = Cells::with_room(self.cells.len());
        for cell in self.cells.iter() {
            let renumber = |side: &mut Numbered, old: &Numbered, at: u32| {
                let number = if at == 0 { 0 } else { side.number_or_new(old.hashes[at as usize]) };
                side.totals[number as usize] = old.totals[at as usize];
                number
            };
            let (old_a, old_b) = cell.words();
            let key = key(renumber(a, &self.a, old_a), renumber(b, &self.b, old_b));
            cells.put(Cell { key, ..*cell });
        }
        let [a, b] = renumbered;
        (self.a, self.b, self.cells, self.has_moved) = (a, b, cells, true);
    }

    /// t₀(f|e).
    fn initial(&self, e: u64, f: u64) -> f32 {
        if e == f { 1.0 } else { self.params.model.initial_p }
    }

    /// For words of language `side` as sources: which of a cell's counts is theirs, the words of that language, and those of the other.
    fn direction(&self, side: Side) -> (usize, &Numbered, &Numbered) {
        match side {
            Side::A => (0, &self.a, &self.b),
            Side::B => (1, &self.b, &self.a),
        }
    }

    /// Adds the expectation of one sentence pair under the present parameters, and writes into the plan what was looked up.
    fn expect(&mut self, a: &[u64], b: &[u64], plan: &mut Plan) {
        let longest = self.params.model.max_sentence_words;
        let (a, b) = (&a[..a.len().min(longest)], &b[..b.len().min(longest)]);
        if a.is_empty() || b.is_empty() {
            return;
        }
        let room = (a.len() + 1) * (b.len() + 1);
        // During an update the table may be twice as large as after it, so that pairs are dropped rarely.
        if self.cells.len() + room > self.params.max_entries.saturating_mul(2).max(room) {
            let has_dropped = self.drop_cells(self.params.max_entries);
            self.has_dropped |= has_dropped;
            // Cells that are dropped and made again have other numbers.
            plan.is_whole &= !has_dropped;
        }
        self.cells.reserve(room);
        let mut work = std::mem::take(&mut self.work);
        let numbers = |words: &[u64], side: &mut Numbered, numbers: &mut Vec<u32>| {
            numbers.clear();
            numbers.push(0);
            numbers.extend(words.iter().filter(|&&word| word != NULL_WORD).map(|&word| side.number_or_new(word)));
        };
        numbers(a, &mut self.a, &mut work.a);
        numbers(b, &mut self.b, &mut work.b);
        let Work { a, b, cells, buffers } = &mut work;
        cells.clear();
        for &word_a in a.iter() {
            cells.extend(b.iter().map(|&word_b| self.cells.number(key(word_a, word_b)) as u32));
        }
        plan.write(a, b, cells);
        self.share(a, b, cells, buffers);
        self.work = work;
    }

    /// Does the same as [`TranslationModel::expect`] for all sentence pairs of the plan.
    fn expect_again(&mut self, plan: &Plan) {
        let mut buffers = std::mem::take(&mut self.work.buffers);
        let (mut words, mut cells) = (&plan.words[..], &plan.cells[..]);
        for &(a, b) in &plan.lengths {
            let (of_a, rest) = words.split_at(a as usize);
            let (of_b, rest) = rest.split_at(b as usize);
            let (own, after) = cells.split_at(a as usize * b as usize);
            self.share(of_a, of_b, own, &mut buffers);
            (words, cells) = (rest, after);
        }
        self.work.buffers = buffers;
    }

    /// Divides each word of a sentence pair among the words of the other sentence that explain it. `numbers` are those of the cells, row by
    /// row.
    fn share(&mut self, a: &[u32], b: &[u32], numbers: &[u32], buffers: &mut Buffers) {
        let Buffers { shares, over_a, over_b, sums_a, sums_b } = buffers;
        let (prior, initial_p) = (self.params.model.prior_count, self.params.model.initial_p);
        let totals = |side: &Numbered, words: &[u32], over: &mut Vec<f32>| {
            let total = |number: &u32| &side.totals[*number as usize];
            over.clear();
            over.extend(words.iter().map(total).map(|t| 1.0 / ((t.kept + t.fitted) as f32 + prior)));
        };
        totals(&self.a, a, over_a);
        totals(&self.b, b, over_b);
        let reset = |sums: &mut Vec<f32>, len| {
            sums.clear();
            sums.resize(len, 0.0);
        };
        reset(sums_a, a.len());
        reset(sums_b, b.len());
        shares.clear();
        for (i, row) in numbers.chunks_exact(b.len()).enumerate() {
            let word_a = self.a.hashes[a[i] as usize];
            for (j, &number) in row.iter().enumerate() {
                let counts = self.cells.at(number as usize).counts();
                let word_b = self.b.hashes[b[j] as usize];
                let initial = prior * if word_a == word_b { 1.0 } else { initial_p };
                let share = [(counts[0] + initial) * over_a[i], (counts[1] + initial) * over_b[j]];
                sums_b[j] += share[0];
                sums_a[i] += share[1];
                shares.push(share);
            }
        }
        for (i, (row, shares)) in numbers.chunks_exact(b.len()).zip(shares.chunks_exact(b.len())).enumerate() {
            let mut total_a = 0.0;
            for (j, (&number, share)) in row.iter().zip(shares).enumerate() {
                let cell = self.cells.at(number as usize);
                if cell.next == [0.0; 2] {
                    self.touched.push(number);
                }
                // NULL explains words, but is not explained by any.
                if j > 0 {
                    let part = share[0] / sums_b[j];
                    cell.next[0] += part;
                    total_a += f64::from(part);
                }
                if i > 0 {
                    let part = share[1] / sums_a[i];
                    cell.next[1] += part;
                    self.b.totals[b[j] as usize].next += f64::from(part);
                }
            }
            self.a.totals[a[i] as usize].next += total_a;
        }
    }

    /// Replaces the counts of the pass before by those of this pass.
    fn maximise(&mut self) {
        if self.has_moved {
            self.cells.iter_mut().for_each(|cell| cell.fitted = std::mem::take(&mut cell.next));
        } else {
            // A cell may be listed twice: all are cleared first, and then each is moved once.
            self.touched.iter().for_each(|&number| self.cells.at(number as usize).fitted = [0.0; 2]);
            for &number in &self.touched {
                let cell = self.cells.at(number as usize);
                if cell.next != [0.0; 2] {
                    cell.fitted = std::mem::take(&mut cell.next);
                }
            }
        }
        for total in self.a.totals.iter_mut().chain(&mut self.b.totals) {
            total.fitted = std::mem::take(&mut total.next);
        }
    }
}
