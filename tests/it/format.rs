//! The bytes of a store, read here by other code than the program's.

use std::collections::BTreeSet;
use std::fs;

use diglot::store::FORMAT_VERSION;
use diglot::types::SkipReason;

use crate::support::{root, run, tiny_site};

/// CRC-32C, bit by bit.
fn crc32c(parts: &[&[u8]]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in parts.iter().copied().flatten() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0x82f6_3b78 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// What a packed payload holds.
fn unpacked(payload: &[u8]) -> Vec<u8> {
    zstd::bulk::decompress(&payload[4..], word(payload, 0) as usize).expect("a frame of zstd")
}

/// The records of a bundle.
fn bundled(payload: &[u8]) -> Vec<Vec<u8>> {
    let (there, reserve) = (word(payload, 0) & 0xffff, word(payload, 0) as usize >> 16);
    let (packed, rest) = payload[4..].split_at(payload.len() - 4 - reserve);
    assert!(rest.iter().all(|&byte| byte == 0), "reserve");
    let content = unpacked(packed);
    let count = word(&content, 0) as usize;
    let mut at = 4 + 4 * count;
    let record = |place: usize| {
        let start = at.next_multiple_of(16);
        assert!(content[at..start].iter().all(|&byte| byte == 0), "padding");
        at = start + word(&content, 4 + 4 * place) as usize;
        content[start..at].to_vec()
    };
    let records: Vec<Vec<u8>> = (0..count).map(record).collect();
    assert_eq!(at, content.len());
    assert_eq!(u64::from(there), (1 << count) - 1, "all places have a record");
    records
}

/// The records of a segment, after a check of every byte that is no payload.
pub fn frames(bytes: &[u8], kind: u32) -> Vec<Vec<u8>> {
    sealed_frames(bytes, kind).0
}

/// The same, and what the last seal says; 0 where there is none.
fn sealed_frames(bytes: &[u8], kind: u32) -> (Vec<Vec<u8>>, u32) {
    assert_eq!(&bytes[..8], b"DIGLOTRC");
    assert_eq!(word(bytes, 8), FORMAT_VERSION);
    assert_eq!(bytes[12..16], [4, 3, 2, 1], "little-endian");
    assert_eq!((word(bytes, 16), word(bytes, 20)), (kind, 0), "kind and segment");
    assert!(bytes[24..60].iter().all(|&byte| byte == 0));
    assert_eq!(word(bytes, 60), crc32c(&[&bytes[..60]]));
    let (mut at, mut records, mut headers, mut last_seal) = (64, Vec::new(), Vec::new(), 0);
    while at < bytes.len() {
        let header = &bytes[at..at + 16];
        let length = word(header, 4) as usize;
        let payload = &bytes[at + 16..at + 16 + length];
        let is_seal = &header[..4] == b"SEAL";
        assert!(is_seal || [b"FRAM", b"PACK", b"MANY"].iter().any(|magic| &header[..4] == *magic));
        assert_eq!(word(header, 12), crc32c(&[&(at as u64).to_le_bytes(), &header[..12]]));
        let end = at + 16 + length;
        at = end.next_multiple_of(16);
        assert!(bytes[end..at].iter().all(|&byte| byte == 0), "padding");
        if is_seal {
            last_seal = crc32c(&headers);
            assert_eq!((word(header, 8), length), (last_seal, 0));
        } else {
            assert_eq!(word(header, 8), crc32c(&[payload]));
            headers.push(&header[..12]);
            match &header[..4] {
                b"MANY" => records.extend(bundled(payload)),
                b"PACK" => records.push(unpacked(payload)),
                _ => records.push(payload.to_vec()),
            }
        }
    }
    (records, last_seal)
}

#[test]
fn record_files_are_as_described() {
    let folder = tempfile::tempdir().expect("a folder");
    let (archive, store) = (folder.path().join("tiny.warc"), folder.path().join("s"));
    tiny_site(&archive);
    run(&store, &[&archive]);
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(store.join("manifest.json")).expect("a manifest")).expect("JSON");
    assert_eq!(manifest["format"], FORMAT_VERSION);
    let document = fs::read_to_string(root().join("docs/format.md")).expect("it is there");
    assert!(document.contains(&format!("Format version {FORMAT_VERSION}.")), "docs/format.md is of another version");
    // A block of ten pages; one batch; the pages and the left-out captures of one site; its keys and pairs; its links.
    for (name, kind, count) in [
        ("pages", 1, 1),
        ("batches", 2, 1),
        ("sites", 3, 1),
        ("results", 4, 1),
        ("skips", 5, 1),
        ("graphs", 6, 1),
        ("webs", 7, 0),
        ("verified", 8, 1),
        ("resolved", 9, 1),
        ("bitexts", 11, 1),
        ("models", 13, 1),
        ("requests", 14, 0),
        ("removals", 15, 0),
        ("scores", 16, 0),
    ] {
        let bytes = fs::read(store.join(name).join("000000.rec")).expect(name);
        assert_eq!(manifest["ends"][kind as usize - 1], bytes.len(), "{name}: what the manifest says is all there is");
        let (records, seal) = sealed_frames(&bytes, kind);
        assert_eq!((records.len(), &manifest["seals"][kind as usize - 1]), (count, &seal.into()), "{name}");
    }
    let text = fs::read_to_string(store.join("manifest.json")).expect("a manifest");
    let crc = format!("\"crc\": {},", manifest["crc"]);
    // No text in it has blanks.
    let bare: String = text.replace(&crc, "\"crc\": 0,").split_whitespace().collect();
    assert_eq!(manifest["crc"], crc32c(&[bare.as_bytes()]));
    let mut entries = 0;
    for run in manifest["view"].as_array().expect("a list") {
        let path = store.join("view").join(format!("{:012}.run", run["number"].as_u64().expect("a number")));
        let bytes = fs::read(path).expect("a run of the view");
        assert_eq!(run["bytes"], bytes.len());
        assert_eq!(run["blocks"], word(&bytes, bytes.len() - 8));
        entries += view_entries(&bytes, run["crc"].as_u64().expect("a number") as u32);
    }
    assert!(entries > 10, "{entries} entries");
    let kinds = [
        "batches", "bitexts", "graphs", "learnt", "models", "pages", "repeats", "requests", "resolved", "results",
        "sites", "skips", "verified", "webs", "removals", "scores",
    ];
    let known: BTreeSet<&str> = kinds.into_iter().chain(["lock", "manifest.json", "tmp", "tokens", "view"]).collect();
    for entry in fs::read_dir(&store).expect("a folder").flatten() {
        let name = entry.file_name();
        assert!(known.contains(name.to_str().expect("ASCII")), "{} is in no description", name.display());
    }
}

/// How many entries a run of the view has, read by docs/format.md.
fn view_entries(bytes: &[u8], crc: u32) -> usize {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
    let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes")) as usize;
    assert_eq!(&bytes[..8], b"DIGLOTVW");
    assert_eq!((word(8), word(12), word(60)), (FORMAT_VERSION, 0x0102_0304, crc32c(&[&bytes[..60]])));
    let end = bytes.len() - 16;
    let (index, blocks) = (long(end), word(end + 8) as usize);
    assert_eq!((word(end + 12), crc32c(&[&bytes[index..end]])), (crc, crc));
    let mut entries = 0;
    let mut last: Vec<u8> = Vec::new();
    for row in (0..blocks).map(|block| index + block * 24) {
        let packed = &bytes[long(row)..long(row) + word(row + 8) as usize];
        assert_eq!(crc32c(&[packed]), word(row + 12));
        let block = unpacked(packed);
        let keys = index + blocks * 24 + word(row + 16) as usize;
        let first = &bytes[keys..keys + word(row + 20) as usize];
        assert!(block[1..].starts_with(first) || first.len() > 127);
        let mut at = 0;
        let number = |at: &mut usize| {
            let (mut sum, mut shift) = (0, 0);
            loop {
                let byte = usize::from(block[*at]);
                *at += 1;
                sum |= (byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    return sum;
                }
            }
        };
        while at < block.len() {
            let length = number(&mut at);
            let key = block[at..at + length].to_vec();
            assert!(last < key, "keys ascend");
            last = key;
            at += length;
            let length = number(&mut at).saturating_sub(1);
            at += length;
            entries += 1;
        }
    }
    entries
}

#[test]
fn codes_on_disk_keep_their_meaning() {
    let names: Vec<String> =
        SkipReason::ALL.iter().map(|reason| format!("{} {}", *reason as u8, reason.name())).collect();
    crate::support::golden("skip-reasons.txt", &(names.join("\n") + "\n"));
    let codes: BTreeSet<u8> = SkipReason::ALL.iter().map(|reason| *reason as u8).collect();
    assert_eq!(codes.len(), SkipReason::ALL.len());
    for reason in SkipReason::ALL {
        assert_eq!(SkipReason::from_code(reason as u8), Some(reason));
    }
}
