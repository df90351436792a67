//! From archives to sentence pairs in files, as a user does it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use tempfile::TempDir;

use crate::sites::{SiteBuilder, diglot, stdout};
use crate::support::sample_store;

/// A store of a site whose pages come in English and French.
fn store() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (archive, store) = (folder.path().join("site.warc.gz"), folder.path().join("s"));
    let mut site = SiteBuilder::default();
    site.pages(&["en", "fr"], 30, |lang, n| format!("http://ex.test/{lang}/p{n}.html"));
    site.write(&archive);
    stdout(diglot(&store).arg("run").arg(&archive));
    (folder, store)
}

fn export(store: &Path, args: &[&str]) -> String {
    stdout(diglot(store).arg("export").args(args))
}

#[test]
fn sentence_pairs_of_a_run_are_translations() {
    let (_folder, store) = store();
    let listing = stdout(diglot(&store).args(["bitext", "ex.test", "--format", "tsv"]));
    let mut lines = listing.lines();
    assert!(lines.next().is_some_and(|head| head.starts_with("text_a\ttext_b\tlang_a\tlang_b\tscore\turl_a\turl_b")));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    assert!(rows.len() > 10, "{listing}");
    let pairs = [("old miller", "vieux meunier"), ("village doctor", "médecin du village")];
    for row in &rows {
        assert_eq!(row[2..4], ["en", "fr"]);
        for (en, fr) in pairs {
            assert_eq!(row[0].contains(en), row[1].contains(fr), "{row:?}");
        }
        let score: f64 = row[4].parse().expect("a number");
        assert!((0.5..=1.0).contains(&score), "{row:?}");
    }
    let turned = stdout(diglot(&store).args(["bitext", "--langs", "fr,en", "--format", "tsv"]));
    assert_eq!(turned.lines().count(), listing.lines().count());
    assert!(turned.lines().nth(1).is_some_and(|line| line.contains("\tfr\ten\t")), "{turned}");
    let all = stdout(diglot(&store).args(["bitext", "--keep-all", "--format", "tsv"]));
    assert!(all.lines().count() > listing.lines().count());
    assert!(all.lines().any(|line| line.ends_with("duplicate")), "{all}");
    let explained = stdout(diglot(&store).args(["explain", "http://ex.test/en/p3.html", "http://ex.test/fr/p3.html"]));
    assert!(explained.contains("\ntheir sentences\n"), "{explained}");
    let status = stdout(diglot(&store).args(["status", "--format", "tsv"]));
    assert!(status.contains("stage\talign\t-\tfresh"), "{status}");
}

#[test]
fn moses_files_are_parallel_line_by_line() {
    let (folder, store) = store();
    let base = folder.path().join("corpus");
    export(&store, &["--format", "moses", "-o", base.to_str().expect("UTF-8")]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    let (en, fr) = (read("corpus.en"), read("corpus.fr"));
    assert_eq!(en.lines().count(), fr.lines().count());
    let tsv = export(&store, &["--what", "bitext"]);
    for ((en, fr), row) in en.lines().zip(fr.lines()).zip(tsv.lines().skip(1)) {
        assert!(row.starts_with(&format!("{en}\t{fr}\ten\tfr\t")), "{row}");
    }
    let refused = diglot(&store).args(["export", "--format", "moses"]).output().expect("it starts");
    assert_eq!(refused.status.code(), Some(2), "two files do not go to stdout");
}

#[test]
fn compressed_files_hold_what_plain_ones_do() {
    let (folder, store) = store();
    let plain = export(&store, &["--what", "bitext", "--format", "jsonl"]);
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for name in ["x.jsonl.gz", "x.jsonl.zst"] {
        export(&store, &["--what", "bitext", "--format", "jsonl", "-o", &path(name)]);
        let file = fs::File::open(path(name)).expect("it was written");
        let mut text = String::new();
        if name.ends_with("gz") {
            flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).expect("gzip");
        } else {
            zstd::Decoder::new(file).expect("zstd").read_to_string(&mut text).expect("zstd");
        }
        assert!(text == plain, "{name}");
    }
    assert!(
        fs::read_dir(folder.path())
            .expect("a folder")
            .flatten()
            .all(|file| { !file.file_name().to_string_lossy().ends_with(".part") })
    );
}

const DTD: &str = include_str!("../tmx14.dtd");

/// What the DTD says of an element.
#[derive(Default)]
struct Declared {
    content: String,
    attributes: BTreeMap<String, bool>,
}

fn declared() -> BTreeMap<String, Declared> {
    let mut all: BTreeMap<String, Declared> = BTreeMap::new();
    for part in DTD.split("<!").skip(1) {
        let part = part.split('>').next().unwrap_or_default();
        if let Some(rest) = part.strip_prefix("ELEMENT ") {
            let (name, content) = rest.split_once(' ').expect("a content model");
            all.entry(name.into()).or_default().content = content.replace(char::is_whitespace, "");
        } else if let Some(rest) = part.strip_prefix("ATTLIST ") {
            let (name, rest) = rest.split_once(char::is_whitespace).expect("attributes");
            for line in rest.lines().map(str::trim).filter(|line| !line.is_empty()) {
                let attribute = line.split(' ').next().expect("a name").to_owned();
                all.entry(name.into()).or_default().attributes.insert(attribute, line.ends_with("#REQUIRED"));
            }
        }
    }
    all
}

/// True when the names of children fit a content model of the DTD.
fn fits(model: &str, children: &[String]) -> bool {
    let any = |names: &str, child: &String| names.split('|').any(|name| name == child);
    match model {
        "(#PCDATA)" | "EMPTY" => children.is_empty(),
        _ => {
            // Parts in order; each is a name or a choice of names, with * or + behind it.
            let inner = match model.strip_suffix('*') {
                Some(choice) => return children.iter().all(|child| any(choice.trim_matches(['(', ')']), child)),
                None => &model[1..model.len() - 1],
            };
            let mut rest = children;
            for part in inner.split(',') {
                let names = part.trim_end_matches(['*', '+']).trim_matches(['(', ')']);
                let here = rest.iter().take_while(|child| any(names, child)).count();
                let taken = match part.chars().last() {
                    Some('*') => here,
                    Some('+') if here > 0 => here,
                    Some('+') | None => return false,
                    Some(_) if here > 0 => 1,
                    Some(_) => return false,
                };
                rest = &rest[taken..];
            }
            rest.is_empty()
        }
    }
}

fn check_attributes(element: &BytesStart<'_>, declared: &Declared) {
    let name = element.name().as_ref().to_owned();
    let given: Vec<String> =
        element.attributes().map(|attribute| attribute.expect("sound").key.as_ref().to_owned()).collect();
    for (attribute, is_required) in &declared.attributes {
        assert!(!is_required || given.contains(attribute), "{name} lacks {attribute}");
    }
    for attribute in &given {
        assert!(declared.attributes.contains_key(attribute), "{name} has {attribute}");
    }
}

#[test]
fn tmx_is_as_its_dtd_wants_it() {
    let (folder, store) = store();
    let path = folder.path().join("site.tmx");
    export(&store, &["--format", "tmx", "-o", path.to_str().expect("UTF-8")]);
    check_by_dtd(&path);
    // Units of documents in up to four languages.
    export(sample_store(), &["--what", "units", "-o", path.to_str().expect("UTF-8")]);
    check_by_dtd(&path);
    let text = fs::read_to_string(&path).expect("it was written");
    let tuvs = text.split("</tu>").map(|tu| tu.matches("<tuv ").count()).max();
    assert_eq!(tuvs, Some(4));
}

/// Checks that a TMX file with more than a few units is as the DTD wants it.
fn check_by_dtd(path: &Path) {
    let text = fs::read_to_string(path).expect("it was written");
    assert!(text.matches("<tu ").count() > 10);
    let declared = declared();
    let mut open: Vec<(String, Vec<String>)> = Vec::new();
    let mut reader = Reader::from_str(&text);
    loop {
        match reader.read_event().expect("well-formed") {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let (Event::Start(element) | Event::Empty(element)) = &event else { unreachable!("as matched") };
                let name = element.name().as_ref().to_owned();
                check_attributes(element, declared.get(&name).unwrap_or_else(|| panic!("{name} is not declared")));
                if let Some((_, children)) = open.last_mut() {
                    children.push(name.clone());
                }
                if matches!(event, Event::Start(_)) {
                    open.push((name, Vec::new()));
                }
            }
            Event::End(_) => {
                let (name, children) = open.pop().expect("well-formed");
                assert!(fits(&declared[&name].content, &children), "{name}: {children:?}");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    // The real thing, where it is installed.
    let dtd = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tmx14.dtd");
    if let Ok(output) = Command::new("xmllint").arg("--noout").arg("--dtdvalid").arg(dtd).arg(path).output() {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_check_against_the_dtd_finds_what_is_wrong() {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let tu = &declared()["tu"].content;
    assert!(fits(tu, &names(&["prop", "note", "tuv", "tuv"])));
    assert!(!fits(tu, &names(&["prop"])));
    assert!(!fits(tu, &names(&["tuv", "prop"])));
    let tmx = &declared()["tmx"].content;
    assert!(fits(tmx, &names(&["header", "body"])) && !fits(tmx, &names(&["body", "header"])));
    assert!(fits(&declared()["header"].content, &names(&["prop", "ude"])));
    assert!(declared()["tuv"].attributes["xml:lang"] && !declared()["tu"].attributes["tuid"]);
}

/// As near duplicates are compared.
fn near(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    kept.map(|c| if c.is_numeric() { '0' } else { c }).collect()
}

/// Sentence pairs with all addresses on the first side that say them.
fn sources(jsonl: &str) -> BTreeMap<(String, String), Vec<String>> {
    let mut found = BTreeMap::new();
    for line in jsonl.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = |side: &str| near(line[side].as_str().expect("a text"));
        let url = |value: &serde_json::Value| value.as_str().expect("an address").to_owned();
        let others = line["also"].as_array().map_or(&[][..], |others| &others[..]);
        let urls =
            std::iter::once(url(&line["url_a"])).chain(others.iter().map(|other| url(&other["url_a"]))).collect();
        let before: Option<Vec<String>> = found.insert((text("text_a"), text("text_b")), urls);
        assert_eq!(before, None, "said twice: {line}");
    }
    found
}

#[test]
fn what_several_sites_say_is_kept_once_with_all_its_sources() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = |name: &str| folder.path().join(name);
    for (name, first) in [("a", 0), ("b", 10), ("c", 20)] {
        let mut site = SiteBuilder::default();
        for number in first..first + 30 {
            for lang in ["en", "fr"] {
                site.page(format!("http://{name}.test/{lang}/p{number}.html"), lang, number);
            }
        }
        site.write(&archive(name));
    }
    let store = folder.path().join("s");
    stdout(diglot(&store).arg("run").args([archive("a"), archive("b"), archive("c")]));
    let all = export(&store, &["--what", "bitext", "--format", "jsonl"]);
    let found = sources(&all);
    let is_of = |url: &str, site: &str| url.starts_with(&format!("http://{site}.test/"));
    let shared = found.values().filter(|urls| is_of(&urls[0], "a") && urls.iter().any(|url| is_of(url, "b")));
    assert!(shared.count() > 20, "{all}");
    // Nothing is lost: what a site says alone is said by all of them, and its pages are among the sources.
    for site in ["a", "b", "c"] {
        let alone =
            sources(&export(&store, &["--what", "bitext", "--format", "jsonl", "--host", &format!("{site}.test")]));
        assert!(alone.len() > 20);
        for (texts, urls) in &alone {
            let all = found.get(texts).unwrap_or_else(|| panic!("{texts:?} is lost"));
            assert!(urls.iter().all(|url| all.contains(url)), "{urls:?} {all:?}");
        }
    }
    let left_out = stdout(diglot(&store).args(["bitext", "--keep-all", "--format", "tsv"]));
    assert!(left_out.lines().any(|line| line.contains("http://b.test/") && line.ends_with("duplicate")));
    let status = stdout(diglot(&store).args(["status", "--format", "tsv"]));
    assert!(status.contains(&format!("total\tsentence pairs\t{}\t", found.len())), "{status}");
    // Whichever archive came first.
    let turned = folder.path().join("t");
    for name in ["c", "a", "b"] {
        stdout(diglot(&turned).arg("run").arg(archive(name)));
    }
    assert_eq!(export(&turned, &["--what", "bitext", "--format", "jsonl"]), all);
    // While a site is not aligned anew, the others have all of theirs.
    let mut more = SiteBuilder::default();
    for lang in ["en", "fr"] {
        more.page(format!("http://a.test/{lang}/q.html"), lang, 3);
    }
    more.write(&archive("more"));
    let stale = folder.path().join("u");
    stdout(diglot(&stale).arg("run").args([archive("a"), archive("b")]));
    stdout(diglot(&stale).args(["run", "--until", "iterate"]).arg(archive("more")));
    let alone = sources(&export(&stale, &["--what", "bitext", "--format", "jsonl", "--host", "b.test"]));
    let of_both = sources(&export(&stale, &["--what", "bitext", "--format", "jsonl"]));
    assert!(alone.len() > 20 && alone.keys().all(|texts| of_both.contains_key(texts)));
    // What is held against a site that is gone from the comparison comes back with it.
    stdout(diglot(&turned).args(["run", "--langs", "en,de"]));
    assert_eq!(export(&turned, &["--what", "bitext", "--format", "jsonl"]), "");
    stdout(diglot(&turned).args(["run", "--reset", "langs"]));
    assert_eq!(export(&turned, &["--what", "bitext", "--format", "jsonl"]), all);
}

/// The lines of `bitext` as objects.
fn objects(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn others_are_the_other_page_pairs_that_have_the_sentence_pair_each_once() {
    let all = ["--what", "bitext", "--keep-all", "--format", "jsonl"];
    let lines = objects(&export(sample_store(), &all));
    let urls = |line: &serde_json::Value| [line["url_a"].to_string(), line["url_b"].to_string()];
    let text = |line: &serde_json::Value, side: &str| line[side].to_string().split_whitespace().collect::<String>();
    // What stands where it would be kept if it were not said elsewhere already.
    let mut places: BTreeMap<[String; 4], BTreeSet<[String; 2]>> = BTreeMap::new();
    let said = |line: &serde_json::Value| {
        [line["lang_a"].to_string(), line["lang_b"].to_string(), text(line, "text_a"), text(line, "text_b")]
    };
    for line in &lines {
        if [None, Some("duplicate")].contains(&line["reason"].as_str()) {
            places.entry(said(line)).or_default().insert(urls(line));
        }
    }
    let mut seen = 0;
    for line in lines.iter().filter(|line| line["reason"].is_null()) {
        let mut expected = places[&said(line)].clone();
        expected.remove(&urls(line));
        let others = line["also"].as_array().map_or(&[][..], |others| &others[..]);
        let found: BTreeSet<[String; 2]> =
            others.iter().map(|pair| ["url_a", "url_b"].map(|name| pair[name].to_string())).collect();
        assert_eq!((&found, found.len()), (&expected, others.len()), "{line}");
        seen += others.len();
    }
    assert!(seen > 0, "nothing is said twice");
}
