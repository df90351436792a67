//! The allocator: mimalloc, and an end with a message where the system gives no memory.

use std::alloc::{GlobalAlloc, Layout};
#[cfg(not(unix))]
use std::io;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{process, thread};

use mimalloc::MiMalloc;

/// mimalloc: extraction allocates many small strings in parallel. Without memory the program ends as with any other error, while Rust by
/// itself would abort: what was committed is kept, so there is nothing to save.
pub struct Allocator;

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait; all is handed on to mimalloc as it came")]
// SAFETY: the memory that `MiMalloc` returns is passed on unchanged, unless it is null; then nothing is returned.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same contract.
        or_end(|| unsafe { MiMalloc.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(|| unsafe { MiMalloc.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        or_end(|| unsafe { MiMalloc.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { MiMalloc.dealloc(memory, layout) }
    }
}

/// The allocated memory. Where there is none, the program ends with exit code 1.
fn or_end(allocate: impl FnOnce() -> *mut u8, bytes: usize) -> *mut u8 {
    #[cfg(failing_allocations)]
    if failing::is_now() {
        end(bytes);
    }
    let memory = allocate();
    if memory.is_null() { end(bytes) } else { memory }
}

/// For the laboratory: the allocation that the system does not grant, by its number, in DIGLOT_FAIL_ALLOCATION.
#[cfg(failing_allocations)]
pub mod failing {
    use std::io::Write;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Allocations left before it; 0: none fails.
    static LEFT: AtomicU64 = AtomicU64::new(0);

    /// Counts from now on.
    pub fn begin() {
        let number = std::env::var("DIGLOT_FAIL_ALLOCATION").ok().and_then(|number| number.parse().ok());
        LEFT.store(number.unwrap_or(0), Ordering::Relaxed);
    }

    /// True of the one that fails.
    pub fn is_now() -> bool {
        LEFT.load(Ordering::Relaxed) > 0 && LEFT.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Says how many are left, if they are counted.
    pub fn tell() {
        let left = LEFT.load(Ordering::Relaxed);
        if left > 0 {
            let _ = writeln!(std::io::stderr(), "allocations left: {left}");
        }
    }
}

#[cold]
fn end(bytes: usize) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if ENDS.swap(true, Ordering::Relaxed) {
        // Another thread is printing the message.
        thread::sleep(Duration::from_secs(5));
        process::abort();
    }
    let mut text = [0; 400];
    let mut rest = &mut text[..];
    let _ = writeln!(
        rest,
        "diglot: the system gives no more memory ({bytes} bytes were asked for); allow more (`ulimit -v`, the limit of a container), or give \
         a smaller --memory and fewer --threads; what was committed is kept, and the same command resumes"
    );
    let left = rest.len();
    say_and_exit(&text[..text.len() - left])
}

/// Writes a message and exits. Allocates nothing, and waits for no lock, since another thread or this one may hold it.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the way out that takes no lock")]
fn say_and_exit(text: &[u8]) -> ! {
    use nix::libc;
    // SAFETY: the bytes are valid. If they cannot be written, the message is lost. No code that would run at the end of the program is
    // needed.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(1)
    }
}

#[cfg(not(unix))]
fn say_and_exit(text: &[u8]) -> ! {
    let _ = io::stderr().write_all(text);
    process::exit(1)
}
