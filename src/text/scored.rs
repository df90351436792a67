//! The line that a scorer is asked about a pair of sentences, and the meaning of its answers. Nothing here starts a program.

use xxhash_rust::xxh3::xxh3_64;

use crate::types::Lang;

/// The line for a pair of sentences: the two texts, each after its language, with tabs between them; `None` where a side has no text. It
/// contains no other tab, and no character that any program takes for the end of a line.
pub fn question(a: (Lang, &str), b: (Lang, &str)) -> Option<String> {
    let mut line = String::with_capacity(a.1.len() + b.1.len() + 20);
    for (lang, text) in [a, b] {
        if !line.is_empty() {
            line.push('\t');
        }
        line.push_str(lang.as_str());
        let start = line.len();
        for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
            line.push(if line.len() == start { '\t' } else { ' ' });
            line.push_str(word);
        }
        if line.len() == start {
            return None;
        }
    }
    Some(line)
}

/// The hash by which the answer to a line is looked up.
pub fn hash(line: &str) -> u64 {
    xxh3_64(line.as_bytes())
}

/// Reads the line that a scorer answers with: one number.
///
/// # Errors
/// A text that says what in the line makes no sense, and what was expected.
pub fn read(line: &str) -> Result<f32, String> {
    let text = line.trim();
    let number = text.parse::<f32>().ok().filter(|number| number.is_finite());
    number
        .ok_or_else(|| format!("{} is no number, expected one such as 0.73", if text.is_empty() { "it" } else { text }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_question_is_one_line_of_four_fields() {
        let of = |a: &str, b: &str| question((Lang::EN, a), (Lang::ZH_HANS, b));
        assert_eq!(
            of(" One\ttwo\r\n three\u{2028}", "一\u{0}二").as_deref(),
            Some("en\tOne two three\tzh-Hans\t一 二")
        );
        assert_eq!((of("", "一"), of("One", " \n")), (None, None));
        let line = of("One", "一").expect("a line");
        assert_ne!(hash(&line), hash(&of("One", "二").expect("a line")));
    }

    #[test]
    fn an_answer_is_one_number() {
        for (line, number) in [("0.73", 0.73), (" -1.5e-2\r", -0.015), ("17", 17.0), (".5", 0.5)] {
            assert_eq!(read(line), Ok(number));
        }
        for (line, problem) in [
            ("", "it is no number, expected one such as 0.73"),
            ("nan", "nan is no number, expected one such as 0.73"),
            ("inf", "inf is no number, expected one such as 0.73"),
            ("0.7 0.8", "0.7 0.8 is no number, expected one such as 0.73"),
            ("score: 1", "score: 1 is no number, expected one such as 0.73"),
        ] {
            assert_eq!(read(line).expect_err(line), problem);
        }
    }

    proptest! {
        #[test]
        fn any_two_texts_are_one_line_or_none(a in "(\\PC|\\s){0,40}", b in "(\\PC|\\s|\u{85}|\t){0,40}") {
            if let Some(line) = question((Lang::EN, &a), (Lang::EN, &b)) {
                prop_assert_eq!(line.split('\t').count(), 4);
                let ends_line = |c: char| c != '\t' && (c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c));
                prop_assert!(!line.chars().any(ends_line));
            }
        }
    }
}
