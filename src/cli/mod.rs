//! The command line: one file a command. Data goes to stdout, progress and messages to stderr.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use diglot::config::Config;
use diglot::config::settings::configuration;
use diglot::error::Error;
use diglot::store::{Access, Store};

mod bitext;
mod compare;
mod eval;
mod explain;
mod explore;
mod export;
mod filter;
mod freshness;
mod gold;
mod hosts;
mod keys;
mod listing;
mod output;
mod pairs;
mod progress;
mod recover;
mod run;
mod settings;
mod status;

use freshness::Lists;
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

/// Where the store is unless it is said.
const STORE: &str = "diglot.store";

#[derive(Args)]
#[command(next_help_heading = "Global options")]
struct Global {
    /// Folder of the store.
    ///
    /// Everything is kept there between commands.
    #[arg(long, global = true, env = "DIGLOT_STORE", default_value = STORE, value_name = "DIR")]
    store: PathBuf,
    /// Threads that work; by default one a core.
    #[arg(long, global = true, value_name = "N")]
    threads: Option<usize>,
    /// No progress on stderr, and no word of what is stale.
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
    /// Opens the store for a query, which answers from what is committed: it runs nothing, and says what is stale.
    fn query(&self, lists: Lists) -> anyhow::Result<(Store, Config)> {
        let (store, config) = self.read()?;
        self.note_stale(lists, &store, &config)?;
        Ok((store, config))
    }

    /// Says what is stale of what is listed.
    fn note_stale(&self, lists: Lists, store: &Store, config: &Config) -> anyhow::Result<()> {
        if !self.quiet
            && let Some(notice) = lists.notice(store, config)?
        {
            eprintln!("diglot: {notice}");
        }
        Ok(())
    }

    fn read(&self) -> anyhow::Result<(Store, Config)> {
        let store = self.open(Access::Read)?;
        let (config, unusable) = configuration(&store.settings().values);
        for unusable in unusable.iter().filter(|_| !self.quiet) {
            eprintln!("diglot: {unusable}");
        }
        Ok((store, config))
    }

    fn write(&self) -> anyhow::Result<Store> {
        self.open(Access::Write)
    }

    fn open(&self, access: Access) -> anyhow::Result<Store> {
        let store = Store::open(&self.store, access)?;
        if store.was_rebuilt {
            eprintln!(
                "diglot: the catalog was damaged and was made again from the record files; `diglot run` makes the results again"
            );
        }
        if let Some(format) = store.upgraded_from {
            eprintln!("diglot: upgraded the store from format {format}; `diglot run` makes the results again");
        }
        Ok(store)
    }
}
