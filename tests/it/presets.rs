//! The presets that need no addresses, and one measure alone.

use std::path::Path;

use crate::sites::{SiteBuilder, html};
use crate::support::{Held, diglot, failure, golden, rows, run, stdout, tiny_site};

const PAGES: usize = 12;

/// An address that says nothing of language or number.
fn address(lang: &str, number: usize) -> String {
    let place = number * 7919 + if lang == "en" { 104_729 } else { 1_299_709 };
    format!("http://ex.org/{:x}", place * place % 1_000_003)
}

/// A site of two languages whose pages have rules, more on each, and a link to the next page of their language.
fn write(path: &Path) {
    let mut site = SiteBuilder::default();
    for number in 0..PAGES {
        for lang in ["en", "fr"] {
            let next = address(lang, (number + 1) % PAGES);
            let more = format!("{}<a href=\"{next}\">{}</a></body>", "<hr>".repeat(3 * number), number + 1);
            site.capture(address(lang, number), SiteBuilder::DAY, &html(lang, number).replace("</body>", &more));
        }
    }
    site.write(path);
}

/// How many pairs a store has, and how many of them are right.
fn found(store: &Path) -> (usize, usize) {
    let pairs = rows(store, &["pairs"]);
    let is_right = |row: &&serde_json::Map<String, serde_json::Value>| {
        assert_eq!(row["method"], "all-pairs");
        (0..PAGES).any(|number| row["url_a"] == address("en", number) && row["url_b"] == address("fr", number))
    };
    (pairs.len(), pairs.iter().filter(is_right).count())
}

#[test]
fn pages_find_each_other_without_addresses() {
    let place = tempfile::tempdir().expect("a folder");
    let (warc, store) = (place.path().join("site.warc.gz"), place.path().join("store"));
    write(&warc);
    let run = |arguments: &[&str]| {
        diglot(&store).args(["--quiet", "run", "--langs", "en,fr"]).args(arguments).assert().success();
    };
    run(&["--preset", "link-2014", &warc.display().to_string()]);
    assert_eq!(found(&store), (PAGES, PAGES));
    run(&["--min-sim", "1"]);
    assert!(found(&store).0 < PAGES / 2, "{:?}", found(&store));
    // What one method left is not taken for the outcome of the other.
    run(&["--preset", "webmining-2008"]);
    let (pairs, right) = found(&store);
    assert!(right >= PAGES - 1 && pairs == right, "{right} of {pairs}");
    run(&["--without", "content"]);
    assert!(found(&store).1 >= PAGES / 2, "{:?}", found(&store));
}

#[test]
fn one_measure_judges_the_pairs_of_keys() {
    let place = tempfile::tempdir().expect("a folder");
    let (warc, store) = (place.path().join("site.warc.gz"), place.path().join("store"));
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], PAGES, |lang, number| format!("http://ex.org/{lang}/{number}.html"));
    // A pair by its addresses that is none by its tags.
    site.page("http://ex.org/en/odd.html", "en", 50);
    let list = format!("{}</body>", "<table><tr><td><hr></td></tr></table>".repeat(200));
    site.capture("http://ex.org/fr/odd.html", SiteBuilder::DAY, &html("fr", 50).replace("</body>", &list));
    site.write(&warc);
    let (code, message) = failure(diglot(&store).args(["run", "--verifier", "looks"]).arg(&warc));
    assert_eq!(code, 2);
    assert!(message.contains("--verifier is looks, expected one of "), "{message}");
    diglot(&store).args(["--quiet", "run", "--verifier", "lcs"]).arg(&warc).assert().success();
    let pairs = rows(&store, &["pairs"]);
    assert_eq!(pairs.len(), PAGES);
    assert!(pairs.iter().all(|row| row["method"] == "key" && row["score"].as_f64() > Some(0.5)), "{pairs:?}");
    let accepted = rows(&store, &["keys"]).iter().map(|key| key["accepted"].as_u64()).collect::<Vec<_>>();
    assert_eq!(accepted, [Some(PAGES as u64)], "keys say which pairs are theirs, whatever judged them");
    diglot(&store).args(["--quiet", "run", "--min-score", "0"]).assert().success();
    assert_eq!(rows(&store, &["pairs"]).len(), PAGES + 1);
    let (code, message) = failure(diglot(&store).args(["run", "--preset", "link-2014"]));
    assert!(code == 2 && message.contains("--reset verifier"), "{message}");
}

#[test]
fn explain_shows_the_rounds_and_the_neighbours_that_carried_a_pair() {
    let place = tempfile::tempdir().expect("a folder");
    let (warc, store) = (place.path().join("site.warc.gz"), place.path().join("store"));
    write(&warc);
    diglot(&store)
        .args(["--quiet", "run", "--langs", "en,fr", "--preset", "link-2014", "--until", "iterate"])
        .arg(&warc)
        .assert()
        .success();
    let told = |a: &str, b: &str| {
        let told = stdout(&store, &["explain", a, b]);
        assert!(told.starts_with("the two pages\n"), "{told}");
        told[..told.find("\nhttp").expect("then the pages") + 1].to_owned()
    };
    let pair = told(&address("fr", 3), &address("en", 3));
    golden("explain-rounds.txt", &pair);
    // The neighbours of both are the pages before and after, and so are those of the pair that carried it.
    for number in [2, 4] {
        assert!(pair.contains(&format!("{} {}, ", address("en", number), address("fr", number))), "{pair}");
    }
    let number = |name: &str| -> f64 {
        let line = pair.lines().rev().find(|line| line.contains(name)).expect(name);
        let text = line.split(name).nth(1).expect("a number").trim().split([',', ':', ';']).next().expect("one");
        text.parse().expect(text)
    };
    let carried: Vec<f64> = pair
        .lines()
        .skip_while(|line| !line.contains("round 3"))
        .filter_map(|line| line.trim().strip_prefix("neighbours")?.rsplit(", ").next()?.parse().ok())
        .collect();
    assert!((number("S_ext ") - carried.iter().sum::<f64>() / 2.0).abs() < 2e-4, "{pair}");
    let row = rows(&store, &["pairs"]).into_iter().find(|row| row["url_a"] == address("en", 3)).expect("its row");
    assert!((row["score"].as_f64().expect("a score") - number("ETS ")).abs() < 1e-4, "{pair}");
    assert!(told(&address("en", 3), &address("fr", 4)).contains("lost to a better pair"));
    assert!(told(&address("en", 3), &address("en", 4)).contains("both are in one language"));
    let page = stdout(&store, &["explain", &address("en", 3)]);
    let rounds: Vec<&str> = page.lines().filter(|line| line.trim().starts_with("rounds")).collect();
    assert!(rounds.iter().any(|line| line.contains(&address("fr", 3)) && line.ends_with(": a pair")), "{page}");
    assert!(rounds.len() > 1, "{page}");
}

/// Another preset, stopped before sentences: what the store has of them belongs to other pairs.
#[test]
fn summary_status_and_listing_agree_on_sentence_pairs_of_pairs_that_are_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("tiny.warc"), folder.path().join("s"));
    tiny_site(&archive);
    run(&store, &[&archive]);
    let count = |name: &str| {
        let rows = rows(&store, &["status"]);
        rows.into_iter().find(|row| row["name"] == name).expect("a row of that name")
    };
    assert!(count("sentence pairs")["count"].as_u64() > Some(0));
    for stage in ["keys", "iterate"] {
        let told =
            diglot(&store).args(["run", "--preset", "kit-ng-2007", "--until", stage]).output().expect("it starts");
        let told = String::from_utf8(told.stdout).expect("UTF-8");
        assert!(told.contains("pairs: 0\n") && !told.contains("sentence pairs"), "{stage}: {told}");
        assert_eq!(count("sentence pairs")["count"], 0, "{stage}");
        assert!(count("align")["detail"].as_str().is_some_and(|state| state.starts_with("stale")), "{stage}");
    }
    diglot(&store).args(["-q", "run"]).assert().success();
    assert_eq!((&count("sentence pairs")["count"], &count("align")["detail"]), (&0.into(), &"fresh".into()));
}
