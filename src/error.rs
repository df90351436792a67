//! Everything that can stop a run.

use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What stopped a run. Bad input does not: it is skipped and counted ([`crate::types::SkipReason`]).
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading or writing failed.
    #[error("{}: {action} failed", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, as a gerund or noun: `reading`, `mapping`.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// An input is missing or is nothing this program reads.
    #[error("{place}: {problem}")]
    Input {
        /// The input as the user gave it.
        place: String,
        /// What was found, what was expected, what to do.
        problem: String,
    },
    /// The store cannot be used.
    #[error("store {}: {problem}", path.display())]
    Store {
        /// The store's folder.
        path: PathBuf,
        /// What was found, what was expected, what to do.
        problem: String,
    },
    /// A setting makes no sense.
    #[error("config: {0}")]
    Config(String),
    /// The user asked to stop.
    #[error("interrupted; the same command goes on from here")]
    Interrupted,
}

impl Error {
    /// An I/O error with its place; for `map_err`.
    pub fn io(path: impl AsRef<Path>, action: &'static str) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().to_owned();
        move |source| Error::Io { path, action, source }
    }

    /// An input that cannot be used.
    pub fn input(place: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::Input { place: place.into(), problem: problem.into() }
    }

    /// What happened, without the place.
    pub fn reason(&self) -> String {
        match self {
            Error::Io { action, source, .. } => format!("{action} failed: {source}"),
            Error::Input { problem, .. } | Error::Store { problem, .. } => problem.clone(),
            Error::Config(_) | Error::Interrupted => self.to_string(),
        }
    }
}

/// Runs what decodes other people's bytes: packages take some of their errors for impossible and panic. `None` when it did, without a
/// panic's message.
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
