//! The sites outside the store, ranked by the seeds that link to them.

use super::rank::Rank;
use crate::index::web::Web;

/// The sum by which sites are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Σ Linkout(w).
    Linkout,
    /// Σ PageRank(w).
    PageRank,
    /// Σ WeightedPageRank(w).
    Weighted,
}

impl By {
    /// All of them.
    pub const ALL: [By; 3] = [By::Linkout, By::PageRank, By::Weighted];

    /// The name on the command line and in the store.
    pub fn name(self) -> &'static str {
        match self {
            By::Linkout => "linkout",
            By::PageRank => "pagerank",
            By::Weighted => "weighted",
        }
    }

    /// The sum of that name.
    pub fn parse(name: &str) -> Option<By> {
        By::ALL.into_iter().find(|by| by.name() == name)
    }

    /// One line of help.
    pub fn help(self) -> &'static str {
        match self {
            By::Linkout => {
                "Sum of Linkout over the seeds that link to the site: the number of bilingual sites to which each of them links"
            }
            By::PageRank => "Sum of the PageRank of these seeds among bilingual sites",
            By::Weighted => "Sum of their PageRank times their credibility",
        }
    }
}

/// A site outside the store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    /// Its number in the graph.
    pub site: u32,
    /// Seeds that link to it: |R(s)|.
    pub seeds: u32,
    /// Links from them.
    pub links: u64,
    /// Σ Linkout(w).
    pub linkout: u64,
    /// Σ PageRank(w).
    pub pagerank: f64,
    /// Σ WeightedPageRank(w).
    pub weighted: f64,
}

/// The sites outside the store to which seeds link, the best first: by the sum that `by` names, then by the other sums, then by number.
pub fn next<W: Web>(web: &W, ranks: &[Rank], seeds: &[bool], by: By) -> Vec<Next> {
    let stored = web.stored();
    let none = |site| Next { site, seeds: 0, links: 0, linkout: 0, pagerank: 0.0, weighted: 0.0 };
    let mut outside: Vec<Next> = (stored..web.count()).map(none).collect();
    web.for_each_link(|from, to, links| {
        let (Some(rank), true) = (ranks.get(from as usize), seeds.get(from as usize) == Some(&true)) else { return };
        let Some(next) = to.checked_sub(stored).and_then(|at| outside.get_mut(at as usize)) else { return };
        next.seeds += 1;
        next.links += u64::from(links);
        next.linkout += u64::from(rank.linkout);
        next.pagerank += rank.pagerank;
        next.weighted += rank.weighted;
    });
    outside.retain(|next| next.seeds > 0);
    outside.sort_by(|a, b| {
        let linkout = || b.linkout.cmp(&a.linkout);
        let pagerank = || b.pagerank.total_cmp(&a.pagerank);
        let weighted = || b.weighted.total_cmp(&a.weighted);
        let order = match by {
            By::Linkout => linkout().then_with(weighted).then_with(pagerank),
            By::PageRank => pagerank().then_with(weighted).then_with(linkout),
            By::Weighted => weighted().then_with(pagerank).then_with(linkout),
        };
        order.then(a.site.cmp(&b.site))
    });
    outside
}
