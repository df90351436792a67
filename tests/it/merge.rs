//! A merged store is that of one run on all archives.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use crate::support::*;

/// Exports of everything that archives and stages make, byte for byte.
fn exports(store: &Path) -> [String; 3] {
    ["pages", "pairs", "bitext"].map(|what| {
        let exported = stdout(store, &["-q", "export", "--what", what, "--format", "jsonl"]);
        assert!(!exported.is_empty(), "{what}");
        exported
    })
}

fn merge(stores: &[&Path], out: &Path) -> String {
    let mut command = diglot(Path::new("none"));
    let ended = command.arg("merge").args(stores).arg("-o").arg(out).assert().success();
    String::from_utf8_lossy(&ended.output.stdout).into_owned() + &String::from_utf8_lossy(&ended.output.stderr)
}

/// Two archives of the records of a WARC: those of its first two thirds, and those of its last two thirds.
fn overlapping(warc: &Path, folder: &Path) -> [PathBuf; 2] {
    let bytes = fs::read(warc).expect("a file");
    let (mut rest, mut ends) = (bytes.as_slice(), vec![0]);
    while !rest.is_empty() {
        let mut member = GzDecoder::new(rest);
        std::io::copy(&mut member, &mut std::io::sink()).expect("gzip");
        rest = member.into_inner();
        ends.push(bytes.len() - rest.len());
    }
    let third = ends.len() / 3;
    let parts = [&bytes[..ends[2 * third]], &bytes[ends[third]..]];
    let paths = ["first.warc.gz", "last.warc.gz"].map(|name| folder.join(name));
    for (path, part) in paths.iter().zip(parts) {
        fs::write(path, part).expect("room on the disk");
    }
    paths
}

#[test]
fn the_halves_of_the_sample_merge_into_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let [a, b, out] = ["a", "b", "out"].map(|name| folder.path().join(name));
    run(&a, &[&webserver()]);
    // Whether a store has results makes no difference.
    diglot(&b).args(["ingest", "-q"]).arg(packaging()).assert().success();
    let before = [files(&a), files(&b)];
    let told = merge(&[&a, &b], &out);
    assert!(told.starts_with("merged: 2 archives, ") && told.contains(&format!("--store {}", out.display())), "{told}");
    assert_eq!([files(&a), files(&b)], before, "the sources have changed");
    diglot(&out).args(["check", "-q"]).assert().success();
    run(&out, &[]);
    assert_eq!(exports(&out), exports(sample_store()));
    // The archives are known.
    let told = diglot(&out).arg("run").args([webserver(), packaging()]).assert().success().output;
    assert!(String::from_utf8_lossy(&told.stderr).contains("nothing to do"), "{told:?}");
}

#[test]
fn stores_with_the_same_domains_and_captures_merge_into_that_of_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let [a, b, out, whole] = ["a", "b", "out", "whole"].map(|name| folder.path().join(name));
    let [first, last] = overlapping(&webserver(), folder.path());
    let site = packaging();
    for (store, archives) in [(&a, vec![&first, &site]), (&b, vec![&site, &last])] {
        let mut command = diglot(store);
        command.args(["run", "-q", "--until", "index"]).args(archives).assert().success();
    }
    let told = merge(&[&a, &b], &out);
    assert!(told.starts_with("merged: 3 archives, ") && told.contains("1 archive in several"), "{told}");
    run(&out, &[]);
    run(&whole, &[&first, &site, &last]);
    assert_eq!(exports(&out), exports(&whole));
    let status = |store: &Path| stdout(store, &["status", "--format", "tsv"]);
    let counts = |text: String| text.lines().filter(|line| !line.starts_with("stage")).collect::<Vec<_>>().join("\n");
    assert_eq!(counts(status(&out)), counts(status(&whole)));
}

#[test]
fn what_a_store_has_removed_stays_removed_from_its_archives() {
    let folder = tempfile::tempdir().expect("a folder");
    let [a, b, out] = ["a", "b", "out"].map(|name| folder.path().join(name));
    let archives = ["one", "two"].map(|name| folder.path().join(format!("{name}.warc")));
    tiny_site(&archives[0]);
    let words =
        "Another page, which is long enough to be one, and has other words than those of the first site. ".repeat(3);
    let html = &format!("<html lang=en><p>{words}");
    write_warc(
        &archives[1],
        &[("http://tiny.test/en/garden.html", "200 OK", html), ("http://x.test/", "200 OK", html)],
    );
    diglot(&a).args(["ingest", "-q"]).arg(&archives[0]).assert().success();
    diglot(&b).args(["ingest", "-q"]).args(&archives).assert().success();
    for url in ["http://tiny.test/fr/garden.html", "http://tiny.test/en/garden.html"] {
        diglot(&a).args(["remove", "-q", "--url", url]).assert().success();
    }
    // Marks on what is gone go too.
    let mark = |other: &str| format!("{{\"url_a\": \"http://tiny.test/en/garden.html\", \"url_b\": \"{other}\"}}\n");
    let kept = mark("http://x.test/");
    fs::create_dir_all(b.join("review")).expect("room on the disk");
    let marks = mark("http://tiny.test/fr/garden.html") + &kept;
    fs::write(b.join("review/marks.jsonl"), marks).expect("room on the disk");
    let urls = |store: &Path| -> Vec<String> {
        run(store, &[]);
        export(store, &["--what", "pages"]).iter().map(|row| text(row, "url").to_owned()).collect()
    };
    for stores in [[&a, &b], [&b, &a]] {
        let told = merge(&stores.map(PathBuf::as_path), &out);
        assert!(told.contains("merged: 2 archives, 10 captures"), "{told}");
        // The first store's own removals are no news.
        assert_eq!(told.contains("2 captures left out"), stores[0] == &b, "{told}");
        assert!(told.contains("1 name of hosts or URLs"), "{told}");
        assert_eq!(fs::read_to_string(out.join("review/marks.jsonl")).expect("marks"), kept);
        let urls = urls(&out);
        assert!(urls.contains(&"http://tiny.test/en/garden.html".to_owned()), "the other archive has it: {urls:?}");
        assert!(!urls.contains(&"http://tiny.test/fr/garden.html".to_owned()), "{urls:?}");
        let told = stdout(&out, &["remove", "--url", "http://tiny.test/fr/garden.html"]);
        assert_eq!(told, "removed already: tiny.test/fr/garden.html\n");
        fs::remove_dir_all(&out).expect("it is ours");
    }
}

#[test]
fn an_archive_that_a_store_has_removed_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let [a, b, out, elsewhere] = ["a", "b", "out", "elsewhere"].map(|name| folder.path().join(name));
    let archive = folder.path().canonicalize().expect("a folder").join("tiny.warc");
    tiny_site(&archive);
    for store in [&a, &b] {
        diglot(store).args(["ingest", "-q"]).arg(&archive).arg(packaging()).assert().success();
    }
    diglot(&b).args(["remove", "-q", "--archive"]).arg(&archive).assert().success();
    for stores in [[&a, &b], [&b, &a]] {
        let told = merge(&stores.map(PathBuf::as_path), &out);
        assert!(told.contains("merged: 1 archive, ") && told.contains("tiny.warc is left out, since one of"), "{told}");
        fs::remove_dir_all(&out).expect("it is ours");
    }
    // It may be another archive that has this name elsewhere.
    fs::create_dir(&elsewhere).expect("room on the disk");
    let other = elsewhere.join("tiny.warc");
    fs::copy(&archive, &other).expect("room on the disk");
    fs::remove_dir_all(&a).expect("it is ours");
    diglot(&a).args(["ingest", "-q"]).arg(&other).assert().success();
    let told = merge(&[&a, &b], &out);
    assert!(told.contains("merged: 2 archives, ") && told.contains("tiny.warc is here, though one of the"), "{told}");
    fs::remove_dir_all(&out).expect("it is ours");
    // A store that has read it again has it.
    diglot(&b).args(["ingest", "-q"]).arg(&archive).assert().success();
    let told = merge(&[&a, &b], &out);
    assert!(told.contains("merged: 2 archives, ") && !told.contains("tiny.warc"), "{told}");
}

#[test]
fn a_merge_that_cannot_be_says_why_and_makes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let [a, b, out] = ["a", "b", "out"].map(|name| folder.path().join(name));
    let archive = folder.path().join("tiny.warc");
    tiny_site(&archive);
    diglot(&a).args(["ingest", "-q", "--max-record-bytes", "5000000"]).arg(&archive).assert().success();
    diglot(&b).args(["ingest", "-q"]).arg(packaging()).assert().success();
    let fails = |stores: &[&Path], expected: &str, code: i32| {
        let (found, told) = failure(diglot(Path::new("none")).args(["-q", "merge"]).args(stores).arg("-o").arg(&out));
        assert!(found == code && told.contains(expected), "{told}");
    };
    fails(&[&a, &a], "is named twice", 2);
    fails(&[&a, &folder.path().join("none")], "none", 1);
    fs::create_dir(&out).expect("room on the disk");
    fs::write(out.join("notes.txt"), "mine").expect("room on the disk");
    fails(&[&a, &b], "is a folder with files in it; give a new one", 1);
    fs::remove_dir_all(&out).expect("it is ours");
    let problem = format!("{} is a store already", b.display());
    let (code, told) = failure(diglot(Path::new("none")).arg("merge").args([&a, &b]).arg("-o").arg(&b));
    assert!(code == 1 && told.contains(&problem.replace(" is", ": is")), "{told}");
    // What a merge that was killed has left.
    let left = folder.path().join(".out.part/pages");
    fs::create_dir_all(&left).expect("room on the disk");
    fs::write(left.join("000000.rec"), "half").expect("room on the disk");
    let corrections = |store: &Path| store.join("corrections.tsv");
    let pages = "tiny.test/en/garden.html\ttiny.test/fr/garden.html\n";
    fs::write(corrections(&b), format!("forbid\t{pages}")).expect("room on the disk");
    fs::write(corrections(&a), format!("pin\t{pages}")).expect("room on the disk");
    fails(&[&b, &a], "`diglot correct undo", 2);
    assert!(!out.exists());
    fs::write(corrections(&a), "together\ttiny.test\tx.org\n").expect("room on the disk");
    let told = merge(&[&b, &a], &out);
    let found = fs::read_to_string(corrections(&out)).expect("corrections");
    assert!(found.contains("forbid\thttp://tiny.test/en/garden.html") && found.contains("together\t"), "{found}");
    let place = b.display();
    assert!(
        told.contains(&format!("max-record-bytes is the default in {place}, which holds, and 5000000 in ")),
        "{told}"
    );
    assert!(told.contains(&format!("{} was read with other settings of reading", a.display())), "{told}");
    assert!(!folder.path().join(".out.part").exists());
    fs::remove_dir_all(&out).expect("it is ours");
    // A damaged page.
    let pages = a.join("pages/000000.rec");
    let mut bytes = fs::read(&pages).expect("pages");
    bytes[100] ^= 1;
    fs::write(&pages, bytes).expect("room on the disk");
    fails(&[&b, &a], "diglot check --repair", 1);
    assert!(!out.exists() && !folder.path().join(".out.part").exists());
}
