//! Pairs → files for other tools. Adding a format is one file and one line in [`EXPORTERS`].

use std::io::{self, Write};

use crate::types::PairLine;

pub mod bitext;
mod jsonl;
mod tsv;

/// Writes pairs one by one: memory does not grow with the output.
pub trait Exporter {
    /// What stands before the first pair.
    ///
    /// # Errors
    /// When the output does not take it.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;

    /// One pair.
    ///
    /// # Errors
    /// When the output does not take it.
    fn pair(&mut self, pair: &PairLine, out: &mut dyn Write) -> io::Result<()>;
}

/// The score as every listing has it: four digits.
fn score(pair: &PairLine) -> f64 {
    (pair.score * 1e4).round() / 1e4
}

/// Makes an exporter.
pub type Make = fn() -> Box<dyn Exporter>;

/// All formats, by name.
pub const EXPORTERS: &[(&str, Make)] = &[("tsv", || Box::new(tsv::Tsv)), ("jsonl", || Box::new(jsonl::Jsonl))];

/// The exporter of a name.
pub fn exporter(name: &str) -> Option<Box<dyn Exporter>> {
    EXPORTERS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
