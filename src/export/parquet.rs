//! Apache Parquet, by columns, as data frames and query engines read it.

use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use super::exporter::{Content, Exporter, Output, outputs, rounded};
use crate::types::BitextLine;

/// Rows held and written together.
const ROWS: usize = 16 << 10;

struct Parquet {
    writer: SerializedFileWriter<Output>,
    rows: Vec<BitextLine>,
}

/// What a column holds of a row.
enum Column {
    Text(fn(&BitextLine) -> String),
    Real(fn(&BitextLine) -> f64),
    Long(fn(&BitextLine) -> i64),
    Int(fn(&BitextLine) -> i32),
}

const COLUMNS: &[(&str, Column)] = &[
    ("text_a", Column::Text(|line| line.text_a.clone())),
    ("text_b", Column::Text(|line| line.text_b.clone())),
    ("lang_a", Column::Text(|line| line.lang_a.to_string())),
    ("lang_b", Column::Text(|line| line.lang_b.to_string())),
    ("score", Column::Real(|line| rounded(line.score))),
    ("url_a", Column::Text(|line| line.a.url.clone())),
    ("url_b", Column::Text(|line| line.b.url.clone())),
    ("page_score", Column::Real(|line| rounded(line.page_score))),
    ("archive_a", Column::Text(|line| line.a.archive.clone())),
    ("offset_a", Column::Long(|line| i64::try_from(line.a.offset).unwrap_or(i64::MAX))),
    ("block_a", Column::Text(|line| line.a.block.clone())),
    ("archive_b", Column::Text(|line| line.b.archive.clone())),
    ("offset_b", Column::Long(|line| i64::try_from(line.b.offset).unwrap_or(i64::MAX))),
    ("block_b", Column::Text(|line| line.b.block.clone())),
    ("others", Column::Int(|line| i32::try_from(line.others.len()).unwrap_or(i32::MAX))),
    ("reason", Column::Text(|line| line.reason.unwrap_or("").to_owned())),
];

fn failed(error: ParquetError) -> io::Error {
    match error {
        // The cause is an error of the output, which the caller knows how to tell.
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::other(other),
    }
}

fn schema() -> Result<TypePtr, ParquetError> {
    let field = |(name, column): &(&str, Column)| {
        let (physical, logical) = match column {
            Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Column::Real(_) => (Physical::DOUBLE, None),
            Column::Long(_) => (Physical::INT64, None),
            Column::Int(_) => (Physical::INT32, None),
        };
        let field = Type::primitive_type_builder(name, physical);
        Ok(Arc::new(field.with_repetition(Repetition::REQUIRED).with_logical_type(logical).build()?))
    };
    let fields = COLUMNS.iter().map(field).collect::<Result<Vec<_>, ParquetError>>()?;
    Ok(Arc::new(Type::group_type_builder("bitext").with_fields(fields).build()?))
}

pub fn make(_: Content, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    let writer = schema().and_then(|schema| SerializedFileWriter::new(out, schema, properties)).map_err(failed)?;
    Ok(Box::new(Parquet { writer, rows: Vec::new() }))
}

impl Parquet {
    fn write(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.writer.next_row_group()?;
        for (_, column) in COLUMNS {
            let Some(mut writer) = group.next_column()? else { break };
            match column {
                Column::Text(of) => {
                    let values: Vec<ByteArray> = rows.iter().map(|row| of(row).into_bytes().into()).collect();
                    writer.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
                Column::Real(of) => {
                    let values: Vec<f64> = rows.iter().map(of).collect();
                    writer.typed::<DoubleType>().write_batch(&values, None, None)?;
                }
                Column::Long(of) => {
                    let values: Vec<i64> = rows.iter().map(of).collect();
                    writer.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
                Column::Int(of) => {
                    let values: Vec<i32> = rows.iter().map(of).collect();
                    writer.typed::<Int32Type>().write_batch(&values, None, None)?;
                }
            }
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

impl Exporter for Parquet {
    fn sentences(&mut self, line: &BitextLine) -> io::Result<()> {
        self.rows.push(line.clone());
        if self.rows.len() == ROWS { self.write().map_err(failed) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if !self.rows.is_empty() {
            self.write().map_err(failed)?;
        }
        self.writer.finish().map_err(failed)?;
        io::Write::flush(self.writer.inner_mut())
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;
    use crate::export::tests::{export, line};

    #[test]
    fn rows_can_be_read_again() {
        let lines: Vec<BitextLine> = (0..ROWS + 5).map(|n| line(&format!("text {n}"), "好")).collect();
        let file = export("parquet", &lines).remove(0);
        let mut on_disk = tempfile::tempfile().expect("a temporary file");
        io::Write::write_all(&mut on_disk, &file).expect("room on disk");
        let reader = SerializedFileReader::new(on_disk).expect("a Parquet file");
        assert_eq!(reader.num_row_groups(), 2);
        let mut rows = 0;
        for (row, line) in reader.get_row_iter(None).expect("rows").zip(&lines) {
            let row = row.expect("a row");
            assert_eq!(row.get_string(0).expect("text"), &line.text_a);
            assert_eq!(row.get_string(1).expect("text"), "好");
            assert_eq!(row.get_double(4).expect("score"), 0.9877);
            assert_eq!(row.get_long(9).expect("offset"), 77);
            rows += 1;
        }
        assert_eq!(rows, lines.len());
    }
}
