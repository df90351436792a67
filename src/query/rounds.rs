//! The rounds of exploring, with the gain of each.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::explore::{self, Arrivals};
use crate::site::hosts::hosts;
use crate::store::Store;
use crate::store::layout::RoundRecord;

/// A round, with its gain so far.
pub struct Gain {
    /// The measure by which the sites were ranked.
    pub by: String,
    /// True when a site is a registrable domain, false when it is a host.
    pub by_domain: bool,
    /// Seed sites.
    pub seeds: u32,
    /// Pairs of all sites when they were requested.
    pub pairs: u64,
    /// The sites that were requested, best first.
    pub requested: Vec<String>,
    /// What has become of the requested sites.
    pub arrivals: Arrivals,
}

/// The rounds, with the gain of each.
///
/// # Errors
/// When the store cannot be read.
pub fn gains(store: &Store) -> Result<Vec<Gain>> {
    let mut by_kind: [BTreeMap<String, u64>; 2] = Default::default();
    for host in hosts(store)? {
        for by_domain in [false, true] {
            let name = explore::site_name(&host.host, by_domain).into_owned();
            *by_kind[usize::from(by_domain)].entry(name).or_default() += host.pairs;
        }
    }
    let gain = |round: RoundRecord| {
        let arrivals = explore::arrivals(&round.requested, &by_kind[usize::from(round.by_domain)]);
        let RoundRecord { by, by_domain, seeds, pairs, requested, .. } = round;
        Gain { by, by_domain, seeds, pairs, requested, arrivals }
    };
    Ok(store.rounds()?.into_iter().map(gain).collect())
}
