//! Pairs from aligned links: the k-th link of a page and the k-th link of its translation lead to translations.

use crate::sequence::band::Band;
use crate::sequence::path::{Move, cheapest_in};

/// Settings of aligning links.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Params {
    /// Links of a page that are aligned, at most. Default 4,000, the length of a list of all pages of a site.
    pub max_links: usize,
    /// Links by which two pages may be out of step, in addition to the difference of their numbers of links. Default 48.
    pub band: usize,
    /// Least share of the votes ([`Votes::share`](super::votes::Votes::share)) for a pair to be proposed. Default 0.3.
    pub min_share: f32,
}

impl Default for Params {
    fn default() -> Params {
        Params { max_links: 4000, band: 48, min_share: 0.3 }
    }
}

/// One link, as it is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The page it leads to.
    pub to: u32,
    /// Hash of the link's context: how many entries of the tag sequence stand between the link before and this one, and which element it
    /// is.
    pub context: u64,
}

/// What is believed of two pages before their links are aligned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Belief {
    /// They are a pair, with this probability.
    Pair(f32),
    /// One of them has another partner.
    Otherwise,
    /// Nothing is believed.
    Open,
}

/// The targets of links that correspond, sorted, each pair once. The links of both pages are aligned in order so that the sum of these
/// values is greatest: 1 for two links of equal context, 0.2 for others, 2p more where the targets are believed to be a pair with
/// probability p; a link is never aligned with one whose target is believed to have, or to be for, another partner. Links of different
/// context are aligned but not returned, unless their targets are believed to be a pair (p > ½). The alignment keeps to a band around the
/// diagonal, so time and memory grow with the number of links.
pub fn align(a: &[Link], b: &[Link], belief: &dyn Fn(u32, u32) -> Belief, params: &Params) -> Vec<(u32, u32)> {
    let (a, b) = (&a[..a.len().min(params.max_links)], &b[..b.len().min(params.max_links)]);
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    for step in best_way(a, b, belief, params) {
        if step == (1, 1) {
            let (x, y): (&Link, &Link) = (&a[i], &b[j]);
            let believed = matches!(belief(x.to, y.to), Belief::Pair(p) if p > 0.5);
            if believed || x.context == y.context {
                found.push((x.to, y.to));
            }
        }
        (i, j) = (i + step.0 as usize, j + step.1 as usize);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The cheapest alignment, as steps: to the next link of one page, of the other, or of both.
fn best_way(a: &[Link], b: &[Link], belief: &dyn Fn(u32, u32) -> Belief, params: &Params) -> Vec<Move> {
    let band = Band::in_step(a.len() as u32, b.len() as u32, params.band as u32);
    // Values are negative costs.
    let cost = |i: u32, j: u32, step: Move| match step {
        (1, 1) => Some(value(&a[i as usize - 1], &b[j as usize - 1], belief))
            .filter(|value| *value > 0.0)
            .map_or(f32::INFINITY, |value| -value),
        _ => 0.0,
    };
    cheapest_in(&band, &[(1, 1), (1, 0), (0, 1)], &cost).unwrap_or_default()
}

fn value(a: &Link, b: &Link, belief: &dyn Fn(u32, u32) -> Belief) -> f32 {
    let alike = if a.context == b.context { 1.0 } else { 0.2 };
    match belief(a.to, b.to) {
        Belief::Pair(p) => alike + 2.0 * p,
        Belief::Otherwise => -1.0,
        Belief::Open => alike,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn links(list: &[(u32, u64)]) -> Vec<Link> {
        list.iter().map(|&(to, context)| Link { to, context }).collect()
    }

    #[test]
    fn links_in_the_same_order_lead_to_pairs() {
        let (a, b) = (links(&[(1, 7), (2, 7), (3, 9)]), links(&[(11, 7), (12, 7), (13, 9)]));
        let found = align(&a, &b, &|_, _| Belief::Open, &Params::default());
        assert_eq!(found, [(1, 11), (2, 12), (3, 13)]);
    }

    #[test]
    fn a_pair_that_is_known_keeps_the_others_in_step() {
        // The second list has one more link, at its beginning; all contexts are equal.
        let (a, b) = (links(&[(1, 7), (2, 7), (3, 7)]), links(&[(10, 7), (11, 7), (12, 7), (13, 7)]));
        let belief = |x: u32, y: u32| match (x, y) {
            (1, 11) => Belief::Pair(0.9),
            (1, _) | (_, 11) => Belief::Otherwise,
            _ => Belief::Open,
        };
        assert_eq!(align(&a, &b, &belief, &Params::default()), [(1, 11), (2, 12), (3, 13)]);
    }

    /// The greatest sum of values, found by trying everything.
    fn best(a: &[Link], b: &[Link], belief: &dyn Fn(u32, u32) -> Belief) -> f32 {
        let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first()) else { return 0.0 };
        let both = best(rest_a, rest_b, belief) + value(x, y, belief).max(0.0);
        both.max(best(rest_a, b, belief)).max(best(a, rest_b, belief))
    }

    proptest! {
        #[test]
        fn alignment_is_worth_what_the_best_of_all_is(
            a in proptest::collection::vec((0u32..4, 0u64..3), 0..6),
            b in proptest::collection::vec((10u32..14, 0u64..3), 0..6),
            pair in (0u32..4, 10u32..14),
        ) {
            let (a, b) = (links(&a), links(&b));
            let belief = |x: u32, y: u32| {
                if (x, y) == pair { Belief::Pair(0.8) } else if x == pair.0 || y == pair.1 { Belief::Otherwise } else { Belief::Open }
            };
            let (mut i, mut j, mut worth) = (0, 0, 0.0);
            for step in best_way(&a, &b, &belief, &Params::default()) {
                if step == (1, 1) {
                    worth += value(&a[i], &b[j], &belief);
                }
                (i, j) = (i + step.0 as usize, j + step.1 as usize);
            }
            prop_assert_eq!((i, j), (a.len(), b.len()));
            prop_assert!((worth - best(&a, &b, &belief)).abs() < 1e-4);
            for (x, y) in align(&a, &b, &belief, &Params::default()) {
                prop_assert!(!matches!(belief(x, y), Belief::Otherwise));
            }
        }
    }
}
