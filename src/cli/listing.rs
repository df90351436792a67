//! Listings: a table for people, tab-separated values or JSON lines for programs.

use std::io::{self, BufWriter, IsTerminal, Write};

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use diglot::export::rows::{Columns, TsvWriter, json_line, printable};
use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Tsv,
    Jsonl,
}

/// How a listing is printed.
#[derive(Args)]
pub struct FormatArg {
    /// table, tsv or jsonl; by default a table on a terminal, else tsv.
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

impl FormatArg {
    pub fn get(&self) -> Format {
        self.format.unwrap_or(if io::stdout().is_terminal() { Format::Table } else { Format::Tsv })
    }
}

/// Prints rows to stdout; a table is held until [`Listing::finish`], as its widths depend on all rows.
pub struct Listing {
    columns: Vec<&'static str>,
    rows: Rows,
}

enum Rows {
    Table(Table),
    Tsv(TsvWriter<io::StdoutLock<'static>>),
    Jsonl(BufWriter<io::StdoutLock<'static>>),
}

impl Listing {
    pub fn new(format: Format, columns: &[&'static str]) -> io::Result<Listing> {
        let rows = match format {
            Format::Table => {
                let mut table = Table::new();
                table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
                table.set_header(columns.iter().map(|column| column.to_uppercase().replace('_', " ")));
                for column in table.column_iter_mut() {
                    column.set_padding((0, 2));
                }
                Rows::Table(table)
            }
            Format::Tsv => {
                let mut out = TsvWriter::new(io::stdout().lock());
                out.row(columns)?;
                Rows::Tsv(out)
            }
            Format::Jsonl => Rows::Jsonl(BufWriter::new(io::stdout().lock())),
        };
        Ok(Listing { columns: columns.to_vec(), rows })
    }

    pub fn row(&mut self, values: Vec<Value>) -> io::Result<()> {
        match &mut self.rows {
            Rows::Table(table) => {
                table.add_row(values.iter().map(|value| printable(&plain(value)).into_owned()));
                for (at, value) in values.iter().enumerate() {
                    if let (true, Some(column)) = (value.is_number(), table.column_mut(at)) {
                        column.set_cell_alignment(CellAlignment::Right);
                    }
                }
                Ok(())
            }
            Rows::Tsv(out) => {
                let values: Vec<String> = values.iter().map(plain).collect();
                out.row(&values.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Rows::Jsonl(out) => json_line(out, &Columns(&self.columns, &values)),
        }
    }

    pub fn finish(self) -> io::Result<()> {
        match self.rows {
            Rows::Table(table) => {
                let mut out = BufWriter::new(io::stdout().lock());
                for line in table.lines() {
                    writeln!(out, "{}", line.trim_end())?;
                }
                out.flush()
            }
            Rows::Tsv(mut out) => out.flush(),
            Rows::Jsonl(mut out) => out.flush(),
        }
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
