//! Listings: a table for people, tab-separated values or JSON for programs.

use std::io::{self, BufWriter, IsTerminal, Write, stdout};

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use diglot::error::Error;
use diglot::export::rows::{Columns, TsvWriter, json, json_line, printable};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::layout::{GAP, Wish, fit};
use super::say::say;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// Tab-separated values under a line of names.
    Tsv,
    /// A JSON object on each line.
    Jsonl,
    /// One JSON array of objects.
    Json,
}

/// How a listing is printed.
#[derive(Args)]
pub struct FormatArg {
    /// table, tsv, jsonl or json; by default a table on a terminal, else tsv.
    #[arg(long, value_enum, hide_possible_values = true)]
    pub format: Option<Format>,
}

impl FormatArg {
    pub fn get(&self) -> Format {
        self.format.unwrap_or(if stdout().is_terminal() { Format::Table } else { Format::Tsv })
    }
}

/// Parses the maximum number of rows.
pub fn count(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "expected a whole number, such as 10")
}

/// How a listing that may be long is printed.
#[derive(Args)]
pub struct ListArgs {
    #[command(flatten)]
    format: FormatArg,
    /// List the first N lines only.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    limit: Option<usize>,
}

impl ListArgs {
    /// Begins the listing.
    pub fn listing(&self, columns: &[&'static str]) -> io::Result<Listing> {
        let listing = Listing::new(self.format.get(), columns)?;
        Ok(Listing { left: self.limit.unwrap_or(usize::MAX), ..listing })
    }
}

/// Prints rows to stdout. A table is held back until [`Listing::finish`], since its column widths depend on all rows.
pub struct Listing {
    columns: Vec<&'static str>,
    rows: Rows,
    /// How many more rows it takes.
    left: usize,
}

enum Rows {
    Table(Vec<Vec<Value>>),
    Tsv(Box<TsvWriter<io::StdoutLock<'static>>>),
    Jsonl(BufWriter<io::StdoutLock<'static>>),
    /// True once a row is written.
    Json(BufWriter<io::StdoutLock<'static>>, bool),
}

impl Listing {
    pub fn new(format: Format, columns: &[&'static str]) -> io::Result<Listing> {
        let rows = match format {
            Format::Table => Rows::Table(Vec::new()),
            Format::Tsv => {
                let mut out = TsvWriter::new(stdout().lock());
                out.row(columns)?;
                Rows::Tsv(Box::new(out))
            }
            Format::Jsonl => Rows::Jsonl(BufWriter::new(stdout().lock())),
            Format::Json => Rows::Json(BufWriter::new(stdout().lock()), false),
        };
        Ok(Listing { columns: columns.to_vec(), rows, left: usize::MAX })
    }

    /// Prints a row, unless the limit is reached.
    pub fn row(&mut self, values: Vec<Value>) -> io::Result<()> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(()) };
        self.left = left;
        match &mut self.rows {
            Rows::Table(rows) => {
                rows.push(values);
                Ok(())
            }
            Rows::Tsv(out) => {
                let values: Vec<String> = values.iter().map(plain).collect();
                out.row(&values.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Rows::Jsonl(out) => json_line(out, &Columns(&self.columns, &values)),
            Rows::Json(out, has_rows) => {
                out.write_all(if *has_rows { b",\n" } else { b"[\n" })?;
                *has_rows = true;
                json(out, &Columns(&self.columns, &values))
            }
        }
    }

    /// As [`Listing::row`], for queries that end only by an error: returns one once the limit is reached.
    pub fn next(&mut self, values: Vec<Value>) -> Result<(), Error> {
        self.row(values).map_err(Error::io("stdout", "writing"))?;
        if self.left == 0 { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Ends the listing after such a query; true when the query was completed.
    pub fn end(self, asked: Result<(), Error>) -> anyhow::Result<bool> {
        let is_full = self.left == 0;
        match asked {
            Err(Error::Interrupted) if is_full => {}
            asked => asked?,
        }
        self.finish()?;
        Ok(!is_full)
    }

    pub fn finish(self) -> io::Result<()> {
        match self.rows {
            Rows::Table(rows) => print_table(&self.columns, &rows),
            Rows::Tsv(mut out) => out.flush(),
            Rows::Jsonl(mut out) => out.flush(),
            Rows::Json(mut out, has_rows) => {
                out.write_all(if has_rows { b"\n]\n" } else { b"[]\n" })?;
                out.flush()
            }
        }
    }
}

/// The width of the terminal on stdout; `None` where stdout is not a terminal.
pub fn terminal_width() -> Option<usize> {
    if stdout().is_terminal() { Table::new().width().map(usize::from) } else { None }
}

/// Prints a table, cut to the width of the terminal if there is one.
fn print_table(columns: &[&'static str], rows: &[Vec<Value>]) -> io::Result<()> {
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|value| printable(&plain(value)).into_owned()).collect()).collect();
    let headings: Vec<String> = columns.iter().map(|column| column.to_uppercase().replace('_', " ")).collect();
    let wish = |(at, name): (usize, &&'static str)| Wish {
        name,
        values: cells.iter().map(|row| row[at].width()).max().unwrap_or(0),
        heading: headings[at].width(),
        word: headings[at].split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0),
        is_number: rows.iter().any(|row| row[at].is_number()),
    };
    let wishes: Vec<Wish> = columns.iter().enumerate().map(wish).collect();
    let mut table = Table::new();
    let fitted = fit(&wishes, terminal_width().unwrap_or(usize::MAX));
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(fitted.iter().map(|&(at, _)| headings[at].as_str()));
    for row in &cells {
        let cell = |&(at, width): &(usize, usize)| wishes[at].fitted(&row[at], width);
        table.add_row(fitted.iter().map(cell));
    }
    for (column, (at, width)) in table.column_iter_mut().zip(&fitted) {
        // The padding includes the gap to the next column.
        column.set_padding((0, GAP as u16));
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed((width + GAP).try_into().unwrap_or(u16::MAX))));
        if wishes[*at].is_number {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = BufWriter::new(stdout().lock());
    for line in table.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    drop(out);
    let left_out: Vec<&str> =
        (0..columns.len()).filter(|at| fitted.iter().all(|(kept, _)| kept != at)).map(|at| columns[at]).collect();
    if !left_out.is_empty() {
        say(format!("no room for {}; `--format tsv` has all columns", left_out.join(", ")));
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
