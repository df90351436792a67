//! What is given away: exports of many files, parts for training and tests, data sets, and what is taken down.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use diglot::types::grouped;
use serde_json::Value;
use tempfile::TempDir;

use crate::sites::SiteBuilder;
use crate::support::{Held, diglot, failure, fed, files, packaging, run, sample_store, text, webserver};

/// A store of sites with pages in three languages.
fn store(domains: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut site = SiteBuilder::default();
    for domain in 0..domains {
        for number in 0..4 {
            for lang in ["en", "fr", "de"] {
                // Archives have URLs in many forms.
                site.page(format!("http://SITE{domain}.test:80/{lang}/p{number}.html"), lang, domain * 10 + number);
            }
        }
    }
    let (archive, store) = (folder.path().join("a.warc.gz"), folder.path().join("s"));
    site.write(&archive);
    run(&store, &[&archive]);
    (folder, store)
}

fn rows(bytes: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(bytes).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What `export` writes into a folder, and what it says.
fn export(store: &Path, folder: &Path, arguments: &[&str]) -> (BTreeMap<String, Vec<u8>>, String) {
    let mut command = diglot(store);
    let ended = command.arg("export").args(arguments).arg("-o").arg(folder).assert().success().stdout("");
    (files(folder), String::from_utf8_lossy(&ended.output.stderr).into_owned())
}

fn lines_of(store: &Path, arguments: &[&str]) -> Vec<Value> {
    let mut command = diglot(store);
    let ended = command.args(["-q", "export", "--format", "jsonl"]).args(arguments).assert().success();
    rows(&ended.output.stdout)
}

#[test]
fn a_folder_has_each_row_once_in_the_file_of_its_languages_and_its_part() {
    let (folder, store) = store(12);
    let all = lines_of(&store, &["--what", "bitext"]);
    let arguments =
        ["--what", "bitext", "--format", "jsonl", "--partition-by", "langs", "--split", "train=.5,dev=.2,test=.3"];
    let out = folder.path().join("out");
    let (found, told) = export(&store, &out, &arguments);
    let count = grouped(all.len() as u64);
    assert!(told.contains(&format!("{count} sentence pairs in {} files, ", found.len())), "{told}");
    let mut parts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for (name, bytes) in &found {
        let (langs, part) = name.split_once('/').expect("a folder of languages");
        for row in rows(bytes) {
            assert_eq!(langs, format!("langs={}-{}", text(&row, "lang_a"), text(&row, "lang_b")));
            parts.entry(part.to_owned()).or_default().insert(text(&row, "domain").to_owned());
            assert!(ids.insert(text(&row, "id").to_owned()));
        }
    }
    assert_eq!(ids, all.iter().map(|row| text(row, "id").to_owned()).collect());
    assert_eq!(parts.keys().collect::<Vec<_>>(), ["dev.jsonl", "test.jsonl", "train.jsonl"]);
    let domains: usize = parts.values().map(BTreeSet::len).sum();
    assert_eq!(domains, parts.values().flatten().collect::<BTreeSet<_>>().len(), "a domain is in two parts: {parts:?}");
    // The folder is there, and nothing that lay beside it meanwhile.
    let beside: Vec<String> = fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("out"))
        .collect();
    assert_eq!(beside, ["out"]);
    let (code, told) = failure(diglot(&store).arg("export").args(arguments).arg("-o").arg(&out));
    assert!(code == 1 && told.contains("is a folder with files in it; give a new one"), "{told}");
}

#[test]
fn shards_are_one_file_when_they_are_put_together() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let whole = lines_of(store, &["--what", "bitext"]);
    let arguments = ["--what", "bitext", "--format", "jsonl", "--shard-size", "100K"];
    let (found, _) = export(store, &folder.path().join("plain"), &arguments);
    assert!(found.len() > 3, "{:?}", found.keys());
    assert_eq!(found.keys().next().map(String::as_str), Some("part-00000.jsonl"));
    assert_eq!(found.values().flat_map(|bytes| rows(bytes)).collect::<Vec<_>>(), whole);
    let most = found.values().map(Vec::len).max();
    assert!(most.is_some_and(|bytes| (100 << 10..300 << 10).contains(&bytes)), "{most:?}");
    let packed = [&arguments[..], &["--compression", "zstd"]].concat();
    let (found, _) = export(store, &folder.path().join("packed"), &packed);
    let unpacked = found.values().flat_map(|bytes| rows(&zstd::decode_all(bytes.as_slice()).expect("zstd")));
    assert_eq!(unpacked.collect::<Vec<_>>(), whole);
    assert!(found.keys().all(|name| name.ends_with(".jsonl.zst")), "{:?}", found.keys());
}

#[test]
fn all_language_pairs_are_written_by_one_call() {
    let (folder, store) = store(3);
    let (found, _) = export(&store, &folder.path().join("moses"), &["--format", "moses", "--partition-by", "langs"]);
    let names = ["de-en/part.de", "de-en/part.en", "de-fr/part.de", "de-fr/part.fr", "en-fr/part.en", "en-fr/part.fr"];
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), names);
    for pair in names.chunks(2) {
        let lines = |name: &str| String::from_utf8_lossy(&found[name]).lines().count();
        assert!(lines(pair[0]) > 5 && lines(pair[0]) == lines(pair[1]), "{pair:?}");
    }
    let (same, _) = export(&store, &folder.path().join("same/"), &["--format", "moses"]);
    assert_eq!(same, found, "a name that ends in / is a folder");
    let (found, told) = export(&store, &folder.path().join("data"), &["--format", "hf", "--min-score", "0.5"]);
    let names = ["README.md", "de-en/part.parquet", "de-fr/part.parquet", "en-fr/part.parquet"];
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), names, "{told}");
    let card = String::from_utf8_lossy(&found["README.md"]).into_owned();
    assert!(card.contains("- config_name: de-fr\n") && card.contains("- `min-score`: `0.5`\n"), "{card}");
    assert!(card.contains("| en-fr | train | "), "{card}");
}

#[test]
fn an_alignment_for_opus_links_the_sentences_of_documents_beside_it() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--format", "xces", "--langs", "en,fr"];
    let (found, told) = export(store, &folder.path().join("opus"), &arguments);
    let unpacked = |name: &str| {
        let mut text = String::new();
        let bytes = found.get(name).unwrap_or_else(|| panic!("no {name}")).as_slice();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(bytes), &mut text).expect("gzip");
        text
    };
    let plain =
        |text: &str| text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    let attributes = regex::Regex::new(r#" (\w+)="([^"]*)""#).expect("a pattern");
    let sentence = regex::Regex::new(r#"<s id="([^"]*)">(.*)</s>"#).expect("a pattern");
    let sentences = |name: &str| -> BTreeMap<String, String> {
        let of = |found: regex::Captures<'_>| (found[1].to_owned(), plain(&found[2]).replace("&amp;", "&"));
        sentence.captures_iter(&unpacked(name)).map(of).collect()
    };
    let (mut pairs, mut documents) = (Vec::new(), [BTreeMap::new(), BTreeMap::new()]);
    for line in unpacked("en-fr.xml.gz").lines() {
        let of: BTreeMap<&str, &str> = attributes
            .captures_iter(line)
            .map(|found| {
                let (_, [name, value]) = found.extract();
                (name, value)
            })
            .collect();
        if line.starts_with("<linkGrp ") {
            documents = [of["fromDoc"], of["toDoc"]].map(&sentences);
        } else if line.starts_with("<link ") {
            let (a, b) = of["xtargets"].split_once(';').expect("two sides");
            let text = |side: usize, ids: &str| {
                ids.split(' ').map(|id| documents[side][id].as_str()).collect::<Vec<_>>().join(" ")
            };
            pairs.push([text(0, a), text(1, b), of["certainty"].to_owned()]);
        }
    }
    let expected: Vec<[String; 3]> = lines_of(store, &["--what", "bitext", "--langs", "en,fr"])
        .iter()
        .map(|row| {
            [
                text(row, "text_a").to_owned(),
                text(row, "text_b").to_owned(),
                row["score"].as_f64().expect("a number").to_string(),
            ]
        })
        .collect();
    assert!(
        pairs.len() > 100 && told.contains(&format!("{} sentence pairs in {} files, ", pairs.len(), found.len())),
        "{told}"
    );
    assert_eq!(pairs, expected);
}

#[test]
fn parts_that_no_domain_falls_to_are_told() {
    let (folder, store) = store(1);
    let (found, told) = export(&store, &folder.path().join("out"), &["--split", "train=.98,dev=.01,test=.01"]);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["train.tsv"]);
    assert!(told.contains("--split has no rows in dev, test: it deals out whole domains"), "{told}");
}

#[test]
fn what_is_asked_wrongly_leaves_nothing() {
    let store = sample_store();
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    for (arguments, expected) in [
        ("--what lexicon --langs en,fr --shard-size 1M", "--shard-size needs --what pairs"),
        (
            "--what units --partition-by langs",
            "--partition-by langs needs --what pairs, bitext, rebuild, documents, pages",
        ),
        ("--format xces --shard-size 1M", "--shard-size cuts files, and --format xces has one for each page"),
        ("--format xces --compression zstd", "--format xces is not compressed by zstd; expected gzip or none"),
        ("--split train=.9", "the shares are 0.9 together, expected 1"),
        ("--shard-size 0", "expected bytes, or a number with K"),
        ("--compression zstd", "--compression zstd is for Parquet and folders"),
    ] {
        let mut command = diglot(store);
        let ended = command.arg("export").args(arguments.split(' ')).arg("-o").arg(&out).assert().code(2);
        let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
        assert!(told.contains(expected), "{told}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
    let (code, told) = failure(diglot(store).args(["export", "--shard-size", "1M"]));
    assert!(code == 2 && told.contains("give -o FOLDER"), "{told}");
    let (code, told) = failure(diglot(store).args(["export", "--shard-size", "1M", "-o"]).arg(store.join("x")));
    assert!(code == 2 && told.contains("lies in the folder of a store"), "{told}");
}

#[test]
fn what_is_taken_down_is_in_no_export() {
    let (folder, store) = store(4);
    let list = folder.path().join("list.txt");
    let gone = "http://site1.test/fr/p0.html";
    fs::write(&list, format!("# May\nsite0.test\nnone.test # long gone\n{gone}\n")).expect("room on the disk");
    let named = "of 1 line of --take-down there are no";
    for what in ["pairs", "bitext", "rebuild", "documents", "pages", "units"] {
        let all = lines_of(&store, &["--what", what]);
        let mut command = diglot(&store);
        command.args(["export", "--format", "jsonl", "--what", what, "--take-down"]).arg(&list);
        let ended = command.assert().success();
        let left = rows(&ended.output.stdout);
        let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
        assert!(left.len() < all.len() && told.contains(&format!("{} ", all.len() - left.len())), "{what}: {told}");
        let found = String::from_utf8_lossy(&ended.output.stdout).into_owned();
        assert!(!found.contains("site0.test") && !found.contains(gone) && found.contains("site3.test"), "{what}");
        assert!(told.contains(named) && told.contains(" here: none.test\n"), "{what}: {told}");
    }
    let copy = folder.path().join("copy.warc");
    let mut command = diglot(&store);
    command.args(["export", "--what", "warc", "--take-down"]).arg(&list).arg("-o").arg(&copy).assert().success();
    let found = String::from_utf8_lossy(&fs::read(&copy).expect("it was written")).to_lowercase();
    assert!(
        !found.contains("site0.test") && !found.contains("site1.test:80/fr/p0.html") && found.contains("site3.test")
    );
    fs::write(&list, "urn:uuid:1\n").expect("room on the disk");
    let (code, told) = failure(diglot(&store).args(["export", "--what", "fetch", "--take-down"]).arg(&list));
    assert!(code == 2 && told.contains("record ids, which --what fetch has none of"), "{told}");
    // Records of units are known though no column has their names.
    let store = sample_store();
    let has = |unit: &Value, url: &str| unit["texts"].as_array().expect("texts").iter().any(|at| at["url"] == url);
    let units = lines_of(store, &["--what", "units"]);
    // Pages of a mirror have no records.
    let urls = units.iter().map(|unit| text(&unit["texts"][0], "url"));
    let url = urls.into_iter().find(|url| url.contains("webserver")).expect("a page of an archive");
    let page = lines_of(store, &["--what", "pages", "--where", &format!("url={url}")]).remove(0);
    fs::write(&list, text(&page, "record_id")).expect("room on the disk");
    let left = lines_of(store, &["--what", "units", "--take-down", &list.display().to_string()]);
    assert_eq!(left, units.iter().filter(|unit| !has(unit, url)).cloned().collect::<Vec<_>>());
}

#[test]
fn bitext_is_made_again_byte_for_byte_without_the_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let store = sample_store();
    let arguments = ["-q", "export", "--keep-all", "--record-ids", "--what"];
    diglot(store).args(arguments).args(["bitext", "-o"]).arg(path("whole.jsonl")).assert().success();
    let mut command = diglot(store);
    let listed = [&arguments[..3], &["--what", "rebuild", "-o"]].concat();
    command.args(listed).arg(path("list.jsonl.zst")).assert().success();
    let list = zstd::decode_all(fs::read(path("list.jsonl.zst")).expect("it was written").as_slice()).expect("zstd");
    let whole = fs::read(path("whole.jsonl")).expect("it was written");
    let first = rows(&whole).into_iter().max_by_key(|row| text(row, "text_a").len()).expect("a row");
    assert!(!String::from_utf8_lossy(&list).contains(text(&first, "text_a")), "a list has no texts");

    // The archives may have other names and places.
    let moved = path("moved");
    fs::create_dir(&moved).expect("a folder");
    fs::copy(webserver(), moved.join("x.gz")).expect("room on the disk");
    let rebuild = |inputs: &[&Path], out: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diglot"));
        command.current_dir(folder.path()).env_remove("DIGLOT_STORE").args(["rebuild", "--record-ids"]).args(more);
        command.arg(path("list.jsonl.zst")).args(inputs).arg("-o").arg(path(out));
        command
    };
    let packaging = packaging();
    rebuild(&[&moved, &packaging], "again.jsonl", &[]).assert().success();
    assert!(fs::read(path("again.jsonl")).expect("it was written") == whole, "other rows");
    assert!(!path("diglot.store").exists());

    // What is taken down does not come back, and what the archives lack is told.
    fs::write(path("gone.txt"), "packaging.site.test\n").expect("room on the disk");
    let ended = rebuild(&[&moved], "less.jsonl", &["--take-down", "gone.txt"]).assert().success();
    let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
    assert!(told.contains(" sentence pairs left out by --take-down"), "{told}");
    let is_left = |row: &Value| !text(row, "url_a").contains("packaging") && !text(row, "url_b").contains("packaging");
    let left: Vec<Value> = rows(&whole).into_iter().filter(is_left).collect();
    assert_eq!(rows(&fs::read(path("less.jsonl")).expect("it was written")), left);
    let ended = rebuild(&[&moved], "lacking.jsonl", &[]).assert().code(1);
    let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
    let lacking = grouped((rows(&whole).len() - left.len()) as u64);
    assert!(told.contains(&format!(", and lacks {lacking}: {lacking} whose page is not in the archives")), "{told}");

    let other = String::from_utf8_lossy(&list).replace("diglot-extraction-", "diglot-extraction-1");
    fs::write(path("list.jsonl.zst"), other).expect("room on the disk");
    let (code, told) = failure(&mut rebuild(&[&moved], "none.jsonl", &[]));
    assert!(code == 1 && told.contains("was made with diglot-extraction-1"), "{told}");
    assert!(!path("none.jsonl").exists());
    let (code, told) = failure(diglot(store).args(["export", "--what", "rebuild", "--join", "100"]));
    assert!(code == 2 && told.contains("--join needs --what bitext"), "{told}");
}

/// A list of the sentence pairs of two languages.
fn list(store: &Path, folder: &Path) -> PathBuf {
    let path = folder.join("list.jsonl");
    let arguments = ["-q", "export", "--what", "rebuild", "--langs", "fr,en", "-o"];
    diglot(store).args(arguments).arg(&path).assert().success();
    path
}

fn rebuild(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diglot"));
    command.current_dir(folder).env_remove("DIGLOT_STORE").arg("rebuild").args(arguments);
    command
}

#[test]
fn what_is_made_again_has_the_same_rows_in_every_format() {
    let (folder, store) = store(2);
    let folder = folder.path();
    list(&store, folder);
    for (format, name, files) in [
        ("tsv", "x.tsv", ["x.tsv"].as_slice()),
        ("csv", "x.csv", &["x.csv"]),
        ("jsonl", "x.jsonl", &["x.jsonl"]),
        ("tmx", "x.tmx", &["x.tmx"]),
        ("moses", "x", &["x.en", "x.fr"]),
        (
            "xces",
            "x",
            &["x/fr-en.xml.gz", "x/fr/site0.test/fr-en-000001.xml.gz", "x/en/site1.test/fr-en-000005.xml.gz"],
        ),
        ("bitextor", "x.tsv", &["x.tsv"]),
        ("hf", "x.jsonl", &["x.jsonl"]),
        #[cfg(feature = "parquet")]
        ("parquet", "x.parquet", &["x.parquet"]),
        #[cfg(feature = "parquet")]
        ("arrow", "x.arrow", &["x.arrow"]),
    ] {
        let (before, after) = (folder.join(format!("{format} before")), folder.join(format!("{format} after")));
        [&before, &after].into_iter().for_each(|folder| fs::create_dir(folder).expect("room on the disk"));
        let mut command = diglot(&store);
        command.args(["export", "--what", "bitext", "--langs", "fr,en", "--format", format, "-o"]);
        command.arg(before.join(name)).assert().success();
        let mut command = rebuild(folder, &["list.jsonl", "a.warc.gz", "--format", format, "-o"]);
        command.arg(after.join(name)).assert().success();
        for file in files {
            let [before, after] = [&before, &after].map(|folder| fs::read(folder.join(file)).expect("it was written"));
            assert!(before == after && before.len() > 200, "{format}: {file}");
        }
    }
    let bytes = fs::read(folder.join("a.warc.gz")).expect("an archive");
    let again = fed(&mut rebuild(folder, &["list.jsonl", "-", "--format", "jsonl"]), &bytes);
    assert_eq!(again.stdout, fs::read(folder.join("jsonl after/x.jsonl")).expect("it was written"));
    rebuild(folder, &["list.jsonl", "a.warc.gz", "--format", "hf", "-o", "data.v1", "--split", "a=.5,b=.5"])
        .assert()
        .success();
    let found = files(&folder.join("data.v1"));
    assert!(found.keys().all(|name| name == "README.md" || name.starts_with("fr-en/")) && found.len() > 1, "{found:?}");
}

#[test]
fn what_cannot_be_made_again_is_told_before_archives_are_read_or_is_counted() {
    let (folder, store) = store(2);
    let folder = folder.path();
    list(&store, folder);
    diglot(&store).args(["export", "--what", "rebuild", "-o"]).arg(folder.join("all.jsonl")).assert().success();
    let whole = fs::read(folder.join("a.warc.gz")).expect("an archive");
    fs::write(folder.join("cut.warc.gz"), &whole[..whole.len() / 2]).expect("room on the disk");
    let told = |code: i32, arguments: &str, expected: &str| {
        let mut command = rebuild(folder, &arguments.split(' ').collect::<Vec<_>>());
        let ended = command.args(["-o", "out"]).assert().code(code);
        let told = String::from_utf8_lossy(&ended.output.stderr).into_owned();
        assert!(told.contains(expected), "{arguments}: {told}");
    };
    told(2, "all.jsonl a.warc.gz --format moses", "3 pairs of languages are in the list; give --partition-by langs");
    told(2, "list.jsonl a.warc.gz --format tmx --detect", "--detect writes columns, which --format tmx has none of");
    told(2, "list.jsonl a.warc.gz --compression zstd", "--compression zstd is for Parquet and folders");
    told(1, "a.warc.gz a.warc.gz", "has no row of `diglot export --what rebuild`");
    assert!(!folder.join("out").exists() && !folder.join("out.part").exists());
    told(1, "list.jsonl none.warc", "none.warc");
    told(1, "list.jsonl cut.warc.gz", "damaged or cut off, and read as far as they can be: 1 archive");
    told(1, "list.jsonl cut.warc.gz", " whose page is not in the archives");
    told(1, "list.jsonl a.warc.gz --max-record-bytes 1024", " whose record is longer than --max-record-bytes");
    told(1, "list.jsonl none.warc a.warc.gz --keep-going", "1 input was not read to the end, and nothing is lacking");
    assert!(folder.join("out").exists());
    if cfg!(feature = "parquet") {
        let out = folder.join("list.parquet");
        let (code, told) = failure(diglot(&store).args(["export", "--what", "rebuild", "-o"]).arg(out));
        assert!(code == 2 && told.contains("does not hold --what rebuild; expected .jsonl, .ndjson"), "{told}");
    }
}
