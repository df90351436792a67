//! What people correct is applied by the next run where it is about, and taken back without a trace.

use std::fs;
use std::path::Path;

use crate::sites::SiteBuilder;
use crate::support::{Held, diglot, failure, rows, run, stdout};

/// All that a store answers.
fn answers(store: &Path) -> String {
    let ask = |arguments: &[&str]| stdout(store, arguments);
    [&["pairs"][..], &["keys", "--weak"], &["hosts"], &["bitext"], &["export", "--format", "jsonl"]].map(ask).concat()
}

/// Sees that a store answers as before, and shows the first line that differs.
fn assert_same(store: &Path, before: &str) {
    let after = answers(store);
    let differing = after.lines().zip(before.lines()).find(|(found, expected)| found != expected);
    assert_eq!((differing, after.len()), (None, before.len()));
}

/// Gives a correction; returns what is said.
fn correct(store: &Path, arguments: &[&str]) -> String {
    let output = diglot(store).arg("correct").args(arguments).assert().success().output;
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// The stages that a run would do again.
fn stale(store: &Path) -> Vec<String> {
    let plan = stdout(store, &["run", "--dry-run"]);
    let stages = plan.lines().filter_map(|line| line.strip_prefix("  "));
    let again = stages.filter(|line| line.contains(" again"));
    again.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// The partners of a page that `pairs` lists, with the method.
fn partners(store: &Path, url: &str) -> Vec<(String, String)> {
    let other = |row: &serde_json::Map<String, serde_json::Value>| {
        let text = |name: &str| row[name].as_str().expect("a text").to_owned();
        let [a, b] = ["url_a", "url_b"].map(text);
        let other = if a == url { b } else { a.clone() };
        (a == url || other == a && text("url_b") == url).then(|| (other, text("method")))
    };
    rows(store, &["pairs"]).iter().filter_map(other).collect()
}

fn two_sites() -> SiteBuilder {
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 12, |lang, number| format!("http://one.org/{lang}/{number}.html"));
    site.pages(&["en", "fr"], 12, |lang, number| format!("http://two.net/{lang}/{number}.html"));
    site
}

#[test]
fn pins_and_forbidden_pairs_act_on_their_site_and_are_taken_back_without_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, warc) = (folder.path().join("s"), folder.path().join("a.warc"));
    two_sites().write(&warc);
    run(&store, &[&warc]);
    let before = answers(&store);
    assert!(stale(&store).is_empty());
    let en = |number: u32| format!("http://one.org/en/{number}.html");
    let fr = |number: u32| format!("http://one.org/fr/{number}.html");
    // What concerns no page of the store changes nothing.
    let missing = ["http://one.org/en/99.html", "http://one.org/de/*"];
    correct(&store, &["pin", missing[0], &fr(2)]);
    correct(&store, &["language", missing[0], "de"]);
    correct(&store, &["language", missing[1], "de"]);
    assert!(stale(&store).is_empty());
    (0..3).for_each(|_| drop(correct(&store, &["undo", "1"])));
    let told = correct(&store, &["pin", &en(1), &fr(2), "--note", "the titles were changed"]);
    assert!(told.contains("correction 1: not applied yet"), "{told}");
    correct(&store, &["forbid", &fr(5), &en(5)]);
    assert_eq!(stale(&store), ["verify", "iterate", "align"]);
    let plan = stdout(&store, &["run", "--dry-run"]);
    assert!(plan.contains("keys     up to date") && plan.contains("1 site to do"), "{plan}");
    let (code, problem) = failure(diglot(&store).args(["correct", "pin", &en(1), &fr(3)]));
    assert!(code == 2 && problem.contains("line 2 pins it to"), "{problem}");
    let told = correct(&store, &["pin", &en(1), &fr(2), "--note", "another"]);
    assert!(told.contains("is there already; the note stays as it was"), "{told}");
    let (_, problem) = failure(diglot(&store).args(["correct", "forbid", &en(1), &fr(2)]));
    assert!(problem.contains("line 2 says otherwise"), "{problem}");
    run(&store, &[]);
    assert_eq!(partners(&store, &en(1)), [(fr(2), "pinned".to_owned())]);
    assert!(!partners(&store, &fr(1)).iter().any(|(other, _)| *other == en(1)));
    assert!(!partners(&store, &fr(5)).iter().any(|(other, _)| *other == en(5)));
    let explained = stdout(&store, &["explain", &en(1), &fr(2)]);
    assert!(explained.contains("a pair, by pinned") && explained.contains("the titles were changed"), "{explained}");
    let explained = stdout(&store, &["explain", &en(5), &fr(5)]);
    assert!(explained.contains("forbidden by a correction"), "{explained}");
    let effects: Vec<_> = rows(&store, &["correct", "list"]).iter().map(|row| row["effect"].to_string()).collect();
    assert_eq!(effects, ["\"a pair\"", "\"no pair\""]);
    let texts = stdout(&store, &["--quiet", "bitext", "--where", &format!("url_a={}", en(1))]);
    assert!(texts.lines().count() > 1 && texts.lines().skip(1).all(|line| line.contains(&fr(2))), "{texts}");
    for format in ["md", "html"] {
        let report = stdout(&store, &["report", "--format", format]);
        assert!(report.contains("Corrections") && report.contains("1. pin http://one.org/en/1.html"), "{report}");
    }
    // The token index is made again, and what people did stays.
    fs::remove_dir_all(store.join("tokens")).expect("an index");
    correct(&store, &["undo", "1"]);
    correct(&store, &["undo", "1"]);
    run(&store, &[]);
    assert_same(&store, &before);
    assert!(stale(&store).is_empty());
}

#[test]
fn stated_languages_and_keys_act_and_are_taken_back_without_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, warc) = (folder.path().join("s"), folder.path().join("a.warc"));
    two_sites().write(&warc);
    run(&store, &[&warc]);
    let before = answers(&store);
    assert!(by_key(&store, "http://two.net/") >= 10);
    let told = correct(&store, &["language", "http://one.org/fr/*", "de"]);
    assert!(told.contains("not applied yet"), "{told}");
    correct(&store, &["language", "http://one.org/fr/3.html", "fr"]);
    let told = correct(&store, &["forbid-key", "path:fr:en", "two.net"]);
    assert!(told.contains("not applied yet"), "{told}");
    let told = correct(&store, &["forbid-key", "path:xx:yy", "two.net"]);
    assert!(told.contains("matched nothing"), "{told}");
    assert_eq!(stale(&store), ["keys", "verify", "iterate", "align"]);
    let said = diglot(&store).args(["run"]).assert().success().output.stderr;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("correction 4, forbid-key path:xx:yy two.net: matched nothing"), "{said}");
    let explained = stdout(&store, &["explain", "http://one.org/fr/1.html"]);
    assert!(explained.contains("stated by a correction") && explained.contains("de"), "{explained}");
    let explained = stdout(&store, &["explain", "http://one.org/fr/3.html"]);
    assert!(explained.contains("counts for     fr (stated by a correction)"), "{explained}");
    let keys = rows(&store, &["keys", "two.net"]);
    let states: Vec<_> = keys.iter().filter(|key| key["key"] == "path:en:fr").map(|key| &key["state"]).collect();
    assert_eq!(states, ["forbidden"], "once, though its pages are left over: {keys:?}");
    assert_eq!(by_key(&store, "http://two.net/"), 0);
    let effects: Vec<_> = rows(&store, &["correct", "list"]).iter().map(|row| row["effect"].to_string()).collect();
    assert_eq!(effects[..3], ["\"12 pages (1 of them said otherwise)\"", "\"1 page\"", "\"1 key held back\""]);
    let exported = folder.path().join("corrections.tsv");
    correct(&store, &["export", &exported.display().to_string()]);
    for _ in 0..4 {
        correct(&store, &["undo", "1"]);
    }
    run(&store, &[]);
    assert_same(&store, &before);
    // All at once again, from the file, in a store that never had them.
    let other = folder.path().join("t");
    run(&other, &[&warc]);
    let told = correct(&other, &["import", &exported.display().to_string()]);
    assert!(told.contains("4 corrections added, 0 there already"), "{told}");
    fs::write(other.join("corrections.tsv"), "pin\thttp://one.org/\n").expect("a store");
    let (_, problem) = failure(diglot(&other).arg("pairs"));
    assert!(problem.contains("corrections.tsv: line 1") && problem.contains("mend or delete the line"), "{problem}");
}

/// How many pairs of pages below a URL are of keys.
fn by_key(store: &Path, below: &str) -> usize {
    let is_of = |row: &&serde_json::Map<String, serde_json::Value>| {
        row["method"] == "key"
            && ["url_a", "url_b"].iter().all(|url| row[*url].as_str().is_some_and(|url| url.starts_with(below)))
    };
    rows(store, &["pairs"]).iter().filter(is_of).count()
}

#[test]
fn a_key_that_is_forbidden_in_a_folder_pairs_outside_it_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, warc) = (folder.path().join("s"), folder.path().join("a.warc"));
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 40, |lang, number| format!("http://two.net/docs/{lang}/{number}.html"));
    site.pages(&["en", "fr"], 6, |lang, number| format!("http://two.net/news/{lang}/{number}.html"));
    site.write(&warc);
    run(&store, &[&warc]);
    let count = || ["docs", "news"].map(|part| by_key(&store, &format!("http://two.net/{part}/")));
    let [docs, news] = count();
    assert!(docs >= 30 && news >= 5, "{docs} {news}");
    correct(&store, &["forbid-key", "path:en:fr", "two.net/docs/*"]);
    run(&store, &[]);
    assert_eq!(count(), [0, news]);
}

#[test]
fn a_removal_after_domains_were_said_to_be_together_loses_no_other_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let warc = folder.path().join("a.warc");
    let mut site = SiteBuilder::default();
    site.pages(&["en"], 12, |_, number| format!("http://one.org/{number}.html"));
    site.pages(&["fr"], 12, |_, number| format!("http://zwei.net/{number}.html"));
    site.pages(&["en", "fr"], 12, |lang, number| format!("http://zwei.de/{lang}/{number}.html"));
    site.write(&warc);
    for across in [&["--across-suffixes"][..], &[]] {
        let store = |name: &str| {
            let store = folder.path().join(format!("{name}{}", across.len()));
            diglot(&store).args(["--quiet", "run"]).args(across).arg(&warc).assert().success();
            store
        };
        let together = |store: &Path| correct(store, &["together", "one.org", "zwei.net"]);
        let remove = |store: &Path| {
            diglot(store).args(["--quiet", "remove", "--url", "http://one.org/1.html"]).assert().success();
        };
        let expected = store("expected");
        together(&expected);
        run(&expected, &[]);
        let before = rows(&expected, &["--quiet", "pairs", "one.org"]).len();
        remove(&expected);
        run(&expected, &[]);
        assert!(before >= 10 && rows(&expected, &["--quiet", "pairs", "one.org"]).len() >= before - 1);
        let store = store("store");
        together(&store);
        remove(&store);
        run(&store, &[]);
        assert_same(&store, &answers(&expected));
        assert!(stale(&store).is_empty());
    }
}

#[test]
fn stores_whose_pins_contradict_each_other_are_not_merged_and_no_store_is_no_export() {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, out) = (folder.path().join("a.warc"), folder.path().join("out"));
    two_sites().write(&warc);
    let stores = [1, 2].map(|fr| {
        let store = folder.path().join(format!("s{fr}"));
        run(&store, &[&warc]);
        correct(&store, &["pin", "one.org/en/1.html", &format!("one.org/fr/{fr}.html")]);
        store
    });
    let (code, problem) = failure(diglot(Path::new("none")).arg("merge").args(&stores).arg("-o").arg(&out));
    assert!(code == 2 && problem.contains("one.org/fr/1.html") && problem.contains("one.org/fr/2.html"), "{problem}");
    assert!(!out.exists());
    let backup = folder.path().join("backup.tsv");
    fs::write(&backup, "mine").expect("room on disk");
    for arguments in [vec!["export", backup.to_str().expect("UTF-8")], vec!["undo", "1"]] {
        let (_, problem) = failure(diglot(&folder.path().join("typo")).arg("correct").args(arguments));
        assert!(problem.contains("no store here"), "{problem}");
    }
    assert_eq!(fs::read(&backup).expect("a file"), b"mine");
    // The numbers of corrections that name what goes are told.
    let removed = diglot(&stores[0]).args(["remove", "--url", "http://one.org/en/1.html"]).assert().success().output;
    let told = String::from_utf8(removed.stderr).expect("UTF-8");
    assert!(told.contains("name what was removed: 1 correction (1)"), "{told}");
}

#[test]
fn a_named_key_pairs_as_a_found_one_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, warc) = (folder.path().join("s"), folder.path().join("a.warc"));
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 1, |lang, _| {
        format!("http://one.org/{}/page.html", if lang == "en" { "blue" } else { "red" })
    });
    for number in 1..30 {
        site.page(format!("http://one.org/other/{number}.html"), if number % 2 == 0 { "en" } else { "fr" }, number);
    }
    site.write(&warc);
    run(&store, &[&warc]);
    correct(&store, &["name-key", "path:blue:red", "one.org"]);
    run(&store, &[]);
    let keys = rows(&store, &["keys"]);
    let key = keys.iter().find(|key| key["key"] == "path:blue:red").expect("the key");
    assert!(key["state"] == "named" && key["assigned"] == 1, "{key:?}");
    let effect = rows(&store, &["correct", "list"])[0]["effect"].to_string();
    assert_eq!(effect, "\"1 pair by 1 key\"");
}

#[test]
fn domains_that_are_together_are_one_site_until_that_is_taken_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, warc) = (folder.path().join("s"), folder.path().join("a.warc"));
    let mut site = SiteBuilder::default();
    site.pages(&["en"], 12, |_, number| format!("http://one.org/{number}.html"));
    site.pages(&["fr"], 12, |_, number| format!("http://zwei.net/{number}.html"));
    site.pages(&["en", "fr"], 12, |lang, number| format!("http://other.org/{lang}/{number}.html"));
    site.write(&warc);
    run(&store, &[&warc]);
    let before = answers(&store);
    let of_one = || rows(&store, &["--quiet", "pairs", "one.org"]).len();
    assert_eq!(of_one(), 0);
    correct(&store, &["together", "www.zwei.net", "one.org"]);
    assert!(stale(&store).contains(&"index".to_owned()));
    run(&store, &[]);
    assert!(stale(&store).is_empty());
    assert!(of_one() >= 10, "{}", of_one());
    assert_eq!(rows(&store, &["correct", "list"])[0]["effect"], "one site");
    // A removal leaves the other domain, and the correction.
    diglot(&store).args(["--quiet", "remove", "--host", "zwei.net"]).assert().success();
    run(&store, &[]);
    assert_eq!((of_one(), rows(&store, &["hosts", "one.org"]).len()), (0, 1));
    assert!(stdout(&store, &["correct", "list"]).contains("matched nothing"));
    let again = folder.path().join("t");
    run(&again, &[&warc]);
    correct(&again, &["together", "zwei.net", "one.org"]);
    run(&again, &[]);
    correct(&again, &["undo", "1"]);
    run(&again, &[]);
    assert_same(&again, &before);
}

#[test]
fn verdicts_teach_the_next_run_and_are_taken_back_without_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, warc) = (folder.path().join("s"), folder.path().join("a.warc"));
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 40, |lang, number| format!("http://one.org/{lang}/{number}.html"));
    site.write(&warc);
    run(&store, &[&warc]);
    let before = answers(&store);
    let mark = |number: u32, verdict: &str| {
        format!(
            r#"{{"url_a":"http://one.org/en/{number}.html","url_b":"http://one.org/fr/{number}.html","lang_a":"en","lang_b":"fr","verdict":{verdict},"reviewer":"ann","at":"2026-11-28T00:00:00Z"}}"#
        )
    };
    let verdict = |number: u32, right: u32| if number < right { "\"right\"" } else { "\"wrong\"" };
    let marks = |right: u32| (0..40).map(|number| mark(number, verdict(number, right)) + "\n").collect::<String>();
    let told = || {
        let status = rows(&store, &["status"]);
        status.iter().find(|row| row["what"] == "verdicts").expect("a line")["detail"].as_str().map(str::to_owned)
    };
    let keep = |marks: String| fs::write(store.join("review/marks.jsonl"), marks).expect("a store");
    fs::create_dir_all(store.join("review")).expect("a store");
    // One too few to fit weights to.
    keep(marks(19));
    assert!(stale(&store).is_empty());
    assert_eq!(told().as_deref(), Some("19 right and 21 wrong: weights are fitted from 20 of each on"));
    keep(marks(20));
    assert_eq!(stale(&store), ["verify", "iterate", "align"]);
    run(&store, &[]);
    assert!(stale(&store).is_empty());
    assert_eq!(told().as_deref(), Some("20 right and 20 wrong: weights are fitted to them"));
    let taken_back: String = (0..40).map(|number| mark(number, "null") + "\n").collect();
    keep(marks(20) + &taken_back);
    assert!(!stale(&store).is_empty());
    run(&store, &[]);
    assert_same(&store, &before);
}
