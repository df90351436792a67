//! Decides which beads are not good bitext, and for what reason.

use xxhash_rust::xxh3::xxh3_64;

use crate::language;
use crate::text::near::{Form, behind_number, near};
use crate::types::{Lang, coded};

coded! {
    /// The reasons for leaving out a bead. Their codes are stored: codes are only appended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Reason {
        /// One side is empty.
        Unaligned = 1, "unaligned";
        /// A side has no letter.
        NoLetters = 2, "no letters";
        /// Both sides have the same text; in longer texts, apart from case, digits, punctuation and single letters.
        SameText = 3, "same text";
        /// A side has too few letters.
        TooShort = 4, "too short";
        /// A side has too many characters.
        TooLong = 5, "too long";
        /// The lengths of the sides differ too much.
        LengthRatio = 6, "length ratio";
        /// The words of a side are those of the other language, its function words are those of a third language, or its letters are not those of
        /// its page.
        WrongLanguage = 7, "wrong language";
        /// The score is too low.
        LowScore = 8, "low score";
        /// A side stands on pages of another language of the site, in which it was written: nobody has translated it.
        Untranslated = 9, "untranslated";
        /// The same sentence pair occurs elsewhere too, on the site or on another, and is kept there.
        Duplicate = 10, "duplicate";
        /// It lies beyond the largest number of sentences that are compared on a page.
        NotCompared = 11, "not compared";
    }
}

/// The conditions for leaving out a bead. By default a bead is left out by criteria that are right more often than not on gold
/// (`docs/evaluation.md`).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// How many letters each side must have. Default 1, which in Chinese is a word.
    pub min_letters: u32,
    /// Two sides with at least this many words of two letters or more count as the same text even if single letters differ too. Default 6: in
    /// shorter ones a single letter may be a word.
    pub copy_words: u32,
    /// How many characters a side may have. Default 2,000: a longer one is not a sentence, but text whose sentence ends were not
    /// recognized.
    pub max_chars: u32,
    /// How far lengths may differ, in standard deviations for the two languages. Default 12: pairs that differ less are free translations,
    /// or are wrong and have a low score.
    pub max_delta: f32,
    /// How much more a side may look like the other language than like its own: mean of ln(share of the word there / share here). Default
    /// 1: words that are e times as likely in the other language.
    pub max_foreign: f32,
    /// Least score, 0..=1. Default ½: on gold most sentence pairs that score less are wrong.
    pub min_score: f32,
}

impl Default for Params {
    fn default() -> Params {
        Params { min_letters: 1, copy_words: 6, max_chars: 2000, max_delta: 12.0, max_foreign: 1.0, min_score: 0.5 }
    }
}

/// Facts about a text that do not depend on the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextFacts {
    /// Hash of the text without white space.
    exact: u64,
    /// Hash of its letters and digits, in lower case, with each digit replaced by 0: near duplicates have it in common.
    near: u64,
    /// The same hash, of the text behind the number of a heading or a table and the word for it. Where there is no such number, or no more
    /// than a name behind it, the hash of the whole text.
    behind: u64,
    /// Hash of the letters of its words of two letters or more, lower case; `None` without such words.
    words: Option<u64>,
    /// The number of such words.
    word_count: u32,
    letters: u32,
    /// How many of its letters are A–Z or a–z.
    latin: u32,
    /// True when two of a–z stand side by side, as in words; in abbreviations they mostly do not.
    has_small: bool,
    /// True when a word begins with a small letter; words of names mostly do not.
    begins_small: bool,
    chars: u32,
    /// The language that its function words certainly belong to; unknown for most texts.
    pub lang: Lang,
    /// The language that it names, and names alone; unknown for most texts.
    named: Lang,
}

impl TextFacts {
    /// Examines a text once.
    pub fn new(text: &str) -> TextFacts {
        let room = || String::with_capacity(text.len() + 1);
        let (mut exact, mut all, mut words) = (room(), room(), room());
        let (mut chars, mut letters, mut latin, mut word_count) = (0, 0, 0, 0);
        let (mut has_small, mut begins_small, mut before) = (false, false, ' ');
        // The start of the current word, and its number of letters so far.
        let mut word = (0, 0);
        let mut end_word = |words: &mut String, word: &mut (usize, u32)| {
            if word.1 > 1 {
                words.push(' ');
                word_count += 1;
            } else {
                words.truncate(word.0);
            }
            *word = (words.len(), 0);
        };
        for c in text.chars() {
            chars += 1;
            has_small |= c.is_ascii_lowercase() && before.is_ascii_lowercase();
            before = c;
            let form = Form::known(c);
            form.push_near(c, &mut all);
            if form != Form::Space {
                exact.push(c);
            }
            match form {
                Form::Letter(lower) => {
                    letters += 1;
                    latin += u32::from(lower.is_ascii());
                    begins_small |= word.1 == 0 && c == lower && c.is_lowercase();
                    word.1 += 1;
                    words.push(lower);
                    continue;
                }
                Form::Rare => {
                    letters += 1;
                    word.1 += 1;
                    words.extend(c.to_lowercase());
                    continue;
                }
                Form::Digit | Form::Sign | Form::Space => {}
            }
            if word.1 > 0 {
                end_word(&mut words, &mut word);
            }
        }
        end_word(&mut words, &mut word);
        let hash = |text: &str| xxh3_64(text.as_bytes());
        let words = (!words.is_empty()).then(|| hash(&words));
        let named = if letters > MOST_NAMED { None } else { language::names::by_name(text) };
        TextFacts {
            exact: hash(&exact),
            near: hash(&all),
            behind: behind_number(text).filter(|rest| is_phrase_of(rest)).map_or_else(|| hash(&all), near),
            words,
            word_count,
            letters,
            latin,
            has_small,
            begins_small,
            chars,
            lang: language::of_sentence(text),
            named: named.unwrap_or_default(),
        }
    }

    /// True for a text of `words` words in which all letters are A–Z, unless it consists of abbreviations, which many languages write in
    /// these letters.
    pub fn is_latin(&self, words: usize) -> bool {
        self.latin == self.letters && (self.has_small || self.is_long(words))
    }

    fn is_long(&self, words: usize) -> bool {
        words >= MIN_TEXT.0 && self.letters >= MIN_TEXT.1
    }

    /// True for a text whose translation would not read the same: a long one, or one of two words of which at least one is no name.
    fn is_phrase(&self, words: usize) -> bool {
        self.is_long(words) || words + 1 == MIN_TEXT.0 && self.letters >= MIN_TEXT.1 && self.begins_small
    }
}

/// True for a text that is too long to be a name, by the criteria of [`TextFacts::is_phrase`]; for parts of texts.
fn is_phrase_of(text: &str) -> bool {
    let words = || text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let (count, letters) = words().fold((0, 0), |(count, letters), word| (count + 1, letters + word.chars().count()));
    let begins_small = || words().any(|word| word.starts_with(char::is_lowercase));
    letters >= MIN_TEXT.1 as usize && (count >= MIN_TEXT.0 || count + 1 == MIN_TEXT.0 && begins_small())
}

/// The facts about a bead that [`judge`] needs.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Both texts.
    pub texts: (TextFacts, TextFacts),
    /// The score.
    pub score: f32,
    /// [`super::Lengths::delta`].
    pub length_delta: f32,
    /// [`super::WordEvidence::foreign_a`] and `foreign_b`.
    pub foreign: (Option<f32>, Option<f32>),
    /// True when a side is certainly not in the language of its page, or in letters that its page is not written in.
    pub is_other_language: bool,
    /// True when the words of both sides are mostly the same ([`are_mostly_same`]), in languages that are no relatives.
    pub is_same: bool,
}

/// The reason for leaving out a bead, as far as the bead by itself shows one; the first reason that holds.
pub fn judge(facts: &Facts, params: &Params) -> Option<Reason> {
    let (a, b) = facts.texts;
    if a.chars == 0 || b.chars == 0 {
        return Some(Reason::Unaligned);
    }
    let fewest = a.letters.min(b.letters);
    let is_foreign = |foreign: Option<f32>| foreign.is_some_and(|foreign| foreign > params.max_foreign);
    let rules = [
        (fewest == 0, Reason::NoLetters),
        (facts.is_same || is_same(&a, &b, params), Reason::SameText),
        (fewest < params.min_letters, Reason::TooShort),
        (a.chars.max(b.chars) > params.max_chars, Reason::TooLong),
        (facts.length_delta.abs() > params.max_delta, Reason::LengthRatio),
        (name_others(a.named, b.named), Reason::WrongLanguage),
        (is_foreign(facts.foreign.0) || is_foreign(facts.foreign.1) || facts.is_other_language, Reason::WrongLanguage),
        (facts.score < params.min_score, Reason::LowScore),
    ];
    rules.into_iter().find(|(holds, _)| *holds).map(|(_, reason)| reason)
}

/// True when each side is the name of a language, and the two differ: where the versions of a page are offered, each is named in its own
/// language.
fn name_others(a: Lang, b: Lang) -> bool {
    a.is_known() && b.is_known() && !a.agrees(b)
}

/// True when both sides are the same apart from case, white space, signs and the values of digits; or apart from the number at the
/// beginning and its word, which the program that makes the page writes (`Table 9.1.`, `Tabela 9.1.`); or when they are long enough and
/// have the same words of two letters or more.
fn is_same(a: &TextFacts, b: &TextFacts, params: &Params) -> bool {
    a.near == b.near
        || a.behind == b.behind
        || a.words.is_some() && a.words == b.words && a.word_count.min(b.word_count) >= params.copy_words
}

/// True for two long texts if at most one word in ten of either is missing in the other: a list of names, or a command in which one word of
/// a placeholder is translated. Texts that neither begin nor end with the same words are not compared. Time grows with the words.
pub fn are_mostly_same([a, b]: [&[u64]; 2]) -> bool {
    /// Shorter texts have few words that could be the same by chance, but may consist of names for the most part.
    const LEAST: usize = 10;
    let most = a.len().max(b.len());
    let missing = most / 10;
    if a.len().min(b.len()) < LEAST.max(most - missing) || a.first() != b.first() && a.last() != b.last() {
        return false;
    }
    let sorted = |words: &[u64]| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    };
    let (a, b) = (sorted(a), sorted(b));
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        common += usize::from(x == y);
        (i, j) = (i + usize::from(x <= y), j + usize::from(y <= x));
    }
    common + missing >= most
}

/// Bits of the hash of a text that are kept. Of ten million texts of a site, some ninety are taken for another one.
pub const TEXT_BITS: u32 = 40;
/// Texts of fewer words or letters may be names and terms that are the same in several languages.
const MIN_TEXT: (usize, u32) = (3, 8);
/// A text of more letters names no language.
const MOST_NAMED: u32 = 24;

/// What finding repeated and untranslated texts needs to know of a side of a bead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideText {
    /// Hash of the text without white space, of [`TEXT_BITS`] bits; 0 for no text.
    pub hash: u64,
    /// True when it is certainly in another language than its page ([`Untold::is_foreign`](crate::language::foreign::Untold::is_foreign)).
    pub is_foreign: bool,
    /// True when a translation of it would not read the same, because it is so long, or is no name.
    pub is_long: bool,
}

impl SideText {
    /// From the facts of a text, its number of words, and whether it is in another language than its page.
    pub fn new(text: &TextFacts, words: usize, is_foreign: bool) -> SideText {
        if text.chars == 0 {
            return SideText::default();
        }
        let hash = text.exact & ((1 << TEXT_BITS) - 1);
        SideText { hash: hash.max(1), is_foreign, is_long: text.is_phrase(words) }
    }
}

/// The hash of a text without white space, as in [`SideText::hash`].
pub fn hash_of_text(text: &str) -> u64 {
    let exact: String = text.chars().filter(|&c| Form::known(c) != Form::Space).collect();
    if text.is_empty() { 0 } else { xxh3_64(exact.as_bytes()) & ((1 << TEXT_BITS) - 1) }
}

/// The hash by which equal sentence pairs are found; it covers both languages and both texts.
pub fn hash_of_sentences(langs: (Lang, Lang), texts: (u64, u64)) -> u64 {
    let parts = [langs.0.to_bytes(), langs.1.to_bytes(), texts.0.to_le_bytes(), texts.1.to_le_bytes()];
    xxh3_64(parts.as_flattened())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The letters and digits of a text, one after the other.
    fn near_form(text: &str) -> String {
        let kept = text.chars().filter(|c| c.is_alphanumeric());
        kept.flat_map(char::to_lowercase).map(|c| if c.is_numeric() { '0' } else { c }).collect()
    }

    /// The letters of words of two letters or more, with a space behind each word.
    fn long_words(text: &str) -> String {
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().nth(1).is_some());
        words.flat_map(|word| word.chars().chain([' '])).flat_map(char::to_lowercase).collect()
    }

    proptest! {
        #[test]
        fn facts_are_those_of_the_forms_of_a_text(text in r"([a-zA-Z0-9 .,'_éßÀİжÉ中文字カ①٣Ⅻª]|\PC){0,30}") {
            let facts = TextFacts::new(&text);
            let hash = |text: String| xxh3_64(text.as_bytes());
            prop_assert_eq!(facts.exact, hash(text.split_whitespace().collect()));
            prop_assert_eq!(facts.near, hash(near_form(&text)));
            prop_assert_eq!(facts.near, crate::text::near::near(&text));
            let words = long_words(&text);
            prop_assert_eq!(facts.word_count as usize, words.matches(' ').count());
            prop_assert_eq!(facts.words, (!words.is_empty()).then(|| hash(words)));
            prop_assert_eq!(facts.letters as usize, text.chars().filter(|c| c.is_alphabetic()).count());
            prop_assert_eq!(facts.chars as usize, text.chars().count());
        }
    }

    fn judged_by(params: &Params, a: &str, b: &str, change: impl Fn(&mut Facts)) -> Option<Reason> {
        let texts = (TextFacts::new(a), TextFacts::new(b));
        let foreign = (Some(-2.0), None);
        let mut facts =
            Facts { texts, score: 0.9, length_delta: 0.0, foreign, is_other_language: false, is_same: false };
        change(&mut facts);
        judge(&facts, params)
    }

    #[test]
    fn every_rule_of_a_single_bead_has_its_case() {
        let params = Params { min_letters: 2, copy_words: 0, max_delta: 6.0, ..Params::default() };
        let judged = |a: &str, b: &str, change: &dyn Fn(&mut Facts)| judged_by(&params, a, b, change);
        assert_eq!(judged("Hello", "Bonjour", &|_| ()), None);
        assert_eq!(judged("Hello", "", &|_| ()), Some(Reason::Unaligned));
        assert_eq!(judged("12", "Douze", &|_| ()), Some(Reason::NoLetters));
        assert_eq!(judged("Debian 11", "debian: 12", &|_| ()), Some(Reason::SameText));
        assert_eq!(judged("GNU LICENCE", "F.2. GNU Licence", &|_| ()), Some(Reason::SameText));
        assert_eq!(judged("2.1. GNU", "F.2. GNU Licence", &|_| ()), None);
        assert_eq!(judged("I", "Moi", &|_| ()), Some(Reason::TooShort));
        assert_eq!(judged(&"ab ".repeat(700), "court", &|_| ()), Some(Reason::TooLong));
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.length_delta = -7.0), Some(Reason::LengthRatio));
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.foreign.1 = Some(1.5)), Some(Reason::WrongLanguage));
        assert_eq!(judged("Hallo", "Hello", &|facts| facts.is_other_language = true), Some(Reason::WrongLanguage));
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.is_same = true), Some(Reason::SameText));
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.score = 0.04), Some(Reason::LowScore));
    }

    #[test]
    fn texts_that_differ_in_a_word_of_ten_are_mostly_the_same() {
        let words: Vec<u64> = (0..20).collect();
        let with = |changed: &[(usize, u64)]| {
            let mut other = words.clone();
            changed.iter().for_each(|&(at, word)| other[at] = word);
            other
        };
        let are = |other: &[u64]| are_mostly_same([&words, other]);
        assert!(are(&words) && are(&with(&[(3, 99), (7, 98)])) && are(&words[..18]) && are(&words[2..]));
        assert!(!are(&with(&[(3, 99), (7, 98), (8, 97)])) && !are(&words[..17]));
        assert!(!are(&with(&[(0, 99), (19, 98)])), "nothing in common at the ends");
        assert!(
            are_mostly_same([&words[..10], &with(&[(4, 99)])[..10]]) && !are_mostly_same([&words[..9]; 2]),
            "short ones"
        );
    }

    #[test]
    fn by_default_what_is_rather_right_is_kept() {
        let judged = |a: &str, b: &str, change: &dyn Fn(&mut Facts)| judged_by(&Params::default(), a, b, change);
        assert_eq!(judged("no", "否", &|_| ()), None);
        assert_eq!(judged("Software RAID", "Software-RAID", &|_| ()), Some(Reason::SameText));
        assert_eq!(judged("500 MB", "500MB", &|_| ()), Some(Reason::SameText));
        assert_eq!(judged("Alt F", "ALT+F", &|_| ()), Some(Reason::SameText));
        assert_eq!(judged("RAID logiciel", "Software RAID", &|_| ()), None);
        let title = "List of programs";
        assert_eq!(
            judged(&format!("Table 9.1. {title}"), &format!("Tabela 9.12 {title}"), &|_| ()),
            Some(Reason::SameText)
        );
        assert_eq!(judged(title, &format!("B.4.1. {title}"), &|_| ()), Some(Reason::SameText));
        assert_eq!(judged("Table 9.1. List of programs", "Tabela 9.1. Lista de programas", &|_| ()), None);
        assert_eq!(judged("Chapter 3. GNOME Shell", "Kapitel 3. GNOME Shell", &|_| ()), None, "a name");
        assert_eq!(judged("Disk a", "Disk", &|_| ()), None);
        let copy = ("The boot loader of amd64 is called “grub”.", "The boot loader of amd64 is called «grub».");
        assert_eq!(judged(copy.0, copy.1, &|_| ()), Some(Reason::SameText));
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.length_delta = -7.0), None);
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.length_delta = 13.0), Some(Reason::LengthRatio));
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.score = 0.51), None);
        assert_eq!(judged("Hello", "Bonjour", &|facts| facts.score = 0.49), Some(Reason::LowScore));
    }

    #[test]
    fn codes_and_names_are_of_one_reason_each() {
        for reason in Reason::ALL {
            assert_eq!(Reason::from_code(reason as u8), Some(reason));
            assert_eq!(Reason::ALL.iter().filter(|other| other.name() == reason.name()).count(), 1);
        }
        assert_eq!(Reason::from_code(0), None);
    }

    #[test]
    fn equal_pairs_have_the_same_texts_and_languages() {
        let fr = Lang::parse("fr").expect("a language");
        let hash = |text: &str| SideText::new(&TextFacts::new(text), 4, false).hash;
        let of = |langs, a: &str, b: &str| hash_of_sentences(langs, (hash(a), hash(b)));
        let first = of((Lang::EN, fr), "Page 1 of 9", "Page 1 sur 9");
        assert_eq!(of((Lang::EN, fr), "Page 1 of 9 ", "Page 1  sur 9"), first);
        assert_ne!(of((fr, Lang::EN), "Page 1 of 9", "Page 1 sur 9"), first);
        assert_ne!(of((Lang::EN, fr), "Page 1 of", "9 Page 1 sur 9"), first);
        assert!(hash("") == 0 && hash("x") > 0 && hash("x") < 1 << TEXT_BITS);
    }

    #[test]
    fn names_and_terms_are_not_long() {
        let is_long = |text: &str| SideText::new(&TextFacts::new(text), text.split_whitespace().count(), false).is_long;
        assert!(is_long("For these scenarios you have two options: either you upload to a PPA or prepare a backport."));
        assert!(!is_long("Software RAID") && !is_long("Configuration"));
        assert!(is_long("Keyboard shortcuts") && is_long("HVIF icons"), "a word of the two is no name");
        assert!(!is_long("Los Angeles") && !is_long("Жан Жорес") && !is_long("file foo"));
    }

    #[test]
    fn names_of_different_languages_translate_nothing() {
        let judged = |a: &str, b: &str| judged_by(&Params::default(), a, b, |_| ());
        assert_eq!(judged("Català ▼", "Italiano ▼"), Some(Reason::WrongLanguage));
        assert_eq!(judged("German", "Deutsch"), None);
        assert_eq!(judged("Chinese", "简体中文"), None);
        assert_eq!(judged("Français", "Page d'accueil"), None);
    }
}
