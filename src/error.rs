//! Everything that can stop a run.

use std::io;
use std::path::{Path, PathBuf};

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
    /// An input is missing, or this program cannot read it.
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
    #[error("{0}")]
    Config(String),
    /// A program of the user does not do its task.
    #[error("{role} {command}: {problem}")]
    Program {
        /// The task of the program.
        role: &'static str,
        /// The program and its arguments.
        command: String,
        /// What was found, what was expected, what to do.
        problem: String,
    },
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
            Error::Input { problem, .. } | Error::Store { problem, .. } | Error::Program { problem, .. } => {
                problem.clone()
            }
            Error::Config(_) | Error::Interrupted => self.to_string(),
        }
    }
}
