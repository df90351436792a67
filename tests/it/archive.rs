//! Real archives are read as far as any reader reads them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diglot::archive::{Item, Params, capture, open};
use diglot::types::{Capture, Skip, SkipReason};

/// The folder of test data, which is no part of the package; `None` where it is not there.
fn shared(folder: &str) -> Option<PathBuf> {
    let shared = match std::env::var_os("DIGLOT_SHARED") {
        Some(shared) => PathBuf::from(shared),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let path = shared.join("data").join(folder);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn items(path: &Path) -> Vec<Item> {
    let mut archive = open(path, 0, &Params::default()).expect("an archive");
    let mut items = Vec::new();
    while let Some(item) = archive.next().expect("readable") {
        items.push(item);
    }
    items
}

/// The type of the record an item stands for; `None` for damage between records.
fn record_type(item: &Item) -> Option<String> {
    let word = |skip: &Skip| skip.detail.split(':').next().unwrap_or("").to_owned();
    match item {
        Item::Record(record) => Some(if record.http { "response" } else { "resource" }.to_owned()),
        Item::Skip(skip) => Some(word(skip)).filter(|word| word != "damage"),
    }
}

fn counts(items: &[Item]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for record_type in items.iter().filter_map(record_type) {
        *counts.entry(record_type).or_insert(0) += 1;
    }
    counts
}

#[test]
fn every_sample_gives_the_records_the_most_tolerant_reader_finds() {
    let Some(samples) = shared("warc-samples") else { return };
    let table = std::fs::read_to_string(samples.join("counts.tsv")).expect("the counts");
    let mut wrong = Vec::new();
    for line in table.lines().skip(1) {
        let mut columns = line.split('\t');
        let name = columns.next().expect("a name");
        // The larger count of the two readers'.
        let mut expected = BTreeMap::new();
        for column in columns.skip(1) {
            for (record_type, count) in column.split(' ').filter_map(|word| word.split_once(':')) {
                if let Ok(count) = count.parse::<usize>() {
                    let most = expected.entry(record_type.to_owned()).or_insert(0);
                    *most = count.max(*most);
                }
            }
        }
        let found = items(&samples.join(name));
        let counts = counts(&found);
        println!("{name}: {counts:?}");
        if counts != expected {
            wrong.push(format!("{name}: found {counts:?}, expected {expected:?}\n{}", listing(&found)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn listing(items: &[Item]) -> String {
    let line = |item: &Item| match item {
        Item::Record(record) => format!("  {}+{} {}", record.offset, record.length, record.url),
        Item::Skip(skip) => format!("  {}+{} {}: {}", skip.offset, skip.length, skip.reason, skip.detail),
    };
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}
