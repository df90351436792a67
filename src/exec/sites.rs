//! Pages of a part → a store with the keys of its sites: first each site by itself, then with patterns that are credible across sites.

use std::collections::{BTreeMap, BTreeSet};

use super::job::{OnePart, StepJob};
use super::pages::PAGE;
use super::rows::{EngineRow, Input, Output};
use super::sampling::Candidates;
use super::{coding, snapshot};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::keys::credibility;
use crate::language::learnt::DOMAINS;
use crate::language::letters::Letters;
use crate::learn::TrainingPairs;
use crate::pipeline::run_stage;
use crate::pipeline::stages::{index::Index, keys::Keys, links::Links};
use crate::site::languages::{self, Shown};
use crate::site::teaching::for_each_teaching;
use crate::site::{Scope, sites};
use crate::store::layout::{ArchiveIdentity, Credibility};
use crate::store::{Access, Imports, Store};
use crate::types::{Lang, LangPair, SkipReason};

/// The kind of rows of patterns. Number: sum of their credibility; count: sites that add to it.
const PATTERN: &str = "pattern";

/// The archives, by number.
struct Archives {
    identities: BTreeMap<u32, ArchiveIdentity>,
    /// The archives whose bytes are those of an archive with a lower number.
    again: Vec<u32>,
}

impl Archives {
    fn of(job: &StepJob<'_>) -> Result<Archives> {
        let mut found = Archives { identities: BTreeMap::new(), again: Vec::new() };
        for row in job.given("archive")? {
            let number = u32::try_from(row.number).map_err(|_| Error::input(&row.name, "expected a number"))?;
            found.identities.insert(number, row.decode()?);
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

/// Fills a store with the pages of a part.
pub struct Filling<'j> {
    job: &'j StepJob<'j>,
    archives: Archives,
    part: OnePart,
    open: Option<(Store, Imports)>,
}

impl<'j> Filling<'j> {
    /// Begins with an empty store.
    ///
    /// # Errors
    /// When the rows of archives cannot be read.
    pub fn new(job: &'j StepJob<'j>) -> Result<Filling<'j>> {
        Ok(Filling { job, archives: Archives::of(job)?, part: OnePart::default(), open: None })
    }

    /// Adds a page row.
    ///
    /// # Errors
    /// When it is of another part or kind, or makes no sense; when the disk does not take it.
    pub fn take(&mut self, row: EngineRow, output: &mut Output<'_>) -> Result<()> {
        self.part.check(&row, &[PAGE])?;
        let number =
            u32::try_from(row.number).map_err(|_| Error::input(&row.name, "expected the number of an archive"))?;
        if self.archives.again.binary_search(&number).is_ok() {
            output.leave_out("pages of an archive that was given twice", row.counted()?);
            return Ok(());
        }
        let captures = coding::captures_of(row.bytes()?).ok_or_else(|| row.senseless())?;
        if !captures.is_sound(number) {
            return Err(row.senseless());
        }
        let (store, imports) = match &mut self.open {
            Some(open) => open,
            none => none.insert((new_store(self.job)?, Imports::default())),
        };
        imports.add(store, number, captures, &self.archives.identities)
    }

    /// The part and its store, with its pages indexed and its links followed; `None` when there was no page row.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn finish(self) -> Result<Option<(i32, Store)>> {
        let (Some(part), Some((mut store, mut imports))) = (self.part.0, self.open) else { return Ok(None) };
        imports.commit(&mut store, &self.archives.identities)?;
        self.job.in_context(|context| {
            run_stage(&Index, &mut store, context)?;
            run_stage(&Links, &mut store, context)
        })?;
        Ok(Some((part, store)))
    }
}

/// The kind of rows of what a domain shows of a language. Name: the tag of the language; number: the position of the domain in the order of
/// hashes.
const LANGUAGE: &str = "language";

/// Page rows of a part → store, pattern and language rows.
pub fn keys(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut filling = Filling::new(job)?;
    while let Some(row) = input.read()? {
        filling.take(row, output)?;
    }
    let Some((part, mut store)) = filling.finish()? else { return Ok(()) };
    for id in sites(&store, &Scope::all())? {
        for (code, count) in store.site(id)?.unwrap_or_default().left_out {
            output.leave_out(SkipReason::from_code(code).map_or("?", SkipReason::name), count);
        }
    }
    job.in_context(|context| Keys.first_pass(&mut store, context))?;
    let mut rows = Vec::new();
    store.for_each_pattern(|name, known| {
        rows.push(EngineRow {
            part,
            kind: PATTERN.into(),
            name,
            number: known.sum as i64,
            count: i64::from(known.sites),
            data: None,
        });
    })?;
    rows.iter().try_for_each(|row| output.put(row))?;
    for (lang, witnesses) in languages::shown(&store)? {
        for (witness, letters) in witnesses {
            output.put(&EngineRow {
                part,
                kind: LANGUAGE.into(),
                name: lang.to_string(),
                number: order_of(witness),
                count: 1,
                data: Some(coding::encode(&ShownRow { witness, letters: letters.counts().to_vec() })?),
            })?;
        }
    }
    snapshot::write(part, store, output)
}

/// What the domains of one name show of a language.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct ShownRow {
    /// The hash of its name.
    witness: u64,
    /// How often each kind of pairs of letters occurs.
    letters: Vec<u32>,
}

/// The number that sorts the rows of a language in the order of their hashes.
fn order_of(witness: u64) -> i64 {
    (witness >> 1) as i64
}

/// What the domains of all parts show of languages.
fn shown(job: &StepJob<'_>) -> Result<Shown> {
    let mut found = Shown::new();
    job.for_each_given(LANGUAGE, |row| {
        let lang = Lang::parse(&row.name).ok_or_else(|| row.refused("expected the tag of a language"))?;
        let ShownRow { witness, letters } = row.decode()?;
        let letters = Letters::from_counts(&letters).filter(|_| row.number == order_of(witness));
        let of_lang = found.entry(lang).or_default();
        let at = of_lang.partition_point(|other| other.0 < witness);
        if at < DOMAINS {
            of_lang.insert(at, (witness, letters.ok_or_else(|| row.senseless())?));
            of_lang.truncate(DOMAINS);
        }
        Ok(())
    })?;
    Ok(found)
}

/// A new store with the settings of the job.
fn new_store(job: &StepJob<'_>) -> Result<Store> {
    let mut store = Store::open(&job.folder("store"), Access::Write)?;
    store.keep_settings(job.settings.clone())?;
    Ok(store)
}

/// Store rows of a part → store rows, and training rows: the pairs from which language pairs may be learnt.
pub fn rescue(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let Some(snapshot::Restored { part, mut store }) = snapshot::read(job, input)? else { return Ok(()) };
    credible(job, &mut store)?;
    teach(job, part, &store, output)?;
    snapshot::write(part, store, output)
}

/// Looks for weak keys whose patterns are credible across sites, and names languages by what other sites show of them.
///
/// # Errors
/// When the store or what is known of other sites cannot be read, or the disk does not take the result.
pub fn credible(job: &StepJob<'_>, store: &mut Store) -> Result<()> {
    let least = job.config.keys.rescue_above;
    let sums = sums(job, |name, sum| {
        let is_credible = least.is_some_and(|least| credibility::global(sum) > least);
        Ok(is_credible || store.credibility(name)?.sites > 0)
    })?;
    store.import_credibility(&sums)?;
    let shown = shown(job)?;
    job.in_context(|context| Keys.second_pass(store, context, shown))?;
    know_all(job, store)
}

/// Takes over the global credibility of the patterns of all keys in a store.
///
/// # Errors
/// As [`credible`].
pub fn know_all(job: &StepJob<'_>, store: &mut Store) -> Result<()> {
    let mut patterns: BTreeSet<String> = BTreeSet::new();
    for id in sites(store, &Scope::all())? {
        if let Some(result) = store.result(id)? {
            patterns.extend(result.keys.iter().filter_map(|row| row.key()).map(|key| key.pattern()));
        }
    }
    let sums = sums(job, |name, _| Ok(patterns.contains(name)))?;
    store.import_credibility(&sums)
}

/// All pairs of the languages that pages of a store count for.
///
/// # Errors
/// When it cannot be read.
pub fn lang_pairs(store: &Store) -> Result<BTreeSet<LangPair>> {
    let mut langs = BTreeSet::new();
    for id in sites(store, &Scope::all())? {
        if let Some(result) = store.result(id)? {
            langs.extend(result.hosts.iter().flat_map(|host| host.langs.iter()).map(|lang| Lang::from_bytes(lang.0)));
        }
    }
    Ok(langs.iter().flat_map(|&a| langs.iter().filter_map(move |&b| LangPair::new(a, b))).collect())
}

/// Writes the pairs of a part from which language pairs may be learnt.
///
/// # Errors
/// When the store cannot be read, or the output does not take it.
pub fn teach(job: &StepJob<'_>, part: i32, store: &Store, output: &mut Output<'_>) -> Result<()> {
    if !teaches(job.config) {
        return Ok(());
    }
    let mut pairs = TrainingPairs::new(&job.config.learn);
    for_each_teaching(store, job.config, &mut pairs, |teaching| {
        output.put(&Candidates::of(part, store, teaching)?.row()?)
    })
}

/// True when verification learns from pairs of keys.
fn teaches(config: &Config) -> bool {
    config.verifies() && config.learns()
}

/// The wanted patterns with their sums across sites.
fn sums(job: &StepJob<'_>, is_wanted: impl Fn(&str, u64) -> Result<bool>) -> Result<Vec<(String, Credibility)>> {
    let mut found = BTreeMap::new();
    job.for_each_given(PATTERN, |row| {
        let sites = u32::try_from(row.count).map_err(|_| row.refused("expected a number of sites"))?;
        let sum = u64::try_from(row.number).map_err(|_| row.refused("expected a sum of 0 or more"))?;
        let known = Credibility { sum, sites };
        if is_wanted(&row.name, known.sum)? && found.insert(row.name.clone(), known).is_some() {
            return Err(Error::input("pattern rows", format!("{} is there twice; give sums", row.name)));
        }
        Ok(())
    })?;
    Ok(found.into_iter().collect())
}
