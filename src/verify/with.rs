//! What measures need besides the two pages.

use super::params::Params;
use crate::lexicon::Translations;
use crate::types::LangPair;

/// Translations of words, by language pair.
pub trait Dictionaries: Sync {
    /// The translations for a language pair that apply to a page of the first language, given by its URL without scheme.
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>>;

    /// How many bytes of text the second language takes for each byte of the first.
    fn length_ratio(&self, langs: LangPair) -> Option<f64>;
}

/// What measures need besides two pages.
#[derive(Clone, Copy)]
pub struct With<'a> {
    /// Settings.
    pub params: &'a Params,
    /// A source of word translations; measures that need one have no value without it.
    pub translations: Option<&'a dyn Translations>,
    /// The weight of a word, ≥ 0: its inverse document frequency on the site. If it is not given, all words have equal weight.
    pub weights: Option<&'a (dyn Fn(u64) -> f32 + Sync)>,
    /// The same, but 0 for a word that only one language of the site has.
    pub shared: Option<&'a (dyn Fn(u64) -> f32 + Sync)>,
    /// Bytes of text of the second language for each byte of the first. Without it lengths cannot be compared: Chinese is half as long as
    /// English.
    pub length_ratio: Option<f64>,
}

impl<'a> With<'a> {
    /// With settings only.
    pub fn new(params: &'a Params) -> With<'a> {
        With { params, translations: None, weights: None, shared: None, length_ratio: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::Words;
    use crate::types::Measure;
    use crate::verify::fixture::ListedSite;
    use crate::verify::verifiers::similarities;

    #[test]
    fn settings_alone_say_nothing_of_words_and_of_lengths() {
        let site = ListedSite::new(&[
            ("x.org/a", "en", "Debian 12 and 7 houses"),
            ("x.org/b", "fr", "Debian 12 et 7 maisons"),
        ]);
        let (view, words, params) = (site.view(), Words::new(), Params::default());
        let [a, b] = [0, 1].map(|page| view.profile(page, &words).expect("pages in memory"));
        let says = |with: &With<'_>, measure: Measure| similarities(&a, &b, with).get(measure);
        let with = With::new(&params);
        assert_eq!((says(&with, Measure::Content), says(&with, Measure::Length)), (None, None));
        assert_eq!(says(&with, Measure::Numbers), Some(2.5 / 3.0));
        assert!(says(&With { length_ratio: Some(1.0), ..with }, Measure::Length).is_some());
    }
}
