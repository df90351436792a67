//! Folders of pages: what `wget`, curl or a browser saved, without a cache or a list.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{diglot, export, failure, rows, tiny_site};

/// The pages of the tiny site, saved below `folder`.
pub fn save(folder: &Path) {
    let en = "The museum opens every morning at nine and shows the work of the painters who lived in the valley";
    let fr =
        "Le musée ouvre tous les matins à neuf heures et montre les œuvres des peintres qui vivaient dans la vallée";
    for (at, name) in ["paintings", "drawings", "visitors", "history", "garden"].iter().enumerate() {
        for (lang, text) in [("en", en), ("fr", fr)] {
            let html =
                format!("<html lang={lang}><title>{name}</title><body><p>{text}, {at}.</p><p>{text}.</p></body>");
            let path = folder.join(lang).join(format!("{name}.html"));
            fs::create_dir_all(path.parent().expect("a parent")).expect("room on the disk");
            fs::write(path, html).expect("room on the disk");
        }
    }
}

pub fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    stderr
}

pub fn pairs(store: &Path) -> Vec<String> {
    let rows = rows(store, &["pairs"]);
    rows.iter().map(|row| format!("{} {} {}", row["url_a"], row["url_b"], row["score"])).collect()
}

#[test]
fn a_saved_site_gives_the_pairs_of_its_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("tiny.warc"));
    save(&at("wget/tiny.test"));
    save(&at("export"));
    succeeds(diglot(&at("archive")).arg("run").arg(at("tiny.warc")));
    succeeds(diglot(&at("hosts")).arg("run").arg(at("wget")));
    succeeds(diglot(&at("host")).arg("run").arg(at("wget/tiny.test")));
    succeeds(diglot(&at("base")).arg("run").arg(at("export")).args(["--base-url", "http://tiny.test"]));
    let expected = pairs(&at("archive"));
    assert_eq!(expected.len(), 5);
    for store in ["hosts", "host", "base"] {
        assert_eq!(pairs(&at(store)), expected, "{store}");
    }
}

#[test]
fn presets_are_compared_on_a_saved_site_once_its_address_is_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("tiny.warc"));
    save(&at("export"));
    succeeds(diglot(&at("archive")).arg("run").arg(at("tiny.warc")));
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let gold = |row: &serde_json::Map<String, serde_json::Value>| {
        format!("{}\n", ["url_a", "url_b", "lang_a", "lang_b"].map(|column| text(&row[column])).join("\t"))
    };
    let gold: String = rows(&at("archive"), &["pairs"]).iter().map(gold).collect();
    fs::create_dir(at("gold")).and_then(|()| fs::write(at("gold/tiny.pairs.tsv"), gold)).expect("room on the disk");
    let compare = |more: &[&str]| {
        let mut command = diglot(&at("s"));
        command.arg("compare").arg(at("export")).arg("--gold").arg(at("gold"));
        command.args(["--presets", "default", "--format", "tsv", "--quiet"]).args(more);
        command
    };
    let (code, stderr) = failure(&mut compare(&[]));
    assert!(code == 1 && stderr.contains("--base-url"), "{stderr}");
    let (code, stderr) = failure(&mut compare(&["--base-url", "tiny.test"]));
    assert!(code == 2 && stderr.contains("the address of a page"), "{stderr}");
    let output = compare(&["--base-url", "http://tiny.test"]).output().expect("it starts");
    let listed = String::from_utf8_lossy(&output.stdout);
    assert!(listed.lines().any(|line| line.starts_with("default\ttiny\t1") && line.contains("\t5\t")), "{listed}");
}

#[test]
fn a_folder_that_does_not_say_its_address_needs_one_and_the_store_keeps_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    save(&at("first"));
    save(&at("second"));
    for command in ["run", "ingest"] {
        let (code, stderr) = failure(diglot(&at("s")).arg(command).arg(at("first")));
        assert!(code == 1 && stderr.contains("`--base-url https://example.org/`"), "{stderr}");
        assert!(!at("s").exists(), "nothing was read");
    }
    let (code, stderr) = failure(diglot(&at("s")).arg("ingest").arg(at("first")).args(["--base-url", "tiny.test"]));
    assert!(code == 2 && stderr.contains("expected the address of a page"), "{stderr}");
    succeeds(diglot(&at("s")).arg("ingest").arg(at("first")).args(["--base-url", "http://tiny.test/a/index.html"]));
    fs::write(at("second/en/more.html"), fs::read(at("second/en/garden.html")).expect("a page")).expect("room");
    // The store remembers it, and a folder that was read needs it no more.
    succeeds(diglot(&at("s")).arg("ingest").arg(at("second")));
    succeeds(diglot(&at("s")).args(["ingest", "--reset", "base-url"]).arg(at("first")));
    let (_, stderr) = failure(diglot(&at("s")).arg("run").arg(at("second/fr")));
    assert!(stderr.contains("--base-url"), "{stderr}");
    let stderr = succeeds(diglot(&at("s")).args(["run", "--base-url", "http://else.test"]));
    assert!(stderr.contains("keep their addresses"), "{stderr}");
    let urls: Vec<String> = export(&at("s"), &["--what", "pages"]).iter().map(|row| row["url"].to_string()).collect();
    assert!(urls.contains(&"\"http://tiny.test/a/en/more.html\"".to_owned()), "{urls:?}");
    assert!(urls.iter().all(|url| url.starts_with("\"http://tiny.test/a/")), "{urls:?}");
}

#[test]
fn pages_that_name_their_addresses_need_no_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    tiny_site(&at("tiny.warc"));
    save(&at("html"));
    fs::create_dir(at("saved")).expect("a folder");
    for lang in ["en", "fr"] {
        for entry in fs::read_dir(at("html").join(lang)).expect("a folder") {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let (page, url) = (fs::read_to_string(&path).expect("text"), format!("http://tiny.test/{lang}/{name}"));
            let (ending, text) = if lang == "en" {
                let head = format!(
                    "From: <Saved by Blink>\r\nSnapshot-Content-Location: {url}\r\nMIME-Version: 1.0\r\n\
                     Content-Type: multipart/related; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html\r\n\
                     Content-Transfer-Encoding: quoted-printable\r\n\r\n"
                );
                ("mhtml", head + &page.replace('=', "=3D").replace(", ", ",=\r\n ") + "\r\n--b--\r\n")
            } else {
                ("html", format!("<!DOCTYPE html><!--\n Page saved with SingleFile \n url: {url} \n-->{page}"))
            };
            fs::write(at("saved").join(format!("{lang} {name}.{ending}")), text).expect("room on the disk");
        }
    }
    succeeds(diglot(&at("archive")).arg("run").arg(at("tiny.warc")));
    succeeds(diglot(&at("folder")).arg("run").arg(at("saved")));
    let each = fs::read_dir(at("saved")).expect("a folder").map(|entry| entry.expect("a file").path());
    let told = succeeds(diglot(&at("each")).arg("run").args(each));
    assert!(told.contains("inputs: 10 read"), "{told}");
    // What browsers add to a page makes it longer, which moves scores a little: the last two of four digits are left out.
    let found =
        |store: &str| -> Vec<String> { pairs(&at(store)).iter().map(|row| row[..row.len() - 2].to_owned()).collect() };
    assert_eq!(found("folder"), found("archive"));
    assert_eq!(found("each"), found("archive"));
}

#[test]
fn pages_beside_archives_are_other_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    save(&at("in/tiny.test"));
    tiny_site(&at("in/tiny.warc"));
    let stderr = succeeds(diglot(&at("s")).arg("ingest").arg(at("in")));
    assert!(stderr.contains("inputs: 1 read, 1 skipped: ") && stderr.contains("pages beside archives"), "{stderr}");
    let skipped = || crate::support::stdout(&at("s"), &["status", "--archives"]).contains("skipped input");
    assert!(skipped());
    succeeds(diglot(&at("s")).arg("ingest").arg(at("in/tiny.test")));
    assert!(!skipped(), "the pages were read");
    // What lies between pages is of the site, and no input.
    fs::remove_file(at("in/tiny.warc")).expect("it is there");
    fs::write(at("in/tiny.test/all.zip"), "PK\x03\x04").expect("room on the disk");
    let stderr = succeeds(diglot(&at("t")).arg("ingest").arg(at("in")));
    assert!(stderr.contains("inputs: 1 read") && !stderr.contains("skipped"), "{stderr}");
}
