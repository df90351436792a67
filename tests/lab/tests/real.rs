//! Real archives are read as far as any reader reads them: `cargo test -p diglot-lab --test real`, with data that is no part
//! of the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use diglot::laboratory::archive::{Item, Params, capture, open};
use diglot::types::{Capture, Form, Skip};

#[path = "../../real/data.rs"]
mod data;

/// The folder of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
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
        Item::Record(record) => Some(
            match record.form {
                Form::Links => "metadata",
                Form::Text => "conversion",
                _ if record.http => "response",
                _ => "resource",
            }
            .to_owned(),
        ),
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
    let samples = data::real(root(), "warc-samples");
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

/// The pages of an archive by address.
fn pages(path: &Path) -> BTreeMap<String, Capture> {
    let record = |item| match item {
        Item::Record(record) => capture(record, &Params::default()).ok(),
        Item::Skip(_) => None,
    };
    items(path).into_iter().filter_map(record).map(|page| (page.url.clone(), page)).collect()
}

/// Who links to whom among the pages of an archive.
fn links(pages: &BTreeMap<String, Capture>) -> BTreeSet<(String, String)> {
    let mut links = BTreeSet::new();
    for (address, page) in pages {
        let base = url::Url::parse(address).expect("an address");
        let text = String::from_utf8_lossy(&page.body);
        for piece in text.split("href=").skip(1) {
            let quote = piece.chars().next().unwrap_or(' ');
            let value = piece[1..].split(quote).next().unwrap_or("").replace("&amp;", "&");
            if let Ok(mut target) = base.join(&value) {
                target.set_fragment(None);
                // HTTrack writes `href=""` as `href="#"`.
                if pages.contains_key(target.as_str()) && !value.is_empty() && value != "#" {
                    links.insert((address.clone(), target.into()));
                }
            }
        }
    }
    links
}

#[test]
fn a_mirror_without_its_cache_has_the_same_pages_and_links() {
    for site in ["devref", "guide", "harden", "packaging"] {
        let folder = data::mirror(root(), site);
        let root = folder.path().join(site);
        let with = pages(&root);
        let (cache, log) = (root.join("hts-cache/new.zip"), root.join("hts-cache/new.txt"));
        let zip = std::fs::read(&cache).expect("the cache");

        // The cache cut off in the middle, then thrown away, then the log too.
        std::fs::write(&cache, &zip[..zip.len() / 2]).expect("writable");
        let cut = pages(&root);
        std::fs::remove_file(&cache).expect("there");
        let without = pages(&root);
        std::fs::remove_file(&log).expect("there");
        let bare = pages(&root);

        let expected = links(&with);
        assert!(expected.len() > 100, "{site}");
        for (name, found) in [("cut", cut), ("without", without), ("bare", bare)] {
            let addresses = |pages: &BTreeMap<String, Capture>| pages.keys().cloned().collect::<Vec<_>>();
            assert_eq!(addresses(&found), addresses(&with), "{site}, {name}");
            let (links, missing) = (links(&found), expected.len());
            let odd: Vec<_> = links.symmetric_difference(&expected).take(5).collect();
            assert!(odd.is_empty(), "{site}, {name}: {} links, expected {missing}; {odd:?}", links.len());
            let dates = found.iter().filter(|(address, page)| page.date_ms != with[*address].date_ms).count();
            assert_eq!(dates, 0, "{site}, {name}: dates");
        }
        println!("{site}: {} pages, {} links", with.len(), expected.len());
    }
}

#[test]
fn a_mirror_has_the_addresses_its_log_has() {
    for site in ["devref", "guide", "harden", "packaging", "mta"] {
        let (folder, gold) = (data::mirror(root(), site), data::real(root(), "gold"));
        let table = std::fs::read_to_string(gold.join(format!("{site}.httrack-urls.tsv"))).expect("the table");
        let expected: BTreeSet<String> =
            table.lines().filter_map(|line| line.split('\t').nth(1)).map(String::from).collect();
        let found: BTreeSet<String> = pages(&folder.path().join(site)).into_keys().collect();
        let missing: Vec<_> = expected.difference(&found).take(5).collect();
        println!("{site}: {} pages of {} saved files; not pages: {missing:?}", found.len(), expected.len());
        assert!(found.is_subset(&expected), "{site}");
        assert!(
            expected.difference(&found).all(|url| [".css", ".png"].iter().any(|end| url.ends_with(end))),
            "{site}: {missing:?}"
        );
    }
}
