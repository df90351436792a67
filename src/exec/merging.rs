//! What several sites say: the first that says it keeps it, with the places where the others do.

use std::collections::BTreeMap;

use super::coding::{decode, encode};
use super::job::{Job, expect};
use super::rows::{Input, Output, Row};
use crate::align::repeats::{BeadId, Beads, Finder};
use crate::error::Result;

/// The kind of rows of hashes of sentence pairs, by bucket. Number: the part they come from.
const BEAD: &str = "bead";
/// The kind of rows of what a site shares with others.
pub const SHARED: &str = "shared";
/// Sentence pairs of a row, at the most.
const ROWS: usize = 1 << 14;

/// Sentence pairs of a site that are in one bucket.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct BeadsOfSite {
    /// The URLs of the page pairs that they stand in.
    pub urls: Vec<(String, String)>,
    /// The sentence pairs, in order.
    pub beads: Vec<Bead>,
}

/// A sentence pair.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Bead {
    /// Hash of what near duplicates have in common.
    pub near: u64,
    /// Hash of the very texts.
    pub exact: u64,
    /// Its number on its site.
    pub number: u32,
    /// The page pairs that it stands in, its own first, by their places among the URLs.
    pub page_pairs: Vec<u32>,
}

/// A sentence pair that several sites have.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shared {
    /// Its number on its site.
    pub number: u32,
    /// Code of the reason it is left out for; 0: it is the first.
    pub reason: u8,
    /// Of the first: the page pairs of other sites that it stands in.
    pub elsewhere: Vec<(String, String)>,
}

/// The row of the sentence pairs of a site that are in one bucket.
///
/// # Errors
/// When it is too long.
pub fn beads_row(bucket: i32, part: i32, domain: &str, beads: &BeadsOfSite) -> Result<Row> {
    Ok(Row {
        part: bucket,
        kind: BEAD.into(),
        name: domain.to_owned(),
        number: i64::from(part),
        count: beads.beads.len() as i64,
        data: Some(encode(beads)?),
    })
}

/// Sentence pairs of one bucket, each site at its place among the domains.
struct Bucket(Vec<(Row, BeadsOfSite)>);

impl Beads for Bucket {}

impl Bucket {
    /// The URLs of the page pairs that a sentence pair stands in.
    fn places(&self, id: BeadId) -> impl Iterator<Item = (String, String)> + '_ {
        let site = &self.0[id.unit as usize].1;
        let at = site.beads.binary_search_by_key(&id.number, |bead| bead.number);
        let places = at.map_or(&[][..], |at| &site.beads[at].page_pairs);
        places.iter().filter_map(|&place| site.urls.get(place as usize).cloned())
    }
}

/// Bead rows of whole buckets → what each site shares with others.
pub fn merge(job: &Job<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut buckets: BTreeMap<i32, Vec<Row>> = BTreeMap::new();
    while let Some(row) = input.read()? {
        expect(&row, &[BEAD])?;
        buckets.entry(row.part).or_default().push(row);
    }
    for (_, mut rows) in buckets {
        rows.sort_unstable_by(|x, y| x.name.cmp(&y.name));
        let read = |row: Row| {
            let beads = decode(row.bytes()?)?;
            Ok((Row { data: None, ..row }, beads))
        };
        let bucket = Bucket(rows.into_iter().map(read).collect::<Result<_>>()?);
        if bucket.0.len() > 1 {
            compare(job, &bucket, output)?;
        }
    }
    Ok(())
}

fn compare(job: &Job<'_>, bucket: &Bucket, output: &mut Output<'_>) -> Result<()> {
    let mut finder = Finder::new(job.config.memory.sorted_beads(), job.scratch);
    for ((_, site), unit) in bucket.0.iter().zip(0u32..) {
        for bead in &site.beads {
            finder.add((bead.near, bead.exact), BeadId { unit, number: bead.number })?;
        }
    }
    let mut at = 0;
    let mut shared: Vec<Shared> = Vec::new();
    let put = |output: &mut Output<'_>, site: usize, shared: &mut Vec<Shared>| -> Result<()> {
        if shared.is_empty() {
            return Ok(());
        }
        let row = &bucket.0[site].0;
        let (count, data) = (shared.len() as i64, Some(encode(shared)?));
        shared.clear();
        let (part, name) = (row.number as i32, row.name.clone());
        output.put(&Row { part, kind: SHARED.into(), name, number: i64::from(row.part), count, data })
    };
    finder.for_each(bucket, |repeat| {
        let site = repeat.bead.unit as usize;
        if site != at || shared.len() == ROWS {
            put(output, at, &mut shared)?;
            at = site;
        }
        let elsewhere = repeat.others.iter().flat_map(|&other| bucket.places(other)).collect();
        let reason = repeat.reason.map_or(0, |reason| reason as u8);
        shared.push(Shared { number: repeat.bead.number, reason, elsewhere });
        Ok(())
    })?;
    put(output, at, &mut shared)
}
