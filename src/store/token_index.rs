//! Where the token index is kept: blocks by the hash of their first token, in a tree of sled, which can change them in place.
//!
//! Runs and queries for a token use the index, and it can be made again from the page tables. So it is believed only where its *mark* is
//! the one that the catalog has: a hash of the commit that changed it last, which sled takes together with the blocks, all or none. Where
//! sled has lost some of it or kept an older state, the marks differ; the index is then emptied, and [`crate::upkeep`] fills it again.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use sled::IVec;

use super::access::{PATIENCE, in_use};
use super::disk;
use crate::error::{Error, Result};
use crate::panics::sheltered;

/// The folder of the token index in a store.
pub const FOLDER: &str = "tokens";
/// The folder of a copy that is being made.
pub const FRESH: &str = "tokens.new";
/// How much memory sled may use as its cache.
const CACHE_BYTES: u64 = 64 << 20;
/// How long to wait before trying again to open an index that another process holds: sled releases its files a moment after it is closed.
const POLL: Duration = Duration::from_millis(20);
/// The key of the mark; the keys of blocks are another letter and 8 bytes. The second byte of this key is the version of what the index
/// keeps of a URL ([`crate::keys::sides`]): an index of another version has no entry under it.
const MARK: &[u8] = b"m1";
const BLOCK: u8 = b't';
/// How many blocks are copied at once. sled keeps what a large batch replaces for a long time.
const BATCH: usize = 5000;

/// The open token index.
pub struct TokenIndex {
    folder: PathBuf,
    /// Closing sled writes once more, and sled panics when the disk does not take that.
    db: Option<sled::Db>,
    /// A damaged index is removed when it is closed, so that the next run makes it again.
    is_damaged: AtomicBool,
}

impl Drop for TokenIndex {
    fn drop(&mut self) {
        let db = self.db.take();
        // Everything committed has been flushed before.
        let _ = sheltered(|| drop(db));
        if *self.is_damaged.get_mut() {
            // An index that cannot be removed now is found damaged again the next time.
            let _ = remove(&self.folder);
        }
    }
}

/// Why an index could not be opened.
enum OpenFailure {
    Locked,
    /// Its files are damaged, as this says.
    Damaged(String),
    Environment(Error),
}

impl TokenIndex {
    /// Opens the index of a store, and empties it if its mark is another one.
    ///
    /// # Errors
    /// When another process holds it, or the disk does not take it.
    pub fn open(store: &Path, mark: u64) -> Result<TokenIndex> {
        remove(&store.join(FRESH))?;
        match open_patiently(&store.join(FOLDER)) {
            Ok(index) => {
                if index.ask(|| index.fits(mark))?.is_ok_and(|fits| fits) {
                    return Ok(index);
                }
            }
            Err(OpenFailure::Damaged(_)) => {}
            Err(OpenFailure::Locked) => return Err(in_use(store)),
            Err(OpenFailure::Environment(error)) => return Err(error),
        }
        // The index that did not fit is closed by now.
        TokenIndex::empty(store)
    }

    /// Makes an empty index in place of the one that a store has.
    ///
    /// # Errors
    /// As [`TokenIndex::open`].
    pub fn empty(store: &Path) -> Result<TokenIndex> {
        let folder = store.join(FOLDER);
        remove(&folder)?;
        open_patiently(&folder).map_err(|failure| match failure {
            OpenFailure::Locked => in_use(store),
            OpenFailure::Environment(error) => error,
            OpenFailure::Damaged(why) => damaged(&folder, &why),
        })
    }

    /// Opens the index of a store for a query, if it is there and has this mark. Otherwise returns in `Err` the reason why it cannot be
    /// asked.
    ///
    /// # Errors
    /// When file handles or memory run out.
    pub fn there(store: &Path, mark: u64) -> Result<Result<TokenIndex, String>> {
        let folder = store.join(FOLDER);
        // sled would make a new database here.
        if !folder.join("db").exists() {
            return Ok(Err("is missing; the next run makes it again".into()));
        }
        match open_once(&folder) {
            Ok(index) => Ok(match index.ask(|| index.fits(mark))? {
                Ok(true) => Ok(index),
                Ok(false) => Err("is of another state of the store; the next run makes it again".into()),
                Err(_) => Err("cannot be read; the next run makes it again".into()),
            }),
            Err(OpenFailure::Damaged(why)) => Ok(Err(format!("cannot be opened ({why}); the next run makes it again"))),
            Err(OpenFailure::Locked) => Ok(Err(in_use(store).reason())),
            Err(OpenFailure::Environment(error)) => match &error {
                Error::Io { source, .. } if disk::is_shortage(source) => Err(error),
                _ => Ok(Err(error.reason())),
            },
        }
    }

    /// Reads something from the index, where sled may panic on damage. Returns the error in the inner `Err` where it cannot be read.
    ///
    /// # Errors
    /// When file handles or memory run out.
    pub fn ask<T>(&self, question: impl FnOnce() -> Result<T>) -> Result<Result<T>> {
        match sheltered(question) {
            Some(Err(Error::Io { source, path, action })) if disk::is_shortage(&source) => {
                Err(Error::Io { source, path, action })
            }
            Some(answer) => Ok(answer),
            None => Ok(Err(damaged(&self.folder, "sled could not read its files"))),
        }
    }

    /// Does the same for the process that writes: an index that turns out to be damaged is removed when it is closed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn ask_to_write<T>(&self, question: impl FnOnce() -> Result<T>) -> Result<T> {
        let answer = self.ask(question)?;
        if matches!(answer, Err(Error::Store { .. })) {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
        answer
    }

    /// The mark of the commit that changed the index last; 0 for an empty one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn mark(&self) -> Result<u64> {
        let found = self.db().get(MARK).map_err(|error| self.failed(error))?;
        Ok(found.and_then(|bytes| bytes.as_ref().try_into().ok()).map_or(0, u64::from_le_bytes))
    }

    /// True when it has a mark; one without a mark must be empty, too.
    fn fits(&self, mark: u64) -> Result<bool> {
        Ok(self.mark()? == mark && (mark != 0 || self.at_or_before(u64::MAX)?.is_none()))
    }

    /// The last block whose key is not above a hash, with its key.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn at_or_before(&self, hash: u64) -> Result<Option<(u64, IVec)>> {
        let entry = self.db().range(key(0)..=key(hash)).next_back().transpose().map_err(|error| self.failed(error))?;
        Ok(entry.map(|(key, block)| (hash_of(&key), block)))
    }

    /// The first key of a block above a hash.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn after(&self, hash: u64) -> Result<Option<u64>> {
        let Some(after) = hash.checked_add(1) else { return Ok(None) };
        let entry = self.db().range(key(after)..=key(u64::MAX)).next().transpose();
        Ok(entry.map_err(|error| self.failed(error))?.map(|(key, _)| hash_of(&key)))
    }

    /// All blocks, by key.
    pub fn blocks(&self) -> impl Iterator<Item = Result<(u64, IVec)>> {
        let entries = self.db().range(key(0)..=key(u64::MAX));
        entries.map(|entry| entry.map(|(key, block)| (hash_of(&key), block)).map_err(|error| self.failed(error)))
    }

    /// Sets blocks, and the mark of the commit that does so: all or nothing. A process that is killed later does not undo it.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn apply(&self, blocks: &BTreeMap<u64, Vec<u8>>, mark: u64) -> Result<()> {
        let mut batch = sled::Batch::default();
        blocks.iter().for_each(|(&hash, block)| batch.insert(&key(hash), block.as_slice()));
        batch.insert(MARK, &mark.to_le_bytes());
        disk::before(disk::Step::Write, &self.folder).map_err(Error::io(&self.folder, "writing"))?;
        self.db().apply_batch(batch).map_err(|error| self.failed(error))?;
        flush(self.db()).map_err(|error| self.failed(error))?;
        // Without this, sled frees memory late: it takes 20 times as much after a million changes.
        let guard = crossbeam_epoch::pin();
        (0..16).for_each(|_| guard.flush());
        Ok(())
    }

    /// Copies the index, since sled keeps replaced and removed values for a long time.
    ///
    /// # Errors
    /// When the disk does not take it. Where the index is then missing, a run makes it again.
    pub fn compact(self, store: &Path) -> Result<TokenIndex> {
        let (folder, fresh) = (store.join(FOLDER), store.join(FRESH));
        remove(&fresh)?;
        let copy = open_patiently(&fresh).map_err(|_| damaged(&fresh, "a new one cannot be made"))?;
        let mark = self.ask_to_write(|| {
            let (mark, mut blocks) = (self.mark()?, BTreeMap::new());
            for block in self.blocks() {
                let (hash, block) = block?;
                blocks.insert(hash, block.to_vec());
                if blocks.len() >= BATCH {
                    copy.apply(&std::mem::take(&mut blocks), 0)?;
                }
            }
            copy.apply(&blocks, mark)?;
            Ok(mark)
        })?;
        drop((self, copy));
        remove(&folder)?;
        disk::rename(&fresh, &folder).map_err(Error::io(&folder, "renaming"))?;
        TokenIndex::open(store, mark)
    }

    /// The error of a block that makes no sense.
    pub fn senseless(&self) -> Error {
        damaged(&self.folder, "a value")
    }

    fn db(&self) -> &sled::Db {
        self.db.as_ref().expect("it is there until it is dropped")
    }

    fn failed(&self, error: sled::Error) -> Error {
        match error {
            // sled keeps a long value in a file of its own, and only a part of that file reached the disk.
            sled::Error::Io(source) if matches!(source.kind(), ErrorKind::UnexpectedEof | ErrorKind::NotFound) => {
                self.senseless()
            }
            sled::Error::Io(source) => Error::Io {
                path: self.folder.clone(),
                action: "accessing the token index",
                source: of_the_system(source),
            },
            other => damaged(&self.folder, &other.to_string()),
        }
    }
}

fn damaged(folder: &Path, what: &str) -> Error {
    let problem = format!(
        "the token index is damaged ({what}); give the command again, and if that does not help, delete this folder: a run makes it anew"
    );
    Error::Store { path: folder.to_owned(), problem }
}

fn key(hash: u64) -> [u8; 9] {
    let mut key = [BLOCK; 9];
    key[1..].copy_from_slice(&hash.to_be_bytes());
    key
}

fn hash_of(key: &[u8]) -> u64 {
    key.last_chunk().map_or(0, |hash| u64::from_be_bytes(*hash))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(folder, "removing the token index")(error)),
        _ => Ok(()),
    }
}

/// Opens the index for the process that writes.
fn open_patiently(folder: &Path) -> Result<TokenIndex, OpenFailure> {
    let since = Instant::now();
    loop {
        // Queries do not do this: the snapshot may be one that another query is writing.
        remove_half_snapshots(folder);
        match open_once(folder) {
            Err(OpenFailure::Locked) if since.elapsed() < PATIENCE => std::thread::sleep(POLL),
            opened => return opened,
        }
    }
}

fn open_once(folder: &Path) -> Result<TokenIndex, OpenFailure> {
    let config =
        sled::Config::new().path(folder).cache_capacity(CACHE_BYTES).mode(sled::Mode::LowSpace).flush_every_ms(None);
    // sled panics on some damage.
    match sheltered(|| config.open()) {
        Some(Ok(db)) => Ok(TokenIndex { folder: folder.to_owned(), db: Some(db), is_damaged: AtomicBool::new(false) }),
        Some(Err(sled::Error::Io(error))) if error.to_string().contains("could not acquire lock") => {
            Err(OpenFailure::Locked)
        }
        Some(Err(sled::Error::Io(error))) => {
            use ErrorKind::{InvalidData, Other, UnexpectedEof};
            let is_of_content = matches!(error.kind(), Other | InvalidData | UnexpectedEof);
            let (text, source) = (error.to_string(), of_the_system(error));
            Err(if is_of_content && !disk::is_shortage(&source) {
                OpenFailure::Damaged(text)
            } else {
                OpenFailure::Environment(Error::Io {
                    path: folder.to_owned(),
                    action: "opening the token index",
                    source,
                })
            })
        }
        Some(Err(error)) => Err(OpenFailure::Damaged(error.to_string())),
        None => Err(OpenFailure::Damaged("sled could not read its files".into())),
    }
}

/// Removes snapshots that sled was writing when the program stopped: sled fails on them, and needs none.
fn remove_half_snapshots(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(".generating") {
            // A snapshot that cannot be removed gives an error when the index is opened.
            let _ = fs::remove_file(entry.path());
        }
    }
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

/// The error of the system that sled passes on as debug text (`Os { code: 28, … }`), in a form for people.
fn of_the_system(error: std::io::Error) -> std::io::Error {
    let text = error.to_string();
    let code = text.strip_prefix("Os { code: ").and_then(|rest| rest.split(',').next()?.parse().ok());
    code.map_or(error, std::io::Error::from_raw_os_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Blocks = BTreeMap<u64, Vec<u8>>;

    fn read(index: &TokenIndex) -> Result<Blocks> {
        index.blocks().map(|block| block.map(|(hash, block)| (hash, block.to_vec()))).collect()
    }

    #[test]
    fn an_index_is_as_its_last_commit_left_it_or_empty() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = |mark| TokenIndex::open(folder.path(), mark).expect("nobody else has it");
        let blocks: Blocks = [(0, vec![1; 5000]), (u64::MAX, vec![2]), (7, vec![3; 200_000])].into();
        open(0).apply(&blocks, 5).expect("room on disk");
        assert!(TokenIndex::there(folder.path(), 6).expect("handles").is_err_and(|why| why.contains("another state")));
        let index = TokenIndex::there(folder.path(), 5).expect("handles").expect("it is of this commit");
        assert_eq!(read(&index).expect("sound"), blocks);
        let found = |hash| index.at_or_before(hash).expect("sound").map(|(hash, _)| hash);
        assert_eq!([6, 7, u64::MAX].map(found), [Some(0), Some(7), Some(u64::MAX)]);
        assert_eq!([0, 7, u64::MAX].map(|hash| index.after(hash).expect("sound")), [Some(7), Some(u64::MAX), None]);
        drop(index);
        let index = open(5).compact(folder.path()).expect("room on disk");
        assert_eq!((read(&index).expect("sound"), index.mark().expect("sound")), (blocks, 5));
        drop(index);
        assert_eq!(read(&open(6)).expect("sound"), Blocks::new(), "it is of another commit");
        assert_eq!(open(0).mark().expect("sound"), 0);
    }

    #[test]
    fn an_index_that_keeps_other_texts_is_emptied() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let index = TokenIndex::open(folder.path(), 0).expect("nobody else has it");
        index.apply(&[(0, vec![1])].into(), 0).expect("room on disk");
        index.db().insert(b"m", &5u64.to_le_bytes()).expect("room on disk");
        drop(index);
        for mark in [5, 0] {
            let index = TokenIndex::open(folder.path(), mark).expect("nobody else has it");
            assert!(read(&index).expect("sound").is_empty());
            index.apply(&[(0, vec![1])].into(), 0).expect("room on disk");
        }
    }

    #[test]
    fn a_panic_beside_an_open_index_is_a_panic_and_no_more() {
        let outcome = std::panic::catch_unwind(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let _index = TokenIndex::open(folder.path(), 0).expect("a new one opens");
            std::hint::black_box([0u8; 1])[std::hint::black_box(1)]
        });
        assert!(outcome.is_err());
    }

    #[test]
    fn what_is_damaged_is_told_or_emptied_and_never_taken_for_whole() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut noise = 1u64;
        let mut blocks = Blocks::new();
        for part in 0..20u64 {
            let index = TokenIndex::open(folder.path(), part).expect("nothing is damaged yet");
            let mut changed = Blocks::new();
            for number in 0..200 {
                noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                changed.insert(part * 200 + number, noise.to_le_bytes().repeat(60));
            }
            index.apply(&changed, part + 1).expect("room on disk");
            blocks.append(&mut changed);
        }
        // sled lets go of its files a moment after it is dropped.
        let of_sled = folder.path().join(FOLDER);
        let db = fs::File::open(of_sled.join("db")).expect("it was written");
        db.lock().expect("sled lets go of it");
        let sound = fs::read(of_sled.join("db")).expect("it was written");
        let harms: [fn(&mut Vec<u8>, usize); 2] = [
            |bytes, at| {
                let end = bytes.len().min(at + 64);
                bytes[at..end].fill(0);
            },
            |bytes, at| bytes.truncate(at),
        ];
        let (mut told, mut emptied, mut whole) = (0, 0, 0);
        for (at, harm) in (0..sound.len()).step_by(sound.len() / 25).flat_map(|at| harms.map(|harm| (at, harm))) {
            let store = tempfile::tempdir().expect("a temporary folder");
            let lay = || {
                let damaged = store.path().join(FOLDER);
                let _ = fs::remove_dir_all(&damaged);
                fs::create_dir(&damaged).expect("room on disk");
                for entry in fs::read_dir(&of_sled).expect("a folder").flatten().filter(|entry| entry.path().is_file())
                {
                    fs::copy(entry.path(), damaged.join(entry.file_name())).expect("room on disk");
                }
                let mut bytes = sound.clone();
                harm(&mut bytes, at);
                fs::write(damaged.join("db"), bytes).expect("room on disk");
            };
            let ask = |index: &TokenIndex| index.ask(|| read(index)).expect("handles");
            lay();
            if let Ok(index) = TokenIndex::there(store.path(), 20).expect("what is damaged is told") {
                assert!(ask(&index).map_or(true, |found| found == blocks), "byte {at}");
            }
            lay();
            let index = TokenIndex::open(store.path(), 20).expect("what is damaged is made anew");
            match ask(&index) {
                Ok(found) if found.is_empty() => emptied += 1,
                Ok(found) => {
                    assert!(found == blocks, "byte {at}: {} blocks", found.len());
                    whole += 1;
                }
                Err(error) => {
                    assert!(error.to_string().contains("delete this folder"), "{error}");
                    told += 1;
                    index.ask_to_write(|| read(&index)).expect_err("it is damaged");
                    drop(index);
                    let again = TokenIndex::open(store.path(), 20).expect("it is removed");
                    assert_eq!(ask(&again).expect("it is empty"), Blocks::new(), "byte {at}");
                }
            }
        }
        assert!(told > 0 && emptied > 0 && whole > 0, "{told} told, {emptied} emptied, {whole} whole");
    }
}
