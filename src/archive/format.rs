//! What a kind of archive is, and what reading one gives.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::types::{RawRecord, Skip};

/// Limits of reading.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// The longest block of a record, and the longest body after undoing content codings, in bytes. Longer ones are
    /// skipped as a stream and counted. Default 16 MiB: three times the longest body Common Crawl keeps.
    pub max_record_bytes: u64,
    /// The largest window of a zstd frame of an archive, in bytes: what is held to decode it. Default 128 MiB, which is what zstd
    /// itself takes.
    pub max_window_bytes: u64,
    /// The folder of the archives that lists of ranges name; by default that of the list. What leads out of it, or through a
    /// symbolic link, is not read.
    #[serde(skip)]
    pub archives: Option<PathBuf>,
}

/// What [`Params::max_record_bytes`] may be: a kilobyte has room for a header and a sentence; a record is held in memory, and what is
/// taken out of it must fit a record of the store, which has 2 GiB at the most.
pub const RECORD_BYTES: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 30;

impl Default for Params {
    fn default() -> Params {
        Params { max_record_bytes: 16 << 20, max_window_bytes: 128 << 20, archives: None }
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
    /// The next record; `None` at the end. Damage inside the archive is an [`Item::Skip`], after which reading goes on
    /// where a record can be found again.
    ///
    /// # Errors
    /// Only what the environment does: the file cannot be read.
    fn next(&mut self) -> Result<Option<Item>>;

    /// Where the next call of [`Archive::next`] begins: [`Format::open`] with it goes on there. 0 at the start; grows.
    fn position(&self) -> u64;

    /// What [`Archive::progress`] will be at the end, where that is known.
    fn end(&self) -> Option<u64>;

    /// How far reading is. It may be ahead of the position: in the middle of a stream no position tells how much of the file was read.
    fn progress(&self) -> u64 {
        self.position()
    }
}

/// A kind of archive.
pub trait Format: Sync {
    /// Its name in listings.
    fn name(&self) -> &'static str;

    /// True when its records say where captures lie in archives, and hold none.
    fn is_index(&self) -> bool {
        false
    }

    /// True when the file or folder at `path`, whose first bytes are `head` (empty for a folder), is of this kind.
    fn recognises(&self, path: &Path, head: &[u8]) -> bool;

    /// Opens it at a position [`Archive::position`] gave, 0 for the start.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged from its first byte on.
    fn open(&self, path: &Path, position: u64, params: &Params) -> Result<Box<dyn Archive>>;
}
