//! Finds texts that nobody has translated: they stand on pages of another language of the site as well, in which they were written.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::clean::SideText;
use crate::error::Result;
use crate::index::sorter::{Entry, Sorter};
use crate::language::foreign::Untold;
use crate::types::Lang;

/// Collects the texts of the pages of a site, in memory of at most a budget; beyond it, entries are sorted on disk. The texts that pages of
/// several languages have take some 50 bytes each in memory at the end.
pub struct Finder {
    /// Key: a text. The rest: the number of its page's language, and 1 if its function words are those of another one.
    by_text: Sorter,
    langs: Vec<Lang>,
}

/// The texts that stand on pages of several languages, each with the language in which it was written.
#[derive(Debug, Default, PartialEq)]
pub struct Untranslated(FxHashMap<u64, Lang>);

impl Untranslated {
    /// True for a text on a page of a language in which it was not written.
    pub fn has(&self, text: u64, lang: Lang, untold: &Untold) -> bool {
        self.0.get(&text).is_some_and(|&origin| untold.differ(origin, lang))
    }
}

impl Finder {
    /// An empty finder. `folder` is only used when the budget is exceeded.
    pub fn new(budget_bytes: usize, folder: &Path) -> Finder {
        Finder { by_text: Sorter::of_different(budget_bytes, folder), langs: Vec::new() }
    }

    /// Adds a text of a page. Short ones are left out: names and terms are the same in several languages.
    ///
    /// # Errors
    /// When entries cannot be written.
    pub fn add(&mut self, text: SideText, lang: Lang) -> Result<()> {
        if text.hash == 0 || !text.is_long {
            return Ok(());
        }
        let number = self.langs.iter().position(|&known| known == lang).unwrap_or_else(|| {
            self.langs.push(lang);
            self.langs.len() - 1
        });
        self.by_text.push(Entry { key: text.hash, value: number as u32, page: u32::from(text.is_foreign) })
    }

    /// Finds the texts that stand on pages of several languages that are not related, and in which of these they were written.
    ///
    /// A text was not written in a language that its function words are not of. Of several languages that are left, the one from which
    /// most texts of the site are left untranslated: those whose function words are not of the language of a page where they stand, but
    /// which also stand on pages of that one. Where no text of the site shows that, it is not known.
    ///
    /// # Errors
    /// When entries cannot be written or read.
    pub fn finish(self, untold: &Untold) -> Result<Untranslated> {
        let Finder { by_text, langs } = self;
        // The languages in which a text may have been written, for texts of several; how many texts of each language others have left.
        let mut shared: Vec<(u64, Vec<u32>)> = Vec::new();
        let mut left = vec![0u64; langs.len()];
        by_text.for_each_group(|group| {
            let mut numbers: Vec<(u32, bool)> = Vec::new();
            for number in group.iter().map(|entry| (entry.value, entry.page != 0)) {
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
            let differ = |x: u32, y: u32| untold.differ(langs[x as usize], langs[y as usize]);
            if !numbers.iter().any(|x| numbers.iter().any(|y| differ(x.0, y.0))) {
                return Ok(());
            }
            let may_be = |x: u32| numbers.iter().all(|&(y, is_foreign)| x != y || !is_foreign);
            let mut origins: Vec<u32> = numbers.iter().map(|x| x.0).filter(|&x| may_be(x)).collect();
            origins.dedup();
            let is_told = |&&x: &&u32| numbers.iter().any(|&(y, is_foreign)| is_foreign && differ(x, y));
            origins.iter().filter(is_told).for_each(|&x| left[x as usize] += 1);
            shared.push((group[0].key, origins));
            Ok(())
        })?;
        let origin = |origins: &[u32]| match origins {
            [] => None,
            [only] => Some(*only),
            several => {
                let most = several.iter().map(|&x| left[x as usize]).max().filter(|&most| most > 0)?;
                let mut best = several.iter().copied().filter(|&x| left[x as usize] == most);
                best.next().filter(|_| best.next().is_none())
            }
        };
        let known = shared.into_iter().filter_map(|(text, origins)| Some((text, langs[origin(&origins)? as usize])));
        Ok(Untranslated(known.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a language")
    }

    fn found_of(texts: &[(u64, &str, bool)], is_long: bool) -> Untranslated {
        let mut finder = Finder::new(1 << 20, &std::env::temp_dir());
        for &(hash, tag, is_foreign) in texts {
            finder.add(SideText { hash, is_foreign, is_long }, lang(tag)).expect("nothing is written");
        }
        finder.finish(&Untold::default()).expect("nothing is written")
    }

    fn has(texts: &Untranslated, text: u64, tag: &str) -> bool {
        texts.has(text, lang(tag), &Untold::default())
    }

    fn found(texts: &[(u64, &str, bool)]) -> Untranslated {
        found_of(texts, true)
    }

    #[test]
    fn a_text_was_written_in_the_language_whose_texts_others_leave() {
        // Text 1 is English by its words; of text 2 nobody can tell, and text 3 stands on pages of one language only.
        let texts = found(&[
            (1, "en", false),
            (1, "fr", true),
            (2, "de", false),
            (2, "en", false),
            (2, "fr", false),
            (3, "fr", false),
        ]);
        assert!(has(&texts, 1, "fr") && !has(&texts, 1, "en"));
        assert!(has(&texts, 2, "fr") && has(&texts, 2, "de") && !has(&texts, 2, "en"));
        assert!(!has(&texts, 3, "fr"));
    }

    #[test]
    fn without_a_text_whose_words_tell_nothing_is_known() {
        assert_eq!(found(&[(2, "de", false), (2, "en", false)]), Untranslated::default());
        // All pages have it from a language that the site does not have.
        assert_eq!(found(&[(1, "de", true), (1, "fr", true)]), Untranslated::default());
    }

    #[test]
    fn a_text_is_left_in_languages_that_words_cannot_tell_too() {
        let texts = found(&[(1, "en", false), (1, "wo", true), (2, "en", false), (2, "wo", false), (2, "sco", false)]);
        assert!(has(&texts, 1, "wo") && has(&texts, 2, "wo") && !has(&texts, 1, "en"));
        assert!(!has(&texts, 2, "sco"), "Scots has much in common with English");
    }

    #[test]
    fn relatives_may_say_the_same() {
        let texts = found(&[
            (1, "en", false),
            (1, "fr", true),
            (2, "nb", false),
            (2, "da", false),
            (4, "pt-BR", false),
            (4, "pt", false),
        ]);
        assert!(!has(&texts, 2, "nb") && !has(&texts, 2, "da") && !has(&texts, 4, "pt"));
    }

    #[test]
    fn names_are_the_same_in_all_languages() {
        assert_eq!(found_of(&[(7, "en", false), (7, "fr", true)], false), Untranslated::default());
    }
}
