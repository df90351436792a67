//! Arrow columns: which columns each content has, and how they are filled row by row.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::exporter::Content;

/// The type of a column.
pub(super) enum Kind {
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
    /// A list of rows, which have columns themselves.
    Rows(&'static [Column]),
}

/// The name and the type of a column.
pub(super) type Column = (&'static str, Kind);

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

/// The columns of a content.
pub(super) fn columns(content: Content) -> &'static [Column] {
    match content {
        Content::Pairs => PAIRS,
        Content::Bitext => BITEXT,
        Content::Documents => DOCUMENTS,
        Content::Pages => PAGES,
        Content::Fetch => FETCH,
        Content::Warc | Content::Lexicon => &[],
    }
}

/// The same columns as fields of a schema.
pub(super) fn fields(columns: &[Column]) -> Fields {
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
    DataType::List(element(of))
}

fn element(of: DataType) -> FieldRef {
    Arc::new(Field::new("element", of, false))
}

/// The value of a row in a column.
pub(super) enum Value<'v> {
    Text(&'v str),
    Maybe(Option<Cow<'v, str>>),
    Real(f64),
    Long(u64),
    Int(u32),
    MaybeInt(Option<u32>),
    Texts(&'v [&'static str]),
    Rows(Vec<Vec<Value<'v>>>),
}

/// A column that is being filled.
pub(super) enum Filled {
    /// Texts, and whether they may be missing.
    Text(StringBuilder, bool),
    Real(Float64Builder),
    Long(Int64Builder),
    /// Numbers, and whether they may be missing.
    Int(Int32Builder, bool),
    Texts(ListBuilder<StringBuilder>),
    /// For lists of rows: the fields, a column for each, and the length of each list.
    Rows(Fields, Vec<Filled>, Vec<usize>),
}

impl Filled {
    /// A column without rows.
    pub fn new((_, kind): &Column) -> Filled {
        match kind {
            Kind::Text | Kind::Maybe => Filled::Text(StringBuilder::new(), matches!(kind, Kind::Maybe)),
            Kind::Real => Filled::Real(Float64Builder::new()),
            Kind::Long => Filled::Long(Int64Builder::new()),
            Kind::Int | Kind::MaybeInt => Filled::Int(Int32Builder::new(), matches!(kind, Kind::MaybeInt)),
            Kind::Texts => Filled::Texts(ListBuilder::new(StringBuilder::new()).with_field(element(DataType::Utf8))),
            Kind::Rows(columns) => Filled::Rows(fields(columns), columns.iter().map(Filled::new).collect(), Vec::new()),
        }
    }

    /// Adds the value of a row.
    ///
    /// # Errors
    /// When the value is not of the column's type, or a number is too large.
    pub fn push(&mut self, value: Value<'_>) -> io::Result<()> {
        match (self, value) {
            (Filled::Text(column, _), Value::Text(text)) => column.append_value(text),
            (Filled::Text(column, true), Value::Maybe(text)) => column.append_option(text),
            (Filled::Real(column), Value::Real(number)) => column.append_value(number),
            (Filled::Long(column), Value::Long(number)) => column.append_value(fitting(number)?),
            (Filled::Int(column, _), Value::Int(number)) => column.append_value(fitting(number)?),
            (Filled::Int(column, true), Value::MaybeInt(number)) => {
                column.append_option(number.map(fitting).transpose()?)
            }
            (Filled::Texts(column), Value::Texts(texts)) => column.append_value(texts.iter().map(Some)),
            (Filled::Rows(_, columns, lengths), Value::Rows(rows)) => {
                lengths.push(rows.len());
                rows.into_iter().try_for_each(|row| push_row(columns, row))?;
            }
            _ => return Err(invalid("a value of another kind than its column")),
        }
        Ok(())
    }

    /// The filled column; an empty one takes its place.
    pub fn take(&mut self) -> ArrayRef {
        match self {
            Filled::Text(column, _) => Arc::new(column.finish()),
            Filled::Real(column) => Arc::new(column.finish()),
            Filled::Long(column) => Arc::new(column.finish()),
            Filled::Int(column, _) => Arc::new(column.finish()),
            Filled::Texts(column) => Arc::new(column.finish()),
            Filled::Rows(fields, columns, lengths) => {
                let rows = StructArray::new(fields.clone(), columns.iter_mut().map(Filled::take).collect(), None);
                let lengths = OffsetBuffer::from_lengths(std::mem::take(lengths));
                Arc::new(ListArray::new(element(DataType::Struct(fields.clone())), lengths, Arc::new(rows), None))
            }
        }
    }
}

/// Adds a row of values, one for each column.
///
/// # Errors
/// As [`Filled::push`].
pub(super) fn push_row(columns: &mut [Filled], row: Vec<Value<'_>>) -> io::Result<()> {
    if columns.len() != row.len() {
        return Err(invalid("not a value for each column"));
    }
    columns.iter_mut().zip(row).try_for_each(|(column, value)| column.push(value))
}

fn fitting<Given, Fitting: TryFrom<Given>>(number: Given) -> io::Result<Fitting> {
    number.try_into().map_err(|_| invalid("a number too large for its column"))
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem)
}

macro_rules! into_value {
    ($($from:ty => $kind:ident),*) => {
        $(impl<'v> From<$from> for Value<'v> {
            fn from(value: $from) -> Value<'v> {
                Value::$kind(value)
            }
        })*
    };
}

into_value!(&'v str => Text, f64 => Real, u64 => Long, u32 => Int, Option<u32> => MaybeInt, &'v [&'static str] => Texts);

#[cfg(test)]
mod tests {
    use arrow_array::Array;

    use super::*;

    #[test]
    fn a_column_takes_what_it_holds_and_nothing_else() {
        let mut column = Filled::new(&("x", Kind::Rows(&[("n", Kind::Int), ("t", Kind::Maybe)])));
        let row = |n: u32, t: Option<&'static str>| vec![n.into(), Value::Maybe(t.map(Cow::Borrowed))];
        column.push(Value::Rows(vec![row(1, Some("one")), row(2, None)])).expect("rows");
        column.push(Value::Rows(Vec::new())).expect("no rows");
        assert!(column.push("text".into()).is_err());
        assert!(column.push(Value::Rows(vec![vec![1u32.into()]])).is_err());
        assert!(Filled::new(&("x", Kind::Long)).push(u64::MAX.into()).is_err());
        assert!(Filled::new(&("x", Kind::Text)).push(Value::Maybe(None)).is_err());
        assert!(Filled::new(&("x", Kind::Int)).push(Value::MaybeInt(None)).is_err());
        let mut column = Filled::new(&("x", Kind::Rows(&[("n", Kind::Int)])));
        column.push(Value::Rows(vec![vec![7u32.into()]])).expect("a row");
        assert_eq!((column.take().len(), column.take().len()), (1, 0));
    }
}
