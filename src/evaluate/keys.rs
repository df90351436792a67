//! Found keys compared with gold keys.

use std::collections::BTreeSet;

use super::gold::{GoldKey, GoldKeys, GoldPairs};
use super::ratios::{f1, precision, recall};
use crate::types::{Key, LangPair};

/// The result of comparing found keys with gold keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyReport {
    /// Gold keys that were found, in the order of their file.
    pub found: Vec<GoldKey>,
    /// Gold keys that were not found.
    pub missed: Vec<GoldKey>,
    /// Patterns of found keys that are not gold keys, sorted.
    pub extra: Vec<String>,
    /// Number of different patterns of found keys that are left out because gold says nothing about their languages.
    pub unscored: u64,
}

impl KeyReport {
    /// found / (found + extra), in 0..=1; `None` when no key was found.
    pub fn precision(&self) -> Option<f64> {
        precision(self.found.len() as u64, self.extra.len() as u64)
    }

    /// found / (found + missed), in 0..=1; `None` when there is no gold key.
    pub fn recall(&self) -> Option<f64> {
        recall(self.found.len() as u64, self.missed.len() as u64)
    }

    /// Harmonic mean of precision and recall; `None` when there is neither a found nor a gold key.
    pub fn f1(&self) -> Option<f64> {
        f1(self.found.len() as u64, self.extra.len() as u64, self.missed.len() as u64)
    }
}

/// Compares the keys found on one site or on many with the gold keys.
///
/// Two keys are equal when their fields and both texts are equal, in either order and letter by letter (`zh_CN` is not `zh-CN`). It does
/// not matter whether a key was found as a whole token or as a part of one. A key found for several language pairs or on several sites
/// counts once. A compound key is extra, since all gold keys are single.
///
/// Gold keys exist only for language pairs that have gold pairs. If `pairs` is given, keys of other languages are left out; but if it has
/// no gold pair at all, there is nothing to find, and every found key is extra.
pub fn keys<'a>(found: impl IntoIterator<Item = &'a Key>, gold: &GoldKeys, pairs: Option<&GoldPairs>) -> KeyReport {
    let scored = pairs.map(GoldPairs::paired_langs).filter(|langs| !langs.is_empty());
    let (mut right, mut extra, mut unscored) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for key in found {
        let judged = single(key).filter(|key| gold.as_slice().contains(key));
        let is_paired = |pair: &LangPair| agree(*pair, key.langs);
        if scored.as_ref().is_some_and(|langs| !langs.iter().any(is_paired)) {
            unscored.insert(unordered_pattern(key));
        } else if let Some(key) = judged {
            right.insert(key);
        } else {
            extra.insert(unordered_pattern(key));
        }
    }
    let (found, missed) = gold.as_slice().iter().cloned().partition(|key| right.contains(key));
    KeyReport { found, missed, unscored: unscored.len() as u64, extra: extra.into_iter().collect() }
}

/// True when both can mean the same languages: a method that looks only at letters says `zh` for either script.
fn agree(a: LangPair, b: LangPair) -> bool {
    (a.a.agrees(b.a) && a.b.agrees(b.b)) || (a.a.agrees(b.b) && a.b.agrees(b.a))
}

fn single(key: &Key) -> Option<GoldKey> {
    match key.edits.as_slice() {
        [edit] => Some(GoldKey::new(edit.field, &edit.from, &edit.to)),
        _ => None,
    }
}

/// A pattern that is the same in both directions of a key, so that the key counts once.
fn unordered_pattern(key: &Key) -> String {
    single(key).map_or_else(|| key.pattern(), |key| key.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Edit, Field, Lang};

    fn langs(a: &str, b: &str) -> LangPair {
        LangPair::new(Lang::parse(a).expect("a tag"), Lang::parse(b).expect("a tag")).expect("two languages")
    }

    fn edit(field: Field, from: &str, to: &str) -> Edit {
        Edit { field, from: from.to_owned(), to: to.to_owned(), core: false }
    }

    fn key(a: &str, b: &str, field: Field, from: &str, to: &str) -> Key {
        Key { langs: langs(a, b), edits: vec![edit(field, from, to)] }
    }

    fn gold(text: &str) -> GoldKeys {
        let mut gold = GoldKeys::default();
        gold.read("gold", text.as_bytes()).expect("sound rows");
        gold
    }

    #[test]
    fn keys_match_in_any_direction_and_to_the_letter() {
        let gold = gold("en\tfr\tpath\nen\tzh_CN\tpath\n(null)\tde\tfile\n");
        let core = Key { langs: langs("de", "en"), edits: vec![Edit { core: true, ..edit(Field::File, "de", "") }] };
        let compound =
            Key { langs: langs("en", "nl"), edits: vec![edit(Field::Path, "", "nl"), edit(Field::File, "", "nl")] };
        let found = [
            key("en", "fr", Field::Path, "en", "fr"),
            key("es", "fr", Field::Path, "fr", "en"),
            key("en", "zh-cn", Field::Path, "en", "zh-CN"),
            key("en", "fr", Field::File, "en", "fr"),
            core,
            compound,
        ];
        let report = keys(&found, &gold, None);
        assert_eq!(report.found.iter().map(GoldKey::to_string).collect::<Vec<_>>(), ["path:en:fr", "file:(null):de"]);
        assert_eq!(report.missed.iter().map(GoldKey::to_string).collect::<Vec<_>>(), ["path:en:zh_CN"]);
        assert_eq!(report.extra, ["file:en:fr", "path:(null):nl+file:(null):nl", "path:en:zh-CN"]);
        // P = 2/5, R = 2/3, F1 = 2·(2/5)·(2/3) / (2/5 + 2/3) = (8/15) / (16/15) = 1/2.
        assert_eq!((report.precision(), report.recall(), report.f1()), (Some(0.4), Some(2.0 / 3.0), Some(0.5)));
    }

    #[test]
    fn languages_gold_does_not_know_are_left_out() {
        let gold = gold("en\tfr\tpath\n");
        let mut pairs = GoldPairs::default();
        pairs.read_pairs("p", "http://x.org/en/\thttp://x.org/fr/\ten\tfr".as_bytes()).expect("sound rows");
        pairs.read_ignored("g", "http://x.org/fr/\thttp://x.org/ja/\tfr\tja\tmixed".as_bytes()).expect("sound rows");
        let found = [key("en", "fr", Field::Path, "en", "fr"), key("fr", "ja", Field::Path, "fr", "ja")];
        let report = keys(&found, &gold, Some(&pairs));
        assert_eq!((report.precision(), report.unscored), (Some(1.0), 1));
    }

    #[test]
    fn a_key_of_chinese_of_unknown_script_is_scored() {
        let gold = gold("en\tzh_CN\tpath\n");
        let mut pairs = GoldPairs::default();
        pairs.read_pairs("p", "http://x.org/en/\thttp://x.org/zh_CN/\ten\tzh-cn".as_bytes()).expect("sound rows");
        let report = keys(&[key("en", "zh", Field::Path, "en", "zh_CN")], &gold, Some(&pairs));
        assert_eq!((report.recall(), report.unscored), (Some(1.0), 0));
    }

    #[test]
    fn where_no_key_exists_every_found_one_is_extra() {
        let report = keys(&[key("en", "fr", Field::Path, "a", "b")], &gold(""), Some(&GoldPairs::default()));
        assert_eq!((report.precision(), report.recall(), report.f1()), (Some(0.0), None, Some(0.0)));
        assert_eq!(keys(&[], &gold(""), None).f1(), None);
    }
}
