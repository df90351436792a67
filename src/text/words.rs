//! The words of a text in any language, each with the hash it is looked up by.
//!
//! Segments are those of Unicode (UAX 29), with dictionaries for Chinese and Japanese and models for Thai and its
//! neighbours, as ICU gives them. Text in Latin, Greek and Cyrillic letters takes a shorter way to the same segments.

use icu_segmenter::WordSegmenter;
use icu_segmenter::WordSegmenterBorrowed;
use icu_segmenter::options::WordBreakInvariantOptions;
use xxhash_rust::xxh3::xxh3_64;

/// Takes texts apart into words. Made once, used by any number of threads.
pub struct Words {
    icu: WordSegmenterBorrowed<'static>,
    classes: Box<[Class; TABLED]>,
}

/// Characters below this have their class in a table: Latin, Greek, Cyrillic.
const TABLED: usize = 0x530;

/// What a character is to the borders of words (UAX 29, table 3), as far as the short way knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Stands alone.
    Other,
    Letter,
    Digit,
    /// `_`: joins letters and digits.
    Joiner,
    /// Joins two digits: `,`.
    BetweenDigits,
    /// Joins two letters: `·`, and `:`, at which words are parted later.
    BetweenLetters,
    /// Joins two letters or two digits: `.` and apostrophes.
    Between,
    /// Parts words at all events.
    Space,
    /// Needs the long way.
    Unknown,
}

impl Default for Words {
    fn default() -> Words {
        Words::new()
    }
}

impl Words {
    /// Words by the rules and dictionaries inside the binary.
    pub fn new() -> Words {
        let mut classes = Box::new([Class::Unknown; TABLED]);
        for (code, class) in classes.iter_mut().enumerate() {
            *class = u32::try_from(code).ok().and_then(char::from_u32).map_or(Class::Unknown, class_of);
        }
        Words { icu: WordSegmenter::new_auto(WordBreakInvariantOptions::default()), classes }
    }

    /// Calls `each` with every word in order: as it stands in the text, and the hash of its [normal form](hash).
    ///
    /// A word is a segment with a letter or a digit in it. Segments of two parts with an apostrophe between them are
    /// two words, as in `l'homme` and `dell’anno`, unless the second is a short form of English (`don't`, `we'll`):
    /// dictionaries have the parts. So are those with a colon, which few languages have inside words (`note:this`).
    pub fn for_each<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str, u64)) {
        let mut form = String::new();
        self.segments(text, |segment| {
            if is_word(segment) {
                part(segment, &mut |word| each(word, hash_with(word, &mut form)));
            }
        });
    }

    /// How many words a text has.
    pub fn count(&self, text: &str) -> usize {
        let mut count = 0;
        self.segments(text, |segment| {
            if is_word(segment) {
                part(segment, &mut |_| count += 1);
            }
        });
        count
    }

    /// Calls `each` with every segment that may be a word, in order; most that cannot be one are left out.
    fn segments<'t>(&self, text: &'t str, mut each: impl FnMut(&'t str)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if is_space(bytes[at]) {
                at += 1;
                continue;
            }
            // Space parts words whatever stands about it, so what stands between spaces can go either way.
            match self.short_way(text, at, &mut each) {
                Ok(end) => at = end,
                Err(unknown) => {
                    let rest = &bytes[unknown..];
                    let end = unknown + rest.iter().position(|&b| is_space(b)).unwrap_or(rest.len());
                    self.long_way(&text[at..end], &mut each);
                    at = end;
                }
            }
        }
    }

    /// Segments of the run that begins at `start` and ends before the next space, and that end. `Err` with the place
    /// of the first character that needs the long way; then no segment was given.
    fn short_way<'t>(&self, text: &'t str, start: usize, each: &mut impl FnMut(&'t str)) -> Result<usize, usize> {
        let end = self.run(text, start)?;
        let mut at = start;
        while at < end {
            let (mut class, mut next) = self.class(text, at);
            if !matches!(class, Class::Letter | Class::Digit | Class::Joiner) {
                at = next;
                continue;
            }
            while next < end {
                let (following, after) = self.class(text, next);
                let joined = match following {
                    Class::Letter | Class::Digit | Class::Joiner => Some((following, after)),
                    Class::Between | Class::BetweenLetters | Class::BetweenDigits if after < end => {
                        let (second, after) = self.class(text, after);
                        let joins = match following {
                            Class::BetweenLetters => class == Class::Letter,
                            Class::BetweenDigits => class == Class::Digit,
                            _ => matches!(class, Class::Letter | Class::Digit),
                        };
                        (joins && second == class).then_some((second, after))
                    }
                    _ => None,
                };
                let Some((joined, after)) = joined else { break };
                (class, next) = (joined, after);
            }
            each(&text[at..next]);
            at = next;
        }
        Ok(end)
    }

    /// Where the run from `start` ends: at a space or at the end of the text.
    fn run(&self, text: &str, start: usize) -> Result<usize, usize> {
        let bytes = text.as_bytes();
        let mut at = start;
        while at < bytes.len() {
            if bytes[at] < 0x80 {
                if is_space(bytes[at]) {
                    return Ok(at);
                }
                at += 1;
                continue;
            }
            let (class, next) = self.class(text, at);
            match class {
                Class::Unknown => return Err(at),
                _ => at = next,
            }
        }
        Ok(at)
    }

    /// The class of the character at `at`, and where the next one begins.
    fn class(&self, text: &str, at: usize) -> (Class, usize) {
        let first = text.as_bytes()[at];
        if first < 0x80 {
            return (self.classes[usize::from(first)], at + 1);
        }
        let character = text[at..].chars().next().unwrap_or('\u{fffd}');
        let class = self.classes.get(character as usize).copied().unwrap_or_else(|| class_of(character));
        (class, at + character.len_utf8())
    }

    fn long_way<'t>(&self, text: &'t str, each: &mut impl FnMut(&'t str)) {
        let mut start = 0;
        for end in self.icu.segment_str(text) {
            if end > start {
                each(&text[start..end]);
            }
            start = end;
        }
    }
}

fn class_of(character: char) -> Class {
    match character {
        ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => Class::Space,
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        '_' => Class::Joiner,
        ',' | ';' => Class::BetweenDigits,
        '.' | '\'' | '\u{2018}' | '\u{2019}' => Class::Between,
        ':' | '\u{b7}' => Class::BetweenLetters,
        '\0'..='\u{7f}' => Class::Other,
        '\u{aa}' | '\u{b5}' | '\u{ba}' | '\u{c0}'..='\u{24f}' if character.is_alphabetic() => Class::Letter,
        '\u{d7}' | '\u{f7}' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{b1}' | '\u{b4}' | '\u{b6}' | '\u{bb}' | '\u{bf}' => {
            Class::Other
        }
        '\u{370}'..='\u{52f}' if character.is_alphabetic() => Class::Letter,
        // Dashes, quotation marks, the bullet.
        '\u{2010}'..='\u{2017}' | '\u{201a}'..='\u{2022}' => Class::Other,
        _ => Class::Unknown,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn is_word(segment: &str) -> bool {
    segment.bytes().any(|b| b.is_ascii_alphanumeric())
        || (!segment.is_ascii() && segment.chars().any(char::is_alphanumeric))
}

/// What may follow an apostrophe without being a word of its own.
const SHORT_FORMS: &[&str] = &["s", "t", "m", "d", "re", "ve", "ll"];

/// Gives the words of a segment: two or more where apostrophes elide, and where colons stand.
fn part<'t>(segment: &'t str, each: &mut impl FnMut(&'t str)) {
    let mut rest = segment;
    // Such segments are rare, and a byte excludes most of the others.
    while let Some(at) = rest.bytes().position(|b| matches!(b, b'\'' | b':' | 0xe2)) {
        let found = rest[at..].chars().next().filter(|&c| matches!(c, '\'' | ':' | '\u{2018}' | '\u{2019}'));
        let Some(separator) = found else { break };
        let after = &rest[at + separator.len_utf8()..];
        let is_short = separator != ':' && SHORT_FORMS.iter().any(|form| after.eq_ignore_ascii_case(form));
        if is_short || !is_word(after) || !is_word(&rest[..at]) {
            break;
        }
        each(&rest[..at]);
        rest = after;
    }
    each(rest);
}

/// Hash (xxh3, 64 bits) of the normal form of a word.
///
/// Letters are lower case, one by one (so `İ` gives two characters and `Σ` always `σ`); full-width letters and digits
/// are the plain ones, and every apostrophe is `'`.
#[cfg(any(test, feature = "internals"))]
pub fn hash(word: &str) -> u64 {
    hash_with(word, &mut String::new())
}

/// The normal form that [`hash`] is the hash of.
#[cfg(test)]
pub fn normal_form(word: &str) -> String {
    let mut form = String::with_capacity(word.len());
    normalise(word, &mut form);
    form
}

fn hash_with(word: &str, form: &mut String) -> u64 {
    let bytes = word.as_bytes();
    let mut short = [0; 32];
    if word.is_ascii() && bytes.len() <= short.len() {
        let short = &mut short[..bytes.len()];
        short.copy_from_slice(bytes);
        short.make_ascii_lowercase();
        return xxh3_64(short);
    }
    form.clear();
    normalise(word, form);
    xxh3_64(form.as_bytes())
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

/// True for words of digits, whatever separates them: `2026`, `1,000`, `3.14`.
#[cfg(test)]
pub fn is_number(word: &str) -> bool {
    number(word).is_some()
}

/// The hash of a number's digits; `None` for words that are none.
///
/// Separators are dropped, so that `1,000`, `1.000` and `1'000` are one number in any language, and so are `3.14` and
/// `3,14`. Digits of other scripts that are common on web pages (full-width, Arabic, Persian, Devanagari) count as
/// those of ASCII.
pub fn number(word: &str) -> Option<u64> {
    let mut digits = [0; 32];
    let mut count = 0;
    for character in word.chars() {
        let code = u32::from(character);
        let zero = match character {
            '0'..='9' => 0x30,
            '٠'..='٩' => 0x660,
            '۰'..='۹' => 0x6f0,
            '०'..='९' => 0x966,
            '０'..='９' => 0xff10,
            _ if character.is_alphanumeric() || character == '_' => return None,
            _ => continue,
        };
        if count < digits.len() {
            digits[count] = b'0' + u8::try_from(code - zero).unwrap_or_default();
            count += 1;
        }
    }
    (count > 0).then(|| xxh3_64(&digits[..count]))
}

#[cfg(test)]
mod tests {
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
        // Scripts without spaces have more than one word.
        assert_eq!(words("香港天文台。"), ["香港", "天文台"]);
        assert!(words("私は日本語を勉強します。").len() >= 5);
        assert!(words("สวัสดีชาวโลก").len() >= 2);
    }

    #[test]
    fn numbers_are_one_in_every_language() {
        for (one, other) in [("1,000", "1.000"), ("2026", "２０２６"), ("3.14", "3,14"), ("12", "١٢")] {
            assert_eq!(number(one), number(other), "{one} {other}");
            assert!(is_number(one));
        }
        for word in ["h264", "2nd", "", "-", "a_1", "m²"] {
            assert!(!is_number(word), "{word}");
        }
        assert_ne!(number("12"), number("21"));
    }

    /// Words by ICU alone.
    fn by_icu(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        Words::new().long_way(text, &mut |segment| {
            if is_word(segment) {
                part(segment, &mut |word| found.push(word));
            }
        });
        found
    }

    #[test]
    fn every_character_of_the_short_way_is_segmented_as_icu_does() {
        let short = (0..0x2100).filter_map(char::from_u32).filter(|&c| class_of(c) != Class::Unknown);
        let mut wrong = Vec::new();
        for c in short {
            for text in [
                format!("a{c}b"),
                format!("1{c}2"),
                format!("a{c}2"),
                format!("1{c}b"),
                format!("{c}"),
                format!("a{c}"),
                format!("_{c}b"),
                format!("é{c}{c}б"),
                format!("a'{c}.d"),
            ] {
                if words(&text) != by_icu(&text) {
                    wrong.push((text.clone(), words(&text).join("|"), by_icu(&text).join("|")));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    proptest! {
        #[test]
        fn the_short_way_gives_what_icu_gives(text in r"[a-cé'’.,:;_·α-γа-в\-  0-2\n\t“”]{0,24}") {
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
