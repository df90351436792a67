//! Comma-separated values with a header line, quoted where need be (RFC 4180).

use std::io;

use csv::Writer;

use super::cells::{cells, columns};
use super::exporter::{Exporter, Job, Output, Row, outputs};
use super::rows::of_output;

struct Csv(Writer<Output>);

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut csv = Writer::from_writer(out);
    let columns = columns(job.content);
    if !columns.is_empty() {
        csv.write_record(columns).map_err(of_output)?;
    }
    Ok(Box::new(Csv(csv)))
}

impl Exporter for Csv {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let cells = cells(row).ok_or_else(|| row.refused())?;
        self.0.write_record(cells.iter().map(|cell| cell.as_bytes())).map_err(of_output)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
