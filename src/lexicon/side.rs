//! The first and the second language of a pair.

use crate::types::{Lang, LangPair};

/// One of the two languages of a [`LangPair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The language that sorts first.
    A,
    /// The other.
    B,
}

impl Side {
    /// The other side.
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }

    /// The side of `langs` with a language that [agrees](Lang::agrees) with this one; `None` where neither does.
    pub fn of(langs: LangPair, lang: Lang) -> Option<Side> {
        if langs.a.agrees(lang) { Some(Side::A) } else { langs.b.agrees(lang).then_some(Side::B) }
    }
}
