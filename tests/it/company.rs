//! Sites in company: what is found of a site does not depend on what else stands under its domain, or on its host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::sites::SiteBuilder;
use crate::support::{rows, run};

/// How sites stand beside each other.
const ARRANGEMENTS: [&str; 5] = ["domains", "hosts", "folders", "deep folders", "language first"];

/// Pages of each language that a site has.
const PAGES: usize = 30;

/// A site: its name, its other language, and the path of the page of a number in a language.
type Site = (&'static str, &'static str, fn(&str, usize) -> String);

const SITES: [Site; 4] = [
    ("dirs", "fr", |lang, n| format!("{lang}/part/page{n}.html")),
    ("suffix", "de", |lang, n| if lang == "en" { format!("doc{n}.html") } else { format!("doc{n}.{lang}.html") }),
    ("inside", "fr", |lang, n| format!("book-{lang}/chapter{n}.html")),
    // No key leads from one to the other.
    ("hidden", "fr", |lang, n| match lang {
        "en" => format!("texts/{:x}.html", (n * 7919 + 13) % 99_991),
        _ => format!("papiers/{:x}.html", (n * 104_729 + 5) % 99_991),
    }),
];

fn address(how: &str, name: &str, lang: &str, path: &str) -> String {
    match (how, path.split_once('/')) {
        ("domains", _) => format!("http://www.{name}-site.test/{path}"),
        ("hosts", _) => format!("http://{name}.big.test/{path}"),
        ("deep folders", _) => format!("http://www.big.test/a/{}/{name}/{path}", &name[..1]),
        ("language first", Some((first, rest))) if first == lang => format!("http://www.big.test/{lang}/{name}/{rest}"),
        _ => format!("http://www.big.test/{name}/{path}"),
    }
}

/// The pairs that are found, by site: numbers of the pages of both.
fn found(folder: &Path, how: &str, sites: &[Site]) -> BTreeMap<String, BTreeSet<(usize, usize)>> {
    let mut archive = SiteBuilder::default();
    let mut known: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for (at, (name, other, path)) in sites.iter().enumerate() {
        // Of one number are translations of each other, whatever site they are of.
        let first = SITES.iter().position(|site| site.0 == *name).unwrap_or(at) * 1000;
        for number in first..first + PAGES {
            for lang in ["en", other] {
                let url = address(how, name, lang, &path(lang, number));
                archive.page(url.as_str(), lang, number);
                known.insert(url, (*name, number));
            }
        }
    }
    let names: Vec<&str> = sites.iter().map(|site| site.0).collect();
    let (warc, store) =
        (folder.join(format!("{how}-{}.warc.gz", names.join("-"))), folder.join(format!("{how}-{}", names.join("-"))));
    archive.write(&warc);
    run(&store, &[&warc]);
    let mut found: BTreeMap<String, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for row in rows(&store, &["pairs"]) {
        let [a, b] = ["url_a", "url_b"].map(|side| known[row[side].as_str().expect("a URL")]);
        assert_eq!(a.0, b.0, "{how}: pages of two sites: {row:?}");
        found.entry(a.0.to_owned()).or_default().insert((a.1, b.1));
    }
    found
}

#[test]
fn a_site_has_the_pairs_that_it_has_by_itself_however_it_stands_among_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut alone: BTreeMap<String, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for site in SITES {
        alone.extend(found(folder.path(), "domains", &[site]));
    }
    for (name, pairs) in &alone {
        assert!(pairs.iter().all(|(a, b)| a == b) && pairs.len() >= PAGES - 1, "{name}: {pairs:?}");
    }
    for how in ARRANGEMENTS {
        let together = found(folder.path(), how, &SITES);
        for (name, pairs) in &alone {
            let nothing = BTreeSet::new();
            let others = together.get(name).unwrap_or(&nothing);
            let differing: Vec<_> = pairs.symmetric_difference(others).collect();
            assert!(differing.len() <= 1, "{how}: {name}: {differing:?}");
        }
    }
}
