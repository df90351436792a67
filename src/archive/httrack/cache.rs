//! The cache of a mirror, which is a zip file.
//!
//! HTTrack writes the headers of each response into the local extra field of its zip entry, which zip directories do not have; and if
//! HTTrack was stopped, its cache has no directory at all. So the entries are read by walking the file from local header to local header.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::read::DeflateDecoder;

/// A response in the cache.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// Where its header begins in the zip.
    pub(super) offset: u64,
    /// Length of header and data.
    pub(super) length: u64,
    pub(super) url: String,
    pub(super) status: u16,
    /// With the charset, which HTTrack keeps in a separate header.
    pub(super) content_type: Option<String>,
    /// False where the zip has only the headers, and the body is the saved file.
    pub(super) in_cache: bool,
    /// The saved file, as a path below the mirror's folder.
    pub(super) saved: Option<String>,
    /// Length of the body.
    pub(super) bytes: u64,
    data_start: u64,
    compressed_bytes: u64,
    deflated: bool,
    crc: u32,
}

/// The entries of a cache.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub(super) entries: Vec<Entry>,
    /// True when the walk reached the zip's directory without meeting damage.
    pub(super) whole: bool,
}

const LOCAL_HEADER: &[u8] = b"PK\x03\x04";
const HEADER_BYTES: u64 = 30;

impl Directory {
    /// Walks the zip.
    pub(super) fn read(file: &mut File) -> io::Result<Directory> {
        let file_bytes = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(64 << 10, file);
        let mut directory = Directory { entries: Vec::new(), whole: true };
        let mut at = 0;
        while at + 4 <= file_bytes {
            reader.seek(SeekFrom::Start(at))?;
            let mut header = [0; HEADER_BYTES as usize];
            reader.read_exact(&mut header[..4])?;
            if matches!(&header[..4], b"PK\x01\x02" | b"PK\x05\x06" | b"PK\x06\x06") {
                return Ok(directory);
            }
            let entry = match header.starts_with(LOCAL_HEADER) && at + HEADER_BYTES <= file_bytes {
                true => {
                    reader.read_exact(&mut header[4..])?;
                    Entry::read(&mut reader, at, &header, file_bytes)?
                }
                false => None,
            };
            match entry {
                Some(entry) => {
                    at = entry.offset + entry.length;
                    directory.entries.push(entry);
                }
                None => {
                    directory.whole = false;
                    match find_header(&mut reader, at + 1)? {
                        Some(next) => at = next,
                        None => return Ok(directory),
                    }
                }
            }
        }
        directory.whole = false;
        Ok(directory)
    }
}

/// Where the next local header begins, from `from` on.
fn find_header(reader: &mut BufReader<&mut File>, from: u64) -> io::Result<Option<u64>> {
    reader.seek(SeekFrom::Start(from))?;
    let mut buffer = vec![0; 64 << 10];
    let (mut start, mut held) = (from, 0);
    loop {
        let count = reader.read(&mut buffer[held..])?;
        held += count;
        if let Some(at) = memchr::memmem::find(&buffer[..held], LOCAL_HEADER) {
            return Ok(Some(start + at as u64));
        }
        if count == 0 {
            return Ok(None);
        }
        let kept = held.min(LOCAL_HEADER.len() - 1);
        buffer.copy_within(held - kept..held, 0);
        start += (held - kept) as u64;
        held = kept;
    }
}

impl Entry {
    /// Parses the entry whose fixed header is `header`; `None` when it is cut off or makes no sense.
    fn read(reader: &mut impl Read, offset: u64, header: &[u8; 30], file_bytes: u64) -> io::Result<Option<Entry>> {
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (flags, method) = (short(6), short(8));
        let (compressed_bytes, bytes) = (u64::from(long(18)), u64::from(long(22)));
        let (name_bytes, extra_bytes) = (usize::from(short(26)), usize::from(short(28)));
        let data_start = offset + HEADER_BYTES + (name_bytes + extra_bytes) as u64;
        // Bit 0: encrypted; bit 3: lengths behind the data. HTTrack writes neither.
        if data_start + compressed_bytes > file_bytes || flags & 0b1001 != 0 || !matches!(method, 0 | 8) {
            return Ok(None);
        }
        let mut text = vec![0; name_bytes + extra_bytes];
        reader.read_exact(&mut text)?;
        let (name, extra) = text.split_at(name_bytes);
        let mut entry = Entry {
            offset,
            length: data_start + compressed_bytes - offset,
            url: with_scheme(&String::from_utf8_lossy(name)),
            status: 200,
            in_cache: bytes > 0,
            bytes,
            data_start,
            compressed_bytes,
            deflated: method == 8,
            crc: long(14),
            ..Entry::default()
        };
        entry.headers(&String::from_utf8_lossy(extra));
        Ok(Some(entry))
    }

    fn headers(&mut self, text: &str) {
        let mut charset = None;
        for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match name.trim().to_ascii_lowercase().as_str() {
                "x-statuscode" => self.status = value.parse().unwrap_or(0),
                "x-in-cache" => self.in_cache &= value != "0",
                "content-type" if !value.is_empty() => self.content_type = Some(value.to_owned()),
                "x-charset" if !value.is_empty() => charset = Some(value),
                "x-save" if is_below(value) => self.saved = Some(value.to_owned()),
                _ => {}
            }
        }
        if let (Some(content_type), Some(charset)) = (&mut self.content_type, charset)
            && !content_type.to_ascii_lowercase().contains("charset")
        {
            content_type.push_str("; charset=");
            content_type.push_str(charset);
        }
    }

    /// The body; the inner error says what is wrong with it.
    pub(super) fn body(&self, file: &mut File) -> io::Result<Result<Vec<u8>, String>> {
        file.seek(SeekFrom::Start(self.data_start))?;
        let compressed = file.take(self.compressed_bytes);
        let mut body = Vec::new();
        let outcome = match self.deflated {
            // The data may decompress to more, but no more than the stated length is read.
            true => DeflateDecoder::new(compressed).take(self.bytes + 1).read_to_end(&mut body),
            false => compressed.take(self.bytes + 1).read_to_end(&mut body),
        };
        if let Err(error) = outcome {
            return Ok(Err(format!("zip entry: {error}")));
        }
        if body.len() as u64 != self.bytes || libdeflater::crc32(&body) != self.crc {
            return Ok(Err("zip entry: length or checksum is wrong".to_owned()));
        }
        Ok(Ok(body))
    }
}

/// A URL as HTTrack writes it; it may lack `http://`.
pub(super) fn with_scheme(url: &str) -> String {
    let has_scheme = url
        .split_once("://")
        .is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)));
    if has_scheme { url.to_owned() } else { format!("http://{url}") }
}

/// True for paths that stay in the folder they are relative to.
fn is_below(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains(['\\', '\0'])
        && path.split('/').all(|part| part != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_without_a_scheme_get_one() {
        assert_eq!(with_scheme("ex.org/d/?x=http://y"), "http://ex.org/d/?x=http://y");
        assert_eq!(with_scheme("https://ex.org/"), "https://ex.org/");
    }

    #[test]
    fn saved_files_lie_below_the_mirror() {
        assert!(is_below("ex.org/a..b/index.html"));
        for path in ["", "/etc/x", "ex.org/../../x", "..", "ex.org\\x"] {
            assert!(!is_below(path), "{path}");
        }
    }
}
