//! What a user expects of a command line without being told.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use diglot::store::{Access, Store};
use serde_json::Value;

use crate::sites::SiteBuilder;
use crate::support::{
    Held, diglot, failure, packaging, rows, run, sample_store, stdout, tiny_site, webserver, write_warc,
};

#[path = "../../build.rs"]
#[expect(dead_code, reason = "the main function of the build script")]
mod build;

/// What a command prints to stdout and to stderr; it must succeed.
fn told(store: &Path, arguments: &[&str]) -> [String; 2] {
    let output = diglot(store).args(arguments).assert().success().output;
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"))
}

/// A store of pages: their URLs and texts, each twice for its length.
fn store_of(folder: &Path, name: &str, pages: &[(&str, &str)]) -> std::path::PathBuf {
    let (archive, store) = (folder.join(format!("{name}.warc")), folder.join(name));
    let html: Vec<String> = pages.iter().map(|(_, text)| format!("<p>{text}</p><p>{text}</p>")).collect();
    let responses: Vec<_> = pages.iter().zip(&html).map(|((url, _), html)| (*url, "200 OK", html.as_str())).collect();
    write_warc(&archive, &responses);
    run(&store, &[&archive]);
    store
}

const EN: &str = "The museum opens every morning at nine and shows the work of the painters who lived in the valley";
const FR: &str =
    "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la vallée";

#[test]
fn a_run_without_pairs_names_the_likely_reason_and_the_next_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str, pages: &[(&str, &str)]| store_of(folder.path(), name, pages);
    let copies =
        (0..5).flat_map(|at| ["en", "fr"].map(|lang| format!("http://c.test/{lang}/{at}.html"))).collect::<Vec<_>>();
    let texts: Vec<String> = (0..5).map(|at| format!("{EN}, and room {at} has {at}{at} of them")).collect();
    let copies: Vec<(&str, &str)> =
        copies.iter().enumerate().map(|(at, url)| (url.as_str(), texts[at / 2].as_str())).collect();
    let cases = [
        (
            at("one", &[("http://a.test/1", EN), ("http://a.test/2", EN)]),
            "all pages are in one language: en (2)",
            "adds the pages in other languages",
        ),
        (
            at("two", &[("http://a.test/1", EN), ("http://b.test/2", FR)]),
            "no site has pages in two languages; all together have en (1), fr (1)",
            "--across-suffixes",
        ),
        (
            at("none", &[("http://a.test/1", "Soon")]),
            "no capture became a page; left out: 1 text shorter than 100 bytes",
            "diglot status --archives",
        ),
        (
            at("copies", &copies),
            "all pages are in en (5), and 5 more are untranslated copies of them",
            "diglot explain URL",
        ),
    ];
    for (store, why, next) in &cases {
        let [summary, _] = told(store, &["run"]);
        assert!(summary.contains("pairs: 0\n  why: "), "{summary}");
        assert!(summary.contains(why) && summary.contains(next), "{why}: {summary}");
    }
    let (archive, store) = (folder.path().join("tiny.warc"), folder.path().join("tiny"));
    tiny_site(&archive);
    run(&store, &[&archive]);
    let [summary, _] = told(&store, &["run"]);
    assert!(summary.contains("pairs: 5\n") && !summary.contains("why: "), "{summary}");
    let [summary, _] = told(&store, &["run", "--langs", "en,de"]);
    assert!(
        summary.contains("why: --langs is en,de; no page is in de, and the pages are in en (5), fr (5)"),
        "{summary}"
    );
    let [summary, _] = told(&store, &["run", "--reset", "langs", "--min-score", "1"]);
    assert!(summary.contains("reaches the score of 1 that is asked for; the best has 0."), "{summary}");
    assert!(summary.contains("`diglot run --reset min-score --store"), "{summary}");
    // A method that knows English and Chinese alone is not given advice for others.
    let letters = folder.path().join("letters");
    let [summary, _] = told(&letters, &["run", "--preset", "kit-ng-2007", &archive.display().to_string()]);
    assert!(
        summary.contains("why: --preset kit-ng-2007 tells English from Chinese by their letters alone"),
        "{summary}"
    );
    assert!(summary.contains("next: `diglot run --preset default --store"), "{summary}");
    // Whoever did not look does not say that there is nothing.
    let fresh = folder.path().join("fresh");
    let [summary, _] = told(&fresh, &["run", "--until", "index", &archive.display().to_string()]);
    assert!(!summary.contains("pairs: 0"), "{summary}");
    assert!(
        summary.starts_with("captures kept: 10\nnot looked for yet: keys and pairs; `diglot run --store"),
        "{summary}"
    );
}

#[test]
fn a_run_with_nothing_to_do_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let sample = packaging().display().to_string();
    assert_eq!(told(&store, &["run", &sample])[1], "diglot: inputs: 1 read\n");
    let nothing = "diglot: nothing to do: all inputs are already read, and all results are up to date\n";
    assert_eq!(told(&store, &["run", &sample])[1], nothing);
    assert_eq!(told(&store, &["run"])[1], "diglot: nothing to do: all results are up to date\n");
    assert_eq!(told(&store, &["run", "-q"]), ["", ""]);
    assert_eq!(told(&store, &["ingest", &sample])[1], "diglot: inputs: 1 already read\n");
}

#[test]
fn whoever_has_a_store_without_archives_is_told_to_give_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    // A run that is killed before the first batch is committed leaves such a store.
    let mut empty = Store::open(&store, Access::Write).expect("a new store");
    empty.keep_settings(empty.settings().clone()).expect("room on the disk");
    drop(empty);
    let runs = format!("the store has no archive; `diglot run INPUT... --store {}` reads some", store.display());
    for query in [&["pairs"][..], &["hosts"], &["status"]] {
        let said = &told(&store, query)[1];
        assert!(said.contains(&runs), "{query:?}: {said}");
    }
    for run in [&["run"][..], &["run", "--dry-run"]] {
        let output = diglot(&store).args(run).assert().code(2).stdout("").output;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with("diglot: nothing to do: ") && said.contains("give its inputs again\n"), "{said}");
    }
}

#[test]
fn a_dry_run_tells_what_would_be_done_and_does_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let (sample, other) = (packaging().display().to_string(), webserver().display().to_string());
    let dry = |arguments: &[&str]| told(&store, &[&["run", "--dry-run"], arguments].concat())[0].clone();
    let plan = dry(&[&sample]);
    assert!(plan.contains(&format!("  new: {sample}\n")) && plan.contains("  keys     has not run yet\n"), "{plan}");
    assert!(!store.exists());
    // With the first steps below it.
    let nothing = diglot(&store).args(["run", "--dry-run"]).output().expect("it starts");
    assert!(nothing.status.code() == Some(2) && nothing.stderr.starts_with(b"diglot: nothing to do"), "{nothing:?}");
    failure(diglot(&store).args(["run", "--dry-run", "/nonexistent/a.warc"]));
    run(&store, &[&packaging()]);
    let before = fs::read(store.join("manifest.json")).expect("a store");
    let plan = dry(&[&sample, &other]);
    assert!(plan.contains(&format!("  already read: {sample}\n  new: {other}\n")), "{plan}");
    assert!(plan.contains("  index    again for sites with new pages\n"), "{plan}");
    let plan = dry(&[]);
    assert!(plan.contains("  ingest   nothing to read\n  index    up to date\n"), "{plan}");
    let plan = dry(&["--min-score", "0.75"]);
    assert!(plan.contains("  keys     up to date\n  verify   again: other settings (min-score)\n"), "{plan}");
    assert!(plan.contains("  align    again where verify gives other results\n"), "{plan}");
    assert_eq!(fs::read(store.join("manifest.json")).expect("a store"), before);
    // Moved, it is known by its bytes; half read, by where it goes on.
    let copy = folder.path().join("copy.warc.gz");
    fs::copy(webserver(), &copy).expect("room on the disk");
    diglot(&store).args(["ingest", "-q"]).arg(&copy).assert().success();
    let plan = dry(&[&other]);
    assert!(plan.contains(&format!("  already read: {other}\n")), "{plan}");
}

#[test]
fn settings_that_stay_are_shown_with_the_way_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let place = store.display();
    run(&store, &[&packaging()]);
    let differing = |summary: &str| summary.lines().find(|line| line.starts_with("settings kept")).map(str::to_owned);
    assert_eq!(differing(&told(&store, &["run"])[0]), None);
    // What is set to its default differs from nothing.
    let [summary, _] = told(&store, &["run", "--langs", "fr,en", "--site", "host", "--max-record-bytes", "32M"]);
    let expected = format!(
        "settings kept in the store: max-record-bytes 32M; langs fr,en; `diglot run --reset max-record-bytes,langs --store {place}` takes them back"
    );
    assert_eq!(differing(&summary), Some(expected));
    let status = rows(&store, &["status"]);
    let settings: Vec<_> = status.iter().filter(|row| row["what"] == "setting").collect();
    assert_eq!(settings.len(), 2);
    assert_eq!(settings[1]["detail"], format!("fr,en; `diglot run --reset langs --store {place}` takes it back"));
    let [summary, _] = told(&store, &["run", "--reset", "max-record-bytes,langs"]);
    assert_eq!(differing(&summary), None);
}

#[test]
fn one_language_alone_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    let refused = |arguments: &[&str]| {
        let (code, stderr) = failure(diglot(&store).args(arguments));
        assert!(
            code == 2 && stderr.contains("--langs is en alone, and a pair has two languages; give both"),
            "{stderr}"
        );
    };
    let sample = packaging().display().to_string();
    refused(&["run", "--langs", "en", &sample]);
    assert!(!store.exists());
    run(&store, &[&packaging()]);
    refused(&["run", "--langs", "en"]);
    refused(&["pairs", "--langs", "en"]);
    refused(&["bitext", "--langs", "en"]);
    refused(&["export", "--langs", "en"]);
    refused(&["export", "--what", "warc", "--langs", "en"]);
    // Where nothing is kept there is nothing to take back.
    assert!(!failure(diglot(&store).args(["pairs", "--langs", "en"])).1.contains("--reset"));
    for command in ["run", "pairs", "bitext", "export", "export --what pages", "export --what lexicon"] {
        let (code, stderr) = failure(diglot(&store).args(command.split(' ')).args(["--langs", "en,fr,EN"]));
        assert!(code == 2 && stderr.contains("--langs has en twice;"), "{command}: {stderr}");
        let (code, stderr) = failure(diglot(&store).args(command.split(' ')).args(["--langs", "fa,prs"]));
        assert!(code == 2 && stderr.contains("--langs has fa twice, as fa and prs;"), "{command}: {stderr}");
    }
    assert_eq!(rows(&store, &["status"]).iter().filter(|row| row["what"] == "setting").count(), 0);
    // Chinese is two, each with its script.
    told(&store, &["run", "--dry-run", "--langs", "zh"]);
}

#[test]
fn languages_of_which_there_is_nothing_are_said() {
    let store = sample_store();
    let pages = "diglot: no page is in ja; the pages are in en (38), fr (32), zh-Hans (13), de (10), es (7)\n";
    for command in ["pairs", "bitext", "export", "export --what documents", "export --what pages"] {
        let words: Vec<&str> = command.split(' ').collect();
        let [_, stderr] = told(store, &[&words, &["--langs", "en,ja"][..]].concat());
        assert!(stderr.ends_with(pages), "{command}: {stderr}");
        let [_, stderr] = told(store, &[&words, &["--langs", "en,fr,ja"][..]].concat());
        assert_eq!(stderr, pages, "{command}");
        assert_eq!(told(store, &[&words, &["-q", "--langs", "en,ja"][..]].concat())[1], "", "{command}");
        assert_eq!(told(store, &[&words, &["--langs", "fr,en"][..]].concat())[1], "", "{command}");
        // As long as not all was gone through, nothing is known.
        assert_eq!(told(store, &[&words, &["--langs", "en,fr,ja", "--limit", "1"][..]].concat())[1], "", "{command}");
    }
    let [rows, stderr] = told(store, &["pairs", "--langs", "de,es"]);
    assert_eq!(rows.lines().count(), 1);
    let between = "diglot: no pairs are between de and es; they are de-en, de-fr, en-es, en-fr, en-zh-Hans, es-fr, es-zh-Hans, fr-zh-Hans\n";
    assert_eq!(stderr, between);
    let [_, stderr] = told(store, &["pairs", "webserver.site.test", "--langs", "de,en"]);
    assert_eq!(stderr, "diglot: no page is in de; the pages are in en (25), fr (23), zh-Hans (13), es (7)\n");
    // A score that nothing reaches is no fault of the languages.
    let said = &told(store, &["pairs", "--langs", "en,fr", "--min-score", "1"])[1];
    assert!(said.ends_with(" by --min-score 1\n") && said.lines().count() == 1, "{said}");
}

#[test]
fn an_ending_that_says_no_format_is_refused_and_no_ending_is_not() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    for (command, name, expected) in [
        ("export", "a.txt", "the ending .txt says no format; expected .tsv, .tab, .csv, .jsonl"),
        ("export", "a.tsv.bz2", "the ending .bz2 says no format"),
        ("export", "a.json", "one array is what listings print with --format json"),
        ("export --what warc", "part.tsv", "a .tsv file does not hold --what warc; expected .warc"),
        ("report", "a.pdf", "the ending .pdf says no format; expected .html, .htm, .md, .markdown, .json, or --format"),
        ("report --format md", "a.html", "--format md makes no .html file"),
    ] {
        let file = folder.path().join(name);
        let (code, stderr) = failure(diglot(store).args(command.split(' ')).arg("-o").arg(&file));
        assert!(code == 2 && stderr.contains(expected) && !file.exists(), "{command} -o {name}: {stderr}");
    }
    for (command, name, begin) in [
        ("export", "a", "url_a\turl_b"),
        ("export --format jsonl", "a.json", "{\"url_a\""),
        ("export --format csv", "a.txt", "url_a,url_b"),
        ("report", "b", "<!"),
        ("report --format md", "b.txt", "# "),
    ] {
        let file = folder.path().join(name);
        diglot(store).arg("-q").args(command.split(' ')).arg("-o").arg(&file).assert().success().stderr("");
        let text = fs::read_to_string(&file).expect("it was written");
        assert!(text.starts_with(begin), "{command} -o {name}: {}", &text[..20]);
    }
    let (code, stderr) = failure(diglot(store).args(["export", "--format", "json"]));
    assert!(code == 2 && stderr.contains("one array is what listings print"), "{stderr}");
}

#[test]
fn a_report_says_what_has_not_run_and_keeps_texts_in_their_cells() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("a|b\nc.warc"), folder.path().join("s|t"));
    tiny_site(&archive);
    told(&store, &["-q", "ingest", &archive.display().to_string()]);
    let [report, stderr] = told(&store, &["report", "--format", "md"]);
    assert!(
        stderr.starts_with("diglot: index, links, keys, verify, iterate and align have not run; `diglot run"),
        "{stderr}"
    );
    assert!(report.starts_with("# s\\|t\n"), "{report}");
    let row =
        report.lines().find(|line| line.starts_with("| `") && line.contains("a\\|b c.warc")).expect("the archive");
    assert_eq!(row.replace("\\|", "").matches('|').count(), 8, "{row}");
    run(&store, &[]);
    assert_eq!(told(&store, &["report", "--format", "md"])[1], "");
}

#[test]
fn numbers_that_make_no_sense_are_told_as_such() {
    let store = sample_store();
    for arguments in
        ["pairs --limit -1", "export --limit x", "recover --top -3", "explore --limit 1.5", "pairs --threads -2"]
    {
        let output = diglot(store).args(arguments.split(' ')).assert().code(2).output.stderr;
        let stderr = String::from_utf8_lossy(&output);
        assert!(
            stderr.contains("invalid value") && stderr.contains("expected a whole number"),
            "{arguments}: {stderr}"
        );
    }
    // The store has a default, whether it is given or not.
    let output = diglot(store).args(["pairs", "--bogus"]).assert().code(2).output.stderr;
    let stderr = String::from_utf8_lossy(&output);
    assert!(stderr.contains("unexpected argument '--bogus'") && !stderr.contains("--store"), "{stderr}");
}

#[test]
fn words_of_languages_that_taught_nothing_are_an_error_that_says_what_to_look_at() {
    let store = sample_store();
    let (code, stderr) = failure(diglot(store).args(["export", "--what", "lexicon", "--langs", "en,ja"]));
    assert!(code == 1 && stderr.contains("no words to export: nothing was learnt of en and ja"), "{stderr}");
    assert!(stderr.contains("no page is in ja Japanese; `diglot status --store "), "{stderr}");
    let (code, stderr) = failure(diglot(store).args(["export", "--what", "lexicon"]));
    assert!(code == 2 && stderr.contains("choose them by --langs"), "{stderr}");
}

#[test]
fn before_keys_are_searched_sites_to_explore_are_not_said_to_have_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    told(&store, &["-q", "ingest", &packaging().display().to_string()]);
    let [_, stderr] = told(&store, &["explore"]);
    assert!(stderr.lines().count() == 1 && stderr.contains("nothing to list yet: index, links and keys"), "{stderr}");
    told(&store, &["-q", "run", "--until", "keys", "--preset", "kit-ng-2007"]);
    let [_, stderr] = told(&store, &["explore"]);
    assert!(stderr.contains("nothing to do: "), "{stderr}");
}

#[test]
fn json_is_one_array_and_a_limit_is_kept() {
    let store = sample_store();
    for listing in ["pairs", "keys", "hosts", "bitext webserver.site.test", "status", "check", "hosts --sort rank"] {
        let words: Vec<&str> = listing.split(' ').collect();
        let array: Value =
            serde_json::from_str(&stdout(store, &[&words, &["--format", "json"][..]].concat())).expect("JSON");
        let lines: Vec<Value> = rows(store, &words).into_iter().map(Value::Object).collect();
        assert_eq!(array, Value::Array(lines), "{listing}");
    }
    for listing in ["pairs", "keys", "hosts", "bitext", "recover --min-chance 0"] {
        let words: Vec<&str> = listing.split(' ').collect();
        let list = |more: &[&str]| stdout(store, &[&words, more].concat());
        let all = list(&[]);
        for limit in [0, 1, 3, 1_000_000] {
            let some = list(&["--limit", &limit.to_string()]);
            assert!(all.starts_with(&some), "{listing}");
            assert_eq!(some.lines().count(), all.lines().count().min(limit + 1), "{listing}");
        }
        assert_eq!(list(&["--limit", "0", "--format", "json"]), "[]\n");
    }
    let url = "webserver.site.test/manual/en/mpm.html";
    let pretty = stdout(store, &["explain", url, "--format", "json"]);
    assert_eq!(pretty, stdout(store, &["explain", url, "--json"]));
    let line = stdout(store, &["explain", url, "--format", "jsonl"]);
    assert_eq!(line.lines().count(), 1);
    let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    assert_eq!(read(&line), read(&pretty));
}

#[test]
fn an_unknown_page_is_answered_with_the_nearest_one() {
    let store = sample_store();
    let fails = |url: &str, advice: &str| {
        let output = diglot(store).args(["explain", url]).assert().code(1).output;
        assert!(String::from_utf8_lossy(&output.stdout).contains("verdict"), "{url}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains(advice) && stderr.lines().count() == 1, "{url}: {stderr}");
    };
    fails(
        "http://webserver.site.test/manual/en/mpn.html",
        "the nearest URL it has is webserver.site.test/manual/en/mpm.html",
    );
    fails("en.packaging.site.test/backport.html", "the nearest URL it has is en.packaging.site.test/backports.html");
    let place = format!("--store {}", store.display());
    let both = format!(
        "`diglot hosts webserver.site.test {place}` counts them, `diglot pairs webserver.site.test {place}` lists"
    );
    fails("webserver.site.test", &both);
    fails("it.packaging.site.test/x.html", &format!("`diglot hosts site.test {place}` lists its sister hosts"));
    fails("http://nowhere.test/", &format!("`diglot hosts {place}` lists those it has"));
}

#[test]
fn a_variable_that_is_set_to_nothing_is_not_set() {
    let folder = tempfile::tempdir().expect("a folder");
    run(&folder.path().join("diglot.store"), &[&packaging()]);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_diglot"));
    command.current_dir(folder.path()).env("DIGLOT_STORE", "").arg("pairs");
    let output = command.output().expect("it starts");
    assert!(output.status.success() && output.stderr.is_empty() && output.stdout.len() > 100, "{output:?}");
    diglot(Path::new("")).arg("pairs").assert().code(2);
}

#[test]
fn shells_and_manuals_know_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = stdout(folder.path(), &["--help"]);
    let groups =
        help.lines().skip_while(|line| *line != "Make pairs:").take_while(|line| *line != "Options of all commands:");
    let commands: Vec<&str> = groups
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 18, "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(folder.path(), &["completions", shell]);
        assert!(commands.iter().all(|command| script.contains(command)), "{shell}");
    }
    assert!(stdout(folder.path(), &["man"]).contains(".TH diglot 1"));
    let pages = folder.path().join("man1");
    stdout(&folder.path().join("s"), &["man", &pages.display().to_string()]);
    for command in commands {
        let page = fs::read_to_string(pages.join(format!("diglot-{command}.1"))).expect(command);
        assert!(page.contains("\n.SH EXAMPLES\n") && !page.contains(".SH EXTRA"), "{command}");
        let help = stdout(folder.path(), &[command, "--help"]);
        assert_eq!(options_of_page(&page), options_of_help(&help), "{command}");
        // Examples are lines to be typed.
        let example = help.lines().skip_while(|line| *line != "Examples:").nth(1).expect(command).trim();
        let typed = plain(&page);
        assert!(typed.lines().any(|line| line.trim() == example), "{command}: {example}\n{typed}");
    }
    let page = fs::read_to_string(pages.join("diglot.1")).expect("a page");
    assert_eq!(options_of_page(&page), options_of_help(&help));
    assert!(plain(&page).contains("\n.SH \"EXIT CODES\"\n0 done, 1 error"), "{page}");
    assert_eq!(stdout(folder.path(), &["man"]), page);
}

/// The options and arguments that `--help` describes, each with its text; without what it may be, and its default.
fn options_of_help(help: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut name = None;
    for line in help.lines().skip_while(|line| !line.starts_with("Usage:")) {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let ends = text.starts_with("Possible values:")
            || text.starts_with("[possible")
            || text.starts_with("[default:")
            || text.starts_with("[env:");
        if (1..10).contains(&indent) && text.starts_with(['-', '<', '[']) {
            name = Some(name_of(text));
            found.insert(name_of(text), String::new());
        } else if ends || (indent == 0 && !text.is_empty()) {
            name = None;
        } else if let Some(name) = &name {
            let said = found.entry(name.clone()).or_default();
            *said = format!("{said} {text}").split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    found
}

/// The same of a manual page.
fn options_of_page(page: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let page = plain(page);
    let options =
        page.split("\n.SH ").filter(|section| section.contains("\n.TP\n") && !section.starts_with("SUBCOMMANDS"));
    for option in options.flat_map(|section| section.split("\n.TP\n").skip(1)) {
        let (head, text) = option.split_once('\n').unwrap_or((option, ""));
        let text = text.split("\n.RS").next().unwrap_or_default();
        let text = text.split("Possible values:").next().unwrap_or_default();
        let words: Vec<&str> = text.lines().filter(|line| *line != ".br").flat_map(str::split_whitespace).collect();
        found.insert(name_of(head), words.join(" "));
    }
    found
}

/// `--threads`, of `-t, --threads <N>`; `DIR`, of `[DIR]`.
fn name_of(head: &str) -> String {
    let words = head.split([' ', '=', '[', ']', '<', '>', ',']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    words
        .iter()
        .find(|word| word.starts_with("--"))
        .or(words.first())
        .map_or(String::new(), |word| word.trim_end_matches('.').to_owned())
}

/// A manual page without the signs that are for the formatter.
fn plain(page: &str) -> String {
    [("\\fB", ""), ("\\fI", ""), ("\\fR", ""), ("\\-", "-"), ("\\*(Aq", "'"), ("\\&", ""), ("\\\\", "\\")]
        .iter()
        .fold(page.to_owned(), |page, (sign, text)| page.replace(sign, text))
}

#[test]
fn the_version_names_the_commit_wherever_git_keeps_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let commit = || {
        build::commit(folder.path()).map(|(commit, read)| {
            // What is not there would have everything built again each time.
            assert!(read.iter().all(|path| path.exists()), "{read:?}");
            commit
        })
    };
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("room on the disk");
    };
    let hash = |digit: char| digit.to_string().repeat(40);
    assert_eq!(commit(), None);
    write(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(commit(), None);
    fs::create_dir_all(folder.path().join(".git/refs/heads")).expect("a folder");
    write(
        ".git/packed-refs",
        &format!("# pack-refs with: peeled\n{} refs/heads/other\n{} refs/heads/main\n", hash('1'), hash('2')),
    );
    assert_eq!(commit(), Some(hash('2')));
    write(".git/refs/heads/main", &(hash('3') + "\n"));
    assert_eq!(commit(), Some(hash('3')));
    write(".git/HEAD", &(hash('4') + "\n"));
    assert_eq!(commit(), Some(hash('4')));
    // A worktree has a file for a folder.
    fs::rename(folder.path().join(".git"), folder.path().join("main")).expect("a folder");
    write(".git", "gitdir: main/worktrees/w\n");
    write("main/worktrees/w/HEAD", "ref: refs/heads/main\n");
    write("main/worktrees/w/commondir", "../..\n");
    assert_eq!(commit(), Some(hash('3')));
    // A package of a registry has a note.
    write(".cargo_vcs_info.json", &format!("{{\n \"git\": {{\n \"sha1\": \"{}\"\n }} }}", hash('5')));
    assert_eq!(commit(), Some(hash('5')));
    let version = stdout(folder.path(), &["--version"]);
    assert!(version.starts_with(concat!("diglot ", env!("CARGO_PKG_VERSION"))), "{version}");
}

#[test]
fn the_end_of_a_run_counts_the_pairs_of_a_demoted_key_as_keys_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("a.warc.gz"), folder.path().join("s"));
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 30, |lang, n| format!("http://ex.test/{lang}/p{n}.html"));
    for n in 0..12 {
        // The URLs look like translations, and the pages are none.
        let item = |at: usize| {
            format!("<li>{} {at}</li>", ["Le vieux meunier", "Notre voisin", "L'institutrice"][(n + at) % 3])
        };
        let list: String = (0..60).map(item).collect();
        site.page(format!("http://ex.test/blue/{n}.html"), "en", 100 + n);
        site.capture(format!("http://ex.test/red/{n}.html"), SiteBuilder::DAY, &format!("<ul>{list}</ul>"));
    }
    site.write(&archive);
    let [summary, _] = told(&store, &["run", archive.to_str().expect("UTF-8")]);
    let [keys, _] = told(&store, &["keys", "--format", "jsonl"]);
    let keys: Vec<Value> = keys.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let demoted = keys.iter().find(|key| key["state"] == "demoted").expect("a key whose pairs are wrong");
    assert_eq!((demoted["assigned"].as_u64(), demoted["accepted"].as_u64()), (Some(12), Some(0)), "{demoted}");
    assert!(!summary.contains(demoted["key"].as_str().expect("a text")), "{summary}");
    let accepted: u64 = keys.iter().filter_map(|key| key["accepted"].as_u64()).sum();
    let [pairs, hosts] =
        [&["pairs"][..], &["hosts"]].map(|list| told(&store, &[list, &["--format", "jsonl"]].concat())[0].clone());
    let host: Value = serde_json::from_str(hosts.trim()).expect("one host");
    assert_eq!((accepted, host["pairs"].as_u64()), (pairs.lines().count() as u64, Some(accepted)), "{summary}");
    let words = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [format!("path:en:fr {accepted} pairs"), format!(" pairs: {accepted} ")] {
        assert!(words.contains(&text), "{text}: {summary}");
    }
    if cfg!(feature = "review") {
        let [report, _] = told(&store, &["report", "--format", "md"]);
        assert!(report.contains(&format!("| page pairs | {accepted} |")), "{report}");
    }
}
