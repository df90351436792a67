//! Lists of records by place: the file, offset and length of each. `export --what fetch` writes them for captures that an index names. The
//! records are read from the archives themselves, which must be WARC files.
//!
//! A list is a tab-separated table with a heading, plain or compressed, or a Parquet file. A row stands for the first record in its range;
//! a length of 0 is unknown.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::cdx;
use super::codec::Codec;
#[cfg(feature = "parquet")]
use super::columnar;
use super::dictionary;
use super::format::{Archive, Format, Item, Params};
use super::head::{codec_of, content_head};
use super::header::Dialect;
use super::members::Members;
use super::position::Position;
use super::records::Records;
use super::warc::Warc;
use super::window::Window;
use crate::error::{Error, Result};
use crate::files;
use crate::types::{Pointer, RawRecord, Skip, SkipReason};

/// The format of lists of ranges.
pub(super) struct RangesFormat;

/// The columns that a list must have, in any order and among others.
const COLUMNS: [&str; 3] = ["warc_filename", "offset", "length"];
#[cfg(feature = "parquet")]
const PARQUET_COLUMNS: &[(&str, &str)] = &[("warc_filename", "file"), ("offset", "offset"), ("length", "length")];
/// Room for the header of a record, and for what compression adds to incompressible data.
const ROOM_BYTES: u64 = 1 << 20;

impl Format for RangesFormat {
    fn name(&self) -> &'static str {
        "list of ranges"
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        #[cfg(feature = "parquet")]
        if head.starts_with(columnar::MAGIC) {
            return columnar::has_columns(path, PARQUET_COLUMNS);
        }
        let content = content_head(head);
        let is_whole = content.contains(&b'\n') && !path.is_dir();
        is_whole && content.split(|byte| *byte == b'\n').next().and_then(heading).is_some()
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        let (rows, of_columns) = open_rows(path, position)?;
        let path = path.canonicalize().map_err(Error::io(path, "opening"))?;
        Ok(Box::new(Ranges { path, rows, of_columns, params: params.clone(), open: None }))
    }
}

/// The columns of the file, the offset and the length.
type Heading = [usize; 3];

/// The rows of a list from a position on, with the columns of its heading, if the rows are not JSON objects.
fn open_rows(path: &Path, position: u64) -> Result<(Box<dyn Archive>, Option<Heading>)> {
    #[cfg(feature = "parquet")]
    {
        let mut magic = Vec::new();
        let read = files::open(path).and_then(|file| file.take(columnar::MAGIC.len() as u64).read_to_end(&mut magic));
        read.map_err(Error::io(path, "opening"))?;
        if magic == columnar::MAGIC {
            return Ok((columnar::open(path, position, PARQUET_COLUMNS)?, None));
        }
    }
    let mut lines = cdx::open(path, 0)?;
    let of_columns = match lines.next()? {
        Some(Item::Record(line)) => heading(&line.block),
        _ => None,
    };
    let no_heading = || Error::input(path.display().to_string(), format!("no heading with {}", COLUMNS.join(", ")));
    let of_columns = of_columns.ok_or_else(no_heading)?;
    if position > lines.position() {
        lines = cdx::open(path, position)?;
    }
    Ok((lines, Some(of_columns)))
}

/// The columns, if a line names them all.
fn heading(line: &[u8]) -> Option<Heading> {
    let names: Vec<&[u8]> = line.trim_ascii_end().split(|byte| *byte == b'\t').collect();
    let at = COLUMNS.map(|column| names.iter().position(|name| *name == column.as_bytes()));
    let [Some(file), Some(offset), Some(length)] = at else { return None };
    Some([file, offset, length])
}

/// One row.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Range {
    file: String,
    offset: u64,
    length: u64,
}

impl Range {
    fn read(line: &[u8], of_columns: Option<Heading>) -> std::result::Result<Range, String> {
        let Some(of_columns) = of_columns else {
            return serde_json::from_slice(line).map_err(|error| format!("row: {error}"));
        };
        let cells: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
        let [file, offset, length] = of_columns.map(|at| cells.get(at).map(|cell| String::from_utf8_lossy(cell)));
        let number = |cell: Option<std::borrow::Cow<'_, str>>, name: &str| {
            let cell = cell.unwrap_or_default();
            cell.trim().parse().map_err(|_| format!("row: {name} is {cell:?}, expected a number"))
        };
        let file = unquoted(&file.unwrap_or_default());
        Ok(Range { file, offset: number(offset, "offset")?, length: number(length, "length")? })
    }
}

/// A cell without the quotes that stand around one that has quotes itself.
fn unquoted(cell: &str) -> String {
    let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.map_or_else(|| cell.to_owned(), |inner| inner.replace("\"\"", "\""))
}

/// A list being read.
struct Ranges {
    path: PathBuf,
    rows: Box<dyn Archive>,
    of_columns: Option<Heading>,
    params: Params,
    /// The file of the last record; in a sorted list, the next record is in the same file.
    open: Option<OpenFile>,
}

struct OpenFile {
    name: String,
    path: PathBuf,
    file: File,
    codec: Codec,
    /// The dictionary of a zstd file, read when it is needed.
    dictionary: Option<Vec<u8>>,
}

impl OpenFile {
    fn new(name: &str, folder: &Path) -> io::Result<OpenFile> {
        // The name may be the whole path.
        let below = Path::new(name).strip_prefix(folder).unwrap_or(Path::new(name));
        let mut file = files::open_below(folder, below)?;
        let codec = codec_of(&mut file)?;
        Ok(OpenFile { name: name.to_owned(), path: folder.join(below), file, codec, dictionary: None })
    }

    /// The bytes of a range, ready to be decoded, and the dictionary.
    fn window(&mut self, range: &Range, params: &Params) -> io::Result<(Window, Vec<u8>)> {
        // Nothing is beyond the end, and on some file systems it is an error to seek far beyond it.
        let start = range.offset.min(self.file.metadata()?.len());
        if self.codec == Codec::Zstd && self.dictionary.is_none() {
            self.dictionary = Some(dictionary::before(&mut self.file, start)?);
        }
        self.file.seek(SeekFrom::Start(start))?;
        let is_short = (1..=params.max_record_bytes.saturating_add(ROOM_BYTES)).contains(&range.length);
        let source: Box<dyn Read + Send> = if is_short {
            let mut bytes = Vec::new();
            (&self.file).take(range.length).read_to_end(&mut bytes)?;
            Box::new(Cursor::new(bytes))
        } else {
            let length = if range.length == 0 { u64::MAX } else { range.length };
            Box::new(self.file.try_clone()?.take(length))
        };
        Ok((Window::new(source, range.offset), self.dictionary.clone().unwrap_or_default()))
    }
}

impl Ranges {
    /// The file of a name, in the folder of the archives or else beside the list. The inner error says why a file that exists is not read.
    fn file(&mut self, name: &str) -> Result<io::Result<OpenFile>> {
        if let Some(open) = self.open.take_if(|open| open.name == name) {
            return Ok(Ok(open));
        }
        let beside = self.path.parent().unwrap_or(Path::new(""));
        let folder = self.params.archives.as_deref().unwrap_or(beside);
        match OpenFile::new(name, folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let how = match self.params.archives {
                    Some(_) => "see that `--archives DIR` is the folder of its archives",
                    None => "tell the folder of its archives by `--archives DIR`",
                };
                let problem = format!("names {}, which is not there; {how}", folder.join(name).display());
                Err(Error::input(self.path.display().to_string(), problem))
            }
            Err(error) if !files::is_refusal(&error) => Err(Error::io(folder.join(name), "opening")(error)),
            opened => Ok(opened),
        }
    }

    fn record(&mut self, range: &Range, mut open: OpenFile) -> Result<Option<Item>> {
        let (window, dictionary) = open.window(range, &self.params).map_err(Error::io(&open.path, "reading"))?;
        let members = Members::new(window, open.codec, dictionary, &self.params, Warc::begins);
        let (start, limit) = (Position { anchor: range.offset, ..Position::default() }, self.params.max_record_bytes);
        let mut records = Records::<Warc>::new(open.path.clone(), members, start, None, limit)?;
        self.open = Some(open);
        records.next()
    }
}

impl Archive for Ranges {
    fn next(&mut self) -> Result<Option<Item>> {
        let row = match self.rows.next()? {
            Some(Item::Record(row)) => row,
            other => return Ok(other),
        };
        let skip = |reason, detail| {
            let (offset, length, url) = (row.offset, row.length, String::new());
            Ok(Some(Item::Skip(Skip { reason, offset, length, url, detail })))
        };
        let range = match Range::read(&row.block, self.of_columns) {
            Ok(range) => range,
            Err(problem) => return skip(SkipReason::BadRecord, problem),
        };
        let open = match self.file(&range.file)? {
            Ok(open) => open,
            Err(why) => return skip(SkipReason::FileNotRead, format!("row: {}: {why}", range.file)),
        };
        match self.record(&range, open)? {
            Some(Item::Record(record)) => {
                let length = if record.length == 0 { range.length } else { record.length };
                let pointer = Some(Box::new(Pointer { file: range.file, offset: record.offset, length }));
                Ok(Some(Item::Record(RawRecord { offset: row.offset, length: row.length, pointer, ..record })))
            }
            Some(Item::Skip(skip)) => {
                let detail = format!("row: {} at byte {}: {}", range.file, skip.offset, skip.detail);
                Ok(Some(Item::Skip(Skip { offset: row.offset, length: row.length, detail, ..skip })))
            }
            None => skip(SkipReason::BadRecord, format!("row: {} ends before byte {}", range.file, range.offset)),
        }
    }

    fn position(&self) -> u64 {
        self.rows.position()
    }

    fn end(&self) -> Option<u64> {
        self.rows.end()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn response(number: usize) -> Vec<u8> {
        let html = "<p>words and words ".repeat(number % 7 * 40);
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        let (url, length) = (format!("http://ex.org/{number}"), block.len());
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
        .into_bytes()
    }

    fn coded(codec: Codec, record: &[u8]) -> Vec<u8> {
        match codec {
            Codec::Plain => record.to_vec(),
            Codec::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(record).and_then(|()| encoder.finish()).expect("memory")
            }
            Codec::Zstd => zstd::encode_all(record, 1).expect("memory"),
            Codec::Lz4 => {
                let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
                encoder.write_all(record).expect("memory");
                encoder.finish().expect("memory")
            }
            Codec::Xz => {
                let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
                encoder.write_all(record).and_then(|()| encoder.finish()).expect("memory")
            }
            Codec::Bzip2 => {
                let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                encoder.write_all(record).and_then(|()| encoder.finish()).expect("memory")
            }
        }
    }

    fn all(path: &Path) -> Vec<Item> {
        let mut archive = super::super::open(path, 0, &Params::default()).expect("an archive");
        std::iter::from_fn(|| archive.next().expect("it can be read")).collect()
    }

    /// The content of the items, without their places.
    fn contents(items: Vec<Item>) -> Vec<(String, Vec<u8>)> {
        let content = |item| match item {
            Item::Record(RawRecord { url, block, .. }) => (url, block),
            Item::Skip(skip) => panic!("{skip:?}"),
        };
        items.into_iter().map(content).collect()
    }

    #[test]
    fn a_name_with_quotes_is_read_as_it_is_written() {
        let read = |line: &str| Range::read(line.as_bytes(), Some([0, 1, 2])).expect("a row").file;
        assert_eq!(read("\"a \"\"b\"\".warc\"\t1\t2"), "a \"b\".warc");
        assert_eq!(read("a\"b.warc\t1\t2"), "a\"b.warc");
    }

    #[test]
    fn a_row_that_leads_behind_the_end_of_its_archive_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for codec in [Codec::Plain, Codec::Gzip, Codec::Zstd, Codec::Lz4, Codec::Xz, Codec::Bzip2] {
            std::fs::write(at("a.warc"), coded(codec, &response(1))).expect("room on the disk");
            for offset in [10_000, 99_999_999_999_999, u64::MAX >> 1] {
                let list = format!("warc_filename\toffset\tlength\na.warc\t{offset}\t100\na.warc\t0\t0\n");
                std::fs::write(at("ranges"), list).expect("room on the disk");
                let found = all(&at("ranges"));
                assert!(
                    matches!(&found[..], [Item::Skip(skip), Item::Record(_)] if skip.detail.contains("ends before byte")),
                    "{found:?}"
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn records_read_by_their_places_are_those_of_the_archive(
            codec in prop::sample::select(vec![Codec::Plain, Codec::Gzip, Codec::Zstd, Codec::Lz4, Codec::Xz, Codec::Bzip2]),
            count in 1..30_usize,
            is_told in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let at = |name: &str| folder.path().join(name);
            let (mut bytes, mut list) = (Vec::new(), b"warc_filename\toffset\tlength\n".to_vec());
            for number in 0..count {
                let stored = coded(codec, &response(number));
                let length = if is_told { stored.len() } else { 0 };
                writeln!(list, "a.warc\t{}\t{length}", bytes.len()).expect("memory");
                bytes.extend(stored);
            }
            std::fs::write(at("a.warc"), bytes).expect("room on the disk");
            std::fs::write(at("ranges"), &list).expect("room on the disk");
            let whole = all(&at("a.warc"));
            let (listed, places) = (all(&at("ranges")), |items: &[Item]| -> Vec<u64> {
                items.iter().filter_map(|item| match item {
                    Item::Record(record) => Some(record.pointer.as_ref().map_or(record.offset, |place| place.offset)),
                    Item::Skip(_) => None,
                }).collect()
            });
            prop_assert_eq!(places(&listed), places(&whole));
            prop_assert_eq!(contents(listed), contents(whole));
            // Reading starts in the middle, as when a run is resumed.
            let mut archive = super::super::open(&at("ranges"), 0, &Params::default()).expect("an archive");
            for _ in 0..count / 2 {
                archive.next().expect("it can be read");
            }
            let mut rest = super::super::open(&at("ranges"), archive.position(), &Params::default()).expect("an archive");
            let left = std::iter::from_fn(|| rest.next().expect("it can be read")).count();
            prop_assert_eq!(left, count - count / 2);
        }

        #[test]
        fn any_row_is_a_range_or_has_a_problem(row in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Range::read(&row, Some([0, 1, 2]));
            let _ = Range::read(&row, None);
            let _ = heading(&row);
        }
    }

    #[test]
    fn no_row_leads_out_of_the_folder_of_archives() {
        // The given folder, and the folder of the list.
        for archives in [true, false] {
            no_row_leads_out(archives);
        }
    }

    fn no_row_leads_out(is_told: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("archives")).expect("room on the disk");
        std::fs::write(at("a.warc"), response(1)).expect("room on the disk");
        std::fs::copy(at("a.warc"), at("archives/a.warc")).expect("room on the disk");
        let archives = at("archives").canonicalize().expect("a folder");
        let mut names = vec!["../a.warc".to_owned(), at("a.warc").display().to_string()];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("a.warc"), at("archives/link.warc")).expect("a link");
            std::os::unix::fs::symlink(folder.path(), at("archives/up")).expect("a link");
            names.extend(["link.warc", "up/a.warc"].map(str::to_owned));
        }
        names.extend(["./a.warc".to_owned(), archives.join("a.warc").display().to_string()]);
        let mut list = "warc_filename\toffset\tlength\n".to_owned();
        list.extend(names.iter().map(|name| format!("{name}\t0\t0\n")));
        let place = if is_told { at("ranges") } else { at("archives/ranges") };
        std::fs::write(&place, list).expect("room on the disk");
        let params = Params { archives: is_told.then_some(archives), ..Params::default() };
        let mut archive = super::super::open(&place, 0, &params).expect("an archive");
        let items: Vec<Item> = std::iter::from_fn(|| archive.next().expect("it can be read")).collect();
        for (at, (item, name)) in items.iter().zip(&names).enumerate() {
            match item {
                Item::Record(_) => assert!(at + 2 >= names.len(), "{name}"),
                Item::Skip(skip) => assert_eq!((skip.reason, at + 2 < names.len()), (SkipReason::FileNotRead, true)),
            }
        }
        assert_eq!(items.len(), names.len());
    }

    #[test]
    fn a_heading_names_its_columns_in_any_order() {
        let of_columns = heading(b"url\tlength\toffset\twarc_filename\r\n").expect("all three");
        let range = Range { file: "a b".into(), offset: 7, length: 9 };
        assert_eq!(Range::read(b"http://x/\t9\t7\ta b", Some(of_columns)), Ok(range));
        assert!(Range::read(b"http://x/\t9\t-7\ta b", Some(of_columns)).is_err());
        assert_eq!(heading(b"url\tlength\toffset"), None);
    }
}
