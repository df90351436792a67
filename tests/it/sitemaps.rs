//! Sitemaps: what they declare is used where the pages bear it out, and changes nothing where they do not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::sites::{Dice, html};
use crate::support::{Held, diglot, gzip, rows, run, stdout};

/// Pages of each language that a site has.
const PAGES: usize = 60;
const LANGS: [&str; 3] = ["en", "fr", "de"];

/// Responses, each with its URL, content type and body.
#[derive(Clone, Default)]
struct Responses(Vec<(String, &'static str, Vec<u8>)>);

impl Responses {
    fn add(&mut self, url: impl Into<String>, content_type: &'static str, body: impl Into<Vec<u8>>) -> &mut Responses {
        self.0.push((url.into(), content_type, body.into()));
        self
    }

    fn write(&self, path: &Path) {
        let mut warc = Vec::new();
        for (url, content_type, body) in &self.0 {
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n", body.len());
            let record = format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
                 WARC-Record-ID: <urn:x>\r\nContent-Type: application/http;msgtype=response\r\n\
                 Content-Length: {}\r\n\r\n{head}",
                head.len() + body.len()
            );
            warc.extend(record.bytes().chain(body.iter().copied()).chain("\r\n\r\n".bytes()));
        }
        fs::write(path, warc).expect("room on the disk");
    }
}

/// The address of the page of a number, which shows neither its number nor its language.
fn address(lang: &str, number: usize) -> String {
    let seed = LANGS.iter().position(|known| *known == lang).expect("a language") + 3 * number;
    let mut dice = Dice(seed as u64 + 1);
    dice.roll(7);
    format!("http://www.site.test/{:05x}.html", dice.roll(1 << 20))
}

/// The number of the page of an address.
fn number(url: &str) -> usize {
    let all = (0..PAGES).flat_map(|number| LANGS.map(|lang| (number, address(lang, number))));
    all.into_iter().find(|(_, known)| known == url).unwrap_or_else(|| panic!("{url}")).0
}

/// Pages that declare nothing. Where they are `bare`, they have no numbers in their texts, by which words would find them.
fn pages(is_bare: bool) -> Responses {
    let mut site = Responses::default();
    for number in 0..PAGES {
        for lang in LANGS {
            let page = html(lang, number);
            let page = if is_bare { page.replace(|c: char| c.is_ascii_digit(), "") } else { page };
            site.add(address(lang, number), "text/html; charset=utf-8", page);
        }
    }
    site
}

/// A sitemap that declares the pages of the numbers that `partner` gives as versions of each other.
fn sitemap(numbers: impl Iterator<Item = usize>, partner: impl Fn(&str, usize) -> usize) -> String {
    let mut urls = String::new();
    for number in numbers {
        let version = |lang: &str| (lang.to_owned(), address(lang, partner(lang, number)));
        let versions = LANGS.map(version);
        let links: String = versions
            .iter()
            .map(|(lang, url)| format!("<xhtml:link rel=\"alternate\" hreflang=\"{lang}\" href=\"{url}\"/>\n"))
            .collect();
        for (_, url) in &versions {
            urls += &format!("<url><loc>{url}</loc>\n{links}</url>\n");
        }
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n{urls}</urlset>\n"
    )
}

/// The pairs that are found, and how many of them are right.
fn found(store: &Path) -> (BTreeSet<(String, String)>, usize) {
    let side =
        |row: &serde_json::Map<String, serde_json::Value>, name: &str| row[name].as_str().expect("a URL").to_owned();
    let pairs: BTreeSet<_> =
        rows(store, &["pairs"]).iter().map(|row| (side(row, "url_a"), side(row, "url_b"))).collect();
    let right = pairs.iter().filter(|(a, b)| number(a) == number(b)).count();
    (pairs, right)
}

/// Archives of a site that only its sitemap pairs: of the sitemap, and of the pages.
#[cfg(feature = "exec")]
pub fn archives(folder: &Path) -> Vec<PathBuf> {
    let map = alone(MAP, "application/xml", sitemap(0..PAGES, |_, number| number));
    let paths = ["map.warc", "pages.warc"].map(|name| folder.join(name));
    map.write(&paths[0]);
    pages(true).write(&paths[1]);
    paths.into()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, name: &str, archives: &[&Responses]) -> PathBuf {
        let write = |(at, archive): (usize, &&Responses)| {
            let path = self.at(&format!("{name}-{at}.warc"));
            archive.write(&path);
            path
        };
        let paths: Vec<PathBuf> = archives.iter().enumerate().map(write).collect();
        let store = self.at(name);
        run(&store, &paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        store
    }
}

/// A sitemap, and nothing else.
fn alone(url: &str, content_type: &'static str, body: impl Into<Vec<u8>>) -> Responses {
    let mut responses = Responses::default();
    responses.add(url, content_type, body);
    responses
}

/// What a store has to say of pairs.
fn told(store: &Path) -> [String; 2] {
    [&["pairs", "--format", "jsonl"][..], &["bitext", "--format", "jsonl"]].map(|arguments| stdout(store, arguments))
}

const MAP: &str = "http://www.site.test/sitemap.xml";

#[test]
fn a_site_that_shows_nothing_else_is_paired_by_its_sitemap() {
    let (folder, site) = (Folder::new(), pages(true));
    let without = folder.run("without", &[&site]);
    assert_eq!(found(&without).0.len(), 0);
    let map = alone(MAP, "application/xml", sitemap(0..PAGES, |_, number| number));
    let store = folder.run("with", &[&site, &map]);
    let (pairs, right) = found(&store);
    assert_eq!((pairs.len(), right), (3 * PAGES, 3 * PAGES));
    let methods: BTreeSet<String> = rows(&store, &["pairs"]).iter().map(|row| row["method"].to_string()).collect();
    assert_eq!(methods, BTreeSet::from(["\"sitemap\"".to_owned()]));
    let status = stdout(&store, &["status"]);
    assert!(status.contains("sitemap"), "{status}");
    let explained = stdout(&store, &["explain", MAP]);
    assert!(explained.contains("180 URLs, 540 versions in other languages"), "{explained}");
    // Before the pages; in the archive of the pages; after a run of the pages alone; by one thread: all the same.
    let expected = told(&store);
    assert_eq!(told(&folder.run("before", &[&map, &site])), expected);
    let both = Responses([map.0.clone(), site.0.clone()].concat());
    assert_eq!(told(&folder.run("both", &[&both])), expected);
    diglot(&without).args(["--quiet", "run", "--threads", "1"]).arg(folder.at("with-1.warc")).assert().success();
    assert_eq!(told(&without), expected);
    // And without it again.
    diglot(&without).args(["--quiet", "remove", "--archive", "with-1.warc"]).assert().success();
    diglot(&without).args(["--quiet", "run"]).assert().success();
    assert_eq!(found(&without).0.len(), 0);
}

#[test]
fn an_index_of_compressed_sitemaps_on_another_host_of_the_domain_is_as_good() {
    let (folder, mut site) = (Folder::new(), pages(true));
    let index = "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                 <sitemap><loc>http://maps.site.test/1.xml.gz</loc></sitemap></sitemapindex>";
    site.add("http://www.site.test/sitemap_index.xml", "text/xml", index);
    let [even, odd] = [0, 1].map(|first| sitemap((first..PAGES).step_by(2), |_, number| number));
    site.add("http://maps.site.test/1.xml.gz", "application/x-gzip", gzip(even.as_bytes()));
    site.add("http://maps.site.test/2.xml.gz", "application/octet-stream", gzip(odd.as_bytes()));
    // What another domain says of these pages counts for nothing.
    let wrong = |lang: &str, number: usize| if lang == "en" { number } else { (number + 1) % PAGES };
    site.add("http://other.test/sitemap.xml", "application/xml", sitemap(0..PAGES, wrong));
    site.add("http://www.site.test/sitemap.txt", "text/plain", "http://www.site.test/");
    let store = folder.run("index", &[&site]);
    let (pairs, right) = found(&store);
    assert_eq!((pairs.len(), right), (3 * PAGES, 3 * PAGES));
    let status = stdout(&store, &["status", "--format", "tsv"]);
    assert!(status.contains("\nleft out\tsitemap\t4\tno pages; what they declare is used"), "{status}");
    let explained = stdout(&store, &["explain", "http://www.site.test/sitemap_index.xml"]);
    assert!(explained.contains("names no pages"), "{explained}");
    let explained = stdout(&store, &["explain", "http://maps.site.test/2.xml.gz"]);
    assert!(explained.contains("90 URLs, 270 versions in other languages"), "{explained}");
}

/// Versions that a sitemap gives: of the page before; of any page; of another page for a third of the German pages.
#[test]
fn wrong_sitemaps_change_nothing_where_the_pages_show_more() {
    let folder = Folder::new();
    let of = |lang: &str| LANGS.iter().position(|known| *known == lang).expect("a language");
    let random = |lang: &str, number: usize| Dice((number * 3 + of(lang)) as u64).roll(PAGES as u64) as usize;
    let stale = |lang: &str, number: usize| {
        if number >= 40 && lang == "de" { 40 + (number + 7) % (PAGES - 40) } else { number }
    };
    let maps = [
        ("shifted", sitemap(0..PAGES, |lang, number| (number + of(lang)) % PAGES)),
        ("random", sitemap(0..PAGES, random)),
        ("stale", sitemap(0..PAGES, stale)),
    ];
    for is_bare in [false, true] {
        let site = pages(is_bare);
        let without = folder.run(&format!("without-{is_bare}"), &[&site]);
        let (pairs, right) = found(&without);
        assert_eq!((pairs.len(), right), if is_bare { (0, 0) } else { (3 * PAGES, 3 * PAGES) });
        for (name, map) in &maps {
            let map = alone(MAP, "application/xml", map.as_str());
            let with = folder.run(&format!("{name}-{is_bare}"), &[&site, &map]);
            if *name != "stale" {
                // Wrong candidates move the scores of right ones a little.
                assert_eq!(found(&with), found(&without), "{name}, {is_bare}");
                let sentences = [&with, &without].map(|store| told(store)[1].lines().count());
                assert_eq!(sentences[0], sentences[1], "{name}, {is_bare}");
            } else if is_bare {
                // Nothing but the sitemap tells pages apart, and the words that are learnt from its pairs speak for all of them: what is wrong in it is
                // believed, too.
                let (pairs, right) = found(&with);
                assert!(right > 2 * PAGES && pairs.len() <= 3 * PAGES, "{right} of {} are right", pairs.len());
            } else {
                assert_eq!(found(&with), (pairs.clone(), right), "{name}");
            }
        }
    }
}
