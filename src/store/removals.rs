//! Removals in a store: reads and stores them, and leaves out what they name when batches are read.

use super::Store;
use super::catalog::Changes;
use super::layout::{BatchRecord, RemovalRecord};
use super::records::{Mapped, RecordRef, START};
use super::removed::Removed;
use crate::error::Result;

impl Store {
    /// The pages and batches that were removed.
    pub(crate) fn removed(&self) -> &Removed {
        &self.removed
    }

    pub(super) fn read_removals(&self) -> Result<Removed> {
        let mut removed = Removed::default();
        for found in self.removals.records_from(START) {
            let record = found?.1;
            removed.add(&RemovalRecord {
                batches: record.batches.iter().map(|batch| batch.to_native()).collect(),
                names: record
                    .names
                    .iter()
                    .map(|name| (name.0.to_native(), name.1.to_native(), name.2.to_native()))
                    .collect(),
                replaces: record.replaces,
                purged: record.purged,
            });
        }
        Ok(removed)
    }

    /// Stores a removal, together with `changes`.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn commit_removal(&mut self, removal: &RemovalRecord, changes: Changes) -> Result<()> {
        self.removals.append(removal)?;
        self.commit(changes)?;
        self.removed.add(removal);
        Ok(())
    }

    /// The batches from `at` on that were not removed, in order, each with its place.
    pub(crate) fn batches_from(
        &self,
        at: RecordRef,
    ) -> impl Iterator<Item = Result<(RecordRef, Mapped<BatchRecord>)>> + '_ {
        let counts = |found: &Result<(RecordRef, _)>| !found.as_ref().is_ok_and(|(at, _)| self.removed.has_batch(*at));
        self.batches.records_from(at).filter(counts)
    }
}
