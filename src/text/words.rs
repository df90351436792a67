//! The words of a text in any language, each with the hash by which it is looked up.
//!
//! Segments are those of Unicode (UAX 29), and in Chinese, Japanese, Thai, Lao, Khmer and Burmese those of dictionaries, as ICU gives them.
//! ICU itself is used only where a dictionary is needed and for rare characters. Everything else is divided here, by a table of the role of
//! each character at borders of words.

use std::sync::LazyLock;

use icu_properties::CodePointMapData;
use icu_properties::props::WordBreak;
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use xxhash_rust::xxh3::xxh3_64;

/// Divides texts into words. Costs nothing to make, and can be used by any number of threads.
#[derive(Clone, Copy)]
pub struct Words {
    tables: &'static Tables,
}

/// Made once, when the first text is divided.
struct Tables {
    icu: WordSegmenterBorrowed<'static>,
    /// The kind of each character of the first plane.
    kinds: Box<[Kind; 0x1_0000]>,
    /// The normal form of each character below [`LOWERED`]; 0 where it is not one character of the first plane.
    lower: Box<[u16; LOWERED]>,
}

/// Letters that have another case are below this, or from [`CASED_AGAIN`] on.
const LOWERED: usize = 0x3000;
/// Characters between [`LOWERED`] and this, and in [`HANGUL`], are their own normal forms.
const CASED_AGAIN: u32 = 0xa640;
/// The syllables of Korean.
const HANGUL: std::ops::RangeInclusive<u32> = 0xac00..=0xd7a3;

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut kinds = Box::new([Kind(0); 0x1_0000]);
    let mut lower = Box::new([0; LOWERED]);
    for code in 0..0x1_0000u32 {
        let Some(character) = char::from_u32(code) else { continue };
        kinds[code as usize] = Kind::of(character);
        if let Some(place) = lower.get_mut(code as usize) {
            *place = plain_lower(character).unwrap_or(0);
        }
    }
    Tables { icu: WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()), kinds, lower }
});

/// The role of a character at borders of words: its [`Class`], and whether it is a letter or digit, and of Hebrew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind(u8);

impl Kind {
    const ALPHANUMERIC: u8 = 0x80;
    const HEBREW: u8 = 0x40;

    fn of(character: char) -> Kind {
        let (class, flag) = class_of(character);
        let alphanumeric = if character.is_alphanumeric() { Kind::ALPHANUMERIC } else { 0 };
        Kind(class as u8 | flag | alphanumeric)
    }

    fn class(self) -> Class {
        CLASSES[usize::from(self.0 & 0x0f)]
    }

    fn is_alphanumeric(self) -> bool {
        self.0 & Kind::ALPHANUMERIC != 0
    }

    fn is_hebrew(self) -> bool {
        self.0 & Kind::HEBREW != 0
    }
}

/// The role of a character at borders of words (UAX 29, table 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Stands alone.
    Other,
    Letter,
    Digit,
    /// `_`: joins letters and digits.
    Joiner,
    Katakana,
    /// Joins two digits, as `,` does.
    BetweenDigits,
    /// Joins two letters, as `·` does, and `:`, at which words are divided later.
    BetweenLetters,
    /// Joins two letters or two digits, as `.` and apostrophes do.
    Between,
    /// Belongs to the character before it: vowel signs, accents, the soft hyphen.
    Mark,
    /// The same as a mark, but it also joins pictures.
    ZeroWidthJoiner,
    /// Always separates words.
    Space,
    /// A character of a script whose words are found by a dictionary.
    Complex,
    /// A character whose borders only ICU knows.
    Unknown,
}

impl Class {
    fn may_be_mark(self) -> bool {
        matches!(self, Class::Mark | Class::ZeroWidthJoiner | Class::Unknown)
    }
}

const CLASSES: [Class; 16] = [
    Class::Other,
    Class::Letter,
    Class::Digit,
    Class::Joiner,
    Class::Katakana,
    Class::BetweenDigits,
    Class::BetweenLetters,
    Class::Between,
    Class::Mark,
    Class::ZeroWidthJoiner,
    Class::Space,
    Class::Complex,
    Class::Unknown,
    Class::Unknown,
    Class::Unknown,
    Class::Unknown,
];

/// A segment that begins with a letter, a digit or `_`.
struct Segment {
    end: usize,
    /// True if it contains a letter or digit.
    is_word: bool,
    /// True if it may have parts that are joined by an apostrophe or a colon.
    has_parts: bool,
}

impl Default for Words {
    fn default() -> Words {
        Words::new()
    }
}

impl Words {
    /// Words by the rules and dictionaries inside the binary.
    pub fn new() -> Words {
        Words { tables: &TABLES }
    }

    /// Calls `each` with every word in order: its text as it stands, and the hash of its [normal form](hash).
    ///
    /// A word is a segment that contains a letter or a digit. A segment with an apostrophe inside is two words, as in `l'homme` and
    /// `dell’anno`, since dictionaries have the parts; but not if the second part is a short form of English (`don't`, `we'll`). A segment
    /// with a colon inside (`note:this`) is two words too, since few languages have colons inside words.
    pub fn for_each<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str, u64)) {
        self.words(text, |word| each(word, self.tables.hash(word)));
    }

    /// How many words a text has.
    pub fn count(&self, text: &str) -> usize {
        let mut count = 0;
        self.words(text, |_| count += 1);
        count
    }

    /// Calls `each` with every word, in order.
    fn words<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (kind, next) = self.tables.kind(text, at);
            at = match kind.class() {
                Class::Letter | Class::Digit | Class::Joiner | Class::Katakana => {
                    match self.segment(text, kind, next) {
                        Some(Segment { end, is_word, has_parts }) => {
                            let segment = &text[at..end];
                            match (is_word, has_parts) {
                                (true, false) => each(segment),
                                (true, true) => part(segment, &mut each),
                                _ => {}
                            }
                            end
                        }
                        None => self.long_way(text, at, &mut each),
                    }
                }
                Class::Complex => self.complex_run(text, at, next, &mut each),
                // This character may belong to the sign before it.
                Class::Mark | Class::ZeroWidthJoiner | Class::Unknown => {
                    let mut signs = text[..at].char_indices().rev();
                    let sign = signs.next().filter(|(_, c)| !is_space(*c));
                    let start = match sign {
                        // Wide spaces stay together.
                        Some((_, WIDE_SPACE)) => text[..at].trim_end_matches(WIDE_SPACE).len(),
                        Some((start, _)) => start,
                        None => at,
                    };
                    self.long_way(text, start, &mut each)
                }
                // For example `²`.
                Class::Other if kind.is_alphanumeric() => {
                    if self.is_before_mark(text, next) {
                        self.long_way(text, at, &mut each)
                    } else {
                        each(&text[at..next]);
                        next
                    }
                }
                _ => next,
            };
        }
    }

    /// True when a mark stands at `at`.
    fn is_before_mark(&self, text: &str, at: usize) -> bool {
        at < text.len() && self.tables.kind(text, at).0.class().may_be_mark()
    }

    /// The segment whose first character is of this kind and ends at `next`; `None` if only ICU can tell where the segment ends.
    fn segment(&self, text: &str, kind: Kind, mut next: usize) -> Option<Segment> {
        let length = text.len();
        let (mut class, mut last) = (kind.class(), kind);
        let (mut seen, mut has_parts) = (kind.0, false);
        while next < length {
            let (kind, after) = self.tables.kind(text, next);
            let following = kind.class();
            match following {
                Class::Letter | Class::Digit => {
                    if class == Class::Katakana {
                        break;
                    }
                    (class, last, next) = (following, kind, after);
                }
                Class::Joiner => (class, last, next) = (following, kind, after),
                Class::Katakana if matches!(class, Class::Katakana | Class::Joiner) => {
                    (class, last, next) = (following, kind, after);
                }
                Class::Mark => next = after,
                Class::ZeroWidthJoiner => {
                    if after < length && !matches!(self.tables.kind(text, after).0.class(), Class::Letter | Class::Mark)
                    {
                        return None;
                    }
                    next = after;
                }
                Class::Between | Class::BetweenLetters | Class::BetweenDigits if after < length => {
                    let (second, after) = self.tables.kind(text, after);
                    if last.is_hebrew() || second.class().may_be_mark() {
                        return None;
                    }
                    let joins = match following {
                        Class::BetweenLetters => class == Class::Letter,
                        Class::BetweenDigits => class == Class::Digit,
                        _ => matches!(class, Class::Letter | Class::Digit),
                    };
                    if !joins || second.class() != class {
                        break;
                    }
                    has_parts |= following != Class::BetweenDigits;
                    (last, next) = (second, after);
                }
                Class::Unknown => return None,
                // `"` and `'` may stand inside Hebrew words.
                _ if last.is_hebrew() && matches!(text.as_bytes()[next], b'"' | b'\'') => return None,
                _ => break,
            }
            seen |= last.0 | kind.0 & Kind::ALPHANUMERIC;
        }
        Some(Segment { end: next, is_word: seen & Kind::ALPHANUMERIC != 0, has_parts })
    }

    /// Finds the words in the run of characters of complex scripts that begins at `start`; returns where the run ends.
    fn complex_run<'t>(&self, text: &'t str, start: usize, first: usize, each: &mut impl FnMut(&'t str)) -> usize {
        let mut end = first;
        while end < text.len() {
            let (kind, next) = self.tables.kind(text, end);
            match kind.class() {
                Class::Complex => end = next,
                class if class.may_be_mark() => return self.long_way(text, start, each),
                _ => break,
            }
        }
        if end == first {
            if self.tables.kind(text, start).0.is_alphanumeric() {
                each(&text[start..end]);
            }
        } else {
            self.ask(&text[start..end], each);
        }
        end
    }

    /// Finds the words between `start` and the next space by ICU; returns where this text ends.
    fn long_way<'t>(&self, text: &'t str, start: usize, each: &mut impl FnMut(&'t str)) -> usize {
        let rest = &text.as_bytes()[start..];
        let end = start + rest.iter().position(|&b| is_space(char::from(b))).unwrap_or(rest.len());
        self.ask(&text[start..end], |segment| part(segment, each));
        end
    }

    /// The segments that contain a letter or digit, by ICU.
    fn ask<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str)) {
        let mut start = 0;
        for end in self.tables.icu.segment_str(text) {
            let segment = &text[start..end];
            if self.tables.is_word(segment) {
                each(segment);
            }
            start = end;
        }
    }
}

impl Tables {
    /// The kind of the character at `at`, and where the next one begins.
    #[inline]
    fn kind(&self, text: &str, at: usize) -> (Kind, usize) {
        let first = text.as_bytes()[at];
        if first < 0x80 {
            return (self.kinds[usize::from(first)], at + 1);
        }
        let character = text[at..].chars().next().unwrap_or('\u{fffd}');
        let kind = self.kinds.get(character as usize).copied().unwrap_or_else(|| Kind::of(character));
        (kind, at + character.len_utf8())
    }

    fn is_digit(&self, character: char) -> bool {
        self.kinds.get(character as usize).copied().unwrap_or_else(|| Kind::of(character)).class() == Class::Digit
    }

    fn is_alphanumeric(&self, character: char) -> bool {
        self.kinds.get(character as usize).map_or_else(|| character.is_alphanumeric(), |kind| kind.is_alphanumeric())
    }

    fn is_word(&self, segment: &str) -> bool {
        segment.chars().any(|c| self.is_alphanumeric(c))
    }

    /// The [`hash`] of a word.
    fn hash(&self, word: &str) -> u64 {
        let mut form = [0; 2 * MAX_SHORT];
        match self.short_form(word, &mut form) {
            Some(length) => xxh3_64(&form[..length]),
            None => {
                let mut form = String::with_capacity(word.len());
                normalise(word, &mut form);
                xxh3_64(form.as_bytes())
            }
        }
    }

    /// Writes the normal form of a word of at most [`MAX_SHORT`] bytes and returns its length; `None` for longer words and for those with
    /// characters that are not in the table.
    #[inline]
    fn short_form(&self, word: &str, form: &mut [u8; 2 * MAX_SHORT]) -> Option<usize> {
        if word.len() > MAX_SHORT {
            return None;
        }
        let mut length = 0;
        for character in word.chars() {
            let code = character as u32;
            let lower = match self.lower.get(code as usize) {
                Some(&lower) => u32::from(lower),
                None if code < CASED_AGAIN || HANGUL.contains(&code) => code,
                None => 0,
            };
            if lower < 0x80 {
                if lower == 0 {
                    return None;
                }
                form[length] = lower as u8;
                length += 1;
            } else {
                length += char::from_u32(lower)?.encode_utf8(&mut form[length..]).len();
            }
        }
        Some(length)
    }
}

/// Words of more bytes are rare. The lower case of a word has at most twice as many bytes.
const MAX_SHORT: usize = 64;

/// The class of a character, and a flag for the letters of Hebrew.
fn class_of(character: char) -> (Class, u8) {
    let class = match character {
        ' ' | '\t'..='\r' => Class::Space,
        _ if is_complex(character) => Class::Complex,
        // Scripts for which ICU has neither rules nor dictionaries.
        '\u{1950}'..='\u{19cf}' | '\u{19de}' | '\u{19df}' | '\u{1a20}'..='\u{1a7e}' | '\u{1aa0}'..='\u{1aad}' => {
            Class::Unknown
        }
        '\u{aa80}'..='\u{aadf}' => Class::Unknown,
        // The most frequent characters of higher planes are pictures.
        '\u{10000}'..='\u{1efff}' | '\u{1f1e6}'..='\u{1f1ff}' | '\u{1fb00}'.. => Class::Unknown,
        '\'' => Class::Between,
        _ => match CodePointMapData::<WordBreak>::new().get(character) {
            WordBreak::ALetter => Class::Letter,
            WordBreak::HebrewLetter => return (Class::Letter, Kind::HEBREW),
            WordBreak::Numeric => Class::Digit,
            WordBreak::ExtendNumLet => Class::Joiner,
            WordBreak::Katakana => Class::Katakana,
            WordBreak::MidNum => Class::BetweenDigits,
            WordBreak::MidLetter => Class::BetweenLetters,
            WordBreak::MidNumLet => Class::Between,
            WordBreak::Extend | WordBreak::Format => Class::Mark,
            WordBreak::ZWJ => Class::ZeroWidthJoiner,
            WordBreak::RegionalIndicator => Class::Unknown,
            _ => Class::Other,
        },
    };
    (class, 0)
}

/// True for the scripts whose words ICU finds by dictionary.
fn is_complex(character: char) -> bool {
    matches!(
        character as u32,
        // Thai and Lao.
        0xe01..=0xe3a | 0xe40..=0xe4e
            | 0xe81 | 0xe82 | 0xe84 | 0xe86..=0xe8a | 0xe8c..=0xea3 | 0xea5 | 0xea7..=0xebd | 0xec0..=0xec4 | 0xec6
            | 0xec8..=0xece | 0xedc..=0xedf
            // Burmese and Khmer.
            | 0x1000..=0x103f | 0x1050..=0x108f | 0x109a..=0x109f | 0xa9e0..=0xa9ef | 0xa9fa..=0xa9fe | 0xaa60..=0xaa7f
            | 0x1780..=0x17d3 | 0x17d7 | 0x17dc | 0x17dd
            // Han and Hiragana.
            | 0x2e80..=0x2e99 | 0x2e9b..=0x2ef3 | 0x2f00..=0x2fd5 | 0x3005 | 0x3007 | 0x3021..=0x3029 | 0x3038..=0x303b
            | 0x3041..=0x3096 | 0x309d..=0x309f | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfa6d | 0xfa70..=0xfad9
            | 0x1f200 | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_b81d | 0x2_b820..=0x2_cead | 0x2_ceb0..=0x2_ebe0
            | 0x2_f800..=0x2_fa1d | 0x3_0000..=0x3_134a
    )
}

/// U+3000, as wide as a character of Chinese.
const WIDE_SPACE: char = '\u{3000}';

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

/// What may follow an apostrophe without being a word of its own.
const SHORT_FORMS: &[&str] = &["s", "t", "m", "d", "re", "ve", "ll"];

/// Divides a segment into words at apostrophes that stand for an elision, and at colons.
fn part<'t>(segment: &'t str, each: &mut impl FnMut(&'t str)) {
    let mut rest = segment;
    // Such segments are rare, and looking at bytes excludes most others.
    while let Some(at) = rest.bytes().position(|b| matches!(b, b'\'' | b':' | 0xe2)) {
        let found = rest[at..].chars().next().filter(|&c| matches!(c, '\'' | ':' | '\u{2018}' | '\u{2019}'));
        let Some(separator) = found else { break };
        let after = &rest[at + separator.len_utf8()..];
        let is_short = separator != ':' && SHORT_FORMS.iter().any(|form| after.eq_ignore_ascii_case(form));
        if is_short || !TABLES.is_word(after) || !TABLES.is_word(&rest[..at]) {
            break;
        }
        each(&rest[..at]);
        rest = after;
    }
    each(rest);
}

/// Hash (xxh3, 64 bits) of the normal form of a word.
///
/// Letters are lower case, one by one (so `İ` gives two characters, and `Σ` is always `σ`); full-width letters and digits are replaced by
/// the plain ones, and every apostrophe by `'`.
pub fn hash(word: &str) -> u64 {
    TABLES.hash(word)
}

/// The normal form of which [`hash`] is the hash.
#[cfg(test)]
pub fn normal_form(word: &str) -> String {
    let mut form = String::with_capacity(word.len());
    normalise(word, &mut form);
    form
}

/// The normal form of a character, if it is one character of the first plane.
fn plain_lower(character: char) -> Option<u16> {
    let mut form = String::new();
    normalise(character.encode_utf8(&mut [0; 4]), &mut form);
    let mut characters = form.chars();
    let first = characters.next()?;
    if characters.next().is_some() { None } else { u16::try_from(first as u32).ok() }
}

fn normalise(word: &str, form: &mut String) {
    for character in word.chars() {
        match character {
            '\u{2018}' | '\u{2019}' => form.push('\''),
            '\u{ff01}'..='\u{ff5e}' => {
                form.extend(char::from_u32(character as u32 - 0xfee0).into_iter().flat_map(char::to_lowercase));
            }
            'Σ' | 'ς' => form.push('σ'),
            _ => form.extend(character.to_lowercase()),
        }
    }
}

/// True for words that are made of digits, whatever separates them: `2026`, `1,000`, `3.14`.
#[cfg(test)]
pub fn is_number(word: &str) -> bool {
    number(word).is_some()
}

/// The digit zero of the scripts in use. In each script the other digits follow it (Unicode, general category Nd).
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
    0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x10d30, 0x11136, 0x1e140, 0x1e950,
];

/// The hash of a number's digits; `None` for words that are not numbers.
///
/// Separators are dropped, so that `1,000`, `1.000` and `1'000` are one number in any language, and so are `3.14` and
/// `3,14`. The digits of other scripts in use count as those of ASCII.
pub fn number(word: &str) -> Option<u64> {
    // Most words end here.
    if word.as_bytes().first().is_none_or(|&b| b.is_ascii_alphabetic() || b == b'_') {
        return None;
    }
    let mut digits = [0; 32];
    let mut count = 0;
    for character in word.chars() {
        match digit(character) {
            Some(digit) if count < digits.len() => {
                digits[count] = b'0' + digit;
                count += 1;
            }
            Some(_) => {}
            None if TABLES.is_alphanumeric(character) || character == '_' => return None,
            None => {}
        }
    }
    (count > 0).then(|| xxh3_64(&digits[..count]))
}

/// The [hashes](number) of the numbers in a word that has letters too: `4ª`, `Artikel4`.
pub fn numbers_inside(word: &str) -> impl Iterator<Item = u64> {
    // Most words have none.
    let word = if word.chars().any(|character| TABLES.is_digit(character)) { word } else { "" };
    let parts = |character| digit(character).is_none() && (TABLES.is_alphanumeric(character) || character == '_');
    word.split(parts).filter_map(number)
}

/// The value of a decimal digit of any script in use; `None` for other characters.
pub fn digit(character: char) -> Option<u8> {
    let code = u32::from(character);
    if code < 0x80 {
        return character.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
    }
    let at = ZEROS.partition_point(|&zero| zero <= code);
    let zero = at.checked_sub(1).map(|at| ZEROS[at])?;
    u8::try_from(code - zero).ok().filter(|digit| *digit < 10)
}

#[cfg(test)]
mod tests {
    use icu_properties::props::GeneralCategory;
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        Words::new().for_each(text, |word, _| found.push(word));
        found
    }

    #[test]
    fn a_word_has_one_hash_however_it_is_written() {
        assert_eq!(hash("Straße"), hash("straße"));
        assert_eq!(hash("ΟΔΟΣ"), hash("οδος"));
        assert_eq!(hash("２０２６"), hash("2026"));
    }

    #[test]
    fn words_of_many_languages_are_found() {
        let cases: &[(&str, &[&str])] = &[
            ("Don't panic, e.g. at 3.14 or 1,000!", &["Don't", "panic", "e.g", "at", "3.14", "or", "1,000"]),
            ("L'homme qu’elle aujourd'hui", &["L", "homme", "qu", "elle", "aujourd", "hui"]),
            ("the editor’s we'll", &["the", "editor’s", "we'll"]),
            ("«Größe» — naïve: _x_ a_b", &["Größe", "naïve", "_x_", "a_b"]),
            ("Это было 5-го мая", &["Это", "было", "5", "го", "мая"]),
            ("", &[]),
            ("… !? --", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&words(text), expected, "{text}");
            assert_eq!(Words::new().count(text), expected.len(), "{text}");
        }
        // Scripts without spaces have several words.
        assert_eq!(words("香港天文台。"), ["香港", "天文台"]);
        assert!(words("私は日本語を勉強します。").len() >= 5);
        assert!(words("สวัสดีชาวโลก").len() >= 2);
    }

    #[test]
    fn numbers_are_one_in_every_language() {
        for (one, other) in
            [("1,000", "1.000"), ("2026", "２０２６"), ("3.14", "3,14"), ("12", "١٢"), ("1978", "১৯৭৮"), ("30", "၃၀")]
        {
            assert_eq!(number(one), number(other), "{one} {other}");
            assert!(is_number(one));
        }
        for word in ["h264", "2nd", "", "-", "a_1", "m²"] {
            assert!(!is_number(word), "{word}");
        }
        assert_ne!(number("12"), number("21"));
        assert_eq!(['7', '٧', '７', 'a', 'é', '三'].map(digit), [Some(7), Some(7), Some(7), None, None, None]);
        let category = CodePointMapData::<GeneralCategory>::new();
        let is_digit = |code: u32| category.get32(code) == GeneralCategory::DecimalNumber;
        for &zero in ZEROS {
            assert!((zero..zero + 10).all(is_digit) && !is_digit(zero - 1), "{zero:x}");
        }
    }

    #[test]
    fn numbers_stand_inside_words_too() {
        let inside = |word: &str| numbers_inside(word).collect::<Vec<_>>();
        for (word, numbers) in [
            ("4ª", vec!["4"]),
            ("Artikel4", vec!["4"]),
            ("a12b3", vec!["12", "3"]),
            ("3.5GB", vec!["35"]),
            ("٤م", vec!["4"]),
            ("章", vec![]),
            ("m²", vec![]),
        ] {
            assert_eq!(inside(word), numbers.into_iter().map(hash).collect::<Vec<_>>(), "{word}");
        }
    }

    /// Words by ICU alone, in each run without spaces.
    fn by_icu(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for run in text.split(is_space) {
            Words::new().ask(run, |segment| part(segment, &mut |word| found.push(word)));
        }
        found
    }

    #[test]
    fn every_character_is_segmented_as_icu_does() {
        let mut wrong = Vec::new();
        let old = |code: &u32| !NEW.iter().any(|range| range.contains(code));
        // Of ideographs and syllables a part is enough, since all behave alike.
        let codes = (0..0x3500u32).chain(0x9f00..0xac10).chain(0xd700..0x1_0000).chain((0x1_0000..0x3_0000).step_by(7));
        for c in codes.filter(old).filter_map(char::from_u32) {
            for text in [
                format!("a{c}b"),
                format!("1{c}2"),
                format!("1{c}b {c} a{c}"),
                format!("_{c}b-{c}{c}"),
                format!("é{c}{c}б"),
                format!("a'{c}.d"),
                format!("א{c}א"),
                format!("漢{c}字カ{c}あ{c}{c}い"),
                format!("ก{c}ข-{c}\u{301}"),
            ] {
                if words(&text) != by_icu(&text) {
                    wrong.push((text.clone(), words(&text).join("|"), by_icu(&text).join("|")));
                }
            }
        }
        assert!(wrong.is_empty(), "{} {:?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    }

    /// Letters and marks of Unicode 18, which the table of properties has, but not yet the rules of the segmenter.
    const NEW: &[std::ops::RangeInclusive<u32>] = &[
        0x558..=0x558,
        0x58b..=0x58c,
        0x5c8..=0x5c9,
        0xb53..=0xb54,
        0x1ade..=0x1adf,
        0x1aec..=0x1af0,
        0x208f..=0x208f,
        0x209d..=0x209f,
        0xa7dd..=0xa7dd,
        0xa7e2..=0xa7e2,
        0xab6c..=0xab6d,
    ];

    proptest! {
        #[test]
        fn the_short_way_gives_what_icu_gives(text in r"[a-cé'’.,:;_·α-γа-в\-  0-2\n\t“”]{0,24}") {
            prop_assert_eq!(words(&text), by_icu(&text));
        }

        #[test]
        fn signs_of_many_scripts_are_parted_as_icu_does(text in r#"[a.'’":,_²1٣אבعֿ\u{301}\u{94d}\u{200c}\u{200d}\u{ad}नि한각カー゛ｶ漢字あのกำไข่ລາວខ្មែរမြန်😀🇩🇪©\u{3000} ]{0,16}"#) {
            prop_assert_eq!(words(&text), by_icu(&text));
        }

        #[test]
        fn runs_that_need_the_long_way_do_not_disturb_the_others(text in r"[a-c'.0-1 \n中国的カナ\u{301}\u{200d}ก️©]{0,24}") {
            prop_assert_eq!(words(&text), by_icu(&text));
        }

        #[test]
        fn any_text_is_taken_apart(text in any::<String>()) {
            let mut last = 0;
            Words::new().for_each(&text, |word, code| {
                let at = word.as_ptr() as usize - text.as_ptr() as usize;
                assert!(at >= last && !word.is_empty());
                assert_eq!(code, hash(word));
                assert_eq!(code, xxh3_64(normal_form(word).as_bytes()));
                last = at + word.len();
            });
        }
    }
}
