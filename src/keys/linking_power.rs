//! Linking power: how many URL pairs a key matches (Kit & Ng 2007, eq. 2), exactly.

use std::path::Path;

use super::candidate::{Candidate, Scan, Values, count_candidates};
use crate::error::Result;
use crate::index::postings::Postings;
use crate::index::site::SiteIndex;
use crate::index::sorter::{Entry, Sorter};

/// Candidates with their linking power, and the postings that hold their pairs.
pub struct Ranked {
    /// What the candidates' numbers mean.
    pub values: Values,
    /// Candidates and their linking power, in the order of [`Candidate`].
    pub candidates: Vec<(Candidate, u64)>,
    /// Token → skeletons.
    pub postings: Postings,
}

/// Finds the candidates of a scan and counts their pairs.
///
/// `keep` tells from an estimate of the linking power whether a candidate is worth an exact count; the estimate is
/// exact on all but large sites. Memory: the sample ([`super::params::Params::sample_entries`]), the sorter's budget, then a bit and
/// four bytes for each (kept value, skeleton).
///
/// # Errors
/// When entries beyond the memory budget cannot be written to `folder`.
pub fn rank(scan: &Scan<'_, '_>, folder: &Path, keep: &dyn Fn(&Candidate, &Values, u64) -> bool) -> Result<Ranked> {
    let (values, entries, rate) = scan.sample();
    let mut counts = count_candidates(scan.site, &values, &entries);
    // An estimate errs both ways: what seems to have half the minimum power is counted exactly.
    let doubt = if rate == 1 { 1 } else { 2 };
    counts.retain(|(candidate, count)| keep(candidate, &values, u64::from(*count) * rate * doubt));
    let mut wanted = vec![false; values.list.len()];
    for (candidate, _) in &counts {
        wanted[candidate.from as usize] = true;
        wanted[candidate.to as usize] = true;
    }
    let mut builder = Builder::default();
    if rate == 1 {
        for group in entries.chunk_by(|a, b| a.key == b.key) {
            builder.add(scan.site, group.iter().filter(|entry| wanted[entry.value as usize]));
        }
    } else {
        let expected = entries.iter().filter(|entry| wanted[entry.value as usize]).count() as u64 * rate;
        drop(entries);
        let mut sorter = Sorter::new(scan.params.memory_bytes, folder);
        sorter.expect(usize::try_from(expected + expected / 8).unwrap_or(usize::MAX));
        scan.entries_of(&values, &wanted, |entry| sorter.push(entry))?;
        sorter.for_each_group(|group| {
            builder.add(scan.site, group.iter());
            Ok(())
        })?;
    }
    let postings = builder.postings;
    let power = |c: &Candidate| postings.linking_power((c.from, c.label_a), (c.to, c.label_b));
    let candidates = counts.into_iter().map(|(candidate, _)| (candidate, power(&candidate))).collect();
    Ok(Ranked { values, candidates, postings })
}

#[derive(Default)]
struct Builder {
    postings: Postings,
    skeletons: u32,
}

impl Builder {
    /// Adds one skeleton, unless all that fills it is in one language.
    fn add<'e>(&mut self, site: &SiteIndex<'_>, group: impl Iterator<Item = &'e Entry> + Clone) {
        let label = |entry: &Entry| site.labels[entry.page as usize];
        let mut labels = group.clone().map(label);
        let Some(first) = labels.next() else { return };
        if labels.all(|other| other == first) {
            return;
        }
        for entry in group {
            self.postings.push(entry.value, label(entry), self.skeletons, entry.page);
        }
        self.skeletons += 1;
    }
}
