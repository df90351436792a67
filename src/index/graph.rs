//! Links between the pages of a site.

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::types::{Lang, LinkKind};

/// One link between pages of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteLink {
    /// Ordinal of the page it leads to.
    pub to: u32,
    /// Number of tags of the linking page before the link.
    pub at: u32,
    /// Which element it is.
    pub kind: LinkKind,
}

/// The links of a site's pages. Implemented by the mapped records, and by a list for tests.
pub trait Links: Sync {
    /// Calls `each` with every link of a page, in document order; with none where `page` is unknown.
    fn for_each_link(&self, page: u32, each: &mut dyn FnMut(SiteLink));

    /// Calls `each` with the pages that a page declares as versions of itself in other languages: by `hreflang`, or by a label that is
    /// [`answered`].
    fn for_each_alternate(&self, page: u32, each: &mut dyn FnMut(u32, Lang));

    /// The page of the site that a page names as its own address (`rel=canonical` and its like); it may be the page itself.
    fn canonical(&self, page: u32) -> Option<u32>;

    /// Calls `each` with the pages that sitemaps declare as versions of a page in other languages.
    fn for_each_listed(&self, page: u32, each: &mut dyn FnMut(u32, Lang));
}

/// Links whose labels name a language claim to lead to a version of the page. Of these, given as (page, other page), returns the answered
/// ones: those where the other page leads back, by a labelled link or by a `declared` version. A link to a language switch that only
/// answers one page is thereby excluded.
pub fn answered(declared: &[(u32, u32)], labelled: &[(u32, u32)]) -> FxHashSet<(u32, u32)> {
    let known: FxHashSet<(u32, u32)> = declared.iter().chain(labelled).copied().collect();
    labelled.iter().copied().filter(|&(page, other)| known.contains(&(other, page))).collect()
}

/// Neighbours of pages, as compressed sparse rows; each row is sorted, without the page itself and without repetition.
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
        // Pages 0, 1 and 2 all link to page 5, the home page, which links only to 0; page 3 declares 4, which has a labelled link to 3.
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
