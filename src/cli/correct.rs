//! `diglot correct`.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use diglot::config::Config;
use diglot::config::settings::configuration;
use diglot::corrections::{Correction, Corrections, HEAD, Line};
use diglot::error::Error;
use diglot::inputs;
use diglot::query::{self, CorrectionLine};
use diglot::store::{Access, CorrectionFile, Store};
use diglot::types::counted;
use serde_json::Value;

use super::freshness::place;
use super::global::Global;
use super::listing::{ListArgs, WhereArg};
use super::output;
use super::say::say;

/// Say what you know better: pairs, languages, keys, sites.
///
/// Corrections are lines of the file `corrections.tsv` in the store, which may also be written by hand; the next `diglot run` applies them
/// where they are about, and taking one back undoes it. A PLACE is a host (`example.org`; of a registrable domain, all its hosts), a folder
/// (`example.org/docs/*`) or the URL of a page. `diglot correct list` tells what became of each.
#[derive(Args)]
#[command(after_help = "\
Examples:
  diglot correct pin example.org/about.html example.org/fr/a-propos.html
  diglot correct forbid example.org/a.html example.org/fr/b.html --note 'the edition of 2019'
  diglot correct language 'example.org/docs/*' fr
  diglot correct forbid-key path:old:new example.org
  diglot correct together example.org exemple.fr
  diglot correct list                       numbered, with what became of each
  diglot correct undo 3
  diglot correct export corrections.tsv     and `import` into another store")]
pub struct Correct {
    #[command(subcommand)]
    what: What,
}

#[derive(Args)]
struct Note {
    /// Why; kept beside the correction.
    #[arg(long, default_value = "", hide_default_value = true)]
    note: String,
}

#[derive(Subcommand)]
enum What {
    /// Two pages are a pair: each is given to no other page of that language.
    Pin {
        /// The URL of a page.
        url: String,
        /// The URL of its translation.
        other: String,
        #[command(flatten)]
        note: Note,
    },
    /// Two pages are no pair; both are free for others.
    Forbid {
        /// The URL of a page.
        url: String,
        /// The URL of the other.
        other: String,
        #[command(flatten)]
        note: Note,
    },
    /// The pages of a place are in a language, whatever their texts and URLs say.
    Language {
        /// A page, a folder or a host; the narrowest counts.
        place: String,
        /// The language: en, fr, zh-Hant, …
        lang: String,
        #[command(flatten)]
        note: Note,
    },
    /// A key pairs, however few URLs match it.
    NameKey {
        /// The pattern of the key, as `diglot keys` lists it: path:en:fr.
        pattern: String,
        /// Where; by default on all sites.
        #[arg(default_value = "*", hide_default_value = true)]
        place: String,
        #[command(flatten)]
        note: Note,
    },
    /// A key pairs nothing.
    ForbidKey {
        /// The pattern of the key, as `diglot keys` lists it: path:en:fr.
        pattern: String,
        /// Where; by default on all sites.
        #[arg(default_value = "*", hide_default_value = true)]
        place: String,
        #[command(flatten)]
        note: Note,
    },
    /// Two registrable domains are one site, whose pages may be paired.
    Together {
        /// A domain.
        domain: String,
        /// The other.
        other: String,
        #[command(flatten)]
        note: Note,
    },
    /// List the corrections, and what became of each.
    List {
        #[command(flatten)]
        rows: WhereArg,
        #[command(flatten)]
        list: ListArgs,
    },
    /// Take back the correction with this number in the list.
    Undo {
        /// The number.
        number: usize,
    },
    /// Add the corrections of a file; what the store has already stays.
    Import {
        /// A file as `export` writes it, or `-`.
        file: PathBuf,
    },
    /// Write the corrections into a file.
    Export {
        /// The file; by default, or with `-`, stdout.
        #[arg(default_value = "-", hide_default_value = true)]
        file: PathBuf,
    },
}

impl Correct {
    pub fn run(self, global: &Global) -> anyhow::Result<()> {
        let file = CorrectionFile::of(&global.store);
        let (kind, first, second, Note { note }) = match self.what {
            What::Pin { url, other, note } => ("pin", url, other, note),
            What::Forbid { url, other, note } => ("forbid", url, other, note),
            What::Language { place, lang, note } => ("language", place, lang, note),
            What::NameKey { pattern, place, note } => ("name-key", pattern, place, note),
            What::ForbidKey { pattern, place, note } => ("forbid-key", pattern, place, note),
            What::Together { domain, other, note } => ("together", domain, other, note),
            What::List { rows, list } => return show(global, &rows, &list),
            What::Undo { number } => {
                // A file with a bad line is mended by hand, so the store is not opened here.
                let line = file.undo(number)?;
                say(format_args!("taken back: {}; `diglot run{}` undoes it", line.correction, place(&global.store)));
                return Ok(());
            }
            What::Import { file: from } => {
                let lines = read(&from)?;
                return add(global, &file, lines.lines());
            }
            What::Export { file: to } => {
                file.check_store()?;
                let text = file.text()?;
                let text = if text.is_empty() { format!("{HEAD}\n") } else { text };
                return output::write(&to, text.as_bytes());
            }
        };
        let correction = Correction::parse(kind, &first, &second).map_err(Error::Config)?;
        add(global, &file, &[Line::now(correction, &note)])
    }
}

/// Adds corrections to the file, unless pins contradict each other. Reports what became of each correction, or that it matches nothing.
fn add(global: &Global, file: &CorrectionFile, lines: &[Line]) -> anyhow::Result<()> {
    let store = global.open(Access::Read)?;
    let (config, _) = configuration(&store.settings().values);
    let added = file.add(lines, |all| query::check_pins(std::slice::from_ref(&store), all, lines))?;
    // The store is opened again, so that it has the corrections that were added.
    let store = global.open(Access::Read)?;
    let [line] = lines else {
        say(format_args!("{} added, {} there already", counted(added as u64, "correction"), lines.len() - added));
        return tell_idle(&store, &config);
    };
    if added == 0 {
        let kept = if line.note.is_empty() { "" } else { "; the note stays as it was" };
        say(format_args!("{} is there already{kept}", line.correction));
    }
    if let Some(told) = query::correction(&store, &config, &line.correction)? {
        say(format_args!("correction {}: {}", told.number, told.effect));
    }
    Ok(())
}

/// Tells which corrections did nothing.
pub fn tell_idle(store: &Store, config: &Config) -> anyhow::Result<()> {
    if store.corrections().is_empty() {
        return Ok(());
    }
    for line in query::corrections(store, config)?.iter().filter(|line| line.is_idle) {
        say(format_args!(
            "correction {}, {} {} {}: {}",
            line.number, line.correction, line.first, line.second, line.effect
        ));
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Corrections> {
    let text = if path.as_os_str() == "-" {
        io::read_to_string(io::stdin()).map_err(Error::io(path, "reading"))?
    } else {
        let file = inputs::open(path).map_err(Error::io(path, "opening"))?;
        io::read_to_string(file).map_err(Error::io(path, "reading"))?
    };
    Ok(Corrections::parse(&text)
        .map_err(|(line, problem)| Error::input(format!("{}, line {line}", path.display()), problem))?)
}

/// The columns of the list.
const COLUMNS: [&str; 7] = ["number", "correction", "first", "second", "effect", "date", "note"];

fn show(global: &Global, rows: &WhereArg, list: &ListArgs) -> anyhow::Result<()> {
    let (store, config) = global.read()?;
    let mut listing = rows.listing(list, &COLUMNS, None)?;
    for line in query::corrections(&store, &config)? {
        let CorrectionLine { number, correction, first, second, effect, date, note, .. } = line;
        let texts = [correction.to_owned(), first, second, effect, date, note].map(Value::from);
        listing.row([Value::from(number)].into_iter().chain(texts).collect())?;
    }
    Ok(listing.finish()?)
}
