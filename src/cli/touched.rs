//! Checks that no other program changed the store while a command read it; only then is the answer valid.

use std::process::exit;
use std::sync::{Arc, Mutex, PoisonError};

use diglot::store::{Store, Witness};

use super::say::tell;

/// The witness of the store that the command reads.
static WITNESS: Mutex<Option<Arc<Witness>>> = Mutex::new(None);

/// Watches this store from now on.
pub fn watch(store: &Store) {
    *WITNESS.lock().unwrap_or_else(PoisonError::into_inner) = store.witness();
}

/// Stops watching: the answer was given from what had been read.
pub fn forget() {
    *WITNESS.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Checks that nobody has changed the files that were read.
///
/// # Errors
/// With the file that was changed.
pub fn check() -> diglot::Result<()> {
    let witness = WITNESS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    witness.map_or(Ok(()), |witness| witness.check())
}

/// Turns a panic that was caused by changed files into a message about that.
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
