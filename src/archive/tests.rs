//! What must hold for every kind of archive: damage affects only the records that it touches, and reading can continue from every position.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::types::SkipReason;

const PAGES: usize = 6;

fn page(number: usize) -> String {
    // Long enough that members differ, and with a line that looks like a record to readers that ignore lengths.
    let words: String =
        (0..40 + number * 7).map(|i| format!("word{} ", (i * 7919 + number * 104_729) % 1000)).collect();
    format!("<html><body><h1>Page {number}</h1>\n<p>{words}</p></body></html>")
}

fn warc_record(kind: &str, url: &str, content_type: &str, block: &str) -> Vec<u8> {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\nWARC-Date: 2014-03-01T01:02:03Z\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
    .into_bytes()
}

fn http(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}")
}

/// A `warcinfo`, then a request and a response for each page.
fn warc_records() -> Vec<Vec<u8>> {
    let mut records = vec![warc_record("warcinfo", "", "application/warc-fields", "software: test\r\n")];
    for number in 0..PAGES {
        let url = format!("http://ex.org/{number}");
        records.push(warc_record("request", &url, "application/http; msgtype=request", "GET / HTTP/1.1\r\n\r\n"));
        records.push(warc_record("response", &url, "application/http; msgtype=response", &http(&page(number))));
    }
    records
}

fn arc_records() -> Vec<Vec<u8>> {
    let info = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    let header = format!("filedesc://x.arc 0.0.0.0 20140301010203 text/plain {}\n{info}\n", info.len());
    let mut records = vec![header.into_bytes()];
    for number in 0..PAGES {
        let block = http(&page(number));
        let record = format!("http://ex.org/{number} 10.0.0.1 20140301010203 text/html {}\n{block}\n", block.len());
        records.push(record.into_bytes());
    }
    records
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
}

fn lz4(data: &[u8]) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new().content_checksum(true).block_checksums(true);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(data).expect("memory");
    encoder.finish().expect("memory")
}

fn xz(data: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
}

fn bzip2(data: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
}

fn zstd_with(data: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::with_dictionary(Vec::new(), 3, dictionary).expect("memory");
    encoder.include_checksum(true).expect("a setting");
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
}

/// The dictionary frame that comes first by the zstd convention; the dictionary is compressed or not.
fn dictionary_frame(dictionary: &[u8], compressed: bool) -> Vec<u8> {
    let content = if compressed { zstd_with(dictionary, &[]) } else { dictionary.to_vec() };
    let length = u32::try_from(content.len()).expect("short");
    [&[0x5d, 0x2a, 0x4d, 0x18], length.to_le_bytes().as_slice(), &content].concat()
}

fn each(records: &[Vec<u8>], encode: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    records.iter().flat_map(|record| encode(record)).collect()
}

fn zipped(records: &[Vec<u8>], method: zip::CompressionMethod) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let (first, second) = records.split_at(records.len() / 2);
    for (name, data) in [
        ("datapackage.json", b"{}".to_vec()),
        ("archive/a.warc.gz", each(first, gzip)),
        ("archive/b.warc", second.concat()),
        ("indexes/index.cdx", b"WARC/1.0".to_vec()),
    ] {
        zip.start_file(name, options).expect("a name");
        zip.write_all(&data).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

/// A zip of a WARC file and, if it is stored, a WACZ; else of two WARC files.
fn parcel(records: &[Vec<u8>], method: zip::CompressionMethod) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    let (first, second) = records.split_at(records.len() / 2);
    let second = match method {
        zip::CompressionMethod::Stored => ("b.wacz", zipped(second, zip::CompressionMethod::Deflated)),
        _ => ("x/b.warc.xz", xz(&second.concat())),
    };
    for (name, data) in [("a.warc.gz", each(first, gzip)), ("readme.txt", b"text".to_vec()), second] {
        zip.start_file(name, options).expect("a name");
        zip.write_all(&data).expect("memory");
    }
    zip.finish().expect("memory").into_inner()
}

/// A tarball of a WARC file with a long name, and a WACZ.
fn tarball(records: &[Vec<u8>]) -> Vec<u8> {
    let entry = |name: &str, kind: u8, data: &[u8]| {
        let mut head = vec![0; 512];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
        head[156] = kind;
        head[148..156].fill(b' ');
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        head.extend(data);
        head.resize(head.len().next_multiple_of(512), 0);
        head
    };
    let (first, second) = records.split_at(records.len() / 2);
    [
        entry("crawl/", b'5', b""),
        entry("././@LongLink", b'L', b"crawl/a.warc.gz\0"),
        entry("cut.txt", b'0', &each(first, gzip)),
        entry("crawl/notes.txt", b'0', b"text"),
        entry("crawl/b.wacz", b'0', &zipped(second, zip::CompressionMethod::Stored)),
        vec![0; 1024],
    ]
    .concat()
}

/// The same pages in every archive format.
fn archives() -> Vec<(&'static str, Vec<u8>)> {
    let (warc, arc) = (warc_records(), arc_records());
    let whole = warc.concat();
    // Made by `zstd --train --maxdict=4096` from 200 pages.
    let dictionary = std::fs::read("tests/data/pages.zdict").expect("it is there");
    let with_dictionary = each(&warc, |record| zstd_with(record, &dictionary));
    let bare_lf = String::from_utf8(whole.clone()).expect("text").replace("\r\n", "\n");
    let bare_lf = bare_lf.replace("Content-Length: 16\n", "Content-Length: 15\n");
    vec![
        ("plain", whole.clone()),
        ("gzip by record", each(&warc, gzip)),
        ("gzip whole", gzip(&whole)),
        ("gzip cut anywhere", whole.chunks(777).flat_map(gzip).collect()),
        ("gzip in threes", each(&warc.chunks(3).map(<[_]>::concat).collect::<Vec<_>>(), gzip)),
        ("zstd by record", each(&warc, |record| zstd_with(record, &[]))),
        ("zstd whole", zstd_with(&whole, &[])),
        ("zstd dictionary", [dictionary_frame(&dictionary, false), with_dictionary.clone()].concat()),
        ("zstd compressed dictionary", [dictionary_frame(&dictionary, true), with_dictionary].concat()),
        ("lz4 by record", each(&warc, lz4)),
        ("lz4 whole", lz4(&whole)),
        ("xz by record", each(&warc, xz)),
        ("xz whole", xz(&whole)),
        ("bzip2 by record", each(&warc, bzip2)),
        ("bzip2 whole", bzip2(&whole)),
        ("gzip padded", [each(&warc, gzip), vec![0; 1000]].concat()),
        ("arc", arc.concat()),
        ("arc gzip by record", each(&arc, gzip)),
        ("arc gzip whole", gzip(&arc.concat())),
        ("wacz stored", zipped(&warc, zip::CompressionMethod::Stored)),
        ("wacz deflated", zipped(&warc, zip::CompressionMethod::Deflated)),
        ("zip", parcel(&warc, zip::CompressionMethod::Deflated)),
        ("zip with a wacz", parcel(&warc, zip::CompressionMethod::Stored)),
        ("tar", tarball(&warc)),
        ("bare LF", bare_lf.into_bytes()),
    ]
}

struct File {
    folder: tempfile::TempDir,
}

impl File {
    fn with(data: &[u8]) -> File {
        let file = File { folder: tempfile::tempdir().expect("a folder") };
        std::fs::write(file.path(), data).expect("a file");
        file
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("archive")
    }
}

/// All items from a position on, each with the position after it.
fn read(path: &Path, position: u64, params: &Params) -> Vec<(Item, u64)> {
    let mut archive = open(path, position, params).expect("an archive");
    let mut items = Vec::new();
    while let Some(item) = archive.next().expect("readable") {
        items.push((item, archive.position()));
        assert!(items.len() < 100_000, "reading does not end");
    }
    assert_eq!(archive.next().expect("readable"), None, "the end stays the end");
    items
}

fn read_all(data: &[u8]) -> Vec<Item> {
    let file = File::with(data);
    read(&file.path(), 0, &Params::default()).into_iter().map(|(item, _)| item).collect()
}

/// The pages among the items, by their numbers.
fn pages(items: &[Item]) -> Vec<usize> {
    let number = |item: &Item| match item {
        Item::Record(record) => {
            let found = capture(record.clone(), &Params::default()).expect("a page");
            let number = record.url.strip_prefix("http://ex.org/").and_then(|number| number.parse().ok());
            let number = number.expect("a URL");
            assert_eq!(String::from_utf8_lossy(&found.body), page(number));
            assert_eq!(found.date_ms, 1_393_635_723_000);
            Some(number)
        }
        Item::Skip(_) => None,
    };
    items.iter().filter_map(number).collect()
}

fn reasons(items: &[Item]) -> Vec<SkipReason> {
    let reason = |item: &Item| match item {
        Item::Skip(skip) => Some(skip.reason),
        Item::Record(_) => None,
    };
    items.iter().filter_map(reason).collect()
}

#[test]
fn every_kind_of_archive_gives_every_page() {
    for (name, data) in archives().into_iter().filter(|(name, _)| *name != "bare LF") {
        let items = read_all(&data);
        assert_eq!(pages(&items), (0..PAGES).collect::<Vec<_>>(), "{name}: {:?}", reasons(&items));
        let damage: Vec<_> = reasons(&items)
            .into_iter()
            .filter(|reason| !matches!(reason, SkipReason::WarcInfo | SkipReason::Request))
            .collect();
        assert_eq!(damage, [], "{name}");
    }
}

#[test]
fn offsets_and_lengths_are_those_of_the_members() {
    let records = warc_records();
    for (name, data, lengths) in [
        ("plain", records.concat(), records.iter().map(Vec::len).collect::<Vec<_>>()),
        ("gzip", each(&records, gzip), records.iter().map(|record| gzip(record).len()).collect()),
        ("lz4", each(&records, lz4), records.iter().map(|record| lz4(record).len()).collect()),
        ("xz", each(&records, xz), records.iter().map(|record| xz(record).len()).collect()),
        ("bzip2", each(&records, bzip2), records.iter().map(|record| bzip2(record).len()).collect()),
    ] {
        let mut offset = 0;
        for (item, length) in read_all(&data).iter().zip(lengths) {
            let place = match item {
                Item::Record(record) => (record.offset, record.length),
                Item::Skip(skip) => (skip.offset, skip.length),
            };
            assert_eq!(place, (offset, length as u64), "{name}");
            offset += length as u64;
        }
    }
    let mut offset = 0;
    for (item, record) in read_all(&gzip(&records.concat())).iter().zip(&records) {
        let place = match item {
            Item::Record(record) => (record.offset, record.length),
            Item::Skip(skip) => (skip.offset, skip.length),
        };
        assert_eq!(place, (offset, 0), "in one stream: decompressed offsets");
        offset += record.len() as u64;
    }
}

#[test]
fn reading_goes_on_from_every_position() {
    let damaged = |mut data: Vec<u8>| {
        let middle = data.len() / 2;
        data[middle] ^= 0x55;
        data
    };
    let sound = archives();
    let broken =
        archives().into_iter().filter(|(name, _)| !name.contains("wacz")).map(|(name, data)| (name, damaged(data)));
    for (name, data) in sound.into_iter().chain(broken) {
        let file = File::with(&data);
        if open(&file.path(), 0, &Params::default()).is_err() {
            assert!(name.contains("whole"), "{name}: damage in the middle leaves its beginning");
            continue;
        }
        assert_positions(name, &file);
    }
}

/// Reads on from every position, and returns all items.
fn assert_positions(name: &str, file: &File) -> Vec<Item> {
    let all = read(&file.path(), 0, &Params::default());
    let mut last = 0;
    for (index, (_, position)) in all.iter().enumerate() {
        assert!(*position >= last, "{name}: positions grow");
        last = *position;
        let rest = read(&file.path(), *position, &Params::default());
        assert_eq!(rest, all[index + 1..], "{name}: after item {index}");
    }
    all.into_iter().map(|(item, _)| item).collect()
}

#[test]
fn blanks_in_the_place_of_records_are_counted() {
    let records = warc_records();
    let (many, few) = (vec![0; 100_000], vec![b' '; 40_000]);
    let (first, rest) = (&records[0], &records[1..]);
    let join = |parts: &[&[u8]]| parts.concat();
    let gzipped = each(rest, gzip);
    let cases: Vec<(&str, usize, Vec<u8>)> = vec![
        ("members of blanks", 3, join(&[&gzip(first), &gzip(&many), &gzip(&many), &gzipped, &gzip(&many)])),
        (
            "before and behind a record",
            2,
            join(&[&gzip(first), &gzip(&join(&[&many, &rest[0], &many])), &each(&rest[1..], gzip)]),
        ),
        ("between records of a member", 2, gzip(&join(&[first, &many, &rest[0], &many, &rest[1..].concat()]))),
        ("members of few blanks", 0, join(&[&gzip(first), &gzip(&few), &gzip(&few), &gzipped])),
        ("zeros between members", 2, join(&[&gzip(first), &many, &gzipped, &many])),
        (
            "zstd",
            2,
            join(&[
                &zstd_with(first, &[]),
                &zstd_with(&many, &[]),
                &each(rest, |it| zstd_with(it, &[])),
                &zstd_with(&many, &[]),
            ]),
        ),
        ("plain", 2, join(&[first, &many, &rest.concat(), &many])),
        ("plain, few", 0, join(&[first, &few, &rest.concat(), &few])),
        ("behind damage", 1, join(&[&gzip(first), &gzip(&many), b"junk", &gzipped])),
        ("cut off", 1, join(&[&each(&records, gzip), &gzip(&many)[..100]])),
    ];
    for (name, expected, data) in cases {
        let items = assert_positions(name, &File::with(&data));
        assert_eq!(pages(&items), (0..PAGES).collect::<Vec<_>>(), "{name}");
        let blanks = |item: &&Item| matches!(item, Item::Skip(skip) if skip.detail.contains("blank bytes"));
        assert_eq!(items.iter().filter(blanks).count(), expected, "{name}: {:?}", reasons(&items));
    }
    let data = join(&[&gzip(first), &gzip(&many), &gzipped]);
    let Item::Skip(skip) = &read_all(&data)[1] else { panic!("blanks are no record") };
    let detail = "damage: 100000 blank bytes and no record";
    let found = (skip.reason, skip.offset, skip.detail.as_str());
    assert_eq!(found, (SkipReason::BadRecord, gzip(first).len() as u64, detail));
}

#[test]
fn a_plain_file_has_no_frames_to_skip() {
    let records = warc_records();
    let frame = dictionary_frame(b"0123456789", false);
    let file = File::with(&[records[0].as_slice(), &frame, &records[1..].concat()].concat());
    let items = assert_positions("plain", &file);
    assert_eq!(pages(&items), (0..PAGES).collect::<Vec<_>>());
    assert!(reasons(&items).contains(&SkipReason::BadRecord), "{:?}", reasons(&items));
}

#[test]
fn a_record_in_members_of_one_byte_is_read() {
    // Not at every byte: the square of the length would take minutes.
    let bytes: Vec<Vec<u8>> = (0..=255).map(|byte| gzip(&[byte])).collect();
    let block = http(&"x".repeat(200_000));
    let record = warc_record("response", "http://ex.org/0", "application/http; msgtype=response", &block);
    let (head, body) = record.split_at(record.len() - 200_004);
    let members: Vec<u8> = body.iter().flat_map(|byte| bytes[usize::from(*byte)].clone()).collect();
    let items = read_all(&[gzip(head), members].concat());
    assert!(matches!(&items[..], [Item::Record(record)] if record.block.len() == block.len()), "{:?}", reasons(&items));
}

#[test]
fn a_zip_of_many_files_goes_on_behind_each() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let count = 5000;
    for number in 0..count {
        zip.start_file(format!("archive/{number:06}.warc"), options).expect("a name");
        zip.write_all(&warc_record("resource", &format!("http://ex.org/{number}"), "text/html", "x")).expect("memory");
    }
    let file = File::with(&zip.finish().expect("memory").into_inner());
    let all = read(&file.path(), 0, &Params::default());
    assert_eq!(all.len(), count);
    for passed in [1, 4094, 4095, 4096, 4500, count] {
        let rest = read(&file.path(), all[passed - 1].1, &Params::default());
        assert_eq!(rest, all[passed..], "after {passed}");
    }
}

#[test]
fn a_window_larger_than_the_limit_is_named_with_the_remedy() {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.window_log(28).and_then(|()| encoder.write_all(&warc_records().concat())).expect("memory");
    let large = encoder.finish().expect("memory");
    let file = File::with(&large);
    let error = open(&file.path(), 0, &Params::default()).err().expect("the window is too large").to_string();
    for part in ["a window of 268435456 bytes", "the limit is 134217728", "--max-window-bytes 268435456"] {
        assert!(error.contains(part), "{error}");
    }
    let params = Params { max_window_bytes: 1 << 28, ..Params::default() };
    let items: Vec<Item> = read(&file.path(), 0, &params).into_iter().map(|(item, _)| item).collect();
    assert_eq!(pages(&items), (0..PAGES).collect::<Vec<_>>());
    // After readable frames, it is damage.
    let items = read_all(&[zstd_with(&warc_records()[0], &[]), large].concat());
    assert!(matches!(&items[1], Item::Skip(skip) if skip.detail.contains("--max-window-bytes 268435456")), "{items:?}");
}

#[test]
fn an_archive_cut_anywhere_gives_the_pages_before_the_cut() {
    let records = warc_records();
    for (name, data, ends) in [
        ("plain", records.concat(), cumulated(records.iter().map(Vec::len))),
        ("gzip", each(&records, gzip), cumulated(records.iter().map(|record| gzip(record).len()))),
    ] {
        for cut in (ends[0]..data.len()).step_by(13).chain(data.len() - 40..data.len()) {
            let items = read_all(&data[..cut]);
            let whole = ends.iter().filter(|end| **end <= cut).count();
            let before = (0..PAGES).filter(|page| 2 * page + 2 < whole).count();
            let found = pages(&items);
            // A cut that removes only the blank lines after a record, or a member's checksum, does no harm.
            assert!(found.len() == before || found.len() == before + 1, "{name} cut at {cut}: {found:?}");
            if ends.contains(&cut) {
                assert_eq!(items.len(), whole, "{name} cut at {cut}");
            } else {
                assert!(items.len() == whole + 1, "{name} cut at {cut}: the record cut is counted");
            }
        }
    }
}

fn cumulated(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    lengths
        .scan(0, |sum, length| {
            *sum += length;
            Some(*sum)
        })
        .collect()
}

#[test]
fn a_corrupt_member_costs_its_own_record() {
    let records = warc_records();
    for (name, encode) in
        [("gzip", gzip as fn(&[u8]) -> Vec<u8>), ("lz4", lz4), ("zstd", |record| zstd_with(record, &[]))]
    {
        let members: Vec<Vec<u8>> = records.iter().map(|record| encode(record)).collect();
        // Changes each byte of the member with the response of page 2.
        let (before, after) = (members[..6].concat(), members[7..].concat());
        for at in 0..members[6].len() {
            let mut member = members[6].clone();
            member[at] ^= 0xa5;
            let items = read_all(&[before.as_slice(), &member, &after].concat());
            let found = pages(&items);
            // A few bytes of a header mean nothing, so the page may survive.
            assert!(found == [0, 1, 3, 4, 5] || found == [0, 1, 2, 3, 4, 5], "{name} at {at}: {found:?}");
            if found.len() == 5 {
                let skip = items.iter().find_map(|item| match item {
                    Item::Skip(skip) if skip.reason == SkipReason::BadCompression => Some(skip),
                    _ => None,
                });
                let skip = skip.unwrap_or_else(|| panic!("{name} at {at}: {:?}", reasons(&items)));
                assert_eq!((skip.offset, skip.length), (before.len() as u64, member.len() as u64), "{name} at {at}");
            }
        }
    }
}

#[test]
fn bad_headers_cost_their_own_record() {
    let mut records = warc_records();
    let text = String::from_utf8(records[6].clone()).expect("text");
    let length = page(2).len() + http("").len();
    for (what, bad, reason) in [
        ("no length", text.replace("Content-Length", "Content-Size"), SkipReason::BadRecord),
        ("a negative length", text.replace(&format!("Length: {length}"), "Length: -5"), SkipReason::BadRecord),
        (
            "an absurd length",
            text.replace(&format!("Length: {length}"), "Length: 99999999999999999999999"),
            SkipReason::Truncated,
        ),
        (
            "a length beyond the file",
            text.replace(&format!("Length: {length}"), "Length: 9000000"),
            SkipReason::Truncated,
        ),
        ("a length too long", text.replace(&format!("Length: {length}"), "Length: 1500"), SkipReason::Truncated),
        ("no version", text.replace("WARC/1.0", "WRAC/1.0"), SkipReason::BadRecord),
        (
            "an endless header",
            text.replace("\r\n\r\nHTTP", &format!("\r\nX: {}\r\nHTTP", "y".repeat(70_000))),
            SkipReason::BadRecord,
        ),
        ("no URL", text.replace("WARC-Target-URI", "WARC-Target-URL"), SkipReason::BadRecord),
        ("another scheme", text.replace("http://ex.org", "dns:ex.org"), SkipReason::NotWeb),
    ] {
        records[6] = bad.into_bytes();
        for (name, data) in
            [("plain", records.concat()), ("gzip", each(&records, gzip)), ("whole", gzip(&records.concat()))]
        {
            let items = read_all(&data);
            assert_eq!(pages(&items), [0, 1, 3, 4, 5], "{what}, {name}: {:?}", reasons(&items));
            assert!(reasons(&items).contains(&reason), "{what}, {name}: {:?}", reasons(&items));
        }
    }
}

#[test]
fn a_length_too_short_leaves_the_other_records() {
    let mut records = warc_records();
    let text = String::from_utf8(records[6].clone()).expect("text");
    let length = page(2).len() + http("").len();
    records[6] = text.replace(&format!("Length: {length}"), "Length: 100").into_bytes();
    let file = File::with(&records.concat());
    let items = read(&file.path(), 0, &Params::default());
    let urls: Vec<_> = items
        .iter()
        .filter_map(|(item, _)| match item {
            Item::Record(record) => Some(record.url.as_str()),
            Item::Skip(_) => None,
        })
        .collect();
    assert_eq!(urls.len(), PAGES, "{urls:?}");
}

#[test]
fn records_over_the_limit_are_passed_without_being_held() {
    let mut records = warc_records();
    records[6] = warc_record("response", "http://ex.org/2", "application/http", &http(&"long ".repeat(100_000)));
    let params = Params { max_record_bytes: 10_000, ..Params::default() };
    for (name, data) in [
        ("plain", records.concat()),
        ("gzip", each(&records, gzip)),
        ("whole", gzip(&records.concat())),
        ("zstd", each(&records, |record| zstd_with(record, &[]))),
        ("lz4", lz4(&records.concat())),
        ("xz", xz(&records.concat())),
        ("bzip2", bzip2(&records.concat())),
    ] {
        let file = File::with(&data);
        let items: Vec<Item> = read(&file.path(), 0, &params).into_iter().map(|(item, _)| item).collect();
        assert_eq!(pages(&items), [0, 1, 3, 4, 5], "{name}");
        assert!(reasons(&items).contains(&SkipReason::TooLong), "{name}");
    }
}

#[test]
fn odd_headers_are_read() {
    let block = http("<p>x");
    for head in [
        "WARC/0.17\nwarc-type:response\nWARC-TARGET-URI:http://ex.org/a b\ncontent-length:  {}  \n\n",
        "WARC/1.1\r\nWARC-Type: response\r\nJunk\r\nX: \u{e4}\r\nWARC-Target-URI: <http://ex.org/a b>\r\nContent-Length: {}\r\n\r\n",
        "\r\n\r\nWARC/0.18\r\nWARC-Type: response\r\nWARC-Target-URI: http://ex.org/\r\n a b\r\nContent-Length: {}\r\n\r\n",
    ] {
        let mut data = head.replace("{}", &block.len().to_string()).into_bytes();
        // A byte that is not valid UTF-8.
        data.iter_mut().filter(|byte| **byte == 0xc3).for_each(|byte| *byte = 0xff);
        data.extend_from_slice(block.as_bytes());
        let items = read_all(&data);
        let [Item::Record(record)] = items.as_slice() else { panic!("{head}: {items:?}") };
        assert_eq!(record.block, block.as_bytes());
        assert!(record.url.starts_with("http://ex.org/") && record.url.ends_with("a b"), "{}", record.url);
    }
}

#[test]
fn long_blocks_are_recognised_and_recovered() {
    // Noise that does not compress, so that the first block is as long as it can be.
    let mut state = 1_u64;
    let noise: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(33 + (state >> 57) as u8 % 90)
    })
    .take(5_000_000)
    .collect();
    let long = warc_record("response", "http://ex.org/long", "application/http", &http(&noise));
    let records = [long.clone(), warc_record("request", "http://ex.org/", "", "x"), long];
    let linked = |data: &[u8]| {
        let info = lz4_flex::frame::FrameInfo::new()
            .block_size(lz4_flex::frame::BlockSize::Max4MB)
            .block_mode(lz4_flex::frame::BlockMode::Linked)
            .content_checksum(true);
        let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(data).expect("memory");
        encoder.finish().expect("memory")
    };
    let zstd = |data: &[u8]| zstd_with(data, &[]);
    for (name, mut data) in [
        ("zstd", each(&records, zstd)),
        ("zstd whole", zstd(&records.concat())),
        ("lz4", each(&records, linked)),
        ("lz4 whole", linked(&records.concat())),
        ("gzip", each(&records, gzip)),
        ("gzip whole", gzip(&records.concat())),
    ] {
        assert_eq!(read_all(&data).len(), 3, "{name}");
        if !name.contains("whole") {
            let middle = data.len() / 4;
            data[middle] ^= 0x5a;
            let items = read_all(&data);
            assert_eq!(reasons(&items), [SkipReason::BadCompression, SkipReason::Request], "{name}");
            assert_eq!(items.len(), 3, "{name}");
        }
    }
}

#[test]
fn a_file_of_another_kind_says_what_it_is() {
    for (data, found) in [
        (b"".as_slice(), "an empty file"),
        (b"<html>", "begins with \"<html>\""),
        (&gzip(b"just text"), "Gzip data that begins with \"just text\""),
        (b"\x1f\x8b\x08\x00", "Gzip data that cannot be decompressed"),
        (b"\x89PNG\r\n\x1a\n", "a file that is no text"),
    ] {
        let file = File::with(data);
        let error = format_of(&file.path()).map(|format| format.name()).expect_err("no archive").to_string();
        assert!(error.contains(found) && error.contains("WARC, ARC, WACZ"), "{error}");
    }
}

/// The `warc` crate, where it can read a file, finds the same records.
#[test]
fn sound_records_are_those_the_warc_crate_finds() {
    let data = warc_records().concat();
    let found: Vec<Vec<u8>> =
        ::warc::WarcReader::new(&data[..]).iter_raw_records().map(|record| record.expect("sound").1).collect();
    let ours = read_all(&data);
    assert_eq!(ours.len(), found.len());
    for (item, block) in ours.iter().zip(found) {
        if let Item::Record(record) = item {
            assert_eq!(record.block, block);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_bytes_end_without_a_panic(
        head in prop::sample::select(vec![
            b"WARC/1.0\r\n".to_vec(),
            b"WARC/1.0\r\nContent-Length: 9\r\n\r\n".to_vec(),
            b"filedesc://x 0.0.0.0 20140301000000 text/plain 9\n".to_vec(),
            gzip(b"WARC/1.0\r\n"),
            zstd_with(b"WARC/1.0\r\n", &[]),
            lz4(b"WARC/1.0\r\n"),
            dictionary_frame(b"0123456789", false),
        ]),
        pieces in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            prop::sample::select(vec![
                vec![0x1f, 0x8b, 8, 0], vec![0x28, 0xb5, 0x2f, 0xfd], vec![4, 0x22, 0x4d, 0x18, 0x60, 0x40],
                b"WARC/1.0\r\nContent-Length: 3\r\n\r\n".to_vec(), b"\r\n\r\n".to_vec(), gzip(b"WARC/1.0\r\n\r\n"),
            ]),
        ], 0..12),
    ) {
        let file = File::with(&[head, pieces.concat()].concat());
        if open(&file.path(), 0, &Params::default()).is_ok() {
            let all = read(&file.path(), 0, &Params { max_record_bytes: 20, ..Params::default() });
            for (index, (_, position)) in all.iter().enumerate() {
                let rest = read(&file.path(), *position, &Params { max_record_bytes: 20, ..Params::default() });
                prop_assert_eq!(&rest[..], &all[index + 1..]);
            }
        }
    }

    #[test]
    fn damage_anywhere_ends_without_a_panic_and_leaves_positions_right(
        kind in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let (name, mut data) = {
            let mut all = archives();
            let kind = kind.index(all.len());
            all.swap_remove(kind)
        };
        for (at, byte) in changes {
            let at = at.index(data.len());
            data[at] = byte;
        }
        data.truncate(cut.map_or(data.len(), |cut| cut.index(data.len())));
        let file = File::with(&data);
        if open(&file.path(), 0, &Params::default()).is_ok() {
            let all = read(&file.path(), 0, &Params::default());
            prop_assert!(all.len() < 100, "{name}: {} items", all.len());
            for (index, (_, position)) in all.iter().enumerate() {
                let rest = read(&file.path(), *position, &Params::default());
                prop_assert_eq!(&rest[..], &all[index + 1..], "{} after item {}", name, index);
            }
        }
    }
}
