//! A word translation model, lengths and a calibration, learnt from the pages that are to be aligned.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::score::{FEATURES, features};
use super::translation::Vocabulary;
use super::{Document, Evidence, Lengths, Params as AlignParams, Table, align};

/// Settings of training.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Page pairs that are learnt from, of each pair of languages, at the most. Default 20,000.
    pub max_pages: usize,
    /// Words of each side that are learnt from, at the most. Default 1,000,000: more changes little for alignment.
    pub max_words: usize,
    /// Words of a sentence that are looked at: the cost of a sentence grows as its square. Default 60.
    pub max_sentence: usize,
    /// Word pairs that are kept, at the most; further ones are not learnt. Default 4,000,000, 160 MB.
    pub max_entries: usize,
    /// Rounds of expectation and maximization over the whole, at the end. Default 4.
    pub rounds: usize,
    /// Page pairs the calibration looks at. Default 300.
    pub calibrate_pages: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            max_pages: 20_000,
            max_words: 1_000_000,
            max_sentence: 60,
            max_entries: 4_000_000,
            rounds: 4,
            calibrate_pages: 300,
        }
    }
}

/// What is learnt from one aligned page pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lesson {
    words_a: Vec<u64>,
    words_b: Vec<u64>,
    beads: Vec<LessonBead>,
    chars: (u64, u64),
}

#[derive(Clone, Debug, PartialEq)]
struct LessonBead {
    a: Range<u32>,
    b: Range<u32>,
    chars: (u32, u32),
    is_plain: bool,
}

impl Lesson {
    /// Aligns two pages with what is known so far.
    pub fn new(a: Document<'_>, b: Document<'_>, table: &Table, params: &AlignParams) -> Lesson {
        let evidence = Evidence::new(&a, &b, table, &params.translation);
        let mut lengths = table.lengths;
        let chars = (chars(&a), chars(&b));
        if table.a.words.is_empty() && chars.0 > 0 && chars.1 > 0 {
            // Nothing is known yet but how long these two pages are.
            lengths.ratio = (chars.1 as f64 / chars.0 as f64).clamp(0.1, 10.0) as f32;
        }
        let beads = align(&a, &b, &evidence, &lengths, params);
        let beads = beads.iter().filter(|bead| bead.is_paired()).map(|bead| {
            let (a, b) = (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
            LessonBead { a: a.words, b: b.words, chars: (a.chars, b.chars), is_plain: bead.shape() == (1, 1) }
        });
        Lesson { beads: beads.collect(), chars, words_a: a.words, words_b: b.words }
    }
}

fn chars(document: &Document<'_>) -> u64 {
    document.sentences.iter().map(|sentence| u64::from(sentence.chars)).sum()
}

/// Features of the beads of a page pair, and of sides that do not belong together: each bead's first side with the second
/// side of the next.
pub fn samples(
    a: &Document<'_>,
    b: &Document<'_>,
    table: &Table,
    params: &AlignParams,
) -> Vec<([f32; FEATURES], bool)> {
    let evidence = Evidence::new(a, b, table, &params.translation);
    let beads = align(a, b, &evidence, &table.lengths, params);
    let beads: Vec<_> = beads.into_iter().filter(|bead| bead.is_paired()).collect();
    let mut samples = Vec::with_capacity(2 * beads.len());
    for pair in beads.windows(2) {
        let side_a = a.span(pair[0].a_start..pair[0].a_end);
        for (bead, is_right) in [(pair[0], true), (pair[1], false)] {
            let side_b = b.span(bead.b_start..bead.b_end);
            samples.push((features(&side_a, &side_b, &evidence, &table.lengths), is_right));
        }
    }
    samples
}

/// Learns from lessons in the order they are given; what it has learnt depends on nothing else.
///
/// The model is that of eq. 1 of Tomás et al. (2008), in both directions, with the empty word e₀. Equal words begin with p = 1,
/// all others alike. It is trained on the fly (§2.3): pages are aligned with what those before them taught, and whenever the
/// lessons have doubled, expectation and maximization go over all of them once, from the present parameters. Departure: the paper
/// keeps the counts of earlier expectations and adds to them; here they are taken anew, which forgets early mistakes and
/// costs twice the time at the most.
pub struct Trainer {
    params: Params,
    sides: [Words; 2],
    /// Sentence pairs: words of the first side, then of the second.
    corpus: Vec<u32>,
    /// Where the two sides of each sentence pair end in `corpus`.
    ends: Vec<(u32, u32)>,
    lengths: Vec<(u32, u32)>,
    pages: usize,
    chars: (u64, u64),
    learnt_at: usize,
    entries: Entries,
    table: Table,
}

#[derive(Default)]
struct Words {
    numbers: FxHashMap<u64, u32>,
    hashes: Vec<u64>,
    counts: Vec<u32>,
    total: u64,
}

impl Words {
    fn number(&mut self, word: u64) -> u32 {
        *self.numbers.entry(word).or_insert_with(|| {
            self.hashes.push(word);
            self.counts.push(0);
            self.hashes.len() as u32 - 1
        })
    }
}

/// Word pairs that stood in one sentence pair, and how probable they are.
#[derive(Default)]
struct Entries {
    places: FxHashMap<(u32, u32), u32>,
    /// p(b | a).
    forward: Vec<f32>,
    /// p(a | b).
    back: Vec<f32>,
}

/// e₀, the word that stands for nothing.
const NOTHING: u32 = u32::MAX;

impl Trainer {
    /// One that knows nothing yet.
    pub fn new(params: &Params) -> Trainer {
        Trainer {
            params: params.clone(),
            sides: Default::default(),
            corpus: Vec::new(),
            ends: Vec::new(),
            lengths: Vec::new(),
            pages: 0,
            chars: (0, 0),
            learnt_at: 0,
            entries: Entries::default(),
            table: Table::default(),
        }
    }

    /// What is known so far.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How many page pairs should be aligned with what is known, before more is learnt: few at first.
    pub fn next_portion(&self) -> usize {
        self.pages.clamp(4, 512)
    }

    /// True when there is no room for more lessons.
    pub fn is_full(&self) -> bool {
        self.pages >= self.params.max_pages || self.corpus.len() >= 2 * self.params.max_words
    }

    /// Takes a lesson in; ignored when [full](Trainer::is_full).
    pub fn add(&mut self, lesson: &Lesson) {
        if self.is_full() {
            return;
        }
        let sides = [&lesson.words_a, &lesson.words_b];
        let mut numbered: [Vec<u32>; 2] = Default::default();
        for ((words, side), numbered) in sides.into_iter().zip(&mut self.sides).zip(&mut numbered) {
            for &word in words {
                let number = side.number(word);
                side.counts[number as usize] += 1;
                numbered.push(number);
            }
            side.total += words.len() as u64;
        }
        for bead in &lesson.beads {
            if bead.is_plain {
                self.lengths.push(bead.chars);
            }
            let cut = |words: &[u32], range: &Range<u32>| {
                let words = &words[range.start as usize..range.end as usize];
                words[..words.len().min(self.params.max_sentence)].to_vec()
            };
            let (a, b) = (cut(&numbered[0], &bead.a), cut(&numbered[1], &bead.b));
            if !a.is_empty() && !b.is_empty() {
                self.corpus.extend(a);
                let middle = self.corpus.len() as u32;
                self.corpus.extend(b);
                self.ends.push((middle, self.corpus.len() as u32));
            }
        }
        self.chars = (self.chars.0 + lesson.chars.0, self.chars.1 + lesson.chars.1);
        self.pages += 1;
    }

    /// Learns from the lessons so far, if they have doubled since it last did.
    pub fn learn(&mut self, params: &AlignParams) {
        if self.corpus.len() >= 2 * self.learnt_at && !self.corpus.is_empty() {
            self.learnt_at = self.corpus.len();
            self.round();
            // The first look at words that stand together says next to nothing.
            self.round();
            self.compile(params);
        }
    }

    /// Learns from all lessons, round after round.
    pub fn finish(&mut self, params: &AlignParams) {
        for _ in 0..self.params.rounds {
            self.round();
        }
        self.compile(params);
    }

    /// Forgets lessons and parameters, but not the table: the same pages can be aligned again, and better.
    pub fn start_again(&mut self) {
        let table = std::mem::take(&mut self.table);
        *self = Trainer { table, ..Trainer::new(&self.params) };
        // Nothing but `finish` is to change the table now.
        self.learnt_at = usize::MAX / 2;
    }

    /// Learns the calibration from [`samples`].
    pub fn calibrate(&mut self, samples: &[([f32; FEATURES], bool)]) {
        self.table.weights = super::score::fit(samples).unwrap_or_default();
    }

    /// What was learnt in the end.
    pub fn into_table(self) -> Table {
        self.table
    }

    /// One expectation and one maximization over the corpus.
    fn round(&mut self) {
        let mut counts: Vec<(f32, f32)> = vec![(0.0, 0.0); self.entries.forward.len()];
        let mut start = 0;
        let mut places: Vec<u32> = Vec::new();
        for &(middle, end) in &self.ends {
            let a = &self.corpus[start..middle as usize];
            let b = &self.corpus[middle as usize..end as usize];
            start = end as usize;
            // Rows: words of a and e₀; columns: words of b and e₀.
            places.clear();
            for &x in a.iter().chain([&NOTHING]) {
                for &y in b.iter().chain([&NOTHING]) {
                    places.push(self.entries.place(x, y, &self.sides, self.params.max_entries));
                }
            }
            counts.resize(self.entries.forward.len(), (0.0, 0.0));
            self.entries.expect(&places, b.len() + 1, &mut counts);
        }
        self.entries.maximize(&counts, &self.sides);
    }

    fn compile(&mut self, params: &AlignParams) {
        let lengths = Lengths::estimate(&self.lengths).unwrap_or(Lengths {
            ratio: if self.chars.0 == 0 || self.chars.1 == 0 {
                1.0
            } else {
                (self.chars.1 as f64 / self.chars.0 as f64).clamp(0.1, 10.0) as f32
            },
            ..Lengths::default()
        });
        let order = |side: &Words| {
            let mut order: Vec<u32> = (0..side.hashes.len() as u32).collect();
            order.sort_unstable_by_key(|&number| side.hashes[number as usize]);
            order
        };
        let orders = [order(&self.sides[0]), order(&self.sides[1])];
        let ranks = [0, 1].map(|side: usize| {
            let mut ranks = vec![0u32; orders[side].len()];
            for (rank, &number) in orders[side].iter().enumerate() {
                ranks[number as usize] = rank as u32;
            }
            ranks
        });
        let mut rows: [Vec<(u32, u32, f32)>; 2] = Default::default();
        for (&(a, b), &place) in &self.entries.places {
            if a == NOTHING || b == NOTHING {
                continue;
            }
            let (a, b) = (ranks[0][a as usize], ranks[1][b as usize]);
            for (side, (from, to, p)) in
                [(a, b, self.entries.forward[place as usize]), (b, a, self.entries.back[place as usize])]
                    .into_iter()
                    .enumerate()
            {
                if p >= params.translation.min_probability {
                    rows[side].push((from, to, p));
                }
            }
        }
        let vocabulary = |side: usize| {
            let mut rows = rows[side].clone();
            rows.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(y.2.total_cmp(&x.2)).then(x.1.cmp(&y.1)));
            let words = &self.sides[side];
            let mut vocabulary = Vocabulary::default();
            let mut rows = rows.into_iter().peekable();
            for (rank, &number) in orders[side].iter().enumerate() {
                vocabulary.words.push(words.hashes[number as usize]);
                vocabulary.shares.push((f64::from(words.counts[number as usize]) / words.total.max(1) as f64) as f32);
                let mut kept = 0;
                while let Some((_, target, p)) = rows.next_if(|row| row.0 as usize == rank) {
                    if kept < params.translation.max_translations {
                        vocabulary.targets.push(target);
                        vocabulary.probabilities.push(p);
                        kept += 1;
                    }
                }
                vocabulary.ends.push(vocabulary.targets.len() as u32);
            }
            vocabulary
        };
        let weights = std::mem::take(&mut self.table.weights);
        self.table = Table { a: vocabulary(0), b: vocabulary(1), lengths, weights };
    }
}

/// A word pair there is no room for.
const NOWHERE: u32 = u32::MAX;

impl Entries {
    fn place(&mut self, a: u32, b: u32, sides: &[Words; 2], max_entries: usize) -> u32 {
        if let Some(&place) = self.places.get(&(a, b)) {
            return place;
        }
        if self.forward.len() >= max_entries || (a == NOTHING && b == NOTHING) {
            return NOWHERE;
        }
        let place = self.forward.len() as u32;
        self.places.insert((a, b), place);
        let is_equal = a != NOTHING && b != NOTHING && sides[0].hashes[a as usize] == sides[1].hashes[b as usize];
        /// All alike, and far from 1.
        const FIRST: f32 = 1e-3;
        let p = if is_equal { 1.0 } else { FIRST };
        self.forward.push(p);
        self.back.push(p);
        place
    }

    /// Shares each word out among the words it may come from.
    fn expect(&self, places: &[u32], width: usize, counts: &mut [(f32, f32)]) {
        let height = places.len() / width;
        let p = |row: usize, column: usize, table: &[f32]| {
            let place = places[row * width + column];
            if place == NOWHERE { 0.0 } else { table[place as usize] }
        };
        // p(b | a): the last column is no word of b.
        for column in 0..width - 1 {
            let sum: f32 = (0..height).map(|row| p(row, column, &self.forward)).sum();
            if sum > 0.0 {
                for row in 0..height {
                    let place = places[row * width + column];
                    if place != NOWHERE {
                        counts[place as usize].0 += self.forward[place as usize] / sum;
                    }
                }
            }
        }
        for row in 0..height - 1 {
            let sum: f32 = (0..width).map(|column| p(row, column, &self.back)).sum();
            if sum > 0.0 {
                for column in 0..width {
                    let place = places[row * width + column];
                    if place != NOWHERE {
                        counts[place as usize].1 += self.back[place as usize] / sum;
                    }
                }
            }
        }
    }

    /// p(b | a) = count(a, b) / Σ count(a, ·), and the other way round.
    fn maximize(&mut self, counts: &[(f32, f32)], sides: &[Words; 2]) {
        // By place, which is the order of coming, so that sums do not depend on the order of a hash table.
        let mut pairs = vec![(0, 0); self.forward.len()];
        for (&pair, &place) in &self.places {
            pairs[place as usize] = pair;
        }
        let mut sums = [vec![0f32; sides[0].hashes.len() + 1], vec![0f32; sides[1].hashes.len() + 1]];
        let last = [sides[0].hashes.len(), sides[1].hashes.len()];
        let at = |word: u32, side: usize| if word == NOTHING { last[side] } else { word as usize };
        for (&(a, b), count) in pairs.iter().zip(counts) {
            sums[0][at(a, 0)] += count.0;
            sums[1][at(b, 1)] += count.1;
        }
        for (place, (&(a, b), count)) in pairs.iter().zip(counts).enumerate() {
            let share = |count: f32, sum: f32| if sum > 0.0 { count / sum } else { 0.0 };
            self.forward[place] = share(count.0, sums[0][at(a, 0)]);
            self.back[place] = share(count.1, sums[1][at(b, 1)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lesson of sentence pairs of words.
    fn lesson(pairs: &[(&[u64], &[u64])]) -> Lesson {
        let mut lesson = Lesson { chars: (100, 200), ..Lesson::default() };
        for (a, b) in pairs {
            let starts = (lesson.words_a.len() as u32, lesson.words_b.len() as u32);
            lesson.words_a.extend_from_slice(a);
            lesson.words_b.extend_from_slice(b);
            let (a, b) = (starts.0..lesson.words_a.len() as u32, starts.1..lesson.words_b.len() as u32);
            lesson.beads.push(LessonBead { a, b, chars: (10, 20), is_plain: true });
        }
        lesson
    }

    #[test]
    fn one_round_gives_the_probabilities_of_the_worked_example() {
        // Sentences (1 | 11) and (1 2 | 11 12), all pairs alike at first.
        // Word 11 of the first pair comes from 1 or e₀: ½ each. Those of the second from 1, 2 or e₀: ⅓ each.
        // count(1, 11) = ½ + ⅓ = ⅚, count(1, 12) = ⅓: p(11 | 1) = ⅚ / (7/6) = 5/7. p(11 | 2) = ½.
        let mut trainer = Trainer::new(&Params::default());
        trainer.add(&lesson(&[(&[1], &[11]), (&[1, 2], &[11, 12])]));
        trainer.round();
        let p = |trainer: &Trainer, a: u64, b: u64| {
            let key = (trainer.sides[0].numbers[&a], trainer.sides[1].numbers[&b]);
            trainer.entries.forward[trainer.entries.places[&key] as usize]
        };
        assert!((p(&trainer, 1, 11) - 5.0 / 7.0).abs() < 1e-6);
        assert!((p(&trainer, 2, 11) - 0.5).abs() < 1e-6);
        for _ in 0..30 {
            trainer.round();
        }
        assert!(p(&trainer, 2, 12) > 0.9, "{}", p(&trainer, 2, 12));
    }

    #[test]
    fn equal_words_are_translations_from_the_start() {
        let mut trainer = Trainer::new(&Params::default());
        trainer.add(&lesson(&[(&[7, 1], &[11, 7])]));
        trainer.learn(&AlignParams::default());
        let table = trainer.table();
        let at = table.a.words.binary_search(&7).expect("it was met");
        let best = table.a.targets[if at == 0 { 0 } else { table.a.ends[at - 1] as usize }];
        assert_eq!(table.b.words[best as usize], 7);
        assert!(table.a.is_sound(table.b.words.len()) && table.b.is_sound(table.a.words.len()));
    }

    #[test]
    fn memory_is_bounded() {
        let params = Params { max_entries: 5, max_words: 40, ..Params::default() };
        let mut trainer = Trainer::new(&params);
        for n in 0..100 {
            trainer.add(&lesson(&[(&[n, n + 1, n + 2], &[n + 500, n + 600])]));
        }
        trainer.finish(&AlignParams::default());
        assert!(trainer.is_full() && trainer.pages == 16);
        assert_eq!(trainer.entries.forward.len(), 5);
    }

    #[test]
    fn a_second_start_keeps_the_table_and_nothing_else() {
        let mut trainer = Trainer::new(&Params::default());
        let words: Vec<(&[u64], &[u64])> = vec![(&[1], &[11]), (&[2], &[12])];
        trainer.add(&lesson(&words));
        trainer.learn(&AlignParams::default());
        let table = trainer.table().clone();
        trainer.start_again();
        trainer.add(&lesson(&words));
        trainer.learn(&AlignParams::default());
        assert_eq!((trainer.table(), trainer.pages), (&table, 1));
        assert!(trainer.table().lengths.ratio == 2.0);
    }
}
