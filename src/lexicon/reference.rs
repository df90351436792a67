//! The reference implementation of learning: the formulas of eq. 1 of Tomás et al. 2008, in double precision.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::em::ModelParams;

/// Counts of one direction, by (source, target); 0 is NULL.
#[derive(Default)]
pub struct Reference {
    counts: BTreeMap<(u64, u64), f64>,
    totals: BTreeMap<u64, f64>,
}

impl Reference {
    /// t(target|source).
    pub fn p(&self, target: u64, source: u64, params: &ModelParams) -> f64 {
        let prior = f64::from(params.prior_count);
        let initial = if target == source { 1.0 } else { f64::from(params.initial_p) };
        let get = |count: Option<&f64>| count.copied().unwrap_or_default();
        (get(self.counts.get(&(source, target))) + prior * initial) / (get(self.totals.get(&source)) + prior)
    }

    /// True where the two words were seen together.
    pub fn has(&self, source: u64, target: u64) -> bool {
        self.counts.contains_key(&(source, target))
    }

    /// Learns in passes over pairs of a source sentence and a target sentence.
    pub fn train(&mut self, pairs: &[(Vec<u64>, Vec<u64>)], passes: usize, params: &ModelParams) {
        let (kept, kept_totals) = (self.counts.clone(), self.totals.clone());
        for _ in 0..passes {
            let (mut counts, mut totals) = (kept.clone(), kept_totals.clone());
            for (sources, targets) in
                pairs.iter().filter(|(sources, targets)| !sources.is_empty() && !targets.is_empty())
            {
                let sources: Vec<u64> = [0].into_iter().chain(sources.iter().copied()).collect();
                for &target in targets {
                    let sum: f64 = sources.iter().map(|&source| self.p(target, source, params)).sum();
                    for &source in &sources {
                        let share = self.p(target, source, params) / sum;
                        *counts.entry((source, target)).or_default() += share;
                        *totals.entry(source).or_default() += share;
                    }
                }
            }
            (self.counts, self.totals) = (counts, totals);
        }
    }
}

/// Pairs of texts, as words.
pub type Owned = Vec<(Vec<u64>, Vec<u64>)>;

/// Some short pairs of texts.
pub fn corpus() -> impl Strategy<Value = Owned> {
    let sentence = |from: u64| prop::collection::vec(from..from + 9, 0..6);
    // Some words are the same in both languages.
    prop::collection::vec((sentence(1), sentence(6)), 0..12)
}

/// The same pairs, in the other direction.
pub fn turned(corpus: &Owned) -> Owned {
    corpus.iter().map(|(a, b)| (b.clone(), a.clone())).collect()
}
