//! Reads every byte of a store, and reports which records cannot be read and which results depend on them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::catalog::Changes;
pub use super::check_file::{FileReport, Torn};
use super::live_records::HEADS;
use super::pages::PagesThere;
use super::record_kinds::KINDS;
use super::records::{RecordRef, START};
use super::token_index::TokenIndex;
use super::{Access, Store, access, rebuild, tokens};
use crate::error::{Error, Result};
use crate::types::{SiteId, Watch};

/// All damage that was found in a store, and what depends on the damaged records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Parts of record files that cannot be read, by kind.
    pub torn: Vec<Torn>,
    /// Sites whose results must be made again, by domain, with the kinds of records concerned.
    pub sites: BTreeMap<String, Vec<&'static str>>,
    /// How many language pairs and graphs have results that must be made again.
    pub others: u64,
    /// Archives that have lost pages, with the number of pages lost.
    pub archives: BTreeMap<String, u64>,
    /// Faults of the catalog, which lies in the view. Opening the store to write makes a catalog again from the record files.
    pub view: Vec<String>,
    /// What is wrong with the token index.
    pub tokens: Vec<String>,
}

impl Damage {
    /// True when nothing is damaged.
    pub fn is_none(&self) -> bool {
        self.torn.is_empty() && self.archives.is_empty() && self.view.is_empty() && self.tokens.is_empty()
    }

    /// True when data is damaged that cannot be made again from other data.
    fn is_of_sources(&self) -> bool {
        !self.archives.is_empty() || KINDS.iter().any(|kind| kind.is_source && self.is_of(kind.name))
    }

    /// True when a record of a kind cannot be read.
    fn is_of(&self, kind: &str) -> bool {
        self.torn.iter().any(|torn| torn.kind == kind)
    }

    /// The ranges that cannot be read, merged, by kind.
    fn stretches(&self) -> Stretches {
        let mut by_kind: BTreeMap<&'static str, Vec<Range<RecordRef>>> = BTreeMap::new();
        for torn in &self.torn {
            by_kind.entry(torn.kind).or_default().push(torn.range.clone());
        }
        for ranges in by_kind.values_mut() {
            ranges.sort_unstable_by_key(|range| range.start);
            ranges.dedup_by(|next, range| {
                let is_one = next.start <= range.end;
                range.end = range.end.max(if is_one { next.end } else { range.end });
                is_one
            });
        }
        Stretches(by_kind)
    }

    /// Adds the missing records of a kind. `named` gives the place of each record that something refers to, ascending, and whether a record
    /// stands there. Missing records with no sound one between them form one stretch, within a segment.
    fn lack(&mut self, kind: &'static str, named: impl Iterator<Item = (u64, bool)>) {
        let torn = self.stretches();
        let mut open: Option<Range<RecordRef>> = None;
        for (at, is_there) in named {
            let (is_missing, range) = (!is_there && !torn.has(kind, at), RecordRef(at)..RecordRef(at + 1));
            match open.as_mut().filter(|open| is_missing && open.start.segment() == range.start.segment()) {
                Some(open) => open.end = range.end,
                None => {
                    self.torn.extend(open.take().map(|range| lacking(kind, range)));
                    open = is_missing.then_some(range);
                }
            }
        }
        self.torn.extend(open.map(|range| lacking(kind, range)));
    }
}

fn lacking(kind: &'static str, range: Range<RecordRef>) -> Torn {
    Torn { kind, range, why: "what is named there was removed, or never stood there" }
}

/// Ranges of record files by kind, ascending and apart.
struct Stretches(BTreeMap<&'static str, Vec<Range<RecordRef>>>);

impl Stretches {
    /// True when the record of a kind that stands at a place cannot be read.
    fn has(&self, kind: &str, at: u64) -> bool {
        let Some(ranges) = self.0.get(kind) else { return false };
        let behind = ranges.partition_point(|range| range.start <= RecordRef(at));
        behind.checked_sub(1).is_some_and(|last| ranges[last].contains(&RecordRef(at)))
    }
}

fn with_cause(error: &Error) -> String {
    match error {
        Error::Io { source, .. } => format!("{error}: {source}"),
        _ => error.to_string(),
    }
}

/// What a check has read, and the damage it has found.
pub struct Report {
    /// Each record file.
    pub files: Vec<(&'static str, FileReport)>,
    /// Entries of the catalog.
    pub entries: u64,
    /// Number of blocks of the token index, or the reason why it was not read.
    pub token_blocks: Result<u64, String>,
    /// What is damaged.
    pub damage: Damage,
}

impl Store {
    /// Reads every byte of the store, and reports its progress to `watch`. Another process may write meanwhile; the token
    /// index is then not read.
    ///
    /// # Errors
    /// When it cannot be read at all.
    pub fn check(&self, watch: &dyn Watch) -> Result<Report> {
        let mut damage = Damage::default();
        let mut files = Vec::new();
        for (kind, done) in KINDS.iter().zip(0..) {
            watch.step(kind.name, done, KINDS.len() as u64);
            let found = self.check_kind(kind)?;
            damage.torn.extend_from_slice(&found.torn);
            files.push((kind.name, found));
        }
        let mut entries = 0;
        let read = self.catalog.scan(&[], |_, _| {
            entries += 1;
            Ok(())
        });
        let has_holes = files.iter().any(|(name, found)| *name == "pages" && found.holes > 0);
        if let Err(error) = read {
            damage.view.push(error.to_string());
        } else if let Err(error) = self.name_dependents(&mut damage, has_holes) {
            // A value may make no sense, though its checksum fits.
            let Error::Store { .. } = error else { return Err(error) };
            damage.view.push(error.to_string());
        }
        let token_blocks = self.check_tokens(&mut damage)?;
        Ok(Report { files, entries, token_blocks, damage })
    }

    /// Reads the token index, if nobody writes. Returns how many blocks it has, or the reason why it was not read.
    ///
    /// # Errors
    /// When file handles or memory run out.
    fn check_tokens(&self, damage: &mut Damage) -> Result<Result<u64, String>> {
        let Some(_lock) = access::lock_to_ask(&self.folder) else {
            let is_written = Store::is_worked_on(&self.folder);
            let unknown = || "the file `lock` cannot be locked, so another process may be writing it".into();
            return Ok(Err(if is_written { access::in_use(&self.folder).reason() } else { unknown() }));
        };
        if super::Manifest::read(&self.folder).ok().is_none_or(|manifest| manifest.sentinel != self.sentinel) {
            return Ok(Err("the store got another commit meanwhile; check again".into()));
        }
        let index = match TokenIndex::there(&self.folder, self.token_mark()?)? {
            Ok(index) => index,
            Err(why) => return Ok(Err(why)),
        };
        let blocks = index.ask(|| tokens::check(&index))?;
        Ok(Ok(blocks.unwrap_or_else(|error| {
            damage.tokens.push(with_cause(&error));
            0
        })))
    }

    /// Finds the sites and archives that depend on damaged records, and adds them to `damage`. A record that is referred to but was removed
    /// is damage too: its file is then of a later state of the store, which a seal does not show. `has_holes`: the file of pages has holes.
    fn name_dependents(&self, damage: &mut Damage, has_holes: bool) -> Result<()> {
        let live = self.live()?;
        for kind in KINDS.iter().filter(|kind| !kind.is_source) {
            let named = live.of(kind.number).iter().map(|&at| (at, self.kind_has(kind.number, RecordRef(at))));
            damage.lack(kind.name, named);
        }
        let torn = damage.stretches();
        for keyspace in HEADS {
            self.for_each_head(keyspace, |key, named| {
                for (kind, records) in named {
                    if !records.iter().any(|&at| torn.has(kind, at)) {
                        continue;
                    }
                    let number: Option<[u8; 4]> = key.try_into().ok();
                    let site = number.and_then(|number| self.site(SiteId(u32::from_be_bytes(number))).ok().flatten());
                    match site {
                        Some(site) => damage.sites.entry(site.domain).or_default().push(kind),
                        None => damage.others += 1,
                    }
                }
                Ok(())
            })?;
        }
        self.name_archives(damage, has_holes)
    }

    fn name_archives(&self, damage: &mut Damage, has_holes: bool) -> Result<()> {
        // Reads batches from the beginning, and again from behind each part that cannot be read. Each pass ends at the next unreadable
        // part; batches that an earlier pass has met are left out.
        let behind = damage.torn.iter().filter(|torn| torn.kind == "batches").map(|torn| torn.range.end);
        let mut met = BTreeSet::new();
        let batches = [START].into_iter().chain(behind).flat_map(|at| self.batches_from(at).map_while(Result::ok));
        let batches = batches.filter(|(at, _)| met.insert(*at)).map(Ok);
        let torn = damage.stretches();
        let mut named: BTreeMap<u64, bool> = BTreeMap::new();
        let mut there = PagesThere::new(has_holes);
        let has = |page: RecordRef| {
            let block = page.frame().0;
            let is_there = !torn.has("pages", block) && there.has(self, page);
            *named.entry(block).or_insert(true) &= is_there;
            is_there
        };
        let (left, _) = rebuild::whole_archives(batches, self.removed(), has)?;
        damage.lack("pages", named.into_iter());
        for (number, archive) in (0..).zip(self.archives()?) {
            let pages = left.get(&number).map_or(0, |left| left.pages);
            if archive.pages > pages && !archive.is_removed() {
                damage.archives.insert(archive.identity.path, archive.pages - pages);
            }
        }
        Ok(())
    }

    /// Drops what is damaged, so that the next run makes it again. Where source records are damaged, everything that was made of them is
    /// dropped.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn repair(mut self, damage: &Damage) -> Result<Store> {
        // In these cases everything is made again: the numbers of pages come from the tables of sites, and only a result knows what it has
        // added to global credibility.
        let is_numbered = ["sites", "skips", "results"].into_iter().any(|kind| damage.is_of(kind));
        if damage.is_of_sources() || is_numbered || !damage.view.is_empty() {
            return self.rebuild_whole();
        }
        if !damage.tokens.is_empty() {
            self.forget_tokens()?;
        }
        let (mut changes, torn) = (Changes::default(), damage.stretches());
        for keyspace in HEADS {
            self.for_each_head(keyspace, |key, named| {
                if named.iter().any(|(kind, records)| records.iter().any(|&at| torn.has(kind, at))) {
                    changes.remove(keyspace, key);
                }
                Ok(())
            })?;
        }
        self.commit(changes)?;
        for kind in KINDS.iter().filter(|kind| damage.is_of(kind.name)) {
            self.close_gaps_of(kind)?;
        }
        Ok(self)
    }

    fn rebuild_whole(self) -> Result<Store> {
        let folder = self.folder.clone();
        let manifest = super::Manifest::read(&folder)?;
        let Some(lock) = self.into_lock() else { return Store::open(&folder, Access::Write) };
        rebuild::rebuild(&folder, lock, Some(manifest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_two_that_are_there_is_one_stretch_of_a_segment() {
        let at = |segment: u32, offset: u64| RecordRef::new(segment, offset).0;
        let mut damage = Damage::default();
        damage.torn.push(Torn { kind: "sites", range: RecordRef(at(0, 320))..RecordRef(at(0, 400)), why: "damaged" });
        let named = [(64, true), (96, false), (160, false), (208, true), (256, false), (336, false), (480, false)];
        let named = named.map(|(offset, is_there)| (at(0, offset), is_there));
        damage.lack("sites", named.into_iter().chain([(at(1, 64), false), (at(1, 96), true)]));
        let found: Vec<_> = damage.torn[1..].iter().map(|torn| (torn.range.start.0, torn.range.end.0)).collect();
        let expected =
            [(at(0, 96), at(0, 161)), (at(0, 256), at(0, 257)), (at(0, 480), at(0, 481)), (at(1, 64), at(1, 65))];
        assert_eq!(found, expected);
        let torn = damage.stretches();
        for (place, is_torn) in
            [(at(0, 64), false), (at(0, 160), true), (at(0, 208), false), (at(0, 399), true), (at(1, 64), true)]
        {
            assert_eq!(torn.has("sites", place), is_torn, "{place}");
            assert!(!torn.has("pages", place));
        }
    }
}
