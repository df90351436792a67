//! The information in a record's header, for both WARC and ARC.

use crate::types::SkipReason;

/// The kind of a record, according to its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A `response`; an ARC record.
    Response,
    /// A `resource`.
    Resource,
    /// A type that never holds a page, with the reason for skipping it.
    Other(SkipReason),
}

/// The header of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) header_bytes: usize,
    /// `None` where the header has no usable length.
    pub(super) block_bytes: Option<u64>,
    pub(super) kind: Kind,
    /// The type's name in the archive.
    pub(super) type_name: String,
    pub(super) url: String,
    pub(super) date_ms: i64,
    pub(super) content_type: Option<String>,
    /// Its `WARC-Record-ID`; empty where it has none.
    pub(super) id: String,
    /// Its `WARC-Payload-Digest`; empty where it has none.
    pub(super) digest: String,
}

/// What was found at the start of unread bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A record with its whole header.
    Head(Head),
    /// Bytes that may become a header when more follow.
    Part,
    /// No record.
    Nothing,
}

/// How one kind of archive writes its records.
pub(super) trait Dialect: Send + 'static {
    /// The record at the start of `bytes`.
    fn head(bytes: &[u8]) -> Found;

    /// True when a record begins with `bytes`.
    fn begins(bytes: &[u8]) -> bool;

    /// Where the first record begins in `bytes`, at the start of a line; `bytes` begins a line when `at_line_start`.
    fn find(bytes: &[u8], at_line_start: bool) -> Option<usize>;

    /// How many bytes at the end of the searched ones [`Dialect::find`] must see again together with the following ones.
    const OVERLAP_BYTES: usize;
}

/// A length given in digits; one that is too long for a number becomes the largest number.
pub(super) fn length(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_digits_alone() {
        assert_eq!([length("0"), length("1591")], [Some(0), Some(1591)]);
        assert_eq!(length("99999999999999999999999"), Some(u64::MAX));
        for text in ["", "-5", "+5", " 5", "5x", "٥"] {
            assert_eq!(length(text), None, "{text}");
        }
    }
}
