//! How fast are archives read, and pages extracted? In bytes of the archive's payload a second, on one thread.
//!
//! On the sample in data/, or on the WARC that `DIGLOT_BENCH_WARC` names.

use std::path::PathBuf;

use diglot::laboratory::archive::{self, Item, Params};
use diglot::laboratory::extract;
use diglot::types::{CanonicalUrl, Capture, RawRecord};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

fn warc() -> PathBuf {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/sites/webserver.warc.gz");
    std::env::var_os("DIGLOT_BENCH_WARC").map_or_else(|| sample.into(), PathBuf::from)
}

/// Up to so many bytes of records are held for the benches of single steps.
const HELD_BYTES: usize = 64 << 20;

fn records() -> Vec<RawRecord> {
    let mut archive = archive::open(&warc(), 0, &Params::default()).expect("the archive opens");
    let mut records = Vec::new();
    let mut bytes = 0;
    while let Some(item) = archive.next().expect("the archive can be read") {
        if let Item::Record(record) = item {
            bytes += record.block.len();
            records.push(record);
        }
        if bytes > HELD_BYTES {
            break;
        }
    }
    records
}

fn walk() -> (usize, usize) {
    let mut archive = archive::open(&warc(), 0, &Params::default()).expect("the archive opens");
    let (mut records, mut bytes) = (0, 0);
    while let Some(item) = archive.next().expect("the archive can be read") {
        if let Item::Record(record) = item {
            records += 1;
            bytes += record.block.len();
        }
    }
    (records, bytes)
}

/// Members inflated, records cut and their headers read: nothing extracted.
#[divan::bench(sample_count = 5)]
fn reading(bencher: Bencher<'_, '_>) {
    let (records, bytes) = walk();
    bencher.counter(BytesCount::new(bytes)).counter(ItemsCount::new(records)).bench(walk);
}

/// The HTTP envelope taken off.
#[divan::bench(sample_count = 5)]
fn capture(bencher: Bencher<'_, '_>) {
    let records = records();
    let bytes: usize = records.iter().map(|record| record.block.len()).sum();
    let counted = bencher.counter(BytesCount::new(bytes)).counter(ItemsCount::new(records.len()));
    counted.with_inputs(|| records.clone()).bench_values(|records| {
        records.into_iter().filter_map(|record| archive::capture(record, &Params::default()).ok()).count()
    });
}

/// Charset, HTML and language: captures become pages.
#[divan::bench(sample_count = 5)]
fn extraction(bencher: Bencher<'_, '_>) {
    let captures: Vec<(Capture, CanonicalUrl)> = records()
        .into_iter()
        .filter_map(|record| archive::capture(record, &Params::default()).ok())
        .filter_map(|capture| CanonicalUrl::parse(&capture.url).ok().map(|url| (capture, url)))
        .collect();
    let bytes: usize = captures.iter().map(|(capture, _)| capture.body.len()).sum();
    let params = extract::Params::default();
    bencher
        .counter(BytesCount::new(bytes))
        .counter(ItemsCount::new(captures.len()))
        .bench(|| captures.iter().filter(|(capture, url)| extract::extract(capture, url, &params).is_ok()).count());
}
