//! Which records the catalog still refers to. All others are dead: they were replaced, or belong to sites that no longer exist.

use std::collections::BTreeMap;

use super::Store;
use super::catalog::Keyspace;
use super::layout::*;
use super::record_kinds::KINDS;
use super::records::{RecordRef, START};
use crate::error::Result;

/// The records that the catalog refers to, by kind, each list ascending. Source kinds are not included.
pub struct Live {
    by_kind: BTreeMap<u32, Vec<u64>>,
}

impl Live {
    /// True when the catalog refers to this record of a kind.
    pub fn has(&self, kind: u32, at: RecordRef) -> bool {
        self.of(kind).binary_search(&at.0).is_ok()
    }

    /// The records of a kind.
    pub fn of(&self, kind: u32) -> &[u64] {
        self.by_kind.get(&kind).map_or(&[], Vec::as_slice)
    }
}

/// The number of a kind.
pub fn kind_of(name: &str) -> u32 {
    KINDS.iter().find(|kind| kind.name == name).map_or(0, |kind| kind.number)
}

/// The records that an entry of a table refers to: their kind and their places.
pub type Named = Vec<(&'static str, Vec<u64>)>;

/// The tables whose entries refer to records.
pub const HEADS: [Keyspace; 10] = [
    Keyspace::Site,
    Keyspace::Result,
    Keyspace::Graph,
    Keyspace::Verified,
    Keyspace::Resolved,
    Keyspace::Learnt,
    Keyspace::Bitext,
    Keyspace::Model,
    Keyspace::Web,
    Keyspace::Score,
];

impl Store {
    /// Calls `each` with the key of every entry of a table, and the records that the entry refers to.
    ///
    /// # Errors
    /// When the catalog cannot be read, or what `each` returns.
    pub(super) fn for_each_head(
        &self,
        keyspace: Keyspace,
        mut each: impl FnMut(&[u8], Named) -> Result<()>,
    ) -> Result<()> {
        let catalog = &self.catalog;
        match keyspace {
            Keyspace::Site => catalog.for_each(keyspace, |key, head: SiteHead| {
                each(key, vec![("sites", [head.chunks, head.withheld].concat()), ("skips", head.skipped)])
            }),
            Keyspace::Result => {
                catalog.for_each(keyspace, |key, head: ResultHead| each(key, vec![("results", vec![head.record])]))
            }
            Keyspace::Graph => {
                catalog.for_each(keyspace, |key, head: GraphHead| each(key, vec![("graphs", head.chunks)]))
            }
            Keyspace::Verified => {
                catalog.for_each(keyspace, |key, head: JudgedHead| each(key, vec![("verified", vec![head.record])]))
            }
            Keyspace::Resolved => {
                catalog.for_each(keyspace, |key, head: JudgedHead| each(key, vec![("resolved", vec![head.record])]))
            }
            Keyspace::Learnt => {
                catalog.for_each(keyspace, |key, head: LearntHead| each(key, vec![("learnt", vec![head.record])]))
            }
            Keyspace::Bitext => catalog.for_each(keyspace, |key, head: BitextHead| {
                each(key, vec![("bitexts", head.chunks), ("repeats", [head.repeats, head.shared].concat())])
            }),
            Keyspace::Model => {
                catalog.for_each(keyspace, |key, head: ModelHead| each(key, vec![("models", vec![head.record])]))
            }
            Keyspace::Web => catalog.for_each(keyspace, |key, head: WebHead| each(key, vec![("webs", head.chunks)])),
            Keyspace::Score => {
                catalog.for_each(keyspace, |key, head: ScoreHead| each(key, vec![("scores", head.chunks)]))
            }
            _ => Ok(()),
        }
    }

    /// The records that the catalog refers to.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn live(&self) -> Result<Live> {
        let mut by_kind: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for keyspace in HEADS {
            self.for_each_head(keyspace, |_, named| {
                for (name, records) in named {
                    let records = records.into_iter().filter(|&at| at >= START.0);
                    by_kind.entry(kind_of(name)).or_default().extend(records);
                }
                Ok(())
            })?;
        }
        for records in by_kind.values_mut() {
            records.sort_unstable();
            records.dedup();
        }
        Ok(Live { by_kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_is_no_source_is_named_by_a_head() {
        let named = [
            "sites", "results", "skips", "graphs", "webs", "verified", "resolved", "learnt", "bitexts", "repeats",
            "models", "scores",
        ];
        let derived: Vec<&str> = KINDS.iter().filter(|kind| !kind.is_source).map(|kind| kind.name).collect();
        assert_eq!(derived, named);
        assert!(named.iter().all(|name| kind_of(name) > 0));
    }
}
