//! Rows as Arrow batches, for Parquet and Arrow files.
//!
//! `columns.rs` has the columns of each content, with the values of a row, which are the same as in JSON objects, under the same names.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};

use super::columns::{Kind, Value, values, written};
use super::exporter::{Extra, Job, Row};
use super::filled::{Filled, fields, push_row};
use super::hugging_face;

/// How many rows a batch has at most.
pub(super) const ROWS: usize = 16 << 10;
/// Bytes of rows in a batch, approximately; a row that has more is a batch by itself.
const BYTES: usize = 16 << 20;

/// The most bytes of a row, approximately: a column of a batch has 2 GiB at most.
const ROW_BYTES: usize = 1 << 30;

/// The shape of rows in batches.
enum Shape {
    /// The columns of the content.
    Table,
    /// One column, `translation`, with these two fields: a text in each of two languages. The second language comes first if they are
    /// turned.
    Translation { texts: Fields, is_turned: bool },
}

/// Collects rows into batches.
pub(super) struct Batches {
    shape: Shape,
    schema: SchemaRef,
    columns: Vec<Filled>,
    rows: usize,
    bytes: usize,
    extra: Extra,
}

impl Batches {
    /// For rows with the columns of a content.
    pub fn table(job: &Job) -> Batches {
        let columns = written(job);
        let schema = Arc::new(Schema::new(fields(&columns)));
        let columns = columns.iter().map(|(_, kind)| Filled::new(*kind)).collect();
        Batches { shape: Shape::Table, schema, columns, rows: 0, bytes: 0, extra: job.extra }
    }

    /// Batches for translations.
    ///
    /// # Errors
    /// When the job has no two languages.
    pub fn translations(job: &Job) -> io::Result<Batches> {
        let langs = hugging_face::langs(job)?;
        // This is how `datasets` make it: languages in the order of their names, and every value may be missing. A column of another type
        // is read as a dictionary.
        let is_turned = langs[1] < langs[0];
        let mut texts = langs.each_ref().map(|lang| Field::new(lang, DataType::Utf8, true));
        if is_turned {
            texts.reverse();
        }
        let texts = Fields::from(texts.to_vec());
        let translation = Field::new("translation", DataType::Struct(texts.clone()), true);
        let columns = langs.iter().map(|_| Filled::new(Kind::Text)).collect();
        let metadata = HashMap::from([("huggingface".to_owned(), hugging_face::features(&langs))]);
        let schema = Arc::new(Schema::new_with_metadata(vec![translation], metadata));
        let shape = Shape::Translation { texts, is_turned };
        Ok(Batches { shape, schema, columns, rows: 0, bytes: 0, extra: Extra::default() })
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Bytes of the rows that wait until the batch is full, approximately.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a row; returns the batch before it when that is full.
    pub fn row(&mut self, row: Row<'_>) -> io::Result<Option<RecordBatch>> {
        let bytes = row.bytes();
        if bytes > ROW_BYTES {
            let problem = format!("a row has {bytes} bytes, and the format holds rows of {ROW_BYTES} at most");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let is_full = self.rows == ROWS || self.bytes + bytes > BYTES;
        let full = if is_full { self.rest()? } else { None };
        let values = match (&self.shape, row) {
            (Shape::Translation { is_turned, .. }, Row::Sentences(line)) => {
                let texts = [&line.text_a, &line.text_b];
                let [first, second] = if *is_turned { [texts[1], texts[0]] } else { texts };
                vec![Value::Text(first.into()), Value::Text(second.into())]
            }
            // These are read again as lines of JSON.
            (Shape::Translation { .. }, row) | (Shape::Table, row @ Row::Rebuild(_)) => return Err(row.refused()),
            (Shape::Table, row) => values(row, self.extra).ok_or_else(|| row.refused())?,
        };
        push_row(&mut self.columns, values)?;
        self.rows += 1;
        self.bytes += bytes;
        Ok(full)
    }

    /// The last batch, if any row is left.
    pub fn rest(&mut self) -> io::Result<Option<RecordBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        (self.rows, self.bytes) = (0, 0);
        let columns: Vec<ArrayRef> = self.columns.iter_mut().map(Filled::take).collect();
        let columns = match &self.shape {
            Shape::Table => columns,
            Shape::Translation { texts, .. } => {
                let translation: ArrayRef = Arc::new(StructArray::new(texts.clone(), columns, None));
                vec![translation]
            }
        };
        Ok(Some(RecordBatch::try_new(self.schema(), columns).map_err(failed)?))
    }
}

/// The error of the output, if it is the cause; else the error of Arrow.
pub(super) fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, source) => source,
        ArrowError::ExternalError(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::{line, pair};
    use crate::export::{Compression, Content};
    use crate::types::{BitextLine, PairLine};

    fn batches(content: Content) -> Batches {
        let now = jiff::Timestamp::from_second(0).expect("a date");
        let (extra, compression) = (Extra::default(), Compression::None);
        Batches::table(&Job { content, langs: None, extra, compression, now })
    }

    #[test]
    fn what_a_batch_holds_is_counted_with_all_that_rows_have() {
        let url = "u".repeat(1 << 20);
        let long = BitextLine { others: vec![(url.clone(), url.clone()); 3], ..line("a", "b") };
        let mut given = batches(Content::Bitext);
        let full: Vec<usize> = (0..7)
            .filter_map(|_| given.row(Row::Sentences(&long)).expect("memory"))
            .map(|batch| batch.num_rows())
            .collect();
        assert_eq!((full, given.rest().expect("memory").map(|batch| batch.num_rows())), (vec![2, 2, 2], Some(1)));
        let pair = PairLine { url_a: url, ..pair() };
        let mut given = batches(Content::Pairs);
        assert!(given.row(Row::Pair(&pair)).expect("memory").is_none() && given.bytes() > 1 << 20);
    }
}
