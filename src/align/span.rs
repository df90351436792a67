//! Some consecutive sentences of a page.

use std::ops::Range;

/// Some consecutive sentences of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Number of characters that are not white space.
    pub chars: u32,
    /// Its words in the [`Document`](super::Document).
    pub words: Range<u32>,
}

/// Joins consecutive spans into one.
pub(super) fn join(spans: &[Span]) -> Span {
    match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => {
            Span { chars: spans.iter().map(|span| span.chars).sum(), words: first.words.start..last.words.end }
        }
        _ => Span::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_joined_from_the_first_word_to_the_last() {
        let spans = [Span { chars: 3, words: 4..6 }, Span { chars: 5, words: 6..7 }, Span { chars: 0, words: 7..7 }];
        assert_eq!(join(&spans), Span { chars: 8, words: 4..7 });
        assert_eq!(join(&spans[1..2]), spans[1]);
        assert_eq!(join(&[]), Span::default());
    }
}
