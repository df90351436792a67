//! `--captures nearest`: pages of one time are set beside each other, whatever order archives come in.

use std::path::{Path, PathBuf};

use crate::sites::{Dice, SiteBuilder, diglot, html, stdout};
use crate::support::rows;

/// Pages of each language.
const PAGES: usize = 20;
/// The later captures are of other pages, whose numbers are these more.
const LATER: usize = 500;

/// The address of a page, of which no key leads to that of its partner.
fn address(lang: &str, number: usize) -> String {
    let mut dice = Dice((2 * number + usize::from(lang == "en")) as u64);
    format!("http://site.test/{:06x}.html", dice.roll(1 << 24))
}

/// A crawl of the whole site; and one of some English pages, which have another text by then, and of a page that is new.
pub fn crawls(folder: &Path) -> [PathBuf; 2] {
    let mut whole = SiteBuilder::default();
    let mut later = SiteBuilder::default();
    for number in 0..PAGES {
        for lang in ["en", "fr"] {
            whole.capture(address(lang, number), "2015-03-01T00:00:00Z", &html(lang, number));
        }
    }
    for number in 0..PAGES / 2 {
        later.capture(address("en", number), "2020-03-01T00:00:00Z", &html("en", LATER + number));
    }
    for lang in ["en", "fr"] {
        later.capture(address(lang, PAGES), "2020-03-02T00:00:00Z", &html(lang, PAGES));
    }
    let paths = ["whole.warc.gz", "later.warc.gz"].map(|name| folder.join(name));
    whole.write(&paths[0]);
    later.write(&paths[1]);
    paths
}

/// What is asked of a store: its pairs, and its pages with their dates.
fn told(store: &Path) -> [String; 2] {
    let pages = stdout(diglot(store).args(["export", "--what", "pages", "--format", "jsonl", "-o", "-"]));
    let mut pages: Vec<&str> = pages.lines().collect();
    pages.sort_unstable();
    [stdout(diglot(store).args(["pairs", "--format", "jsonl"])), pages.join("\n")]
}

fn run(store: &Path, arguments: &[&str], archives: &[&Path]) {
    stdout(diglot(store).args(["run", "--until", "iterate"]).args(arguments).args(archives));
}

#[test]
fn pages_of_one_time_are_paired_where_a_later_crawl_has_some_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, later] = crawls(folder.path());
    let at = |name: &str| folder.path().join(name);
    let (newest, nearest) = (at("newest"), at("nearest"));
    run(&newest, &[], &[&whole, &later]);
    run(&nearest, &["--captures", "nearest"], &[&whole, &later]);
    let count = |store: &Path| rows(store, &["pairs"]).len();
    assert_eq!((count(&newest), count(&nearest)), (PAGES / 2 + 1, PAGES + 1));
    let of_later = |store: &Path| told(store)[1].lines().filter(|page| page.contains("2020-03-01")).count();
    assert_eq!((of_later(&newest), of_later(&nearest)), (PAGES / 2, 0));
    let status = stdout(diglot(&nearest).args(["status", "--format", "tsv"]));
    assert!(status.contains(&format!("older capture of the same URL\t{}", PAGES / 2)), "{status}");
    let expected = told(&nearest);
    // One archive after the other, in both orders.
    for (name, order) in [("forth", [&whole, &later]), ("back", [&later, &whole])] {
        let store = at(name);
        order.iter().for_each(|archive| run(&store, &["--captures", "nearest"], &[archive]));
        assert_eq!(told(&store), expected, "{name}");
    }
    // Without the first crawl, all of the later one counts, and the first one comes back.
    let store = at("forth");
    stdout(diglot(&store).args(["remove", "--archive", "whole.warc.gz"]));
    run(&store, &[], &[]);
    let alone = at("alone");
    run(&alone, &["--captures", "nearest"], &[&later]);
    assert_eq!(told(&store), told(&alone));
    run(&store, &[], &[&whole]);
    assert_eq!(told(&store), expected);
    // The setting may change at any time.
    run(&nearest, &["--captures", "newest"], &[]);
    assert_eq!(told(&nearest), told(&newest));
    run(&newest, &["--captures", "nearest"], &[]);
    assert_eq!(told(&newest), expected);
}

#[test]
fn captures_that_are_not_chosen_leave_all_later_stages_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, _] = crawls(folder.path());
    let store = folder.path().join("store");
    run(&store, &["--captures", "nearest"], &[&whole]);
    let expected = told(&store);
    let (mut far, mut new) = (SiteBuilder::default(), SiteBuilder::default());
    far.capture(address("en", 1), "2021-03-01T00:00:00Z", &html("en", LATER));
    new.capture(address("en", PAGES + 1), "2021-03-01T00:00:00Z", &html("en", PAGES + 1));
    let is_stale = |name: &str, archive: &SiteBuilder| {
        let path = folder.path().join(name);
        archive.write(&path);
        stdout(diglot(&store).args(["run", "--until", "index"]).arg(&path));
        stdout(diglot(&store).args(["status", "--format", "tsv"])).contains("site to do")
    };
    assert!(!is_stale("far.warc.gz", &far));
    assert_eq!(told(&store), expected);
    assert!(is_stale("new.warc.gz", &new));
}
