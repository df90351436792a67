//! Removes archives, hosts and URLs. Once the next run has made the results of their sites again, the store is as if they had never been
//! read. Their bytes stay on disk until the store is compacted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rustc_hash::FxHashSet;

use crate::corrections::Correction;
use crate::error::{Error, Result};
use crate::keys::sides::Sides;
use crate::store::catalog::Changes;
use crate::store::layout::{ArchiveRecord, RemovalRecord, SiteHead, StageRecord};
use crate::store::records::START;
use crate::store::{Reviews, Store, add_batch, archive_hash, name_hash, tokens};
use crate::types::{ArchiveId, CanonicalUrl, SiteId, family, host_of, registrable_domain};

/// Names of what is to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Paths of archives, or their last parts.
    pub archives: Vec<String>,
    /// Hosts, and registrable domains, which stand for all their hosts.
    pub hosts: Vec<String>,
    /// URLs, with or without scheme.
    pub urls: Vec<String>,
}

/// What was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Names that were removed before: a removal may be repeated.
    pub already: Vec<String>,
    /// How many archives.
    pub archives: u64,
    /// How many captures that had become pages.
    pub captures: u64,
    /// How many captures that had been left out.
    pub left_out: u64,
    /// How many sites whose results the next run makes again.
    pub sites: u64,
    /// How many marks of reviewers, on pages that no archive has any more.
    pub marks: u64,
    /// How many samples that contained such pages.
    pub samples: u64,
    /// Numbers of the corrections that name pages which no archive has any more, or a domain that was to be removed. They stay.
    pub corrections: Vec<usize>,
    /// A message about unreadable lines of marks that were kept, though they may name what was removed.
    pub left: Option<String>,
}

/// Removes archives, hosts and URLs from a store, at once and as a whole.
///
/// The next run indexes again what other archives have of the same sites. Marks and samples of pages that no archive has any more are
/// deleted at once.
///
/// # Errors
/// [`Error::Config`] for a name that the store does not have and never had; when the disk does not take it.
pub fn remove(store: &mut Store, removal: &Removal) -> Result<Taken> {
    let (numbers, mut already) = numbers_of(store, &removal.archives)?;
    let wanted = Names::of(removal)?;
    let archives = store.archive_count()?;
    let names = wanted.hosts.iter().chain(&wanted.urls).map(|name| (name_hash(name), 0, archives)).collect();
    let mut record = RemovalRecord { names, ..RemovalRecord::default() };
    for number in &numbers {
        let path = store.archive(ArchiveId(*number))?.map(|archive| archive.identity.path).unwrap_or_default();
        let last = Path::new(&path).file_name().and_then(|last| last.to_str());
        record.names.extend(last.into_iter().chain([path.as_str()]).map(|name| (archive_hash(name), 0, archives)));
    }
    let reviewed = Reviews::of(store.folder()).urls()?.into_iter();
    let reviewed = reviewed.filter_map(|url| CanonicalUrl::parse(&url).ok()).map(|url| name_hash(url.identity()));
    let corrections = store.corrections().lines().iter();
    let corrected = corrections.clone().flat_map(|line| line.correction.pages()).map(|page| name_hash(page));
    let mut found = Found { reviewed: reviewed.chain(corrected).collect(), ..Found::default() };
    found.gather(store, &numbers, &wanted, &mut record)?;
    already.extend(found.removed_before(store, &wanted)?);
    if numbers.is_empty() && found.hosts.is_empty() {
        return Ok(Taken { already, ..Taken::default() });
    }
    let mut changes = Changes::default();
    let sites = found.sites(store)?;
    reset(store, &sites, &mut changes)?;
    for (number, archive) in &found.archives {
        changes.put_archive(*number, archive);
    }
    for number in &numbers {
        if let Some(archive) = store.archive(ArchiveId(*number))? {
            changes.remove_fingerprint(archive.identity.fingerprint);
        }
        // The empty record keeps the archive's number from being given to another.
        changes.put_archive(*number, &ArchiveRecord::default());
        changes.remove_loss(*number);
    }
    // This comes before the commit, so that a removal which stops here can be repeated: its names are then still found.
    let forgotten = Reviews::of(store.folder()).forget(|url| found.is_gone(url))?;
    let (archives, sites) = (numbers.len() as u64, sites.len() as u64);
    let (marks, samples) = (forgotten.marks as u64, forgotten.samples as u64);
    let is_about = |correction: &Correction| {
        let is_gone = |page: &String| found.lacks(name_hash(page));
        correction.pages().iter().any(is_gone) || correction.domains().iter().any(|of| wanted.hosts.contains(of))
    };
    let corrections = store.corrections().lines().iter().zip(1..).filter(|(line, _)| is_about(&line.correction));
    let corrections = corrections.map(|(_, number)| number).collect();
    let left = forgotten.left;
    let taken = Taken { already, archives, sites, marks, samples, corrections, left, ..found.taken };
    store.commit_removal(&record, changes)?;
    Ok(taken)
}

/// Drops the store's list of losses, so that answers no longer warn of them. An archive that was lost in part stays one that is read in
/// part. Returns how many losses there were.
///
/// # Errors
/// When the disk does not take it.
pub fn accept_losses(store: &mut Store) -> Result<usize> {
    store.forget_losses()
}

/// The numbers of the archives of these names (paths, or the last parts of paths), and the names of those that were removed before.
fn numbers_of(store: &Store, names: &[String]) -> Result<(BTreeSet<u32>, Vec<String>)> {
    let archives = store.archives()?;
    let (mut numbers, mut already) = (BTreeSet::new(), Vec::new());
    for name in names {
        let full = std::fs::canonicalize(name).map(|path| path.display().to_string()).unwrap_or_default();
        let is_last_part = |path: &str| Path::new(path).file_name().is_some_and(|last| last == name.as_str());
        let those = |is_named: &dyn Fn(&str) -> bool| -> Vec<(&ArchiveRecord, u32)> {
            let there = archives.iter().zip(0u32..).filter(|(archive, _)| !archive.is_removed());
            there.filter(|(archive, _)| is_named(&archive.identity.path)).collect()
        };
        let mut matching = those(&|path| path == name || path == full);
        if matching.is_empty() {
            matching = those(&is_last_part);
        }
        let paths: BTreeSet<&str> = matching.iter().map(|(archive, _)| archive.identity.path.as_str()).collect();
        let mut paths = paths.into_iter();
        match (paths.next(), paths.next()) {
            (None, _) if [name, &full].into_iter().any(|name| store.removed().names(archive_hash(name))) => {
                already.push(name.clone());
            }
            (None, _) => {
                return Err(Error::Config(format!(
                    "the store has no archive {name}; `diglot status --archives` lists them"
                )));
            }
            (Some(one), Some(other)) => {
                return Err(Error::Config(format!("{name} is the name of {one} and of {other}; give the full path")));
            }
            _ => {}
        }
        numbers.extend(matching.into_iter().map(|(_, number)| number));
    }
    Ok((numbers, already))
}

/// The names to be removed, in the form that batches have them.
#[derive(Default)]
struct Names {
    hosts: BTreeSet<String>,
    urls: BTreeSet<String>,
}

impl Names {
    fn of(removal: &Removal) -> Result<Names> {
        let mut names = Names::default();
        for url in &removal.urls {
            let parsed =
                CanonicalUrl::parse_typed(url).map_err(|_| Error::Config(format!("{url} is no URL of the web")))?;
            names.urls.insert(parsed.identity().to_owned());
        }
        for host in &removal.hosts {
            let parsed = CanonicalUrl::parse(&format!("http://{}/", host.trim_end_matches('/')));
            let parsed = parsed.map_err(|_| Error::Config(format!("{host} is no name of a host")))?;
            names.hosts.insert(parsed.host().to_owned());
        }
        Ok(names)
    }
}

/// What a removal concerns.
#[derive(Default)]
struct Found {
    /// Hosts of the captures to be removed.
    hosts: BTreeSet<String>,
    urls: BTreeSet<String>,
    /// Hashes of the URLs in marks, samples and corrections.
    reviewed: FxHashSet<u64>,
    /// Hashes of those URLs among them that are to be removed.
    gone: FxHashSet<u64>,
    /// Hashes of those URLs among them that another archive still has.
    kept: FxHashSet<u64>,
    /// The records of the archives after the removal, by number.
    archives: BTreeMap<u32, ArchiveRecord>,
    taken: Taken,
}

impl Found {
    fn gather(
        &mut self,
        store: &Store,
        numbers: &BTreeSet<u32>,
        wanted: &Names,
        record: &mut RemovalRecord,
    ) -> Result<()> {
        let mut after = store.removed().clone();
        after.add(record);
        for found in store.batches_from(START) {
            let (at, batch) = found?;
            let number = batch.archive.to_native();
            let is_whole = numbers.contains(&number);
            if is_whole {
                record.batches.push(at.0);
            }
            let is_new = |identity: &str| {
                (is_whole || after.takes(number, identity)) && !store.removed().takes(number, identity)
            };
            for page in batch.pages.iter() {
                if is_new(&page.identity) {
                    self.hit(&page.identity, wanted);
                    self.taken.captures += 1;
                } else if !is_whole && !self.reviewed.is_empty() && !after.takes(number, &page.identity) {
                    self.keep(&page.identity);
                }
            }
            for skip in batch.skipped.iter().filter(|skip| is_new(&skip.identity)) {
                self.hit(&skip.identity, wanted);
                self.taken.left_out += 1;
            }
            if !is_whole {
                add_batch(self.archives.entry(number).or_default(), &batch, &after);
            }
        }
        Ok(())
    }

    fn hit(&mut self, identity: &str, wanted: &Names) {
        let name = name_hash(identity);
        if self.reviewed.contains(&name) {
            self.gone.insert(name);
        }
        if wanted.urls.contains(identity) {
            self.urls.insert(identity.to_owned());
        }
        let host = host_of(identity);
        if !self.hosts.contains(host) {
            self.hosts.insert(host.to_owned());
        }
    }

    fn keep(&mut self, identity: &str) {
        let name = name_hash(identity);
        if self.reviewed.contains(&name) {
            self.kept.insert(name);
        }
    }

    /// True for a URL in marks or samples that no archive has any more.
    fn is_gone(&self, url: &str) -> bool {
        let name = CanonicalUrl::parse(url).map(|url| name_hash(url.identity()));
        name.is_ok_and(|name| self.lacks(name))
    }

    /// The same by the hash of the URL.
    fn lacks(&self, name: u64) -> bool {
        self.gone.contains(&name) && !self.kept.contains(&name)
    }

    /// The names that match nothing now because they were removed before. A mistyped name is not among them.
    fn removed_before(&self, store: &Store, wanted: &Names) -> Result<Vec<String>> {
        let has_host =
            |wanted: &str| self.hosts.iter().any(|host| host == wanted || registrable_domain(host).as_ref() == wanted);
        let hosts = wanted.hosts.iter().filter(|host| !has_host(host));
        let missing: Vec<&String> = hosts.chain(wanted.urls.difference(&self.urls)).collect();
        match missing.iter().find(|name| !store.removed().names(name_hash(name))) {
            Some(name) => {
                let meant = store.meant_host(name)?;
                Err(Error::Config(format!("the store has nothing of {name}{meant}; `diglot hosts` lists what it has")))
            }
            None => Ok(missing.into_iter().cloned().collect()),
        }
    }

    /// The sites concerned, and those that may be one site with them.
    fn sites(&self, store: &Store) -> Result<BTreeSet<SiteId>> {
        let mut sites = BTreeSet::new();
        let domains: BTreeSet<_> = self.hosts.iter().map(|host| registrable_domain(host)).collect();
        for domain in domains {
            let Some(site) = store.site_of_domain(&domain)? else { continue };
            // The domains of a family may be one site, so all of them are indexed again.
            sites.insert(site);
            sites.extend(store.sites_of_family(&family(&domain))?.into_iter().map(|(_, site)| site));
        }
        Ok(sites)
    }
}

/// Empties sites until the next run indexes their pages again, because they are to be joined or separated.
///
/// # Errors
/// When the disk does not take it.
pub fn empty_sites(store: &mut Store, sites: &BTreeSet<SiteId>) -> Result<()> {
    let mut changes = Changes::default();
    reset(store, sites, &mut changes)?;
    store.commit(changes)
}

/// Empties the page tables of sites until the next run indexes what is left of them. Until then, their domains have no site.
fn reset(store: &Store, sites: &BTreeSet<SiteId>, changes: &mut Changes) -> Result<()> {
    let mut domains: Vec<String> = Vec::new();
    store.for_each_domain(|domain, site| {
        if sites.contains(&site) {
            domains.push(domain.to_owned());
        }
    })?;
    for domain in &domains {
        changes.remove_domain(domain);
        store.forget_requests(domain, changes)?;
    }
    let mut postings: Vec<tokens::Posting> = Vec::new();
    for &id in sites {
        let Some(head) = store.site(id)? else { continue };
        let texts = Sides::of(&store.site_pages(&head)?, tokens::token_hash);
        postings.extend(texts.hashes.into_iter().map(|hash| (hash, id, false)));
        let empty = SiteHead { generation: head.generation + 1, indexed: store.batches.end().0, ..SiteHead::default() };
        changes.empty_site(id, &empty);
    }
    store.change_tokens(&mut postings, changes)?;
    changes.remove_webs();
    let index = store.stage("index")?;
    if index.fingerprint != 0 {
        let from_the_start = StageRecord { cursor: START.0, finished: false, ..index };
        changes.put_stage("index", &from_the_start);
    }
    // Other sites may have left out sentence pairs that the emptied ones had too.
    let align = store.stage("align")?;
    if align.fingerprint != 0 {
        changes.put_stage("align", &StageRecord { finished: false, ..align });
    }
    Ok(())
}
