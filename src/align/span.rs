//! Some consecutive sentences of a page.

use std::ops::Range;

/// Some consecutive sentences of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Characters that are no white space.
    pub chars: u32,
    /// Its words in the [`Document`](super::Document).
    pub words: Range<u32>,
}

/// Consecutive spans as one.
pub(super) fn join(spans: &[Span]) -> Span {
    match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => {
            Span { chars: spans.iter().map(|span| span.chars).sum(), words: first.words.start..last.words.end }
        }
        _ => Span::default(),
    }
}
