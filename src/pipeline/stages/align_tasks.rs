//! Decides what is done with the page pairs of a document: which of them are composed, and by which of its versions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::align::routes::{Route, Routes};
use crate::judge::hubs::Planned;
use crate::types::{Lang, LangPair, PagePair};

/// A page of a document, by its language and its number.
pub type Version = (Lang, u32);

/// One page pair to align.
pub struct Task {
    /// Position of its site among the sites of the run.
    pub site: usize,
    /// Its pages.
    pub pair: PagePair,
    /// Number of its document on the site.
    pub document: u32,
    /// The version by which it is composed; `None`: it is aligned directly.
    pub by: Option<Version>,
    /// References to the records of the two pages.
    pub places: (u64, u64),
}

impl Task {
    /// True for page pairs of the same document.
    pub fn is_of_document(&self, other: &Task) -> bool {
        (self.site, self.document) == (other.site, other.document)
    }

    /// Both pages.
    pub fn sides(&self) -> [Version; 2] {
        self.pair.sides()
    }
}

/// The page pair of the hub and another version, with its sides in order.
pub fn with(hub: Version, version: Version) -> [Version; 2] {
    [hub.min(version), hub.max(version)]
}

/// The version by which each page pair of a document is composed; `None`: it is aligned directly.
///
/// Languages that were not learnt, but are both learnt with a third one, are composed by the version in that language, whole or not,
/// because the models of both with the third language say less than two alignments with it. If that version is missing, the hub takes its
/// place. Languages that were learnt are composed by the hub, if the languages of both pages were learnt with that of the hub, too. In any
/// case both pages must be aligned directly with the version that they are composed by.
pub fn composed_by(document: &[Planned], routes: &Routes) -> Vec<Option<Version>> {
    let is_learnt =
        |lang: Lang, hub: Lang| LangPair::new(lang, hub).is_some_and(|langs| routes.of(langs) == Route::Own);
    let versions: BTreeMap<Lang, u32> = document.iter().flat_map(|planned| planned.pair.sides()).collect();
    let candidates = |planned: &Planned| {
        let langs = planned.pair.langs;
        let by = match routes.of(langs) {
            Route::Own => [None, planned.hub.filter(|hub| is_learnt(langs.a, hub.0) && is_learnt(langs.b, hub.0))],
            Route::Via(third) => [versions.get(&third).map(|&page| (third, page)), planned.hub],
        };
        by.into_iter().flatten()
    };
    let is_direct = |planned: &&Planned| candidates(planned).next().is_none();
    let direct: BTreeSet<[Version; 2]> =
        document.iter().filter(is_direct).map(|planned| planned.pair.sides()).collect();
    let helps = |planned: &Planned, hub: Version| {
        planned.pair.sides().into_iter().all(|version| direct.contains(&with(hub, version)))
    };
    document.iter().map(|planned| candidates(planned).find(|&hub| helps(planned, hub))).collect()
}

/// The places of the page pairs that a part of a document is composed of, and that are not in this part.
pub fn missing(document: &[Planned], by: &[Option<Version>], part: Range<usize>) -> Vec<usize> {
    let composed = part.clone().filter_map(|place| Some((document[place].pair, by[place]?)));
    let needed: BTreeSet<[Version; 2]> =
        composed.flat_map(|(pair, hub)| pair.sides().map(|version| with(hub, version))).collect();
    let is_needed = |place: &usize| needed.contains(&document[*place].pair.sides());
    (0..document.len()).filter(|place| !part.contains(place)).filter(is_needed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    fn langs(pair: &str) -> LangPair {
        let (a, b) = pair.split_once('-').expect("two tags");
        LangPair::new(lang(a), lang(b)).expect("two languages")
    }

    /// The page pairs of a document with a page in each language, all with the same hub.
    fn document(pairs: &[&str], hub: Option<&str>) -> Vec<Planned> {
        let page = |lang: Lang| u32::from_be_bytes([0, 0, lang.to_bytes()[0], lang.to_bytes()[1]]);
        let hub = hub.map(|tag| (lang(tag), page(lang(tag))));
        let planned = |pair: &&str| {
            let langs = langs(pair);
            let pair = PagePair { langs, a: page(langs.a), b: page(langs.b) };
            Planned { pair, document: 7, hub: hub.filter(|hub| hub.0 != langs.a && hub.0 != langs.b) }
        };
        pairs.iter().map(planned).collect()
    }

    fn by(pairs: &[&str], hub: Option<&str>, learnt: &[&str]) -> Vec<String> {
        let routes = Routes::new(learnt.iter().map(|pair| langs(pair)));
        let by = composed_by(&document(pairs, hub), &routes);
        by.into_iter().map(|by| by.map(|(lang, _)| lang.to_string()).unwrap_or_default()).collect()
    }

    #[test]
    fn what_was_not_learnt_is_composed_by_the_language_by_which_it_goes() {
        let pairs = ["de-en", "de-fr", "de-it", "en-fr", "en-it", "fr-it"];
        let with_en = ["de-en", "en-fr", "en-it"];
        assert_eq!(by(&pairs, Some("en"), &with_en), ["", "en", "en", "", "", "en"]);
        assert_eq!(by(&pairs, None, &with_en), ["", "en", "en", "", "", "en"], "whole or not");
        // The document has no English version.
        assert_eq!(by(&["de-fr", "de-it", "fr-it"], Some("de"), &with_en), ["", "", "de"]);
        // English and Italian are no pair there.
        assert_eq!(by(&["de-en", "de-fr", "de-it", "en-fr", "fr-it"], None, &with_en), ["", "en", "", "", ""]);
    }

    #[test]
    fn what_was_learnt_is_composed_by_a_hub_with_which_both_were_learnt() {
        let pairs = ["de-en", "de-fr", "en-fr"];
        assert_eq!(by(&pairs, Some("en"), &pairs), ["", "en", ""]);
        assert_eq!(by(&pairs, None, &pairs), ["", "", ""]);
        // English and French go by German.
        assert_eq!(by(&pairs, Some("en"), &["de-en", "de-fr"]), ["", "", "de"]);
    }

    #[test]
    fn a_part_of_a_document_has_what_it_is_composed_of() {
        let document = document(&["de-en", "en-fr", "en-it", "de-fr", "de-it", "fr-it"], Some("en"));
        let by = composed_by(&document, &Routes::new(["de-en", "en-fr", "en-it"].map(langs)));
        let missing = |part| missing(&document, &by, part);
        assert_eq!((missing(0..6), missing(0..3), missing(2..4)), (vec![], vec![], vec![0, 1]));
        assert_eq!((missing(5..6), missing(4..6)), (vec![1, 2], vec![0, 1, 2]));
    }
}
