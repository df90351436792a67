//! Archives that were made to do harm: little that becomes a lot.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use diglot::config::Config;
use diglot::error::Error;
use diglot::inputs::Inputs;
use diglot::pipeline::{self, Context, Observer, Silent};
use diglot::query;
use diglot::store::{Access, Store};

use crate::extent::extent;
use crate::support::{diglot, gzip};

/// A record of a response in HTML, its body in a content coding.
fn response(url: &str, coding: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n\r\n");
    let length = head.len() + body.len();
    let header = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\n\
         Content-Length: {length}\r\n\r\n"
    );
    [header.as_bytes(), head.as_bytes(), body, b"\r\n\r\n"].concat()
}

/// An archive of few bytes whose pages are `count` times so much text.
fn bomb(path: &Path, count: usize, text_bytes: impl Fn(usize) -> usize) {
    let mut records = Vec::new();
    let mut bodies = BTreeMap::new();
    for number in 0..count {
        let bytes = text_bytes(number);
        let body = bodies.entry(bytes).or_insert_with(|| gzip(&vec![b'x'; bytes]));
        records.extend(gzip(&response(&format!("http://bomb.test/{number}"), "gzip", body)));
    }
    assert!(records.len() < 1 << 20);
    std::fs::write(path, records).expect("room on the disk");
}

#[cfg(target_os = "linux")]
#[test]
fn bodies_that_become_very_long_take_bounded_memory() {
    use crate::support::tiny_site;

    // What an ingest of bodies of 16 MB may take of address space: what its threads and the catalog reserve is most of it.
    let line = "ulimit -v 2500000 && exec \"$0\" \"$@\"";
    let folder = tempfile::tempdir().expect("a folder");
    let [bad, good, store] = ["a.warc.gz", "b.warc", "store"].map(|name| folder.path().join(name));
    let bodies = extent(15, 100);
    bomb(&bad, bodies, |_| 16_000_000);
    tiny_site(&good);
    let output = std::process::Command::new("sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_diglot"), "--threads", "2", "ingest"])
        .args([&bad, &good])
        .arg("--store")
        .arg(&store)
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let store = Store::open(&store, Access::Read).expect("a sound store");
    let archives = query::archives(&store).expect("a sound store");
    assert_eq!(archives.iter().map(|archive| archive.pages).collect::<Vec<_>>(), [bodies as u64, 10]);
}

#[test]
fn what_becomes_of_long_bodies_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("a.warc.gz");
    bomb(&archive, extent(20, 60), |number| [1000, 3_000_000, 50_000, 200_000, 9_000_000][number % 5]);
    let stores = ["1", "2"].map(|threads| {
        let store = folder.path().join(threads);
        let status = diglot(&store).args(["-q", "--threads", threads, "ingest"]).arg(&archive).status();
        assert!(status.expect("it starts").success());
        std::fs::read_dir(store.join("pages"))
            .expect("pages")
            .map(|file| std::fs::read(file.expect("readable").path()).expect("readable"))
            .collect::<Vec<_>>()
    });
    assert!(stores[0] == stores[1] && stores[0].concat().len() > 1000);
}

/// Stops a run after so many portions.
/// Asks to stop once so many pages were read.
struct After<'s>(u64, &'s AtomicBool);

impl Observer for After<'_> {
    fn begin(&self, _: &str, _: &str, _: &str, _: Option<u64>) {}
    fn progress(&self, _: u64, detail: &str) {
        let pages = detail.strip_suffix(" pages").and_then(|pages| pages.replace(',', "").parse().ok());
        if pages.is_some_and(|pages: u64| pages >= self.0) {
            self.1.store(true, Ordering::SeqCst);
        }
    }
    fn message(&self, _: &str) {}
    fn end(&self, _: &str, _: bool) {}
}

#[test]
fn a_zip_of_5000_files_stopped_behind_the_4200th_goes_on_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("a.wacz");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&archive).expect("a file"));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for number in 0..5000 {
        zip.start_file(format!("archive/{number:05}.warc.gz"), options).expect("a name");
        let text = format!("<p>page {number}, {}", "with some words more in it ".repeat(6));
        let page = response(&format!("http://many.test/{number}"), "identity", text.as_bytes());
        zip.write_all(&gzip(&page)).expect("room on the disk");
    }
    zip.finish().expect("room on the disk");
    let mut config = Config::default();
    config.ingest.portion_records = 100;
    config.ingest.commit_bytes = 1;
    let (store, inputs) = (folder.path().join("store"), Inputs::from(&[archive][..]));
    let run = |observer: &dyn Observer, stop: &AtomicBool| {
        let mut store = Store::open(&store, Access::Write)?;
        pipeline::run(&mut store, &Context { config: &config, inputs: &inputs, observer, stop }, "ingest")
    };
    let counts = || {
        let store = Store::open(&store, Access::Read).expect("a sound store");
        let archives = query::archives(&store).expect("a sound store");
        (archives[0].records, archives[0].pages, archives[0].is_read)
    };
    let stop = AtomicBool::new(false);
    assert!(matches!(run(&After(4200, &stop), &stop), Err(Error::Interrupted)));
    // The next portion is read or not, as the threads run.
    let (records, pages, is_read) = counts();
    assert!(records == pages && (4200..4600).contains(&records) && !is_read, "{records} {pages}");
    run(&Silent, &AtomicBool::new(false)).expect("a sound store");
    assert_eq!(counts(), (5000, 5000, true));
}
