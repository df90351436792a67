//! Whether the user wants the command to stop.

use std::sync::atomic::AtomicBool;

/// Set by Ctrl-C.
pub static STOP: AtomicBool = AtomicBool::new(false);
