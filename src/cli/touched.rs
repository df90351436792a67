//! Whether others left the store alone while a command read it: its answer counts only then.

use std::process::exit;
use std::sync::{Arc, Mutex, PoisonError};

use diglot::store::{Store, Witness};

use super::say::tell;

/// Of the store that the command reads.
static WITNESS: Mutex<Option<Arc<Witness>>> = Mutex::new(None);

/// Remembers what is read from now on.
pub fn watch(store: &Store) {
    *WITNESS.lock().unwrap_or_else(PoisonError::into_inner) = store.witness();
}

/// Lets go of what was read: whatever happens to it from now on, it was answered from.
pub fn forget() {
    *WITNESS.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Sees that nobody changed what was read.
///
/// # Errors
/// With the file that was changed.
pub fn check() -> diglot::Result<()> {
    let witness = WITNESS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    witness.map_or(Ok(()), |witness| witness.check())
}

/// A panic over files that were changed meanwhile is told as what it is.
pub fn mend_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| match check() {
        Err(error) => {
            tell(format_args!("diglot: {error}"));
            exit(1);
        }
        Ok(()) => usual(panic),
    }));
}
