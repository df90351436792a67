//! Surveys a damaged record file: which of it can be read.

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use super::disk;
use super::frames::{FILE_HEADER, RecordRef, Walked, align, file_header, has_sound_header, walk};
use super::maps::Map;
use super::records::{Checked, RecordFile, START, Stored, UNKNOWN};
use super::segments::{SEGMENT_BYTES, own_length, segment_path};
use crate::error::{Error, Result};
use crate::files;

/// What can be read of a damaged record file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The place behind the last sound frame.
    pub end: RecordRef,
    /// The ranges before `end` that cannot be read.
    pub lost: Vec<Range<RecordRef>>,
    /// True when the header of a segment does not fit.
    pub has_torn_header: bool,
}

impl Survey {
    fn lose(&mut self, range: Range<RecordRef>) {
        self.lost.push(range);
    }
}

impl<T: Stored> RecordFile<T>
where
    T::Archived: Checked,
{
    /// Surveys a damaged file before `limit`. A frame counts as readable when its checksum fits and `is_sound` accepts its payload (given
    /// whether it is packed).
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn survey(
        folder: &Path,
        kind: u32,
        limit: RecordRef,
        is_sound: impl Fn(&[u8], bool) -> bool,
    ) -> Result<Survey> {
        let mut survey = Survey { end: START, lost: Vec::new(), has_torn_header: false };
        for segment in 0..=limit.segment() {
            let path = segment_path(folder, segment);
            let is_last = segment == limit.segment();
            let stop = if is_last { limit.offset() } else { SEGMENT_BYTES };
            let Some(length) = own_length(&path, kind, segment)? else {
                if limit == UNKNOWN && !path.exists() {
                    break;
                }
                survey.lose(RecordRef::new(segment, FILE_HEADER)..RecordRef::new(segment + 1, 0));
                continue;
            };
            let stop = if is_last { length.min(stop) } else { length };
            let file = files::open(&path).map_err(Error::io(&path, "opening"))?;
            let map = Map::of(&file, &path, length)?;
            survey.has_torn_header |= !has_sound_header(&map, kind, segment);
            for Walked { range, frame } in walk(&map[..stop as usize]) {
                let [start, end] = [range.start, range.end].map(|offset| RecordRef::new(segment, offset));
                let sound = frame.filter(|frame| {
                    let is_record = |payload: Vec<u8>| is_sound(&payload, frame.head.is_packed());
                    frame.head.holds_nothing() || frame.payload(&map).is_some_and(is_record)
                });
                match sound {
                    Some(_) => survey.end = end,
                    None => survey.lose(start..end),
                }
            }
            if !is_last && length < SEGMENT_BYTES {
                survey.lose(RecordRef::new(segment, align(length))..RecordRef::new(segment + 1, 0));
            }
        }
        // Unreadable data at the end is not reported: `end` stands before it.
        let end = survey.end;
        survey.lost.retain(|lost| lost.start < end);
        Ok(survey)
    }
}

/// Gives the file of a kind its committed length, where it is shorter or replaced by another file. The missing part then counts as damaged
/// and becomes a hole, so that no reference is given out twice.
///
/// # Errors
/// When the disk does not take it.
pub fn fill(folder: &Path, kind: u32, end: RecordRef) -> Result<()> {
    if end == START {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(Error::io(folder, "making the folder"))?;
    for segment in 0..=end.segment() {
        let path = segment_path(folder, segment);
        let own = own_length(&path, kind, segment)?;
        if own.is_none() && path.exists() {
            disk::remove(&path).map_err(Error::io(&path, "removing what is another file"))?;
        }
        let length = own.unwrap_or(0);
        let needed = if segment == end.segment() { end.offset() } else { SEGMENT_BYTES };
        if length >= needed {
            continue;
        }
        let fill = || -> std::io::Result<()> {
            let mut file = disk::open(&path)?;
            if length < FILE_HEADER {
                file.write_all(&file_header(kind, segment))?;
            }
            file.set_len(needed)?;
            file.sync_data()
        };
        fill().map_err(Error::io(&path, "filling"))?;
    }
    disk::sync_folder(folder).map_err(Error::io(folder, "syncing"))
}
