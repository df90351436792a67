//! The languages that a page declares to be in.

use crate::types::Lang;

/// Declared languages of a page, at most. Sites have versions in some hundred languages, but a page is only in a few.
const MAX_DECLARED: usize = 64;

/// Adds the languages of a list such as `en, fr-CA` that are not in `declared` yet, in the script that it names.
pub fn declare(declared: &mut Vec<Lang>, list: &str) {
    for lang in list.split([',', ';', ' ']).filter_map(Lang::parse_with_script) {
        if declared.len() >= MAX_DECLARED {
            return;
        }
        if lang.is_known() && !declared.contains(&lang) {
            declared.push(lang);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_is_declared_once_and_what_is_none_not_at_all() {
        let mut declared = Vec::new();
        declare(&mut declared, "en, fr-CA;EN x-default");
        declare(&mut declared, "");
        declare(&mut declared, "de en sr-Latn-RS");
        let tags: Vec<String> = declared.iter().map(Lang::to_string).collect();
        assert_eq!(tags, ["en", "fr", "de", "sr-Latn"]);
    }

    #[test]
    fn a_page_declares_so_many_languages() {
        let letters = || b'a'..=b'z';
        let all: Vec<String> =
            letters().flat_map(|a| letters().map(move |b| format!("{}{}", a as char, b as char))).collect();
        let mut declared = Vec::new();
        declare(&mut declared, &all.join(","));
        assert_eq!(declared.len(), MAX_DECLARED);
    }
}
