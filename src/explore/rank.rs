//! Linkout, PageRank and WeightedPageRank of the seeds.

use crate::index::web::Web;

/// Settings of exploring.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// r of PageRank. Default 0.15 (Zhang et al. 2013, §2.3).
    pub damping: f64,
    /// Iteration stops when a round changes all PageRanks together by no more than this. All later rounds together would change them by at
    /// most (1 − r)/r times as much, which is less than six times. Default 10⁻¹².
    pub tolerance: f64,
    /// Rounds, at most. Default 1,000; 10⁷ sites take 270, beginning with the paper's initial value of 1 for every site.
    pub max_rounds: u32,
}

impl Default for Params {
    fn default() -> Params {
        Params { damping: 0.15, tolerance: 1e-12, max_rounds: 1000 }
    }
}

/// The three values of one site.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rank {
    /// Seed sites to which it links.
    pub linkout: u32,
    /// PageRank(w).
    pub pagerank: f64,
    /// PageRank(w)·C(w).
    pub weighted: f64,
}

/// Ranks of the stored sites; zeros for those that are not seeds.
///
/// PageRank(w) = r/N + (1 − r)·Σ_{w' ∈ M(w)} PageRank(w')/Linkout(w'), where N is the number of seeds, M(w) the seeds that link to w, and
/// Linkout(w) the number of seeds to which w links. Each is counted once, so a site passes on exactly its own value. PageRank starts at 1.
/// A site without a link to a seed passes on nothing, as in the formula, so the sum is 1 only if there are no such sites. Cost of a round:
/// all links are read once.
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
        // The sum is made in the order of the links, so that the result is the same on every machine.
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
