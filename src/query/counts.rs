//! Totals of a store and its sites, for `status` and the end of a run.

use std::collections::BTreeMap;

use crate::align::clean::Reason;
use crate::error::Result;
use crate::site::bitext::{are_compared, fresh_head};
use crate::site::results::pair_source;
use crate::store::Store;
use crate::store::layout::{BitextHead, SiteHead};
use crate::types::{SiteId, SkipReason};

/// How many pairs a site has after the last stage that has run.
///
/// # Errors
/// When the store cannot be read.
fn pair_count(store: &Store, id: SiteId, head: &SiteHead) -> Result<u64> {
    Ok(pair_source(store, id, head)?.map_or(0, |source| source.pairs))
}

/// How many sentence pairs a site has, and how many were left out, by reason (codes of [`Reason`]). With `are_compared` ([`are_compared`]),
/// repetitions of other sites are left out too.
///
/// # Errors
/// When the store cannot be read.
fn sentence_counts(store: &Store, id: SiteId, head: &SiteHead, are_compared: bool) -> Result<(u64, BTreeMap<u8, u64>)> {
    let found = fresh_head(store, id, head)?;
    let Some(BitextHead { mut kept, dropped, shared_dropped, .. }) = found else { return Ok(Default::default()) };
    let mut counts: BTreeMap<u8, u64> = dropped.into_iter().collect();
    for (code, count) in shared_dropped.into_iter().filter(|_| are_compared) {
        kept = kept.saturating_sub(count);
        *counts.entry(code).or_default() += count;
    }
    Ok((kept, counts))
}

/// Totals of a store.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Registrable domains.
    pub domains: u64,
    /// Hosts.
    pub hosts: u64,
    /// Pages, one a URL.
    pub pages: u64,
    /// Captures that were replaced by a newer one of the same URL.
    pub older: u64,
    /// Pages that settings leave out, by reason.
    pub left_out: BTreeMap<SkipReason, u64>,
    /// Pairs of pages.
    pub pairs: u64,
    /// Sentence pairs.
    pub sentences: u64,
    /// How many sentence pairs were left out, by reason.
    pub sentences_left_out: BTreeMap<Reason, u64>,
}

/// Counts the contents of a store.
///
/// # Errors
/// When the store cannot be read.
pub fn totals(store: &Store) -> Result<Totals> {
    let are_compared = are_compared(store)?;
    let mut totals = Totals::default();
    for id in (0..store.site_count()?).map(SiteId) {
        let head = store.site(id)?.unwrap_or_default();
        // A site without a name has been removed.
        totals.domains += u64::from(!head.domain.is_empty());
        totals.hosts += head.hosts.len() as u64;
        totals.pages += u64::from(head.pages);
        totals.older += head.older;
        for (code, count) in &head.left_out {
            if let Some(reason) = SkipReason::from_code(*code) {
                *totals.left_out.entry(reason).or_default() += count;
            }
        }
        totals.pairs += pair_count(store, id, &head)?;
        let (kept, left_out) = sentence_counts(store, id, &head, are_compared)?;
        totals.sentences += kept;
        for (code, count) in left_out {
            // A reason of a later release has no name here.
            if let Some(reason) = Reason::from_code(code) {
                *totals.sentences_left_out.entry(reason).or_default() += count;
            }
        }
    }
    Ok(totals)
}
