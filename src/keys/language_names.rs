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

/// The language that a text names by a code of two letters of ISO 639-1 or by one of three letters: `yo`, `kmb`, `pt_BR`.
pub fn names_by_code(text: &str) -> Option<Lang> {
    let (code, rest) = text.split_once(['-', '_']).map_or((text, None), |(code, rest)| (code, Some(rest)));
    // `zh-TW`, `sr-Latn`, `es-419`; neither `how-two` nor `so-what`.
    let is_region = |rest: &str| match rest.len() {
        2 => rest.bytes().all(|byte| byte.is_ascii_alphabetic()),
        3 => rest.bytes().all(|byte| byte.is_ascii_digit()),
        _ => SCRIPTS.iter().any(|script| script.eq_ignore_ascii_case(rest)),
    };
    let is_tag = rest.is_none_or(|rest| code.len() == 2 && is_region(rest));
    tag(text).filter(|lang| is_tag && lang.is_known() && is_code(*lang))
}

/// True for a language by a code of ISO 639-1, or by one of three letters; `jp` and `cz` are countries.
pub fn is_code(lang: Lang) -> bool {
    let base = lang.base();
    let code = base.as_str().split('-').next().unwrap_or("");
    code.len() == 3 || ISO_639_1.split(' ').any(|known| known == code)
}

/// Codes of the scripts that languages written in several of them are tagged with.
const SCRIPTS: &[&str] = &["Latn", "Cyrl", "Arab", "Hans", "Hant", "Hebr", "Deva", "Guru", "Beng", "Mong", "Tfng"];

/// All codes of two letters.
const ISO_639_1: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo \
                         es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv \
                         ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd \
                         ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr \
                         ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

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
