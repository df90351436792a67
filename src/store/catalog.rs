//! The catalog: one sled tree of small values, by keyspace and key. Everything in it can be made again from the record files.
//!
//! One tree, not one a keyspace: a batch of sled is atomic within a tree, and a commit must be.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rkyv::api::high::{HighDeserializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor;
use rkyv::util::AlignedVec;
use rkyv::{Archive, Deserialize};

use super::access::Access;
use super::records::Stored;
use crate::error::{Error, Result};

/// What a key is of: its first byte.
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
    /// Token → sites, in blocks by the first token's hash.
    Token = b't',
    /// URLs that were requested of a crawler, by registrable domain and URL.
    Requested = b'q',
    /// Graphs of sites, by what a site is in them.
    Web = b'w',
    /// Rounds of exploring, by number.
    Round = b'x',
}

impl Keyspace {
    fn key(self, key: &[u8]) -> Vec<u8> {
        let mut full = Vec::with_capacity(key.len() + 1);
        full.push(self as u8);
        full.extend_from_slice(key);
        full
    }
}

/// Changes that become visible together.
#[derive(Default)]
pub struct Changes {
    batch: sled::Batch,
    count: usize,
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
        self.batch.insert(keyspace.key(key), value);
        self.count += 1;
    }

    /// Takes a value away.
    pub fn remove(&mut self, keyspace: Keyspace, key: &[u8]) {
        self.batch.remove(keyspace.key(key));
        self.count += 1;
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The open catalog.
pub struct Catalog {
    folder: PathBuf,
    turn: Arc<Turn>,
}

/// Why a catalog could not be opened.
pub enum OpenFailure {
    /// Another process holds it.
    Locked,
    /// Its files are damaged.
    Damaged(String),
    /// The environment (disk full, no permission).
    Environment(Error),
}

/// What sled may keep in memory.
const CACHE_BYTES: u64 = 64 << 20;

impl Catalog {
    /// Opens or makes the catalog in `folder`. Damage that makes sled panic is caught. Readers take turns: sled itself lets
    /// in one process at a time.
    ///
    /// # Errors
    /// [`OpenFailure`]. A writer waits up to `patience` for another process to let go of it.
    pub fn open(folder: &Path, access: Access, patience: Duration) -> Result<Catalog, OpenFailure> {
        let patience = if access == Access::Read { TURN_PATIENCE } else { patience };
        let held = open_patiently(folder, patience)?;
        let turn = Arc::new(Turn { held: Mutex::new(Some(held)) });
        if access == Access::Read {
            let turn = Arc::downgrade(&turn);
            std::thread::spawn(move || {
                // Ends with the catalog.
                while let Some(turn) = turn.upgrade() {
                    turn.end_if_over();
                    drop(turn);
                    std::thread::sleep(POLL);
                }
            });
        }
        Ok(Catalog { folder: folder.to_owned(), turn })
    }

    /// sled, opened again where another process had its turn.
    fn db(&self) -> Result<Arc<sled::Db>> {
        self.turn.db(&self.folder).map_err(|failure| match failure {
            OpenFailure::Environment(error) => error,
            OpenFailure::Locked => {
                Error::Store { path: self.folder.clone(), problem: "in use by another process; try again".into() }
            }
            OpenFailure::Damaged(why) => {
                Error::Store { path: self.folder.clone(), problem: format!("cannot be opened again: {why}") }
            }
        })
    }

    fn failed(&self, action: &str, error: sled::Error) -> Error {
        match error {
            sled::Error::Io(source) => {
                Error::Io { path: self.folder.clone(), action: "accessing the catalog", source: of_the_system(source) }
            }
            sled::Error::Corruption { .. } => Error::Store {
                path: self.folder.clone(),
                problem: "the catalog is damaged; delete this folder and run again with the same inputs".into(),
            },
            other => {
                Error::Store { path: self.folder.clone(), problem: format!("{action} the catalog failed: {other}") }
            }
        }
    }

    /// A value, if it is there.
    ///
    /// # Errors
    /// When the catalog cannot be read or the value is damaged.
    pub fn get<T>(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<T>>
    where
        T: Archive,
        T::Archived:
            for<'a> CheckBytes<HighValidator<'a, rancor::Error>> + Deserialize<T, HighDeserializer<rancor::Error>>,
    {
        self.get_bytes(keyspace, key)?.map(|bytes| self.decode(&bytes)).transpose()
    }

    /// A value as bytes.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn get_bytes(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<sled::IVec>> {
        self.db()?.get(keyspace.key(key)).map_err(|error| self.failed("reading", error))
    }

    fn decode<T>(&self, bytes: &[u8]) -> Result<T>
    where
        T: Archive,
        T::Archived:
            for<'a> CheckBytes<HighValidator<'a, rancor::Error>> + Deserialize<T, HighDeserializer<rancor::Error>>,
    {
        // sled does not align values.
        let mut aligned = AlignedVec::<16>::with_capacity(bytes.len());
        aligned.extend_from_slice(bytes);
        rkyv::from_bytes::<T, rancor::Error>(&aligned).map_err(|error| Error::Store {
            path: self.folder.clone(),
            problem: format!("a value is damaged ({error}); delete this folder and run again with the same inputs"),
        })
    }

    /// Calls `each` with the key and value of every entry of a keyspace, in order of the key.
    ///
    /// # Errors
    /// When the catalog cannot be read, or what `each` returns.
    pub fn for_each<T>(&self, keyspace: Keyspace, mut each: impl FnMut(&[u8], T) -> Result<()>) -> Result<()>
    where
        T: Archive,
        T::Archived:
            for<'a> CheckBytes<HighValidator<'a, rancor::Error>> + Deserialize<T, HighDeserializer<rancor::Error>>,
    {
        for entry in self.db()?.scan_prefix([keyspace as u8]) {
            let (key, value) = entry.map_err(|error| self.failed("reading", error))?;
            each(&key[1..], self.decode(&value)?)?;
        }
        Ok(())
    }

    /// As [`Catalog::for_each`], of the entries whose key begins with `prefix`.
    ///
    /// # Errors
    /// As there.
    pub fn for_each_below<T>(
        &self,
        keyspace: Keyspace,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], T) -> Result<()>,
    ) -> Result<()>
    where
        T: Archive,
        T::Archived:
            for<'a> CheckBytes<HighValidator<'a, rancor::Error>> + Deserialize<T, HighDeserializer<rancor::Error>>,
    {
        for entry in self.db()?.scan_prefix(keyspace.key(prefix)) {
            let (key, value) = entry.map_err(|error| self.failed("reading", error))?;
            each(&key[1 + prefix.len()..], self.decode(&value)?)?;
        }
        Ok(())
    }

    /// The keys of a keyspace, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn keys(&self, keyspace: Keyspace) -> Result<Vec<Vec<u8>>> {
        let keys = self.db()?.scan_prefix([keyspace as u8]).keys();
        keys.map(|key| Ok(key.map_err(|error| self.failed("reading", error))?[1..].to_vec())).collect()
    }

    /// The last entry of a keyspace at or before `key`, as bytes.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn at_or_before(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<(Vec<u8>, sled::IVec)>> {
        let range = keyspace.key(&[])..=keyspace.key(key);
        let entry = self.db()?.range(range).next_back().transpose().map_err(|error| self.failed("reading", error))?;
        Ok(entry.map(|(key, value)| (key[1..].to_vec(), value)))
    }

    /// The first key of a keyspace at or after `key`.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn after(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let range = keyspace.key(key)..vec![keyspace as u8 + 1];
        let entry = self.db()?.range(range).next().transpose().map_err(|error| self.failed("reading", error))?;
        Ok(entry.map(|(key, _)| key[1..].to_vec()))
    }

    /// Makes changes durable, all or none.
    ///
    /// # Errors
    /// When the disk does not take them.
    pub fn apply(&self, changes: Changes) -> Result<()> {
        let db = self.db()?;
        db.apply_batch(changes.batch).map_err(|error| self.failed("writing", error))?;
        db.flush().map_err(|error| self.failed("writing", error))?;
        // sled frees memory late otherwise: 20 times as much after a million changes.
        let guard = crossbeam_epoch::pin();
        for _ in 0..16 {
            guard.flush();
        }
        Ok(())
    }
}

/// How often a process looks whether it is its turn, or whether its turn is over.
const POLL: Duration = Duration::from_millis(20);
/// How long a turn is, at the least; ten times as long as opening took, where that is more.
const TURN: Duration = Duration::from_millis(500);
/// A turn ends when nothing was asked for so long: the user reads, or the next program in the pipe is slow.
const IDLE: Duration = Duration::from_millis(100);
/// How long a reader waits for its turn.
const TURN_PATIENCE: Duration = Duration::from_secs(60);

/// This process's turn with the catalog. What readers hold is sled's lock, for half a second or until they are idle; that
/// nobody writes meanwhile, the store's own lock sees to.
struct Turn {
    held: Mutex<Option<Held>>,
}

struct Held {
    db: Arc<sled::Db>,
    since: Instant,
    used: Instant,
    length: Duration,
}

impl Turn {
    fn lock(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn db(&self, folder: &Path) -> Result<Arc<sled::Db>, OpenFailure> {
        let mut held = self.lock();
        if held.is_none() {
            *held = Some(open_patiently(folder, TURN_PATIENCE)?);
        }
        let held = held.as_mut().expect("it was opened above");
        held.used = Instant::now();
        Ok(held.db.clone())
    }

    fn end_if_over(&self) {
        let mut held = self.lock();
        let is_over = held.as_ref().is_some_and(|held| {
            let idle = held.used.elapsed() > IDLE;
            // Nobody in this process is at it: sled lets go when the last handle is dropped.
            (idle || held.since.elapsed() > held.length) && Arc::strong_count(&held.db) == 1
        });
        if is_over {
            *held = None;
            // Held on to while the others look.
            std::thread::sleep(2 * POLL);
        }
    }
}

fn open_patiently(folder: &Path, patience: Duration) -> Result<Held, OpenFailure> {
    let since = Instant::now();
    loop {
        let began = Instant::now();
        match open_once(folder) {
            Err(OpenFailure::Locked) if since.elapsed() < patience => std::thread::sleep(POLL),
            Ok(db) => {
                let (now, length) = (Instant::now(), TURN.max(10 * began.elapsed()));
                return Ok(Held { db: Arc::new(db), since: now, used: now, length });
            }
            Err(failure) => return Err(failure),
        }
    }
}

fn open_once(folder: &Path) -> Result<sled::Db, OpenFailure> {
    let config =
        sled::Config::new().path(folder).cache_capacity(CACHE_BYTES).mode(sled::Mode::LowSpace).flush_every_ms(None);
    let opened = quietly(|| catch_unwind(AssertUnwindSafe(|| config.open())));
    match opened {
        Ok(Ok(db)) => Ok(db),
        Ok(Err(sled::Error::Io(error))) => {
            let text = error.to_string();
            if text.contains("could not acquire lock") {
                Err(OpenFailure::Locked)
            } else if error.kind() == std::io::ErrorKind::Other
                || error.kind() == std::io::ErrorKind::InvalidData
                || error.kind() == std::io::ErrorKind::UnexpectedEof
            {
                Err(OpenFailure::Damaged(text))
            } else {
                Err(OpenFailure::Environment(Error::Io {
                    path: folder.to_owned(),
                    action: "opening the catalog",
                    source: of_the_system(error),
                }))
            }
        }
        Ok(Err(error)) => Err(OpenFailure::Damaged(error.to_string())),
        Err(_) => Err(OpenFailure::Damaged("sled could not read its files".into())),
    }
}

/// The system's error that sled hands on as debug text (`Os { code: 28, … }`), for a person to read.
fn of_the_system(error: std::io::Error) -> std::io::Error {
    let text = error.to_string();
    let code = text.strip_prefix("Os { code: ").and_then(|rest| rest.split(',').next()?.parse().ok());
    code.map_or(error, std::io::Error::from_raw_os_error)
}

/// Runs `work` without a panic's message: sled panics on damage, which is expected here and told in our own words.
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = work();
    std::panic::set_hook(hook);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> Option<Catalog> {
        match Catalog::open(folder, Access::Write, Duration::from_secs(5)) {
            Ok(catalog) => Some(catalog),
            Err(OpenFailure::Damaged(_)) => None,
            Err(_) => panic!("nobody else holds it"),
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
            catalog.apply(changes).expect("room on disk");
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
            let values = (0..4000u32).map(|number| catalog.get_bytes(Keyspace::Site, &number.to_be_bytes()));
            match values.collect::<Result<Vec<_>>>() {
                // Of an earlier commit, which the sentinel would tell.
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
