//! Languages that a page says it is in.

use crate::types::Lang;

/// The most languages a page declares. Sites have versions in some hundred languages; a page is in a few.
const MAX_DECLARED: usize = 64;

/// Adds the languages that a list like `en, fr-CA` names, those it does not hold yet.
pub fn declare(declared: &mut Vec<Lang>, list: &str) {
    for lang in list.split([',', ';', ' ']).filter_map(Lang::parse) {
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
        declare(&mut declared, "de en");
        let tags: Vec<String> = declared.iter().map(Lang::to_string).collect();
        assert_eq!(tags, ["en", "fr", "de"]);
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
