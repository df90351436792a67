//! Everything on disk; the only user of sled and of memory maps.
//!
//! A store is a folder:
//! ```text
//! lock            held by the process that writes
//! manifest.json   number of the last commit, ends of the record files, its view, checksum
//! catalog/        sled: archives, sites, results, credibility, stages, token → sites
//! view/           the catalog as of the last commit, for readers
//! pages/          record files: what extraction took out of each capture
//! batches/        what each commit of ingestion has read
//! sites/          page tables of registrable domains
//! results/        keys and pairs of registrable domains
//! skips/          captures that were left out, by site
//! graphs/         links of the pages of registrable domains
//! verified/       pairs of registrable domains, verified
//! resolved/       pairs of registrable domains, resolved by iteration over links
//! learnt/         what was learnt of each language pair
//! webs/           links between sites
//! bitexts/        sentence pairs of registrable domains
//! repeats/        sentence pairs that occur more than once
//! models/         what was learnt of a pair of languages
//! requests/       URLs that were requested of crawlers
//! removals/       pages and batches that were removed
//! scores/         scores of the user's scorer, by registrable domain
//! review/         what people said of pairs; no commit covers it
//! corrections.tsv corrections that people made; no commit covers it
//! ```
//! A commit syncs the record files, then makes the catalog's changes durable together with a sentinel that holds the new ends, then writes
//! the changes into the view, then replaces the manifest. Whatever lies past the committed ends does not exist. When catalog and manifest
//! do not fit together (sled can open a damaged file as empty, without a word), the catalog is made again from the view, or from the record
//! files where the view or a record file is damaged too. Readers use the manifest, the view and the record files, and take no lock.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::corrections::{Corrections, OfSite};
use crate::error::{Error, Result};
use crate::types::{LangPair, SiteId};

mod access;
mod archives;
#[cfg(not(feature = "internals"))]
pub(crate) mod catalog;
#[cfg(feature = "internals")]
pub mod catalog;
mod check_file;
mod check_store;
mod compaction;
mod copying;
mod corrections;
mod disk;
#[cfg(not(feature = "internals"))]
pub(crate) mod faults;
#[cfg(feature = "internals")]
pub mod faults;
mod format;
#[cfg(not(feature = "internals"))]
mod frames;
#[cfg(feature = "internals")]
pub mod frames;
#[cfg(feature = "exec")]
mod imports;
mod in_place;
mod kept_blocks;
mod known_inputs;
#[cfg(feature = "internals")]
pub mod laboratory;
#[cfg(not(feature = "internals"))]
pub(crate) mod layout;
#[cfg(feature = "internals")]
pub mod layout;
mod live_records;
mod manifest;
mod mapped;
pub mod maps;
mod open_batch;
mod packing;
#[cfg(not(feature = "internals"))]
pub(crate) mod pages;
#[cfg(feature = "internals")]
pub mod pages;
mod people;
mod reading;
mod rebuild;
mod record_kinds;
#[cfg(not(feature = "internals"))]
pub(crate) mod records;
#[cfg(feature = "internals")]
pub mod records;
mod removals;
mod removed;
mod requests;
mod reviews;
mod rewriting;
pub(crate) mod scoring;
mod seals;
mod seen;
mod segments;
mod site_tables;
mod sites;
mod survey_damage;
#[cfg(not(feature = "internals"))]
pub(crate) mod tokens;
#[cfg(feature = "internals")]
pub mod tokens;
mod view;
mod witness;

pub use access::Access;
use access::{PATIENCE, fault, in_use, lock};
pub use archives::Loss;
use catalog::{Catalog, Changes, Keyspace, OpenFailure, is_of_view};
pub use check_store::{Damage, FileReport, Report, Torn};
pub use compaction::Usage;
pub use corrections::CorrectionFile;
pub use format::FORMAT_VERSION;
#[cfg(feature = "exec")]
pub(crate) use imports::{Captures, Imports, Unpacked};
pub(crate) use known_inputs::InputNotes;
pub use layout::StoredSettings;
use layout::*;
use manifest::Manifest;
pub(crate) use open_batch::OpenBatch;
pub(crate) use packing::pack;
#[cfg(feature = "exec")]
pub(crate) use packing::unpack;
use rebuild::Known;
pub(crate) use rebuild::add_batch;
use record_kinds::KINDS;
pub use record_kinds::Store;
use records::{Mapped, RecordRef, START};
pub(crate) use removed::{Removed, archive_hash, hashes_of, name_hash};
pub use reviews::{Forgotten, Marks, Reviews, Standing};
use seen::Seen;
#[cfg(not(feature = "internals"))]
pub(crate) use site_tables::{SiteLinks, SitePages, SiteWeb};
#[cfg(feature = "internals")]
pub use site_tables::{SiteLinks, SitePages, SiteWeb};
pub(crate) use sites::OF_SITES;
use view::{Publisher, View};
pub use witness::Witness;

impl Store {
    /// True when there is a store in `folder`, of any format, even without its manifest.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(manifest::NAME).exists() || Store::has_records_at(folder)
    }

    /// True when the record files of a store are in `folder`, whatever else is or is not there.
    pub fn has_records_at(folder: &Path) -> bool {
        manifest::was_at(folder)
    }

    /// True while a process has the store open to write it.
    pub fn is_worked_on(folder: &Path) -> bool {
        access::held(folder) == access::Held::Now
    }

    /// Opens the store in `folder`.
    ///
    /// # Errors
    /// When it is missing (for reading), written by another process (for writing), of another format, no store at all, or damaged
    /// beyond what opening can mend.
    pub fn open(folder: &Path, access: Access) -> Result<Store> {
        if access == Access::Read { Store::open_to_read(folder) } else { Store::open_to_write(folder) }
    }

    /// Opens the last commit for reading, also while another process writes the next one.
    fn open_to_read(folder: &Path) -> Result<Store> {
        let held = access::held(folder);
        let mut manifest = Manifest::read(folder)?;
        loop {
            let opened = Store::of_manifest(folder, &manifest);
            let seen = Seen::open(folder.join(manifest::NAME));
            // If this commit is still the last one, no file of it was replaced while it was being opened.
            let now = Manifest::read(folder)?;
            if now == manifest {
                let (mut store, mut seen) = (opened?, vec![seen?]);
                seen.extend(store.seen_segments()?);
                seen.extend(store.catalog.seen()?);
                store.witness = Some(Arc::new(Witness::new(folder, manifest, seen, held)));
                return Ok(store);
            }
            manifest = now;
        }
    }

    /// The files that a reader has opened; `None` for a store that is open for writing.
    pub fn witness(&self) -> Option<Arc<Witness>> {
        self.witness.clone()
    }

    fn of_manifest(folder: &Path, manifest: &Manifest) -> Result<Store> {
        // A process that writes has checked this when it took the lock.
        access::refuse_others_than_files(folder)?;
        if let Some(path) = record_kinds::check_seals(folder, &manifest.sentinel)? {
            let problem =
                "its end is damaged; `diglot run` makes again what it can, and says which archives must be given again";
            return Err(Error::Store { path, problem: problem.into() });
        }
        let catalog = Catalog::of_view(&folder.join(view::FOLDER), View::open(folder, &manifest.view)?);
        let mut store = Store::with_catalog(folder, None, catalog, manifest.sentinel.clone(), Access::Read)?;
        store.settings = manifest.settings.clone();
        store.removed = store.read_removals()?;
        Ok(store)
    }

    fn open_to_write(folder: &Path) -> Result<Store> {
        let is_there = folder.join(manifest::NAME).exists();
        if !is_there {
            refuse_foreign_folder(folder)?;
            disk::create_folder(folder).map_err(Error::io(folder, "making the store"))?;
        }
        Store::open_locked(folder, lock(folder)?, false)
    }

    /// Continues from the last commit of an existing folder; `is_again`: the catalog was made again for that.
    fn open_locked(folder: &Path, lock: fs::File, is_again: bool) -> Result<Store> {
        let is_there = folder.join(manifest::NAME).exists();
        let known = if is_there { Some(Manifest::read(folder)?) } else { None };
        if known.is_none() {
            segments::refuse_other_format(folder, &segments::segment_path(&folder.join("batches"), 0))?;
        }
        let opened = match Store::open_last(folder, known.as_ref()) {
            Ok(Err(before)) => return rebuild::rebuild(folder, lock, known, before),
            Ok(Ok(mut store)) => store.begin_view(known.as_ref()).map(|()| store),
            Err(error) => Err(error),
        };
        match opened {
            // The catalog is damaged, or is of an unfinished commit and only partly on the disk. The view holds the commit before.
            Err(Error::Store { path, .. }) if known.is_some() && is_catalog_of(folder, &path) => {
                if is_again {
                    return rebuild::rebuild(folder, lock, known, Known::default());
                }
                fs::remove_dir_all(&path).map_err(Error::io(&path, "removing the damaged catalog"))?;
                Store::open_locked(folder, lock, true)
            }
            opened => {
                let mut store = opened?;
                store.keep_lock(lock);
                Ok(store)
            }
        }
    }

    /// Opens the last commit for writing. Where the catalog or the record files do not fit it, returns what was known of the store instead.
    fn open_last(folder: &Path, known: Option<&Manifest>) -> Result<Result<Store, Known>> {
        // An old copy of the manifest names a catalog that compaction has replaced.
        let named = known.map(|known| known.catalog.clone()).filter(|name| folder.join(name).exists());
        let mut catalog_name = named.unwrap_or_else(|| last_catalog(folder));
        let last = known.map(|known| &known.sentinel);
        let of_manifest = last.map_or(Ok(None), |last| record_kinds::check_seals(folder, last));
        // A store that is refused stays as it was; no new catalog is made in it.
        let is_to_open = of_manifest.is_ok() || folder.join(&catalog_name).exists();
        let opened = if is_to_open { Store::open_catalog(folder, &catalog_name, last)? } else { None };
        // Whether the record files hold the catalog's commit, where that is another one than the manifest's.
        let holds = match (&opened, last) {
            (Some((_, sentinel)), Some(last)) if sentinel != last => Some(record_kinds::hold(folder, sentinel)?),
            _ => None,
        };
        let is_damaged = match of_manifest {
            // Only the manifest is an old copy.
            Err(Error::Store { .. }) if holds == Some(true) => false,
            checked => checked?.is_some(),
        };
        // The catalog is of a later commit than the manifest, and the record files hold all of the manifest's commit but not all of the
        // catalog's.
        let is_of_other_state =
            holds == Some(false) && last.map_or(Ok(false), |last| record_kinds::hold(folder, last))?;
        let of_other_state =
            opened.as_ref().filter(|_| is_of_other_state).map(|(catalog, _)| rebuild::known_of(catalog));
        let (catalog, sentinel) = match (opened.filter(|_| !is_of_other_state), known) {
            (Some(opened), _) => opened,
            (None, Some(known)) => {
                let Some(catalog) = copying::of_view(folder, known)? else {
                    return Ok(Err(of_other_state.unwrap_or_else(|| rebuild::known_of_view(folder, Some(known)))));
                };
                catalog_name.clone_from(&known.catalog);
                (catalog, known.sentinel.clone())
            }
            (None, None) => return Ok(Err(Known::default())),
        };
        if known.is_some() {
            remove_other_catalogs(folder, &catalog_name);
        }
        let is_damaged =
            if last == Some(&sentinel) { is_damaged } else { record_kinds::check_seals(folder, &sentinel)?.is_some() };
        let is_short = match record_kinds::check_ends(folder, &sentinel) {
            Err(Error::Store { .. }) => true,
            checked => checked.map(|()| false)?,
        };
        // The catalog is sound, so it says what the store knew.
        if is_damaged || is_short {
            return Ok(Err(rebuild::known_of(&catalog)));
        }
        let mut store = Store::with_catalog(folder, None, catalog, sentinel, Access::Write)?;
        store.catalog_name = catalog_name;
        store.settings = store.catalog.get(Keyspace::Meta, b"settings")?.unwrap_or_default();
        store.removed = match store.read_removals() {
            Err(Error::Store { .. }) => return Ok(Err(rebuild::known_of(&store.catalog))),
            read => read?,
        };
        Ok(Ok(store))
    }

    /// Continues the view of the manifest; makes a new view where that one is not of the last commit or cannot be read.
    fn begin_view(&mut self, known: Option<&Manifest>) -> Result<()> {
        let names = known.map(|known| known.view.clone()).unwrap_or_default();
        self.publisher = Some(Publisher::open(&self.folder, &names)?);
        let is_last = known.is_some_and(|known| known.sentinel == self.sentinel);
        // Every block is read, so that a damaged one is found now and not when runs are merged or by readers.
        let read = || View::check(&self.folder, &names);
        if is_last && read().is_ok() {
            return Ok(());
        }
        if self.sentinel.commit > 0 {
            self.publish_all()?;
        }
        self.write_manifest()
    }

    /// Makes the view again from the catalog.
    pub(crate) fn publish_all(&mut self) -> Result<()> {
        let Store { folder, catalog, publisher, .. } = self;
        publisher_of(publisher, folder)?.replace(|run| {
            catalog.scan(&[], |key, value| if is_of_view(key) { run.push(key, Some(value)) } else { Ok(()) })
        })
    }

    fn publisher(&mut self) -> Result<&mut Publisher> {
        publisher_of(&mut self.publisher, &self.folder)
    }

    /// The catalog, if it fits the manifest: of the same commit, or of a later one. Without a manifest, a catalog that holds a
    /// commit is believed, and an empty one is new if nothing else is there.
    fn open_catalog(folder: &Path, name: &str, known: Option<&Sentinel>) -> Result<Option<(Catalog, Sentinel)>> {
        let catalog = match Catalog::open(&folder.join(name), PATIENCE) {
            Ok(catalog) => catalog,
            Err(OpenFailure::Damaged(_)) => return Ok(None),
            Err(failure) => return Err(refused(folder, failure)),
        };
        let sentinel = catalog.get::<Sentinel>(Keyspace::Meta, b"sentinel").unwrap_or(None);
        let fits = match (&sentinel, known) {
            // The catalog is of a later commit: the program stopped before it replaced the manifest, or the manifest is an old copy.
            (Some(sentinel), Some(known)) => sentinel == known || sentinel.commit > known.commit,
            (Some(_), None) => true,
            // The store was opened, and the program stopped before the first commit.
            (None, Some(known)) => known.commit == 0,
            (None, None) => fs::metadata(folder.join("batches/000000.rec")).map_or(0, |m| m.len()) <= START.0,
        };
        let sentinel = sentinel.unwrap_or(Sentinel { ends: vec![START.0; KINDS.len()], ..Sentinel::default() });
        Ok(fits.then_some((catalog, sentinel)))
    }

    /// Makes a catalog where there is none.
    fn new_catalog(folder: &Path, name: &str) -> Result<Catalog> {
        Catalog::open(&folder.join(name), PATIENCE).map_err(|failure| refused(folder, failure))
    }

    /// The store's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of the commit that queries are answered from.
    pub fn commit_number(&self) -> u64 {
        self.sentinel.commit
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

    /// Makes `changes`, and everything appended so far, durable: all or nothing.
    ///
    /// # Errors
    /// When the disk does not take it. The store then still holds the commit before, and accepts no other until it is opened again.
    pub(crate) fn commit(&mut self, mut changes: Changes) -> Result<()> {
        if self.has_failed {
            return Err(fault(&self.folder, "an earlier commit failed, so no other follows; the last one holds"));
        }
        // Reset when the commit has succeeded.
        self.has_failed = true;
        self.check_lock()?;
        let (ends, seals) = self.sync()?;
        self.sentinel = Sentinel { commit: self.sentinel.commit + 1, ends, seals };
        changes.put(Keyspace::Meta, b"sentinel", &self.sentinel);
        self.catalog.apply(&changes)?;
        self.publisher()?.add(&changes.into_view())?;
        self.write_manifest()?;
        self.has_failed = false;
        Ok(())
    }

    /// Replaces the manifest, and removes files that it no longer names.
    fn write_manifest(&mut self) -> Result<()> {
        let archives = self.archive_count()?;
        let view = self.publisher()?.names().to_vec();
        let (sentinel, catalog, settings) = (self.sentinel.clone(), self.catalog_name.clone(), self.settings.clone());
        Manifest::new(sentinel, view, catalog, archives, settings).write(&self.folder)?;
        self.publisher()?.tidy();
        Ok(())
    }

    /// The catalog, for reading.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What people corrected, as it was when the store was opened.
    pub fn corrections(&self) -> &Corrections {
        &self.corrections
    }

    /// What they corrected of a site.
    pub(crate) fn corrections_of(&self, head: &SiteHead) -> OfSite {
        self.corrections.of_site(head.hosts.iter().map(|host| host.host.as_str()))
    }

    /// Settings the store was made with.
    pub fn settings(&self) -> &StoredSettings {
        &self.settings
    }

    /// Changes the settings of the store, with a commit of its own.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn keep_settings(&mut self, settings: StoredSettings) -> Result<()> {
        let mut changes = Changes::default();
        self.set_settings(settings, &mut changes);
        self.commit(changes)
    }

    /// Changes the settings of the store, from the next commit on.
    fn set_settings(&mut self, settings: StoredSettings, changes: &mut Changes) {
        changes.put(Keyspace::Meta, b"settings", &settings);
        self.settings = settings;
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
        // Numbers have no gaps, so the last one gives the count.
        let last = self.catalog.at_or_before(Keyspace::Site, &u32::MAX.to_be_bytes())?;
        Ok(last.and_then(|(key, _)| key.try_into().ok()).map_or(0, |key| u32::from_be_bytes(key).saturating_add(1)))
    }

    /// Where the result of key discovery for a site is.
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
        let Some(head) = self.result_head(id)? else { return Ok(None) };
        let result = self.results.read(RecordRef(head.record))?;
        let site = self.site(id)?.filter(|site| site.generation == head.generation);
        match site.filter(|site| !result.is_of(site.pages)) {
            Some(site) => Err(self.senseless("keys", &site)),
            None => Ok(Some(result)),
        }
    }

    /// Where the result of verification (or iteration) for a site is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn judged_head(&self, keyspace: Keyspace, id: SiteId) -> Result<Option<JudgedHead>> {
        self.catalog.get(keyspace, &id.0.to_be_bytes())
    }

    /// Where the record of what verification learnt of a language pair is.
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
        let chunks: Vec<_> = head.chunks.iter().map(|&at| self.graphs.read(RecordRef(at))).collect::<Result<_>>()?;
        let site = self.site(id)?.filter(|site| site.generation == generation);
        if let Some(site) = site.filter(|site| !chunks.iter().all(|chunk| chunk.is_of(site.pages))) {
            return Err(self.senseless("links", &site));
        }
        Ok(Some(SiteLinks { chunks, stands: Default::default() }))
    }

    /// The rounds of exploring, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn rounds(&self) -> Result<Vec<RoundRecord>> {
        self.catalog.values(Keyspace::Round)
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

    /// Where the scores of a site are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn score_head(&self, id: SiteId) -> Result<Option<ScoreHead>> {
        self.catalog.get(Keyspace::Score, &id.0.to_be_bytes())
    }

    /// Where the record of what alignment learnt of a language pair is.
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

    /// The progress of a stage.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn stage(&self, name: &str) -> Result<StageRecord> {
        Ok(self.catalog.get(Keyspace::Stage, name.as_bytes())?.unwrap_or_default())
    }

    /// The stages that are known to be fresh at this commit, with the fingerprints they ran with. The list does not say which stages are
    /// not fresh.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn known_fresh(&self) -> Result<Vec<(String, u64)>> {
        let record: Option<FreshRecord> = self.catalog.get(Keyspace::Meta, b"fresh")?;
        let of_now = record.filter(|record| record.commit == self.sentinel.commit);
        Ok(of_now.map_or_else(Vec::new, |record| record.stages))
    }

    /// Stores which stages are fresh, in a commit of its own; valid until the next commit.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn keep_fresh(&mut self, stages: Vec<(String, u64)>) -> Result<()> {
        let mut changes = Changes::default();
        let record = FreshRecord { commit: self.sentinel.commit + 1, stages };
        changes.put(Keyspace::Meta, b"fresh", &record);
        self.commit(changes)
    }

    /// The page table of a site.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn site_pages(&self, head: &SiteHead) -> Result<SitePages> {
        self.pages_of(head, &head.chunks, head.pages)
    }

    /// The table of the pages of a site that settings leave out.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn withheld_pages(&self, head: &SiteHead) -> Result<SitePages> {
        let count = head.left_out.iter().map(|(_, count)| *count).sum::<u64>();
        self.pages_of(head, &head.withheld, u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn pages_of(&self, head: &SiteHead, chunks: &[u64], count: u32) -> Result<SitePages> {
        let read = |&at: &u64| {
            let chunk = self.sites.read(RecordRef(at))?;
            // The check has read every byte into memory, and most bytes are not needed soon.
            chunk.release();
            Ok(chunk)
        };
        let chunks: Vec<_> = chunks.iter().map(read).collect::<Result<_>>()?;
        let left = |at: usize| (count as usize).saturating_sub(at * CHUNK_PAGES).min(CHUNK_PAGES);
        let is_whole = |(at, chunk): (usize, &Mapped<SiteChunk>)| chunk.count() == Some(left(at));
        if left(chunks.len()) > 0 || !chunks.iter().enumerate().all(is_whole) {
            return Err(self.senseless("pages", head));
        }
        Ok(SitePages { chunks, count, canonical: Vec::new() })
    }

    /// The error of records of a site that are sound each by itself but do not fit together.
    pub(crate) fn senseless(&self, what: &str, site: &SiteHead) -> Error {
        let problem = format!(
            "what it has of the {what} of {} makes no sense, though its checksums fit; make a store anew from the archives",
            site.domain
        );
        fault(&self.folder, problem)
    }
}

fn publisher_of<'p>(publisher: &'p mut Option<Publisher>, folder: &Path) -> Result<&'p mut Publisher> {
    publisher.as_mut().ok_or_else(|| fault(folder, "opened for reading only"))
}

/// Key of a language pair's model.
pub(crate) fn model_key(langs: LangPair) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&langs.a.to_bytes());
    key[8..].copy_from_slice(&langs.b.to_bytes());
    key
}

/// The error of a catalog that could not be opened.
fn refused(folder: &Path, failure: OpenFailure) -> Error {
    match failure {
        OpenFailure::Locked => in_use(folder),
        OpenFailure::Environment(error) => error,
        OpenFailure::Damaged(why) => fault(folder, format!("a new catalog cannot be made: {why}")),
    }
}

/// The name of the latest catalog, for a store whose manifest is gone.
fn last_catalog(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let copies = entries.filter_map(|entry| entry.file_name().to_str()?.strip_prefix("catalog-")?.parse::<u64>().ok());
    copies.max().map_or_else(manifest::first_catalog, |last| format!("catalog-{last}"))
}

/// True when `path` is the folder of a catalog of the store.
fn is_catalog_of(folder: &Path, path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    path.parent() == Some(folder) && name.is_some_and(manifest::is_catalog)
}

/// Removes unfinished copies of the catalog, and catalogs that a copy has replaced.
fn remove_other_catalogs(folder: &Path, name: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_other = entry.file_name().to_str().is_some_and(|found| manifest::is_catalog(found) && found != name);
        if is_other {
            // A catalog that remains does no harm; removing it is tried again later.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Refuses a folder that holds other things, so that it does not become a store by accident.
fn refuse_foreign_folder(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return if folder.exists() { Err(fault(folder, "not a folder; give another --store")) } else { Ok(()) };
    };
    let own = [access::LOCK, "catalog", view::FOLDER, reviews::FOLDER, corrections::FILE, "tmp", "manifest.new"];
    let of_kinds = || KINDS.iter().map(|kind| kind.name);
    for entry in entries.flatten() {
        let is_own = own.into_iter().chain(of_kinds()).any(|name| entry.file_name() == name)
            || entry.file_name().to_str().is_some_and(|name| name.starts_with("catalog-"));
        if !is_own {
            let name = entry.file_name();
            return Err(fault(
                folder,
                format!("holds {} and is no store; give an empty or new folder as --store", name.display()),
            ));
        }
    }
    Ok(())
}
