//! What is known of a page before its language is detected.

use super::signals::Collector;
use crate::language::{Run, RunKind};
use crate::types::Page;

/// What is read from the bytes of a page.
pub struct Read {
    /// The page, without the language of its text.
    pub page: Page,
    /// The text as runs of one kind each, in order and without overlap.
    pub runs: Vec<Run>,
    /// Signs that the page has no text of its own.
    pub signs: Signs,
    /// What the page says of itself.
    pub signals: Collector,
}

impl Read {
    /// Bytes of text outside links.
    pub fn own_bytes(&self) -> usize {
        let linked =
            self.runs.iter().filter(|run| run.kind == RunKind::Linked).map(|run| (run.end - run.start) as usize);
        self.page.text.len().saturating_sub(self.page.blocks.len() + linked.sum::<usize>())
    }
}

/// Signs of pages without a text of their own, which other pages seldom have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signs {
    /// The page is replaced by this URL after so many seconds.
    pub refresh: Option<(f64, String)>,
    /// A script of the page goes to this URL. Scripts are not read if the page has [too much text](super::params::StubParams::is_bare) for
    /// them to decide.
    pub script: Option<String>,
    /// The page has a field for a password.
    pub asks_password: bool,
}
