//! Content types: recognizes HTML by its type, or by how a body begins, and sitemaps by how they begin.

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// How many bytes of a body without content type are searched for markup.
const SNIFF_BYTES: usize = 512;

/// The root of a sitemap must begin within this many bytes; comments and references to style sheets may stand before it.
const SITEMAP_BYTES: u64 = 4 << 10;

/// Files with these endings are not pages; they are not read.
const OTHER_ENDINGS: &[&str] = &[
    "css", "js", "json", "xml", "rss", "txt", "csv", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "bmp", "pdf",
    "ps", "zip", "gz", "bz2", "xz", "tar", "rar", "7z", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "epub",
    "mp3", "mp4", "ogg", "avi", "mov", "wav", "swf", "woff", "woff2", "ttf", "eot", "exe", "deb", "rpm", "delayed",
    "tmp", "class", "warc", "arc", "wacz", "wat", "wet", "cdx", "cdxj", "parquet", "zim",
];
/// Endings of pages.
const PAGE_ENDINGS: &[&str] = &["html", "htm", "xhtml", "xhtm", "xht", "shtml", "shtm"];

/// The ending of a file's name in small letters, without what stands behind `?`; empty where it has none.
pub(super) fn ending_of(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or_default();
    let file = file.split('?').next().unwrap_or_default();
    file.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// True for an ending that pages do not have.
pub(super) fn is_other_ending(ending: &str) -> bool {
    OTHER_ENDINGS.contains(&ending)
}

/// True for an ending that only pages have.
pub(super) fn is_page_ending(ending: &str) -> bool {
    PAGE_ENDINGS.contains(&ending)
}

/// True for the types of HTML, with or without parameters.
pub(super) fn is_html_type(content_type: &str) -> bool {
    let essence = essence(content_type);
    ["text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"]
        .iter()
        .any(|html| essence.eq_ignore_ascii_case(html))
}

/// True for the types of PDF, with or without parameters.
pub fn is_pdf_type(content_type: &str) -> bool {
    ["application/pdf", "application/x-pdf"].iter().any(|pdf| essence(content_type).eq_ignore_ascii_case(pdf))
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

/// True for the types with which sitemaps are sent, and where there is no type.
pub(super) fn may_be_sitemap(content_type: Option<&str>) -> bool {
    let essence = essence(content_type.unwrap_or_default());
    ["", "text/xml", "application/xml", "application/gzip", "application/x-gzip", "application/octet-stream"]
        .iter()
        .any(|of_sitemaps| essence.eq_ignore_ascii_case(of_sitemaps))
}

/// True for a body in UTF-8 whose root is that of a sitemap or of an index of sitemaps, without a document type before it.
pub(super) fn is_sitemap(body: &[u8]) -> bool {
    let head = &body[..body.len().min(SITEMAP_BYTES as usize)];
    let mut rest = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    loop {
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            _ => break,
        };
        let Some(at) = memchr::memmem::find(rest, end) else { return false };
        rest = rest[at + end.len()..].trim_ascii_start();
    }
    let Some(tag) = rest.strip_prefix(b"<") else { return false };
    let name = tag.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/')).next().unwrap_or_default();
    let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    [b"urlset".as_slice(), b"sitemapindex"].contains(&local)
}

/// True for a body that is a sitemap, compressed by gzip.
pub(super) fn is_zipped_sitemap(body: &[u8]) -> bool {
    let mut head = Vec::new();
    // What comes before an error still counts.
    body.starts_with(&[0x1f, 0x8b])
        && (MultiGzDecoder::new(body).take(SITEMAP_BYTES).read_to_end(&mut head).is_ok() || !head.is_empty())
        && is_sitemap(&head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_those_of_files_and_not_of_queries() {
        let names = ["a/b.HTML", "a.b/c", "i.php?f=x.png", "x.tar.gz", ""];
        assert_eq!(names.map(ending_of), ["html", "", "php", "gz", ""]);
        assert!(
            is_page_ending("htm")
                && !is_page_ending("php")
                && is_other_ending("gz")
                && is_other_ending("wacz")
                && !is_other_ending("php")
        );
    }

    #[test]
    fn a_sitemap_is_known_by_its_root() {
        for body in [
            "<urlset>",
            "\u{feff}\n<?xml version='1.0'?>\n<?xml-stylesheet href='s.xsl'?><!-- <rss> -->\n<urlset\nxmlns='x'>",
            "<s:sitemapindex xmlns:s='x'/>",
        ] {
            assert!(is_sitemap(body.as_bytes()), "{body}");
            let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut zipped, body.as_bytes()).expect("memory");
            let zipped = zipped.finish().expect("memory");
            assert!(is_zipped_sitemap(&zipped) && is_zipped_sitemap(&zipped[..zipped.len() - 3]), "{body}");
        }
        let late = format!("<!--{}--><urlset>", " ".repeat(5000));
        for body in ["", "<", "<rss>", "<!DOCTYPE urlset><urlset>", "<urlsets>", "<?xml <urlset>", "urlset", &late] {
            assert!(!is_sitemap(body.as_bytes()) && !is_zipped_sitemap(body.as_bytes()), "{body}");
        }
        assert!(may_be_sitemap(Some("Text/XML; charset=utf-8")) && may_be_sitemap(None));
        assert!(!may_be_sitemap(Some("application/rss+xml")));
    }

    #[test]
    fn types_of_pdf_are_told_from_others() {
        assert!(is_pdf_type("Application/PDF; x=y") && !is_pdf_type("text/html") && !is_pdf_type(""));
    }

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
