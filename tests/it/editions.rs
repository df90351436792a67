//! Contents that were put at other addresses: what URLs and links say for a pair does not make up for what stands there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::support::{data, rows, run, webserver, write_warc};

/// The pages of the sample site: URL, and what stands there.
fn pages() -> BTreeMap<String, String> {
    let mut bytes = Vec::new();
    MultiGzDecoder::new(File::open(webserver()).expect("the sample")).read_to_end(&mut bytes).expect("gzip");
    let mut pages = BTreeMap::new();
    for record in warc::WarcReader::new(&bytes[..]).iter_records() {
        let record = record.expect("a sound record");
        let text = String::from_utf8_lossy(record.body()).into_owned();
        if let (Some(url), true) = (record.header(warc::WarcHeader::TargetURI), text.starts_with("HTTP/1.1 200"))
            && let Some((_, html)) = text.split_once("\r\n\r\n")
            && html.contains("<html")
        {
            pages.insert(url.trim_matches(['<', '>']).to_owned(), html.to_owned());
        }
    }
    pages
}

type Pairs = BTreeSet<(String, String)>;

/// Gold pairs of the sample in English and French.
fn gold() -> Pairs {
    let lines = fs::read_to_string(data("gold/webserver.pairs.tsv")).expect("gold");
    let cells = lines.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let pairs = cells.filter(|cells| cells[2..] == ["en", "fr"]);
    pairs.map(|cells| (cells[0].to_owned(), cells[1].to_owned())).collect()
}

/// The pairs and the editions of a site.
fn found(pages: &BTreeMap<String, String>) -> [Pairs; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let (warc, store) = (folder.path().join("site.warc"), folder.path().join("store"));
    let responses: Vec<_> = pages.iter().map(|(url, html)| (url.as_str(), "200 OK", html.as_str())).collect();
    write_warc(&warc, &responses);
    run(&store, &[&warc]);
    [&["pairs", "--langs", "en,fr"][..], &["pairs", "--langs", "en,fr", "--editions", "--quiet"]].map(|list| {
        let text = |value: &serde_json::Value| value.as_str().expect("a URL").to_owned();
        rows(&store, list).iter().map(|row| (text(&row["url_a"]), text(&row["url_b"]))).collect()
    })
}

#[test]
fn pages_whose_contents_were_exchanged_are_editions_and_no_pairs() {
    let (pages, gold) = (pages(), gold());
    let [pairs, editions] = found(&pages);
    assert!(gold.len() == 20 && gold.iter().all(|pair| pairs.contains(pair)), "{gold:?} {pairs:?}");
    assert!(gold.is_disjoint(&editions));
    for every in [7, 3] {
        // The French pages hand their contents round.
        let moved: Vec<&(String, String)> = gold.iter().step_by(every).collect();
        let mut changed = pages.clone();
        for (at, (_, url)) in moved.iter().enumerate() {
            changed.insert(url.clone(), pages[&moved[(at + 1) % moved.len()].1].clone());
        }
        let [pairs, editions] = found(&changed);
        for pair in &gold {
            assert_eq!(pairs.contains(pair), !moved.contains(&pair), "every {every}: {pair:?}");
        }
        let are_editions = moved.iter().filter(|pair| editions.contains(pair)).count();
        // Of twenty pairs of which one in three is denied, nothing says that the others' addresses are surer than theirs.
        assert!(are_editions > 0 || every == 3, "every {every}: {editions:?}");
    }
}
