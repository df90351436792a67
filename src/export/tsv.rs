//! Tab-separated values with a header line; also in the columns of Bitextor.

use std::borrow::Cow;
use std::io;

use super::cells::{cells, columns, score};
use super::exporter::{Exporter, Extra, Job, Output, Row, outputs};
use super::rows::TsvWriter;

struct Tsv {
    out: TsvWriter<Output>,
    extra: Extra,
}

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut tsv = TsvWriter::new(out);
    let columns = columns(job);
    if !columns.is_empty() {
        tsv.row(&columns)?;
    }
    Ok(Box::new(Tsv { out: tsv, extra: job.extra }))
}

impl Exporter for Tsv {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let cells = cells(row, self.extra).ok_or_else(|| row.refused())?;
        self.out.row(&cells.iter().map(Cow::as_ref).collect::<Vec<_>>())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

/// The columns that Bitextor always writes to `.raw.gz` and `.sent.gz`, under the names in their header lines. It knows no quotes.
struct Bitextor(TsvWriter<Output>);

pub fn bitextor(_: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut tsv = TsvWriter::unquoted(out);
    tsv.row(&["src_url", "trg_url", "src_text", "trg_text", "aligner_score"])?;
    Ok(Box::new(Bitextor(tsv)))
}

impl Exporter for Bitextor {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Row::Sentences(line) = row else { return Err(row.refused()) };
        self.0.row(&[&line.a.url, &line.b.url, &line.text_a, &line.text_b, &score(line.score)])
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
