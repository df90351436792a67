//! Pairs judged by one measure alone.

use super::decide::{Choice, best_first};
use crate::error::Result;
use crate::index::parts::WHOLE;
use crate::types::{Candidate, JudgedPair, LangPair, Similarities};
use crate::verify::{Dictionaries, PageIds, SiteView, Verifier, With};

/// Judges `candidates`, which are sorted, by one measure: the score is the value of the measure, or 0 where it is undefined. Pairs with at
/// least `min_score` are accepted, the best first, and each page gets one partner in each language pair.
///
/// # Errors
/// When a page cannot be read.
pub fn judged(
    site: &SiteView<'_>,
    candidates: &[Candidate],
    verifier: &Verifier,
    dictionaries: &dyn Dictionaries,
    min_score: f64,
) -> Result<Vec<JudgedPair>> {
    let pairs: Vec<PageIds> = candidates.iter().map(|one| (one.pair.a, one.pair.b)).collect();
    let weights = site.word_weights(WHOLE)?;
    let (weight, shared) = (|word: u64| weights.of(word), |word: u64| weights.shared(word));
    let scores: Vec<Option<f64>> = site.compare_each(&pairs, &|(a, first), (_, second)| {
        let langs = LangPair::new(first.lang, second.lang)?;
        let translations = dictionaries.translations(langs, site.pages().identity(a));
        let with = With {
            params: site.params(),
            translations: translations.as_deref().filter(|_| !site.without_content()),
            weights: Some(&weight),
            shared: Some(&shared),
            length_ratio: dictionaries.length_ratio(langs),
        };
        verifier.similarity(first, second, &with)
    })?;
    let scored: Vec<Scored> = candidates.iter().copied().zip(scores).collect();
    let groups = scored.chunk_by(|(x, _), (y, _)| x.pair.langs == y.pair.langs);
    Ok(groups.flat_map(|group| decide(group, verifier, min_score)).collect())
}

/// A candidate with the value of the measure.
type Scored = (Candidate, Option<f64>);

/// Decides the candidates of one language pair.
fn decide(group: &[Scored], verifier: &Verifier, min_score: f64) -> Vec<JudgedPair> {
    let choice = |(one, score): &Scored| Choice { a: one.pair.a, b: one.pair.b, score: score.unwrap_or(0.0) };
    let choices: Vec<Choice> = group.iter().map(choice).collect();
    let outcomes = best_first(&choices, min_score, usize::MAX);
    let judged = group.iter().zip(outcomes).map(|(&(candidate, score), outcome)| {
        let mut similarities = Similarities::default();
        if let Some(measure) = verifier.measure() {
            similarities.set(measure, score.map(|score| score as f32));
        }
        JudgedPair::new(candidate, score.unwrap_or(0.0), similarities, outcome)
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Lang, Measure, Method, Outcome, PagePair};
    use crate::verify::verifier;

    #[test]
    fn the_measure_is_the_score_and_what_it_cannot_tell_is_zero() {
        let langs = LangPair::new(Lang::EN, Lang::ZH).expect("two languages");
        let of = |a, b| Candidate { pair: PagePair { langs, a, b }, method: Method::Key, key: Some(0) };
        let group = [(of(1, 11), Some(0.75)), (of(1, 12), Some(0.5)), (of(2, 12), None)];
        let judged = decide(&group, verifier("structure").expect("it is there"), 0.25);
        let outcomes: Vec<Outcome> = judged.iter().map(|judged| judged.outcome).collect();
        assert_eq!(outcomes, [Outcome::Accepted, Outcome::LostToBetter, Outcome::LowScore]);
        assert_eq!(judged.iter().map(|judged| judged.score).collect::<Vec<_>>(), [0.75, 0.5, 0.0]);
        assert_eq!(judged[0].similarities.get(Measure::Structure), Some(0.75));
        assert_eq!(judged[2].similarities.get(Measure::Structure), None);
        // A measure that is no part of the evidence is stored as the score only.
        let alone = decide(&group[..1], verifier("strand").expect("it is there"), 0.25);
        assert_eq!((alone[0].score, alone[0].similarities), (0.75, Similarities::default()));
    }
}
