//! Texts of training pairs → words that translate each other, and the usual ratio of lengths.

use super::halves::{Halves, SurePair, half_of};
use super::params::Params;
use crate::error::Result;
use crate::lexicon::Corpus;
use crate::verify::{PageIds, Profile, SiteView, aligned_blocks};

/// Learns one language pair from training pairs.
pub struct Trainer<'p> {
    params: &'p Params,
    /// Words of aligned blocks.
    corpus: Corpus,
    /// Bytes of text of the second page for one of the first, of every pair.
    ratios: Vec<f64>,
}

impl<'p> Trainer<'p> {
    /// A trainer that knows nothing yet.
    pub fn new(params: &'p Params) -> Trainer<'p> {
        Trainer { params, corpus: Corpus::default(), ratios: Vec::new() }
    }

    /// Takes one more training pair. From [`max_words`](crate::lexicon::LearnParams::max_words) on only the lengths of pages count.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn add(&mut self, site: &SiteView<'_>, (a, b): PageIds) -> Result<()> {
        let (length_a, length_b) = (site.facts(a).text_bytes, site.facts(b).text_bytes);
        self.ratios.push(f64::from(length_b.max(1)) / f64::from(length_a.max(1)));
        if self.corpus.count() < self.params.words.max_words {
            let profiles = site.profiles(&[a, b])?;
            self.add_words(&profiles[&a], &profiles[&b], half_of(site.pages().identity(a)));
        }
        Ok(())
    }

    fn add_words(&mut self, first: &Profile, second: &Profile, half: usize) {
        for (left, right) in aligned_blocks(&first.layout, &second.layout) {
            let (left, right) = (first.words_of(left), second.words_of(right));
            self.corpus.add(left, right, half, self.params.words.model.max_sentence_words);
        }
    }

    /// The median ratio of the lengths of pages, in bytes of the second language for one of the first; 1 without any pair.
    pub fn length_ratio(&self) -> f64 {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
    }

    /// The translations to look up for the pages of each half: those that the other half teaches.
    pub fn halves(&self) -> Halves {
        let (first, second) = rayon::join(|| self.half(1), || self.half(0));
        [first, second]
    }

    /// What one half teaches.
    fn half(&self, half: usize) -> Vec<SurePair> {
        let [first, second] = &self.corpus.sides;
        let min = self.params.min_probability;
        let counts = self.corpus.learn(half, &self.params.words);
        let mut sure = Vec::new();
        counts.for_each(&self.corpus, &self.params.words.model, min, |a, b, [forth, back]| {
            if forth >= min && back >= min {
                sure.push(SurePair { a: first.hashes()[a as usize], b: second.hashes()[b as usize], forth, back });
            }
        });
        sure.sort_unstable_by_key(|pair| (pair.a, pair.b));
        sure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::LearnParams;
    use crate::text::words::hash;
    use crate::verify::fixture::ListedSite;

    #[test]
    fn words_that_always_stand_together_are_translations_and_lengths_have_a_ratio() {
        let (en, fr) = (["house", "tree", "river", "road"], ["maison", "arbre", "fleuve", "route"]);
        let text = |words: &[&str; 4], page: usize| {
            (0..4).map(|line| format!("{} {}\n", words[line], words[(line + page) % 4])).collect::<String>()
        };
        let mut pages = Vec::new();
        for (lang, words) in [("en", &en), ("fr", &fr)] {
            pages.extend((0..8).map(|page| (format!("{lang}/{page}"), lang, text(words, page))));
        }
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, text.as_str())).collect();
        let site = ListedSite::new(&listed);
        let params = Params::default();
        let mut trainer = Trainer::new(&params);
        for page in 0..8 {
            trainer.add(&site.view(), (page, page + 8)).expect("pages in memory");
        }
        let halves = trainer.halves();
        for (first, second) in en.iter().zip(fr) {
            let (a, b) = (hash(first), hash(second));
            assert!(halves.iter().all(|half| half.iter().any(|pair| (pair.a, pair.b) == (a, b))), "{first} {second}");
        }
        assert!((1.1..1.6).contains(&trainer.length_ratio()), "{}", trainer.length_ratio());
    }

    #[test]
    fn beyond_the_limit_only_lengths_count() {
        let site = ListedSite::new(&[("en/a", "en", "one two"), ("fr/a", "fr", "un deux")]);
        let words = LearnParams { max_words: 0, ..LearnParams::of_pages() };
        let params = Params { words, ..Params::default() };
        let mut trainer = Trainer::new(&params);
        assert_eq!(trainer.length_ratio(), 1.0);
        trainer.add(&site.view(), (0, 1)).expect("pages in memory");
        assert_eq!(trainer.length_ratio(), 1.0);
        assert!(trainer.halves().iter().all(Vec::is_empty));
    }
}
