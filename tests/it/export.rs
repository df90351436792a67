//! What is handed over to other tools: formats, marks, documents, pages, and parts of crawls.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::sites::SiteBuilder;
use crate::support::{Held, as_listed, diglot, failure, run, sample_store, stdout, text};

/// A folder with a store of one site in English and French, and the archive it was read from.
fn site(archive: &str) -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join(archive), folder.path().join("s"));
    pages(0..30).write(&archive);
    run(&store, &[&archive]);
    (folder, store, archive)
}

/// Pages of these numbers, in English and French.
fn pages(numbers: std::ops::Range<usize>) -> SiteBuilder {
    let mut site = SiteBuilder::default();
    for number in numbers {
        for lang in ["en", "fr"] {
            site.page(format!("http://ex.test/{lang}/p{number}.html"), lang, number);
        }
    }
    site
}

fn objects(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What an export of JSON Lines holds.
fn export(store: &Path, arguments: &[&str]) -> Vec<Value> {
    objects(&stdout(store, &[&["export", "--format", "jsonl"], arguments].concat()))
}

#[test]
fn the_ending_of_the_file_says_the_format() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let begins = [
        ("x.tmx", "<?xml"),
        ("x.csv", "url_a,url_b,"),
        ("x.jsonl", "{\"url_a\":"),
        ("x.JSONL", "{\"url_a\":"),
        ("x.tsv", "url_a\turl_b\t"),
        ("x.arrow", "ARROW1"),
        ("x.parquet", "PAR1"),
        ("x", "url_a\turl_b\t"),
    ];
    for (name, begin) in begins {
        let file = folder.path().join(name);
        let ended = diglot(store).args(["export", "-o"]).arg(&file).assert().success().stdout("");
        let bytes = fs::read(&file).expect("it was written");
        let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
        let is_told = told.starts_with("diglot: ") && told.ends_with(&format!("iB: {}\n", file.display()));
        assert!(is_told && [" pairs of pages, ", " sentence pairs, "].iter().any(|rows| told.contains(rows)), "{told}");
        assert!(bytes.starts_with(begin.as_bytes()), "{name}: {:?}", String::from_utf8_lossy(&bytes[..20]));
    }
    for (arguments, found, expected) in [
        ("--format jsonl", "y.tmx", "--format jsonl makes no .tmx file; expected .jsonl, .ndjson"),
        ("--format parquet", "y.csv.gz", "--format parquet makes no .csv file; expected .parquet"),
        ("--what pages", "y.tmx", "a .tmx file does not hold --what pages; expected .jsonl"),
        ("--what bitext", "y.parquet.gz", "--format parquet is compressed by itself; leave out .gz"),
        (
            "--what fetch --min-score 0.5",
            "y.tsv",
            "--min-score needs --what pairs, bitext, rebuild, documents, units; --what is fetch",
        ),
        ("--keep-all", "y.tsv", "--keep-all needs --what bitext, rebuild, documents; --what is pairs"),
        ("--format hf", "y.jsonl", "pairs of languages are there; choose two by --langs, or write all"),
    ] {
        let file = folder.path().join(found);
        let (code, stderr) = failure(diglot(store).arg("export").args(arguments.split(' ')).arg("-o").arg(&file));
        assert!(code == 2 && stderr.contains(expected), "{code} {stderr}");
        assert!(!file.exists());
    }
}

#[test]
fn what_no_stage_has_made_is_no_empty_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, archive) = (folder.path().join("s"), folder.path().join("a.warc.gz"));
    pages(0..3).write(&archive);
    diglot(&store).arg("-q").arg("ingest").arg(&archive).assert().success();
    for (what, rows) in [("pairs", "pairs of pages"), ("bitext", "sentence pairs"), ("pages", "pages")] {
        let file = folder.path().join(format!("{what}.jsonl"));
        let (code, stderr) = failure(diglot(&store).args(["export", "--what", what, "-o"]).arg(&file));
        assert!(code == 1 && stderr.contains(&format!("no {rows} to export: index")), "{stderr}");
        assert!(stderr.contains("`diglot run") && !file.exists(), "{stderr}");
    }
}

#[test]
fn an_empty_result_is_a_valid_file_and_said() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.tmx");
    let mut command = diglot(store);
    let told = command.args(["export", "--langs", "ja,ru", "-o"]).arg(&file).assert().success();
    let told = String::from_utf8_lossy(&told.output.stderr).into_owned();
    assert!(
        told.starts_with("diglot: 0 sentence pairs, ") && told.contains("\ndiglot: no page is in ja or ru; "),
        "{told}"
    );
    let tmx = fs::read_to_string(&file).expect("it was written");
    assert!(tmx.contains("<body>") && tmx.trim_end().ends_with("</tmx>"), "{tmx}");
    diglot(store).args(["-q", "export", "--langs", "ja,ru"]).assert().success().stderr("");
    let mut command = diglot(store);
    command.args(["export", "--format", "hf", "--langs", "ja,ru"]).assert().success().stdout("");
}

#[test]
fn a_host_and_a_limit_work_as_in_listings() {
    let store = sample_store();
    let host = "webserver.site.test";
    let all = stdout(store, &["export", "--host", host]);
    assert_eq!(stdout(store, &["export", host]), all);
    assert_eq!(stdout(store, &["pairs", host]), as_listed(&all));
    let first = stdout(store, &["export", host, "--limit", "3"]);
    assert_eq!(first, all.lines().take(4).map(|line| format!("{line}\n")).collect::<String>());
    diglot(store).args(["export", host, "--host", host]).assert().code(2);
}

#[test]
fn documents_hold_texts_and_the_sentences_of_bitext_in_their_places() {
    let (_folder, store, archive) = site("a.warc.gz");
    let documents = export(&store, &["--what", "documents"]);
    let pairs = export(&store, &["--what", "pairs"]);
    assert_eq!(documents.len(), 30);
    let named = |row: &Value| ["url_a", "url_b", "method", "key"].map(|field| text(row, field).to_owned());
    let sorted = |rows: &[Value]| rows.iter().map(named).collect::<BTreeSet<_>>();
    assert_eq!(sorted(&documents), sorted(&pairs));
    let mut found = BTreeSet::new();
    for document in &documents {
        assert_eq!(text(document, "archive_a"), archive.display().to_string());
        assert_eq!(text(document, "date_b"), SiteBuilder::DAY);
        for (side, lang) in [("a", "en"), ("b", "fr")] {
            let field = |name: &str| format!("{name}_{side}");
            assert_eq!(text(document, &field("lang")), lang);
            let paragraphs: Vec<&str> = text(document, &field("text")).lines().collect();
            assert_eq!(document[field("tags")].as_array().map(Vec::len), Some(paragraphs.len()));
            for sentences in document["sentences"].as_array().expect("a list") {
                let number = |name: &str| sentences[field(name)].as_u64().expect("a number") as usize;
                let (paragraph, said) = (paragraphs[number("paragraph")], text(sentences, &field("text")));
                // Sentences of this site end with a point and a space.
                let first = paragraph.split_inclusive(". ").nth(number("sentence")).unwrap_or_default();
                assert!(said.starts_with(first.trim()) && paragraph.contains(said), "{paragraph}: {sentences}");
                assert!(number("count") > 0);
            }
        }
        let texts = |row: &Value| (text(row, "text_a").to_owned(), text(row, "text_b").to_owned());
        found.extend(document["sentences"].as_array().into_iter().flatten().map(texts));
    }
    let bitext = export(&store, &["--what", "bitext"]);
    assert!(bitext.len() > 20);
    for row in &bitext {
        assert!(found.contains(&(text(row, "text_a").into(), text(row, "text_b").into())), "{row}");
    }
    let turned = export(&store, &["--what", "documents", "--langs", "fr,en"]);
    assert_eq!(text(&turned[0], "lang_a"), "fr");
    assert_eq!(turned[0]["sentences"][0]["text_b"], documents[0]["sentences"][0]["text_a"]);
}

#[test]
fn pages_are_texts_by_language() {
    let (_folder, store, _) = site("a.warc.gz");
    let all = export(&store, &["--what", "pages"]);
    assert_eq!(all.len(), 60);
    let french = export(&store, &["--what", "pages", "--langs", "fr"]);
    assert_eq!(french.len(), 30);
    assert!(french.iter().all(|page| text(page, "url").contains("/fr/") && text(page, "text").lines().count() >= 6));
}

/// What rows are known by, as a set; each must be there once.
fn known(rows: &[Value], fields: &[&str]) -> BTreeSet<Vec<String>> {
    let set: BTreeSet<Vec<String>> =
        rows.iter().map(|row| fields.iter().map(|field| row[*field].to_string()).collect()).collect();
    assert_eq!(set.len(), rows.len());
    set
}

#[test]
fn what_came_since_a_mark_and_what_was_before_are_all_there_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let store = folder.path().join("s");
    pages(0..20).write(Path::new(&path("a.warc.gz")));
    pages(15..40).write(Path::new(&path("b.warc.gz")));
    let contents = [
        ("pairs", vec!["url_a", "url_b"]),
        ("bitext", vec!["text_a", "text_b"]),
        ("documents", vec!["url_a", "url_b", "text_a", "text_b"]),
        ("pages", vec!["url", "text"]),
    ];
    run(&store, &[Path::new(&path("a.warc.gz"))]);
    let first: Vec<_> =
        contents.iter().map(|(what, _)| export(&store, &["--what", what, "--mark", &path(what)])).collect();
    run(&store, &[Path::new(&path("b.warc.gz"))]);
    for ((what, fields), first) in contents.iter().zip(first) {
        let mark = path(what);
        // Half of it, and then the rest: a mark grows.
        let half = export(&store, &["-q", "--what", what, "--since", &mark, "--mark", &mark, "--limit", "7"]);
        let rest = export(&store, &["--what", what, "--since", &mark, "--mark", &mark]);
        assert!(half.len() == 7 && !rest.is_empty(), "{what}");
        let full = known(&export(&store, &["--what", what]), fields);
        let parts = [known(&first, fields), known(&half, fields), known(&rest, fields)];
        assert_eq!(parts.iter().map(BTreeSet::len).sum::<usize>(), full.len(), "{what}: a row came twice, or is lost");
        assert_eq!(parts.into_iter().flatten().collect::<BTreeSet<_>>(), full, "{what}");
        // In the other order of languages they are the same rows.
        let mut command = diglot(&store);
        command.args(["export", "--what", what, "--since", &mark]);
        let langs: &[&str] = if *what == "pages" { &[] } else { &["--langs", "fr,en"] };
        let none = command.args(langs).args(["--format", "jsonl"]).assert().success().stdout("");
        assert!(String::from_utf8_lossy(&none.output.stderr).starts_with("diglot: 0 "), "{what}");
    }
    // Judged anew, rows that are gone are told of, and none comes twice.
    diglot(&store).args(["-q", "run", "--langs", "en,ko"]).assert().success();
    let mark = path("pairs");
    let mut command = diglot(&store);
    let gone = command.args(["export", "--since", &mark, "--mark", &mark]).assert().success();
    let told = String::from_utf8_lossy(&gone.output.stderr).into_owned();
    assert!(told.contains("40 pairs of pages exported before are not among these any more"), "{told}");
    diglot(&store).args(["-q", "run", "--reset", "langs"]).assert().success();
    assert!(export(&store, &["-q", "--what", "pairs", "--since", &mark]).is_empty());

    let (code, stderr) = failure(diglot(&store).args(["export", "--what", "bitext", "--since", &mark]));
    assert!(code == 1 && stderr.contains("is a mark of --what pairs, expected one of --what bitext"), "{stderr}");
    let (code, stderr) = failure(diglot(&store).args(["export", "--since", &path("none")]));
    assert!(code == 1 && stderr.contains("none: opening failed"), "{stderr}");
}

#[test]
fn a_part_of_a_crawl_gives_the_same_pairs_again() {
    let (folder, store, archive) = site("a.warc.gz");
    let path = |name: &str| folder.path().join(name);
    let pairs = stdout(&store, &["pairs"]);
    let bitext = stdout(&store, &["bitext"]);
    let again = |exported: &Path, name: &str| {
        let other = path(name);
        run(&other, &[exported]);
        assert_eq!(stdout(&other, &["pairs"]), pairs, "{name}");
        assert_eq!(stdout(&other, &["bitext"]), bitext, "{name}");
    };
    let export = |store: &Path, arguments: &[&str], file: &Path| {
        diglot(store)
            .args(["-q", "export", "--what", "warc"])
            .args(arguments)
            .arg("-o")
            .arg(file)
            .assert()
            .success()
            .stderr("");
        fs::read(file).expect("it was written")
    };
    let packed = export(&store, &[], &path("part.warc.gz"));
    again(&path("part.warc.gz"), "of-members");
    // All members are of paired pages, and stand there byte for byte.
    let original = fs::read(&archive).expect("it is there");
    assert!(packed.ends_with(&original), "members were copied in their order");
    let plain = export(&store, &["ex.test"], &path("part.warc"));
    assert!(plain.starts_with(b"WARC/1.1\r\n"));
    again(&path("part.warc"), "of-records");
    // A plain archive as members.
    let of_plain = export(&path("of-records"), &[], &path("again.warc.gz"));
    assert!(of_plain.starts_with(&[0x1f, 0x8b]));
    again(&path("again.warc.gz"), "of-plain");
    // Of an archive of frames.
    let records: Vec<u8> = {
        let mut records = Vec::new();
        let marker = b"WARC/1.";
        let mut starts: Vec<usize> = memchr::memmem::find_iter(&plain, marker).collect();
        starts.push(plain.len());
        for ends in starts.windows(2) {
            records.extend(zstd::encode_all(&plain[ends[0]..ends[1]], 3).expect("memory"));
        }
        records
    };
    fs::write(path("frames.warc.zst"), records).expect("room on the disk");
    run(&path("of-frames"), &[&path("frames.warc.zst")]);
    export(&path("of-frames"), &[], &path("framed.warc.gz"));
    again(&path("framed.warc.gz"), "of-framed");

    // What is not as it was is not copied.
    let other = path("moved");
    let mut command = diglot(&store);
    command.args(["export", "--what", "warc", "-o"]).arg(path("none.warc"));
    fs::rename(&archive, &other).expect("the same folder");
    let (code, stderr) = failure(&mut command);
    assert!(code == 1 && stderr.contains("a.warc.gz: is not there any more"), "{stderr}");
    fs::write(&archive, &original[1..]).expect("room on the disk");
    let (code, stderr) = failure(&mut command);
    assert!(code == 1 && stderr.contains("has other bytes than when it was read"), "{stderr}");
    assert!(!path("none.warc").exists() && !path("none.warc.part").exists());
}

#[test]
fn what_cannot_be_copied_is_counted_under_a_reason() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.warc.gz");
    let (code, told) = failure(diglot(store).args(["export", "--what", "warc", "-o"]).arg(&file));
    let path = file.display();
    assert!(code == 1 && told.starts_with(&format!("diglot: {path} has ")), "{told}");
    assert!(told.contains(" records, and lacks ") && told.ends_with(" in a mirror of HTTrack\n"), "{told}");
    // What is asked for is there, whatever else is not.
    let mut command = diglot(store);
    command.args(["-q", "export", "webserver.site.test", "--what", "warc", "-o"]).arg(folder.path().join("part.warc"));
    command.assert().success().stderr("");
    let other = folder.path().join("s");
    run(&other, &[&file]);
    let of_webserver = |store: &Path| stdout(store, &["-q", "pairs", "webserver.site.test", "--min-score", "0.9"]);
    assert!(of_webserver(&other).lines().count() > 20, "{}", of_webserver(&other));
}

#[test]
fn records_of_a_host_are_of_the_languages_that_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut site = pages(0..12);
    for number in 0..12 {
        site.page(format!("http://ex.test/de/p{number}.html"), "de", number);
    }
    site.page("http://ex.test/alone.html".to_owned(), "de", 77);
    site.write(&path("a.warc.gz"));
    run(&path("s"), &[&path("a.warc.gz")]);
    let urls = |arguments: &[&str], name: &str| {
        let mut command = diglot(&path("s"));
        command.args(["-q", "export", "ex.test", "--what", "warc"]).args(arguments).arg("-o").arg(path(name));
        command.assert().success().stderr("");
        let records = String::from_utf8_lossy(&fs::read(path(name)).expect("it was written")).into_owned();
        let urls = records.lines().filter_map(|line| line.strip_prefix("WARC-Target-URI: "));
        urls.map(|url| url.trim().to_owned()).collect::<BTreeSet<_>>()
    };
    assert_eq!(urls(&[], "all.warc").len(), 37);
    let some = urls(&["--langs", "en,fr"], "some.warc");
    assert_eq!(some.len(), 24);
    assert!(some.iter().all(|url| url.contains("/en/") || url.contains("/fr/")), "{some:?}");
}

#[test]
fn sentence_pairs_that_another_store_has_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = |name: &str, domains: std::ops::Range<usize>, langs: [&str; 2]| {
        let mut site = SiteBuilder::default();
        for (domain, number) in domains.flat_map(|domain| (0..4).map(move |number| (domain, number))) {
            for lang in langs {
                let url = format!("http://{name}{domain}.test/{lang}/p{number}.html");
                site.page(url, lang, domain * 10 + number);
            }
        }
        let (archive, store) = (folder.path().join(format!("{name}.warc.gz")), folder.path().join(name));
        site.write(&archive);
        run(&store, &[&archive]);
        store
    };
    let (known, other) = (store("known", 0..4, ["en", "fr"]), store("other", 2..6, ["en", "de"]));
    let new = store("new", 1..6, ["en", "fr"]);
    let rows = |store: &Path, arguments: &[&str]| -> (Vec<(String, String)>, String) {
        let mut command = diglot(store);
        command.args(["export", "--what", "bitext", "--format", "jsonl"]).args(arguments);
        let output = command.assert().success().output;
        let lines = String::from_utf8(output.stdout).expect("UTF-8");
        let row = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
        let texts = |row: Value| (text(&row, "text_a").to_owned(), text(&row, "text_b").to_owned());
        (lines.lines().map(|line| texts(row(line))).collect(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (all, (there, _)) = (rows(&new, &[]).0, rows(&known, &[]));
    let expected: Vec<_> = all.iter().filter(|row| !there.contains(row)).cloned().collect();
    assert!(!expected.is_empty() && expected.len() < all.len(), "{} of {}", expected.len(), all.len());
    let [known, other] = [known, other].map(|store| store.display().to_string());
    // The same texts in other languages are others.
    let (found, told) = rows(&new, &["--not-in", &known, "--not-in", &other]);
    assert_eq!(found, expected);
    let left_out = all.len() - expected.len();
    assert!(told.contains(&format!("{left_out} sentence pairs left out: in another store")), "{told}");
    // The order of the languages does not matter.
    assert_eq!(rows(&new, &["--not-in", &known, "--langs", "fr,en"]).0.len(), expected.len());
    assert_eq!(rows(&new, &["--not-in", &new.display().to_string()]).0, []);
    let reasons = export(&new, &["-q", "--what", "bitext", "--keep-all", "--not-in", &known]);
    let elsewhere = reasons.iter().filter(|row| row["reason"] == "in another store");
    assert_eq!(elsewhere.count(), left_out);
    let asked = ["-q", "--what", "bitext", "--keep-all", "--not-in", &known, "--where", "reason=in another store"];
    assert_eq!(export(&new, &asked).len(), left_out, "conditions see the reason");
    let (_, told) = rows(&new, &["--keep-all", "--not-in", &known, "--limit", "1"]);
    assert!(told.contains("have the reason in another store"), "{told}");
    // A list with such rows can be rebuilt.
    let list = folder.path().join("list.jsonl");
    let asked = ["export", "-q", "--what", "rebuild", "--keep-all", "--not-in", &known, "-o"];
    diglot(&new).args(asked).arg(&list).assert().success();
    let mut command = diglot(Path::new("none"));
    let rebuilt = folder.path().join("rebuilt.jsonl");
    command.arg("rebuild").arg(&list).arg(folder.path().join("new.warc.gz")).arg("-o").arg(&rebuilt).assert().success();
    let rebuilt = std::fs::read_to_string(&rebuilt).expect("a file");
    assert_eq!(rebuilt.matches(r#""in another store""#).count(), left_out);
    let (code, told) = failure(diglot(&new).args(["export", "--what", "pairs", "--not-in", &known]));
    assert!(code == 2 && told.contains("--not-in needs --what bitext, rebuild"), "{told}");
    let (code, told) = failure(diglot(&new).args(["export", "--what", "bitext", "--not-in", "no.store"]));
    assert!(code == 1 && told.contains("no.store"), "{told}");
}
