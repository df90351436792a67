//! Forms in which texts are equal that differ only in case, digits, punctuation and white space, or only in their numbers and quotation
//! marks.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

/// The hash of a text that near duplicates have in common: of its letters and digits, in lower case, with each digit replaced by 0.
pub fn near(text: &str) -> u64 {
    let mut near = String::with_capacity(text.len() + 1);
    text.chars().for_each(|c| Form::known(c).push_near(c, &mut near));
    xxh3_64(near.as_bytes())
}

/// The text that follows the number of a heading, table or figure at the beginning, and the word for it if there is one: `Foo` of `3.2.
/// Foo`, `B.4. Foo`, `Table 9.1. Foo` and `表 12-10 Foo`. `None` for a text that begins otherwise.
pub fn behind_number(text: &str) -> Option<&str> {
    let text = text.trim_start();
    // A letter with a point, as of an appendix, belongs to the number.
    let of_number = |c: char| c.is_numeric() || matches!(c, '.' | '-' | ':' | ')' | '．' | '：');
    let first = text.find(|c: char| !c.is_alphabetic())?;
    let is_appendix = text[..first].chars().nth(1).is_none() && text[first..].starts_with('.');
    let number = if is_appendix { &text[first..] } else { text[first..].trim_start() };
    let rest = number.trim_start_matches(of_number);
    let has_digit = number[..number.len() - rest.len()].contains(char::is_numeric);
    (has_digit && rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// The form in which a text equals one that repeats it on a page with its own quotation marks, other numbers and other signs between words:
/// the words in their order, with their case and with the signs inside them. A hyphen or a capital letter that the other text lacks was
/// written by somebody who writes another language: `USB-Stick` is German, `USB stick` is not. A number before the whole text is left out.
pub fn wording(text: &str) -> String {
    let text = behind_number(text).unwrap_or(text);
    let mut wording = String::with_capacity(text.len());
    // What has come since the last letter or digit: white space, or only signs.
    let (mut space, mut sign, mut in_number) = (false, None, false);
    for c in text.chars().filter(|c| !is_quotation_mark(*c)) {
        let form = Form::known(c);
        match form {
            Form::Space => space = true,
            Form::Sign => sign = sign.or(Some(c)),
            Form::Digit if in_number && !space && sign.is_none() => {}
            Form::Digit | Form::Letter(_) | Form::Rare => {
                if !wording.is_empty() && (space || sign.is_some()) {
                    wording.push(sign.filter(|_| !space).unwrap_or(' '));
                }
                wording.push(if form == Form::Digit { '0' } else { c });
                (space, sign) = (false, None);
            }
        }
        in_number = form == Form::Digit;
    }
    wording
}

/// True for signs that languages put around quotations, and for apostrophes.
fn is_quotation_mark(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '´' | '«' | '»' | '\u{2018}'..='\u{201f}' | '‹' | '›' | '「'..='』' | '〝'..='〟' | '＂' | '＇')
}

/// How many words of a text are numbers, or single letters of an alphabet with small and large ones, also with points between them. `A.2`
/// is a letter and a number, `e.g.` is one word, and `don’t` is not counted.
pub fn numbers_and_letters(text: &str) -> usize {
    let of_word = |word: &str| {
        let parts = || word.split(['.', ',']).filter(|part| !part.is_empty());
        let is_cased = |part: &str| part.starts_with(char::is_lowercase) || part.starts_with(char::is_uppercase);
        let is_letter = |part: &str| part.chars().nth(1).is_none() && is_cased(part);
        let is_number = |part: &str| !part.contains(char::is_alphabetic);
        match parts().all(|part| is_letter(part) || is_number(part)) {
            true => usize::from(parts().any(is_letter)) + usize::from(parts().any(is_number)),
            false => 0,
        }
    };
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ',' | '\'' | '’')).map(of_word).sum()
}

/// The role of a character in a text that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A letter, in lower case.
    Letter(char),
    /// A letter whose lower case is several characters, or a number.
    Rare,
    /// A number that is no letter.
    Digit,
    /// Anything else but white space.
    Sign,
    /// White space.
    Space,
}

impl Form {
    /// The form of a character, from a table.
    pub fn known(c: char) -> Form {
        FORMS.get(c as usize).map_or_else(|| Form::of(c), |form| *form)
    }

    fn of(c: char) -> Form {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            _ if c.is_whitespace() => Form::Space,
            _ if !c.is_alphabetic() => [Form::Sign, Form::Digit][usize::from(c.is_numeric())],
            (Some(lower), None) if !lower.is_numeric() => Form::Letter(lower),
            _ => Form::Rare,
        }
    }

    /// Adds the form of a character in which near duplicates are equal.
    pub fn push_near(self, c: char, near: &mut String) {
        match self {
            Form::Letter(lower) => near.push(lower),
            Form::Rare => near.extend(c.to_lowercase().map(|c| if c.is_numeric() { '0' } else { c })),
            Form::Digit => near.push('0'),
            Form::Sign | Form::Space => {}
        }
    }
}

/// The form of each character of the Basic Multilingual Plane: Unicode's own tables are slow for letters without case.
static FORMS: LazyLock<Box<[Form]>> =
    LazyLock::new(|| (0..0x1_0000).map(|code| char::from_u32(code).map_or(Form::Sign, Form::of)).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_stands_behind_its_number() {
        for text in [
            "3.2. Foo bar",
            "3 Foo bar",
            "B.4. Foo bar",
            "Table 9.1. Foo bar",
            "表 12-10： Foo bar",
            "Tabelle 3: Foo bar",
            "٣ Foo bar",
        ] {
            assert_eq!(behind_number(text), Some("Foo bar"), "{text}");
        }
        for text in ["Foo bar", "Foo bar 3 baz", "3com cards", "a. Foo", "", "12", "(3) Foo", "Debian 12"] {
            assert_eq!(behind_number(text), None, "{text}");
        }
    }

    #[test]
    fn who_writes_the_same_in_another_language_writes_other_hyphens_and_capitals() {
        let are_one = |a: &str, b: &str| wording(a) == wording(b);
        assert!(are_one("The „No desktop“ value (text-based)", "The “No desktop” value: text-based."));
        assert!(
            are_one("A.2.2. USB Memory Stick", "2.4. USB Memory Stick") && are_one("on it[9], too", "on it[12] too")
        );
        assert!(are_one("called « GPL »", "called 'GPL'") && are_one("the user’s 3 disks", "the user's 12 disks"));
        assert!(!are_one("USB-Memory-Stick", "USB Memory Stick") && !are_one("64-Bit MIPS", "64bit MIPS"));
        assert!(
            !are_one("Software RAID", "Software Raid")
                && !are_one("ssh-server (SSH-Server)", "ssh-server (SSH server)")
        );
        assert!(are_one("9", "12") && !are_one("中文", "中 文"));
    }

    #[test]
    fn numbers_and_letters_are_counted_as_words_are_divided() {
        assert_eq!(
            [
                "3.6.4. Secure Boot",
                "A.2.2. USB Stick",
                "amd64",
                "Table 9.1. v2",
                "我 12 ж",
                "",
                "e.g. what the U.S. don’t",
                "file.c x"
            ]
            .map(numbers_and_letters),
            [1, 2, 0, 1, 2, 0, 2, 1]
        );
    }

    #[test]
    fn near_duplicates_differ_in_digits_case_and_punctuation_only() {
        assert_eq!(near("page 2 of 9."), near("Page 1 of 9"));
        assert_ne!(near("Page 1 of"), near("9 Page 1 of"));
        assert_eq!(near("ÀÉ 中文 ٣"), xxh3_64("àé中文0".as_bytes()));
    }
}
