//! The configuration of a run: one section for each method.
//!
//! [`presets`] has the methods that can be chosen by name, [`settings`] what a user may set: one table, from which the
//! command line, the stored settings and their checks come. `fields` names every field, for fingerprints.

use crate::error::{Error, Result};
use crate::index::{MEMORY_BYTES, retrieval};
use crate::lexicon::{LexiconSet, WordList};
use crate::types::Lang;
use crate::{align, archive, explore, extract, iterate, judge, keys, learn, recover, verify};

#[cfg(not(feature = "internals"))]
pub(crate) mod fields;
#[cfg(feature = "internals")]
pub mod fields;
pub mod presets;
pub mod settings;

pub use crate::keys::LabelMode;
pub use presets::{PRESETS, Preset};
pub use settings::{SETTINGS, Setting};

/// How the languages that a store keeps are taken back.
pub const RESET_LANGS: &str = "--reset langs";

/// Checks that no language is named twice; two variants of one, `pt-PT` and `pt-BR`, are two names.
///
/// # Errors
/// When one is.
pub fn different_languages<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<()> {
    let mut met: Vec<String> = Vec::new();
    for name in names {
        let plain = name.to_lowercase().replace('_', "-");
        if met.contains(&plain) {
            return Err(Error::Config(format!("--langs has {plain} twice; give different languages")));
        }
        met.push(plain);
    }
    Ok(())
}

/// Checks languages that pairs are asked for of: none is all, and one alone has no pairs. `zh` is two. `all` says how to get the pairs
/// of all languages.
///
/// # Errors
/// When it is one.
pub fn two_languages(langs: &[Lang], all: &str) -> Result<()> {
    let &[only] = langs else { return Ok(()) };
    if only == Lang::ZH {
        return Ok(());
    }
    let other = if only == Lang::EN { "fr" } else { "en" };
    Err(Error::Config(format!(
        "--langs is {only} alone, and a pair has two languages; give both, such as --langs {only},{other}, or {all}"
    )))
}

/// What is done with the pairs of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Strategy {
    /// They are the outcome.
    Keys,
    /// They are verified, and iteration adds to them.
    #[default]
    All,
    /// WebMining: all pages of a site against all others (Tomás et al. 2008).
    Webmining,
    /// ETS over all pages of a site (Liu et al. 2014).
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

/// What a run is done with. The names of sections and fields are those of `fields`: a renamed field makes the results that
/// depend on it stale.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Config {
    /// Name of the preset.
    pub preset: String,
    /// Reading archives.
    pub archive: archive::Params,
    /// Extracting pages.
    pub extract: extract::Params,
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
    /// What is done with the pairs of keys.
    // Fingerprints know it by this name.
    #[serde(rename = "method")]
    pub strategy: Strategy,
    /// The one measure that judges the pairs of keys; `None`: all measures together.
    pub verifier: Option<String>,
    /// URLs propose nothing.
    pub without_keys: bool,
    /// Translations of words say nothing.
    pub without_content: bool,
    /// All pages against all others.
    pub webmining: judge::webmining::Params,
    /// Word lists that the user gave.
    pub lexicons: Vec<WordList>,
    /// Candidates that no URL reveals.
    pub retrieval: retrieval::Params,
    /// Deep pages.
    pub recover: recover::Params,
    /// Exploring.
    pub explore: explore::Params,
    /// Alignment.
    pub align: align::Params,
    /// Ingestion.
    pub ingest: IngestParams,
    /// What may be held in memory. No result depends on it.
    pub memory: Memory,
}

/// How much memory a run may take, about: what it keeps and sorts is measured by it.
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
    /// The least that is of use: a page may take 16 MiB.
    pub const MIN_BYTES: usize = 64 << 20;

    /// For entries of all pages, sorted by site.
    pub fn sorted_pages(self) -> usize {
        self.bytes / 5
    }

    /// For hashes of sentence pairs, sorted twice.
    pub fn sorted_beads(self) -> usize {
        self.bytes / 16
    }

    /// For blocks of pages that were read last.
    pub fn page_blocks(self) -> usize {
        self.bytes / 32
    }
}

/// How ingestion cuts its work.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct IngestParams {
    /// Bytes of records that are extracted at once, in parallel. Three such portions are in memory. Default 8 MiB.
    pub portion_bytes: usize,
    /// Records that are extracted at once, at the most.
    pub portion_records: usize,
    /// Bytes of bodies, codings undone, that are extracted at once, and of their pages that are held until they are written.
    /// Default 32 MiB: a portion of records without codings.
    pub decoded_bytes: usize,
    /// Bytes of records, or of pages where these are more, after which the work is committed. Default 64 MiB: a second of work, lost at the most.
    pub commit_bytes: usize,
}

impl Default for IngestParams {
    fn default() -> IngestParams {
        IngestParams { portion_bytes: 8 << 20, portion_records: 1024, decoded_bytes: 32 << 20, commit_bytes: 64 << 20 }
    }
}

impl Config {
    /// Checks what no single setting can know: that they go together.
    ///
    /// # Errors
    /// When two of them contradict each other.
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
        two_languages(&self.keys.langs, RESET_LANGS)
    }

    /// The position of a language in the order of listing: that of `--langs`, then that of the tags.
    pub fn lang_rank(&self, lang: Lang) -> (usize, Lang) {
        let given = self.keys.langs.iter().position(|wanted| wanted.agrees(lang));
        (given.unwrap_or(usize::MAX), lang)
    }
}
