//! Sites in company: what is found of a site does not depend on what else stands under its domain, or on its host.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::sites::{Dice, SiteBuilder};
use crate::support::{rows, run};

/// How sites stand beside each other.
const ARRANGEMENTS: [&str; 5] = ["domains", "hosts", "folders", "deep folders", "language first"];

/// How many times sites are drawn.
const DRAWS: u64 = 2;

/// How a site names its pages: its other language, and the path of the page of a number in a language.
type Scheme = (&'static str, fn(&str, usize) -> String);

const SCHEMES: [Scheme; 4] = [
    ("fr", |lang, n| format!("{lang}/part/page{n}.html")),
    ("de", |lang, n| if lang == "en" { format!("doc{n}.html") } else { format!("doc{n}.{lang}.html") }),
    ("fr", |lang, n| format!("book-{lang}/chapter{n}.html")),
    // No key leads from one to the other.
    ("fr", |lang, n| match lang {
        "en" => format!("texts/{:x}.html", (n * 7919 + 13) % 99_991),
        _ => format!("papiers/{:x}.html", (n * 104_729 + 5) % 99_991),
    }),
];

/// A site: its name, how it names its pages, the number of its first page, and how many pages it has in each language.
#[derive(Clone)]
struct Site {
    name: String,
    scheme: Scheme,
    first: usize,
    pages: usize,
}

fn address(how: &str, name: &str, lang: &str, path: &str) -> String {
    match (how, path.split_once('/')) {
        ("domains", _) => format!("http://www.{name}-site.test/{path}"),
        ("hosts", _) => format!("http://{name}.big.test/{path}"),
        ("deep folders", _) => format!("http://www.big.test/a/{}/{name}/{path}", &name[..1]),
        ("language first", Some((first, rest))) if first == lang => format!("http://www.big.test/{lang}/{name}/{rest}"),
        _ => format!("http://www.big.test/{name}/{path}"),
    }
}

/// The numbers of the pages of each pair.
type Pairs = BTreeSet<(usize, usize)>;

/// The pairs that are found, by site.
fn found(folder: &Path, how: &str, sites: &[Site]) -> BTreeMap<String, Pairs> {
    let mut archive = SiteBuilder::default();
    let mut known: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for Site { name, scheme: (other, path), first, pages } in sites {
        for number in *first..first + pages {
            for lang in ["en", other] {
                let url = address(how, name, lang, &path(lang, number));
                archive.page(url.as_str(), lang, number);
                known.insert(url, (name, number));
            }
        }
    }
    let [warc, store] = ["site.warc.gz", "store"].map(|name| folder.join(name));
    archive.write(&warc);
    run(&store, &[&warc]);
    let mut found: BTreeMap<String, Pairs> = BTreeMap::new();
    for row in rows(&store, &["pairs"]) {
        let [a, b] = ["url_a", "url_b"].map(|side| known[row[side].as_str().expect("a URL")]);
        assert_eq!(a.0, b.0, "{how}: pages of two sites: {row:?}");
        found.entry(a.0.to_owned()).or_default().insert((a.1, b.1));
    }
    fs::remove_dir_all(store).expect("a store");
    found
}

/// Where sites have other pairs together than each by itself, by more than one.
fn differing(sites: &[Site], order: &[usize]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut alone: BTreeMap<String, Pairs> = BTreeMap::new();
    for site in sites {
        alone.extend(found(folder.path(), "domains", std::slice::from_ref(site)));
    }
    let mut differing = Vec::new();
    let ordered: Vec<Site> = order.iter().map(|&at| sites[at].clone()).collect();
    for how in ARRANGEMENTS {
        let together = found(folder.path(), how, &ordered);
        for Site { name, pages, .. } in sites {
            let [alone, here] = [&alone, &together].map(|of| of.get(name).cloned().unwrap_or_default());
            if alone.iter().any(|(a, b)| a != b) || alone.len() + 1 < *pages {
                differing.push(format!("{name} by itself: {} of {pages}", alone.len()));
            }
            if alone.symmetric_difference(&here).count() > 1 {
                differing.push(format!("{how}: {name}: {} of {pages}, alone {}", here.len(), alone.len()));
            }
        }
    }
    differing
}

#[test]
fn a_site_has_the_pairs_that_it_has_by_itself_however_it_stands_among_others() {
    let names = ["dirs", "suffix", "inside", "hidden"].into_iter().zip(SCHEMES).zip(0..);
    let site = |((name, scheme), at): ((&str, Scheme), usize)| Site {
        name: name.to_owned(),
        scheme,
        first: at * 1000,
        pages: 30,
    };
    assert_eq!(differing(&names.map(site).collect::<Vec<_>>(), &[0, 1, 2, 3]), [""; 0]);
}

#[test]
fn sites_that_are_drawn_have_the_pairs_that_they_have_by_themselves() {
    for draw in 0..DRAWS {
        let mut dice = Dice(draw);
        let count = 2 + dice.roll(4) as usize;
        let mut site = |at: usize| Site {
            name: format!("{}{at}", ["river", "town", "choir"][dice.roll(3) as usize]),
            scheme: SCHEMES[dice.roll(4) as usize],
            first: at * 1000,
            pages: 6 + dice.roll(30) as usize,
        };
        let sites: Vec<Site> = (0..count).map(&mut site).collect();
        let mut order: Vec<usize> = (0..count).collect();
        order.rotate_left(dice.roll(count as u64) as usize);
        assert_eq!(differing(&sites, &order), [""; 0], "draw {draw}");
    }
}
