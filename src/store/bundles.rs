//! Bundles: short records that lie in one frame, packed together. What a small site has of each kind are some hundred bytes, which a frame of
//! its own would make longer instead of shorter; sixteen such records have much in common.
//!
//! docs/format.md describes the bytes. A reference to a record is the one to its frame plus its place among the records, as for pages.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::path::Path;

use rkyv::util::AlignedVec;

use super::frames::{FRAME_HEADER, RecordRef};
use super::packing::{pack, packed_within, unpack};
use crate::error::{Error, Result};

/// Longer records get a frame of their own, which the process that writes can read in place.
pub const SHORT_BYTES: usize = 16 << 10;
/// A bundle of so many bytes takes no more records.
const FULL_BYTES: usize = 64 << 10;
/// The most records of a bundle: references have room for the places of so many.
const MOST: usize = FRAME_HEADER as usize;
/// Records begin on multiples of so many bytes of the unpacked bundle, which is the alignment of archives.
const ALIGNMENT: usize = 16;
/// Bytes that a new bundle has in reserve behind what is packed: what is left when records go may be a few bytes longer.
const RESERVE: usize = 64;
/// Bytes of the number that says which records are there, and stands before what is packed.
pub const COUNT_BYTES: usize = 4;

/// The decision about a record.
#[derive(Debug, PartialEq, Eq)]
pub enum Kept {
    /// It stays as it is.
    Same,
    /// It is removed.
    Gone,
    /// It is replaced by this payload, which is not longer than the old one and of the same kind (packed or plain).
    Instead(Vec<u8>),
}

/// Records that are being collected for a frame.
#[derive(Default)]
pub struct Bundle {
    records: Vec<Vec<u8>>,
    bytes: usize,
}

impl Bundle {
    /// Adds a record; returns its place.
    pub fn push(&mut self, record: &[u8]) -> usize {
        self.bytes += record.len();
        self.records.push(record.to_vec());
        self.records.len() - 1
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// True when it takes no more records.
    pub fn is_full(&self) -> bool {
        self.records.len() == MOST || self.bytes >= FULL_BYTES
    }

    /// The payload of the frame for the records so far; begins anew.
    ///
    /// # Errors
    /// When memory is short.
    pub fn take(&mut self) -> io::Result<Vec<u8>> {
        let Bundle { records, .. } = std::mem::take(self);
        let all = u16::MAX >> (MOST - records.len());
        Ok(payload(all, &pack(&content(&records))?, RESERVE))
    }
}

/// The payload of a frame: which places have a record, as the bits of a number, how many bytes there are in reserve, what is packed, and those.
fn payload(there: u16, packed: &[u8], reserve: usize) -> Vec<u8> {
    let number = u32::from(there) | (reserve as u32) << 16;
    [&number.to_le_bytes(), packed, &vec![0; reserve]].concat()
}

/// Which places of a bundle have a record, as the bits of a number, and what is packed; `None` where a payload is no bundle.
pub fn parts(payload: &[u8]) -> Option<(u16, &[u8])> {
    let (number, rest) = payload.split_first_chunk()?;
    let number = u32::from_le_bytes(*number);
    let packed = rest.get(..rest.len().checked_sub((number >> 16) as usize)?)?;
    Some((number as u16, packed))
}

/// What is packed: the number of places, the length of each, and their bytes.
fn content(records: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let mut content = (records.len() as u32).to_le_bytes().to_vec();
    records.iter().for_each(|record| content.extend_from_slice(&(record.as_ref().len() as u32).to_le_bytes()));
    for record in records {
        content.resize(content.len().next_multiple_of(ALIGNMENT), 0);
        content.extend_from_slice(record.as_ref());
    }
    content
}

/// How many records are there, by the first bytes of the payload of a frame.
pub fn count_there(payload: &[u8]) -> Option<u32> {
    payload.first_chunk().map(|bytes| (u32::from_le_bytes(*bytes) as u16).count_ones())
}

/// The content of a frame, given its payload; `None` where that is no bundle. Which places have a record stands beside their number.
pub fn unbundle(payload: &[u8]) -> Option<AlignedVec> {
    let (there, packed) = parts(payload)?;
    let mut content = unpack(packed)?;
    let count = word(&content, 0).filter(|count| (1..=MOST).contains(count))?;
    content[..COUNT_BYTES].copy_from_slice(&(count as u32 | u32::from(there) << 16).to_le_bytes());
    let end = bytes_at(&content, count - 1)?.end;
    (end == content.len() && u32::from(there) >> count == 0).then_some(content)
}

/// How many places a content has, those of removed records among them.
pub fn places(content: &[u8]) -> Option<usize> {
    word(content, 0).map(|word| word & 0xffff).filter(|&count| count <= MOST)
}

/// Where a record lies in a content; empty for one that was removed, and `None` where there is no such place.
pub fn record(content: &[u8], place: usize) -> Option<Range<usize>> {
    let range = bytes_at(content, place)?;
    let is_there = word(content, 0)? >> 16 >> place & 1 == 1;
    Some(if is_there { range } else { range.start..range.start })
}

fn bytes_at(content: &[u8], place: usize) -> Option<Range<usize>> {
    let count = places(content).filter(|&count| place < count)?;
    let mut start = COUNT_BYTES * (count + 1);
    for at in 0..=place {
        start = start.next_multiple_of(ALIGNMENT);
        let end = start.checked_add(word(content, at + 1)?)?;
        if at == place {
            return (end <= content.len()).then_some(start..end);
        }
        start = end;
    }
    None
}

fn word(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at * COUNT_BYTES..)?.first_chunk()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

/// What becomes of a bundle of a file in `folder` when `decide` is asked about each of its records; `None` where the payload is no bundle. What is left keeps its
/// place.
///
/// The bytes of a removed record become those of a record beside it, repeated or cut to their length: so it is gone, and what is packed is hardly
/// ever longer than before.
///
/// # Errors
/// What `decide` returns, or where memory is short.
pub fn kept(
    at: RecordRef,
    payload_before: &[u8],
    folder: &Path,
    mut decide: impl FnMut(RecordRef, &[u8]) -> Result<Kept>,
) -> Result<Option<Kept>> {
    let Some(before) = unbundle(payload_before) else { return Ok(None) };
    let ranges: Vec<Range<usize>> = (0..MOST).map_while(|place| record(&before, place)).collect();
    let mut left: Vec<Option<Cow<[u8]>>> = Vec::new();
    let mut is_same = true;
    for (place, range) in ranges.into_iter().enumerate() {
        let own = &before[range];
        // A removed record stays removed.
        let kept = if own.is_empty() { Kept::Gone } else { decide(at.with_place(place), own)? };
        is_same &= own.is_empty() || kept == Kept::Same;
        left.push(match kept {
            Kept::Same => Some(Cow::Borrowed(own)),
            Kept::Gone => None,
            Kept::Instead(record) => Some(Cow::Owned(record)),
        });
    }
    let there = left.iter().enumerate().fold(0, |bits, (place, record)| bits | u16::from(record.is_some()) << place);
    let Some(mut beside) = left.iter().flatten().next().cloned() else { return Ok(Some(Kept::Gone)) };
    if is_same {
        return Ok(Some(Kept::Same));
    }
    let filled = left.into_iter().enumerate().map(|(place, record)| match record {
        Some(record) => {
            beside = record.clone();
            record
        }
        None => {
            let length = bytes_at(&before, place).map_or(0, |range| range.len());
            Cow::Owned(beside.iter().copied().cycle().take(length).collect())
        }
    });
    let content = content(&filled.collect::<Vec<_>>());
    let packed =
        packed_within(&content, payload_before.len() - COUNT_BYTES).map_err(Error::io(folder, "compressing"))?;
    Ok(Some(Kept::Instead(payload(there, &packed, 0))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bundle(records: &[Vec<u8>]) -> Vec<u8> {
        let mut bundle = Bundle::default();
        records.iter().zip(0..).for_each(|(record, place)| assert_eq!(bundle.push(record), place));
        bundle.take().expect("memory")
    }

    proptest! {
        #[test]
        fn records_keep_their_places_when_others_go(
            records in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 1..17),
            gone in any::<u16>(),
        ) {
            let made = bundle(&records);
            prop_assert_eq!(count_there(&made), Some(records.len() as u32));
            let at = RecordRef(64);
            let is_gone = |place: usize| gone >> place & 1 == 1;
            let decide = |at: RecordRef, _: &[u8]| Ok(if is_gone(at.place()) { Kept::Gone } else { Kept::Same });
            let kept = kept(at, &made, Path::new(""), decide).expect("nothing fails").expect("a bundle");
            let there = (0..records.len()).filter(|&place| !is_gone(place)).count();
            let rest = match kept {
                Kept::Gone => {
                    prop_assert_eq!(there, 0);
                    return Ok(());
                }
                Kept::Same => { prop_assert_eq!(there, records.len()); made }
                Kept::Instead(rest) => rest,
            };
            prop_assert_eq!(count_there(&rest), Some(there as u32));
            let content = unbundle(&rest).expect("it was bundled");
            for (place, expected) in records.iter().enumerate() {
                let range = record(&content, place).expect("it has a place");
                prop_assert_eq!(range.start % ALIGNMENT, 0);
                prop_assert_eq!(&content[range], if is_gone(place) { &[][..] } else { expected });
            }
            prop_assert!(record(&content, records.len()).is_none());
        }

        #[test]
        fn any_bytes_are_looked_into_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..120), count in 0u32..20) {
            let content = [&(count | 0xffff << 16).to_le_bytes()[..], &bytes].concat();
            let ranges: Vec<_> = (0..20).filter_map(|place| record(&content, place)).collect();
            prop_assert!(ranges.iter().all(|range| range.end <= content.len()));
            unbundle(&content);
            unbundle(&[&[255, 255, 0, 0][..], &pack(&content).expect("memory")].concat());
        }
    }

    proptest! {
        /// Records of many sites are nearly the same. One after the other goes, and the frame never needs more room.
        #[test]
        fn what_is_left_of_a_bundle_is_not_longer(
            record in prop::collection::vec(any::<u8>(), 20..400),
            own in prop::collection::vec((any::<u8>(), 0usize..20), 16),
            order in Just((0..16usize).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let records = own.iter().map(|&(byte, at)| {
                let mut record = record.clone();
                record[at] = byte;
                record
            });
            let mut payload = bundle(&records.collect::<Vec<_>>());
            let room = payload.len().next_multiple_of(FRAME_HEADER as usize);
            for (gone, place) in order.into_iter().enumerate() {
                let decide = |at: RecordRef, _: &[u8]| Ok(if at.place() == place { Kept::Gone } else { Kept::Same });
                match kept(RecordRef(64), &payload, Path::new(""), decide).expect("nothing fails").expect("a bundle") {
                    Kept::Instead(rest) => {
                        prop_assert!(rest.len() <= room, "{} in {room}, without {gone}", rest.len());
                        payload = rest;
                    }
                    kept => prop_assert_eq!((kept, gone), (Kept::Gone, 15)),
                }
            }
        }
    }

    #[test]
    fn a_bundle_is_full_with_as_many_records_or_bytes_as_it_takes() {
        let mut bundle = Bundle::default();
        (0..MOST - 1).for_each(|_| assert!(bundle.push(&[1]) < MOST - 1 && !bundle.is_full()));
        bundle.push(&[1]);
        assert!(bundle.is_full() && bundle.len() == MOST);
        bundle.take().expect("memory");
        assert!(bundle.is_empty() && !bundle.is_full());
        bundle.push(&[1; FULL_BYTES]);
        assert!(bundle.is_full());
    }
}
