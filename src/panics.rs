//! Panics of packages that read damaged bytes, caught.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Runs what reads bytes that may be damaged: packages take some of these errors for impossible and panic. `None` when it did, without a
/// panic's message. The hook of all panics is set once and not taken away: that cannot be done while a thread panics, and other threads
/// go on to say theirs.
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
