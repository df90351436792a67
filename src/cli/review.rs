//! `diglot review` and `diglot report`.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use diglot::error::Error;
use diglot::store::Reviews;
use tempfile::TempPath;

use super::global::Global;
use super::how_far::{HowFar, Note, numbered};
use super::output;
use super::say::{say, tell};
use crate::review::judge::gold_files;
use crate::review::record::Record;
use crate::review::report::{self, Form};
use crate::review::{OPENING, Options, Working, serve};

/// Look at pairs in the browser, and judge them.
///
/// Serves a page on this machine alone, until Ctrl-C; its address is the first line on stdout, with a token that is needed for every
/// page. Shows what the store holds and why, hosts with their keys and pairs, and two pages side by side with their aligned sentences and
/// all evidence. Under "Judge" a sample is drawn and shown pair by pair, without scores; from the marks comes the precision of all pairs with its 95 %
/// interval. Marks are kept in the store and survive every run. A job may write to the store meanwhile.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot review --open
  diglot review --port 8000 --reviewer ann
  diglot review --against before.store
  diglot review --gold judged    what was judged as gold: diglot eval --sample --gold judged/review.pairs.tsv \\
                                 --grey judged/review.grey.tsv")]
pub struct Review {
    /// Port of the page; 0: any that is free.
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// Name under which marks are made; it can be changed on the page. By default the user's name.
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,
    /// Another store, with which this one is compared: pairs gained, lost and changed, and why.
    #[arg(long, value_name = "STORE")]
    against: Option<PathBuf>,
    /// Serve nothing: write the judged pairs into this folder, as gold for `diglot eval --sample`.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "open", "reviewer", "against"])]
    gold: Option<PathBuf>,
}

impl Review {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        if let Some(folder) = &self.gold {
            return write_gold(global, folder);
        }
        // Opened once for its messages about losses and stale results, before the page is served.
        drop(global.read()?);
        super::touched::forget();
        let user = ["USER", "USERNAME", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
        let reviewer = self.reviewer.clone().or_else(|| user.into_iter().find(|name| !name.is_empty()));
        let options = Options {
            store: global.store.clone(),
            port: self.port,
            reviewer: reviewer.unwrap_or_else(|| "reviewer".to_owned()),
            against: self.against.clone(),
            working: |folder| Note::read(folder).map(working),
        };
        serve(options, |address, once| {
            let mut out = io::stdout().lock();
            writeln!(out, "{address}")?;
            out.flush()?;
            if !global.quiet {
                tell("diglot: open this address in a browser; Ctrl-C ends the page");
            }
            if self.open {
                open(once);
            }
            Ok(())
        })
    }
}

/// How far a run is, for the page.
fn working(how_far: HowFar) -> Working {
    let share = how_far.total.filter(|total| *total > 0).map(|total| how_far.done as f64 / total as f64);
    let stage = numbered(&how_far.stage);
    let text = how_far.line();
    let text = text.strip_prefix(&stage).and_then(|rest| rest.strip_prefix(": ")).map_or(text.clone(), str::to_owned);
    Working { stage, text, share }
}

/// The file that leads a browser to the page. It is removed when it is no longer needed, or when the program ends.
static LEADING: Mutex<Option<TempPath>> = Mutex::new(None);

/// Removes the file that the page leaves on the disk.
pub fn close() {
    drop(LEADING.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Writes a file that leads a browser to an address, and that no other user can read.
fn leading_to(address: &str) -> io::Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("diglot-").suffix(".html");
    // Sandboxed browsers, such as snaps, have another /tmp.
    let home = std::env::home_dir().filter(|_| cfg!(target_os = "linux"));
    let at_home = home.and_then(|home| builder.tempfile_in(home).ok());
    let mut file = at_home.map_or_else(|| builder.tempfile(), Ok)?;
    let head = format!("<meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={address}\">");
    writeln!(file, "<!DOCTYPE html>{head}<title>diglot review</title><a href=\"{address}\">diglot review</a>")?;
    let file = file.into_temp_path();
    let path = file.to_path_buf();
    *LEADING.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    Ok(path)
}

/// Opens an address in the desktop's browser, if there is one. The browser is given a file, since all users of the machine can see the
/// arguments of programs.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let say = move |why: &dyn std::fmt::Display| {
        close();
        tell(format_args!("diglot: no browser could be opened ({program}: {why}); open the address yourself"));
    };
    let none = Stdio::null;
    let spawn = |path| Command::new(program).arg(path).stdin(none()).stdout(none()).stderr(none()).spawn();
    match leading_to(address).and_then(spawn) {
        Ok(mut child) => drop(std::thread::spawn(move || match child.wait() {
            Ok(status) if status.success() => {
                std::thread::sleep(OPENING);
                close();
            }
            Ok(status) => say(&status),
            Err(why) => say(&why),
        })),
        Err(why) => say(&why),
    }
}

fn write_gold(global: &Global, folder: &PathBuf) -> anyhow::Result<()> {
    drop(global.read()?);
    let marks = Reviews::of(&global.store).marks()?;
    if let Some(lines) = marks.bad_lines() {
        say(format_args!("left out what are no marks: {lines}; mend or delete these lines"));
    }
    if marks.all.is_empty() {
        anyhow::bail!("nothing was judged yet: `diglot review` serves the page to do so");
    }
    fs::create_dir_all(folder).map_err(Error::io(folder, "making the folder"))?;
    for (name, content) in gold_files(&marks) {
        let path = folder.join(name);
        output::write(&path, content.as_bytes())?;
        writeln!(io::stdout(), "{}\t{}", path.display(), content.lines().count())?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportForm {
    Html,
    Md,
    Json,
}

/// Write the contents of the store into one file: figures, what was left out and why, hosts, keys, settings and versions.
///
/// The HTML file contains its pictures and loads nothing, so that it can be sent and kept. JSON has the figures alone: `--against` compares
/// later ones with them. Without `-o` the report goes to stdout.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot report -o report.html
  diglot report -o report.md
  diglot report -o monday.json              then, after another run:
  diglot report -o report.html --against monday.json")]
pub struct Report {
    /// The file; its name tells the format. By default, or with `-`, stdout. The file appears only once it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format; by default that of the name of the file, or html.
    #[arg(long, value_enum)]
    format: Option<ReportForm>,
    /// An earlier report, as JSON: each figure stands beside what it was then.
    #[arg(long, value_name = "FILE.json")]
    against: Option<PathBuf>,
}

impl Report {
    /// The file to write; `None` for stdout.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// The format, from the option or from the ending of the file.
    fn form(&self) -> Result<ReportForm, Error> {
        let Some(ending) = self.file().and_then(Path::extension) else {
            return Ok(self.format.unwrap_or(ReportForm::Html));
        };
        let ending = ending.to_string_lossy().to_ascii_lowercase();
        let named = match ending.as_str() {
            "html" | "htm" => ReportForm::Html,
            "md" | "markdown" => ReportForm::Md,
            "json" => ReportForm::Json,
            _ => {
                let problem = || {
                    format!(
                        "the ending .{ending} says no format; expected .html, .htm, .md, .markdown, .json, or --format"
                    )
                };
                return self.format.ok_or_else(|| Error::Config(problem()));
            }
        };
        match self.format.filter(|format| *format != named).and_then(|format| format.to_possible_value()) {
            Some(format) => Err(Error::Config(format!(
                "--format {} makes no .{ending} file; leave --format or the ending out",
                format.get_name()
            ))),
            None => Ok(named),
        }
    }

    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let form = match self.form()? {
            ReportForm::Html => Form::Html,
            ReportForm::Md => Form::Markdown,
            ReportForm::Json => Form::Json,
        };
        if form == Form::Json && self.against.is_some() {
            let problem = "a report as JSON has the figures alone; --against is for .html and .md";
            return Err(Error::Config(problem.into()).into());
        }
        let before = self.against.as_deref().map(Record::read).transpose()?;
        let (store, config) = global.query(super::freshness::Lists::Report)?;
        let text = report::write(&store, &config, form, before.as_ref())?;
        super::touched::check()?;
        let path = self.file();
        if path.is_none() && io::stdout().is_terminal() && form == Form::Html {
            return Err(Error::Config("HTML is not for a terminal: give -o report.html".into()).into());
        }
        output::write(path.unwrap_or(Path::new("-")), text.as_bytes())
    }
}
