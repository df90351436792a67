//! Pages of a part → a store with the keys of its sites, by themselves and then with what is credible across sites.

use std::collections::BTreeMap;

use super::job::{Job, OnePart};
use super::rows::{Input, Output, Row};
use super::sampling::Candidates;
use super::{coding, snapshot};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::keys::credibility;
use crate::learn::TrainingPairs;
use crate::pipeline::run_stage;
use crate::pipeline::stages::{index::Index, keys::Keys, links::Links};
use crate::query::teaching::for_each_teaching;
use crate::store::catalog::Keyspace;
use crate::store::layout::{ArchiveIdentity, Credibility};
use crate::store::{Access, Imports, Store};

/// The kind of rows of patterns. Number: sum of their credibility; count: sites that add to it.
const PATTERN: &str = "pattern";

/// What is known of archives by their numbers.
struct Archives {
    identities: BTreeMap<u32, ArchiveIdentity>,
    /// Those whose bytes are the bytes of one with a lower number.
    again: Vec<u32>,
}

impl Archives {
    fn of(job: &Job<'_>) -> Result<Archives> {
        let mut found = Archives { identities: BTreeMap::new(), again: Vec::new() };
        for row in job.given("archive")? {
            let number = u32::try_from(row.number).map_err(|_| Error::input(&row.name, "expected a number"))?;
            found.identities.insert(number, coding::decode(row.bytes()?)?);
        }
        let mut first: BTreeMap<u64, u32> = BTreeMap::new();
        for (&number, identity) in &found.identities {
            if *first.entry(identity.fingerprint).or_insert(number) != number {
                found.again.push(number);
            }
        }
        Ok(found)
    }
}

/// Page rows of a part → store and pattern rows.
pub fn keys(job: &Job<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let archives = Archives::of(job)?;
    let mut part = OnePart::default();
    let mut open: Option<(Store, Imports)> = None;
    while let Some(row) = input.read()? {
        part.check(&row, &["page"])?;
        let number =
            u32::try_from(row.number).map_err(|_| Error::input(&row.name, "expected the number of an archive"))?;
        if archives.again.binary_search(&number).is_ok() {
            output.leave_out("pages of an archive that was given twice", row.count as u64);
            continue;
        }
        let captures = coding::captures_of(row.bytes()?)?;
        let (store, imports) = match &mut open {
            Some(open) => open,
            none => none.insert((new_store(job)?, Imports::default())),
        };
        imports.add(store, number, captures, &archives.identities)?;
    }
    let (Some(part), Some((mut store, mut imports))) = (part.0, open) else { return Ok(()) };
    imports.commit(&mut store, &archives.identities)?;
    job.in_context(|context| {
        run_stage(&Index, &mut store, context)?;
        run_stage(&Links, &mut store, context)?;
        Keys.first_pass(&mut store, context)
    })?;
    let mut rows = Vec::new();
    store.catalog().for_each(Keyspace::Credibility, |pattern, known: Credibility| {
        rows.push(Row {
            part,
            kind: PATTERN.into(),
            name: String::from_utf8_lossy(pattern).into_owned(),
            number: known.sum as i64,
            count: i64::from(known.sites),
            data: None,
        });
        Ok(())
    })?;
    rows.iter().try_for_each(|row| output.put(row))?;
    snapshot::write(part, store, output)
}

/// A new store with the settings of the job.
fn new_store(job: &Job<'_>) -> Result<Store> {
    let mut store = Store::open(&job.folder("store"), Access::Write)?;
    store.keep_settings(job.settings.clone())?;
    Ok(store)
}

/// Store rows of a part → store rows, and training rows: the pairs that language pairs may be learnt from.
pub fn rescue(job: &Job<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let Some(snapshot::Restored { part, mut store }) = snapshot::read(job, input)? else { return Ok(()) };
    let sums = patterns(job, &store)?;
    store.import_credibility(&sums)?;
    job.in_context(|context| Keys.second_pass(&mut store, context))?;
    if teaches(job.config) {
        let mut pairs = TrainingPairs::new(&job.config.learn);
        for_each_teaching(&store, job.config, &mut pairs, |teaching| {
            output.put(&Candidates::of(part, &store, teaching)?.row()?)
        })?;
    }
    snapshot::write(part, store, output)
}

/// True when something is learnt from pairs of keys.
fn teaches(config: &Config) -> bool {
    config.verifies() && config.learns()
}

/// What is known across sites of the patterns of a part, and of those that are credible elsewhere.
fn patterns(job: &Job<'_>, store: &Store) -> Result<Vec<(String, Credibility)>> {
    let least = job.config.keys.rescue_above;
    let mut found = Vec::new();
    job.for_each_given(PATTERN, |row| {
        let sites = u32::try_from(row.count).map_err(|_| Error::input(&row.name, "expected a number of sites"))?;
        let known = Credibility { sum: row.number as u64, sites };
        let is_credible = least.is_some_and(|least| credibility::global(known.sum) > least);
        if is_credible || store.credibility(&row.name)?.sites > 0 {
            found.push((row.name, known));
        }
        Ok(())
    })?;
    Ok(found)
}
