//! MHTML (RFC 2557): a page and its images in one file, as browsers save them.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Message, MessageParser, MimeHeaders};
use memchr::{memchr, memmem};

use super::notes::web;
use crate::panics::sheltered;

/// Endings of such files.
pub(super) const ENDINGS: [&str; 2] = ["mhtml", "mht"];

/// How deep parts within parts are searched. In files that browsers save, the page is at the first or second level.
const MAX_DEPTH: usize = 4;
/// How much of the headers of a part is looked at.
const MAX_HEADER_BYTES: usize = 64 << 10;

/// The page in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The address of the part, where the part says one.
    pub(super) url: Option<String>,
    /// The date in milliseconds since 1970; 0 where the part says none.
    pub(super) date_ms: i64,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

/// True for the first bytes of an MHTML file: headers, one of which gives the type of a page with the files that belong to it.
pub(super) fn begins(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let headers = text.trim_start();
    let end = [headers.find("\r\n\r\n"), headers.find("\n\n")].into_iter().flatten().min().unwrap_or(headers.len());
    let headers = &headers[..end];
    let first = headers.lines().next().and_then(|line| line.split_once(':')).map_or("", |(name, _)| name);
    let is_name = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name
        && headers.contains("mime-version:")
        && headers.contains("content-type:")
        && headers.contains("multipart/related")
}

/// The first part that is a page; `None` where there is none, or where the headers are so damaged that the parser gives up.
pub(super) fn page(bytes: &[u8]) -> Option<Page> {
    sheltered(|| read(bytes)).flatten()
}

fn read(bytes: &[u8]) -> Option<Page> {
    let whole = Part::new(bytes.trim_ascii_start())?;
    let message = whole.headers.clone();
    let part = whole.page(MAX_DEPTH)?;
    let text =
        |name: &'static str| message.header(name).and_then(|value| value.as_text()).and_then(|url| web(url.trim()));
    let url = text("Snapshot-Content-Location");
    let url = url
        .or_else(|| part.headers.content_location().and_then(|url| web(url.trim())))
        .or_else(|| text("Content-Location"));
    let date_ms = message.date().map_or(0, |date| date.to_timestamp().saturating_mul(1000));
    let charset = part.headers.content_type().and_then(|kind| kind.attribute("charset"));
    let content_type = charset.map_or("text/html".to_owned(), |charset| format!("text/html; charset={charset}"));
    Some(Page { url, date_ms, content_type, body: part.decoded()? })
}

/// A part of a mail, or the whole mail. Only headers are given to the parser, because it would hold all parts in memory at once, and parts
/// within parts to any depth.
struct Part<'b> {
    headers: Message<'b>,
    body: &'b [u8],
}

impl<'b> Part<'b> {
    /// `None` where there are no headers.
    fn new(bytes: &'b [u8]) -> Option<Part<'b>> {
        let (head, body) = bytes.split_at(headers_end(bytes));
        let headers = MessageParser::new().parse_headers(&head[..head.len().min(MAX_HEADER_BYTES)])?;
        Some(Part { headers, body })
    }

    /// This part, if it is a page, or the first one in it.
    fn page(self, depth: usize) -> Option<Part<'b>> {
        let kind = self.headers.content_type()?;
        if is_page(kind) {
            return Some(self);
        }
        let boundary = kind.attribute("boundary").filter(|boundary| !boundary.is_empty() && depth > 0)?;
        if !kind.ctype().eq_ignore_ascii_case("multipart") {
            return None;
        }
        Parts::new(self.body, boundary).find_map(|part| Part::new(part)?.page(depth - 1))
    }

    /// The bytes of the part's body as they were before they were coded for mail. The charset is not changed.
    fn decoded(&self) -> Option<Vec<u8>> {
        let coding = self.headers.content_transfer_encoding().unwrap_or_default().trim().to_ascii_lowercase();
        match coding.as_str() {
            "quoted-printable" => quoted_printable_decode(self.body),
            "base64" => base64_decode(self.body),
            _ => Some(self.body.to_vec()),
        }
    }
}

fn is_page(kind: &ContentType<'_>) -> bool {
    let of = |name: &str| kind.subtype().is_some_and(|subtype| subtype.eq_ignore_ascii_case(name));
    (kind.ctype().eq_ignore_ascii_case("text") && of("html"))
        || (kind.ctype().eq_ignore_ascii_case("application") && of("xhtml+xml"))
}

/// Where headers end: after the first blank line, or where there is none, at the end.
fn headers_end(bytes: &[u8]) -> usize {
    let mut start = 0;
    while let Some(length) = memchr(b'\n', &bytes[start..]) {
        let line = &bytes[start..start + length];
        start += length + 1;
        if line.trim_ascii().is_empty() {
            return start;
        }
    }
    bytes.len()
}

/// The parts of a body, each with its headers. The last one may be cut off.
struct Parts<'b> {
    delimiter: memmem::Finder<'static>,
    /// What follows the last delimiter that was found; `None` after the last part.
    rest: Option<&'b [u8]>,
}

impl<'b> Parts<'b> {
    fn new(body: &'b [u8], boundary: &str) -> Parts<'b> {
        let delimiter = memmem::Finder::new(&format!("--{boundary}")).into_owned();
        let mut parts = Parts { delimiter, rest: None };
        parts.rest = parts.delimiter_in(body).and_then(|(_, rest)| rest);
        parts
    }

    /// What precedes the first delimiter, without the line break that belongs to the delimiter; and what follows it, unless it is the last
    /// one.
    fn delimiter_in(&self, bytes: &'b [u8]) -> Option<(&'b [u8], Option<&'b [u8]>)> {
        self.delimiter.find_iter(bytes).find_map(|at| {
            let (before, rest) = (&bytes[..at], &bytes[at + self.delimiter.needle().len()..]);
            let line = &rest[..memchr(b'\n', rest).map_or(rest.len(), |end| end + 1)];
            let is_last = line.starts_with(b"--");
            let is_line = before.last().is_none_or(|byte| *byte == b'\n');
            let before = before.strip_suffix(b"\n").unwrap_or(before);
            let before = before.strip_suffix(b"\r").unwrap_or(before);
            // A longer boundary may begin as this one.
            let is_whole = is_last || line.trim_ascii().is_empty();
            (is_line && is_whole).then(|| (before, (!is_last).then(|| &rest[line.len()..])))
        })
    }
}

impl<'b> Iterator for Parts<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        let rest = self.rest.take()?;
        let (part, next) = self.delimiter_in(rest).unwrap_or((rest, None));
        self.rest = next;
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A file as Chrome writes it.
    pub(in crate::archive::pages) fn file(coding: &str, body: &str) -> String {
        format!(
            "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://ex.org/a?b=3Dc\r\nSubject: =?utf-8?Q?x?=\r\n\
             Date: Sat, 28 Nov 2026 12:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\
             \ttype=\"text/html\";\r\n\tboundary=\"----MultipartBoundary--x----\"\r\n\r\n\r\n\
             ------MultipartBoundary--x----\r\nContent-Type: text/html; charset=windows-1252\r\nContent-ID: <f@mhtml.blink>\r\n\
             Content-Transfer-Encoding: {coding}\r\nContent-Location: https://ex.org/part\r\n\r\n{body}\r\n\
             ------MultipartBoundary--x----\r\nContent-Type: image/gif\r\nContent-Transfer-Encoding: base64\r\n\
             Content-Location: https://ex.org/i.gif\r\n\r\nR0lGODlhAQABAAAAACw=\r\n------MultipartBoundary--x------\r\n"
        )
    }

    #[test]
    fn the_page_is_the_first_part_that_is_html_with_the_bytes_it_had() {
        for (coding, body) in [
            ("quoted-printable", "<p class=3Dx>caf=E9 and =\r\nmore"),
            ("base64", "PHAgY2xhc3M9eD5jYWbpIGFuZCBt\r\nb3Jl"),
        ] {
            let file = file(coding, body);
            assert!(begins(file.as_bytes()[..400].trim_ascii()));
            let page = page(file.as_bytes()).expect("a page");
            assert_eq!(page.url.as_deref(), Some("https://ex.org/a?b=3Dc"));
            assert_eq!(
                (page.date_ms, page.content_type.as_str()),
                (1_795_863_600_000, "text/html; charset=windows-1252")
            );
            assert_eq!(page.body, b"<p class=x>caf\xe9 and more", "{coding}");
        }
        let without = file("8bit", "<p>x").replace("Snapshot-Content-Location", "X-Other");
        assert_eq!(page(without.as_bytes()).expect("a page").url.as_deref(), Some("https://ex.org/part"));
        assert_eq!(page(without.replace("https://", "cid:").as_bytes()).expect("a page").url, None);
        assert_eq!(page(without.replace("text/html; c", "text/css; c").as_bytes()), None);
    }

    /// A mail of `depth` parts in parts, of this type, around a page.
    fn nested(depth: usize, kind: &str) -> Vec<u8> {
        let mut text = String::from("MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n");
        for at in 1..depth {
            text.push_str(&format!("Content-Type: {kind}; boundary=b{at}\n\n"));
            if kind.starts_with("multipart") {
                text.push_str(&format!("--b{at}\n"));
            }
        }
        text.push_str("Content-Type: text/html\n\n<p>x");
        text.into_bytes()
    }

    #[test]
    fn parts_in_parts_are_looked_at_to_a_depth_and_in_any_number() {
        for depth in 1..=MAX_DEPTH {
            let page = page(&nested(depth, "multipart/alternative")).expect("a page");
            assert_eq!(String::from_utf8_lossy(&page.body), "<p>x", "{depth}");
        }
        for (depth, kind) in [(MAX_DEPTH + 1, "multipart/mixed"), (100_000, "multipart/x"), (100_000, "message/rfc822")]
        {
            assert_eq!(page(&nested(depth, kind)), None, "{depth} {kind}");
        }
        let many = file("8bit", "<p>x").replacen(
            "\r\n\r\n\r\n--",
            &format!("\r\n\r\n\r\n--{}", "----MultipartBoundary--x----\r\n\r\n\r\n--".repeat(200_000)),
            1,
        );
        assert_eq!(page(many.as_bytes()).expect("a page").body, b"<p>x");
    }

    #[test]
    fn a_part_ends_at_its_boundary_alone() {
        let parts = |body| Parts::new(body, "b").map(String::from_utf8_lossy).collect::<Vec<_>>();
        assert_eq!(parts(b"before\n--b \r\n1\r\n\r\n--b\n2--b\n--bc\n\n--b--\n--b\nafter"), ["1\r\n", "2--b\n--bc\n"]);
        assert_eq!(parts(b"--b\ncut"), ["cut"]);
        assert_eq!(parts(b"--b"), [""]);
        assert!(parts(b"x --b\n").is_empty() && parts(b"").is_empty());
        assert_eq!([b"a: b\r\n \r\nx".as_slice(), b"\nx", b"a: b"].map(headers_end), [9, 1, 4]);
    }

    #[test]
    fn other_texts_are_none() {
        for other in [
            "",
            "<html>MIME-Version: multipart/related content-type:",
            "From: x\r\n\r\nMIME-Version: 1.0\r\nmultipart/related",
        ] {
            assert!(!begins(other.as_bytes()));
        }
    }

    proptest! {
        #[test]
        fn any_change_is_borne(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6)) {
            let mut bytes = file("quoted-printable", "<p>=3D").into_bytes();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            // The page is never longer than the file, whatever the file says.
            prop_assert!(page(&bytes).is_none_or(|page| page.body.len() <= bytes.len()));
        }
    }
}
