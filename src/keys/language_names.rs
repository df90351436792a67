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

fn tag(text: &str) -> Option<Lang> {
    // Most texts are none: their first run of letters is too long or too short.
    let letters = text.bytes().take(4).take_while(u8::is_ascii_alphabetic).count();
    if (2..=3).contains(&letters) && text.len() <= 8 { Lang::parse(text) } else { None }
}
