//! Stores of earlier releases: `tests/data/store-N` has one of format N, made by `tests/lab/scripts/old_store.py`, and what it exported.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use diglot::store::FORMAT_VERSION;
use serde_json::Value;
use zip::ZipArchive;

use crate::support::{diglot, export, failure, root, run};

/// The stores of earlier formats, and the one of this format once it was released.
fn old_stores() -> Vec<(u32, PathBuf)> {
    let folders = fs::read_dir(root().join("tests/data")).expect("it is there").flatten();
    let format = |path: &Path| path.file_name()?.to_str()?.strip_prefix("store-")?.parse().ok();
    folders.filter_map(|entry| Some((format(&entry.path())?, entry.path()))).collect()
}

/// Rows that were exported when the store was made.
fn recorded(folder: &Path, what: &str) -> Vec<Value> {
    let lines = fs::read_to_string(folder.join(format!("{what}.jsonl"))).expect("it is there");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Rows that a command prints of a store, which may be stale by now: then the command says so, but answers.
fn as_it_is(store: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = diglot(store).args(arguments).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.lines().all(|line| line.contains(" stale; ")), "{stderr}");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Compares an export with what was recorded, in the columns that were recorded: later releases may have more.
fn assert_exports(store: &Path, folder: &Path, what: &str) {
    let found = as_it_is(store, &["-q", "export", "--format", "jsonl", "--what", what]);
    let expected = recorded(folder, what);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(&expected) {
        for (column, value) in expected.as_object().expect("an object") {
            assert_eq!(&found[column], value, "{what}: {column} of {found}");
        }
    }
}

/// The addresses of the pairs of a store.
fn addresses(pairs: impl IntoIterator<Item = Value>) -> Vec<[String; 2]> {
    let text = |value: &Value| value.as_str().expect("a URL").to_owned();
    pairs.into_iter().map(|pair| [text(&pair["url_a"]), text(&pair["url_b"])]).collect()
}

#[test]
fn a_store_of_an_earlier_release_is_read_or_refused_by_the_command_that_makes_it_again() {
    let stores = old_stores();
    assert!(!stores.is_empty(), "no store of a release");
    for (format, folder) in stores {
        let made = tempfile::tempdir().expect("a folder");
        let store = made.path().join("old");
        let mut zip = ZipArchive::new(File::open(folder.join("store.zip")).expect("it is there")).expect("a ZIP");
        zip.extract(&store).expect("room on the disk");
        if format == FORMAT_VERSION {
            ["pairs", "bitext", "pages"].into_iter().for_each(|what| assert_exports(&store, &folder, what));
            let keys = as_it_is(&store, &["keys", "--format", "jsonl"]);
            assert_eq!((keys.len(), &keys[0]["key"]), (1, &"path:en:fr".into()));
            diglot(&store).arg("check").output().map(|done| assert!(done.status.success())).expect("it starts");
            // What this release computes in another way is made again of the stored pages; the archive is not asked for.
            let done = diglot(&store).args(["-q", "run", "--reset", "scorer"]).output().expect("it starts");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            assert_eq!(addresses(export(&store, &[])), addresses(recorded(&folder, "pairs")));
            continue;
        }
        let (code, stderr) = failure(diglot(&store).arg("pairs"));
        assert!(code == 1 && stderr.contains(&format!("written in format {format}")), "{stderr}");
        assert!(stderr.contains("`diglot run ARCHIVE... --store NEW`"), "{stderr}");
        let again = made.path().join("new");
        run(&again, &[&folder.join("site.warc.gz")]);
        let expected = addresses(recorded(&folder, "pairs"));
        let found = addresses(export(&again, &[]));
        // The page that was removed from the old store is not removed from the archive.
        assert!(expected.iter().all(|pair| found.contains(pair)), "{found:?}");
    }
}
