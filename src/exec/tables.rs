//! Packs tables into rows.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::rows::{EngineRow, Output};
use crate::error::{Error, Result};
use crate::export::rows::{Columns, json_line};
use crate::export::{self, Exporter};
use crate::query::KeyLine;

/// How many rows of a table are packed into one row of a step at most.
const TABLE_ROWS: usize = 1024;
/// The same for tables with texts of whole pages, whose rows are long.
const TEXT_ROWS: usize = 32;

/// The listed values of a key.
pub type KeyValues = [Value; KeyLine::COLUMNS.len()];

/// The keys of a language pair as JSON objects, one a line.
///
/// # Errors
/// When memory does not take them.
pub fn keys_row(part: i32, langs: String, keys: &[KeyValues]) -> Result<EngineRow> {
    let mut lines = Vec::new();
    for values in keys {
        json_line(&mut lines, &Columns(&KeyLine::COLUMNS, values)).map_err(Error::io("memory", "writing a key"))?;
    }
    Ok(EngineRow { part, kind: "keys".into(), name: langs, number: 0, count: keys.len() as i64, data: Some(lines) })
}

/// The tables of one kind of content, one for each language pair, while they are filled.
pub struct Tables<'t, 'o> {
    part: i32,
    content: export::Content,
    open: BTreeMap<String, Table>,
    output: &'t mut Output<'o>,
}

/// A table that is being filled.
struct Table {
    rows: usize,
    exporter: Box<dyn Exporter>,
    bytes: Shelf,
}

/// A buffer that one owner writes and another reads.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Vec<u8>>>);

impl Write for Shelf {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'t, 'o> Tables<'t, 'o> {
    /// Begins the tables of a part.
    pub fn new(part: i32, content: export::Content, output: &'t mut Output<'o>) -> Tables<'t, 'o> {
        Tables { part, content, open: BTreeMap::new(), output }
    }

    /// Adds a row to the table with a name.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn row(&mut self, name: &str, row: export::Row<'_>) -> Result<()> {
        if !self.open.contains_key(name) {
            self.open.insert(name.to_owned(), Table::new(self.content)?);
        }
        let Some(table) = self.open.get_mut(name) else { return Ok(()) };
        table.exporter.row(row).map_err(Error::io("memory", "writing a table"))?;
        table.rows += 1;
        let has_texts = matches!(self.content, export::Content::Documents | export::Content::Pages);
        if table.rows < if has_texts { TEXT_ROWS } else { TABLE_ROWS } {
            return Ok(());
        }
        let Some(table) = self.open.remove(name) else { return Ok(()) };
        self.put(name.to_owned(), table)
    }

    fn put(&mut self, name: String, table: Table) -> Result<()> {
        let Table { rows, exporter, bytes } = table;
        exporter.finish().map_err(Error::io("memory", "writing a table"))?;
        let data = std::mem::take(&mut *bytes.0.lock().unwrap_or_else(PoisonError::into_inner));
        let (kind, count) = (self.content.name().to_owned(), rows as i64);
        self.output.put(&EngineRow { part: self.part, kind, name, number: 0, count, data: Some(data) })
    }

    /// Writes the remaining rows.
    ///
    /// # Errors
    /// As [`Tables::row`].
    pub fn finish(mut self) -> Result<()> {
        std::mem::take(&mut self.open).into_iter().try_for_each(|(name, table)| self.put(name, table))
    }
}

impl Table {
    fn new(content: export::Content) -> Result<Table> {
        let (content, format) =
            export::format(Some(content), Some("arrow"), Some("table.arrows")).map_err(Error::Config)?;
        let job = export::Job {
            content,
            langs: None,
            extra: export::Extra::default(),
            compression: export::Compression::default(),
            now: jiff::Timestamp::UNIX_EPOCH,
        };
        let bytes = Shelf::default();
        let exporter = (format.make)(&job, vec![Box::new(bytes.clone())]);
        let exporter = exporter.map_err(Error::io("memory", "writing a table"))?;
        Ok(Table { rows: 0, exporter, bytes })
    }
}
