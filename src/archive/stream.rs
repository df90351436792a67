//! Standard input: an archive that can be read only once, from its start.
//!
//! Its format is detected by its first bytes. A position is the number of records read, with a hash of them. To continue, these records are
//! read again and skipped; reading fails if they differ.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::arc::Arc;
use super::codec::Codec;
use super::detect::describe;
use super::dictionary::holds_dictionary;
use super::format::{Archive, Item, Params};
use super::head::{content_head, read_up_to};
use super::header::Dialect;
use super::members::Members;
use super::position::{Position, count_of, with_hash};
use super::records::Records;
use super::warc::Warc;
use super::window::Window;
use crate::error::{Error, Result};

/// The name of standard input among the inputs.
pub const STREAM: &str = "-";

/// How many first bytes identify a stream: the first record of a WARC file has a unique identifier.
const HEAD_BYTES: usize = 1 << 20;
/// Seed that makes the hash of a stream's first bytes differ from the hash of a file.
const SEED: u64 = 0x6469_676c_6f74_0003;

/// A stream at its start.
pub struct Stream {
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
    format: &'static str,
}

impl Stream {
    /// Standard input. Waits for its first bytes.
    ///
    /// # Errors
    /// As [`Stream::new`].
    pub fn of_standard_input() -> Result<Stream> {
        Stream::new(Box::new(io::stdin()))
    }

    /// A stream of bytes.
    ///
    /// # Errors
    /// When it cannot be read, or is neither WARC nor ARC.
    pub fn new(mut rest: Box<dyn Read + Send>) -> Result<Stream> {
        let mut head = vec![0; HEAD_BYTES];
        let count = read_up_to(&mut rest, &mut head).map_err(Error::io(STREAM, "reading standard input"))?;
        head.truncate(count);
        let content = content_head(&head);
        let format = if holds_dictionary(&head) || Warc::begins(&content) {
            "WARC"
        } else if content.starts_with(b"filedesc:") {
            "ARC"
        } else {
            let found = describe(Path::new(STREAM), &head);
            let problem = format!("standard input is {found}, expected WARC or ARC; give other archives as files");
            return Err(Error::input(STREAM, problem));
        };
        Ok(Stream { head, rest, format })
    }

    /// Name of its format.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// Hash of its first bytes. It differs from that of any file.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Xxh3::with_seed(SEED);
        hasher.update(&self.head);
        hasher.digest()
    }

    /// Reads from a position that [`Archive::position`] returned; 0 for the start.
    ///
    /// # Errors
    /// When it cannot be read, or differs from the stream that was read up to there.
    pub fn open(self, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
        let Stream { head, rest, format } = self;
        let codec = Codec::of(&head);
        let window = Window::new(Box::new(Cursor::new(head).chain(rest)), 0);
        let records: Box<dyn Archive> = if format == "ARC" {
            records::<Arc>(window, codec, params)?
        } else {
            records::<Warc>(window, codec, params)?
        };
        let mut passed = Passed { records, count: 0, hasher: Xxh3::with_seed(SEED) };
        while passed.count < count_of(position) && passed.next()?.is_some() {}
        if position > 0 && passed.position() != position {
            let problem =
                "standard input begins as an archive of the store and goes on in another way; give it as a file";
            return Err(Error::input(STREAM, problem));
        }
        Ok(Box::new(passed))
    }
}

fn records<D: Dialect>(window: Window, codec: Codec, params: &Params) -> Result<Box<dyn Archive>> {
    let members = Members::new(window, codec, Vec::new(), params, D::begins);
    let path = PathBuf::from("standard input");
    Ok(Box::new(Records::<D>::new(path, members, Position::default(), None, params.max_record_bytes)?))
}

/// The records of a stream, with the count and the hash of those already returned; positions in the stream hold both.
struct Passed {
    records: Box<dyn Archive>,
    count: u64,
    hasher: Xxh3,
}

impl Archive for Passed {
    fn next(&mut self) -> Result<Option<Item>> {
        let item = self.records.next()?;
        let (offset, url, block) = match &item {
            None => return Ok(None),
            Some(Item::Record(record)) => (record.offset, &record.url, record.block.as_slice()),
            Some(Item::Skip(skip)) => (skip.offset, &skip.url, skip.detail.as_bytes()),
        };
        self.hasher.update(&offset.to_le_bytes());
        self.hasher.update(url.as_bytes());
        self.hasher.update(block);
        self.count += 1;
        Ok(item)
    }

    fn position(&self) -> u64 {
        with_hash(self.count, self.hasher.digest())
    }

    fn end(&self) -> Option<u64> {
        None
    }

    fn progress(&self) -> u64 {
        self.records.progress()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warc(names: &[&str]) -> Vec<u8> {
        let record = |name: &&str| {
            format!(
                "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://ex.org/{name}\r\nContent-Type: text/html\r\n\
                 Content-Length: 3\r\n\r\n<p>\r\n\r\n"
            )
        };
        names.iter().map(record).collect::<String>().into_bytes()
    }

    fn stream(bytes: &[u8]) -> Result<Stream> {
        Stream::new(Box::new(Cursor::new(bytes.to_vec())))
    }

    fn urls(archive: &mut dyn Archive) -> Vec<String> {
        std::iter::from_fn(|| archive.next().expect("memory"))
            .map(|item| match item {
                Item::Record(record) => record.url,
                Item::Skip(skip) => skip.detail,
            })
            .collect()
    }

    #[test]
    fn a_stream_goes_on_behind_what_was_read_of_it() {
        let bytes = warc(&["a", "b", "c"]);
        for bytes in [bytes.clone(), zstd::encode_all(bytes.as_slice(), 3).expect("memory")] {
            let mut first = stream(&bytes).expect("a WARC").open(0, &Params::default()).expect("a WARC");
            assert_eq!(first.position(), 0);
            first.next().expect("memory").expect("the first of three");
            let at = first.position();
            assert!((1..=bytes.len() as u64).contains(&first.progress()), "bytes, not a position");
            let mut again = stream(&bytes).expect("a WARC").open(at, &Params::default()).expect("the same");
            assert_eq!(urls(again.as_mut()), ["http://ex.org/b", "http://ex.org/c"]);
            let mut after =
                stream(&bytes).expect("a WARC").open(again.position(), &Params::default()).expect("the same");
            assert_eq!(urls(after.as_mut()), [""; 0]);
        }
        let mut first = stream(&bytes).expect("a WARC").open(0, &Params::default()).expect("a WARC");
        first.next().expect("memory").expect("the first of three");
        let other = stream(&warc(&["x", "b"])).expect("a WARC").open(first.position(), &Params::default());
        let error = other.map(|_| ()).expect_err("another one").to_string();
        assert!(error.contains("goes on in another way"), "{error}");
    }

    #[test]
    fn a_stream_is_known_by_its_first_bytes_and_must_be_an_archive() {
        let print = |names: &[&str]| stream(&warc(names)).expect("a WARC").fingerprint();
        assert_eq!(print(&["a"]), print(&["a"]));
        assert_ne!(print(&["a"]), print(&["b"]));
        assert_eq!(stream(b"filedesc://x 0.0.0.0 20140301000000 text/plain 0\n").expect("an ARC").format(), "ARC");
        for bytes in [b"".as_slice(), b"nonsense"] {
            let error = stream(bytes).map(|_| ()).expect_err("no archive").to_string();
            assert!(error.contains("expected WARC or ARC"), "{error}");
        }
    }
}
