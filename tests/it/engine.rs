//! An engine in one process: it passes rows from step to step of `diglot exec`, as Spark does on many machines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use arrow_ipc::reader::StreamReader;
use diglot::config::settings::configuration;
use diglot::error::Result;
use diglot::exec::{Content, EngineRow, Input, Output, StepJob, step};
use diglot::store::StoredSettings;

#[path = "../../src/export/as_json.rs"]
mod as_json;

/// How the work is divided, and done by what settings.
pub struct Engine {
    folder: tempfile::TempDir,
    settings: StoredSettings,
    parts: i32,
    buckets: u32,
    /// Rows of every step come in the opposite order.
    is_turned: bool,
    /// Every domain is divided into so many parts.
    divided: Option<u32>,
    jobs: u32,
    /// The steps that were done.
    pub calls: Vec<Call>,
}

/// A step with its rows, and those that all tasks are given.
#[derive(Clone)]
pub struct Call {
    pub name: String,
    pub rows: Vec<EngineRow>,
    pub with: Vec<Vec<EngineRow>>,
    partial: bool,
}

impl Engine {
    pub fn new(parts: i32, settings: &[(&str, &str)], is_turned: bool) -> Engine {
        let values = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let settings = StoredSettings { values };
        Engine { folder, settings, parts, buckets: parts as u32, is_turned, divided: None, jobs: 0, calls: Vec::new() }
    }

    /// One that divides every domain into so many parts.
    pub fn dividing(into: u32, settings: &[(&str, &str)], is_turned: bool) -> Engine {
        Engine { divided: Some(into), ..Engine::new(3, settings, is_turned) }
    }

    /// Runs a step on rows.
    pub fn step(&mut self, name: &str, rows: &[EngineRow], with: &[&Path]) -> Result<Vec<EngineRow>> {
        self.step_of(name, rows, with, &[], false)
    }

    fn step_of(
        &mut self,
        name: &str,
        rows: &[EngineRow],
        with: &[&Path],
        inputs: &[PathBuf],
        partial: bool,
    ) -> Result<Vec<EngineRow>> {
        self.jobs += 1;
        let given = |path: &&Path| Input::open(path)?.all();
        let given = with.iter().map(given).collect::<Result<_>>()?;
        self.calls.push(Call { name: name.to_owned(), rows: rows.to_vec(), with: given, partial });
        let scratch = self.folder.path().join(format!("task-{}", self.jobs));
        fs::create_dir(&scratch).expect("room on disk");
        let (mut config, _) = configuration(&self.settings.values);
        config.ingest.program.is_given = true;
        let with: Vec<PathBuf> = with.iter().map(|path| path.to_path_buf()).collect();
        let inputs: Vec<_> = inputs.iter().map(|path| path.clone().into_os_string()).collect();
        let job = StepJob {
            config: &config,
            settings: &self.settings,
            scratch: &scratch,
            with: &with,
            inputs: &inputs,
            keep_going: false,
            partial,
            buckets: self.buckets,
            by_domain: false,
            shares_from: self.divided.map(|_| 0),
            what: &Content::ALL.map(|(_, content)| content),
            stop: &AtomicBool::new(false),
        };
        let mut bytes = written(rows.iter(), self.is_turned);
        let mut input = Input::stream("rows".into(), std::io::Cursor::new(std::mem::take(&mut bytes)))?;
        let mut out = Vec::new();
        let mut output = Output::stream(&mut out)?;
        step(name)?.run(&job, &mut input, &mut output)?;
        output.finish()?;
        assert_eq!(input.rows as usize, if name == "inputs" { 0 } else { rows.len() }, "{name} reads all rows");
        let counted: u64 = output.rows.values().sum();
        drop(output);
        fs::remove_dir_all(&scratch).expect("a folder");
        let found = Input::stream("rows".into(), std::io::Cursor::new(out))?.all()?;
        assert_eq!(found.len() as u64, counted, "{name}");
        Ok(found)
    }

    /// Does a step once more.
    pub fn again(&mut self, call: &Call) -> Result<Vec<EngineRow>> {
        let with: Vec<PathBuf> =
            call.with.iter().enumerate().map(|(at, rows)| self.side(&format!("again-{at}"), rows)).collect();
        let with: Vec<&Path> = with.iter().map(PathBuf::as_path).collect();
        self.step_of(&call.name, &call.rows, &with, &[], call.partial)
    }

    /// Runs a step on each part, or bucket.
    fn by_part(&mut self, name: &str, rows: &[EngineRow], with: &[&Path]) -> Result<Vec<EngineRow>> {
        let parts: BTreeSet<i32> = rows.iter().map(|row| row.part).collect();
        let mut found = Vec::new();
        for part in parts {
            let of: Vec<EngineRow> = rows.iter().filter(|row| row.part == part).cloned().collect();
            found.extend(self.step(name, &of, with)?);
        }
        Ok(found)
    }

    /// Runs a step on each language pair.
    fn by_name(&mut self, name: &str, rows: &[EngineRow], with: &[&Path]) -> Result<Vec<EngineRow>> {
        let names: BTreeSet<&String> = rows.iter().map(|row| &row.name).collect();
        let mut found = Vec::new();
        for of in names {
            let rows: Vec<EngineRow> = rows.iter().filter(|row| row.name == *of).cloned().collect();
            found.extend(self.step(name, &rows, with)?);
        }
        Ok(found)
    }

    /// A file of rows that all tasks are given.
    fn side(&self, name: &str, rows: &[EngineRow]) -> PathBuf {
        let path = self.folder.path().join(format!("{name}.arrows"));
        fs::write(&path, written(rows.iter(), false)).expect("room on disk");
        path
    }

    /// A sample in two steps, the first of each half of the rows.
    fn sample(&mut self, rows: &[EngineRow]) -> Result<Vec<EngineRow>> {
        let (left, right) = rows.split_at(rows.len() / 2);
        let mut fewer = self.step_of("sample", left, &[], &[], true)?;
        fewer.extend(self.step_of("sample", right, &[], &[], true)?);
        self.step("sample", &fewer, &[])
    }

    /// Pages of archives, divided into parts; and what is known of the archives.
    pub fn pages(&mut self, archives: &[PathBuf]) -> Result<(Vec<EngineRow>, PathBuf)> {
        let inputs = self.step_of("inputs", &[], &[], archives, false)?;
        let mut found = Vec::new();
        for input in inputs {
            found.extend(self.step("pages", &[input], &[])?);
        }
        let archives = self.side("archive", &of_kind(&found, "archive"));
        let mut pages = of_kind(&found, "page");
        if self.divided.is_some() {
            let sites: BTreeSet<i32> = pages.iter().map(|row| row.part).collect();
            let number = |site: i32| sites.iter().position(|&other| other == site).expect("it is one of them") as i32;
            pages.iter_mut().for_each(|row| row.part = number(row.part));
        } else {
            pages.iter_mut().for_each(|row| row.part %= self.parts);
        }
        Ok((pages, archives))
    }

    /// Stores of parts with their keys, and what may be learnt from; with what is known of domains as a whole, where these are divided.
    fn keys(&mut self, archives: &[PathBuf]) -> Result<(Vec<EngineRow>, Vec<EngineRow>)> {
        let (pages, archives) = self.pages(archives)?;
        let Some(into) = self.divided else {
            let keys = self.by_part("keys", &pages, &[&archives])?;
            let patterns = self.side("pattern", &summed(&of_kind(&keys, "pattern")));
            let languages = self.side("language", &of_kind(&keys, "language"));
            return Ok((self.by_part("rescue", &of_kind(&keys, "store"), &[&patterns, &languages])?, Vec::new()));
        };
        let outlines = self.by_part("outline", &pages, &[])?;
        let bytes = |rows: &[EngineRow]| rows.iter().map(|row| row.data.as_ref().map_or(0, Vec::len)).sum::<usize>();
        // Where pages are few and short, little of them can be left out.
        let times = if bytes(&pages) < 1 << 17 { 2 } else { 4 };
        assert!(bytes(&outlines) * times < bytes(&pages), "{} of {}", bytes(&outlines), bytes(&pages));
        let keys = self.by_part("keys", &outlines, &[&archives])?;
        let patterns = self.side("pattern", &summed(&of_kind(&keys, "pattern")));
        let languages = self.side("language", &of_kind(&keys, "language"));
        let sites: BTreeSet<i32> = pages.iter().map(|row| row.part).collect();
        let divided = |&site: &i32| EngineRow {
            part: site,
            kind: "divided".into(),
            number: i64::from(site) * i64::from(into),
            count: i64::from(into),
            ..EngineRow::default()
        };
        let divided = self.side("divided", &sites.iter().map(divided).collect::<Vec<_>>());
        let found = self.by_part("divide", &of_kind(&keys, "store"), &[&divided, &patterns, &languages])?;
        let known = self.side("known", &of_kind(&found, "known"));
        let mut parts = self.by_part("deal", &pages, &[&known])?;
        parts.extend(of_kind(&found, "found"));
        Ok((self.by_part("join", &parts, &[&archives, &known, &patterns])?, of_kind(&found, "whole")))
    }

    /// All steps: the tables, each as its lines, sorted.
    pub fn run(&mut self, archives: &[PathBuf]) -> Result<BTreeMap<String, Vec<String>>> {
        let (rescued, mut whole) = self.keys(archives)?;
        let chosen = self.sample(&of_kind(&rescued, "training"))?;
        let chosen = self.side("training", &chosen);
        let lessons = self.by_part("lessons", &of_kind(&rescued, "store"), &[&chosen])?;
        let learnt = self.by_name("learn", &lessons, &[])?;
        let learnt = self.side("learnt", &learnt);
        let judged = self.by_part("judge", &of_kind(&rescued, "store"), &[&learnt])?;
        let chosen = self.sample(&of_kind(&judged, "page_pair"))?;
        let chosen = self.side("chosen", &chosen);
        let texts = self.by_part("texts", &of_kind(&judged, "store"), &[&chosen])?;
        let models = self.by_name("model", &texts, &[&learnt])?;
        let models = self.side("model", &models);
        let aligned = self.by_part("align", &of_kind(&judged, "store"), &[&models])?;
        let mut last = self.by_part("merge", &of_kind(&aligned, "bead"), &[])?;
        last.extend(of_kind(&aligned, "store"));
        let mut found = self.by_part("finish", &last, &[])?;
        found.extend(self.step("explore", &of_kind(&found, "web"), &[])?);
        whole.extend(of_kind(&found, "share"));
        found.extend(self.step("tally", &whole, &[])?);
        found.retain(|row| row.kind != "web" && row.kind != "share");
        Ok(tables(&found))
    }
}

/// Rows as a stream of Arrow.
pub fn written<'r>(rows: impl DoubleEndedIterator<Item = &'r EngineRow>, is_turned: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut output = Output::stream(&mut bytes).expect("memory");
    let mut put = |row| output.put(row).expect("memory");
    if is_turned {
        rows.rev().for_each(&mut put)
    } else {
        rows.for_each(&mut put)
    }
    output.finish().expect("memory");
    drop(output);
    bytes
}

/// The rows of a kind.
pub fn of_kind(rows: &[EngineRow], kind: &str) -> Vec<EngineRow> {
    rows.iter().filter(|row| row.kind == kind).cloned().collect()
}

/// Patterns with the sums over all parts.
fn summed(rows: &[EngineRow]) -> Vec<EngineRow> {
    let mut sums: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(&row.name).or_default();
        *sum = (sum.0 + row.number, sum.1 + row.count);
    }
    let row = |(name, (number, count)): (&&str, &(i64, i64))| EngineRow {
        part: -1,
        kind: "pattern".into(),
        name: (*name).to_owned(),
        number: *number,
        count: *count,
        data: None,
    };
    sums.iter().map(row).collect()
}

fn tables(rows: &[EngineRow]) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let data = row.data.as_deref().expect("tables have data");
        let lines = found.entry(row.kind.clone()).or_default();
        let before = lines.len();
        if matches!(row.kind.as_str(), "keys" | "explore") {
            lines.extend(String::from_utf8_lossy(data).lines().map(str::to_owned));
        } else {
            lines.extend(lines_of(data));
        }
        assert_eq!((lines.len() - before) as i64, row.count);
    }
    found.values_mut().for_each(|lines| lines.sort());
    found
}

/// The rows of a stream of Arrow as lines of JSON.
pub fn lines_of(stream: &[u8]) -> Vec<String> {
    let reader = StreamReader::try_new(stream, None).expect("a stream");
    reader.flat_map(|batch| as_json::objects(batch.expect("whole"))).map(|row| row.to_string()).collect()
}
