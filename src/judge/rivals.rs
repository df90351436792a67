//! One partner each: what the other candidates of two pages say of their pair.
//!
//! A page has at most one partner in a language. So a set of pairs in which no page stands twice is as probable as the product of the odds
//! of its pairs, and a pair is as probable as all sets that have it. This is asked of each pair by belief propagation: each of its two pages
//! tells it what share is left for it beside the page's other candidates, which these have from their own other pages. The answer is exact
//! where candidates form no rings and messages have settled. In rings it is too sure: of two pages and two that are all alike, a little that speaks
//! for one way to pair them counts for several times as much (Huang & Jebara 2009, "Approximating the Permanent with Belief Propagation", use
//! the same messages where each page must have a partner; here it may have none).

use rustc_hash::FxHashMap;

/// The candidates of a language pair, by their pages.
pub struct Rivals {
    /// For each candidate that has rivals: its place, and the numbers of its two pages among those of such candidates.
    contested: Vec<(usize, [u32; 2])>,
    /// How many pages of either side have contested candidates.
    pages: [usize; 2],
    candidates: usize,
}

/// Messages change by less than this share when they are taken as settled.
const SETTLED: f64 = 1e-3;
/// Rounds of messages, at most. Candidates that are all alike settle in fewer; in long chains and in rings of which none is, what is said after so
/// many rounds stands.
const ROUNDS: usize = 24;
/// Log odds beyond this, in nats, are as good as certain.
const CERTAIN: f64 = 100.0;

impl Rivals {
    /// From the two pages of each candidate. O(n).
    pub fn new(candidates: impl Iterator<Item = (u32, u32)>) -> Rivals {
        let candidates: Vec<[u32; 2]> = candidates.map(|(a, b)| [a, b]).collect();
        let mut counts: [FxHashMap<u32, u32>; 2] = Default::default();
        for pages in &candidates {
            counts.iter_mut().zip(pages).for_each(|(counts, &page)| *counts.entry(page).or_default() += 1);
        }
        let has_rivals = |pages: &[u32; 2]| counts.iter().zip(pages).any(|(counts, page)| counts[page] > 1);
        let mut numbers: [FxHashMap<u32, u32>; 2] = Default::default();
        let contested: Vec<(usize, [u32; 2])> = candidates
            .iter()
            .enumerate()
            .filter(|(_, pages)| has_rivals(pages))
            .map(|(at, pages)| {
                let number = |side: usize, numbers: &mut FxHashMap<u32, u32>| {
                    let next = numbers.len() as u32;
                    *numbers.entry(pages[side]).or_insert(next)
                };
                let [of_a, of_b] = &mut numbers;
                (at, [number(0, of_a), number(1, of_b)])
            })
            .collect();
        Rivals { contested, pages: numbers.map(|numbers| numbers.len()), candidates: candidates.len() }
    }

    /// For each candidate, how many times as probable it is that one of its pages, or each, has another partner than that they have each
    /// other. `log_odds` are those of each candidate that its pages are partners, in nats, if they had no other candidates; −∞ for what is no
    /// candidate. O(n) a round, of which there are [`ROUNDS`] at most.
    pub fn odds(&self, log_odds: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut found = vec![0.0; self.candidates];
        let weight = |&(at, _): &(usize, _)| log_odds(at).clamp(-CERTAIN, CERTAIN).exp();
        let weights: Vec<f64> = self.contested.iter().map(weight).collect();
        // What share either page of each candidate leaves to it.
        let mut left = [vec![1.0; weights.len()], vec![1.0; weights.len()]];
        for _ in 0..ROUNDS {
            let mut change: f64 = 0.0;
            for side in 0..2 {
                let others = self.others(&weights, &left[1 - side], side);
                for (left, others) in left[side].iter_mut().zip(others) {
                    // The mean of what was said and what is now, on a scale of logarithms, so that what pages say to each other in turn does
                    // not swing.
                    let next = (*left / (1.0 + others)).sqrt();
                    change = change.max((next / *left - 1.0).abs());
                    *left = next;
                }
            }
            if change < SETTLED {
                break;
            }
        }
        let [of_a, of_b] = [0, 1].map(|side| self.others(&weights, &left[1 - side], side));
        for ((&(at, _), weight), (a, b)) in self.contested.iter().zip(&weights).zip(of_a.into_iter().zip(of_b)) {
            found[at] = (a + b + a * b) / weight;
        }
        found
    }

    /// For each candidate, the weights of the other candidates of its page on one side, each times the share that is left to it.
    fn others(&self, weights: &[f64], left: &[f64], side: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.pages[side]];
        let own = |at: usize| weights[at] * left[at];
        self.contested.iter().enumerate().for_each(|(at, (_, pages))| sums[pages[side] as usize] += own(at));
        // Rounding may leave less than nothing.
        let others = |(at, (_, pages)): (usize, &(usize, [u32; 2]))| (sums[pages[side] as usize] - own(at)).max(0.0);
        self.contested.iter().enumerate().map(others).collect()
    }
}

/// The probability of a pair with such [odds](Rivals::odds) of rivals, from what it is by itself.
pub fn beside(probability: f64, rivals: f64) -> f64 {
    probability / (1.0 + rivals * probability)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by counting all sets of pairs in which no page stands twice.
    fn by_counting(candidates: &[(u32, u32)], log_odds: &[f64]) -> Vec<f64> {
        let (mut all, mut with) = (0.0, vec![0.0; candidates.len()]);
        let mut alone = vec![0.0; candidates.len()];
        for set in 0u32..1 << candidates.len() {
            let members: Vec<usize> = (0..candidates.len()).filter(|at| set >> at & 1 == 1).collect();
            let clash = |x: usize, y: usize| candidates[x].0 == candidates[y].0 || candidates[x].1 == candidates[y].1;
            if members.iter().any(|&x| members.iter().any(|&y| x < y && clash(x, y))) {
                continue;
            }
            let weight = members.iter().map(|&at| log_odds[at]).sum::<f64>().exp();
            all += weight;
            members.iter().for_each(|&at| with[at] += weight);
            for at in (0..candidates.len()).filter(|at| !members.contains(at)) {
                if !members.iter().any(|&other| clash(at, other)) {
                    alone[at] += weight;
                }
            }
        }
        (0..candidates.len()).map(|at| (all - with[at] - alone[at]) / with[at]).collect()
    }

    fn found(candidates: &[(u32, u32)], log_odds: &[f64]) -> Vec<f64> {
        Rivals::new(candidates.iter().copied()).odds(|at| log_odds[at])
    }

    #[test]
    fn a_page_with_two_candidates_by_hand() {
        // e² to one against e¹ to one: the second is e¹ / e² times as probable as the first.
        let odds = found(&[(1, 10), (1, 11), (2, 12)], &[2.0, 1.0, -3.0]);
        assert!((odds[0] - (-1f64).exp()).abs() < 1e-3 && (odds[1] - 1f64.exp()).abs() < 1e-3 && odds[2] == 0.0);
    }

    #[test]
    fn of_pages_that_are_all_alike_each_has_its_share() {
        let candidates: Vec<(u32, u32)> = (0..4).flat_map(|a| (10..14).map(move |b| (a, b))).collect();
        let odds = found(&candidates, &[12.0; 16]);
        assert!(odds.iter().all(|odds| (odds - 3.0).abs() < 0.05), "{odds:?}");
    }

    #[test]
    fn what_is_certain_leaves_nothing_to_others_and_what_is_no_candidate_takes_nothing() {
        let odds = found(&[(1, 10), (1, 11), (2, 11)], &[f64::INFINITY, 9.0, f64::NEG_INFINITY]);
        assert!(odds[0] < 1e-12 && odds[1] > 1e30, "{odds:?}");
        let odds = found(&[(1, 10), (1, 11)], &[3.0, f64::NEG_INFINITY]);
        assert!(odds[0] < 1e-12, "{odds:?}");
    }

    proptest! {
        #[test]
        fn it_is_exact_where_candidates_form_no_rings(
            tree in proptest::collection::vec((0u32..6, any::<bool>(), -6.0f64..12.0), 1..9)
        ) {
            // Each candidate joins a new page to one that is there, as long as they are on different sides.
            let mut sides = vec![false];
            let mut candidates = Vec::new();
            for &(to, _, _) in &tree {
                let to = to as usize % sides.len();
                let (new, side) = (sides.len() as u32, !sides[to]);
                candidates.push(if side { (to as u32, new) } else { (new, to as u32) });
                sides.push(side);
            }
            let log_odds: Vec<f64> = tree.iter().map(|one| one.2).collect();
            let exact = by_counting(&candidates, &log_odds);
            for (found, exact) in found(&candidates, &log_odds).into_iter().zip(exact) {
                prop_assert!((found - exact).abs() <= 0.02 * exact + 1e-9, "{found} {exact}");
            }
        }

        #[test]
        fn where_every_page_may_have_every_other_it_is_too_sure_but_not_blind(log_odds in proptest::collection::vec(-6.0f64..12.0, 9)) {
            let candidates: Vec<(u32, u32)> = (0..3).flat_map(|a| (10..13).map(move |b| (a, b))).collect();
            let probability = |odds: f64, log_odds: f64| 1.0 / (1.0 + (-log_odds).exp() + odds);
            let exact = by_counting(&candidates, &log_odds);
            for ((found, exact), log_odds) in found(&candidates, &log_odds).into_iter().zip(exact).zip(&log_odds) {
                let [found, exact] = [found, exact].map(|odds| probability(odds, *log_odds));
                prop_assert!((found - exact).abs() < 0.4, "{found} {exact}");
            }
        }
    }
}
