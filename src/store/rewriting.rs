//! Rewrites segments without their dead records. Live records keep their places, so that no reference changes; the rest becomes holes,
//! which take no room on disk where the file system supports sparse files.
//!
//! A segment is replaced as a whole, by a rename, so the work can be interrupted at any moment. A process that reads the old segment goes
//! on reading it.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use super::bundles;
pub use super::bundles::Kept;
use super::disk::{self, Writing};
use super::frames::{
    FRAME_HEADER, Frame, RecordRef, Walked, align, file_header, frame_header, has_sound_header, hole_header, walk,
};
use super::records::{Checked, RecordFile, START, Segment, Stored};
use crate::error::{Error, Result};

/// What to do with damaged parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damaged {
    /// They stay as they are, to be found and reported later.
    Stays,
    /// It becomes a hole.
    Hole,
}

/// Length of the longest hole, since it is stored like the length of a record.
const MAX_HOLE: u64 = (i32::MAX as u64) & !(FRAME_HEADER - 1);

impl<T: Stored> RecordFile<T>
where
    T::Archived: Checked,
{
    /// Asks `decide` about every committed record, given its place, its payload as stored, and whether that is packed; those of a bundle
    /// are given unpacked. A segment stays as
    /// it is if less than `least_share` of it would be removed. Returns how many bytes were removed.
    ///
    /// # Errors
    /// When the disk does not take it, or what `decide` returns. Each segment is then either as before or completely rewritten.
    pub fn rewrite(
        &mut self,
        damaged: Damaged,
        least_share: f64,
        decide: impl FnMut(RecordRef, &[u8], bool) -> Result<Kept>,
    ) -> Result<u64> {
        if self.end() == START {
            return Ok(0);
        }
        let is_written = self.close_writer();
        let freed = self.rewrite_segments(damaged, least_share, decide);
        // Segments that were replaced before one could not be are let go of, too.
        self.let_go();
        if is_written {
            self.open_writer_again()?;
        }
        freed
    }

    fn rewrite_segments(
        &self,
        damaged: Damaged,
        least_share: f64,
        mut decide: impl FnMut(RecordRef, &[u8], bool) -> Result<Kept>,
    ) -> Result<u64> {
        let mut freed = 0;
        for segment in self.segments() {
            let Segment { number, path, map: old } = segment?;
            let (mut parts, mut gone, mut is_changed) = (Vec::new(), 0, false);
            let mut walked = walk(&old).peekable();
            // Where a hole begins of which the frame before it took a part.
            let mut taken = 0;
            while let Some(Walked { mut range, frame }) = walked.next() {
                range.start = range.start.max(taken);
                let is_hole = |frame: &Option<Frame>| frame.as_ref().is_some_and(|frame| frame.head.is_hole());
                let decided = match &frame {
                    Some(frame) if frame.head.is_hole() => Some(Kept::Gone),
                    Some(frame) if frame.head.seal().is_some() => Some(Kept::Same),
                    Some(frame) => {
                        let at = RecordRef::new(number, range.start);
                        let payload = frame.payload(&old).ok_or_else(|| self.senseless(at))?;
                        match frame.head.is_bundle() {
                            true => bundles::kept(at, &payload, &path, |at, record| decide(at, record, false))?,
                            false => Some(decide(at, &payload, frame.head.is_packed())?),
                        }
                    }
                    None => None,
                };
                let kept = decided.unwrap_or(if damaged == Damaged::Stays { Kept::Same } else { Kept::Gone });
                // What an earlier rewriting left of a frame is followed by a hole, where the frame ended.
                let behind = walked.peek().filter(|next| is_hole(&next.frame)).map_or(range.end, |hole| hole.range.end);
                let room = range.end - range.start;
                let length = |kept: &Kept| match kept {
                    Kept::Same => room,
                    Kept::Gone => 0,
                    Kept::Instead(payload) => FRAME_HEADER + align(payload.len() as u64),
                };
                // What is merely dead may stay where the rest would be longer.
                let is_longer = length(&kept) > behind - range.start;
                let kept = if is_longer && least_share > 0.0 { Kept::Same } else { kept };
                let left = length(&kept);
                if left > behind - range.start {
                    let problem = "a record does not become longer in its place";
                    return Err(Error::Store { path, problem: problem.into() });
                }
                if !is_hole(&frame) {
                    gone += room.saturating_sub(left);
                    is_changed |= kept != Kept::Same;
                }
                if left > room {
                    (range.end, taken) = (range.start + left, range.start + left);
                }
                let magic = frame.map_or(0, |frame| frame.head.magic());
                parts.push(Part { range, magic, kept });
            }
            // A damaged header of a segment is repaired when holes are made.
            let is_mended = damaged == Damaged::Hole && !has_sound_header(&old, self.kind(), number);
            if !is_mended && (!is_changed || (gone as f64) < least_share * old.len() as f64) {
                continue;
            }
            let fresh = path.with_extension("new");
            let header = file_header(self.kind(), number);
            let written = write(&fresh, &header, &old, &parts).and_then(|()| disk::rename(&fresh, &path));
            written.map_err(Error::io(&path, "writing anew"))?;
            freed += gone;
        }
        Ok(freed)
    }
}

struct Part {
    range: Range<u64>,
    magic: u32,
    kept: Kept,
}

fn write(path: &Path, header: &[u8], old: &[u8], parts: &[Part]) -> std::io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, disk::create(path)?);
    file.write_all(header)?;
    let mut hole: Option<u64> = None;
    for Part { range, magic, kept } in parts {
        let here = match kept {
            Kept::Gone => {
                hole.get_or_insert(range.start);
                continue;
            }
            _ => hole.take(),
        };
        if let Some(start) = here {
            write_holes(&mut file, start..range.start)?;
        }
        match kept {
            Kept::Instead(payload) => {
                file.write_all(&frame_header(*magic, payload, range.start))?;
                file.write_all(payload)?;
                let end = align(range.start + FRAME_HEADER + payload.len() as u64);
                let padding = end - (range.start + FRAME_HEADER + payload.len() as u64);
                file.write_all(&[0; FRAME_HEADER as usize][..padding as usize])?;
                if end < range.end {
                    hole = Some(end);
                }
            }
            _ => file.write_all(&old[range.start as usize..range.end as usize])?,
        }
    }
    let mut length = old.len() as u64;
    if let Some(start) = hole {
        // The rest of a file that was cut may be shorter than the header of a hole.
        length = align(length);
        write_holes(&mut file, start..length)?;
    }
    file.flush()?;
    let file = file.into_inner().map_err(|error| error.into_error())?;
    file.set_len(length)?;
    file.sync_data()
}

fn write_holes(file: &mut BufWriter<Writing>, range: Range<u64>) -> std::io::Result<()> {
    let mut at = range.start;
    while at < range.end {
        let next = range.end.min(at + MAX_HOLE);
        file.write_all(&hole_header((next - at - FRAME_HEADER) as u32, at))?;
        // The rest of the hole is skipped, so that it takes no room on disk.
        file.seek(SeekFrom::Start(next))?;
        at = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::check_file::is_record;
    use super::*;

    type Texts = RecordFile<Vec<String>>;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        /// Short records that are nearly the same go one after the other; what was removed is in no byte of the file.
        #[test]
        fn short_records_go_one_by_one(order in Just((0..20usize).collect::<Vec<_>>()).prop_shuffle()) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
            let text = |number: usize| vec![format!("{}{number:03}", "the same words ".repeat(number % 3 + 1))];
            let mut left = BTreeMap::new();
            for number in 0..20 {
                left.insert(number, file.append_short(&text(number)).expect("room on disk"));
            }
            file.sync().expect("a disk");
            for gone in order {
                let at = left.remove(&gone).expect("it is there");
                let decide = |found: RecordRef, _: &[u8], _| Ok(if found == at { Kept::Gone } else { Kept::Same });
                prop_assert!(file.rewrite(Damaged::Stays, 0.0, decide).is_ok());
                prop_assert!(!file.has(at) && file.read(at).is_err());
                for (number, at) in &left {
                    let read = file.read(*at).expect("it is there").get()[0].to_string();
                    prop_assert_eq!(&read, &text(*number)[0]);
                }
                let report = file.check("texts", is_record::<Vec<String>>).expect("it can be read");
                prop_assert_eq!((report.records, report.torn), (left.len() as u64, vec![]));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_stays_keeps_its_place(fates in prop::collection::vec((0usize..3000, 0u8..3), 1..60), again in any::<u64>()) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut file = Texts::open(folder.path(), 7, START, true).expect("an empty folder");
            let mut model: BTreeMap<RecordRef, (String, u8)> = BTreeMap::new();
            for (length, fate) in &fates {
                let text = "z".repeat(*length);
                let at = file.append(&vec![text.clone()]).expect("room on disk");
                model.insert(at, (text, *fate));
            }
            file.sync().expect("a disk");
            let short = |text: &str| vec![text[..text.len() / 2].to_owned()];
            for _ in 0..2 {
                let freed = file.rewrite(Damaged::Hole, 0.0, |at, _, _| Ok(match &model[&at] {
                    (_, 0) => Kept::Gone,
                    (text, 1) => Kept::Instead(rkyv::to_bytes::<rkyv::rancor::Error>(&short(text)).expect("memory").to_vec()),
                    _ => Kept::Same,
                }));
                prop_assert!(freed.is_ok());
                // Where the rewriting is applied a second time, short records become shorter still; the model of the test does the same.
                model.iter_mut().filter(|(_, (_, fate))| *fate == 1).for_each(|(_, (text, fate))| {
                    *text = short(text).remove(0);
                    *fate = 2;
                });
                model.retain(|_, (_, fate)| *fate != 0);
                let read: BTreeMap<RecordRef, String> = file.records_from(START)
                    .map(|found| found.map(|(at, record)| (at, record.get()[0].to_string())).expect("it is sound")).collect();
                prop_assert_eq!(&read, &model.iter().map(|(at, (text, _))| (*at, text.clone())).collect());
                // And the file accepts more records.
                let text = format!("more {again}");
                let at = file.append(&vec![text.clone()]).expect("room on disk");
                file.sync().expect("a disk");
                model.insert(at, (text, 2));
            }
            let end = file.end();
            drop(file);
            let survey = Texts::survey(folder.path(), 7, end, is_record::<Vec<String>>).expect("it can be read");
            prop_assert_eq!((survey.end, survey.lost.len()), (end, 0));
        }
    }
}
