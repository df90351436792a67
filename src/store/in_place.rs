//! Records that are read in place, and checks of whether they have changed since.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::frames::{Head, RecordRef};
use super::maps::Map;
use super::seen::Stamp;

/// A record that is read in place.
pub struct InPlace {
    map: Arc<Map>,
    range: Range<usize>,
    head: Head,
}

impl InPlace {
    /// The payload of a frame, given its header and its range in a map; `None` where the checksum does not fit.
    pub(super) fn check(map: Arc<Map>, range: Range<usize>, head: Head) -> Option<InPlace> {
        Some(InPlace { map, range, head }).filter(InPlace::is_as_checked)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map[self.range.clone()]
    }

    /// Removes the record's pages from memory; the system reads them again when they are accessed.
    pub fn release(&self) {
        self.map.release(self.range.clone());
    }

    fn is_as_checked(&self) -> bool {
        self.head.fits(self.bytes())
    }
}

/// The records of a file that were read in place and must be checked again.
#[derive(Default)]
pub struct ReadInPlace {
    /// By place, all records that were read there: a record may have been read twice, and replaced in between.
    read: BTreeMap<RecordRef, Vec<Arc<InPlace>>>,
    /// The stamp of each segment when it was last checked.
    stamps: BTreeMap<u32, Stamp>,
    /// A record that was changed after it had been checked.
    changed: Option<RecordRef>,
}

impl ReadInPlace {
    /// Adds a record.
    pub fn put(&mut self, at: RecordRef, place: &Arc<InPlace>) {
        self.read.entry(at).or_default().push(Arc::clone(place));
    }

    /// Checks a last time the records that nobody reads any more, and those still being read whose segment has a new stamp. Returns the
    /// first record that was ever found changed.
    pub fn look_again(&mut self, stamp: impl Fn(u32) -> Option<Stamp>) -> Option<RecordRef> {
        let mut is_touched: BTreeMap<u32, bool> = BTreeMap::new();
        for segment in self.read.keys().map(|at| at.segment()) {
            let look = || stamp(segment).is_none_or(|now| self.stamps.insert(segment, now) != Some(now));
            is_touched.entry(segment).or_insert_with(look);
        }
        self.read.retain(|at, places| {
            places.retain(|place| {
                let is_read = Arc::strong_count(place) > 1;
                if (!is_read || is_touched[&at.segment()]) && !place.is_as_checked() {
                    self.changed.get_or_insert(*at);
                }
                if !is_read {
                    place.release();
                }
                is_read
            });
            !places.is_empty()
        });
        self.changed
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, OpenOptions};

    use super::super::frames::{FRAME_HEADER, FRAME_MAGIC, frame_header, head_of};
    use super::*;

    #[test]
    fn what_is_still_read_is_looked_at_when_its_file_looks_changed_and_the_rest_at_last() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("file");
        let payload = [7; 5000];
        fs::write(&path, [&frame_header(FRAME_MAGIC, &payload, 0)[..], &payload].concat()).expect("room on disk");
        let file = File::open(&path).expect("it was written");
        let map = Arc::new(Map::of(&file, &path, FRAME_HEADER + 5000).expect("it is there"));
        let head = head_of(&map, 0).expect("a sound head");
        let place = || Arc::new(InPlace::check(Arc::clone(&map), 16..5016, head).expect("it is sound"));
        let stamp = |length: u64| move |_| Some(Stamp { length, modified: None });
        let at = RecordRef(0);
        let change = |byte: u8| {
            let file = OpenOptions::new().write(true).open(&path).expect("it is there");
            std::os::unix::fs::FileExt::write_at(&file, &[byte], 3000).expect("room on disk");
        };
        let (mut seen, read) = (ReadInPlace::default(), place());
        seen.put(at, &read);
        assert_eq!((seen.look_again(stamp(1)), seen.look_again(stamp(1))), (None, None));
        change(8);
        assert_eq!(seen.look_again(stamp(1)), None, "nothing shows yet");
        assert_eq!(seen.look_again(stamp(2)), Some(at));
        change(7);
        assert_eq!(seen.look_again(stamp(3)), Some(at), "once is enough");
        let (mut seen, read) = (ReadInPlace::default(), place());
        seen.put(at, &read);
        assert_eq!(seen.look_again(stamp(1)), None);
        change(8);
        drop(read);
        assert_eq!(seen.look_again(stamp(1)), Some(at));
        change(7);
        // A record that was read twice is watched until nobody reads it.
        let (mut seen, read, again) = (ReadInPlace::default(), place(), place());
        seen.put(at, &read);
        seen.put(at, &again);
        drop(again);
        assert_eq!(seen.look_again(stamp(1)), None);
        change(8);
        assert_eq!((seen.look_again(stamp(2)), read.bytes().len()), (Some(at), 5000));
    }
}
