//! Panics of packages that read damaged bytes, caught.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Runs code that reads bytes which may be damaged: some packages take such damage for impossible, and panic. Returns `None` if the code
/// panicked, without printing the message of the panic. The hook for all panics is set once and never removed, because a hook cannot be
/// removed while a thread panics, and panics of other threads must still be reported.
pub(crate) fn sheltered<T>(work: impl FnOnce() -> T) -> Option<T> {
    thread_local!(static IS_SHELTERED: Cell<bool> = const { Cell::new(false) });
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_SHELTERED.get() {
                usual(panic);
            }
        }));
    });
    let before = IS_SHELTERED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work)).ok();
    IS_SHELTERED.set(before);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_inside_ends_what_was_sheltered_alone() {
        assert_eq!(sheltered(|| 7), Some(7));
        assert_eq!(sheltered(|| sheltered(|| [0u8; 1][std::hint::black_box(1)])), Some(None));
        assert!(catch_unwind(|| [0u8; 1][std::hint::black_box(1)]).is_err());
    }
}
