//! Recognises files into which other files are packed, but which are no web archives.

use super::codec::Codec;
use super::head::content_head;

/// The first bytes of files that must be unpacked first, and the names of their formats.
const PACKERS: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "a ZIP"),
    (b"PK\x05\x06", "a ZIP"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
];

/// The first entries of ZIP files that are documents or programs.
const DOCUMENTS: &[&str] = &["mimetype", "[Content_Types].xml", "_rels/", "META-INF/", "docProps/"];

/// Length of the header of an entry of a tarball.
pub(super) const TAR_HEAD_BYTES: usize = 512;

/// What the file that begins with `head` is, if other files are packed into it.
pub(super) fn packed(head: &[u8]) -> Option<&'static str> {
    if let Some((_, name)) = PACKERS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(name);
    }
    let is_tar = match Codec::of(head) {
        Codec::Plain => is_tar(head),
        _ => is_tar(&content_head(head)),
    };
    is_tar.then_some("a tarball")
}

/// True for a ZIP that is a document or a program (OpenDocument, EPUB, Office, Java) rather than a bundle of files.
pub(super) fn is_document(head: &[u8]) -> bool {
    let length = head.get(26..28).map_or(0, |length| usize::from(u16::from_le_bytes([length[0], length[1]])));
    let name = head.get(30..30 + length).unwrap_or_default();
    head.starts_with(b"PK\x03\x04") && DOCUMENTS.iter().any(|document| name.starts_with(document.as_bytes()))
}

/// True when an entry of a tarball, of any kind of tar, begins here, which its right checksum shows.
pub(super) fn is_tar(head: &[u8]) -> bool {
    let Some(head) = head.get(..TAR_HEAD_BYTES) else { return false };
    let Some(stated) = tar_number(&head[148..156]) else { return false };
    // The checksum itself counts as blanks.
    let sum: u64 =
        head.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u64::from(*byte) }).sum();
    head[0] != 0 && sum == stated
}

/// A number in the header of an entry of a tarball: octal digits, or, where its first bit is set, bytes from the highest on.
pub(super) fn tar_number(field: &[u8]) -> Option<u64> {
    let (&first, rest) = field.split_first()?;
    if first & 0x80 != 0 {
        // The first bytes of a number of 64 bits are zeros.
        let low = rest.len().saturating_sub(8);
        let is_short = first == 0x80 && rest[..low].iter().all(|byte| *byte == 0);
        return is_short.then(|| rest[low..].iter().fold(0, |number, byte| number << 8 | u64::from(*byte)));
    }
    let digits = std::str::from_utf8(field).ok()?.trim_matches([' ', '\0']);
    u64::from_str_radix(digits, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tar_head(name: &str) -> Vec<u8> {
        let mut head = vec![0; TAR_HEAD_BYTES];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..135].copy_from_slice(b"00000000005");
        head[148..156].fill(b' ');
        let sum: u64 = head.iter().map(|byte| u64::from(*byte)).sum();
        head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        head
    }

    #[test]
    fn what_is_packed_is_called_by_its_name() {
        let tar = tar_head("crawl.warc.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, &tar).expect("memory");
        let gzipped = encoder.finish().expect("memory");
        for head in [tar.as_slice(), &gzipped, &zstd::encode_all(tar.as_slice(), 1).expect("memory")] {
            assert_eq!(packed(head), Some("a tarball"));
        }
        assert_eq!(packed(b"PK\x03\x04 and more"), Some("a ZIP"));
        assert_eq!(packed(b"7z\xbc\xaf\x27\x1c"), Some("a 7z archive"));
        let mut changed = tar.clone();
        changed[3] ^= 1;
        for head in [changed.as_slice(), &tar[..511], &[0; 600], b"", b"WARC/1.0\r\n"] {
            assert_eq!(packed(head), None);
        }
    }

    #[test]
    fn numbers_are_octal_or_binary() {
        assert_eq!(tar_number(b"0000017 \0"), Some(15));
        assert_eq!(tar_number(b"\x80\0\0\0\0\0\0\0\0\0\x01\x02"), Some(258));
        for wrong in [
            b"".as_slice(),
            b"\0\0",
            b"9",
            b"-1",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x80\x01\0\0\0\0\0\0\0\0\0\0",
        ] {
            assert_eq!(tar_number(wrong), None);
        }
    }

    #[test]
    fn documents_are_no_parcels() {
        let zip = |name: &str| {
            let mut head = b"PK\x03\x04".to_vec();
            head.resize(30, 0);
            head[26] = name.len() as u8;
            [head.as_slice(), name.as_bytes()].concat()
        };
        assert!(is_document(&zip("mimetype")) && is_document(&zip("META-INF/MANIFEST.MF")));
        assert!(!is_document(&zip("site/index.html")) && !is_document(b"PK\x03\x04") && !is_document(b""));
    }
}
