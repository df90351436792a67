//! Chooses what is learnt from: of all sites, the pairs with the smallest hashes, whatever part they are in.

use std::collections::BTreeMap;

use super::coding::{Langs, encode, langs_of, name_of, of_langs};
use super::job::{StepJob, expect};
use super::rows::{EngineRow, Input, Output};
use super::snapshot::{KIND as STORE, Restored, Restoring};
use crate::align::routes::{Counted, Route, Routes};
use crate::align::sample::{SampledPair, portions};
use crate::error::{Error, Result};
use crate::index::smallest::Smallest;
use crate::learn::{TrainingPair, TrainingPairs};
use crate::pipeline::stages::align_survey::Samples;
use crate::site::teaching::Teaching;
use crate::store::Store;
use crate::types::{LangPair, PagePair, SiteId};

/// The kind of rows of sites with possible training pairs.
const TRAINING: &str = "training";
/// The kind of rows of page pairs that alignment may learn from.
const PAGE_PAIR: &str = "page_pair";
/// The kind of rows of chosen pairs, by part.
const CHOSEN: &str = "chosen";

/// A site with possible training pairs. Row: name: domain; number: rank of the site; count: pairs.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Candidates {
    part: i32,
    domain: String,
    /// Its number in the store of its part.
    site: u32,
    order: u64,
    /// The language pairs of its keys.
    langs: Vec<Langs>,
    pairs: Vec<(Langs, Vec<Candidate>)>,
}

/// A possible training pair: the hash of its URLs, its pages, its key.
type Candidate = (u64, u32, u32, u32);

impl Candidates {
    /// The possible training pairs of a site.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn of(part: i32, store: &Store, teaching: Teaching) -> Result<Candidates> {
        let candidate = |pair: &TrainingPair| (pair.hash, pair.a, pair.b, pair.key);
        let of =
            |(langs, pairs): (LangPair, Vec<TrainingPair>)| (of_langs(langs), pairs.iter().map(candidate).collect());
        Ok(Candidates {
            part,
            domain: store.site(teaching.site)?.unwrap_or_default().domain,
            site: teaching.site.0,
            order: teaching.order,
            langs: teaching.langs.into_iter().map(of_langs).collect(),
            pairs: teaching.pairs.into_iter().map(of).collect(),
        })
    }

    /// The row of this site.
    ///
    /// # Errors
    /// When it is too long.
    pub fn row(&self) -> Result<EngineRow> {
        Ok(EngineRow {
            part: self.part,
            kind: TRAINING.into(),
            name: self.domain.clone(),
            number: self.order as i64,
            count: self.pairs.iter().map(|(_, pairs)| pairs.len() as i64).sum(),
            data: Some(encode(self)?),
        })
    }

    /// The training pairs of the site, which has the number `site` now.
    fn training(&self, site: SiteId) -> Result<BTreeMap<LangPair, Vec<TrainingPair>>> {
        let pair = |&(hash, a, b, key): &Candidate| TrainingPair { hash, site, a, b, key };
        let of = |(langs, pairs): &(Langs, Vec<Candidate>)| Ok((langs_of(*langs)?, pairs.iter().map(pair).collect()));
        self.pairs.iter().map(of).collect()
    }
}

/// A chosen training pair: its languages, its pages, its key, and whether it is compared with its near misses.
pub type Chosen = (Langs, u32, u32, u32, bool);

/// The chosen pairs of a site: its number in the store of its part, its rank, its pairs.
pub type ChosenSite = (u32, u64, Vec<Chosen>);

/// A page pair that alignment may learn from. Row: name: language pair; number: total of page pairs; before the page pairs stands how many of
/// all are aligned directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct PagePairRow {
    hash: u64,
    digests: (u64, u64),
    bytes: u64,
    part: i32,
    site: u32,
    pages: (u32, u32),
}

/// A chosen page pair: its site and pages, its position in the sample, and whether words are learnt from it.
pub type ChosenPages = (u32, u32, u32, u32, bool);

/// The page pairs of a part from which alignment may learn, as rows.
///
/// # Errors
/// When they are too long.
pub fn page_pairs(part: i32, samples: Samples) -> Result<Vec<EngineRow>> {
    let row = |(langs, (sample, counted)): (LangPair, (Smallest<SampledPair>, Counted))| {
        let pair = |pair: SampledPair| PagePairRow {
            hash: pair.hash,
            digests: pair.digests,
            bytes: pair.bytes,
            part,
            site: pair.site.0,
            pages: (pair.pair.a, pair.pair.b),
        };
        of_page_pairs(part, langs, counted, sample.into_sorted().into_iter().map(pair).collect())
    };
    samples.into_iter().map(row).collect()
}

fn of_page_pairs(part: i32, langs: LangPair, counted: Counted, pairs: Vec<PagePairRow>) -> Result<EngineRow> {
    Ok(EngineRow {
        part,
        kind: PAGE_PAIR.into(),
        name: name_of(langs),
        number: counted.all as i64,
        count: pairs.len() as i64,
        data: Some(encode(&(of_langs(langs), counted.direct, pairs))?),
    })
}

/// Training rows, or page pairs, of all parts → the chosen ones; with `partial`, rows of the same kind, but fewer.
pub fn sample(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut training = Vec::new();
    let mut page_pairs: PagePairs = BTreeMap::new();
    while let Some(row) = input.read()? {
        expect(&row, &[TRAINING, PAGE_PAIR])?;
        if row.kind == TRAINING {
            training.push(row.decode::<Candidates>()?);
        } else {
            let (langs, direct, pairs): (Langs, u64, Vec<PagePairRow>) = row.decode()?;
            let new = || (Smallest::new(job.config.align.train.sampled()), Counted::default());
            let (sample, counted) = page_pairs.entry(langs_of(langs)?).or_insert_with(new);
            sample.extend(pairs);
            let all = u64::try_from(row.number).ok().filter(|&all| direct <= all);
            let sum = all.and_then(|all| counted.all.checked_add(all));
            counted.all = sum.ok_or_else(|| {
                row.refused(format!("{} is no number of page pairs, {direct} of them direct", row.number))
            })?;
            counted.direct += direct;
        }
    }
    if !training.is_empty() && !page_pairs.is_empty() {
        return Err(Error::input("rows", "training and page_pair rows together; give the one or the other"));
    }
    sample_training(job, training, output)?;
    sample_page_pairs(job, page_pairs, output)
}

fn sample_training(job: &StepJob<'_>, mut sites: Vec<Candidates>, output: &mut Output<'_>) -> Result<()> {
    sites.sort_unstable_by(|x, y| (x.order, &x.domain, x.part).cmp(&(y.order, &y.domain, y.part)));
    let mut pairs = TrainingPairs::new(&job.config.learn);
    let mut number = 0;
    // The parts of one domain are one site.
    for parts in sites.chunk_by(|x, y| (x.order, &x.domain) == (y.order, &y.domain)) {
        let mut langs = Vec::new();
        let mut training: BTreeMap<LangPair, Vec<TrainingPair>> = BTreeMap::new();
        for site in parts {
            for &pair in &site.langs {
                langs.push(langs_of(pair)?);
            }
            for (langs, pairs) in site.training(SiteId(number))? {
                training.entry(langs).or_default().extend(pairs);
            }
            number += 1;
        }
        if pairs.are_enough(&langs) {
            continue;
        }
        pairs.take(&training);
        if job.partial {
            for site in parts {
                output.put(&site.row()?)?;
            }
        }
    }
    if job.partial {
        return Ok(());
    }
    let mut chosen: BTreeMap<SiteId, Vec<Chosen>> = BTreeMap::new();
    for (langs, pairs) in pairs.finish(job.config.learn.min_pairs) {
        for (pair, place) in pairs.iter().zip(0..) {
            let is_tested = place < job.config.learn.tested_pairs;
            let of_site = chosen.entry(pair.site).or_default();
            of_site.push((of_langs(langs), pair.a, pair.b, pair.key, is_tested));
        }
    }
    for (number, pairs) in chosen {
        let site = &sites[number.0 as usize];
        let count = pairs.len() as i64;
        let data: ChosenSite = (site.site, site.order, pairs);
        let (part, name, number) = (site.part, site.domain.clone(), site.order as i64);
        output.put(&EngineRow { part, kind: CHOSEN.into(), name, number, count, data: Some(encode(&data)?) })?;
    }
    Ok(())
}

/// For each language pair, the page pairs from which it may be learnt, and how many it has.
type PagePairs = BTreeMap<LangPair, (Smallest<PagePairRow>, Counted)>;

fn sample_page_pairs(job: &StepJob<'_>, by_langs: PagePairs, output: &mut Output<'_>) -> Result<()> {
    let routes = Routes::chosen(&by_langs.iter().map(|(&langs, (_, counted))| (langs, *counted)).collect());
    for (langs, (sample, counted)) in by_langs {
        let pairs = sample.into_sorted();
        if job.partial {
            output.put(&of_page_pairs(-1, langs, counted, pairs)?)?;
            continue;
        }
        if routes.of(langs) != Route::Own {
            continue;
        }
        let sampled = |row: &PagePairRow| SampledPair {
            hash: row.hash,
            digests: row.digests,
            site: SiteId(row.site),
            pair: PagePair { langs, a: row.pages.0, b: row.pages.1 },
            places: (0, 0),
            bytes: row.bytes,
        };
        let all: Vec<SampledPair> = pairs.iter().map(sampled).collect();
        let (learnt, held_out) = portions(&all, counted.all, &job.config.align.train);
        let mut of_parts: BTreeMap<i32, Vec<ChosenPages>> = BTreeMap::new();
        for (row, place) in pairs.iter().zip(0u32..).take(learnt + held_out) {
            let chosen = (row.site, row.pages.0, row.pages.1, place, (place as usize) < learnt);
            of_parts.entry(row.part).or_default().push(chosen);
        }
        for (part, chosen) in of_parts {
            let (name, count) = (name_of(langs), chosen.len() as i64);
            let data = Some(encode(&(of_langs(langs), chosen))?);
            output.put(&EngineRow { part, kind: CHOSEN.into(), name, number: 0, count, data })?;
        }
    }
    Ok(())
}

/// The store that the rows of a part make up, and the pairs chosen from it; `None` where none were chosen, as in most parts.
///
/// # Errors
/// As [`Restoring`], or when the chosen pairs cannot be read.
pub fn restore_chosen(job: &StepJob<'_>, input: &mut Input) -> Result<Option<(Store, Vec<EngineRow>)>> {
    let mut chosen: BTreeMap<i32, Vec<EngineRow>> = BTreeMap::new();
    for row in job.given(CHOSEN)? {
        chosen.entry(row.part).or_default().push(row);
    }
    let mut restoring = Restoring::new(job);
    while let Some(row) = input.read()? {
        expect(&row, &[STORE])?;
        if chosen.contains_key(&row.part) {
            restoring.take(&row)?;
        }
    }
    let Some(Restored { part, store }) = restoring.finish()? else { return Ok(None) };
    Ok(chosen.remove(&part).map(|rows| (store, rows)))
}
