//! Archives as lines.

use crate::error::Result;
use crate::store::Store;
use crate::store::layout::ArchiveRecord;
use crate::types::SkipReason;

/// One archive, for listing.
#[derive(Clone, Debug)]
pub struct ArchiveLine {
    /// Its path.
    pub path: String,
    /// Name of its format.
    pub format: String,
    /// Its size.
    pub bytes: u64,
    /// True when all of it has been read.
    pub is_read: bool,
    /// The byte that reading goes on at.
    pub position: u64,
    /// Records read.
    pub records: u64,
    /// Captures taken as pages.
    pub pages: u64,
    /// How often each reason left something out.
    pub left_out: Vec<(SkipReason, u64)>,
    /// A few records that were left out.
    pub samples: Vec<SkipSample>,
}

/// A record that was left out.
#[derive(Clone, Debug)]
pub struct SkipSample {
    /// Why.
    pub reason: SkipReason,
    /// What there is to say of it.
    pub detail: String,
    /// Where it begins in its archive.
    pub offset: u64,
}

/// All archives of the store, in the order in which they came.
///
/// # Errors
/// When the catalog cannot be read.
pub fn archives(store: &Store) -> Result<Vec<ArchiveLine>> {
    let line = |archive: ArchiveRecord| {
        let left_out =
            archive.skips.into_iter().filter_map(|(code, count)| Some((SkipReason::from_code(code)?, count)));
        let samples = archive.samples.into_iter().filter_map(|sample| {
            let reason = SkipReason::from_code(sample.reason)?;
            Some(SkipSample { reason, detail: sample.detail, offset: sample.offset })
        });
        ArchiveLine {
            path: archive.identity.path,
            format: archive.identity.format,
            bytes: archive.identity.bytes,
            is_read: archive.done,
            position: archive.position,
            records: archive.records,
            pages: archive.pages,
            left_out: left_out.collect(),
            samples: samples.collect(),
        }
    };
    // One without a path was removed.
    let archives = store.archives()?.into_iter().filter(|archive| !archive.identity.path.is_empty());
    Ok(archives.map(line).collect())
}
