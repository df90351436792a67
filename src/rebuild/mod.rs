//! Sentence pairs again, from a list without their texts (`export --what rebuild`) and the archives: no store is needed.
//!
//! `list.rs` reads the rows of a list; `texts.rs` takes the texts of the pages that it names out of archives. A page is known by its URL and
//! a hash of its text, so archives may have other names, and records other places, than those that the list tells. A row is made again only
//! if its page has exactly the text that it had; what cannot be is counted by reason.

mod list;
mod texts;

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Result;
use crate::export::mark::identity;
use crate::export::{Row, TakeDown};
use crate::types::{BitextLine, Place};
use list::{List, Listed};

pub use texts::Texts;

/// How many rows of a list were not made again, by reason.
pub type Lacking = BTreeMap<&'static str, u64>;

/// Not a row of such a list.
const NO_ROW: &str = "lines that are no such rows";

/// The pages that a list names, without their texts.
///
/// # Errors
/// When it cannot be read, or was made by another version of the extractor.
pub fn wanted(list: &Path) -> Result<Texts> {
    let mut texts = Texts::new()?;
    List::open(list)?.for_each(|row| {
        if let Some(Listed { line, .. }) = row {
            [&line.a, &line.b].into_iter().filter(|place| place.span.1 > 0).for_each(|place| texts.want(place));
        }
        Ok(())
    })?;
    Ok(texts)
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
) -> Result<Lacking> {
    let mut lacking = Lacking::new();
    List::open(list)?.for_each(|row| {
        let Some(Listed { line, id }) = row else {
            *lacking.entry(NO_ROW).or_default() += 1;
            return Ok(());
        };
        if gone.has(Row::Sentences(&line)) {
            return Ok(());
        }
        match with_texts(line, id, texts)? {
            Ok(line) => each(gone.without(&line).into_owned()),
            Err(reason) => {
                *lacking.entry(reason).or_default() += 1;
                Ok(())
            }
        }
    })?;
    Ok(lacking)
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
        let mut texts = wanted(&list).expect("a list");
        for (name, text) in
            [("a.warc", "Ein anderer Text, der hier einmal stand. ".repeat(5).as_str()), ("b.warc", PAGE)]
        {
            texts.read(&archive(folder, name, text), &Config::default(), &|| Ok(())).expect("an archive");
        }
        let mut found = Vec::new();
        let lacking = for_each(&list, &mut texts, &TakeDown::default(), |line| {
            found.push(line.text_a);
            Ok(())
        });
        let lacking: Vec<(&str, u64)> = lacking.expect("it can be read").into_iter().collect();
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
        for_each(&list, &mut texts, &gone, |_| panic!("it is taken down")).expect("it can be read");
    }

    #[test]
    fn another_extractor_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut row = row(PAGE, (0, 3));
        row["extractor"] = "diglot-extraction-0".into();
        let problem = wanted(&list(folder.path(), &[row])).err().expect("refused").to_string();
        assert!(problem.contains("diglot-extraction-0") && problem.contains(crate::types::EXTRACTOR), "{problem}");
    }
}
