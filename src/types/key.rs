//! Keys: what differs between the URL of a page and that of its translation.

use std::fmt;

use super::{LangPair, coded};

/// How (null), a missing token, is written.
pub const NULL: &str = "(null)";

coded! {
    /// The part of a URL in which a key works (Kit & Ng 2007, §2). The protocol is not a field here, since `http` and `https` are one page.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
    pub enum Field {
        /// Labels of the host name.
        Host = 0, "host";
        /// Directories.
        Path = 1, "path";
        /// The last segment of the path.
        File = 2, "file";
        /// Values of the query, by their names.
        Query = 3, "query";
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One difference: where the URL of a page in the first language has `from`, that of its translation has `to`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edit {
    /// The field in which both stand: a key never crosses fields (Kit & Ng 2007, §2, second assumption).
    pub field: Field,
    /// Token, or run of tokens, in the URL of the first language; empty for (null).
    pub from: String,
    /// The same in the URL of the second language.
    pub to: String,
    /// True when `from` and `to` are parts of tokens (Zhang et al. 2013, §2.1: ⟨e, c⟩ of ⟨1e, 1c⟩).
    pub core: bool,
}

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_null = |text: &str| if text.is_empty() { NULL.to_owned() } else { escape(text) };
        let mark = if self.core { "~" } else { "" };
        write!(f, "{}:{mark}{}:{mark}{}", self.field, or_null(&self.from), or_null(&self.to))
    }
}

/// Characters that separate the parts of a pattern, and how they are written inside these parts.
const ESCAPES: [(char, &str); 3] = [(':', "%3A"), ('+', "%2B"), ('~', "%7E")];

/// A text as it is written in a pattern.
fn escape(text: &str) -> String {
    ESCAPES.iter().fold(text.to_owned(), |text, (raw, escaped)| text.replace(*raw, escaped))
}

/// The text that is written so in a pattern.
pub fn unescape(text: &str) -> String {
    ESCAPES.iter().fold(text.to_owned(), |text, (raw, escaped)| text.replace(escaped, &raw.to_string()))
}

/// A URL pairing pattern ⟨t, t′⟩ between two languages: one edit, or two that occur together (a compound key).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// `from` of every edit belongs to `langs.a`, `to` to `langs.b`.
    pub langs: LangPair,
    /// One or two edits, in their order in a URL.
    pub edits: Vec<Edit>,
}

impl Key {
    /// The pattern without its languages: `path:en:fr` or `path:en:nl+file:(null):nl`. Keys of several sites with one pattern are one key.
    pub fn pattern(&self) -> String {
        pattern(&self.edits)
    }

    /// The edits in the direction from the second language to the first.
    pub fn turned(&self) -> Vec<Edit> {
        let turn = |edit: &Edit| Edit { from: edit.to.clone(), to: edit.from.clone(), ..edit.clone() };
        self.edits.iter().map(turn).collect()
    }
}

/// Edits written as a pattern; see [`Key::pattern`].
pub fn pattern(edits: &[Edit]) -> String {
    edits.iter().map(Edit::to_string).collect::<Vec<_>>().join("+")
}
