//! What a site teaches of a language pair, in a form that can be sent elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::models::Example;
use super::trainer::Taught;
use crate::types::{Lang, Similarities};
use crate::verify::{Bag, Profile, WordWeights};

/// What a site teaches of a language pair. Learning from lessons gives the same as learning from their sites.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Lesson {
    /// What each sure pair teaches, in order.
    pub(super) taught: Vec<Taught>,
    /// The words of the examples' pages, each page once.
    pages: Vec<Page>,
    /// The weights of these words, for each part of the site that has examples.
    weights: Vec<Weights>,
    /// The examples: right pairs, then near misses.
    examples: [Vec<Pair>; 2],
}

/// The words of a page with their counts, sorted by hash.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Page {
    lang: [u8; 8],
    text_bytes: u32,
    words: Vec<(u64, u32)>,
}

/// The weights of words in a part of a site, sorted by word. Words that weigh as much as the rarest (`rare`) are left out.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Weights {
    words: Vec<(u64, f32)>,
    rare: f32,
}

/// An example, with the positions of its pages and of the weights of its words. Similarities are stored bit by bit, since undefined ones
/// are NaN.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Pair {
    pages: [u32; 2],
    weights: u32,
    half: u8,
    similarities: Vec<u32>,
}

impl Lesson {
    /// The lesson of the sure pairs and of the examples (right pairs, then near misses) of one site.
    pub(super) fn new(taught: Vec<Taught>, examples: [&[Example]; 2]) -> Lesson {
        let mut places: FxHashMap<*const Profile, u32> = FxHashMap::default();
        let mut lesson = Lesson { taught, ..Lesson::default() };
        let mut weights: Vec<(&WordWeights, BTreeMap<u64, f32>)> = Vec::new();
        let mut places_of_weights: FxHashMap<*const WordWeights, u32> = FxHashMap::default();
        for (pairs, examples) in lesson.examples.iter_mut().zip(examples) {
            for example in examples {
                let of_part = *places_of_weights.entry(Arc::as_ptr(&example.weights)).or_insert_with(|| {
                    weights.push((&example.weights, BTreeMap::new()));
                    weights.len() as u32 - 1
                });
                for &(word, _) in example.pages.iter().flat_map(|page| page.bag.entries()) {
                    let weight = example.weights.of(word);
                    if weight != example.weights.of_rare() {
                        weights[of_part as usize].1.insert(word, weight);
                    }
                }
                let mut place = |page: &Arc<Profile>| {
                    *places.entry(Arc::as_ptr(page)).or_insert_with(|| {
                        let words = page.bag.entries().to_vec();
                        lesson.pages.push(Page { lang: page.lang.to_bytes(), text_bytes: page.text_bytes, words });
                        lesson.pages.len() as u32 - 1
                    })
                };
                let pages = [place(&example.pages[0]), place(&example.pages[1])];
                let similarities = example.similarities.0.iter().map(|value| value.to_bits()).collect();
                pairs.push(Pair { pages, weights: of_part, half: example.half as u8, similarities });
            }
        }
        let of_part = |(weights, words): (&WordWeights, BTreeMap<u64, f32>)| Weights {
            words: words.into_iter().collect(),
            rare: weights.of_rare(),
        };
        lesson.weights = weights.into_iter().map(of_part).collect();
        lesson
    }

    /// True when all positions lead to something and all lists are in order, as in what [`Lesson::new`] makes.
    pub fn is_sound(&self) -> bool {
        let page = |page: &Page| {
            let count = page.words.iter().try_fold(0u32, |sum, (_, count)| sum.checked_add(*count));
            count.is_some() && page.words.is_sorted_by(|x, y| x.0 < y.0)
        };
        let pair = |pair: &Pair| {
            let pages = pair.pages.iter().all(|&page| (page as usize) < self.pages.len());
            let weights = (pair.weights as usize) < self.weights.len();
            pages && weights && pair.half < 2 && pair.similarities.len() == Similarities::COUNT
        };
        self.taught.iter().all(Taught::is_sound)
            && self.pages.iter().all(page)
            && self.weights.iter().all(|weights| weights.words.is_sorted_by(|x, y| x.0 < y.0))
            && self.examples.iter().flatten().all(pair)
    }

    /// The examples: right pairs, and near misses. Examples whose positions lead to nothing are left out.
    pub(super) fn examples(self) -> [Vec<Example>; 2] {
        let profile = |page: Page| {
            let lang = Lang::from_bytes(page.lang);
            let bag = Arc::new(Bag::of_counts(page.words));
            Arc::new(Profile { lang, text_bytes: page.text_bytes, bag, ..Profile::default() })
        };
        let pages: Vec<Arc<Profile>> = self.pages.into_iter().map(profile).collect();
        let weights = self.weights.into_iter().map(|of| Arc::new(WordWeights::of_words(of.words, of.rare)));
        let weights: Vec<Arc<WordWeights>> = weights.collect();
        let example = |pair: Pair| {
            let page = |at: u32| pages.get(at as usize).map(Arc::clone);
            let mut similarities = Similarities::default();
            for (value, bits) in similarities.0.iter_mut().zip(pair.similarities) {
                *value = f32::from_bits(bits);
            }
            let pages = [page(pair.pages[0])?, page(pair.pages[1])?];
            let weights = Arc::clone(weights.get(pair.weights as usize)?);
            Some(Example { similarities, pages, weights, half: usize::from(pair.half) })
        };
        self.examples.map(|pairs| pairs.into_iter().filter_map(example).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_come_back_with_their_words_weights_and_measures() {
        let page = |words: &[u64], lang| {
            Arc::new(Profile { lang, text_bytes: 7, bag: Arc::new(Bag::new(words)), ..Profile::default() })
        };
        let (a, b, c) = (page(&[1, 2, 2], Lang::EN), page(&[3], Lang::ZH), page(&[2, 9], Lang::ZH));
        let weights = Arc::new(WordWeights::of_words([(2, 0.25), (9, 1.5)], 4.0));
        let example = |pages: [&Arc<Profile>; 2], half, value| {
            let mut similarities = Similarities::default();
            similarities.0[1] = value;
            Example { similarities, pages: pages.map(Arc::clone), weights: Arc::clone(&weights), half }
        };
        let (good, bad) = ([example([&a, &b], 0, 0.5)], [example([&a, &c], 1, f32::NAN), example([&b, &c], 0, -0.0)]);
        let lesson = Lesson::new(vec![Taught::default()], [&good, &bad]);
        assert_eq!(lesson.pages.len(), 3, "each page once");
        assert!(lesson.is_sound());
        let spoilt: [fn(&mut Lesson); 5] = [
            |lesson| lesson.examples[1][0].pages[1] = 3,
            |lesson| lesson.examples[0][0].half = 2,
            |lesson| lesson.examples[0][0].similarities.truncate(1),
            |lesson| lesson.pages[0].words[0].1 = u32::MAX,
            |lesson| lesson.pages[0].words.reverse(),
        ];
        for spoil in spoilt {
            let mut spoilt = lesson.clone();
            spoil(&mut spoilt);
            assert!(!spoilt.is_sound(), "{spoilt:?}");
        }
        let sent = serde_json::to_string(&lesson).expect("it is data");
        let [found_good, found_bad] = serde_json::from_str::<Lesson>(&sent).expect("the same").examples();
        assert_eq!((found_good.len(), found_bad.len()), (1, 2));
        for (found, sent) in found_good.iter().chain(&found_bad).zip(good.iter().chain(&bad)) {
            assert_eq!((found.half, found.similarities), (sent.half, sent.similarities));
            assert_eq!(found.pages, sent.pages);
            assert!([1, 2, 3, 9].iter().all(|&word| found.weights.of(word) == sent.weights.of(word)));
        }
    }
}
