//! Whether the user wants the command to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use diglot::error::{Error, Result};

/// Set by Ctrl-C.
pub static STOP: AtomicBool = AtomicBool::new(false);

static IS_LOOKED_AT: AtomicBool = AtomicBool::new(false);

/// Returns an error where the user wants the command to stop.
///
/// # Errors
/// [`Error::Interrupted`] in that case.
pub fn check_stop() -> Result<()> {
    if STOP.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
}

/// From now on the command checks [`STOP`] and ends cleanly; before, it has nothing to lose and ends at once.
pub fn look_at_stop() {
    IS_LOOKED_AT.store(true, Ordering::Relaxed);
}

/// True when the command must end at once: it does not check [`STOP`], or this is the second signal. Committed data is safe.
pub fn is_to_end_at_once() -> bool {
    STOP.swap(true, Ordering::Relaxed) || !IS_LOOKED_AT.load(Ordering::Relaxed)
}
