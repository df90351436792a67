//! What links tell of addresses: one that pages link to is likely to be there, unless such links have proved dead.

use std::collections::BTreeMap;

use super::{Params, Proposal};
use crate::types::Lang;

/// How many addresses of each language are linked to, and what came of it.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    langs: BTreeMap<Lang, Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    pages: u32,
    /// Of these, those that other pages link to.
    linked: u32,
    /// Addresses that pages link to, and that are known to be no pages.
    dead: u32,
}

impl Linked {
    /// Counts a page, and whether other pages link to it.
    pub fn add_page(&mut self, lang: Lang, is_linked: bool) {
        let counts = self.langs.entry(lang).or_default();
        counts.pages += 1;
        counts.linked += u32::from(is_linked);
    }

    /// Counts an address that a key made, that pages link to, and that is known to be no page.
    pub fn add_dead(&mut self, lang: Lang) {
        self.langs.entry(lang).or_default().dead += 1;
    }

    /// The chance of an address of `lang` that had `chance` before its links were looked at, 0..=1.
    ///
    /// Linked to: it is there because its neighbours are or because links are right, 1 − (1 − chance)·(1 − g), where
    /// g = (linked + 1)/(linked + dead + 2) is the share of linked addresses that are pages. Else: its odds fall by the share of
    /// pages that nothing links to, (pages − linked + 1)/(pages + 2), but to no less than `least_unlinked`.
    pub fn chance(&self, lang: Lang, chance: f64, is_linked: bool, params: &Params) -> f64 {
        let Counts { pages, linked, dead } = self.langs.get(&lang).copied().unwrap_or_default();
        let share = |part: u32, all: u32| (f64::from(part) + 1.0) / (f64::from(all) + 2.0);
        if is_linked {
            return 1.0 - (1.0 - chance) * (1.0 - share(linked, linked + dead));
        }
        let unlinked = share(pages - linked, pages).max(params.least_unlinked);
        chance * unlinked / (chance * unlinked + 1.0 - chance)
    }
}

/// Gives each proposal the chance that links leave it, and sorts them again; `is_linked` tells by address whether any page links
/// to it.
pub fn weigh(proposals: &mut [Proposal], linked: &Linked, is_linked: &dyn Fn(&str) -> bool, params: &Params) {
    for proposal in proposals.iter_mut() {
        proposal.is_linked = is_linked(&proposal.identity);
        proposal.chance = linked.chance(proposal.lang, proposal.chance, proposal.is_linked, params);
    }
    proposals.sort_by(super::order);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: of ten pages eight are linked to, and two linked addresses are dead: g = 9/12, unlinked 3/12. From a chance of
    /// 0.6: 1 − 0.4·0.25 = 0.9, and 0.6·0.25/(0.6·0.25 + 0.4) = 3/11. Where all of 100 are linked to, 1/102 is too little to
    /// believe: 0.6·0.1/(0.06 + 0.4) = 3/23.
    #[test]
    fn links_raise_a_chance_and_their_lack_lowers_it() {
        let (fr, de) = (Lang::parse("fr").expect("a tag"), Lang::parse("de").expect("a tag"));
        let mut linked = Linked::default();
        (0..10).for_each(|page| linked.add_page(fr, page < 8));
        (0..2).for_each(|_| linked.add_dead(fr));
        (0..100).for_each(|_| linked.add_page(de, true));
        let params = Params::default();
        for (lang, is_linked, expected) in [(fr, true, 0.9), (fr, false, 3.0 / 11.0), (de, false, 3.0 / 23.0)] {
            let found = linked.chance(lang, 0.6, is_linked, &params);
            assert!((found - expected).abs() < 1e-12, "{lang} {is_linked}: {found}");
        }
    }
}
