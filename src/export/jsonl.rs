//! One JSON object a line; sentence pairs with everything that is known of where they come from.

use std::io::{self, Write};

use super::exporter::{Content, Exporter, Output, outputs, rounded};
use super::rows::json_line;
use crate::types::{BitextLine, FetchLine, PairLine, Place};

struct Jsonl(Output);

#[derive(serde::Serialize)]
struct PairObject<'l> {
    url_a: &'l str,
    url_b: &'l str,
    lang_a: &'l str,
    lang_b: &'l str,
    score: f64,
    method: &'l str,
    key: &'l str,
}

#[derive(serde::Serialize)]
struct SentencesObject<'l> {
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

#[derive(serde::Serialize)]
struct CaptureObject<'l> {
    warc_filename: &'l str,
    offset: u64,
    length: u64,
    url: &'l str,
}

pub fn make(_: Content, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    Ok(Box::new(Jsonl(out)))
}

impl Exporter for Jsonl {
    fn pair(&mut self, pair: &PairLine) -> io::Result<()> {
        let object = PairObject {
            url_a: &pair.url_a,
            url_b: &pair.url_b,
            lang_a: pair.lang_a.as_str(),
            lang_b: pair.lang_b.as_str(),
            score: rounded(pair.score),
            method: pair.method,
            key: &pair.key,
        };
        json_line(&mut self.0, &object)
    }

    fn sentences(&mut self, line: &BitextLine) -> io::Result<()> {
        fn source(place: &Place) -> Source<'_> {
            Source { archive: &place.archive, offset: place.offset, block: &place.block }
        }
        let object = SentencesObject {
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
        json_line(&mut self.0, &object)
    }

    fn capture(&mut self, line: &FetchLine) -> io::Result<()> {
        let FetchLine { file, offset, length, url } = line;
        json_line(&mut self.0, &CaptureObject { warc_filename: file, offset: *offset, length: *length, url })
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
