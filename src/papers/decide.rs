//! Decides one language pair: the best pairs are accepted first, and each page gets one partner.

use rustc_hash::FxHashSet;

use crate::types::{Candidate, JudgedPair, LangPair, Method, Outcome, PagePair, Similarities};

/// One pair that may be accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Page of the first language.
    pub a: u32,
    /// Page of the second language.
    pub b: u32,
    /// How good the pair is; its scale does not matter.
    pub score: f64,
}

/// Accepts choices of one language pair, the best first, as long as both pages are free and the score is at least `min_score` (Liu et al.
/// 2014, Algorithm 3), and at most `most` of them. Of equal scores, the smaller page numbers come first. O(n log n).
pub fn best_first(choices: &[Choice], min_score: f64, most: usize) -> Vec<Outcome> {
    let mut order: Vec<u32> = (0..choices.len() as u32).collect();
    order.sort_unstable_by(|&x, &y| {
        let (x, y) = (&choices[x as usize], &choices[y as usize]);
        y.score.total_cmp(&x.score).then((x.a, x.b).cmp(&(y.a, y.b)))
    });
    let mut outcomes = vec![Outcome::LowScore; choices.len()];
    let (mut taken_a, mut taken_b) = (FxHashSet::default(), FxHashSet::default());
    let mut left = most;
    for at in order {
        let choice = &choices[at as usize];
        if taken_a.contains(&choice.a) || taken_b.contains(&choice.b) {
            outcomes[at as usize] = Outcome::LostToBetter;
        } else if choice.score >= min_score && left > 0 {
            taken_a.insert(choice.a);
            taken_b.insert(choice.b);
            left -= 1;
            outcomes[at as usize] = Outcome::Accepted;
        }
    }
    outcomes
}

/// A judged pair of the method that compares all pages with all others.
pub fn judged_pair(langs: LangPair, choice: Choice, similarities: Similarities, outcome: Outcome) -> JudgedPair {
    let pair = PagePair { langs, a: choice.a, b: choice.b };
    JudgedPair::new(Candidate { pair, method: Method::All, key: None }, choice.score, similarities, outcome)
}

/// The accepted pairs, and of the others the `most` best of each page of the first language; sorted by pages. All are of one language pair.
pub fn worth_keeping(mut judged: Vec<JudgedPair>, most: usize) -> Vec<JudgedPair> {
    judged.sort_unstable_by(|x, y| {
        let order = x.pair.a.cmp(&y.pair.a).then(y.is_accepted().cmp(&x.is_accepted()));
        order.then(y.score.total_cmp(&x.score)).then(x.pair.b.cmp(&y.pair.b))
    });
    let mut kept = Vec::new();
    for of_page in judged.chunk_by(|x, y| x.pair.a == y.pair.a) {
        let others = of_page.iter().filter(|judged| !judged.is_accepted()).take(most);
        kept.extend(of_page.iter().filter(|judged| judged.is_accepted()).chain(others).copied());
    }
    kept.sort_unstable_by_key(|judged| judged.pair);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Lang;
    use proptest::prelude::*;

    fn choice(a: u32, b: u32, score: f64) -> Choice {
        Choice { a, b, score }
    }

    #[test]
    fn the_best_pair_takes_both_of_its_pages() {
        let choices = [choice(0, 0, 0.8), choice(0, 1, 0.9), choice(1, 1, 0.85), choice(1, 0, 0.4), choice(2, 2, 0.9)];
        let outcomes = best_first(&choices, 0.5, usize::MAX);
        assert_eq!(
            outcomes,
            [Outcome::LostToBetter, Outcome::Accepted, Outcome::LostToBetter, Outcome::LowScore, Outcome::Accepted]
        );
        assert_eq!(best_first(&choices, 0.5, 1)[4], Outcome::LowScore);
    }

    #[test]
    fn of_the_pairs_not_accepted_the_best_are_kept() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let rows =
            [(0, 9, 0.9, Outcome::Accepted), (0, 8, 0.2, Outcome::LostToBetter), (0, 7, 0.4, Outcome::LostToBetter)];
        let rows = rows
            .map(|(a, b, score, outcome)| judged_pair(langs, choice(a, b, score), Similarities::default(), outcome));
        let kept: Vec<u32> = worth_keeping(rows.to_vec(), 1).iter().map(|row| row.pair.b).collect();
        assert_eq!(kept, [7, 9]);
    }

    proptest! {
        #[test]
        fn accepted_pairs_are_one_to_one_and_none_could_be_added(
            list in proptest::collection::vec((0u32..8, 0u32..8, 0u32..100), 0..60)
        ) {
            let choices: Vec<Choice> = list.iter().map(|&(a, b, s)| choice(a, b, f64::from(s) / 100.0)).collect();
            let outcomes = best_first(&choices, 0.3, usize::MAX);
            let taken = || choices.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Outcome::Accepted).map(|(c, _)| c);
            for (at, one) in taken().enumerate() {
                for other in taken().skip(at + 1) {
                    prop_assert!(one.a != other.a && one.b != other.b);
                }
            }
            for (choice, outcome) in choices.iter().zip(&outcomes) {
                let better = taken().any(|t| (t.a == choice.a || t.b == choice.b) && t.score >= choice.score);
                prop_assert_eq!(*outcome == Outcome::LowScore, choice.score < 0.3 && !taken().any(|t| t.a == choice.a || t.b == choice.b));
                prop_assert!(better || choice.score < 0.3);
            }
        }
    }
}
