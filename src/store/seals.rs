//! Seals: a seal ends the records of a commit, and is a frame with the checksum of all frames of the file before it.
//!
//! The manifest and the catalog name the last seal of each record file. A file from another state of the store, or from another store, is
//! thereby recognized when it is opened, even if it is long enough and each of its frames is sound: for example after a copy of a store was
//! restored in part.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::frames::{FILE_HEADER, FRAME_HEADER, Head, RecordRef, START, head_of};
use super::segments::{SEGMENT_BYTES, own_length, read_at, segment_path};
use crate::error::{Error, Result};
use crate::files;

/// What stands before the end of a record file or of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// A seal, with its checksum.
    Seal(u32),
    /// Another frame that ends at this offset, or the middle of one; or there is no file.
    Frame(u64),
    /// A hole, or the middle of one, which a rebuild has put in place of unreadable data.
    Hole,
    /// No valid frame, and no frame before it reaches past this place.
    Damaged,
}

/// The checksum of the seal before the end of a record file; `None` where another frame stands there, or the file ends before.
///
/// # Errors
/// When it cannot be read.
pub fn sealed_before(folder: &Path, end: RecordRef) -> Result<Option<u32>> {
    let found = match end.offset().checked_sub(FRAME_HEADER) {
        Some(at) if at >= FILE_HEADER => end_at(&segment_path(folder, end.segment()), at)?,
        _ => End::Frame(0),
    };
    Ok(if let End::Seal(seal) = found { Some(seal) } else { None })
}

/// What stands at a place of a segment where a seal is expected. If no sound frame begins there, the frames are followed from the
/// beginning: if one of them reaches past the place, the file is sound but of another state; otherwise it is damaged at the place or before
/// it.
fn end_at(path: &Path, at: u64) -> Result<End> {
    let file = match files::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(End::Frame(0)),
        opened => opened.map_err(Error::io(path, "opening"))?,
    };
    let head_at = |at: u64| -> Result<Option<Head>> {
        let mut header = [0; FRAME_HEADER as usize];
        let read = read_at(&file, &mut header, at).map_err(Error::io(path, "reading"))?;
        Ok(head_of(&header[..read], at))
    };
    let other = |head: Head, end: u64| if head.is_hole() { End::Hole } else { End::Frame(end) };
    if let Some(head) = head_at(at)? {
        return Ok(head.seal().map_or(other(head, head.end(at)), End::Seal));
    }
    let mut place = FILE_HEADER;
    while place < at {
        let Some(head) = head_at(place)? else { return Ok(End::Damaged) };
        place = head.end(place);
        if place > at {
            return Ok(other(head, place));
        }
    }
    Ok(End::Damaged)
}

/// Checks that a record file, as far as it exists, is the one whose last seal has the checksum `seal` (0 where it has none), and that its
/// segments follow one another. A short or missing file is reported elsewhere. Returns the path of a segment whose end is damaged, so that
/// this cannot be decided.
///
/// # Errors
/// When it is another file, with the remedy; or when it cannot be read.
pub fn check_seal(folder: &Path, kind: u32, end: RecordRef, seal: u32) -> Result<Option<PathBuf>> {
    let other = |segment: u32| {
        let problem = "is not of the same state of the store as manifest.json: a copy was put back in part; `diglot run` goes on where \
                       manifest.json alone is older; else put all files of one copy back, or delete this one: `diglot run` then makes \
                       again what it can, and says which archives must be given again";
        Err(Error::Store { path: segment_path(folder, segment), problem: problem.into() })
    };
    if end == START {
        return Ok(None);
    }
    let mut damaged = None;
    for segment in 1..=end.segment() {
        let before = segment_path(folder, segment - 1);
        let length = own_length(&before, kind, segment - 1)?;
        let Some(length) = length.filter(|&length| length >= SEGMENT_BYTES) else { continue };
        let End::Seal(follows) = end_at(&segment_path(folder, segment), FILE_HEADER)? else { continue };
        match end_at(&before, length.saturating_sub(FRAME_HEADER))? {
            End::Hole => {}
            End::Seal(found) if found == follows => {}
            // If this frame reaches past the end of the file, the file was cut.
            End::Frame(end) if end != length => damaged = damaged.or(Some(before)),
            End::Damaged => damaged = damaged.or(Some(before)),
            End::Seal(_) | End::Frame(_) => return other(segment - 1),
        }
    }
    let path = segment_path(folder, end.segment());
    if own_length(&path, kind, end.segment())?.is_none_or(|length| length < end.offset()) {
        return Ok(damaged);
    }
    match end_at(&path, end.offset().saturating_sub(FRAME_HEADER))? {
        End::Seal(found) if found != seal => other(end.segment()),
        End::Frame(_) | End::Hole if seal != 0 => other(end.segment()),
        End::Damaged if seal != 0 => Ok(damaged.or(Some(path))),
        _ => Ok(damaged),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::os::unix::fs::FileExt;

    use super::super::frames::{FRAME_MAGIC, file_header, frame_header, hole_header, seal};
    use super::super::records::RecordFile;
    use super::*;

    type Texts = RecordFile<Vec<String>>;

    fn append(file: &mut Texts, texts: &[&str]) -> (RecordRef, u32) {
        for text in texts {
            file.append(&vec![(*text).to_owned()]).expect("room on disk");
        }
        file.sync().expect("a disk");
        (file.end(), file.last_seal())
    }

    #[test]
    fn a_seal_is_the_checksum_of_all_headers_before_it_and_tells_files_apart() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let mut file = Texts::open(&one, 7, START, true).expect("an empty folder");
        assert_eq!(append(&mut file, &[]), (START, 0));
        let first = append(&mut file, &["a", "b"]);
        assert_eq!(append(&mut file, &[]), first);
        drop(file);
        let mut file = Texts::open(&one, 7, first.0, true).expect("it was written");
        let last = append(&mut file, &["c"]);
        let bytes = fs::read(segment_path(&one, 0)).expect("it was written");
        let headers = |stop: RecordRef| {
            super::super::frames::walk(&bytes[..stop.offset() as usize]).fold(0, |chain, walked| {
                let (at, frame) = (walked.range.start as usize, walked.frame.expect("it is sound"));
                if frame.head.seal().is_some() { chain } else { crc32c::crc32c_append(chain, &bytes[at..at + 12]) }
            })
        };
        assert_eq!((first.1, last.1), (headers(first.0), headers(last.0)));
        // The first commit is in both files, so the longer file passes for it too.
        for (end, seal) in [first, last] {
            assert_eq!(check_seal(&one, 7, end, seal).expect("it is that of the commit"), None);
        }
        let mut file = Texts::open(&other, 7, START, true).expect("an empty folder");
        append(&mut file, &["a", "x"]);
        let same_length = append(&mut file, &["c"]);
        assert_eq!(same_length.0, last.0);
        let told = check_seal(&other, 7, last.0, last.1).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("000000.rec: is not of the same state"), "{told}");
        // A missing or short file is reported elsewhere.
        check_seal(folder.path(), 7, last.0, last.1).expect("there is none");
        fs::write(segment_path(&other, 0), &bytes[..first.0.offset() as usize]).expect("room on disk");
        check_seal(&other, 7, last.0, last.1).expect("it is short");
        // A damaged end is not taken for another state. This holds here, where an earlier frame is damaged too, and at the end of a segment
        // that is not the last one.
        let path = segment_path(&one, 0);
        for damage in [last.0.offset() - 3, last.0.offset() - 40] {
            let mut damaged = bytes.clone();
            damaged[damage as usize..].fill(0xa5);
            fs::write(&path, &damaged).expect("room on disk");
            assert_eq!(check_seal(&one, 7, last.0, last.1).expect("it can be read"), Some(path.clone()), "{damage}");
        }
        fs::write(&path, &bytes).expect("room on disk");
        // As in files from before there were seals.
        let end = RecordRef(first.0.0 - FRAME_HEADER);
        check_seal(&one, 7, end, 0).expect("none was there");
        assert!(check_seal(&one, 7, end, 1).is_err());
    }

    #[test]
    fn segments_follow_one_another() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |segment: u32, at: u64, bytes: &[u8]| {
            let path = segment_path(folder.path(), segment);
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).expect("room on disk");
            file.write_all_at(bytes, at).expect("room on disk");
        };
        for segment in 0..2 {
            write(segment, 0, &file_header(7, segment));
        }
        // A hole as long as a segment may be, followed by the seal that ends a commit, which stands again at the beginning of the next
        // segment.
        write(0, SEGMENT_BYTES, &seal(11, SEGMENT_BYTES));
        write(1, FILE_HEADER, &seal(11, FILE_HEADER));
        let payload = rkyv::to_bytes::<rkyv::rancor::Error>(&vec!["a".to_owned()]).expect("memory");
        let header = frame_header(FRAME_MAGIC, &payload, FILE_HEADER + FRAME_HEADER);
        write(1, FILE_HEADER + FRAME_HEADER, &[&header[..], &payload].concat());
        let at = FILE_HEADER + 2 * FRAME_HEADER + payload.len().next_multiple_of(16) as u64;
        write(1, at, &seal(12, at));
        let end = RecordRef::new(1, at + FRAME_HEADER);
        check_seal(folder.path(), 7, end, 12).expect("they follow one another");
        assert!(check_seal(folder.path(), 7, end, 11).is_err());
        write(0, SEGMENT_BYTES, &seal(10, SEGMENT_BYTES));
        let told = check_seal(folder.path(), 7, end, 12).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("000000.rec: is not of the same state"), "{told}");
        write(0, SEGMENT_BYTES, &[0xa5; 16]);
        let damaged = check_seal(folder.path(), 7, end, 12).expect("it can be read");
        assert_eq!(damaged, Some(segment_path(folder.path(), 0)));
        // A hole that a rebuild made is accepted in place of a seal, even if only the seal was lost.
        write(0, SEGMENT_BYTES, &hole_header(0, SEGMENT_BYTES));
        assert_eq!(check_seal(folder.path(), 7, end, 12).expect("it can be read"), None);
        write(0, FILE_HEADER, &hole_header(SEGMENT_BYTES as u32 - 64, FILE_HEADER));
        assert_eq!(check_seal(folder.path(), 7, end, 12).expect("it can be read"), None);
        // A cut file is reported elsewhere too, even if it ends in the middle of a record.
        let payload = vec![0; 100];
        write(0, FILE_HEADER, &frame_header(FRAME_MAGIC, &payload, FILE_HEADER));
        let first = OpenOptions::new().write(true).open(segment_path(folder.path(), 0)).expect("it was written");
        first.set_len(FILE_HEADER + 64).expect("a disk");
        assert_eq!(check_seal(folder.path(), 7, end, 12).expect("it can be read"), None);
        // The last record of a segment may reach past the normal length of segments, and be cut there.
        let payload = vec![0; SEGMENT_BYTES as usize];
        write(0, FILE_HEADER, &frame_header(FRAME_MAGIC, &payload, FILE_HEADER));
        for (length, is_known) in [(SEGMENT_BYTES, false), (SEGMENT_BYTES + FILE_HEADER + FRAME_HEADER, true)] {
            first.set_len(length).expect("a disk");
            let told = check_seal(folder.path(), 7, end, 12);
            assert_eq!(told.is_err(), is_known, "{told:?}");
        }
    }
}
