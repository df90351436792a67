//! The HTTP envelope: status line, headers, and the codings of the body.

use super::coding::{CodingError, beginning, decode, gunzip, is_none, unchunk};
use super::format::Params;
use super::mime::{
    essence, is_html_type, is_pdf_type, is_sitemap, is_zipped_sitemap, looks_like_markup, may_be_sitemap,
};
use super::owners::{self, is_of_owner};
use crate::types::{Capture, RawRecord, RecordName, Skip, SkipReason};

/// By what factor coded bodies of ordinary length grow at most: HTML grows 4 to 8 times.
const USUAL_RATIO: usize = 16;
/// How long a sitemap may be when it is unpacked, in bytes (sitemaps.org).
const SITEMAP_BYTES: u64 = 50 << 20;
/// How much of a body is decoded to see whether it is a sitemap, in bytes: four times as much as its root may need to begin, because a body
/// may be packed twice.
const BEGINNING_BYTES: u64 = 16 << 10;
/// Coded bodies that do not become longer than this count as ordinary in any case, in bytes.
const USUAL_BYTES: usize = 128 << 10;

/// Removes the HTTP envelope from a record: the result is the response as a browser would give it to its parser.
///
/// Only whole pages are accepted: status 200, an HTML type (`text/html`, XHTML, or no type and a body that begins with markup), and a body
/// that is not empty; and sitemaps, which are of a type of XML or gzip. The body is decoded last, when all other conditions hold. Where it
/// could only be a sitemap, its beginning is decoded first, to see whether it is one.
///
/// # Errors
/// The reason why the record is not a page: [`SkipReason::BadHttp`], [`SkipReason::Status`], [`SkipReason::NotHtml`],
/// [`SkipReason::BadCoding`], [`SkipReason::BodyTooLong`] or [`SkipReason::EmptyBody`].
pub(super) fn capture(mut record: RawRecord, params: &Params) -> Result<Capture, Skip> {
    take(&mut record, params.max_record_bytes, params)
}

/// As [`capture`], but returns the record when its decoded body is longer than [`usual_bytes`].
pub(super) fn capture_usual(mut record: RawRecord, params: &Params) -> Result<Result<Capture, Skip>, Box<RawRecord>> {
    let limit = usual_bytes(&record, params) as u64;
    match take(&mut record, limit.min(params.max_record_bytes), params) {
        Err(skip) if skip.reason == SkipReason::BodyTooLong && limit < params.max_record_bytes => Err(Box::new(record)),
        made => Ok(made),
    }
}

/// The length of the body of a record; if it is coded, the length up to which decoded bodies count as ordinary.
pub(super) fn usual_bytes(record: &RawRecord, params: &Params) -> usize {
    let is_coded = |response: Response| {
        response.status == 200 && response.content_encoding.is_some_and(|codings| !codings.split(',').all(is_none))
    };
    let bytes = record.block.len();
    if record.http && Response::read(&record.block).is_ok_and(is_coded) {
        let max = usize::try_from(params.max_record_bytes).unwrap_or(usize::MAX).max(bytes);
        bytes.saturating_mul(USUAL_RATIO).clamp(USUAL_BYTES.min(max), max)
    } else {
        bytes
    }
}

/// Removes the envelope. A record whose coded body becomes longer than `limit` stays as it was.
fn take(record: &mut RawRecord, limit: u64, params: &Params) -> Result<Capture, Skip> {
    let found = if record.http {
        Response::read(&record.block)
    } else {
        let content_type = record.content_type.clone();
        let content_language = Some(record.language).filter(|language| language.is_known());
        let content_language = content_language.map(|language| language.to_string());
        Ok(Response { status: 200, content_type, content_language, ..Response::default() })
    };
    let made = found.and_then(|response| {
        if is_of_owner(&record.url) && response.status == 200 {
            let body = decoded(&mut record.block, &response, limit, params)?;
            if !looks_like_markup(&body) {
                return Err((SkipReason::OwnerFile, owners::notes(&record.url, record.date_ms, &body)));
            }
            return Err((SkipReason::NotHtml, response.content_type.unwrap_or_default()));
        }
        check(&response, params)?;
        let body = body(&mut record.block, &response, limit, params)?;
        Ok((response, body))
    });
    let RawRecord { form, date_ms, offset, length, .. } = *record;
    match made {
        Ok((response, body)) => Ok(Capture {
            form,
            pointer: record.pointer.take().map(|pointer| *pointer),
            url: std::mem::take(&mut record.url),
            date_ms,
            offset,
            length,
            status: response.status,
            content_type: response.content_type,
            content_language: response.content_language,
            link: response.link,
            content_location: response.content_location,
            is_sitemap: is_sitemap(&body),
            robots: response.robots,
            tdm_reservation: response.tdm_reservation,
            translated_from: response.translated_from,
            name: record.name.take().map_or_else(RecordName::default, |name| *name),
            body,
        }),
        Err((reason, detail)) => Err(Skip { reason, offset, length, url: record.url.clone(), detail }),
    }
}

type Refusal = (SkipReason, String);

/// The information in the head of a response.
#[derive(Debug, Default, PartialEq, Eq)]
struct Response {
    status: u16,
    content_type: Option<String>,
    content_language: Option<String>,
    link: Option<String>,
    content_location: Option<String>,
    robots: Option<String>,
    tdm_reservation: Option<String>,
    translated_from: Option<String>,
    content_encoding: Option<String>,
    chunked: bool,
    body_start: usize,
}

impl Response {
    /// Parses status line and headers as tolerantly as browsers do: lines may end in a bare LF, lines that are not headers are skipped, and
    /// markup in place of a header begins the body.
    fn read(block: &[u8]) -> Result<Response, Refusal> {
        let blanks = block.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let (first, mut at) = line(block, blanks);
        let status = status(first).ok_or_else(|| {
            let start = String::from_utf8_lossy(&first[..first.len().min(40)]).into_owned();
            (SkipReason::BadHttp, format!("begins with {start:?}, expected a status line"))
        })?;
        let mut response = Response { status, ..Response::default() };
        while at < block.len() {
            let (text, next) = line(block, at);
            if text.first() == Some(&b'<') {
                break;
            }
            at = next;
            if text.is_empty() {
                break;
            }
            response.header(text);
        }
        response.body_start = at;
        Ok(response)
    }

    fn header(&mut self, line: &[u8]) {
        let Some(colon) = memchr::memchr(b':', line) else { return };
        let value = || Some(String::from_utf8_lossy(line[colon + 1..].trim_ascii()).into_owned());
        let name = line[..colon].trim_ascii();
        // Comparing the length first is faster: most headers are not needed.
        match name.len() {
            12 if name.eq_ignore_ascii_case(b"Content-Type") => {
                // If there are several, browsers use the last one that is a type.
                if let Some(value) = value().filter(|value| value.contains('/')) {
                    self.content_type = Some(value);
                }
            }
            16 if name.eq_ignore_ascii_case(b"Content-Language") => {
                self.content_language = self.content_language.take().or_else(value).filter(|value| !value.is_empty());
            }
            4 if name.eq_ignore_ascii_case(b"Link") => join(&mut self.link, ',', value()),
            16 if name.eq_ignore_ascii_case(b"Content-Location") => self.content_location = value(),
            16 if name.eq_ignore_ascii_case(b"Content-Encoding") => join(&mut self.content_encoding, ',', value()),
            12 if name.eq_ignore_ascii_case(b"X-Robots-Tag") => join(&mut self.robots, '\n', value()),
            15 if name.eq_ignore_ascii_case(b"TDM-Reservation") => self.tdm_reservation = value(),
            25 if name.eq_ignore_ascii_case(b"X-Machine-Translated-From") => self.translated_from = value(),
            17 if name.eq_ignore_ascii_case(b"Transfer-Encoding") => {
                self.chunked |= value().is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
            }
            _ => {}
        }
    }
}

/// Appends the value of a repeated header to the earlier values.
fn join(known: &mut Option<String>, between: char, value: Option<String>) {
    let value = value.unwrap_or_default();
    *known = Some(match known.take() {
        Some(before) => format!("{before}{between}{value}"),
        None => value,
    });
}

/// The line at `start` without its end, and the start of the next line.
fn line(block: &[u8], start: usize) -> (&[u8], usize) {
    let rest = &block[start.min(block.len())..];
    match memchr::memchr(b'\n', rest) {
        Some(end) => (rest[..end].trim_ascii_end(), start + end + 1),
        None => (rest.trim_ascii_end(), block.len()),
    }
}

/// The status in `HTTP/1.1 200 OK`; version and reason may be missing or unusual.
fn status(line: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(&line[..line.len().min(32)])
        .or_else(|error| std::str::from_utf8(&line[..error.valid_up_to()]));
    let mut words = line.ok()?.split_ascii_whitespace();
    let protocol = words.next()?;
    if !protocol.get(..4)?.eq_ignore_ascii_case("http") {
        return None;
    }
    let status = words.next()?;
    let digits = status.get(..3)?;
    let is_status = status.len() == 3 || !status.as_bytes()[3].is_ascii_digit();
    digits.parse().ok().filter(|status| is_status && (100..1000).contains(status))
}

/// The checks that need no body.
fn check(response: &Response, params: &Params) -> Result<(), Refusal> {
    if response.status != 200 {
        return Err((SkipReason::Status, response.status.to_string()));
    }
    match response.content_type.as_deref() {
        Some(content_type)
            if is_other_type(content_type, params) && !may_be_sitemap(response.content_type.as_deref()) =>
        {
            Err((SkipReason::NotHtml, content_type.to_owned()))
        }
        _ => Ok(()),
    }
}

/// True for a type that is neither one of HTML nor another type that is read.
fn is_other_type(content_type: &str, params: &Params) -> bool {
    let is_read = is_html_type(content_type) || params.pdf_reader.is_some() && is_pdf_type(content_type);
    !essence(content_type).is_empty() && !is_read
}

/// The body of a response that is a page or a sitemap, with its codings undone, up to `limit`. Where nothing else has to change, only the head is
/// removed from the block.
fn body(block: &mut Vec<u8>, response: &Response, limit: u64, params: &Params) -> Result<Vec<u8>, Refusal> {
    let other_type = response.content_type.as_deref().filter(|content_type| is_other_type(content_type, params));
    let not_html = || other_type.map(|content_type| (SkipReason::NotHtml, content_type.to_owned()));
    if let Some(refusal) = not_html().filter(|_| !may_begin_as_sitemap(block, response)) {
        return Err(refusal);
    }
    let body = decoded(block, response, limit, params).map_err(|refusal| match refusal.0 {
        SkipReason::BadCoding => not_html().unwrap_or(refusal),
        _ => refusal,
    })?;
    if is_sitemap(&body) {
        return Ok(body);
    }
    if let Some(refusal) = not_html() {
        return Err(refusal);
    }
    if body.len() as u64 > params.max_record_bytes {
        let detail = format!("{} bytes, the limit is {}", body.len(), params.max_record_bytes);
        return Err((SkipReason::BodyTooLong, detail));
    }
    if body.trim_ascii().is_empty() {
        return Err((SkipReason::EmptyBody, String::new()));
    }
    let is_declared = response.content_type.as_deref().is_some_and(|it| is_html_type(it) || is_pdf_type(it));
    if !is_declared && !looks_like_markup(&body) {
        return Err((SkipReason::NotHtml, "no content type, and no markup at the start".to_owned()));
    }
    Ok(body)
}

/// False where the beginning of a body shows that it is not a sitemap. A body that begins like one may still be none.
fn may_begin_as_sitemap(block: &[u8], response: &Response) -> bool {
    let body = &block[response.body_start..];
    // Sizes of chunks may stand anywhere.
    let unchunked = if response.chunked { unchunk(body) } else { None };
    let body = unchunked.as_deref().unwrap_or(body);
    let is_coded = |codings: &&str| !codings.split(',').all(is_none);
    // Some bodies were decoded before they were recorded.
    is_sitemap(body)
        || is_zipped_sitemap(body)
        || response.content_encoding.as_deref().filter(is_coded).is_some_and(|codings| {
            let begins = |head: Vec<u8>| is_sitemap(&head) || is_zipped_sitemap(&head);
            beginning(body, codings, BEGINNING_BYTES).is_none_or(begins)
        })
}

/// The body of a response, whatever it is.
fn decoded(block: &mut Vec<u8>, response: &Response, limit: u64, params: &Params) -> Result<Vec<u8>, Refusal> {
    let refusal = |codings: &str, error: CodingError| match error {
        CodingError::TooLong => (SkipReason::BodyTooLong, format!("{codings}: the limit is {limit} bytes")),
        CodingError::Corrupt(problem) => (SkipReason::BadCoding, format!("{codings}: {problem}")),
    };
    // Sitemaps may be gzip files. Large ones are unpacked one at a time.
    let zipped_limit = if limit < params.max_record_bytes { limit } else { limit.max(SITEMAP_BYTES) };
    let unzipped = |body: &[u8]| gunzip(body, zipped_limit).map_err(|error| refusal("gzip", error));
    let may_be_sitemap = may_be_sitemap(response.content_type.as_deref());
    let unchunked = if response.chunked { unchunk(&block[response.body_start..]) } else { None };
    let coded = unchunked.as_deref().unwrap_or(&block[response.body_start..]);
    if let Some(codings) = response.content_encoding.as_deref().filter(|it| !it.split(',').all(is_none)) {
        let body = decode(coded, codings, limit).map_err(|error| refusal(codings, error))?;
        if may_be_sitemap && is_zipped_sitemap(&body) { unzipped(&body) } else { Ok(body) }
    } else if may_be_sitemap && is_zipped_sitemap(coded) {
        unzipped(coded)
    } else {
        Ok(unchunked.unwrap_or_else(|| block.split_off(response.body_start)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(block: &[u8]) -> RawRecord {
        RawRecord { url: "http://ex.org/".to_owned(), http: true, block: block.to_vec(), ..RawRecord::default() }
    }

    fn captured(block: &[u8]) -> Result<Capture, (SkipReason, String)> {
        capture(record(block), &Params::default()).map_err(|skip| (skip.reason, skip.detail))
    }

    fn zipped(body: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, body).and_then(|()| encoder.finish()).expect("memory")
    }

    #[test]
    fn sitemaps_are_captures_whatever_they_are_packed_in_and_other_xml_is_not() {
        let map = b"<?xml version='1.0'?><urlset><url><loc>http://ex.org/</loc></url></urlset>";
        let respond = |headers: &str, body: &[u8]| {
            captured(&[format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat())
        };
        for (headers, body) in [
            ("Content-Type: text/xml\r\n", map.to_vec()),
            ("Content-Type: text/html\r\n", map.to_vec()),
            ("", map.to_vec()),
            ("Content-Type: application/x-gzip\r\n", zipped(map)),
            ("Content-Type: application/xml\r\nContent-Encoding: gzip\r\n", zipped(map)),
            ("Content-Type: application/xml\r\nContent-Encoding: gzip\r\n", zipped(&zipped(map))),
        ] {
            let capture = respond(headers, &body).expect(headers);
            assert!(capture.is_sitemap && capture.body == map, "{headers}");
        }
        for (content_type, body) in [
            ("application/xml", b"<rss/>".to_vec()),
            ("application/xml", Vec::new()),
            ("application/gzip", zipped(b"<rss/>")),
            ("application/gzip", b"\x1f\x8b".to_vec()),
            ("text/plain", map.to_vec()),
            ("image/png", zipped(map)),
        ] {
            let (reason, detail) =
                respond(&format!("Content-Type: {content_type}\r\n"), &body).expect_err(content_type);
            assert_eq!((reason, detail.as_str()), (SkipReason::NotHtml, content_type));
        }
        // The beginning is enough to see that a body is no sitemap, however long it is.
        let bomb = zipped(&vec![b' '; 2 * Params::default().max_record_bytes as usize]);
        for content_type in ["application/xml", "application/octet-stream"] {
            let refused = respond(&format!("Content-Type: {content_type}\r\nContent-Encoding: gzip\r\n"), &bomb);
            assert_eq!(refused, Err((SkipReason::NotHtml, content_type.to_owned())));
        }
        assert!(!respond("Content-Type: text/html\r\n", b"<!-- <urlset> --><p>").expect("a page").is_sitemap);
    }

    #[test]
    fn a_sitemap_that_unpacks_to_more_than_it_may_is_left_out_and_long_ones_come_one_at_a_time() {
        let long = [b"<urlset>".as_slice(), &vec![b' '; 3 << 20]].concat();
        let of = |body: &[u8]| {
            let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\n\r\n";
            record(&[head.as_slice(), &zipped(body)].concat())
        };
        let params = Params::default();
        let given_back = capture_usual(of(&long), &params).expect_err("it is far longer than its record");
        assert_eq!(*given_back, of(&long));
        assert!(capture(*given_back, &params).expect("it is within the limit").is_sitemap);
        let bomb = [b"<urlset>".as_slice(), &vec![b' '; SITEMAP_BYTES as usize]].concat();
        assert_eq!(capture(of(&bomb), &params).expect_err("it is too long").reason, SkipReason::BodyTooLong);
    }

    #[test]
    fn odd_status_lines_are_read() {
        for head in [
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
            "HTTP/1.0 200\nContent-Type: TEXT/HTML; charset=x\n\n",
            "HTTP/2 200 \r\ncontent-type:text/html\r\n\r\n",
            "\r\nHTTP/1.1 200 Très bien\r\nJunk\r\n: x\r\nContent-type : application/xhtml+xml\r\n\r\n",
            "HTTP/1.1  200 OK\r\nContent-Type: text/html\r\n",
            "http/1.1 200\r\n\r\n",
        ] {
            let page = captured(format!("{head}<p>x").as_bytes()).expect(head);
            assert_eq!((page.status, page.body.as_slice()), (200, b"<p>x".as_slice()), "{head}");
        }
    }

    #[test]
    fn what_is_no_page_says_why() {
        let cases: [(&[u8], SkipReason, &str); 7] = [
            (b"HTTP/1.1 404 Not Found\r\n\r\nx", SkipReason::Status, "404"),
            (b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nx", SkipReason::NotHtml, "image/png"),
            (b"HTTP/1.1 200 OK\r\n\r\njust text", SkipReason::NotHtml, "no content type, and no markup at the start"),
            (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n \n", SkipReason::EmptyBody, ""),
            (b"HTTP/1.1 200 OK", SkipReason::EmptyBody, ""),
            (b"GET / HTTP/1.1\r\n\r\n", SkipReason::BadHttp, "begins with \"GET / HTTP/1.1\", expected a status line"),
            (b"", SkipReason::BadHttp, "begins with \"\", expected a status line"),
        ];
        for (block, reason, detail) in cases {
            assert_eq!(captured(block), Err((reason, detail.to_owned())));
        }
    }

    #[test]
    fn headers_that_matter_are_kept() {
        let page = captured(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=big5\r\nContent-Language: zh-TW\r\n\
              Transfer-Encoding: Chunked\r\n\r\n4\r\n<p>x\r\n0\r\n\r\n",
        )
        .expect("a page");
        assert_eq!(page.content_type.as_deref(), Some("text/html; charset=big5"));
        assert_eq!(page.content_language.as_deref(), Some("zh-TW"));
        assert_eq!(page.body, b"<p>x");
    }

    #[test]
    fn rules_of_an_owner_are_noted_and_are_no_page() {
        let of = |block: &[u8]| {
            let record = RawRecord { url: "http://ex.org/robots.txt".to_owned(), ..record(block) };
            let skip = capture(record, &Params::default()).expect_err("no page");
            (skip.reason, skip.detail)
        };
        let rules = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-Agent: *\nDisallow: /a";
        assert_eq!(of(rules), (SkipReason::OwnerFile, "\nuser-agent: *\ndisallow: /a".to_owned()));
        let not_found = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nDisallow: /";
        assert_eq!(of(not_found), (SkipReason::Status, "404".to_owned()));
        let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n<html>Disallow: /";
        assert_eq!(of(page), (SkipReason::NotHtml, "text/plain".to_owned()));
    }

    #[test]
    fn headers_about_the_use_of_a_page_are_kept() {
        let page = captured(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noai\r\nx-robots-tag: a: noindex, b\r\n\
              TDM-Reservation: 1\r\nX-Machine-Translated-From: en\r\n\r\n<p>x",
        )
        .expect("a page");
        assert_eq!(page.robots.as_deref(), Some("noai\na: noindex, b"));
        assert_eq!((page.tdm_reservation.as_deref(), page.translated_from.as_deref()), (Some("1"), Some("en")));
    }

    #[test]
    fn a_coded_body_over_the_limit_is_refused() {
        let zeros = zstd::encode_all(vec![b' '; 100_000].as_slice(), 3).expect("memory");
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\n\r\n";
        let skip = capture(
            record(&[head.as_slice(), &zeros].concat()),
            &Params { max_record_bytes: 1000, ..Params::default() },
        );
        assert_eq!(skip.map_err(|skip| skip.reason), Err(SkipReason::BodyTooLong));
    }

    proptest! {
        #[test]
        fn arbitrary_responses_never_panic(
            coding in prop::sample::select(vec!["", "gzip", "br", "deflate", "zstd", "gzip, br"]),
            chunked in any::<bool>(),
            magic in prop::sample::select(vec![vec![], vec![0x1f, 0x8b, 8, 0], vec![0x28, 0xb5, 0x2f, 0xfd], vec![0x78, 0x9c]]),
            rest in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let transfer = if chunked { "Transfer-Encoding: chunked\r\n" } else { "" };
            let head = format!("HTTP/1.1 200 OK\r\n{transfer}Content-Encoding: {coding}\r\nContent-Type: text/html\r\n\r\n");
            let _ = captured(&[head.as_bytes(), &magic, &rest].concat());
            let _ = captured(&rest);
        }
    }
}
