//! A part with what it shares with others → tables.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::coding::decode;
use super::exploring;
use super::job::{Content, Job, expect};
use super::merging::{SHARED, Shared, SharedOfSite};
use super::rows::{Input, Output, Row};
use super::snapshot::{KIND as STORE, Restored, Restoring};
use crate::error::{Error, Result};
use crate::export::rows::{Columns, json_line};
use crate::export::{self, Exporter};
use crate::query::bitext::for_each_bead;
use crate::query::numbered::NumberedBitext;
use crate::query::{self, KeyLine, Scope};
use crate::store::Store;
use crate::store::catalog::{Changes, Keyspace};
use crate::store::layout::{BitextHead, PagePlaces, RepeatRecord, RepeatRow};
use crate::types::SiteId;

/// Rows of a table in one row of a step, at the most; of texts of whole pages, fewer.
const TABLE_ROWS: usize = 1024;
/// The same of texts of whole pages.
const TEXT_ROWS: usize = 32;
/// Rows of a record of repeats, at the most.
const REPEAT_ROWS: usize = 1 << 11;
/// Heads of sites committed together.
const HEADS: usize = 5000;

/// Store rows of a part, and what it shares with others → its pairs, sentence pairs and keys, as tables.
pub fn finish(job: &Job<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut restoring = Restoring::new(job);
    let mut by_domain: BTreeMap<String, SharedOfSite> = BTreeMap::new();
    let mut parts = Vec::new();
    while let Some(row) = input.read()? {
        expect(&row, &[STORE, SHARED])?;
        if row.kind == STORE {
            restoring.take(&row)?;
        } else {
            parts.push(row.part);
            let shared = decode(row.bytes()?)?;
            by_domain.entry(row.name).or_default().take(shared);
        }
    }
    if let Some(other) = parts.into_iter().find(|&part| restoring.part() != Some(part)) {
        return Err(Error::input("shared rows", format!("part {other} has no store rows here")));
    }
    let Some(Restored { part, mut store }) = restoring.finish()? else { return Ok(()) };
    keep_shared(&mut store, by_domain)?;
    job.what.iter().try_for_each(|&content| tables(job, &store, (part, content), output))
}

/// Notes in a store what its sites share with others.
fn keep_shared(store: &mut Store, by_domain: BTreeMap<String, SharedOfSite>) -> Result<()> {
    let mut of_sites: BTreeMap<SiteId, SharedOfSite> = BTreeMap::new();
    for (domain, shared) in by_domain {
        let unknown = || Error::input("shared rows", format!("{domain} is not in the store rows"));
        of_sites.insert(store.site_of_domain(&domain)?.ok_or_else(unknown)?, shared);
    }
    let mut changes = Changes::default();
    for id in (0..store.site_count()?).map(SiteId) {
        let Some(head) = store.bitext_head(id)? else { continue };
        // Any number but 0 says that it was compared with others.
        let mut head = BitextHead { compared: 1, ..head };
        if let Some(shared) = of_sites.remove(&id) {
            keep(store, &mut head, shared)?;
        }
        changes.put(Keyspace::Bitext, &id.0.to_be_bytes(), &head);
        if changes.len() >= HEADS {
            store.commit(std::mem::take(&mut changes))?;
        }
    }
    store.commit(changes)
}

/// Writes what a site shares with others, and notes it in its head.
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
        head.shared.push(store.repeats.append_packed(&record)?.0);
    }
    head.shared_dropped = dropped.into_iter().collect();
    Ok(())
}

/// Writes what a store has of a content, by language pairs.
fn tables(job: &Job<'_>, store: &Store, (part, content): (i32, Content), output: &mut Output<'_>) -> Result<()> {
    let scope = Scope::all();
    let of = match content {
        Content::Pairs => export::Content::Pairs,
        Content::Bitext => export::Content::Bitext,
        Content::Documents => export::Content::Documents,
        Content::Pages => export::Content::Pages,
        Content::Fetch => export::Content::Fetch,
        Content::Keys => return keys(job, store, part, output),
        Content::Web => return exploring::web(job, store, part, output),
    };
    let mut tables = Tables { part, content: of, open: BTreeMap::new(), output };
    match content {
        Content::Pairs => query::for_each_pair(store, job.config, &scope, |line| {
            tables.row(&format!("{}-{}", line.lang_a, line.lang_b), export::Row::Pair(&line))
        })?,
        Content::Documents => query::for_each_document(store, job.config, &scope, false, &|_| true, |line| {
            tables.row(&format!("{}-{}", line.pair.lang_a, line.pair.lang_b), export::Row::Document(&line))
        })?,
        Content::Pages => query::for_each_page(store, &scope, &|_| true, |page| {
            tables.row(page.lang.as_str(), export::Row::Page(&page))
        })?,
        Content::Fetch => query::fetch(store, &scope, &|_| true)?
            .iter()
            .try_for_each(|line| tables.row("", export::Row::Capture(line)))?,
        _ => for_each_bead(store, job.config, &scope, false, |line| {
            tables.row(&format!("{}-{}", line.lang_a, line.lang_b), export::Row::Sentences(&line))
        })?,
    }
    tables.finish()
}

/// Writes the keys of a store as objects of JSON, one a line.
fn keys(job: &Job<'_>, store: &Store, part: i32, output: &mut Output<'_>) -> Result<()> {
    let mut by_langs: BTreeMap<String, (i64, Vec<u8>)> = BTreeMap::new();
    for line in query::keys(store, job.config, &Scope::all(), false)? {
        let (a, b) = line.langs();
        let (count, lines) = by_langs.entry(format!("{a}-{b}")).or_default();
        *count += 1;
        json_line(lines, &Columns(&KeyLine::COLUMNS, &line.values())).map_err(Error::io("memory", "writing a key"))?;
    }
    for (name, (count, lines)) in by_langs {
        output.put(&Row { part, kind: "keys".into(), name, number: 0, count, data: Some(lines) })?;
    }
    Ok(())
}

/// Tables of a content, one a language pair, as they are filled.
struct Tables<'t, 'o> {
    part: i32,
    content: export::Content,
    open: BTreeMap<String, Table>,
    output: &'t mut Output<'o>,
}

/// A table that is filled.
struct Table {
    rows: usize,
    exporter: Box<dyn Exporter>,
    bytes: Shelf,
}

/// Bytes that are written in one place and read in another.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Vec<u8>>>);

impl Write for Shelf {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Tables<'_, '_> {
    fn row(&mut self, name: &str, row: export::Row<'_>) -> Result<()> {
        if !self.open.contains_key(name) {
            self.open.insert(name.to_owned(), Table::new(self.content)?);
        }
        let Some(table) = self.open.get_mut(name) else { return Ok(()) };
        table.exporter.row(row).map_err(Error::io("memory", "writing a table"))?;
        table.rows += 1;
        let has_texts = matches!(self.content, export::Content::Documents | export::Content::Pages);
        if table.rows < if has_texts { TEXT_ROWS } else { TABLE_ROWS } {
            return Ok(());
        }
        let Some(table) = self.open.remove(name) else { return Ok(()) };
        self.put(name.to_owned(), table)
    }

    fn put(&mut self, name: String, table: Table) -> Result<()> {
        let Table { rows, exporter, bytes } = table;
        exporter.finish().map_err(Error::io("memory", "writing a table"))?;
        let data = std::mem::take(&mut *bytes.0.lock().unwrap_or_else(PoisonError::into_inner));
        let (kind, count) = (self.content.name().to_owned(), rows as i64);
        self.output.put(&Row { part: self.part, kind, name, number: 0, count, data: Some(data) })
    }

    fn finish(mut self) -> Result<()> {
        std::mem::take(&mut self.open).into_iter().try_for_each(|(name, table)| self.put(name, table))
    }
}

impl Table {
    fn new(content: export::Content) -> Result<Table> {
        let (content, format) =
            export::format(Some(content), Some("arrow"), Some("table.arrows")).map_err(Error::Config)?;
        let job = export::Job { content, langs: None, is_gz: false, now: jiff::Timestamp::UNIX_EPOCH };
        let bytes = Shelf::default();
        let exporter = (format.make)(&job, vec![Box::new(bytes.clone())]);
        let exporter = exporter.map_err(Error::io("memory", "writing a table"))?;
        Ok(Table { rows: 0, exporter, bytes })
    }
}
