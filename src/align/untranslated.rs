//! Finds texts that nobody has translated: they stand on pages of another language of the site as well, in which they were written.
//!
//! For a long text this is enough. A short one may be a name, which is the same in several languages. The sentence pairs of the site show
//! whether it is: words are mostly translated, names are not.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::clean::SideText;
use crate::error::Result;
use crate::index::sorter::{Entry, Sorter};
use crate::language::foreign::Untold;
use crate::types::Lang;

/// Collects the texts of the pages of a site, in memory of at most a budget; beyond it, entries are sorted on disk. The texts that pages of
/// several languages have take some 50 bytes each in memory at the end.
pub struct Finder {
    /// Key: a text. Value: the number of its page's language, and a bit that is set if its function words are those of another language.
    by_text: Sorter,
    /// Key: a short text. Value: the numbers of its language and of the language of the text beside it, the page pair, and a bit that is
    /// set if both texts are the same.
    beside: Sorter,
    langs: Vec<Lang>,
}

/// The texts that stand on pages of several languages, each with the language in which it was written; and short texts, each with every
/// language into which they are mostly translated.
#[derive(Debug, Default, PartialEq)]
pub struct Untranslated {
    long: FxHashMap<u64, Lang>,
    short: FxHashSet<(u64, Lang)>,
}

impl Untranslated {
    /// True for a text on a page of a language in which it was not written.
    pub fn has(&self, text: u64, lang: Lang, untold: &Untold) -> bool {
        self.long.get(&text).is_some_and(|&origin| untold.differ(origin, lang)) || self.short.contains(&(text, lang))
    }
}

/// Page pairs are distinguished by this many numbers when the sentence pairs with a short text are counted, so that a text takes a bounded
/// amount of memory.
const PLACES: u32 = 1 << 10;

impl Finder {
    /// An empty finder. `folder` is only used when the budget is exceeded.
    pub fn new(budget_bytes: usize, folder: &Path) -> Finder {
        let [by_text, beside] = [0, 1].map(|_| Sorter::of_different(budget_bytes, folder));
        Finder { by_text, beside, langs: Vec::new() }
    }

    /// The number of a language.
    fn number(&mut self, lang: Lang) -> u32 {
        let at = self.langs.iter().position(|&known| known == lang).unwrap_or_else(|| {
            self.langs.push(lang);
            self.langs.len() - 1
        });
        at as u32
    }

    /// Adds a text of a page. Short texts must be given to [`Finder::add_pair`] instead.
    ///
    /// # Errors
    /// When entries cannot be written.
    pub fn add(&mut self, text: SideText, lang: Lang) -> Result<()> {
        if text.hash == 0 || !text.is_long {
            return Ok(());
        }
        let value = self.number(lang);
        self.by_text.push(Entry { key: text.hash, value, page: u32::from(text.is_foreign) })
    }

    /// Adds a sentence pair of a page pair, given by its position: two texts that translate each other or, where `are_same`, are the same text.
    ///
    /// # Errors
    /// When entries cannot be written.
    pub fn add_pair(&mut self, texts: [SideText; 2], langs: [Lang; 2], place: u32, are_same: bool) -> Result<()> {
        let numbers = langs.map(|lang| self.number(lang));
        for (text, [own, other]) in texts.into_iter().zip([numbers, [numbers[1], numbers[0]]]) {
            if text.hash != 0 && !text.is_long {
                let page = (place % PLACES) << 1 | u32::from(are_same);
                self.beside.push(Entry { key: text.hash, value: own << 16 | other & 0xffff, page })?;
            }
        }
        Ok(())
    }

    /// Finds the texts that stand on pages of several languages that are not related, and in which of these they were written.
    ///
    /// A text was not written in a language to which its function words do not belong. If several languages are left, it was written in the
    /// one from which most texts of the site are left untranslated: texts on pages in another language than that of their function words,
    /// which also stand on pages in that language. Where no text of the site shows that, it is not known.
    ///
    /// A short text was left untranslated in a language if it stands beside itself on pages in a language from which more texts are left,
    /// and if it is mostly translated there, and is not mostly the translation of something else.
    ///
    /// # Errors
    /// When entries cannot be written or read.
    pub fn finish(self, untold: &Untold) -> Result<Untranslated> {
        let Finder { by_text, beside, langs } = self;
        // For each text of several languages, the languages in which it may have been written; and for each language, how many of its texts
        // other languages have left untranslated.
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
        let known = shared.iter().filter_map(|(text, origins)| Some((*text, langs[origin(origins)? as usize])));
        let mut found = Untranslated { long: known.collect(), short: FxHashSet::default() };
        beside.for_each_group(|group| {
            let left_of = |&(origin, lang): &(u32, u32)| {
                left[origin as usize] > left[lang as usize]
                    && untold.differ(langs[origin as usize], langs[lang as usize])
            };
            found
                .short
                .extend(untranslated(group).filter(left_of).map(|(_, lang)| (group[0].key, langs[lang as usize])));
            Ok(())
        })?;
        Ok(found)
    }
}

/// The pairs of languages, by their numbers, in which a short text is mostly translated from the first into the second, but was left as it
/// is on some pages. `group` has the sentence pairs that [`Finder::add_pair`] has noted for the text.
fn untranslated(group: &[Entry]) -> impl Iterator<Item = (u32, u32)> + '_ {
    // In how many page pairs a text of one language stands beside another text of the other language, and beside the same.
    let counts = |value: u32| {
        let from = group.partition_point(|entry| entry.value < value);
        let of = group[from..].iter().take_while(|entry| entry.value == value);
        of.fold([0u32; 2], |[other, same], entry| [other + u32::from(entry.page & 1 == 0), same + (entry.page & 1)])
    };
    let pairs = group.chunk_by(|x, y| x.value == y.value).map(|of| of[0].value);
    pairs.filter_map(move |value| {
        let (origin, lang) = (value >> 16, value & 0xffff);
        let [translated, same] = counts(value);
        let [translates, _] = counts(lang << 16 | origin);
        (same > 0 && translated > same && translates <= same).then_some((origin, lang))
    })
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

    /// The result for the sentence pairs of a site that leaves one long English text in French, and one in German. Each sentence pair has
    /// two short texts with their languages.
    fn found_of_pairs(pairs: &[([u64; 2], [&str; 2])]) -> Untranslated {
        let mut finder = Finder::new(1 << 20, &std::env::temp_dir());
        let text = |hash: u64, is_foreign: bool, is_long: bool| SideText { hash, is_foreign, is_long };
        for (tag, is_foreign) in [("en", false), ("fr", true), ("de", true)] {
            finder.add(text(1, is_foreign, true), lang(tag)).expect("nothing is written");
        }
        for ((texts, tags), place) in pairs.iter().zip(0..) {
            let sides = texts.map(|hash| text(hash, false, false));
            let added = finder.add_pair(sides, tags.map(lang), place, texts[0] == texts[1]);
            added.expect("nothing is written");
        }
        finder.finish(&Untold::default()).expect("nothing is written")
    }

    #[test]
    fn a_word_that_is_mostly_translated_was_left_where_it_is_not() {
        // "Settings" (10), "Paramètres" (11), "Einstellungen" (12), and a name (20).
        let (en_fr, de_en) = (["en", "fr"], ["de", "en"]);
        let pairs = [
            ([10, 11], en_fr),
            ([10, 11], en_fr),
            ([10, 10], en_fr),
            ([12, 10], de_en),
            ([20, 20], en_fr),
            ([20, 20], en_fr),
            ([21, 20], de_en),
        ];
        let found = found_of_pairs(&pairs);
        assert!(has(&found, 10, "fr") && !has(&found, 10, "en") && !has(&found, 11, "fr"));
        assert!(!has(&found, 10, "de"), "it never stands on a German page");
        assert!(!has(&found, 20, "fr") && !has(&found, 20, "de"), "a name");
        // As often the same as not.
        assert!(!has(&found_of_pairs(&pairs[1..]), 10, "fr"));
        // "Map" (30) is Dutch for "Folder" (31), too, and "Kaart" (32) for "Map".
        let en_nl = ["en", "nl"];
        let folder = [([30, 32], en_nl), ([30, 32], en_nl), ([30, 30], en_nl), ([31, 30], en_nl), ([31, 30], en_nl)];
        assert!(has(&found_of_pairs(&folder[..4]), 30, "nl") && !has(&found_of_pairs(&folder), 30, "nl"));
        // Nothing shows that French texts are left in English.
        assert_eq!(
            found_of_pairs(&[([11, 10], ["fr", "en"]), ([11, 10], ["fr", "en"]), ([11, 11], ["fr", "en"])]).short,
            FxHashSet::default()
        );
    }

    #[test]
    fn names_are_the_same_in_all_languages() {
        assert_eq!(found_of(&[(7, "en", false), (7, "fr", true)], false), Untranslated::default());
    }
}
