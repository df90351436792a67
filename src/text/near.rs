//! What texts have in common that differ in case, digits, punctuation and white space only.

use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

/// The hash of a text that near duplicates have in common: of its letters and digits, in lower case, with each digit replaced by 0.
pub fn near(text: &str) -> u64 {
    let mut near = String::with_capacity(text.len() + 1);
    text.chars().for_each(|c| Form::known(c).push_near(c, &mut near));
    xxh3_64(near.as_bytes())
}

/// What stands behind the number of a heading, table or figure at the beginning of a text, and behind its word if it has one: `Foo` of `3.2. Foo`,
/// `B.4. Foo`, `Table 9.1. Foo` and `表 12-10 Foo`. `None` for a text that begins otherwise.
pub fn behind_number(text: &str) -> Option<&str> {
    let text = text.trim_start();
    // A letter and a point, as of an appendix, belong to the number.
    let of_number = |c: char| c.is_numeric() || matches!(c, '.' | '-' | ':' | ')' | '．' | '：');
    let first = text.find(|c: char| !c.is_alphabetic())?;
    let is_appendix = text[..first].chars().nth(1).is_none() && text[first..].starts_with('.');
    let number = if is_appendix { &text[first..] } else { text[first..].trim_start() };
    let rest = number.trim_start_matches(of_number);
    let has_digit = number[..number.len() - rest.len()].contains(char::is_numeric);
    (has_digit && rest.starts_with(char::is_whitespace)).then(|| rest.trim_start())
}

/// What a character is in a text that is compared.
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

    /// Adds what near duplicates have in common of a character of this form.
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
    fn near_duplicates_differ_in_digits_case_and_punctuation_only() {
        assert_eq!(near("page 2 of 9."), near("Page 1 of 9"));
        assert_ne!(near("Page 1 of"), near("9 Page 1 of"));
        assert_eq!(near("ÀÉ 中文 ٣"), xxh3_64("àé中文0".as_bytes()));
    }
}
