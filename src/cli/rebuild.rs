//! `diglot rebuild`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use diglot::config::Config;
use diglot::error::Error;
use diglot::export::{self, Content, Extra, Format, Job, Row, TakeDown};
use diglot::inputs::{self, Inputs, Refused};
use diglot::rebuild::{self, Rest, Texts};
use diglot::store::StoredSettings;
use diglot::types::{counted, grouped};

use super::card::Card;
use super::destination::{Plan, check_columns, say_written};
use super::global::Global;
use super::say::say;
use super::settings::{OnlyTexts, Settings};
use super::shape::ShapeArgs;
use super::stop::{check_stop, look_at_stop};
use super::take_down::{say_unmet, take_down};

/// Make sentence pairs again from a list without their texts, and the archives.
///
/// `diglot export --what rebuild` writes the list: where the texts are, and all else that is known of the sentence pairs. What is written here has the
/// rows that `diglot export --what bitext` wrote then, in any of its formats; TSV, CSV and JSON Lines are the same byte for byte. No store is needed. Pages are known
/// by their URLs and texts, so the archives may have other names, or be others with the same pages. What the archives lack is counted by reason, and
/// the exit code is 1. A list of another version of the extractor is refused.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot export --what rebuild --langs en,fr -o en-fr.rebuild.jsonl.zst
  diglot rebuild en-fr.rebuild.jsonl.zst crawls/ -o en-fr.tmx
  diglot rebuild en-fr.rebuild.jsonl.zst crawls/ --take-down gone.txt -o en-fr.jsonl")]
pub struct Rebuild {
    /// The list: JSON Lines, plain or compressed.
    list: PathBuf,
    #[arg(value_name = "INPUT", required = true, help = super::run::INPUTS, long_help = super::run::inputs_help())]
    inputs: Vec<OsString>,
    /// Skip inputs that cannot be read, and go on; the exit code is 1 if there were any.
    #[arg(long)]
    keep_going: bool,
    /// By default as FILE ends, else tsv; those of `diglot export --what bitext`.
    #[arg(long)]
    format: Option<String>,
    /// Leave out what is of pages that this file names: URLs, hosts, record ids, one a line.
    #[arg(long, value_name = "FILE")]
    take_down: Option<PathBuf>,
    /// Also write which language each text is in by itself.
    #[arg(long)]
    detect: bool,
    /// Also write what the records of the pages are called.
    #[arg(long)]
    record_ids: bool,
    #[command(flatten)]
    settings: Settings<OnlyTexts>,
    #[command(flatten)]
    shape: ShapeArgs,
    /// File to write; by default, or with `-`, stdout. Several files go into a folder of this name.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Rebuild {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let name = self.shape.naming(self.format.as_deref(), self.file());
        let format = export::format(Some(Content::Bitext), self.format.as_deref(), name.as_deref());
        let format = format.map_err(Error::Config)?.1;
        let plan = Plan::new(&self.shape, Content::Bitext, format, self.file())?;
        check_columns(format, self.detect, self.record_ids)?;
        self.settings.check(&self.list)?;
        let (_, config) = self.settings.settled(&StoredSettings::default())?;
        let config = Config { memory: global.memory, ..config };
        let gone = self.take_down.as_deref().map(take_down).transpose()?.unwrap_or_default();
        let inputs = inputs::expand(&self.inputs, self.keep_going, &config.archive, &|_| false)?;
        look_at_stop();
        self.write((format, &plan), &inputs, &config, &gone)
    }

    /// The file to write; `None` for stdout.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    fn is_dataset(&self) -> bool {
        self.shape.is_dataset(self.format.as_deref(), self.file())
    }

    /// Reads the list and the archives, and writes the rows. Wrong options are reported before the archives are read.
    fn write(
        &self,
        (format, plan): (&Format, &Plan<'_>),
        inputs: &Inputs,
        config: &Config,
        gone: &TakeDown,
    ) -> anyhow::Result<()> {
        let rebuild::Wanted { mut texts, langs } = rebuild::wanted(&self.list, gone)?;
        let known = (langs.len() == 1).then(|| langs.first().copied()).flatten();
        let two = || {
            let (name, count) = (format.name, langs.len());
            let problem = format!("--format {name} is of two languages, {count} pairs of languages are in the list");
            known.ok_or_else(|| Error::Config(format!("{problem}; give --partition-by langs")))
        };
        let langs = plan.langs(known, two)?;
        let mut destination = plan.destination(langs)?;
        let failed = |source| {
            let path = self.output.clone().unwrap_or_else(|| "stdout".into());
            Error::Io { path, action: "writing", source }
        };
        let (mut count, mut rest, mut refused) = (0, Rest::default(), Vec::new());
        let written = destination.open(self.output.as_deref(), format).and_then(|()| {
            refused = self.read(inputs, &mut texts, config)?;
            let now = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second())?;
            let extra = Extra { detects: self.detect, records: self.record_ids };
            let job = Job { content: Content::Bitext, langs, extra, compression: plan.compression, now };
            let card = self.is_dataset().then(|| self.card());
            let mut exporter = destination.exporter(format, job, config.memory.waiting_rows(), card).map_err(failed)?;
            rest = rebuild::for_each(&self.list, &mut texts, gone, |line| {
                check_stop()?;
                count += 1;
                exporter.row(Row::Sentences(&line)).map_err(failed)
            })?;
            Ok(exporter.finish().map_err(failed)?)
        });
        let files = destination.finish(written)?;
        say_written(Content::Bitext, count, files, self.file());
        if self.take_down.is_some() {
            say(format!("{} left out by --take-down", counted(rest.taken_down, "sentence pair")));
            say_unmet(gone, Content::Bitext.rows());
        }
        self.check(count, &rest, &refused)
    }

    /// Reads the archives; returns the inputs that were not read, or not to their end.
    fn read(&self, inputs: &Inputs, texts: &mut Texts, config: &Config) -> anyhow::Result<Vec<Refused>> {
        let mut refused = inputs.refused.clone();
        let mut damaged = 0_u64;
        for path in &inputs.archives {
            match texts.read(path, config, &check_stop)? {
                Ok(is_sound) => damaged += u64::from(!is_sound),
                // An error of the disk may not occur the next time, so it ends the command instead of leaving the archive out.
                Err(error @ Error::Io { .. }) if !self.keep_going => return Err(error.into()),
                Err(error) => refused.push(Refused { path: path.clone(), reason: error.to_string(), is_fault: true }),
            }
        }
        if damaged > 0 {
            say(format!("damaged or cut off, and read as far as they can be: {}", counted(damaged, "archive")));
        }
        for Refused { path, reason, .. } in &refused {
            say(format!("{} was not read, or not to its end: {reason}", path.display()));
        }
        Ok(refused)
    }

    /// The card of a data set.
    fn card(&self) -> Card {
        let name = |path: Option<&Path>| {
            path.and_then(Path::file_name).map_or(String::new(), |name| name.to_string_lossy().into_owned())
        };
        let mut settings = vec![("list".to_owned(), name(Some(&self.list)))];
        settings.extend(self.take_down.as_ref().map(|_| ("take-down".into(), "a list".into())));
        settings.extend(self.shape.told());
        Card::new(name(self.file()), settings, self.shape.parts())
    }

    /// An error if something that was asked for is missing.
    fn check(&self, count: usize, rest: &Rest, refused: &[Refused]) -> anyhow::Result<()> {
        let all: u64 = rest.lacking.values().sum();
        if all > 0 {
            let why: Vec<String> =
                rest.lacking.iter().map(|(reason, count)| format!("{} {reason}", grouped(*count))).collect();
            let all = grouped(all);
            let file = self.file().map_or("stdout".into(), Path::to_string_lossy);
            bail!("{file} has {}, and lacks {all}: {}", counted(count as u64, "sentence pair"), why.join(", "));
        }
        match refused.iter().filter(|refused| refused.is_fault).count() {
            0 => Ok(()),
            faults => {
                let were = if faults == 1 { "was" } else { "were" };
                bail!("{} {were} not read to the end, and nothing is lacking", counted(faults as u64, "input"))
            }
        }
    }
}
