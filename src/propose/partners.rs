//! Which pages are paired with which.

use rustc_hash::FxHashMap;

use crate::types::{LangPair, PagePair};

/// The partner of each page in each language pair.
#[derive(Default)]
pub struct Partners(FxHashMap<LangPair, FxHashMap<u32, u32>>);

impl Partners {
    /// The partners according to these pairs.
    pub fn of(pairs: impl Iterator<Item = PagePair>) -> Partners {
        let mut partners = Partners::default();
        pairs.for_each(|pair| partners.add(pair));
        partners
    }

    /// Makes two pages partners.
    pub fn add(&mut self, PagePair { langs, a, b }: PagePair) {
        let of = self.0.entry(langs).or_default();
        of.insert(a, b);
        of.insert(b, a);
    }

    /// A function that gives the partner of a page in the other language of a pair.
    pub fn in_langs(&self, langs: LangPair) -> impl Fn(u32) -> Option<u32> + '_ {
        let of = self.0.get(&langs);
        move |page| of?.get(&page).copied()
    }

    /// True when a page has a partner in the other language of the pair.
    pub fn has(&self, langs: LangPair, page: u32) -> bool {
        self.get(langs, page).is_some()
    }

    /// The partner of a page in the other language of the pair.
    pub fn get(&self, langs: LangPair, page: u32) -> Option<u32> {
        self.0.get(&langs)?.get(&page).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;

    #[test]
    fn both_pages_of_a_pair_have_a_partner_in_these_languages_only() {
        let langs = LangPair::new(Lang::EN, Lang::ZH_HANS).expect("two languages");
        let other = LangPair::new(Lang::EN, Lang::ZH_HANT).expect("two languages");
        let partners = Partners::of([PagePair { langs, a: 1, b: 5 }].into_iter());
        assert_eq!((partners.get(langs, 1), partners.get(langs, 5)), (Some(5), Some(1)));
        assert!(partners.has(langs, 1) && !partners.has(other, 1) && !partners.has(langs, 2));
    }
}
