//! ZIM files: Wikipedia, Stack Exchange and other sites for reading offline.
//!
//! A ZIM has a list of entries, sorted by path, and clusters, in which the contents of entries are compressed together. Pages are read in
//! the order of their clusters, so that each cluster is decompressed once; all other entries are reported afterwards, in the order of their
//! paths. The list of entries is read once for every [`AT_ONCE`] pages, and never held.
//!
//! The offset of a record is the number of its entry, and its length is that of its content. A position is the number of entries read, in
//! the order of reading, together with a hash of the base URL if the addresses follow from it, as with folders of pages.
//!
//! The file says where everything lies, and none of that is believed: places are read only within the file, clusters that begin at the same
//! place are read once, a compressed cluster is decompressed up to a limit, two entries with the same bytes are one page, and redirects are
//! not followed.
//!
//! | file | what it knows |
//! |---|---|
//! | `directory.rs` | the header, the entries, and where the clusters lie |
//! | `cluster.rs` | the contents in a cluster |
//! | `address.rs` | metadata, and the addresses that follow from them |
//! | `sample.rs` | tests only: writes ZIM files |

mod address;
mod cluster;
mod directory;
#[cfg(test)]
mod sample;

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::dates::date_ms;
use super::format::{Archive, Format, Item, Params};
use super::links;
use super::mime::is_html_type;
use super::position::Base;
use crate::error::{Error, Result};
use crate::types::{RawRecord, Skip, SkipReason};
use address::{Addresses, Metadata};
use cluster::{Bad, Cluster, Place};
use directory::{Content, Directory, Entry, Extents, Head, JOIN, MAGIC};

/// The format of ZIM files.
pub(super) struct ZimFormat;

/// How many pages are put in order at once. As many again are held meanwhile, 12 bytes each.
const AT_ONCE: usize = 1 << 20;
/// The longest metadata that are read, in bytes.
const MAX_METADATA_BYTES: u64 = 4 << 10;
/// How much of a compressed cluster is decompressed for metadata, in bytes.
const METADATA_CLUSTER_BYTES: u64 = 16 << 20;

impl Format for ZimFormat {
    fn name(&self) -> &'static str {
        "ZIM"
    }

    fn recognises(&self, _: &Path, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn check(&self, path: &Path, params: &Params) -> std::result::Result<(), String> {
        if is_part(path) {
            return Err(format!("the first part of a split ZIM: {JOIN}"));
        }
        open(path, params).map_err(|error| error.to_string())?.map(|_| ())
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        Ok(Box::new(Zim::new(path, position, params, AT_ONCE)?))
    }
}

/// True for the name of a part of a split ZIM: `x.zimaa`, `x.zimab`.
pub(super) fn is_part(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let letters = ending.as_deref().and_then(|ending| ending.strip_prefix("zim"));
    letters.is_some_and(|letters| letters.len() == 2 && letters.bytes().all(|letter| letter.is_ascii_lowercase()))
}

/// The reason for refusing a part of a split ZIM that does not begin like a ZIM.
pub(super) fn of_part() -> String {
    format!("a part of a split ZIM: {JOIN}")
}

/// What is known of a ZIM before its pages are read.
struct Opened {
    directory: Directory,
    extents: Extents,
    addresses: Addresses,
    metadata: Metadata,
}

fn open(path: &Path, params: &Params) -> io::Result<std::result::Result<Opened, String>> {
    let mut directory = match Directory::open(path)? {
        Ok(directory) => directory,
        Err(problem) => return Ok(Err(problem)),
    };
    let extents = directory.extents()?;
    let mut text = |name: &str| text_of(path, &mut directory, &extents, name, params);
    let (source, name, scraper) = (text("Source")?, text("Name")?, text("Scraper")?);
    let (language, date) = (text("Language")?.unwrap_or_default(), text("Date")?.unwrap_or_default());
    // Damage must not change the addresses, so it is an error in the metadata that they follow from. Other metadata may be lost.
    let (source, name, scraper) = match (source, name, scraper) {
        (Ok(source), Ok(name), Ok(scraper)) => (source, name, scraper),
        (Err(problem), ..) | (_, Err(problem), _) | (.., Err(problem)) => return Ok(Err(problem)),
    };
    let metadata = Metadata { source, name, scraper, language, date };
    let addresses = Addresses::new(&metadata, params.base_url.as_deref());
    Ok(addresses.map(|addresses| Opened { directory, extents, addresses, metadata }))
}

/// Metadata of that name, empty where there are none.
fn text_of(
    path: &Path,
    directory: &mut Directory,
    extents: &Extents,
    name: &str,
    params: &Params,
) -> io::Result<std::result::Result<String, String>> {
    let damaged = |problem| {
        Ok(Err(format!("a ZIM whose `{name}` cannot be read: {problem}; if the file is damaged, get it anew")))
    };
    let entry = match directory.find(b'M', name)? {
        Ok(entry) => entry,
        Err(problem) => return damaged(problem),
    };
    let Some(Entry { content: Content::Blob { cluster, blob, .. }, .. }) = entry else { return Ok(Ok(String::new())) };
    let extent = match extents.of(cluster) {
        Ok(extent) => extent,
        Err(problem) => return damaged(problem),
    };
    let read = || -> io::Result<std::result::Result<Vec<u8>, Bad>> {
        let mut cluster = match Cluster::open(path, extent, METADATA_CLUSTER_BYTES, params)? {
            Ok(cluster) => cluster,
            Err(bad) => return Ok(Err(bad)),
        };
        match cluster.places(&[blob])?.map(|mut places| places.pop()) {
            Ok(Some(Ok(place))) => cluster.read(place, MAX_METADATA_BYTES),
            Ok(Some(Err(bad))) | Err(bad) => Ok(Err(bad)),
            Ok(None) => Ok(Ok(Vec::new())),
        }
    };
    match read()? {
        Ok(text) => Ok(Ok(String::from_utf8_lossy(&text).into_owned())),
        Err((_, problem)) => damaged(problem),
    }
}

/// A page, in the order of reading: cluster, blob, entry.
type Key = (u32, u32, u32);

/// A ZIM being read.
struct Zim {
    path: PathBuf,
    params: Params,
    metadata: Metadata,
    date_ms: i64,
    addresses: Addresses,
    directory: Directory,
    extents: Extents,
    base: Base,
    /// Entries read.
    done: u64,
    /// How many of the entries that an earlier run read have not been passed yet.
    left_out: u64,
    /// Pages, in order, and which of them is next.
    pages: Vec<Key>,
    next: usize,
    /// The page before that one.
    before: Option<Key>,
    /// True while there may be pages after these.
    are_more: bool,
    /// How many pages are put in order at once.
    at_once: usize,
    reading: Option<Reading>,
    /// The number of the next entry among those that are no pages, which are reported after all pages.
    rest: u32,
}

/// A cluster, and the places of the next pages in it.
type Begun = std::result::Result<(Cluster, VecDeque<Place>), Bad>;

/// The cluster being read.
struct Reading {
    number: u32,
    found: Begun,
}

impl Zim {
    /// Begins at a position, with so many pages at once.
    fn new(path: &Path, position: u64, params: &Params, at_once: usize) -> Result<Zim> {
        let of_input = |problem| Error::input(path.display().to_string(), problem);
        let found = open(path, params).map_err(Error::io(path, "opening"))?;
        let Opened { directory, extents, addresses, metadata } = found.map_err(of_input)?;
        let base = Base::new(params.base_url.as_deref().filter(|_| addresses.is_given));
        let left_out = base.count(position).map_err(of_input)?;
        Ok(Zim {
            path: path.to_owned(),
            params: params.clone(),
            date_ms: date_ms(&metadata.date),
            metadata,
            addresses,
            directory,
            extents,
            base,
            done: 0,
            left_out,
            pages: Vec::new(),
            next: 0,
            before: None,
            are_more: true,
            at_once,
            reading: None,
            rest: 0,
        })
    }

    fn item(&mut self) -> io::Result<Option<Item>> {
        loop {
            if let Some(&key) = self.pages.get(self.next) {
                self.next += 1;
                let before = self.before.replace(key);
                if self.left_out > 0 {
                    self.left_out -= 1;
                    self.done += 1;
                    continue;
                }
                let item = self.page(key, before)?;
                self.done += 1;
                return Ok(Some(item));
            }
            if self.are_more {
                self.put_in_order()?;
                continue;
            }
            if self.rest >= self.directory.count {
                return Ok(None);
            }
            let number = self.rest;
            self.rest += 1;
            let head = self.directory.entry_head(number)?;
            if head.is_ok_and(|head| self.place_of(head).is_some()) {
                continue;
            }
            self.done += 1;
            if self.left_out > 0 {
                self.left_out -= 1;
                continue;
            }
            let entry = self.directory.entry(number)?;
            return self.other(number, entry).map(Some);
        }
    }

    /// Cluster and blob of an entry, if it is a page.
    fn place_of(&self, head: Head) -> Option<(u32, u32)> {
        let Content::Blob { kind, cluster, blob } = head.content else { return None };
        let is_page =
            head.namespace == self.directory.namespace() && self.directory.kind(kind).is_some_and(is_html_type);
        is_page.then_some((cluster, blob))
    }

    /// Finds the next pages.
    fn put_in_order(&mut self) -> io::Result<()> {
        let at_once = self.at_once;
        let mut keys: Vec<Key> = Vec::new();
        // Once there are too many, none from here on.
        let mut end = None;
        for number in 0..self.directory.count {
            let Ok(head) = self.directory.entry_head(number)? else { continue };
            let Some((cluster, blob)) = self.place_of(head) else { continue };
            let key = (cluster, blob, number);
            if self.before.is_some_and(|before| key <= before) || end.is_some_and(|end| key >= end) {
                continue;
            }
            keys.push(key);
            if keys.len() > 2 * at_once {
                let (_, first, _) = keys.select_nth_unstable(at_once);
                end = Some(*first);
                keys.truncate(at_once);
            }
        }
        self.are_more = end.is_some() || keys.len() > at_once;
        keys.sort_unstable();
        keys.truncate(at_once);
        (self.pages, self.next) = (keys, 0);
        // The open cluster knows only the places of the pages before these, so it is opened again.
        self.reading = None;
        Ok(())
    }

    fn page(&mut self, key: Key, before: Option<Key>) -> io::Result<Item> {
        let (cluster, blob, number) = key;
        // A page whose path cannot be read has a place too, so this comes first.
        let place = self.next_place(cluster, blob)?;
        let entry = self.directory.entry_anywhere(number)?;
        let Ok(Entry { path, content: Content::Blob { kind, .. }, .. }) = entry else {
            return self.other(number, entry);
        };
        let url = self.addresses.url_of(&path);
        let skip = |(reason, detail), length| skipped(number, length, url.clone().unwrap_or_default(), reason, detail);
        if let Some(first) = before.filter(|before| (before.0, before.1) == (cluster, blob)) {
            return Ok(skip((SkipReason::Revisit, format!("the same bytes as entry {}", first.2)), 0));
        }
        let place = match place {
            Ok(place) => place,
            Err(bad) => return Ok(skip(bad, 0)),
        };
        let length = place.end - place.start;
        let read = match &mut self.reading {
            Some(Reading { found: Ok((cluster, _)), .. }) => cluster.read(place, self.params.max_record_bytes)?,
            _ => Err((SkipReason::BadRecord, format!("cluster {cluster} is not there"))),
        };
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(bad) => return Ok(skip(bad, length)),
        };
        let Some(url) = url else {
            return Ok(skip((SkipReason::BadUrl, format!("{path}: in no folder of a host")), length));
        };
        Ok(Item::Record(RawRecord {
            url,
            date_ms: self.date_ms,
            offset: u64::from(number),
            length,
            content_type: self.directory.kind(kind).map(str::to_owned),
            language: self.metadata.language(),
            block: self.with_addresses(&path, bytes),
            ..RawRecord::default()
        }))
    }

    /// The place of the next page in its cluster. Opens the cluster where it is not the one of the page before.
    fn next_place(&mut self, cluster: u32, blob: u32) -> io::Result<Place> {
        if self.reading.as_ref().is_none_or(|reading| reading.number != cluster) {
            let rest = self.pages[self.next..].iter().take_while(|key| key.0 == cluster).map(|key| key.1);
            let blobs: Vec<u32> = std::iter::once(blob).chain(rest).collect();
            self.reading = Some(Reading { number: cluster, found: self.open_cluster(cluster, &blobs)? });
        }
        let missing = || Err((SkipReason::BadRecord, format!("blob {blob} is not in its cluster")));
        Ok(match &mut self.reading {
            Some(Reading { found: Ok((_, places)), .. }) => places.pop_front().unwrap_or_else(missing),
            Some(Reading { found: Err(bad), .. }) => Err(bad.clone()),
            None => missing(),
        })
    }

    fn open_cluster(&self, cluster: u32, blobs: &[u32]) -> io::Result<Begun> {
        let extent = match self.extents.of(cluster) {
            Ok(extent) => extent,
            Err(problem) => return Ok(Err((SkipReason::BadRecord, problem))),
        };
        let mut cluster =
            match Cluster::open(&self.path, extent, cluster::max_bytes(self.params.max_record_bytes), &self.params)? {
                Ok(cluster) => cluster,
                Err(bad) => return Ok(Err(bad)),
            };
        Ok(cluster.places(blobs)?.map(|places| (cluster, places.into())))
    }

    /// A page whose links lead where they led on the original site.
    fn with_addresses(&self, path: &str, bytes: Vec<u8>) -> Vec<u8> {
        if self.addresses.has_hosts() {
            return links::restore(&bytes, path, &|path, _, query| self.addresses.url_of(&format!("{path}{query}")));
        }
        // In other ZIM files, links are those of the site, unless they name the namespace.
        if self.directory.is_new || memmem::find(&bytes, b"/A/").is_none() {
            return bytes;
        }
        links::restore(&bytes, &format!("A/{path}"), &|path, _, query| {
            Some(self.addresses.url_of(path.strip_prefix("A/")?)? + query)
        })
    }

    /// An entry that is no page.
    fn other(&mut self, number: u32, entry: std::result::Result<Entry, String>) -> io::Result<Item> {
        let entry = match entry {
            Ok(entry) => entry,
            Err(problem) => return Ok(skipped(number, 0, String::new(), SkipReason::BadRecord, problem)),
        };
        let is_content = entry.namespace == self.directory.namespace();
        let url = if is_content { self.addresses.url_of(&entry.path).unwrap_or_default() } else { String::new() };
        let named = format!("{}/{}", char::from(entry.namespace), entry.path);
        let (reason, detail) = match entry.content {
            _ if entry.namespace == b'M' => (SkipReason::Metadata, named),
            Content::Redirect(to) if is_content => {
                let to = self.directory.entry_anywhere(to)?;
                (SkipReason::Redirect, to.map_or_else(|problem| problem, |to| format!("to {}", to.path)))
            }
            Content::Blob { kind, .. } => match self.directory.kind(kind) {
                None => (SkipReason::BadRecord, format!("{named}: type {kind}, which is not in the list of types")),
                Some(kind) if !is_html_type(kind) => (SkipReason::NotHtml, kind.to_owned()),
                Some(_) => (SkipReason::OtherRecord, named),
            },
            Content::Redirect(_) | Content::Nothing => (SkipReason::OtherRecord, named),
        };
        Ok(skipped(number, 0, url, reason, detail))
    }
}

fn skipped(number: u32, length: u64, url: String, reason: SkipReason, detail: String) -> Item {
    Item::Skip(Skip { reason, offset: u64::from(number), length, url, detail })
}

impl Archive for Zim {
    fn next(&mut self) -> Result<Option<Item>> {
        let item = self.item();
        item.map_err(|error| Error::io(&self.path, "reading")(error))
    }

    fn position(&self) -> u64 {
        // The next call passes what an earlier run has read.
        self.base.position(self.done + self.left_out)
    }

    fn remark(&self) -> Option<String> {
        self.addresses.not_given.clone()
    }

    fn end(&self) -> Option<u64> {
        Some(u64::from(self.directory.count))
    }

    fn progress(&self) -> u64 {
        self.done + self.left_out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sample::{Layout, Sample};
    use super::*;
    use crate::archive::{capture, format_of};

    const LAYOUTS: [Layout; 4] = [
        Layout { is_new: true, coding: 5, is_wide: false, blobs: 2 },
        Layout { is_new: true, coding: 1, is_wide: true, blobs: 3 },
        Layout { is_new: false, coding: 4, is_wide: false, blobs: 100 },
        Layout { is_new: false, coding: 5, is_wide: true, blobs: 1 },
    ];

    fn page(text: &str) -> Vec<u8> {
        format!("<p>{text}").into_bytes()
    }

    /// A ZIM with one of everything.
    fn sample(layout: Layout) -> Sample {
        let mut zim = Sample::new(layout);
        let pages = if layout.is_new { b'C' } else { b'A' };
        for (name, value) in [("Source", "https://ex.org/"), ("Language", "fra"), ("Date", "2026-11-28")] {
            zim.add(b'M', name, "text/plain", value.as_bytes());
        }
        for at in (0..5).rev() {
            zim.add(pages, &format!("page {at}?"), "text/html;charset=utf-8", &page(&at.to_string()));
        }
        zim.add(pages, "i.png", "image/png", b"png");
        zim.add(b'X', "listing", "text/html", b"<p>");
        zim.redirect(pages, "there", pages, "page 0?");
        zim.alias(pages, "also", "page 4?");
        zim
    }

    fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::Builder::new().suffix(".zim").tempfile().expect("a file");
        std::fs::write(file.path(), bytes).expect("room on the disk");
        file
    }

    fn items(path: &Path, position: u64, params: &Params) -> Vec<(Item, u64)> {
        let mut archive = ZimFormat.open(path, position, params).expect("a ZIM");
        let mut items = Vec::new();
        while let Some(item) = archive.next().expect("readable") {
            items.push((item, archive.position()));
            assert!(items.len() < 1000);
        }
        items
    }

    fn skips(items: &[(Item, u64)]) -> Vec<(SkipReason, &str)> {
        let skip = |item: &'_ (Item, u64)| matches!(item.0, Item::Skip(_));
        let skips = items.iter().filter(|item| skip(item));
        skips
            .filter_map(
                |(item, _)| if let Item::Skip(skip) = item { Some((skip.reason, skip.detail.as_str())) } else { None },
            )
            .collect()
    }

    #[test]
    fn pages_come_in_the_order_of_their_clusters_and_the_rest_is_told() {
        for layout in LAYOUTS {
            let file = written(&sample(layout).bytes());
            assert_eq!(format_of(file.path()).expect("known").name(), "ZIM");
            ZimFormat.check(file.path(), &Params::default()).expect("its source is said");
            let items = items(file.path(), 0, &Params::default());
            let pages: Vec<_> = items
                .iter()
                .filter_map(|(item, _)| if let Item::Record(page) = item { Some(page) } else { None })
                .collect();
            for (at, record) in pages.iter().enumerate() {
                let number = 4 - at;
                let capture = capture((*record).clone(), &Params::default()).expect("a page");
                // The first path of two is that of the page.
                let path = if number == 4 { "also".to_owned() } else { format!("page%20{number}%3F") };
                assert_eq!((capture.url, capture.body), (format!("https://ex.org/{path}"), page(&number.to_string())));
                assert_eq!((capture.date_ms, capture.content_language.as_deref()), (1_795_824_000_000, Some("fr")));
            }
            assert_eq!(pages.len(), 5);
            use SkipReason::*;
            let expected = [
                (Revisit, "the same bytes as entry 0"),
                (NotHtml, "image/png"),
                (Redirect, "to page 0?"),
                (Metadata, "M/Date"),
                (Metadata, "M/Language"),
                (Metadata, "M/Source"),
                (OtherRecord, "X/listing"),
            ];
            assert_eq!(skips(&items), expected, "{layout:?}");
        }
    }

    #[test]
    fn reading_goes_on_from_every_position() {
        for layout in LAYOUTS {
            let file = written(&sample(layout).bytes());
            let all = items(file.path(), 0, &Params::default());
            for at in 0..all.len() {
                assert_eq!(items(file.path(), all[at].1, &Params::default()), all[at + 1..], "{at}");
            }
        }
    }

    #[test]
    fn pages_that_are_put_in_order_a_few_at_a_time_are_the_same() {
        for layout in LAYOUTS {
            let file = written(&sample(layout).bytes());
            let all = items(file.path(), 0, &Params::default());
            for at_once in 1..=8 {
                let read = |position: u64| {
                    let mut zim = Zim::new(file.path(), position, &Params::default(), at_once).expect("a ZIM");
                    let mut items = Vec::new();
                    while let Some(item) = zim.next().expect("readable") {
                        items.push((item, zim.position()));
                        assert!(zim.pages.len() <= at_once && items.len() < 1000);
                    }
                    items
                };
                assert_eq!(read(0), all, "{layout:?} {at_once}");
                for at in 0..all.len() {
                    assert_eq!(read(all[at].1), all[at + 1..], "{layout:?} {at_once} {at}");
                }
            }
        }
    }

    #[test]
    fn a_base_that_is_given_counts_where_the_file_says_none_and_stays() {
        let mut zim = Sample::new(Layout::default());
        zim.add(b'C', "a", "text/html", b"<p>a");
        zim.add(b'C', "b", "text/html", b"<p>b");
        let file = written(&zim.bytes());
        let with = |base: Option<&str>| Params { base_url: base.map(str::to_owned), ..Params::default() };
        assert!(ZimFormat.check(file.path(), &with(None)).expect_err("no base").contains("--base-url"));
        let all = items(file.path(), 0, &with(Some("http://ex.org/x")));
        let Item::Record(page) = &all[0].0 else { panic!("a page") };
        assert_eq!(page.url, "http://ex.org/x/a");
        let other = ZimFormat.open(file.path(), all[0].1, &with(Some("http://else.org/")));
        assert!(other.err().expect("another base").to_string().contains("another `--base-url`"));
        let said = written(&sample(LAYOUTS[0]).bytes());
        let other = with(Some("http://else.org/"));
        assert_eq!(items(said.path(), 0, &other), items(said.path(), 0, &with(None)));
        let remark = |params: &Params| ZimFormat.open(said.path(), 0, params).expect("a ZIM").remark();
        assert!(remark(&other).expect("another base").contains("`Source` says https://ex.org/"));
        assert_eq!([remark(&with(None)), remark(&with(Some("https://ex.org/")))], [None, None]);
    }

    #[test]
    fn links_to_namespaces_and_to_folders_of_hosts_lead_to_the_site() {
        let links = |is_new: bool, scraper: &str, path: &str, link: &str| {
            let mut zim = Sample::new(Layout { is_new, ..Layout::default() });
            zim.add(b'M', "Source", "text/plain", b"http://ex.org/");
            zim.add(b'M', "Scraper", "text/plain", scraper.as_bytes());
            zim.add(
                if is_new { b'C' } else { b'A' },
                path,
                "text/html",
                format!("<a href=\"{link}\">x</a>").as_bytes(),
            );
            let file = written(&zim.bytes());
            let Some((Item::Record(page), _)) = items(file.path(), 0, &Params::default()).into_iter().next() else {
                panic!("a page")
            };
            (page.url, String::from_utf8_lossy(&page.block).into_owned())
        };
        let (url, page) = links(false, "", "x/a", "../../A/b%3F#c");
        assert_eq!((url.as_str(), page.as_str()), ("http://ex.org/x/a", "<a href=\"http://ex.org/b%3F#c\">x</a>"));
        let (url, page) = links(true, "zimit", "ex.org/x/a?q", "../../fr.ex.org/b%3Fq=1");
        assert_eq!(url, "http://ex.org/x/a?q");
        assert_eq!(page, "<a href=\"http://fr.ex.org/b?q=1\">x</a>");
        assert_eq!(links(true, "", "x/a", "../b").1, "<a href=\"../b\">x</a>");
    }

    #[test]
    fn parts_of_a_split_file_are_told_to_be_joined() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = sample(LAYOUTS[0]).bytes();
        let (first, second) = (folder.path().join("x.zimaa"), folder.path().join("x.zimab"));
        std::fs::write(&first, &bytes[..300]).expect("room on the disk");
        std::fs::write(&second, &bytes[300..]).expect("room on the disk");
        assert!(ZimFormat.check(&first, &Params::default()).expect_err("a part").contains("cat x.zim??"));
        let error = format_of(&second).err().expect("no format").to_string();
        assert!(error.contains("a part of a split ZIM") && error.contains("cat x.zim??"), "{error}");
        assert!(!is_part(Path::new("x.zim")) && !is_part(Path::new("x.zimabc")) && !is_part(Path::new("zimaa")));
    }

    /// A cluster of the sample is said to be elsewhere.
    fn moved(layout: Layout, cluster: usize, to: u64) -> Vec<u8> {
        let mut bytes = sample(layout).bytes();
        let list = bytes.len() - 16 - 8 * (10_usize.div_ceil(layout.blobs) - cluster);
        bytes[list..list + 8].copy_from_slice(&to.to_le_bytes());
        bytes
    }

    #[test]
    fn damage_costs_what_it_concerns() {
        let layout = LAYOUTS[0];
        let first =
            u64::from_le_bytes(sample(layout).bytes()[sample(layout).bytes().len() - 56..][..8].try_into().expect("8"));
        for (to, detail) in [(1 << 40, "cluster 3 is at byte"), (first, "cluster 3 begins where cluster 0 does")] {
            let file = written(&moved(layout, 3, to));
            let items = items(file.path(), 0, &Params::default());
            let bad: Vec<_> =
                skips(&items).into_iter().filter(|(reason, _)| *reason == SkipReason::BadRecord).collect();
            assert!(!bad.is_empty() && bad.iter().all(|(_, told)| told.starts_with(detail)), "{bad:?}");
            assert!(items.iter().any(|(item, _)| matches!(item, Item::Record(_))), "the rest is read");
        }
    }

    #[test]
    fn damage_of_what_the_addresses_follow_from_is_refused() {
        let whole = sample(LAYOUTS[0]).bytes();
        let params = Params { base_url: Some("http://else.org/".to_owned()), ..Params::default() };
        let refused = |bytes: &[u8]| {
            let file = written(bytes);
            let problem = ZimFormat.check(file.path(), &params).expect_err("damaged");
            assert!(ZimFormat.open(file.path(), 0, &params).is_err());
            problem
        };
        // This entry is in the middle of the list, so the search looks at it first.
        let entries = u64::from_le_bytes(whole[32..40].try_into().expect("8")) as usize;
        let count = u32::from_le_bytes(whole[24..28].try_into().expect("4")) as usize;
        let mut bytes = whole.clone();
        bytes[entries + count / 2 * 8..][..8].fill(0xff);
        let problem = refused(&bytes);
        assert!(problem.starts_with("a ZIM whose `Source` cannot be read: entry 6, on the way to it"), "{problem}");
        // First the cluster of the source lies beyond the file, then its blob lies too far inside its cluster.
        let problem = refused(&moved(LAYOUTS[0], 0, 1 << 40));
        assert!(problem.contains("`Source` cannot be read: cluster 0 is at byte"), "{problem}");
        let mut far = Sample::new(Layout::default());
        far.add(b'C', "a", "text/html", &vec![b' '; METADATA_CLUSTER_BYTES as usize]);
        far.add(b'M', "Source", "text/plain", b"https://ex.org/");
        assert!(refused(&far.bytes()).contains("of a cluster that is read up to 16777216"));
    }

    #[test]
    fn a_page_whose_path_cannot_be_read_moves_no_other() {
        let layout = Layout { blobs: 100, ..LAYOUTS[0] };
        let whole = sample(layout).bytes();
        let entries = u64::from_le_bytes(whole[32..40].try_into().expect("8")) as usize;
        // The path of "page 2?" is cut off by the end of the file: entry 4 now points to the last bytes, which look like an entry.
        let mut bytes = whole.clone();
        let head = u64::from_le_bytes(whole[entries + 4 * 8..][..8].try_into().expect("8")) as usize;
        let copy = whole[head..head + 16].to_vec();
        bytes[entries + 4 * 8..][..8].copy_from_slice(&(whole.len() as u64).to_le_bytes());
        bytes.extend([copy.as_slice(), b"page"].concat());
        let before = items(written(&whole).path(), 0, &Params::default());
        let after = items(written(&bytes).path(), 0, &Params::default());
        assert_eq!(before.len(), after.len());
        let mut changed = before.iter().zip(&after).filter(|(before, after)| before != after);
        let (_, (Item::Skip(skip), _)) = changed.next().expect("one differs") else { panic!("no page") };
        assert_eq!((skip.reason, skip.offset), (SkipReason::BadRecord, 4));
        assert!(changed.next().is_none());
    }

    proptest! {
        #[test]
        fn any_change_is_survived_and_every_entry_is_told_once(
            layout in 0..LAYOUTS.len(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        ) {
            let mut bytes = sample(LAYOUTS[layout]).bytes();
            for (at, byte) in changes {
                let at = 4 + at.index(bytes.len() - 4);
                bytes[at] = byte;
            }
            let file = written(&bytes);
            let params = Params { base_url: Some("http://ex.org/".to_owned()), ..Params::default() };
            if let Ok(archive) = ZimFormat.open(file.path(), 0, &params) {
                let count = archive.end().expect("known");
                let items = items(file.path(), 0, &params);
                prop_assert_eq!(items.len() as u64, count);
                if let Some((_, position)) = items.get(items.len() / 2) {
                    prop_assert_eq!(&self::items(file.path(), *position, &params)[..], &items[items.len() / 2 + 1..]);
                }
            }
        }
    }
}
