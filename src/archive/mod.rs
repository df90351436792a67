//! Files on disk → records → captures.
//!
//! [`open`] finds the [`Format`] of an archive by its first bytes; the [`Archive`] it gives walks the records in the
//! order they stand in, and says where it is, so that a later run can go on from there. Walking is serial and
//! cheap; [`capture`] undoes the HTTP envelope of one record and may run in parallel. Nothing here holds more than one
//! record of `max_record_bytes`.
//!
//! | file | what it knows |
//! |---|---|
//! | `inputs.rs` | what the user names → the archives meant |
//! | `window.rs`, `codec.rs`, `members.rs` | a file's bytes → decompressed bytes, and where its members begin |
//! | `records.rs` | where records begin and end, and where to go on behind damage |
//! | `warc.rs`, `arc.rs` | the header of a record; WAT and WET files are WARC files too |
//! | `cdx.rs`, `columnar.rs` | the lines of an index: CDXJ, CDX, Common Crawl's Parquet |
//! | `wat.rs` | what a WAT tells of a response |
//! | `wacz.rs` | the WARC files inside a zip |
//! | `httrack.rs`, `httrack/` | a mirror: its cache, its saved files, the links rewritten in them |
//! | `http.rs`, `coding.rs` | status line, headers, transfer and content codings |

mod arc;
mod cdx;
mod codec;
mod coding;
#[cfg(feature = "parquet")]
mod columnar;
mod http;
mod httrack;
mod inputs;
mod members;
mod records;
#[cfg(test)]
mod tests;
mod wacz;
mod warc;
mod wat;
mod window;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};
use crate::types::{RawRecord, Skip};

pub use http::capture;
pub use inputs::expand;

/// Every kind of archive that is read, in the order they are tried.
pub const FORMATS: &[&dyn Format] = &[
    &warc::WarcFormat,
    &arc::ArcFormat,
    &wacz::WaczFormat,
    &httrack::HttrackFormat,
    &cdx::CdxFormat,
    #[cfg(feature = "parquet")]
    &columnar::ColumnarFormat,
];

/// First bytes of a file, by which its kind is told.
const HEAD_BYTES: u64 = 4 << 10;

/// Opens the archive at `path`, at a position [`Archive::position`] gave, 0 for the start.
///
/// # Errors
/// [`Error::Input`] when no format knows it, and what [`Format::open`] says.
pub fn open(path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
    format_of(path)?.open(path, position, params)
}

/// The format of the archive at `path`, by its first bytes; its name does not matter.
///
/// # Errors
/// [`Error::Input`] when no format knows it; [`Error::Io`] when it cannot be read.
pub fn format_of(path: &Path) -> Result<&'static dyn Format> {
    let head = head_of(path)?;
    recognised(path, &head).ok_or_else(|| {
        let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
        let problem = format!("found {}, which is none of {}", describe(path, &head), names.join(", "));
        Error::input(path.display().to_string(), problem)
    })
}

fn recognised(path: &Path, head: &[u8]) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.recognises(path, head))
}

/// The first bytes of a file; none of a folder.
fn head_of(path: &Path) -> Result<Vec<u8>> {
    if path.is_dir() {
        return Ok(Vec::new());
    }
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        file.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let wanted = codec::Codec::of(&head).probe_bytes() as u64;
        file.take(wanted.saturating_sub(HEAD_BYTES)).read_to_end(&mut head)?;
        Ok(head)
    };
    read().map_err(Error::io(path, "reading"))
}

/// What a file nobody recognises seems to be, for a person.
fn describe(path: &Path, head: &[u8]) -> String {
    if path.is_dir() {
        return "a folder without the traces of HTTrack".to_owned();
    }
    if head.is_empty() {
        return "an empty file".to_owned();
    }
    let show = |bytes: &[u8]| format!("{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(24)]));
    match codec::Codec::of(head) {
        codec::Codec::Plain => format!("a file that begins with {}", show(head)),
        codec => match warc::content_head(head).as_slice() {
            [] => format!("{codec:?} data that cannot be decompressed or is empty"),
            content => format!("{codec:?} data that begins with {}", show(content)),
        },
    }
}

/// Limits of reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The longest block of a record, and the longest body after undoing content codings, in bytes. Longer ones are
    /// skipped as a stream and counted. Default 16 MiB: three times the longest body Common Crawl keeps.
    pub max_record_bytes: u64,
}

impl Default for Params {
    fn default() -> Params {
        Params { max_record_bytes: 16 << 20 }
    }
}

/// What an archive gives at each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A record that may hold a page.
    Record(RawRecord),
    /// A record that does not, and why.
    Skip(Skip),
}

/// An archive being read.
pub trait Archive: Send {
    /// The next record; `None` at the end. Damage inside the archive is an [`Item::Skip`], after which reading goes on
    /// where a record can be found again.
    ///
    /// # Errors
    /// Only what the environment does: the file cannot be read.
    fn next(&mut self) -> Result<Option<Item>>;

    /// Where the next call of [`Archive::next`] begins: [`Format::open`] with it goes on there. 0 at the start; grows.
    fn position(&self) -> u64;

    /// What [`Archive::position`] will be at the end, where that is known (for progress).
    fn end(&self) -> Option<u64>;
}

/// A kind of archive.
pub trait Format: Sync {
    /// Its name in listings.
    fn name(&self) -> &'static str;

    /// True when the file or folder at `path`, whose first bytes are `head` (empty for a folder), is of this kind.
    fn recognises(&self, path: &Path, head: &[u8]) -> bool;

    /// Opens it at a position [`Archive::position`] gave, 0 for the start.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged from its first byte on.
    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>>;
}
