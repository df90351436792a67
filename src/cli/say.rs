//! Messages: lines on stderr that `--quiet` silences. Errors, damage and losses are no messages.

use std::fmt::Display;
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Silences what follows.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// True when nothing is to be said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Says a line.
pub fn say(text: impl Display) {
    if !is_quiet() {
        tell(format_args!("diglot: {text}"));
    }
}

/// Writes a line, quiet or not. Where nobody reads it, that is no failure of the command.
pub fn tell(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}
