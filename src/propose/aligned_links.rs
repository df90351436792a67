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

/// What is believed of a page before links are aligned: its partner in the other language, with the probability that they are a pair.
pub type Believed<'b> = dyn Fn(u32) -> Option<(u32, f32)> + 'b;

/// A link with what is believed of its target.
type Known = (Link, Option<(u32, f32)>);

/// The targets of links that correspond, sorted, each pair once. The links of both pages are aligned in order so that the sum of these
/// values is greatest: 1 for two links of equal context, 0.2 for others, 2p more where the targets are believed to be a pair with
/// probability p; a link is never aligned with one whose target is believed to have, or to be for, another partner. Links of different
/// context are aligned but not returned, unless their targets are believed to be a pair (p > ½). The alignment keeps to a band around the
/// diagonal, so time and memory grow with the number of links.
pub fn align(a: &[Link], b: &[Link], believed: &Believed<'_>, params: &Params) -> Vec<(u32, u32)> {
    // Each target is looked up once, not for each link beside which it is tried.
    let known = |links: &[Link]| -> Vec<Known> {
        links.iter().take(params.max_links).map(|link| (*link, believed(link.to))).collect()
    };
    let (a, b) = (known(a), known(b));
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    for step in best_way(&a, &b, params) {
        if step == (1, 1) {
            let ((x, of_x), (y, _)) = (&a[i], &b[j]);
            if x.context == y.context || of_x.is_some_and(|(partner, p)| partner == y.to && p > 0.5) {
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
fn best_way(a: &[Known], b: &[Known], params: &Params) -> Vec<Move> {
    let band = Band::in_step(a.len() as u32, b.len() as u32, params.band as u32);
    // Values are negative costs.
    let cost = |i: u32, j: u32, step: Move| match step {
        (1, 1) => Some(value(&a[i as usize - 1], &b[j as usize - 1]))
            .filter(|value| *value > 0.0)
            .map_or(f32::INFINITY, |value| -value),
        _ => 0.0,
    };
    cheapest_in(&band, &[(1, 1), (1, 0), (0, 1)], &cost).unwrap_or_default()
}

/// What it is worth to align two links; negative where it is not done.
fn value((a, of_a): &Known, (b, of_b): &Known) -> f32 {
    let alike = if a.context == b.context { 1.0 } else { 0.2 };
    match of_a {
        Some((partner, p)) if *partner == b.to => alike + 2.0 * p,
        None if of_b.is_none() => alike,
        _ => -1.0,
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
        assert_eq!(align(&a, &b, &|_| None, &Params::default()), [(1, 11), (2, 12), (3, 13)]);
    }

    /// Two pages are believed to be a pair.
    fn believed(pair: (u32, u32), p: f32) -> impl Fn(u32) -> Option<(u32, f32)> {
        move |page| match page {
            page if page == pair.0 => Some((pair.1, p)),
            page if page == pair.1 => Some((pair.0, p)),
            _ => None,
        }
    }

    #[test]
    fn a_pair_that_is_known_keeps_the_others_in_step() {
        // The second list has one more link, at its beginning; all contexts are equal.
        let (a, b) = (links(&[(1, 7), (2, 7), (3, 7)]), links(&[(10, 7), (11, 7), (12, 7), (13, 7)]));
        assert_eq!(align(&a, &b, &believed((1, 11), 0.9), &Params::default()), [(1, 11), (2, 12), (3, 13)]);
    }

    #[test]
    fn in_another_context_only_a_pair_that_is_believed_is_returned() {
        let (a, b) = (links(&[(1, 7), (2, 7)]), links(&[(11, 8), (12, 8)]));
        let found = |p: f32| align(&a, &b, &believed((1, 11), p), &Params::default());
        assert_eq!((found(0.9), found(0.4)), (vec![(1, 11)], vec![]));
    }

    /// The value of aligning two links, by the rule in words.
    fn worth(x: &Link, y: &Link, (pair, p): ((u32, u32), f32)) -> f32 {
        let alike = if x.context == y.context { 1.0 } else { 0.2 };
        match (x.to == pair.0, y.to == pair.1) {
            (true, true) => alike + 2.0 * p,
            (false, false) => alike,
            _ => -1.0,
        }
    }

    /// The greatest sum of values, found by trying everything.
    fn best(a: &[Link], b: &[Link], believed: ((u32, u32), f32)) -> f32 {
        let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first()) else { return 0.0 };
        let both = best(rest_a, rest_b, believed) + worth(x, y, believed).max(0.0);
        both.max(best(rest_a, b, believed)).max(best(a, rest_b, believed))
    }

    proptest! {
        #[test]
        fn alignment_is_worth_what_the_best_of_all_is(
            a in proptest::collection::vec((0u32..4, 0u64..3), 0..6),
            b in proptest::collection::vec((10u32..14, 0u64..3), 0..6),
            pair in (0u32..4, 10u32..14),
        ) {
            let (a, b) = (links(&a), links(&b));
            let partner = believed(pair, 0.8);
            let known = |links: &[Link]| links.iter().map(|link| (*link, partner(link.to))).collect::<Vec<_>>();
            let (mut i, mut j, mut sum) = (0, 0, 0.0);
            for step in best_way(&known(&a), &known(&b), &Params::default()) {
                if step == (1, 1) {
                    sum += worth(&a[i], &b[j], (pair, 0.8));
                }
                (i, j) = (i + step.0 as usize, j + step.1 as usize);
            }
            prop_assert_eq!((i, j), (a.len(), b.len()));
            prop_assert!((sum - best(&a, &b, (pair, 0.8))).abs() < 1e-4);
            for (x, y) in align(&a, &b, &partner, &Params::default()) {
                prop_assert_eq!(x == pair.0, y == pair.1);
            }
        }
    }
}
