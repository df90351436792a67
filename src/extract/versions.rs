//! Links that are labelled as versions of the page in another language: "English", "Français", an element with `lang-href`.

use crate::language::names::named;
use crate::types::Lang;

/// `rel` that stands for the attribute `lang-href`, by which elements of some design systems name the page in its other language.
pub const LANG_HREF: &str = "lang-href";

/// The language of a link's target according to the text of the link, if it differs from that of the link's own page. The attribute
/// `lang-href` says only that the target is in another language, so there it is the language of the target page. `None` for links that name
/// no other language.
pub fn labelled(anchor: &str, rel: &str, [own, target]: [Lang; 2]) -> Option<Lang> {
    let lang = if rel == LANG_HREF { Some(target) } else { named(anchor) };
    lang.filter(|lang| lang.is_known() && !lang.agrees(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_the_name_of_a_language_or_the_element_of_a_switch() {
        let (en, zh, unknown) = (Lang::EN, Lang::ZH, Lang::UNKNOWN);
        assert_eq!(labelled("English", "nofollow", [zh, zh]), Some(en));
        assert_eq!(labelled("", LANG_HREF, [en, zh]), Some(zh));
        for (anchor, rel, langs) in [
            ("", LANG_HREF, [en, unknown]),
            ("", LANG_HREF, [en, en]),
            ("English", "", [en, zh]),
            ("Contact", "", [en, zh]),
        ] {
            assert_eq!(labelled(anchor, rel, langs), None, "{anchor} {rel}");
        }
    }
}
