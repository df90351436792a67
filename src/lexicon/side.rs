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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_on_its_side_of_a_pair_and_a_third_on_none() {
        let [de, en, fr] = ["de", "en", "fr"].map(|tag| Lang::parse(tag).expect("a tag"));
        let langs = LangPair::new(en, de).expect("two languages");
        assert_eq!([de, en, fr].map(|lang| Side::of(langs, lang)), [Some(Side::A), Some(Side::B), None]);
        assert_eq!([Side::A, Side::B].map(Side::other), [Side::B, Side::A]);
    }
}
