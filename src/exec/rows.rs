//! Rows between the steps: one schema for all, as streams of Arrow or files of Parquet.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use flate2::Crc;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use xxhash_rust::xxh3::Xxh3;

use super::coding;
use crate::error::{Error, Result};
use crate::panics::sheltered;
use crate::pipeline::STAGES;
use crate::store::FORMAT_VERSION;

/// Version of the columns of rows and of what stands in their `data`; `shapes.rs` tells when it is to be raised.
pub const SCHEMA_VERSION: u32 = 7;
/// The key of the version in the metadata of a schema.
const VERSION: &str = "diglot.exec";
/// A batch of this many bytes is written.
const BATCH_BYTES: usize = 4 << 20;
/// How many rows a batch has at most.
const BATCH_ROWS: usize = 4096;
/// The last bytes of every complete Arrow stream.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineRow {
    /// The part of all sites to which it belongs, or the bucket; -1: none.
    pub part: i32,
    /// Its kind.
    pub kind: String,
    /// A domain, pattern, language pair or path, depending on the kind.
    pub name: String,
    /// A number; its meaning depends on the kind.
    pub number: i64,
    /// How many; of what depends on the kind.
    pub count: i64,
    /// Data that only this program reads.
    pub data: Option<Vec<u8>>,
}

impl EngineRow {
    /// Its data.
    ///
    /// # Errors
    /// When it has none.
    pub fn bytes(&self) -> Result<&[u8]> {
        self.data.as_deref().ok_or_else(|| self.refused("it has no data"))
    }

    /// Decodes its data.
    ///
    /// # Errors
    /// When there are none, or they are of another type.
    pub(super) fn decode<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        coding::decode(self.bytes()?).ok_or_else(|| self.senseless())
    }

    /// The error of a row that is not valid.
    pub(super) fn refused(&self, problem: impl Into<String>) -> Error {
        Error::input(format!("a {} row of {:?}", self.kind, self.name), problem)
    }

    /// The error of a row whose data are not those of its kind.
    pub(super) fn senseless(&self) -> Error {
        self.refused("its data make no sense: do the step anew that wrote it")
    }

    /// Its count, which must not be negative.
    ///
    /// # Errors
    /// When it is negative.
    pub(super) fn counted(&self) -> Result<u64> {
        u64::try_from(self.count).map_err(|_| self.refused(format!("its count is {}, expected 0 or more", self.count)))
    }

    /// CRC-32 of all fields that engines do not change: the kind, the name, number and count as 8 bytes each (little-endian), the data.
    fn check(&self) -> u32 {
        let mut crc = Crc::new();
        crc.update(self.kind.as_bytes());
        crc.update(self.name.as_bytes());
        crc.update(&self.number.to_le_bytes());
        crc.update(&self.count.to_le_bytes());
        crc.update(self.data.as_deref().unwrap_or_default());
        crc.sum()
    }

    fn hash(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for text in [&self.kind, &self.name] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.update(&self.part.to_le_bytes());
        hasher.update(&self.number.to_le_bytes());
        hasher.update(&self.count.to_le_bytes());
        hasher.update(&[u8::from(self.data.is_some())]);
        hasher.update(self.data.as_deref().unwrap_or_default());
        hasher.digest()
    }
}

/// The version of everything that rows hold: that of the rows themselves, that of stores, and those of the stages whose results rows pass
/// on.
fn version() -> String {
    let stages = STAGES.iter().map(|stage| stage.version());
    let numbers: Vec<String> =
        [SCHEMA_VERSION, FORMAT_VERSION].into_iter().chain(stages).map(|number| number.to_string()).collect();
    numbers.join(".")
}

/// The schema of all rows.
pub fn schema() -> SchemaRef {
    let metadata = HashMap::from([(VERSION.to_owned(), version())]);
    let fields = vec![
        Field::new("part", DataType::Int32, false),
        Field::new("kind", DataType::Utf8, false),
        Field::new("name", DataType::Utf8, false),
        Field::new("number", DataType::Int64, false),
        Field::new("count", DataType::Int64, false),
        Field::new("data", DataType::Binary, true),
        Field::new("check", DataType::Int64, true),
    ];
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>>>;

/// Reads rows.
pub struct Input {
    place: String,
    batches: Batches,
    /// The last bytes read of a stream; a file has an end mark of its own.
    tail: Option<Tail>,
    batch: Option<(RecordBatch, usize)>,
    /// How many rows were read.
    pub rows: u64,
}

impl Input {
    /// An input without rows.
    pub fn empty() -> Input {
        Input { place: String::new(), batches: Box::new(std::iter::empty()), tail: None, batch: None, rows: 0 }
    }

    /// A file: Parquet by its name's ending, a stream of Arrow otherwise.
    ///
    /// # Errors
    /// When it cannot be read, or holds other rows.
    pub fn open(path: &Path) -> Result<Input> {
        let place = path.display().to_string();
        let file = File::open(path).map_err(Error::io(path, "opening"))?;
        if path.extension().is_some_and(|ending| ending == "parquet") {
            let bad = |error: &dyn std::fmt::Display| Error::input(place.clone(), error.to_string());
            let builder = decoded(|| ParquetRecordBatchReaderBuilder::try_new(file)).map_err(|error| bad(&error))?;
            check(&place, builder.schema())?;
            let reader = decoded(|| builder.with_batch_size(64).build()).map_err(|error| bad(&error))?;
            return Ok(Input { place, batches: Box::new(reader), tail: None, batch: None, rows: 0 });
        }
        Input::stream(place, file)
    }

    /// A stream of Arrow.
    ///
    /// # Errors
    /// When it has other rows, or is not an Arrow stream.
    pub fn stream(place: String, source: impl Read + 'static) -> Result<Input> {
        let tail = Tail::default();
        let mut source = BufReader::with_capacity(1 << 20, source);
        if source.fill_buf().is_ok_and(|head| head.starts_with(b"PAR1")) {
            return Err(Error::input(place, "is Parquet: give it by --input FILE.parquet"));
        }
        let source = Tailed { source, tail: tail.clone() };
        let reader = decoded(|| StreamReader::try_new(source, None))
            .map_err(|error| Error::input(place.clone(), format!("expected a stream of Arrow: {error}")))?;
        check(&place, &reader.schema())?;
        Ok(Input { place, batches: Box::new(reader), tail: Some(tail), batch: None, rows: 0 })
    }

    /// The next row.
    ///
    /// # Errors
    /// When the rows are cut off, or cannot be read.
    pub fn read(&mut self) -> Result<Option<EngineRow>> {
        loop {
            if let Some((batch, at)) = &mut self.batch {
                if *at < batch.num_rows() {
                    let row = row(batch, *at);
                    *at += 1;
                    self.rows += 1;
                    let refused = |problem: &str| Error::input(self.place.clone(), problem);
                    let (row, check) =
                        row.ok_or_else(|| refused("a row lacks a value, or has other columns than the schema says"))?;
                    if check.is_some_and(|check| check != i64::from(row.check())) {
                        let EngineRow { kind, name, .. } = row;
                        let problem = format!(
                            "the row {name} of kind {kind} is not as it was written: do the step anew that wrote it"
                        );
                        return Err(refused(&problem));
                    }
                    return Ok(Some(row));
                }
                self.batch = None;
            }
            match decoded(|| self.batches.next().transpose()).transpose() {
                Some(Ok(batch)) => self.batch = Some((batch, 0)),
                Some(Err(error)) => return Err(Error::input(self.place.clone(), error.to_string())),
                None if self.tail.as_ref().is_some_and(|tail| !tail.is_end()) => {
                    return Err(Error::input(self.place.clone(), "the stream is cut off: it has no end"));
                }
                None => return Ok(None),
            }
        }
    }

    /// All remaining rows.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn all(&mut self) -> Result<Vec<EngineRow>> {
        let mut rows = Vec::new();
        while let Some(row) = self.read()? {
            rows.push(row);
        }
        Ok(rows)
    }
}

/// Calls the decoder of a stream or file; a panic becomes an error.
fn decoded<T, E: From<ArrowError>>(work: impl FnOnce() -> std::result::Result<T, E>) -> std::result::Result<T, E> {
    sheltered(work)
        .unwrap_or_else(|| Err(ArrowError::ParseError("damaged: it has values that cannot be".to_owned()).into()))
}

/// Refuses rows of another version or with other columns.
fn check(place: &str, found: &Schema) -> Result<()> {
    let present = version();
    if let Some(version) = found.metadata().get(VERSION).filter(|version| **version != present) {
        let problem = format!("its rows are of version {version}, this program reads {present}: do all steps anew");
        return Err(Error::input(place, problem));
    }
    let expected = schema();
    let names: Vec<&str> = expected.fields().iter().map(|field| field.name().as_str()).collect();
    if !names.iter().all(|name| found.column_with_name(name).is_some()) {
        return Err(Error::input(place, format!("expected rows with the columns {}", names.join(", "))));
    }
    Ok(())
}

/// A row, and its checksum, if it has one.
fn row(batch: &RecordBatch, at: usize) -> Option<(EngineRow, Option<i64>)> {
    let text = |name: &str| {
        let column = batch.column_by_name(name)?;
        if column.is_null(at) {
            return None;
        }
        let text = column.as_string_opt::<i32>().map(|column| column.value(at));
        text.or_else(|| Some(column.as_string_opt::<i64>()?.value(at))).map(str::to_owned)
    };
    let number = |name: &str| {
        let column = batch.column_by_name(name)?.as_primitive_opt::<Int64Type>()?;
        (!column.is_null(at)).then(|| column.value(at))
    };
    let data = batch.column_by_name("data")?;
    let bytes = if data.is_null(at) {
        None
    } else {
        let bytes = data.as_binary_opt::<i32>().map(|column| column.value(at));
        Some(bytes.or_else(|| Some(data.as_binary_opt::<i64>()?.value(at)))?.to_vec())
    };
    let part = batch.column_by_name("part")?.as_primitive_opt::<Int32Type>()?;
    let check = number("check");
    let row = EngineRow {
        part: (!part.is_null(at)).then(|| part.value(at))?,
        kind: text("kind")?,
        name: text("name")?,
        number: number("number")?,
        count: number("count")?,
        data: bytes,
    };
    Some((row, check))
}

/// Remembers the last bytes of a stream, since Arrow readers accept a stream that was cut between batches.
#[derive(Clone, Default)]
struct Tail(Arc<Mutex<Vec<u8>>>);

impl Tail {
    fn is_end(&self) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == END
    }
}

struct Tailed<R> {
    source: R,
    tail: Tail,
}

impl<R: Read> Read for Tailed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let read = &buffer[..count];
        let mut tail = self.tail.0.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(&read[read.len().saturating_sub(END.len())..]);
        let extra = tail.len().saturating_sub(END.len());
        tail.drain(..extra);
        Ok(count)
    }
}

/// A writer of batches.
enum Sink<'o> {
    Stream(Box<StreamWriter<Box<dyn Write + 'o>>>),
    File(Box<ArrowWriter<Box<dyn Write + Send + 'o>>>),
}

/// Writes rows.
pub struct Output<'o> {
    sink: Sink<'o>,
    columns: Columns,
    bytes: usize,
    /// How many rows were written, by kind.
    pub rows: BTreeMap<String, u64>,
    /// How many things were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// The sum of the hashes of the rows: it does not depend on their order.
    pub hash: u64,
}

#[derive(Default)]
struct Columns {
    part: Int32Builder,
    kind: StringBuilder,
    name: StringBuilder,
    number: Int64Builder,
    count: Int64Builder,
    data: BinaryBuilder,
    check: Int64Builder,
    rows: usize,
}

impl<'o> Output<'o> {
    /// Writes an Arrow stream.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn stream(out: impl Write + 'o) -> Result<Output<'o>> {
        let out: Box<dyn Write + 'o> = Box::new(BufWriter::with_capacity(1 << 20, out));
        let writer = StreamWriter::try_new(out, &schema()).map_err(failed)?;
        Ok(Output::of(Sink::Stream(Box::new(writer))))
    }

    /// Writes Parquet.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn parquet(out: impl Write + Send + 'o) -> Result<Output<'o>> {
        let out: Box<dyn Write + Send + 'o> = Box::new(out);
        let writer = ArrowWriter::try_new(out, schema(), None).map_err(|error| failed(error.into()))?;
        Ok(Output::of(Sink::File(Box::new(writer))))
    }

    fn of(sink: Sink<'o>) -> Output<'o> {
        let (rows, left_out) = (BTreeMap::new(), BTreeMap::new());
        Output { sink, columns: Columns::default(), bytes: 0, rows, left_out, hash: 0 }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn put(&mut self, row: &EngineRow) -> Result<()> {
        let columns = &mut self.columns;
        columns.part.append_value(row.part);
        columns.kind.append_value(&row.kind);
        columns.name.append_value(&row.name);
        columns.number.append_value(row.number);
        columns.count.append_value(row.count);
        columns.data.append_option(row.data.as_deref());
        columns.check.append_value(i64::from(row.check()));
        columns.rows += 1;
        self.bytes += row.data.as_ref().map_or(0, Vec::len) + row.name.len() + 64;
        match self.rows.get_mut(&row.kind) {
            Some(count) => *count += 1,
            None => {
                self.rows.insert(row.kind.clone(), 1);
            }
        }
        self.hash = self.hash.wrapping_add(row.hash());
        if self.bytes >= BATCH_BYTES || columns.rows >= BATCH_ROWS { self.write() } else { Ok(()) }
    }

    /// Counts things that were left out.
    pub fn leave_out(&mut self, reason: &str, count: u64) {
        let known = self.left_out.entry(reason.to_owned()).or_default();
        *known = known.saturating_add(count);
    }

    fn write(&mut self) -> Result<()> {
        let Columns { mut part, mut kind, mut name, mut number, mut count, mut data, mut check, .. } =
            std::mem::take(&mut self.columns);
        self.bytes = 0;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(part.finish()),
            Arc::new(kind.finish()),
            Arc::new(name.finish()),
            Arc::new(number.finish()),
            Arc::new(count.finish()),
            Arc::new(data.finish()),
            Arc::new(check.finish()),
        ];
        let batch = RecordBatch::try_new(schema(), columns).map_err(failed)?;
        match &mut self.sink {
            Sink::Stream(writer) => writer.write(&batch).map_err(failed),
            Sink::File(writer) => writer.write(&batch).map_err(|error| failed(error.into())),
        }
    }

    /// Writes the last batch and the end mark.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn finish(&mut self) -> Result<()> {
        if self.columns.rows > 0 {
            self.write()?;
        }
        match &mut self.sink {
            Sink::Stream(writer) => {
                writer.finish().map_err(failed)?;
                writer.get_mut().flush().map_err(Error::io("output", "writing"))
            }
            Sink::File(writer) => {
                writer.finish().map_err(|error| failed(error.into()))?;
                writer.inner_mut().flush().map_err(Error::io("output", "writing"))
            }
        }
    }
}

fn failed(error: ArrowError) -> Error {
    let source = match error {
        ArrowError::IoError(_, source) => source,
        other => io::Error::other(other.to_string()),
    };
    Error::Io { path: "output".into(), action: "writing", source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<EngineRow> {
        let row = |number: i64| EngineRow {
            part: number as i32 % 3,
            kind: if number % 2 == 0 { "even" } else { "odd" }.to_owned(),
            name: format!("example{number}.org"),
            number,
            count: -number,
            data: (number % 5 != 0).then(|| vec![number as u8; number as usize * 7]),
        };
        (0..5000).map(row).collect()
    }

    fn written(rows: &[EngineRow]) -> (Vec<u8>, u64, BTreeMap<String, u64>) {
        let mut bytes = Vec::new();
        let mut output = Output::stream(&mut bytes).expect("memory");
        rows.iter().for_each(|row| output.put(row).expect("memory"));
        output.finish().expect("memory");
        let (hash, counts) = (output.hash, output.rows.clone());
        drop(output);
        (bytes, hash, counts)
    }

    #[test]
    fn rows_come_back_from_streams_and_files() {
        let rows = rows();
        let (bytes, hash, counts) = written(&rows);
        let mut input = Input::stream("memory".into(), io::Cursor::new(bytes)).expect("a stream");
        assert_eq!(input.all().expect("whole"), rows);
        assert_eq!((input.rows, counts["even"]), (5000, 2500));
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["rows.parquet", "rows.arrows"] {
            let path = folder.path().join(name);
            let file = File::create(&path).expect("a file");
            let output = if name.ends_with("parquet") { Output::parquet(file) } else { Output::stream(file) };
            let mut output = output.expect("a file");
            rows.iter().rev().for_each(|row| output.put(row).expect("a disk"));
            output.finish().expect("a disk");
            assert_eq!(output.hash, hash, "whatever the order");
            let mut read = Input::open(&path).expect("a file").all().expect("whole");
            read.reverse();
            assert_eq!(read, rows, "{name}");
        }
    }

    #[test]
    fn a_stream_that_is_cut_anywhere_is_an_error() {
        let rows = rows();
        let (bytes, ..) = written(&rows[..40]);
        for cut in (0..bytes.len()).step_by(97).chain([bytes.len() - 8, bytes.len() - 1]) {
            let read = Input::stream("memory".into(), io::Cursor::new(bytes[..cut].to_vec()));
            assert!(read.and_then(|mut input| input.all()).is_err(), "cut at {cut} of {}", bytes.len());
        }
    }

    #[test]
    fn a_row_that_was_changed_is_refused() {
        let rows = rows();
        let (bytes, ..) = written(&rows[..30]);
        let read =
            |bytes: Vec<u8>| Input::stream("memory".into(), io::Cursor::new(bytes)).and_then(|mut input| input.all());
        let mut refused = 0;
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            match read(changed) {
                // Engines may change the part, and a few bytes of the file mean nothing.
                Ok(found) => {
                    let as_before =
                        found.into_iter().zip(&rows).map(|(row, before)| EngineRow { part: before.part, ..row });
                    assert!(as_before.eq(rows[..30].iter().cloned()), "byte {at}");
                }
                Err(_) => refused += 1,
            }
        }
        assert!(refused > bytes.len() / 2, "{refused} of {}", bytes.len());
    }

    #[test]
    fn rows_of_another_version_or_with_other_columns_are_refused() {
        let other = Schema::new_with_metadata(
            schema().fields().to_vec(),
            // The shapes are the same, but one stage gives other results.
            HashMap::from([(VERSION.to_owned(), format!("{}0", version()))]),
        );
        assert!(check("x", &other).expect_err("refused").to_string().contains(&format!("version {}0,", version())));
        let without = Schema::new(schema().fields()[1..].to_vec());
        assert!(check("x", &without).expect_err("refused").to_string().contains("part, kind, name"));
    }
}
