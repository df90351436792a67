//! The records of pages, copied out of their archives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::archive::{self, Copier, STREAM};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::index::site::Urls;
use crate::site::bitext::{accepted_pairs, page_record};
use crate::site::results::Site;
use crate::site::scope::{Scope, sites};
use crate::store::Store;
use crate::store::layout::ArchiveRecord;
use crate::types::{ArchiveId, CopiedRecord, Lang};

/// Calls `each` with the records of the pages of a scope, by archive, then by offset. If the scope is a host or a domain, these are all its
/// pages in wanted languages, and their partners; else the pages of pairs. Returns how many records could not be copied, by reason.
///
/// # Errors
/// When the store cannot be read, an archive is missing or has changed, or what `each` returns.
pub fn for_each_record(
    store: &Store,
    config: &Config,
    scope: &Scope,
    is_wanted: &dyn Fn([Lang; 2]) -> bool,
    mut each: impl FnMut(CopiedRecord) -> Result<()>,
) -> Result<Vec<(&'static str, u64)>> {
    let places = places(store, config, scope, is_wanted)?;
    let archives = places.keys().map(|&number| Ok((number, store.archive(ArchiveId(number))?.unwrap_or_default())));
    let mut archives: Vec<(u32, ArchiveRecord)> = archives.collect::<Result<_>>()?;
    archives.sort_by(|(_, a), (_, b)| a.identity.path.cmp(&b.identity.path));
    // An archive that cannot be read is reported before anything is written.
    for (_, archive) in archives.iter().filter(|(_, archive)| refusal(archive).is_none()) {
        check(store, archive)?;
    }
    let mut left_out: BTreeMap<&'static str, u64> = BTreeMap::new();
    for (number, archive) in archives {
        let places = &places[&number];
        if let Some(reason) = refusal(&archive) {
            *left_out.entry(reason).or_default() += places.len() as u64;
            continue;
        }
        let path = Path::new(&archive.identity.path);
        let mut copier = Copier::open(path, &config.archive).map_err(Error::io(path, "opening"))?;
        for place in places {
            let reason = match place {
                Place { is_elsewhere: true, .. } => ELSEWHERE,
                Place { length: 0, .. } => "in one compressed stream with other records",
                Place { offset, length, date_ms, .. } => {
                    match copier.copy(*offset, *length, *date_ms).map_err(Error::io(path, "reading"))? {
                        Some(record) => {
                            each(record)?;
                            continue;
                        }
                        None => "not found at its place",
                    }
                }
            };
            *left_out.entry(reason).or_default() += 1;
        }
    }
    Ok(left_out.into_iter().collect())
}

/// Why a record cannot be copied: it lies in another file than the one that was read.
const ELSEWHERE: &str = "in a file that an index, a WAT or a list of ranges names";

/// The place of a record.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    offset: u64,
    length: u64,
    date_ms: i64,
    /// True when the archive that was read only says where the record is.
    is_elsewhere: bool,
}

/// The places of all requested records, by the number of their archive.
fn places(
    store: &Store,
    config: &Config,
    scope: &Scope,
    is_wanted: &dyn Fn([Lang; 2]) -> bool,
) -> Result<BTreeMap<u32, BTreeSet<Place>>> {
    let mut places: BTreeMap<u32, BTreeSet<Place>> = BTreeMap::new();
    for id in sites(store, scope)? {
        let site = Site::open(store, id)?;
        let is_here = |page: u32| scope.has_host(site.pages.identity(page));
        let mut pages: BTreeSet<u32> = BTreeSet::new();
        for pair in accepted_pairs(&site) {
            if (is_here(pair.a) || is_here(pair.b)) && is_wanted([pair.langs.a, pair.langs.b]) {
                pages.extend([pair.a, pair.b]);
            }
        }
        if !scope.is_all() {
            let is_asked = |page: u32| is_wanted([site.lang_of_text(page, &config.keys); 2]);
            pages.extend((0..site.pages.count()).filter(|page| is_here(*page) && is_asked(*page)));
        }
        for page in pages {
            let record = page_record(store, &site, page)?;
            let is_elsewhere = !record.file().is_empty();
            let (offset, length, date_ms) = (record.offset, record.length, record.date_ms);
            let place = Place { offset, length, date_ms, is_elsewhere };
            places.entry(record.archive).or_default().insert(place);
        }
    }
    Ok(places)
}

/// Why no record of an archive can be copied; `None` where its records can.
fn refusal(archive: &ArchiveRecord) -> Option<&'static str> {
    match archive.identity.format.as_str() {
        _ if archive.identity.path == STREAM => Some("read from standard input"),
        "WARC" | "WACZ" | "ZIP" | "tar" => None,
        "ARC" => Some("in an ARC file"),
        "HTTrack mirror" => Some("in a mirror of HTTrack"),
        "ZIM" => Some("in a ZIM"),
        archive::PAGES => Some("in a folder of pages"),
        _ => Some(ELSEWHERE),
    }
}

/// Checks that an archive is still in its place and has the same bytes.
fn check(store: &Store, archive: &ArchiveRecord) -> Result<()> {
    let path = Path::new(&archive.identity.path);
    let refused = |problem: &str| {
        Error::input(
            archive.identity.path.clone(),
            format!("{problem}; --what warc copies records out of the archives themselves"),
        )
    };
    if !path.try_exists().map_err(Error::io(path, "looking for"))? {
        return Err(refused("is not there any more: give it back its place, or `diglot run` with its new one"));
    }
    let stat = archive::stat(path)?;
    let known = archive.identity.fingerprint;
    let hint = store.hint(&stat.path)?;
    if hint.is_some_and(|hint| hint.stamp == stat.stamp && hint.fingerprint == known) {
        return Ok(());
    }
    if archive::fingerprint(path, &|_| Ok(()))? == known {
        return Ok(());
    }
    Err(refused("has other bytes than when it was read"))
}
