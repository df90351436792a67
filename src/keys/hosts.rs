//! The hosts of a domain: their pages, and what a key that turns one host into another is judged by.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::credibility::KeyEvidence;
use super::found::Discovery;
use super::params::Params;
use crate::index::site::{NO_LABEL, SiteIndex, Urls};
use crate::text::counterpart;
use crate::text::tokens::{Anatomy, Separators};
use crate::types::{Key, Lang, host_of};

/// The pages of each host, as ranges of a list sorted by URL.
pub fn host_ranges<A: Urls + ?Sized>(urls: &A) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    let mut start = 0;
    while start < urls.count() {
        let host = host_at(urls, start);
        let end = end_of_host(urls, start, host);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Host of a page; empty where there is no such page.
pub(super) fn host_at<A: Urls + ?Sized>(urls: &A, page: u32) -> &str {
    if page >= urls.count() { "" } else { host_of(urls.identity(page)) }
}

/// Gallops from `start` to the first page of another host: pages of one host stand together.
fn end_of_host<A: Urls + ?Sized>(urls: &A, start: u32, host: &str) -> u32 {
    let (mut low, mut step) = (start, 1);
    let mut high = loop {
        let probe = low.saturating_add(step).min(urls.count());
        if probe == urls.count() || host_at(urls, probe) != host {
            break probe;
        }
        low = probe;
        step *= 2;
    };
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if host_at(urls, middle) == host {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// How many pages of each language each host of a domain has.
pub struct HostSizes {
    langs: Vec<Lang>,
    hosts: FxHashMap<String, Vec<u32>>,
    /// The hosts that have a text where a key may have it, by the hash of the text.
    with_text: FxHashMap<u64, Vec<String>>,
}

impl HostSizes {
    /// Counts the pages of every host among some pages, which are in the order of their URLs.
    pub fn new(site: &SiteIndex<'_>, pages: &[u32]) -> HostSizes {
        let host = |page: u32| host_of(site.urls.identity(page));
        let of_host = |pages: &[u32]| {
            let mut sizes = vec![0; site.langs.len() + 1];
            for &page in pages {
                let label = site.labels[page as usize];
                let at = if label == NO_LABEL { site.langs.len() } else { usize::from(label) };
                sizes[at] += 1;
            }
            (host(pages[0]).to_owned(), sizes)
        };
        let hosts: FxHashMap<String, Vec<u32>> = pages.chunk_by(|&x, &y| host(x) == host(y)).map(of_host).collect();
        let mut with_text: FxHashMap<u64, Vec<String>> = FxHashMap::default();
        let mut anatomy = Anatomy::default();
        for host in hosts.keys() {
            if !anatomy.read(host, Separators::Punctuation) {
                continue;
            }
            for span in anatomy.segments().iter().flat_map(|segment| anatomy.spans(segment, usize::MAX)) {
                let with_text = with_text.entry(xxh3_64(anatomy.text(span).as_bytes())).or_default();
                if with_text.last() != Some(host) {
                    with_text.push(host.clone());
                }
            }
        }
        HostSizes { langs: site.langs.clone(), hosts, with_text }
    }

    /// What a host key is judged by: |w| are the pages of the hosts that it turns into one another. Cost: the hosts that have the text of one
    /// of its sides.
    pub fn evidence(&self, key: &Key, power: u64) -> KeyEvidence {
        let mut touched: FxHashSet<&str> = FxHashSet::default();
        let forward = key.edits.first().is_some_and(|edit| !edit.from.is_empty());
        let text = key.edits.first().map_or("", |edit| if forward { &edit.from } else { &edit.to });
        for host in self.with_text.get(&xxh3_64(text.as_bytes())).into_iter().flatten() {
            for other in counterpart::counterparts(host, key, forward) {
                if let Some((other, _)) = self.hosts.get_key_value(&other) {
                    touched.extend([host.as_str(), other.as_str()]);
                }
            }
        }
        let sum = |lang: Lang| -> u32 {
            let Ok(label) = self.langs.binary_search(&lang) else { return 0 };
            touched.iter().filter_map(|host| self.hosts.get(*host)).map(|sizes| sizes[label]).sum()
        };
        let all_pages = touched.iter().filter_map(|host| self.hosts.get(*host)).flatten().sum();
        KeyEvidence { power, pages: (sum(key.langs.a), sum(key.langs.b)), all_pages }
    }
}

/// One host of a site, for listing.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSummary {
    /// Its name.
    pub host: String,
    /// How many pages it has.
    pub pages: u32,
    /// How many of the site's pairs have a page on it.
    pub pairs: u64,
    /// Credibility of the most credible key among those of its pairs, 0..=1.
    pub credibility: f64,
    /// How many pages count for each language.
    pub langs: BTreeMap<Lang, u32>,
}

/// The hosts of a site, in the order of its URLs.
pub fn summaries(urls: &dyn Urls, found: &Discovery, params: &Params) -> Vec<HostSummary> {
    let ranges = host_ranges(urls);
    let host_of_page = |page: u32| ranges.partition_point(|range| range.end <= page);
    let summary = |range: &Range<u32>| {
        let mut langs: BTreeMap<Lang, u32> = BTreeMap::new();
        for page in range.clone() {
            *langs.entry(found.lang(page).unwrap_or(Lang::UNKNOWN)).or_default() += 1;
        }
        let host = host_of(urls.identity(range.start)).to_owned();
        HostSummary { host, pages: range.end - range.start, pairs: 0, credibility: 0.0, langs }
    };
    let mut summaries: Vec<HostSummary> = ranges.iter().map(summary).collect();
    for pair in &found.pairs {
        let credibility = found.keys[pair.key as usize].evidence.credibility(params);
        let (a, b) = (host_of_page(pair.a), host_of_page(pair.b));
        for host in [Some(a), Some(b).filter(|b| *b != a)].into_iter().flatten() {
            summaries[host].pairs += 1;
            summaries[host].credibility = summaries[host].credibility.max(credibility);
        }
    }
    summaries
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::index::site::{ListedPages, PageFacts};
    use crate::keys::candidate::Scan;
    use crate::keys::linking_power::tests::{by_definition, filled, shared};
    use crate::keys::slots::Shape;
    use crate::keys::small_sites::{any_params, config, labelled, small_site};
    use crate::keys::{Elsewhere, discover};

    #[test]
    fn hosts_are_listed_with_their_pages_pairs_and_languages() {
        let fr = Lang::parse("fr").expect("a tag");
        let mut pages: Vec<(String, Lang)> = Vec::new();
        for name in ["a", "b", "c"] {
            pages.extend([(format!("x.org/en/{name}"), Lang::EN), (format!("x.org/fr/{name}"), fr)]);
            pages.push((format!("y.x.org/{name}"), Lang::EN));
        }
        pages.sort();
        let facts = |detected| PageFacts { detected, ..PageFacts::default() };
        let site = ListedPages(pages.into_iter().map(|(url, lang)| (url, facts(lang))).collect());
        let found = discover(&site, &Params::default(), Elsewhere::default(), &std::env::temp_dir(), &());
        let hosts = summaries(&site, &found.expect("nothing is written"), &Params::default());
        let expected = [("x.org", 6, 3, vec![(Lang::EN, 3), (fr, 3)]), ("y.x.org", 3, 0, vec![(Lang::EN, 3)])];
        assert_eq!(hosts.len(), expected.len());
        for (found, (host, pages, pairs, langs)) in hosts.iter().zip(expected) {
            assert_eq!((found.host.as_str(), found.pages, found.pairs), (host, pages, pairs));
            assert_eq!(found.langs, langs.into_iter().collect());
        }
        assert_eq!((hosts[0].credibility, hosts[1].credibility), (1.0, 0.0));
    }

    #[test]
    fn ranges_of_hosts_cover_the_list() {
        let urls = ["a.x/1", "a.x/2", "a.x/3", "b.x/1", "c.x/1", "c.x/2"];
        assert_eq!(host_ranges(&urls[..]), [0..3, 3..4, 4..6]);
        assert_eq!(host_ranges(&[""; 0][..]), []);
    }

    #[test]
    fn a_key_of_two_places_is_as_strong_beside_a_larger_host() {
        let fr = Lang::parse("fr").expect("a tag");
        let facts = |detected| PageFacts { detected, ..PageFacts::default() };
        let small = (0..6).flat_map(|at| {
            let name = ["birds", "clouds", "roads", "boats", "trees", "walls"][at];
            [(format!("a.x.org/english/{name}_e.html"), Lang::EN), (format!("a.x.org/gaul/{name}.html"), fr)]
        });
        let large = (0..300).map(|at| (format!("b.x.org/{}", at * 7919), if at % 2 == 0 { Lang::EN } else { fr }));
        let found = |pages: Vec<(String, Lang)>| {
            let mut pages: Vec<(String, PageFacts)> = pages.into_iter().map(|(url, lang)| (url, facts(lang))).collect();
            pages.sort_by(|x, y| x.0.cmp(&y.0));
            let folder = tempfile::tempdir().expect("a folder");
            let listed = ListedPages(pages);
            let found = discover(&listed, &Params::default(), Elsewhere::default(), folder.path(), &()).expect("keys");
            let pairs: Vec<_> =
                found.pairs.iter().map(|pair| [pair.a, pair.b].map(|page| listed.identity(page).to_owned())).collect();
            (found.keys.iter().filter(|key| key.assigned > 0).map(|key| key.key.pattern()).collect::<Vec<_>>(), pairs)
        };
        let alone = found(small.clone().collect());
        assert_eq!((alone.0.as_slice(), alone.1.len()), (["path:english:gaul+file:e:(null)".to_owned()].as_slice(), 6));
        assert_eq!(found(small.chain(large).collect()), alone);
    }

    proptest! {
        #![proptest_config(config(100, 500))]
        #[test]
        fn a_host_key_is_judged_by_all_hosts_that_share_a_skeleton_with_it(
            (site, params) in (small_site(), any_params()),
        ) {
            let (index, pages) = (labelled(&site, &params), (0..site.count()).collect::<Vec<u32>>());
            let exempt = FxHashSet::default();
            let scan = Scan { site: &index, pages: &pages, shape: Shape::HostSpans, params: &params, exempt: &exempt, watch: &() };
            let hosts: BTreeSet<&str> = pages.iter().map(|&page| host_at(&site, page)).collect();
            let hosts = hosts.into_iter().map(|host| (host, filled(Shape::HostSpans, host, &params, &|_| false)));
            let hosts: Vec<(&str, _)> = hosts.collect();
            for key in by_definition(&scan).into_keys() {
                let both = hosts.iter().flat_map(|x| hosts.iter().map(move |y| (x, y)));
                let meet = both.filter(|(x, y)| shared(Shape::HostSpans, &x.1, &y.1, &params).iter().any(|s| s.1 == key.edits));
                let touched: BTreeSet<&str> = meet.flat_map(|(x, y)| [x.0, y.0]).collect();
                let on_them: Vec<u32> = pages.iter().copied().filter(|&page| touched.contains(host_at(&site, page))).collect();
                let of = |lang| on_them.iter().filter(|&&page| index.lang(page) == Some(lang)).count() as u32;
                let expected = KeyEvidence { power: 1, pages: (of(key.langs.a), of(key.langs.b)), all_pages: on_them.len() as u32 };
                prop_assert_eq!(HostSizes::new(&index, &pages).evidence(&key, 1), expected, "{:?}", key);
            }
        }
    }
}
