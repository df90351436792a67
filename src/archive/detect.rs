//! Which kind of archive a file is, by its first bytes; its name does not matter.

use std::path::Path;

use super::codec::Codec;
use super::format::Format;
use super::head::{content_head, head_of};
use crate::error::{Error, Result};

/// The kinds of archive to choose from, in the order they are tried.
#[derive(Clone, Copy)]
pub(super) struct Formats(pub(super) &'static [&'static dyn Format]);

impl Formats {
    /// The format of the archive at `path`.
    pub(super) fn of(self, path: &Path) -> Result<&'static dyn Format> {
        let head = head_of(path)?;
        self.recognise(path, &head).ok_or_else(|| {
            let names: Vec<_> = self.0.iter().map(|format| format.name()).collect();
            let problem = format!("found {}, which is none of {}", describe(path, &head), names.join(", "));
            Error::input(path.display().to_string(), problem)
        })
    }

    /// The format of what begins with `head`, if any knows it.
    pub(super) fn recognise(self, path: &Path, head: &[u8]) -> Option<&'static dyn Format> {
        self.0.iter().copied().find(|format| format.recognises(path, head))
    }
}

/// Bytes shown of a file that is no archive.
const SHOWN_BYTES: usize = 24;

/// What a file nobody recognises seems to be, for a person.
fn describe(path: &Path, head: &[u8]) -> String {
    if path.is_dir() {
        return "a folder without the traces of HTTrack".to_owned();
    }
    if head.is_empty() {
        return "an empty file".to_owned();
    }
    let show = |bytes: &[u8]| format!("{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_BYTES)]));
    match Codec::of(head) {
        Codec::Plain => format!("a file that begins with {}", show(head)),
        codec => match content_head(head).as_slice() {
            [] => format!("{codec:?} data that cannot be decompressed or is empty"),
            content => format!("{codec:?} data that begins with {}", show(content)),
        },
    }
}
