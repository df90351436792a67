//! Rows as text: tab-separated values, and JSON objects of some columns.

use std::io::{self, Write};

use csv::{QuoteStyle, Writer, WriterBuilder};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// Writes tab-separated values. Nothing is quoted: a tab or the end of a line inside a value becomes a space.
pub struct TsvWriter<W: Write>(Writer<W>);

impl<W: Write> TsvWriter<W> {
    /// Writes to `out`, with a buffer of its own.
    pub fn new(out: W) -> TsvWriter<W> {
        TsvWriter(WriterBuilder::new().delimiter(b'\t').quote_style(QuoteStyle::Never).flexible(true).from_writer(out))
    }

    /// Writes one line.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn row(&mut self, values: &[&str]) -> io::Result<()> {
        for value in values {
            let written = if value.contains(BREAKS) {
                self.0.write_field(value.replace(BREAKS, " "))
            } else {
                self.0.write_field(value)
            };
            written.map_err(of_output)?;
        }
        self.0.write_record(None::<&[u8]>).map_err(of_output)
    }

    /// Hands everything on to the output.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What would begin another value or line.
const BREAKS: [char; 3] = ['\t', '\n', '\r'];

/// Text on one line, without tabs.
pub fn one_line(text: &str) -> String {
    text.replace(BREAKS, " ")
}

/// The error of the output that stopped the writer.
fn of_output(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Writes one JSON value and the end of the line.
///
/// # Errors
/// When the output does not take it.
pub fn json_line(out: &mut (impl Write + ?Sized), value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Values under the names of their columns: a JSON object in the order of the columns.
pub struct Columns<'r, T>(pub &'r [&'r str], pub &'r [T]);

impl<T: Serialize> Serialize for Columns<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0.iter().zip(self.1) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tsv(rows: &[&[&str]]) -> String {
        let mut out = Vec::new();
        let mut writer = TsvWriter::new(&mut out);
        for row in rows {
            writer.row(row).expect("memory");
        }
        writer.flush().expect("memory");
        drop(writer);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn values_are_never_quoted_and_stay_on_their_line() {
        assert_eq!(tsv(&[&["a\tb", "say \"c\""], &["", "d\r\ne"]]), "a b\tsay \"c\"\n\td  e\n");
    }

    #[test]
    fn rows_may_be_of_different_lengths() {
        assert_eq!(tsv(&[&["a", "b"], &["c"]]), "a\tb\nc\n");
    }

    #[test]
    fn objects_keep_the_order_of_their_columns() {
        let mut out = Vec::new();
        json_line(&mut out, &Columns(&["z", "a"], &[serde_json::json!("\""), serde_json::json!(1.0)])).expect("memory");
        assert_eq!(out, b"{\"z\":\"\\\"\",\"a\":1.0}\n");
    }
}
