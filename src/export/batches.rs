//! Rows as Arrow batches, for Parquet and Arrow files.
//!
//! `columns.rs` has the columns of each content; this file has the values of a row, which are the same as in JSON objects, under the same
//! names.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};

use super::columns::{Filled, Kind, Value, columns, fields, push_row};
use super::exporter::{Job, Row, rounded};
use super::hugging_face;
use super::objects::date;
use crate::types::{AlignedSentences, BitextLine, DocumentLine, FetchLine, PageLine, PairLine, SentencePlace};

/// How many rows a batch has at most.
pub(super) const ROWS: usize = 16 << 10;
/// Bytes of text in a batch, approximately: it may be exceeded by one row.
const BYTES: usize = 16 << 20;

/// The values of a row, in the order of its columns; `None` where there are no columns.
fn values(row: Row<'_>) -> Option<Vec<Value<'_>>> {
    Some(match row {
        Row::Pair(pair) => of_pair(pair),
        Row::Sentences(line) => of_sentences(line),
        Row::Document(line) => of_document(line),
        Row::Page(page) => of_page(page),
        Row::Capture(line) => of_capture(line),
        Row::Record(_) | Row::Words(_) => return None,
    })
}

fn of_pair(pair: &PairLine) -> Vec<Value<'_>> {
    vec![
        pair.url_a.as_str().into(),
        pair.url_b.as_str().into(),
        pair.lang_a.as_str().into(),
        pair.lang_b.as_str().into(),
        rounded(pair.score).into(),
        pair.method.into(),
        pair.key.as_str().into(),
    ]
}

/// The source of each side has a column for each of its parts.
fn of_sentences(line: &BitextLine) -> Vec<Value<'_>> {
    vec![
        line.text_a.as_str().into(),
        line.text_b.as_str().into(),
        line.lang_a.as_str().into(),
        line.lang_b.as_str().into(),
        rounded(line.score).into(),
        line.a.url.as_str().into(),
        line.b.url.as_str().into(),
        rounded(line.page_score).into(),
        line.a.archive.as_str().into(),
        line.a.offset.into(),
        line.a.block.as_str().into(),
        line.b.archive.as_str().into(),
        line.b.offset.into(),
        line.b.block.as_str().into(),
        u32::try_from(line.others.len()).unwrap_or(u32::MAX).into(),
        line.reason.unwrap_or("").into(),
    ]
}

fn of_document(line: &DocumentLine) -> Vec<Value<'_>> {
    let (a, b) = (&line.a, &line.b);
    let mut values = of_pair(&line.pair);
    values.extend([
        rounded(line.page_score).into(),
        a.title.as_str().into(),
        b.title.as_str().into(),
        a.text.as_str().into(),
        b.text.as_str().into(),
        a.tags.as_slice().into(),
        b.tags.as_slice().into(),
        date_of(a),
        date_of(b),
        a.archive.as_str().into(),
        b.archive.as_str().into(),
        a.offset.into(),
        b.offset.into(),
        Value::Rows(line.sentences.iter().map(of_aligned).collect()),
    ]);
    values
}

fn of_aligned(line: &AlignedSentences) -> Vec<Value<'_>> {
    fn text(place: &Option<SentencePlace>) -> Value<'_> {
        place.as_ref().map_or("", |place| &place.text).into()
    }
    let of = |place: &Option<SentencePlace>| -> [Value<'static>; 3] {
        let place = place.as_ref();
        [
            place.map(|place| place.paragraph).into(),
            place.map(|place| place.sentence).into(),
            place.map_or(0, |place| place.count).into(),
        ]
    };
    let mut values = vec![text(&line.a), text(&line.b), rounded(line.score).into()];
    values.extend(of(&line.a));
    values.extend(of(&line.b));
    values.push(Value::Maybe(line.reason.map(Cow::Borrowed)));
    values
}

fn of_page(page: &PageLine) -> Vec<Value<'_>> {
    vec![
        page.url.as_str().into(),
        page.lang.as_str().into(),
        page.title.as_str().into(),
        page.text.as_str().into(),
        page.tags.as_slice().into(),
        date_of(page),
        page.archive.as_str().into(),
        page.offset.into(),
    ]
}

fn date_of(page: &PageLine) -> Value<'static> {
    Value::Maybe(page.date_ms.and_then(date).map(Cow::Owned))
}

fn of_capture(line: &FetchLine) -> Vec<Value<'_>> {
    vec![line.file.as_str().into(), line.offset.into(), line.length.into(), line.url.as_str().into()]
}

/// The shape of rows in batches.
enum Shape {
    /// The columns of the content.
    Table,
    /// One column, `translation`, with these fields: a text in each of two languages.
    Translation(Fields),
}

/// Collects rows into batches.
pub(super) struct Batches {
    shape: Shape,
    schema: SchemaRef,
    columns: Vec<Filled>,
    rows: usize,
    bytes: usize,
}

impl Batches {
    /// For rows with the columns of a content.
    pub fn table(job: &Job) -> Batches {
        let columns = columns(job.content);
        let schema = Arc::new(Schema::new(fields(columns)));
        let columns = columns.iter().map(Filled::new).collect();
        Batches { shape: Shape::Table, schema, columns, rows: 0, bytes: 0 }
    }

    /// For translations.
    ///
    /// # Errors
    /// When the job has no two languages.
    pub fn translations(job: &Job) -> io::Result<Batches> {
        let langs = hugging_face::langs(job)?;
        let texts: Fields = langs.iter().map(|lang| Field::new(lang, DataType::Utf8, false)).collect();
        let translation = Field::new("translation", DataType::Struct(texts.clone()), false);
        let columns = langs.iter().map(|_| Filled::new(&("", Kind::Text))).collect();
        let schema = Arc::new(Schema::new(vec![translation]));
        Ok(Batches { shape: Shape::Translation(texts), schema, columns, rows: 0, bytes: 0 })
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Adds a row; returns a batch when it is full.
    pub fn row(&mut self, row: Row<'_>) -> io::Result<Option<RecordBatch>> {
        let values = match (&self.shape, row) {
            (Shape::Translation(_), Row::Sentences(line)) => {
                vec![line.text_a.as_str().into(), line.text_b.as_str().into()]
            }
            (Shape::Translation(_), row) => return Err(row.refused()),
            (Shape::Table, row) => values(row).ok_or_else(|| row.refused())?,
        };
        push_row(&mut self.columns, values)?;
        self.rows += 1;
        self.bytes += bytes(row);
        if self.rows == ROWS || self.bytes >= BYTES { self.rest() } else { Ok(None) }
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
            Shape::Translation(texts) => {
                let translation: ArrayRef = Arc::new(StructArray::new(texts.clone(), columns, None));
                vec![translation]
            }
        };
        Ok(Some(RecordBatch::try_new(self.schema(), columns).map_err(failed)?))
    }
}

/// About how many bytes of text a row holds.
fn bytes(row: Row<'_>) -> usize {
    match row {
        Row::Sentences(line) => line.text_a.len() + line.text_b.len(),
        // The sentences repeat the texts.
        Row::Document(line) => 2 * (line.a.text.len() + line.b.text.len()),
        Row::Page(page) => page.text.len(),
        _ => 0,
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
