//! Stores whose contents are changed and whose checksums are right: what lies behind the checksums is tried.
//!
//! A seed is a part of the store: what a frame of a record file holds, unpacked; the header of a segment; a value or a key of the view; a run
//! of the view; the manifest. What became of it is packed again, framed, and put in its place. A frame that has become too long for
//! its place goes to the end of its file, and the view names it there.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use diglot::config::Config;
use diglot::inputs::Inputs;
use diglot::laboratory::store::{
    BUNDLE_MAGIC, FRAME_HEADER, FRAME_MAGIC, MANIFEST, Manifest, PACKED_MAGIC, RunWriter, VIEW, View, folders, frame,
    framed, hole, pack, pack_small, sealed_manifest, sealed_run, segment_header,
};
use diglot::pipeline::{self, Context, Silent};
use diglot::query::{self, PairFilter, PairOrder, Scope, realign};
use diglot::store::{Access, Store};
use diglot::types::CanonicalUrl;
use diglot::upkeep::{self, Removal};
use tempfile::TempDir;

use super::seeds;
use crate::Result;

/// Bytes before the part: its number, and what else is done.
pub const HEAD: usize = 3;
/// Values of the view that are tried as parts of their own; all are in its run.
const MAX_VALUES: usize = 400;

/// What is changed.
enum Part {
    /// What a frame of a file holds.
    Frame {
        name: PathBuf,
        range: Range<usize>,
        magic: u32,
        kind: usize,
    },
    /// The header of a segment: three numbers.
    Header {
        name: PathBuf,
    },
    /// The value of the view at a place, or its key.
    Value(usize),
    Key(usize),
    /// The run of the view.
    Run,
    Manifest,
}

/// A store, and its parts.
pub struct Sealed {
    folder: TempDir,
    files: BTreeMap<PathBuf, Vec<u8>>,
    parts: Vec<Part>,
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    manifest: Manifest,
    run: (u64, PathBuf),
    pub seeds: Vec<Vec<u8>>,
}

type Asked = std::result::Result<(), String>;

/// A store of the sample with something of every kind of record that the sample gives.
pub fn sample(folder: &Path, config: &Config) -> Result<()> {
    let inputs = Inputs::from(&[seeds::repository("data/sites/packaging")][..]);
    let stop = AtomicBool::new(false);
    let context = Context { config, inputs: &inputs, observer: &Silent, stop: &stop };
    let mut store = Store::open(folder, Access::Write)?;
    pipeline::run(&mut store, &context, "align")?;
    // One page less, so that keys make URLs that are missing.
    let urls = vec!["http://fr.packaging.site.test/communication.html".to_owned()];
    upkeep::remove(&mut store, &Removal { urls, ..Removal::default() })?;
    let inputs = Inputs::default();
    let context = Context { inputs: &inputs, ..context };
    pipeline::run(&mut store, &context, "align")?;
    let explored = pipeline::explore::Explored::open(&store, &context, false)?;
    pipeline::explore::keep(&mut store, &explored, false)?;
    let by = diglot::explore::By::Linkout;
    pipeline::explore::remember(&mut store, &explored, by, false, vec!["ex.org".to_owned()])?;
    let scope = Scope::all();
    let request = pipeline::recover::Request { scope: &scope, indexes: &[], top: None, min_chance: 0.0, again: false };
    let plan = pipeline::recover::plan(&store, &context, &request)?;
    pipeline::recover::remember(&mut store, &plan.pages)?;
    Ok(())
}

impl Sealed {
    /// A store of the sample, its view in one run.
    pub fn make() -> Result<Sealed> {
        let folder = TempDir::new()?;
        let path = folder.path();
        sample(path, &Config::default())?;
        let mut manifest = Manifest::read(path)?;
        let mut entries = Vec::new();
        View::open(path, &manifest.view)?.scan(&[], |key, value| {
            entries.push((key.to_vec(), value.to_vec()));
            Ok(true)
        })?;
        let number = 1 + manifest.view.iter().map(|run| run.number).max().unwrap_or(0);
        manifest.view.iter().try_for_each(|run| fs::remove_file(run.path(&path.join(VIEW))))?;
        let run = write_run(path, number, &entries)?;
        manifest.view = vec![run];
        let manifest = sealed_manifest(manifest);
        manifest.write(path)?;
        let run_name = run.path(Path::new(VIEW));
        let mut sealed = Sealed {
            files: BTreeMap::new(),
            parts: Vec::new(),
            entries,
            manifest,
            run: (number, run_name),
            seeds: Vec::new(),
            folder,
        };
        sealed.find_parts()?;
        Ok(sealed)
    }

    fn find_parts(&mut self) -> Result<()> {
        for (kind, folder) in folders().into_iter().enumerate() {
            let name = PathBuf::from(folder).join("000000.rec");
            let Ok(segment) = fs::read(self.folder.path().join(&name)) else { continue };
            for found in framed(&segment) {
                let part = Part::Frame { name: name.clone(), range: found.range, magic: found.magic, kind };
                self.add(part, &found.payload);
            }
            let header = segment.get(8..12).into_iter().chain(segment.get(16..24)).flatten().copied();
            let header: Vec<u8> = header.collect();
            self.add(Part::Header { name: name.clone() }, &header);
            self.files.insert(name, segment);
        }
        let step = self.entries.len().div_ceil(MAX_VALUES).max(1);
        for at in (0..self.entries.len()).step_by(step) {
            let (key, value) = self.entries[at].clone();
            self.add(Part::Value(at), &value);
            // Sites are numbered without gaps, and queries go through their numbers: a far one takes as long as there are before it.
            if at % 8 == 0 && key.len() != 5 {
                self.add(Part::Key(at), &key);
            }
        }
        for (part, name) in [(Part::Run, self.run.1.clone()), (Part::Manifest, MANIFEST.into())] {
            let bytes = fs::read(self.folder.path().join(&name))?;
            self.add(part, &bytes);
            self.files.insert(name, bytes);
        }
        Ok(())
    }

    fn add(&mut self, part: Part, bytes: &[u8]) {
        let number = (self.parts.len() as u16).to_le_bytes();
        self.seeds.push([&number[..], &[1], bytes].concat());
        self.parts.push(part);
    }

    /// Does `work` on the store while a part of it is as the input says.
    pub fn with(&self, input: &[u8], work: impl FnOnce(&Path) -> Asked) -> Asked {
        let Some((&[low, high, how], bytes)) = input.split_first_chunk::<HEAD>() else { return Ok(()) };
        let part = &self.parts[usize::from(u16::from_le_bytes([low, high])) % self.parts.len()];
        let put = self.put(part, how, bytes);
        let outcome = put.map_err(|error| error.to_string()).map(|()| {
            let work = || work(self.folder.path());
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        });
        for (name, bytes) in self.changed(part) {
            fs::write(self.folder.path().join(name), bytes).map_err(|error| error.to_string())?;
        }
        outcome?.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// The files that a part may change, as they were.
    fn changed(&self, part: &Part) -> impl Iterator<Item = (&PathBuf, &Vec<u8>)> {
        let own = match part {
            Part::Frame { name, .. } | Part::Header { name } => Some(name.clone()),
            _ => None,
        };
        let is_changed =
            move |name: &Path| own.as_deref() == Some(name) || name.starts_with(VIEW) || name == Path::new(MANIFEST);
        self.files.iter().filter(move |(name, _)| is_changed(name))
    }

    fn put(&self, part: &Part, how: u8, bytes: &[u8]) -> Result<()> {
        let path = |name: &Path| self.folder.path().join(name);
        match part {
            Part::Header { name } => {
                let number = |at: usize| bytes.get(at..at + 4).map_or(0, seeds::number);
                let mut segment = self.files[name].clone();
                let header = segment_header(number(0), number(4), number(8));
                segment.splice(..header.len(), header);
                fs::write(path(name), segment)?;
            }
            Part::Frame { .. } => self.put_frame(part, how, bytes)?,
            Part::Value(at) | Part::Key(at) => {
                let mut entries = self.entries.clone();
                let entry = &mut entries[*at];
                *(if matches!(part, Part::Key(_)) { &mut entry.0 } else { &mut entry.1 }) = bytes.to_vec();
                // A view of which the order of keys is wrong is one that only a program writes that is wrong; as is one without.
                if !how.is_multiple_of(16) {
                    entries.sort();
                    entries.dedup_by(|one, other| one.0 == other.0);
                }
                self.put_view(&entries, self.manifest.clone())?;
            }
            Part::Run => {
                let mut bytes = bytes.to_vec();
                let run = sealed_run(&mut bytes, self.run.0);
                fs::write(path(&self.run.1), bytes)?;
                let mut manifest = self.manifest.clone();
                manifest.view = vec![run];
                sealed_manifest(manifest).write(self.folder.path())?;
            }
            Part::Manifest => match serde_json::from_slice::<Manifest>(bytes) {
                Ok(manifest) => sealed_manifest(manifest).write(self.folder.path())?,
                Err(_) => fs::write(path(Path::new(MANIFEST)), bytes)?,
            },
        }
        Ok(())
    }

    fn put_view(&self, entries: &[(Vec<u8>, Vec<u8>)], mut manifest: Manifest) -> Result<()> {
        let run = write_run(self.folder.path(), self.run.0, entries)?;
        manifest.view = vec![run];
        Ok(sealed_manifest(manifest).write(self.folder.path())?)
    }

    fn put_frame(&self, part: &Part, how: u8, bytes: &[u8]) -> Result<()> {
        let Part::Frame { name, range, magic, kind } = part else { return Ok(()) };
        let mut segment = self.files[name].clone();
        let room = range.len() - FRAME_HEADER as usize;
        // Mostly as it was; else packed where it was not, and the other way round; or unpacked and said to be packed; or a hole of any length.
        let (magic, is_packed) = match how % 32 {
            0 if *magic != BUNDLE_MAGIC => (FRAME_MAGIC + PACKED_MAGIC - magic, *magic == FRAME_MAGIC),
            2 => (PACKED_MAGIC, false),
            3 => {
                let length = bytes.get(..4).map_or(0, seeds::number);
                segment.splice(range.start..range.start + FRAME_HEADER as usize, hole(length, range.start));
                return Ok(fs::write(self.folder.path().join(name), segment)?);
            }
            _ => (*magic, *magic == PACKED_MAGIC),
        };
        let payload = if magic == BUNDLE_MAGIC {
            let (count, content) = bytes.split_at(bytes.len().min(4));
            let packed = pack(content)?;
            [count, &if packed.len() + count.len() > room { pack_small(content)? } else { packed }].concat()
        } else if is_packed {
            let packed = pack(bytes)?;
            if packed.len() > room { pack_small(bytes)? } else { packed }
        } else {
            bytes.to_vec()
        };
        let made = frame(magic, &payload, range.start);
        if let Some(left) = range.len().checked_sub(made.len()) {
            let behind = range.start + made.len();
            segment.splice(range.start..behind, made);
            if left > 0 {
                let length = left as u32 - FRAME_HEADER as u32;
                segment.splice(behind..behind + FRAME_HEADER as usize, hole(length, behind));
            }
            return Ok(fs::write(self.folder.path().join(name), segment)?);
        }
        let at = segment.len();
        segment.extend(frame(magic, &payload, at));
        segment.splice(range.start..range.start + FRAME_HEADER as usize, hole(room as u32, range.start));
        let mut manifest = self.manifest.clone();
        if let Some(end) = manifest.sentinel.ends.get_mut(*kind) {
            *end = segment.len() as u64;
        }
        fs::write(self.folder.path().join(name), segment)?;
        let (old, new) = ((range.start as u64).to_le_bytes(), (at as u64).to_le_bytes());
        let mut entries = self.entries.clone();
        for (_, value) in &mut entries {
            for place in 0..value.len().saturating_sub(7) {
                if value[place..place + 8] == old {
                    value[place..place + 8].copy_from_slice(&new);
                }
            }
        }
        self.put_view(&entries, manifest)
    }
}

fn write_run(folder: &Path, number: u64, entries: &[(Vec<u8>, Vec<u8>)]) -> Result<diglot::laboratory::store::RunName> {
    let mut writer = RunWriter::create(&folder.join(VIEW), number, 0)?;
    for (key, value) in entries {
        writer.push(key, Some(value))?;
    }
    Ok(writer.finish()?)
}

/// Asks a store all that it can be asked. Errors are answers too.
pub fn ask(folder: &Path, config: &Config) {
    let Ok(store) = Store::open(folder, Access::Read) else { return };
    let all = Scope::all();
    let _ = (query::archives(&store), query::refused(&store), query::totals(&store), query::hosts(&store));
    let _ = (query::patterns(&store), query::gains(&store), query::scarcity(&store, config));
    let _ = (query::pairs(&store, config, &all), query::assigned(&store, config, &all));
    let _ = (query::keys(&store, config, &all, true), query::key_examples(&store, config, &all));
    let _ = query::bitext::for_each_bead(
        &store,
        config,
        &all,
        query::bitext::Asked { all: true, alternatives: true, records: true, pages: true, totals: true },
        |_| Ok(()),
    );
    let _ = query::bitext::for_each_page_pair(&store, &all, |_, _, _| Ok(()));
    let _ = query::for_each_document(&store, config, &all, true, &|_| true, |_| Ok(()));
    let _ = query::for_each_page(&store, config, &all, &|_| true, |_| Ok(()));
    let _ = query::for_each_record(&store, config, &all, &|_| true, |_| Ok(()));
    let _ = (query::fetch(&store, &all, &|_| true), query::overview(&store, config, |_, _| Ok(())));
    let filter = PairFilter { scores: (0.0, 1.0), ..PairFilter::default() };
    let _ = query::pairs_page(&store, config, &all, &filter, PairOrder::LowScore, 0..50);
    let _ = query::lone_pages(&store, config, &all, query::LoneFilter::default(), 0..50);
    let _ = realign::for_each_bead(&store, &all, realign::Means::Lengths, |_| true, |_, _, _| Ok(()));
    let url = |lang: &str| CanonicalUrl::parse(&format!("http://{lang}.packaging.site.test/support.html"));
    if let (Ok(one), Ok(other)) = (url("fr"), url("de")) {
        let _ = diglot::explain(&store, config, &one, Some(&other)).map(|_| ());
        let _ = (query::nearest(&store, &one), query::reading(&store, config, [&one, &other], 1 << 16));
    }
}

/// Does to a copy of a store what commands that write do.
pub fn keep_up(folder: &Path, config: &Config, input: u64) -> Asked {
    let copy = TempDir::new().map_err(|error| error.to_string())?;
    copy_folder(folder, copy.path()).map_err(|error| error.to_string())?;
    // Half of the time the token index is made again, from the page tables.
    if input & 1 > 0 {
        let _ = fs::remove_dir_all(copy.path().join("tokens"));
    }
    let inputs = Inputs::default();
    let stop = AtomicBool::new(false);
    let context = Context { config, inputs: &inputs, observer: &Silent, stop: &stop };
    let Ok(mut store) = Store::open(copy.path(), Access::Write) else { return Ok(()) };
    match (input >> 1) % 4 {
        0 => {
            let _ = store.compact(&());
        }
        1 => {
            let urls = vec!["http://de.packaging.site.test/support.html".to_owned()];
            let _ = upkeep::remove(&mut store, &Removal { urls, ..Removal::default() });
        }
        2 => {
            drop(store);
            let report = Store::open(copy.path(), Access::Read).and_then(|store| store.check(&()));
            let Ok(report) = report else { return Ok(()) };
            let repaired = Store::open(copy.path(), Access::Write).and_then(|store| store.repair(&report.damage));
            let Ok(repaired) = repaired else { return Ok(()) };
            store = repaired;
        }
        _ => {}
    }
    let _ = pipeline::run(&mut store, &context, "align");
    drop(store);
    ask(copy.path(), config);
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
