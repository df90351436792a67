//! WACZ: a zip with WARC files in its folder `archive/`. Also other ZIP files and tarballs that contain WARC files or WACZ files.
//!
//! The WARC files are read one after the other, in the order of their names. As in the indexes of a WACZ, offsets and lengths are relative
//! to the WARC file that contains a record, not to the zip or tarball.
//!
//! Positions continue from entry to entry, as if all entries were one file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;

use super::codec::Codec;
use super::container::{Contents, Entry, Kind, contents, kind_of};
use super::format::{Archive, Format, Item, Params};
use super::head::codec_of;
use super::header::Dialect;
use super::members::Members;
use super::packed::TAR_HEAD_BYTES;
use super::position::{Packing, Position};
use super::records::Records;
use super::warc::Warc;
use super::window::Window;
use crate::error::{Error, Result};
use crate::files;

/// The start and length of each WARC file that is stored uncompressed in a container; `None` for a file that is not a container. Sets the
/// file back to its start.
pub(super) fn stored(path: &Path, file: &mut File) -> io::Result<Option<Vec<(u64, u64)>>> {
    let mut head = Vec::new();
    file.by_ref().take(TAR_HEAD_BYTES as u64).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    let Some(kind) = kind_of(&head) else { return Ok(None) };
    let entries = contents(path, kind)?.entries.into_iter().filter(|entry| !entry.deflated);
    Ok(Some(entries.map(|entry| (entry.start, entry.bytes)).collect()))
}

/// The format of one kind of containers.
pub(super) struct ContainerFormat {
    name: &'static str,
    /// The name with its article.
    what: &'static str,
    kind: Kind,
    /// True where the WARC files have to lie as in a WACZ.
    is_wacz: bool,
}

/// WACZ files.
pub(super) static WACZ: ContainerFormat =
    ContainerFormat { name: "WACZ", what: "a WACZ", kind: Kind::Zip, is_wacz: true };
/// ZIP files with WARC or WACZ files in them.
pub(super) static ZIP: ContainerFormat =
    ContainerFormat { name: "ZIP", what: "a ZIP", kind: Kind::Zip, is_wacz: false };
/// Tarballs with WARC or WACZ files in them.
pub(super) static TAR: ContainerFormat =
    ContainerFormat { name: "tar", what: "a tarball", kind: Kind::Tar, is_wacz: false };

impl Format for ContainerFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        holds_warcs(path, head, self.kind).is_some_and(|contents| contents.is_wacz || !self.is_wacz)
    }

    fn check(&self, path: &Path, _: &Params) -> std::result::Result<(), String> {
        check(path, self.what, self.kind)
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        open(path, self.kind, position, params)
    }
}

/// The name of the kind of container that begins with `head`, if there is something in it that can be read.
fn holds_warcs(path: &Path, head: &[u8], kind: Kind) -> Option<Contents> {
    let contents = if kind_of(head) == Some(kind) { contents(path, kind).ok()? } else { return None };
    (!contents.entries.is_empty()).then_some(contents)
}

/// Refuses a container of which only a part can be read in place.
fn check(path: &Path, what: &str, kind: Kind) -> std::result::Result<(), String> {
    let unreadable = contents(path, kind).map_err(|error| error.to_string())?.unreadable;
    let Some(first) = unreadable.first() else { return Ok(()) };
    Err(format!("{what} in which {first} cannot be read in its place: unpack it"))
}

fn open(path: &Path, kind: Kind, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
    let entries = contents(path, kind).map_err(Error::io(path, "reading the directory of"))?.entries;
    let (index, inner) = unpack(position, &entries);
    let path = path.to_owned();
    let mut wacz = Wacz { path, entries, index, current: None, counted: inner.counted, params: params.clone() };
    if index < wacz.entries.len() {
        wacz.current = Some(wacz.open_entry(inner)?);
    }
    Ok(Box::new(wacz))
}

struct Wacz {
    path: PathBuf,
    entries: Vec<Entry>,
    index: usize,
    current: Option<Records<Warc>>,
    /// True once a record did not begin with a member, in this entry or an earlier one: positions must not decrease.
    counted: bool,
    params: Params,
}

impl Wacz {
    fn open_entry(&self, position: Position) -> Result<Records<Warc>> {
        let entry = &self.entries[self.index];
        let place = self.path.join(&entry.name);
        let failed = |error| Error::io(&place, "opening")(error);
        let reader = |from: u64| -> io::Result<Box<dyn Read + Send>> {
            let mut file = files::open(&self.path)?;
            let from = from.min(entry.bytes);
            if !entry.deflated {
                file.seek(SeekFrom::Start(entry.start + from))?;
                return Ok(Box::new(file.take(entry.bytes - from)));
            }
            file.seek(SeekFrom::Start(entry.start))?;
            let compressed = io::BufReader::with_capacity(256 << 10, file.take(entry.compressed_bytes));
            let mut reader = Lenient(DeflateDecoder::new(compressed));
            io::copy(&mut reader.by_ref().take(from), &mut io::sink())?;
            Ok(Box::new(reader.take(entry.bytes - from)))
        };
        let codec = reader(0).and_then(|mut reader| codec_of(&mut reader)).map_err(failed)?;
        // A zstd file is read from its start, where its dictionary is.
        let start = match codec {
            Codec::Zstd => Position::default(),
            _ => position,
        };
        let window = Window::new(reader(start.anchor).map_err(failed)?, start.anchor);
        let members = Members::new(window, codec, Vec::new(), &self.params, Warc::begins);
        let limit = self.params.max_record_bytes;
        let mut records = Records::new(place, members, start, Some(entry.bytes), limit)?;
        if codec == Codec::Zstd {
            while records.at().anchor < position.anchor && records.next()?.is_some() {}
            while records.at().items < position.items && records.next()?.is_some() {}
        }
        Ok(records)
    }
}

impl Archive for Wacz {
    fn next(&mut self) -> Result<Option<Item>> {
        while let Some(records) = &mut self.current {
            let item = records.next()?;
            self.counted |= records.at().counted;
            if item.is_some() {
                return Ok(item);
            }
            self.index += 1;
            self.current = match self.index < self.entries.len() {
                true => Some(self.open_entry(Position::default())?),
                false => None,
            };
        }
        Ok(None)
    }

    fn position(&self) -> u64 {
        let Some(entry) = self.entries.get(self.index) else { return pack(end_of(&self.entries), self.counted) };
        let inner = self.current.as_ref().map_or(Position::default(), Records::at);
        pack(Position { anchor: entry.base.saturating_add(inner.anchor), ..inner }, self.counted)
    }

    fn end(&self) -> Option<u64> {
        Some(pack(end_of(&self.entries), false)).filter(|_| !self.counted)
    }
}

/// A reader that ends a deflated entry where it is damaged; the data before is good.
struct Lenient<R>(R);

impl<R: Read> Read for Lenient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).or_else(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Ok(0),
            _ => Err(error),
        })
    }
}

/// Positions among all entries: 2 Mi items in one stream, and 1 TiB of entries; 2 EiB where every record begins with a member.
const IN_ZIP: Packing = Packing { counted_bit: 61, item_bits: 21 };

/// The position after all entries.
fn end_of(entries: &[Entry]) -> Position {
    let anchor = entries.last().map_or(0, |last| last.base.saturating_add(last.bytes + 1));
    Position { anchor, ..Position::default() }
}

/// Packs a position among all entries into a number, which grows with positions and is 0 at the start. A position that does not fit becomes
/// an earlier one.
fn pack(position: Position, counted: bool) -> u64 {
    Position { counted, ..position }.pack(IN_ZIP)
}

/// The number of an entry, and the position within it.
fn unpack(packed: u64, entries: &[Entry]) -> (usize, Position) {
    let position = Position::unpack(packed, IN_ZIP);
    let index = entries.partition_point(|entry| entry.base <= position.anchor).saturating_sub(1);
    let Some(entry) = entries.get(index).filter(|entry| position.anchor - entry.base <= entry.bytes) else {
        return (entries.len(), Position { counted: position.counted, ..Position::default() });
    };
    (index, Position { anchor: position.anchor - entry.base, ..position })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries with these sizes.
    fn of(sizes: &[u64]) -> Vec<Entry> {
        let mut base = 0;
        let entry = |&bytes: &u64| {
            let entry = Entry { name: String::new(), start: 0, compressed_bytes: bytes, bytes, deflated: false, base };
            base += bytes + 1;
            entry
        };
        sizes.iter().map(entry).collect()
    }

    #[test]
    fn a_wacz_of_which_a_part_cannot_be_read_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for name in ["archive/a.warc", "b.warc"] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("a name");
        }
        std::fs::write(file.path(), zip.finish().expect("memory").into_inner()).expect("room on the disk");
        assert!(WACZ.recognises(file.path(), b"PK\x03\x04"));
        let problem = WACZ.check(file.path(), &Params::default()).expect_err("a part");
        assert_eq!(problem, "a WACZ in which b.warc cannot be read in its place: unpack it");
    }

    #[test]
    fn positions_of_any_entry_survive_packing_and_grow() {
        let entries = of(&[&[10, 0, 1 << 40, 7], [1 << 20; 100_000].as_slice()].concat());
        let mut last = 0;
        for counted in [false, true] {
            for (index, anchor, items) in
                [(0, 0, 0), (0, 10, 0), (1, 0, 0), (2, 0, 0), (2, 1 << 40, 0), (3, 7, 0), (4096, 5, 0), (100_003, 9, 0)]
            {
                let inner = Position { anchor, items: if counted { 70_000 } else { items }, counted };
                let anchor = entries[index].base + anchor;
                if counted && anchor >= 1 << 40 {
                    continue;
                }
                let packed = pack(Position { anchor, ..inner }, counted);
                assert_eq!(unpack(packed, &entries), (index, inner));
                assert!(packed > last || packed == 0, "{index} {anchor}");
                last = packed;
            }
        }
        assert_eq!(unpack(pack(end_of(&entries), false), &entries).0, entries.len());
        assert_eq!(pack(Position::default(), false), 0);
    }
}
