//! Graph of sites → the sites to explore next (Zhang, Yao & Kit 2013, §2.3): bilingual sites link to bilingual sites.
//!
//! [`rank`] gives each seed site its Linkout, PageRank and WeightedPageRank, over links among seeds only, as the paper has it;
//! [`next`] sums each of the three for every site outside, over the seeds that link to it.

use crate::index::web::Web;

/// Settings of exploring.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// r (Zhang et al. 2013, §2.3: 0.15).
    pub damping: f64,
    /// Iteration stops when a round changes all PageRanks together by no more than this. What is left to change is then at
    /// most (1 − r)/r as much, under six times. Default 10⁻¹².
    pub tolerance: f64,
    /// Rounds at the most. From the paper's start, 1 for every site, 10⁷ sites take 270.
    pub max_rounds: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params { damping: 0.15, tolerance: 1e-12, max_rounds: 1000 }
    }
}

/// What a site is ranked by.
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
    /// All, with their names on the command line.
    pub const ALL: [(&str, By); 3] = [("linkout", By::Linkout), ("pagerank", By::PageRank), ("weighted", By::Weighted)];
}

/// The three values of one site.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rank {
    /// Seed sites that it links to.
    pub linkout: u32,
    /// PageRank(w).
    pub pagerank: f64,
    /// PageRank(w)·C(w).
    pub weighted: f64,
}

/// Ranks of the stored sites; zeros for those that are no seeds.
///
/// PageRank(w) = r/N + (1 − r)·Σ_{w' ∈ M(w)} PageRank(w')/Linkout(w'), N being the number of seeds, M(w) the seeds that link to
/// w, and Linkout(w) the number of seeds that w links to, each once: then what a site hands on is what it has. PageRank begins
/// at 1. What sites without a link to a seed have is handed on to nobody, as the formula says, so that the sum is 1 only where
/// there are none. Cost a round: a walk over all links.
pub fn rank<W: Web>(web: &W, credibility: &dyn Fn(u32) -> f64, seeds: &[bool], params: &Params) -> Vec<Rank> {
    let is_seed = |site: u32| seeds.get(site as usize).copied().unwrap_or(false);
    let mut ranks = vec![Rank::default(); web.stored() as usize];
    web.for_each_link(|from, to, _| {
        ranks[from as usize].linkout += u32::from(is_seed(from) && is_seed(to));
    });
    let count = seeds.iter().filter(|seed| **seed).count();
    let base = params.damping / count.max(1) as f64;
    let mut now: Vec<f64> = seeds.iter().map(|&seed| if seed { 1.0 } else { 0.0 }).collect();
    let mut shares = vec![0.0; seeds.len()];
    let mut then = vec![0.0; seeds.len()];
    for _ in 0..params.max_rounds {
        for (share, (value, rank)) in shares.iter_mut().zip(now.iter().zip(&ranks)) {
            *share = if rank.linkout == 0 { 0.0 } else { value / f64::from(rank.linkout) };
        }
        then.fill(0.0);
        // Added up in the order of the links, so that the result is the same everywhere.
        web.for_each_link(|from, to, _| {
            if let Some(sum) = then.get_mut(to as usize) {
                *sum += shares[from as usize];
            }
        });
        let mut change = 0.0;
        for ((value, sum), &seed) in now.iter_mut().zip(&then).zip(seeds) {
            let next = if seed { base + (1.0 - params.damping) * sum } else { 0.0 };
            change += (next - *value).abs();
            *value = next;
        }
        if change <= params.tolerance {
            break;
        }
    }
    for ((rank, value), site) in ranks.iter_mut().zip(now).zip(0..) {
        rank.pagerank = value;
        rank.weighted = value * credibility(site);
        if !is_seed(site) {
            rank.linkout = 0;
        }
    }
    ranks
}

/// A site outside the store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    /// Its number.
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

/// The sites outside the store that seeds link to: best first, by the sum asked for, then by the other sums, then by number.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::web::ListedWeb;
    use proptest::prelude::*;

    /// Three seeds, A → B, C; B → C; C → A; site 3 is stored and no seed; 4 and 5 are outside.
    fn web() -> (ListedWeb, Vec<bool>) {
        let links =
            vec![(0, 1, 1), (0, 2, 4), (0, 4, 2), (1, 2, 1), (1, 3, 1), (1, 5, 1), (2, 0, 1), (2, 4, 1), (3, 5, 9)];
        (ListedWeb { stored: 4, count: 6, links }, vec![true, true, true, false])
    }

    /// By hand: a = 0.05 + 0.85·c, b = 0.05 + 0.85·a/2, c = 0.05 + 0.85·(a/2 + b), so that a = 0.128625/0.3316875.
    #[test]
    fn ranks_by_hand() {
        let (web, seeds) = web();
        let credibility = |site: u32| [0.5, 1.0, 0.25, 0.0][site as usize];
        let ranks = rank(&web, &credibility, &seeds, &Params::default());
        let linkout: Vec<u32> = ranks.iter().map(|rank| rank.linkout).collect();
        assert_eq!(linkout, [2, 1, 1, 0]);
        let a = 0.128_625 / 0.331_687_5;
        let b = 0.05 + 0.425 * a;
        let expected = [a, b, 0.05 + 0.425 * a + 0.85 * b, 0.0];
        for (site, (rank, expected)) in ranks.iter().zip(expected).enumerate() {
            assert!((rank.pagerank - expected).abs() < 1e-11, "{rank:?}");
            assert!((rank.weighted - expected * credibility(site as u32)).abs() < 1e-11, "{rank:?}");
        }
        let by = |by| next(&web, &ranks, &seeds, by).iter().map(|next| next.site).collect::<Vec<_>>();
        // Site 4: Linkout 2 + 1, weighted 0.194 + 0.099; site 5: 1, weighted 0.215; site 3 gives nothing.
        assert_eq!((by(By::Linkout), by(By::PageRank), by(By::Weighted)), (vec![4, 5], vec![4, 5], vec![4, 5]));
        let first = next(&web, &ranks, &seeds, By::Linkout)[0];
        assert_eq!((first.seeds, first.links, first.linkout), (2, 3, 3));
        assert!((first.pagerank - (expected[0] + expected[2])).abs() < 1e-11);
        // C(b) = 1 and C(a) = C(c) = 0.1 turn it round.
        let ranks = rank(&web, &|site| [0.1, 1.0, 0.1, 0.0][site as usize], &seeds, &Params::default());
        assert_eq!(next(&web, &ranks, &seeds, By::Weighted)[0].site, 5);
    }

    proptest! {
        /// Against the sum over all paths: PageRank = r/N · Σ_k (1 − r)^k · (transposed transitions)^k · 1.
        #[test]
        fn iterating_is_the_series(edges in proptest::collection::btree_set((0u32..8, 0u32..8), 0..40)) {
            let links: Vec<(u32, u32, u32)> =
                edges.into_iter().filter(|(from, to)| from != to).map(|(from, to)| (from, to, 1)).collect();
            let web = ListedWeb { stored: 8, count: 8, links: links.clone() };
            let ranks = rank(&web, &|_| 1.0, &[true; 8], &Params::default());
            let out = |site: u32| links.iter().filter(|link| link.0 == site).count() as f64;
            let mut term = [0.15 / 8.0; 8];
            let mut sum = term;
            for _ in 0..250 {
                let mut next = [0.0; 8];
                for &(from, to, _) in &links {
                    next[to as usize] += 0.85 * term[from as usize] / out(from);
                }
                term = next;
                sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
            }
            for (rank, sum) in ranks.iter().zip(sum) {
                prop_assert!((rank.pagerank - sum).abs() < 1e-10, "{} {}", rank.pagerank, sum);
            }
        }
    }
}
