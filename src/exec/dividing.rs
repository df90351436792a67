//! Divides a domain that has too many pages for one task. Its keys are found in outlines of all its pages; then its pages are distributed
//! over several parts, and pages that keys pair go to the same part.
//!
//! Computed for the domain as a whole: its keys, with power, credibility and state; the pairs that they propose; the languages that pages
//! count for; and the copies that URLs show. All later steps work on each part by itself.

use std::collections::BTreeMap;

use super::coding;
use super::job::{StepJob, expect};
use super::pages::{PAGE, ROW_BYTES};
use super::rows::{EngineRow, Input, Output};
use super::sites::{Filling, credible, know_all, teach};
use super::snapshot::{self, Restored};
use super::tables::{KeyValues, keys_row};
use crate::error::{Error, Result};
use crate::index::site::Urls;
use crate::keys::hosts::host_ranges;
use crate::keys::{Kin, State};
use crate::pipeline::fingerprint;
use crate::pipeline::stages::keys::Keys;
use crate::query::{KeyLine, numbered_keys, state_name};
use crate::site::open::OpenSite;
use crate::site::{Scope, Site, sites};
use crate::store::layout::{HostRow, KeyRow, PageEntry, PairRow, ResultRecord, SkipEntry, StoredPage};
use crate::store::{Captures, Store, Unpacked};
use crate::types::{Key, SiteId, SkipReason, host_of};
use crate::types::{KeyScope, number};

/// The kind of rows that list divided domains. Part: the domain's number among the outlines; number: its first part; count: how many parts.
const DIVIDED: &str = "divided";
/// The kind of rows with the keys of divided domains, as they are listed.
const WHOLE: &str = "whole";
/// The kind of rows of facts about divided domains. Rows with the part, number and count of a `divided` row say which pages belong
/// together; rows with part −1 have the keys, with the domain as name.
const KNOWN: &str = "known";
/// The kind of rows of results for the pages of a part. Name: domain; number: order.
const FOUND: &str = "found";
/// The kind of rows in which a part reports on the keys of its domains.
const SHARE: &str = "share";
/// How many pairs, pages and copies of all parts are kept in memory before they are written.
const HELD_ROWS: usize = 1 << 18;
/// How many bytes of pages are kept in memory before they are written to their parts.
const HELD_BYTES: usize = 64 << 20;

/// Page rows → page rows with outlines in place of the pages.
pub fn outline(_: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    while let Some(row) = input.read()? {
        expect(&row, &[PAGE])?;
        let (pages, skipped) = unpacked(&row)?;
        let outline = |(entry, bytes): (PageEntry, Vec<u8>)| {
            let page = StoredPage::decode(&bytes).ok_or_else(|| row.senseless())?;
            Ok((entry, page.outline()))
        };
        let pages = pages.into_iter().map(outline).collect::<Result<Vec<_>>>()?;
        // The search for keys needs nothing of what sitemaps declare.
        let skipped = skipped.into_iter().map(|entry| SkipEntry { declared: Vec::new(), ..entry }).collect();
        for portion in Captures::pack(pages, skipped, usize::MAX)? {
            output.put(&EngineRow { data: Some(coding::of_captures(&portion)?), ..row.clone() })?;
        }
    }
    Ok(())
}

/// The captures of a row.
fn unpacked(row: &EngineRow) -> Result<Unpacked> {
    coding::captures_of(row.bytes()?).and_then(Captures::unpack).ok_or_else(|| row.senseless())
}

/// The parts into which a domain is divided.
#[derive(Clone, Copy)]
struct Parts {
    first: i32,
    count: u32,
}

impl Parts {
    fn of(row: &EngineRow) -> Result<Parts> {
        let parts = i32::try_from(row.number).ok().zip(i32::try_from(row.count).ok());
        let parts = parts.filter(|&(first, count)| first >= 0 && count > 0 && first.checked_add(count).is_some());
        let (first, count) = parts.ok_or_else(|| row.refused("expected a first part, and how many"))?;
        Ok(Parts { first, count: count as u32 })
    }

    /// All parts.
    fn all(self) -> impl Iterator<Item = i32> {
        (0..self.count).map(move |at| self.first.saturating_add(at as i32))
    }

    /// The part of a page.
    fn part(self, kin: &Kin, identity: &str) -> i32 {
        self.first.saturating_add((kin.hash(identity) % u64::from(self.count)) as i32)
    }
}

/// A key as it is listed before any of its pairs is verified.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct WholeKey {
    domain: String,
    /// Its position among the keys of the domain.
    at: u32,
    langs: String,
    state: u8,
    /// Values of [`KeyLine::COLUMNS`], as JSON.
    values: String,
}

/// Facts about a domain besides its pages.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Known {
    /// Keys, each with the position of its scope. The rows have no scopes of their own.
    keys: Vec<(u32, KeyRow)>,
    /// Scopes, as ranges: the URLs, without scheme, of the first and of the last page.
    scopes: Vec<Vec<(String, String)>>,
    considered: Vec<String>,
    alone: Vec<(String, u64, bool)>,
}

/// The results for those pages of a domain that are in one part.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct Found {
    pairs: Vec<(String, String, u32)>,
    relabelled: Vec<(String, [u8; 8])>,
    copies: Vec<(String, String)>,
    hosts: Vec<HostRow>,
}

impl Found {
    fn take(&mut self, more: Found) {
        self.pairs.extend(more.pairs);
        self.relabelled.extend(more.relabelled);
        self.copies.extend(more.copies);
        self.hosts.extend(more.hosts);
    }

    fn rows(&self) -> usize {
        self.pairs.len() + self.relabelled.len() + self.copies.len() + self.hosts.len()
    }
}

/// Store rows of the outlines of a domain → its keys, the groups of pages that belong together, and the results for the pages of each part.
pub fn divide(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let Some(Restored { part, mut store }) = snapshot::read(job, input)? else { return Ok(()) };
    let divided = job.given(DIVIDED)?.into_iter().find(|row| row.part == part);
    let divided = divided.ok_or_else(|| {
        Error::input("store rows", format!("part {part} is not among the divided rows; give these by --with"))
    })?;
    let parts = Parts::of(&divided)?;
    credible(job, &mut store)?;
    let kin = kin_of(&store)?;
    for id in sites(&store, &Scope::all())? {
        spread(&store, id, (&kin, parts), output)?;
        store.unmap();
    }
    let EngineRow { name, number, count, .. } = divided;
    let data = Some(coding::encode(&kin)?);
    output.put(&EngineRow { part, kind: KNOWN.into(), name, number, count, data })?;
    let whole = whole_keys(job, &store)?;
    let (name, count, data) = (String::new(), whole.len() as i64, Some(coding::encode(&whole)?));
    output.put(&EngineRow { part, kind: WHOLE.into(), name, number: 0, count, data })
}

/// Groups the pages of a store: pages that a pair connects belong together.
fn kin_of(store: &Store) -> Result<Kin> {
    let mut keys: Vec<Key> = Vec::new();
    let ids = sites(store, &Scope::all())?;
    for &id in &ids {
        let Some(site) = OpenSite::open(store, id)? else { continue };
        let mut used: Vec<u32> = site.result.pairs.iter().map(|pair| pair.key.to_native()).collect();
        used.sort_unstable();
        used.dedup();
        keys.extend(used.iter().filter_map(|&at| site.result.keys.get(at as usize)?.key()));
    }
    let mut kin = Kin::of(keys.iter());
    for &id in &ids {
        let Some(site) = OpenSite::open(store, id)? else { continue };
        for pair in site.result.pairs.iter() {
            kin.unite(site.pages.identity(pair.a.to_native()), site.pages.identity(pair.b.to_native()));
        }
    }
    Ok(kin)
}

/// Writes the results for a site, divided among the parts of its pages.
fn spread(store: &Store, id: SiteId, (kin, parts): (&Kin, Parts), output: &mut Output<'_>) -> Result<()> {
    let Some(site) = OpenSite::open(store, id)? else { return Ok(()) };
    let (pages, result) = (&site.pages, &site.result);
    let url = |page: u32| pages.identity(page).to_owned();
    let part_of: Vec<i32> = (0..pages.count()).map(|page| parts.part(kin, pages.identity(page))).collect();
    let of = |page: u32| part_of[page as usize];
    let host = |page: u32| host_of(pages.identity(page));
    let damaged = || Error::input("store rows", format!("a key of {} is damaged", site.head.domain));
    let (mut scopes, mut keys) = (BTreeMap::new(), Vec::new());
    for row in result.keys.iter() {
        let next = scopes.len() as u32;
        let at = *scopes.entry(row.scope()).or_insert(next);
        keys.push((at, KeyRow { scope: Vec::new(), ..row.to_owned().ok_or_else(damaged)? }));
    }
    let mut scopes: Vec<(KeyScope, u32)> = scopes.into_iter().collect();
    scopes.sort_unstable_by_key(|scope| scope.1);
    let urls = |scope: &KeyScope| scope.ranges().map(|range| (url(range.start), url(range.end - 1))).collect();
    let known = Known {
        keys,
        scopes: scopes.iter().map(|(scope, _)| urls(scope)).collect(),
        considered: result.considered.iter().map(|pattern| pattern.to_string()).collect(),
        alone: result.contributions().map(|(pattern, sum, is_strong)| (pattern.to_owned(), sum, is_strong)).collect(),
    };
    let (name, count, data) = (site.head.domain.clone(), known.keys.len() as i64, Some(coding::encode(&known)?));
    output.put(&EngineRow { part: -1, kind: KNOWN.into(), name, number: 0, count, data })?;
    let mut spread = Spread { domain: &site.head.domain, open: BTreeMap::new(), rows: 0, output };
    let ranges: BTreeMap<&str, _> = host_ranges(pages).into_iter().map(|range| (host(range.start), range)).collect();
    for row in result.hosts.iter() {
        let Some(range) = ranges.get(row.host.as_str()) else { continue };
        let mut of_host: Vec<i32> = part_of[range.start as usize..range.end as usize].to_vec();
        of_host.sort_unstable();
        of_host.dedup();
        for part in of_host {
            spread.put(part, |found| found.hosts.push(row.to_owned()))?;
        }
    }
    for pair in result.pairs.iter() {
        let (a, b, key) = (pair.a.to_native(), pair.b.to_native(), pair.key.to_native());
        spread.put(of(a), |found| found.pairs.push((url(a), url(b), key)))?;
    }
    for row in result.relabelled.iter() {
        let page = row.0.to_native();
        spread.put(of(page), |found| found.relabelled.push((url(page), row.1)))?;
    }
    for row in result.copies.iter() {
        let (copy, original) = (row.0.to_native(), row.1.to_native());
        // If the original of a copy is in another part, the copy is written as a copy of itself: either way it takes no part.
        let original = if of(original) == of(copy) { original } else { copy };
        spread.put(of(copy), |found| found.copies.push((url(copy), url(original))))?;
    }
    spread.write()
}

/// The results for a site, by part, while they are being written.
struct Spread<'s, 'o, 'w> {
    domain: &'s str,
    /// For each part, the number of its next row, and the content of that row so far.
    open: BTreeMap<i32, (i64, Found)>,
    /// Number of items in all open rows.
    rows: usize,
    output: &'o mut Output<'w>,
}

impl Spread<'_, '_, '_> {
    fn put(&mut self, part: i32, add: impl FnOnce(&mut Found)) -> Result<()> {
        add(&mut self.open.entry(part).or_default().1);
        self.rows += 1;
        if self.rows < HELD_ROWS { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> Result<()> {
        self.rows = 0;
        for (&part, (number, found)) in self.open.iter_mut().filter(|(_, (_, found))| found.rows() > 0) {
            self.output.put(&found_row(part, self.domain, *number, &std::mem::take(found))?)?;
            *number += 1;
        }
        Ok(())
    }
}

fn found_row(part: i32, domain: &str, number: i64, found: &Found) -> Result<EngineRow> {
    let (name, count, data) = (domain.to_owned(), found.rows() as i64, Some(coding::encode(found)?));
    Ok(EngineRow { part, kind: FOUND.into(), name, number, count, data })
}

fn whole_keys(job: &StepJob<'_>, store: &Store) -> Result<Vec<WholeKey>> {
    let mut keys = Vec::new();
    for ((site, at), line) in numbered_keys(store, job.config, &Scope::all(), false)? {
        let (a, b) = line.langs();
        keys.push(WholeKey {
            domain: store.site(site)?.unwrap_or_default().domain,
            at,
            langs: format!("{a}-{b}"),
            state: line.state as u8,
            values: serde_json::Value::from(line.values().to_vec()).to_string(),
        });
    }
    Ok(keys)
}

/// Page rows of divided domains → page rows of their parts.
pub fn deal(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut divided: BTreeMap<i32, (Kin, Parts)> = BTreeMap::new();
    job.for_each_given(KNOWN, |row| {
        if row.part >= 0 {
            divided.insert(row.part, (row.decode()?, Parts::of(&row)?));
        }
        Ok(())
    })?;
    let mut hands = Hands::default();
    while let Some(row) = input.read()? {
        expect(&row, &[PAGE])?;
        let unknown = || {
            Error::input("page rows", format!("part {} is not among the known rows; give these by --with", row.part))
        };
        let (kin, parts) = divided.get(&row.part).ok_or_else(unknown)?;
        let (pages, skipped) = unpacked(&row)?;
        let of = |identity: &str| (parts.part(kin, identity), row.number, row.name.clone());
        for (entry, bytes) in pages {
            hands.bytes += bytes.len();
            hands.held.entry(of(&entry.identity)).or_default().0.push((entry, bytes));
        }
        for entry in skipped {
            // A sitemap may be about pages in any part, and what the owner of a host says concerns the pages of all parts.
            if entry.declared.is_empty() && entry.reason != SkipReason::OwnerFile as u8 {
                hands.held.entry(of(&entry.identity)).or_default().1.push(entry);
                continue;
            }
            for part in parts.all() {
                hands.bytes += entry.declared.len() + entry.detail.len();
                let held = hands.held.entry((part, row.number, row.name.clone())).or_default();
                held.1.push(entry.clone());
                if hands.bytes > HELD_BYTES {
                    hands.write(output)?;
                }
            }
        }
        if hands.bytes > HELD_BYTES {
            hands.write(output)?;
        }
    }
    hands.write(output)
}

/// Captures that wait to be written, by part, archive and name.
#[derive(Default)]
struct Hands {
    held: BTreeMap<(i32, i64, String), Unpacked>,
    bytes: usize,
}

impl Hands {
    fn write(&mut self, output: &mut Output<'_>) -> Result<()> {
        self.bytes = 0;
        for ((part, number, name), (pages, skipped)) in std::mem::take(&mut self.held) {
            for portion in Captures::pack(pages, skipped, ROW_BYTES)? {
                let (name, count) = (name.clone(), portion.pages.len() as i64);
                let data = Some(coding::of_captures(&portion)?);
                output.put(&EngineRow { part, kind: PAGE.into(), name, number, count, data })?;
            }
        }
        Ok(())
    }
}

/// Page rows of a part of a domain, and the results for its pages → store rows and training rows.
pub fn join(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut filling = Filling::new(job)?;
    let mut found: Vec<EngineRow> = Vec::new();
    while let Some(row) = input.read()? {
        expect(&row, &[PAGE, FOUND])?;
        if row.kind == PAGE { filling.take(row, output)? } else { found.push(row) }
    }
    let part = found.iter().map(|row| row.part).next();
    let Some((of_pages, mut store)) = filling.finish()? else {
        // A part may have nothing but captures that were left out; then there are no results for it either.
        return match part {
            None => Ok(()),
            Some(part) => Err(Error::input("found rows", format!("part {part} has no page rows here"))),
        };
    };
    if let Some(other) = found.iter().map(|row| row.part).find(|&part| part != of_pages) {
        return Err(Error::input("found rows", format!("rows of part {other} among pages of part {of_pages}")));
    }
    found.sort_by(|x, y| (&x.name, x.number).cmp(&(&y.name, y.number)));
    let mut of_sites: BTreeMap<SiteId, Found> = BTreeMap::new();
    for rows in found.chunk_by(|x, y| x.name == y.name) {
        let name = &rows[0].name;
        let id = store.site_of_domain(name)?.ok_or_else(|| missing(name))?;
        let of_site = of_sites.entry(id).or_default();
        for (row, number) in rows.iter().zip(0..) {
            if row.number != number {
                return Err(Error::input("found rows", format!("{name} lacks the row {number}, or has it twice")));
            }
            of_site.take(row.decode()?);
        }
    }
    let mut known: BTreeMap<SiteId, Known> = BTreeMap::new();
    job.for_each_given(KNOWN, |row| {
        if row.part < 0
            && let Some(id) = store.site_of_domain(&row.name)?
        {
            let of_site: Known = row.decode()?;
            if !of_site.keys.iter().all(|(_, key)| key.is_sound() && State::from_code(key.state).is_some()) {
                return Err(row.senseless());
            }
            known.insert(id, of_site);
        }
        Ok(())
    })?;
    let mut results = Vec::new();
    for id in sites(&store, &Scope::all())? {
        let found = of_sites.remove(&id).unwrap_or_default();
        results.push(result(job, &store, id, (known.remove(&id), found))?);
    }
    Keys.import(&mut store, job.config, results)?;
    know_all(job, &mut store)?;
    teach(job, of_pages, &store, output)?;
    snapshot::write(of_pages, store, output)
}

fn missing(what: &str) -> Error {
    Error::input("found rows", format!("{what} is not among the page and known rows"))
}

/// The results for a site, as a store keeps them. A site without pages in this part, of which all captures were left out, has no results.
fn result(job: &StepJob<'_>, store: &Store, id: SiteId, of: (Option<Known>, Found)) -> Result<ResultRecord> {
    let head = store.site(id)?.unwrap_or_default();
    let (known, found) = of;
    let unknown = || Error::input("known rows", format!("{} is not there; give its row by --with", head.domain));
    let known = match known {
        None if head.pages > 0 => return Err(unknown()),
        None => Known { keys: Vec::new(), scopes: Vec::new(), considered: Vec::new(), alone: Vec::new() },
        Some(known) => known,
    };
    let pages = store.site_pages(&head)?;
    let page = |url: &str| pages.find(url).ok_or_else(|| missing(url));
    let hosts: BTreeMap<&str, _> =
        host_ranges(&pages).into_iter().map(|range| (host_of(pages.identity(range.start)), range)).collect();
    // The pages of this part that lie between two URLs.
    let between = |(first, last): &(String, String)| {
        let end = pages.first_from(last);
        pages.first_from(first)..end + u32::from(pages.find(last).is_some())
    };
    let scope = |ranges: &Vec<_>| {
        KeyScope::new(ranges.iter().map(between)).ranges().map(|range| (range.start, range.end)).collect()
    };
    let scopes: Vec<Vec<(u32, u32)>> = known.scopes.iter().map(scope).collect();
    let key = |(at, row): (u32, KeyRow)| KeyRow { scope: scopes.get(at as usize).cloned().unwrap_or_default(), ..row };
    let keys = known.keys.len();
    let pair = |(a, b, key): &(String, String, u32)| {
        let pair = PairRow { a: page(a)?, b: page(b)?, key: *key };
        let is_known = (*key as usize) < keys && pair.a != pair.b;
        is_known.then_some(pair).ok_or_else(|| missing(&format!("the key {key} of {a} and {b}")))
    };
    if let Some(row) = found.hosts.iter().find(|row| !hosts.contains_key(row.host.as_str())) {
        return Err(missing(&row.host));
    }
    Ok(ResultRecord {
        site: id.0,
        generation: head.generation,
        params: fingerprint(&Keys, job.config),
        considered: known.considered,
        alone: known.alone,
        pairs: found.pairs.iter().map(pair).collect::<Result<_>>()?,
        relabelled: found.relabelled.iter().map(|(url, lang)| Ok((page(url)?, *lang))).collect::<Result<_>>()?,
        copies: found.copies.iter().map(|(copy, of)| Ok((page(copy)?, page(of)?))).collect::<Result<_>>()?,
        hosts: found.hosts,
        keys: known.keys.into_iter().map(key).collect(),
        // What the domain shows of languages was written as rows where its keys were found.
        taught: Vec::new(),
    })
}

/// The verification of a key in one part: domain, position, pairs proposed, pairs accepted, share that is right.
pub type Share = (String, u32, u32, u32, f32);

/// Writes what verification says of the keys of a divided domain in one part.
///
/// # Errors
/// When the store cannot be read, or the output does not take it.
pub fn shares(store: &Store, part: i32, output: &mut Output<'_>) -> Result<()> {
    let mut shares: Vec<Share> = Vec::new();
    for id in sites(store, &Scope::all())? {
        let site = Site::open(store, id)?;
        let mut of_site: BTreeMap<u32, Share> = BTreeMap::new();
        for source in site.judged.iter().flat_map(|judged| judged.sources()) {
            if let Some(key) = source.key {
                let domain = || site.head.domain.clone();
                of_site
                    .entry(key)
                    .or_insert_with(|| (domain(), key, source.proposed, source.accepted, source.precision));
            }
        }
        shares.extend(of_site.into_values());
    }
    let (count, data) = (shares.len() as i64, Some(coding::encode(&shares)?));
    output.put(&EngineRow { part, kind: SHARE.into(), name: String::new(), number: 0, count, data })
}

/// Facts about whole domains, and the reports of their parts on the keys → the table of their keys.
pub fn tally(_: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut wholes: Vec<WholeKey> = Vec::new();
    let mut shares: Vec<(i32, Share)> = Vec::new();
    while let Some(row) = input.read()? {
        expect(&row, &[WHOLE, SHARE])?;
        if row.kind == WHOLE {
            wholes.extend(row.decode::<Vec<WholeKey>>()?);
        } else {
            let of_part: Vec<Share> = row.decode()?;
            shares.extend(of_part.into_iter().map(|share| (row.part, share)));
        }
    }
    // The order is fixed, because sums of floats depend on it.
    shares.sort_by_key(|(part, _)| *part);
    let mut sums: BTreeMap<(String, u32), Tally> = BTreeMap::new();
    for (_, (domain, at, proposed, accepted, precision)) in shares {
        let sum = sums.entry((domain, at)).or_default();
        sum.proposed += u64::from(proposed);
        sum.accepted += u64::from(accepted);
        sum.right += f64::from(proposed) * f64::from(precision);
    }
    let (is_judged, nothing) = (!sums.is_empty(), Tally::default());
    let mut by_langs: BTreeMap<String, Vec<KeyValues>> = BTreeMap::new();
    for whole in wholes {
        let senseless = || Error::input("whole rows", "their data make no sense");
        let values: Vec<serde_json::Value> = serde_json::from_str(&whole.values).map_err(|_| senseless())?;
        let mut values: KeyValues = values.try_into().map_err(|_| senseless())?;
        // In a judged site, a key without compared pairs has no pairs.
        if let Some(sum) = sums.get(&(whole.domain, whole.at)).or(is_judged.then_some(&nothing)) {
            let precision = (sum.proposed > 0).then(|| sum.right / sum.proposed as f64);
            let state = State::from_code(whole.state).ok_or_else(senseless)?;
            let known = [
                ("accepted", sum.accepted.into()),
                ("est_precision", precision.map_or(serde_json::Value::Null, |precision| number(precision, 3))),
                ("state", state_name(state, precision).into()),
            ];
            for (name, value) in known {
                if let Some(at) = KeyLine::COLUMNS.iter().position(|column| *column == name) {
                    values[at] = value;
                }
            }
        }
        by_langs.entry(whole.langs).or_default().push(values);
    }
    for (langs, lines) in by_langs {
        output.put(&keys_row(-1, langs, &lines)?)?;
    }
    Ok(())
}

/// The sum over all parts of what verification says of a key.
#[derive(Default)]
struct Tally {
    proposed: u64,
    accepted: u64,
    /// Estimated number of right pairs.
    right: f64,
}
