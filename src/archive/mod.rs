//! Files on disk → records → captures.
//!
//! [`open`] finds the [`Format`] of an archive by its first bytes; the [`Archive`] it gives walks the records in the
//! order they stand in, and says where it is, so that a later run can go on from there. Walking is serial and
//! cheap; [`capture`] undoes the HTTP envelope of one record and may run in parallel. Nothing here holds more than one
//! record of `max_record_bytes`.
//!
//! | file | what it knows |
//! |---|---|
//! | `format.rs` | what a kind of archive is: what each of the files below fills in |
//! | `inputs.rs`, `detect.rs`, `head.rs` | what the user names → the archives meant, by their first bytes |
//! | `identity.rs` | what an archive is, by its bytes rather than its name |
//! | `portions.rs` | its records in portions that are worked on at once |
//! | `window.rs`, `codec.rs`, `dictionary.rs`, `members.rs` | a file's bytes → decompressed bytes, and where its members begin |
//! | `records.rs`, `header.rs`, `position.rs` | where records begin and end, and where to go on behind damage |
//! | `stream.rs`, `beside.rs` | standard input; waiting for what may never come |
//! | `warc.rs`, `arc.rs` | the header of a record; WAT and WET files are WARC files too |
//! | `cdx.rs`, `columnar.rs` | the lines of an index: CDXJ, CDX, Common Crawl's Parquet |
//! | `ranges.rs` | records by their places, out of the archives themselves |
//! | `wat.rs`, `wet.rs` | what a WAT says of a response, and the text of a WET |
//! | `copies.rs` | records copied byte for byte |
//! | `wacz.rs` | the WARC files inside a zip |
//! | `httrack/` | a mirror: its cache, its saved files, the links rewritten in them |
//! | `http.rs`, `coding.rs` | status line, headers, transfer and content codings |
//! | `mime.rs`, `dates.rs` | types of content and dates |
//!
//! A new kind is a file, its `mod` line and its line in [`FORMATS`].

mod arc;
mod beside;
mod cdx;
mod codec;
mod coding;
#[cfg(feature = "parquet")]
mod columnar;
mod copies;
mod dates;
mod detect;
mod dictionary;
mod format;
mod head;
mod header;
mod http;
mod httrack;
mod identity;
mod inputs;
mod members;
mod mime;
mod portions;
mod position;
mod ranges;
mod records;
mod stream;
#[cfg(test)]
mod tests;
mod wacz;
mod warc;
mod wat;
mod wet;
mod window;

use std::ffi::OsString;
use std::path::Path;

use crate::error::Result;
use crate::types::{Capture, Form, RawRecord, Skip};
use detect::Formats;

pub use beside::patiently;
pub use copies::Copier;
pub use format::{Archive, Format, Item, Params, RECORD_BYTES};
pub use identity::{Stat, fingerprint, stat};
use inputs::Indexes;
pub use inputs::{Inputs, Refused, Tally};
pub use portions::{Limits, Portion, index_lines, portions, unforeseen};
pub use stream::{STREAM, Stream};

/// Every kind of archive that is read, in the order they are tried.
pub const FORMATS: &[&dyn Format] = &[
    &warc::WarcFormat,
    &arc::ArcFormat,
    &wacz::WaczFormat,
    &httrack::HttrackFormat,
    &cdx::CdxFormat,
    // Before other tables of Parquet: it has a column of URLs as they have.
    &ranges::RangesFormat,
    #[cfg(feature = "parquet")]
    &columnar::ColumnarFormat,
];

const ALL: Formats = Formats(FORMATS);

/// The names of all formats, for a person: `WARC, ARC, …`.
pub fn names() -> String {
    ALL.names()
}

/// Opens the archive at `path`, at a position [`Archive::position`] gave, 0 for the start.
///
/// # Errors
/// [`Error::Input`](crate::error::Error::Input) when no format knows it, and what [`Format::open`] says.
pub fn open(path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
    format_of(path)?.open(path, position, params)
}

/// The format of the archive at `path`, by its first bytes; its name does not matter.
///
/// # Errors
/// [`Error::Input`](crate::error::Error::Input) when no format knows it; [`Error::Io`](crate::error::Error::Io) when it
/// cannot be read.
pub fn format_of(path: &Path) -> Result<&'static dyn Format> {
    ALL.of(path)
}

/// The archives that `inputs` name, each once, in the order named, and what is not read of what they name.
///
/// An input is a file; a folder, which stands for every archive in it and below, sorted by path (a mirror made by
/// HTTrack is one archive); a pattern such as `crawl-*.warc.gz`; or `@list.txt`, a file with one input a line, where `#`
/// begins a comment and paths are relative to the list, or else to the current folder. A file found in a folder or by a
/// pattern that is no archive is refused where it has the name of one or is compressed, else passed over. `-` is standard input. A file that
/// `is_known` (read before, and unchanged since) is not looked into. An index that is found so is refused where all archives that it
/// names are among those to read, in its folder or below.
///
/// # Errors
/// [`Error::Input`](crate::error::Error::Input), which names all inputs that are missing or hold no archive; with `keep_going`
/// they are refused instead.
pub fn expand(inputs: &[OsString], keep_going: bool, is_known: &dyn Fn(&Path) -> bool) -> Result<Inputs> {
    inputs::expand(inputs, keep_going, is_known, (ALL, Indexes::BesideNothing))
}

/// As [`expand`], with all indexes: those in which captures are looked up, and not read for pages.
///
/// # Errors
/// As [`expand`].
pub fn expand_with_indexes(inputs: &[OsString]) -> Result<Inputs> {
    inputs::expand(inputs, false, &|_| false, (ALL, Indexes::All))
}

/// What a record holds: the response as a browser would hand it to its parser, or what an index, a WAT or a WET has of it.
///
/// # Errors
/// Why the record is no page.
pub fn capture(record: RawRecord, params: &Params) -> std::result::Result<Capture, Skip> {
    match record.form {
        Form::Page => http::capture(record, params),
        Form::Text => wet::capture(record),
        Form::Links => wat::capture(record),
        Form::Index => cdx::capture(record),
    }
}

/// As [`capture`], but gives a record back whose coded body becomes far longer than those of most pages do: one that
/// makes little of an archive a lot in memory.
///
/// # Errors
/// The record itself.
pub fn capture_usual(
    record: RawRecord,
    params: &Params,
) -> std::result::Result<std::result::Result<Capture, Skip>, RawRecord> {
    if record.form == Form::Page { http::capture_usual(record, params) } else { Ok(capture(record, params)) }
}

/// Items in order, cut into shares whose bodies take no more than `max_bytes` when [`capture_usual`] has decoded them.
/// One that takes more by itself is a share of its own.
pub fn shares(items: Vec<Item>, max_bytes: usize, params: &Params) -> Vec<Vec<Item>> {
    let (mut shares, mut share, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    for item in items {
        let more = match &item {
            Item::Record(record) => http::usual_bytes(record, params),
            Item::Skip(_) => 0,
        };
        if !share.is_empty() && bytes.saturating_add(more) > max_bytes {
            shares.push(std::mem::take(&mut share));
            bytes = 0;
        }
        bytes = bytes.saturating_add(more);
        share.push(item);
    }
    shares.push(share);
    shares
}
