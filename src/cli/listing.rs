//! Listings: a table for people, tab- or comma-separated values or JSON for programs; the rows that are asked for, in the order that is asked
//! for.

use std::cmp::Ordering;
use std::io::{self, BufWriter, IsTerminal, Write, stdout};

use clap::{Args, ValueEnum};
use diglot::error::Error;
use diglot::export::rows::{Columns, TsvWriter, json, json_line, printable};
use diglot::export::{ColumnKind, Condition, safe_cell};
use diglot::types::nearest_name;
use serde_json::Value;

use super::say::say;
use super::table::{self, plain};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// Tab-separated values under a line of names.
    Tsv,
    /// Comma-separated values under a line of names.
    Csv,
    /// A JSON object on each line.
    Jsonl,
    /// One JSON array of objects.
    Json,
}

/// How a listing is printed.
#[derive(Args)]
pub struct FormatArg {
    /// table, tsv, csv, jsonl or json; by default a table on a terminal, else tsv.
    #[arg(long, value_enum, hide_possible_values = true)]
    format: Option<Format>,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format", hide_short_help = true)]
    json: bool,
}

impl FormatArg {
    pub fn get(&self) -> Format {
        let json = self.json.then_some(Format::Json);
        self.format.or(json).unwrap_or(if stdout().is_terminal() { Format::Table } else { Format::Tsv })
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
    /// Sort by a column: texts from A, numbers from the largest; `-COLUMN`: the other way round.
    ///
    /// All rows are held in memory until the last one is found; with --limit, not many more than those that are listed.
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    sort: Option<String>,
}

impl ListArgs {
    /// Begins the listing.
    pub fn listing(&self, columns: &[&'static str]) -> anyhow::Result<Listing> {
        self.sorted(columns, None)
    }

    /// Begins the listing, in the usual order of its rows unless the user asks for another one.
    pub fn sorted(&self, columns: &[&'static str], usual: Option<&str>) -> anyhow::Result<Listing> {
        let sort = self.sort().or(usual).map(|sort| Sort::parse(sort, columns)).transpose()?;
        let left = self.limit.unwrap_or(usize::MAX);
        Ok(Listing { left, sort, ..Listing::new(self.format.get(), columns)? })
    }

    /// The column that is sorted by, if one is asked for.
    pub fn sort(&self) -> Option<&str> {
        self.sort.as_deref()
    }
}

/// Which rows are listed, by the columns of the listing.
#[derive(Args)]
pub struct WhereArg {
    /// Only rows whose column fits: `pages>=20`, `key=~^path:`; repeated, all must.
    ///
    /// COLUMN is one of the listing. Then comes = or !=, for numbers also <, <=, > or >=, and for texts ~ (contains) or =~ (matches a
    /// regular expression). A list fits if one of its elements does. Quote it, for < and > mean something to a shell.
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    conditions: Vec<String>,
}

impl WhereArg {
    /// Begins a listing with the rows that meet the conditions, in the usual order unless the user asks for another one.
    pub fn listing(&self, list: &ListArgs, columns: &[&'static str], usual: Option<&str>) -> anyhow::Result<Listing> {
        let kinds: Vec<(&'static str, ColumnKind)> = columns.iter().map(|&column| (column, compared(column))).collect();
        let parse = |text: &String| {
            Condition::of_columns(&kinds, text).map_err(|problem| Error::Config(format!("--where: {problem}")))
        };
        let conditions = self.conditions.iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Listing { conditions, ..list.sorted(columns, usual)? })
    }
}

/// How a column of a listing is compared.
fn compared(column: &str) -> ColumnKind {
    const NUMBERS: [&str; 22] = [
        "number",
        "pages",
        "pairs",
        "credibility",
        "rank",
        "power",
        "assigned",
        "accepted",
        "est_precision",
        "global",
        "chance",
        "offset",
        "length",
        "status",
        "bytes",
        "before",
        "after",
        "gained",
        "lost",
        "changed",
        "score_before",
        "score_after",
    ];
    match column {
        "langs" => ColumnKind::Texts,
        "linked" => ColumnKind::Flag,
        column if NUMBERS.contains(&column) => ColumnKind::Number,
        _ => ColumnKind::Text,
    }
}

/// In which order rows are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sort {
    column: usize,
    /// Sorts the other way round: texts from Z, numbers from the smallest.
    is_turned: bool,
}

impl Sort {
    fn parse(text: &str, columns: &[&'static str]) -> Result<Sort, Error> {
        let (name, is_turned) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        let column = columns.iter().position(|column| *column == name).ok_or_else(|| {
            let meant = nearest_name(name, columns.iter().copied());
            Error::Config(format!("--sort is {text}, expected one of {}{meant}", columns.join(", ")))
        })?;
        Ok(Sort { column, is_turned })
    }

    /// Missing values come last, however the others are sorted.
    fn compare(self, a: &[Value], b: &[Value]) -> Ordering {
        let (a, b) = (&a[self.column], &b[self.column]);
        let order = match (a, b) {
            (Value::Null, _) | (_, Value::Null) => return a.is_null().cmp(&b.is_null()),
            (Value::Number(a), Value::Number(b)) => {
                b.as_f64().unwrap_or_default().total_cmp(&a.as_f64().unwrap_or_default())
            }
            (Value::String(a), Value::String(b)) => a.cmp(b),
            (a, b) => plain(a).cmp(&plain(b)),
        };
        if self.is_turned { order.reverse() } else { order }
    }
}

/// Prints rows to stdout. A table is held back until [`Listing::finish`], since its column widths depend on all rows; so are sorted rows.
pub struct Listing {
    columns: Vec<&'static str>,
    rows: Rows,
    /// What the rows must fit.
    conditions: Vec<Condition>,
    sort: Option<Sort>,
    /// Rows to be sorted.
    unsorted: Vec<Vec<Value>>,
    /// How many more rows the listing takes.
    left: usize,
}

/// How many more rows than asked for are held before the last ones are dropped.
const SLACK: usize = 10_000;

enum Rows {
    Table(Vec<Vec<Value>>),
    Tsv(Box<TsvWriter<io::StdoutLock<'static>>>),
    /// True on a terminal, which must not obey what cells hold.
    Csv(Box<csv::Writer<io::StdoutLock<'static>>>, bool),
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
            Format::Csv => {
                let mut out = csv::Writer::from_writer(stdout().lock());
                out.write_record(columns).map_err(io::Error::from)?;
                Rows::Csv(Box::new(out), stdout().is_terminal())
            }
            Format::Jsonl => Rows::Jsonl(BufWriter::new(stdout().lock())),
            Format::Json => Rows::Json(BufWriter::new(stdout().lock()), false),
        };
        let (columns, left) = (columns.to_vec(), usize::MAX);
        Ok(Listing { columns, rows, conditions: Vec::new(), sort: None, unsorted: Vec::new(), left })
    }

    /// Prints a row if it meets the conditions, unless the limit is reached.
    pub fn row(&mut self, values: Vec<Value>) -> io::Result<()> {
        if !self.conditions.iter().all(|condition| condition.holds_of(&values)) {
            return Ok(());
        }
        let Some(sort) = self.sort else { return self.print(values) };
        self.unsorted.push(values);
        if self.unsorted.len() / 2 > self.left.saturating_add(SLACK) {
            self.unsorted.sort_by(|a, b| sort.compare(a, b));
            self.unsorted.truncate(self.left);
        }
        Ok(())
    }

    fn print(&mut self, values: Vec<Value>) -> io::Result<()> {
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
            Rows::Csv(out, is_terminal) => {
                let cells = values.iter().map(|value| if value.is_null() { String::new() } else { plain(value) });
                let shown = |cell: String| if *is_terminal { printable(&cell).into_owned() } else { cell };
                cells.map(shown).try_for_each(|cell| out.write_field(safe_cell(&cell).as_bytes()))?;
                Ok(out.write_record(None::<&[u8]>)?)
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
        if self.is_full() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// True when it takes no more rows.
    pub fn is_full(&self) -> bool {
        self.left == 0 && self.sort.is_none()
    }

    /// Ends the listing after such a query; true when the query was completed.
    pub fn end(self, asked: Result<(), Error>) -> anyhow::Result<bool> {
        let is_full = self.is_full();
        match asked {
            Err(Error::Interrupted) if is_full => {}
            asked => asked?,
        }
        self.finish()?;
        Ok(!is_full)
    }

    pub fn finish(self) -> io::Result<()> {
        self.finish_with(|_| None)
    }

    /// As [`Listing::finish`]; below a table on a terminal stands what `legend` makes of its rows.
    pub fn finish_with(mut self, legend: impl FnOnce(&[Vec<Value>]) -> Option<String>) -> io::Result<()> {
        if let Some(sort) = self.sort {
            let mut rows = std::mem::take(&mut self.unsorted);
            rows.sort_by(|a, b| sort.compare(a, b));
            rows.into_iter().try_for_each(|row| self.print(row))?;
        }
        match self.rows {
            Rows::Table(rows) => {
                table::print(&self.columns, &rows)?;
                if stdout().is_terminal()
                    && let Some(text) = legend(&rows)
                {
                    say(text);
                }
                Ok(())
            }
            Rows::Tsv(mut out) => out.flush(),
            Rows::Csv(mut out, _) => out.flush(),
            Rows::Jsonl(mut out) => out.flush(),
            Rows::Json(mut out, has_rows) => {
                out.write_all(if has_rows { b"\n]\n" } else { b"[]\n" })?;
                out.flush()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_sorted_as_what_their_values_are_and_what_is_missing_comes_last() {
        let columns = ["host", "pages"];
        let rows = [("b", json!(2)), ("a", json!(10)), ("c", json!(null))];
        let sorted = |by: &str| {
            let sort = Sort::parse(by, &columns).expect(by);
            let mut rows: Vec<Vec<Value>> = rows.iter().map(|(host, pages)| vec![json!(host), pages.clone()]).collect();
            rows.sort_by(|a, b| sort.compare(a, b));
            rows.iter().map(|row| plain(&row[0])).collect::<Vec<_>>().concat()
        };
        assert_eq!(["pages", "-pages", "host", "-host"].map(sorted), ["abc", "bac", "abc", "cba"]);
        let told = Sort::parse("page", &columns).expect_err("no such column").to_string();
        assert_eq!(told, "--sort is page, expected one of host, pages; did you mean pages?");
    }
}
