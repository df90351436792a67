//! WACZ: a zip with WARC files in its folder `archive/`.
//!
//! The WARC files are read one after the other, in the order of their names. Offsets and lengths are those within the
//! WARC file a record stands in, as the indexes of a WACZ have them, not within the zip.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use zip::CompressionMethod;
use zip::read::ZipArchive;

use super::codec::Codec;
use super::format::{Archive, Format, Item, Params};
use super::head::codec_of;
use super::header::Dialect;
use super::members::Members;
use super::position::{Packing, Position};
use super::records::Records;
use super::warc::Warc;
use super::window::Window;
use crate::error::{Error, Result};

/// The format of WACZ files.
pub(super) struct WaczFormat;

impl Format for WaczFormat {
    fn name(&self) -> &'static str {
        "WACZ"
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        head.starts_with(b"PK\x03\x04") && entries(path).is_ok_and(|entries| !entries.is_empty())
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        let entries = entries(path).map_err(Error::io(path, "reading the zip directory of"))?;
        let (index, inner) = unpack(position);
        let path = path.to_owned();
        let mut wacz = Wacz { path, entries, index, current: None, params: params.clone() };
        if index < wacz.entries.len() {
            wacz.current = Some(wacz.open_entry(inner)?);
        }
        Ok(Box::new(wacz))
    }
}

/// A WARC file in the zip.
struct Entry {
    name: String,
    start: u64,
    compressed_bytes: u64,
    bytes: u64,
    deflated: bool,
}

/// The WARC files of a zip, by name; none in a zip that is no WACZ.
fn entries(path: &Path) -> io::Result<Vec<Entry>> {
    let mut zip = ZipArchive::new(io::BufReader::new(File::open(path)?)).map_err(io::Error::other)?;
    let mut entries = Vec::new();
    for index in 0..zip.len() {
        let Ok(entry) = zip.by_index_raw(index) else { continue };
        let Ok(name) = entry.name() else { continue };
        let is_warc = name.starts_with("archive/") && (name.ends_with(".warc") || name.contains(".warc."));
        let deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            _ => continue,
        };
        if let (true, Some(start)) = (is_warc && !entry.encrypted(), entry.data_start()) {
            let name = name.into_owned();
            let (compressed_bytes, bytes) = (entry.compressed_size(), entry.size());
            entries.push(Entry { name, start, compressed_bytes, bytes, deflated });
        }
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

struct Wacz {
    path: PathBuf,
    entries: Vec<Entry>,
    index: usize,
    current: Option<Records<Warc>>,
    params: Params,
}

impl Wacz {
    fn open_entry(&self, position: Position) -> Result<Records<Warc>> {
        let entry = &self.entries[self.index];
        let place = self.path.join(&entry.name);
        let failed = |error| Error::io(&place, "opening")(error);
        let reader = |from: u64| -> io::Result<Box<dyn Read + Send>> {
            let mut file = File::open(&self.path)?;
            if !entry.deflated {
                let from = from.min(entry.compressed_bytes);
                file.seek(SeekFrom::Start(entry.start + from))?;
                return Ok(Box::new(file.take(entry.compressed_bytes - from)));
            }
            file.seek(SeekFrom::Start(entry.start))?;
            let compressed = io::BufReader::with_capacity(256 << 10, file.take(entry.compressed_bytes));
            let mut reader = Lenient(DeflateDecoder::new(compressed));
            io::copy(&mut reader.by_ref().take(from), &mut io::sink())?;
            Ok(Box::new(reader))
        };
        let codec = reader(0).and_then(|mut reader| codec_of(&mut reader)).map_err(failed)?;
        // A zstd file is read from its start on, where its dictionary is.
        let start = match codec {
            Codec::Zstd => Position::default(),
            _ => position,
        };
        let window = Window::new(reader(start.anchor).map_err(failed)?, start.anchor);
        let limit = self.params.max_record_bytes;
        let members = Members::new(window, codec, Vec::new(), limit, Warc::begins);
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
            if let Some(item) = records.next()? {
                return Ok(Some(item));
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
        pack(self.index, self.current.as_ref().map_or(Position::default(), Records::at))
    }

    fn end(&self) -> Option<u64> {
        Some(pack(self.entries.len(), Position::default()))
    }
}

/// A deflated entry that proves damaged ends there; what came before is good.
struct Lenient<R>(R);

impl<R: Read> Read for Lenient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).or_else(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Ok(0),
            _ => Err(error),
        })
    }
}

/// The position in an entry: 512 Ki items in one stream.
const IN_ENTRY: Packing = Packing { counted_bit: 51, item_bits: 19 };
/// The bits above hold the number of the entry.
const ENTRY_SHIFT: u32 = IN_ENTRY.counted_bit + 1;
const MAX_ENTRY: u64 = (1 << (u64::BITS - ENTRY_SHIFT)) - 1;

/// Entry and position in it as one number that grows. What does not fit is cut to an earlier position.
fn pack(index: usize, position: Position) -> u64 {
    (index as u64).min(MAX_ENTRY) << ENTRY_SHIFT | position.pack(IN_ENTRY)
}

fn unpack(packed: u64) -> (usize, Position) {
    ((packed >> ENTRY_SHIFT) as usize, Position::unpack(packed, IN_ENTRY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_and_position_survive_packing_and_grow() {
        let counted = Position { anchor: 5, items: 7, counted: true };
        let mut last = 0;
        for (index, position) in [(0, Position::default()), (0, counted), (3, Position::default()), (3, counted)] {
            let packed = pack(index, position);
            assert_eq!(unpack(packed), (index, position));
            assert!(packed >= last);
            last = packed;
        }
        assert_eq!(unpack(pack(1 << 20, Position::default())).0, MAX_ENTRY as usize);
    }
}
