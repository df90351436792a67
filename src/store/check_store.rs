//! Reads every byte of a store, and reports which records cannot be read and which results depend on them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::catalog::{Catalog, Changes, Keyspace, is_of_view};
pub use super::check_file::{FileReport, Torn};
use super::frames::FRAME_HEADER;
use super::live_records::HEADS;
use super::pages::PagesThere;
use super::record_kinds::{self, KINDS};
use super::records::{RecordRef, START};
use super::{Access, Store, disk, lock, rebuild};
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
    /// Faults of the view; opening the store to write makes the view again.
    pub view: Vec<String>,
    /// What is wrong with the catalog.
    pub catalog: Vec<String>,
}

impl Damage {
    /// True when nothing is damaged.
    pub fn is_none(&self) -> bool {
        self.torn.is_empty() && self.archives.is_empty() && self.view.is_empty() && self.catalog.is_empty()
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
            let (is_missing, range) = (!is_there && !torn.has(kind, at), RecordRef(at)..RecordRef(at + FRAME_HEADER));
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

/// True of an error that does not come from the files themselves: sled writes when it opens, and the disk may be full.
fn is_of_surroundings(error: &Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let Error::Io { source, .. } = error else { return false };
    is_shortage(error) || matches!(source.kind(), PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull)
}

/// True of an error that says that file handles or memory have run out.
fn is_shortage(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if disk::is_shortage(source))
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
    /// Entries of the view.
    pub entries: u64,
    /// Number of entries of the catalog, or the reason why it was not checked.
    pub catalog_entries: Result<u64, String>,
    /// What is damaged.
    pub damage: Damage,
}

impl Store {
    /// Reads every byte of the store, and reports its progress to `watch`. Another process may write meanwhile; the catalog is then not
    /// checked.
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
        if let Err(error) = read {
            damage.view.push(error.to_string());
        } else {
            let has_holes = files.iter().any(|(name, found)| *name == "pages" && found.holes > 0);
            self.name_what_hangs(&mut damage, has_holes)?;
        }
        let catalog_entries = self.check_catalog(&mut damage)?;
        Ok(Report { files, entries, catalog_entries, damage })
    }

    /// Compares the catalog with the view, if nobody writes. Returns how many entries the catalog has, or the reason why it was not
    /// checked.
    ///
    /// # Errors
    /// When file handles or memory run out.
    fn check_catalog(&self, damage: &mut Damage) -> Result<Result<u64, String>> {
        let not_looked_at = |error: Error| if is_shortage(&error) { Err(error) } else { Ok(Err(with_cause(&error))) };
        // Without permission to write into the folder, the lock cannot be taken, so another process may be writing the catalog.
        let _lock = match lock(&self.folder) {
            Err(error) if is_shortage(&error) => return Err(error),
            Err(error) => return Ok(Err(error.reason())),
            Ok(lock) => lock,
        };
        let manifest = match super::Manifest::read(&self.folder) {
            Err(error) => return not_looked_at(error),
            Ok(manifest) => manifest,
        };
        if manifest.sentinel != self.sentinel {
            return Ok(Err("the store got another commit meanwhile; check again".into()));
        }
        let name = manifest.catalog.clone();
        // sled would make a new database here.
        if !self.folder.join(&name).join("db").exists() {
            damage.catalog.push(format!("{name}: is missing"));
            return Ok(Ok(0));
        }
        let opened = Store::open_catalog(&self.folder, &name, Some(&manifest.sentinel));
        let (catalog, sentinel) = match opened {
            Ok(Some(opened)) => opened,
            Err(error) if is_of_surroundings(&error) => return not_looked_at(error),
            failed => {
                let why = failed
                    .err()
                    .map_or_else(|| "is of another commit, or damaged".to_owned(), |error| with_cause(&error));
                damage.catalog.push(format!("{name}: cannot be opened: {why}"));
                return Ok(Ok(0));
            }
        };
        if sentinel != self.sentinel {
            return Ok(if record_kinds::hold(&self.folder, &sentinel)? {
                Err("the program was stopped within a commit, which the next command that writes ends".into())
            } else {
                damage.catalog.push(format!("{name}: is of another state of the store"));
                Ok(0)
            });
        }
        match self.differences(&catalog) {
            Ok((entries, 0)) => Ok(Ok(entries)),
            Ok((entries, differing)) => {
                damage.catalog.push(format!("{name}: {differing} of {entries} entries are not those of the view"));
                Ok(Ok(entries))
            }
            Err(error) if is_of_surroundings(&error) => not_looked_at(error),
            Err(error) => {
                damage.catalog.push(format!("{name}: {}", with_cause(&error)));
                Ok(Ok(0))
            }
        }
    }

    /// How many entries a catalog has, and how many differ from those of the view.
    fn differences(&self, catalog: &Catalog) -> Result<(u64, u64)> {
        let (mut entries, mut same) = (0, 0);
        catalog.scan(&[], |key, value| {
            entries += 1;
            let is_same = !is_of_view(key) || self.catalog.has(key, value)?;
            same += u64::from(is_same);
            Ok(())
        })?;
        let mut of_view = 0;
        self.catalog.scan(&[], |_, _| {
            of_view += 1;
            Ok(())
        })?;
        let tokens = catalog.keys(Keyspace::Token)?.len() as u64;
        Ok((entries, (entries - same).max(of_view + tokens - same.min(of_view + tokens))))
    }

    /// Names the sites and archives that depend on damaged records. A record that is referred to but was removed is damage too: its file is
    /// of a later state of the store, which a seal does not show. `has_holes`: the file of pages has holes.
    fn name_what_hangs(&self, damage: &mut Damage, has_holes: bool) -> Result<()> {
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
        let is_known = damage.catalog.is_empty() || damage.view.is_empty();
        if damage.is_of_sources() || is_numbered || !is_known {
            return self.rebuild_whole();
        }
        if !damage.catalog.is_empty() {
            self = self.without_catalog()?;
            if self.was_rebuilt {
                return Ok(self);
            }
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

    /// The store, with its catalog made again.
    fn without_catalog(self) -> Result<Store> {
        let (folder, catalog) = (self.folder.clone(), self.folder.join(&self.catalog_name));
        let lock = self.into_lock();
        std::fs::remove_dir_all(&catalog).map_err(Error::io(&catalog, "removing the damaged catalog"))?;
        match lock {
            Some(lock) => Store::open_locked(&folder, lock, false),
            None => Store::open(&folder, Access::Write),
        }
    }

    fn rebuild_whole(self) -> Result<Store> {
        let folder = self.folder.clone();
        let manifest = super::Manifest::read(&folder)?;
        let known = rebuild::known_of(&self.catalog);
        let lock = self.into_lock();
        let Some(lock) = lock else { return Store::open(&folder, Access::Write) };
        rebuild::rebuild(&folder, lock, Some(manifest), known)
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
            [(at(0, 96), at(0, 176)), (at(0, 256), at(0, 272)), (at(0, 480), at(0, 496)), (at(1, 64), at(1, 80))];
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
