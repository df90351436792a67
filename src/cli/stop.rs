//! Whether the user wants the command to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use diglot::error::{Error, Result};

/// Set by Ctrl-C.
pub static STOP: AtomicBool = AtomicBool::new(false);

static IS_LOOKED_AT: AtomicBool = AtomicBool::new(false);

/// Ends what is under way where the user wants to stop.
///
/// # Errors
/// [`Error::Interrupted`], then.
pub fn check_stop() -> Result<()> {
    if STOP.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
}

/// From here on the command looks at [`STOP`], and ends well; before, it has nothing to lose and ends at once.
pub fn look_at_stop() {
    IS_LOOKED_AT.store(true, Ordering::Relaxed);
}

/// True when the command is to end at once: it does not look, or is told for the second time. What is committed is safe.
pub fn is_to_end_at_once() -> bool {
    STOP.swap(true, Ordering::Relaxed) || !IS_LOOKED_AT.load(Ordering::Relaxed)
}
