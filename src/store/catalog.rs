//! The catalog: small values by keyspace and key. Everything in it can be made again from the record files. A process that writes has the
//! catalog in one tree of sled; readers have the view that the last commit published.
//!
//! There is one tree for all keyspaces, because a batch of sled is atomic within a tree only, and a commit must be atomic.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rkyv::rancor;

use super::disk;
use super::records::{Owned, Stored, aligned};
use super::seen::Seen;
use super::view::{Delta, View};
use crate::error::{Error, Result};
use crate::panics::sheltered;

/// The kind of thing that a key stands for: the key's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Keyspace {
    /// Sentinel and settings, by name.
    Meta = b'm',
    /// Archives, by number.
    Archive = b'a',
    /// Numbers of archives, by fingerprint.
    Fingerprint = b'f',
    /// Sites, by number.
    Site = b's',
    /// Numbers of sites, by domain.
    Domain = b'd',
    /// Results, by number of the site.
    Result = b'r',
    /// Global credibility, by pattern.
    Credibility = b'c',
    /// The letters that a site shows of a language, by its tag, the hash of the name of the site's domain, and its number.
    Taught = b'n',
    /// Stages, by name.
    Stage = b'g',
    /// Link graphs, by number of the site.
    Graph = b'l',
    /// Verified pairs, by number of the site.
    Verified = b'v',
    /// Pairs resolved by iteration, by number of the site.
    Resolved = b'i',
    /// What verification learnt, by the two languages.
    Learnt = b'o',
    /// Sentence pairs, by number of the site.
    Bitext = b'b',
    /// What was learnt of a pair of languages, by their tags.
    Model = b'y',
    /// Scores of the user's scorer, by number of the site.
    Score = b'p',
    /// Token → sites, in blocks by the first token's hash.
    Token = b't',
    /// URLs that were requested of a crawler, by registrable domain and URL.
    Requested = b'q',
    /// Graphs of sites, by what a site is in them.
    Web = b'w',
    /// Rounds of exploring, by number.
    Round = b'x',
    /// How many pages of an archive were lost that the store cannot make again, by number of the archive.
    Loss = b'k',
    /// The bytes that a file had when it was last looked at, by path.
    Hint = b'h',
    /// Inputs that were not read, by path.
    Refused = b'u',
}

impl Keyspace {
    fn key(self, key: &[u8]) -> Vec<u8> {
        let mut full = Vec::with_capacity(key.len() + 1);
        full.push(self as u8);
        full.extend_from_slice(key);
        full
    }
}

/// True of the whole key of the sentinel, which says which commit a catalog holds.
pub fn is_sentinel(key: &[u8]) -> bool {
    key.split_first() == Some((&(Keyspace::Meta as u8), b"sentinel"))
}

/// True of the whole keys that readers see: all but the tokens, which only indexing needs.
pub fn is_of_view(key: &[u8]) -> bool {
    key.first() != Some(&(Keyspace::Token as u8))
}

/// Changes that become visible together.
#[derive(Default)]
pub struct Changes {
    delta: Delta,
}

impl Changes {
    /// Sets a value.
    pub fn put<T: Stored>(&mut self, keyspace: Keyspace, key: &[u8], value: &T) {
        let bytes =
            rkyv::to_bytes::<rancor::Error>(value).expect("catalog values hold nothing that cannot be serialised");
        self.put_bytes(keyspace, key, &bytes);
    }

    /// Sets a value that is bytes already.
    pub fn put_bytes(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) {
        self.delta.insert(keyspace.key(key), Some(value.to_vec()));
    }

    /// Sets a value by its whole key, which begins with the byte of the keyspace.
    pub fn put_whole(&mut self, key: &[u8], value: &[u8]) {
        self.delta.insert(key.to_vec(), Some(value.to_vec()));
    }

    /// Removes a value.
    pub fn remove(&mut self, keyspace: Keyspace, key: &[u8]) {
        self.delta.insert(keyspace.key(key), None);
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.delta.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.delta.is_empty()
    }

    /// The part of these changes that readers see.
    pub fn into_view(mut self) -> Delta {
        self.delta.retain(|key, _| is_of_view(key));
        self.delta
    }
}

/// The open catalog: sled for the process that writes, the view of a commit for readers.
pub struct Catalog {
    folder: PathBuf,
    source: Source,
}

enum Source {
    Sled(Closing),
    View(View),
}

/// A sled database that is closed without a panic: closing writes once more, and sled panics when the disk does not take that.
struct Closing {
    db: Option<sled::Db>,
    /// The file of the database, to be synced. sled itself syncs ranges of it (`sync_file_range`), which does not make its length durable.
    file: Option<File>,
    /// The long values that are already durable, by the names of their files.
    synced: Mutex<BTreeSet<OsString>>,
}

impl std::ops::Deref for Closing {
    type Target = sled::Db;

    fn deref(&self) -> &sled::Db {
        self.db.as_ref().expect("it is there until it is dropped")
    }
}

impl Closing {
    /// Makes long values durable. They lie in files of their own, which sled writes but does not sync.
    fn sync_blobs(&self, folder: &Path) -> io::Result<()> {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name();
            if !synced.contains(&name) {
                let path = folder.join(&name);
                disk::before(disk::Step::Sync, &path)?;
                match File::open(&path).and_then(|file| file.sync_data()) {
                    // The value was replaced and its file removed meanwhile.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    done => done?,
                }
            }
            found.insert(name);
        }
        *synced = found;
        disk::sync_folder(folder)
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let db = self.db.take();
        // Everything committed has been flushed before.
        let _ = sheltered(|| drop(db));
    }
}

/// Why a catalog could not be opened.
pub enum OpenFailure {
    /// Another process holds the catalog.
    Locked,
    /// Its files are damaged.
    Damaged(String),
    /// The environment (disk full, no permission).
    Environment(Error),
}

/// What sled may keep in memory.
const CACHE_BYTES: u64 = 64 << 20;
/// How long to wait before trying again to open a catalog that another process holds: sled releases its files a moment after it is closed.
const POLL: Duration = Duration::from_millis(20);

impl Catalog {
    /// Opens or makes the catalog in `folder`, to read and write. Damage that makes sled panic is caught.
    ///
    /// # Errors
    /// [`OpenFailure`]. Waits up to `patience` for another process to let go of it.
    pub fn open(folder: &Path, patience: Duration) -> Result<Catalog, OpenFailure> {
        let since = Instant::now();
        loop {
            match open_once(folder) {
                Err(OpenFailure::Locked) if since.elapsed() < patience => std::thread::sleep(POLL),
                Ok(db) => {
                    let mut db = Closing { db: Some(db), file: None, synced: Mutex::default() };
                    db.file =
                        Some(sync_new(folder).map_err(|error| {
                            OpenFailure::Environment(Error::io(folder, "syncing the catalog")(error))
                        })?);
                    return Ok(Catalog { folder: folder.to_owned(), source: Source::Sled(db) });
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// The catalog as a view has it, to read.
    pub fn of_view(folder: &Path, view: View) -> Catalog {
        Catalog { folder: folder.to_owned(), source: Source::View(view) }
    }

    /// The files of the view that the catalog is read from, as they are now.
    ///
    /// # Errors
    /// When the length of one cannot be read.
    pub fn seen(&self) -> Result<Vec<Seen>> {
        match &self.source {
            Source::Sled(_) => Ok(Vec::new()),
            Source::View(view) => view.seen(),
        }
    }

    fn failed(&self, action: &str, error: sled::Error) -> Error {
        match error {
            // A long value of which only a part reached the disk.
            sled::Error::Io(source) if source.kind() == ErrorKind::UnexpectedEof => self.damaged("the catalog"),
            sled::Error::Io(source) => {
                Error::Io { path: self.folder.clone(), action: "accessing the catalog", source: of_the_system(source) }
            }
            sled::Error::Corruption { .. } => self.damaged("the catalog"),
            other => {
                let problem = format!(
                    "{action} the catalog failed: {other}; if it does so again, delete this folder and run again"
                );
                Error::Store { path: self.folder.clone(), problem }
            }
        }
    }

    fn damaged(&self, what: &str) -> Error {
        let problem =
            format!("{what} is damaged; delete this folder and run again: what the record files hold is kept");
        Error::Store { path: self.folder.clone(), problem }
    }

    /// The error of a value that makes no sense.
    pub fn senseless(&self) -> Error {
        self.damaged("a value")
    }

    /// A value, if it is there.
    ///
    /// # Errors
    /// When the catalog cannot be read or the value is damaged.
    pub fn get<T: Owned>(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<T>> {
        match &self.source {
            Source::Sled(db) => {
                let value = db.get(keyspace.key(key)).map_err(|error| self.failed("reading", error))?;
                value.map(|bytes| self.decode(&bytes)).transpose()
            }
            Source::View(view) => view.get(&keyspace.key(key))?.map(|bytes| self.decode(bytes)).transpose(),
        }
    }

    fn decode<T: Owned>(&self, bytes: &[u8]) -> Result<T> {
        rkyv::from_bytes::<T, rancor::Error>(&aligned(bytes)).map_err(|_| self.senseless())
    }

    /// True when a whole key has just this value.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn has(&self, key: &[u8], value: &[u8]) -> Result<bool> {
        match &self.source {
            Source::Sled(db) => {
                Ok(db.get(key).map_err(|error| self.failed("reading", error))?.is_some_and(|v| v == value))
            }
            Source::View(view) => Ok(view.get(key)? == Some(value)),
        }
    }

    /// Calls `each` with the key and value of every entry of a keyspace, in order of the key.
    ///
    /// # Errors
    /// When the catalog cannot be read, or what `each` returns.
    pub fn for_each<T: Owned>(&self, keyspace: Keyspace, each: impl FnMut(&[u8], T) -> Result<()>) -> Result<()> {
        self.for_each_below(keyspace, &[], each)
    }

    /// Like [`Catalog::for_each`], for the entries whose key begins with `prefix`; `each` gets the rest of the key.
    ///
    /// # Errors
    /// As there.
    pub fn for_each_below<T: Owned>(
        &self,
        keyspace: Keyspace,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], T) -> Result<()>,
    ) -> Result<()> {
        let prefix = keyspace.key(prefix);
        self.scan(&prefix, |key, value| each(&key[prefix.len()..], self.decode(value)?))
    }

    /// Calls `each` with the whole key and the bytes of every entry whose key begins with `prefix`, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read, or what `each` returns.
    pub fn scan(&self, prefix: &[u8], mut each: impl FnMut(&[u8], &[u8]) -> Result<()>) -> Result<()> {
        match &self.source {
            Source::Sled(db) => {
                for entry in db.scan_prefix(prefix) {
                    let (key, value) = entry.map_err(|error| self.failed("reading", error))?;
                    each(&key, &value)?;
                }
                Ok(())
            }
            Source::View(view) => view.scan(prefix, |key, value| each(key, value).map(|()| true)),
        }
    }

    /// The values of a keyspace, in order of their keys.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn values<T: Owned>(&self, keyspace: Keyspace) -> Result<Vec<T>> {
        let mut values = Vec::new();
        self.for_each(keyspace, |_, value| {
            values.push(value);
            Ok(())
        })?;
        Ok(values)
    }

    /// The keys of a keyspace, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn keys(&self, keyspace: Keyspace) -> Result<Vec<Vec<u8>>> {
        let mut keys = Vec::new();
        self.scan(&[keyspace as u8], |key, _| {
            keys.push(key[1..].to_vec());
            Ok(())
        })?;
        Ok(keys)
    }

    /// The last entry of a keyspace at or before `key`, as bytes.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn at_or_before(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let (first, last) = (keyspace.key(&[]), keyspace.key(key));
        match &self.source {
            Source::Sled(db) => {
                let entry = db.range(first..=last).next_back().transpose();
                let entry = entry.map_err(|error| self.failed("reading", error))?;
                Ok(entry.map(|(key, value)| (key[1..].to_vec(), value.to_vec())))
            }
            Source::View(view) => Ok(view.last(&first, &last)?.map(|(key, value)| (key[1..].to_vec(), value.to_vec()))),
        }
    }

    /// The first key of a keyspace at or after `key`.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn after(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let Source::Sled(db) = &self.source else { return Err(self.is_view()) };
        let range = keyspace.key(key)..vec![keyspace as u8 + 1];
        let entry = db.range(range).next().transpose().map_err(|error| self.failed("reading", error))?;
        Ok(entry.map(|(key, _)| key[1..].to_vec()))
    }

    /// Makes changes durable, all or none.
    ///
    /// # Errors
    /// When the disk does not take them.
    pub fn apply(&self, changes: &Changes) -> Result<()> {
        let Source::Sled(db) = &self.source else { return Err(self.is_view()) };
        let mut batch = sled::Batch::default();
        for (key, value) in &changes.delta {
            match value {
                Some(value) => batch.insert(key.as_slice(), value.as_slice()),
                None => batch.remove(key.as_slice()),
            }
        }
        let apply = || -> Result<()> {
            disk::before(disk::Step::Write, &self.folder).map_err(Error::io(&self.folder, "writing"))?;
            db.apply_batch(batch).map_err(|error| self.failed("writing", error))?;
            // A long value must be on the disk before the entry that names its file.
            db.sync_blobs(&self.folder.join("blobs")).map_err(Error::io(&self.folder, "syncing"))?;
            disk::before(disk::Step::Sync, &self.folder).map_err(Error::io(&self.folder, "syncing"))?;
            flush(db).map_err(|error| self.failed("writing", error))?;
            db.file.as_ref().map_or(Ok(()), File::sync_data).map_err(Error::io(&self.folder, "syncing"))
        };
        apply()?;
        // Without this, sled frees memory late: it takes 20 times as much after a million changes.
        let guard = crossbeam_epoch::pin();
        for _ in 0..16 {
            guard.flush();
        }
        Ok(())
    }

    fn is_view(&self) -> Error {
        Error::Store { path: self.folder.clone(), problem: "opened for reading only".into() }
    }
}

/// Syncs those parts of a new catalog that sled does not sync: its configuration and the names of its files. Returns the open database
/// file.
fn sync_new(folder: &Path) -> std::io::Result<File> {
    File::open(folder.join("conf"))?.sync_all()?;
    disk::sync_folder(folder)?;
    disk::sync_name(folder)?;
    File::open(folder.join("db"))
}

/// Makes sled write all that it was given. When a thread of sled fails, the thread that waits for it can sleep for ever; a second flush
/// finds the failure and wakes the sleeping thread.
fn flush(db: &sled::Db) -> Result<(), sled::Error> {
    const ASKED_AGAIN: Duration = Duration::from_secs(1);
    // The thread does little, and must start even when hardly any memory is left.
    const STACK_BYTES: usize = 256 << 10;
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        let ask = move || {
            while is_done.recv_timeout(ASKED_AGAIN) == Err(RecvTimeoutError::Timeout) {
                let _ = db.flush();
            }
        };
        // If this thread cannot be started, flushing is as safe as with sled alone.
        let _ = std::thread::Builder::new().name("flush".into()).stack_size(STACK_BYTES).spawn_scoped(scope, ask);
        let outcome = db.flush();
        drop(done);
        outcome.map(drop)
    })
}

fn open_once(folder: &Path) -> Result<sled::Db, OpenFailure> {
    remove_half_snapshots(folder);
    let config =
        sled::Config::new().path(folder).cache_capacity(CACHE_BYTES).mode(sled::Mode::LowSpace).flush_every_ms(None);
    // sled panics on some damage.
    match sheltered(|| config.open()) {
        Some(Ok(db)) => Ok(db),
        Some(Err(sled::Error::Io(error))) => {
            let text = error.to_string();
            if text.contains("could not acquire lock") {
                Err(OpenFailure::Locked)
            } else {
                use ErrorKind::{InvalidData, Other, UnexpectedEof};
                let is_of_content = matches!(error.kind(), Other | InvalidData | UnexpectedEof);
                let source = of_the_system(error);
                if is_of_content && !disk::is_shortage(&source) {
                    Err(OpenFailure::Damaged(text))
                } else {
                    let path = folder.to_owned();
                    Err(OpenFailure::Environment(Error::Io { path, action: "opening the catalog", source }))
                }
            }
        }
        Some(Err(error)) => Err(OpenFailure::Damaged(error.to_string())),
        None => Err(OpenFailure::Damaged("sled could not read its files".into())),
    }
}

/// Removes snapshots that sled was writing when the program stopped: sled fails on them, and needs none.
fn remove_half_snapshots(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(".generating") {
            // A snapshot that cannot be removed gives an error when the catalog is opened.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The error of the system that sled passes on as debug text (`Os { code: 28, … }`), in a form for people.
fn of_the_system(error: std::io::Error) -> std::io::Error {
    let text = error.to_string();
    let code = text.strip_prefix("Os { code: ").and_then(|rest| rest.split(',').next()?.parse().ok());
    code.map_or(error, std::io::Error::from_raw_os_error)
}

#[cfg(test)]
mod tests {
    use super::super::faults;
    use super::*;

    fn open(folder: &Path) -> Option<Catalog> {
        match Catalog::open(folder, Duration::from_secs(5)) {
            Ok(catalog) => Some(catalog),
            Err(OpenFailure::Damaged(_)) => None,
            Err(_) => panic!("nobody else holds it"),
        }
    }

    #[test]
    fn a_panic_beside_an_open_catalog_is_a_panic_and_no_more() {
        let outcome = std::panic::catch_unwind(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let _catalog = open(folder.path()).expect("a new catalog opens");
            std::hint::black_box([0u8; 1])[std::hint::black_box(1)]
        });
        assert!(outcome.is_err());
    }

    #[test]
    fn long_values_are_durable_and_one_that_is_cut_is_never_taken_for_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let blobs = folder.path().join("blobs");
        let catalog = open(folder.path()).expect("a new one");
        let mut changes = Changes::default();
        changes.put_bytes(Keyspace::Site, &[0; 4], &vec![7; 1 << 20]);
        let is_synced = (0..20).any(|nth| {
            faults::plan(folder.path(), nth, faults::Failure::Broken);
            let _ = catalog.apply(&changes);
            let failed = faults::end(folder.path()).1;
            failed.is_some_and(|(step, path)| step == disk::Step::Sync && path.parent() == Some(&blobs))
        });
        assert!(is_synced);
        catalog.apply(&changes).expect("room on disk");
        drop(catalog);
        let files = || fs::read_dir(&blobs).expect("a folder").flatten().map(|entry| entry.path());
        assert!(files().count() > 0, "sled keeps it elsewhere");
        let db = File::open(folder.path().join("db")).expect("it was written");
        db.lock().expect("sled lets go of it");
        for path in files() {
            File::options().write(true).open(path).and_then(|file| file.set_len(10)).expect("it is ours");
        }
        db.unlock().expect("it is held");
        let catalog = open(folder.path()).expect("its own file is whole");
        // The catalog is as before the commit, which the sentinel would show, or it is damaged.
        match catalog.at_or_before(Keyspace::Site, &[0; 4]) {
            Ok(found) => assert_eq!(found, None),
            Err(error) => assert!(error.to_string().contains("delete this folder and run again"), "{error}"),
        }
    }

    #[test]
    fn damage_that_shows_late_says_what_to_do() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut noise = 1u64;
        for part in 0..20u32 {
            let catalog = open(folder.path()).expect("nothing is damaged yet");
            let mut changes = Changes::default();
            for number in 0..200 {
                noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                changes.put_bytes(
                    Keyspace::Site,
                    &(part * 200 + number).to_be_bytes(),
                    &noise.to_le_bytes().repeat(60),
                );
            }
            catalog.apply(&changes).expect("room on disk");
        }
        // sled lets go of its files a moment after it is dropped.
        let db = std::fs::File::open(folder.path().join("db")).expect("it was written");
        db.lock().expect("sled lets go of it");
        let sound = std::fs::read(folder.path().join("db")).expect("it was written");
        let mut told = 0;
        for at in (0..sound.len()).step_by(sound.len() / 25) {
            let damaged = tempfile::tempdir().expect("a temporary folder");
            for entry in
                std::fs::read_dir(folder.path()).expect("a folder").flatten().filter(|entry| entry.path().is_file())
            {
                std::fs::copy(entry.path(), damaged.path().join(entry.file_name())).expect("room on disk");
            }
            let mut bytes = sound.clone();
            let end = bytes.len().min(at + 64);
            bytes[at..end].fill(0);
            std::fs::write(damaged.path().join("db"), bytes).expect("room on disk");
            let Some(catalog) = open(damaged.path()) else { continue };
            let value = |number: u32| catalog.at_or_before(Keyspace::Site, &number.to_be_bytes());
            let values = (0..4000u32).map(|number| Ok(value(number)?.filter(|(key, _)| *key == number.to_be_bytes())));
            match values.collect::<Result<Vec<_>>>() {
                // The catalog is of an earlier commit, which the sentinel would show.
                Ok(values) => {
                    let there = values.iter().take_while(|value| value.is_some()).count();
                    assert!(there % 200 == 0 && values.iter().flatten().count() == there, "byte {at}: {there}");
                }
                Err(error) => {
                    assert!(error.to_string().contains("delete this folder"), "{error}");
                    told += 1;
                }
            }
        }
        assert!(told > 0, "damage is met while reading");
    }
}
