//! Files that contain WARC files as entries: WACZ, other ZIP files, tarballs, and the WACZ files in those.

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
/// How many entries of a container are looked at.
const MAX_ENTRIES: usize = 1 << 20;
/// The longest name that a tarball writes in a block of its own, in bytes; also the longest block of extended attributes that is read.
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
    /// Archives that are not read here, though they would be read as files of their own; and the places where a tarball is damaged.
    pub(super) unreadable: Vec<String>,
}

/// The WARC files of a container. The list may be empty.
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
    /// A part of this part. It must be stored uncompressed.
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
        // All clones of a file share one place in it, so the place is set before each reading.
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
    is_of(name, "warc")
}

fn is_of(name: &str, kind: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    // macOS keeps what belongs to a file in another one beside it, whose name begins so.
    !file.starts_with("._") && file.split('.').skip(1).any(|part| part == kind)
}

fn is_wacz(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".wacz") && is_of(name, "wacz")
}

/// True for the name of an archive that would be read if it were a file of its own.
fn is_archive(name: &str) -> bool {
    let is_arc = || [".arc", ".arc.gz", ".arc.zst"].iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    is_warc(name) || is_wacz(name) || (is_of(name, "arc") && is_arc())
}

/// Adds the WARC files of a zip. In a WACZ they are those of one folder, and elsewhere there may be WACZ files beside them.
fn in_zip(part: Part, above: &str, contents: &mut Contents) -> io::Result<()> {
    let whole = part.part(0, part.bytes)?;
    let mut zip = ZipArchive::new(BufReader::new(part)).map_err(io::Error::other)?;
    if contents.entries.len() + zip.len() > MAX_ENTRIES {
        return Err(io::Error::other(format!("more than {MAX_ENTRIES} entries")));
    }
    let has_folder = zip.file_names().flatten().any(|name| name.starts_with(FOLDER) && is_warc(&name));
    contents.is_wacz |= has_folder && above.is_empty();
    let (mut warcs, mut inner) = (Vec::new(), Vec::new());
    for index in 0..zip.len() {
        let Some(Ok(name)) = zip.name_for_index(index) else { continue };
        let name = name.into_owned();
        if !is_archive(&name) {
            continue;
        }
        let full = format!("{above}{name}");
        let entry = in_place(&mut zip, index, full.clone(), whole.bytes);
        let is_inner = !has_folder && above.is_empty() && is_wacz(&name);
        let is_wanted = is_warc(&name) && (!has_folder || name.starts_with(FOLDER));
        match entry {
            Some(entry) if is_inner && !entry.deflated => inner.push(entry),
            Some(entry) if !is_inner && is_wanted => warcs.push(entry),
            _ => contents.unreadable.push(full),
        }
    }
    // Entries must not overlap, because then a small file might stand for any amount of data.
    let mut places: Vec<_> = warcs
        .iter()
        .chain(&inner)
        .map(|entry| (entry.start, entry.start.saturating_add(entry.compressed_bytes)))
        .collect();
    places.sort_unstable();
    if places.windows(2).any(|two| two[0].1 > two[1].0) {
        return Err(io::Error::other("entries that overlap"));
    }
    for entry in inner {
        let part = whole.part(entry.start, entry.compressed_bytes)?;
        if in_zip(part, &format!("{}/", entry.name), contents).is_err() {
            contents.unreadable.push(entry.name);
        }
    }
    contents
        .entries
        .extend(warcs.into_iter().map(|entry| Entry { start: whole.start.saturating_add(entry.start), ..entry }));
    Ok(())
}

/// An entry of a zip of `most` bytes, if the entry can be read where it lies. Its start is counted from the start of the zip.
fn in_place<R: Read + Seek>(zip: &mut ZipArchive<R>, index: usize, name: String, most: u64) -> Option<Entry> {
    let entry = zip.by_index_raw(index).ok().filter(|entry| !entry.encrypted())?;
    let deflated = match entry.compression() {
        CompressionMethod::Stored => false,
        CompressionMethod::Deflated => true,
        _ => return None,
    };
    // The zip states the sizes; no entry can be larger than the file.
    let compressed_bytes = entry.compressed_size().min(most);
    let most = if deflated { compressed_bytes.saturating_mul(MAX_DEFLATE_RATIO) } else { compressed_bytes };
    let (start, bytes) = (entry.data_start()?, entry.size().min(most));
    Some(Entry { name, start, compressed_bytes, bytes, deflated, base: 0 })
}

/// What special entries of a tarball say of the entry that follows them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ahead {
    name: Option<String>,
    bytes: Option<u64>,
}

/// Adds the WARC files of a tarball, and those of WACZ files in it.
fn in_tar(part: Part, contents: &mut Contents) -> io::Result<()> {
    let whole = part.part(0, part.bytes)?;
    let mut tar = BufReader::new(part);
    let (mut at, mut ahead, mut is_whole) = (0_u64, Ahead::default(), false);
    for _ in 0..MAX_ENTRIES {
        let mut head = Vec::with_capacity(TAR_HEAD_BYTES);
        tar.by_ref().take(TAR_HEAD_BYTES as u64).read_to_end(&mut head)?;
        // Zeros are the end, and so is that of the file.
        is_whole = ahead == Ahead::default() && head.iter().all(|byte| *byte == 0);
        let Some(stated) = head.get(124..136).filter(|_| is_tar(&head)).and_then(tar_number) else { break };
        let kind = head[156];
        let is_about_next = matches!(kind, b'L' | b'K' | b'x' | b'g');
        let bytes = ahead.bytes.filter(|_| !is_about_next).unwrap_or(stated);
        let start = at + TAR_HEAD_BYTES as u64;
        let next = bytes.checked_next_multiple_of(TAR_HEAD_BYTES as u64).and_then(|bytes| start.checked_add(bytes));
        let Some(next) = next else { break };
        if matches!(kind, b'L' | b'x') && bytes <= MAX_NAME_BYTES {
            let mut block = Vec::new();
            tar.by_ref().take(bytes).read_to_end(&mut block)?;
            ahead = if kind == b'L' { Ahead { name: Some(text(&block)), ..ahead } } else { ahead.with(&block) };
        } else if !is_about_next {
            let Ahead { name, .. } = std::mem::take(&mut ahead);
            if matches!(kind, 0 | b'0' | b'7') {
                let bytes = bytes.min(whole.bytes.saturating_sub(start));
                tar_entry(&whole, name.unwrap_or_else(|| name_of(&head)), (start, bytes), contents)?;
            }
        }
        at = next.min(whole.bytes);
        tar.seek(SeekFrom::Start(at))?;
    }
    if !is_whole {
        contents.unreadable.push(format!("what begins at byte {at}"));
    }
    Ok(())
}

/// Adds a file of a tarball.
fn tar_entry(whole: &Part, name: String, (start, bytes): (u64, u64), contents: &mut Contents) -> io::Result<()> {
    if is_warc(&name) {
        contents.entries.push(Entry { name, start, compressed_bytes: bytes, bytes, deflated: false, base: 0 });
    } else if is_archive(&name)
        && !(is_wacz(&name) && in_zip(whole.part(start, bytes)?, &format!("{name}/"), contents).is_ok())
    {
        contents.unreadable.push(name);
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

impl Ahead {
    /// Adds what a block of extended attributes says. Each of its lines has a length, a name and a value.
    fn with(self, block: &[u8]) -> Ahead {
        let (mut ahead, mut rest) = (self, block);
        while let Some((line, next)) = attribute(rest) {
            if let Some(path) = line.strip_prefix(b"path=") {
                ahead.name = Some(text(path));
            } else if let Some(bytes) = line.strip_prefix(b"size=") {
                ahead.bytes = text(bytes).parse().ok().or(ahead.bytes);
            }
            rest = next;
        }
        ahead
    }
}

/// The name and value of the first of some extended attributes, and the others.
fn attribute(block: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = block.iter().position(|byte| *byte == b' ')?;
    let length: usize = std::str::from_utf8(&block[..blank]).ok()?.parse().ok()?;
    let line = block.get(blank + 1..length)?;
    Some((line.strip_suffix(b"\n").unwrap_or(line), &block[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tar(name: &str, kind: u8, stated: usize, data: &[u8]) -> Vec<u8> {
        let mut head = vec![0; TAR_HEAD_BYTES];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..135].copy_from_slice(format!("{stated:011o}").as_bytes());
        head[156] = kind;
        head[148..156].fill(b' ');
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        head.extend(data);
        head.resize(head.len().next_multiple_of(TAR_HEAD_BYTES), 0);
        head
    }

    fn of(bytes: &[u8], kind: Kind) -> io::Result<Contents> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), bytes).expect("room on the disk");
        contents(file.path(), kind)
    }

    fn told(contents: &Contents) -> Vec<(&str, u64)> {
        contents.entries.iter().map(|entry| (entry.name.as_str(), entry.bytes)).collect()
    }

    #[test]
    fn attributes_name_the_path_and_the_size() {
        let with = |block: &[u8]| Ahead::default().with(block);
        let both = with(b"20 mtime=1700000000\n20 path=a/b.warc.gz\n14 size=123456\n");
        assert_eq!(both.name.as_deref(), Some("a/b.warc.gz"));
        assert_eq!(with(b"13 size=1234\n").bytes, Some(1234));
        for block in [b"".as_slice(), b"x path=a\n", b"99 path=a\n", b"0 path=a\n", b"3 a", b"1 1 1 1 ", b"9 size=x\n"]
        {
            assert_eq!(with(block), Ahead::default());
        }
        // As where a file is longer than its header can say.
        let data = vec![b'x'; 1000];
        let bytes = [
            tar("x", b'x', 13, b"13 size=1000\n"),
            tar("a.warc", b'0', 0, &data),
            tar("b.warc", b'0', 5, b"WARC/"),
            vec![0; 1024],
        ];
        let contents = of(&bytes.concat(), Kind::Tar).expect("readable");
        assert_eq!((told(&contents), contents.unreadable.len()), (vec![("a.warc", 1000), ("b.warc", 5)], 0));
    }

    #[test]
    fn a_tarball_ends_where_it_is_cut_off_or_damaged() {
        let parts = [
            tar("a.warc", b'0', 700, &[b'x'; 700]),
            tar("long", b'L', 7, b"b.warc\0"),
            tar("cut", b'0', 5, b"WARC/"),
            vec![0; 1024],
        ];
        let whole = parts.concat();
        for length in 0..=whole.len() {
            let contents = of(&whole[..length], Kind::Tar).expect("readable");
            let second = length.saturating_sub(3072).min(5) as u64;
            let expected = [("a.warc", length.saturating_sub(512).min(700) as u64), ("b.warc", second)];
            let count = usize::from(length >= 512) + usize::from(length >= 3072);
            assert_eq!(told(&contents), expected[..count], "{length}");
            // The cut is in a header, or between two headers that belong together.
            let is_cut = (1..512).contains(&length) || (1537..3072).contains(&length);
            assert_eq!(contents.unreadable.len(), usize::from(is_cut), "{length}");
        }
        let mut damaged = whole;
        damaged[1536] = b'?';
        let contents = of(&damaged, Kind::Tar).expect("readable");
        assert_eq!(
            (told(&contents), &contents.unreadable[..]),
            (vec![("a.warc", 700)], &["what begins at byte 1536".to_owned()][..])
        );
    }

    fn zip(names: &[&str]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for name in names {
            zip.start_file(*name, options).expect("a name");
            io::Write::write_all(&mut zip, b"WARC/1.0\r\n").expect("memory");
        }
        zip.finish().expect("memory").into_inner()
    }

    #[test]
    fn archives_that_are_not_read_in_a_container_are_told() {
        for (names, read, told) in [
            (&["A.WARC.GZ", "b.Warc", "x.txt", "index.cdx", "._a.warc", "d3.arc.js"][..], 2, &[][..]),
            (&["a.warc", "b.arc.gz", "c/d.wacz"], 1, &["b.arc.gz", "c/d.wacz"]),
            (
                &["archive/a.warc", "else/b.warc.gz", "c.arc", "__MACOSX/archive/._a.warc"],
                1,
                &["else/b.warc.gz", "c.arc"],
            ),
        ] {
            let contents = of(&zip(names), Kind::Zip).expect("readable");
            let mut unreadable = contents.unreadable.clone();
            unreadable.sort_by_key(|name| names.iter().position(|other| other == name));
            assert_eq!(
                (contents.entries.len(), unreadable.iter().map(String::as_str).collect::<Vec<_>>().as_slice()),
                (read, told),
                "{names:?}"
            );
        }
        let contents = of(&[tar("a.warc", b'0', 0, b""), tar("b.arc", b'0', 0, b"")].concat(), Kind::Tar);
        assert_eq!(contents.expect("readable").unreadable, ["b.arc"]);
    }

    #[test]
    fn entries_of_a_zip_do_not_overlap() {
        let mut bytes = zip(&["a.warc", "b.warc"]);
        assert_eq!(of(&bytes, Kind::Zip).expect("readable").entries.len(), 2);
        let last = memchr::memmem::rfind(&bytes, b"PK\x01\x02").expect("the entry in the directory");
        // Where its bytes begin.
        bytes[last + 42..last + 46].fill(0);
        assert!(of(&bytes, Kind::Zip).expect_err("overlapping").to_string().contains("overlap"));
        let contents = of(&tar("a.wacz", b'0', bytes.len(), &bytes), Kind::Tar).expect("readable");
        assert_eq!((contents.entries.len(), &contents.unreadable[..]), (0, &["a.wacz".to_owned()][..]));
    }

    #[test]
    fn names_say_what_is_a_warc() {
        assert!(is_warc("a/b.warc.gz") && is_warc("b.warc") && is_warc("x.warc.gz.open") && is_wacz("A.WACZ"));
        assert!(is_warc("B.WARC") && !is_warc("a/._b.warc"));
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
