//! Content types: recognizes HTML by its type, or by how a body begins.

/// How many bytes of a body without content type are searched for markup.
const SNIFF_BYTES: usize = 512;

/// True for the types of HTML, with or without parameters.
pub(super) fn is_html_type(content_type: &str) -> bool {
    let essence = essence(content_type);
    ["text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"]
        .iter()
        .any(|html| essence.eq_ignore_ascii_case(html))
}

pub(super) fn essence(content_type: &str) -> &str {
    content_type.split([';', ',']).next().unwrap_or("").trim()
}

/// True when the first thing in a body, in whatever charset, is a tag, comment or doctype.
pub(super) fn looks_like_markup(body: &[u8]) -> bool {
    let head = &body[..body.len().min(SNIFF_BYTES)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    // UTF-16 has zero bytes in between, and a byte order mark before.
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0xfe | 0xff);
    let mut rest = head.iter().filter(|byte| **byte != 0).skip_while(|byte| is_blank(byte));
    rest.next() == Some(&b'<')
        && rest.next().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'?' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_without_a_type_is_taken_by_its_markup() {
        let utf16: Vec<u8> = "\u{feff}\n<html>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for body in [b"\xef\xbb\xbf <!DOCTYPE html>".as_slice(), b"<?xml version", &utf16] {
            assert!(looks_like_markup(body));
        }
        for body in [b"".as_slice(), b"x<p>", b"< 3", b"%PDF"] {
            assert!(!looks_like_markup(body));
        }
    }
}
