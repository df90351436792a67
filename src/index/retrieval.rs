//! Pages that share rare tokens: candidates for pairs that no URL reveals.

use rayon::prelude::*;
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

/// The tokens of some pages, numbered from 0 in the order of their hashes.
pub struct Numbered {
    /// The hash of each.
    hashes: Vec<u64>,
    numbers: FxHashMap<u64, u32>,
    /// The numbers of each page's tokens, in order.
    of_pages: FxHashMap<u32, Vec<u32>>,
}

impl Numbered {
    /// Numbers tokens, given as hashes for each page, sorted and distinct. Memory: 4 bytes for each token of a page, and some
    /// 40 for each token; while it is made, 8 more for each token of a page.
    pub fn new(pages: FxHashMap<u32, Vec<u64>>) -> Numbered {
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        for &token in pages.values().flatten() {
            numbers.entry(token).or_default();
        }
        let mut hashes: Vec<u64> = numbers.keys().copied().collect();
        hashes.par_sort_unstable();
        for (&hash, number) in hashes.iter().zip(0..) {
            numbers.insert(hash, number);
        }
        let of_page = |(page, tokens): (u32, Vec<u64>)| (page, tokens.iter().map(|token| numbers[token]).collect());
        let of_pages = pages.into_par_iter().map(of_page).collect();
        Numbered { hashes, numbers, of_pages }
    }

    /// How many tokens there are.
    pub fn count(&self) -> usize {
        self.hashes.len()
    }

    /// The hash of a token.
    pub fn token(&self, number: u32) -> u64 {
        self.hashes[number as usize]
    }

    /// The number of a token, if a page has it.
    pub fn number(&self, token: u64) -> Option<u32> {
        self.numbers.get(&token).copied()
    }

    /// The tokens of a page, in order.
    pub fn of(&self, page: u32) -> &[u32] {
        self.of_pages.get(&page).map_or(&[], Vec::as_slice)
    }
}

/// For each token, its position in an index, plus 1; 0 for a token that the index does not have. One index after the other uses this
/// memory.
pub struct Slots(Vec<u32>);

impl Slots {
    /// Room for so many tokens.
    pub fn new(tokens: usize) -> Slots {
        Slots(vec![0; tokens])
    }
}

/// Token → pages, weighted by how rare a token is.
pub struct Rare<'s> {
    slots: &'s mut Slots,
    /// The tokens in the order in which they first come.
    tokens: Vec<u32>,
    /// End of each token's pages.
    ends: Vec<u32>,
    pages: Vec<u32>,
    /// Length of each page's vector.
    lengths: Vec<f32>,
    params: Params,
}

impl<'s> Rare<'s> {
    /// The index of pages 0, 1, …, each given by its distinct tokens in order, whose numbers are below the number of `slots`. Memory: 4
    /// bytes for each token of a page and for each page, and 8 for each token; 5 more for each while it is made. Time grows with the tokens
    /// of the pages.
    pub fn new<'t>(pages: impl Iterator<Item = &'t [u32]> + Clone, slots: &'s mut Slots, params: &Params) -> Rare<'s> {
        let mut tokens = Vec::new();
        // On how many pages each token stands; later, the end of its list of pages.
        let mut ends: Vec<u32> = Vec::new();
        let mut count = 0;
        for page in pages.clone() {
            for &token in page {
                let slot = &mut slots.0[token as usize];
                if *slot == 0 {
                    tokens.push(token);
                    ends.push(0);
                    *slot = tokens.len() as u32;
                }
                ends[*slot as usize - 1] += 1;
            }
            count += 1;
        }
        let place = |slots: &Slots, token: u32| slots.0[token as usize] as usize - 1;
        let squares: Vec<f32> = ends.iter().map(|&pages| weight(count, pages as usize).powi(2)).collect();
        let length = |page: &[u32]| page.iter().map(|&token| squares[place(slots, token)]).sum::<f32>().sqrt();
        let lengths = pages.clone().map(length).collect();
        let max_pages =
            ((f64::from(count) * params.max_share) as usize).clamp(MIN_COMMON, params.max_pages.max(MIN_COMMON));
        let mut all = 0;
        let is_common: Vec<bool> = ends.iter().map(|&pages| pages as usize > max_pages).collect();
        for (end, is_common) in ends.iter_mut().zip(&is_common) {
            // Each value is where the next page of the token is put, and in the end lies behind all its pages.
            let pages = if *is_common { 0 } else { *end };
            *end = all;
            all += pages;
        }
        let mut listed = vec![0; all as usize];
        for (page, number) in pages.zip(0..) {
            for &token in page {
                let place = place(slots, token);
                if !is_common[place] {
                    listed[ends[place] as usize] = number;
                    ends[place] += 1;
                }
            }
        }
        Rare { slots, tokens, ends, pages: listed, lengths, params: params.clone() }
    }

    /// How many pages there are.
    pub fn count(&self) -> u32 {
        self.lengths.len() as u32
    }

    /// The pages with a token; none where the token is too common.
    pub fn pages(&self, token: u32) -> &[u32] {
        let Some(at) = (self.slots.0[token as usize] as usize).checked_sub(1) else { return &[] };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.pages[start as usize..self.ends[at] as usize]
    }

    /// The pages that have the most in common with a page of these distinct tokens: those with the largest Σ idf² / length, at most
    /// [`Params::candidates`], best first, ties by number. Cost and memory: at most `tokens · max_pages` for any site.
    pub fn nearest(&self, tokens: &[u32]) -> Vec<(u32, f32)> {
        let mut found: Vec<&[u32]> = tokens.iter().map(|&token| self.pages(token)).filter(|p| !p.is_empty()).collect();
        // The rarest tokens come first; equally rare ones stay in the given order, so callers must give tokens in a fixed order.
        found.sort_by_key(|pages| pages.len());
        found.truncate(self.params.tokens);
        let mut shared: Vec<(u32, f32)> = Vec::with_capacity(found.iter().map(|pages| pages.len()).sum());
        for pages in found {
            let square = weight(self.count(), pages.len()).powi(2);
            shared.extend(pages.iter().map(|&page| (page, square)));
        }
        // The pages are summed up in a fixed order, so that all digits of the sums are the same each time.
        shared.sort_by_key(|(page, _)| *page);
        let share = |of_page: &[(u32, f32)]| {
            let (page, sum) = (of_page[0].0, of_page.iter().fold(0.0, |sum, (_, square)| sum + square));
            (page, sum / self.lengths[page as usize].max(1e-6))
        };
        let mut best: Vec<(u32, f32)> = shared.chunk_by(|x, y| x.0 == y.0).map(share).collect();
        let order = |x: &(u32, f32), y: &(u32, f32)| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0));
        if best.len() > self.params.candidates {
            best.select_nth_unstable_by(self.params.candidates, order);
            best.truncate(self.params.candidates);
        }
        best.sort_unstable_by(order);
        best
    }
}

impl Drop for Rare<'_> {
    fn drop(&mut self) {
        self.tokens.iter().for_each(|&token| self.slots.0[token as usize] = 0);
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
        let pages: [&[u32]; 4] = [&[1, 2, 9], &[1, 3, 9], &[1, 4, 9], &[1, 5, 9]];
        let mut slots = Slots::new(100);
        let rare = Rare::new(pages.into_iter(), &mut slots, &Params::default());
        let best = rare.nearest(&[3, 9, 77]);
        assert_eq!(best[0].0, 1);
        assert_eq!(rare.nearest(&[77]), []);
        drop(rare);
        assert_eq!(slots.0, vec![0; 100], "ready for the next");
    }

    #[test]
    fn tokens_are_numbered_in_the_order_of_their_hashes() {
        let numbered = Numbered::new(FxHashMap::from_iter([(3, vec![50, 900]), (8, vec![7, 50])]));
        assert_eq!((numbered.of(3), numbered.of(8), numbered.of(1)), (&[1, 2][..], &[0, 1][..], &[][..]));
        assert_eq!((numbered.count(), numbered.number(900), numbered.number(8)), (3, Some(2), None));
        assert_eq!([0, 1, 2].map(|number| numbered.token(number)), [7, 50, 900]);
    }

    proptest! {
        #[test]
        fn the_nearest_are_those_that_comparing_every_page_finds(
            pages in proptest::collection::vec(proptest::collection::btree_set(0u32..30, 0..12), 1..60),
            queries in proptest::collection::vec(proptest::collection::btree_set(0u32..30, 0..12), 2),
            (max_share, max_pages, candidates, tokens) in (0.0..1.0, 4usize..20, 0usize..6, 1usize..40),
        ) {
            let lists: Vec<Vec<u32>> = pages.iter().map(|page| page.iter().copied().collect()).collect();
            let params = Params { max_share, max_pages, candidates, tokens };
            let mut slots = Slots::new(30);
            // The memory of another index.
            drop(Rare::new(lists[lists.len() / 2..].iter().map(Vec::as_slice), &mut slots, &params));
            let rare = Rare::new(lists.iter().map(Vec::as_slice), &mut slots, &params);
            let df = |token: u32| lists.iter().filter(|page| page.contains(&token)).count();
            let square = |token: u32| weight(lists.len() as u32, df(token)).powi(2);
            let most = ((lists.len() as f64 * max_share) as usize).clamp(MIN_COMMON, max_pages);
            for query in queries {
                let query: Vec<u32> = query.into_iter().collect();
                let mut used: Vec<u32> = query.iter().copied().filter(|&token| (1..=most).contains(&df(token))).collect();
                used.sort_by_key(|&token| df(token));
                used.truncate(tokens);
                let mut expected = Vec::new();
                for (list, page) in lists.iter().zip(0u32..) {
                    let shared = used.iter().filter(|token| list.contains(token));
                    let sum = shared.fold(0.0f32, |sum, &token| sum + square(token));
                    let length = list.iter().map(|&token| square(token)).sum::<f32>().sqrt();
                    if sum > 0.0 {
                        expected.push((page, sum / length.max(1e-6)));
                    }
                }
                expected.sort_by(|x: &(u32, f32), y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
                expected.truncate(candidates);
                prop_assert_eq!(rare.nearest(&query), expected);
            }
        }
    }
}
