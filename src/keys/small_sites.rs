//! Small sites, settings and patterns for tests: URLs of few parts, which meet in many ways.

use proptest::prelude::*;
use proptest::sample::select;
use rustc_hash::FxHashSet;

use super::params::{CoreMode, Params, SiteUnit, Strength};
use crate::extent::extent;
use crate::index::site::{ListedPages, PageFacts, Pages, SiteIndex};
use crate::labels::LabelMode;
use crate::types::Lang;

/// Pages of which only URL and language are known.
pub fn site(mut pages: Vec<(String, Lang)>) -> ListedPages {
    pages.sort();
    pages.dedup_by(|x, y| x.0 == y.0);
    let facts = |detected, title| {
        let latin_share = if detected == Lang::EN { 0.9 } else { 0.1 };
        PageFacts {
            detected,
            declared: detected,
            confidence: 1.0,
            latin_share,
            text_bytes: 1000,
            title,
            ..PageFacts::default()
        }
    };
    ListedPages(pages.into_iter().zip(0..).map(|((identity, lang), n)| (identity, facts(lang, n))).collect())
}

/// The site with the language that each page counts for.
pub fn labelled<'a>(site: &'a ListedPages, params: &Params) -> SiteIndex<'a> {
    SiteIndex::collect(site, |page| match (params.labels, site.detected(page)) {
        (LabelMode::Detected, lang) => lang.is_known().then_some(lang),
        (LabelMode::LatinShare, lang) => Some(if lang == Lang::EN { Lang::EN } else { Lang::ZH }),
    })
}

/// A part of URLs without and with a marker: `<d>` and `<f>` are folder and file of a document, `<m>` and `<s>` the marker and the
/// public suffix of its language.
type Cutting = (&'static str, &'static str);
const HOSTS: &[Cutting] = &[
    ("ex.org", "<m>.ex.org"),
    ("ex.org", "<m>.ex.org"),
    ("ex.org", "<m>.ex.org"),
    ("ex.org", "www-<m>.ex.org"),
    ("ex.<s>", "www.ex.<s>"),
    ("shop.ex.<s>", "www.shop.ex.<s>"),
    ("www.<s>", "www.ex.<s>"),
];
const FOLDERS: &[Cutting] = &[
    ("<d>", "<m>/<d>"),
    ("<d>", "<d><m>/"),
    ("<m>/<d>", "<m>/<m>/<d>"),
    ("/<d>-/", "/<d><m>-/"),
    ("<d>a.", "<d>a.<m>-"),
];
const FILES: &[Cutting] = &[
    ("<f>.html", "<f>-<m>.html"),
    ("<f>.html", "<f>.<m>.html"),
    ("<f>_<m>.html", "<f>~<m>.html"),
    ("<f>.html", "<m>_<f>.html"),
    ("<f>.html", "<f><m>.html"),
    ("<f>", "<m><f>"),
    ("<f>", "<f><m>"),
    ("<f>.x", "<f><m>.x"),
    ("<f>.x", "<m><f>.x"),
    ("<f>", "<f>/<m>"),
    ("<f>.html", "<f>.htm"),
    ("p-<f>.html", "p.<m>-<f>.html"),
    ("p.<f>.html", "p.<m>-<f>.html"),
    ("v", "-<f>+<m>:.html"),
];
const QUERIES: &[Cutting] = &[
    ("", ""),
    ("", ""),
    ("?id=<f>", "?lang=<m>&id=<f>"),
    ("?lang=<m>&id=<f>", "?id=<f>&lang=<m>"),
    ("?s&id=<f><m>&b=1", "?b=1&id=<f><m>&s"),
    ("?<f>", "?u=<m>/%20&<f>"),
];
/// Names of documents; some are markers of the first two languages, some are numbers, some share tokens.
const DOCUMENTS: [&str; 14] =
    ["a", "<0>", "news/1", "news/2", "<1>", "06", "07", "news/<1>", "x-1", "", "news/a_b.x", "b", "c", "d"];
/// How the four languages are written.
const MARKS: [[&str; 4]; 4] = [
    ["en", "de", "fr", "zh_CN"],
    ["english", "deutsch", "fr-CA", "chinese"],
    ["e", "d", "f", "c"],
    ["1", "2", "en", "de-x"],
];

/// The address of a document; a bit of `marked` for each part.
fn address(document: usize, (parts, marked): ([Cutting; 4], u8), lang: usize, words: usize) -> String {
    let markers = MARKS[words];
    let name = DOCUMENTS[document].replace("<0>", markers[0]).replace("<1>", markers[1]);
    let (folder, file) = name.split_at(name.rfind('/').map_or(0, |at| at + 1));
    let [host, path @ ..]: [String; 4] = std::array::from_fn(|n| {
        let part = if marked >> n & 1 == 1 { parts[n].1 } else { parts[n].0 };
        let part = part.replace("<d>", folder).replace("<f>", file).replace("<m>", markers[lang]);
        part.replace("<s>", ["org", "de", "fr", "co.uk"][lang])
    });
    format!("{}/{}", host.replace('_', "-"), path.concat()).replace("/.html", "/")
}

/// Documents in up to four languages, in styles that differ in which parts are marked; some pages stray from them, some are
/// there twice.
pub fn small_site() -> impl Strategy<Value = ListedPages> {
    let langs = ["en", "de", "fr", "zh"].map(|tag| Lang::parse(tag).expect("a tag"));
    let parts = move || [select(HOSTS), select(FOLDERS), select(FILES), select(QUERIES)];
    // Marked parts in the first language and in the others.
    let marked = || {
        select(vec![
            [0u8, 1],
            [0, 1],
            [0, 2],
            [0, 2],
            [0, 4],
            [0, 4],
            [0, 6],
            [0, 6],
            [0, 8],
            [0, 8],
            [2, 6],
            [4, 6],
            [0, 15],
        ])
    };
    let marked = prop_oneof![3 => marked(), 2 => select(vec![1u8, 2, 4, 6, 8, 15]).prop_map(|both| [both; 2])];
    let pages = proptest::collection::vec((0u8..30, (parts(), 0u8..16), 0usize..4, 0u8..25), 40);
    let shape =
        (parts(), marked, prop_oneof![Just(0), 0..=DOCUMENTS.len()], select(vec![0, 1, 2, 2, 2, 3]), 2usize..=4);
    (shape, 1..=DOCUMENTS.len(), pages).prop_map(move |((parts, marked, split, words, count), documents, pages)| {
        // What domains of one name differ in is their hosts.
        let marked = if parts[0].0.contains("<s>") { marked.map(|marked| marked.min(1)) } else { marked };
        let mut pages_of = Vec::new();
        for (n, (stray, other_style, other_words, noise)) in pages.into_iter().enumerate().take(count * documents) {
            let (document, lang) = (n / count, n % count);
            let style = |turned: bool| (parts, marked[usize::from(turned)]);
            let usual = style((lang == 0) == (document < split));
            let label = match noise {
                0 => Lang::UNKNOWN,
                1 => langs[(lang + 1) % count],
                _ => langs[lang],
            };
            let styles = match stray {
                0 | 1 => vec![],
                2 => vec![(other_style, other_words)],
                3 => vec![(other_style, words)],
                4 => vec![(style(false), words), (style(true), words)],
                5 => vec![(usual, words), (other_style, words)],
                _ => vec![(usual, words)],
            };
            pages_of.extend(styles.into_iter().map(|(style, words)| (address(document, style, lang, words), label)));
        }
        site(pages_of)
    })
}

pub fn any_params() -> impl Strategy<Value = Params> {
    let presets = vec![Params::kit_ng_2007(), Params::pupsniffer_2013(), Params::default()];
    (select(presets), 0u8..8, 1u32..4, any::<bool>(), any::<bool>()).prop_map(
        |(preset, variant, n, is_so, across_suffixes)| {
            // Labels are resolved by another method, and definitions know no folders and keep all weak keys.
            let preset = Params { resolve_labels: false, variants: false, folders: false, ..preset };
            let mut params = Params { max_weak_keys: 1 << 20, across_suffixes, ..preset };
            match variant {
                0 => params.min_power = n,
                1 => params.site = if is_so { SiteUnit::Domain } else { SiteUnit::Host },
                2 => (params.cores, params.compound) = (CoreMode::Joint, is_so),
                3 => (params.cores, params.compound, params.min_power) = (CoreMode::Leftover, true, n),
                4 => (params.one_partner, params.max_span_tokens) = (is_so, n as usize),
                5 | 6 => {
                    // Strict, so that |w| decides on small sites too.
                    let min_credibility = 0.2 * f64::from(n);
                    params.cores = if is_so { CoreMode::Leftover } else { params.cores };
                    params.strength =
                        Strength::PagesOfLanguages { min_credibility, min_coverage: 0.9, number_credibility: 0.7 };
                }
                _ => {}
            }
            params
        },
    )
}

pub fn any_rescue() -> impl Strategy<Value = FxHashSet<String>> {
    let patterns = [
        "path:en:de path:de:en path:deutsch:english path:d:e file:de:en file:(null):e file:~d:~e file:%7Ed:%7Ee",
        "path:d:e+file:d:e query:de:en host:d:e file:b:a file:06:07 path:(null):news",
    ];
    let patterns: Vec<String> = patterns.iter().flat_map(|line| line.split(' ')).map(str::to_owned).collect();
    proptest::sample::subsequence(patterns, 0..8).prop_map(|patterns| patterns.into_iter().collect())
}

pub fn config(long: u32, longer: u32) -> ProptestConfig {
    ProptestConfig { cases: extent(long, longer), failure_persistence: None, ..ProptestConfig::default() }
}
