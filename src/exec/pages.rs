//! Archives → pages, by the families of their domains.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::coding;
use super::job::{StepJob, expect};
use super::rows::{EngineRow, Input, Output};
use crate::archive::{self, Limits};
use crate::config::fields;
use crate::error::{Error, Result};
use crate::intake::{Asking, Sink, take};
use crate::language::asked::Answer;
use crate::pipeline::stages::align::Align;
use crate::pipeline::stages::index::Index;
use crate::pipeline::stages::ingest::Ingest;
use crate::pipeline::stages::iterate::Iterate;
use crate::pipeline::stages::keys::Keys;
use crate::pipeline::stages::links::Links;
use crate::pipeline::stages::verify::Verify;
use crate::pipeline::{Stage, fingerprint};
use crate::program::{LANGUAGES, Program};
use crate::store::Captures;
use crate::store::layout::{ArchiveIdentity, PageEntry, SkipEntry};
use crate::types::{Skip, family, host_of};

/// The kind of rows of pages. Name: family of their domains; number: archive; count: pages.
pub const PAGE: &str = "page";
/// Size of the pages in a row, approximately, in bytes.
pub const ROW_BYTES: usize = 256 << 10;

/// How many damaged places of an archive are named at most.
const DAMAGES: usize = 3;
/// Stages whose settings require steps to be repeated: `pages`; up to `divide`; up to `judge`; up to `merge`. Listings depend on all
/// settings.
const STAGES: [(&str, &[&dyn Stage]); 4] =
    [("pages", &[&Ingest]), ("keys", &[&Index, &Links, &Keys]), ("judge", &[&Verify, &Iterate]), ("align", &[&Align])];

/// Writes hashes of the settings on which steps depend; each hash covers its group and the groups before.
fn settings(job: &StepJob<'_>, output: &mut Output<'_>) -> Result<()> {
    // How many page pairs are proposed for a sample is decided in the step that judges them.
    let sampled = fields::changed(job.config, &["align.train"]);
    for (name, stages) in STAGES {
        let mut hasher = Xxh3::new();
        stages.iter().for_each(|&stage| hasher.update(&fingerprint(stage, job.config).to_le_bytes()));
        hasher.update(format!("{sampled:?}").as_bytes());
        let (kind, name, number) = ("settings".to_owned(), name.to_owned(), hasher.digest() as i64);
        output.put(&EngineRow { part: -1, kind, name, number, count: 1, data: None })?;
    }
    Ok(())
}

/// Names archives: input rows, whose number is that of the archive.
pub fn inputs(job: &StepJob<'_>, _: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let found = archive::expand(job.inputs, job.keep_going, &job.config.archive, &|_| false)?;
    if found.archives.iter().any(|path| path.as_os_str() == archive::STREAM) {
        return Err(Error::Config("standard input can be read once; give files".into()));
    }
    for refused in &found.refused {
        let row = refused_row(0, &refused.path.display().to_string(), &refused.reason);
        output.put(&EngineRow { count: i64::from(refused.is_fault), ..row })?;
    }
    settings(job, output)?;
    for (path, number) in found.archives.iter().zip(0..) {
        let stat = archive::stat(path)?;
        output.put(&EngineRow {
            part: -1,
            kind: "input".into(),
            name: stat.path.display().to_string(),
            number,
            count: stat.bytes as i64,
            data: None,
        })?;
    }
    Ok(())
}

fn refused_row(number: i64, path: &str, reason: &str) -> EngineRow {
    let data = Some(reason.as_bytes().to_vec());
    EngineRow { part: -1, kind: "refused".into(), name: path.to_owned(), number, count: 1, data }
}

/// Reads the archives named in the rows of [`inputs`]; where a row has data, these are the path of a copy, which the engine has made. An
/// archive that cannot be read gives a row with the reason; such rows that are given are passed on.
pub fn pages(job: &StepJob<'_>, input: &mut Input, output: &mut Output<'_>) -> Result<()> {
    let mut program = None;
    while let Some(row) = input.read()? {
        expect(&row, &["input", "settings", "refused"])?;
        if row.kind == "refused" {
            output.put(&row)?;
        }
        if row.kind != "input" {
            continue;
        }
        let number = u32::try_from(row.number)
            .map_err(|_| Error::input(&row.name, format!("{} is no number of an archive", row.number)))?;
        let path = match &row.data {
            None => PathBuf::from(&row.name),
            Some(_) => PathBuf::from(std::str::from_utf8(row.bytes()?).map_err(|_| row.senseless())?),
        };
        if program.is_none() {
            program = Program::start(&LANGUAGES, &job.config.ingest.program)?;
        }
        match read(job, (number, &path, &row.name), &mut program, output) {
            Ok(()) => {}
            Err(Failure::Run(error)) => return Err(error),
            Err(Failure::Archive(error)) => output.put(&refused_row(row.number, &row.name, &error.reason()))?,
        }
    }
    program.map_or(Ok(()), Program::finish)
}

/// Why an archive was not read to its end.
enum Failure {
    /// The archive is at fault.
    Archive(Error),
    /// The step itself fails.
    Run(Error),
}

/// An input/output error may not occur elsewhere or later, so it fails the step, unless the run is to go on without the archive.
fn of_archive(error: Error, keep_going: bool) -> Failure {
    match error {
        Error::Interrupted => Failure::Run(error),
        Error::Io { .. } if !keep_going => Failure::Run(error),
        error => Failure::Archive(error),
    }
}

fn read(
    job: &StepJob<'_>,
    (number, path, name): (u32, &Path, &str),
    program: &mut Option<Program<Answer>>,
    output: &mut Output<'_>,
) -> Result<(), Failure> {
    let config = job.config;
    let of_archive = |error| of_archive(error, job.keep_going);
    let stat = archive::stat(path).map_err(of_archive)?;
    let fingerprint = archive::fingerprint(&stat.path, &|_| Ok(())).map_err(of_archive)?;
    let format = archive::format_of(path).map_err(of_archive)?.name().to_owned();
    let source = archive::open(&stat.path, 0, &config.archive).map_err(of_archive)?;
    let identity = ArchiveIdentity { path: name.to_owned(), format, bytes: stat.bytes, fingerprint };
    let limits = Limits { bytes: config.ingest.portion_bytes, records: config.ingest.portion_records };
    let stop = || job.in_context(|context| context.check_stop());
    let mut sorting = Sorting { archive: number, ..Sorting::default() };
    let mut outcome = Ok(());
    for portion in archive::portions(source, limits, &stop) {
        match portion {
            Ok(portion) => {
                let asking = program.as_mut().map(|program| Asking { program, stop: &stop });
                take(&mut sorting, config, asking, portion, &|| ()).map_err(Failure::Run)?;
            }
            Err(error) => {
                outcome = Err(of_archive(error));
                break;
            }
        }
        if sorting.bytes >= config.ingest.commit_bytes {
            settle(program)?;
            sorting.write(output).map_err(Failure::Run)?;
        }
    }
    if outcome.is_ok() && !sorting.is_done {
        outcome = Err(of_archive(archive::unforeseen(name)));
    }
    settle(program)?;
    sorting.write(output).map_err(Failure::Run)?;
    let row = |kind: &str, name: String, count: u64, data| EngineRow {
        part: -1,
        kind: kind.to_owned(),
        name,
        number: i64::from(number),
        count: count as i64,
        data,
    };
    let put = |output: &mut Output<'_>| -> Result<()> {
        output.put(&row("archive", identity.path.clone(), sorting.records, Some(coding::encode(&identity)?)))?;
        output.put(&row("fingerprint", format!("{fingerprint:016x}"), 1, None))?;
        for (offset, what) in &sorting.damage {
            let (kind, name, number) = ("damage".to_owned(), identity.path.clone(), *offset as i64);
            output.put(&EngineRow { part: -1, kind, name, number, count: 1, data: Some(what.clone().into_bytes()) })?;
        }
        for (reason, count) in &sorting.skips {
            output.leave_out(reason, *count);
            output.put(&row("skipped", (*reason).to_owned(), *count, None))?;
        }
        Ok(())
    };
    put(output).map_err(Failure::Run)?;
    outcome
}

fn settle(program: &mut Option<Program<Answer>>) -> Result<(), Failure> {
    program.as_mut().map_or(Ok(()), Program::settle).map_err(Failure::Run)
}

/// Captures of an archive, sorted by the families of their domains.
#[derive(Default)]
struct Sorting {
    archive: u32,
    families: BTreeMap<String, Family>,
    skips: BTreeMap<&'static str, u64>,
    records: u64,
    bytes: usize,
    /// True once the archive has been read to its end.
    is_done: bool,
    /// Offsets of damage, with descriptions.
    damage: Vec<(u64, String)>,
}

#[derive(Default)]
struct Family {
    pages: Vec<(PageEntry, Vec<u8>)>,
    skipped: Vec<SkipEntry>,
}

impl Sink for Sorting {
    fn archive(&self) -> u32 {
        self.archive
    }

    fn records(&mut self, records: u64, _: u64, done: bool) {
        self.records += records;
        self.is_done = done;
    }

    fn pages(&mut self, pages: Vec<(PageEntry, Vec<u8>)>) -> Result<()> {
        for page in pages {
            let name = family(host_of(&page.0.identity));
            match self.families.get_mut(name.as_ref()) {
                Some(family) => family.pages.push(page),
                None => {
                    self.families.insert(name.into_owned(), Family { pages: vec![page], skipped: Vec::new() });
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, skip: Skip, identity: Option<String>, declared: Vec<u8>) {
        *self.skips.entry(skip.reason.name()).or_default() += 1;
        if skip.reason.is_damage() && self.damage.len() < DAMAGES {
            self.damage.push((skip.offset, format!("{}: {}", skip.reason.name(), skip.detail)));
        }
        if let Some(identity) = identity.filter(|_| skip.reason.is_of_page()) {
            let Skip { reason, offset, length, detail, .. } = skip;
            let family = self.families.entry(family(host_of(&identity)).into_owned()).or_default();
            let archive = self.archive;
            family.skipped.push(SkipEntry {
                identity,
                reason: reason as u8,
                detail,
                archive,
                offset,
                length,
                declared,
            });
        }
    }

    fn weigh(&mut self, bytes: usize) {
        self.bytes += bytes;
    }
}

impl Sorting {
    fn write(&mut self, output: &mut Output<'_>) -> Result<()> {
        self.bytes = 0;
        for (name, Family { pages, skipped }) in std::mem::take(&mut self.families) {
            for portion in Captures::pack(pages, skipped, ROW_BYTES)? {
                output.put(&EngineRow {
                    part: part_of(&name),
                    kind: PAGE.into(),
                    name: name.clone(),
                    number: i64::from(self.archive),
                    count: portion.pages.len() as i64,
                    data: Some(coding::of_captures(&portion)?),
                })?;
            }
        }
        Ok(())
    }
}

/// A number that all sites of a family have in common.
fn part_of(family: &str) -> i32 {
    (xxh3_64(family.as_bytes()) >> 33) as i32
}
