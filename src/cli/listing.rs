//! Listings: a table for people, tab-separated values or JSON lines for programs.

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Tsv,
    Jsonl,
}

/// Prints rows to stdout; a table is held until [`Listing::finish`], as its widths depend on all rows.
pub struct Listing {
    format: Format,
    columns: Vec<&'static str>,
    table: Table,
    out: BufWriter<io::StdoutLock<'static>>,
}

impl Listing {
    pub fn new(format: Format, columns: &[&'static str]) -> io::Result<Listing> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(columns.iter().map(|column| column.to_uppercase().replace('_', " ")));
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        let mut listing =
            Listing { format, columns: columns.to_vec(), table, out: BufWriter::new(io::stdout().lock()) };
        if format == Format::Tsv {
            writeln!(listing.out, "{}", columns.join("\t"))?;
        }
        Ok(listing)
    }

    pub fn row(&mut self, values: Vec<Value>) -> io::Result<()> {
        match self.format {
            Format::Table => {
                self.table.add_row(values.iter().map(plain));
                for (at, value) in values.iter().enumerate() {
                    if let (true, Some(column)) = (value.is_number(), self.table.column_mut(at)) {
                        column.set_cell_alignment(CellAlignment::Right);
                    }
                }
                Ok(())
            }
            Format::Tsv => {
                let fields: Vec<String> =
                    values.iter().map(|value| plain(value).replace(['\t', '\n', '\r'], " ")).collect();
                writeln!(self.out, "{}", fields.join("\t"))
            }
            Format::Jsonl => {
                // Written by hand, field by field, so that the order is that of the columns.
                let fields = self.columns.iter().zip(&values).map(|(column, value)| format!("\"{column}\":{value}"));
                writeln!(self.out, "{{{}}}", fields.collect::<Vec<_>>().join(","))
            }
        }
    }

    pub fn finish(mut self) -> io::Result<()> {
        if self.format == Format::Table {
            for line in self.table.lines() {
                writeln!(self.out, "{}", line.trim_end())?;
            }
        }
        self.out.flush()
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number with a fixed count of digits behind the point.
pub fn number(value: f64, digits: i32) -> Value {
    let scale = 10f64.powi(digits);
    serde_json::Number::from_f64((value * scale).round() / scale).map_or(Value::Null, Value::Number)
}
