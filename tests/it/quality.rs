//! Scores on judged pairs: at or above what was recorded.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use crate::support::{data, rows, run, sample_store};

/// The row of a score.
fn score(store: &Path, gold: &Path, site: &str) -> Map<String, Value> {
    let file = |kind: &str| gold.join(format!("{site}.{kind}.tsv")).display().to_string();
    let scores = rows(store, &["eval", "--gold", &file("pairs"), "--grey", &file("grey")]);
    let all = scores.into_iter().find(|row| row["scope"] == "all" && row["name"] == "micro");
    all.expect("a row for all")
}

fn f1(row: &Map<String, Value>) -> f64 {
    row["f1"].as_f64().unwrap_or(0.0)
}

/// Pairs of a store, as sets of two addresses.
fn pairs(store: &Path) -> BTreeSet<BTreeSet<String>> {
    let text = |value: &Value| value.as_str().expect("an address").to_owned();
    rows(store, &["pairs"]).iter().map(|row| [text(&row["url_a"]), text(&row["url_b"])].into()).collect()
}

/// Gold keys that are among the found ones, and how many there are.
fn keys_found(store: &Path, gold: &Path, site: &str) -> (usize, usize) {
    let file = |kind: &str| gold.join(format!("{site}.{kind}.tsv")).display().to_string();
    let keys = rows(store, &["eval", "--what", "keys", "--gold", &file("keys"), "--pairs", &file("pairs")]);
    let count = |outcome: &str| keys.iter().filter(|row| row["outcome"] == outcome).count();
    (count("found"), count("found") + count("missed"))
}

#[test]
fn the_sample_is_paired_as_well_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    for (site, input, least) in [("webserver", "sites/webserver.warc.gz", 1.0), ("packaging", "sites/packaging", 1.0)] {
        let store = folder.path().join(site);
        run(&store, &[&data(input)]);
        let row = score(&store, &data("gold"), site);
        println!("{site}: {row:?}");
        assert!(f1(&row) >= least, "{site}: F1 {}, recorded {least}", f1(&row));
        let (found, all) = keys_found(&store, &data("gold"), site);
        assert_eq!((found, all > 0), (all, true), "{site}: keys");
    }
}

#[test]
fn two_sites_in_one_store_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut alone = BTreeSet::new();
    for (site, input) in [("w", "sites/webserver.warc.gz"), ("p", "sites/packaging")] {
        let store = folder.path().join(site);
        run(&store, &[&data(input)]);
        alone.extend(pairs(&store));
    }
    assert_eq!(pairs(sample_store()), alone);
}
