//! Reads every byte of a record file and checks it.

use std::ops::Range;

use super::bundles;
use super::frames::{FILE_HEADER, RecordRef, has_sound_header, walk};
use super::layout::{BLOCK_PAGES, StoredPage, page_of_block};
use super::packing::unpack;
use super::records::{Checked, RecordFile, Segment, Stored, aligned};
use crate::error::Result;

/// A part of a record file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Kind of the records.
    pub kind: &'static str,
    /// The range.
    pub(super) range: Range<RecordRef>,
    /// The reason.
    pub why: &'static str,
}

impl Torn {
    /// Segment and byte at which it begins.
    pub fn place(&self) -> String {
        format!("{:06}.rec at byte {}", self.range.start.segment(), self.range.start.offset())
    }

    /// Its length in bytes, where it ends in the same segment.
    pub fn bytes(&self) -> u64 {
        self.range.end.0.saturating_sub(self.range.start.0)
    }
}

/// What was found in a record file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileReport {
    /// Records that are sound.
    pub records: u64,
    /// Committed bytes, including holes.
    pub bytes: u64,
    /// Bytes of holes.
    pub holes: u64,
    /// The stretches that cannot be read.
    pub torn: Vec<Torn>,
}

impl<T: Stored> RecordFile<T>
where
    T::Archived: Checked,
{
    /// Reads a whole file; `is_sound` checks the payload of each record whose checksum fits.
    pub(super) fn check(&self, kind: &'static str, is_sound: impl Fn(&[u8], bool) -> bool) -> Result<FileReport> {
        let mut found = FileReport { bytes: self.bytes(), ..FileReport::default() };
        for segment in self.segments() {
            let Segment { number, map, .. } = segment?;
            if !has_sound_header(&map, self.kind(), number) {
                let range = RecordRef::new(number, 0)..RecordRef::new(number, FILE_HEADER);
                found.torn.push(Torn { kind, range, why: "the header of its segment does not fit" });
            }
            for walked in walk(&map) {
                let range = RecordRef::new(number, walked.range.start)..RecordRef::new(number, walked.range.end);
                match walked.frame {
                    None => found.torn.push(Torn { kind, range, why: "its checksum does not fit" }),
                    Some(frame) if frame.head.seal().is_some() => {}
                    Some(frame) if frame.head.is_hole() => found.holes += walked.range.end - walked.range.start,
                    Some(frame) => {
                        let sound = frame.payload(&map).and_then(|payload| match frame.head.is_bundle() {
                            true => sound_of_bundle(&payload, &is_sound),
                            false => is_sound(&payload, frame.head.is_packed()).then_some(1),
                        });
                        match sound {
                            Some(records) => found.records += records,
                            None => found.torn.push(Torn { kind, range, why: "its bytes make no sense" }),
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}

/// How many records a bundle has; `None` where it is none, or one of them is not sound.
fn sound_of_bundle(payload: &[u8], is_sound: impl Fn(&[u8], bool) -> bool) -> Option<u64> {
    let content = bundles::unbundle(payload)?;
    let records = (0..).map_while(|place| bundles::record(&content, place)).filter(|range| !range.is_empty());
    let records: Vec<bool> = records.map(|range| is_sound(&content[range], false)).collect();
    (records.iter().all(|&is_sound| is_sound) && bundles::count_there(payload) == Some(records.len() as u32))
        .then_some(records.len() as u64)
}

/// True when these bytes are a block of pages, and each page in it can be read or was removed.
pub fn is_page_block(payload: &[u8], is_packed: bool) -> bool {
    let Some(block) = is_packed.then(|| unpack(payload)).flatten() else { return false };
    let mut pages = (0..BLOCK_PAGES).map_while(|place| page_of_block(&block, place)).peekable();
    pages.peek().is_some() && pages.all(|page| page.is_empty() || StoredPage::decode(page).is_some())
}

/// True when these bytes are a record of type `T`.
pub fn is_record<T: Stored>(payload: &[u8], is_packed: bool) -> bool
where
    T::Archived: Checked,
{
    let bytes = if is_packed { unpack(payload) } else { Some(aligned(payload)) };
    bytes.is_some_and(|bytes| rkyv::access::<T::Archived, rkyv::rancor::Error>(&bytes).is_ok())
}
