//! What the command line promises: data on stdout, messages on stderr, exit codes, formats, and texts that teach.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{
    Held, as_listed, data, diglot, failure, golden, number, packaging, root, rows, run, sample_store, stdout, text,
    tiny_site, webserver,
};

const PAIR_COLUMNS: [&str; 7] = ["url_a", "url_b", "lang_a", "lang_b", "score", "method", "key"];

/// Every command that lists, with the columns it must have.
fn listings() -> Vec<(Vec<String>, Vec<&'static str>)> {
    let gold = |name: &str| data(&format!("gold/{name}.tsv")).display().to_string();
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let eval = |what: &str| {
        let mut eval = words("eval --what");
        let grey = if what == "pairs" { words("--grey") } else { words("--pairs") };
        eval.extend([what.to_owned(), "--gold".into(), gold(&format!("webserver.{what}"))]);
        eval.extend(grey);
        eval.push(gold(if what == "pairs" { "webserver.grey" } else { "webserver.pairs" }));
        eval
    };
    let with = |option: &str| [eval("pairs"), words(option)].concat();
    let (curve, calibration) = (with("--curve"), with("--calibration"));
    let keys = vec![
        "site",
        "field",
        "from",
        "to",
        "lang_a",
        "lang_b",
        "power",
        "assigned",
        "accepted",
        "est_precision",
        "credibility",
        "global",
        "state",
        "key",
        "scope",
    ];
    let scores = vec![
        "scope",
        "name",
        "precision",
        "recall",
        "f1",
        "right",
        "untranslated",
        "wrong",
        "missed",
        "gold",
        "ignored",
        "unscored",
    ];
    let status = vec!["what", "name", "count", "detail"];
    vec![
        (words("status"), status.clone()),
        (words("status --archives"), status),
        (words("hosts"), vec!["host", "domain", "pages", "pairs", "credibility", "langs"]),
        (words("keys"), keys.clone()),
        (words("keys webserver.site.test"), keys.clone()),
        (words("keys --weak"), keys),
        (words("pairs"), PAIR_COLUMNS.to_vec()),
        (words("pairs webserver.site.test"), PAIR_COLUMNS.to_vec()),
        (words("pairs --langs zh,en --min-score 0.1"), PAIR_COLUMNS.to_vec()),
        (words("pairs --summary"), vec!["lang_a", "lang_b", "pairs", "mean_score"]),
        (
            words("recover --min-chance 0"),
            vec!["url", "lang", "chance", "linked", "credibility", "key", "outcome", "detail", "from"],
        ),
        (
            vec!["index".to_owned(), webserver().display().to_string()],
            vec!["archive", "offset", "length", "type", "status", "content_type", "bytes", "date", "url"],
        ),
        (eval("pairs"), scores),
        (eval("keys"), vec!["outcome", "key", "precision", "recall", "f1"]),
        (curve, vec!["score", "precision", "recall", "f1", "right", "wrong", "missed"]),
        (calibration, vec!["scope", "from", "to", "pairs", "right", "mean_score", "precision", "error"]),
    ]
}

#[test]
fn every_listing_is_the_same_in_every_format() {
    let store = sample_store();
    for (words, columns) in listings() {
        let print = |format: &str| {
            let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            arguments.extend(["--format", format]);
            stdout(store, &arguments)
        };
        let tsv = print("tsv");
        let mut lines = tsv.lines();
        let header: Vec<&str> = lines.next().expect("a header").split('\t').collect();
        assert_eq!(header, columns, "{words:?}");
        let fields: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
        assert!(!fields.is_empty(), "{words:?}");

        let jsonl = print("jsonl");
        assert_eq!(jsonl.lines().count(), fields.len(), "{words:?}");
        for (line, fields) in jsonl.lines().zip(&fields) {
            let object: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(fields.len(), columns.len(), "{fields:?}");
            for (column, field) in columns.iter().zip(fields) {
                let plain = match &object[column] {
                    Value::Null => "-".to_owned(),
                    Value::String(text) => text.replace(['\t', '\n', '\r'], " "),
                    Value::Array(langs) => {
                        let lang = |lang: &Value| format!("{}:{}", text(lang, "lang"), number(lang, "pages"));
                        langs.iter().map(lang).collect::<Vec<_>>().join(" ")
                    }
                    number => number.to_string(),
                };
                assert_eq!(plain, *field, "{words:?}: {column}");
            }
            // The order is that of the columns.
            let places: Vec<_> = columns.iter().map(|column| line.find(&format!("\"{column}\":"))).collect();
            assert!(places.is_sorted() && places.iter().all(Option::is_some), "{line}");
        }

        let printed = print("csv");
        let mut csv = csv::Reader::from_reader(printed.as_bytes());
        assert_eq!(csv.headers().expect("a header"), columns, "{words:?}");
        let records: Vec<csv::StringRecord> = csv.records().collect::<Result<_, _>>().expect("sound");
        assert_eq!(records.len(), fields.len(), "{words:?}");
        for (record, fields) in records.iter().zip(&fields) {
            let fields: Vec<&str> = fields.iter().map(|field| if *field == "-" { "" } else { field }).collect();
            assert_eq!(record, fields, "{words:?}");
        }
        let array: Vec<Value> = serde_json::from_str(&print("json")).expect("JSON");
        assert_eq!(array.len(), fields.len(), "{words:?}");
        let flag: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
        assert_eq!(stdout(store, &flag), print("json"), "{words:?}");

        let table = print("table");
        let head: Vec<&str> = table.lines().next().expect("a header").split_whitespace().collect();
        let shouted = columns.iter().map(|column| column.to_uppercase().replace('_', " ")).collect::<Vec<_>>();
        assert_eq!(head.join(" "), shouted.join(" "), "{words:?}");
        assert_eq!(table.lines().count(), fields.len() + 1, "{words:?}");
        // Not on a terminal: tab-separated.
        assert_eq!(stdout(store, &words.iter().map(String::as_str).collect::<Vec<_>>()), tsv, "{words:?}");
    }
}

#[test]
fn exit_codes_tell_a_mistake_of_the_user_from_one_of_the_world() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let none = folder.path().join("none.store");
    let no_host =
        format!("nowhere.test: the store has no page of this host; `diglot hosts --store {}` lists", store.display());
    let cases: &[(&Path, &str, i32, &str)] = &[
        (store, "pairs nowhere.test", 1, &no_host),
        (store, "keys nowhere.test", 1, "has no page of this host"),
        (store, "pairs a/b c", 2, ""),
        (
            store,
            "pairs --langs klingon",
            2,
            "--langs has klingon, expected languages of ISO 639, such as en, fr, zh-Hans",
        ),
        (store, "run --langs en,xx", 2, "--langs has xx, expected languages of ISO 639, such as en, fr, zh-Hans"),
        (store, "explain ftp://ex.org/", 1, "expected an http or https URL"),
        (store, "export --format docx", 2, "--format is docx, expected one of tsv, csv, jsonl"),
        (store, "eval --gold /nonexistent/gold.tsv", 1, "/nonexistent/gold.tsv: opening failed"),
        (store, "eval --gold x --what keys --curve", 2, "--curve and --calibration need page pairs, --what is keys"),
        (store, "--threads 0 pairs", 2, "--threads is 0, expected 1 or more"),
        (&none, "pairs", 1, "there is no store here; make one with `diglot run INPUT... --store DIR`"),
        (&none, "run /nonexistent/a.warc", 1, "/nonexistent/a.warc: no such file or folder"),
        (&none, "run x.warc --until lunch", 2, "--until is lunch, expected one of ingest, index, links, keys"),
    ];
    for (store, arguments, code, message) in cases {
        let mut command = diglot(store);
        command.args(arguments.split(' '));
        if message.is_empty() {
            command.assert().code(*code).stdout("");
            continue;
        }
        let (found, stderr) = failure(&mut command);
        assert!(found == *code && stderr.contains(message), "{arguments}: {found} {stderr}");
    }
    for (arguments, message) in [
        ("", "  diglot run crawl.warc.gz "),
        ("-q", "  diglot run crawl.warc.gz "),
        ("fly", "unrecognized subcommand 'fly'"),
        ("statsu", "'status'"),
        ("pairs --formt tsv", "unexpected argument '--formt'"),
        ("pairs --format xml", "[possible values: table, tsv, csv, jsonl, json]"),
        ("eval", "--gold <FILE>"),
        ("ingest", "<INPUT>..."),
    ] {
        let output = diglot(store).args(arguments.split_whitespace()).assert().code(2).stdout("").output;
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(stderr.contains(message), "{arguments}: {stderr}");
    }
}

#[test]
fn a_wrong_setting_leaves_no_store_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("new.store");
    let input = webserver();
    for (name, value) in [("--preset", "best"), ("--langs", "en,klingon")] {
        let (code, stderr) = failure(diglot(&store).arg("run").arg(&input).args([name, value]));
        assert_eq!(code, 2, "{stderr}");
        assert!(!store.exists(), "{name}");
    }
    let output = diglot(&store).arg("run").assert().code(2).stdout("").output;
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        told.starts_with("diglot: nothing to do: the store is empty and no input is given\n  diglot run "),
        "{told}"
    );
    assert_eq!(told.lines().count(), 5, "{told}");
    assert!(!store.exists());
}

#[test]
fn langs_give_the_order_of_listing() {
    let store = sample_store();
    let french_first = rows(store, &["pairs", "webserver.site.test", "--langs", "fr,en"]);
    let english_first = rows(store, &["pairs", "webserver.site.test", "--langs", "en,fr"]);
    assert!(french_first.len() == english_first.len() && french_first.len() >= 20, "{}", french_first.len());
    for (row, turned) in french_first.iter().zip(&english_first) {
        assert_eq!((&row["lang_a"], &row["lang_b"], &row["key"]), (&"fr".into(), &"en".into(), &"path:fr:en".into()));
        assert_eq!((&row["url_a"], &row["url_b"]), (&turned["url_b"], &turned["url_a"]));
        assert_eq!(turned["key"], "path:en:fr");
    }
    let langs = |arguments: &[&str]| -> BTreeSet<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        rows(store, arguments).iter().map(|row| (text(&row["lang_a"]), text(&row["lang_b"]))).collect()
    };
    // Without an order that of the tags; plain zh is either script.
    assert!(langs(&["pairs"]).iter().all(|(a, b)| a < b));
    assert_eq!(langs(&["pairs", "--langs", "zh,en"]), [("zh-Hans".to_owned(), "en".to_owned())].into());
    assert!(langs(&["-q", "pairs", "--langs", "zh-TW,en"]).is_empty());
}

#[test]
fn a_hosts_pairs_are_those_with_a_page_on_it() {
    let store = sample_store();
    let of = |host: &str| rows(store, &["pairs", host]);
    let french = of("fr.packaging.site.test");
    assert!(!french.is_empty());
    for row in &french {
        let on_it = |column: &str| row[column].as_str().is_some_and(|url| url.contains("//fr.packaging.site.test/"));
        assert!(on_it("url_a") || on_it("url_b"), "{row:?}");
    }
    // By a registrable domain, by an address, by a host name.
    assert_eq!(of("http://fr.packaging.site.test/any.html"), french);
    assert_eq!(of("FR.packaging.site.test"), french);
    assert_eq!(of("site.test").len(), rows(store, &["pairs"]).len());
}

#[test]
fn outputs_are_those_of_the_golden_files() {
    let store = sample_store();
    golden("pairs.tsv", &stdout(store, &["pairs"]));
    golden("keys.tsv", &stdout(store, &["keys", "--format", "tsv"]));
    golden("hosts.tsv", &stdout(store, &["hosts"]));
    golden("status.tsv", &stdout(store, &["status"]));
    let folder = tempfile::tempdir().expect("a folder");
    let fresh = folder.path().join("s");
    let output = diglot(&fresh).arg("run").args([webserver(), packaging()]).assert().success().output;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = format!(" --store {}", fresh.display());
    assert!(printed.contains(&named), "commands to go on with name the store: {printed}");
    golden("run.txt", &printed.replace(&named, ""));
}

const SITE: &str = "http://webserver.site.test/manual";

#[test]
fn explain_tells_why_a_page_has_a_partner_or_none() {
    let store = sample_store();
    let cases = [
        ("paired", format!("{SITE}/en/mpm.html"), "paired, with"),
        ("copy", format!("{SITE}/zh-cn/mod/mod_asis.html"), "an untranslated copy (en) of"),
        ("not-200", "http://en.packaging.site.test/_static/base.css".into(), "http status not 200"),
        ("alone", format!("{SITE}/fr/developer/documenting.html"), "verdict"),
        ("unknown-page", format!("{SITE}/en/nobody.html"), "not captured"),
        ("unknown-domain", "http://nowhere.test/".into(), "the store has nothing of the domain nowhere.test"),
    ];
    for (name, url, verdict) in cases {
        let explain = |arguments: &[&str]| {
            let output = diglot(store).arg("explain").args(arguments).output().expect("it starts");
            assert_eq!(output.status.code(), Some(i32::from(name.starts_with("unknown"))), "{name}");
            String::from_utf8(output.stdout).expect("UTF-8")
        };
        let told = explain(&[&url]);
        assert!(told.contains(verdict), "{name}: {told}");
        golden(&format!("explain-{name}.txt"), &told);
        let json: Value = serde_json::from_str(&explain(&[&url, "--json"])).expect("JSON");
        assert!(json["pages"][0]["verdict"]["kind"].is_string(), "{json}");
    }
    // Without a scheme, as it stands in a browser's address bar.
    let bare = stdout(store, &["explain", "webserver.site.test/manual/en/mpm.html"]);
    assert_eq!(bare, stdout(store, &["explain", &format!("{SITE}/en/mpm.html")]));
}

#[test]
fn explain_tells_why_two_pages_are_a_pair_or_none() {
    let store = sample_store();
    let (en, fr) = (format!("{SITE}/en/mpm.html"), format!("{SITE}/fr/mpm.html"));
    let told = stdout(store, &["explain", &en, &fr]);
    golden("explain-pair.txt", &told);
    let line = |name: &str| told.lines().find(|line| line.trim_start().starts_with(name)).expect(name).to_owned();
    assert!(told.starts_with("the two pages\n  verdict        a pair, by key path:en:fr, score "), "{told}");
    // What separates two texts is no sign that texts have themselves.
    let (_, sentences) = told.split_once("\ntheir sentences\n").expect("they are aligned");
    assert!(sentences.contains("         MPM Defaults\n                 MPM par défaut\n"), "{sentences}");
    assert!(line("languages").contains("en and fr"), "{told}");
    for (a, b, why) in [
        (&en, format!("{SITE}/en/handler.html"), "not a pair: both are in one language"),
        (&en, format!("{SITE}/fr/handler.html"), "not a pair"),
        (&en, format!("{SITE}/fr/nobody.html"), "not a pair: not both are pages of the store"),
        (&en, "http://nowhere.test/".to_owned(), "not a pair: pages of different registrable domains"),
    ] {
        let output = diglot(store).args(["explain", a, &b]).output().expect("it starts");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(
            told.lines().nth(1).is_some_and(|line| line.starts_with("  verdict") && line.contains(why)),
            "{b}: {told}"
        );
    }
}

#[test]
fn explain_tells_of_short_and_missing_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("tiny.warc"), folder.path().join("s"));
    tiny_site(&archive);
    run(&store, &[&archive]);
    let told = stdout(&store, &["explain", "http://tiny.test/en/short.html"]);
    assert!(
        told.contains("left out       text shorter than 100 bytes") && told.contains("tiny.warc, offset"),
        "{told}"
    );
    let told = stdout(&store, &["explain", "http://tiny.test/fr/gone.html"]);
    assert!(told.contains("left out       http status not 200 (404"), "{told}");
    assert_eq!(rows(&store, &["pairs"]).len(), 5);
}

#[test]
fn an_exported_file_is_complete_or_not_there() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pairs.tsv");
    let export = |format: &str, file: &Path| {
        let mut command = diglot(store);
        command.args(["-q", "export", "--format", format, "-o"]).arg(file).assert().success().stdout("").stderr("");
        fs::read_to_string(file).expect("it was written")
    };
    let tsv = export("tsv", &file);
    assert_eq!(tsv, stdout(store, &["export"]));
    assert_eq!(as_listed(&tsv), stdout(store, &["pairs"]));
    let file = folder.path().join("pairs");
    let jsonl = export("jsonl", &file);
    fs::remove_file(folder.path().join("pairs.tsv")).expect("it is there");
    assert_eq!(jsonl, stdout(store, &["export", "--format", "jsonl"]));
    let listed: String =
        jsonl.lines().map(|line| line.split(",\"scorer\":").next().unwrap_or(line).to_owned() + "}\n").collect();
    assert_eq!(listed, stdout(store, &["pairs", "--format", "jsonl"]));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left there");

    // What cannot be written leaves the old file as it is.
    let (code, _) = failure(diglot(store).args(["export", "--host", "nowhere.test", "-o"]).arg(&file));
    assert_eq!(code, 1);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), jsonl);
    let nowhere = folder.path().join("none/pairs.tsv");
    let (code, stderr) = failure(diglot(store).args(["export", "-o"]).arg(&nowhere));
    assert!(code == 1 && stderr.contains("none/pairs.tsv"), "{stderr}");
    let (code, stderr) = failure(diglot(store).args(["export", "-o"]).arg(folder.path()));
    assert!(code == 1 && stderr.contains("is a folder"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn exporting_to_a_device_or_pipe_does_not_replace_it() {
    use std::os::unix::fs::FileTypeExt;
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo, of coreutils, is needed");
    let mut child = diglot(store).args(["export", "-o"]).arg(&pipe).spawn().expect("it starts");
    let mut text = String::new();
    fs::File::open(&pipe).and_then(|mut pipe| pipe.read_to_string(&mut text)).expect("it can be read");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(text, stdout(store, &["export"]));
    assert!(fs::metadata(&pipe).expect("it is there").file_type().is_fifo());
    // A link is written through.
    let (link, file) = (folder.path().join("link.tsv"), folder.path().join("file.tsv"));
    fs::write(&file, "old").expect("room on the disk");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    diglot(store).args(["export", "-o"]).arg(&link).assert().success();
    assert_eq!(fs::read_to_string(&file).expect("it is there"), text);
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
}

#[test]
fn eval_gives_the_figures_of_the_gold() {
    let store = sample_store();
    let gold = |name: &str| data(&format!("gold/{name}.tsv")).display().to_string();
    let (pairs, grey) = (gold("webserver.pairs"), gold("webserver.grey"));
    let scores = rows(store, &["eval", "webserver.site.test", "--gold", &pairs, "--grey", &grey]);
    let of = |scope: &str, name: &str| {
        let row = scores.iter().find(|row| row["scope"] == scope && row["name"] == name);
        row.unwrap_or_else(|| panic!("no {scope} {name}")).clone()
    };
    let all = of("all", "micro");
    let count = |row: &serde_json::Map<String, Value>, column: &str| row[column].as_u64().expect("a count");
    assert_eq!(count(&all, "gold"), fs::read_to_string(&pairs).expect("gold").lines().count() as u64);
    assert_eq!(count(&all, "right") + count(&all, "missed"), count(&all, "gold"));
    assert_eq!(count(&of("langs", "en-fr"), "gold"), 20);
    assert_eq!(of("site", "webserver.site.test")["f1"], all["f1"]);
    // Gold itself, and nothing, as judged by hand.
    let share = |column: &str| all[column].as_f64().expect("a share");
    let (right, wrong) = (count(&all, "right"), count(&all, "wrong") + count(&all, "untranslated"));
    assert!((share("precision") - right as f64 / (right + wrong) as f64).abs() < 1e-3);
    assert!((share("recall") - right as f64 / count(&all, "gold") as f64).abs() < 1e-3);
    // Errors, one a line, and as many as are counted.
    let shown = rows(store, &["eval", "webserver.site.test", "--gold", &pairs, "--grey", &grey, "--show-errors"]);
    let errors = |scope: &str| shown.iter().filter(|row| row["scope"] == scope).count() as u64;
    assert_eq!((errors("wrong"), errors("missed")), (wrong, count(&all, "missed")));
    // A gold file with other columns is told by its line.
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.tsv");
    fs::write(&bad, "http://a.test/\thttp://b.test/\n").expect("room on the disk");
    let (code, stderr) = failure(diglot(store).args(["eval", "--gold"]).arg(&bad));
    assert!(code == 1 && stderr.contains("bad.tsv") && stderr.contains('1'), "{stderr}");
}

const COMMANDS: [&str; 17] = [
    "run",
    "show",
    "index",
    "cat",
    "ingest",
    "keys",
    "status",
    "hosts",
    "pairs",
    "bitext",
    "explain",
    "export",
    "rebuild",
    "eval",
    "compare",
    "completions",
    "man",
];

#[test]
fn help_teaches() {
    let folder = tempfile::tempdir().expect("a folder");
    let main = stdout(folder.path(), &["--help"]);
    for command in COMMANDS {
        assert!(main.lines().any(|line| line.trim_start().starts_with(command)), "{command} is not in --help");
        let help = stdout(folder.path(), &[command, "--help"]);
        // What it does, its usage, an example; every argument and option says what it is.
        let intro = help.split("Usage:").next().unwrap_or_default();
        assert!(intro.trim().len() > 60, "{command} --help begins with {intro:?}");
        assert!(help.contains(&format!("Usage: diglot {command}")), "{help}");
        assert!(help.contains("Example") && help.contains(&format!("  diglot {command}")), "{command}: no example");
        let lines: Vec<&str> = help.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let text = line.trim_start();
            let is_option = text.starts_with('-') && line.starts_with("  ") && line.len() - text.len() < 8;
            if is_option {
                let next = lines.get(at + 1).map_or("", |next| next.trim());
                assert!(next.len() > 12, "{command}: {text} is not explained");
            }
        }
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{command}: a long line");
    }
    // The short help is a screenful.
    for command in COMMANDS {
        let short = stdout(folder.path(), &[command, "-h"]);
        assert!(short.lines().count() <= 40, "{command} -h has {} lines", short.lines().count());
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let store = sample_store();
    let gold = data("gold/webserver.pairs.tsv").display().to_string();
    for arguments in [
        vec!["pairs"],
        vec!["keys", "--format", "table"],
        vec!["hosts", "--format", "jsonl"],
        vec!["status"],
        vec!["export", "--format", "jsonl"],
        vec!["explain", "http://webserver.site.test/manual/en/mpm.html"],
        vec!["eval", "--gold", &gold],
        vec!["run"],
        vec!["run", "--help"],
        vec!["--version"],
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let is_run = arguments == ["run"];
        let mut command = diglot(if is_run { folder.path() } else { store });
        command.args(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        if is_run {
            command.arg(webserver());
        }
        let mut child = command.spawn().expect("it starts");
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("UTF-8");
        let code = child.wait().expect("it ends").code();
        // A long run may have told of its progress.
        assert!(code == Some(0) && (is_run || stderr.is_empty()), "{arguments:?}: {code:?} {stderr}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_so_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    // Several times the sample, so that there is something to interrupt.
    let (archive, store) = (folder.path().join("long.warc.gz"), folder.path().join("s"));
    fs::write(&archive, fs::read(webserver()).expect("the sample").repeat(4)).expect("room on the disk");
    let mut child = diglot(&store)
        .arg("run")
        .arg(&archive)
        .args(["--threads", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    while !store.join("manifest.json").exists() {
        assert!(child.try_wait().expect("a child").is_none(), "it ended too early");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    // Not INT, which a shell has what it runs in the background ignore.
    let kill = |id: u32| std::process::Command::new("kill").args(["-TERM", &id.to_string()]).status();
    assert!(kill(child.id()).is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("diglot: stopping") && stderr.contains("Ctrl-C again stops at once"), "{stderr}");
    assert_eq!(stderr.trim_end().lines().last(), Some("diglot: interrupted; the same command goes on from here"));
    assert_eq!(output.stdout, b"");

    run(&store, &[&archive]);
    let whole = folder.path().join("whole");
    run(&whole, &[&archive]);
    assert_eq!(stdout(&store, &["pairs"]), stdout(&whole, &["pairs"]));
}

#[cfg(unix)]
#[test]
fn a_listing_ends_at_the_first_interrupt() {
    use std::os::unix::process::ExitStatusExt;
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo, of coreutils, is needed");
    // Opening a pipe waits for its reader: gold that never comes.
    let mut child = diglot(store).args(["eval", "--gold"]).arg(&pipe).spawn().expect("it starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let status = child.wait().expect("it ends");
    assert!(status.code() == Some(130) || status.signal() == Some(15), "{status}");
}

/// Whoever has started a program may be gone before it.
#[test]
fn a_reader_of_messages_who_is_gone_stops_no_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.store");
    let gone = || std::io::pipe().expect("a pipe").1;
    for (arguments, code) in [
        (&["run", "-v", "data/sites/packaging"][..], 0),
        (&["run", "--threads", "9999"], 0),
        (&["remove", "--host", "none.test"], 2),
        (&["exec", "none"], 2),
        (&["--none"], 2),
    ] {
        let mut command = diglot(&store);
        command.current_dir(root()).args(arguments).stdout(Stdio::null()).stderr(gone());
        assert_eq!(command.status().expect("it starts").code(), Some(code), "{arguments:?}");
    }
    // Data is another matter, but no failure either.
    let status = diglot(&store).arg("compact").stdout(gone()).status().expect("it starts");
    assert_eq!(status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn the_program_ends_with_whoever_holds_the_pipe_that_it_is_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.store");
    run(&store, &[&packaging()]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = diglot(&store);
    command.args(["-q", "review"]).env("DIGLOT_ALIVE_FD", "0").stdin(reader).stdout(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    drop(command);
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(child.try_wait().expect("a child").is_none(), "it ended though the pipe is held");
    drop(writer);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(2);
    while child.try_wait().expect("a child").is_none() {
        if std::time::Instant::now() > until {
            let _ = child.kill();
            panic!("it goes on");
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// What stands in README.md below a query, line by line; `run`, whose store is there, and `keys` as a terminal shows it have golden files.
#[test]
fn the_session_of_the_readme_is_what_the_program_prints() {
    let readme = fs::read_to_string(root().join("README.md")).expect("it is there");
    let mut tried = 0;
    for block in readme.split("```console\n").skip(1).filter_map(|rest| rest.split("\n```").next()) {
        let mut lines = block.lines();
        let command = lines.next().and_then(|line| line.strip_prefix("$ diglot ")).unwrap_or_default();
        let command = command.split(" |").next().unwrap_or_default();
        if !["pairs", "bitext", "explain"].iter().any(|query| command.starts_with(query)) {
            continue;
        }
        let printed = stdout(sample_store(), &command.split(' ').collect::<Vec<_>>());
        for expected in lines {
            // The beginning of a path is that of a machine, and `cut` leaves the beginning of a line.
            let (before, after) = expected.split_once('…').unwrap_or((expected, ""));
            let after = after.trim_start_matches("/diglot");
            let is_there = |line: &str| line.starts_with(before) && line.ends_with(after);
            assert!(printed.lines().any(is_there), "`diglot {command}` does not print {expected:?}:\n{printed}");
        }
        tried += 1;
    }
    assert!(tried >= 3, "{tried} queries");
}
