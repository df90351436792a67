//! Tab-separated values with a header line.

use std::io;

use super::exporter::{Content, Exporter, Output, outputs, rounded};
use super::rows::TsvWriter;
use crate::types::{BitextLine, FetchLine, PairLine};

struct Tsv(TsvWriter<Output>);

pub fn make(content: Content, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut tsv = TsvWriter::new(out);
    match content {
        Content::Pairs => tsv.row(&["url_a", "url_b", "lang_a", "lang_b", "score", "method", "key"])?,
        Content::Bitext => {
            tsv.row(&["text_a", "text_b", "lang_a", "lang_b", "score", "url_a", "url_b", "others", "reason"])?;
        }
        Content::Fetch => tsv.row(&["warc_filename", "offset", "length", "url"])?,
        // The two languages are its header.
        Content::Lexicon => {}
    }
    Ok(Box::new(Tsv(tsv)))
}

impl Exporter for Tsv {
    fn pair(&mut self, pair: &PairLine) -> io::Result<()> {
        let (lang_a, lang_b) = (pair.lang_a.as_str(), pair.lang_b.as_str());
        self.0.row(&[&pair.url_a, &pair.url_b, lang_a, lang_b, &score(pair.score), pair.method, &pair.key])
    }

    fn sentences(&mut self, line: &BitextLine) -> io::Result<()> {
        self.0.row(&[
            &line.text_a,
            &line.text_b,
            line.lang_a.as_str(),
            line.lang_b.as_str(),
            &score(line.score),
            &line.a.url,
            &line.b.url,
            &line.others.len().to_string(),
            line.reason.unwrap_or(""),
        ])
    }

    fn capture(&mut self, line: &FetchLine) -> io::Result<()> {
        self.0.row(&[&line.file, &line.offset.to_string(), &line.length.to_string(), &line.url])
    }

    fn words(&mut self, words: [&str; 2]) -> io::Result<()> {
        self.0.row(&words)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}

/// With a point, always: `1.0`.
fn score(score: f64) -> String {
    format!("{:?}", rounded(score))
}
