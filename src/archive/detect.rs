//! Detects what kind of archive a file is, by its first bytes; its name does not matter.

use std::path::Path;

use super::codec::{Codec, MAX_WINDOW_BYTES, refuse_window};
use super::format::Format;
use super::head::{content_head, head_of};
use super::packed::packed;
use super::zim;
use crate::error::{Error, Result};

/// The kinds of archive to choose from, in the order they are tried.
#[derive(Clone, Copy)]
pub(super) struct Formats(pub(super) &'static [&'static dyn Format]);

impl Formats {
    /// The format of the archive at `path`.
    pub(super) fn of(self, path: &Path) -> Result<&'static dyn Format> {
        let head = head_of(path)?;
        let problem = || Error::input(path.display().to_string(), self.no_format_of(path, &head));
        self.recognise(path, &head).ok_or_else(problem)
    }

    /// Why a file that no format recognizes is not read, and what to do.
    pub(super) fn no_format_of(self, path: &Path, head: &[u8]) -> String {
        match packed(head) {
            Some(packed) => format!("{packed}: unpack it"),
            None if zim::is_part(path) => zim::of_part(),
            None => format!("found {}, which is none of {}", describe(path, head), self.names()),
        }
    }

    /// Their names, in order.
    pub(super) fn names(self) -> String {
        self.0.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
    }

    /// The format that recognizes data beginning with `head`, if any does.
    pub(super) fn recognise(self, path: &Path, head: &[u8]) -> Option<&'static dyn Format> {
        self.0.iter().copied().find(|format| format.recognises(path, head))
    }

    /// The same for a file that was found in a folder beside other archives: there, pages by themselves are not archives.
    pub(super) fn recognise_alone(self, path: &Path, head: &[u8]) -> Option<&'static dyn Format> {
        let mut formats = self.0.iter().copied().filter(|format| !format.takes_pages());
        formats.find(|format| format.recognises(path, head))
    }
}

/// How many bytes are shown of a file that is not an archive.
const SHOWN_BYTES: usize = 24;

/// What a file that no format recognizes seems to be, in words.
pub(super) fn describe(path: &Path, head: &[u8]) -> String {
    if path.is_dir() {
        return "a folder without pages".to_owned();
    }
    if head.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some(packed) = packed(head) {
        return packed.to_owned();
    }
    match Codec::of(head) {
        Codec::Plain => format!("a file that {}", shown(head)),
        codec => match content_head(head).as_slice() {
            [] => refuse_window(head, MAX_WINDOW_BYTES)
                .unwrap_or_else(|| format!("{codec:?} data that cannot be decompressed or is empty")),
            content => format!("{codec:?} data that {}", shown(content)),
        },
    }
}

/// The first bytes of a file, if a person can read them.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_BYTES)]);
    // A character may be cut at the end.
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    let is_unreadable = |c: char| c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_ascii_whitespace());
    if text.is_empty() || text.contains(is_unreadable) {
        return "is no text".to_owned();
    }
    format!("begins with {text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Archive, Params};

    struct Named(&'static str);

    impl Format for Named {
        fn name(&self) -> &'static str {
            self.0
        }

        fn recognises(&self, _: &Path, head: &[u8]) -> bool {
            head.starts_with(self.0.as_bytes())
        }

        fn open(&self, path: &Path, _: u64, _: &Params) -> Result<Box<dyn Archive>> {
            Err(Error::input(path.display().to_string(), "a name alone"))
        }
    }

    #[test]
    fn the_first_format_that_knows_a_file_has_it() {
        const FORMATS: Formats = Formats(&[&Named("AB"), &Named("A"), &Named("C")]);
        let folder = tempfile::tempdir().expect("a folder");
        let of = |content: &str| {
            let path = folder.path().join("file");
            std::fs::write(&path, content).expect("a file");
            FORMATS.of(&path).map(|format| format.name()).map_err(|error| error.to_string())
        };
        assert_eq!([of("ABC"), of("AC"), of("C")], [Ok("AB"), Ok("A"), Ok("C")]);
        let error = of("nonsense").expect_err("no format");
        assert!(error.contains("begins with \"nonsense\"") && error.contains("none of AB, A, C"), "{error}");
    }

    #[test]
    fn bytes_that_nobody_can_read_are_not_shown() {
        let of = |head: &[u8]| describe(Path::new("x"), head);
        assert_eq!(of("<p>é".as_bytes()), "a file that begins with \"<p>é\"");
        assert_eq!(of("a text of 23 characters é".as_bytes()), "a file that begins with \"a text of 23 characters \"");
        assert_eq!(of(b"\x89PNG\r\n\x1a\n"), "a file that is no text");
        assert_eq!(of(b"PK\x03\x04"), "a ZIP");
    }
}
