//! A part, with what it shares with other parts → tables.

use std::collections::BTreeMap;

use super::dividing::shares;
use super::exploring;
use super::job::{Content, StepJob, expect};
use super::merging::{SHARED, Shared, SharedOfSite};
use super::rows::{Input, Output};
use super::snapshot::{KIND as STORE, Restored, Restoring};
use super::tables::{KeyValues, Tables, keys_row};
use crate::error::{Error, Result};
use crate::export;
use crate::pipeline::Stage;
use crate::pipeline::stages::align::Align;
use crate::query::bitext::{Asked, for_each_bead};
use crate::query::{self, Scope};
use crate::site::numbered::NumberedBitext;
use crate::store::Store;
use crate::store::catalog::Changes;
use crate::store::layout::{BitextHead, PagePlaces, RepeatRecord, RepeatRow};
use crate::types::SiteId;

/// How many rows a record of repetitions has at most.
const REPEAT_ROWS: usize = 1 << 11;

/// Store rows of a part, and shared rows → its pairs, sentence pairs and keys, as tables.
pub fn finish(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut restoring = Restoring::new(job);
    let mut by_domain: BTreeMap<String, SharedOfSite> = BTreeMap::new();
    let mut parts = Vec::new();
    while let Some(row) = input.read()? {
        expect(&row, &[STORE, SHARED])?;
        if row.kind == STORE {
            restoring.take(&row)?;
        } else {
            parts.push(row.part);
            let shared: SharedOfSite = row.decode()?;
            if !shared.is_sound() {
                return Err(row.senseless());
            }
            by_domain.entry(row.name).or_default().take(shared);
        }
    }
    if let Some(other) = parts.into_iter().find(|&part| restoring.part() != Some(part)) {
        return Err(Error::input("shared rows", format!("part {other} has no store rows here")));
    }
    let Some(Restored { part, mut store }) = restoring.finish()? else { return Ok(()) };
    if !store.stage(Align.name())?.finished {
        return Err(Error::input(
            "store rows",
            format!("part {part} was not aligned: these are rows of an earlier step"),
        ));
    }
    keep_shared(&mut store, by_domain)?;
    job.what.iter().try_for_each(|&content| tables(job, &store, (part, content), output))
}

/// Stores the sentence pairs that sites share with others.
fn keep_shared(store: &mut Store, by_domain: BTreeMap<String, SharedOfSite>) -> Result<()> {
    let mut of_sites: BTreeMap<SiteId, SharedOfSite> = BTreeMap::new();
    for (domain, shared) in by_domain {
        let unknown = || Error::input("shared rows", format!("{domain} is not in the store rows"));
        of_sites.insert(store.site_of_domain(&domain)?.ok_or_else(unknown)?, shared);
    }
    let mut changes = Changes::default();
    for id in (0..store.site_count()?).map(SiteId) {
        let Some(head) = store.bitext_head(id)? else { continue };
        // Any number but 0 means that the site was compared with others.
        let mut head = BitextHead { compared: 1, ..head };
        if let Some(shared) = of_sites.remove(&id) {
            keep(store, &mut head, shared)?;
        }
        changes.put_bitext(id, &head);
        store.commit_many(&mut changes)?;
    }
    store.commit(changes)
}

/// Stores the sentence pairs that a site shares with others, and notes this in the site's head.
fn keep(store: &mut Store, head: &mut BitextHead, SharedOfSite { urls, mut shared }: SharedOfSite) -> Result<()> {
    let bitext = NumberedBitext::new(store, head)?;
    let mut known: BTreeMap<&str, u64> = urls.iter().flat_map(|(a, b)| [(a.as_str(), 0), (b.as_str(), 0)]).collect();
    let places = store.append_strangers(&known.keys().copied().collect::<Vec<_>>())?;
    known.values_mut().zip(places).for_each(|(at, place)| *at = place.0);
    let page_pairs: Vec<PagePlaces> = urls.iter().map(|(a, b)| PagePlaces { a: known[&**a], b: known[&**b] }).collect();
    let senseless = |what: &str| Error::input("shared rows", what);
    let mut dropped: BTreeMap<u8, u64> = BTreeMap::new();
    shared.sort_by_key(|shared| shared.number);
    for shared in shared.chunks(REPEAT_ROWS) {
        let mut record = RepeatRecord::default();
        for Shared { number, reason, elsewhere } in shared {
            let (_, pair, bead) =
                bitext.find(*number).ok_or_else(|| senseless("a sentence pair that its site does not have"))?;
            if *reason != 0 {
                *dropped.entry(*reason).or_default() += 1;
            }
            let places = elsewhere.iter().map(|&place| page_pairs.get(place as usize).copied());
            let elsewhere: Option<Vec<PagePlaces>> = places.collect();
            let elsewhere = elsewhere.ok_or_else(|| senseless("a page pair without URLs"))?;
            record.rows.push(RepeatRow { pair, bead, reason: *reason, others: Vec::new(), elsewhere });
        }
        head.shared.push(store.repeats.append_short_or_packed(&record)?.0);
    }
    head.shared_dropped = dropped.into_iter().collect();
    Ok(())
}

/// Writes the rows of one kind of content that a store has, as tables by language pair.
fn tables(job: &StepJob<'_>, store: &Store, (part, content): (i32, Content), output: &mut Output<'_>) -> Result<()> {
    let scope = Scope::all();
    let of = match content {
        Content::Pairs => export::Content::Pairs,
        Content::Bitext => export::Content::Bitext,
        Content::Documents => export::Content::Documents,
        Content::Units => export::Content::Units,
        Content::Pages => export::Content::Pages,
        Content::Fetch => export::Content::Fetch,
        Content::Keys if job.shares_from.is_some_and(|first| part >= first) => return shares(store, part, output),
        Content::Keys => return keys(job, store, part, output),
        Content::Web => return exploring::web(job, store, part, output),
    };
    let mut tables = Tables::new(part, of, output);
    match content {
        Content::Pairs => query::for_each_pair(store, job.config, &scope, |line| {
            tables.row(&format!("{}-{}", line.lang_a, line.lang_b), export::Row::Pair(&line))
        })?,
        Content::Documents => query::for_each_document(store, job.config, &scope, false, &|_| true, |line| {
            tables.row(&format!("{}-{}", line.pair.lang_a, line.pair.lang_b), export::Row::Document(&line))
        })?,
        Content::Units => {
            query::for_each_unit(store, job.config, &scope, &|_| true, |line| {
                tables.row("", export::Row::Unit(&line))
            })?;
        }
        Content::Pages => query::for_each_page(store, job.config, &scope, &|_| true, |page| {
            tables.row(page.lang.as_str(), export::Row::Page(&page))
        })?,
        Content::Fetch => query::fetch(store, &scope, &|_| true)?
            .iter()
            .try_for_each(|line| tables.row("", export::Row::Capture(line)))?,
        _ => for_each_bead(store, job.config, &scope, Asked { alternatives: true, ..Asked::default() }, |line| {
            tables.row(&format!("{}-{}", line.lang_a, line.lang_b), export::Row::Sentences(&line))
        })?,
    }
    tables.finish()
}

/// Writes the keys of a store as JSON objects, one a line.
fn keys(job: &StepJob<'_>, store: &Store, part: i32, output: &mut Output<'_>) -> Result<()> {
    let mut by_langs: BTreeMap<String, Vec<KeyValues>> = BTreeMap::new();
    for line in query::keys(store, job.config, &Scope::all(), false)? {
        let (a, b) = line.langs();
        by_langs.entry(format!("{a}-{b}")).or_default().push(line.values());
    }
    by_langs.into_iter().try_for_each(|(langs, lines)| output.put(&keys_row(part, langs, &lines)?))
}
