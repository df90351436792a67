//! Weights of the words of a site, by the number of its pages on which they stand.

use rustc_hash::FxHashMap;

use super::profile::Profile;
use super::word_filter::WordFilter;
use crate::index::retrieval;
use crate::types::Lang;

/// Weights of the words of a site: the rarer, the larger.
#[derive(Default)]
pub struct WordWeights {
    counts: FxHashMap<u64, Count>,
    pages: u32,
    /// ln(1 + N/df) of words that stand on a single page, and of words that were not counted.
    single: f32,
    /// A filter of the words that several languages share; there are few of them.
    shared: WordFilter,
}

struct Count {
    pages: u32,
    lang: Lang,
    /// True when two languages have the word.
    shared: bool,
    /// ln(1 + N/df).
    weight: f32,
}

impl WordWeights {
    /// Counts the words of one more page.
    pub fn add(&mut self, profile: &Profile) {
        self.pages += 1;
        for &(word, _) in profile.bag.entries() {
            let count =
                self.counts.entry(word).or_insert(Count { pages: 0, lang: profile.lang, shared: false, weight: 0.0 });
            count.pages += 1;
            count.shared |= count.lang != profile.lang;
        }
    }

    /// Computes the weights after all pages are counted. Words of a single page are dropped: words that are not in the sample are just as
    /// rare.
    pub fn finish(&mut self) {
        self.counts.retain(|_, count| count.pages > 1);
        for count in self.counts.values_mut() {
            count.weight = retrieval::weight(self.pages, count.pages as usize);
        }
        self.single = retrieval::weight(self.pages, 1);
        self.shared = WordFilter::new(self.counts.iter().filter(|(_, count)| count.shared).map(|(&word, _)| word));
    }

    /// ln(1 + N/df) of a word.
    pub fn of(&self, word: u64) -> f32 {
        self.counts.get(&word).map_or(self.single, |count| count.weight)
    }

    /// The same, but 0 for a word that only one language has.
    pub fn shared(&self, word: u64) -> f32 {
        let count = self.shared.may_have(word).then(|| self.counts.get(&word)).flatten();
        count.filter(|count| count.shared).map_or(0.0, |count| count.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::Words;
    use crate::types::{Block, Page};
    use crate::verify::{Own, ProfileParams};

    fn profile(text: &str, lang: Lang) -> Profile {
        let blocks = vec![Block { start: 0, end: text.len() as u32, ..Block::default() }];
        let page = Page { text: text.to_owned(), blocks, ..Page::default() };
        Profile::new(&page, "http://x.org/", lang, &Own::default(), &Words::new(), &ProfileParams::default())
    }

    #[test]
    fn words_of_many_pages_weigh_less_and_words_of_one_language_are_not_shared() {
        let pages = [("house linux", Lang::EN), ("house tree linux", Lang::EN), ("haus linux", Lang::ZH)];
        let mut weights = WordWeights::default();
        pages.iter().for_each(|(text, lang)| weights.add(&profile(text, *lang)));
        weights.finish();
        let hash = |word: &str| profile(word, Lang::EN).bag.entries()[0].0;
        let (linux, house, tree) = (hash("linux"), hash("house"), hash("tree"));
        assert!(weights.of(linux) < weights.of(house) && weights.of(house) < weights.of(tree));
        assert_eq!(weights.of(tree), weights.of(hash("unheard-of")));
        assert_eq!((weights.shared(linux), weights.shared(house)), (weights.of(linux), 0.0));
    }
}
