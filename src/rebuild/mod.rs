//! Makes exported rows again, without a store: sentence pairs from a list without their texts (`export --what rebuild`) and the archives,
//! and rows of any content from tables that an engine has written (`export --from`).
//!
//! `tables.rs` reads tables, and `lines.rs` knows the rows of each content. `list.rs` reads the rows of a list; `texts.rs` takes the texts of the pages that it names out of archives. A page is known by its URL and
//! a hash of its text, so archives may have other names, and records other places, than those that the list tells. A row is made again only
//! if its page has exactly the text that it had; what cannot be is counted by reason.

mod lines;
mod list;
#[cfg(feature = "parquet")]
mod tables;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::Result;
use crate::export::mark::identity;
use crate::export::{Row, TakeDown};
use crate::types::{BitextLine, Lang, Place};
use list::{List, Listed};

pub use lines::{ELSEWHERE, Line};
#[cfg(feature = "parquet")]
pub use tables::Tables;
pub use texts::Texts;

/// A list names no more pages for a row that has about this many bytes, because longer lines are not read.
pub const ROW_BYTES: usize = 32 << 20;

/// What a list names.
pub struct Wanted {
    /// Its pages, without their texts.
    pub texts: Texts,
    /// Its pairs of languages.
    pub langs: BTreeSet<[Lang; 2]>,
}

/// What became of the rows of a list that were not made again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// How many there are, by reason.
    pub lacking: BTreeMap<&'static str, u64>,
    /// How many are taken down.
    pub taken_down: u64,
}

/// The pages that a list names and that are not taken down.
///
/// # Errors
/// When it cannot be read, has lines and none is a row, or was made by another version of the extractor.
pub fn wanted(list: &Path, gone: &TakeDown) -> Result<Wanted> {
    let (mut texts, mut langs) = (Texts::new()?, BTreeSet::new());
    let (mut lines, mut rows) = (0_u64, 0_u64);
    List::open(list)?.for_each(|row| {
        lines += 1;
        let Ok(Listed { line, .. }) = row else { return Ok(()) };
        rows += 1;
        langs.insert([line.lang_a, line.lang_b]);
        if !gone.has(Row::Rebuild(&line)) {
            [&line.a, &line.b].into_iter().filter(|place| place.span.1 > 0).for_each(|place| texts.want(place));
        }
        Ok(())
    })?;
    if rows == 0 && lines > 0 {
        return Err(list::wrong(list, "has no row of `diglot export --what rebuild`, which are lines of JSON"));
    }
    Ok(Wanted { texts, langs })
}

/// Calls `each` with every sentence pair of a list whose pages were found in archives and are not taken down, in the order of the list.
///
/// # Errors
/// When the list or the texts cannot be read, and what `each` returns.
pub fn for_each(
    list: &Path,
    texts: &mut Texts,
    gone: &TakeDown,
    mut each: impl FnMut(BitextLine) -> Result<()>,
) -> Result<Rest> {
    let mut rest = Rest::default();
    List::open(list)?.for_each(|row| {
        let made = match row {
            Ok(Listed { line, .. }) if gone.has(Row::Rebuild(&line)) => {
                rest.taken_down += 1;
                return Ok(());
            }
            Ok(Listed { line, id }) => with_texts(line, id, texts)?,
            Err(reason) => Err(reason),
        };
        match made {
            Ok(line) => each(gone.without(&line).into_owned()),
            Err(reason) => {
                *rest.lacking.entry(reason).or_default() += 1;
                Ok(())
            }
        }
    })?;
    Ok(rest)
}

/// A sentence pair with its texts; the inner error says why there are none.
fn with_texts(
    mut line: BitextLine,
    id: u64,
    texts: &mut Texts,
) -> Result<std::result::Result<BitextLine, &'static str>> {
    let mut text = |place: &Place| if place.span.1 == 0 { Ok(Ok(String::new())) } else { texts.text(place) };
    line.text_a = match text(&line.a)? {
        Ok(text) => text,
        Err(reason) => return Ok(Err(reason)),
    };
    line.text_b = match text(&line.b)? {
        Ok(text) => text,
        Err(reason) => return Ok(Err(reason)),
    };
    let is_same = identity(Row::Sentences(&line)) == id;
    Ok(if is_same { Ok(line) } else { Err("whose sentences are other ones than the id says") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// The text of a page, whose only block ends its line.
    const PAGE: &str = "Wir bauen Häuser, die lange halten, und reparieren alte. Fragen Sie uns, wir kommen gern vorbei. Es kostet nichts.\n";

    fn archive(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
        let html = format!("<html><body><p>{text}</p></body></html>");
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://ex.org/\r\nContent-Type: application/http\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let path = folder.join(name);
        std::fs::write(&path, record).expect("room on the disk");
        path
    }

    fn list(folder: &Path, rows: &[serde_json::Value]) -> std::path::PathBuf {
        let lines: Vec<String> = rows.iter().map(|row| row.to_string() + "\n").collect();
        let path = folder.join("list.jsonl");
        std::fs::write(&path, lines.concat()).expect("room on the disk");
        path
    }

    fn row(text: &str, span: (usize, usize)) -> serde_json::Value {
        let sentence = text.get(span.0..span.1).unwrap_or_default();
        let mut row = list::tests::row();
        for side in ["a", "b"] {
            row[format!("url_{side}")] = "http://ex.org/".into();
            row[format!("start_{side}")] = span.0.into();
            row[format!("end_{side}")] = span.1.into();
            row[format!("page_{side}")] = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes())).into();
        }
        let line = BitextLine { text_a: sentence.into(), text_b: sentence.into(), ..list::tests::line(&row) };
        row["id"] = format!("{:016x}", identity(Row::Sentences(&line))).into();
        row
    }

    #[test]
    fn texts_come_from_the_page_that_has_them_and_from_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let end = PAGE.find(". ").expect("a sentence") + 1;
        let mut wrong = row(PAGE, (0, end));
        wrong["id"] = "0000000000000007".into();
        let absent = {
            let mut row = row(PAGE, (0, end));
            row["url_b"] = "http://ex.org/other".into();
            row
        };
        let rows = [
            row(PAGE, (0, end)),
            row("another text", (0, 7)),
            wrong,
            absent,
            row(PAGE, (0, PAGE.len() + 1)),
            serde_json::json!({"text": "x"}),
        ];
        let list = list(folder, &rows);
        let none = TakeDown::default();
        let Wanted { mut texts, langs } = wanted(&list, &none).expect("a list");
        assert_eq!(langs.len(), 1);
        for (name, text) in
            [("a.warc", "Ein anderer Text, der hier einmal stand. ".repeat(5).as_str()), ("b.warc", PAGE)]
        {
            let read = texts.read(&archive(folder, name, text), &Config::default(), &|| Ok(()));
            assert!(read.expect("room on the disk").expect("an archive"), "it is sound");
        }
        let mut found = Vec::new();
        let rest = for_each(&list, &mut texts, &none, |line| {
            found.push(line.text_a);
            Ok(())
        });
        let lacking: Vec<(&str, u64)> = rest.expect("it can be read").lacking.into_iter().collect();
        assert_eq!(found, [&PAGE[..end]], "{lacking:?}");
        assert_eq!(
            lacking,
            [
                ("lines that are no such rows", 1),
                ("whose page has another text in the archives", 1),
                ("whose page is not in the archives", 1),
                ("whose place is not on the page", 1),
                ("whose sentences are other ones than the id says", 1),
            ]
        );
        let gone = TakeDown::read("ex.org".as_bytes()).expect("a list");
        let rest = for_each(&list, &mut texts, &gone, |_| panic!("it is taken down")).expect("it can be read");
        assert_eq!((rest.taken_down, rest.lacking.len()), (5, 1));
        let mut texts = wanted(&list, &gone).expect("a list").texts;
        let read = texts.read(&folder.join("b.warc"), &Config::default(), &|| Ok(()));
        assert!(matches!(read, Ok(Ok(true))) && texts.is_empty(), "texts of what is taken down are not copied");
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let list = list(folder, &[row(PAGE, (0, 3))]);
        let path = archive(folder, "a.warc", PAGE);
        let mut texts = wanted(&list, &TakeDown::default()).expect("a list").texts;
        let mut config = Config::default();
        config.archive.max_record_bytes = 100;
        let read = texts.read(&path, &config, &|| Ok(()));
        assert!(matches!(read, Ok(Ok(true))));
        let rest = for_each(&list, &mut texts, &TakeDown::default(), |_| panic!("it is too long")).expect("a list");
        assert_eq!(rest.lacking.into_keys().collect::<Vec<_>>(), ["whose record is longer than --max-record-bytes"]);
        let bytes = std::fs::read(&path).expect("it was written");
        std::fs::write(&path, &bytes[..bytes.len() - 50]).expect("room on the disk");
        let read = texts.read(&path, &Config::default(), &|| Ok(()));
        assert!(matches!(read, Ok(Ok(false))), "it is damaged");
        assert!(matches!(texts.read(&folder.join("none"), &Config::default(), &|| Ok(())), Ok(Err(_))));
    }

    #[test]
    fn what_is_no_list_is_refused_and_an_empty_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list");
        std::fs::write(&path, b"PAR1\x15\x04\nPAR1").expect("room on the disk");
        let problem = wanted(&path, &TakeDown::default()).err().expect("refused").to_string();
        assert!(problem.contains("has no row of `diglot export --what rebuild`"), "{problem}");
        std::fs::write(&path, b"").expect("room on the disk");
        assert!(wanted(&path, &TakeDown::default()).is_ok());
    }

    #[test]
    fn another_extractor_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut row = row(PAGE, (0, 3));
        row["extractor"] = "diglot-extraction-0".into();
        let problem = wanted(&list(folder.path(), &[row]), &TakeDown::default()).err().expect("refused").to_string();
        assert!(problem.contains("diglot-extraction-0") && problem.contains(crate::types::EXTRACTOR), "{problem}");
    }
}
