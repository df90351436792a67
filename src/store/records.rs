//! Append-only record files, checksummed.
//!
//! A record file is a folder of segments, `000000.rec`, `000001.rec`, … docs/format.md describes their bytes. A record is written once and
//! never changed; bytes beyond the committed length do not exist, whatever the file holds there. A record is either plain or packed, that
//! is compressed, or one of several short ones that are packed together ([`super::bundles`]). Readers copy records into their own memory before they check them, so that later changes of the file do not affect them.
//! The process that writes holds the lock, and reads long plain records in place, from a map of the file.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use rkyv::rancor;
use rkyv::util::AlignedVec;

use super::bundles::{Bundle, SHORT_BYTES};
use super::disk::{self, Writing};
use super::frames::{
    BUNDLE_MAGIC, FILE_HEADER, FRAME_HEADER, FRAME_MAGIC, PACKED_MAGIC, align, chained, file_header, frame_header, seal,
};
pub use super::frames::{RecordRef, START, UNKNOWN};
use super::in_place::ReadInPlace;
use super::kept_blocks::KeptBlocks;
pub use super::mapped::{Checked, Mapped, Owned, Stored, aligned};
use super::maps::Map;
use super::packing::pack;
use super::seals::sealed_before;
use super::segments::{SEGMENT_BYTES, own_length, segment_path};
use crate::error::{Error, Result};
use crate::files;

/// How many bytes of unpacked bundles are kept: stages and queries read the records of neighbouring sites one after the other.
const KEPT_BYTES: usize = 2 << 20;

/// A record file of one kind of record.
pub struct RecordFile<T> {
    pub(super) folder: PathBuf,
    kind: u32,
    /// Committed end: only records before it exist.
    pub(super) end: RecordRef,
    pub(super) maps: RwLock<Vec<Option<Arc<Map>>>>,
    pub(super) in_place: Mutex<ReadInPlace>,
    /// Segments that are open for reading without a map.
    pub(super) files: RwLock<Vec<Option<Arc<File>>>>,
    /// Bundles that were read last.
    pub(super) bundles: KeptBlocks,
    /// True in the process that holds the lock, which maps long records.
    pub(super) is_locked: bool,
    writer: Option<Writer>,
    /// Checksum of the last seal; 0 where there is none.
    seal: u32,
    /// True when a write has failed: what the file holds behind its committed end is then unknown.
    has_failed: bool,
    of: PhantomData<fn() -> T>,
}

/// The committed bytes of a segment.
pub(super) struct Segment {
    pub(super) number: u32,
    pub(super) path: PathBuf,
    pub(super) map: Map,
}

struct Writer {
    file: BufWriter<Writing>,
    segment: u32,
    offset: u64,
    /// Records that the next frame will hold.
    bundle: Bundle,
    /// Checksum of all frames so far.
    chain: u32,
    /// True when records were appended since the last seal.
    is_unsealed: bool,
    dirty: bool,
    /// True when the name of the segment is durable.
    is_named: bool,
}

/// The error of any further write after a failed one.
const AFTER_A_FAILURE: &str = "an earlier write failed, so nothing more is written; the last commit holds";

impl<T: Stored> RecordFile<T>
where
    T::Archived: Checked,
{
    /// Opens the file in `folder` whose records before `end` are committed. With `write`, bytes behind `end` are cut off. Without it
    /// nothing is written, and all segments are kept open, so that they can be read even after they have been replaced.
    ///
    /// # Errors
    /// When the folder cannot be read, or ends before `end`.
    pub fn open(folder: &Path, kind: u32, end: RecordRef, write: bool) -> Result<RecordFile<T>> {
        if write {
            fs::create_dir_all(folder).map_err(Error::io(folder, "making the folder"))?;
        }
        let mut records = RecordFile { is_locked: write, ..RecordFile::unopened(folder, kind, end) };
        records.check_committed()?;
        if write {
            records.seal = sealed_before(folder, end)?.unwrap_or(0);
            records.writer = Some(records.open_writer()?);
        } else if end != START {
            for segment in 0..=end.segment() {
                records.file_of(segment, &segment_path(folder, segment))?;
            }
        }
        Ok(records)
    }

    /// Checks that the file in `folder` is not shorter than what was committed.
    ///
    /// # Errors
    /// When it is shorter, or cannot be examined.
    pub fn check_end(folder: &Path, kind: u32, end: RecordRef) -> Result<()> {
        RecordFile::<T>::unopened(folder, kind, end).check_committed()
    }

    fn unopened(folder: &Path, kind: u32, end: RecordRef) -> RecordFile<T> {
        RecordFile {
            folder: folder.to_owned(),
            kind,
            end,
            maps: RwLock::default(),
            in_place: Mutex::default(),
            files: RwLock::default(),
            bundles: KeptBlocks::new(KEPT_BYTES),
            is_locked: false,
            writer: None,
            seal: 0,
            has_failed: false,
            of: PhantomData,
        }
    }

    fn check_committed(&self) -> Result<()> {
        for segment in 0..=self.end.segment() {
            if self.end == START && segment == 0 {
                continue;
            }
            let path = segment_path(&self.folder, segment);
            let needed = if segment == self.end.segment() { self.end.offset() } else { SEGMENT_BYTES };
            let problem = match own_length(&path, self.kind, segment)? {
                Some(length) if length >= needed => continue,
                Some(length) => format!("holds {length} bytes, {needed} were committed"),
                None if path.exists() => "is a copy of another file: its header says so".to_owned(),
                None => format!("is missing, {needed} bytes were committed"),
            };
            return Err(self.damage(format!(
                "{} {problem}; `diglot run` makes again what it can, and says which archives must be given again",
                path.display()
            )));
        }
        Ok(())
    }

    fn open_writer(&self) -> Result<Writer> {
        let segment = self.end.segment();
        let mut beyond = segment + 1;
        while fs::remove_file(segment_path(&self.folder, beyond)).is_ok() {
            beyond += 1;
        }
        for segment in 0..=segment {
            // A segment that was being rewritten when the program stopped; mostly there is none.
            let _ = fs::remove_file(segment_path(&self.folder, segment).with_extension("new"));
        }
        let path = segment_path(&self.folder, segment);
        let mut file = disk::open(&path).map_err(Error::io(&path, "opening"))?;
        let length = file.length().map_err(Error::io(&path, "reading its length"))?;
        if self.end == START {
            file.set_len(0)
                .and_then(|()| file.write_all(&file_header(self.kind, segment)))
                .map_err(Error::io(&path, "writing"))?;
        } else if length > self.end.offset() {
            file.set_len(self.end.offset()).map_err(Error::io(&path, "cutting off what was not committed"))?;
        }
        file.seek(SeekFrom::Start(self.end.offset())).map_err(Error::io(&path, "seeking"))?;
        Ok(Writer {
            file: BufWriter::with_capacity(1 << 20, file),
            segment,
            offset: self.end.offset(),
            bundle: Bundle::default(),
            chain: self.seal,
            is_unsealed: false,
            dirty: self.end == START,
            // The name of a segment with committed records is durable already.
            is_named: self.end != START,
        })
    }

    /// Appends a record. It exists once a commit has taken [`RecordFile::pending`] as the new end.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, record: &T) -> Result<RecordRef> {
        let payload = self.serialised(record)?;
        self.append_frame(FRAME_MAGIC, &payload)
    }

    /// Appends a record that may be short: it is then packed together with those before and after it.
    ///
    /// # Errors
    /// As [`RecordFile::append`].
    pub fn append_short(&mut self, record: &T) -> Result<RecordRef> {
        let payload = self.serialised(record)?;
        self.append_bundled(&payload)
    }

    /// Does the same, unless the store has a record with the same bytes already. In that case the old record stands for it, and nothing that
    /// was made from it becomes stale.
    ///
    /// # Errors
    /// When it cannot be written, or the other one cannot be read.
    pub fn append_if_new(&mut self, record: &T, old: Option<RecordRef>) -> Result<RecordRef> {
        let payload = self.serialised(record)?;
        match old {
            Some(old) if self.read(old)?.payload()[..] == payload[..] => Ok(old),
            _ => self.append_bundled(&payload),
        }
    }

    /// Appends a record, compressed; for records that are read once, or only as a whole.
    ///
    /// # Errors
    /// As [`RecordFile::append`].
    pub fn append_packed(&mut self, record: &T) -> Result<RecordRef> {
        let payload = self.serialised(record)?;
        let packed = pack(&payload).map_err(Error::io(&self.folder, "compressing"))?;
        self.append_packed_bytes(&packed)
    }

    /// Appends a record that is only read as a whole: together with others if it is short, else compressed.
    ///
    /// # Errors
    /// As [`RecordFile::append`].
    pub fn append_short_or_packed(&mut self, record: &T) -> Result<RecordRef> {
        let payload = self.serialised(record)?;
        if payload.len() <= SHORT_BYTES {
            return self.append_bundled(&payload);
        }
        let packed = pack(&payload).map_err(Error::io(&self.folder, "compressing"))?;
        self.append_packed_bytes(&packed)
    }

    /// Appends what [`pack`] made.
    ///
    /// # Errors
    /// As [`RecordFile::append`].
    pub fn append_packed_bytes(&mut self, packed: &[u8]) -> Result<RecordRef> {
        self.append_frame(PACKED_MAGIC, packed)
    }

    fn serialised(&self, record: &T) -> Result<AlignedVec> {
        rkyv::to_bytes::<rancor::Error>(record).map_err(|_| self.damage("a record cannot be serialised".into()))
    }

    fn append_frame(&mut self, magic: u32, payload: &[u8]) -> Result<RecordRef> {
        if let Some(writer) = &mut self.writer {
            writer.end_bundle(&self.folder).inspect_err(|_| self.has_failed = true)?;
        }
        self.append_as(payload, |writer, folder| {
            let at = RecordRef::new(writer.segment, writer.offset);
            writer.write_frame(magic, payload).map_err(Error::io(segment_path(folder, writer.segment), "writing"))?;
            Ok(at)
        })
    }

    fn append_bundled(&mut self, payload: &[u8]) -> Result<RecordRef> {
        if payload.is_empty() || payload.len() > SHORT_BYTES {
            return self.append_frame(FRAME_MAGIC, payload);
        }
        self.append_as(payload, |writer, folder| {
            let at = RecordRef::new(writer.segment, writer.offset).with_place(writer.bundle.push(payload));
            writer.dirty = true;
            if writer.bundle.is_full() {
                writer.end_bundle(folder)?;
            }
            Ok(at)
        })
    }

    fn append_as(
        &mut self,
        payload: &[u8],
        append: impl FnOnce(&mut Writer, &Path) -> Result<RecordRef>,
    ) -> Result<RecordRef> {
        if self.has_failed {
            return Err(self.damage(AFTER_A_FAILURE.into()));
        }
        if payload.len() > i32::MAX as usize {
            return Err(self.damage(format!("a record of {} bytes is longer than the format allows", payload.len())));
        }
        let Some(writer) = &mut self.writer else { return Err(self.damage("opened for reading only".into())) };
        // Reset once the record is written.
        self.has_failed = true;
        // A bundle that was begun stands at the end of its segment.
        if writer.offset >= SEGMENT_BYTES && writer.bundle.is_empty() {
            writer.next_segment(&self.folder, self.kind)?;
        }
        let at = append(writer, &self.folder)?;
        self.has_failed = false;
        Ok(at)
    }

    /// Where the next record will stand.
    pub fn pending(&self) -> RecordRef {
        let next = |w: &Writer| RecordRef::new(w.segment, w.offset).with_place(w.bundle.len());
        self.writer.as_ref().map_or(self.end, next)
    }

    /// Makes appended records durable, and moves the committed end behind them.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn sync(&mut self) -> Result<()> {
        if self.has_failed {
            return Err(self.damage(AFTER_A_FAILURE.into()));
        }
        self.check_in_place()?;
        self.check_names()?;
        let folder = &self.folder;
        if let Some(writer) = self.writer.as_mut().filter(|w| w.dirty) {
            let path = segment_path(folder, writer.segment);
            self.has_failed = true;
            writer.end_bundle(folder)?;
            if writer.is_unsealed {
                writer.seal().map_err(Error::io(&path, "writing"))?;
                self.seal = writer.chain;
            }
            writer.file.flush().map_err(Error::io(&path, "writing"))?;
            writer.file.get_ref().sync_data().map_err(Error::io(&path, "syncing"))?;
            if !writer.is_named {
                disk::sync_folder(folder).map_err(Error::io(folder, "syncing"))?;
                writer.is_named = true;
            }
            self.has_failed = false;
            writer.dirty = false;
        }
        self.end = self.pending();
        Ok(())
    }

    /// Checks that the files written and read still have their names in the folder.
    fn check_names(&self) -> Result<()> {
        if let Some(writer) = &self.writer {
            writer.file.get_ref().check_name()?;
        }
        let files = self.files.read().map_err(|_| self.damage("another thread failed while opening".into()))?;
        let open = (0..).zip(&*files).filter_map(|(segment, file)| Some((segment, file.as_ref()?)));
        open.into_iter().try_for_each(|(segment, file)| disk::check_name(file, &segment_path(&self.folder, segment)))
    }

    /// The committed end.
    pub fn end(&self) -> RecordRef {
        self.end
    }

    /// Checksum of the seal before the committed end; 0 where there is none. Known only to the process that writes.
    pub(super) fn last_seal(&self) -> u32 {
        self.seal
    }

    /// The error of a record whose bytes make no sense.
    pub fn senseless(&self, at: RecordRef) -> Error {
        self.unreadable(at, "its bytes make no sense")
    }

    pub(super) fn file_of(&self, segment: u32, path: &Path) -> Result<Arc<File>> {
        let poisoned = || self.damage("another thread failed while opening".into());
        let index = segment as usize;
        if let Some(Some(file)) = self.files.read().map_err(|_| poisoned())?.get(index) {
            return Ok(file.clone());
        }
        let file = Arc::new(files::open(path).map_err(Error::io(path, "opening"))?);
        let mut files = self.files.write().map_err(|_| poisoned())?;
        if files.len() <= index {
            files.resize(index + 1, None);
        }
        files[index] = Some(file.clone());
        Ok(file)
    }

    /// Removes mapped pages from memory; the system reads them again when they are accessed.
    pub fn release(&self) {
        let Ok(maps) = self.maps.read() else { return };
        maps.iter().flatten().for_each(|map| map.release(0..map.len()));
    }

    /// The committed parts of the segments, each opened when its turn comes.
    pub(super) fn segments(&self) -> impl Iterator<Item = Result<Segment>> + '_ {
        let count = if self.end == START { 0 } else { self.end.segment() + 1 };
        (0..count).map(|number| {
            let path = segment_path(&self.folder, number);
            let file = files::open(&path).map_err(Error::io(&path, "opening"))?;
            let map = self.map_committed(number, &file, &path)?;
            Ok(Segment { number, path, map })
        })
    }

    /// The number of its kind.
    pub(super) fn kind(&self) -> u32 {
        self.kind
    }

    /// Bytes that are committed.
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.end.segment()) * SEGMENT_BYTES + self.end.offset()
    }

    /// Stops writing, so that segments can be replaced. Returns whether the file was open for writing.
    pub(super) fn close_writer(&mut self) -> bool {
        debug_assert!(self.pending() == self.end, "what was appended is committed first");
        self.writer.take().is_some()
    }

    /// Continues writing.
    pub(super) fn open_writer_again(&mut self) -> Result<()> {
        self.writer = Some(self.open_writer()?);
        Ok(())
    }

    /// Closes files that were replaced.
    pub(super) fn let_go(&mut self) {
        self.unmap();
        self.bundles.forget();
        if let Ok(mut files) = self.files.write() {
            files.clear();
        }
    }

    pub(super) fn map_of(&self, segment: u32, offset: u64) -> Result<Arc<Map>> {
        let poisoned = || self.damage("another thread failed while mapping".into());
        let index = segment as usize;
        if let Some(Some(map)) = self.maps.read().map_err(|_| poisoned())?.get(index)
            && offset < map.len() as u64
        {
            return Ok(map.clone());
        }
        let path = segment_path(&self.folder, segment);
        let file = self.file_of(segment, &path)?;
        let map = Arc::new(self.map_committed(segment, &file, &path)?);
        let mut maps = self.maps.write().map_err(|_| poisoned())?;
        if maps.len() <= index {
            maps.resize(index + 1, None);
        }
        maps[index] = Some(map.clone());
        Ok(map)
    }

    /// Maps no more than what is committed, so that cutting the tail later does not touch the map.
    fn map_committed(&self, segment: u32, file: &File, path: &Path) -> Result<Map> {
        let length = file.metadata().map_err(Error::io(path, "reading its length"))?.len();
        let length = if segment == self.end.segment() { length.min(self.end.offset()) } else { length };
        Map::of(file, path, length)
    }

    fn damage(&self, problem: String) -> Error {
        Error::Store { path: self.folder.clone(), problem }
    }

    pub(super) fn unreadable(&self, at: RecordRef, why: &str) -> Error {
        let problem = format!(
            "the record at byte {} is damaged ({why}); `diglot check --repair` says what is lost, and `diglot run` then \
             makes it again",
            at.offset()
        );
        Error::Store { path: segment_path(&self.folder, at.segment()), problem }
    }
}

impl Writer {
    fn next_segment(&mut self, folder: &Path, kind: u32) -> Result<()> {
        let path = segment_path(folder, self.segment);
        self.seal().map_err(Error::io(&path, "writing"))?;
        self.file.flush().map_err(Error::io(&path, "writing"))?;
        self.file.get_ref().sync_data().map_err(Error::io(&path, "syncing"))?;
        self.segment += 1;
        let path = segment_path(folder, self.segment);
        let file = disk::create(&path).map_err(Error::io(&path, "creating"))?;
        self.file = BufWriter::with_capacity(1 << 20, file);
        self.file.write_all(&file_header(kind, self.segment)).map_err(Error::io(&path, "writing"))?;
        self.offset = FILE_HEADER;
        self.is_named = false;
        // Each segment begins by repeating the last seal, and so names the segment it follows.
        self.seal().map_err(Error::io(&path, "writing"))
    }

    /// Writes the frame of the records that are collected.
    fn end_bundle(&mut self, folder: &Path) -> Result<()> {
        if self.bundle.is_empty() {
            return Ok(());
        }
        let payload = self.bundle.take().map_err(Error::io(folder, "compressing"))?;
        let written = self.write_frame(BUNDLE_MAGIC, &payload);
        written.map_err(Error::io(segment_path(folder, self.segment), "writing"))
    }

    /// Appends a seal behind the appended records.
    fn seal(&mut self) -> std::io::Result<()> {
        self.file.write_all(&seal(self.chain, self.offset))?;
        self.offset += FRAME_HEADER;
        self.is_unsealed = false;
        Ok(())
    }

    fn write_frame(&mut self, magic: u32, payload: &[u8]) -> std::io::Result<()> {
        let header = frame_header(magic, payload, self.offset);
        self.file.write_all(&header)?;
        self.file.write_all(payload)?;
        self.chain = chained(self.chain, &header);
        self.is_unsealed = true;
        let end = self.offset + FRAME_HEADER + payload.len() as u64;
        let next = align(end);
        self.file.write_all(&[0; FRAME_HEADER as usize][..(next - end) as usize])?;
        self.offset = next;
        self.dirty = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_file::is_record;
    use super::super::survey_damage::Survey;
    use super::*;
    use proptest::prelude::*;

    type Texts = RecordFile<Vec<String>>;

    fn write(folder: &Path, records: &[Vec<String>]) -> (Vec<RecordRef>, RecordRef) {
        let mut file = Texts::open(folder, 7, START, true).expect("an empty folder");
        let refs = records.iter().map(|r| file.append(r).expect("room on disk")).collect();
        file.sync().expect("a disk");
        (refs, file.end())
    }

    fn texts(record: &Mapped<Vec<String>>) -> Vec<String> {
        record.iter().map(|text| text.as_str().to_owned()).collect()
    }

    /// The end of the sound part at the beginning of the file.
    fn sound_end(survey: Survey) -> RecordRef {
        survey.lost.first().map_or(survey.end, |lost| lost.start)
    }

    #[test]
    fn records_come_back_and_follow_one_another() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let records: Vec<Vec<String>> = (0..50).map(|i| vec!["x".repeat(i * 7), i.to_string()]).collect();
        let (refs, end) = write(folder.path(), &records);
        let file = Texts::open(folder.path(), 7, end, false).expect("it was written");
        let mut found = file.records_from(START);
        for (expected, place) in records.iter().zip(refs) {
            let (at, record) = found.next().expect("as many as were written").expect("it is there");
            assert_eq!(at, place);
            assert_eq!(record.iter().map(|s| s.as_str()).collect::<Vec<_>>(), *expected);
        }
        assert!(found.next().is_none());
    }

    #[test]
    fn a_record_that_is_there_is_not_written_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
        let record = |text: &str| vec![text.to_owned()];
        let first = file.append(&record("one")).expect("room on disk");
        file.sync().expect("a disk");
        let mut again = |text: &str, old| file.append_if_new(&record(text), old).expect("room on disk");
        assert_eq!(again("one", Some(first)), first);
        let other = again("two", Some(first));
        assert!(other > first);
        assert!(again("one", None) > other);
    }

    #[test]
    fn short_records_lie_together_and_each_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
        let (mut all, mut places) = (Vec::new(), Vec::new());
        for number in 0..200usize {
            // Some have frames of their own: those that are long, and those that are said to stand alone.
            let text = vec![number.to_string(), "z".repeat(if number % 50 == 49 { SHORT_BYTES } else { number * 3 })];
            let append = if number % 70 == 69 { Texts::append } else { Texts::append_short };
            places.push(append(&mut file, &text).expect("room on disk"));
            all.push(text);
            if number % 60 == 59 {
                file.sync().expect("a disk");
            }
        }
        file.sync().expect("a disk");
        assert!(places.is_sorted() && places.windows(2).all(|two| two[0] != two[1]));
        assert_eq!(file.pending(), file.end());
        let frames: std::collections::BTreeSet<_> = places.iter().map(|place| place.frame()).collect();
        assert!(frames.len() < 30, "{}", frames.len());
        let reader = Texts::open(folder.path(), 7, file.end(), false).expect("it was written");
        let found: Vec<_> = reader.records_from(START).map(|found| found.expect("it is sound")).collect();
        let expected: Vec<_> = places.iter().copied().zip(all.clone()).collect();
        assert_eq!(found.iter().map(|(at, record)| (*at, texts(record))).collect::<Vec<_>>(), expected);
        for (place, text) in &expected {
            assert!(reader.has(*place) && texts(&reader.read(*place).expect("it is sound")) == *text);
        }
        let beyond = frames.iter().find(|frame| expected.iter().all(|(at, _)| *at != frame.with_place(15)));
        let beyond = beyond.expect("some are not full").with_place(15);
        assert!(!reader.has(beyond) && reader.read(beyond).is_err());
        let all: Vec<u64> = places.iter().map(|place| place.0).collect();
        let length = |segment| fs::metadata(segment_path(folder.path(), segment)).expect("it is there").len();
        let lengths: Vec<u64> = (0..=file.end().segment()).map(length).collect();
        let others = lengths.iter().sum::<u64>() - reader.bytes_of(&all);
        assert!(others <= (FILE_HEADER + 2 * FRAME_HEADER) * lengths.len() as u64 + 4 * FRAME_HEADER, "{others}");
        // One of a bundle counts for its share.
        let (one, frame) = (reader.bytes_of(&all[..1]), reader.bytes_of(&all[..16]));
        assert!(places[15].frame() == places[0].frame() && one == frame / 16, "{one} {frame}");
        let again = file.append_if_new(&expected[3].1, Some(places[3])).expect("it can be read");
        assert_eq!(again, places[3]);
    }

    #[test]
    fn a_bundle_of_which_records_go_is_written_anew_without_them() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
        let text = |number: usize| vec![format!("secret {number}").repeat(20)];
        let places: Vec<_> = (0..48).map(|number| file.append_short(&text(number)).expect("room on disk")).collect();
        file.sync().expect("a disk");
        assert_eq!(texts(&file.read(places[5]).expect("it is sound")), text(5));
        let is_gone =
            |at: RecordRef| at == places[5] || (16..32).contains(&places.partition_point(|place| *place < at));
        let decide = |at: RecordRef, _: &[u8], _: bool| {
            Ok(if is_gone(at) { super::super::rewriting::Kept::Gone } else { super::super::rewriting::Kept::Same })
        };
        let freed = file.rewrite(super::super::rewriting::Damaged::Stays, 0.0, decide).expect("room on disk");
        assert!(freed > 0);
        for (number, &place) in places.iter().enumerate() {
            let found = file.read(place).ok().map(|record| texts(&record));
            assert_eq!(found, (!is_gone(place)).then(|| text(number)), "{number}");
            assert_eq!(file.has(place), !is_gone(place));
        }
        let report = file.check("texts", is_record::<Vec<String>>).expect("it can be read");
        assert_eq!((report.records, report.torn), (31, vec![]));
        let bytes = fs::read(segment_path(folder.path(), 0)).expect("it is there");
        let left =
            super::super::frames::walk(&bytes).filter_map(|walked| walked.frame).filter(|frame| frame.head.is_bundle());
        let left: Vec<_> = left.filter_map(|frame| super::super::bundles::unbundle(&frame.payload(&bytes)?)).collect();
        let holds =
            |text: &str| left.iter().any(|content| content.windows(text.len()).any(|found| found == text.as_bytes()));
        assert!(left.len() == 2 && holds("secret 6s") && !holds("secret 5s") && !holds("secret 20s"));
    }

    #[test]
    fn records_go_on_in_the_next_segment_and_again_after_what_was_not_committed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = |number: usize| vec![number.to_string(), "z".repeat(number * 37 % 2000)];
        let mut places = Vec::new();
        // The end of each of seven commits, with the checksum of its seal.
        let mut commits = vec![(START, 0)];
        let mut go_on = |from: usize, until: usize, commits: &mut Vec<(RecordRef, u32)>| {
            let mut file = Texts::open(folder.path(), 7, commits[from].0, true).expect("it is there as far");
            for number in from * 7..until * 7 {
                places.truncate(number);
                places.push(file.append(&text(number)).expect("room on disk"));
                if number % 7 == 6 {
                    file.sync().expect("a disk");
                    commits.push((file.end(), file.last_seal()));
                }
            }
            places.clone()
        };
        let refs = go_on(0, 20, &mut commits);
        let segments = |end: RecordRef| -> Vec<Vec<u8>> {
            (0..=end.segment())
                .map(|number| fs::read(segment_path(folder.path(), number)).expect("it is there"))
                .collect()
        };
        let (last, _) = commits[20];
        let (whole, count) = (segments(last), last.segment() as usize + 1);
        assert!(count > 4 && whole[..count - 1].iter().all(|bytes| bytes.len() as u64 >= SEGMENT_BYTES), "{count}");
        for (done, &(end, seal)) in commits.iter().enumerate() {
            let file = Texts::open(folder.path(), 7, end, false).expect("it was written");
            let found: Vec<_> = file.records_from(START).map(|found| found.expect("it is sound")).collect();
            assert_eq!(found.len(), done * 7);
            for (number, (at, record)) in found.iter().enumerate() {
                assert_eq!((*at, texts(record)), (refs[number], text(number)));
                let record = file.read(*at).expect("it is sound");
                assert_eq!(texts(&record), text(number));
            }
            assert_eq!(super::super::seals::check_seal(folder.path(), 7, end, seal).expect("it can be read"), None);
            let survey = Texts::survey(folder.path(), 7, end, is_record::<Vec<String>>).expect("it can be read");
            assert_eq!((survey.end, survey.lost), (end, vec![]));
        }
        // The last commit ended in an earlier segment: everything behind it is cut off, and later writes behave as if it had never been
        // there.
        commits.truncate(6);
        drop(Texts::open(folder.path(), 7, commits[5].0, true).expect("it is there"));
        let left = fs::read_dir(folder.path()).expect("it is there").count();
        let end = commits[5].0;
        let length = fs::metadata(segment_path(folder.path(), end.segment())).expect("it is there").len();
        assert_eq!((left, length), (end.segment() as usize + 1, end.offset()));
        assert_eq!(go_on(5, 20, &mut commits), refs);
        assert!(segments(last) == whole, "other bytes than before");
    }

    #[test]
    fn frames_of_another_kind_or_segment_are_none_of_this_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (_, end) = write(folder.path(), &[vec!["a".repeat(20)], vec!["b".repeat(21)]]);
        fs::copy(segment_path(folder.path(), 0), segment_path(folder.path(), 1)).expect("room on disk");
        let survey = |kind| Texts::survey(folder.path(), kind, UNKNOWN, is_record::<Vec<String>>);
        assert_eq!(survey(7).expect("it can be read").end, end);
        assert_eq!(survey(8).expect("it can be read").end, START);
        let refused = Texts::open(folder.path(), 8, end, true).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("is a copy of another file") && refused.contains("`diglot run`"), "{refused}");
    }

    #[test]
    fn a_frame_that_holds_no_record_of_its_kind_is_lost() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
        let places = [&[9u8; 40][..], &rkyv::to_bytes::<rancor::Error>(&vec!["a".to_owned()]).expect("memory")]
            .map(|payload| file.append_frame(FRAME_MAGIC, payload).expect("room on disk"));
        file.sync().expect("a disk");
        let survey = Texts::survey(folder.path(), 7, file.end(), is_record::<Vec<String>>).expect("readable");
        assert_eq!((survey.end, survey.lost), (file.end(), vec![START..places[1]]));
        let refused = file.read(places[0]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            refused.contains("000000.rec: the record at byte 64 is damaged (its bytes make no sense)"),
            "{refused}"
        );
    }

    #[test]
    fn a_file_cut_in_the_padding_of_its_last_record_opens_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (_, end) = write(folder.path(), &[vec!["a".repeat(20)], vec!["b".repeat(21)]]);
        let path = segment_path(folder.path(), 0);
        let bytes = fs::read(&path).expect("it was written");
        for cut in START.offset() as usize..bytes.len() {
            fs::write(&path, &bytes[..cut]).expect("room on disk");
            let sound =
                sound_end(Texts::survey(folder.path(), 7, end, is_record::<Vec<String>>).expect("it can be read"));
            assert!(sound.offset() <= cut as u64);
            Texts::open(folder.path(), 7, sound, false).expect("cut to what is sound");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_cut_file_gives_every_whole_record_before_the_cut(cut in 0u64..6000, flip in 0u64..6000) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let records: Vec<Vec<String>> = (0..40).map(|i| vec!["y".repeat(i * 5)]).collect();
            let (refs, end) = write(folder.path(), &records);
            let path = segment_path(folder.path(), 0);
            let mut bytes = fs::read(&path).expect("it was written");
            let length = bytes.len() as u64;
            bytes.truncate(cut.min(length) as usize);
            if let Some(byte) = bytes.get_mut(flip as usize) {
                *byte ^= 4;
            }
            fs::write(&path, &bytes).expect("room on disk");
            let sound = sound_end(Texts::survey(folder.path(), 7, end, is_record::<Vec<String>>).expect("it can be read"));
            let damage = cut.min(length).min(if flip < cut { flip } else { u64::MAX });
            let whole = refs.iter().chain([&end]).filter(|r| r.offset() <= damage).max().copied().unwrap_or(START);
            // A flipped bit in padding does no harm, so more may be sound than the part before the damage.
            prop_assert!(sound >= whole || damage < FILE_HEADER, "{sound:?} {whole:?}");
            let file = Texts::open(folder.path(), 7, sound, true).expect("cut to what is sound");
            for (record, place) in records.iter().zip(refs).take_while(|(_, place)| *place < sound) {
                let read = file.read(place).expect("it is sound");
                prop_assert_eq!(read.iter().map(|s| s.as_str()).collect::<Vec<_>>(), record.clone());
            }
        }
    }
}
