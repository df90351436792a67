//! MHTML (RFC 2557): a page and its images in one file, as browsers save them.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Encoding, Message, MessageParser, MessagePart, MimeHeaders};

use super::notes::web;
use crate::sheltered::sheltered;

/// Endings of such files.
pub(super) const ENDINGS: [&str; 2] = ["mhtml", "mht"];

/// The page in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The address, where it says one.
    pub(super) url: Option<String>,
    /// 0 where it does not say.
    pub(super) date_ms: i64,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

/// True for the first bytes of such a file: headers, among them the type of a page with what belongs to it.
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

/// The first part that is a page; `None` where there is none, or where the parts are so damaged that the parser gives up.
pub(super) fn page(bytes: &[u8]) -> Option<Page> {
    sheltered(|| read(bytes)).flatten()
}

fn read(bytes: &[u8]) -> Option<Page> {
    let message = MessageParser::new().parse(bytes)?;
    let part = message.parts.iter().find(|part| is_page(part))?;
    let text =
        |name: &'static str| message.header(name).and_then(|value| value.as_text()).and_then(|url| web(url.trim()));
    let url = text("Snapshot-Content-Location");
    let url =
        url.or_else(|| part.content_location().and_then(|url| web(url.trim()))).or_else(|| text("Content-Location"));
    let date_ms = message.date().map_or(0, |date| date.to_timestamp().saturating_mul(1000));
    let charset = part.content_type().and_then(|kind| kind.attribute("charset"));
    let content_type = charset.map_or("text/html".to_owned(), |charset| format!("text/html; charset={charset}"));
    Some(Page { url, date_ms, content_type, body: body(&message, part)? })
}

fn is_page(part: &MessagePart<'_>) -> bool {
    let is_html = |kind: &ContentType<'_>| {
        let of = |name: &str| kind.subtype().is_some_and(|subtype| subtype.eq_ignore_ascii_case(name));
        (kind.ctype().eq_ignore_ascii_case("text") && of("html"))
            || (kind.ctype().eq_ignore_ascii_case("application") && of("xhtml+xml"))
    };
    part.content_type().is_some_and(is_html)
}

/// The bytes of a part, as they were before they were coded for mail; their charset stays.
fn body(message: &Message<'_>, part: &MessagePart<'_>) -> Option<Vec<u8>> {
    let coded = message.raw_message.get(part.offset_body as usize..part.offset_end as usize)?;
    match part.encoding {
        Encoding::None => Some(coded.to_vec()),
        Encoding::QuotedPrintable => quoted_printable_decode(coded),
        Encoding::Base64 => base64_decode(coded),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As Chrome writes it.
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
            let _ = (begins(&bytes), page(&bytes));
        }
    }
}
