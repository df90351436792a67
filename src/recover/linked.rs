//! What links say about URLs: a URL to which pages link is likely to exist, unless such links have proved dead.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::known::KnownSite;
use super::params::Params;
use super::proposal::Proposal;
use crate::index::graph::Links;
use crate::types::Lang;

/// Where the links of a site's pages lead.
#[derive(Clone, Debug, Default)]
pub struct LinkTargets {
    /// For each page, whether another page of the site links to it.
    pub pages: Vec<bool>,
    /// URLs without scheme to which pages link and that are not pages. Only proposed URLs need to be here.
    pub missing: FxHashSet<String>,
}

/// For each page, whether another page of the site links to it.
pub fn linked_pages(count: u32, links: &dyn Links) -> Vec<bool> {
    let mut is_linked = vec![false; count as usize];
    for page in 0..count {
        links.for_each_link(page, &mut |link| {
            if let Some(is_linked) = is_linked.get_mut(link.to as usize).filter(|_| link.to != page) {
                *is_linked = true;
            }
        });
    }
    is_linked
}

/// How many URLs of each language have links to them, and how many of these are dead.
#[derive(Clone, Debug, Default)]
struct Linked {
    langs: BTreeMap<Lang, Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    pages: u32,
    /// Pages to which other pages link.
    linked: u32,
    /// URLs to which pages link, and that are known not to be pages.
    dead: u32,
}

impl Linked {
    /// Counts a page, and whether other pages link to it.
    fn add_page(&mut self, lang: Lang, is_linked: bool) {
        let counts = self.langs.entry(lang).or_default();
        counts.pages += 1;
        counts.linked += u32::from(is_linked);
    }

    /// Counts a proposed URL to which pages link, and that is known not to be a page.
    fn add_dead(&mut self, lang: Lang) {
        self.langs.entry(lang).or_default().dead += 1;
    }

    /// The chance, 0..=1, of a URL of `lang` whose chance was `chance` before links were considered.
    ///
    /// If pages link to it, it exists either because its neighbours do or because the links are right: 1 − (1 − chance)·(1 − g), where g =
    /// (linked + 1)/(linked + dead + 2) is the share of linked URLs that are pages. If none does, its odds are multiplied by the share of
    /// pages to which none links, (pages − linked + 1)/(pages + 2), but by no less than `min_unlinked`.
    fn chance(&self, lang: Lang, chance: f64, is_linked: bool, params: &Params) -> f64 {
        let Counts { pages, linked, dead } = self.langs.get(&lang).copied().unwrap_or_default();
        let share = |part: u32, all: u32| (f64::from(part) + 1.0) / (f64::from(all) + 2.0);
        if is_linked {
            return 1.0 - (1.0 - chance) * (1.0 - share(linked, linked + dead));
        }
        let unlinked = share(pages - linked, pages).max(params.min_unlinked);
        chance * unlinked / (chance * unlinked + 1.0 - chance)
    }
}

/// Corrects the chance of each proposal by the links of the site's pages, and sorts the proposals again. No two of them may have the same
/// URL. Nothing changes where pages have no links, as in an index of an archive.
pub fn weigh<S: KnownSite + ?Sized>(proposals: &mut [Proposal], site: &S, targets: &LinkTargets, params: &Params) {
    if targets.missing.is_empty() && !targets.pages.contains(&true) {
        return;
    }
    let mut linked = Linked::default();
    let is_linked_page = |page: u32| targets.pages.get(page as usize).copied().unwrap_or(false);
    for page in (0..site.count()).filter(|&page| site.copy_of(page).is_none()) {
        linked.add_page(site.lang(page), is_linked_page(page));
    }
    for proposal in proposals.iter().filter(|proposal| targets.missing.contains(&proposal.identity)) {
        if site.skip_reason(&proposal.identity).is_some() {
            linked.add_dead(proposal.lang);
        }
    }
    for proposal in proposals.iter_mut() {
        proposal.is_linked = targets.missing.contains(&proposal.identity)
            || site.page_of(&proposal.identity).is_some_and(is_linked_page);
        proposal.chance = linked.chance(proposal.lang, proposal.chance, proposal.is_linked, params);
    }
    proposals.sort_by(Proposal::order);
}

#[cfg(test)]
mod tests {
    use super::super::known::tests::ListedSite;
    use super::*;

    /// By hand: of ten pages eight have links to them, and two linked URLs are dead, so g = 9/12, and the unlinked share is 3/12. From a
    /// chance of 0.6: 1 − 0.4·0.25 = 0.9, and 0.6·0.25/(0.6·0.25 + 0.4) = 3/11. If all of 100 pages have links to them, the share 1/102 is
    /// too small to believe: 0.6·0.1/(0.06 + 0.4) = 3/23.
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

    /// Pages link to one of two French pages, and to a proposed URL, which is dead in one case and unknown in the other: g = (1 + 1)/(1 +
    /// dead + 2).
    #[test]
    fn a_dead_link_makes_linked_urls_less_likely() {
        let fr = Lang::parse("fr").expect("a tag");
        let mut site = ListedSite::new(&[("x.org/fr/a", "fr"), ("x.org/fr/b", "fr")]);
        let proposal = Proposal {
            identity: "x.org/fr/c".into(),
            lang: fr,
            page: 0,
            key: 0,
            credibility: 0.5,
            place_share: 1.0,
            chance: 0.5,
            is_linked: false,
        };
        let targets =
            LinkTargets { pages: vec![true, false], missing: FxHashSet::from_iter(["x.org/fr/c".to_owned()]) };
        let chance = |site: &ListedSite, targets: &LinkTargets| {
            let mut proposals = [proposal.clone()];
            weigh(&mut proposals, site, targets, &Params::default());
            (proposals[0].chance, proposals[0].is_linked)
        };
        assert_eq!(chance(&site, &LinkTargets::default()), (0.5, false));
        assert_eq!(chance(&site, &targets), (1.0 - 0.5 * (1.0 - 2.0 / 3.0), true));
        site.skipped = vec![("x.org/fr/c", "http status not 200: 404")];
        assert_eq!(chance(&site, &targets), (0.75, true));
    }
}
