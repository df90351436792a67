//! Frames: how records lie in a segment, and where.

use std::ops::Range;

use super::format::FORMAT_VERSION;

/// First bytes of every segment.
pub const FILE_MAGIC: [u8; 8] = *b"DIGLOTRC";
/// First bytes of every frame.
pub const FRAME_MAGIC: u32 = 0x4d41_5246;
/// First bytes of every frame whose payload is compressed.
pub const PACKED_MAGIC: u32 = 0x4b43_4150;
/// First bytes of every frame whose payload is a bundle of records.
pub const BUNDLE_MAGIC: u32 = 0x594e_414d;
/// First bytes of a hole, which stands where records were: it holds nothing, up to the next frame.
pub const HOLE_MAGIC: u32 = 0x454c_4f48;
/// First bytes of a seal, which ends the records of a commit: a frame without a record, with the checksum of everything before it.
pub const SEAL_MAGIC: u32 = 0x4c41_4553;
/// Bytes of a segment's header.
pub const FILE_HEADER: u64 = 64;
/// Bytes of a frame's header; frames begin on multiples of it.
pub const FRAME_HEADER: u64 = 16;

/// Where a record lies: the segment and the offset of its frame. Values grow with every record of a file. Frames begin on multiples of 16,
/// so the low four bits are free: they number what lies together in one frame, pages or short records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordRef(pub u64);

impl RecordRef {
    const OFFSET_BITS: u32 = 40;

    pub(super) fn new(segment: u32, offset: u64) -> RecordRef {
        RecordRef(u64::from(segment) << Self::OFFSET_BITS | offset)
    }

    pub(super) fn segment(self) -> u32 {
        (self.0 >> Self::OFFSET_BITS) as u32
    }

    pub(super) fn offset(self) -> u64 {
        self.0 & ((1 << Self::OFFSET_BITS) - 1) & !(FRAME_HEADER - 1)
    }

    /// The reference to the frame, without a place in the record.
    pub fn frame(self) -> RecordRef {
        RecordRef(self.0 & !(FRAME_HEADER - 1))
    }

    /// The reference to one thing in the record, by its place there.
    pub fn with_place(self, place: usize) -> RecordRef {
        debug_assert!(place < FRAME_HEADER as usize);
        RecordRef(self.0 | place as u64)
    }

    /// The place of the thing in the record.
    pub fn place(self) -> usize {
        (self.0 & (FRAME_HEADER - 1)) as usize
    }
}

/// The end of an empty file.
pub const START: RecordRef = RecordRef(FILE_HEADER);
/// The end of a file whose end is not known.
pub const UNKNOWN: RecordRef = RecordRef(u64::MAX >> 1);

pub(super) fn align(offset: u64) -> u64 {
    offset.next_multiple_of(FRAME_HEADER)
}

pub(super) fn file_header(kind: u32, segment: u32) -> [u8; FILE_HEADER as usize] {
    header_of(FORMAT_VERSION, kind, segment)
}

/// The header of a segment of any format.
pub(super) fn header_of(format: u32, kind: u32, segment: u32) -> [u8; FILE_HEADER as usize] {
    let mut header = [0; FILE_HEADER as usize];
    header[..8].copy_from_slice(&FILE_MAGIC);
    header[8..12].copy_from_slice(&format.to_le_bytes());
    header[12..16].copy_from_slice(&0x0102_0304u32.to_le_bytes());
    header[16..20].copy_from_slice(&kind.to_le_bytes());
    header[20..24].copy_from_slice(&segment.to_le_bytes());
    let crc = crc32c::crc32c(&header[..60]);
    header[60..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// True when a segment begins with its header.
pub(super) fn has_sound_header(map: &[u8], kind: u32, segment: u32) -> bool {
    map.starts_with(&file_header(kind, segment))
}

/// The format that the header of a segment names; `None` unless the bytes are a whole header.
pub(super) fn format_of(bytes: &[u8]) -> Option<u32> {
    let header = bytes.first_chunk::<{ FILE_HEADER as usize }>()?;
    let is_whole = header[..8] == FILE_MAGIC && header[60..] == crc32c::crc32c(&header[..60]).to_le_bytes();
    is_whole.then(|| u32::from_le_bytes([header[8], header[9], header[10], header[11]]))
}

/// True when these bytes of a file begin with the whole header of a segment of another format, kind or number. No frame of it then belongs
/// to this segment, however sound it is.
pub(super) fn is_foreign(bytes: &[u8], kind: u32, segment: u32) -> bool {
    format_of(bytes).is_some() && !has_sound_header(bytes, kind, segment)
}

pub(super) fn frame_header(magic: u32, payload: &[u8], offset: u64) -> [u8; FRAME_HEADER as usize] {
    header_with(magic, payload.len() as u32, crc32c::crc32c(payload), offset)
}

pub(super) fn hole_header(length: u32, offset: u64) -> [u8; FRAME_HEADER as usize] {
    header_with(HOLE_MAGIC, length, 0, offset)
}

/// The checksum that follows `chain`, the checksum of the headers before this one. The header's own checksum is left out, since a CRC over
/// data with its own CRC is constant.
pub(super) fn chained(chain: u32, header: &[u8; FRAME_HEADER as usize]) -> u32 {
    crc32c::crc32c_append(chain, &header[..12])
}

/// The seal at `offset`, when `chain` is the checksum of all frames before it.
pub(super) fn seal(chain: u32, offset: u64) -> [u8; FRAME_HEADER as usize] {
    header_with(SEAL_MAGIC, 0, chain, offset)
}

/// The header of a plain frame that claims this length.
#[cfg(test)]
pub(super) fn claiming(length: u32, offset: u64) -> [u8; FRAME_HEADER as usize] {
    header_with(FRAME_MAGIC, length, 0, offset)
}

fn header_with(magic: u32, length: u32, payload_crc: u32, offset: u64) -> [u8; FRAME_HEADER as usize] {
    let mut header = [0; FRAME_HEADER as usize];
    header[..4].copy_from_slice(&magic.to_le_bytes());
    header[4..8].copy_from_slice(&length.to_le_bytes());
    header[8..12].copy_from_slice(&payload_crc.to_le_bytes());
    // The checksum is seeded with the offset, so that a frame copied to another place is not valid there.
    let crc = crc32c::crc32c_append(crc32c::crc32c(&offset.to_le_bytes()), &header[..12]);
    header[12..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// A sound frame, and where its payload lies.
#[derive(Clone)]
pub(super) struct Frame {
    pub(super) head: Head,
    pub(super) range: Range<usize>,
}

impl Frame {
    /// The payload, copied out of the segment so that nobody can change it any more; `None` where the segment was changed since the frame
    /// was found.
    pub(super) fn payload(&self, segment: &[u8]) -> Option<Vec<u8>> {
        let payload = segment[self.range.clone()].to_vec();
        self.head.fits(&payload).then_some(payload)
    }
}

/// A stretch of a segment: a frame with its padding, or bytes that are not a frame.
pub(super) struct Walked {
    /// Where it lies.
    pub(super) range: Range<u64>,
    /// The frame, if it is sound.
    pub(super) frame: Option<Frame>,
}

/// Goes through the frames of a segment; continues behind damaged ones.
pub(super) fn walk(segment: &[u8]) -> impl Iterator<Item = Walked> + '_ {
    let stop = segment.len() as u64;
    // A frame whose padding is cut off is not sound: the file would end before the end that is reported here.
    let sound = move |offset: u64| {
        let frame = frame(segment, offset)?;
        let end = align(frame.range.end as u64);
        (end <= stop).then_some((frame, end))
    };
    let mut offset = FILE_HEADER;
    std::iter::from_fn(move || {
        if offset >= stop {
            return None;
        }
        let begin = offset;
        if let Some((frame, end)) = sound(offset) {
            offset = end;
            return Some(Walked { range: begin..end, frame: Some(frame) });
        }
        offset += FRAME_HEADER;
        while offset < stop && sound(offset).is_none() {
            offset += FRAME_HEADER;
        }
        Some(Walked { range: begin..offset.min(stop), frame: None })
    })
}

/// The frame at `offset` of a segment, if a sound frame stands there. The bytes inside a hole are not covered by a checksum.
pub(super) fn frame(segment: &[u8], offset: u64) -> Option<Frame> {
    let start = usize::try_from(offset).ok()?;
    let head = head_of(segment.get(start..)?, offset)?;
    let start = start + FRAME_HEADER as usize;
    let range = start..start.checked_add(head.length)?;
    let payload = segment.get(range.clone())?;
    (head.holds_nothing() || head.fits(payload)).then_some(Frame { head, range })
}

/// The header of a frame: its type, its length, and the checksum of its payload.
#[derive(Clone, Copy)]
pub(super) struct Head {
    magic: u32,
    crc: u32,
    /// Length of the payload in bytes.
    pub(super) length: usize,
}

impl Head {
    /// The first bytes of the frame.
    pub(super) fn magic(&self) -> u32 {
        self.magic
    }

    /// True when the payload is compressed.
    pub(super) fn is_packed(&self) -> bool {
        self.magic == PACKED_MAGIC
    }

    /// True when the payload is a bundle.
    pub(super) fn is_bundle(&self) -> bool {
        self.magic == BUNDLE_MAGIC
    }

    /// True when the frame is a hole.
    pub(super) fn is_hole(&self) -> bool {
        self.magic == HOLE_MAGIC
    }

    /// The checksum of all frames before this one, if this one is a seal.
    pub(super) fn seal(&self) -> Option<u32> {
        (self.magic == SEAL_MAGIC).then_some(self.crc)
    }

    /// True when the frame holds no record.
    pub(super) fn holds_nothing(&self) -> bool {
        self.is_hole() || self.seal().is_some()
    }

    /// True when `payload` is the payload of this frame.
    pub(super) fn fits(&self, payload: &[u8]) -> bool {
        payload.len() == self.length && crc32c::crc32c(payload) == self.crc
    }

    /// Where the next frame begins, when this one begins at `offset`.
    pub(super) fn end(&self, offset: u64) -> u64 {
        align(offset + FRAME_HEADER + self.length as u64)
    }
}

/// The frame header that begins at `offset` of a segment, read from these bytes, if it is sound.
pub(super) fn head_of(bytes: &[u8], offset: u64) -> Option<Head> {
    let header = bytes.first_chunk::<{ FRAME_HEADER as usize }>()?;
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (magic, length, crc) = (word(0), word(4), word(8));
    let is_frame =
        [FRAME_MAGIC, PACKED_MAGIC, BUNDLE_MAGIC, HOLE_MAGIC].contains(&magic) || magic == SEAL_MAGIC && length == 0;
    (is_frame && header_with(magic, length, crc, offset) == *header).then_some(Head {
        magic,
        crc,
        length: length as usize,
    })
}
