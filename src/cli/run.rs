//! `diglot run` and `diglot ingest`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use diglot::config::Config;
use diglot::config::settings::BASE_URL;
use diglot::error::Error;
use diglot::export::rows::printable;
use diglot::inputs::{self, Inputs, Tally};
use diglot::pipeline::{self, Context, LAST_STAGE, STAGES};
use diglot::query;
use diglot::store::{Store, StoredSettings};
use diglot::types::{counted, nearest_name};
use diglot::upkeep::Given;

use super::dry::Plan;
use super::freshness::{Lists, place};
use super::global::Global;
use super::say::{say, tell};
use super::settings::{AllStages, OnlyIngest, Settings, differing};
use super::stop::{STOP, look_at_stop};
use super::summary::Summary;

/// Read archives, pair their pages, align sentences; or resume.
///
/// The stages are ingest, index, links, keys, verify, iterate and align. Archives that were read before are not read again, and only what depends on a change is computed again. The store keeps the
/// settings until others are given. At the end, the keys with accepted pairs, the first pairs, the numbers of sentence pairs and of
/// captures left out, and the settings that are not at their defaults are printed; where there are no pairs, the likely reason.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot run crawl.warc.gz
  diglot run 'crawl-*.warc.gz' mirror/ @more.txt --langs en,fr
  diglot run --preset pupsniffer-2013       the same archives by another method
  diglot run                                resume what was interrupted")]
pub struct Run {
    #[arg(value_name = "INPUT", help = format!("{INPUTS}; default: the store's"), long_help = inputs_help())]
    inputs: Vec<OsString>,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    settings: Settings<AllStages>,
    /// Last of ingest, index, links, keys, verify, iterate, align.
    #[arg(long, value_name = "STAGE", default_value = LAST_STAGE)]
    until: String,
    /// Only tell what would be read and done again, and why.
    #[arg(long, conflicts_with = "format")]
    dry_run: bool,
    /// The summary: text or json.
    #[arg(long, value_enum, default_value = "text", hide_possible_values = true, hide_default_value = true)]
    format: Format,
    /// Leave results that were replaced on disk, even where more than half is dead.
    #[arg(long, hide_short_help = true)]
    no_compact: bool,
}

/// How the summary is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines, for people.
    Text,
    /// A JSON object, for programs.
    Json,
}

/// The command to type first, for a user who runs nothing.
const FIRST_RUN: &str = "  \
  diglot run crawl.warc.gz            read an archive, or several: files, folders, 'patterns*'
  diglot run mirror/                  read a mirror: of HTTrack, `wget -m`, or saved pages
  diglot run crawl.warc.gz --dry-run  only tell what would be read
  diglot run --help                   what is read, and all settings";

impl Run {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        if pipeline::stage(&self.until).is_none() {
            let names: Vec<&str> = STAGES.iter().map(|stage| stage.name()).collect();
            let meant = nearest_name(&self.until, names.iter().copied());
            let names = names.join(", ");
            return Err(Error::Config(format!("--until is {}, expected one of {names}{meant}", self.until)).into());
        }
        self.settings.check(&global.store)?;
        if self.inputs.is_empty() && !global.has_store()? {
            return Err(nothing(""));
        }
        if self.dry_run {
            return self.tell_what_would_be(global);
        }
        let (mut store, mut inputs) = self.manner.open(&self.inputs, &self.settings, global)?;
        let config = apply(&self.settings, &mut store)?;
        add_partial(&store, &mut inputs)?;
        see_that_something_is_known(&inputs, &store)?;
        let Done { tally, worked } = work(&mut store, &config, &inputs, global, &self.until)?;
        if !self.no_compact {
            store.compact_if_worthwhile()?;
        }
        pipeline::note_fresh(&mut store, &config)?;
        match self.format {
            Format::Json => Summary::of(&store, &config)?.print_json(&tally)?,
            Format::Text if !global.quiet => Summary::of(&store, &config)?.print()?,
            Format::Text => {}
        }
        if self.until != LAST_STAGE {
            global.note_stale(Lists::Summary, &store, &config)?;
        }
        if !worked && tally.read == 0 && tally.skipped().is_empty() {
            let inputs = if tally.read_before > 0 { "all inputs are already read, and " } else { "" };
            say(format!("nothing to do: {inputs}all results are up to date"));
            return Ok(());
        }
        told(&tally)
    }

    /// Prints what the run would read, and which stages it would do again.
    fn tell_what_would_be(&self, global: &Global) -> anyhow::Result<()> {
        let store = if global.has_store()? { Some(global.read()?.0) } else { None };
        let kept = store.as_ref().map(|store| store.settings().clone()).unwrap_or_default();
        let (settings, config) = self.settings.settled(&kept)?;
        let mut inputs = self.manner.inputs(store.as_ref(), &config, &self.inputs)?;
        if let Some(store) = &store {
            add_partial(store, &mut inputs)?;
            see_that_something_is_known(&inputs, store)?;
        }
        let (store, until) = (store.as_ref(), self.until.as_str());
        let is_read_more = Plan { store, inputs: &inputs, settings: &settings, config: &config, until }.print()?;
        // What is still to be read may be in any language.
        if let Some(store) = store.filter(|_| !is_read_more && until != "ingest") {
            tell_idle_lists(store, &config)?;
        }
        Ok(())
    }
}

/// The error of a run that has no archives to work on.
fn nothing(why: &str) -> anyhow::Error {
    Error::Config(format!("nothing to do: the store is empty and no input is given{why}\n{FIRST_RUN}")).into()
}

/// Refuses to run on a store without archives if no input is given.
fn see_that_something_is_known(inputs: &Inputs, store: &Store) -> anyhow::Result<()> {
    if !inputs.archives.is_empty() || !inputs.refused.is_empty() || store.archive_count()? > 0 {
        return Ok(());
    }
    super::losses::tell(store)?;
    if super::losses::are_told() {
        anyhow::bail!("nothing is left to run on");
    }
    Err(nothing("; a run that was stopped before its first commit has left nothing: give its inputs again"))
}

/// Options on how inputs are read.
#[derive(Args)]
struct Manner {
    /// Skip inputs that cannot be read, and go on; the exit code is 1 if there were any.
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    keep_going: bool,
    /// Look at all bytes of every input, even if the file system says that it has not changed since it was read.
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    reread: bool,
}

impl Manner {
    /// Opens the store for the inputs. A new store is made only if all inputs are sound.
    fn open(&self, inputs: &[OsString], settings: &Given, global: &Global) -> anyhow::Result<(Store, Inputs)> {
        if global.has_store()? {
            let store = global.write()?;
            let (_, config) = settings.settled(store.settings())?;
            let inputs = self.inputs(Some(&store), &config, inputs)?;
            look_at_stop();
            return Ok((store, inputs));
        }
        let (_, config) = settings.settled(&StoredSettings::default())?;
        let inputs = self.inputs(None, &config, inputs)?;
        look_at_stop();
        Ok((global.write()?, inputs))
    }

    /// The archives that the inputs stand for.
    fn inputs(&self, store: Option<&Store>, config: &Config, inputs: &[OsString]) -> Result<Inputs, Error> {
        query::inputs(store, &config.archive, inputs, (self.keep_going, self.reread)).map_err(|error| match error {
            Error::Input { place, problem } if inputs.len() > 1 || inputs.iter().any(is_list) => {
                let is_long = problem.contains('\n');
                let advice =
                    if is_long { "\n--keep-going skips what cannot be read" } else { "; --keep-going skips it" };
                Error::Input { place, problem: problem + advice }
            }
            other => other,
        })
    }
}

/// True for `@LIST`.
fn is_list(input: &OsString) -> bool {
    input.as_encoded_bytes().starts_with(b"@")
}

/// The outcome of reading the inputs, in one line, followed by lines about what was left out.
fn lines_of(tally: &Tally) -> String {
    let told = tally.to_string();
    let lines: Vec<_> = told.lines().map(printable).collect();
    format!("inputs: {}", lines.join("\n"))
}

/// Reports the outcome of reading the inputs.
///
/// # Errors
/// When something that was asked for was not done.
fn told(tally: &Tally) -> anyhow::Result<()> {
    let Tally { read, read_before, refused, .. } = tally;
    if *read > 0 || *read_before > 0 || !refused.is_empty() {
        say(lines_of(tally));
    }
    match refused.iter().filter(|refused| refused.is_fault).count() {
        0 => Ok(()),
        count => {
            let were = if count == 1 {
                "was skipped, or not read to its end"
            } else {
                "were skipped, or not read to their end"
            };
            let problem = format!("{were}: `diglot status --archives` says why");
            Err(Error::input(counted(count as u64, "input"), problem).into())
        }
    }
}

/// Read archives into the store, without any later stage.
///
/// Extracts the text, language and links of every page. `diglot run` runs the later stages, which find keys and pairs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot ingest crawl-01.warc.gz
  diglot ingest crawls/ mirrors/ --max-record-bytes 33554432")]
pub struct Ingest {
    #[arg(value_name = "INPUT", required = true, help = INPUTS, long_help = inputs_help())]
    inputs: Vec<OsString>,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    settings: Settings<OnlyIngest>,
}

impl Ingest {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        self.settings.check(&global.store)?;
        let (mut store, inputs) = self.manner.open(&self.inputs, &self.settings, global)?;
        let config = apply(&self.settings, &mut store)?;
        told(&work(&mut store, &config, &inputs, global, "ingest")?.tally)
    }
}

/// Help on inputs, for the commands that read archives.
pub const INPUTS: &str = "Archives: files, folders, patterns, @LIST, or `-` (stdin)";

/// Help on inputs, for the commands that read files alone.
pub const FILES: &str = "Archives: files, folders, patterns or @LIST";

/// More help on inputs.
pub fn inputs_help() -> String {
    readable(INPUTS)
}

/// More help on files.
pub fn files_help() -> String {
    readable(FILES)
}

fn readable(inputs: &str) -> String {
    format!("{inputs}.\n\nReadable are: {}.", inputs::format_names())
}

/// Refuses standard input, for commands that read archives more than once, or not from their start.
pub fn files(found: Inputs) -> anyhow::Result<Inputs> {
    if found.archives.iter().any(|path| path.as_os_str() == inputs::STREAM) {
        return Err(Error::input(inputs::STREAM, "standard input can be read once; give a file").into());
    }
    Ok(found)
}

/// Adds archives that an earlier run did not finish, before the given inputs.
fn add_partial(store: &Store, inputs: &mut Inputs) -> anyhow::Result<()> {
    // When inputs are given, one of them may be such an archive under a new path.
    let is_asked_for = inputs.archives.is_empty() && inputs.refused.is_empty();
    let mut all: Vec<PathBuf> = Vec::new();
    for archive in query::archives(store)?.into_iter().filter(|archive| !archive.is_read) {
        let path = PathBuf::from(&archive.path);
        let given = inputs.archives.iter().any(|input| {
            *input == path || input.canonicalize().is_ok_and(|full| full.display().to_string() == archive.path)
        });
        if !given && path.exists() {
            all.push(path);
        } else if !given && is_asked_for && archive.path == inputs::STREAM {
            tell("diglot: standard input was read in part; give it again, with `-`, to resume it");
        } else if !given && is_asked_for {
            tell(format_args!(
                "diglot: {} was read in part and is gone; give its new path to resume it",
                path.display()
            ));
        }
    }
    inputs.archives.splice(..0, all);
    Ok(())
}

/// Applies settings to a store, and reports those that come too late for what the store already has.
fn apply(settings: &Given, store: &mut Store) -> anyhow::Result<Config> {
    let before = store.settings().clone();
    let config = settings.apply(store)?;
    let changed = differing(&before, store.settings());
    if changed.contains(&BASE_URL) && query::archives(store)?.iter().any(|archive| archive.format == inputs::PAGES) {
        say(
            "folders of pages that were read before keep their addresses; to have others, read them into another store",
        );
    }
    let is_new = changed.iter().any(|name| name.starts_with("language-"));
    if is_new && store.archive_count()? > 0 {
        say(
            "pages that were read before keep their languages; to have them named anew, read their archives into another store",
        );
    }
    Ok(config)
}

/// What a run did.
pub struct Done {
    /// The results of reading the inputs.
    pub tally: Tally,
    /// True when a stage after ingestion had something to do.
    pub worked: bool,
}

/// Tells which word lists are of a language that no page is in.
fn tell_idle_lists(store: &Store, config: &Config) -> anyhow::Result<()> {
    let without = match config.lexicons.len() {
        1 => "`--reset lexicon` does without",
        _ => "`--lexicon` with the other lists alone does without",
    };
    for list in query::idle_lists(store, config)? {
        let path = list.path.display().to_string();
        let path = printable(&path);
        let (absent, unwanted): (Vec<_>, Vec<_>) = list.missing.into_iter().partition(|&lang| config.keys.wants(lang));
        let named = |langs: Vec<_>, by: &str| langs.into_iter().map(query::tag_and_name).collect::<Vec<_>>().join(by);
        if !unwanted.is_empty() {
            let unwanted = named(unwanted, " and ");
            say(format_args!("word list {path} serves no pages: `--langs` leaves out {unwanted}; {without}"));
            continue;
        }
        say(format_args!(
            "word list {path} serves no pages: none is in {}; `diglot status{}` lists the languages, {without}",
            named(absent, ", nor in "),
            place(store.folder()),
        ));
    }
    Ok(())
}

/// Runs the stages up to `until`.
pub fn work(store: &mut Store, config: &Config, inputs: &Inputs, global: &Global, until: &str) -> anyhow::Result<Done> {
    let observer = global.progress_of_run();
    let config = &Config { memory: global.memory, ..config.clone() };
    store.keep_blocks(config.memory.page_blocks());
    let context = Context { config, inputs, observer: &observer, stop: &STOP };
    let outcome = pipeline::run(store, &context, until);
    let (worked, tally) = (observer.worked(), observer.tally());
    if outcome.is_err() && tally.not_begun > 0 {
        tell(format_args!("diglot: {}", lines_of(&tally)));
    }
    outcome?;
    super::losses::tell(store)?;
    if until != "ingest" {
        super::correct::tell_idle(store, config)?;
        tell_idle_lists(store, config)?;
    }
    Ok(Done { tally, worked })
}
