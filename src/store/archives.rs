//! Archives: what is known of each, and what was lost of them.

use super::Store;
use super::catalog::{Changes, Keyspace};
use super::layout::{ArchiveRecord, LossRecord};
use crate::error::Result;
use crate::types::ArchiveId;

/// What was lost and cannot be made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Pages of an archive, which must be given again.
    Archive {
        /// Where it was when it was read.
        path: String,
        /// Pages that were lost.
        pages: u64,
    },
    /// Pages of archives of which nothing else is known.
    Nameless {
        /// How many archives there were in all.
        archives: u32,
    },
    /// What was removed may count again: removals must be made again.
    Removals,
    /// What was requested of crawlers is requested again.
    Requests,
}

impl Loss {
    /// The path of the archive; empty where it is not known.
    pub fn path(&self) -> &str {
        if let Loss::Archive { path, .. } = self { path } else { "" }
    }

    /// How many pages were lost; 0 where that is not known.
    pub fn pages(&self) -> u64 {
        if let Loss::Archive { pages, .. } = self { *pages } else { 0 }
    }
}

/// The key of what was lost of archives that are not known.
pub(super) const NAMELESS: u32 = u32::MAX;
/// The key of removals that were lost.
pub(super) const REMOVALS: u32 = u32::MAX - 1;
/// The key of requests that were lost.
pub(super) const REQUESTS: u32 = u32::MAX - 2;

impl Store {
    /// An archive.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn archive(&self, id: ArchiveId) -> Result<Option<ArchiveRecord>> {
        self.catalog.get(Keyspace::Archive, &id.0.to_be_bytes())
    }

    /// All archives, by number.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn archives(&self) -> Result<Vec<ArchiveRecord>> {
        self.catalog.values(Keyspace::Archive)
    }

    /// The archive with a fingerprint.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn archive_by_fingerprint(&self, fingerprint: u64) -> Result<Option<ArchiveId>> {
        Ok(self.catalog.get::<u32>(Keyspace::Fingerprint, &fingerprint.to_be_bytes())?.map(ArchiveId))
    }

    /// How many archives there are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn archive_count(&self) -> Result<u32> {
        let last = self.catalog.at_or_before(Keyspace::Archive, &u32::MAX.to_be_bytes())?;
        Ok(last.and_then(|(key, _)| key.try_into().ok()).map_or(0, |key| u32::from_be_bytes(key) + 1))
    }

    /// What was lost and cannot be made again: queries are wrong until these archives are given again.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn losses(&self) -> Result<Vec<Loss>> {
        let mut found = Vec::new();
        self.catalog.for_each(Keyspace::Loss, |key, loss: LossRecord| {
            found.push((key.first_chunk().map_or(NAMELESS, |key| u32::from_be_bytes(*key)), loss));
            Ok(())
        })?;
        let name = |(number, loss): (u32, LossRecord)| -> Result<Loss> {
            let archive = if number >= REQUESTS { None } else { self.archive(ArchiveId(number))? };
            Ok(match archive {
                Some(archive) => Loss::Archive { path: archive.identity.path, pages: loss.pages },
                None if number == REMOVALS => Loss::Removals,
                None if number == REQUESTS => Loss::Requests,
                None => Loss::Nameless { archives: loss.archives },
            })
        };
        found.into_iter().map(name).collect()
    }

    /// What was lost of an archive is there again: it was read to its end.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn regain(&self, number: ArchiveId, changes: &mut Changes) -> Result<()> {
        let key = number.0.to_be_bytes();
        if self.catalog.get::<LossRecord>(Keyspace::Loss, &key)?.is_some() {
            changes.remove(Keyspace::Loss, &key);
        }
        let nameless: Option<LossRecord> = self.catalog.get(Keyspace::Loss, &NAMELESS.to_be_bytes())?;
        if let Some(loss) = nameless
            && self.archives()?.iter().filter(|archive| archive.done).count() + 1 >= loss.archives as usize
        {
            changes.remove(Keyspace::Loss, &NAMELESS.to_be_bytes());
        }
        Ok(())
    }
}
