//! A word translation model, lengths and a calibration, learnt from the pages that are to be aligned.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::score::{FEATURES, features};
use super::translation::Vocabulary;
use super::{Document, Evidence, Lengths, Params as AlignParams, Table, align};
use crate::lexicon::{ModelParams, SentencePair, Side, TranslationModel};
use crate::types::LangPair;

/// Settings of training.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Page pairs that are learnt from, of each pair of languages, at the most. Default 20,000.
    pub max_pages: usize,
    /// Words of both sides together that are learnt from, at the most. Default 1,000,000, an estimate: more changes little
    /// for alignment.
    pub max_words: usize,
    /// The translation model.
    pub model: ModelParams,
    /// Passes of expectation and maximization over the whole, at the end. Default 4.
    pub passes: usize,
    /// Page pairs the calibration looks at. Default 300.
    pub calibrate_pages: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            max_pages: 20_000,
            max_words: 1_000_000,
            model: ModelParams { max_sentence_words: 60, ..ModelParams::default() },
            passes: 4,
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

/// Learns a pair of languages from so many page pairs; `lessons` aligns some of them with what is known so far.
///
/// The pages are gone over twice: first with what those before them taught, then with what all of them did. The weights of the
/// score are still to be [learnt](Trainer::calibrate).
///
/// # Errors
/// What `lessons` returns.
pub fn learn<E>(
    langs: LangPair,
    count: usize,
    params: &AlignParams,
    mut lessons: impl FnMut(Range<usize>, &Table) -> Result<Vec<Lesson>, E>,
) -> Result<Trainer, E> {
    let mut trainer = Trainer::new(langs, &params.train);
    for is_first in [true, false] {
        let mut done = 0;
        while done < count && !trainer.is_full() {
            let portion = done..(done + trainer.next_portion()).min(count);
            done = portion.end;
            lessons(portion, trainer.table())?.iter().for_each(|lesson| trainer.add(lesson));
            if is_first {
                trainer.learn(params);
            }
        }
        trainer.finish(params);
        if is_first {
            trainer.start_again();
        }
    }
    Ok(trainer)
}

/// Learns from lessons in the order they are given; what it has learnt depends on nothing else.
///
/// The translation model is trained on the fly (Tomás et al. 2008, §2.3): pages are aligned with what those before them
/// taught, and each portion of them is one step of incremental EM. When all pages were seen, a new model goes over all lessons
/// several times, and the same pages are aligned and learnt from once more: what the first pages were aligned with was little.
pub struct Trainer {
    langs: LangPair,
    params: Params,
    /// How often each word stands on the pages.
    counts: [FxHashMap<u64, u32>; 2],
    /// Sentence pairs: words of the first side, then of the second, end to end.
    corpus: Vec<u64>,
    /// Where the two sides of each sentence pair end in `corpus`.
    ends: Vec<(u32, u32)>,
    /// Sentence pairs the model has learnt from.
    learnt: usize,
    /// Lengths of 1–1 beads.
    lengths: Vec<(u32, u32)>,
    pages: usize,
    chars: (u64, u64),
    model: TranslationModel,
    table: Table,
}

impl Trainer {
    /// One that knows nothing yet.
    pub fn new(langs: LangPair, params: &Params) -> Trainer {
        Trainer {
            langs,
            params: params.clone(),
            counts: Default::default(),
            corpus: Vec::new(),
            ends: Vec::new(),
            learnt: 0,
            lengths: Vec::new(),
            pages: 0,
            chars: (0, 0),
            model: TranslationModel::new(langs, params.model.clone()),
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
        self.pages >= self.params.max_pages || self.corpus.len() >= self.params.max_words
    }

    /// Takes a lesson in; ignored when [full](Trainer::is_full).
    pub fn add(&mut self, lesson: &Lesson) {
        if self.is_full() {
            return;
        }
        for (words, counts) in [&lesson.words_a, &lesson.words_b].into_iter().zip(&mut self.counts) {
            for &word in words {
                *counts.entry(word).or_default() += 1;
            }
        }
        for bead in &lesson.beads {
            if bead.is_plain {
                self.lengths.push(bead.chars);
            }
            let (a, b) = (cut(&lesson.words_a, &bead.a), cut(&lesson.words_b, &bead.b));
            if !a.is_empty() && !b.is_empty() {
                self.corpus.extend_from_slice(a);
                let middle = self.corpus.len() as u32;
                self.corpus.extend_from_slice(b);
                self.ends.push((middle, self.corpus.len() as u32));
            }
        }
        self.chars = (self.chars.0 + lesson.chars.0, self.chars.1 + lesson.chars.1);
        self.pages += 1;
    }

    /// Learns from the lessons that were added since it last did: one step of incremental EM.
    pub fn learn(&mut self, params: &AlignParams) {
        let pairs = sentence_pairs(&self.corpus, &self.ends);
        self.model.update(&pairs[self.learnt..]);
        self.learnt = self.ends.len();
        self.compile(params);
    }

    /// Learns from all lessons anew, in several passes.
    pub fn finish(&mut self, params: &AlignParams) {
        self.model = TranslationModel::new(self.langs, self.params.model.clone());
        self.model.train(&sentence_pairs(&self.corpus, &self.ends), self.params.passes);
        self.compile(params);
    }

    /// Forgets lessons and model, but not the table: the same pages can be aligned again, and better.
    pub fn start_again(&mut self) {
        let table = std::mem::take(&mut self.table);
        *self = Trainer { table, ..Trainer::new(self.langs, &self.params) };
    }

    /// Learns the calibration from [`samples`].
    pub fn calibrate(&mut self, samples: &[([f32; FEATURES], bool)]) {
        self.table.weights = super::score::fit(samples).unwrap_or_default();
    }

    /// What was learnt in the end.
    pub fn into_table(self) -> Table {
        self.table
    }

    fn compile(&mut self, params: &AlignParams) {
        let ratio = self.chars.1.max(1) as f64 / self.chars.0.max(1) as f64;
        let of_pages = Lengths { ratio: ratio.clamp(0.1, 10.0) as f32, ..Lengths::default() };
        let words = [0, 1].map(|side: usize| {
            let mut words: Vec<(u64, u32)> = self.counts[side].iter().map(|(&word, &count)| (word, count)).collect();
            words.sort_unstable();
            words
        });
        let vocabulary = |side: Side, own: &[(u64, u32)], other: &[(u64, u32)]| {
            let total: f64 = own.iter().map(|word| f64::from(word.1)).sum();
            let mut vocabulary = Vocabulary::default();
            for &(word, count) in own {
                vocabulary.words.push(word);
                vocabulary.shares.push((f64::from(count) / total.max(1.0)) as f32);
                let best = self.model.best(side, word).take(params.translation.max_translations);
                for (target, p) in best.take_while(|best| best.1 >= params.translation.min_probability) {
                    if let Ok(at) = other.binary_search_by_key(&target, |word| word.0) {
                        vocabulary.targets.push(at as u32);
                        vocabulary.probabilities.push(p);
                    }
                }
                vocabulary.ends.push(vocabulary.targets.len() as u32);
            }
            vocabulary
        };
        self.table = Table {
            a: vocabulary(Side::A, &words[0], &words[1]),
            b: vocabulary(Side::B, &words[1], &words[0]),
            lengths: Lengths::estimate(&self.lengths).unwrap_or(of_pages),
            weights: std::mem::take(&mut self.table.weights),
        };
    }
}

fn cut<'w>(words: &'w [u64], range: &Range<u32>) -> &'w [u64] {
    &words[range.start as usize..range.end as usize]
}

fn sentence_pairs<'c>(corpus: &'c [u64], ends: &[(u32, u32)]) -> Vec<SentencePair<'c>> {
    let mut start = 0;
    let pair = |&(middle, end): &(u32, u32)| {
        let pair = (cut(corpus, &(start..middle)), cut(corpus, &(middle..end)));
        start = end;
        pair
    };
    ends.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;

    fn trainer(params: &Params) -> Trainer {
        let fr = Lang::parse("fr").expect("a language");
        Trainer::new(LangPair::new(Lang::EN, fr).expect("two languages"), params)
    }

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

    /// The best translation of a word of the first side.
    fn best(table: &Table, word: u64) -> Option<u64> {
        let at = table.a.words.binary_search(&word).ok()?;
        let start = if at == 0 { 0 } else { table.a.ends[at - 1] };
        (start < table.a.ends[at]).then(|| table.b.words[table.a.targets[start as usize] as usize])
    }

    #[test]
    fn words_that_stand_together_are_learnt_to_be_translations() {
        let mut trainer = trainer(&Params::default());
        for (a, b) in [([1, 2], [11, 12]), ([1, 3], [11, 13]), ([2, 3], [12, 13])] {
            trainer.add(&lesson(&[(&a, &b)]));
            trainer.learn(&AlignParams::default());
        }
        trainer.finish(&AlignParams::default());
        let table = trainer.table();
        assert_eq!([1, 2, 3].map(|word| best(table, word)), [Some(11), Some(12), Some(13)]);
        assert!(table.a.is_sound(table.b.words.len()) && table.b.is_sound(table.a.words.len()));
        assert!((table.a.shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(table.lengths.ratio, 2.0);
    }

    #[test]
    fn equal_words_are_translations_from_the_start() {
        let mut trainer = trainer(&Params::default());
        trainer.add(&lesson(&[(&[7, 1], &[11, 7])]));
        trainer.learn(&AlignParams::default());
        assert_eq!(best(trainer.table(), 7), Some(7));
    }

    #[test]
    fn lessons_are_bounded() {
        let mut trainer = trainer(&Params { max_words: 40, ..Params::default() });
        for n in 0..100 {
            trainer.add(&lesson(&[(&[n, n + 1, n + 2], &[n + 500, n + 600])]));
        }
        assert!(trainer.is_full());
        assert_eq!((trainer.pages, trainer.corpus.len()), (8, 40));
    }

    #[test]
    fn a_second_start_keeps_the_table_and_nothing_else() {
        let mut trainer = trainer(&Params::default());
        let words: Vec<(&[u64], &[u64])> = vec![(&[1], &[11]), (&[2], &[12])];
        trainer.add(&lesson(&words));
        trainer.learn(&AlignParams::default());
        let table = trainer.table().clone();
        trainer.start_again();
        assert_eq!((trainer.table(), trainer.pages, trainer.counts[0].len()), (&table, 0, 0));
    }
}
