//! Tab-separated values with a header line.

use std::io::{self, Write};

use super::{BitextExporter, Output, one_line, outputs, rounded};
use crate::types::BitextLine;

struct Tsv(Output);

pub fn make(given: Vec<Output>) -> io::Result<Box<dyn BitextExporter>> {
    let [mut out] = outputs(given)?;
    writeln!(out, "text_a\ttext_b\tlang_a\tlang_b\tscore\turl_a\turl_b\tothers\treason")?;
    Ok(Box::new(Tsv(out)))
}

impl BitextExporter for Tsv {
    fn line(&mut self, line: &BitextLine) -> io::Result<()> {
        let (a, b) = (one_line(&line.text_a), one_line(&line.text_b));
        let BitextLine { lang_a, lang_b, others, .. } = line;
        let (score, reason) = (rounded(line.score), line.reason.unwrap_or(""));
        let (url_a, url_b, others) = (&line.a.url, &line.b.url, others.len());
        writeln!(self.0, "{a}\t{b}\t{lang_a}\t{lang_b}\t{score:?}\t{url_a}\t{url_b}\t{others}\t{reason}")
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}
