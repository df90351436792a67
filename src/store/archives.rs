//! Archives: what the store knows of each, and which of their data it has lost.

use super::Store;
use super::catalog::{Changes, Keyspace};
use super::layout::{ArchiveRecord, LossRecord};
use crate::error::Result;
use crate::types::ArchiveId;

/// Data that the store has lost and cannot make again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Pages of an archive; the archive must be given again.
    Archive {
        /// Where it was when it was read.
        path: String,
        /// Pages that were lost.
        pages: u64,
    },
    /// Pages of archives that are not known by name.
    Nameless {
        /// How many archives the store had in all.
        archives: u32,
    },
    /// The list of removals: what was removed may count again, so the removals must be repeated.
    Removals,
    /// The list of URLs requested of crawlers: they may be requested again.
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

/// The key of the loss record of archives that are not known by name.
pub(super) const NAMELESS: u32 = u32::MAX;
/// The key of the loss record of the list of removals.
pub(super) const REMOVALS: u32 = u32::MAX - 1;
/// The key of the loss record of the list of requests.
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
        self.catalog.count(Keyspace::Archive)
    }

    /// True where there is an archive that was not removed.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn has_archives(&self) -> Result<bool> {
        for number in 0..self.archive_count()? {
            if self.archive(ArchiveId(number))?.is_some_and(|archive| !archive.is_removed()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// All losses that the store cannot make good itself. Queries are wrong until these archives are given again.
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

    /// Drops the loss record of an archive that has now been read to its end.
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
