//! Rows as text: tab-separated values, and JSON objects of some columns.

use std::borrow::Cow;
use std::io::{self, Write};

use csv::{QuoteStyle, Writer, WriterBuilder};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::text::json;

/// Writes tab-separated values, each row on one line: tabs and line ends inside a value become spaces, and other control characters are
/// escaped. A value with quotes (`"`) is put into quotes, and its own quotes are doubled, because most readers interpret quotes.
pub struct TsvWriter<W: Write>(Writer<W>);

impl<W: Write> TsvWriter<W> {
    /// Writes to `out`, with a buffer of its own.
    pub fn new(out: W) -> TsvWriter<W> {
        TsvWriter::with(out, QuoteStyle::Necessary)
    }

    /// The same for readers that do not interpret quotes: values are written without.
    pub(super) fn unquoted(out: W) -> TsvWriter<W> {
        TsvWriter::with(out, QuoteStyle::Never)
    }

    fn with(out: W, quotes: QuoteStyle) -> TsvWriter<W> {
        TsvWriter(WriterBuilder::new().delimiter(b'\t').quote_style(quotes).flexible(true).from_writer(out))
    }

    /// Writes one line.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn row(&mut self, values: &[&str]) -> io::Result<()> {
        for value in values {
            self.0.write_field(printable(value).as_bytes()).map_err(of_output)?;
        }
        self.0.write_record(None::<&[u8]>).map_err(of_output)
    }

    /// Writes everything to the output.
    ///
    /// # Errors
    /// When the output does not take it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Characters that would begin another value or line; all other line ends are control characters.
const BREAKS: [char; 5] = ['\t', '\n', '\r', '\u{2028}', '\u{2029}'];

/// Text on one line, with spaces in place of control characters.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| c.is_control() || BREAKS.contains(&c);
    if is_harmless(text) { text.into() } else { text.replace(is_bad, " ").into() }
}

/// True when a text certainly has no control character and no line end; judged by its bytes, so some harmless texts with non-ASCII
/// characters give false.
fn is_harmless(text: &str) -> bool {
    !text.bytes().any(|byte| byte < b' ' || byte == 0x7f || byte == 0xc2)
        && !text.contains('\u{2028}')
        && !text.contains('\u{2029}')
}

/// Text on one line that is safe on a terminal: tabs and line ends become spaces, other control characters are written like `\x1b`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if is_harmless(text) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            _ if BREAKS.contains(&c) => out.push(' '),
            _ if c.is_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
            _ => out.push(c),
        }
    }
    out.into()
}

/// The error of the output that stopped the writer.
pub(super) fn of_output(error: csv::Error) -> io::Error {
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
    json::write(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Writes one JSON value, without ending the line.
///
/// # Errors
/// When the output does not take it.
pub fn json(out: &mut (impl Write + ?Sized), value: &impl Serialize) -> io::Result<()> {
    json::write(out, value)
}

/// Values with the names of their columns; serialized as a JSON object in the order of the columns.
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
    fn values_stay_on_their_line_and_those_with_quotes_are_quoted() {
        assert_eq!(tsv(&[&["a\tb", "say \"c\""], &["", "d\r\ne"]]), "a b\t\"say \"\"c\"\"\"\n\td  e\n");
        let mut out = Vec::new();
        let mut writer = TsvWriter::unquoted(&mut out);
        writer.row(&["say \"c\"", "\""]).and_then(|()| writer.flush()).expect("memory");
        drop(writer);
        assert_eq!(out, b"say \"c\"\t\"\n");
    }

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        assert_eq!(tsv(&[&["\u{1b}[2Jx\u{7f}", "é\u{9b}1m\u{0}"]]), "\\x1b[2Jx\\x7f\té\\x9b1m\\x00\n");
        assert_eq!(one_line("a\u{1b}b\nc"), "a b c");
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
