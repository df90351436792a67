//! Blocks that were read last, kept unpacked: of pages, of short records, of the view.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rkyv::util::AlignedVec;
use rustc_hash::FxHashMap;

use super::records::RecordRef;

/// Default size of the unpacked blocks of pages that are kept, in bytes. Pages of a site lie near each other, but are read in another order.
pub const PAGE_BYTES: usize = 32 << 20;

/// The blocks that were read last, by their places.
pub struct KeptBlocks<K = RecordRef> {
    max_bytes: usize,
    kept: Mutex<Kept<K>>,
}

struct Kept<K> {
    by_place: FxHashMap<K, Arc<AlignedVec>>,
    /// The blocks, in the order in which they were added.
    order: VecDeque<K>,
    bytes: usize,
}

impl<K> Default for Kept<K> {
    fn default() -> Kept<K> {
        Kept { by_place: FxHashMap::default(), order: VecDeque::new(), bytes: 0 }
    }
}

impl<K: Copy + Eq + Hash> KeptBlocks<K> {
    /// An empty cache of up to `max_bytes`.
    pub fn new(max_bytes: usize) -> KeptBlocks<K> {
        KeptBlocks { max_bytes, kept: Mutex::default() }
    }

    /// Drops all blocks.
    pub fn forget(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }

    /// The block at a place.
    pub fn get(&self, at: K) -> Option<Arc<AlignedVec>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).by_place.get(&at).cloned()
    }

    /// Keeps a block; drops the oldest ones where there are too many.
    pub fn keep(&self, at: K, block: &Arc<AlignedVec>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if block.len() > self.max_bytes || kept.by_place.insert(at, block.clone()).is_some() {
            return;
        }
        kept.order.push_back(at);
        kept.bytes += block.len();
        while kept.bytes > self.max_bytes {
            let Some(first) = kept.order.pop_front() else { break };
            kept.bytes -= kept.by_place.remove(&first).map_or(0, |block| block.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT_BYTES: usize = 1 << 20;

    #[test]
    fn kept_blocks_are_those_that_came_last() {
        let kept = KeptBlocks::new(KEPT_BYTES);
        let block = |bytes: usize| {
            let mut block = AlignedVec::new();
            block.resize(bytes, 0);
            Arc::new(block)
        };
        for at in 1..4 {
            kept.keep(RecordRef(at * 16), &block(KEPT_BYTES / 2));
        }
        let is_kept = |at: u64| kept.get(RecordRef(at * 16)).is_some();
        assert_eq!([1, 2, 3].map(is_kept), [false, true, true]);
        kept.keep(RecordRef(64), &block(KEPT_BYTES + 1));
        assert!(!is_kept(4) && is_kept(3));
    }
}
