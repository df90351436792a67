//! The trait by which methods ask for translations of words.

use super::side::Side;
use crate::types::LangPair;

/// Translations of single words between two languages. Words are [hashes](crate::text::words::hash).
pub trait Translations: Send + Sync {
    /// The two languages.
    fn langs(&self) -> LangPair;

    /// Calls `each` with the translations of a word of language `side`, in an order that depends on the words only.
    fn for_each_translation(&self, side: Side, word: u64, each: &mut dyn FnMut(u64));

    /// True when `other`, of the other language, is a translation of `word`, of language `side`.
    fn is_translation(&self, side: Side, word: u64, other: u64) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::Lexicon;
    use crate::types::Lang;

    #[test]
    fn a_word_has_the_translations_that_it_is_one_of() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let lexicon = Lexicon::new(langs, [(1, 11), (1, 12), (2, 12)]);
        let source: &dyn Translations = &lexicon;
        for (side, words, others) in [(Side::A, 1..3u64, 11..13u64), (Side::B, 11..13, 1..3)] {
            for word in words {
                let mut found = Vec::new();
                source.for_each_translation(side, word, &mut |other| found.push(other));
                let expected: Vec<u64> =
                    others.clone().filter(|&other| source.is_translation(side, word, other)).collect();
                assert_eq!(found, expected);
            }
        }
    }
}
