//! Marks: a mark is a small file that lists exported rows, so that a later export can leave them out.
//!
//! A row is recognized by its content and not by what was computed about it: a sentence pair by its texts and languages, a pair of pages by
//! its URLs, a page or document by URLs and texts. Scores, keys and the order of the languages do not matter. So even after stages have
//! judged anew, no row is exported twice, and no new row is left out.

use std::io::{self, BufRead, Read, Write};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::exporter::{Content, Row};
use crate::types::{Lang, PageLine};

/// How a mark begins; the name of the content and a line feed follow.
const MAGIC: &str = "diglot mark 1 ";
/// The longest first line, in bytes.
const MAX_LINE_BYTES: u64 = 64;

/// The rows of some exports, as hashes of 8 bytes. With 10⁸ rows against 10⁸ others, a new row is wrongly left out in one export of 1,800.
#[derive(Debug, Default)]
pub struct Mark {
    /// The hashes in order, each once.
    rows: Vec<u64>,
    /// For each of them, whether the row occurred again.
    met: Vec<bool>,
    /// The hashes of new rows.
    added: Vec<u64>,
}

impl Mark {
    /// Reads what [`Mark::write`] wrote.
    ///
    /// # Errors
    /// When it cannot be read, is no mark, or one of another content.
    pub fn read(input: impl Read, content: Content) -> io::Result<Mark> {
        let wrong = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
        let mut input = io::BufReader::new(input);
        let mut line = Vec::new();
        input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line);
        let Some(name) = line.strip_prefix(MAGIC).map(str::trim_end) else {
            return Err(wrong("is no mark; `--mark FILE` writes one".into()));
        };
        if name != content.name() {
            let content = content.name();
            return Err(wrong(format!("is a mark of --what {name}, expected one of --what {content}")));
        }
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let damaged = || wrong("is damaged; without it all rows are exported".into());
        let (rows, checksum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        if xxh3_64(rows) != u64::from_le_bytes(*checksum) {
            return Err(damaged());
        }
        let (rows, rest) = rows.as_chunks::<8>();
        let rows: Vec<u64> = rows.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        if !rest.is_empty() || !rows.is_sorted() {
            return Err(damaged());
        }
        Ok(Mark { met: vec![false; rows.len()], rows, added: Vec::new() })
    }

    /// True for a row that was exported before. Notes that it occurred again.
    pub fn has(&mut self, row: u64) -> bool {
        let found = self.rows.binary_search(&row);
        if let Ok(at) = found {
            self.met[at] = true;
        }
        found.is_ok()
    }

    /// Adds a row that is being exported now.
    pub fn add(&mut self, row: u64) {
        self.added.push(row);
    }

    /// How many of the rows that were exported before did not occur again.
    pub fn gone(&self) -> usize {
        self.met.iter().filter(|met| !**met).count()
    }

    /// Writes all rows, old and new.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn write(mut self, content: Content, out: &mut dyn Write) -> io::Result<()> {
        self.rows.append(&mut self.added);
        self.rows.sort_unstable();
        self.rows.dedup();
        let mut hasher = Xxh3::new();
        writeln!(out, "{MAGIC}{}", content.name())?;
        for row in &self.rows {
            hasher.update(&row.to_le_bytes());
            out.write_all(&row.to_le_bytes())?;
        }
        out.write_all(&hasher.digest().to_le_bytes())?;
        out.flush()
    }
}

/// The hash by which a row is recognized, which exports write as its `id`.
pub fn identity(row: Row<'_>) -> u64 {
    let lang = |lang: Lang| lang.as_str().to_owned();
    match row {
        Row::Pair(pair) => of_two([&[&lang(pair.lang_a), &pair.url_a], &[&lang(pair.lang_b), &pair.url_b]]),
        Row::Sentences(line) | Row::Rebuild(line) => {
            of_two([&[&lang(line.lang_a), &line.text_a], &[&lang(line.lang_b), &line.text_b]])
        }
        Row::Document(line) => {
            let side = |page: &PageLine| [lang(page.lang), page.url.clone(), page.text.clone()];
            let (a, b) = (side(&line.a), side(&line.b));
            of_two([&a.each_ref().map(String::as_str), &b.each_ref().map(String::as_str)])
        }
        Row::Unit(line) => {
            let mut texts: Vec<u64> = line.texts.iter().map(|text| hash(&[text.lang.as_str(), &text.text])).collect();
            texts.sort_unstable();
            xxh3_64(&texts.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
        }
        Row::Page(page) => hash(&[&page.url, &page.text]),
        Row::Record(record) => xxh3_64(&record.record),
        Row::Capture(line) => hash(&[&line.file, &line.offset.to_string(), &line.url]),
        Row::Language(line) => hash(&[line.lang.as_str(), &line.letters]),
        Row::Words(words) => hash(&words),
    }
}

/// A hash of two sides that does not depend on their order.
fn of_two(sides: [&[&str]; 2]) -> u64 {
    let mut hashes = sides.map(hash);
    hashes.sort_unstable();
    xxh3_64(&hashes.map(u64::to_le_bytes).concat())
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = Xxh3::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::line;

    fn written(mark: Mark) -> Vec<u8> {
        let mut bytes = Vec::new();
        mark.write(Content::Bitext, &mut bytes).expect("memory");
        bytes
    }

    #[test]
    fn a_mark_has_the_rows_of_all_exports_before() {
        let mut mark = Mark::default();
        [5, 3, 5].into_iter().for_each(|row| mark.add(row));
        let mut mark = Mark::read(written(mark).as_slice(), Content::Bitext).expect("a mark");
        assert!(mark.has(3) && !mark.has(4));
        assert_eq!(mark.gone(), 1);
        mark.add(4);
        let mut mark = Mark::read(written(mark).as_slice(), Content::Bitext).expect("a mark");
        assert!([3, 4, 5].iter().all(|row| mark.has(*row)));
    }

    #[test]
    fn what_is_no_such_mark_is_refused() {
        let mut mark = Mark::default();
        mark.add(1);
        let bytes = written(mark);
        let problem = |bytes: &[u8], content| Mark::read(bytes, content).expect_err("refused").to_string();
        assert_eq!(problem(&bytes, Content::Pairs), "is a mark of --what bitext, expected one of --what pairs");
        assert!(problem(b"text_a\ttext_b\n", Content::Bitext).starts_with("is no mark"));
        for cut in MAGIC.len() + 7..bytes.len() {
            assert!(problem(&bytes[..cut], Content::Bitext).starts_with("is damaged"), "cut at {cut}");
        }
    }

    #[test]
    fn a_row_is_known_by_its_texts_whatever_is_said_of_it() {
        let first = line("one", "deux");
        let mut same = line("deux", "one");
        (same.lang_a, same.lang_b, same.score) = (first.lang_b, first.lang_a, 0.1);
        same.a.url = "http://other.test/".into();
        let of = |line| identity(Row::Sentences(line));
        assert_eq!(of(&first), of(&same));
        let (other, turned) = (line("one", "trois"), line("deux", "one"));
        assert_ne!(of(&first), of(&other));
        assert_ne!(of(&first), of(&turned), "in other languages it is another pair");
    }
}
