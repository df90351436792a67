//! The command line: one file a command. Data goes to stdout, progress and messages to stderr.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use diglot::config::{Config, Method};
use diglot::error::Error;
use diglot::iterate::ets::Weights;
use diglot::store::catalog::Changes;
use diglot::store::layout::RunConfig;
use diglot::store::{Access, Store};
use diglot::types::Lang;
use diglot::verify::{VERIFIERS, verifier};

mod bitext;
mod compare;
mod eval;
mod explain;
mod explore;
mod export;
mod filter;
mod gold;
mod hosts;
mod keys;
mod listing;
mod output;
mod pairs;
mod progress;
mod recover;
mod run;
mod status;

use listing::Format;

/// Finds the pages of web archives that are translations of each other.
///
/// Archives go into a store; `diglot` learns from the URLs how each site marks its languages,
/// and pairs the pages. Everything is offline, and every command can be interrupted: the same command goes on.
#[derive(Parser)]
#[command(name = "diglot", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  diglot run crawl.warc.gz                  from an archive to sentence pairs, into ./diglot.store
  diglot pairs fr.example.org               which pairs a host has, by which key
  diglot explain http://example.org/a.html  why a page has a partner, or has none
  diglot export --format tmx -o site.tmx    all sentence pairs into a file

Exit codes: 0 done, 1 error, 2 usage, 130 interrupted.";

#[derive(Args)]
struct Global {
    /// Folder of the store, where everything is kept between commands.
    #[arg(long, global = true, env = "DIGLOT_STORE", default_value = "diglot.store", value_name = "DIR")]
    store: PathBuf,
    /// Threads that work; by default one a core.
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// No progress on stderr.
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Run),
    Ingest(run::Ingest),
    Keys(keys::Keys),
    Status(status::Status),
    Hosts(hosts::Hosts),
    Align(bitext::Align),
    Pairs(pairs::Pairs),
    Bitext(bitext::Bitext),
    Explain(explain::Explain),
    Recover(recover::Recover),
    Explore(explore::Explore),
    Export(export::Export),
    Eval(eval::Eval),
    Compare(compare::Compare),
}

/// How a listing is printed.
#[derive(Args)]
struct FormatArg {
    /// table, tsv or jsonl; by default a table on a terminal, else tsv.
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl FormatArg {
    fn get(&self) -> Format {
        self.format.unwrap_or(if io::stdout().is_terminal() { Format::Table } else { Format::Tsv })
    }
}

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match dispatch(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn report(error: &anyhow::Error) -> ExitCode {
    let is_closed_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    eprintln!("diglot: {}", causes.join(": "));
    match error.downcast_ref::<Error>() {
        Some(Error::Interrupted) => ExitCode::from(130),
        Some(Error::Config(_)) => ExitCode::from(2),
        _ => ExitCode::from(1),
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<()> {
    let global = &cli.global;
    if let Some(threads) = global.threads {
        if threads == 0 {
            return Err(Error::Config("--threads is 0, expected 1 or more".into()).into());
        }
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("starting threads")?;
    }
    // These look at STOP, and end well; the others have nothing to lose.
    let ends_by_itself = matches!(
        cli.command,
        Command::Run(_)
            | Command::Ingest(_)
            | Command::Keys(_)
            | Command::Align(_)
            | Command::Export(_)
            | Command::Recover(_)
            | Command::Explore(_)
            | Command::Compare(_)
    );
    ctrlc::set_handler(move || {
        // The second time the user means it: what is committed is safe.
        if STOP.swap(true, Ordering::Relaxed) || !ends_by_itself {
            std::process::exit(130);
        }
    })
    .context("catching Ctrl-C")?;
    match cli.command {
        Command::Run(command) => command.run(global),
        Command::Ingest(command) => command.run(global),
        Command::Keys(command) => command.run(global),
        Command::Status(command) => command.run(global),
        Command::Hosts(command) => command.run(global),
        Command::Align(command) => command.run(global),
        Command::Pairs(command) => command.run(global),
        Command::Bitext(command) => command.run(global),
        Command::Explain(command) => command.run(global),
        Command::Recover(command) => command.run(global),
        Command::Explore(command) => command.run(global),
        Command::Export(command) => command.run(global),
        Command::Eval(command) => command.run(global),
        Command::Compare(command) => command.run(global),
    }
}

impl Global {
    fn read(&self) -> anyhow::Result<(Store, Config)> {
        self.open(Access::Read)
    }

    fn write(&self) -> anyhow::Result<(Store, Config)> {
        self.open(Access::Write)
    }

    fn open(&self, access: Access) -> anyhow::Result<(Store, Config)> {
        let store = Store::open(&self.store, access)?;
        if store.was_rebuilt {
            eprintln!(
                "diglot: the catalog was damaged and was made again from the record files; `diglot run` makes the results again"
            );
        }
        if let Some(format) = store.upgraded_from {
            eprintln!("diglot: upgraded the store from format {format}; `diglot run` makes the results again");
        }
        let config = config_of(store.config())?;
        Ok((store, config))
    }
}

/// The settings that a store was made with.
fn config_of(run: &RunConfig) -> anyhow::Result<Config> {
    let preset = if run.preset.is_empty() { "default" } else { &run.preset };
    let mut config = Config::preset(preset)
        .ok_or_else(|| Error::Config(format!("the store names a preset {preset} that this release does not have")))?;
    config.keys.langs = run.langs.iter().filter_map(|lang| Lang::parse(lang)).collect();
    if run.whole_domains {
        config.keys.site = diglot::keys::SiteUnit::Domain;
    }
    config.keys.across_suffixes = run.across_suffixes;
    if let Some(least) = run.rescue_above {
        config.keys.rescue_above = Some(least as f64);
    }
    config.without_keys = run.without_keys;
    config.without_content = run.without_content;
    config.verifier = Some(run.verifier.clone()).filter(|name| !name.is_empty());
    if config.verifier.is_some() && matches!(config.method, Method::Webmining | Method::Links) {
        return Err(Error::Config(format!(
            "--verifier judges pairs of keys, and preset {preset} makes none; give another preset, or --verifier none"
        ))
        .into());
    }
    let share = |millionths: u64| millionths as f64 / 1e6;
    let ets = &mut config.iterate.ets;
    ets.alpha = run.alpha.map_or(ets.alpha, share);
    ets.beta = run.beta.map_or(ets.beta, share);
    ets.min_sim = run.min_sim.map(share);
    if let Some(weights) = Weights::of_name(&run.weights) {
        ets.weights = weights;
    }
    if let Some(rounds) = run.rounds {
        ets.rounds = usize::try_from(rounds).unwrap_or(usize::MAX);
        config.iterate.rounds = ets.rounds;
    }
    config.lexicons = run.lexicons.iter().map(PathBuf::from).collect();
    if let Some(score) = run.min_score {
        config.judge.min_score = score as f64 / 1e6;
    }
    if let Some(bytes) = run.max_record_bytes {
        config.archive.max_record_bytes = bytes;
    }
    Ok(config)
}

/// Settings given on the command line; what is not given stays as the store has it.
#[derive(Args, Default)]
struct Settings {
    /// The method: `default`, or that of a paper: `kit-ng-2007`, `pupsniffer-2013`, `webmining-2008`, `link-2014`.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Only these languages, and in this order: en,fr or zh-Hans; `zh` means both scripts; `all` takes it back.
    #[arg(long, value_delimiter = ',', value_name = "LANG,…")]
    langs: Vec<String>,
    /// What one site is: a host, with its sister hosts by keys in their names, or a whole domain.
    #[arg(long, value_name = "UNIT", value_parser = ["host", "domain"])]
    site: Option<String>,
    /// Domains that differ in their public suffix only (example.de, example.co.uk) are one site; `=no` takes it back. The sites
    /// are then indexed anew.
    #[arg(long, value_name = "yes|no", num_args = 0..=1, require_equals = true, default_missing_value = "yes",
        value_parser = ["yes", "no"], hide_possible_values = true)]
    across_suffixes: Option<String>,
    /// Global credibility, in pages, above which a weak key is rescued [preset: 500].
    #[arg(long, hide_short_help = true, value_name = "PAGES")]
    rescue_above: Option<u64>,
    /// Longest record and longest decoded body, in bytes; longer ones are left out and counted [16 MiB].
    #[arg(long, hide_short_help = true, value_name = "BYTES")]
    max_record_bytes: Option<u64>,
    /// Least probability of a pair [0.5].
    #[arg(long, value_name = "0..1")]
    min_score: Option<f64>,
    /// Word list: two columns of words, the languages in its first line or its name (`en-fr.tsv`). Several may be given; `none`
    /// takes them back.
    #[arg(long, value_name = "FILE")]
    lexicon: Vec<PathBuf>,
    /// Leave out kinds of evidence: `keys` hides the addresses, `content` the translations of words; `nothing` takes it back.
    #[arg(long, value_delimiter = ',', value_name = "KIND,…", value_parser = ["keys", "content", "nothing"])]
    without: Vec<String>,
    /// Judge the pairs of keys by this measure alone, such as structure, lcs or strand; `none` takes it back.
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    verifier: Option<String>,
    /// link-2014: share of the links in the similarity of two pages [0.6].
    #[arg(long, hide_short_help = true, value_name = "0..1")]
    alpha: Option<f64>,
    /// link-2014: share of the words in what two pages themselves say [0.6].
    #[arg(long, hide_short_help = true, value_name = "0..1")]
    beta: Option<f64>,
    /// Rounds over links, at the most [6; link-2014: 3].
    #[arg(long, hide_short_help = true, value_name = "N")]
    rounds: Option<u32>,
    /// link-2014: how much less pages count that many link to: not, by their weight, or left out [none].
    #[arg(long, hide_short_help = true, value_name = "HOW", value_parser = ["none", "first", "second"])]
    weights: Option<String>,
    /// link-2014: least similarity of a pair; `none`: as many pairs as the smaller language has pages [none].
    #[arg(long, hide_short_help = true, value_name = "0..1")]
    min_sim: Option<String>,
}

impl Settings {
    /// Tells of values that make no sense, before a store is made.
    fn check(&self) -> anyhow::Result<()> {
        if let Some(preset) = self.preset.as_ref().filter(|preset| Config::preset(preset).is_none()) {
            let names: Vec<&str> = diglot::config::PRESETS.iter().map(|(name, _)| *name).collect();
            return Err(Error::Config(format!("--preset is {preset}, expected one of {}", names.join(", "))).into());
        }
        if !self.means_all_langs() {
            parse_langs(&self.langs)?;
        }
        for (name, share) in [("--min-score", self.min_score), ("--alpha", self.alpha), ("--beta", self.beta)] {
            if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                return Err(Error::Config(format!("{name} is {share}, expected 0 to 1")).into());
            }
        }
        self.least_sim()?;
        if let Some(name) = self.verifier.as_deref().filter(|name| *name != "none" && verifier(name).is_none()) {
            let names: Vec<&str> = VERIFIERS.iter().map(|verifier| verifier.name()).collect();
            let known = names.join(", ");
            return Err(Error::Config(format!("--verifier is {name}, expected none or one of {known}")).into());
        }
        Ok(())
    }

    fn means_all_langs(&self) -> bool {
        self.langs.iter().any(|lang| lang == "all")
    }

    /// `--min-sim`: not given, taken back, or a number.
    fn least_sim(&self) -> anyhow::Result<Option<Option<f64>>> {
        let Some(text) = self.min_sim.as_deref() else { return Ok(None) };
        if text == "none" {
            return Ok(Some(None));
        }
        let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
        let problem = || Error::Config(format!("--min-sim is {text}, expected none or 0 to 1"));
        Ok(Some(Some(number.ok_or_else(problem)?)))
    }

    /// Changes the store's settings, and gives the new ones.
    fn apply(&self, store: &mut Store) -> anyhow::Result<Config> {
        self.check()?;
        let mut run = store.config().clone();
        if let Some(preset) = &self.preset {
            run.preset.clone_from(preset);
        }
        if self.means_all_langs() {
            run.langs.clear();
        } else if !self.langs.is_empty() {
            run.langs.clone_from(&self.langs);
        }
        if let Some(site) = &self.site {
            run.whole_domains = site == "domain";
        }
        if let Some(across) = &self.across_suffixes {
            run.across_suffixes = across == "yes";
        }
        run.rescue_above = self.rescue_above.or(run.rescue_above);
        run.max_record_bytes = self.max_record_bytes.or(run.max_record_bytes);
        let millionths = |share: f64| (share * 1e6).round() as u64;
        run.min_score = self.min_score.map(millionths).or(run.min_score);
        run.alpha = self.alpha.map(millionths).or(run.alpha);
        run.beta = self.beta.map(millionths).or(run.beta);
        run.rounds = self.rounds.map(u64::from).or(run.rounds);
        if let Some(least) = self.least_sim()? {
            run.min_sim = least.map(millionths);
        }
        if let Some(weights) = &self.weights {
            run.weights.clone_from(weights);
        }
        if let Some(name) = &self.verifier {
            run.verifier = if name == "none" { String::new() } else { name.clone() };
        }
        if self.lexicon.iter().any(|path| path.as_os_str() == "none") {
            run.lexicons.clear();
        } else if !self.lexicon.is_empty() {
            let full = |path: &PathBuf| -> anyhow::Result<String> {
                let full = path.canonicalize().map_err(Error::io(path, "opening"))?;
                Ok(full.to_string_lossy().into_owned())
            };
            run.lexicons = self.lexicon.iter().map(full).collect::<anyhow::Result<_>>()?;
        }
        if !self.without.is_empty() {
            run.without_keys = self.without.iter().any(|kind| kind == "keys");
            run.without_content = self.without.iter().any(|kind| kind == "content");
        }
        let config = config_of(&run)?;
        if run != *store.config() {
            let mut changes = Changes::default();
            store.set_config(run, &mut changes);
            store.commit(changes)?;
        }
        Ok(config)
    }
}

/// Languages of an option.
fn parse_langs(langs: &[String]) -> anyhow::Result<Vec<Lang>> {
    let parse = |text: &String| {
        let problem = || Error::Config(format!("--langs has {text}, expected tags such as en, fr, zh-Hans"));
        Ok(Lang::parse(text).ok_or_else(problem)?)
    };
    langs.iter().map(parse).collect()
}
