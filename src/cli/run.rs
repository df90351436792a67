//! `diglot run` and `diglot ingest`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use diglot::config::Config;
use diglot::error::Error;
use diglot::export::rows::printable;
use diglot::inputs::{self, Inputs, Tally};
use diglot::pipeline::{self, Context, STAGES};
use diglot::query::{self, KeyLine, Scope};
use diglot::store::Store;
use diglot::types::LangPair;

use super::freshness::Lists;
use super::global::Global;
use super::progress::Progress;
use super::settings::{AllStages, OnlyIngest, Settings};
use super::stop::STOP;

/// Read archives and run all stages (ingest, index, links, keys, verify, iterate, align), or resume.
///
/// Archives that were read before are not read again, and only what depends on a change is computed again. The store keeps the
/// settings until others are given. At the end, the keys with assigned pairs, the first pairs, and the numbers of sentence pairs
/// and of captures left out are printed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot run crawl.warc.gz
  diglot run 'crawl-*.warc.gz' mirror/ --langs en,fr
  diglot run @inputs.txt --store /data/museums.store
  diglot run --preset pupsniffer-2013       the same archives by another method
  diglot run                                resume what was interrupted")]
pub struct Run {
    #[arg(value_name = "INPUT", help = format!("{}; default: those of the store", inputs_help()))]
    inputs: Vec<OsString>,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    settings: Settings<AllStages>,
    /// The last stage to run: ingest, index, links, keys, verify, iterate or align.
    #[arg(long, value_name = "STAGE", default_value = "align")]
    until: String,
    /// Leave results that were replaced on disk, even where more than half is dead.
    #[arg(long, hide_short_help = true)]
    no_compact: bool,
}

impl Run {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        if pipeline::stage(&self.until).is_none() {
            let names: Vec<&str> = STAGES.iter().map(|stage| stage.name()).collect();
            return Err(
                Error::Config(format!("--until is {}, expected one of {}", self.until, names.join(", "))).into()
            );
        }
        self.settings.check(&global.store)?;
        let nothing = || Error::Config("nothing to do: the store is empty and no input is given".into());
        if self.inputs.is_empty() && !Store::is_at(&global.store) {
            return Err(nothing().into());
        }
        let (mut store, mut inputs) = self.manner.open(&self.inputs, global)?;
        let config = self.settings.apply(&mut store)?;
        add_partial(&store, &mut inputs)?;
        if inputs.archives.is_empty() && inputs.refused.is_empty() && store.archive_count()? == 0 {
            super::losses::tell(&store)?;
            if super::losses::are_told() {
                anyhow::bail!("nothing is left to run on");
            }
            return Err(nothing().into());
        }
        let tally = work(&mut store, &config, &inputs, global, &self.until)?;
        if !self.no_compact {
            store.compact_if_worthwhile()?;
        }
        pipeline::note_fresh(&mut store, &config)?;
        if !global.quiet {
            summary(&store, &config)?;
        }
        if self.until != "align" {
            global.note_stale(Lists::Summary, &store, &config)?;
        }
        told(&tally, global)
    }
}

/// How inputs are taken in.
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
    /// Opens the store for what the inputs come to. One that is not there yet is made only if all of them are sound.
    fn open(&self, inputs: &[OsString], global: &Global) -> anyhow::Result<(Store, Inputs)> {
        let found = |store: Option<&Store>| {
            query::inputs(store, inputs, self.keep_going, self.reread).map_err(|error| match error {
                Error::Input { place, problem } if inputs.len() > 1 || problem.contains('\n') => {
                    let advice =
                        if problem.contains('\n') { "\n--keep-going skips them" } else { "; --keep-going skips it" };
                    Error::Input { place, problem: problem + advice }
                }
                other => other,
            })
        };
        if Store::is_at(&global.store) {
            let store = global.write()?;
            let inputs = found(Some(&store))?;
            return Ok((store, inputs));
        }
        let inputs = found(None)?;
        Ok((global.write()?, inputs))
    }
}

fn say(tally: &Tally) {
    eprintln!("diglot: inputs: {}", printable(&tally.to_string()));
}

/// Says what became of the inputs.
///
/// # Errors
/// When not all that was asked for is done.
fn told(tally: &Tally, global: &Global) -> anyhow::Result<()> {
    let Tally { read, read_before, refused, .. } = tally;
    if !global.quiet && (*read > 0 || *read_before > 0 || !refused.is_empty()) {
        say(tally);
    }
    match refused.iter().filter(|refused| refused.is_fault).count() {
        0 => Ok(()),
        count => {
            let problem = "were skipped, or not read to their end: `diglot status --archives` says why";
            Err(Error::input(format!("{count} inputs"), problem).into())
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
    #[arg(value_name = "INPUT", required = true, help = inputs_help())]
    inputs: Vec<OsString>,
    #[command(flatten)]
    manner: Manner,
    #[command(flatten)]
    settings: Settings<OnlyIngest>,
}

impl Ingest {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        self.settings.check(&global.store)?;
        let (mut store, inputs) = self.manner.open(&self.inputs, global)?;
        let config = self.settings.apply(&mut store)?;
        told(&work(&mut store, &config, &inputs, global, "ingest")?, global)
    }
}

/// What commands that read archives say of their inputs.
pub fn inputs_help() -> String {
    let formats = inputs::format_names();
    format!("Archives ({formats}): files, folders, patterns, @LIST (a file of inputs), or `-` (stdin)")
}

/// The archives that inputs name which are read more than once, or not from their start on.
pub fn files(inputs: &[OsString]) -> anyhow::Result<Inputs> {
    let found = inputs::expand(inputs, false, &|_| false)?;
    if found.archives.iter().any(|path| path.as_os_str() == inputs::STREAM) {
        return Err(Error::input(inputs::STREAM, "standard input can be read once; give a file").into());
    }
    Ok(found)
}

/// Puts archives that an earlier run was stopped in before the inputs given.
fn add_partial(store: &Store, inputs: &mut Inputs) -> anyhow::Result<()> {
    // Who gives something may give just that, by its new path.
    let is_asked_for = inputs.archives.is_empty();
    let mut all: Vec<PathBuf> = Vec::new();
    for archive in query::archives(store)?.into_iter().filter(|archive| !archive.is_read) {
        let path = PathBuf::from(&archive.path);
        let given = inputs.archives.iter().any(|input| {
            *input == path || input.canonicalize().is_ok_and(|full| full.display().to_string() == archive.path)
        });
        if !given && path.exists() {
            all.push(path);
        } else if !given && is_asked_for && archive.path == inputs::STREAM {
            eprintln!("diglot: standard input was read in part; give it again, with `-`, to resume it");
        } else if !given && is_asked_for {
            eprintln!("diglot: {} was read in part and is gone; give its new path to resume it", path.display());
        }
    }
    inputs.archives.splice(..0, all);
    Ok(())
}

/// Runs the stages up to `until`, and gives what became of the inputs.
pub fn work(
    store: &mut Store,
    config: &Config,
    inputs: &Inputs,
    global: &Global,
    until: &str,
) -> anyhow::Result<Tally> {
    let observer = Progress::new(global.quiet);
    let config = &Config { memory: global.memory, ..config.clone() };
    store.keep_blocks(config.memory.page_blocks());
    let context = Context { config, inputs, observer: &observer, stop: &STOP };
    let outcome = pipeline::run(store, &context, until);
    let tally = observer.tally();
    if outcome.is_err() && tally.not_begun > 0 {
        say(&tally);
    }
    outcome?;
    super::losses::tell(store)?;
    Ok(tally)
}

/// Keys and pairs printed at the end of a run.
const SHOWN: usize = 12;

fn summary(store: &Store, config: &Config) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut keys = query::keys(store, config, &Scope::all(), false)?;
    keys.retain(|key| key.assigned > 0);
    keys.sort_by(|a, b| b.assigned.cmp(&a.assigned).then_with(|| a.site.cmp(&b.site)).then_with(|| a.key.cmp(&b.key)));
    writeln!(out, "keys with assigned pairs: {}", keys.len())?;
    let texts = |key: &KeyLine| {
        let (langs, edits) = super::keys::in_order(key);
        [key.site.clone(), langs, printable(&diglot::types::pattern(&edits)).into_owned()]
    };
    let shown: Vec<[String; 3]> = keys.iter().take(SHOWN).map(texts).collect();
    let [site, langs, pattern] =
        [0, 1, 2].map(|column| shown.iter().map(|texts| texts[column].chars().count()).max().unwrap_or(0));
    for (key, [of_site, of_langs, of_pattern]) in keys.iter().zip(&shown) {
        write!(out, "  {of_site:<site$}  {of_langs:<langs$}  {of_pattern:<pattern$}")?;
        writeln!(out, "  {:>6} pairs  C {:.3}", key.assigned, key.credibility)?;
    }
    if keys.len() > SHOWN {
        writeln!(out, "  … {} more: `diglot keys`", keys.len() - SHOWN)?;
    }
    let mut counts: BTreeMap<LangPair, u64> = BTreeMap::new();
    let mut first = Vec::new();
    let mut all = 0u64;
    query::for_each_pair(store, config, &Scope::all(), |pair| {
        if let Some(langs) = LangPair::new(pair.lang_a, pair.lang_b) {
            *counts.entry(langs).or_default() += 1;
        }
        all += 1;
        if first.len() < 5 {
            first.push(pair);
        }
        Ok(())
    })?;
    writeln!(out, "pairs: {all}")?;
    for (langs, count) in &counts {
        writeln!(out, "  {}-{}: {count}", langs.a, langs.b)?;
    }
    for pair in &first {
        writeln!(out, "  {}  {}", printable(&pair.url_a), printable(&pair.url_b))?;
    }
    if all > first.len() as u64 {
        writeln!(out, "  … {} more: `diglot pairs`", all - first.len() as u64)?;
    }
    let sentences = query::totals(store)?.sentences;
    if sentences > 0 {
        writeln!(out, "sentence pairs: {sentences} (`diglot bitext`)")?;
    }
    writeln!(out, "left out: {}", super::status::left_out(store)?)?;
    Ok(())
}
