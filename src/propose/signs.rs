//! Signs in the URLs of a pair, apart from those that propose it: whether both URLs name their pages and have a name in common, and whether
//! a page stands under another language than that of its text, or at another address than the one that it names as its own.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use crate::index::parts::pooled;
use crate::keys::least::{MIN_COVERAGE, MIN_PAIRS_OTHER};
use crate::keys::{KnownKeys, Marks};
use crate::language::codes::named_language;
use crate::text::tokens::{Anatomy, Separators};
use crate::types::{Compared, Field, Lang, Measure};
use crate::verify::SiteView;

/// The signs of one site.
#[derive(Default)]
pub struct Signs {
    marks: Marks,
    /// Pages that stand under another language than that of their text, or at another address than their own.
    misplaced: FxHashSet<u32>,
    /// For a part of the site, a language and a token: on how many pages the token stands in the URL.
    counts: FxHashMap<(u32, Lang, u64), u32>,
}

/// A token names a page only if it stands in the URLs of at most so many pages of a language (an estimate).
const MAX_NAMED: u32 = 3;

impl Signs {
    /// The signs of a site with these keys.
    pub fn of(site: &SiteView<'_>, known: &KnownKeys) -> Signs {
        let mut signs = Signs { marks: Marks::of_known(known), ..Signs::default() };
        let mut anatomy = Anatomy::default();
        for page in (0..site.pages().count()).filter(|&page| site.langs[page as usize].is_known()) {
            let (lang, parts) = (site.langs[page as usize], site.parts());
            for token in tokens(site.pages().identity(page), &mut anatomy) {
                for part in parts.chain(parts.of(page)) {
                    *signs.counts.entry((part, lang, token)).or_default() += 1;
                }
            }
        }
        signs.find_misplaced(site);
        signs
    }

    /// The signs of a site without keys. Only whole segments of URLs then stand for languages.
    pub fn without_keys(site: &SiteView<'_>) -> Signs {
        Signs::of(site, &KnownKeys::default())
    }

    /// Which values stand for which languages in URLs.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Finds the misplaced pages. A page is misplaced if its URL names another language than that of its text, and most pages of its part
    /// in its language stand elsewhere: a host that holds the English pages beside `ja.example.org` may hold French ones too.
    fn find_misplaced(&mut self, site: &SiteView<'_>) {
        let parts = site.parts();
        let pages = || {
            (0..site.pages().count()).map(|page| (page, site.langs[page as usize])).filter(|(_, lang)| lang.is_known())
        };
        let mut anatomy = Anatomy::default();
        // Whole segments that name a language (`/nl-nl/`), and how many of their pages are in that language.
        let mut segments: BTreeMap<(u32, Lang), (u32, u32)> = BTreeMap::new();
        // For a part of the site, a value that names a language in URLs, and a language: on how many pages of that language it stands.
        let mut under: FxHashMap<(u32, u64, Lang), u32> = FxHashMap::default();
        // Pages that stand under no mark of their own language, each with the marks in its URL, if all are of one language, and with the
        // other language that a segment names.
        let mut suspects: Vec<(u32, Lang, Vec<u64>, Option<Lang>)> = Vec::new();
        for (page, lang) in pages() {
            if site.has_strayed(page) {
                self.misplaced.insert(page);
            }
            let identity = site.pages().identity(page);
            let marked = self.marks.marks_in(identity, &mut anatomy);
            let is_under_own = marked.iter().any(|(one, _)| one.agrees(lang));
            let is_of_one = marked.iter().all(|(one, _)| *one == marked[0].0);
            let mut says: Vec<u64> = marked.iter().map(said_by).collect();
            let marks = if is_of_one { says.clone() } else { Vec::new() };
            let named = match named_by_segments(identity, &mut anatomy)[..] {
                [named] => Some(named),
                _ => None,
            };
            if let Some(named) = named {
                says.push(said_by(&(named, "")));
                for part in parts.chain(parts.of(page)) {
                    let count = segments.entry((part, named)).or_default();
                    count.0 += u32::from(named.agrees(lang));
                    count.1 += 1;
                }
            }
            for &says in &says {
                for part in parts.chain(parts.of(page)) {
                    *under.entry((part, says, lang)).or_default() += 1;
                }
            }
            let other = named.filter(|named| !named.agrees(lang));
            if !is_under_own && (!marks.is_empty() || other.is_some()) {
                suspects.push((page, lang, marks, other));
            }
        }
        // A segment stands for the language that it names if enough of the pages under it are in that language, just as a key may be strong
        // by its coverage. This is decided in the innermost part that has enough pages under the segment.
        let least = MIN_PAIRS_OTHER.by_coverage;
        let is_language = |part: u32, named: Lang| {
            let counts = parts.chain(part).filter_map(|part| segments.get(&(part, named)));
            let told = counts.into_iter().find(|(_, all)| *all >= least);
            told.is_some_and(|&(right, all)| right >= least && f64::from(right) >= MIN_COVERAGE * f64::from(all))
        };
        // The share of a language's pages that stand under a name of another language. What is expected in a part comes from the part
        // around it.
        let is_elsewhere = |part: u32, says: u64, lang: Lang| {
            let share = parts.inwards(part).fold(0.5, |expected, part| {
                let here = under.get(&(part, says, lang)).copied().unwrap_or(0);
                pooled(expected, f64::from(here), f64::from(parts.pages(part, lang)))
            });
            share < 0.5
        };
        for (page, lang, marks, other) in suspects {
            let part = parts.of(page);
            let is_under_other = marks.into_iter().any(|mark| is_elsewhere(part, mark, lang));
            let is_named_other =
                other.is_some_and(|named| is_language(part, named) && is_elsewhere(part, said_by(&(named, "")), lang));
            if is_under_other || is_named_other {
                self.misplaced.insert(page);
            }
        }
    }

    /// The tokens of a page's URL that name it, because they stand on few pages of its language in a part of the site.
    fn rare_tokens(&self, site: &SiteView<'_>, part: u32, page: u32) -> Vec<u64> {
        let lang = site.langs[page as usize];
        let pages = site.parts().pages(part, lang);
        let is_rare = |&token: &u64| {
            let count = self.counts.get(&(part, lang, token));
            count.is_some_and(|&count| count <= MAX_NAMED && 2 * count <= pages.max(2))
        };
        tokens(site.pages().identity(page), &mut Anatomy::default()).into_iter().filter(is_rare).collect()
    }

    /// Sets the signs of a compared pair. `Named` is 1 where the URLs have a name in common, 0 where both name their pages and have none,
    /// and else undefined; `Place` is 0 where one of the pages is misplaced, and else undefined.
    pub fn set(&self, site: &SiteView<'_>, one: &mut Compared) {
        let pair = one.candidate.pair;
        let part = site.parts().common(pair.a, pair.b);
        let [a, b] = [pair.a, pair.b].map(|page| self.rare_tokens(site, part, page));
        let is_named = !a.is_empty() && !b.is_empty();
        let named = is_named.then(|| f32::from(u8::from(a.iter().any(|token| b.contains(token)))));
        one.similarities.set(Measure::Named, named);
        let is_misplaced = [pair.a, pair.b].iter().any(|page| self.misplaced.contains(page));
        one.similarities.set(Measure::Place, is_misplaced.then_some(0.0));
    }
}

/// A hash for a mark among those of a site; or, without a text, for a language that is named.
fn said_by((lang, text): &(Lang, &str)) -> u64 {
    xxh3_64(&[&lang.to_bytes(), text.as_bytes()].concat())
}

/// The languages that host labels, directories and values of the query name, each once. The suffix of the domain does not count.
fn named_by_segments(identity: &str, anatomy: &mut Anatomy) -> Vec<Lang> {
    if !anatomy.read(identity, Separators::Punctuation) {
        return Vec::new();
    }
    // The suffix of a domain (`x.fr`, `x.it`) names a country.
    let suffix = anatomy.segments().iter().rposition(|segment| segment.field == Field::Host);
    let segments = anatomy
        .segments()
        .iter()
        .enumerate()
        .filter(|(at, segment)| segment.field != Field::File && Some(*at) != suffix);
    let segments = segments.map(|(_, segment)| segment);
    let mut named: Vec<Lang> = segments.filter_map(|segment| named_language(anatomy.text(segment.span))).collect();
    named.sort_unstable();
    named.dedup();
    named
}

/// Hashes of the runs of digits, and of other characters, in the tokens of a URL after the host, each once: `node` and `22` of `node22`.
fn tokens(identity: &str, anatomy: &mut Anatomy) -> Vec<u64> {
    if !anatomy.read(identity, Separators::Punctuation) {
        return Vec::new();
    }
    let segments = anatomy.segments().iter().filter(|segment| segment.field != Field::Host);
    let texts = segments.flat_map(|segment| anatomy.tokens(segment)).map(|&token| anatomy.text(token));
    let runs = texts.flat_map(|text| text.as_bytes().chunk_by(|x, y| x.is_ascii_digit() == y.is_ascii_digit()));
    let mut found: Vec<u64> = runs.map(xxh3_64).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{KnownKey, State};
    use crate::types::{Candidate, Edit, Key, LangPair, Method, Similarities};
    use crate::verify::fixture::ListedSite;

    fn known() -> KnownKeys {
        let langs = LangPair::new(Lang::EN, Lang::parse("fr").expect("a tag")).expect("two languages");
        let edits = vec![Edit { field: Field::Path, from: "en".into(), to: "fr".into(), core: false }];
        let key = KnownKey { key: Key { langs, edits }, scope: (0..9).into(), credibility: 0.9, state: State::Strong };
        KnownKeys { keys: vec![key], pairs: Vec::new() }
    }

    #[test]
    fn a_page_at_another_address_than_its_own_is_misplaced_and_what_it_declares_is_not_of_this_address() {
        let pages = ["x.org/en/a", "x.org/en/b", "x.org/en/c", "x.org/fr/a", "x.org/fr/b", "x.org/fr/c"];
        let listed = ListedSite::new(&pages.map(|url| (url, &url[6..8], "")));
        // The French contents of a and b have been exchanged. All other pages name themselves.
        let versions = [(0, 3), (1, 4), (2, 5), (3, 1), (4, 0), (5, 2)];
        let own = [(0, 0), (1, 1), (2, 2), (3, 4), (4, 3), (5, 5)];
        let listed = versions.into_iter().fold(listed, |site, (page, other)| site.alternate(page, other));
        let listed = own.into_iter().fold(listed, |site, (page, named)| site.canonical(page, named));
        let site = listed.view();
        assert_eq!([0, 1, 2, 3, 4, 5].map(|page| site.has_strayed(page)), [false, false, false, true, true, false]);
        let signs = Signs::of(&site, &known());
        assert_eq!([0, 3, 4, 5].map(|page| signs.misplaced.contains(&page)), [false, true, true, false]);
        let declared: Vec<_> =
            crate::propose::hreflang::of_hreflang(&site).iter().map(|one| (one.pair.a, one.pair.b)).collect();
        assert_eq!(declared, [(0, 3), (1, 4), (2, 5), (2, 5)]);
        // A page that names a page which names itself is a copy, or its template is wrong.
        let listed = listed.canonical(4, 4).canonical(3, 5);
        assert!((0..6).all(|page| !listed.view().has_strayed(page)));
    }

    #[test]
    fn a_text_says_a_language_only_where_most_pages_in_others_stand_elsewhere() {
        // English on `www` and Japanese on a host of its own; beside them a folder of `www` in English and French, without marks.
        let mut pages: Vec<(String, &str, &str)> = Vec::new();
        for at in 0..10 {
            pages.push((format!("ja.x.org/a{at}"), "ja", ""));
            pages.push((format!("www.x.org/a{at}"), "en", ""));
            pages.push((format!("www.x.org/book/page-{at}"), "en", ""));
            pages.push((format!("www.x.org/book/feuille-{at}"), "fr", ""));
        }
        pages.push(("www.x.org/b".to_owned(), "ja", ""));
        pages.sort();
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, *text)).collect();
        let listed = ListedSite::new(&listed);
        let site = listed.view();
        let langs = LangPair::new(Lang::EN, Lang::parse("ja").expect("a tag")).expect("two languages");
        let edits = vec![Edit { field: Field::Host, from: "www".into(), to: "ja".into(), core: false }];
        let scope = (0..site.pages().count()).into();
        let key = KnownKey { key: Key { langs, edits }, scope, credibility: 0.9, state: State::Strong };
        let signs = Signs::of(&site, &KnownKeys { keys: vec![key], pairs: Vec::new() });
        let is_misplaced = |url: &str| signs.misplaced.contains(&site.pages().find(url).expect("a page"));
        assert!(
            !is_misplaced("www.x.org/book/feuille-3") && !is_misplaced("www.x.org/a3") && !is_misplaced("ja.x.org/a3")
        );
        // Japanese has a host of its own.
        assert!(is_misplaced("www.x.org/b"));
    }

    #[test]
    fn urls_that_name_their_pages_have_a_name_in_common_or_none() {
        let mut pages: Vec<(String, &str, &str)> = Vec::new();
        for lang in ["en", "fr"] {
            pages.push((format!("x.org/{lang}/faq.html"), lang, ""));
            (0..5).for_each(|at| pages.push((format!("x.org/{lang}/node{at}.html"), lang, "")));
        }
        pages.push(("x.org/fr/zebra.html".to_owned(), "en", ""));
        let listed: Vec<_> = pages.iter().map(|(url, lang, text)| (url.as_str(), *lang, *text)).collect();
        let listed = ListedSite::new(&listed);
        let site = listed.view();
        let signs = Signs::of(&site, &known());
        let page = |url: &str| site.pages().find(url).expect("a page");
        let said = |x: &str, y: &str| {
            let pair = site.ordered(page(x), page(y)).expect("two languages");
            let candidate = Candidate { pair, method: Method::Words, key: None };
            let mut one = Compared { candidate, similarities: Similarities::default(), same_text: false };
            signs.set(&site, &mut one);
            (one.similarities.get(Measure::Named), one.similarities.get(Measure::Place))
        };
        assert_eq!(said("x.org/en/faq.html", "x.org/fr/faq.html"), (Some(1.0), None));
        assert_eq!(said("x.org/en/node1.html", "x.org/fr/node1.html"), (Some(1.0), None));
        assert_eq!(said("x.org/en/faq.html", "x.org/fr/node1.html"), (Some(0.0), None));
        // An English text under /fr/.
        assert_eq!(said("x.org/fr/zebra.html", "x.org/fr/faq.html"), (Some(0.0), Some(0.0)));
    }
}
