//! Files that hold WARC files at places of their own: WACZ, other ZIP files, tarballs, and WACZ files in those.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use zip::CompressionMethod;
use zip::read::ZipArchive;

use super::codec::MAX_DEFLATE_RATIO;
use super::packed::{TAR_HEAD_BYTES, is_tar, tar_number};
use crate::files;

/// The first bytes of a zip.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
/// The folder of the WARC files of a WACZ.
const FOLDER: &str = "archive/";
/// How many entries of a tarball are looked at.
const MAX_TAR_ENTRIES: usize = 1 << 20;
/// The longest name of an entry of a tarball that is written in a block of its own, in bytes, and the longest block of such attributes.
const MAX_NAME_BYTES: u64 = 64 << 10;

/// What kind of container a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Zip,
    Tar,
}

/// The kind of container that begins with `head`.
pub(super) fn kind_of(head: &[u8]) -> Option<Kind> {
    if head.starts_with(ZIP_MAGIC) {
        return Some(Kind::Zip);
    }
    is_tar(head).then_some(Kind::Tar)
}

/// A WARC file in a container.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Where its bytes begin in the file.
    pub(super) start: u64,
    pub(super) compressed_bytes: u64,
    pub(super) bytes: u64,
    pub(super) deflated: bool,
    /// The position at which it begins: after the bytes of all entries before it, and one more for each entry.
    pub(super) base: u64,
}

/// The WARC files in a container.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// By name.
    pub(super) entries: Vec<Entry>,
    /// True for the layout of a WACZ: a folder `archive/` with the WARC files.
    pub(super) is_wacz: bool,
    /// Files that would be read if they were stored otherwise.
    pub(super) unreadable: Vec<String>,
}

/// The WARC files of a container; none in one that has none.
pub(super) fn contents(path: &Path, kind: Kind) -> io::Result<Contents> {
    let file = files::open(path)?;
    let bytes = file.metadata()?.len();
    let mut contents = Contents::default();
    match kind {
        Kind::Zip => in_zip(Part { file, start: 0, bytes, at: 0 }, "", &mut contents)?,
        Kind::Tar => in_tar(Part { file, start: 0, bytes, at: 0 }, &mut contents)?,
    }
    contents.entries.sort_by(|a, b| a.name.cmp(&b.name));
    let mut base = 0_u64;
    for entry in &mut contents.entries {
        entry.base = base;
        base = base.saturating_add(entry.bytes + 1);
    }
    Ok(contents)
}

/// A part of a file, as a file.
struct Part {
    file: File,
    start: u64,
    bytes: u64,
    at: u64,
}

impl Part {
    /// A part of it, which must be stored as it is.
    fn part(&self, start: u64, bytes: u64) -> io::Result<Part> {
        let start = start.min(self.bytes);
        let bytes = bytes.min(self.bytes - start);
        Ok(Part { file: self.file.try_clone()?, start: self.start + start, bytes, at: 0 })
    }
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        // A clone of the file has the same place in it.
        self.file.seek(SeekFrom::Start(self.start.saturating_add(self.at)))?;
        let count = self.file.read(&mut buffer[..most])?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Part {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A WARC file by its name, compressed or not.
fn is_warc(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    file.ends_with(".warc") || file.contains(".warc.")
}

fn is_wacz(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".wacz")
}

/// Adds the WARC files of a zip. In a WACZ they are those of one folder, and elsewhere there may be WACZ files beside them.
fn in_zip(part: Part, above: &str, contents: &mut Contents) -> io::Result<()> {
    let whole = part.part(0, part.bytes)?;
    let mut zip = ZipArchive::new(BufReader::new(part)).map_err(io::Error::other)?;
    let has_folder = zip.file_names().flatten().any(|name| name.starts_with(FOLDER) && is_warc(&name));
    contents.is_wacz |= has_folder && above.is_empty();
    for index in 0..zip.len() {
        let Ok(entry) = zip.by_index_raw(index) else { continue };
        let Ok(name) = entry.name() else { continue };
        let is_inner = !has_folder && above.is_empty() && is_wacz(&name);
        let is_wanted = is_inner || (is_warc(&name) && (!has_folder || name.starts_with(FOLDER)));
        if !is_wanted {
            continue;
        }
        let name = format!("{above}{name}");
        let deflated = match entry.compression() {
            CompressionMethod::Stored => Some(false),
            CompressionMethod::Deflated => Some(true),
            _ => None,
        };
        let (Some(deflated), false, Some(start)) = (deflated, entry.encrypted(), entry.data_start()) else {
            contents.unreadable.push(name);
            continue;
        };
        // The zip states the sizes; no entry can be larger than the file.
        let compressed_bytes = entry.compressed_size().min(whole.bytes);
        let most = if deflated { compressed_bytes.saturating_mul(MAX_DEFLATE_RATIO) } else { compressed_bytes };
        let bytes = entry.size().min(most);
        if is_inner {
            let inner = whole.part(start, compressed_bytes)?;
            if deflated || in_zip(inner, &format!("{name}/"), contents).is_err() {
                contents.unreadable.push(name);
            }
            continue;
        }
        let start = whole.start.saturating_add(start);
        contents.entries.push(Entry { name, start, compressed_bytes, bytes, deflated, base: 0 });
    }
    Ok(())
}

/// Adds the WARC files of a tarball, and those of WACZ files in it.
fn in_tar(part: Part, contents: &mut Contents) -> io::Result<()> {
    let whole = part.part(0, part.bytes)?;
    let mut tar = BufReader::new(part);
    let (mut at, mut long_name) = (0_u64, None);
    for _ in 0..MAX_TAR_ENTRIES {
        let mut head = Vec::with_capacity(TAR_HEAD_BYTES);
        tar.by_ref().take(TAR_HEAD_BYTES as u64).read_to_end(&mut head)?;
        // Zeros are the end, and so is what is no header.
        let Some(bytes) = head.get(124..136).filter(|_| is_tar(&head)).and_then(tar_number) else { break };
        let start = at + TAR_HEAD_BYTES as u64;
        let next = bytes.checked_next_multiple_of(TAR_HEAD_BYTES as u64).and_then(|bytes| start.checked_add(bytes));
        let Some(next) = next else { break };
        let kind = head[156];
        if matches!(kind, b'L' | b'x') && bytes <= MAX_NAME_BYTES {
            let mut block = Vec::new();
            tar.by_ref().take(bytes).read_to_end(&mut block)?;
            long_name = if kind == b'L' { Some(text(&block)) } else { path_of(&block).or(long_name) };
        } else if matches!(kind, 0 | b'0' | b'7') {
            let name = long_name.take().unwrap_or_else(|| name_of(&head));
            let bytes = bytes.min(whole.bytes.saturating_sub(start));
            if is_warc(&name) {
                contents.entries.push(Entry { name, start, compressed_bytes: bytes, bytes, deflated: false, base: 0 });
            } else if is_wacz(&name) && in_zip(whole.part(start, bytes)?, &format!("{name}/"), contents).is_err() {
                contents.unreadable.push(name);
            }
        } else if kind != b'g' {
            long_name = None;
        }
        at = next;
        if at >= whole.bytes {
            break;
        }
        tar.seek(SeekFrom::Start(at))?;
    }
    Ok(())
}

/// A text up to the first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The name in the header of an entry.
fn name_of(head: &[u8]) -> String {
    let prefix = if head[257..].starts_with(b"ustar\0") { text(&head[345..500]) } else { String::new() };
    let name = text(&head[..100]);
    if prefix.is_empty() { name } else { format!("{prefix}/{name}") }
}

/// The path among extended attributes: lines of a length, a name and a value.
fn path_of(block: &[u8]) -> Option<String> {
    let mut rest = block;
    loop {
        let blank = rest.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(&rest[..blank]).ok()?.parse().ok()?;
        let line = rest.get(blank + 1..length)?;
        if let Some(path) = line.strip_prefix(b"path=") {
            return Some(text(path.strip_suffix(b"\n").unwrap_or(path)));
        }
        rest = &rest[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_name_the_path() {
        assert_eq!(path_of(b"20 mtime=1700000000\n20 path=a/b.warc.gz\n").as_deref(), Some("a/b.warc.gz"));
        for block in [b"".as_slice(), b"x path=a\n", b"99 path=a\n", b"0 path=a\n", b"3 a", b"1 1 1 1 "] {
            assert_eq!(path_of(block), None);
        }
    }

    #[test]
    fn a_tarball_ends_where_it_is_cut_off() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for bytes in [0, 70, 511, 512, 600] {
            let head: Vec<u8> = (0..bytes).map(|at| if at == 0 { b'a' } else { 0 }).collect();
            std::fs::write(file.path(), head).expect("room on the disk");
            assert!(contents(file.path(), Kind::Tar).expect("readable").entries.is_empty());
        }
    }

    #[test]
    fn names_say_what_is_a_warc() {
        assert!(is_warc("a/b.warc.gz") && is_warc("b.warc") && is_warc("x.warc.gz.open") && is_wacz("A.WACZ"));
        assert!(!is_warc("a.warc.gz/b.txt") && !is_warc("warc") && !is_wacz("wacz"));
    }

    #[test]
    fn a_part_is_a_file_of_its_own() {
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, b"0123456789").expect("room on the disk");
        let whole = Part { file, start: 0, bytes: 10, at: 0 };
        let mut part = whole.part(3, 4).expect("a part");
        let mut read = String::new();
        part.read_to_string(&mut read).expect("text");
        assert_eq!((read.as_str(), part.seek(SeekFrom::End(-1)).expect("a place")), ("3456", 3));
        assert!(part.seek(SeekFrom::Current(-9)).is_err());
        assert_eq!((part.part(9, 9).expect("nothing").bytes, whole.part(8, 9).expect("a part").bytes), (0, 2));
    }
}
