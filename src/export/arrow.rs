//! Apache Arrow: as a stream, for passing through pipes, and as a file, which can be mapped.

use std::io;

use arrow_array::RecordBatchWriter;
use arrow_ipc::writer::{FileWriter, StreamWriter};

use super::batches::{Batches, failed};
use super::exporter::{Exporter, Job, Output, Row, outputs};

/// Collects rows into batches, and writes these.
struct Arrow<W> {
    batches: Batches,
    writer: W,
}

pub fn stream(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let batches = Batches::table(job);
    let writer = StreamWriter::try_new(out, &batches.schema()).map_err(failed)?;
    Ok(Box::new(Arrow { batches, writer }))
}

pub fn file(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let batches = Batches::table(job);
    let writer = FileWriter::try_new(out, &batches.schema()).map_err(failed)?;
    Ok(Box::new(Arrow { batches, writer }))
}

impl<W: RecordBatchWriter> Exporter for Arrow<W> {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Some(batch) = self.batches.row(row)? else { return Ok(()) };
        self.writer.write(&batch).map_err(failed)
    }

    fn held(&self) -> usize {
        self.batches.bytes()
    }

    fn relieve(&mut self) -> io::Result<()> {
        let batch = self.batches.rest()?;
        batch.map_or(Ok(()), |batch| self.writer.write(&batch)).map_err(failed)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.relieve()?;
        // This flushes the output.
        self.writer.close().map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_ipc::reader::{FileReader, StreamReader};

    use crate::export::tests::{export_as, line};

    #[test]
    fn streams_and_files_hold_the_same_rows() {
        let lines = [line("one", "一"), line("two", "二")];
        let file = export_as("arrow", "x.arrow", &lines).remove(0);
        let stream = export_as("arrow", "x.arrows", &lines).remove(0);
        let of_file = FileReader::try_new(std::io::Cursor::new(file), None).expect("a file");
        let of_file: Vec<_> = of_file.map(|batch| batch.expect("a batch")).collect();
        let of_stream = StreamReader::try_new(stream.as_slice(), None).expect("a stream");
        let of_stream: Vec<_> = of_stream.map(|batch| batch.expect("a batch")).collect();
        assert_eq!(of_file, of_stream);
        assert_eq!(of_file[0].column(1).as_string::<i32>().value(1), "二");
    }
}
