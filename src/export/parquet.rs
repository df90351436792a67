//! Apache Parquet, a columnar format that data frames and query engines read.

use std::io;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as Codec, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::batches::Batches;
use super::exporter::{Compression, Exporter, Job, Output, Row, outputs};

/// How many rows a row group has.
const GROUP_ROWS: usize = 100_000;
/// A row group ends at about this many encoded bytes even if it has few rows, because it is held in memory until it is written.
const GROUP_BYTES: usize = 64 << 20;

struct Parquet {
    batches: Batches,
    writer: ArrowWriter<Output>,
}

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    with_batches(Batches::table(job), job.compression, given)
}

/// A column of translations, as Hugging Face `datasets` have it.
pub fn translations(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    with_batches(Batches::translations(job)?, job.compression, given)
}

fn with_batches(batches: Batches, compression: Compression, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let codec = match compression {
        Compression::None => Codec::UNCOMPRESSED,
        Compression::Gzip => Codec::GZIP(GzipLevel::default()),
        Compression::Snappy => Codec::SNAPPY,
        Compression::Zstd => Codec::ZSTD(ZstdLevel::try_new(3).map_err(failed)?),
    };
    // Programs that read Parquet without Arrow find it here.
    let metadata =
        batches.schema().metadata().iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_key_value_metadata(Some(metadata))
        .build();
    let writer = ArrowWriter::try_new(out, batches.schema(), Some(properties)).map_err(failed)?;
    Ok(Box::new(Parquet { batches, writer }))
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        // If the cause is an error of the output, that error is returned, which the caller can explain.
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::other(other),
    }
}

impl Parquet {
    fn write(&mut self, batch: Option<RecordBatch>) -> io::Result<()> {
        batch.map_or(Ok(()), |batch| self.writer.write(&batch)).map_err(failed)
    }
}

impl Exporter for Parquet {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let batch = self.batches.row(row)?;
        self.write(batch)
    }

    fn held(&self) -> usize {
        self.batches.bytes() + self.writer.memory_size()
    }

    fn relieve(&mut self) -> io::Result<()> {
        let batch = self.batches.rest()?;
        self.write(batch)?;
        self.writer.flush().map_err(failed)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let batch = self.batches.rest()?;
        self.write(batch)?;
        self.writer.finish().map_err(failed)?;
        io::Write::flush(self.writer.inner_mut())
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::GROUP_ROWS;
    use crate::export::tests::{export, line};
    use crate::types::BitextLine;

    #[test]
    fn rows_can_be_read_again() {
        let lines: Vec<BitextLine> = (0..GROUP_ROWS + 5).map(|n| line(&format!("text {n}"), "好")).collect();
        let file = export("parquet", &lines).remove(0);
        let mut on_disk = tempfile::tempfile().expect("a temporary file");
        std::io::Write::write_all(&mut on_disk, &file).expect("room on disk");
        let reader = SerializedFileReader::new(on_disk).expect("a Parquet file");
        assert_eq!(reader.num_row_groups(), 2);
        assert_eq!(reader.metadata().row_group(0).num_rows(), GROUP_ROWS as i64);
        let mut rows = 0;
        for (row, line) in reader.get_row_iter(None).expect("rows").zip(&lines) {
            let row = row.expect("a row");
            assert_eq!(row.get_string(0).expect("text"), &line.text_a);
            assert_eq!(row.get_string(1).expect("text"), "好");
            assert_eq!(row.get_double(4).expect("score"), 0.9877);
            assert_eq!(row.get_long(11).expect("offset"), 77);
            rows += 1;
        }
        assert_eq!(rows, lines.len());
    }
}
