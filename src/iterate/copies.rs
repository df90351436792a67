//! Finds untranslated copies that URLs do not show: pages of one language that stand among pages of another, while the same text also
//! stands among pages of its own language.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::index::graph::Neighbours;
use crate::index::site::SKETCH;
use crate::types::Lang;
use crate::verify::{PageIds, SiteView, same_text};

/// The conditions under which a page is a copy.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Least share of common words for two pages to have the same text; their menus may be translated. Default 0.8.
    pub min_same_text: f64,
    /// A page is out of place when the share of its neighbours in its own language is less than this fraction of the same share for the
    /// page of which it is a copy. Default 0.75.
    pub max_at_home: f64,
    /// How many neighbours a page must have for its share to mean anything. Default 3.
    pub min_neighbours: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params { min_same_text: 0.8, max_at_home: 0.75, min_neighbours: 3 }
    }
}

/// How many pages are compared with one page at most, for each hash of blocks that they share.
const LOOKED_AT: usize = 32;

/// How much each page stands among pages of its own language ("at home").
pub struct Homes<'l> {
    langs: &'l [Lang],
    /// For each page, the share of its neighbours that are in its language, and the number of neighbours.
    shares: Vec<(f64, usize)>,
}

impl<'l> Homes<'l> {
    /// Computes the shares from the languages of pages (unknown for those that take no part), the languages that pages declare, and their
    /// links in and out, in any language. The share of a page that declares another language than its text has is halved.
    pub fn new(langs: &'l [Lang], declared: &dyn Fn(u32) -> Lang, neighbours: &Neighbours) -> Homes<'l> {
        let share = |page: u32| {
            let all = neighbours.of(page);
            let own = all.iter().filter(|&&other| langs[other as usize] == langs[page as usize]).count();
            let declared = declared(page);
            let is_other = declared.is_known() && !declared.agrees(langs[page as usize]);
            (own as f64 / all.len().max(1) as f64 * if is_other { 0.5 } else { 1.0 }, all.len())
        };
        Homes { langs, shares: (0..neighbours.count()).map(share).collect() }
    }

    fn at_home(&self, page: u32) -> f64 {
        self.shares[page as usize].0
    }

    /// Pairs (page, page of which it may be a copy): pages of one language that have one of the smallest hashes of their blocks in common,
    /// where the first is much less at home than the second. Cost: pages × [`SKETCH`] × 32.
    pub fn suspects(&self, sketch: &dyn Fn(u32) -> [u32; SKETCH], params: &Params) -> Vec<(u32, u32)> {
        let pages = || (0u32..).zip(self.langs).filter(|(_, lang)| lang.is_known());
        let hashes = |page: u32| sketch(page).into_iter().filter(|&hash| hash != 0);
        let mut by_block: FxHashMap<(Lang, u32), Vec<u32>> = FxHashMap::default();
        for (page, &lang) in pages() {
            hashes(page).for_each(|hash| by_block.entry((lang, hash)).or_default().push(page));
        }
        // The pages that are most at home come first, so that a search can stop where no further page can be enough at home.
        for alike in by_block.values_mut() {
            alike.sort_by(|&x, &y| self.at_home(y).total_cmp(&self.at_home(x)).then(x.cmp(&y)));
        }
        let mut found = Vec::new();
        for (page, &lang) in pages() {
            let (share, neighbours) = self.shares[page as usize];
            if neighbours < params.min_neighbours {
                continue;
            }
            for hash in hashes(page) {
                let alike = by_block.get(&(lang, hash)).map_or(&[][..], Vec::as_slice);
                let homely = alike.iter().take_while(|&&other| share < params.max_at_home * self.at_home(other));
                found.extend(homely.take(LOOKED_AT).map(|&other| (page, other)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// (copy, its original), by copy, from suspects with the share of text that they have in common. Of several originals, the one that it is most
    /// alike; of equal ones, the one that is most at home, and then the first.
    pub fn copies(&self, suspects: impl Iterator<Item = ((u32, u32), f64)>, params: &Params) -> Vec<(u32, u32)> {
        let mut best: BTreeMap<u32, (u32, f64)> = BTreeMap::new();
        for ((page, other), same) in suspects.filter(|(_, same)| *same >= params.min_same_text) {
            let best = best.entry(page).or_insert((other, same));
            let is_homelier = || self.at_home(other).total_cmp(&self.at_home(best.0));
            if same.total_cmp(&best.1).then_with(is_homelier).is_gt() {
                *best = (other, same);
            }
        }
        best.into_iter().map(|(page, (original, _))| (page, original)).collect()
    }
}

/// (copy, its original), by copy, for a site, among pages that are not paired according to `is_paired`. A page is read only where a copy is
/// suspected.
///
/// # Errors
/// When a page cannot be read.
pub fn copies(site: &SiteView<'_>, is_paired: &dyn Fn(u32) -> bool, params: &Params) -> Result<Vec<(u32, u32)>> {
    let count = site.pages().count();
    let is_known = |page: u32| site.langs[page as usize].is_known();
    let mut links = Vec::new();
    for page in (0..count).filter(|&page| is_known(page)) {
        site.links().for_each_link(page, &mut |link| {
            if is_known(link.to) {
                links.push((page, link.to));
            }
        });
    }
    let homes = Homes::new(&site.langs, &|page| site.facts(page).declared, &Neighbours::new(count, links));
    let mut suspects: Vec<PageIds> = homes.suspects(&|page| site.facts(page).sketch, params);
    suspects.retain(|&(page, _)| !is_paired(page));
    let same = site.compare_each(&suspects, &|(_, first), (_, second)| same_text(first, second))?;
    Ok(homes.copies(suspects.into_iter().zip(same), params))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages 0–3 are English and link to each other, 4–7 are Chinese and do the same; page 8 has the English text of page 0 and stands
    /// among the Chinese pages.
    #[test]
    fn an_english_page_among_chinese_ones_is_a_copy_of_the_one_among_english_ones() {
        let en = [Lang::EN; 4];
        let langs: Vec<Lang> = en.into_iter().chain([Lang::ZH; 4]).chain([Lang::EN]).collect();
        let ring = |first: u32| (0..4).flat_map(move |i| (0..4).map(move |j| (first + i, first + j)));
        let links = ring(0).chain(ring(4)).chain([(8, 4), (8, 5), (6, 8), (8, 0)]).collect();
        let homes = Homes::new(&langs, &|_| Lang::UNKNOWN, &Neighbours::new(9, links));
        assert_eq!(homes.at_home(8), 0.25);
        let sketch = |page: u32| {
            let mut sketch = [0; SKETCH];
            sketch[SKETCH - 1] = if page == 8 { 1 } else { page + 1 };
            sketch
        };
        let params = Params::default();
        let suspects = homes.suspects(&sketch, &params);
        assert_eq!(suspects, [(8, 0)]);
        assert_eq!(homes.copies([((8, 0), 0.9)].into_iter(), &params), [(8, 0)]);
        assert_eq!(homes.copies([((8, 0), 0.5)].into_iter(), &params), []);
    }

    #[test]
    fn the_original_is_the_page_that_a_copy_is_most_alike_and_then_the_one_most_at_home() {
        // Page 1 is more at home than page 0, which has a neighbour of another language.
        let langs = [Lang::EN, Lang::EN, Lang::EN, Lang::ZH, Lang::EN];
        let links = vec![(0, 2), (0, 3), (1, 2), (4, 3)];
        let homes = Homes::new(&langs, &|_| Lang::UNKNOWN, &Neighbours::new(5, links));
        assert!(homes.at_home(1) > homes.at_home(0));
        let copies = |same: [f64; 2]| {
            homes.copies([0, 1].map(|page| ((4, page), same[page as usize])).into_iter(), &Params::default())
        };
        assert_eq!(copies([1.0, 0.85]), [(4, 0)]);
        assert_eq!(copies([1.0, 1.0]), [(4, 1)]);
        assert_eq!(copies([0.85, 0.9]), [(4, 1)]);
    }

    #[test]
    fn two_editions_of_a_site_are_no_copies_of_each_other() {
        let ring = |first: u32| (0..4).flat_map(move |i| (0..4).map(move |j| (first + i, first + j)));
        let neighbours = Neighbours::new(8, ring(0).chain(ring(4)).collect());
        let homes = Homes::new(&[Lang::EN; 8], &|_| Lang::EN, &neighbours);
        let sketch = |page: u32| [page % 4 + 1; SKETCH];
        assert_eq!(homes.suspects(&sketch, &Params::default()), []);
        // It is no copy if it declares another language.
        let homes = Homes::new(&[Lang::EN; 8], &|page| if page < 4 { Lang::EN } else { Lang::ZH }, &neighbours);
        assert_eq!(homes.suspects(&sketch, &Params::default()), [(4, 0), (5, 1), (6, 2), (7, 3)]);
    }
}
