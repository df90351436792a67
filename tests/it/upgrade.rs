//! A store of the format before is upgraded where it is, and gives what a new one gives.
//!
//! `tests/data/format-4.zip` is the store that `diglot run tiny.warc --langs fr,en` made of
//! [`tiny_site`](crate::support::tiny_site) when stores had format 4.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use diglot::config::settings::configuration;
use diglot::pipeline::stale;
use diglot::query::{Scope, pairs};
use diglot::store::{Access, FORMAT_VERSION, Store};

use crate::support::{Held, diglot, failure, root, rows, run, stdout, tiny_site};

/// The store of format 4, in a folder of its own.
fn old_store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("old");
    let file = fs::File::open(root().join("tests/data/format-4.zip")).expect("it is in the repository");
    let mut archive = zip::ZipArchive::new(file).expect("a ZIP");
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).expect("an entry");
        let path = store.join(entry.enclosed_name().expect("a name"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("room on the disk");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("an entry");
        fs::write(path, bytes).expect("room on the disk");
    }
    (folder, store)
}

/// What a store exports of pairs and sentences.
fn exports(store: &Path) -> Vec<String> {
    let pairs = stdout(store, &["export", "--what", "pairs"]);
    let bitext = stdout(store, &["export", "--what", "bitext", "--keep-all"]);
    vec![pairs, bitext, stdout(store, &["keys", "--format", "tsv"]), stdout(store, &["hosts", "--format", "tsv"])]
}

/// A new store of the same site with the same settings.
fn new_store(folder: &Path) -> PathBuf {
    let (archive, store) = (folder.join("tiny.warc"), folder.join("new"));
    tiny_site(&archive);
    diglot(&store).args(["run", "--langs", "fr,en"]).arg(&archive).assert().success();
    store
}

#[test]
fn an_old_store_is_refused_for_reading_with_the_command_that_upgrades_it() {
    let (_folder, store) = old_store();
    let (code, stderr) = failure(diglot(&store).arg("pairs"));
    let advice = format!("`diglot run --store {}` upgrades it; archives are not read again", store.display());
    let expected = format!("written in format 4, this program reads {FORMAT_VERSION}; {advice}");
    assert!(code == 1 && stderr.contains(&expected) && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn an_old_store_gives_what_a_new_one_gives_without_its_archives() {
    let (folder, store) = old_store();
    let output = diglot(&store).arg("run").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.contains("upgraded the store from format 4"), "{stderr}");
    assert_eq!(exports(&store), exports(&new_store(folder.path())));
    // Once.
    let output = diglot(&store).arg("run").output().expect("it starts");
    assert!(output.status.success() && !String::from_utf8_lossy(&output.stderr).contains("upgraded"));
}

#[test]
fn an_upgrade_keeps_what_has_kept_its_layout() {
    let (_folder, path) = old_store();
    let pages = fs::read(path.join("pages/000000.rec")).expect("it is there");
    let store = Store::open(&path, Access::Write).expect("it is upgraded");
    assert_eq!((store.upgraded_from, store.was_rebuilt), (Some(4), false));
    assert_eq!((store.site_count().expect("readable"), store.archive_count().expect("readable")), (1, 1));
    // The pairs of keys have kept theirs, what was judged of them has not.
    let config = configuration(&store.settings().values).0;
    let found = pairs(&store, &config, &Scope::all()).expect("readable");
    assert!(found.len() == 5 && found.iter().all(|pair| pair.method == "key"), "{found:?}");
    let stale: Vec<&str> = stale(&store, &config, "align").expect("readable").iter().map(|stage| stage.name).collect();
    // What archives held is there; all that follows is made again from it.
    assert_eq!(stale, ["index", "links", "keys", "verify", "iterate", "align"]);
    drop(store);
    assert_eq!(fs::read(path.join("pages/000000.rec")).expect("it is there"), pages);
    assert_eq!(Store::open(&path, Access::Read).expect("it is of this format now").upgraded_from, None);
}

#[test]
fn an_upgrade_that_was_stopped_before_the_manifest_is_taken_up_again() {
    let (folder, store) = old_store();
    let manifest = fs::read(store.join("manifest.json")).expect("it is there");
    drop(Store::open(&store, Access::Write).expect("it is upgraded"));
    fs::write(store.join("manifest.json"), manifest).expect("room on the disk");
    drop(Store::open(&store, Access::Write).expect("it is upgraded"));
    diglot(&store).arg("run").assert().success();
    assert_eq!(exports(&store), exports(&new_store(folder.path())));
}

#[test]
fn an_old_store_with_a_damaged_catalog_is_rebuilt_from_its_record_files() {
    let (folder, store) = old_store();
    fs::remove_dir_all(store.join("catalog")).expect("it is there");
    run(&store, &[]);
    assert_eq!(rows(&store, &["pairs"]).len(), 5);
    assert_eq!(exports(&store), exports(&new_store(folder.path())));
}

/// Older releases knew an archive by its length and ends.
#[test]
fn an_archive_that_an_older_release_read_is_not_read_again() {
    let (folder, store) = old_store();
    let archive = folder.path().join("tiny.warc");
    tiny_site(&archive);
    for reread in [&["--reread"][..], &[], &["--reread"]] {
        let output = diglot(&store).arg("ingest").args(reread).arg(&archive).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("inputs: 1 already read"), "{stderr}");
    }
    assert_eq!(Store::open(&store, Access::Read).expect("a store").archive_count().expect("readable"), 1);
    // By what this release knows of it, it can be removed, and is then read anew.
    diglot(&store).args(["remove", "--archive", "tiny.warc"]).assert().success();
    let output = diglot(&store).arg("ingest").arg(&archive).output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("inputs: 1 read"), "{output:?}");
}
