//! One JSON object a line; sentence pairs with all that is known of their sources.

use std::io::{self, Write};

use super::exporter::{Exporter, Job, Output, Row, outputs};
use super::objects::object;
use super::rows::json_line;

struct Jsonl(Output);

pub fn make(_: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    Ok(Box::new(Jsonl(out)))
}

impl Exporter for Jsonl {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        json_line(&mut self.0, &object(row).ok_or_else(|| row.refused())?)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
