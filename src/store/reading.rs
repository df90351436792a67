//! How records are read. Readers copy them; the process that writes copies short ones and reads long ones in place.

use std::cell::RefCell;
use std::fs::File;
use std::sync::{Arc, PoisonError};

use rkyv::util::AlignedVec;

use super::bundles::{self, COUNT_BYTES};
use super::frames::{FILE_HEADER, FRAME_HEADER, Head, RecordRef, head_of};
use super::in_place::InPlace;
use super::mapped::{Checked, Mapped, Payload, Stored, aligned};
use super::packing::unpack;
use super::records::RecordFile;
use super::seen::{Seen, Stamp};
use super::segments::{read_at, segment_path};
use crate::error::{Error, Result};

/// How many bytes of a packed frame are read first; most frames are shorter.
const PACKED_AT_ONCE: usize = 48 << 10;
/// How many bytes of any other frame are read first.
const AT_ONCE: usize = 8 << 10;
/// The process that holds the lock of the store reads plain records of at least this length in place. Where records are read one after the
/// other and may be kept, it reads all plain ones in place.
const MAPPED_FROM: usize = 16 << 10;

/// The fault of a frame that claims to be longer than its file.
const BEYOND: &str = "it is said to end behind the end of its file";

thread_local! {
    /// The first bytes of a frame that is being read.
    static BEGIN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A frame whose first bytes have been read.
struct Begun<'b> {
    head: Head,
    file: Arc<File>,
    begin: &'b [u8],
}

/// The records of a file, in order.
pub struct Records<'f, T> {
    file: &'f RecordFile<T>,
    at: RecordRef,
}

impl<T: Stored> Iterator for Records<'_, T>
where
    T::Archived: Checked,
{
    type Item = Result<(RecordRef, Mapped<T>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = |mut at: RecordRef| -> Result<Option<(RecordRef, Mapped<T>, RecordRef)>> {
            while at < self.file.end {
                let (record, head) = self.file.read_frame(at, 0)?;
                let next = match head.is_bundle() && self.file.has_place(at, at.place() + 1)? {
                    true => at.frame().with_place(at.place() + 1),
                    false => self.file.behind(at, &head)?,
                };
                if let Some(record) = record {
                    return Ok(Some((at, record, next)));
                }
                at = next;
            }
            Ok(None)
        };
        match read(self.at).transpose()? {
            Ok((at, record, next)) => {
                self.at = next;
                Some(Ok((at, record)))
            }
            Err(error) => {
                self.at = self.file.end;
                Some(Err(error))
            }
        }
    }
}

impl<T: Stored> RecordFile<T>
where
    T::Archived: Checked,
{
    /// The record at `at`.
    ///
    /// # Errors
    /// When nothing is committed there, or it is damaged.
    pub fn read(&self, at: RecordRef) -> Result<Mapped<T>> {
        let record = match self.bundles.get(at.frame()) {
            Some(content) => self.of_bundle(at, &content)?,
            None => self.read_frame(at, MAPPED_FROM)?.0,
        };
        record.ok_or_else(|| self.unreadable(at, "it was removed"))
    }

    /// The record of a bundle, given what that holds; `None` where it was removed.
    fn of_bundle(&self, at: RecordRef, content: &Arc<AlignedVec>) -> Result<Option<Mapped<T>>> {
        let range = bundles::record(content, at.place()).ok_or_else(|| self.senseless(at))?;
        if range.is_empty() {
            return Ok(None);
        }
        // A record that is held must not hold many times its own bytes.
        let payload = match range.len() < content.len() / 4 {
            true => Payload::Own(Arc::new(aligned(&content[range]))),
            false => Payload::Part(Arc::clone(content), range),
        };
        Mapped::check(payload).map(Some).ok_or_else(|| self.senseless(at))
    }

    /// What the bundle at `at` holds, given the first bytes of its frame; it is kept for the next time.
    fn bundle(&self, at: RecordRef, begun: &Begun<'_>) -> Result<Arc<AlignedVec>> {
        if let Some(content) = self.bundles.get(at.frame()) {
            return Ok(content);
        }
        let whole = begun.begin.get(FRAME_HEADER as usize..FRAME_HEADER as usize + begun.head.length);
        let content = match whole {
            Some(payload) if begun.head.fits(payload) => bundles::unbundle(payload),
            Some(_) => return Err(self.misfit(at)),
            None => bundles::unbundle(&self.payload(at, begun)?),
        };
        let content = Arc::new(content.ok_or_else(|| self.unreadable(at, "it cannot be unpacked"))?);
        self.bundles.keep(at.frame(), &content);
        Ok(content)
    }

    /// True when the bundle that was read at `at` has a place, of a record or of one that was removed.
    fn has_place(&self, at: RecordRef, place: usize) -> Result<bool> {
        let content = BEGIN.with_borrow_mut(|begin| self.bundle(at, &self.begin(at, AT_ONCE, begin)?))?;
        Ok(bundles::places(&content).is_some_and(|places| place < places))
    }

    /// The header of the frame at `at`, and its record, if it holds one. A plain record of at least `mapped_from` bytes is read in place if
    /// the lock is held.
    fn read_frame(&self, at: RecordRef, mapped_from: usize) -> Result<(Option<Mapped<T>>, Head)> {
        BEGIN.with_borrow_mut(|begin| {
            let begun = self.begin(at, AT_ONCE, begin)?;
            let head = begun.head;
            let payload = if head.holds_nothing() {
                return Ok((None, head));
            } else if head.is_bundle() {
                return Ok((self.of_bundle(at, &self.bundle(at, &begun)?)?, head));
            } else if head.is_packed() {
                Payload::Own(Arc::new(self.unpacked(at, &begun)?))
            } else if self.is_locked && head.length >= mapped_from {
                self.in_place(at, &head)?
            } else {
                Payload::Own(Arc::new(self.payload(at, &begun)?))
            };
            Ok((Some(Mapped::check(payload).ok_or_else(|| self.senseless(at))?), head))
        })
    }

    /// The records from `at` on, in order, each with its place; holes and seals are skipped.
    pub fn records_from(&self, at: RecordRef) -> Records<'_, T> {
        Records { file: self, at }
    }

    /// The bytes of the record at `at`, if it is packed; these bytes are not an rkyv archive.
    ///
    /// # Errors
    /// As [`RecordFile::read`].
    pub fn read_packed(&self, at: RecordRef) -> Result<Option<AlignedVec>> {
        BEGIN.with_borrow_mut(|begin| {
            let begun = self.begin(at, PACKED_AT_ONCE, begin)?;
            if begun.head.is_packed() { self.unpacked(at, &begun).map(Some) } else { Ok(None) }
        })
    }

    /// Reads the first bytes of the frame at `at` into `begin`; `bytes` of them, or fewer where the file ends.
    fn begin<'b>(&self, at: RecordRef, bytes: usize, begin: &'b mut Vec<u8>) -> Result<Begun<'b>> {
        if at >= self.end {
            return Err(self.unreadable(at, "nothing is committed there"));
        }
        let path = segment_path(&self.folder, at.segment());
        let file = self.file_of(at.segment(), &path)?;
        let left = self.committed(at.segment()) - at.offset();
        begin.resize(bytes.min(usize::try_from(left).unwrap_or(bytes)), 0);
        let read = read_at(&file, begin, at.offset()).map_err(Error::io(&path, "reading"))?;
        begin.truncate(read);
        let head = head_of(begin, at.offset()).ok_or_else(|| self.misfit(at))?;
        Ok(Begun { head, file, begin })
    }

    /// The payload of a frame, copied and then checked. Memory is allocated only if the file is as long as the frame claims.
    fn payload(&self, at: RecordRef, begun: &Begun<'_>) -> Result<AlignedVec> {
        let read = begun.begin.get(FRAME_HEADER as usize..).unwrap_or_default();
        let read = &read[..read.len().min(begun.head.length)];
        let path = || segment_path(&self.folder, at.segment());
        if read.len() < begun.head.length {
            let length = begun.file.metadata().map_err(Error::io(path(), "reading its length"))?.len();
            let end = at.offset() + FRAME_HEADER + begun.head.length as u64;
            if end > length.min(self.committed(at.segment())) {
                return Err(self.unreadable(at, BEYOND));
            }
        }
        let mut payload = AlignedVec::with_capacity(begun.head.length);
        payload.extend_from_slice(read);
        if read.len() < begun.head.length {
            payload.resize(begun.head.length, 0);
            let rest = at.offset() + FRAME_HEADER + read.len() as u64;
            // A short read leaves zeros, which the checksum detects.
            read_at(&begun.file, &mut payload[read.len()..], rest).map_err(Error::io(path(), "reading"))?;
        }
        if begun.head.fits(&payload) { Ok(payload) } else { Err(self.misfit(at)) }
    }

    /// The payload of a packed frame, unpacked.
    fn unpacked(&self, at: RecordRef, begun: &Begun<'_>) -> Result<AlignedVec> {
        let whole = begun.begin.get(FRAME_HEADER as usize..FRAME_HEADER as usize + begun.head.length);
        let unpacked = match whole {
            Some(payload) if begun.head.fits(payload) => unpack(payload),
            Some(_) => return Err(self.misfit(at)),
            None => unpack(&self.payload(at, begun)?),
        };
        unpacked.ok_or_else(|| self.unreadable(at, "it cannot be unpacked"))
    }

    /// The payload of a frame, in place.
    fn in_place(&self, at: RecordRef, head: &Head) -> Result<Payload> {
        let map = self.map_of(at.segment(), at.offset())?;
        let start = (at.offset() + FRAME_HEADER) as usize;
        let range = start..start + head.length;
        if range.end > map.len() {
            return Err(self.unreadable(at, BEYOND));
        }
        let place = InPlace::check(map, range, *head).map(Arc::new).ok_or_else(|| self.misfit(at))?;
        self.in_place.lock().unwrap_or_else(PoisonError::into_inner).put(at, &place);
        Ok(Payload::Mapped(place))
    }

    /// Checks that records read in place have not changed since they were first checked, because results made of them may be about to be
    /// committed. Records that nobody reads any more are checked a last time; those still being read, when their segment looks changed.
    ///
    /// # Errors
    /// When another program has changed one.
    pub(super) fn check_in_place(&self) -> Result<()> {
        let stamp = |segment: u32| {
            let file = self.file_of(segment, &segment_path(&self.folder, segment)).ok()?;
            Stamp::of(&file).ok()
        };
        let changed = self.in_place.lock().unwrap_or_else(PoisonError::into_inner).look_again(stamp);
        let told = "another program changed it while it was read; nothing that was made of it is kept";
        changed.map_or(Ok(()), |at| Err(self.unreadable(at, told)))
    }

    /// Releases all maps that nobody reads any more.
    pub fn unmap(&self) {
        // If this finds a change, it is reported before the next commit.
        let _ = self.check_in_place();
        if let Ok(mut maps) = self.maps.write() {
            maps.clear();
        }
    }

    /// The place of the frame that follows this one.
    fn behind(&self, at: RecordRef, head: &Head) -> Result<RecordRef> {
        let after = head.end(at.offset());
        let is_last = at.segment() == self.end.segment();
        let is_within = || -> Result<bool> {
            let path = segment_path(&self.folder, at.segment());
            let file = self.file_of(at.segment(), &path)?;
            Ok(after < file.metadata().map_err(Error::io(&path, "reading its length"))?.len())
        };
        Ok(if is_last || is_within()? {
            RecordRef::new(at.segment(), after)
        } else {
            RecordRef::new(at.segment() + 1, FILE_HEADER)
        })
    }

    /// The end of the committed part of a segment, as far as it is known without the file.
    fn committed(&self, segment: u32) -> u64 {
        if segment == self.end.segment() { self.end.offset() } else { u64::MAX }
    }

    /// True when a record stands at a place; the payload is not read unless it is a bundle.
    pub(super) fn has(&self, at: RecordRef) -> bool {
        let mut bytes = Vec::new();
        let Ok(begun) = self.begin(at, FRAME_HEADER as usize, &mut bytes) else { return false };
        if begun.head.is_bundle() {
            let content = self.bundle(at, &begun).ok();
            return content
                .and_then(|content| bundles::record(&content, at.place()))
                .is_some_and(|range| !range.is_empty());
        }
        !begun.head.holds_nothing()
    }

    /// The bytes of some records, given in ascending order, with their frames; damaged ones count as none, and those of a bundle for their
    /// share in it.
    pub(super) fn bytes_of(&self, records: &[u64]) -> u64 {
        let mut bytes = Vec::new();
        let mut of = |records: &[u64]| {
            let at = RecordRef(records[0]).frame();
            let Ok(begun) = self.begin(at, FRAME_HEADER as usize + COUNT_BYTES, &mut bytes) else { return 0 };
            let whole = begun.head.end(at.offset()) - at.offset();
            let there =
                begun.head.is_bundle().then(|| bundles::count_there(&begun.begin[FRAME_HEADER as usize..])).flatten();
            there.map_or(whole, |there| whole * (records.len() as u64).min(there.into()) / u64::from(there.max(1)))
        };
        records.chunk_by(|one, other| RecordRef(*one).frame() == RecordRef(*other).frame()).map(&mut of).sum()
    }

    /// The segments that are open, as they are now.
    pub(super) fn seen(&self, seen: &mut Vec<Seen>) -> Result<()> {
        let Ok(files) = self.files.read() else { return Ok(()) };
        for (segment, file) in (0..).zip(&*files) {
            let committed = (segment == self.end.segment()).then_some(self.end.offset());
            if let Some(file) = file {
                seen.push(Seen::new(segment_path(&self.folder, segment), Arc::clone(file), committed)?);
            }
        }
        Ok(())
    }

    fn misfit(&self, at: RecordRef) -> Error {
        self.unreadable(at, "its checksum does not fit")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::super::records::START;
    use super::*;

    type Texts = RecordFile<Vec<String>>;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_copied_is_what_is_read_in_place_and_nothing_reaches_a_copy(
            lengths in prop::collection::vec(prop_oneof![0usize..200, 8000usize..9000, 200_000usize..400_000], 1..6),
            packed in 0u32..64,
        ) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
            let record = |at: usize, length: usize| vec![at.to_string(), "ab".repeat(length / 2)];
            let append = |(at, &length): (usize, &usize)| {
                let record = record(at, length);
                let is_packed = packed >> at & 1 == 1;
                if is_packed { file.append_packed(&record) } else { file.append(&record) }.expect("room on disk")
            };
            let places: Vec<RecordRef> = lengths.iter().enumerate().map(append).collect();
            file.sync().expect("a disk");
            let reader = Texts::open(folder.path(), 7, file.end(), false).expect("it was written");
            let read = |file: &Texts| -> Vec<(RecordRef, Mapped<Vec<String>>)> {
                file.records_from(START).collect::<Result<_>>().expect("they are sound")
            };
            let (in_place, copied) = (read(&file), read(&reader));
            let is_mapped = |record: &Mapped<Vec<String>>| matches!(record.payload(), Payload::Mapped(..));
            for (at, (one, other)) in in_place.iter().zip(&copied).enumerate() {
                prop_assert_eq!((one.0, other.0), (places[at], places[at]));
                let is_plain = packed >> at & 1 == 0;
                prop_assert_eq!((is_mapped(&one.1), is_mapped(&other.1)), (is_plain, false));
                let alone = file.read(one.0).expect("it is sound");
                prop_assert_eq!(is_mapped(&alone), is_plain && alone.payload().len() >= MAPPED_FROM);
                prop_assert!(**one.1.payload() == **other.1.payload());
            }
            file.check_in_place().expect("nobody changed it");
            let again = read(&file);
            prop_assert_eq!(again.len(), lengths.len());
            let is_long = |record: &Mapped<Vec<String>>| is_mapped(record) && record.payload().len() > 100_000;
            let long = in_place.iter().find(|(_, record)| is_long(record)).map(|(place, _)| *place);
            if let Some(place) = long {
                let path = segment_path(folder.path(), place.segment());
                let other = fs::OpenOptions::new().write(true).open(&path).expect("it is there");
                std::os::unix::fs::FileExt::write_at(&other, b"xyz", place.offset() + 20_000).expect("room on disk");
                let told = file.check_in_place().err().map(|error| error.to_string()).unwrap_or_default();
                prop_assert!(told.contains("another program changed it") && told.contains(&path.display().to_string()), "{}", told);
                prop_assert!(file.sync().is_err());
            }
            drop((in_place, again));
            file.unmap();
            for segment in 0..=file.end().segment() {
                fs::write(segment_path(folder.path(), segment), b"other bytes").expect("room on disk");
            }
            for (at, (_, record_read)) in copied.iter().enumerate() {
                let texts: Vec<&str> = record_read.iter().map(|text| text.as_str()).collect();
                prop_assert_eq!(texts, record(at, lengths[at]));
            }
            prop_assert!(places.iter().all(|&place| reader.read(place).is_err()));
        }
    }

    #[test]
    fn no_memory_is_asked_for_what_a_frame_says_it_holds_and_the_file_does_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
        let place = file.append(&vec!["a".repeat(100)]).expect("room on disk");
        file.sync().expect("a disk");
        let path = segment_path(folder.path(), 0);
        let mut bytes = fs::read(&path).expect("it was written");
        let at = place.offset() as usize;
        bytes[at..at + 16].copy_from_slice(&super::super::frames::claiming(i32::MAX as u32, place.offset()));
        fs::write(&path, &bytes).expect("room on disk");
        for is_locked in [true, false] {
            let reader = Texts::open(folder.path(), 7, file.end(), is_locked).expect("it is as long as it was");
            let told = reader.read(place).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(told.contains(BEYOND), "{told}");
        }
    }
}
