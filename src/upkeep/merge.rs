//! Makes one store of several, as if the archives of all had been read into it one after another.
//!
//! What was read is taken over (pages, batches, archives, requests), and so is what people have said (corrections, and marks of reviewers).
//! Everything that the stages make is made anew by the next run, since it depends on what the other stores have: which capture of a URL
//! wins, which pages a domain has, which keys are credible, what is learnt of two languages. Archives get new numbers, which stand in each
//! page, so pages are unpacked and packed again.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::corrections::{Corrections, Line};
use crate::error::{Error, Result};
use crate::store::catalog::Changes;
use crate::store::layout::{
    ArchiveRecord, ArchivedBatchRecord, BatchRecord, PageEntry, RequestRecord, StageRecord, StoredPage,
};
use crate::store::records::{RecordRef, START};
use crate::store::{CorrectionFile, Removed, Reviews, Store, archive_hash, hashes_of};
use crate::types::{CanonicalUrl, Watch, host_of};

/// Bytes of pages that are packed at once.
const PORTION: usize = 32 << 20;
/// Entries of the catalog in one commit, and requests in one record.
const ENTRIES: usize = 10_000;

/// What was merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// How many archives.
    pub archives: u64,
    /// How many archives several of the stores have. Each was taken from the store that had read most of it, or from the first of several
    /// such stores.
    pub shared: u64,
    /// How many captures that are pages.
    pub captures: u64,
    /// How many captures were left out because another store that has the same archive had removed them.
    pub removed: u64,
    /// Archives that were left out as a whole because one of the stores had removed an archive with the same path.
    pub archives_removed: Vec<String>,
    /// Archives that were kept although one of the stores had removed an archive with the same name, but from another folder.
    pub named_alike: Vec<String>,
    /// How many names of hosts and URLs are there again: one store had removed them, and another one has them in archives of its own.
    pub brought_back: u64,
    /// The first store that has archives.
    pub read_first: PathBuf,
    /// Stores whose archives were read with other settings than those of `read_first`, or by another release. Their pages stay as they are.
    pub read_otherwise: Vec<PathBuf>,
    /// How many marks of reviewers.
    pub marks: u64,
    /// Messages about lines of marks that cannot be read, which are taken over as they are.
    pub bad_marks: Vec<String>,
}

/// Merges stores into a new one, which keeps the settings that it has been given. `check` is called for each store, with the corrections of
/// this store and of those before it together, and with the lines of this store alone.
///
/// The time is that of reading, unpacking, packing and writing all pages. In memory are 32 MiB of pages, the captures of one batch, the
/// records of all archives, the hashes of removed names, some 20 bytes each, and the marks of reviewers, up to three times.
///
/// # Errors
/// Where a store has lost data, or cannot be read; when the disk does not take the new one; what `check` and `stop` return. The new store
/// must then be deleted: it does not know what it lacks.
pub fn merge(
    sources: &[Store],
    out: &mut Store,
    watch: &dyn Watch,
    check: &dyn Fn(&Corrections, &[Line]) -> Result<()>,
    stop: &dyn Fn() -> Result<()>,
) -> Result<Merged> {
    for source in sources {
        refuse_losses(source)?;
        // If two corrections contradict each other, a person has to decide.
        let added = CorrectionFile::of(out.folder())
            .add(source.corrections().lines(), |all| check(all, source.corrections().lines()));
        added.map_err(|error| match error {
            Error::Config(problem) => {
                let place = source.folder().display();
                Error::Config(format!("{place} and a store before it: {problem}; `diglot correct undo` takes one back"))
            }
            error => error,
        })?;
    }
    let (plan, reviewed) = (Plan::of(sources)?, reviewed(sources)?);
    let (met, merged) = (FxHashSet::default(), Merged::default());
    let mut work = Merging { plan, sources, out, met, reviewed, merged };
    work.merged.archives_removed = std::mem::take(&mut work.plan.archives_removed);
    work.merged.named_alike = std::mem::take(&mut work.plan.named_alike);
    work.merged.archives = work.plan.archives.len() as u64;
    work.merged.shared = work.plan.archives.iter().filter(|archive| archive.havers.len() > 1).count() as u64;
    let total = work.plan.archives.iter().map(|archive| archive.record.pages).sum();
    for (at, source) in sources.iter().enumerate() {
        for found in source.batches_from(START) {
            let (_, batch) = found?;
            stop()?;
            if let Some(number) = work.plan.chosen(at, batch.archive.to_native()) {
                work.batch(at, number, &batch)?;
                watch.step("pages", work.merged.captures, total);
            }
            batch.release();
        }
    }
    work.finish()?;
    Ok(work.merged)
}

fn refuse_losses(source: &Store) -> Result<()> {
    if source.losses()?.is_empty() {
        return Ok(());
    }
    let problem = "it has lost data, which any command on it names; give `diglot run` the archives again, or go on without them \
                   by `diglot remove --lost`, and then merge";
    Err(Error::Store { path: source.folder().to_owned(), problem: problem.into() })
}

/// Hashes of the URLs in marks of reviewers.
fn reviewed(sources: &[Store]) -> Result<FxHashSet<u64>> {
    let mut found = FxHashSet::default();
    for source in sources {
        let urls = Reviews::of(source.folder()).urls()?;
        found.extend(
            urls.iter().filter_map(|url| CanonicalUrl::parse(url).ok()).map(|url| hashes_of(url.identity())[0]),
        );
    }
    Ok(found)
}

/// An archive of the new store.
struct Chosen {
    record: ArchiveRecord,
    /// The store from which it is taken, and its number there.
    from: (usize, u32),
    /// All stores that have it, and its number there.
    havers: Vec<(usize, u32)>,
}

/// Which archive is taken from where.
#[derive(Default)]
struct Plan {
    /// By their numbers in the new store.
    archives: Vec<Chosen>,
    /// The number in the new store, by store and number there.
    numbers: FxHashMap<(usize, u32), u32>,
    /// Hashes of the names that some store had removed.
    removed: FxHashSet<u64>,
    /// Fingerprints of archives that some store had removed as a whole.
    gone: FxHashSet<u64>,
    archives_removed: Vec<String>,
    named_alike: Vec<String>,
}

impl Plan {
    fn of(sources: &[Store]) -> Result<Plan> {
        let mut plan = Plan::default();
        let archives = sources.iter().map(Store::archives).collect::<Result<Vec<_>>>()?;
        plan.leave_out(sources, &archives);
        let mut known: FxHashMap<u64, u32> = FxHashMap::default();
        for (at, archives) in archives.into_iter().enumerate() {
            for (record, number) in archives.into_iter().zip(0u32..) {
                if record.is_removed() || plan.gone.contains(&record.identity.fingerprint) {
                    continue;
                }
                let next = plan.archives.len() as u32;
                let place = *known.entry(record.identity.fingerprint).or_insert(next);
                plan.numbers.insert((at, number), place);
                match plan.archives.get_mut(place as usize) {
                    None => plan.archives.push(Chosen { record, from: (at, number), havers: vec![(at, number)] }),
                    Some(chosen) => {
                        chosen.havers.push((at, number));
                        let how_far = |record: &ArchiveRecord| (record.done, record.position);
                        if how_far(&record) > how_far(&chosen.record) {
                            (chosen.record, chosen.from) = (record, (at, number));
                        }
                    }
                }
            }
            plan.removed.extend(sources[at].removed().all().map(|(name, _)| name));
        }
        Ok(plan)
    }

    /// Leaves out the archives that some store had removed as a whole. Of these, the store knows only the names.
    fn leave_out(&mut self, sources: &[Store], archives: &[Vec<ArchiveRecord>]) {
        let there = |records: &'_ [ArchiveRecord]| {
            let there = records.iter().filter(|record| !record.is_removed());
            there.map(|record| record.identity.fingerprint).collect::<FxHashSet<u64>>()
        };
        let there: Vec<FxHashSet<u64>> = archives.iter().map(|records| there(records)).collect();
        let mut named = FxHashSet::default();
        for identity in archives.iter().flatten().filter(|record| !record.is_removed()).map(|record| &record.identity) {
            // A store that has the archive now has read it again after removing it.
            let without = || sources.iter().zip(&there).filter(|(_, there)| !there.contains(&identity.fingerprint));
            let is_removed = |name: &str| without().any(|(source, _)| source.removed().names(archive_hash(name)));
            let path = Path::new(&identity.path);
            let last = path.file_name().and_then(|last| last.to_str());
            // An archive that came through a pipe has no path that identifies it.
            if path.is_absolute() && is_removed(&identity.path) {
                self.gone.insert(identity.fingerprint);
                if named.insert(&identity.path) {
                    self.archives_removed.push(identity.path.clone());
                }
            } else if last.is_some_and(is_removed) && named.insert(&identity.path) {
                self.named_alike.push(identity.path.clone());
            }
        }
    }

    /// The numbers that the archives of a store have in the new store, as ranges in order.
    fn numbers_of(&self, source: usize, archives: Range<u32>) -> Vec<Range<u32>> {
        let mut numbers: Vec<u32> =
            archives.filter_map(|number| self.numbers.get(&(source, number)).copied()).collect();
        numbers.sort_unstable();
        let mut found: Vec<Range<u32>> = Vec::new();
        for number in numbers {
            match found.last_mut().filter(|last| last.end == number) {
                Some(last) => last.end += 1,
                None => found.push(number..number + 1),
            }
        }
        found
    }

    /// The number in the new store of an archive, if it is taken from this store.
    fn chosen(&self, source: usize, number: u32) -> Option<u32> {
        let place = *self.numbers.get(&(source, number))?;
        (self.archives[place as usize].from == (source, number)).then_some(place)
    }
}

struct Merging<'m> {
    plan: Plan,
    sources: &'m [Store],
    out: &'m mut Store,
    /// Hashes of the names that some store had removed but that are there.
    met: FxHashSet<u64>,
    /// Hashes of the URLs in marks of reviewers, without those that an archive has, as far as batches were taken over.
    reviewed: FxHashSet<u64>,
    merged: Merged,
}

impl Merging<'_> {
    /// Takes over a batch.
    fn batch(&mut self, at: usize, number: u32, batch: &ArchivedBatchRecord) -> Result<()> {
        let (source, chosen) = (&self.sources[at], &self.plan.archives[number as usize]);
        let own = batch.archive.to_native();
        let is_gone = |identity: &str| source.removed().takes(own, identity);
        let is_gone_elsewhere = |identity: &str| {
            let mut others = chosen.havers.iter().filter(|haver| **haver != chosen.from);
            others.any(|&(at, number)| self.sources[at].removed().takes(number, identity))
        };
        let removals = chosen.havers.iter().map(|&(at, number)| (self.sources[at].removed(), number));
        let removals: Vec<_> = removals.collect();
        let is_sample_gone =
            |sample: &_| removals.iter().any(|(removed, number)| removed.takes_sample(*number, sample));
        let mut taken = BatchRecord {
            archive: number,
            samples: batch.samples().filter(|sample| !is_sample_gone(sample)).collect(),
            ..batch.head()
        };
        let mut lacking = 0;
        for page in batch.pages.iter().filter(|page| !is_gone(&page.identity)) {
            if is_gone_elsewhere(&page.identity) {
                lacking += 1;
            } else {
                taken.pages.push(page.to_owned());
            }
        }
        let is_kept = |identity: &str| !is_gone(identity) && !is_gone_elsewhere(identity);
        taken.skipped =
            batch.skipped.iter().filter(|skip| is_kept(&skip.identity)).map(|skip| skip.to_owned()).collect();
        taken.skipped.iter_mut().for_each(|skip| skip.archive = number);
        let record = &mut self.plan.archives[number as usize].record;
        record.pages = record.pages.saturating_sub(lacking);
        record.samples.retain(|sample| !is_sample_gone(sample));
        self.merged.removed += lacking;
        self.merged.captures += taken.pages.len() as u64;
        self.pages(at, number, &mut taken.pages)?;
        self.meet(&taken);
        self.out.batches.append_packed(&taken).map(drop)
    }

    /// Takes over pages, and puts their new places into their entries.
    fn pages(&mut self, at: usize, number: u32, entries: &mut [PageEntry]) -> Result<()> {
        let source = &self.sources[at];
        // Pages lie in blocks; each is unpacked once.
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_unstable_by_key(|&at| entries[at].page);
        let (mut portion, mut bytes) = (Vec::new(), 0);
        for (done, &at) in order.iter().enumerate() {
            let place = RecordRef(entries[at].page);
            let page = StoredPage::with_archive(&source.page_bytes(place)?, number);
            let page = page.ok_or_else(|| source.pages.senseless(place))?;
            bytes += page.len();
            portion.push((at, page));
            if bytes >= PORTION || done + 1 == order.len() {
                let pages = portion.iter().map(|(at, page)| (host_of(&entries[*at].identity), page.as_slice()));
                let places = self.out.append_pages(pages.collect())?;
                for ((at, _), place) in portion.drain(..).zip(places) {
                    entries[at].page = place.0;
                }
                bytes = 0;
            }
        }
        Ok(())
    }

    /// Notes which of the removed names occur in a batch.
    fn meet(&mut self, batch: &BatchRecord) {
        if self.plan.removed.is_empty() {
            return;
        }
        let identities = batch.pages.iter().map(|page| &page.identity);
        for identity in identities.chain(batch.skipped.iter().map(|skip| &skip.identity)) {
            let hashes = hashes_of(identity);
            self.reviewed.remove(&hashes[0]);
            self.met.extend(hashes.into_iter().filter(|hash| self.plan.removed.contains(hash)));
        }
    }

    /// Takes over all that is not of batches, and commits.
    fn finish(&mut self) -> Result<()> {
        let (mut changes, removed) = (Changes::default(), self.removals());
        for (chosen, number) in self.plan.archives.iter().zip(0u32..) {
            changes.put_archive(number, &chosen.record);
            changes.put_fingerprint(chosen.record.identity.fingerprint, number);
            commit_some(self.out, &mut changes)?;
        }
        let read: FxHashSet<&str> =
            self.plan.archives.iter().map(|chosen| chosen.record.identity.path.as_str()).collect();
        // If several stores know an input or a request, the first store counts, so it is written last.
        for source in self.sources.iter().rev() {
            source.for_each_hint(|path, hint| {
                if !self.plan.gone.contains(&hint.fingerprint) {
                    changes.put_hint(path, &hint);
                }
                commit_some(self.out, &mut changes)
            })?;
            source.for_each_refused(|path, refused| {
                if !read.contains(refused.path.as_str()) {
                    changes.put_refused(path, &refused);
                }
                commit_some(self.out, &mut changes)
            })?;
            let mut waiting = RequestRecord::default();
            source.for_each_request(|identity, request| {
                let requested = (identity, request);
                if !removed.has_request(&requested) {
                    waiting.requested.push(requested);
                }
                if waiting.requested.len() < ENTRIES {
                    return Ok(());
                }
                self.out.remember(&std::mem::take(&mut waiting), &mut changes)?;
                commit_some(self.out, &mut changes)
            })?;
            if !waiting.requested.is_empty() {
                self.out.remember(&waiting, &mut changes)?;
                commit_some(self.out, &mut changes)?;
            }
        }
        let stage = self.sources.iter().map(|source| source.stage("ingest")).collect::<Result<Vec<StageRecord>>>()?;
        // A store that has begun to read has a fingerprint.
        let mut read = stage.iter().zip(self.sources).filter(|(stage, _)| stage.fingerprint != 0);
        if let Some((first, source)) = read.next() {
            changes.put_stage("ingest", first);
            self.merged.read_first = source.folder().to_owned();
            let differing = read.filter(|(stage, _)| stage.fingerprint != first.fingerprint);
            self.merged.read_otherwise = differing.map(|(_, source)| source.folder().to_owned()).collect();
        }
        self.marks()?;
        self.merged.brought_back = self.met.len() as u64;
        if !removed.has_names() {
            return self.out.commit(changes);
        }
        self.out.commit_removal(&removed.purged(), changes)
    }

    /// The names that stores had removed, for the archives that they had then. So they stay removed when the rest of such an archive is
    /// read, or when it is read again after damage.
    fn removals(&self) -> Removed {
        let mut found = Removed::default();
        for (at, source) in self.sources.iter().enumerate() {
            let mut known: FxHashMap<Range<u32>, Vec<Range<u32>>> = FxHashMap::default();
            for (name, archives) in source.removed().all() {
                let numbers =
                    known.entry(archives.clone()).or_insert_with(|| self.plan.numbers_of(at, archives.clone()));
                if numbers.is_empty() {
                    found.note(name, 0..0);
                }
                numbers.iter().for_each(|numbers| found.note(name, numbers.clone()));
            }
        }
        found
    }

    /// Takes over the marks, except those on pages that some store had removed and that no archive has.
    fn marks(&mut self) -> Result<()> {
        let sources: Vec<Reviews> = self.sources.iter().map(|source| Reviews::of(source.folder())).collect();
        for source in &sources {
            self.merged.bad_marks.extend(source.marks()?.bad_lines());
        }
        let all = Reviews::of(self.out.folder());
        self.merged.marks = all.take(&sources)?;
        let is_gone = |url: &str| {
            let hashes = CanonicalUrl::parse(url).map(|url| hashes_of(url.identity()));
            hashes.is_ok_and(|hashes| {
                self.reviewed.contains(&hashes[0]) && hashes.iter().any(|hash| self.plan.removed.contains(hash))
            })
        };
        if !self.plan.removed.is_empty() {
            self.merged.marks -= all.forget(is_gone)?.marks as u64;
        }
        Ok(())
    }
}

/// Commits changes once they are many.
fn commit_some(out: &mut Store, changes: &mut Changes) -> Result<()> {
    if changes.len() < ENTRIES { Ok(()) } else { out.commit(std::mem::take(changes)) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::extent::extent;
    use crate::pipeline::run_all;
    use crate::store::faults::{self, Failure};
    use crate::store::layout::RequestedRecord;
    use crate::store::{Access, layout::ArchiveIdentity, name_hash};

    fn merged(sources: &[Store], out: &Path) -> Result<Merged> {
        let mut store = Store::open(out, Access::Write)?;
        merge(sources, &mut store, &(), &|_, _| Ok(()), &|| Ok(()))
    }

    #[test]
    fn a_disk_that_fails_at_any_step_is_told_of() {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, out) = (folder.path().join("source"), folder.path().join("out"));
        let mut store = Store::open(&source, Access::Write).expect("a new store");
        run_all(&mut store, &[], &["data/sites/packaging"]).expect("room on the disk");
        drop(store);
        let sources = [Store::open(&source, Access::Read).expect("a store")];
        faults::plan(&out, u64::MAX, Failure::Full);
        let found = merged(&sources, &out).expect("room on the disk");
        let steps = faults::end(&out).0;
        assert!(found.archives == 1 && found.captures == 36 && steps > 50, "{found:?}, {steps} steps");
        for step in (0..steps).step_by(extent(steps as usize / 6, 1)) {
            fs::remove_dir_all(&out).expect("it is ours");
            faults::plan(&out, step, Failure::Full);
            let outcome = merged(&sources, &out);
            let (_, failed) = faults::end(&out);
            match outcome {
                Err(error) => assert!(!error.to_string().contains("damaged"), "step {step}, {failed:?}: {error}"),
                // Steps that only tidy up may fail.
                Ok(again) => assert!(again == found && step + 5 > steps, "step {step} of {steps}, {failed:?}"),
            }
        }
    }

    #[test]
    fn what_is_removed_is_removed_from_the_archives_of_its_store_and_not_requested() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = |name: &str, fingerprint: u64, removed: &[&str]| {
            let mut store = Store::open(&folder.path().join(name), Access::Write).expect("a new store");
            let mut changes = Changes::default();
            let identity = ArchiveIdentity { path: format!("/{name}.warc"), fingerprint, ..ArchiveIdentity::default() };
            let archive = ArchiveRecord { identity, position: 10, ..ArchiveRecord::default() };
            changes.put_archive(0, &archive);
            let requested = ["left.org/a", "gone.org/a"].map(|url| (url.to_owned(), RequestedRecord::default()));
            let request = RequestRecord { requested: requested.to_vec(), rounds: Vec::new() };
            store.remember(&request, &mut changes).expect("room on the disk");
            let mut names = Removed::default();
            removed.iter().for_each(|name| names.note(name_hash(name), 0..1));
            store.commit_removal(&names.purged(), changes).expect("room on the disk");
            store
        };
        let sources =
            [store("a", 7, &["one.org"]), store("b", 8, &["gone.org"]), store("c", 9, &["gone.org", "one.org"])];
        let out = folder.path().join("out");
        merged(&sources, &out).expect("room on the disk");
        let out = Store::open(&out, Access::Read).expect("a store");
        let takes = |url: &str| [0, 1, 2, 3].map(|archive| out.removed().takes(archive, url));
        assert_eq!(takes("one.org/a"), [true, false, true, false]);
        assert_eq!(takes("gone.org/a"), [false, true, true, false]);
        let mut requested = 0;
        let count = |_, _| {
            requested += 1;
            Ok(())
        };
        out.for_each_request(count).expect("a store");
        assert_eq!(requested, 1);
    }

    #[test]
    fn of_an_archive_in_several_stores_the_one_that_was_read_farthest_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = |name: &str, archives: &[(u64, u64)]| {
            let mut store = Store::open(&folder.path().join(name), Access::Write).expect("a new store");
            let mut changes = Changes::default();
            for (&(fingerprint, position), number) in archives.iter().zip(0u32..) {
                let identity = ArchiveIdentity { path: "a".into(), fingerprint, ..ArchiveIdentity::default() };
                let record = ArchiveRecord { identity, position, ..ArchiveRecord::default() };
                changes.put_archive(number, &record);
            }
            store.commit(changes).expect("room on the disk");
            store
        };
        let sources = [store("a", &[(7, 10), (8, 10)]), store("b", &[(9, 1), (8, 20), (7, 10)])];
        let plan = Plan::of(&sources).expect("whole stores");
        let chosen = |at: usize| (0..3).map(|number| plan.chosen(at, number)).collect::<Vec<_>>();
        assert_eq!([chosen(0), chosen(1)], [[Some(0), None, None], [Some(2), Some(1), None]]);
    }
}
