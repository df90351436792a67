//! Records copied out of a WARC file, byte for byte, by what is known of their places.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::GzDecoder;

use super::codec::Codec;
use super::dictionary;
use super::format::Params;
use super::head::codec_of;
use super::header::{Dialect, Found};
use super::warc::Warc;
use crate::types::CopiedRecord;

/// Room for the header of a record and the blanks behind it.
const ROOM_BYTES: u64 = 128 << 10;
/// What stands behind a record.
const RECORD_END: &[u8] = b"\r\n\r\n";

/// A WARC file that records are copied out of.
pub struct Copier {
    file: File,
    codec: Codec,
    /// The dictionary of a zstd file, once it is needed.
    dictionary: Option<Vec<u8>>,
    max_bytes: u64,
}

impl Copier {
    /// Opens the file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path, params: &Params) -> io::Result<Copier> {
        let mut file = File::open(path)?;
        let codec = codec_of(&mut file)?;
        let max_bytes = params.max_record_bytes.saturating_add(ROOM_BYTES);
        Ok(Copier { file, codec, dictionary: None, max_bytes })
    }

    /// The record that takes `length` bytes from `offset` on; `None` where no record does.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn copy(&mut self, offset: u64, length: u64) -> io::Result<Option<CopiedRecord>> {
        if self.codec == Codec::Zstd && self.dictionary.is_none() {
            self.dictionary = Some(dictionary::before(&mut self.file, offset)?);
        }
        self.file.seek(SeekFrom::Start(offset))?;
        let mut stored = Vec::new();
        (&mut self.file).take(length).read_to_end(&mut stored)?;
        if stored.len() as u64 != length {
            return Ok(None);
        }
        let Ok(mut bytes) = self.decoded(&stored) else { return Ok(None) };
        let Found::Head(head) = Warc::head(&bytes) else { return Ok(None) };
        let block = head.block_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let end = block.and_then(|block| head.header_bytes.checked_add(block));
        let Some(end) = end.filter(|end| *end <= bytes.len()) else { return Ok(None) };
        if !bytes[end..].iter().all(|byte| matches!(byte, b'\r' | b'\n')) {
            return Ok(None);
        }
        bytes.truncate(end);
        bytes.extend(RECORD_END);
        let member = (self.codec == Codec::Gzip).then_some(stored);
        Ok(Some(CopiedRecord { url: head.url, record: bytes, member }))
    }

    /// A member or frame without its compression.
    fn decoded(&self, stored: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let max = self.max_bytes;
        match self.codec {
            Codec::Plain => bytes.extend(stored),
            Codec::Gzip => drop(GzDecoder::new(stored).take(max).read_to_end(&mut bytes)?),
            Codec::Zstd => {
                let dictionary = self.dictionary.as_deref().unwrap_or_default();
                let decoder = zstd::stream::read::Decoder::with_dictionary(stored, dictionary)?;
                decoder.single_frame().take(max).read_to_end(&mut bytes)?;
            }
            Codec::Lz4 => drop(lz4_flex::frame::FrameDecoder::new(stored).take(max).read_to_end(&mut bytes)?),
        }
        Ok(bytes)
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

    /// What is copied of a file at a place.
    fn copy(file: &[u8], offset: usize, length: usize) -> Option<CopiedRecord> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.warc");
        std::fs::write(&path, file).expect("room on the disk");
        let mut copier = Copier::open(&path, &Params::default()).expect("it is there");
        copier.copy(offset as u64, length as u64).expect("it can be read")
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
}
