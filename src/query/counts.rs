//! How much a site has, for `status` and the end of a run.

use std::collections::BTreeMap;

use super::site::pair_source;
use crate::error::Result;
use crate::store::Store;
use crate::store::layout::{BitextHead, SiteHead};
use crate::types::SiteId;

/// How many pairs a site has, by the last stage that was done.
///
/// # Errors
/// When the store cannot be read.
pub fn pair_count(store: &Store, id: SiteId, head: &SiteHead) -> Result<u64> {
    Ok(pair_source(store, id, head)?.map_or(0, |source| source.pairs))
}

/// How many sentence pairs a site has, and how many were left out for which reason ([`Reason`](crate::align::clean::Reason) codes);
/// with `are_compared` ([`super::bitext::are_compared`]), what other sites say too is left out.
///
/// # Errors
/// When the store cannot be read.
pub fn sentence_counts(
    store: &Store,
    id: SiteId,
    head: &SiteHead,
    are_compared: bool,
) -> Result<(u64, BTreeMap<u8, u64>)> {
    let found = store.bitext_head(id)?.filter(|found| found.finished && found.generation == head.generation);
    let Some(BitextHead { mut kept, dropped, shared_dropped, .. }) = found else { return Ok(Default::default()) };
    let mut counts: BTreeMap<u8, u64> = dropped.into_iter().collect();
    for (code, count) in shared_dropped.into_iter().filter(|_| are_compared) {
        kept = kept.saturating_sub(count);
        *counts.entry(code).or_default() += count;
    }
    Ok((kept, counts))
}
