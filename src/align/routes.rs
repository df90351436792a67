//! Decides which language pairs are learnt, and by which third language the others are aligned.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::types::{Lang, LangPair};

/// How many page pairs of a language pair there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// All of them.
    pub all: u64,
    /// The page pairs that are not composed.
    pub direct: u64,
}

/// A language pair is learnt if one in this many of its page pairs has to be aligned directly. An estimate: for fewer, models with a third
/// language suffice.
const DIRECT_OF: u64 = 32;

/// How a language pair is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// It is learnt.
    Own,
    /// Both languages are learnt with this one.
    Via(Lang),
}

/// The language pairs that are learnt.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    learnt: BTreeSet<LangPair>,
    /// For each language, with how many others it is learnt.
    partners: BTreeMap<Lang, usize>,
}

impl Routes {
    /// The routes, given the language pairs that are learnt.
    pub fn new(learnt: impl IntoIterator<Item = LangPair>) -> Routes {
        let mut routes = Routes::default();
        learnt.into_iter().for_each(|langs| routes.add(langs));
        routes
    }

    /// Chooses the language pairs that are learnt, given the page pairs of each: those of which many are aligned directly, and those that
    /// no third language helps.
    pub fn chosen(counted: &BTreeMap<LangPair, Counted>) -> Routes {
        let needed = counted.iter().filter(|(_, count)| count.direct.saturating_mul(DIRECT_OF) >= count.all);
        let mut routes = Routes::new(needed.map(|(&langs, _)| langs));
        for &langs in counted.keys() {
            if routes.found(langs).is_none() {
                routes.add(langs);
            }
        }
        routes
    }

    fn add(&mut self, langs: LangPair) {
        if self.learnt.insert(langs) {
            [langs.a, langs.b].into_iter().for_each(|lang| *self.partners.entry(lang).or_default() += 1);
        }
    }

    /// The route of a language pair. A language pair of which nothing is known counts as learnt, with an empty model.
    pub fn of(&self, langs: LangPair) -> Route {
        self.found(langs).unwrap_or(Route::Own)
    }

    /// The route of a language pair, if there is one. Of several third languages the one with the most partners is taken; of equal ones
    /// English, or else the first.
    fn found(&self, langs: LangPair) -> Option<Route> {
        if self.learnt.contains(&langs) {
            return Some(Route::Own);
        }
        let is_learnt = |x, y| LangPair::new(x, y).is_some_and(|langs| self.learnt.contains(&langs));
        let helping = self.partners.iter().filter(|&(&hub, _)| is_learnt(langs.a, hub) && is_learnt(hub, langs.b));
        let best = helping.max_by_key(|&(&hub, &partners)| (partners, hub == Lang::EN, Reverse(hub)));
        best.map(|(&hub, _)| Route::Via(hub))
    }

    /// The language pairs whose models are needed for one.
    pub fn needed(&self, langs: LangPair) -> Vec<LangPair> {
        match self.of(langs) {
            Route::Own => vec![langs],
            Route::Via(hub) => [langs.a, langs.b].into_iter().filter_map(|lang| LangPair::new(lang, hub)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(tags: &str) -> LangPair {
        let (a, b) = tags.split_once('-').expect("two tags");
        let lang = |tag| Lang::parse(tag).expect("a tag");
        LangPair::new(lang(a), lang(b)).expect("two languages")
    }

    #[test]
    fn what_few_page_pairs_need_goes_by_a_third_language() {
        let counted = |all, direct| Counted { all, direct };
        let counts = [
            ("de-en", counted(100, 100)),
            ("en-fr", counted(100, 100)),
            ("de-fr", counted(90, 2)),
            ("en-ja", counted(96, 3)),
            ("fr-ja", counted(96, 2)),
            ("de-ru", counted(3, 0)),
        ];
        let routes = Routes::chosen(&counts.into_iter().map(|(tags, count)| (pair(tags), count)).collect());
        let learnt: Vec<LangPair> = routes.learnt.iter().copied().collect();
        assert_eq!(learnt, ["de-en", "de-ru", "en-fr", "en-ja"].map(pair), "no other way leads to Russian");
        assert_eq!((routes.of(pair("de-ru")), routes.of(pair("it-ja"))), (Route::Own, Route::Own));
        assert_eq!(routes.of(pair("fr-ja")), Route::Via(Lang::EN));
        assert_eq!(routes.needed(pair("fr-ja")), ["en-fr", "en-ja"].map(pair));
        assert_eq!(routes.needed(pair("de-en")), [pair("de-en")]);
    }

    #[test]
    fn the_language_with_the_most_partners_helps() {
        let hub = |learnt: &[&str]| Routes::new(learnt.iter().map(|tags| pair(tags))).of(pair("cs-ja"));
        let via = |tag: &str| Route::Via(Lang::parse(tag).expect("a tag"));
        assert_eq!(hub(&["cs-en", "en-ja", "cs-fr", "fr-ja", "fr-ru"]), via("fr"));
        assert_eq!(hub(&["cs-en", "en-ja", "cs-fr", "fr-ja"]), via("en"));
        assert_eq!(hub(&["cs-it", "it-ja", "cs-fr", "fr-ja"]), via("fr"));
        assert_eq!(hub(&["cs-it", "cs-fr"]), Route::Own);
    }
}
