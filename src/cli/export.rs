//! `diglot export`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use diglot::error::Error;
use diglot::export::{EXPORTERS, exporter};
use diglot::query::{self, Scope};

use super::{Global, STOP};

/// Write the pairs to a file, for other tools.
///
/// Columns as those of `diglot pairs`. Memory does not grow with the number of pairs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot export -o pairs.tsv
  diglot export --what fetch -o ranges.tsv    what to fetch of an archive known by its index
  diglot export --format jsonl --host example.org | gzip > pairs.jsonl.gz")]
pub struct Export {
    /// How it is written: tsv or jsonl.
    #[arg(long, default_value = "tsv")]
    format: String,
    /// What to export: pairs, or the captures to fetch (file, offset, length) where pairs come from an index without text.
    #[arg(long, default_value = "pairs", value_parser = ["pairs", "fetch"])]
    what: String,
    /// Only this host or registrable domain.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// File to write; `-` or nothing: stdout. A file is complete or not there at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let Some(mut exporter) = exporter(&self.format) else {
            let names: Vec<&str> = EXPORTERS.iter().map(|(name, _)| *name).collect();
            return Err(
                Error::Config(format!("--format is {}, expected one of {}", self.format, names.join(", "))).into()
            );
        };
        let (store, config) = global.read()?;
        let scope = self.host.as_deref().map_or(Ok(Scope::all()), |host| Scope::of(&store, host))?;
        let mut write = |out: &mut dyn Write, place: &str| -> anyhow::Result<()> {
            let failed = |source| Error::Io { path: place.into(), action: "writing", source };
            if self.what == "fetch" {
                super::fetch::write(&query::fetch(&store, &scope)?, self.format == "jsonl", out).map_err(failed)?;
                return Ok(out.flush().map_err(failed)?);
            }
            exporter.begin(out).map_err(failed)?;
            query::for_each_pair(&store, &config, &scope, |pair| {
                if STOP.load(Ordering::Relaxed) {
                    return Err(Error::Interrupted);
                }
                exporter.pair(&pair, out).map_err(failed)
            })?;
            Ok(out.flush().map_err(failed)?)
        };
        match self.output.filter(|path| path.as_os_str() != "-") {
            None => write(&mut BufWriter::new(io::stdout().lock()), "stdout"),
            // A pipe or device stays what it is.
            Some(path) if path.exists() && !path.is_file() => {
                if path.is_dir() {
                    return Err(
                        Error::input(path.display().to_string(), "is a folder, expected a file to write").into()
                    );
                }
                let file = OpenOptions::new().write(true).open(&path).map_err(Error::io(&path, "opening"))?;
                write(&mut BufWriter::new(file), &path.display().to_string())
            }
            Some(path) => {
                // What a link leads to is replaced, not the link.
                let path = path.canonicalize().unwrap_or(path);
                let mut name = path.file_name().unwrap_or_default().to_owned();
                name.push(".part");
                let part = path.with_file_name(name);
                let file = File::create(&part).map_err(Error::io(&part, "creating"))?;
                let outcome = write(&mut BufWriter::new(file), &part.display().to_string());
                if outcome.is_err() {
                    let _ = std::fs::remove_file(&part);
                    return outcome;
                }
                std::fs::rename(&part, &path).map_err(Error::io(&path, "naming"))?;
                Ok(())
            }
        }
    }
}
