//! Competition ⊔: stronger keys take their pairs first (Kit & Ng 2007, eq. 3).

use roaring::RoaringBitmap;

use super::credibility::State;
use super::found::{FoundKey, FoundPair};
use super::params::Order;
use crate::language::codes::{is_language_name, names_language};
use crate::types::{Key, Lang, LangPair, PagePair};

/// Lets the keys that are strong or rescued take their pairs, the strongest first; a page has one partner a language.
///
/// Order: those with the fewest markers that name another language than their pages are in (the pages of `/de/` may all be untranslated), and
/// linking power, whichever `by` says first; then single before compound, tokens before cores, then the key itself, so that ties are
/// broken the same way everywhere; the pairs of one key go by their pages. `matched` holds what was taken before and is
/// added to. Returns pairs with the position of their key in `keys`; sets `assigned`, and `Lost` where nothing was left.
pub fn compete(keys: &mut [FoundKey], matched: &mut Matched, by: Order) -> Vec<FoundPair> {
    let mut order: Vec<usize> = (0..keys.len()).filter(|&k| !keys[k].state.is_out()).collect();
    order.sort_by(|&x, &y| {
        let (x, y) = (&keys[x], &keys[y]);
        let rank = |k: &FoundKey| (k.key.edits.len(), k.key.edits.iter().any(|edit| edit.core));
        let misnamed = |k: &FoundKey| misnamed_sides(&k.key);
        let by_names = misnamed(x).cmp(&misnamed(y));
        let by_power = y.evidence.power.cmp(&x.evidence.power);
        let first = match by {
            Order::Names => by_names.then(by_power),
            Order::Power => by_power.then(by_names),
        };
        first.then_with(|| rank(x).cmp(&rank(y))).then_with(|| x.key.cmp(&y.key))
    });
    let mut pairs = Vec::with_capacity(order.iter().map(|&k| keys[k].pairs.len()).max().unwrap_or(0));
    for k in order {
        let key = &mut keys[k];
        let langs = key.key.langs;
        let mut matches = std::mem::take(&mut key.pairs);
        // They come in the order of hashes, and a page may be in several.
        matches.sort_unstable();
        for (a, b) in matches {
            let pair = PagePair { langs, a, b };
            if matched.take(pair) {
                key.assigned += 1;
                pairs.push(FoundPair { a, b, key: k as u32 });
            }
        }
        if key.assigned == 0 {
            key.state = State::Lost;
        }
    }
    pairs
}

/// How many sides of a key have a marker that names another language than it stands for. `jp` is a code of no language, and a core is a part of
/// a word, which names none: `page7` and `iwe7` are no page in Hebrew.
fn misnamed_sides(key: &Key) -> usize {
    let other = |text: &str, lang: Lang| {
        let is_name = is_language_name(text) && Lang::parse(text).is_some_and(Lang::has_short_code);
        is_name && !names_language(text, lang)
    };
    let mut marks = key.edits.iter().filter(|edit| !edit.core);
    let from = marks.clone().any(|edit| other(&edit.from, key.langs.a));
    usize::from(from) + usize::from(marks.any(|edit| other(&edit.to, key.langs.b)))
}

/// Which pages have a partner in which language.
#[derive(Default)]
pub struct Matched {
    taken: rustc_hash::FxHashMap<LangPair, (RoaringBitmap, RoaringBitmap)>,
    /// Kit & Ng: at most one partner within the whole site.
    one_partner: Option<RoaringBitmap>,
}

impl Matched {
    /// Nothing is matched. `one_partner`: a page has one partner in all, not one a language.
    pub fn new(one_partner: bool) -> Matched {
        Matched { taken: Default::default(), one_partner: one_partner.then(RoaringBitmap::new) }
    }

    /// True when neither page has a partner that stands in the way.
    pub fn is_free(&self, pair: PagePair) -> bool {
        let free = |pages: &RoaringBitmap, page| !pages.contains(page);
        self.taken.get(&pair.langs).is_none_or(|(a, b)| free(a, pair.a) && free(b, pair.b))
            && self.one_partner.as_ref().is_none_or(|pages| free(pages, pair.a) && free(pages, pair.b))
    }

    /// True when a page has a partner in the other language of the pair.
    pub fn has_partner(&self, langs: LangPair, page: u32) -> bool {
        self.taken.get(&langs).is_some_and(|(a, b)| a.contains(page) || b.contains(page))
    }

    fn take(&mut self, pair: PagePair) -> bool {
        if !self.is_free(pair) {
            return false;
        }
        let (a, b) = self.taken.entry(pair.langs).or_default();
        a.insert(pair.a);
        b.insert(pair.b);
        if let Some(pages) = &mut self.one_partner {
            pages.insert(pair.a);
            pages.insert(pair.b);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::keys::KeyEvidence;
    use crate::keys::small_sites::config;
    use crate::types::{Edit, Field, Lang};

    #[test]
    fn of_keys_alike_the_one_whose_marks_name_their_languages_comes_first() {
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let found = |from: &str, pairs| FoundKey {
            key: Key {
                langs,
                edits: vec![Edit { field: Field::Path, from: from.into(), to: "fr".into(), core: false }],
            },
            evidence: KeyEvidence { power: 1, pages: (2, 1), all_pages: 3 },
            state: State::Strong,
            assigned: 0,
            scope: (0..3).into(),
            pairs,
        };
        // The page of /de/ is the English one once more.
        let mut keys = [found("de", vec![(0, 2)]), found("en", vec![(1, 2)])];
        assert_eq!(compete(&mut keys, &mut Matched::new(false), Order::Power), [FoundPair { a: 1, b: 2, key: 1 }]);
        let mut keys = [found("de", vec![(0, 2)]), found("", vec![(1, 2)])];
        assert_eq!(compete(&mut keys, &mut Matched::new(false), Order::Power), [FoundPair { a: 1, b: 2, key: 1 }]);
        // A part of a word names nothing: the stronger key comes first, although `iw` is a code of Hebrew.
        let mut keys = [found("pag", vec![(0, 2)]), found("x", vec![(1, 2)])];
        keys[0].key.edits[0] = Edit { field: Field::File, from: "pag".into(), to: "iw".into(), core: true };
        keys[0].evidence.power = 2;
        assert_eq!(compete(&mut keys, &mut Matched::new(false), Order::Names), [FoundPair { a: 0, b: 2, key: 0 }]);
    }

    #[test]
    fn a_page_that_one_key_pairs_twice_goes_to_the_first_page() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let edit = Edit { field: Field::File, from: "en".into(), to: "zh".into(), core: false };
        let mut keys = [FoundKey {
            key: Key { langs, edits: vec![edit] },
            evidence: KeyEvidence { power: 2, pages: (1, 2), all_pages: 3 },
            state: State::Strong,
            assigned: 0,
            scope: (0..3).into(),
            pairs: vec![(0, 2), (0, 1)],
        }];
        let pairs = compete(&mut keys, &mut Matched::new(false), Order::Power);
        assert_eq!(pairs, [FoundPair { a: 0, b: 1, key: 0 }]);
        assert_eq!((keys[0].assigned, keys[0].state), (1, State::Strong));
    }

    /// Pages that have a partner: in a pair of languages, and at all.
    type Paired = BTreeSet<(Option<LangPair>, u32)>;

    /// Again and again, the best key that is left takes the pairs of which neither page has a partner (Kit & Ng 2007, eq. 3).
    fn by_definition(keys: &mut [FoundKey], paired: &mut Paired, one_partner: bool, by: Order) -> Vec<FoundPair> {
        let rank = |k: &FoundKey| {
            let lies = |text: &str, lang: Lang| {
                let named = Lang::parse(text).filter(|named| text.len() >= 2 && named.has_short_code());
                named.is_some_and(|named| !named.agrees(lang))
            };
            let from = k.key.edits.iter().any(|edit| !edit.core && lies(&edit.from, k.key.langs.a));
            let to = k.key.edits.iter().any(|edit| !edit.core && lies(&edit.to, k.key.langs.b));
            let lies = i64::from(from) + i64::from(to);
            let power = -(k.evidence.power as i64);
            let first = if by == Order::Names { [lies, power] } else { [power, lies] };
            (first, k.key.edits.len(), k.key.edits.iter().any(|edit| edit.core), k.key.clone())
        };
        let mut pairs = Vec::new();
        let mut left: BTreeSet<usize> = (0..keys.len()).filter(|&k| keys[k].state != State::Weak).collect();
        while let Some(&best) = left.iter().min_by_key(|&&k| rank(&keys[k])) {
            left.remove(&best);
            let (langs, key) = (keys[best].key.langs, best as u32);
            let mut matches = std::mem::take(&mut keys[best].pairs);
            matches.sort_unstable();
            for (a, b) in matches {
                let is_paired =
                    |page| paired.contains(&(Some(langs), page)) || (one_partner && paired.contains(&(None, page)));
                if !is_paired(a) && !is_paired(b) {
                    paired.extend([(Some(langs), a), (Some(langs), b), (None, a), (None, b)]);
                    pairs.push(FoundPair { a, b, key });
                    keys[best].assigned += 1;
                }
            }
            if keys[best].assigned == 0 {
                keys[best].state = State::Lost;
            }
        }
        pairs
    }

    /// Keys of few texts, languages and pages; the number of a page modulo three is its language.
    fn any_keys() -> impl Strategy<Value = Vec<FoundKey>> {
        let langs = ["de", "en", "zh"].map(|tag| Lang::parse(tag).expect("a tag"));
        let text = || select(vec!["en", "de", "zh", "x", "", "eng", "jp", "1"]).prop_map(String::from);
        let edit = (text(), text(), any::<bool>());
        let edit = edit.prop_map(|(from, to, core)| Edit { field: Field::Path, from, to, core });
        let state = select(vec![State::Strong, State::Rescued, State::Weak]);
        let key =
            (select(vec![(0, 1), (0, 2), (1, 2)]), vec(edit, 1..3), 0u64..3, state, vec((0u32..5, 0u32..5), 0..5));
        let found = move |((x, y), edits, power, state, pairs): ((usize, usize), _, _, _, Vec<(u32, u32)>)| FoundKey {
            key: Key { langs: LangPair::new(langs[x], langs[y]).expect("two languages"), edits },
            evidence: KeyEvidence { power, pages: (5, 5), all_pages: 15 },
            state,
            assigned: 0,
            scope: (0..15).into(),
            pairs: pairs.into_iter().map(|(a, b)| (3 * a + x as u32, 3 * b + y as u32)).collect(),
        };
        vec(key.prop_map(found), 0..12)
    }

    proptest! {
        #![proptest_config(config(2000, 10_000))]
        #[test]
        fn the_best_key_that_is_left_takes_its_pairs_first(
            (rounds, one_partner, names_first) in (vec(any_keys(), 1..3), any::<bool>(), any::<bool>()),
        ) {
            let (mut matched, mut paired) = (Matched::new(one_partner), Paired::new());
            let by = if names_first { Order::Names } else { Order::Power };
            for mut keys in rounds {
                keys.sort_by_key(|key| (key.key.clone(), Reverse(key.state)));
                keys.dedup_by(|x, y| x.key == y.key);
                let mut expected = keys.clone();
                let pairs = by_definition(&mut expected, &mut paired, one_partner, by);
                prop_assert_eq!(compete(&mut keys, &mut matched, by), pairs);
                for (found, expected) in keys.iter().zip(&expected) {
                    prop_assert_eq!((found.assigned, found.state), (expected.assigned, expected.state));
                    for page in 0..15 {
                        let langs = found.key.langs;
                        prop_assert_eq!(matched.has_partner(langs, page), paired.contains(&(Some(langs), page)));
                    }
                }
            }
        }
    }
}
