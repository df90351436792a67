//! Everything on disk; the only user of sled and of memory maps.
//!
//! A store is a folder:
//! ```text
//! lock            held by the process that writes
//! manifest.json   number of the last commit, ends of the record files, its view, checksum
//! view/           the catalog as of the last commit: archives, sites, heads of results, credibility, stages
//! tokens/         sled: token → sites, for one process at a time
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
//! A commit syncs the record files, then writes what it changed in the catalog into the view, then changes the token index where its sites
//! have other tokens, then replaces the manifest. Whatever lies past the committed ends does not exist. Readers and the process that writes
//! read the same record files and the same view; readers take no lock, unless they ask the token index. The token index can be made again
//! from the page tables, so it is believed only if it bears the mark of the last commit that changed it: sled can open a damaged file as an
//! empty one without reporting an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::corrections::{Corrections, OfSite};
use crate::error::{Error, Result};
use crate::types::{LangPair, SiteId};

mod access;
mod archives;
mod bundles;
pub(crate) mod catalog;
mod check_file;
mod check_store;
mod compaction;
mod corrections;
mod disk;
pub(crate) mod faults;
mod format;
pub(crate) mod frames;
#[cfg(feature = "exec")]
mod imports;
mod in_place;
mod kept_blocks;
mod known_inputs;
pub(crate) mod laboratory;
pub(crate) mod layout;
mod live_records;
mod manifest;
mod mapped;
pub mod maps;
mod open_batch;
mod opening;
mod packing;
pub(crate) mod pages;
mod people;
mod reading;
mod rebuild;
mod record_kinds;
pub(crate) mod records;
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
mod spilled;
mod survey_damage;
mod token_index;
pub(crate) mod tokens;
mod values;
mod view;
mod witness;

pub use access::Access;
use access::fault;
pub use archives::Loss;
use catalog::{Catalog, Changes, Keyspace};
pub use check_store::{Damage, FileReport, Report, Torn};
pub use compaction::Usage;
pub use corrections::CorrectionFile;
pub use format::FORMAT_VERSION;
#[cfg(feature = "exec")]
pub(crate) use imports::{Captures, Imports, Unpacked};
pub(crate) use known_inputs::InputNotes;
pub use layout::StoredSettings;
use layout::*;
use manifest::{Manifest, SENTINEL, SETTINGS};
pub(crate) use open_batch::OpenBatch;
pub(crate) use packing::pack;
#[cfg(feature = "exec")]
pub(crate) use packing::unpack;
pub(crate) use rebuild::add_batch;
pub use record_kinds::Store;
use records::{Mapped, RecordRef};
pub(crate) use removed::{Removed, archive_hash, hashes_of, name_hash};
pub use reviews::{Forgotten, Marks, Reviews, Standing};
use seen::Seen;
pub(crate) use site_tables::{SiteLinks, SitePages, SiteWeb};
pub(crate) use spilled::Spilling;
use token_index::TokenIndex;
use values::model_key;
pub(crate) use values::{Judged, PairsOf, Results, TaughtKey};
use view::Publisher;
pub use witness::Witness;

/// The key of the mark of the token index, in the catalog.
const TOKENS: &[u8] = b"tokens";
const READ_ONLY: &str = "opened for reading only";

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
        let catalog = Catalog::open(folder, &manifest.view)?;
        let mut store = Store::with_catalog(folder, None, catalog, manifest.sentinel.clone(), Access::Read)?;
        store.settings = manifest.settings.clone();
        store.removed = store.read_removals()?;
        Ok(store)
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
        changes.put(Keyspace::Meta, SENTINEL, &self.sentinel);
        let mark = self.sentinel.hash();
        if !changes.tokens.is_empty() {
            changes.put(Keyspace::Meta, TOKENS, &mark);
        }
        self.publisher()?.add(&changes.delta)?;
        if !changes.tokens.is_empty() {
            self.on_tokens(|index| index.apply(&changes.tokens, mark))?;
        }
        self.write_manifest()?;
        self.has_failed = false;
        Ok(())
    }

    /// Goes over to the runs that were published last, replaces the manifest, and removes files that the new manifest no longer names.
    fn write_manifest(&mut self) -> Result<()> {
        let view = self.publisher()?.names().to_vec();
        self.catalog.follow(&self.folder, &view)?;
        let archives = self.archive_count()?;
        self.catalog.check_names()?;
        Manifest::new(self.sentinel.clone(), view, archives, self.settings.clone()).write(&self.folder)?;
        self.publisher()?.tidy();
        Ok(())
    }

    fn publisher(&mut self) -> Result<&mut Publisher> {
        self.publisher.as_mut().ok_or_else(|| fault(&self.folder, READ_ONLY))
    }

    /// Uses the token index as [`TokenIndex::ask_to_write`] does.
    fn on_tokens<T>(&self, does: impl FnOnce(&TokenIndex) -> Result<T>) -> Result<T> {
        let not_made = "its token index could not be made anew; give the command again";
        let why = if self.publisher.is_some() { not_made } else { READ_ONLY };
        let index = self.tokens.as_ref().ok_or_else(|| fault(&self.folder, why))?;
        index.ask_to_write(|| does(index))
    }

    /// The mark that the token index must have; 0 where it was never filled.
    fn token_mark(&self) -> Result<u64> {
        Ok(self.catalog.get(Keyspace::Meta, TOKENS)?.unwrap_or_default())
    }

    /// What people corrected, as it was when the store was opened.
    pub fn corrections(&self) -> &Corrections {
        &self.corrections
    }

    /// The corrections that people made of one site, without those of pages that it does not have.
    ///
    /// # Errors
    /// When the table of its pages cannot be read.
    pub(crate) fn corrections_of(&self, head: &SiteHead) -> Result<OfSite> {
        // Most sites have none, and their pages are not read.
        let of_hosts = self.corrections.of_site(head.hosts.iter().map(|host| host.host.as_str()));
        if of_hosts.hash() == 0 && of_hosts.hash_of_keys() == 0 {
            return Ok(of_hosts);
        }
        Ok(self.corrections_on(head, &self.site_pages(head)?))
    }

    /// The same, where the table of its pages is open.
    pub(crate) fn corrections_on(&self, head: &SiteHead, pages: &SitePages) -> OfSite {
        let hosts: Vec<&str> = head.hosts.iter().map(|host| host.host.as_str()).collect();
        self.corrections.of_pages(&hosts, pages)
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
        changes.put(Keyspace::Meta, SETTINGS, &settings);
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
        self.catalog.count(Keyspace::Site)
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

    /// The judged pairs of a site.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn judged(&self, by: Judged, head: &JudgedHead) -> Result<Mapped<JudgedRecord>> {
        let file = if by == Judged::Verified { &self.verified } else { &self.resolved };
        file.read(RecordRef(head.record))
    }

    /// Appends the judged pairs of a site.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn append_judged(&mut self, by: Judged, record: &JudgedRecord) -> Result<RecordRef> {
        let file = if by == Judged::Verified { &mut self.verified } else { &mut self.resolved };
        file.append_short(record)
    }

    /// Appends page pairs that were aligned.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn append_bitext(&mut self, record: &BitextRecord) -> Result<RecordRef> {
        self.bitexts.append_short(&record.packed().map_err(Error::io(&self.folder, "compressing sentence pairs"))?)
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

    /// How far the token index is being made again; `None` where it is not.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub(crate) fn token_progress(&self) -> Result<Option<StageRecord>> {
        self.catalog.get(Keyspace::Stage, b"tokens")
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
