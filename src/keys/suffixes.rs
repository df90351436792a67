//! Whether domains that differ in their public suffix only are one site: `brand.de` and `brand.fr` may be versions of one
//! another, or have nothing in common but the name.
//!
//! A name is no evidence, and neither is that both have `/contact.html` or `/node/12`. Two domains are one site when pages link
//! to the page of the other domain that has their URL, or declare it; or when both have many URLs that two sites do not
//! share by chance, and what is long on one is long on the other.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::least::{MIN_COVERAGE, MIN_CREDIBILITY, MIN_PAIRS_NAMED, MIN_PAIRS_OTHER};
use crate::text::tokens::{Anatomy, Separators};
use crate::types::{Field, Lang, host_of, registrable_domain};

/// What two domains of one name must show.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Thresholds {
    /// Least number of pages of one domain that link to their counterpart on the other, or declare it. Default 2: one may be
    /// chance.
    pub min_linked: usize,
    /// The same as a share of the pages of the smaller domain. Default 0.1, the least credibility of a strong key.
    pub linked_share: f64,
    /// Least number of telling URLs that both have, where they do not link to each other. Default 5, as for keys that
    /// do not name their languages.
    pub min_telling: usize,
    /// The same as a share of the pages of the smaller domain. Default 0.3: the least coverage of a strong key.
    pub telling_share: f64,
    /// Least rank correlation of the lengths of texts at URLs that both have. Default 0.7: of translations it is 0.9 and
    /// more, of unrelated pages seldom above 0.5.
    pub min_correlation: f64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            min_linked: MIN_PAIRS_NAMED.by_coverage as usize,
            linked_share: MIN_CREDIBILITY,
            min_telling: MIN_PAIRS_OTHER.by_coverage as usize,
            telling_share: MIN_COVERAGE,
            min_correlation: 0.7,
        }
    }
}

/// One page of a family of domains.
#[derive(Clone, Copy, Debug)]
pub struct Member<'m> {
    /// Its URL without scheme.
    pub identity: &'m str,
    /// The language of its text, or unknown.
    pub lang: Lang,
    /// Bytes of text; 0 where there is none.
    pub text_bytes: u32,
}

/// Calls a function with the URL (without scheme) that each link of a page leads to, and whether it declares a version of
/// the page.
pub type LinksOf<'l> = dyn Fn(usize, &mut dyn FnMut(&str, bool)) + 'l;

/// The domains that pages are on, in groups that are one site each; all sorted.
///
/// Cost: linear in the pages and links, and quadratic in the domains of a group of equal URLs.
pub fn groups(pages: &[Member<'_>], links: &LinksOf<'_>, thresholds: &Thresholds) -> Vec<Vec<String>> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for page in pages {
        numbers.entry(registrable_domain(host_of(page.identity)).into_owned()).or_insert(0);
    }
    numbers.values_mut().zip(0..).for_each(|(number, at)| *number = at);
    let domain_of: Vec<usize> =
        pages.iter().map(|page| numbers[registrable_domain(host_of(page.identity)).as_ref()]).collect();
    let mut sizes = vec![0usize; numbers.len()];
    domain_of.iter().for_each(|&domain| sizes[domain] += 1);
    let ties = ties(pages, &domain_of, links);
    let mut group: Vec<usize> = (0..sizes.len()).collect();
    for ((a, b), ties) in ties {
        let (low, high) = (group[a].min(group[b]), group[a].max(group[b]));
        if low != high && ties.are_one_site(sizes[a].min(sizes[b]), thresholds) {
            group.iter_mut().filter(|of| **of == high).for_each(|of| *of = low);
        }
    }
    let mut groups: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (domain, number) in numbers {
        groups.entry(group[number]).or_default().push(domain);
    }
    groups.into_values().collect()
}

/// Pages of one URL that are compared, at the most.
const MAX_ALIKE: usize = 256;

/// What joins two domains.
#[derive(Default)]
struct Ties {
    /// Pages of either domain that link to their counterpart, or declare a version on the other.
    linked: [FxHashSet<usize>; 2],
    /// URLs that both have, in two languages, and that are telling.
    telling: usize,
    /// Bytes of text at URLs that both have.
    lengths: Vec<(u32, u32)>,
}

impl Ties {
    fn are_one_site(&self, smaller: usize, thresholds: &Thresholds) -> bool {
        let enough = |count: usize, min: usize, share: f64| count >= min && count as f64 >= share * smaller as f64;
        let linked = self.linked[0].len().max(self.linked[1].len());
        enough(linked, thresholds.min_linked, thresholds.linked_share)
            || (enough(self.telling, thresholds.min_telling, thresholds.telling_share)
                && correlation(&self.lengths).is_none_or(|found| found >= thresholds.min_correlation))
    }
}

fn ties(pages: &[Member<'_>], domain_of: &[usize], links: &LinksOf<'_>) -> BTreeMap<(usize, usize), Ties> {
    let mut by_address: FxHashMap<String, Vec<usize>> = FxHashMap::default();
    let mut by_identity: FxHashMap<u64, usize> = FxHashMap::default();
    for (at, page) in pages.iter().enumerate() {
        by_address.entry(counterpart(page.identity)).or_default().push(at);
        by_identity.insert(xxh3_64(page.identity.as_bytes()), at);
    }
    let mut ties: BTreeMap<(usize, usize), Ties> = BTreeMap::new();
    let differ = |a: usize, b: usize| {
        let (a, b) = (pages[a].lang, pages[b].lang);
        !a.is_known() || !b.is_known() || !a.agrees(b)
    };
    for (address, same) in &by_address {
        let telling = usize::from(is_telling(address));
        let same = &same[..same.len().min(MAX_ALIKE)];
        // With and without `www`, a URL is one.
        let mut met: FxHashSet<(usize, usize)> = FxHashSet::default();
        for (at, &a) in same.iter().enumerate() {
            for &b in same[at + 1..].iter().filter(|&&b| domain_of[a] != domain_of[b] && differ(a, b)) {
                let (a, b) = if domain_of[a] < domain_of[b] { (a, b) } else { (b, a) };
                if !met.insert((domain_of[a], domain_of[b])) {
                    continue;
                }
                let of_two = ties.entry((domain_of[a], domain_of[b])).or_default();
                of_two.telling += telling;
                of_two.lengths.push((pages[a].text_bytes, pages[b].text_bytes));
            }
        }
    }
    for (from, page) in pages.iter().enumerate() {
        let own = counterpart(page.identity);
        links(from, &mut |identity, declares| {
            let Some(&to) = by_identity.get(&xxh3_64(identity.as_bytes())) else { return };
            // Every site may link to the home page of another one.
            if domain_of[from] != domain_of[to]
                && differ(from, to)
                && !is_home(identity)
                && (declares || counterpart(identity) == own)
            {
                let domains = (domain_of[from].min(domain_of[to]), domain_of[from].max(domain_of[to]));
                let side = usize::from(domain_of[from] > domain_of[to]);
                ties.entry(domains).or_default().linked[side].insert(from);
            }
        });
    }
    ties
}

/// What two URLs have in common that differ in the public suffix, or a `www`, only.
fn counterpart(identity: &str) -> String {
    let host = host_of(identity);
    let domain = registrable_domain(host);
    let below = host.strip_suffix(domain.as_ref()).unwrap_or("");
    format!("{}{}", below.strip_prefix("www.").unwrap_or(below), &identity[host.len()..])
}

fn is_home(identity: &str) -> bool {
    identity[host_of(identity).len()..].trim_matches('/').is_empty()
}

/// True for a URL that two sites hardly share by chance: two words or more behind the host (`/news/2017/harvest-festival`),
/// or a long one. `/contact.html`, `/node/12` and `/?p=7` are everywhere.
///
/// A word is a token of three letters or more without a digit; the ending of a file is none. A long one has twelve.
fn is_telling(address: &str) -> bool {
    const WORD: usize = 3;
    const LONG: usize = 12;
    let mut anatomy = Anatomy::default();
    let rest = &address[host_of(address).len()..];
    if !anatomy.read(&format!("x{rest}"), Separators::Punctuation) {
        return false;
    }
    let (mut words, mut has_long) = (0, false);
    for segment in anatomy.segments().iter().filter(|segment| segment.field != Field::Host) {
        let tokens = anatomy.tokens(segment);
        let ends = usize::from(segment.field == Field::File && has_ending(anatomy.text(segment.span)));
        for &token in &tokens[..tokens.len().saturating_sub(ends)] {
            let text = anatomy.text(token);
            if text.len() >= WORD && !text.bytes().any(|b| b.is_ascii_digit()) {
                words += 1;
                has_long |= text.len() >= LONG;
            }
        }
    }
    words >= 2 || has_long
}

/// `.html` and its like.
fn has_ending(file: &str) -> bool {
    let is_ending = |text: &str| text.len() <= 5 && text.bytes().all(|b| b.is_ascii_alphanumeric());
    file.rsplit_once('.').is_some_and(|(name, ending)| !name.is_empty() && is_ending(ending))
}

/// Spearman's rank correlation of two columns; `None` where a column has no text, or fewer than three different lengths.
fn correlation(lengths: &[(u32, u32)]) -> Option<f64> {
    let known: Vec<(u32, u32)> = lengths.iter().copied().filter(|&(a, b)| a > 0 && b > 0).collect();
    let (x, y) = (ranks(known.iter().map(|l| l.0).collect()), ranks(known.iter().map(|l| l.1).collect()));
    let mean = (known.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum() };
    let spread = product(&x, &x) * product(&y, &y);
    let different = |ranks: &[f64]| {
        let mut bits: Vec<u64> = ranks.iter().map(|rank| rank.to_bits()).collect();
        bits.sort_unstable();
        bits.dedup();
        bits.len()
    };
    (different(&x) >= 3 && different(&y) >= 3).then(|| product(&x, &y) / spread.sqrt())
}

/// The rank of each value from 1, equal ones sharing the mean of theirs.
fn ranks(values: Vec<u32>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&at| values[at]);
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for run in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = start as f64 + (run.len() as f64 + 1.0) / 2.0;
        run.iter().for_each(|&at| ranks[at] = rank);
        start += run.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_or_a_long_one_are_telling() {
        for telling in ["/red-wine.html", "/news/harvest/", "/Donaudampfschiff.html", "/a?q=red-wine"] {
            assert!(is_telling(telling), "{telling}");
        }
        for common in
            ["/", "/index.html", "/contact.html", "/node/12", "/?p=123", "/2017/03/", "/about-us", "/.htaccess"]
        {
            assert!(!is_telling(common), "{common}");
        }
    }

    #[test]
    fn the_counterpart_has_another_suffix_and_perhaps_no_www() {
        for identity in ["x.de/a?b", "www.x.co.uk/a?b", "x.fr/a?b"] {
            assert_eq!(counterpart(identity), "/a?b");
        }
        assert_eq!(counterpart("shop.x.de/a"), "shop./a");
        assert!(is_home("x.de/") && is_home("x.de") && !is_home("x.de/a"));
    }

    /// By hand: lengths 1, 2, 3, 4 against 10, 20, 40, 30: Σd² = 2, ρ = 1 − 6·2/(4·15) = 0.8.
    #[test]
    fn correlation_is_spearmans() {
        let found = correlation(&[(1, 10), (2, 20), (3, 40), (4, 30)]).expect("different lengths");
        assert!((found - 0.8).abs() < 1e-12, "{found}");
        assert_eq!(correlation(&[(5, 1), (5, 2), (5, 3)]), None);
        assert_eq!(correlation(&[(0, 1), (0, 2), (0, 3), (0, 4)]), None);
        assert_eq!(ranks(vec![7, 3, 7]), [2.5, 1.0, 2.5]);
    }

    /// The groups of `x.de` and `x.fr` with these paths, and with links from the German pages to these French ones.
    fn joined(paths: &[&str], lengths: &dyn Fn(usize) -> (u32, u32), linked: &[&str]) -> bool {
        let [de, fr] = ["de", "fr"].map(|lang| Lang::parse(lang).expect("a tag"));
        let identities =
            [de, fr].map(|lang| paths.iter().map(move |path| format!("x.{lang}{path}")).collect::<Vec<_>>());
        let mut pages = Vec::new();
        for (at, (a, b)) in identities[0].iter().zip(&identities[1]).enumerate() {
            pages.push(Member { identity: a, lang: de, text_bytes: lengths(at).0 });
            pages.push(Member { identity: b, lang: fr, text_bytes: lengths(at).1 });
        }
        let links = |page: usize, each: &mut dyn FnMut(&str, bool)| {
            let path = &pages[page].identity[4..];
            if page.is_multiple_of(2) && linked.contains(&path) {
                each(&format!("x.fr{path}"), false);
            }
        };
        groups(&pages, &links, &Thresholds::default()).len() == 1
    }

    #[test]
    fn telling_addresses_and_lengths_that_agree_join_domains() {
        let telling = ["/red-wine", "/white-wine", "/old-cheese", "/new-bread", "/big-ham"];
        let alike = |at: usize| (100 + 10 * at as u32, 210 + 19 * at as u32);
        let other = |at: usize| (100 + 10 * at as u32, [300, 100, 200, 400, 150][at % 5]);
        assert!(joined(&telling, &alike, &[]));
        assert!(!joined(&telling[..4], &alike, &[]), "four are too few");
        assert!(!joined(&telling, &other, &[]), "long pages on one are no long pages on the other");
        assert!(joined(&telling, &|_| (0, 0), &[]), "an index tells no lengths");
    }

    #[test]
    fn common_addresses_join_domains_only_when_they_link() {
        let common = ["/", "/contact.html", "/about.html", "/news.html", "/node/1", "/node/2"];
        let alike = |at: usize| (100 + at as u32, 200 + at as u32);
        assert!(!joined(&common, &alike, &[]));
        assert!(!joined(&common, &alike, &["/", "/node/1"]), "one link, and one to the home page");
        assert!(joined(&common, &alike, &["/node/1", "/node/2"]));
    }
}
