//! `diglot rebuild`.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use diglot::config::Config;
use diglot::config::settings::BASE_URL;
use diglot::error::Error;
use diglot::export::{self, Content, Extra, Files, Format, Job, Row};
use diglot::inputs;
use diglot::rebuild;
use diglot::types::counted;
use diglot::upkeep::Given;

use super::destination::{Destination, say_written};
use super::export::{check_output, take_down};
use super::folder::Folder;
use super::global::Global;
use super::output::{Target, compression};
use super::say::say;
use super::shape::ShapeArgs;
use super::stop::{check_stop, look_at_stop};

/// Make sentence pairs again from a list without their texts, and the archives.
///
/// `diglot export --what rebuild` writes the list: where the texts are, and all else that is known of the sentence pairs. What is written here is
/// what `diglot export --what bitext` wrote then, byte for byte; no store is needed. Pages are known by their URLs and texts, so the archives may have
/// other names, or be others with the same pages. What the archives lack is counted by reason, and the exit code is 1. A list of another version of
/// the extractor is refused.
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
    /// Address from which folders of pages were saved, where no folder in them has the name of a host.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    #[command(flatten)]
    shape: ShapeArgs,
    /// File to write; by default, or with `-`, stdout. Several files go into a folder of this name.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Rebuild {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let file = self.output.as_deref().filter(|path| path.as_os_str() != "-");
        let name = file.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let plain = name.as_deref().map(|name| name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name));
        let format = export::format(Some(Content::Bitext), self.format.as_deref(), plain).map_err(Error::Config)?.1;
        check_output(format, file, io::stdout().is_terminal()).map_err(Error::Config)?;
        if format.files != Files::One && !self.shape.is_of_folder() {
            let problem = format!("--format {} is of two languages here; give --partition-by langs", format.name);
            return Err(Error::Config(problem).into());
        }
        let mut config = Config { memory: global.memory, ..Config::default() };
        if let Some(url) = &self.base_url {
            Given::of(&[(BASE_URL, url)])?.check(&self.list)?;
            config.archive.base_url = Some(url.clone());
        }
        let gone = self.take_down.as_deref().map(take_down).transpose()?.unwrap_or_default();
        let inputs = inputs::expand(&self.inputs, false, &config.archive, &|_| false)?;
        look_at_stop();
        let mut texts = rebuild::wanted(&self.list)?;
        for path in &inputs.archives {
            texts.read(path, &config, &check_stop)?;
        }
        let mut lacking = rebuild::Lacking::new();
        let count = self.write(format, file, &config, |row| {
            lacking = rebuild::for_each(&self.list, &mut texts, &gone, |line| {
                check_stop()?;
                row(Row::Sentences(&line))
            })?;
            Ok(())
        })?;
        let all: u64 = lacking.values().sum();
        if all == 0 {
            return Ok(());
        }
        let file = file.map_or("stdout".into(), Path::to_string_lossy);
        let why: Vec<String> = lacking.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        bail!("{file} has {}, and lacks {all}: {}", counted(count as u64, "sentence pair"), why.join(", "))
    }

    /// Writes the rows that `each` gives; returns how many they are.
    fn write(
        &self,
        format: &Format,
        file: Option<&Path>,
        config: &Config,
        each: impl FnOnce(&mut dyn FnMut(Row<'_>) -> Result<(), Error>) -> Result<(), Error>,
    ) -> anyhow::Result<usize> {
        let shape = if self.shape.is_of_folder() { Some(self.shape.of_folder(Content::Bitext, format)?) } else { None };
        let (compression, mut destination) = match &shape {
            Some(shape) => {
                let folder = file.filter(|folder| compression(folder).is_none());
                let none = || Error::Config("several files need a folder; give -o FOLDER".into());
                (shape.compression, Destination::Folder(Folder::new(folder.ok_or_else(none)?)?, shape))
            }
            None => {
                let targets: Vec<Target> = Vec::new();
                (self.shape.compression_of_file(format, file)?, Destination::Files(targets, vec![String::new()]))
            }
        };
        let failed = |source| {
            let path = self.output.clone().unwrap_or_else(|| "stdout".into());
            Error::Io { path, action: "writing", source }
        };
        let mut count = 0;
        let written = destination.open(self.output.as_deref(), format).and_then(|()| {
            let now = jiff::Timestamp::from_second(jiff::Timestamp::now().as_second())?;
            let extra = Extra { detects: self.detect, records: self.record_ids };
            let job = Job { content: Content::Bitext, langs: None, extra, compression, now };
            let mut exporter = destination.exporter(format, job, config.memory.waiting_rows(), None).map_err(failed)?;
            each(&mut |row| {
                count += 1;
                exporter.row(row).map_err(failed)
            })?;
            Ok(exporter.finish().map_err(failed)?)
        });
        let files = destination.finish(written)?;
        say_written(Content::Bitext, count, files, file);
        if self.take_down.is_some() {
            say("what --take-down names was left out");
        }
        Ok(count)
    }
}
