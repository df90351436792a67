//! Sentence pairs → files for other tools. Adding a format is one file and one line in [`BITEXT_EXPORTERS`].

use std::io::{self, Write};

use crate::types::BitextLine;

mod jsonl;
mod moses;
#[cfg(feature = "parquet")]
mod parquet;
mod tmx;
mod tsv;

/// Writes sentence pairs one by one: memory does not grow with the output.
pub trait BitextExporter {
    /// One sentence pair.
    ///
    /// # Errors
    /// When an output does not take it, or the format cannot hold it.
    fn line(&mut self, line: &BitextLine) -> io::Result<()>;

    /// What stands behind the last one; everything is handed on to the outputs.
    ///
    /// # Errors
    /// When an output does not take it.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// An output.
pub type Output = Box<dyn Write + Send>;

/// How many files a format is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// One.
    One,
    /// One a language, with equal numbers of lines; all pairs must be of the same two languages.
    OneALanguage,
}

/// Makes an exporter that writes to as many outputs as its [`Files`].
///
/// # Errors
/// When an output does not take what stands before the first pair.
pub type MakeBitext = fn(Vec<Output>) -> io::Result<Box<dyn BitextExporter>>;

/// All formats, by name.
pub const BITEXT_EXPORTERS: &[(&str, Files, MakeBitext)] = &[
    ("tsv", Files::One, tsv::make),
    ("jsonl", Files::One, jsonl::make),
    ("tmx", Files::One, tmx::make),
    ("moses", Files::OneALanguage, moses::make),
    #[cfg(feature = "parquet")]
    ("parquet", Files::One, parquet::make),
];

/// The score as every listing has it: four digits.
pub fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// The outputs as an array; a format gets as many as it asked for.
fn outputs<const N: usize>(outputs: Vec<Output>) -> io::Result<[Output; N]> {
    outputs.try_into().map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a wrong number of outputs"))
}

/// Text on one line, without tabs.
fn one_line(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::types::{Lang, Place};

    /// An output one can look at.
    #[derive(Clone, Default)]
    pub struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    pub fn line(text_a: &str, text_b: &str) -> BitextLine {
        let place = |lang: &str| Place {
            url: format!("http://ex.org/{lang}/?a=1&b=2"),
            archive: "crawl.warc.gz".into(),
            offset: 77,
            block: "3:p".into(),
        };
        BitextLine {
            text_a: text_a.into(),
            text_b: text_b.into(),
            lang_a: Lang::EN,
            lang_b: Lang::ZH_HANS,
            score: 0.987_654,
            page_score: 0.5,
            shape: (1, 2),
            reason: None,
            a: place("en"),
            b: place("zh"),
            others: vec![("http://ex.org/en/b".into(), "http://ex.org/zh/b".into())],
        }
    }

    /// The files a format makes of some lines.
    pub fn export(name: &str, lines: &[BitextLine]) -> Vec<Vec<u8>> {
        let (_, files, make) = BITEXT_EXPORTERS.iter().find(|known| known.0 == name).expect("a format");
        let count = if *files == Files::One { 1 } else { 2 };
        let shared: Vec<Shared> = (0..count).map(|_| Shared::default()).collect();
        let outputs = shared.iter().map(|shared| Box::new(shared.clone()) as Output).collect();
        let mut exporter = make(outputs).expect("memory");
        for line in lines {
            exporter.line(line).expect("memory");
        }
        exporter.finish().expect("memory");
        shared.iter().map(|shared| shared.0.lock().expect("no panic").clone()).collect()
    }

    pub fn text(files: &[Vec<u8>]) -> String {
        String::from_utf8(files[0].clone()).expect("UTF-8")
    }

    #[test]
    fn every_format_takes_any_number_of_pairs() {
        for (name, files, _) in BITEXT_EXPORTERS {
            let count = if *files == Files::One { 1 } else { 2 };
            assert_eq!(export(name, &[]).len(), count);
            let lines = vec![line("a <b> & \"c\"\u{1}", "d\te"); 3];
            assert!(export(name, &lines).iter().all(|file| !file.is_empty()), "{name}");
        }
    }

    #[test]
    fn tsv_has_nine_columns_whatever_the_texts_hold() {
        let text = text(&export("tsv", &[line("a\tb", "c\nd")]));
        let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split('\t').collect()).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0][..7], ["text_a", "text_b", "lang_a", "lang_b", "score", "url_a", "url_b"]);
        assert_eq!(rows[1][..5], ["a b", "c d", "en", "zh-Hans", "0.9877"]);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    }

    #[test]
    fn jsonl_tells_where_a_pair_comes_from() {
        let text = text(&export("jsonl", &[line("a", "b")]));
        let object: serde_json::Value = serde_json::from_str(text.trim_end()).expect("JSON");
        assert_eq!(object["source_a"]["offset"], 77);
        assert_eq!(object["source_a"]["block"], "3:p");
        assert_eq!(object["others"][0][1], "http://ex.org/zh/b");
    }

    #[test]
    fn moses_files_have_equal_numbers_of_lines() {
        let files = export("moses", &[line("a\nb", "c"), line("d", "e\r\nf")]);
        assert_eq!(files, [b"a b\nd\n".to_vec(), b"c\ne  f\n".to_vec()]);
    }
}
