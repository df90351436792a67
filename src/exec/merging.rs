//! Finds sentence pairs that occur on several sites. The site on which such a pair has the best score keeps it, with its places on the
//! other sites.

use std::collections::{BTreeMap, HashMap};

use super::coding::encode;
use super::job::{StepJob, expect};
use super::rows::{EngineRow, Input, Output};
use crate::align::clean::Reason;
use crate::align::repeats::{BeadId, Finder};
use crate::error::Result;

/// The kind of rows of hashes of sentence pairs, by bucket. Number: the part they come from.
const BEAD: &str = "bead";
/// The kind of rows of sentence pairs that a site shares with others.
pub const SHARED: &str = "shared";
/// How many sentence pairs a row has at most.
const ROWS: usize = 1 << 14;

/// The sentence pairs of a site that are in one bucket.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct BeadsOfSite {
    /// The URLs of the page pairs in which they stand.
    pub urls: Vec<(String, String)>,
    /// The sentence pairs, in order.
    pub beads: Vec<Bead>,
}

/// A sentence pair.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Bead {
    /// Hash of its languages and texts.
    pub hash: u64,
    /// Its number on its site.
    pub number: u32,
    /// Its score, 0..=1.
    pub score: f32,
    /// The page pairs in which it stands, its own first, as positions in `urls`.
    pub page_pairs: Vec<u32>,
}

/// The sentence pairs that a site shares with others.
#[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SharedOfSite {
    /// The URLs of page pairs of other sites.
    pub urls: Vec<(String, String)>,
    /// The shared sentence pairs.
    pub shared: Vec<Shared>,
}

/// A sentence pair that several sites have.
#[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shared {
    /// Its number on its site.
    pub number: u32,
    /// Code of the reason for leaving it out; 0: this site keeps it.
    pub reason: u8,
    /// For the site that keeps it: the page pairs of other sites in which it stands, as positions in `urls`.
    pub elsewhere: Vec<u32>,
}

impl BeadsOfSite {
    /// True when the URLs of all page pairs are there.
    fn is_sound(&self) -> bool {
        self.beads.iter().flat_map(|bead| &bead.page_pairs).all(|&place| (place as usize) < self.urls.len())
    }

    /// Adds more sentence pairs of the site, whose numbers are all higher or all lower.
    fn take(&mut self, more: BeadsOfSite) {
        let before = self.urls.len() as u32;
        self.urls.extend(more.urls);
        self.beads.extend(more.beads.into_iter().map(|mut bead| {
            bead.page_pairs.iter_mut().for_each(|place| *place = place.saturating_add(before));
            bead
        }));
    }
}

impl SharedOfSite {
    /// True when the URLs of all page pairs are there, and all reasons are known.
    pub fn is_sound(&self) -> bool {
        let is_sound = |shared: &Shared| {
            let places = shared.elsewhere.iter().all(|&place| (place as usize) < self.urls.len());
            places && (shared.reason == 0 || Reason::from_code(shared.reason).is_some())
        };
        self.shared.iter().all(is_sound)
    }

    /// Adds more sentence pairs that the site shares.
    pub fn take(&mut self, more: SharedOfSite) {
        let before = self.urls.len() as u32;
        self.urls.extend(more.urls);
        let moved = |shared: Shared| Shared {
            elsewhere: shared.elsewhere.into_iter().map(|place| place.saturating_add(before)).collect(),
            ..shared
        };
        self.shared.extend(more.shared.into_iter().map(moved));
    }
}

/// The row of the sentence pairs of a site that are in one bucket.
///
/// # Errors
/// When it is too long.
pub fn beads_row(bucket: i32, part: i32, domain: &str, beads: &BeadsOfSite) -> Result<EngineRow> {
    Ok(EngineRow {
        part: bucket,
        kind: BEAD.into(),
        name: domain.to_owned(),
        number: i64::from(part),
        count: beads.beads.len() as i64,
        data: Some(encode(beads)?),
    })
}

/// The sentence pairs of one bucket, by site in the order of domains.
struct Bucket(Vec<(EngineRow, BeadsOfSite)>);

impl Bucket {
    /// The page pairs in which a sentence pair stands, as the position of the site and the position among the URLs of the site.
    fn places(&self, id: BeadId) -> impl Iterator<Item = (u32, u32)> + '_ {
        let site = &self.0[id.unit as usize].1;
        let at = site.beads.binary_search_by_key(&id.number, |bead| bead.number);
        let places = at.map_or(&[][..], |at| &site.beads[at].page_pairs);
        let known = places.iter().filter(|&&place| (place as usize) < site.urls.len());
        known.map(move |&place| (id.unit, place))
    }
}

/// The sentence pairs that a site shares with others, while they are collected.
#[derive(Default)]
struct Gathering {
    found: SharedOfSite,
    places: HashMap<(u32, u32), u32>,
}

impl Gathering {
    /// The position of a page pair of another site among the collected URLs.
    fn place(&mut self, bucket: &Bucket, (site, place): (u32, u32)) -> u32 {
        let urls = &mut self.found.urls;
        *self.places.entry((site, place)).or_insert_with(|| {
            urls.push(bucket.0[site as usize].1.urls[place as usize].clone());
            urls.len() as u32 - 1
        })
    }

    /// Writes what was collected for a site, and starts anew.
    fn put(&mut self, bucket: &Bucket, site: usize, output: &mut Output<'_>) -> Result<()> {
        let Gathering { found, .. } = std::mem::take(self);
        if found.shared.is_empty() {
            return Ok(());
        }
        let row = &bucket.0[site].0;
        let (part, name, number) = (row.number as i32, row.name.clone(), i64::from(row.part));
        let (count, data) = (found.shared.len() as i64, Some(encode(&found)?));
        output.put(&EngineRow { part, kind: SHARED.into(), name, number, count, data })
    }
}

/// Bead rows of whole buckets → the sentence pairs that each site shares with others.
pub fn merge(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut buckets: BTreeMap<i32, Vec<EngineRow>> = BTreeMap::new();
    while let Some(row) = input.read()? {
        expect(&row, &[BEAD])?;
        buckets.entry(row.part).or_default().push(row);
    }
    for (_, mut rows) in buckets {
        rows.sort_unstable_by(|x, y| (&x.name, x.number).cmp(&(&y.name, y.number)));
        let mut bucket = Bucket(Vec::new());
        for row in rows {
            let beads: BeadsOfSite = row.decode()?;
            if !beads.is_sound() || i32::try_from(row.number).is_err() {
                return Err(row.senseless());
            }
            match bucket.0.last_mut().filter(|(site, _)| (&site.name, site.number) == (&row.name, row.number)) {
                Some((_, known)) => known.take(beads),
                None => bucket.0.push((EngineRow { data: None, ..row }, beads)),
            }
        }
        for (row, site) in &mut bucket.0 {
            site.beads.sort_unstable_by_key(|bead| bead.number);
            if let Some(twice) = site.beads.windows(2).find(|beads| beads[0].number == beads[1].number) {
                return Err(row.refused(format!("it has the sentence pair {} twice", twice[0].number)));
            }
        }
        if bucket.0.len() > 1 {
            compare(job, &bucket, output)?;
        }
    }
    Ok(())
}

fn compare(job: &StepJob<'_>, bucket: &Bucket, output: &mut Output<'_>) -> Result<()> {
    let mut finder = Finder::new(job.config.memory.sorted_beads(), job.scratch);
    for ((_, site), unit) in bucket.0.iter().zip(0u32..) {
        for bead in &site.beads {
            finder.add(bead.hash, bead.score, BeadId { unit, number: bead.number })?;
        }
    }
    let mut at = 0;
    let mut gathering = Gathering::default();
    finder.for_each(|repeat| {
        let site = repeat.bead.unit as usize;
        if site != at || gathering.found.shared.len() == ROWS {
            gathering.put(bucket, at, output)?;
            at = site;
        }
        let places = repeat.others.iter().flat_map(|&other| bucket.places(other));
        let elsewhere = places.map(|place| gathering.place(bucket, place)).collect();
        let reason = repeat.reason.map_or(0, |reason| reason as u8);
        gathering.found.shared.push(Shared { number: repeat.bead.number, reason, elsewhere });
        Ok(())
    })?;
    gathering.put(bucket, at, output)
}
