//! Tab-separated values with a header line.

use std::io::{self, Write};

use super::Exporter;
use crate::types::PairLine;

pub struct Tsv;

impl Exporter for Tsv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "url_a\turl_b\tlang_a\tlang_b\tscore\tmethod\tkey")
    }

    fn pair(&mut self, pair: &PairLine, out: &mut dyn Write) -> io::Result<()> {
        // Addresses are percent-encoded and patterns made of them: no field holds a tab.
        let PairLine { url_a, url_b, lang_a, lang_b, method, key, .. } = pair;
        let score = super::score(pair);
        writeln!(out, "{url_a}\t{url_b}\t{lang_a}\t{lang_b}\t{score:?}\t{method}\t{key}")
    }
}
