//! Makes page records and batches from archives. Unit of work: a portion of the records of one archive.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::archive::{self, Archive, Limits, Portion, Refused, Stat, Stream, Tally};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::intake::{Asking, Sink, take};
use crate::language::DETECTION;
use crate::language::asked::Answer;
use crate::pipeline::{Context, Stage, fingerprint};
use crate::program::{LANGUAGES, Program};
use crate::store::catalog::Changes;
use crate::store::layout::{ArchiveIdentity, ArchiveRecord, PageEntry, StageRecord};
use crate::store::{InputNotes, OpenBatch, Store};
use crate::types::{ArchiveId, EXTRACTION, Skip, counted};

/// The stage that reads archives.
pub struct Ingest;

/// Notes about inputs that are collected for one commit.
const NOTES: usize = 1000;
/// How many records of a portion are worked on between two reports of progress.
const TELL_EVERY: u64 = 16;
/// A position above this is not one in bytes; it comes from an input whose end is not known.
const MOST_BYTES: u64 = 1 << 50;

impl Stage for Ingest {
    fn name(&self) -> &'static str {
        "ingest"
    }

    fn version(&self) -> u32 {
        // Each of them only grows.
        EXTRACTION + DETECTION
    }

    fn sections(&self) -> &'static [&'static str] {
        &["archive", "extract", "ingest.program", "ingest.min_probability"]
    }

    fn remaining(&self, store: &Store, _: &Config) -> Result<String> {
        let partial = store.archives()?.iter().filter(|archive| !archive.done && !archive.is_removed()).count();
        Ok(if partial == 0 { String::new() } else { counted(partial as u64, "archive") + " read in part" })
    }

    fn run(&self, store: &mut Store, context: &Context<'_>) -> Result<()> {
        let mut changes = Changes::default();
        let record = StageRecord { fingerprint: fingerprint(self, context.config), cursor: 0, finished: true };
        if store.stage(self.name())? != record {
            changes.put_stage(self.name(), &record);
            store.commit(changes)?;
        }
        let (notes, tally) = (InputNotes::default(), Tally::default());
        let passed_over = store.refused()?.into_iter().filter(|refused| !refused.is_fault);
        let passed_over = passed_over.map(|refused| PathBuf::from(refused.path)).collect();
        let mut reading = Reading { store, context, notes, tally, passed_over, program: None };
        let outcome = reading.all().and_then(|()| reading.program.take().map_or(Ok(()), Program::finish));
        let kept = reading.store.keep_notes(&mut reading.notes);
        context.observer.inputs(&reading.tally);
        outcome?;
        kept?;
        Ok(())
    }
}

/// Why an archive is not read to its end: the archive fails, or the whole run does.
enum Failure {
    Archive(Error),
    Run(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Run(error)
    }
}

fn of_archive(error: Error) -> Failure {
    if matches!(error, Error::Interrupted) { Failure::Run(error) } else { Failure::Archive(error) }
}

/// Inputs that are being read into a store.
struct Reading<'r> {
    store: &'r mut Store,
    context: &'r Context<'r>,
    notes: InputNotes,
    tally: Tally,
    /// What earlier runs have found in folders and by patterns, and have not read.
    passed_over: Vec<PathBuf>,
    /// The language program, once something is read for which it may be asked.
    program: Option<Program<Answer>>,
}

impl Reading<'_> {
    fn all(&mut self) -> Result<()> {
        let inputs = self.context.inputs;
        inputs.refused.iter().for_each(|refused| self.refuse(refused.clone()));
        for (at, path) in inputs.archives.iter().enumerate() {
            let place = format!("{} ({} of {})", path.display(), at + 1, inputs.archives.len());
            match self.archive(path, &place) {
                Err(Failure::Archive(error)) if inputs.keep_going => {
                    let path = path.canonicalize().unwrap_or_else(|_| path.clone());
                    self.refuse(Refused { path, reason: error.reason(), is_fault: true });
                }
                Err(Failure::Archive(error) | Failure::Run(error)) => {
                    self.tally.not_begun = (inputs.archives.len() - at - 1) as u64;
                    return Err(error);
                }
                Ok(()) => {}
            }
            if self.notes.len() >= NOTES {
                self.store.keep_notes(&mut self.notes)?;
            }
        }
        Ok(())
    }

    fn refuse(&mut self, refused: Refused) {
        self.notes.refused(&refused.path, refused.reason.clone(), refused.is_fault);
        self.tally.refused.push(refused);
    }

    fn archive(&mut self, path: &Path, place: &str) -> Result<(), Failure> {
        if path == Path::new(archive::STREAM) {
            return self.stream();
        }
        let stat = archive::stat(path).map_err(of_archive)?;
        let (fingerprint, id) = self.identify(&stat, place)?;
        let (number, mut known) = self.store.known_archive(id)?;
        if known.done {
            self.tally.read_before += 1;
        } else {
            let format = archive::format_of(path).map_err(of_archive)?.name().to_owned();
            let path = stat.path.display().to_string();
            let identity = ArchiveIdentity { path, format, bytes: stat.bytes, fingerprint };
            let source = archive::open(&stat.path, known.position, &self.context.config.archive).map_err(of_archive)?;
            if let Some(remark) = source.remark() {
                self.context.observer.message(&format!("{}: {remark}", stat.path.display()));
            }
            self.read(source, place, OpenBatch::new(number, identity, known.position), &mut known)?;
            self.count(&known);
        }
        self.note_read(&stat.path);
        Ok(())
    }

    /// Notes that an input was read, and with a folder all in it that this run does not refuse.
    fn note_read(&mut self, path: &Path) {
        let is_refused = |within: &Path| self.tally.refused.iter().any(|refused| refused.path == within);
        let within = self.passed_over.iter().filter(|within| within.starts_with(path));
        within.filter(|within| !is_refused(within)).for_each(|within| self.notes.read(within));
        self.notes.read(path);
    }

    /// Counts an archive that was read to its end.
    fn count(&mut self, archive: &ArchiveRecord) {
        self.tally.read += 1;
        self.tally.damaged += u64::from(archive.is_damaged());
    }

    /// Reads standard input. An input that was read before may have grown; the known part is skipped.
    fn stream(&mut self) -> Result<(), Failure> {
        let context = self.context;
        let stop = || context.check_stop();
        context.observer.begin("ingest", "waiting for standard input", "bytes", None);
        let stream = archive::patiently(Stream::of_standard_input, &stop)?.map_err(of_archive)?;
        let (fingerprint, format) = (stream.fingerprint(), stream.format().to_owned());
        let (number, mut known) = self.store.known_archive(self.store.archive_by_fingerprint(fingerprint)?)?;
        let identity = ArchiveIdentity { path: archive::STREAM.to_owned(), format, bytes: 0, fingerprint };
        let (position, params) = (known.position, context.config.archive.clone());
        let source = archive::patiently(move || stream.open(position, &params), &stop)?.map_err(of_archive)?;
        let (records, was_done) = (known.records, known.done);
        self.read(source, "standard input", OpenBatch::new(number, identity, position), &mut known)?;
        if known.records > records || !was_done {
            self.count(&known);
        } else {
            self.tally.read_before += 1;
        }
        self.notes.read(Path::new(archive::STREAM));
        Ok(())
    }

    /// The fingerprint of an archive, and its number if the store has it.
    fn identify(&mut self, stat: &Stat, place: &str) -> Result<(u64, Option<ArchiveId>), Failure> {
        let Context { inputs, observer, .. } = *self.context;
        let hint = self.store.hint(&stat.path)?.filter(|hint| !inputs.reread && hint.stamp == stat.stamp);
        let fingerprint = match &hint {
            Some(hint) => hint.fingerprint,
            None => {
                observer.begin("ingest", &format!("looking whether {place} is known"), "bytes", Some(stat.bytes));
                // A stop that is asked for at the last byte comes too late to matter.
                let told = |done| {
                    self.context.check_stop()?;
                    observer.progress(done, "");
                    Ok(())
                };
                archive::fingerprint(&stat.path, &told).map_err(of_archive)?
            }
        };
        let id = self.store.archive_by_fingerprint(fingerprint)?;
        if hint.is_none() {
            self.notes.hint(&stat.path, stat.stamp, fingerprint);
        }
        Ok((fingerprint, id))
    }

    fn read(
        &mut self,
        source: Box<dyn Archive>,
        place: &str,
        mut batch: OpenBatch,
        known: &mut ArchiveRecord,
    ) -> Result<(), Failure> {
        let ingest = &self.context.config.ingest;
        if self.program.is_none() {
            self.program = Program::start(&LANGUAGES, &ingest.program)?;
        }
        let end = source.end();
        self.context.observer.begin("ingest", place, "bytes", end);
        let limits = Limits { bytes: ingest.portion_bytes, records: ingest.portion_records };
        let context = self.context;
        let stop = || context.check_stop();
        self.take_portions(archive::portions(source, limits, &stop), &mut batch, known, end)?;
        if batch.is_done() { Ok(()) } else { Err(of_archive(archive::unforeseen(place))) }
    }

    fn take_portions(
        &mut self,
        portions: impl Iterator<Item = Result<Portion>>,
        batch: &mut OpenBatch,
        known: &mut ArchiveRecord,
        end: Option<u64>,
    ) -> Result<(), Failure> {
        // In the middle of a stream, some formats give a position that is not one in bytes.
        let mut done = end.map_or(0, |end| Some(known.position).filter(|at| *at <= end).unwrap_or_default());
        self.context.observer.progress(done, "");
        for portion in portions {
            let portion = match portion {
                Ok(portion) => portion,
                Err(error) => {
                    self.commit(batch, known)?;
                    return Err(of_archive(error));
                }
            };
            let to = Some(portion.progress).filter(|to| *to <= end.unwrap_or(MOST_BYTES)).unwrap_or(done);
            let context = self.context;
            let note = counted(known.pages + batch.page_count(), "page");
            let (records, worked) = (portion.items.len() as u64, AtomicU64::new(0));
            let tell = || {
                let worked = 1 + worked.fetch_add(1, Ordering::Relaxed);
                if worked.is_multiple_of(TELL_EVERY) {
                    context.observer.progress(done + to.saturating_sub(done) * worked.min(records) / records, &note);
                }
            };
            let stop = || context.check_stop();
            let asking = self.program.as_mut().map(|program| Asking { program, stop: &stop });
            take(&mut Batch { batch, store: self.store }, context.config, asking, portion, &tell)?;
            let stop = self.context.check_stop();
            if batch.is_done() || stop.is_err() || batch.bytes() >= self.context.config.ingest.commit_bytes {
                self.commit(batch, known)?;
                stop?;
            }
            done = to;
            self.context.observer.progress(done, &counted(known.pages + batch.page_count(), "page"));
        }
        if batch.is_done() { Ok(()) } else { Ok(self.commit(batch, known)?) }
    }

    fn commit(&mut self, batch: &mut OpenBatch, known: &mut ArchiveRecord) -> Result<()> {
        if let Some(program) = &mut self.program {
            program.settle()?;
        }
        batch.commit(self.store, &mut self.notes, known)
    }
}

/// A batch, and the store to which it belongs.
struct Batch<'b> {
    batch: &'b mut OpenBatch,
    store: &'b mut Store,
}

impl Sink for Batch<'_> {
    fn archive(&self) -> u32 {
        self.batch.archive()
    }

    fn records(&mut self, records: u64, to: u64, done: bool) {
        self.batch.count(records, to, done);
    }

    fn pages(&mut self, pages: Vec<(PageEntry, Vec<u8>)>) -> Result<()> {
        self.batch.pages(self.store, pages)
    }

    fn skip(&mut self, skip: Skip, identity: Option<String>, declared: Vec<u8>) {
        self.batch.skip(skip, identity, declared);
    }

    fn weigh(&mut self, bytes: usize) {
        self.batch.weigh(bytes);
    }
}
