//! What is known of language pairs: learnt models, and lexicons that the user gave.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::halves::{Halves, half_of};
use crate::judge::score::Scorer;
use crate::lexicon::{Lexicon, LexiconSet, Side, Translations};
use crate::types::{LangPair, Similarities};
use crate::verify::{self, Dictionaries, Profile, With, WordWeights, similarities_by_words};

/// What was learnt of a language pair.
pub struct Model {
    /// For each half, the translations to look up for its pages.
    pub(super) halves: [Lexicon; 2],
    /// Bytes of text of the second language for one of the first.
    pub(super) length_ratio: f64,
    /// Weights of the score.
    scorer: Scorer,
}

impl Model {
    /// A model from what the trainer learnt, and from weights that were fitted.
    pub fn new(langs: LangPair, halves: &Halves, length_ratio: f64, scorer: Scorer) -> Model {
        let lexicon = |half: usize| Lexicon::new(langs, halves[half].iter().map(|pair| (pair.a, pair.b)));
        Model { halves: [lexicon(0), lexicon(1)], length_ratio, scorer }
    }
}

/// What is known of all language pairs.
#[derive(Default)]
pub struct Models {
    /// What was learnt.
    learnt: BTreeMap<LangPair, Model>,
    /// The lexicons that the user gave.
    given: LexiconSet,
    /// The weights for language pairs that were not learnt.
    shipped: Scorer,
}

impl Models {
    /// Models from the lexicons that the user gave, what was learnt, and the weights for all other language pairs.
    pub fn new(given: LexiconSet, learnt: BTreeMap<LangPair, Model>, shipped: Scorer) -> Models {
        Models { learnt, given, shipped }
    }

    /// The translations learnt for the pages of one half; `None` where there are none.
    pub(super) fn of_half(&self, langs: LangPair, half: usize) -> Option<Box<dyn Translations + '_>> {
        let lexicon = self.learnt.get(&langs).map(|model| &model.halves[half])?;
        (!lexicon.is_empty()).then(|| Box::new(Borrowed(lexicon)) as Box<dyn Translations>)
    }

    /// True when something was learnt or given of a language pair.
    pub fn knows(&self, langs: LangPair) -> bool {
        self.learnt.contains_key(&langs) || self.given.between(langs).is_some()
    }

    /// The weights of a language pair; the shipped ones where none were learnt.
    pub fn scorer(&self, langs: LangPair) -> Scorer {
        self.learnt.get(&langs).map_or(&self.shipped, |model| &model.scorer).clone()
    }
}

impl Dictionaries for Models {
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>> {
        let given = self.given.between(langs).map(|given| Box::new(given) as Box<dyn Translations>);
        Joined::of(self.of_half(langs, half_of(page)).into_iter().chain(given).collect())
    }

    fn length_ratio(&self, langs: LangPair) -> Option<f64> {
        self.learnt.get(&langs).map(|model| model.length_ratio)
    }
}

/// A lexicon that is borrowed.
pub(super) struct Borrowed<'l>(pub(super) &'l Lexicon);

impl Translations for Borrowed<'_> {
    fn langs(&self) -> LangPair {
        self.0.langs()
    }

    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64)) {
        self.0.for_each_translation(side, word, each);
    }

    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool {
        self.0.is_translation(side, word, other)
    }
}

/// The translations of several sources together, each once.
pub(super) struct Joined<'l>(Vec<Box<dyn Translations + 'l>>);

impl<'l> Joined<'l> {
    /// The translations of all sources; `None` without a source.
    pub(super) fn of(mut sources: Vec<Box<dyn Translations + 'l>>) -> Option<Box<dyn Translations + 'l>> {
        if sources.len() > 1 { Some(Box::new(Joined(sources))) } else { sources.pop() }
    }
}

impl Translations for Joined<'_> {
    fn langs(&self) -> LangPair {
        self.0[0].langs()
    }

    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64)) {
        for (at, source) in self.0.iter().enumerate() {
            source.for_each_translation(side, word, &mut |other| {
                if !self.0[..at].iter().any(|before| before.is_translation(side, word, other)) {
                    each(other);
                }
            });
        }
    }

    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool {
        self.0.iter().any(|source| source.is_translation(side, word, other))
    }
}

/// A pair that is surely right, or wrong, with the values of the measures that need nothing learnt.
pub struct Example {
    /// The values of these measures.
    pub similarities: Similarities,
    /// The words of both pages.
    pub pages: [Arc<Profile>; 2],
    /// The weights of words in the part of their site.
    pub weights: Arc<WordWeights>,
    /// The half that the pair belongs to.
    pub half: usize,
}

impl Example {
    /// The values of all measures, with what was learnt.
    pub fn with(
        &self,
        langs: LangPair,
        models: &Models,
        params: &verify::Params,
        without_content: bool,
    ) -> Similarities {
        let weight = |word: u64| self.weights.of(word);
        let translations = models.of_half(langs, self.half);
        let with = With {
            params,
            translations: translations.as_deref().filter(|_| !without_content),
            weights: Some(&weight),
            shared: None,
            length_ratio: models.length_ratio(langs),
        };
        let mut similarities = self.similarities;
        for (measure, similarity) in similarities_by_words(&self.pages[0], &self.pages[1], &with) {
            similarities.set(measure, similarity);
        }
        similarities
    }
}

#[cfg(test)]
mod tests {
    use super::super::halves::SurePair;
    use super::*;
    use crate::types::Lang;

    #[test]
    fn sources_together_give_each_translation_once() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let lexicons = [vec![(1, 11), (1, 12)], vec![(1, 12), (1, 13), (2, 21)]];
        let lexicons = lexicons.map(|pairs| Lexicon::new(langs, pairs));
        let sources = lexicons.iter().map(|one| Box::new(Borrowed(one)) as Box<dyn Translations>).collect();
        let joined = Joined::of(sources).expect("two sources");
        let mut found = Vec::new();
        joined.for_each_translation(Side::A, 1, &mut |other| found.push(other));
        found.sort_unstable();
        assert_eq!(found, [11, 12, 13]);
        assert!(joined.is_translation(Side::B, 21, 2) && !joined.is_translation(Side::A, 2, 11));
        assert!(Joined::of(Vec::new()).is_none());
    }

    #[test]
    fn a_page_is_asked_about_in_the_half_that_it_did_not_teach() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let sure = |a: u64| SurePair { a, b: a + 10, forth: 0.5, back: 0.5 };
        let halves: Halves = [vec![sure(1)], vec![sure(2)]];
        let model = Model::new(langs, &halves, 0.5, Scorer::default());
        let nothing = Models::default();
        assert!(!nothing.knows(langs) && nothing.translations(langs, "x.org/a").is_none());
        let models = Models::new(LexiconSet::default(), BTreeMap::from([(langs, model)]), Scorer::default());
        assert!(models.knows(langs));
        assert_eq!(models.length_ratio(langs), Some(0.5));
        for page in ["x.org/a", "x.org/b", "x.org/c"] {
            let known = models.translations(langs, page).expect("it was learnt");
            let SurePair { a: word, b: other, .. } = halves[half_of(page)][0];
            let SurePair { a: first, b: second, .. } = halves[1 - half_of(page)][0];
            assert!(known.is_translation(Side::A, word, other) && !known.is_translation(Side::A, first, second));
        }
    }
}
