//! Apache Parquet, a columnar format that data frames and query engines read.

use std::io;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::batches::Batches;
use super::exporter::{Exporter, Job, Output, Row, outputs};

struct Parquet {
    batches: Batches,
    writer: ArrowWriter<Output>,
}

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    with_batches(Batches::table(job), given)
}

/// A column of translations, as Hugging Face `datasets` have it.
pub fn translations(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    with_batches(Batches::translations(job)?, given)
}

fn with_batches(batches: Batches, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
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
    /// Writes a batch as a row group, so that only one batch is held in memory.
    fn group(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.writer.write(batch).and_then(|()| self.writer.flush()).map_err(failed)
    }
}

impl Exporter for Parquet {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        self.batches.row(row)?.map_or(Ok(()), |batch| self.group(&batch))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if let Some(batch) = self.batches.rest()? {
            self.group(&batch)?;
        }
        self.writer.finish().map_err(failed)?;
        io::Write::flush(self.writer.inner_mut())
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use crate::export::batches::ROWS;
    use crate::export::tests::{export, line};
    use crate::types::BitextLine;

    #[test]
    fn rows_can_be_read_again() {
        let lines: Vec<BitextLine> = (0..ROWS + 5).map(|n| line(&format!("text {n}"), "好")).collect();
        let file = export("parquet", &lines).remove(0);
        let mut on_disk = tempfile::tempfile().expect("a temporary file");
        std::io::Write::write_all(&mut on_disk, &file).expect("room on disk");
        let reader = SerializedFileReader::new(on_disk).expect("a Parquet file");
        assert_eq!(reader.num_row_groups(), 2);
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
