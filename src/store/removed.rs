//! What was removed: batches as a whole, and hosts and URLs in the archives that existed at the time.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

use super::layout::{ArchivedBatchRecord, BatchRecord, RemovalRecord, RequestedRecord, SkipSample};
use super::records::RecordRef;
use crate::types::{CanonicalUrl, host_of, registrable_domain};

/// The hash under which a host, a registrable domain or a URL without scheme is listed as removed.
pub fn name_hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// The hash under which an archive is listed as removed, by its path or the last part of the path. It differs from all hashes of hosts and
/// URLs, since none of those has a blank.
pub fn archive_hash(name: &str) -> u64 {
    name_hash(&format!("archive {name}"))
}

/// The hashes under one of which a URL (without scheme) is listed if it, its host or its registrable domain is removed.
pub fn hashes_of(identity: &str) -> [u64; 5] {
    let host = host_of(identity);
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    [identity, host, &registrable_domain(host), name, &registrable_domain(name)].map(name_hash)
}

/// All removals of a store together.
#[derive(Clone, Debug, Default)]
pub struct Removed {
    batches: FxHashSet<u64>,
    /// Hash of a name → the archives from which it is removed.
    names: FxHashMap<u64, Vec<Range<u32>>>,
    /// True when some of it is still in the files.
    is_in_files: bool,
}

impl Removed {
    /// Adds one removal.
    pub fn add(&mut self, removal: &RemovalRecord) {
        if removal.replaces {
            *self = Removed::default();
        }
        self.batches.extend(&removal.batches);
        removal.names.iter().for_each(|&(name, first, end)| self.note(name, first..end));
        self.is_in_files |= !removal.purged;
    }

    /// Adds a name, by its hash, and the archives from which it is removed.
    pub fn note(&mut self, name: u64, archives: Range<u32>) {
        let ranges = self.names.entry(name).or_default();
        match ranges.iter_mut().find(|known| known.start <= archives.start && archives.start <= known.end) {
            Some(known) => known.end = known.end.max(archives.end),
            None => ranges.push(archives),
        }
    }

    /// The hashes of all names, each with archives from which it is removed.
    pub fn all(&self) -> impl Iterator<Item = (u64, Range<u32>)> + '_ {
        self.names.iter().flat_map(|(&name, ranges)| ranges.iter().map(move |range| (name, range.clone())))
    }

    /// All removals as one record, for when the files no longer hold anything of them.
    pub fn purged(&self) -> RemovalRecord {
        let mut names: Vec<_> = self.all().map(|(name, archives)| (name, archives.start, archives.end)).collect();
        names.sort_unstable();
        RemovalRecord { batches: Vec::new(), names, replaces: true, purged: true }
    }

    /// True when a user removed something.
    pub fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// True when the files hold what was removed.
    pub fn is_in_files(&self) -> bool {
        self.is_in_files
    }

    /// True when a batch was removed as a whole.
    pub fn has_batch(&self, batch: RecordRef) -> bool {
        self.batches.contains(&batch.0)
    }

    /// True when exactly this name was removed at some time; given its [`name_hash`] or [`archive_hash`].
    pub fn names(&self, hash: u64) -> bool {
        self.names.contains_key(&hash)
    }

    /// True when a URL (without scheme), its host or its registrable domain was removed at some time.
    pub fn has(&self, identity: &str) -> bool {
        self.has_names() && hashes_of(identity).into_iter().any(|hash| self.names(hash))
    }

    /// True when the captures of a URL (without scheme) in an archive are removed.
    pub fn takes(&self, archive: u32, identity: &str) -> bool {
        self.has_names() && hashes_of(identity).into_iter().any(|name| self.takes_name(archive, name))
    }

    /// True when an archive is removed as a whole, which was read from this path.
    pub fn takes_archive(&self, archive: u32, path: &str) -> bool {
        self.takes_name(archive, archive_hash(path))
    }

    fn takes_name(&self, archive: u32, name: u64) -> bool {
        self.names.get(&name).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&archive)))
    }

    /// True when the URL of a request was removed, or the page on whose behalf it was made.
    pub fn has_request(&self, (identity, requested): &(String, RequestedRecord)) -> bool {
        self.has(identity) || self.has(&requested.from)
    }

    /// True when a sample of the captures left out of an archive has a URL that was removed.
    pub fn takes_sample(&self, archive: u32, sample: &SkipSample) -> bool {
        if !self.has_names() {
            return false;
        }
        let url = sample.detail.split(' ').next().and_then(|url| CanonicalUrl::parse(url).ok());
        url.is_some_and(|url| self.takes(archive, url.identity()))
    }

    /// A batch without what was removed from it; `None` if nothing was.
    pub fn rest(&self, batch: &ArchivedBatchRecord) -> Option<BatchRecord> {
        let archive = batch.archive.to_native();
        let takes = |identity: &str| self.takes(archive, identity);
        let is_touched = batch.pages.iter().any(|page| takes(&page.identity))
            || batch.skipped.iter().any(|skip| takes(&skip.identity))
            || batch.samples().any(|sample| self.takes_sample(archive, &sample));
        is_touched.then(|| BatchRecord {
            samples: batch.samples().filter(|sample| !self.takes_sample(archive, sample)).collect(),
            pages: batch.pages.iter().filter(|page| !takes(&page.identity)).map(|page| page.to_owned()).collect(),
            skipped: batch.skipped.iter().filter(|skip| !takes(&skip.identity)).map(|skip| skip.to_owned()).collect(),
            ..batch.head()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_urls_count_no_more_in_the_archives_that_there_were() {
        let mut removed = Removed::default();
        let removal = |names: &[&str], archives| RemovalRecord {
            batches: vec![64],
            names: names.iter().map(|name| (name_hash(name), 0, archives)).collect(),
            ..RemovalRecord::default()
        };
        removed.add(&removal(&["ex.org", "fr.two.com", "three.net/a"], 3));
        removed.add(&removal(&["ex.org"], 2));
        let cases = ["ex.org/a", "de.ex.org:81/b", "fr.two.com/", "two.com/", "three.net/a", "three.net/ab"];
        assert_eq!(cases.map(|url| removed.takes(2, url)), [true, true, true, false, true, false]);
        assert!(!removed.takes(3, "ex.org/a"), "it came later");
        assert!(removed.has_batch(RecordRef(64)) && !removed.has_batch(RecordRef(960)));
        let sample = SkipSample { reason: 1, offset: 0, detail: "http://ex.org/x 404".into() };
        assert!(removed.takes_sample(0, &sample));
        assert!(removed.has("three.net/a") && !removed.has("three.net/b") && removed.is_in_files());
        // Once the files hold nothing of it any more, it still counts as removed.
        let mut again = Removed::default();
        again.add(&removed.purged());
        assert!(again.takes(2, "ex.org/a") && !again.takes(3, "ex.org/a") && !again.is_in_files());
        assert!(!again.has_batch(RecordRef(64)));
    }

    #[test]
    fn a_name_may_be_removed_from_archives_that_are_not_the_first() {
        let mut removed = Removed::default();
        let name = name_hash("ex.org");
        for archives in [5..7, 2..3, 0..1, 1..2, 5..7] {
            removed.note(name, archives);
        }
        removed.note(name_hash("two.com"), 0..0);
        let mut again = Removed::default();
        again.add(&removed.purged());
        assert_eq!(again.purged().names.len(), 3, "two names, and the range of one that does not adjoin the others");
        for removed in [&mut removed, &mut again] {
            removed.note(archive_hash("/a.warc"), 1..2);
            assert_eq!([0, 1, 2].map(|archive| removed.takes_archive(archive, "/a.warc")), [false, true, false]);
            let taken: Vec<u32> = (0..9).filter(|&archive| removed.takes(archive, "ex.org/a")).collect();
            assert_eq!(taken, [0, 1, 2, 5, 6]);
            assert!(removed.has("two.com/a") && !removed.takes(0, "two.com/a") && !removed.has("three.net/"));
        }
    }
}
