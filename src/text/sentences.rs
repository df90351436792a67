//! Text block → sentences.

use std::ops::Range;

use crate::types::Lang;

/// What a sentence can end with, of all scripts whose rules we have. Blocks without any are one sentence.
const ENDS: &[char] = &[
    '.', '!', '?', '…', '。', '！', '？', '｡', '．', '։', '؟', '۔', '।', '॥', '။', '።', '፧', '፨', '‼', '⁇', '⁈', '⁉',
    '܀', '܁', '܂', '។', '៕', '᠃', '᠉', '៚', '᪨', '꓿', '꘎', '꘏', '꣎', '꣏', '꤯', '꩝', '꫰', '꯫', '𑁇',
];

/// Calls `each` with the byte range of every sentence of a block, in order: white space at both ends is left out, and
/// together they hold everything else of the block.
///
/// Boundaries are those of the library sentencex, which knows abbreviations, initials, numbers and quotations of some 30
/// languages, and takes the nearest relative for others. A full stop of Chinese or Japanese ends a sentence whatever
/// follows. What has no letter, and the number of a
/// heading (`B.4.10.`), begins the next sentence. A range never crosses a line feed, so blocks put together are never joined.
pub fn for_each_sentence(block: &str, lang: Lang, mut each: impl FnMut(Range<usize>)) {
    let mut start = 0;
    for line in block.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if !line.contains(ENDS) {
            emit(block, at..start, &mut each);
            continue;
        }
        let mut done = at;
        for found in sentencex::get_sentence_boundaries(lang.as_str(), line) {
            // What does not lie on characters, or turns back, is no boundary.
            let end = at + found.end_byte;
            let is_sound = !found.is_paragraph_break && end > done && end <= start && block.is_char_boundary(end);
            // A number belongs to what it numbers: `2.1. The house`, `B.4.10. The cat`.
            if is_sound && says_something(&block[done..end]) {
                emit(block, done..end, &mut each);
                done = end;
            }
        }
        emit(block, done..start, &mut each);
    }
}

/// False for what has no letter, and for the number of a heading: single letters and digits, with points between.
fn says_something(text: &str) -> bool {
    let is_part = |part: &str| part.len() == 1 || part.bytes().all(|b| b.is_ascii_digit());
    let is_number = || {
        let text = text.trim();
        text.is_ascii()
            && text.contains(|c: char| c.is_ascii_digit())
            && text.split(['.', ' ', '-', '(', ')']).all(is_part)
    };
    text.contains(char::is_alphabetic) && !is_number()
}

/// The range without white space at its ends, if anything is left.
fn emit(block: &str, range: Range<usize>, each: &mut impl FnMut(Range<usize>)) {
    let text = &block[range.clone()];
    let trimmed = text.trim_start();
    let start = range.end - trimmed.len();
    let length = trimmed.trim_end().len();
    if length > 0 {
        each(start..start + length);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sentences<'t>(lang: &str, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        for_each_sentence(text, Lang::parse(lang).expect("a language"), |range| found.push(&text[range]));
        found
    }

    #[test]
    fn abbreviations_and_numbers_end_no_sentence() {
        assert_eq!(
            sentences("en", "Dr. Smith used version 1.2, e.g. in Fig. 3. It worked."),
            ["Dr. Smith used version 1.2, e.g. in Fig. 3.", "It worked."]
        );
        assert_eq!(
            sentences("de", "Das ist z. B. gut. Dr. Müller kommt."),
            ["Das ist z. B. gut.", "Dr. Müller kommt."]
        );
    }

    #[test]
    fn chinese_and_japanese_sentences_end_without_a_space() {
        assert_eq!(sentences("zh-Hans", "如果您有。恐怕好！是吗？"), ["如果您有。", "恐怕好！", "是吗？"]);
        assert_eq!(sentences("ja", "これは本です。はい。"), ["これは本です。", "はい。"]);
    }

    #[test]
    fn the_number_of_a_heading_belongs_to_it() {
        assert_eq!(sentences("en", "2.1.7. Braille displays"), ["2.1.7. Braille displays"]);
        assert_eq!(sentences("cs", "B.4.10. Výběr balíků"), ["B.4.10. Výběr balíků"]);
        assert_eq!(sentences("de", "D.3. Das Haus. Wir bauen."), ["D.3. Das Haus.", "Wir bauen."]);
        assert_eq!(sentences("en", "You need 3 MB. So do I."), ["You need 3 MB.", "So do I."]);
        assert_eq!(sentences("fr", "1. Un chat. 2. Deux chats."), ["1. Un chat.", "2. Deux chats."]);
    }

    #[test]
    fn lines_are_never_joined() {
        assert_eq!(sentences("en", " One\nTwo. Three\n"), ["One", "Two.", "Three"]);
        assert!(sentences("en", " \n ").is_empty());
    }

    proptest! {
        #[test]
        fn sentences_hold_all_of_a_text_but_white_space(text in "[a-zÄ。！ .!?\"'()\\n0-9「」…\u{2028}\u{a0}]{0,60}|.{0,40}") {
            for lang in ["en", "zh-Hans", "ja", "fr", "th"] {
                let lang = Lang::parse(lang).expect("a language");
                let mut end = 0;
                for_each_sentence(&text, lang, |range| {
                    assert!(text[end..range.start].trim().is_empty(), "{:?}", &text[end..range.start]);
                    assert!(!range.is_empty() && !text[range.clone()].contains('\n'));
                    assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
                    end = range.end;
                });
                prop_assert!(text[end..].trim().is_empty());
            }
        }
    }
}
