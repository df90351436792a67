//! What may name the language of a page besides its text: what it declares, and the names of languages at one place of its URL; and how far each of
//! these is believed on a site.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::by_letters::{ByLetters, LONG, is_doubtful, is_written_so, letters_of};
use super::classes::{MIN_LETTERS, MIN_NAMED};
use crate::index::parts::pooled;
use crate::index::site::{PageFacts, Pages, Urls};
use crate::language::codes::names_by_code;
use crate::language::letters::{ALIKE, Letters};
use crate::language::profiles::{NEAR_BY_CHANCE, Profiles, near};
use crate::language::{
    LIKELY, TOLD, has_words_in, is_alone, is_known_to_be_like, is_like_another, is_taken_for, is_told, is_told_as,
    is_told_in, names::by_name_in_address, names::perhaps_by_name, writes_latin,
};
use crate::text::tokens::{Anatomy, Span};
use crate::types::{self, Field, Lang};

/// What may name the language of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// What the page declares.
    Declared,
    /// Directories, values of queries, and labels of hosts before the domain, by their number from the left; names of files.
    Place(Field, u8),
}

/// How often a source was right, and how often wrong.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: f64,
    wrong: f64,
}

impl Tally {
    fn add(&mut self, more: Tally) {
        self.right += more.right;
        self.wrong += more.wrong;
    }

    /// How often a source is right of which this is known.
    fn belief(self, source: Source) -> f64 {
        let prior = if source == Source::Declared { PRIOR_DECLARED } else { PRIOR_PLACE };
        let right = prior.right + self.right;
        right / (right + prior.wrong + self.wrong)
    }
}

/// Of a source of which nothing is known, the pages of which it would be right, and those of which it would be wrong (estimates). Declarations are
/// meant as such; a place in URLs has to be right first.
const PRIOR_DECLARED: Tally = Tally { right: 4.0, wrong: 1.0 };
const PRIOR_PLACE: Tally = Tally { right: 1.0, wrong: 1.0 };
/// How often a source must be right to name a language (an estimate).
pub const BELIEVED: f64 = 0.8;

/// What is known of a text.
#[derive(Clone, Copy)]
pub enum Text {
    /// Its words or its script tell this language, or a program of the user does, which may know any language.
    Told(Lang),
    /// Most of its words are of this language, or of another that has the same ones.
    Likely(Lang),
    /// In no language that can be told; a model's guess may be there.
    Other(Option<Lang>),
    /// Too short for that to be known, or not there.
    Short,
}

impl Text {
    pub fn of(facts: &PageFacts) -> Text {
        let detected = facts.detected;
        if !facts.form.has_text() {
            Text::Short
        } else if detected.is_known() && (is_told(detected) || !facts.is_guess) && facts.confidence > LIKELY {
            if facts.confidence >= TOLD { Text::Told(detected) } else { Text::Likely(detected) }
        } else if facts.text_bytes >= LONG {
            Text::Other(Some(detected).filter(|lang| lang.is_known()))
        } else {
            Text::Short
        }
    }

    /// True where the text may be in a language that the site names, in spite of what it was taken for. What it is likely in stays, where that
    /// is a language that the site has a name for; and a long text in a language that can be told would have been told, unless `has_letters` of it:
    /// words of several languages may be in it, or a program of the user was asked, which does not know the language.
    pub fn may_be(
        self,
        facts: &PageFacts,
        name: &Name,
        called: &FxHashSet<Lang>,
        has_letters: impl FnOnce() -> bool,
    ) -> bool {
        let named = name.lang;
        if !is_written_so(named, facts) {
            return false;
        }
        let is_free = |lang: Lang| !called.contains(&lang.base());
        let is_like = |lang: Lang| is_taken_for(named, lang) && !is_told_as(named, facts.latin_share);
        match self {
            Text::Told(lang) => is_like(lang) && is_free(lang),
            // Letters of a script that one language alone uses tell it, however few they are.
            Text::Likely(lang) if is_alone(lang) => is_taken_for(named, lang) && is_free(lang),
            Text::Likely(lang) => is_like(lang) || !name.is_told_in(facts.latin_share) && is_free(lang),
            Text::Other(_) => !name.is_told_in(facts.latin_share) || has_letters(),
            // Even a few words of the text say more than a name in the URL.
            Text::Short => !facts.detected.is_known() || !name.is_told_in(facts.latin_share),
        }
    }
}
/// What the pages that can be checked say of the names of a site.
#[derive(Default)]
pub struct Known {
    tallies: FxHashMap<Source, Tally>,
    /// The same on each host, by its hash: a domain may hold many sites, and one template that lies.
    of_host: FxHashMap<(u64, Source), Tally>,
    /// Of each name of a source how many pages are called by it whose text is told to be in another language, and how many other pages.
    names: FxHashMap<(Source, Lang), (u32, u32)>,
    /// Of each language that a source names and the program knows nothing of, and of each language that texts so called are taken for, these texts.
    unknown: BTreeMap<(Source, Lang, Lang), Called>,
    /// Those of them that may be in the language which the source names.
    alone: FxHashSet<(Source, Lang, Lang)>,
    /// Codes that may be those of countries, since the texts that a place calls by them are told by their letters to be in another language.
    countries: FxHashSet<(Source, Lang)>,
    /// Of each ordinary word that a place may name a language by, the pages that it names.
    ordinary: BTreeMap<(Source, Lang), Vec<u32>>,
    /// Those that name none, since the letters of these pages are not those of the language.
    words: FxHashSet<(Source, Lang)>,
    /// Texts that name a language rightly at a place.
    texts: FxHashMap<Source, Vec<String>>,
    /// Texts that may name a language at a place.
    codes: FxHashMap<Source, Vec<String>>,
    /// The languages that believed sources name.
    pub called: FxHashSet<Lang>,
    /// How many texts are told to be in each language, or likely so.
    pub told: FxHashMap<Lang, u32>,
    /// The same on each host, by its hash, and for `None` in any language. Texts in a language without a list of words are those with its letters.
    on_host: FxHashMap<(u64, Option<Lang>), u32>,
    /// How many texts are told to be in each language.
    sure: FxHashMap<Lang, u32>,
    /// How many words tell to be in each language, or likely so.
    taken: FxHashMap<Lang, u32>,
    /// Pages with a text that a source calls by another language than it was taken for, and those that are doubtful.
    pub in_question: Vec<u32>,
}

/// Texts that a source calls by the name of a language of which nothing is known, and that were taken for another one.
#[derive(Default)]
struct Called {
    /// How many of them are told to be in that one.
    told: u32,
    /// How many of those count for or against the source, on each host, by its hash.
    counted: FxHashMap<u64, u32>,
    /// All of them.
    pages: Vec<u32>,
    /// Others so called that may only be guessed to be in that one.
    guesses: Vec<u32>,
}

/// Texts that are kept of a place.
const MAX_TEXTS: usize = 16;

impl Known {
    /// Counts what each source is right and wrong about. What was left untranslated counts for nothing: it is in the language that most of the
    /// site is in, whatever the page is called.
    pub fn of(pages: &ByLetters<'_>, anatomy: &mut Anatomy) -> Known {
        let mut known = Known::default();
        for page in 0..pages.count() {
            let text = Text::of(&pages.facts(page));
            if let Text::Told(lang) | Text::Likely(lang) = text {
                *known.taken.entry(lang.base()).or_default() += 1;
                *known.sure.entry(lang.base()).or_default() += u32::from(matches!(text, Text::Told(_)));
            }
        }
        let sure = known.sure.iter().filter(|(_, pages)| **pages > 0);
        let main = sure.map(|(&lang, &pages)| (pages, lang)).max().map(|(_, lang)| lang);
        for page in 0..pages.count() {
            let facts = pages.facts(page);
            let text = Text::of(&facts);
            let names = names(pages, page, &facts, anatomy);
            let is_called_otherwise = || names.iter().any(|name| !name.lang.agrees(facts.detected));
            if facts.form.has_text() && (is_doubtful(&facts) || is_called_otherwise()) {
                known.in_question.push(page);
            }
            let is_like = |lang: Lang| {
                !is_told(lang) && (pages.told(page) == Some(lang) || pages.are_near(&letters_of(pages, &[page]), lang))
            };
            let host = hash_of_host(pages, page);
            match text {
                Text::Told(lang) | Text::Likely(lang) => known.add_told(host, lang),
                Text::Other(Some(lang)) if is_like(lang) => known.add_told(host, lang),
                _ => {}
            }
            for name in names {
                known.count_name(pages, (page, host), (&facts, text), &name, main);
            }
        }
        pages.release();
        known.find_countries(pages);
        known.find_words(pages);
        known.count_unknown(pages, main);
        let on_host =
            known.of_host.iter().filter(|&(&(_, source), tally)| known.belief_with(source, *tally) >= BELIEVED);
        let on_host: FxHashSet<Source> = on_host.map(|((_, source), _)| *source).collect();
        let is_believed = |source: Source| known.belief(source) >= BELIEVED || on_host.contains(&source);
        let is_name = |source: Source, (told, others): (u32, u32)| is_believed(source) && told + others >= MIN_NAMED;
        let names = known.names.iter().filter(|&(&(source, _), &counts)| is_name(source, counts));
        known.called = names.map(|((_, lang), _)| *lang).collect();
        known
    }

    /// Counts what a source calls a page.
    fn count_name(
        &mut self,
        pages: &ByLetters<'_>,
        (page, host): (u32, u64),
        (facts, text): (&PageFacts, Text),
        name: &Name,
        main: Option<Lang>,
    ) {
        let named = name.lang;
        // Words of three letters in queries and in names of files are often ordinary words, and so are many names, so they do not count for or against
        // a place.
        let is_word = name.is_word()
            && (name.is_ordinary || matches!(name.source, Source::Place(Field::Query | Field::File, _)))
            && !matches!(text, Text::Told(lang) if lang.agrees(named));
        let mut tally = Tally::default();
        if name.is_ordinary {
            self.ordinary.entry((name.source, named.base())).or_default().push(page);
        } else {
            keep(&mut self.codes, pages, page, name);
        }
        let of_name = self.names.entry((name.source, named.base())).or_default();
        let is_other = |lang: Lang| !lang.agrees(named) && !is_taken_for(named, lang);
        let is_denied = pages.deny(page, named);
        let is_told_otherwise = is_denied || matches!(text, Text::Told(lang) | Text::Likely(lang) if is_other(lang));
        // What texts in a language look like of which nothing is known, words may take for another one.
        if let Text::Told(lang) | Text::Likely(lang) | Text::Other(Some(lang)) = text
            && !is_denied
            && is_other(lang)
            && is_unknown(named)
            && !name.is_ordinary
        {
            let called = self.unknown.entry((name.source, named.base(), lang.base())).or_default();
            if matches!(text, Text::Other(_)) {
                called.guesses.push(page);
            } else {
                called.pages.push(page);
                if matches!(text, Text::Told(_)) {
                    called.told += 1;
                    if !is_word {
                        *called.counted.entry(host).or_default() += 1;
                    }
                }
                return;
            }
        }
        *if is_told_otherwise { &mut of_name.0 } else { &mut of_name.1 } += 1;
        match text {
            Text::Told(lang) | Text::Likely(lang) | Text::Other(Some(lang)) if lang.agrees(named) => {
                tally.right += 1.0;
                keep(&mut self.texts, pages, page, name);
            }
            _ if is_denied => tally.wrong += 1.0,
            Text::Told(lang) if main.is_some_and(|main| lang.agrees(main)) => {}
            Text::Told(lang) if is_other(lang) => tally.wrong += 1.0,
            Text::Likely(lang) if name.is_told_in(facts.latin_share) && is_other(lang) => tally.wrong += 1.0,
            Text::Other(_) if name.is_told_in(facts.latin_share) && !pages.allow(page, named) => tally.wrong += 1.0,
            _ => {}
        }
        if !is_word {
            self.tallies.entry(name.source).or_default().add(tally);
            self.of_host.entry((host, name.source)).or_default().add(tally);
        }
    }

    /// Finds the codes of two letters that stand for no language: the program knows nothing of one that has this code, and the letters of nearly all texts
    /// that a place calls by it tell one other language, each by itself, and all together are as near to that as texts in it are.
    fn find_countries(&mut self, pages: &ByLetters<'_>) {
        let mut found = FxHashSet::default();
        for (&(source, named, told), called) in &self.unknown {
            let (others, of_name) = self.names.get(&(source, named)).copied().unwrap_or_default();
            let least = BELIEVED * f64::from(others + of_name);
            let is_code = source != Source::Declared && named.as_str().len() == 2;
            if !is_code || is_known_to_be_like(named, told) || (called.guesses.len() as f64) < least {
                continue;
            }
            let texts: Vec<u32> =
                called.guesses.iter().copied().filter(|&page| pages.told(page) == Some(told)).collect();
            let letters = letters_of(pages, &texts);
            let are_enough = texts.len() as f64 >= least.max(f64::from(MIN_NAMED)) && letters.total() >= MIN_LETTERS;
            if are_enough && pages.distance(&letters, told).is_some_and(|distance| distance <= near(letters.total())) {
                found.insert((source, named));
            }
        }
        self.countries = found;
    }

    /// Finds the ordinary words that stand for no language: the program knows the letters of the language that would be meant, and those of the texts that a
    /// place calls by the word, all together, are far from them. Even is written in Cyrillic letters, so that `/even/` beside `/odd/` is no name of it where
    /// texts are in Latin ones.
    fn find_words(&mut self, pages: &ByLetters<'_>) {
        let found = self.ordinary.iter().filter(|((_, lang), texts)| pages.are_far(&letters_of(pages, texts), *lang));
        self.words = found.map(|(named, _)| *named).collect();
    }

    /// True for a name that stands for no language there: a code of a country, or an ordinary word.
    fn is_none(&self, name: &Name) -> bool {
        self.is_country(name) || name.is_ordinary && self.words.contains(&(name.source, name.lang.base()))
    }

    /// True for a name that is a code of a country.
    fn is_country(&self, name: &Name) -> bool {
        name.at.as_ref().is_some_and(|at| at.len() == 2) && self.countries.contains(&(name.source, name.lang.base()))
    }

    /// Counts the texts that a source calls by the name of a language of which the program knows nothing, and that are told to be in another one: for the
    /// source where nearly all texts that are told to be in that language are so called, and another language has four fifths as many told texts or more,
    /// since what is left untranslated is mostly in the language that most of the site is in; else against it. Only a source that has been right about
    /// others can be right about these. A place may name countries, so that these texts have to look unlike that language too. Texts that are only likely
    /// in it do not count against what they declare.
    fn count_unknown(&mut self, pages: &ByLetters<'_>, main: Option<Lang>) {
        let count = |counts: &FxHashMap<Lang, u32>, lang: Lang| counts.get(&lang).copied().unwrap_or_default();
        let mut usual = None;
        for (&(source, named, told), called) in self.unknown.iter().filter(|(_, called)| !called.pages.is_empty()) {
            let (texts, pages_of) = (called.told, called.pages.len() as u32);
            let likely = pages_of - texts;
            let is_declared = source == Source::Declared;
            // Of a place, which needs more to be believed, likely texts count too.
            let (own, all, least) = if is_declared {
                (texts, count(&self.sure, told), 1)
            } else {
                (pages_of, count(&self.taken, told), MIN_NAMED)
            };
            let are_nearly_all = own >= least && f64::from(own) >= BELIEVED * f64::from(all);
            let has_been_right = self.tallies.get(&source).is_some_and(|tally| tally.right >= f64::from(MIN_NAMED));
            let is_as_large =
                |(&other, &texts): (&Lang, &u32)| other != told && f64::from(texts) >= BELIEVED * f64::from(all);
            let is_main = !self.sure.iter().any(is_as_large);
            let mut are_unlike =
                || usual.get_or_insert_with(|| Usual::of(pages, &self.sure)).are_unlike(pages, called, told);
            let of_name = self.names.entry((source, named)).or_default();
            if has_been_right && !is_main && are_nearly_all && (is_declared || are_unlike()) {
                of_name.1 += pages_of;
                self.alone.insert((source, named, told));
                continue;
            }
            of_name.0 += texts;
            *if is_declared { &mut of_name.1 } else { &mut of_name.0 } += likely;
            if main == Some(told) {
                continue;
            }
            for (&host, &texts) in &called.counted {
                let wrong = Tally { right: 0.0, wrong: f64::from(texts) };
                self.tallies.entry(source).or_default().add(wrong);
                self.of_host.entry((host, source)).or_default().add(wrong);
            }
        }
    }

    /// True for a text that words take for a language, where all that they tell to be in it are called by this name of a language of which the program
    /// knows nothing.
    pub fn is_alone(&self, name: &Name, text: Text) -> bool {
        let is_told_so = |told: Lang| self.alone.contains(&(name.source, name.lang.base(), told.base()));
        matches!(text, Text::Told(lang) | Text::Likely(lang) if is_told_so(lang))
    }

    /// True for a text that is likely in a language in which others of the site certainly are.
    pub fn is_among_others(&self, text: Text) -> bool {
        matches!(text, Text::Likely(lang) if self.sure.get(&lang.base()).is_some_and(|&texts| texts >= MIN_NAMED))
    }

    fn add_told(&mut self, host: u64, lang: Lang) {
        *self.told.entry(lang.base()).or_default() += 1;
        *self.on_host.entry((host, Some(lang.base()))).or_default() += 1;
        *self.on_host.entry((host, None)).or_default() += 1;
    }

    /// True where a language has texts around a page: on its host, or on the site if the host has too few in any language.
    fn has_texts_around(&self, pages: &dyn Pages, page: u32, lang: Lang) -> bool {
        let host = hash_of_host(pages, page);
        let on_host = |lang: Option<Lang>| self.on_host.get(&(host, lang)).copied().unwrap_or_default();
        let texts = if on_host(None) < MIN_NAMED {
            self.told.get(&lang.base()).copied().unwrap_or_default()
        } else {
            on_host(Some(lang.base()))
        };
        texts >= MIN_NAMED
    }

    /// How often a source is right on the whole site.
    fn belief(&self, source: Source) -> f64 {
        self.tallies.get(&source).copied().unwrap_or_default().belief(source)
    }

    /// How often a source is right on the host of a page, as far as that is known there, and on the whole site otherwise.
    pub fn belief_at(&self, pages: &dyn Pages, page: u32, source: Source) -> f64 {
        self.belief_with(source, self.of_host.get(&(hash_of_host(pages, page), source)).copied().unwrap_or_default())
    }

    /// How often a source is right on a host with its own tally.
    fn belief_with(&self, source: Source, own: Tally) -> f64 {
        let all = self.tallies.get(&source).copied().unwrap_or_default();
        let others = Tally { right: all.right - own.right, wrong: all.wrong - own.wrong };
        if others.right + others.wrong == 0.0 {
            return all.belief(source);
        }
        pooled(others.belief(source), own.right, own.right + own.wrong)
    }

    /// What the site calls a group of pages whose texts are alike, and unlike those in any language that can be told: a source that nothing
    /// else speaks for is right about them where it names them alone.
    pub fn name_of(&self, pages: &dyn Pages, group: &[u32]) -> Option<Lang> {
        let mut anatomy = Anatomy::default();
        let members: FxHashSet<u32> = group.iter().copied().collect();
        // What is the same page under another code is in another language, so it is not in this group.
        let is_in_another = |page: u32, name: &Name| {
            self.codes
                .get(&name.source)
                .is_some_and(|codes| under(pages, page, name, codes).any(|page| !members.contains(&page)))
        };
        let mut counts: BTreeMap<(Source, Lang), u32> = BTreeMap::new();
        for &page in group {
            for name in names(pages, page, &pages.facts(page), &mut anatomy) {
                let is_name = if name.is_ordinary {
                    self.is_beside(pages, page, &name)
                } else {
                    !name.is_word() || is_counterpart(pages, page, &name) || is_in_another(page, &name)
                };
                if !is_told(name.lang) && is_name && !self.is_none(&name) {
                    *counts.entry((name.source, name.lang)).or_default() += 1;
                }
            }
        }
        let mut best: Option<(u32, Lang)> = None;
        for (&(source, lang), &count) in &counts {
            let (told, others) = self.names.get(&(source, lang.base())).copied().unwrap_or_default();
            let of_name = f64::from(count) / f64::from((told + others).max(1));
            let of_group = f64::from(count) / group.len() as f64;
            if of_name.min(of_group) >= BELIEVED && best.is_none_or(|best| count > best.0) {
                best = Some((count, lang));
            }
        }
        best.map(|best| best.1)
    }

    /// True where texts without the words of the language that they were taken for may be in it: lists of names and numbers are far from all
    /// languages, and so are texts in one that is not known, but where some texts around them are in a language, lists may be too. `letters` are those of
    /// the pages of `group`.
    pub fn may_be_guess(&self, pages: &ByLetters<'_>, guess: Lang, group: &[u32], letters: &Letters) -> bool {
        let around = group.iter().filter(|&&page| self.has_texts_around(pages, page, guess)).count();
        around as f64 >= BELIEVED * group.len() as f64 || is_alone(guess) || !pages.are_far(letters, guess)
    }

    /// True for a name that does not belong to another language, as `se` on Swedish pages, and does not only look like one: half the words of
    /// three letters are codes, and many names of languages are words, so that a page under such a one has to exist under another name too
    /// (`/kmb/a` or `/wolaytta/a`, `/en/a`).
    pub fn allows(&self, pages: &dyn Pages, page: u32, name: &Name) -> bool {
        let (told, others) = self.names.get(&(name.source, name.lang.base())).copied().unwrap_or_default();
        if told > others || self.is_none(name) {
            return false;
        }
        !name.is_word() || self.is_beside(pages, page, name)
    }

    /// True for a page that exists under another name, which is right, at the same place too.
    fn is_beside(&self, pages: &dyn Pages, page: u32, name: &Name) -> bool {
        self.texts.get(&name.source).is_some_and(|texts| under(pages, page, name, texts).next().is_some())
    }
}

/// How far the texts of a site are from the profiles of the languages that they are told to be in: what a site writes about moves all its languages away from
/// what they look like elsewhere, and program text that stands among them does.
struct Usual {
    /// Each language that words tell, with that distance.
    of: BTreeMap<Lang, f64>,
}

/// Texts are unlike a language if they are farther from its profile than those in any other language of the site are from theirs, by this and what chance
/// gives, in nats a pair of letters (an estimate: of 64 groups of pages in a language of 20 real sites none is farther by more than .06; texts in Portuguese
/// are farther from the profile of Spanish by .06 to .17, in Ukrainian from that of Russian by .18, in Czech from that of Slovak by .12).
const UNLIKE: f64 = 0.08;
/// A text in a language that is not written in Latin letters is partly in another one if more than this share of its letters are A–Z.
const PARTLY_LATIN: f32 = 0.05;

impl Usual {
    /// Of the languages with enough texts; `sure` says how many are told to be in each.
    fn of(pages: &ByLetters<'_>, sure: &FxHashMap<Lang, u32>) -> Usual {
        let is_asked = |lang: Lang| {
            sure.get(&lang).is_some_and(|&texts| texts >= MIN_NAMED) && !is_alone(lang) && !lang.agrees(Lang::ZH)
        };
        let mut texts: BTreeMap<Lang, Vec<u32>> = BTreeMap::new();
        for page in 0..pages.count() {
            if let Text::Told(lang) = Text::of(&pages.facts(page))
                && is_asked(lang.base())
            {
                texts.entry(lang.base()).or_default().push(page);
            }
        }
        let of = texts.into_iter().filter_map(|(lang, texts)| {
            let letters = pure_letters(pages, &texts, lang);
            Some((lang, pages.distance(&letters, lang).filter(|_| letters.total() >= MIN_LETTERS)?))
        });
        Usual { of: of.collect() }
    }

    /// True for texts that look unlike the language that they were taken for, and not because they are partly in another one of the site. Of languages with
    /// a script of their own, some with thousands of signs, it is not known how far texts may be from what is usual.
    fn are_unlike(&self, pages: &ByLetters<'_>, called: &Called, told: Lang) -> bool {
        if is_alone(told) || told.agrees(Lang::ZH) {
            return false;
        }
        let letters = pure_letters(pages, &[&called.pages[..], &called.guesses].concat(), told);
        let Some(own) = pages.distance(&letters, told).filter(|_| letters.total() >= MIN_LETTERS) else { return false };
        let others = || self.of.iter().filter(|(lang, _)| **lang != told);
        let usual = others().map(|(_, distance)| *distance).reduce(f64::max);
        let are_apart = others().all(|(&lang, _)| pages.distance(&letters, lang).is_none_or(|other| other > ALIKE));
        are_apart && usual.is_some_and(|usual| own - usual > UNLIKE + NEAR_BY_CHANCE / letters.total() as f64)
    }
}

/// The letters of those texts that are in the script of a language throughout.
fn pure_letters(pages: &ByLetters<'_>, texts: &[u32], lang: Lang) -> Letters {
    let is_pure = |page: &u32| writes_latin(lang) || pages.facts(*page).latin_share <= PARTLY_LATIN;
    letters_of(pages, &texts.iter().copied().filter(is_pure).collect::<Vec<u32>>())
}

/// True for a language of which the program knows nothing: it has neither words of it nor a profile, nor knows what it is taken for.
fn is_unknown(lang: Lang) -> bool {
    !is_told(lang) && !Profiles::shipped().has(lang) && !is_like_another(lang)
}

/// Keeps the text of a name at its place, if there are not enough of them.
fn keep(texts: &mut FxHashMap<Source, Vec<String>>, pages: &dyn Pages, page: u32, name: &Name) {
    let Some(at) = name.at.clone() else { return };
    let text = &pages.identity(page)[at];
    let texts = texts.entry(name.source).or_default();
    if texts.len() < MAX_TEXTS && !texts.iter().any(|known| known == text) {
        texts.push(text.to_owned());
    }
}

/// The pages under the addresses that the one of a page becomes with other texts in the place of its name.
fn under<'t>(pages: &'t dyn Pages, page: u32, name: &Name, texts: &'t [String]) -> impl Iterator<Item = u32> + use<'t> {
    let identity = pages.identity(page);
    let parted = name.at.clone().map(|at| (&identity[..at.start], &identity[at.clone()], &identity[at.end..]));
    parted.into_iter().flat_map(move |(before, own, after)| {
        let others = texts.iter().filter(move |text| *text != own);
        others.filter_map(move |text| pages.find(&[before, text, after].concat()))
    })
}

/// True for a page that exists under an address without the name too, as `/a` beside `/kmb/a`.
fn is_counterpart(pages: &dyn Pages, page: u32, name: &Name) -> bool {
    let Some(at) = name.at.clone() else { return true };
    let identity = pages.identity(page);
    // With what stands before the name, or after it.
    let without = [(at.start.saturating_sub(1), at.end), (at.start, (at.end + 1).min(identity.len()))];
    without.iter().any(|&(start, end)| match (identity.get(..start), identity.get(end..)) {
        (Some(before), Some(after)) => pages.find(&[before, after].concat()).is_some(),
        _ => false,
    })
}

/// The host of a page, as a hash.
fn hash_of_host(pages: &dyn Pages, page: u32) -> u64 {
    xxh3_64(types::host_of(pages.identity(page)).as_bytes())
}

/// A language as a source names it for a page.
pub struct Name {
    pub source: Source,
    pub lang: Lang,
    /// Where in the URL, in bytes.
    pub at: Option<Range<usize>>,
    /// True if it says a script in which the words of the language are not known: `kk-arab`.
    is_in_other_script: bool,
    /// True for what a language without a code of two letters is called in English, which may as well be an ordinary word: `even`.
    is_ordinary: bool,
}

impl Name {
    /// `tagged` is the language with the script that the name says, if it says one.
    fn new(source: Source, lang: Lang, at: Option<Range<usize>>, tagged: Option<Lang>) -> Name {
        let script = tagged.filter(|tagged| tagged.agrees(lang) && *tagged != lang);
        let is_in_other_script =
            script.is_some_and(|tagged| tagged.script().is_some_and(|script| !has_words_in(lang, script)));
        Name { source, lang, at, is_in_other_script, is_ordinary: false }
    }

    /// True for a code of three letters and for a name, if they may as well be ordinary words; not for `pa-arab`, although this language has such a
    /// code.
    fn is_word(&self) -> bool {
        self.is_ordinary || self.lang.as_str().len() == 3 && self.at.as_ref().is_some_and(|at| at.len() == 3)
    }

    /// True where words would tell a text in the language, if `latin_share` of its letters are A–Z.
    fn is_told_in(&self, latin_share: f32) -> bool {
        !self.is_in_other_script && is_told_in(self.lang, latin_share)
    }
}

/// The languages that sources name for a page.
pub fn names(pages: &dyn Pages, page: u32, facts: &PageFacts, anatomy: &mut Anatomy) -> Vec<Name> {
    let mut found = Vec::new();
    if facts.declared.is_registered() {
        found.push(Name::new(Source::Declared, facts.declared.base(), None, Some(facts.declared)));
    }
    if !anatomy.read(pages.identity(page), Default::default()) {
        return found;
    }
    let segments = anatomy.segments();
    // The domain names no language: neither `x.bg` nor `fao.org` does.
    let labels = segments.iter().filter(|segment| segment.field == Field::Host).count().saturating_sub(2);
    let mut at = 0u8;
    let mut before = None;
    for (number, segment) in segments.iter().enumerate() {
        let field = segment.field;
        at = if before == Some(field) { at.saturating_add(1) } else { 0 };
        before = Some(field);
        if field == Field::Host && number >= labels {
            continue;
        }
        let place = Source::Place(field, if field == Field::File { 0 } else { at });
        // Names of files are often words of three letters.
        let code = |text: &str| {
            names_by_code(text).filter(|lang| lang.as_str().len() == 2 || field != Field::File || text.len() > 3)
        };
        let text = anatomy.text(segment.span);
        let is_long = text.len() > 3;
        let whole = code(text).or_else(|| is_long.then(|| by_name_in_address(text)).flatten());
        let mut found_at = whole.map(|lang| (lang, segment.span));
        if field == Field::File && found_at.is_none() {
            // `page.html.fr`, `page_fr.html`.
            let identity = pages.identity(page).as_bytes();
            let mut ends = anatomy.tokens(segment).iter().rev();
            let is_extension = |span: &Span| identity.get(usize::from(span.start).wrapping_sub(1)) == Some(&b'.');
            let (last, before) = (ends.next(), ends.next());
            let before = before.filter(|_| last.is_some_and(is_extension));
            found_at = [last, before].into_iter().flatten().find_map(|span| Some((code(anatomy.text(*span))?, *span)));
            // Extensions have three letters too.
            let end = if before.is_some() { before } else { last.filter(|last| !is_extension(last)) };
            let by_end = || end.and_then(|span| Some((names_by_code(anatomy.text(*span))?, *span)));
            found_at = found_at.or_else(by_end);
        }
        let ordinary = if found_at.is_none() && is_long { perhaps_by_name(text) } else { None };
        let is_ordinary = ordinary.is_some();
        if let Some((lang, span)) = found_at.or(ordinary.map(|lang| (lang, segment.span))) {
            let tagged = Lang::parse_with_script(anatomy.text(span)).filter(|_| !is_ordinary);
            let at = usize::from(span.start)..usize::from(span.end);
            found.push(Name { is_ordinary, ..Name::new(place, lang, Some(at), tagged) });
        }
    }
    found
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::ListedPages;

    #[test]
    fn what_is_believed_on_one_host_may_not_be_on_another() {
        // Both declare a language on each page, one of them always the same.
        let page = |host: &str, lang: &str, declared: &str, n: usize| {
            let [detected, declared] = [lang, declared].map(|tag| Lang::parse(tag).expect("a tag"));
            let facts = PageFacts { detected, declared, confidence: 0.98, text_bytes: 2000, ..PageFacts::default() };
            (format!("{host}.x.org/{lang}{n}"), facts)
        };
        let mut pages = Vec::new();
        for n in 0..9 {
            pages.extend(["en", "fr", "de"].map(|lang| page("good", lang, lang, n)));
            pages.extend([page("template", "fr", "en", n), page("template", "de", "en", n)]);
        }
        pages.extend((0..2).map(|n| page("new", "fr", "fr", n)));
        pages.sort_by(|x, y| x.0.cmp(&y.0));
        let pages = ListedPages(pages);
        let profiles = crate::language::profiles::Profiles::default();
        let read = ByLetters::new(&pages, &profiles);
        let known = Known::of(&read, &mut Anatomy::default());
        let at = |host: &str| {
            let page = (0..pages.count()).find(|&page| pages.identity(page).starts_with(host)).expect("a page");
            known.belief_at(&pages, page, Source::Declared)
        };
        assert!(at("good") > BELIEVED && at("template") < 0.5, "{} {}", at("good"), at("template"));
        // 27 pages elsewhere are right and 9 wrong, beside 4 and 1 (French, in which most pages are, counts for nothing where it is called otherwise).
        assert!((at("new") - (4.0 * 31.0 / 41.0 + 2.0) / 6.0).abs() < 1e-9, "{}", at("new"));
        // On one host alone nothing counts twice.
        assert!((Tally { right: 2.0, wrong: 0.0 }.belief(Source::Place(Field::Path, 0)) - 0.75).abs() < 1e-9);
    }

    #[test]
    fn places_are_directories_labels_values_and_the_ends_of_names_of_files() {
        let of = |url: &str| {
            let pages = ListedPages(vec![(url.to_owned(), PageFacts::default())]);
            let names = names(&pages, 0, &pages.facts(0), &mut Anatomy::default());
            names
                .into_iter()
                .map(|name| (name.source, name.lang.to_string(), url[name.at.expect("in the URL")].to_owned()))
                .collect::<Vec<_>>()
        };
        let one =
            |field, at, lang: &str, text: &str| vec![(Source::Place(field, at), lang.to_owned(), text.to_owned())];
        assert_eq!(of("x.org/a/yo/b"), one(Field::Path, 1, "yo", "yo"));
        assert_eq!(of("yo.x.org/a/b"), one(Field::Host, 0, "yo", "yo"));
        assert_eq!(of("x.org/a?id=7&lang=yo"), one(Field::Query, 1, "yo", "yo"));
        for url in ["x.org/a/b_yo.html", "x.org/a/b.html.yo", "x.org/a/b.yo.html"] {
            assert_eq!(of(url), one(Field::File, 0, "yo", "yo"), "{url}");
        }
        assert_eq!(of("x.org/zh_TW/b"), one(Field::Path, 0, "zh-Hant", "zh_TW"));
        assert_eq!(of("x.org/arabic/b"), one(Field::Path, 0, "ar", "arabic"));
        assert_eq!(of("x.org/hawaiian/b"), one(Field::Path, 0, "haw", "hawaiian"));
        assert_eq!(of("x.org/pa-arab/b"), one(Field::Path, 0, "pnb", "pa-arab"));
        // Words that may be codes: what else is on the site decides.
        assert_eq!(of("x.org/a?id=7&lang=ceb"), one(Field::Query, 1, "ceb", "ceb"));
        for url in ["x.org/a_ceb.html", "x.org/a-ceb", "x.org/a.ceb.html"] {
            assert_eq!(of(url), one(Field::File, 0, "ceb", "ceb"), "{url}");
        }
        // Its words are known in Cyrillic letters.
        let is_told = |url: &str| {
            let pages = ListedPages(vec![(url.to_owned(), PageFacts::default())]);
            names(&pages, 0, &PageFacts::default(), &mut Anatomy::default())[0].is_told_in(0.0)
        };
        assert!(is_told("x.org/kk/b") && is_told("x.org/kk-cyrl/b") && !is_told("x.org/kk-arab/b"));
        for url in [
            "yo.org/a",
            "x.yo/a",
            "x.org/so-what/how-many",
            "x.org/a.php",
            "x.org/so-you-want-this.html",
            "x.org/red/a",
        ] {
            assert_eq!(of(url), [], "{url}");
        }
        let declares = |tag: &str| {
            let facts = PageFacts { declared: Lang::parse(tag).expect("a tag"), ..PageFacts::default() };
            names(&ListedPages(vec![("x.org/a".to_owned(), facts)]), 0, &facts, &mut Anatomy::default()).len()
        };
        assert_eq!(["kmb", "pt", "us", "xxx", "mul", "und"].map(declares), [1, 1, 0, 0, 0, 0]);
    }
}
