//! Linkout, PageRank and WeightedPageRank of the seeds.

use crate::index::web::Web;

/// Settings of exploring.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// r (Zhang et al. 2013, §2.3: 0.15).
    pub damping: f64,
    /// Iteration stops when a round changes all PageRanks together by no more than this. All later rounds together would change
    /// them by at most (1 − r)/r times as much, less than six times. Default 10⁻¹².
    pub tolerance: f64,
    /// Rounds at most. From the paper's initial value, 1 for every site, 10⁷ sites take 270.
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
/// PageRank(w) = r/N + (1 − r)·Σ_{w' ∈ M(w)} PageRank(w')/Linkout(w'), N being the number of seeds, M(w) the seeds that link to
/// w, and Linkout(w) the number of seeds that w links to, each counted once: so a site passes on exactly its own value. PageRank
/// starts at 1. Sites without a link to a seed pass their value on to nobody, as the formula says, so the sum is 1 only if there
/// are no such sites. Cost a round: a walk over all links.
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
