//! Makes the URLs that missing partners would have.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::chance::{Chances, Others};
use super::known::KnownSite;
use super::markers::Markers;
use super::params::Params;
use super::place::Places;
use super::proposal::{ActiveKey, Proposal};
use crate::index::site::Urls;
use crate::text::counterpart::counterparts;
use crate::types::{Edit, Key, Lang, LangPair};

/// The URLs that missing partners would have, the likeliest first, then by the credibility of the key, then by page, key and URL. Each URL
/// is there once, with its likeliest page and key.
///
/// A page lacks a partner in a language if no pair joins it to a page of that language. Pages without a language, and copies, lack none.
/// Cost: pages without a partner × keys that act on them.
pub fn propose<S: KnownSite + ?Sized>(site: &S, keys: &[ActiveKey], params: &Params) -> Vec<Proposal> {
    let partners = Partners::new(keys);
    let mut proposals = unrated(site, keys, &partners, params);
    let chances = partners.chances(site, &proposals);
    for proposal in &mut proposals {
        let page = (site.identity(proposal.page), partners.others(proposal.page));
        let own = site.lang(proposal.page);
        proposal.chance = chances.of(own, proposal.lang, page, params.prior_pages) * proposal.place_share;
    }
    proposals.sort_by(Proposal::order);
    let mut met: FxHashSet<String> = FxHashSet::default();
    proposals.retain(|proposal| met.insert(proposal.identity.clone()));
    proposals
}

/// Which pages have partners in which languages.
struct Partners {
    /// A page, and a language in which it has a partner.
    partnered: FxHashSet<(u32, Lang)>,
    others: FxHashMap<u32, Others>,
}

impl Partners {
    fn new(keys: &[ActiveKey]) -> Partners {
        let mut partnered: FxHashSet<(u32, Lang)> = FxHashSet::default();
        for key in keys {
            let LangPair { a, b } = key.key.langs;
            partnered.extend(key.pairs.iter().flat_map(|&(x, y)| [(x, b), (y, a)]));
        }
        let mut others: FxHashMap<u32, Others> = FxHashMap::default();
        for &(page, other) in &partnered {
            let entry = others.entry(page).or_default();
            *entry = entry.with(other);
        }
        Partners { partnered, others }
    }

    /// The languages in which a page has partners.
    fn others(&self, page: u32) -> Others {
        self.others.get(&page).copied().unwrap_or_default()
    }

    /// How often the counterparts of pages exist, for all pages with a partner and for those whose missing partner is proposed.
    fn chances<S: KnownSite + ?Sized>(&self, site: &S, proposals: &[Proposal]) -> Chances {
        let mut chances = Chances::default();
        for &(page, other) in &self.partnered {
            if let Some(own) = site.lang_of_original(page) {
                chances.add(own, other, (site.identity(page), self.others(page).without(other)), true);
            }
        }
        let mut alone: FxHashMap<(u32, Lang), bool> = FxHashMap::default();
        for proposal in proposals {
            *alone.entry((proposal.page, proposal.lang)).or_default() |= site.page_of(&proposal.identity).is_some();
        }
        for (&(page, other), &exists) in &alone {
            chances.add(site.lang(page), other, (site.identity(page), self.others(page)), exists);
        }
        chances
    }
}

/// The keys that act on each page, page after page: each key once, in the narrowest of the scopes where it was found. Cost of all pages: the keys
/// on each of them, and n log n for the ranges of the scopes.
struct Acting<'k> {
    keys: &'k [ActiveKey],
    /// For each key, the first of those that are the same, and how many pages its scope has.
    kinds: Vec<(usize, usize)>,
    /// The ranges of all scopes that have not begun yet; the next one is last.
    ranges: Vec<(Range<u32>, usize)>,
    /// The scopes that have begun, with the ends of their ranges.
    open: Vec<(u32, usize)>,
}

impl Acting<'_> {
    fn new(keys: &[ActiveKey]) -> Acting<'_> {
        let mut first: FxHashMap<&Key, usize> = FxHashMap::default();
        let sizes = |key: &ActiveKey| key.scope.ranges().map(|range| range.len()).sum();
        let kinds =
            keys.iter().enumerate().map(|(at, key)| (*first.entry(&key.key).or_insert(at), sizes(key))).collect();
        let of_key =
            |(at, key): (usize, &ActiveKey)| key.scope.ranges().map(move |range| (range, at)).collect::<Vec<_>>();
        let mut ranges: Vec<(Range<u32>, usize)> = keys.iter().enumerate().flat_map(of_key).collect();
        ranges.sort_by_key(|(range, at)| std::cmp::Reverse((range.start, *at)));
        Acting { keys, kinds, ranges, open: Vec::new() }
    }

    /// The keys that act on a page, by their positions. Pages come in ascending order.
    fn on(&mut self, page: u32) -> Vec<usize> {
        while let Some((range, at)) = self.ranges.pop_if(|(range, _)| range.start <= page) {
            self.open.push((range.end, at));
        }
        self.open.retain(|&(end, _)| page < end);
        let mut acting: Vec<usize> = self.open.iter().map(|open| open.1).collect();
        acting.sort_by_key(|&at| (self.kinds[at], at));
        acting.dedup_by_key(|&mut at| self.kinds[at].0);
        acting.sort_unstable();
        debug_assert!(acting.iter().all(|&at| self.keys[at].scope.contains(page)));
        acting
    }
}

/// A proposal for each page without a partner and each key that can make its URL. Chances are still 0.
fn unrated<S: KnownSite + ?Sized>(site: &S, keys: &[ActiveKey], partners: &Partners, params: &Params) -> Vec<Proposal> {
    let learnt: Vec<[Places; 2]> = keys.iter().map(|key| learn(site, key, params)).collect();
    let markers = Markers::new(keys);
    let mut proposals = Vec::new();
    let mut acting = Acting::new(keys);
    for page in 0..site.count() {
        let here = acting.on(page);
        let Some(own) = site.lang_of_original(page) else { continue };
        let identity = site.identity(page);
        let Some(marked) = markers.fields(identity, own) else { continue };
        for (at, active) in here.into_iter().map(|at| (at, &keys[at])) {
            let Some((forward, lang)) = direction(active.key.langs, own) else { continue };
            // A marker is not inserted in a field that has another one.
            let is_bare = |edit: &Edit| if forward { edit.from.is_empty() } else { edit.to.is_empty() };
            let is_marked_twice = active.key.edits.iter().any(|edit| is_bare(edit) && marked.contains(&edit.field));
            if is_marked_twice || partners.partnered.contains(&(page, lang)) {
                continue;
            }
            let places = &learnt[at][usize::from(!forward)];
            let Some((identity, place_share)) = best_counterpart(identity, (&active.key, forward), places, params)
            else {
                continue;
            };
            let credibility = active.credibility;
            let (chance, is_linked) = (0.0, false);
            proposals.push(Proposal { identity, lang, page, key: at, credibility, place_share, chance, is_linked });
        }
    }
    proposals
}

/// Whether a page of language `own` needs the key read from its first language to the second, and the language to which this leads.
fn direction(langs: LangPair, own: Lang) -> Option<(bool, Lang)> {
    if own == langs.a {
        Some((true, langs.b))
    } else if own == langs.b {
        Some((false, langs.a))
    } else {
        None
    }
}

/// Where the pairs of a key have their partners: from the first language to the second, and back.
fn learn<A: Urls + ?Sized>(site: &A, key: &ActiveKey, params: &Params) -> [Places; 2] {
    let step = key.pairs.len().div_ceil(params.learnt_pairs.max(1)).max(1);
    let mut places = [Places::default(), Places::default()];
    for &(a, b) in key.pairs.iter().step_by(step) {
        let (a, b) = (site.identity(a), site.identity(b));
        for (at, (from, to)) in [(a, b), (b, a)].into_iter().enumerate() {
            places[at].add(from, &counterparts(from, &key.key, at == 0), to);
        }
    }
    places
}

/// The URL at the place with the largest share, and this share. `key` comes with the direction in which it is read.
fn best_counterpart(
    from: &str,
    (key, forward): (&Key, bool),
    places: &Places,
    params: &Params,
) -> Option<(String, f64)> {
    let made = counterparts(from, key, forward).into_iter().filter(|other| other != from);
    let shares = made.map(|other| (places.share(from, &other), other));
    // Of equal shares the first URL counts; URLs are sorted.
    let best = shares.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= params.min_place_share).then_some((best.1, best.0))
}

#[cfg(test)]
mod tests {
    use super::super::known::tests::ListedSite;
    use super::*;
    use crate::types::{Field, KeyScope};

    fn lang(tag: &str) -> Lang {
        Lang::parse(tag).expect("a tag")
    }

    fn key(langs: (&str, &str), field: Field, from: &str, to: &str) -> Key {
        let langs = LangPair::new(lang(langs.0), lang(langs.1)).expect("two languages");
        Key { langs, edits: vec![Edit { field, from: from.into(), to: to.into(), core: false }] }
    }

    fn active(key: Key, credibility: f64, pages: u32, pairs: Vec<(u32, u32)>) -> ActiveKey {
        ActiveKey { key, credibility, scope: (0..pages).into(), pairs }
    }

    fn found(site: &ListedSite, keys: &[ActiveKey]) -> Vec<Proposal> {
        propose(site, keys, &Params::default())
    }

    /// By hand: pages 0–3 are English, 4–6 French. /en/a and /en/b have partners; /en/c, /en/d and /fr/e have none.
    #[test]
    fn pages_without_a_partner_propose_the_one_the_key_gives_them() {
        let site = ListedSite::new(&[
            ("x.org/en/a", "en"),
            ("x.org/en/b", "en"),
            ("x.org/en/c", "en"),
            ("x.org/en/d", "en"),
            ("x.org/fr/a", "fr"),
            ("x.org/fr/b", "fr"),
            ("x.org/fr/e", "fr"),
        ]);
        let keys = [active(key(("en", "fr"), Field::Path, "en", "fr"), 0.5, 7, vec![(0, 4), (1, 5)])];
        let found = found(&site, &keys);
        let found: Vec<(&str, u32, Lang)> = found.iter().map(|p| (p.identity.as_str(), p.page, p.lang)).collect();
        // Two of three French pages have a partner, but only two of four English ones.
        assert_eq!(found, [("x.org/en/e", 6, Lang::EN), ("x.org/fr/c", 2, lang("fr")), ("x.org/fr/d", 3, lang("fr"))]);
    }

    /// /fr/c is a page in English. So the site has French URLs for three of its four English pages, and /fr/d is likelier.
    #[test]
    fn a_counterpart_that_is_another_page_counts_as_existing() {
        let pages = [
            ("x.org/en/a", "en"),
            ("x.org/en/b", "en"),
            ("x.org/en/c", "en"),
            ("x.org/en/d", "en"),
            ("x.org/fr/a", "fr"),
            ("x.org/fr/b", "fr"),
        ];
        let mut more = pages.to_vec();
        more.push(("x.org/fr/c", "en"));
        let keys = [active(key(("en", "fr"), Field::Path, "en", "fr"), 0.5, 6, vec![(0, 4), (1, 5)])];
        let chance = |pages: &[(&'static str, &str)]| {
            let found = found(&ListedSite::new(pages), &keys);
            found.iter().find(|found| found.identity == "x.org/fr/d").expect("it is proposed").chance
        };
        assert!(chance(&more) > chance(&pages));
    }

    /// `fr` can be put into `index.html` in seven ways; the known pairs leave one.
    #[test]
    fn known_pairs_show_where_a_value_goes() {
        let site = ListedSite::new(&[
            ("x.org/a.fr.html", "fr"),
            ("x.org/a.html", "en"),
            ("x.org/b.fr.html", "fr"),
            ("x.org/b.html", "en"),
            ("x.org/long-name.html", "en"),
        ]);
        let key = key(("en", "fr"), Field::File, "", "fr");
        let found = found(&site, &[active(key.clone(), 0.5, 5, vec![(1, 0), (3, 2)])]);
        let found: Vec<(&str, f64)> = found.iter().map(|p| (p.identity.as_str(), p.place_share)).collect();
        assert_eq!(found, [("x.org/long-name.fr.html", 1.0)]);
        assert!(counterparts("x.org/long-name.html", &key, true).len() > 6);
    }

    /// `b.de.html` is in English, so it is untranslated, and `c.de.html` already has its marker.
    #[test]
    fn a_marker_is_not_inserted_where_another_one_stands() {
        let site = ListedSite::new(&[
            ("x.org/a.de.html", "de"),
            ("x.org/a.html", "en"),
            ("x.org/b.de.html", "en"),
            ("x.org/c.de.html", "de"),
            ("x.org/d.html", "en"),
        ]);
        let found = found(&site, &[active(key(("de", "en"), Field::File, "de", ""), 0.5, 5, vec![(0, 1)])]);
        let found: Vec<&str> = found.iter().map(|p| p.identity.as_str()).collect();
        assert_eq!(found, ["x.org/c.html", "x.org/d.de.html"]);
    }

    #[test]
    fn copies_and_pages_of_unknown_language_propose_nothing() {
        let mut site =
            ListedSite::new(&[("x.org/en/a", "en"), ("x.org/en/b", "en"), ("x.org/en/c", "und"), ("x.org/fr/a", "fr")]);
        site.copies = vec![(1, 0)];
        let keys = [active(key(("en", "fr"), Field::Path, "en", "fr"), 0.5, 4, vec![(0, 3)])];
        assert_eq!(found(&site, &keys), []);
    }

    /// A key that the site has as a whole, in a folder of it, and in another folder.
    #[test]
    fn a_key_is_tried_once_on_a_page_and_where_it_acts() {
        let site = ListedSite::new(&[
            ("x.org/en/a", "en"),
            ("x.org/en/b", "en"),
            ("x.org/en/c", "en"),
            ("x.org/en/d", "en"),
            ("x.org/fr/b", "fr"),
        ]);
        let of = |scope: KeyScope| ActiveKey {
            scope,
            ..active(key(("en", "fr"), Field::Path, "en", "fr"), 0.5, 0, vec![(1, 4)])
        };
        let keys = [of((0..3).into()), of(KeyScope::new([1..2, 4..5])), of((0..5).into())];
        let mut acting = Acting::new(&keys);
        assert_eq!([0, 1, 2, 3, 4].map(|page| acting.on(page)), [[0], [1], [0], [2], [1]]);
        let found = found(&site, &keys[..1]);
        let found: Vec<&str> = found.iter().map(|p| p.identity.as_str()).collect();
        // Page b has a partner, and d is elsewhere.
        assert_eq!(found, ["x.org/fr/a", "x.org/fr/c"]);
    }

    #[test]
    fn the_most_credible_key_proposes_a_url_first_and_once() {
        let site = ListedSite::new(&[
            ("x.org/en/c", "en"),
            ("x.org/en/d", "en"),
            ("x.org/fr/d", "fr"),
            ("x.org/it/c", "it"),
            ("x.org/it/d", "it"),
        ]);
        let keys = [
            active(key(("en", "fr"), Field::Path, "en", "fr"), 0.2, 5, vec![(1, 2)]),
            active(key(("fr", "it"), Field::Path, "fr", "it"), 0.9, 5, vec![(2, 4)]),
            active(key(("en", "it"), Field::Path, "en", "it"), 0.8, 5, vec![(0, 3), (1, 4)]),
        ];
        let found = found(&site, &keys);
        let found: Vec<(&str, u32, usize)> = found.iter().map(|p| (p.identity.as_str(), p.page, p.key)).collect();
        assert_eq!(found, [("x.org/fr/c", 3, 1)]);
    }
}
