//! Decides what the ends of lines and of elements mean for the text on both sides of them.
//!
//! A style sheet, which is not read here, says whether elements of HTML are boxes and lines or parts of a sentence. So the text itself has
//! to tell: by capital letters, marks at the ends of lines, and lengths.

use crate::text::lists::is_item;

/// True when a line feed of the source between two texts is not even a space: between wide characters other than Hangul (CSS Text 3, §4.1.3).
pub fn is_unspaced(before: &str, next: &str) -> bool {
    before.chars().next_back().is_some_and(is_wide) && next.chars().next().is_some_and(is_wide)
}

/// True for characters of scripts that are written without spaces between wide characters: Han, kana, Yi, Bopomofo, and their signs.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c),
        0x2e80..=0x2fff | 0x3001..=0x312f | 0x3190..=0x31ff | 0x3220..=0x325f | 0x3280..=0xa4cf | 0xf900..=0xfaff
        | 0xfe30..=0xfe4f | 0xff01..=0xff9f | 0xffe0..=0xffe6 | 0x1_6fe0..=0x1_b2ff | 0x1_f200..=0x1_f2ff
        | 0x2_0000..=0x3_ffff)
}

/// True for characters of scripts that are written without spaces between words: those of [`is_wide`], Thai, Lao, Burmese and Khmer.
fn is_written_unspaced(c: char) -> bool {
    is_wide(c) || matches!(u32::from(c), 0xe00..=0xeff | 0x1000..=0x109f | 0x1780..=0x17ff)
}

/// Characters after which a line ends for good.
const ENDS: &[char] = &['.', '!', '?', ':', ';', '…', '。', '！', '？', '：', '；'];
/// Signs and particles after which a Japanese or Chinese sentence goes on.
const GOES_ON: &[char] = &['、', '，', 'を', 'に', 'の', 'は', 'が', 'と', 'で', 'も', 'や', 'へ'];
/// A line that ends with a word of so many small letters goes on: `in`, `and`, `для`.
const SHORT_LETTERS: usize = 3;

/// True when a sentence may go on from a line to the `next` at `<br>`.
///
/// Most lines that end with `<br>` are verses, addresses, names or programs. In running text, a `<br>` stands before a small letter or
/// after a short word. After a script without small letters, a small letter begins a name: `概要<br>nginx は`.
pub fn goes_on(line: &str, next: &str) -> bool {
    if line.ends_with(ENDS) || is_item(next) {
        return false;
    }
    let has_case =
        || line.chars().rev().find(|c| c.is_alphabetic()).is_none_or(|c| c.is_lowercase() || c.is_uppercase());
    if next.starts_with([',', ')', ']', '»']) || next.starts_with(char::is_lowercase) && has_case() {
        return true;
    }
    let word = line.rsplit(' ').next().unwrap_or("");
    let is_short = |word: &str| word.chars().all(char::is_lowercase) && word.chars().count() <= SHORT_LETTERS;
    line.ends_with(GOES_ON) || !word.is_empty() && word.len() < line.len() && is_short(word)
}

/// What is missing between two texts that have nothing but tags of inline elements between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing.
    Nothing,
    /// A space.
    Space,
    /// The end of a line.
    Line,
}

/// How many letters in a row must stand before a number that is no part of the word: a space is missing in `Next1.2`, but not in `mp3.`.
const NUMBERED_LETTERS: usize = 4;

/// Two elements beside each other that a style sheet may show as boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boxes {
    /// They are no boxes.
    No,
    /// Links, or elements of a design system.
    Some,
    /// Two links, in a block that has had no words but those of links before them.
    Menu,
}

/// What is missing between two texts at the tags of inline elements. Boxes in a row without a space between them are items of a menu; but
/// where a script has no spaces, links may stand side by side in a sentence.
pub fn missing_between(before: &str, next: &str, boxes: Boxes) -> Missing {
    let (Some(last), Some(first)) = (before.chars().next_back(), next.chars().next()) else { return Missing::Nothing };
    let has_case = last.is_lowercase() || last.is_uppercase();
    if boxes == Boxes::No && last.is_alphabetic() && !has_case && is_of_heading(next) {
        return Missing::Space;
    }
    let touches_unspaced = is_written_unspaced(last) || is_written_unspaced(first);
    if !last.is_alphanumeric() || !first.is_alphanumeric() || touches_unspaced && boxes != Boxes::Menu {
        return Missing::Nothing;
    }
    if boxes != Boxes::No {
        return Missing::Line;
    }
    let second = || next.chars().nth(1);
    let begins_word = first.is_uppercase() && second().is_some_and(char::is_lowercase);
    let is_end = last.is_lowercase() || last.is_ascii_digit();
    if is_end && begins_word || last.is_lowercase() && is_number(next) && is_word(before) {
        return Missing::Space;
    }
    Missing::Nothing
}

/// True for text that begins with the number of a heading: `3.6.`, `2. `.
fn is_number(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(rest) = rest.strip_prefix('.').filter(|_| rest.len() < text.len()) else { return false };
    rest.starts_with(|c: char| c.is_ascii_digit() || c.is_whitespace())
}

/// True for text that begins with a number that can only be that of a heading: `9.10. `.
fn is_of_heading(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = &text[..text.len() - rest.len()];
    is_number(number) && number.ends_with('.') && rest.starts_with(char::is_whitespace)
}

/// True for text that ends with a word to which no number belongs.
fn is_word(text: &str) -> bool {
    text.chars().rev().take(NUMBERED_LETTERS).filter(|c| c.is_alphabetic()).count() == NUMBERED_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn han_and_kana_are_written_without_spaces() {
        for (before, next) in [("本プロ", "ジェクト"), ("文档。", "如果"), ("ｶﾅ", "漢")] {
            assert!(is_unspaced(before, next), "{before}{next}");
        }
        for (before, next) in
            [("한국어", "문장"), ("使用", "Nacos"), ("a", "b"), ("", "漢"), ("好”", "他"), ("ไทย", "ไทย")]
        {
            assert!(!is_unspaced(before, next), "{before}{next}");
        }
    }

    #[test]
    fn lines_of_addresses_menus_and_verses_end_and_those_of_sentences_go_on() {
        for (line, next) in [
            ("Museum of Modern Art", "11 West 53rd Street"),
            ("Archivo", "Edición"),
            ("Культура вечная в загоне,", "А на поэзию – плевать"),
            ("It is done.", "and that is it"),
            ("20多种架构特性", "基本符合生产要求"),
            ("ที่อยู่", "กรุงเทพ"),
            ("パーミッションを設定する", "suEXEC は安全です。"),
            ("설치", "nginx는 서버이다."),
            ("• what it is for", "• what it costs"),
            ("– для", "– после"),
        ] {
            assert!(!goes_on(line, next), "{line} | {next}");
        }
        for (line, next) in [
            ("We will support the work of the", "Coalition"),
            ("open-standards and", "interoperable"),
            ("Катя на", "Эйфелевой башне"),
            ("世界中の人々に", "愛される製品"),
            ("see the manual (here", "), please"),
        ] {
            assert!(goes_on(line, next), "{line} | {next}");
        }
    }

    #[test]
    fn a_word_does_not_begin_with_a_capital_inside_another() {
        for (before, next) in [
            ("5.3.1", "Reported online"),
            ("Next", "3.6.\u{a0}Install"),
            ("Heading", "New"),
            ("戻る", "9.10. バックアップ"),
            ("السابق", "9.4. واجهات"),
        ] {
            assert_eq!(missing_between(before, next, Boxes::No), Missing::Space, "{before}{next}");
        }
        for (before, next) in [
            ("W", "ord"),
            ("mp", "3."),
            ("July 5", "th"),
            ("acl_c", "X"),
            ("Post", "SQL"),
            ("使用", "Nacos"),
            ("版本", "2.0"),
            ("版本", "2.0 发布"),
            ("a.", "B"),
        ] {
            assert_eq!(missing_between(before, next, Boxes::No), Missing::Nothing, "{before}{next}");
        }
        assert_eq!(missing_between("HOME", "MANUAL", Boxes::Some), Missing::Line);
        assert_eq!(missing_between("多人", "多工", Boxes::Some), Missing::Nothing);
        assert_eq!(missing_between("社区", "控制台样例", Boxes::Menu), Missing::Line);
    }
}
