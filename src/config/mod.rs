//! The configuration of a run: one section for each method.
//!
//! [`presets`] lists the methods that can be chosen by name. [`settings`] is the table of what a user may set, from which the command line,
//! the stored settings and their checks are derived. `fields` gives every field by its name, for fingerprints.

use crate::archive::owners::EVERY_AGENT;
use crate::error::{Error, Result};
use crate::files::GivenFile;
use crate::index::captures::Choice;
use crate::index::{MEMORY_BYTES, retrieval};
use crate::lexicon::LexiconSet;
use crate::types::Lang;
use crate::{align, archive, explore, extract, iterate, judge, keys, learn, papers, recover, verify};

pub(crate) mod fields;
pub mod presets;
pub mod settings;

pub use crate::labels::LabelMode;
pub use presets::{PRESETS, Preset};
pub use settings::{SETTINGS, Setting};

/// The option that removes the languages that a store has as a setting.
pub const RESET_LANGS: &str = "--reset langs";

/// Checks that no language is named twice, by two of its codes either (`fa`, `prs`). Two variants of a language, `pt-PT` and `pt-BR`, are two names.
///
/// # Errors
/// When a language is named twice.
pub fn different_languages<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<()> {
    let mut met: Vec<(&str, Lang)> = Vec::new();
    for name in names {
        let Some(lang) = Lang::from_tag(name) else { continue };
        if let Some((before, _)) = met.iter().find(|(_, known)| *known == lang) {
            let lang = lang.to_string();
            let codes = if [*before, name].iter().all(|code| code.replace('_', "-").eq_ignore_ascii_case(&lang)) {
                String::new()
            } else {
                format!(", as {before} and {name}")
            };
            return Err(Error::Config(format!("--langs has {lang} twice{codes}; give different languages")));
        }
        met.push((name, lang));
    }
    Ok(())
}

/// Checks the languages whose pairs are asked for: none stands for all, and one alone has no pairs. `zh` counts as two, and `und` stands for all
/// that nothing names. `all` says, for the message, how to get the pairs of all languages.
///
/// # Errors
/// When there is one language.
pub fn two_languages(langs: &[Lang], all: &str) -> Result<()> {
    let &[only] = langs else { return Ok(()) };
    // There may be many that nothing names.
    if only == Lang::ZH || only == Lang::UNKNOWN {
        return Ok(());
    }
    let other = if only == Lang::EN { "fr" } else { "en" };
    Err(Error::Config(format!(
        "--langs is {only} alone, and a pair has two languages; give both, such as --langs {only},{other}, or {all}"
    )))
}

/// Where the pairs of a run come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Strategy {
    /// The pairs of keys are the result.
    Keys,
    /// The pairs of keys are verified, and iteration adds others.
    #[default]
    All,
    /// WebMining: all pages of a site are compared with each other (Tomás et al. 2008).
    Webmining,
    /// All pages of a site are compared with each other, and by their links (Liu et al. 2014).
    Links,
}

impl Strategy {
    /// True when pairs are verified.
    pub fn verifies(self) -> bool {
        matches!(self, Strategy::All | Strategy::Webmining)
    }

    /// True when rounds over links follow.
    pub fn iterates(self) -> bool {
        matches!(self, Strategy::All | Strategy::Links)
    }
}

impl Config {
    /// True when pairs are verified.
    pub fn verifies(&self) -> bool {
        self.verifier.is_some() || self.strategy.verifies()
    }

    /// True when rounds over links follow.
    pub fn iterates(&self) -> bool {
        self.verifier.is_none() && self.strategy.iterates()
    }

    /// True when the run learns from the pairs of strong keys.
    pub fn learns(&self) -> bool {
        self.verifier.is_some() || self.strategy == Strategy::All
    }
}

/// All settings of a run. The names of its sections and fields are those of `fields`: results that depend on a renamed field are stale.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Config {
    /// Name of the preset.
    pub preset: String,
    /// Reading archives.
    pub archive: archive::Params,
    /// Extracting pages.
    pub extract: extract::Params,
    /// Which of several captures of a URL becomes its page.
    pub captures: Choice,
    /// Key discovery.
    pub keys: keys::Params,
    /// Comparing pages.
    pub verify: verify::Params,
    /// Judging pairs.
    pub judge: judge::Params,
    /// Learning from pairs of strong keys.
    pub learn: learn::Params,
    /// Iteration over links.
    pub iterate: iterate::Params,
    /// Where pairs come from.
    // Fingerprints have it under this name.
    #[serde(rename = "method")]
    pub strategy: Strategy,
    /// The one measure that judges the pairs of keys; `None` if all measures do together.
    pub verifier: Option<String>,
    /// True if URLs propose no pairs.
    pub without_keys: bool,
    /// True if translations of words are not compared.
    pub without_content: bool,
    /// Comparing all pages of a site with each other.
    pub webmining: papers::webmining::Params,
    /// Comparing all pages of a site with each other and by their links.
    pub ets: papers::ets::Params,
    /// Word lists that the user gave.
    pub lexicons: Vec<GivenFile>,
    /// The languages of a listing, in the order in which it was asked for them; empty: those of `--langs` of the run.
    #[serde(skip)]
    pub listed_langs: Vec<Lang>,
    /// Finding candidates by rare words, which no URL shows.
    pub retrieval: retrieval::Params,
    /// Looking for deep pages.
    pub recover: recover::Params,
    /// Exploring sites.
    pub explore: explore::Params,
    /// Alignment.
    pub align: align::Params,
    /// Ingestion.
    pub ingest: IngestParams,
    /// Which pages are left out of sites.
    pub index: IndexParams,
    /// The program that scores sentence pairs, if the user has one. It changes no result: its scores are kept beside the results.
    pub scorer: ProgramParams,
    /// How much memory may be used. No result depends on it.
    pub memory: Memory,
}

/// About how much memory a run may use: the sizes of what it keeps and sorts are derived from it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Memory {
    /// Bytes. Default 1 GiB.
    pub bytes: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { bytes: MEMORY_BYTES }
    }
}

impl Memory {
    /// The least that is accepted, since a page may take 16 MiB.
    pub const MIN_BYTES: usize = 64 << 20;

    /// Bytes for entries of all pages, sorted by site.
    pub fn sorted_pages(self) -> usize {
        self.bytes / 5
    }

    /// Bytes for hashes of sentence pairs, which are sorted twice.
    pub fn sorted_beads(self) -> usize {
        self.bytes / 16
    }

    /// Bytes of rows that wait to be written to many files.
    pub fn waiting_rows(self) -> usize {
        self.bytes / 4
    }

    /// Bytes for the blocks of pages that were read last.
    pub fn page_blocks(self) -> usize {
        self.bytes / 32
    }
}

/// How ingestion divides its work.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct IngestParams {
    /// Bytes of records that are extracted at once, in parallel. Three such portions are in memory. Default 8 MiB.
    pub portion_bytes: usize,
    /// Records that are extracted at once, at most. Default 1,024.
    pub portion_records: usize,
    /// Bytes of decoded bodies that are extracted at once, and of the resulting pages that are held until they are written. Default 32 MiB;
    /// a portion of records without codings has no more.
    pub decoded_bytes: usize,
    /// The work is committed after so many bytes of records, or of pages where these are more. Default 64 MiB: a second of work, which is
    /// the most that can be lost.
    pub commit_bytes: usize,
    /// The program that tells the languages of texts in the place of detection, if the user has one.
    pub program: ProgramParams,
    /// The smallest probability, 0..=1, with which a language that the program tells is believed. Below it, the language is a guess.
    /// Default 0.5.
    pub min_probability: f64,
}

impl Default for IngestParams {
    fn default() -> IngestParams {
        let program = ProgramParams::default();
        IngestParams {
            portion_bytes: 8 << 20,
            portion_records: 1024,
            decoded_bytes: 32 << 20,
            commit_bytes: 64 << 20,
            program,
            min_probability: 0.5,
        }
    }
}

/// Which pages are left out of sites because of what they, or their owners, say.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct IndexParams {
    /// True where pages are left out whose owners opt out of the use of their texts. Default false: this is only recorded.
    pub respect_robots: bool,
    /// The name of the crawler whose rules in `robots.txt` count. Default `*`: the rules for all crawlers.
    pub robots_agent: String,
    /// True where pages are left out that are known to be translated by a machine. Default false: this is only recorded.
    pub skip_machine_translated: bool,
}

impl Default for IndexParams {
    fn default() -> IndexParams {
        IndexParams { respect_robots: false, robots_agent: EVERY_AGENT.to_owned(), skip_machine_translated: false }
    }
}

/// A program of the user that answers lines.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ProgramParams {
    /// The program and its arguments; empty where there is none.
    pub command: Vec<String>,
    /// For how long the program may be silent while an answer is due, in seconds. Default 120: a model of 2 GB may have to be read from a slow
    /// disk first.
    pub timeout_seconds: u32,
    /// How many processes of the program run side by side. Default 1, since each may have a model of some gigabytes in memory.
    pub processes: u32,
    /// True where the user named the program for this very run. A program that only a store names is never started, since stores may come
    /// from others.
    #[serde(skip)]
    pub is_given: bool,
}

impl Default for ProgramParams {
    fn default() -> ProgramParams {
        ProgramParams { command: Vec::new(), timeout_seconds: 120, processes: 1, is_given: false }
    }
}

impl Config {
    /// Checks that the settings go together.
    ///
    /// # Errors
    /// When two settings contradict each other, or when a word list or a file of profiles cannot be read.
    pub fn check(&self) -> Result<()> {
        if self.verifier.is_some() && matches!(self.strategy, Strategy::Webmining | Strategy::Links) {
            return Err(Error::Config(format!(
                "--verifier judges pairs of keys, and preset {} makes none; give another preset, or --reset verifier",
                self.preset
            )));
        }
        LexiconSet::read(&self.lexicons).map_err(|why| {
            let cause = std::error::Error::source(&why).map_or_else(String::new, |cause| format!(": {cause}"));
            Error::Config(format!("{why}{cause}; `--reset lexicon` does without"))
        })?;
        self.keys.given_profiles()?;
        two_languages(&self.keys.langs, RESET_LANGS)
    }

    /// The position of a language in listings: in the order of `--langs`, then in that of the tags.
    pub fn lang_rank(&self, lang: Lang) -> (usize, Lang) {
        let langs = if self.listed_langs.is_empty() { &self.keys.langs } else { &self.listed_langs };
        let given = langs.iter().position(|wanted| wanted.agrees(lang));
        (given.unwrap_or(usize::MAX), lang)
    }
}
