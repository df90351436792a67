//! Finds the pairs from which each language pair is learnt: those of credible keys that no declaration contradicts.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::params::Params;
use crate::index::parts::WHOLE;
use crate::index::smallest::Smallest;
use crate::keys::KnownKeys;
use crate::types::{LangPair, PagePair, SiteId};
use crate::verify::SiteView;

/// A pair from which its language pair is learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrainingPair {
    /// Hash of its URLs ([`SiteView::hash_of_pair`]). The pairs with the smallest hashes are taken, so that the choice does not depend on
    /// archives or threads.
    pub hash: u64,
    /// Its site.
    pub site: SiteId,
    /// Page of the first language.
    pub a: u32,
    /// Page of the second.
    pub b: u32,
    /// The key of the site that pairs them.
    pub key: u32,
}

/// Training pairs as they are gathered, site after site.
pub struct TrainingPairs<'p> {
    params: &'p Params,
    by_langs: BTreeMap<LangPair, OfLangs>,
}

/// The training pairs of one language pair.
struct OfLangs {
    sample: Smallest<TrainingPair>,
    /// How many sites they come from.
    sites: usize,
}

impl<'p> TrainingPairs<'p> {
    /// An empty collection.
    pub fn new(params: &'p Params) -> TrainingPairs<'p> {
        TrainingPairs { params, by_langs: BTreeMap::new() }
    }

    /// True when there are enough pairs, from enough sites, in each of these language pairs, so that no other site has to be searched.
    pub fn are_enough(&self, langs: &[LangPair]) -> bool {
        langs.iter().all(|langs| self.by_langs.get(langs).is_some_and(|of| self.is_enough(of)))
    }

    fn is_enough(&self, of: &OfLangs) -> bool {
        of.sites >= self.params.max_sites && of.sample.len() >= self.params.max_pairs
    }

    /// The training pairs of a site, those with the smallest hashes first, in the language pairs that have not enough yet. A key has to be
    /// credible on its host, or in a part of the site that the pair is in; pairs that people forbid teach nothing. Cost: a hash for each pair of
    /// the site.
    pub fn of_site(&self, site: &SiteView<'_>, known: &KnownKeys) -> BTreeMap<LangPair, Vec<TrainingPair>> {
        let mut found: BTreeMap<LangPair, Option<Smallest<TrainingPair>>> = BTreeMap::new();
        let parts = site.parts();
        let mut of_parts: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for pair in &known.pairs {
            parts
                .chain(parts.common(pair.a, pair.b))
                .for_each(|part| *of_parts.entry((pair.key, part)).or_default() += 1);
        }
        let is_credible_in = |part: u32, key: u32, langs: LangPair| {
            let pages = parts.pages(part, langs.a) + parts.pages(part, langs.b);
            let pairs = of_parts.get(&(key, part)).copied().unwrap_or(0);
            part != WHOLE && 2.0 * f64::from(pairs) >= self.params.min_credibility * f64::from(pages)
        };
        let forbidden = site.forbidden();
        for pair in &known.pairs {
            let is_credible = known.key_of(pair).is_some_and(|key| {
                let mut parts = parts.chain(parts.common(pair.a, pair.b));
                let in_part = |part: u32| is_credible_in(part, pair.key, key.key.langs);
                !key.state.is_out() && (key.credibility >= self.params.min_credibility || parts.any(in_part))
            });
            let teaches =
                |found: &PagePair| is_credible && !forbidden.contains(found) && !site.declared_otherwise(*found);
            let Some(page_pair) = site.ordered(pair.a, pair.b).filter(teaches) else {
                continue;
            };
            let new = || (!self.are_enough(&[page_pair.langs])).then(|| Smallest::new(self.params.max_pairs));
            if let Some(sample) = found.entry(page_pair.langs).or_insert_with(new) {
                let (a, b) = (page_pair.a, page_pair.b);
                let hash = site.hash_of_pair((a, b));
                sample.offer(TrainingPair { hash, site: site.id, a, b, key: pair.key });
            }
        }
        found.into_iter().filter_map(|(langs, sample)| Some((langs, sample?.into_sorted()))).collect()
    }

    /// Adds the training pairs of a site, in the language pairs that have not enough yet.
    pub fn take(&mut self, of_site: &BTreeMap<LangPair, Vec<TrainingPair>>) {
        for (&langs, pairs) in of_site {
            if self.are_enough(&[langs]) {
                continue;
            }
            let new = || OfLangs { sample: Smallest::new(self.params.max_pairs), sites: 0 };
            let of = self.by_langs.entry(langs).or_insert_with(new);
            of.sites += 1;
            of.sample.extend(pairs.iter().copied());
        }
    }

    /// The training pairs of each language pair that has at least `min` of them, those with the smallest hashes first.
    pub fn finish(self, min: usize) -> BTreeMap<LangPair, Vec<TrainingPair>> {
        let enough = self.by_langs.into_iter().filter(|(_, of)| of.sample.len() >= min);
        enough.map(|(langs, of)| (langs, of.sample.into_sorted())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corrections::Corrections;
    use crate::keys::{FoundPair, KnownKey, State};
    use crate::types::{Edit, Field, Key, Lang};
    use crate::verify::fixture::ListedSite;

    #[test]
    fn pairs_of_incredible_keys_and_pairs_declared_otherwise_or_forbidden_teach_nothing() {
        let pages = ["en/a", "en/b", "en/c", "en/d", "fr/a", "fr/b", "fr/c", "fr/d"].map(|url| (url, &url[..2], ""));
        // Page 1 declares another French page than the one its key pairs it with.
        let site = ListedSite::new(&pages).alternate(1, 6);
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let key = |from: &str, credibility: f64| {
            let edit = Edit { field: Field::Path, from: from.into(), to: "fr".into(), core: false };
            KnownKey { key: Key { langs, edits: vec![edit] }, scope: (0..8).into(), credibility, state: State::Strong }
        };
        let pair = |a: u32, key: u32| FoundPair { a, b: a + 4, key };
        let pairs = vec![pair(0, 0), pair(1, 0), pair(2, 1), pair(3, 0)];
        let known = KnownKeys { keys: vec![key("en", 0.5), key("e", 0.01)], pairs };
        let said = Corrections::parse("forbid\ten/d\tfr/d\n").expect("a sound text");
        let said = said.of_site(["en", "fr"].into_iter());
        let params = Params::default();
        let mut training = TrainingPairs::new(&params);
        let of_site = training.of_site(&site.view().corrected(said), &known);
        training.take(&of_site);
        let found = training.finish(1);
        assert_eq!(found[&langs].iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(0, 4)]);
        let mut few = TrainingPairs::new(&params);
        few.take(&of_site);
        assert!(few.finish(2).is_empty());
    }
}
