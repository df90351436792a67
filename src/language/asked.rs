//! What a program of the user is asked of a text, a line for each, and what its answers mean.
//!
//! A line has the text that [`detect`](super::detect) would look at. An answer is a line too, as language identifiers print it: labels, each
//! with a probability (`__label__yor_Latn 0.98`, `yo\t0.98`), or a label alone. Nothing here starts a program.

use super::scripts::Scripts;
use super::{DOUBTED, Detected, LIKELY, Params, Run, chinese, composed, sample, scripts};
use crate::types::Lang;

/// What an answer says of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The language; [`Lang::UNKNOWN`] where the program names none.
    pub lang: Lang,
    /// Its probability, 0..=1.
    pub probability: f32,
}

/// An answer that names no language.
const NONE: Answer = Answer { lang: Lang::UNKNOWN, probability: 0.0 };

/// How fastText begins its labels.
const LABEL: &str = "__label__";
/// Labels for what is in no language, in several, or in one that is not known.
const UNKNOWN: [&str; 7] = ["und", "un", "unknown", "zxx", "mis", "mul", "xx"];
/// fastText prints sums of rounded numbers: probabilities up to 1.00005.
const ABOVE_ONE: f32 = 1.01;
/// fastText takes this word for the end of a line, and would answer twice.
const LINE_END: &str = "</s>";
/// How sure a language is at least that is believed: likely, after both were rounded to a 255th.
const BELIEVED: f32 = LIKELY + 0.01;

/// The line that a program is asked for a text; `None` where the text is too short to be in a language. It has no character that any
/// program takes for the end of a line.
pub fn question(text: &str, runs: &[Run], params: &Params) -> Option<String> {
    let sample = sample(text, runs, params);
    let sample = composed(&sample);
    // Programs may know scripts that are not told apart here.
    let letters = sample.chars().filter(|c| c.is_alphabetic()).count();
    let letters = u32::try_from(letters).unwrap_or(u32::MAX).max(Scripts::count(&sample).letters(params));
    if letters < params.min_letters {
        return None;
    }
    let mut line = String::with_capacity(sample.len());
    for word in sample.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !word.is_empty() && word != LINE_END {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    (!line.is_empty()).then_some(line)
}

/// Reads the line that a program answers with. Of several labels for one language (members of a macrolanguage, scripts), the probabilities
/// are added; of several languages the likeliest counts, and of equally likely ones the first.
///
/// # Errors
/// What in the line makes no sense, and what was expected.
pub fn read(line: &str) -> Result<Answer, String> {
    let mut found: Vec<Answer> = Vec::new();
    let mut words = line.split_whitespace().peekable();
    while let Some(label) = words.next() {
        let probability = words.peek().and_then(|word| word.parse::<f32>().ok());
        // A language alone is as good as certain.
        let probability = match probability {
            Some(probability) => {
                words.next();
                probability
            }
            None => 1.0,
        };
        if !(0.0..=ABOVE_ONE).contains(&probability) {
            return Err(format!("{probability} is no probability, expected 0 to 1"));
        }
        let lang = language(label)?;
        match found.iter_mut().find(|answer| answer.lang == lang) {
            Some(answer) => answer.probability += probability,
            None => found.push(Answer { lang, probability }),
        }
    }
    let best = found.into_iter().reduce(|best, next| if next.probability > best.probability { next } else { best });
    let best = best.filter(|answer| answer.lang.is_known()).unwrap_or(NONE);
    Ok(Answer { probability: best.probability.min(1.0), ..best })
}

/// The language of a label: a tag as pages and models write it.
fn language(label: &str) -> Result<Lang, String> {
    let tag = label.strip_prefix(LABEL).unwrap_or(label);
    let primary = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    if UNKNOWN.contains(&primary.as_str()) {
        return Ok(Lang::UNKNOWN);
    }
    Lang::parse(tag).ok_or_else(|| format!("{label} is no language, expected a tag such as yo, yor_Latn or und"))
}

/// The language of a text by the answer to its `line`: a guess where its probability is below `min_probability`. `None` is the answer to a
/// text that nothing was asked of.
pub fn told(text: &str, asked: Option<(&str, Answer)>, min_probability: f32) -> Detected {
    let (line, answer) = asked.unwrap_or(("", NONE));
    let is_believed = answer.lang.is_known() && answer.probability >= min_probability;
    let confidence = if is_believed { answer.probability.max(BELIEVED) } else { answer.probability.min(DOUBTED) };
    // Most programs do not say which Chinese it is.
    let lang = if answer.lang == Lang::ZH { chinese::script(line).0 } else { answer.lang };
    let is_guess = asked.is_some() && !is_believed;
    Detected { lang, confidence, is_guess, latin_share: scripts::latin_share(text) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::RunKind;
    use super::*;

    fn of(line: &str) -> (String, f32) {
        let answer = read(line).expect("an answer");
        (answer.lang.to_string(), answer.probability)
    }

    #[test]
    fn answers_are_labels_and_probabilities_in_any_form() {
        let cases = [
            ("__label__yor_Latn 0.98", "yo", 0.98),
            ("__label__yor_Latn 1.00005", "yo", 1.0),
            ("__label__twi_Latn 0.75 __label__eng_Latn 0.25", "tw", 0.75),
            ("yor_Latn\t0.98", "yo", 0.98),
            ("yor-Latn 0.5", "yo", 0.5),
            ("yo 0.98\r", "yo", 0.98),
            ("  aka  9.5e-1 ", "ak", 0.95),
            ("kmb", "kmb", 1.0),
            ("zho_Hant 1", "zh-Hant", 1.0),
            ("cmn_Hani 1", "zh", 1.0),
            ("pt-BR 0.5", "pt", 0.5),
            // Members of one macrolanguage.
            ("__label__arb_Arab 0.25 __label__fra_Latn 0.375 __label__ara_Arab 0.25", "ar", 0.5),
            ("en 0.5 fr 0.5", "en", 0.5),
            ("", "und", 0.0),
            (" \t", "und", 0.0),
            ("und", "und", 0.0),
            ("__label__und_Latn 0.75", "und", 0.0),
            ("zxx_Zxxx 0.9", "und", 0.0),
            ("und 0.5 sw 0.25", "und", 0.0),
        ];
        for (line, lang, probability) in cases {
            assert_eq!(of(line), (lang.to_owned(), probability), "{line:?}");
        }
    }

    #[test]
    fn what_is_no_answer_is_told() {
        let cases = [
            ("Loading model", "Loading is no language"),
            ("0.98", "0.98 is no language"),
            ("yo -3.25", "-3.25 is no probability"),
            ("yo 12", "12 is no probability"),
            ("yo NaN", "NaN is no probability"),
            ("{\"lang\": \"yo\"}", "{\"lang\": is no language"),
        ];
        for (line, problem) in cases {
            assert!(read(line).expect_err("no answer").starts_with(problem), "{line}: {:?}", read(line));
        }
    }

    #[test]
    fn a_question_is_one_line_for_every_program() {
        let text =
            "Nnipa nyinaa yɛ\u{2028}pɛ\u{85} wɔ\u{b} animuonyam </s> ne\r\nahofadi\0 mu, </s>na wɔma wɔn adwene.";
        let whole = Run { start: 0, end: text.len() as u32, kind: RunKind::Prose };
        let line = question(text, &[whole], &Params::default()).expect("it is long enough");
        assert_eq!(line, "Nnipa nyinaa yɛ pɛ wɔ animuonyam ne ahofadi mu, </s>na wɔma wɔn adwene.");
        let short = Run { end: 20, ..whole };
        assert_eq!(question(text, &[short], &Params::default()), None);
        // A script that is not told apart here.
        let santali = "ᱡᱚᱛᱚ ᱦᱚᱲ ᱜᱮ ᱢᱟᱹᱱ ᱟᱨ ᱟᱹᱭᱫᱟᱹᱨ ᱨᱮ ᱯᱷᱩᱨᱜᱟᱹᱞ ᱟᱨ ᱥᱚᱢᱟᱱ ᱟᱛᱮ ᱠᱚ ᱡᱟᱱᱟᱢ ᱟᱠᱟᱱᱟ᱾";
        let whole = Run { start: 0, end: santali.len() as u32, kind: RunKind::Prose };
        assert_eq!(question(santali, &[whole], &Params::default()).as_deref(), Some(santali));
    }

    #[test]
    fn what_the_program_is_sure_of_is_told_and_the_rest_is_a_guess() {
        let found = |line: &str, min: f32| {
            let Detected { lang, confidence, is_guess, .. } =
                told("abc", Some(("abc", read(line).expect("sound"))), min);
            (lang.to_string(), confidence, is_guess)
        };
        assert_eq!(found("twi_Latn 0.98", 0.5), ("tw".into(), 0.98, false));
        assert_eq!(found("twi_Latn 0.75", 0.9), ("tw".into(), DOUBTED, true));
        assert_eq!(found("twi_Latn 0.25", 0.5), ("tw".into(), 0.25, true));
        // What is believed is more than doubted.
        assert_eq!(found("twi_Latn 0.5", 0.5), ("tw".into(), BELIEVED, false));
        assert_eq!(found("", 0.5), ("und".into(), 0.0, true));
        let Detected { lang, is_guess, latin_share, .. } = told("abc", None, 0.5);
        assert_eq!((lang, is_guess, latin_share), (Lang::UNKNOWN, false, 1.0));
    }

    #[test]
    fn chinese_without_a_script_has_that_of_its_characters() {
        let zh = |line: &str| told(line, Some((line, read("__label__cmn_Hani 1").expect("sound"))), 0.5).lang;
        assert_eq!(zh("人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心"), Lang::ZH_HANS);
        assert_eq!(zh("人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心"), Lang::ZH_HANT);
        assert_eq!(zh("人人生而自由"), Lang::ZH);
    }

    proptest! {
        #[test]
        fn any_line_is_an_answer_or_no_answer(line in "\\PC{0,40}|(__label__)?[a-z]{1,4}([_-][A-Z][a-z]{3})?[ \t]{1,2}-?[0-9.e]{1,6}|[ -~]{0,30}") {
            if let Ok(answer) = read(&line) {
                prop_assert!((0.0..=1.0).contains(&answer.probability));
                prop_assert!(answer.lang.is_known() || answer.probability == 0.0);
            }
        }

        #[test]
        fn what_is_written_is_read(code in "[a-z]{2,3}", script in "([_-](Latn|Cyrl|Arab))?", label in "(__label__)?", gap in "[ \t]", p in 0.0f32..=1.0) {
            let lang = if UNKNOWN.contains(&code.as_str()) { Lang::UNKNOWN } else { Lang::parse(&format!("{code}{script}")).expect("a code") };
            let expected = if lang.is_known() { Answer { lang, probability: p } } else { NONE };
            prop_assert_eq!(read(&format!("{label}{code}{script}{gap}{p}")), Ok(expected));
        }

        #[test]
        fn any_text_gives_one_line_within_bounds(text in "(\\PC|\\s|[a-z]{4}|</s>|\u{2028}|\r\n){0,400}") {
            let whole = Run { start: 0, end: text.len() as u32, kind: RunKind::Prose };
            let params = Params::default();
            if let Some(line) = question(&text, &[whole], &params) {
                let ends_line = |c: char| c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c);
                prop_assert!(!line.chars().any(ends_line));
                prop_assert!(line.split(' ').all(|word| word != LINE_END));
                prop_assert!(line.len() <= params.sample_bytes as usize + 600);
            }
        }
    }
}
