//! Copies records out of a WARC or WACZ file, byte for byte, by their places.
//!
//! For a record of a WACZ, its place in its WARC file is known, but not which WARC file that is: it is the one that has a whole record of
//! the same date at that place.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::codec::{self, Codec};
use super::dictionary;
use super::format::Params;
use super::head::codec_of;
use super::header::{Dialect, Found};
use super::wacz;
use super::warc::Warc;
use crate::files;
use crate::types::{CanonicalUrl, CopiedRecord};

/// Room for the header of a record and the blanks after it.
const ROOM_BYTES: u64 = 128 << 10;
/// What follows every record.
const RECORD_END: &[u8] = b"\r\n\r\n";

/// A file that records are copied out of.
pub struct Copier {
    file: File,
    /// Its WARC files: the file itself, or the WARC files that are stored uncompressed in a WACZ.
    parts: Vec<Part>,
    is_wacz: bool,
    /// The dictionary of a zstd file, read when it is needed.
    dictionary: Option<Vec<u8>>,
    max_bytes: u64,
}

/// A WARC file in a file.
#[derive(Clone, Copy)]
struct Part {
    start: u64,
    bytes: u64,
    codec: Codec,
}

impl Copier {
    /// Opens the file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path, params: &Params) -> io::Result<Copier> {
        let mut file = files::open(path)?;
        let bytes = file.metadata()?.len();
        let places = wacz::stored(path, &mut file)?;
        let is_wacz = places.is_some();
        let part = |(start, bytes): (u64, u64)| {
            file.seek(SeekFrom::Start(start))?;
            Ok(Part { start, bytes, codec: codec_of(&mut file)? })
        };
        let parts = places.unwrap_or_else(|| vec![(0, bytes)]).into_iter().map(part).collect::<io::Result<_>>()?;
        let max_bytes = params.max_record_bytes.saturating_add(ROOM_BYTES);
        Ok(Copier { file, parts, is_wacz, dictionary: None, max_bytes })
    }

    /// True where the file contains WARC files, which have offsets of their own.
    pub fn is_container(&self) -> bool {
        self.is_wacz
    }

    /// The record with a date that takes `length` bytes from `offset` on; `None` where there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn copy(&mut self, offset: u64, length: u64, date_ms: i64) -> io::Result<Option<CopiedRecord>> {
        let mut found = None;
        for part in self.parts.clone() {
            let is_inside = offset.checked_add(length).is_some_and(|end| end <= part.bytes);
            let record = if is_inside { self.copy_of(part, offset, length)? } else { None };
            let Some((record, date)) = record else { continue };
            if self.is_wacz && date != date_ms {
                continue;
            }
            // Two records fit, and it is not known which is the right one.
            if found.replace(record).is_some() {
                return Ok(None);
            }
        }
        Ok(found)
    }

    fn copy_of(&mut self, part: Part, offset: u64, length: u64) -> io::Result<Option<(CopiedRecord, i64)>> {
        if part.codec == Codec::Zstd && !self.is_wacz && self.dictionary.is_none() {
            self.dictionary = Some(dictionary::before(&mut self.file, offset)?);
        }
        // Compression makes hardly any record longer.
        if length > self.max_bytes.saturating_add(self.max_bytes >> 8) {
            return Ok(None);
        }
        self.file.seek(SeekFrom::Start(part.start + offset))?;
        let mut stored = Vec::new();
        (&mut self.file).take(length).read_to_end(&mut stored)?;
        let Ok((mut bytes, rest)) = self.decoded(part.codec, &stored) else { return Ok(None) };
        let Found::Head(head) = Warc::head(&bytes) else { return Ok(None) };
        let block = head.block_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let end = block.and_then(|block| head.header_bytes.checked_add(block));
        let Some(end) = end.filter(|end| *end <= bytes.len()) else { return Ok(None) };
        if !bytes[end..].iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
            return Ok(None);
        }
        bytes.truncate(end);
        bytes.extend(RECORD_END);
        // What follows are other records.
        stored.truncate(stored.len() - rest);
        let member = (part.codec == Codec::Gzip).then_some(stored);
        let url = CanonicalUrl::parse(&head.url).map_or(head.url, |url| url.as_str().to_owned());
        Ok(Some((CopiedRecord { url, record: bytes, member }, head.date_ms)))
    }

    /// The decompressed member or frame, and how many bytes of `stored` follow a member.
    fn decoded(&self, codec: Codec, stored: &[u8]) -> io::Result<(Vec<u8>, usize)> {
        let mut bytes = Vec::new();
        // One byte more is read, to notice longer members, and to read the end of the member.
        let max = self.max_bytes.saturating_add(1);
        let mut rest = 0;
        match codec {
            Codec::Plain => bytes.extend(stored),
            Codec::Gzip => {
                let mut decoder = GzDecoder::new(stored).take(max);
                decoder.read_to_end(&mut bytes)?;
                rest = decoder.into_inner().into_inner().len();
            }
            Codec::Zstd => {
                let dictionary = self.dictionary.as_deref().unwrap_or_default();
                let decoder = zstd::stream::read::Decoder::with_dictionary(stored, dictionary)?;
                decoder.single_frame().take(max).read_to_end(&mut bytes)?;
            }
            Codec::Lz4 | Codec::Xz | Codec::Bzip2 => {
                codec::reader(codec, stored)?.take(max).read_to_end(&mut bytes)?;
            }
        }
        Ok((bytes, rest))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const RECORD: &[u8] =
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://ex.org/\r\nContent-Length: 4\r\n\r\na\n\n\n\r\n\r\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    /// The copy of the record at a place of a file.
    fn copy(file: &[u8], offset: usize, length: usize) -> Option<CopiedRecord> {
        copy_with(&Params::default(), file, offset, length)
    }

    fn copy_with(params: &Params, file: &[u8], offset: usize, length: usize) -> Option<CopiedRecord> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.warc");
        std::fs::write(&path, file).expect("room on the disk");
        let mut copier = Copier::open(&path, params).expect("it is there");
        copier.copy(offset as u64, length as u64, 0).expect("it can be read")
    }

    #[test]
    fn records_are_the_same_whatever_they_are_compressed_with() {
        let mut frames = lz4_flex::frame::FrameEncoder::new(Vec::new());
        frames.write_all(RECORD).expect("memory");
        let lz4 = frames.finish().expect("memory");
        let zstd = zstd::encode_all(RECORD, 1).expect("memory");
        for stored in [RECORD.to_vec(), gzip(RECORD), zstd, lz4] {
            let file = [stored.as_slice(), &stored, &stored].concat();
            let found = copy(&file, stored.len(), stored.len()).expect("a record");
            assert_eq!((found.url.as_str(), found.record.as_slice()), ("http://ex.org/", RECORD));
            assert_eq!(found.member, (stored == gzip(RECORD)).then_some(stored));
        }
    }

    #[test]
    fn the_url_of_a_record_is_that_of_its_page() {
        let raw = String::from_utf8_lossy(RECORD).replace("http://ex.org/", "<HTTP://User@Ex.org:80/a b#c>");
        let found = copy(raw.as_bytes(), 0, raw.len()).expect("a record");
        assert_eq!((found.url.as_str(), found.record.as_slice()), ("http://ex.org/a%20b", raw.as_bytes()));
    }

    #[test]
    fn of_an_uncompressed_file_the_blanks_behind_a_record_need_not_be_counted() {
        let found = copy(RECORD, 0, RECORD.len() - RECORD_END.len()).expect("a record");
        assert_eq!(found.record, RECORD);
    }

    #[test]
    fn what_is_not_one_whole_record_is_not_copied() {
        let two = gzip(&[RECORD, RECORD].concat());
        assert_eq!(copy(&two, 0, two.len()), None);
        let one = gzip(RECORD);
        for (offset, length) in [(0, one.len() - 9), (1, one.len() - 1), (0, one.len() + 1), (99, 7)] {
            assert_eq!(copy(&one, offset, length), None, "{offset} {length}");
        }
        assert_eq!(copy(RECORD, 0, RECORD.len() - RECORD_END.len() - 1), None);
    }

    #[test]
    fn of_two_members_under_one_length_the_first_alone_is_copied() {
        let (one, other) = (gzip(RECORD), gzip(&RECORD.repeat(2)));
        let found = copy(&[one.as_slice(), &other].concat(), 0, one.len() + other.len()).expect("a record");
        assert_eq!((found.record.as_slice(), found.member), (RECORD, Some(one)));
    }

    #[test]
    fn what_is_longer_than_any_record_is_not_read() {
        let text = "a".repeat(2 * ROOM_BYTES as usize);
        let length = text.len();
        let long = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://ex.org/\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
        );
        assert!(copy(long.as_bytes(), 0, long.len()).is_some());
        let params = Params { max_record_bytes: 1024, ..Params::default() };
        assert_eq!(copy_with(&params, long.as_bytes(), 0, long.len()), None);
        assert!(copy_with(&params, RECORD, 0, RECORD.len()).is_some());
    }

    #[test]
    fn records_of_a_wacz_are_told_by_their_date() {
        let dated = |date: &str| {
            let record = String::from_utf8_lossy(RECORD).replacen("\r\n", &format!("\r\nWARC-Date: {date}\r\n"), 1);
            gzip(record.as_bytes())
        };
        let (first, second) = (dated("2020-05-01T00:00:00Z"), dated("2020-05-02T00:00:00Z"));
        assert_eq!(first.len(), second.len(), "they lie in the same place");
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (name, bytes) in [("archive/a.warc.gz", &first), ("archive/b.warc.gz", &second)] {
            zip.start_file(name, options).and_then(|()| Ok(zip.write_all(bytes)?)).expect("memory");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.wacz");
        std::fs::write(&path, zip.finish().expect("memory").into_inner()).expect("room on the disk");
        let mut copier = Copier::open(&path, &Params::default()).expect("it is there");
        let mut copy = |date_ms| copier.copy(0, first.len() as u64, date_ms).expect("it can be read");
        const DAY_MS: i64 = 86_400_000;
        let first_ms = 18_383 * DAY_MS;
        assert_eq!(copy(first_ms).and_then(|found| found.member).as_ref(), Some(&first));
        assert_eq!(copy(first_ms + DAY_MS).and_then(|found| found.member).as_ref(), Some(&second));
        assert_eq!(copy(first_ms + 2 * DAY_MS), None);
    }
}
