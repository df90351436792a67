//! Explains why a page has a partner or has none, and why two pages are a pair or are not.
//!
//! `explain` gives an [`Explanation`]: facts, candidates with their outcomes, and one verdict ([`PageVerdict`], [`PairVerdict`]).
//! A verdict repeats what was decided and stored (the outcome of a judged pair, the pairs that keys were assigned, the settings), and never
//! decides anew. Facts that judging used but did not store are `computed`.

mod computed;
mod facts;
mod json;
mod named;
mod opened;
mod page;
mod pair;
mod verdict;
mod weighing;
pub mod words;

pub use facts::{
    Alignment, CandidateFacts, CandidateRounds, CaptureFacts, Explanation, KeyFacts, LangCount, Lead, LeftOut,
    MeasureFacts, NeighbourPair, OwnText, PageExplanation, PageLanguages, PairExplanation, RecordPlace, Round, Rounds,
    SentencePair, SourceFacts, Support, UrlLanguage, Weighed,
};
pub use named::NamedPair;
pub(super) use opened::min_score;
pub use verdict::{
    CandidateOutcome, KeysSay, LanguageReason, LeadOutcome, PageVerdict, PairVerdict, Proposer, in_parentheses,
};

use crate::config::Config;
use crate::error::{Error, Result};
use crate::store::Store;
use crate::types::CanonicalUrl;
use computed::Computed;
use opened::Opened;

/// Everything known of a page, or of two pages and their relation.
///
/// # Errors
/// [`Error::Config`] where both URLs are of one page; when the store cannot be read.
pub fn explain(
    store: &Store,
    config: &Config,
    url: &CanonicalUrl,
    other: Option<&CanonicalUrl>,
) -> Result<Explanation> {
    let evidence = &Computed::new(store, config);
    let first = Opened::of(store, config, url)?;
    let mut pages = vec![page::explain(store, first.as_ref(), evidence, url)?];
    let Some(other) = other else { return Ok(Explanation { pages, pair: None }) };
    if url.identity() == other.identity() {
        return Err(Error::Config(format!(
            "{} is the same page as the other URL; give another page, or one URL alone",
            other.as_str()
        )));
    }
    let second = Opened::of(store, config, other)?;
    pages.push(page::explain(store, second.as_ref(), evidence, other)?);
    let mut pair = pair::explain([first.as_ref(), second.as_ref()], evidence, [url, other])?;
    // What is not known of a page is not known of its pairs, unless the other page is known not to be there.
    let is_waiting = pages.iter().any(|page| page.verdict == PageVerdict::NotIndexed);
    if pair.verdict == PairVerdict::NotBothPages && is_waiting && !pages.iter().any(|page| page.verdict.is_unknown()) {
        pair.verdict = PairVerdict::NotIndexed;
    }
    Ok(Explanation { pages, pair: Some(pair) })
}
