//! The command line: one file a command. Data goes to stdout, progress and messages to stderr.

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use diglot::error::Error;

#[cfg(target_os = "linux")]
mod address_space;
mod archives;
mod bitext;
#[cfg(unix)]
mod bus;
mod card;
mod color;
mod compare;
mod correct;
mod destination;
mod diff;
mod dry;
mod eval;
#[cfg(feature = "exec")]
mod exec;
mod explain;
mod explore;
mod export;
mod filter;
mod folder;
mod freshness;
mod global;
mod gold;
mod groups;
mod hosts;
mod how_far;
mod keys;
mod layout;
mod listing;
mod losses;
mod manual;
mod merge;
mod output;
mod pairs;
mod parent;
mod part_file;
#[cfg(all(feature = "pdf", unix))]
mod pdf;
mod progress;
mod rebuild;
mod recover;
#[cfg(feature = "review")]
mod review;
mod run;
mod say;
mod settings;
mod shape;
mod show;
mod status;
mod stop;
mod summary;
mod table;
mod take_down;
mod threads;
mod touched;
mod upkeep;

use global::Global;
use say::tell;

/// Finds the pages of web archives that are translations of each other.
///
/// `diglot run` reads archives into a store, learns from the URLs how each site marks its languages, pairs the pages, and aligns
/// their sentences. The other commands list, explain, export and evaluate what it found. Everything works offline, and every
/// command can be interrupted and resumed: give the same command again.
#[derive(Parser)]
#[command(name = "diglot", version = env!("DIGLOT_VERSION"), max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  diglot run crawl.warc.gz                  from an archive to sentence pairs, into ./diglot.store
  diglot pairs fr.example.org               the pairs of a host, with their keys
  diglot explain http://example.org/a.html  why a page was or was not paired
  diglot export --format tmx -o site.tmx    all sentence pairs into a file

Exit codes: 0 done, 1 error or inputs skipped by --keep-going, 2 usage, 130 interrupted.";

/// The commands to type first, for a user who has typed none.
pub const FIRST_STEPS: &str = "\
diglot finds the pages of web archives that are translations of each other.
  diglot run crawl.warc.gz            read an archive (WARC, WACZ, ZIM, a mirror, …) and pair its pages
  diglot pairs                        list the pairs; `diglot bitext` lists their sentences
  diglot export -o sentences.tmx      write the sentence pairs for other tools
  diglot --help                       all commands; `diglot run --help`: all about one";

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
    Show(show::Show),
    Index(archives::Index),
    Cat(archives::Cat),
    Recover(recover::Recover),
    Explore(explore::Explore),
    Export(export::Export),
    Rebuild(rebuild::Rebuild),
    Eval(eval::Eval),
    Compare(compare::Compare),
    Diff(diff::Diff),
    Correct(correct::Correct),
    #[cfg(feature = "review")]
    Review(review::Review),
    #[cfg(feature = "review")]
    Report(review::Report),
    #[cfg(feature = "exec")]
    Exec(exec::Exec),
    #[cfg(all(feature = "pdf", unix))]
    Pdf(pdf::Pdf),
    Check(upkeep::Check),
    Compact(upkeep::Compact),
    Remove(upkeep::Remove),
    Merge(merge::Merge),
    Completions(manual::Completions),
    Man(manual::Man),
}

pub fn main() -> ExitCode {
    let command: clap::Command = groups::grouped(Cli::command()).color(color::asked());
    let cli = match command.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(mut error) => {
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
            ) {
                tell(FIRST_STEPS);
                return ExitCode::from(2);
            }
            // clap's usage line shows given options as if they were required.
            error.remove(ContextKind::Usage);
            let _ = error.print();
            if !error.use_stderr() {
                return ExitCode::SUCCESS;
            }
            #[cfg(feature = "exec")]
            if std::env::args_os().any(|argument| argument == "exec") {
                return exec::usage(&error);
            }
            return ExitCode::from(2);
        }
    };
    #[cfg(feature = "exec")]
    let is_step = matches!(cli.command, Command::Exec(_));
    touched::mend_panics();
    match dispatch(cli).and_then(|()| Ok(touched::check()?)) {
        #[cfg(feature = "exec")]
        Err(error) if is_step => exec::report(&error),
        Ok(()) if losses::are_told() || diff::do_differ() => ExitCode::from(1),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

/// Advice for an error that comes from a limit of the system.
fn remedy(error: &anyhow::Error) -> &'static str {
    let of_system = |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref::<io::Error>()?.raw_os_error();
    #[cfg(unix)]
    match error.chain().find_map(of_system).map(nix::errno::Errno::from_raw) {
        Some(nix::errno::Errno::EMFILE) => return "; allow the program more of them (`ulimit -n 4096`)",
        Some(nix::errno::Errno::EFBIG) => return "; allow longer files (`ulimit -f unlimited`)",
        _ => {}
    }
    #[cfg(not(unix))]
    let _ = (error, of_system);
    ""
}

fn report(error: &anyhow::Error) -> ExitCode {
    let is_closed_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    say::tell_failure(format_args!("{error:#}{}", remedy(error)));
    match error.downcast_ref::<Error>() {
        Some(Error::Interrupted) => ExitCode::from(130),
        Some(Error::Config(_)) => ExitCode::from(2),
        _ => ExitCode::from(1),
    }
}

/// Makes the command end cleanly at Ctrl-C, SIGTERM and SIGHUP.
fn catch_wishes() {
    let caught = ctrlc::set_handler(|| {
        if stop::is_to_end_at_once() {
            #[cfg(feature = "review")]
            review::close();
            std::process::exit(130);
        }
        progress::tell_of_stopping();
    });
    if let Err(error) = caught {
        // Without the handler, Ctrl-C ends the program at once; committed data is safe.
        tell(format_args!("diglot: Ctrl-C ends the program at once ({error})"));
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<()> {
    #[cfg(all(feature = "pdf", unix))]
    {
        if let Command::Pdf(command) = &cli.command {
            return command.run();
        }
        pdf::be_there();
    }
    let global = &cli.global;
    output::keep_out_of(&global.store);
    say::name_store(&global.store);
    if global.quiet {
        say::be_quiet();
    }
    if global.progress == progress::Shown::Json {
        say::speak_to_programs();
    }
    #[cfg(target_os = "linux")]
    {
        address_space::keep_to_it()?;
        bus::tell_of_faults();
    }
    #[cfg(unix)]
    bus::take_long_files_as_errors();
    #[cfg(unix)]
    bus::but_for_ignored(catch_wishes);
    #[cfg(not(unix))]
    catch_wishes();
    parent::watch();
    threads::start(global.threads, global.quiet)?;
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
        Command::Show(command) => command.run(global),
        Command::Index(command) => command.run(),
        Command::Cat(command) => command.run(),
        Command::Recover(command) => command.run(global),
        Command::Explore(command) => command.run(global),
        Command::Export(command) => command.run(global),
        Command::Rebuild(command) => command.run(global),
        Command::Eval(command) => command.run(global),
        Command::Compare(command) => command.run(global),
        Command::Diff(command) => command.run(global),
        Command::Correct(command) => command.run(global),
        #[cfg(feature = "review")]
        Command::Review(command) => command.run(global),
        #[cfg(feature = "review")]
        Command::Report(command) => command.run(global),
        #[cfg(feature = "exec")]
        Command::Exec(command) => command.run(global),
        #[cfg(all(feature = "pdf", unix))]
        Command::Pdf(command) => command.run(),
        Command::Check(command) => command.run(global),
        Command::Compact(command) => command.run(global),
        Command::Remove(command) => command.run(global),
        Command::Merge(command) => command.run(global),
        Command::Completions(command) => command.run(Cli::command()),
        Command::Man(command) => command.run(Cli::command()),
    }
}
