//! E-mail addresses and telephone numbers in texts.

use std::ops::RangeInclusive;

use linkify::{LinkFinder, LinkKind};

/// True for a text with an e-mail address whose domain has a dot in it: `info@example.org`.
pub fn has_email(text: &str) -> bool {
    text.contains('@') && LinkFinder::new().kinds(&[LinkKind::Email]).links(text).next().is_some()
}

/// Words and signs after which a number with at least [`CALLED_DIGITS`] digits is a telephone number.
#[rustfmt::skip]
const CALLS: &[&str] = &[
    "tel", "tél", "tlf", "telephone", "téléphone", "telefon", "telefono", "teléfono", "telefone", "telefoon", "phone", "fono", "fon",
    "fax", "telefax", "тел", "телефон", "факс", "電話", "电话", "传真", "傳真", "☎", "☏", "📞",
];
/// Words behind which a number is none to call.
const NOT_CALLED: &[&str] = &["isbn", "issn", "rfc", "doi"];
/// The fewest digits of a number after such a word.
const CALLED_DIGITS: usize = 5;
/// The fewest and the most digits of an international number (ITU-T E.164), with the code of the country.
const INTERNATIONAL_DIGITS: RangeInclusive<usize> = 8..=15;
/// The fewest and the most digits of a national number with its leading 0.
const NATIONAL_DIGITS: RangeInclusive<usize> = 9..=11;
/// In so many groups.
const NATIONAL_GROUPS: RangeInclusive<usize> = 3..=6;

/// True for a text with a telephone number. That is a run of digits, with single spaces, points, hyphens, slashes or parentheses between
/// them and no letter or other digit beside it, which
///
/// - begins with `+` and has 8 to 15 digits: `+44 20 7946 0958`;
/// - has at least 5 digits and follows a word such as *tel*, *phone*, *fax*, *тел*, *电话*: `Tel.: 555 0123`;
/// - begins with 0, has 9 to 11 digits in three to six groups, the first and the last of two or more, is no date and does not follow a word
///   such as *ISBN*: `01 23 45 67 89`, `(030) 123-4567`;
/// - has groups of 3, 3 and 4 digits with a hyphen or parentheses: `(555) 010-9999`.
///
/// So dates, versions, addresses of machines, prices and ISBNs are no telephone numbers, and neither are numbers that nothing marks as
/// such.
pub fn has_phone(text: &str) -> bool {
    // Most texts have no number.
    if text.bytes().filter(u8::is_ascii_digit).count() < CALLED_DIGITS && !text.contains(is_other_digit) {
        return false;
    }
    let mut from = 0;
    while let Some((start, run)) = next_run(text, from) {
        if is_phone(&text[..start], run, &text[start + run.len()..]) {
            return true;
        }
        from = start + run.len();
    }
    false
}

/// The next run of digits with the signs between them, from its first digit, `+` or `(` to its last digit, and the place where it begins.
fn next_run(text: &str, from: usize) -> Option<(usize, &str)> {
    let start = from + text[from..].find(|c: char| c == '+' || c == '(' || digit(c).is_some())?;
    let (mut end, mut signs) = (start, 0);
    for (at, c) in text[start..].char_indices() {
        match (digit(c), c) {
            (Some(_), _) => (end, signs) = (start + at + c.len_utf8(), 0),
            (None, '+') if at == 0 => {}
            // `) ` and ` (` are two.
            (None, ' ' | '\u{a0}' | '\u{202f}' | '.' | '-' | '‐' | '‑' | '–' | '/' | '(' | ')') if signs < 2 => {
                signs += 1
            }
            _ => break,
        }
    }
    let first = text[start..].chars().next().map_or(1, char::len_utf8);
    Some((start, &text[start..end.max(start + first)]))
}

fn is_phone(before: &str, run: &str, after: &str) -> bool {
    let groups: Vec<&str> = run.split(|c: char| digit(c).is_none()).filter(|group| !group.is_empty()).collect();
    let digits: usize = groups.iter().map(|group| group.chars().count()).sum();
    let is_part = |c: char| c.is_alphanumeric() && !is_wide(c);
    if before.ends_with(|c: char| is_part(c) || "_=/@#.,-".contains(c)) || after.starts_with(is_part) {
        return false;
    }
    if run.starts_with('+') {
        return INTERNATIONAL_DIGITS.contains(&digits);
    }
    let sizes: Vec<usize> = groups.iter().map(|group| group.chars().count()).collect();
    let is_date = matches!(sizes[..], [1..=2, 1..=2, 4, ..]);
    let is_national = run.chars().find_map(digit) == Some(0)
        && sizes[0] > 1
        && sizes[sizes.len() - 1] > 1
        && !is_behind(before, NOT_CALLED)
        && NATIONAL_GROUPS.contains(&groups.len())
        && NATIONAL_DIGITS.contains(&digits);
    let is_north_american = sizes == [3, 3, 4] && run.contains(['-', ')']);
    is_national && !is_date || is_north_american || digits >= CALLED_DIGITS && is_behind(before, CALLS)
}

/// True where one of these words stands just before, with at most signs and spaces between.
fn is_behind(before: &str, words: &[&str]) -> bool {
    let before = before.trim_end_matches(|c: char| !c.is_alphanumeric() && !"☎☏📞".contains(c));
    let tail_start = before.char_indices().rev().take(LONGEST_CALL).last().map_or(0, |(at, _)| at);
    let word = before[tail_start..].to_lowercase();
    let is_alone = |call: &&str| {
        word.strip_suffix(*call).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphabetic() && !is_wide(c)))
    };
    words.iter().any(is_alone)
}

/// As many characters before a number are looked at.
const LONGEST_CALL: usize = 12;

/// The value of a digit of the scripts in which telephone numbers are commonly written.
fn digit(c: char) -> Option<u32> {
    let zero = match c {
        '0'..='9' => '0',
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        '०'..='९' => '०',
        '０'..='９' => '０',
        _ => return None,
    };
    Some(u32::from(c) - u32::from(zero))
}

/// True for a digit of another script than the Latin one.
fn is_other_digit(c: char) -> bool {
    !c.is_ascii() && digit(c).is_some()
}

/// Han and kana, which stand beside numbers without a space.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_wherever_they_stand() {
        for text in
            ["Write to info@example.org.", "<jane.doe+x@mail.example.co.uk>", "邮箱：a@例子.cn", "mailto:a@b.de"]
        {
            assert!(has_email(text), "{text}");
        }
        for text in ["user@host", "@name", "a @ b.org", "apt@2.0", "git@", "no address", "3@$5.00", "@example.org"] {
            assert!(!has_email(text), "{text}");
        }
    }

    #[test]
    fn numbers_to_call_are_told_from_others() {
        for text in [
            "+44 20 7946 0958",
            "Call +1 (555) 010-9999 now.",
            "(+49 30) 123456, or +4930123456",
            "Tel.: 555 0123",
            "tel: 12345",
            "Téléphone : 01 23 45 67 89",
            "Fax 555-0123",
            "电话：12345678",
            "电话 010-12345678",
            "тел. 123-45-67",
            "☎ 555 01 23",
            "01 23 45 67 89",
            "01.23.45.67.89",
            "(030) 123-4567 x",
            "020 7946 0958",
            "03-1234-5678",
            "０３-１２３４-５６７８",
            "+٩٦٦ ١١ ٢٣٤ ٥٦٧٨",
            "555-010-9999",
            "(555) 010-9999",
        ] {
            assert!(has_phone(text), "{text}");
        }
        for text in [
            "",
            "+",
            "(",
            "2024-05-06 07:08:09",
            "06.05.2024",
            "05/06/2024 12:30",
            "100 200 3000",
            "01.02.2003, 10:15",
            "192.168.100.200",
            "10.0.0.1/24",
            "version 3.14.159",
            "1 000 000 000 people",
            "100,000,000",
            "ISBN 978-3-16-148410-0",
            "ISBN 0-306-40615-2",
            "0-7645-4547-2",
            "ISSN 0012-3456-78",
            "0.12.345.6789",
            "0123-4567-89ab",
            "Cell 10000 of the table",
            "$1,234,567.89",
            "0.123456789",
            "http://example.org/020-7946-0958",
            "file-020-7946-0958",
            "hotel 12345",
            "tel: 123",
            "+1 point",
            "from 1990 to 2010 (2011)",
            "5551234567",
            "1.2.3.4.5.6.7.8.9.0",
            "RFC 2822",
        ] {
            assert!(!has_phone(text), "{text}");
        }
    }
}
