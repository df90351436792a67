//! `diglot export`.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use diglot::config::Config;
use diglot::error::Error;
use diglot::export::{self, Content, EXPORTERS, Exporter, Files, Format};
use diglot::query::{self, Scope, bitext};
use diglot::store::Store;
use diglot::types::LangPair;

use super::filter::{Filter, Wanted};
use super::freshness::Lists;
use super::global::Global;
use super::output::{Target, finish};
use super::stop::STOP;

/// Write page pairs or sentence pairs to a file, for other tools.
///
/// Page pairs have the columns of `diglot pairs`; sentence pairs have those of `diglot bitext`, and where each comes from. Memory
/// does not grow with the output. A file whose name ends in .gz or .zst is compressed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot export -o pairs.tsv
  diglot export --what bitext --format jsonl -o bitext.jsonl.zst
  diglot export --format tmx --langs en,fr --min-score 0.9 -o en-fr.tmx
  diglot export --what fetch --langs en,fr -o ranges.tsv    what to fetch of an archive known by its index
  diglot export --format moses --langs en,fr -o corpus      writes corpus.en and corpus.fr")]
pub struct Export {
    /// Format: tsv or jsonl; for sentence pairs also tmx, moses or parquet.
    #[arg(long, default_value = "tsv")]
    format: String,
    /// What to export: `pairs` (of pages), the default; `fetch`, the captures to fetch (file, offset, length) where pairs come
    /// from an index without text; `lexicon`, the word translations that verification learnt of two languages (`--langs`); or
    /// `bitext`, sentence pairs, the default for formats that cannot hold pages.
    #[arg(long, value_parser = Content::ALL.map(|(name, _)| name))]
    what: Option<String>,
    /// Only this host or registrable domain.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    #[command(flatten)]
    filter: Filter,
    /// Also export sentence pairs that were left out, with the reason.
    #[arg(long)]
    keep_all: bool,
    /// File to write; by default, or with `-`, stdout. The file appears only once it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let (content, format) = self.content_and_format()?;
        let lists = match content {
            Content::Pairs | Content::Fetch => Lists::Pairs,
            Content::Bitext => Lists::Bitext,
            Content::Lexicon => Lists::Learnt,
        };
        let (store, mut config) = global.query(lists)?;
        let wanted = self.filter.wanted(&mut config)?;
        let scope = self.host.as_deref().map_or(Ok(Scope::all()), |host| Scope::of(&store, host))?;
        let job = Job { args: &self, store: &store, config: &config, scope: &scope, wanted: &wanted };
        let suffixes = match format.files {
            Files::One => vec![String::new()],
            Files::OneALanguage => job.suffixes()?,
        };
        // What cannot be answered makes no file.
        let words = if content == Content::Lexicon { Some(job.learnt_words()?) } else { None };
        let mut targets: Vec<Target> = Vec::new();
        let written = suffixes
            .iter()
            .try_for_each(|suffix| {
                targets.push(Target::open(self.output.as_deref(), suffix)?);
                Ok(())
            })
            .and_then(|()| {
                let outputs = targets.iter_mut().map(Target::take).collect();
                let mut exporter = (format.make)(content, outputs).map_err(|source| job.failed(source))?;
                let rows = exporter.as_mut();
                match (content, &words) {
                    (Content::Pairs, _) => job.pairs(rows)?,
                    (Content::Bitext, _) => job.sentences(rows)?,
                    (Content::Fetch, _) => job.captures(rows, global.quiet)?,
                    (Content::Lexicon, words) => {
                        let mut words = words.iter().flatten();
                        words.try_for_each(|[a, b]| rows.words([a, b])).map_err(|source| job.failed(source))?;
                    }
                }
                Ok(exporter.finish().map_err(|source| job.failed(source))?)
            });
        finish(targets, written)
    }

    /// What is exported, and how it is written. A format that holds no pairs is for sentences.
    fn content_and_format(&self) -> Result<(Content, &'static Format), Error> {
        let format = export::format(&self.format);
        let asked = self.what.as_deref().and_then(|what| Content::ALL.iter().find(|(name, _)| *name == what));
        let content = match (asked, format) {
            (Some((_, content)), _) => *content,
            (None, Some(format)) => format.holds[0],
            (None, None) => Content::Bitext,
        };
        let holds = |format: &&'static Format| format.holds.contains(&content);
        let Some(format) = format.filter(holds) else {
            let names: Vec<&str> = EXPORTERS.iter().filter(holds).map(|format| format.name).collect();
            let names = names.join(", ");
            return Err(Error::Config(format!("--format is {}, expected one of {names}", self.format)));
        };
        Ok((content, format))
    }
}

/// What is written, and where it comes from.
struct Job<'j> {
    args: &'j Export,
    store: &'j Store,
    config: &'j Config,
    scope: &'j Scope,
    wanted: &'j Wanted,
}

impl Job<'_> {
    fn failed(&self, source: io::Error) -> Error {
        let path = self.args.output.clone().unwrap_or_else(|| "stdout".into());
        Error::Io { path, action: "writing", source }
    }

    fn pairs(&self, rows: &mut dyn Exporter) -> Result<(), Error> {
        query::for_each_pair(self.store, self.config, self.scope, |pair| {
            check_stop()?;
            if !self.wanted.takes(pair.score, [pair.lang_a, pair.lang_b]) {
                return Ok(());
            }
            rows.pair(&pair).map_err(|source| self.failed(source))
        })
    }

    fn sentences(&self, rows: &mut dyn Exporter) -> Result<(), Error> {
        bitext::for_each_bead(self.store, self.config, self.scope, self.args.keep_all, |line| {
            check_stop()?;
            if !self.wanted.takes(line.score, [line.lang_a, line.lang_b]) {
                return Ok(());
            }
            rows.sentences(&line).map_err(|source| self.failed(source))
        })
    }

    fn captures(&self, rows: &mut dyn Exporter, quiet: bool) -> Result<(), Error> {
        let lines = query::fetch(self.store, self.scope, &|langs| self.wanted.takes_langs(langs))?;
        if lines.is_empty() && !quiet {
            eprintln!("diglot: nothing to fetch: no pair has a page that is known by an index only");
        }
        lines.iter().try_for_each(|line| rows.capture(line)).map_err(|source| self.failed(source))
    }

    /// The two languages, then words of them, the most probable first.
    fn learnt_words(&self) -> Result<Vec<[String; 2]>, Error> {
        let expected =
            || Error::Config("--what lexicon is of two languages; choose them by --langs, such as en,fr".into());
        let &[first, second] = self.wanted.langs.as_slice() else { return Err(expected()) };
        let langs = LangPair::new(first, second).ok_or_else(expected)?;
        let Some(words) = query::learnt_words(self.store, langs)? else {
            let problem = format!("nothing was learnt of {first} and {second}: too few pairs of strong keys");
            return Err(Error::Config(problem));
        };
        let words = words.into_iter().map(|[a, b]| if langs.a == first { [a, b] } else { [b, a] });
        Ok(std::iter::once([first.to_string(), second.to_string()]).chain(words).collect())
    }

    /// `.en` and `.fr`: the languages of a format that has one file for each.
    fn suffixes(&self) -> Result<Vec<String>, Error> {
        let format = &self.args.format;
        if self.args.output.as_deref().is_none_or(|path| path.as_os_str() == "-") {
            return Err(Error::Config(format!("--format {format} writes two files; give -o NAME")));
        }
        let mut found = std::collections::BTreeSet::new();
        bitext::for_each_page_pair(self.store, self.scope, |langs, _, _| {
            if self.wanted.takes_langs([langs.a, langs.b]) {
                found.insert(langs);
            }
            Ok(())
        })?;
        let mut langs = match (found.len(), found.first()) {
            (1, Some(langs)) => [langs.a, langs.b],
            (0, _) => return Err(Error::Config("there are no page pairs of these languages".into())),
            (count, _) => {
                let problem = format!("--format {format} is of two languages, {count} pairs of languages are there");
                return Err(Error::Config(format!("{problem}; choose two by --langs")));
            }
        };
        langs.sort_by_key(|&lang| self.config.lang_rank(lang));
        Ok(langs.map(|lang| format!(".{lang}")).to_vec())
    }
}

fn check_stop() -> diglot::error::Result<()> {
    if STOP.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
}
