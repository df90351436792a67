//! Pairs that keys propose.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::partners::Partners;
use crate::keys::{KnownKey, KnownKeys, Marks, State, counterpart};
use crate::text::tokens::Anatomy;
use crate::types::{Candidate, KeyScope, Lang, LangPair, Method, PagePair};
use crate::verify::SiteView;

/// Weak keys that are tried, the strongest first, for each language pair in each host or other scope in which keys were sought.
const WEAK_KEYS: usize = 16;

/// The pairs of keys that are strong or rescued.
pub fn of_keys(site: &SiteView<'_>, known: &KnownKeys) -> Vec<Candidate> {
    let pairs = known.pairs.iter().filter_map(|pair| {
        let found = site.ordered(pair.a, pair.b)?;
        Some(Candidate { pair: found, method: Method::Key, key: Some(pair.key) })
    });
    pairs.collect()
}

/// Pairs of pages whose URLs have marks of their languages in other places than keys do: `welcome_en.html` and `welcome_jp.html`, where
/// keys have shown what `en` and `jp` stand for. Also pairs where the URL of one page is that of the other with a directory that names a
/// language: `/translations/zh_CN/a` and `/a`. Only pages without a partner in the other's language are paired. Cost: a few URLs to make
/// and look up for each such page and language.
pub fn of_marks(site: &SiteView<'_>, marks: &Marks, paired: &Partners) -> Vec<Candidate> {
    let langs: Vec<Lang> = site.by_lang().into_keys().collect();
    let is_alone = |own: Lang, page: u32| {
        let pairs = langs.iter().filter_map(|&lang| LangPair::new(own, lang));
        pairs.filter(|&langs| !paired.has(langs, page)).count() > 0
    };
    let pages = (0..site.pages().count()).into_par_iter().filter(|&page| site.langs[page as usize].is_known());
    let found = pages.map_init(Anatomy::default, |anatomy, page| {
        let (own, identity) = (site.langs[page as usize], site.pages().identity(page));
        if !is_alone(own, page) {
            return Vec::new();
        }
        let mut urls = Marks::unmarked(identity, own, anatomy);
        for &lang in
            langs.iter().filter(|&&lang| LangPair::new(own, lang).is_some_and(|langs| !paired.has(langs, page)))
        {
            urls.extend(marks.versions(identity, own, lang, anatomy));
        }
        let pairs = urls.iter().filter_map(|url| site.ordered(page, site.pages().find(url)?));
        let free = pairs.filter(|pair| !paired.has(pair.langs, pair.a) && !paired.has(pair.langs, pair.b));
        free.map(|pair| Candidate { pair, method: Method::Marks, key: None }).collect()
    });
    found.flatten_iter().collect()
}

/// The pairs of the strongest weak keys, among pages without a partner in the key's languages; `paired` tells which pages have one. Cost: a
/// URL to make and look up for each such page and key.
pub fn of_weak_keys(site: &SiteView<'_>, known: &KnownKeys, paired: &Partners) -> Vec<Candidate> {
    let mut used: FxHashMap<(LangPair, &KeyScope), usize> = FxHashMap::default();
    let mut tried = Vec::new();
    for (key, at) in known.keys.iter().zip(0u32..).filter(|(key, _)| key.state == State::Weak) {
        let used = used.entry((key.key.langs, &key.scope)).or_default();
        if *used < WEAK_KEYS {
            *used += 1;
            tried.push((key, at));
        }
    }
    let found = tried.par_iter().flat_map_iter(|&(KnownKey { key, scope, .. }, at)| {
        let from = scope
            .pages()
            .filter(|&page| site.langs.get(page as usize) == Some(&key.langs.a) && !paired.has(key.langs, page));
        from.flat_map(move |page| {
            let urls = counterpart::counterparts(site.pages().identity(page), key, true);
            let pages = urls.into_iter().filter_map(|url| site.pages().find(&url));
            let free =
                pages.filter(|&other| site.langs[other as usize] == key.langs.b && !paired.has(key.langs, other));
            let free = free.filter(move |&other| !site.forbids_key(key, page, other));
            let pair = |other: u32| PagePair { langs: key.langs, a: page, b: other };
            free.map(|other| Candidate { pair: pair(other), method: Method::WeakKey, key: Some(at) })
                .collect::<Vec<_>>()
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::FoundPair;
    use crate::types::{Edit, Field, Key, Lang};
    use crate::verify::fixture::ListedSite;

    fn known(state: State, pairs: Vec<FoundPair>) -> KnownKeys {
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let edit = Edit { field: Field::Path, from: "en".into(), to: "fr".into(), core: false };
        let key = KnownKey { key: Key { langs, edits: vec![edit] }, scope: (0..4).into(), credibility: 0.5, state };
        KnownKeys { keys: vec![key], pairs }
    }

    #[test]
    fn weak_keys_propose_what_they_lead_to_among_pages_without_a_partner() {
        let urls = ["x.org/en/a", "x.org/en/b", "x.org/fr/a", "x.org/fr/b"];
        let site = ListedSite::new(&urls.map(|url| (url, &url[6..8], "")));
        let view = site.view();
        let strong = known(State::Strong, vec![FoundPair { a: 0, b: 2, key: 0 }]);
        let pairs = |found: &[Candidate]| found.iter().map(|one| (one.pair.a, one.pair.b)).collect::<Vec<_>>();
        let found = of_keys(&view, &strong);
        assert_eq!((pairs(&found), found[0].method), (vec![(0, 2)], Method::Key));
        let paired = Partners::of(found.iter().map(|one| one.pair));
        assert_eq!(of_weak_keys(&view, &strong, &paired), []);
        let found = of_weak_keys(&view, &known(State::Weak, Vec::new()), &paired);
        assert_eq!((pairs(&found), found[0].method, found[0].key), (vec![(1, 3)], Method::WeakKey, Some(0)));
    }
}
