//! Checks that no other program changed the store while a command read it; only then is the answer valid.

use std::process::exit;
use std::sync::{Arc, Mutex, PoisonError};

use diglot::store::{Store, Witness};

use super::say::tell;

/// The witnesses of the stores that the command reads.
static WITNESSES: Mutex<Vec<Arc<Witness>>> = Mutex::new(Vec::new());

/// Watches this store too from now on.
pub fn watch(store: &Store) {
    WITNESSES.lock().unwrap_or_else(PoisonError::into_inner).extend(store.witness());
}

/// Stops watching: the answer was given from what had been read.
pub fn forget() {
    WITNESSES.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Checks that nobody has changed the files that were read.
///
/// # Errors
/// With the file that was changed.
pub fn check() -> diglot::Result<()> {
    let witnesses = WITNESSES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    witnesses.iter().try_for_each(|witness| witness.check())
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
