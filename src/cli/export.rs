//! `diglot export`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use diglot::config::Config;
use diglot::error::Error;
use diglot::export::bitext::{BITEXT_EXPORTERS, Files, Output};
use diglot::export::{EXPORTERS, exporter};
use diglot::query::{self, Scope, bitext};
use diglot::store::Store;
use diglot::store::records::RecordRef;
use diglot::types::{Lang, LangPair};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::filter::{Filter, Wanted};
use super::{Global, STOP};

/// Write pairs of pages, or of sentences, to a file, for other tools.
///
/// Columns of pages as those of `diglot pairs`, of sentences as those of `diglot bitext`, with where each comes from. Memory does
/// not grow with the output. A file whose name ends in .gz or .zst is compressed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot export -o pairs.tsv
  diglot export --what bitext --format jsonl -o bitext.jsonl.zst
  diglot export --format tmx --langs en,fr --min-score 0.9 -o en-fr.tmx
  diglot export --what fetch --langs en,fr -o ranges.tsv    what to fetch of an archive known by its index
  diglot export --format moses --langs en,fr -o corpus      writes corpus.en and corpus.fr")]
pub struct Export {
    /// How it is written: tsv or jsonl; for sentences also tmx, moses or parquet.
    #[arg(long, default_value = "tsv")]
    format: String,
    /// What to export: pairs; the captures to fetch (file, offset, length) where pairs come from an index without text; or
    /// lexicon, the words that verification learnt (of two languages, `--langs`); bitext, sentence pairs [pairs; bitext for formats that have no pages].
    #[arg(long, value_parser = ["pairs", "fetch", "lexicon", "bitext"])]
    what: Option<String>,
    /// Only this host or registrable domain.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    #[command(flatten)]
    filter: Filter,
    /// Sentence pairs that were left out too, with the reason.
    #[arg(long)]
    keep_all: bool,
    /// File to write; `-` or nothing: stdout. A file is complete or not there at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let has_pairs = EXPORTERS.iter().any(|(name, _)| *name == self.format);
        let bitext = BITEXT_EXPORTERS.iter().find(|(name, ..)| *name == self.format);
        let what = self.what.as_deref().unwrap_or(if has_pairs { "pairs" } else { "bitext" });
        let names: Vec<&str> = match what {
            "pairs" | "fetch" | "lexicon" => EXPORTERS.iter().map(|(name, _)| *name).collect(),
            _ => BITEXT_EXPORTERS.iter().map(|(name, ..)| *name).collect(),
        };
        if !names.contains(&self.format.as_str()) {
            let names = names.join(", ");
            return Err(Error::Config(format!("--format is {}, expected one of {names}", self.format)).into());
        }
        let (store, mut config) = global.read()?;
        let wanted = self.filter.wanted(&mut config)?;
        let scope = self.host.as_deref().map_or(Ok(Scope::all()), |host| Scope::of(&store, host))?;
        match bitext {
            Some((_, files, make)) if what == "bitext" => {
                let suffixes = match files {
                    Files::One => vec![String::new()],
                    Files::OneALanguage => self.suffixes(&store, &config, &scope, &wanted)?,
                };
                let mut targets: Vec<Target> = Vec::new();
                let written = self.sentences(&store, &config, &scope, &wanted, &suffixes, &mut targets, *make);
                finish(targets, written)
            }
            _ => {
                let mut target = Target::open(self.output.as_deref(), "")?;
                let written = if what == "fetch" {
                    self.ranges(&store, &scope, &wanted, global, target.take())
                } else if what == "lexicon" {
                    self.lexicon(&store, &wanted.langs, target.take())
                } else {
                    self.pages(&store, &config, &scope, &wanted, target.take())
                };
                finish(vec![target], written)
            }
        }
    }

    /// Two columns of words under the names of their languages, as `--lexicon` reads them; the most probable first.
    fn lexicon(&self, store: &Store, wanted: &[Lang], mut out: Output) -> anyhow::Result<()> {
        let expected =
            || Error::Config("--what lexicon is of two languages; choose them by --langs, such as en,fr".into());
        let &[first, second] = wanted else { return Err(expected().into()) };
        let langs = LangPair::new(first, second).ok_or_else(expected)?;
        let Some(head) = store.learnt_head(langs)? else {
            let problem = format!("nothing was learnt of {first} and {second}: too few pairs of strong keys");
            return Err(Error::Config(problem).into());
        };
        let record = store.learnt.read(RecordRef(head.record))?;
        let failed = |source| Error::Io { path: self.place(), action: "writing", source };
        writeln!(out, "{first}\t{second}").map_err(failed)?;
        for row in record.lexicon.iter() {
            let (a, b) = if langs.a == first { (&row.0, &row.1) } else { (&row.1, &row.0) };
            writeln!(out, "{a}\t{b}").map_err(failed)?;
        }
        Ok(out.flush().map_err(failed)?)
    }

    fn ranges(
        &self,
        store: &Store,
        scope: &Scope,
        wanted: &Wanted,
        global: &Global,
        mut out: Output,
    ) -> anyhow::Result<()> {
        let failed = |source| Error::Io { path: self.place(), action: "writing", source };
        let lines = query::fetch(store, scope, &|langs| wanted.takes_langs(langs))?;
        if lines.is_empty() && !global.quiet {
            eprintln!("diglot: nothing to fetch: no pair has a page that is known by an index only");
        }
        super::fetch::write(&lines, self.format == "jsonl", &mut out).map_err(failed)?;
        Ok(out.flush().map_err(failed)?)
    }

    fn pages(
        &self,
        store: &Store,
        config: &Config,
        scope: &Scope,
        wanted: &Wanted,
        mut out: Output,
    ) -> anyhow::Result<()> {
        let Some(mut exporter) = exporter(&self.format) else { return Ok(()) };
        let place = self.place();
        let failed = |source| Error::Io { path: place.clone(), action: "writing", source };
        exporter.begin(&mut out).map_err(failed)?;
        query::for_each_pair(store, config, scope, |pair| {
            check_stop()?;
            if !wanted.takes(pair.score, [pair.lang_a, pair.lang_b]) {
                return Ok(());
            }
            exporter.pair(&pair, &mut out).map_err(failed)
        })?;
        Ok(out.flush().map_err(failed)?)
    }

    #[expect(clippy::too_many_arguments, reason = "all that was read off the command line")]
    fn sentences(
        &self,
        store: &Store,
        config: &Config,
        scope: &Scope,
        wanted: &Wanted,
        suffixes: &[String],
        targets: &mut Vec<Target>,
        make: diglot::export::bitext::MakeBitext,
    ) -> anyhow::Result<()> {
        for suffix in suffixes {
            targets.push(Target::open(self.output.as_deref(), suffix)?);
        }
        let place = self.place();
        let failed = |source| Error::Io { path: place.clone(), action: "writing", source };
        let mut exporter = make(targets.iter_mut().map(Target::take).collect()).map_err(failed)?;
        bitext::for_each_bead(store, config, scope, self.keep_all, |line| {
            check_stop()?;
            if !wanted.takes(line.score, [line.lang_a, line.lang_b]) {
                return Ok(());
            }
            exporter.line(&line).map_err(failed)
        })?;
        Ok(exporter.finish().map_err(failed)?)
    }

    fn place(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| "stdout".into())
    }

    /// `.en` and `.fr`: the languages of a format that has one file for each.
    fn suffixes(&self, store: &Store, config: &Config, scope: &Scope, wanted: &Wanted) -> anyhow::Result<Vec<String>> {
        if self.output.as_deref().is_none_or(|path| path.as_os_str() == "-") {
            return Err(Error::Config(format!("--format {} writes two files; give -o NAME", self.format)).into());
        }
        let mut found = std::collections::BTreeSet::new();
        bitext::for_each_page_pair(store, scope, |langs, _, _| {
            if wanted.takes_langs([langs.a, langs.b]) {
                found.insert(langs);
            }
            Ok(())
        })?;
        let mut langs = match (found.len(), found.first()) {
            (1, Some(langs)) => [langs.a, langs.b],
            (0, _) => return Err(Error::Config("there are no page pairs of these languages".into()).into()),
            (count, _) => {
                let problem =
                    format!("--format {} is of two languages, {count} pairs of languages are there", self.format);
                return Err(Error::Config(format!("{problem}; choose two by --langs")).into());
            }
        };
        langs.sort_by_key(|&lang| config.lang_rank(lang));
        Ok(langs.map(|lang| format!(".{lang}")).to_vec())
    }
}

fn check_stop() -> diglot::error::Result<()> {
    if STOP.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
}

/// Something to write to, and the file it becomes when all went well.
struct Target {
    out: Option<Output>,
    /// The file it is written to first, and its name in the end.
    file: Option<(PathBuf, PathBuf)>,
}

impl Target {
    /// Opens stdout, a pipe or device as it is, or a new file. `suffix` comes before an ending that means compression.
    fn open(path: Option<&Path>, suffix: &str) -> anyhow::Result<Target> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let out: Output = Box::new(BufWriter::new(io::stdout()));
            return Ok(Target { out: Some(out), file: None });
        };
        let path = with_suffix(path, suffix);
        if path.exists() && !path.is_file() {
            if path.is_dir() {
                return Err(Error::input(path.display().to_string(), "is a folder, expected a file to write").into());
            }
            let file = OpenOptions::new().write(true).open(&path).map_err(Error::io(&path, "opening"))?;
            return Ok(Target { out: Some(compressed(&path, file)?), file: None });
        }
        // What a link leads to is replaced, not the link.
        let path = path.canonicalize().unwrap_or(path);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        let file = File::create(&part).map_err(Error::io(&part, "creating"))?;
        Ok(Target { out: Some(compressed(&path, file)?), file: Some((part, path)) })
    }

    fn take(&mut self) -> Output {
        self.out.take().unwrap_or_else(|| Box::new(io::sink()))
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let ending = path.extension().filter(|ending| *ending == "gz" || *ending == "zst").map(|ending| ending.to_owned());
    let mut name = if ending.is_some() { path.with_extension("") } else { path.to_owned() }.into_os_string();
    name.push(suffix);
    if let Some(ending) = ending {
        name.push(".");
        name.push(ending);
    }
    name.into()
}

/// Writes the end of the compressed stream when it is dropped or flushed for the last time.
fn compressed(path: &Path, file: File) -> anyhow::Result<Output> {
    Ok(match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => Box::new(Gz(Some(GzEncoder::new(BufWriter::new(file), Compression::default())))),
        Some("zst") => {
            let encoder = zstd::Encoder::new(BufWriter::new(file), 0).map_err(Error::io(path, "opening"))?;
            Box::new(Zst(Some(encoder)))
        }
        _ => Box::new(BufWriter::new(file)),
    })
}

/// A gzip stream that ends at the first flush: exporters flush once, when all is written.
struct Gz(Option<GzEncoder<BufWriter<File>>>);

impl Write for Gz {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |encoder| encoder.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.take().map_or(Ok(()), |encoder| encoder.finish()?.flush())
    }
}

/// The same with zstd.
struct Zst(Option<zstd::Encoder<'static, BufWriter<File>>>);

impl Write for Zst {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |encoder| encoder.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.take().map_or(Ok(()), |encoder| encoder.finish()?.flush())
    }
}

/// Gives the files their names, or takes them away.
fn finish(targets: Vec<Target>, written: anyhow::Result<()>) -> anyhow::Result<()> {
    for (part, path) in targets.into_iter().filter_map(|target| target.file) {
        if written.is_ok() {
            std::fs::rename(&part, &path).map_err(Error::io(&path, "naming"))?;
        } else {
            let _ = std::fs::remove_file(&part);
        }
    }
    written
}
