//! Comma-separated values with a header line, quoted where necessary (RFC 4180). Spreadsheets run cells that look like formulas, even
//! quoted ones; following OWASP, an apostrophe before such a cell makes it text.

use std::borrow::Cow;
use std::io;

use csv::Writer;

use super::cells::{cells, columns};
use super::exporter::{Exporter, Extra, Job, Output, Row, outputs};
use super::rows::of_output;

struct Csv {
    out: Writer<Output>,
    extra: Extra,
}

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut csv = Writer::from_writer(out);
    let columns = columns(job);
    if !columns.is_empty() {
        csv.write_record(&columns).map_err(of_output)?;
    }
    Ok(Box::new(Csv { out: csv, extra: job.extra }))
}

impl Exporter for Csv {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let cells = cells(row, self.extra).ok_or_else(|| row.refused())?;
        cells.iter().try_for_each(|cell| self.out.write_field(text(cell).as_bytes())).map_err(of_output)?;
        self.out.write_record(None::<&[u8]>).map_err(of_output)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

/// First characters of cells that spreadsheets run.
const RUN: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Protects a cell: a number, or a cell that is not run, stays as it is; any other gets an apostrophe before it. A cell that already begins
/// with such an apostrophe gets another one, so that all added apostrophes can be removed again.
pub fn text(cell: &str) -> Cow<'_, str> {
    let is_run = cell.trim_start_matches('\'').starts_with(RUN);
    if is_run && !cell.parse().is_ok_and(f64::is_finite) { format!("'{cell}").into() } else { cell.into() }
}
