//! The bytes of a store, read here by other code than the program's.

use std::collections::BTreeSet;
use std::fs;

use diglot::store::FORMAT_VERSION;
use diglot::types::SkipReason;

use crate::support::{run, tiny_site};

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

/// The records of a segment, after a check of every byte that is no payload.
pub fn frames(bytes: &[u8], kind: u32) -> Vec<&[u8]> {
    assert_eq!(&bytes[..8], b"DIGLOTRC");
    assert_eq!(word(bytes, 8), FORMAT_VERSION);
    assert_eq!(bytes[12..16], [4, 3, 2, 1], "little-endian");
    assert_eq!((word(bytes, 16), word(bytes, 20)), (kind, 0), "kind and segment");
    assert!(bytes[24..60].iter().all(|&byte| byte == 0));
    assert_eq!(word(bytes, 60), crc32c(&[&bytes[..60]]));
    let (mut at, mut records) = (64, Vec::new());
    while at < bytes.len() {
        let header = &bytes[at..at + 16];
        let length = word(header, 4) as usize;
        let payload = &bytes[at + 16..at + 16 + length];
        assert!([b"FRAM", b"PACK"].iter().any(|magic| &header[..4] == *magic));
        assert_eq!(word(header, 8), crc32c(&[payload]));
        assert_eq!(word(header, 12), crc32c(&[&(at as u64).to_le_bytes(), &header[..12]]));
        let end = at + 16 + length;
        at = end.next_multiple_of(16);
        assert!(bytes[end..at].iter().all(|&byte| byte == 0), "padding");
        records.push(payload);
    }
    records
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
    ] {
        let bytes = fs::read(store.join(name).join("000000.rec")).expect(name);
        assert_eq!(manifest["ends"][kind as usize - 1], bytes.len(), "{name}: what the manifest says is all there is");
        assert_eq!(frames(&bytes, kind).len(), count, "{name}");
    }
    let ends: Vec<u8> = std::iter::once(u64::from(FORMAT_VERSION))
        .chain([manifest["commit"].as_u64().expect("a number")])
        .chain(manifest["ends"].as_array().expect("five").iter().map(|end| end.as_u64().expect("a number")))
        .flat_map(u64::to_le_bytes)
        .collect();
    assert_eq!(manifest["crc"], crc32c(&[&ends]));
    let kinds = [
        "batches", "bitexts", "graphs", "learnt", "models", "pages", "repeats", "requests", "resolved", "results",
        "sites", "skips", "verified", "webs",
    ];
    let known: BTreeSet<&str> = kinds.into_iter().chain(["catalog", "lock", "manifest.json", "tmp"]).collect();
    for entry in fs::read_dir(&store).expect("a folder").flatten() {
        let name = entry.file_name();
        assert!(known.contains(name.to_str().expect("ASCII")), "{} is in no description", name.display());
    }
}

#[test]
fn codes_on_disk_keep_their_meaning() {
    let names: Vec<String> =
        SkipReason::ALL.iter().map(|reason| format!("{} {}", *reason as u8, reason.name())).collect();
    crate::support::golden("skip-reasons.txt", &(names.join("\n") + "\n"));
    let codes: BTreeSet<u8> = SkipReason::ALL.iter().map(|reason| *reason as u8).collect();
    assert_eq!(codes.len(), SkipReason::ALL.len());
    for reason in SkipReason::ALL {
        assert_eq!(SkipReason::from_code(*reason as u8), Some(*reason));
    }
}
