//! Languages that a page says it is in.

use crate::types::Lang;

/// Adds the languages that a list like `en, fr-CA` names, those it does not hold yet.
pub fn declare(declared: &mut Vec<Lang>, list: &str) {
    for lang in list.split([',', ';', ' ']).filter_map(Lang::parse) {
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
}
