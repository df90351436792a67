//! Pages → records of a WARC.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use diglot::types::Capture;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::create;
use crate::Result;

/// A WARC being written: one gzip member a record, nothing held in memory.
pub struct Writer {
    file: BufWriter<File>,
    records: u64,
}

impl Writer {
    /// A new file at `path`.
    pub fn create(path: &Path) -> Result<Writer> {
        Ok(Writer { file: create(path)?, records: 0 })
    }

    /// Adds a response of status 200; type, language and date are those of `capture`, its address and body are not used.
    pub fn page(&mut self, url: &str, capture: &Capture, body: &[u8]) -> Result<()> {
        let mut http = "HTTP/1.1 200 OK\r\n".to_owned();
        for (name, value) in [("Content-Type", &capture.content_type), ("Content-Language", &capture.content_language)]
        {
            if let Some(value) = value {
                http += &format!("{name}: {value}\r\n");
            }
        }
        http += &format!("Content-Length: {}\r\n\r\n", body.len());
        let date = jiff::Timestamp::from_second(capture.date_ms.div_euclid(1000))?;
        let (number, length) = (self.records, http.len() + body.len());
        let header = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012x}>\r\n\
             WARC-Date: {date}\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http;msgtype=response\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        let mut member = GzEncoder::new(&mut self.file, Compression::new(6));
        for part in [header.as_bytes(), http.as_bytes(), body, b"\r\n\r\n"] {
            member.write_all(part)?;
        }
        member.finish()?;
        self.records += 1;
        Ok(())
    }

    /// Writes what is still held back.
    pub fn finish(mut self) -> Result<()> {
        Ok(self.file.flush()?)
    }
}
