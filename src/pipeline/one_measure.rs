//! Pairs of keys judged by one measure alone.

use super::candidates;
use super::learn::Models;
use super::site::{PageIds, SiteView, Sources};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::site::Urls;
use crate::judge::decide::{Choice, best_first};
use crate::types::{Candidate, JudgedPair, LangPair, Similarities};
use crate::verify::{self, With};

/// Pairs of keys, with the similarity that the verifier `name` gives as score: the best first, one partner a page in each
/// language pair, from `judge.min_score` on. Where the measure cannot tell, the score is 0.
///
/// # Errors
/// When there is no verifier of that name, or the store cannot be read.
pub fn judged(view: &SiteView<'_>, config: &Config, models: &Models, name: &str) -> Result<Vec<JudgedPair>> {
    let verifier = verify::verifier(name).ok_or_else(|| Error::Config(format!("there is no verifier {name}")))?;
    let candidates = super::judging::unique(if config.without_keys { Vec::new() } else { candidates::of_keys(view) });
    let pairs: Vec<PageIds> = candidates.iter().map(|one| (one.pair.a, one.pair.b)).collect();
    let weights = view.word_weights()?;
    let weight = |word: u64| weights.of(word);
    let shared = |word: u64| weights.shared(word);
    let scores: Vec<Option<f64>> = view.compare_each(&pairs, &|(a, first), (_, second)| {
        let langs = LangPair::new(first.lang, second.lang)?;
        let translations = models.translations(langs, view.pages.identity(a));
        let translations = translations.as_deref().filter(|_| !config.without_content);
        let with = With {
            params: &config.verify,
            translations,
            weights: Some(&weight),
            shared: Some(&shared),
            length_ratio: models.length_ratio(langs),
        };
        verifier.similarity(first, second, &with)
    })?;
    let mut judged = Vec::with_capacity(candidates.len());
    let all: Vec<(Candidate, Option<f64>)> = candidates.into_iter().zip(scores).collect();
    for group in all.chunk_by(|(x, _), (y, _)| x.pair.langs == y.pair.langs) {
        let choice = |(one, score): &(Candidate, Option<f64>)| Choice {
            a: one.pair.a,
            b: one.pair.b,
            score: score.unwrap_or(0.0),
        };
        let choices: Vec<Choice> = group.iter().map(choice).collect();
        let outcomes = best_first(&choices, config.judge.min_score, usize::MAX);
        for ((one, score), outcome) in group.iter().zip(outcomes) {
            let mut similarities = Similarities::default();
            if let Some(measure) = verifier.measure() {
                similarities.set(measure, score.map(|score| score as f32));
            }
            judged.push(JudgedPair::new(*one, score.unwrap_or(0.0), similarities, outcome));
        }
    }
    Ok(judged)
}
