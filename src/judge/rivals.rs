//! One partner each: what the other candidates of two pages say of their pair.
//!
//! A page has at most one partner in a language. So a set of pairs in which no page stands twice is as probable as the product of the odds
//! of its pairs, and a pair is as probable as all sets that have it. Candidates that share pages, directly or by way of others, form a group, and
//! groups say nothing of each other. In groups of few pages all sets are summed, which is exact. In larger ones, belief
//! propagation tells each candidate what share either page leaves to it beside the page's other candidates, which these have from
//! their own other pages (Huang & Jebara 2009, "Approximating the Permanent with Belief Propagation", use the same messages where each page must have
//! a partner; here it may have none). That is exact where candidates form no rings and messages have settled. In rings it is too sure: of two pages
//! and two that are all alike, a little that speaks for one way to pair them would count for several times as much.

use rustc_hash::FxHashMap;

use crate::index::clusters::Clusters;

/// The candidates of a language pair, by their pages.
pub struct Rivals {
    /// For each candidate that has rivals: its place, and the numbers of its two pages among those of such candidates.
    contested: Vec<(usize, Pages)>,
    /// How many pages of either side have contested candidates.
    pages: [usize; 2],
    candidates: usize,
}

/// The numbers of two pages, each on its own side.
type Pages = [u32; 2];

/// A candidate of odds below these takes nothing from others: it would take a thousandth of a page's probability at most, and would join groups.
/// Messages that change by less than this share are settled.
const NEGLIGIBLE: f64 = 1e-3;
/// How many steps may be taken to sum the sets of a group: 2ᵏ for each candidate, k pages being on the smaller side, so that six pages that may each
/// have any of six others are summed, and no candidate costs more than some hundred steps.
const MOST_STEPS: usize = 1 << 12;
/// Rounds of messages, at most. Candidates that are all alike settle in fewer; in long chains and in rings of which none is, what is said after so
/// many rounds stands.
const ROUNDS: usize = 24;
/// Log odds beyond this, in nats, are as good as certain.
const CERTAIN: f64 = 100.0;

impl Rivals {
    /// From the two pages of each candidate. O(n).
    pub fn new(candidates: impl Iterator<Item = (u32, u32)>) -> Rivals {
        let candidates: Vec<Pages> = candidates.map(|(a, b)| [a, b]).collect();
        let mut counts: [FxHashMap<u32, u32>; 2] = Default::default();
        for pages in &candidates {
            counts.iter_mut().zip(pages).for_each(|(counts, &page)| *counts.entry(page).or_default() += 1);
        }
        let has_rivals = |pages: &Pages| counts.iter().zip(pages).any(|(counts, page)| counts[page] > 1);
        let mut numbers: [FxHashMap<u32, u32>; 2] = Default::default();
        let contested = candidates.iter().enumerate().filter(|(_, pages)| has_rivals(pages));
        let contested = contested.map(|(at, pages)| (at, numbered(*pages, &mut numbers))).collect();
        Rivals { contested, pages: numbers.map(|numbers| numbers.len()), candidates: candidates.len() }
    }

    /// For each candidate, how many times as probable it is that one of its pages, or each, has another partner than that they have each
    /// other. `log_odds` are those of each candidate that its pages are partners, in nats, if they had no other candidates; −∞ for what is no
    /// candidate. O(n), times some hundred steps at most.
    pub fn odds(&self, log_odds: impl Fn(usize) -> f64) -> Vec<f64> {
        let odds = |&(at, _): &(usize, _)| log_odds(at).clamp(-CERTAIN, CERTAIN).exp();
        let weights: Vec<f64> = self.contested.iter().map(odds).collect();
        // How probable it is that each page has a partner among the candidates that count.
        let mut paired = self.pages.map(|count| vec![0.0; count]);
        let mut found = vec![0.0; self.candidates];
        for group in self.groups(&weights) {
            for (&at, odds) in group.members.iter().zip(group.odds()) {
                let (place, pages) = self.contested[at];
                let probability = 1.0 / (1.0 + 1.0 / weights[at] + odds);
                pages.into_iter().zip(&mut paired).for_each(|(page, paired)| paired[page as usize] += probability);
                found[place] = odds;
            }
        }
        for (&(place, pages), weight) in self.contested.iter().zip(&weights).filter(|(_, weight)| **weight < NEGLIGIBLE)
        {
            let [a, b] = [0, 1].map(|side| (1.0 - paired[side][pages[side] as usize]).max(0.0));
            found[place] = ((1.0 - a * b) / (weight * a * b)).min(f64::MAX);
        }
        found
    }

    /// The candidates that count, in groups that share no page.
    fn groups(&self, weights: &[f64]) -> Vec<Group> {
        let counts = |at: &usize| weights[*at] >= NEGLIGIBLE;
        // Pages of the second side have the numbers behind those of the first.
        let [of_a, of_b] = self.pages.map(|count| count as u32);
        let mut clusters = Clusters::new(of_a + of_b);
        for at in (0..weights.len()).filter(counts) {
            let [a, b] = self.contested[at].1;
            clusters.join(a, of_a + b);
        }
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        let mut groups: Vec<(Group, [FxHashMap<u32, u32>; 2])> = Vec::new();
        for at in (0..weights.len()).filter(counts) {
            let pages = self.contested[at].1;
            let number = *numbers.entry(clusters.root(pages[0])).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Default::default());
            }
            let (group, numbers) = &mut groups[number];
            group.members.push(at);
            group.candidates.push((weights[at], numbered(pages, numbers)));
        }
        let with_sizes = |(group, numbers): (Group, [FxHashMap<u32, u32>; 2])| Group {
            pages: numbers.map(|numbers| numbers.len()),
            ..group
        };
        groups.into_iter().map(with_sizes).collect()
    }
}

/// The numbers of two pages; each page that has none gets the next one of its side.
fn numbered(pages: Pages, numbers: &mut [FxHashMap<u32, u32>; 2]) -> Pages {
    [0, 1].map(|side| {
        let next = numbers[side].len() as u32;
        *numbers[side].entry(pages[side]).or_insert(next)
    })
}

/// Candidates that share pages, directly or by way of others.
#[derive(Debug, Default)]
struct Group {
    /// Which of all contested candidates they are.
    members: Vec<usize>,
    /// The odds of each, with its pages by their numbers in the group.
    candidates: Vec<(f64, Pages)>,
    /// How many pages of either side there are.
    pages: [usize; 2],
}

impl Group {
    /// For each candidate, how many times as probable other partners of its pages are.
    fn odds(&self) -> Vec<f64> {
        let small = self.pages[0].min(self.pages[1]);
        match self.candidates.len() {
            1 => vec![0.0],
            count if small < MOST_STEPS.ilog2() as usize && count << small <= MOST_STEPS => self.by_sums(),
            _ => self.by_messages(),
        }
    }

    /// The same from the sums over all sets of pairs in which no page stands twice.
    ///
    /// The pages of the larger side come one after the other, and sums are kept for each set of pages of the smaller side that have partners
    /// among the pages before, and among those from there on. 2ᵏ steps for each candidate and page, where k is the size of the smaller side.
    fn by_sums(&self) -> Vec<f64> {
        let small = usize::from(self.pages[1] < self.pages[0]);
        let sets = 1usize << self.pages[small];
        let mut of_page: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.pages[1 - small]];
        for (at, (_, pages)) in self.candidates.iter().enumerate() {
            of_page[pages[1 - small] as usize].push((at, 1 << pages[small]));
        }
        // Each row of sums has a scale of its own: its logarithm, in nats.
        let mut before = vec![(vec![0.0; sets], 0.0)];
        before[0].0[0] = 1.0;
        for page in &of_page {
            let (last, scale) = &before[before.len() - 1];
            let mut sums = last.clone();
            for &(at, bit) in page {
                for set in (0..sets).filter(|set| set & bit != 0) {
                    sums[set] += self.candidates[at].0 * last[set ^ bit];
                }
            }
            let scale = scale + rescaled(&mut sums);
            before.push((sums, scale));
        }
        let mut odds = vec![0.0; self.candidates.len()];
        let (mut after, mut scale) = (vec![1.0; sets], 0.0);
        let all: f64 = before[of_page.len()].0.iter().sum();
        let all_scale = before[of_page.len()].1;
        for (page, (sums, scale_before)) in of_page.iter().zip(&before).rev() {
            let mut next = after.clone();
            for &(at, bit) in page {
                let weight = self.candidates[at].0;
                let free = (0..sets).filter(|set| set & bit == 0);
                let without: f64 = free.clone().map(|set| sums[set] * after[set | bit]).sum();
                free.for_each(|set| next[set] += weight * after[set | bit]);
                // How many times as probable all sets are as those that have neither of the two pages.
                let times = (all.ln() - without.ln() + all_scale - scale_before - scale).exp();
                // Rounding may leave less than nothing.
                odds[at] = (times / weight - 1.0 - 1.0 / weight).clamp(0.0, f64::MAX);
            }
            scale += rescaled(&mut next);
            after = next;
        }
        odds
    }

    /// The same by belief propagation. O(n) a round for n candidates.
    fn by_messages(&self) -> Vec<f64> {
        // What share either page of each candidate leaves to it.
        let mut left = [vec![1.0; self.candidates.len()], vec![1.0; self.candidates.len()]];
        for _ in 0..ROUNDS {
            let mut change: f64 = 0.0;
            for side in 0..2 {
                let others = self.others(&left[1 - side], side);
                for (left, others) in left[side].iter_mut().zip(others) {
                    // The mean of what was said and what is now, on a scale of logarithms, so that what pages say to each other in turn does
                    // not swing.
                    let next = (*left / (1.0 + others)).sqrt();
                    change = change.max((next / *left - 1.0).abs());
                    *left = next;
                }
            }
            if change < NEGLIGIBLE {
                break;
            }
        }
        let [of_a, of_b] = [0, 1].map(|side| self.others(&left[1 - side], side));
        let odds = |((weight, _), (a, b)): (&(f64, Pages), (f64, f64))| (a + b + a * b) / weight;
        self.candidates.iter().zip(of_a.into_iter().zip(of_b)).map(odds).collect()
    }

    /// For each candidate, the odds of the other candidates of its page on one side, each times the share that is left to it.
    fn others(&self, left: &[f64], side: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.pages[side]];
        let own = |at: usize| self.candidates[at].0 * left[at];
        self.candidates.iter().enumerate().for_each(|(at, (_, pages))| sums[pages[side] as usize] += own(at));
        // Rounding may leave less than nothing.
        let others = |(at, (_, pages)): (usize, &(f64, Pages))| (sums[pages[side] as usize] - own(at)).max(0.0);
        self.candidates.iter().enumerate().map(others).collect()
    }
}

/// Divides sums by the largest of them; its logarithm.
fn rescaled(sums: &mut [f64]) -> f64 {
    let largest = sums.iter().copied().fold(0.0, f64::max);
    sums.iter_mut().for_each(|sum| *sum /= largest);
    largest.ln()
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

    fn probability(odds: f64, log_odds: f64) -> f64 {
        1.0 / (1.0 + (-log_odds).exp() + odds)
    }

    fn in_a_group(candidates: &[(u32, u32)], log_odds: &[f64]) -> Group {
        let rivals = Rivals::new(candidates.iter().copied());
        let weights: Vec<f64> = log_odds.iter().map(|log_odds| log_odds.exp()).collect();
        rivals.groups(&weights).remove(0)
    }

    #[test]
    fn of_two_pages_and_two_that_are_alike_a_little_evidence_counts_as_it_is() {
        // The two ways to pair all weigh e²⁰ each, and single pairs e¹⁰, so that the two decide.
        let candidates = [(1, 10), (2, 11), (1, 11), (2, 10)];
        let odds = found(&candidates, &[10.1, 10.1, 10.0, 10.0]);
        assert!((odds[0] - (-0.2f64).exp()).abs() < 1e-3 && (odds[2] - 0.2f64.exp()).abs() < 1e-3, "{odds:?}");
    }

    #[test]
    fn a_crowd_is_left_to_messages_and_what_is_negligible_joins_no_groups() {
        let crowd = |log_odds: f64| {
            let candidates: Vec<(u32, u32)> = (0..20).flat_map(|a| (100..120).map(move |b| (a, b))).collect();
            let of = |&(a, b): &(u32, u32)| if a + 100 == b { 8.0 } else { log_odds };
            found(&candidates, &candidates.iter().map(of).collect::<Vec<_>>())
        };
        let (far, near) = (crowd(-9.0), crowd(-4.0));
        assert!(far[0] == 0.0 && far[1] > 1e3 * (9f64).exp(), "{} {}", far[0], far[1]);
        assert!(near[0] > 0.0 && near[0] < 1e-3, "{}", near[0]);
    }

    proptest! {
        #[test]
        fn sums_are_those_over_all_sets(
            candidates in proptest::collection::btree_map((0u32..4, 10u32..15), -6.0f64..40.0, 1..13)
        ) {
            let log_odds: Vec<f64> = candidates.values().copied().collect();
            let candidates: Vec<(u32, u32)> = candidates.into_keys().collect();
            let exact = by_counting(&candidates, &log_odds);
            for ((found, exact), log_odds) in found(&candidates, &log_odds).into_iter().zip(exact).zip(log_odds) {
                let [found, exact] = [found, exact].map(|odds| probability(odds, log_odds));
                prop_assert!((found - exact).abs() <= 1e-9 + 1e-6 * exact, "{found} {exact}");
            }
        }

        #[test]
        fn messages_are_exact_where_candidates_form_no_rings(
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
            prop_assume!(candidates.len() > 1);
            let log_odds: Vec<f64> = tree.iter().map(|one| one.2).collect();
            let exact = by_counting(&candidates, &log_odds);
            for (found, exact) in in_a_group(&candidates, &log_odds).by_messages().into_iter().zip(exact) {
                prop_assert!((found - exact).abs() <= 0.02 * exact + 1e-9, "{found} {exact}");
            }
        }

        #[test]
        fn in_rings_messages_are_too_sure_but_not_blind(log_odds in proptest::collection::vec(-6.0f64..12.0, 9)) {
            let candidates: Vec<(u32, u32)> = (0..3).flat_map(|a| (10..13).map(move |b| (a, b))).collect();
            let exact = by_counting(&candidates, &log_odds);
            let by_messages = in_a_group(&candidates, &log_odds).by_messages();
            for ((found, exact), log_odds) in by_messages.into_iter().zip(exact).zip(&log_odds) {
                let [found, exact] = [found, exact].map(|odds| probability(odds, *log_odds));
                prop_assert!((found - exact).abs() < 0.4, "{found} {exact}");
            }
        }
    }
}
