//! Writes pairs, sentence pairs, pages and content derived from them to files for other tools. Adding a format takes one file and one line
//! in [`EXPORTERS`].
//!
//! A [`Row`] belongs to one [`Content`]. `columns.rs` has the columns of each content and the values of a row; `cells.rs` turns these into
//! a line of a table, and `batches.rs` into Arrow. `condition.rs` selects rows by their columns, and `mark.rs` recognizes rows that were
//! exported before.

use std::io;
use std::path::Path;

#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "parquet")]
mod as_json;
#[cfg(feature = "parquet")]
mod batches;
mod cells;
mod columns;
mod condition;
mod csv;
mod exporter;
#[cfg(feature = "parquet")]
mod filled;
mod hugging_face;
mod jsonl;
pub mod mark;
mod moses;
#[cfg(feature = "parquet")]
mod parquet;
pub mod rows;
mod split;
mod take_down;
mod tbx;
mod tmx;
mod tsv;
mod warc;
mod xces;
mod xml;

#[cfg(feature = "parquet")]
pub use self::as_json::objects;
pub use self::csv::text as safe_cell;
pub use crate::files::sync_folder;
pub use condition::{ColumnKind, Condition};
pub use exporter::{Compression, Content, Exporter, Extra, Job, Output, Row, rounded, sides};
pub use split::Split;
pub use take_down::TakeDown;

/// How many files a format consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// One, of any languages.
    One,
    /// One; all pairs must be of the same two languages.
    OfTwo,
    /// One output for two languages, and documents beside it, in a folder.
    Documents,
    /// One output for each language, with equal numbers of lines; all pairs must be of the same two languages.
    OneALanguage,
}

/// The kind of bytes that a format writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// Text, which is compressed if the file's name asks for it.
    Text,
    /// Binary data, which is compressed like text.
    Binary,
    /// Binary data that is compressed by the format itself.
    Packed,
    /// Binary data, compressed record by record if the file's name asks for gzip.
    Members,
}

/// A file format.
pub struct Format {
    /// The name on the command line. Formats with the same name differ in the endings of their files.
    pub name: &'static str,
    /// Endings of its file names, without endings of compression.
    pub endings: &'static [&'static str],
    /// Contents that it can hold, the default first.
    pub holds: &'static [Content],
    /// How many outputs [`Format::make`] needs, and for how many languages.
    pub files: Files,
    /// How its output is written and compressed.
    pub bytes: Bytes,
    /// Makes an exporter, and writes what comes before the first row.
    ///
    /// # Errors
    /// When an output does not take it.
    pub make: Make,
}

impl Format {
    /// True where the format says how many paragraphs pages have, and how many sentences these have.
    pub fn has_totals(&self) -> bool {
        self.name == "bitextor"
    }

    /// True where the format writes all columns of a content, as formats do that can hold any content with columns.
    pub fn has_columns(&self) -> bool {
        self.holds.contains(&Content::Pairs)
    }
}

/// A function that makes an exporter.
pub type Make = fn(&Job, Vec<Output>) -> io::Result<Box<dyn Exporter>>;

/// All formats. The default for a content is the first one that can hold it.
#[rustfmt::skip]
pub const EXPORTERS: &[Format] = {
    use Content::{Bitext, Documents, Fetch, Languages, Lexicon, Pages, Pairs, Rebuild, Units, Warc};
    const CELLS: &[Content] = &[Pairs, Fetch, Lexicon, Languages, Bitext];
    const OBJECTS: &[Content] = &[Pairs, Fetch, Bitext, Rebuild, Documents, Units, Pages, Languages];
    #[cfg(feature = "parquet")]
    const COLUMNS: &[Content] = &[Bitext, Pairs, Fetch, Documents, Units, Pages, Languages];
    &[
        Format { name: "tsv", endings: &["tsv", "tab"], holds: CELLS, files: Files::One, bytes: Bytes::Text, make: tsv::make },
        Format { name: "csv", endings: &["csv"], holds: CELLS, files: Files::One, bytes: Bytes::Text, make: csv::make },
        Format { name: "jsonl", endings: &["jsonl", "ndjson"], holds: OBJECTS, files: Files::One, bytes: Bytes::Text, make: jsonl::make },
        Format { name: "tmx", endings: &["tmx"], holds: &[Bitext, Units], files: Files::One, bytes: Bytes::Text, make: tmx::make },
        Format { name: "moses", endings: &[], holds: &[Bitext], files: Files::OneALanguage, bytes: Bytes::Text, make: moses::make },
        Format { name: "xces", endings: &[], holds: &[Bitext], files: Files::Documents, bytes: Bytes::Text, make: xces::make },
        Format { name: "tbx", endings: &["tbx"], holds: &[Lexicon], files: Files::One, bytes: Bytes::Text, make: tbx::make },
        Format { name: "bitextor", endings: &["tsv", "tab"], holds: &[Bitext], files: Files::OfTwo, bytes: Bytes::Text, make: tsv::bitextor },
        Format { name: "hf", endings: &["jsonl", "ndjson"], holds: &[Bitext], files: Files::OfTwo, bytes: Bytes::Text, make: hugging_face::jsonl },
        #[cfg(feature = "parquet")]
        Format { name: "parquet", endings: &["parquet"], holds: COLUMNS, files: Files::One, bytes: Bytes::Packed, make: parquet::make },
        #[cfg(feature = "parquet")]
        Format { name: "hf", endings: &["parquet"], holds: &[Bitext], files: Files::OfTwo, bytes: Bytes::Packed, make: parquet::translations },
        #[cfg(feature = "parquet")]
        Format { name: "arrow", endings: &["arrows"], holds: COLUMNS, files: Files::One, bytes: Bytes::Binary, make: arrow::stream },
        #[cfg(feature = "parquet")]
        Format { name: "arrow", endings: &["arrow", "feather"], holds: COLUMNS, files: Files::One, bytes: Bytes::Binary, make: arrow::file },
        Format { name: "warc", endings: &["warc"], holds: &[Warc], files: Files::One, bytes: Bytes::Members, make: warc::make },
    ]
};

/// Finds the requested format.
///
/// `name` is the value of `--format`, `file` the file's name without an ending of compression. Without a name, the ending of the file
/// decides; without an ending, the content.
///
/// # Errors
/// A sentence, without its full stop, on what contradicts what, or on an ending that no format has.
pub fn format(
    content: Option<Content>,
    name: Option<&str>,
    file: Option<&str>,
) -> Result<(Content, &'static Format), String> {
    let holds = |format: &&'static Format| content.is_none_or(|content| format.holds.contains(&content));
    let named = |format: &&'static Format| name.is_none_or(|name| format.name == name);
    let candidates: Vec<&Format> = EXPORTERS.iter().filter(named).filter(holds).collect();
    let (Some(&usual), what) = (candidates.first(), content.map_or("pairs", Content::name)) else {
        let name = name.unwrap_or_default();
        let names = distinct(EXPORTERS.iter().filter(holds).map(|format| format.name.to_owned()));
        return Err(format!("--format is {name}, expected one of {names}{}", about_json(name)));
    };
    let ending = file.and_then(|file| Path::new(file).extension()?.to_str()).map(str::to_ascii_lowercase);
    let Some(ending) = ending else { return Ok((content.unwrap_or(usual.holds[0]), usual)) };
    if cfg!(not(feature = "parquet")) && ["parquet", "arrow", "arrows", "feather"].contains(&ending.as_str()) {
        return Err(format!(".{ending} needs the build feature parquet"));
    }
    let has_ending = |format: &&&Format| format.endings.contains(&ending.as_str());
    let endings = || distinct(candidates.iter().flat_map(|format| format.endings).map(|ending| format!(".{ending}")));
    let is_known = EXPORTERS.iter().any(|format| has_ending(&&format));
    let found = match (candidates.iter().find(has_ending), name) {
        (Some(format), _) => format,
        (None, Some(name)) if is_known && usual.endings.is_empty() => {
            return Err(format!("--format {name} makes no .{ending} file; leave the ending out"));
        }
        (None, Some(name)) if is_known => {
            return Err(format!("--format {name} makes no .{ending} file; expected {}", endings()));
        }
        (None, Some(_)) => usual,
        (None, None) if is_known => {
            return Err(format!("a .{ending} file does not hold --what {what}; expected {}", endings()));
        }
        (None, None) => {
            let known = endings();
            return Err(format!(
                "the ending .{ending} says no format; expected {known}, or --format{}",
                about_json(&ending)
            ));
        }
    };
    Ok((content.unwrap_or(found.holds[0]), found))
}

/// The names in order, each once.
fn distinct(names: impl Iterator<Item = String>) -> String {
    let mut met: Vec<String> = Vec::new();
    for name in names {
        if !met.contains(&name) {
            met.push(name);
        }
    }
    met.join(", ")
}

/// Advice for users who ask for JSON, which is a single array in listings.
fn about_json(asked: &str) -> &'static str {
    if asked == "json" {
        "; jsonl is an object a line, one array is what listings print with --format json"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::types::{
        AlignedSentences, BitextLine, BlockKind, CopiedRecord, DocumentLine, FetchLine, Lang, LanguageLine, OptOuts,
        PageLine, PairLine, Place, Provenance, SentencePlace, Signals, Told, Translated, TranslationMark, UnitLine,
        UnitPair, UnitText,
    };

    /// An output whose bytes can be inspected.
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
            kind: Some(BlockKind::Paragraph),
            paragraph: Some(3),
            sentence: Some(0),
            count: if lang == "en" { 1 } else { 2 },
            provenance: provenance(),
            span: (0, 3),
            page: 0xabc,
            totals: None,
        };
        BitextLine {
            text_a: text_a.into(),
            text_b: text_b.into(),
            lang_a: Lang::EN,
            lang_b: Lang::ZH_HANS,
            score: 0.987_654,
            page_score: 0.5,
            reason: None,
            a: place("en"),
            b: place("zh"),
            others: vec![("http://ex.org/en/b".into(), "http://ex.org/zh/b".into())],
            page_pairs: Some(2),
            is_furniture: false,
            targets: Some(3),
            sources: Some(1),
            told: <[Told; 2]>::default(),
            scorer: Some(0.25),
            joint: None,
        }
    }

    fn provenance() -> Provenance {
        let translated = Some(Translated { mark: TranslationMark::Weglot, from: Lang::ZH_HANS });
        let license = "https://creativecommons.org/licenses/by/4.0/".to_owned();
        Provenance {
            signals: Signals { translated, opt_outs: OptOuts::NO_AI, license },
            record_id: "<urn:uuid:9fd4b2ed-3bd6-4b02-96f5-e83e6fa3d1b5>".into(),
            payload_digest: String::new(),
        }
    }

    /// The files that a format makes of the rows that `write` gives it.
    fn files_of(
        format: &Format,
        content: Content,
        write: impl Fn(&mut dyn Exporter) -> io::Result<()>,
    ) -> io::Result<Vec<Vec<u8>>> {
        named_files_of(format, "x", content, write)
    }

    /// The same, for a file with a name.
    fn named_files_of(
        format: &Format,
        file: &str,
        content: Content,
        write: impl Fn(&mut dyn Exporter) -> io::Result<()>,
    ) -> io::Result<Vec<Vec<u8>>> {
        let count = if format.files == Files::OneALanguage { 2 } else { 1 };
        let shared: Vec<Shared> = (0..count).map(|_| Shared::default()).collect();
        let outputs = shared.iter().map(|shared| Box::new(shared.clone()) as Output).collect();
        let job = Job {
            content,
            langs: Some([Lang::EN, Lang::ZH_HANS]),
            extra: Extra { detects: true, records: true },
            compression: if file.ends_with(".gz") { Compression::Gzip } else { Compression::default() },
            now: jiff::Timestamp::from_second(1_714_979_289).expect("a date"),
        };
        let mut exporter = (format.make)(&job, outputs)?;
        write(exporter.as_mut())?;
        exporter.finish()?;
        Ok(shared.iter().map(|shared| shared.0.lock().expect("no panic").clone()).collect())
    }

    /// The files a format makes of some lines.
    pub fn export(name: &str, lines: &[BitextLine]) -> Vec<Vec<u8>> {
        export_as(name, "x", lines)
    }

    /// The same, where the file's name says more.
    pub fn export_as(name: &str, file: &str, lines: &[BitextLine]) -> Vec<Vec<u8>> {
        let write = |exporter: &mut dyn Exporter| lines.iter().try_for_each(|line| exporter.row(Row::Sentences(line)));
        let (_, format) = format(Some(Content::Bitext), Some(name), Some(file)).expect("a format");
        files_of(format, Content::Bitext, write).expect("memory")
    }

    /// What a format makes of pairs of words, of which the first are languages.
    pub fn words(name: &str, words: &[[&str; 2]]) -> String {
        let (_, format) = format(Some(Content::Lexicon), Some(name), None).expect("a format");
        let write = |exporter: &mut dyn Exporter| words.iter().try_for_each(|words| exporter.row(Row::Words(*words)));
        text(&files_of(format, Content::Lexicon, write).expect("memory"))
    }

    pub fn text(files: &[Vec<u8>]) -> String {
        String::from_utf8(files[0].clone()).expect("UTF-8")
    }

    pub fn pair() -> PairLine {
        PairLine {
            url_a: "http://ex.org/en/".into(),
            url_b: "http://ex.org/fr/".into(),
            lang_a: Lang::EN,
            lang_b: Lang::ZH_HANS,
            score: 1.0,
            method: "key",
            key: "path:en:fr".into(),
            scorer: None,
            provenance: [provenance(), Provenance::default()],
        }
    }

    fn page(lang: Lang) -> PageLine {
        let text = "Title\nOne. Two.".to_owned();
        let (url, archive) = (format!("http://ex.org/{lang}/"), "a.warc".to_owned());
        let (title, tags) = ("Title".to_owned(), vec!["h1", "p"]);
        PageLine {
            url,
            lang,
            title,
            text,
            tags,
            date_ms: Some(1_714_979_289_000),
            archive,
            offset: 7,
            provenance: provenance(),
        }
    }

    fn document() -> DocumentLine {
        let place = |text: &str| Some(SentencePlace { text: text.into(), paragraph: 1, sentence: 0, count: 1 });
        let sentences = vec![
            AlignedSentences { a: place("One."), b: place("一"), score: 0.9, reason: None },
            AlignedSentences { a: place("Two."), b: None, score: 0.0, reason: Some("no counterpart") },
        ];
        DocumentLine { pair: pair(), page_score: 0.5, a: page(Lang::EN), b: page(Lang::ZH_HANS), sentences }
    }

    fn unit() -> UnitLine {
        let sentences = line("one <b>", "一");
        let text = |lang: &str, text: &str, place: &Place| {
            let lang = Lang::parse(lang).expect("a tag");
            UnitText { lang, text: text.into(), place: place.clone() }
        };
        let pair = |score| UnitPair { lang_a: Lang::EN, lang_b: Lang::ZH_HANS, score };
        UnitLine {
            id: 0xabc,
            document: 1,
            langs: "en,fr,zh-Hans".into(),
            score: 0.876_543,
            contradictions: 2,
            is_repeated: false,
            texts: vec![
                text("en", "one <b>", &sentences.a),
                text("fr", "un", &sentences.a),
                text("zh-Hans", "一", &sentences.b),
            ],
            pairs: vec![pair(0.9), pair(0.5)],
        }
    }

    /// Writes one row of some content.
    fn row(exporter: &mut dyn Exporter, content: Content) -> io::Result<()> {
        match content {
            Content::Pairs => exporter.row(Row::Pair(&pair())),
            Content::Bitext => exporter.row(Row::Sentences(&line("one", "two"))),
            Content::Rebuild => exporter.row(Row::Rebuild(&line("one", "two"))),
            Content::Documents => exporter.row(Row::Document(&document())),
            Content::Units => exporter.row(Row::Unit(&unit())),
            Content::Pages => exporter.row(Row::Page(&page(Lang::EN))),
            Content::Warc => {
                let (record, member) = (b"a record".to_vec(), Some(b"a member".to_vec()));
                exporter.row(Row::Record(&CopiedRecord { url: String::new(), record, member }))
            }
            Content::Fetch => {
                let (file, url) = ("a\tb.warc.gz".into(), "http://ex.org/".into());
                exporter.row(Row::Capture(&FetchLine { file, offset: 7, length: 8, url }))
            }
            Content::Lexicon => exporter.row(Row::Words(["house", "maison"])),
            Content::Languages => {
                let line = LanguageLine { lang: Lang::EN, domains: 2, letters: "1 0 2".into() };
                exporter.row(Row::Language(&line))
            }
        }
    }

    /// The file of a format that holds one row of some content.
    pub fn one_row(name: &str, file: &str, content: Content) -> Vec<u8> {
        let (_, format) = format(Some(content), Some(name), Some(file.trim_end_matches(".gz"))).expect("a format");
        named_files_of(format, file, content, |exporter| row(exporter, content)).expect("memory").remove(0)
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
        let write = |name: &str| text(&[one_row(name, "x", Content::Fetch)]);
        assert_eq!(write("tsv"), "warc_filename\toffset\tlength\turl\na b.warc.gz\t7\t8\thttp://ex.org/\n");
        let json = r#"{"warc_filename":"a\tb.warc.gz","offset":7,"length":8,"url":"http://ex.org/"}"#;
        assert_eq!(write("jsonl"), format!("{json}\n"));
    }

    #[test]
    fn every_format_takes_any_number_of_pairs() {
        for format in EXPORTERS.iter().filter(|format| format.holds.contains(&Content::Bitext)) {
            let count = if format.files == Files::OneALanguage { 2 } else { 1 };
            let write = |lines: &[BitextLine]| {
                let write =
                    |exporter: &mut dyn Exporter| lines.iter().try_for_each(|line| exporter.row(Row::Sentences(line)));
                files_of(format, Content::Bitext, write).expect("memory")
            };
            assert_eq!(write(&[]).len(), count);
            let lines = vec![line("a <b> & \"c\"\u{1}", "d\te"); 3];
            assert!(write(&lines).iter().all(|file| !file.is_empty()), "{}", format.name);
        }
    }

    #[test]
    fn tsv_has_its_columns_whatever_the_texts_hold() {
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
        assert_eq!((&object["offset_a"], &object["block_a"]), (&77.into(), &"3:p".into()));
        assert_eq!((&object["others"], &object["also"][0]["url_b"]), (&1.into(), &"http://ex.org/zh/b".into()));
    }

    #[test]
    fn a_list_to_rebuild_from_has_no_text_and_all_else() {
        let object =
            |content| -> serde_json::Value { serde_json::from_slice(&one_row("jsonl", "x", content)).expect("JSON") };
        let (bitext, list) = (object(Content::Bitext), object(Content::Rebuild));
        assert!(!list.to_string().contains("\"one\"") && !list.to_string().contains("\"two\""), "{list}");
        for (name, value) in bitext.as_object().expect("an object") {
            let is_of_texts =
                ["text_", "chars_", "near_", "detected_", "email", "phone"].iter().any(|of| name.starts_with(of));
            assert!(if is_of_texts { list.get(name).is_none() } else { &list[name] == value }, "{name}");
        }
        assert_eq!((&list["end_b"], &list["page_a"]), (&3.into(), &"0000000000000abc".into()));
    }

    #[test]
    fn moses_files_have_equal_numbers_of_lines() {
        let files = export("moses", &[line("a\nb", "c"), line("d", "e\r\nf")]);
        assert_eq!(files, [b"a b\nd\n".to_vec(), b"c\ne  f\n".to_vec()]);
    }

    #[test]
    fn the_ending_of_a_file_says_the_format_and_an_option_must_agree() {
        let name = |content, name, file| format(content, name, file).map(|(content, format)| (content, format.name));
        let bitext = Some(Content::Bitext);
        assert_eq!(name(None, None, None), Ok((Content::Pairs, "tsv")));
        assert_eq!(name(None, None, Some("y.TMX")), Ok((Content::Bitext, "tmx")));
        assert_eq!(name(bitext, None, Some("y.csv")), Ok((Content::Bitext, "csv")));
        assert_eq!(name(bitext, None, Some("a.b/y")), Ok((Content::Bitext, "tsv")));
        assert_eq!(name(Some(Content::Documents), None, None), Ok((Content::Documents, "jsonl")));
        assert_eq!(name(None, Some("hf"), Some("y.jsonl")), Ok((Content::Bitext, "hf")));
        assert_eq!(name(None, Some("moses"), Some("y.en")), Ok((Content::Bitext, "moses")));
        assert_eq!(name(None, Some("hf"), Some("y.json")), Ok((Content::Bitext, "hf")));
        assert_eq!(name(None, Some("tsv"), Some("y.txt")), Ok((Content::Pairs, "tsv")));
        for (content, format, file, problem) in [
            (None, Some("jsonl"), "y.tmx", "--format jsonl makes no .tmx file; expected .jsonl, .ndjson"),
            (None, Some("moses"), "y.tmx", "--format moses makes no .tmx file; leave the ending out"),
            (Some(Content::Warc), None, "y.tsv", "a .tsv file does not hold --what warc; expected .warc"),
            (Some(Content::Pages), Some("tsv"), "y", "--format is tsv, expected one of jsonl"),
            (None, None, "y.txt", "the ending .txt says no format; expected .tsv, .tab, .csv, .jsonl, .ndjson, .tmx"),
            (Some(Content::Warc), None, "ex.org", "the ending .org says no format; expected .warc, or --format"),
            (None, None, "y.json", "or --format; jsonl is an object a line, one array is what listings print"),
            (None, Some("json"), "y", "jsonl is an object a line, one array is what listings print"),
        ] {
            let found = name(content, format, Some(file)).expect_err("a contradiction");
            assert!(found.contains(problem), "{found}");
        }
    }

    #[test]
    fn values_of_csv_are_quoted_where_they_must_be() {
        let text = text(&export("csv", &[line("a, \"b\"", "c\nd")]));
        assert!(text.starts_with("text_a,text_b,lang_a,lang_b,score,"), "{text}");
        assert!(text.contains("\"a, \"\"b\"\"\",\"c\nd\",en,zh-Hans,0.9877,"), "{text}");
    }

    #[test]
    fn no_cell_of_csv_is_run_by_a_spreadsheet() {
        for (text, cell) in [
            ("=HYPERLINK(\"http://evil.test\")", "\"'=HYPERLINK(\"\"http://evil.test\"\")\""),
            ("+1 800 FORMULA", "'+1 800 FORMULA"),
            ("-2+3", "'-2+3"),
            ("- item", "'- item"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1+1", "'\t=1+1"),
            ("\r=1+1", "\"'\r=1+1\""),
            ("\n=1+1", "\"'\n=1+1\""),
            ("＝1+1", "'＝1+1"),
            // Numbers stay as they are.
            ("-3.5", "-3.5"),
            ("+7", "+7"),
            // Removing one apostrophe always gives the original back.
            ("'=1", "''=1"),
            ("'tis", "'tis"),
            ("a=b", "a=b"),
            ("", "\"\""),
        ] {
            let (_, format) = format(Some(Content::Lexicon), Some("csv"), None).expect("a format");
            let write = |exporter: &mut dyn Exporter| exporter.row(Row::Words([text, "x"]));
            let written = super::tests::text(&files_of(format, Content::Lexicon, write).expect("memory"));
            let cell = cell.strip_suffix("\"\"").filter(|rest| rest.is_empty()).unwrap_or(cell);
            assert_eq!(written, format!("{cell},x\n"), "{text:?}");
        }
        let pairs = text(&[one_row("csv", "x", Content::Pairs)]);
        assert!(
            pairs.contains(
                "\nhttp://ex.org/en/,http://ex.org/fr/,en,zh-Hans,1.0,key,path:en:fr,,bdcd5cd182065573,ex.org,weglot,"
            ),
            "{pairs}"
        );
    }

    #[test]
    fn no_reader_finds_the_end_of_a_line_within_an_object_or_a_cell() {
        let ends = "a\u{85}b\u{2028}c\u{2029}d\u{b}e\u{c}f\u{1c}g";
        for name in ["jsonl", "hf"] {
            let text = text(&export(name, &[line(ends, "好")]));
            assert!(text.contains("a\\u0085b\\u2028c\\u2029d\\u000be\\ff\\u001cg"), "{name}: {text}");
            let object: serde_json::Value = serde_json::from_str(text.trim_end()).expect("JSON");
            let found = if name == "hf" { &object["translation"]["en"] } else { &object["text_a"] };
            assert_eq!(found, ends, "{name}");
        }
        let is_end = |c: char| "\r\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}".contains(c);
        for name in ["tsv", "bitextor", "moses"] {
            for file in export(name, &[line(ends, "好")]) {
                let text = String::from_utf8(file).expect("UTF-8");
                assert!(!text.contains(is_end), "{name}: {text:?}");
            }
        }
    }

    #[test]
    fn translations_are_of_the_two_languages_that_were_asked_for() {
        let text = text(&export("hf", &[line("a \"b\"", "好")]));
        assert_eq!(text, "{\"translation\":{\"en\":\"a \\\"b\\\"\",\"zh-Hans\":\"好\"}}\n");
    }

    #[test]
    fn the_columns_of_bitextor_have_its_names() {
        let mut line = line("a b", "c\td e");
        line.a.totals = Some((9, 2));
        let text = text(&export("bitextor", &[line]));
        let (head, row) = text.split_once('\n').expect("two lines");
        assert_eq!(
            head,
            "src_url\ttrg_url\tsrc_text\ttrg_text\taligner_score\tsrc_paragraph_id\ttrg_paragraph_id\tlength_ratio\t\
             src_num_tokens\ttrg_num_tokens"
        );
        let expected = "http://ex.org/en/?a=1&b=2\thttp://ex.org/zh/?a=1&b=2\ta b\tc d e\t0.9877\tp4:9s1/2\tp-1:-1s-1/-1\t0.6\t2\t3\n";
        assert_eq!(row, expected);
    }

    #[test]
    fn documents_have_paragraphs_and_the_places_of_their_sentences() {
        let text = text(&[one_row("jsonl", "x", Content::Documents)]);
        let object: serde_json::Value = serde_json::from_str(text.trim_end()).expect("JSON");
        assert_eq!((&object["url_a"], &object["tags_a"][1]), (&"http://ex.org/en/".into(), &"p".into()));
        assert_eq!(object["date_b"], "2024-05-06T07:08:09Z");
        assert_eq!(object["text_a"].as_str().and_then(|text| text.lines().nth(1)), Some("One. Two."));
        assert_eq!(object["sentences"][0]["paragraph_b"], 1);
        assert_eq!(object["sentences"][1]["sentence_b"], serde_json::Value::Null);
        assert_eq!(object["sentences"][1]["reason"], "no counterpart");
    }

    #[test]
    fn units_have_a_text_in_each_language() {
        let object: serde_json::Value =
            serde_json::from_str(text(&[one_row("jsonl", "x", Content::Units)]).trim_end()).expect("JSON");
        assert_eq!((&object["unit"], &object["languages"]), (&"0000000000000abc".into(), &3.into()));
        assert_eq!((&object["langs"], &object["score"]), (&"en,fr,zh-Hans".into(), &0.8765.into()));
        assert_eq!((&object["texts"][1]["text"], &object["texts"][2]["count"]), (&"un".into(), &2.into()));
        assert_eq!(object["pairs"][1]["score"], 0.5);
        let tmx = text(&[one_row("tmx", "x", Content::Units)]);
        // The marks of the other texts say that they were translated from Chinese, and so does the mark of the Chinese page itself.
        assert!(tmx.contains("<tu tuid=\"0000000000000abc\" segtype=\"block\">"), "{tmx}");
        let mut unit = unit();
        unit.texts[2].place.provenance = Provenance::default();
        let (_, format) = format(Some(Content::Units), Some("tmx"), None).expect("a format");
        let write = |exporter: &mut dyn Exporter| exporter.row(Row::Unit(&unit));
        let marked = super::tests::text(&files_of(format, Content::Units, write).expect("memory"));
        assert!(marked.contains("segtype=\"block\" srclang=\"zh-Hans\">"), "{marked}");
        assert_eq!(tmx.matches("<tuv ").count(), 3);
        assert!(
            tmx.contains("<seg>one &lt;b&gt;</seg>") && tmx.contains("<prop type=\"x-pair\">en zh-Hans 0.9</prop>")
        );
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn columns_of_sentence_pairs_are_of_their_sides() {
        let mut line = line("one", "一");
        (line.b.archive, line.b.offset, line.b.block) = ("other.warc.gz".into(), 99, "5:li".into());
        let (_, format) = format(Some(Content::Bitext), Some("arrow"), Some("x.arrows")).expect("a format");
        let write = |exporter: &mut dyn Exporter| exporter.row(Row::Sentences(&line));
        let stream = named_files_of(format, "x.arrows", Content::Bitext, write).expect("memory").remove(0);
        let mut reader = arrow_ipc::reader::StreamReader::try_new(stream.as_slice(), None).expect("a stream");
        let batch = reader.next().expect("a batch").expect("sound");
        let found = as_json::objects(batch).remove(0);
        for (side, text, lang, archive, offset, block) in
            [("a", "one", "en", "crawl.warc.gz", 77, "3:p"), ("b", "一", "zh-Hans", "other.warc.gz", 99, "5:li")]
        {
            let of = |name: &str| &found[format!("{name}_{side}")];
            assert_eq!((of("text"), of("lang")), (&text.into(), &lang.into()), "{found}");
            assert_eq!((of("archive"), of("offset"), of("block")), (&archive.into(), &offset.into(), &block.into()));
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn objects_and_columns_of_a_content_hold_the_same_values() {
        let all = Content::ALL.map(|(_, content)| content);
        let (_, arrow) = format(None, Some("arrow"), None).expect("a format");
        for content in all.into_iter().filter(|content| arrow.holds.contains(content)) {
            let lines = one_row("jsonl", "x", content);
            let object: serde_json::Value = serde_json::from_slice(&lines).expect("JSON");
            let stream = one_row("arrow", "x.arrows", content);
            let mut reader = arrow_ipc::reader::StreamReader::try_new(stream.as_slice(), None).expect("a stream");
            let batch = reader.next().expect("a batch").expect("sound");
            assert_eq!(as_json::objects(batch), [object], "{content:?}");
        }
    }
}
