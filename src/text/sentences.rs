//! Divides text blocks into sentences.

use std::ops::Range;

use super::boundaries::{Boundaries, rules_of};
use super::quotes::{is_spaced, is_word_char};
use crate::types::Lang;

/// Characters with which a sentence can end, in all scripts whose rules are known. A block without any is one sentence.
const ENDS: &[char] = &[
    '.', '!', '?', '…', '。', '！', '？', '｡', '．', '։', '؟', '۔', '।', '॥', '။', '።', '፧', '፨', '‼', '⁇', '⁈', '⁉',
    '܀', '܁', '܂', '။', '།', '༎', '។', '៕', '᠃', '᠉', '៚', '᪨', '꓿', '꘎', '꘏', '꣎', '꣏', '꤯', '꩝', '꫰', '꯫', '𑁇',
];

/// True for characters with which a sentence can end.
fn is_end(character: char) -> bool {
    ENDS.contains(&character)
}

/// Calls `each` with the byte range of every sentence of a block, in order. White space at both ends is left out; together the sentences
/// contain everything else of the block.
///
/// Boundaries are those of the library sentencex (`super::boundaries`), which knows abbreviations, initials, numbers and quotations of
/// some 30 languages, and takes the nearest relative for others. After a full stop of Chinese or Japanese no space is needed, whatever
/// follows. Khmer and Tibetan have ends of their own. A point that begins a word ends nothing: `the .NET platform`. In all
/// languages a point after a short word or a number ends no sentence before a small letter (UAX 29, SB8, has it after any word), nor does
/// one between a word of up to three letters and a number: `Vol. 3`. Pieces without a letter, single letters, and the number of a heading
/// (`B.4.10.`, `Chapter 3.`, `IV.`) begin the next sentence. A range never crosses a line feed, so blocks that were put together are not
/// joined.
pub fn for_each_sentence(block: &str, lang: Lang, mut each: impl FnMut(Range<usize>)) {
    let rules = rules_of(lang);
    let mut boundaries = Boundaries::default();
    let mut start = 0;
    for line in block.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let mut done = at;
        for found in boundaries.find(rules, line.strip_suffix('\n').unwrap_or(line), is_end) {
            judge(block, &mut done, at + found, start, &mut each);
        }
        emit(block, done..start, &mut each);
    }
}

/// Passes on the sentence between `done` and a boundary inside the line that ends at `line_end`, unless the sentence goes on.
fn judge(block: &str, done: &mut usize, end: usize, line_end: usize, each: &mut impl FnMut(Range<usize>)) {
    // A number belongs to the heading after it: `2.1. The house`, `B.4.10. The cat`.
    let is_long = || end - *done > MAX_JOINED_BYTES;
    let (before, after) = (&block[*done..end], &block[end..line_end]);
    let ends = || says_something(before, after) && !goes_on(before, after);
    if is_long() || ends() {
        emit(block, *done..end, each);
        *done = end;
    }
}

/// From so many bytes on, a point ends a sentence whatever stands around it. So no sentence grows without limit, and the cost of a point is
/// limited.
const MAX_JOINED_BYTES: usize = 1000;

/// A point after a word of at most so many letters ends no sentence before a small letter.
const ABBREVIATION_LETTERS: usize = 4;
/// A point after a word of at most so many letters ends no sentence before a number.
const NUMBERED_LETTERS: usize = 3;

/// False for text without a letter, or with only one letter before a point; for the number of a heading, which is single letters and digits
/// with points between them, or a Roman number; and for one word with such a number, unless letters have no case and a sentence comes `after`
/// it, not a title.
fn says_something(text: &str, after: &str) -> bool {
    let text = text.trim();
    let is_part = |part: &str| part.len() == 1 || part.bytes().all(|b| b.is_ascii_digit());
    let is_number = |text: &str| {
        text.is_ascii()
            && text.contains(|c: char| c.is_ascii_digit())
            && text.split(['.', ' ', '-', '(', ')']).all(is_part)
    };
    let Some(named) = text.strip_suffix('.') else { return text.contains(char::is_alphabetic) && !is_number(text) };
    let mut letters = text.chars().filter(|c| c.is_alphabetic());
    let (first, second) = (letters.next(), letters.next());
    let is_single = first.is_none_or(|c| is_spaced(c) && second.is_none());
    let is_roman = |text: &str| text.len() > 1 && text.bytes().all(|b| b"IVXLC".contains(&b));
    let is_named = || {
        named.split_once(' ').is_some_and(|(word, number)| {
            let is_word = word.chars().all(is_letter);
            let is_capital = word.starts_with(char::is_uppercase) && (is_roman(number) || is_number(number));
            // Where letters have no case, `الشكل 14.1.` or `表 12.10.`, and not a sentence that ends with a number.
            let has_no_case = !word.contains(|c: char| c.is_lowercase() || c.is_uppercase());
            // Chinese and Japanese have another mark for the end of a sentence.
            let is_title = || !word.starts_with(is_spaced) || !after.trim_end().ends_with(is_end);
            is_word && (is_capital || has_no_case && number.contains('.') && is_number(number) && is_title())
        })
    };
    !(is_single || is_number(text) || is_roman(named) || is_named())
}

/// True for letters and for marks that belong to letters, such as the virama of Indic scripts.
fn is_letter(c: char) -> bool {
    is_word_char(c) && !c.is_numeric() && c != '_'
}

/// True when the point at the end of `before` does not end a sentence, because of the text `after` it.
fn goes_on(before: &str, after: &str) -> bool {
    let (Some(before), after) = (before.trim_end().strip_suffix('.'), after.trim_start()) else { return false };
    let word = before.chars().rev().take_while(|&c| is_letter(c) && is_spaced(c));
    let letters = word.filter(|c| c.is_alphabetic()).take(ABBREVIATION_LETTERS + 1).count();
    if after.starts_with(char::is_lowercase) {
        // The point ends an abbreviation or an ordinal number. After longer words a sentence may begin with a name: `It works. mod_ssl is
        // …`.
        return (1..=ABBREVIATION_LETTERS).contains(&letters) || before.ends_with(|c: char| c.is_ascii_digit());
    }
    // The number in `it. 2. Run` begins an item, that in `str. 12` does not.
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = rest.strip_prefix('.').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    rest.len() < after.len() && !is_item && (1..=NUMBERED_LETTERS).contains(&letters)
}

/// Passes on a range without white space at its ends, if anything is left.
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
    use std::time::Instant;

    use proptest::prelude::*;

    use super::super::boundaries::is_in_identifier;
    use super::super::lists::list_items;
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
        assert_eq!(
            sentences("ja", "『本。紙。』と言う。『はい。』彼は行く。"),
            ["『本。紙。』と言う。", "『はい。』", "彼は行く。"]
        );
        for (lang, text) in [
            ("zh-Hans", "点击「...」按钮，以“.”开头。"),
            ("zh-Hans", "说“是吗？”，或者“好。”、“不。”。"),
            ("ja", "正規表現 \".\" は 「?」文字です。"),
        ] {
            assert_eq!(sentences(lang, text), [text], "{lang}");
        }
        assert_eq!(
            sentences("zh-Hans", "配置完成。nacos启动！2.0版？是"),
            ["配置完成。", "nacos启动！", "2.0版？", "是"]
        );
    }

    #[test]
    fn each_script_has_its_ends() {
        for (lang, text) in [
            ("my", "မြန်မာနိုင်ငံ၏ မြို့တော်။|နေပြည်တော်၏။"),
            ("km", "ខ្ញុំទៅផ្សារ។|គាត់នៅផ្ទះ៕"),
            ("bo", "བོད་ཡིག་ཡིན། །|དེ་རིང་ཡོང་།"),
            ("am", "ይህ ቤት ነው።|እሱ ሄደ።"),
            ("hi", "यह घर है।|वह गया।"),
            ("ar", "هل هذا بيت؟|نعم."),
            ("ur", "یہ گھر ہے۔|وہ گیا۔"),
            ("hy", "Սա տուն է․ նա գնաց։|Նա գնաց։"),
        ] {
            let expected: Vec<&str> = text.split('|').collect();
            assert_eq!(sentences(lang, &text.replace('|', " ")), expected, "{lang}");
        }
    }

    #[test]
    fn a_point_before_a_word_belongs_to_it() {
        assert_eq!(
            sentences("en", "It is built on the .NET platform. It runs."),
            ["It is built on the .NET platform.", "It runs."]
        );
        assert_eq!(sentences("de", "Die Domain (.Org) ist alt."), ["Die Domain (.Org) ist alt."]);
        assert_eq!(sentences("en", "This is the end.Next comes more."), ["This is the end.", "Next comes more."]);
    }

    #[test]
    fn a_point_inside_a_name_ends_nothing_and_one_without_a_space_before_a_sentence_does() {
        for (lang, text) in [
            ("en", "Use com.taobao.TpsControl or a.b.C here."),
            ("en", "See /usr/share/doc/cron/README.Debian for more."),
            ("fr", "La fonction LOI.NORMALE et ScriptForge.Session et Loi.Inverse(0) sont là."),
            ("de", "SCHÄTZER.EXP liegt in de_DE.UTF-8 vor."),
            ("zh-Hans", "使用TimeUnit.SECONDS和java.util.HashMap吧"),
            ("uk", "Укладач А.І. Золотухін."),
        ] {
            assert_eq!(sentences(lang, text), [text], "{lang}");
        }
        for (lang, text) in [
            ("en", "This is the end.|Next comes more."),
            ("en", "We use the API.|The end."),
            ("en", "It is version 2.0.|The end."),
            ("de", "Das wird gut werden.|LibreOffice läuft."),
            ("ru", "Это конец.|Дальше больше."),
        ] {
            let expected: Vec<&str> = text.split('|').collect();
            assert_eq!(sentences(lang, &text.replace('|', "")), expected, "{lang}");
        }
    }

    #[test]
    fn a_mark_between_spaces_ends_a_sentence_in_french_or_before_a_capital() {
        for (lang, text) in [
            ("ja", "ワイルドカードでは ? は一つの文字です。"),
            ("zh-Hans", "此外还可以使用通配符 ? 和 *，是吗？"),
            ("ar", "اضغط ? للمساعدة."),
            ("en", "Press the ? key, and ? again, or ! = 3."),
            ("en", "? Press it."),
            ("ru", "Где он ?|Там."),
            ("es", "Es así !|¿Verdad?"),
            ("fr", "Vraiment ?|«\u{a0}Oui !\u{a0}»"),
            ("fr", "Combien ?|— Deux."),
        ] {
            let expected: Vec<&str> = text.split('|').collect();
            assert_eq!(sentences(lang, &text.replace('|', " ")), expected, "{lang}");
        }
    }

    #[test]
    fn items_of_lists_have_sentences() {
        for (lang, text) in [
            ("en", "• It is free.|Look at it!|• Is it so?|Tell us."),
            ("ar", "★ هو مجاني.|ألق نظرة."),
            ("zh-Hans", "(1) 小写。|音符都是。"),
            ("en", "Choose (a) one. |We do."),
        ] {
            let expected: Vec<&str> = text.split('|').map(str::trim).collect();
            assert_eq!(sentences(lang, &text.replace('|', " ")), expected, "{lang}");
        }
    }

    #[test]
    fn brackets_may_stand_inside_others_and_hold_a_sentence() {
        for (lang, text) in [
            ("ja", "表示できません。|(jfbterm(1) を使う必要があります。)|はい。"),
            ("zh-Hans", "显示字符。|（如 jfbterm(1)，从而。）|是。"),
            ("en", "Look.|(See gpg(1).)|It is (or not.) for us (here.|It ends."),
            ("en", "Look.|(See gpg(1).|Then go.)|It ends."),
            ("en", "It is sad :( but so.|We (all) go.|They (too) stay.|All is well :) Then."),
            ("en", "It is so if a < bound.|Then (x) is.|Then (y) is.|So is p->q."),
        ] {
            let expected: Vec<&str> = text.split('|').collect();
            let glue = if lang == "en" { " " } else { "" };
            assert_eq!(sentences(lang, &text.replace('|', glue)), expected, "{lang}");
        }
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
    fn what_is_joined_stays_short_and_takes_as_long_as_its_text() {
        for piece in ["aa. ", "1. "] {
            let text = piece.repeat(100_000);
            let mut longest = 0;
            for_each_sentence(&text, Lang::EN, |range| longest = longest.max(range.len()));
            assert!(longest <= MAX_JOINED_BYTES + piece.len(), "{piece}: {longest}");
        }
    }

    #[test]
    fn time_grows_as_marks_do() {
        let cost = |text: &str| {
            let start = Instant::now();
            for_each_sentence(text, Lang::EN, |_| ());
            start.elapsed()
        };
        let texts: [(&str, &str, &str); 5] = [
            ("x ", "(!) ", "y."),
            ("", "\"a! b\" 'a! b' ", "y."),
            ("a. B", "(", ""),
            ("•a.b ", "( ", ""),
            ("a. B ", "\"a\"' ", "X.' Bb"),
        ];
        for (first, piece, last) in texts {
            let texts = [5_000, 80_000].map(|count| format!("{first}{}{last}", piece.repeat(count)));
            // If the machine is busy, one of them may take long; if time grew with the square, it would be 256 times as much each time.
            let grows_as_text = |_| {
                let [short, long] = texts.each_ref().map(|text| cost(text));
                long < 64 * short
            };
            assert!((0..9).any(grows_as_text), "{piece}: more than 64 times the time for 16 times the text");
        }
    }

    #[test]
    fn a_point_of_an_abbreviation_before_a_small_letter_ends_nothing() {
        for (lang, text) in [
            ("nl", "Zie het boek, d.w.z. het eerste deel."),
            ("pl", "Zob. str. 12, tj. pierwsza część."),
            ("ru", "Это тест, т. е. проверка."),
            ("sv", "Det är t.ex. ett test."),
            ("hu", "Dr. Kovács 2020. május 5-én jött."),
            ("tr", "Bu örn. bir test."),
            ("en", "Version 1.0. is old."),
        ] {
            assert_eq!(sentences(lang, text), [text], "{lang}");
        }
        assert_eq!(sentences("en", "Is it? yes."), ["Is it?", "yes."]);
        assert_eq!(sentences("en", "It works. mod_ssl is here."), ["It works.", "mod_ssl is here."]);
    }

    #[test]
    fn a_short_word_and_a_number_belong_together() {
        for (lang, text) in [
            ("pt", "Ver pág. 12 do livro."),
            ("it", "Vedi pag. 12 del libro."),
            ("el", "Βλ. σελ. 12 εδώ."),
            ("sv", "Kl. 12.30 börjar det."),
            ("en", "Vol. 3 is out."),
        ] {
            assert_eq!(sentences(lang, text), [text], "{lang}");
        }
        assert_eq!(sentences("en", "Run it. 2. Go home."), ["Run it.", "2. Go home."]);
        assert_eq!(sentences("en", "It works. 3 cats sleep."), ["It works.", "3 cats sleep."]);
        assert_eq!(sentences("ko", "나는 간다. 5명이 온다."), ["나는 간다.", "5명이 온다."]);
    }

    #[test]
    fn one_letter_alone_is_no_sentence() {
        assert_eq!(sentences("fr", "M. Dupont est là."), ["M. Dupont est là."]);
        assert_eq!(sentences("ar", "نعم. د. محمد هنا."), ["نعم.", "د. محمد هنا."]);
        assert_eq!(sentences("ko", "네. 갑니다."), ["네.", "갑니다."]);
        assert_eq!(sentences("en", "So do I. We go."), ["So do I.", "We go."]);
        for (lang, text) in
            [("uk", "Він бачив А. І. Золотухіна там."), ("el", "Ο Γ. Σεφέρης."), ("cs", "Byl to Š. Novák.")]
        {
            assert_eq!(sentences(lang, text), [text], "{lang}");
        }
    }

    #[test]
    fn the_name_of_a_heading_stays_with_it() {
        for (lang, text) in [
            ("en", "Chapter 3. Installing"),
            ("de", "Kapitel 3. Installation"),
            ("fr", "Étape 1. Le disque"),
            ("en", "Section 2.1. Overview"),
            ("en", "Part IV. The end"),
            ("en", "IV. The end"),
            ("zh-Hans", "表 12.10. 编译相关软件包列表"),
            ("ja", "図 14.1. これは図です。"),
            ("ar", "شكل 14.1. السياق الأمني"),
            ("hi", "चित्र 14.1. सुरक्षा संदर्भ"),
        ] {
            assert_eq!(sentences(lang, text), [text], "{lang}");
        }
        assert_eq!(sentences("en", "We have version 3. It works."), ["We have version 3.", "It works."]);
        assert_eq!(sentences("ar", "ولد سنة 2010. مات."), ["ولد سنة 2010.", "مات."]);
        assert_eq!(sentences("ar", "الإصدار 2.0. صدر أمس."), ["الإصدار 2.0.", "صدر أمس."]);
        assert_eq!(sentences("te", "ఇది రాష్ట్రం. 12 జిల్లాలు."), ["ఇది రాష్ట్రం.", "12 జిల్లాలు."]);
        let burmese = "ကျား၊ မ၊ ဟူ၍ ခွဲခြားခြင်း မရှိစေရ။ လူတိုင်း ရှိသည်။";
        assert_eq!(sentences("my", burmese).len(), 2, "U+104A is a comma");
        assert_eq!(sentences("en", "printf(\"a.\"); exit(0);"), ["printf(\"a.\"); exit(0);"]);
    }

    #[test]
    fn spaces_tell_which_mark_opens_a_quotation_and_which_closes_it() {
        for (lang, text) in [
            ("ar", "قال ”هذا بيت. ذاك قط.“|ثم ذهب.|وقال ”نعم.“|ثم نام."),
            ("he", "הוא אמר ”זה בית.“|הוא הלך.|”כן.“|הוא ישן."),
            ("he", "צה\"ל הודיע.|הוא אמר.|ארה\"ב חזרה."),
            ("sv", "Han sa ”Ja. Nej.”|Han gick.|”Kanske.”|Hon kom."),
            ("fi", "»Joo. Ei.»|Hän meni.|»Ehkä.»|Hän tuli."),
            ("pl", "Powiedział „Tak. Nie.”|Poszedł.|„Może.”|Przyszła."),
            ("de", "Er sagte ‚Ja. Nein.‘|Er ging.|Das war’s.|Sie kam."),
            ("en", "He said ‘It’s so. We know.’|He went."),
            ("en", "A 5\" disk.|It is \"old\".|A 3\" disk."),
            ("haw", "‘Oku ‘i ai.|Na’e fai."),
        ] {
            let expected: Vec<&str> = text.split('|').collect();
            assert_eq!(sentences(lang, &text.replace('|', " ")), expected, "{lang}");
        }
    }

    #[test]
    fn lines_are_never_joined() {
        assert_eq!(sentences("en", " One\nTwo. Three\n"), ["One", "Two.", "Three"]);
        assert!(sentences("en", " \n ").is_empty());
    }

    /// Sentences according to the library alone.
    fn by_library<'t>(lang: &str, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            let mut done = at;
            if line.contains(ENDS) {
                for boundary in sentencex::get_sentence_boundaries(lang, line) {
                    let end = at + boundary.end_byte;
                    let is_sound =
                        !boundary.is_paragraph_break && end > done && end <= start && text.is_char_boundary(end);
                    if is_sound {
                        judge(text, &mut done, end, start, &mut |range| found.push(&text[range]));
                    }
                }
            }
            emit(text, done..start, &mut |range| found.push(&text[range]));
        }
        found
    }

    /// True for texts that the library reads otherwise: a Chinese full stop before an ASCII letter or digit; a point with which a word
    /// begins, that is inside a name, or after an initial; a mark between spaces; items of a list; brackets inside others and around a
    /// sentence; a `` ` `` that may close a quotation; and quotations with spaces inside beside others.
    fn is_read_otherwise(text: &str) -> bool {
        let is_in_name = |(at, _)| is_in_identifier(&text[..at], &text[at + 1..]);
        let chars: Vec<char> = std::iter::once(' ').chain(text.chars()).collect();
        let is_other = chars.windows(3).any(|three| {
            let begins_word = three[0].is_whitespace() || "([{«“‘/".contains(three[0]);
            let is_initial = !three[1].is_ascii() && three[1].is_uppercase() && three[2] == '.';
            let is_end_inside = is_end(three[0])
                && (")]}>".contains(three[1]) || three[1].is_whitespace() && ")]}>".contains(three[2]));
            let is_sign = three[0].is_whitespace() && "!?".contains(three[1]) && three[2].is_whitespace();
            is_initial
                || is_end_inside
                || is_sign
                || three[1] == '。' && three[2].is_ascii_alphanumeric()
                || begins_word && three[1] == '.' && three[2].is_alphabetic()
        });
        let is_mark = |c: char| "'`".contains(c);
        let is_padded =
            chars.windows(3).any(|three| three[0].is_whitespace() && is_mark(three[1]) && three[2].is_whitespace())
                && text.contains(|c: char| "\"“„«‹‘".contains(c));
        let has_graves = text.replace("``", "").matches('`').count() > 1;
        let is_list = |line: &str| !list_items(line, true).is_empty();
        // The library knows no brackets inside others.
        let has_nested = |line: &str| {
            let mut open = None;
            line.chars().any(|c| match "([{<)]}>".find(c) {
                Some(at @ 0..4) => open.replace(at).is_some(),
                Some(at) => open.take().is_some_and(|open| open + 4 != at),
                None => false,
            })
        };
        is_other
            || is_padded
            || has_graves
            || text.lines().any(has_nested)
            || text.match_indices('.').any(is_in_name)
            || text.lines().any(is_list)
    }

    /// All languages that the library knows, and some that use the rules of a relative.
    const LANGS: &[&str] = &[
        "en", "am", "ar", "bg", "bn", "ca", "da", "de", "el", "es", "fi", "fr", "gu", "hi", "hy", "it", "ja", "kk",
        "kn", "ml", "mr", "my", "nl", "pa", "pl", "pt", "ru", "sk", "ta", "te", "uk", "cs", "oc", "no", "zh-Hans",
        "fur", "th", "und",
    ];

    /// Texts in which every mark is what the library takes it for: quotations are closed as they were opened, and stand between spaces.
    fn text_of_the_library() -> impl Strategy<Value = String> {
        let quotations = ["\"\"", "“”", "„“", "«»", "‹›", "‘’"].map(|marks| {
            let (open, close) = marks.split_at(marks.len() / 2);
            format!("{open}[a-cA-CЖ]([ .!?,a-cA-C]{{0,6}}[a-cA-CЖ.!?])?{close}")
        });
        let pieces = [
            r"[A-Da-d ]{0,3}[.!?…;:。]{1,3}[ \n\t]{0,2}|['`(){}\[\]<>@「」]",
            r"[0-9a-cA-CIа-вА-В]{1,2}[.)] |(Dr|etc|ca|No|p\.m|U\.S|Mr|it|l'ing|т\.е|Yahoo)\.? ?|[a-cA-C]{1,3} |\[1\]",
            r"[a-cA-C.!][”›’] |, |März|я |Ж|한|a@b\.cd|''|``[a-c]{1,3}''",
        ];
        let pattern = format!("({}|[ (]({})[ ,.!]){{0,14}}", pieces.join("|"), quotations.join("|"));
        proptest::string::string_regex(&pattern).expect("a pattern")
    }

    proptest! {
        #[test]
        fn sentences_are_those_of_the_library(
            text in text_of_the_library(),
            lang in prop::sample::select(LANGS),
        ) {
            prop_assume!(!is_read_otherwise(&text));
            prop_assert_eq!(sentences(lang, &text), by_library(lang, &text));
        }

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
