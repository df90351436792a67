//! The allocator of the laboratory: mimalloc, as the command has, with a count of what the present thread holds.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use mimalloc::MiMalloc;

/// mimalloc, counted.
pub struct Counted;

thread_local! {
    /// Bytes that this thread has taken and not given back; below 0 where it gave back what others took.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(more: isize) {
    // A thread that ends frees its own variables last, and nobody asks any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + more);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
    });
}

#[expect(unsafe_code, reason = "an allocator is unsafe by its interface; every call is handed on as it came")]
// SAFETY: all is done by mimalloc, with the arguments given.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { MiMalloc.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { MiMalloc.dealloc(block, layout) }
    }
}

/// What `work` gives, and the most memory that this thread held during it beyond what it held before, in bytes. What
/// libraries in C take is not seen.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = HELD.get();
    PEAK.set(before);
    let made = work();
    (made, u64::try_from(PEAK.get() - before).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_that_was_held_is_seen() {
        let (length, peak) = peak_of(|| {
            drop(std::hint::black_box(vec![1_u8; 3 << 20]));
            std::hint::black_box(vec![1_u8; 1 << 20]).len()
        });
        assert!(length == 1 << 20 && (3 << 20..4 << 20).contains(&peak), "{peak}");
    }
}
