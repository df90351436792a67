//! Makes a WARC of any size out of small ones, to try the program on archives larger than one cares to keep.
//!
//! ```text
//! cargo run --release -p diglot-lab -- repeat-warc OUT.warc.gz MIN_BYTES INPUT.warc.gz...
//! ```
//!
//! The HTML responses with status 200 of the inputs are written again and again until OUT has `MIN_BYTES` (compressed;
//! the round then under way is finished, so that every site is whole). In round `R` the host `HOST` of
//! `WARC-Target-URI` becomes `rR.HOST`; nothing else changes, so absolute links and declarations in the pages lead to
//! addresses that are not there. One gzip member a record, level 6. One record at a time is held in memory.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::{Result, Usage};

/// Longest record that is read, in bytes; no page comes near.
const MAX_RECORD_BYTES: u64 = 64 << 20;
/// Longest header of a record, in bytes.
const MAX_HEADER_BYTES: u64 = 64 << 10;

/// Writes the archive.
pub fn run(arguments: &[String]) -> Result<()> {
    let min_bytes = arguments.get(1).and_then(|text| text.parse().ok());
    let (Some(out), Some(min_bytes), Some(inputs @ [_, ..])) = (arguments.first(), min_bytes, arguments.get(2..))
    else {
        return Err(Usage.into());
    };
    repeat(Path::new(out), min_bytes, inputs)
}

fn repeat(out: &Path, min_bytes: u64, inputs: &[String]) -> Result<()> {
    let file = File::create(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut sink = Sink { file: BufWriter::new(file), bytes: 0, records: 0 };
    let mut rounds = 0_u64;
    while sink.bytes < min_bytes {
        let before = sink.records;
        for input in inputs {
            copy_pages(input, rounds, &mut sink).map_err(|error| format!("{input}: {error}"))?;
        }
        if sink.records == before {
            return Err("no html response with status 200 in the inputs".into());
        }
        rounds += 1;
    }
    sink.file.flush()?;
    eprintln!("{}: {} bytes, {} records, {rounds} rounds", out.display(), sink.bytes, sink.records);
    Ok(())
}

fn copy_pages(input: &str, round: u64, sink: &mut Sink) -> Result<()> {
    let file = BufReader::with_capacity(1 << 16, File::open(input)?);
    let mut records = BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file));
    while let Some(record) = Record::read(&mut records)? {
        if record.is_page() {
            sink.write(&record.of_round(round)?, &record.block)?;
        }
    }
    Ok(())
}

/// What is written, and how much of it.
struct Sink {
    file: BufWriter<File>,
    bytes: u64,
    records: u64,
}

impl Sink {
    fn write(&mut self, header: &[u8], block: &[u8]) -> Result<()> {
        let mut member = GzEncoder::new(Vec::with_capacity(block.len() / 2), Compression::new(6));
        for part in [header, block, b"\r\n\r\n"] {
            member.write_all(part)?;
        }
        let member = member.finish()?;
        self.file.write_all(&member)?;
        self.bytes += member.len() as u64;
        self.records += 1;
        Ok(())
    }
}

/// One WARC record.
struct Record {
    /// From the version line to the empty line, with it.
    header: Vec<u8>,
    block: Vec<u8>,
}

impl Record {
    /// The next record; `None` at the end.
    fn read(from: &mut impl BufRead) -> Result<Option<Record>> {
        let mut header = Vec::new();
        let mut limited = from.by_ref().take(MAX_HEADER_BYTES);
        loop {
            let start = header.len();
            if limited.read_until(b'\n', &mut header)? == 0 {
                return if header.is_empty() { Ok(None) } else { Err("header cut off or too long".into()) };
            }
            match (start, &header[start..]) {
                // The empty lines that end the record before.
                (0, b"\r\n" | b"\n") => header.clear(),
                (_, b"\r\n" | b"\n") => break,
                _ => {}
            }
        }
        let mut record = Record { header, block: Vec::new() };
        let length: u64 = record.field("content-length").ok_or("record without Content-Length")?.parse()?;
        if length > MAX_RECORD_BYTES {
            return Err(format!("record of {length} bytes, expected {MAX_RECORD_BYTES} at most").into());
        }
        if from.take(length).read_to_end(&mut record.block)? as u64 != length {
            return Err(format!("Content-Length is {length}, {} bytes remain", record.block.len()).into());
        }
        Ok(Some(record))
    }

    fn field(&self, name: &str) -> Option<&str> {
        field(&self.header, name)
    }

    fn is_page(&self) -> bool {
        let status = self.block.split(|&byte| byte == b' ').nth(1);
        let http =
            self.block.windows(4).position(|bytes| bytes == b"\r\n\r\n").map_or(&[][..], |end| &self.block[..end]);
        let html = field(http, "content-type").is_some_and(|kind| {
            let kind = kind.to_ascii_lowercase();
            kind.starts_with("text/html") || kind.starts_with("application/xhtml")
        });
        let response = self.field("warc-type").is_some_and(|kind| kind.eq_ignore_ascii_case("response"));
        response && html && status.is_some_and(|status| status.starts_with(b"200"))
    }

    /// The header with the host of that round.
    fn of_round(&self, round: u64) -> Result<Vec<u8>> {
        let mut header = Vec::with_capacity(self.header.len() + 24);
        for line in self.header.split_inclusive(|&byte| byte == b'\n') {
            let address =
                value(line, "warc-target-uri").and_then(|_| line.windows(3).position(|bytes| bytes == b"://"));
            match address {
                Some(scheme_end) => {
                    let (scheme, host) = line.split_at(scheme_end + 3);
                    header.extend_from_slice(scheme);
                    write!(header, "r{round}.")?;
                    header.extend_from_slice(host);
                }
                None => header.extend_from_slice(line),
            }
        }
        Ok(header)
    }
}

/// The value of a header field in lines of `name: value`.
fn field<'a>(lines: &'a [u8], name: &str) -> Option<&'a str> {
    lines.split(|&byte| byte == b'\n').find_map(|line| value(line, name))
}

fn value<'a>(line: &'a [u8], name: &str) -> Option<&'a str> {
    let (found, rest) = std::str::from_utf8(line).ok()?.split_once(':')?;
    found.trim().eq_ignore_ascii_case(name).then(|| rest.trim())
}
