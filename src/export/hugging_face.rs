//! Rows with one field, `translation`, that has a text for each of two languages, as in Hugging Face `datasets`.

use std::io::{self, Write};

use super::exporter::{Exporter, Job, Output, Row, outputs, sides};
use super::rows::{Columns, json_line};

/// The names of the two sides.
pub(super) fn langs(job: &Job) -> io::Result<[String; 2]> {
    let problem = || io::Error::new(io::ErrorKind::InvalidInput, "the format is of two languages");
    job.langs.map(sides).ok_or_else(problem)
}

/// The text in a file's schema that tells `datasets` that its column is a translation between two languages.
#[cfg(feature = "parquet")]
pub(super) fn features(langs: &[String; 2]) -> String {
    let translation = serde_json::json!({ "languages": langs, "_type": "Translation" });
    serde_json::json!({ "info": { "features": { "translation": translation } } }).to_string()
}

struct Lines {
    out: Output,
    langs: [String; 2],
}

pub fn jsonl(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    Ok(Box::new(Lines { out, langs: langs(job)? }))
}

impl Exporter for Lines {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Row::Sentences(line) = row else { return Err(row.refused()) };
        let langs = [self.langs[0].as_str(), self.langs[1].as_str()];
        let texts = [line.text_a.as_str(), line.text_b.as_str()];
        json_line(&mut self.out, &Columns(&["translation"], &[Columns(&langs, &texts)]))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}
