//! The trait of archive formats, and the items that reading an archive yields.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::Result;
use crate::types::{RawRecord, Skip};

/// Limits of reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// The longest block of a record, and the longest body after undoing content codings, in bytes. Longer ones are read past without being
    /// held in memory, and counted as skipped. Default 16 MiB: three times the longest body that Common Crawl keeps.
    pub max_record_bytes: u64,
    /// The largest window of a zstd frame in an archive, in bytes; this much memory is needed to decode it. Default 128 MiB, as in zstd
    /// itself.
    pub max_window_bytes: u64,
    /// The folder with the archives that lists of ranges name; by default the folder of the list. A path that leads out of this folder, or
    /// through a symbolic link, is not read.
    #[serde(skip)]
    pub archives: Option<PathBuf>,
    /// The address from which folders of pages were saved; the paths of their files are appended to it. It is needed only where neither
    /// folders named as hosts nor notes in the pages say it.
    #[serde(skip)]
    pub base_url: Option<String>,
    /// The program that makes HTML of PDF: this one, called with a command of its own. Without it, PDF is not read.
    #[serde(skip)]
    pub pdf_reader: Option<PathBuf>,
}

/// What [`Params::pdf_reader`] is by default.
static PDF_READER: OnceLock<PathBuf> = OnceLock::new();

#[cfg(feature = "pdf")]
/// Names the program that reads PDF from now on. Only the first call has an effect.
pub fn read_pdf_with(program: PathBuf) {
    let _ = PDF_READER.set(program);
}

/// Allowed values of [`Params::max_record_bytes`]. A kilobyte has room for a header and a sentence. A record is held in memory, and what is
/// extracted from it must fit into a record of the store, which has at most 2 GiB.
pub const RECORD_BYTES: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 30;

impl Default for Params {
    fn default() -> Params {
        Params {
            max_record_bytes: 16 << 20,
            max_window_bytes: 128 << 20,
            archives: None,
            base_url: None,
            pdf_reader: PDF_READER.get().cloned(),
        }
    }
}

/// What an archive yields at each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A record that may hold a page.
    Record(RawRecord),
    /// A record that does not hold a page, with the reason.
    Skip(Skip),
}

impl Item {
    /// How much it holds in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let (texts, block) = match self {
            Item::Record(record) => (record.url.len(), record.block.len()),
            Item::Skip(skip) => (skip.url.len() + skip.detail.len(), 0),
        };
        texts + block
    }
}

/// An archive being read.
pub trait Archive: Send {
    /// The next record; `None` at the end. Damage inside the archive is an [`Item::Skip`], after which reading continues at the next record
    /// that can be found.
    ///
    /// # Errors
    /// Only when the file cannot be read.
    fn next(&mut self) -> Result<Option<Item>>;

    /// Where the next call of [`Archive::next`] begins: [`Format::open`] with this position continues there. It is 0 at the start, and
    /// grows.
    fn position(&self) -> u64;

    /// What the user should know about how the archive is read, for example that a setting has no effect on it.
    fn remark(&self) -> Option<String> {
        None
    }

    /// The value of [`Archive::progress`] at the end, where it is known.
    fn end(&self) -> Option<u64>;

    /// How far the file has been read. It may be ahead of the position, since in the middle of a stream no position corresponds to an
    /// offset in the file.
    fn progress(&self) -> u64 {
        self.position()
    }
}

/// A kind of archive.
pub trait Format: Sync {
    /// Its name in listings.
    fn name(&self) -> &'static str;

    /// True when its records only say where captures lie in archives.
    fn is_index(&self) -> bool {
        false
    }

    /// True when this format takes pages as they were saved, in any folder or file. Beside archives such pages are other files, and are not
    /// read.
    fn takes_pages(&self) -> bool {
        false
    }

    /// What the name of the archive at `path` says of its records: the same bytes under another name are then another archive.
    fn origin(&self, _path: &Path) -> Option<String> {
        None
    }

    /// Says why the archive at `path`, which is of this kind, cannot be read with these settings, before anything is read.
    ///
    /// # Errors
    /// The reason, with what to do.
    fn check(&self, _path: &Path, _params: &Params) -> std::result::Result<(), String> {
        Ok(())
    }

    /// True when the file or folder at `path`, whose first bytes are `head` (empty for a folder), is of this kind.
    fn recognises(&self, path: &Path, head: &[u8]) -> bool;

    /// Opens it at a position [`Archive::position`] gave, 0 for the start.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged from its first byte on.
    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>>;
}
