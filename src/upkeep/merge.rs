//! Makes one store of several, as if the archives of all had been read into it one after another.
//!
//! What was read is taken over: pages, batches, archives, requests; and what people say: corrections, and marks of reviewers. Everything that the
//! stages make is made anew by the next run, since it depends on what the others have: which capture of a URL wins, which pages a domain has, which keys are credible,
//! what is learnt of two languages. Archives get new numbers, which stand in each page, so pages are unpacked and packed again.

use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::corrections::{Corrections, Line};
use crate::error::{Error, Result};
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::{
    ArchiveRecord, ArchivedBatchRecord, BatchRecord, HintRecord, PageEntry, RefusedRecord, RemovalRecord,
    RequestRecord, RequestedRecord, StageRecord, StoredPage,
};
use crate::store::records::{RecordRef, START};
use crate::store::{CorrectionFile, Reviews, Store, hashes_of};
use crate::types::{Watch, host_of};

/// Bytes of pages that are packed at once.
const PORTION: usize = 32 << 20;
/// Entries of the catalog in one commit, and requests in one record.
const ENTRIES: usize = 10_000;

/// What was merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// How many archives.
    pub archives: u64,
    /// How many archives several of the stores have; each was taken from the store that had read most of it, the first of equals.
    pub shared: u64,
    /// How many captures that are pages.
    pub captures: u64,
    /// How many captures were left out since another store, which has the same archive too, had removed them.
    pub removed: u64,
    /// How many names of hosts and URLs one store had removed, and another has in archives of its own, so that they are there.
    pub brought_back: u64,
    /// Stores whose archives were read with other settings than those of the first, or by another release; their pages stay as they are.
    pub read_otherwise: Vec<PathBuf>,
    /// How many marks of reviewers.
    pub marks: u64,
    /// Messages about lines of marks that cannot be read, which are taken over as they are.
    pub bad_marks: Vec<String>,
}

/// Merges stores into a new one. Of settings, the new store has those that it has been given. `check` is given the corrections of some of the
/// stores together, and those of the last of them.
///
/// The time is that of reading, unpacking, packing and writing all pages. In memory are 32 MiB of pages, the captures of one batch, and the
/// records of all archives.
///
/// # Errors
/// Where a store has lost data, or cannot be read; when the disk does not take the new one; what `check` and `stop` return. The new store is then to be
/// deleted: what it lacks is not known to it.
pub fn merge(
    sources: &[Store],
    out: &mut Store,
    watch: &dyn Watch,
    check: &dyn Fn(&Corrections, &[Line]) -> Result<()>,
    stop: &dyn Fn() -> Result<()>,
) -> Result<Merged> {
    for source in sources {
        refuse_losses(source)?;
        // Two that contradict each other are for a person to decide.
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
    let mut work =
        Merging { plan: Plan::of(sources)?, sources, out, met: FxHashMap::default(), merged: Merged::default() };
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
    /// Hashes of what some store had removed.
    removed: FxHashSet<u64>,
}

impl Plan {
    fn of(sources: &[Store]) -> Result<Plan> {
        let mut plan = Plan::default();
        let mut known: FxHashMap<u64, u32> = FxHashMap::default();
        for (at, source) in sources.iter().enumerate() {
            for (record, number) in source.archives()?.into_iter().zip(0u32..) {
                if record.is_removed() {
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
            plan.removed.extend(source.removed().purged().names.into_iter().map(|(name, _)| name));
        }
        Ok(plan)
    }

    /// The number in the new store of an archive that is taken from this one.
    fn chosen(&self, source: usize, number: u32) -> Option<u32> {
        let place = *self.numbers.get(&(source, number))?;
        (self.archives[place as usize].from == (source, number)).then_some(place)
    }
}

struct Merging<'m> {
    plan: Plan,
    sources: &'m [Store],
    out: &'m mut Store,
    /// Hashes of names that some store had removed, and that are there: the first archive that has them.
    met: FxHashMap<u64, u32>,
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
            identity: batch.identity(),
            from: batch.from.to_native(),
            to: batch.to.to_native(),
            done: batch.done,
            records: batch.records.to_native(),
            skips: batch.skips.iter().map(|skip| (skip.0, skip.1.to_native())).collect(),
            samples: batch.samples().filter(|sample| !is_sample_gone(sample)).collect(),
            ..BatchRecord::default()
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
        self.meet(number, &taken);
        self.out.batches.append(&taken).map(drop)
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

    /// Notes which of the names that some store had removed an archive has.
    fn meet(&mut self, number: u32, batch: &BatchRecord) {
        if self.plan.removed.is_empty() {
            return;
        }
        let identities = batch.pages.iter().map(|page| &page.identity);
        for identity in identities.chain(batch.skipped.iter().map(|skip| &skip.identity)) {
            for hash in hashes_of(identity).into_iter().filter(|hash| self.plan.removed.contains(hash)) {
                let first = self.met.entry(hash).or_insert(number);
                *first = number.min(*first);
            }
        }
    }

    /// Takes over all that is not of batches, and commits.
    fn finish(&mut self) -> Result<()> {
        let mut changes = Changes::default();
        for (chosen, number) in self.plan.archives.iter().zip(0u32..) {
            changes.put(Keyspace::Archive, &number.to_be_bytes(), &chosen.record);
            changes.put(Keyspace::Fingerprint, &chosen.record.identity.fingerprint.to_be_bytes(), &number);
            commit_some(self.out, &mut changes)?;
        }
        let read: FxHashSet<&str> =
            self.plan.archives.iter().map(|chosen| chosen.record.identity.path.as_str()).collect();
        // What the first store says of an input or a request holds, so it is written last.
        for source in self.sources.iter().rev() {
            source.catalog().for_each(Keyspace::Hint, |path, hint: HintRecord| {
                changes.put(Keyspace::Hint, path, &hint);
                commit_some(self.out, &mut changes)
            })?;
            source.catalog().for_each(Keyspace::Refused, |path, refused: RefusedRecord| {
                if !read.contains(refused.path.as_str()) {
                    changes.put(Keyspace::Refused, path, &refused);
                }
                commit_some(self.out, &mut changes)
            })?;
            let mut requested: Vec<(String, RequestedRecord)> = Vec::new();
            source.catalog().for_each(Keyspace::Requested, |key, request: RequestedRecord| {
                let identity = key.iter().position(|&byte| byte == 0).map_or(key, |end| &key[end + 1..]);
                requested.push((String::from_utf8_lossy(identity).into_owned(), request));
                Ok(())
            })?;
            for requested in requested.chunks(ENTRIES) {
                let request = RequestRecord { requested: requested.to_vec(), rounds: Vec::new() };
                self.out.remember(&request, &mut changes)?;
                commit_some(self.out, &mut changes)?;
            }
        }
        let stage = self.sources.iter().map(|source| source.stage("ingest")).collect::<Result<Vec<StageRecord>>>()?;
        if let Some(first) = stage.iter().find(|stage| stage.finished) {
            changes.put(Keyspace::Stage, b"ingest", first);
            let others = stage.iter().zip(self.sources).filter(|(stage, _)| stage.finished);
            let differing = others.filter(|(stage, _)| stage.fingerprint != first.fingerprint);
            self.merged.read_otherwise = differing.map(|(_, source)| source.folder().to_owned()).collect();
        }
        self.marks()?;
        self.merged.brought_back = self.met.len() as u64;
        let names = self.removals();
        if names.is_empty() {
            return self.out.commit(changes);
        }
        let removal = RemovalRecord { batches: Vec::new(), names, replaces: true, purged: true };
        self.out.commit_removal(&removal, changes)
    }

    /// The names that stores had removed, for the archives that they had then: so they stay removed if one of these is read again after
    /// damage. A name that another store has in an archive with a lower number is left out.
    fn removals(&self) -> Vec<(u64, u32)> {
        let mut found: FxHashMap<u64, u32> = FxHashMap::default();
        for (at, source) in self.sources.iter().enumerate() {
            for (name, archives) in source.removed().purged().names {
                let numbers = (0..archives).filter_map(|number| self.plan.numbers.get(&(at, number)));
                let until = numbers.max().map_or(0, |last| last + 1);
                if self.met.get(&name).is_none_or(|&first| until <= first) {
                    let known = found.entry(name).or_default();
                    *known = until.max(*known);
                }
            }
        }
        let mut found: Vec<(u64, u32)> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    fn marks(&mut self) -> Result<()> {
        let all = Reviews::of(self.out.folder());
        for source in self.sources {
            let reviews = Reviews::of(source.folder());
            self.merged.bad_marks.extend(reviews.marks()?.bad_lines());
            self.merged.marks += all.take(&reviews)?;
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
    use crate::store::{Access, layout::ArchiveIdentity};

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
    fn of_an_archive_in_several_stores_the_one_that_was_read_farthest_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = |name: &str, archives: &[(u64, u64)]| {
            let mut store = Store::open(&folder.path().join(name), Access::Write).expect("a new store");
            let mut changes = Changes::default();
            for (&(fingerprint, position), number) in archives.iter().zip(0u32..) {
                let identity = ArchiveIdentity { path: "a".into(), fingerprint, ..ArchiveIdentity::default() };
                let record = ArchiveRecord { identity, position, ..ArchiveRecord::default() };
                changes.put(Keyspace::Archive, &number.to_be_bytes(), &record);
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
