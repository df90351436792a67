//! What a page is before its language is detected.

use crate::language::{Kind, Run};
use crate::types::Page;

/// What the bytes of a page give.
pub struct Read {
    /// The page, without the language of its text.
    pub page: Page,
    /// The text as stretches of one kind each, in order and without overlap.
    pub runs: Vec<Run>,
    /// What tells that it has no text of its own.
    pub signs: Signs,
}

impl Read {
    /// Bytes of text outside links.
    pub fn own_bytes(&self) -> usize {
        let linked = self.runs.iter().filter(|run| run.kind == Kind::Linked).map(|run| (run.end - run.start) as usize);
        self.page.text.len().saturating_sub(self.page.blocks.len() + linked.sum::<usize>())
    }
}

/// What a page does that a page with a text of its own seldom does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signs {
    /// It has itself replaced by another URL, after so many seconds.
    pub refresh: Option<(f64, String)>,
    /// A script of it goes to another URL; not looked for where the page [says more](super::params::StubParams::is_bare) than pages that are told by it.
    pub script: Option<String>,
    /// It has a field for a password.
    pub asks_password: bool,
}
