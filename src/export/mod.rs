//! Pairs, sentence pairs and what follows from them → files for other tools. Adding a format is one file and one line in
//! [`EXPORTERS`].

use std::io;

mod exporter;
mod jsonl;
mod moses;
#[cfg(feature = "parquet")]
mod parquet;
pub mod rows;
mod tmx;
mod tsv;

pub use exporter::{Content, Exporter, Output, rounded};

/// How many files a format is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// One.
    One,
    /// One a language, with equal numbers of lines; all pairs must be of the same two languages.
    OneALanguage,
}

/// A file format.
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// What it can be asked to hold, the usual first.
    pub holds: &'static [Content],
    /// How many outputs [`Format::make`] wants.
    pub files: Files,
    /// Makes an exporter, and writes what stands before the first row.
    ///
    /// # Errors
    /// When an output does not take it.
    pub make: Make,
}

/// How an exporter is made.
pub type Make = fn(Content, Vec<Output>) -> io::Result<Box<dyn Exporter>>;

/// All formats.
pub const EXPORTERS: &[Format] = {
    use Content::{Bitext, Fetch, Lexicon, Pairs};
    &[
        Format { name: "tsv", holds: &[Pairs, Fetch, Lexicon, Bitext], files: Files::One, make: tsv::make },
        Format { name: "jsonl", holds: &[Pairs, Fetch, Bitext], files: Files::One, make: jsonl::make },
        Format { name: "tmx", holds: &[Bitext], files: Files::One, make: tmx::make },
        Format { name: "moses", holds: &[Bitext], files: Files::OneALanguage, make: moses::make },
        #[cfg(feature = "parquet")]
        Format { name: "parquet", holds: &[Bitext], files: Files::One, make: parquet::make },
    ]
};

/// The format of a name.
pub fn format(name: &str) -> Option<&'static Format> {
    EXPORTERS.iter().find(|format| format.name == name)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::types::{BitextLine, FetchLine, Lang, PairLine, Place};

    /// An output one can look at.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

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

    /// The files a format makes of what `write` gives it.
    fn files_of(
        format: &Format,
        content: Content,
        write: impl Fn(&mut dyn Exporter) -> io::Result<()>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let count = if format.files == Files::One { 1 } else { 2 };
        let shared: Vec<Shared> = (0..count).map(|_| Shared::default()).collect();
        let outputs = shared.iter().map(|shared| Box::new(shared.clone()) as Output).collect();
        let mut exporter = (format.make)(content, outputs)?;
        write(exporter.as_mut())?;
        exporter.finish()?;
        Ok(shared.iter().map(|shared| shared.0.lock().expect("no panic").clone()).collect())
    }

    /// The files a format makes of some lines.
    pub fn export(name: &str, lines: &[BitextLine]) -> Vec<Vec<u8>> {
        let write = |exporter: &mut dyn Exporter| lines.iter().try_for_each(|line| exporter.sentences(line));
        files_of(format(name).expect("a format"), Content::Bitext, write).expect("memory")
    }

    pub fn text(files: &[Vec<u8>]) -> String {
        String::from_utf8(files[0].clone()).expect("UTF-8")
    }

    /// Writes one row of some content.
    fn row(exporter: &mut dyn Exporter, content: Content) -> io::Result<()> {
        match content {
            Content::Pairs => exporter.pair(&PairLine {
                url_a: "http://ex.org/en/".into(),
                url_b: "http://ex.org/fr/".into(),
                lang_a: Lang::EN,
                lang_b: Lang::ZH_HANS,
                score: 1.0,
                method: "key",
                key: "path:en:fr".into(),
            }),
            Content::Bitext => exporter.sentences(&line("one", "two")),
            Content::Fetch => {
                let (file, url) = ("a\tb.warc.gz".into(), "http://ex.org/".into());
                exporter.capture(&FetchLine { file, offset: 7, length: 8, url })
            }
            Content::Lexicon => exporter.words(["house", "maison"]),
        }
    }

    #[test]
    fn a_format_takes_what_it_says_it_holds_and_nothing_else() {
        for format in EXPORTERS {
            for (name, content) in Content::ALL {
                let taken = files_of(format, content, |exporter| row(exporter, content));
                assert_eq!(taken.is_ok(), format.holds.contains(&content), "{} {name}", format.name);
            }
        }
    }

    #[test]
    fn captures_are_written_in_the_same_columns_by_both_formats() {
        let write = |name: &str| {
            let format = format(name).expect("a format");
            text(&files_of(format, Content::Fetch, |exporter| row(exporter, Content::Fetch)).expect("memory"))
        };
        assert_eq!(write("tsv"), "warc_filename\toffset\tlength\turl\na b.warc.gz\t7\t8\thttp://ex.org/\n");
        let json = r#"{"warc_filename":"a\tb.warc.gz","offset":7,"length":8,"url":"http://ex.org/"}"#;
        assert_eq!(write("jsonl"), format!("{json}\n"));
    }

    #[test]
    fn every_format_takes_any_number_of_pairs() {
        for &Format { name, files, .. } in EXPORTERS {
            let count = if files == Files::One { 1 } else { 2 };
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
