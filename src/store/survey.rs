//! What can be read of a record file that is damaged.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;

use super::format::FORMAT_VERSION;
use super::frames::{FILE_HEADER, RecordRef, Walked, align, file_header, header_of, walk};
use super::records::{Checked, RecordFile, SEGMENT_BYTES, START, Stored, UNKNOWN, map, segment_path};
use crate::error::{Error, Result};

/// What can be read of a damaged record file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// Behind the last sound frame.
    pub end: RecordRef,
    /// What lies before and cannot be read.
    pub lost: Vec<Range<RecordRef>>,
}

impl Survey {
    fn lose(&mut self, range: Range<RecordRef>) {
        self.lost.push(range);
    }

    /// True when what stands at a place can be read, so far as is known.
    pub fn has(&self, at: RecordRef) -> bool {
        at < self.end && !self.lost.iter().any(|lost| lost.contains(&at))
    }
}

impl<T: Stored> RecordFile<T>
where
    T::Archived: Checked,
{
    /// What can be read of a damaged file before `limit`. The records must have been written by a format from `since` on.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn survey(folder: &Path, kind: u32, since: u32, limit: RecordRef) -> Result<Survey> {
        let mut survey = Survey { end: START, lost: Vec::new() };
        for segment in 0..=limit.segment() {
            let path = segment_path(folder, segment);
            let is_last = segment == limit.segment();
            let stop = if is_last { limit.offset() } else { SEGMENT_BYTES };
            let Ok(length) = fs::metadata(&path).map(|m| m.len()) else {
                if limit == UNKNOWN {
                    break;
                }
                survey.lose(RecordRef::new(segment, FILE_HEADER)..RecordRef::new(segment + 1, 0));
                continue;
            };
            let stop = if is_last { length.min(stop) } else { length };
            let file = File::open(&path).map_err(Error::io(&path, "opening"))?;
            let map = map(&file, &path, length)?;
            let header = header_of(&map);
            if !(since..=FORMAT_VERSION).any(|format| header == Some(file_header(format, kind, segment))) {
                survey.lose(RecordRef::new(segment, FILE_HEADER)..RecordRef::new(segment + 1, 0));
                continue;
            }
            for Walked { range, frame } in walk(&map[..stop as usize]) {
                let [start, end] = [range.start, range.end].map(|offset| RecordRef::new(segment, offset));
                match frame {
                    Some(_) => survey.end = end,
                    None => survey.lose(start..end),
                }
            }
            if !is_last && length < SEGMENT_BYTES {
                survey.lose(RecordRef::new(segment, align(length))..RecordRef::new(segment + 1, 0));
            }
        }
        // What is lost at the end is no hole: the file ends before it.
        let end = survey.end;
        survey.lost.retain(|lost| lost.start < end);
        Ok(survey)
    }
}
