//! Where the translations of words come from.

use crate::lexicon::Translations;
use crate::types::LangPair;

/// Translations of words, by language pair.
pub trait Dictionaries: Sync {
    /// What is known of a language pair, for a page of the first language, given by its URL without scheme.
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>>;

    /// How many bytes of text the second language takes for one of the first.
    fn length_ratio(&self, langs: LangPair) -> Option<f64>;
}

/// Two dictionaries, the second where the first knows nothing.
pub struct Either<'d> {
    /// Looked up first.
    pub first: &'d dyn Dictionaries,
    /// Looked up then.
    pub second: &'d dyn Dictionaries,
}

impl Dictionaries for Either<'_> {
    fn translations(&self, langs: LangPair, page: &str) -> Option<Box<dyn Translations + '_>> {
        self.first.translations(langs, page).or_else(|| self.second.translations(langs, page))
    }

    fn length_ratio(&self, langs: LangPair) -> Option<f64> {
        self.first.length_ratio(langs).or_else(|| self.second.length_ratio(langs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;

    struct Ratio(Option<f64>);

    impl Dictionaries for Ratio {
        fn translations(&self, _: LangPair, _: &str) -> Option<Box<dyn Translations + '_>> {
            None
        }

        fn length_ratio(&self, _: LangPair) -> Option<f64> {
            self.0
        }
    }

    #[test]
    fn the_second_dictionary_is_asked_where_the_first_knows_nothing() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let ratio = |first, second| Either { first: &Ratio(first), second: &Ratio(second) }.length_ratio(langs);
        assert_eq!(ratio(Some(1.0), Some(2.0)), Some(1.0));
        assert_eq!(ratio(None, Some(2.0)), Some(2.0));
        assert_eq!(ratio(None, None), None);
    }
}
