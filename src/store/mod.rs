//! Everything on disk; the only user of sled and of memory maps.
//!
//! A store is a folder:
//! ```text
//! lock            one writer, or readers
//! manifest.json   number of the last commit, ends of the record files, checksum
//! catalog/        sled: archives, sites, results, credibility, stages, token → sites
//! pages/          record files: what extraction took out of each capture
//! batches/        what each commit of ingestion read
//! sites/          page tables of registrable domains
//! results/        keys and pairs of registrable domains
//! skips/          captures left out, by site
//! graphs/         links of the pages of registrable domains
//! verified/       pairs of registrable domains, verified
//! resolved/       … and resolved by iteration over links
//! learnt/         what was learnt of each language pair
//! webs/           links between sites
//! bitexts/        sentence pairs of registrable domains
//! repeats/        which of them are said more than once
//! models/         what was learnt of a pair of languages
//! requests/       what was requested of crawlers
//! ```
//! A commit syncs the record files, then makes the catalog's changes durable with a sentinel that holds the new ends,
//! then replaces the manifest. Whatever points past the committed ends does not exist. When catalog and manifest do not
//! fit together (sled can open a damaged file as empty, without a word), the catalog is made again from the record files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::types::{ArchiveId, LangPair, SiteId};

mod access;
#[cfg(not(feature = "internals"))]
pub(crate) mod catalog;
#[cfg(feature = "internals")]
pub mod catalog;
mod format;
mod kept_blocks;
mod kinds;
#[cfg(feature = "internals")]
mod laboratory;
#[cfg(not(feature = "internals"))]
pub(crate) mod layout;
#[cfg(feature = "internals")]
pub mod layout;
mod manifest;
mod packing;
#[cfg(not(feature = "internals"))]
pub(crate) mod pages;
#[cfg(feature = "internals")]
pub mod pages;
mod rebuild;
#[cfg(not(feature = "internals"))]
pub(crate) mod records;
#[cfg(feature = "internals")]
pub mod records;
mod requests;
mod sites;
#[cfg(not(feature = "internals"))]
pub(crate) mod tokens;
#[cfg(feature = "internals")]
pub mod tokens;
mod upgrade;
mod views;

pub use access::Access;
use access::{PATIENCE, fault, in_use, lock};
use catalog::{Catalog, Changes, Keyspace, OpenFailure};
pub use format::FORMAT_VERSION;
use kinds::KINDS;
pub use kinds::Store;
pub use layout::StoredSettings;
use layout::*;
use manifest::Manifest;
pub(crate) use rebuild::add_batch;
use records::{Mapped, RecordRef, START};
#[cfg(not(feature = "internals"))]
pub(crate) use views::{SiteLinks, SitePages, SiteWeb};
#[cfg(feature = "internals")]
pub use views::{SiteLinks, SitePages, SiteWeb};

impl Store {
    /// True when there is a store in `folder`, of whatever format.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(manifest::NAME).exists()
    }

    /// Opens the store in `folder`.
    ///
    /// # Errors
    /// When it is missing (for reading), in use, of another format, no store at all, or damaged beyond its record files.
    pub fn open(folder: &Path, access: Access) -> Result<Store> {
        let is_there = Store::is_at(folder);
        if !is_there {
            if access == Access::Read {
                return Err(fault(folder, "there is no store here; make one with `diglot run INPUT... --store DIR`"));
            }
            refuse_foreign_folder(folder)?;
            fs::create_dir_all(folder).map_err(Error::io(folder, "making the store"))?;
        }
        let lock = lock(folder, access)?;
        let manifest = if is_there { Some(Manifest::read(folder)?) } else { None };
        let format = manifest.as_ref().map_or(FORMAT_VERSION, |manifest| manifest.format);
        if format != FORMAT_VERSION && access == Access::Read {
            return Err(upgrade::needed(folder, format));
        }
        let known = manifest.as_ref().map(|manifest| manifest.sentinel.clone());
        let settings = manifest.map(|manifest| manifest.settings).unwrap_or_default();
        if let Some((catalog, mut sentinel)) = Store::open_catalog(folder, access, known.as_ref())? {
            let upgraded_from = upgrade::upgrade(folder, &catalog, &mut sentinel, known.as_ref(), &settings)?;
            match Store::with_catalog(folder, lock, catalog, sentinel, access) {
                Ok(mut store) => {
                    store.settings = store.catalog.get(Keyspace::Meta, b"settings")?.unwrap_or_default();
                    store.upgraded_from = upgraded_from;
                    if access == Access::Write && known.as_ref() != Some(&store.sentinel) {
                        store.write_manifest()?;
                    }
                    return Ok(store);
                }
                // Shorter than what was committed: what is left of them is worth keeping.
                Err(Error::Store { .. }) => {}
                Err(error) => return Err(error),
            }
        } else {
            drop(lock);
        }
        let lock = access::lock(folder, Access::Write)?;
        let store = rebuild::rebuild(folder, lock, known, settings)?;
        if access == Access::Write {
            return Ok(store);
        }
        drop(store);
        let mut store = Store::open(folder, access)?;
        store.was_rebuilt = true;
        Ok(store)
    }

    /// The catalog, if it fits the manifest: of the same commit, or of the next one (stopped before the manifest was
    /// replaced). Without a manifest, a catalog that holds a commit is believed, and an empty one is new if nothing
    /// else is there.
    fn open_catalog(folder: &Path, access: Access, known: Option<&Sentinel>) -> Result<Option<(Catalog, Sentinel)>> {
        let path = folder.join("catalog");
        let catalog = match Catalog::open(&path, access, PATIENCE) {
            Ok(catalog) => catalog,
            Err(OpenFailure::Locked) => return Err(in_use(folder)),
            Err(OpenFailure::Environment(error)) => return Err(error),
            Err(OpenFailure::Damaged(_)) => return Ok(None),
        };
        let sentinel: Option<Sentinel> = catalog.get(Keyspace::Meta, b"sentinel").unwrap_or(None);
        let fits = match (&sentinel, known) {
            (Some(sentinel), Some(known)) => sentinel == known || sentinel.commit == known.commit + 1,
            (Some(_), None) => true,
            // Opened, and stopped before the first commit.
            (None, Some(known)) => known.commit == 0,
            (None, None) => fs::metadata(folder.join("batches/000000.rec")).map_or(0, |m| m.len()) <= START.0,
        };
        let sentinel = sentinel.unwrap_or(Sentinel { ends: vec![START.0; KINDS.len()], ..Sentinel::default() });
        Ok(fits.then_some((catalog, sentinel)))
    }

    /// The store's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A folder for temporary files, inside the store.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn temporary(&self) -> Result<PathBuf> {
        let path = self.folder.join("tmp");
        fs::create_dir_all(&path).map_err(Error::io(&path, "making the folder"))?;
        Ok(path)
    }

    /// Makes everything appended so far, and `changes`, durable: all or nothing.
    ///
    /// # Errors
    /// When the disk does not take it. The store then still holds the commit before.
    pub(crate) fn commit(&mut self, mut changes: Changes) -> Result<()> {
        let ends = self.sync()?;
        self.sentinel = Sentinel { commit: self.sentinel.commit + 1, ends };
        changes.put(Keyspace::Meta, b"format", &FORMAT_VERSION);
        changes.put(Keyspace::Meta, b"sentinel", &self.sentinel);
        self.catalog.apply(changes)?;
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<()> {
        Manifest::new(self.sentinel.clone(), self.settings.clone()).write(&self.folder)
    }

    /// The catalog, for reading.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Settings the store was made with.
    pub fn settings(&self) -> &StoredSettings {
        &self.settings
    }

    /// Changes the settings of the store, at once.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn keep_settings(&mut self, settings: StoredSettings) -> Result<()> {
        let mut changes = Changes::default();
        self.set_settings(settings, &mut changes);
        self.commit(changes)
    }

    /// Keeps settings, from the next commit on.
    fn set_settings(&mut self, settings: StoredSettings, changes: &mut Changes) {
        changes.put(Keyspace::Meta, b"settings", &settings);
        self.settings = settings;
    }

    /// An archive.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn archive(&self, id: ArchiveId) -> Result<Option<ArchiveRecord>> {
        self.catalog.get(Keyspace::Archive, &id.0.to_be_bytes())
    }

    /// All archives, by number.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn archives(&self) -> Result<Vec<ArchiveRecord>> {
        let mut archives = Vec::new();
        self.catalog.for_each(Keyspace::Archive, |_, archive| {
            archives.push(archive);
            Ok(())
        })?;
        Ok(archives)
    }

    /// The archive with a fingerprint.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn archive_by_fingerprint(&self, fingerprint: u64) -> Result<Option<ArchiveId>> {
        Ok(self.catalog.get::<u32>(Keyspace::Fingerprint, &fingerprint.to_be_bytes())?.map(ArchiveId))
    }

    /// The number of the site that has a domain. Several domains of a family may be one site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn site_of_domain(&self, domain: &str) -> Result<Option<SiteId>> {
        Ok(self.catalog.get::<u32>(Keyspace::Domain, domain.as_bytes())?.map(SiteId))
    }

    /// A site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn site(&self, id: SiteId) -> Result<Option<SiteHead>> {
        self.catalog.get(Keyspace::Site, &id.0.to_be_bytes())
    }

    /// How many sites there are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn site_count(&self) -> Result<u32> {
        // Numbers are dense, so the last one tells.
        let last = self.catalog.at_or_before(Keyspace::Site, &u32::MAX.to_be_bytes())?;
        Ok(last.and_then(|(key, _)| key.try_into().ok()).map_or(0, |key| u32::from_be_bytes(key) + 1))
    }

    /// How many archives there are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn archive_count(&self) -> Result<u32> {
        let last = self.catalog.at_or_before(Keyspace::Archive, &u32::MAX.to_be_bytes())?;
        Ok(last.and_then(|(key, _)| key.try_into().ok()).map_or(0, |key| u32::from_be_bytes(key) + 1))
    }

    /// What key discovery left for a site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn result_head(&self, id: SiteId) -> Result<Option<ResultHead>> {
        self.catalog.get(Keyspace::Result, &id.0.to_be_bytes())
    }

    /// Keys and pairs of a site, if key discovery has seen it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn result(&self, id: SiteId) -> Result<Option<Mapped<ResultRecord>>> {
        self.result_head(id)?.map(|head| self.results.read(RecordRef(head.record))).transpose()
    }

    /// What verification (or iteration) left for a site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn judged_head(&self, keyspace: Keyspace, id: SiteId) -> Result<Option<JudgedHead>> {
        self.catalog.get(keyspace, &id.0.to_be_bytes())
    }

    /// Where what verification learnt of a language pair is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn learnt_head(&self, langs: LangPair) -> Result<Option<LearntHead>> {
        self.catalog.get(Keyspace::Learnt, &model_key(langs))
    }

    /// Where the link graph of a site is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn graph_head(&self, id: SiteId) -> Result<Option<GraphHead>> {
        self.catalog.get(Keyspace::Graph, &id.0.to_be_bytes())
    }

    /// The links of a site's pages, if they were read since its pages changed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn site_links(&self, id: SiteId, generation: u64) -> Result<Option<SiteLinks>> {
        let Some(head) = self.graph_head(id)?.filter(|head| head.generation == generation) else { return Ok(None) };
        let chunks = head.chunks.iter().map(|&at| self.graphs.read(RecordRef(at))).collect::<Result<_>>()?;
        Ok(Some(SiteLinks { chunks, stands: Default::default() }))
    }

    /// The rounds of exploring, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn rounds(&self) -> Result<Vec<RoundRecord>> {
        let mut rounds = Vec::new();
        self.catalog.for_each(Keyspace::Round, |_, round| {
            rounds.push(round);
            Ok(())
        })?;
        Ok(rounds)
    }

    /// Where the graph of sites is; `kind` is `host` or `domain`.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn web_head(&self, kind: &str) -> Result<Option<WebHead>> {
        self.catalog.get(Keyspace::Web, kind.as_bytes())
    }

    /// The graph of sites.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn web(&self, head: &WebHead) -> Result<SiteWeb> {
        let read = |&at: &u64| Ok(self.webs.read(RecordRef(at))?.get().to_owned());
        Ok(SiteWeb::new(head.chunks.iter().map(read).collect::<Result<_>>()?))
    }

    /// Where the sentence pairs of a site are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn bitext_head(&self, id: SiteId) -> Result<Option<BitextHead>> {
        self.catalog.get(Keyspace::Bitext, &id.0.to_be_bytes())
    }

    /// Appends page pairs that were aligned.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn append_bitext(&mut self, record: &BitextRecord) -> Result<RecordRef> {
        self.bitexts.append(&record.packed().map_err(Error::io(&self.folder, "compressing sentence pairs"))?)
    }

    /// Where what was learnt of a pair of languages is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn model_head(&self, langs: LangPair) -> Result<Option<ModelHead>> {
        self.catalog.get(Keyspace::Model, &model_key(langs))
    }

    /// Global credibility of a pattern.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn credibility(&self, pattern: &str) -> Result<Credibility> {
        Ok(self.catalog.get(Keyspace::Credibility, pattern.as_bytes())?.unwrap_or_default())
    }

    /// How far a stage is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn stage(&self, name: &str) -> Result<StageRecord> {
        Ok(self.catalog.get(Keyspace::Stage, name.as_bytes())?.unwrap_or_default())
    }

    /// The page table of a site.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn site_pages(&self, head: &SiteHead) -> Result<SitePages> {
        let read = |&at: &u64| {
            let chunk = self.sites.read(RecordRef(at))?;
            // Checking looks at every byte, most of which are not needed soon.
            chunk.release();
            Ok(chunk)
        };
        Ok(SitePages {
            chunks: head.chunks.iter().map(read).collect::<Result<_>>()?,
            count: head.pages,
            canonical: Vec::new(),
        })
    }
}

/// Key of a language pair's model.
pub(crate) fn model_key(langs: LangPair) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&langs.a.to_bytes());
    key[8..].copy_from_slice(&langs.b.to_bytes());
    key
}

/// A folder that holds other things is not made a store by accident.
fn refuse_foreign_folder(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return if folder.exists() { Err(fault(folder, "not a folder; give another --store")) } else { Ok(()) };
    };
    let own = ["lock", "catalog", "tmp", "manifest.new"];
    for entry in entries.flatten() {
        if !own.into_iter().chain(KINDS.iter().map(|kind| kind.name)).any(|name| entry.file_name() == name) {
            let name = entry.file_name();
            return Err(fault(
                folder,
                format!("holds {} and is no store; give an empty or new folder as --store", name.display()),
            ));
        }
    }
    Ok(())
}
