//! JSON that every reader keeps on one line: some readers take other characters than line feeds for the end of a line, too.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Characters that end lines in Unicode, and that JSON allows in texts. All other ends of lines are escaped in any JSON.
pub const ENDS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// JSON without blanks and without [`ENDS`].
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut begin = 0;
        for (at, end) in fragment.match_indices(ENDS) {
            writer.write_all(&fragment.as_bytes()[begin..at])?;
            end.chars().try_for_each(|end| write!(writer, "\\u{:04x}", u32::from(end)))?;
            begin = at + end.len();
        }
        writer.write_all(&fragment.as_bytes()[begin..])
    }
}

/// Writes a value without a line feed at its end.
///
/// # Errors
/// When the output cannot be written.
pub fn write(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, OneLine))?)
}
