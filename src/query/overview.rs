//! An overview of a store: how many records, pages, pairs and sentence pairs there are, how many were left out at each step and why, and
//! the distributions of scores and languages.

use std::collections::{BTreeMap, BTreeSet};

use super::archives::archives;
use super::bins::{BINS, bin};
use super::counts::totals;
use super::lone::{LoneReason, reasons};
use super::walk::Digest;
use crate::align::clean::Reason;
use crate::config::Config;
use crate::error::Result;
use crate::site::hosts::{HostLine, hosts_of};
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::types::{JudgedPair, Lang, LangPair, Method, Outcome, SkipReason};

/// An overview of a store.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The number of the commit.
    pub commit: u64,
    /// Archives.
    pub archives: u64,
    /// Records read.
    pub records: u64,
    /// Captures taken as pages.
    pub captures: u64,
    /// How many records were left out, by reason, the most frequent first.
    pub left_out: Vec<(SkipReason, u64)>,
    /// Captures that were replaced by a fuller or newer one of the same URL.
    pub older: u64,
    /// Pages that settings leave out, by reason.
    pub withheld: BTreeMap<SkipReason, u64>,
    /// Pages, one a URL.
    pub pages: u64,
    /// Pages that take part: those in a known language that are no untranslated copies.
    pub taking_part: u64,
    /// Pages with a partner.
    pub paired: u64,
    /// Pages without one, by reason.
    pub lone: BTreeMap<LoneReason, u64>,
    /// Registrable domains.
    pub domains: u64,
    /// Hosts.
    pub hosts: u64,
    /// Pairs that were proposed and judged; 0 before verification.
    pub judged: u64,
    /// How many of them had each outcome.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Page pairs.
    pub pairs: u64,
    /// Page pairs by language pair.
    pub langs: BTreeMap<LangPair, u64>,
    /// Accepted pairs by the method that proposed them, the most trusted method first.
    pub methods: BTreeMap<Method, u64>,
    /// Pairs by score, as numbers of accepted and of rejected pairs.
    pub scores: [[u64; 2]; BINS],
    /// Sentence pairs kept.
    pub sentences: u64,
    /// How many sentence pairs were left out, by reason.
    pub sentences_left_out: BTreeMap<Reason, u64>,
    /// Pages that take part, by language.
    pub pages_by_lang: BTreeMap<Lang, u64>,
}

impl Overview {
    fn add_hosts(&mut self, lines: &[HostLine]) {
        for (&lang, &pages) in lines.iter().flat_map(|line| &line.langs).filter(|(lang, _)| lang.is_known()) {
            self.taking_part += u64::from(pages);
            *self.pages_by_lang.entry(lang).or_default() += u64::from(pages);
        }
    }

    fn add_judged(&mut self, pair: &JudgedPair) {
        self.judged += 1;
        *self.outcomes.entry(pair.outcome.name()).or_default() += 1;
        let is_accepted = pair.outcome == Outcome::Accepted;
        self.scores[bin(f64::from(pair.score))][usize::from(!is_accepted)] += 1;
        if is_accepted {
            *self.langs.entry(pair.pair.langs).or_default() += 1;
            *self.methods.entry(pair.method).or_default() += 1;
        }
    }

    fn add_site(&mut self, site: &Site, config: &Config) -> Digest {
        let mut met = BTreeSet::new();
        for reason in reasons(site, config) {
            match reason {
                None => self.paired += 1,
                Some(reason) => {
                    met.insert(reason);
                    *self.lone.entry(reason).or_default() += 1;
                }
            }
        }
        match (&site.judged, &site.result) {
            (Some(judged), _) => judged.pairs().for_each(|pair| self.add_judged(&pair)),
            (None, Some(result)) => {
                for row in result.pairs.iter() {
                    let key = result.keys.get(row.key.to_native() as usize);
                    if let Some(key) = key.and_then(|row| row.key()) {
                        *self.langs.entry(key.langs).or_default() += 1;
                        *self.methods.entry(Method::Key).or_default() += 1;
                    }
                }
            }
            (None, None) => {}
        }
        Digest::of(site, met.into_iter())
    }
}

/// Reads a whole store. Every judged pair is read, so the cost grows with the pairs. `each` is called with the hosts and the digest of each
/// site, in the order of their domains, and may stop the work by an error.
///
/// # Errors
/// When the store cannot be read, or what `each` returns.
pub fn overview(
    store: &Store,
    config: &Config,
    mut each: impl FnMut(Vec<HostLine>, Digest) -> Result<()>,
) -> Result<Overview> {
    let mut found = Overview { commit: store.commit_number(), ..Overview::default() };
    let mut left_out: BTreeMap<SkipReason, u64> = BTreeMap::new();
    for archive in archives(store)? {
        found.archives += 1;
        found.records += archive.records;
        found.captures += archive.pages;
        for (reason, count) in archive.left_out {
            *left_out.entry(reason).or_default() += count;
        }
    }
    found.left_out = left_out.into_iter().collect();
    found.left_out.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason));
    let totals = totals(store)?;
    (found.older, found.pages, found.pairs) = (totals.older, totals.pages, totals.pairs);
    found.withheld = totals.left_out;
    (found.domains, found.hosts) = (totals.domains, totals.hosts);
    (found.sentences, found.sentences_left_out) = (totals.sentences, totals.sentences_left_out);
    for id in sites(store, &Scope::all())? {
        let lines = hosts_of(store, id, |_| true)?;
        found.add_hosts(&lines);
        let digest = found.add_site(&Site::open(store, id)?, config);
        each(lines, digest)?;
    }
    Ok(found)
}
