//! A run: some of a view's entries in a file, sorted by key, in packed and checksummed blocks. It is written once.
//!
//! docs/format.md describes the bytes. The index of the blocks holds the checksum of each block, so the checksum of the index, which the
//! manifest has, stands for the whole file. A block is copied and then checked, so that later changes of the file do not affect what was
//! read. The index stays in memory; readers also keep the blocks in which they have looked up a key, and the process that writes, whose memory
//! is limited, the last of them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rkyv::util::AlignedVec;

use crate::error::{Error, Result};
use crate::files;
use crate::index::numbers;
use crate::store::access::not_opened;
use crate::store::disk;
use crate::store::format::FORMAT_VERSION;
use crate::store::kept_blocks::{self, KeptBlocks};
use crate::store::packing::{pack, unpack};
use crate::store::seen::Seen;
use crate::store::segments::read_at;

/// First bytes of a run.
const MAGIC: [u8; 8] = *b"DIGLOTVW";
/// The ending of a run that is being written.
pub const FRESH: &str = "new";
/// Bytes of a run's header.
const HEADER: usize = 64;
/// Bytes at the end of a run.
const TRAILER: usize = 16;
/// A block of this length, before it is packed, takes no more entries.
const BLOCK_BYTES: usize = 8192;
/// Bytes of a row of the index, without the first key of its block.
const INDEX_ROW: usize = 24;

/// The name of a run in the manifest: its number, and the checksum of its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RunName {
    /// Its number, which is also the name of its file.
    pub number: u64,
    /// CRC-32C of its index.
    pub crc: u32,
    /// Length of its file.
    pub bytes: u64,
    /// How many blocks it has.
    pub blocks: u32,
}

impl RunName {
    /// The run's file in the folder of the view.
    pub fn path(&self, folder: &Path) -> PathBuf {
        path(folder, self.number)
    }

    /// About how many bytes its entries have.
    pub fn entry_bytes(&self) -> u64 {
        // Long values make blocks longer.
        self.bytes.max(u64::from(self.blocks) * BLOCK_BYTES as u64)
    }
}

/// What a complete file says of itself: the name of the run, and the number of the first run that it replaces. `None` where there is no
/// such file, or where it was not written to its end.
pub fn read_name(folder: &Path, number: u64) -> Option<(RunName, u64)> {
    let file = files::open(&path(folder, number)).ok()?;
    let bytes = file.metadata().ok()?.len();
    let (mut head, mut trailer) = ([0; HEADER], [0; TRAILER]);
    read_at(&file, &mut head, 0).ok()?;
    read_at(&file, &mut trailer, bytes.checked_sub(TRAILER as u64)?).ok()?;
    let name = RunName { number, crc: word(&trailer[12..]), bytes, blocks: word(&trailer[8..]) };
    // The trailer has the right checksum of the index only if the file is complete.
    Run::open(folder, &name).ok()?;
    Some((name, long(&head[24..])))
}

/// The path of the run with a number.
pub fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:012}.run"))
}

/// A run that is being written. Entries must come in ascending order of their keys.
pub struct RunWriter {
    path: PathBuf,
    number: u64,
    file: BufWriter<disk::Writing>,
    at: u64,
    block: Vec<u8>,
    first_key: Vec<u8>,
    rows: Vec<u8>,
    keys: Vec<u8>,
}

impl RunWriter {
    /// Begins the run with a number. It replaces all runs from the number `since` on. It gets its name when it is finished.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(folder: &Path, number: u64, since: u64) -> Result<RunWriter> {
        let path = path(folder, number);
        let fresh = path.with_extension(FRESH);
        let file = disk::create(&fresh).map_err(Error::io(&fresh, "creating"))?;
        let mut writer = RunWriter {
            path,
            number,
            file: BufWriter::with_capacity(256 << 10, file),
            at: 0,
            block: Vec::with_capacity(2 * BLOCK_BYTES),
            first_key: Vec::new(),
            rows: Vec::new(),
            keys: Vec::new(),
        };
        writer.put(&header(number, since))?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io(&self.path, "writing"))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Adds a key with its value, or with `None` where it was removed.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        if self.block.is_empty() {
            self.first_key = key.to_vec();
        }
        numbers::put(&mut self.block, key.len() as u64);
        self.block.extend_from_slice(key);
        numbers::put(&mut self.block, value.map_or(0, |value| value.len() as u64 + 1));
        self.block.extend_from_slice(value.unwrap_or_default());
        if self.block.len() >= BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<()> {
        let packed = pack(&self.block).map_err(Error::io(&self.path, "compressing"))?;
        self.block.clear();
        self.rows.extend_from_slice(&self.at.to_le_bytes());
        self.rows.extend_from_slice(&(packed.len() as u32).to_le_bytes());
        self.rows.extend_from_slice(&crc32c::crc32c(&packed).to_le_bytes());
        self.rows.extend_from_slice(&(self.keys.len() as u32).to_le_bytes());
        self.rows.extend_from_slice(&(self.first_key.len() as u32).to_le_bytes());
        self.keys.extend_from_slice(&self.first_key);
        self.put(&packed)
    }

    /// Writes the index, and makes the run durable.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn finish(mut self) -> Result<RunName> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        let index_at = self.at;
        let blocks = (self.rows.len() / INDEX_ROW) as u32;
        let index = [std::mem::take(&mut self.rows), std::mem::take(&mut self.keys)].concat();
        let crc = crc32c::crc32c(&index);
        self.put(&index)?;
        let mut trailer = [0; TRAILER];
        trailer[..8].copy_from_slice(&index_at.to_le_bytes());
        trailer[8..12].copy_from_slice(&blocks.to_le_bytes());
        trailer[12..].copy_from_slice(&crc.to_le_bytes());
        self.put(&trailer)?;
        let bytes = self.at;
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        let named = synced.and_then(|()| disk::rename(&self.path.with_extension(FRESH), &self.path));
        named.map_err(Error::io(&self.path, "writing"))?;
        Ok(RunName { number: self.number, crc, bytes, blocks })
    }
}

/// A run that is open for reading.
#[derive(Clone)]
pub struct Run {
    path: Arc<PathBuf>,
    number: u64,
    /// The rows of the index, followed by the first keys of the blocks.
    index: Arc<Vec<u8>>,
    count: usize,
    /// Where the blocks end, and the index begins.
    end: u64,
    file: Arc<File>,
    kept: Kept,
}

/// The blocks in which keys were looked up, kept for the next time.
#[derive(Clone)]
enum Kept {
    /// All of them, for readers.
    All(Arc<[OnceLock<Block>]>),
    /// The last ones of all runs.
    Last(Arc<LastBlocks>),
    /// None.
    Nothing,
}

/// The blocks of runs that were read last, by run and block.
pub type LastBlocks = KeptBlocks<(u64, usize), Block>;

/// A block in which keys are looked up.
pub struct Block {
    bytes: AlignedVec,
    /// Where each entry begins.
    starts: Vec<u32>,
}

impl kept_blocks::Block for Block {
    fn kept_bytes(&self) -> usize {
        self.bytes.len() + 4 * self.starts.len()
    }
}

impl Block {
    fn of(bytes: AlignedVec) -> Block {
        let mut starts = Vec::new();
        let mut entries = Entries::of(&bytes);
        loop {
            let start = bytes.len() - entries.0.left();
            if entries.next().is_none() {
                return Block { bytes, starts };
            }
            starts.push(start as u32);
        }
    }

    /// The entry with a place.
    fn entry(&self, place: usize) -> Option<Entry<'_>> {
        Entries::of(&self.bytes[*self.starts.get(place)? as usize..]).next()
    }

    /// How many entries have keys for which this is true; those are the first ones.
    fn count(&self, is_before: impl Fn(&[u8]) -> bool) -> usize {
        let key = |start: &u32| Entries::of(&self.bytes[*start as usize..]).next().map_or(&[][..], |entry| entry.0);
        self.starts.partition_point(|start| is_before(key(start)))
    }
}

/// A block, wherever it is kept.
enum Found<'r> {
    Kept(&'r Block),
    Shared(Arc<Block>),
    Own(Block),
}

impl Deref for Found<'_> {
    type Target = Block;

    fn deref(&self) -> &Block {
        match self {
            Found::Kept(block) => block,
            Found::Shared(block) => block,
            Found::Own(block) => block,
        }
    }
}

impl Run {
    /// Opens a run for repeated reading, and checks its header and index.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read, [`Error::Store`] when it is damaged.
    pub fn open_keeping(folder: &Path, name: &RunName) -> Result<Run> {
        let mut run = Run::open(folder, name)?;
        run.kept = Kept::All((0..run.count).map(|_| OnceLock::new()).collect());
        Ok(run)
    }

    /// Opens a run for the process that writes, which keeps the last blocks of all runs in `kept`.
    ///
    /// # Errors
    /// As [`Run::open_keeping`].
    pub fn open_with(folder: &Path, name: &RunName, kept: &Arc<LastBlocks>) -> Result<Run> {
        Ok(Run { kept: Kept::Last(Arc::clone(kept)), ..Run::open(folder, name)? })
    }

    /// Opens a run to read it through once.
    ///
    /// # Errors
    /// As [`Run::open_keeping`].
    pub fn open(folder: &Path, name: &RunName) -> Result<Run> {
        let path = name.path(folder);
        let damaged = |why: &str| damage(&path, why);
        let file = files::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => damaged("it is missing"),
            _ => not_opened(&path, error),
        })?;
        let length = file.metadata().map_err(Error::io(&path, "reading its length"))?.len();
        if length != name.bytes || length < (HEADER + TRAILER) as u64 {
            return Err(damaged("its length is wrong"));
        }
        let read = |bytes: &mut [u8], at: u64| match read_at(&file, bytes, at) {
            Ok(read) if read == bytes.len() => Ok(()),
            Ok(_) => Err(damaged("its length is wrong")),
            Err(error) => Err(Error::io(&path, "reading")(error)),
        };
        let mut found = [0; HEADER];
        read(&mut found, 0)?;
        if found != header(name.number, long(&found[24..])) {
            return Err(damaged("its header makes no sense"));
        }
        let end = length - TRAILER as u64;
        let mut trailer = [0; TRAILER];
        read(&mut trailer, end)?;
        let start = long(&trailer);
        let count = word(&trailer[8..]) as usize;
        let rows = count.saturating_mul(INDEX_ROW) as u64;
        if start < HEADER as u64 || start.saturating_add(rows) > end {
            return Err(damaged("its end makes no sense"));
        }
        let mut index = vec![0; (end - start) as usize];
        read(&mut index, start)?;
        if word(&trailer[12..]) != name.crc
            || count as u64 != u64::from(name.blocks)
            || crc32c::crc32c(&index) != name.crc
        {
            return Err(damaged("the checksum of its index does not fit"));
        }
        let (path, index, file) = (Arc::new(path), Arc::new(index), Arc::new(file));
        Ok(Run { path, number: name.number, index, count, end: start, file, kept: Kept::Nothing })
    }

    /// The number of the run.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Checks that the file is still there under its name.
    ///
    /// # Errors
    /// When it is not.
    pub fn check_name(&self) -> Result<()> {
        disk::check_name(&self.file, &self.path)
    }

    /// The file, as it is now.
    ///
    /// # Errors
    /// When its length cannot be read.
    pub fn seen(&self) -> Result<Seen> {
        Seen::new((*self.path).clone(), Arc::clone(&self.file), None)
    }

    fn row(&self, block: usize) -> &[u8] {
        &self.index[block * INDEX_ROW..][..INDEX_ROW]
    }

    /// The first key of a block. The index was checked as a whole when the run was opened.
    fn first_key(&self, block: usize) -> &[u8] {
        let row = self.row(block);
        let (at, length) = (word(&row[16..]) as usize, word(&row[20..]) as usize);
        self.index[self.count * INDEX_ROW..].get(at..at + length).unwrap_or_default()
    }

    /// Checks that every block is as it was when it was written.
    ///
    /// # Errors
    /// When one is not.
    pub fn check(&self) -> Result<()> {
        (0..self.count).try_for_each(|block| self.read(block).map(drop))
    }

    /// Reads a block.
    ///
    /// # Errors
    /// When its checksum does not fit, or it cannot be read or unpacked.
    fn read(&self, block: usize) -> Result<AlignedVec> {
        let row = self.row(block);
        let (start, length) = (long(row), word(&row[8..]) as usize);
        let misfit = || damage(&self.path, &format!("the checksum of block {block} does not fit"));
        if start.saturating_add(length as u64) > self.end {
            return Err(misfit());
        }
        let mut bytes = vec![0; length];
        // A short read leaves zeros, which the checksum detects.
        read_at(&self.file, &mut bytes, start).map_err(Error::io(&*self.path, "reading"))?;
        let packed = Some(bytes).filter(|bytes| crc32c::crc32c(bytes) == word(&row[12..])).ok_or_else(misfit)?;
        unpack(&packed).ok_or_else(|| damage(&self.path, &format!("block {block} cannot be unpacked")))
    }

    /// A block in which a key is looked up.
    fn block(&self, block: usize) -> Result<Found<'_>> {
        let read = || self.read(block).map(Block::of);
        match &self.kept {
            Kept::All(kept) => match kept[block].get() {
                Some(known) => Ok(Found::Kept(known)),
                None => {
                    let found = read()?;
                    Ok(Found::Kept(kept[block].get_or_init(|| found)))
                }
            },
            Kept::Last(kept) => match kept.get((self.number, block)) {
                Some(known) => Ok(Found::Shared(known)),
                None => {
                    let found = Arc::new(read()?);
                    kept.keep((self.number, block), &found);
                    Ok(Found::Shared(found))
                }
            },
            Kept::Nothing => read().map(Found::Own),
        }
    }

    /// The last block whose first key is not greater than `key`.
    fn block_of(&self, key: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_key(middle) <= key { low = middle + 1 } else { high = middle }
        }
        low.checked_sub(1)
    }

    /// Calls `each` with every entry of the blocks that can be read; returns false if some blocks cannot be read.
    pub fn salvage(&self, mut each: impl FnMut(Entry<'_>)) -> bool {
        let mut is_whole = true;
        for block in 0..self.count {
            match self.read(block) {
                Ok(bytes) => Entries::of(&bytes).for_each(&mut each),
                Err(_) => is_whole = false,
            }
        }
        is_whole
    }

    /// The value of a key: `None` where the run has no entry for it, `Some(None)` where it was removed.
    ///
    /// # Errors
    /// When the block is damaged.
    pub fn get(&self, key: &[u8]) -> Result<Option<Option<Vec<u8>>>> {
        let Some(block) = self.block_of(key) else { return Ok(None) };
        let block = self.block(block)?;
        let found = block.entry(block.count(|found| found < key)).filter(|entry| entry.0 == key);
        Ok(found.map(|entry| entry.1.map(<[u8]>::to_vec)))
    }

    /// The last key that is not greater than `key`, with or without a value.
    ///
    /// # Errors
    /// When the block is damaged.
    pub fn last_until(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some(block) = self.block_of(key) else { return Ok(None) };
        let block = self.block(block)?;
        let last = block.count(|found| found <= key).checked_sub(1).and_then(|last| block.entry(last));
        Ok(last.map(|entry| entry.0.to_vec()))
    }

    /// A cursor at the first entry that is not before `key`.
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn from(&self, key: &[u8]) -> Result<Cursor<'_>> {
        let mut cursor = Cursor { run: self, next: self.block_of(key).unwrap_or(0), block: AlignedVec::new(), at: 0 };
        cursor.find_entry()?;
        while cursor.key().is_some_and(|found| found < key) {
            cursor.advance()?;
        }
        Ok(cursor)
    }
}

/// Reads a run forward, and keeps one block at a time.
pub struct Cursor<'r> {
    run: &'r Run,
    /// The number of the next block.
    next: usize,
    block: AlignedVec,
    /// Where the entry begins in the block.
    at: usize,
}

impl Cursor<'_> {
    /// The entry at which it stands; `None` at the end.
    pub fn entry(&self) -> Option<Entry<'_>> {
        Entries::of(&self.block[self.at..]).next()
    }

    /// Its key.
    pub fn key(&self) -> Option<&[u8]> {
        self.entry().map(|entry| entry.0)
    }

    /// Goes to the next entry.
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn advance(&mut self) -> Result<()> {
        let mut entries = Entries::of(&self.block[self.at..]);
        entries.next();
        self.at = self.block.len() - entries.0.left();
        self.find_entry()
    }

    /// Reads blocks until there is an entry.
    fn find_entry(&mut self) -> Result<()> {
        while self.entry().is_none() && self.next < self.run.count {
            (self.block, self.at) = (self.run.read(self.next)?, 0);
            self.next += 1;
        }
        Ok(())
    }
}

/// A key, and its value unless it was removed.
pub type Entry<'r> = (&'r [u8], Option<&'r [u8]>);

/// The entries of a block that has been checked.
struct Entries<'r>(numbers::Reader<'r>);

impl<'r> Entries<'r> {
    const fn of(block: &'r [u8]) -> Entries<'r> {
        Entries(numbers::Reader::new(block))
    }
}

impl<'r> Iterator for Entries<'r> {
    type Item = Entry<'r>;

    fn next(&mut self) -> Option<Entry<'r>> {
        let key_bytes = self.0.number()? as usize;
        let key = self.0.take(key_bytes)?;
        let Some(value_bytes) = self.0.number()?.checked_sub(1) else { return Some((key, None)) };
        Some((key, Some(self.0.take(value_bytes as usize)?)))
    }
}

fn header(number: u64, since: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&0x0102_0304u32.to_le_bytes());
    header[16..24].copy_from_slice(&number.to_le_bytes());
    header[24..32].copy_from_slice(&since.to_le_bytes());
    let crc = crc32c::crc32c(&header[..HEADER - 4]);
    header[HEADER - 4..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// For the laboratory: gives the bytes of a run a header with its number and correct checksums, whatever else is in them.
pub fn sealed(bytes: &mut Vec<u8>, number: u64) -> RunName {
    bytes.resize(bytes.len().max(HEADER + TRAILER), 0);
    bytes[..HEADER].copy_from_slice(&header(number, number));
    let end = bytes.len() - TRAILER;
    let start = usize::try_from(long(&bytes[end..])).unwrap_or(end).clamp(HEADER, end);
    let rows = (word(&bytes[end + 8..]) as usize).min((end - start) / INDEX_ROW);
    for row in (0..rows).map(|row| start + row * INDEX_ROW) {
        let (at, length) = (long(&bytes[row..]) as usize, word(&bytes[row + 8..]) as usize);
        let crc = bytes.get(at..at.saturating_add(length)).map_or(0, crc32c::crc32c);
        bytes[row + 12..row + 16].copy_from_slice(&crc.to_le_bytes());
    }
    let crc = crc32c::crc32c(&bytes[start..end]);
    bytes[end + 12..].copy_from_slice(&crc.to_le_bytes());
    RunName { number, crc, bytes: bytes.len() as u64, blocks: word(&bytes[end + 8..]) }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn long(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn damage(path: &Path, why: &str) -> Error {
    Error::Store {
        path: path.to_owned(),
        problem: format!(
            "the file is damaged ({why}); `diglot check --repair` makes a catalog again from the record files, and `diglot run` \
             then makes the results again"
        ),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Bytes that cannot be packed.
    pub fn noise(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed + 1;
        let byte = |_| {
            state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
            state as u8
        };
        (0..length).map(byte).collect()
    }

    #[test]
    fn what_is_read_is_what_was_checked_and_reading_all_keeps_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = RunWriter::create(folder.path(), 1, 0).expect("room on disk");
        let value = |key: u8| noise(u64::from(key), 200);
        for key in 0..100u8 {
            writer.push(&[key], Some(&value(key))).expect("room on disk");
        }
        let name = writer.finish().expect("room on disk");
        let path = name.path(folder.path());
        let sound = std::fs::read(&path).expect("it was written");
        let last = Arc::new(LastBlocks::new(1 << 20));
        let open_with = |folder: &Path, name: &RunName| Run::open_with(folder, name, &last);
        for open in [&Run::open_keeping as &dyn Fn(&Path, &RunName) -> Result<Run>, &Run::open, &open_with] {
            std::fs::write(&path, &sound).expect("room on disk");
            let run = open(folder.path(), &name).expect("it is sound");
            let mut cursor = run.from(&[]).expect("it is sound");
            for key in 0..100u8 {
                assert_eq!(cursor.entry(), Some(([key].as_slice(), Some(value(key).as_slice()))));
                // In the middle of the last block, its bytes change.
                if key == 95 {
                    std::fs::write(&path, vec![0; sound.len()]).expect("room on disk");
                }
                cursor.advance().expect("all blocks were read before");
            }
            assert_eq!((cursor.entry(), run.count), (None, 3));
            if let Kept::All(blocks) = &run.kept {
                assert!(blocks.iter().all(|block| block.get().is_none()));
            }
            assert!((0..run.count).all(|block| last.get((1, block)).is_none()));
            assert!(run.get(&[7]).is_err() && run.from(&[]).is_err() && run.check().is_err());
        }
        std::fs::write(&path, &sound).expect("room on disk");
        let run = open_with(folder.path(), &name).expect("it is sound");
        assert_eq!(run.get(&[7]).expect("it is sound"), Some(Some(value(7))));
        std::fs::write(&path, vec![0; sound.len()]).expect("room on disk");
        assert_eq!(run.get(&[8]).expect("its block was kept"), Some(Some(value(8))));
        assert!(run.get(&[99]).is_err(), "another block");
    }

    #[test]
    fn entries_of_one_pattern_take_a_fraction_of_their_bytes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = RunWriter::create(folder.path(), 1, 0).expect("room on disk");
        for key in 0..10_000u32 {
            writer.push(&key.to_be_bytes(), Some(&[7; 96])).expect("room on disk");
        }
        let name = writer.finish().expect("room on disk");
        assert!(name.bytes < 10_000 * 100 / 8, "{}", name.bytes);
        let run = Run::open(folder.path(), &name).expect("it is sound");
        assert!(
            (0..10_000u32).all(|key| run.get(&key.to_be_bytes()).is_ok_and(|found| found == Some(Some(vec![7; 96]))))
        );
    }
}
