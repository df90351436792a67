//! What of the pages and batches counts no more: batches as a whole, and hosts and URLs in the batches up to a time.

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::layout::{ArchivedBatchRecord, BatchRecord, RemovalRecord, SkipSample};
use super::records::RecordRef;
use crate::types::{CanonicalUrl, host_of, registrable_domain};

/// What a host, a registrable domain or a URL without scheme is known by among what was removed.
pub fn name_hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// All removals of a store together.
#[derive(Clone, Debug, Default)]
pub struct Removed {
    batches: FxHashSet<u64>,
    /// Hash of a name → it is removed from the batches before.
    names: FxHashMap<u64, u64>,
    /// Some of it is still in the files.
    is_in_files: bool,
}

impl Removed {
    /// Adds what was removed at one time.
    pub fn add(&mut self, removal: &RemovalRecord) {
        if removal.replaces {
            *self = Removed::default();
        }
        self.batches.extend(&removal.batches);
        for &(name, before) in &removal.names {
            let known = self.names.entry(name).or_default();
            *known = before.max(*known);
        }
        self.is_in_files |= !removal.purged;
    }

    /// The same as one record, of a store whose batches end at `end` and are written again from there: what is removed stays so in
    /// what is read again.
    pub fn outliving(&self, end: RecordRef) -> RemovalRecord {
        let mut batches: Vec<u64> = self.batches.iter().copied().filter(|&batch| batch < end.0).collect();
        batches.sort_unstable();
        let names = self.names_with(|_| u64::MAX);
        RemovalRecord { batches, names, replaces: true, purged: false }
    }

    /// True when what is removed stays so in all that is read.
    pub fn is_open(&self) -> bool {
        self.names.values().any(|&before| before == u64::MAX)
    }

    /// The same as one record, once all is read again, up to `end`: what comes behind it counts.
    pub fn closed(&self, end: RecordRef) -> RemovalRecord {
        let mut batches: Vec<u64> = self.batches.iter().copied().collect();
        batches.sort_unstable();
        let names = self.names_with(|before| before.min(end.0));
        RemovalRecord { batches, names, replaces: true, purged: !self.is_in_files }
    }

    /// The same as one record, once the files hold nothing of it.
    pub fn purged(&self) -> RemovalRecord {
        RemovalRecord { batches: Vec::new(), names: self.names_with(|before| before), replaces: true, purged: true }
    }

    fn names_with(&self, before: impl Fn(u64) -> u64) -> Vec<(u64, u64)> {
        let mut names: Vec<(u64, u64)> = self.names.iter().map(|(&name, &known)| (name, before(known))).collect();
        names.sort_unstable();
        names
    }

    /// True when the files hold what was removed.
    pub fn is_in_files(&self) -> bool {
        self.is_in_files
    }

    /// True when a batch counts no more at all.
    pub fn has_batch(&self, batch: RecordRef) -> bool {
        self.batches.contains(&batch.0)
    }

    /// True when a URL (without scheme), its host or its registrable domain was removed at some time.
    pub fn has(&self, identity: &str) -> bool {
        self.removed_before(identity) > 0
    }

    /// True when what a batch says of a URL (without scheme) counts no more.
    pub fn takes(&self, batch: RecordRef, identity: &str) -> bool {
        batch.0 < self.removed_before(identity)
    }

    /// The batch before which a URL counts no more; 0: it was not removed.
    fn removed_before(&self, identity: &str) -> u64 {
        if self.names.is_empty() {
            return 0;
        }
        let host = host_of(identity);
        let names = [identity, host, &registrable_domain(host)].map(name_hash);
        names.iter().filter_map(|name| self.names.get(name)).max().copied().unwrap_or(0)
    }

    /// True when a sample of what was left out of a batch is of a URL that counts no more.
    pub fn takes_sample(&self, batch: RecordRef, sample: &SkipSample) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let url = sample.detail.split(' ').next().and_then(|url| CanonicalUrl::parse(url).ok());
        url.is_some_and(|url| self.takes(batch, url.identity()))
    }

    /// What is left of a batch, if anything of it is removed.
    pub fn rest(&self, at: RecordRef, batch: &ArchivedBatchRecord) -> Option<BatchRecord> {
        let takes = |identity: &str| self.takes(at, identity);
        let is_touched = batch.pages.iter().any(|page| takes(&page.identity))
            || batch.skipped.iter().any(|skip| takes(&skip.identity))
            || batch.samples().any(|sample| self.takes_sample(at, &sample));
        is_touched.then(|| BatchRecord {
            archive: batch.archive.to_native(),
            identity: batch.identity(),
            from: batch.from.to_native(),
            to: batch.to.to_native(),
            done: batch.done,
            records: batch.records.to_native(),
            skips: batch.skips.iter().map(|skip| (skip.0, skip.1.to_native())).collect(),
            samples: batch.samples().filter(|sample| !self.takes_sample(at, sample)).collect(),
            pages: batch.pages.iter().filter(|page| !takes(&page.identity)).map(|page| page.to_owned()).collect(),
            skipped: batch.skipped.iter().filter(|skip| !takes(&skip.identity)).map(|skip| skip.to_owned()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::records::START;

    #[test]
    fn hosts_and_urls_count_no_more_in_what_was_read_before() {
        let mut removed = Removed::default();
        let removal = |names: &[&str], before| RemovalRecord {
            batches: vec![64],
            names: names.iter().map(|name| (name_hash(name), before)).collect(),
            ..RemovalRecord::default()
        };
        removed.add(&removal(&["ex.org", "fr.two.com", "three.net/a"], 1000));
        removed.add(&removal(&["ex.org"], 500));
        let at = RecordRef(960);
        let cases = ["ex.org/a", "de.ex.org/b", "fr.two.com/", "two.com/", "three.net/a", "three.net/ab"];
        assert_eq!(cases.map(|url| removed.takes(at, url)), [true, true, true, false, true, false]);
        assert!(!removed.takes(RecordRef(1008), "ex.org/a"), "it was read later");
        assert!(removed.has_batch(RecordRef(64)) && !removed.has_batch(at));
        let sample = SkipSample { reason: 1, offset: 0, detail: "http://ex.org/x 404".into() };
        assert!(removed.takes_sample(at, &sample));
        assert!(removed.has("three.net/a") && !removed.has("three.net/b") && removed.is_in_files());
        // Once the files hold nothing of it, it is removed all the same, in what is read again after damage.
        let mut again = Removed::default();
        again.add(&removed.purged());
        assert!(again.takes(at, "ex.org/a") && !again.takes(RecordRef(1008), "ex.org/a") && !again.is_in_files());
        again.add(&again.outliving(START));
        assert!(again.is_open());
        assert!(again.takes(RecordRef(1008), "ex.org/a") && again.is_in_files() && !again.has_batch(RecordRef(64)));
        again.add(&again.closed(RecordRef(2000)));
        assert!(again.takes(RecordRef(1008), "ex.org/a") && !again.takes(RecordRef(2000), "ex.org/a"));
    }
}
