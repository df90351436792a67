//! `diglot exec`: one step of the work, for an engine that runs many in parallel.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use diglot::error::Error;
use diglot::exec::{Content, Input, Output, PLAN, SCHEMA_VERSION, STEPS, Step, StepJob, Turn, step};
use diglot::export::rows::json_line;
use diglot::store::StoredSettings;
use serde::Serialize;

use super::global::Global;
use super::output::{Target, finish};
use super::settings::{AllStages, Settings};
use super::stop::STOP;

/// Do one step of the work without a store: rows in, rows out, for engines such as Spark.
///
/// Steps read rows as an Arrow stream from stdin, and write such a stream to stdout; all streams have the same schema. Some steps write
/// rows of several kinds. The engine must give each step the rows of the kinds that it reads (all rows of one part, if the step works on a
/// part), and those of the kinds in brackets by --with; docs/cluster.md has the table. The last line on stderr is a JSON object: the number
/// of rows read, of rows written by kind, and of things left out, and a hash of the rows that does not depend on their order. Exit codes: 0
/// done, 2 usage, 3 rows that are cut off or make no sense, 4 the disk or another failure that may pass, 5 more memory than --memory
/// allows. The Python package has a driver for Spark, `diglot.spark`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot exec inputs crawl-*.warc.gz -o inputs.arrows
  diglot exec pages --input inputs.arrows -o pages.parquet")]
pub struct Exec {
    #[arg(value_name = "STEP", help = steps_help(), required_unless_present = "plan")]
    step: Option<String>,
    /// Print the order of the work as JSON, for engines: of each turn its name, its step (null: the engine does it by itself), the rows that
    /// are dealt out to its tasks, how, the rows that all of them are given, those without which it has nothing to do, and when it is taken.
    #[arg(long, conflicts_with_all = ["step", "input", "output", "with"])]
    plan: bool,
    /// Archives, for the step `inputs`: files, folders, patterns, @LIST.
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,
    /// Rows to read; by default stdin. A Parquet file by its ending, or a stream of Arrow.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Where rows are written; by default stdout. A Parquet file by its ending, or a stream of Arrow.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Files of rows that are given to all tasks of a step.
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Folder for temporary files; by default that of the system.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// For `inputs`: leave out inputs that cannot be read.
    #[arg(long)]
    keep_going: bool,
    /// For `sample`: write rows that another `sample` step reads, together with those of other tasks.
    #[arg(long)]
    partial: bool,
    /// For `explore`: rank registrable domains instead of hosts.
    #[arg(long)]
    by_domain: bool,
    /// For `align`: over how many buckets sentence pairs are distributed.
    #[arg(long, value_name = "N", default_value_t = 1)]
    buckets: u32,
    /// For `finish`: what to write, of pairs, bitext, keys, documents, units, pages, fetch, web.
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', default_value = "pairs,bitext,keys")]
    what: Vec<String>,
    /// For `finish`: parts from this number on are parts of divided domains; their keys are reported in `share` rows.
    #[arg(long, value_name = "PART")]
    shares_from: Option<i32>,
    #[command(flatten)]
    settings: Settings<AllStages>,
}

/// Endings of files of rows; the first is Parquet, all others are Arrow streams.
const ENDINGS: [&str; 4] = ["parquet", "arrows", "arrow", "ipc"];

/// The report of a step on itself.
#[derive(Serialize)]
struct Report<'r> {
    #[serde(rename = "diglot.exec")]
    version: u32,
    step: &'r str,
    rows_in: u64,
    rows_out: &'r BTreeMap<String, u64>,
    left_out: &'r BTreeMap<String, u64>,
    hash: String,
}

/// The order of the work.
#[derive(Serialize)]
struct Plan {
    #[serde(rename = "diglot.exec")]
    version: u32,
    plan: &'static [Turn],
}

impl Exec {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let Some(name) = &self.step else {
            return Ok(json_line(&mut io::stdout(), &Plan { version: SCHEMA_VERSION, plan: PLAN })?);
        };
        let step = step(name)?;
        if step.name != "inputs" && !self.inputs.is_empty() {
            return Err(Error::Config(format!("{} reads rows, not archives; `inputs` names these", step.name)).into());
        }
        // There is no store.
        self.settings.check(Path::new(""))?;
        let (settings, mut config) = self.settings.settled(&StoredSettings::default())?;
        if !config.scorer.command.is_empty() {
            let problem = "--scorer is for runs on a store; an engine has its table of sentence pairs scored by itself";
            return Err(Error::Config(problem.into()).into());
        }
        config.memory = global.memory;
        let what = self.what.iter().map(|name| content(name)).collect::<Result<Vec<_>, _>>()?;
        watch_memory(step, global.memory.bytes);
        let scratch = match &self.scratch {
            Some(folder) => tempfile::Builder::new().prefix("diglot-").tempdir_in(folder),
            None => tempfile::Builder::new().prefix("diglot-").tempdir(),
        };
        let scratch = scratch
            .map_err(Error::io(self.scratch.clone().unwrap_or_else(std::env::temp_dir), "making a folder in"))?;
        let job = StepJob {
            config: &config,
            settings: &settings,
            scratch: scratch.path(),
            with: &self.with,
            inputs: &self.inputs,
            keep_going: self.keep_going,
            partial: self.partial,
            by_domain: self.by_domain,
            buckets: self.buckets,
            shares_from: self.shares_from,
            what: &what,
            stop: &STOP,
        };
        let ending = self.output.as_deref().and_then(Path::extension);
        if let Some(ending) = ending
            && !ENDINGS.iter().any(|known| ending == *known)
        {
            let problem = format!("-o ends in .{}, expected one of .{}", ending.display(), ENDINGS.join(", ."));
            return Err(Error::Config(problem).into());
        }
        if self.output.is_some() && self.output == self.input {
            return Err(Error::Config("--input and --output are one file; name another".into()).into());
        }
        let mut input = match &self.input {
            Some(path) => Input::open(path)?,
            None if !step.reads() => Input::empty(),
            None if io::stdin().is_terminal() => {
                return Err(Error::Config(format!(
                    "{} reads rows; give --input FILE, or a stream on stdin",
                    step.name
                ))
                .into());
            }
            None => Input::stream("stdin".to_owned(), io::stdin())?,
        };
        if self.output.as_deref().is_none_or(|path| path.as_os_str() == "-") && io::stdout().is_terminal() {
            let problem = "rows are no text for a terminal; give -o FILE, or a program behind a pipe";
            return Err(Error::Config(problem.into()).into());
        }
        let mut target = Target::open_raw(self.output.as_deref(), "")?;
        let mut output = match ending {
            Some(ending) if ending == "parquet" => Output::parquet(target.take())?,
            _ => Output::stream(target.take())?,
        };
        let done = step.run(&job, &mut input, &mut output).and_then(|()| output.finish());
        let Output { rows, left_out, hash, .. } = output;
        finish(vec![target], done.map_err(Into::into))?;
        let report = Report {
            version: SCHEMA_VERSION,
            step: step.name,
            rows_in: input.rows,
            rows_out: &rows,
            left_out: &left_out,
            hash: format!("{hash:016x}"),
        };
        let _ = json_line(&mut io::stderr(), &report);
        Ok(())
    }
}

fn steps_help() -> String {
    let width = STEPS.iter().map(|step| step.name.len()).max().unwrap_or(0);
    let with = |step: &Step| match &step.with()[..] {
        [] => String::new(),
        kinds => format!(" (with {})", kinds.join(", ")),
    };
    let line = |step: &Step| format!("{:width$}  {}{}", step.name, step.about, with(step));
    format!("The step:\n{}", STEPS.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn content(name: &str) -> Result<Content, Error> {
    let names = || Content::ALL.map(|(name, _)| name).join(", ");
    let found = Content::ALL.iter().find(|(known, _)| *known == name).map(|(_, content)| *content);
    found.ok_or_else(|| Error::Config(format!("--what is {name}, expected some of {}", names())))
}

/// Reports why a step failed; returns the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let code = match error.downcast_ref::<Error>() {
        Some(Error::Config(_)) => 2,
        Some(Error::Input { .. }) => 3,
        Some(Error::Interrupted) => 130,
        _ => 4,
    };
    tell(code, &format!("{error:#}"));
    ExitCode::from(code)
}

/// Reports wrong arguments of a step; returns the exit code.
pub fn usage(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    tell(2, first.strip_prefix("error: ").unwrap_or(first));
    ExitCode::from(2)
}

/// Prints why a step failed.
fn tell(code: u8, error: &str) {
    let object = serde_json::json!({ "diglot.exec": SCHEMA_VERSION, "error": error, "exit": code });
    super::say::tell_program(&object);
}

/// A step is ended when it takes about this many times the memory that it is allowed.
const OVER: f64 = 1.5;
/// How often the memory is measured.
const EVERY: Duration = Duration::from_millis(50);

/// Ends the program once it takes too much memory: the engine knows how to handle that exit code, which the system's out-of-memory killer
/// does not give.
fn watch_memory(step: &'static Step, memory: usize) {
    let limit = (memory as f64 * OVER) as u64;
    let watch = move || {
        while let Some(taken) = anonymous_bytes() {
            if taken > limit {
                let (taken, limit, memory) = (taken >> 20, limit >> 20, memory >> 20);
                let or = match step.makes_smaller {
                    Some(how) => format!(", or {how}"),
                    None => String::new(),
                };
                let step = step.name;
                tell(
                    5,
                    &format!(
                        "{step} took {taken} MiB of memory; with --memory {memory} MiB it may take {limit}: give it more by --memory{or}"
                    ),
                );
                std::process::exit(5);
            }
            std::thread::sleep(EVERY);
        }
    };
    // If no thread can be started, the memory is not watched.
    let _ = std::thread::Builder::new().spawn(watch);
}

/// Bytes of memory that are not backed by files; `None` where the system does not say.
fn anonymous_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
