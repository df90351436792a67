//! The rows of a list.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::lines;
use crate::archive::decompressed;
use crate::error::{Error, Result};
use crate::types::{BitextLine, EXTRACTOR};

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// A line that is no row.
pub const NO_ROW: &str = "lines that are no such rows";
/// The message about a line that is too long to be read.
pub const TOO_LONG: &str = "lines of more than 64 MiB";

/// A list that is being read.
pub struct List {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
}

/// A row of a list.
pub struct Listed {
    /// Its sentence pair, without texts.
    pub line: BitextLine,
    /// The hash of its texts.
    pub id: u64,
}

impl List {
    /// Opens a list, plain or compressed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path) -> Result<List> {
        Ok(List { path: path.to_owned(), lines: decompressed(path).map_err(Error::io(path, "opening"))? })
    }

    /// Calls `each` with every row, or with what is wrong with a line that is no row.
    ///
    /// # Errors
    /// When it cannot be read, a row was made by another version of the extractor, and what `each` returns.
    pub fn for_each(
        mut self,
        mut each: impl FnMut(std::result::Result<Listed, &'static str>) -> Result<()>,
    ) -> Result<()> {
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let mut limited = (&mut self.lines).take(MAX_LINE_BYTES);
            limited.read_until(b'\n', &mut line).map_err(Error::io(&self.path, "reading"))?;
            if line.is_empty() {
                break;
            }
            if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
                self.lines.skip_until(b'\n').map_err(Error::io(&self.path, "reading"))?;
                each(Err(TOO_LONG))?;
                continue;
            }
            let row: Option<Value> = serde_json::from_slice(&line).ok();
            let extractor = row.as_ref().and_then(|row| row["extractor"].as_str());
            if let Some(extractor) = extractor.filter(|extractor| *extractor != EXTRACTOR) {
                return Err(wrong(
                    &self.path,
                    format!(
                        "line {number} was made with {extractor}, and this program has {EXTRACTOR}, which may read pages otherwise; \
                         use a release with {extractor}"
                    ),
                ));
            }
            each(row.as_ref().filter(|_| extractor.is_some()).and_then(read).ok_or(NO_ROW))?;
        }
        Ok(())
    }
}

/// The error of a list.
pub fn wrong(list: &Path, problem: impl Into<String>) -> Error {
    Error::input(list.display().to_string(), problem.into())
}

/// The sentence pair that a row describes; `None` where the row lacks something.
fn read(row: &Value) -> Option<Listed> {
    let mut line = lines::sentences(row)?;
    for (place, side) in [(&mut line.a, "a"), (&mut line.b, "b")] {
        let of = |name: &str| &row[format!("{name}_{side}")];
        let number = |name: &str| u32::try_from(of(name).as_u64()?).ok();
        place.span = (number("start")?, number("end")?);
        place.page = lines::hash(of("page"))?;
        place.totals = number("paragraphs").zip(number("sentences"));
    }
    Some(Listed { line, id: lines::hash(&row["id"])? })
}

#[cfg(test)]
pub mod tests {
    use std::io;

    use super::*;
    use crate::types::BlockKind;

    /// A row as it is written.
    pub fn row() -> Value {
        let mut row = serde_json::json!({
            "id": "00000000000000ff", "lang_a": "de", "lang_b": "fr", "score": 0.5, "page_score": 0.25, "reason": null, "also": [],
            "page_pairs": 1, "furniture": false, "targets": null, "sources": 2, "scorer": null, "original": "a", "extractor": EXTRACTOR,
        });
        for side in ["a", "b"] {
            for (name, value) in [("url", "http://ex.org/"), ("kind", "item"), ("page", "00000000000000aa")] {
                row[format!("{name}_{side}")] = value.into();
            }
            for name in ["offset", "count", "start", "end"] {
                row[format!("{name}_{side}")] = 7.into();
            }
        }
        row["machine_translated_b"] = "weglot".into();
        row["opt_out_a"] = "noai noimageai".into();
        row
    }

    pub fn line(row: &Value) -> BitextLine {
        read(row).expect("a row").line
    }

    #[test]
    fn a_row_says_what_the_exported_sentence_pair_was() {
        let line = line(&row());
        assert_eq!((line.sources, line.targets, line.reason), (Some(2), None, None));
        assert_eq!((line.a.kind, line.a.span, line.a.page), (Some(BlockKind::Item), (7, 7), 0xaa));
        assert_eq!(line.a.provenance.signals.opt_outs.names(), "noai noimageai");
        assert!(line.b.provenance.is_from(line.lang_a));
        for tag in ["pt-BR", "zh-HK", "zh-Hant", "es-419", "und"] {
            let mut row = row();
            row["lang_b"] = tag.into();
            assert_eq!(tests::line(&row).lang_b.as_str(), tag);
        }
        for (name, value) in [
            ("lang_a", Value::Null),
            ("score", "x".into()),
            ("reason", "bad weather".into()),
            ("kind_b", "unkind".into()),
            ("opt_out_b", "nothing".into()),
            ("end_a", (1_u64 << 33).into()),
            ("id", "xyz".into()),
        ] {
            let mut row = row();
            row[name] = value;
            assert!(read(&row).is_none(), "{name}");
        }
    }

    #[test]
    fn compressed_lists_are_read_and_lines_that_are_no_rows_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!("{}\n[1]\nno JSON\n{}", row(), row());
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, text.as_bytes()).expect("memory");
        let forms = [
            text.clone().into_bytes(),
            gzip.finish().expect("memory"),
            zstd::encode_all(text.as_bytes(), 1).expect("memory"),
        ];
        for bytes in forms {
            let path = folder.path().join("list");
            std::fs::write(&path, bytes).expect("room on the disk");
            let mut found = Vec::new();
            let read = List::open(&path).expect("it is there").for_each(|row| {
                found.push(row.is_ok());
                Ok(())
            });
            read.expect("it can be read");
            assert_eq!(found, [true, false, false, true]);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_told_and_those_after_it_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list");
        let mut file = zstd::Encoder::new(std::fs::File::create(&path).expect("room"), 1).expect("memory");
        io::copy(&mut io::repeat(b' ').take(MAX_LINE_BYTES + 9), &mut file).expect("room on the disk");
        io::Write::write_all(&mut file, format!("\n{}\n", row()).as_bytes()).expect("room on the disk");
        file.finish().expect("room on the disk");
        let mut found = Vec::new();
        let read = List::open(&path).expect("it is there").for_each(|row| {
            found.push(row.map(|listed| listed.id));
            Ok(())
        });
        read.expect("it can be read");
        assert_eq!(found, [Err(TOO_LONG), Ok(0xff)]);
    }
}
