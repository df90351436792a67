//! Folds white space and counts words in one pass, and cuts long texts.

/// What stands before the text to be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Before {
    /// The beginning of a block: white space is dropped.
    #[default]
    Start,
    /// White space inside a block: a space is added once more text comes.
    Space,
    /// Text.
    Text,
}

/// Appends `raw`, with one space for each run of white space and control characters, and none at the start of a block. Returns the number
/// of words.
///
/// White space is that of Unicode, which includes no-break and ideographic spaces. Words are separated by white space; in scripts without
/// it (Han, kana) two characters count as a word.
pub fn fold(raw: &str, out: &mut String, before: &mut Before) -> u32 {
    let bytes = raw.as_bytes();
    let mut words = 0;
    let mut at = 0;
    while at < bytes.len() {
        let white = white_len(&bytes[at..]);
        if white > 0 {
            at += white;
            if *before == Before::Text {
                *before = Before::Space;
            }
            continue;
        }
        let start = at;
        loop {
            at = plain_words(bytes, at, &mut words);
            at = word(bytes, at, &mut words);
            // Words with one plain space between them are copied together.
            if bytes.get(at) != Some(&b' ') || at + 1 == bytes.len() || white_len(&bytes[at + 1..]) > 0 {
                break;
            }
            at += 1;
        }
        if *before == Before::Space {
            out.push(' ');
        }
        *before = Before::Text;
        out.push_str(&raw[start..at]);
    }
    words
}

/// `raw` folded by itself.
pub fn folded(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    fold(raw, &mut out, &mut Before::Start);
    out
}

/// The first `max_bytes` of a text, or a little less where a character would be cut.
pub fn head(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The low bit and the high bit of each byte.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// Skips ASCII words that have one plain space between them, eight bytes at a time. `at` is inside a word or at its beginning, and so is
/// the result, which may also be at the end of a word. Adds the words that were passed completely to `words`.
#[inline]
fn plain_words(bytes: &[u8], mut at: usize, words: &mut u32) -> usize {
    while let Some((eight, [next, ..])) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<8>) {
        let eight = u64::from_le_bytes(*eight);
        let at_most_space = !((eight | HIGH) - LOW * 0x21) & HIGH;
        let spaces = !(((eight ^ (LOW * 0x20)) | HIGH) - LOW) & HIGH;
        let ends_in_space = spaces >> 63 == 1;
        let is_plain = eight & HIGH == 0 && at_most_space == spaces && spaces & spaces << 8 == 0;
        if !is_plain || ends_in_space && (*next <= b' ' || !next.is_ascii()) {
            break;
        }
        *words += spaces.count_ones();
        at += 8;
    }
    at
}

/// The end of the word that contains or begins at `at`. Adds this word to `words`.
fn word(bytes: &[u8], mut at: usize, words: &mut u32) -> usize {
    let mut unspaced = 0u32;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if byte <= b' ' {
                break;
            }
            at += 1;
            continue;
        }
        // Letters of Latin, Cyrillic, Arabic and similar scripts.
        if matches!(byte, 0xc3..=0xdf) {
            at += 2;
            continue;
        }
        if white_len(&bytes[at..]) > 0 {
            break;
        }
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let len = char_len(byte);
        // U+3040 to U+9FFF, and the planes of rare Han characters.
        unspaced += u32::from(
            (byte == 0xe3 && next >= 0x81)
                || (0xe4..=0xe9).contains(&byte)
                || byte == 0xf0 && (0xa0..0xb4).contains(&next),
        );
        at += len;
    }
    *words += unspaced.div_ceil(2).max(1);
    at.min(bytes.len())
}

fn char_len(first: u8) -> usize {
    match first {
        0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// The number of bytes of the white space that begins here; 0 if there is none. Control characters count as white space.
fn white_len(bytes: &[u8]) -> usize {
    match *bytes {
        [0..=b' ', ..] => 1,
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(raw: &str) -> u32 {
        fold(raw, &mut String::new(), &mut Before::Start)
    }

    #[test]
    fn words_are_counted_in_scripts_with_and_without_spaces() {
        assert_eq!(count("  three small\u{a0}words \n"), 3);
        assert_eq!(count("漢字かな"), 2);
        assert_eq!(count("漢字か GNU"), 3);
        assert_eq!(count("한국어 문장"), 2);
        assert_eq!(count(" \u{3000} "), 0);
    }

    #[test]
    fn a_run_goes_on_where_the_last_one_stopped() {
        let (mut out, mut before) = (String::new(), Before::Start);
        for raw in [" a", "b ", " c", " ", "\n"] {
            fold(raw, &mut out, &mut before);
        }
        assert_eq!(out, "ab c");
    }

    /// Words counted one character after the other.
    fn count_slowly(raw: &str) -> u32 {
        let unspaced = |c: &char| matches!(u32::from(*c), 0x3040..=0x9fff | 0x2_0000..=0xf_ffff);
        let words = raw.split(|c: char| c.is_whitespace() || c < ' ').filter(|word| !word.is_empty());
        words.map(|word| (word.chars().filter(unspaced).count() as u32).div_ceil(2).max(1)).sum()
    }

    proptest! {
        #[test]
        fn words_passed_together_are_counted_and_kept(raw in "([a-z\u{7f}]{1,9}|[a-z] {1,2}| |\t|\u{0}|é|日|\u{a0}|\u{3000}){0,30}") {
            let slow: Vec<&str> = raw.split(|c: char| c.is_whitespace() || c < ' ').filter(|w| !w.is_empty()).collect();
            prop_assert_eq!(folded(&raw), slow.join(" "));
            prop_assert_eq!(count(&raw), count_slowly(&raw));
        }

        #[test]
        fn folding_equals_splitting_at_white_space(raw in "([a-zé日🦀]|[ \t\n\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{202f}\u{205f}\u{3000}]){0,30}") {
            let slow: Vec<&str> = raw.split_whitespace().collect();
            prop_assert_eq!(folded(&raw), slow.join(" "));
        }

        #[test]
        fn any_text_can_be_folded(raw: String) {
            let slow: Vec<&str> = raw.split(|c: char| c.is_whitespace() || c < ' ').filter(|w| !w.is_empty()).collect();
            prop_assert_eq!(folded(&raw), slow.join(" "));
        }
    }
}
