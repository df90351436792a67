//! WARC: records of archives, unchanged, after a `warcinfo` record that names the program that collected them.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::write::GzEncoder;
use warc::{RawRecordHeader, Record, RecordType, WarcHeader, WarcWriter};

use super::exporter::{Compression, Exporter, Job, Output, Row, outputs};

/// The WARC version of the first record.
const VERSION: &str = "1.1";

struct Warc {
    out: Output,
    is_gz: bool,
}

pub fn make(job: &Job, given: Vec<Output>) -> io::Result<Box<dyn Exporter>> {
    let [out] = outputs(given)?;
    let mut warc = Warc { out, is_gz: job.compression == Compression::Gzip };
    warc.record(&information(job)?)?;
    Ok(Box::new(warc))
}

/// The first record.
fn information(job: &Job) -> io::Result<Vec<u8>> {
    let name = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    let body = format!(
        "software: {name}\r\nformat: WARC File Format {VERSION}\r\n\
         description: records of other archives, copied byte for byte\r\n"
    );
    let headers = HashMap::from([
        (WarcHeader::WarcType, RecordType::WarcInfo.to_string()),
        (WarcHeader::RecordID, Record::<warc::EmptyBody>::generate_record_id()),
        (WarcHeader::Date, job.now.to_string()),
        (WarcHeader::ContentType, "application/warc-fields".to_owned()),
        (WarcHeader::ContentLength, body.len().to_string()),
    ]);
    let headers = headers.into_iter().map(|(name, value)| (name, value.into_bytes())).collect();
    let mut record = Vec::new();
    let header = RawRecordHeader { version: VERSION.to_owned(), headers };
    WarcWriter::new(&mut record).write_raw(header, &body)?;
    Ok(record)
}

impl Warc {
    /// Writes a record; if compressed, as its own gzip member.
    fn record(&mut self, record: &[u8]) -> io::Result<()> {
        if !self.is_gz {
            return self.out.write_all(record);
        }
        let mut encoder = GzEncoder::new(&mut self.out, flate2::Compression::default());
        encoder.write_all(record)?;
        encoder.finish()?;
        Ok(())
    }
}

impl Exporter for Warc {
    fn row(&mut self, row: Row<'_>) -> io::Result<()> {
        let Row::Record(copied) = row else { return Err(row.refused()) };
        match &copied.member {
            Some(member) if self.is_gz => self.out.write_all(member),
            _ => self.record(&copied.record),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use crate::export::Content;
    use crate::export::tests::one_row;

    #[test]
    fn members_are_copied_and_the_rest_is_compressed_record_by_record() {
        let plain = one_row("warc", "x.warc", Content::Warc);
        assert!(plain.starts_with(b"WARC/1.1\r\n") && plain.ends_with(b"byte for byte\r\n\r\n\r\na record"));
        assert!(memchr::memmem::find(&plain, b"2024-05-06T07:08:09Z\r\n").is_some());
        let packed = one_row("warc", "x.warc.gz", Content::Warc);
        assert!(packed.ends_with(b"a member"));
        let mut first = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut first).expect("a member");
        assert!(first.starts_with(b"WARC/1.1\r\n") && first.ends_with(b"byte for byte\r\n\r\n\r\n"));
    }
}
