//! Two plain text files with a sentence a line; lines of the same number are translations. Moses and most training programs read this.

use std::io::{self, Write};

use super::exporter::{Exporter, Job, Output, Row, outputs};
use super::rows::one_line;

struct Moses([Output; 2]);

pub fn make(_: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    Ok(Box::new(Moses(outputs(given)?)))
}

impl Exporter for Moses {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Row::Sentences(line) = row else { return Err(row.refused()) };
        writeln!(self.0[0], "{}", one_line(&line.text_a))?;
        writeln!(self.0[1], "{}", one_line(&line.text_b))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.iter_mut().try_for_each(Write::flush)
    }
}
