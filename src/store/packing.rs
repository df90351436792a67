//! Compressed payloads of records: how long they are, then a frame of zstd.

use std::cell::RefCell;
use std::io::{self, Read};

use rkyv::util::AlignedVec;
use zstd::bulk::{Compressor, Decompressor};

/// Level of zstd: above it, compression costs several times as much for a tenth of the bytes.
const LEVEL: i32 = 3;
/// Bytes of the length before the frame.
const HEADER: usize = 4;
/// Room for a frame that is kept for the next one, at the most.
const MAX_KEPT_BYTES: usize = 1 << 20;
/// Longer payloads are no payloads.
const MAX_BYTES: usize = i32::MAX as usize;
/// Bytes that a block of zstd holds at the most, and takes at the least.
const BLOCK_BYTES: (usize, usize) = (128 << 10, 4);
/// Payloads up to this length are unpacked at once, and longer ones that are so many times as long as their frame at the most.
const MAX_AT_ONCE: usize = 1 << 20;
const USUAL_RATIO: usize = 64;

thread_local! {
    // Made once a thread: that takes longer than most payloads.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    // Where frames are made: room for the longest there may be, which would be cleared each time if it were made anew.
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

/// Compresses a payload as far as it goes: several times slower than [`pack`].
///
/// # Errors
/// As there.
pub fn pack_small(payload: &[u8]) -> io::Result<Vec<u8>> {
    let frame = zstd::bulk::compress(payload, *zstd::compression_level_range().end())?;
    Ok([&(payload.len() as u32).to_le_bytes(), frame.as_slice()].concat())
}

/// The payload that was compressed; `None` where these are no such bytes.
pub fn unpack(packed: &[u8]) -> Option<AlignedVec> {
    let (length, frame) = packed.split_first_chunk::<HEADER>()?;
    // Memory is not given for a length that the frame cannot have.
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

/// The same, of a frame that is said to hold very much: memory is taken for what it does hold.
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
