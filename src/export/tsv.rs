//! Tab-separated values with a header line; also in the columns of Bitextor.

use std::borrow::Cow;
use std::io;

use super::cells::{cells, columns, score};
use super::exporter::{Exporter, Extra, Job, Output, Row, outputs};
use super::rows::{TsvWriter, printable};
use crate::types::Place;

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

/// The columns of Bitextor under the names in its header lines: those that it always writes to `.raw.gz` and `.sent.gz`, and those of
/// `paragraphIdentification` and `elrc`. Bitextor does not interpret quotes.
struct Bitextor(TsvWriter<Output>);

const BITEXTOR: [&str; 10] = [
    "src_url",
    "trg_url",
    "src_text",
    "trg_text",
    "aligner_score",
    "src_paragraph_id",
    "trg_paragraph_id",
    "length_ratio",
    "src_num_tokens",
    "trg_num_tokens",
];

pub fn bitextor(_: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut tsv = TsvWriter::unquoted(out);
    tsv.row(&BITEXTOR)?;
    Ok(Box::new(Bitextor(tsv)))
}

/// A paragraph and a sentence in it, counted from 1, each with how many there are: `p3:17s1/2`.
fn paragraph_id(place: &Place) -> String {
    match (place.paragraph, place.sentence, place.totals) {
        (Some(paragraph), Some(sentence), Some((paragraphs, sentences))) => {
            format!("p{}:{paragraphs}s{}/{sentences}", paragraph + 1, sentence + 1)
        }
        // Bitextor writes this where it knows nothing.
        _ => "p-1:-1s-1/-1".into(),
    }
}

impl Exporter for Bitextor {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Row::Sentences(line) = row else { return Err(row.refused()) };
        let (source, target) = (printable(&line.text_a), printable(&line.text_b));
        let [from, to] = [&source, &target].map(|text| text.chars().count());
        let ratio = if to == 0 { "0".into() } else { format!("{:?}", from as f64 / to as f64) };
        // Bitextor counts the texts between spaces as tokens.
        let tokens = |text: &str| text.split(' ').count().to_string();
        self.0.row(&[
            &line.a.url,
            &line.b.url,
            &source,
            &target,
            &score(line.score),
            &paragraph_id(&line.a),
            &paragraph_id(&line.b),
            &ratio,
            &tokens(&source),
            &tokens(&target),
        ])
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
