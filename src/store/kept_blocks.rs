//! Blocks that were read last, kept unpacked: of pages, of short records, of the view.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rkyv::util::AlignedVec;
use rustc_hash::FxHashMap;

use super::records::RecordRef;

/// Default size of the unpacked blocks of pages that are kept, in bytes. Pages of a site lie near each other, but are read in another order.
pub const PAGE_BYTES: usize = 32 << 20;

/// A block that can be kept.
pub trait Block {
    /// Its bytes.
    fn kept_bytes(&self) -> usize;
}

impl Block for AlignedVec {
    fn kept_bytes(&self) -> usize {
        self.len()
    }
}

/// The blocks that were read last, by their places.
pub struct KeptBlocks<K = RecordRef, B = AlignedVec> {
    max_bytes: usize,
    kept: Mutex<Kept<K, B>>,
}

struct Kept<K, B> {
    by_place: FxHashMap<K, Arc<B>>,
    /// The blocks, in the order in which they were added.
    order: VecDeque<K>,
    bytes: usize,
}

impl<K, B> Default for Kept<K, B> {
    fn default() -> Kept<K, B> {
        Kept { by_place: FxHashMap::default(), order: VecDeque::new(), bytes: 0 }
    }
}

impl<K: Copy + Eq + Hash, B: Block> KeptBlocks<K, B> {
    /// An empty cache of up to `max_bytes`.
    pub fn new(max_bytes: usize) -> KeptBlocks<K, B> {
        KeptBlocks { max_bytes, kept: Mutex::default() }
    }

    /// Drops all blocks.
    pub fn forget(&self) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Kept::default();
    }

    /// The block at a place.
    pub fn get(&self, at: K) -> Option<Arc<B>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).by_place.get(&at).cloned()
    }

    /// Keeps a block; drops the oldest ones where there are too many.
    pub fn keep(&self, at: K, block: &Arc<B>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if block.kept_bytes() > self.max_bytes || kept.by_place.insert(at, block.clone()).is_some() {
            return;
        }
        kept.order.push_back(at);
        kept.bytes += block.kept_bytes();
        while kept.bytes > self.max_bytes {
            let Some(first) = kept.order.pop_front() else { break };
            kept.bytes -= kept.by_place.remove(&first).map_or(0, |block| block.kept_bytes());
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
