//! A command line that helps on the way: what was meant, what to type next, how far a run is, what a page and an archive hold.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::sites::SiteBuilder;
use crate::support::{Held, diglot, failure, packaging, rows, run, sample_store, stdout, webserver, write_warc};

const EN: &str = "http://webserver.site.test/manual/en/mpm.html";

#[test]
fn what_was_meant_is_told() {
    let store = sample_store();
    for (arguments, told) in [
        ("run --preset defautl", "--preset is defautl, expected one of default, kit-ng-2007"),
        ("run --preset defautl", "; did you mean default?"),
        ("run --reset lnags", "; did you mean langs?"),
        ("run --until algin", "; did you mean align?"),
        ("compare x.warc --gold g --presets pupsnifer-2013", "; did you mean pupsniffer-2013?"),
        ("pairs webserver.stie.test", "the store has no page of this host; did you mean "),
        ("pairs fr.packging.site.test", "; did you mean fr.packaging.site.test?"),
        ("pairs --where methode=key", "; did you mean method?"),
        ("hosts --where page>1", "the listing has no column page; it has host, domain, pages"),
        ("keys --sort credibilty", "; did you mean credibility?"),
        ("run http://example.org/", "nothing is fetched: download the archive, or make one of the site: `wget "),
    ] {
        let (_, stderr) = failure(diglot(store).args(arguments.split(' ')));
        assert!(stderr.contains(told) && !stderr.contains("config: "), "{arguments}: {stderr}");
    }
}

#[test]
fn a_host_is_found_by_its_port() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("a.warc.gz"), folder.path().join("s"));
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 3, |lang, n| format!("http://127.0.0.1:8000/{lang}/p{n}.html"));
    site.write(&archive);
    run(&store, &[&archive]);
    for command in [&["remove", "--host", "127.0.0.1"][..], &["pairs", "127.0.0.1"]] {
        let (_, stderr) = failure(diglot(&store).args(command));
        assert!(stderr.contains(", but of 127.0.0.1:8000; `diglot hosts"), "{stderr}");
    }
    let removed = diglot(&store).args(["remove", "--host", "127.0.0.1:8000"]).assert().success().output.stdout;
    let removed = String::from_utf8(removed).expect("UTF-8");
    assert!(
        removed.starts_with("removed: 0 archives, 6 captures, 0 captures that had been left out; 1 site is"),
        "{removed}"
    );
}

#[test]
fn progress_for_programs_is_json_to_the_last_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let mut command = diglot(&store);
    command.args(["run", "--progress", "json", "--format", "json"]).args([webserver(), packaging()]);
    let output = command.assert().success().output;
    let lines: Vec<Value> = String::from_utf8(output.stderr)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}")))
        .collect();
    // What begins ends, before anything else does.
    let mut open: Option<&Value> = None;
    for line in lines.iter().filter(|line| line.get("stage").is_some()) {
        match line["event"].as_str().expect("an event") {
            "begin" => assert!(open.replace(line).is_none(), "{line}"),
            "end" => assert_eq!(open.take().map(|begun| &begun["what"]), Some(&line["what"]), "{line}"),
            _ => assert!(open.is_some(), "{line}"),
        }
    }
    assert!(open.is_none(), "{open:?}");
    for stage in ["ingest", "index", "links", "keys", "verify", "iterate", "align"] {
        let of = |event: &str| lines.iter().find(|line| line["event"] == event && line["stage"] == stage);
        assert!(of("end").is_some(), "{stage}: {lines:#?}");
        let begun = of("begin").unwrap_or_else(|| panic!("{stage}"));
        for field in ["what", "unit", "done", "total", "seconds", "rate", "seconds_left"] {
            assert!(begun.get(field).is_some(), "{field}: {begun}");
        }
    }
    assert!(lines.iter().any(|line| line["event"] == "message"), "{lines:#?}");
    let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&summary["pairs"], &summary["inputs"]["read"]), (&96.into(), &2.into()));
    let langs = summary["language_pairs"].as_array().expect("a list");
    assert_eq!(langs.iter().filter_map(|langs| langs["pairs"].as_u64()).sum::<u64>(), 96);
    assert_eq!(summary["left_out"]["http status not 200"], 4);
    // A failure is an object too; nothing else is left of the run.
    let output = diglot(&store).args(["--progress", "json", "run", "--until", "lunch"]).assert().code(2).output;
    let error: Value = serde_json::from_slice(&output.stderr).expect("JSON");
    assert_eq!(error["event"], "error");
    assert!(!store.join("progress.json").exists());
}

#[test]
fn what_would_be_done_has_no_format() {
    let mut command = diglot(Path::new("nowhere.store"));
    let output = command.args(["run", "--dry-run", "--format", "json"]).assert().code(2).output;
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("'--dry-run' cannot be used with '--format"),
        "{output:?}"
    );
}

#[test]
fn none_is_no_progress_and_a_summary_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = diglot(&folder.path().join("s"))
        .args(["run", "--progress", "none"])
        .arg(packaging())
        .assert()
        .success()
        .stderr("diglot: inputs: 1 read\n")
        .output;
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("keys with pairs: "));
}

#[test]
fn whoever_watches_is_told_how_far_a_run_is_until_it_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    // It goes on for as long as it is not told that its input ends.
    let mut going = diglot(&store).args(["-q", "run", "-"]).stdin(Stdio::piped()).spawn().expect("it starts");
    let mut given = going.stdin.take().expect("a pipe");
    given.write_all(&std::fs::read(webserver()).expect("the sample")).expect("it reads");
    while !store.join("manifest.json").exists() {
        assert!(going.try_wait().expect("a child").is_none(), "it ended too early");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let mut watching = diglot(&store);
    watching.args(["status", "--watch", "--progress", "json"]).stdin(Stdio::null());
    let mut watching = watching.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let told = BufReader::new(watching.stderr.take().expect("a pipe")).lines();
    let mut told = told.map(|line| serde_json::from_str::<Value>(&line.expect("UTF-8")).expect("JSON"));
    let seen = told.find(|line| line["event"] == "progress" && line["stage"] == "ingest");
    let now = stdout(&store, &["status"]);
    assert!(now.contains("stage\tingest\t-\tat work\n"), "{now}");
    drop(given);
    assert!(seen.is_some(), "the watch ended before the run told how far it is");
    assert_eq!(told.last().expect("a line")["text"], "the run has ended");
    assert!(going.wait().expect("it ends").success());
    let watched = watching.wait_with_output().expect("it ends");
    assert!(watched.status.success());
    let listed = String::from_utf8_lossy(&watched.stdout).into_owned();
    // Into a pipe there is one list, that of the end.
    assert_eq!(listed.matches("what\tname\tcount\tdetail\n").count(), 1, "{listed}");
    assert!(listed.starts_with("what") && listed.contains("stage\talign\t-\tfresh"), "{listed}");
    // Nobody is at work any more.
    let output = diglot(&store).args(["status", "--watch"]).assert().success().output;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "diglot: no run is at work on the store\n");
}

#[test]
fn rows_are_chosen_and_sorted_in_one_way() {
    let store = sample_store();
    let column = |arguments: &str, column: &str| -> Vec<String> {
        let rows = rows(store, &arguments.split(' ').collect::<Vec<_>>());
        rows.iter().map(|row| row[column].to_string()).collect()
    };
    let pages: Vec<u64> = column("hosts --sort pages", "pages").iter().filter_map(|pages| pages.parse().ok()).collect();
    assert!(pages.len() == 4 && pages.is_sorted_by(|a, b| a >= b), "{pages:?}");
    assert_eq!(column("hosts --where langs=es", "host"), ["\"webserver.site.test\""]);
    assert_eq!(column("hosts --where pages<20 --sort -host --limit 1", "host"), ["\"fr.packaging.site.test\""]);
    assert_eq!(column("keys --where key=~^host: --where lang_a=en", "key"), ["\"host:en:fr\""]);
    let scores: Vec<f64> =
        column("pairs --sort -score --limit 5", "score").iter().filter_map(|score| score.parse().ok()).collect();
    let all: Vec<f64> = column("pairs", "score").iter().filter_map(|score| score.parse().ok()).collect();
    assert_eq!(scores[0], all.iter().copied().fold(1.0, f64::min));
    assert!(scores.len() == 5 && scores.is_sorted(), "{scores:?}");
    let some = column("-q pairs --where url_b=~/(howto|misc)/", "url_b");
    assert!(!some.is_empty() && some.iter().all(|url| url.contains("/howto/") || url.contains("/misc/")), "{some:?}");
    let linked = column("recover --min-chance 0", "linked");
    let unlinked = linked.iter().filter(|linked| *linked == "false").count();
    assert!(unlinked > 0 && unlinked < linked.len(), "{linked:?}");
    assert_eq!(column("recover --min-chance 0 --where linked=false", "linked"), vec!["false"; unlinked]);
    let pairs: u64 = column("pairs --summary", "pairs").iter().filter_map(|pairs| pairs.parse::<u64>().ok()).sum();
    assert_eq!(pairs, 96);
}

#[test]
fn a_page_is_shown_with_its_text_and_links_and_as_it_was_read() {
    let store = sample_store();
    let shown = stdout(store, &["show", EN]);
    assert!(shown.starts_with(&format!("{EN}\n  title     Multi-Processing Modules")), "{shown}");
    let text = stdout(store, &["show", EN, "--only", "text"]);
    assert!(text.lines().all(|line| shown.contains(line)) && text.lines().count() > 20, "{text}");
    let links = stdout(store, &["show", EN, "--only", "links"]);
    assert!(links.lines().any(|link| link == "http://webserver.site.test/manual/en/mod/event.html"), "{links}");
    let object: Value = serde_json::from_str(&stdout(store, &["show", EN, "--json"])).expect("JSON");
    assert_eq!((&object["url"], &object["lang"]), (&EN.into(), &"en".into()));
    let raw = diglot(store).args(["show", EN, "--raw"]).assert().success().output.stdout;
    assert!(raw.starts_with(b"WARC/1.0\r\n"), "{}", String::from_utf8_lossy(&raw[..80.min(raw.len())]));
    // The same record, by its place in the archive.
    let offset = object["offset"].to_string();
    let archive = webserver().display().to_string();
    let cat =
        |more: &[&str]| diglot(store).args([&["cat", &archive][..], more].concat()).assert().success().output.stdout;
    assert_eq!(cat(&["--offset", &offset]), raw);
    assert_eq!(cat(&["--url", EN]), raw);
    let body = String::from_utf8(cat(&["--offset", &offset, "--body"])).expect("UTF-8");
    assert!(body.trim_start().starts_with("<?xml") || body.trim_start().starts_with("<!DOCTYPE"), "{body}");
    let (code, stderr) = failure(diglot(store).args(["show", "webserver.site.test/manual/en/mpn.html"]));
    assert!(
        code == 1 && stderr.contains("the nearest URL it has is webserver.site.test/manual/en/mpm.html"),
        "{stderr}"
    );
    let (code, stderr) = failure(diglot(store).args(["cat", &archive, "--offset", "3"]));
    assert!(code == 1 && stderr.contains("the archive has no such record; `diglot index` lists"), "{stderr}");
}

#[test]
fn an_archive_lists_its_records() {
    let store = Path::new("nowhere.store");
    let archive = webserver().display().to_string();
    let records = rows(store, &["index", &archive]);
    assert_eq!(records.len(), 94);
    let of = |kind: &str| records.iter().filter(|record| record["type"] == kind).count();
    assert_eq!((of("page"), of("request record"), of("http status not 200")), (87, 2, 2));
    let offsets: Vec<u64> = records.iter().filter_map(|record| record["offset"].as_u64()).collect();
    assert!(offsets.len() == 94 && offsets.is_sorted(), "{offsets:?}");
    assert!(!store.exists());
    let statuses = records.iter().filter_map(|record| record["status"].as_u64());
    assert_eq!(statuses.filter(|status| *status != 200).count(), 2);
    // Standard input is refused, and not promised.
    let (_, stderr) = failure(diglot(store).args(["index", "-"]));
    assert!(stderr.contains("give a file"), "{stderr}");
    assert!(!stdout(store, &["index", "--help"]).contains("stdin"));
    // A mirror has records too.
    let mirror = packaging().display().to_string();
    let records = rows(store, &["index", &mirror, "--where", "type=page", "--limit", "3"]);
    assert!(records.len() == 3 && records.iter().all(|record| record["url"].is_string()), "{records:?}");
}

#[test]
fn colour_is_there_where_it_is_asked_for() {
    let store = sample_store();
    let table = |more: &[&str]| stdout(store, &[&["status", "--format", "table"][..], more].concat());
    let (plain, colored) = (table(&[]), table(&["--color", "always"]));
    assert!(!plain.contains('\x1b') && colored.contains("\x1b[1mWHAT") && colored.contains("fresh"), "{colored}");
    assert!(colored.lines().count() == plain.lines().count());
    let help = stdout(store, &["--help", "--color", "always"]);
    assert!(help.contains("\x1b[1mLook:"), "{help}");
    assert!(!stdout(store, &["--help"]).contains('\x1b'));
}

#[test]
fn a_page_of_an_archive_that_is_gone_is_shown_without_its_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("a.warc"), folder.path().join("s"));
    let html =
        format!("<html lang=en><title>One</title><p>{}</p></html>", "Words of a page that is long enough. ".repeat(5));
    write_warc(&archive, &[("http://ex.test/a.html", "200 OK", &html)]);
    run(&store, &[&archive]);
    // Another record stands at its place.
    let raw = ["show", "ex.test/a.html", "--raw"];
    assert!(stdout(&store, &raw).starts_with("WARC/1.0"));
    write_warc(&archive, &[("http://ex.test/b.html", "200 OK", &html)]);
    let (code, stderr) = failure(diglot(&store).args(raw));
    assert!(code == 1 && stderr.contains("it has changed"), "{stderr}");
    std::fs::remove_file(&archive).expect("it is there");
    assert!(stdout(&store, &["show", "ex.test/a.html"]).contains("Words of a page"));
    let (code, stderr) = failure(diglot(&store).args(raw));
    assert!(code == 1 && stderr.contains("a.warc: the archive is not there any more"), "{stderr}");
}

#[test]
fn a_host_whose_pages_are_not_indexed_yet_is_not_denied() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    run(&store, &[&packaging()]);
    let page = "http://fr.packaging.site.test/index.html";
    diglot(&store).args(["-q", "remove", "--url", "http://en.packaging.site.test/index.html"]).assert().success();
    for command in [["show", page], ["pairs", "fr.packaging.site.test"]] {
        let output = diglot(&store).args(command).output().expect("it starts");
        let told = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(
            output.status.code() == Some(1) && told.contains("not known yet: some of what was read is not indexed"),
            "{told}"
        );
    }
    diglot(&store).args(["-q", "run"]).assert().success();
    stdout(&store, &["show", page]);
}
