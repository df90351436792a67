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
//! settled/        … and settled by iteration over links
//! learnt/         what was learnt of each language pair
//! webs/           links between sites
//! bitexts/        sentence pairs of registrable domains
//! repeats/        which of them are said more than once
//! models/         what was learnt of a pair of languages
//! requests/       what was asked of crawlers
//! ```
//! A commit syncs the record files, then makes the catalog's changes durable with a sentinel that holds the new ends,
//! then replaces the manifest. Whatever points past the committed ends does not exist. When catalog and manifest do not
//! fit together (sled can open a damaged file as empty, without a word), the catalog is made again from the record files.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::index::graph::{Links, SiteLink};
use crate::index::site::{PageFacts, Pages};
use crate::index::web::Web;
use crate::types::{ArchiveId, Lang, LangPair, SiteId};

pub mod catalog;
pub mod layout;
mod rebuild;
mod requests;
mod sites;
pub use rebuild::add_batch;
pub mod records;
pub mod tokens;

use catalog::{Catalog, Changes, OpenFailure, Table};
use layout::*;
use records::{Mapped, RecordFile, RecordRef, START};

/// Format of stores this program writes and reads.
pub const FORMAT_VERSION: u32 = 5;

/// How long to wait for another process that holds the store.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Queries, while nobody writes. Any number of processes; they take turns with the catalog.
    Read,
    /// Everything: one process. Makes the store where there is none.
    Write,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    format: u32,
    #[serde(flatten)]
    sentinel: Sentinel,
    crc: u32,
    /// Kept here too, so that it outlives the catalog.
    config: RunConfig,
}

/// An open store.
pub struct Store {
    folder: PathBuf,
    _lock: File,
    catalog: Catalog,
    sentinel: Sentinel,
    config: RunConfig,
    /// Pages as extracted.
    pub pages: RecordFile<PageRecord>,
    /// What each commit of ingestion read.
    pub batches: RecordFile<BatchRecord>,
    /// Page tables of sites.
    pub sites: RecordFile<SiteChunk>,
    /// Keys and pairs of sites.
    pub results: RecordFile<ResultRecord>,
    /// Captures left out, by site.
    pub skips: RecordFile<SkipChunk>,
    /// Links of the pages of sites.
    pub graphs: RecordFile<GraphRecord>,
    /// Pairs as verified.
    pub verified: RecordFile<JudgedRecord>,
    /// Pairs as settled by iteration.
    pub settled: RecordFile<JudgedRecord>,
    /// What was learnt of language pairs.
    pub learnt: RecordFile<LearntRecord>,
    /// Links between sites.
    pub webs: RecordFile<WebRecord>,
    /// Sentence pairs of sites.
    pub bitexts: RecordFile<BitextRecord>,
    /// Which of them are said more than once.
    pub repeats: RecordFile<RepeatRecord>,
    /// What was learnt of pairs of languages.
    pub models: RecordFile<ModelRecord>,
    /// What was asked of crawlers.
    pub requests: RecordFile<RequestRecord>,
    /// True when opening had to make the catalog again.
    pub was_rebuilt: bool,
}

const MANIFEST: &str = "manifest.json";

/// Folder and kind of each record file; the position is that of its end in [`Sentinel::ends`].
const KINDS: [(&str, u32); 14] = [
    ("pages", 1),
    ("batches", 2),
    ("sites", 3),
    ("results", 4),
    ("skips", 5),
    ("graphs", 6),
    ("webs", 7),
    ("verified", 8),
    ("settled", 9),
    ("learnt", 10),
    ("bitexts", 11),
    ("repeats", 12),
    ("models", 13),
    ("requests", 14),
];

impl Store {
    /// True when there is a store in `folder`, of whatever format.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(MANIFEST).exists()
    }

    /// Opens the store in `folder`.
    ///
    /// # Errors
    /// When it is missing (for reading), in use, of another format, no store at all, or damaged beyond its record files.
    pub fn open(folder: &Path, access: Access) -> Result<Store> {
        let manifest_path = folder.join(MANIFEST);
        if !manifest_path.exists() {
            if access == Access::Read {
                return Err(fault(folder, "there is no store here; make one with `diglot run INPUT... --store DIR`"));
            }
            refuse_foreign_folder(folder)?;
            fs::create_dir_all(folder).map_err(Error::io(folder, "making the store"))?;
        }
        let lock = lock(folder, access)?;
        let manifest = if manifest_path.exists() { Some(read_manifest(folder, &manifest_path)?) } else { None };
        let known = manifest.as_ref().map(|m| m.sentinel.clone());
        if let Some((catalog, sentinel)) = Store::open_catalog(folder, access, known.as_ref())? {
            let store = Store::with_catalog(folder, lock, catalog, sentinel, access);
            match store {
                Ok(mut store) => {
                    store.config = store.catalog.get(Table::Meta, b"config")?.unwrap_or_default();
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
        let lock = self::lock(folder, Access::Write)?;
        let config = manifest.map(|m| m.config).unwrap_or_default();
        let store = rebuild::rebuild(folder, lock, known, config)?;
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
        let sentinel: Option<Sentinel> = catalog.get(Table::Meta, b"sentinel").unwrap_or(None);
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

    fn with_catalog(folder: &Path, lock: File, catalog: Catalog, sentinel: Sentinel, access: Access) -> Result<Store> {
        let write = access == Access::Write;
        let end = |kind: usize| sentinel.ends.get(kind).map_or(START, |&end| RecordRef(end));
        let at = |kind: usize| folder.join(KINDS[kind].0);
        Ok(Store {
            pages: RecordFile::open(&at(0), KINDS[0].1, end(0), write)?,
            batches: RecordFile::open(&at(1), KINDS[1].1, end(1), write)?,
            sites: RecordFile::open(&at(2), KINDS[2].1, end(2), write)?,
            results: RecordFile::open(&at(3), KINDS[3].1, end(3), write)?,
            skips: RecordFile::open(&at(4), KINDS[4].1, end(4), write)?,
            graphs: RecordFile::open(&at(5), KINDS[5].1, end(5), write)?,
            webs: RecordFile::open(&at(6), KINDS[6].1, end(6), write)?,
            verified: RecordFile::open(&at(7), KINDS[7].1, end(7), write)?,
            settled: RecordFile::open(&at(8), KINDS[8].1, end(8), write)?,
            learnt: RecordFile::open(&at(9), KINDS[9].1, end(9), write)?,
            bitexts: RecordFile::open(&at(10), KINDS[10].1, end(10), write)?,
            repeats: RecordFile::open(&at(11), KINDS[11].1, end(11), write)?,
            models: RecordFile::open(&at(12), KINDS[12].1, end(12), write)?,
            requests: RecordFile::open(&at(13), KINDS[13].1, end(13), write)?,
            folder: folder.to_owned(),
            _lock: lock,
            catalog,
            sentinel,
            config: RunConfig::default(),
            was_rebuilt: false,
        })
    }

    /// The store's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A folder for temporary files, inside the store.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn temporary(&self) -> Result<PathBuf> {
        let path = self.folder.join("tmp");
        fs::create_dir_all(&path).map_err(Error::io(&path, "making the folder"))?;
        Ok(path)
    }

    /// Makes everything appended so far, and `changes`, durable: all or nothing.
    ///
    /// # Errors
    /// When the disk does not take it. The store then still holds the commit before.
    pub fn commit(&mut self, mut changes: Changes) -> Result<()> {
        self.pages.sync()?;
        self.batches.sync()?;
        self.sites.sync()?;
        self.results.sync()?;
        self.skips.sync()?;
        self.graphs.sync()?;
        self.webs.sync()?;
        self.verified.sync()?;
        self.settled.sync()?;
        self.learnt.sync()?;
        self.bitexts.sync()?;
        self.repeats.sync()?;
        self.models.sync()?;
        self.requests.sync()?;
        let ends = [
            self.pages.end(),
            self.batches.end(),
            self.sites.end(),
            self.results.end(),
            self.skips.end(),
            self.graphs.end(),
            self.webs.end(),
            self.verified.end(),
            self.settled.end(),
            self.learnt.end(),
            self.bitexts.end(),
            self.repeats.end(),
            self.models.end(),
            self.requests.end(),
        ];
        self.sentinel.commit += 1;
        self.sentinel.ends = ends.iter().map(|end| end.0).collect();
        changes.put(Table::Meta, b"sentinel", &self.sentinel);
        self.catalog.apply(changes)?;
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<()> {
        let path = self.folder.join(MANIFEST);
        let crc = manifest_crc(FORMAT_VERSION, &self.sentinel);
        let manifest =
            Manifest { format: FORMAT_VERSION, sentinel: self.sentinel.clone(), crc, config: self.config.clone() };
        let text = serde_json::to_string_pretty(&manifest).expect("numbers serialise");
        let fresh = self.folder.join("manifest.new");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&fresh)?;
            file.write_all(text.as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_data()?;
            fs::rename(&fresh, &path)
        };
        write().map_err(Error::io(&path, "writing"))
    }

    /// Lets go of the maps of what was read; they are made again when something is read.
    pub fn unmap(&self) {
        self.pages.unmap();
        self.sites.unmap();
        self.results.unmap();
        self.graphs.unmap();
        self.verified.unmap();
        self.settled.unmap();
        self.learnt.unmap();
    }

    /// Number of the last commit.
    pub fn commit_number(&self) -> u64 {
        self.sentinel.commit
    }

    /// The catalog, for reading.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Settings the store was made with.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// Keeps settings, from the next commit on.
    pub fn set_config(&mut self, config: RunConfig, changes: &mut Changes) {
        changes.put(Table::Meta, b"config", &config);
        self.config = config;
    }

    /// An archive.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn archive(&self, id: ArchiveId) -> Result<Option<ArchiveRecord>> {
        self.catalog.get(Table::Archive, &id.0.to_be_bytes())
    }

    /// All archives, by number.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn archives(&self) -> Result<Vec<ArchiveRecord>> {
        let mut archives = Vec::new();
        self.catalog.for_each(Table::Archive, |_, archive| {
            archives.push(archive);
            Ok(())
        })?;
        Ok(archives)
    }

    /// The archive with a fingerprint.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn archive_by_fingerprint(&self, fingerprint: u64) -> Result<Option<ArchiveId>> {
        Ok(self.catalog.get::<u32>(Table::Fingerprint, &fingerprint.to_be_bytes())?.map(ArchiveId))
    }

    /// The number of the site that has a domain. Several domains of a family may be one site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn site_of_domain(&self, domain: &str) -> Result<Option<SiteId>> {
        Ok(self.catalog.get::<u32>(Table::Domain, domain.as_bytes())?.map(SiteId))
    }

    /// A site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn site(&self, id: SiteId) -> Result<Option<SiteHead>> {
        self.catalog.get(Table::Site, &id.0.to_be_bytes())
    }

    /// How many sites there are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn site_count(&self) -> Result<u32> {
        // Numbers are dense, so the last one tells.
        let last = self.catalog.at_or_before(Table::Site, &u32::MAX.to_be_bytes())?;
        Ok(last.and_then(|(key, _)| key.try_into().ok()).map_or(0, |key| u32::from_be_bytes(key) + 1))
    }

    /// How many archives there are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn archive_count(&self) -> Result<u32> {
        let last = self.catalog.at_or_before(Table::Archive, &u32::MAX.to_be_bytes())?;
        Ok(last.and_then(|(key, _)| key.try_into().ok()).map_or(0, |key| u32::from_be_bytes(key) + 1))
    }

    /// What key discovery left for a site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn result_head(&self, id: SiteId) -> Result<Option<ResultHead>> {
        self.catalog.get(Table::Result, &id.0.to_be_bytes())
    }

    /// Keys and pairs of a site, if key discovery has seen it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn result(&self, id: SiteId) -> Result<Option<Mapped<ResultRecord>>> {
        self.result_head(id)?.map(|head| self.results.read(RecordRef(head.record))).transpose()
    }

    /// What verification (or iteration) left for a site.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn judged_head(&self, table: Table, id: SiteId) -> Result<Option<JudgedHead>> {
        self.catalog.get(table, &id.0.to_be_bytes())
    }

    /// Where what verification learnt of a language pair is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn learnt_head(&self, langs: LangPair) -> Result<Option<LearntHead>> {
        self.catalog.get(Table::Learnt, &model_key(langs))
    }

    /// Where the link graph of a site is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn graph_head(&self, id: SiteId) -> Result<Option<GraphHead>> {
        self.catalog.get(Table::Graph, &id.0.to_be_bytes())
    }

    /// The links of a site's pages, if they were read since its pages changed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn site_links(&self, id: SiteId, generation: u64) -> Result<Option<SiteLinks>> {
        let Some(head) = self.graph_head(id)?.filter(|head| head.generation == generation) else { return Ok(None) };
        let chunks = head.chunks.iter().map(|&at| self.graphs.read(RecordRef(at))).collect::<Result<_>>()?;
        Ok(Some(SiteLinks { chunks }))
    }

    /// The rounds of exploring, in order.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn rounds(&self) -> Result<Vec<RoundRecord>> {
        let mut rounds = Vec::new();
        self.catalog.for_each(Table::Round, |_, round| {
            rounds.push(round);
            Ok(())
        })?;
        Ok(rounds)
    }

    /// Where the graph of sites is; `kind` is `host` or `domain`.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn web_head(&self, kind: &str) -> Result<Option<WebHead>> {
        self.catalog.get(Table::Web, kind.as_bytes())
    }

    /// The graph of sites.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn web(&self, head: &WebHead) -> Result<SiteWeb> {
        Ok(SiteWeb { chunks: head.chunks.iter().map(|&at| self.webs.read(RecordRef(at))).collect::<Result<_>>()? })
    }

    /// Where the sentence pairs of a site are.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn bitext_head(&self, id: SiteId) -> Result<Option<BitextHead>> {
        self.catalog.get(Table::Bitext, &id.0.to_be_bytes())
    }

    /// Where what was learnt of a pair of languages is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn model_head(&self, langs: LangPair) -> Result<Option<ModelHead>> {
        self.catalog.get(Table::Model, &model_key(langs))
    }

    /// Global credibility of a pattern.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn credibility(&self, pattern: &str) -> Result<Credibility> {
        Ok(self.catalog.get(Table::Credibility, pattern.as_bytes())?.unwrap_or_default())
    }

    /// How far a stage is.
    ///
    /// # Errors
    /// When the catalog cannot be read.
    pub fn stage(&self, name: &str) -> Result<StageRecord> {
        Ok(self.catalog.get(Table::Stage, name.as_bytes())?.unwrap_or_default())
    }

    /// The page table of a site.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn site_pages(&self, head: &SiteHead) -> Result<SitePages> {
        let read = |&at: &u64| {
            let chunk = self.sites.read(RecordRef(at))?;
            // Checking looks at every byte, most of which are not needed soon.
            chunk.release();
            Ok(chunk)
        };
        Ok(SitePages { chunks: head.chunks.iter().map(read).collect::<Result<_>>()?, count: head.pages })
    }
}

/// The page table of one site, in mapped memory.
pub struct SitePages {
    chunks: Vec<Mapped<SiteChunk>>,
    count: u32,
}

impl SitePages {
    /// The chunk a page lies in, and its place there.
    pub fn chunk(&self, page: u32) -> (&ArchivedSiteChunk, usize) {
        let page = page as usize;
        (self.chunks[page / CHUNK_PAGES].get(), page % CHUNK_PAGES)
    }

    /// The page with an address (without scheme).
    pub fn find(&self, identity: &str) -> Option<u32> {
        use crate::index::site::Addresses;
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.identity(middle).cmp(identity) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The address of a page, with its scheme.
    pub fn url(&self, page: u32) -> String {
        let (chunk, at) = self.chunk(page);
        format!("{}{}", if chunk.https[at] { "https://" } else { "http://" }, chunk.identity(at))
    }
}

impl crate::index::site::Addresses for SitePages {
    fn count(&self) -> u32 {
        self.count
    }

    fn identity(&self, page: u32) -> &str {
        let (chunk, at) = self.chunk(page);
        chunk.identity(at)
    }

    fn release(&self) {
        self.chunks.iter().for_each(Mapped::release);
    }
}

impl Pages for SitePages {
    fn facts(&self, page: u32) -> PageFacts {
        let (chunk, at) = self.chunk(page);
        chunk.facts(at)
    }

    fn detected(&self, page: u32) -> Lang {
        let (chunk, at) = self.chunk(page);
        chunk.detected(at)
    }
}

/// Key of a language pair's model.
pub fn model_key(langs: LangPair) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&langs.a.to_bytes());
    key[8..].copy_from_slice(&langs.b.to_bytes());
    key
}

/// The links between sites, in mapped memory.
pub struct SiteWeb {
    chunks: Vec<Mapped<WebRecord>>,
}

impl SiteWeb {
    /// The name of a site; empty where there is none.
    pub fn name(&self, site: u32) -> &str {
        let Some(first) = self.chunks.first() else { return "" };
        let end = |at: u32| first.name_ends.get(at as usize).map_or(0, |end| end.to_native() as usize);
        let start = site.checked_sub(1).map_or(0, end);
        first.names.get(start..end(site)).unwrap_or("")
    }

    /// C(w) of a site of the store.
    pub fn credibility(&self, site: u32) -> f64 {
        self.chunks.first().and_then(|c| c.credibility.get(site as usize)).map_or(0.0, |found| found.to_native())
    }

    /// Pairs of a site of the store.
    pub fn pairs(&self, site: u32) -> u64 {
        self.chunks.first().and_then(|c| c.pairs.get(site as usize)).map_or(0, |found| found.to_native())
    }
}

impl Web for SiteWeb {
    fn stored(&self) -> u32 {
        self.chunks.first().map_or(0, |first| first.credibility.len() as u32)
    }

    fn count(&self) -> u32 {
        self.chunks.first().map_or(0, |first| first.name_ends.len() as u32)
    }

    fn for_each_link(&self, mut each: impl FnMut(u32, u32, u32)) {
        for chunk in &self.chunks {
            let mut start = 0;
            for (end, from) in chunk.ends.iter().zip(chunk.first.to_native()..) {
                let end = (end.to_native() as usize).min(chunk.targets.len()).min(chunk.links.len());
                let row = start.min(end)..end;
                for (to, links) in chunk.targets[row.clone()].iter().zip(&chunk.links[row]) {
                    each(from, to.to_native(), links.to_native());
                }
                start = end;
            }
        }
    }
}

/// The links of one site's pages, in mapped memory.
pub struct SiteLinks {
    chunks: Vec<Mapped<GraphRecord>>,
}

impl SiteLinks {
    /// The records, in the order of pages.
    pub fn chunks(&self) -> impl Iterator<Item = &ArchivedGraphRecord> {
        self.chunks.iter().map(Mapped::get)
    }
}

impl Links for SiteLinks {
    fn for_each_link(&self, page: u32, each: &mut dyn FnMut(SiteLink)) {
        let Some(chunk) = self.chunks.get(page as usize / CHUNK_PAGES) else { return };
        for link in chunk.links(page as usize % CHUNK_PAGES) {
            each(link);
        }
    }

    fn for_each_alternate(&self, page: u32, each: &mut dyn FnMut(u32, Lang)) {
        let Some(chunk) = self.chunks.get(page as usize / CHUNK_PAGES) else { return };
        let start = chunk.alternates.partition_point(|row| row.from.to_native() < page);
        for row in chunk.alternates[start..].iter().take_while(|row| row.from.to_native() == page) {
            each(row.to.to_native(), Lang::from_bytes(row.lang));
        }
    }
}

fn fault(folder: &Path, problem: impl Into<String>) -> Error {
    Error::Store { path: folder.to_owned(), problem: problem.into() }
}

fn in_use(folder: &Path) -> Error {
    fault(folder, "in use by another process; wait until it ends")
}

fn lock(folder: &Path, access: Access) -> Result<File> {
    let path = folder.join("lock");
    let file = match access {
        Access::Write => File::options().create(true).truncate(false).write(true).open(&path),
        Access::Read => {
            File::open(&path).or_else(|_| File::options().create(true).truncate(false).write(true).open(&path))
        }
    };
    let file = file.map_err(Error::io(&path, "opening"))?;
    let since = Instant::now();
    loop {
        let tried = if access == Access::Write { file.try_lock() } else { file.try_lock_shared() };
        match tried {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if since.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(TryLockError::WouldBlock) => return Err(in_use(folder)),
            Err(TryLockError::Error(source)) => return Err(Error::Io { path, action: "locking", source }),
        }
    }
}

/// A folder that holds other things is not made a store by accident.
fn refuse_foreign_folder(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return if folder.exists() { Err(fault(folder, "not a folder; give another --store")) } else { Ok(()) };
    };
    let own = ["lock", "catalog", "tmp", "manifest.new"];
    for entry in entries.flatten() {
        if !own.iter().chain(KINDS.iter().map(|(name, _)| name)).any(|name| entry.file_name() == *name) {
            let name = entry.file_name();
            return Err(fault(
                folder,
                format!("holds {} and is no store; give an empty or new folder as --store", name.display()),
            ));
        }
    }
    Ok(())
}

fn manifest_crc(format: u32, sentinel: &Sentinel) -> u32 {
    let numbers = [u64::from(format), sentinel.commit].into_iter().chain(sentinel.ends.iter().copied());
    numbers.fold(0, |crc, number| crc32c::crc32c_append(crc, &number.to_le_bytes()))
}

fn read_manifest(folder: &Path, path: &Path) -> Result<Manifest> {
    let text = fs::read(path).map_err(Error::io(path, "reading"))?;
    let manifest: serde_json::Value =
        serde_json::from_slice(&text).map_err(|error| damaged_manifest(folder, &error.to_string()))?;
    let format = manifest.get("format").and_then(serde_json::Value::as_u64);
    match format {
        Some(format) if format == u64::from(FORMAT_VERSION) => {}
        Some(format) => {
            let what =
                if format > u64::from(FORMAT_VERSION) { "use a newer release" } else { "ingest its archives again" };
            return Err(fault(
                folder,
                format!("written in format {format}, this program reads {FORMAT_VERSION}; {what}"),
            ));
        }
        None => return Err(damaged_manifest(folder, "no format is told")),
    }
    let manifest: Manifest =
        serde_json::from_value(manifest).map_err(|error| damaged_manifest(folder, &error.to_string()))?;
    if manifest.crc != manifest_crc(manifest.format, &manifest.sentinel) {
        return Err(damaged_manifest(folder, "its checksum does not fit"));
    }
    Ok(manifest)
}

fn damaged_manifest(folder: &Path, why: &str) -> Error {
    fault(
        folder,
        format!("manifest.json is damaged ({why}); delete that file and run again: what the record files hold is kept"),
    )
}
