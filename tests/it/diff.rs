//! What differs between two stores is what differs between their exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::support::*;

/// Rows of an export by some of their columns, with others.
fn exported(store: &Path, what: &str, names: &[&str], values: &[&str]) -> BTreeMap<Vec<String>, Vec<String>> {
    let of = |row: &Value, columns: &[&str]| columns.iter().map(|column| row[column].to_string()).collect();
    let rows = export(store, &["--what", what]);
    rows.iter().map(|row| (of(row, names), of(row, values))).collect()
}

/// The changes between two exports: how, and the names of the row.
fn expected(
    before: &BTreeMap<Vec<String>, Vec<String>>,
    after: &BTreeMap<Vec<String>, Vec<String>>,
) -> BTreeSet<(String, Vec<String>)> {
    let change = |name: &Vec<String>| match (before.get(name), after.get(name)) {
        (None, _) => Some("gained"),
        (_, None) => Some("lost"),
        (before, after) => (before != after).then_some("changed"),
    };
    let names: BTreeSet<&Vec<String>> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter_map(|name| Some((change(name)?.to_owned(), name.clone()))).collect()
}

/// The rows of `diff`, which must each be told once.
fn told(stores: [&Path; 2], what: &str, names: &[&str]) -> (BTreeSet<(String, Vec<String>)>, Vec<Value>) {
    let mut command = diglot(Path::new("none"));
    command.arg("diff").args(stores).args(["--what", what, "--format", "jsonl"]);
    let output = command.assert().success().stderr("").output.stdout;
    let rows: Vec<Value> =
        String::from_utf8_lossy(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let name = |row: &Value| names.iter().map(|column| row[column].to_string()).collect();
    let found: BTreeSet<_> = rows.iter().map(|row| (text(row, "change").to_owned(), name(row))).collect();
    assert_eq!(found.len(), rows.len(), "a row is told twice");
    (found, rows)
}

fn copied(from: &Path, to: &Path) {
    assert!(std::process::Command::new("cp").arg("-r").args([from, to]).status().expect("cp").success());
}

#[test]
fn a_diff_of_two_settings_is_the_difference_of_their_exports() {
    let folder = tempfile::tempdir().expect("a folder");
    let (before, after) = (sample_store(), folder.path().join("after"));
    copied(before, &after);
    diglot(&after).args(["run", "-q", "--min-score", "0.99", "--without", "keys"]).assert().success();
    for stores in [[before, &after], [&after, before]] {
        let names = ["url_a", "url_b", "lang_a", "lang_b"];
        let [old, new] = stores.map(|store| exported(store, "pairs", &names, &["score", "method", "key"]));
        let (found, rows) = told(stores, "pairs", &names);
        assert_eq!(found, expected(&old, &new));
        assert!(!found.is_empty());
        for row in &rows {
            let status = |of: &str| text(row, of) == "accepted";
            let statuses = (status("status_before"), status("status_after"));
            match text(row, "change") {
                "gained" => assert!(statuses == (false, true) && row["why"] == row["status_before"], "{row}"),
                "lost" => assert!(statuses == (true, false) && row["why"] == row["status_after"], "{row}"),
                _ => assert_eq!(statuses, (true, true), "{row}"),
            }
        }
        let lost = rows.iter().filter(|row| text(row, "change") == "lost");
        if stores[0] == before {
            let why: BTreeSet<&str> = lost.map(|row| text(row, "why").split(':').next().unwrap_or("")).collect();
            assert!(why.contains("low score"), "{why:?}");
        }
        let names = ["url_a", "url_b", "text_a", "text_b"];
        let [old, new] = stores.map(|store| exported(store, "bitext", &names, &["score"]));
        let (found, rows) = told(stores, "bitext", &names);
        assert_eq!(found, expected(&old, &new));
        assert!(!found.is_empty() && rows.iter().all(|row| !text(row, "why").is_empty()));
    }
}

#[test]
fn a_diff_says_by_its_exit_code_that_stores_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, other) = (folder.path().join("a"), folder.path().join("b"));
    let archive = folder.path().join("tiny.warc");
    tiny_site(&archive);
    run(&store, &[&archive]);
    copied(&store, &other);
    let code = |arguments: &[&str], code| {
        let mut command = diglot(Path::new("none"));
        let ended = command.arg("diff").args([&store, &other]).args(arguments).assert().code(code);
        String::from_utf8_lossy(&ended.output.stdout).into_owned()
    };
    let same = code(&["--exit-code", "--format", "tsv"], 0);
    let rows: Vec<Vec<&str>> = same.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["pairs", "en", "fr", "*", "5", "5", "0", "0", "0"]);
    diglot(&other).args(["remove", "--url", "http://tiny.test/fr/garden.html"]).assert().success();
    diglot(&other).args(["run", "-q"]).assert().success();
    code(&["--what", "pairs"], 0);
    let rows = code(&["--what", "pairs", "--exit-code", "--format", "tsv", "--host", "tiny.test"], 1);
    // The scores of the other pairs may have changed.
    let lost: Vec<&str> = rows.lines().skip(1).filter(|row| !row.starts_with("changed\t")).collect();
    assert!(lost.len() == 1 && lost[0].starts_with("lost\thttp://tiny.test/en/garden.html"), "{rows}");
    assert!(lost[0].contains("garden.html is not captured"), "{rows}");
    assert_eq!(code(&["--where", "change=gained", "--what", "pairs", "--format", "tsv"], 0).lines().count(), 1);
    let (exit, told) = failure(diglot(Path::new("none")).arg("diff").args([&store, &other]).args(["--host", "x.org"]));
    assert!(exit == 1 && told.contains("the store has no page of this host"), "{told}");
    let (exit, told) = failure(diglot(Path::new("none")).args(["diff", "no.store"]).arg(&other));
    assert!(exit == 1 && told.contains("no.store"), "{told}");
}
