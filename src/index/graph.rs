//! Who links to whom in one site.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::types::{Lang, LinkKind};

/// One link between pages of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteLink {
    /// Ordinal of the page it leads to.
    pub to: u32,
    /// Tags of the linking page before it.
    pub at: u32,
    /// Which element it is.
    pub kind: LinkKind,
}

/// The links of a site's pages. Implemented by the mapped records, and by a list for tests.
pub trait Links: Sync {
    /// Calls `each` with every link of a page, in document order. None where `page` is unknown.
    fn for_each_link(&self, page: u32, each: &mut dyn FnMut(SiteLink));

    /// Calls `each` with the pages that a page declares to be itself in another language (`hreflang`, or a label that is
    /// answered: [`answered`]).
    fn for_each_alternate(&self, page: u32, each: &mut dyn FnMut(u32, Lang));
}

/// Of versions that links are labelled with, given as (page, other page), those that are answered: the other page leads back to the page,
/// as a labelled or a `declared` version. So a link to the switch of languages, which answers one page only, is none.
pub fn answered(declared: &[(u32, u32)], labelled: &[(u32, u32)]) -> FxHashSet<(u32, u32)> {
    let known: FxHashSet<(u32, u32)> = declared.iter().chain(labelled).copied().collect();
    labelled.iter().copied().filter(|&(page, other)| known.contains(&(other, page))).collect()
}

/// Neighbours of pages, as compressed sparse rows: of each page, sorted, without itself and without repetition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    ends: Vec<u32>,
    pages: Vec<u32>,
}

impl Neighbours {
    /// Rows from (page, neighbour); each link counts both ways, since Liu et al. (2014, §3) take links in and out as the
    /// same. `count` is the number of pages. Time and memory grow with the links.
    pub fn new(count: u32, mut links: Vec<(u32, u32)>) -> Neighbours {
        let back: Vec<(u32, u32)> = links.iter().map(|&(from, to)| (to, from)).collect();
        links.extend(back);
        links.retain(|&(from, to)| from != to);
        links.sort_unstable();
        links.dedup();
        let mut ends = vec![0; count as usize];
        for &(from, _) in &links {
            ends[from as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        Neighbours { ends, pages: links.into_iter().map(|(_, to)| to).collect() }
    }

    /// The neighbours of a page.
    pub fn of(&self, page: u32) -> &[u32] {
        let page = page as usize;
        let start = if page == 0 { 0 } else { self.ends[page - 1] };
        &self.pages[Range { start: start as usize, end: self.ends[page] as usize }]
    }

    /// How many pages there are.
    pub fn count(&self) -> u32 {
        self.ends.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_labelled_version_counts_where_it_leads_back() {
        // All of 0, 1 and 2 lead to page 5, the home page, which leads to 0; page 3 declares 4, which is labelled.
        let found = answered(&[(3, 4)], &[(0, 5), (1, 5), (2, 5), (5, 0), (4, 3), (6, 6)]);
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [(0, 5), (4, 3), (5, 0), (6, 6)]);
    }

    #[test]
    fn links_count_both_ways_and_once() {
        let rows = Neighbours::new(4, vec![(0, 1), (1, 0), (0, 1), (2, 2), (3, 1)]);
        let all: Vec<&[u32]> = (0..4).map(|page| rows.of(page)).collect();
        assert_eq!(all, [&[1][..], &[0, 3], &[], &[1]]);
        assert_eq!(rows.count(), 4);
    }
}
