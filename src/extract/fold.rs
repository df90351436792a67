//! Folds white space and counts words in one pass, and cuts long texts.

use super::lines;

/// What comes before the text that is to be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Before {
    /// The beginning of a block: white space is dropped.
    #[default]
    Start,
    /// White space inside a block: a space is added once more text comes.
    Space,
    /// White space with a line feed in the source: a space, but [nothing between Han or kana](lines::is_unspaced).
    Feed,
    /// A line ends here, as by `<br>`: a line feed is added once more text comes, unless [it goes on](lines::goes_on).
    Line,
    /// A line ends here in any case.
    End,
    /// Text.
    Text,
}

/// Appends `raw`, with one space for each run of white space and control characters, and none at the start of a block. Returns the number
/// of words.
///
/// A line feed of the source between two Han characters or kana is no space (CSS Text 3, §4.1.3), since such text is written without any.
/// Characters that only say where a word may be broken are left out.
///
/// White space is that of Unicode, which includes no-break and ideographic spaces. Words are separated by white space; in scripts without
/// it (Han, kana) two characters count as a word.
pub fn fold(raw: &str, out: &mut String, before: &mut Before) -> u32 {
    let bytes = raw.as_bytes();
    let mut words = 0;
    let mut at = 0;
    let mut hint_at = None;
    while at < bytes.len() {
        let white = white_len(&bytes[at..]);
        if white > 0 {
            *before = after_white(*before, bytes[at]);
            at += white;
            continue;
        }
        let hint = hint_len(&bytes[at..]);
        if hint > 0 && !is_kept(&raw[at..], out) {
            if *before == Before::Feed && raw[at..].starts_with(ZERO_WIDTH_SPACE) {
                *before = Before::Text;
            }
            at += hint;
            hint_at = Some(at);
            continue;
        }
        let start = at;
        // A hint is followed by the rest of a word, and a joiner by what it joins.
        let is_rest = hint_at == Some(at) || hint > 0 && raw[at..].starts_with(['\u{200c}', '\u{200d}']);
        words -= u32::from(is_rest && *before == Before::Text && words > 0);
        loop {
            at = plain_words(bytes, at, &mut words);
            at = word(bytes, at, start, &mut words);
            // Words with one plain space between them are copied together.
            let next = bytes.get(at + 1..).unwrap_or_default();
            if bytes.get(at) != Some(&b' ') || next.is_empty() || white_len(next) > 0 || hint_len(next) > 0 {
                break;
            }
            at += 1;
        }
        match *before {
            Before::Start | Before::Text => {}
            Before::Space => out.push(' '),
            Before::End => out.push('\n'),
            Before::Feed | Before::Line => out.push_str(joint(*before, out, &raw[start..])),
        }
        *before = Before::Text;
        out.push_str(&raw[start..at]);
    }
    words
}

/// What comes before the text, once ASCII white space was read.
pub fn after_blanks(before: Before, blanks: &[u8]) -> Before {
    blanks.iter().fold(before, |before, &blank| after_white(before, blank))
}

/// What comes before the text, once white space was read; `first` is its first byte.
fn after_white(before: Before, first: u8) -> Before {
    match before {
        // Ideographic spaces at the beginning of a line are written on purpose.
        Before::Text | Before::Feed if !first.is_ascii() => Before::Space,
        Before::Text | Before::Space | Before::Feed if matches!(first, b'\n' | b'\r') => Before::Feed,
        Before::Text => Before::Space,
        _ => before,
    }
}

/// This many bytes at the end of a line show whether the sentence goes on: more than a short word has, together with the signs that end a
/// line.
const LINE_BYTES: usize = 64;

/// What is put between a text and the one after the end of a line of the source.
fn joint(before: Before, out: &str, next: &str) -> &'static str {
    if before == Before::Line {
        // The last words of the line are enough; a line that goes on and on would be read again at each of its ends.
        let near = &out[out.floor_char_boundary(out.len().saturating_sub(LINE_BYTES))..];
        let line = &near[memchr::memrchr(b'\n', near.as_bytes()).map_or(0, |feed| feed + 1)..];
        if !lines::goes_on(line, next) {
            return "\n";
        }
    }
    if !next.starts_with(|c: char| c.is_ascii()) && lines::is_unspaced(out, next) { "" } else { " " }
}

const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// The length of a soft hyphen, zero-width space, joiner or byte order mark with which `bytes` begin; 0 if there is none.
#[inline]
fn hint_len(bytes: &[u8]) -> usize {
    match *bytes {
        [0xc2, 0xad, ..] => 2,
        [0xe2, 0x80, 0x8b..=0x8d, ..] | [0xe2, 0x81, 0xa0, ..] | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// True where a character of [`hint_len`] belongs to the text: joiners in scripts whose letters are joined and in signs, and spaces of zero
/// width between words in scripts that have no other spaces.
fn is_kept(rest: &str, out: &str) -> bool {
    let before = out.chars().next_back().map_or(0, u32::from);
    match rest.chars().next() {
        Some('\u{200c}' | '\u{200d}') => {
            // Hebrew to the scripts of South and South East Asia, Mongolian and its neighbours; signs.
            matches!(before, 0x590..=0x109f | 0x1700..=0x1cff | 0x2190..=0x2bff | 0xa800..=0xabff | 0xfe00..=0xfe0f)
                || matches!(before, 0x1_0000..=0x1_1fff | 0x1_e900..=0x1_ffff)
        }
        // Thai, Lao, Tibetan, Myanmar; Khmer.
        Some(ZERO_WIDTH_SPACE) => matches!(before, 0xe00..=0x109f | 0x1780..=0x17ff | 0x1950..=0x19ff),
        _ => false,
    }
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

/// The end of the word that contains or begins at `at`, or the first [hint](hint_len) in it; but one at `start` is passed. Adds this word to
/// `words`.
fn word(bytes: &[u8], mut at: usize, start: usize, words: &mut u32) -> usize {
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
        if white_len(&bytes[at..]) > 0 || at > start && hint_len(&bytes[at..]) > 0 {
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

    #[test]
    fn a_line_feed_between_han_or_kana_is_no_space() {
        for (raw, expected) in [
            ("本プロ\n  ジェクト", "本プロジェクト"),
            ("本プロ \r\n\tジェクト", "本プロジェクト"),
            ("本プロ ジェクト", "本プロ ジェクト"),
            ("。\n\u{3000}\u{3000}本", "。 本"),
            ("한국어\n문장", "한국어 문장"),
            ("使用\nNacos\n的", "使用 Nacos 的"),
            ("ab\n\u{200b}cd", "abcd"),
        ] {
            assert_eq!(folded(raw), expected);
        }
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
        fn folding_equals_splitting_at_white_space(raw in "([a-zé한🦀]|[ \t\n\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{202f}\u{205f}\u{3000}]){0,30}") {
            let slow: Vec<&str> = raw.split_whitespace().collect();
            prop_assert_eq!(folded(&raw), slow.join(" "));
        }

        #[test]
        fn hints_change_nothing_else(raw in "([a-d]{1,9}|é|日| |\u{ad}|\u{200b}|\u{200c}|\u{feff}){0,30}") {
            let plain: String = raw.chars().filter(|c| !"\u{ad}\u{200b}\u{200c}\u{feff}".contains(*c)).collect();
            prop_assert_eq!(folded(&raw), folded(&plain));
            if !plain.contains('日') {
                prop_assert_eq!(count(&raw), count(&plain));
            }
        }

        #[test]
        fn any_text_can_be_folded(raw: String) {
            let slow: Vec<&str> = raw.split(|c: char| c.is_whitespace() || c < ' ').filter(|w| !w.is_empty()).collect();
            prop_assert_eq!(folded(&raw), slow.join(" "));
        }
    }
}
