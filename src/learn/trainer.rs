//! Texts of training pairs → words that translate each other, and the usual ratio of lengths.

use std::collections::{BTreeMap, BTreeSet};

use super::halves::{Halves, half_of};
use super::params::Params;
use crate::error::Result;
use crate::lexicon::{ModelParams, Side, TranslationModel};
use crate::text::words::Words;
use crate::types::{LangPair, Page};
use crate::verify::{PageIds, SiteView, aligned_blocks};

/// Two words that translate each other, with their probability: the smaller of both directions.
pub type Translation = (String, String, f32);

/// Words of two blocks that correspond, as hashes.
type BlockPair = (Vec<u64>, Vec<u64>);

/// Learns one language pair from training pairs.
pub struct Trainer<'p> {
    langs: LangPair,
    params: &'p Params,
    /// Words of aligned blocks, of each half of the pairs.
    halves: [Vec<BlockPair>; 2],
    /// Words of the first and of the second language, by hash.
    names: [BTreeMap<u64, String>; 2],
    words: usize,
    segmenter: Words,
    /// Bytes of text of the second page for one of the first, of every pair.
    ratios: Vec<f64>,
}

impl<'p> Trainer<'p> {
    /// A trainer that knows nothing yet.
    pub fn new(langs: LangPair, params: &'p Params) -> Trainer<'p> {
        let (halves, names, ratios) = (Default::default(), Default::default(), Vec::new());
        Trainer { langs, params, halves, names, words: 0, segmenter: Words::new(), ratios }
    }

    /// Takes one more training pair. From [`Params::max_words`] on only the lengths of pages count.
    ///
    /// # Errors
    /// When a page cannot be read.
    pub fn add(&mut self, site: &SiteView<'_>, (a, b): PageIds) -> Result<()> {
        let (length_a, length_b) = (site.facts(a).text_bytes, site.facts(b).text_bytes);
        self.ratios.push(f64::from(length_b.max(1)) / f64::from(length_a.max(1)));
        if self.words >= self.params.max_words {
            return Ok(());
        }
        let half = half_of(site.pages().identity(a));
        let (first, second) = (site.page(a)?, site.page(b)?);
        for (left, right) in aligned_blocks(&first, &second) {
            let pair = (self.words_of(&first, left, Side::A), self.words_of(&second, right, Side::B));
            if !pair.0.is_empty() && !pair.1.is_empty() {
                self.words += pair.0.len();
                self.halves[half].push(pair);
            }
        }
        Ok(())
    }

    fn words_of(&mut self, page: &Page, block: usize, side: Side) -> Vec<u64> {
        let names = &mut self.names[usize::from(side == Side::B)];
        let block = page.blocks[block];
        let text = page.text.get(block.start as usize..block.end as usize).unwrap_or("");
        let mut found = Vec::new();
        self.segmenter.for_each(text, |surface, word| {
            found.push(word);
            names.entry(word).or_insert_with(|| surface.to_lowercase());
        });
        found
    }

    /// The median ratio of the lengths of pages, in bytes of the second language for one of the first; 1 without any pair.
    pub fn length_ratio(&self) -> f64 {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
    }

    fn train(&self, pairs: &[BlockPair]) -> TranslationModel {
        let pairs: Vec<(&[u64], &[u64])> = pairs.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
        let mut model = TranslationModel::new(self.langs, ModelParams::default());
        model.train(&pairs, self.params.passes);
        model
    }

    fn models(&self) -> [TranslationModel; 2] {
        [0, 1].map(|half| self.train(&self.halves[half]))
    }

    /// The translations to look up for the pages of each half: those that the other half teaches.
    pub fn halves(&self) -> Halves {
        self.halves_of(&self.models())
    }

    fn halves_of(&self, models: &[TranslationModel; 2]) -> Halves {
        [1, 0].map(|half| models[half].to_lexicon(self.params.min_probability).pairs().collect())
    }

    /// The same, and the translations of both halves in words, the most probable first; words that are equal in both languages are
    /// left out.
    pub fn translations(&self) -> (Halves, Vec<Translation>) {
        let models = self.models();
        let halves = self.halves_of(&models);
        let known: BTreeSet<(u64, u64)> = halves.iter().flatten().copied().collect();
        let mut named: Vec<Translation> = Vec::new();
        for (a, b) in known {
            let (Some(first), Some(second)) = (self.names[0].get(&a), self.names[1].get(&b)) else { continue };
            // A third training on all of it would cost as much as the two, for what both halves say together.
            let of = |model: &TranslationModel| model.p(Side::A, b, a).min(model.p(Side::B, a, b));
            let p = models.iter().map(of).sum::<f64>() / 2.0;
            if first != second {
                named.push((first.clone(), second.clone(), p as f32));
            }
        }
        named.sort_by(|x, y| y.2.total_cmp(&x.2).then_with(|| (&x.0, &x.1).cmp(&(&y.0, &y.1))));
        named.truncate(self.params.max_lexicon);
        (halves, named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;
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
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let params = Params::default();
        let mut trainer = Trainer::new(langs, &params);
        for page in 0..8 {
            trainer.add(&site.view(), (page, page + 8)).expect("pages in memory");
        }
        let (halves, named) = trainer.translations();
        assert_eq!(halves, trainer.halves());
        for (first, second) in en.iter().zip(fr) {
            assert!(named.iter().any(|(x, y, _)| x == first && y == second), "{first} {second}: {named:?}");
        }
        assert!(named.is_sorted_by(|x, y| x.2 >= y.2));
        assert!((1.1..1.6).contains(&trainer.length_ratio()), "{}", trainer.length_ratio());
    }

    #[test]
    fn beyond_the_limit_only_lengths_count() {
        let site = ListedSite::new(&[("en/a", "en", "one two"), ("fr/a", "fr", "un deux")]);
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let params = Params { max_words: 0, ..Params::default() };
        let mut trainer = Trainer::new(langs, &params);
        assert_eq!(trainer.length_ratio(), 1.0);
        trainer.add(&site.view(), (0, 1)).expect("pages in memory");
        assert_eq!((trainer.length_ratio(), trainer.translations().1), (1.0, Vec::new()));
    }
}
