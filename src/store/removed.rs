//! What of the pages and batches counts no more: batches as a whole, and hosts and URLs in the batches up to a time.

use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::{ArchivedBatchRecord, BatchRecord, RemovalRecord, SkipSample};
use super::records::RecordRef;
use crate::types::{CanonicalUrl, host_of, registrable_domain};

/// All removals of a store together.
#[derive(Clone, Debug, Default)]
pub struct Removed {
    batches: FxHashSet<u64>,
    /// Host or registrable domain → it is removed from the batches before.
    hosts: FxHashMap<String, u64>,
    /// URL without scheme → the same.
    urls: FxHashMap<String, u64>,
}

impl Removed {
    /// Adds what was removed at one time.
    pub fn add(&mut self, removal: &RemovalRecord) {
        if removal.replaces {
            *self = Removed::default();
        }
        self.batches.extend(&removal.batches);
        let later = |known: &mut u64| *known = removal.before.max(*known);
        removal.hosts.iter().for_each(|host| later(self.hosts.entry(host.clone()).or_default()));
        removal.urls.iter().for_each(|url| later(self.urls.entry(url.clone()).or_default()));
    }

    /// The same as one record, of a store whose batches end at `end` and are written again from there: what is removed stays so in
    /// what is read again.
    pub fn outliving(&self, end: RecordRef) -> RemovalRecord {
        let mut batches: Vec<u64> = self.batches.iter().copied().filter(|&batch| batch < end.0).collect();
        let [mut hosts, mut urls] =
            [&self.hosts, &self.urls].map(|names| names.keys().cloned().collect::<Vec<String>>());
        batches.sort_unstable();
        hosts.sort_unstable();
        urls.sort_unstable();
        RemovalRecord { batches, hosts, urls, before: u64::MAX, replaces: true }
    }

    /// True when nothing is removed.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty() && self.hosts.is_empty() && self.urls.is_empty()
    }

    /// True when a batch counts no more at all.
    pub fn has_batch(&self, batch: RecordRef) -> bool {
        self.batches.contains(&batch.0)
    }

    /// True when a host, or its registrable domain, was removed at some time.
    pub fn has_host(&self, host: &str) -> bool {
        self.hosts.contains_key(host) || self.hosts.contains_key(registrable_domain(host).as_ref())
    }

    /// True when what a batch says of a URL (without scheme) counts no more.
    pub fn takes(&self, batch: RecordRef, identity: &str) -> bool {
        if !self.has_names() {
            return false;
        }
        let is_before = |before: Option<&u64>| before.is_some_and(|&before| batch.0 < before);
        let host = host_of(identity);
        is_before(self.urls.get(identity))
            || is_before(self.hosts.get(host))
            || is_before(self.hosts.get(registrable_domain(host).as_ref()))
    }

    fn has_names(&self) -> bool {
        !self.urls.is_empty() || !self.hosts.is_empty()
    }

    /// True when a sample of what was left out of a batch is of a URL that counts no more.
    pub fn takes_sample(&self, batch: RecordRef, sample: &SkipSample) -> bool {
        if !self.has_names() {
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

    #[test]
    fn hosts_and_urls_count_no_more_in_what_was_read_before() {
        let mut removed = Removed::default();
        let removal = |hosts: &[&str], urls: &[&str], before| RemovalRecord {
            batches: vec![64],
            hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
            urls: urls.iter().map(|&url| url.to_owned()).collect(),
            before,
            replaces: false,
        };
        removed.add(&removal(&["ex.org", "fr.two.com"], &["three.net/a"], 1000));
        removed.add(&removal(&["ex.org"], &[], 500));
        let at = RecordRef(960);
        let cases = ["ex.org/a", "de.ex.org/b", "fr.two.com/", "two.com/", "three.net/a", "three.net/ab"];
        assert_eq!(cases.map(|url| removed.takes(at, url)), [true, true, true, false, true, false]);
        assert!(!removed.takes(RecordRef(1008), "ex.org/a"), "it was read later");
        assert!(removed.has_batch(RecordRef(64)) && !removed.has_batch(at));
        let sample = SkipSample { reason: 1, offset: 0, detail: "http://ex.org/x 404".into() };
        assert!(removed.takes_sample(at, &sample));
    }
}
