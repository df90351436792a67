//! Undoes transfer and content codings as far as archives allow: recorded bodies are often decoded already, cut short, or not what their
//! headers say.

use std::borrow::Cow;
use std::io::Read;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use libdeflater::Decompressor;

use super::codec::MAX_DEFLATE_RATIO;
use super::mime::looks_like_markup;

/// How many bytes of output are decoded at a time.
const PIECE_BYTES: usize = 64 << 10;
/// How long the first line of a chunk may be, in bytes: sizes have up to 16 digits, and extensions are rare and short.
const MAX_CHUNK_LINE_BYTES: usize = 256;
/// How many digits the size of a chunk may have: 64 bits.
const MAX_CHUNK_DIGITS: usize = 16;
/// How many nested codings are undone. curl undoes five; data that unpacks to itself would otherwise cost time for each.
const MAX_CODINGS: usize = 5;
/// The binary logarithm of the largest window of a zstd body: 8 MiB, which is what browsers take (RFC 9659).
const BODY_WINDOW_LOG: u32 = 23;

/// Why a coding could not be undone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CodingError {
    /// The result is longer than the limit.
    TooLong,
    /// The data is corrupt, or the coding unknown.
    Corrupt(String),
}

/// Removes the sizes of chunks from a chunked body; `None` where the body is not chunked. For a body that is cut short or damaged later,
/// returns the chunks before that.
pub(super) fn unchunk(body: &[u8]) -> Option<Vec<u8>> {
    let (first_size, _) = chunk_size(body)?;
    let mut whole = Vec::with_capacity(body.len().min(first_size.saturating_add(body.len() / 2)));
    let mut rest = body;
    let mut is_first = true;
    while let Some((size, line)) = chunk_size(rest) {
        rest = &rest[line..];
        if size == 0 {
            break;
        }
        let data = &rest[..rest.len().min(size)];
        rest = &rest[data.len()..];
        let ends_with_line = rest.starts_with(b"\r\n") || rest.starts_with(b"\n");
        if is_first && !rest.is_empty() && !ends_with_line {
            // The first line only looked like a size.
            return None;
        }
        is_first = false;
        whole.extend_from_slice(data);
        if !ends_with_line {
            break;
        }
        rest = &rest[if rest[0] == b'\r' { 2 } else { 1 }..];
    }
    Some(whole)
}

/// The size in a chunk's first line, and how long that line is.
fn chunk_size(bytes: &[u8]) -> Option<(usize, usize)> {
    let window = &bytes[..bytes.len().min(MAX_CHUNK_LINE_BYTES)];
    let end = memchr::memchr(b'\n', window)?;
    let line = window[..end].trim_ascii();
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 || digits > MAX_CHUNK_DIGITS || !matches!(line.get(digits), None | Some(b';' | b' ' | b'\t')) {
        return None;
    }
    let digits = std::str::from_utf8(&line[..digits]).ok()?;
    Some((usize::from_str_radix(digits, 16).ok()?, end + 1))
}

/// Undoes the codings in a `Content-Encoding` value, the last one first. A body that does not begin as its coding requires was decoded when
/// it was recorded, and stays as it is.
pub(super) fn decode(body: &[u8], codings: &str, limit: u64) -> Result<Vec<u8>, CodingError> {
    let named = codings.split(',').filter(|coding| !is_none(coding)).count();
    if named > MAX_CODINGS {
        return Err(CodingError::Corrupt(format!("{named} codings, the limit is {MAX_CODINGS}")));
    }
    let mut body = Cow::Borrowed(body);
    for coding in codings.split(',').rev().filter(|coding| !is_none(coding)) {
        body = match coding.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" if body.starts_with(&[0x1f, 0x8b]) => gunzip(&body, limit)?.into(),
            "gzip" | "x-gzip" => body,
            "deflate" => inflate(body, limit)?,
            "br" => unless_plain(body, |body| unbrotli(body, limit))?,
            "zstd" if body.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => unzstd(&body, limit)?.into(),
            "zstd" => body,
            other => unless_plain(body, |_| Err(CodingError::Corrupt(format!("unknown coding {other:?}"))))?,
        };
    }
    Ok(body.into_owned())
}

/// The first bytes of a body in one coding, without decoding the rest; `None` where there are several codings, where the body does not begin
/// as its coding requires, or where nothing can be decoded.
pub(super) fn beginning(body: &[u8], codings: &str, bytes: u64) -> Option<Vec<u8>> {
    let mut named = codings.split(',').filter(|coding| !is_none(coding));
    let coding = named.next().filter(|_| named.next().is_none())?.trim().to_ascii_lowercase();
    let mut head = Vec::new();
    let mut take = |decoder: &mut dyn Read| {
        // What comes before an error still counts.
        let _ = decoder.take(bytes).read_to_end(&mut head);
    };
    match coding.as_str() {
        "gzip" | "x-gzip" if body.starts_with(&[0x1f, 0x8b]) => take(&mut MultiGzDecoder::new(body)),
        "deflate" if is_zlib(body) => take(&mut ZlibDecoder::new(body)),
        "br" => take(&mut brotli_decompressor::Decompressor::new(body, PIECE_BYTES)),
        "zstd" if body.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => {
            let mut decoder = zstd::stream::read::Decoder::new(body).ok()?;
            decoder.window_log_max(BODY_WINDOW_LOG).ok()?;
            take(&mut decoder);
        }
        _ => return None,
    }
    (!head.is_empty()).then_some(head)
}

/// True for the names that stand for no coding at all.
pub(super) fn is_none(coding: &str) -> bool {
    ["", "identity", "none"].iter().any(|name| coding.trim().eq_ignore_ascii_case(name))
}

/// Decodes a body whose coding has no magic number. If decoding fails and the body is markup, it was decoded before.
fn unless_plain<'b>(
    body: Cow<'b, [u8]>,
    decode: impl FnOnce(&[u8]) -> Result<Vec<u8>, CodingError>,
) -> Result<Cow<'b, [u8]>, CodingError> {
    match decode(&body) {
        Err(CodingError::Corrupt(_)) if looks_like_markup(&body) => Ok(body),
        decoded => decoded.map(Cow::Owned),
    }
}

pub(super) fn gunzip(body: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
    // The last four bytes of a gzip member are its length, which in most bodies is the length of the whole.
    let stated = body.last_chunk::<4>().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
    if stated > 0 && stated <= limit && stated <= MAX_DEFLATE_RATIO * body.len() as u64 {
        let mut whole = vec![0; stated as usize];
        if Decompressor::new().gzip_decompress(body, &mut whole) == Ok(whole.len()) {
            return Ok(whole);
        }
    }
    read(MultiGzDecoder::new(body), limit)
}

/// By the standard, `deflate` is zlib; some servers misread this and send raw deflate.
fn inflate(body: Cow<'_, [u8]>, limit: u64) -> Result<Cow<'_, [u8]>, CodingError> {
    let is_zlib = is_zlib(&body);
    unless_plain(body, |body| match is_zlib.then(|| read(ZlibDecoder::new(body), limit)) {
        Some(decoded @ (Ok(_) | Err(CodingError::TooLong))) => decoded,
        _ => read(DeflateDecoder::new(body), limit),
    })
}

fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

fn unzstd(body: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
    let corrupt = |error: std::io::Error| CodingError::Corrupt(error.to_string());
    let mut decoder = zstd::stream::read::Decoder::new(body).map_err(corrupt)?;
    decoder.window_log_max(BODY_WINDOW_LOG).map_err(corrupt)?;
    read(decoder, limit)
}

/// The crate's own reader does not tell data that is cut short from corrupt data, so its decoder is called directly.
fn unbrotli(body: &[u8], limit: u64) -> Result<Vec<u8>, CodingError> {
    let mut state = BrotliState::new(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default());
    let (mut left, mut input_at) = (body.len(), 0);
    let mut piece = vec![0; PIECE_BYTES];
    let mut whole = Vec::new();
    loop {
        let (mut room, mut written, mut total) = (piece.len(), 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut input_at,
            body,
            &mut room,
            &mut written,
            &mut piece,
            &mut total,
            &mut state,
        );
        whole.extend_from_slice(&piece[..written]);
        if whole.len() as u64 > limit {
            return Err(CodingError::TooLong);
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess => return Ok(whole),
            BrotliResult::NeedsMoreInput if !whole.is_empty() => return Ok(whole),
            BrotliResult::NeedsMoreInput => return Err(CodingError::Corrupt("data cut short".to_owned())),
            BrotliResult::ResultFailure => return Err(CodingError::Corrupt("not brotli data".to_owned())),
        }
    }
}

/// Reads everything from a decoder. If the data ends too early, returns what there is: recorders cut long bodies.
fn read(decoder: impl Read, limit: u64) -> Result<Vec<u8>, CodingError> {
    let mut whole = Vec::new();
    let outcome = decoder.take(limit.saturating_add(1)).read_to_end(&mut whole);
    if whole.len() as u64 > limit {
        return Err(CodingError::TooLong);
    }
    match outcome {
        Ok(_) => Ok(whole),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof && !whole.is_empty() => Ok(whole),
        Err(error) => Err(CodingError::Corrupt(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const PAGE: &[u8] = b"<html><body>A page of some words, some words again.</body></html>";

    fn gzipped(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
    }

    fn zlibbed(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
    }

    fn deflated(data: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).and_then(|()| encoder.finish()).expect("memory")
    }

    /// Brotli meta-blocks that store their bytes uncompressed (RFC 7932, section 9.2).
    fn brotlied(data: &[u8]) -> Vec<u8> {
        let mut encoded = Vec::new();
        for (at, chunk) in data.chunks(1 << 16).enumerate() {
            // Header bits: not the last block; four nibbles for the length less one; uncompressed. In the first block, a bit for the window
            // comes before.
            let header = (1 << 19 | (chunk.len() as u32 - 1) << 3) << u32::from(at == 0);
            encoded.extend_from_slice(&header.to_le_bytes()[..3]);
            encoded.extend_from_slice(chunk);
        }
        // The last block, which is empty.
        encoded.push(3);
        encoded
    }

    fn zstded(data: &[u8]) -> Vec<u8> {
        zstd::encode_all(data, 3).expect("memory")
    }

    #[test]
    fn the_beginning_of_a_body_is_decoded_by_itself() {
        let long = PAGE.repeat(5000);
        for (codings, data) in [
            ("gzip", gzipped(&long)),
            ("identity, X-GZip", gzipped(&long)),
            ("deflate", zlibbed(&long)),
            ("br", brotlied(&long)),
            ("zstd", zstded(&long)),
        ] {
            assert_eq!(beginning(&data, codings, 100).as_deref(), Some(&long[..100]), "{codings}");
            let cut = beginning(&data[..data.len() - 9], codings, 100);
            assert_eq!(cut.as_deref(), Some(&long[..100]), "{codings}, cut short");
            assert_eq!(beginning(b"plain", codings, 100), None, "{codings}");
        }
        assert_eq!(beginning(&gzipped(&gzipped(PAGE)), "gzip, gzip", 100), None);
    }

    #[test]
    fn every_coding_is_undone() {
        let twice = gzipped(&brotlied(PAGE));
        let members = [gzipped(&PAGE[..20]), gzipped(&PAGE[20..])].concat();
        for (codings, data) in [
            ("gzip", gzipped(PAGE)),
            ("X-GZip", gzipped(PAGE)),
            ("gzip", members),
            ("deflate", zlibbed(PAGE)),
            ("deflate", deflated(PAGE)),
            ("br", brotlied(PAGE)),
            ("zstd", zstded(PAGE)),
            ("br, gzip", twice),
            ("identity", PAGE.to_vec()),
            ("", PAGE.to_vec()),
        ] {
            assert_eq!(decode(&data, codings, 1000).as_deref(), Ok(PAGE), "{codings}");
        }
    }

    #[test]
    fn compressed_brotli_is_undone() {
        let data = [
            27, 62, 0, 248, 37, 223, 232, 238, 122, 144, 66, 54, 105, 70, 59, 144, 194, 61, 15, 177, 104, 13, 62, 184,
            9,
        ];
        let text = b"one and two and three and one and two and three and one and two";
        assert_eq!(decode(&data, "br", 1000).as_deref(), Ok(&text[..]));
    }

    #[test]
    fn a_body_decoded_before_stays_as_it_is() {
        for codings in ["gzip", "deflate", "br", "zstd", "gzip, gzip", "utf-8"] {
            assert_eq!(decode(PAGE, codings, 1000).as_deref(), Ok(PAGE), "{codings}");
        }
    }

    #[test]
    fn a_body_longer_than_the_limit_says_so() {
        for (codings, data) in
            [("gzip", gzipped(PAGE)), ("deflate", deflated(PAGE)), ("br", brotlied(PAGE)), ("zstd", zstded(PAGE))]
        {
            assert_eq!(decode(&data, codings, 30), Err(CodingError::TooLong), "{codings}");
        }
    }

    #[test]
    fn zlib_data_over_the_limit_is_too_long_and_not_corrupt() {
        assert_eq!(decode(&zlibbed(PAGE), "deflate", 30), Err(CodingError::TooLong));
    }

    #[test]
    fn codings_piled_up_are_refused() {
        let pile = (0..MAX_CODINGS).fold(PAGE.to_vec(), |data, _| gzipped(&data));
        let named = ["gzip"; MAX_CODINGS].join(", ");
        assert_eq!(decode(&pile, &format!("identity, {named}"), 1000).as_deref(), Ok(PAGE));
        let problem = "6 codings, the limit is 5".to_owned();
        assert_eq!(decode(&pile, &format!("gzip, {named}"), 1000), Err(CodingError::Corrupt(problem)));
    }

    #[test]
    fn zstd_bodies_have_the_window_of_browsers() {
        let with_window = |log: u32| {
            let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).expect("memory");
            encoder
                .window_log(log)
                .and_then(|()| encoder.write_all(PAGE))
                .and_then(|()| encoder.flush())
                .expect("memory");
            encoder.finish().expect("memory")
        };
        assert_eq!(decode(&with_window(BODY_WINDOW_LOG), "zstd", 1000).as_deref(), Ok(PAGE));
        assert!(decode(&with_window(BODY_WINDOW_LOG + 1), "zstd", 1000).is_err());
    }

    #[test]
    fn a_body_cut_short_gives_what_there_is() {
        let long: Vec<u8> = (0..20_000_u32).flat_map(|i| i.to_le_bytes()).collect();
        for (codings, data) in [("gzip", gzipped(&long)), ("deflate", zlibbed(&long)), ("br", brotlied(&long))] {
            let cut = decode(&data[..data.len() / 2], codings, 1 << 20).expect("a part");
            assert!(cut.len() > 1000 && long.starts_with(&cut), "{codings}: {}", cut.len());
        }
    }

    #[test]
    fn chunks_are_put_together() {
        let chunked = |text: &str| String::from_utf8(unchunk(text.as_bytes()).expect("chunks")).expect("text");
        assert_eq!(chunked("4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\n\r\n"), "Wikipedia ");
        assert_eq!(chunked("4\nWiki\n0\n\n"), "Wiki");
        assert_eq!(chunked("000004  \r\nWiki\r\n"), "Wiki");
        assert_eq!(chunked("4\r\nWiki\r\n10\r\nped"), "Wikiped");
        assert_eq!(chunked("4\r\nWiki\r\nnonsense"), "Wiki");
    }

    #[test]
    fn what_is_not_chunked_stays() {
        for text in ["<html>\n", "", "abc\r\ndef and more than that is here", "12", "deadbeefdeadbeef0\r\nx"] {
            // Announces 0xabc bytes and has fewer: this may be a chunk that was cut short.
            let expected = text.starts_with("abc").then_some(b"def and more than that is here".as_slice());
            assert_eq!(unchunk(text.as_bytes()).as_deref(), expected, "{text}");
        }
        assert_eq!(unchunk(b"3\r\nabcdef"), None);
    }
}
