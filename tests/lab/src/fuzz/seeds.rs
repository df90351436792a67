//! Inputs that are sound, or nearly: what changes begin with.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use crate::Result;
use crate::dice::Dice;

/// Pages longer than this are cut, in bytes: short inputs are tried more often.
const MAX_PAGE_BYTES: usize = 6 << 10;

/// A folder of the repository.
pub fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Pages of the sample, in all its languages, and a few that are odd.
pub fn pages() -> Result<Vec<Vec<u8>>> {
    let mut pages = Vec::new();
    let mut folders = vec![repository("data/sites/packaging")];
    while let Some(folder) = folders.pop() {
        let mut found: Vec<PathBuf> =
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        found.sort();
        for path in found {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "html") && pages.len() < 12 {
                let mut page = std::fs::read(path)?;
                page.truncate(MAX_PAGE_BYTES);
                pages.push(page);
            }
        }
    }
    let odd = "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A &amp; B</title><base href='/x/'>\
        <link rel=canonical href=c><link rel=alternate hreflang=fr href=/fr/><meta property=og:url content=o>\
        <meta http-equiv=refresh content='5; url=n'><script>location.href='/other'</script><style>a{}</style></head>\
        <body><h1>One</h1><p>Two <b>three</b> four<br><br>five<table><tr><td>six<td>seven</table><ul><li>eight\
        <li><a href='?q=1#f' rel=nofollow hreflang=de>nine <img src=i.png alt='ten'></a></ul><pre> e \n f </pre>\
        <iframe src=f></iframe><svg><text>x</text></svg><template>t</template><textarea>u</textarea><!-- c --><p>\
        &#x41;&eacute;&nbsp;&bogus; \u{e9}\u{65e5}\u{672c}\u{8a9e} <input type=password><noscript>v</noscript></body></html>";
    pages.push(odd.as_bytes().to_vec());
    for encoding in [encoding_rs::BIG5, encoding_rs::SHIFT_JIS, encoding_rs::ISO_2022_JP, encoding_rs::WINDOWS_1251] {
        let text = odd.replace("utf-8", encoding.name());
        pages.push(encoding.encode(&text).0.into_owned());
    }
    pages.push(odd.encode_utf16().flat_map(u16::to_le_bytes).collect());
    Ok(pages)
}

/// A WARC record.
pub fn warc_record(kind: &str, url: &str, content_type: &str, block: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2014-03-01T01:02:03Z\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// Responses, their bodies in all codings.
pub fn responses() -> Result<Vec<Vec<u8>>> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Language: en\r\n";
    let mut responses = Vec::new();
    for (at, page) in pages()?.iter().enumerate() {
        let (coding, body) = match at % 6 {
            0 => ("", page.clone()),
            1 => ("Content-Encoding: gzip\r\n", gzip(page)?),
            2 => ("Content-Encoding: deflate\r\n", zlib(page)?),
            3 => ("Content-Encoding: deflate\r\n", deflate(page)?),
            4 => ("Content-Encoding: zstd\r\n", zstd::encode_all(page.as_slice(), 3)?),
            _ => ("Content-Encoding: br\r\n", BROTLI.to_vec()),
        };
        responses.push([head.as_bytes(), coding.as_bytes(), b"\r\n", &body].concat());
        let chunks: Vec<u8> = body
            .chunks(700)
            .flat_map(|chunk| [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat())
            .collect();
        let chunked: &[u8] = b"Transfer-Encoding: chunked\r\n\r\n";
        responses.push([head.as_bytes(), coding.as_bytes(), chunked, &chunks, b"0\r\n\r\n"].concat());
    }
    responses.push(b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec());
    Ok(responses)
}

/// `one and two and three and one and two and three and one and two`, compressed.
const BROTLI: &[u8] =
    &[27, 62, 0, 248, 37, 223, 232, 238, 122, 144, 66, 54, 105, 70, 59, 144, 194, 61, 15, 177, 104, 13, 62, 184, 9];

/// WARC files of a few records.
pub fn warcs() -> Result<Vec<Vec<u8>>> {
    let responses = responses()?;
    let mut files = Vec::new();
    for group in responses.chunks(3) {
        let mut file = warc_record("warcinfo", "", "application/warc-fields", b"software: x\r\n");
        for (at, response) in group.iter().enumerate() {
            let url = format!("<http://ex.org/{at}>");
            file.extend(warc_record("request", &url, "application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"));
            file.extend(warc_record("response", &url, "application/http; msgtype=response", response));
        }
        files.push(file);
    }
    files.push(warc_record("metadata", "http://ex.org/w", "application/json", WAT.as_bytes()));
    files.push(warc_record("conversion", "http://ex.org/t", "text/plain", "Ein Text.\nUnd noch einer.\n".as_bytes()));
    Ok(files)
}

/// ARC files of a few records.
pub fn arcs() -> Result<Vec<Vec<u8>>> {
    let info = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    let first = format!("filedesc://x.arc 0.0.0.0 20140301010203 text/plain {}\n{info}\n", info.len()).into_bytes();
    let responses = responses()?;
    let file = |group: &[Vec<u8>]| {
        let mut file = first.clone();
        for (at, block) in group.iter().enumerate() {
            let head = format!("http://ex.org/{at} 10.0.0.1 20140301010203 text/html {}\n", block.len());
            file.extend([head.as_bytes(), block, b"\n"].concat());
        }
        file
    };
    Ok(responses.chunks(3).map(file).collect())
}

/// The JSON of a WAT record.
pub const WAT: &str = r#"{"Container":{"Filename":"a.warc.gz","Offset":"44","Gzip-Metadata":{"Deflate-Length":"55"}},
"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Date":"2024-05-18T01:58:10Z"},
"Payload-Metadata":{"HTTP-Response-Metadata":{"Response-Message":{"Status":"200"},
"Headers":{"content-type":"text/html; charset=utf-8","Content-Language":"an","Link":"<x>; rel=canonical"},
"HTML-Metadata":{"Head":{"Title":"A title","Base":"/b/","Metas":[{"name":"language","content":"fr"}],
"Link":[{"path":"LINK@/href","url":"/fr","rel":"alternate","hreflang":"fr"}]},
"Links":[{"path":"A@/href","url":"/a","text":"A link"},{"path":"IMG@/src","url":"i.png","alt":"x"}]}}}}}"#;

/// Lines of indexes.
pub const INDEX_LINES: &[&str] = &[
    r#"org,ex)/fr/a 20240518015810 {"url": "https://ex.org/fr/a", "mime": "text/html", "mime-detected": "application/xhtml+xml", "status": "200", "digest": "RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU", "length": "17423", "offset": "80610731", "filename": "crawl-data/CC-MAIN-2024-22/a.warc.gz", "charset": "UTF-8", "languages": "fra,eng"}"#,
    r#"org,ex)/fr/a 20240518015810 {"url": "https://ex.org/fr/a", "mime": "text/html", "status": 200, "length": 17423, "offset": 80610731, "filename": "a.warc.gz"}"#,
    " CDX N b a m s k r M S V g",
    "org,ex)/ 20140301010203 http://ex.org/ text/html 200 RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU - - 1043 333 a.warc.gz",
    "org,ex)/a 20140301010203 http://ex.org/a text/html 404 RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU - - 1043 333 a.warc.gz",
    "org,ex)/b 20140301010203 http://ex.org/b text/html 200 RY7PLBUFQNI2FFV5FTUQK72W6SNPXLQU 333 a.arc.gz",
];

/// Addresses.
pub const URLS: &[&str] = &[
    "http://ex.org/",
    "https://user:pw@www.Example.CO.uk:8080/a/../b//c;jsessionid=12?x=%41&PHPSESSID=1&utm_source=z#frag",
    "http://[2001:db8::1]/%e9%C3%A9/\u{e9}?q=\u{65e5}\u{672c}",
    "http://xn--mnchen-3ya.de/de_DE/seite-12.html?lang=de&sid=0123456789abcdef0123456789abcdef",
    "http://192.168.0.1/a.php?id=1&amp;l=fr",
    "http://0x7f.1/",
    "dns:ex.org",
    "urn:uuid:x",
    "http://a.b.c.d.e.f/en/fr/de/zh-Hans/../..",
];

/// Names of languages.
pub const TAGS: &[&str] =
    &["en", "zh-Hant-TW", "fr_CA", "sr-Latn", "x-default", "de, en;q=0.8", "deutsch", "und", "i-klingon"];

/// As a gzip member.
pub fn gzip(data: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data)?;
    Ok(encoder.finish()?)
}

/// As an xz stream.
pub fn xz(data: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(data)?;
    Ok(encoder.finish()?)
}

/// As a bzip2 stream.
pub fn bzip2(data: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(data)?;
    Ok(encoder.finish()?)
}

/// Length of a block of a tarball.
const TAR_BLOCK: usize = 512;

/// An entry of a tarball.
pub fn tar_entry(name: &str, kind: u8, data: &[u8]) -> Vec<u8> {
    let mut entry = vec![0; TAR_BLOCK];
    entry[..name.len()].copy_from_slice(name.as_bytes());
    entry[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
    entry[156] = kind;
    entry.extend(data);
    entry.resize(entry.len().next_multiple_of(TAR_BLOCK), 0);
    fit_tar(&mut entry);
    entry
}

/// Makes the checksums of all headers of a tarball fit.
pub fn fit_tar(tar: &mut [u8]) {
    let mut at = 0;
    while let Some(head) = tar.get_mut(at..at + TAR_BLOCK).filter(|head| head[0] != 0) {
        head[148..156].fill(b' ');
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        let digits = String::from_utf8_lossy(&head[124..135]).into_owned();
        let bytes = usize::from_str_radix(digits.trim_matches(['\0', ' ']), 8).unwrap_or(0);
        at += TAR_BLOCK + bytes.min(tar.len()).next_multiple_of(TAR_BLOCK);
    }
}

fn zlib(data: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data)?;
    Ok(encoder.finish()?)
}

/// As deflated data alone.
pub fn deflate(data: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data)?;
    Ok(encoder.finish()?)
}

/// The same data as files come: as it is, or compressed whole, by parts, or by parts that are damaged afterwards.
pub fn compress(data: Vec<u8>, dice: &mut Dice) -> Vec<u8> {
    let made = match dice.roll(8) {
        0 => gzip(&data),
        1 => data.chunks(1 + dice.roll(3000) as usize).map(gzip).collect::<Result<Vec<_>>>().map(|it| it.concat()),
        2 => zstd::encode_all(data.as_slice(), 1).map_err(Into::into),
        3 => {
            let frames = data.chunks(500 + dice.roll(3000) as usize).map(|part| zstd::encode_all(part, 1));
            frames.collect::<std::io::Result<Vec<_>>>().map(|it| it.concat()).map_err(Into::into)
        }
        4 => gzip(&data).map(|mut made| {
            super::mutate::mutate(&mut made, &data, dice);
            made
        }),
        _ => return data,
    };
    made.unwrap_or(data)
}

/// A list of ranges of two archives.
pub const RANGES: &str = "warc_filename\toffset\tlength\turl\na.warc.gz\t0\t900\thttp://ex.org/0\n\
    a.warc.gz\t0\t0\thttp://ex.org/0\nb.warc\t0\t0\thttp://ex.org/1\nb.warc\t334\t400\thttp://ex.org/1\n";

/// The first number of some bytes, as stores have numbers.
pub fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}
