//! What writes a file: one trait for all formats.

use std::io::{self, Write};

use crate::types::{BitextLine, FetchLine, PairLine};

/// What a file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Pairs of pages.
    Pairs,
    /// Sentence pairs.
    Bitext,
    /// Captures to fetch.
    Fetch,
    /// Pairs of words.
    Lexicon,
}

impl Content {
    /// All of them, by the name they have on the command line.
    pub const ALL: [(&str, Content); 4] = [
        ("pairs", Content::Pairs),
        ("fetch", Content::Fetch),
        ("lexicon", Content::Lexicon),
        ("bitext", Content::Bitext),
    ];
}

/// Writes one [`Content`], row by row: memory does not grow with the output. A format has the functions of what it
/// [holds](super::Format::holds).
pub trait Exporter {
    /// A pair of pages.
    ///
    /// # Errors
    /// When an output does not take it, or the format does not hold it; so with all rows.
    fn pair(&mut self, _: &PairLine) -> io::Result<()> {
        Err(not_held("pairs of pages"))
    }

    /// A sentence pair.
    ///
    /// # Errors
    /// As [`Exporter::pair`].
    fn sentences(&mut self, _: &BitextLine) -> io::Result<()> {
        Err(not_held("sentence pairs"))
    }

    /// A capture to fetch.
    ///
    /// # Errors
    /// As [`Exporter::pair`].
    fn capture(&mut self, _: &FetchLine) -> io::Result<()> {
        Err(not_held("captures"))
    }

    /// A pair of words. The first pair is the two languages, as in every word list.
    ///
    /// # Errors
    /// As [`Exporter::pair`].
    fn words(&mut self, _: [&str; 2]) -> io::Result<()> {
        Err(not_held("words"))
    }

    /// Writes what stands behind the last row, and flushes each output, once.
    ///
    /// # Errors
    /// When an output does not take it.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

fn not_held(rows: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("the format does not hold {rows}"))
}

/// An output.
pub type Output = Box<dyn Write + Send>;

/// The score as every listing has it: four digits.
pub fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// The outputs as an array; a format gets as many as it asked for.
pub(super) fn outputs<const N: usize>(outputs: Vec<Output>) -> io::Result<[Output; N]> {
    outputs.try_into().map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a wrong number of outputs"))
}
