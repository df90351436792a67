//! What a page is before its language is detected.

use crate::language::Run;
use crate::types::Page;

/// What the bytes of a page give.
pub struct Read {
    /// The page, without the language of its text.
    pub page: Page,
    /// The text as stretches of one kind each, in order and without overlap.
    pub runs: Vec<Run>,
}
