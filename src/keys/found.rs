//! What key discovery finds: keys, pairs, and the language that each page counts for.

use rustc_hash::FxHashMap;

use super::credibility::{KeyEvidence, State};
use crate::index::site::Pages;
use crate::language::profiles::Line;
use crate::types::{Key, KeyScope, Lang};

/// A key of one site.
#[derive(Clone, Debug)]
pub struct FoundKey {
    /// The key.
    pub key: Key,
    /// What it is judged by.
    pub evidence: KeyEvidence,
    /// What became of it.
    pub state: State,
    /// How many pairs it was assigned in the competition.
    pub assigned: u64,
    /// Pages it was found among: those of the whole domain, of a host, of a folder, or of a folder that hosts share.
    pub scope: KeyScope,
    /// The pairs it matches; empty for weak keys, and after the competition.
    pub pairs: Vec<(u32, u32)>,
}

/// A pair of one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundPair {
    /// Page in the key's first language.
    pub a: u32,
    /// Page in its second.
    pub b: u32,
    /// Position of its key.
    pub key: u32,
}

/// What key discovery finds in one domain.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// Keys: strong, rescued, lost to better ones, and the strongest of the weak ones.
    pub keys: Vec<FoundKey>,
    /// Pairs by language pair and page.
    pub pairs: Vec<FoundPair>,
    /// The languages that pages count for, and the position among them of each page's ([`NO_LABEL`]: none).
    pub(super) labels: (Vec<Lang>, Vec<u16>),
    /// Untranslated copies, and the page that stands for each.
    pub copies: Vec<(u32, u32)>,
    /// The letters of languages that other domains may learn from this one.
    pub taught: Vec<Line>,
    /// True where letters were compared with profiles, so that what is learnt of languages may change what was found.
    pub is_asked: bool,
}

impl Discovery {
    /// The language a page counts for, if any.
    pub fn lang(&self, page: u32) -> Option<Lang> {
        self.labels.0.get(usize::from(self.labels.1[page as usize])).copied()
    }

    /// The pages that count for another language than that of their text, and which; unknown: for none.
    pub fn relabelled<'d>(&'d self, pages: &'d dyn Pages) -> impl Iterator<Item = (u32, Lang)> + 'd {
        let lang = |page: u32| self.lang(page).unwrap_or(Lang::UNKNOWN);
        (0..pages.count()).map(move |page| (page, lang(page))).filter(|&(page, lang)| lang != pages.detected(page))
    }

    /// Sorts keys by strength, and of each scope takes out the weak ones but for the strongest `max_weak`.
    pub(super) fn drop_weakest(&mut self, max_weak: usize) {
        let mut order: Vec<u32> = (0..self.keys.len() as u32).collect();
        order.sort_by(|&x, &y| {
            let (x, y) = (&self.keys[x as usize], &self.keys[y as usize]);
            let weak = |k: &FoundKey| k.state == State::Weak;
            let rank = weak(x).cmp(&weak(y)).then(y.evidence.power.cmp(&x.evidence.power));
            rank.then_with(|| x.key.cmp(&y.key)).then_with(|| x.scope.cmp(&y.scope))
        });
        let mut weak: FxHashMap<KeyScope, usize> = FxHashMap::default();
        order.retain(|&at| {
            let key = &self.keys[at as usize];
            let count = weak.entry(key.scope.clone()).or_default();
            *count += usize::from(key.state == State::Weak);
            key.state != State::Weak || *count <= max_weak
        });
        let mut position = vec![0; self.keys.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old as usize] = new as u32;
        }
        for pair in &mut self.pairs {
            pair.key = position[pair.key as usize];
        }
        let mut keys: Vec<Option<FoundKey>> = std::mem::take(&mut self.keys).into_iter().map(Some).collect();
        self.keys = order.iter().filter_map(|&old| keys[old as usize].take()).collect();
        let keys = &self.keys;
        self.pairs.sort_unstable_by_key(|pair| (keys[pair.key as usize].key.langs, pair.a, pair.b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::site::{ListedPages, PageFacts};

    #[test]
    fn pages_are_relabelled_that_count_for_another_language_than_was_detected() {
        let facts = |detected| PageFacts { detected, ..PageFacts::default() };
        let pages: Vec<(String, PageFacts)> = [Lang::EN, Lang::ZH, Lang::UNKNOWN, Lang::EN]
            .into_iter()
            .zip(0..)
            .map(|(lang, n)| (format!("x.org/{n}"), facts(lang)))
            .collect();
        let no_label = crate::index::site::NO_LABEL;
        let labels = (vec![Lang::EN, Lang::ZH], vec![0, 0, 1, no_label]);
        let found = Discovery { labels, ..Discovery::default() };
        let relabelled: Vec<(u32, Lang)> = found.relabelled(&ListedPages(pages)).collect();
        assert_eq!(relabelled, [(1, Lang::EN), (2, Lang::ZH), (3, Lang::UNKNOWN)]);
    }

    #[test]
    fn of_each_scope_the_strongest_weak_keys_stay() {
        let langs = crate::types::LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let key = |from: &str, power, scope: std::ops::Range<u32>, state| {
            let edit = crate::types::Edit {
                field: crate::types::Field::Path,
                from: from.into(),
                to: "zh".into(),
                core: false,
            };
            let evidence = KeyEvidence { power, pages: (9, 9), all_pages: 18 };
            FoundKey {
                key: Key { langs, edits: vec![edit] },
                evidence,
                state,
                assigned: 0,
                scope: scope.into(),
                pairs: Vec::new(),
            }
        };
        let keys = vec![
            key("a", 5, 0..9, State::Weak),
            key("b", 9, 0..9, State::Weak),
            key("c", 2, 9..18, State::Weak),
            key("d", 1, 0..9, State::Strong),
        ];
        let mut found = Discovery { keys, ..Discovery::default() };
        found.drop_weakest(1);
        let left: Vec<&str> = found.keys.iter().map(|key| key.key.edits[0].from.as_str()).collect();
        assert_eq!(left, ["d", "b", "c"]);
    }
}
