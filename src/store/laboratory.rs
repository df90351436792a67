//! For the laboratory: writes records into stores, and makes bytes of store files with correct checksums.

use std::ops::Range;

use super::Store;
use super::bundles;
use super::catalog::Changes;
use super::frames;
use super::layout::{BatchRecord, WebHead, WebRecord};
pub use super::manifest::{Manifest, NAME as MANIFEST};
pub use super::packing::{pack, pack_small, unpack};
use super::record_kinds::KINDS;
pub use super::site_tables::SiteWeb;
pub use super::view::{FOLDER as VIEW, RunName, RunWriter, View, sealed as sealed_run};
use crate::error::Result;

/// A frame of a segment.
pub struct Framed {
    /// Where it lies, with its padding.
    pub range: Range<usize>,
    /// Its first bytes, as a number.
    pub magic: u32,
    /// The payload, unpacked; of a bundle, the number before what is packed, and that.
    pub payload: Vec<u8>,
}

/// The frames of a segment that hold records.
pub fn framed(segment: &[u8]) -> Vec<Framed> {
    let of = |walked: frames::Walked| {
        let frame = walked.frame?;
        let payload = frame.payload(segment)?;
        let payload = if frame.head.is_packed() {
            unpack(&payload)?.to_vec()
        } else if frame.head.is_bundle() {
            let (there, packed) = bundles::parts(&payload)?;
            [&u32::from(there).to_le_bytes()[..], &unpack(packed)?].concat()
        } else {
            payload
        };
        let range = walked.range.start as usize..walked.range.end as usize;
        Some(Framed { range, magic: frame.head.magic(), payload })
    };
    frames::walk(segment).filter_map(of).collect()
}

/// The bytes of a frame at an offset of a segment, with padding; a payload that is to be packed is given packed.
pub fn frame(magic: u32, payload: &[u8], offset: usize) -> Vec<u8> {
    let mut bytes = frames::frame_header(magic, payload, offset as u64).to_vec();
    bytes.extend_from_slice(payload);
    bytes.resize(frames::align(bytes.len() as u64) as usize, 0);
    bytes
}

/// The header of a hole of this length.
pub fn hole(length: u32, offset: usize) -> [u8; frames::FRAME_HEADER as usize] {
    frames::hole_header(length, offset as u64)
}

/// The header of a segment.
pub fn segment_header(format: u32, kind: u32, number: u32) -> [u8; frames::FILE_HEADER as usize] {
    frames::header_of(format, kind, number)
}

/// The folders of the record files, in the order of their kinds.
pub fn folders() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).collect()
}

/// A manifest with the checksum of its content.
pub fn sealed_manifest(manifest: Manifest) -> Manifest {
    manifest.with_checksum()
}

impl Store {
    /// Appends a batch of ingestion, and commits it if asked to.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn put_batch(&mut self, batch: &BatchRecord, commit: bool) -> Result<()> {
        self.batches.append_packed(batch)?;
        if commit { self.commit(Changes::default()) } else { Ok(()) }
    }

    /// Puts a graph of sites into the store, and opens it.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn put_web(&mut self, records: &[WebRecord]) -> Result<SiteWeb> {
        let chunks = records.iter().map(|record| Ok(self.webs.append(record)?.0)).collect::<Result<_>>()?;
        self.commit(Changes::default())?;
        self.web(&WebHead { fingerprint: 1, chunks })
    }
}
