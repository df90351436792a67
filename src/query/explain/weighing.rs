//! How a judged pair was weighed: the contribution of each measure to the evidence, and the reliability of the source that proposed it.

use std::collections::BTreeMap;

use super::computed::Computed;
use super::facts::{CandidateFacts, MeasureFacts, SourceFacts, Weighed};
use super::opened::Opened;
use super::verdict::CandidateOutcome;
use crate::config::Strategy;
use crate::error::Result;
use crate::judge::near;
use crate::types::{JudgedPair, Lang, LangPair, MEASURES, Measure, Method, Outcome, Similarities};

/// How many rejected candidates of a page without a partner are explained in detail, for each language.
const BEST: usize = 2;
/// For how many languages this is done: those of the best candidates.
const LANGS: usize = 3;
/// How many measures are named for and against a pair.
const MOST: usize = 2;
/// Contributions of fewer nats are not worth naming.
const LEAST_NATS: f64 = 0.05;
/// A source with a smaller share of right pairs speaks against its pairs.
const FAIR_SOURCE: f32 = 0.5;

/// Finds out how pairs of a site were weighed.
pub struct Weighing<'o, 's> {
    opened: &'o Opened<'s>,
    evidence: &'o Computed<'o>,
}

impl<'o, 's> Weighing<'o, 's> {
    /// For the pairs of one site.
    pub fn new(opened: &'o Opened<'s>, evidence: &'o Computed<'o>) -> Weighing<'o, 's> {
        Weighing { opened, evidence }
    }

    /// True where pairs are judged by the weight of the evidence.
    pub fn is_by_evidence(&self) -> bool {
        self.opened.config.strategy == Strategy::All && self.opened.config.verifier.is_none()
    }

    /// The share of the probability of a pair that the other candidates of its pages leave it, 0..=1. `None` where its score has other
    /// reasons.
    pub fn left_by_rivals(&self, judged: &JudgedPair) -> Option<f32> {
        let is_beside_others = judged.method != Method::Pinned
            && !matches!(judged.outcome, Outcome::SameText | Outcome::Contradicted | Outcome::Forbidden);
        let alone = self.opened.config.judge.prior.probability(f64::from(judged.beliefs.log_odds));
        (is_beside_others && alone > 0.0).then(|| (f64::from(judged.score) / alone).min(1.0) as f32)
    }

    /// For each measure its value and its contribution to the evidence, and the part of the evidence that is the same for all pairs, in
    /// nats. The contribution of names is among the [beliefs](crate::types::Beliefs).
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn measures(&self, langs: LangPair, similarities: &Similarities) -> Result<(Vec<MeasureFacts>, f64)> {
        let scorer = self.evidence.scorer(langs)?;
        let parts = scorer.parts(similarities);
        let fact = |(&measure, &nats)| {
            let nats = if measure == Measure::Near { near::evidence(similarities) } else { nats };
            Some(MeasureFacts { measure, value: similarities.get(measure)?, nats })
        };
        let constant = parts.last().copied().unwrap_or_default();
        let of_pair = MEASURES.iter().zip(&parts).filter(|(measure, _)| **measure != Measure::Named);
        Ok((of_pair.filter_map(fact).collect(), constant))
    }

    /// How reliable the source of a pair is.
    pub fn source(&self, judged: &JudgedPair) -> Option<SourceFacts> {
        let wanted = (judged.pair.langs, judged.method, judged.key);
        let mut sources = self.opened.site.judged.as_ref()?.sources();
        let source = sources.find(|source| (source.langs, source.method, source.key) == wanted)?;
        let row = judged.key.and_then(|key| self.opened.site.result.as_ref()?.keys.get(key as usize));
        Some(SourceFacts {
            method: source.method,
            key: row.and_then(|row| row.key()).map(|key| key.pattern()),
            proposed: source.proposed,
            accepted: source.accepted,
            est_precision: source.precision,
        })
    }

    /// Fills in what speaks for and against the best rejected candidates of a page without a partner, in a few languages. `found` are all
    /// its candidates, the best first, each with its stored row.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn weigh_refused(&self, found: &mut [(CandidateFacts, Option<JudgedPair>)]) -> Result<()> {
        let has_partner = found.iter().any(|(candidate, _)| candidate.outcome == CandidateOutcome::Accepted);
        if has_partner || !self.is_by_evidence() {
            return Ok(());
        }
        let mut met: BTreeMap<Lang, usize> = BTreeMap::new();
        for (candidate, judged) in found {
            if met.len() == LANGS && !met.contains_key(&candidate.lang) {
                continue;
            }
            let met = met.entry(candidate.lang).or_default();
            if let Some(judged) = judged.as_ref().filter(|_| *met < BEST) {
                *met += 1;
                candidate.weighed = Some(self.weighed(judged)?);
            }
        }
        Ok(())
    }

    fn weighed(&self, judged: &JudgedPair) -> Result<Weighed> {
        let source = self.source(judged).filter(|source| source.est_precision < FAIR_SOURCE);
        Ok(extremes(self.measures(judged.pair.langs, &judged.similarities)?.0, source))
    }
}

/// The measures with the largest contributions, for and against.
fn extremes(mut measures: Vec<MeasureFacts>, source: Option<SourceFacts>) -> Weighed {
    measures.sort_by(|x, y| x.nats.total_cmp(&y.nats));
    let against = measures.iter().filter(|fact| fact.nats <= -LEAST_NATS).take(MOST);
    let in_favour = measures.iter().rev().filter(|fact| fact.nats >= LEAST_NATS).take(MOST);
    Weighed { against: against.cloned().collect(), in_favour: in_favour.cloned().collect(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Measure;

    #[test]
    fn what_says_most_stands_first_on_either_side_and_what_says_nothing_on_none() {
        let fact = |(measure, nats)| MeasureFacts { measure, value: 0.5, nats };
        let said = [
            (Measure::Content, -0.5),
            (Measure::Length, 2.0),
            (Measure::Link, 0.01),
            (Measure::Words, -3.0),
            (Measure::Votes, -0.01),
            (Measure::Neighbours, -1.0),
        ];
        let weighed = extremes(said.map(fact).to_vec(), None);
        assert_eq!(weighed.against, [(Measure::Words, -3.0), (Measure::Neighbours, -1.0)].map(fact));
        assert_eq!(weighed.in_favour, [(Measure::Length, 2.0)].map(fact));
    }
}
