//! Rows as Arrow batches: what Parquet and Arrow files are made of.
//!
//! The columns of each content are in one table; the values are those of the objects of the same names.

use std::io;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_json::reader::{Decoder, ReaderBuilder};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use serde::Serialize;

use super::exporter::{Content, Job, Row, rounded};
use super::hugging_face;
use super::objects::object;
use crate::types::BitextLine;

/// Rows of a batch, at the most.
pub(super) const ROWS: usize = 16 << 10;
/// Bytes of text in a batch, about: one more row may come on top.
const BYTES: usize = 16 << 20;

/// What a column holds.
enum Kind {
    Text,
    /// A text that may be missing.
    Maybe,
    Real,
    Long,
    Int,
    /// A number that may be missing.
    MaybeInt,
    /// A list of texts.
    Texts,
    /// A list of what has columns itself.
    Rows(&'static [Column]),
}

type Column = (&'static str, Kind);

const PAIRS: &[Column] = {
    use Kind::{Real, Text};
    &[
        ("url_a", Text),
        ("url_b", Text),
        ("lang_a", Text),
        ("lang_b", Text),
        ("score", Real),
        ("method", Text),
        ("key", Text),
    ]
};

const BITEXT: &[Column] = {
    use Kind::{Int, Long, Real, Text};
    &[
        ("text_a", Text),
        ("text_b", Text),
        ("lang_a", Text),
        ("lang_b", Text),
        ("score", Real),
        ("url_a", Text),
        ("url_b", Text),
        ("page_score", Real),
        ("archive_a", Text),
        ("offset_a", Long),
        ("block_a", Text),
        ("archive_b", Text),
        ("offset_b", Long),
        ("block_b", Text),
        ("others", Int),
        ("reason", Text),
    ]
};

const DOCUMENTS: &[Column] = {
    use Kind::{Int, Long, Maybe, MaybeInt, Real, Rows, Text, Texts};
    &[
        ("url_a", Text),
        ("url_b", Text),
        ("lang_a", Text),
        ("lang_b", Text),
        ("score", Real),
        ("method", Text),
        ("key", Text),
        ("page_score", Real),
        ("title_a", Text),
        ("title_b", Text),
        ("text_a", Text),
        ("text_b", Text),
        ("tags_a", Texts),
        ("tags_b", Texts),
        ("date_a", Maybe),
        ("date_b", Maybe),
        ("archive_a", Text),
        ("archive_b", Text),
        ("offset_a", Long),
        ("offset_b", Long),
        (
            "sentences",
            Rows(&[
                ("text_a", Text),
                ("text_b", Text),
                ("score", Real),
                ("paragraph_a", MaybeInt),
                ("sentence_a", MaybeInt),
                ("count_a", Int),
                ("paragraph_b", MaybeInt),
                ("sentence_b", MaybeInt),
                ("count_b", Int),
                ("reason", Maybe),
            ]),
        ),
    ]
};

const PAGES: &[Column] = {
    use Kind::{Long, Maybe, Text, Texts};
    &[
        ("url", Text),
        ("lang", Text),
        ("title", Text),
        ("text", Text),
        ("tags", Texts),
        ("date", Maybe),
        ("archive", Text),
        ("offset", Long),
    ]
};

const FETCH: &[Column] = {
    use Kind::{Long, Text};
    &[("warc_filename", Text), ("offset", Long), ("length", Long), ("url", Text)]
};

fn columns(content: Content) -> &'static [Column] {
    match content {
        Content::Pairs => PAIRS,
        Content::Bitext => BITEXT,
        Content::Documents => DOCUMENTS,
        Content::Pages => PAGES,
        Content::Fetch => FETCH,
        Content::Warc | Content::Lexicon => &[],
    }
}

fn fields(columns: &[Column]) -> Fields {
    let field = |(name, kind): &Column| {
        let (of, is_nullable) = match kind {
            Kind::Text => (DataType::Utf8, false),
            Kind::Maybe => (DataType::Utf8, true),
            Kind::Real => (DataType::Float64, false),
            Kind::Long => (DataType::Int64, false),
            Kind::Int => (DataType::Int32, false),
            Kind::MaybeInt => (DataType::Int32, true),
            Kind::Texts => (list(DataType::Utf8), false),
            Kind::Rows(columns) => (list(DataType::Struct(fields(columns))), false),
        };
        Field::new(*name, of, is_nullable)
    };
    columns.iter().map(field).collect()
}

fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("element", of, false)))
}

/// A sentence pair in columns: where each side is from has a column for each part.
#[derive(Serialize)]
struct FlatSentences<'l> {
    text_a: &'l str,
    text_b: &'l str,
    lang_a: &'l str,
    lang_b: &'l str,
    score: f64,
    url_a: &'l str,
    url_b: &'l str,
    page_score: f64,
    archive_a: &'l str,
    offset_a: u64,
    block_a: &'l str,
    archive_b: &'l str,
    offset_b: u64,
    block_b: &'l str,
    others: usize,
    reason: &'l str,
}

impl<'l> From<&'l BitextLine> for FlatSentences<'l> {
    fn from(line: &'l BitextLine) -> Self {
        FlatSentences {
            text_a: &line.text_a,
            text_b: &line.text_b,
            lang_a: line.lang_a.as_str(),
            lang_b: line.lang_b.as_str(),
            score: rounded(line.score),
            url_a: &line.a.url,
            url_b: &line.b.url,
            page_score: rounded(line.page_score),
            archive_a: &line.a.archive,
            offset_a: line.a.offset,
            block_a: &line.a.block,
            archive_b: &line.b.archive,
            offset_b: line.b.offset,
            block_b: &line.b.block,
            others: line.others.len(),
            reason: line.reason.unwrap_or(""),
        }
    }
}

/// What rows look like in the batches.
enum Shape {
    /// As their table says.
    Table,
    /// `translation`, with a text in each of two languages.
    Translation([String; 2]),
}

/// Gathers rows until they make a batch.
pub(super) struct Batches {
    shape: Shape,
    schema: SchemaRef,
    decoder: Decoder,
    rows: usize,
    bytes: usize,
}

impl Batches {
    /// Of rows with the columns of a content.
    pub fn table(job: &Job) -> io::Result<Batches> {
        Batches::new(Shape::Table, fields(columns(job.content)))
    }

    /// Of translations.
    pub fn translations(job: &Job) -> io::Result<Batches> {
        let langs = hugging_face::langs(job)?;
        let texts: Fields = langs.iter().map(|lang| Field::new(lang, DataType::Utf8, false)).collect();
        let translation = Field::new("translation", DataType::Struct(texts), false);
        Batches::new(Shape::Translation(langs), [translation].into_iter().collect())
    }

    fn new(shape: Shape, fields: Fields) -> io::Result<Batches> {
        let schema = Arc::new(Schema::new(fields));
        let decoder = ReaderBuilder::new(schema.clone()).build_decoder().map_err(failed)?;
        Ok(Batches { shape, schema, decoder, rows: 0, bytes: 0 })
    }

    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Adds a row; gives a batch when there is enough for one.
    pub fn row(&mut self, row: Row<'_>) -> io::Result<Option<RecordBatch>> {
        let added = match (&self.shape, row) {
            (Shape::Translation([a, b]), Row::Sentences(line)) => {
                let translation = super::rows::Columns(&[a, b], &[line.text_a.as_str(), line.text_b.as_str()]);
                self.decoder.serialize(&[super::rows::Columns(&["translation"], &[translation])])
            }
            (Shape::Table, Row::Sentences(line)) => self.decoder.serialize(&[FlatSentences::from(line)]),
            (Shape::Table, row) => self.decoder.serialize(&[object(row).ok_or_else(|| row.refused())?]),
            (Shape::Translation(_), row) => return Err(row.refused()),
        };
        added.map_err(failed)?;
        self.rows += 1;
        self.bytes += bytes(row);
        if self.rows == ROWS || self.bytes >= BYTES { self.rest() } else { Ok(None) }
    }

    /// The rows that are not in a batch yet.
    pub fn rest(&mut self) -> io::Result<Option<RecordBatch>> {
        (self.rows, self.bytes) = (0, 0);
        self.decoder.flush().map_err(failed)
    }
}

/// About how much text a row holds.
fn bytes(row: Row<'_>) -> usize {
    match row {
        Row::Sentences(line) => line.text_a.len() + line.text_b.len(),
        // Sentences say the texts again.
        Row::Document(line) => 2 * (line.a.text.len() + line.b.text.len()),
        Row::Page(page) => page.text.len(),
        _ => 0,
    }
}

/// The error of the output, where one is the cause.
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
