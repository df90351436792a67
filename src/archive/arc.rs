//! ARC 1.0 and 1.1, the format before WARC: one line of fields, then the response as it was received.

use std::path::Path;

use super::dates::date_ms;
use super::format::{Archive, Format, Params};
use super::head::content_head;
use super::header::{Dialect, Found, Head, Kind, length};
use super::records;
use crate::error::Result;
use crate::types::SkipReason;

/// A longer line is not taken for a line of fields.
const MAX_LINE_BYTES: usize = 8 << 10;

/// The format of ARC files.
pub(super) struct ArcFormat;

impl Format for ArcFormat {
    fn name(&self) -> &'static str {
        "ARC"
    }

    fn recognises(&self, _path: &Path, head: &[u8]) -> bool {
        content_head(head).starts_with(b"filedesc:")
    }

    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        records::open::<Arc>(path, position, params)
    }
}

/// ARC records.
pub(super) struct Arc;

impl Dialect for Arc {
    const OVERLAP_BYTES: usize = MAX_LINE_BYTES;

    fn begins(bytes: &[u8]) -> bool {
        matches!(Arc::head(bytes), Found::Head(_))
    }

    fn find(bytes: &[u8], at_line_start: bool) -> Option<usize> {
        let first = at_line_start.then_some(0);
        let others = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        first.into_iter().chain(others).find(|&at| Arc::begins(&bytes[at..]))
    }

    fn head(bytes: &[u8]) -> Found {
        let line = &bytes[..bytes.len().min(MAX_LINE_BYTES)];
        let Some(end) = memchr::memchr(b'\n', line) else {
            let may_grow = bytes.len() < MAX_LINE_BYTES && may_be_url(bytes);
            return if may_grow { Found::Part } else { Found::Nothing };
        };
        read_line(&line[..end]).map_or(Found::Nothing, |head| Found::Head(Head { header_bytes: end + 1, ..head }))
    }
}

/// True when an incomplete line begins like a URL.
fn may_be_url(bytes: &[u8]) -> bool {
    let scheme = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
    scheme == bytes.len() || (scheme > 0 && bytes[scheme] == b':')
}

/// `URL IP date type length`; version 2 of the line has more fields before the length. The URL may contain spaces, so the fields are found
/// by searching backwards from the end for an IP address and a date side by side.
fn read_line(line: &[u8]) -> Option<Head> {
    if !may_be_url(line) || !line.contains(&b':') {
        return None;
    }
    let line = String::from_utf8_lossy(line.trim_ascii_end());
    let fields: Vec<&str> = line.split(' ').collect();
    let ip = (1..fields.len().checked_sub(3)?).rev().find(|&at| is_ip(fields[at]) && is_date(fields[at + 1]))?;
    let url = fields[..ip].join(" ");
    let is_file_header = url.starts_with("filedesc:");
    let content_type = fields[ip + 2];
    Some(Head {
        header_bytes: 0,
        block_bytes: length(fields[fields.len() - 1]),
        kind: if is_file_header { Kind::Other(SkipReason::WarcInfo) } else { Kind::Response },
        type_name: if is_file_header { "arc_header" } else { "response" }.to_owned(),
        url,
        date_ms: date_ms(fields[ip + 1]),
        content_type: (content_type != "no-type").then(|| content_type.to_owned()),
        id: String::new(),
        digest: String::new(),
    })
}

fn is_ip(field: &str) -> bool {
    field == "-" || field.parse::<std::net::IpAddr>().is_ok()
}

fn is_date(field: &str) -> bool {
    (12..=20).contains(&field.len()) && field.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_may_hold_spaces() {
        let Found::Head(head) = Arc::head(b"http://ex.org/a b?c d 10.0.0.1 20140216050221 text/html 1591\nHTTP/1.1")
        else {
            panic!("a record")
        };
        assert_eq!((head.url.as_str(), head.block_bytes), ("http://ex.org/a b?c d", Some(1591)));
        assert_eq!(head.content_type.as_deref(), Some("text/html"));
    }

    #[test]
    fn lines_of_a_page_are_no_records() {
        for line in ["<p>see http://ex.org/ 1 2 3\n", "note: 10.0.0.1 text/html 3\n", "\n", "a b c d e\n"] {
            assert_eq!(Arc::head(line.as_bytes()), Found::Nothing, "{line}");
        }
    }
}
