//! One JSON object a line.

use std::io::{self, Write};

use super::Exporter;
use crate::types::PairLine;

pub struct Jsonl;

#[derive(serde::Serialize)]
struct Line<'l> {
    url_a: &'l str,
    url_b: &'l str,
    lang_a: &'l str,
    lang_b: &'l str,
    score: f64,
    method: &'l str,
    key: &'l str,
}

impl Exporter for Jsonl {
    fn begin(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn pair(&mut self, pair: &PairLine, out: &mut dyn Write) -> io::Result<()> {
        let line = Line {
            url_a: &pair.url_a,
            url_b: &pair.url_b,
            lang_a: pair.lang_a.as_str(),
            lang_b: pair.lang_b.as_str(),
            score: super::score(pair),
            method: pair.method,
            key: &pair.key,
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")
    }
}
