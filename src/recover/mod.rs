//! Keys and lone pages → the addresses their partners would have (Zhang, Yao & Kit 2013, §2.2).
//!
//! [`propose`] does one site. Where a key leaves open where its text goes ((null) on one side, a text that occurs twice), the
//! pairs it has made tell: an address is proposed only when enough of them have their partner at the same place. Nothing
//! here knows what an archive has: that is looked up by the pipeline.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::site::Urls;
use crate::text::counterpart::counterparts;
use crate::text::tokens::{Anatomy, Separators};
use crate::types::{Edit, Field, Key, Lang, LangPair};

mod chance;
pub mod linked;
mod place;

use chance::{Chances, Others};
use place::Places;

/// Settings of deep pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The least share of a key's known pairs, among those that could have their partner at a place, that do have it there.
    /// Default 0.5: more often right than wrong.
    pub min_place_share: f64,
    /// Pairs of a key that its places are learnt from, at the most, spread over all it has. Default 2,000: shares are then
    /// known to two digits.
    pub learnt_pairs: usize,
    /// How many pages the share of a folder weighs in that of the folders in it. Default 4: half a dozen pages outweigh it.
    pub prior_pages: f64,
    /// The least factor by which the odds of an address fall that no page links to. Default 0.1: crawlers find pages by their
    /// links, so that those of an archive tell too little of those that nothing links to.
    pub least_unlinked: f64,
}

impl Default for Params {
    fn default() -> Params {
        Params { min_place_share: 0.5, learnt_pairs: 2000, prior_pages: 4.0, least_unlinked: 0.1 }
    }
}

/// A key that may generate addresses.
#[derive(Clone, Debug)]
pub struct ActiveKey {
    /// The key.
    pub key: Key,
    /// Local credibility C(p, w).
    pub credibility: f64,
    /// Pages it was found among.
    pub scope: Range<u32>,
    /// Pages it has paired, in its first and its second language.
    pub pairs: Vec<(u32, u32)>,
}

/// An address that a lone page's partner would have.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The address, without scheme.
    pub identity: String,
    /// The language the partner would be in.
    pub lang: Lang,
    /// The lone page.
    pub page: u32,
    /// Position of the key.
    pub key: usize,
    /// Local credibility of the key.
    pub credibility: f64,
    /// How often the key's known pairs have their partner at this place, 0..=1.
    pub place_share: f64,
    /// How likely the address is to be there, 0..=1: as those of its page's neighbours are, times `place_share`; then by what
    /// links tell ([`linked::weigh`]).
    pub chance: f64,
    /// Whether any page links to it; false until that was asked.
    pub is_linked: bool,
}

/// The addresses that the partners of lone pages would have: the likeliest first, then by the credibility of the key, then by
/// address. Each address once, by its likeliest page and key.
///
/// A page is lone towards a language when no pair joins it to a page of that language. `lang` is the language a page counts
/// for; pages without one (copies, unknown) ask for nothing. `is_there` tells whether an address is a page, if no partner.
/// Cost: lone pages × keys of their language.
pub fn propose<A: Urls + ?Sized>(
    site: &A,
    keys: &[ActiveKey],
    lang: &dyn Fn(u32) -> Option<Lang>,
    is_there: &dyn Fn(&str) -> bool,
    params: &Params,
) -> Vec<Proposal> {
    let mut partnered: FxHashSet<(u32, Lang)> = FxHashSet::default();
    for key in keys {
        let LangPair { a, b } = key.key.langs;
        partnered.extend(key.pairs.iter().flat_map(|&(x, y)| [(x, b), (y, a)]));
    }
    let learnt: Vec<[Places; 2]> = keys.iter().map(|key| learn(site, key, params)).collect();
    let marks = Marks::new(keys);
    let mut languages: FxHashMap<u32, Others> = FxHashMap::default();
    for &(page, other) in &partnered {
        let others = languages.entry(page).or_default();
        *others = others.with(other);
    }
    let others = |page: u32| languages.get(&page).copied().unwrap_or_default();
    let mut chances = Chances::default();
    for &(page, other) in &partnered {
        if let Some(own) = lang(page) {
            chances.add(own, other, (site.identity(page), others(page).without(other)), true);
        }
    }
    let mut all: Vec<Proposal> = Vec::new();
    let mut lone: FxHashMap<(u32, Lang), bool> = FxHashMap::default();
    for page in 0..site.count() {
        let Some(own) = lang(page) else { continue };
        let Some(marked) = marks.fields(site.identity(page), own) else { continue };
        for (at, key) in keys.iter().enumerate().filter(|(_, key)| key.scope.contains(&page)) {
            let langs = key.key.langs;
            let Some(forward) = [(langs.a, true), (langs.b, false)].iter().find(|(l, _)| *l == own).map(|(_, f)| *f)
            else {
                continue;
            };
            let wanted = if forward { langs.b } else { langs.a };
            if partnered.contains(&(page, wanted)) {
                continue;
            }
            // A mark is not put where another one stands.
            let is_bare = |edit: &Edit| if forward { edit.from.is_empty() } else { edit.to.is_empty() };
            if key.key.edits.iter().any(|edit| is_bare(edit) && marked.contains(&edit.field)) {
                continue;
            }
            let places = &learnt[at][usize::from(!forward)];
            let Some((identity, place_share)) = address(site.identity(page), &key.key, forward, places, params) else {
                continue;
            };
            let credibility = key.credibility;
            *lone.entry((page, wanted)).or_default() |= is_there(&identity);
            all.push(Proposal {
                identity,
                lang: wanted,
                page,
                key: at,
                credibility,
                place_share,
                chance: 0.0,
                is_linked: false,
            });
        }
    }
    for (&(page, wanted), &is_there) in &lone {
        let own = lang(page).unwrap_or(Lang::UNKNOWN);
        chances.add(own, wanted, (site.identity(page), others(page)), is_there);
    }
    for proposal in &mut all {
        let own = lang(proposal.page).unwrap_or(Lang::UNKNOWN);
        let share =
            chances.of(own, proposal.lang, (site.identity(proposal.page), others(proposal.page)), params.prior_pages);
        proposal.chance = share * proposal.place_share;
    }
    all.sort_by(order);
    let mut met: FxHashSet<String> = FxHashSet::default();
    all.retain(|proposal| met.insert(proposal.identity.clone()));
    all
}

fn order(a: &Proposal, b: &Proposal) -> std::cmp::Ordering {
    let by_trust = b.chance.total_cmp(&a.chance).then(b.credibility.total_cmp(&a.credibility));
    by_trust.then((a.page, a.key).cmp(&(b.page, b.key))).then_with(|| a.identity.cmp(&b.identity))
}

/// The texts that stand for languages on a site, by the keys that took pairs.
struct Marks {
    langs: FxHashMap<(Field, String), Vec<Lang>>,
}

impl Marks {
    fn new(keys: &[ActiveKey]) -> Marks {
        let mut langs: FxHashMap<(Field, String), Vec<Lang>> = FxHashMap::default();
        for ActiveKey { key, .. } in keys {
            for edit in key.edits.iter().filter(|edit| !edit.core) {
                for (lang, text) in [(key.langs.a, &edit.from), (key.langs.b, &edit.to)] {
                    if !text.is_empty() {
                        langs.entry((edit.field, text.clone())).or_default().push(lang);
                    }
                }
            }
        }
        Marks { langs }
    }

    /// The fields in which an address has a mark; `None` when its marks stand for other languages than its own: it is an
    /// untranslated page, and has no partner of its own.
    fn fields(&self, identity: &str, own: Lang) -> Option<Vec<Field>> {
        let mut anatomy = Anatomy::default();
        let mut found = Vec::new();
        let mut is_own = false;
        if anatomy.read(identity, Separators::Punctuation) {
            for segment in anatomy.segments() {
                for span in anatomy.spans(segment, 4) {
                    if let Some(langs) = self.langs.get(&(segment.field, anatomy.text(span).to_owned())) {
                        found.push(segment.field);
                        is_own |= langs.contains(&own);
                    }
                }
            }
        }
        (found.is_empty() || is_own).then_some(found)
    }
}

/// Where a key's pairs have their partners: from the first language to the second, and back.
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

/// The address at the surest place, and how sure that is.
fn address(from: &str, key: &Key, forward: bool, places: &Places, params: &Params) -> Option<(String, f64)> {
    let made = counterparts(from, key, forward).into_iter().filter(|other| other != from);
    let shares = made.map(|other| (places.share(from, &other), other));
    // The first of equals: addresses come sorted.
    let best = shares.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= params.min_place_share).then_some((best.1, best.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FR: &str = "fr";

    fn none(_: &str) -> bool {
        false
    }

    fn key(field: Field, from: &str, to: &str) -> Key {
        let langs = LangPair::new(Lang::EN, Lang::parse(FR).expect("a tag")).expect("two languages");
        Key { langs, edits: vec![Edit { field, from: from.into(), to: to.into(), core: false }] }
    }

    /// By hand: pages 0–3 are English, 4–5 French; /en/a and /en/b have partners, /en/c and /en/d lack theirs.
    #[test]
    fn lone_pages_ask_for_the_partner_the_key_gives_them() {
        let site = ["x.org/en/a", "x.org/en/b", "x.org/en/c", "x.org/en/d", "x.org/fr/a", "x.org/fr/b", "x.org/fr/e"];
        let fr = Lang::parse(FR).expect("a tag");
        let lang = |page: u32| Some(if page < 4 { Lang::EN } else { fr });
        let active =
            ActiveKey { key: key(Field::Path, "en", "fr"), credibility: 0.5, scope: 0..7, pairs: vec![(0, 4), (1, 5)] };
        let asked = propose(&site[..], &[active], &lang, &none, &Params::default());
        let found: Vec<(&str, u32, Lang)> = asked.iter().map(|p| (p.identity.as_str(), p.page, p.lang)).collect();
        // Two of three French pages have their partner, two of four English ones.
        assert_eq!(found, [("x.org/en/e", 6, Lang::EN), ("x.org/fr/c", 2, fr), ("x.org/fr/d", 3, fr)]);
    }

    /// /fr/c is a page, in English: the site has French addresses for three of its four English pages, so /fr/d is likelier.
    #[test]
    fn an_address_that_is_another_page_is_there() {
        let site = ["x.org/en/a", "x.org/en/b", "x.org/en/c", "x.org/en/d", "x.org/fr/a", "x.org/fr/b"];
        let fr = Lang::parse(FR).expect("a tag");
        let lang = |page: u32| Some(if page < 4 { Lang::EN } else { fr });
        let active =
            ActiveKey { key: key(Field::Path, "en", "fr"), credibility: 0.5, scope: 0..6, pairs: vec![(0, 4), (1, 5)] };
        let chance = |is_there: &dyn Fn(&str) -> bool| {
            let asked = propose(&site[..], std::slice::from_ref(&active), &lang, is_there, &Params::default());
            asked.iter().find(|asked| asked.identity == "x.org/fr/d").expect("it is missing").chance
        };
        assert!(chance(&|identity| identity == "x.org/fr/c") > chance(&none));
    }

    /// `index.html` has seven ways to take in `fr`; the known pairs leave one.
    #[test]
    fn known_pairs_tell_where_a_text_goes() {
        let site = ["x.org/a.fr.html", "x.org/a.html", "x.org/b.fr.html", "x.org/b.html", "x.org/long-name.html"];
        let fr = Lang::parse(FR).expect("a tag");
        let lang = |page: u32| Some(if page % 2 == 1 || page == 4 { Lang::EN } else { fr });
        let key = key(Field::File, "", "fr");
        let active = ActiveKey { key: key.clone(), credibility: 0.5, scope: 0..5, pairs: vec![(1, 0), (3, 2)] };
        let asked = propose(&site[..], &[active], &lang, &none, &Params::default());
        let found: Vec<(&str, f64)> = asked.iter().map(|p| (p.identity.as_str(), p.place_share)).collect();
        assert_eq!(found, [("x.org/long-name.fr.html", 1.0)]);
        assert!(counterparts("x.org/long-name.html", &key, true).len() > 6);
    }

    /// `b.de.html` in English is untranslated, and `c.de.html` has its mark already.
    #[test]
    fn a_mark_is_not_put_where_another_one_stands() {
        let site = ["x.org/a.de.html", "x.org/a.html", "x.org/b.de.html", "x.org/c.de.html", "x.org/d.html"];
        let de = Lang::parse("de").expect("a tag");
        let lang = |page: u32| Some([de, Lang::EN, Lang::EN, de, Lang::EN][page as usize]);
        let langs = LangPair::new(de, Lang::EN).expect("two languages");
        let edit = Edit { field: Field::File, from: "de".into(), to: String::new(), core: false };
        let key = Key { langs, edits: vec![edit] };
        let active = ActiveKey { key, credibility: 0.5, scope: 0..5, pairs: vec![(0, 1)] };
        let asked = propose(&site[..], &[active], &lang, &none, &Params::default());
        let found: Vec<&str> = asked.iter().map(|p| p.identity.as_str()).collect();
        assert_eq!(found, ["x.org/c.html", "x.org/d.de.html"]);
    }

    #[test]
    fn the_most_credible_key_asks_first_and_once() {
        let site = ["x.org/en/c", "x.org/en/d", "x.org/fr/d", "x.org/it/c", "x.org/it/d"];
        let (fr, it) = (Lang::parse(FR).expect("a tag"), Lang::parse("it").expect("a tag"));
        let lang = |page: u32| Some([Lang::EN, Lang::EN, fr, it, it][page as usize]);
        let of = |a: Lang, b: Lang, credibility: f64, pairs: Vec<(u32, u32)>| ActiveKey {
            key: Key {
                langs: LangPair::new(a, b).expect("two languages"),
                edits: vec![Edit { field: Field::Path, from: a.as_str().into(), to: b.as_str().into(), core: false }],
            },
            credibility,
            scope: 0..5,
            pairs,
        };
        let keys = [
            of(Lang::EN, fr, 0.2, vec![(1, 2)]),
            of(fr, it, 0.9, vec![(2, 4)]),
            of(Lang::EN, it, 0.8, vec![(0, 3), (1, 4)]),
        ];
        let asked = propose(&site[..], &keys, &lang, &none, &Params::default());
        let found: Vec<(&str, u32, usize)> = asked.iter().map(|p| (p.identity.as_str(), p.page, p.key)).collect();
        assert_eq!(found, [("x.org/fr/c", 3, 1)]);
    }
}
