//! Texts that name a language.

use crate::types::Lang;

/// True when `text` is a tag or code of `lang`: `fr`, `fra`, `fr-CA`, `zh_TW`.
pub fn names_language(text: &str, lang: Lang) -> bool {
    tag(text).is_some_and(|named| named.agrees(lang))
}

/// True when `text` is a tag or code of some language.
pub fn is_language_name(text: &str) -> bool {
    tag(text).is_some_and(Lang::is_known)
}

/// The language that a text names by a code of ISO 639-1: `uk_UA`, and not `jp`, which only looks like a code.
pub fn named_language(text: &str) -> Option<Lang> {
    tag(text).filter(|lang| lang.is_known() && lang.has_short_code())
}

fn tag(text: &str) -> Option<Lang> {
    // Most texts are none: their first run of letters is too long or too short.
    let letters = text.bytes().take(4).take_while(u8::is_ascii_alphabetic).count();
    if (2..=3).contains(&letters) && text.len() <= 8 { Lang::parse(text) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_codes_name_their_language_and_no_other() {
        let fr = Lang::parse("fr").expect("a tag");
        for text in ["fr", "fra", "FR", "fr-CA", "fr_FR"] {
            assert!(names_language(text, fr) && is_language_name(text), "{text}");
            assert!(!names_language(text, Lang::EN), "{text}");
        }
        assert!(names_language("zh_TW", Lang::ZH));
        for text in ["", "f", "index", "2024", "france", "fr-something"] {
            assert!(!is_language_name(text), "{text}");
        }
    }
}
