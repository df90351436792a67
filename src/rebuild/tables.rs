//! Tables of Parquet, as engines leave them, one folder for each content.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use serde_json::Value;

use super::lines::Line;
use crate::error::{Error, Result};
use crate::export::{Content, objects};
use crate::files;
use crate::panics::sheltered;
use crate::types::Lang;

/// Rows that are read at a time; those with texts of whole pages are long.
const ROWS: usize = 1024;
const ROWS_OF_TEXTS: usize = 32;

/// The table of a content.
pub struct Tables {
    content: Content,
    /// Its files, in the order of their names.
    files: Vec<PathBuf>,
}

impl Tables {
    /// Finds the files of a content in a folder of tables: `FOLDER/bitext/langs=en-fr/*.parquet`. With some languages, folders of pairs of
    /// others are left out.
    ///
    /// # Errors
    /// When the folder has no such table, one that is not whole, or cannot be read.
    pub fn open(folder: &Path, content: Content, langs: &[Lang]) -> Result<Tables> {
        let (name, table) = (content.name(), folder.join(content.name()));
        if !table.is_dir() {
            let problem = format!(
                "has no folder {name}: name a folder of tables, as a run on Spark leaves it, which was asked for {name} by --what"
            );
            return Err(Error::input(folder.display().to_string(), problem));
        }
        if !is_whole(&table)? {
            let problem = "is not whole, since the run that writes it has not ended; give the run on Spark again";
            return Err(Error::input(table.display().to_string(), problem));
        }
        let mut found = Tables { content, files: Vec::new() };
        found.list(&table, langs)?;
        Ok(found)
    }

    fn list(&mut self, folder: &Path, langs: &[Lang]) -> Result<()> {
        let failed = || Error::io(folder, "listing");
        let entries = fs::read_dir(folder).map_err(failed())?.collect::<std::io::Result<Vec<_>>>().map_err(failed())?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(['_', '.']) {
                continue;
            }
            if path.is_dir() {
                let is_wanted = name.strip_prefix("langs=").is_none_or(|pair| langs.is_empty() || is_of(pair, langs));
                if is_wanted {
                    self.list(&path, langs)?;
                }
            } else if name.ends_with(".parquet") {
                self.files.push(path);
            }
        }
        Ok(())
    }

    /// The pairs of languages of its rows.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn langs(&self) -> Result<BTreeSet<[Lang; 2]>> {
        let mut found = BTreeSet::new();
        self.objects(Some(&["lang_a", "lang_b"]), |row| {
            let lang = |name: &str| Lang::from_tag(row[name].as_str()?);
            found.extend(lang("lang_a").zip(lang("lang_b")).map(|(a, b)| [a, b]));
            Ok(())
        })?;
        Ok(found)
    }

    /// Calls `each` with every line; gives the number of rows that make none.
    ///
    /// # Errors
    /// When a file cannot be read, and what `each` returns.
    pub fn for_each(&self, mut each: impl FnMut(&Line) -> Result<()>) -> Result<u64> {
        let mut senseless = 0;
        self.objects(None, |row| match Line::of(self.content, row) {
            Some(line) => each(&line),
            None => {
                senseless += 1;
                Ok(())
            }
        })?;
        Ok(senseless)
    }

    /// Calls `each` with every row, or with some columns of it.
    fn objects(&self, columns: Option<&[&str]>, mut each: impl FnMut(&Value) -> Result<()>) -> Result<()> {
        for path in &self.files {
            let bad = |problem: String| Error::input(path.display().to_string(), problem);
            let file = files::open(path).map_err(Error::io(path, "opening"))?;
            let mut batches = decoded(|| self.reader(file, columns)).map_err(bad)?;
            while let Some(batch) = decoded(|| batches.next().transpose()).map_err(bad)? {
                objects(batch).iter().try_for_each(&mut each)?;
            }
        }
        Ok(())
    }

    fn reader(&self, file: fs::File, columns: Option<&[&str]>) -> parquet::errors::Result<ParquetRecordBatchReader> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
        let has_texts = columns.is_none() && matches!(self.content, Content::Documents | Content::Pages);
        let mask = match columns {
            Some(columns) => ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied()),
            None => ProjectionMask::all(),
        };
        builder.with_projection(mask).with_batch_size(if has_texts { ROWS_OF_TEXTS } else { ROWS }).build()
    }
}

/// True where the run that wrote a table has ended: its record has a key then; other programs leave an empty file.
fn is_whole(table: &Path) -> Result<bool> {
    let record = table.join("_diglot.json");
    match files::read(&record) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).is_ok_and(|record: Value| !record["key"].is_null())),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(table.join("_SUCCESS").exists()),
        Err(why) => Err(Error::io(&record, "reading")(why)),
    }
}

/// What the decoder of a file gives; a file that is more than it bears is damaged.
fn decoded<T, E: ToString>(work: impl FnOnce() -> std::result::Result<T, E>) -> std::result::Result<T, String> {
    match sheltered(work) {
        Some(given) => given.map_err(|error| error.to_string()),
        None => Err("is damaged: it has values that cannot be".to_owned()),
    }
}

/// True for a pair such as `en-fr` of two of the languages, in whatever order.
fn is_of(pair: &str, langs: &[Lang]) -> bool {
    let is_lang = |tag: &str| Lang::from_tag(tag).is_some_and(|lang| langs.iter().any(|wanted| wanted.agrees(lang)));
    pair.match_indices('-').any(|(at, _)| is_lang(&pair[..at]) && is_lang(&pair[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{self, Compression, Extra, Job};
    use crate::types::FetchLine;

    #[test]
    fn the_rows_of_a_table_are_those_of_all_its_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, offset: u64| {
            let path = folder.path().join("fetch").join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a disk");
            let (_, format) = export::format(Some(Content::Fetch), Some("parquet"), None).expect("a format");
            let (extra, compression, now) = (Extra::default(), Compression::Zstd, jiff::Timestamp::UNIX_EPOCH);
            let job = Job { content: Content::Fetch, langs: None, extra, compression, now };
            let mut exporter =
                (format.make)(&job, vec![Box::new(fs::File::create(path).expect("a disk"))]).expect("a disk");
            let line = FetchLine { file: "a".into(), offset, length: 1, url: "u".into() };
            exporter.row(export::Row::Capture(&line)).and_then(|()| exporter.finish()).expect("a disk");
        };
        for (name, offset) in
            [("b.parquet", 2), ("a.parquet", 1), ("langs=en-fr/c.parquet", 3), ("langs=pt-BR-zh-Hans/d.parquet", 4)]
        {
            write(name, offset);
        }
        for name in [".part.parquet", "_metadata.parquet", "readme.txt"] {
            fs::write(folder.path().join("fetch").join(name), "no table").expect("a disk");
        }
        let is_refused = || {
            let refused = Tables::open(folder.path(), Content::Fetch, &[]).err();
            refused.is_some_and(|refused| refused.to_string().contains("is not whole"))
        };
        assert!(is_refused(), "nobody says that it is whole");
        fs::write(folder.path().join("fetch/_SUCCESS"), "").expect("a disk");
        assert!(!is_refused());
        for (record, expected) in
            [("{\"run\": \"a\"", true), (r#"{"run": "a"}"#, true), (r#"{"run": "a", "key": "b"}"#, false)]
        {
            fs::write(folder.path().join("fetch/_diglot.json"), record).expect("a disk");
            assert_eq!(is_refused(), expected, "{record}");
        }
        let offsets = |langs: &[Lang]| {
            let mut found = Vec::new();
            let each = |line: &Line| {
                let Line::Capture(line) = line else { panic!("{line:?}") };
                found.push(line.offset);
                Ok(())
            };
            Tables::open(folder.path(), Content::Fetch, langs).and_then(|tables| tables.for_each(each)).expect("sound");
            found
        };
        assert_eq!(offsets(&[]), [1, 2, 3, 4]);
        assert_eq!(offsets(&[Lang::ZH_HANS, Lang::parse("pt").expect("a tag")]), [1, 2, 4]);
        let missing = Tables::open(folder.path(), Content::Pages, &[]).err().expect("refused").to_string();
        assert!(missing.contains("has no folder pages"), "{missing}");
        fs::write(folder.path().join("fetch/e.parquet"), "no Parquet").expect("a disk");
        let tables = Tables::open(folder.path(), Content::Fetch, &[]).expect("a table");
        assert!(tables.for_each(|_| Ok(())).expect_err("refused").to_string().contains("e.parquet"));
    }
}
