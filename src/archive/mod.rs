//! Files on disk → records → captures.
//!
//! [`open`] finds the [`Format`] of an archive by its first bytes. The [`Archive`] that it returns walks the records in order, and gives
//! its position, so that a later run can continue from there. Walking is serial and cheap; [`capture`] removes the HTTP envelope of one
//! record, and may run in parallel. At any time at most one record of `max_record_bytes` is held here.
//!
//! | file | what it knows |
//! |---|---|
//! | `format.rs` | the trait that each of the formats below implements |
//! | `inputs.rs`, `detect.rs`, `head.rs` | the user's inputs → archives, detected by their first bytes |
//! | `multi_wacz.rs` | the WACZ files that a file names |
//! | `covered_indexes.rs`, `packed.rs`, `tally.rs` | which of the inputs are not read, why, and what is told about them |
//! | `identity.rs` | identifies an archive by its bytes, not its name |
//! | `portions.rs` | the records of an archive in portions, each of which is worked on at once |
//! | `window.rs`, `codec.rs`, `dictionary.rs`, `members.rs` | a file's bytes → decompressed bytes, and where its members begin |
//! | `records.rs`, `header.rs`, `position.rs` | where records begin and end, and where reading continues after damage |
//! | `stream.rs`, `own_thread.rs` | standard input; waiting for data that may never come |
//! | `warc.rs`, `arc.rs` | the header of a record; WAT and WET files are WARC files too |
//! | `cdx.rs`, `cdx_server.rs`, `columnar.rs` | the lines of an index: CDXJ, CDX, answers of CDX servers, Common Crawl's Parquet |
//! | `ranges.rs` | records read out of archives by their places |
//! | `wat.rs`, `wet.rs` | the data of a WAT record about a response, and the text of a WET record |
//! | `copies.rs` | records copied byte for byte |
//! | `container.rs`, `wacz.rs` | the WARC files inside a zip or tarball: where they are; reading them |
//! | `zim/` | a ZIM: its entries, the clusters that they are in, and their addresses |
//! | `httrack/` | a mirror: its cache, and its saved files |
//! | `pages/` | a folder of pages: what the names of files and notes in pages say about their URLs |
//! | `links.rs` | links of saved pages that name files → URLs |
//! | `http.rs`, `coding.rs` | status line, headers, transfer and content codings |
//! | `owners.rs` | `robots.txt` and `tdmrep.json`, which are no pages, and say what may be done with pages |
//! | `mime.rs`, `dates.rs` | types of content and dates |
//!
//! A new kind takes a file, its `mod` line and a line in [`FORMATS`].

mod arc;
mod cdx;
mod cdx_server;
mod codec;
mod coding;
#[cfg(feature = "parquet")]
mod columnar;
mod container;
mod copies;
mod covered_indexes;
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
mod links;
mod members;
mod mime;
mod multi_wacz;
mod own_thread;
pub mod owners;
mod packed;
mod pages;
mod portions;
mod position;
mod ranges;
mod records;
mod stream;
mod tally;
#[cfg(test)]
mod tests;
mod wacz;
mod warc;
mod wat;
mod wet;
mod window;
mod zim;

use std::ffi::OsString;
use std::path::Path;

use crate::error::Result;
use crate::types::{Capture, Form, RawRecord, Skip};
use detect::Formats;

pub use copies::Copier;
#[cfg(feature = "pdf")]
pub use format::read_pdf_with;
pub use format::{Archive, Format, Item, Params, RECORD_BYTES};
pub use head::decompressed;
pub use identity::{Stat, stat};
use inputs::Indexes;
pub use inputs::Inputs;
pub use mime::is_pdf_type;
pub use own_thread::patiently;
pub use pages::{NAME as PAGES, is_base_url};
pub use portions::{Limits, Portion, index_lines, portions, unforeseen};
pub use stream::{STREAM, Stream};
pub use tally::{Refused, Tally};

/// All kinds of archive, in the order in which they are tried.
pub const FORMATS: &[&dyn Format] = &[
    &warc::WarcFormat,
    &arc::ArcFormat,
    &wacz::WACZ,
    // After WACZ, which is a kind of ZIP.
    &wacz::ZIP,
    &wacz::TAR,
    &zim::ZimFormat,
    &httrack::HttrackFormat,
    &cdx::CdxFormat,
    // This comes before the other Parquet tables, which would also recognize it, since it has a column of URLs.
    &ranges::RangesFormat,
    #[cfg(feature = "parquet")]
    &columnar::ColumnarFormat,
    &pages::PagesFormat,
    &pages::PageFormat,
];

const ALL: Formats = Formats(FORMATS);

/// The names of all formats, for a person: `WARC, ARC, …`.
pub fn names() -> String {
    ALL.names()
}

/// Opens the archive at `path`, at a position that `Archive::position` returned; 0 for the start.
///
/// # Errors
/// [`Error::Input`](crate::error::Error::Input) when no format recognizes it, and the errors of `Format::open`.
pub fn open(path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>> {
    format_of(path)?.open(path, position, params)
}

/// The format of the archive at `path`, by its first bytes; its name does not matter.
///
/// # Errors
/// [`Error::Input`](crate::error::Error::Input) when no format recognizes it; [`Error::Io`](crate::error::Error::Io) when it cannot be
/// read.
pub fn format_of(path: &Path) -> Result<&'static dyn Format> {
    ALL.of(path)
}

/// The archives that `inputs` stand for, each once, in order, and the files that are not read.
///
/// An input is a file; a folder, which stands for all archives in it and below, sorted by path (a mirror made by HTTrack is one archive, and so is a folder that
/// has pages and no other archive); a
/// pattern such as `crawl-*.warc.gz`; or `@list.txt`, a file with one input a line, in which `#` begins a comment, and paths are relative
/// to the list or else to the current folder. A file that is found in a folder or by a pattern and is not an archive is refused if its name
/// is that of an archive or it is compressed or packed (ZIP, tar), and ignored otherwise. `-` is standard input. A file for which `is_known` is true (it was
/// read before, and has not changed since) is not opened. An index that is found in a folder or by a pattern is refused if all archives
/// that it names are among the archives to be read: in its folder or below, or elsewhere, with their records where the index says.
///
/// # Errors
/// [`Error::Input`](crate::error::Error::Input), which names all inputs that are missing, contain no archive, or cannot be read with
/// `params`; with `keep_going` they are refused instead.
pub fn expand(
    inputs: &[OsString],
    keep_going: bool,
    params: &Params,
    is_known: &dyn Fn(&Path) -> bool,
) -> Result<Inputs> {
    inputs::expand(inputs, keep_going, is_known, (ALL, Indexes::BesideNothing, params))
}

/// As [`expand`], but keeps all indexes: they are used for looking up captures, and not read for pages.
///
/// # Errors
/// As [`expand`].
pub fn expand_with_indexes(inputs: &[OsString]) -> Result<Inputs> {
    inputs::expand(inputs, false, &|_| false, (ALL, Indexes::All, &Params::default()))
}

/// Hash of all that the records of an archive follow from: its bytes; of a folder, also the names of its files, and its own name where that
/// is the host of its pages. `told` is called with the number of bytes read so far, from any thread, and may stop the work by an error.
///
/// # Errors
/// When it cannot be read, and what `told` returns.
pub fn fingerprint(path: &Path, told: &(dyn Fn(u64) -> Result<()> + Sync)) -> Result<u64> {
    let format = if path.is_dir() { ALL.recognise(path, &[]) } else { None };
    identity::fingerprint(path, format.and_then(|format| format.origin(path)).as_deref(), told)
}

/// The capture in a record: the response as a browser would give it to its parser, or what an index, a WAT or a WET has of it.
///
/// # Errors
/// The reason why the record is not a page.
pub fn capture(record: RawRecord, params: &Params) -> std::result::Result<Capture, Skip> {
    match record.form {
        Form::Page => http::capture(record, params),
        Form::Text => wet::capture(record),
        Form::Links => wat::capture(record),
        Form::Index => cdx::capture(record),
    }
}

/// As [`capture`], but returns the record if its coded body becomes far longer than those of most pages, because such a small part of an
/// archive would take much memory.
///
/// # Errors
/// The record itself.
pub fn capture_usual(
    record: RawRecord,
    params: &Params,
) -> std::result::Result<std::result::Result<Capture, Skip>, Box<RawRecord>> {
    if record.form == Form::Page { http::capture_usual(record, params) } else { Ok(capture(record, params)) }
}

/// Divides items, in order, into shares whose bodies take no more than `max_bytes` after [`capture_usual`] has decoded them. An item that
/// takes more by itself is a share of its own.
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
