//! Scores that the user's scorer gave to sentence pairs, found by hashes of the lines that it was asked about.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::config::Config;
use crate::config::settings::{SCORER, configuration};
use crate::error::Result;
use crate::store::Store;
use crate::store::layout::{BitextHead, ScoreHead};
use crate::store::records::RecordRef;
use crate::text::scored;
use crate::types::{BitextLine, Lang, SiteId};

/// The scorer that the settings of a store name, and how it is asked.
pub struct UserScorer {
    /// Hash of its command; `None` where there is none.
    command: Option<u64>,
    /// The settings of the store, whatever languages a query asks for: their order says which text of a pair comes first.
    config: Config,
}

/// Scores of sentence pairs of a site, by hashes of lines.
#[derive(Default)]
pub struct SiteScores(pub FxHashMap<u64, f32>);

impl UserScorer {
    /// That of a store.
    pub fn of(store: &Store) -> UserScorer {
        let command = store.settings().of(SCORER).next().map(|command| xxh3_64(command.as_bytes()));
        UserScorer { command, config: configuration(&store.settings().values).0 }
    }

    /// The hash of its command; `None` where the store names no scorer.
    pub fn command(&self) -> Option<u64> {
        self.command
    }

    /// The question about two texts with their languages, as the scorer gets it.
    pub fn question(&self, [a, b]: [(Lang, &str); 2]) -> Option<String> {
        let is_turned = self.config.lang_rank(b.0) < self.config.lang_rank(a.0);
        if is_turned { scored::question(b, a) } else { scored::question(a, b) }
    }

    /// The scores that the scorer gave to sentence pairs of a site, for the lines whose hashes are wanted.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of_site(&self, store: &Store, id: SiteId, is_wanted: impl Fn(u64) -> bool) -> Result<SiteScores> {
        let mut found = SiteScores::default();
        let Some(command) = self.command else { return Ok(found) };
        let head = store.score_head(id)?.filter(|head| head.scorer == command).unwrap_or_default();
        for &at in &head.chunks {
            let record = store.scores.read(RecordRef(at))?;
            let rows = record.lines.iter().map(|line| line.to_native()).zip(record.scores.iter());
            found.0.extend(rows.filter(|(line, _)| is_wanted(*line)).map(|(line, score)| (line, score.to_native())));
        }
        Ok(found)
    }

    /// The mean scores of the page pairs of a site, in their order, if its present sentence pairs were scored. NaN for a page pair about
    /// which nothing was asked.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn means(&self, store: &Store, id: SiteId, bitext: &BitextHead) -> Result<Vec<f32>> {
        let Some(command) = self.command else { return Ok(Vec::new()) };
        let is_of_now =
            |head: &ScoreHead| head.finished && (head.scorer, head.bitext) == (command, made_from(store, bitext));
        let head = store.score_head(id)?.filter(is_of_now).unwrap_or_default();
        let Some(&first) = head.chunks.first() else { return Ok(Vec::new()) };
        Ok(store.scores.read(RecordRef(first))?.pages.iter().map(|mean| mean.to_native()).collect())
    }
}

/// Hash of everything that decides which questions are asked of a site.
pub fn made_from(store: &Store, head: &BitextHead) -> u64 {
    let mut hasher = Xxh3::new();
    for number in [head.generation, head.params, head.pairs, head.models] {
        hasher.update(&number.to_le_bytes());
    }
    // Their order says which text comes first.
    for lang in store.settings().of("langs") {
        hasher.update(lang.as_bytes());
        hasher.update(b",");
    }
    hasher.digest()
}

/// The number with the shortest text that reads back as the score: 0.73, and not 0.7300000190734863, which is the exact value of what is
/// stored.
pub fn shortest(score: f32) -> f64 {
    score.to_string().parse().unwrap_or(f64::from(score))
}

impl SiteScores {
    /// The score of a sentence pair, if it has one.
    pub fn of(&self, scorer: &UserScorer, line: &BitextLine) -> Option<f64> {
        if self.0.is_empty() {
            return None;
        }
        let score = self.0.get(&scored::hash(&scorer.question(line.texts())?));
        score.map(|&score| shortest(score))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::shortest;

    proptest! {
        #[test]
        fn a_score_is_told_with_the_digits_that_it_was_given_with_and_reads_back(score in any::<f32>().prop_filter("finite", |score| score.is_finite())) {
            let text = score.to_string();
            prop_assert_eq!(shortest(score).to_string(), text);
            prop_assert_eq!(shortest(score) as f32, score);
        }
    }
}
