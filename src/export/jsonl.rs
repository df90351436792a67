//! One JSON object a line, with all columns.

use std::io::{self, Write};

use super::columns::{values, written};
use super::exporter::{Exporter, Extra, Job, Output, Row, outputs};
use super::rows::{Columns, json_line};

struct Jsonl {
    out: Output,
    names: Vec<&'static str>,
    extra: Extra,
}

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let names = written(job).into_iter().map(|(name, _)| name).collect();
    Ok(Box::new(Jsonl { out, names, extra: job.extra }))
}

impl Exporter for Jsonl {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let values = values(row, self.extra).ok_or_else(|| row.refused())?;
        json_line(&mut self.out, &Columns(&self.names, &values))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}
