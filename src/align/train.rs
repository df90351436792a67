//! A word translation model, lengths and a calibration, learnt from the pages that are to be aligned.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::beads::align;
use super::document::Document;
use super::lengths::{Lengths, ratio_of};
use super::model::{Model, Vocabulary};
use super::params::{Params, TrainParams};
use super::score::{FEATURES, features};
use super::translation::Evidence;
use crate::lexicon::{SentencePair, Side, TranslationModel};
use crate::types::LangPair;

/// The words of one aligned page pair: what is learnt from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingPair {
    words_a: Vec<u64>,
    words_b: Vec<u64>,
    beads: Vec<TrainingBead>,
    chars: (u64, u64),
}

#[derive(Clone, Debug, PartialEq)]
struct TrainingBead {
    a: Range<u32>,
    b: Range<u32>,
    chars: (u32, u32),
    is_plain: bool,
}

impl TrainingPair {
    /// Aligns two pages with what is known so far.
    pub fn new(a: Document<'_>, b: Document<'_>, model: &Model, params: &Params) -> TrainingPair {
        let evidence = Evidence::new(&a, &b, model, &params.translation);
        let mut lengths = model.lengths;
        let chars = (chars(&a), chars(&b));
        if model.a.words.is_empty() && chars.0 > 0 && chars.1 > 0 {
            // Nothing is known yet but how long these two pages are.
            lengths.ratio = ratio_of(chars.0, chars.1);
        }
        let beads = align(&a, &b, &evidence, &lengths, params);
        let beads = beads.iter().filter(|bead| bead.is_paired()).map(|bead| {
            let (a, b) = (a.span(bead.a_start..bead.a_end), b.span(bead.b_start..bead.b_end));
            TrainingBead { a: a.words, b: b.words, chars: (a.chars, b.chars), is_plain: bead.shape() == (1, 1) }
        });
        TrainingPair { beads: beads.collect(), chars, words_a: a.words, words_b: b.words }
    }
}

fn chars(document: &Document<'_>) -> u64 {
    document.sentences.iter().map(|sentence| u64::from(sentence.chars)).sum()
}

/// Features of the beads of a page pair, and of sides that do not belong together: each bead's first side with the second
/// side of the next.
pub fn samples(a: &Document<'_>, b: &Document<'_>, model: &Model, params: &Params) -> Vec<([f32; FEATURES], bool)> {
    let evidence = Evidence::new(a, b, model, &params.translation);
    let beads = align(a, b, &evidence, &model.lengths, params);
    let beads: Vec<_> = beads.into_iter().filter(|bead| bead.is_paired()).collect();
    let mut samples = Vec::with_capacity(2 * beads.len());
    for pair in beads.windows(2) {
        let side_a = a.span(pair[0].a_start..pair[0].a_end);
        for (bead, is_right) in [(pair[0], true), (pair[1], false)] {
            let side_b = b.span(bead.b_start..bead.b_end);
            samples.push((features(&side_a, &side_b, &evidence, &model.lengths), is_right));
        }
    }
    samples
}

/// Learns a pair of languages from so many page pairs; `pairs` aligns a portion of them with what is known so far.
///
/// The pages are gone over twice: first with what is known from those before them, then with what is known from all. The weights of the
/// score are still to be [learnt](Trainer::calibrate).
///
/// # Errors
/// What `pairs` returns.
pub fn learn<E>(
    langs: LangPair,
    count: usize,
    params: &Params,
    mut pairs: impl FnMut(Range<usize>, &Model) -> Result<Vec<TrainingPair>, E>,
) -> Result<Trainer, E> {
    let mut trainer = Trainer::new(langs, &params.train);
    for is_first in [true, false] {
        let mut done = 0;
        while done < count && !trainer.is_full() {
            let portion = done..(done + trainer.next_portion()).min(count);
            done = portion.end;
            pairs(portion, trainer.model())?.iter().for_each(|pair| trainer.add(pair));
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

/// Learns from training pairs in the order they are given; what it has learnt depends on nothing else.
///
/// The translation model is trained on the fly (Tomás et al. 2008, §2.3): pages are aligned with what is known
/// from those before them, and each portion of them is one step of incremental EM. When all pages were seen, a new model goes over all of them
/// several times, and the same pages are aligned and learnt from once more: what the first pages were aligned with was little.
pub struct Trainer {
    langs: LangPair,
    params: TrainParams,
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
    translation: TranslationModel,
    model: Model,
}

/// Page pairs that are aligned before more is learnt: so many at the least, and at the most.
const MIN_PORTION: usize = 4;
const MAX_PORTION: usize = 512;

impl Trainer {
    /// One that knows nothing yet.
    pub fn new(langs: LangPair, params: &TrainParams) -> Trainer {
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
            translation: TranslationModel::new(langs, params.model.clone()),
            model: Model::default(),
        }
    }

    /// What is known so far.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many page pairs should be aligned with what is known, before more is learnt: few at first.
    pub fn next_portion(&self) -> usize {
        self.pages.clamp(MIN_PORTION, MAX_PORTION)
    }

    /// True when there is no room for more training pairs.
    pub fn is_full(&self) -> bool {
        self.pages >= self.params.max_pages || self.corpus.len() >= self.params.max_words
    }

    /// Takes a training pair in; ignored when [full](Trainer::is_full).
    pub fn add(&mut self, pair: &TrainingPair) {
        if self.is_full() {
            return;
        }
        for (words, counts) in [&pair.words_a, &pair.words_b].into_iter().zip(&mut self.counts) {
            for &word in words {
                *counts.entry(word).or_default() += 1;
            }
        }
        for bead in &pair.beads {
            if bead.is_plain {
                self.lengths.push(bead.chars);
            }
            let (a, b) = (cut(&pair.words_a, &bead.a), cut(&pair.words_b, &bead.b));
            if !a.is_empty() && !b.is_empty() {
                self.corpus.extend_from_slice(a);
                let middle = self.corpus.len() as u32;
                self.corpus.extend_from_slice(b);
                self.ends.push((middle, self.corpus.len() as u32));
            }
        }
        self.chars = (self.chars.0 + pair.chars.0, self.chars.1 + pair.chars.1);
        self.pages += 1;
    }

    /// Learns from the training pairs that were added since it last did: one step of incremental EM.
    pub fn learn(&mut self, params: &Params) {
        let pairs = sentence_pairs(&self.corpus, &self.ends);
        self.translation.update(&pairs[self.learnt..]);
        self.learnt = self.ends.len();
        self.compile(params);
    }

    /// Learns from all training pairs anew, in several passes.
    pub fn finish(&mut self, params: &Params) {
        self.translation = TranslationModel::new(self.langs, self.params.model.clone());
        self.translation.train(&sentence_pairs(&self.corpus, &self.ends), self.params.passes);
        self.compile(params);
    }

    /// Forgets pairs and words, but not the model: the same pages can be aligned again, and better.
    pub fn start_again(&mut self) {
        let model = std::mem::take(&mut self.model);
        *self = Trainer { model, ..Trainer::new(self.langs, &self.params) };
    }

    /// Learns the calibration from [`samples`].
    pub fn calibrate(&mut self, samples: &[([f32; FEATURES], bool)]) {
        self.model.weights = super::score::fit(samples).unwrap_or_default();
    }

    /// What was learnt in the end.
    pub fn into_model(self) -> Model {
        self.model
    }

    fn compile(&mut self, params: &Params) {
        let ratio = ratio_of(self.chars.0.max(1), self.chars.1.max(1));
        let of_pages = Lengths { ratio, ..Lengths::default() };
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
                let best = self.translation.best(side, word).take(params.translation.max_translations);
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
        self.model = Model {
            a: vocabulary(Side::A, &words[0], &words[1]),
            b: vocabulary(Side::B, &words[1], &words[0]),
            lengths: Lengths::estimate(&self.lengths).unwrap_or(of_pages),
            weights: std::mem::take(&mut self.model.weights),
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

    fn trainer(params: &TrainParams) -> Trainer {
        let fr = Lang::parse("fr").expect("a language");
        Trainer::new(LangPair::new(Lang::EN, fr).expect("two languages"), params)
    }

    /// A training pair of sentence pairs.
    fn pair(pairs: &[(&[u64], &[u64])]) -> TrainingPair {
        let mut pair = TrainingPair { chars: (100, 200), ..TrainingPair::default() };
        for (a, b) in pairs {
            let starts = (pair.words_a.len() as u32, pair.words_b.len() as u32);
            pair.words_a.extend_from_slice(a);
            pair.words_b.extend_from_slice(b);
            let (a, b) = (starts.0..pair.words_a.len() as u32, starts.1..pair.words_b.len() as u32);
            pair.beads.push(TrainingBead { a, b, chars: (10, 20), is_plain: true });
        }
        pair
    }

    /// The best translation of a word of the first side.
    fn best(model: &Model, word: u64) -> Option<u64> {
        let at = model.a.words.binary_search(&word).ok()?;
        let start = if at == 0 { 0 } else { model.a.ends[at - 1] };
        (start < model.a.ends[at]).then(|| model.b.words[model.a.targets[start as usize] as usize])
    }

    #[test]
    fn words_that_stand_together_are_learnt_to_be_translations() {
        let mut trainer = trainer(&TrainParams::default());
        for (a, b) in [([1, 2], [11, 12]), ([1, 3], [11, 13]), ([2, 3], [12, 13])] {
            trainer.add(&pair(&[(&a, &b)]));
            trainer.learn(&Params::default());
        }
        trainer.finish(&Params::default());
        let model = trainer.model();
        assert_eq!([1, 2, 3].map(|word| best(model, word)), [Some(11), Some(12), Some(13)]);
        assert!(model.a.is_sound(model.b.words.len()) && model.b.is_sound(model.a.words.len()));
        assert!((model.a.shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(model.lengths.ratio, 2.0);
    }

    #[test]
    fn equal_words_are_translations_from_the_start() {
        let mut trainer = trainer(&TrainParams::default());
        trainer.add(&pair(&[(&[7, 1], &[11, 7])]));
        trainer.learn(&Params::default());
        assert_eq!(best(trainer.model(), 7), Some(7));
    }

    #[test]
    fn training_pairs_are_bounded() {
        let mut trainer = trainer(&TrainParams { max_words: 40, ..TrainParams::default() });
        for n in 0..100 {
            trainer.add(&pair(&[(&[n, n + 1, n + 2], &[n + 500, n + 600])]));
        }
        assert!(trainer.is_full());
        assert_eq!((trainer.pages, trainer.corpus.len()), (8, 40));
    }

    #[test]
    fn a_second_start_keeps_the_table_and_nothing_else() {
        let mut trainer = trainer(&TrainParams::default());
        let words: Vec<(&[u64], &[u64])> = vec![(&[1], &[11]), (&[2], &[12])];
        trainer.add(&pair(&words));
        trainer.learn(&Params::default());
        let model = trainer.model().clone();
        trainer.start_again();
        assert_eq!((trainer.model(), trainer.pages, trainer.counts[0].len()), (&model, 0, 0));
    }
}
