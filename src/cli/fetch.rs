//! `diglot export --what fetch`.

use std::io::{self, Write};

use diglot::query::FetchLine;
use serde_json::json;

/// Writes what to fetch, as tab-separated values or JSON lines.
pub fn write(lines: &[FetchLine], as_json: bool, out: &mut dyn Write) -> io::Result<()> {
    if !as_json {
        writeln!(out, "warc_filename\toffset\tlength\turl")?;
    }
    for FetchLine { file, offset, length, url } in lines {
        if as_json {
            writeln!(
                out,
                "{{\"warc_filename\":{},\"offset\":{offset},\"length\":{length},\"url\":{}}}",
                json!(file),
                json!(url)
            )?;
        } else {
            // A tab in a name would be another column.
            writeln!(out, "{}\t{offset}\t{length}\t{url}", file.replace(['\t', '\n', '\r'], " "))?;
        }
    }
    Ok(())
}
