//! One JSON object a line, with everything that is known of where a pair comes from.

use std::io::{self, Write};

use super::{BitextExporter, Output, outputs, rounded};
use crate::types::{BitextLine, Place};

struct Jsonl(Output);

#[derive(serde::Serialize)]
struct Line<'l> {
    text_a: &'l str,
    text_b: &'l str,
    lang_a: &'l str,
    lang_b: &'l str,
    score: f64,
    url_a: &'l str,
    url_b: &'l str,
    page_score: f64,
    sentences: (u32, u32),
    source_a: Source<'l>,
    source_b: Source<'l>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    others: &'l [(String, String)],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'l str>,
}

#[derive(serde::Serialize)]
struct Source<'l> {
    archive: &'l str,
    offset: u64,
    block: &'l str,
}

pub fn make(given: Vec<Output>) -> io::Result<Box<dyn BitextExporter>> {
    let [out] = outputs(given)?;
    Ok(Box::new(Jsonl(out)))
}

impl BitextExporter for Jsonl {
    fn line(&mut self, line: &BitextLine) -> io::Result<()> {
        fn source(place: &Place) -> Source<'_> {
            Source { archive: &place.archive, offset: place.offset, block: &place.block }
        }
        let object = Line {
            text_a: &line.text_a,
            text_b: &line.text_b,
            lang_a: line.lang_a.as_str(),
            lang_b: line.lang_b.as_str(),
            score: rounded(line.score),
            url_a: &line.a.url,
            url_b: &line.b.url,
            page_score: rounded(line.page_score),
            sentences: line.shape,
            source_a: source(&line.a),
            source_b: source(&line.b),
            others: &line.others,
            reason: line.reason,
        };
        serde_json::to_writer(&mut self.0, &object)?;
        self.0.write_all(b"\n")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
