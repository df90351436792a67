//! Texts that name a language by a tag or code, as parts of URLs do.

use encoding_rs::Encoding;

use crate::types::{Lang, is_whole_tag};

/// True when `text` is a tag or code of `lang`: `fr`, `fra`, `fr-CA`, `zh_TW`, `fr_FR.UTF-8`.
pub fn names_language(text: &str, lang: Lang) -> bool {
    tag(text).is_some_and(|named| named.agrees(lang))
}

/// True when `text` is a tag or code of some language.
pub fn is_language_name(text: &str) -> bool {
    tag(text).is_some_and(Lang::is_known)
}

/// The language that a text names by a code of ISO 639-1, or what is written for one: `uk_UA`, `jp`, and not `us`.
pub fn named_language(text: &str) -> Option<Lang> {
    tag(text).filter(|lang| lang.is_known() && lang.has_short_code())
}

/// The language that a text names by a code of ISO 639-1, or by one of three letters that there is: `yo`, `kmb`, `pt_BR`; neither `us` nor `web`.
pub fn names_by_code(text: &str) -> Option<Lang> {
    // `zh-TW`, `sr-Latn`, `es-419`, `sr_RS@latin`; neither `how-two` nor `so-what`.
    let code = text.split(['-', '_', '@']).next().unwrap_or_default();
    let is_tag = code.len() == text.len() || code.len() == 2 && is_whole_tag(text);
    tag(text).filter(|lang| is_tag && lang.is_registered())
}

fn tag(text: &str) -> Option<Lang> {
    // Most texts are none: their first run of letters is too long or too short.
    let letters = text.bytes().take(4).take_while(u8::is_ascii_alphabetic).count();
    let is_tag = || {
        let (tag, codeset) = text.split_once('.').map_or((text, None), |(tag, codeset)| (tag, Some(codeset)));
        (tag.len() <= 8 || tag.len() <= LONGEST && is_whole_tag(tag)) && codeset.is_none_or(is_codeset)
    };
    if (2..=3).contains(&letters) && is_tag() { Lang::parse(text) } else { None }
}

/// True for what names of locales have behind a point, `UTF-8` and `UTF-8@latin`: the name of an encoding. The ending of a file, as in `de.php`,
/// belongs to no tag.
fn is_codeset(text: &str) -> bool {
    Encoding::for_label(text.split('@').next().unwrap_or_default().as_bytes()).is_some()
}

/// `zh-Hant-HK`, `sr_RS@latin`, `uz_UZ@cyrillic`, `ks_IN@devanagari`.
const LONGEST: usize = 16;

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
        let serbian = Lang::parse("sr").expect("a tag");
        for text in ["sr-Latn", "sr_RS@latin", "sr-Cyrl-RS"] {
            assert!(names_language(text, serbian) && names_by_code(text) == Some(serbian), "{text}");
        }
        assert_eq!(names_by_code("zh-t"), Some(Lang::ZH_HANT));
        for text in ["so-what", "so-what-else", "how-two", "no-time-left", "us", "web", "red", "uno", "mul", "qaa"] {
            assert_eq!(names_by_code(text), None, "{text}");
        }
        for text in ["", "f", "index", "2024", "france", "fr-something"] {
            assert!(!is_language_name(text), "{text}");
        }
    }

    #[test]
    fn what_stands_behind_a_point_is_a_codeset_or_the_tag_is_none() {
        for text in ["ja.utf8", "fr_FR.UTF-8", "ru.koi8-r", "sr_RS.UTF-8@latin", "zh-tw.big5"] {
            assert!(is_language_name(text), "{text}");
        }
        assert!(names_language("fr_FR.UTF-8", Lang::parse("fr").expect("a tag")));
        for text in ["pt.html", "de.php", "fr.htm", "en.0", "pt_BR.htm", "fr."] {
            assert!(
                !is_language_name(text) && named_language(text).is_none() && names_by_code(text).is_none(),
                "{text}"
            );
        }
    }
}
