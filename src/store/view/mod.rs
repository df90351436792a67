//! The view: the catalog as of a commit, in files that never change. Readers and the process that writes use the same files.
//!
//! Each commit writes its changes into one *run*, sorted by key, and the manifest names the runs that make up the view, the oldest first. A
//! run that is at most twice as long as the new one is merged into it, so n commits leave some log n runs, and every entry is written some
//! log n times. A reader opens the runs, and needs no lock; a run that is deleted later stays readable to those who have opened it. Each
//! run says which earlier runs it replaces, so that the files show what the last commit was even without a manifest.

mod run;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use run::sealed;
use run::{Cursor, Entry, FRESH, LastBlocks, Run};
pub use run::{RunName, RunWriter, read_name};

use super::disk;
use super::seen::Seen;
use crate::error::{Error, Result};

/// The folder of the view in a store.
pub const FOLDER: &str = "view";

/// How many bytes of blocks the process that writes keeps.
const KEPT_BYTES: usize = 8 << 20;

/// Changes: for each key its new value, or `None` where it is removed.
pub type Delta = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// The entries of some runs; where several runs have a key, the latest one counts.
pub struct View {
    /// The oldest first.
    runs: Vec<Run>,
    /// For the process that writes: the blocks that were read last.
    kept: Arc<LastBlocks>,
}

impl View {
    /// Opens the runs of a view, the oldest first.
    ///
    /// # Errors
    /// [`Error::Io`] when one cannot be read, [`Error::Store`] when one is damaged.
    pub fn open(store: &Path, names: &[RunName]) -> Result<View> {
        let folder = store.join(FOLDER);
        let runs = names.iter().map(|name| Run::open_keeping(&folder, name)).collect::<Result<_>>()?;
        Ok(View { runs, kept: Arc::new(LastBlocks::new(0)) })
    }

    /// Opens the runs of a view for the process that writes, and reads every block, so that a damaged one is found now.
    ///
    /// # Errors
    /// As [`View::open`].
    pub fn open_checked(store: &Path, names: &[RunName]) -> Result<View> {
        let mut view = View { runs: Vec::new(), kept: Arc::new(LastBlocks::new(KEPT_BYTES)) };
        view.follow(store, names)?;
        view.runs.iter().try_for_each(Run::check)?;
        Ok(view)
    }

    /// Goes over to other runs. Runs that the view already has open are not opened again.
    ///
    /// # Errors
    /// As [`View::open`]; the view is then as it was.
    pub fn follow(&mut self, store: &Path, names: &[RunName]) -> Result<()> {
        let folder = store.join(FOLDER);
        let open = |name: &RunName| match self.runs.iter().find(|run| run.number() == name.number) {
            Some(run) => Ok(run.clone()),
            None => Run::open_with(&folder, name, &self.kept),
        };
        self.runs = names.iter().map(open).collect::<Result<_>>()?;
        Ok(())
    }

    /// Checks that the files of the runs are still there under their names.
    ///
    /// # Errors
    /// When one is not.
    pub fn check_names(&self) -> Result<()> {
        self.runs.iter().try_for_each(Run::check_name)
    }

    /// The files of the runs, as they are now.
    ///
    /// # Errors
    /// When the length of one cannot be read.
    pub fn seen(&self) -> Result<Vec<Seen>> {
        self.runs.iter().map(Run::seen).collect()
    }

    /// The value of a key.
    ///
    /// # Errors
    /// When the view is damaged.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        for run in self.runs.iter().rev() {
            if let Some(found) = run.get(key)? {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The last entry with a key from `from` to `until`, both included.
    ///
    /// # Errors
    /// When the view is damaged.
    pub fn last(&self, from: &[u8], until: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let mut until = until.to_vec();
        loop {
            let mut found: Option<Vec<u8>> = None;
            for run in &self.runs {
                found = found.max(run.last_until(&until)?);
            }
            let Some(key) = found.filter(|key| key.as_slice() >= from) else { return Ok(None) };
            if let Some(value) = self.get(&key)? {
                return Ok(Some((key, value)));
            }
            // This key was removed, so the one before it is looked for.
            until = key;
            match until.pop() {
                Some(0) => {}
                Some(byte) => {
                    until.push(byte - 1);
                    until.resize(until.len() + MAX_KEY_BYTES, 0xff);
                }
                None => return Ok(None),
            }
        }
    }

    /// Calls `each` with every entry whose key begins with `prefix`, in order, until it returns false.
    ///
    /// # Errors
    /// When the view is damaged, or what `each` returns.
    pub fn scan(&self, prefix: &[u8], mut each: impl FnMut(&[u8], &[u8]) -> Result<bool>) -> Result<()> {
        let mut merge = Merge::new(&self.runs, prefix)?;
        while let Some((key, value)) = merge.next()? {
            if !key.starts_with(prefix) {
                break;
            }
            if let Some(value) = value
                && !each(key, value)?
            {
                break;
            }
        }
        Ok(())
    }
}

/// Longer than any key of the catalog; the longest are a URL behind a domain.
const MAX_KEY_BYTES: usize = 64 << 10;

/// Several cursors merged into one; entries of later runs hide those of earlier ones.
struct Merge<'r> {
    cursors: Vec<Cursor<'r>>,
    /// The cursors that stand at the entry that was given last.
    given: Vec<usize>,
}

impl<'r> Merge<'r> {
    /// From a key on.
    fn new(runs: &'r [Run], from: &[u8]) -> Result<Merge<'r>> {
        Ok(Merge { cursors: runs.iter().map(|run| run.from(from)).collect::<Result<_>>()?, given: Vec::new() })
    }

    fn next(&mut self) -> Result<Option<Entry<'_>>> {
        for at in self.given.drain(..) {
            self.cursors[at].advance()?;
        }
        let Some(key) = self.cursors.iter().filter_map(Cursor::key).min() else { return Ok(None) };
        self.given.extend((0..self.cursors.len()).filter(|&at| self.cursors[at].key() == Some(key)));
        Ok(self.given.last().and_then(|&at| self.cursors[at].entry()))
    }
}

/// The runs that make up the view of the last commit, the oldest first, as their files say. `None` where there are none, where the last one
/// was not written to its end, or where one of them is missing.
pub fn last_runs(store: &Path) -> Option<Vec<RunName>> {
    let (names, is_whole) = readable_runs(store);
    Some(names).filter(|names| is_whole && !names.is_empty())
}

/// The runs of the last commit without those that cannot be read, and whether all of them can be read and none is missing.
pub fn readable_runs(store: &Path) -> (Vec<RunName>, bool) {
    let folder = store.join(FOLDER);
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut numbers: Vec<u64> = entries.filter_map(|entry| number_of(&entry.path())).collect();
    numbers.sort_unstable();
    let (mut names, mut is_whole) = (Vec::new(), true);
    while let Some(number) = numbers.pop() {
        let Some((name, since)) = read_name(&folder, number) else {
            is_whole = false;
            continue;
        };
        numbers.retain(|&earlier| earlier < since);
        // The run before the ones that this run replaces must be there.
        is_whole &= numbers.last().copied() == since.checked_sub(1);
        names.push(name);
    }
    names.reverse();
    (names, is_whole)
}

/// The entries with a wanted key that can be read in some runs, and whether all entries could be read. Where a later entry cannot be read,
/// the earlier one that it replaced is returned.
pub fn salvage(store: &Path, names: &[RunName], is_wanted: impl Fn(&[u8]) -> bool) -> (Salvaged, bool) {
    let folder = store.join(FOLDER);
    let (mut found, mut is_whole) = (Salvaged::new(), true);
    for name in names {
        let Ok(run) = Run::open(&folder, name) else {
            is_whole = false;
            continue;
        };
        is_whole &= run.salvage(|(key, value)| match value {
            Some(value) if is_wanted(key) => drop(found.insert(key.to_vec(), value.to_vec())),
            _ => drop(found.remove(key)),
        });
    }
    (found, is_whole)
}

/// Entries that could be read, by key.
pub type Salvaged = BTreeMap<Vec<u8>, Vec<u8>>;

/// The number of a run, by the path of its file; `None` for other files.
fn number_of(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_suffix(".run")?.parse().ok()
}

/// Writes the view of each commit.
pub struct Publisher {
    folder: PathBuf,
    names: Vec<RunName>,
    next: u64,
    /// Files that the next manifest will not name.
    gone: Vec<PathBuf>,
}

impl Publisher {
    /// Continues from the runs of a commit. The other files stay until [`Publisher::tidy`], since the manifest on disk may name them.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open(store: &Path, names: &[RunName]) -> Result<Publisher> {
        let folder = store.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder, "making the folder"))?;
        let (mut next, mut gone) = (1, Vec::new());
        for entry in std::fs::read_dir(&folder).map_err(Error::io(&folder, "listing"))?.flatten() {
            let (path, number) = (entry.path(), number_of(&entry.path()));
            next = next.max(number.map_or(0, |number| number + 1));
            let is_fresh = path.extension().is_some_and(|ending| ending == FRESH);
            if number.map_or(is_fresh, |number| names.iter().all(|name| name.number != number)) {
                gone.push(path);
            }
        }
        Ok(Publisher { folder, names: names.to_vec(), next, gone })
    }

    /// The runs of the view, the oldest first.
    pub fn names(&self) -> &[RunName] {
        &self.names
    }

    /// Adds the changes of a commit: in a new run, or merged with runs that are not much longer.
    ///
    /// # Errors
    /// When the disk does not take it, or a run cannot be read.
    pub fn add(&mut self, delta: &Delta) -> Result<()> {
        let bytes_of =
            |(key, value): (&Vec<u8>, &Option<Vec<u8>>)| (key.len() + value.as_ref().map_or(0, Vec::len)) as u64;
        let mut bytes = delta.iter().map(bytes_of).sum::<u64>();
        if delta.is_empty() {
            return Ok(());
        }
        let mut kept = self.names.len();
        while let Some(last) =
            kept.checked_sub(1).map(|at| self.names[at]).filter(|last| last.entry_bytes() <= 2 * bytes.max(SMALL))
        {
            bytes += last.entry_bytes();
            kept -= 1;
        }
        self.replace(kept, delta)
    }

    /// Replaces all runs but the first `kept` ones by one new run, with changes.
    fn replace(&mut self, kept: usize, delta: &Delta) -> Result<()> {
        let open = |name: &RunName| Run::open(&self.folder, name);
        let runs = self.names[kept..].iter().map(open).collect::<Result<Vec<_>>>()?;
        let since = kept.checked_sub(1).map_or(0, |last| self.names[last].number + 1);
        let name = self.write(&runs, delta, since)?;
        let folder = &self.folder;
        self.gone.extend(self.names.drain(kept..).map(|name| name.path(folder)));
        self.names.push(name);
        Ok(())
    }

    /// Writes one run from other runs and from changes. It replaces all runs from the number `since` on.
    fn write(&mut self, runs: &[Run], delta: &Delta, since: u64) -> Result<RunName> {
        let mut writer = RunWriter::create(&self.folder, self.next, since)?;
        let is_oldest = since == 0;
        self.next += 1;
        let mut merge = Merge::new(runs, &[])?;
        let mut changed = delta.iter().peekable();
        let mut put = |key: &[u8], value: Option<&[u8]>| {
            // No older run has an entry that this removal would have to hide.
            if value.is_none() && is_oldest { Ok(()) } else { writer.push(key, value) }
        };
        while let Some((key, value)) = merge.next()? {
            while let Some((first, fresh)) = changed.next_if(|(first, _)| first.as_slice() < key) {
                put(first, fresh.as_deref())?;
            }
            match changed.next_if(|(first, _)| first.as_slice() == key) {
                Some((_, fresh)) => put(key, fresh.as_deref())?,
                None => put(key, value)?,
            }
        }
        for (key, value) in changed {
            put(key, value.as_deref())?;
        }
        writer.finish()
    }

    /// Makes one new run of all but the first `kept` ones, if there are others.
    ///
    /// # Errors
    /// When the disk does not take it, or a run cannot be read.
    pub fn merge_behind(&mut self, kept: usize) -> Result<()> {
        if kept < self.names.len() { self.replace(kept, &Delta::new()) } else { Ok(()) }
    }

    /// Removes the files that the manifest on disk does not name.
    pub fn tidy(&mut self) {
        for path in self.gone.drain(..) {
            // If a file cannot be removed now, it is removed when the store is opened next.
            let _ = disk::remove(&path);
        }
    }
}

/// Runs up to twice this length, in bytes, are always merged into a new one: reading a disk page costs the same for one entry as for many.
const SMALL: u64 = 16 << 10;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::run::tests::noise;
    use super::*;

    type Model = BTreeMap<Vec<u8>, Vec<u8>>;

    fn check_against(view: &View, model: &Model) -> Result<(), TestCaseError> {
        let mut found = Model::new();
        view.scan(&[], |key, value| {
            found.insert(key.to_vec(), value.to_vec());
            Ok(true)
        })
        .expect("a sound view");
        prop_assert_eq!(&found, model);
        for number in 0..300u16 {
            let key = number.to_be_bytes();
            prop_assert_eq!(view.get(&key).expect("a sound view"), model.get(key.as_slice()).cloned());
            let last = model.range(..=key.to_vec()).next_back();
            let last = last.map(|(key, value)| (key.clone(), value.clone()));
            prop_assert_eq!(view.last(&[], &key).expect("a sound view"), last);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_view_holds_what_was_last_told(
            commits in prop::collection::vec(prop::collection::btree_map(0u16..300, prop::option::weighted(0.7, 0usize..3000), 1..60), 1..20),
        ) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut publisher = Publisher::open(folder.path(), &[]).expect("a temporary folder");
            let mut model = Model::new();
            let mut view = View::open_checked(folder.path(), &[]).expect("nothing");
            for (number, commit) in commits.iter().enumerate() {
                let mut delta = Delta::new();
                for (key, length) in commit {
                    let value = length.map(|length| noise(number as u64, length));
                    match &value {
                        Some(value) => model.insert(key.to_be_bytes().to_vec(), value.clone()),
                        None => model.remove(key.to_be_bytes().as_slice()),
                    };
                    delta.insert(key.to_be_bytes().to_vec(), value);
                }
                publisher.add(&delta).expect("room on disk");
                view.follow(folder.path(), publisher.names()).expect("it was written");
                // A run that was merged into a later one no longer counts, even if its file is still there.
                prop_assert_eq!(last_runs(folder.path()), Some(publisher.names().to_vec()));
                publisher.tidy();
                if number % 5 == 4 {
                    publisher = Publisher::open(folder.path(), publisher.names()).expect("it was written");
                }
            }
            check_against(&View::open(folder.path(), publisher.names()).expect("it was written"), &model)?;
            check_against(&view, &model)?;
            prop_assert_eq!(last_runs(folder.path()), Some(publisher.names().to_vec()));
            let files = std::fs::read_dir(folder.path().join(FOLDER)).expect("a folder").count();
            prop_assert_eq!(files, publisher.names().len());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_run_that_is_removed_or_replaced_under_a_writer_is_told() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut publisher = Publisher::open(folder.path(), &[]).expect("a temporary folder");
        for (key, bytes) in [(1, 100_000), (2, 1)] {
            publisher.add(&Delta::from([(vec![key], Some(noise(u64::from(key), bytes)))])).expect("room on disk");
        }
        let mut view = View { runs: Vec::new(), kept: Arc::new(LastBlocks::new(KEPT_BYTES)) };
        view.follow(folder.path(), publisher.names()).expect("it was written");
        view.check_names().expect("nobody has touched them");
        let [path, away] = [publisher.names()[0].path(&publisher.folder), folder.path().join("away")];
        std::fs::rename(&path, &away).expect("a disk");
        assert!(publisher.names().len() == 2 && view.check_names().is_err());
        std::fs::copy(&away, &path).expect("room on disk");
        view.follow(folder.path(), publisher.names()).expect("it has them open");
        assert!(view.check_names().is_err_and(|error| error.to_string().contains("another program")));
    }

    #[test]
    fn equal_commits_leave_few_runs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut publisher = Publisher::open(folder.path(), &[]).expect("a temporary folder");
        for commit in 0..64u16 {
            let delta = (0..40u16)
                .map(|at| ((commit * 40 + at).to_be_bytes().to_vec(), Some(noise(u64::from(at), 1000))))
                .collect();
            publisher.add(&delta).expect("room on disk");
        }
        assert!(publisher.names().len() <= 7, "{}", publisher.names().len());
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut publisher = Publisher::open(folder.path(), &[]).expect("a temporary folder");
        let delta = (0..200u16).map(|at| (at.to_be_bytes().to_vec(), Some(noise(u64::from(at), 60)))).collect();
        publisher.add(&delta).expect("room on disk");
        let names = publisher.names().to_vec();
        let path = names[0].path(&folder.path().join(FOLDER));
        let sound = std::fs::read(&path).expect("it was written");
        for at in 0..sound.len() {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).expect("room on disk");
            let read = View::open(folder.path(), &names).and_then(|view| view.scan(&[], |_, _| Ok(true)));
            assert!(read.is_err() && View::open_checked(folder.path(), &names).is_err(), "byte {at}");
        }
    }
}
