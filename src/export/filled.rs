//! Arrow columns, filled row by row.

use std::io;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::columns::{Head, Kind, Value};

/// Columns as fields of a schema.
pub(super) fn fields(columns: &[Head]) -> Fields {
    let field = |(name, kind): &Head| {
        let (of, is_nullable) = match kind {
            Kind::Text => (DataType::Utf8, false),
            Kind::Maybe => (DataType::Utf8, true),
            Kind::Real => (DataType::Float64, false),
            Kind::MaybeReal => (DataType::Float64, true),
            Kind::Long => (DataType::Int64, false),
            Kind::Int => (DataType::Int32, false),
            Kind::MaybeInt => (DataType::Int32, true),
            Kind::Flag => (DataType::Boolean, false),
            Kind::Texts => (list(DataType::Utf8), false),
            Kind::Rows(inner) => (list(DataType::Struct(fields(&inner.heads()))), false),
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

/// A column that is being filled.
pub(super) enum Filled {
    /// Texts, and whether they may be missing.
    Text(StringBuilder, bool),
    /// Real numbers, and whether they may be missing.
    Real(Float64Builder, bool),
    Long(Int64Builder),
    /// Numbers, and whether they may be missing.
    Int(Int32Builder, bool),
    Flag(BooleanBuilder),
    Texts(ListBuilder<StringBuilder>),
    /// For lists of rows: the fields, a column for each, and the length of each list.
    Rows(Fields, Vec<Filled>, Vec<usize>),
}

impl Filled {
    /// A column without rows, which takes no memory: there may be many files at once.
    pub fn new(kind: Kind) -> Filled {
        match kind {
            Kind::Text | Kind::Maybe => Filled::Text(StringBuilder::with_capacity(0, 0), kind == Kind::Maybe),
            Kind::Real | Kind::MaybeReal => Filled::Real(Float64Builder::with_capacity(0), kind == Kind::MaybeReal),
            Kind::Long => Filled::Long(Int64Builder::with_capacity(0)),
            Kind::Int | Kind::MaybeInt => Filled::Int(Int32Builder::with_capacity(0), kind == Kind::MaybeInt),
            Kind::Flag => Filled::Flag(BooleanBuilder::with_capacity(0)),
            Kind::Texts => {
                let texts = ListBuilder::with_capacity(StringBuilder::with_capacity(0, 0), 0);
                Filled::Texts(texts.with_field(element(DataType::Utf8)))
            }
            Kind::Rows(inner) => {
                let columns = inner.heads();
                let filled = columns.iter().map(|(_, kind)| Filled::new(*kind)).collect();
                Filled::Rows(fields(&columns), filled, Vec::new())
            }
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
            (Filled::Real(column, _), Value::Real(number)) => column.append_value(number),
            (Filled::Real(column, true), Value::MaybeReal(number)) => column.append_option(number),
            (Filled::Long(column), Value::Long(number)) => column.append_value(fitting(number)?),
            (Filled::Int(column, _), Value::Int(number)) => column.append_value(fitting(number)?),
            (Filled::Int(column, true), Value::MaybeInt(number)) => {
                column.append_option(number.map(fitting).transpose()?)
            }
            (Filled::Flag(column), Value::Flag(is_so)) => column.append_value(is_so),
            (Filled::Texts(column), Value::Texts(texts)) => column.append_value(texts.iter().map(Some)),
            (Filled::Rows(_, columns, lengths), Value::Rows(rows)) => {
                let rows = rows.values();
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
            Filled::Real(column, _) => Arc::new(column.finish()),
            Filled::Long(column) => Arc::new(column.finish()),
            Filled::Int(column, _) => Arc::new(column.finish()),
            Filled::Flag(column) => Arc::new(column.finish()),
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

#[cfg(test)]
mod tests {
    use arrow_array::Array;

    use super::super::columns::{Inner, Rows};
    use super::*;
    use crate::types::{AlignedSentences, Lang, UnitPair};

    #[test]
    fn a_column_takes_what_it_holds_and_nothing_else() {
        let mut column = Filled::new(Kind::Rows(Inner::Sentences));
        let line = AlignedSentences { a: None, b: None, score: 0.5, reason: Some("low score") };
        let lines = [line.clone(), AlignedSentences { reason: None, ..line }];
        column.push(Value::Rows(Rows::Sentences(&lines))).expect("rows");
        column.push(Value::Rows(Rows::Sentences(&[]))).expect("no rows");
        assert!(column.push(Value::Text("text".into())).is_err());
        let other = [UnitPair { lang_a: Lang::EN, lang_b: Lang::ZH, score: 0.5 }];
        assert!(Filled::new(Kind::Rows(Inner::Sentences)).push(Value::Rows(Rows::UnitPairs(&other))).is_err());
        assert!(Filled::new(Kind::Long).push(Value::Long(u64::MAX)).is_err());
        assert!(Filled::new(Kind::Text).push(Value::Maybe(None)).is_err());
        assert!(Filled::new(Kind::Real).push(Value::MaybeReal(None)).is_err());
        assert!(Filled::new(Kind::MaybeReal).push(Value::MaybeReal(None)).is_ok());
        assert!(Filled::new(Kind::Int).push(Value::MaybeInt(None)).is_err());
        assert_eq!((column.take().len(), column.take().len()), (2, 0));
    }
}
