//! Compressed payloads of records: the length, then a frame of zstd.

use std::cell::RefCell;
use std::io::{self, Read};

use rkyv::util::AlignedVec;
use zstd::bulk::{Compressor, Decompressor};

/// Level of zstd: higher levels cost several times as much time and save a tenth of the bytes.
const LEVEL: i32 = 3;
/// Bytes of the length that stands before the frame.
const HEADER: usize = 4;
/// Size of the buffer that is kept for the next frame, at most.
const MAX_KEPT_BYTES: usize = 1 << 20;
/// Length of the longest valid payload.
const MAX_BYTES: usize = i32::MAX as usize;
/// How much a block of zstd holds at most, and how many bytes it takes at least.
const BLOCK_BYTES: (usize, usize) = (128 << 10, 4);
/// Payloads up to this length are unpacked at once, and so are longer ones of up to `USUAL_RATIO` times the length of their frame.
const MAX_AT_ONCE: usize = 1 << 20;
const USUAL_RATIO: usize = 64;

thread_local! {
    // Made once for each thread, since making one takes longer than compressing most payloads.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    // The buffer in which frames are made, as large as the longest possible frame; a new buffer would be cleared each time.
    static FRAME: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses a payload.
///
/// # Errors
/// When it is longer than 2 GiB, or memory is short.
pub fn pack(payload: &[u8]) -> io::Result<Vec<u8>> {
    if payload.len() > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "longer than the format allows"));
    }
    COMPRESSOR.with_borrow_mut(|compressor| {
        let compressor = match compressor {
            Some(compressor) => compressor,
            none => none.insert(Compressor::new(LEVEL)?),
        };
        FRAME.with_borrow_mut(|frame| {
            frame.clear();
            frame.reserve(zstd::zstd_safe::compress_bound(payload.len()));
            compressor.compress_to_buffer(payload, frame)?;
            let packed = [&(payload.len() as u32).to_le_bytes(), frame.as_slice()].concat();
            if frame.capacity() > MAX_KEPT_BYTES {
                *frame = Vec::new();
            }
            Ok(packed)
        })
    })
}

/// Compresses a payload as much as possible, several times slower than [`pack`].
///
/// # Errors
/// As there.
pub fn pack_small(payload: &[u8]) -> io::Result<Vec<u8>> {
    let frame = zstd::bulk::compress(payload, *zstd::compression_level_range().end())?;
    Ok([&(payload.len() as u32).to_le_bytes(), frame.as_slice()].concat())
}

/// Compresses what is left of a payload that took `bytes`, compressed.
///
/// # Errors
/// As [`pack`].
pub fn packed_within(rest: &[u8], bytes: usize) -> io::Result<Vec<u8>> {
    let packed = pack(rest)?;
    // A shorter payload compresses to fewer bytes, except now and then by a few bytes.
    if packed.len() <= bytes { Ok(packed) } else { pack_small(rest) }
}

/// Decompresses a payload; `None` where the bytes are not a packed payload.
pub fn unpack(packed: &[u8]) -> Option<AlignedVec> {
    let (length, frame) = packed.split_first_chunk::<HEADER>()?;
    // No memory is allocated for a length that the frame cannot have.
    let most = (frame.len() / BLOCK_BYTES.1).saturating_mul(BLOCK_BYTES.0).min(MAX_BYTES);
    let length = Some(u32::from_le_bytes(*length) as usize).filter(|&length| length <= most)?;
    if length > MAX_AT_ONCE.max(frame.len().saturating_mul(USUAL_RATIO)) {
        return unpack_by_and_by(frame, length);
    }
    DECOMPRESSOR.with_borrow_mut(|decompressor| {
        let decompressor = match decompressor {
            Some(decompressor) => decompressor,
            none => none.insert(Decompressor::new().ok()?),
        };
        let mut payload = AlignedVec::with_capacity(length);
        payload.resize(length, 0);
        let found = decompressor.decompress_to_buffer(frame, payload.as_mut_slice()).ok()?;
        (found == length).then_some(payload)
    })
}

/// Does the same for a frame that claims to hold very much: memory is allocated only for what it really holds.
fn unpack_by_and_by(frame: &[u8], length: usize) -> Option<AlignedVec> {
    let mut decoder = zstd::Decoder::with_buffer(frame).ok()?;
    let mut payload = AlignedVec::new();
    let mut part = vec![0; 128 << 10];
    loop {
        match decoder.read(&mut part).ok()? {
            0 => return (payload.len() == length).then_some(payload),
            read if payload.len() + read > length => return None,
            read => payload.extend_from_slice(&part[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_back(payload in prop::collection::vec(0u8..9, 0..3000)) {
            let packed = pack(&payload).expect("it is short");
            let unpacked = unpack(&packed).expect("it was packed");
            prop_assert_eq!(unpacked.as_slice(), &payload[..]);
            for cut in [0, 3, packed.len() - 1] {
                prop_assert!(unpack(&packed[..cut]).is_none());
            }
        }

        #[test]
        fn what_is_unpacked_by_and_by_is_the_same(byte in any::<u8>(), length in 0usize..3_000_000, said in -1isize..2) {
            let packed = pack(&vec![byte; length]).expect("it is short");
            let said = length.saturating_add_signed(said);
            let unpacked = unpack_by_and_by(&packed[HEADER..], said);
            prop_assert_eq!(unpacked.map(|payload| payload.len()), (said == length).then_some(length));
            prop_assert!(unpack(&packed).expect("it was packed").iter().all(|&found| found == byte));
        }

        #[test]
        fn any_bytes_are_unpacked_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut bytes = bytes;
            if let Some(high) = bytes.get_mut(3) {
                *high = 0;
            }
            unpack(&bytes);
        }
    }
}
