//! Settings are kept by name and taken back by name; queries run nothing, and say what is stale.

use std::fs::{self, File};
use std::path::Path;

use diglot::store::{Access, Store};
use serde_json::Value;

use crate::support::*;

/// What `manifest.json` has of the settings.
fn kept(store: &Path) -> String {
    let text = fs::read(store.join("manifest.json")).expect("a store");
    let manifest: Value = serde_json::from_slice(&text).expect("JSON");
    manifest["settings"].to_string()
}

/// What a query says on stderr; it must succeed.
fn said(store: &Path, arguments: &[&str]) -> String {
    let output = diglot(store).args(arguments).assert().success().output;
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn keys_are_listed_beside_a_reader_after_a_run_until_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    diglot(&store).args(["run", "-q", "--until", "keys"]).arg(packaging()).assert().success();
    let reader = File::open(store.join("lock")).expect("a store");
    reader.lock_shared().expect("nobody writes");
    let before = fs::read(store.join("manifest.json")).expect("a store");
    assert!(stdout(&store, &["keys"]).lines().count() > 1);
    stdout(&store, &["hosts", "--sort", "rank"]);
    stdout(&store, &["recover", "--min-chance", "0"]);
    assert_eq!(fs::read(store.join("manifest.json")).expect("a store"), before);
}

#[test]
fn a_run_of_the_library_keeps_its_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s");
    let mut store = Store::open(&path, Access::Write).expect("a store");
    let site = packaging().display().to_string();
    let given = [("langs", "de"), ("min-score", "0.75"), ("langs", "fr")];
    let config = diglot::run_all(&mut store, &given, &[&site]).expect("a run");
    assert_eq!(config.judge.min_score, 0.75);
    // What is not given stays.
    assert_eq!(diglot::run_all(&mut store, &[], &[]).expect("nothing to do"), config);
    for wrong in [("min-score", "7"), ("min-scroe", "0.7"), ("langs", "de")] {
        let problem = diglot::run_all(&mut store, &[wrong], &[]).expect_err("it makes no sense");
        assert!(problem.to_string().contains(wrong.0), "{problem}");
    }
    drop(store);
    assert_eq!(said(&path, &["pairs"]), "");
    assert!(kept(&path).contains(r#"["min-score","0.75"]"#), "{}", kept(&path));
    let again = said(&path, &["run"]);
    assert!(again.contains("nothing to do"), "{again}");
}

#[test]
fn a_query_runs_nothing_and_says_what_is_stale() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let place = store.display();
    diglot(&store).args(["ingest", "-q"]).arg(packaging()).assert().success();
    let before = fs::read(store.join("manifest.json")).expect("a store");
    let expected = format!(
        "diglot: nothing to list yet: index, links and keys have not run; `diglot run --store {place}` runs them\n"
    );
    for query in ["keys", "pairs", "hosts"] {
        assert_eq!(said(&store, &[query]), expected, "{query}");
        assert_eq!(stdout(&store, &["-q", query]).lines().count(), 1, "{query}");
    }
    assert!(said(&store, &["bitext"]).contains("index, links, keys, verify, iterate and align have not run"));
    assert_eq!(fs::read(store.join("manifest.json")).expect("a store"), before);
    // Whoever stops at keys on purpose knows.
    diglot(&store).args(["run", "-q", "--until", "keys"]).assert().success();
    for query in ["keys", "pairs", "hosts", "recover --min-chance 0", "explain http://packaging.site.test/"] {
        let output = diglot(&store).args(query.split(' ')).output().expect("it starts");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("not run"), "{query}: {output:?}");
    }
    assert!(
        said(&store, &["bitext"])
            .contains("nothing to list yet: verify, iterate and align have not run; `diglot run --store")
    );
    diglot(&store).args(["run", "-q"]).assert().success();
    for query in ["keys", "pairs", "hosts", "bitext", "status", "export", "hosts --sort rank"] {
        stdout(&store, &query.split(' ').collect::<Vec<_>>());
    }
    diglot(&store).args(["run", "-q", "--langs", "en,fr", "--until", "keys"]).assert().success();
    let expected =
        format!("diglot: verify and iterate are stale; `diglot run --store {place}` brings them up to date\n");
    assert_eq!(said(&store, &["pairs"]), expected);
    assert!(said(&store, &["bitext"]).starts_with("diglot: verify, iterate and align are stale; "));
}

#[test]
fn a_setting_is_taken_back_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let run = |arguments: &str| {
        diglot(&store).args(["run", "-q", "--until", "ingest"]).args(arguments.split_whitespace()).assert().success();
        kept(&store)
    };
    diglot(&store).args(["ingest", "-q", "--max-record-bytes", "5000000"]).arg(packaging()).assert().success();
    assert_eq!(kept(&store), r#"[["max-record-bytes","5000000"]]"#);
    assert_eq!(
        run("--langs fr,en --min-score 0.75 --reset max-record-bytes"),
        r#"[["langs","fr"],["langs","en"],["min-score","0.75"]]"#
    );
    assert_eq!(run("--reset langs"), r#"[["min-score","0.75"]]"#);
    assert_eq!(run("--without keys,content --verifier lcs").matches("without").count(), 2);
    assert_eq!(run("--without content --reset verifier"), r#"[["min-score","0.75"],["without","content"]]"#);
    assert_eq!(run("--reset without"), r#"[["min-score","0.75"]]"#);
    assert_eq!(run("--reset all"), "[]");
    assert_eq!(run("--across-suffixes --site host"), r#"[["across-suffixes","yes"],["site","host"]]"#);
    assert_eq!(run("--reset across-suffixes,site"), "[]");
    let (code, stderr) = failure(diglot(&store).args(["run", "--reset", "colour"]));
    assert!(code == 2 && stderr.contains("--reset has colour, expected all or some of preset, "), "{stderr}");
    let (code, stderr) = failure(diglot(&store).args(["run", "--preset", "link-2014", "--verifier", "lcs"]));
    assert!(code == 2 && stderr.contains("or --reset verifier"), "{stderr}");
    assert_eq!(kept(&store), "[]");
}

#[test]
fn a_setting_of_another_release_is_reported_and_not_run_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    run(&store, &[&packaging()]);
    {
        let mut open = Store::open(&store, Access::Write).expect("a sound store");
        let mut settings = open.settings().clone();
        settings.set("colour", ["blue".to_owned()]);
        open.keep_settings(settings).expect("room on the disk");
    }
    let problem = format!(
        "the store has a setting colour (blue) that this release does not know; use a newer release, or take it back with \
         `diglot run --reset colour --store {}`\n",
        store.display()
    );
    assert_eq!(said(&store, &["pairs"]), format!("diglot: {problem}"));
    let (code, stderr) = failure(diglot(&store).arg("run"));
    assert!(code == 2 && stderr.ends_with(&problem), "{stderr}");
    diglot(&store).args(["run", "-q", "--reset", "colour"]).assert().success();
    assert_eq!((kept(&store).as_str(), said(&store, &["pairs"]).as_str()), ("[]", ""));
}

#[test]
fn options_stand_where_they_act_and_under_their_headings() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = |command: &str| stdout(folder.path(), &[command, "--help"]);
    let run = help("run");
    for heading in ["Method:", "Input:", "Languages and sites:", "Evidence:", "Preset link-2014:", "Global options:"] {
        assert!(run.lines().any(|line| line == heading), "{heading}");
    }
    let (ingest, align, pairs) = (help("ingest"), help("align"), help("pairs"));
    for setting in diglot::config::SETTINGS {
        let option = format!("--{}", setting.name);
        let has = |help: &str| help.lines().any(|line| line.trim_start().starts_with(&option));
        let reads = setting.stages.contains(&"ingest");
        assert_eq!((has(&run), has(&ingest), has(&align)), (true, reads, !reads), "{option}");
        let filters = ["langs", "min-score"].contains(&setting.name);
        assert_eq!(has(&pairs), filters, "{option}");
    }
}
