//! What finds no partner is named with the reason: hosts of which few pages are paired, and pages whose candidates were refused; and keys
//! are listed where they act.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::languages::ILOCANO;
use crate::sites::{SiteBuilder, html};
use crate::support::{Held, diglot, rows, stdout};

/// Pages of each language that a site has.
const PAGES: usize = 14;

/// A store of the pages that `add` gives, run with some options.
fn store_of(options: &[&str], add: impl FnOnce(&mut SiteBuilder)) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("site.warc.gz"), folder.path().join("store"));
    let mut archive = SiteBuilder::default();
    add(&mut archive);
    archive.write(&warc);
    diglot(&store).args(["--quiet", "run"]).args(options).arg(&warc).assert().success();
    (folder, store)
}

/// Pages that keys pair, in two languages below a prefix.
fn paired(archive: &mut SiteBuilder, prefix: &str, first: usize) {
    for number in first..first + PAGES {
        for lang in ["en", "fr"] {
            archive.page(format!("http://{prefix}/{lang}/page{number}.html"), lang, number);
        }
    }
}

/// A page under a name that no key joins with another.
fn hidden(prefix: &str, number: usize) -> String {
    format!("http://{prefix}/{:x}.html", number * 7919 % 99_991)
}

/// Pages in two languages that are no translations of each other; alike, if they have numbers in common.
fn unrelated(archive: &mut SiteBuilder, prefix: &str, first: usize, are_alike: bool) {
    for number in first..first + PAGES {
        archive.page(hidden(prefix, number), "en", number);
        let other = number + 10_000;
        let text = html("fr", other);
        let text = if are_alike { text.replace(&other.to_string(), &number.to_string()) } else { text };
        archive.capture(hidden(prefix, other), SiteBuilder::DAY, &text);
    }
}

fn text<'r>(row: &'r serde_json::Map<String, Value>, column: &str) -> &'r str {
    row[column].as_str().unwrap_or_else(|| panic!("{column} of {row:?}"))
}

fn few_pairs(store: &Path) -> Vec<(String, String)> {
    let lines = rows(store, &["hosts", "--few-pairs"]);
    lines.iter().map(|row| (text(row, "host").to_owned(), text(row, "why").to_owned())).collect()
}

#[test]
fn what_a_text_was_only_guessed_to_be_in_is_no_language_of_its_host() {
    let (_folder, store) = store_of(&["--langs", "fr,en"], |archive| {
        for number in 0..PAGES {
            archive.page(hidden("guess.ex.test", number), "en", number);
            let other = ILOCANO.replace("</p>", &format!(" {number}</p>"));
            archive.capture(hidden("guess.ex.test", number + 1000), SiteBuilder::DAY, &other);
            archive.page(hidden("told.ex.test", number + 2000), "en", number + 2000);
            archive.page(hidden("told.ex.test", number + 1000), "de", number + 1000);
        }
    });
    let hosts: Vec<String> = few_pairs(&store).into_iter().map(|found| found.0).collect();
    assert_eq!(hosts, ["told.ex.test"]);
}

#[test]
fn a_host_of_two_languages_without_pairs_is_named_with_its_reason() {
    let (folder, store) = store_of(&[], |archive| {
        paired(archive, "good.ex.test", 0);
        unrelated(archive, "alone.ex.test", 1000, false);
        // Each host has one language, and they are paired with each other.
        for number in 2000..2000 + PAGES {
            archive.page(format!("http://en.ex.test/page{number}.html"), "en", number);
            archive.page(format!("http://fr.ex.test/page{number}.html"), "fr", number);
        }
    });
    let found = few_pairs(&store);
    let [(host, why)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(host, "alone.ex.test");
    assert_eq!(why, "no key pairs its pages; nothing proposes a partner for most of them");
    assert_eq!(rows(&store, &["hosts", "good.ex.test", "--few-pairs"]).len(), 0);
    let status = rows(&store, &["status"]);
    let named: Vec<_> = status.iter().filter(|row| row["what"] == "few pairs").collect();
    assert_eq!(named.len(), 1, "{status:?}");
    assert_eq!((text(named[0], "name"), text(named[0], "detail")), ("alone.ex.test", why.as_str()));
    // What a run says at its end.
    let more = folder.path().join("more.warc.gz");
    let mut archive = SiteBuilder::default();
    unrelated(&mut archive, "other.ex.test", 3000, false);
    archive.write(&more);
    let said = diglot(&store).arg("run").arg(&more).assert().success().output.stdout;
    let said = String::from_utf8(said).expect("text");
    assert!(said.contains("hosts with few pairs: 2\n"), "{said}");
    assert!(said.contains("\n  alone.ex.test  en 14, fr 14: no key pairs its pages; "), "{said}");
    assert!(!said.contains("good.ex.test  en 14"), "{said}");
}

#[test]
fn languages_that_are_not_requested_and_copies_are_reasons_too() {
    let (_folder, store) = store_of(&["--langs", "en,fr"], |archive| {
        paired(archive, "good.ex.test", 0);
        for number in 1000..1000 + PAGES {
            archive.page(format!("http://half.ex.test/en/page{number}.html"), "en", number);
            archive.page(format!("http://half.ex.test/de/page{number}.html"), "de", number);
            // The text was never translated.
            for lang in ["en", "fr"] {
                archive.page(format!("http://copy.ex.test/{lang}/page{number}.html"), "en", number + 500);
            }
        }
    });
    let mut found = few_pairs(&store);
    found.sort();
    let named: Vec<(&str, &str)> = found.iter().map(|(host, why)| (host.as_str(), why.as_str())).collect();
    let expected = [
        ("copy.ex.test", "14 of its pages are untranslated copies"),
        ("half.ex.test", "--langs leaves out pages in de (14)"),
    ];
    assert_eq!(named, expected);
}

#[test]
fn a_page_whose_candidates_were_refused_is_explained_with_them() {
    let (_folder, store) = store_of(&["--min-score", "0.9999"], |archive| {
        paired(archive, "good.ex.test", 0);
        unrelated(archive, "alone.ex.test", 1000, true);
    });
    for number in 1000..1000 + PAGES {
        let url = hidden("alone.ex.test", number);
        let json: Value = serde_json::from_str(&stdout(&store, &["explain", "--json", &url])).expect("JSON");
        let page = &json["pages"][0];
        assert_eq!(page["verdict"]["kind"], "candidates-rejected", "{page}");
        let candidates = page["candidates"].as_array().expect("a list");
        let scores: Vec<f64> = candidates.iter().map(|one| one["score"].as_f64().expect("a score")).collect();
        assert!(scores[0] > 0.5 && scores.is_sorted_by(|x, y| x >= y), "{scores:?}");
        assert_eq!(candidates[0]["url"], hidden("alone.ex.test", number + 10_000), "{page}");
        let weighed = &candidates[0]["weighed"];
        let nats = |side: &str| -> Vec<f64> {
            let facts = weighed[side].as_array().unwrap_or_else(|| panic!("{page}"));
            facts.iter().map(|fact| fact["nats"].as_f64().expect("nats")).collect()
        };
        let (against, in_favour) = (nats("against"), nats("in_favour"));
        assert!(against.is_sorted() && against.iter().all(|nats| *nats < 0.0), "{weighed}");
        assert!(!in_favour.is_empty() && in_favour.iter().all(|nats| *nats > 0.0), "{weighed}");
        let text = stdout(&store, &["explain", &url]);
        let other = candidates[0]["url"].as_str().expect("a URL");
        let refused =
            text.lines().find(|line| line.starts_with(&format!("  rejected       {other} (fr), words, score 0.9")));
        assert!(refused.is_some_and(|line| line.ends_with(": below the minimum 0.9999")), "{text}");
        assert!(text.contains("\n  - for it       "), "{text}");
        assert_eq!(text.matches("\n  - for it").count(), candidates.len().min(2), "{text}");
    }
    let found: BTreeMap<String, String> = few_pairs(&store).into_iter().collect();
    let why = &found["alone.ex.test"];
    assert!(
        why.starts_with("no key pairs its pages; most of ") && why.ends_with(": below the minimum 0.9999"),
        "{why}"
    );
    assert!(found["good.ex.test"].starts_with("1 key was assigned pairs there; most of "), "{found:?}");
}

#[test]
fn a_page_that_lost_its_only_candidate_still_has_it() {
    let (_folder, store) = store_of(&[], |archive| {
        paired(archive, "good.ex.test", 0);
        unrelated(archive, "alone.ex.test", 1000, true);
        // The same numbers once more, and nothing else.
        for number in 1000..1000 + PAGES {
            let text = html("en", number + 30_000).replace(&(number + 30_000).to_string(), &number.to_string());
            archive.capture(hidden("alone.ex.test", number + 30_000), SiteBuilder::DAY, &text);
        }
    });
    let mut lost = 0;
    for number in (1000..1000 + PAGES).flat_map(|number| [number, number + 30_000]) {
        let text = stdout(&store, &["explain", &hidden("alone.ex.test", number)]);
        if text.contains("  verdict        not paired: ") {
            let refused = text.lines().filter(|line| line.starts_with("  rejected       http://alone.ex.test/"));
            let is_named = refused.clone().any(|line| line.contains(": lost to a better pair: http://alone.ex.test/"));
            assert!(is_named, "{text}");
            assert!(
                text.contains("\n  keys           no key of the site leads from its URL to one that is known\n"),
                "{text}"
            );
            lost += 1;
        }
    }
    assert!(lost >= PAGES / 2, "{lost}");
    // A page with a partner is explained by it.
    let text = stdout(&store, &["explain", "good.ex.test/en/page1.html"]);
    assert!(text.contains("  partner        ") && !text.contains("- for it"), "{text}");
}

#[test]
fn keys_are_listed_where_they_act_with_the_part_that_has_their_pages() {
    let (_folder, store) = store_of(&[], |archive| {
        paired(archive, "www.ex.test/docs", 0);
        for number in 1000..1000 + PAGES {
            archive.page(format!("http://en.ex.test/page{number}.html"), "en", number);
            archive.page(format!("http://fr.ex.test/page{number}.html"), "fr", number);
            archive.page(format!("http://www.ex.test/shop/i{number}.html"), "en", number + 1000);
            archive.page(format!("http://www.ex.test/shop/i{number}.de.html"), "de", number + 1000);
        }
    });
    let of = |host: &[&str]| -> Vec<(String, String)> {
        let lines = rows(&store, &[&["keys"], host].concat());
        let pairs = lines.iter().filter(|row| row["assigned"].as_u64() > Some(0));
        let mut found: Vec<_> = pairs.map(|row| (text(row, "key").to_owned(), text(row, "scope").to_owned())).collect();
        found.sort();
        found
    };
    let expect = |keys: &[(&str, &str)]| -> Vec<(String, String)> {
        keys.iter().map(|(key, scope)| ((*key).to_owned(), (*scope).to_owned())).collect()
    };
    let (docs, shop) = (("path:en:fr", "www.ex.test/docs/"), ("file:de:(null)", "www.ex.test/shop/"));
    assert_eq!(of(&["www.ex.test"]), expect(&[shop, docs]));
    assert_eq!(of(&["fr.ex.test"]), expect(&[("host:en:fr", "en.ex.test fr.ex.test")]));
    assert_eq!(of(&["ex.test"]), expect(&[shop, ("host:en:fr", "en.ex.test fr.ex.test"), docs]));
    assert_eq!(of(&[]), of(&["ex.test"]));
    let on_host = stdout(&store, &["keys", "www.ex.test", "--weak", "--format", "tsv"]);
    assert!(!on_host.contains("host:en:fr"), "{on_host}");
}
