//! The best and the second best score of each page, which tell whether a candidate leads all others of its page.

use rustc_hash::FxHashMap;

/// The two best scores among the candidates of each page.
#[derive(Clone, Debug)]
pub struct BestTwo {
    floor: f64,
    /// The best score, then the second best.
    scores: FxHashMap<u32, (f64, f64)>,
}

impl BestTwo {
    /// Starts without scores. A page with one candidate counts as having a second one with the score `floor`, which must not be above any
    /// score.
    pub fn new(floor: f64) -> BestTwo {
        BestTwo { floor, scores: FxHashMap::default() }
    }

    /// Adds the score of a candidate of a page.
    pub fn add(&mut self, page: u32, score: f64) {
        let (best, second) = self.scores.entry(page).or_insert((self.floor, self.floor));
        if score > *best {
            (*best, *second) = (score, *best);
        } else if score > *second {
            *second = score;
        }
    }

    /// True when `score`, which was added for the page, is its best score and at least `lead` above the second best. Where the two best
    /// scores are equal, neither leads with a `lead` above 0.
    pub fn leads(&self, page: u32, score: f64, lead: f64) -> bool {
        self.scores.get(&page).is_some_and(|&(best, second)| score >= best && score - second >= lead)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_score_leads_that_is_far_enough_above_all_others_of_its_page() {
        let mut scores = BestTwo::new(0.0);
        [(1, 0.75), (1, 0.5), (2, 0.75), (2, 0.75), (3, 0.25)]
            .into_iter()
            .for_each(|(page, score)| scores.add(page, score));
        assert!(scores.leads(1, 0.75, 0.25));
        [(4, 40.0), (4, 40.0)].into_iter().for_each(|(page, score)| scores.add(page, score));
        assert!(!scores.leads(4, 40.0, f64::EPSILON));
        assert!(!scores.leads(1, 0.75, 0.375));
        assert!(!scores.leads(1, 0.5, 0.0));
        assert!(!scores.leads(2, 0.75, 0.25));
        assert!(scores.leads(3, 0.25, 0.25));
        assert!(!scores.leads(3, 0.25, 0.5));
        assert!(!scores.leads(4, 1.0, 0.0));
        let mut alone = BestTwo::new(f64::NEG_INFINITY);
        alone.add(1, -3.0);
        assert!(alone.leads(1, -3.0, 1e9));
    }

    proptest! {
        #[test]
        fn the_lead_is_over_the_second_of_the_sorted_scores(scores in proptest::collection::vec(0u32..20, 1..8), lead in 1u32..5) {
            let mut two = BestTwo::new(0.0);
            scores.iter().for_each(|&score| two.add(7, f64::from(score)));
            let mut sorted = scores.clone();
            sorted.sort_unstable_by(|x, y| y.cmp(x));
            let second = sorted.get(1).copied().unwrap_or(0);
            for score in scores {
                prop_assert_eq!(two.leads(7, f64::from(score), f64::from(lead)), score == sorted[0] && score >= second + lead);
            }
        }
    }
}
