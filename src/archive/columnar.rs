//! Common Crawl's columnar index: Parquet, one capture a row. Each row becomes the line that the CDXJ index has for the same capture.
//!
//! Columns are found by name; only `url` is required. Also read are `fetch_time`, `fetch_status`, `content_mime_detected` (or
//! `content_mime_type`), `content_languages`, `warc_filename`, `warc_record_offset` and `warc_record_length`. A position is a number of
//! rows.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::file::serialized_reader::SerializedPageReader;
use serde_json::{Map, Value};

use super::format::{Archive, Format, Item, Params};
use crate::error::{Error, Result};
use crate::files;
use crate::panics::sheltered;
use crate::types::{Form, RawRecord, Skip, SkipReason};

/// The first bytes of a Parquet file.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The format of Parquet files with a column of URLs.
pub(super) struct ColumnarFormat;

/// Names of columns, each with its name in the JSON object that a row becomes.
pub(super) type Columns = &'static [(&'static str, &'static str)];

const COLUMNS: Columns = &[
    ("url", "url"),
    ("fetch_time", "timestamp"),
    ("fetch_status", "status"),
    ("content_mime_type", "mime"),
    ("content_mime_detected", "mime-detected"),
    ("content_languages", "languages"),
    ("warc_filename", "filename"),
    ("warc_record_offset", "offset"),
    ("warc_record_length", "length"),
];

/// How many rows are decoded at once.
const BATCH_ROWS: usize = 1024;
/// The longest page, in bytes; those of Common Crawl have one MiB.
const MAX_PAGE_BYTES: usize = 128 << 20;
/// Snappy expands three bytes to 64 at most.
const MAX_SNAPPY_RATIO: usize = 22;

impl Format for ColumnarFormat {
    fn name(&self) -> &'static str {
        "Parquet index"
    }

    fn is_index(&self) -> bool {
        true
    }

    fn recognises(&self, path: &Path, head: &[u8]) -> bool {
        head.starts_with(MAGIC) && has_columns(path, &COLUMNS[..1])
    }

    fn open(&self, path: &Path, position: u64, _: &Params) -> Result<Box<dyn Archive>> {
        open(path, position, COLUMNS)
    }
}

/// True for a Parquet file that has all of these columns.
pub(super) fn has_columns(path: &Path, names: Columns) -> bool {
    open_file(path).is_ok_and(|(reader, _)| columns(&reader, names).iter().all(Option::is_some))
}

/// The rows of a Parquet file from a position on, each as a JSON object with those of the columns that the file has.
///
/// # Errors
/// When it cannot be read, or is damaged from its first byte on.
pub(super) fn open(path: &Path, position: u64, names: Columns) -> Result<Box<dyn Archive>> {
    let (reader, file) = open_file(path)
        .map_err(|error| Error::input(path.display().to_string(), format!("a damaged Parquet file: {error}")))?;
    let rows = reader.metadata().file_metadata().num_rows().max(0) as u64;
    let columns = columns(&reader, names);
    let file_bytes = std::fs::metadata(path).map_err(Error::io(path, "reading the length of"))?.len();
    let ready = VecDeque::new();
    let mut table = Table {
        path: path.to_owned(),
        file,
        file_bytes,
        reader,
        names,
        columns,
        rows,
        group: 0,
        open: None,
        ready,
        position: 0,
    };
    table.go_to(position);
    Ok(Box::new(table))
}

/// The metadata of a file, and the file.
fn open_file(path: &Path) -> std::result::Result<(SerializedFileReader<Whole>, Arc<Whole>), String> {
    let open = || {
        let file = files::open(path).map_err(|error| error.to_string())?;
        let again = file.try_clone().map_err(|error| error.to_string())?;
        let reader = SerializedFileReader::new(Whole(file)).map_err(|error| error.to_string())?;
        Ok((reader, Arc::new(Whole(again))))
    };
    decoded(open)
}

/// A file in which reading beyond the end is an error. Otherwise the decoder would skip lists of any claimed length there, element by
/// element, and allocate memory for chunks of any claimed length.
struct Whole(File);

impl Length for Whole {
    fn len(&self) -> u64 {
        Length::len(&self.0)
    }
}

impl ChunkReader for Whole {
    type T = UpToEnd;

    fn get_read(&self, start: u64) -> parquet::errors::Result<UpToEnd> {
        self.0.get_read(start).map(UpToEnd)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start.saturating_add(length as u64);
        if end > Length::len(self) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes from {start} on, the file has {}",
                Length::len(self)
            )));
        }
        self.0.get_bytes(start, length)
    }
}

/// A part of such a file, being read.
struct UpToEnd(BufReader<File>);

impl Read for UpToEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

/// Calls the decoder; a panic becomes an error.
fn decoded<T>(work: impl FnOnce() -> std::result::Result<T, String>) -> std::result::Result<T, String> {
    sheltered(work).unwrap_or_else(|| Err("values that cannot be".to_owned()))
}

/// The place of each column in the file.
fn columns(reader: &SerializedFileReader<Whole>, names: Columns) -> Vec<Option<usize>> {
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    // Columns of lists have more values than rows.
    let is = |column: &parquet::schema::types::ColumnDescPtr, name: &str| {
        column.path().string() == name && column.max_rep_level() == 0
    };
    names.iter().map(|(name, _)| schema.columns().iter().position(|column| is(column, name))).collect()
}

/// One column of a row group, being read.
struct Column {
    name: &'static str,
    reader: ColumnReader,
    optional: bool,
    /// Units of time per second; 0: not a time.
    unit: i64,
}

struct Group {
    columns: Vec<Column>,
    left: u64,
}

/// A Parquet file, being read.
struct Table {
    path: PathBuf,
    file: Arc<Whole>,
    file_bytes: u64,
    reader: SerializedFileReader<Whole>,
    names: Columns,
    columns: Vec<Option<usize>>,
    rows: u64,
    /// The next row group.
    group: usize,
    open: Option<Group>,
    ready: VecDeque<Vec<u8>>,
    position: u64,
}

impl Table {
    /// Skips whole row groups, then rows.
    fn go_to(&mut self, position: u64) {
        while self.group < self.reader.num_row_groups() {
            let rows = self.rows_of(self.group);
            if self.position.saturating_add(rows) > position {
                break;
            }
            self.position += rows;
            self.group += 1;
        }
        while self.position < position && !matches!(self.next(), Ok(None) | Err(_)) {}
    }

    fn rows_of(&self, group: usize) -> u64 {
        self.reader.metadata().row_group(group).num_rows().max(0) as u64
    }

    fn open_group(&self, group: usize) -> std::result::Result<Group, String> {
        let reader = self.reader.get_row_group(group).map_err(|error| error.to_string())?;
        let schema = self.reader.metadata().file_metadata().schema_descr_ptr();
        let mut columns = Vec::new();
        for (at, (_, name)) in self.columns.iter().zip(self.names) {
            let Some(at) = *at else { continue };
            let descriptor = schema.column(at);
            let chunk = reader.metadata().column(at);
            let (start, bytes) = chunk.byte_range();
            if start.saturating_add(bytes) > self.file_bytes {
                return Err(format!("column {name}: {bytes} bytes from {start} on, the file has {}", self.file_bytes));
            }
            let pages = Checked::open(&self.file, chunk).map_err(|error| error.to_string())?;
            columns.push(Column {
                name,
                reader: get_column_reader(descriptor.clone(), Box::new(pages)),
                optional: descriptor.max_def_level() > 0,
                unit: if *name == "timestamp" { unit(&descriptor) } else { 0 },
            });
        }
        Ok(Group { columns, left: self.rows_of(group) })
    }

    /// Decodes the next rows; false at the end.
    fn fill(&mut self) -> std::result::Result<bool, String> {
        loop {
            if let Some(group) = self.open.as_mut().filter(|group| group.left > 0) {
                let count = group.left.min(BATCH_ROWS as u64) as usize;
                let rows = decoded(|| group.rows(count))?;
                group.left -= count as u64;
                self.ready.extend(rows.into_iter().map(|row| Value::Object(row).to_string().into_bytes()));
                return Ok(true);
            }
            if self.group >= self.reader.num_row_groups() {
                return Ok(false);
            }
            self.group += 1;
            if self.rows_of(self.group - 1) == 0 {
                continue;
            }
            self.open = Some(decoded(|| self.open_group(self.group - 1))?);
        }
    }

    /// After damage, continues with the next row group.
    fn give_up_group(&mut self) -> u64 {
        self.open = None;
        self.ready.clear();
        (0..self.group).fold(0, |passed, group| passed.saturating_add(self.rows_of(group)))
    }
}

impl Group {
    fn rows(&mut self, count: usize) -> std::result::Result<Vec<Map<String, Value>>, String> {
        let mut rows = vec![Map::new(); count];
        for column in &mut self.columns {
            let values = column.values(count).map_err(|error| error.to_string())?;
            if values.len() != count {
                return Err(format!("column {}: {} rows, expected {count}", column.name, values.len()));
            }
            for (row, value) in rows.iter_mut().zip(values) {
                if !value.is_null() {
                    row.insert(column.name.to_owned(), value);
                }
            }
        }
        Ok(rows)
    }
}

/// The pages of a column. The decoder allocates the memory that a page claims to need before it sees whether the claim is true. So it is
/// told that nothing is compressed, and pages are decompressed here. For the same reason, a dictionary that claims more values than it has
/// bytes is refused.
struct Checked {
    pages: Box<dyn PageReader>,
    codec: Compression,
}

impl Checked {
    /// Opens the pages of a column in a row group.
    fn open(file: &Arc<Whole>, chunk: &ColumnChunkMetaData) -> std::result::Result<Checked, ParquetError> {
        let codec = chunk.compression();
        let plain = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        // The number of rows is needed only with an index of pages, so 0 will do.
        let pages = SerializedPageReader::new(Arc::clone(file), &plain, 0, None)?;
        Ok(Checked { pages: Box::new(pages), codec })
    }

    /// Decompresses a page.
    fn unpacked(&self, mut page: Page) -> std::result::Result<Page, ParquetError> {
        if self.codec == Compression::UNCOMPRESSED {
            return Ok(page);
        }
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = unpack(self.codec, buf)?.into(),
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed: true, .. } => {
                // Levels are never compressed.
                let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                let parts = usize::try_from(levels).ok().and_then(|levels| buf.split_at_checked(levels));
                let (levels, values) = parts.ok_or_else(|| misfit(format!("{levels} bytes of levels")))?;
                *buf = [levels, &unpack(self.codec, values)?].concat().into();
            }
            Page::DataPageV2 { .. } => {}
        }
        Ok(page)
    }
}

/// Decompresses the bytes of a page.
fn unpack(codec: Compression, packed: &[u8]) -> std::result::Result<Vec<u8>, ParquetError> {
    let mut bytes = Vec::new();
    let most = MAX_PAGE_BYTES as u64 + 1;
    match codec {
        // Pages without values are empty.
        _ if packed.is_empty() => {}
        Compression::SNAPPY => {
            let length = snap::raw::decompress_len(packed)?;
            if length > MAX_PAGE_BYTES.min(packed.len().saturating_mul(MAX_SNAPPY_RATIO)) {
                return Err(misfit(format!("{length} bytes in {}", packed.len())));
            }
            bytes = snap::raw::Decoder::new().decompress_vec(packed)?;
        }
        Compression::GZIP(_) => drop(flate2::bufread::MultiGzDecoder::new(packed).take(most).read_to_end(&mut bytes)?),
        Compression::ZSTD(_) => drop(zstd::Decoder::with_buffer(packed)?.take(most).read_to_end(&mut bytes)?),
        other => return Err(misfit(format!("the compression {other}, which is not read"))),
    }
    if bytes.len() > MAX_PAGE_BYTES { Err(misfit(format!("more than {MAX_PAGE_BYTES} bytes"))) } else { Ok(bytes) }
}

fn misfit(what: String) -> ParquetError {
    ParquetError::General(format!("a page with {what}"))
}

impl Iterator for Checked {
    type Item = std::result::Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> std::result::Result<Option<Page>, ParquetError> {
        let page = self.pages.get_next_page()?.map(|page| self.unpacked(page)).transpose()?;
        match page {
            Some(Page::DictionaryPage { buf, num_values, .. }) if num_values as usize > buf.len() => {
                let problem = format!("a dictionary of {num_values} values in {} bytes", buf.len());
                Err(ParquetError::General(problem))
            }
            page => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> std::result::Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> std::result::Result<(), ParquetError> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> std::result::Result<bool, ParquetError> {
        self.pages.at_record_boundary()
    }
}

impl Column {
    fn values(&mut self, count: usize) -> std::result::Result<Vec<Value>, ParquetError> {
        macro_rules! read {
            ($reader:expr, $value:expr) => {{
                let (mut levels, mut values) = (Vec::new(), Vec::new());
                $reader.read_records(count, Some(&mut levels), None, &mut values)?;
                let mut values = values.into_iter().map($value);
                if self.optional {
                    levels
                        .iter()
                        .map(|&level| if level > 0 { values.next().unwrap_or(Value::Null) } else { Value::Null })
                        .collect()
                } else {
                    values.collect()
                }
            }};
        }
        let unit = self.unit;
        let number = |number: i64| if unit > 0 { time(number.div_euclid(unit)) } else { Value::from(number) };
        Ok(match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                read!(reader, |value: parquet::data_type::ByteArray| {
                    Value::from(String::from_utf8_lossy(value.data()).into_owned())
                })
            }
            ColumnReader::Int32ColumnReader(reader) => read!(reader, |value: i32| number(i64::from(value))),
            ColumnReader::Int64ColumnReader(reader) => read!(reader, number),
            ColumnReader::Int96ColumnReader(reader) => {
                read!(reader, |value: parquet::data_type::Int96| time(value.to_millis().div_euclid(1000)))
            }
            _ => vec![Value::Null; count],
        })
    }
}

/// How many units of a column of times are a second.
fn unit(column: &parquet::schema::types::ColumnDescPtr) -> i64 {
    use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(timestamp)), _) => match timestamp.unit {
            TimeUnit::MILLIS => 1000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        },
        (_, ConvertedType::TIMESTAMP_MILLIS) => 1000,
        (_, ConvertedType::TIMESTAMP_MICROS) => 1_000_000,
        _ => 0,
    }
}

/// Seconds since 1970, written like a time in a CDX file.
fn time(seconds: i64) -> Value {
    let time = jiff::Timestamp::from_second(seconds).ok();
    time.map_or(Value::Null, |time| Value::from(time.strftime("%Y%m%d%H%M%S").to_string()))
}

impl Archive for Table {
    fn next(&mut self) -> Result<Option<Item>> {
        if self.ready.is_empty() {
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(problem) => {
                    let offset = self.position;
                    self.position = self.give_up_group();
                    let detail = format!("row: {problem}");
                    let (reason, url) = (SkipReason::BadCompression, String::new());
                    return Ok(Some(Item::Skip(Skip { reason, offset, length: 0, url, detail })));
                }
            }
        }
        let Some(block) = self.ready.pop_front() else {
            return Err(Error::input(self.path.display().to_string(), "rows were announced and none arrived"));
        };
        let offset = self.position;
        self.position += 1;
        Ok(Some(Item::Record(RawRecord { form: Form::Index, offset, block, ..RawRecord::default() })))
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn end(&self) -> Option<u64> {
        Some(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use parquet::basic::{GzipLevel, ZstdLevel};
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use proptest::prelude::*;

    use super::*;

    const SCHEMA: &str = "message index { required binary url (UTF8); optional int64 fetch_time (TIMESTAMP_MILLIS);
        optional int32 fetch_status; optional binary content_languages (UTF8); required binary warc_filename (UTF8);
        required int32 warc_record_offset; required int32 warc_record_length; optional binary url_path (UTF8); }";

    /// Makes `groups` row groups of `rows` rows; every third row has no language, every second row has status 404.
    fn file(path: &Path, groups: usize, rows: usize) {
        file_with(path, groups, rows, Compression::SNAPPY, WriterVersion::PARQUET_1_0);
    }

    fn file_with(path: &Path, groups: usize, rows: usize, codec: Compression, version: WriterVersion) {
        let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema"));
        let properties = WriterProperties::builder().set_compression(codec).set_writer_version(version);
        let properties = Arc::new(properties.build());
        let file = File::create(path).expect("room on the disk");
        let mut writer = SerializedFileWriter::new(file, schema, properties).expect("a schema");
        for group in 0..groups {
            let numbers: Vec<usize> = (group * rows..(group + 1) * rows).collect();
            let mut columns = writer.next_row_group().expect("a file");
            let mut at = 0;
            while let Some(mut column) = columns.next_column().expect("a column") {
                let bytes = |of: &dyn Fn(usize) -> String, keep: &dyn Fn(usize) -> bool| -> Vec<ByteArray> {
                    numbers.iter().filter(|n| keep(**n)).map(|&n| ByteArray::from(of(n).as_str())).collect()
                };
                let all = vec![1; rows];
                match at {
                    0 => column.typed::<ByteArrayType>().write_batch(
                        &bytes(&|n| format!("http://ex.org/{n}"), &|_| true),
                        None,
                        None,
                    ),
                    1 => column.typed::<Int64Type>().write_batch(&vec![1_715_997_490_000; rows], Some(&all), None),
                    2 => {
                        let status: Vec<i32> = numbers.iter().map(|n| if n % 2 == 0 { 200 } else { 404 }).collect();
                        column.typed::<Int32Type>().write_batch(&status, Some(&all), None)
                    }
                    3 => {
                        let levels: Vec<i16> = numbers.iter().map(|n| i16::from(n % 3 != 0)).collect();
                        let values = bytes(&|_| "fra".into(), &|n| n % 3 != 0);
                        column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)
                    }
                    4 => column.typed::<ByteArrayType>().write_batch(
                        &bytes(&|_| "a.warc.gz".into(), &|_| true),
                        None,
                        None,
                    ),
                    5 | 6 => {
                        let numbers: Vec<i32> = numbers.iter().map(|&n| (n * 10 + at) as i32).collect();
                        column.typed::<Int32Type>().write_batch(&numbers, None, None)
                    }
                    _ => column.typed::<ByteArrayType>().write_batch(&[], Some(&vec![0; rows]), None),
                }
                .expect("values");
                column.close().expect("a column");
                at += 1;
            }
            columns.close().expect("a group");
        }
        writer.close().expect("a file");
    }

    fn items(path: &Path, position: u64) -> Vec<Item> {
        let mut archive = ColumnarFormat.open(path, position, &Params::default()).expect("a table");
        let mut items = Vec::new();
        while let Ok(Some(item)) = archive.next() {
            items.push(item);
        }
        items
    }

    /// Pages from a list.
    struct Given(Vec<Page>);

    impl Iterator for Given {
        type Item = std::result::Result<Page, ParquetError>;

        fn next(&mut self) -> Option<Self::Item> {
            self.0.pop().map(Ok)
        }
    }

    impl PageReader for Given {
        fn get_next_page(&mut self) -> std::result::Result<Option<Page>, ParquetError> {
            Ok(self.0.pop())
        }

        fn peek_next_page(&mut self) -> std::result::Result<Option<PageMetadata>, ParquetError> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> std::result::Result<(), ParquetError> {
            Ok(())
        }
    }

    #[test]
    fn a_dictionary_of_more_values_than_bytes_is_refused() {
        let dictionary = |num_values| {
            let (buf, encoding) = (vec![0; 8].into(), parquet::basic::Encoding::PLAIN);
            let pages = Given(vec![Page::DictionaryPage { buf, num_values, encoding, is_sorted: false }]);
            Checked { pages: Box::new(pages), codec: Compression::UNCOMPRESSED }
        };
        assert!(dictionary(2).get_next_page().is_ok_and(|page| page.is_some()));
        let error = dictionary(500_000_000).get_next_page().map(|_| ()).expect_err("too many").to_string();
        assert!(error.contains("a dictionary of 500000000 values in 8 bytes"), "{error}");
    }

    #[test]
    fn pages_are_unpacked_whatever_packs_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("part.parquet");
        file(&path, 2, 1500);
        let all = items(&path, 0);
        assert_eq!(all.len(), 3000);
        let codecs = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::ZSTD(ZstdLevel::default()),
        ];
        for codec in codecs {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                file_with(&path, 2, 1500, codec, version);
                assert!(items(&path, 0) == all, "{codec} {version:?}");
            }
        }
    }

    #[test]
    fn no_memory_is_asked_for_what_a_page_says_it_holds_and_does_not() {
        // Claims a length of 2 GiB, and has three bytes.
        let error = unpack(Compression::SNAPPY, b"\x80\x80\x80\x80\x08abc").expect_err("too long").to_string();
        assert!(error.contains("a page with 2147483648 bytes in 8"), "{error}");
        // Expands to more than a page may hold.
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for _ in 0..=MAX_PAGE_BYTES >> 20 {
            gzip.write_all(&[0; 1 << 20]).expect("memory");
        }
        let packed = gzip.finish().expect("memory");
        let error = unpack(Compression::GZIP(GzipLevel::default()), &packed).expect_err("too long").to_string();
        assert!(error.contains("more than"), "{error}");
        assert!(unpack(Compression::LZO, b"abc").is_err());
        assert!(unpack(Compression::SNAPPY, b"").expect("a page without values").is_empty());
    }

    #[test]
    fn columns_beyond_the_file_are_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("part.parquet");
        file(&path, 2, 1500);
        let whole = std::fs::read(&path).expect("it was written");
        // Only the first kilobyte and the metadata at the end are there; the rest is missing.
        let (_, tail) = whole.split_at(whole.len() - 8);
        let footer = 8 + u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as usize;
        std::fs::write(&path, [&whole[..1024], &whole[whole.len() - footer..]].concat()).expect("room on the disk");
        let all = items(&path, 0);
        assert_eq!(all.len(), 2);
        for item in all {
            assert!(matches!(&item, Item::Skip(skip) if skip.detail.contains("the file has")), "{item:?}");
        }
    }

    #[test]
    fn rows_are_the_lines_of_the_index() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("part.parquet");
        file(&path, 3, 1500);
        assert_eq!(super::super::format_of(&path).expect("known").name(), "Parquet index");
        let all = items(&path, 0);
        assert_eq!(all.len(), 4500);
        let capture = |item: &Item| match item.clone() {
            Item::Record(record) => super::super::capture(record, &Params::default()),
            Item::Skip(skip) => Err(skip),
        };
        let second = capture(&all[2]).expect("a page");
        assert_eq!((second.url.as_str(), second.date_ms), ("http://ex.org/2", 1_715_997_490_000));
        assert_eq!(second.content_language.as_deref(), Some("fra"));
        let pointer = second.pointer.expect("it points");
        assert_eq!((pointer.file.as_str(), pointer.offset, pointer.length), ("a.warc.gz", 25, 26));
        assert_eq!(capture(&all[6]).expect("a page").content_language, None);
        assert_eq!(capture(&all[3]).expect_err("404").reason, SkipReason::Status);
        for position in [1, 1499, 1500, 1501, 4499, 4500] {
            assert_eq!(items(&path, position), all[position as usize..], "from {position}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_damaged_table_ends(flips in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..4)) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("part.parquet");
            file(&path, 2, 40);
            let mut bytes = std::fs::read(&path).expect("it was written");
            for (at, byte) in flips {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            std::fs::write(&path, bytes).expect("room on the disk");
            if let Ok(mut archive) = ColumnarFormat.open(&path, 0, &Params::default()) {
                let mut all = Vec::new();
                while let Ok(Some(item)) = archive.next() {
                    all.push((item, archive.position()));
                    prop_assert!(all.len() < 10_000);
                }
                for (at, (_, position)) in all.iter().enumerate() {
                    let rest: Vec<_> = all[at + 1..].iter().map(|(item, _)| item.clone()).collect();
                    prop_assert_eq!(items(&path, *position), rest, "behind item {}", at);
                }
            }
        }
    }
}
