//! A record in memory: in its own bytes, or in a map of its file.

use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::Arc;

use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use rkyv::{Archive, Deserialize, Portable, Serialize};

use super::in_place::InPlace;
use super::maps::Map;

/// A type that can be stored as a record.
pub trait Stored: Archive + for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>> {}

impl<T> Stored for T where T: Archive + for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, rancor::Error>> {}

/// An archived type that can be read in place after a check.
pub trait Checked: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>> {}

impl<T> Checked for T where T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>> {}

/// A type that can be read back as an owned value.
pub trait Owned: Archive<Archived: Checked + Deserialize<Self, HighDeserializer<rancor::Error>>> + Sized {}

impl<T> Owned for T where T: Archive<Archived: Checked + Deserialize<T, HighDeserializer<rancor::Error>>> {}

/// A copy of the bytes, aligned so that an archive can be read from it.
pub fn aligned(bytes: &[u8]) -> AlignedVec {
    let mut aligned = AlignedVec::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    aligned
}

/// A record in memory: checksum and structure were checked when it was opened.
pub struct Mapped<T: Archive> {
    payload: Payload,
    of: PhantomData<fn() -> T>,
}

/// The bytes of a record, mapped or owned.
#[derive(Clone)]
pub enum Payload {
    /// Bytes of a file, in place.
    Mapped(Arc<InPlace>),
    /// The record's own bytes, which nobody changes: a copy of the file, or unpacked.
    Own(Arc<AlignedVec>),
    /// A part of the unpacked bytes of a bundle.
    Part(Arc<AlignedVec>, Range<usize>),
    /// Bytes of a temporary file of this process.
    Spilled(Arc<Map>, Range<usize>),
}

impl Deref for Payload {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Payload::Mapped(place) => place.bytes(),
            Payload::Own(bytes) => bytes,
            Payload::Part(bytes, range) => &bytes[range.clone()],
            Payload::Spilled(map, range) => &map[range.clone()],
        }
    }
}

impl<T: Archive> Clone for Mapped<T> {
    fn clone(&self) -> Mapped<T> {
        Mapped { payload: self.payload.clone(), of: PhantomData }
    }
}

impl<T: Archive> Mapped<T>
where
    T::Archived: Checked,
{
    /// The record in these bytes; `None` where they do not hold one.
    pub(super) fn check(payload: Payload) -> Option<Mapped<T>> {
        // The cause is left out: without debug assertions, this error says nothing.
        rkyv::access::<T::Archived, rancor::Error>(&payload).ok()?;
        Some(Mapped { payload, of: PhantomData })
    }

    /// A record that was checked, and written to a part of a temporary file of this process.
    pub(super) fn spilled(map: &Arc<Map>, range: Range<usize>) -> Mapped<T> {
        Mapped { payload: Payload::Spilled(Arc::clone(map), range), of: PhantomData }
    }

    /// Its bytes.
    pub(super) fn payload(&self) -> &Payload {
        &self.payload
    }

    /// Removes the pages of a mapped record from memory; the system reads them again when they are accessed.
    pub fn release(&self) {
        match &self.payload {
            Payload::Mapped(place) => place.release(),
            Payload::Spilled(map, range) => map.release(range.clone()),
            Payload::Own(_) | Payload::Part(..) => {}
        }
    }

    /// The record itself.
    #[expect(unsafe_code, reason = "the check of every access would cost more than the access")]
    pub fn get(&self) -> &T::Archived {
        // SAFETY: `check` validated these very bytes. Nobody can change a record's own bytes, nor a file of this process without a name. Records are mapped only by the process that
        // holds the lock of the store: this program replaces committed bytes and never rewrites or cuts them, and changes by other programs
        // are looked for (`RecordFile::check_in_place`).
        unsafe { rkyv::access_unchecked::<T::Archived>(&self.payload) }
    }
}

impl<T: Archive> Deref for Mapped<T>
where
    T::Archived: Checked,
{
    type Target = T::Archived;

    fn deref(&self) -> &T::Archived {
        self.get()
    }
}
