//! Pages as `naming` reads them: where words and models can only guess the language of a page, the letters of its text may tell it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::classes::MIN_NAMED;
use crate::index::site::{PageFacts, Pages, Urls};
use crate::language::letters::Letters;
use crate::language::profiles::{Compared, Profiles};
use crate::language::{is_alone, is_told_in};
use crate::types::Lang;

/// A text of so many bytes or more contains function words of its language, if the program has a list of them. If it contains none, it is in
/// another language.
pub const LONG: u32 = 300;

/// The pages of a site. Where the language of a page is a guess, and its letters tell one, it is replaced by that.
pub struct ByLetters<'p> {
    pages: &'p dyn Pages,
    profiles: &'p Profiles,
    /// In the order of the pages.
    told: Vec<(u32, Lang)>,
    /// True when letters were compared with profiles.
    is_asked: AtomicBool,
}

impl<'p> ByLetters<'p> {
    /// Looks at the letters of all guesses.
    pub fn new(pages: &'p dyn Pages, profiles: &'p Profiles) -> ByLetters<'p> {
        let doubtful: Vec<u32> = (0..pages.count()).filter(|&page| is_doubtful(&pages.facts(page))).collect();
        let is_asked = AtomicBool::new(!doubtful.is_empty());
        let told =
            doubtful.into_iter().filter_map(|page| Some((page, told_by_letters(pages, profiles, page)?))).collect();
        pages.release();
        ByLetters { pages, profiles, told, is_asked }
    }

    /// True when letters were compared with profiles, so that others may change what was found.
    pub fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    /// The language that the letters of a page tell.
    pub fn told(&self, page: u32) -> Option<Lang> {
        self.told.binary_search_by_key(&page, |told| told.0).ok().map(|at| self.told[at].1)
    }

    /// True where the letters of a page tell another language than the one that it is called by.
    pub fn deny(&self, page: u32, named: Lang) -> bool {
        let told = self.told(page).filter(|told| !told.agrees(named));
        told.is_some_and(|told| self.profiles.deny(&letters_of(self, &[page]), named, told))
    }

    /// True where the letters of a page are those of the language that it is called by, and not clearly those of another one.
    pub fn allow(&self, page: u32, named: Lang) -> bool {
        self.is_asked.store(true, Ordering::Relaxed);
        self.profiles.distances(&letters_of(self, &[page])).allow(named)
    }

    /// To which of two languages the `letters` of some pages, all together, are nearer: the one that they are called by, or the one that they were
    /// taken for.
    pub fn compare(&self, letters: &Letters, named: Lang, told: Lang) -> Option<Compared> {
        self.is_asked.store(true, Ordering::Relaxed);
        self.profiles.compare(letters, named, told)
    }

    /// The language that the `letters` of some pages tell, all together; `guess` is what the pages were taken for.
    pub fn tell_together(&self, group: &[u32], letters: &Letters, guess: Lang) -> Option<Lang> {
        self.is_asked.store(true, Ordering::Relaxed);
        let may_be = |lang: Lang| group.iter().all(|&page| may_be_by_letters(lang, &self.facts(page)));
        self.profiles.tell(letters, guess, may_be)
    }

    /// True where the `letters` of some pages, all together, show that they are not in the language that they were taken for.
    pub fn refute_together(&self, group: &[u32], letters: &Letters, guess: Lang) -> bool {
        self.is_asked.store(true, Ordering::Relaxed);
        let may_be = |lang: Lang| group.iter().all(|&page| may_be_by_letters(lang, &self.facts(page)));
        self.profiles.refute(letters, guess, may_be)
    }

    /// How far `letters` are from those of a language, in nats a pair of letters; `None` where nothing is known of it.
    pub fn distance(&self, letters: &Letters, lang: Lang) -> Option<f64> {
        self.is_asked.store(true, Ordering::Relaxed);
        self.profiles.distance(letters, lang)
    }

    /// True where `letters` are farther from those of a language than texts in it are.
    pub fn are_far(&self, letters: &Letters, lang: Lang) -> bool {
        self.is_asked.store(true, Ordering::Relaxed);
        self.profiles.are_far(letters, lang)
    }

    /// True where `letters` are as near to those of a language as texts in it are.
    pub fn are_near(&self, letters: &Letters, lang: Lang) -> bool {
        self.is_asked.store(true, Ordering::Relaxed);
        self.profiles.are_near(letters, lang)
    }

    /// A group of pages that are alike, divided where most of them tell, each by itself, two languages or more that so many tell: relatives have letters
    /// that are alike too. The other pages go where they are nearest.
    pub fn divide(&self, group: Vec<u32>) -> Vec<Vec<u32>> {
        let mut counts: BTreeMap<Lang, u32> = BTreeMap::new();
        group.iter().filter_map(|&page| self.told(page)).for_each(|lang| *counts.entry(lang).or_default() += 1);
        counts.retain(|_, pages| *pages >= MIN_NAMED);
        if counts.len() < 2 || 2 * counts.values().sum::<u32>() as usize <= group.len() {
            return vec![group];
        }
        let mut divided: BTreeMap<Lang, Vec<u32>> = BTreeMap::new();
        for page in group {
            let nearest = || {
                let letters = letters_of(self, &[page]);
                let distance = |lang: Lang| self.profiles.distance(&letters, lang).unwrap_or(f64::INFINITY);
                counts.keys().copied().min_by(|&x, &y| distance(x).total_cmp(&distance(y)))
            };
            let lang = self.told(page).filter(|lang| counts.contains_key(lang)).or_else(nearest);
            divided.entry(lang.unwrap_or_default()).or_default().push(page);
        }
        divided.into_values().collect()
    }

    /// True where the `letters` of some pages, all together, tell another language than the one that they are called by.
    pub fn deny_together(&self, group: &[u32], letters: &Letters, named: Lang) -> bool {
        let told = self.tell_together(group, letters, named);
        told.is_some_and(|told| self.profiles.deny(letters, named, told))
    }
}

impl Urls for ByLetters<'_> {
    fn count(&self) -> u32 {
        self.pages.count()
    }

    fn identity(&self, page: u32) -> &str {
        self.pages.identity(page)
    }

    fn release(&self) {
        self.pages.release();
    }
}

impl Pages for ByLetters<'_> {
    fn facts(&self, page: u32) -> PageFacts {
        let facts = self.pages.facts(page);
        PageFacts { detected: self.told(page).unwrap_or(facts.detected), ..facts }
    }

    fn letters(&self, page: u32) -> &[u8] {
        self.pages.letters(page)
    }

    fn detected(&self, page: u32) -> Lang {
        self.told(page).unwrap_or_else(|| self.pages.detected(page))
    }
}

/// The language that the letters of a page tell, if its language is only a guess.
pub fn told_by_letters(pages: &dyn Pages, profiles: &Profiles, page: u32) -> Option<Lang> {
    let facts = pages.facts(page);
    let letters = if is_doubtful(&facts) { Letters::of(pages.letters(page))? } else { return None };
    profiles.tell(&letters, facts.detected, |lang| may_be_by_letters(lang, &facts))
}

/// False for a language that a text cannot be in although its letters are alike: a long text in a language that can be told would have its words.
pub fn may_be_by_letters(lang: Lang, facts: &PageFacts) -> bool {
    is_written_so(lang, facts) && !(is_told_in(lang, facts.latin_share) && facts.text_bytes >= LONG)
}

/// False for a language with a script of its own, where most of the text is in Latin letters.
pub fn is_written_so(lang: Lang, facts: &PageFacts) -> bool {
    !is_alone(lang) || facts.latin_share <= 0.5
}

/// True for a page with text whose language is a guess.
pub fn is_doubtful(facts: &PageFacts) -> bool {
    facts.form.has_text() && facts.is_guess
}

/// The letters of some pages together.
pub fn letters_of(pages: &dyn Pages, group: &[u32]) -> Letters {
    let mut letters = Letters::default();
    group.iter().filter_map(|&page| Letters::of(pages.letters(page))).for_each(|page| letters.add(&page));
    letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::LetteredPages;
    use crate::language::letters::count;

    /// News in Samoan, written for this.
    const SAMOAN: &str = "Na taunuu le vaa i le taulaga i le taeao o le Aso Lua, ma na faatalia e le toatele o tagata i le uafu. O nisi o i latou na \
                          sau mai nuu mamao e faafeiloai o latou aiga.";

    #[test]
    fn letters_tell_and_deny_where_there_is_a_guess_and_nowhere_else() {
        let lang = |tag: &str| Lang::parse(tag).expect("a tag");
        let read = |is_guess: bool, guess: &str| {
            let facts = PageFacts {
                detected: lang(guess),
                is_guess,
                text_bytes: 400,
                latin_share: 1.0,
                ..PageFacts::default()
            };
            LetteredPages(vec![("x.org/a".to_owned(), count(SAMOAN), facts)])
        };
        let (guess, told) = (read(true, "it"), read(false, "it"));
        let by_letters = ByLetters::new(&guess, Profiles::shipped());
        assert_eq!(by_letters.detected(0), lang("sm"));
        let letters = letters_of(&by_letters, &[0]);
        assert_eq!(by_letters.tell_together(&[0], &letters, lang("it")), Some(lang("sm")));
        assert!(by_letters.deny_together(&[0], &letters, lang("to")));
        assert!(!by_letters.deny_together(&[0], &letters, lang("sm")));
        assert!(by_letters.deny(0, lang("to")) && !by_letters.deny(0, lang("sm")) && !by_letters.deny(0, lang("tlh")));
        let by_letters = ByLetters::new(&told, Profiles::shipped());
        assert_eq!(by_letters.detected(0), lang("it"));
        assert!(!by_letters.deny(0, lang("to")));
        // A long text in Italian would have its words, and one in Greek its letters.
        assert!(may_be_by_letters(lang("sm"), &guess.facts(0)) && !may_be_by_letters(lang("it"), &guess.facts(0)));
        assert!(!may_be_by_letters(lang("el"), &PageFacts { latin_share: 0.9, ..PageFacts::default() }));
    }
}
