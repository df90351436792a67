//! Two pages said to be translations.

use super::LangPair;

/// Two pages of one site, as ordinals of its page table. Invariant: `a` is in `langs.a`, `b` in `langs.b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PagePair {
    /// The two languages.
    pub langs: LangPair,
    /// The page in the first.
    pub a: u32,
    /// The page in the second.
    pub b: u32,
}
