//! Pages that share rare tokens: candidates for pairs that no URL reveals.

use rustc_hash::FxHashMap;

/// Settings of retrieval.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Tokens on a larger share of all pages than this are ignored. Default 0.1.
    pub max_share: f64,
    /// Tokens on more pages than this are ignored too, so that the cost of a page is bounded. Default 200.
    pub max_pages: usize,
    /// How many tokens of a page are used, the rarest ones. Default 96.
    pub tokens: usize,
    /// How many pages are returned for each page. Default 8.
    pub candidates: usize,
}

impl Default for Params {
    fn default() -> Params {
        Params { max_share: 0.1, max_pages: 200, tokens: 96, candidates: 8 }
    }
}

/// Token → pages, weighted by how rare a token is.
pub struct Rare {
    /// Tokens, sorted.
    tokens: Vec<u64>,
    /// End of each token's pages.
    ends: Vec<u32>,
    pages: Vec<u32>,
    /// Length of each page's vector.
    lengths: Vec<f32>,
    params: Params,
}

impl Rare {
    /// The index of pages 0, 1, …, each given by its distinct tokens. Memory: 4 bytes for each token of a page, and 12 for each token;
    /// three times as much during construction.
    pub fn new<'t>(pages: impl Iterator<Item = &'t [u64]>, params: &Params) -> Rare {
        let mut entries: Vec<(u64, u32)> = Vec::new();
        let mut count = 0;
        for (tokens, page) in pages.zip(0u32..) {
            entries.extend(tokens.iter().map(|&token| (token, page)));
            count = page + 1;
        }
        entries.sort_unstable();
        entries.dedup();
        let mut rare = Rare {
            tokens: Vec::new(),
            ends: Vec::new(),
            pages: Vec::new(),
            lengths: vec![0.0; count as usize],
            params: params.clone(),
        };
        let max_pages =
            ((f64::from(count) * params.max_share) as usize).clamp(MIN_COMMON, params.max_pages.max(MIN_COMMON));
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            let weight = weight(count, group.len());
            for &(_, page) in group {
                rare.lengths[page as usize] += weight * weight;
            }
            if group.len() > max_pages {
                continue;
            }
            rare.tokens.push(group[0].0);
            rare.pages.extend(group.iter().map(|&(_, page)| page));
            rare.ends.push(rare.pages.len() as u32);
        }
        for length in &mut rare.lengths {
            *length = length.sqrt();
        }
        rare
    }

    /// How many pages there are.
    pub fn count(&self) -> u32 {
        self.lengths.len() as u32
    }

    /// The pages with a token; none where the token is too common.
    pub fn pages(&self, token: u64) -> &[u32] {
        let Ok(at) = self.tokens.binary_search(&token) else { return &[] };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.pages[start as usize..self.ends[at] as usize]
    }

    /// The pages that have the most in common with a page of these distinct tokens: those with the largest Σ idf² / length, at most
    /// [`Params::candidates`], best first, ties by number. Cost: at most `tokens · max_pages` for any site.
    pub fn nearest(&self, tokens: &[u64]) -> Vec<(u32, f32)> {
        let mut found: Vec<&[u32]> = tokens.iter().map(|&token| self.pages(token)).filter(|p| !p.is_empty()).collect();
        // The rarest tokens come first; equally rare ones stay in the given order, so callers must give tokens in a fixed order.
        found.sort_by_key(|pages| pages.len());
        found.truncate(self.params.tokens);
        let mut sums: FxHashMap<u32, f32> = FxHashMap::default();
        for pages in found {
            let weight = weight(self.count(), pages.len());
            for &page in pages {
                *sums.entry(page).or_default() += weight * weight;
            }
        }
        let mut best: Vec<(u32, f32)> =
            sums.into_iter().map(|(page, sum)| (page, sum / self.lengths[page as usize].max(1e-6))).collect();
        best.sort_unstable_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
        best.truncate(self.params.candidates);
        best
    }
}

/// Tokens on this many pages or fewer are never too common.
const MIN_COMMON: usize = 4;

/// ln(1 + N / df): the weight of a token on `df` of `count` pages.
pub fn weight(count: u32, df: usize) -> f32 {
    (1.0 + f64::from(count) / df.max(1) as f64).ln() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_page_with_most_rare_tokens_in_common_comes_first() {
        let pages: [&[u64]; 4] = [&[1, 2, 9], &[1, 3, 9], &[1, 4, 9], &[1, 5, 9]];
        let rare = Rare::new(pages.into_iter(), &Params::default());
        let best = rare.nearest(&[3, 9, 77]);
        assert_eq!(best[0].0, 1);
        assert_eq!(rare.nearest(&[77]), []);
    }

    proptest! {
        #[test]
        fn sums_are_those_of_comparing_every_page(
            pages in proptest::collection::vec(proptest::collection::btree_set(0u64..30, 0..12), 1..20),
            query in proptest::collection::btree_set(0u64..30, 0..12),
        ) {
            let lists: Vec<Vec<u64>> = pages.iter().map(|page| page.iter().copied().collect()).collect();
            let params = Params { max_share: 1.0, candidates: 100, ..Params::default() };
            let rare = Rare::new(lists.iter().map(Vec::as_slice), &params);
            let query: Vec<u64> = query.into_iter().collect();
            let found = rare.nearest(&query);
            let df = |token: u64| lists.iter().filter(|page| page.contains(&token)).count();
            let square = |token: u64| weight(lists.len() as u32, df(token)).powi(2);
            for (page, list) in lists.iter().enumerate() {
                let shared: f32 = list.iter().filter(|token| query.contains(token)).map(|&token| square(token)).sum();
                let length = list.iter().map(|&token| square(token)).sum::<f32>().sqrt();
                let reported = found.iter().find(|(p, _)| *p == page as u32).map_or(0.0, |(_, score)| *score);
                prop_assert!((reported - shared / length.max(1e-6)).abs() < 1e-3);
            }
        }
    }
}
